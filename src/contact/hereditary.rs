//! Friction laws with states, over a period.
//!
//! ```text
//! u at instants j = 1 … n of a period T = nh and its velocity from the harmonics, u̇_j = ω Σ (dF̄/dτ)_j ũ:
//!
//!     N_j = N(−u_N − g, −u̇_N, N₀) ,   λ_N = N₀ − N                                              (1)
//!     (q_j, λ_T,j) = law(q_{j−1}; u_{j−1}, u_j, u̇_j, N_{j−1}, N_j, μ, h)                         (2)
//! ```
//!
//! Under the exact normal law the input of the normal direction is λ_u of [`super::dlft`] in place of u, N is that of
//! `signorini`, and the result λ_x,N = N − P in place of λ_N.
//!
//! The march begins with states zero and u = 0, as a contact that was just pressed together, and runs
//! until a period ends as it began. With the map P of a period on the states at its beginning,
//!
//! ```text
//!     q_0 ← q_0 + (1 − P_q)⁺ (P(q_0) − q_0)                                                      (3)
//!     dq_0/dũ ← dq_0/dũ + (1 − P_q)⁺ (P_ũ + P_q dq_0/dũ − dq_0/dũ)                               (4)
//! ```
//!
//! and the derivatives of the forces follow from those of a period and (4). States that a period leaves alone,
//! such as those of a contact that sticks throughout, lie in the null space of 1 − P_q, so Newton leaves them
//! unchanged: they stay what the march from rest has made of them, value and derivative.
// Instants and directions index several lists at once.
#![allow(clippy::needless_range_loop)]

use std::f64::consts::TAU;

use faer::Mat;

use super::collector::{Collector, add_input};
use super::signorini;
use super::{Friction, Joint, Local, March, Samples, Status};
use crate::friction::{Dual, Input, Partials, Step};

const MAX_PERIODS: usize = 100;
/// Of so many periods the first are Newton's method and the others mere repetition.
const CYCLE: usize = 20;
const NEWTON_PERIODS: usize = 12;
/// Change of a state over a period, over its largest value.
const TOL_PERIODIC: f64 = 1e-10;
/// Singular values of 1 − P_q below this belong to states that a period leaves alone.
const TOL_NEUTRAL: f64 = 1e-10;

/// Columns behind those of the harmonics: factors of ω, N₀ and μ.
const FACTORS: usize = 3;

/// Marches u over the period by (1) and (2); the result is λ, or λ_x across the face.
pub(super) fn march(
    joint: &Joint,
    law: &Friction,
    local: &Local,
    u: &[Vec<f64>],
    samples: Samples,
    wants_derivative: bool,
) -> March {
    let period = Period::new(joint, law, u, samples);
    let first = u.len() - joint.rows.tangents.len();
    let (mut forces, mut motion) = (u.to_vec(), u.to_vec());
    let open = |p: &Pressure| if p.value > 0.0 { Status::Stick } else { Status::Open };
    let mut status: Vec<Status> = period.pressure.iter().map(open).collect();
    let n_columns = u.len() * samples.basis.n_coefficients() + FACTORS;
    let mut derivative =
        wants_derivative.then(|| Mat::zeros(u.len() * samples.basis.n_coefficients(), n_columns));
    if first == 1 {
        motion[0] = period.opening(local);
        forces[0] = period.pressure.iter().map(|p| joint.preload - p.value).collect();
        if let Some(derivative) = &mut derivative {
            put(derivative, 0, &period.normal_derivative(n_columns));
        }
    }
    let mut is_periodic = true;
    for t in first..u.len() {
        let thread = Thread::new(&period, t, wants_derivative);
        let found = thread.periodic();
        is_periodic &= found.is_periodic;
        for j in 0..samples.basis.n_samples() {
            let step = period.step(t, j, false);
            if status[j] != Status::Open && law.tangential.is_sliding(found.forces[j], &step) {
                status[j] = Status::Slip;
            }
        }
        forces[t] = found.forces;
        if let (Some(derivative), Some(own)) = (&mut derivative, found.derivative) {
            put(derivative, t, &own);
        }
    }
    March { forces, motion, status, is_periodic, steady: Default::default(), derivative }
}

/// Copies the rows of a direction into the whole derivative.
fn put(whole: &mut Mat<f64>, direction: usize, own: &Mat<f64>) {
    let h = own.nrows();
    whole.as_mut().subrows_mut(direction * h, h).copy_from(own);
}

/// N with its derivatives by the input u_N or λ_u,N, by u̇_N and by N₀.
#[derive(Debug, Clone, Copy)]
struct Pressure {
    value: f64,
    by_input: f64,
    by_rate: f64,
    by_preload: f64,
}

struct Period<'a> {
    joint: &'a Joint,
    law: &'a Friction,
    u: &'a [Vec<f64>],
    velocity: Vec<Vec<f64>>,
    samples: Samples<'a>,
    pressure: Vec<Pressure>,
    /// h.
    duration: f64,
}

impl<'a> Period<'a> {
    fn new(joint: &'a Joint, law: &'a Friction, u: &'a [Vec<f64>], samples: Samples<'a>) -> Self {
        let velocity: Vec<Vec<f64>> = u.iter().map(|u| velocity(u, samples)).collect();
        let has_normal = joint.rows.normal.is_some();
        let pressure = |j: usize| match has_normal {
            true => pressure(joint, law, u[0][j], velocity[0][j]),
            false => {
                Pressure { value: joint.preload, by_input: 0.0, by_rate: 0.0, by_preload: 1.0 }
            }
        };
        let pressure = (0..samples.basis.n_samples()).map(pressure).collect();
        let duration = TAU / (samples.omega * samples.basis.n_samples() as f64);
        Self { joint, law, u, velocity, samples, pressure, duration }
    }

    fn before(&self, j: usize) -> usize {
        (j + self.samples.basis.n_samples() - 1) % self.samples.basis.n_samples()
    }

    /// Step j of direction t; before the very first instant the contact stands at u = 0.
    fn step(&self, t: usize, j: usize, is_virgin: bool) -> Step<f64> {
        let before = self.before(j);
        Step {
            duration: self.duration,
            slip_before: if is_virgin { 0.0 } else { self.u[t][before] },
            slip: self.u[t][j],
            velocity: self.velocity[t][j],
            pressure_before: self.pressure[before].value,
            pressure: self.pressure[j].value,
            friction: self.joint.friction,
            static_ratio: self.law.static_ratio,
            hold: 0.0,
        }
    }

    /// Opening in the normal direction: u_N + g, or what λ_x,N = λ_u,N − λ_N makes of the operator.
    fn opening(&self, local: &Local) -> Vec<f64> {
        let (joint, input) = (self.joint, self.u[0].iter());
        if !joint.presses_exactly() {
            return input.map(|u| u + joint.gap).collect();
        }
        let opening = |(lambda, p): (&f64, &Pressure)| p.value - (joint.preload - lambda);
        input.zip(&self.pressure).map(opening).map(|x| x / local.normal).collect()
    }

    /// ∂ of the result in the normal direction: λ_N = N₀ − N of u_N, or λ_x,N.
    fn normal_derivative(&self, n_columns: usize) -> Mat<f64> {
        let sign = if self.joint.presses_exactly() { -1.0 } else { 1.0 };
        let mut collector = Collector::new(1, self.samples, n_columns);
        for (j, pressure) in self.pressure.iter().enumerate() {
            let row = collector.row_mut(0, j);
            self.add_pressure(row, j, pressure, -sign);
            row[n_columns - 2] += sign * self.joint.preload;
            if self.joint.presses_exactly() {
                add_input(row, 0, &self.samples.basis.inverse[j], 1.0);
            }
        }
        collector.finish(self.samples)
    }

    /// Adds weight · ∂N_j.
    fn add_pressure(&self, row: &mut [f64], j: usize, pressure: &Pressure, weight: f64) {
        let factors = self.u.len() * self.samples.basis.n_coefficients();
        row[factors + 1] += weight * pressure.by_preload * self.joint.preload;
        if self.joint.rows.normal.is_some() {
            add_input(row, 0, &self.samples.basis.inverse[j], weight * pressure.by_input);
            self.add_velocity(row, 0, j, weight * pressure.by_rate);
        }
    }

    /// Adds weight · ∂u̇_j.
    fn add_velocity(&self, row: &mut [f64], direction: usize, j: usize, weight: f64) {
        let factors = self.u.len() * self.samples.basis.n_coefficients();
        add_input(row, direction, &self.samples.basis.slope[j], weight * self.samples.omega);
        row[factors] += weight * self.velocity[direction][j];
    }

    /// Adds ∂ of all inputs of a step with the weights of `partials`.
    fn add_inputs(&self, row: &mut [f64], t: usize, j: usize, is_virgin: bool, partials: &[f64]) {
        let factors = self.u.len() * self.samples.basis.n_coefficients();
        let weight = |input: Input| partials[input as usize];
        let before = self.before(j);
        row[factors] -= weight(Input::Duration) * self.duration;
        row[factors + 2] += weight(Input::Friction) * self.joint.friction;
        add_input(row, t, &self.samples.basis.inverse[j], weight(Input::Slip));
        if !is_virgin {
            add_input(row, t, &self.samples.basis.inverse[before], weight(Input::SlipBefore));
        }
        self.add_velocity(row, t, j, weight(Input::Velocity));
        self.add_pressure(row, j, &self.pressure[j], weight(Input::Pressure));
        self.add_pressure(row, before, &self.pressure[before], weight(Input::PressureBefore));
    }
}

/// u̇ at every instant.
fn velocity(u: &[f64], samples: Samples) -> Vec<f64> {
    let coefficient =
        |c: usize| samples.basis.forward.row(c).iter().zip(u).map(|(f, u)| f * u).sum();
    let coefficients: Vec<f64> = (0..samples.basis.n_coefficients()).map(coefficient).collect();
    let at = |row: &Vec<f64>| row.iter().zip(&coefficients).map(|(s, c)| s * c).sum::<f64>();
    samples.basis.slope.iter().map(|row| samples.omega * at(row)).collect()
}

/// (1), or Signorini's law of λ_u,N.
fn pressure(joint: &Joint, law: &Friction, input: f64, rate: f64) -> Pressure {
    let approach = -Dual::<3>::input(input + joint.gap, 0);
    let closing = -Dual::<3>::input(rate, 1);
    let preload = Dual::<3>::input(joint.preload, 2);
    match law.normal.force(approach, closing, preload) {
        Some(Dual { value, slopes: [by_input, by_rate, by_preload] }) => {
            Pressure { value, by_input, by_rate, by_preload }
        }
        None => {
            let signorini::Pressure { value, slope, .. } =
                signorini::Pressure::new(joint, Some(input));
            Pressure { value, by_input: -slope, by_rate: 0.0, by_preload: slope }
        }
    }
}

/// One tangential direction.
struct Thread<'a> {
    period: &'a Period<'a>,
    /// Direction.
    t: usize,
    n_states: usize,
    /// Columns of harmonics and factors, where derivatives are wanted; those of the start follow.
    n_inputs: usize,
}

/// A period from given states.
struct Lap {
    forces: Vec<f64>,
    end: Vec<f64>,
    /// Largest value of every state.
    sizes: Vec<f64>,
    /// ∂(states at the end), row by row.
    slopes: Vec<Vec<f64>>,
    collector: Collector,
}

struct Found {
    forces: Vec<f64>,
    is_periodic: bool,
    derivative: Option<Mat<f64>>,
}

impl<'a> Thread<'a> {
    fn new(period: &'a Period, t: usize, wants_derivative: bool) -> Self {
        let n_states = period.law.tangential.n_states();
        let inputs = period.u.len() * period.samples.basis.n_coefficients() + FACTORS;
        Self { period, t, n_states, n_inputs: if wants_derivative { inputs } else { 0 } }
    }

    /// (3) and (4).
    fn periodic(&self) -> Found {
        let rest = vec![0.0; self.n_states];
        let virgin = self.lap(&rest, self.n_states > 0);
        let mut start = virgin.end.clone();
        let mut slopes: Vec<Vec<f64>> =
            virgin.slopes.iter().map(|row| row[..self.n_inputs].to_vec()).collect();
        let mut lap = virgin;
        let mut is_periodic = self.n_states == 0;
        for i in 0..if is_periodic { 0 } else { MAX_PERIODS } {
            lap = self.lap(&start, false);
            let inverse = self.pseudo_inverse(&lap);
            is_periodic = self.has_returned(&start, &lap);
            let is_newton = is_periodic || i % CYCLE < NEWTON_PERIODS;
            slopes = self.next_slopes(&lap, &slopes, is_newton.then_some(&inverse));
            if is_periodic {
                break;
            }
            start = match is_newton {
                true => self.newton(&start, &lap, &inverse),
                false => lap.end.clone(),
            };
        }
        let derivative = (self.n_inputs > 0).then(|| self.derivative(&lap, &slopes));
        Found { forces: lap.forces, is_periodic, derivative }
    }

    /// One period; the first one begins at u = 0.
    fn lap(&self, start: &[f64], is_virgin: bool) -> Lap {
        let period = self.period;
        let n_columns = self.n_inputs + self.n_states;
        let mut collector = Collector::new(1, period.samples, n_columns);
        let mut slopes = vec![vec![0.0; n_columns]; self.n_states];
        (0..self.n_states).for_each(|i| slopes[i][self.n_inputs + i] = 1.0);
        let (mut before, mut after) = (start.to_vec(), start.to_vec());
        let mut next = slopes.clone();
        let mut sizes: Vec<f64> = start.iter().map(|s| s.abs()).collect();
        let mut partials = Partials::default();
        let mut forces = Vec::with_capacity(period.samples.basis.n_samples());
        for j in 0..period.samples.basis.n_samples() {
            let is_first = is_virgin && j == 0;
            let step = period.step(self.t, j, is_first);
            forces.push(partials.step(&period.law.tangential, &before, &step, &mut after));
            if self.n_inputs > 0 {
                let row = collector.row_mut(0, j);
                self.differentiate(row, j, is_first, partials.force(), &slopes);
            }
            for (i, row) in next.iter_mut().enumerate() {
                row.fill(0.0);
                self.differentiate(row, j, is_first, partials.state(i), &slopes);
            }
            std::mem::swap(&mut slopes, &mut next);
            std::mem::swap(&mut before, &mut after);
            sizes.iter_mut().zip(&before).for_each(|(m, s)| *m = m.max(s.abs()));
        }
        Lap { forces, end: before, sizes, slopes, collector }
    }

    /// Adds the derivative of a force or state to its row.
    fn differentiate(
        &self,
        row: &mut [f64],
        j: usize,
        is_first: bool,
        partials: &[f64],
        slopes: &[Vec<f64>],
    ) {
        for (slope, weight) in slopes.iter().zip(&partials[Input::COUNT..]) {
            if *weight != 0.0 {
                row.iter_mut().zip(slope).for_each(|(out, value)| *out += weight * value);
            }
        }
        if self.n_inputs > 0 {
            self.period.add_inputs(row, self.t, j, is_first, partials);
        }
    }

    fn has_returned(&self, start: &[f64], lap: &Lap) -> bool {
        let mut states = start.iter().zip(&lap.end).zip(&lap.sizes);
        states.all(|((start, end), size)| (end - start).abs() <= TOL_PERIODIC * size)
    }

    /// (1 − P_q)⁺, by rows.
    fn pseudo_inverse(&self, lap: &Lap) -> Mat<f64> {
        let n = self.n_states;
        let size = |i: usize| if lap.sizes[i] > 0.0 { lap.sizes[i] } else { 1.0 };
        let entry = |i: usize, k: usize| {
            let own = f64::from(u8::from(i == k));
            (own - lap.slopes[i][self.n_inputs + k]) * size(k) / size(i)
        };
        if n == 1 {
            let value = entry(0, 0);
            let inverse = if value.abs() > TOL_NEUTRAL { 1.0 / value } else { 0.0 };
            return Mat::from_fn(1, 1, |_, _| inverse);
        }
        let Ok(svd) = Mat::from_fn(n, n, entry).svd() else { return Mat::zeros(n, n) };
        let (u, s, v) = (svd.U(), svd.S().column_vector(), svd.V());
        Mat::from_fn(n, n, |i, k| {
            let kept = (0..n).filter(|m| s[*m] > TOL_NEUTRAL);
            kept.map(|m| v[(i, m)] * u[(k, m)] / s[m]).sum::<f64>() * size(i) / size(k)
        })
    }

    /// (3)
    fn newton(&self, start: &[f64], lap: &Lap, inverse: &Mat<f64>) -> Vec<f64> {
        let n = self.n_states;
        let missing = |k: usize| lap.end[k] - start[k];
        let next = |i: usize| start[i] + (0..n).map(|k| inverse[(i, k)] * missing(k)).sum::<f64>();
        (0..n).map(next).collect()
    }

    /// (4), or without the inverse mere repetition.
    fn next_slopes(
        &self,
        lap: &Lap,
        slopes: &[Vec<f64>],
        inverse: Option<&Mat<f64>>,
    ) -> Vec<Vec<f64>> {
        let (n, columns) = (self.n_states, self.n_inputs);
        let repeated: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let mut row = lap.slopes[i][..columns].to_vec();
                for (k, slope) in slopes.iter().enumerate() {
                    let weight = lap.slopes[i][columns + k];
                    row.iter_mut().zip(slope).for_each(|(out, value)| *out += weight * value);
                }
                row
            })
            .collect();
        let Some(inverse) = inverse else { return repeated };
        let next = |i: usize, c: usize| {
            let gained = |k: usize| inverse[(i, k)] * (repeated[k][c] - slopes[k][c]);
            slopes[i][c] + (0..n).map(gained).sum::<f64>()
        };
        (0..n).map(|i| (0..columns).map(|c| next(i, c)).collect()).collect()
    }

    /// ∂λ̃: through the inputs of the period and through its start.
    fn derivative(&self, lap: &Lap, slopes: &[Vec<f64>]) -> Mat<f64> {
        let all = lap.collector.finish(self.period.samples);
        Mat::from_fn(all.nrows(), self.n_inputs, |r, c| {
            let through = slopes.iter().enumerate();
            all[(r, c)] + through.map(|(i, row)| all[(r, self.n_inputs + i)] * row[c]).sum::<f64>()
        })
    }
}
