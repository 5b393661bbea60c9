//! The validation table for terminals.

use super::{Relation, Row, Verdict};

/// Names of the columns; those without any entry are left out.
pub const HEADER: [&str; 9] = [
    "quantity",
    "source",
    "experiment",
    "published",
    "reference",
    "ours",
    "difference",
    "tolerance",
    "verdict",
];

/// Numbers of the columns that have an entry in one of the rows.
pub fn columns(rows: &[Row]) -> Vec<usize> {
    let is_used = |column: &usize| match *column {
        2 => rows.iter().any(|row| row.experiment.is_some()),
        3 => rows.iter().any(|row| row.published.is_some()),
        _ => true,
    };
    (0..HEADER.len()).filter(is_used).collect()
}

/// Lays the rows out in columns, one block per validation.
pub fn format(rows: &[Row]) -> String {
    let mut out = String::new();
    for block in rows.chunk_by(|a, b| a.validation == b.validation) {
        out += &format!("\n{}\n", block[0].validation);
        out += &format_block(block);
    }
    out + &format!("\n{}\n", totals(rows))
}

fn format_block(rows: &[Row]) -> String {
    let columns = columns(rows);
    let chosen = |cells: [String; 9]| columns.iter().map(|c| cells[*c].clone()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(HEADER.map(String::from))
        .chain(rows.iter().map(cells))
        .map(chosen)
        .collect();
    let width = |c: usize| lines.iter().map(|line| line[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let text = |cells: &Vec<String>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("  {}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(text).collect()
}

/// "n passed, n failed, n for information".
pub fn totals(rows: &[Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    format!(
        "{} checks: {} pass, {} fail, {} info",
        rows.len(),
        count(Verdict::Pass),
        count(Verdict::Fail),
        count(Verdict::Info)
    )
}

/// Texts of a row.
pub fn cells(row: &Row) -> [String; 9] {
    let sign = match row.relation {
        Relation::AtLeast => "≥ ",
        Relation::AtMost => "≤ ",
        _ => "",
    };
    let number = |value: f64| {
        let text = if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
            format!("{value:.5}")
        } else {
            format!("{value:.4e}")
        };
        format!("{text} {}", row.unit).trim_end().to_string()
    };
    let share = |value: f64| {
        if row.reference == Some(0.0) {
            format!("{value:.1e}")
        } else {
            format!("{:.4} %", 100.0 * value)
        }
    };
    let verdict = match row.verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "FAIL",
        Verdict::Info => "info",
    };
    [
        row.quantity.clone(),
        row.source.clone(),
        row.experiment.map(number).unwrap_or_default(),
        row.published.map(number).unwrap_or_default(),
        row.reference.map(|value| sign.to_string() + &number(value)).unwrap_or_default(),
        number(row.ours),
        row.difference.map(share).unwrap_or_default(),
        row.tolerance.map(share).unwrap_or_default(),
        verdict.to_string(),
    ]
}
