//! Dense symmetric eigenproblems.

use faer::linalg::solvers::Llt;
use faer::{Mat, MatRef, Scale, Side};

/// Eigenvalues (ascending) and orthonormal eigenvectors of a symmetric matrix; nothing if it is not
/// finite.
///
/// The solver drops couplings below an absolute threshold: a matrix of small numbers, such as
/// flexibilities, loses digits unless it is scaled.
pub fn symmetric_eigen(matrix: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let scale = matrix.norm_max();
    if !scale.is_finite() {
        return None;
    }
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let scaled = matrix * Scale(1.0 / scale);
    let eigen = scaled.self_adjoint_eigen(Side::Lower).ok()?;
    let values = eigen.S().column_vector().iter().map(|value| value * scale).collect();
    Some((values, eigen.U().to_owned()))
}

/// (A + Aᵀ)/2, against rounding.
pub fn symmetric(matrix: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]))
}

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
    let (theta, z) = symmetric_eigen(operator.as_ref())?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenpairs_are_as_exact_for_small_numbers_as_for_large_ones() {
        let size = 40;
        for scale in [1.0, 1e-11, 1e-25, 1e20] {
            let entry = |i: usize, j: usize| scale / (1.0 + (i as f64 - j as f64).powi(2)).powi(2);
            let matrix = Mat::from_fn(size, size, entry);
            let (values, vectors) = symmetric_eigen(matrix.as_ref()).unwrap();
            let image = &matrix * &vectors;
            for (c, value) in values.iter().enumerate() {
                for r in 0..size {
                    let residual = (image[(r, c)] - value * vectors[(r, c)]).abs();
                    assert!(residual < 1e-14 * scale, "{scale} {residual}");
                }
            }
        }
    }
}
