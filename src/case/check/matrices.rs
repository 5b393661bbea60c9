//! Rules of parts that come as matrices, and of superelements that are saved.

use super::Checker;
use crate::case::{Part, Reduction};

impl Checker<'_> {
    /// Cells need sections, matrices have none.
    pub(super) fn has_sections(&mut self, path: &str, part: &Part) {
        let path = format!("{path}.sections");
        match (part.mesh.is_matrices(), part.sections.is_empty()) {
            (false, true) => self.refuse(path, "must hold at least one section"),
            (true, false) => self.refuse(path, "a part that comes as matrices has no cells"),
            _ => {}
        }
    }

    pub(super) fn saved(&mut self, path: &str, reduction: &Reduction) {
        let Some(name) = &reduction.save else { return };
        if !name.ends_with(".h5") || name.contains(['/', '\\']) || name == "results.h5" {
            let message = "must be a file name that ends in .h5 and is not results.h5; the file goes \
                           into the results directory";
            self.refuse(format!("{path}.save"), message);
        }
    }
}
