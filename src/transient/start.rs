//! Where a search begins.
//!
//! ```text
//! With all contacts bonded, u_r = 0, the motion is that of the modes ζ alone:
//!
//!     (Λ + iωC_ζζ − ω²) ζ_1 = f_1,ζ ,   Λ ζ_0 = f_0,ζ ,                                        (1)
//!     λ = f_r − (K_rζ + iωC_rζ − ω²M_rζ) ζ .                                                  (2)
//! ```
//!
//! If (2) presses every contact and stays within friction over the whole period, the bonded motion is a
//! solution, and the search begins with it. It would be left otherwise only by contacts that slip while a
//! transient dies away, and then stick off their place. In all other cases it begins at rest under the
//! constant loads, unless the caller knows better and gives a [`Start`], such as a point of harmonic balance:
//!
//! ```text
//!     x = Re Σ_k X_k ,   ẋ = Re Σ_k iω_k X_k .                                                 (3)
//! ```

use std::f64::consts::TAU;

use faer::Mat;
use faer::prelude::Solve;

use super::TransientError;
use super::scheme::{Scheme, State};
use super::system::{Drive, System};
use crate::contact::Joint;
use crate::linalg::Complex;

/// Instants at which the bonded motion is checked.
const INSTANTS: usize = 720;
/// Eigenvalues below this fraction of the largest belong to rigid-body motions.
const TOL_RIGID: f64 = 1e-9;

/// A state at the beginning of a period.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// x.
    pub position: Vec<f64>,
    /// ẋ.
    pub velocity: Vec<f64>,
    /// λ: what sliders carry, and which exact contacts press \[N\].
    pub force: Vec<f64>,
    /// States of friction laws, joint by joint; none: as they begin.
    pub memory: Vec<f64>,
}

impl Start {
    /// (3), for waves (ω_k, X_k).
    pub fn of_waves(waves: &[(f64, Vec<Complex>)], force: Vec<f64>, memory: Vec<f64>) -> Self {
        let size = waves.first().map_or(0, |(_, wave)| wave.len());
        let sum = |of: &dyn Fn(f64, Complex) -> f64| -> Vec<f64> {
            let at = |i: usize| waves.iter().map(|(omega, wave)| of(*omega, wave[i])).sum();
            (0..size).map(at).collect()
        };
        let position = sum(&|_, x| x.re);
        Self { position, velocity: sum(&|omega, x| -omega * x.im), force, memory }
    }

    /// ‖y − other‖ over ‖y‖, ‖y‖² = xᵀMx + ẋᵀMẋ/ω².
    pub fn distance(&self, other: &Self, system: &System, omega: f64) -> f64 {
        let mass = &system.matrices.mass;
        let energy = |a: &[f64], b: &[f64]| -> f64 {
            let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            (0..d.len())
                .map(|i| d[i] * (0..d.len()).map(|j| mass[(i, j)] * d[j]).sum::<f64>())
                .sum()
        };
        let square = |other: &Self| {
            energy(&self.position, &other.position)
                + energy(&self.velocity, &other.velocity) / (omega * omega)
        };
        let zero = vec![0.0; self.position.len()];
        let origin = Self { position: zero.clone(), velocity: zero, force: vec![], memory: vec![] };
        (square(other) / square(&origin)).sqrt()
    }

    pub(super) fn check(&self, system: &System) -> Result<(), TransientError> {
        let n_states = super::friction::n_states_of(&system.joints);
        let expected = [system.size(), system.size(), system.n_relative(), n_states];
        let found = [self.position.len(), self.velocity.len(), self.force.len(), self.memory.len()];
        match expected.iter().zip(found).find(|(expected, found)| **expected != *found) {
            Some((expected, found)) => Err(TransientError::Start { expected: *expected, found }),
            None => Ok(()),
        }
    }
}

/// Motion x = constant + Re(harmonic e^{iωt}) with forces likewise.
struct Bonded {
    position: (Vec<f64>, Vec<Complex>),
    force: (Vec<f64>, Vec<Complex>),
}

/// The state to begin with.
pub(super) fn state(system: &System, drive: Drive, scheme: &Scheme) -> State {
    let bonded = bonded(system, drive);
    let force = resting_force(system);
    if !system.is_exact() || !system.joints.iter().all(|joint| holds(joint, &bonded)) {
        return scheme.state(at_rest(system));
    }
    let (constant, harmonic) = &bonded.position;
    let position = constant.iter().zip(harmonic).map(|(x, wave)| x + wave.re).collect();
    let velocity = harmonic.iter().map(|wave| -drive.omega * wave.im).collect();
    scheme.state(Start { position, velocity, force, memory: vec![] })
}

/// At rest under the constant loads, contacts bonded.
pub(super) fn at_rest(system: &System) -> Start {
    let velocity = vec![0.0; system.size()];
    let (position, force) = (resting_position(system), resting_force(system));
    Start { position, velocity, force, memory: vec![] }
}

/// λ to begin with: λ_N = N₀ where nothing presses.
fn resting_force(system: &System) -> Vec<f64> {
    let mut force = vec![0.0; system.n_relative()];
    for joint in system.joints.iter().filter(|joint| joint.gap > 0.0) {
        joint.rows.normal.iter().for_each(|row| force[*row] = joint.preload);
    }
    force
}

/// x_0 of (1).
fn resting_position(system: &System) -> Vec<f64> {
    let m = system.n_modes();
    let constant = system.constant_load();
    let stiffness = |i: usize| system.matrices.stiffness[(i, i)];
    let largest = (0..m).map(stiffness).fold(0.0, f64::max);
    let rest = |i: usize| {
        let is_held = i < m && stiffness(i) > TOL_RIGID * largest;
        if is_held { constant[i] / stiffness(i) } else { 0.0 }
    };
    (0..system.size()).map(rest).collect()
}

/// (1) and (2).
fn bonded(system: &System, drive: Drive) -> Bonded {
    let (m, size) = (system.n_modes(), system.size());
    let matrices = &system.matrices;
    let (constant, harmonic) = system.load(drive);
    let dynamic = |i: usize, j: usize| {
        let inertia = drive.omega.powi(2) * matrices.mass[(i, j)];
        Complex::new(matrices.stiffness[(i, j)] - inertia, drive.omega * matrices.damping[(i, j)])
    };
    let rest = resting_position(system);
    let right = Mat::from_fn(m, 1, |i, _| harmonic[i]);
    let wave = Mat::from_fn(m, m, dynamic).partial_piv_lu().solve(right);
    let wave: Vec<Complex> = (0..m).map(|i| wave[(i, 0)]).collect();
    let at_rest =
        |i: usize| constant[i] - (0..m).map(|j| matrices.stiffness[(i, j)] * rest[j]).sum::<f64>();
    let vibrating =
        |i: usize| harmonic[i] - (0..m).map(|j| dynamic(i, j) * wave[j]).sum::<Complex>();
    let force = ((m..size).map(at_rest).collect(), (m..size).map(vibrating).collect());
    let mut position = (rest, wave);
    position.1.resize(size, Complex::new(0.0, 0.0));
    Bonded { position, force }
}

/// Whether a joint can carry the forces of the bonded motion; never true of undefined numbers.
fn holds(joint: &Joint, bonded: &Bonded) -> bool {
    let (constant, harmonic) = &bonded.force;
    let is_closed = joint.rows.normal.is_none() || joint.gap <= 0.0;
    is_closed
        && (0..INSTANTS).all(|k| {
            let turn = Complex::from_polar(1.0, TAU * k as f64 / INSTANTS as f64);
            let force = |row: usize| constant[row] + (harmonic[row] * turn).re;
            let pressure = joint.preload - joint.rows.normal.map_or(0.0, force);
            let tangential = joint.rows.tangents.iter().map(|row| force(*row).powi(2)).sum::<f64>();
            pressure >= 0.0 && tangential.sqrt() <= joint.friction * pressure
        })
}
