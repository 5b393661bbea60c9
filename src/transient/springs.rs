//! Forces of all joints at one instant, with their slopes: springs by the laws of [`crate::contact::springs`], the
//! library of friction by [`super::friction`].

use faer::Mat;

use super::friction;
use super::scheme::State;
use crate::contact::springs::{self, Slider};
use crate::contact::{Joint, Law};
use crate::friction::Partials;

const MAX_PERIODS: usize = 20;
const TOL_PERIODIC: f64 = 1e-12;

/// ∂λ/∂u at every instant of a periodic motion u_r, given row by row.
///
/// Sliders begin unloaded at u = 0, as in harmonic balance, and run until a period ends as it began.
pub fn tangents(joints: &[Joint], motion: &[Vec<f64>]) -> Vec<Mat<f64>> {
    let (n, count) = (motion.len(), motion.first().map_or(0, Vec::len));
    let (mut u, mut past) = (vec![0.0; n], vec![0.0; n]);
    let (mut force, mut slope) = (vec![0.0; n], vec![0.0; n * n]);
    let mut tangents = Vec::new();
    let mut partials = Partials::default();
    for _ in 0..MAX_PERIODS {
        tangents.clear();
        let begin = past.clone();
        for j in 0..count {
            let next: Vec<f64> = motion.iter().map(|row| row[j]).collect();
            let at = At::resting(&next);
            let before = Before { u: &u, force: &past, memory: &[] };
            let room = Room { memory: &mut [], partials: &mut partials };
            evaluate(joints, at, before, &mut force, &mut slope, room);
            tangents.push(Mat::from_fn(n, n, |i, k| slope[i * n + k]));
            (u, past) = (next, force.clone());
        }
        let change = begin.iter().zip(&past).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        if change <= TOL_PERIODIC * past.iter().fold(0.0, |m: f64, f| m.max(f.abs())) {
            break;
        }
    }
    tangents
}

/// Rows of u_r whose force depends on the past, with the softness 1/k_T of their sliders.
pub fn remembered(joints: &[Joint]) -> Vec<(usize, f64)> {
    let slider = |joint: &Joint| match joint.law {
        Law::Penalty { tangential, .. } if tangential > 0.0 => {
            joint.rows.tangents.iter().map(|row| (*row, 1.0 / tangential)).collect()
        }
        _ => vec![],
    };
    joints.iter().flat_map(slider).collect()
}

/// What stretches in a joint before it slips, in every tangential direction: its springs \[m\], or the first
/// states of its friction law, of which the joint's begin at `first`.
pub(super) fn stretch(joint: &Joint, first: usize, state: &State) -> [f64; 2] {
    let mut stretch = [0.0; 2];
    for (t, (stretch, &row)) in stretch.iter_mut().zip(&joint.rows.tangents).enumerate() {
        *stretch = match joint.law {
            Law::Penalty { tangential, .. } if tangential > 0.0 => state.force[row] / tangential,
            Law::Friction(law) if law.tangential.n_states() > 0 => {
                state.memory[first + t * law.tangential.n_states()]
            }
            _ => 0.0,
        };
    }
    stretch
}

/// The instant before: u, λ and the states of friction laws.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'a> {
    pub u: &'a [f64],
    pub force: &'a [f64],
    pub memory: &'a [f64],
}

/// The instant: u with its velocity, of which dv/du is part of the slopes.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    pub u: &'a [f64],
    /// v of every row; none where no law looks at it.
    pub velocity: &'a [f64],
    /// dv/du.
    pub per_displacement: f64,
    /// Time since the instant before \[s\].
    pub duration: f64,
    /// Force that would end the step at rest, row by row; none where no law asks for it.
    pub hold: &'a [f64],
    /// N where the normal law is exact, row by row; none where no joint has such a law.
    pub reaction: &'a [f64],
}

impl<'a> At<'a> {
    /// For laws that look at displacements only.
    pub fn resting(u: &'a [f64]) -> Self {
        Self { u, velocity: &[], per_displacement: 0.0, duration: 1.0, hold: &[], reaction: &[] }
    }
}

/// Where the states of friction laws go, and room for their derivatives.
pub(super) struct Room<'a> {
    pub memory: &'a mut [f64],
    pub partials: &'a mut Partials,
}

/// λ(u) and, by rows, ∂λ/∂u of all joints, and the states of friction laws.
pub(super) fn evaluate(
    joints: &[Joint],
    at: At,
    before: Before,
    force: &mut [f64],
    slope: &mut [f64],
    room: Room,
) {
    force.fill(0.0);
    slope.fill(0.0);
    let u = at.u;
    let mut first = 0;
    for joint in joints {
        match joint.law {
            Law::Exact => {}
            Law::Penalty { normal, tangential } => {
                let pressure = press(joint, u, normal, force, slope);
                slide(joint, u, before, (normal, tangential), pressure, force, slope);
            }
            Law::Cubic { linear, cubic } => {
                for row in joint.directions() {
                    (force[row], slope[row * u.len() + row]) =
                        springs::cubic(linear, cubic, u[row]);
                }
            }
            Law::Friction(law) => {
                let own = first..first + friction::n_states(joint);
                first = own.end;
                let states = friction::States {
                    before: &before.memory[own.clone()],
                    after: &mut room.memory[own],
                    partials: room.partials,
                };
                friction::evaluate(joint, &law, at, before, states, force, slope);
            }
        }
    }
}

/// Penalty along the normal; returns N.
fn press(joint: &Joint, u: &[f64], stiffness: f64, force: &mut [f64], slope: &mut [f64]) -> f64 {
    let normal = joint.rows.normal;
    let pressure = springs::pressure(joint, stiffness, normal.map(|row| u[row]));
    if let Some(row) = normal {
        force[row] = joint.preload - pressure;
        slope[row * u.len() + row] = if pressure > 0.0 { stiffness } else { 0.0 };
    }
    pressure
}

/// The slider along the face.
fn slide(
    joint: &Joint,
    u: &[f64],
    before: Before,
    (normal, tangential): (f64, f64),
    pressure: f64,
    force: &mut [f64],
    slope: &mut [f64],
) {
    let tangents = &joint.rows.tangents;
    if pressure <= 0.0 || tangents.is_empty() {
        return;
    }
    let mut trial = [0.0; 2];
    for (trial, &row) in trial.iter_mut().zip(tangents) {
        *trial = before.force[row] + tangential * (u[row] - before.u[row]);
    }
    let slider = Slider::new(joint, trial, pressure);
    for (t, &row) in tangents.iter().enumerate() {
        force[row] = slider.force[t];
        for (s, &column) in tangents.iter().enumerate() {
            slope[row * u.len() + column] = tangential * slider.by_trial(t, s);
        }
        if let Some(column) = joint.rows.normal {
            slope[row * u.len() + column] = -joint.friction * normal * slider.by_limit(t);
        }
    }
}
