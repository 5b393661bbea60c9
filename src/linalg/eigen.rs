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
//! The basis is kept orthogonal to all its columns, but T holds only what exact arithmetic gives: the
//! block tridiagonal, and after a thick restart the Ritz values with their residuals R Eᵀy. Blocks find
//! multiple eigenvalues; the inertia of K − σM (Sylvester) proves afterwards that none was missed.
//! s = 0 unless K is singular or the wanted θ span too many orders of magnitude. Small problems are solved
//! densely by the same (1).

use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};
use thiserror::Error;

use super::dense::symmetric_eigen;
use super::factor::{Cholesky, FactorError, Ldlt, Symbolic};
use super::symmetric::SymmetricSparse;

mod lanczos;

use lanczos::Lanczos;

/// Below this size the dense solver is as fast and finds all modes at once.
const DENSE_SIZE: usize = 800;
/// Below this size it is used when a large part of all modes is wanted.
const DENSE_SIZE_MANY: usize = 4000;
const BLOCK: usize = 4;
const MAX_BLOCK: usize = 32;

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
    /// Whether K was found singular to working precision.
    pub is_singular: bool,
}

impl Eigenpairs {
    /// No pairs of a problem of this size.
    pub fn none(size: usize) -> Self {
        Self { values: vec![], vectors: Mat::zeros(size, 0), n_solves: 0, is_singular: false }
    }
}

/// What a solver found with one shift.
enum Outcome {
    Pairs(Eigenpairs),
    /// The wanted θ span too many orders of magnitude; the highest wanted λ is about this.
    Spread {
        highest: f64,
    },
}

/// Largest ratio of the θ that are computed together: rounding is relative to the largest.
const MAX_SPREAD: f64 = 1e4;
/// The shift that narrows their range, relative to the highest wanted λ.
const NARROWING_SHIFT: f64 = 1e-2;
const MAX_SHIFTS: usize = 4;

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
    /// Overflow or a loss of all digits.
    #[error("the numbers of the model are too far apart: check units of stiffness and mass")]
    NotFinite,
    /// The inertia count disagrees with the modes found.
    #[error(
        "{counted} modes lie below eigenvalue {bound:.6e}, but only {found} were found: the model is too \
         ill-conditioned; use fewer elements along slender parts"
    )]
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
    if count == 0 {
        return Ok(Eigenpairs::none(size));
    }
    if count > size {
        return Err(EigenError::TooMany { asked: count, available: size });
    }
    let mut operator = ShiftInvert::new(stiffness, mass, symbolic)?;
    let is_singular = operator.shift > 0.0;
    let is_dense = size <= DENSE_SIZE || (size <= DENSE_SIZE_MANY && 6 * count > size);
    let mut block = BLOCK;
    let mut n_shifts = 0;
    loop {
        let outcome = if is_dense {
            operator.dense_modes(count)
        } else {
            Lanczos::new(&operator, count, block).run(progress)
        };
        let outcome = match outcome {
            // More equal θ than the block has columns.
            Err(EigenError::NotConverged { .. }) if block < MAX_BLOCK => {
                block *= 2;
                continue;
            }
            outcome => outcome?,
        };
        let mut pairs = match outcome {
            Outcome::Pairs(pairs) => pairs,
            // A shift well below the wanted eigenvalues, but far above the few lowest ones, narrows
            // the range of θ. Larger ones would make a cluster of many θ.
            Outcome::Spread { highest } if n_shifts < MAX_SHIFTS => {
                let shift = NARROWING_SHIFT * highest;
                operator = ShiftInvert::shifted(stiffness, mass, symbolic, shift)?;
                n_shifts += 1;
                continue;
            }
            Outcome::Spread { .. } => return Err(EigenError::NotFinite),
        };
        pairs.is_singular = is_singular;
        if pairs.vectors.norm_max().is_nan() {
            return Err(EigenError::NotFinite);
        }
        if n_shifts > 0 {
            separate(&mut pairs, stiffness);
        }
        rayleigh_quotients(&mut pairs, stiffness);
        if is_dense {
            return Ok(pairs); // All modes were computed: none can be missed.
        }
        match verify(&pairs, stiffness, mass, symbolic) {
            Ok(()) => return Ok(pairs),
            // An eigenvalue of higher multiplicity than the block: widen it.
            Err(EigenError::Missed { .. }) if block < MAX_BLOCK => block *= 2,
            Err(error) => return Err(error),
        }
    }
}

/// Separates the modes within the space they span, by ΦᵀKΦ.
///
/// Seen through a large shift low modes lie close together and come out mixed; K tells them apart.
fn separate(pairs: &mut Eigenpairs, stiffness: &SymmetricSparse) {
    let mut image = Mat::zeros(pairs.vectors.nrows(), pairs.vectors.ncols());
    stiffness.mul_block_into(image.as_mut(), pairs.vectors.as_ref());
    let projected = pairs.vectors.transpose() * &image;
    if let Some((_, mixture)) = symmetric_eigen(projected.as_ref()) {
        pairs.vectors = &pairs.vectors * &mixture;
    }
}

/// Takes φᵀKφ as eigenvalues, whose error is quadratic in that of φ, and sorts.
fn rayleigh_quotients(pairs: &mut Eigenpairs, stiffness: &SymmetricSparse) {
    let values: Vec<f64> = (0..pairs.vectors.ncols())
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
    // In the last clear gap between the values, where the elimination of K − σM is well-conditioned.
    let gap = |i: &usize| pairs.values[*i] > (1.0 + 1e-3) * pairs.values[*i - 1].max(0.0);
    let Some(found) = (1..pairs.values.len()).rev().find(gap) else {
        return Ok(());
    };
    let bound = 0.5 * (pairs.values[found - 1].max(0.0) + pairs.values[found]);
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
        if let Some(factor) = Cholesky::regular(symbolic, stiffness)? {
            return Ok(Self { factor, mass, shift: 0.0, shifted: stiffness.clone() });
        }
        // Rigid-body modes: a shift far above rounding and far below the elastic modes.
        let ratio = |(k, m): (&f64, &f64)| if *m > 0.0 { k / m } else { 0.0 };
        let (k, m) = (stiffness.diagonal(), mass.diagonal());
        let highest = k.iter().zip(&m).map(ratio).fold(0.0, f64::max);
        // The dense solver does not mind close θ and is the more accurate the less they spread.
        let fraction = if mass.size() <= DENSE_SIZE { 1e-3 } else { 1e-9 };
        let shift = if highest > 0.0 { fraction * highest } else { 1.0 };
        Self::shifted(stiffness, mass, symbolic, shift)
    }

    fn shifted(
        stiffness: &SymmetricSparse,
        mass: &'a SymmetricSparse,
        symbolic: &Symbolic,
        shift: f64,
    ) -> Result<Self, EigenError> {
        let shifted = stiffness.combine(1.0, mass, shift);
        match Cholesky::regular(symbolic, &shifted)? {
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

    /// The lowest modes by the dense form of (1).
    fn dense_modes(&self, count: usize) -> Result<Outcome, EigenError> {
        let (values, vectors) = super::dense::modes(&dense(&self.shifted), &dense(self.mass), 0.0)
            .ok_or(EigenError::MasslessMechanism)?;
        if count > values.len() {
            return Err(EigenError::TooMany { asked: count, available: values.len() });
        }
        Ok(Outcome::Pairs(Eigenpairs {
            values: values[..count].iter().map(|value| value - self.shift).collect(),
            vectors: vectors.subcols(0, count).to_owned(),
            n_solves: self.size(),
            is_singular: false,
        }))
    }

    /// Whether 1/θ of the wanted modes, ascending, lie too far apart.
    fn spread(&self, inverse: &[f64]) -> Option<Outcome> {
        let (first, last) = (inverse.first()?.abs(), *inverse.last()?);
        let highest = last - self.shift;
        (last > MAX_SPREAD * first).then_some(Outcome::Spread { highest })
    }
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

#[cfg(test)]
mod tests;
