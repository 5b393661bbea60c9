//! Responses in time of a run: frequencies side by side, points on disk as they are finished.

use std::f64::consts::TAU;

use rayon::prelude::*;

use super::{Failure, Run};
use crate::case::{Analysis, SweepStart, Transient, TransientMethod};
use crate::contact::{self, Joint};
use crate::continuation::KnownMotion;
use crate::linalg::Complex;
use crate::reduction::{ReducedStructure, plan};
use crate::results::writer::TransientLayout;
use crate::transient::record::harmonics;
use crate::transient::{
    Drive, Method, Settings, Start, SteadyState, System, TransientError, steady_state,
    steady_state_from,
};

impl Run<'_> {
    pub(super) fn transient(&mut self, name: &str, wanted: &Transient) -> Result<(), Failure> {
        let settings = settings(wanted);
        let (system, _) = self.system()?;
        let layout = layout(&system, &settings, wanted.harmonics);
        let probes = layout.probes.clone();
        let label = serde_json::json!(wanted.method);
        let file = self.writer.begin_transient(name, label.as_str().unwrap_or_default(), layout)?;
        let frequencies = wanted.frequencies.values();
        self.progress.begin("time integration", frequencies.len());
        let mut points = Vec::new();
        let mut last: Option<Start> = None;
        // A sweep goes from frequency to frequency; otherwise they are independent.
        let side_by_side = match wanted.start {
            SweepStart::Rest => rayon::current_num_threads(),
            SweepStart::Previous => 1,
        };
        for chunk in frequencies.chunks(side_by_side) {
            let solve = |frequency: &f64| {
                let drive = Drive { omega: TAU * frequency, load: wanted.load_factor };
                match &last {
                    Some(start) => steady_state_from(&system, drive, start, &settings),
                    None => steady_state(&system, drive, &settings),
                }
            };
            let found: Vec<Result<SteadyState, TransientError>> =
                chunk.par_iter().map(solve).collect();
            for (frequency, found) in chunk.iter().zip(found) {
                self.warn_about_motion(name, *frequency, &found);
                let found = found.ok();
                let state = found.as_ref().map(|found| found.start.clone());
                last = state.filter(|_| wanted.start == SweepStart::Previous);
                file.append(*frequency, found.as_ref())?;
                points.push((*frequency, found));
                self.progress.advance(points.len());
            }
        }
        self.progress.end();
        self.remember(name, &points);
        self.summary.add_transient(name, &probes, &points);
        let is_periodic = |found: &SteadyState| found.has_converged;
        let missing = points.iter().filter(|(_, f)| !f.as_ref().is_some_and(is_periodic)).count();
        self.summary.failed_points += missing;
        Ok(())
    }

    /// Keeps the motions of an analysis that a response begins with.
    fn remember(&mut self, name: &str, points: &[(f64, Option<SteadyState>)]) {
        let highest = self.file.case.analysis.iter().filter_map(|analysis| match analysis {
            Analysis::Response(wanted) if wanted.start.as_deref() == Some(name) => {
                wanted.harmonic_orders().last().copied()
            }
            _ => None,
        });
        let Some(highest) = highest.max() else { return };
        let motion = |found: &SteadyState| KnownMotion {
            omega: found.drive.omega,
            amplitudes: found.relative.iter().map(|row| resolved(row, highest)).collect(),
        };
        let periodic = points.iter().filter_map(|(_, found)| found.as_ref());
        let periodic = periodic.filter(|found| found.has_converged);
        self.motions.insert(name.into(), periodic.map(motion).collect());
    }

    /// The reduced structure of the model with its joints, in time.
    pub(super) fn system(&self) -> Result<(System, ReducedStructure), Failure> {
        let plans = plan::plan_all(&self.model, self.plans()?)?;
        let structure = ReducedStructure::new(&self.model, &plans)?;
        let joints = contact::joints(&self.file.case, &self.model, &structure.pairs);
        let system = System::new(&structure, joints)?.with_probes(&self.model, &structure);
        Ok((system, structure))
    }

    fn warn_about_motion(
        &mut self,
        name: &str,
        frequency: f64,
        found: &Result<SteadyState, TransientError>,
    ) {
        let problem = match found {
            Ok(found) if found.has_converged => return,
            Ok(found) => format!(
                "not periodic after {} periods, the last of which changed it by {:.1e}; allow more periods, \
                 or use numerical_damping against ringing of meshed parts",
                found.periods, found.change
            ),
            Err(error) => error.to_string(),
        };
        self.summary.warnings.push(format!("analysis `{name}`, {frequency} Hz: {problem}"));
    }
}

/// Amplitudes of the harmonics 0 … `highest` that the instants can tell apart.
fn resolved(values: &[f64], highest: usize) -> Vec<Complex> {
    harmonics(values, highest.min(values.len().saturating_sub(1) / 2))
}

fn settings(wanted: &Transient) -> Settings {
    Settings {
        method: match wanted.method {
            TransientMethod::Integration => Method::Integration,
            TransientMethod::Shooting => Method::Shooting,
        },
        steps_per_period: wanted.steps_per_period,
        max_periods: wanted.max_periods,
        tolerance: wanted.tolerance,
        dissipation: wanted.numerical_damping.min(1.0 / 3.0),
    }
}

fn layout(system: &System, settings: &Settings, harmonics: usize) -> TransientLayout {
    let mut rows = vec![(0, String::new()); system.n_relative()];
    for (pair, Joint { rows: own, .. }) in system.joints.iter().enumerate() {
        if let Some(row) = own.normal {
            rows[row] = (pair, "normal".into());
        }
        for (t, row) in own.tangents.iter().enumerate() {
            let number = if t == 0 { String::new() } else { (t + 1).to_string() };
            rows[*row] = (pair, format!("tangential{number}"));
        }
    }
    let probes = system.probes.iter().map(|probe| (probe.name.clone(), probe.unit.clone()));
    TransientLayout {
        probes: probes.collect(),
        rows,
        steps: settings.steps_per_period,
        harmonics,
        multipliers: match settings.method {
            Method::Integration => 0,
            Method::Shooting => system.n_state(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmonics_beyond_the_instants_are_not_made_up() {
        // With 20 instants the harmonics 19 and 21 look like the first.
        let values: Vec<f64> = (1..=20).map(|j| (TAU * f64::from(j) / 20.0).cos()).collect();
        let amplitudes = resolved(&values, 25);
        assert_eq!(amplitudes.len(), 10);
        assert!((amplitudes[1].re - 1.0).abs() < 1e-12, "{}", amplitudes[1]);
        assert!(amplitudes[2..].iter().all(|u| u.norm() < 1e-12), "{amplitudes:?}");
    }
}
