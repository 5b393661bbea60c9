//! The Stribeck curve: friction that falls with the sliding velocity.
//!
//! ```text
//!     s(v) = 1 + (μ_s/μ − 1) e^{−(|v|/v_s)^δ}                                                    (1)
//! ```
//!
//! times μN. δ = 2 is the Gaussian of LuGre; a thesis that prints exp(−v/v_s) but calls it Gaussian
//! means the square, as its break-away forces show. δ = 1 is the "exponential decay" of finite-element
//! programs, whose coefficient is 1/v_s.

use super::real::Real;

/// v_s and δ of (1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    pub velocity: f64,
    pub exponent: f64,
}

impl Curve {
    /// (1)
    pub fn level<T: Real>(&self, velocity: T, static_ratio: f64) -> T {
        if static_ratio == 1.0 {
            return T::constant(1.0);
        }
        let power = (velocity.abs() / self.velocity).powf(self.exponent);
        (-power).exp() * (static_ratio - 1.0) + 1.0
    }
}
