//! Quality of the reduction: how far frequencies are off, and which shapes match.

use super::Source;
use crate::page::{Block, Figure, Section};
use crate::plot::{Axis, Cells, Chart, Map, Series, palette, short};
use crate::results::ResultError;

pub fn section(source: &Source, name: &str) -> Result<Section, ResultError> {
    let mut blocks = vec![Block::Text(
        "Modes of each reduced body beside those of the whole one. A reduction serves up to the frequency \
         where errors stay small and each mode matches one other: MAC near 1."
            .into(),
    )];
    for body in source.results.members(name) {
        let place = format!("{name}/{body}");
        let errors = source.results.values(&format!("{place}/frequency_error"))?;
        let frequencies = source.results.values(&format!("{place}/reduced_frequency"))?;
        let shape = source.results.shape(&format!("{place}/mac"))?;
        let mac = source.results.values(&format!("{place}/mac"))?;
        blocks.push(Block::Figure(error_bars(&body, &errors, &frequencies)));
        if let [rows, columns] = shape[..]
            && rows * columns == mac.len()
            && rows * columns > 0
        {
            blocks.push(Block::Figure(mac_map(&body, mac, rows, columns)));
        }
    }
    Ok(Section { title: super::heading("Reduction", name), blocks })
}

fn error_bars(body: &str, errors: &[f64], frequencies: &[f64]) -> Figure {
    let title = format!("{body}: error of natural frequencies");
    let mut chart = Chart::new(&title, Axis::new("mode", "1"), Axis::new("|Δf| / f", "%"));
    chart.bars = (1..=errors.len()).map(|i| i.to_string()).collect();
    let points = errors.iter().enumerate().map(|(i, e)| [i as f64, 100.0 * e.abs()]).collect();
    chart.series.push(Series::line("", points, palette(1)[0]));
    let largest = errors.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    let highest = frequencies.iter().copied().fold(0.0, f64::max);
    let caption = format!(
        "Largest error {} % of {} modes up to {} Hz.",
        short(100.0 * largest),
        errors.len(),
        short(highest)
    );
    Figure::new(&format!("{body}_frequency_error"), chart.svg(), &caption)
}

fn mac_map(body: &str, values: Vec<f64>, rows: usize, columns: usize) -> Figure {
    let edges = |n: usize| (0..=n).map(|i| i as f64 + 0.5).collect::<Vec<f64>>();
    let map = Map {
        title: format!("{body}: modal assurance criterion"),
        x: Axis::new("mode of the whole body", "1"),
        y: Axis::new("mode of the reduced body", "1"),
        x_edges: edges(columns),
        y_edges: edges(rows),
        row_names: vec![],
        cells: Cells::Magnitudes { values, range: [0.0, 1.0], name: "MAC".into() },
    };
    Figure::new(&format!("{body}_mac"), map.svg(), "")
}
