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

use super::{ArcSettings, Corrector, End, Path, Receiver, Step};
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
) -> End {
    let parameters = path.held.with(path.parameter, from);
    let fail = |receive: &mut Receiver, error| {
        receive(Step::Failed { parameters, error });
        End::Lost
    };
    let first = match solve_point(balance, &parameters, None, &path.newton) {
        Ok(point) => point,
        Err(error) => return fail(receive, error),
    };
    let walk = Walk::new(Branch::new(balance, path, [from, to], &first), &first, settings);
    if !receive(Step::Solved(Box::new(first))) {
        return End::Unwanted;
    }
    let mut walk = match walk {
        Ok(walk) => walk,
        Err(error) => return fail(receive, error),
    };
    loop {
        match walk.next() {
            Next::Point { before, point } => {
                if !walk.branch.is_inside(point.parameters.get(path.parameter)) {
                    walk.branch.finish(&before, receive);
                    return End::Range;
                }
                if !receive(Step::Solved(point)) {
                    return End::Unwanted;
                }
            }
            Next::Full => return End::Full,
            Next::Lost(error) => {
                receive(Step::Failed { parameters: walk.state.parameters, error });
                return End::Lost;
            }
        }
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
    let branch = Branch::new(balance, path, [value, target], &first);
    let mut walk = Walk::new(branch, &first, &DETOUR).ok()?;
    let mut iterations = first.iterations();
    loop {
        let Next::Point { before, point } = walk.next() else { return None };
        iterations += point.iterations();
        let reached = point.parameters.get(path.parameter);
        if (reached - target) * (value - target) <= 0.0 {
            let share = (target - before.value(path)) / (reached - before.value(path));
            let between = before.u.iter().zip(&point.newton.u).map(|(a, b)| a + share * (b - a));
            let start: Vec<f64> = between.collect();
            let parameters = parameters.with(path.parameter, target);
            let mut found = solve_point(balance, &parameters, Some(&start), &path.newton).ok()?;
            let strategy = "around a turning point";
            found.attempts.insert(0, Attempt { strategy, history: vec![], iterations });
            return Some(found);
        }
    }
}

/// Point after point along a branch, in steps that grow after easy points and shrink after hard ones.
struct Walk<'a> {
    branch: Branch<'a>,
    state: State,
    step: f64,
    n_points: usize,
    settings: &'a ArcSettings,
}

/// What comes next on a branch.
enum Next {
    /// A point, with the state it was reached from.
    Point { before: State, point: Box<Point> },
    /// It has as many points as are allowed.
    Full,
    /// None at any step length.
    Lost(PointError),
}

impl<'a> Walk<'a> {
    fn new(
        mut branch: Branch<'a>,
        first: &Point,
        settings: &'a ArcSettings,
    ) -> Result<Self, PointError> {
        let state = branch.state(first)?;
        Ok(Self { branch, state, step: settings.first_step, n_points: 1, settings })
    }

    fn next(&mut self) -> Next {
        if self.n_points >= self.settings.max_points {
            return Next::Full;
        }
        loop {
            match self.branch.advance(&self.state, self.step, self.settings.corrector) {
                Ok((point, next)) => {
                    self.step = self.settings.adapted(self.step, point.iterations());
                    self.n_points += 1;
                    self.branch.size = self.branch.size.max(newton::norm(&next.u));
                    let before = std::mem::replace(&mut self.state, next);
                    return Next::Point { before, point: Box::new(point) };
                }
                Err(error) => {
                    self.step *= 0.25;
                    if self.step < self.settings.min_step {
                        return Next::Lost(error);
                    }
                }
            }
        }
    }
}

impl ArcSettings {
    /// The step after one that took so many iterations.
    fn adapted(&self, step: f64, iterations: usize) -> f64 {
        let factor = (EASY_ITERATIONS / iterations.max(1) as f64).sqrt().clamp(0.5, 1.5);
        // Not clamp(), which panics where max_step is smaller than min_step.
        (step * factor).max(self.min_step).min(self.max_step)
    }
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
            let is_solved =
                size <= self.path.newton.tolerance && evaluation.is_periodic(&self.balance.joints);
            if is_solved && closing.abs() <= 1e-6 * step {
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
