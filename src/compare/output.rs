//! Comparisons as a table for terminals and as a page.

use super::{Comparison, Measure};
use crate::page::{Block, Page, Section, Table};
use crate::plot::{engineering, short};

const HEAD: [&str; 4] = ["quantity", "measured", "predicted", "difference"];

fn cells(measure: &Measure) -> [String; 4] {
    let value = |v: Option<f64>| v.map_or("–".into(), |v| engineering(v, &measure.unit));
    if measure.measured.is_none() && measure.predicted.is_none() {
        let common = measure.difference.map_or("–".into(), short);
        return [measure.name.clone(), String::new(), String::new(), common];
    }
    let difference = measure.difference.map_or("–".into(), |d| format!("{} %", short(100.0 * d)));
    [measure.name.clone(), value(measure.measured), value(measure.predicted), difference]
}

/// Columns of text, a block for each measurement.
pub fn table(comparisons: &[Comparison]) -> String {
    let mut out = String::new();
    for comparison in comparisons {
        let rows: Vec<[String; 4]> = std::iter::once(HEAD.map(String::from))
            .chain(comparison.measures.iter().map(cells))
            .collect();
        let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
        let widths: [usize; 4] = std::array::from_fn(width);
        out += &format!("\n{}\n", comparison.title);
        for row in &rows {
            let padded = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            out += &format!("  {}\n", padded.collect::<Vec<_>>().join("  ").trim_end());
        }
        for note in &comparison.notes {
            out += &format!("  note: {note}\n");
        }
    }
    out.trim_matches('\n').to_string()
}

/// Tables and figures as a page.
pub fn page(title: &str, comparisons: &[Comparison]) -> Page {
    let section = |comparison: &Comparison| {
        let mut table = Table::new(&HEAD);
        table.rows = comparison.measures.iter().map(|m| cells(m).to_vec()).collect();
        let mut text = vec![Block::Table(table)];
        if !comparison.notes.is_empty() {
            text.push(Block::List(comparison.notes.clone()));
        }
        let mut figures = comparison.figures.iter().cloned();
        let blocks = match figures.next() {
            Some(first) => {
                let rest = figures.map(Block::Figure);
                std::iter::once(Block::Beside(first, text)).chain(rest).collect()
            }
            None => text,
        };
        Section { title: comparison.title.clone(), blocks }
    };
    Page {
        title: if title.is_empty() { "Comparison".into() } else { format!("{title}: comparison") },
        subtitle: format!("measurements beside the prediction: {}", comparisons.len()),
        sections: comparisons.iter().map(section).collect(),
    }
}
