//! Derivatives of the residual of harmonic balance.
//!
//! ```text
//!     springs        J = Z + ∂λ̃/∂ũ                                                        (1)
//!     exact joints   J = z − G (z − Z) ,   G = ∂λ̃_x/∂λ̃_u of the pair                        (2)
//!
//! A parameter p of Z, f̃ or μ adds, with z held,
//!
//!     ∂r/∂p = −G (f̃' − Z'ũ) − ∂λ̃_x/∂μ μ'                                                  (3)
//! ```
//!
//! G couples the harmonics of one pair only, Z the pairs of one harmonic only: an entry of J costs a few
//! products, far less than the factorisation of J.

use faer::Mat;
use rayon::prelude::*;

use super::balance::{Balance, Evaluation, Linear, Parameter, Parameters};
use crate::contact::{Joint, Law, Local, March};
use crate::linalg::Complex;
use crate::reduction::ReductionError;

/// Columns that are worth a thread.
const MIN_COLUMNS: usize = 32;

/// One column of J: the real (cosine) or imaginary (sine) part of harmonic i of row j.
struct Column<'a> {
    row: usize,
    i: usize,
    is_sine: bool,
    /// First coefficient of harmonic i, and their number.
    first: usize,
    count: usize,
    /// Column of Z_i.
    z: &'a [Complex],
}

impl<'a> Column<'a> {
    fn new(linear: &'a Linear, index: usize, h: usize) -> Self {
        let (row, c) = (index / h, index % h);
        let i = c.div_ceil(2);
        let (first, count) = if i == 0 { (0, 1) } else { (2 * i - 1, 2) };
        let z = linear.condensed[i].stiffness.col_as_slice(row);
        Self { row, i, is_sine: c > 0 && c % 2 == 0, first, count, z }
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }

    /// What a complex factor of the amplitude makes of this coefficient.
    fn image(&self, z: Complex) -> [f64; 2] {
        if self.is_sine { [z.im, z.re] } else { [z.re, -z.im] }
    }
}

impl Balance {
    /// J of an evaluation that has derivatives, (1) and (2).
    pub fn jacobian(&self, linear: &Linear, evaluation: &Evaluation) -> Mat<f64> {
        self.jacobian_of(linear, evaluation, &(0..self.size()).collect::<Vec<_>>())
    }

    /// Its part in the given rows and columns.
    pub(super) fn jacobian_of(
        &self,
        linear: &Linear,
        evaluation: &Evaluation,
        places: &[usize],
    ) -> Mat<f64> {
        let (h, n) = (self.basis.n_coefficients(), places.len());
        let is_wanted = self.rows_of(places);
        let joints = self.joints.iter().zip(&linear.locals).zip(&evaluation.marches);
        let mut values = vec![0.0; n * n];
        let columns = values.par_chunks_mut(n.max(1)).zip(places).with_min_len(MIN_COLUMNS);
        columns.for_each_init(
            || vec![0.0; self.size()],
            |whole, (out, &index)| {
                let column = Column::new(linear, index, h);
                for ((joint, local), march) in joints.clone() {
                    match joint.law {
                        Law::Exact => {
                            self.exact_column(&column, (joint, local, march), &is_wanted, whole);
                        }
                        _ => spring_column(&column, index % h, h, joint, march, whole),
                    }
                }
                out.iter_mut().zip(places).for_each(|(out, &place)| *out = whole[place]);
            },
        );
        faer::MatRef::from_column_major_slice(&values, n, n).to_owned()
    }

    /// Which rows of u_r have coefficients among the given ones.
    fn rows_of(&self, places: &[usize]) -> Vec<bool> {
        let mut rows = vec![false; self.condensation.n_relative()];
        places.iter().for_each(|place| rows[place / self.basis.n_coefficients()] = true);
        rows
    }

    /// (2) in the wanted rows of a joint.
    fn exact_column(
        &self,
        column: &Column,
        (joint, local, march): (&Joint, &Local, &March),
        is_wanted: &[bool],
        out: &mut [f64],
    ) {
        let Some(g) = &march.derivative else { return };
        let h = self.basis.n_coefficients();
        let zero = Complex::new(0.0, 0.0);
        let is_own = joint.directions().any(|row| row == column.row);
        let own = if is_own { self.symbol(local, joint, column.row, column.i) } else { zero };
        let symbol = |row: usize| if row == column.row { own } else { zero };
        for (d, row) in joint.directions().enumerate().filter(|(_, row)| is_wanted[*row]) {
            let out = &mut out[row * h..(row + 1) * h];
            out.fill(0.0);
            out[column.range()].copy_from_slice(&column.image(symbol(row))[..column.count]);
            for (s, row) in joint.directions().enumerate() {
                let difference = column.image(symbol(row) - column.z[row]);
                let g = |k: usize| &g.col_as_slice(s * h + k)[d * h..(d + 1) * h];
                if column.count == 1 {
                    out.iter_mut().zip(g(0)).for_each(|(out, g)| *out -= g * difference[0]);
                    continue;
                }
                let terms = out.iter_mut().zip(g(column.first)).zip(g(column.first + 1));
                terms.for_each(|((out, a), b)| *out -= a * difference[0] + b * difference[1]);
            }
        }
    }

    /// ∂r/∂p of an evaluation that has derivatives, (3).
    pub fn parameter_derivative(
        &self,
        linear: &Linear,
        parameters: &Parameters,
        u: &[f64],
        evaluation: &Evaluation,
        parameter: Parameter,
    ) -> Result<Vec<f64>, ReductionError> {
        let h = self.basis.n_coefficients();
        // −(f̃' − Z'ũ): what the linear part of the residual gains.
        let linear_slope = match parameter {
            Parameter::Frequency => self.frequency_slope(parameters, u)?,
            _ => {
                let at = |value: f64| self.load(linear, &parameters.with(parameter, value));
                at(0.0).iter().zip(at(1.0)).map(|(a, b)| a - b).collect()
            }
        };
        let mut slope = linear_slope.clone();
        for (joint, march) in self.joints.iter().zip(&evaluation.marches) {
            let Some(g) = &march.derivative else { continue };
            let is_exact = joint.law == Law::Exact;
            let has_factors = matches!(joint.law, Law::Friction(_));
            let last = g.ncols() - 1;
            for (d, row) in joint.directions().enumerate() {
                for k in 0..h {
                    let out = &mut slope[row * h + k];
                    // N₀ acts like a constant −λ_u,N or, without normal freedoms, like μ.
                    let by_law = match (parameter, joint.rows.normal) {
                        (Parameter::Friction, _) => g[(d * h + k, last)] / parameters.friction,
                        (Parameter::Frequency, _) if has_factors => {
                            g[(d * h + k, last - 2)] / parameters.omega
                        }
                        (Parameter::Preload, _) if has_factors => {
                            g[(d * h + k, last - 1)] / parameters.preload
                        }
                        (Parameter::Preload, None) => g[(d * h + k, last)] / parameters.preload,
                        (Parameter::Preload, Some(_)) if is_exact => {
                            -joint.preload * g[(d * h + k, 0)]
                        }
                        _ => 0.0,
                    };
                    if is_exact {
                        let through = joint
                            .directions()
                            .enumerate()
                            .flat_map(|(s, row)| (0..h).map(move |c| (s * h + c, row * h + c)));
                        *out = through.map(|(c, at)| g[(d * h + k, c)] * linear_slope[at]).sum();
                        *out -= by_law;
                    } else {
                        *out += by_law;
                    }
                }
            }
        }
        Ok(slope)
    }

    /// ∂(Zũ − f̃)/∂ω by a central difference of the condensed matrices, which are smooth.
    fn frequency_slope(
        &self,
        parameters: &Parameters,
        u: &[f64],
    ) -> Result<Vec<f64>, ReductionError> {
        let step = 1e-5 * parameters.omega;
        let at = |omega: f64| -> Result<Vec<f64>, ReductionError> {
            let linear = self.linear(omega)?;
            let product = self.stiffness_product(&linear, u);
            let load = self.load(&linear, parameters);
            Ok(product.iter().zip(load).map(|(z, f)| z - f).collect())
        };
        let (above, below) = (at(parameters.omega + step)?, at(parameters.omega - step)?);
        Ok(above.iter().zip(below).map(|(a, b)| (a - b) / (2.0 * step)).collect())
    }
}

/// (1) in the rows of a joint; c is the coefficient of the column.
fn spring_column(
    column: &Column,
    c: usize,
    h: usize,
    joint: &Joint,
    march: &March,
    out: &mut [f64],
) {
    let own = joint.directions().position(|row| row == column.row);
    for (d, row) in joint.directions().enumerate() {
        let out = &mut out[row * h..(row + 1) * h];
        out.fill(0.0);
        out[column.range()].copy_from_slice(&column.image(column.z[row])[..column.count]);
        if let (Some(g), Some(own)) = (&march.derivative, own) {
            let g = &g.col_as_slice(own * h + c)[d * h..(d + 1) * h];
            out.iter_mut().zip(g).for_each(|(out, g)| *out += g);
        }
    }
}
