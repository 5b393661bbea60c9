//! Saves superelements; `mesh::superelement` reads them. The layout is in `docs/superelements.md`.

use std::collections::HashMap;
use std::path::Path;

use hdf5::{File, Group};
use ndarray::Array2;

use super::ResultError;
use crate::case::Freedom;
use crate::model::Model;
use crate::reduction::Superelement;

/// A node whose freedoms are boundary freedoms of a superelement.
struct Kept {
    node: usize,
    /// Rows of x, y, rotation and z; −1 for none.
    rows: [i64; 4],
}

/// Writes the superelement of a body of `model` to a file.
pub fn save(path: &Path, model: &Model, superelement: &Superelement) -> Result<(), ResultError> {
    let file = File::create(path).map_err(|error| ResultError::write(path, error))?;
    let kept = kept_nodes(model, superelement);
    matrix(&file, "stiffness", superelement.stiffness_matrix(), "N/m")?;
    matrix(&file, "mass", superelement.mass_matrix(), "kg")?;
    if let Some(dashpots) = &model.operators.dashpots {
        matrix(&file, "damping", superelement.reduced(&dashpots.free), "N s/m")?;
    }
    let modes = superelement.n_modes() as u64;
    file.new_attr::<u64>().create("modes")?.write_scalar(&modes)?;
    write_nodes(&file.create_group("nodes")?, model, &kept)?;
    write_sets(&file.create_group("sets")?, model, &kept)?;
    Ok(file.flush()?)
}

/// Nodes with a freedom that is a boundary freedom itself, not a combination of them.
fn kept_nodes(model: &Model, superelement: &Superelement) -> Vec<Kept> {
    let first = superelement.n_modes();
    let place: HashMap<usize, usize> = superelement
        .boundary
        .iter()
        .enumerate()
        .map(|(i, freedom)| (*freedom, first + i))
        .collect();
    let row = |number: Option<usize>| match model.dofs.terms(number?) {
        [(index, 1.0)] => place.get(index).map(|row| *row as i64),
        _ => None,
    };
    let mut taken = std::collections::HashSet::new();
    let nodes = 0..model.geometry.coordinates.len();
    // Points come last in the list of nodes; tied nodes must not take the rows of their point.
    let mut kept: Vec<Kept> = nodes
        .rev()
        .filter_map(|node| {
            let rows = Freedom::ALL.map(|freedom| row(model.dofs.number(node, freedom)));
            let rows = rows.map(|row| row.filter(|row| taken.insert(*row)).unwrap_or(-1));
            rows.iter().any(|row| *row >= 0).then_some(Kept { node, rows })
        })
        .collect();
    kept.reverse();
    kept
}

fn matrix(file: &File, name: &str, values: faer::Mat<f64>, unit: &str) -> Result<(), ResultError> {
    let size = (values.nrows(), values.ncols());
    let table = Array2::from_shape_fn(size, |(i, j)| values[(i, j)]);
    let dataset = file.new_dataset_builder().with_data(&table).create(name)?;
    super::writer::text_attribute(&dataset, "unit", unit)
}

fn write_nodes(group: &Group, model: &Model, kept: &[Kept]) -> Result<(), ResultError> {
    let ids: Vec<u64> = kept.iter().map(|kept| kept.node as u64).collect();
    let dataset = group.new_dataset_builder().with_data(&ids).create("id")?;
    super::writer::text_attribute(&dataset, "unit", "1")?;
    let geometry = &model.geometry;
    let position = |(i, axis): (usize, usize)| geometry.position(kept[i].node)[axis];
    let coordinates = Array2::from_shape_fn((kept.len(), 3), position);
    let dataset = group.new_dataset_builder().with_data(&coordinates).create("coordinates")?;
    super::writer::text_attribute(&dataset, "unit", "m")?;
    let rows = Array2::from_shape_fn((kept.len(), 4), |(i, d)| kept[i].rows[d]);
    let dataset = group.new_dataset_builder().with_data(&rows).create("rows")?;
    super::writer::text_attribute(&dataset, "unit", "1")?;
    super::writer::text_attribute(&dataset, "components", "x,y,rotation,z")
}

/// Sets all of whose nodes are kept, and kept points under their own names.
fn write_sets(group: &Group, model: &Model, kept: &[Kept]) -> Result<(), ResultError> {
    let write = |name: &str, nodes: Vec<usize>| -> Result<(), ResultError> {
        let all = nodes.iter().all(|node| kept.iter().any(|kept| kept.node == *node));
        if !all || nodes.is_empty() || group.link_exists(name) || name.contains(['/', '.']) {
            return Ok(());
        }
        let ids: Vec<u64> = nodes.iter().map(|node| *node as u64).collect();
        let dataset = group.new_dataset_builder().with_data(&ids).create(name)?;
        super::writer::text_attribute(&dataset, "unit", "1")
    };
    for (name, node) in &model.geometry.points {
        write(name, vec![*node])?;
    }
    for part in model.geometry.parts.values() {
        for (name, set) in &part.mesh.sets {
            write(name, set.nodes.iter().map(|node| part.first_node + node).collect())?;
        }
    }
    Ok(())
}
