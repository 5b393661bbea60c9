//! Elastic Coulomb friction: the Jenkins element.
//!
//! ```text
//!     e* = e + Δ ,   e⁺ = e* min(1, e_max/|e*|) ,   F = k e⁺ ,   k e_max = μN                    (1)
//! ```
//!
//! e is the deflection of a spring in series with a Coulomb slider; a contact without pressure forgets it.
//! k → ∞ is Coulomb's law.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::Real;
use super::rule::{FULL, Rule};
use super::spring::Spring;
use super::step::{Step, is_none};

/// Spring and Coulomb slider in series. Give stiffness or elastic_slip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Jenkins {
    /// Stiffness of the whole contact, > 0 [N/m].
    #[serde(default)]
    pub stiffness: Option<f64>,
    /// Deflection at which sliding begins, > 0 [m]: the stiffness is friction x normal force / elastic_slip.
    #[serde(default)]
    pub elastic_slip: Option<f64>,
}

impl Rule for Jenkins {
    const NAME: &'static str = "jenkins";

    fn is_sliding(&self, force: f64, step: &Step<f64>) -> bool {
        force.abs() >= FULL * step.limit()
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME).spring(self.stiffness, self.elastic_slip).list()
    }

    fn shared(self, share: f64) -> Self {
        Self { stiffness: self.stiffness.map(|k| share * k), ..self }
    }

    /// (1)
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        slide(
            Spring::new(self.stiffness, self.elastic_slip),
            T::constant(1.0),
            1.0,
            before,
            step,
            after,
        )
    }

    fn stored(&self, states: &[f64], step: &Step<f64>) -> f64 {
        let deflection = states[0];
        let spring = Spring::new(self.stiffness, self.elastic_slip);
        0.5 * spring.stiffness(step, 1.0) * deflection * deflection
    }
}

/// (1) with a limit of `level` times μN.
pub(super) fn slide<T: Real>(
    spring: Spring,
    level: T,
    static_ratio: f64,
    before: &[T],
    step: &Step<T>,
    after: &mut [T],
) -> T {
    // Without a limit it slides at rest too: a derivative of stick there would mislead Newton's method.
    if step.is_open() || is_none(step.limit()) {
        after[0] = T::constant(0.0);
        return after[0];
    }
    after[0] = (before[0] + step.moved()).clamped(spring.reach(step, static_ratio) * level);
    spring.stiffness(step, static_ratio) * after[0]
}
