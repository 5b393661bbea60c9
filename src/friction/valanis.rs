//! The law of Valanis (1971) for contact forces (Gaul and Lenz, 1997).
//!
//! ```text
//!     dS/dx = e_0 (1 − d y)/(1 − κ d y) ,   y = λ (S − e_t x)/e_0 ,   λ = e_0/[α_0 (1 − κ e_t/e_0)]   (1)
//! ```
//!
//! with d = sgn v. e_0 is the slope at the origin, e_t that of full slip, α_0 the force at which the two lines
//! meet, κ how sharply one becomes the other: 0 is Dahl's law, 1 the Jenkins element. A published list of symbols
//! calls e_0 the slope of micro-slip; its own tables say stick. After a reversal in full slip the slope is
//! 2e_0/(1 + κ), not e_0; a loop of amplitude X in full slip encloses 4α_0(1 − e_t/e_0)(X − α_0/e_0) for
//! every κ.
//!
//! The state is q = (S − e_t x)/e_0, dq/dx = (1 − d y)/(1 − κ d y) − e_t/e_0, with y = λq between ∓y_s,
//! y_s = (e_0 − e_t)/(e_0 − κ e_t) < 1/κ. In stick q grows by 1 − e_t/e_0 of the slip, so that the springs hold
//!
//! ```text
//!     ½ e_0 q²/(1 − e_t/e_0) + ½ e_t x²                                                          (2)
//! ```
//!
//! and what is dissipated, e_0 |v| λq²(1 − κ)/[(1 − κ d y)(1 − e_t/e_0)], is not negative.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::path::Path;
use super::real::Real;
use super::rule::{Rule, SLIDING};
use super::step::{Step, is_none};

/// Hysteresis from stick to a line of full slip (Valanis).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Valanis {
    /// Stiffness e_0 of the whole contact in stick, > 0 [N/m].
    pub stiffness: f64,
    /// Stiffness e_t of the whole contact in full slip, at least 0 and less than stiffness [N/m].
    #[serde(default)]
    pub slip_stiffness: f64,
    /// Sharpness kappa of the transition, at least 0 and less than 1 [-].
    pub transition: f64,
    /// Force alpha_0 of the whole contact at which slip sets in, > 0 [N]; left out: friction x normal force.
    #[serde(default)]
    pub yield_force: Option<f64>,
}

impl Rule for Valanis {
    const NAME: &'static str = "valanis";

    fn has_limit(&self) -> bool {
        self.yield_force.is_none()
    }

    fn is_sliding(&self, force: f64, step: &Step<f64>) -> bool {
        force.abs() >= SLIDING * self.yield_force.unwrap_or(step.limit())
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .positive("stiffness", self.stiffness, "N/m")
            .below(
                "slip_stiffness",
                self.slip_stiffness,
                0.0,
                self.stiffness.max(f64::MIN_POSITIVE),
            )
            .below("transition", self.transition, 0.0, 1.0)
            .positive("yield_force", self.yield_force.unwrap_or(1.0), "N")
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self {
            stiffness: share * self.stiffness,
            slip_stiffness: share * self.slip_stiffness,
            yield_force: self.yield_force.map(|force| share * force),
            ..self
        }
    }

    /// (1); the state is q.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let limit = self.yield_force.map_or(step.limit(), T::constant);
        after[0] = T::constant(0.0);
        if step.is_open() || is_none(limit) {
            return after[0];
        }
        let (kappa, slope) = (self.transition, self.slip_stiffness / self.stiffness);
        let settled = (1.0 - slope) / (1.0 - kappa * slope);
        let scale = limit * ((1.0 - kappa * slope) / self.stiffness);
        let rate = |w: T| {
            let y = w / scale;
            let below = -y * kappa + 1.0;
            ((-y + 1.0) / below - slope, (below * below * scale).powf(-1.0) * (kappa - 1.0))
        };
        let moved = step.moved();
        let direction = step.direction();
        let path = Path { length: moved.abs(), scale };
        let (start, bound) = (before[0] * direction, scale * settled);
        after[0] = path.follow(start.max(-bound), Some(bound), rate) * direction;
        after[0] * self.stiffness + step.slip * self.slip_stiffness
    }

    /// (2)
    fn stored(&self, states: &[f64], step: &Step<f64>) -> f64 {
        let (deflection, slip) = (states[0], step.slip);
        let stiffness = self.stiffness * self.stiffness / (self.stiffness - self.slip_stiffness);
        0.5 * (stiffness * deflection * deflection + self.slip_stiffness * slip * slip)
    }
}
