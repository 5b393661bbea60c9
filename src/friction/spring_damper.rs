//! Spring-damper friction (SDFM; Antunes et al., 1990; Hassan and Rogers, 2005).
//!
//! ```text
//!     stick :  F = K w + C v ,  w = x − x_0 ,  until |F| > μN                                    (1)
//!     slip  :  F = d μN ,  until the velocity turns: then x_0 is the place where it turned       (2)
//! ```
//!
//! K and C are chosen for numerical stability, not measured. The force begins anew at every onset of stick, so a
//! loop of amplitude X encloses 4μN(X − μN/(4K)) without C.
//!
//! The velocity is seen to have turned at the end of a step, after the share θ = v⁻/(v⁻ − v) of its time. The
//! next step has the same share of slip, so that a force that jumps in time depends continuously on the motion:
//!
//! ```text
//!     w = ½ (1 − θ) h v ,   and in the next step  F = θ d μN + (1 − θ)(K w + C v)                  (3)
//! ```
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::{Real, sign};
use super::rule::Rule;
use super::step::{Step, is_none};

/// Coulomb friction; in stick a spring and a dashpot that begin where the velocity turned. Their force drops there at
/// once, which throws a light contact forward faster than harmonic balance follows; it says so then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringDamper {
    /// K of the whole contact, > 0 [N/m].
    pub stiffness: f64,
    /// C of the whole contact, >= 0 [N s/m].
    #[serde(default)]
    pub damping: f64,
}

impl Rule for SpringDamper {
    const NAME: &'static str = "spring_damper";
    const DROPS: bool = true;

    fn n_states(&self) -> usize {
        3
    }

    fn state_length(&self, i: usize) -> Option<f64> {
        (i == 0).then_some(1.0)
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .positive("stiffness", self.stiffness, "N/m")
            .not_negative("damping", self.damping, "N s/m")
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self { stiffness: share * self.stiffness, damping: share * self.damping }
    }

    /// (1) to (3); the states are w, the velocity in slip or 0 in stick, and dθ in the step after slip.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        after.fill(T::constant(0.0));
        if step.is_open() || is_none(step.limit()) {
            return after[0];
        }
        let (past, v) = (before[1], step.velocity);
        let direction = sign(past.value());
        if direction != 0.0 {
            if v.value() * direction > 0.0 {
                after[1] = v;
            } else {
                let share = past / (past - v);
                after[0] = (-share + 1.0) * step.duration * v * 0.5;
                after[2] = share * direction;
            }
            return step.limit() * direction;
        }
        let stick = self.stick(before[0] + step.moved(), step, after);
        stick * (-before[2].abs() + 1.0) + step.limit() * before[2]
    }

    fn stored(&self, states: &[f64], _: &Step<f64>) -> f64 {
        let deflection = states[0];
        0.5 * self.stiffness * deflection * deflection
    }
}

impl SpringDamper {
    /// (1), or the beginning of slip.
    fn stick<T: Real>(&self, deflection: T, step: &Step<T>, after: &mut [T]) -> T {
        let v = step.velocity;
        let force = deflection * self.stiffness + v * self.damping;
        let side = sign(force.value());
        if force.value().abs() <= step.limit().value() {
            after[0] = deflection;
        } else if v.value() * side > 0.0 {
            after[1] = v;
        } else {
            after[0] = (step.limit() * side - v * self.damping) / self.stiffness;
        }
        force.clamped(step.limit())
    }
}
