//! Writes nonlinear responses, point by point.

use std::f64::consts::TAU;

use hdf5::{Dataset, File, Group, H5Type};
use ndarray::{Array, Array1};

use super::ResultError;
use super::stability::{StabilityRecord, StabilityWriter};
use super::writer::{ResultWriter, new, subgroup, text_attribute};
use crate::harmonic::{Energy, Loop, PairHistory, Parameters, PointError};
use crate::linalg::Complex;

/// Sizes of a response.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Name and unit of each probe.
    pub probes: Vec<(String, String)>,
    /// Orders of the harmonics, the static one first.
    pub harmonics: Vec<usize>,
    /// Time samples per period.
    pub n_samples: usize,
    /// Number of pairs of each interface.
    pub interfaces: Vec<usize>,
    /// Area of each pair \[m²\].
    pub areas: Vec<f64>,
    /// Friction coefficient of each pair.
    pub frictions: Vec<f64>,
    /// Position of each pair \[m\].
    pub positions: Vec<[f64; 2]>,
    /// Number of Floquet multipliers, if stability is asked for.
    pub n_multipliers: Option<usize>,
    /// Tangential directions of the pairs: two if any pair moves in space.
    pub n_tangents: usize,
}

/// One point, converged or not.
#[derive(Debug, Clone)]
pub struct PointRecord {
    /// Number of its curve.
    pub curve: usize,
    /// Where it is.
    pub parameters: Parameters,
    /// Whether it converged; if not, its values are not numbers.
    pub is_converged: bool,
    /// Newton iterations of all attempts.
    pub iterations: usize,
    /// Attempts made.
    pub attempts: usize,
    /// ‖r‖ over the load.
    pub residual: f64,
    /// Estimated truncation error.
    pub truncation: f64,
    /// Highest harmonic retained.
    pub highest: usize,
    /// Complex amplitudes of each probe, harmonic by harmonic.
    pub probes: Vec<Vec<Complex>>,
    /// Values of each probe over the period.
    pub probe_histories: Vec<Vec<f64>>,
    /// Measures of each interface.
    pub loops: Vec<Loop>,
    /// Energies.
    pub energy: Option<Energy>,
    /// Histories of each pair.
    pub histories: Vec<PairHistory>,
    /// Interface of each pair.
    pub histories_of: Vec<usize>,
    /// Stability, where it is asked for.
    pub stability: StabilityRecord,
}

impl PointRecord {
    /// Largest absolute value of a probe over the period.
    pub fn maximum(&self, probe: usize) -> f64 {
        let history = self.probe_histories.get(probe);
        history.map_or(f64::NAN, |values| values.iter().fold(0.0, |m, v| m.max(v.abs())))
    }

    /// A point without solution.
    pub fn failed(curve: usize, parameters: &Parameters, error: &PointError) -> Self {
        let attempts = error.attempts();
        let residuals = attempts.iter().filter_map(|attempt| attempt.history.last());
        Self {
            curve,
            parameters: *parameters,
            is_converged: false,
            iterations: attempts.iter().map(|attempt| attempt.iterations).sum(),
            attempts: attempts.len(),
            residual: residuals.copied().fold(f64::NAN, f64::min),
            truncation: f64::NAN,
            highest: 0,
            probes: vec![],
            probe_histories: vec![],
            loops: vec![],
            energy: None,
            histories: vec![],
            histories_of: vec![],
            stability: StabilityRecord::default(),
        }
    }
}

/// Writes points into the group of a response.
#[derive(Debug)]
pub struct ResponseWriter {
    file: File,
    group: Group,
    shape: Shape,
    columns: Vec<Growing<PointRecord>>,
    converged: Dataset,
    probes: Vec<ProbeWriter>,
    interfaces: Vec<InterfaceWriter>,
    stability: Option<StabilityWriter>,
}

#[derive(Debug)]
struct ProbeWriter {
    harmonics: Dataset,
    history: Dataset,
    maximum: Dataset,
}

#[derive(Debug)]
struct InterfaceWriter {
    columns: Vec<Growing<Loop>>,
    status: Dataset,
    normal: Dataset,
    opening: Dataset,
    /// Force and slip in each tangential direction.
    tangents: Vec<[Dataset; 2]>,
}

/// A dataset and the number it takes of each point.
type Growing<T> = (Dataset, fn(&T) -> f64);
type Column = (&'static str, &'static str, fn(&PointRecord) -> f64);
type LoopColumn = (&'static str, &'static str, fn(&Loop) -> f64);

/// Numbers of a point: name, unit and value. Frequency is last: a frequency on disk has its values.
const COLUMNS: [Column; 17] = [
    ("curve", "1", |p| p.curve as f64),
    ("load_factor", "1", |p| p.parameters.load),
    ("preload_factor", "1", |p| p.parameters.preload),
    ("friction_factor", "1", |p| p.parameters.friction),
    ("iterations", "1", |p| p.iterations as f64),
    ("attempts", "1", |p| p.attempts as f64),
    ("residual", "1", |p| p.residual),
    ("truncation", "1", |p| p.truncation),
    ("highest_harmonic", "1", |p| p.highest as f64),
    ("energy/input", "J", |p| p.energy.map_or(f64::NAN, |e| e.input)),
    ("energy/friction", "J", |p| p.energy.map_or(f64::NAN, |e| e.friction)),
    ("energy/damping", "J", |p| p.energy.map_or(f64::NAN, |e| e.damping)),
    ("energy/friction_in_time", "J", |p| p.energy.map_or(f64::NAN, |e| e.friction_in_time)),
    ("energy/imbalance", "1", |p| p.energy.map_or(f64::NAN, |e| e.imbalance())),
    ("energy/truncation", "1", |p| p.energy.map_or(f64::NAN, |e| e.truncation())),
    ("energy/friction_power", "W", |p| {
        p.energy.map_or(f64::NAN, |e| e.friction * p.parameters.omega / TAU)
    }),
    ("frequency", "Hz", |p| p.parameters.omega / TAU),
];

const LOOP_COLUMNS: [LoopColumn; 9] = [
    ("max_force", "N", |l| l.max_force),
    ("max_slip", "m", |l| l.max_slip),
    ("half_opening", "m", |l| l.half_opening),
    ("stiffness", "N/m", |l| l.stiffness),
    ("dissipated_energy", "J", |l| l.energy),
    ("sliding_ratio", "1", |l| l.sliding_ratio),
    ("regime", "1", |l| f64::from(l.regime as u8)),
    ("min_normal_force", "N", |l| l.normal[0]),
    ("max_normal_force", "N", |l| l.normal[1]),
];

impl ResultWriter {
    /// Begins a response into which points are written.
    pub fn begin_response(&self, name: &str, shape: &Shape) -> Result<ResponseWriter, ResultError> {
        let group = self.analysis(name, "response")?;
        let orders: Vec<u64> = shape.harmonics.iter().map(|order| *order as u64).collect();
        new(&group, "harmonics", &orders, "1")?;
        subgroup(&group, "energy")?;
        let mut columns = Vec::new();
        for (name, unit, value) in COLUMNS {
            columns.push((growing::<f64>(&group, name, &[], unit)?, value));
        }
        let converged = growing::<f64>(&group, "converged", &[], "1")?;
        let group_of_probes = subgroup(&group, "probes")?;
        let mut probes = Vec::new();
        for (probe, unit) in &shape.probes {
            let own = subgroup(&group_of_probes, probe)?;
            let sizes = [shape.harmonics.len()];
            probes.push(ProbeWriter {
                harmonics: growing::<Complex>(&own, "harmonics", &sizes, unit)?,
                history: growing::<f64>(&own, "history", &[shape.n_samples], unit)?,
                maximum: growing::<f64>(&own, "maximum", &[], unit)?,
            });
        }
        let contact = subgroup(&group, "contact")?;
        let mut interfaces = Vec::new();
        let mut first = 0;
        for (i, n_pairs) in shape.interfaces.iter().enumerate() {
            let own = subgroup(&contact, &i.to_string())?;
            let pairs = first..first + n_pairs;
            new(&own, "area", &shape.areas[pairs.clone()], "m^2")?;
            new(&own, "friction", &shape.frictions[pairs.clone()], "1")?;
            for (axis, name) in ["x", "y"].into_iter().enumerate() {
                let positions = shape.positions[pairs.clone()].iter();
                new(&own, name, &positions.map(|at| at[axis]).collect::<Vec<f64>>(), "m")?;
            }
            first += n_pairs;
            interfaces.push(InterfaceWriter::new(&own, *n_pairs, shape)?);
        }
        let stability = shape.n_multipliers.map(|n| StabilityWriter::new(&group, n)).transpose()?;
        self.flush()?;
        let file = self.file().clone();
        Ok(ResponseWriter {
            file,
            group,
            shape: shape.clone(),
            columns,
            converged,
            probes,
            interfaces,
            stability,
        })
    }
}

impl InterfaceWriter {
    fn new(group: &Group, n_pairs: usize, shape: &Shape) -> Result<Self, ResultError> {
        let mut columns = Vec::new();
        for (name, unit, value) in LOOP_COLUMNS {
            columns.push((growing::<f64>(group, name, &[], unit)?, value));
        }
        let sizes = [n_pairs, shape.n_samples];
        let field = |name: &str, unit: &str| growing::<f64>(group, name, &sizes, unit);
        let status = growing::<u8>(group, "status", &sizes, "1")?;
        text_attribute(&status, "values", "0 stick, 1 slip, 2 apart, 255 no solution")?;
        let mut tangents = Vec::new();
        for number in ["", "2"].into_iter().take(shape.n_tangents) {
            let force = field(&format!("tangential_force{number}"), "N")?;
            tangents.push([force, field(&format!("slip{number}"), "m")?]);
        }
        let (normal, opening) = (field("normal_force", "N")?, field("opening", "m")?);
        Ok(Self { columns, status, normal, opening, tangents })
    }

    fn write(
        &self,
        at: usize,
        measures: Option<&Loop>,
        pairs: &[&PairHistory],
    ) -> Result<(), ResultError> {
        for (dataset, value) in &self.columns {
            put(dataset, at, &[measures.map_or(f64::NAN, value)])?;
        }
        let n = self.status.shape()[2];
        let rows = self.status.shape()[1];
        let field = |value: &dyn Fn(&PairHistory, usize) -> f64| -> Vec<f64> {
            let at = |i: usize| pairs.get(i / n).map_or(f64::NAN, |pair| value(pair, i % n));
            (0..rows * n).map(at).collect()
        };
        let status: Vec<u8> = (0..rows * n)
            .map(|i| pairs.get(i / n).map_or(u8::MAX, |pair| pair.status[i % n] as u8))
            .collect();
        put(&self.status, at, &status)?;
        put(&self.normal, at, &field(&|pair, j| pair.normal[j]))?;
        put(&self.opening, at, &field(&|pair, j| pair.opening[j]))?;
        for (t, [force, slip]) in self.tangents.iter().enumerate() {
            let of = |list: &[Vec<f64>], j: usize| list.get(t).map_or(0.0, |values| values[j]);
            put(force, at, &field(&|pair, j| of(&pair.tangential, j)))?;
            put(slip, at, &field(&|pair, j| of(&pair.slip, j)))?;
        }
        Ok(())
    }
}

impl ResponseWriter {
    /// Writes the point that comes at a place of the lists, and flushes. Places before it that have not been
    /// written yet hold zeros.
    pub fn write(&self, at: usize, point: &PointRecord) -> Result<(), ResultError> {
        let nothing = vec![Complex::new(f64::NAN, f64::NAN); self.shape.harmonics.len()];
        let no_history = vec![f64::NAN; self.shape.n_samples];
        for (i, probe) in self.probes.iter().enumerate() {
            let history = point.probe_histories.get(i).unwrap_or(&no_history);
            put(&probe.harmonics, at, point.probes.get(i).unwrap_or(&nothing))?;
            put(&probe.history, at, history)?;
            put(&probe.maximum, at, &[point.maximum(i)])?;
        }
        for (i, interface) in self.interfaces.iter().enumerate() {
            let own = point.histories.iter().zip(&point.histories_of);
            let own: Vec<&PairHistory> = own.filter(|(_, of)| **of == i).map(|p| p.0).collect();
            interface.write(at, point.loops.get(i), &own)?;
        }
        if let Some(stability) = &self.stability {
            stability.write(at, &point.stability)?;
        }
        put(&self.converged, at, &[f64::from(u8::from(point.is_converged))])?;
        for (dataset, value) in &self.columns {
            put(dataset, at, &[value(point)])?;
        }
        Ok(self.file.flush()?)
    }
}

impl ResponseWriter {
    /// Writes the peaks of every curve, its load factor and, per probe, the largest value and its
    /// frequency \[Hz\], and why it ends.
    pub fn write_curves(
        &self,
        peaks: &[(f64, Vec<(f64, f64)>)],
        ends: &[u8],
    ) -> Result<(), ResultError> {
        let group = subgroup(&self.group, "curves")?;
        let levels: Vec<f64> = peaks.iter().map(|(level, _)| *level).collect();
        new(&group, "load_factor", &levels, "1")?;
        let ended = new(&group, "ended", ends, "1")?;
        text_attribute(&ended, "values", "0 range, 1 no solution, 2 max_points, 3 not written")?;
        for (i, (probe, unit)) in self.shape.probes.iter().enumerate() {
            let own = subgroup(&group, probe)?;
            let values: Vec<f64> = peaks.iter().map(|(_, peaks)| peaks[i].0).collect();
            let places: Vec<f64> = peaks.iter().map(|(_, peaks)| peaks[i].1).collect();
            new(&own, "peak", &values, unit)?;
            new(&own, "peak_frequency", &places, "Hz")?;
        }
        Ok(self.file.flush()?)
    }
}

/// A dataset that grows along its first axis; the other axes have the given sizes.
pub(super) fn growing<T: H5Type>(
    group: &Group,
    name: &str,
    sizes: &[usize],
    unit: &str,
) -> Result<Dataset, ResultError> {
    let rows = if sizes.is_empty() { 64 } else { 1 };
    let chunk: Vec<usize> = std::iter::once(rows).chain(sizes.iter().copied()).collect();
    let fixed = sizes.iter().map(|size| hdf5::Extent::fixed(*size));
    let extents: Vec<hdf5::Extent> =
        std::iter::once(hdf5::Extent::resizable(0)).chain(fixed).collect();
    let builder = group
        .new_dataset::<T>()
        .obj_track_times(false)
        .chunk(chunk)
        .shape(hdf5::SimpleExtents::new(extents));
    let builder = if sizes.is_empty() { builder } else { builder.deflate(3) };
    let dataset = builder.create(name)?;
    text_attribute(&dataset, "unit", unit)?;
    Ok(dataset)
}

/// Appends one row.
pub(super) fn extend<T: H5Type + Clone>(
    dataset: &Dataset,
    values: &[T],
) -> Result<(), ResultError> {
    put(dataset, dataset.shape()[0], values)
}

/// Writes one row; the dataset grows if it does not reach there.
pub(super) fn put<T: H5Type + Clone>(
    dataset: &Dataset,
    row: usize,
    values: &[T],
) -> Result<(), ResultError> {
    let mut shape = dataset.shape();
    if shape[0] <= row {
        shape[0] = row + 1;
        dataset.resize(shape.clone())?;
    }
    let values = Array1::from(values.to_vec());
    let selection = |array: Array<T, ndarray::IxDyn>| -> Result<(), ResultError> {
        match shape.len() {
            1 => dataset.write_slice(&array, ndarray::s![row..=row])?,
            2 => dataset.write_slice(&array, ndarray::s![row..=row, ..])?,
            _ => dataset.write_slice(&array, ndarray::s![row..=row, .., ..])?,
        }
        Ok(())
    };
    let mut sizes = shape.clone();
    sizes[0] = 1;
    let array = values.into_shape_with_order(sizes);
    let array = array.map_err(|error| ResultError::write(dataset.name(), error))?;
    selection(array)
}
