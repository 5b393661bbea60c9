//! Tables that describe meshes: `[parts.NAME.mesh]` and `[parts.NAME.sets]`.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::direction::Vector;

/// Where the mesh of a part comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum MeshSource {
    /// Built-in generator: mapped quadrilateral blocks and straight lines, merged where they meet.
    Structured {
        /// Quadrilateral blocks.
        #[serde(default)]
        blocks: Vec<Block>,
        /// Lines of two-node cells, for beams.
        #[serde(default)]
        lines: Vec<Line>,
        /// Nodes closer than this are one node [m]; default: 1e-6 of the part's size.
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        merge_tolerance: Option<f64>,
    },
    /// A Gmsh file, ASCII format 4.1 or 2.2; physical groups become cell groups and sets.
    Gmsh {
        /// Path, relative to the case file.
        file: String,
        /// Factor from the file's length unit to metres.
        #[serde(default = "one")]
        #[schemars(extend("exclusiveMinimum" = 0))]
        scale: f64,
    },
    /// Matrices of another program, Matrix Market, with a table of their nodes.
    Matrices {
        /// File of the stiffness matrix [N/m], relative to the case file.
        stiffness: String,
        /// File of the mass matrix [kg].
        mass: String,
        /// File of the damping matrix [N s/m].
        #[serde(default)]
        damping: Option<String>,
        /// CSV file: id, x, y, z [m], row_x, row_y, row_z, row_rotation (counted from 1).
        nodes: String,
    },
    /// A superelement that a reduction saved, or matrices of another program in the same HDF5 layout.
    Superelement {
        /// Path, relative to the case file.
        file: String,
    },
}

impl MeshSource {
    /// The files it names.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Self::Structured { .. } => vec![],
            Self::Gmsh { file, .. } | Self::Superelement { file } => vec![file],
            Self::Matrices { stiffness, mass, damping, nodes } => {
                let damping = damping.as_deref();
                [Some(stiffness.as_str()), Some(mass), damping, Some(nodes)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
        }
    }

    /// Whether the part has matrices instead of cells with sections.
    pub fn is_matrices(&self) -> bool {
        matches!(self, Self::Matrices { .. } | Self::Superelement { .. })
    }
}

/// A mapped quadrilateral block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Name of its cell group; sections refer to it.
    #[serde(default = "body")]
    pub name: String,
    /// The four corners, counter-clockwise [m].
    pub corners: [[f64; 2]; 4],
    /// Number of cells from corner 1 to 2 and from corner 2 to 3.
    pub cells: [Cells; 2],
    /// Size of the last cell over the first, in the two directions.
    #[serde(default = "ones")]
    pub grading: [Positive; 2],
    /// Set names of the edges.
    #[serde(default)]
    pub edges: BlockEdges,
}

/// A number of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Cells(#[schemars(range(min = 1, max = 100_000))] pub usize);

/// A number greater than zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Positive(#[schemars(extend("exclusiveMinimum" = 0))] pub f64);

/// Set names of the edges of a block; several blocks may name the same set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockEdges {
    /// From corner 1 to 2.
    #[serde(default)]
    pub bottom: Option<String>,
    /// From corner 2 to 3.
    #[serde(default)]
    pub right: Option<String>,
    /// From corner 3 to 4.
    #[serde(default)]
    pub top: Option<String>,
    /// From corner 4 to 1.
    #[serde(default)]
    pub left: Option<String>,
}

/// A straight line of two-node cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Name of its cell group; sections refer to it.
    #[serde(default = "line")]
    pub name: String,
    /// First end [m].
    pub from: [f64; 2],
    /// Last end [m].
    pub to: [f64; 2],
    /// Number of cells.
    pub cells: Cells,
    /// Size of the last cell over the first.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub grading: f64,
    /// Set name of the first end.
    #[serde(default)]
    pub start: Option<String>,
    /// Set name of the last end.
    #[serde(default)]
    pub end: Option<String>,
}

/// Chooses nodes of a part; give exactly one key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// All nodes in the box between two opposite corners [m]; without z it is unbounded there.
    #[serde(default)]
    pub r#box: Option<[Vector; 2]>,
    /// The node nearest to a position [m]; without z only x and y count. A run warns of one that is far away.
    #[serde(default)]
    pub nearest: Option<Vector>,
    /// Node numbers, as in the mesh file.
    #[serde(default)]
    pub nodes: Option<Vec<u64>>,
}

fn one() -> f64 {
    1.0
}

fn ones() -> [Positive; 2] {
    [Positive(1.0); 2]
}

fn body() -> String {
    "body".into()
}

fn line() -> String {
    "line".into()
}
