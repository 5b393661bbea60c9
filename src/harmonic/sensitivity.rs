//! How a solution follows the wear of its joints.
//!
//! ```text
//! r(ũ, w) = 0 at every depth w of wear, hence
//!
//!     S = ∂ũ/∂w = −J⁻¹ ∂r/∂w ,      ∂λ̃/∂w = −Z S .                                        (1)
//!
//! Wear opens the gap, g = g₀ + w, and lowers a prescribed normal load, N₀ = N₀(0) − k w. With e the constant
//! part of a pair's normal displacement, and G as in the residual,
//!
//!     exact    ∂r/∂w = ε e − (ε + k) G e ,      springs    ∂r/∂w = G e ,                    (2)
//!
//! and without normal freedoms, where N₀ acts like μ,
//!
//!     exact    ∂r/∂w = (k/N₀) G_μ ,             springs    ∂r/∂w = −(k/N₀) G_μ .            (3)
//! ```
//!
//! Directions along the face that are not exact, under an exact normal one, have ∂r/∂w = (ε + k) G e.

use faer::Mat;
use faer::prelude::Solve;

use super::balance::Balance;
use super::point::Point;

/// Derivatives of a solution by the depth of every pair, a column each.
#[derive(Debug, Clone)]
pub struct Sensitivity {
    /// S \[1\].
    pub displacements: Mat<f64>,
    /// ∂λ̃/∂w \[N/m\].
    pub forces: Mat<f64>,
}

impl Balance {
    /// Equation (1) at a converged point.
    pub fn sensitivity(&self, point: &Point) -> Sensitivity {
        let (size, n) = (self.size(), self.joints.len());
        let mut right = Mat::zeros(size, n);
        for pair in 0..n {
            self.add_wear_derivative(point, pair, &mut right);
        }
        let jacobian = self.jacobian(&point.linear, &point.newton.evaluation);
        let displacements = -jacobian.partial_piv_lu().solve(&right);
        let mut forces = Mat::zeros(size, n);
        for pair in 0..n {
            let column: Vec<f64> = displacements.col(pair).iter().copied().collect();
            let product = self.stiffness_product(&point.linear, &column);
            forces.col_mut(pair).iter_mut().zip(product).for_each(|(f, z)| *f = -z);
        }
        Sensitivity { displacements, forces }
    }

    /// ∂r/∂w of a pair, (2) or (3), into its column.
    fn add_wear_derivative(&self, point: &Point, pair: usize, out: &mut Mat<f64>) {
        let h = self.basis.n_coefficients();
        let joint = &self.joints[pair];
        let Some(g) = &point.newton.evaluation.marches[pair].derivative else { return };
        let relief = joint.preload_stiffness * point.parameters.preload;
        let (column, factor) = match joint.rows.normal {
            Some(row) if joint.is_exact(row) => {
                let epsilon = point.linear.locals[pair].normal;
                out[(row * h, pair)] += epsilon;
                (0, epsilon + relief)
            }
            Some(_) => (0, 1.0),
            None if joint.preload > 0.0 => {
                (g.ncols() - 1, -joint.preload_stiffness / joint.preload)
            }
            None => return,
        };
        for (d, row) in joint.directions().enumerate() {
            let factor = if joint.is_exact(row) { -factor } else { factor };
            for k in 0..h {
                out[(row * h + k, pair)] += factor * g[(d * h + k, column)];
            }
        }
    }
}
