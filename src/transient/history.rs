//! Motion in time under drives of any course.
//!
//! ```text
//!     M ẍ + C ẋ + K x + Bᵀλ = f_0 + Σ_d (f_d0 s_d + f_d1 ṡ_d + f_d2 s̈_d)                       (1)
//! ```
//!
//! A record is made of equal intervals. An interval is one step, or as many halves, quarters … of it as its
//! contact forces, or the error allowed, ask for: the length of the steps is remembered from interval to
//! interval, and grows again where a step twice as long would still have been good enough. Exact contacts are
//! integrated with fixed steps, whose events are known to within a step anyway.

use super::dense::{Rows, dot};
use super::friction::{TooLong, too_long};
use super::scheme::{State, Steps, Work};
use super::system::System;
use super::{TransientError, springs};
use super::{rest, start};
use crate::contact::Joint;

/// The shortest step is 2^-this of the interval.
const MAX_HALVINGS: usize = 20;
/// A step of second order that is doubled has eight times the error; some more is kept in reserve.
const RESERVE: f64 = 20.0;

/// A drive of size 1 in the coordinates of a system.
#[derive(Debug, Clone)]
pub struct Excitation {
    /// f_dk of (1).
    pub load: [Vec<f64>; 3],
    /// What every probe sees of s, ṡ and s̈ directly.
    pub direct: Vec<[f64; 3]>,
}

/// s, ṡ and s̈ of a drive at a time \[s\].
pub type CourseOf<'a> = Box<dyn Fn(f64) -> [f64; 3] + Sync + 'a>;

/// How a record is integrated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistorySettings {
    /// Length of an interval \[s\].
    pub interval: f64,
    /// Number of intervals.
    pub count: usize,
    /// Error of a step over the largest displacement so far; fixed steps if there is none.
    pub tolerance: Option<f64>,
    /// Numerical damping, see [`super::Settings::dissipation`].
    pub dissipation: f64,
}

/// The motion at the end of a step.
#[derive(Debug, Clone, Copy)]
pub struct Instant<'a> {
    /// When \[s\].
    pub time: f64,
    /// Intervals that end here or have ended before.
    pub interval: usize,
    /// Whether an interval ends here.
    pub is_end: bool,
    /// u_r \[m\].
    pub relative: &'a [f64],
    /// Its velocity \[m/s\].
    pub velocity: &'a [f64],
    /// λ \[N\].
    pub force: &'a [f64],
    record: &'a Record<'a>,
    state: &'a State,
}

/// What a record has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Steps made.
    pub steps: usize,
    /// Steps made again with half their length.
    pub rejected: usize,
    /// Largest number of halvings of an interval.
    pub halvings: usize,
}

/// A system with its drives, ready to be integrated.
pub struct Record<'a> {
    system: &'a System,
    excitations: &'a [Excitation],
    courses: &'a [CourseOf<'a>],
    settings: HistorySettings,
    mass: Rows,
    /// Weights of x, ẋ and ẍ in every probe, and its constant part.
    probes: Vec<([Vec<f64>; 3], f64)>,
}

impl std::fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Step lengths by halvings, made when they are needed, and the one in use.
struct Ladder {
    rungs: Vec<Steps>,
    level: usize,
}

impl<'a> Record<'a> {
    /// A drive needs its excitation and its course, in the same order.
    pub fn new(
        system: &'a System,
        excitations: &'a [Excitation],
        courses: &'a [CourseOf<'a>],
        settings: HistorySettings,
    ) -> Self {
        let probe = |signal| (super::Signal::weights(signal), system.resting_part(signal));
        let probes = system.probes.iter().map(probe).collect();
        let mass = Rows::new(system.matrices.mass.as_ref());
        Self { system, excitations, courses, settings, mass, probes }
    }

    /// Integrates from rest; `observe` sees every step and may end the record by an error.
    pub fn integrate<E: From<TransientError>>(
        &self,
        mut observe: impl FnMut(&Instant) -> Result<(), E>,
    ) -> Result<Effort, E> {
        let HistorySettings { interval, count, .. } = self.settings;
        let mut ladder = Ladder { rungs: vec![self.steps(0)], level: 0 };
        let mut state = self.start(&ladder.rungs[0]);
        let mut work = Work::default();
        let mut effort = Effort::default();
        let mut largest = self.norm(&state.position);
        observe(&self.instant(0.0, 0, true, &state))?;
        for k in 0..count {
            let begin = k as f64 * interval;
            let mut place = 0_usize;
            let whole = 1_usize << MAX_HALVINGS;
            while place < whole {
                let time = begin + interval * place as f64 / whole as f64;
                let outcome = self.attempt(&mut ladder, &mut state, time, &mut work, &mut largest);
                let width = whole >> ladder.level;
                match outcome {
                    Outcome::Failed(iterations) if ladder.level == self.max_level() => {
                        return Err(self.unsolved(time, iterations).into());
                    }
                    Outcome::Leapt(fault) if !self.can_refine(ladder.level) => {
                        return Err(self.too_long(time, ladder.level, fault).into());
                    }
                    Outcome::Failed(_) | Outcome::Coarse | Outcome::Leapt(_)
                        if ladder.level < self.max_level() =>
                    {
                        ladder.level += 1;
                        effort.rejected += 1;
                        effort.halvings = effort.halvings.max(ladder.level);
                        if ladder.rungs.len() == ladder.level {
                            ladder.rungs.push(self.steps(ladder.level));
                        }
                    }
                    outcome => {
                        place += width;
                        effort.steps += 1;
                        let is_end = place == whole;
                        let done = k + usize::from(is_end);
                        let time = begin + interval * place as f64 / whole as f64;
                        observe(&self.instant(time, done, is_end, &state))?;
                        let can_grow = ladder.level > 0 && place.is_multiple_of(2 * width);
                        if can_grow && matches!(outcome, Outcome::Fine) {
                            ladder.level -= 1;
                        }
                    }
                }
            }
            let is_finite = state.position.iter().chain(&state.velocity).all(|x| x.is_finite());
            if !is_finite {
                return Err(TransientError::NotFinite.into());
            }
        }
        Ok(effort)
    }

    fn max_level(&self) -> usize {
        if self.system.presses_exactly() { 0 } else { MAX_HALVINGS }
    }

    /// Whether shorter steps are asked for and left.
    fn can_refine(&self, level: usize) -> bool {
        self.settings.tolerance.is_some() && level < self.max_level()
    }

    fn too_long(&self, time: f64, level: usize, fault: TooLong) -> TransientError {
        let step = self.settings.interval / (1_u64 << level) as f64;
        let TooLong { law, share } = fault;
        let (key, way) = ("time_step", "large");
        TransientError::ExplicitStep { law, time, step, largest: share * step, key, way }
    }

    fn unsolved(&self, time: f64, iterations: usize) -> TransientError {
        let mut laws: Vec<&str> = self.system.joints.iter().map(Joint::law_name).collect();
        laws.sort_unstable();
        laws.dedup();
        let laws = laws.join("`, `");
        TransientError::StepTooLarge { time, iterations, laws }
    }

    /// Steps of 2^-level of the interval.
    fn steps(&self, level: usize) -> Steps {
        let h = self.settings.interval / (1_u64 << level) as f64;
        let mut loads = vec![self.system.constant_load()];
        loads.extend(self.excitations.iter().flat_map(|drive| drive.load.iter().cloned()));
        Steps::new(self.system, h, self.settings.dissipation, &loads)
    }

    /// Weights of the loads at a time.
    fn weights(&self, time: f64) -> Vec<f64> {
        let courses = self.courses.iter().flat_map(|course| course(time));
        std::iter::once(1.0).chain(courses).collect()
    }

    /// At rest under the constant loads; the drives act from here on.
    fn start(&self, steps: &Steps) -> State {
        let start = rest::settle(self.system, start::at_rest(self.system));
        steps.state(start, &self.weights(0.0))
    }

    /// One step from `time`; the state stays what it was unless the step is kept.
    fn attempt(
        &self,
        ladder: &mut Ladder,
        state: &mut State,
        time: f64,
        work: &mut Work,
        largest: &mut f64,
    ) -> Outcome {
        let steps = &ladder.rungs[ladder.level];
        let h = self.settings.interval / (1_u64 << ladder.level) as f64;
        let later = steps.later();
        let mut weights = self.weights(time + h);
        for (weight, before) in weights.iter_mut().zip(self.weights(time)) {
            *weight = before + later * (*weight - before);
        }
        let before = state.clone();
        if let Err(iterations) = steps.step(state, &weights, work) {
            *state = before;
            return Outcome::Failed(iterations);
        }
        let velocity = &state.velocity[self.system.n_modes()..];
        if let Some(fault) = too_long(&self.system.joints, &before.memory, velocity) {
            *state = before;
            return Outcome::Leapt(fault);
        }
        let size = largest.max(self.norm(&state.position));
        let (Steps::Springs(newmark), Some(tolerance)) = (steps, self.settings.tolerance) else {
            return Outcome::Fine;
        };
        newmark.error(&before.acceleration, &state.acceleration, &mut work.step);
        let error = self.norm(&work.step);
        if error > tolerance * size && ladder.level < MAX_HALVINGS {
            *state = before;
            return Outcome::Coarse;
        }
        *largest = size;
        if RESERVE * error < tolerance * size { Outcome::Fine } else { Outcome::Kept }
    }

    /// √(xᵀMx).
    fn norm(&self, x: &[f64]) -> f64 {
        let energy = x.iter().enumerate().map(|(i, value)| value * dot(self.mass.row(i), x));
        energy.sum::<f64>().max(0.0).sqrt()
    }

    fn instant<'b>(
        &'b self,
        time: f64,
        interval: usize,
        is_end: bool,
        state: &'b State,
    ) -> Instant<'b> {
        let n_modes = self.system.n_modes();
        Instant {
            time,
            interval,
            is_end,
            relative: &state.position[n_modes..],
            velocity: &state.velocity[n_modes..],
            force: &state.force,
            record: self,
            state,
        }
    }
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    /// Its contact forces were not found in so many iterations.
    Failed(usize),
    /// It was too long for a law with an explicit force.
    Leapt(TooLong),
    /// Its error is too large.
    Coarse,
    /// Good enough.
    Kept,
    /// One twice as long would have been good enough.
    Fine,
}

impl Instant<'_> {
    /// Values of the probes.
    pub fn probes(&self) -> Vec<f64> {
        let Record { excitations, courses, probes, .. } = self.record;
        let drives: Vec<[f64; 3]> = courses.iter().map(|course| course(self.time)).collect();
        let value = |(i, (weights, constant)): (usize, &([Vec<f64>; 3], f64))| {
            let direct = excitations.iter().zip(&drives);
            let direct = direct.map(|(excitation, s)| dot(&excitation.direct[i], s)).sum::<f64>();
            let State { position, velocity, acceleration, .. } = self.state;
            constant
                + direct
                + dot(&weights[0], position)
                + dot(&weights[1], velocity)
                + dot(&weights[2], acceleration)
        };
        probes.iter().enumerate().map(value).collect()
    }

    /// Values of the drives.
    pub fn drives(&self) -> Vec<f64> {
        self.record.courses.iter().map(|course| course(self.time)[0]).collect()
    }

    /// Two states of friction laws, from one on among those of all joints.
    pub fn states(&self, first: usize) -> [f64; 2] {
        [self.state.memory[first], self.state.memory[first + 1]]
    }

    /// What stretches in a joint before it slips, in every tangential direction; the states of its friction
    /// law begin at `first` among those of all joints.
    pub fn stretch(&self, joint: &Joint, first: usize) -> [f64; 2] {
        springs::stretch(joint, first, self.state)
    }
}
