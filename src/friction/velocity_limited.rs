//! Velocity-limited friction (VLFM; Rogers and Pick, 1977; Tan and Rogers, 1996).
//!
//! ```text
//!     |v| ≤ V_0 :  F = s_0 μN v/V_0 ,      |v| > V_0 :  F = μN s(|v| − V_0) sgn v                 (1)
//! ```
//!
//! s is the Stribeck curve, 1 without one, and s_0 = s(0): F is continuous, and its largest value, the break-away
//! force μ_sN, does not depend on the rate. "Stick" is creep at up to V_0.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::fault::{Fault, Faults};
use super::real::{Real, sign};
use super::rule::Rule;
use super::step::Step;

/// Coulomb friction, proportional to the velocity below a limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VelocityLimited {
    /// Velocity V_0 below which the contact counts as stuck, > 0 [m/s].
    pub velocity: f64,
    /// Velocity beyond the limit at which friction falls from static to kinetic, > 0 [m/s]; needed where
    /// static_friction is given.
    #[serde(default)]
    pub stribeck_velocity: Option<f64>,
    /// Exponent of the fall, at least 1 (default 2).
    #[serde(default = "super::two")]
    pub stribeck_exponent: f64,
}

impl Rule for VelocityLimited {
    const NAME: &'static str = "velocity_limited";

    fn n_states(&self) -> usize {
        0
    }

    fn has_static_friction(&self) -> bool {
        self.stribeck_velocity.is_some()
    }

    fn faults(&self) -> Vec<Fault> {
        let stribeck = self.stribeck_velocity.unwrap_or(1.0);
        Faults::of(Self::NAME)
            .positive("velocity", self.velocity, "m/s")
            .positive("stribeck_velocity", stribeck, "m/s")
            .between("stribeck_exponent", self.stribeck_exponent, 1.0, 100.0)
            .list()
    }

    /// (1)
    fn step<T: Real>(&self, _: &[T], step: &Step<T>, _: &mut [T]) -> T {
        let ratio = if self.stribeck_velocity.is_some() { step.static_ratio } else { 1.0 };
        let beyond = step.velocity.abs() - self.velocity;
        if beyond.value() <= 0.0 {
            return step.limit() * step.velocity * (ratio / self.velocity);
        }
        let velocity = self.stribeck_velocity.unwrap_or(1.0);
        let curve = Curve { velocity, exponent: self.stribeck_exponent };
        step.limit() * curve.level(beyond, ratio) * sign(step.velocity.value())
    }
}
