//! Stick and slip of a pair along a record.
//!
//! ```text
//!     work            W = ∫ F_T · du_T                    area of the loop, if its ends meet          (1)
//!     work rate       Ẇ = (1/T) ∫ N |u̇_T| dt                                                         (2)
//!     slip ratio      time in slip over the time measured                                           (3)
//!     break-away      largest |F_T| until it no longer grows in slip                                 (4)
//! ```
//!
//! A pair slips by a [`Criterion`]. Between two slips it sticks, unless the time is shorter than the shortest
//! stick, in which case the two are one. (2) is the work rate of fretting tests, without a friction
//! coefficient.

use super::friction;
use super::history::Instant;
use crate::contact::{Joint, Law};
use crate::friction::Step;

/// What counts as slip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// Laws with a deflection z: |Δz| < 0.1 |Δu_T|. Laws without: their own measure, 90 % of μN. Exact: all of μN.
    Law,
    /// |u̇_T| above this \[m/s\].
    Velocity(f64),
    /// |dz/dt| of the first state z of the law below this: what stretches has stretched.
    SettledState(f64),
}

/// Share of the motion that may still go into the deflection in slip.
const STRETCHING: f64 = 0.1;
/// Share of μN that an exact contact needs to slip: all but rounding.
const ALL: f64 = 1.0 - 1e-9;

/// A slip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slip {
    /// When it begins \[s\].
    pub begin: f64,
    /// When it ends \[s\].
    pub end: f64,
    /// |u_T(end) − u_T(begin)| \[m\].
    pub distance: f64,
    /// Where it began.
    from: [f64; 2],
}

/// Measures (1) to (4) of one pair.
#[derive(Debug, Clone)]
pub struct SlipMeter {
    joint: Joint,
    /// Where the states of its friction law begin.
    first_state: usize,
    criterion: Criterion,
    shortest_stick: f64,
    /// When measuring begins.
    from: f64,
    last: Option<Sample>,
    is_slipping: bool,
    slip_time: f64,
    time: f64,
    /// W \[J\].
    pub work: f64,
    force_path: f64,
    /// Largest |F_T| \[N\].
    pub max_force: f64,
    /// Largest |u_T| \[m\].
    pub max_displacement: f64,
    /// How often the first sliding velocity has changed its sign.
    pub reversals: usize,
    first_peak: Option<f64>,
    /// Slips so far.
    pub slips: Vec<Slip>,
}

/// A pair at an instant.
#[derive(Debug, Clone, Copy)]
struct Sample {
    time: f64,
    place: [f64; 2],
    force: [f64; 2],
    velocity: f64,
    speed: f64,
    pressure: f64,
    state: [f64; 2],
}

impl SlipMeter {
    /// A meter for every joint, which measures from a time on \[s\].
    pub fn all(
        joints: &[Joint],
        criterion: Criterion,
        shortest_stick: f64,
        from: f64,
    ) -> Vec<Self> {
        let mut first = 0;
        let meter = |joint: &Joint| {
            let meter = Self::new(joint.clone(), first, criterion, shortest_stick, from);
            first += friction::n_states(joint);
            meter
        };
        joints.iter().map(meter).collect()
    }

    fn new(
        joint: Joint,
        first_state: usize,
        criterion: Criterion,
        shortest_stick: f64,
        from: f64,
    ) -> Self {
        Self {
            joint,
            first_state,
            criterion,
            shortest_stick,
            from,
            last: None,
            is_slipping: false,
            slip_time: 0.0,
            time: 0.0,
            work: 0.0,
            force_path: 0.0,
            max_force: 0.0,
            max_displacement: 0.0,
            reversals: 0,
            first_peak: None,
            slips: vec![],
        }
    }

    /// Takes the next step of the record.
    pub fn take(&mut self, instant: &Instant) {
        if instant.time < self.from {
            return;
        }
        let sample = self.sample(instant);
        self.max_force = self.max_force.max(length(sample.force));
        self.max_displacement = self.max_displacement.max(length(sample.place));
        if let Some(last) = self.last {
            self.add(&last, &sample);
            let is_slipping = self.slips_between(&last, &sample);
            self.turn(is_slipping, &last, &sample);
        }
        self.last = Some(sample);
    }

    fn sample(&self, instant: &Instant) -> Sample {
        let rows = &self.joint.rows;
        let of = |values: &[f64]| {
            let mut pair = [0.0; 2];
            pair.iter_mut().zip(&rows.tangents).for_each(|(value, row)| *value = values[*row]);
            pair
        };
        Sample {
            time: instant.time,
            place: of(instant.relative),
            force: of(instant.force),
            velocity: of(instant.velocity)[0],
            speed: length(of(instant.velocity)),
            pressure: self.joint.pressure(instant.force),
            state: instant.stretch(&self.joint, self.first_state),
        }
    }

    /// (1) to (3) over a step.
    fn add(&mut self, last: &Sample, next: &Sample) {
        let h = next.time - last.time;
        self.time += h;
        self.reversals += usize::from(last.velocity * next.velocity < 0.0);
        for t in 0..2 {
            self.work += 0.5 * (last.force[t] + next.force[t]) * (next.place[t] - last.place[t]);
        }
        self.force_path += 0.5 * h * (last.pressure * last.speed + next.pressure * next.speed);
    }

    fn slips_between(&self, last: &Sample, next: &Sample) -> bool {
        match self.criterion {
            Criterion::Law => next.pressure > 0.0 && self.slips_by_law(last, next),
            Criterion::Velocity(above) => next.speed > above,
            Criterion::SettledState(below) => {
                let stretched = distance(last.state, next.state);
                next.speed > 0.0 && stretched < below * (next.time - last.time)
            }
        }
    }

    fn slips_by_law(&self, last: &Sample, next: &Sample) -> bool {
        let Sample { force, pressure, speed, .. } = *next;
        let stretches =
            || distance(last.state, next.state) < STRETCHING * distance(last.place, next.place);
        match &self.joint.law {
            Law::Friction(law) if law.tangential.has_deflection() => stretches(),
            Law::Friction(law) => {
                let step = Step {
                    duration: next.time - last.time,
                    slip_before: 0.0,
                    slip: distance(last.place, next.place),
                    velocity: speed,
                    pressure_before: last.pressure,
                    pressure,
                    friction: self.joint.friction,
                    static_ratio: law.static_ratio,
                    hold: 0.0,
                };
                speed > 0.0 && law.tangential.is_sliding(length(force), &step)
            }
            Law::Penalty { tangential, .. } if *tangential > 0.0 => stretches(),
            Law::Exact | Law::Penalty { .. } => {
                speed > 0.0 && length(force) >= ALL * self.joint.friction * pressure
            }
            Law::Cubic { .. } => false,
        }
    }

    /// Begins, continues or ends a slip.
    fn turn(&mut self, is_slipping: bool, last: &Sample, next: &Sample) {
        if is_slipping {
            self.slip_time += next.time - last.time;
            if length(next.force) < self.max_force || length(next.force) <= length(last.force) {
                self.first_peak.get_or_insert(self.max_force);
            }
            let resumes = |slip: &Slip| last.time - slip.end < self.shortest_stick;
            if !self.is_slipping && !self.slips.last().is_some_and(resumes) {
                let (begin, from) = (last.time, last.place);
                self.slips.push(Slip { begin, end: begin, distance: 0.0, from });
            }
            if let Some(slip) = self.slips.last_mut() {
                slip.end = next.time;
                slip.distance = distance(slip.from, next.place);
            }
        }
        self.is_slipping = is_slipping;
    }

    /// (4) \[N\]: the largest so far where it still grows, none while nothing has slipped.
    pub fn break_away(&self) -> Option<f64> {
        self.first_peak.or((!self.slips.is_empty()).then_some(self.max_force))
    }

    /// (2) \[W\].
    pub fn work_rate(&self) -> f64 {
        self.force_path / self.time
    }

    /// (3).
    pub fn slip_ratio(&self) -> f64 {
        self.slip_time / self.time
    }

    /// Beginning and end of every stick that a slip has ended \[s\].
    pub fn sticks(&self) -> Vec<[f64; 2]> {
        let begins = std::iter::once(self.from).chain(self.slips.iter().map(|slip| slip.end));
        let sticks = begins.zip(self.slips.iter().map(|slip| slip.begin));
        let is_long = |stick: &[f64; 2]| stick[1] - stick[0] > self.shortest_stick;
        sticks.map(|(begin, end)| [begin, end]).filter(is_long).collect()
    }

    /// Mean time from the beginning of a slip to that of the next \[s\].
    pub fn slip_period(&self) -> f64 {
        match &self.slips[..] {
            [first, .., last] => (last.begin - first.begin) / (self.slips.len() - 1) as f64,
            _ => f64::NAN,
        }
    }

    /// Mean distance of the slips that have ended, the first one left out \[m\].
    pub fn slip_distance(&self) -> f64 {
        let ended = self.slips.len() - usize::from(self.is_slipping);
        let counted = self.slips.get(1..ended).unwrap_or_default();
        counted.iter().map(|slip| slip.distance).sum::<f64>() / counted.len() as f64
    }
}

fn distance([a, b]: [f64; 2], [c, d]: [f64; 2]) -> f64 {
    length([c - a, d - b])
}

fn length([a, b]: [f64; 2]) -> f64 {
    a.hypot(b)
}
