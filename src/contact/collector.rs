//! The derivative of a march, gathered instant by instant.

use faer::{Mat, MatRef};

use super::Samples;

/// Collects ∂(result in time), instant by instant, and transforms it at the end.
pub(super) struct Collector {
    /// For each direction the rows of all instants, one after the other; empty while all are zero.
    rows: Vec<Vec<f64>>,
    n_columns: usize,
    n_samples: usize,
}

impl Collector {
    pub fn new(n_directions: usize, samples: Samples, n_columns: usize) -> Self {
        Self { rows: vec![vec![]; n_directions], n_columns, n_samples: samples.basis.n_samples() }
    }

    pub fn row_mut(&mut self, direction: usize, j: usize) -> &mut [f64] {
        let rows = &mut self.rows[direction];
        rows.resize(self.n_samples * self.n_columns, 0.0);
        &mut rows[j * self.n_columns..(j + 1) * self.n_columns]
    }

    /// Adds weight · row at instant j.
    pub fn add_row(&mut self, direction: usize, j: usize, row: &[f64], weight: f64) {
        if row.iter().any(|value| *value != 0.0) {
            let out = self.row_mut(direction, j).iter_mut().zip(row);
            out.for_each(|(out, value)| *out += weight * value);
        }
    }

    /// Adds weight · ∂input at instant j.
    pub fn add_input(
        &mut self,
        direction: usize,
        j: usize,
        input: usize,
        inverse: &[f64],
        weight: f64,
    ) {
        if weight != 0.0 {
            add_input(self.row_mut(direction, j), input, inverse, weight);
        }
    }

    /// F · ∂(result in time), direction below direction.
    pub fn finish(&self, samples: Samples) -> Mat<f64> {
        let h = samples.basis.n_coefficients();
        let mut result = Mat::zeros(self.rows.len() * h, self.n_columns);
        for (direction, rows) in self.rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let rows = MatRef::from_row_major_slice(rows, self.n_samples, self.n_columns);
            faer::linalg::matmul::matmul(
                result.as_mut().subrows_mut(direction * h, h),
                faer::Accum::Replace,
                samples.basis.forward.as_ref(),
                rows,
                1.0,
                faer::Par::Seq,
            );
        }
        result
    }
}

/// Adds weight · ∂(input of a direction at an instant) to a row; `table` is the row of F̄ or dF̄/dτ at the instant.
pub(super) fn add_input(row: &mut [f64], direction: usize, table: &[f64], weight: f64) {
    if weight != 0.0 {
        let first = direction * table.len();
        row[first..].iter_mut().zip(table).for_each(|(out, value)| *out += weight * value);
    }
}
