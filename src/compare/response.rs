//! Amplitude over frequency, with or without phase.

use num_complex::Complex64;

use super::metrics::{self, peak};
use super::{CompareError, Comparison, Experiment, Measure, analysis, curve_at_level};
use crate::page::Figure;
use crate::plot::{Axis, Chart, Series, palette, short};
use crate::results::ResultReader;

/// Points of a measurement up to which each is listed.
const MAX_LISTED: usize = 12;

/// Values over ascending frequency; amplitudes alone have no imaginary part.
struct Curve {
    frequency: Vec<f64>,
    values: Vec<Complex64>,
    has_phase: bool,
}

impl Curve {
    fn amplitude(&self) -> Vec<f64> {
        self.values.iter().map(|v| v.norm()).collect()
    }

    fn without_phase(&self) -> Vec<Complex64> {
        self.values.iter().map(|v| v.norm().into()).collect()
    }

    fn points(&self) -> Vec<[f64; 2]> {
        self.frequency.iter().zip(&self.values).map(|(f, v)| [*f, v.norm()]).collect()
    }
}

pub fn compare(
    results: &ResultReader,
    experiment: &Experiment,
) -> Result<Comparison, CompareError> {
    let (name, kind) = analysis(results, experiment, &["response", "frf"])?;
    let probe = probe(results, experiment, &name)?;
    let place = format!("{name}/probes/{probe}");
    let unit =
        results.unit(&if kind == "frf" { place.clone() } else { format!("{place}/maximum") })?;
    let measured = read(experiment, &unit)?;
    let is_maximum = experiment.names().any(|name| name == "maximum");
    let predicted = match kind.as_str() {
        "frf" => {
            let frequency = results.values(&format!("{name}/frequency"))?;
            let mut values = results.complex_values(&place)?;
            values.truncate(frequency.len());
            Curve { frequency, values, has_phase: true }
        }
        _ => nonlinear(results, experiment, &name, &place, is_maximum)?,
    };
    let mut comparison = Comparison {
        experiment: experiment.path.clone(),
        title: format!("{}: {probe} of `{name}`", experiment.name()),
        measures: peaks(&measured, &predicted, &unit),
        notes: without_peak(&measured, &predicted),
        figures: vec![figure(experiment, &probe, &unit, &measured, &predicted)],
    };
    point_by_point(&measured, &predicted, &unit, &mut comparison);
    Ok(comparison)
}

fn probe(
    results: &ResultReader,
    experiment: &Experiment,
    name: &str,
) -> Result<String, CompareError> {
    let probes = results.members(&format!("{name}/probes"));
    let found = match experiment.text("probe") {
        Some(wanted) => probes.iter().find(|probe| *probe == wanted),
        None if probes.len() == 1 => probes.first(),
        None => None,
    };
    found.cloned().ok_or_else(|| {
        let message = format!(
            "`# probe: NAME` must name a probe of `{name}`; there are: {}",
            probes.join(", ")
        );
        experiment.refuse("probe", message)
    })
}

fn read(experiment: &Experiment, unit: &str) -> Result<Curve, CompareError> {
    let frequency = experiment.column("frequency", "Hz")?.to_vec();
    if let Some(real) = experiment.optional("real", unit)? {
        let imaginary = experiment.column("imaginary", unit)?;
        let values = real.iter().zip(imaginary).map(|(r, i)| Complex64::new(*r, *i)).collect();
        return Ok(Curve { frequency, values, has_phase: true });
    }
    let maximum = experiment.optional("maximum", unit)?;
    let amplitude = maximum.map_or_else(|| experiment.column("amplitude", unit), Ok)?;
    let phase = experiment.optional("phase", "rad")?;
    let value = |i: usize| match phase {
        Some(phase) => Complex64::from_polar(amplitude[i], phase[i]),
        None => amplitude[i].into(),
    };
    let values = (0..frequency.len()).map(value).collect();
    Ok(Curve { frequency, values, has_phase: phase.is_some() })
}

/// A curve of a nonlinear response: first harmonic, or the largest value over the period.
fn nonlinear(
    results: &ResultReader,
    experiment: &Experiment,
    name: &str,
    place: &str,
    is_maximum: bool,
) -> Result<Curve, CompareError> {
    let rows = curve_at_level(results, experiment, name)?;
    let frequency = results.values(&format!("{name}/frequency"))?;
    let orders = results.values(&format!("{name}/harmonics"))?;
    let first = orders.iter().position(|order| *order == 1.0).unwrap_or(0);
    let harmonics = results.complex_values(&format!("{place}/harmonics"))?;
    let maximum = results.values(&format!("{place}/maximum"))?;
    let value = |i: usize| {
        if is_maximum { maximum[i].into() } else { harmonics[i * orders.len() + first] }
    };
    let mut rows = rows;
    if rows.windows(2).all(|w| frequency[w[1]] < frequency[w[0]]) {
        rows.reverse();
    }
    Ok(Curve {
        frequency: rows.iter().map(|i| frequency[*i]).collect(),
        values: rows.iter().map(|i| value(*i)).collect(),
        has_phase: !is_maximum,
    })
}

fn peaks(measured: &Curve, predicted: &Curve, unit: &str) -> Vec<Measure> {
    let [m, p] = [measured, predicted].map(|c| peak(&c.frequency, &c.amplitude()));
    let [half_m, half_p] =
        [measured, predicted].map(|c| metrics::half_power(&c.frequency, &c.amplitude()));
    let mut measures = vec![
        Measure::pair("peak frequency", "Hz", m.map(|m| m.frequency), p.map(|p| p.frequency)),
        Measure::pair("peak amplitude", unit, m.map(|m| m.amplitude), p.map(|p| p.amplitude)),
        Measure::pair("damping ratio, half power", "1", half_m, half_p),
    ];
    if measured.has_phase && predicted.has_phase {
        let [m, p] = [measured, predicted]
            .map(|c| metrics::circle_fit(&c.frequency, &as_displacement(c, unit)));
        measures.push(Measure::pair("damping ratio, circle fit", "1", m, p));
    }
    measures
}

/// Says of which curve the largest value is an end.
fn without_peak(measured: &Curve, predicted: &Curve) -> Vec<String> {
    let named = [("measurement", measured), ("prediction", predicted)];
    let flat = named.into_iter().filter(|(_, c)| peak(&c.frequency, &c.amplitude()).is_none());
    let note = |(name, curve): (&str, &Curve)| {
        let (first, last) = (curve.frequency.first()?, curve.frequency.last()?);
        Some(format!(
            "no peak in the {name}: its largest value is at an end of its range, {} to {} Hz",
            short(*first),
            short(*last)
        ))
    };
    flat.filter_map(note).collect()
}

/// The circle fit wants displacements: velocities and accelerations are divided by iω and −ω².
fn as_displacement(curve: &Curve, unit: &str) -> Vec<Complex64> {
    let power = match unit {
        unit if unit.contains("s^2") || unit.contains("s2") => 2,
        unit if unit.ends_with("/s") || unit.contains(" s)") => 1,
        _ => 0,
    };
    let omega = |f: &f64| Complex64::new(0.0, std::f64::consts::TAU * f);
    curve.frequency.iter().zip(&curve.values).map(|(f, v)| v / omega(f).powi(power)).collect()
}

/// (1) to (3) of the metrics at the measured frequencies, and the values there if they are few.
fn point_by_point(measured: &Curve, predicted: &Curve, unit: &str, comparison: &mut Comparison) {
    if predicted.frequency.windows(2).any(|w| w[1] <= w[0]) {
        let note = "the predicted curve turns back: only peaks are compared, not point by point";
        comparison.notes.push(note.into());
        return;
    }
    let has_phase = measured.has_phase && predicted.has_phase;
    let [all_m, all_p] = match has_phase {
        true => [measured.values.clone(), predicted.values.clone()],
        false => [measured.without_phase(), predicted.without_phase()],
    };
    let (mut m, mut p) = (vec![], vec![]);
    for (f, value) in measured.frequency.iter().zip(&all_m) {
        if let Some(own) = metrics::interpolate(&predicted.frequency, &all_p, *f) {
            m.push(*value);
            p.push(own);
        }
    }
    if m.len() < measured.frequency.len() {
        let outside = measured.frequency.len() - m.len();
        comparison
            .notes
            .push(format!("{outside} measured frequencies lie outside the predicted range"));
    }
    if m.is_empty() {
        return;
    }
    if m.len() <= MAX_LISTED && m.len() == measured.frequency.len() {
        let listed = measured.frequency.iter().zip(m.iter().zip(&p)).map(|(f, (m, p))| {
            Measure::pair(&format!("at {} Hz", short(*f)), unit, Some(m.norm()), Some(p.norm()))
        });
        comparison.measures.extend(listed);
    }
    let kind = if has_phase { "" } else { ", amplitudes" };
    comparison.measures.extend([
        Measure::common(&format!("FRAC{kind}"), metrics::frac(&m, &p)),
        Measure::common(&format!("FAAC{kind}"), metrics::faac(&m, &p)),
        Measure::common(&format!("normalised RMS error{kind}"), metrics::nrmse(&m, &p)),
    ]);
}

fn figure(
    experiment: &Experiment,
    probe: &str,
    unit: &str,
    measured: &Curve,
    predicted: &Curve,
) -> Figure {
    let colours = palette(2);
    let title = format!("{probe}: {} and prediction", experiment.name());
    let mut chart = Chart::new(&title, Axis::new("frequency", "Hz"), Axis::new(probe, unit));
    chart.series = vec![
        Series::line("predicted", predicted.points(), colours[0]),
        Series::marks("measured", measured.points(), colours[1]),
    ];
    let linear = chart.svg();
    chart.y = chart.y.clone().log();
    let variants = vec![("linear".to_string(), linear), ("log".to_string(), chart.svg())];
    Figure { id: format!("compare_{}", experiment.name()), caption: String::new(), variants }
}
