//! Tables of joints: `[[contact]]` and `[reduction.NAME]`.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::direction::Vector;
use super::pair_values::PairValues;
use super::wear::WearLaw;
use crate::friction::{self, NormalLaw};

/// Two faces that touch, or a face on rigid ground.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// The faces: "part.set" or a point; the second may be "ground".
    pub between: [String; 2],
    /// Direction in which the first face moves away from the second; left out: from the edges of the
    /// first face.
    #[serde(default)]
    pub normal: Option<Vector>,
    /// Nodes are a pair if they lie on one normal within this [m]; default: 1e-6 of the face's size.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Clearance added to the distance of the faces [m].
    #[serde(default)]
    pub gap: f64,
    /// Radius of the first face where it is meshed flat [m]: it stands off from its middle as a circle does.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub crown_radius: Option<f64>,
    /// Contact area [m2], shared equally by the nodes of the first face. Needed for a point or a face without
    /// edges; of a meshed face it replaces the area that edges and thickness give, node by node.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub area: Option<f64>,
    /// Friction coefficient [-]: a number; a list with one number per pair, in the order of the first
    /// face; or { along = "x", at = [positions], values = [numbers] }, interpolated at each pair.
    #[serde(default)]
    pub friction: PairValues,
    /// Static friction coefficient [-] of laws of type "friction" that know one, at least `friction`; written in the
    /// same way; default: `friction`.
    #[serde(default)]
    pub static_friction: Option<PairValues>,
    /// Prescribed normal load of the whole contact [N], shared out by area; it comes on top of what the
    /// static loads press. Needed where the nodes cannot move along the normal. Under the normal law
    /// "constant" it is the whole normal force: static loads do not press on such a contact.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub preload: f64,
    /// How much of `preload` is lost per depth of wear [N/m]: the stiffness of what presses the faces together
    /// by an imposed approach. 0: a constant load.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub preload_stiffness: f64,
    /// The law of the contact.
    #[serde(default)]
    pub law: ContactLaw,
    /// How the faces wear (analysis of type "wear").
    #[serde(default)]
    pub wear: Option<WearLaw>,
}

impl Contact {
    /// What is wrong with a static coefficient below the kinetic one.
    pub fn too_low(&self, highest: f64, kinetic: f64) -> String {
        format!(
            "{}: the static coefficient must be at least the kinetic one, but {highest} is less than friction = \
             {kinetic}",
            self.law.name()
        )
    }
}

/// What a contact does with relative motion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ContactLaw {
    /// Signorini and Coulomb, exactly: no contact stiffness.
    #[default]
    Exact,
    /// Springs that only press, and elastic sliders.
    Penalty {
        /// Stiffness along the normal per area, >= 0 [N/m3].
        normal_stiffness: f64,
        /// Stiffness along the face per area, >= 0 [N/m3].
        #[serde(default)]
        tangential_stiffness: f64,
    },
    /// A spring with a cubic term along the normal, in both directions: no contact at all.
    Cubic {
        /// Linear stiffness of the whole [N/m]; negative: a spring that snaps through.
        #[serde(default)]
        linear: f64,
        /// Cubic stiffness of the whole [N/m3]; negative: a spring that softens.
        cubic: f64,
    },
    /// A friction law of the library, under a normal law.
    Friction {
        /// What presses the faces together.
        #[serde(default)]
        normal: NormalLaw,
        /// What friction does; each tangential direction on its own.
        tangential: friction::Law,
    },
}

impl ContactLaw {
    /// Its name in case files; of a friction law that of the law along the face.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Penalty { .. } => "penalty",
            Self::Cubic { .. } => "cubic",
            Self::Friction { tangential, .. } => tangential.name(),
        }
    }

    /// Whether its normal law is that of Signorini.
    pub fn presses_exactly(&self) -> bool {
        matches!(self, Self::Exact | Self::Friction { normal: NormalLaw::Exact, .. })
    }
}

/// Reduction of the body that a part belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reduction {
    /// Number of fixed-interface modes; give modes or up_to.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub modes: Option<usize>,
    /// All fixed-interface modes up to this frequency [Hz].
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub up_to: Option<f64>,
    /// Interface sets kept beside the contact faces: "part.set" or points.
    #[serde(default)]
    pub interface: Vec<String>,
    /// Further sets or points that are kept: excitation, observation.
    #[serde(default)]
    pub retain: Vec<String>,
    /// File in the results directory that an analysis of type "reduction" saves the superelement to.
    #[serde(default)]
    pub save: Option<String>,
}
