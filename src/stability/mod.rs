//! Floquet stability of periodic solutions.
//!
//! ```text
//! A small change δy of the state y = (x, ẋ, forces of sliders) becomes Φ δy a period later. The
//! eigenvalues ρ of Φ, the Floquet multipliers, decide:
//!
//!     all |ρ| ≤ 1   stable        one |ρ| > 1   unstable                                        (1)
//! ```
//!
//! | joints | method |
//! |---|---|
//! | springs | [`variational`]: the equation linearised about the solution of harmonic balance, over a period |
//! | springs that remember nothing | [`hill`]: the same in harmonics, as a check of the other |
//! | exact, friction laws with states | shooting from harmonic balance, and periods begun beside the motion it finds |
//!
//! The first is the default. Hill's method has as many eigenvalues as harmonics times state, of which those
//! that are not spoiled by the truncation must be told from the others; (1) in time has the right number
//! from the start, costs less and knows sliders. Exact joints have no tangent where they stick or slip: what
//! is judged there is the motion in time next to the solution, and [`Floquet::distance`] says how near.
//!
//! Where a multiplier leaves the unit circle along a curve, solutions of another kind begin ([`Bifurcation`]).

use crate::contact::{Joint, Modification};
use crate::harmonic::{Balance, Basis, Parameters, Point};
use crate::linalg::Complex;
use crate::reduction::ReducedStructure;
use crate::transient::friction::{Periodic, settled};
use crate::transient::{
    Drive, Method as Search, Settings, Start, System, TransientError, steady_state_from,
};

pub mod hill;
pub mod variational;

/// Steps of a period per harmonic of the linearised equation, and the fewest.
const STEPS_PER_HARMONIC: usize = 64;
const MIN_STEPS: usize = 512;
/// Harmonics of Hill's method beyond those of the solution: truncation spoils as many.
const FURTHER_HARMONICS: usize = 4;
/// How far beyond 1 a multiplier must be: rounding, and for exact joints the width of the differences.
const MARGIN: f64 = 1e-6;
const EXACT_MARGIN: f64 = 1e-2;
/// Imaginary part, over the whole, up to which a multiplier counts as real.
const TOL_REAL: f64 = 1e-6;
/// Periods that shooting may spend on a point.
const MAX_PERIODS: usize = 2000;

/// How stability is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Φ in time.
    Monodromy,
    /// Hill's method; springs without sliders only.
    Hill,
}

/// The multipliers of a solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Floquet {
    /// ρ, the largest first.
    pub multipliers: Vec<Complex>,
    /// How far the motion that was judged is from the solution, over its size.
    pub distance: f64,
    /// How far beyond 1 a multiplier must be to count.
    margin: f64,
}

/// What happens where a multiplier leaves or enters the unit circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Bifurcation {
    /// At +1: the curve turns round, or another one crosses it.
    Fold = 1,
    /// At −1: solutions of twice the period begin.
    PeriodDoubling = 2,
    /// A complex pair: solutions with a second frequency begin.
    NeimarkSacker = 3,
}

impl Bifurcation {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fold => "fold",
            Self::PeriodDoubling => "period_doubling",
            Self::NeimarkSacker => "neimark_sacker",
        }
    }
}

impl Floquet {
    /// Sorts the multipliers.
    fn new(mut multipliers: Vec<Complex>, margin: f64, distance: f64) -> Self {
        multipliers.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
        Self { multipliers, distance, margin }
    }

    /// Number of multipliers outside the unit circle.
    pub fn n_unstable(&self) -> usize {
        self.outside().count()
    }

    /// |ρ| of the largest.
    pub fn largest(&self) -> f64 {
        self.multipliers.first().map_or(0.0, |rho| rho.norm())
    }

    /// What lies between this solution and the next one of a curve.
    pub fn bifurcation_before(&self, next: &Self) -> Option<Bifurcation> {
        let (before, after) = (self.kinds(), next.kinds());
        let gain = |kind: usize| after[kind] as isize - before[kind] as isize;
        let total: isize = (0..3).map(gain).sum();
        // Pairs that meet on the real axis change kind outside the circle: the sum tells who crossed it.
        let crossed = |kind: &usize| total != 0 && gain(*kind).signum() == total.signum();
        let kinds = [Bifurcation::Fold, Bifurcation::PeriodDoubling, Bifurcation::NeimarkSacker];
        (0..3).filter(crossed).max_by_key(|kind| gain(*kind).abs()).map(|kind| kinds[kind])
    }

    fn outside(&self) -> impl Iterator<Item = &Complex> {
        self.multipliers.iter().filter(|rho| rho.norm() > 1.0 + self.margin)
    }

    /// Numbers outside the circle: real beyond 1, real below −1, complex.
    fn kinds(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for rho in self.outside() {
            let is_real = rho.im.abs() <= TOL_REAL * rho.norm();
            counts[if !is_real { 2 } else { usize::from(rho.re < 0.0) }] += 1;
        }
        counts
    }
}

/// A structure with its joints, ready to be asked for stability.
#[derive(Debug, Clone)]
pub struct Stability {
    system: System,
    method: Method,
    /// Harmonics of the solutions with the instants of the linearised equation.
    basis: Basis,
}

impl Stability {
    /// For solutions of the balance of a structure.
    pub fn new(
        structure: &ReducedStructure,
        balance: &Balance,
        method: Method,
    ) -> Result<Self, TransientError> {
        let system = System::new(structure, balance.joints.clone())?;
        let orders = balance.basis.harmonics();
        let highest = orders.last().copied().unwrap_or(1);
        let steps = MIN_STEPS.max(STEPS_PER_HARMONIC * highest).max(balance.basis.n_samples());
        let basis = Basis::new(orders, steps).expect("there are more steps than harmonics");
        Ok(Self { system, method, basis })
    }

    /// Number of multipliers.
    pub fn n_multipliers(&self) -> usize {
        match self.method {
            Method::Hill => 2 * self.system.size(),
            Method::Monodromy => self.system.n_state(),
        }
    }

    /// The multipliers of a solution; nothing if no motion in time was found beside it.
    pub fn of(&self, balance: &Balance, point: &Point) -> Result<Option<Floquet>, TransientError> {
        let Parameters { omega, preload, friction, .. } = point.parameters;
        if self.system.is_exact() || self.system.has_friction_laws() {
            return self.beside(&self.system.scaled(preload, friction), balance, point);
        }
        let factors = Modification { preload, friction, ..Modification::default() };
        let joints: Vec<Joint> =
            self.system.joints.iter().map(|joint| joint.modified(&factors)).collect();
        let h = balance.basis.n_coefficients();
        let motion: Vec<Vec<f64>> =
            point.newton.u.chunks(h).map(|u| self.basis.to_time(u)).collect();
        let tangents = crate::transient::springs::tangents(&joints, &motion);
        let multipliers = match self.method {
            Method::Monodromy => variational::multipliers(&self.system, omega, &tangents),
            Method::Hill => {
                let highest = self.basis.harmonics().last().copied().unwrap_or(1);
                let highest = highest + FURTHER_HARMONICS;
                hill::multipliers(&self.system, omega, &tangents, highest)
            }
        };
        Ok(multipliers.map(|multipliers| Floquet::new(multipliers, MARGIN, 0.0)))
    }

    /// The motion in time next to a solution with exact joints.
    fn beside(
        &self,
        system: &System,
        balance: &Balance,
        point: &Point,
    ) -> Result<Option<Floquet>, TransientError> {
        let start = start(balance, point);
        let Parameters { omega, load, .. } = point.parameters;
        let settings =
            Settings { method: Search::Shooting, max_periods: MAX_PERIODS, ..Settings::default() };
        let found = steady_state_from(system, Drive { omega, load }, &start, &settings)?;
        if !found.has_converged || found.multipliers.is_empty() {
            return Ok(None);
        }
        let distance = start.distance(&found.start, system, omega);
        Ok(Some(Floquet::new(found.multipliers, EXACT_MARGIN, distance)))
    }
}

/// The state of a solution at the beginning of the period.
pub fn start(balance: &Balance, point: &Point) -> Start {
    let waves: Vec<(f64, Vec<Complex>)> = balance
        .motions(point)
        .iter()
        .map(|motion| (motion.omega(), motion.time_coordinates()))
        .collect();
    let mut force = vec![0.0; balance.condensation.n_relative()];
    let last = balance.basis.n_samples() - 1;
    for (joint, history) in balance.joints.iter().zip(balance.histories(point)) {
        if let Some(row) = joint.rows.normal {
            let preload = point.parameters.preload * joint.preload;
            force[row] = preload - history.normal[last];
        }
        for (row, tangential) in joint.rows.tangents.iter().zip(&history.tangential) {
            force[*row] = tangential[last];
        }
    }
    let memory = memory(balance, point);
    Start::of_waves(&waves, force, memory)
}

/// States of friction laws at the beginning of the period.
fn memory(balance: &Balance, point: &Point) -> Vec<f64> {
    let Parameters { omega, preload, friction, .. } = point.parameters;
    let factors = Modification { preload, friction, ..Modification::default() };
    let joints: Vec<Joint> = balance.joints.iter().map(|joint| joint.modified(&factors)).collect();
    let basis = &balance.basis;
    let samples = basis.samples(omega);
    let u: Vec<&[f64]> = point.newton.u.chunks(basis.n_coefficients()).collect();
    let motion: Vec<Vec<f64>> = u.iter().map(|u| basis.to_time(u)).collect();
    let rate = |row: &Vec<f64>, u: &[f64]| row.iter().zip(u).map(|(s, u)| omega * s * u).sum();
    let velocity: Vec<Vec<f64>> =
        u.iter().map(|u| samples.basis.slope.iter().map(|row| rate(row, u)).collect()).collect();
    let step = std::f64::consts::TAU / omega / samples.basis.n_samples() as f64;
    let mut reaction = vec![vec![0.0; samples.basis.n_samples()]; motion.len()];
    for (joint, history) in balance.joints.iter().zip(balance.histories(point)) {
        if let Some(row) = joint.rows.normal.filter(|row| joint.is_exact(*row)) {
            reaction[row] = history.normal;
        }
    }
    settled(&joints, &Periodic { motion, velocity, reaction, step })
}

#[cfg(test)]
mod tests;
