//! Tables that describe the model: materials, parts, lumped elements, supports, loads, damping, probes.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::direction::{Direction, Freedom, Vector};

use super::Named;
use super::mesh::{MeshSource, Selection};

/// An isotropic elastic material.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialTable {
    /// Young's modulus [Pa].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub young: f64,
    /// Poisson's ratio [-], between -1 and 0.5.
    #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 0.5))]
    pub poisson: f64,
    /// Density [kg/m3]; may be left out if no analysis needs mass.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub density: f64,
}

/// A meshed part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its mesh.
    pub mesh: MeshSource,
    /// Properties of its cell groups; none for a part that comes as matrices.
    #[serde(default)]
    pub sections: Vec<Section>,
    /// Node sets chosen by position, beside those the mesh names.
    #[serde(default)]
    pub sets: Named<Selection>,
}

/// Properties of a cell group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Section {
    /// Quadrilaterals in plane stress or plane strain.
    Plane {
        /// Cell group; left out: all quadrilaterals not named by another section.
        #[serde(default)]
        group: Option<String>,
        /// Name of the material.
        material: String,
        /// Stress or strain.
        state: PlaneStateName,
        /// Thickness out of the plane [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        thickness: f64,
        /// Element formulation.
        #[serde(default)]
        element: ElementKind,
        /// Mass matrix.
        #[serde(default)]
        mass: MassMatrix,
    },
    /// Euler–Bernoulli beams on lines; give height and width, or area and second_moment.
    Beam {
        /// Cell group; left out: all lines not named by another section.
        #[serde(default)]
        group: Option<String>,
        /// Name of the material.
        material: String,
        /// Height of a rectangular section, in the plane of bending [m].
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        height: Option<f64>,
        /// Width of a rectangular section, out of the plane [m].
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        width: Option<f64>,
        /// Area of the section [m2].
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        area: Option<f64>,
        /// Second moment of area [m4].
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        second_moment: Option<f64>,
        /// Mass matrix.
        #[serde(default)]
        mass: MassMatrix,
    },
}

impl Section {
    /// The cell group it names.
    pub fn group(&self) -> Option<&str> {
        match self {
            Self::Plane { group, .. } | Self::Beam { group, .. } => group.as_deref(),
        }
    }

    /// The material it names.
    pub fn material(&self) -> &str {
        match self {
            Self::Plane { material, .. } | Self::Beam { material, .. } => material,
        }
    }
}

/// Plane stress or plane strain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaneStateName {
    /// No stress out of the plane: thin parts.
    Stress,
    /// No strain out of the plane: long or laterally held parts.
    Strain,
}

/// Formulation of the quadrilateral.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ElementKind {
    /// Four nodes with incompatible bending modes (QM6).
    #[default]
    Quad4Incompatible,
    /// Four nodes, bilinear displacements only.
    Quad4,
}

/// How mass is spread over the nodes of an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MassMatrix {
    /// From the shape functions.
    #[default]
    Consistent,
    /// Diagonal.
    Lumped,
}

/// A point: a lumped body or the reference of a rigid tie.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Position: x, y and, in space, z [m].
    #[serde(default)]
    pub at: Vector,
    /// The directions in which it can move.
    #[serde(default = "translations")]
    #[schemars(length(min = 1))]
    pub freedoms: Vec<Freedom>,
    /// Mass, in every translation it has [kg].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub mass: f64,
    /// Rotary inertia [kg m2].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub inertia: f64,
}

fn translations() -> Vec<Freedom> {
    vec![Freedom::X, Freedom::Y]
}

/// Lumped mass on the nodes of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LumpedMass {
    /// "part.set" or a point.
    pub on: String,
    /// Total mass, shared equally by the nodes [kg].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub mass: f64,
    /// Total rotary inertia, shared equally by the nodes [kg m2].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub inertia: f64,
}

/// A spring and a dashpot in parallel, between two nodes or a node and the ground.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// Its ends: a point, "part.set" with one node, or "ground".
    pub between: [String; 2],
    /// The direction in which it acts.
    pub direction: Direction,
    /// Stiffness [N/m], or [N m/rad] for a rotation.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub stiffness: f64,
    /// Damping of the dashpot [N s/m], or [N m s/rad] for a rotation.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub damping: f64,
}

/// Rigid tie of a node set to a point, offset arms included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tie {
    /// The tied nodes: "part.set" or a point.
    pub nodes: String,
    /// The point they follow; a freedom this point does not have counts as held.
    pub to: String,
    /// The tied freedoms.
    #[serde(default = "all_freedoms")]
    #[schemars(length(min = 1))]
    pub freedoms: Vec<Freedom>,
}

fn all_freedoms() -> Vec<Freedom> {
    Freedom::ALL.to_vec()
}

/// Whether a load or an imposed displacement is constant or vibrates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variation {
    /// Constant in time: used by static analyses.
    #[default]
    Static,
    /// Amplitude of a harmonic: used by frequency responses.
    Harmonic,
}

/// A support.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Support {
    /// Holds every freedom.
    Clamp {
        /// "part.set" or a point.
        on: String,
    },
    /// Holds one direction, which may be inclined.
    Roller {
        /// "part.set" or a point.
        on: String,
        /// The direction that is held.
        direction: Direction,
    },
    /// Imposes displacements.
    Prescribed {
        /// "part.set" or a point.
        on: String,
        /// Displacement along x [m].
        #[serde(default)]
        x: Option<f64>,
        /// Displacement along y [m].
        #[serde(default)]
        y: Option<f64>,
        /// Displacement along z [m].
        #[serde(default)]
        z: Option<f64>,
        /// Rotation [rad].
        #[serde(default)]
        rotation: Option<f64>,
        /// Constant or vibrating (it is zero in analyses of the other kind).
        #[serde(default)]
        variation: Variation,
        /// Phase lead of a vibrating displacement [deg].
        #[serde(default)]
        phase: f64,
    },
}

impl Support {
    /// The set or point it acts on.
    pub fn on(&self) -> &str {
        match self {
            Self::Clamp { on } | Self::Roller { on, .. } | Self::Prescribed { on, .. } => on,
        }
    }
}

/// A load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Load {
    /// Force and moment on nodes.
    Force {
        /// "part.set" or a point.
        on: String,
        /// Total force, shared equally by the nodes [N].
        #[serde(default)]
        force: Vector,
        /// Total moment, shared equally by the nodes [N m].
        #[serde(default)]
        moment: f64,
        /// Constant or vibrating.
        #[serde(default)]
        variation: Variation,
        /// Phase lead of a vibrating load [deg].
        #[serde(default)]
        phase: f64,
    },
    /// Force per area on the edges of a set.
    Traction {
        /// "part.set".
        on: String,
        /// Force per area of edge, thickness included [Pa].
        traction: [f64; 2],
        /// Constant or vibrating.
        #[serde(default)]
        variation: Variation,
        /// Phase lead of a vibrating load [deg].
        #[serde(default)]
        phase: f64,
    },
    /// Pressure on the edges of a set.
    Pressure {
        /// "part.set".
        on: String,
        /// Pressure; positive pushes into the part [Pa].
        pressure: f64,
        /// Constant or vibrating.
        #[serde(default)]
        variation: Variation,
        /// Phase lead of a vibrating load [deg].
        #[serde(default)]
        phase: f64,
    },
    /// Constant acceleration of the whole model, such as gravity.
    Gravity {
        /// Acceleration of free fall [m/s2].
        acceleration: Vector,
    },
}

impl Load {
    /// The set or point it acts on.
    pub fn on(&self) -> Option<&str> {
        match self {
            Self::Force { on, .. } | Self::Traction { on, .. } | Self::Pressure { on, .. } => {
                Some(on)
            }
            Self::Gravity { .. } => None,
        }
    }

    /// Variation in time and phase lead [deg].
    pub fn variation(&self) -> (Variation, f64) {
        match *self {
            Self::Force { variation, phase, .. }
            | Self::Traction { variation, phase, .. }
            | Self::Pressure { variation, phase, .. } => (variation, phase),
            Self::Gravity { .. } => (Variation::Static, 0.0),
        }
    }
}

/// Damping of the whole model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Damping {
    /// C = alpha M + beta K.
    Rayleigh {
        /// Factor of the mass [1/s].
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        alpha: f64,
        /// Factor of the stiffness [s].
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        beta: f64,
    },
    /// Rayleigh damping with given damping ratios at two frequencies.
    RayleighFit {
        /// The two damping ratios [-].
        ratios: [f64; 2],
        /// The two frequencies [Hz].
        frequencies: [f64; 2],
    },
    /// Damping ratios of the modes; frequency responses then use modal superposition.
    Modal {
        /// Damping ratio of each mode [-]; the last one holds for all further modes.
        #[schemars(length(min = 1))]
        ratios: Vec<f64>,
    },
}

/// A named output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Probe {
    /// Displacement (mean over the nodes of a set) [m], or rotation [rad].
    Displacement {
        /// "part.set" or a point.
        at: String,
        /// Measured direction.
        direction: Direction,
    },
    /// Velocity [m/s].
    Velocity {
        /// "part.set" or a point.
        at: String,
        /// Measured direction.
        direction: Direction,
    },
    /// Acceleration [m/s2].
    Acceleration {
        /// "part.set" or a point.
        at: String,
        /// Measured direction.
        direction: Direction,
    },
    /// Displacement of the first minus that of the second [m].
    RelativeDisplacement {
        /// Two of: "part.set" or a point.
        between: [String; 2],
        /// Measured direction.
        direction: Direction,
    },
    /// Total force of the supports on the nodes of a set [N], or moment [N m].
    Reaction {
        /// "part.set" or a point.
        at: String,
        /// Measured direction.
        direction: Direction,
    },
}

impl Probe {
    /// The sets or points it measures, each with its key.
    pub fn targets(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::Displacement { at, .. }
            | Self::Velocity { at, .. }
            | Self::Acceleration { at, .. }
            | Self::Reaction { at, .. } => vec![("at", at)],
            Self::RelativeDisplacement { between: [a, b], .. } => {
                vec![("between[0]", a), ("between[1]", b)]
            }
        }
    }
}
