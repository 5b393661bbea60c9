//! What a converged point says: motion of the structure, loops of the joints, energies.
//!
//! ```text
//! Work per period of forces F_k on motions U_k (complex amplitudes of cos kωt):
//!
//!     W = −π Σ_k k Im(F_k* U_k) ,      damping  W_c = π ω Σ_k k² U_kᴴ C U_k              (1)
//!
//! so that W_load = W_λ + W_c holds to rounding at a solution. The friction work of the time march,
//!
//!     W_t = Σ_pairs ∮ λ_T dx_T ,                                                         (2)
//!
//! differs from W_λ by what the truncated harmonics carry.
//!
//! Loop of an interface: Q = Σ λ_T over δ, the mean slip weighted by area. δ_0 is half its opening at
//! Q = 0, k_T the slope after a reversal, δ* and Q* the largest values (Tubita 2023, I.9–I.12).
//! ```

use std::f64::consts::PI;

use super::balance::Balance;
use super::point::Point;
use crate::contact::{Joint, Law, March, Status};
use crate::linalg::Complex;
use crate::reduction::Motion;

/// Contact quantities of one pair over the period.
#[derive(Debug, Clone, PartialEq)]
pub struct PairHistory {
    /// Status at every instant.
    pub status: Vec<Status>,
    /// Normal force, pressing positive \[N\].
    pub normal: Vec<f64>,
    /// Tangential force in each direction \[N\].
    pub tangential: Vec<Vec<f64>>,
    /// Relative displacement in each tangential direction \[m\].
    pub slip: Vec<Vec<f64>>,
    /// Opening \[m\].
    pub opening: Vec<f64>,
    /// Whether a tangential force belongs to the step that ends at its instant, as those of exact friction do, not to
    /// the instant itself.
    pub is_stepwise: bool,
}

impl PairHistory {
    /// Tangential force in a direction during the step that ends at instant j \[N\].
    pub fn step_force(&self, direction: usize, j: usize) -> f64 {
        let forces = &self.tangential[direction];
        match self.is_stepwise {
            true => forces[j],
            false => 0.5 * (forces[(j + forces.len() - 1) % forces.len()] + forces[j]),
        }
    }
}

/// Regime of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Regime {
    /// No pair slips or opens at any time.
    Stick = 0,
    /// Some pairs slip, but never all that are closed at once.
    PartialSlip = 1,
    /// All closed pairs slip at some instant.
    GrossSlip = 2,
    /// Never closed.
    Apart = 3,
}

/// Measures of the loop of an interface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loop {
    /// Q* \[N\].
    pub max_force: f64,
    /// δ* \[m\].
    pub max_slip: f64,
    /// δ_0 \[m\].
    pub half_opening: f64,
    /// k_T \[N/m\]; infinite where stuck pairs do not move at all.
    pub stiffness: f64,
    /// Energy per period, (2) \[J\].
    pub energy: f64,
    /// δ_0/δ*.
    pub sliding_ratio: f64,
    /// Regime.
    pub regime: Regime,
    /// Smallest and largest normal force \[N\].
    pub normal: [f64; 2],
}

/// The loop of an interface over the period.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopCurve {
    /// Q \[N\].
    pub force: Vec<f64>,
    /// δ without its mean \[m\].
    pub slip: Vec<f64>,
    /// Sum of the normal forces \[N\].
    pub normal: Vec<f64>,
}

impl LoopCurve {
    /// Length of the path of δ \[m\].
    pub fn path(&self) -> f64 {
        let n = self.slip.len();
        (0..n).map(|j| (self.slip[j] - self.slip[(j + n - 1) % n]).abs()).sum()
    }
}

/// Energies per period \[J\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Of the vibrating loads.
    pub input: f64,
    /// Of the contact forces in the retained harmonics.
    pub friction: f64,
    /// Of the damping.
    pub damping: f64,
    /// Of friction in the time march, (2).
    pub friction_in_time: f64,
}

impl Energy {
    /// |input − friction − damping| over the largest of them.
    pub fn imbalance(&self) -> f64 {
        let largest = self.input.abs().max(self.friction.abs()).max(self.damping.abs());
        let difference = (self.input - self.friction - self.damping).abs();
        if largest > 0.0 { difference / largest } else { 0.0 }
    }

    /// Share of the friction work that the truncated harmonics carry.
    pub fn truncation(&self) -> f64 {
        let largest = self.input.abs().max(self.friction.abs());
        let difference = (self.friction_in_time - self.friction).abs();
        if largest > 0.0 { difference / largest } else { 0.0 }
    }
}

impl Balance {
    /// Motion of the structure in every harmonic, the static one first.
    pub fn motions(&self, point: &Point) -> Vec<Motion> {
        let h = self.basis.n_coefficients();
        let constant = self.constant.scaled(point.parameters.preload);
        let harmonic = self.harmonic.scaled(point.parameters.load);
        let motion = |i: usize| {
            let relative: Vec<Complex> =
                point.newton.u.chunks(h).map(|u| self.basis.amplitude(u, i)).collect();
            let load = match self.basis.order(i) {
                0 => Some(&constant),
                1 => Some(&harmonic),
                _ => None,
            };
            self.condensation.motion(&point.linear.condensed[i], load, &relative)
        };
        (0..self.basis.n_harmonics()).map(motion).collect()
    }

    /// Histories of every pair.
    pub fn histories(&self, point: &Point) -> Vec<PairHistory> {
        let of = |joint: &Joint, march: &March| {
            let preload = point.parameters.preload * joint.preload;
            let n = self.basis.n_samples();
            let first = usize::from(joint.rows.normal.is_some());
            let (normal, opening) = match joint.rows.normal {
                Some(_) => {
                    (march.forces[0].iter().map(|f| preload - f).collect(), march.motion[0].clone())
                }
                None => (vec![preload; n], vec![0.0; n]),
            };
            PairHistory {
                status: march.status.clone(),
                normal,
                tangential: march.forces[first..].to_vec(),
                slip: march.motion[first..].to_vec(),
                opening,
                is_stepwise: !matches!(joint.law, Law::Friction(_)),
            }
        };
        let marches = &point.newton.evaluation.marches;
        self.joints.iter().zip(marches).map(|(joint, march)| of(joint, march)).collect()
    }

    /// Histories and areas of the pairs of an interface.
    fn own<'a>(
        &self,
        interface: usize,
        histories: &'a [PairHistory],
    ) -> Vec<(&'a PairHistory, f64)> {
        histories
            .iter()
            .zip(&self.joints)
            .filter(|(_, joint)| joint.interface == interface)
            .map(|(history, joint)| (history, joint.area))
            .collect()
    }

    /// The loop of an interface, in its first tangential direction.
    pub fn loop_curve(&self, interface: usize, histories: &[PairHistory]) -> LoopCurve {
        let own = self.own(interface, histories);
        let n = self.basis.n_samples();
        let total: f64 = own.iter().map(|(_, area)| area).sum();
        let sum = |value: &dyn Fn(&PairHistory, f64) -> f64| -> f64 {
            own.iter().map(|(history, area)| value(history, *area)).sum()
        };
        let tangent = |list: &[Vec<f64>], j: usize| list.first().map_or(0.0, |values| values[j]);
        let force: Vec<f64> = (0..n).map(|j| sum(&|p, _| tangent(&p.tangential, j))).collect();
        let slip: Vec<f64> =
            (0..n).map(|j| sum(&|p, area| area / total * tangent(&p.slip, j))).collect();
        let normal: Vec<f64> = (0..n).map(|j| sum(&|p, _| p.normal[j])).collect();
        let mean = slip.iter().sum::<f64>() / n as f64;
        let slip: Vec<f64> = slip.iter().map(|s| s - mean).collect();
        LoopCurve { force, slip, normal }
    }

    /// Measures of the loop of an interface.
    pub fn hysteresis(&self, interface: usize, histories: &[PairHistory]) -> Loop {
        let own = self.own(interface, histories);
        let LoopCurve { force, slip, normal } = self.loop_curve(interface, histories);
        let max_slip = largest(&slip);
        let half_opening = half_opening(&force, &slip);
        Loop {
            max_force: largest(&force),
            max_slip,
            half_opening,
            stiffness: reversal_stiffness(&force, &slip),
            energy: own.iter().map(|(history, _)| friction_work(history)).sum(),
            sliding_ratio: if max_slip > 0.0 { half_opening / max_slip } else { 0.0 },
            regime: regime(&own.iter().map(|(history, _)| *history).collect::<Vec<_>>()),
            normal: [
                normal.iter().copied().fold(f64::INFINITY, f64::min),
                normal.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ],
        }
    }

    /// Energies per period, equation (1).
    pub fn energy(&self, point: &Point, motions: &[Motion], histories: &[PairHistory]) -> Energy {
        let h = self.basis.n_coefficients();
        let harmonic = self.harmonic.scaled(point.parameters.load);
        let mut energy = Energy {
            input: 0.0,
            friction: 0.0,
            damping: 0.0,
            friction_in_time: histories.iter().map(friction_work).sum(),
        };
        for (i, motion) in motions.iter().enumerate().skip(1) {
            let order = self.basis.order(i) as f64;
            if self.basis.order(i) == 1 {
                energy.input -= PI * self.condensation.virtual_work(&harmonic, motion).im;
            }
            let u = point.newton.u.chunks(h).map(|u| self.basis.amplitude(u, i));
            let f = point.newton.evaluation.forces.chunks(h).map(|f| self.basis.amplitude(f, i));
            let work: Complex = f.zip(u).map(|(f, u)| f.conj() * u).sum();
            energy.friction -= PI * order * work.im;
            energy.damping += PI * order * motion.omega() * self.condensation.damping_form(motion);
        }
        energy
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// ∮ λ_T dx_T.
fn friction_work(history: &PairHistory) -> f64 {
    let work = |(direction, slip): (usize, &Vec<f64>)| -> f64 {
        let n = slip.len();
        let step = |j: usize| slip[j] - slip[(j + n - 1) % n];
        (0..n).map(|j| history.step_force(direction, j) * step(j)).sum()
    };
    history.slip.iter().enumerate().map(work).sum()
}

/// Half the distance of the outermost crossings of Q = 0.
fn half_opening(force: &[f64], slip: &[f64]) -> f64 {
    let n = force.len();
    let mut crossings = (f64::INFINITY, f64::NEG_INFINITY);
    for j in 0..n {
        let k = (j + 1) % n;
        if (force[j] <= 0.0) != (force[k] <= 0.0) {
            let share = force[j] / (force[j] - force[k]);
            let at = slip[j] + share * (slip[k] - slip[j]);
            crossings = (crossings.0.min(at), crossings.1.max(at));
        }
    }
    if crossings.1 > crossings.0 { 0.5 * (crossings.1 - crossings.0) } else { 0.0 }
}

/// Slope of the unloading branch: from the largest force to zero.
fn reversal_stiffness(force: &[f64], slip: &[f64]) -> f64 {
    let n = force.len();
    let peak = (0..n).max_by(|a, b| force[*a].total_cmp(&force[*b])).unwrap_or(0);
    if n == 0 || force[peak] <= 0.0 {
        return 0.0;
    }
    // The last instant at the peak, then the first below a half of it.
    let level = force[peak];
    let start = (0..n)
        .map(|i| (peak + i) % n)
        .take_while(|j| force[*j] > 0.999 * level)
        .last()
        .unwrap_or(peak);
    let end = (1..n).map(|i| (start + i) % n).find(|j| force[*j] < 0.5 * level);
    match end {
        Some(end) if slip[start] != slip[end] => {
            ((force[start] - force[end]) / (slip[start] - slip[end])).abs()
        }
        Some(_) => f64::INFINITY,
        None => 0.0,
    }
}

fn regime(pairs: &[&PairHistory]) -> Regime {
    let n = pairs.first().map_or(0, |pair| pair.status.len());
    let at = |j: usize, status: Status| pairs.iter().filter(|p| p.status[j] == status).count();
    let closed = |j: usize| pairs.len() - at(j, Status::Open);
    if (0..n).all(|j| closed(j) == 0) {
        return Regime::Apart;
    }
    if (0..n).any(|j| closed(j) > 0 && at(j, Status::Slip) == closed(j)) {
        return Regime::GrossSlip;
    }
    let is_stuck = (0..n).all(|j| at(j, Status::Slip) == 0);
    if is_stuck { Regime::Stick } else { Regime::PartialSlip }
}
