//! Sparse factorisations of symmetric matrices: A = L Lᵀ and A = L D Lᵀ.
//!
//! The symbolic analysis (ordering, structure of L) is done once per pattern and shared by every
//! numeric factorisation.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltError;
use faer::linalg::cholesky::llt::factor::LltError;
use faer::perm::PermRef;
use faer::sparse::FaerError;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, LltRef, SymbolicCholesky, SymbolicCholeskyRaw,
    SymmetricOrdering, factorize_symbolic_cholesky, supernodal::SupernodalLltRef,
};
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use faer::{Conj, MatMut, Par, Side};
use rayon::prelude::*;
use thiserror::Error;

use super::ordering::fill_reducing;
use super::pattern::Pattern;
use super::symmetric::SymmetricSparse;

/// Fewer right-hand sides than this are not worth another pass over the factor.
const MIN_SOLVE_COLUMNS: usize = 2;

/// Supernodes of up to so many columns may hold this fraction of zeros. faer allows 0.8 of zeros up to 16
/// columns: no faster, and the factor of a plane model is 4 % larger.
const RELAX: &[(usize, f64)] = &[(4, 1.0), (16, 0.3), (48, 0.1), (usize::MAX, 0.05)];

/// Pivots below this fraction of the diagonal mean that a matrix is singular to working precision.
const TOL_PIVOT: f64 = 1e-13;

/// Why a factorisation failed.
#[derive(Debug, Error)]
pub enum FactorError {
    /// L Lᵀ met a pivot that is not positive.
    #[error("the matrix is not positive definite (pivot {pivot} of the elimination)")]
    NotPositiveDefinite {
        /// Position in the elimination order.
        pivot: usize,
    },
    /// L D Lᵀ met a zero pivot.
    #[error("the matrix is singular to working precision (pivot {pivot} of the elimination)")]
    Singular {
        /// Position in the elimination order.
        pivot: usize,
    },
    /// The factor does not fit.
    #[error("not enough memory for the factorisation of {size} unknowns")]
    OutOfMemory {
        /// Number of unknowns.
        size: usize,
    },
    /// The factor has more entries than 32 bits can count.
    #[error(
        "the factor of {size} unknowns would have more than 2^31 entries (16 GiB); coarsen the mesh"
    )]
    TooLarge {
        /// Number of unknowns.
        size: usize,
    },
}

/// Ordering and structure of the factor of every matrix with one pattern.
#[derive(Debug, Clone)]
pub struct Symbolic(Arc<SymbolicCholesky<u32>>);

impl Symbolic {
    /// Analyses a lower-triangular pattern.
    pub fn analyse(pattern: &Pattern) -> Result<Self, FactorError> {
        let size = pattern.size();
        let order = fill_reducing(pattern).ok_or(FactorError::OutOfMemory { size })?;
        let mut inverse = vec![0; size];
        for (position, &unknown) in order.iter().enumerate() {
            inverse[unknown as usize] = position as u32;
        }
        let ordering = SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, size));
        // Supernodes also for small matrices: pivoting in L B Lᵀ needs them.
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            supernodal_params: SymbolicSupernodalParams { relax: Some(RELAX) },
            ..Default::default()
        };
        factorize_symbolic_cholesky(pattern.as_faer(), Side::Lower, ordering, params)
            .map(|symbolic| Self(Arc::new(symbolic)))
            .map_err(|error| match error {
                FaerError::IndexOverflow => FactorError::TooLarge { size },
                _ => FactorError::OutOfMemory { size },
            })
    }

    /// Number of stored entries of L.
    pub fn factor_entries(&self) -> usize {
        self.0.len_val()
    }

    /// Elimination order: `order[i]` is the unknown eliminated as number i.
    fn order(&self) -> Vec<usize> {
        match self.0.perm() {
            Some(perm) => perm.arrays().0.iter().map(|unknown| *unknown as usize).collect(),
            None => (0..self.0.nrows()).collect(),
        }
    }

    pub(super) fn raw(&self) -> &SymbolicCholesky<u32> {
        &self.0
    }

    /// Diagonal of the stored factor (L, or D of L D Lᵀ), in elimination order.
    fn diagonal(&self, values: &[f64]) -> Vec<f64> {
        match self.0.raw() {
            SymbolicCholeskyRaw::Simplicial(raw) => {
                raw.col_ptr()[..raw.ncols()].iter().map(|start| values[*start as usize]).collect()
            }
            SymbolicCholeskyRaw::Supernodal(raw) => {
                let factor = SupernodalLltRef::new(raw, values);
                let entries = |s: usize| {
                    let node = factor.supernode(s).val();
                    (0..node.ncols()).map(move |j| node[(j, j)])
                };
                (0..raw.n_supernodes()).flat_map(entries).collect()
            }
        }
    }

    fn values(&self) -> Result<Vec<f64>, FactorError> {
        zeros(self.factor_entries()).ok_or(self.out_of_memory())
    }

    pub(super) fn out_of_memory(&self) -> FactorError {
        FactorError::OutOfMemory { size: self.0.nrows() }
    }
}

/// A zeroed array, or nothing when there is no memory for it.
///
/// The allocator hands out zero pages, which cost nothing until the factorisation touches them.
pub(super) fn zeros(len: usize) -> Option<Vec<f64>> {
    Vec::<f64>::new().try_reserve_exact(len).ok()?;
    Some(vec![0.0; len])
}

/// A = L Lᵀ of a positive definite matrix.
#[derive(Debug)]
pub struct Cholesky {
    symbolic: Symbolic,
    values: Vec<f64>,
}

impl Cholesky {
    /// Factorises `matrix`, whose pattern `symbolic` was made from.
    pub fn new(symbolic: &Symbolic, matrix: &SymmetricSparse) -> Result<Self, FactorError> {
        let mut values = symbolic.values()?;
        let raw = symbolic.raw();
        let scratch = raw.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| symbolic.out_of_memory())?;
        raw.factorize_numeric_llt(
            &mut values,
            matrix.as_faer(),
            Side::Lower,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|LltError::NonPositivePivot { index }| {
            FactorError::NotPositiveDefinite { pivot: index }
        })?;
        Ok(Self { symbolic: symbolic.clone(), values })
    }

    /// The factor, or nothing if the matrix is singular to working precision or not positive definite.
    pub fn regular(
        symbolic: &Symbolic,
        matrix: &SymmetricSparse,
    ) -> Result<Option<Self>, FactorError> {
        match Self::new(symbolic, matrix) {
            Ok(factor) => {
                let is_regular = factor.weakest_pivot(matrix) > TOL_PIVOT;
                Ok(is_regular.then_some(factor))
            }
            Err(FactorError::NotPositiveDefinite { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Overwrites every column of `rhs` with the solution for it, columns in parallel.
    pub fn solve_in_place(&self, rhs: MatMut<'_, f64>) {
        let width = rhs.ncols().div_ceil(rayon::current_num_threads()).max(MIN_SOLVE_COLUMNS);
        rhs.par_col_chunks_mut(width).for_each(|columns| self.solve_columns(columns));
    }

    fn solve_columns(&self, rhs: MatMut<'_, f64>) {
        let raw = self.symbolic.raw();
        let scratch = raw.solve_in_place_scratch::<f64>(rhs.ncols(), Par::Seq);
        LltRef::new(raw, &self.values).solve_in_place_with_conj(
            Conj::No,
            rhs,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
    }

    /// Overwrites `rhs` with the solution.
    pub fn solve_vec_in_place(&self, rhs: &mut [f64]) {
        let size = rhs.len();
        self.solve_in_place(MatMut::from_column_major_slice_mut(rhs, size, 1));
    }

    /// Smallest pivot Lᵢᵢ² relative to its diagonal entry of `matrix`: small if nearly singular.
    pub fn weakest_pivot(&self, matrix: &SymmetricSparse) -> f64 {
        let diagonal = matrix.diagonal();
        let pivots = self.symbolic.diagonal(&self.values).into_iter().map(|entry| entry * entry);
        let ratios = self.symbolic.order().into_iter().zip(pivots);
        // Overflow leaves no number: that is no regular matrix.
        let ratio = |(unknown, pivot): (usize, f64)| (pivot / diagonal[unknown]).max(0.0);
        ratios.map(ratio).fold(f64::INFINITY, f64::min)
    }
}

/// A = L D Lᵀ of a symmetric, possibly indefinite matrix (no pivoting).
#[derive(Debug)]
pub struct Ldlt {
    symbolic: Symbolic,
    values: Vec<f64>,
}

impl Ldlt {
    /// Factorises `matrix`, whose pattern `symbolic` was made from.
    pub fn new(symbolic: &Symbolic, matrix: &SymmetricSparse) -> Result<Self, FactorError> {
        let mut values = symbolic.values()?;
        let raw = symbolic.raw();
        let scratch = raw.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| symbolic.out_of_memory())?;
        raw.factorize_numeric_ldlt(
            &mut values,
            matrix.as_faer(),
            Side::Lower,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|LdltError::ZeroPivot { index }| FactorError::Singular { pivot: index })?;
        Ok(Self { symbolic: symbolic.clone(), values })
    }

    /// Overwrites every column of `rhs` with the solution for it.
    pub fn solve_in_place(&self, rhs: MatMut<'_, f64>) {
        let raw = self.symbolic.raw();
        let scratch = raw.solve_in_place_scratch::<f64>(rhs.ncols(), Par::Seq);
        LdltRef::new(raw, &self.values).solve_in_place_with_conj(
            Conj::No,
            rhs,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
    }

    /// Number of negative eigenvalues of the matrix (Sylvester's law of inertia).
    pub fn negative_eigenvalues(&self) -> usize {
        let diagonal = self.symbolic.diagonal(&self.values);
        diagonal.iter().filter(|entry| **entry < 0.0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::pattern::clique_pattern;

    /// Tridiagonal (−1, 2, −1) plus `shift` on the diagonal.
    fn chain(size: usize, shift: f64) -> SymmetricSparse {
        let groups: Vec<[usize; 2]> = (1..size).map(|i| [i - 1, i]).collect();
        let pattern = clique_pattern(size, groups.iter().map(|g| g.as_slice()));
        let mut a = SymmetricSparse::zeros(Arc::new(pattern));
        for i in 0..size {
            a.add(i, i, 2.0 + shift);
            if i > 0 {
                a.add(i, i - 1, -1.0);
            }
        }
        a
    }

    #[test]
    fn cholesky_and_ldlt_solve_and_count_inertia() {
        let size = 50;
        let a = chain(size, 0.0);
        let symbolic = Symbolic::analyse(a.pattern()).unwrap();
        let x: Vec<f64> = (0..size).map(|i| (i as f64).sin()).collect();
        let mut y = a.mul(&x);
        Cholesky::new(&symbolic, &a).unwrap().solve_vec_in_place(&mut y);
        assert!(x.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-10));

        // Eigenvalues are 2 − 2 cos(kπ/(n+1)): those below 0.99 have k ≤ 16 for n = 50.
        let shifted = chain(size, -0.99);
        let ldlt = Ldlt::new(&symbolic, &shifted).unwrap();
        assert_eq!(ldlt.negative_eigenvalues(), 16);
        assert!(matches!(
            Cholesky::new(&symbolic, &shifted),
            Err(FactorError::NotPositiveDefinite { .. })
        ));
    }

    #[test]
    fn the_weakest_pivot_tells_nearly_singular_matrices() {
        let a = chain(1, -1.5);
        let symbolic = Symbolic::analyse(a.pattern()).unwrap();
        assert!((Cholesky::new(&symbolic, &a).unwrap().weakest_pivot(&a) - 1.0).abs() < 1e-15);
        // Eigenvalues of the chain of four start at 2 − 2 cos 36°.
        let lowest = 2.0 - 2.0 * (std::f64::consts::PI / 5.0).cos();
        let a = chain(4, 1e-14 - lowest);
        let symbolic = Symbolic::analyse(a.pattern()).unwrap();
        assert!(Cholesky::regular(&symbolic, &a).unwrap().is_none());
        assert!(Cholesky::regular(&symbolic, &chain(4, 0.0)).unwrap().is_some());
    }
}
