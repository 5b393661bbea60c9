//! The change of coordinates y = N z + E u_r, equation (1) of the parent module.

use faer::Mat;

use crate::reduction::ReductionError;
use crate::reduction::structure::{ReducedStructure, SparseVector};

/// The columns (N, E) of (1): Gauss–Jordan elimination of B, one pivot per row.
pub(super) fn coordinate_change(structure: &ReducedStructure) -> Result<Mat<f64>, ReductionError> {
    let (n, size) = (structure.relative.len(), structure.size());
    // Rows of (B, I): the identity remembers which combination of u_r a row has become.
    let mut rows: Vec<SparseVector> = structure.relative.clone();
    for (r, row) in rows.iter_mut().enumerate() {
        row.insert(size + r, 1.0);
    }
    let mut pivots = Vec::with_capacity(n);
    for r in 0..n {
        let largest = |best: Option<(usize, f64)>, (&column, &value): (&usize, &f64)| match best {
            Some((_, old)) if old.abs() >= value.abs() => best,
            _ => Some((column, value)),
        };
        let pivot = rows[r].range(..size).fold(None, largest);
        let Some((column, value)) = pivot.filter(|(_, value)| value.abs() > 1e-9) else {
            return Err(ReductionError::DependentPairs { row: r });
        };
        rows[r].values_mut().for_each(|entry| *entry /= value);
        let own = rows[r].clone();
        for (other, row) in rows.iter_mut().enumerate() {
            if other != r
                && let Some(factor) = row.remove(&column)
            {
                for (&c, &entry) in own.iter().filter(|(c, _)| **c != column) {
                    *row.entry(c).or_insert(0.0) -= factor * entry;
                }
                row.retain(|_, entry| entry.abs() > 1e-14);
            }
        }
        pivots.push(column);
    }
    let mut is_pivot = vec![None; size];
    pivots.iter().enumerate().for_each(|(r, column)| is_pivot[*column] = Some(r));
    let others: Vec<usize> = (0..size).filter(|c| is_pivot[*c].is_none()).collect();
    let mut change = Mat::zeros(size, size);
    for (j, &column) in others.iter().enumerate() {
        change[(column, j)] = 1.0;
    }
    let position = |column: usize| match column.checked_sub(size) {
        Some(r) => Some(others.len() + r),
        None => others.binary_search(&column).ok(),
    };
    for (&column, row) in pivots.iter().zip(&rows) {
        for (&c, &entry) in row {
            if let Some(j) = position(c) {
                change[(column, j)] = if c < size { -entry } else { entry };
            }
        }
    }
    Ok(change)
}
