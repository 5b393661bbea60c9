//! The matrix functions of exponential integrators.
//!
//! ```text
//!     φ₁(A) b = ∫₀¹ e^{(1−s)A} b ds ,      φ₂(A) c = ∫₀¹ e^{(1−s)A} s c ds                    (1)
//!
//!         ⎡ A  b ⎤   ⎡ e^A  φ₁b ⎤            ⎡ A  c  0 ⎤   ⎡ e^A  φ₁c  φ₂c ⎤
//!     exp ⎣ 0  0 ⎦ = ⎣  0    1  ⎦ ,      exp ⎢ 0  0  1 ⎥ = ⎢  0    1    1  ⎥                  (2)
//!                                            ⎣ 0  0  0 ⎦   ⎣  0    0    1  ⎦
//! ```
//!
//! (2) is from Saad 1992 and Al-Mohy & Higham 2011. The exponential itself is the [6/6] Padé approximation of
//! A/2^s with ‖A/2^s‖₁ ≤ ½, squared s times (Golub & Van Loan, algorithm 11.3.1).

use faer::Mat;
use faer::prelude::Solve;

/// Coefficients of the [6/6] Padé approximation.
const PADE: [f64; 7] =
    [1.0, 0.5, 5.0 / 44.0, 1.0 / 66.0, 1.0 / 792.0, 1.0 / 15840.0, 1.0 / 665280.0];

/// φ₁(A) b.
pub fn phi1(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    phi(matrix, vector, 1)
}

/// φ₂(A) c.
pub fn phi2(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    phi(matrix, vector, 2)
}

/// The last column of (2), with the vector scaled to the matrix.
fn phi(matrix: &Mat<f64>, vector: &[f64], order: usize) -> Vec<f64> {
    let n = vector.len();
    let largest = vector.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        return vec![0.0; n];
    }
    let augmented = Mat::from_fn(n + order, n + order, |i, j| match (i < n, j < n) {
        (true, true) => matrix[(i, j)],
        (true, false) if j == n => vector[i] / largest,
        (false, false) if j == i + 1 => 1.0,
        _ => 0.0,
    });
    let result = exponential(&augmented);
    (0..n).map(|i| largest * result[(i, n + order - 1)]).collect()
}

/// e^A.
pub fn exponential(matrix: &Mat<f64>) -> Mat<f64> {
    let n = matrix.nrows();
    let norm = (0..n).map(|j| matrix.col(j).norm_l1()).fold(0.0, f64::max);
    let squarings = if norm > 0.5 { (norm / 0.5).log2().ceil() as i32 } else { 0 };
    let scaled = matrix * faer::Scale(0.5_f64.powi(squarings));
    let mut power = Mat::<f64>::identity(n, n);
    let (mut even, mut odd) = (Mat::<f64>::zeros(n, n), Mat::<f64>::zeros(n, n));
    for (k, coefficient) in PADE.iter().enumerate() {
        let term = &power * faer::Scale(*coefficient);
        if k % 2 == 0 {
            even += term
        } else {
            odd += term
        }
        power = &power * &scaled;
    }
    let mut result = (&even - &odd).partial_piv_lu().solve(&even + &odd);
    for _ in 0..squarings {
        result = &result * &result;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_diagonal_matrix_are_those_of_its_entries() {
        let entries: [f64; 6] = [-1e4, -30.0, -0.5, 0.0, 1e-9, 2.0];
        let matrix = Mat::from_fn(6, 6, |i, j| if i == j { entries[i] } else { 0.0 });
        let ones = vec![1e-12; 6];
        for (i, z) in entries.iter().enumerate() {
            let small = z.abs() < 1e-3;
            let one = if small { 1.0 + z / 2.0 } else { z.exp_m1() / z };
            let two = if small { 0.5 + z / 6.0 } else { (one - 1.0) / z };
            let found = (phi1(&matrix, &ones)[i] / 1e-12, phi2(&matrix, &ones)[i] / 1e-12);
            assert!((found.0 - one).abs() < 1e-10 * one, "{z} {found:?} {one}");
            assert!((found.1 - two).abs() < 1e-10 * two, "{z} {found:?} {two}");
        }
    }

    #[test]
    fn the_exponential_of_a_rotation_turns() {
        let angle = 5.0;
        let matrix = Mat::from_fn(2, 2, |i, j| match (i, j) {
            (0, 1) => -angle,
            (1, 0) => angle,
            _ => 0.0,
        });
        let turned = exponential(&matrix);
        assert!((turned[(0, 0)] - angle.cos()).abs() < 1e-13);
        assert!((turned[(1, 0)] - angle.sin()).abs() < 1e-13);
    }
}
