//! What the user sees: progress bars and the closing summary.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value};

use crate::progress::Progress;
use crate::results::Summary;

/// A progress bar per stage, on standard error; silent if that is not a terminal.
#[derive(Debug, Default)]
pub struct Bars(Option<ProgressBar>);

impl Progress for Bars {
    fn begin(&mut self, stage: &str, total: usize) {
        let bar = if total == 0 {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            bar
        } else {
            let style = "{msg:>20} [{bar:30}] {pos}/{len} ({per_sec}, {eta} left)";
            let bar = ProgressBar::new(total as u64);
            bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
            bar
        };
        bar.set_message(stage.to_string());
        self.0 = Some(bar);
    }

    fn advance(&mut self, done: usize) {
        if let Some(bar) = &self.0 {
            bar.set_position(done as u64);
        }
    }

    fn note(&mut self, line: &str) {
        if let Some(bar) = &self.0 {
            bar.println(line);
        }
    }

    fn describe(&mut self, text: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(text.to_string());
        }
    }

    fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

/// Sizes of a model, a line each.
pub fn sizes(sizes: &Map<String, Value>) -> String {
    let line = |(key, value): (&String, &Value)| format!("  {:<22}{value}", key.replace('_', " "));
    sizes.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether words are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// For terminals.
    On,
    /// For files and pipes.
    Off,
}

impl Colours {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Self::On => format!("\x1b[{code}m{text}\x1b[0m"),
            Self::Off => text.to_string(),
        }
    }
}

const BOLD: &str = "1";
const YELLOW: &str = "33";

/// What ran, the headline numbers, the warnings and where the files are.
pub fn summary(summary: &Summary, directory: &Path, seconds: f64, colours: Colours) -> String {
    let count = |key: &str| summary.model.get(key).and_then(Value::as_u64).unwrap_or(0);
    let mut lines = vec![format!(
        "{}\n  {} nodes, {} elements, {} free freedoms; {seconds:.2} s",
        colours.paint(BOLD, if summary.title.is_empty() { "Case" } else { &summary.title }),
        count("nodes"),
        count("elements"),
        count("free_freedoms"),
    )];
    for (name, entry) in &summary.analyses {
        lines.push(format!("{}: {}", colours.paint(BOLD, name), headline(entry)));
    }
    let warning = colours.paint(YELLOW, "warning:");
    lines.extend(summary.warnings.iter().map(|text| format!("{warning} {text}")));
    lines.push(format!("results in {}, figures in report.html there", directory.display()));
    lines.join("\n")
}

fn headline(entry: &Value) -> String {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_string();
    let table = |key: &str| entry[key].as_object().cloned().unwrap_or_default();
    match entry["type"].as_str() {
        Some("modal") => {
            let all = entry["frequency"].as_array().cloned().unwrap_or_default();
            let shown: Vec<String> =
                all.iter().take(6).filter_map(Value::as_f64).map(|f| format!("{f:.2}")).collect();
            let more = if all.len() > 6 { ", …" } else { "" };
            format!("{} modes: {}{more} Hz", all.len(), shown.join(", "))
        }
        Some("reduction") => {
            let bodies = table("bodies").into_iter().map(|(body, report)| {
                let count = |key: &str| report[key].as_u64().unwrap_or(0);
                let numbers = |key: &str| {
                    let list = report[key].as_array().cloned().unwrap_or_default();
                    list.iter().filter_map(Value::as_f64).collect::<Vec<f64>>()
                };
                let largest = numbers("frequency_error").into_iter().fold(0.0, |m: f64, e| m.max(e.abs()));
                let least = numbers("paired_mac").into_iter().fold(1.0, f64::min);
                format!(
                    "\n  {body}: {} freedoms to {} + {} modes; {} modes compared: frequency error up to \
                     {:.4} %, MAC from {least:.5}",
                    count("boundary_freedoms") + count("internal_freedoms"),
                    count("boundary_freedoms"),
                    count("modes"),
                    numbers("reduced_frequency").len(),
                    100.0 * largest
                )
            });
            format!("bodies{}", bodies.collect::<String>())
        }
        Some("response") => response(entry),
        Some("wear") => wear(entry),
        Some("history") => history(entry),
        Some("frf" | "transient") => {
            let peaks = table("peaks").into_iter().map(|(probe, peak)| {
                let number = |key: &str| peak[key].as_f64().unwrap_or(f64::NAN);
                format!(
                    "\n  {probe}: peak {:.4e} {} at {:.4} Hz",
                    number("amplitude"),
                    text(&peak, "unit"),
                    number("frequency")
                )
            });
            let points = match &entry["periodic"] {
                Value::Null => format!("{} frequencies", entry["points"]),
                periodic => format!("{periodic} of {} frequencies periodic", entry["points"]),
            };
            points + &peaks.collect::<String>()
        }
        _ => {
            let values = table("probes").into_iter().map(|(probe, value)| {
                let number = value["value"].as_f64().unwrap_or(f64::NAN);
                format!("\n  {probe} = {number:.6e} {}", text(&value, "unit"))
            });
            format!("solved{}", values.collect::<String>())
        }
    }
}

/// Convergence of a response, and the peaks of each curve.
fn response(entry: &Value) -> String {
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    let mut text = format!(
        "{} of {} points converged, {:.1} iterations each; energy balance to {:.1e}",
        entry["converged"],
        entry["points"],
        number(entry, "mean_iterations"),
        number(entry, "max_energy_imbalance"),
    );
    for curve in entry["curves"].as_array().into_iter().flatten() {
        text += &format!("\n  load factor {}:", curve["load_factor"]);
        for (probe, peak) in curve["peaks"].as_object().into_iter().flatten() {
            text += &match peak["maximum"].as_f64() {
                Some(maximum) => format!(
                    "\n    {probe}: peak {maximum:.4e} {} at {:.4} Hz",
                    peak["unit"].as_str().unwrap_or_default(),
                    number(peak, "frequency")
                ),
                None => format!("\n    {probe}: no solution"),
            };
        }
    }
    text
}

/// Steps of a record, the largest values of its probes, and the first pairs.
fn history(entry: &Value) -> String {
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    let mut text = format!("{} steps, {} rejected", entry["steps"], entry["rejected_steps"]);
    for (probe, value) in entry["probes"].as_object().into_iter().flatten() {
        let unit = value["unit"].as_str().unwrap_or_default();
        text += &format!("\n  {probe}: at most {:.4e} {unit}", number(value, "largest"));
    }
    for pair in entry["pairs"].as_array().into_iter().flatten().take(5) {
        text += &format!(
            "\n  contact: {} sticks, {:.1} % of the time in slip, break-away {:.4e} N, work {:.4e} J",
            pair["sticks"],
            100.0 * number(pair, "slip_ratio"),
            number(pair, "break_away_force_N"),
            number(pair, "work_J"),
        );
    }
    text
}

/// Where each history of wear has come to; the last ones of many are left out.
fn wear(entry: &Value) -> String {
    let histories = entry["histories"].as_array().cloned().unwrap_or_default();
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    let line = |history: &Value| {
        if history.is_null() {
            return "\n  not begun: see the warning".to_string();
        }
        let slip = history["target_slip"].as_f64();
        let found = slip.map_or(String::new(), |slip| format!(" (for a slip of {slip:.4e} m)"));
        format!(
            "\n  {:.4} Hz, load factor {}{found}: {} cycles, depth {:.4e} m, volume {:.4e} m³, {:.4e} J; {} increments, \
             {} rejected, {} solves of {:.1} iterations, balance to {:.1e}",
            number(history, "frequency"),
            number(history, "load_factor"),
            number(history, "cycles"),
            number(history, "max_depth"),
            number(history, "volume"),
            number(history, "dissipated_energy"),
            number(history, "increments"),
            number(history, "rejected"),
            number(history, "solves"),
            number(history, "iterations_per_solve"),
            number(history, "max_imbalance"),
        )
    };
    let shown: String = histories.iter().take(5).map(line).collect();
    let more = if histories.len() > 5 { "\n  …" } else { "" };
    format!("{} histories{shown}{more}", histories.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_get_colours() {
        let warnings = vec!["the arm is loose".to_string()];
        let run = Summary { title: "rig".into(), warnings, ..Summary::default() };
        let plain = summary(&run, Path::new("out"), 1.0, Colours::Off);
        assert!(plain.contains("warning: the arm is loose") && !plain.contains('\x1b'), "{plain}");
        let coloured = summary(&run, Path::new("out"), 1.0, Colours::On);
        assert!(coloured.contains("\x1b[33mwarning:\x1b[0m the arm is loose"), "{coloured}");
    }
}
