//! Dahl's law (1968).
//!
//! ```text
//!     dF/dx = σ_0 |1 − d F/F_c|^a sgn(1 − d F/F_c) ,   F = σ_0 z ,  F_c = μN ,  d = sgn v         (1)
//!
//! With w = 1 − d F/F_c and the path s = σ_0|Δ|/F_c of a step, dw/ds = −|w|^a sgn w:
//!
//!     a = 1 :  w⁺ = w e^{−s} ,      a ≠ 1 :  |w⁺|^{1−a} = max(0, |w|^{1−a} + (a − 1) s)            (2)
//! ```
//!
//! (2) is exact for a constant F_c.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::{Real, sign};
use super::rule::Rule;
use super::step::{Step, is_none};

/// Distance from the limit, over it, below which a law with a > 1 has arrived: its power would overflow.
const ARRIVED: f64 = 1e-12;

/// Friction force that approaches its limit exponentially along the path (Dahl).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dahl {
    /// Stiffness sigma_0 of the whole contact at the origin, > 0 [N/m].
    pub stiffness: f64,
    /// Exponent a of the approach, 0.1 to 10 (default 1).
    #[serde(default = "one")]
    pub exponent: f64,
}

fn one() -> f64 {
    1.0
}

impl Rule for Dahl {
    const NAME: &'static str = "dahl";

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .positive("stiffness", self.stiffness, "N/m")
            .between("exponent", self.exponent, 0.1, 10.0)
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self { stiffness: share * self.stiffness, ..self }
    }

    /// (2); the state is z.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let limit = step.mean_limit();
        after[0] = T::constant(0.0);
        if step.is_open() || is_none(limit) {
            return after[0];
        }
        let moved = step.moved();
        let rate = moved.abs() * self.stiffness / limit;
        if self.exponent == 1.0 {
            after[0] = before[0] * (-rate).exp() + moved * (-rate).phi1();
        } else if moved.value() == 0.0 {
            after[0] = before[0] + moved;
        } else {
            let direction = sign(moved.value());
            let left = -before[0] * (direction * self.stiffness) / limit + 1.0;
            after[0] = (-self.approached(left, rate) + 1.0) * limit * (direction / self.stiffness);
        }
        after[0] * self.stiffness
    }

    fn stored(&self, states: &[f64], _: &Step<f64>) -> f64 {
        let deflection = states[0];
        0.5 * self.stiffness * deflection * deflection
    }
}

impl Dahl {
    /// w⁺ of (2).
    fn approached<T: Real>(&self, left: T, rate: T) -> T {
        let size = left.abs();
        if size.value() <= ARRIVED {
            return left;
        }
        let power = size.powf(1.0 - self.exponent) + rate * (self.exponent - 1.0);
        if power.value() <= 0.0 {
            return T::constant(0.0);
        }
        power.powf(1.0 / (1.0 - self.exponent)) * sign(left.value())
    }
}
