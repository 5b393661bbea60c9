//! Solutions at given values of the parameter, one after the other.

use super::arc_length::around;
use super::{KnownMotion, Ladder, Path, Predictor, Receiver, Step};
use crate::harmonic::{Balance, Parameters, Point, PointError, newton, solve_point};

/// How often the way to a point that does not converge is halved.
const MAX_HALVINGS: usize = 4;

/// Solves at every value; each start is predicted from the points before.
///
/// At a frequency with a known motion, the solve starts from that motion. A failed point does not end the sweep: the
/// next one starts from the last that converged. A point whose truncation error is too large is solved again with
/// more harmonics, and those after it begin with as many; where that fails, the next point tries them again.
pub fn sequential<'a>(
    ladder: impl Into<Ladder<'a>>,
    path: &Path,
    values: &[f64],
    predictor: Predictor,
    receive: &mut Receiver,
) {
    let Ladder { rungs, tolerance, motions } = ladder.into();
    let mut sweep = Sweep { balance: &rungs[0], path, predictor, motions, known: vec![] };
    let mut rung = 0;
    for &value in values {
        let parameters = path.held.with(path.parameter, value);
        let mut outcome = sweep.solve(&parameters);
        while let Ok(point) = &outcome
            && point.truncation > tolerance
            && let Some(balance) = rungs.get(rung + 1)
            && let Some(better) = sweep.climb(balance, point)
        {
            rung += 1;
            outcome = Ok(better);
        }
        let step = match outcome {
            Ok(point) => {
                sweep.remember(&point);
                Step::Solved(Box::new(point))
            }
            Err(error) => Step::Failed { parameters, error },
        };
        if !receive(step) {
            return;
        }
    }
}

/// A converged point as far as predictions need it.
struct Known {
    value: f64,
    u: Vec<f64>,
    /// ∂ũ/∂p, where the tangent is wanted.
    slope: Option<Vec<f64>>,
}

struct Sweep<'a> {
    balance: &'a Balance,
    path: &'a Path,
    predictor: Predictor,
    motions: &'a [KnownMotion],
    /// The last two points.
    known: Vec<Known>,
}

impl<'a> Sweep<'a> {
    fn solve(&self, parameters: &Parameters) -> Result<Point, PointError> {
        let motion = self.motions.iter().find(|motion| motion.is_at(parameters.omega));
        let prediction = motion
            .map(|motion| motion.coefficients(&self.balance.basis))
            .or_else(|| self.predict(parameters.get(self.path.parameter)));
        let outcome =
            solve_point(self.balance, parameters, prediction.as_deref(), &self.path.newton);
        match (outcome, self.known.last()) {
            (Err(PointError::NotConverged(attempts)), Some(known)) => {
                let target = parameters.get(self.path.parameter);
                around(self.balance, self.path, (known.value, &known.u), target)
                    .or_else(|| self.approach(parameters, known))
                    .ok_or(PointError::NotConverged(attempts))
            }
            (outcome, _) => outcome,
        }
    }

    /// Goes over to more harmonics, and solves a point with them.
    fn climb(&mut self, balance: &'a Balance, point: &Point) -> Option<Point> {
        let (from, to) = (self.balance.basis.n_coefficients(), balance.basis.n_coefficients());
        let padded = |u: &[f64]| -> Vec<f64> {
            u.chunks(from).flat_map(|row| [row, &vec![0.0; to - from]].concat()).collect()
        };
        let start = padded(&point.newton.u);
        let mut better =
            solve_point(balance, &point.parameters, Some(&start), &self.path.newton).ok()?;
        better.charge(point.iterations());
        for known in &mut self.known {
            known.u = padded(&known.u);
            known.slope = known.slope.as_deref().map(padded);
        }
        self.balance = balance;
        Some(better)
    }

    fn predict(&self, value: f64) -> Option<Vec<f64>> {
        let last = self.known.last()?;
        let line = |slope: &dyn Fn(usize) -> f64| {
            let step = value - last.value;
            last.u.iter().enumerate().map(|(i, u)| u + step * slope(i)).collect()
        };
        let before = self.known.len().checked_sub(2).map(|i| &self.known[i]);
        Some(match (self.predictor, before, &last.slope) {
            (Predictor::Secant, Some(before), _) => {
                line(&|i| (last.u[i] - before.u[i]) / (last.value - before.value))
            }
            (Predictor::Tangent, _, Some(slope)) => line(&|i| slope[i]),
            _ => last.u.clone(),
        })
    }

    /// Goes to a stubborn point in smaller steps from the last that converged.
    fn approach(&self, parameters: &Parameters, known: &Known) -> Option<Point> {
        let target = parameters.get(self.path.parameter);
        let (mut value, mut u) = (known.value, known.u.clone());
        let mut step = 0.5 * (target - value);
        let smallest = (target - value).abs() / f64::from(1 << MAX_HALVINGS);
        let mut iterations = 0;
        while step.abs() >= smallest {
            let is_last = (target - value).abs() <= step.abs() * (1.0 + 1e-12);
            let next = if is_last { target } else { value + step };
            let at = parameters.with(self.path.parameter, next);
            match solve_point(self.balance, &at, Some(&u), &self.path.newton) {
                Ok(mut point) if is_last => {
                    point.charge(iterations);
                    return Some(point);
                }
                Ok(point) => {
                    iterations += point.iterations();
                    (value, u) = (next, point.newton.u);
                }
                Err(_) => step *= 0.5,
            }
        }
        None
    }

    fn remember(&mut self, point: &Point) {
        let value = point.parameters.get(self.path.parameter);
        let slope = (self.predictor == Predictor::Tangent).then(|| self.slope(point)).flatten();
        // Two points at one value have no line through them.
        self.known.retain(|known| known.value != value);
        self.known.push(Known { value, u: point.newton.u.clone(), slope });
        if self.known.len() > 2 {
            self.known.remove(0);
        }
    }

    /// ∂ũ/∂p = −J⁻¹ ∂r/∂p.
    fn slope(&self, point: &Point) -> Option<Vec<f64>> {
        let Point { parameters, linear, newton: solution, .. } = point;
        let parameter = self.path.parameter;
        let by_parameter = self.balance.parameter_derivative(
            linear,
            parameters,
            &solution.u,
            &solution.evaluation,
            parameter,
        );
        let factor = self.balance.factor(linear, &solution.evaluation);
        let slope = newton::negative(factor.solve(&by_parameter.ok()?));
        slope.iter().all(|s| s.is_finite()).then_some(slope)
    }
}
