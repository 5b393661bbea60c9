//! The linear systems of the Newton iteration, without what holds still.
//!
//! ```text
//!     J x = b ,   J = z − G (z − Z)                                                        (1)
//! ```
//!
//! Where a pair stays stuck or closed through the period G has rows of zeros, so that a harmonic of its
//! motion is known at once, x_h = z⁻¹ b_h. Only the others are left to factorise:
//!
//! ```text
//!     J_ff x_f = b_f − J_fh x_h ,   J_fh x_h = −[G (z x_h − Z x_h)]_f                       (2)
//! ```
//!
//! With half of the unknowns held this costs an eighth of the factorisation of J.

use faer::Mat;

use super::balance::{Balance, Evaluation, Linear};
use super::jacobian::{Unknowns, coefficients};
use crate::linalg::{Complex, Lu};

/// Entries of G up to this are rounding errors of zero.
const TOL_ZERO: f64 = 1e-13;

/// J at an evaluation, factorised.
pub struct Factor<'a> {
    balance: &'a Balance,
    linear: &'a Linear,
    evaluation: &'a Evaluation,
    /// Harmonics of rows that are held, with their z.
    held: Vec<(usize, usize, Complex)>,
    /// Coefficients that are not.
    free: Vec<usize>,
    lu: Lu,
}

impl Balance {
    /// J of an evaluation that has derivatives, factorised.
    pub fn factor<'a>(&'a self, linear: &'a Linear, evaluation: &'a Evaluation) -> Factor<'a> {
        let held = self.held(linear, evaluation);
        let n = self.basis.n_harmonics();
        let mut is_free = vec![true; n * self.condensation.n_relative()];
        held.iter().for_each(|&(row, i, _)| is_free[row * n + i] = false);
        let free = Unknowns::new(self, |row, i| is_free[row * n + i]);
        let lu = Lu::new(self.jacobian_of(linear, evaluation, &free));
        Factor { balance: self, linear, evaluation, held, free: free.coefficients, lu }
    }

    /// Harmonics of rows whose part of G is zero.
    fn held(&self, linear: &Linear, evaluation: &Evaluation) -> Vec<(usize, usize, Complex)> {
        let h = self.basis.n_coefficients();
        let mut held = Vec::new();
        for ((joint, local), march) in
            self.joints.iter().zip(&linear.locals).zip(&evaluation.marches)
        {
            let Some(g) = &march.derivative else { continue };
            let n_inputs = h * joint.n_directions();
            let is_zero = |row: usize| (0..n_inputs).all(|c| g[(row, c)].abs() <= TOL_ZERO);
            let directions = joint.directions().enumerate();
            for (d, row) in directions.filter(|(_, row)| joint.is_exact(*row)) {
                for i in 0..self.basis.n_harmonics() {
                    if coefficients(i).all(|c| is_zero(d * h + c)) {
                        held.push((row, i, self.symbol(local, joint, row, i)));
                    }
                }
            }
        }
        held
    }
}

impl Factor<'_> {
    /// Number of unknowns that were left to factorise.
    pub fn n_free(&self) -> usize {
        self.free.len()
    }

    /// J⁻¹ b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = self.solve_held(b);
        let coupling = self.coupling(&x);
        let mut own =
            Mat::from_fn(self.free.len(), 1, |k, _| b[self.free[k]] - coupling[self.free[k]]);
        self.lu.solve_in_place(own.as_mut());
        self.free.iter().enumerate().for_each(|(k, &i)| x[i] = own[(k, 0)]);
        x
    }

    /// x_h; zero elsewhere.
    fn solve_held(&self, b: &[f64]) -> Vec<f64> {
        let basis = &self.balance.basis;
        let h = basis.n_coefficients();
        let mut x = vec![0.0; b.len()];
        for &(row, i, z) in &self.held {
            let own = row * h..(row + 1) * h;
            let amplitude = basis.amplitude(&b[own.clone()], i) / z;
            let place = &mut x[own][coefficients(i)];
            place[0] = amplitude.re;
            if let Some(sine) = place.get_mut(1) {
                *sine = -amplitude.im;
            }
        }
        x
    }

    /// J x_h in the rows that are free, (2).
    fn coupling(&self, x: &[f64]) -> Vec<f64> {
        let h = self.balance.basis.n_coefficients();
        let mut product = self.balance.stiffness_product(self.linear, x);
        // z x_h − Z x_h where joints are exact.
        let basis = &self.balance.basis;
        let mut difference: Vec<f64> = product.iter().map(|value| -value).collect();
        for &(row, i, z) in &self.held {
            let own = row * h..(row + 1) * h;
            let image = basis.amplitude(&x[own.clone()], i) * z;
            let place = &mut difference[own][coefficients(i)];
            place[0] += image.re;
            if let Some(sine) = place.get_mut(1) {
                *sine -= image.im;
            }
        }
        let joints = self.balance.joints.iter().zip(&self.evaluation.marches);
        for (joint, march) in joints.filter(|(joint, _)| joint.presses_exactly()) {
            let Some(g) = &march.derivative else { continue };
            for row in joint.directions().filter(|row| joint.is_exact(*row)) {
                product[row * h..(row + 1) * h].fill(0.0);
            }
            // Of rows that are not exact nothing is held.
            for (s, from) in joint.directions().enumerate().filter(|(_, row)| joint.is_exact(*row))
            {
                for c in 0..h {
                    let (g, value) = (g.col_as_slice(s * h + c), difference[from * h + c]);
                    for (g, row) in g.chunks(h).zip(joint.directions()) {
                        let value = if joint.is_exact(row) { -value } else { value };
                        let out = product[row * h..(row + 1) * h].iter_mut().zip(g);
                        out.for_each(|(out, g)| *out += g * value);
                    }
                }
            }
        }
        product
    }
}
