//! Friction laws of the library in steps of impulses, under exact normal contact.
//!
//! ```text
//! The impulse of a tangential direction is that of the mean force of the step,
//!
//!     P = h[(1−θ) F⁻ + θ F] ,   (q, F) = law(q⁻; u⁻, u, v, N⁻, N, μ, h) ,                     (1)
//!     u = u⁻ + h[(1−θ) v⁻ + θ v] ,   N = p/h ,                                               (2)
//!
//! and beside the impulses of all others v = v_0 − w (P − P_0), w = W_TT. Newton finds the v with
//!
//!     ψ(v) = v − v_0 + w (P(v) − P_0) = 0 ,   ψ' = 1 + w h θ (hθ ∂F/∂u + ∂F/∂v) .             (3)
//! ```
//!
//! Laws that hold by the force take P = hF: the mean of a force that jumps would ring.

use super::friction;
use super::newmark::INSTANT;
use super::scheme::State;
use crate::contact::{Friction, Joint, Law};
use crate::friction::{Partials, Step};

const MAX_ITERATIONS: usize = 40;
/// ψ over the size of its terms.
const TOL_NEWTON: f64 = 1e-14;
const MIN_STEP: f64 = 1e-3;

/// The law of a pair.
#[derive(Debug, Clone)]
pub(super) struct Rubbing {
    law: Friction,
    friction: f64,
    preload: f64,
    normal: Option<usize>,
    tangents: Vec<usize>,
    /// Where its states begin.
    first: usize,
    h: f64,
    /// θ of (1) and of (2).
    later: f64,
    theta: f64,
}

/// A direction of a pair beside the others: v_0, P_0 and w.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    pub velocity: f64,
    pub impulse: f64,
    pub compliance: f64,
}

/// A step of all laws: what it begins with, and what it ends with.
#[derive(Debug, Clone, Default)]
pub(super) struct Rub {
    u: Vec<f64>,
    v: Vec<f64>,
    past: Vec<f64>,
    memory: Vec<f64>,
    /// F and q at the end.
    force: Vec<f64>,
    states: Vec<f64>,
    partials: Partials,
}

/// F with its slopes by u, v and N.
type Force = (f64, [f64; 3]);

impl Rub {
    /// Takes what a step begins with.
    pub fn begin(&mut self, state: &State, n_modes: usize) {
        self.u.clear();
        self.u.extend_from_slice(&state.position[n_modes..]);
        self.v.clear();
        self.v.extend_from_slice(&state.velocity[n_modes..]);
        self.past.clone_from(&state.force);
        self.memory.clone_from(&state.memory);
        self.force.clone_from(&state.force);
        self.states.clone_from(&state.memory);
    }
}

/// The laws of all joints, none for those of Coulomb.
pub(super) fn laws(joints: &[Joint], h: f64, theta: f64) -> Vec<Option<Rubbing>> {
    let mut first = 0;
    let mut of = |joint: &Joint| {
        let Law::Friction(law) = joint.law else { return None };
        let own = first;
        first += friction::n_states(joint);
        Some(Rubbing {
            law,
            friction: joint.friction,
            preload: joint.preload,
            normal: joint.rows.normal,
            tangents: joint.rows.tangents.clone(),
            first: own,
            h,
            later: if law.tangential.is_time_only() { 1.0 } else { theta },
            theta,
        })
    };
    joints.iter().map(&mut of).collect()
}

impl Rubbing {
    fn pressure_before(&self, rub: &Rub) -> f64 {
        self.preload - self.normal.map_or(0.0, |row| rub.past[row])
    }

    /// F of a step of tangential direction t, its states into `rub`.
    fn force(&self, t: usize, step: &Step<f64>, rub: &mut Rub) -> Force {
        let n = self.law.tangential.n_states();
        let own = self.first + t * n..self.first + (t + 1) * n;
        let Rub { memory, states, partials, .. } = rub;
        partials.slopes(&self.law.tangential, &memory[own.clone()], step, &mut states[own])
    }

    /// The step of direction t that ends with a velocity, under a pressure.
    fn step(&self, t: usize, velocity: f64, pressure: f64, hold: f64, rub: &Rub) -> Step<f64> {
        let row = self.tangents[t];
        let moved = self.h * ((1.0 - self.theta) * rub.v[row] + self.theta * velocity);
        Step {
            duration: self.h,
            slip_before: rub.u[row],
            slip: rub.u[row] + moved,
            velocity,
            pressure_before: self.pressure_before(rub),
            pressure,
            friction: self.friction,
            static_ratio: self.law.static_ratio,
            hold,
        }
    }

    /// The impulse of direction t that solves (3), under the impulse p of the pressure.
    pub fn impulse(&self, t: usize, pressure: f64, at: Beside, rub: &mut Rub) -> f64 {
        let row = self.tangents[t];
        let Beside { velocity: free, impulse: before, compliance: w } = at;
        let earlier = self.h * (1.0 - self.later) * rub.past[row];
        let hold = (before + free / w - earlier) / (self.h * self.later);
        let residual = |v: f64, rub: &mut Rub| {
            let step = self.step(t, v, pressure / self.h, hold, rub);
            let (force, [by_slip, by_velocity, _]) = self.force(t, &step, rub);
            rub.force[row] = force;
            let impulse = earlier + self.h * self.later * force;
            let slope = self.h * self.theta * by_slip + by_velocity;
            let (change, slope) = (w * (impulse - before), w * self.h * self.later * slope);
            (v - free + change, 1.0 + slope, impulse)
        };
        let mut v = free;
        let (mut size, mut slope, mut impulse) = residual(v, rub);
        let scale = free.abs().max(rub.v[row].abs()).max(w * before.abs());
        for i in 0..MAX_ITERATIONS {
            if size.abs() <= TOL_NEWTON * scale {
                // Nothing to do: what rounding leaves would never settle.
                return if i == 0 { before } else { impulse };
            }
            let direction = -size / slope;
            let mut length = 1.0;
            let found = loop {
                let next = residual(v + length * direction, rub);
                if next.0.abs() < size.abs() || length < MIN_STEP {
                    break next;
                }
                length *= 0.5;
            };
            v += length * direction;
            (size, slope, impulse) = found;
        }
        impulse
    }

    /// Forces of a state that was not stepped to: those of the law after the way of an instant.
    pub fn settle(&self, rub: &mut Rub) {
        if self.law.tangential.is_time_only() {
            return;
        }
        let pressure = self.pressure_before(rub);
        for (t, &row) in self.tangents.iter().enumerate() {
            let duration = INSTANT * self.h;
            let step = Step {
                duration,
                slip_before: rub.u[row] - duration * rub.v[row],
                slip: rub.u[row],
                ..self.step(t, rub.v[row], pressure, 0.0, rub)
            };
            rub.force[row] = self.force(t, &step, rub).0;
        }
    }

    /// Puts what a step ended with into the state.
    pub fn end(&self, rub: &Rub, state: &mut State) {
        for &row in &self.tangents {
            state.force[row] = rub.force[row];
        }
        let own = self.first..self.first + self.tangents.len() * self.law.tangential.n_states();
        state.memory[own.clone()].copy_from_slice(&rub.states[own]);
    }
}
