//! Small dense matrices by rows: what a time step multiplies with.

use faer::{Mat, MatRef};

/// A matrix stored row by row.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    n_columns: usize,
    values: Vec<f64>,
}

impl Rows {
    pub fn new(matrix: MatRef<'_, f64>) -> Self {
        let n_columns = matrix.ncols();
        let values = (0..matrix.nrows()).flat_map(|i| (0..n_columns).map(move |j| matrix[(i, j)]));
        Self { n_columns, values: values.collect() }
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n_columns..(i + 1) * self.n_columns]
    }

    /// out += factor · A x.
    pub fn add_product(&self, x: &[f64], factor: f64, out: &mut [f64]) {
        if self.n_columns > 0 {
            for (row, out) in self.values.chunks_exact(self.n_columns).zip(out) {
                *out += factor * dot(row, x);
            }
        }
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// a A + b B.
pub(super) fn combine(a: f64, first: &Mat<f64>, b: f64, second: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(first.nrows(), first.ncols(), |i, j| a * first[(i, j)] + b * second[(i, j)])
}

/// Vectors of a size side by side, times a factor.
pub(super) fn columns(vectors: &[Vec<f64>], size: usize, factor: f64) -> Mat<f64> {
    Mat::from_fn(size, vectors.len(), |i, j| factor * vectors[j][i])
}

/// Solves A x = b by elimination with row exchanges; A is destroyed, b becomes x.
///
/// A step of a few contacts is solved millions of times: no allocation.
pub(super) fn solve(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n)
            .fold(k, |best, i| if a[i * n + k].abs() > a[best * n + k].abs() { i } else { best });
        if pivot != k {
            (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
            b.swap(k, pivot);
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            if factor != 0.0 {
                (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
                b[i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k * n + j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k * n + k];
    }
}
