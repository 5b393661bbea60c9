//! The validation table for terminals.

use super::{Relation, Row, Verdict};

/// Names of the columns.
pub const HEADER: [&str; 7] =
    ["quantity", "source", "reference", "ours", "difference", "tolerance", "verdict"];

/// Lays the rows out in columns, one block per validation.
pub fn format(rows: &[Row]) -> String {
    let header = HEADER;
    let cells: Vec<[String; 7]> = rows.iter().map(cells).collect();
    let width = |column: usize| {
        let entries = cells.iter().map(|row| row[column].chars().count());
        entries.chain([header[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let mut out = String::new();
    let mut current = "";
    for (row, cells) in rows.iter().zip(&cells) {
        if row.validation != current {
            current = &row.validation;
            out += &format!("\n{current}\n  {}\n", line(&header.map(String::from)));
        }
        out += &format!("  {}\n", line(cells));
    }
    out + &format!("\n{}\n", totals(rows))
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
pub fn cells(row: &Row) -> [String; 7] {
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
        row.reference.map(|value| sign.to_string() + &number(value)).unwrap_or_default(),
        number(row.ours),
        row.difference.map(share).unwrap_or_default(),
        row.tolerance.map(share).unwrap_or_default(),
        verdict.to_string(),
    ]
}
