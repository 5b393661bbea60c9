//! What a law is told of a time step.

use super::real::Real;

/// Normal forces up to this count as none \[N\]: their inverse still has a square.
const TINY: f64 = 1e-100;

/// A time step of a contact: motion along the face and pressure across it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step<T> {
    /// Length h \[s\].
    pub duration: T,
    /// Slip x at its beginning \[m\].
    pub slip_before: T,
    /// Slip x at its end \[m\].
    pub slip: T,
    /// Slip velocity v at its end \[m/s\].
    pub velocity: T,
    /// Normal force N at its beginning \[N\].
    pub pressure_before: T,
    /// Normal force N at its end, not negative \[N\].
    pub pressure: T,
    /// Kinetic friction coefficient μ \[-\].
    pub friction: T,
    /// Static friction coefficient over the kinetic one, μ_s/μ ≥ 1 \[-\].
    pub static_ratio: f64,
    /// Force that would end the step at rest, for laws in time only \[N\].
    pub hold: f64,
}

impl<T: Real> Step<T> {
    /// Δ = x − x⁻ \[m\].
    pub fn moved(&self) -> T {
        self.slip - self.slip_before
    }

    /// sgn Δ, 1 where nothing moves.
    pub fn direction(&self) -> f64 {
        if self.moved().value() < 0.0 { -1.0 } else { 1.0 }
    }

    /// Δ/h \[m/s\].
    pub fn mean_velocity(&self) -> T {
        self.moved() / self.duration
    }

    /// Kinetic limit μN at the end \[N\].
    pub fn limit(&self) -> T {
        self.friction * self.pressure
    }

    /// Kinetic limit μN in the step: the harmonic mean of both ends, so that a limit that vanishes at an end
    /// lets nothing be held.
    pub fn mean_limit(&self) -> T {
        let sum = self.pressure_before + self.pressure;
        if sum.value() <= TINY {
            return T::constant(0.0);
        }
        self.friction * self.pressure_before * self.pressure * 2.0 / sum
    }

    /// Whether the faces are apart at the end.
    pub fn is_open(&self) -> bool {
        self.pressure.value() <= TINY
    }
}

/// Whether a limiting force is none.
pub(super) fn is_none<T: Real>(limit: T) -> bool {
    limit.value() <= TINY
}
