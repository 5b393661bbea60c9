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
use crate::linalg::{Cholesky, EigenRequest, Eigenpairs, Symbolic, SymmetricSparse, lowest_modes};
use crate::model::Model;

/// Reduces a body; `boundary` are free freedoms of the body that are kept.
pub fn reduce(
    model: &Model,
    body: &Body,
    boundary: &[usize],
    modes: EigenRequest,
) -> Result<Superelement, ReductionError> {
    let (stiffness, mass) = (&model.operators.stiffness.free, &model.operators.mass.free);
    let kept: std::collections::HashSet<usize> = boundary.iter().copied().collect();
    let internal: Vec<usize> =
        body.freedoms.iter().copied().filter(|freedom| !kept.contains(freedom)).collect();
    let blocks = Blocks::new(stiffness, &internal, boundary);
    let mut mass_blocks = Blocks::new(mass, &internal, boundary);
    mass_blocks.internal = mass_blocks.internal.sharing_pattern_of(&blocks.internal);
    let name = body.name().to_string();
    let failed = |error| ReductionError::Internal { body: name.clone(), error };
    let (constraint_modes, pairs) = if internal.is_empty() {
        (Mat::zeros(0, boundary.len()), Eigenpairs::none(0))
    } else {
        let symbolic = Symbolic::analyse(blocks.internal.pattern()).map_err(failed)?;
        let factor = Cholesky::new(&symbolic, &blocks.internal).map_err(failed)?;
        let mut solution = blocks.coupling.map(|value| -value);
        factor.solve_in_place(solution.as_mut());
        drop(factor);
        let (stiffness, mass) = (&blocks.internal, &mass_blocks.internal);
        let pairs = lowest_modes(stiffness, mass, &symbolic, modes, &mut |_, _| {});
        let failed = |error| ReductionError::Modes { body: name.clone(), error };
        (solution, pairs.map_err(failed)?)
    };
    // M_ii Ψ + M_ib.
    let mut inertia = mass_blocks.coupling.clone();
    inertia += product(&mass_blocks.internal, constraint_modes.as_ref());
    let coupling = pairs.vectors.transpose() * &inertia;
    let k_b = &blocks.boundary + blocks.coupling.transpose() * &constraint_modes;
    let m_b = &mass_blocks.boundary
        + mass_blocks.coupling.transpose() * &constraint_modes
        + constraint_modes.transpose() * &inertia;
    Ok(Superelement {
        name,
        boundary: boundary.to_vec(),
        internal,
        eigenvalues: pairs.values,
        stiffness: symmetric(&k_b),
        mass: symmetric(&m_b),
        coupling,
        modes: pairs.vectors,
        constraint_modes,
    })
}

/// A matrix partitioned into internal and boundary freedoms.
struct Blocks {
    internal: SymmetricSparse,
    /// A_ib, dense.
    coupling: Mat<f64>,
    /// A_bb, dense.
    boundary: Mat<f64>,
}

impl Blocks {
    fn new(matrix: &SymmetricSparse, internal: &[usize], boundary: &[usize]) -> Self {
        let mut place = std::collections::HashMap::new();
        place.extend(internal.iter().enumerate().map(|(i, freedom)| (*freedom, (true, i))));
        place.extend(boundary.iter().enumerate().map(|(i, freedom)| (*freedom, (false, i))));
        let mut blocks = Self {
            internal: matrix.principal(internal),
            coupling: Mat::zeros(internal.len(), boundary.len()),
            boundary: Mat::zeros(boundary.len(), boundary.len()),
        };
        for &col in internal.iter().chain(boundary) {
            for (row, value) in matrix.column(col) {
                match (place.get(&row), place.get(&col)) {
                    (Some(&(true, i)), Some(&(false, b)))
                    | (Some(&(false, b)), Some(&(true, i))) => {
                        blocks.coupling[(i, b)] = value;
                    }
                    (Some(&(false, a)), Some(&(false, b))) => {
                        blocks.boundary[(a, b)] = value;
                        blocks.boundary[(b, a)] = value;
                    }
                    _ => {}
                }
            }
        }
        blocks
    }
}

fn product(matrix: &SymmetricSparse, x: MatRef<'_, f64>) -> Mat<f64> {
    let mut y = Mat::zeros(x.nrows(), x.ncols());
    matrix.mul_block_into(y.as_mut(), x);
    y
}

/// (A + Aᵀ)/2, against rounding.
fn symmetric(matrix: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]))
}
