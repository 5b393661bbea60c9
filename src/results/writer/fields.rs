//! Complex fields of the whole model at chosen frequencies of a response.

use hdf5::{Dataset, File};
use ndarray::{Array2, s};

use super::{ResultError, ResultWriter, extend, subgroup, text_attribute};
use crate::case::Freedom;
use crate::linalg::Complex;

/// Appends fields, one frequency after the other.
#[derive(Debug)]
pub struct FieldWriter {
    file: File,
    components: Vec<Freedom>,
    frequency: Dataset,
    displacement: Dataset,
    stress: Option<Dataset>,
}

impl ResultWriter {
    /// Begins the fields of the response `name`, which has been begun.
    pub fn begin_fields(
        &self,
        name: &str,
        n_nodes: usize,
        n_quads: usize,
    ) -> Result<FieldWriter, ResultError> {
        let group = subgroup(&self.file.group(name)?, "fields")?;
        let frequency = group
            .new_dataset::<f64>()
            .obj_track_times(false)
            .chunk(16)
            .shape(0..)
            .create("frequency")?;
        text_attribute(&frequency, "unit", "Hz")?;
        let table = |dataset: &str, rows: usize, columns: usize, unit: &str| {
            let builder =
                group.new_dataset::<Complex>().obj_track_times(false).chunk((1, rows, columns));
            let dataset = builder.shape((0.., rows, columns)).create(dataset)?;
            text_attribute(&dataset, "unit", unit)?;
            Ok::<Dataset, ResultError>(dataset)
        };
        let displacement = table("displacement", n_nodes, self.components.len(), "m")?;
        self.name_components(&displacement)?;
        let stress = if n_quads > 0 { Some(table("stress", n_quads, 3, "Pa")?) } else { None };
        if let Some(stress) = &stress {
            text_attribute(stress, "components", "xx,yy,xy")?;
        }
        self.flush()?;
        let (file, components) = (self.file.clone(), self.components.clone());
        Ok(FieldWriter { file, components, frequency, displacement, stress })
    }
}

impl FieldWriter {
    /// Appends the fields at a frequency \[Hz\] and flushes.
    ///
    /// The frequency comes last: one on disk always has its fields.
    pub fn append(
        &self,
        frequency: f64,
        displacement: &[[Complex; 4]],
        stress: &[[Complex; 3]],
    ) -> Result<(), ResultError> {
        let stored = |u: &[Complex; 4]| self.components.iter().map(|c| u[*c as usize]).collect();
        append(&self.displacement, displacement.iter().map(stored).collect())?;
        if let Some(dataset) = &self.stress {
            append(dataset, stress.iter().map(|stress| stress.to_vec()).collect())?;
        }
        extend(&self.frequency, &[frequency])?;
        Ok(self.file.flush()?)
    }
}

/// Appends a table given by its rows.
fn append(dataset: &Dataset, rows: Vec<Vec<Complex>>) -> Result<(), ResultError> {
    let shape = dataset.shape();
    let (start, size) = (shape[0], (shape[1], shape[2]));
    dataset.resize((start + 1, size.0, size.1))?;
    let table = Array2::from_shape_fn(size, |(row, column)| rows[row][column]);
    dataset.write_slice(&table, s![start, .., ..])?;
    Ok(())
}
