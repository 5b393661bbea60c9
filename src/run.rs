//! A run from case file to results: the data-flow sentence of ARCHITECTURE.md as code.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use crate::case::{Analysis, CaseFile, CaseSource, Damping, FrequencyGrid, FrfMethod, FrfQuantity};
use crate::error::Error;
use crate::linalg::{Complex, Symbolic};
use crate::linear::{FrfRequest, LinearError, ModalSolution, ModeRange, modes, response, statics};
use crate::model::probes::Functional;
use crate::model::{Model, Operator};
use crate::progress::Progress;
use crate::results::{ResultError, ResultReader, ResultWriter, Summary, vtu};

/// Modes of an analysis that does not say how many.
const DEFAULT_MODES: usize = 10;
const DEFAULT_SUPERPOSITION_MODES: usize = 20;
/// Modes below this fraction of the highest one found are rigid-body modes.
const RIGID_RATIO: f64 = 1e-8;

/// Runs a case; results are in `directory` afterwards.
pub fn run(
    source: CaseSource,
    directory: &Path,
    progress: &mut dyn Progress,
) -> Result<Summary, Error> {
    let file = CaseFile::load(source)?;
    let mut writer = ResultWriter::create(directory)?;
    progress.begin("model", 0);
    let model = Model::build(&file)?;
    writer.write_model(&file, &model)?;
    let symbolic = model.symbolic()?;
    progress.end();
    let mut summary = Summary {
        title: file.case.title.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        model: sizes(&model, &symbolic),
        ..Default::default()
    };
    let mut run = Run { file: &file, model, symbolic, writer, summary: &mut summary, progress };
    let mut outcome = Ok(());
    for analysis in &file.case.analysis {
        outcome = run.analyse(analysis);
        if outcome.is_err() {
            break;
        }
    }
    let path = run.writer.path().to_path_buf();
    drop(run);
    if let Err(error) = &outcome {
        summary.warnings.push(error.to_string());
    }
    summary.write(directory)?;
    vtu::export(&ResultReader::open(&path)?, directory)?;
    outcome.map(|()| summary)
}

/// Where the results of a case go: `results/<case>`, folders below `cases/` kept.
pub fn default_directory(case: &Path) -> PathBuf {
    let stem = case.with_extension("");
    let parts: Vec<Component> = stem.components().collect();
    let below = parts.iter().rposition(|part| part.as_os_str() == "cases");
    let name: PathBuf = match below {
        Some(cases) if cases + 1 < parts.len() => parts[cases + 1..].iter().collect(),
        _ => stem.file_name().map(PathBuf::from).unwrap_or_else(|| "case".into()),
    };
    Path::new("results").join(name)
}

/// Sizes of a model and an estimate of the memory a factorisation takes.
pub fn sizes(model: &Model, symbolic: &Symbolic) -> serde_json::Map<String, Value> {
    let elements = &model.elements;
    let stored = model.operators.stiffness.free.values().len();
    let factor = symbolic.factor_entries();
    // Pattern and two matrices, the factor and as much again as work space, in doubles.
    let megabytes = 8.0 * (3 * stored + 2 * factor) as f64 / 1e6;
    let entries = [
        ("parts", json!(model.geometry.parts.len())),
        ("nodes", json!(model.geometry.coordinates.len())),
        ("elements", json!(elements.quads.len() + elements.beams.len())),
        ("quadrilaterals", json!(elements.quads.len())),
        ("beams", json!(elements.beams.len())),
        ("springs", json!(elements.springs.len())),
        ("free_freedoms", json!(model.dofs.n_free)),
        ("prescribed_freedoms", json!(model.dofs.n_prescribed())),
        ("contact_pairs", json!(0)),
        ("matrix_entries", json!(stored)),
        ("factor_entries", json!(factor)),
        ("memory_estimate_mb", json!((10.0 * megabytes).round() / 10.0)),
        ("total_mass_kg", json!(model.total_mass())),
    ];
    entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

struct Run<'a> {
    file: &'a CaseFile,
    model: Model,
    symbolic: Symbolic,
    writer: ResultWriter,
    summary: &'a mut Summary,
    progress: &'a mut dyn Progress,
}

impl Run<'_> {
    fn analyse(&mut self, analysis: &Analysis) -> Result<(), Error> {
        let name = analysis.name();
        let failed = |error| Error::Analysis { name: name.to_string(), error };
        match analysis {
            Analysis::Static { .. } => self.statics(name, failed),
            Analysis::Modal { modes, up_to, .. } => {
                let count = ModeRange::Count(modes.unwrap_or(DEFAULT_MODES));
                let range = up_to.map_or(count, ModeRange::UpTo);
                self.modal(name, range, failed)
            }
            Analysis::Frf { method, modes, quantity, frequencies, .. } => {
                let modes = modes.unwrap_or(DEFAULT_SUPERPOSITION_MODES);
                self.frf(name, *method, modes, *quantity, frequencies, failed)
            }
        }
    }

    fn statics(&mut self, name: &str, failed: impl Fn(LinearError) -> Error) -> Result<(), Error> {
        self.progress.begin("static", 0);
        let model = &self.model;
        let solution = statics::solve(model, &self.symbolic).map_err(failed)?;
        self.progress.end();
        let displacement = model.dofs.expand(&solution.displacement);
        let stress: Vec<[f64; 4]> = model
            .elements
            .quads
            .iter()
            .map(|quad| {
                let plane = &model.elements.planes[quad.property];
                let s = model.elements.stress(quad, &model.geometry, &displacement);
                [s[0], s[1], s[2], plane.material.von_mises(plane.state, &s)]
            })
            .collect();
        let load: Vec<Complex> = model.loads.constant.iter().map(|f| (*f).into()).collect();
        let probes: Vec<(String, String, f64)> = model
            .probes
            .iter()
            .map(|(probe, row)| {
                let functional = model.functional(row, None, &load);
                let value = functional.value_at_rest(&solution.displacement);
                (probe.clone(), functional.unit, value)
            })
            .collect();
        self.writer.write_static(name, &displacement, &stress, &probes)?;
        self.summary.add_static(name, &probes, solution.residual);
        Ok(())
    }

    fn modal(
        &mut self,
        name: &str,
        range: ModeRange,
        failed: impl Fn(LinearError) -> Error,
    ) -> Result<(), Error> {
        let solution = self.modes(range).map_err(failed)?;
        let frequencies = solution.frequencies();
        let shapes: Vec<Vec<[f64; 3]>> = (0..frequencies.len())
            .map(|mode| {
                let mut q = solution.shape(mode);
                q.resize(q.len() + self.model.dofs.n_prescribed(), 0.0);
                self.model.dofs.expand(&q)
            })
            .collect();
        self.writer.write_modal(name, &frequencies, &shapes)?;
        let highest = frequencies.last().copied().unwrap_or(0.0);
        let is_rigid = |f: &&f64| **f <= RIGID_RATIO.sqrt() * highest;
        let n_rigid = frequencies.iter().filter(is_rigid).count();
        if n_rigid > 0 && n_rigid < frequencies.len() {
            let warning = format!(
                "analysis `{name}`: {n_rigid} rigid-body modes at 0 Hz: the model is free to move"
            );
            self.summary.warnings.push(warning);
        }
        if frequencies.is_empty() {
            self.summary.warnings.push(format!("analysis `{name}`: no mode lies in the range"));
        }
        self.summary.add_modal(name, &frequencies, n_rigid);
        Ok(())
    }

    fn modes(&mut self, range: ModeRange) -> Result<ModalSolution, LinearError> {
        modes::solve(&self.model, &self.symbolic, range, self.progress)
    }

    fn frf(
        &mut self,
        name: &str,
        method: FrfMethod,
        n_modes: usize,
        quantity: FrfQuantity,
        grid: &FrequencyGrid,
        failed: impl Fn(LinearError) -> Error,
    ) -> Result<(), Error> {
        let modes = match method {
            FrfMethod::Direct => None,
            FrfMethod::Modal => {
                let count = n_modes.min(self.model.dofs.n_free);
                Some(self.modes(ModeRange::Count(count)).map_err(&failed)?)
            }
        };
        let damping = self.model.damping();
        let functionals = self.functionals(damping.as_ref(), quantity);
        let names: Vec<(String, String)> = self
            .model
            .probes
            .keys()
            .zip(&functionals)
            .map(|(probe, functional)| (probe.clone(), functional.unit.clone()))
            .collect();
        let frequencies = grid.values();
        let quantity = json!(quantity);
        let file = self.writer.begin_frf(name, quantity.as_str().unwrap_or_default(), &names)?;
        let request = FrfRequest {
            model: &self.model,
            damping: damping.as_ref(),
            functionals: &functionals,
            frequencies: &frequencies,
        };
        let mut values = vec![Vec::new(); functionals.len()];
        let mut written: Result<(), ResultError> = Ok(());
        let progress = &mut self.progress;
        progress.begin("frequency response", frequencies.len());
        let mut done = 0;
        let mut receive = |points: &[response::FrfPoint]| {
            for point in points {
                values.iter_mut().zip(&point.values).for_each(|(list, value)| list.push(*value));
            }
            done += points.len();
            progress.advance(done);
            if written.is_ok() {
                written = file.append(points);
            }
        };
        let outcome = match &modes {
            None => response::direct(&request, &mut receive),
            Some(modes) => {
                let ratios: &[f64] = match &self.file.case.damping {
                    Some(Damping::Modal { ratios }) => ratios,
                    _ => &[],
                };
                response::superposition(&request, &self.symbolic, modes, ratios, &mut receive)
            }
        };
        self.progress.end();
        written?;
        let probes: Vec<(String, String, Vec<Complex>)> =
            names.into_iter().zip(values).map(|((name, unit), v)| (name, unit, v)).collect();
        self.summary.add_frf(name, &frequencies[..done], &probes);
        outcome.map_err(failed)
    }

    fn functionals(&self, damping: Option<&Operator>, quantity: FrfQuantity) -> Vec<Functional> {
        let model = &self.model;
        let force = model.loads.reference_force;
        let order = match quantity {
            FrfQuantity::Response => None,
            FrfQuantity::Receptance => Some(0),
            FrfQuantity::Mobility => Some(1),
            FrfQuantity::Accelerance => Some(2),
        };
        let functional = |row| match order.zip(force) {
            Some((order, force)) => model.functional_per_force(row, damping, order, force),
            None => model.functional(row, damping, &model.loads.harmonic),
        };
        model.probes.values().map(functional).collect()
    }
}
