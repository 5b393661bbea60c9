//! The top of the error chain: one variant per layer.

use thiserror::Error;

use crate::case::CaseError;
use crate::compare::CompareError;
use crate::linalg::FactorError;
use crate::linear::LinearError;
use crate::reduction::ReductionError;
use crate::results::ResultError;
use crate::transient::TransientError;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum Error {
    /// The case file cannot be used.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// An analysis failed; what came before it is on disk.
    #[error("analysis `{name}`: {error}")]
    Analysis {
        /// Name of the analysis.
        name: String,
        /// Why.
        error: LinearError,
    },
    /// A reduction failed.
    #[error("analysis `{name}`: {error}")]
    Reduction {
        /// Name of the analysis.
        name: String,
        /// Why.
        error: ReductionError,
    },
    /// A motion could not be followed in time.
    #[error("analysis `{name}`: {error}")]
    Transient {
        /// Name of the analysis.
        name: String,
        /// Why.
        error: TransientError,
    },
    /// Not enough memory for the model.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// Results cannot be written or read.
    #[error(transparent)]
    Results(#[from] ResultError),
    /// A measurement cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A validation entry cannot be used.
    #[error("{file}: {message}")]
    Validation {
        /// Which file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A command-line argument makes no sense.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// 1: a run stopped early, results so far are valid; 2: bad input.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Analysis { .. }
            | Self::Reduction { .. }
            | Self::Transient { .. }
            | Self::Factor(_) => 1,
            _ => 2,
        }
    }
}
