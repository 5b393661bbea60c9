//! Results on disk: one HDF5 file per run, and what is derived from it.
//!
//! [`writer`] appends to the file while a run goes on and flushes after every accepted point, so a
//! run that is killed leaves a readable file. [`reader`] opens it again; [`vtu`] and [`csv`] export
//! from it, during a run as well as later. The layout is described in `docs/results.md`.

use std::path::PathBuf;

use thiserror::Error;

pub mod csv;
pub mod history;
pub mod reader;
pub mod response;
pub mod stability;
pub mod summary;
pub mod superelement;
pub mod vtu;
pub mod wear;
pub mod writer;

pub use reader::ResultReader;
pub use summary::Summary;
pub use writer::ResultWriter;

/// Name of the results file in a results directory.
pub const FILE_NAME: &str = "results.h5";

/// Why results cannot be written or read.
#[derive(Debug, Error)]
pub enum ResultError {
    /// A file or directory cannot be written.
    #[error("cannot write {path}: {message}")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A file cannot be read as results.
    #[error("cannot read {path} as Fretwork results: {message}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The HDF5 library refused an operation.
    #[error("HDF5: {0}")]
    Hdf5(#[from] hdf5::Error),
}

impl ResultError {
    /// A file or directory that cannot be written, and why.
    pub fn write(path: impl Into<PathBuf>, error: impl ToString) -> Self {
        Self::Write { path: path.into(), message: error.to_string() }
    }
}
