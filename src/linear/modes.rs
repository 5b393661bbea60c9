//! Natural frequencies and mode shapes.
//!
//! ```text
//!     K φ = ω² M φ ,   φᵀMφ = 1                                                   (1)
//! ```

use std::f64::consts::TAU;

use faer::Mat;

use super::LinearError;
use crate::linalg::{EigenError, EigenRequest, Symbolic, lowest_modes};
use crate::model::{Model, mechanism};
use crate::progress::Progress;

/// Which modes to compute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ModeRange {
    /// The lowest so many.
    Count(usize),
    /// All up to a frequency \[Hz\].
    UpTo(f64),
}

/// Modes in ascending order.
#[derive(Debug, Clone)]
pub struct ModalSolution {
    /// ω² \[rad²/s²\]; exactly 0 for rigid-body modes.
    pub eigenvalues: Vec<f64>,
    /// Number of rigid-body modes.
    pub n_rigid: usize,
    /// Mass-normalised shapes over the free freedoms, one per column.
    pub shapes: Mat<f64>,
}

impl ModalSolution {
    /// Natural frequencies \[Hz\]; rigid-body modes are at 0.
    pub fn frequencies(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|value| value.max(0.0).sqrt() / TAU).collect()
    }

    /// One shape over the free freedoms.
    pub fn shape(&self, mode: usize) -> Vec<f64> {
        (0..self.shapes.nrows()).map(|i| self.shapes[(i, mode)]).collect()
    }
}

/// Solves (1).
pub fn solve(
    model: &Model,
    symbolic: &Symbolic,
    range: ModeRange,
    progress: &mut dyn Progress,
) -> Result<ModalSolution, LinearError> {
    let (stiffness, mass) = (&model.operators.stiffness.free, &model.operators.mass.free);
    if mass.diagonal().iter().all(|m| *m <= 0.0) {
        return Err(LinearError::NoMass);
    }
    let request = match range {
        ModeRange::Count(count) => EigenRequest::Count(count),
        ModeRange::UpTo(frequency) => EigenRequest::Below((TAU * frequency).powi(2)),
    };
    let mut begun = false;
    let mut report = |done: usize, total: usize| {
        if !begun {
            progress.begin("modes", total);
            begun = true;
        }
        progress.advance(done);
    };
    let pairs = lowest_modes(stiffness, mass, symbolic, request, &mut report);
    if begun {
        progress.end();
    }
    let pairs = pairs.map_err(|error| match error {
        EigenError::MasslessMechanism => {
            let motion = mechanism::massless(model)
                .or_else(|| mechanism::find(model, symbolic))
                .unwrap_or_else(|| "a motion has neither mass nor stiffness".into());
            LinearError::Massless { motion }
        }
        other => LinearError::Eigen(other),
    })?;
    let is_singular = pairs.is_singular;
    let mut solution =
        ModalSolution { eigenvalues: pairs.values, n_rigid: 0, shapes: pairs.vectors };
    // A rigid motion has no energy beyond rounding; its eigenvalue would be noise otherwise.
    for mode in 0..solution.eigenvalues.len() {
        if is_singular && mechanism::is_free(model, &solution.shape(mode)) {
            solution.eigenvalues[mode] = 0.0;
            solution.n_rigid += 1;
        }
    }
    Ok(solution)
}
