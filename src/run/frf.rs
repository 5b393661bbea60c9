//! Frequency responses of a run: points go to disk as they are finished.

use serde_json::json;

use super::{Failure, Run};
use crate::case::{Damping, FrfMethod, FrfQuantity};
use crate::linalg::Complex;
use crate::linear::{FrfPoint, FrfRequest, ModeRange, response};
use crate::model::probes::Functional;
use crate::model::{Model, Operator};
use crate::progress::Progress;
use crate::results::ResultError;
use crate::results::writer::FrfWriter;

/// Modes of a superposition that does not say how many.
const DEFAULT_SUPERPOSED: usize = 20;

impl Run<'_> {
    pub(super) fn frf(
        &mut self,
        name: &str,
        method: FrfMethod,
        n_modes: Option<usize>,
        quantity: FrfQuantity,
        frequencies: &[f64],
    ) -> Result<(), Failure> {
        let modes = match method {
            FrfMethod::Direct => None,
            FrfMethod::Modal => {
                let available = self.model.n_massive();
                let count = n_modes.unwrap_or(DEFAULT_SUPERPOSED.min(available));
                Some(self.modes(ModeRange::Count(count))?)
            }
        };
        let damping = self.model.damping();
        let functionals = functionals(&self.model, damping.as_ref(), quantity);
        let named = self.model.probes.keys().zip(&functionals);
        let probes: Vec<(String, String)> =
            named.map(|(probe, functional)| (probe.clone(), functional.unit.clone())).collect();
        let quantity = json!(quantity);
        let file = self.writer.begin_frf(name, quantity.as_str().unwrap_or_default(), &probes)?;
        let request = FrfRequest {
            model: &self.model,
            damping: damping.as_ref(),
            functionals: &functionals,
            frequencies,
        };
        self.progress.begin("frequency response", frequencies.len());
        let mut recorder = Recorder::new(file, self.progress);
        let mut receive = |points: &[FrfPoint]| recorder.record(points);
        let outcome = match &modes {
            None => response::direct(&request, &self.symbolic, &mut receive),
            Some(modes) => {
                let ratios: &[f64] = match &self.file.case.damping {
                    Some(Damping::Modal { ratios }) => ratios,
                    _ => &[],
                };
                response::superposition(&request, &self.symbolic, modes, ratios, &mut receive)
            }
        };
        let Recorder { points, written, .. } = recorder;
        self.progress.end();
        written?;
        self.summary.add_frf(name, &probes, &points);
        Ok(outcome?)
    }
}

/// Writes points as they come and remembers the first failure to do so.
struct Recorder<'a> {
    file: FrfWriter,
    progress: &'a mut dyn Progress,
    points: Vec<FrfPoint>,
    written: Result<(), ResultError>,
}

impl<'a> Recorder<'a> {
    fn new(file: FrfWriter, progress: &'a mut dyn Progress) -> Self {
        Self { file, progress, points: Vec::new(), written: Ok(()) }
    }

    fn record(&mut self, points: &[FrfPoint]) {
        self.points.extend_from_slice(points);
        self.progress.advance(self.points.len());
        if self.written.is_ok() {
            self.written = self.file.append(points);
        }
    }
}

/// The probes as functionals of the motion, as they are or per unit force.
fn functionals(
    model: &Model,
    damping: Option<&Operator>,
    quantity: FrfQuantity,
) -> Vec<Functional> {
    let order = match quantity {
        FrfQuantity::Response => None,
        FrfQuantity::Receptance => Some(0),
        FrfQuantity::Mobility => Some(1),
        FrfQuantity::Accelerance => Some(2),
    };
    let per_force: Option<(u8, Complex)> = order.zip(model.loads.reference_force);
    let functional = |row| match per_force {
        Some((order, force)) => model.functional_per_force(row, damping, order, force),
        None => model.functional(row, damping, &model.loads.nodal_harmonic),
    };
    model.probes.values().map(functional).collect()
}
