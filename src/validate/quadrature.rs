//! Phase resonance of a nonlinear response.
//!
//! ```text
//!     Re U_1(f) = 0                                                                        (1)
//! ```
//!
//! for the first harmonic U_1 of a displacement under a load of phase 0, or of a force that moves a support with
//! phase 0: they are a quarter of a period apart, as at the resonance of a linear system. f is interpolated between two
//! neighbouring points of a curve that have both converged and whose phases differ by less than a quarter of a period:
//! what lies beyond is a jump, in which a curve has no motion. Where a curve has several such places, the one with the
//! largest amplitude counts.

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
    let first = |i: usize| {
        let amplitude = harmonics[i * orders + 1];
        [amplitude.re, amplitude.im]
    };
    let is_own = |i: &usize| (levels[*i] - level).abs() <= 1e-9 * level.abs();
    let points: Vec<Point> =
        (0..frequency.len()).filter(is_own).map(|i| (frequency[i], first(i))).collect();
    let (f, amplitude) = resonance(&points).unwrap_or((f64::NAN, f64::NAN));
    Ok(match quantity {
        Quantity::Frequency => f,
        Quantity::Amplitude => amplitude,
    })
}

/// f with real and imaginary part of U_1, which are not numbers where the point has not converged.
type Point = (f64, [f64; 2]);

/// f and |U_1| of (1) on a curve.
fn resonance(points: &[Point]) -> Option<(f64, f64)> {
    let crossing = |pair: &[Point]| {
        let [(f, a), (g, b)] = [pair[0], pair[1]];
        let turns_little = a[0] * b[0] + a[1] * b[1] > 0.0;
        if !turns_little || a[0] * b[0] > 0.0 {
            return None;
        }
        let share = if a[0] == b[0] { 0.0 } else { a[0] / (a[0] - b[0]) };
        let between = |i: usize| a[i] + share * (b[i] - a[i]);
        Some((f + share * (g - f), between(0).hypot(between(1))))
    };
    points.windows(2).filter_map(crossing).max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of U = e^{−iφ} with φ \[°\] equal to f.
    fn curve(phases: &[f64]) -> Vec<Point> {
        phases.iter().map(|f| (*f, [f.to_radians().cos(), -f.to_radians().sin()])).collect()
    }

    #[test]
    fn found_between_converged_neighbours_only() {
        let (f, amplitude) = resonance(&curve(&[60.0, 80.0, 100.0, 120.0])).unwrap();
        assert!((f - 90.0).abs() < 1e-9 && (amplitude - 80.0_f64.to_radians().sin()).abs() < 1e-9);
        let mut hole = curve(&[60.0, 80.0, 90.0, 100.0]);
        hole[2].1 = [f64::NAN; 2];
        assert_eq!(resonance(&hole), None);
        assert_eq!(resonance(&curve(&[10.0, 20.0, 160.0])), None, "a jump");
        assert_eq!(resonance(&curve(&[10.0, 20.0])), None);
    }
}
