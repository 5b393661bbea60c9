//! `report.html`: a run in pictures and words, made from `results.h5` and `summary.json` alone.
//!
//! Warnings come first, then the case, then every analysis in the order of the case. A report can be made
//! again from stored results, those of a run that was killed included: rows that are not complete are left
//! out.

use std::path::Path;

use serde_json::Value;

use crate::case::{Analysis, Case};
use crate::page::{Block, Page, Section};
use crate::plot::{engineering, short};
use crate::results::{ResultError, ResultReader};

mod contact;
mod convergence;
mod frf;
mod mesh;
mod modal;
mod points;
mod reduction;
mod response;
mod statics;
mod transient;
mod words;

/// Name of the report in a results directory.
pub const FILE_NAME: &str = "report.html";

/// What all parts of a report draw from.
struct Source<'a> {
    results: &'a ResultReader,
    case: Case,
    summary: Value,
    mesh: mesh::Mesh,
}

/// The report of a results file.
pub fn page(results: &ResultReader) -> Result<Page, ResultError> {
    let source = Source {
        results,
        case: results.settings()?,
        summary: results.summary(),
        mesh: mesh::Mesh::read(results)?,
    };
    let mut sections = vec![overview(&source), source.the_case()?];
    let written = results.analyses()?;
    let is_written = |name: &str| written.iter().any(|(known, _)| known == name);
    let mut has_frf = false;
    for analysis in source.case.analysis.iter().filter(|a| is_written(a.name())) {
        let name = analysis.name();
        let section = match analysis {
            Analysis::Static { .. } => statics::section(&source, name)?,
            Analysis::Modal { .. } => modal::section(&source, name)?,
            Analysis::Reduction { .. } => reduction::section(&source, name)?,
            Analysis::Frf { .. } if has_frf => continue,
            Analysis::Frf { .. } => {
                has_frf = true;
                frf::section(&source, &written)?
            }
            Analysis::Response(wanted) => response::section(&source, name, wanted)?,
            Analysis::Transient { .. } => transient::section(&source, name)?,
        };
        sections.push(section);
    }
    sections.push(reproduction(&source)?);
    let title = if source.case.title.is_empty() { "Fretwork case" } else { &source.case.title };
    let version = results.attribute("meta", "version").unwrap_or_default();
    let origin = results.attribute("meta", "source").unwrap_or_default();
    let origin = Path::new(&origin).file_name().map(|n| n.to_string_lossy().into_owned());
    let subtitle = format!("{} · Fretwork {version}", origin.unwrap_or_default());
    Ok(Page { title: title.into(), subtitle, sections })
}

/// Writes the report beside the results.
pub fn write(results: &ResultReader, directory: &Path) -> Result<Page, ResultError> {
    let page = page(results)?;
    let path = directory.join(FILE_NAME);
    page.write(&path)
        .map_err(|error| ResultError::Write { path, message: error.to_string() })?;
    Ok(page)
}

/// Warnings, then sizes.
fn overview(source: &Source) -> Section {
    let warnings = source.summary["warnings"].as_array().cloned().unwrap_or_default();
    let mut blocks: Vec<Block> =
        warnings.iter().filter_map(Value::as_str).map(|w| Block::Warning(w.into())).collect();
    if source.summary.is_null() {
        let message = "summary.json is missing: the run did not end, this is what it had computed";
        blocks.push(Block::Warning(message.into()));
    }
    let model = &source.summary["model"];
    let mut numbers = Vec::new();
    for (key, name) in [
        ("nodes", "nodes"),
        ("elements", "elements"),
        ("free_freedoms", "free freedoms"),
        ("contact_pairs", "contact pairs"),
    ] {
        if let Some(count) = model[key].as_u64().filter(|count| *count > 0) {
            numbers.push((name.to_string(), count.to_string()));
        }
    }
    if let Some(mass) = model["total_mass_kg"].as_f64() {
        numbers.push(("total mass".into(), format!("{} kg", short(mass))));
    }
    blocks.push(Block::Numbers(numbers));
    Section { title: String::new(), blocks }
}

impl Source<'_> {
    /// The case in words and in a picture.
    fn the_case(&self) -> Result<Section, ResultError> {
        let mut blocks = vec![];
        if let Some(figure) = self.mesh.figure(self.results, &self.case) {
            blocks.push(Block::Figure(figure));
        }
        blocks.extend(words::describe(&self.case));
        Ok(Section { title: "The case".into(), blocks })
    }

    /// Numbers of a dataset, cut to `n` rows.
    fn column(&self, path: &str, n: usize) -> Result<Vec<f64>, ResultError> {
        let mut values = self.results.values(path)?;
        values.truncate(n);
        Ok(values)
    }
}

/// How to go on from here: the case file and the data behind the figures.
fn reproduction(source: &Source) -> Result<Section, ResultError> {
    let copy = source.results.case()?;
    let mut blocks = vec![
        Block::Text(
            "The figures are drawn from results.h5, in SI units with a unit on every dataset; the file also \
             holds the case, so that `fretwork run results.h5 -o again` repeats the run."
                .into(),
        ),
        Block::Folded { title: "Case file".into(), text: copy.text.clone() },
    ];
    if let Some(script) = example(source) {
        blocks.push(Block::Folded { title: "A figure again, in Python".into(), text: script });
    }
    Ok(Section { title: "Data".into(), blocks })
}

/// Ten lines that draw one figure of this report.
fn example(source: &Source) -> Option<String> {
    let probe = source.case.probes.keys().next()?;
    let kinds = source.results.analyses().ok()?;
    let (name, kind) = kinds.iter().find(|(_, kind)| ["response", "frf"].contains(&kind.as_str()))?;
    let (path, value) = match kind.as_str() {
        "response" => (format!("{name}/probes/{probe}/maximum"), "data[:]"),
        _ => (format!("{name}/probes/{probe}"), "abs(data[:])"),
    };
    Some(format!(
        "import h5py\nimport matplotlib.pyplot as plt\n\nwith h5py.File(\"results.h5\") as file:\n    \
         data = file[\"{path}\"]\n    plt.semilogy(file[\"{name}/frequency\"][:], {value}, \".\")\n    \
         plt.xlabel(\"frequency [Hz]\")\n    plt.ylabel(f\"{probe} [{{data.attrs['unit']}}]\")\n    \
         plt.savefig(\"figure.png\")\n"
    ))
}

/// A number with its unit for tables.
fn quantity(value: &Value, unit: &str) -> String {
    value.as_f64().map_or("–".into(), |value| engineering(value, unit))
}
