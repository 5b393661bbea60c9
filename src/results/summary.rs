//! `summary.json`: the headline numbers of a run.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::ResultError;
use crate::linear::FrfPoint;
use crate::reduction::{Quality, Superelement};
use crate::transient::SteadyState;

/// Name of the summary in a results directory.
pub const FILE_NAME: &str = "summary.json";

/// Headline numbers, warnings and files of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// Title of the case.
    pub title: String,
    /// Program version.
    pub version: String,
    /// Sizes of the model.
    pub model: Map<String, Value>,
    /// Headline numbers of each analysis, by name.
    pub analyses: Map<String, Value>,
    /// Points of responses without a solution, and frequencies without a periodic motion in time.
    pub failed_points: usize,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Summary {
    /// Adds a static analysis: value and unit of every probe.
    pub fn add_static(&mut self, name: &str, probes: &[(String, String, f64)], residual: f64) {
        let values: Map<String, Value> = probes
            .iter()
            .map(|(probe, unit, value)| (probe.clone(), json!({"value": value, "unit": unit})))
            .collect();
        let entry = json!({"type": "static", "probes": values, "residual": residual});
        self.analyses.insert(name.into(), entry);
    }

    /// Adds a modal analysis.
    pub fn add_modal(&mut self, name: &str, frequencies: &[f64], n_rigid: usize) {
        let entry = json!({
            "type": "modal",
            "frequency": frequencies,
            "unit": "Hz",
            "rigid_body_modes": n_rigid,
        });
        self.analyses.insert(name.into(), entry);
    }

    /// Adds a frequency response: the largest amplitude of every probe (name, unit) and where it is.
    pub fn add_frf(&mut self, name: &str, probes: &[(String, String)], points: &[FrfPoint]) {
        let mut peaks = Map::new();
        for (i, (probe, unit)) in probes.iter().enumerate() {
            let amplitude = |point: &&FrfPoint| point.values[i].norm();
            let peak = points.iter().max_by(|a, b| amplitude(a).total_cmp(&amplitude(b)));
            if let Some(point) = peak {
                let (frequency, amplitude) = (point.frequency, amplitude(&point));
                let entry = json!({"frequency": frequency, "amplitude": amplitude, "unit": unit});
                peaks.insert(probe.clone(), entry);
            }
        }
        let entry = json!({"type": "frf", "points": points.len(), "peaks": peaks});
        self.analyses.insert(name.into(), entry);
    }

    /// Adds responses in time, by frequency: the largest value of every probe (name, unit) and where it
    /// is, and how many frequencies became periodic.
    pub fn add_transient(
        &mut self,
        name: &str,
        probes: &[(String, String)],
        points: &[(f64, Option<SteadyState>)],
    ) {
        let mut peaks = Map::new();
        for (i, (probe, unit)) in probes.iter().enumerate() {
            let values = points.iter().filter_map(|(frequency, found)| {
                let found = found.as_ref().filter(|found| found.has_converged)?;
                Some((*frequency, found.max_probe(i)))
            });
            if let Some((frequency, largest)) = values.max_by(|a, b| a.1.total_cmp(&b.1)) {
                let entry = json!({"frequency": frequency, "amplitude": largest, "unit": unit});
                peaks.insert(probe.clone(), entry);
            }
        }
        let is_periodic = |found: &SteadyState| found.has_converged;
        let periodic = points.iter().filter(|(_, f)| f.as_ref().is_some_and(is_periodic)).count();
        let entry = json!({
            "type": "transient",
            "points": points.len(),
            "periodic": periodic,
            "peaks": peaks,
        });
        self.analyses.insert(name.into(), entry);
    }

    /// Adds the quality of reductions, body by body.
    pub fn add_reduction(&mut self, name: &str, reports: &[(Superelement, Quality)]) {
        let mut bodies = Map::new();
        for (superelement, quality) in reports {
            let entry = json!({
                "boundary_freedoms": superelement.boundary.len(),
                "internal_freedoms": superelement.internal.len(),
                "modes": superelement.n_modes(),
                "reduced_frequency": quality.reduced,
                "full_frequency": quality.full,
                "frequency_error": quality.frequency_error(),
                "paired_mac": quality.paired_mac(),
            });
            bodies.insert(superelement.name.clone(), entry);
        }
        self.analyses.insert(name.into(), json!({"type": "reduction", "bodies": bodies}));
    }

    /// Writes `summary.json` into a results directory.
    pub fn write(&self, directory: &Path) -> Result<(), ResultError> {
        let path = directory.join(FILE_NAME);
        let text = serde_json::to_string_pretty(self).map_err(|e| ResultError::write(&path, e))?;
        fs::write(&path, text + "\n").map_err(|error| ResultError::write(path, error))
    }
}
