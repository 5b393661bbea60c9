//! The one product of a condensation, S = Pᵀ diag(w) P with real P and complex w.
//!
//! ```text
//! Columns J of the lower triangle, real and imaginary part in one real product:
//!
//!     (Re S, Im S)_{≥J,J} = P_{:,≥J}ᵀ (diag(Re w) P_J , diag(Im w) P_J)               (1)
//! ```
//!
//! One triangle of two real products costs as much as one real product of full matrices; everything else
//! here is one pass over contiguous columns.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use crate::linalg::Complex;

/// Columns J of (1): few enough that they stay in the cache and little of the upper triangle is formed.
const COLUMNS: usize = 48;
/// Rows and columns that are mirrored together, to stay in the cache.
const TILE: usize = 32;

/// a K + b M − b² S over the rows and columns that K and M have, and the further rows of S.
pub(super) fn relative_stiffness(
    coupling: &Mat<f64>,
    weights: &[Complex],
    (a, stiffness): (Complex, &Mat<f64>),
    (b, mass): (Complex, &Mat<f64>),
) -> (Mat<Complex>, Mat<Complex>) {
    let (n, n_all) = (stiffness.nrows(), coupling.ncols());
    let square = b * b;
    let mut sum = Mat::<Complex>::zeros(n, n);
    let mut rest = Mat::<Complex>::zeros(n_all - n, n_all);
    each_column(coupling, weights, |j, real, imaginary| {
        let mut entries = real.iter().zip(imaginary).map(|(re, im)| Complex::new(*re, *im));
        if j < n {
            let [k, m] = [stiffness, mass].map(|matrix| &column(matrix.as_ref(), j)[j..]);
            let target = column_mut(&mut sum, j)[j..].iter_mut();
            // The entries come last: a zip that ends takes one of its first iterator too many.
            for (((z, k), m), s) in target.zip(k).zip(m).zip(entries.by_ref()) {
                *z = a * k + b * m - square * s;
            }
        }
        let below = column_mut(&mut rest, j)[j.saturating_sub(n)..].iter_mut();
        below.zip(entries).for_each(|(out, entry)| *out = entry);
    });
    mirror(&mut sum);
    (sum, rest)
}

/// Real and imaginary part of every column of the lower triangle of S, from the diagonal down.
fn each_column(
    matrix: &Mat<f64>,
    weights: &[Complex],
    mut visit: impl FnMut(usize, &[f64], &[f64]),
) {
    let n = matrix.ncols();
    let width = 2 * COLUMNS.min(n);
    let mut scaled = Mat::<f64>::zeros(matrix.nrows(), width);
    let mut parts = Mat::<f64>::zeros(n, width);
    for first in (0..n).step_by(COLUMNS) {
        let count = COLUMNS.min(n - first);
        for j in 0..count {
            let own = column(matrix.as_ref(), first + j).iter().zip(weights);
            let real = column_mut(&mut scaled, j).iter_mut().zip(own.clone());
            real.for_each(|(out, (entry, weight))| *out = entry * weight.re);
            let imaginary = column_mut(&mut scaled, count + j).iter_mut().zip(own);
            imaginary.for_each(|(out, (entry, weight))| *out = entry * weight.im);
        }
        matmul(
            parts.as_mut().submatrix_mut(0, 0, n - first, 2 * count),
            Accum::Replace,
            matrix.as_ref().subcols(first, n - first).transpose(),
            scaled.as_ref().subcols(0, 2 * count),
            1.0,
            Par::rayon(0),
        );
        for j in 0..count {
            let [real, imaginary] =
                [j, count + j].map(|c| &column(parts.as_ref(), c)[j..n - first]);
            visit(first + j, real, imaginary);
        }
    }
}

/// Copies the lower triangle to the upper one.
fn mirror(matrix: &mut Mat<Complex>) {
    let n = matrix.nrows();
    for first_column in (0..n).step_by(TILE) {
        for first_row in (first_column..n).step_by(TILE) {
            for j in first_column..n.min(first_column + TILE) {
                for i in first_row.max(j + 1)..n.min(first_row + TILE) {
                    matrix[(j, i)] = matrix[(i, j)];
                }
            }
        }
    }
}

fn column<T>(matrix: MatRef<'_, T>, j: usize) -> &[T] {
    matrix.col(j).try_as_col_major().expect("contiguous column").as_slice()
}

fn column_mut<T>(matrix: &mut Mat<T>, j: usize) -> &mut [T] {
    matrix.col_mut(j).try_as_col_major_mut().expect("contiguous column").as_slice_mut()
}
