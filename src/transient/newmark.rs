//! Time stepping by accelerations, for joints with springs.
//!
//! ```text
//! Newmark with the average of Hilber, Hughes and Taylor (α = 0: average acceleration, no damping of its own):
//!
//!     x⁺ = x + h v + h²[(½−β) a + β a⁺] ,   v⁺ = v + h[(1−γ) a + γ a⁺] ,                        (1)
//!     M a⁺ + (1−α)(C v⁺ + K x⁺ + Bᵀλ⁺ − f⁺) + α(C v + K x + Bᵀλ − f) = 0 ,                      (2)
//!     γ = ½ + α ,  β = (1+α)²/4 .
//!
//! (2) is linear but for λ⁺, which depends on u_r⁺ and through (1) on its velocity. With A = M + (1−α)(hγ C + h²β K),
//!
//!     a⁺ = a_free − (1−α) A⁻¹Bᵀ λ⁺ ,   u_r⁺ = u_free − W λ⁺ ,  W = (1−α) h²β B A⁻¹Bᵀ ,           (3)
//!
//! and Newton solves u − u_free + W λ(u) = 0 with the matrix 1 + W ∂λ/∂u.
//! ```
//!
//! (N. M. Newmark, 1959; H. M. Hilber, T. J. R. Hughes and R. L. Taylor, 1977.)

use faer::Mat;
use faer::prelude::Solve;

use super::dense::{Rows, columns, combine, solve};
use super::friction;
use super::scheme::{State, Work, combine3};
use super::springs::{self, At, Before, Room};
use super::system::System;
use crate::contact::Joint;
use crate::friction::Partials;

const MAX_ITERATIONS: usize = 60;
/// Residual over the size of its terms.
const TOL_NEWTON: f64 = 1e-12;
const MIN_STEP: f64 = 1e-3;
/// An instant over a step: laws must not relax where no time passes, but the way of it must not be lost in rounding.
pub(super) const INSTANT: f64 = 1e-6;

/// The matrices of (3).
#[derive(Debug, Clone)]
pub(super) struct Newmark {
    joints: Vec<Joint>,
    h: f64,
    alpha: f64,
    beta: f64,
    gamma: f64,
    from_position: Rows,
    from_velocity: Rows,
    from_acceleration: Rows,
    /// A⁻¹ times every load.
    loads: Rows,
    /// A⁻¹Bᵀ.
    response: Rows,
    /// W.
    compliance: Rows,
    start: Start,
    n_modes: usize,
    /// Whether a law looks at velocities, and whether one asks for holding forces.
    has_rates: bool,
    needs_hold: bool,
}

/// What the acceleration at the beginning follows from: M⁻¹ times everything else.
#[derive(Debug, Clone)]
struct Start {
    from_position: Rows,
    from_velocity: Rows,
    from_force: Rows,
    loads: Rows,
}

impl Newmark {
    /// Steps of length h under a combination of `loads`, each over x.
    pub fn new(system: &System, h: f64, alpha: f64, loads: &[Vec<f64>]) -> Self {
        let (gamma, beta) = (0.5 + alpha, 0.25 * (1.0 + alpha).powi(2));
        let (m, c, k) =
            (&system.matrices.mass, &system.matrices.damping, &system.matrices.stiffness);
        let now = 1.0 - alpha;
        let matrix = combine3((1.0, m), (now * h * gamma, c), (now * h * h * beta, k));
        let factor = matrix.partial_piv_lu();
        let minus =
            |matrix: Mat<f64>| Rows::new((factor.solve(matrix) * faer::Scale(-1.0)).as_ref());
        let loads = columns(loads, system.size(), 1.0);
        let (size, n, n_modes) = (system.size(), system.n_relative(), system.n_modes());
        let onto = Mat::from_fn(size, n, |i, j| f64::from(u8::from(i == n_modes + j)));
        let response = factor.solve(&onto);
        let compliance = Mat::from_fn(n, n, |i, j| now * h * h * beta * response[(n_modes + i, j)]);
        let inverse = m.partial_piv_lu();
        let at_start =
            |matrix: &Mat<f64>| Rows::new((inverse.solve(matrix) * faer::Scale(-1.0)).as_ref());
        Self {
            joints: system.joints.clone(),
            h,
            alpha,
            beta,
            gamma,
            from_position: minus(k.clone()),
            from_velocity: minus(combine(1.0, c, now * h, k)),
            from_acceleration: minus(combine(
                now * h * (1.0 - gamma),
                c,
                now * h * h * (0.5 - beta),
                k,
            )),
            loads: Rows::new(factor.solve(&loads).as_ref()),
            response: Rows::new(response.as_ref()),
            compliance: Rows::new(compliance.as_ref()),
            start: Start {
                from_position: at_start(k),
                from_velocity: at_start(c),
                from_force: at_start(&onto),
                loads: Rows::new(inverse.solve(&loads).as_ref()),
            },
            n_modes,
            has_rates: friction::has_rates(&system.joints),
            needs_hold: friction::needs_hold(&system.joints),
        }
    }

    /// Number of states of friction laws.
    pub fn n_states(&self) -> usize {
        friction::n_states_of(&self.joints)
    }

    /// 1 − α: how much the later of two instants counts in a load.
    pub fn later(&self) -> f64 {
        1.0 - self.alpha
    }

    /// h²(β − 1/6)(a⁺ − a): about the error of x that a step from acceleration a has made.
    ///
    /// (O. C. Zienkiewicz and Y. M. Xie, "A simple error estimator and adaptive time stepping procedure for
    /// dynamic analysis", 1991.)
    pub fn error(&self, before: &[f64], after: &[f64], out: &mut Vec<f64>) {
        let factor = self.h * self.h * (self.beta - 1.0 / 6.0);
        out.clear();
        out.extend(before.iter().zip(after).map(|(a, b)| factor * (b - a)));
    }

    /// Forces and acceleration at the beginning, from position, velocity and slider forces.
    pub fn balance(&self, state: &mut State, weights: &[f64]) {
        state.acceleration.fill(0.0);
        self.start.loads.add_product(weights, 1.0, &mut state.acceleration);
        self.start.from_position.add_product(&state.position, 1.0, &mut state.acceleration);
        self.start.from_velocity.add_product(&state.velocity, 1.0, &mut state.acceleration);
        let u = &state.position[self.n_modes..];
        // The forces that would keep a contact from being accelerated, each on its own.
        let per_force = |row: usize| -self.start.from_force.row(self.n_modes + row)[row];
        let free = |row: usize| state.acceleration[self.n_modes + row];
        let hold: Vec<f64> = (0..u.len()).map(|row| free(row) / per_force(row)).collect();
        let (past, memory) = (state.force.clone(), state.memory.clone());
        let mut slope = vec![0.0; u.len() * u.len()];
        let (velocity, duration) = (&state.velocity[self.n_modes..], INSTANT * self.h);
        // An instant before it was an instant's way behind.
        let behind: Vec<f64> = u.iter().zip(velocity).map(|(u, v)| u - duration * v).collect();
        let at = At { u, velocity, per_displacement: 0.0, duration, hold: &hold, reaction: &[] };
        let before = Before { u: &behind, force: &past, memory: &memory };
        let room = Room { memory: &mut state.memory, partials: &mut Partials::default() };
        springs::evaluate(&self.joints, at, before, &mut state.force, &mut slope, room);
        self.start.from_force.add_product(&state.force, 1.0, &mut state.acceleration);
    }

    /// (1) and (2), the loads combined by `weights`. Fails with the number of iterations spent.
    pub fn step(&self, state: &mut State, weights: &[f64], work: &mut Work) -> Result<(), usize> {
        self.free_acceleration(state, weights, work);
        work.before.clear();
        work.before.extend_from_slice(&state.position[self.n_modes..]);
        let h = self.h;
        let [old, new] = [h * h * (0.5 - self.beta), h * h * self.beta];
        work.local.clear();
        for i in self.n_modes..state.position.len() {
            let moved = h * state.velocity[i] + old * state.acceleration[i] + new * work.free[i];
            work.local.push(state.position[i] + moved);
        }
        self.affine_velocity(state, work);
        self.solve(state, work)?;
        self.response.add_product(&state.force, self.alpha - 1.0, &mut work.free);
        for (i, next) in work.free.iter().enumerate() {
            let a = state.acceleration[i];
            state.position[i] += h * state.velocity[i] + old * a + new * next;
            state.velocity[i] += h * ((1.0 - self.gamma) * a + self.gamma * next);
            state.acceleration[i] = *next;
        }
        Ok(())
    }

    /// v⁺ of u_r⁺ = 0 into `work.rate`: with it v⁺ = rate + γ/(βh) u_r⁺.
    fn affine_velocity(&self, state: &State, work: &mut Work) {
        work.rate.clear();
        if !self.has_rates {
            return;
        }
        let (h, per) = (self.h, self.per_displacement());
        for i in self.n_modes..state.position.len() {
            let (x, v, a) = (state.position[i], state.velocity[i], state.acceleration[i]);
            let still = x + h * v + h * h * (0.5 - self.beta) * a;
            work.rate.push(v + h * (1.0 - self.gamma) * a - per * still);
        }
    }

    /// dv⁺/du⁺.
    fn per_displacement(&self) -> f64 {
        self.gamma / (self.beta * self.h)
    }

    /// The forces that would end the step at rest, each beside the last ones of the others, into `work.hold`.
    fn hold(&self, state: &State, work: &mut Work) {
        let per = self.per_displacement();
        work.hold.clear();
        for (i, (free, rate)) in work.local.iter().zip(&work.rate).enumerate() {
            let row = self.compliance.row(i);
            let others: f64 = row.iter().zip(&state.force).map(|(w, f)| w * f).sum();
            let moved = free - others + row[i] * state.force[i] + rate / per;
            work.hold.push(moved / row[i]);
        }
    }

    /// a_free of (3).
    fn free_acceleration(&self, state: &State, weights: &[f64], work: &mut Work) {
        work.free.clear();
        work.free.resize(state.position.len(), 0.0);
        self.loads.add_product(weights, 1.0, &mut work.free);
        self.from_position.add_product(&state.position, 1.0, &mut work.free);
        self.from_velocity.add_product(&state.velocity, 1.0, &mut work.free);
        self.from_acceleration.add_product(&state.acceleration, 1.0, &mut work.free);
        if self.alpha != 0.0 {
            self.response.add_product(&state.force, -self.alpha, &mut work.free);
        }
    }

    /// λ⁺, from the motion before and u_free in `work.local`. Fails with the number of iterations.
    fn solve(&self, state: &mut State, work: &mut Work) -> Result<(), usize> {
        let n = work.local.len();
        let past = std::mem::take(&mut work.past);
        let past = refill(past, &state.force);
        work.memory.clone_from(&state.memory);
        work.tangent.resize(n * n, 0.0);
        let mut u = refill(std::mem::take(&mut work.guess), &work.before);
        let mut size = self.residual(&u, &past, state, work);
        let mut outcome = Err(MAX_ITERATIONS);
        for _ in 0..MAX_ITERATIONS {
            let scale = n as f64 * u.iter().chain(&work.local).fold(0.0_f64, |m, u| m.max(u.abs()));
            if size <= TOL_NEWTON * scale {
                outcome = Ok(());
                break;
            }
            self.newton_step(work);
            let mut length = 1.0;
            loop {
                u.iter_mut().zip(&work.matrix[n * n..]).for_each(|(u, d)| *u += length * d);
                let next = self.residual(&u, &past, state, work);
                if next < size || length < MIN_STEP {
                    size = next;
                    break;
                }
                u.iter_mut().zip(&work.matrix[n * n..]).for_each(|(u, d)| *u -= length * d);
                length *= 0.5;
            }
        }
        (work.past, work.guess) = (past, u);
        outcome
    }

    /// u − u_free + W λ(u) into `work.step`, its size; λ into the state, slopes into `work.tangent`.
    fn residual(&self, u: &[f64], past: &[f64], state: &mut State, work: &mut Work) -> f64 {
        if self.needs_hold {
            self.hold(state, work);
        }
        let per = self.per_displacement();
        work.velocity.clear();
        work.velocity.extend(u.iter().zip(&work.rate).map(|(u, rate)| rate + per * u));
        let at = At {
            u,
            velocity: &work.velocity,
            per_displacement: per,
            duration: self.h,
            hold: &work.hold,
            reaction: &[],
        };
        let before = Before { u: &work.before, force: past, memory: &work.memory };
        let room = Room { memory: &mut state.memory, partials: &mut work.partials };
        springs::evaluate(&self.joints, at, before, &mut state.force, &mut work.tangent, room);
        work.step.clear();
        work.step.extend(u.iter().zip(&work.local).map(|(u, free)| u - free));
        self.compliance.add_product(&state.force, 1.0, &mut work.step);
        work.step.iter().fold(0.0, |sum: f64, r| sum + r.abs())
    }

    /// −(1 + W ∂λ/∂u)⁻¹ times `work.step`, behind the matrix in `work.matrix`.
    fn newton_step(&self, work: &mut Work) {
        let n = work.local.len();
        work.matrix.clear();
        for i in 0..n {
            for j in 0..n {
                let through = (0..n).map(|k| self.compliance.row(i)[k] * work.tangent[k * n + j]);
                let own = f64::from(u8::from(i == j));
                work.matrix.push(own + through.sum::<f64>());
            }
        }
        work.matrix.extend(work.step.iter().map(|r| -r));
        let (matrix, right) = work.matrix.split_at_mut(n * n);
        solve(matrix, right);
    }
}

fn refill(mut buffer: Vec<f64>, values: &[f64]) -> Vec<f64> {
    buffer.clear();
    buffer.extend_from_slice(values);
    buffer
}
