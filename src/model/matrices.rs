//! Whether the matrices of a part can be those of a body.
//!
//! ```text
//! A is taken for positive semidefinite if A + ε diag(A) is positive definite.          (1)
//! ```

use std::sync::Arc;

use super::geometry::Geometry;
use crate::case::Problem;
use crate::linalg::pattern::clique_pattern;
use crate::linalg::{Cholesky, Symbolic, SymmetricSparse};
use crate::mesh::matrices::Entry;

/// ε of (1).
const TOL_DEFINITE: f64 = 1e-9;

/// Refuses indefinite matrices.
pub(super) fn check(geometry: &Geometry, problems: &mut Vec<Problem>) {
    for (name, part) in &geometry.parts {
        let Some(matrices) = &part.mesh.matrices else { continue };
        let kinds = ["stiffness", "mass", "damping"].into_iter().zip(matrices.all());
        for (kind, entries) in kinds.filter(|(_, entries)| !entries.is_empty()) {
            if let Err(message) = definite(entries, matrices.size) {
                let message = format!("the {kind} matrix of part `{name}` {message}");
                problems.push(Problem::new(format!("parts.{name}.mesh"), message));
            }
        }
    }
}

fn definite(entries: &[Entry], size: usize) -> Result<(), String> {
    let groups: Vec<[usize; 2]> = entries.iter().map(|&(i, j, _)| [i, j]).collect();
    let pattern = clique_pattern(size, groups.iter().map(|group| &group[..]));
    let mut matrix = SymmetricSparse::zeros(Arc::new(pattern));
    entries.iter().for_each(|&(i, j, value)| matrix.add(i, j, value));
    let diagonal = matrix.diagonal();
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    if let Some(row) = diagonal.iter().position(|value| *value < 0.0) {
        let (row, value) = (row + 1, diagonal[row]);
        return Err(format!("is indefinite: {value:e} is on its diagonal in row {row} of {size}"));
    }
    // Empty rows, such as those of massless coordinates, are as good as any positive ones.
    let shift: Vec<f64> = diagonal.iter().map(|d| if *d > 0.0 { *d } else { largest }).collect();
    let shifted = matrix.with_diagonal_added(&shift, TOL_DEFINITE);
    let symbolic = Symbolic::analyse(shifted.pattern()).map_err(|error| error.to_string())?;
    let factor = Cholesky::new(&symbolic, &shifted);
    factor.map(|_| ()).map_err(|error| {
        format!(
            "with {size} rows is indefinite: {error} with {TOL_DEFINITE:e} of its diagonal added"
        )
    })
}
