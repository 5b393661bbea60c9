//! Time stepping by velocities and impulses: exact contact and friction.
//!
//! ```text
//! The θ-scheme over a step h, in which P = ∫λ dt may hold shocks,
//!
//!     M (v⁺ − v) + h C v_θ + h K x_θ + BᵀP = h f_θ ,   x⁺ = x + h v_θ ,                        (1)
//!     (·)_θ = (1−θ)(·) + θ(·)⁺ ,
//!
//! is linear in v⁺. With A = M + hθ C + h²θ² K
//!
//!     v⁺ = v_free − A⁻¹BᵀP ,                                                                  (2)
//!     A v_free = (M − h(1−θ)C − h²θ(1−θ)K) v − h K x + h f_θ ,
//!     u̇_r⁺ = B v_free − W P ,   W = B A⁻¹ Bᵀ ,                                                (3)
//!
//! and P follows from (3) and the laws of contact for velocities.
//! ```
//!
//! (J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics", 1988; M. Jean, "The
//! non-smooth contact dynamics method", 1999.) A contact closes where its gap, predicted for the middle of
//! the step, is not open, and without rebound. Between events the scheme is of second order for θ = ½; the
//! instant of an event is known to within a step.

use faer::Mat;
use faer::prelude::Solve;

use super::dense::{Rows, columns};
use super::friction;
use super::impulses::Impulses;
use super::rubbing::Rub;
use super::scheme::{State, Work, combine3};
use super::system::System;

/// The matrices of (2) and (3).
#[derive(Debug, Clone)]
pub(super) struct Moreau {
    h: f64,
    theta: f64,
    from_velocity: Rows,
    from_position: Rows,
    /// h A⁻¹ times every load.
    loads: Rows,
    /// A⁻¹Bᵀ.
    response: Rows,
    impulses: Impulses,
    n_modes: usize,
    /// Number of states of friction laws.
    n_states: usize,
}

impl Moreau {
    /// Steps of length h under a combination of `loads`, each over x.
    pub fn new(system: &System, h: f64, dissipation: f64, loads: &[Vec<f64>]) -> Self {
        let theta = 0.5 + dissipation;
        let (m, c, k) =
            (&system.matrices.mass, &system.matrices.damping, &system.matrices.stiffness);
        let matrix = combine3((1.0, m), (h * theta, c), ((h * theta).powi(2), k));
        let factor = matrix.partial_piv_lu();
        let rest = 1.0 - theta;
        let velocity = combine3((1.0, m), (-h * rest, c), (-h * h * theta * rest, k));
        let (size, n, n_modes) = (system.size(), system.n_relative(), system.n_modes());
        let onto = Mat::from_fn(size, n, |i, j| f64::from(u8::from(i == n_modes + j)));
        let response = factor.solve(onto);
        let compliance = response.submatrix(n_modes, 0, n, n).to_owned();
        Self {
            h,
            theta,
            from_velocity: Rows::new(factor.solve(velocity).as_ref()),
            from_position: Rows::new((factor.solve(k) * faer::Scale(-h)).as_ref()),
            loads: Rows::new(factor.solve(columns(loads, system.size(), h)).as_ref()),
            response: Rows::new(response.as_ref()),
            impulses: Impulses::new(&system.joints, &compliance, h, theta),
            n_modes,
            n_states: friction::n_states_of(&system.joints),
        }
    }

    /// Number of states of friction laws.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// Closes the contacts that press; friction laws find their forces.
    pub fn seat(&self, state: &mut State) {
        self.impulses.seat(&state.force, &mut state.position[self.n_modes..]);
        let mut rub = Rub::default();
        rub.begin(state, self.n_modes);
        self.impulses.settle(state, &mut rub);
    }

    /// θ: how much the later of two instants counts in a load.
    pub fn later(&self) -> f64 {
        self.theta
    }

    /// (1), the loads combined by `weights`. Fails with the number of sweeps spent.
    pub fn step(&self, state: &mut State, weights: &[f64], work: &mut Work) -> Result<(), usize> {
        self.free_velocity(state, weights, work);
        work.rub.begin(state, self.n_modes);
        let (x, v) = (&state.position, &state.velocity);
        let middle = |row: usize| x[self.n_modes + row] + 0.5 * self.h * v[self.n_modes + row];
        self.impulses.close(middle, &state.force, &mut work.closing);
        state.force.iter_mut().for_each(|force| *force *= self.h);
        work.local.clear();
        work.local.extend_from_slice(&work.free[self.n_modes..]);
        self.impulses.solve(&mut state.force, &mut work.local, &work.closing, &mut work.rub)?;
        self.response.add_product(&state.force, -1.0, &mut work.free);
        for (i, next) in work.free.iter().enumerate() {
            let v = state.velocity[i];
            state.position[i] += self.h * ((1.0 - self.theta) * v + self.theta * next);
            // Shocks have none: the mean over the step.
            state.acceleration[i] = (next - v) / self.h;
            state.velocity[i] = *next;
        }
        work.local.clear();
        work.local.extend_from_slice(&state.position[self.n_modes..]);
        let (closing, shift) = (&work.closing, &mut work.step);
        if self.impulses.put_back(closing, &state.force, &mut work.local, shift)? {
            self.response.add_product(shift, -1.0, &mut state.position);
        }
        state.force.iter_mut().for_each(|impulse| *impulse /= self.h);
        self.impulses.end(&work.rub, state);
        Ok(())
    }

    /// v_free of (2).
    fn free_velocity(&self, state: &State, weights: &[f64], work: &mut Work) {
        work.free.clear();
        work.free.resize(state.position.len(), 0.0);
        self.loads.add_product(weights, 1.0, &mut work.free);
        self.from_velocity.add_product(&state.velocity, 1.0, &mut work.free);
        self.from_position.add_product(&state.position, 1.0, &mut work.free);
    }
}
