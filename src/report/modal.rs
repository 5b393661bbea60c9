//! Modes: a table of frequencies and the first shapes.

use super::Source;
use crate::page::{Block, Figure, Section, Table};
use crate::plot::short;
use crate::results::ResultError;

/// Shapes that are drawn.
const MAX_SHAPES: usize = 8;

pub fn section(source: &Source, name: &str) -> Result<Section, ResultError> {
    let frequencies = source.results.values(&format!("{name}/frequency"))?;
    let mut table = Table::new(&["mode", "frequency [Hz]"]);
    for (i, frequency) in frequencies.iter().enumerate() {
        table.rows.push(vec![(i + 1).to_string(), format!("{frequency:.4}")]);
    }
    let mut blocks = vec![];
    if source.mesh.has_cells() {
        for (i, frequency) in frequencies.iter().enumerate().take(MAX_SHAPES) {
            let title = format!("Mode {}: {} Hz", i + 1, short(*frequency));
            let shape = source.displacement(&format!("{name}/shape"), i)?;
            let svg = source.mesh.deformed(&title, &shape, None);
            blocks.push(Block::Figure(Figure::new(&format!("{name}_{}", i + 1), svg, "")));
        }
        let text = "Shapes enlarged and coloured by the length of the displacement; grey: at rest.";
        blocks.push(Block::Text(text.into()));
    }
    blocks.push(Block::Table(table));
    Ok(Section { title: super::heading("Modes", name), blocks })
}
