//! Elastic Coulomb friction with a limit that falls with the velocity.
//!
//! ```text
//!     e* = e + Δ ,   |e⁺| ≤ e_max(v) ,   F = k e⁺ ,   k e_max = μN s(v) ,   s of `curve`         (1)
//! ```
//!
//! With elastic_slip x_e, k = μ_sN/x_e: the penalty form of finite-element programs.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::fault::{Fault, Faults};
use super::jenkins::slide;
use super::real::Real;
use super::rule::Rule;
use super::spring::Spring;
use super::step::Step;

/// Elastic Coulomb friction that falls from static to kinetic with the velocity. Give stiffness or elastic_slip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stribeck {
    /// Stiffness of the whole contact in stick, > 0 [N/m].
    #[serde(default)]
    pub stiffness: Option<f64>,
    /// Deflection at which sliding begins, > 0 [m]: the stiffness is static friction x normal force / elastic_slip.
    #[serde(default)]
    pub elastic_slip: Option<f64>,
    /// Velocity v_s of the fall, > 0 [m/s].
    pub stribeck_velocity: f64,
    /// Exponent of the fall, at least 1 (default 2).
    #[serde(default = "super::two")]
    pub stribeck_exponent: f64,
}

impl Rule for Stribeck {
    const NAME: &'static str = "stribeck";

    fn has_static_friction(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .spring(self.stiffness, self.elastic_slip)
            .positive("stribeck_velocity", self.stribeck_velocity, "m/s")
            .between("stribeck_exponent", self.stribeck_exponent, 1.0, 100.0)
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self { stiffness: self.stiffness.map(|k| share * k), ..self }
    }

    /// (1)
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let curve = Curve { velocity: self.stribeck_velocity, exponent: self.stribeck_exponent };
        let level = curve.level(step.velocity, step.static_ratio);
        slide(
            Spring::new(self.stiffness, self.elastic_slip),
            level,
            step.static_ratio,
            before,
            step,
            after,
        )
    }

    fn stored(&self, states: &[f64], step: &Step<f64>) -> f64 {
        let deflection = states[0];
        let spring = Spring::new(self.stiffness, self.elastic_slip);
        0.5 * spring.stiffness(step, step.static_ratio) * deflection * deflection
    }
}
