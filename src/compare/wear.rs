//! Worn profiles over position, and numbers over cycles.

use num_complex::Complex64;

use super::metrics::{interpolate, nrmse};
use super::{CompareError, Comparison, Experiment, Measure, analysis};
use crate::page::Figure;
use crate::plot::{Axis, Chart, Series, palette, short};
use crate::results::ResultReader;

/// Depth over position at the increment nearest to the measured number of cycles.
pub fn profile(
    results: &ResultReader,
    experiment: &Experiment,
) -> Result<Comparison, CompareError> {
    let (name, _) = analysis(results, experiment, &["wear"])?;
    let position = experiment.column("position", "m")?;
    let depth = experiment.column("depth", "m")?;
    let wanted = experiment.number("cycles")?.ok_or_else(|| {
        experiment.refuse("cycles", "a profile needs the line `# cycles: VALUE`".into())
    })?;
    let rows = history_rows(results, experiment, &name)?;
    let cycles = results.values(&format!("{name}/cycles"))?;
    let far = |i: &usize| (cycles[*i] - wanted).abs();
    let row = rows.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)));
    let row =
        row.ok_or_else(|| experiment.refuse("history", format!("`{name}` has no increment")))?;
    let predicted = predicted_profile(results, experiment, &name, row)?;
    let note = format!("predicted profile after {} cycles", short(cycles[row]));
    let measured: Vec<[f64; 2]> = position.iter().zip(depth).map(|(x, d)| [*x, *d]).collect();
    let axes = [Axis::new("position", "m"), Axis::new("worn depth", "m")];
    let mut comparison = curves(experiment, &name, axes, measured.clone(), predicted.clone());
    let largest = |points: &[[f64; 2]]| points.iter().map(|p| p[1]).reduce(f64::max);
    let (m, p) = (largest(&measured), largest(&predicted));
    comparison.measures.insert(0, Measure::pair("largest depth", "m", m, p));
    let (m, p) = (Some(integral(&measured)), Some(integral(&predicted)));
    comparison.measures.insert(1, Measure::pair("worn area of the section", "m^2", m, p));
    comparison.notes.push(note);
    Ok(comparison)
}

/// A number of the wear analysis over cycles: its dataset has the name of the column.
pub fn history(
    results: &ResultReader,
    experiment: &Experiment,
) -> Result<Comparison, CompareError> {
    let (name, _) = analysis(results, experiment, &["wear"])?;
    let known = ["volume", "max_depth", "dissipated_energy", "normal_force"];
    let quantity = experiment.names().find(|column| known.contains(column)).ok_or_else(|| {
        experiment
            .refuse("quantity", format!("a history needs one of the columns: {}", known.join(", ")))
    })?;
    let path = format!("{name}/{quantity}");
    let unit = results.unit(&path)?;
    let measured: Vec<[f64; 2]> = experiment
        .column("cycles", "1")?
        .iter()
        .zip(experiment.column(quantity, &unit)?)
        .map(|(n, v)| [*n, *v])
        .collect();
    let (cycles, values) = (results.values(&format!("{name}/cycles"))?, results.values(&path)?);
    let rows = history_rows(results, experiment, &name)?;
    let predicted: Vec<[f64; 2]> = rows.iter().map(|i| [cycles[*i], values[*i]]).collect();
    let axes = [Axis::new("cycles", "1"), Axis::new(quantity, &unit)];
    let mut comparison = curves(experiment, &name, axes, measured.clone(), predicted.clone());
    let last = measured[measured.len() - 1];
    let (x, y) = split(&predicted);
    let there = interpolate(&x, &y, last[0]).map(|v| v.re);
    comparison.measures.insert(
        0,
        Measure::pair(&format!("at {} cycles", short(last[0])), &unit, Some(last[1]), there),
    );
    Ok(comparison)
}

/// Rows of the history that the measurement names, the first if it names none.
fn history_rows(
    results: &ResultReader,
    experiment: &Experiment,
    name: &str,
) -> Result<Vec<usize>, CompareError> {
    let wanted = experiment.number("history")?.unwrap_or(0.0);
    let history = results.values(&format!("{name}/history"))?;
    let n = history.len().min(results.values(&format!("{name}/cycles"))?.len());
    Ok((0..n).filter(|i| history[*i] == wanted).collect())
}

/// Depth of the pairs of a contact over their place along the face, ascending.
fn predicted_profile(
    results: &ResultReader,
    experiment: &Experiment,
    name: &str,
    row: usize,
) -> Result<Vec<[f64; 2]>, CompareError> {
    let wanted = experiment.number("contact")?.unwrap_or(0.0);
    let contact = results.values(&format!("{name}/contact"))?;
    let own: Vec<usize> = (0..contact.len()).filter(|i| contact[*i] == wanted).collect();
    let place = results.values(&format!("mesh/contact/{wanted}/position"))?;
    let depth = results.row(&format!("{name}/depth"), row)?;
    let mut points: Vec<[f64; 2]> = own.iter().zip(&place).map(|(i, x)| [*x, depth[*i]]).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    Ok(points)
}

fn split(points: &[[f64; 2]]) -> (Vec<f64>, Vec<Complex64>) {
    (points.iter().map(|p| p[0]).collect(), points.iter().map(|p| p[1].into()).collect())
}

fn integral(points: &[[f64; 2]]) -> f64 {
    points.windows(2).map(|w| 0.5 * (w[1][0] - w[0][0]) * (w[0][1] + w[1][1])).sum()
}

/// Error of one curve against another, and both in a picture.
fn curves(
    experiment: &Experiment,
    name: &str,
    [x_axis, y_axis]: [Axis; 2],
    measured: Vec<[f64; 2]>,
    predicted: Vec<[f64; 2]>,
) -> Comparison {
    let (x, y) = split(&predicted);
    let inside =
        measured.iter().filter_map(|m| Some((Complex64::from(m[1]), interpolate(&x, &y, m[0])?)));
    let (m, p): (Vec<Complex64>, Vec<Complex64>) = inside.unzip();
    let mut notes = Vec::new();
    if m.len() < measured.len() {
        notes.push(format!(
            "{} measured points lie outside the predicted range",
            measured.len() - m.len()
        ));
    }
    let colours = palette(2);
    let title = format!("{}: {} of `{name}`", experiment.name(), y_axis.label);
    let mut chart = Chart::new(&title, x_axis, y_axis);
    chart.series = vec![
        Series::line("predicted", predicted, colours[0]),
        Series::marks("measured", measured, colours[1]),
    ];
    let measures = vec![Measure::common("normalised RMS error", nrmse(&m, &p))];
    let figures = vec![Figure::new(&format!("compare_{}", experiment.name()), chart.svg(), "")];
    Comparison { experiment: experiment.path.clone(), title, measures, notes, figures }
}
