//! `validation.html`: every number of the table, how much of its tolerance it uses, and the figures of the
//! runs it comes from.

use super::{CaseRun, Entry, Row, Verdict, table};
use crate::error::Error;
use crate::page::{Block, Figure, Page, Section, Table};
use crate::plot::{Axis, Chart, Series, palette};
use crate::report;
use crate::results::ResultReader;

/// Name of the page in the output directory.
pub const FILE_NAME: &str = "validation.html";

/// Runs of an entry whose figures are shown, and figures of a run.
const MAX_RUNS: usize = 3;
const MAX_FIGURES: usize = 4;

/// The page of the entries that were run.
pub fn page(entries: &[Entry]) -> Result<Page, Error> {
    let rows: Vec<Row> = entries.iter().flat_map(|entry| entry.rows.clone()).collect();
    let mut sections = Vec::new();
    for entry in entries {
        sections.push(section(entry)?);
    }
    Ok(Page { title: "Validation".into(), subtitle: table::totals(&rows), sections })
}

fn section(entry: &Entry) -> Result<Section, Error> {
    let mut blocks: Vec<Block> = paragraphs(&entry.story).into_iter().map(Block::Text).collect();
    blocks.extend(entry.figures.iter().cloned().map(Block::Figure));
    blocks.extend(shares(entry).map(Block::Figure));
    for run in entry.runs.iter().take(MAX_RUNS) {
        blocks.extend(figures(entry, run)?);
    }
    let columns = table::columns(&entry.rows);
    let head: Vec<&str> = columns.iter().map(|c| table::HEADER[*c]).chain(["reason"]).collect();
    let mut rows = Table::new(&head);
    for row in &entry.rows {
        let all = table::cells(row);
        let mut cells: Vec<String> = columns.iter().map(|c| all[*c].clone()).collect();
        cells.push(row.reason.clone());
        rows.rows.push(cells);
    }
    blocks.push(Block::Table(rows));
    Ok(Section { title: entry.name.clone(), blocks })
}

/// Plain paragraphs at the beginning of a story.
fn paragraphs(story: &str) -> Vec<String> {
    let blocks = story.split("\n\n").map(str::trim);
    let is_plain =
        |text: &&str| !text.is_empty() && !text.starts_with(['#', '|', '!', '`', '*', '-']);
    let plain = |text: &str| text.replace('\n', " ").replace(['`', '*'], "");
    blocks.filter(is_plain).take(2).map(plain).collect()
}

/// Difference over tolerance of every judged check.
fn shares(entry: &Entry) -> Option<Figure> {
    let judged: Vec<(usize, f64)> = entry
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.verdict != Verdict::Info)
        .filter_map(|(i, row)| {
            Some((i, row.difference?.abs() / row.tolerance.filter(|t| *t > 0.0)?))
        })
        .collect();
    if judged.is_empty() {
        return None;
    }
    let y = Axis::new("difference over tolerance", "1");
    let mut chart = Chart::new("How much of the tolerance is used", Axis::new("check", "1"), y);
    chart.bars = judged.iter().map(|(i, _)| (i + 1).to_string()).collect();
    let points = judged.iter().enumerate().map(|(k, (_, share))| [k as f64, *share]).collect();
    chart.series.push(Series::line("check", points, palette(1)[0]));
    let caption = "Checks in the order of the table; above 1 a check fails.";
    Some(Figure::new(&format!("{}_tolerance", entry.name), chart.svg(), caption))
}

/// The curves of a run, out of its report: responses and loops, not the mesh or how it converged.
fn figures(entry: &Entry, run: &CaseRun) -> Result<Vec<Block>, Error> {
    let CaseRun { directory, settings } = run;
    let report = report::page(&ResultReader::open(directory)?)?;
    let is_shown = |figure: &&Figure| {
        let svg = &figure.variants[0].1;
        svg.contains("class=\"chart\"")
            && !["iterations", "residual"].iter().any(|end| figure.id.ends_with(end))
    };
    let name =
        directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let shown = report.figures().filter(is_shown).take(MAX_FIGURES).map(|figure| {
        let id = format!("{}_{name}_{}", entry.name, figure.id);
        let caption = match settings.is_empty() {
            true => report.title.clone(),
            false => format!("{}, with {}", report.title, settings.join(", ")),
        };
        Block::Figure(Figure { id, caption, ..figure.clone() })
    });
    Ok(shown.collect())
}
