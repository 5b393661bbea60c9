//! The linearised equation over a period, in time.
//!
//! ```text
//!     M δẍ + C δẋ + K δx + Bᵀδλ = 0 ,   δλ = S(t) δu + S_T(t) (δλ⁻/k_T − δu⁻) ,  δu = B δx       (1)
//! ```
//!
//! S = ∂λ/∂u at the instant; S_T are its columns of sliders, which add to the force λ⁻ of the instant
//! before. The trapezoidal rule over a step h is the scheme of the time integration without damping of its
//! own, and exact for its energy:
//!
//! ```text
//!     x⁺ = x + h(v + v⁺)/2 ,   M(v⁺ − v) + h/2 [C(v + v⁺) + K(x + x⁺) + Bᵀ(λ + λ⁺)] = 0 ,        (2)
//!     v⁺ = v_free − h/2 R λ⁺ ,   R = A⁻¹Bᵀ ,  A = M + h/2 C + h²/4 K ,                            (3)
//!     (1 + h²/4 S W) λ⁺ = S u_free + S_T(λ/k_T − u) ,   W = B R .                                 (4)
//! ```
//!
//! All columns of Φ go together. They are measured in √M_ii x, √M_ii ẋ/ω and √M_ii λ/k_T: lengths of one size.

use std::f64::consts::TAU;

use faer::prelude::Solve;
use faer::{Mat, MatRef, Scale};

use crate::linalg::Complex;
use crate::transient::System;
use crate::transient::springs::remembered;

/// Eigenvalues of Φ for the tangents S at equidistant instants, the last one at the end of the period;
/// nothing if they cannot be found.
pub fn multipliers(system: &System, omega: f64, tangents: &[Mat<f64>]) -> Option<Vec<Complex>> {
    let monodromy = monodromy(system, omega, tangents);
    let is_finite = monodromy.col_iter().all(|column| column.iter().all(|value| value.is_finite()));
    if is_finite { monodromy.eigenvalues().ok() } else { None }
}

/// Φ.
pub fn monodromy(system: &System, omega: f64, tangents: &[Mat<f64>]) -> Mat<f64> {
    let step = Step::new(system, TAU / omega / tangents.len() as f64);
    let scale = scale(system, omega);
    let mut columns = Columns::unit(system, &scale);
    if let Some(last) = tangents.last() {
        columns.balance(&step, last);
    }
    tangents.iter().for_each(|tangent| step.advance(&mut columns, tangent));
    columns.packed(&step, &scale)
}

/// What x, ẋ and λ of sliders are multiplied with to be lengths.
fn scale(system: &System, omega: f64) -> Vec<f64> {
    let weight = |i: usize| system.matrices.mass[(i, i)].sqrt();
    let (n, n_modes) = (system.size(), system.n_modes());
    let sliders = remembered(&system.joints);
    (0..n)
        .map(weight)
        .chain((0..n).map(|i| weight(i) / omega))
        .chain(sliders.iter().map(|(row, softness)| softness * weight(n_modes + row)))
        .collect()
}

/// δx, δẋ and δλ, a column each.
struct Columns {
    x: Mat<f64>,
    v: Mat<f64>,
    force: Mat<f64>,
}

impl Columns {
    /// One length in each coordinate of the state.
    fn unit(system: &System, scale: &[f64]) -> Self {
        let (n, n_state) = (system.size(), scale.len());
        let unit = |at: usize, j: usize| if at == j { 1.0 / scale[j] } else { 0.0 };
        let mut force = Mat::zeros(system.n_relative(), n_state);
        for (k, (row, _)) in remembered(&system.joints).iter().enumerate() {
            force[(*row, 2 * n + k)] = 1.0 / scale[2 * n + k];
        }
        Self {
            x: Mat::from_fn(n, n_state, unit),
            v: Mat::from_fn(n, n_state, |i, j| unit(n + i, j)),
            force,
        }
    }

    /// Forces that remember nothing follow from the displacement at the beginning.
    fn balance(&mut self, step: &Step, tangent: &Mat<f64>) {
        let forces = tangent * step.relative(&self.x);
        let is_free = |row: usize| step.sliders.iter().all(|(slider, _)| *slider != row);
        for row in (0..forces.nrows()).filter(|row| is_free(*row)) {
            (0..forces.ncols()).for_each(|j| self.force[(row, j)] = forces[(row, j)]);
        }
    }

    fn packed(&self, step: &Step, scale: &[f64]) -> Mat<f64> {
        let n = self.x.nrows();
        Mat::from_fn(scale.len(), scale.len(), |i, j| {
            let value = match i {
                _ if i < n => self.x[(i, j)],
                _ if i < 2 * n => self.v[(i - n, j)],
                _ => self.force[(step.sliders[i - 2 * n].0, j)],
            };
            scale[i] * value
        })
    }
}

/// The matrices of (3) and (4).
struct Step {
    h: f64,
    from_x: Mat<f64>,
    from_v: Mat<f64>,
    /// R.
    response: Mat<f64>,
    /// h²/4 W.
    compliance: Mat<f64>,
    /// Rows of sliders with 1/k_T.
    sliders: Vec<(usize, f64)>,
    n_modes: usize,
}

impl Step {
    fn new(system: &System, h: f64) -> Self {
        let (m, c, k) =
            (&system.matrices.mass, &system.matrices.damping, &system.matrices.stiffness);
        let sum = |b: f64, d: f64| m + c * Scale(b * h) + k * Scale(d * h * h);
        let factor = sum(0.5, 0.25).partial_piv_lu();
        let (n, n_modes, n_relative) = (system.size(), system.n_modes(), system.n_relative());
        let onto = Mat::from_fn(n, n_relative, |i, j| f64::from(u8::from(i == n_modes + j)));
        let response = factor.solve(onto);
        let compliance = response.submatrix(n_modes, 0, n_relative, n_relative).to_owned();
        Self {
            h,
            from_x: factor.solve(k) * Scale(-h),
            from_v: factor.solve(sum(-0.5, -0.25)),
            response,
            compliance: compliance * Scale(0.25 * h * h),
            sliders: remembered(&system.joints),
            n_modes,
        }
    }

    /// B times columns over x.
    fn relative<'a>(&self, columns: &'a Mat<f64>) -> MatRef<'a, f64> {
        columns.subrows(self.n_modes, columns.nrows() - self.n_modes)
    }

    /// (2) with (3) and (4).
    fn advance(&self, columns: &mut Columns, tangent: &Mat<f64>) {
        let half = Scale(0.5 * self.h);
        let Columns { x, v, force } = columns;
        let mut next = &self.from_v * &*v + &self.from_x * &*x - &self.response * (&*force * half);
        let free = self.relative(x) + (self.relative(v) + self.relative(&next)) * half;
        let mut right = tangent * free;
        for &(row, softness) in &self.sliders {
            for j in 0..right.ncols() {
                let kept = softness * force[(row, j)] - x[(self.n_modes + row, j)];
                (0..right.nrows()).for_each(|i| right[(i, j)] += tangent[(i, row)] * kept);
            }
        }
        let n = tangent.nrows();
        let matrix = Mat::<f64>::identity(n, n) + tangent * &self.compliance;
        *force = matrix.partial_piv_lu().solve(right);
        next -= &self.response * (&*force * half);
        *x += (&*v + &next) * half;
        *v = next;
    }
}
