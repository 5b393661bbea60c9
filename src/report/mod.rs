//! `report.html`: a run in pictures and words, made from `results.h5` and `summary.json` alone.
//!
//! Warnings come first, then the case, then every analysis in the order of the case. A report can be made
//! again from stored results, those of a run that was killed included: rows that are not complete are left
//! out.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::case::Case;
use crate::page::{Block, Page, Section, Table};
use crate::plot::{Chart, engineering, short};
use crate::results::{ResultError, ResultReader};

mod contact;
mod convergence;
mod frf;
mod history;
mod mesh;
mod modal;
mod points;
mod reduction;
mod response;
mod stability;
mod statics;
mod transient;
mod wear;
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
    let written = source.in_order_of_the_case()?;
    let has_earlier_frf = |i: usize| written[..i].iter().any(|(_, kind)| kind == "frf");
    for (i, (name, kind)) in written.iter().enumerate() {
        sections.push(match kind.as_str() {
            "static" => statics::section(&source, name)?,
            "modal" => modal::section(&source, name)?,
            "reduction" => reduction::section(&source, name)?,
            // All linear responses stand together, at the place of the first.
            "frf" if has_earlier_frf(i) => continue,
            "frf" => frf::section(&source, &written)?,
            "response" => response::section(&source, name)?,
            "history" => history::section(&source, name)?,
            "transient" => transient::section(&source, name)?,
            "wear" => wear::section(&source, name)?,
            _ => continue,
        });
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
    page.write(&path).map_err(|error| ResultError::write(path, error))?;
    Ok(page)
}

/// Removes the report of results that new ones will replace.
pub fn remove_earlier(directory: &Path) -> Result<(), ResultError> {
    let path = directory.join(FILE_NAME);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ResultError::write(path, error))
        }
        _ => Ok(()),
    }
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
    /// The case in words and in a picture; first what differs from the case file.
    fn the_case(&self) -> Result<Section, ResultError> {
        let mut words: Vec<Block> = self.overrides()?.map(Block::Table).into_iter().collect();
        words.extend(words::describe(&self.case));
        let blocks = match self.mesh.figure(self.results, &self.case) {
            Some(figure) => vec![Block::Beside(figure, words)],
            None => words,
        };
        Ok(Section { title: "The case".into(), blocks })
    }

    /// The values of `--set`, which replace those of the case file.
    fn overrides(&self) -> Result<Option<Table>, ResultError> {
        let overrides = self.results.case()?.overrides;
        let mut table = Table::new(&["given by --set", "value"]);
        table.rows = overrides.into_iter().map(|given| vec![given.path, given.value]).collect();
        Ok((!table.rows.is_empty()).then_some(table))
    }

    /// Names and types of the analyses that have results.
    fn in_order_of_the_case(&self) -> Result<Vec<(String, String)>, ResultError> {
        let mut list = self.results.analyses()?;
        let place = |name: &str| self.case.analysis.iter().position(|a| a.name() == name);
        list.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
        Ok(list)
    }

    /// Numbers of a dataset, cut to `n` rows.
    fn column(&self, path: &str, n: usize) -> Result<Vec<f64>, ResultError> {
        let mut values = self.results.values(path)?;
        // A file that was cut short may lack the last values.
        values.resize(n, f64::NAN);
        Ok(values)
    }
}

/// Rows of one number, in the order of the numbers.
fn groups(numbers: &[f64]) -> Vec<Vec<usize>> {
    let mut groups = BTreeMap::<i64, Vec<usize>>::new();
    for (row, number) in numbers.iter().enumerate() {
        groups.entry(*number as i64).or_default().push(row);
    }
    groups.into_values().collect()
}

/// How to go on from here: the case file and the data behind the figures.
fn reproduction(source: &Source) -> Result<Section, ResultError> {
    let copy = source.results.case()?;
    let case_file = if copy.overrides.is_empty() {
        "Case file"
    } else {
        "Case file, without the values of --set"
    };
    let mut blocks = vec![
        Block::Text(
            "The figures are drawn from results.h5, in SI units with a unit on every dataset; the file also \
             holds the case, so that `fretwork run results.h5 -o again` repeats the run."
                .into(),
        ),
        Block::Folded { title: case_file.into(), text: copy.text.clone() },
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
    let (name, kind) =
        kinds.iter().find(|(_, kind)| ["response", "frf"].contains(&kind.as_str()))?;
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

/// A chart with a linear and a logarithmic axis upwards; the first one is shown.
fn both_scales(chart: &mut Chart, log_first: bool) -> Vec<(String, String)> {
    let linear = ("linear".to_string(), chart.svg());
    let axis = std::mem::take(&mut chart.y);
    chart.y = axis.clone().log();
    let log = ("log".to_string(), chart.svg());
    chart.y = axis;
    if log_first { vec![log, linear] } else { vec![linear, log] }
}

/// Heading of an analysis, with its name where that says more than its type.
fn heading(kind: &str, name: &str) -> String {
    let same = kind.to_lowercase().starts_with(name) || ["modal", "transient"].contains(&name);
    if same { kind.to_string() } else { format!("{kind}: {name}") }
}

/// A number with its unit for tables.
fn quantity(value: &Value, unit: &str) -> String {
    value.as_f64().map_or("–".into(), |value| engineering(value, unit))
}
