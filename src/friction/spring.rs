//! The elastic part of sliders.
//!
//! ```text
//!     k = given      or      k = μ_s N / x_e                                                     (1)
//! ```
//!
//! with the elastic slip x_e of finite-element programs, whose stiffness follows the normal force.

use super::real::Real;
use super::step::Step;

/// One of the two forms of (1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Spring {
    Stiffness(f64),
    ElasticSlip(f64),
}

impl Spring {
    /// From the two keys of a case, of which one is given.
    pub fn new(stiffness: Option<f64>, elastic_slip: Option<f64>) -> Self {
        match (stiffness, elastic_slip) {
            (None, Some(slip)) => Self::ElasticSlip(slip),
            (stiffness, _) => Self::Stiffness(stiffness.unwrap_or(0.0)),
        }
    }

    /// k at the end of a step \[N/m\]; the static ratio is 1 for laws that know none.
    pub fn stiffness<T: Real>(&self, step: &Step<T>, static_ratio: f64) -> T {
        match self {
            Self::Stiffness(stiffness) => T::constant(*stiffness),
            Self::ElasticSlip(slip) => step.limit() * (static_ratio / slip),
        }
    }

    /// Deflection at which the slider under μN slides \[m\].
    pub fn reach<T: Real>(&self, step: &Step<T>, static_ratio: f64) -> T {
        match self {
            Self::Stiffness(stiffness) => step.limit() / *stiffness,
            Self::ElasticSlip(slip) => T::constant(slip / static_ratio),
        }
    }
}
