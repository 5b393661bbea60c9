//! Rest under the constant loads with joints that have springs.
//!
//! ```text
//!     K x + Bᵀλ(B x) = f_0 ,   λ from unloaded springs at u_r = 0, without velocity                 (1)
//! ```
//!
//! by Newton from the bonded state. Where (1) has no regular answer, such as that of a mass which only friction
//! could hold, the bonded state stays; so it does with exact normal contact.

use faer::Mat;
use faer::prelude::Solve;

use super::dense::{Rows, columns};
use super::friction;
use super::springs::{self, At, Before, Room};
use super::start::Start;
use super::system::System;
use crate::friction::Partials;

const MAX_ITERATIONS: usize = 50;
/// How deep Newton begins in contacts that press: where they just touch they have no stiffness \[m\].
const FIRST_DEPTH: f64 = 1e-6;
/// Last step over the size of x.
const TOL_REST: f64 = 1e-12;

/// The state that solves (1), from the bonded one.
pub(super) fn settle(system: &System, bonded: Start) -> Start {
    if system.presses_exactly() || system.constant_load().iter().all(|f| *f == 0.0) {
        return bonded;
    }
    newton(system, &bonded).unwrap_or(bonded)
}

/// Puts contacts without preload that the loads press to where they have stiffness.
fn close(system: &System, load: &[f64], stiffness: &Rows, position: &mut [f64]) {
    let mut carried = load.to_vec();
    stiffness.add_product(position, -1.0, &mut carried);
    for joint in system.joints.iter().filter(|joint| joint.preload == 0.0) {
        let row = joint.rows.normal.map(|row| system.n_modes() + row);
        if let Some(row) = row.filter(|row| carried[*row] < 0.0) {
            position[row] = -joint.gap - FIRST_DEPTH;
        }
    }
}

/// λ of the normal directions only.
fn pressing(system: &System, force: &[f64]) -> Vec<f64> {
    let mut past = vec![0.0; force.len()];
    for row in system.joints.iter().filter_map(|joint| joint.rows.normal) {
        past[row] = force[row];
    }
    past
}

fn newton(system: &System, bonded: &Start) -> Option<Start> {
    let (n, m) = (system.n_relative(), system.n_modes());
    let stiffness = Rows::new(system.matrices.stiffness.as_ref());
    let (load, still) = (system.constant_load(), vec![0.0; n]);
    let states = vec![0.0; friction::n_states_of(&system.joints)];
    let mut start = Start { memory: states.clone(), ..bonded.clone() };
    close(system, &load, &stiffness, &mut start.position);
    let mut slope = vec![0.0; n * n];
    for _ in 0..MAX_ITERATIONS {
        let u = &start.position[m..];
        let at = At {
            u,
            velocity: &still,
            per_displacement: 0.0,
            duration: 1.0,
            hold: &still,
            reaction: &[],
        };
        // The pressure has always been there; friction begins unloaded.
        let past = pressing(system, &start.force);
        let before = Before { u: &still, force: &past, memory: &states };
        let room = Room { memory: &mut start.memory, partials: &mut Partials::default() };
        springs::evaluate(&system.joints, at, before, &mut start.force, &mut slope, room);
        let mut residual = load.clone();
        stiffness.add_product(&start.position, -1.0, &mut residual);
        residual[m..].iter_mut().zip(&start.force).for_each(|(r, force)| *r -= force);
        let size = residual.len();
        let matrix = Mat::from_fn(size, size, |i, j| {
            let own = system.matrices.stiffness[(i, j)];
            if i < m || j < m { own } else { own + slope[(i - m) * n + j - m] }
        });
        let step = matrix.partial_piv_lu().solve(columns(&[residual], size, 1.0));
        let step: Vec<f64> = step.col(0).iter().copied().collect();
        if step.iter().any(|x| !x.is_finite()) {
            return None;
        }
        start.position.iter_mut().zip(&step).for_each(|(x, d)| *x += d);
        let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if largest(&step) <= TOL_REST * largest(&start.position) {
            return Some(start);
        }
    }
    None
}
