//! The analysis `frf`: linear frequency responses.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::{ContactState, FrequencyGrid};

/// Linear frequency response to the harmonic loads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frf {
    /// Name of the result group.
    #[serde(default)]
    pub name: Option<String>,
    /// Direct solution, modal superposition or reduced bodies.
    #[serde(default)]
    pub method: FrfMethod,
    /// Whether the contacts are open or stuck.
    #[serde(default)]
    pub contact: ContactState,
    /// Number of modes of the superposition (method = "modal" only; default 20).
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub modes: Option<usize>,
    /// What is stored for the probes.
    #[serde(default)]
    pub quantity: FrfQuantity,
    /// The frequencies [Hz].
    pub frequencies: FrequencyGrid,
    /// Frequencies at which displacement and stress of the whole model are stored [Hz]
    /// (method = "direct" or "reduced").
    #[serde(default)]
    pub fields: Vec<f64>,
}

/// How a frequency response is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrfMethod {
    /// One factorisation per frequency: exact.
    #[default]
    Direct,
    /// Superposition of modes, with the static contribution of the others.
    Modal,
    /// Bodies reduced as their [reduction] tables say, condensed to the contact pairs.
    Reduced,
}

/// What a frequency response holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrfQuantity {
    /// The probes as defined, for the loads as given.
    #[default]
    Response,
    /// Displacement per force [m/N].
    Receptance,
    /// Velocity per force [m/(N s)].
    Mobility,
    /// Acceleration per force [m/(N s2)].
    Accelerance,
}
