//! Where a results file is worked on, and where it is seen.

use std::fs;
use std::path::{Path, PathBuf};

use crate::results::ResultError;

/// Path of a results file and, if it is guarded, of the file that is worked on.
///
/// HDF5 updates a file in many small writes: a process killed among them leaves it unreadable. A guarded file
/// is therefore copied when it is whole, and the copy takes the place of the one before in a single step.
#[derive(Debug, Clone)]
pub struct Place {
    path: PathBuf,
    live: PathBuf,
}

impl Place {
    pub(super) fn new(path: PathBuf, is_guarded: bool) -> Self {
        let live = if is_guarded { path.with_extension("h5.part") } else { path.clone() };
        Self { path, live }
    }

    /// Where results are seen.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn live(&self) -> &Path {
        &self.live
    }

    fn is_guarded(&self) -> bool {
        self.live != self.path
    }

    /// Shows a guarded file as it is now; it must have been flushed.
    pub fn publish(&self) -> Result<(), ResultError> {
        if !self.is_guarded() {
            return Ok(());
        }
        let copy = self.path.with_extension("h5.new");
        fs::copy(&self.live, &copy).map_err(|e| ResultError::write(&copy, e))?;
        fs::rename(&copy, &self.path).map_err(|e| ResultError::write(&self.path, e))
    }

    /// Shows a file that has been closed.
    pub(super) fn finish(&self) -> Result<PathBuf, ResultError> {
        if self.is_guarded() {
            fs::rename(&self.live, &self.path).map_err(|e| ResultError::write(&self.path, e))?;
        }
        Ok(self.path.clone())
    }
}
