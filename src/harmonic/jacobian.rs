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

use std::ops::Range;

use faer::{ColMut, Mat, MatMut};

use super::balance::{Balance, Evaluation, Linear, Parameter, Parameters};
use crate::contact::{Joint, Law, Local, MAX_DIRECTIONS, March};
use crate::linalg::Complex;
use crate::reduction::ReductionError;

/// Harmonics of rows whose columns are worth a thread.
const MIN_HARMONICS: usize = 16;

/// Unknowns of a part of J: harmonics of rows, ascending.
pub(super) struct Unknowns {
    /// Rows and harmonics, with the first coefficient of each among the unknowns.
    harmonics: Vec<Harmonic>,
    /// Coefficients.
    pub(super) coefficients: Vec<usize>,
    /// First unknown of every row of u_r, and the number of unknowns.
    first: Vec<usize>,
}

/// The i-th harmonic of a row, of which there are two columns of J: those of its cosine and of its sine.
struct Harmonic {
    row: usize,
    i: usize,
    /// Among the unknowns.
    first: usize,
}

/// A joint with its operator and its march.
type Pair<'a> = (&'a Joint, &'a Local, &'a March);

impl Unknowns {
    /// The harmonics of rows that are wanted.
    pub fn new(balance: &Balance, is_wanted: impl Fn(usize, usize) -> bool) -> Self {
        let h = balance.basis.n_coefficients();
        let mut unknowns = Self { harmonics: vec![], coefficients: vec![], first: vec![0] };
        for row in 0..balance.condensation.n_relative() {
            for i in (0..balance.basis.n_harmonics()).filter(|i| is_wanted(row, *i)) {
                let first = unknowns.coefficients.len();
                unknowns.harmonics.push(Harmonic { row, i, first });
                unknowns.coefficients.extend(coefficients(i).map(|c| row * h + c));
            }
            unknowns.first.push(unknowns.coefficients.len());
        }
        unknowns
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.coefficients.len()
    }

    /// Those of a row.
    fn of(&self, row: usize) -> Range<usize> {
        self.first[row]..self.first[row + 1]
    }
}

/// Coefficients of the i-th harmonic within a row.
pub(super) fn coefficients(i: usize) -> Range<usize> {
    if i == 0 { 0..1 } else { 2 * i - 1..2 * i + 1 }
}

/// Copies the wanted coefficients of a row, which begins at `first`.
fn gather(row: &[f64], wanted: &[usize], first: usize, out: ColMut<f64>) {
    if wanted.len() == row.len() {
        out.iter_mut().zip(row).for_each(|(out, value)| *out = *value);
    } else {
        out.iter_mut().zip(wanted).for_each(|(out, place)| *out = row[place - first]);
    }
}

/// What the columns of a harmonic do at a joint, direction by direction.
#[derive(Default)]
struct Share {
    /// To the residual, not through the law: z of (2) or Z of (1).
    direct: [Complex; MAX_DIRECTIONS],
    /// To the input of the law: λ_u or u.
    inputs: [Complex; MAX_DIRECTIONS],
}

impl Share {
    /// The columns of the cosine and of the sine in the row of direction d: (1) and (2), of both of which (4) is made.
    ///
    /// A factor z of the amplitude a − ib turns (a, b) into (a Re z + b Im z, b Re z − a Im z).
    fn columns(
        &self,
        i: usize,
        (joint, _, march): &Pair,
        (d, row): (usize, usize),
        [cosine, sine]: &mut [Vec<f64>; 2],
    ) {
        let (h, own) = (cosine.len(), coefficients(i));
        cosine.fill(0.0);
        sine.fill(0.0);
        cosine[own.start] = self.direct[d].re;
        if i > 0 {
            cosine[own.start + 1] = -self.direct[d].im;
            (sine[own.start], sine[own.start + 1]) = (self.direct[d].im, self.direct[d].re);
        }
        let Some(g) = &march.derivative else { return };
        let sign = if joint.is_exact(row) { -1.0 } else { 1.0 };
        for (s, input) in self.inputs[..joint.n_directions()].iter().enumerate() {
            let (re, im) = (sign * input.re, sign * input.im);
            let g = |c: usize| &g.col_as_slice(s * h + c)[d * h..(d + 1) * h];
            let a = g(own.start);
            if i == 0 {
                cosine.iter_mut().zip(a).for_each(|(out, a)| *out += a * re);
                continue;
            }
            let both = cosine.iter_mut().zip(&mut *sine).zip(a.iter().zip(g(own.start + 1)));
            both.for_each(|((cosine, sine), (a, b))| {
                *cosine += a * re - b * im;
                *sine += a * im + b * re;
            });
        }
    }
}

impl Balance {
    /// J of an evaluation that has derivatives, (1) and (2).
    pub fn jacobian(&self, linear: &Linear, evaluation: &Evaluation) -> Mat<f64> {
        self.jacobian_of(linear, evaluation, &Unknowns::new(self, |_, _| true))
    }

    /// Its part in the rows and columns of some of the unknowns.
    pub(super) fn jacobian_of(
        &self,
        linear: &Linear,
        evaluation: &Evaluation,
        unknowns: &Unknowns,
    ) -> Mat<f64> {
        let joints = self.joints.iter().zip(&linear.locals).zip(&evaluation.marches);
        let pairs: Vec<Pair> =
            joints.map(|((joint, local), march)| (joint, local, march)).collect();
        let mut matrix = Mat::zeros(unknowns.len(), unknowns.len());
        self.fill(linear, &pairs, unknowns, &unknowns.harmonics, matrix.as_mut());
        matrix
    }

    /// The columns of some harmonics.
    fn fill(
        &self,
        linear: &Linear,
        pairs: &[Pair],
        unknowns: &Unknowns,
        harmonics: &[Harmonic],
        mut out: MatMut<f64>,
    ) {
        let Some(first) = harmonics.first().map(|harmonic| harmonic.first) else { return };
        if harmonics.len() >= 2 * MIN_HARMONICS {
            let (some, others) = harmonics.split_at(harmonics.len() / 2);
            let (left, right) = out.split_at_col_mut(others[0].first - first);
            rayon::join(
                || self.fill(linear, pairs, unknowns, some, left),
                || self.fill(linear, pairs, unknowns, others, right),
            );
            return;
        }
        let h = self.basis.n_coefficients();
        let mut columns = [vec![0.0; h], vec![0.0; h]];
        for harmonic in harmonics {
            let n = coefficients(harmonic.i).len();
            for pair in pairs {
                let share = self.share(linear, harmonic, pair);
                for (d, row) in pair.0.directions().enumerate() {
                    let own = unknowns.of(row);
                    if own.is_empty() {
                        continue;
                    }
                    share.columns(harmonic.i, pair, (d, row), &mut columns);
                    let wanted = &unknowns.coefficients[own.clone()];
                    for (c, column) in columns[..n].iter().enumerate() {
                        let out = out.as_mut().col_mut(harmonic.first - first + c);
                        let out = out.subrows_mut(own.start, own.len());
                        gather(column, wanted, row * h, out);
                    }
                }
            }
        }
    }

    /// What the columns of a harmonic do at a joint.
    fn share(&self, linear: &Linear, harmonic: &Harmonic, (joint, local, _): &Pair) -> Share {
        let z = linear.condensed[harmonic.i].stiffness.col_as_slice(harmonic.row);
        let mut share = Share::default();
        for (d, row) in joint.directions().enumerate() {
            let is_own = row == harmonic.row;
            if joint.is_exact(row) {
                let symbol = is_own.then(|| self.symbol(local, joint, row, harmonic.i));
                share.direct[d] = symbol.unwrap_or_default();
                share.inputs[d] = share.direct[d] - z[row];
            } else {
                share.direct[d] = z[row];
                share.inputs[d] = f64::from(u8::from(is_own)).into();
            }
        }
        share
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
