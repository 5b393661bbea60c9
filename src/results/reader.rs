//! Opens `results.h5` again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hdf5::types::VarLenUnicode;
use hdf5::{File, Group};
use ndarray::s;

use super::writer::set_name;
use super::{FILE_NAME, ResultError};
use crate::case::{Case, CaseFile, CaseSource, Override};
use crate::linalg::Complex;

/// A results file, open for reading.
#[derive(Debug)]
pub struct ResultReader {
    file: File,
    path: PathBuf,
}

impl ResultReader {
    /// Opens a results file, or the one in a results directory.
    pub fn open(path: &Path) -> Result<Self, ResultError> {
        let path = if path.is_dir() { path.join(FILE_NAME) } else { path.to_path_buf() };
        let refuse = |message: String| ResultError::Read { path: path.clone(), message };
        std::fs::metadata(&path).map_err(|e| refuse(e.to_string()))?;
        let file = File::open(&path).map_err(|_| refuse("it is not an HDF5 file".into()))?;
        if file.group("meta").is_err() || file.group("mesh").is_err() {
            return Err(refuse("it has no groups /meta and /mesh".into()));
        }
        Ok(Self { file, path })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names and types of the analyses.
    pub fn analyses(&self) -> Result<Vec<(String, String)>, ResultError> {
        let mut list = Vec::new();
        for name in self.file.member_names()? {
            if let Ok(group) = self.file.group(&name)
                && let Ok(kind) = text_attribute(&group, "type")
            {
                list.push((name, kind));
            }
        }
        Ok(list)
    }

    /// The case the results were made from, with the files it names.
    pub fn case(&self) -> Result<CaseSource, ResultError> {
        let meta = self.file.group("meta")?;
        let text = checked(&meta.dataset("case")?.read_scalar()?);
        let lines = meta.dataset("overrides")?.read_raw::<VarLenUnicode>()?;
        let overrides = lines.iter().filter_map(|line| {
            let line = checked(line);
            let (path, value) = line.split_once('=')?;
            Some(Override { path: path.into(), value: value.into() })
        });
        let mut copies = BTreeMap::new();
        for dataset in meta.group("files")?.datasets()? {
            copies.insert(text_attribute(&dataset, "name")?, dataset.read_raw::<u8>()?);
        }
        let label = format!("{}:/meta/case", self.path.display());
        Ok(CaseSource::from_copies(label, text, overrides.collect(), copies))
    }

    /// All real values of a dataset, row after row.
    pub fn values(&self, dataset: &str) -> Result<Vec<f64>, ResultError> {
        Ok(self.file.dataset(dataset)?.read_raw::<f64>()?)
    }

    /// All bytes of a dataset.
    pub fn bytes(&self, dataset: &str) -> Result<Vec<u8>, ResultError> {
        Ok(self.file.dataset(dataset)?.read_raw::<u8>()?)
    }

    /// Whether these results are of the same case, files and program version.
    pub fn is_of(&self, file: &CaseFile) -> Result<bool, ResultError> {
        let own = self.case()?;
        let meta = self.file.group("meta")?;
        let version = text_attribute(&meta, "version")?;
        let names = file.case.parts.values().flat_map(|part| part.mesh.files());
        let has_same_files = names.into_iter().all(|name| {
            own.read(name).ok().is_some_and(|bytes| file.source.read(name).ok() == Some(bytes))
        });
        Ok(own.text == file.source.text
            && own.overrides == file.source.overrides
            && version == env!("CARGO_PKG_VERSION")
            && has_same_files)
    }

    /// Shape of a dataset.
    pub fn shape(&self, dataset: &str) -> Result<Vec<usize>, ResultError> {
        Ok(self.file.dataset(dataset)?.shape())
    }

    /// Values of a dataset that must have the given shape; 0 stands for any length.
    pub fn table(&self, dataset: &str, wanted: &[usize]) -> Result<Vec<f64>, ResultError> {
        self.check_shape(dataset, wanted)?;
        self.values(dataset)
    }

    /// The same of complex values.
    pub fn complex_table(
        &self,
        dataset: &str,
        wanted: &[usize],
    ) -> Result<Vec<Complex>, ResultError> {
        self.check_shape(dataset, wanted)?;
        self.complex_values(dataset)
    }

    fn check_shape(&self, dataset: &str, wanted: &[usize]) -> Result<(), ResultError> {
        let shape = self.shape(dataset)?;
        let fits = shape.len() == wanted.len()
            && shape.iter().zip(wanted).all(|(have, want)| *want == 0 || have == want);
        if fits {
            return Ok(());
        }
        Err(ResultError::Read {
            path: self.path.clone(),
            message: format!("/{dataset} has the shape {shape:?} instead of {wanted:?}"),
        })
    }

    /// All complex values of a dataset.
    pub fn complex_values(&self, dataset: &str) -> Result<Vec<Complex>, ResultError> {
        Ok(self.file.dataset(dataset)?.read_raw::<Complex>()?)
    }

    /// Node numbers, `columns` a row, all below `n_nodes`.
    pub fn node_table(
        &self,
        dataset: &str,
        columns: usize,
        n_nodes: usize,
    ) -> Result<Vec<usize>, ResultError> {
        let values = self.file.dataset(dataset)?.read_raw::<u64>()?;
        let nodes: Vec<usize> = values.into_iter().map(|value| value as usize).collect();
        if self.shape(dataset)?.get(1) != Some(&columns) || nodes.iter().any(|n| *n >= n_nodes) {
            return Err(ResultError::Read {
                path: self.path.clone(),
                message: format!("/{dataset} is no table of {columns} nodes a row"),
            });
        }
        Ok(nodes)
    }

    /// Names of the displacement components, along the last axis of a dataset.
    pub fn components(&self, dataset: &str) -> Result<Vec<String>, ResultError> {
        let names = text_attribute(&*self.file.dataset(dataset)?, "components")?;
        let names: Vec<String> = names.split(',').map(String::from).collect();
        if self.shape(dataset)?.last() == Some(&names.len())
            && names.starts_with(&["x".into(), "y".into()])
        {
            return Ok(names);
        }
        Err(ResultError::Read {
            path: self.path.clone(),
            message: format!("the components {} are not those of /{dataset}", names.join(",")),
        })
    }

    /// Unit of a dataset.
    pub fn unit(&self, dataset: &str) -> Result<String, ResultError> {
        let dataset = self.file.dataset(dataset)?;
        text_attribute(&dataset, "unit")
    }

    /// One row of a dataset, along its first axis, without reading the others.
    pub fn row(&self, dataset: &str, index: usize) -> Result<Vec<f64>, ResultError> {
        let values = self.file.dataset(dataset)?;
        let refuse = || ResultError::Read {
            path: self.path.clone(),
            message: format!("/{dataset} has no row {index}"),
        };
        if values.shape().first().is_none_or(|rows| index >= *rows) {
            return Err(refuse());
        }
        let row = match values.ndim() {
            1 => values.read_slice_1d::<f64, _>(s![index..index + 1])?.to_vec(),
            2 => values.read_slice_1d::<f64, _>(s![index, ..])?.to_vec(),
            3 => values.read_slice_2d::<f64, _>(s![index, .., ..])?.into_iter().collect(),
            _ => return Err(refuse()),
        };
        Ok(row)
    }

    /// The case with all defaults filled in.
    pub fn settings(&self) -> Result<Case, ResultError> {
        let text = checked(&self.file.dataset("meta/settings")?.read_scalar()?);
        serde_json::from_str(&text).map_err(|error| ResultError::Read {
            path: self.path.clone(),
            message: format!("/meta/settings is no case of this version: {error}"),
        })
    }

    /// `summary.json` beside the file; nothing if it is not there.
    pub fn summary(&self) -> serde_json::Value {
        let text = std::fs::read_to_string(self.path.with_file_name(super::summary::FILE_NAME));
        text.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// A text attribute of a group.
    pub fn attribute(&self, group: &str, name: &str) -> Result<String, ResultError> {
        text_attribute(&*self.file.group(group)?, name)
    }

    /// Nodes of a set, `part.set`, or of a point; none if there is no such name.
    pub fn nodes_of(&self, target: &str) -> Vec<usize> {
        let read = || -> Result<Vec<u64>, hdf5::Error> {
            match target.split_once('.') {
                Some((part, set)) => {
                    let place = format!("mesh/parts/{part}/sets/{}", set_name(set));
                    self.file.dataset(&place)?.read_raw::<u64>()
                }
                None => Ok(vec![self.file.group("mesh/points")?.attr(target)?.read_scalar()?]),
            }
        };
        read().unwrap_or_default().into_iter().map(|node| node as usize).collect()
    }

    /// Whether a group or dataset is there.
    pub fn has(&self, place: &str) -> bool {
        self.file.link_exists(place)
    }

    /// Names of the datasets in a group; none if the group is not there.
    pub fn members(&self, group: &str) -> Vec<String> {
        self.file.group(group).and_then(|group: Group| group.member_names()).unwrap_or_default()
    }

    /// Nodes of the points.
    pub fn points(&self) -> Result<Vec<usize>, ResultError> {
        let points = self.file.group("mesh/points")?;
        let mut nodes = Vec::new();
        for name in points.attr_names()? {
            nodes.push(points.attr(&name)?.read_scalar::<u64>()? as usize);
        }
        Ok(nodes)
    }

    /// One number: `/modal/frequency[2]`, `/frf/probes/tip[10].abs`, `/static/probes/tip`. Negative indices count
    /// from the end, -1 being the last.
    ///
    /// Complex values need one of the endings `.re`, `.im`, `.abs`; `.min`, `.max`, `.sum` and `.mean` are those
    /// of all real values.
    pub fn scalar(&self, path: &str) -> Result<f64, ResultError> {
        let refuse = |message: String| ResultError::Read {
            path: self.path.clone(),
            message: format!("{path}: {message}"),
        };
        let (place, part) = match path.rsplit_once('.') {
            Some((place, part @ ("re" | "im" | "abs" | "min" | "max" | "sum" | "mean"))) => {
                (place, Some(part))
            }
            _ => (path, None),
        };
        let (name, index) = match place.split_once('[') {
            Some((name, index)) => {
                let index = index.trim_end_matches(']').parse::<isize>();
                (name, index.map_err(|_| refuse("the index is not a whole number".into()))?)
            }
            None => (place, 0),
        };
        let value = match part {
            None => {
                let values = self.values(name)?;
                values.get(place_of(index, values.len())).copied()
            }
            Some("min") => self.values(name)?.into_iter().reduce(f64::min),
            Some("max") => self.values(name)?.into_iter().reduce(f64::max),
            Some("sum") => Some(self.values(name)?.iter().sum()),
            Some("mean") => {
                let values = self.values(name)?;
                Some(values.iter().sum::<f64>() / values.len() as f64)
            }
            Some(part) => {
                let values = self.complex_values(name)?;
                values.get(place_of(index, values.len())).map(|value| match part {
                    "re" => value.re,
                    "im" => value.im,
                    _ => value.norm(),
                })
            }
        };
        value.ok_or_else(|| refuse("the index is beyond the end".into()))
    }
}

/// An index of a list of the given length; negative ones count from its end.
fn place_of(index: isize, length: usize) -> usize {
    if index < 0 { length.wrapping_add_signed(index) } else { index.unsigned_abs() }
}

fn text_attribute(place: &hdf5::Location, name: &str) -> Result<String, ResultError> {
    Ok(checked(&place.attr(name)?.read_scalar::<VarLenUnicode>()?))
}

/// The text of a file that somebody may have changed: its bytes need not be UTF-8.
fn checked(text: &VarLenUnicode) -> String {
    String::from_utf8_lossy(text.as_bytes()).into_owned()
}
