//! Measured mode shapes: displacements of points, compared with every computed mode.

use super::metrics::mac;
use super::{CompareError, Comparison, Experiment, Measure, analysis};
use crate::page::Figure;
use crate::plot::{Axis, Chart, Series, palette};
use crate::results::ResultReader;

pub fn compare(
    results: &ResultReader,
    experiment: &Experiment,
) -> Result<Comparison, CompareError> {
    let (name, _) = analysis(results, experiment, &["modal"])?;
    let (x, y) = (experiment.column("x", "m")?, experiment.column("y", "m")?);
    let unit = |column: &str| if experiment.optional(column, "m").is_ok() { "m" } else { "1" };
    let measured: Vec<Vec<f64>> = ["dx", "dy"]
        .iter()
        .filter_map(|column| experiment.optional(column, unit(column)).transpose())
        .map(|values| values.map(<[f64]>::to_vec))
        .collect::<Result<_, _>>()?;
    if measured.is_empty() {
        experiment.column("dx", "1")?;
    }
    let axes: Vec<usize> = ["dx", "dy"]
        .iter()
        .enumerate()
        .filter(|(_, column)| experiment.names().any(|name| name == **column))
        .map(|(axis, _)| axis)
        .collect();
    let nodes = nearest_nodes(results, x, y)?;
    let frequencies = results.values(&format!("{name}/frequency"))?;
    let components = results.components(&format!("{name}/shape"))?.len();
    let flat: Vec<f64> = measured.concat();
    let mut values = Vec::new();
    for mode in 0..frequencies.len() {
        let shape = results.row(&format!("{name}/shape"), mode)?;
        let along = |axis: &usize| -> Vec<f64> {
            nodes.iter().map(|node| shape[node * components + axis]).collect()
        };
        let predicted: Vec<f64> = axes.iter().flat_map(along).collect();
        values.push(Some(mac(&flat, &predicted)).filter(|v| v.is_finite()).unwrap_or(0.0));
    }
    let best = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut measures = Vec::new();
    if let Some(best) = best {
        measures
            .push(Measure::common(&format!("MAC with mode {}, the best", best + 1), values[best]));
        let measured = experiment.number("frequency")?;
        measures.push(Measure::pair("frequency", "Hz", measured, Some(frequencies[best])));
        let others = values.iter().enumerate().filter(|(i, _)| *i != best);
        let second = others.map(|(_, v)| *v).fold(0.0, f64::max);
        measures.push(Measure::common("largest MAC with another mode", second));
    }
    let title = format!("{}: MAC with the modes of `{name}`", experiment.name());
    let mut chart =
        Chart::new(&title, Axis::new("mode", "1"), Axis::new("MAC", "1").from_to([0.0, 1.05]));
    chart.bars = (1..=values.len()).map(|i| i.to_string()).collect();
    let points = values.iter().enumerate().map(|(i, v)| [i as f64, *v]).collect();
    chart.series.push(Series::line("", points, palette(1)[0]));
    let figure = Figure::new(&format!("compare_{}", experiment.name()), chart.svg(), "");
    Ok(Comparison {
        experiment: experiment.path.clone(),
        title: format!("{}: shape beside the modes of `{name}`", experiment.name()),
        measures,
        notes: vec!["shapes are compared at the nodes nearest to the measured points".into()],
        figures: vec![figure],
    })
}

fn nearest_nodes(results: &ResultReader, x: &[f64], y: &[f64]) -> Result<Vec<usize>, CompareError> {
    let columns = results.shape("mesh/coordinates")?.get(1).copied().unwrap_or(2);
    let coordinates = results.values("mesh/coordinates")?;
    let nodes: Vec<&[f64]> = coordinates.chunks(columns.max(2)).collect();
    let nearest = |(x, y): (&f64, &f64)| {
        let far = |n: &usize| (nodes[*n][0] - x).hypot(nodes[*n][1] - y);
        (0..nodes.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    };
    Ok(x.iter().zip(y).map(nearest).collect())
}
