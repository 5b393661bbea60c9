//! When a frequency response is unbounded: one rule for both methods.
//!
//! ```text
//! Rounding changes K and M by eps |K| and eps |M|, and with them the response x at ω by
//!
//!     δx = Z⁻¹ w ,   wᵢ = eps (|K||x| + ω²|M||x|)ᵢ xᵢ/|xᵢ|                        (1)
//!
//! or, seen by one mode,
//!
//!     δη/η = eps (|φ|ᵀ|K||φ| + ω²|φ|ᵀ|M||φ|) / |λ − ω² + iωc| .                   (2)
//! ```
//!
//! A response that moves by as much as its own size is noise: ω is an undamped resonance.

use super::LinearError;
use crate::linalg::{Complex, Symbolic};
use crate::model::{Model, mechanism};

/// Largest relative change of an accepted response by rounding.
pub(super) const MAX_CHANGE: f64 = 1.0;

/// w of (1).
pub(super) fn rounding(model: &Model, omega: f64, x: &[Complex]) -> Vec<Complex> {
    let sizes: Vec<f64> = x.iter().map(|x| x.norm()).collect();
    let stiffness = model.operators.stiffness.free.mul_sizes(&sizes);
    let mass = model.operators.mass.free.mul_sizes(&sizes);
    let entry = |i: usize| match sizes[i] > 0.0 {
        true => f64::EPSILON * (stiffness[i] + omega * omega * mass[i]) / sizes[i] * x[i],
        false => Complex::new(0.0, 0.0),
    };
    (0..x.len()).map(entry).collect()
}

/// The numerator of (2) without ω²: parts of K and M.
pub(super) fn modal_rounding(model: &Model, shape: &[f64]) -> [f64; 2] {
    let operators = [&model.operators.stiffness, &model.operators.mass];
    operators.map(|operator| f64::EPSILON * operator.free.energy_scale(shape))
}

/// The error of an unbounded response; at rest it is a mechanism.
pub(super) fn explain(model: &Model, symbolic: &Symbolic, frequency: f64) -> LinearError {
    let motion = (frequency == 0.0).then(|| mechanism::find(model, symbolic)).flatten();
    match motion {
        Some(motion) => LinearError::Mechanism { motion },
        None => LinearError::Resonance { frequency },
    }
}
