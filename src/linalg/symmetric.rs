//! Symmetric sparse matrices stored as the lower triangle, by columns.
//!
//! Stiffness, mass and damping share one [`Pattern`], so that a combination such as
//! K − σM is a combination of value arrays, and one symbolic factorisation serves them all.

use std::sync::Arc;

use faer::sparse::SparseColMatRef;
use faer::{MatMut, MatRef};
use rayon::prelude::*;

use super::pattern::Pattern;

/// Lower triangle (diagonal included) of a symmetric matrix; rows ascend within each column.
#[derive(Debug, Clone)]
pub struct SymmetricSparse {
    pattern: Arc<Pattern>,
    values: Vec<f64>,
}

impl SymmetricSparse {
    /// A matrix of zeros on a lower-triangular pattern.
    pub fn zeros(pattern: Arc<Pattern>) -> Self {
        let values = vec![0.0; pattern.nnz()];
        Self { pattern, values }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.pattern.size()
    }

    /// The shared pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
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
        self.pattern.position(high, low).expect("entry is in the assembled pattern")
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
        let first = |col: usize| self.column(col).next().filter(|(row, _)| *row == col);
        (0..self.size()).map(|col| first(col).map_or(0.0, |(_, value)| value)).collect()
    }

    /// Adds `scale` times `diagonal` to the diagonal.
    pub fn with_diagonal_added(mut self, diagonal: &[f64], scale: f64) -> Self {
        for (i, d) in diagonal.iter().enumerate() {
            self.add(i, i, scale * d);
        }
        self
    }

    /// Entries of column `col` from the diagonal downwards.
    pub fn column(&self, col: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let values = self.values[self.pattern.range(col)].iter().copied();
        self.pattern.rows(col).zip(values)
    }

    /// The matrix of the given rows and columns, which must ascend.
    pub fn principal(&self, indices: &[usize]) -> Self {
        const OUT: usize = usize::MAX;
        let mut place = vec![OUT; self.size()];
        indices.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let (mut pattern, mut values) = (Pattern::default(), Vec::new());
        for &col in indices {
            let kept = self.column(col).filter(|(row, _)| place[*row] != OUT);
            pattern.push_column(kept.clone().map(|(row, _)| place[row]));
            values.extend(kept.map(|(_, value)| value));
        }
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
    pub(crate) fn as_faer(&self) -> SparseColMatRef<'_, u32, f64> {
        SparseColMatRef::new(self.pattern.as_faer(), &self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::pattern::clique_pattern;

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
