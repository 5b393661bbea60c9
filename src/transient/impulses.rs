//! Signorini and Coulomb for velocities and impulses, all pairs of a step together.
//!
//! ```text
//! With g = g_free − W P at the end of the step, p = hN₀ − P_N ≥ 0 the impulse of the pressure and
//! the bound b = μ p (b = μ h N₀ where the nodes cannot move along the normal):
//!
//!     closed   0 ≤ g_N ⊥ p ≥ 0 ,      open   p = 0                                            (1)
//!     stick    g_T = 0 , ‖P_T‖ ≤ b ,  slip   P_T = b g_T/‖g_T‖                                (2)
//!
//! Both are projections, repeated pair by pair until nothing moves (projected Gauss–Seidel):
//!
//!     P_N ← min(hN₀, P_N + g_N/W_NN) ,   P_T ← proj_b(P_T + g_T/w_T) ,                          (3)
//!
//! w_T the larger eigenvalue of W_TT. Velocities alone would leave a pair where it landed, which is a
//! different depth in every period; so positions are corrected along the same directions, by shifts ν with
//!
//!     u_N − (W ν)_N = −g   of all pairs that press, ν = 0 of the others.                        (4)
//! ```
//!
//! Pairs with a friction law of the library have the impulses of `rubbing` in place of (2).
//!
//! One pair with a prescribed normal load and one direction is exact after one projection. The impulses of
//! the step before are the start.

use faer::Mat;

use super::dense::Rows;
use super::record::largest;
use super::rubbing::{self, Beside, Rub, Rubbing};
use super::scheme::State;
use crate::contact::Joint;

const MAX_SWEEPS: usize = 20_000;
/// Change of an impulse, over the largest, at which the projections have settled.
const TOL_SETTLED: f64 = 1e-13;

#[derive(Debug, Clone)]
struct Pair {
    normal: Option<usize>,
    tangents: Vec<usize>,
    friction: f64,
    /// hN₀.
    preload: f64,
    gap: f64,
    /// 1/w_T.
    mobility: f64,
    /// What friction does, unless it is Coulomb's.
    rubbing: Option<Rubbing>,
}

/// What the normal direction of a pair does in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    /// It pressed in the step before, or cannot open.
    Closed,
    /// It closes in this step.
    Lands,
    /// It stays open.
    Open,
}

/// The laws of all pairs, with W.
#[derive(Debug, Clone)]
pub(super) struct Impulses {
    pairs: Vec<Pair>,
    compliance: Rows,
    h: f64,
}

impl Impulses {
    pub fn new(joints: &[Joint], compliance: &Mat<f64>, h: f64, theta: f64) -> Self {
        let pair = |(joint, rubbing): (&Joint, Option<Rubbing>)| Pair {
            normal: joint.rows.normal,
            tangents: joint.rows.tangents.clone(),
            friction: joint.friction,
            preload: h * joint.preload,
            gap: joint.gap,
            mobility: 1.0 / largest_eigenvalue(compliance, &joint.rows.tangents),
            rubbing,
        };
        let pairs = joints.iter().zip(rubbing::laws(joints, h, theta)).map(pair).collect();
        Self { pairs, compliance: Rows::new(compliance.as_ref()), h }
    }

    /// Whether each pair is closed, from u_N predicted and the forces of the step before.
    ///
    /// A pair that pressed in the step before is closed even if rounding has lifted it.
    pub fn close(
        &self,
        predicted: impl Fn(usize) -> f64,
        force: &[f64],
        closing: &mut Vec<Closing>,
    ) {
        closing.clear();
        closing.extend(self.pairs.iter().map(|pair| match pair.normal {
            None => Closing::Closed,
            Some(row) if self.h * force[row] < pair.preload => Closing::Closed,
            Some(row) if predicted(row) + pair.gap <= 0.0 => Closing::Lands,
            Some(_) => Closing::Open,
        }));
    }

    /// Puts the pairs that press to u_N = −g: a state that was not stepped to may have them anywhere, and
    /// they would stay there.
    pub fn seat(&self, force: &[f64], distance: &mut [f64]) {
        for pair in &self.pairs {
            if let Some(row) = pair.normal.filter(|row| self.h * force[*row] < pair.preload) {
                distance[row] = -pair.gap;
            }
        }
    }

    /// Lets the friction laws of a state that was not stepped to find their forces.
    pub fn settle(&self, state: &mut State, rub: &mut Rub) {
        for rubbing in self.pairs.iter().filter_map(|pair| pair.rubbing.as_ref()) {
            rubbing.settle(rub);
            rubbing.end(rub, state);
        }
    }

    /// Puts forces and states of friction laws at the end of a step into the state.
    pub fn end(&self, rub: &Rub, state: &mut State) {
        let laws = self.pairs.iter().filter_map(|pair| pair.rubbing.as_ref());
        laws.for_each(|rubbing| rubbing.end(rub, state));
    }

    /// What brings the pairs that press to u_N = −g, if one of them has just landed: (4).
    ///
    /// `distance` is u_r before and after.
    pub fn put_back(
        &self,
        closing: &[Closing],
        impulse: &[f64],
        distance: &mut [f64],
        shift: &mut Vec<f64>,
    ) -> Result<bool, usize> {
        let presses = |pair: &Pair| pair.normal.filter(|row| impulse[*row] < pair.preload);
        let mut pairs = self.pairs.iter().zip(closing);
        if !pairs.any(|(pair, closing)| *closing == Closing::Lands && presses(pair).is_some()) {
            return Ok(false);
        }
        shift.clear();
        shift.resize(distance.len(), 0.0);
        settle(|| {
            let mut moved = 0.0_f64;
            for pair in &self.pairs {
                if let Some(row) = presses(pair) {
                    let change = (distance[row] + pair.gap) / self.compliance.row(row)[row];
                    moved = moved.max(self.shift(row, change, shift, distance));
                }
            }
            (moved, largest(shift))
        })?;
        Ok(true)
    }

    /// Finds P; `velocity` is g_free before and g after. Fails with the number of sweeps spent.
    pub fn solve(
        &self,
        impulse: &mut [f64],
        velocity: &mut [f64],
        closing: &[Closing],
        rub: &mut Rub,
    ) -> Result<(), usize> {
        self.compliance.add_product(impulse, -1.0, velocity);
        settle(|| {
            let mut moved = 0.0_f64;
            for (pair, closing) in self.pairs.iter().zip(closing) {
                let is_open = *closing == Closing::Open;
                moved = moved.max(self.project(pair, is_open, impulse, velocity, rub));
            }
            (moved, largest(impulse))
        })
    }

    /// (3) of one pair, or its friction law; returns the largest change.
    fn project(
        &self,
        pair: &Pair,
        is_open: bool,
        impulse: &mut [f64],
        velocity: &mut [f64],
        rub: &mut Rub,
    ) -> f64 {
        let mut moved = 0.0_f64;
        let mut pressure = pair.preload;
        if let Some(row) = pair.normal {
            let trial = impulse[row] + velocity[row] / self.compliance.row(row)[row];
            let next = if is_open { pair.preload } else { trial.min(pair.preload) };
            moved = self.shift(row, next - impulse[row], impulse, velocity);
            pressure = pair.preload - impulse[row];
        }
        if let Some(rubbing) = &pair.rubbing {
            for (t, &row) in pair.tangents.iter().enumerate() {
                let compliance = self.compliance.row(row)[row];
                let at = Beside { velocity: velocity[row], impulse: impulse[row], compliance };
                let change = rubbing.impulse(t, pressure, at, rub) - impulse[row];
                moved = moved.max(self.shift(row, change, impulse, velocity));
            }
            return moved;
        }
        let bound = pair.friction * pressure;
        let mut trial = [0.0; 2];
        for (trial, row) in trial.iter_mut().zip(&pair.tangents) {
            *trial = impulse[*row] + pair.mobility * velocity[*row];
        }
        let length = trial[0].hypot(trial[1]);
        let factor = if length > bound { bound / length } else { 1.0 };
        for (trial, row) in trial.iter().zip(&pair.tangents) {
            let change = factor * trial - impulse[*row];
            moved = moved.max(self.shift(*row, change, impulse, velocity));
        }
        moved
    }

    /// Adds to an impulse, with what this does to all velocities.
    fn shift(&self, row: usize, change: f64, impulse: &mut [f64], velocity: &mut [f64]) -> f64 {
        if change != 0.0 {
            impulse[row] += change;
            // W is symmetric: its row is its column.
            let column = self.compliance.row(row);
            velocity.iter_mut().zip(column).for_each(|(g, w)| *g -= w * change);
        }
        change.abs()
    }
}

/// Repeats a sweep, which says how much it moved of how much, until nothing moves.
fn settle(mut sweep: impl FnMut() -> (f64, f64)) -> Result<(), usize> {
    for _ in 0..MAX_SWEEPS {
        let (moved, size) = sweep();
        if moved <= TOL_SETTLED * size {
            return Ok(());
        }
    }
    Err(MAX_SWEEPS)
}

/// Of the block of one or two rows; 1 where there is none.
fn largest_eigenvalue(matrix: &Mat<f64>, rows: &[usize]) -> f64 {
    match *rows {
        [] => 1.0,
        [t] => matrix[(t, t)],
        [s, t, ..] => {
            let (a, b, c) = (matrix[(s, s)], matrix[(t, t)], matrix[(s, t)]);
            0.5 * (a + b) + (0.5 * (a - b)).hypot(c)
        }
    }
}
