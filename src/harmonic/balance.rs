//! The residual of harmonic balance in the relative displacements, and its derivatives.
//!
//! ```text
//! ũ: coefficients of u_r, row by row (a_0, a_1, b_1, …). With Z_k and f_k condensed at kω,
//!
//!     r = Z ũ + λ̃ − f̃                                                                    (1)
//!
//! Springs give λ̃ = F λ(F̄ũ) and J = Z + ∂λ̃. Exact joints (DLFT) have λ = λ_u − λ_x, so that
//!
//!     λ_u = f̃ − Zũ + ε(ũ + g) ,   r = ε(ũ + g) − λ̃_x ,   J = ε − G (ε − Z) ,               (2)
//!
//! G = ∂λ̃_x/∂λ̃_u of the pair. A parameter p of Z, f̃ or μ adds ∂r/∂p = −G (f̃' − Z'ũ) − ∂λ̃_x/∂μ μ'.   (3)
//! ```
//!
//! G couples the harmonics of one pair only, Z the pairs of one harmonic only: an entry of J costs a few
//! products, far less than the factorisation of J.

use faer::Mat;
use rayon::prelude::*;

use super::basis::Basis;
use crate::contact::{Joint, Law, March, Modification};
use crate::linalg::Complex;
use crate::reduction::{
    Condensation, Condensed, CondensedLoad, LoadParts, ReducedStructure, ReductionError,
};

/// The structure, its loads, joints and harmonics.
#[derive(Debug, Clone)]
pub struct Balance {
    /// The condensed structure.
    pub condensation: Condensation,
    /// Constant load.
    pub constant: CondensedLoad,
    /// Load of the first harmonic.
    pub harmonic: CondensedLoad,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Harmonics and samples.
    pub basis: Basis,
    /// ε over the largest norm of the Z_k.
    pub penalty: f64,
}

/// What may be varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// ω.
    Frequency,
    /// Factor of the vibrating loads.
    Load,
    /// Factor of the constant loads and of prescribed normal loads.
    Preload,
    /// Factor of every μ.
    Friction,
}

/// Values of what may be varied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// ω \[rad/s\].
    pub omega: f64,
    /// Factor of the vibrating loads.
    pub load: f64,
    /// Factor of the constant loads and of prescribed normal loads.
    pub preload: f64,
    /// Factor of every μ.
    pub friction: f64,
    /// Sharpness of the corner between stick and slip; infinite for the exact law.
    pub sharpness: f64,
}

impl Parameters {
    /// The case as given, at ω.
    pub fn at(omega: f64) -> Self {
        Self { omega, load: 1.0, preload: 1.0, friction: 1.0, sharpness: f64::INFINITY }
    }

    /// The value of one of them.
    pub fn get(&self, parameter: Parameter) -> f64 {
        match parameter {
            Parameter::Frequency => self.omega,
            Parameter::Load => self.load,
            Parameter::Preload => self.preload,
            Parameter::Friction => self.friction,
        }
    }

    /// The same with another value of one of them.
    pub fn with(mut self, parameter: Parameter, value: f64) -> Self {
        match parameter {
            Parameter::Frequency => self.omega = value,
            Parameter::Load => self.load = value,
            Parameter::Preload => self.preload = value,
            Parameter::Friction => self.friction = value,
        }
        self
    }
}

/// What depends on frequency only: Z_k and loads.
#[derive(Debug, Clone)]
pub struct Linear {
    /// The condensed problem of each harmonic, the static one first.
    pub condensed: Vec<Condensed>,
    /// f_0 and f_1 for factors of 1.
    constant: Vec<f64>,
    harmonic: Vec<Complex>,
    /// ε \[N/m\].
    pub epsilon: f64,
    /// Size of the loads on a relative displacement \[N\].
    force_scale: f64,
}

/// Residual and contact forces of an iterate.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// r.
    pub residual: Vec<f64>,
    /// λ̃.
    pub forces: Vec<f64>,
    /// The march of every joint.
    pub marches: Vec<March>,
}

impl Balance {
    /// Balance of a reduced structure with its loads.
    pub fn new(
        structure: &ReducedStructure,
        joints: Vec<Joint>,
        basis: Basis,
        penalty: f64,
    ) -> Result<Self, ReductionError> {
        let condensation = Condensation::new(structure)?;
        let constant = condensation.load(&LoadParts::constant(&structure.constant));
        let harmonic = condensation.load(&structure.harmonic);
        Ok(Self { condensation, constant, harmonic, joints, basis, penalty })
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.condensation.n_relative() * self.basis.n_coefficients()
    }

    /// Z_k and loads at ω, all harmonics in parallel.
    pub fn linear(&self, omega: f64) -> Result<Linear, ReductionError> {
        let orders: Vec<usize> =
            (0..self.basis.n_harmonics()).map(|i| self.basis.order(i)).collect();
        let condensed = orders
            .par_iter()
            .map(|order| self.condensation.at(*order as f64 * omega))
            .collect::<Result<Vec<Condensed>, _>>()?;
        let constant = self.condensation.condensed_load(&condensed[0], &self.constant);
        let first = orders.iter().position(|order| *order == 1);
        let harmonic =
            first.map(|i| self.condensation.condensed_load(&condensed[i], &self.harmonic));
        let largest = condensed.iter().map(|c| norm(&c.stiffness)).fold(0.0, f64::max);
        let sizes = constant.iter().chain(harmonic.iter().flatten()).map(|f| f.norm());
        let force_scale = sizes.chain(self.joints.iter().map(|j| j.preload)).fold(0.0, f64::max);
        Ok(Linear {
            force_scale,
            constant: constant.iter().map(|f| f.re).collect(),
            harmonic: harmonic.unwrap_or_default(),
            epsilon: self.penalty * largest,
            condensed,
        })
    }

    /// f̃.
    pub fn load(&self, linear: &Linear, parameters: &Parameters) -> Vec<f64> {
        let h = self.basis.n_coefficients();
        let first = self.basis.harmonics().iter().position(|order| *order == 1);
        let mut load = vec![0.0; self.size()];
        for (row, out) in load.chunks_mut(h).enumerate() {
            out[0] = parameters.preload * linear.constant[row];
            if let Some(i) = first {
                let f = parameters.load * linear.harmonic[row];
                (out[2 * i + 1], out[2 * i + 2]) = (f.re, -f.im);
            }
        }
        load
    }

    /// Z ũ.
    pub fn stiffness_product(&self, linear: &Linear, u: &[f64]) -> Vec<f64> {
        let (h, n) = (self.basis.n_coefficients(), self.condensation.n_relative());
        let mut out = vec![0.0; u.len()];
        for (i, condensed) in linear.condensed.iter().enumerate() {
            let z = &condensed.stiffness;
            let amplitudes: Vec<Complex> =
                u.chunks(h).map(|u| self.basis.amplitude(u, i)).collect();
            for row in 0..n {
                let sum: Complex = (0..n).map(|j| z[(row, j)] * amplitudes[j]).sum();
                if i == 0 {
                    out[row * h] = sum.re;
                } else {
                    (out[row * h + 2 * i - 1], out[row * h + 2 * i]) = (sum.re, -sum.im);
                }
            }
        }
        out
    }

    /// Residual and contact forces at ũ.
    pub fn evaluate(
        &self,
        linear: &Linear,
        parameters: &Parameters,
        u: &[f64],
        wants_derivative: bool,
    ) -> Evaluation {
        let h = self.basis.n_coefficients();
        let load = self.load(linear, parameters);
        let mut residual = self.stiffness_product(linear, u);
        residual.iter_mut().zip(&load).for_each(|(r, f)| *r -= f);
        let Parameters { friction, preload, sharpness, .. } = *parameters;
        let force_scale = linear.force_scale;
        let modification = Modification { friction, preload, sharpness, force_scale };
        let marches: Vec<March> = self
            .joints
            .par_iter()
            .map(|joint| {
                let joint = joint.modified(&modification);
                let input = self.input(linear, &joint, u, &residual);
                joint.march(&input, self.basis.samples(), wants_derivative)
            })
            .collect();
        let mut forces = vec![0.0; self.size()];
        for (joint, march) in self.joints.iter().zip(&marches) {
            for (values, row) in march.values.iter().zip(joint.directions()) {
                let harmonics = self.basis.to_harmonics(values);
                let at = row * h..(row + 1) * h;
                match joint.law {
                    Law::Exact => {
                        let lambda_u = self.lambda_u(linear, joint, row, u, &residual);
                        let pairs = lambda_u.iter().zip(&harmonics);
                        forces[at].iter_mut().zip(pairs).for_each(|(f, (u, x))| *f = u - x);
                    }
                    _ => forces[at].copy_from_slice(&harmonics),
                }
            }
        }
        residual.iter_mut().zip(&forces).for_each(|(r, f)| *r += f);
        Evaluation { residual, forces, marches }
    }

    /// λ̃_u of a row; `residual` is Zũ − f̃.
    fn lambda_u(
        &self,
        linear: &Linear,
        joint: &Joint,
        row: usize,
        u: &[f64],
        residual: &[f64],
    ) -> Vec<f64> {
        let h = self.basis.n_coefficients();
        let own = row * h..(row + 1) * h;
        let pairs = u[own.clone()].iter().zip(&residual[own]);
        let mut lambda: Vec<f64> = pairs.map(|(u, r)| linear.epsilon * u - r).collect();
        if joint.rows.normal == Some(row) {
            lambda[0] += linear.epsilon * joint.gap;
        }
        lambda
    }

    /// What a joint's law works on, in time: λ_u or u.
    fn input(&self, linear: &Linear, joint: &Joint, u: &[f64], residual: &[f64]) -> Vec<Vec<f64>> {
        let h = self.basis.n_coefficients();
        let of = |row: usize| match joint.law {
            Law::Exact => self.basis.to_time(&self.lambda_u(linear, joint, row, u, residual)),
            _ => self.basis.to_time(&u[row * h..(row + 1) * h]),
        };
        joint.directions().map(of).collect()
    }

    /// J of an evaluation that has derivatives.
    pub fn jacobian(&self, linear: &Linear, evaluation: &Evaluation) -> Mat<f64> {
        let (h, n, size) =
            (self.basis.n_coefficients(), self.condensation.n_relative(), self.size());
        let mut values = vec![0.0; size * size];
        values.par_chunks_mut(size).enumerate().for_each(|(column, out)| {
            let (j, c) = (column / h, column % h);
            let i = c.div_ceil(2);
            let z = &linear.condensed[i].stiffness;
            // The one or two rows of harmonic i in this column of Z, for every row of u_r.
            let entry = |row: usize| -> (f64, f64) {
                let z = z[(row, j)];
                match (c, c % 2) {
                    (0, _) => (z.re, 0.0),
                    (_, 1) => (z.re, -z.im),
                    _ => (z.im, z.re),
                }
            };
            let first = if i == 0 { 0 } else { 2 * i - 1 };
            for row in 0..n {
                let (a, b) = entry(row);
                out[row * h + first] = a;
                if i > 0 {
                    out[row * h + first + 1] = b;
                }
            }
            for (joint, march) in self.joints.iter().zip(&evaluation.marches) {
                let Some(g) = &march.derivative else { continue };
                let rows: Vec<usize> = joint.directions().collect();
                if joint.law != Law::Exact {
                    if let Some(own) = rows.iter().position(|row| *row == j) {
                        for (d, row) in rows.iter().enumerate() {
                            for k in 0..h {
                                out[row * h + k] += g[(d * h + k, own * h + c)];
                            }
                        }
                    }
                    continue;
                }
                // J = ε − G (ε − Z): Z, which stands in `out`, is replaced.
                let epsilon = |row: usize, k: usize| {
                    if row * h + k == column { linear.epsilon } else { 0.0 }
                };
                let mut local = [(0.0, 0.0); 3];
                for (d, row) in rows.iter().enumerate() {
                    let (a, b) = entry(*row);
                    local[d] = (epsilon(*row, first) - a, epsilon(*row, first + 1) - b);
                }
                for (d, row) in rows.iter().enumerate() {
                    for k in 0..h {
                        let mut sum = epsilon(*row, k);
                        for (s, (a, b)) in local.iter().enumerate().take(rows.len()) {
                            sum -= g[(d * h + k, s * h + first)] * a;
                            if i > 0 {
                                sum -= g[(d * h + k, s * h + first + 1)] * b;
                            }
                        }
                        out[row * h + k] = sum;
                    }
                }
            }
        });
        faer::MatRef::from_column_major_slice(&values, size, size).to_owned()
    }

    /// ∂r/∂p of an evaluation that has derivatives, equation (3); ε is held.
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
        let mut slope = match parameter {
            Parameter::Frequency => self.frequency_slope(parameters, u)?,
            _ => {
                let at = |value: f64| self.load(linear, &parameters.with(parameter, value));
                at(0.0).iter().zip(at(1.0)).map(|(a, b)| a - b).collect()
            }
        };
        let linear_slope = slope.clone();
        for (joint, march) in self.joints.iter().zip(&evaluation.marches) {
            let Some(g) = &march.derivative else { continue };
            let rows: Vec<usize> = joint.directions().collect();
            let is_exact = joint.law == Law::Exact;
            let last = g.ncols() - 1;
            for (d, row) in rows.iter().enumerate() {
                for k in 0..h {
                    let out = &mut slope[row * h + k];
                    // N₀ acts like a constant −λ_u,N or, without normal freedoms, like μ.
                    let by_law = match (parameter, joint.rows.normal) {
                        (Parameter::Friction, _) => g[(d * h + k, last)] / parameters.friction,
                        (Parameter::Preload, None) => g[(d * h + k, last)] / parameters.preload,
                        (Parameter::Preload, Some(_)) if is_exact => {
                            -joint.preload * g[(d * h + k, 0)]
                        }
                        _ => 0.0,
                    };
                    if is_exact {
                        let through = rows
                            .iter()
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

/// Spectral norm, by power iteration on ZᴴZ; a few per cent are enough.
fn norm(matrix: &Mat<Complex>) -> f64 {
    let n = matrix.nrows();
    if n == 0 {
        return 0.0;
    }
    let mut x = Mat::from_fn(n, 1, |i, _| Complex::new(1.0, 0.1 * (i as f64 + 1.0).sin()));
    let mut value = 0.0;
    for _ in 0..30 {
        let y = matrix * &x;
        let back = matrix.adjoint() * &y;
        let (length, image) = (x.norm_l2(), y.norm_l2());
        if length == 0.0 || image == 0.0 {
            return value;
        }
        let next = image / length;
        let scale = Complex::from(1.0 / back.norm_l2());
        x = Mat::from_fn(n, 1, |i, _| back[(i, 0)] * scale);
        if (next - value).abs() < 1e-3 * next {
            return next;
        }
        value = next;
    }
    value
}
