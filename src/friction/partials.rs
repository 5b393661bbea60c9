//! Derivatives of a step of a law by all its inputs.

use super::Law;
use super::real::{Dual, Real};
use super::step::Step;

/// Inputs that are differentiated at once: those of a step and the states of most laws.
const WIDTH: usize = 10;

/// Inputs of a step that derivatives are taken by; the states follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Input {
    /// h.
    Duration = 0,
    /// x⁻.
    SlipBefore = 1,
    /// x.
    Slip = 2,
    /// v.
    Velocity = 3,
    /// N⁻.
    PressureBefore = 4,
    /// N.
    Pressure = 5,
    /// μ.
    Friction = 6,
}

impl Input {
    /// Number of inputs before the states.
    pub const COUNT: usize = 7;
}

/// Derivatives of force and states by inputs and states before, row by row; the force comes first.
#[derive(Debug, Clone, Default)]
pub struct Partials {
    n_columns: usize,
    values: Vec<f64>,
    before: Vec<Dual<WIDTH>>,
    after: Vec<Dual<WIDTH>>,
    few_before: Vec<Dual<3>>,
    few_after: Vec<Dual<3>>,
}

impl Partials {
    /// Steps a law with derivatives; the force \[N\].
    pub fn step(&mut self, law: &Law, before: &[f64], step: &Step<f64>, after: &mut [f64]) -> f64 {
        let n = before.len();
        self.n_columns = Input::COUNT + n;
        self.values.resize((1 + n) * self.n_columns, 0.0);
        let mut force = 0.0;
        for first in (0..self.n_columns).step_by(WIDTH) {
            force = self.pass(law, before, step, first);
        }
        after.iter_mut().zip(&self.after).for_each(|(out, state)| *out = state.value);
        force
    }

    /// Steps a law; the force \[N\] and its derivatives by slip, velocity and pressure at the end, which are all
    /// that a time step needs.
    pub fn slopes(
        &mut self,
        law: &Law,
        before: &[f64],
        step: &Step<f64>,
        after: &mut [f64],
    ) -> (f64, [f64; 3]) {
        self.few_before.clear();
        self.few_before.extend(before.iter().map(|state| Dual::constant(*state)));
        self.few_after.resize(before.len(), Dual::constant(0.0));
        let step = Step {
            duration: Dual::constant(step.duration),
            slip_before: Dual::constant(step.slip_before),
            slip: Dual::input(step.slip, 0),
            velocity: Dual::input(step.velocity, 1),
            pressure_before: Dual::constant(step.pressure_before),
            pressure: Dual::input(step.pressure, 2),
            friction: Dual::constant(step.friction),
            static_ratio: step.static_ratio,
            hold: step.hold,
        };
        let force = law.step(&self.few_before, &step, &mut self.few_after);
        after.iter_mut().zip(&self.few_after).for_each(|(out, state)| *out = state.value);
        (force.value, force.slopes)
    }

    /// Columns `first` … `first` + WIDTH.
    fn pass(&mut self, law: &Law, before: &[f64], step: &Step<f64>, first: usize) -> f64 {
        let seed = |value: f64, number: usize| match number.checked_sub(first) {
            Some(own) if own < WIDTH => Dual::input(value, own),
            _ => Dual::constant(value),
        };
        self.before.clear();
        let states = before.iter().enumerate().map(|(i, s)| seed(*s, Input::COUNT + i));
        self.before.extend(states);
        self.after.resize(before.len(), Dual::constant(0.0));
        let step = Step {
            duration: seed(step.duration, Input::Duration as usize),
            slip_before: seed(step.slip_before, Input::SlipBefore as usize),
            slip: seed(step.slip, Input::Slip as usize),
            velocity: seed(step.velocity, Input::Velocity as usize),
            pressure_before: seed(step.pressure_before, Input::PressureBefore as usize),
            pressure: seed(step.pressure, Input::Pressure as usize),
            friction: seed(step.friction, Input::Friction as usize),
            static_ratio: step.static_ratio,
            hold: step.hold,
        };
        let force = law.step(&self.before, &step, &mut self.after);
        let count = WIDTH.min(self.n_columns - first);
        let rows = std::iter::once(&force).chain(&self.after);
        for (row, out) in rows.zip(self.values.chunks_mut(self.n_columns)) {
            out[first..first + count].copy_from_slice(&row.slopes[..count]);
        }
        force.value
    }

    /// ∂F by all inputs, then by the states before.
    pub fn force(&self) -> &[f64] {
        &self.values[..self.n_columns]
    }

    /// ∂(state after) by all inputs, then by the states before.
    pub fn state(&self, i: usize) -> &[f64] {
        &self.values[(1 + i) * self.n_columns..(2 + i) * self.n_columns]
    }
}
