//! Which motions last, and where along a curve others begin.

use super::Source;
use super::points::Points;
use crate::page::{Block, Table};
use crate::plot::{Axis, Colour, Series};
use crate::results::ResultError;
use crate::results::stability::BIFURCATIONS;

/// A bifurcation between two neighbours on a curve.
struct Place {
    /// What it is, in words.
    kind: &'static str,
    curve: usize,
    between: [usize; 2],
}

/// A sentence, and a table of the bifurcations; nothing where stability was not asked for.
pub fn blocks(
    source: &Source,
    name: &str,
    points: &Points,
    x: &Axis,
) -> Result<Vec<Block>, ResultError> {
    let path = format!("{name}/stability/unstable");
    if !source.results.has(&path) {
        return Ok(vec![]);
    }
    let outside = source.column(&path, points.n)?;
    let solved = || (0..points.n).filter(|i| points.converged[*i]);
    let unstable = solved().filter(|i| outside[*i] > 0.0).count();
    let unknown = solved().filter(|i| outside[*i].is_nan()).count();
    let places = places(source, name, points)?;
    let unknown = match unknown {
        0 => String::new(),
        n => format!(" That of {n} is not known."),
    };
    let sentence = format!(
        "Stability: {unstable} of {} motions are unstable.{unknown} Folds, period doublings and other \
         bifurcations found along the curves: {}.",
        solved().count(),
        places.len()
    );
    let mut blocks = vec![Block::Text(sentence)];
    if !places.is_empty() {
        blocks.push(Block::Table(table(&places, points, x)));
    }
    Ok(blocks)
}

fn table(places: &[Place], points: &Points, x: &Axis) -> Table {
    let mut table = Table::new(&["bifurcation", "curve", "between", "and"]);
    let unit = if x.unit == "1" { String::new() } else { format!(" {}", x.unit) };
    table.rows = places
        .iter()
        .map(|place| {
            let curve = &points.curves[place.curve].name;
            let curve =
                if curve.is_empty() { (place.curve + 1).to_string() } else { curve.clone() };
            let [from, to] =
                place.between.map(|i| format!("{}{unit}", digits(points.parameter[i])));
            vec![place.kind.to_string(), curve, from, to]
        })
        .collect();
    table
}

/// Six digits: neighbours on a curve lie close together where it turns round.
fn digits(value: f64) -> String {
    format!("{value:.5e}").parse::<f64>().unwrap_or(value).to_string()
}

/// The bifurcations as marks half way between their neighbours, a series for each kind.
pub fn marks(
    source: &Source,
    name: &str,
    points: &Points,
    value: &dyn Fn(usize) -> f64,
) -> Result<Vec<Series>, ResultError> {
    let places = places(source, name, points)?;
    let series = |kind: &&'static str| {
        let own = places.iter().filter(|place| place.kind == *kind);
        let middle = |place: &Place| {
            let [a, b] = place.between;
            [0.5 * (points.parameter[a] + points.parameter[b]), 0.5 * (value(a) + value(b))]
        };
        let marks: Vec<[f64; 2]> = own.map(middle).collect();
        (!marks.is_empty()).then(|| Series::marks(kind, marks, Colour::INK))
    };
    Ok(BIFURCATIONS.iter().filter_map(series).collect())
}

/// All bifurcations, in the order of the curves; each is stored at the point after it.
fn places(source: &Source, name: &str, points: &Points) -> Result<Vec<Place>, ResultError> {
    let path = format!("{name}/stability/bifurcation");
    if !source.results.has(&path) {
        return Ok(vec![]);
    }
    let codes = source.column(&path, points.n)?;
    let mut places = Vec::new();
    for (number, curve) in points.curves.iter().enumerate() {
        for pair in curve.points.windows(2) {
            let kind = (codes[pair[1]] as usize).checked_sub(1).and_then(|i| BIFURCATIONS.get(i));
            places.extend(kind.map(|kind| Place {
                kind,
                curve: number,
                between: [pair[0], pair[1]],
            }));
        }
    }
    Ok(places)
}
