//! The friction law "exponential decay" of finite-element programs.
//!
//! ```text
//!     μ(v) = μ + (μ_s − μ) e^{−d_c |v|}                                                          (1)
//! ```
//!
//! as the limit of an elastic slider: the law of `stribeck` with the exponent 1 and v_s = 1/d_c.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::Real;
use super::rule::Rule;
use super::step::Step;
use super::stribeck::Stribeck;

/// Elastic Coulomb friction that decays exponentially from static to kinetic. Give stiffness or elastic_slip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExponentialDecay {
    /// Stiffness of the whole contact in stick, > 0 [N/m].
    #[serde(default)]
    pub stiffness: Option<f64>,
    /// Deflection at which sliding begins, > 0 [m]: the stiffness is static friction x normal force / elastic_slip.
    #[serde(default)]
    pub elastic_slip: Option<f64>,
    /// Decay coefficient d_c, > 0 [s/m].
    pub decay: f64,
}

impl Rule for ExponentialDecay {
    const NAME: &'static str = "exponential_decay";

    fn has_static_friction(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .spring(self.stiffness, self.elastic_slip)
            .positive("decay", self.decay, "s/m")
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self { stiffness: self.stiffness.map(|k| share * k), ..self }
    }

    /// (1)
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        self.stribeck().step(before, step, after)
    }

    fn stored(&self, states: &[f64], step: &Step<f64>) -> f64 {
        self.stribeck().stored(states, step)
    }
}

impl ExponentialDecay {
    fn stribeck(&self) -> Stribeck {
        Stribeck {
            stiffness: self.stiffness,
            elastic_slip: self.elastic_slip,
            stribeck_velocity: 1.0 / self.decay,
            stribeck_exponent: 1.0,
        }
    }
}
