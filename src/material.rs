//! Isotropic linear elasticity in the plane.
//!
//! ```text
//! σ = D ε ,  σ = (σx, σy, τxy),  ε = (εx, εy, γxy)
//!
//! plane stress   D = E/(1−ν²)           ⎡ 1   ν   0       ⎤
//!                                       ⎢ ν   1   0       ⎥                      (1)
//!                                       ⎣ 0   0   (1−ν)/2 ⎦
//! plane strain   as (1) with E → E/(1−ν²), ν → ν/(1−ν)                           (2)
//! ```

use nalgebra::{Matrix3, Vector3};

/// Isotropic elastic material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Young's modulus E \[Pa\].
    pub young: f64,
    /// Poisson's ratio ν \[-\].
    pub poisson: f64,
    /// Density ρ \[kg/m³\].
    pub density: f64,
}

/// What vanishes out of the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaneState {
    /// σz = 0: thin parts.
    Stress,
    /// εz = 0: parts held or long out of the plane.
    Strain,
}

impl Material {
    /// The elasticity matrix D \[Pa\] of (1) or (2).
    pub fn elasticity(&self, state: PlaneState) -> Matrix3<f64> {
        let (young, poisson) = match state {
            PlaneState::Stress => (self.young, self.poisson),
            PlaneState::Strain => {
                (self.young / (1.0 - self.poisson.powi(2)), self.poisson / (1.0 - self.poisson))
            }
        };
        let factor = young / (1.0 - poisson * poisson);
        Matrix3::new(
            factor,
            factor * poisson,
            0.0,
            factor * poisson,
            factor,
            0.0,
            0.0,
            0.0,
            0.5 * factor * (1.0 - poisson),
        )
    }

    /// Von Mises equivalent of the in-plane stress (σx, σy, τxy) \[Pa\].
    pub fn von_mises(&self, state: PlaneState, stress: &Vector3<f64>) -> f64 {
        let (x, y, xy) = (stress[0], stress[1], stress[2]);
        let z = match state {
            PlaneState::Stress => 0.0,
            PlaneState::Strain => self.poisson * (x + y),
        };
        let squares = (x - y).powi(2) + (y - z).powi(2) + (z - x).powi(2);
        (0.5 * squares + 3.0 * xy * xy).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plane_strain_is_the_three_dimensional_law_with_no_strain_in_z() {
        let steel = Material { young: 210e9, poisson: 0.3, density: 7800.0 };
        let d = steel.elasticity(PlaneState::Strain);
        let lame = 210e9 * 0.3 / (1.3 * 0.4);
        let shear = 210e9 / 2.6;
        assert!((d[(0, 0)] / (lame + 2.0 * shear) - 1.0).abs() < 1e-14);
        assert!((d[(0, 1)] / lame - 1.0).abs() < 1e-14);
        assert!((d[(2, 2)] / shear - 1.0).abs() < 1e-14);
    }

    #[test]
    fn uniaxial_stress_is_its_own_von_mises_stress() {
        let steel = Material { young: 210e9, poisson: 0.3, density: 7800.0 };
        let stress = Vector3::new(-5.0, 0.0, 0.0);
        assert!((steel.von_mises(PlaneState::Stress, &stress) - 5.0).abs() < 1e-14);
    }
}
