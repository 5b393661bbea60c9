//! Lowest eigenpairs of K φ = λ M φ by shift-invert block Lanczos.
//!
//! ```text
//! The operator A = (K + sM)⁻¹ M is self-adjoint in the inner product ⟨x, y⟩ = xᵀMy and has the
//! eigenvectors φ of the pencil, with eigenvalues
//!
//!     θ = 1 / (λ + s) ,   s ≥ 0 ,                                                 (1)
//!
//! so the lowest λ are its largest θ. A basis V, VᵀMV = I, is grown by blocks,
//!
//!     A V = V T + W R Eᵀ ,   T = VᵀMAV ,                                          (2)
//!
//! and a Ritz pair (θ, Vy) of T has the residual norm ‖R Eᵀy‖.
//! ```
//!
//! Orthogonalisation is full and done twice, so T is known to rounding and a thick restart needs no
//! special form: the coupling with kept Ritz vectors comes out of the same projection. Blocks find
//! multiple eigenvalues; the inertia of K − σM (Sylvester) proves afterwards that none was missed.
//! s = 0 unless K is singular. Small problems are solved densely by the same (1).

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Llt;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use thiserror::Error;

use super::factor::{Cholesky, FactorError, Ldlt, Symbolic};
use super::symmetric::SymmetricSparse;

/// Below this size the dense solver is faster and finds all modes at once.
const DENSE_SIZE: usize = 120;
const BLOCK: usize = 8;
const MAX_BLOCK: usize = 128;
const MAX_RESTARTS: usize = 200;
/// Residual of a converged Ritz pair relative to its θ.
const TOL_RITZ: f64 = 1e-11;
/// Pivots below this fraction of the diagonal mean that K is singular.
const TOL_PIVOT: f64 = 1e-11;
/// Directions shorter than this after orthogonalisation are in the space already.
const TOL_BREAKDOWN: f64 = 1e-10;

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EigenRequest {
    /// The lowest so many.
    Count(usize),
    /// All with λ below this.
    Below(f64),
}

/// Eigenvalues in ascending order and M-orthonormal eigenvectors (columns).
#[derive(Debug, Clone)]
pub struct Eigenpairs {
    /// λ.
    pub values: Vec<f64>,
    /// φ, one per column.
    pub vectors: Mat<f64>,
    /// Number of shift-invert solves (right-hand sides).
    pub n_solves: usize,
}

/// Why no eigenpairs were found.
#[derive(Debug, Error)]
pub enum EigenError {
    /// K + sM cannot be factorised: some motion has neither stiffness nor mass.
    #[error("stiffness and mass are both singular in the same motion")]
    MasslessMechanism,
    /// Factorisation failed for lack of memory.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// More modes were asked for than exist.
    #[error("{asked} modes were asked for, but the model has only {available} modes with mass")]
    TooMany {
        /// Requested number.
        asked: usize,
        /// Number of finite eigenvalues.
        available: usize,
    },
    /// The iteration did not converge.
    #[error(
        "{converged} of {asked} modes converged after {restarts} restarts of the Lanczos iteration"
    )]
    NotConverged {
        /// Modes that did converge.
        converged: usize,
        /// Requested number.
        asked: usize,
        /// Restarts made.
        restarts: usize,
    },
    /// The inertia count disagrees with the modes found.
    #[error("{counted} modes lie below eigenvalue {bound:.6e}, but only {found} were found")]
    Missed {
        /// Number by inertia.
        counted: usize,
        /// Number found.
        found: usize,
        /// The λ up to which was counted.
        bound: f64,
    },
}

/// Number of eigenvalues of K φ = λ M φ below `bound`.
pub fn count_below(
    stiffness: &SymmetricSparse,
    mass: &SymmetricSparse,
    symbolic: &Symbolic,
    bound: f64,
) -> Result<usize, FactorError> {
    let count = |bound: f64| {
        let shifted = stiffness.combine(1.0, mass, -bound);
        Ok(Ldlt::new(symbolic, &shifted)?.negative_eigenvalues())
    };
    match count(bound) {
        // A pivot vanished by chance: the elimination has no pivoting, so move the bound a little.
        Err(FactorError::Singular { .. }) => count(bound * (1.0 + 3.7e-9)),
        outcome => outcome,
    }
}

/// Lowest eigenpairs of K φ = λ M φ, K and M positive semi-definite on one pattern.
///
/// `progress` is told how many of how many modes have converged.
pub fn lowest_modes(
    stiffness: &SymmetricSparse,
    mass: &SymmetricSparse,
    symbolic: &Symbolic,
    request: EigenRequest,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Eigenpairs, EigenError> {
    let count = match request {
        EigenRequest::Count(count) => count,
        EigenRequest::Below(bound) => count_below(stiffness, mass, symbolic, bound)?,
    };
    let size = stiffness.size();
    if count > size {
        return Err(EigenError::TooMany { asked: count, available: size });
    }
    let operator = ShiftInvert::new(stiffness, mass, symbolic)?;
    let mut block = BLOCK;
    loop {
        let mut pairs = if size <= DENSE_SIZE {
            operator.dense_modes(count)?
        } else {
            Lanczos::new(&operator, count, block).run(progress)?
        };
        rayleigh_quotients(&mut pairs, stiffness);
        match verify(&pairs, stiffness, mass, symbolic) {
            Ok(()) => return Ok(pairs),
            // An eigenvalue of higher multiplicity than the block: widen it.
            Err(EigenError::Missed { .. }) if size > DENSE_SIZE && block < MAX_BLOCK => block *= 2,
            Err(error) => return Err(error),
        }
    }
}

/// Replaces the eigenvalues by φᵀKφ, whose error is quadratic in that of φ, and sorts.
fn rayleigh_quotients(pairs: &mut Eigenpairs, stiffness: &SymmetricSparse) {
    let values: Vec<f64> = (0..pairs.values.len())
        .map(|i| stiffness.energy(column(pairs.vectors.as_ref(), i)))
        .collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    pairs.values = order.iter().map(|&i| values[i]).collect();
    let vectors = &pairs.vectors;
    pairs.vectors = Mat::from_fn(vectors.nrows(), order.len(), |r, c| vectors[(r, order[c])]);
}

/// Compares the number of modes below the highest one found with the inertia of K − σM.
fn verify(
    pairs: &Eigenpairs,
    stiffness: &SymmetricSparse,
    mass: &SymmetricSparse,
    symbolic: &Symbolic,
) -> Result<(), EigenError> {
    let Some(&last) = pairs.values.last() else {
        return Ok(());
    };
    // Slightly below the last mode and its multiples, where the count is certain.
    let bound = last * (1.0 - 1e-6);
    let found = pairs.values.iter().filter(|&&value| value < bound).count();
    if last <= 0.0 || found == 0 {
        return Ok(());
    }
    let counted = count_below(stiffness, mass, symbolic, bound)?;
    if counted > found {
        return Err(EigenError::Missed { counted, found, bound });
    }
    Ok(())
}

/// The operator (K + sM)⁻¹M.
struct ShiftInvert<'a> {
    factor: Cholesky,
    mass: &'a SymmetricSparse,
    shift: f64,
    shifted: SymmetricSparse,
}

impl<'a> ShiftInvert<'a> {
    fn new(
        stiffness: &SymmetricSparse,
        mass: &'a SymmetricSparse,
        symbolic: &Symbolic,
    ) -> Result<Self, EigenError> {
        if let Some(factor) = regular_factor(symbolic, stiffness)? {
            return Ok(Self { factor, mass, shift: 0.0, shifted: stiffness.clone() });
        }
        // Rigid-body modes: a shift far above rounding and far below the elastic modes.
        let ratio = |(k, m): (&f64, &f64)| if *m > 0.0 { k / m } else { 0.0 };
        let (k, m) = (stiffness.diagonal(), mass.diagonal());
        let highest = k.iter().zip(&m).map(ratio).fold(0.0, f64::max);
        let shift = if highest > 0.0 { 1e-9 * highest } else { 1.0 };
        let shifted = stiffness.combine(1.0, mass, shift);
        match regular_factor(symbolic, &shifted)? {
            Some(factor) => Ok(Self { factor, mass, shift, shifted }),
            None => Err(EigenError::MasslessMechanism),
        }
    }

    fn size(&self) -> usize {
        self.mass.size()
    }

    /// `y` = A `x`.
    fn apply(&self, mut y: MatMut<'_, f64>, x: MatRef<'_, f64>) {
        self.mass.mul_block_into(y.rb_mut(), x);
        self.factor.solve_in_place(y);
    }

    /// All modes of (1) by the dense symmetric problem L⁻¹ M L⁻ᵀ z = θ z, φ = L⁻ᵀ z.
    fn dense_modes(&self, count: usize) -> Result<Eigenpairs, EigenError> {
        let shifted = dense(&self.shifted);
        let llt =
            Llt::new(shifted.as_ref(), Side::Lower).map_err(|_| EigenError::MasslessMechanism)?;
        let factor = llt.L();
        let mut work = dense(self.mass);
        factor.solve_lower_triangular_in_place(work.as_mut());
        let mut operator = work.transpose().to_owned();
        factor.solve_lower_triangular_in_place(operator.as_mut());
        let eigen =
            operator.self_adjoint_eigen(Side::Lower).map_err(|_| EigenError::MasslessMechanism)?;
        let (theta, z) = (eigen.S().column_vector(), eigen.U());
        let size = self.size();
        let largest = theta[size - 1].max(0.0);
        let available = (0..size).filter(|&i| theta[i] > 1e-12 * largest).count();
        if count > available {
            return Err(EigenError::TooMany { asked: count, available });
        }
        let mut vectors = Mat::from_fn(size, count, |r, c| {
            let i = size - 1 - c;
            z[(r, i)] / theta[i].sqrt()
        });
        factor.transpose().solve_upper_triangular_in_place(vectors.as_mut());
        let values = (0..count).map(|c| 1.0 / theta[size - 1 - c] - self.shift).collect();
        Ok(Eigenpairs { values, vectors, n_solves: size })
    }
}

/// The Cholesky factor, or nothing if the matrix is singular to working precision.
fn regular_factor(
    symbolic: &Symbolic,
    matrix: &SymmetricSparse,
) -> Result<Option<Cholesky>, FactorError> {
    let factor = match Cholesky::new(symbolic, matrix) {
        Ok(factor) => factor,
        Err(FactorError::NotPositiveDefinite { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let regular = factor
        .pivots()
        .iter()
        .zip(matrix.diagonal())
        .all(|(pivot, diagonal)| *pivot > TOL_PIVOT * diagonal);
    Ok(regular.then_some(factor))
}

fn dense(matrix: &SymmetricSparse) -> Mat<f64> {
    let mut dense = Mat::zeros(matrix.size(), matrix.size());
    for col in 0..matrix.size() {
        for (row, value) in matrix.column(col) {
            dense[(row, col)] = value;
            dense[(col, row)] = value;
        }
    }
    dense
}

fn column(matrix: MatRef<'_, f64>, col: usize) -> &[f64] {
    let column = matrix.col(col).try_as_col_major().expect("contiguous column");
    column.as_slice()
}

/// State of the block Lanczos iteration (2).
struct Lanczos<'a> {
    operator: &'a ShiftInvert<'a>,
    count: usize,
    block: usize,
    basis: Mat<f64>,
    projected: Mat<f64>,
    /// Columns of the basis in use, and the number of those in the newest block.
    filled: usize,
    newest: usize,
    /// The coupling R of the newest block with the residual directions.
    coupling: Mat<f64>,
    n_solves: usize,
    random: u64,
}

impl<'a> Lanczos<'a> {
    fn new(operator: &'a ShiftInvert<'a>, count: usize, block: usize) -> Self {
        let size = operator.size();
        let capacity = (2 * count + 4 * block).min(size);
        Self {
            operator,
            count,
            block,
            basis: Mat::zeros(size, capacity),
            projected: Mat::zeros(capacity, capacity),
            filled: 0,
            newest: 0,
            coupling: Mat::zeros(0, 0),
            n_solves: 0,
            random: 0x9E37_79B9_7F4A_7C15,
        }
    }

    fn run(mut self, progress: &mut dyn FnMut(usize, usize)) -> Result<Eigenpairs, EigenError> {
        let start = self.random_block();
        self.append(start);
        for _ in 0..MAX_RESTARTS {
            let next = self.expand();
            let ritz = Ritz::of(&self);
            progress(ritz.converged.min(self.count), self.count);
            if ritz.converged >= self.count {
                return self.finish(&ritz);
            }
            let next = next.unwrap_or_else(|| self.random_block());
            if next.ncols() == 0 {
                return self.exhausted(&ritz);
            }
            self.restart(&ritz);
            self.append(next);
        }
        let converged = Ritz::of(&self).converged;
        Err(EigenError::NotConverged { converged, asked: self.count, restarts: MAX_RESTARTS })
    }

    /// Grows the basis to capacity; returns the residual directions left over, if any.
    fn expand(&mut self) -> Option<Mat<f64>> {
        loop {
            let width = self.newest;
            let first = self.filled - width;
            let mut image = Mat::zeros(self.operator.size(), width);
            self.operator.apply(image.as_mut(), self.basis.subcols(first, width));
            self.n_solves += width;
            let projection = self.orthogonalise(&mut image);
            for c in 0..width {
                for r in 0..self.filled {
                    self.projected[(r, first + c)] = projection[(r, c)];
                    self.projected[(first + c, r)] = projection[(r, c)];
                }
            }
            let (next, coupling) = self.orthonormalise(image, projection.norm_max());
            self.coupling = coupling;
            let next = next?;
            if self.filled + next.ncols() > self.basis.ncols() {
                return Some(next);
            }
            self.append(next);
        }
    }

    fn append(&mut self, block: Mat<f64>) {
        let width = block.ncols().min(self.basis.ncols() - self.filled);
        self.basis.subcols_mut(self.filled, width).copy_from(block.subcols(0, width));
        self.filled += width;
        self.newest = width;
    }

    /// Removes from `block` its components along the basis (twice is enough) and returns them.
    fn orthogonalise(&self, block: &mut Mat<f64>) -> Mat<f64> {
        let basis = self.basis.subcols(0, self.filled);
        let mut total = Mat::zeros(self.filled, block.ncols());
        let mut mass_block = Mat::zeros(block.nrows(), block.ncols());
        for _ in 0..2 {
            self.operator.mass.mul_block_into(mass_block.as_mut(), block.as_ref());
            let part = basis.transpose() * &mass_block;
            matmul(block.as_mut(), Accum::Add, basis, part.as_ref(), -1.0, Par::rayon(0));
            total += part;
        }
        total
    }

    /// M-orthonormal directions of `block` and R with block = directions · R; none if it vanishes.
    fn orthonormalise(&self, block: Mat<f64>, scale: f64) -> (Option<Mat<f64>>, Mat<f64>) {
        let width = block.ncols();
        let mut directions = Mat::<f64>::zeros(block.nrows(), width);
        let mut coupling = Mat::zeros(width, width);
        let mut rank = 0;
        for c in 0..width {
            let mut vector = column(block.as_ref(), c).to_vec();
            for _ in 0..2 {
                let mass_vector = self.operator.mass.mul(&vector);
                for r in 0..rank {
                    let known = column(directions.as_ref(), r);
                    let part = dot(known, &mass_vector);
                    coupling[(r, c)] += part;
                    axpy(&mut vector, -part, known);
                }
            }
            let norm = self.operator.mass.energy(&vector).max(0.0).sqrt();
            if norm > TOL_BREAKDOWN * scale {
                coupling[(rank, c)] = norm;
                for (r, value) in vector.iter().enumerate() {
                    directions[(r, rank)] = value / norm;
                }
                rank += 1;
            }
        }
        let coupling = coupling.subrows(0, rank).to_owned();
        let directions = (rank > 0).then(|| directions.subcols(0, rank).to_owned());
        (directions, coupling)
    }

    /// Random M-orthonormal directions in the range of A, orthogonal to the basis.
    fn random_block(&mut self) -> Mat<f64> {
        let (size, width) = (self.operator.size(), self.block);
        let mut block = Mat::zeros(size, width);
        for c in 0..width {
            for r in 0..size {
                block[(r, c)] = self.random_number();
            }
        }
        let mut image = Mat::zeros(size, width);
        self.operator.apply(image.as_mut(), block.as_ref());
        self.n_solves += width;
        let norm = |c| self.operator.mass.energy(column(image.as_ref(), c)).max(0.0).sqrt();
        let scale = (0..width).map(norm).fold(0.0, f64::max);
        self.orthogonalise(&mut image);
        self.orthonormalise(image, scale).0.unwrap_or_else(|| Mat::zeros(size, 0))
    }

    /// Uniform in (−1, 1), the same sequence on every machine (xorshift).
    fn random_number(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Keeps the best Ritz vectors only.
    fn restart(&mut self, ritz: &Ritz) {
        let keep =
            (self.count + 2 * self.block).min(self.filled.saturating_sub(2 * self.block)).max(1);
        let kept = self.basis.subcols(0, self.filled) * ritz.vectors.subcols(0, keep);
        self.basis.subcols_mut(0, keep).copy_from(&kept);
        self.projected.fill(0.0);
        for i in 0..keep {
            self.projected[(i, i)] = ritz.theta[i];
        }
        self.filled = keep;
        self.newest = 0;
    }

    /// The whole space is spanned: every Ritz pair is exact, but there may be too few.
    fn exhausted(self, ritz: &Ritz) -> Result<Eigenpairs, EigenError> {
        let largest = ritz.theta[0].max(0.0);
        let available = ritz.theta.iter().filter(|&&t| t > 1e-12 * largest).count();
        if available < self.count {
            return Err(EigenError::TooMany { asked: self.count, available });
        }
        self.finish(ritz)
    }

    fn finish(self, ritz: &Ritz) -> Result<Eigenpairs, EigenError> {
        let vectors = self.basis.subcols(0, self.filled) * ritz.vectors.subcols(0, self.count);
        let value = |theta: &f64| 1.0 / theta - self.operator.shift;
        let values = ritz.theta[..self.count].iter().map(value).collect();
        Ok(Eigenpairs { values, vectors, n_solves: self.n_solves })
    }
}

/// Ritz pairs of the projected operator, largest θ first.
struct Ritz {
    theta: Vec<f64>,
    vectors: Mat<f64>,
    /// Number of leading pairs whose residual is small.
    converged: usize,
}

impl Ritz {
    fn of(lanczos: &Lanczos) -> Self {
        let size = lanczos.filled;
        let projected = lanczos.projected.submatrix(0, 0, size, size);
        let eigen = projected
            .self_adjoint_eigen(Side::Lower)
            .expect("the dense symmetric eigenproblem converges for finite entries");
        let (s, u) = (eigen.S().column_vector(), eigen.U());
        let theta: Vec<f64> = (0..size).rev().map(|i| s[i]).collect();
        let vectors = Mat::from_fn(size, size, |r, c| u[(r, size - 1 - c)]);
        let newest = vectors.subrows(size - lanczos.newest, lanczos.newest);
        let residual = &lanczos.coupling * newest;
        let small = |&i: &usize| residual.col(i).norm_l2() <= TOL_RITZ * theta[i].abs();
        let converged = (0..size).take_while(small).count();
        Self { theta, vectors, converged }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn axpy(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

#[cfg(test)]
mod tests;
