//! Craig–Bampton reduction with fixed-interface modes.
//!
//! ```text
//! Internal (i) and boundary (b) freedoms of a body, Craig and Bampton (1968):
//!
//!     K_ii Ψ = −K_ib ,   K_ii Φ = M_ii Φ Λ ,  ΦᵀM_iiΦ = I ,                        (1)
//!     u_i = Φ η + Ψ u_b ,                                                         (2)
//!     K_b = K_bb + K_bi Ψ ,   M_qb = Φᵀ(M_ii Ψ + M_ib) ,                           (3)
//!     M_b = M_bb + M_bi Ψ + Ψᵀ (M_ib + M_ii Ψ) .
//! ```
//!
//! All constraint modes come from one factorisation and one solve with all right-hand sides.

use faer::{Mat, MatRef};

use super::{Body, ReductionError, Superelement};
use crate::linalg::dense::symmetric;
use crate::linalg::{
    Cholesky, EigenRequest, Eigenpairs, FactorError, Symbolic, SymmetricSparse, lowest_modes,
};
use crate::model::Model;

/// Columns of M_ii Ψ that exist at a time: Ψ is the largest matrix of a reduction, one is enough.
const COLUMNS: usize = 32;

/// Reduces a body; `boundary` are free freedoms of the body that are kept.
pub fn reduce(
    model: &Model,
    body: &Body,
    boundary: &[usize],
    modes: EigenRequest,
) -> Result<Superelement, ReductionError> {
    let partition = Partition::new(model, body, boundary);
    if partition.internal.is_empty() {
        let none = Mat::zeros(0, boundary.len());
        return Ok(partition.superelement(none, Eigenpairs::none(0)));
    }
    let symbolic = partition.analyse()?;
    let constraint_modes = partition.constraint_modes(&partition.factor(&symbolic)?);
    let pairs = partition.fixed_interface_modes(&symbolic, modes)?;
    Ok(partition.superelement(constraint_modes, pairs))
}

/// A body divided into internal and boundary freedoms: the steps of its reduction.
pub struct Partition {
    name: String,
    boundary: Vec<usize>,
    internal: Vec<usize>,
    stiffness: Blocks,
    mass: Blocks,
}

impl Partition {
    /// Divides the matrices of a body.
    pub fn new(model: &Model, body: &Body, boundary: &[usize]) -> Self {
        let kept: std::collections::HashSet<usize> = boundary.iter().copied().collect();
        let internal: Vec<usize> =
            body.freedoms.iter().copied().filter(|freedom| !kept.contains(freedom)).collect();
        let stiffness = Blocks::new(&model.operators.stiffness.free, &internal, boundary);
        let mut mass = Blocks::new(&model.operators.mass.free, &internal, boundary);
        mass.internal = mass.internal.sharing_pattern_of(&stiffness.internal);
        let name = body.name().to_string();
        Self { name, boundary: boundary.to_vec(), internal, stiffness, mass }
    }

    fn failed(&self) -> impl Fn(FactorError) -> ReductionError + '_ {
        |error| ReductionError::Internal { body: self.name.clone(), error }
    }

    /// Ordering and structure of the factor of K_ii.
    pub fn analyse(&self) -> Result<Symbolic, ReductionError> {
        Symbolic::analyse(self.stiffness.internal.pattern()).map_err(self.failed())
    }

    /// The factor of K_ii.
    pub fn factor(&self, symbolic: &Symbolic) -> Result<Cholesky, ReductionError> {
        Cholesky::new(symbolic, &self.stiffness.internal).map_err(self.failed())
    }

    /// Ψ of (1).
    pub fn constraint_modes(&self, factor: &Cholesky) -> Mat<f64> {
        let mut solution = Mat::zeros(self.internal.len(), self.boundary.len());
        self.stiffness.coupling.iter().for_each(|&(i, b, value)| solution[(i, b)] = -value);
        factor.solve_in_place(solution.as_mut());
        solution
    }

    /// Λ and Φ of (1).
    pub fn fixed_interface_modes(
        &self,
        symbolic: &Symbolic,
        modes: EigenRequest,
    ) -> Result<Eigenpairs, ReductionError> {
        let (stiffness, mass) = (&self.stiffness.internal, &self.mass.internal);
        lowest_modes(stiffness, mass, symbolic, modes, &mut |_, _| {})
            .map_err(|error| ReductionError::Modes { body: self.name.clone(), error })
    }

    /// The projection (3).
    pub fn superelement(self, constraint_modes: Mat<f64>, pairs: Eigenpairs) -> Superelement {
        let (n, n_modes) = (self.boundary.len(), pairs.values.len());
        let k_b = self.stiffness.beside(constraint_modes.as_ref());
        let mut m_b = self.mass.beside(constraint_modes.as_ref());
        let mut coupling = Mat::zeros(n_modes, n);
        for first in (0..n).step_by(COLUMNS) {
            let count = COLUMNS.min(n - first);
            let inertia = self.inertia(constraint_modes.as_ref().subcols(first, count), first);
            let mut modal = coupling.as_mut().subcols_mut(first, count);
            modal.copy_from(pairs.vectors.transpose() * &inertia);
            let mut own = m_b.as_mut().subcols_mut(first, count);
            own += constraint_modes.transpose() * &inertia;
        }
        Superelement {
            name: self.name,
            boundary: self.boundary,
            internal: self.internal,
            eigenvalues: pairs.values,
            stiffness: symmetric(&k_b),
            mass: symmetric(&m_b),
            coupling,
            modes: pairs.vectors,
            constraint_modes,
        }
    }

    /// Columns of M_ii Ψ + M_ib from column `first` on.
    fn inertia(&self, constraint_modes: MatRef<'_, f64>, first: usize) -> Mat<f64> {
        let columns = first..first + constraint_modes.ncols();
        let mut inertia = Mat::zeros(constraint_modes.nrows(), constraint_modes.ncols());
        self.mass.internal.mul_block_into(inertia.as_mut(), constraint_modes);
        for &(i, b, value) in self.mass.coupling.iter().filter(|entry| columns.contains(&entry.1)) {
            inertia[(i, b - first)] += value;
        }
        inertia
    }
}

/// A matrix partitioned into internal and boundary freedoms.
struct Blocks {
    internal: SymmetricSparse,
    /// Entries of A_ib: row, column, value.
    coupling: Vec<(usize, usize, f64)>,
    /// A_bb, dense.
    boundary: Mat<f64>,
}

/// Where a freedom goes.
#[derive(Clone, Copy)]
enum Place {
    Elsewhere,
    Internal(usize),
    Boundary(usize),
}

impl Blocks {
    fn new(matrix: &SymmetricSparse, internal: &[usize], boundary: &[usize]) -> Self {
        let mut place = vec![Place::Elsewhere; matrix.size()];
        internal.iter().enumerate().for_each(|(i, freedom)| place[*freedom] = Place::Internal(i));
        boundary.iter().enumerate().for_each(|(b, freedom)| place[*freedom] = Place::Boundary(b));
        let mut blocks = Self {
            internal: matrix.principal(internal),
            coupling: vec![],
            boundary: Mat::zeros(boundary.len(), boundary.len()),
        };
        for &col in internal.iter().chain(boundary) {
            for (row, value) in matrix.column(col) {
                match (place[row], place[col]) {
                    (Place::Internal(i), Place::Boundary(b))
                    | (Place::Boundary(b), Place::Internal(i)) => {
                        blocks.coupling.push((i, b, value));
                    }
                    (Place::Boundary(a), Place::Boundary(b)) => {
                        blocks.boundary[(a, b)] = value;
                        blocks.boundary[(b, a)] = value;
                    }
                    _ => {}
                }
            }
        }
        blocks
    }

    /// A_bb + A_bi Ψ.
    fn beside(&self, constraint_modes: MatRef<'_, f64>) -> Mat<f64> {
        let mut sum = self.boundary.clone();
        for &(i, b, value) in &self.coupling {
            for j in 0..sum.ncols() {
                sum[(b, j)] += value * constraint_modes[(i, j)];
            }
        }
        sum
    }
}
