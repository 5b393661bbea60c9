//! The load at which a contact slips by a wanted amplitude.
//!
//! ```text
//!     s(p) = s* ,      p the factor of the vibrating loads, s a measure of the loop           (1)
//! ```
//!
//! Each s(p) is a converged response. Without load nothing slips, s(0) = 0: p grows by factors of two until
//! s ≥ s*, then (1) is enclosed by false position with halved weights (Illinois; Dowell & Jarratt 1971), and by
//! bisection where that does not halve the interval in two steps. The interval always holds a solution of (1)
//! as long as s is continuous; where s jumps across s* the interval shrinks onto the jump, which is reported.

use super::{Path, Receiver, Step};
use crate::harmonic::{
    Balance, Linear, Loop, NewtonSettings, Parameter, Parameters, Point, PointError, solve_with,
};

/// Growth of the load while the slip is too small.
const GROWTH: f64 = 2.0;
/// Width of the interval over the load at which s must have jumped.
const MIN_WIDTH: f64 = 1e-12;
/// Smallest part of the interval that is cut off.
const EDGE: f64 = 1e-6;

/// What is meant by the slip of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// δ_0.
    HalfOpening,
    /// δ*.
    MaxSlip,
}

impl Measure {
    fn of(self, measures: &Loop) -> f64 {
        match self {
            Self::HalfOpening => measures.half_opening,
            Self::MaxSlip => measures.max_slip,
        }
    }
}

/// A wanted slip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Which contact.
    pub contact: usize,
    /// What s is.
    pub measure: Measure,
    /// s* \[m\].
    pub amplitude: f64,
    /// Accepted |s − s*|/s*.
    pub tolerance: f64,
    /// Largest p that is tried.
    pub max_load: f64,
}

/// A response that slips as wanted.
#[derive(Debug, Clone)]
pub struct Found {
    /// The response; its parameters hold the load.
    pub point: Point,
    /// s \[m\].
    pub slip: f64,
    /// Responses solved on the way.
    pub solves: usize,
    /// Their iterations.
    pub iterations: usize,
}

/// Solves (1) from a first load, which is that of `start`, and a solution nearby if there is one.
pub fn find_load(
    balance: &Balance,
    target: &Target,
    start: &Parameters,
    prediction: Option<&[f64]>,
    newton: &NewtonSettings,
) -> Result<Found, PointError> {
    let linear = balance.linear(start.omega)?;
    let mut search = Search { balance, target, start, newton, linear, solves: 0, iterations: 0 };
    let trial = search.run(prediction)?;
    let Search { solves, iterations, .. } = search;
    match trial.point {
        Some(point) => Ok(Found { point: *point, slip: trial.slip, solves, iterations }),
        None => Err(PointError::Unreachable("no load was tried".into())),
    }
}

/// A response at every value of the frequency, each with the load of its own that (1) gives.
pub fn constant_slip(
    balance: &Balance,
    path: &Path,
    target: &Target,
    values: &[f64],
    receive: &mut Receiver,
) {
    let mut start = path.held;
    let mut u: Option<Vec<f64>> = None;
    for &omega in values {
        start = start.with(Parameter::Frequency, omega);
        let step = match find_load(balance, target, &start, u.as_deref(), &path.newton) {
            Ok(Found { mut point, iterations, .. }) => {
                start.load = point.parameters.load;
                u = Some(point.newton.u.clone());
                // What it took to find the load belongs to the point.
                point.charge(iterations - point.iterations());
                Step::Solved(Box::new(point))
            }
            Err(error) => Step::Failed { parameters: start, error },
        };
        if !receive(step) {
            return;
        }
    }
}

/// A load and its slip; without a point where there is no load.
#[derive(Debug, Clone)]
struct Trial {
    load: f64,
    slip: f64,
    point: Option<Box<Point>>,
}

impl Trial {
    fn u(&self) -> Option<&[f64]> {
        self.point.as_ref().map(|point| point.newton.u.as_slice())
    }
}

struct Search<'a> {
    balance: &'a Balance,
    target: &'a Target,
    start: &'a Parameters,
    newton: &'a NewtonSettings,
    linear: Linear,
    solves: usize,
    iterations: usize,
}

impl Search<'_> {
    fn run(&mut self, prediction: Option<&[f64]>) -> Result<Trial, PointError> {
        let mut below = Trial { load: 0.0, slip: 0.0, point: None };
        let mut above = self.solve(self.start.load.min(self.target.max_load), prediction)?;
        while !self.is_found(&above) && above.slip < self.target.amplitude {
            if above.load >= self.target.max_load {
                return Err(PointError::Unreachable(self.too_little(&above)));
            }
            let load = (GROWTH * above.load).min(self.target.max_load);
            let next = self.solve(load, above.u())?;
            below = std::mem::replace(&mut above, next);
        }
        if self.is_found(&above) { Ok(above) } else { self.enclose(below, above) }
    }

    fn enclose(&mut self, mut below: Trial, mut above: Trial) -> Result<Trial, PointError> {
        let amplitude = self.target.amplitude;
        // Weights: the distances from s*, halved at the end that stays for a second time.
        let (mut low, mut high) = (amplitude - below.slip, above.slip - amplitude);
        let mut last = None;
        let mut widths = [f64::INFINITY; 2];
        loop {
            let width = above.load - below.load;
            if width <= MIN_WIDTH * above.load {
                return Err(PointError::Unreachable(self.jump(&below, &above)));
            }
            let is_slow = width > 0.5 * widths[0];
            widths = [widths[1], width];
            let share = if is_slow { 0.5 } else { (low / (low + high)).clamp(EDGE, 1.0 - EDGE) };
            let from = if share < 0.5 && below.point.is_some() { &below } else { &above };
            let trial = self.solve(below.load + share * width, from.u())?;
            if self.is_found(&trial) {
                return Ok(trial);
            }
            let is_below = trial.slip < amplitude;
            let stays = last.replace(is_below) == Some(is_below);
            if is_below {
                low = amplitude - trial.slip;
                high *= if stays { 0.5 } else { 1.0 };
                below = trial;
            } else {
                high = trial.slip - amplitude;
                low *= if stays { 0.5 } else { 1.0 };
                above = trial;
            }
        }
    }

    fn solve(&mut self, load: f64, prediction: Option<&[f64]>) -> Result<Trial, PointError> {
        let parameters = self.start.with(Parameter::Load, load);
        let linear = self.linear.clone();
        let point = solve_with(self.balance, linear, &parameters, prediction, self.newton)?;
        self.solves += 1;
        self.iterations += point.iterations();
        let histories = self.balance.histories(&point);
        let measures = self.balance.hysteresis(self.target.contact, &histories);
        let slip = self.target.measure.of(&measures);
        Ok(Trial { load, slip, point: Some(Box::new(point)) })
    }

    fn is_found(&self, trial: &Trial) -> bool {
        let Target { amplitude, tolerance, .. } = *self.target;
        (trial.slip - amplitude).abs() <= tolerance * amplitude
    }

    fn too_little(&self, largest: &Trial) -> String {
        format!(
            "no load gives a slip of {:e} m: at the largest factor that may be tried, {}, it is {:.4e} m; raise \
             `target_slip.max_level` or lower `target_slip.amplitude`",
            self.target.amplitude, largest.load, largest.slip
        )
    }

    fn jump(&self, below: &Trial, above: &Trial) -> String {
        format!(
            "no load gives a slip of {:e} m: at the factor {} it jumps from {:.4e} to {:.4e} m; choose an \
             amplitude beside the jump, or raise `target_slip.tolerance`",
            self.target.amplitude, above.load, below.slip, above.slip
        )
    }
}
