//! Linear frequency responses: all analyses with the same probe over each other.

use super::Source;
use crate::page::{Block, Figure, Section};
use crate::plot::{Axis, Chart, Series, palette};
use crate::results::ResultError;

/// Amplitude and phase of a probe in one analysis.
struct Curve {
    analysis: String,
    unit: String,
    amplitude: Vec<[f64; 2]>,
    phase: Vec<[f64; 2]>,
}

pub fn section(source: &Source, analyses: &[(String, String)]) -> Result<Section, ResultError> {
    let names: Vec<&String> =
        analyses.iter().filter(|(_, kind)| kind == "frf").map(|(name, _)| name).collect();
    let mut blocks = Vec::new();
    for probe in source.case.probes.keys() {
        let mut curves = Vec::new();
        for name in &names {
            curves.extend(read(source, name, probe)?);
        }
        let mut units: Vec<String> = curves.iter().map(|curve| curve.unit.clone()).collect();
        units.sort();
        units.dedup();
        for (i, unit) in units.iter().enumerate() {
            let own: Vec<&Curve> = curves.iter().filter(|curve| curve.unit == *unit).collect();
            let number = if i == 0 { String::new() } else { format!("_{}", i + 1) };
            let id = format!("frf_{probe}{number}");
            blocks.push(Block::Figure(amplitude(&id, probe, unit, &own)));
            blocks.push(Block::Figure(phase(&id, probe, &own)));
        }
    }
    Ok(Section { title: "Linear frequency response".into(), blocks })
}

fn read(source: &Source, name: &str, probe: &str) -> Result<Option<Curve>, ResultError> {
    let path = format!("{name}/probes/{probe}");
    if !source.results.has(&path) {
        return Ok(None);
    }
    let frequencies = source.results.values(&format!("{name}/frequency"))?;
    let values = source.results.complex_values(&path)?;
    let points = frequencies.iter().zip(&values);
    Ok(Some(Curve {
        analysis: name.to_string(),
        unit: source.results.unit(&path)?,
        amplitude: points.clone().map(|(f, v)| [*f, v.norm()]).collect(),
        phase: points.map(|(f, v)| [*f, v.arg().to_degrees()]).collect(),
    }))
}

fn amplitude(id: &str, probe: &str, unit: &str, curves: &[&Curve]) -> Figure {
    let colours = palette(curves.len());
    let mut chart = Chart::new(
        &format!("{probe}: amplitude"),
        Axis::new("frequency", "Hz"),
        Axis::new("amplitude", unit),
    );
    for (i, (curve, colour)) in curves.iter().zip(colours).enumerate() {
        let line = Series::line(&curve.analysis, curve.amplitude.clone(), colour);
        chart.series.push(if i == 0 { line } else { line.dashed() });
    }
    let variants = super::both_scales(&mut chart, true);
    Figure { id: id.into(), caption: String::new(), variants }
}

fn phase(id: &str, probe: &str, curves: &[&Curve]) -> Figure {
    let axis = Axis::new("phase", "°").from_to([-190.0, 190.0]).every(90.0);
    let mut chart = Chart::new(&format!("{probe}: phase"), Axis::new("frequency", "Hz"), axis);
    for (i, (curve, colour)) in curves.iter().zip(palette(curves.len())).enumerate() {
        let line = Series::line(&curve.analysis, unwrapped_at_jumps(&curve.phase), colour);
        chart.series.push(if i == 0 { line } else { line.dashed() });
    }
    Figure::new(&format!("{id}_phase"), chart.svg(), "")
}

/// Interrupts a phase where it jumps from one end of the circle to the other.
pub fn unwrapped_at_jumps(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = Vec::with_capacity(points.len());
    for point in points {
        if out.last().is_some_and(|last| (last[1] - point[1]).abs() > 180.0) {
            out.push([point[0], f64::NAN]);
        }
        out.push(*point);
    }
    out
}
