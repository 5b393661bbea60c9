//! Meshes: nodes, cells and named sets of one part, whatever they came from.
//!
//! A [`Mesh`] is made by the built-in [`structured`] generator or read from a [`gmsh`] file; a part may
//! also come as [`matrices`] over nodes without cells, or as a saved [`superelement`]. Cells
//! carry the *group* that sections refer to; *sets* are what supports, loads, ties and probes act on.
//! Coordinates are in metres.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use crate::case::{CaseSource, MeshSource, Part, Problem, Selection, Vector};
use matrices::Square;

pub mod gmsh;
pub mod matrices;
mod overlap;
pub mod structured;
pub mod superelement;

pub use matrices::Matrices;

/// Nodes, cells and named sets of one part.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Coordinates of the nodes \[m\].
    pub nodes: Vec<[f64; 2]>,
    /// The number each node has in its source file (1, 2, … for generated meshes).
    pub node_ids: Vec<u64>,
    /// Quadrilaterals and line segments.
    pub cells: Vec<Cell>,
    /// Names of the cell groups; [`Cell::group`] points into this list.
    pub groups: Vec<String>,
    /// Named node sets.
    pub sets: IndexMap<String, Set>,
    /// Matrices in place of cells.
    pub matrices: Option<Matrices>,
}

/// One cell of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The number of the cell in its source file.
    pub id: u64,
    /// Corners, as indices into [`Mesh::nodes`].
    pub shape: Shape,
    /// Index into [`Mesh::groups`].
    pub group: usize,
}

/// The corners of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Four corners, counter-clockwise.
    Quad([usize; 4]),
    /// Two ends.
    Line([usize; 2]),
}

impl Shape {
    /// The corners as a slice.
    pub fn nodes(&self) -> &[usize] {
        match self {
            Self::Quad(nodes) => nodes,
            Self::Line(nodes) => nodes,
        }
    }
}

/// Nodes under one name, and the boundary edges among them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Set {
    /// Indices of the nodes, without repetition.
    pub nodes: Vec<usize>,
    /// Cell edges that lie in the set, as pairs of node indices; tractions and pressures act on them.
    pub edges: Vec<[usize; 2]>,
}

impl Mesh {
    /// The mesh of a part with all its sets; problems carry the part's key path.
    pub fn of_part(name: &str, part: &Part, source: &CaseSource) -> Result<Self, Vec<Problem>> {
        let path = format!("parts.{name}.mesh");
        let refuse = |path: &str, message: String| vec![Problem::new(path, message)];
        let mut mesh = match &part.mesh {
            MeshSource::Structured { blocks, lines, merge_tolerance } => {
                structured::generate(blocks, lines, *merge_tolerance)
                    .map_err(|message| refuse(&path, message))?
            }
            MeshSource::Gmsh { file, scale } => {
                let path = format!("{path}.file");
                let bytes = source.read(file).map_err(|message| refuse(&path, message))?;
                let mut mesh =
                    gmsh::read(&bytes).map_err(|error| refuse(&path, error.to_string()))?;
                mesh.nodes.iter_mut().flatten().for_each(|c| *c *= scale);
                mesh.check_overlap().map_err(|message| refuse(&path, message))?;
                mesh
            }
            MeshSource::Superelement { file } => {
                let path = format!("{path}.file");
                let bytes = source.read(file).map_err(|message| refuse(&path, message))?;
                superelement::read(&bytes).map_err(|message| refuse(&path, message))?
            }
            MeshSource::Matrices { stiffness, mass, damping, nodes } => {
                Self::of_matrices(&path, source, stiffness, mass, damping.as_deref(), nodes)
                    .map_err(|problem| vec![problem])?
            }
        };
        let mut problems = Vec::new();
        for (set, selection) in &part.sets {
            match mesh.select(selection) {
                Ok(nodes) => {
                    let edges = mesh.edges_among(&nodes);
                    mesh.sets.insert(set.clone(), Set { nodes, edges });
                }
                Err(message) => {
                    problems.push(Problem::new(format!("parts.{name}.sets.{set}"), message));
                }
            }
        }
        if problems.is_empty() { Ok(mesh) } else { Err(problems) }
    }

    /// Elements of a mesh file must not cover each other.
    fn check_overlap(&self) -> Result<(), String> {
        let Some(found) = overlap::find(self) else { return Ok(()) };
        let [a, b] = found.cells.map(|cell| self.cells[cell].id);
        let place = position(found.at);
        Err(format!("elements {a} and {b} overlap: they share area at {place}"))
    }

    /// Nodes and matrices of Matrix Market files and a node table.
    fn of_matrices(
        path: &str,
        source: &CaseSource,
        stiffness: &str,
        mass: &str,
        damping: Option<&str>,
        nodes: &str,
    ) -> Result<Self, Problem> {
        let refuse = |key: &str, message: String| Problem::new(format!("{path}.{key}"), message);
        let read = |key: &str, file: &str| source.read(file).map_err(|m| refuse(key, m));
        let square = |key: &str, file: &str| {
            let matrix = Square::from_matrix_market(&read(key, file)?);
            let matrix = matrix.map_err(|message| refuse(key, format!("{file} {message}")))?;
            let lower =
                matrix.lower().map_err(|message| refuse(key, format!("{file} {message}")))?;
            Ok((matrix.size, lower))
        };
        let (size, stiffness) = square("stiffness", stiffness)?;
        let same_size = |key: &str, file: &str| {
            let (other, entries) = square(key, file)?;
            let message = format!("{file} has {other} rows, but the stiffness has {size}");
            if other == size { Ok(entries) } else { Err(refuse(key, message)) }
        };
        let mass = same_size("mass", mass)?;
        let damping = damping.map_or(Ok(vec![]), |file| same_size("damping", file))?;
        let mut mesh = matrices::read_nodes(&read("nodes", nodes)?, size)
            .map_err(|message| refuse("nodes", format!("{nodes} {message}")))?;
        if let Some(matrices) = &mut mesh.matrices {
            (matrices.stiffness, matrices.mass, matrices.damping) = (stiffness, mass, damping);
        }
        Ok(mesh)
    }

    /// Nodes chosen by position or number.
    fn select(&self, selection: &Selection) -> Result<Vec<usize>, String> {
        if let Some(corners) = selection.r#box {
            // Rounding of coordinates must not decide whether an edge is inside.
            let slack = 1e-6 * self.size();
            let [a, b] = corners.map(Vector::components);
            let axes = if corners.iter().all(|corner| corner.z.is_some()) { 3 } else { 2 };
            let inside = |node: [f64; 3]| {
                (0..axes).all(|axis| {
                    let (low, high) = (a[axis].min(b[axis]), a[axis].max(b[axis]));
                    (low - slack..=high + slack).contains(&node[axis])
                })
            };
            let nodes: Vec<usize> =
                (0..self.nodes.len()).filter(|&i| inside(self.position(i))).collect();
            return if nodes.is_empty() {
                Err("no node lies in the box".into())
            } else {
                Ok(nodes)
            };
        }
        if let Some(wanted) = selection.nearest {
            let distance = |node: usize| self.distance(node, wanted);
            let nearest = (0..self.nodes.len())
                .min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
                .ok_or("the mesh has no nodes")?;
            return Ok(vec![nearest]);
        }
        let wanted = selection.nodes.as_deref().unwrap_or_default();
        if wanted.is_empty() {
            return Err("the list of nodes is empty".into());
        }
        let index: HashMap<u64, usize> =
            self.node_ids.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let find = |id: &u64| index.get(id).copied().ok_or(format!("the mesh has no node {id}"));
        let mut nodes = wanted.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }

    /// Coordinates of a node along x, y and z \[m\].
    fn position(&self, node: usize) -> [f64; 3] {
        let [x, y] = self.nodes[node];
        [x, y, self.matrices.as_ref().map_or(0.0, |matrices| matrices.depth[node])]
    }

    /// Distance of a node from a place; without z only x and y count \[m\].
    pub fn distance(&self, node: usize, place: Vector) -> f64 {
        let [x, y, z] = self.position(node);
        let depth = place.z.map_or(0.0, |place| z - place);
        (x - place.x).hypot(y - place.y).hypot(depth)
    }

    /// Distance of a place from the bounding box, 0 inside; without z only x and y count \[m\].
    pub fn distance_outside(&self, place: Vector) -> f64 {
        let beyond = |(axis, at): (usize, f64)| {
            let [low, high] = self.range(axis);
            (low - at).max(at - high).max(0.0)
        };
        let places = [place.x, place.y].into_iter().chain(place.z);
        places.enumerate().map(beyond).fold(0.0, f64::hypot)
    }

    /// Length of the longest side of the cells around a node; none of a node without cells \[m\].
    pub fn longest_side(&self, node: usize) -> Option<f64> {
        let around = self.cells.iter().map(|cell| cell.shape.nodes());
        let corners = around.filter(|corners| corners.contains(&node));
        let sides = corners.flat_map(|corners| corners.iter().zip(corners.iter().cycle().skip(1)));
        let length = |(a, b): (&usize, &usize)| {
            let ([ax, ay], [bx, by]) = (self.nodes[*a], self.nodes[*b]);
            (bx - ax).hypot(by - ay)
        };
        sides.map(length).reduce(f64::max)
    }

    /// Least and greatest coordinate of the nodes along an axis \[m\].
    fn range(&self, axis: usize) -> [f64; 2] {
        let values = (0..self.nodes.len()).map(|node| self.position(node)[axis]);
        values
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)])
    }

    /// Length of the diagonal of the bounding box \[m\].
    pub fn size(&self) -> f64 {
        let spread = |axis: usize| {
            let [low, high] = self.range(axis);
            high - low
        };
        if self.nodes.is_empty() { 0.0 } else { spread(0).hypot(spread(1)).hypot(spread(2)) }
    }

    /// Edges of quadrilaterals that belong to one cell only, counter-clockwise, with that cell.
    pub fn boundary_edges(&self) -> Vec<([usize; 2], usize)> {
        let mut count: HashMap<[usize; 2], usize> = HashMap::new();
        for (_, edge) in self.quad_edges() {
            *count.entry(sorted(edge)).or_default() += 1;
        }
        self.quad_edges()
            .filter(|(_, edge)| count[&sorted(*edge)] == 1)
            .map(|(cell, edge)| (edge, cell))
            .collect()
    }

    fn quad_edges(&self) -> impl Iterator<Item = (usize, [usize; 2])> + '_ {
        self.cells.iter().enumerate().flat_map(|(i, cell)| {
            let edges = match cell.shape {
                Shape::Quad([a, b, c, d]) => vec![[a, b], [b, c], [c, d], [d, a]],
                Shape::Line(_) => vec![],
            };
            edges.into_iter().map(move |edge| (i, edge))
        })
    }

    /// Boundary edges with both ends in `nodes`.
    fn edges_among(&self, nodes: &[usize]) -> Vec<[usize; 2]> {
        let chosen: HashSet<usize> = nodes.iter().copied().collect();
        let edges = self.boundary_edges().into_iter().map(|(edge, _)| edge);
        edges.filter(|edge| edge.iter().all(|node| chosen.contains(node))).collect()
    }
}

/// A position in words, without digits that say nothing.
fn position(at: [f64; 2]) -> String {
    let [x, y] = at.map(|c| format!("{c:.5e}").parse::<f64>().unwrap_or(c));
    format!("({x}, {y})")
}

/// An edge with its ends in ascending order.
pub fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    if a <= b { [a, b] } else { [b, a] }
}
