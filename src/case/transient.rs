//! The analysis `transient`: periodic responses in time.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::FrequencyGrid;

/// Periodic response to the harmonic loads in time, contacts included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transient {
    /// Name of the result group.
    #[serde(default)]
    pub name: Option<String>,
    /// Integration until the motion repeats itself, or shooting.
    #[serde(default)]
    pub method: TransientMethod,
    /// Where the search at a frequency begins.
    #[serde(default)]
    pub start: SweepStart,
    /// The frequencies of the loads [Hz].
    pub frequencies: FrequencyGrid,
    /// Factor of the harmonic loads [-].
    #[serde(default = "one")]
    pub load_factor: f64,
    /// Time steps of a period.
    #[serde(default = "default_steps")]
    #[schemars(range(min = 20, max = 1_000_000))]
    pub steps_per_period: usize,
    /// Periods after which a frequency is given up.
    #[serde(default = "default_periods")]
    #[schemars(range(min = 1))]
    pub max_periods: usize,
    /// Change of the state over a period, relative to its size, at which the motion is periodic [-].
    #[serde(default = "default_tolerance")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// Damping of the time stepping itself, which acts on high frequencies: 0 to 1/3 [-]. Meshed
    /// parts in contact need some, such as 0.1, or their highest modes ring for ever.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 0.3334))]
    pub numerical_damping: f64,
    /// Highest harmonic that is stored of the probes.
    #[serde(default = "default_harmonics")]
    #[schemars(range(min = 1))]
    pub harmonics: usize,
}

fn one() -> f64 {
    1.0
}

fn default_steps() -> usize {
    2000
}

fn default_periods() -> usize {
    3000
}

fn default_tolerance() -> f64 {
    1e-6
}

fn default_harmonics() -> usize {
    15
}

/// How a periodic response is found in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransientMethod {
    /// Period after period until the motion repeats itself.
    #[default]
    Integration,
    /// Newton iteration on the state at the beginning of a period, for small systems.
    Shooting,
}

/// Where the search for a periodic motion begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SweepStart {
    /// At rest, or bonded where the contacts can carry it: frequencies are independent of each other.
    #[default]
    Rest,
    /// Where the motion at the frequency before ended: a stepped-sine sweep, in the order of the frequencies.
    Previous,
}
