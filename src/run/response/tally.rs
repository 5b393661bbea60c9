//! Headline numbers of a response, counted while its points come.

use std::f64::consts::TAU;

use serde_json::{Map, Value, json};

use super::Observed;
use super::curves::Curve;
use crate::continuation::End;
use crate::harmonic::{Parameters, PointError, Regime};
use crate::results::response::Shape;

/// Headline numbers of a response.
#[derive(Default)]
pub(super) struct Tally {
    pub n_points: usize,
    iterations: usize,
    fallbacks: usize,
    imbalance: f64,
    /// Largest slip and estimated truncation error of every point.
    truncations: Vec<(f64, f64)>,
    /// Largest share of the friction work that is not in the retained harmonics.
    work_truncation: f64,
    pub failures: Vec<Missing>,
    /// For each curve: load factor and, per probe, the largest value and its frequency, not numbers as long as no
    /// point has converged.
    pub peaks: Vec<(f64, Vec<(f64, f64)>)>,
    /// Why each curve ends.
    pub ends: Vec<End>,
    regimes: [usize; 4],
}

impl Tally {
    pub fn new(curves: &[Curve], n_probes: usize) -> Self {
        let peaks = |curve: &Curve| (curve.load(), vec![(f64::NAN, f64::NAN); n_probes]);
        Self {
            peaks: curves.iter().map(peaks).collect(),
            ends: vec![End::default(); curves.len()],
            ..Self::default()
        }
    }

    /// Largest estimate of the truncation error among points that slip: where next to nothing slips, its
    /// relative error says nothing.
    pub fn worst_truncation(&self) -> f64 {
        let largest = self.truncations.iter().map(|(slip, _)| *slip).fold(0.0, f64::max);
        let slipping = self.truncations.iter().filter(|(slip, _)| *slip > 0.05 * largest);
        slipping.map(|(_, truncation)| *truncation).fold(0.0, f64::max)
    }

    pub fn add(&mut self, at: usize, Observed { record, failure }: &Observed) {
        let missing = |error| Missing::new(at, &record.parameters, error);
        self.failures.extend(failure.as_ref().map(missing));
        self.n_points += 1;
        self.iterations += record.iterations;
        if !record.is_converged {
            return;
        }
        self.fallbacks += usize::from(record.attempts > 1);
        let slip = record.loops.iter().map(|measures| measures.max_slip).fold(0.0, f64::max);
        self.truncations.push((slip, record.truncation));
        if let Some(energy) = &record.energy {
            self.imbalance = self.imbalance.max(energy.imbalance());
            self.work_truncation = self.work_truncation.max(energy.truncation());
        }
        for measures in &record.loops {
            self.regimes[measures.regime as usize] += 1;
        }
        let frequency = record.parameters.omega / TAU;
        for (probe, peak) in self.peaks[record.curve].1.iter_mut().enumerate() {
            let value = record.maximum(probe);
            if peak.0.is_nan() || value > peak.0 {
                *peak = (value, frequency);
            }
        }
    }

    pub fn summary(&self, shape: &Shape) -> Value {
        let solved = self.n_points - self.failures.len();
        let curve = |i: usize| {
            let (load, peaks) = &self.peaks[i];
            let of = |((name, unit), (value, frequency)): (&(String, String), &(f64, f64))| {
                let peak = json!({"maximum": value, "unit": unit, "frequency": frequency});
                (name.clone(), peak)
            };
            let peaks: Map<String, Value> = shape.probes.iter().zip(peaks).map(of).collect();
            json!({"load_factor": load, "peaks": peaks, "ended": ended(self.ends[i])})
        };
        json!({
            "type": "response",
            "points": self.n_points,
            "converged": solved,
            "failed": self.failures.len(),
            "failed_points": self.failures.iter().map(|f| f.attempts.clone()).collect::<Vec<_>>(),
            "mean_iterations": self.iterations as f64 / self.n_points.max(1) as f64,
            "points_with_fallback": self.fallbacks,
            "max_energy_imbalance": self.imbalance,
            "max_truncation": self.worst_truncation(),
            "max_work_truncation": self.work_truncation,
            "regimes": {
                "stick": self.regimes[Regime::Stick as usize],
                "partial_slip": self.regimes[Regime::PartialSlip as usize],
                "gross_slip": self.regimes[Regime::GrossSlip as usize],
                "apart": self.regimes[Regime::Apart as usize],
            },
            "curves": (0..self.peaks.len()).map(curve).collect::<Vec<_>>(),
        })
    }
}

/// Why a curve ends, in a word.
fn ended(end: End) -> &'static str {
    match end {
        End::Range => "range",
        End::Lost => "no_solution",
        End::Full => "max_points",
        End::Unwanted => "not_written",
    }
}

/// A point without solution.
pub(super) struct Missing {
    /// Its place in the lists.
    pub at: usize,
    pub message: String,
    /// The residuals of every attempt at it.
    attempts: Value,
}

impl Missing {
    fn new(at: usize, parameters: &Parameters, error: &PointError) -> Self {
        let attempts = error
            .attempts()
            .iter()
            .map(|attempt| json!({"strategy": attempt.strategy, "residuals": attempt.history}));
        let attempts = json!({
            "frequency": parameters.omega / TAU,
            "load_factor": parameters.load,
            "attempts": attempts.collect::<Vec<_>>(),
        });
        Self { at, message: format!("{}: {error}", describe(parameters)), attempts }
    }
}

fn describe(parameters: &Parameters) -> String {
    let Parameters { omega, load, preload, friction, .. } = parameters;
    let mut text = format!("{:.6} Hz at load factor {load}", omega / TAU);
    if *preload != 1.0 {
        text += &format!(", preload factor {preload}");
    }
    if *friction != 1.0 {
        text += &format!(", friction factor {friction}");
    }
    text
}
