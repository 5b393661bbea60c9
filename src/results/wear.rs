//! Writes histories of wear, appended increment by increment, and reads them back to go on.
//!
//! A row holds all that decides what follows. A run that goes on from earlier results writes their rows again,
//! by the same calls as when they were new: the file becomes the same to the last byte.

use std::f64::consts::TAU;
use std::time::{Duration, Instant};

use hdf5::{Dataset, File, Group};
use ndarray::Array2;

use super::response::{extend, growing};
use super::writer::{Place, ResultWriter, new, new_array, subgroup, text_attribute};
use super::{ResultError, ResultReader};
use crate::harmonic::LoopCurve;
use crate::wear::{Solved, State, Wear};

/// What does not change along a history.
#[derive(Debug, Clone)]
pub struct WearShape {
    /// Position of each pair \[m\].
    pub positions: Vec<[f64; 2]>,
    /// Number of unknowns of a response.
    pub n_unknowns: usize,
}

/// An increment to be written.
#[derive(Debug)]
pub struct Increment<'a> {
    /// Number of its history.
    pub history: usize,
    /// The structure.
    pub wear: &'a Wear,
    /// State after it.
    pub state: &'a State,
    /// Response after it.
    pub solved: &'a Solved,
}

/// Values of a row, dataset by dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    numbers: Vec<f64>,
    tables: Vec<Vec<f64>>,
    status: Vec<u8>,
}

type Column = (&'static str, &'static str, fn(&Increment) -> f64);
type Table = (&'static str, &'static str, fn(&Increment) -> Vec<f64>);

/// Numbers of a row: name, unit and value. Cycles are last: cycles on disk have their values.
const COLUMNS: [Column; 17] = [
    ("history", "1", |i| i.history as f64),
    ("block", "1", |i| i.state.block as f64),
    ("frequency", "Hz", |i| i.solved.point.parameters.omega / TAU),
    ("load_factor", "1", |i| i.solved.point.parameters.load),
    ("jump", "1", |i| i.state.jump),
    ("next_jump", "1", |i| i.state.next_jump),
    ("volume", "m^3", |i| i.wear.volume(&i.solved.depth)),
    ("max_depth", "m", |i| i.solved.depth.iter().copied().fold(0.0, f64::max)),
    ("dissipated_energy", "J", |i| i.state.energy.iter().sum()),
    ("force_path", "N m", |i| i.state.force_path.iter().sum()),
    ("imbalance", "1", |i| i.wear.imbalance(i.state, &i.solved.depth)),
    ("normal_force", "N", |i| i.solved.rates.pressure_sum(i.wear)),
    ("error", "1", |i| i.state.error),
    ("solves", "1", |i| i.state.solves as f64),
    ("iterations", "1", |i| i.state.iterations as f64),
    ("rejected", "1", |i| i.state.rejected as f64),
    ("cycles", "1", |i| i.state.cycles),
];

/// Tables with a value per pair, contact or unknown.
const TABLES: [Table; 12] = [
    ("depth", "m", |i| i.solved.depth.clone()),
    ("pressure", "Pa", |i| i.solved.rates.pressure.clone()),
    ("slip", "m", |i| i.solved.rates.path.clone()),
    ("rate", "m", |i| i.wear.depth_rates(i.state, &i.solved.rates)),
    ("max_force", "N", |i| i.solved.loops.iter().map(|l| l.max_force).collect()),
    ("max_slip", "m", |i| i.solved.loops.iter().map(|l| l.max_slip).collect()),
    ("half_opening", "m", |i| i.solved.loops.iter().map(|l| l.half_opening).collect()),
    ("mean_path", "m", |i| i.solved.curves.iter().map(LoopCurve::path).collect()),
    ("state/work", "J/m^2", |i| i.state.work.clone()),
    ("state/energy", "J", |i| i.state.energy.clone()),
    ("state/force_path", "N m", |i| i.state.force_path.clone()),
    ("state/unknowns", "m", |i| i.solved.point.newton.u.clone()),
];

/// What a history has come to: name, unit and value of its last row.
const ENDS: [(&str, &str); 11] = [
    ("frequency", "Hz"),
    ("load_factor", "1"),
    ("cycles", "1"),
    ("volume", "m^3"),
    ("max_depth", "m"),
    ("dissipated_energy", "J"),
    ("normal_force", "N"),
    ("solves", "1"),
    ("iterations", "1"),
    ("rejected", "1"),
    ("imbalance", "1"),
];

/// The load found for a slip.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TargetRow {
    /// Frequency \[Hz\].
    pub frequency: f64,
    /// Factor of the harmonic loads; not a number where none was found.
    pub load_factor: f64,
    /// Slip that it gives \[m\].
    pub slip: f64,
    /// Responses solved to find it.
    pub solves: f64,
    /// Their iterations.
    pub iterations: f64,
}

type TargetColumn = (&'static str, &'static str, fn(&TargetRow) -> f64);

const TARGETS: [TargetColumn; 5] = [
    ("frequency", "Hz", |row| row.frequency),
    ("load_factor", "1", |row| row.load_factor),
    ("slip", "m", |row| row.slip),
    ("solves", "1", |row| row.solves),
    ("iterations", "1", |row| row.iterations),
];

/// Appends increments to the group of a wear analysis.
#[derive(Debug)]
pub struct WearWriter {
    file: File,
    group: Group,
    place: Place,
    /// When the results were last shown, and how long that took.
    published: Option<(Instant, Duration)>,
    columns: Vec<Dataset>,
    tables: Vec<Dataset>,
    status: Dataset,
}

impl ResultWriter {
    /// Begins a wear analysis to which increments are appended.
    pub fn begin_wear(
        &self,
        name: &str,
        wear: &Wear,
        shape: &WearShape,
    ) -> Result<WearWriter, ResultError> {
        let group = self.analysis(name, "wear")?;
        let joints = &wear.balance.joints;
        let n = joints.len();
        let positions = Array2::from_shape_fn((n, 2), |(i, c)| shape.positions[i][c]);
        new_array(&group, "position", &positions, "m")?;
        let contacts: Vec<u64> = joints.iter().map(|joint| joint.interface as u64).collect();
        new(&group, "contact", &contacts, "1")?;
        new(&group, "area", &joints.iter().map(|joint| joint.area).collect::<Vec<_>>(), "m^2")?;
        let shares = Array2::from_shape_fn((n, 2), |(i, c)| wear.laws[i].share[c]);
        new_array(&group, "share", &shares, "1")?;
        subgroup(&group, "state")?;
        subgroup(&group, "loop")?;
        let n_contacts = joints.last().map_or(0, |joint| joint.interface + 1);
        let samples = wear.balance.basis.n_samples();
        let mut tables = Vec::new();
        for (table, unit, _) in TABLES {
            let width = match table {
                "depth" | "pressure" | "slip" | "rate" | "state/work" => n,
                "state/unknowns" => shape.n_unknowns,
                _ => n_contacts,
            };
            tables.push(growing::<f64>(&group, table, &[width], unit)?);
        }
        for i in 0..n_contacts {
            subgroup(&group, &format!("loop/{i}"))?;
            for (curve, unit) in LOOP_CURVES {
                tables.push(growing::<f64>(
                    &group,
                    &format!("loop/{i}/{curve}"),
                    &[samples],
                    unit,
                )?);
            }
        }
        let status = growing::<u8>(&group, "status", &[n, samples], "1")?;
        text_attribute(&status, "values", "0 stick, 1 slip, 2 apart")?;
        let mut columns = Vec::new();
        for (column, unit, _) in COLUMNS {
            columns.push(growing::<f64>(&group, column, &[], unit)?);
        }
        self.flush()?;
        let file = self.file().clone();
        let place = self.place().clone();
        Ok(WearWriter { file, group, place, published: None, columns, tables, status })
    }
}

const LOOP_CURVES: [(&str, &str); 3] = [("force", "N"), ("slip", "m"), ("normal_force", "N")];

impl Row {
    /// The row of an increment.
    pub fn new(increment: &Increment) -> Self {
        let Increment { solved, .. } = increment;
        let mut tables: Vec<Vec<f64>> = TABLES.iter().map(|(.., of)| of(increment)).collect();
        for curve in &solved.curves {
            tables.extend([curve.force.clone(), curve.slip.clone(), curve.normal.clone()]);
        }
        let status = solved.histories.iter().flat_map(|pair| &pair.status);
        Self {
            numbers: COLUMNS.iter().map(|(.., of)| of(increment)).collect(),
            tables,
            status: status.map(|status| *status as u8).collect(),
        }
    }

    fn number(&self, name: &str) -> f64 {
        let at = COLUMNS.iter().position(|(column, ..)| *column == name);
        at.map_or(f64::NAN, |at| self.numbers[at])
    }

    fn table(&self, name: &str) -> Vec<f64> {
        let at = TABLES.iter().position(|(table, ..)| *table == name);
        at.map_or(vec![], |at| self.tables[at].clone())
    }

    /// Number of its history.
    pub fn history(&self) -> usize {
        self.number("history") as usize
    }

    /// The state it holds, and the solution ũ.
    pub fn state(&self) -> (State, Vec<f64>) {
        let count = |name: &str| self.number(name) as usize;
        let state = State {
            cycles: self.number("cycles"),
            block: count("block"),
            jump: self.number("jump"),
            next_jump: self.number("next_jump"),
            work: self.table("state/work"),
            energy: self.table("state/energy"),
            force_path: self.table("state/force_path"),
            error: self.number("error"),
            solves: count("solves"),
            iterations: count("iterations"),
            rejected: count("rejected"),
        };
        (state, self.table("state/unknowns"))
    }

    /// Volume lost \[m³\].
    pub fn volume(&self) -> f64 {
        self.number("volume")
    }

    /// Number of cycles.
    pub fn cycles(&self) -> f64 {
        self.number("cycles")
    }

    /// Depth of each pair \[m\].
    pub fn depth(&self) -> Vec<f64> {
        self.table("depth")
    }

    /// Any of its numbers, by the name of the dataset.
    pub fn value(&self, name: &str) -> f64 {
        self.number(name)
    }
}

impl WearWriter {
    /// Appends a row and flushes.
    pub fn append(&self, row: &Row) -> Result<(), ResultError> {
        for (dataset, values) in self.tables.iter().zip(&row.tables) {
            extend(dataset, values)?;
        }
        extend(&self.status, &row.status)?;
        for (dataset, value) in self.columns.iter().zip(&row.numbers) {
            extend(dataset, &[*value])?;
        }
        Ok(self.file.flush()?)
    }

    /// Writes the loads that were found for a slip; nothing where none was looked for.
    pub fn write_targets(&self, rows: &[TargetRow]) -> Result<(), ResultError> {
        if rows.is_empty() {
            return Ok(());
        }
        let group = subgroup(&self.group, "target")?;
        for (name, unit, of) in TARGETS {
            new(&group, name, &rows.iter().map(of).collect::<Vec<f64>>(), unit)?;
        }
        Ok(self.file.flush()?)
    }

    /// Writes where the histories ended: the last row of each and whether all cycles were done.
    pub fn write_ends(&self, ends: &[(Row, bool)]) -> Result<(), ResultError> {
        let group = subgroup(&self.group, "histories")?;
        for (name, unit) in ENDS {
            let values: Vec<f64> = ends.iter().map(|(row, _)| row.number(name)).collect();
            new(&group, name, &values, unit)?;
        }
        let finished: Vec<f64> = ends.iter().map(|(_, is)| f64::from(u8::from(*is))).collect();
        new(&group, "finished", &finished, "1")?;
        Ok(self.file.flush()?)
    }

    /// Shows the results with all rows so far, unless that would take more than a tenth of the time.
    pub fn publish(&mut self) -> Result<(), ResultError> {
        if self.published.is_some_and(|(end, cost)| end.elapsed() < 10 * cost) {
            return Ok(());
        }
        let start = Instant::now();
        self.place.publish()?;
        self.published = Some((Instant::now(), start.elapsed()));
        Ok(())
    }
}

/// The rows of a wear analysis in earlier results; none if it had not begun.
pub fn rows(results: &ResultReader, name: &str) -> Result<Vec<Row>, ResultError> {
    if !results.has(&format!("{name}/cycles")) {
        return Ok(vec![]);
    }
    let n_rows = results.shape(&format!("{name}/cycles"))?[0];
    let mut columns = Vec::new();
    for (column, ..) in COLUMNS {
        columns.push(results.table(&format!("{name}/{column}"), &[n_rows])?);
    }
    let mut tables = Vec::new();
    let loops = results.members(&format!("{name}/loop"));
    let curves = (0..loops.len())
        .flat_map(|i| LOOP_CURVES.map(|(curve, _)| format!("{name}/loop/{i}/{curve}")));
    for table in TABLES.iter().map(|(table, ..)| format!("{name}/{table}")).chain(curves) {
        let width = results.shape(&table)?.get(1).copied().unwrap_or(0);
        tables.push((width, results.table(&table, &[n_rows, width])?));
    }
    let status = results.bytes(&format!("{name}/status"))?;
    let width = status.len() / n_rows.max(1);
    let row = |i: usize| Row {
        numbers: columns.iter().map(|column| column[i]).collect(),
        tables: tables.iter().map(|(n, values)| values[i * n..(i + 1) * n].to_vec()).collect(),
        status: status[i * width..(i + 1) * width].to_vec(),
    };
    Ok((0..n_rows).map(row).collect())
}
