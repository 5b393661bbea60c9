//! Wear: the law of a `[[contact]]` and the `[[analysis]]` of type `wear`.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::FrequencyGrid;
use super::response::{self, Harmonics, Response};
use super::target::TargetSlip;

/// How two faces lose material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum WearLaw {
    /// Archard: depth = K_w x pressure x sliding distance. Give coefficient, or wear_number and hardness.
    Archard {
        /// K_w [1/Pa]: one number, or one for each node pair.
        #[serde(default)]
        coefficient: Option<Coefficient>,
        /// k of K_w = k/H [-].
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        wear_number: Option<f64>,
        /// H of K_w = k/H [Pa].
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        hardness: Option<f64>,
        /// What K_w is measured by.
        #[serde(default)]
        sliding_distance: SlidingDistance,
        /// What the first and the second face lose of it; the sum is 1.
        #[serde(default = "halves")]
        share: [f64; 2],
        /// Pressure x path before wear begins [J/m2].
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        threshold: f64,
    },
    /// Dissipated energy: depth = alpha x energy per area.
    Energy {
        /// alpha [m3/J]: one number, or one for each node pair.
        coefficient: Coefficient,
        /// What the first and the second face lose of it; the sum is 1.
        #[serde(default = "halves")]
        share: [f64; 2],
        /// Energy per area before wear begins [J/m2].
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        threshold: f64,
    },
}

/// A wear coefficient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Coefficient {
    /// Of the whole contact.
    One(f64),
    /// Of each node pair, in the order of the first face.
    Each(Vec<f64>),
}

impl Coefficient {
    /// All values.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Each(values) => values,
        }
    }
}

/// Sliding distance of a cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlidingDistance {
    /// The length of the path: 4 x amplitude for a steady to and fro.
    #[default]
    Path,
    /// The amplitude, a quarter of the path: the reading that the K_w of Tubita (2023) rests on.
    Amplitude,
}

impl WearLaw {
    /// What the first and the second face lose.
    pub fn share(&self) -> [f64; 2] {
        match self {
            Self::Archard { share, .. } | Self::Energy { share, .. } => *share,
        }
    }
}

/// Wear over many cycles of the vibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wear {
    /// Name of the result group.
    #[serde(default)]
    pub name: Option<String>,
    /// Frequencies of the vibration [Hz]; each starts from the unworn state. Give these and cycles, or blocks.
    #[serde(default)]
    pub frequencies: Option<FrequencyGrid>,
    /// Factors of the harmonic loads (default 1); each starts from the unworn state.
    #[serde(default = "response::unit_level")]
    #[schemars(length(min = 1))]
    pub levels: Vec<f64>,
    /// The slip of the unworn faces that the factor of the harmonic loads is found for; it is then held.
    #[serde(default)]
    pub target_slip: Option<TargetSlip>,
    /// Number of cycles.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cycles: Option<f64>,
    /// A load spectrum: blocks one after another.
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// How many times the blocks follow each other.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repeat: usize,
    /// How cycles are jumped.
    #[serde(default)]
    pub scheme: Scheme,
    /// Numbers of cycles at which an increment ends exactly.
    #[serde(default)]
    pub at: Vec<f64>,
    /// Wear stops at this fraction of the height of the thinner part [-].
    #[serde(default = "max_depth_fraction")]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub max_depth_fraction: f64,
    /// Wear stops at this depth [m]; needed for contacts of points, which have no height.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_depth: Option<f64>,
    /// Highest harmonic (default 7), or the list of harmonics; the static one is always there.
    #[serde(default)]
    pub harmonics: Harmonics,
    /// Leave out even harmonics.
    #[serde(default)]
    pub odd: bool,
    /// Time samples per period (default: 16 per harmonic, and at least 128).
    #[serde(default)]
    #[schemars(range(min = 3, max = 1_048_576))]
    pub samples: Option<usize>,
    /// Residual over load at which a solution is accepted [-].
    #[serde(default = "response::tolerance")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// Iterations of one attempt at a solution.
    #[serde(default = "response::max_iterations")]
    #[schemars(range(min = 1))]
    pub max_iterations: usize,
    /// Pseudo-penalty of exact contacts over the largest dynamic stiffness [-].
    #[serde(default = "response::one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub penalty: f64,
    /// Analyses of the worn state.
    #[serde(default)]
    pub follow_up: Vec<FollowUp>,
}

/// A block of a load spectrum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Frequency [Hz].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub frequency: f64,
    /// Factor of the harmonic loads [-].
    #[serde(default = "response::one")]
    #[schemars(range(min = 0.0))]
    pub level: f64,
    /// Number of cycles.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cycles: f64,
}

/// How cycles are jumped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Scheme {
    /// Exponential steps of second order with error control.
    Adaptive {
        /// Error of an increment over the depth it adds [-].
        #[serde(default = "wear_tolerance")]
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
        tolerance: f64,
        /// Depth below which the error is measured by this instead [m].
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        depth_scale: f64,
        /// Cycles of the first increment (default: 1e-4 of all).
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        first_jump: Option<f64>,
        /// Most cycles of an increment (default: no limit).
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        max_jump: Option<f64>,
    },
    /// Constant rate over an increment, whose cycles follow from a depth.
    Explicit {
        /// Largest depth of an increment [m].
        #[schemars(extend("exclusiveMinimum" = 0))]
        max_increment: f64,
        /// Cycles of the first increment.
        #[schemars(extend("exclusiveMinimum" = 0))]
        first_jump: f64,
    },
}

impl Default for Scheme {
    fn default() -> Self {
        let tolerance = wear_tolerance();
        Self::Adaptive { tolerance, depth_scale: 0.0, first_jump: None, max_jump: None }
    }
}

impl Scheme {
    /// Cycles of the first increment, if given.
    pub fn first_jump(&self) -> Option<f64> {
        match self {
            Self::Adaptive { first_jump, .. } => *first_jump,
            Self::Explicit { first_jump, .. } => Some(*first_jump),
        }
    }
}

/// Analyses of the worn state at chosen numbers of cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FollowUp {
    /// Results go to the groups NAME_0, NAME_1 … in the order of `at`.
    pub name: String,
    /// Numbers of cycles.
    #[schemars(length(min = 1))]
    pub at: Vec<f64>,
    /// Number of modes, with the pairs bonded that the static loads keep closed.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub modes: Option<usize>,
    /// A periodic response.
    #[serde(default)]
    pub response: Option<Response>,
}

impl Wear {
    /// Cycles of a history.
    pub fn total_cycles(&self) -> f64 {
        let spectrum: f64 = self.blocks.iter().map(|block| block.cycles).sum();
        self.cycles.unwrap_or(spectrum * self.repeat as f64)
    }

    /// The frequencies of all blocks or histories [Hz].
    pub fn frequencies(&self) -> Vec<f64> {
        let blocks = || self.blocks.iter().map(|block| block.frequency).collect();
        self.frequencies.as_ref().map_or_else(blocks, FrequencyGrid::values)
    }

    /// The response whose cycles are counted.
    pub fn vibration(&self) -> Response {
        let mut frequencies = self.frequencies();
        frequencies.sort_by(f64::total_cmp);
        frequencies.dedup();
        Response {
            harmonics: self.harmonics.clone(),
            odd: self.odd,
            samples: self.samples,
            levels: self.levels.clone(),
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            penalty: self.penalty,
            ..Response::at(FrequencyGrid::List { values: frequencies })
        }
    }

    /// Every number of cycles at which an increment has to end.
    pub fn stops(&self) -> Vec<f64> {
        let follow_ups = self.follow_up.iter().flat_map(|follow_up| &follow_up.at);
        let mut stops: Vec<f64> = self.at.iter().chain(follow_ups).copied().collect();
        stops.sort_by(f64::total_cmp);
        stops.dedup();
        stops
    }
}

fn halves() -> [f64; 2] {
    [0.5, 0.5]
}

fn once() -> usize {
    1
}

fn max_depth_fraction() -> f64 {
    0.1
}

fn wear_tolerance() -> f64 {
    1e-2
}
