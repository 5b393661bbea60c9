//! Semi-smooth Newton iteration with a line search.
//!
//! ```text
//!     J Δ = −r ,   ũ ← ũ + a Δ ,   a = 1, ½, ¼ … until ‖r‖ falls                            (1)
//! ```
//!
//! The residual is piecewise smooth; J is one of its generalised derivatives, so full steps end the
//! iteration once the states of the contact are right. A step that does not lower ‖r‖ at any length ends
//! it as stalled.

use faer::Mat;
use faer::prelude::Solve;

use super::balance::{Balance, Evaluation, Linear, Parameters};

/// Limits of the iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonSettings {
    /// ‖r‖ over the norm of the loads at which a point is accepted.
    pub tolerance: f64,
    /// Iterations of one attempt.
    pub max_iterations: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_iterations: 40 }
    }
}

/// Shortest step of the line search.
const MIN_STEP: f64 = 1e-3;

/// Outcome of an iteration.
#[derive(Debug, Clone)]
pub struct Newton {
    /// ũ.
    pub u: Vec<f64>,
    /// ‖r‖ over the norm of the loads, before each iteration and at the end.
    pub history: Vec<f64>,
    /// Whether it fell below the tolerance.
    pub has_converged: bool,
    /// Forces at ũ.
    pub evaluation: Evaluation,
}

impl Newton {
    /// Number of linear systems solved.
    pub fn iterations(&self) -> usize {
        self.history.len() - 1
    }

    /// Iterates from `start`.
    pub fn run(
        balance: &Balance,
        linear: &Linear,
        parameters: &Parameters,
        start: &[f64],
        settings: &NewtonSettings,
    ) -> Self {
        let scale = scale(balance, linear, parameters);
        let mut u = start.to_vec();
        let mut evaluation = balance.evaluate(linear, parameters, &u, true);
        let mut history = vec![norm(&evaluation.residual) / scale];
        let has_converged = loop {
            let size = history[history.len() - 1];
            if size <= settings.tolerance && evaluation.is_periodic(&balance.joints) {
                break true;
            }
            if history.len() > settings.max_iterations || !size.is_finite() {
                break false;
            }
            let step = negative(balance.factor(linear, &evaluation).solve(&evaluation.residual));
            let Some((next, found)) =
                line_search(balance, linear, parameters, &u, &step, &evaluation.residual)
            else {
                break false;
            };
            (u, evaluation) = (next, found);
            history.push(norm(&evaluation.residual) / scale);
        };
        Self { u, history, has_converged, evaluation }
    }
}

/// Norm of the loads, or of the preloads where there are none.
pub(crate) fn scale(balance: &Balance, linear: &Linear, parameters: &Parameters) -> f64 {
    let full = Parameters { load: 1.0, preload: 1.0, ..*parameters };
    let load = norm(&balance.load(linear, &full));
    let preload = balance.joints.iter().map(|joint| joint.preload).fold(0.0, f64::max);
    let scale = load.max(preload);
    if scale > 0.0 { scale } else { 1.0 }
}

/// −x.
pub(crate) fn negative(mut x: Vec<f64>) -> Vec<f64> {
    x.iter_mut().for_each(|x| *x = -*x);
    x
}

/// −J⁻¹ r.
pub(crate) fn solve(jacobian: &Mat<f64>, residual: &[f64]) -> Vec<f64> {
    let right = Mat::from_fn(residual.len(), 1, |i, _| -residual[i]);
    let solution = jacobian.partial_piv_lu().solve(right);
    (0..residual.len()).map(|i| solution[(i, 0)]).collect()
}

fn line_search(
    balance: &Balance,
    linear: &Linear,
    parameters: &Parameters,
    u: &[f64],
    step: &[f64],
    residual: &[f64],
) -> Option<(Vec<f64>, Evaluation)> {
    let old = norm(residual);
    let mut length = 1.0;
    while length >= MIN_STEP {
        let next: Vec<f64> = u.iter().zip(step).map(|(u, s)| u + length * s).collect();
        // Full steps are mostly accepted, so their derivatives are formed at once.
        let is_full = length == 1.0;
        let mut trial = balance.evaluate(linear, parameters, &next, is_full);
        if norm(&trial.residual) < (1.0 - 1e-4 * length) * old {
            if !is_full {
                trial = balance.evaluate(linear, parameters, &next, true);
            }
            return Some((next, trial));
        }
        length *= 0.5;
    }
    None
}

pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
