//! A run from case file to results: the data-flow sentence of ARCHITECTURE.md as code.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use thiserror::Error;

use crate::case::{Analysis, CaseError, CaseFile, CaseSource, ContactState};
use crate::continuation::KnownMotion;
use crate::error::Error;
use crate::linalg::{Complex, Symbolic};
use crate::linear::{LinearError, ModeRange, modes, statics};
use crate::model::{self, Model, ProbeRow};
use crate::progress::Progress;
use crate::reduction::ReductionError;
use crate::report;
use crate::results::{FILE_NAME, ResultError, ResultReader, ResultWriter, Summary, vtu};
use crate::transient::TransientError;

mod follow_up;
mod frf;
mod history;
mod reduction;
mod response;
mod stability;
mod target;
mod transient;
mod wear;

/// Modes of an analysis that does not say how many.
const DEFAULT_MODES: usize = 10;

/// Runs a case; results are in `directory` afterwards.
pub fn run(
    source: CaseSource,
    directory: &Path,
    progress: &mut dyn Progress,
) -> Result<Summary, Error> {
    let file = model::load_case(source)?;
    run_file(&file, directory, None, progress)
}

/// Runs a case, with the increments of wear that an earlier, killed run has left in `directory`.
pub fn resume(
    source: CaseSource,
    directory: &Path,
    progress: &mut dyn Progress,
) -> Result<Summary, Error> {
    let file = model::load_case(source)?;
    let path = directory.join(FILE_NAME);
    // A run killed before its first increment has left nothing.
    let earlier = path.exists().then(|| ResultReader::open(&path)).transpose()?;
    if let Some(results) = &earlier
        && !results.is_of(&file)?
    {
        let path = path.display();
        return Err(Error::Usage(format!(
            "--resume: {path} was made from another case, other files or another version; run without \
             --resume, or with -o DIR"
        )));
    }
    run_file(&file, directory, earlier, progress)
}

fn run_file(
    file: &CaseFile,
    directory: &Path,
    earlier: Option<ResultReader>,
    progress: &mut dyn Progress,
) -> Result<Summary, Error> {
    ResultWriter::probe(directory)?;
    progress.begin("model", 0);
    let model = Model::build(file, ContactState::Open)?;
    vtu::remove_earlier(directory)?;
    report::remove_earlier(directory)?;
    // Long histories must survive a kill at any moment.
    let is_guarded = file.case.analysis.iter().any(|a| matches!(a, Analysis::Wear(_)));
    let mut writer = ResultWriter::create(directory, is_guarded)?;
    writer.write_model(file, &model)?;
    let symbolic = model.symbolic()?;
    progress.end();
    let mut summary = Summary {
        title: file.case.title.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        model: sizes(&model, &symbolic),
        warnings: warnings(file, &model),
        ..Default::default()
    };
    let summary_of = &mut summary;
    let motions = BTreeMap::new();
    let mut run =
        Run { file, model, symbolic, writer, earlier, motions, summary: summary_of, progress };
    let mut outcome = Ok(());
    for analysis in &file.case.analysis {
        outcome = run.analyse(analysis);
        if outcome.is_err() {
            break;
        }
    }
    let Run { writer, .. } = run;
    let path = writer.finish()?;
    if let Err(error) = &outcome {
        summary.warnings.push(error.to_string());
    }
    summary.write(directory)?;
    let results = ResultReader::open(&path)?;
    vtu::export(&results, directory)?;
    report::write(&results, directory)?;
    outcome.map(|()| summary)
}

/// Where the results of a case go: `results/<case>`, folders below `cases/` kept.
pub fn default_directory(case: &Path) -> PathBuf {
    let stem = case.with_extension("");
    let parts: Vec<&OsStr> = stem
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    let has_detour = stem.components().any(|part| part == Component::ParentDir);
    let below = parts.iter().rposition(|part| *part == "cases").filter(|_| !has_detour);
    let name: PathBuf = match below {
        Some(cases) if cases + 1 < parts.len() => parts[cases + 1..].iter().collect(),
        _ => parts.last().map_or_else(|| "case".into(), PathBuf::from),
    };
    Path::new("results").join(name)
}

/// What the user should know about a case whatever comes out of it.
pub fn warnings(file: &CaseFile, model: &Model) -> Vec<String> {
    model::doubts(&file.case, &model.geometry).iter().map(ToString::to_string).collect()
}

/// Sizes of a model and an estimate of the memory a factorisation takes.
pub fn sizes(model: &Model, symbolic: &Symbolic) -> serde_json::Map<String, Value> {
    let elements = &model.elements;
    let stored = model.operators.stiffness.free.values().len();
    let factor = symbolic.factor_entries();
    // Mesh and model, pattern and matrices, and a factor with work space, in doubles; a damped direct
    // response holds a factor of twice the size in both directions on every thread.
    let is_damped = model.rayleigh != (0.0, 0.0) || model.operators.dashpots.is_some();
    let factors = if is_damped { 4 * rayon::current_num_threads() } else { 1 };
    let entries = 40 * model.geometry.coordinates.len() + 5 * stored + factors * (factor + stored);
    let megabytes = 10.0 + 8.0 * entries as f64 / 1e6;
    let entries = [
        ("parts", json!(model.geometry.parts.len())),
        ("nodes", json!(model.geometry.coordinates.len())),
        ("elements", json!(elements.quads.len() + elements.beams.len())),
        ("quadrilaterals", json!(elements.quads.len())),
        ("beams", json!(elements.beams.len())),
        ("springs", json!(elements.springs.len())),
        ("free_freedoms", json!(model.dofs.n_free)),
        ("prescribed_freedoms", json!(model.dofs.n_prescribed())),
        ("contact_pairs", json!(model.interfaces.iter().map(|i| i.pairs.len()).sum::<usize>())),
        ("matrix_entries", json!(stored)),
        ("factor_entries", json!(factor)),
        ("memory_estimate_mb", json!((10.0 * megabytes).round() / 10.0)),
        ("total_mass_kg", json!(model.total_mass())),
    ];
    entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// A model, its results file and its summary while a run goes on.
struct Run<'a> {
    file: &'a CaseFile,
    model: Model,
    symbolic: Symbolic,
    writer: ResultWriter,
    /// Results of a killed run to go on from.
    earlier: Option<ResultReader>,
    /// Motions in time that responses begin with, by analysis.
    motions: BTreeMap<String, Vec<KnownMotion>>,
    summary: &'a mut Summary,
    progress: &'a mut dyn Progress,
}

/// Why an analysis stopped; its name is added on the way up.
#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Linear(#[from] LinearError),
    #[error(transparent)]
    Reduction(#[from] ReductionError),
    #[error(transparent)]
    Transient(#[from] TransientError),
    #[error(transparent)]
    Case(CaseError),
    #[error(transparent)]
    Results(#[from] ResultError),
}

impl Run<'_> {
    fn analyse(&mut self, analysis: &Analysis) -> Result<(), Error> {
        let name = analysis.name();
        let outcome = match analysis {
            Analysis::Static { .. } => self.statics(name),
            Analysis::Modal { modes, up_to, contact, .. } => {
                let default = DEFAULT_MODES.min(self.model.n_massive().max(1));
                let count = ModeRange::Count(modes.unwrap_or(default));
                self.modal(name, up_to.map_or(count, ModeRange::UpTo), *contact)
            }
            Analysis::Response(wanted) => self.response(name, wanted, None),
            Analysis::Wear(wanted) => self.wear(name, wanted),
            Analysis::Reduction { compare, .. } => self.reduction(name, *compare),
            Analysis::Frf(wanted) => self.frf(name, wanted),
            Analysis::History(wanted) => self.history(name, wanted),
            Analysis::Transient(wanted) => self.transient(name, wanted),
        };
        outcome.map_err(|failure| match failure {
            Failure::Linear(error) => Error::Analysis { name: name.to_string(), error },
            Failure::Reduction(error) => Error::Reduction { name: name.to_string(), error },
            Failure::Transient(error) => Error::Transient { name: name.to_string(), error },
            Failure::Case(error) => Error::Case(error),
            Failure::Results(error) => Error::Results(error),
        })
    }

    fn statics(&mut self, name: &str) -> Result<(), Failure> {
        self.progress.begin("static", 0);
        let model = &self.model;
        let solution = statics::solve(model, &self.symbolic)?;
        self.progress.end();
        let displacement = model.dofs.expand(&solution.displacement);
        let load: Vec<Complex> = model.loads.nodal_constant.iter().map(|f| (*f).into()).collect();
        let probe = |(probe, row): (&String, &ProbeRow)| {
            let functional = model.functional(row, None, &load);
            let value = functional.value_at_rest(&solution.displacement);
            (probe.clone(), functional.unit, value)
        };
        let probes: Vec<(String, String, f64)> = model.probes.iter().map(probe).collect();
        self.writer.write_static(name, &displacement, &model.stress(&displacement), &probes)?;
        self.summary.add_static(name, &probes, solution.residual);
        Ok(())
    }

    fn modal(
        &mut self,
        name: &str,
        range: ModeRange,
        contact: ContactState,
    ) -> Result<(), Failure> {
        let bonded = self.bonded(contact)?;
        let own = (&self.model, &self.symbolic);
        let (model, symbolic) = bonded.as_ref().map_or(own, |(model, symbolic)| (model, symbolic));
        let solution = modes::solve(model, symbolic, range, self.progress)?;
        let frequencies = solution.frequencies();
        let dofs = &model.dofs;
        let shapes: Vec<Vec<[f64; 4]>> = (0..frequencies.len())
            .map(|mode| {
                let mut q = solution.shape(mode);
                q.resize(q.len() + dofs.n_prescribed(), 0.0);
                dofs.expand(&q)
            })
            .collect();
        self.writer.write_modal(name, &frequencies, &shapes)?;
        let n_rigid = solution.n_rigid;
        if n_rigid > 0 {
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

    /// The model with its contacts bonded, if they are stuck.
    fn bonded(&self, contact: ContactState) -> Result<Option<(Model, Symbolic)>, Failure> {
        if contact == ContactState::Open {
            return Ok(None);
        }
        let model = Model::build(self.file, ContactState::Stuck).map_err(Failure::Case)?;
        let symbolic = model.symbolic().map_err(LinearError::from)?;
        Ok(Some((model, symbolic)))
    }
}
