//! Numbers of a friction law under a prescribed slip.
//!
//! ```text
//!     line    x = v t up to a distance                steady force, break-away, stiffness F/x, energy lost on the way
//!     loop    x = X sin 2πft, several periods         ∮ F dx, max |F| of the last
//!     bias    F = F_m + F_a sin 2πft, small           mean slip per cycle: drift
//! ```
//!
//! On a line the normal force may change with the slip, N = N₀(1 + r x). Derivatives are compared with central differences along a loop, off kinks; the power
//! of the hybrid law, with the force of its step, is balanced at every instant of one.

use std::f64::consts::TAU;

use serde::Deserialize;

use crate::friction::{Hybrid, Input, Law, Moment, Partials, Step, larger};

const STEPS: usize = 40_000;
const PERIODS: usize = 3;
const CYCLES: usize = 20;
/// Difference of the slopes to both sides, over them, that is a kink.
const TOL_KINK: f64 = 1e-3;

/// A number of a law.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LawMeasure {
    friction_law: Law,
    quantity: Quantity,
    /// μ.
    #[serde(default = "one")]
    friction: f64,
    /// μ_s; left out: μ.
    static_friction: Option<f64>,
    /// N.
    #[serde(default = "one")]
    normal_force: f64,
    /// Growth r of N with the slip along a line \[1/m\].
    #[serde(default)]
    pressure_ramp: f64,
    /// Velocity along a line \[m/s\].
    #[serde(default = "one")]
    velocity: f64,
    /// Length of the line \[m\].
    #[serde(default = "one")]
    distance: f64,
    /// Steps of the line or of a period.
    #[serde(default = "steps")]
    steps: usize,
    /// Amplitude of the loop \[m\], or of the force about a bias \[N\].
    #[serde(default = "one")]
    amplitude: f64,
    /// Mean force \[N\].
    #[serde(default)]
    bias: f64,
    /// Frequency of a loop \[Hz\].
    #[serde(default = "one")]
    frequency: f64,
}

fn one() -> f64 {
    1.0
}

fn steps() -> usize {
    STEPS
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Quantity {
    /// Force at the end of the line \[N\].
    Force,
    /// Largest force on the line \[N\].
    BreakAway,
    /// Force over distance at the end of the line \[N/m\].
    Stiffness,
    /// Slope just after the line turns back \[N/m\].
    ReversalSlope,
    /// ∮ F dx \[J\].
    LoopArea,
    /// Largest force of a loop \[N\].
    LoopForce,
    /// Energy that the law says it dissipates along the line, what it still stores left out \[J\].
    Dissipated,
    /// Slip per cycle of the force about a bias \[m\].
    Drift,
    /// Largest relative difference of derivatives and differences.
    DerivativeError,
    /// Largest difference of power and its parts, over their size; of the hybrid law.
    PowerBalance,
}

/// A law on its way.
struct Driven<'a> {
    measure: &'a LawMeasure,
    states: Vec<f64>,
    slip: f64,
    force: f64,
}

impl LawMeasure {
    /// Computes it.
    pub fn value(&self) -> f64 {
        match self.quantity {
            Quantity::Force => self.line().1,
            Quantity::BreakAway => self.line().0,
            Quantity::Stiffness => self.line().1 / self.distance,
            Quantity::ReversalSlope => self.reversal_slope(),
            Quantity::LoopArea => self.last_loop(|before, after| {
                0.5 * (before.force + after.force) * (after.slip - before.slip)
            }),
            Quantity::Dissipated => self.dissipated(),
            Quantity::LoopForce => self.largest_force(),
            Quantity::Drift => self.drift(),
            Quantity::DerivativeError => self.derivative_error(),
            Quantity::PowerBalance => self.power_balance(),
        }
    }

    /// N at a place of the line.
    fn pressure(&self, place: f64) -> f64 {
        self.normal_force * (1.0 + self.pressure_ramp * place)
    }

    fn step(&self, from: f64, to: f64, velocity: f64, duration: f64) -> Step<f64> {
        Step {
            duration,
            slip_before: from,
            slip: to,
            velocity,
            pressure_before: self.pressure(from),
            pressure: self.pressure(to),
            friction: self.friction,
            static_ratio: self.static_friction.map_or(1.0, |highest| highest / self.friction),
            hold: 0.0,
        }
    }

    fn begin(&self) -> Driven<'_> {
        let states = vec![0.0; self.friction_law.n_states()];
        Driven { measure: self, states, slip: 0.0, force: 0.0 }
    }

    /// The law at the end of the line; `see` gets it before and after every step.
    fn follow_line(&self, mut see: impl FnMut(&Driven, &Driven)) -> Driven<'_> {
        let (mut driven, n) = (self.begin(), self.steps as f64);
        for i in 1..=self.steps {
            let to = self.distance * i as f64 / n;
            let before = Driven { states: driven.states.clone(), ..driven };
            driven.go(to, self.velocity, self.distance / self.velocity / n);
            see(&before, &driven);
        }
        driven
    }

    /// The law at the end of the line, and the largest force on the way.
    fn along_line(&self) -> (f64, Driven<'_>) {
        let mut largest = 0.0;
        let driven = self.follow_line(|_, after| largest = larger(largest, after.force));
        (largest, driven)
    }

    fn dissipated(&self) -> f64 {
        let mut sum = 0.0;
        self.follow_line(|before, after| sum += before.dissipated(after));
        sum
    }

    /// Largest and last force on the line.
    fn line(&self) -> (f64, f64) {
        let (largest, driven) = self.along_line();
        (largest, driven.force)
    }

    fn reversal_slope(&self) -> f64 {
        let (_, mut driven) = self.along_line();
        let (turned, back) = (driven.force, 1e-4 * self.distance / self.steps as f64);
        driven.go(self.distance - back, -self.velocity, back / self.velocity);
        (turned - driven.force) / back
    }

    /// Step j of a loop.
    fn loop_step(&self, j: usize) -> Step<f64> {
        let n = self.steps;
        let angle = |j: usize| TAU * (j % n) as f64 / n as f64;
        let velocity = TAU * self.frequency * self.amplitude * angle(j).cos();
        let (from, to) = (angle(j + n - 1).sin(), angle(j).sin());
        let duration = 1.0 / (self.frequency * n as f64);
        self.step(self.amplitude * from, self.amplitude * to, velocity, duration)
    }

    /// Walks over the loops; `see` gets the number of the step and the law before and after it.
    fn walk(&self, mut see: impl FnMut(usize, &Driven, &Driven)) {
        let mut driven = self.begin();
        for j in 1..=PERIODS * self.steps {
            let step = self.loop_step(j);
            let before = Driven { states: driven.states.clone(), ..driven };
            driven.take(&step);
            see(j, &before, &driven);
        }
    }

    fn last_loop(&self, of: impl Fn(&Driven, &Driven) -> f64) -> f64 {
        let mut sum = 0.0;
        self.walk(|j, before, after| {
            if j > (PERIODS - 1) * self.steps {
                sum += of(before, after);
            }
        });
        sum
    }

    fn largest_force(&self) -> f64 {
        let mut largest = 0.0;
        self.walk(|j, _, after| {
            if j > (PERIODS - 1) * self.steps {
                largest = larger(largest, after.force.abs());
            }
        });
        largest
    }

    /// The slip follows from the force by Newton's method.
    fn drift(&self) -> f64 {
        let mut driven = self.begin();
        let mut ends = Vec::new();
        for j in 1..=CYCLES * self.steps {
            let target = self.bias + self.amplitude * (TAU * j as f64 / self.steps as f64).sin();
            driven.balance(target);
            if j % self.steps == 0 {
                ends.push(driven.slip);
            }
        }
        (ends[CYCLES - 1] - ends[CYCLES / 2 - 1]) / (CYCLES / 2) as f64
    }

    fn derivative_error(&self) -> f64 {
        let mut worst = 0.0;
        self.walk(|j, before, _| {
            for input in 0..Input::COUNT + before.states.len() {
                worst = larger(worst, self.derivative_error_at(&self.loop_step(j), before, input));
            }
        });
        worst
    }

    /// Error of the derivatives by one input; 0 at a kink, where the slopes to both sides differ.
    fn derivative_error_at(&self, step: &Step<f64>, before: &Driven, input: usize) -> f64 {
        let mut states = before.states.clone();
        let mut partials = Partials::default();
        let force = partials.step(&self.friction_law, &before.states, step, &mut states);
        let at = |by: f64| -> f64 {
            let (mut step, mut states) = (*step, before.states.clone());
            moved(&mut step, &mut states, input, by);
            self.friction_law.step(&states.clone(), &step, &mut states)
        };
        let width = 1e-5 * size(self, step, before, input);
        let (above, below) = ((at(width) - force) / width, (force - at(-width)) / width);
        let slope = 0.5 * (above + below);
        let scale = (force.abs() + self.friction * self.normal_force) / (1e5 * width);
        let is_kink = (above - below).abs() > TOL_KINK * (scale + slope.abs());
        if is_kink { 0.0 } else { (partials.force()[input] - slope).abs() / (scale + slope.abs()) }
    }

    fn power_balance(&self) -> f64 {
        let Law::Hybrid(law) = self.friction_law else { return f64::NAN };
        let mut worst = 0.0;
        self.walk(|j, _, after| worst = larger(worst, self.imbalance(&law, after, j)));
        worst
    }

    fn imbalance(&self, law: &Hybrid, after: &Driven, j: usize) -> f64 {
        let step = self.loop_step(j);
        let states = [after.states[0], after.states[1]];
        let p = law.power(states, step.velocity, step.limit(), step.static_ratio);
        let parts = p.stored + p.plastic + p.partial_slip + p.gross_slip;
        let input = after.force * step.velocity;
        let size = input.abs() + p.stored.abs() + p.plastic + p.partial_slip + p.gross_slip;
        (input - parts).abs() / size
    }
}

/// Size of an input, by which its steps are measured.
fn size(measure: &LawMeasure, step: &Step<f64>, before: &Driven, input: usize) -> f64 {
    let speed = TAU * measure.frequency * measure.amplitude;
    match input.checked_sub(Input::COUNT) {
        Some(state) => before.states[state].abs().max(1e-3 * measure.amplitude),
        None if input == Input::Duration as usize => step.duration,
        None if input == Input::Velocity as usize => speed,
        None if input == Input::Slip as usize || input == Input::SlipBefore as usize => {
            1e-2 * measure.amplitude
        }
        None if input == Input::Friction as usize => measure.friction,
        None => measure.normal_force,
    }
}

fn moved(step: &mut Step<f64>, states: &mut [f64], input: usize, by: f64) {
    let value = match input.checked_sub(Input::COUNT) {
        Some(state) => &mut states[state],
        None if input == Input::Duration as usize => &mut step.duration,
        None if input == Input::SlipBefore as usize => &mut step.slip_before,
        None if input == Input::Slip as usize => &mut step.slip,
        None if input == Input::Velocity as usize => &mut step.velocity,
        None if input == Input::PressureBefore as usize => &mut step.pressure_before,
        None if input == Input::Pressure as usize => &mut step.pressure,
        None => &mut step.friction,
    };
    *value += by;
}

impl Driven<'_> {
    fn go(&mut self, to: f64, velocity: f64, duration: f64) {
        let step = self.measure.step(self.slip, to, velocity, duration);
        self.take(&step);
    }

    fn take(&mut self, step: &Step<f64>) {
        let before = self.states.clone();
        self.force = self.measure.friction_law.step(&before, step, &mut self.states);
        self.slip = step.slip;
    }

    fn dissipated(&self, after: &Self) -> f64 {
        let moment = |driven: &Self| (driven.force, driven.states.clone());
        let ((f0, s0), (f1, s1)) = (moment(self), moment(after));
        let step = self.measure.step(self.slip, after.slip, 0.0, 1.0);
        let (before, after) =
            (Moment { states: &s0, force: f0 }, Moment { states: &s1, force: f1 });
        self.measure.friction_law.dissipated(&before, &after, &step)
    }

    /// Goes to where the force is `target`.
    fn balance(&mut self, target: f64) {
        let before = self.states.clone();
        let mut to = self.slip;
        let mut partials = Partials::default();
        for _ in 0..50 {
            let step = self.measure.step(self.slip, to, 0.0, 1.0);
            let law = &self.measure.friction_law;
            self.force = partials.step(law, &before, &step, &mut self.states);
            let change = (target - self.force) / partials.force()[Input::Slip as usize];
            if !change.is_finite() || change.abs() <= 1e-12 * to.abs() {
                break;
            }
            to += change;
        }
        self.slip = to;
    }
}
