//! Integration period by period until a period ends as it began.
//!
//! ```text
//!     ‖y(T) − y(0)‖ ≤ tolerance · ‖y(T)‖ ,   ‖y‖² = xᵀMx + ẋᵀMẋ/ω²                            (1)
//! ```
//!
//! A motion that approaches its limit by a factor ρ per period is still ρ/(1−ρ) of the last change away
//! from it. Contacts that slip while the motion builds up and stick ever after keep their offset.

use super::scheme::{Scheme, State, Work};
use super::{Orbit, Settings, TransientError};

/// Runs until (1) holds or the periods are used up.
pub(super) fn integrate(
    scheme: &Scheme,
    state: State,
    settings: &Settings,
) -> Result<Orbit, TransientError> {
    run(scheme, state, settings.max_periods, settings.tolerance)
}

/// Runs until (1) holds, for at most so many periods.
pub(super) fn run(
    scheme: &Scheme,
    mut state: State,
    max_periods: usize,
    tolerance: f64,
) -> Result<Orbit, TransientError> {
    let mut work = Work::default();
    let (mut periods, mut change) = (0, f64::INFINITY);
    while periods < max_periods && change > tolerance {
        let next = scheme.period(&state, &mut work)?;
        change = scheme.change(&state, &next);
        state = next;
        periods += 1;
    }
    let has_converged = change <= tolerance;
    Ok(Orbit { state, periods, change, has_converged, multipliers: vec![] })
}
