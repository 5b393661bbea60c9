//! Following solutions over a parameter: frequency, load, preload or friction.
//!
//! [`sequential`] solves at given values, [`arc_length`] follows the branch through turning points,
//! [`constant_slip`] finds the load at which a contact slips as much as wanted. All
//! hand every point to the receiver as soon as it is there, also those that failed.

use crate::harmonic::{Balance, Basis, NewtonSettings, Parameter, Parameters, Point, PointError};
use crate::linalg::Complex;

mod arc_length;
mod sequential;
mod target;

pub use arc_length::arc_length;
pub use sequential::sequential;
pub use target::{Found, Measure, Target, constant_slip, find_load};

/// How the start at the next value is guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Predictor {
    /// The point before.
    #[default]
    Previous,
    /// The line through the two points before.
    Secant,
    /// The tangent at the point before.
    Tangent,
}

/// What closes the equations of a step along the branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Corrector {
    /// The plane normal to the prediction.
    #[default]
    PseudoArcLength,
    /// The sphere around the point before.
    ArcLength,
}

/// Steps along a branch, as fractions of the range of the parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArcSettings {
    /// Closing equation.
    pub corrector: Corrector,
    /// First step.
    pub first_step: f64,
    /// Smallest step.
    pub min_step: f64,
    /// Largest step.
    pub max_step: f64,
    /// Largest number of points.
    pub max_points: usize,
}

impl Default for ArcSettings {
    fn default() -> Self {
        Self {
            corrector: Corrector::default(),
            first_step: 0.01,
            min_step: 1e-6,
            max_step: 0.05,
            max_points: 2000,
        }
    }
}

/// A parameter and what is held.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    /// What varies.
    pub parameter: Parameter,
    /// Values of what is held.
    pub held: Parameters,
    /// Limits of the Newton iteration.
    pub newton: NewtonSettings,
}

/// Balances of one structure with more and more harmonics.
#[derive(Debug, Clone, Copy)]
pub struct Ladder<'a> {
    /// From few harmonics to many.
    pub rungs: &'a [Balance],
    /// Estimate of the truncation error at which a point is good enough.
    pub tolerance: f64,
    /// Motions to begin with at their frequencies.
    pub motions: &'a [KnownMotion],
}

impl<'a> From<&'a Balance> for Ladder<'a> {
    fn from(balance: &'a Balance) -> Self {
        Self { rungs: std::slice::from_ref(balance), tolerance: f64::INFINITY, motions: &[] }
    }
}

/// A periodic motion that is known from elsewhere.
#[derive(Debug, Clone)]
pub struct KnownMotion {
    /// ω \[rad/s\].
    pub omega: f64,
    /// Complex amplitudes of every relative displacement in the harmonics 0, 1, …
    pub amplitudes: Vec<Vec<Complex>>,
}

impl KnownMotion {
    /// Whether two frequencies are the same but for rounding.
    fn is_at(&self, omega: f64) -> bool {
        (self.omega - omega).abs() <= 1e-9 * omega
    }

    /// ũ: the harmonics that are retained of it.
    fn coefficients(&self, basis: &Basis) -> Vec<f64> {
        let orders: Vec<usize> = (0..basis.n_harmonics()).map(|i| basis.order(i)).collect();
        let zero = Complex::new(0.0, 0.0);
        let row = |amplitudes: &Vec<Complex>| {
            let own = orders.iter().map(|order| amplitudes.get(*order).copied().unwrap_or(zero));
            basis.coefficients(&own.collect::<Vec<_>>())
        };
        self.amplitudes.iter().flat_map(row).collect()
    }
}

/// A point of a response, or why there is none.
#[derive(Debug)]
pub enum Step {
    /// Converged.
    Solved(Box<Point>),
    /// Not solved.
    Failed {
        /// Where.
        parameters: Parameters,
        /// Why.
        error: PointError,
    },
}

/// Why a curve ends; the numbers are those of the results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum End {
    /// All values are done, or the branch has left the range.
    #[default]
    Range = 0,
    /// The branch has no point beyond the last.
    Lost = 1,
    /// It has as many points as are allowed, and goes on.
    Full = 2,
    /// Nobody receives its points.
    Unwanted = 3,
}

/// Receives points in the order in which they are found; returns false to stop.
pub type Receiver<'a> = dyn FnMut(Step) -> bool + 'a;

#[cfg(test)]
mod tests;
