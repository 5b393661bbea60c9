//! A period of time steps by either scheme, as a map of the state at its beginning.

use std::f64::consts::TAU;

use super::dense::{Rows, combine, dot};
use super::friction;
use super::impulses::Closing;
use super::moreau::Moreau;
use super::newmark::Newmark;
use super::rubbing::Rub;
use super::start::Start;
use super::system::{Drive, System};
use super::{Settings, TransientError};
use crate::contact::Joint;
use crate::friction::Partials;

/// Where the motion is at an instant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    /// x.
    pub position: Vec<f64>,
    /// ẋ.
    pub velocity: Vec<f64>,
    /// ẍ; of impulses the mean over the step that ends here.
    pub acceleration: Vec<f64>,
    /// λ of the step that ends here.
    pub force: Vec<f64>,
    /// States of friction laws, joint by joint.
    pub memory: Vec<f64>,
}

/// Vectors that a step writes to, kept from step to step to save their allocation.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    /// v⁺ or a⁺, free at first.
    pub free: Vec<f64>,
    /// What the laws see of it: u̇_r or u_r, free at first.
    pub local: Vec<f64>,
    /// Normal directions of exact pairs.
    pub closing: Vec<Closing>,
    /// Friction laws of exact pairs.
    pub rub: Rub,
    /// Shifts of positions; residual of Newton.
    pub step: Vec<f64>,
    /// u_r of the instant before.
    pub before: Vec<f64>,
    /// λ of the instant before.
    pub past: Vec<f64>,
    /// States of friction laws at the instant before.
    pub memory: Vec<f64>,
    /// States of friction laws at the beginning of a step of a period.
    pub start: Vec<f64>,
    /// Velocities of u_r: where u_r is zero, and of a Newton iteration.
    pub rate: Vec<f64>,
    pub velocity: Vec<f64>,
    /// Forces that would end the step at rest.
    pub hold: Vec<f64>,
    /// Derivatives of friction laws.
    pub partials: Partials,
    /// u_r of a Newton iteration.
    pub guess: Vec<f64>,
    /// ∂λ/∂u there.
    pub tangent: Vec<f64>,
    /// Matrix of the iteration, and behind it the right-hand side.
    pub matrix: Vec<f64>,
}

/// Time steps of one length by either scheme.
#[derive(Debug, Clone)]
pub(super) enum Steps {
    Impulses(Box<Moreau>),
    Springs(Box<Newmark>),
}

impl Steps {
    /// Steps of length h under a combination of `loads`, each over x.
    pub fn new(system: &System, h: f64, dissipation: f64, loads: &[Vec<f64>]) -> Self {
        match system.presses_exactly() {
            true => Self::Impulses(Box::new(Moreau::new(system, h, dissipation, loads))),
            false => Self::Springs(Box::new(Newmark::new(system, h, dissipation, loads))),
        }
    }

    /// How much the later of two instants counts in a load.
    pub fn later(&self) -> f64 {
        match self {
            Self::Impulses(moreau) => moreau.later(),
            Self::Springs(newmark) => newmark.later(),
        }
    }

    /// Number of states of friction laws.
    fn n_states(&self) -> usize {
        match self {
            Self::Impulses(moreau) => moreau.n_states(),
            Self::Springs(newmark) => newmark.n_states(),
        }
    }

    /// A state from position and velocity; what is remembered of sliders, and which exact contacts press,
    /// comes from `force`, what friction laws remember from `memory`. `weights` are those of the loads at the instant.
    ///
    /// Accelerations are those of the balance at the instant. With numerical damping, which balances means
    /// over a step, this is as exact as the scheme itself, but not the same to the last digit.
    pub fn state(&self, start: Start, weights: &[f64]) -> State {
        let Start { position, velocity, force, mut memory } = start;
        memory.resize(self.n_states(), 0.0);
        let acceleration = vec![0.0; position.len()];
        let mut state = State { position, velocity, acceleration, force, memory };
        match self {
            Self::Impulses(moreau) => moreau.seat(&mut state),
            Self::Springs(newmark) => newmark.balance(&mut state, weights),
        }
        state
    }

    /// One step; `weights` are those of the loads between its ends. Fails with the number of iterations.
    pub fn step(&self, state: &mut State, weights: &[f64], work: &mut Work) -> Result<(), usize> {
        match self {
            Self::Impulses(moreau) => moreau.step(state, weights, work),
            Self::Springs(newmark) => newmark.step(state, weights, work),
        }
    }
}

/// A scheme with everything that does not change from step to step.
#[derive(Debug, Clone)]
pub(super) struct Scheme {
    steps: Steps,
    phases: Phases,
    /// Steps of a period.
    pub count: usize,
    omega: f64,
    mass: Rows,
    /// √M_ii.
    weights: Vec<f64>,
    /// Rows of u_r whose force is remembered, with 1/k_T.
    memory: Vec<(usize, f64)>,
    /// States of friction laws that are lengths.
    lengths: Vec<(usize, usize, f64)>,
    n_modes: usize,
    joints: Vec<Joint>,
    /// Size of a motion that is but rounding errors: a part of the motion of masses that nothing holds.
    rounding: f64,
}

/// Rounding errors of a motion of held masses, over the motion of free ones.
const ROUNDING: f64 = 1e-12;

impl Scheme {
    pub fn new(system: &System, drive: Drive, settings: &Settings) -> Result<Self, TransientError> {
        if drive.omega <= 0.0 || !drive.omega.is_finite() {
            return Err(TransientError::Frequency(drive.omega / TAU));
        }
        let (count, dissipation) = (settings.steps_per_period, settings.dissipation);
        let wave = system.wave(drive);
        let loads = [wave.constant, wave.cosine, wave.sine];
        let steps = Steps::new(system, drive.period() / count as f64, dissipation, &loads);
        let mass = &system.matrices.mass;
        let weights: Vec<f64> = (0..system.size()).map(|i| mass[(i, i)].sqrt()).collect();
        let square =
            |load: &Vec<f64>| load.iter().zip(&weights).map(|(f, w)| (f / w).powi(2)).sum::<f64>();
        let free = loads.iter().map(square).sum::<f64>().sqrt() / drive.omega.powi(2);
        let memory = match &steps {
            Steps::Impulses(_) => vec![],
            Steps::Springs(_) => super::springs::remembered(&system.joints),
        };
        Ok(Self {
            steps,
            phases: Phases::new(count),
            count,
            omega: drive.omega,
            mass: Rows::new(mass.as_ref()),
            weights,
            rounding: ROUNDING * free,
            memory,
            lengths: friction::lengths(&system.joints),
            n_modes: system.n_modes(),
            joints: system.joints.clone(),
        })
    }

    /// Whether the steps are those of impulses.
    pub fn is_exact(&self) -> bool {
        matches!(self.steps, Steps::Impulses(_))
    }

    /// A state at the beginning of the period, see [`Steps::state`].
    pub fn state(&self, start: Start) -> State {
        self.steps.state(start, &[1.0, 1.0, 0.0])
    }

    /// One step, from instant k of the period to the next.
    pub fn step(&self, state: &mut State, k: usize, work: &mut Work) -> Result<(), TransientError> {
        let (cosine, sine) = self.phases.between(k, self.steps.later());
        work.start.clone_from(&state.memory);
        self.steps.step(state, &[1.0, cosine, sine], work).map_err(|iterations| {
            TransientError::Unsolved { phase: self.phases.of(k), iterations }
        })?;
        let velocity = &state.velocity[self.n_modes..];
        match friction::too_long(&self.joints, &work.start, velocity) {
            Some(friction::TooLong { law, share }) => Err(self.explicit_step(k, law, share)),
            None => Ok(()),
        }
    }

    fn explicit_step(&self, k: usize, law: &'static str, share: f64) -> TransientError {
        let period = TAU / self.omega;
        let (step, time) = (period / self.count as f64, period * self.phases.of(k));
        let (key, way) = ("steps_per_period", "small");
        TransientError::ExplicitStep { law, time, step, largest: share * step, key, way }
    }

    /// The state a period later.
    pub fn period(&self, state: &State, work: &mut Work) -> Result<State, TransientError> {
        let mut state = state.clone();
        for k in 0..self.count {
            self.step(&mut state, k, work)?;
        }
        let is_finite = state.position.iter().chain(&state.velocity).all(|x| x.is_finite());
        if is_finite { Ok(state) } else { Err(TransientError::NotFinite) }
    }

    /// The state as a vector of √(mass) × length: what shooting iterates on.
    pub fn pack(&self, state: &State) -> Vec<f64> {
        let position = state.position.iter().zip(&self.weights).map(|(x, w)| w * x);
        let velocity = state.velocity.iter().zip(&self.weights).map(|(v, w)| w * v / self.omega);
        let weight = |row: usize| self.weights[self.n_modes + row];
        let memory = self.memory.iter().map(|(row, soft)| weight(*row) * soft * state.force[*row]);
        let friction = self.lengths.iter().map(|(i, row, l)| weight(*row) * l * state.memory[*i]);
        position.chain(velocity).chain(memory).chain(friction).collect()
    }

    /// The state of a vector; `like` has the forces that the vector does not.
    pub fn unpack(&self, y: &[f64], like: &State) -> State {
        let n = self.weights.len();
        let position = y[..n].iter().zip(&self.weights).map(|(y, w)| y / w).collect();
        let velocity = y[n..2 * n].iter().zip(&self.weights).map(|(y, w)| y * self.omega / w);
        let mut force = like.force.clone();
        for ((row, soft), y) in self.memory.iter().zip(&y[2 * n..]) {
            force[*row] = y / (soft * self.weights[self.n_modes + row]);
        }
        let mut memory = like.memory.clone();
        for ((i, row, length), y) in self.lengths.iter().zip(&y[2 * n + self.memory.len()..]) {
            memory[*i] = y / (length * self.weights[self.n_modes + row]);
        }
        self.state(Start { position, velocity: velocity.collect(), force, memory })
    }

    /// √(xᵀMx + ẋᵀMẋ/ω²) of the difference of two states, over that of the second, unless this is but rounding
    /// errors, as of a structure that stuck contacts hold.
    pub fn change(&self, before: &State, after: &State) -> f64 {
        let minus =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| b - a).collect() };
        let difference = self.norm(
            &minus(&before.position, &after.position),
            &minus(&before.velocity, &after.velocity),
        );
        let size = self.norm(&after.position, &after.velocity);
        if difference == 0.0 { 0.0 } else { difference / size.max(self.rounding) }
    }

    fn norm(&self, position: &[f64], velocity: &[f64]) -> f64 {
        let energy = |x: &[f64]| -> f64 {
            x.iter().enumerate().map(|(i, value)| value * dot(self.mass.row(i), x)).sum()
        };
        (energy(position) + energy(velocity) / self.omega.powi(2)).max(0.0).sqrt()
    }
}

/// cos and sin at the instants of a period, the first at its beginning and again at its end.
#[derive(Debug, Clone)]
pub(super) struct Phases(Vec<(f64, f64)>);

impl Phases {
    pub fn new(count: usize) -> Self {
        let phase = |k: usize| {
            let angle = TAU * (k % count) as f64 / count as f64;
            (angle.cos(), angle.sin())
        };
        Self((0..=count).map(phase).collect())
    }

    /// Instant k as a fraction of the period.
    pub fn of(&self, k: usize) -> f64 {
        k as f64 / (self.0.len() - 1) as f64
    }

    /// cos and sin between instants k and k + 1, the later one with the given weight.
    pub fn between(&self, k: usize, weight: f64) -> (f64, f64) {
        let ((c0, s0), (c1, s1)) = (self.0[k], self.0[k + 1]);
        (c0 + weight * (c1 - c0), s0 + weight * (s1 - s0))
    }
}

/// a A + b B + c C.
pub(super) fn combine3(
    a: (f64, &faer::Mat<f64>),
    b: (f64, &faer::Mat<f64>),
    c: (f64, &faer::Mat<f64>),
) -> faer::Mat<f64> {
    combine(1.0, &combine(a.0, a.1, b.0, b.1), c.0, c.1)
}
