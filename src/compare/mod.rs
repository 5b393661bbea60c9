//! Measurements laid over results: a table of numbers and a figure for each file.
//!
//! [`experiment`] reads a measurement and turns it into SI, one file per quantity finds its counterpart in the
//! results, [`metrics`] are the numbers. Each file is compared on its own.

use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use crate::page::Figure;
use crate::results::{ResultError, ResultReader};

pub mod experiment;
mod loops;
pub mod metrics;
mod modes;
mod output;
mod response;
pub mod units;
mod wear;

pub use experiment::{Experiment, Quantity};
pub use output::{page, table};

/// Why a measurement cannot be compared.
#[derive(Debug, Error)]
pub enum CompareError {
    /// The file cannot be used.
    #[error("{place}: {message}")]
    Experiment {
        /// File, line and column.
        place: String,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The results cannot be read.
    #[error(transparent)]
    Results(#[from] ResultError),
}

impl CompareError {
    fn new(path: &Path, place: Option<(usize, usize)>, message: String) -> Self {
        let file = path.display();
        let place =
            place.map_or(file.to_string(), |(line, column)| format!("{file}:{line}:{column}"));
        Self::Experiment { place, message }
    }
}

/// One number of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measure {
    /// What it is.
    pub name: String,
    /// Of the measurement.
    pub measured: Option<f64>,
    /// Of the results.
    pub predicted: Option<f64>,
    /// Predicted over measured, minus 1; or a number that belongs to both.
    pub difference: Option<f64>,
    /// Unit of measured and predicted.
    pub unit: String,
}

impl Measure {
    /// Two numbers beside each other.
    fn pair(name: &str, unit: &str, measured: Option<f64>, predicted: Option<f64>) -> Self {
        let difference = match (measured, predicted) {
            (Some(m), Some(p)) if m != 0.0 => Some((p - m) / m.abs()),
            _ => None,
        };
        Self { name: name.into(), measured, predicted, difference, unit: unit.into() }
    }

    /// One number about both.
    fn common(name: &str, value: f64) -> Self {
        let difference = Some(value).filter(|value| value.is_finite());
        Self { name: name.into(), measured: None, predicted: None, difference, unit: "1".into() }
    }
}

/// A measurement and its counterpart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// File of the measurement.
    pub experiment: PathBuf,
    /// What was compared with what.
    pub title: String,
    /// The numbers.
    pub measures: Vec<Measure>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Both in one picture.
    #[serde(skip)]
    pub figures: Vec<Figure>,
}

/// Compares results with one measurement.
pub fn compare(
    results: &ResultReader,
    experiment: &Experiment,
) -> Result<Comparison, CompareError> {
    let mut comparison = match experiment.quantity {
        Quantity::Response => response::compare(results, experiment)?,
        Quantity::Loop => loops::compare(results, experiment)?,
        Quantity::Profile => wear::profile(results, experiment)?,
        Quantity::History => wear::history(results, experiment)?,
        Quantity::Mode => modes::compare(results, experiment)?,
    };
    comparison.notes.splice(0..0, experiment.notes.iter().cloned());
    Ok(comparison)
}

/// The analysis that a measurement names, or the first of a fitting type.
fn analysis(
    results: &ResultReader,
    experiment: &Experiment,
    kinds: &[&str],
) -> Result<(String, String), CompareError> {
    let all = results.analyses()?;
    let fits = |kind: &str| kinds.contains(&kind);
    let fitting: Vec<&(String, String)> = all.iter().filter(|(_, kind)| fits(kind)).collect();
    let found = match experiment.text("analysis") {
        Some(wanted) => fitting.iter().find(|(name, _)| name == wanted),
        None => kinds.iter().find_map(|kind| fitting.iter().find(|(_, own)| own == kind)),
    };
    found.map(|found| (*found).clone()).ok_or_else(|| {
        let names: Vec<&str> = fitting.iter().map(|(name, _)| name.as_str()).collect();
        let there = if names.is_empty() { "none".into() } else { names.join(", ") };
        let message =
            format!("no such analysis of type {}; the results have: {there}", kinds.join(" or "));
        experiment.refuse("analysis", message)
    })
}

/// The row of a table of points that a measurement means by its keys `load_factor` and `frequency`.
fn curve_at_level(
    results: &ResultReader,
    experiment: &Experiment,
    name: &str,
) -> Result<Vec<usize>, CompareError> {
    let load = results.values(&format!("{name}/load_factor"))?;
    let converged = results.values(&format!("{name}/converged"))?;
    let mut levels = load.clone();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let same = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
    let level = match (experiment.number("load_factor")?, &levels[..]) {
        (Some(wanted), _) => levels.iter().copied().find(|level| same(*level, wanted)),
        (None, [only]) => Some(*only),
        (None, _) => None,
    };
    let level = level.ok_or_else(|| {
        let names: Vec<String> = levels.iter().map(f64::to_string).collect();
        experiment.refuse(
            "load_factor",
            format!(
                "`# load_factor: VALUE` must name a curve of `{name}`; there are: {}",
                names.join(", ")
            ),
        )
    })?;
    let n = load.len().min(converged.len());
    Ok((0..n).filter(|i| load[*i] == level && converged[*i] == 1.0).collect())
}
