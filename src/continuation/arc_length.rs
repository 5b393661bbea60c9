//! Following a branch through turning points.
//!
//! ```text
//! With y = (ũ/U, p/P), U the size of the solution and P the range of the parameter, a step of length s
//! along the unit tangent t predicts y_0 + s t; the corrector solves r = 0 together with
//!
//!     pseudo-arc-length:  t·(y − y_0 − s t) = 0          arc-length:  ‖y − y_0‖² = s²          (1)
//!
//!     ⎡ U ∂r/∂ũ   P ∂r/∂p ⎤ ⎡ Δy_u ⎤     ⎡ r ⎤
//!     ⎣      ∂(1)/∂y      ⎦ ⎣ Δy_p ⎦ = − ⎣ (1) ⎦                                            (2)
//! ```
//!
//! The step grows after easy points and shrinks after hard ones. The operator z of exact joints is held during a step.
//!
//! A sweep that meets a turning point goes [`around`] it: the branch turns back and, where it turns once more, comes
//! to the value beyond.

use faer::Mat;
use faer::prelude::Solve;

use super::{ArcSettings, Corrector, Path, Receiver, Step};
use crate::harmonic::newton::Newton;
use crate::harmonic::{
    Attempt, Balance, Evaluation, Linear, Parameters, Point, PointError, newton, solve_point,
};

/// Iterations at which the step is kept.
const EASY_ITERATIONS: f64 = 4.0;
const MAX_ITERATIONS: usize = 12;

/// Follows the branch from one value of the parameter until it leaves the range to the other.
pub fn arc_length(
    balance: &Balance,
    path: &Path,
    [from, to]: [f64; 2],
    settings: &ArcSettings,
    receive: &mut Receiver,
) {
    let parameters = path.held.with(path.parameter, from);
    let first = match solve_point(balance, &parameters, None, &path.newton) {
        Ok(point) => point,
        Err(error) => {
            receive(Step::Failed { parameters, error });
            return;
        }
    };
    let mut branch = Branch::new(balance, path, [from, to], &first);
    let start = branch.state(&first);
    if !receive(Step::Solved(Box::new(first))) {
        return;
    }
    let mut state = match start {
        Ok(state) => state,
        Err(error) => {
            receive(Step::Failed { parameters, error });
            return;
        }
    };
    let mut step = settings.first_step;
    let mut n_points = 1;
    while n_points < settings.max_points {
        match branch.advance(&state, step, settings.corrector) {
            Ok((point, next)) => {
                let value = point.parameters.get(path.parameter);
                if !branch.is_inside(value) {
                    branch.finish(&state, receive);
                    return;
                }
                step = settings.adapted(step, point.iterations());
                (state, n_points) = (next, n_points + 1);
                branch.size = branch.size.max(newton::norm(&state.u));
                if !receive(Step::Solved(Box::new(point))) {
                    return;
                }
            }
            Err(error) => {
                step *= 0.25;
                if step < settings.min_step {
                    receive(Step::Failed { parameters: state.parameters, error });
                    return;
                }
            }
        }
    }
}

impl ArcSettings {
    /// The step after one that took so many iterations.
    fn adapted(&self, step: f64, iterations: usize) -> f64 {
        let factor = (EASY_ITERATIONS / iterations.max(1) as f64).sqrt().clamp(0.5, 1.5);
        (step * factor).clamp(self.min_step, self.max_step)
    }
}

/// Steps of [`around`], as fractions of the way to the value; amplitudes may grow tenfold on it.
const DETOUR: ArcSettings = ArcSettings {
    corrector: Corrector::PseudoArcLength,
    first_step: 0.05,
    min_step: 1e-5,
    max_step: 0.2,
    max_points: 500,
};

/// The solution at `target` that the branch through a solution at `value` leads to, through turning points.
pub(super) fn around(
    balance: &Balance,
    path: &Path,
    (value, u): (f64, &[f64]),
    target: f64,
) -> Option<Point> {
    let parameters = path.held.with(path.parameter, value);
    let first = solve_point(balance, &parameters, Some(u), &path.newton).ok()?;
    let mut branch = Branch::new(balance, path, [value, target], &first);
    let mut state = branch.state(&first).ok()?;
    let (mut step, mut iterations) = (DETOUR.first_step, first.iterations());
    for _ in 0..DETOUR.max_points {
        let Ok((point, next)) = branch.advance(&state, step, DETOUR.corrector) else {
            step *= 0.25;
            if step < DETOUR.min_step {
                return None;
            }
            continue;
        };
        iterations += point.iterations();
        let reached = point.parameters.get(path.parameter);
        if (reached - target) * (value - target) <= 0.0 {
            let share = (target - state.value(path)) / (reached - state.value(path));
            let between = state.u.iter().zip(&next.u).map(|(a, b)| a + share * (b - a));
            let start: Vec<f64> = between.collect();
            let parameters = parameters.with(path.parameter, target);
            let mut found = solve_point(balance, &parameters, Some(&start), &path.newton).ok()?;
            let strategy = "around a turning point";
            found.attempts.push(Attempt { strategy, history: vec![], iterations });
            return Some(found);
        }
        step = DETOUR.adapted(step, point.iterations());
        state = next;
        branch.size = branch.size.max(newton::norm(&state.u));
    }
    None
}

/// A point with the direction in which the branch goes on.
struct State {
    parameters: Parameters,
    u: Vec<f64>,
    /// Unit tangent over y.
    tangent: Vec<f64>,
    /// Harmonics that are not retained, as they act on the pairs.
    tail: Vec<Vec<f64>>,
}

impl State {
    fn value(&self, path: &Path) -> f64 {
        self.parameters.get(path.parameter)
    }
}

struct Branch<'a> {
    balance: &'a Balance,
    path: &'a Path,
    range: [f64; 2],
    /// U and P.
    size: f64,
    span: f64,
    /// Direction of travel: a tangent over y.
    heading: Vec<f64>,
}

impl<'a> Branch<'a> {
    fn new(balance: &'a Balance, path: &'a Path, range: [f64; 2], first: &Point) -> Self {
        let [from, to] = range;
        let mut heading = vec![0.0; balance.size()];
        heading.push((to - from).signum());
        let size = newton::norm(&first.newton.u);
        let size = if size > 0.0 { size } else { 1.0 };
        Self { balance, path, range, size, span: (to - from).abs(), heading }
    }

    fn is_inside(&self, value: f64) -> bool {
        let [from, to] = self.range;
        (from.min(to)..=from.max(to)).contains(&value)
    }

    /// The last point, at the end of the range that the branch crosses.
    fn finish(&self, state: &State, receive: &mut Receiver) {
        let [from, to] = self.range;
        let is_rising = state.tangent[state.tangent.len() - 1] > 0.0;
        let end = if is_rising { from.max(to) } else { from.min(to) };
        let parameters = state.parameters.with(self.path.parameter, end);
        let step = match solve_point(self.balance, &parameters, Some(&state.u), &self.path.newton) {
            Ok(point) => Step::Solved(Box::new(point)),
            Err(error) => Step::Failed { parameters, error },
        };
        receive(step);
    }

    fn state(&mut self, point: &Point) -> Result<State, PointError> {
        let Point { parameters, linear, newton, .. } = point;
        let matrix =
            self.bordered(linear, parameters, &newton.u, &newton.evaluation, &self.heading)?;
        let n = self.balance.size();
        let right = Mat::from_fn(n + 1, 1, |i, _| if i == n { 1.0 } else { 0.0 });
        let solution = matrix.partial_piv_lu().solve(right);
        let length = solution.norm_l2();
        let tangent: Vec<f64> = (0..=n).map(|i| solution[(i, 0)] / length).collect();
        self.heading = tangent.clone();
        let tail = linear.tail.clone();
        Ok(State { parameters: *parameters, u: newton.u.clone(), tangent, tail })
    }

    /// The matrix of (2).
    fn bordered(
        &self,
        linear: &Linear,
        parameters: &Parameters,
        u: &[f64],
        evaluation: &Evaluation,
        closing: &[f64],
    ) -> Result<Mat<f64>, PointError> {
        let n = self.balance.size();
        let jacobian = self.balance.jacobian(linear, evaluation);
        let by_parameter = self.balance.parameter_derivative(
            linear,
            parameters,
            u,
            evaluation,
            self.path.parameter,
        )?;
        Ok(Mat::from_fn(n + 1, n + 1, |i, j| match (i < n, j < n) {
            (true, true) => self.size * jacobian[(i, j)],
            (true, false) => self.span * by_parameter[i],
            (false, _) => closing[j],
        }))
    }

    /// One step along the branch.
    fn advance(
        &mut self,
        state: &State,
        step: f64,
        corrector: Corrector,
    ) -> Result<(Point, State), PointError> {
        let n = self.balance.size();
        let start = state.parameters.get(self.path.parameter);
        // y relative to the state.
        let mut y: Vec<f64> = state.tangent.iter().map(|t| step * t).collect();
        let at = |y: &[f64]| {
            let u: Vec<f64> = state.u.iter().zip(y).map(|(u, y)| u + self.size * y).collect();
            (u, state.parameters.with(self.path.parameter, start + self.span * y[n]))
        };
        let (_, predicted) = at(&y);
        let linear = self.balance.linear(positive(predicted)?.omega)?;
        let scale = newton::scale(self.balance, &linear, &predicted);
        let locals = linear.locals;
        let mut history = Vec::new();
        loop {
            let (u, parameters) = at(&y);
            let mut linear = self.balance.linear(positive(parameters)?.omega)?;
            linear.locals = locals.clone();
            linear.tail = state.tail.clone();
            let evaluation = self.balance.evaluate(&linear, &parameters, &u, true);
            let size = newton::norm(&evaluation.residual) / scale;
            history.push(size);
            let (closing, gradient) = closing(&y, &state.tangent, step, corrector);
            if size <= self.path.newton.tolerance && closing.abs() <= 1e-6 * step {
                let newton =
                    Newton { u, history: history.clone(), has_converged: true, evaluation };
                let iterations = newton.iterations();
                let attempts = vec![Attempt { strategy: "along the branch", history, iterations }];
                let truncation = 0.0;
                let mut point = Point { parameters, linear, newton, attempts, truncation };
                point.correct(self.balance, &self.path.newton)?;
                let next = self.state(&point)?;
                return Ok((point, next));
            }
            if history.len() > MAX_ITERATIONS || !size.is_finite() {
                let iterations = history.len() - 1;
                let attempt = Attempt { strategy: "along the branch", history, iterations };
                return Err(PointError::NotConverged(vec![attempt]));
            }
            let matrix = self.bordered(&linear, &parameters, &u, &evaluation, &gradient)?;
            let mut right = evaluation.residual.clone();
            right.push(closing);
            let change = newton::solve(&matrix, &right);
            y.iter_mut().zip(change).for_each(|(y, change)| *y += change);
        }
    }
}

/// The closing equation (1) and its gradient.
fn closing(y: &[f64], tangent: &[f64], step: f64, corrector: Corrector) -> (f64, Vec<f64>) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    match corrector {
        Corrector::PseudoArcLength => (dot(tangent, y) - step, tangent.to_vec()),
        // Divided by 2s, so that it is a length too.
        Corrector::ArcLength => {
            ((dot(y, y) - step * step) / (2.0 * step), y.iter().map(|y| y / step).collect())
        }
    }
}

/// A step that leaves the physical range of a parameter is too long.
fn positive(parameters: Parameters) -> Result<Parameters, PointError> {
    let Parameters { omega, load, preload, friction, .. } = parameters;
    match omega > 0.0 && load >= 0.0 && preload >= 0.0 && friction >= 0.0 {
        true => Ok(parameters),
        false => Err(PointError::NotConverged(vec![])),
    }
}
