//! CSV tables from a results file, one per analysis, with units in the header.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::ResultError;
use super::reader::ResultReader;

/// Writes a CSV file for every analysis; returns the files.
pub fn export(results: &ResultReader, directory: &Path) -> Result<Vec<PathBuf>, ResultError> {
    let mut files = Vec::new();
    for (name, kind) in results.analyses()? {
        let text = match kind.as_str() {
            "static" => static_table(results, &name)?,
            "modal" => modal_table(results, &name)?,
            "frf" => frf_table(results, &name)?,
            "response" => response_table(results, &name)?,
            "wear" => wear_table(results, &name)?,
            _ => continue,
        };
        let path = directory.join(format!("{name}.csv"));
        fs::write(&path, text).map_err(|error| ResultError::write(&path, error))?;
        files.push(path);
    }
    Ok(files)
}

fn static_table(results: &ResultReader, name: &str) -> Result<String, ResultError> {
    let mut out = String::from("probe,unit,value\n");
    for probe in results.members(&format!("{name}/probes")) {
        let path = format!("{name}/probes/{probe}");
        let value = results.scalar(&path)?;
        let _ = writeln!(out, "{probe},{},{value:e}", results.unit(&path)?);
    }
    Ok(out)
}

fn modal_table(results: &ResultReader, name: &str) -> Result<String, ResultError> {
    let mut out = String::from("mode,frequency [Hz]\n");
    for (i, frequency) in results.values(&format!("{name}/frequency"))?.iter().enumerate() {
        let _ = writeln!(out, "{},{frequency}", i + 1);
    }
    Ok(out)
}

fn frf_table(results: &ResultReader, name: &str) -> Result<String, ResultError> {
    let frequencies = results.values(&format!("{name}/frequency"))?;
    let mut header = String::from("frequency [Hz]");
    let mut columns = Vec::new();
    for probe in results.members(&format!("{name}/probes")) {
        let path = format!("{name}/probes/{probe}");
        let unit = results.unit(&path)?;
        let _ = write!(header, ",{probe}.re [{unit}],{probe}.im [{unit}]");
        let values = results.complex_values(&path)?;
        if values.len() < frequencies.len() {
            return Err(ResultError::Read {
                path: results.path().to_path_buf(),
                message: format!("/{path} is shorter than /{name}/frequency"),
            });
        }
        columns.push(values);
    }
    let mut out = header + "\n";
    for (i, frequency) in frequencies.iter().enumerate() {
        let _ = write!(out, "{frequency}");
        for column in &columns {
            let _ = write!(out, ",{:e},{:e}", column[i].re, column[i].im);
        }
        out.push('\n');
    }
    Ok(out)
}

/// A row per point: where it is, whether it converged, and the largest value of every probe.
fn response_table(results: &ResultReader, name: &str) -> Result<String, ResultError> {
    let keys = ["curve", "load_factor", "preload_factor", "friction_factor", "converged"];
    let frequency = results.values(&format!("{name}/frequency"))?;
    let mut header = String::from("frequency [Hz]");
    let mut columns = Vec::new();
    let probes = results.members(&format!("{name}/probes"));
    let stability = results.members(&format!("{name}/stability"));
    let unstable = stability.iter().filter(|member| *member == "unstable");
    let unstable = unstable.map(|member| format!("stability/{member}"));
    let maxima = probes.iter().map(|probe| format!("probes/{probe}/maximum"));
    for key in keys.map(String::from).into_iter().chain(unstable).chain(maxima) {
        let path = format!("{name}/{key}");
        let title = key.trim_start_matches("probes/").replace('/', ".");
        let _ = write!(header, ",{title} [{}]", results.unit(&path)?);
        // A run that was killed may have begun another row.
        columns.push(results.table(&path, &[0])?);
    }
    let n = columns.iter().map(Vec::len).fold(frequency.len(), usize::min);
    let mut out = header + "\n";
    for i in 0..n {
        let _ = write!(out, "{}", frequency[i]);
        columns.iter().for_each(|column| {
            let _ = write!(out, ",{:e}", column[i]);
        });
        out.push('\n');
    }
    Ok(out)
}

/// A row per increment and pair: the wear profile of both faces, with pressure and slip.
fn wear_table(results: &ResultReader, name: &str) -> Result<String, ResultError> {
    let read = |key: &str| results.values(&format!("{name}/{key}"));
    let position = results.table(&format!("{name}/position"), &[0, 2])?;
    let n = position.len() / 2;
    let (cycles, history) = (read("cycles")?, read("history")?);
    let share = results.table(&format!("{name}/share"), &[n, 2])?;
    let tables = ["depth", "pressure", "slip", "rate"];
    let mut columns = Vec::new();
    for key in tables {
        columns.push(results.table(&format!("{name}/{key}"), &[0, n])?);
    }
    let lengths = columns.iter().map(|c| c.len() / n.max(1)).chain([cycles.len(), history.len()]);
    let rows = lengths.min().unwrap_or(0);
    let mut out = String::from(
        "history,cycles,pair,x [m],y [m],depth [m],pressure [Pa],slip [m],rate [m],\
         depth of first face [m],depth of second face [m]\n",
    );
    for row in 0..rows {
        for pair in 0..n {
            let [x, y] = [position[2 * pair], position[2 * pair + 1]];
            let _ = write!(out, "{},{},{pair},{x:e},{y:e}", history[row], cycles[row]);
            for column in &columns {
                let _ = write!(out, ",{:e}", column[row * n + pair]);
            }
            let depth = columns[0][row * n + pair];
            let [first, second] = [share[2 * pair], share[2 * pair + 1]].map(|s| s * depth);
            let _ = writeln!(out, ",{first:e},{second:e}");
        }
    }
    Ok(out)
}
