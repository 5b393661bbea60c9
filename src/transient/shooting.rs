//! Shooting: the state that a period maps to itself, by Newton.
//!
//! ```text
//!     r(y) = y(T; y) − y = 0 ,   (1 − Φ) Δ = r ,   y ← y + Δ ,   Φ = ∂y(T; y)/∂y               (1)
//! ```
//!
//! Columns of the monodromy matrix Φ are differences of periods; its eigenvalues are the Floquet
//! multipliers. A contact that sticks throughout may stick anywhere, so that 1 − Φ is singular: Δ is the
//! smallest one that fits. Stick, slip and contact make y(T; y) piecewise smooth in pieces as small as a time
//! step: where sliding turns round without a stop, the multipliers are those of the steps, which may or may
//! not catch an instant of stick. Where Newton does not lower ‖r‖, some more periods are integrated, which damping brings nearer to
//! the solution in any case.

use faer::Mat;
use rayon::prelude::*;

use super::scheme::{Scheme, State, Work};
use super::steady;
use super::{Orbit, Settings, TransientError};
use crate::linalg::Complex;

/// Periods integrated before the first Newton step, and wherever one fails.
const FIRST_PERIODS: usize = 10;
const FURTHER_PERIODS: usize = 5;
/// Perturbation of a coordinate, over the size of the state.
const PERTURBATION: f64 = 1e-6;
/// Singular values of 1 − Φ below this fraction of the largest are motions that a period leaves alone.
const TOL_NEUTRAL: f64 = 1e-7;
const SHORTEST_STEP: f64 = 0.1;

/// Solves (1) from a state, after some periods of integration.
pub(super) fn shoot(
    scheme: &Scheme,
    state: State,
    settings: &Settings,
) -> Result<Orbit, TransientError> {
    let mut orbit = steady::run(scheme, state, FIRST_PERIODS, settings.tolerance)?;
    let mut end = scheme.period(&orbit.state, &mut Work::default())?;
    loop {
        orbit.periods += 1;
        orbit.change = scheme.change(&orbit.state, &end);
        orbit.has_converged = orbit.change <= settings.tolerance;
        if orbit.has_converged || orbit.periods >= settings.max_periods {
            break;
        }
        let monodromy = monodromy(scheme, &orbit.state, &end)?;
        orbit.periods += monodromy.ncols();
        match newton(scheme, &mut orbit, &end, &monodromy)? {
            Some(better) => end = better,
            None => {
                let run = steady::run(scheme, end, FURTHER_PERIODS, settings.tolerance)?;
                orbit.periods += run.periods;
                orbit.state = run.state;
                end = scheme.period(&orbit.state, &mut Work::default())?;
            }
        }
    }
    orbit.multipliers = multipliers(&monodromy(scheme, &orbit.state, &end)?);
    Ok(orbit)
}

/// Φ, a period per column; `end` is the state a period after `state`.
fn monodromy(scheme: &Scheme, state: &State, end: &State) -> Result<Mat<f64>, TransientError> {
    let (y, after) = (scheme.pack(state), scheme.pack(end));
    let size = after.iter().map(|y| y * y).sum::<f64>().sqrt();
    let step = if size > 0.0 { PERTURBATION * size } else { PERTURBATION };
    let column = |j: usize| -> Result<Vec<f64>, TransientError> {
        let mut moved = y.clone();
        moved[j] += step;
        let moved = scheme.unpack(&moved, state);
        let moved = scheme.pack(&scheme.period(&moved, &mut Work::default())?);
        Ok(moved.iter().zip(&after).map(|(a, b)| (a - b) / step).collect())
    };
    let columns: Result<Vec<Vec<f64>>, _> = (0..y.len()).into_par_iter().map(column).collect();
    let columns = columns?;
    Ok(Mat::from_fn(y.len(), y.len(), |i, j| columns[j][i]))
}

/// One Newton step, shortened until ‖r‖ falls: the orbit's new state, and the state a period later.
fn newton(
    scheme: &Scheme,
    orbit: &mut Orbit,
    end: &State,
    monodromy: &Mat<f64>,
) -> Result<Option<State>, TransientError> {
    let (y, after) = (scheme.pack(&orbit.state), scheme.pack(end));
    let residual: Vec<f64> = after.iter().zip(&y).map(|(a, y)| a - y).collect();
    let Some(step) = smallest_solution(monodromy, &residual) else { return Ok(None) };
    let mut length = 1.0;
    while length >= SHORTEST_STEP {
        let moved: Vec<f64> = y.iter().zip(&step).map(|(y, d)| y + length * d).collect();
        let state = scheme.unpack(&moved, end);
        let next = scheme.period(&state, &mut Work::default())?;
        orbit.periods += 1;
        if scheme.change(&state, &next) < orbit.change {
            orbit.state = state;
            return Ok(Some(next));
        }
        length *= 0.5;
    }
    Ok(None)
}

/// (1 − Φ)⁺ r.
fn smallest_solution(monodromy: &Mat<f64>, residual: &[f64]) -> Option<Vec<f64>> {
    let n = residual.len();
    let matrix = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - monodromy[(i, j)]);
    let svd = matrix.svd().ok()?;
    let (u, s, v) = (svd.U(), svd.S().column_vector(), svd.V());
    let mut solution = vec![0.0; n];
    for k in (0..n).filter(|k| s[*k] > TOL_NEUTRAL * s[0]) {
        let along = (0..n).map(|i| u[(i, k)] * residual[i]).sum::<f64>() / s[k];
        (0..n).for_each(|i| solution[i] += along * v[(i, k)]);
    }
    Some(solution)
}

/// Eigenvalues of Φ, the largest first; none if they cannot be found.
fn multipliers(monodromy: &Mat<f64>) -> Vec<Complex> {
    let mut values = monodromy.eigenvalues().unwrap_or_default();
    values.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    values
}
