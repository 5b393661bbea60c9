//! Friction laws of the library at one instant, with their slopes.
//!
//! ```text
//!     N = N(−u_N − g, −v_N, N₀) ,   λ_N = N₀ − N                                                 (1)
//!     (q, λ_T) = law(q⁻; u⁻, u, v, N⁻, N, μ, h)                                                  (2)
//! ```
//!
//! In a scheme the velocity at the end of a step is an affine function of the displacement there, so that
//! dλ/du = ∂λ/∂u + ∂λ/∂v dv/du. The states q are kept from step to step.

use super::springs::{self, At, Before, Room};
use crate::contact::{Friction, Joint, Law};
use crate::friction::{Dual, Partials, Step};

const MAX_PERIODS: usize = 20;
const TOL_PERIODIC: f64 = 1e-9;

/// Number of states of a joint.
pub(super) fn n_states(joint: &Joint) -> usize {
    match joint.law {
        Law::Friction(law) => joint.rows.tangents.len() * law.tangential.n_states(),
        _ => 0,
    }
}

/// Number of states of all joints.
pub fn n_states_of(joints: &[Joint]) -> usize {
    joints.iter().map(n_states).sum()
}

/// States that are lengths: their number among all states, the row of u_r that they belong to, and the length
/// of a unit.
pub fn lengths(joints: &[Joint]) -> Vec<(usize, usize, f64)> {
    let mut list = Vec::new();
    let mut number = 0;
    for joint in joints {
        let Law::Friction(law) = joint.law else { continue };
        for row in &joint.rows.tangents {
            for i in 0..law.tangential.n_states() {
                list.extend(law.tangential.state_length(i).map(|length| (number, *row, length)));
                number += 1;
            }
        }
    }
    list
}

/// A step that was too long for a law with an explicit force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TooLong {
    /// Its name.
    pub law: &'static str,
    /// Share of the step that would have done.
    pub share: f64,
}

/// The law of which a step, from some states to some velocities of u_r, has been the most too long.
pub(super) fn too_long(joints: &[Joint], memory: &[f64], velocity: &[f64]) -> Option<TooLong> {
    let mut worst: Option<TooLong> = None;
    let mut first = 0;
    for joint in joints {
        let Law::Friction(law) = joint.law else { continue };
        for &row in &joint.rows.tangents {
            let own = &memory[first..first + law.tangential.n_states()];
            first += own.len();
            let share = law.tangential.allowed_share(own, velocity[row]);
            let found = share.map(|share| TooLong { law: law.tangential.name(), share });
            worst = match (worst, found) {
                (Some(a), Some(b)) => Some(if b.share < a.share { b } else { a }),
                (a, b) => a.or(b),
            };
        }
    }
    worst
}

/// Whether a law looks at velocities.
pub(super) fn has_rates(joints: &[Joint]) -> bool {
    joints.iter().any(|joint| matches!(joint.law, Law::Friction(_)))
}

/// Whether a law asks for the force that holds the contact.
pub(super) fn needs_hold(joints: &[Joint]) -> bool {
    let asks = |joint: &Joint| match joint.law {
        Law::Friction(law) => law.tangential.is_time_only(),
        _ => false,
    };
    joints.iter().any(asks)
}

/// A periodic motion at equidistant instants, row by row.
#[derive(Debug, Clone)]
pub struct Periodic {
    /// u_r.
    pub motion: Vec<Vec<f64>>,
    /// Its velocity.
    pub velocity: Vec<Vec<f64>>,
    /// N in the rows of exact normal directions; zero elsewhere.
    pub reaction: Vec<Vec<f64>>,
    /// Time between two instants \[s\].
    pub step: f64,
}

/// States at the end of a periodic motion.
///
/// The laws begin at rest and run until a period ends as it began, or long enough.
pub fn settled(joints: &[Joint], periodic: &Periodic) -> Vec<f64> {
    let Periodic { motion, velocity, reaction, step } = periodic;
    let (n, count) = (motion.len(), motion.first().map_or(0, Vec::len));
    let mut memory = vec![0.0; n_states_of(joints)];
    let mut partials = Partials::default();
    let (mut u, mut past) = (vec![0.0; n], vec![0.0; n]);
    let (mut force, mut slope) = (vec![0.0; n], vec![0.0; n * n]);
    for _ in 0..MAX_PERIODS {
        let begin = memory.clone();
        for j in 0..count {
            let next: Vec<f64> = motion.iter().map(|row| row[j]).collect();
            let rates: Vec<f64> = velocity.iter().map(|row| row[j]).collect();
            let pressed: Vec<f64> = reaction.iter().map(|row| row[j]).collect();
            let at = At {
                u: &next,
                velocity: &rates,
                per_displacement: 0.0,
                duration: *step,
                hold: &[],
                reaction: &pressed,
            };
            let states = memory.clone();
            let before = Before { u: &u, force: &past, memory: &states };
            let room = Room { memory: &mut memory, partials: &mut partials };
            springs::evaluate(joints, at, before, &mut force, &mut slope, room);
            (u, past) = (next, force.clone());
        }
        let sizes = begin.iter().zip(&memory).map(|(a, b)| (b - a).abs() / b.abs().max(1e-300));
        if sizes.fold(0.0, f64::max) <= TOL_PERIODIC {
            break;
        }
    }
    memory
}

/// States of a joint before and after a step, and room for derivatives.
pub(super) struct States<'a> {
    pub before: &'a [f64],
    pub after: &'a mut [f64],
    pub partials: &'a mut Partials,
}

/// (1) and (2) of a joint.
pub(super) fn evaluate(
    joint: &Joint,
    law: &Friction,
    at: At,
    before: Before,
    states: States,
    force: &mut [f64],
    slope: &mut [f64],
) {
    let n = at.u.len();
    let (pressure, pressure_slope) = press(joint, law, at);
    let normal = joint.rows.normal;
    let pressure_before = joint.preload - normal.map_or(0.0, |row| before.force[row]);
    if let Some(row) = normal {
        force[row] = joint.preload - pressure;
        slope[row * n + row] = -pressure_slope;
    }
    let own = law.tangential.n_states();
    let States { before: past, after, partials } = states;
    for (t, &row) in joint.rows.tangents.iter().enumerate() {
        let step = Step {
            duration: at.duration,
            slip_before: before.u[row],
            slip: at.u[row],
            velocity: at.velocity.get(row).copied().unwrap_or(0.0),
            pressure_before,
            pressure,
            friction: joint.friction,
            static_ratio: law.static_ratio,
            hold: at.hold.get(row).copied().unwrap_or(0.0),
        };
        let range = t * own..(t + 1) * own;
        let (past, after) = (&past[range.clone()], &mut after[range]);
        let (value, [by_slip, by_velocity, by_pressure]) =
            partials.slopes(&law.tangential, past, &step, after);
        force[row] = value;
        slope[row * n + row] = by_slip + at.per_displacement * by_velocity;
        if let Some(column) = normal {
            slope[row * n + column] = by_pressure * pressure_slope;
        }
    }
}

/// N of (1) and dN/du_N, or the reaction.
fn press(joint: &Joint, law: &Friction, at: At) -> (f64, f64) {
    let Some(row) = joint.rows.normal else { return (joint.preload, 0.0) };
    let velocity = at.velocity.get(row).copied().unwrap_or(0.0);
    let approach = -Dual::<1>::input(at.u[row] + joint.gap, 0);
    let rate = Dual::<1> { value: -velocity, slopes: [-at.per_displacement] };
    let preload = Dual::<1> { value: joint.preload, slopes: [0.0] };
    match law.normal.force(approach, rate, preload) {
        Some(Dual { value, slopes }) => (value, slopes[0]),
        None => (at.reaction.get(row).copied().unwrap_or(0.0), 0.0),
    }
}
