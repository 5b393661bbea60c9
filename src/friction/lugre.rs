//! The LuGre law (Canudas de Wit et al., 1995), raw and per unit of normal force.
//!
//! ```text
//!     ż = v − σ_0 |v| z/g(v) ,   F = σ_0 z + σ_1 ż + σ_2 v ,   g = μN s(v)                        (1)
//!     ż = v − σ_0 |v| z/g(v) ,   F = N (σ_0 z + σ_1 ż + σ_2 v) ,   g = μ s(v)       per force      (2)
//! ```
//!
//! s is the Stribeck curve of `curve`, with the square. σ_0 in the rate of (2) must not be left out, as is
//! done where the law is printed for contact forces: z would grow with the slip instead of saturating. In both forms steady sliding is
//! F = μN s(v) sgn v and the stiffness at the origin is σ_0, or Nσ_0.
//!
//! Over a step, with g and the rate at the mean velocity Δ/h,
//!
//! ```text
//!     z⁺ = z e^{−a} + Δ φ₁(−a) ,   a = σ_0|Δ|/g                                                  (3)
//! ```
//!
//! which is exact for constant velocity, and with ż of `bristle`, which keeps the dashpot from feeding the motion in steps of any length.
//!
//! With w = σ_0 z/g the law dissipates |v|[g w² + σ_1|v|(1 − w sgn v)], which is not negative for |w| ≤ 1. A g that falls
//! faster than z follows, by s(v) or by N, leaves w > 1 for a while; then a large σ_1 gives energy back, in (1) as over a step.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bristle;
use super::curve::Curve;
use super::fault::{Fault, Faults};
use super::real::Real;
use super::rule::Rule;
use super::step::{Step, is_none};

/// Bristles that bend and slip (LuGre).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lugre {
    /// Bristle stiffness sigma_0 of the whole contact, > 0 [N/m]; per_normal_force: [1/m].
    pub stiffness: f64,
    /// Bristle damping sigma_1 of the whole contact, >= 0 [N s/m]; per_normal_force: [s/m].
    #[serde(default)]
    pub damping: f64,
    /// Viscous friction sigma_2 of the whole contact, >= 0 [N s/m]; per_normal_force: [s/m].
    #[serde(default)]
    pub viscous: f64,
    /// Stribeck velocity v_s, > 0 [m/s].
    pub stribeck_velocity: f64,
    /// Exponent of the Stribeck curve, at least 1 (default 2).
    #[serde(default = "super::two")]
    pub stribeck_exponent: f64,
    /// Whether stiffness, damping and viscous are per unit of normal force.
    #[serde(default)]
    pub per_normal_force: bool,
}

impl Rule for Lugre {
    const NAME: &'static str = "lugre";

    fn has_static_friction(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        let [stiffness, damping] = self.units();
        Faults::of(Self::NAME)
            .positive("stiffness", self.stiffness, stiffness)
            .not_negative("damping", self.damping, damping)
            .not_negative("viscous", self.viscous, damping)
            .positive("stribeck_velocity", self.stribeck_velocity, "m/s")
            .between("stribeck_exponent", self.stribeck_exponent, 1.0, 100.0)
            .list()
    }

    fn shared(self, share: f64) -> Self {
        let share = if self.per_normal_force { 1.0 } else { share };
        Self {
            stiffness: share * self.stiffness,
            damping: share * self.damping,
            viscous: share * self.viscous,
            ..self
        }
    }

    /// (1) or (2) by (3); the state is z.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let curve = Curve { velocity: self.stribeck_velocity, exponent: self.stribeck_exponent };
        let (mean, end) = match self.per_normal_force {
            true => (step.friction, step.friction),
            false => (step.mean_limit(), step.limit()),
        };
        after[0] = T::constant(0.0);
        if step.is_open() || is_none(mean) || is_none(end) {
            return after[0];
        }
        let full = |limit: T, velocity: T| {
            limit * curve.level(velocity, step.static_ratio) / self.stiffness
        };
        let (scale, moved) = (full(mean, step.mean_velocity()), step.moved());
        let way = moved.abs() / scale;
        after[0] = before[0] * (-way).exp() + moved * (-way).phi1();
        let z = after[0];
        let rate = |v: T, full: T| v - v.abs() * z / full;
        let end = full(end, step.velocity);
        let bend = bristle::rate(step, scale, |v| rate(v, end), |v| rate(v, scale));
        let force = after[0] * self.stiffness + bend * self.damping + step.velocity * self.viscous;
        if self.per_normal_force { step.pressure * force } else { force }
    }

    fn stored(&self, states: &[f64], step: &Step<f64>) -> f64 {
        let (deflection, pressure) = (states[0], step.pressure);
        let force = if self.per_normal_force { pressure } else { 1.0 };
        0.5 * force * self.stiffness * deflection * deflection
    }
}

impl Lugre {
    fn units(&self) -> [&'static str; 2] {
        if self.per_normal_force { ["1/m", "s/m"] } else { ["N/m", "N s/m"] }
    }
}
