//! Static displacement.
//!
//! ```text
//!     K_ff q_f = f_f − K_fc q_c                                                   (1)
//! ```

use super::LinearError;
use crate::linalg::{Cholesky, FactorError, Symbolic, SymmetricSparse};
use crate::model::{Model, mechanism};

/// Pivots below this fraction of the diagonal call for a look for mechanisms.
const TOL_PIVOT: f64 = 1e-9;

const MAX_REFINEMENTS: usize = 3;
/// A solution that leaves more of the load unbalanced is none.
const MAX_RESIDUAL: f64 = 1e-4;

/// Displacement under the constant loads and prescribed displacements.
#[derive(Debug, Clone)]
pub struct StaticSolution {
    /// Independent freedoms (q_f, q_c) \[m or rad\].
    pub displacement: Vec<f64>,
    /// ‖f − K q‖ / ‖f‖ of the free freedoms.
    pub residual: f64,
}

/// Solves (1).
pub fn solve(model: &Model, symbolic: &Symbolic) -> Result<StaticSolution, LinearError> {
    let stiffness = &model.operators.stiffness;
    let mut rhs = model.loads.constant[..model.dofs.n_free].to_vec();
    stiffness.add_prescribed_force(&mut rhs, &model.dofs.static_values, -1.0);
    let factor = stiffness_factor(model, symbolic)?;
    let (mut displacement, residual) = refined(&factor, &stiffness.free, &rhs);
    if residual.is_nan() || residual > MAX_RESIDUAL {
        return Err(LinearError::IllConditioned { residual });
    }
    displacement.extend(&model.dofs.static_values);
    Ok(StaticSolution { displacement, residual })
}

/// Solution and ‖f − K q‖ / ‖f‖ after iterative refinement.
fn refined(factor: &Cholesky, matrix: &SymmetricSparse, rhs: &[f64]) -> (Vec<f64>, f64) {
    let norm = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>().sqrt();
    let scale = norm(rhs);
    let mut solution = rhs.to_vec();
    factor.solve_vec_in_place(&mut solution);
    let residual = |solution: &[f64]| -> Vec<f64> {
        rhs.iter().zip(matrix.mul(solution)).map(|(f, image)| f - image).collect()
    };
    let mut error = residual(&solution);
    for _ in 0..MAX_REFINEMENTS {
        let mut correction = error.clone();
        factor.solve_vec_in_place(&mut correction);
        let better: Vec<f64> = solution.iter().zip(&correction).map(|(x, d)| x + d).collect();
        let remaining = residual(&better);
        if norm(&remaining) > 0.5 * norm(&error) {
            break;
        }
        (solution, error) = (better, remaining);
    }
    let size = norm(&error);
    (solution, if scale > 0.0 { size / scale } else { size })
}

/// The factor of K_ff, or an error that names the mechanism.
pub(super) fn stiffness_factor(
    model: &Model,
    symbolic: &Symbolic,
) -> Result<Cholesky, LinearError> {
    let stiffness = &model.operators.stiffness.free;
    let mechanism = || mechanism::find(model, symbolic);
    match Cholesky::new(symbolic, stiffness) {
        Ok(factor) => {
            let suspicious = factor.weakest_pivot(stiffness) < TOL_PIVOT;
            match suspicious.then(mechanism).flatten() {
                Some(motion) => Err(LinearError::Mechanism { motion }),
                None => Ok(factor),
            }
        }
        Err(error @ FactorError::NotPositiveDefinite { .. }) => match mechanism() {
            Some(motion) => Err(LinearError::Mechanism { motion }),
            None => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}
