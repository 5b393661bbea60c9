//! Complex fields of the whole model at chosen frequencies of a response.

use hdf5::{Dataset, File};
use ndarray::{Array2, s};

use super::{ResultError, ResultWriter, extend, subgroup, text_attribute};
use crate::linalg::Complex;

/// Appends fields, one frequency after the other.
#[derive(Debug)]
pub struct FieldWriter {
    file: File,
    n_components: usize,
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
        let displacement = table("displacement", n_nodes, self.n_components, "m")?;
        self.name_components(&displacement)?;
        let stress = if n_quads > 0 { Some(table("stress", n_quads, 3, "Pa")?) } else { None };
        if let Some(stress) = &stress {
            text_attribute(stress, "components", "xx,yy,xy")?;
        }
        self.flush()?;
        let (file, n_components) = (self.file.clone(), self.n_components);
        Ok(FieldWriter { file, n_components, frequency, displacement, stress })
    }
}

impl FieldWriter {
    /// Appends the fields at a frequency \[Hz\] and flushes.
    ///
    /// The frequency comes last: one on disk always has its fields.
    pub fn append(
        &self,
        frequency: f64,
        displacement: &[[Complex; 3]],
        stress: &[[Complex; 3]],
    ) -> Result<(), ResultError> {
        append(&self.displacement, displacement, self.n_components)?;
        if let Some(dataset) = &self.stress {
            append(dataset, stress, 3)?;
        }
        extend(&self.frequency, &[frequency])?;
        Ok(self.file.flush()?)
    }
}

/// Appends a table of the first `columns` components.
fn append(dataset: &Dataset, values: &[[Complex; 3]], columns: usize) -> Result<(), ResultError> {
    let start = dataset.shape()[0];
    dataset.resize((start + 1, values.len(), columns))?;
    let table = Array2::from_shape_fn((values.len(), columns), |(row, column)| values[row][column]);
    dataset.write_slice(&table, s![start, .., ..])?;
    Ok(())
}
