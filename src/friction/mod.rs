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
pub mod rule;
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
pub use rule::Rule;
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

/// The only list of the laws: an expression of whichever law it is.
macro_rules! each {
    ($self:expr, $law:ident => $value:expr) => {
        match $self {
            Law::Jenkins($law) => $value,
            Law::Iwan($law) => $value,
            Law::SmoothedCoulomb($law) => $value,
            Law::VelocityLimited($law) => $value,
            Law::Karnopp($law) => $value,
            Law::ForceBalance($law) => $value,
            Law::SpringDamper($law) => $value,
            Law::Stribeck($law) => $value,
            Law::ExponentialDecay($law) => $value,
            Law::Viscous($law) => $value,
            Law::Dahl($law) => $value,
            Law::Lugre($law) => $value,
            Law::ElastoPlastic($law) => $value,
            Law::BoucWen($law) => $value,
            Law::Valanis($law) => $value,
            Law::OzakiHashiguchi($law) => $value,
            Law::Hybrid($law) => $value,
        }
    };
}

fn name_of<R: Rule>(_: &R) -> &'static str {
    R::NAME
}

fn is_time_only<R: Rule>(_: &R) -> bool {
    R::IS_TIME_ONLY
}

fn drops<R: Rule>(_: &R) -> bool {
    R::DROPS
}

impl Law {
    /// Its name in a case.
    pub fn name(&self) -> &'static str {
        each!(self, law => name_of(law))
    }

    /// Number of its states.
    pub fn n_states(&self) -> usize {
        each!(self, law => law.n_states())
    }

    /// Length that a unit of a state counts as beside displacements \[m\]; none for states that tell stick from slip
    /// or repeat the velocity.
    pub fn state_length(&self, i: usize) -> Option<f64> {
        each!(self, law => law.state_length(i))
    }

    /// Whether its first state is a deflection, which stretches before the contact slips.
    pub fn has_deflection(&self) -> bool {
        self.n_states() > 0 && self.state_length(0).is_some()
    }

    /// Whether it needs to know the force that holds the contact, as only time integration does.
    pub fn is_time_only(&self) -> bool {
        each!(self, law => is_time_only(law))
    }

    /// Whether its force drops at once where the velocity turns.
    pub fn drops(&self) -> bool {
        each!(self, law => drops(law))
    }

    /// Share of a step that it could have taken, where it was too long for an explicit force; `velocity` is that at
    /// the end of the step.
    pub fn allowed_share(&self, before: &[f64], velocity: f64) -> Option<f64> {
        each!(self, law => law.allowed_share(before, velocity))
    }

    /// Whether its force depends on the friction coefficient.
    pub fn has_limit(&self) -> bool {
        each!(self, law => law.has_limit())
    }

    /// Whether it knows a static coefficient beside the kinetic one.
    pub fn has_static_friction(&self) -> bool {
        each!(self, law => law.has_static_friction())
    }

    /// Parameters that it cannot work with.
    pub fn faults(&self) -> Vec<Fault> {
        each!(self, law => law.faults())
    }

    /// The law of a pair that is this share of the contact.
    pub fn shared(mut self, share: f64) -> Self {
        each!(&mut self, law => *law = law.shared(share));
        self
    }

    /// (1): fills the states after the step and returns the force \[N\].
    pub fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        each!(self, law => law.step(before, step, after))
    }

    /// Elastic energy of its states at the end of a step \[J\].
    pub fn stored(&self, states: &[f64], step: &Step<f64>) -> f64 {
        each!(self, law => law.stored(states, step))
    }

    /// Energy dissipated in a step: work of the mean force less what the states store \[J\].
    pub fn dissipated(&self, before: &Moment, after: &Moment, step: &Step<f64>) -> f64 {
        let begin = Step { pressure: step.pressure_before, slip: step.slip_before, ..*step };
        let work = 0.5 * (before.force + after.force) * step.moved();
        work - self.stored(after.states, step) + self.stored(before.states, &begin)
    }

    /// Whether a force counts as sliding: the kinetic limit μN, or more than 90 % of it for laws that only approach
    /// it, or any motion of a law without one.
    pub fn is_sliding(&self, force: f64, step: &Step<f64>) -> bool {
        each!(self, law => law.is_sliding(force, step))
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
