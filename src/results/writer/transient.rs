//! Appends responses in time, frequency by frequency.

use hdf5::{Dataset, File, Group, H5Type};
use ndarray::s;

use super::{CHUNK_ROWS, ResultError, ResultWriter, extend, new, subgroup, text_attribute};
use crate::linalg::Complex;
use crate::transient::SteadyState;
use crate::transient::record::{harmonics, largest};

/// Lengths of what a point holds.
#[derive(Debug, Clone)]
pub struct TransientLayout {
    /// Name and unit of every probe.
    pub probes: Vec<(String, String)>,
    /// Pair and direction of every relative displacement.
    pub rows: Vec<(usize, String)>,
    /// Time steps of a period.
    pub steps: usize,
    /// Highest harmonic that is kept.
    pub harmonics: usize,
    /// Number of Floquet multipliers; none of an integration.
    pub multipliers: usize,
}

/// Appends the points of a response in time.
#[derive(Debug)]
pub struct TransientWriter {
    file: File,
    layout: TransientLayout,
    frequency: Dataset,
    periodic: Dataset,
    periods: Dataset,
    change: Dataset,
    multipliers: Option<Dataset>,
    /// Maximum, harmonics and history of every probe.
    probes: Vec<[Dataset; 3]>,
    /// Relative displacement and force, row by row of u_r.
    contact: Vec<[Dataset; 2]>,
}

impl ResultWriter {
    /// Begins a response in time to which points are appended.
    pub fn begin_transient(
        &self,
        name: &str,
        method: &str,
        layout: TransientLayout,
    ) -> Result<TransientWriter, ResultError> {
        let group = self.analysis(name, "transient")?;
        text_attribute(&group, "method", method)?;
        let TransientLayout { steps, rows, .. } = &layout;
        let phase: Vec<f64> = (1..=*steps).map(|j| j as f64 / *steps as f64).collect();
        new(&group, "phase", &phase, "1")?;
        let contact = subgroup(&group, "contact")?;
        let row = |row: &(usize, String)| -> Result<[Dataset; 2], ResultError> {
            let pair = subgroup(&contact, &format!("{}_{}", row.0, row.1))?;
            Ok([
                growing::<f64>(&pair, "relative_displacement", Some(*steps), "m")?,
                growing::<f64>(&pair, "force", Some(*steps), "N")?,
            ])
        };
        let probes = subgroup(&group, "probes")?;
        let probe = |(probe, unit): &(String, String)| -> Result<[Dataset; 3], ResultError> {
            let own = subgroup(&probes, probe)?;
            Ok([
                growing::<f64>(&own, "maximum", None, unit)?,
                growing::<Complex>(&own, "harmonics", Some(layout.harmonics + 1), unit)?,
                growing::<f64>(&own, "history", Some(*steps), unit)?,
            ])
        };
        let multipliers = match layout.multipliers {
            0 => None,
            count => Some(growing::<Complex>(&group, "multipliers", Some(count), "1")?),
        };
        let writer = TransientWriter {
            file: self.file.clone(),
            frequency: growing::<f64>(&group, "frequency", None, "Hz")?,
            periodic: growing::<u8>(&group, "periodic", None, "1")?,
            periods: growing::<u64>(&group, "periods", None, "1")?,
            change: growing::<f64>(&group, "change", None, "1")?,
            multipliers,
            probes: layout.probes.iter().map(probe).collect::<Result<_, _>>()?,
            contact: rows.iter().map(row).collect::<Result<_, _>>()?,
            layout,
        };
        self.flush()?;
        Ok(writer)
    }
}

impl TransientWriter {
    /// Appends a point and flushes; one that failed has undefined values.
    ///
    /// The frequency grows last: a frequency on disk always has its values.
    pub fn append(&self, frequency: f64, found: Option<&SteadyState>) -> Result<(), ResultError> {
        let TransientLayout { steps, multipliers, .. } = &self.layout;
        for (i, datasets) in self.probes.iter().enumerate() {
            self.append_probe(datasets, found.map(|found| &found.probes[i]))?;
        }
        let unknown = vec![f64::NAN; *steps];
        for (row, [relative, force]) in self.contact.iter().enumerate() {
            append_row(relative, found.map_or(&unknown, |found| &found.relative[row]))?;
            append_row(force, found.map_or(&unknown, |found| &found.forces[row]))?;
        }
        if let Some(dataset) = &self.multipliers {
            let mut values = found.map_or(vec![], |found| found.multipliers.clone());
            values.resize(*multipliers, Complex::new(f64::NAN, f64::NAN));
            append_row(dataset, &values)?;
        }
        extend(&self.change, &[found.map_or(f64::NAN, |found| found.change)])?;
        extend(&self.periods, &[found.map_or(0, |found| found.periods as u64)])?;
        extend(&self.periodic, &[u8::from(found.is_some_and(|found| found.has_converged))])?;
        extend(&self.frequency, &[frequency])?;
        Ok(self.file.flush()?)
    }

    fn append_probe(
        &self,
        [maximum, amplitudes, history]: &[Dataset; 3],
        values: Option<&Vec<f64>>,
    ) -> Result<(), ResultError> {
        let unknown = vec![f64::NAN; self.layout.steps];
        let known = values.unwrap_or(&unknown);
        extend(maximum, &[values.map_or(f64::NAN, |values| largest(values))])?;
        append_row(amplitudes, &harmonics(known, self.layout.harmonics))?;
        append_row(history, known)
    }
}

/// An empty dataset of numbers or rows whose first axis grows.
fn growing<T: H5Type>(
    group: &Group,
    name: &str,
    length: Option<usize>,
    unit: &str,
) -> Result<Dataset, ResultError> {
    let builder = group.new_dataset::<T>().obj_track_times(false);
    let dataset = match length {
        None => builder.chunk(CHUNK_ROWS).shape(0..).create(name)?,
        Some(length) => builder.chunk((1, length)).shape((0.., length)).create(name)?,
    };
    text_attribute(&dataset, "unit", unit)?;
    Ok(dataset)
}

fn append_row<T: H5Type>(dataset: &Dataset, values: &[T]) -> Result<(), ResultError> {
    let start = dataset.shape()[0];
    dataset.resize((start + 1, values.len()))?;
    dataset.write_slice(values, s![start, ..])?;
    Ok(())
}
