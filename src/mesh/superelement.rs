//! Parts from HDF5: saved superelements, or matrices from elsewhere in the same layout.
//!
//! The layout is described in `docs/superelements.md`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use hdf5::File;

use super::Mesh;
use super::matrices::{Entry, Nodes, Square};

/// Reads a part from the bytes of an HDF5 file; the error says what is wrong with which dataset.
pub fn read(bytes: &[u8]) -> Result<Mesh, String> {
    let copy = Copy::new(bytes)?;
    let file = File::open(&copy.0).map_err(|_| "is not an HDF5 file")?;
    let (size, stiffness) = matrix(&file, "stiffness")?;
    let mut mesh = nodes(&file, size)?;
    let (mass_size, mass) = matrix(&file, "mass")?;
    let (damping_size, damping) =
        if file.link_exists("damping") { matrix(&file, "damping")? } else { (size, vec![]) };
    for (name, other) in [("mass", mass_size), ("damping", damping_size)] {
        if other != size {
            return Err(format!("/{name} has {other} rows, /stiffness has {size}"));
        }
    }
    let matrices = mesh.matrices.as_mut().ok_or("holds no node")?;
    (matrices.stiffness, matrices.mass, matrices.damping) = (stiffness, mass, damping);
    for name in file.group("sets").and_then(|sets| sets.member_names()).unwrap_or_default() {
        let ids = raw::<u64>(&file, &format!("sets/{name}"))?.1;
        mesh.add_set(&name, &ids)?;
    }
    Ok(mesh)
}

/// A file for the HDF5 library, which reads no bytes; removed in the end.
struct Copy(PathBuf);

impl Copy {
    fn new(bytes: &[u8]) -> Result<Self, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("fretwork-{process}-{count}.h5"));
        std::fs::write(&path, bytes).map_err(|e| format!("cannot be copied: {e}"))?;
        Ok(Self(path))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // A copy that stays behind does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn raw<T: hdf5::H5Type>(file: &File, name: &str) -> Result<(Vec<usize>, Vec<T>), String> {
    let dataset = file.dataset(name).map_err(|_| format!("has no dataset /{name}"))?;
    let values = dataset.read_raw().map_err(|e| format!("/{name} cannot be read: {e}"))?;
    Ok((dataset.shape(), values))
}

/// Size and lower triangle of a dense symmetric matrix.
fn matrix(file: &File, name: &str) -> Result<(usize, Vec<Entry>), String> {
    let (shape, values) = raw::<f64>(file, name)?;
    let &[size, columns] = &shape[..] else { return Err(format!("/{name} is no matrix")) };
    if size != columns || values.iter().any(|value| !value.is_finite()) {
        return Err(format!(
            "/{name} ({size} × {columns}) is not square, or holds values like NaN"
        ));
    }
    let stored = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
    let entries = stored.map(|(at, value)| (at / size, at % size, *value)).collect();
    let lower = Square { size, entries }.lower().map_err(|message| format!("/{name} {message}"))?;
    Ok((size, lower))
}

fn nodes(file: &File, size: usize) -> Result<Mesh, String> {
    let ids = raw::<u64>(file, "nodes/id")?.1;
    let (shape, coordinates) = raw::<f64>(file, "nodes/coordinates")?;
    let (row_shape, rows) = raw::<i64>(file, "nodes/rows")?;
    if shape != [ids.len(), 3] || row_shape != [ids.len(), 4] {
        return Err(format!(
            "/nodes holds {} ids, coordinates {shape:?} and rows {row_shape:?}; it needs 3 coordinates and \
             4 rows a node",
            ids.len()
        ));
    }
    let mut nodes = Nodes::default();
    for (i, id) in ids.iter().enumerate() {
        let position = std::array::from_fn(|axis| coordinates[3 * i + axis]);
        nodes.push(*id, position, std::array::from_fn(|d| usize::try_from(rows[4 * i + d]).ok()));
    }
    nodes.mesh(size).map_err(|message| format!("/nodes {message}"))
}
