//! Stiffness of a joint that falls with the amplitude of its motion.
//!
//! ```text
//!     e_0(X) = E (1 + |X/X_y|ⁿ)^(−1/n)                                                        (1)
//! ```
//!
//! The secant of the elastic-plastic curve of Richard and Abbott (1975) without hardening, used by Bazrafshan,
//! Ahmadian and Jalali (2013, equation 18) for the stiffness of a contact in stick over the amplitude X of a
//! periodic motion. For X → 0 it is E, for X ≫ X_y the force E X_y is reached: e_0 X → E X_y.

use serde::Deserialize;

/// Parameters of (1).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RichardAbbott {
    /// E \[N/m\].
    pub stiffness: f64,
    /// X_y \[m\].
    pub yield_displacement: f64,
    /// n.
    pub exponent: f64,
}

impl RichardAbbott {
    /// e_0(X) of (1) \[N/m\].
    pub fn stiffness_at(&self, amplitude: f64) -> f64 {
        let ratio = (amplitude / self.yield_displacement).abs();
        self.stiffness * (1.0 + ratio.powf(self.exponent)).powf(-1.0 / self.exponent)
    }

    /// The amplitude at which the stiffness has a value between 0 and E \[m\].
    pub fn amplitude_at(&self, stiffness: f64) -> f64 {
        let ratio = (self.stiffness / stiffness).powf(self.exponent) - 1.0;
        self.yield_displacement * ratio.powf(1.0 / self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: RichardAbbott =
        RichardAbbott { stiffness: 13.48e6, yield_displacement: 1.924e-5, exponent: 0.493 };

    #[test]
    fn limits_and_inverse() {
        assert!((LAW.stiffness_at(0.0) - 13.48e6).abs() < 1e-6);
        let sharp = RichardAbbott { exponent: 20.0, ..LAW };
        let force = 1e-3 * sharp.stiffness_at(1e-3);
        assert!((force / (13.48e6 * 1.924e-5) - 1.0).abs() < 1e-9, "{force}");
        for amplitude in [1e-6, 1e-5, 1e-4] {
            let back = LAW.amplitude_at(LAW.stiffness_at(amplitude));
            assert!((back / amplitude - 1.0).abs() < 1e-10, "{back}");
        }
    }
}
