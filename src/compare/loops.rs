//! Hysteresis loops: force over displacement at one frequency.

use super::metrics::{half_widths, loop_area, loop_distance};
use super::{CompareError, Comparison, Experiment, Measure, analysis, curve_at_level};
use crate::page::Figure;
use crate::plot::{Axis, Chart, Series, palette, short};
use crate::results::ResultReader;

pub fn compare(
    results: &ResultReader,
    experiment: &Experiment,
) -> Result<Comparison, CompareError> {
    let (name, _) = analysis(results, experiment, &["response"])?;
    let measured: Vec<[f64; 2]> = experiment
        .column("displacement", "m")?
        .iter()
        .zip(experiment.column("force", "N")?)
        .map(|(x, f)| [*x, *f])
        .collect();
    let (row, at) = row(results, experiment, &name)?;
    let predicted = predicted(results, experiment, &name, row)?;
    let mut notes = vec![format!("predicted loop at {} Hz", short(at))];
    // A loop measured with the force on the other body, or from the other side, runs the other way.
    let areas = [loop_area(&measured), loop_area(&predicted)];
    if areas[0] < 0.0 {
        notes
            .push("the measured loop runs counter-clockwise: its area is taken as positive".into());
    }
    let [m, p] = [half_widths(&measured), half_widths(&predicted)];
    let measures = vec![
        Measure::pair("area (energy per cycle)", "J", Some(areas[0].abs()), Some(areas[1].abs())),
        Measure::pair("half width, displacement", "m", Some(m[0]), Some(p[0])),
        Measure::pair("half height, force", "N", Some(m[1]), Some(p[1])),
        Measure::common("distance of shapes", loop_distance(&measured, &predicted)),
    ];
    let colours = palette(2);
    let title = format!("{}: loop at {} Hz", experiment.name(), short(at));
    let mut chart = Chart::new(&title, Axis::new("displacement", "m"), Axis::new("force", "N"));
    chart.series = vec![
        Series::line("predicted", predicted, colours[0]).closed(),
        Series::marks("measured", measured, colours[1]),
    ];
    let figure = Figure::new(&format!("compare_{}", experiment.name()), chart.svg(), "");
    let title = format!("{}: loop of `{name}`", experiment.name());
    Ok(Comparison {
        experiment: experiment.path.clone(),
        title,
        measures,
        notes,
        figures: vec![figure],
    })
}

/// The point nearest to the measured frequency, and its frequency.
fn row(
    results: &ResultReader,
    experiment: &Experiment,
    name: &str,
) -> Result<(usize, f64), CompareError> {
    let wanted = experiment.number("frequency")?.ok_or_else(|| {
        experiment.refuse("frequency", "a loop needs the line `# frequency: VALUE Hz`".into())
    })?;
    let frequency = results.values(&format!("{name}/frequency"))?;
    let rows = curve_at_level(results, experiment, name)?;
    let far = |i: &usize| (frequency[*i] - wanted).abs();
    let nearest = rows.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)));
    nearest.map(|i| (i, frequency[i])).ok_or_else(|| {
        experiment.refuse("frequency", format!("`{name}` has no converged point on this curve"))
    })
}

/// Sum of the tangential forces over the mean slip, or over a probe if the measurement names one.
fn predicted(
    results: &ResultReader,
    experiment: &Experiment,
    name: &str,
    row: usize,
) -> Result<Vec<[f64; 2]>, CompareError> {
    let contact = experiment.number("contact")?.unwrap_or(0.0);
    let place = format!("{name}/contact/{contact}");
    if !results.has(&place) {
        let message = format!("`{name}` has no contact {contact}; they count from 0");
        return Err(experiment.refuse("contact", message));
    }
    let areas = results.values(&format!("{place}/area"))?;
    let forces = results.row(&format!("{place}/tangential_force"), row)?;
    let samples = forces.len() / areas.len().max(1);
    let sum = |values: &[f64], weight: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let at = |j: usize| (0..areas.len()).map(|p| weight(p) * values[p * samples + j]).sum();
        (0..samples).map(at).collect()
    };
    let force = sum(&forces, &|_| 1.0);
    let motion = match experiment.text("probe") {
        Some(probe) => {
            let path = format!("{name}/probes/{probe}/history");
            if !results.has(&path) {
                return Err(experiment.refuse("probe", format!("`{name}` has no probe `{probe}`")));
            }
            results.row(&path, row)?
        }
        None => {
            let total: f64 = areas.iter().sum();
            sum(&results.row(&format!("{place}/slip"), row)?, &|p| areas[p] / total)
        }
    };
    Ok(motion.into_iter().zip(force).map(|(x, f)| [x, f]).collect())
}
