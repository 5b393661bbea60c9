//! Derivatives of the residual of harmonic balance.
//!
//! ```text
//!     springs        J = Z + ∂λ̃/∂ũ                                                        (1)
//!     exact joints   J = z − G (z − Z) ,   G = ∂λ̃_x/∂λ̃_u of the pair                        (2)
//!
//! A parameter p of Z, f̃ or μ adds, with z held,
//!
//!     ∂r/∂p = −G (f̃' − Z'ũ) − ∂λ̃_x/∂μ μ'                                                  (3)
//!
//! A joint of both kinds of direction, e exact and s not, has G from λ̃_u,e and ũ_s to λ̃_x,e and λ̃_s:
//!
//!     J_e = z_e − G_ee (z − Z)_e − G_es ,    J_s = Z_s + G_se (z − Z)_e + G_ss                    (4)
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
    /// First coefficient of harmonic i.
    first: usize,
    /// Column of Z_i.
    z: &'a [Complex],
}

impl<'a> Column<'a> {
    fn new(linear: &'a Linear, index: usize, h: usize) -> Self {
        let (row, c) = (index / h, index % h);
        let i = c.div_ceil(2);
        let z = linear.condensed[i].stiffness.col_as_slice(row);
        Self { row, i, is_sine: c > 0 && c % 2 == 0, first: (2 * i).saturating_sub(1), z }
    }

    /// Whether its harmonic has one coefficient, not two.
    fn is_static(&self) -> bool {
        self.i == 0
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
        let mut matrix = Mat::zeros(n, n);
        let columns = matrix.as_mut().par_col_iter_mut().zip(places).with_min_len(MIN_COLUMNS);
        columns.for_each_init(
            || vec![0.0; self.size()],
            |whole, (out, &index)| {
                let column = Column::new(linear, index, h);
                for ((joint, local), march) in joints.clone() {
                    self.joint_column(&column, (joint, local, march), &is_wanted, whole);
                }
                out.iter_mut().zip(places).for_each(|(out, &place)| *out = whole[place]);
            },
        );
        matrix
    }

    /// Which rows of u_r have coefficients among the given ones.
    fn rows_of(&self, places: &[usize]) -> Vec<bool> {
        let mut rows = vec![false; self.condensation.n_relative()];
        places.iter().for_each(|place| rows[place / self.basis.n_coefficients()] = true);
        rows
    }

    /// The column in the wanted rows of a joint: (1) and (2), of both of which (4) is made.
    fn joint_column(
        &self,
        column: &Column,
        (joint, local, march): (&Joint, &Local, &March),
        is_wanted: &[bool],
        out: &mut [f64],
    ) {
        let h = self.basis.n_coefficients();
        let symbol = |row: usize| match row == column.row {
            true => self.symbol(local, joint, row, column.i),
            false => Complex::new(0.0, 0.0),
        };
        // What the column makes of an input of the joint: λ_u or u.
        let input = |row: usize| match joint.is_exact(row) {
            true => symbol(row) - column.z[row],
            false => f64::from(u8::from(row == column.row)).into(),
        };
        for (d, row) in joint.directions().enumerate().filter(|(_, row)| is_wanted[*row]) {
            let (linear, sign) = match joint.is_exact(row) {
                true => (symbol(row), -1.0),
                false => (column.z[row], 1.0),
            };
            let out = &mut out[row * h..(row + 1) * h];
            out.fill(0.0);
            let [first, second] = column.image(linear);
            out[column.first] = first;
            if !column.is_static() {
                out[column.first + 1] = second;
            }
            let Some(g) = &march.derivative else { continue };
            for (s, from) in joint.directions().enumerate() {
                let [first, second] = column.image(input(from) * sign);
                let g = |k: usize| &g.col_as_slice(s * h + k)[d * h..(d + 1) * h];
                if column.is_static() {
                    out.iter_mut().zip(g(0)).for_each(|(out, g)| *out += g * first);
                } else if first != 0.0 || second != 0.0 {
                    let terms = out.iter_mut().zip(g(column.first)).zip(g(column.first + 1));
                    terms.for_each(|((out, a), b)| *out += a * first + b * second);
                }
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
            let mut gained = vec![0.0; joint.n_directions() * h];
            let mut add = |column: usize, factor: f64| {
                let terms = gained.iter_mut().zip(g.col_as_slice(column));
                terms.for_each(|(gained, g)| *gained += factor * g);
            };
            for (s, row) in joint.directions().enumerate().filter(|(_, row)| joint.is_exact(*row)) {
                (0..h).for_each(|c| add(s * h + c, -linear_slope[row * h + c]));
            }
            if let Some((column, factor)) = law_column(joint, g.ncols(), parameter, parameters) {
                add(column, factor);
            }
            for (gained, row) in gained.chunks(h).zip(joint.directions()) {
                let out = slope[row * h..(row + 1) * h].iter_mut().zip(gained);
                match joint.is_exact(row) {
                    true => out.for_each(|(out, gained)| *out = -gained),
                    false => out.for_each(|(out, gained)| *out += gained),
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

/// The column of a joint's derivative by which its law sees a parameter, and the factor of it.
fn law_column(
    joint: &Joint,
    n_columns: usize,
    parameter: Parameter,
    parameters: &Parameters,
) -> Option<(usize, f64)> {
    let last = n_columns - 1;
    match (parameter, joint.law) {
        (Parameter::Load, _) => None,
        (Parameter::Friction, _) => Some((last, 1.0 / parameters.friction)),
        (Parameter::Frequency, Law::Friction(_)) => Some((last - 2, 1.0 / parameters.omega)),
        (Parameter::Frequency, _) => None,
        (Parameter::Preload, Law::Friction(_)) => Some((last - 1, 1.0 / parameters.preload)),
        // N₀ acts like μ without normal freedoms, and like a constant −λ_u,N with them.
        (Parameter::Preload, _) if joint.rows.normal.is_none() => {
            Some((last, 1.0 / parameters.preload))
        }
        (Parameter::Preload, Law::Exact) => Some((0, -joint.preload)),
        (Parameter::Preload, _) => None,
    }
}
