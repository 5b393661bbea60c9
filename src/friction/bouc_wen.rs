//! The hysteresis of Bouc (1967) and Wen (1976).
//!
//! ```text
//!     ż = v [1 − |z/z_m|ⁿ (γ + β sgn(v z))] ,   F = k z + k_t x ,   z_m = μN/k ,  β + γ = 1        (1)
//! ```
//!
//! The sum of β and γ is 1, so that the limit of kz is μN for any shape. n → ∞ is the Jenkins element. With ½kz² in the
//! spring the law dissipates
//!
//! ```text
//!     kz(v − ż) = k|v z| |z/z_m|ⁿ (β + γ sgn(v z))                                               (2)
//! ```
//!
//! which is not negative, loading and unloading, where β ≥ |γ|: β ≥ ½. A smaller one gives more energy back while
//! it unloads than it has stored (Erlicher and Point, 2004).
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::path::Path;
use super::real::{Real, sign};
use super::rule::Rule;
use super::step::{Step, is_none};

/// Smooth hysteresis (Bouc-Wen).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoucWen {
    /// Stiffness k of the whole contact at the origin, > 0 [N/m].
    pub stiffness: f64,
    /// Stiffness k_t that remains in full slip, of the whole contact, >= 0 [N/m].
    #[serde(default)]
    pub slip_stiffness: f64,
    /// Share beta that acts against the motion only, 0.5 to 1 (default 0.5: straight unloading).
    #[serde(default = "half")]
    pub beta: f64,
    /// Exponent n, 1 to 50 (default 1).
    #[serde(default = "one")]
    pub exponent: f64,
}

fn half() -> f64 {
    0.5
}

fn one() -> f64 {
    1.0
}

impl Rule for BoucWen {
    const NAME: &'static str = "bouc_wen";

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .positive("stiffness", self.stiffness, "N/m")
            .not_negative("slip_stiffness", self.slip_stiffness, "N/m")
            .require(
                (0.5..=1.0).contains(&self.beta),
                "beta",
                "must lie between 0.5 and 1: with less the law would give out more energy than it takes in",
            )
            .between("exponent", self.exponent, 1.0, 50.0)
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self {
            stiffness: share * self.stiffness,
            slip_stiffness: share * self.slip_stiffness,
            ..self
        }
    }

    /// (1); the state is z.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let limit = step.limit();
        after[0] = T::constant(0.0);
        if step.is_open() || is_none(limit) {
            return after[0];
        }
        let reach = limit / self.stiffness;
        let moved = step.moved();
        let direction = step.direction();
        let n = self.exponent;
        let rate = |w: T| {
            let side = sign(w.value());
            let weight = 1.0 - self.beta + self.beta * side;
            let size = w.abs() / reach;
            (-size.powf(n) * weight + 1.0, -size.powf(n - 1.0) / reach * (n * weight * side))
        };
        let path = Path { length: moved.abs(), scale: reach };
        after[0] = path.follow(before[0] * direction, Some(reach), rate) * direction;
        after[0] * self.stiffness + step.slip * self.slip_stiffness
    }

    fn stored(&self, states: &[f64], step: &Step<f64>) -> f64 {
        let (deflection, slip) = (states[0], step.slip);
        0.5 * (self.stiffness * deflection * deflection + self.slip_stiffness * slip * slip)
    }
}
