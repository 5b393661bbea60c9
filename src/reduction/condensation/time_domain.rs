//! The condensed structure in time, over the coordinates x = (ζ, u_r).
//!
//! ```text
//!     M = ⎡ I      M_qr ⎤     K = ⎡ Λ  0   ⎤ − s M ,    C = αM + βK + Σ_d c_d b_d b_dᵀ        (1)
//!         ⎣ M_qrᵀ  M_r  ⎦         ⎣ 0  K_r ⎦
//! ```
//!
//! Coordinates of z without mass are not among x: they follow the loads alone, β ẇ + w = R f.

use faer::Mat;

use super::{Condensation, CondensedLoad, CondensedRow, Motion};
use crate::linalg::Complex;

/// M, C and K of (1), dense.
#[derive(Debug, Clone)]
pub struct TimeMatrices {
    /// M.
    pub mass: Mat<f64>,
    /// C.
    pub damping: Mat<f64>,
    /// K.
    pub stiffness: Mat<f64>,
}

impl Condensation {
    /// M, C and K over (ζ, u_r).
    pub fn time_matrices(&self) -> TimeMatrices {
        let (m, size) = (self.n_modes(), self.n_modes() + self.n_relative());
        let mass = Mat::from_fn(size, size, |i, j| match (i < m, j < m) {
            (true, true) => f64::from(u8::from(i == j)),
            (true, false) => self.coupling[(i, j - m)],
            (false, true) => self.coupling[(j, i - m)],
            (false, false) => self.mass[(i - m, j - m)],
        });
        let stiffness = Mat::from_fn(size, size, |i, j| {
            let shifted = match (i < m, j < m) {
                (true, true) if i == j => self.eigenvalues[i],
                (false, false) => self.stiffness[(i - m, j - m)],
                _ => 0.0,
            };
            shifted - self.shift * mass[(i, j)]
        });
        let dashpots = self.dashpot_rows();
        let (alpha, beta) = self.rayleigh;
        let damping = Mat::from_fn(size, size, |i, j| {
            let lumped: f64 = dashpots.iter().map(|(c, row)| c * row[i] * row[j]).sum();
            alpha * mass[(i, j)] + beta * stiffness[(i, j)] + lumped
        });
        TimeMatrices { mass, damping, stiffness }
    }

    /// c and b over (ζ, u_r) of every dashpot.
    fn dashpot_rows(&self) -> Vec<(f64, Vec<f64>)> {
        let (m, n) = (self.n_modes(), self.n_relative());
        let row = |(d, (c, relative)): (usize, &(f64, Vec<f64>))| {
            let modal = (0..m).map(|i| self.coupling[(i, n + d)]);
            (*c, modal.chain(relative.iter().copied()).collect())
        };
        self.dashpots.iter().enumerate().map(row).collect()
    }

    /// What a functional sees of the coordinates without mass, for a load vibrating at ω.
    pub fn massless_part(&self, row: &CondensedRow, load: &CondensedLoad, omega: f64) -> Complex {
        let softness = Complex::new(1.0, omega * self.rayleigh.1).inv();
        let motion = load.residual.as_ref().map(|residual| residual.at(omega));
        let terms = motion.iter().flatten().zip(&row.z);
        terms.map(|(motion, weight)| motion * *weight).sum::<Complex>() * softness
    }
}

impl CondensedLoad {
    /// The load over (ζ, u_r) at ω \[rad/s\].
    pub fn coordinates(&self, omega: f64) -> Vec<Complex> {
        let mut load = self.modal.at(omega);
        load.extend(self.relative.at(omega));
        load
    }
}

impl Motion {
    /// Its amplitudes of (ζ, u_r).
    pub fn time_coordinates(&self) -> Vec<Complex> {
        self.modal.iter().chain(&self.relative).copied().collect()
    }
}

impl CondensedRow {
    /// Its weights of (ζ, u_r).
    pub fn coordinates(&self) -> Vec<f64> {
        self.modal.iter().chain(&self.relative).copied().collect()
    }
}
