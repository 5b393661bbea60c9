//! Viscous friction.
//!
//! ```text
//!     F = (c + c_N N) v                                                                          (1)
//! ```
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::Real;
use super::rule::Rule;
use super::step::Step;

/// A dashpot; the friction coefficient plays no part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Viscous {
    /// c of the whole contact, >= 0 [N s/m].
    #[serde(default)]
    pub damping: f64,
    /// c_N, per normal force, >= 0 [s/m].
    #[serde(default)]
    pub damping_per_force: f64,
}

impl Rule for Viscous {
    const NAME: &'static str = "viscous";

    fn n_states(&self) -> usize {
        0
    }

    fn has_limit(&self) -> bool {
        false
    }

    fn is_sliding(&self, _: f64, step: &Step<f64>) -> bool {
        step.velocity != 0.0
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .not_negative("damping", self.damping, "N s/m")
            .not_negative("damping_per_force", self.damping_per_force, "s/m")
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self { damping: share * self.damping, ..self }
    }

    /// (1)
    fn step<T: Real>(&self, _: &[T], step: &Step<T>, _: &mut [T]) -> T {
        (step.pressure * self.damping_per_force + self.damping) * step.velocity
    }
}
