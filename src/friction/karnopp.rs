//! Karnopp's law: stick inside a window of velocities.
//!
//! ```text
//!     |v⁻| > Δv :  F = μN s(v⁻) sgn v⁻ ,      |v⁻| ≤ Δv :  F = sgn(H) min(|H|, μ_sN)               (1)
//! ```
//!
//! v⁻ is the velocity at the beginning of the step and H the force that ends it at rest, which only time
//! integration knows: the law has no force–history form and cannot be used in harmonic balance. A published
//! table prints max for min, with which a contact at rest would be pushed by its own friction.
//!
//! The sliding force is explicit. A step must not be so long that the velocity leaps over the window, from v⁻ > nΔv to v < −nΔv or back,
//! with n = 4: stick would not be seen and friction push on in the old direction. A smaller leap, at a reversal without stick, costs no
//! more than where in the step it happened. With the change v − v⁻ in a step h,
//!
//! ```text
//!     h' = h · 2nΔv/|v − v⁻|                                                                     (2)
//! ```
//!
//! is the longest step that cannot leap.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::fault::{Fault, Faults};
use super::real::{Real, sign};
use super::rule::Rule;
use super::step::Step;

/// n of (2): half widths of the window.
const LEAP: f64 = 4.0;

/// Coulomb friction that holds the contact at rest inside a window of velocities; in time only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Karnopp {
    /// Half width of the window, > 0 [m/s].
    pub velocity: f64,
    /// Velocity at which friction falls from static to kinetic, > 0 [m/s]; left out: at once.
    #[serde(default)]
    pub stribeck_velocity: Option<f64>,
}

impl Rule for Karnopp {
    const NAME: &'static str = "karnopp";
    const IS_TIME_ONLY: bool = true;

    fn state_length(&self, _: usize) -> Option<f64> {
        None
    }

    fn has_static_friction(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .positive("velocity", self.velocity, "m/s")
            .positive("stribeck_velocity", self.stribeck_velocity.unwrap_or(1.0), "m/s")
            .list()
    }

    /// h'/h of (2) where a step from a velocity to another has leapt over the window.
    fn allowed_share(&self, states: &[f64], velocity: f64) -> Option<f64> {
        let before = states[0];
        let reach = LEAP * self.velocity;
        let has_leapt = before * velocity < 0.0 && before.abs().min(velocity.abs()) > reach;
        has_leapt.then(|| 2.0 * reach / (velocity - before).abs())
    }

    /// (1); the state is the velocity.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        after[0] = step.velocity;
        let velocity = before[0].value();
        if velocity.abs() <= self.velocity {
            return T::constant(step.hold).clamped(step.limit() * step.static_ratio);
        }
        step.limit() * (sliding_level(self.stribeck_velocity, velocity, step) * sign(velocity))
    }
}

/// s(v), 1 without a Stribeck velocity.
pub(super) fn sliding_level<T>(stribeck: Option<f64>, velocity: f64, step: &Step<T>) -> f64 {
    let level = |vs: f64| Curve { velocity: vs, exponent: 2.0 }.level(velocity, step.static_ratio);
    stribeck.map_or(1.0, level)
}
