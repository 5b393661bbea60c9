//! Contact by springs: penalty, elastic slider, cubic spring.
//!
//! At every instant the laws are those of [`super::springs`], whose equations are meant here.
//!
//! (2) is the Jenkins element with variable normal load: its slider moves freely while N = 0. It starts
//! from u_T = 0 unloaded and runs until a period ends as it began.
// Instants and directions index several lists at once.
#![allow(clippy::needless_range_loop)]

use super::collector::{Collector, add_input};
use super::springs::{self, Slider};
use super::{Joint, March, Samples, Status};

const MAX_PERIODS: usize = 20;
const TOL_PERIODIC: f64 = 1e-13;

/// Stiffnesses of (1) and (2) \[N/m\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Stiffness {
    pub normal: f64,
    pub tangential: f64,
}

/// Marches u over the period by (1) and (2); the result is λ.
pub(super) fn slider(
    joint: &Joint,
    u: &[Vec<f64>],
    samples: Samples,
    stiffness: Stiffness,
    wants_derivative: bool,
) -> March {
    let Stiffness { normal, tangential } = stiffness;
    Period { joint, u, samples, normal, tangential }.march(wants_derivative)
}

/// (3)
pub(super) fn cubic(
    joint: &Joint,
    u: &[Vec<f64>],
    samples: Samples,
    linear: f64,
    third: f64,
    wants_derivative: bool,
) -> March {
    let mut values = vec![vec![0.0; samples.basis.n_samples()]; u.len()];
    let n_columns = joint.n_directions() * samples.basis.n_coefficients() + 1;
    let mut collector = Collector::new(joint.n_directions(), samples, n_columns);
    for (direction, u) in u.iter().enumerate() {
        for (j, u) in u.iter().enumerate() {
            let (force, slope) = springs::cubic(linear, third, *u);
            values[direction][j] = force;
            if wants_derivative {
                collector.add_input(direction, j, direction, &samples.basis.inverse[j], slope);
            }
        }
    }
    March {
        forces: values,
        motion: u.to_vec(),
        status: vec![Status::Stick; samples.basis.n_samples()],
        is_periodic: true,
        steady: Default::default(),
        derivative: wants_derivative.then(|| collector.finish(samples)),
    }
}

/// A value per tangential direction with its derivative: what the march remembers.
#[derive(Debug, Clone)]
struct Memory {
    value: [f64; 2],
    derivative: [Vec<f64>; 2],
}

impl Memory {
    fn new(n_columns: usize) -> Self {
        Self { value: [0.0; 2], derivative: [vec![0.0; n_columns], vec![0.0; n_columns]] }
    }
}

struct Period<'a> {
    joint: &'a Joint,
    u: &'a [Vec<f64>],
    samples: Samples<'a>,
    normal: f64,
    tangential: f64,
}

impl Period<'_> {
    fn march(&self, wants_derivative: bool) -> March {
        let n_columns = self.joint.n_directions() * self.samples.basis.n_coefficients() + 1;
        let mut memory = Memory::new(n_columns);
        let largest = self.u.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
        let scale = self.tangential * largest + self.joint.preload;
        let mut march = self.run(&mut memory, true, wants_derivative);
        for _ in 1..MAX_PERIODS {
            let before = memory.value;
            march = self.run(&mut memory, false, wants_derivative);
            let change = (0..2).map(|t| (memory.value[t] - before[t]).abs()).fold(0.0, f64::max);
            march.is_periodic = change <= TOL_PERIODIC * scale;
            if march.is_periodic {
                break;
            }
        }
        march
    }

    fn pressure(&self, j: usize) -> f64 {
        springs::pressure(self.joint, self.normal, self.joint.rows.normal.map(|_| self.u[0][j]))
    }

    fn run(&self, memory: &mut Memory, is_first: bool, wants_derivative: bool) -> March {
        let n_tangents = self.joint.rows.tangents.len();
        let tangent = usize::from(self.joint.rows.normal.is_some());
        let mut values = vec![vec![0.0; self.samples.basis.n_samples()]; self.u.len()];
        let mut status = Vec::with_capacity(self.samples.basis.n_samples());
        let n_columns = self.joint.n_directions() * self.samples.basis.n_coefficients() + 1;
        let mut collector = Collector::new(self.joint.n_directions(), self.samples, n_columns);
        for j in 0..self.samples.basis.n_samples() {
            let pressure = self.pressure(j);
            if tangent == 1 {
                values[0][j] = self.joint.preload - pressure;
            }
            let state = self.slide(j, pressure, is_first, memory, wants_derivative);
            for t in 0..n_tangents {
                values[tangent + t][j] = memory.value[t];
            }
            status.push(state);
            if wants_derivative {
                if tangent == 1 && pressure > 0.0 {
                    collector.add_input(0, j, 0, &self.samples.basis.inverse[j], self.normal);
                }
                for t in 0..n_tangents {
                    collector.add_row(tangent + t, j, &memory.derivative[t], 1.0);
                }
            }
        }
        March {
            forces: values,
            motion: self.motion(),
            status,
            is_periodic: false,
            steady: Default::default(),
            derivative: wants_derivative.then(|| collector.finish(self.samples)),
        }
    }

    /// Opening and slip.
    fn motion(&self) -> Vec<Vec<f64>> {
        let mut motion = self.u.to_vec();
        if self.joint.rows.normal.is_some() {
            motion[0].iter_mut().for_each(|u| *u += self.joint.gap);
        }
        motion
    }

    /// (2), with its derivative.
    fn slide(
        &self,
        j: usize,
        pressure: f64,
        is_first: bool,
        memory: &mut Memory,
        wants_derivative: bool,
    ) -> Status {
        let n_tangents = self.joint.rows.tangents.len();
        let tangent = self.u.len() - n_tangents;
        if pressure <= 0.0 {
            memory.value = [0.0; 2];
            memory.derivative.iter_mut().for_each(|row| row.fill(0.0));
            return Status::Open;
        }
        // Before the very first instant the slider stands at u = 0.
        let before = (!(is_first && j == 0))
            .then(|| (j + self.samples.basis.n_samples() - 1) % self.samples.basis.n_samples());
        let mut trial = [0.0; 2];
        for t in 0..n_tangents {
            let u = &self.u[tangent + t];
            let moved = u[j] - before.map_or(0.0, |before| u[before]);
            trial[t] = memory.value[t] + self.tangential * moved;
            if wants_derivative {
                let row = &mut memory.derivative[t];
                add_input(row, tangent + t, &self.samples.basis.inverse[j], self.tangential);
                if let Some(before) = before {
                    add_input(
                        row,
                        tangent + t,
                        &self.samples.basis.inverse[before],
                        -self.tangential,
                    );
                }
            }
        }
        let slider = Slider::new(self.joint, trial, pressure);
        memory.value = slider.force;
        if !slider.is_sliding {
            return Status::Stick;
        }
        if wants_derivative {
            self.differentiate_slip(j, &slider, memory);
        }
        Status::Slip
    }

    /// (4), from the derivative of λ*.
    fn differentiate_slip(&self, j: usize, slider: &Slider, memory: &mut Memory) {
        let n_tangents = self.joint.rows.tangents.len();
        let trial = memory.derivative.clone();
        for t in 0..n_tangents {
            let out = &mut memory.derivative[t];
            out.fill(0.0);
            for (s, trial) in trial.iter().enumerate().take(n_tangents) {
                let factor = slider.by_trial(t, s);
                if factor != 0.0 {
                    out.iter_mut().zip(trial).for_each(|(out, value)| *out += factor * value);
                }
            }
            if self.joint.rows.normal.is_some() {
                let slope = -self.joint.friction * self.normal * slider.by_limit(t);
                add_input(out, 0, &self.samples.basis.inverse[j], slope);
            }
            let last = out.len() - 1;
            out[last] += slider.by_limit(t) * slider.limit;
        }
    }
}
