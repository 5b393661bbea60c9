//! Writes `results.h5`, appending as a run goes on.

use std::fs;
use std::path::{Path, PathBuf};

use hdf5::types::VarLenUnicode;
use hdf5::{Dataset, File, Group, H5Type};
use ndarray::{Array2, Array3, s};

use super::{FILE_NAME, ResultError};
use crate::case::{CaseFile, Freedom};
use crate::linalg::Complex;
use crate::linear::FrfPoint;
use crate::model::Model;
use crate::reduction::{Quality, Superelement};

mod fields;

pub use fields::FieldWriter;
mod place;
mod transient;

pub use place::Place;
pub use transient::{TransientLayout, TransientWriter};

/// Rows of an appended dataset that are stored together.
const CHUNK_ROWS: usize = 64;

/// An open results file.
#[derive(Debug)]
pub struct ResultWriter {
    file: File,
    /// Components of displacements that are stored.
    components: Vec<Freedom>,
    n_nodes: usize,
    place: Place,
}

impl ResultWriter {
    /// Makes the directory and tries to write there; earlier results stay as they are.
    pub fn probe(directory: &Path) -> Result<(), ResultError> {
        fs::create_dir_all(directory).map_err(|e| ResultError::write(directory, e))?;
        let path = directory.join(".fretwork-probe");
        fs::File::create(&path).map_err(|e| ResultError::write(&path, e))?;
        fs::remove_file(&path).map_err(|e| ResultError::write(&path, e))
    }

    /// Makes the file, in place of an earlier one.
    ///
    /// A guarded file is worked on under another name and [published](Place::publish): a process killed at any
    /// moment leaves whole results, earlier ones until the first new ones are there.
    pub fn create(directory: &Path, is_guarded: bool) -> Result<Self, ResultError> {
        let place = Place::new(directory.join(FILE_NAME), is_guarded);
        let path = place.live();
        // The system's own words are clearer than those of the HDF5 library.
        fs::File::create(path).map_err(|e| ResultError::write(path, e))?;
        let mut options = File::with_options();
        options.with_create_plist(|plist| plist.obj_track_times(false));
        let file = options.create(path).map_err(|e| ResultError::write(path, e))?;
        Ok(Self { file, components: vec![Freedom::X, Freedom::Y], n_nodes: 0, place })
    }

    /// Where it is worked on and where it is seen.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Closes the file; it is at its path afterwards.
    pub fn finish(self) -> Result<PathBuf, ResultError> {
        let place = self.place.clone();
        self.flush()?;
        drop(self);
        place.finish()
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Writes `/meta` and `/mesh`.
    pub fn write_model(&mut self, file: &CaseFile, model: &Model) -> Result<(), ResultError> {
        let others = [Freedom::Rotation, Freedom::Z];
        self.n_nodes = model.geometry.coordinates.len();
        self.components.extend(others.into_iter().filter(|freedom| model.dofs.has(*freedom)));
        self.write_meta(file)?;
        self.write_mesh(model)?;
        self.flush()
    }

    /// Everything written so far is on disk after this.
    pub fn flush(&self) -> Result<(), ResultError> {
        Ok(self.file.flush()?)
    }

    /// All that is needed to run the case again.
    fn write_meta(&self, file: &CaseFile) -> Result<(), ResultError> {
        let meta = subgroup(&self.file, "meta")?;
        text_attribute(&meta, "program", "fretwork")?;
        text_attribute(&meta, "version", env!("CARGO_PKG_VERSION"))?;
        text_attribute(&meta, "source", &file.source.label)?;
        write_text(&meta, "case", &file.source.text)?;
        let settings = serde_json::to_string(&file.case).unwrap_or_default();
        write_text(&meta, "settings", &settings)?;
        let overrides: Vec<String> =
            file.source.overrides.iter().map(|o| format!("{}={}", o.path, o.value)).collect();
        write_texts(&meta, "overrides", &overrides)?;
        let files = subgroup(&meta, "files")?;
        let names = file.case.parts.values().flat_map(|part| part.mesh.files());
        for (i, name) in names.enumerate() {
            if let Ok(bytes) = file.source.read(name) {
                let dataset = new(&files, &i.to_string(), &bytes, "1")?;
                text_attribute(&dataset, "name", name)?;
            }
        }
        Ok(())
    }

    fn write_mesh(&self, model: &Model) -> Result<(), ResultError> {
        let mesh = subgroup(&self.file, "mesh")?;
        let geometry = &model.geometry;
        let is_plane = geometry.depth.iter().all(|z| *z == 0.0) && !model.dofs.has(Freedom::Z);
        let axes = if is_plane { 2 } else { 3 };
        let nodes = 0..geometry.coordinates.len();
        let positions = nodes.flat_map(|node| geometry.position(node).into_iter().take(axes));
        new_table(&mesh, "coordinates", &positions.collect::<Vec<f64>>(), axes, "m")?;
        let quads: Vec<u64> =
            model.elements.quads.iter().flat_map(|q| q.nodes).map(|n| n as u64).collect();
        new_table(&mesh, "quads", &quads, 4, "1")?;
        let beams: Vec<u64> =
            model.elements.beams.iter().flat_map(|b| b.nodes).map(|n| n as u64).collect();
        new_table(&mesh, "beams", &beams, 2, "1")?;
        let parts = subgroup(&mesh, "parts")?;
        for (name, part) in &geometry.parts {
            let group = subgroup(&parts, name)?;
            let first = part.first_node as u64;
            group.new_attr::<u64>().create("first_node")?.write_scalar(&first)?;
            new(&group, "node_ids", &part.mesh.node_ids, "1")?;
            let sets = subgroup(&group, "sets")?;
            for (set, nodes) in &part.mesh.sets {
                let nodes: Vec<u64> = nodes.nodes.iter().map(|n| first + *n as u64).collect();
                new(&sets, &set_name(set), &nodes, "1")?;
            }
        }
        let points = subgroup(&mesh, "points")?;
        for (name, node) in &geometry.points {
            points.new_attr::<u64>().create(name.as_str())?.write_scalar(&(*node as u64))?;
        }
        write_pairs(&subgroup(&mesh, "contact")?, model)
    }

    pub(super) fn analysis(&self, name: &str, kind: &str) -> Result<Group, ResultError> {
        let group = subgroup(&self.file, name)?;
        text_attribute(&group, "type", kind)?;
        Ok(group)
    }

    /// Writes a static analysis: displacement, stress and probes.
    pub fn write_static(
        &self,
        name: &str,
        displacement: &[[f64; 4]],
        stress: &[[f64; 4]],
        probes: &[(String, String, f64)],
    ) -> Result<(), ResultError> {
        let group = self.analysis(name, "static")?;
        let dataset = new_array(&group, "displacement", &self.nodal(displacement), "m")?;
        self.name_components(&dataset)?;
        if !stress.is_empty() {
            let flat: Vec<f64> = stress.iter().flat_map(|s| [s[0], s[1], s[2]]).collect();
            let dataset = new_table(&group, "stress", &flat, 3, "Pa")?;
            text_attribute(&dataset, "components", "xx,yy,xy")?;
            let equivalent: Vec<f64> = stress.iter().map(|s| s[3]).collect();
            new(&group, "von_mises", &equivalent, "Pa")?;
        }
        let values = subgroup(&group, "probes")?;
        for (probe, unit, value) in probes {
            let dataset =
                values.new_dataset::<f64>().obj_track_times(false).create(probe.as_str())?;
            dataset.write_scalar(value)?;
            text_attribute(&dataset, "unit", unit)?;
        }
        self.flush()
    }

    /// Writes a modal analysis; shapes are mass-normalised.
    pub fn write_modal(
        &self,
        name: &str,
        frequencies: &[f64],
        shapes: &[Vec<[f64; 4]>],
    ) -> Result<(), ResultError> {
        let group = self.analysis(name, "modal")?;
        new(&group, "frequency", frequencies, "Hz")?;
        let size = (shapes.len(), self.n_nodes, self.components.len());
        let value = |(mode, node, c): (usize, usize, usize)| {
            shapes[mode][node][self.components[c] as usize]
        };
        let array = Array3::from_shape_fn(size, value);
        let dataset =
            group.new_dataset_builder().obj_track_times(false).with_data(&array).create("shape")?;
        text_attribute(&dataset, "unit", "kg^-0.5")?;
        text_attribute(&dataset, "normalisation", "mass")?;
        self.name_components(&dataset)?;
        self.flush()
    }

    /// Writes the modes of a worn state, with the number of pairs bonded.
    pub fn write_worn_modes(
        &self,
        name: &str,
        frequencies: &[f64],
        n_closed: usize,
    ) -> Result<(), ResultError> {
        let group = self.analysis(name, "worn_modes")?;
        new(&group, "frequency", frequencies, "Hz")?;
        group.new_attr::<u64>().create("closed_pairs")?.write_scalar(&(n_closed as u64))?;
        self.flush()
    }

    /// Notes after how many cycles of wear an analysis was made.
    pub fn label_cycles(&self, name: &str, cycles: f64) -> Result<(), ResultError> {
        self.file.group(name)?.new_attr::<f64>().create("cycles")?.write_scalar(&cycles)?;
        self.flush()
    }

    /// Writes the quality of each reduction.
    pub fn write_reduction(
        &self,
        name: &str,
        reports: &[(Superelement, Quality)],
    ) -> Result<(), ResultError> {
        let group = self.analysis(name, "reduction")?;
        for (superelement, quality) in reports {
            let body = subgroup(&group, &superelement.name)?;
            let kept = superelement.boundary.len() as u64;
            body.new_attr::<u64>().create("boundary_freedoms")?.write_scalar(&kept)?;
            let fixed = superelement.fixed_interface_frequencies();
            new(&body, "fixed_interface_frequency", &fixed, "Hz")?;
            new(&body, "reduced_frequency", &quality.reduced, "Hz")?;
            new(&body, "full_frequency", &quality.full, "Hz")?;
            new(&body, "frequency_error", &quality.frequency_error(), "1")?;
            let pairs: Vec<u64> = quality.pairs.iter().map(|pair| *pair as u64).collect();
            new(&body, "pair", &pairs, "1")?;
            let (rows, columns) = (quality.mac.nrows(), quality.mac.ncols());
            let mac = Array2::from_shape_fn((rows, columns), |(i, j)| quality.mac[(i, j)]);
            new_array(&body, "mac", &mac, "1")?;
            new(&body, "paired_mac", &quality.paired_mac(), "1")?;
        }
        self.flush()
    }

    /// Begins a frequency response to which points are appended.
    pub fn begin_frf(
        &self,
        name: &str,
        quantity: &str,
        probes: &[(String, String)],
    ) -> Result<FrfWriter, ResultError> {
        let group = self.analysis(name, "frf")?;
        text_attribute(&group, "quantity", quantity)?;
        let frequency = group
            .new_dataset::<f64>()
            .obj_track_times(false)
            .chunk(CHUNK_ROWS)
            .shape(0..)
            .create("frequency")?;
        text_attribute(&frequency, "unit", "Hz")?;
        let values = subgroup(&group, "probes")?;
        let mut datasets = Vec::new();
        for (probe, unit) in probes {
            let dataset = values
                .new_dataset::<Complex>()
                .obj_track_times(false)
                .chunk(CHUNK_ROWS)
                .shape(0..)
                .create(probe.as_str())?;
            text_attribute(&dataset, "unit", unit)?;
            datasets.push(dataset);
        }
        self.flush()?;
        Ok(FrfWriter { file: self.file.clone(), frequency, probes: datasets })
    }

    /// The stored components of values at all nodes.
    fn nodal(&self, values: &[[f64; 4]]) -> Array2<f64> {
        let size = (values.len(), self.components.len());
        Array2::from_shape_fn(size, |(node, c)| values[node][self.components[c] as usize])
    }

    fn name_components(&self, dataset: &Dataset) -> Result<(), ResultError> {
        let names: Vec<&str> = self.components.iter().map(|freedom| freedom.name()).collect();
        text_attribute(dataset, "components", &names.join(","))
    }
}

/// Appends the points of a frequency response.
#[derive(Debug)]
pub struct FrfWriter {
    file: File,
    frequency: Dataset,
    probes: Vec<Dataset>,
}

impl FrfWriter {
    /// Appends points and flushes.
    ///
    /// Probes grow first: a frequency on disk always has its values.
    pub fn append(&self, points: &[FrfPoint]) -> Result<(), ResultError> {
        for (i, dataset) in self.probes.iter().enumerate() {
            let values: Vec<Complex> = points.iter().map(|point| point.values[i]).collect();
            extend(dataset, &values)?;
        }
        let frequencies: Vec<f64> = points.iter().map(|point| point.frequency).collect();
        extend(&self.frequency, &frequencies)?;
        Ok(self.file.flush()?)
    }
}

/// The node pairs of every contact, and where they are along its face.
fn write_pairs(group: &Group, model: &Model) -> Result<(), ResultError> {
    for (i, interface) in model.interfaces.iter().enumerate() {
        let own = subgroup(group, &i.to_string())?;
        let pairs = &interface.pairs;
        let first: Vec<u64> = pairs.iter().map(|pair| pair.first as u64).collect();
        new(&own, "first", &first, "1")?;
        let second: Vec<i64> =
            pairs.iter().map(|pair| pair.second.map_or(-1, |node| node as i64)).collect();
        new(&own, "second", &second, "1")?;
        let along = |node: usize| -> f64 {
            let place = &model.geometry.coordinates[node];
            pairs[0].tangents[0].iter().zip(place).map(|(t, x)| t * x).sum()
        };
        let position: Vec<f64> = pairs.iter().map(|pair| along(pair.first)).collect();
        new(&own, "position", &position, "m")?;
        let gap: Vec<f64> = pairs.iter().map(|pair| pair.gap).collect();
        new(&own, "gap", &gap, "m")?;
    }
    Ok(())
}

/// A set name from a Gmsh file as a name in HDF5, where `/` separates groups and `.` means "here".
pub(super) fn set_name(name: &str) -> String {
    let safe = name.replace('%', "%25").replace('/', "%2F").replace('\0', "%00");
    if safe.is_empty() || safe.chars().all(|c| c == '.') { format!("%{safe}") } else { safe }
}

fn extend<T: H5Type>(dataset: &Dataset, values: &[T]) -> Result<(), ResultError> {
    let start = dataset.shape()[0];
    dataset.resize(start + values.len())?;
    dataset.write_slice(values, s![start..])?;
    Ok(())
}

/// A group without time stamps: equal runs give equal files, byte for byte.
pub(super) fn subgroup(parent: &Group, name: &str) -> Result<Group, ResultError> {
    let builder = parent.create_group_builder();
    Ok(builder.with_create_plist(|plist| plist.obj_track_times(false)).create(name)?)
}

pub(super) fn new<T: H5Type>(
    group: &Group,
    name: &str,
    values: &[T],
    unit: &str,
) -> Result<Dataset, ResultError> {
    let dataset =
        group.new_dataset_builder().obj_track_times(false).with_data(values).create(name)?;
    text_attribute(&dataset, "unit", unit)?;
    Ok(dataset)
}

fn new_table<T: H5Type + Clone>(
    group: &Group,
    name: &str,
    values: &[T],
    columns: usize,
    unit: &str,
) -> Result<Dataset, ResultError> {
    let rows = values.len() / columns;
    let table = ndarray::ArrayView2::from_shape((rows, columns), values)
        .expect("the list is made of whole rows");
    let dataset =
        group.new_dataset_builder().obj_track_times(false).with_data(&table).create(name)?;
    text_attribute(&dataset, "unit", unit)?;
    Ok(dataset)
}

pub(super) fn new_array(
    group: &Group,
    name: &str,
    values: &Array2<f64>,
    unit: &str,
) -> Result<Dataset, ResultError> {
    let dataset =
        group.new_dataset_builder().obj_track_times(false).with_data(values).create(name)?;
    text_attribute(&dataset, "unit", unit)?;
    Ok(dataset)
}

/// HDF5 texts end at the first zero byte, which no case text may contain anyway.
fn unicode(text: &str) -> VarLenUnicode {
    text.replace('\0', " ").parse().expect("a text without zero bytes is valid")
}

pub(super) fn text_attribute(
    place: &hdf5::Location,
    name: &str,
    text: &str,
) -> Result<(), ResultError> {
    place.new_attr::<VarLenUnicode>().create(name)?.write_scalar(&unicode(text))?;
    Ok(())
}

fn write_text(group: &Group, name: &str, text: &str) -> Result<(), ResultError> {
    group
        .new_dataset::<VarLenUnicode>()
        .obj_track_times(false)
        .create(name)?
        .write_scalar(&unicode(text))?;
    Ok(())
}

fn write_texts(group: &Group, name: &str, texts: &[String]) -> Result<(), ResultError> {
    let texts: Vec<VarLenUnicode> = texts.iter().map(|text| unicode(text)).collect();
    group.new_dataset_builder().obj_track_times(false).with_data(&texts).create(name)?;
    Ok(())
}
