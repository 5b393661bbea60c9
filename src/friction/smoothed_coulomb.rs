//! Coulomb friction with its jump at rest rounded off.
//!
//! ```text
//!     F = μN tanh(v/v_0)      or      F = μN (2/π) arctan(v/v_0)                                 (1)
//! ```
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::Real;
use super::rule::Rule;
use super::step::Step;

/// The rounded step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// Hyperbolic tangent.
    #[default]
    Tanh,
    /// Inverse tangent.
    Arctan,
}

/// Coulomb friction as a smooth function of the velocity: it never quite sticks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmoothedCoulomb {
    /// Velocity v_0 over which friction changes its sign, > 0 [m/s].
    pub velocity: f64,
    /// The smooth function.
    #[serde(default)]
    pub rounding: Rounding,
}

impl Rule for SmoothedCoulomb {
    const NAME: &'static str = "smoothed_coulomb";

    fn n_states(&self) -> usize {
        0
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME).positive("velocity", self.velocity, "m/s").list()
    }

    /// (1)
    fn step<T: Real>(&self, _: &[T], step: &Step<T>, _: &mut [T]) -> T {
        let x = step.velocity / self.velocity;
        let rounded = match self.rounding {
            Rounding::Tanh => x.tanh(),
            Rounding::Arctan => x.atan() * std::f64::consts::FRAC_2_PI,
        };
        step.limit() * rounded
    }
}
