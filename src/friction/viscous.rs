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

impl Viscous {
    pub(super) fn faults(&self) -> Vec<Fault> {
        Faults::of("viscous")
            .not_negative("damping", self.damping, "N s/m")
            .not_negative("damping_per_force", self.damping_per_force, "s/m")
            .list()
    }

    pub(super) fn shared(self, share: f64) -> Self {
        Self { damping: share * self.damping, ..self }
    }

    /// (1)
    pub(super) fn force<T: Real>(&self, step: &Step<T>) -> T {
        (step.pressure * self.damping_per_force + self.damping) * step.velocity
    }
}
