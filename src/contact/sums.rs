//! Products of the two transforms over parts of a period.
//!
//! ```text
//! For a weight w_j that is constant over runs of instants F diag(w) F̄ needs no sum over the instants: with
//!
//!     C_m = Σ_j w_j cos mτ_j ,   S_m = Σ_j w_j sin mτ_j ,   m = 0 … 2N_h                         (1)
//!
//!     Σ w cos k cos l = (C_{k−l} + C_{k+l})/2 ,   Σ w sin k sin l = (C_{k−l} − C_{k+l})/2 ,       (2)
//!     Σ w sin k cos l = (S_{k+l} + S_{k−l})/2                                                   (3)
//!
//! and (1) over a run is the difference of two entries of a table of partial sums.
//! ```

use std::f64::consts::TAU;
use std::ops::Range;

use faer::MatMut;

use crate::linalg::Complex;

/// Partial sums of (1) with w = 1.
#[derive(Debug, Clone)]
pub struct Sums {
    /// Orders, the static one first.
    orders: Vec<usize>,
    n_samples: usize,
    /// C_m + i S_m over the first j instants, all m of one j together.
    table: Vec<Complex>,
}

/// C_m + i S_m of a weight.
#[derive(Debug, Clone)]
pub(super) struct Weighted<'a> {
    sums: &'a Sums,
    values: Vec<Complex>,
}

impl Sums {
    /// The table for harmonics beside the static one, ascending, and a number of samples.
    pub fn new(harmonics: &[usize], n_samples: usize) -> Self {
        let orders: Vec<usize> = std::iter::once(0).chain(harmonics.iter().copied()).collect();
        let count = 1 + 2 * orders.last().copied().unwrap_or(0);
        let turn = |i: usize| Complex::from_polar(1.0, TAU * i as f64 / n_samples as f64);
        let turns: Vec<Complex> = (0..n_samples).map(turn).collect();
        let mut table = vec![Complex::new(0.0, 0.0); count];
        for j in 1..=n_samples {
            let before = (j - 1) * count;
            let next = (0..count).map(|m| table[before + m] + turns[m * j % n_samples]);
            let next: Vec<Complex> = next.collect();
            table.extend(next);
        }
        Self { orders, n_samples, table }
    }

    fn n_sums(&self) -> usize {
        self.table.len() / (self.n_samples + 1)
    }

    /// The weight zero.
    pub(super) fn weighted(&self) -> Weighted<'_> {
        Weighted { sums: self, values: vec![Complex::new(0.0, 0.0); self.n_sums()] }
    }
}

impl Weighted<'_> {
    /// Adds a weight over a run of instants.
    pub(super) fn add(&mut self, run: &Range<usize>, weight: f64) {
        let n = self.values.len();
        let after = &self.sums.table[run.end * n..];
        let before = &self.sums.table[run.start * n..];
        for ((value, after), before) in self.values.iter_mut().zip(after).zip(before) {
            *value += (after - before) * weight;
        }
    }

    /// Factor of row i in F.
    fn scale(&self, i: usize) -> f64 {
        (if i == 0 { 1.0 } else { 2.0 }) / self.sums.n_samples as f64
    }

    /// F w, coefficient by coefficient.
    pub(super) fn coefficients(&self) -> impl Iterator<Item = f64> + '_ {
        self.sums.orders.iter().enumerate().flat_map(|(i, order)| {
            let value = self.values[*order] * self.scale(i);
            std::iter::once(value.re).chain((i > 0).then_some(value.im))
        })
    }

    /// Adds F diag(w) F̄, (2) and (3).
    pub(super) fn add_product(&self, mut out: MatMut<f64>) {
        for (i, &k) in self.sums.orders.iter().enumerate() {
            let half = 0.5 * self.scale(i);
            let row = (2 * i).saturating_sub(1);
            for (c, &l) in self.sums.orders.iter().enumerate() {
                let column = (2 * c).saturating_sub(1);
                let sum = self.values[k + l] * half;
                let difference = self.values[k.abs_diff(l)] * half;
                // S_{k−l} is odd.
                let odd = if k < l { -difference.im } else { difference.im };
                out[(row, column)] += difference.re + sum.re;
                if i > 0 {
                    out[(row + 1, column)] += sum.im + odd;
                }
                if c > 0 {
                    out[(row, column + 1)] += sum.im - odd;
                }
                if i > 0 && c > 0 {
                    out[(row + 1, column + 1)] += difference.re - sum.re;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;
    use crate::contact::Basis;

    #[test]
    fn products_over_runs_equal_those_of_the_tables() {
        for harmonics in [&[1, 2, 3][..], &[2, 5], &[]] {
            let basis = Basis::new(harmonics, 16).unwrap();
            let samples = basis.samples(1.0);
            let h = samples.basis.n_coefficients();
            let sums = Sums::new(harmonics, 16);
            let mut weighted = sums.weighted();
            let runs = [(2..5, 0.7), (5..6, -1.3), (10..16, 2.0)];
            runs.iter().for_each(|(run, weight)| weighted.add(run, *weight));
            let mut product = Mat::zeros(h, h);
            weighted.add_product(product.as_mut());
            let weight =
                |j: usize| runs.iter().find(|(run, _)| run.contains(&j)).map_or(0.0, |run| run.1);
            for c in 0..h {
                let forward = (0..16).map(|j| samples.basis.forward[(c, j)] * weight(j));
                let coefficient = weighted.coefficients().nth(c).unwrap();
                assert!((coefficient - forward.sum::<f64>()).abs() < 1e-15);
                for b in 0..h {
                    let terms = (0..16).map(|j| {
                        samples.basis.forward[(c, j)] * weight(j) * samples.basis.inverse[j][b]
                    });
                    let expected: f64 = terms.sum();
                    assert!((product[(c, b)] - expected).abs() < 1e-15, "{c} {b}");
                }
            }
        }
    }
}
