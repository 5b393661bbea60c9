//! All nodes of the model in one list: those of the parts, then the points.

use indexmap::IndexMap;

use crate::case::{Case, suggestion};
use crate::mesh::{Mesh, Set};

/// Where every node is and what the user calls it.
#[derive(Debug)]
pub struct Geometry {
    /// Coordinates \[m\].
    pub coordinates: Vec<[f64; 2]>,
    /// Coordinates along z, out of the plane \[m\].
    pub depth: Vec<f64>,
    /// Meshes of the parts, by name.
    pub parts: IndexMap<String, PartGeometry>,
    /// Node of each point, by name.
    pub points: IndexMap<String, usize>,
}

/// A part's mesh and its place in the node list.
#[derive(Debug)]
pub struct PartGeometry {
    /// Global number of the mesh's first node.
    pub first_node: usize,
    /// The mesh; node `i` of it is node `first_node` + `i` of the model.
    pub mesh: Mesh,
}

impl Geometry {
    /// Joins the meshes and points of a case.
    pub fn new(case: &Case, meshes: IndexMap<String, Mesh>) -> Self {
        let mut coordinates = Vec::new();
        let mut depth = Vec::new();
        let mut parts = IndexMap::new();
        for (name, mesh) in meshes {
            let first_node = coordinates.len();
            coordinates.extend(&mesh.nodes);
            depth.extend(mesh.matrices.iter().flat_map(|matrices| &matrices.depth));
            depth.resize(coordinates.len(), 0.0);
            parts.insert(name, PartGeometry { first_node, mesh });
        }
        let mut points = IndexMap::new();
        for (name, point) in &case.points {
            points.insert(name.clone(), coordinates.len());
            let [x, y, z] = point.at.components();
            coordinates.push([x, y]);
            depth.push(z);
        }
        Self { coordinates, depth, parts, points }
    }

    /// Coordinates of a node along x, y and z \[m\].
    pub fn position(&self, node: usize) -> [f64; 3] {
        let [x, y] = self.coordinates[node];
        [x, y, self.depth[node]]
    }

    /// The nodes of a point or of "part.set"; the error says what is missing.
    pub fn nodes(&self, target: &str) -> Result<Vec<usize>, String> {
        if let Some(&node) = self.points.get(target) {
            return Ok(vec![node]);
        }
        let (part, set) = self.set(target)?;
        Ok(set.nodes.iter().map(|node| part.first_node + node).collect())
    }

    /// The part and set of "part.set".
    pub fn set(&self, target: &str) -> Result<(&PartGeometry, &Set), String> {
        let (part_name, set_name) = target.split_once('.').ok_or("must be \"part.set\"")?;
        let part = self.parts.get(part_name).ok_or("no such part")?;
        let sets = &part.mesh.sets;
        let set = sets.get(set_name).ok_or_else(|| {
            let hint = suggestion(set_name, sets.keys().map(String::as_str));
            let advice = match part.mesh.matrices {
                Some(_) => " (a saved superelement holds the sets whose nodes were all kept)",
                None => "",
            };
            format!("part `{part_name}` has no set `{set_name}`{hint}{advice}")
        })?;
        Ok((part, set))
    }

    /// The one node of a target that must be a single node.
    pub fn node(&self, target: &str) -> Result<usize, String> {
        match self.nodes(target)?[..] {
            [node] => Ok(node),
            ref nodes => Err(format!(
                "must be a single node, but has {}; choose one with `nearest`, or tie the set to a point",
                nodes.len()
            )),
        }
    }

    /// The part or point a node belongs to.
    pub fn owner(&self, node: usize) -> (&str, bool) {
        if let Some((name, _)) = self.points.iter().find(|(_, point)| **point == node) {
            return (name, false);
        }
        let mut parts = self.parts.iter().rev();
        let part = parts.find(|(_, part)| part.first_node <= node);
        (part.map_or("?", |(name, _)| name.as_str()), true)
    }

    /// A node in words, for messages.
    pub fn describe(&self, node: usize) -> String {
        let [x, y, z] = self.position(node);
        let z = if z == 0.0 { String::new() } else { format!(", {z}") };
        match self.owner(node) {
            (name, true) => {
                let part = &self.parts[name];
                let id = part.mesh.node_ids[node - part.first_node];
                format!("node {id} of part `{name}` at ({x}, {y}{z})")
            }
            (name, false) => format!("point `{name}`"),
        }
    }
}
