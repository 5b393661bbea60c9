//! LU factorisation in the place of the matrix.
//!
//! faer's own solver copies the matrix first and then stores L and U apart: three times the memory, and for small
//! matrices half of the time.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{Mat, MatMut, get_global_parallelism};

/// P A = L U.
#[derive(Debug, Clone)]
pub struct Lu {
    /// L below the diagonal, U above.
    factors: Mat<f64>,
    /// P and its inverse.
    forward: Vec<usize>,
    backward: Vec<usize>,
}

impl Lu {
    /// Factorises a square matrix.
    pub fn new(mut matrix: Mat<f64>) -> Self {
        let n = matrix.nrows();
        let (mut forward, mut backward) = (vec![0; n], vec![0; n]);
        let threads = get_global_parallelism();
        let scratch = factor::lu_in_place_scratch::<usize, f64>(n, n, threads, Default::default());
        factor::lu_in_place(
            matrix.as_mut(),
            &mut forward,
            &mut backward,
            threads,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        Self { factors: matrix, forward, backward }
    }

    /// Order of the matrix.
    pub fn size(&self) -> usize {
        self.factors.nrows()
    }

    /// A⁻¹ B in the place of B.
    pub fn solve_in_place(&self, right: MatMut<'_, f64>) {
        let (n, k) = (self.size(), right.ncols());
        let threads = get_global_parallelism();
        solve::solve_in_place(
            self.factors.as_ref(),
            self.factors.as_ref(),
            PermRef::new_checked(&self.forward, &self.backward, n),
            right,
            threads,
            MemStack::new(&mut MemBuffer::new(solve::solve_in_place_scratch::<usize, f64>(
                n, k, threads,
            ))),
        );
    }
}

#[cfg(test)]
mod tests {
    use faer::prelude::Solve;

    use super::*;

    #[test]
    fn solutions_equal_those_of_the_copying_solver() {
        for n in [0, 1, 2, 37, 150] {
            let entry =
                |i: usize, j: usize| ((3 * i + 7 * j) as f64).sin() + 1.0 / (i + j + 1) as f64;
            let matrix = Mat::from_fn(n, n, |i, j| entry(i, j) + f64::from(u8::from(i == j)));
            let right = Mat::from_fn(n, 2, |i, j| (i as f64 - j as f64).cos());
            let expected = matrix.partial_piv_lu().solve(&right);
            let (lu, mut found) = (Lu::new(matrix), right);
            lu.solve_in_place(found.as_mut());
            assert!((&found - &expected).norm_max() <= 1e-12 * expected.norm_max(), "{n}");
        }
    }
}
