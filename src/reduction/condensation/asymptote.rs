//! What a single contact freedom feels of the structure at high frequencies.
//!
//! ```text
//! In (3) of the condensation modes far below ω follow their inertia, those far above stay at rest. With
//! s = 0 and the modes j of λ_j < ω², a diagonal entry of Z_r tends to k − ω² m,
//!
//!     k = K_r + Σ_j λ_j M_qr,j² ,      m = M_r − Σ_j M_qr,j² .                              (1)
//! ```

use super::Condensation;

impl Condensation {
    /// k \[N/m\] and m \[kg\] of a relative displacement around ω, (1).
    pub fn asymptote(&self, row: usize, omega: f64) -> (f64, f64) {
        let mut stiffness = self.stiffness[(row, row)] - self.shift * self.mass[(row, row)];
        let mut mass = self.mass[(row, row)];
        for (j, eigenvalue) in self.eigenvalues.iter().enumerate() {
            if eigenvalue - self.shift < omega * omega {
                let share = self.coupling[(j, row)].powi(2);
                stiffness += (eigenvalue + self.shift) * share;
                mass -= share;
            }
        }
        (stiffness, mass.max(0.0))
    }
}
