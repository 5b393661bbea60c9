//! Symmetric sparse matrices stored as the lower triangle, by columns.
//!
//! Stiffness, mass and damping share one [`SparsityPattern`], so that a combination such as
//! K − σM is a combination of value arrays, and one symbolic factorisation serves them all.

use std::sync::Arc;

use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{MatMut, MatRef};
use nalgebra_sparse::pattern::SparsityPattern;
use rayon::prelude::*;

/// Columns of a pattern that are made together.
const PATTERN_CHUNK: usize = 8192;

/// Lower triangle (diagonal included) of a symmetric matrix; rows ascend within each column.
#[derive(Debug, Clone)]
pub struct SymmetricSparse {
    pattern: Arc<SparsityPattern>,
    values: Vec<f64>,
}

impl SymmetricSparse {
    /// A matrix of zeros on a lower-triangular pattern whose columns are the major lanes.
    pub fn zeros(pattern: Arc<SparsityPattern>) -> Self {
        let values = vec![0.0; pattern.nnz()];
        Self { pattern, values }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.pattern.major_dim()
    }

    /// The shared pattern.
    pub fn pattern(&self) -> &Arc<SparsityPattern> {
        &self.pattern
    }

    /// Stored values, column after column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Adds `value` to entry (`row`, `col`) and its mirror image.
    ///
    /// # Panics
    /// If the entry is not in the pattern.
    pub fn add(&mut self, row: usize, col: usize, value: f64) {
        let position = self.position(row, col);
        self.values[position] += value;
    }

    /// Where entry (`row`, `col`) is stored in [`Self::values`].
    ///
    /// # Panics
    /// If the entry is not in the pattern.
    pub fn position(&self, row: usize, col: usize) -> usize {
        let (low, high) = if row >= col { (col, row) } else { (row, col) };
        let start = self.pattern.major_offsets()[low];
        let offset =
            self.pattern.lane(low).binary_search(&high).expect("entry is in the assembled pattern");
        start + offset
    }

    /// Adds to the stored value at `position` (see [`Self::position`]).
    pub fn add_at(&mut self, position: usize, value: f64) {
        self.values[position] += value;
    }

    /// a·self + b·other.
    ///
    /// # Panics
    /// If the two matrices have different patterns.
    pub fn combine(&self, a: f64, other: &Self, b: f64) -> Self {
        assert!(Arc::ptr_eq(&self.pattern, &other.pattern));
        let values = self.values.iter().zip(&other.values);
        Self { pattern: self.pattern.clone(), values: values.map(|(x, y)| a * x + b * y).collect() }
    }

    /// factor·self.
    pub fn scaled(&self, factor: f64) -> Self {
        let values = self.values.iter().map(|value| factor * value).collect();
        Self { pattern: self.pattern.clone(), values }
    }

    /// The diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        let offsets = self.pattern.major_offsets();
        (0..self.size())
            .map(|col| match self.pattern.lane(col).first() {
                Some(&row) if row == col => self.values[offsets[col]],
                _ => 0.0,
            })
            .collect()
    }

    /// Adds `scale` times `diagonal` to the diagonal.
    pub fn with_diagonal_added(mut self, diagonal: &[f64], scale: f64) -> Self {
        for (i, d) in diagonal.iter().enumerate() {
            self.add(i, i, scale * d);
        }
        self
    }

    /// Entries of column `col` from the diagonal downwards.
    pub fn column(&self, col: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let offsets = self.pattern.major_offsets();
        let range = offsets[col]..offsets[col + 1];
        let rows = self.pattern.lane(col).iter().copied();
        rows.zip(self.values[range].iter().copied())
    }

    /// The matrix of the given rows and columns, which must ascend.
    pub fn principal(&self, indices: &[usize]) -> Self {
        const OUT: usize = usize::MAX;
        let mut place = vec![OUT; self.size()];
        indices.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let mut offsets = vec![0];
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for &col in indices {
            for (row, value) in self.column(col).filter(|(row, _)| place[*row] != OUT) {
                rows.push(place[row]);
                values.push(value);
            }
            offsets.push(rows.len());
        }
        let size = indices.len();
        let pattern = SparsityPattern::try_from_offsets_and_indices(size, size, offsets, rows)
            .expect("ascending indices keep rows sorted");
        Self { pattern: Arc::new(pattern), values }
    }

    /// The same values on the pattern of `other`, which must be equal to this matrix's own.
    pub fn sharing_pattern_of(mut self, other: &Self) -> Self {
        assert_eq!(self.pattern, other.pattern);
        self.pattern = other.pattern.clone();
        self
    }

    /// The matrix times a vector.
    pub fn mul(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        self.mul_into(&mut y, x);
        y
    }

    /// `y` = matrix × `x`.
    pub fn mul_into(&self, y: &mut [f64], x: &[f64]) {
        y.fill(0.0);
        for col in 0..self.size() {
            let x_col = x[col];
            let mut sum = 0.0;
            for (row, value) in self.column(col) {
                if row == col {
                    sum += value * x_col;
                } else {
                    y[row] += value * x_col;
                    sum += value * x[row];
                }
            }
            y[col] += sum;
        }
    }

    /// `y` = matrix × `x`, column by column, in parallel over columns.
    pub fn mul_block_into(&self, y: MatMut<'_, f64>, x: MatRef<'_, f64>) {
        y.par_col_iter_mut().zip(x.par_col_iter()).for_each(|(y, x)| {
            let y = y.try_as_col_major_mut().expect("contiguous column");
            let x = x.try_as_col_major().expect("contiguous column");
            self.mul_into(y.as_slice_mut(), x.as_slice());
        });
    }

    /// xᵀ·matrix·x.
    pub fn energy(&self, x: &[f64]) -> f64 {
        self.mul(x).iter().zip(x).map(|(a, b)| a * b).sum()
    }

    /// |matrix|·|x|.
    pub fn mul_sizes(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        for col in 0..self.size() {
            for (row, value) in self.column(col) {
                y[row] += (value * x[col]).abs();
                if row != col {
                    y[col] += (value * x[row]).abs();
                }
            }
        }
        y
    }

    /// |x|ᵀ·|matrix|·|x|: the scale on which rounding errors of [`Self::energy`] arise.
    pub fn energy_scale(&self, x: &[f64]) -> f64 {
        self.mul_sizes(x).iter().zip(x).map(|(a, b)| a * b.abs()).sum()
    }

    /// faer's view of the stored triangle.
    pub(crate) fn as_faer(&self) -> SparseColMatRef<'_, usize, f64> {
        SparseColMatRef::new(faer_pattern(&self.pattern), &self.values)
    }
}

/// faer's view of a pattern whose columns are the major lanes.
pub(crate) fn faer_pattern(pattern: &SparsityPattern) -> SymbolicSparseColMatRef<'_, usize> {
    SymbolicSparseColMatRef::new_checked(
        pattern.minor_dim(),
        pattern.major_dim(),
        pattern.major_offsets(),
        None,
        pattern.minor_indices(),
    )
}

/// Lower-triangular pattern of the graph in which every group of indices is a clique.
///
/// The groups are the freedoms of the elements; the diagonal is always present.
pub fn clique_pattern<'a, I>(size: usize, groups: I) -> SparsityPattern
where
    I: Iterator<Item = &'a [usize]> + Clone,
{
    let (offsets, members) = invert(size, groups.clone());
    let groups: Vec<&[usize]> = groups.collect();
    let column = |col: usize, rows: &mut Vec<usize>| {
        rows.clear();
        rows.push(col);
        for &group in &members[offsets[col]..offsets[col + 1]] {
            rows.extend(groups[group].iter().filter(|&&row| row > col));
        }
        rows.sort_unstable();
        rows.dedup();
    };
    // Every column is made twice, to be counted and to be stored: lists of unknown length on every
    // thread would leave as much memory behind as the pattern takes.
    let count = |rows: &mut Vec<usize>, col: usize| {
        column(col, rows);
        rows.len()
    };
    let mut ends: Vec<usize> = (0..size).into_par_iter().map_init(Vec::new, count).collect();
    ends.insert(0, 0);
    (0..size).for_each(|col| ends[col + 1] += ends[col]);
    let mut stored = vec![0; ends[size]];
    pieces(&mut stored, &ends).into_par_iter().for_each(|(start, mut piece)| {
        let mut rows = Vec::new();
        for col in start..size.min(start + PATTERN_CHUNK) {
            column(col, &mut rows);
            piece.split_off_mut(..rows.len()).expect("as counted").copy_from_slice(&rows);
        }
    });
    SparsityPattern::try_from_offsets_and_indices(size, size, ends, stored)
        .expect("rows are sorted, unique and in range")
}

/// The entries of so many columns at a time, with the first of these columns.
fn pieces<'a>(mut entries: &'a mut [usize], ends: &[usize]) -> Vec<(usize, &'a mut [usize])> {
    let size = ends.len() - 1;
    let mut pieces = Vec::new();
    for start in (0..size).step_by(PATTERN_CHUNK) {
        let length = ends[size.min(start + PATTERN_CHUNK)] - ends[start];
        pieces.push((start, entries.split_off_mut(..length).expect("as counted")));
    }
    pieces
}

/// Removes repetitions from the sorted entries from `start` on.
pub fn dedup_from(list: &mut Vec<usize>, start: usize) {
    let mut end = start;
    for i in start..list.len() {
        if end == start || list[i] != list[end - 1] {
            list[end] = list[i];
            end += 1;
        }
    }
    list.truncate(end);
}

/// For every index the groups that hold it, as offsets and a flat list.
fn invert<'a>(
    size: usize,
    groups: impl Iterator<Item = &'a [usize]> + Clone,
) -> (Vec<usize>, Vec<usize>) {
    let mut offsets = vec![0; size + 1];
    for group in groups.clone() {
        for &index in group {
            offsets[index + 1] += 1;
        }
    }
    for i in 0..size {
        offsets[i + 1] += offsets[i];
    }
    let mut next = offsets.clone();
    let mut members = vec![0; offsets[size]];
    for (number, group) in groups.enumerate() {
        for &index in group {
            members[next[index]] = number;
            next[index] += 1;
        }
    }
    (offsets, members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clique_pattern_holds_every_pair_once() {
        let groups: [&[usize]; 2] = [&[0, 2], &[2, 1, 3]];
        let pattern = clique_pattern(4, groups.iter().copied());
        assert_eq!(pattern.lane(0), &[0, 2]);
        assert_eq!(pattern.lane(1), &[1, 2, 3]);
        assert_eq!(pattern.lane(2), &[2, 3]);
        assert_eq!(pattern.lane(3), &[3]);
    }

    #[test]
    fn product_uses_both_triangles() {
        let groups: [&[usize]; 1] = [&[0, 1]];
        let pattern = Arc::new(clique_pattern(2, groups.iter().copied()));
        let mut a = SymmetricSparse::zeros(pattern);
        a.add(0, 0, 2.0);
        a.add(0, 1, -1.0);
        a.add(1, 1, 3.0);
        assert_eq!(a.mul(&[1.0, 2.0]), vec![0.0, 5.0]);
        assert_eq!(a.diagonal(), vec![2.0, 3.0]);
        assert_eq!(a.energy(&[1.0, 2.0]), 10.0);
        assert_eq!(a.energy_scale(&[1.0, 2.0]), 18.0);
    }
}
