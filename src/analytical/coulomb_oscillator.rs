//! Mass on a spring with Coulomb friction to ground under a harmonic force, without other damping.
//!
//! ```text
//!     m ẍ + k x + F_f sgn ẋ ∋ F cos Ωt                                                       (1)
//! ```
//!
//! Displacement in units of F/k, time τ in units of √(m/k), phase θ = Ωt, frequency ratio r = Ω√(m/k),
//! friction ratio φ = F_f/F:
//!
//! ```text
//!     slide:  x″ + x = cos θ + f ,   f = −φ sgn x′ ,   θ = ψ + rτ                            (2)
//!     rest:   x′ = 0  as long as  |cos θ − x| ≤ φ                                            (3)
//! ```
//!
//! A slide that begins at phase ψ with x_0 and v_0 is known in closed form. Written with
//! C = (cos rτ − cos τ)/(1 − r²) and E = (r sin τ − sin rτ)/(1 − r²), which are finite at r = 1,
//!
//! ```text
//!     x(τ) = f + (x_0 − f) cos τ + v_0 sin τ + C cos ψ + E sin ψ                             (4)
//! ```
//!
//! A motion is a chain of such [`Piece`]s. Slides end at the first zero of x′, found by bisection; rests end
//! where (3) is first violated, an arc cosine. So the only errors are those of arithmetic.

use std::f64::consts::{PI, TAU};

/// The oscillator (1), in ratios.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoulombOscillator {
    /// Frequency of the force over natural frequency, r > 0 \[-\].
    pub frequency_ratio: f64,
    /// Friction force over amplitude of the force, φ ≥ 0 \[-\].
    pub friction_ratio: f64,
}

/// What the mass does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Slides towards smaller x.
    Down,
    /// Stands still.
    Rest,
    /// Slides towards larger x.
    Up,
}

/// A part of a motion: one slide or one rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// The oscillator.
    pub oscillator: CoulombOscillator,
    /// Slide or rest.
    pub direction: Direction,
    /// Phase of the force at its beginning, ψ \[rad\].
    pub phase: f64,
    /// Displacement at its beginning \[F/k\].
    pub position: f64,
    /// Velocity at its beginning \[F/√(km)\].
    pub velocity: f64,
    /// How long it lasts \[√(m/k)\].
    pub duration: f64,
}

/// A periodic motion: its pieces over one period of the force.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// In the order of time; the first begins anywhere in the period.
    pub pieces: Vec<Piece>,
}

/// Part of the shorter period that slides are scanned with for the zeros of their velocity.
const SCAN: f64 = 1.0 / 128.0;
/// More pieces than this in a period are rounding errors that follow each other.
const MAX_PIECES: usize = 1000;

impl Direction {
    fn of(value: f64) -> Self {
        if value > 0.0 { Self::Up } else { Self::Down }
    }

    fn sign(self) -> f64 {
        match self {
            Self::Down => -1.0,
            Self::Rest => 0.0,
            Self::Up => 1.0,
        }
    }
}

impl CoulombOscillator {
    /// A slide from rest, as long as it lasts.
    pub fn slide(self, direction: Direction, phase: f64, position: f64) -> Piece {
        let from = State { position, velocity: 0.0, direction };
        let piece = self.piece(from, phase, f64::INFINITY);
        Piece { duration: piece.stop(f64::INFINITY), ..piece }
    }

    /// The periodic motion that the mass comes to from rest at x = 0, with any number of stops; none if it
    /// never moves (φ ≥ 1) or does not repeat itself within `max_periods` to 1e-12 of its size.
    pub fn steady_motion(self, max_periods: usize) -> Option<Motion> {
        if self.friction_ratio >= 1.0 {
            return None;
        }
        let mut state = State { position: 0.0, velocity: 0.0, direction: Direction::Rest };
        for _ in 0..max_periods {
            let (pieces, next) = self.period(state)?;
            let change = (next.position - state.position).hypot(next.velocity - state.velocity);
            let motion = Motion { pieces };
            if change <= 1e-12 * motion.amplitude() {
                return Some(motion);
            }
            state = next;
        }
        None
    }

    /// One period of the force from phase 0: its pieces, and the state after it.
    fn period(self, mut state: State) -> Option<(Vec<Piece>, State)> {
        let whole = TAU / self.frequency_ratio;
        let (mut pieces, mut time) = (Vec::new(), 0.0);
        while time < whole && pieces.len() < MAX_PIECES {
            let mut piece = self.piece(state, self.frequency_ratio * time, whole - time);
            state = piece.run();
            time += piece.duration;
            pieces.push(piece);
        }
        (pieces.len() < MAX_PIECES).then_some((pieces, state))
    }

    fn piece(self, state: State, phase: f64, duration: f64) -> Piece {
        let State { position, velocity, direction } = state;
        Piece { oscillator: self, direction, phase, position, velocity, duration }
    }

    /// C, E of (4) and C′, as products that keep their digits near r = 1.
    pub(super) fn forced(self, tau: f64) -> [f64; 3] {
        let r = self.frequency_ratio;
        let (mean, half) = (0.5 * (1.0 + r) * tau, 0.5 * (1.0 - r) * tau);
        let scale = tau / (1.0 + r) * if half == 0.0 { 1.0 } else { half.sin() / half };
        let difference = scale * mean.cos();
        [
            scale * mean.sin(),
            difference - tau.sin() / (1.0 + r),
            difference + (r * tau).sin() / (1.0 + r),
        ]
    }

    /// Half a period of the force \[√(m/k)\].
    pub(super) fn half_period(self) -> f64 {
        PI / self.frequency_ratio
    }

    /// What a mass that has come to rest does next: (3), or the other way at once.
    fn after_stop(self, phase: f64, position: f64) -> Direction {
        let drive = phase.cos() - position;
        if drive.abs() <= self.friction_ratio { Direction::Rest } else { Direction::of(drive) }
    }
}

impl Piece {
    /// Displacement (4) at time τ after the beginning \[F/k\].
    pub fn displacement(&self, tau: f64) -> f64 {
        if self.direction == Direction::Rest {
            return self.position;
        }
        let f = self.friction();
        let [c, e, _] = self.oscillator.forced(tau);
        let free = f + (self.position - f) * tau.cos() + self.velocity * tau.sin();
        free + c * self.phase.cos() + e * self.phase.sin()
    }

    /// Velocity at time τ after the beginning \[F/√(km)\].
    pub fn velocity_at(&self, tau: f64) -> f64 {
        if self.direction == Direction::Rest {
            return 0.0;
        }
        let [c, _, c_rate] = self.oscillator.forced(tau);
        let free = (self.friction() - self.position) * tau.sin() + self.velocity * tau.cos();
        free + c_rate * self.phase.cos() - self.oscillator.frequency_ratio * c * self.phase.sin()
    }

    fn acceleration(&self, tau: f64) -> f64 {
        let phase = self.phase + self.oscillator.frequency_ratio * tau;
        phase.cos() + self.friction() - self.displacement(tau)
    }

    /// f of (2).
    fn friction(&self) -> f64 {
        -self.direction.sign() * self.oscillator.friction_ratio
    }

    /// Shortens the piece to where it ends by itself, if that is sooner; returns the state there.
    fn run(&mut self) -> State {
        let limit = self.duration;
        let (end, next) = match self.direction {
            Direction::Rest => self.breakaway(),
            _ => (self.stop(limit), None),
        };
        self.duration = end.min(limit);
        let position = self.displacement(self.duration);
        if end >= limit {
            let velocity = self.velocity_at(limit);
            return State { position, velocity, direction: self.direction };
        }
        let r = self.oscillator.frequency_ratio;
        let phase = self.phase + r * end;
        let direction = next.unwrap_or_else(|| self.oscillator.after_stop(phase, position));
        State { position, velocity: 0.0, direction }
    }

    /// When a rest ends and whereto, by (3).
    fn breakaway(&self) -> (f64, Option<Direction>) {
        let phi = self.oscillator.friction_ratio;
        let wait =
            |phase: f64| (phase - self.phase).rem_euclid(TAU) / self.oscillator.frequency_ratio;
        // cos θ falls through x − φ in the first half of its period and rises through x + φ in the second.
        let down = (self.position - phi).abs() < 1.0;
        let up = (self.position + phi).abs() < 1.0;
        let down = down.then(|| (wait((self.position - phi).acos()), Some(Direction::Down)));
        let up = up.then(|| (wait(-(self.position + phi).acos()), Some(Direction::Up)));
        let soonest = down.into_iter().chain(up).min_by(|a, b| a.0.total_cmp(&b.0));
        soonest.unwrap_or((f64::INFINITY, None))
    }

    /// The first zero of the velocity after the beginning, or `limit` if it comes later.
    fn stop(&self, limit: f64) -> f64 {
        let step = SCAN * TAU / self.oscillator.frequency_ratio.max(1.0);
        let sign = self.direction.sign();
        let speed = |tau: f64| sign * self.velocity_at(tau);
        let push = |tau: f64| sign * self.acceleration(tau);
        let mut from = 0.0;
        while from < limit {
            let to = from + step;
            if speed(from) > 0.0 && push(from) < 0.0 && push(to) > 0.0 {
                // The speed has a minimum in between, which may lie below zero.
                let lowest = bisect(from, to, |tau| push(tau) < 0.0);
                if speed(lowest) <= 0.0 {
                    return bisect(from, lowest, |tau| speed(tau) > 0.0).min(limit);
                }
            }
            if speed(to) <= 0.0 {
                return bisect(from, to, |tau| speed(tau) > 0.0).min(limit);
            }
            from = to;
        }
        limit
    }
}

impl Motion {
    /// Half the way between the turning points \[F/k\].
    pub fn amplitude(&self) -> f64 {
        let ends = self.pieces.iter().flat_map(|p| [p.position, p.displacement(p.duration)]);
        let (low, high) = ends
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        0.5 * (high - low)
    }

    /// Displacement at a phase θ of the force \[F/k\].
    pub fn displacement(&self, phase: f64) -> f64 {
        let (first, last) = (&self.pieces[0], &self.pieces[self.pieces.len() - 1]);
        let phase = first.phase + (phase - first.phase).rem_euclid(TAU);
        let piece = self.pieces.iter().rev().find(|p| p.phase <= phase).unwrap_or(last);
        piece.displacement((phase - piece.phase) / piece.oscillator.frequency_ratio)
    }

    /// Rests in a period.
    pub fn stops(&self) -> usize {
        self.count(|direction| direction == Direction::Rest)
    }

    /// Slides in a period, two of them at least.
    pub fn slides(&self) -> usize {
        self.count(|direction| direction != Direction::Rest)
    }

    /// Pieces of a kind; one that lasts through the end of the period counts once.
    fn count(&self, is_meant: impl Fn(Direction) -> bool) -> usize {
        let n = self.pieces.len();
        let direction = |i: usize| self.pieces[i % n].direction;
        (0..n).filter(|&i| is_meant(direction(i)) && direction(i) != direction(i + n - 1)).count()
    }
}

#[derive(Debug, Clone, Copy)]
struct State {
    position: f64,
    velocity: f64,
    direction: Direction,
}

/// Where a condition that holds at `low` and not at `high` ceases to hold.
pub(super) fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        *(if holds(middle) { &mut low } else { &mut high }) = middle;
    }
}
