//! Harmonics of a periodic motion and their values at equidistant instants.
//!
//! ```text
//!     u(t_j) = a_0 + Σ_k (a_k cos kτ_j + b_k sin kτ_j) ,   τ_j = 2πj/n ,  j = 1 … n            (1)
//!     a_0 = mean ,  a_k = (2/n) Σ_j u cos kτ_j ,  b_k = (2/n) Σ_j u sin kτ_j                   (2)
//! ```
//!
//! Coefficients are stored (a_0, a_1, b_1, a_2, …) over the harmonics in use. The complex amplitude of
//! harmonic k is a_k − i b_k. Signals are transformed by real fast Fourier transforms, which beat products
//! with the tables of (1) and (2) at every size in use (`benches/harmonic.rs`); the derivatives of the
//! contact laws need the tables, or products of them over parts of the period.

use std::f64::consts::{PI, TAU};
use std::fmt;
use std::sync::Arc;

use faer::Mat;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::sums::Sums;
use crate::linalg::Complex;

/// Harmonics in use and the tables of (1) and (2).
#[derive(Clone)]
pub struct Basis {
    harmonics: Vec<usize>,
    /// Row j of F̄: values of the harmonics at instant j.
    pub inverse: Vec<Vec<f64>>,
    /// Row j of dF̄/dτ, τ = ωt.
    pub slope: Vec<Vec<f64>>,
    /// F.
    pub forward: Mat<f64>,
    /// Products of both over parts of the period.
    pub(super) sums: Sums,
    /// e^{iθ/2} and e^{iθ} with the angle θ by which a harmonic of some order turns in one sample.
    half_turns: Vec<Complex>,
    turns: Vec<Complex>,
    to_spectrum: Arc<dyn RealToComplex<f64>>,
    from_spectrum: Arc<dyn ComplexToReal<f64>>,
}

impl fmt::Debug for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let samples = self.n_samples();
        f.debug_struct("Basis")
            .field("harmonics", &self.harmonics)
            .field("samples", &samples)
            .finish()
    }
}

impl Basis {
    /// Harmonics beside the static one, ascending, and the number of samples.
    ///
    /// Fails if the samples cannot tell the harmonics apart.
    pub fn new(harmonics: &[usize], n_samples: usize) -> Option<Self> {
        let highest = harmonics.last().copied().unwrap_or(0);
        if n_samples <= 2 * highest {
            return None;
        }
        let row = |j: usize| {
            let waves = harmonics.iter().flat_map(|k| {
                // The product is reduced first: large angles lose digits.
                let angle = TAU * ((k * (j + 1)) % n_samples) as f64 / n_samples as f64;
                [angle.cos(), angle.sin()]
            });
            std::iter::once(1.0).chain(waves).collect::<Vec<f64>>()
        };
        let inverse: Vec<Vec<f64>> = (0..n_samples).map(row).collect();
        // (cos kτ)' = −k sin kτ and (sin kτ)' = k cos kτ.
        let derived = |row: &Vec<f64>| {
            let waves = harmonics.iter().zip(row[1..].chunks(2));
            let waves = waves.flat_map(|(k, wave)| [-(*k as f64) * wave[1], *k as f64 * wave[0]]);
            std::iter::once(0.0).chain(waves).collect::<Vec<f64>>()
        };
        let slope = inverse.iter().map(derived).collect();
        let weight = |c: usize| if c == 0 { 1.0 } else { 2.0 } / n_samples as f64;
        let n_coefficients = 1 + 2 * harmonics.len();
        let forward = Mat::from_fn(n_coefficients, n_samples, |c, j| weight(c) * inverse[j][c]);
        let turns = |angle: f64| -> Vec<Complex> {
            let turn =
                |order: usize| Complex::from_polar(1.0, angle * order as f64 / n_samples as f64);
            (0..=n_samples / 2).map(turn).collect()
        };
        let mut planner = RealFftPlanner::new();
        let to_spectrum = planner.plan_fft_forward(n_samples);
        let from_spectrum = planner.plan_fft_inverse(n_samples);
        Some(Self {
            harmonics: harmonics.to_vec(),
            inverse,
            slope,
            forward,
            sums: Sums::new(harmonics, n_samples),
            half_turns: turns(PI),
            turns: turns(TAU),
            to_spectrum,
            from_spectrum,
        })
    }

    /// The same instants with harmonics up to twice the highest, odd ones only if there are no others; none if the
    /// samples do not tell more of them apart.
    pub fn refined(&self) -> Option<Self> {
        let highest = *self.harmonics.last()?;
        let is_odd = self.harmonics.iter().all(|order| order % 2 == 1);
        let limit = (2 * highest).max(3).min((self.n_samples() - 1) / 2);
        let added = (highest + 1..=limit).filter(|order| !is_odd || order % 2 == 1);
        let harmonics: Vec<usize> = self.harmonics.iter().copied().chain(added).collect();
        let has_more = harmonics.len() > self.harmonics.len();
        has_more.then(|| Self::new(&harmonics, self.n_samples())).flatten()
    }

    /// Coefficients of motions among those of a basis that has the same harmonics first; zero in the others.
    pub fn carried_over(&self, u: &[f64], to: &Self) -> Vec<f64> {
        let missing = vec![0.0; to.n_coefficients() - self.n_coefficients()];
        u.chunks(self.n_coefficients()).flat_map(|row| [row, &missing].concat()).collect()
    }

    /// Harmonics beside the static one.
    pub fn harmonics(&self) -> &[usize] {
        &self.harmonics
    }

    /// Number of coefficients of a motion.
    pub fn n_coefficients(&self) -> usize {
        1 + 2 * self.harmonics.len()
    }

    /// Number of instants.
    pub fn n_samples(&self) -> usize {
        self.inverse.len()
    }

    /// The instants as the contact laws use them at ω \[rad/s\].
    pub fn samples(&self, omega: f64) -> Samples<'_> {
        Samples { basis: self, omega }
    }

    /// (1)
    pub fn to_time(&self, coefficients: &[f64]) -> Vec<f64> {
        let waves = self.harmonics.iter().zip(coefficients[1..].chunks(2));
        let waves = waves.map(|(order, pair)| (*order, Complex::new(pair[0], -pair[1])));
        self.sum(std::iter::once((0, coefficients[0].into())).chain(waves))
    }

    /// Values of a sum of harmonics of any order, given by their complex amplitudes.
    pub fn sum(&self, amplitudes: impl Iterator<Item = (usize, Complex)>) -> Vec<f64> {
        let mut spectrum = self.from_spectrum.make_input_vec();
        for (order, amplitude) in amplitudes {
            // The transform begins with j = 0: what it is to call so is j = 1.
            let turned = amplitude * self.turns[order];
            spectrum[order] = if order == 0 { turned } else { 0.5 * turned };
        }
        let mut values = self.from_spectrum.make_output_vec();
        let done = self.from_spectrum.process(&mut spectrum, &mut values);
        debug_assert!(done.is_ok(), "the sizes are those of the plan");
        values
    }

    /// (2)
    pub fn to_harmonics(&self, values: &[f64]) -> Vec<f64> {
        let raw = self.raw_spectrum(values);
        let mut coefficients = Vec::with_capacity(self.n_coefficients());
        coefficients.push(self.amplitude_in(&raw, 0).re);
        for order in &self.harmonics {
            let u = self.amplitude_in(&raw, *order);
            coefficients.extend([u.re, -u.im]);
        }
        coefficients
    }

    /// Complex amplitudes of all orders that the samples can tell apart.
    pub fn spectrum(&self, values: &[f64]) -> Vec<Complex> {
        let raw = self.raw_spectrum(values);
        (0..raw.len()).map(|order| self.amplitude_in(&raw, order)).collect()
    }

    /// The transform of values whose first one it takes for that of j = 0.
    fn raw_spectrum(&self, values: &[f64]) -> Vec<Complex> {
        let mut values = values.to_vec();
        let mut spectrum = self.to_spectrum.make_output_vec();
        let done = self.to_spectrum.process(&mut values, &mut spectrum);
        debug_assert!(done.is_ok(), "the sizes are those of the plan");
        spectrum
    }

    /// Complex amplitude of an order in such a transform.
    fn amplitude_in(&self, raw: &[Complex], order: usize) -> Complex {
        let share = if order == 0 { 1.0 } else { 2.0 } / self.n_samples() as f64;
        raw[order] * self.turns[order].conj() * share
    }

    /// Angle of one sample.
    pub fn angle(&self) -> f64 {
        TAU / self.n_samples() as f64
    }

    /// e^{iθ/2} with the angle θ by which a harmonic of some order turns in one sample.
    pub fn half_turn(&self, order: usize) -> Complex {
        self.half_turns[order]
    }

    /// Complex amplitude of the i-th harmonic (0: the static one) among coefficients.
    pub fn amplitude(&self, coefficients: &[f64], i: usize) -> Complex {
        match i {
            0 => coefficients[0].into(),
            _ => Complex::new(coefficients[2 * i - 1], -coefficients[2 * i]),
        }
    }

    /// Coefficients of complex amplitudes, the static one first.
    pub fn coefficients(&self, amplitudes: &[Complex]) -> Vec<f64> {
        let waves = amplitudes[1..].iter().flat_map(|u| [u.re, -u.im]);
        std::iter::once(amplitudes[0].re).chain(waves).collect()
    }

    /// Stores complex amplitudes, the static one first, as coefficients.
    pub fn store(&self, amplitudes: impl Iterator<Item = Complex>, out: &mut [f64]) {
        for (i, amplitude) in amplitudes.enumerate() {
            self.put(i, amplitude.conj(), out);
        }
    }

    /// Order of the i-th harmonic, the static one first.
    pub fn order(&self, i: usize) -> usize {
        if i == 0 { 0 } else { self.harmonics[i - 1] }
    }

    /// Number of harmonics, the static one included.
    pub fn n_harmonics(&self) -> usize {
        1 + self.harmonics.len()
    }

    /// e^{imτ_j} of the i-th harmonic, of order m.
    pub(super) fn turn(&self, i: usize, j: usize) -> Complex {
        match i {
            0 => Complex::new(1.0, 0.0),
            _ => Complex::new(self.inverse[j][2 * i - 1], self.inverse[j][2 * i]),
        }
    }

    /// Stores cosine and sine sums of the i-th harmonic among coefficients.
    pub(super) fn put(&self, i: usize, sum: Complex, out: &mut [f64]) {
        match i {
            0 => out[0] = sum.re,
            _ => (out[2 * i - 1], out[2 * i]) = (sum.re, sum.im),
        }
    }
}

/// The instants of one period at a frequency.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a> {
    /// Harmonics, instants and what leads from one to the other.
    pub basis: &'a Basis,
    /// ω \[rad/s\].
    pub omega: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_inverse_to_each_other() {
        let basis = Basis::new(&[1, 3, 7], 16).unwrap();
        let coefficients: Vec<f64> = (0..7).map(|i| (1.0 + i as f64).sin()).collect();
        let back = basis.to_harmonics(&basis.to_time(&coefficients));
        for (a, b) in coefficients.iter().zip(&back) {
            assert!((a - b).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn transforms_equal_their_tables() {
        for n_samples in [15, 16, 127, 128] {
            let basis = Basis::new(&[1, 2, 5, 7], n_samples).unwrap();
            let coefficients: Vec<f64> = (0..9).map(|i| (1.3 * i as f64).cos()).collect();
            let by_table = |row: &Vec<f64>| row.iter().zip(&coefficients).map(|(w, c)| w * c).sum();
            let expected: Vec<f64> = basis.inverse.iter().map(by_table).collect();
            for (a, b) in basis.to_time(&coefficients).iter().zip(&expected) {
                assert!((a - b).abs() < 1e-13, "{a} {b}");
            }
            let signal: Vec<f64> = (0..n_samples).map(|j| (0.7 * j as f64).sin()).collect();
            let expected = &basis.forward * Mat::from_fn(n_samples, 1, |j, _| signal[j]);
            for (c, a) in basis.to_harmonics(&signal).iter().enumerate() {
                assert!((a - expected[(c, 0)]).abs() < 1e-14, "{c} {a}");
            }
        }
    }

    #[test]
    fn refined_harmonics_keep_the_motion() {
        let orders = |harmonics: &[usize], n_samples: usize| {
            let refined = Basis::new(harmonics, n_samples).unwrap().refined();
            refined.map(|basis| basis.harmonics().to_vec())
        };
        assert_eq!(orders(&[1, 3], 64), Some(vec![1, 3, 5]));
        assert_eq!(orders(&[1, 2], 64), Some(vec![1, 2, 3, 4]));
        assert_eq!(orders(&[1, 2, 3], 9), Some(vec![1, 2, 3, 4]));
        assert_eq!(orders(&[1, 2, 3], 8), None);
        assert_eq!(orders(&[], 8), None);
        let basis = Basis::new(&[1, 2], 16).unwrap();
        let refined = basis.refined().unwrap();
        let u: Vec<f64> = (0..10).map(|i| (1.0 + f64::from(i)).sin()).collect();
        let carried = basis.carried_over(&u, &refined);
        for (row, finer) in u.chunks(5).zip(carried.chunks(refined.n_coefficients())) {
            for (a, b) in basis.to_time(row).iter().zip(refined.to_time(finer)) {
                assert!((a - b).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn too_few_samples_are_refused() {
        assert!(Basis::new(&[1, 3], 6).is_none());
        assert!(Basis::new(&[1, 3], 7).is_some());
    }

    #[test]
    fn complex_amplitudes_and_coefficients_agree() {
        let basis = Basis::new(&[1, 2], 8).unwrap();
        let coefficients = vec![0.3, 1.0, 2.0, -0.5, 0.25];
        let amplitudes: Vec<Complex> = (0..3).map(|i| basis.amplitude(&coefficients, i)).collect();
        assert_eq!(basis.coefficients(&amplitudes), coefficients);
        // Re(U e^{iτ}) is the motion.
        let values = basis.to_time(&coefficients);
        for (j, value) in values.iter().enumerate() {
            let turn = |k: usize| Complex::from_polar(1.0, TAU * (k * (j + 1)) as f64 / 8.0);
            let sum: f64 = (0..3).map(|i| (amplitudes[i] * turn(basis.order(i))).re).sum();
            assert!((sum - value).abs() < 1e-14);
        }
    }
}
