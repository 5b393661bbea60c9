//! Why a linear analysis has no result.

use thiserror::Error;

use crate::linalg::{EigenError, FactorError};

/// Why a linear analysis has no result.
#[derive(Debug, Error)]
pub enum LinearError {
    /// The model is not held.
    #[error("the model is a mechanism: {motion}; {}", crate::model::mechanism::ADVICE)]
    Mechanism {
        /// What can move, in words.
        motion: String,
    },
    /// The stiffness cannot be factorised for another reason.
    #[error("{0}; check for springs or materials whose stiffnesses differ by more than ten orders")]
    Factor(#[from] FactorError),
    /// Rounding has eaten the solution.
    #[error(
        "the model is too ill-conditioned: {residual:.1e} of the load stays unbalanced; use fewer elements \
         along slender parts, and check stiffnesses that differ by many orders"
    )]
    IllConditioned {
        /// ‖f − K q‖ / ‖f‖.
        residual: f64,
    },
    /// There is no mass.
    #[error("the model has no mass, so it has no modes: give a density or a lumped mass")]
    NoMass,
    /// Something has neither mass nor stiffness.
    #[error("{motion}; give it a mass, a spring or a support")]
    Massless {
        /// What, in words.
        motion: String,
    },
    /// The eigensolver gave up.
    #[error(transparent)]
    Eigen(EigenError),
    /// A frequency response is not a number.
    #[error(
        "the response at {frequency} Hz is not finite: loads, stiffness and mass are too far apart"
    )]
    NotFinite {
        /// Frequency \[Hz\].
        frequency: f64,
    },
    /// A frequency response is unbounded.
    #[error(
        "the response at {frequency} Hz is unbounded: at an undamped resonance rounding decides the \
         amplitude; add damping or leave this frequency out"
    )]
    Resonance {
        /// Frequency \[Hz\].
        frequency: f64,
    },
}
