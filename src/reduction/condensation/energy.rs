//! Work of loads and damping on a motion, in the coordinates (ζ, u_r).

use faer::Mat;

use super::{Condensation, CondensedLoad, Motion, product, transposed_product};
use crate::linalg::Complex;

impl Condensation {
    /// fᴴ y of a load and a motion.
    ///
    /// Massless coordinates are left out here and in [`Self::damping_form`]: what they take in they
    /// dissipate.
    pub fn virtual_work(&self, load: &CondensedLoad, motion: &Motion) -> Complex {
        let dot = |f: Vec<Complex>, u: &[Complex]| -> Complex {
            f.iter().zip(u).map(|(f, u)| f.conj() * u).sum()
        };
        dot(load.modal.at(motion.omega), &motion.modal)
            + dot(load.relative.at(motion.omega), &motion.relative)
    }

    /// yᴴ C y.
    pub fn damping_form(&self, motion: &Motion) -> f64 {
        let n = self.n_relative();
        let (zeta, u) = (&motion.modal, &motion.relative);
        let form = |matrix: &Mat<f64>| -> f64 {
            let image = product(matrix, u);
            u.iter().zip(image).map(|(u, v)| (u.conj() * v).re).sum()
        };
        let through = transposed_product(&self.coupling, zeta);
        let cross: f64 = u.iter().zip(&through).map(|(u, c)| (u.conj() * c).re).sum();
        let modal: f64 = zeta.iter().map(Complex::norm_sqr).sum();
        let mass = modal + 2.0 * cross + form(&self.mass);
        let stiff: f64 = zeta.iter().zip(&self.eigenvalues).map(|(z, l)| z.norm_sqr() * l).sum();
        let stiffness = stiff + form(&self.stiffness) - self.shift * mass;
        let dashpots = self.dashpots.iter().enumerate().map(|(d, (c, row))| {
            let own: Complex = u.iter().zip(row).map(|(u, b)| u * b).sum();
            c * (own + through[n + d]).norm_sqr()
        });
        let (alpha, beta) = self.rayleigh;
        alpha * mass + beta * stiffness + dashpots.sum::<f64>()
    }
}
