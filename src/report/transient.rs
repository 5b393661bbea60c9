//! Responses in time: the last period of every motion.

use super::Source;
use crate::page::{Block, Figure, Section, Table};
use crate::plot::{Axis, Chart, Series, palette, short};
use crate::results::ResultError;

/// Motions drawn over each other.
const MAX_MOTIONS: usize = 7;

pub fn section(source: &Source, name: &str) -> Result<Section, ResultError> {
    let results = source.results;
    let frequency = results.values(&format!("{name}/frequency"))?;
    let n = frequency.len();
    let periodic = source.column(&format!("{name}/periodic"), n)?;
    let change = source.column(&format!("{name}/change"), n)?;
    let periods = source.column(&format!("{name}/periods"), n)?;
    let repeated = periodic.iter().filter(|p| **p == 1.0).count();
    let method = results.attribute(name, "method").unwrap_or_default();
    let mut blocks = vec![Block::Text(format!(
        "Periodic motion in time by {method}: {repeated} of {n} motions repeat themselves."
    ))];
    let shown = spread(n);
    for probe in results.members(&format!("{name}/probes")) {
        blocks.push(Block::Figure(history(source, name, &probe, &frequency, &shown)?));
    }
    for pair in results.members(&format!("{name}/contact")) {
        if pair.ends_with("tangential") {
            blocks.push(Block::Figure(loops(source, name, &pair, &frequency, &shown)?));
        }
    }
    let mut table = Table::new(&["frequency [Hz]", "periodic", "change over a period", "periods"]);
    for i in 0..n {
        let answer = if periodic[i] == 1.0 { "yes" } else { "no" };
        table.rows.push(vec![
            short(frequency[i]),
            answer.into(),
            short(change[i]),
            short(periods[i]),
        ]);
    }
    blocks.push(Block::Table(table));
    Ok(Section { title: super::heading("In time", name), blocks })
}

/// Up to [`MAX_MOTIONS`] rows, evenly spread.
fn spread(n: usize) -> Vec<usize> {
    let count = n.min(MAX_MOTIONS);
    (0..count).map(|k| if count > 1 { k * (n - 1) / (count - 1) } else { 0 }).collect()
}

fn history(
    source: &Source,
    name: &str,
    probe: &str,
    frequency: &[f64],
    shown: &[usize],
) -> Result<Figure, ResultError> {
    let path = format!("{name}/probes/{probe}/history");
    let phase = source.results.values(&format!("{name}/phase"))?;
    let y = Axis::new(probe, &source.results.unit(&path)?);
    let mut chart =
        Chart::new(&format!("{probe} over the last period"), Axis::new("time over period", "1"), y);
    for (i, colour) in shown.iter().zip(palette(shown.len())) {
        let values = source.results.row(&path, *i)?;
        let points = thinned(phase.iter().zip(&values).map(|(t, v)| [*t, *v]).collect());
        chart.series.push(Series::line(&format!("{} Hz", short(frequency[*i])), points, colour));
    }
    Ok(Figure::new(&format!("{name}_{probe}"), chart.svg(), ""))
}

fn loops(
    source: &Source,
    name: &str,
    pair: &str,
    frequency: &[f64],
    shown: &[usize],
) -> Result<Figure, ResultError> {
    let place = format!("{name}/contact/{pair}");
    let number = pair.split('_').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
    let title = format!("Hysteresis of pair {}", number + 1);
    let mut chart = Chart::new(
        &title,
        Axis::new("relative displacement", "m"),
        Axis::new("tangential force", "N"),
    );
    for (i, colour) in shown.iter().zip(palette(shown.len())) {
        let motion = source.results.row(&format!("{place}/relative_displacement"), *i)?;
        let force = source.results.row(&format!("{place}/force"), *i)?;
        let points = thinned(motion.iter().zip(&force).map(|(u, f)| [*u, *f]).collect());
        chart
            .series
            .push(Series::line(&format!("{} Hz", short(frequency[*i])), points, colour).closed());
    }
    Ok(Figure::new(&format!("{name}_{pair}"), chart.svg(), ""))
}

/// At most 500 points, which no screen can tell from more.
fn thinned(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let every = points.len().div_ceil(500).max(1);
    points.into_iter().step_by(every).collect()
}
