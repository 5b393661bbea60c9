//! Force-balance friction (FBFM): stick where the velocity turns and the force can be held.
//!
//! ```text
//! Sliding in the direction d, with H the force that ends the step at rest:
//!
//!     d (H − d L) > 0 :  F = d L ,  L = μN s(v⁻)                 goes on sliding                 (1)
//!     otherwise |H| ≤ μ_sN :  F = H                              sticks                          (2)
//!     otherwise :  F = sgn(H) L                                  breaks away                     (3)
//! ```
//!
//! A contact at rest begins with (2). It is left when |H| exceeds μ_sN; a published inequality is reversed
//! there. These are the criteria of Tariku and Rogers (2001): a change of sign of the velocity, and a force within the limit, in
//! place of Karnopp's window. H is known to time integration only. As (1) asks
//! for the direction at the end of the step, friction never pushes a contact that has turned, however long the step.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::karnopp::sliding_level;
use super::real::{Real, sign};
use super::rule::Rule;
use super::step::Step;

/// Velocities below this are rest, over the velocity of a step from rest under the limit: rounding.
const REST: f64 = 1e-12;

/// Coulomb friction that balances the other forces while the contact is at rest; in time only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceBalance {
    /// Velocity at which friction falls from static to kinetic, > 0 [m/s]; left out: at once.
    #[serde(default)]
    pub stribeck_velocity: Option<f64>,
}

impl Rule for ForceBalance {
    const NAME: &'static str = "force_balance";
    const IS_TIME_ONLY: bool = true;

    fn n_states(&self) -> usize {
        2
    }

    fn state_length(&self, _: usize) -> Option<f64> {
        None
    }

    fn has_static_friction(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        let velocity = self.stribeck_velocity.unwrap_or(1.0);
        Faults::of(Self::NAME).positive("stribeck_velocity", velocity, "m/s").list()
    }

    /// (1) to (3); the states are the velocity and whether the contact slides, with its direction.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let direction = before[1].value().round();
        after[0] = step.velocity;
        let sliding = |direction: f64| {
            let velocity = before[0].value();
            step.limit() * (sliding_level(self.stribeck_velocity, velocity, step) * direction)
        };
        if direction != 0.0 {
            let force = sliding(direction);
            if direction * (step.hold - force.value()) > REST * force.value().abs() {
                after[1] = T::constant(direction);
                return force;
            }
        }
        if step.hold.abs() <= step.limit().value() * step.static_ratio {
            after[1] = T::constant(0.0);
            return T::constant(step.hold);
        }
        after[1] = T::constant(sign(step.hold));
        sliding(sign(step.hold))
    }
}
