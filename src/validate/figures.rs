//! Figures of an entry: curves out of the results of its cases beside given points, or bars of its checks.
//!
//! ```toml
//! [[figure]]
//! id = "volume"
//! title = "Worn volume"
//! x = { label = "cycles", unit = "1" }
//! y = { label = "volume", unit = "m^3" }
//! curve = [
//!     { name = "test 1", case = "test1.toml", x = "/wear/cycles", y = "/wear/volume" },
//!     { name = "measured", points = [[1.9e6, 4.6e-12]] },
//!     { name = "resonance", at = [1, 3], checks = ["f1 at 1 N", "f1 at 3 N"] },
//! ]
//! ```

use indexmap::IndexMap;
use serde::Deserialize;

use super::{Evaluator, Row};
use crate::error::Error;
use crate::page::Figure;
use crate::plot::{self, Chart, Colour, Marker, Series, palette};
use crate::results::{ResultError, ResultReader};

/// A `[[figure]]` of a `checks.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureTable {
    id: String,
    title: String,
    #[serde(default)]
    caption: String,
    x: AxisTable,
    y: AxisTable,
    /// Names of bars; the curves are then heights.
    #[serde(default)]
    bars: Vec<String>,
    curve: Vec<Curve>,
    /// Left out by `--fast`.
    #[serde(default)]
    pub slow: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AxisTable {
    label: String,
    unit: String,
    #[serde(default)]
    log: bool,
    range: Option<[f64; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Curve {
    name: String,
    #[serde(default)]
    is_dashed: bool,
    /// The last point is joined with the first.
    #[serde(default)]
    is_closed: bool,
    /// Given points, drawn as marks.
    points: Option<Vec<[f64; 2]>>,
    /// Quantities of checks whose values are the heights of bars, or of points `at` these places.
    #[serde(default)]
    checks: Vec<String>,
    #[serde(default)]
    at: Vec<f64>,
    /// Factor of these values.
    #[serde(default = "one")]
    factor: f64,
    /// Case file and datasets of its results.
    case: Option<String>,
    #[serde(default)]
    set: IndexMap<String, toml::Value>,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
    /// Column of x where that is a table of positions.
    x_column: Option<usize>,
    /// Only the last so many points.
    last: Option<usize>,
    /// Only the rows in which a dataset has a value.
    only: Option<Only>,
}

fn one() -> f64 {
    1.0
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Only {
    data: String,
    equals: f64,
}

impl FigureTable {
    /// Draws it, running cases as needed; `rows` are those of the entry's checks.
    pub(super) fn draw(&self, evaluator: &mut Evaluator, rows: &[Row]) -> Result<Figure, Error> {
        let mut chart = Chart::new(&self.title, self.x.axis(), self.y.axis());
        chart.bars.clone_from(&self.bars);
        for (curve, colour) in self.curve.iter().zip(palette(self.curve.len())) {
            let mut series = curve.series(evaluator, rows, colour)?;
            if !self.bars.is_empty() {
                series.marker = None;
            }
            chart.series.push(series);
        }
        let id = format!("{}_{}", evaluator.name(), self.id);
        Ok(Figure::new(&id, chart.svg(), &self.caption))
    }
}

impl AxisTable {
    fn axis(&self) -> plot::Axis {
        let axis = plot::Axis::new(&self.label, &self.unit);
        let axis = if self.log { axis.log() } else { axis };
        plot::Axis { range: self.range, ..axis }
    }
}

impl Curve {
    fn series(
        &self,
        evaluator: &mut Evaluator,
        rows: &[Row],
        colour: Colour,
    ) -> Result<Series, Error> {
        if let Some(points) = &self.points {
            return Ok(Series::marks(&self.name, points.clone(), colour));
        }
        let points = match &self.case {
            Some(case) => self.points(evaluator.results(case, &self.set)?)?,
            None => self.heights(rows),
        };
        let mut line = Series::line(&self.name, points, colour);
        if !self.at.is_empty() {
            line = line.with(Marker::Ring);
        }
        (line.is_dashed, line.is_closed) = (self.is_dashed, self.is_closed);
        Ok(line)
    }

    /// Values of the named checks; gaps where there is none.
    fn heights(&self, rows: &[Row]) -> Vec<[f64; 2]> {
        let value =
            |name: &String| rows.iter().find(|row| row.quantity == *name).map(|row| row.ours);
        let heights = self.checks.iter().map(|name| value(name).unwrap_or(f64::NAN));
        let place = |i: usize| self.at.get(i).copied().unwrap_or(i as f64);
        heights.enumerate().map(|(i, height)| [place(i), self.factor * height]).collect()
    }

    fn points(&self, results: &ResultReader) -> Result<Vec<[f64; 2]>, ResultError> {
        let chosen = match &self.only {
            None => None,
            Some(Only { data, equals }) => {
                let values = results.values(data)?;
                Some((0..values.len()).map(|i| values[i] == *equals).collect::<Vec<bool>>())
            }
        };
        let x = match self.x_column {
            Some(column) => {
                let width = results.shape(&self.x)?.get(1).copied().unwrap_or(1).max(1);
                results.values(&self.x)?.into_iter().skip(column).step_by(width).collect()
            }
            None => rows_of(results, &self.x, chosen.as_deref())?,
        };
        let y = rows_of(results, &self.y, chosen.as_deref())?;
        let first = self.last.map_or(0, |last| x.len().saturating_sub(last));
        Ok(x.into_iter().zip(y).skip(first).map(|(x, y)| [x, y]).collect())
    }
}

/// Values of the chosen rows of a dataset, one row after the other.
fn rows_of(
    results: &ResultReader,
    dataset: &str,
    chosen: Option<&[bool]>,
) -> Result<Vec<f64>, ResultError> {
    let values = results.values(dataset)?;
    let Some(chosen) = chosen else { return Ok(values) };
    let width = values.len() / chosen.len().max(1);
    let rows = values.chunks(width.max(1)).zip(chosen).filter(|(_, is_chosen)| **is_chosen);
    Ok(rows.flat_map(|(row, _)| row.iter().copied()).collect())
}
