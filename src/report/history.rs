//! Motion under drives: probes and friction forces over time, force over slip, measures of stick and slip.

use super::Source;
use crate::page::{Block, Figure, Section, Table};
use crate::plot::{Axis, Chart, Series, palette, short};
use crate::results::ResultError;

/// Points of a curve, which no screen can tell from more.
const MAX_POINTS: usize = 4000;
/// Pairs of a contact that are drawn.
const MAX_PAIRS: usize = 5;
/// Measures shown in the table: name in the results and in words.
const MEASURES: [(&str, &str); 8] = [
    ("break_away_force", "break-away force [N]"),
    ("max_force", "largest force [N]"),
    ("slip_ratio", "time in slip [-]"),
    ("stick_count", "sticks"),
    ("stick_duration", "mean stick [s]"),
    ("slip_distance", "mean slip [m]"),
    ("work", "work [J]"),
    ("work_rate", "work rate [W]"),
];

pub fn section(source: &Source, name: &str) -> Result<Section, ResultError> {
    let results = source.results;
    let time = results.values(&format!("{name}/time"))?;
    let last = time.last().copied().unwrap_or(0.0);
    let mut blocks = vec![Block::Text(format!(
        "Motion in time from rest, {} instants stored up to {} s.",
        time.len(),
        short(last)
    ))];
    for probe in results.members(&format!("{name}/probes")) {
        let path = format!("{name}/probes/{probe}");
        let y = Axis::new(&probe, &results.unit(&path)?);
        let mut chart = Chart::new(&probe, Axis::new("time", "s"), y);
        let values = source.column(&path, time.len())?;
        let points = thinned(time.iter().zip(&values).map(|(t, v)| [*t, *v]).collect());
        chart.series.push(Series::line("", points, palette(1)[0]));
        blocks.push(Block::Figure(Figure::new(&format!("{name}_{probe}"), chart.svg(), "")));
    }
    for contact in results.members(&format!("{name}/contact")) {
        blocks.extend(contact_blocks(source, name, &contact, &time)?);
    }
    Ok(Section { title: super::heading("Motion in time", name), blocks })
}

fn contact_blocks(
    source: &Source,
    name: &str,
    contact: &str,
    time: &[f64],
) -> Result<Vec<Block>, ResultError> {
    let place = format!("{name}/contact/{contact}");
    if !source.results.members(&place).iter().any(|member| member == "tangential_force") {
        return Ok(vec![]);
    }
    let force = source.results.values(&format!("{place}/tangential_force"))?;
    let slip = source.results.values(&format!("{place}/slip"))?;
    let shape = source.results.shape(&format!("{place}/slip"))?;
    let width = shape.get(1).copied().unwrap_or(1);
    let number = contact.parse::<usize>().unwrap_or(0) + 1;
    let (t, f, u) =
        (Axis::new("time", "s"), Axis::new("friction force", "N"), Axis::new("slip", "m"));
    let mut over_time = Chart::new(&format!("Friction force of contact {number}"), t, f.clone());
    let mut over_slip = Chart::new(&format!("Force over slip of contact {number}"), u, f);
    let shown = width.min(MAX_PAIRS);
    for (pair, colour) in palette(shown).into_iter().enumerate() {
        let label = if shown > 1 { format!("pair {}", pair + 1) } else { String::new() };
        let at = |k: usize| (force[k * width + pair], slip[k * width + pair]);
        let rows = time.len().min(force.len() / width).min(slip.len() / width);
        let points = thinned((0..rows).map(|k| [time[k], at(k).0]).collect());
        over_time.series.push(Series::line(&label, points, colour));
        let points = thinned((0..rows).map(|k| [at(k).1, at(k).0]).collect());
        over_slip.series.push(Series::line(&label, points, colour));
    }
    let mut blocks = vec![
        Block::Figure(Figure::new(&format!("{name}_force_{contact}"), over_time.svg(), "")),
        Block::Figure(Figure::new(&format!("{name}_loop_{contact}"), over_slip.svg(), "")),
    ];
    let members = source.results.members(&place);
    if members.iter().any(|member| member == "measures") {
        blocks.push(measures(source, &place, shown)?);
    }
    if members.iter().any(|member| member == "zones") {
        blocks.push(zones_figure(source, &place, &format!("{name}_zones_{contact}"), time)?);
        blocks.push(zones_table(source, &place, shown)?);
    }
    Ok(blocks)
}

/// Displacements of the zones of the first pair.
fn zones_figure(
    source: &Source,
    place: &str,
    id: &str,
    time: &[f64],
) -> Result<Block, ResultError> {
    let title = "Displacements of the zones, first pair";
    let mut chart = Chart::new(title, Axis::new("time", "s"), Axis::new("displacement", "m"));
    let zones = [("elastic", "elastic z_e"), ("plastic", "plastic z_p"), ("slip", "slip z_s")];
    for ((zone, words), colour) in zones.into_iter().zip(palette(zones.len())) {
        let values = source.results.values(&format!("{place}/zones/{zone}"))?;
        let width = (values.len() / time.len().max(1)).max(1);
        let rows = time.iter().zip(values.chunks(width)).map(|(t, row)| [*t, row[0]]);
        chart.series.push(Series::line(words, thinned(rows.collect()), colour));
    }
    Ok(Block::Figure(Figure::new(id, chart.svg(), "")))
}

/// Energies that every pair has dissipated in its zones up to the end.
fn zones_table(source: &Source, place: &str, shown: usize) -> Result<Block, ResultError> {
    let mut table = Table::new(&["pair", "plastic [J]", "partial slip [J]", "gross slip [J]"]);
    let columns = ["plastic_energy", "partial_slip_energy", "gross_slip_energy"];
    let columns = columns.map(|name| source.results.values(&format!("{place}/zones/{name}")));
    let [plastic, partial, gross] = columns;
    let columns = [plastic?, partial?, gross?];
    let width = source.results.shape(&format!("{place}/slip"))?.get(1).copied().unwrap_or(1).max(1);
    for pair in 0..shown {
        let last =
            |column: &Vec<f64>| column.chunks(width).last().map_or(f64::NAN, |row| row[pair]);
        let cells = columns.iter().map(|column| short(last(column)));
        table.rows.push(std::iter::once((pair + 1).to_string()).chain(cells).collect());
    }
    Ok(Block::Table(table))
}

fn measures(source: &Source, place: &str, shown: usize) -> Result<Block, ResultError> {
    let mut table = Table::new(
        &std::iter::once("pair")
            .chain(MEASURES.iter().map(|(_, words)| *words))
            .collect::<Vec<_>>(),
    );
    let columns = MEASURES
        .iter()
        .map(|(name, _)| source.results.values(&format!("{place}/measures/{name}")))
        .collect::<Result<Vec<_>, _>>()?;
    for pair in 0..shown {
        let values = columns.iter().map(|column| column.get(pair).copied().unwrap_or(f64::NAN));
        let cells = values.map(|v| if v.is_nan() { "–".into() } else { short(v) });
        table.rows.push(std::iter::once((pair + 1).to_string()).chain(cells).collect());
    }
    Ok(Block::Table(table))
}

/// At most [`MAX_POINTS`], evenly chosen.
fn thinned(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let every = points.len().div_ceil(MAX_POINTS).max(1);
    points.into_iter().step_by(every).collect()
}
