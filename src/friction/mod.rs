//! A library of friction laws: state, slip and normal force to friction force.
//!
//! ```text
//!     (q, F) = law(q⁻; x⁻, x, v, N⁻, N, μ, h)                                                    (1)
//! ```
//!
//! A law takes its states q⁻ over a time step of length h, in which the slip goes from x⁻ to x and the normal force
//! from N⁻ to N, and returns the friction force F at the end, positive along the velocity v (it opposes the
//! motion where it stands on the left-hand side). All states begin at zero. Updates are implicit or exact for a
//! constant velocity, and stable for any step, but for Karnopp's, which tells where a step was too long. Each law is written once, over [`Real`]; [`Partials`] are its derivatives.
//!
//! | law | states | limits |
//! |---|---|---|
//! | [`jenkins`] | deflection | Coulomb for an infinite stiffness |
//! | [`iwan`] | deflections | Jenkins without spread |
//! | [`smoothed_coulomb`], [`velocity_limited`] | – | Coulomb for velocity → 0 |
//! | [`karnopp`] | velocity | in time only |
//! | [`force_balance`] | velocity, direction of sliding | in time only |
//! | [`spring_damper`] | deflection, velocity in slip, share of slip | |
//! | [`stribeck`], [`exponential_decay`] | deflection | Jenkins for μ_s = μ |
//! | [`viscous`] | – | |
//! | [`dahl`] | deflection | Coulomb for an infinite stiffness |
//! | [`lugre`] | deflection | Dahl for μ_s = μ without damping |
//! | [`elasto_plastic`] | deflection | LuGre without elastic range, nearly |
//! | [`bouc_wen`] | deflection | Dahl for n = 1, β = 1 |
//! | [`valanis`] | deflection | Dahl for κ = 0, Jenkins for κ → 1 |
//! | [`ozaki_hashiguchi`] | deflection, coefficient | Jenkins for μ_s = μ |
//! | [`hybrid`] | two deflections | |
//!
//! Coulomb's law itself, which is no function, is that of `contact::dlft` and `transient::moreau`.
//!
//! [`normal`] has the laws across the face. Extensive parameters are those of a whole contact; a pair has its
//! share of them. A contact that is apart has no friction and forgets its deflection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod bouc_wen;
mod bristle;
mod curve;
pub mod dahl;
pub mod elasto_plastic;
pub mod exponential_decay;
mod fault;
pub mod force_balance;
pub mod hybrid;
pub mod iwan;
pub mod jenkins;
pub mod karnopp;
pub mod lugre;
pub mod normal;
pub mod ozaki_hashiguchi;
pub mod partials;
mod path;
pub mod real;
pub mod smoothed_coulomb;
mod spring;
pub mod spring_damper;
mod step;
pub mod stribeck;
pub mod valanis;
pub mod velocity_limited;
pub mod viscous;

pub use bouc_wen::BoucWen;
pub use dahl::Dahl;
pub use elasto_plastic::ElastoPlastic;
pub use exponential_decay::ExponentialDecay;
pub use fault::Fault;
pub use force_balance::ForceBalance;
pub use hybrid::Hybrid;
pub use iwan::Iwan;
pub use jenkins::Jenkins;
pub use karnopp::Karnopp;
pub use lugre::Lugre;
pub use normal::NormalLaw;
pub use ozaki_hashiguchi::OzakiHashiguchi;
pub use partials::{Input, Partials};
pub use real::{Dual, Real, larger};
pub use smoothed_coulomb::SmoothedCoulomb;
pub use spring_damper::SpringDamper;
pub use step::Step;
pub use stribeck::Stribeck;
pub use valanis::Valanis;
pub use velocity_limited::VelocityLimited;
pub use viscous::Viscous;

/// What friction does with slip. Stiffnesses, dampings and forces are those of the whole contact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Law {
    /// Spring and Coulomb slider in series.
    Jenkins(Jenkins),
    /// Jenkins elements side by side.
    Iwan(Iwan),
    /// Coulomb friction as a smooth function of the velocity.
    SmoothedCoulomb(SmoothedCoulomb),
    /// Coulomb friction, proportional to the velocity below a limit.
    VelocityLimited(VelocityLimited),
    /// Coulomb friction with a window of stick; in time only.
    Karnopp(Karnopp),
    /// Coulomb friction that balances the other forces at rest; in time only.
    ForceBalance(ForceBalance),
    /// Coulomb friction; in stick a spring and a dashpot.
    SpringDamper(SpringDamper),
    /// Elastic Coulomb friction that falls with the velocity.
    Stribeck(Stribeck),
    /// Elastic Coulomb friction that decays exponentially with the velocity.
    ExponentialDecay(ExponentialDecay),
    /// A dashpot.
    Viscous(Viscous),
    /// Dahl's law.
    Dahl(Dahl),
    /// LuGre.
    Lugre(Lugre),
    /// LuGre with an elastic range.
    ElastoPlastic(ElastoPlastic),
    /// Bouc-Wen hysteresis.
    BoucWen(BoucWen),
    /// Valanis hysteresis.
    Valanis(Valanis),
    /// A coefficient that slip softens and rest restores.
    OzakiHashiguchi(OzakiHashiguchi),
    /// Springs and dampers of four zones.
    Hybrid(Hybrid),
}

fn two() -> f64 {
    2.0
}

/// Share of μN beyond which a contact counts as sliding, for laws that come near to μN without reaching it.
const SLIDING: f64 = 0.9;
/// The same for elastic sliders, which reach it but for rounding.
const FULL: f64 = 1.0 - 1e-9;

impl Law {
    /// Its name in a case.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Jenkins(_) => "jenkins",
            Self::Iwan(_) => "iwan",
            Self::SmoothedCoulomb(_) => "smoothed_coulomb",
            Self::VelocityLimited(_) => "velocity_limited",
            Self::Karnopp(_) => "karnopp",
            Self::ForceBalance(_) => "force_balance",
            Self::SpringDamper(_) => "spring_damper",
            Self::Stribeck(_) => "stribeck",
            Self::ExponentialDecay(_) => "exponential_decay",
            Self::Viscous(_) => "viscous",
            Self::Dahl(_) => "dahl",
            Self::Lugre(_) => "lugre",
            Self::ElastoPlastic(_) => "elasto_plastic",
            Self::BoucWen(_) => "bouc_wen",
            Self::Valanis(_) => "valanis",
            Self::OzakiHashiguchi(_) => "ozaki_hashiguchi",
            Self::Hybrid(_) => "hybrid",
        }
    }

    /// Number of its states.
    pub fn n_states(&self) -> usize {
        match self {
            Self::SmoothedCoulomb(_) | Self::VelocityLimited(_) | Self::Viscous(_) => 0,
            Self::Iwan(law) => law.elements,
            Self::ForceBalance(_) | Self::OzakiHashiguchi(_) | Self::Hybrid(_) => 2,
            Self::SpringDamper(_) => 3,
            _ => 1,
        }
    }

    /// Length that a unit of a state counts as beside displacements \[m\]; none for states that tell stick from slip
    /// or repeat the velocity.
    pub fn state_length(&self, i: usize) -> Option<f64> {
        match (self, i) {
            (Self::Karnopp(_) | Self::ForceBalance(_), _) | (Self::SpringDamper(_), 1 | 2) => None,
            (Self::OzakiHashiguchi(law), 1) => Some(law.coefficient_length()),
            _ => Some(1.0),
        }
    }

    /// Whether its first state is a deflection, which stretches before the contact slips.
    pub fn has_deflection(&self) -> bool {
        self.n_states() > 0 && self.state_length(0).is_some()
    }

    /// Whether it needs to know the force that holds the contact, as only time integration does.
    pub fn is_time_only(&self) -> bool {
        matches!(self, Self::Karnopp(_) | Self::ForceBalance(_))
    }

    /// Share of a step that it could have taken, where it was too long for an explicit force: `velocity` is that at its end.
    pub fn allowed_share(&self, before: &[f64], velocity: f64) -> Option<f64> {
        match self {
            Self::Karnopp(law) => law.allowed_share(before[0], velocity),
            _ => None,
        }
    }

    /// Whether its force depends on the friction coefficient.
    pub fn has_limit(&self) -> bool {
        !matches!(self, Self::Viscous(_) | Self::Valanis(Valanis { yield_force: Some(_), .. }))
    }

    /// Whether it knows a static coefficient beside the kinetic one.
    pub fn has_static_friction(&self) -> bool {
        match self {
            Self::VelocityLimited(law) => law.stribeck_velocity.is_some(),
            Self::Karnopp(_)
            | Self::ForceBalance(_)
            | Self::Stribeck(_)
            | Self::ExponentialDecay(_)
            | Self::Lugre(_)
            | Self::ElastoPlastic(_)
            | Self::OzakiHashiguchi(_)
            | Self::Hybrid(_) => true,
            _ => false,
        }
    }

    /// Parameters that it cannot work with.
    pub fn faults(&self) -> Vec<Fault> {
        match self {
            Self::Jenkins(law) => law.faults(),
            Self::Iwan(law) => law.faults(),
            Self::SmoothedCoulomb(law) => law.faults(),
            Self::VelocityLimited(law) => law.faults(),
            Self::Karnopp(law) => law.faults(),
            Self::ForceBalance(law) => law.faults(),
            Self::SpringDamper(law) => law.faults(),
            Self::Stribeck(law) => law.faults(),
            Self::ExponentialDecay(law) => law.faults(),
            Self::Viscous(law) => law.faults(),
            Self::Dahl(law) => law.faults(),
            Self::Lugre(law) => law.faults(),
            Self::ElastoPlastic(law) => law.faults(),
            Self::BoucWen(law) => law.faults(),
            Self::Valanis(law) => law.faults(),
            Self::OzakiHashiguchi(law) => law.faults(),
            Self::Hybrid(law) => law.faults(),
        }
    }

    /// The law of a pair that is this share of the contact.
    pub fn shared(self, share: f64) -> Self {
        match self {
            Self::Jenkins(law) => Self::Jenkins(law.shared(share)),
            Self::Iwan(law) => Self::Iwan(law.shared(share)),
            Self::SpringDamper(law) => Self::SpringDamper(law.shared(share)),
            Self::Stribeck(law) => Self::Stribeck(law.shared(share)),
            Self::ExponentialDecay(law) => Self::ExponentialDecay(law.shared(share)),
            Self::Viscous(law) => Self::Viscous(law.shared(share)),
            Self::Dahl(law) => Self::Dahl(law.shared(share)),
            Self::Lugre(law) => Self::Lugre(law.shared(share)),
            Self::ElastoPlastic(law) => Self::ElastoPlastic(law.shared(share)),
            Self::BoucWen(law) => Self::BoucWen(law.shared(share)),
            Self::Valanis(law) => Self::Valanis(law.shared(share)),
            Self::OzakiHashiguchi(law) => Self::OzakiHashiguchi(law.shared(share)),
            Self::Hybrid(law) => Self::Hybrid(law.shared(share)),
            Self::SmoothedCoulomb(_)
            | Self::VelocityLimited(_)
            | Self::Karnopp(_)
            | Self::ForceBalance(_) => self,
        }
    }

    /// (1): fills the states after the step and returns the force \[N\].
    pub fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        match self {
            Self::Jenkins(law) => law.step(before, step, after),
            Self::Iwan(law) => law.step(before, step, after),
            Self::SmoothedCoulomb(law) => law.force(step),
            Self::VelocityLimited(law) => law.force(step),
            Self::Karnopp(law) => law.step(before, step, after),
            Self::ForceBalance(law) => law.step(before, step, after),
            Self::SpringDamper(law) => law.step(before, step, after),
            Self::Stribeck(law) => law.step(before, step, after),
            Self::ExponentialDecay(law) => law.step(before, step, after),
            Self::Viscous(law) => law.force(step),
            Self::Dahl(law) => law.step(before, step, after),
            Self::Lugre(law) => law.step(before, step, after),
            Self::ElastoPlastic(law) => law.step(before, step, after),
            Self::BoucWen(law) => law.step(before, step, after),
            Self::Valanis(law) => law.step(before, step, after),
            Self::OzakiHashiguchi(law) => law.step(before, step, after),
            Self::Hybrid(law) => law.step(before, step, after),
        }
    }

    /// Elastic energy of its states at the end of a step \[J\].
    pub fn stored(&self, states: &[f64], step: &Step<f64>) -> f64 {
        match self {
            Self::Jenkins(law) => law.stored(states[0], step),
            Self::Iwan(law) => law.stored(states, step),
            Self::SpringDamper(law) => law.stored(states[0]),
            Self::Stribeck(law) => law.stored(states[0], step),
            Self::ExponentialDecay(law) => law.stored(states[0], step),
            Self::Dahl(law) => law.stored(states[0]),
            Self::Lugre(law) => law.stored(states[0], step.pressure),
            Self::ElastoPlastic(law) => law.stored(states[0]),
            Self::BoucWen(law) => law.stored(states[0], step.slip),
            Self::Valanis(law) => law.stored(states[0], step.slip),
            Self::OzakiHashiguchi(law) => law.stored(states[0]),
            Self::Hybrid(law) => law.stored(states),
            Self::SmoothedCoulomb(_)
            | Self::VelocityLimited(_)
            | Self::Karnopp(_)
            | Self::ForceBalance(_)
            | Self::Viscous(_) => 0.0,
        }
    }

    /// Energy dissipated in a step: work of the mean force less what the states store \[J\].
    pub fn dissipated(&self, before: &Moment, after: &Moment, step: &Step<f64>) -> f64 {
        let begin = Step { pressure: step.pressure_before, slip: step.slip_before, ..*step };
        let work = 0.5 * (before.force + after.force) * step.moved();
        work - self.stored(after.states, step) + self.stored(before.states, &begin)
    }

    /// Whether a force counts as sliding: the kinetic limit μN, or more than 90 % of it for laws that only approach it, or any motion of a law without one.
    pub fn is_sliding(&self, force: f64, step: &Step<f64>) -> bool {
        let limit = match self {
            Self::Viscous(_) => return step.velocity != 0.0,
            Self::Valanis(Valanis { yield_force: Some(force), .. }) => *force,
            _ => step.limit(),
        };
        let share = if matches!(self, Self::Jenkins(_) | Self::Iwan(_)) { FULL } else { SLIDING };
        force.abs() >= share * limit
    }
}

/// States and force of a law at an instant.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// States.
    pub states: &'a [f64],
    /// Force \[N\].
    pub force: f64,
}

#[cfg(test)]
mod tests;
