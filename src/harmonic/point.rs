//! One point of a response: strategies in turn until one converges.
//!
//! 1. from the prediction of the caller (an earlier point);
//! 2. from the stuck state: the solution under the constant loads alone;
//! 3. from the sliding state: the solution without friction;
//! 4. by rounding the corner between stick and slip, then sharpening it;
//! 5. by homotopy: the vibrating load grows from zero, or friction does, in steps that adapt.

use thiserror::Error;

use super::balance::{Balance, Linear, Parameter, Parameters};
use super::newton::{Newton, NewtonSettings};
use crate::reduction::ReductionError;

/// Smallest step of a homotopy, over its whole way.
const MIN_HOMOTOPY_STEP: f64 = 1e-3;
const FIRST_HOMOTOPY_STEP: f64 = 0.25;
/// Range of the sharpness of rounded corners, and the smallest factor by which it grows.
const SOFTEST: f64 = 0.5;
const SHARPEST: f64 = 256.0;
const SMALLEST_FACTOR: f64 = 1.05;
/// Approach at which springs press, over the gap or a metre.
const LEAST_APPROACH: f64 = 1e-14;

/// What was tried at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The strategy.
    pub strategy: &'static str,
    /// ‖r‖ over the norm of the loads, iteration by iteration.
    pub history: Vec<f64>,
    /// Iterations, those of a homotopy's steps included.
    pub iterations: usize,
}

/// A converged point.
#[derive(Debug, Clone)]
pub struct Point {
    /// Its parameters.
    pub parameters: Parameters,
    /// Z_k and loads there.
    pub linear: Linear,
    /// The last iteration.
    pub newton: Newton,
    /// Everything tried, the successful attempt last.
    pub attempts: Vec<Attempt>,
    /// Estimate of what truncation changes in the relative motion, over its size.
    pub truncation: f64,
}

impl Point {
    /// Iterations of all attempts.
    pub fn iterations(&self) -> usize {
        self.attempts.iter().map(|attempt| attempt.iterations).sum()
    }

    /// Adds iterations that were needed to get here, those of other points included, to the successful attempt.
    pub fn charge(&mut self, iterations: usize) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.iterations += iterations;
        }
    }
}

/// Why a point has no solution.
#[derive(Debug, Error)]
pub enum PointError {
    /// The condensed problem does not exist there.
    #[error(transparent)]
    Reduction(#[from] ReductionError),
    /// No strategy converged.
    #[error("{}", describe(.0))]
    NotConverged(Vec<Attempt>),
    /// No load does what is wanted.
    #[error("{0}")]
    Unreachable(String),
    /// The harmonics do not follow the jump of a friction law.
    #[error(
        "`{law}` of contact[{contact}] drops its force when the velocity turns, and the structure throws the contact \
         forward faster than {retained} harmonics follow: a solution with them is none of the structure, {}; use `jenkins`, as elastic but without a drop, or a transient analysis",
        enough(*.wanted)
    )]
    Unresolved {
        /// Name of the law.
        law: &'static str,
        /// Number of its `[[contact]]` table.
        contact: usize,
        /// Highest harmonic.
        retained: usize,
        /// Highest harmonic that follows; infinite for a contact without mass.
        wanted: f64,
    },
    /// Overflow.
    #[error("numbers became too large or undefined: check stiffnesses, loads and units")]
    NotFinite(Vec<Attempt>),
}

impl PointError {
    /// What was tried.
    pub fn attempts(&self) -> &[Attempt] {
        match self {
            Self::Reduction(_) | Self::Unreachable(_) | Self::Unresolved { .. } => &[],
            Self::NotConverged(attempts) | Self::NotFinite(attempts) => attempts,
        }
    }
}

fn enough(wanted: f64) -> String {
    match wanted.is_finite() {
        true => format!("at least {wanted:.0} are wanted"),
        false => "and no number is enough for a contact without mass".into(),
    }
}

fn describe(attempts: &[Attempt]) -> String {
    let lines = attempts.iter().map(|attempt| {
        let last = attempt.history.last().copied().unwrap_or(f64::NAN);
        format!("{}: residual {last:.2e} after {} iterations", attempt.strategy, attempt.iterations)
    });
    let lines: Vec<String> = lines.collect();
    format!("no strategy converged ({})", lines.join("; "))
}

/// Solves at the parameters, from a prediction if there is one.
pub fn solve_point(
    balance: &Balance,
    parameters: &Parameters,
    prediction: Option<&[f64]>,
    settings: &NewtonSettings,
) -> Result<Point, PointError> {
    solve_with(balance, balance.linear(parameters.omega)?, parameters, prediction, settings)
}

/// The same with Z_k and loads at hand.
pub fn solve_with(
    balance: &Balance,
    linear: Linear,
    parameters: &Parameters,
    prediction: Option<&[f64]>,
    settings: &NewtonSettings,
) -> Result<Point, PointError> {
    let linear = if parameters.load == 0.0 { linear.at_rest() } else { linear };
    let mut search = Search { balance, linear: &linear, parameters, settings, attempts: vec![] };
    let newton = search.run(prediction);
    let attempts = search.attempts;
    match newton {
        Some(newton) => {
            let parameters = *parameters;
            let mut point = Point { parameters, linear, newton, attempts, truncation: 0.0 };
            point.correct(balance, settings)?;
            Ok(point)
        }
        None => {
            let is_finite = attempts.iter().any(|a| a.history.iter().all(|r| r.is_finite()));
            Err(if is_finite {
                PointError::NotConverged(attempts)
            } else {
                PointError::NotFinite(attempts)
            })
        }
    }
}

struct Search<'a> {
    balance: &'a Balance,
    linear: &'a Linear,
    parameters: &'a Parameters,
    settings: &'a NewtonSettings,
    attempts: Vec<Attempt>,
}

impl Search<'_> {
    fn run(&mut self, prediction: Option<&[f64]>) -> Option<Newton> {
        if let Some(start) = prediction
            && let Some(newton) = self.attempt("earlier point", start, 0)
        {
            return Some(newton);
        }
        let stuck = self.rest();
        if let Some(newton) = self.attempt("stuck state", &stuck.u, stuck.iterations()) {
            return Some(newton);
        }
        let sliding = self.at(&self.parameters.with(Parameter::Friction, 0.0), &stuck.u);
        if let Some(newton) = self.attempt("sliding state", &sliding.u, sliding.iterations()) {
            return Some(newton);
        }
        for start in [&sliding, &stuck] {
            if let Some(newton) = self.sharpen(&start.u) {
                return Some(newton);
            }
        }
        let soft = Parameters { sharpness: SOFTEST, ..*self.parameters };
        if let Some(newton) = self.homotopy("growing load, rounded", &soft, Parameter::Load, &stuck)
            && let Some(newton) = self.sharpen(&newton.u)
        {
            return Some(newton);
        }
        let exact = *self.parameters;
        self.homotopy("growing load", &exact, Parameter::Load, &stuck)
            .or_else(|| self.homotopy("growing friction", &exact, Parameter::Friction, &sliding))
    }

    /// The solution under the constant loads alone. Springs that only press have no stiffness where the faces just
    /// touch, so bodies that nothing else holds need a start with the faces pressed together.
    fn rest(&self) -> Newton {
        let parameters = self.parameters.with(Parameter::Load, 0.0);
        let found = self.at(&parameters, &vec![0.0; self.balance.size()]);
        if found.has_converged {
            return found;
        }
        let pressed = self.at(&parameters, &self.pressed());
        if pressed.has_converged { pressed } else { found }
    }

    /// Faces with springs between them, pressed together by next to nothing.
    fn pressed(&self) -> Vec<f64> {
        let h = self.balance.basis.n_coefficients();
        let mut u = vec![0.0; self.balance.size()];
        for joint in &self.balance.joints {
            if let Some(row) = joint.rows.normal.filter(|row| !joint.is_exact(*row)) {
                u[row * h] = -joint.gap - LEAST_APPROACH * joint.gap.abs().max(1.0);
            }
        }
        u
    }

    fn at(&self, parameters: &Parameters, start: &[f64]) -> Newton {
        if parameters.load == 0.0 {
            let rest = self.linear.at_rest();
            return Newton::run(self.balance, &rest, parameters, start, self.settings);
        }
        Newton::run(self.balance, self.linear, parameters, start, self.settings)
    }

    fn attempt(&mut self, strategy: &'static str, start: &[f64], before: usize) -> Option<Newton> {
        let newton = self.at(self.parameters, start);
        let iterations = before + newton.iterations();
        self.attempts.push(Attempt { strategy, history: newton.history.clone(), iterations });
        newton.has_converged.then_some(newton)
    }

    /// Solves with rounded corners, and again with sharper ones, by factors that adapt.
    fn sharpen(&mut self, start: &[f64]) -> Option<Newton> {
        let mut attempt = Attempt { strategy: "sharpening", history: vec![], iterations: 0 };
        let mut u = start.to_vec();
        let (mut reached, mut factor) = (SOFTEST / 2.0, 2.0);
        let outcome = loop {
            let next = factor * reached;
            let sharpness = if next > SHARPEST { f64::INFINITY } else { next };
            let newton = self.at(&Parameters { sharpness, ..*self.parameters }, &u);
            attempt.iterations += newton.iterations();
            attempt.history = newton.history.clone();
            match newton.has_converged {
                true if sharpness.is_infinite() => break Some(newton),
                true => {
                    (reached, u) = (sharpness, newton.u);
                    factor = (factor * factor).min(2.0);
                }
                // Without a soft start there is nothing to go back to.
                false if reached < SOFTEST => break None,
                false => factor = factor.sqrt(),
            }
            if factor < SMALLEST_FACTOR {
                break None;
            }
        };
        self.attempts.push(attempt);
        outcome
    }

    /// Follows the solution while a parameter goes from zero to its value.
    fn homotopy(
        &mut self,
        strategy: &'static str,
        target: &Parameters,
        parameter: Parameter,
        start: &Newton,
    ) -> Option<Newton> {
        if !start.has_converged {
            return None;
        }
        let (mut done, mut step) = (0.0, FIRST_HOMOTOPY_STEP);
        let mut u = start.u.clone();
        let mut attempt = Attempt { strategy, history: vec![], iterations: 0 };
        let outcome = loop {
            let next = (done + step).min(1.0);
            let value = next * target.get(parameter);
            let newton = self.at(&target.with(parameter, value), &u);
            attempt.iterations += newton.iterations();
            attempt.history = newton.history.clone();
            match newton.has_converged {
                true if next >= 1.0 => break Some(newton),
                true => {
                    (done, u) = (next, newton.u);
                    step *= 2.0;
                }
                false => step *= 0.25,
            }
            if step < MIN_HOMOTOPY_STEP {
                break None;
            }
        };
        self.attempts.push(attempt);
        outcome
    }
}
