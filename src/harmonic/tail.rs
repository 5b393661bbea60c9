//! The tail: harmonics that are not retained, through their own flexibility.
//!
//! ```text
//! In a harmonic κ beyond the retained ones the structure answers λ_κ of the march by
//!
//!     w_κ = −Z_κ⁻¹ λ_κ                                                                      (1)
//!
//! where pairs move; those that stay stuck or closed have w_κ = 0. The march was to have x_κ = w_κ, which
//! it has for the input
//!
//!     t_κ = λ_κ + z_κ w_κ                                                                   (2)
//! ```
//!
//! A correction evaluates (1) and (2) at a solution and solves again. Where z is near Z it is small and a few
//! of them converge; the change of the motion by the last one measures what is left of the truncation. Only
//! products with the inverses of small matrices are needed, no larger Jacobian. With many pairs that stick
//! and slip in turn, or a resonance among the orders of the tail, corrections may grow; they are dropped
//! then, and more harmonics are the way to go on.
//!
//! Laws that are functions of the motion have no such tail: their force is that of the retained harmonics. What
//! truncation changes there is estimated by one Newton step with twice as many harmonics.

use faer::Mat;
use faer::prelude::Solve;
use rayon::prelude::*;

use super::balance::{Balance, Evaluation, Linear};
use super::newton::{self, Newton, NewtonSettings};
use super::point::Point;
use crate::contact::Status;
use crate::linalg::Complex;
use crate::reduction::{Condensed, Motion, ReductionError};

/// Samples per period of the highest order of the tail: beyond it steps are too coarse to be corrected.
const SAMPLES_PER_PERIOD: usize = 8;

/// Largest ratio of the changes by two corrections at which they are trusted.
const MAX_RATIO: f64 = 0.5;

/// The condensed problem of every order of the tail.
#[derive(Debug, Clone)]
pub struct Flexibility {
    orders: Vec<usize>,
    condensed: Vec<Condensed>,
}

/// λ_κ and w_κ of a row that moves.
#[derive(Clone, Copy)]
struct Answer {
    force: Complex,
    motion: Complex,
}

impl Balance {
    /// Highest order of the tail.
    pub(super) fn highest_order(&self) -> usize {
        self.basis.n_samples() / SAMPLES_PER_PERIOD
    }

    /// Orders of the tail.
    fn tail_orders(&self) -> Vec<usize> {
        (1..=self.highest_order()).filter(|order| !self.basis.harmonics().contains(order)).collect()
    }

    fn flexibility(&self, linear: &Linear) -> Result<Flexibility, ReductionError> {
        let omega = linear.omega;
        let orders = self.tail_orders();
        let condensed = orders
            .par_iter()
            .map(|order| self.condensation.at(*order as f64 * omega))
            .collect::<Result<Vec<_>, ReductionError>>()?;
        Ok(Flexibility { orders, condensed })
    }

    fn beyond<'a>(&self, linear: &'a Linear) -> Result<&'a Flexibility, ReductionError> {
        if linear.beyond.get().is_none() {
            // A second thread would find the same.
            let _ = linear.beyond.set(self.flexibility(linear)?);
        }
        Ok(linear.beyond.get().expect("set above"))
    }

    /// (1) for every order of the tail and every row that moves.
    fn answers(&self, beyond: &Flexibility, moving: &[Moving]) -> Vec<Vec<Answer>> {
        let spectra: Vec<Vec<Complex>> =
            moving.iter().map(|row| self.basis.spectrum(row.force)).collect();
        let answer = |(order, condensed): (&usize, &Condensed)| {
            let (n, z) = (moving.len(), &condensed.stiffness);
            let forces = Mat::from_fn(n, 1, |i, _| spectra[i][*order]);
            let own = Mat::from_fn(n, n, |i, j| z[(moving[i].row, moving[j].row)]);
            let motion = own.partial_piv_lu().solve(&forces);
            let of = |i: usize| Answer { force: forces[(i, 0)], motion: -motion[(i, 0)] };
            (0..n).map(of).collect()
        };
        beyond.orders.par_iter().zip(&beyond.condensed).map(answer).collect()
    }

    /// t of every row for the forces of an evaluation, (1) and (2).
    pub fn tail(
        &self,
        linear: &Linear,
        evaluation: &Evaluation,
    ) -> Result<Vec<Vec<f64>>, ReductionError> {
        let beyond = self.beyond(linear)?;
        let moving = self.moving_rows(evaluation);
        let answers = self.answers(beyond, &moving);
        let n = self.basis.n_samples();
        let mut tail = vec![vec![0.0; n]; self.condensation.n_relative()];
        for (i, row) in moving.iter().enumerate() {
            let local = &linear.locals[row.pair];
            let amplitudes = beyond.orders.iter().zip(&answers).map(|(order, answers)| {
                let Answer { force, motion } = answers[i];
                (*order, force + local.symbol(row.is_normal, self.basis.half_turn(*order)) * motion)
            });
            tail[row.row] = self.basis.sum(amplitudes);
        }
        Ok(tail)
    }

    /// Motion of the structure in the orders of the tail, where these were corrected.
    pub fn tail_motions(&self, point: &Point) -> Vec<(usize, Motion)> {
        let (Some(beyond), false) = (point.linear.beyond.get(), point.linear.tail.is_empty())
        else {
            return vec![];
        };
        let moving = self.moving_rows(&point.newton.evaluation);
        let answers = self.answers(beyond, &moving);
        let motion = |((order, condensed), answers): ((&usize, &Condensed), Vec<Answer>)| {
            let mut relative = vec![Complex::new(0.0, 0.0); self.condensation.n_relative()];
            for (row, answer) in moving.iter().zip(answers) {
                relative[row.row] = answer.motion;
            }
            (*order, self.condensation.motion(condensed, None, &relative))
        };
        beyond.orders.iter().zip(&beyond.condensed).zip(answers).map(motion).collect()
    }

    /// Exact rows that do not stay stuck or closed; the others move in the retained harmonics only.
    fn moving_rows<'a>(&self, evaluation: &'a Evaluation) -> Vec<Moving<'a>> {
        let mut rows = Vec::new();
        let marches = self.joints.iter().zip(&evaluation.marches).enumerate();
        for (pair, (joint, march)) in marches {
            let opens = march.status.contains(&Status::Open);
            let slips = opens || march.status.contains(&Status::Slip);
            for (force, row) in march.forces.iter().zip(joint.directions()) {
                let is_normal = joint.rows.normal == Some(row);
                let moves = if is_normal { opens } else { slips };
                if moves && joint.is_exact(row) {
                    rows.push(Moving { row, pair, is_normal, force });
                }
            }
        }
        rows
    }
}

impl Point {
    /// Corrects the tail until the motion does not change any more; where corrections do not converge or
    /// are not wanted, the point stays as it is and what truncation may change is estimated.
    pub fn correct(
        &mut self,
        balance: &Balance,
        settings: &NewtonSettings,
    ) -> Result<(), ReductionError> {
        let wants_estimate = balance.treatment.wants_estimate;
        if !balance.moving_rows(&self.newton.evaluation).is_empty() {
            let first = (self.newton.clone(), self.linear.tail.clone());
            if !self.follow_tail(balance, settings)? {
                (self.newton, self.linear.tail) = first;
                self.truncation = if wants_estimate { self.sensitivity(balance) } else { f64::NAN };
            }
        }
        if balance.joints.iter().any(|joint| joint.directions().any(|row| !joint.is_exact(row))) {
            let change = if wants_estimate { self.refinement(balance)? } else { f64::NAN };
            // Not max(), which would pass over a NaN.
            self.truncation = if change <= self.truncation { self.truncation } else { change };
        }
        Ok(())
    }

    /// Corrections as long as they shrink; whether they did.
    fn follow_tail(
        &mut self,
        balance: &Balance,
        settings: &NewtonSettings,
    ) -> Result<bool, ReductionError> {
        let treatment = &balance.treatment;
        if treatment.corrections == 0 {
            return Ok(false);
        }
        let mut next = balance.tail(&self.linear, &self.newton.evaluation)?;
        let mut size = distance(&next, &self.linear.tail);
        // Too few samples for an order that counts: no correction is no small correction.
        if size == 0.0 {
            return Ok(false);
        }
        for i in 0..treatment.corrections {
            self.linear.tail = next;
            let Self { linear, parameters, newton, .. } = self;
            if i == 0 {
                // The next correction is seen without solving: most that diverge are given up here.
                let trial = balance.evaluate(linear, parameters, &newton.u, false);
                if distance(&balance.tail(linear, &trial)?, &linear.tail) > MAX_RATIO * size {
                    return Ok(false);
                }
            }
            let solved = Newton::run(balance, linear, parameters, &newton.u, settings);
            self.charge(solved.iterations());
            if !solved.has_converged {
                return Ok(false);
            }
            self.truncation = balance.change(&self.newton.u, &solved.u);
            self.newton = solved;
            if self.truncation <= treatment.tolerance {
                break;
            }
            next = balance.tail(&self.linear, &self.newton.evaluation)?;
            let step = distance(&next, &self.linear.tail);
            if step > MAX_RATIO * size {
                return Ok(false);
            }
            size = step;
        }
        Ok(true)
    }

    /// Relative change of the motion, to first order, if the operator of the pairs were twice as large: in
    /// the retained harmonics it drops out, so only the others are felt.
    fn sensitivity(&self, balance: &Balance) -> f64 {
        let Self { linear, parameters, newton: at, .. } = self;
        let mut doubled = linear.clone();
        doubled.locals.iter_mut().for_each(|local| *local = local.scaled(2.0));
        let moved = balance.evaluate(&doubled, parameters, &at.u, false);
        let step = balance.factor(linear, &at.evaluation).solve(&moved.residual);
        let next: Vec<f64> = at.u.iter().zip(step).map(|(u, s)| u - s).collect();
        balance.change(&at.u, &next)
    }
}

impl Point {
    /// Relative change of the motion, to first order, with twice as many harmonics; unknown where the samples do
    /// not resolve more.
    fn refinement(&self, balance: &Balance) -> Result<f64, ReductionError> {
        let Some(basis) = balance.basis.refined() else { return Ok(f64::NAN) };
        let u = balance.basis.carried_over(&self.newton.u, &basis);
        let finer = Balance { basis, ..balance.clone() };
        let linear = finer.linear(self.parameters.omega)?;
        let evaluation = finer.evaluate(&linear, &self.parameters, &u, true);
        let step = finer.factor(&linear, &evaluation).solve(&evaluation.residual);
        let next: Vec<f64> = u.iter().zip(step).map(|(u, s)| u - s).collect();
        Ok(finer.change(&u, &next))
    }
}

/// Norm of the difference of two tails; an empty one is zero.
fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let rows = a.iter().enumerate().map(|(i, a)| {
        let b = |j: usize| b.get(i).map_or(0.0, |b| b[j]);
        a.iter().enumerate().map(|(j, a)| (a - b(j)).powi(2)).sum::<f64>()
    });
    rows.sum::<f64>().sqrt()
}

impl Balance {
    /// Change of the vibrating part of a motion, over its size.
    fn change(&self, from: &[f64], to: &[f64]) -> f64 {
        let h = self.basis.n_coefficients();
        let vibrating =
            |u: &[f64]| -> Vec<f64> { u.chunks(h).flat_map(|row| row[1..].to_vec()).collect() };
        let (from, to) = (vibrating(from), vibrating(to));
        let difference: Vec<f64> = from.iter().zip(&to).map(|(a, b)| b - a).collect();
        let size = newton::norm(&to);
        if size > 0.0 { newton::norm(&difference) / size } else { 0.0 }
    }
}

/// A direction of a pair that moves, with its force in time.
struct Moving<'a> {
    row: usize,
    pair: usize,
    is_normal: bool,
    force: &'a [f64],
}
