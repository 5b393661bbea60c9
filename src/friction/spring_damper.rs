//! Spring-damper friction (SDFM; Antunes et al., 1990; Hassan and Rogers, 2005).
//!
//! ```text
//!     stick :  F = K w + C v ,  w = x − x_0 ,  until |F| > μN                                    (1)
//!     slip  :  F = d μN ,  until the velocity turns: then x_0 is the place where it turned       (2)
//! ```
//!
//! K and C are chosen for numerical stability, not measured. The force begins anew at every onset of stick, so a
//! loop of amplitude X encloses 4μN(X − μN/(4K)) without C. The end of slip is seen at the end of the step
//! in which it happens.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::{Real, sign};
use super::step::Step;

/// Coulomb friction; in stick a spring and a dashpot that begin where the velocity turned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringDamper {
    /// K of the whole contact, > 0 [N/m].
    pub stiffness: f64,
    /// C of the whole contact, >= 0 [N s/m].
    #[serde(default)]
    pub damping: f64,
}

impl SpringDamper {
    pub(super) fn faults(&self) -> Vec<Fault> {
        Faults::of("spring_damper")
            .positive("stiffness", self.stiffness, "N/m")
            .not_negative("damping", self.damping, "N s/m")
            .list()
    }

    pub(super) fn shared(self, share: f64) -> Self {
        Self { stiffness: share * self.stiffness, damping: share * self.damping }
    }

    /// (1) and (2); the states are w and d, 0 in stick.
    pub(super) fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let zero = T::constant(0.0);
        (after[0], after[1]) = (zero, zero);
        if step.is_open() {
            return zero;
        }
        let direction = before[1].value().round();
        if direction != 0.0 {
            if step.velocity.value() * direction >= 0.0 {
                after[1] = T::constant(direction);
            }
            return step.limit() * direction;
        }
        let deflection = before[0] + step.moved();
        let force = deflection * self.stiffness + step.velocity * self.damping;
        if force.value().abs() <= step.limit().value() {
            after[0] = deflection;
            return force;
        }
        after[1] = T::constant(sign(force.value()));
        force.clamped(step.limit())
    }

    pub(super) fn stored(&self, deflection: f64) -> f64 {
        0.5 * self.stiffness * deflection * deflection
    }
}
