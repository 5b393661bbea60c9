//! Nonlinear responses: amplitude and phase of every probe, then contact, then convergence.

use super::points::Points;
use super::{Source, contact, convergence, frf, stability};
use crate::case::{Analysis, Vary};
use crate::page::{Block, Figure, Section, Table};
use crate::plot::{Axis, Chart, Colour, Series, engineering, short};
use crate::results::ResultError;

/// `curves/ended` of a curve that has as many points as are allowed.
const CUT_SHORT: f64 = 2.0;

pub fn section(source: &Source, name: &str) -> Result<Section, ResultError> {
    let vary = source.vary(name);
    let points = Points::read(source, name, vary)?;
    let mut blocks = vec![Block::Text(sentence(source, name, &points)?)];
    if points.curves.is_empty() {
        blocks.push(Block::Warning("No point was computed.".into()));
        return Ok(Section { title: super::heading("Response", name), blocks });
    }
    blocks.extend(cut_short(source, name)?);
    let x = axis(vary);
    let probes = source.results.members(&format!("{name}/probes"));
    for probe in &probes {
        blocks.push(Block::Figure(amplitude(source, name, probe, &points, &x)?));
        blocks.push(Block::Figure(phase(source, name, probe, &points, &x)?));
    }
    if !probes.is_empty() && vary == Vary::Frequency {
        blocks.push(Block::Table(peaks(source, name, &probes, &points)?));
    }
    blocks.extend(stability::blocks(source, name, &points, &x)?);
    blocks.extend(contact::blocks(source, name, &points, &probes, &x)?);
    blocks.extend(convergence::blocks(source, name, &points, &x)?);
    Ok(Section { title: super::heading("Response", name), blocks })
}

impl Source<'_> {
    /// What varies along the curves of a response; follow-up responses, which no analysis of the case names,
    /// are over frequency.
    fn vary(&self, name: &str) -> Vary {
        let named = self.case.analysis.iter().find_map(|analysis| match analysis {
            Analysis::Response(response) if analysis.name() == name => Some(response.vary),
            _ => None,
        });
        named.unwrap_or_default()
    }
}

/// The axis of what varies.
fn axis(vary: Vary) -> Axis {
    match vary {
        Vary::Frequency => Axis::new("frequency", "Hz"),
        Vary::Load => Axis::new("load factor", "1"),
        Vary::Preload => Axis::new("preload factor", "1"),
        Vary::Friction => Axis::new("friction factor", "1"),
    }
}

fn sentence(source: &Source, name: &str, points: &Points) -> Result<String, ResultError> {
    let solved = points.converged.iter().take(points.n).filter(|c| **c).count();
    let orders = source.results.values(&format!("{name}/harmonics"))?;
    let orders: Vec<String> = orders.into_iter().map(short).collect();
    let truncation = source.summary["analyses"][name]["max_work_truncation"].as_f64();
    let truncation = truncation.filter(|share| *share > 1e-8).map_or(String::new(), |share| {
        format!(" Harmonics left out carry up to {} % of the friction work.", short(100.0 * share))
    });
    Ok(format!(
        "Harmonic balance with the harmonics {}: {solved} of {} points converged.{truncation}",
        orders.join(", "),
        points.n
    ))
}

/// A warning for the curves that end at `max_points` and look complete.
fn cut_short(source: &Source, name: &str) -> Result<Option<Block>, ResultError> {
    let path = format!("{name}/curves/ended");
    if !source.results.has(&path) {
        return Ok(None);
    }
    let ends = source.results.values(&path)?;
    let cut = ends.iter().enumerate().filter(|(_, end)| **end == CUT_SHORT);
    let cut: Vec<String> = cut.map(|(i, _)| (i + 1).to_string()).collect();
    let message = format!(
        "Curve {} ends at max_points, before the end of its range: what is beyond was not looked for.",
        cut.join(", ")
    );
    Ok((!cut.is_empty()).then_some(Block::Warning(message)))
}

fn amplitude(
    source: &Source,
    name: &str,
    probe: &str,
    points: &Points,
    x: &Axis,
) -> Result<Figure, ResultError> {
    let path = format!("{name}/probes/{probe}/maximum");
    let values = source.column(&path, points.n)?;
    let unit = source.results.unit(&path)?;
    let mut chart = Chart::new(
        &format!("{probe}: largest value over the period"),
        x.clone(),
        Axis::new(probe, &unit),
    );
    chart.legend = points.legend();
    chart.series = points.lines(&|i| values[i]);
    chart.series.extend(stability::marks(source, name, points, &|i| values[i])?);
    if x.label == "frequency" {
        chart.series.extend(time_marks(source, probe)?);
    }
    let mut variants = super::both_scales(&mut chart, points.curves.len() > 1);
    chart.y = chart.y.clone().log();
    let has_levels = points.curves.iter().any(|c| points.load[c.points[0]] != 1.0);
    if has_levels && points.curves.len() > 1 && x.label == "frequency" {
        chart.title = format!("{probe}: largest value over the load factor");
        let per_load = |i: usize| values[i] / points.load[i];
        chart.series = points.lines(&per_load);
        chart.series.extend(stability::marks(source, name, points, &per_load)?);
        variants.push(("per load".to_string(), chart.svg()));
    }
    let caption = if points.stable.is_some() { "Dashed: unstable." } else { "" };
    Ok(Figure { id: format!("{name}_{probe}"), caption: caption.into(), variants })
}

/// Largest values of the same probe found in time, where the case asks for both.
fn time_marks(source: &Source, probe: &str) -> Result<Vec<Series>, ResultError> {
    let mut marks = Vec::new();
    for analysis in &source.case.analysis {
        let (Analysis::Transient(_), name) = (analysis, analysis.name()) else { continue };
        let path = format!("{name}/probes/{probe}/maximum");
        if source.results.has(&path) {
            let frequency = source.results.values(&format!("{name}/frequency"))?;
            let values = source.results.values(&path)?;
            let points = frequency.iter().zip(&values).map(|(f, v)| [*f, *v]).collect();
            marks.push(Series::marks(&format!("in time: {name}"), points, Colour::INK));
        }
    }
    Ok(marks)
}

fn phase(
    source: &Source,
    name: &str,
    probe: &str,
    points: &Points,
    x: &Axis,
) -> Result<Figure, ResultError> {
    let path = format!("{name}/probes/{probe}/harmonics");
    let n_harmonics = source.results.shape(&path)?.get(1).copied().unwrap_or(1);
    let orders = source.results.values(&format!("{name}/harmonics"))?;
    let first = orders.iter().position(|order| *order == 1.0).unwrap_or(0);
    let values = source.results.complex_values(&path)?;
    let degrees =
        |i: usize| values.get(i * n_harmonics + first).map_or(f64::NAN, |v| v.arg().to_degrees());
    let y = Axis::new("phase of the first harmonic", "°").from_to([-190.0, 190.0]).every(90.0);
    let mut chart = Chart::new(&format!("{probe}: phase"), x.clone(), y);
    chart.legend = points.legend();
    chart.series = points.lines(&degrees);
    for series in &mut chart.series {
        series.points = frf::unwrapped_at_jumps(&series.points);
    }
    Ok(Figure::new(&format!("{name}_{probe}_phase"), chart.svg(), ""))
}

/// A row per curve, the peaks of the probes side by side.
fn peaks(
    source: &Source,
    name: &str,
    probes: &[String],
    points: &Points,
) -> Result<Table, ResultError> {
    let mut table = Table::new(&["load factor"]);
    table.rows = points.curves.iter().map(|c| vec![short(points.load[c.points[0]])]).collect();
    for probe in probes {
        let path = format!("{name}/probes/{probe}/maximum");
        let (values, unit) = (source.column(&path, points.n)?, source.results.unit(&path)?);
        table.head.extend([format!("peak of {probe}"), "at".into(), "over load factor".into()]);
        for (row, curve) in table.rows.iter_mut().zip(&points.curves) {
            let Some(i) = points.peak(curve, &values) else {
                row.extend(["–", "–", "–"].map(String::from));
                continue;
            };
            row.push(engineering(values[i], &unit));
            row.push(format!("{} Hz", short(points.frequency[i])));
            row.push(engineering(values[i] / points.load[i], &unit));
        }
    }
    Ok(table)
}
