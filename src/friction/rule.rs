//! What every friction law is.

use super::fault::Fault;
use super::real::Real;
use super::step::Step;

/// Share of μN beyond which a contact counts as sliding, for laws that come near to μN without reaching it.
pub(super) const SLIDING: f64 = 0.9;
/// The same for elastic sliders, which reach it but for rounding.
pub(super) const FULL: f64 = 1.0 - 1e-9;

/// A friction law. What most of them share is the default.
pub trait Rule: Copy {
    /// Its name in a case.
    const NAME: &'static str;

    /// Whether it needs to know the force that holds the contact, as only time integration does.
    const IS_TIME_ONLY: bool = false;

    /// Whether its force drops at once where the velocity turns.
    const DROPS: bool = false;

    /// Parameters that it cannot work with.
    fn faults(&self) -> Vec<Fault>;

    /// Fills the states after a step and returns the force \[N\].
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T;

    /// Number of its states.
    fn n_states(&self) -> usize {
        1
    }

    /// Length that a unit of a state counts as beside displacements \[m\]; none for states that tell stick from slip
    /// or repeat the velocity.
    fn state_length(&self, _: usize) -> Option<f64> {
        Some(1.0)
    }

    /// The law of a pair that is this share of the contact.
    fn shared(self, _: f64) -> Self {
        self
    }

    /// Elastic energy of its states at the end of a step \[J\].
    fn stored(&self, _: &[f64], _: &Step<f64>) -> f64 {
        0.0
    }

    /// Whether its force depends on the friction coefficient.
    fn has_limit(&self) -> bool {
        true
    }

    /// Whether it knows a static coefficient beside the kinetic one.
    fn has_static_friction(&self) -> bool {
        false
    }

    /// Whether a force counts as sliding.
    fn is_sliding(&self, force: f64, step: &Step<f64>) -> bool {
        force.abs() >= SLIDING * step.limit()
    }

    /// Share of a step that it could have taken, where it was too long for an explicit force; `velocity` is that at
    /// the end of the step.
    fn allowed_share(&self, _: &[f64], _: f64) -> Option<f64> {
        None
    }
}
