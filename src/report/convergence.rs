//! How hard the points were to find and how well they hold.

use serde_json::Value;

use super::Source;
use super::points::Points;
use crate::page::{Block, Figure};
use crate::plot::{Axis, Chart, Series, palette};
use crate::results::ResultError;

/// Failed points whose attempts are drawn.
const MAX_FAILED: usize = 4;

pub fn blocks(
    source: &Source,
    name: &str,
    points: &Points,
    x: &Axis,
) -> Result<Vec<Block>, ResultError> {
    let mut blocks = vec![Block::Heading("Convergence".into())];
    let of = |key: &str| source.column(&format!("{name}/{key}"), points.n);
    let iterations = of("iterations")?;
    let mut chart =
        Chart::new("Newton iterations", x.clone(), Axis::new("iterations, all attempts", "1"));
    chart.legend = points.legend();
    for curve in &points.curves {
        let marks = curve.points.iter().map(|i| [points.parameter[*i], iterations[*i]]).collect();
        chart.series.push(Series::marks(&curve.name, marks, curve.colour));
    }
    blocks.push(figure(name, "iterations", &chart));
    let y = Axis::new("relative to the load or to the largest work", "1").log();
    let mut chart = Chart::new("Residual and energy balance", x.clone(), y);
    let keys = [
        ("residual", "residual"),
        ("energy/imbalance", "energy imbalance"),
        ("energy/truncation", "truncated friction work"),
    ];
    for ((key, title), colour) in keys.into_iter().zip(palette(3)) {
        let values = of(key)?;
        let marks = (0..points.n).map(|i| [points.parameter[i], values[i]]).collect();
        chart.series.push(Series::marks(title, marks, colour));
    }
    blocks.push(figure(name, "residual", &chart));
    blocks.extend(failures(source, name));
    Ok(blocks)
}

fn figure(name: &str, id: &str, chart: &Chart) -> Block {
    Block::Figure(Figure::new(&format!("{name}_{id}"), chart.svg(), ""))
}

/// Residuals of the attempts at points without a solution.
fn failures(source: &Source, name: &str) -> Vec<Block> {
    let failed = &source.summary["analyses"][name]["failed_points"];
    let failed = failed.as_array().cloned().unwrap_or_default();
    let chart = |(k, point): (usize, &Value)| {
        let frequency = point["frequency"].as_f64().unwrap_or(f64::NAN);
        let title =
            format!("No solution at {frequency:.6} Hz, load factor {}", point["load_factor"]);
        let (x, y) = (Axis::new("iteration", "1"), Axis::new("residual over load", "1").log());
        let mut chart = Chart::new(&title, x, y);
        let attempts = point["attempts"].as_array().cloned().unwrap_or_default();
        for (attempt, colour) in attempts.iter().zip(palette(attempts.len())) {
            let residuals = attempt["residuals"].as_array().cloned().unwrap_or_default();
            let values = residuals.iter().enumerate();
            let history = values.map(|(i, v)| [i as f64, v.as_f64().unwrap_or(f64::NAN)]).collect();
            let strategy = attempt["strategy"].as_str().unwrap_or("attempt");
            chart.series.push(Series::line(strategy, history, colour));
        }
        figure(name, &format!("failed_{}", k + 1), &chart)
    };
    // A point whose solution was refused has none.
    let has_attempts = |point: &&Value| point["attempts"].as_array().is_some_and(|a| !a.is_empty());
    failed.iter().filter(has_attempts).enumerate().take(MAX_FAILED).map(chart).collect()
}
