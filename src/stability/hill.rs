//! Hill's method: the linearised equation in harmonics.
//!
//! ```text
//! With δx = e^{σωt} Σ_k X_k e^{ikωt}, |k| ≤ H, and S = Σ_m S_m e^{imωt}, the equation
//! M δẍ + C δẋ + (K + BᵀSB) δx = 0 becomes
//!
//!     [ω²M σ² + (ωC + 2ikω²M) σ + K + ikωC − k²ω²M] X_k + Σ_l BᵀS_{k−l}B X_l = 0 ,   |k| ≤ H ,    (1)
//! ```
//!
//! (G. W. Hill, 1886.) Of its 2n(2H + 1) eigenvalues σ only 2n are independent: shifting all X_k by one
//! harmonic changes σ by i. The truncation spoils those whose X reaches the ends, so those count whose
//! X is centred best (A. Lazarus and O. Thomas, 2010), Σ k|X_k|² / Σ|X_k|² nearest to 0. The multipliers are
//! ρ = e^{2πσ}.
//!
//! Two solutions that are centred halfway between harmonics, as those that double the period are, are told
//! apart by rounding only; this and the size of (1) are why [`super::variational`] is the default.

use std::f64::consts::TAU;

use faer::Mat;
use faer::prelude::Solve;

use crate::linalg::Complex;
use crate::transient::System;

/// Multipliers for the tangents S at equidistant instants, the last one at the end of the period, from
/// harmonics up to `highest`; nothing if they cannot be found.
pub fn multipliers(
    system: &System,
    omega: f64,
    tangents: &[Mat<f64>],
    highest: usize,
) -> Option<Vec<Complex>> {
    let eigen = companion(system, omega, tangents, highest)?.eigen().ok()?;
    let (values, vectors) = (eigen.S().column_vector(), eigen.U());
    let (n, blocks) = (system.size(), 2 * highest + 1);
    let centre = |j: usize| {
        let size = |b: usize| (0..n).map(|i| vectors[(b * n + i, j)].norm_sqr()).sum::<f64>();
        let whole: f64 = (0..blocks).map(size).sum();
        let moment: f64 = (0..blocks).map(|b| (b as f64 - highest as f64) * size(b)).sum();
        (moment / whole).abs()
    };
    let mut order: Vec<(f64, usize)> = (0..values.nrows()).map(|j| (centre(j), j)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(order.iter().take(2 * n).map(|(_, j)| (values[*j] * TAU).exp()).collect())
}

/// (1) over (X, σX) as σ (X, σX) = A (X, σX); nothing if its numbers are not finite.
fn companion(
    system: &System,
    omega: f64,
    tangents: &[Mat<f64>],
    highest: usize,
) -> Option<Mat<Complex>> {
    let (n, n_modes, blocks) = (system.size(), system.n_modes(), 2 * highest + 1);
    let (m, c, k) = (&system.matrices.mass, &system.matrices.damping, &system.matrices.stiffness);
    let inverse = m.partial_piv_lu().solve(Mat::<f64>::identity(n, n));
    let (by_k, by_c) = (&inverse * k, &inverse * c);
    let onto = inverse.subcols(n_modes, n - n_modes).to_owned();
    let waves: Vec<Mat<Complex>> =
        (0..2 * blocks - 1).map(|w| wave(tangents, w as isize - 2 * highest as isize)).collect();
    // M⁻¹BᵀS_{k−l}, over u_r.
    let through: Vec<Mat<Complex>> = waves
        .iter()
        .map(|wave| {
            Mat::from_fn(n, n - n_modes, |i, j| {
                (0..n - n_modes).map(|r| wave[(r, j)] * onto[(i, r)]).sum::<Complex>()
            })
        })
        .collect();
    let size = n * blocks;
    let entry = |row: usize, column: usize| -> Complex {
        let (b, i) = (row / n, row % n);
        let order = b as f64 - highest as f64;
        let own = |j: usize| f64::from(u8::from(i == j));
        if column >= size {
            let (l, j) = ((column - size) / n, column % n);
            let same = Complex::new(-by_c[(i, j)] / omega, -2.0 * order * own(j));
            return if b == l { same } else { Complex::new(0.0, 0.0) };
        }
        let (l, j) = (column / n, column % n);
        let spring = by_k[(i, j)] / (omega * omega) - order * order * own(j);
        let same = Complex::new(-spring, -order * by_c[(i, j)] / omega);
        let linear = if b == l { same } else { Complex::new(0.0, 0.0) };
        match j.checked_sub(n_modes) {
            Some(r) => linear - through[b + 2 * highest - l][(i, r)] / (omega * omega),
            None => linear,
        }
    };
    let matrix = Mat::from_fn(2 * size, 2 * size, |row, column| match row.checked_sub(size) {
        Some(row) => entry(row, column),
        None => Complex::new(f64::from(u8::from(row + size == column)), 0.0),
    });
    let is_finite = matrix.col_iter().all(|col| col.iter().all(|value| value.is_finite()));
    is_finite.then_some(matrix)
}

/// S_m.
fn wave(tangents: &[Mat<f64>], order: isize) -> Mat<Complex> {
    let (n, count) = (tangents[0].nrows(), tangents.len());
    let turn = |j: usize| {
        let angle = ((order * (j as isize + 1)) % count as isize) as f64 / count as f64;
        Complex::from_polar(1.0 / count as f64, -TAU * angle)
    };
    let turns: Vec<Complex> = (0..count).map(turn).collect();
    Mat::from_fn(n, n, |r, s| tangents.iter().zip(&turns).map(|(t, turn)| turn * t[(r, s)]).sum())
}
