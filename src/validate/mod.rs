//! Validation: numbers of this program beside numbers of the literature.
//!
//! Each folder `validation/<name>/` holds a `checks.toml` and a README with the story. A check names a
//! quantity, its source, how our value is obtained (a number out of the results of a case, a number of a
//! [`line_contact`] or of a phase resonance ([`quadrature`]) in them, a number of one of the [`friction_laws`], or one
//! of the [`measures`] of the library), the reference (a number, or a closed form: [`oscillator`]), the tolerance and
//! the reason for it. An entry may draw [`figures`] of its own.

use std::path::{Path, PathBuf};
use std::time::Instant;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::analytical::richard_abbott::RichardAbbott;
use crate::case::{CaseSource, Override};
use crate::error::Error;
use crate::friction::larger;
use crate::page::Figure;
use crate::progress::Progress;
use crate::results::ResultReader;
use crate::run;

pub mod figures;
pub mod friction_laws;
pub mod line_contact;
pub mod measures;
pub mod oscillator;
pub mod page;
pub mod quadrature;
pub mod table;

/// A `checks.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checks {
    /// Takes minutes: left out by `--fast`.
    #[serde(default)]
    slow: bool,
    check: Vec<Check>,
    #[serde(default)]
    figure: Vec<figures::FigureTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    quantity: String,
    source: String,
    value: Operand,
    /// Subtracted from the value.
    minus: Option<Operand>,
    /// The value is divided by this.
    divide_by: Option<Operand>,
    reference: Option<Reference>,
    /// Measured value, shown.
    experiment: Option<f64>,
    /// Value that others have computed, shown.
    published: Option<f64>,
    #[serde(default)]
    relation: Relation,
    /// Left out by `--fast`.
    #[serde(default)]
    slow: bool,
    /// Allowed relative difference, or absolute difference where the reference is zero.
    tolerance: Option<f64>,
    #[serde(default)]
    unit: String,
    /// Why this tolerance.
    #[serde(default)]
    reason: String,
}

/// What our value is compared with.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Reference {
    Number(f64),
    Oscillator(oscillator::Amplitude),
}

/// How a number is obtained.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Operand {
    Result(CaseResult),
    LineContact(LineContactResult),
    PhaseResonance(PhaseResonanceResult),
    RichardAbbott(RichardAbbottResult),
    Law(Box<friction_laws::LawMeasure>),
    Measure(measures::Measure),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseResult {
    /// Case file, relative to the folder of the validation.
    case: String,
    /// Place in the results, such as `/modal/frequency[0]`.
    result: String,
    /// Values of the case that are replaced.
    #[serde(default)]
    set: IndexMap<String, toml::Value>,
    /// The relative error against this is taken.
    error_of: Option<oscillator::Amplitude>,
    /// The largest relative difference from the same result of a run with these values is taken.
    change_from: Option<IndexMap<String, toml::Value>>,
}

/// A number of a line contact, from the results of a case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineContactResult {
    case: String,
    line_contact: line_contact::Quantity,
    /// First face of the contact, "part.set".
    face: String,
    theory: line_contact::Theory,
    #[serde(default)]
    set: IndexMap<String, toml::Value>,
}

/// A number of a phase resonance, from the results of a case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PhaseResonanceResult {
    case: String,
    /// The probe whose phase is looked at.
    phase_resonance: String,
    #[serde(default)]
    quantity: quadrature::Quantity,
    /// Name of the response.
    #[serde(default = "response")]
    response: String,
    /// Load factor of the curve.
    #[serde(default = "one")]
    level: f64,
    #[serde(default)]
    set: IndexMap<String, toml::Value>,
}

/// Stiffness of a joint at an amplitude.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RichardAbbottResult {
    richard_abbott: RichardAbbott,
    /// A result that is an amplitude \[m\].
    amplitude: CaseResult,
}

fn response() -> String {
    "response".into()
}

fn one() -> f64 {
    1.0
}

/// How our value must relate to the reference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Equal within the tolerance.
    #[default]
    Equal,
    /// Not less.
    AtLeast,
    /// Not more.
    AtMost,
    /// Shown, not judged.
    Info,
}

/// Outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Within the tolerance.
    Pass,
    /// Outside the tolerance.
    Fail,
    /// Not judged.
    Info,
}

/// One line of the validation table.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Folder name.
    pub validation: String,
    /// What is compared.
    pub quantity: String,
    /// Where the reference comes from.
    pub source: String,
    /// Measured value, where there is one.
    pub experiment: Option<f64>,
    /// Value that others have computed, where there is one.
    pub published: Option<f64>,
    /// Reference value, if there is one.
    pub reference: Option<f64>,
    /// Our value.
    pub ours: f64,
    /// Relative difference, or absolute where the reference is zero.
    pub difference: Option<f64>,
    /// Allowed difference.
    pub tolerance: Option<f64>,
    /// Outcome.
    pub verdict: Verdict,
    /// How ours must relate to the reference.
    pub relation: Relation,
    /// Unit of reference and ours.
    pub unit: String,
    /// Why this tolerance.
    pub reason: String,
}

/// What to validate and where to put the results of the cases.
#[derive(Debug)]
pub struct Request<'a> {
    /// The folder `validation/`.
    pub folder: &'a Path,
    /// Only this entry.
    pub name: Option<&'a str>,
    /// Leave slow entries out.
    pub fast: bool,
    /// Results of the cases go below this.
    pub output: &'a Path,
}

/// An entry that was run.
#[derive(Debug)]
pub struct Entry {
    /// Name of its folder.
    pub name: String,
    /// Its story, in Markdown.
    pub story: String,
    /// Its rows of the table.
    pub rows: Vec<Row>,
    /// Its own figures.
    pub figures: Vec<Figure>,
    /// The runs behind the rows, in the order of the rows.
    pub runs: Vec<CaseRun>,
    /// How long it took \[s\].
    pub seconds: f64,
}

/// A case that was run.
#[derive(Debug, Clone)]
pub struct CaseRun {
    /// Directory of its results.
    pub directory: PathBuf,
    /// Keys that were set, with their values.
    pub settings: Vec<String>,
}

/// Runs the entries.
pub fn validate(request: &Request, progress: &mut dyn Progress) -> Result<Vec<Entry>, Error> {
    let mut list = Vec::new();
    for name in entries(request)? {
        let folder = request.folder.join(&name);
        let checks = read_checks(&folder)?;
        if checks.slow && request.fast {
            continue;
        }
        let story = std::fs::read_to_string(folder.join("README.md")).unwrap_or_default();
        let mut evaluator =
            Evaluator { folder, output: request.output.join(&name), runs: IndexMap::new() };
        let start = Instant::now();
        let wanted: Vec<&Check> =
            checks.check.iter().filter(|c| !(c.slow && request.fast)).collect();
        let mut rows = Vec::new();
        progress.begin(&name, wanted.len());
        for (i, check) in wanted.into_iter().enumerate() {
            rows.push(evaluator.row(&name, check)?);
            progress.advance(i + 1);
        }
        let mut figures = Vec::new();
        for figure in checks.figure.iter().filter(|figure| !(figure.slow && request.fast)) {
            figures.push(figure.draw(&mut evaluator, &rows)?);
        }
        progress.end();
        let seconds = start.elapsed().as_secs_f64();
        let runs = evaluator.runs.into_values().map(|(run, _)| run).collect();
        list.push(Entry { name, story, rows, figures, runs, seconds });
    }
    Ok(list)
}

fn entries(request: &Request) -> Result<Vec<String>, Error> {
    let fail =
        |message: String| Error::Validation { file: request.folder.display().to_string(), message };
    let list = std::fs::read_dir(request.folder).map_err(|e| {
        fail(format!("{e}; run from the top folder of the repository or use --folder"))
    })?;
    let mut names: Vec<String> = list
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("checks.toml").is_file())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_string()))
        .collect();
    names.sort();
    match request.name {
        None => Ok(names),
        Some(name) if names.iter().any(|known| known == name) => Ok(vec![name.to_string()]),
        Some(name) => Err(fail(format!("no entry `{name}`; there are: {}", names.join(", ")))),
    }
}

fn read_checks(folder: &Path) -> Result<Checks, Error> {
    let path = folder.join("checks.toml");
    let fail = |message: String| Error::Validation { file: path.display().to_string(), message };
    let text = std::fs::read_to_string(&path).map_err(|e| fail(e.to_string()))?;
    let checks: Checks = toml::from_str(&text).map_err(|e| fail(e.to_string()))?;
    for check in &checks.check {
        let judged = check.relation != Relation::Info;
        let incomplete = check.reference.is_none()
            || (check.relation == Relation::Equal && check.tolerance.is_none());
        if judged && incomplete {
            let message = format!("`{}` has no reference or tolerance", check.quantity);
            return Err(fail(message));
        }
    }
    Ok(checks)
}

/// Obtains values, running each case once.
struct Evaluator {
    folder: PathBuf,
    output: PathBuf,
    runs: IndexMap<String, (CaseRun, ResultReader)>,
}

impl Evaluator {
    /// Name of the entry.
    fn name(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn row(&mut self, validation: &str, check: &Check) -> Result<Row, Error> {
        let mut ours = self.value(&check.value)?;
        if let Some(operand) = &check.minus {
            ours -= self.value(operand)?;
        }
        if let Some(operand) = &check.divide_by {
            ours /= self.value(operand)?;
        }
        let reference = check.reference.map(|reference| self.reference(reference)).transpose()?;
        let difference = reference.map(|reference| {
            if reference == 0.0 { ours } else { (ours - reference) / reference.abs() }
        });
        Ok(Row {
            validation: validation.to_string(),
            quantity: check.quantity.clone(),
            source: check.source.clone(),
            experiment: check.experiment,
            published: check.published,
            reference,
            ours,
            difference,
            tolerance: check.tolerance,
            verdict: verdict(check, ours, reference, difference),
            relation: check.relation,
            unit: check.unit.clone(),
            reason: check.reason.clone(),
        })
    }

    fn value(&mut self, operand: &Operand) -> Result<f64, Error> {
        match operand {
            Operand::Measure(measure) => Ok(measure.value()),
            Operand::RichardAbbott(wanted) => {
                let CaseResult { case, result, set, .. } = &wanted.amplitude;
                let amplitude = self.results(case, set)?.scalar(result)?;
                Ok(wanted.richard_abbott.stiffness_at(amplitude))
            }
            Operand::Law(measure) => Ok(measure.value()),
            Operand::LineContact(LineContactResult { case, line_contact, face, theory, set }) => {
                let results = self.results(case, set)?;
                Ok(line_contact::value(results, face, *line_contact, theory)?)
            }
            Operand::PhaseResonance(wanted) => {
                let PhaseResonanceResult { response, phase_resonance: probe, level, .. } = wanted;
                let curve = quadrature::Curve { response, probe, level: *level };
                let results = self.results(&wanted.case, &wanted.set)?;
                Ok(quadrature::value(results, curve, wanted.quantity)?)
            }
            Operand::Result(CaseResult { case, result, set, error_of, change_from }) => {
                if let Some(other) = change_from {
                    let ours = self.results(case, set)?.values(result)?;
                    let others = self.results(case, other)?.values(result)?;
                    return Ok(largest_change(&ours, &others));
                }
                let ours = self.results(case, set)?.scalar(result)?;
                error_of.map_or(Ok(ours), |form| Ok(ours / self.amplitude(form)? - 1.0))
            }
        }
    }

    fn reference(&self, reference: Reference) -> Result<f64, Error> {
        match reference {
            Reference::Number(number) => Ok(number),
            Reference::Oscillator(form) => self.amplitude(form),
        }
    }

    fn amplitude(&self, form: oscillator::Amplitude) -> Result<f64, Error> {
        form.value().ok_or_else(|| Error::Validation {
            file: self.folder.join("checks.toml").display().to_string(),
            message: format!("{form:?} has no periodic motion"),
        })
    }

    fn results(
        &mut self,
        case: &str,
        set: &IndexMap<String, toml::Value>,
    ) -> Result<&ResultReader, Error> {
        let settings: Vec<String> =
            set.iter().map(|(path, value)| format!("{path} = {value}")).collect();
        let key = format!("{case} {settings:?}");
        if !self.runs.contains_key(&key) {
            let overrides = set
                .iter()
                .map(|(path, value)| Override { path: path.clone(), value: value.to_string() });
            let source = CaseSource::from_file(&self.folder.join(case), overrides.collect())?;
            let directory = self.output.join(format!("run_{:03}", self.runs.len() + 1));
            run::run(source, &directory, &mut crate::progress::Silent)?;
            let reader = ResultReader::open(&directory)?;
            self.runs.insert(key.clone(), (CaseRun { directory, settings }, reader));
        }
        Ok(&self.runs[&key].1)
    }
}

/// Largest |a/b − 1|; infinite for lists of different lengths, NaN where a number is missing.
fn largest_change(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    a.iter().zip(b).fold(0.0, |largest, (a, b)| larger(largest, (a / b - 1.0).abs()))
}

fn verdict(check: &Check, ours: f64, reference: Option<f64>, difference: Option<f64>) -> Verdict {
    let passed = match (check.relation, reference, difference) {
        (Relation::Info, ..) => return Verdict::Info,
        (_, Some(reference), _) if check.relation == Relation::AtLeast => ours >= reference,
        (_, Some(reference), _) if check.relation == Relation::AtMost => ours <= reference,
        (_, _, Some(difference)) => difference.abs() <= check.tolerance.unwrap_or(0.0),
        _ => false,
    };
    if passed { Verdict::Pass } else { Verdict::Fail }
}
