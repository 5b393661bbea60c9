//! Distributed Jenkins elements: the parallel Iwan model.
//!
//! ```text
//! n elements of stiffness k/n side by side slide at forces spread evenly about μN/n:
//!
//!     w_i = 1 + s (2(i − ½)/n − 1) ,  i = 1 … n ,   e_i* = e_i + Δ ,   |e_i| ≤ w_i μN/k ,        (1)
//!     F = (k/n) Σ e_i .
//! ```
//!
//! s = 0 is one Jenkins element. With s = 1 and n → ∞ the first loading is the parabola of the uniform density,
//! F = kx − (kx)²/(4μN) up to kx = 2μN, which the midpoints of (1) meet to the order n⁻².
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::Real;
use super::rule::{FULL, Rule};
use super::spring::Spring;
use super::step::{Step, is_none};

const MAX_ELEMENTS: usize = 200;

/// Jenkins elements side by side that begin to slide one after the other. Give stiffness or elastic_slip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Iwan {
    /// Stiffness of the whole contact while nothing slides, > 0 [N/m].
    #[serde(default)]
    pub stiffness: Option<f64>,
    /// Mean deflection at which the elements slide, > 0 [m]: the stiffness is friction x normal force / elastic_slip.
    #[serde(default)]
    pub elastic_slip: Option<f64>,
    /// Number of elements, 1 to 200 (default 20).
    #[serde(default = "twenty")]
    pub elements: usize,
    /// Half the width of the distribution of limits over their mean, 0 to 1 (default 1: from zero to twice the mean).
    #[serde(default = "one")]
    pub spread: f64,
}

fn twenty() -> usize {
    20
}

fn one() -> f64 {
    1.0
}

impl Rule for Iwan {
    const NAME: &'static str = "iwan";

    fn n_states(&self) -> usize {
        self.elements
    }

    fn is_sliding(&self, force: f64, step: &Step<f64>) -> bool {
        force.abs() >= FULL * step.limit()
    }

    fn faults(&self) -> Vec<Fault> {
        let faults = Faults::of(Self::NAME).spring(self.stiffness, self.elastic_slip).between(
            "spread",
            self.spread,
            0.0,
            1.0,
        );
        match self.elements {
            1..=MAX_ELEMENTS => faults.list(),
            _ => faults.refuse("elements", "must lie between 1 and 200").list(),
        }
    }

    fn shared(self, share: f64) -> Self {
        Self { stiffness: self.stiffness.map(|k| share * k), ..self }
    }

    /// (1)
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        if step.is_open() || is_none(step.limit()) {
            after.fill(T::constant(0.0));
            return T::constant(0.0);
        }
        let spring = Spring::new(self.stiffness, self.elastic_slip);
        let (moved, reach) = (step.moved(), spring.reach(step, 1.0));
        let mut sum = T::constant(0.0);
        for (i, (after, before)) in after.iter_mut().zip(before).enumerate() {
            *after = (*before + moved).clamped(reach * self.weight(i));
            sum = sum + *after;
        }
        spring.stiffness(step, 1.0) * sum / self.elements as f64
    }

    fn stored(&self, deflections: &[f64], step: &Step<f64>) -> f64 {
        let spring = Spring::new(self.stiffness, self.elastic_slip);
        let squares: f64 = deflections.iter().map(|e| e * e).sum();
        0.5 * spring.stiffness(step, 1.0) * squares / self.elements as f64
    }
}

impl Iwan {
    fn weight(&self, i: usize) -> f64 {
        1.0 + self.spread * ((2 * i + 1) as f64 / self.elements as f64 - 1.0)
    }
}
