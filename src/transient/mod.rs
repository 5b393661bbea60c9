//! Motion in time: periodic responses, the reference for harmonic balance, and records under any drive.
//!
//! ```text
//!     M ẍ + C ẋ + K x + Bᵀλ = f_0 + Re(f_1 e^{iωt}) ,   x = (ζ, u_r) ,  u_r = B x              (1)
//! ```
//!
//! [`system`] holds (1). Joints with exact normal contact are integrated by impulses ([`moreau`], their laws in
//! [`impulses`] and, with a friction law of the library, `rubbing`),
//! springs by [`newmark`] (their laws in [`springs`]). [`steady`] runs period after period until the motion
//! repeats itself, [`shooting`] finds the same motion by a Newton iteration, [`start`] says where both
//! begin and [`record`] what is kept of the last period. [`history`] integrates under drives of any course,
//! [`slip`] measures stick and slip on the way, and [`zones`] where the hybrid law leaves the work.

use thiserror::Error;

use crate::linalg::Complex;
use crate::reduction::ReductionError;

mod dense;
pub mod friction;
pub mod history;
pub mod impulses;
pub mod moreau;
pub mod newmark;
pub mod record;
mod rest;
mod rubbing;
mod scheme;
pub mod shooting;
pub mod slip;
pub mod springs;
pub mod start;
pub mod steady;
pub mod system;
pub mod zones;

pub use history::{Effort, Excitation, HistorySettings, Instant, Record};
pub use record::SteadyState;
pub use slip::{Criterion, Slip, SlipMeter};
pub use start::Start;
pub use system::{Drive, Signal, System};
pub use zones::ZoneMeter;

use scheme::{Scheme, State};

/// How the periodic motion is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Period after period.
    Integration,
    /// Newton iteration on the state at the beginning of a period.
    Shooting,
}

/// How to integrate, and how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How the periodic motion is found.
    pub method: Method,
    /// Time steps of a period.
    pub steps_per_period: usize,
    /// Periods after which the search is given up, those of the Newton iteration included.
    pub max_periods: usize,
    /// Change of the state over a period, relative to its size, at which the motion counts as periodic.
    pub tolerance: f64,
    /// Numerical damping a of high frequencies, 0 … 1/3: θ = ½ + a of [`moreau`], α = a of [`newmark`].
    ///
    /// Without it the modes of a mesh that are faster than a time step ring for ever once a contact has
    /// excited them; a = 0.1 ends this within a few steps.
    pub dissipation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Shooting,
            steps_per_period: 2000,
            max_periods: 3000,
            tolerance: 1e-6,
            dissipation: 0.0,
        }
    }
}

/// Why a motion cannot be integrated.
#[derive(Debug, Error)]
pub enum TransientError {
    /// The structure cannot be condensed.
    #[error(transparent)]
    Reduction(#[from] ReductionError),
    /// M is singular.
    #[error(
        "relative displacement {row} of the contact pairs moves no mass, so that it has no equation of \
         motion in time: give its nodes mass, or use harmonic balance"
    )]
    Massless {
        /// Row of u_r.
        row: usize,
    },
    /// Exact joints beside springs.
    #[error(
        "contacts that are exact along the normal and contacts with springs there cannot be integrated together: \
         make all of them exact, or none"
    )]
    MixedLaws,
    /// A start that belongs to another system.
    #[error("a start of {found} coordinates does not fit a system of {expected}")]
    Start {
        /// Coordinates of the system.
        expected: usize,
        /// Coordinates of the start.
        found: usize,
    },
    /// The frequency is not positive.
    #[error("a period needs a frequency greater than 0, not {0} Hz")]
    Frequency(f64),
    /// The contact forces of a step were not found.
    #[error(
        "the contact forces at {phase:.4} of a period were not found in {iterations} iterations: take more \
         steps per period"
    )]
    Unsolved {
        /// Where in the period.
        phase: f64,
        /// Iterations spent.
        iterations: usize,
    },
    /// The contact forces of a step of a record were not found, however short it was made.
    #[error(
        "the forces of the contact law `{laws}` after {time:.6e} s were not found in {iterations} iterations: \
         time_step is too large for the law"
    )]
    StepTooLarge {
        /// When \[s\].
        time: f64,
        /// Iterations spent.
        iterations: usize,
        /// The law.
        laws: String,
    },
    /// A step was too long for a law whose force is explicit.
    #[error(
        "{law}: the velocity leapt over the window of stick in a step of {step:.3e} s, {time:.6e} s from the start: \
         {key} is too {way}; steps of at most {largest:.3e} s would do, or a wider window (`velocity` of the law)"
    )]
    ExplicitStep {
        /// The law.
        law: &'static str,
        /// When \[s\].
        time: f64,
        /// Length of the step \[s\].
        step: f64,
        /// Length that would have done \[s\].
        largest: f64,
        /// What to change.
        key: &'static str,
        /// Too what.
        way: &'static str,
    },
    /// Overflow.
    #[error("the motion grew beyond all bounds: check stiffnesses, damping, loads and units")]
    NotFinite,
}

/// What a search ends with: a state that repeats itself, if it was found.
#[derive(Debug, Clone)]
pub struct Orbit {
    state: State,
    /// Periods integrated.
    pub periods: usize,
    /// Change of the state over the last period, relative to its size.
    pub change: f64,
    /// Whether the change fell below the tolerance.
    pub has_converged: bool,
    /// Floquet multipliers, from shooting only.
    pub multipliers: Vec<Complex>,
}

/// The periodic motion at a frequency and a load: its last period in full.
pub fn steady_state(
    system: &System,
    drive: Drive,
    settings: &Settings,
) -> Result<SteadyState, TransientError> {
    let scheme = Scheme::new(system, drive, settings)?;
    let state = start::state(system, drive, &scheme);
    let orbit = match settings.method {
        Method::Integration => steady::integrate(&scheme, state, settings)?,
        Method::Shooting => shooting::shoot_from_afar(&scheme, state, settings)?,
    };
    record::record(system, drive, &scheme, orbit)
}

/// The same, begun at a given state: the motion that integration is drawn to from there, or the one next
/// to it by shooting, whether it is stable or not.
pub fn steady_state_from(
    system: &System,
    drive: Drive,
    start: &Start,
    settings: &Settings,
) -> Result<SteadyState, TransientError> {
    start.check(system)?;
    let scheme = Scheme::new(system, drive, settings)?;
    let state = scheme.state(start.clone());
    let orbit = match settings.method {
        Method::Integration => steady::integrate(&scheme, state, settings)?,
        Method::Shooting => shooting::shoot(&scheme, state, settings)?,
    };
    record::record(system, drive, &scheme, orbit)
}

#[cfg(test)]
mod tests;
