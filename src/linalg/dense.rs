//! Dense symmetric eigenproblems.

use faer::Mat;
use faer::Side;
use faer::linalg::solvers::Llt;

/// All finite eigenpairs of K φ = λ M φ with K + sM positive definite and M semi-definite.
///
/// ```text
///     K + sM = L Lᵀ ,   L⁻¹ M L⁻ᵀ z = θ z ,   λ = 1/θ − s ,   φ = L⁻ᵀ z / √θ        (1)
/// ```
///
/// λ ascends, φᵀMφ = 1; nothing if K + sM is not positive definite.
pub fn modes(stiffness: &Mat<f64>, mass: &Mat<f64>, shift: f64) -> Option<(Vec<f64>, Mat<f64>)> {
    let size = stiffness.nrows();
    let shifted = Mat::from_fn(size, size, |i, j| stiffness[(i, j)] + shift * mass[(i, j)]);
    let llt = Llt::new(shifted.as_ref(), Side::Lower).ok()?;
    let factor = llt.L();
    let mut half = mass.clone();
    factor.solve_lower_triangular_in_place(half.as_mut());
    let mut operator = half.transpose().to_owned();
    factor.solve_lower_triangular_in_place(operator.as_mut());
    let eigen = operator.self_adjoint_eigen(Side::Lower).ok()?;
    let (theta, z) = (eigen.S().column_vector(), eigen.U());
    let largest = if size > 0 { theta[size - 1].max(0.0) } else { 0.0 };
    let count = (0..size).filter(|&i| theta[i] > 1e-12 * largest).count();
    let mut vectors = Mat::from_fn(size, count, |r, c| {
        let i = size - 1 - c;
        z[(r, i)] / theta[i].sqrt()
    });
    factor.transpose().solve_upper_triangular_in_place(vectors.as_mut());
    let values = (0..count).map(|c| 1.0 / theta[size - 1 - c] - shift).collect();
    Some((values, vectors))
}
