//! Friction with a coefficient that slip softens and rest restores (Ozaki and Hashiguchi, 2010).
//!
//! ```text
//!     μ' = −κ (μ/μ_k − 1) v_p + ξ (1 − μ/μ_s) ,   F = k e ,   |F| ≤ μN                            (1)
//! ```
//!
//! with the plastic slip velocity v_p = |Δ_p|/h of an elastic slider. Implicit over a step,
//!
//! ```text
//!     μ⁺ = (A + κp)/(B + κp/μ_k) ,  A = μ + hξ ,  B = 1 + hξ/μ_s ,  p = |Δ_p| ,                     (2)
//!     |k(e + Δ)| − k p = μ⁺ N     where |k(e + Δ)| > N A/B, otherwise p = 0 ,                       (3)
//! ```
//!
//! a quadratic equation for p. Steady sliding: μ = (κv + ξ)/(κv/μ_k + ξ/μ_s). μ_k is the kinetic coefficient
//! of the contact.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::{Real, sign};
use super::rule::Rule;
use super::step::{Step, is_none};

/// Elastic Coulomb friction whose coefficient falls with slip and recovers with time (Ozaki-Hashiguchi).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OzakiHashiguchi {
    /// Stiffness k of the whole contact, > 0 [N/m].
    pub stiffness: f64,
    /// Softening kappa per slip, >= 0 [1/m].
    pub softening: f64,
    /// Recovery xi per time, >= 0 [1/s].
    pub recovery: f64,
}

impl Rule for OzakiHashiguchi {
    const NAME: &'static str = "ozaki_hashiguchi";

    fn n_states(&self) -> usize {
        2
    }

    fn state_length(&self, i: usize) -> Option<f64> {
        Some(if i == 1 { self.coefficient_length() } else { 1.0 })
    }

    fn has_static_friction(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .positive("stiffness", self.stiffness, "N/m")
            .not_negative("softening", self.softening, "1/m")
            .not_negative("recovery", self.recovery, "1/s")
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self { stiffness: share * self.stiffness, ..self }
    }

    /// (2) and (3); the states are e and μ/μ_s − 1.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let kinetic = step.friction;
        if is_none(kinetic) {
            after.fill(T::constant(0.0));
            return after[0];
        }
        let highest = kinetic * step.static_ratio;
        let (k, soft) = (self.stiffness, self.softening);
        let rest = step.duration * self.recovery;
        let (a, b) = ((before[1] + 1.0) * highest + rest, rest / highest + 1.0);
        let trial = if step.is_open() { T::constant(0.0) } else { before[0] + step.moved() };
        let size = trial.abs();
        let excess = size * k * b - step.pressure * a;
        let slip = if excess.value() > 0.0 {
            // c₂p² + c₁p − excess = 0, c₂ ≥ 0.
            let (c2, per) = (k * soft, kinetic.max(T::constant(f64::MIN_POSITIVE)));
            let c1 = b * k + step.pressure * soft - size * (k * soft) / per;
            let root = (c1 * c1 + excess * (4.0 * c2) / per).sqrt();
            // The form without cancellation.
            if c1.value() >= 0.0 {
                excess * 2.0 / (c1 + root)
            } else {
                (root - c1) * per / (2.0 * c2)
            }
        } else {
            T::constant(0.0)
        };
        after[0] = (size - slip) * sign(trial.value());
        after[1] = (a + slip * soft) / (b + slip * soft / kinetic) / highest - 1.0;
        after[0] * k
    }

    fn stored(&self, states: &[f64], _: &Step<f64>) -> f64 {
        let deflection = states[0];
        0.5 * self.stiffness * deflection * deflection
    }
}

impl OzakiHashiguchi {
    /// Slip \[m\] that counts as much as a change of μ/μ_s by 1: that in which it softens, or without softening any.
    pub(super) fn coefficient_length(&self) -> f64 {
        if self.softening > 0.0 { 1.0 / self.softening } else { 1.0 }
    }
}
