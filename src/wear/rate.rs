//! What one cycle of a vibration does to the faces.
//!
//! ```text
//! From the histories of a converged solution, with the force at the end of each step as the time march has it:
//!
//!     s = Σ_j |x_j − x_{j−1}| ,     q' = (1/area) Σ_j N_j |x_j − x_{j−1}|                    (1)
//!
//! x is the slip: where springs stand for the contact, the motion of their sliders, x = u − λ/k_T. Coulomb's
//! law makes ∮ λ_T · dx = μ Σ N_j |x_j − x_{j−1}| exactly. Laws of the library keep their deflection to themselves:
//! x = u, and s counts it too. Such contacts wear by ∮ λ_T · dx alone, to which a deflection that returns adds
//! nothing.
//!
//! Change of the rate with the depths of all pairs, from the retained harmonics of a solution's sensitivity:
//!
//!     area ∂q'/∂w = Σ_j ( |Δx_j| ∂N_j/∂w + N_j d_j · ∂(x_j − x_{j−1})/∂w ) ,   d = Δx/|Δx|   (2)
//! ```

use faer::Mat;

use super::Wear;
use super::law::{Driver, WearLaw};
use crate::contact::{Joint, Law};
use crate::harmonic::{Balance, PairHistory, Point, Sensitivity};

/// Rates per cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// q' of each pair \[J/m²\].
    pub work: Vec<f64>,
    /// s of each pair \[m\].
    pub path: Vec<f64>,
    /// Mean pressure of each pair \[Pa\].
    pub pressure: Vec<f64>,
    /// Dissipated energy of each contact \[J\].
    pub energy: Vec<f64>,
    /// Σ N |Δx| of each contact \[N m\].
    pub force_path: Vec<f64>,
}

impl Rates {
    /// Rates of a solution.
    pub fn new(balance: &Balance, laws: &[WearLaw], histories: &[PairHistory]) -> Self {
        let n = histories.len();
        let n_contacts = balance.joints.last().map_or(0, |joint| joint.interface + 1);
        let mut rates = Self {
            work: vec![0.0; n],
            path: vec![0.0; n],
            pressure: vec![0.0; n],
            energy: vec![0.0; n_contacts],
            force_path: vec![0.0; n_contacts],
        };
        for (m, (joint, history)) in balance.joints.iter().zip(histories).enumerate() {
            let steps = Steps::new(joint, history);
            let force_path: f64 =
                steps.length.iter().zip(&history.normal).map(|(s, f)| s * f).sum();
            rates.path[m] = steps.length.iter().sum();
            rates.pressure[m] = mean(&history.normal) / joint.area;
            rates.force_path[joint.interface] += force_path;
            rates.energy[joint.interface] += steps.friction_work(history);
            rates.work[m] = match laws[m].driver {
                Driver::Pressure => force_path / joint.area,
                Driver::Friction => steps.friction_work(history) / joint.area,
            };
        }
        rates
    }
}

impl Rates {
    /// Mean normal force of all pairs \[N\].
    pub fn pressure_sum(&self, wear: &Wear) -> f64 {
        let joints = &wear.balance.joints;
        joints.iter().zip(&self.pressure).map(|(joint, p)| joint.area * p).sum()
    }
}

/// ∂q'/∂w, equation (2): a row per pair, a column per depth \[Pa\].
pub fn slope(
    balance: &Balance,
    laws: &[WearLaw],
    point: &Point,
    histories: &[PairHistory],
    sensitivity: &Sensitivity,
) -> Mat<f64> {
    let h = balance.basis.n_coefficients();
    let inverse = &balance.basis.inverse;
    let n = histories.len();
    let mut out = Mat::zeros(n, n);
    for (m, (joint, history)) in balance.joints.iter().zip(histories).enumerate() {
        let steps = Steps::new(joint, history);
        let factor = match laws[m].driver {
            Driver::Pressure => 1.0 / joint.area,
            Driver::Friction => joint.friction / joint.area,
        };
        let mut add = |row: usize, values: &Mat<f64>, weights: &[f64]| {
            for k in 0..n {
                let sum: f64 = (0..h).map(|c| weights[c] * values[(row * h + c, k)]).sum();
                out[(m, k)] += factor * sum;
            }
        };
        if let Some(row) = joint.rows.normal {
            // N = N₀ − λ_N while closed.
            let weights = steps.weights(inverse, |j| (history.normal[j] > 0.0, -steps.length[j]));
            add(row, &sensitivity.forces, &weights);
        }
        for (t, row) in joint.rows.tangents.iter().enumerate() {
            let push = |j: usize| history.normal[j] * steps.direction[t][j];
            let last = inverse.len() - 1;
            let next = |j: usize| if j == last { 0 } else { j + 1 };
            let weights = steps.weights(inverse, |j| (true, push(j) - push(next(j))));
            add(*row, &sensitivity.displacements, &weights);
            if let Law::Penalty { tangential, .. } = joint.law
                && tangential > 0.0
            {
                let weights: Vec<f64> = weights.iter().map(|w| -w / tangential).collect();
                add(*row, &sensitivity.forces, &weights);
            }
        }
        if joint.preload > 0.0 {
            let closed = (0..inverse.len()).filter(|j| history.normal[*j] > 0.0);
            let path: f64 = closed.map(|j| steps.length[j]).sum();
            out[(m, m)] -= factor * point.parameters.preload * joint.preload_stiffness * path;
        }
    }
    out
}

/// The slip of a pair, step by step.
struct Steps {
    /// |Δx_j|.
    length: Vec<f64>,
    /// d_j in each tangential direction; 0 without slip.
    direction: Vec<Vec<f64>>,
}

impl Steps {
    fn new(joint: &Joint, history: &PairHistory) -> Self {
        let n = history.normal.len();
        let compliance = match joint.law {
            Law::Penalty { tangential, .. } if tangential > 0.0 => 1.0 / tangential,
            _ => 0.0,
        };
        let position =
            |t: usize, j: usize| history.slip[t][j] - compliance * history.tangential[t][j];
        let step = |t: usize, j: usize| position(t, j) - position(t, (j + n - 1) % n);
        let mut direction: Vec<Vec<f64>> =
            (0..history.slip.len()).map(|t| (0..n).map(|j| step(t, j)).collect()).collect();
        // Without contact force nothing rubs, however the faces move.
        let length: Vec<f64> = (0..n)
            .map(|j| direction.iter().map(|d| d[j] * d[j]).sum::<f64>().sqrt())
            .enumerate()
            .map(|(j, length)| if history.normal[j] > 0.0 { length } else { 0.0 })
            .collect();
        for values in &mut direction {
            for (value, length) in values.iter_mut().zip(&length) {
                *value = if *length > 0.0 { *value / length } else { 0.0 };
            }
        }
        Self { length, direction }
    }

    /// ∮ λ_T · dx.
    fn friction_work(&self, history: &PairHistory) -> f64 {
        let work = |(d, direction): (usize, &Vec<f64>)| -> f64 {
            let steps = direction.iter().zip(&self.length).enumerate();
            steps.map(|(j, (share, length))| share * length * history.step_force(d, j)).sum()
        };
        self.direction.iter().enumerate().map(work).sum()
    }

    /// Σ_j weight_j × row j of F̄, over the instants that count.
    fn weights(&self, inverse: &[Vec<f64>], of: impl Fn(usize) -> (bool, f64)) -> Vec<f64> {
        let mut sum = vec![0.0; inverse.first().map_or(0, Vec::len)];
        for (j, row) in inverse.iter().enumerate() {
            if let (true, weight) = of(j) {
                sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        sum
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
