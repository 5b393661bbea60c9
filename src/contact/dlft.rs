//! Exact contact and friction by the dynamic Lagrangian frequency-time method (DLFT).
//!
//! ```text
//! λ = λ_u − λ_x with λ_u = f_r − Z u + z(u + g) known from the iterate and λ_x = z x built here, so that
//! x and λ obey the laws; z is the operator of `local`. With P = N₀ − λ_u,N, in the normal direction
//!
//!     N = max(0, P) ,   λ_x,N = N − P                                                        (1)
//!
//! and in the tangential ones, with D = I + C + k, the force p that holds the pair, and L = μN,
//!
//!     p = λ_u,j + I Δ_{j−1} − k x_{j−1}                                                      (2)
//!     stick   ‖p‖ < L :    λ = p ,                                                           (3)
//!     slip    ‖p‖ ≥ L :    λ = p L/‖p‖ ,   Δ_j = (p − λ)/D ,   λ_x = λ_u − λ                   (4)
//!
//! Separation is slip with L = 0. Derivatives (Tubita 2023, A.13–A.21, corrected in the project's digest,
//! section 5.5, where I = C = 0):
//!
//!     d(p − λ) = dp (1 − L/‖p‖) − (p/‖p‖) dL + L p (p·dp)/‖p‖³                                (5)
//!
//! As a way to a start (1), (3) and (4) can be rounded to one smooth law with a sharpness n:
//!
//!     λ = p w ,   w = (1 + qⁿ)^(−1/n) ,  q = ‖p‖/L ,                                        (6)
//!     N = (P + √(P² + (2s/n)²))/2                                                            (7)
//!
//! with a force s; the limits for n → ∞ are w = min(1, 1/q) and N = max(0, P).
//! ```
//!
//! A pair starts at x = 0, the position at which the faces were pressed together. If slow loading, I = C = 0,
//! moves it to a place where it stays (shakedown), it stays there. Otherwise it slips in every period; the
//! end of a march is an affine function of its start as long as no status changes, so a period that ends as
//! it began is found by Newton's method.
// Instants and directions index several lists at once.
#![allow(clippy::needless_range_loop)]

use faer::Mat;
use faer::prelude::Solve;

mod line;

use super::collector::{Collector, add_input};
use super::corner::Corner;
use super::signorini::Pressure;
use super::{Joint, Local, March, Samples, Status};

const MAX_PERIODS: usize = 200;
/// Slow periods in which a pair must have found its place; one direction needs two.
const MAX_SHAKEDOWN_PERIODS: usize = 4;
/// Of so many periods the first are Newton's method and the others mere repetition, for statuses that change
/// to and fro.
const CYCLE: usize = 20;
const NEWTON_PERIODS: usize = 12;
/// Periods of a rounded law.
const ROUNDED_PERIODS: usize = 12;
const TOL_PERIODIC: f64 = 1e-12;

/// Marches λ_u over the period; the result is λ_x.
pub(super) fn march(
    joint: &Joint,
    local: &Local,
    lambda_u: Vec<Vec<f64>>,
    samples: Samples,
    wants_derivative: bool,
) -> March {
    if joint.rows.tangents.len() < 2 && joint.sharpness.is_infinite() {
        return line::march(joint, local, lambda_u, samples, wants_derivative);
    }
    general(joint, local, &lambda_u, samples, wants_derivative)
}

/// Any number of directions, corners exact or rounded, derivatives carried through the period.
fn general(
    joint: &Joint,
    local: &Local,
    lambda_u: &[Vec<f64>],
    samples: Samples,
    wants_derivative: bool,
) -> March {
    let period = Period::new(joint, local, lambda_u, samples);
    let (mut run, is_periodic) = if joint.sharpness.is_finite() {
        (period.settled(wants_derivative), true)
    } else if let Some(n_periods) = period.shakedown() {
        return period.stuck(n_periods, wants_derivative);
    } else {
        let (start, is_periodic) = period.periodic_start();
        (Run::new(&period, start, wants_derivative), is_periodic)
    };
    let (mut values, mut motion) = (period.empty(), period.empty());
    let mut status = Vec::with_capacity(samples.basis.n_samples());
    for j in 0..samples.basis.n_samples() {
        status.push(run.step(j));
        run.store(j, &mut values, &mut motion);
    }
    March {
        forces: period.forces(&values),
        derivative: run.derivative(),
        motion,
        status,
        is_periodic,
        steady: Default::default(),
    }
}

/// Place and last step in each tangential direction \[m\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct State {
    x: [f64; 2],
    step: [f64; 2],
}

#[derive(Clone, Copy)]
struct Period<'a> {
    joint: &'a Joint,
    local: &'a Local,
    lambda_u: &'a [Vec<f64>],
    samples: Samples<'a>,
    n_tangents: usize,
    /// First tangential direction: 1 behind a normal one.
    tangent: usize,
}

impl<'a> Period<'a> {
    fn new(
        joint: &'a Joint,
        local: &'a Local,
        lambda_u: &'a [Vec<f64>],
        samples: Samples<'a>,
    ) -> Self {
        let n_tangents = joint.rows.tangents.len();
        let tangent = usize::from(joint.rows.normal.is_some());
        Self { joint, local, lambda_u, samples, n_tangents, tangent }
    }

    /// (1) or (7)
    fn pressure(&self, j: usize) -> Pressure {
        Pressure::new(self.joint, (self.tangent == 1).then(|| self.lambda_u[0][j]))
    }

    fn empty(&self) -> Vec<Vec<f64>> {
        vec![vec![0.0; self.samples.basis.n_samples()]; self.lambda_u.len()]
    }

    /// λ = λ_u − λ_x.
    fn forces(&self, values: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let force = |(u, x): (&Vec<f64>, &Vec<f64>)| u.iter().zip(x).map(|(u, x)| u - x).collect();
        self.lambda_u.iter().zip(values).map(force).collect()
    }

    /// The operator of slow loading.
    fn quasi_static(&self) -> Local {
        Local { inertia: 0.0, damping: 0.0, ..*self.local }
    }

    /// Number of slow periods after which a closed pair stays where it is, if it does.
    fn shakedown(&self) -> Option<usize> {
        let opens = (0..self.samples.basis.n_samples()).any(|j| self.pressure(j).raw <= 0.0);
        if opens && self.n_tangents > 0 {
            return None;
        }
        let local = self.quasi_static();
        let slow = Period { local: &local, ..*self };
        let mut run = Run::new(&slow, State::default(), false);
        let mut before = f64::INFINITY;
        for i in 0..MAX_SHAKEDOWN_PERIODS {
            run.travel = 0.0;
            let scale = run.whole_period();
            if run.travel <= TOL_PERIODIC * scale {
                return Some(i);
            }
            // A pair that goes as far as in the period before will not come to rest.
            if i > 1 && run.travel >= (1.0 - TOL_PERIODIC) * before {
                return None;
            }
            before = run.travel;
        }
        None
    }

    /// The march of a pair that stays where `n_periods` of slow loading have brought it.
    fn stuck(&self, n_periods: usize, wants_derivative: bool) -> March {
        let local = self.quasi_static();
        let slow = Period { local: &local, ..*self };
        let mut run = Run::new(&slow, State::default(), wants_derivative && n_periods > 0);
        (0..n_periods).for_each(|_| {
            run.whole_period();
        });
        let (mut values, mut motion) = (self.empty(), self.empty());
        for t in 0..self.n_tangents {
            values[self.tangent + t].fill(self.local.stiffness * run.state.x[t]);
            motion[self.tangent + t].fill(run.state.x[t]);
        }
        let mut status = vec![Status::Stick; self.samples.basis.n_samples()];
        for j in 0..self.samples.basis.n_samples() {
            let pressure = self.pressure(j);
            if self.tangent == 1 {
                values[0][j] = pressure.value - pressure.raw;
                motion[0][j] = values[0][j] / self.local.normal;
            }
            if pressure.raw <= 0.0 {
                status[j] = Status::Open;
            }
        }
        let derivative = wants_derivative.then(|| self.stuck_derivative(&run));
        let forces = self.forces(&values);
        March { forces, derivative, motion, status, is_periodic: true, steady: Default::default() }
    }

    /// Only the place depends on the input, and the normal force where it is rounded or open.
    fn stuck_derivative(&self, run: &Run) -> Mat<f64> {
        let h = self.samples.basis.n_coefficients();
        let n_columns = self.lambda_u.len() * h + 1;
        let mut collector = Collector::new(self.lambda_u.len(), self.samples, n_columns);
        if self.tangent == 1 {
            for j in 0..self.samples.basis.n_samples() {
                let weight = 1.0 - self.pressure(j).slope;
                collector.add_input(0, j, 0, &self.samples.basis.inverse[j], weight);
            }
        }
        let mut result = collector.finish(self.samples);
        for t in 0..self.n_tangents {
            let row = (self.tangent + t) * h;
            for c in 0..n_columns.min(run.n_inputs) {
                result[(row, c)] = self.local.stiffness * run.dx[t][c];
            }
        }
        result
    }

    /// A rounded law creeps as long as there is a force: instead of its periodic state, what a number of
    /// periods has made of x = 0, which depends smoothly on the input.
    fn settled(&self, wants_derivative: bool) -> Run<'_> {
        let mut run = Run::new(self, State::default(), wants_derivative);
        let collector = run.collector.take();
        (0..ROUNDED_PERIODS).for_each(|_| {
            run.whole_period();
        });
        run.collector = collector;
        run
    }

    /// The state with which a period begins and ends, and whether it was found.
    fn periodic_start(&self) -> (State, bool) {
        let mut state = State::default();
        for i in 0..MAX_PERIODS {
            let mut run = Run::new(self, state, false);
            let scale = run.whole_period();
            let mismatch = self.mismatch(&state, &run.state);
            if mismatch.iter().all(|m| m.abs() <= TOL_PERIODIC * scale) {
                return (run.state, true);
            }
            state = match i % CYCLE < NEWTON_PERIODS {
                true => run.newton_start(&state).unwrap_or(run.state),
                false => run.state,
            };
        }
        (state, false)
    }

    /// Differences of two states, as forces.
    fn mismatch(&self, a: &State, b: &State) -> [f64; 4] {
        let Local { inertia, stiffness, .. } = *self.local;
        let place = |t: usize| stiffness * (b.x[t] - a.x[t]);
        let step = |t: usize| inertia * (b.step[t] - a.step[t]);
        [place(0), step(0), place(1), step(1)]
    }
}

/// A march under way: state, λ_x of the last instant, and derivatives of both.
///
/// Columns of the derivatives: where wanted the harmonics of λ_u, direction by direction, and a factor of
/// μ; then always the state at the start, (x, Δ) of each direction.
struct Run<'a> {
    period: &'a Period<'a>,
    state: State,
    /// λ_x: normal and tangential.
    normal: f64,
    value: [f64; 2],
    dx: [Vec<f64>; 2],
    dstep: [Vec<f64>; 2],
    /// d(p − λ) and dp, as scratch.
    moved: [Vec<f64>; 2],
    trial: [Vec<f64>; 2],
    /// Number of columns before those of the start.
    n_inputs: usize,
    /// Σ |p − λ|: zero for a pair that stays.
    travel: f64,
    collector: Option<Collector>,
}

impl<'a> Run<'a> {
    fn new(period: &'a Period, state: State, wants_derivative: bool) -> Self {
        let h = period.samples.basis.n_coefficients();
        let n_inputs = if wants_derivative { period.lambda_u.len() * h + 1 } else { 0 };
        let n_columns = n_inputs + 2 * period.n_tangents;
        let rows = || -> [Vec<f64>; 2] {
            std::array::from_fn(|t| vec![0.0; if t < period.n_tangents { n_columns } else { 0 }])
        };
        let (mut dx, mut dstep) = (rows(), rows());
        for t in 0..period.n_tangents {
            dx[t][n_inputs + 2 * t] = 1.0;
            dstep[t][n_inputs + 2 * t + 1] = 1.0;
        }
        let collector = wants_derivative
            .then(|| Collector::new(period.lambda_u.len(), period.samples, n_columns));
        let (moved, trial) = (rows(), rows());
        Self {
            period,
            state,
            normal: 0.0,
            value: [0.0; 2],
            dx,
            dstep,
            moved,
            trial,
            n_inputs,
            travel: 0.0,
            collector,
        }
    }

    /// A whole period; the largest force met.
    fn whole_period(&mut self) -> f64 {
        let mut largest = self.period.joint.preload;
        for j in 0..self.period.samples.basis.n_samples() {
            self.step(j);
            largest = self.value.iter().fold(largest, |m, value| m.max(value.abs()));
        }
        largest
    }

    fn store(&self, j: usize, values: &mut [Vec<f64>], motion: &mut [Vec<f64>]) {
        let first = self.period.tangent;
        if first == 1 {
            values[0][j] = self.normal;
            motion[0][j] = self.normal / self.period.local.normal;
        }
        for t in 0..self.period.n_tangents {
            values[first + t][j] = self.value[t];
            motion[first + t][j] = self.state.x[t];
        }
    }

    /// One instant.
    fn step(&mut self, j: usize) -> Status {
        let period = self.period;
        let pressure = period.pressure(j);
        let Local { inertia, stiffness, .. } = *period.local;
        self.normal = pressure.value - pressure.raw;
        let limit = period.joint.friction * pressure.value;
        let mut p = [0.0; 2];
        for t in 0..period.n_tangents {
            let rest = stiffness * self.state.x[t] - inertia * self.state.step[t];
            p[t] = period.lambda_u[period.tangent + t][j] - rest;
        }
        let norm = if period.n_tangents == 1 { p[0].abs() } else { p[0].hypot(p[1]) };
        let corner = Corner::new(norm, limit, period.joint.sharpness);
        let direction = p.map(|p| if norm > 0.0 { p / norm } else { 0.0 });
        self.travel += norm * (1.0 - corner.share);
        self.differentiate(j, direction, &pressure, &corner);
        let hold = period.local.step_stiffness();
        for t in 0..period.n_tangents {
            let rest = stiffness * self.state.x[t] - inertia * self.state.step[t];
            let moved = p[t] * (1.0 - corner.share);
            self.value[t] = rest + moved;
            self.state.step[t] = moved / hold;
            self.state.x[t] += self.state.step[t];
        }
        match norm < limit || (period.n_tangents == 0 && pressure.raw > 0.0) {
            _ if pressure.raw <= 0.0 => Status::Open,
            true => Status::Stick,
            false => Status::Slip,
        }
    }

    /// (5), or the derivative of (6), carried to dx, dΔ and dλ_x.
    fn differentiate(
        &mut self,
        j: usize,
        direction: [f64; 2],
        pressure: &Pressure,
        corner: &Corner,
    ) {
        let period = self.period;
        let Local { inertia, stiffness, .. } = *period.local;
        let (first, hold) = (period.tangent, period.local.step_stiffness());
        let inverse = &period.samples.basis.inverse[j];
        if let Some(collector) = self.collector.as_mut().filter(|_| first == 1) {
            collector.add_input(0, j, 0, inverse, 1.0 - pressure.slope);
        }
        let is_held = corner.share == 1.0 && corner.fall == 0.0;
        for t in 0..period.n_tangents {
            for ((trial, dx), dstep) in
                self.trial[t].iter_mut().zip(&self.dx[t]).zip(&self.dstep[t])
            {
                *trial = inertia * dstep - stiffness * dx;
            }
            if let Some(collector) = &mut self.collector {
                collector.add_row(first + t, j, &self.trial[t], -1.0);
            }
            if self.n_inputs > 0 && !is_held {
                add_input(&mut self.trial[t], first + t, inverse, 1.0);
            }
        }
        for t in 0..period.n_tangents {
            if is_held {
                self.dstep[t].fill(0.0);
                continue;
            }
            self.moved[t].fill(0.0);
            for s in 0..period.n_tangents {
                let own = f64::from(u8::from(t == s));
                let weight = own * (1.0 - corner.share) + corner.fall * direction[t] * direction[s];
                let rows = self.moved[t].iter_mut().zip(&self.trial[s]);
                rows.for_each(|(out, trial)| *out += weight * trial);
            }
            if self.n_inputs > 0 {
                let slide = direction[t] * corner.slide * period.joint.friction;
                if first == 1 {
                    add_input(&mut self.moved[t], 0, inverse, slide * pressure.slope);
                }
                self.moved[t][self.n_inputs - 1] -= slide * pressure.value;
            }
            if let Some(collector) = &mut self.collector {
                collector.add_row(first + t, j, &self.moved[t], 1.0);
            }
            let rows = self.moved[t].iter().zip(&mut self.dx[t]).zip(&mut self.dstep[t]);
            rows.for_each(|((moved, dx), dstep)| {
                *dstep = moved / hold;
                *dx += *dstep;
            });
        }
    }

    /// 1 − ∂end/∂start.
    fn open_loop(&self) -> Mat<f64> {
        let n = 2 * self.period.n_tangents;
        Mat::from_fn(n, n, |i, j| {
            let row = if i % 2 == 0 { &self.dx[i / 2] } else { &self.dstep[i / 2] };
            f64::from(u8::from(i == j)) - row[self.n_inputs + j]
        })
    }

    /// The start from which this march would have ended as it began.
    fn newton_start(&self, start: &State) -> Option<State> {
        let n = 2 * self.period.n_tangents;
        let end = |state: &State, i: usize| match i % 2 {
            0 => state.x[i / 2],
            _ => state.step[i / 2],
        };
        let right = Mat::from_fn(n, 1, |i, _| end(&self.state, i) - end(start, i));
        let change = self.open_loop().partial_piv_lu().solve(right);
        let mut next = *start;
        for t in 0..self.period.n_tangents {
            next.x[t] += change[(2 * t, 0)];
            next.step[t] += change[(2 * t + 1, 0)];
        }
        next.x.iter().chain(&next.step).all(|v| v.is_finite()).then_some(next)
    }

    /// The derivative with the start following the input: ∂/∂input + ∂/∂start (1 − S)⁻¹ ∂end/∂input.
    fn derivative(&mut self) -> Option<Mat<f64>> {
        let collector = self.collector.take()?;
        let (n, n_inputs) = (2 * self.period.n_tangents, self.n_inputs);
        let all = collector.finish(self.period.samples);
        let mut result = all.as_ref().subcols(0, n_inputs).to_owned();
        if self.period.joint.sharpness.is_finite() {
            return Some(result);
        }
        let end = Mat::from_fn(n, n_inputs, |i, c| {
            if i % 2 == 0 { self.dx[i / 2][c] } else { self.dstep[i / 2][c] }
        });
        let start = self.open_loop().partial_piv_lu().solve(&end);
        result += all.as_ref().subcols(n_inputs, n) * start;
        Some(result)
    }
}

#[cfg(test)]
mod tests;
