//! Shooting: the state that a period maps to itself, by Newton.
//!
//! ```text
//!     r(y) = y(T; y) − y = 0 ,   (1 − Φ) Δ = r ,   y ← y + Δ ,   Φ = ∂y(T; y)/∂y               (1)
//! ```
//!
//! Columns of the monodromy matrix Φ are differences of periods; its eigenvalues are the Floquet
//! multipliers. A contact that sticks throughout may stick anywhere, so that 1 − Φ is singular: Δ is the
//! smallest one that fits. Where Newton does not lower ‖r‖, some more periods are integrated, which damping
//! brings nearer to a stable solution in any case.
//!
//! Stick and slip make y(T; y) piecewise smooth in pieces as small as a time step. Where sliding turns round
//! without a stop, with decelerations a⁻ before and a⁺ after, a small difference of velocities shrinks to
//! a⁺/a⁻ of it; the steps make that all or nothing, nothing where one of them catches an instant of stick,
//! and this happens in the fraction 1 − a⁺/a⁻ of all cases. So the multipliers of exact joints are taken
//! from differences that are wide enough to see several steps, which gives the mean.

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
/// Perturbation that sees several steps, over the largest value of the coordinate in the period.
const WIDE_PERTURBATION: f64 = 2e-2;
/// Singular values of 1 − Φ below this fraction of the largest are motions that a period leaves alone.
const TOL_NEUTRAL: f64 = 1e-7;
const SHORTEST_STEP: f64 = 0.1;

/// Solves (1) after some periods of integration.
pub(super) fn shoot_from_afar(
    scheme: &Scheme,
    state: State,
    settings: &Settings,
) -> Result<Orbit, TransientError> {
    let near = steady::run(scheme, state, FIRST_PERIODS, settings.tolerance)?;
    let mut orbit = shoot(scheme, near.state, settings)?;
    orbit.periods += near.periods;
    Ok(orbit)
}

/// Solves (1) from a state.
pub(super) fn shoot(
    scheme: &Scheme,
    state: State,
    settings: &Settings,
) -> Result<Orbit, TransientError> {
    let (change, has_converged) = (f64::INFINITY, false);
    let mut orbit = Orbit { state, periods: 0, change, has_converged, multipliers: vec![] };
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
    let monodromy = match scheme.is_exact() {
        true => wide_monodromy(scheme, &orbit.state)?,
        false => monodromy(scheme, &orbit.state, &end)?,
    };
    orbit.multipliers = multipliers(&monodromy);
    Ok(orbit)
}

/// Φ from differences to both sides, each as wide as the coordinate's own motion allows.
fn wide_monodromy(scheme: &Scheme, state: &State) -> Result<Mat<f64>, TransientError> {
    let y = scheme.pack(state);
    let sizes = largest_values(scheme, state)?;
    let least = PERTURBATION * sizes.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let column = |j: usize| -> Result<Vec<f64>, TransientError> {
        let step = (WIDE_PERTURBATION * sizes[j]).max(least);
        let after = |step: f64| -> Result<Vec<f64>, TransientError> {
            let mut moved = y.clone();
            moved[j] += step;
            let moved = scheme.unpack(&moved, state);
            Ok(scheme.pack(&scheme.period(&moved, &mut Work::default())?))
        };
        let (above, below) = (after(step)?, after(-step)?);
        Ok(above.iter().zip(below).map(|(a, b)| (a - b) / (2.0 * step)).collect())
    };
    let columns: Result<Vec<Vec<f64>>, _> = (0..y.len()).into_par_iter().map(column).collect();
    let columns = columns?;
    Ok(Mat::from_fn(y.len(), y.len(), |i, j| columns[j][i]))
}

/// Largest absolute value of every coordinate over the period.
fn largest_values(scheme: &Scheme, state: &State) -> Result<Vec<f64>, TransientError> {
    let (mut state, mut work) = (state.clone(), Work::default());
    let mut sizes: Vec<f64> = vec![0.0; scheme.pack(&state).len()];
    for k in 0..scheme.count {
        scheme.step(&mut state, k, &mut work)?;
        sizes.iter_mut().zip(scheme.pack(&state)).for_each(|(m, y)| *m = m.max(y.abs()));
    }
    Ok(sizes)
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
