//! What is kept of the last period: relative displacements, contact forces and probes.

use std::f64::consts::TAU;

use super::dense::dot;
use super::scheme::{Scheme, Work};
use super::start::Start;
use super::system::{Drive, Signal, System};
use super::{Orbit, TransientError};
use crate::linalg::Complex;

/// A periodic motion: n instants t_j = jT/n, j = 1 … n.
#[derive(Debug, Clone)]
pub struct SteadyState {
    /// What excites it.
    pub drive: Drive,
    /// u_r, row by row \[m\].
    pub relative: Vec<Vec<f64>>,
    /// Velocity of u_r, row by row \[m/s\].
    pub relative_velocity: Vec<Vec<f64>>,
    /// λ, row by row; of exact joints the mean over the step that ends at the instant \[N\].
    pub forces: Vec<Vec<f64>>,
    /// Probes, in the order of the system.
    pub probes: Vec<Vec<f64>>,
    /// Periods integrated to find it.
    pub periods: usize,
    /// Change of the state over a period, relative to its size.
    pub change: f64,
    /// Whether the change fell below the tolerance.
    pub has_converged: bool,
    /// Floquet multipliers, the largest first; from shooting only.
    pub multipliers: Vec<Complex>,
    /// Where the period begins.
    pub start: Start,
}

impl SteadyState {
    /// max |u_r| of a row over the period \[m\].
    pub fn max_relative(&self, row: usize) -> f64 {
        largest(&self.relative[row])
    }

    /// max |value| of a probe over the period.
    pub fn max_probe(&self, probe: usize) -> f64 {
        largest(&self.probes[probe])
    }
}

/// Largest absolute value.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, value| m.max(value.abs()))
}

/// Complex amplitudes U_k of harmonics 0 … `highest`: value = Re Σ U_k e^{ikωt}.
pub fn harmonics(values: &[f64], highest: usize) -> Vec<Complex> {
    let n = values.len();
    let amplitude = |k: usize| {
        let weight = if k == 0 { 1.0 } else { 2.0 } / n as f64;
        let turn =
            |j: usize| Complex::from_polar(weight, -TAU * ((k * (j + 1)) % n) as f64 / n as f64);
        values.iter().enumerate().map(|(j, value)| turn(j) * *value).sum()
    };
    (0..=highest).map(amplitude).collect()
}

/// Integrates one period from the state that was found, and keeps it.
pub(super) fn record(
    system: &System,
    drive: Drive,
    scheme: &Scheme,
    orbit: Orbit,
) -> Result<SteadyState, TransientError> {
    let mut work = Work::default();
    let mut state = orbit.state;
    let start = Start {
        position: state.position.clone(),
        velocity: state.velocity.clone(),
        force: state.force.clone(),
        memory: state.memory.clone(),
    };
    let (mut positions, mut velocities, mut forces) = (vec![], vec![], vec![]);
    for k in 0..scheme.count {
        scheme.step(&mut state, k, &mut work)?;
        positions.push(state.position.clone());
        velocities.push(state.velocity.clone());
        forces.push(state.force.clone());
    }
    let by_row = |series: &[Vec<f64>], first: usize| -> Vec<Vec<f64>> {
        let row = |i: usize| series.iter().map(|at| at[first + i]).collect();
        (0..system.n_relative()).map(row).collect()
    };
    let probe = |signal: &Signal| sample(system, drive, signal, &positions, &velocities);
    Ok(SteadyState {
        drive,
        relative: by_row(&positions, system.n_modes()),
        relative_velocity: by_row(&velocities, system.n_modes()),
        forces: by_row(&forces, 0),
        probes: system.probes.iter().map(probe).collect(),
        periods: orbit.periods,
        change: orbit.change,
        has_converged: orbit.has_converged,
        multipliers: orbit.multipliers,
        start,
    })
}

/// A probe at every instant. Accelerations are central differences of velocities over the closed period:
/// impulses leave none at an instant.
fn sample(
    system: &System,
    drive: Drive,
    signal: &Signal,
    positions: &[Vec<f64>],
    velocities: &[Vec<f64>],
) -> Vec<f64> {
    let [displacement, velocity, acceleration] = signal.weights();
    let direct = system.direct_part(signal, drive);
    let n = positions.len();
    let per_step = 0.5 * n as f64 / drive.period();
    let accelerations = |j: usize| {
        let (next, last) = (&velocities[(j + 1) % n], &velocities[(j + n - 1) % n]);
        per_step * (dot(&acceleration, next) - dot(&acceleration, last))
    };
    let value = |j: usize| {
        direct.at(TAU * (j + 1) as f64 / n as f64)
            + dot(&displacement, &positions[j])
            + dot(&velocity, &velocities[j])
            + accelerations(j)
    };
    (0..n).map(value).collect()
}
