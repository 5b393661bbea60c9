//! Closed forms of the Coulomb oscillator as references.

use serde::Deserialize;

use crate::analytical::coulomb_oscillator::CoulombOscillator;
use crate::analytical::den_hartog::{with_one_stop, without_stops};

/// Periods until a motion with several stops must repeat itself.
const MAX_PERIODS: usize = 20_000;

/// Amplitude of a mass on a spring with Coulomb friction \[F/k\].
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amplitude {
    frequency_ratio: f64,
    friction_ratio: f64,
}

impl Amplitude {
    /// By Den Hartog without stops or with one in a half cycle, by pieces where there are more; none where no
    /// motion is approached.
    pub fn value(&self) -> Option<f64> {
        let Self { frequency_ratio, friction_ratio } = *self;
        let oscillator = CoulombOscillator { frequency_ratio, friction_ratio };
        let motion = without_stops(oscillator)
            .or_else(|| with_one_stop(oscillator))
            .or_else(|| oscillator.steady_motion(MAX_PERIODS))?;
        Some(motion.amplitude())
    }
}
