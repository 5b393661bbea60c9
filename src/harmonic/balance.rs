//! The residual of harmonic balance in the relative displacements, and its derivatives.
//!
//! ```text
//! ũ: coefficients of u_r, row by row (a_0, a_1, b_1, …). With Z_k and f_k condensed at kω,
//!
//!     r = Z ũ + λ̃ − f̃                                                                    (1)
//!
//! Springs give λ̃ = F λ(F̄ũ). Exact directions (DLFT) have λ = λ_u − λ_x, with the operator z of `interface`:
//!
//!     λ_u = f̃ − Zũ + z(ũ + g) + t ,   r = z(ũ + g) − λ̃_x                                     (2)
//!
//! t, the `tail`, holds harmonics that are not retained.
//! ```

use std::sync::OnceLock;

use faer::Mat;
use rayon::prelude::*;

use super::interface::Treatment;
use super::tail::Flexibility;
use crate::contact::{Basis, Joint, Law, Local, March, Modification};
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
    /// Treatment of the harmonics that are not retained.
    pub treatment: Treatment,
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
    /// ω \[rad/s\].
    pub omega: f64,
    /// The condensed problem of each harmonic, the static one first.
    pub condensed: Vec<Condensed>,
    /// f_0 and f_1 for factors of 1.
    constant: Vec<f64>,
    harmonic: Vec<Complex>,
    /// z of every joint.
    pub locals: Vec<Local>,
    /// t of every row in time \[N\]; empty where there is none.
    pub tail: Vec<Vec<f64>>,
    /// Z beyond the retained harmonics, formed when it is first needed.
    pub(super) beyond: OnceLock<Flexibility>,
    /// Size of the loads on a relative displacement \[N\].
    force_scale: f64,
}

impl Linear {
    /// The same with the classic operator, which rest needs no more than: without vibration z drops out.
    pub fn at_rest(&self) -> Self {
        let locals = self.locals.iter().map(|local| Local::penalty(local.normal)).collect();
        Self { locals, tail: vec![], ..self.clone() }
    }
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

impl Evaluation {
    /// Whether the forces of every joint end the period as they began it. Sliders on springs settle slowly; they are
    /// good enough.
    pub fn is_periodic(&self, joints: &[Joint]) -> bool {
        let is_slider = |joint: &Joint| matches!(joint.law, Law::Penalty { .. });
        let mut marches = joints.iter().zip(&self.marches);
        marches.all(|(joint, march)| march.is_periodic || is_slider(joint))
    }
}

impl Balance {
    /// Balance of a reduced structure with its loads.
    pub fn new(
        structure: &ReducedStructure,
        joints: Vec<Joint>,
        basis: Basis,
        treatment: Treatment,
    ) -> Result<Self, ReductionError> {
        let condensation = Condensation::new(structure)?;
        let constant = condensation.load(&LoadParts::constant(&structure.constant));
        let harmonic = condensation.load(&structure.harmonic);
        Ok(Self { condensation, constant, harmonic, joints, basis, treatment })
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
            omega,
            force_scale,
            constant: constant.iter().map(|f| f.re).collect(),
            harmonic: harmonic.unwrap_or_default(),
            locals: self.locals(omega, largest),
            tail: vec![],
            beyond: OnceLock::new(),
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
        let mut sums = vec![Complex::new(0.0, 0.0); n];
        for (i, condensed) in linear.condensed.iter().enumerate() {
            sums.fill(Complex::new(0.0, 0.0));
            for (j, u) in u.chunks(h).enumerate() {
                let amplitude = self.basis.amplitude(u, i);
                if amplitude.re != 0.0 || amplitude.im != 0.0 {
                    let column = condensed.stiffness.col_as_slice(j);
                    sums.iter_mut().zip(column).for_each(|(sum, z)| *sum += z * amplitude);
                }
            }
            for (out, sum) in out.chunks_mut(h).zip(&sums) {
                if i == 0 {
                    out[0] = sum.re;
                } else {
                    (out[2 * i - 1], out[2 * i]) = (sum.re, -sum.im);
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
            .zip(&linear.locals)
            .map(|(joint, local)| {
                let joint = joint.modified(&modification);
                let input = self.input(linear, local, &joint, u, &residual);
                joint.march(local, input, self.basis.samples(linear.omega), wants_derivative)
            })
            .collect();
        let mut forces = vec![0.0; self.size()];
        for ((joint, local), march) in self.joints.iter().zip(&linear.locals).zip(&marches) {
            for (d, row) in joint.directions().enumerate() {
                let out = &mut forces[row * h..(row + 1) * h];
                match march.steady[d] {
                    Some(lambda_x) => {
                        let lambda_u = self.lambda_u(local, joint, row, u, &residual);
                        self.basis.store(lambda_u, out);
                        out[0] -= lambda_x;
                    }
                    None => out.copy_from_slice(&self.basis.to_harmonics(&march.forces[d])),
                }
            }
        }
        residual.iter_mut().zip(&forces).for_each(|(r, f)| *r += f);
        Evaluation { residual, forces, marches }
    }

    /// λ_u of a row in the retained harmonics; `residual` is Zũ − f̃.
    fn lambda_u(
        &self,
        local: &Local,
        joint: &Joint,
        row: usize,
        u: &[f64],
        residual: &[f64],
    ) -> impl Iterator<Item = Complex> {
        let h = self.basis.n_coefficients();
        let own = row * h..(row + 1) * h;
        let (u, residual) = (&u[own.clone()], &residual[own]);
        let gap = if joint.rows.normal == Some(row) { local.normal * joint.gap } else { 0.0 };
        (0..self.basis.n_harmonics()).map(move |i| {
            let [motion, rest] = [u, residual].map(|values| self.basis.amplitude(values, i));
            let opening = if i == 0 { gap } else { 0.0 };
            self.symbol(local, joint, row, i) * motion - rest + opening
        })
    }

    /// z of a row in the i-th retained harmonic.
    pub(super) fn symbol(&self, local: &Local, joint: &Joint, row: usize, i: usize) -> Complex {
        local.symbol(joint.rows.normal == Some(row), self.basis.half_turn(self.basis.order(i)))
    }

    /// What a joint's law works on, in time: λ_u or u.
    fn input(
        &self,
        linear: &Linear,
        local: &Local,
        joint: &Joint,
        u: &[f64],
        residual: &[f64],
    ) -> Vec<Vec<f64>> {
        let h = self.basis.n_coefficients();
        let of = |row: usize| match joint.is_exact(row) {
            true => {
                let lambda_u = self.lambda_u(local, joint, row, u, residual);
                let orders = (0..self.basis.n_harmonics()).map(|i| self.basis.order(i));
                let mut values = self.basis.sum(orders.zip(lambda_u));
                if let Some(tail) = linear.tail.get(row) {
                    values.iter_mut().zip(tail).for_each(|(value, tail)| *value += tail);
                }
                values
            }
            false => self.basis.to_time(&u[row * h..(row + 1) * h]),
        };
        joint.directions().map(of).collect()
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
