//! Phase resonance of a nonlinear response.
//!
//! ```text
//!     Re U_1(f) = 0                                                                        (1)
//! ```
//!
//! for the first harmonic U_1 of a displacement under a load of phase 0, or of a force that moves a support with
//! phase 0: they are a quarter of a period apart, as at the resonance of a linear system. f is interpolated between the points of a curve; where a curve has
//! several such places, the one with the largest amplitude counts.

use serde::Deserialize;

use crate::results::{ResultError, ResultReader};

/// Which number of a phase resonance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// f \[Hz\].
    #[default]
    Frequency,
    /// |U_1|.
    Amplitude,
}

/// A curve of a response.
#[derive(Debug, Clone, Copy)]
pub struct Curve<'a> {
    /// Name of the analysis.
    pub response: &'a str,
    /// Name of the probe.
    pub probe: &'a str,
    /// Load factor.
    pub level: f64,
}

/// (1) of a curve; not a number where it has none.
pub fn value(results: &ResultReader, curve: Curve, quantity: Quantity) -> Result<f64, ResultError> {
    let Curve { response, probe, level } = curve;
    let frequency = results.values(&format!("{response}/frequency"))?;
    let levels = results.values(&format!("{response}/load_factor"))?;
    let orders = results.shape(&format!("{response}/harmonics"))?[0];
    let harmonics = results.complex_values(&format!("{response}/probes/{probe}/harmonics"))?;
    let first = |i: usize| harmonics[i * orders + 1];
    let own: Vec<usize> = (0..frequency.len())
        .filter(|i| (levels[*i] - level).abs() <= 1e-9 * level.abs() && !first(*i).is_nan())
        .collect();
    let mut best = (f64::NAN, 0.0);
    for pair in own.windows(2) {
        let (a, b) = (first(pair[0]), first(pair[1]));
        if a.re * b.re > 0.0 {
            continue;
        }
        let share = if a.re == b.re { 0.0 } else { a.re / (a.re - b.re) };
        let amplitude = (a + (b - a) * share).norm();
        if amplitude > best.1 {
            let (f, g) = (frequency[pair[0]], frequency[pair[1]]);
            best = (f + share * (g - f), amplitude);
        }
    }
    Ok(match quantity {
        Quantity::Frequency => best.0,
        Quantity::Amplitude => best.1,
    })
}
