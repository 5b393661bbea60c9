//! Cycle jumps.
//!
//! ```text
//! Explicit (Tubita 2023, III.16–17), with the depth rates w'_m of the pairs and a depth ΔW* per increment:
//!
//!     q ← q + Δn q'(w) ,      Δn = ΔW* / max_m w'_m ,   the first Δn given                   (1)
//!
//! Adaptive: flat faces wear stiffly, a depth that differs from its neighbours' takes all the pressure. With
//! A = ∂q'/∂q and h = Δn, the exponential Runge–Kutta method of second order (Cox & Matthews 2002, eq. 20–22)
//!
//!     a   = q + h φ₁(hA) q'(q)                                                              (2)
//!     q⁺  = a + h φ₂(hA) ( q'(a) − q'(q) − A (a − q) )                                       (3)
//!
//! follows the linear part of the wear exactly, whatever the jump; the second term of (3) is the error of (2)
//! to leading order. It is held below tolerance × the depth that the jump adds, by the size of the jump: errors
//! then add up to no more than tolerance × depth, and half the tolerance is half the error or less. (3) is of
//! second order for any A, so an approximate one costs steps, not accuracy.
//! ```
//!
//! Energy and force × path of a contact are integrated by the same method. Their rates e are combinations of
//! the q', e = cᵀq' + d, which (2) and (3) turn into
//!
//! ```text
//!     Δe = cᵀΔq + h (d(q) + d(a))/2 ,                                                       (4)
//! ```
//!
//! so that volume, energy and force × path stay in balance to rounding.

use faer::Mat;

use super::rate::slope;
use super::{Rates, Solved, State, Vibration, Wear};
use crate::harmonic::{PointError, Sensitivity};
use crate::linalg::exponential::{phi1, phi2};
use crate::wear::law::Driver;

/// Bounds of the factor between jumps, and the safety of a prediction.
const FACTORS: [f64; 2] = [0.2, 5.0];
const SAFETY: f64 = 0.9;
/// What remains of a jump whose response has no solution.
const RETREAT: f64 = 0.25;
/// Part of the depth below which a jump's own gain does not tighten its tolerance: where the rate itself jumps,
/// as pairs lose contact, no jump is small against what it gains.
const MIN_GAIN: f64 = 1e-2;
/// Smallest jump, over the cycles done and to do.
const MIN_JUMP: f64 = 1e-9;

/// How cycles are jumped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// (1)
    Explicit {
        /// ΔW* \[m\].
        max_increment: f64,
    },
    /// (2) and (3)
    Adaptive {
        /// Error of a jump over the depth it adds \[-\].
        tolerance: f64,
        /// Smallest depth that the error is measured by \[m\].
        depth_scale: f64,
        /// Most cycles of an increment.
        max_jump: f64,
    },
}

/// Why there is no further increment.
#[derive(Debug)]
pub enum Halt {
    /// No solution, or none within reach of the smallest jump.
    NotConverged(PointError),
    /// Only jumps that are too small are accurate enough.
    TooSmall {
        /// Cycles of the last attempt.
        jump: f64,
    },
}

impl Wear {
    /// One increment towards `end`: from the rates at `state` jump many cycles, open the gaps, solve again.
    pub fn step(
        &mut self,
        vibration: &Vibration,
        state: &State,
        solved: &Solved,
        end: f64,
    ) -> Result<(State, Solved), Halt> {
        let is_idle = solved.rates.work.iter().all(|rate| *rate == 0.0);
        match self.scheme {
            _ if is_idle => Ok((idle(state, end), solved.clone())),
            Scheme::Explicit { max_increment } => {
                self.explicit(vibration, state, solved, end, max_increment)
            }
            Scheme::Adaptive { tolerance, depth_scale, max_jump } => {
                let control = Control { tolerance, depth_scale, max_jump };
                self.adaptive(vibration, state, solved, end, &control)
            }
        }
    }

    /// (1)
    fn explicit(
        &mut self,
        vibration: &Vibration,
        state: &State,
        solved: &Solved,
        end: f64,
        max_increment: f64,
    ) -> Result<(State, Solved), Halt> {
        let jump = state.next_jump.min(end - state.cycles);
        let change: Vec<f64> = solved.rates.work.iter().map(|rate| jump * rate).collect();
        let mut next = state.clone();
        let work = sum(&state.work, &change);
        let found = self.attempt(vibration, &work, &solved.point.newton.u, &mut next);
        let found = found.map_err(Halt::NotConverged)?;
        // The trapezoidal rule is of second order: its difference from (1) is the error of (1).
        let difference: Vec<f64> = found
            .rates
            .work
            .iter()
            .zip(&solved.rates.work)
            .map(|(new, old)| 0.5 * jump * (new - old))
            .collect();
        next.error = self.relative(&difference, &work, 0.0);
        next.next_jump = max_increment / self.fastest(&found.rates);
        next.advance(self, jump, end, work, &[&solved.rates]);
        Ok((next, found))
    }

    /// (2) and (3), with jumps that shrink until they are accurate.
    fn adaptive(
        &mut self,
        vibration: &Vibration,
        state: &State,
        solved: &Solved,
        end: f64,
        control: &Control,
    ) -> Result<(State, Solved), Halt> {
        self.wear_to(&solved.depth);
        let sensitivity = self.balance.sensitivity(&solved.point);
        let (balance, laws) = (&self.balance, &self.laws);
        let by_depth = slope(balance, laws, &solved.point, &solved.histories, &sensitivity);
        let start = Start { vibration, state, solved, by_depth, sensitivity };
        let mut next = state.clone();
        let mut wanted = state.next_jump.min(control.max_jump);
        loop {
            let jump = wanted.min(end - state.cycles);
            let outcome = self.exponential(&start, jump, &mut next);
            let (factor, error) = match outcome {
                Ok((work, middle, correction)) => {
                    let error = self.relative(&correction, &work, control.depth_scale);
                    let ratio = error / self.gain(&state.work, &work, control.depth_scale);
                    let factor = SAFETY * control.tolerance / ratio;
                    let factor = factor.clamp(FACTORS[0], FACTORS[1]);
                    let is_accurate = ratio <= control.tolerance;
                    let guess = start.predict(&middle, &self.depth(&work));
                    match is_accurate.then(|| self.attempt(vibration, &work, &guess, &mut next)) {
                        Some(Ok(found)) => {
                            let most = if next.rejected > state.rejected { 1.0 } else { factor };
                            let grown = jump * factor.min(most);
                            next.next_jump = if jump < wanted { wanted.max(grown) } else { grown };
                            next.error = error;
                            next.advance(self, jump, end, work, &[&solved.rates, &middle.rates]);
                            return Ok((next, found));
                        }
                        Some(Err(error)) => (RETREAT, Some(error)),
                        None => (factor, None),
                    }
                }
                Err(error) => (RETREAT, Some(error)),
            };
            next.rejected += 1;
            wanted = factor.min(SAFETY) * jump;
            if wanted < MIN_JUMP * end {
                return Err(error.map_or(Halt::TooSmall { jump }, Halt::NotConverged));
            }
        }
    }

    /// q⁺ of (3), the response at a of (2), and the error of (2).
    fn exponential(
        &mut self,
        start: &Start,
        jump: f64,
        tally: &mut State,
    ) -> Result<(Vec<f64>, Solved, Vec<f64>), PointError> {
        let Start { vibration, state, solved, by_depth, .. } = start;
        let n = state.work.len();
        let matrix =
            Mat::from_fn(n, n, |i, j| jump * by_depth[(i, j)] * self.laws[j].slope(state.work[j]));
        let scaled = |values: Vec<f64>| values.iter().map(|v| jump * v).collect::<Vec<f64>>();
        let grown = |change: &[f64]| -> Vec<f64> {
            // Material does not come back.
            state.work.iter().zip(change).map(|(q, change)| q + change.max(0.0)).collect()
        };
        let change = scaled(phi1(&matrix, &solved.rates.work));
        let stage = grown(&change);
        let guess = start.predict(solved, &self.depth(&stage));
        let middle = self.attempt(vibration, &stage, &guess, tally)?;
        let rest = |i: usize| {
            let linear: f64 = (0..n).map(|j| matrix[(i, j)] * (stage[j] - state.work[j])).sum();
            middle.rates.work[i] - solved.rates.work[i] - linear / jump
        };
        let rest: Vec<f64> = (0..n).map(rest).collect();
        let correction = scaled(phi2(&matrix, &rest));
        let work = grown(&sum(&change, &correction));
        let difference: Vec<f64> = work.iter().zip(&stage).map(|(a, b)| a - b).collect();
        Ok((work, middle, difference))
    }

    /// A response, counted.
    fn attempt(
        &mut self,
        vibration: &Vibration,
        work: &[f64],
        prediction: &[f64],
        tally: &mut State,
    ) -> Result<Solved, PointError> {
        let outcome = self.solve(vibration, work, Some(prediction));
        tally.solves += 1;
        tally.iterations += match &outcome {
            Ok(solved) => solved.point.iterations(),
            Err(error) => error.attempts().iter().map(|attempt| attempt.iterations).sum(),
        };
        outcome
    }

    /// Largest change of depth that a change of work makes, over the deepest depth.
    fn relative(&self, change: &[f64], work: &[f64], depth_scale: f64) -> f64 {
        let depth = |(law, change): (&super::WearLaw, &f64)| (law.coefficient * change).abs();
        let largest = self.laws.iter().zip(change).map(depth).fold(0.0, f64::max);
        let deepest = self.laws.iter().zip(work).map(depth).fold(depth_scale, f64::max);
        if deepest > 0.0 { largest / deepest } else { 0.0 }
    }

    /// Depth that a jump adds over the deepest depth, at least [`MIN_GAIN`].
    fn gain(&self, before: &[f64], after: &[f64], depth_scale: f64) -> f64 {
        let change: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
        self.relative(&change, after, depth_scale).max(MIN_GAIN)
    }

    /// Largest depth rate, thresholds left aside \[m\].
    pub fn fastest(&self, rates: &Rates) -> f64 {
        self.laws.iter().zip(&rates.work).map(|(l, rate)| l.coefficient * rate).fold(0.0, f64::max)
    }

    /// c of (4): share of each pair in the energy and in force × path of its contact.
    fn shares(&self, pair: usize) -> [f64; 2] {
        let joint = &self.balance.joints[pair];
        match self.laws[pair].driver {
            Driver::Pressure => [joint.friction * joint.area, joint.area],
            Driver::Friction if joint.friction == 0.0 => [joint.area, 0.0],
            Driver::Friction => [joint.area, joint.area / joint.friction],
        }
    }
}

struct Control {
    tolerance: f64,
    depth_scale: f64,
    max_jump: f64,
}

struct Start<'a> {
    vibration: &'a Vibration,
    state: &'a State,
    solved: &'a Solved,
    /// ∂q'/∂w.
    by_depth: Mat<f64>,
    sensitivity: Sensitivity,
}

impl Start<'_> {
    /// ũ at other depths, along the tangent.
    fn predict(&self, from: &Solved, depth: &[f64]) -> Vec<f64> {
        let mut u = from.point.newton.u.clone();
        for (pair, (new, old)) in depth.iter().zip(&from.depth).enumerate() {
            let slope = self.sensitivity.displacements.col(pair);
            u.iter_mut().zip(slope.iter()).for_each(|(u, s)| *u += s * (new - old));
        }
        u
    }
}

impl State {
    /// Takes the new work, and energies by (4) from the rates of the stages.
    fn advance(&mut self, wear: &Wear, jump: f64, end: f64, work: Vec<f64>, stages: &[&Rates]) {
        let weight = jump / stages.len() as f64;
        for stage in stages {
            for (i, e) in self.energy.iter_mut().enumerate() {
                *e += weight * stage.energy[i];
            }
            for (i, f) in self.force_path.iter_mut().enumerate() {
                *f += weight * stage.force_path[i];
            }
        }
        for (pair, joint) in wear.balance.joints.iter().enumerate() {
            let by_stages: f64 = stages.iter().map(|stage| weight * stage.work[pair]).sum();
            let rest = work[pair] - self.work[pair] - by_stages;
            let [energy, force_path] = wear.shares(pair);
            self.energy[joint.interface] += energy * rest;
            self.force_path[joint.interface] += force_path * rest;
        }
        self.move_to(jump, end);
        self.work = work;
    }

    fn move_to(&mut self, jump: f64, end: f64) {
        self.jump = jump;
        // The last jump ends exactly there.
        let cycles = self.cycles + jump;
        self.cycles = if cycles >= end * (1.0 - 1e-15) { end } else { cycles };
    }
}

/// Where nothing rubs, one jump leads to the end.
fn idle(state: &State, end: f64) -> State {
    let mut next = State { error: 0.0, ..state.clone() };
    next.move_to(end - state.cycles, end);
    next
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
