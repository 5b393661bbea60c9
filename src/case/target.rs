//! `target_slip` of responses and of wear: the loads follow from a slip.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A slip that the factor of the harmonic loads is found for; `levels` then holds one value, the first to try.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetSlip {
    /// The slip, to one side [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub amplitude: f64,
    /// Which [[contact]] slips so, counted from 0.
    #[serde(default)]
    pub contact: usize,
    /// What is meant by the slip of a contact, whose pairs are averaged by area.
    #[serde(default)]
    pub measure: SlipMeasure,
    /// Difference from the amplitude, over it, at which a load is accepted [-].
    #[serde(default = "tolerance")]
    #[schemars(range(max = 0.1), extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// Largest factor of the harmonic loads that is tried [-].
    #[serde(default = "max_level")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_level: f64,
}

/// What is meant by the slip of a contact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlipMeasure {
    /// Half the opening of the loop at no friction force; energy = 4 x force x opening in gross slip.
    #[default]
    HalfOpening,
    /// The largest relative displacement.
    MaxSlip,
}

fn tolerance() -> f64 {
    1e-6
}

fn max_level() -> f64 {
    1e3
}
