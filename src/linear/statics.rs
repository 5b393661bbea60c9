//! Static displacement.
//!
//! ```text
//!     K_ff q_f = f_f − K_fc q_c                                                   (1)
//! ```

use super::LinearError;
use crate::linalg::{Cholesky, FactorError, Symbolic};
use crate::model::{Model, mechanism};

/// Pivots below this fraction of the diagonal call for a look for mechanisms.
const TOL_PIVOT: f64 = 1e-9;

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
    let factor = regular_factor(model, symbolic)?;
    let mut displacement = rhs.clone();
    factor.solve_vec_in_place(&mut displacement);
    let image = stiffness.free.mul(&displacement);
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let error = norm(&mut image.iter().zip(&rhs).map(|(a, b)| a - b));
    let scale = norm(&mut rhs.iter().copied());
    displacement.extend(&model.dofs.static_values);
    Ok(StaticSolution { displacement, residual: if scale > 0.0 { error / scale } else { error } })
}

/// The factor of K_ff, or an error that names the mechanism.
pub(super) fn regular_factor(model: &Model, symbolic: &Symbolic) -> Result<Cholesky, LinearError> {
    let stiffness = &model.operators.stiffness.free;
    let mechanism = || mechanism::find(model, symbolic);
    match Cholesky::new(symbolic, stiffness) {
        Ok(factor) => {
            let diagonal = stiffness.diagonal();
            let suspicious =
                factor.pivots().iter().zip(&diagonal).any(|(pivot, d)| *pivot < TOL_PIVOT * d);
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
