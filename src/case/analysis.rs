//! The `[[analysis]]` tables: what is computed.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frf::Frf;
use super::history::History;
use super::response::Response;
use super::transient::Transient;
use super::wear::Wear;

/// One analysis; its results go to the group of its name, which is its type unless given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Analysis {
    /// Displacement under the static loads.
    Static {
        /// Name of the result group.
        #[serde(default)]
        name: Option<String>,
    },
    /// Undamped natural frequencies and mode shapes; give modes or up_to.
    Modal {
        /// Name of the result group.
        #[serde(default)]
        name: Option<String>,
        /// Number of lowest modes (default 10, unless up_to is given).
        #[serde(default)]
        #[schemars(range(min = 1))]
        modes: Option<usize>,
        /// All modes up to this frequency [Hz].
        #[serde(default)]
        #[schemars(extend("exclusiveMinimum" = 0))]
        up_to: Option<f64>,
        /// Whether the contacts are open or stuck.
        #[serde(default)]
        contact: ContactState,
    },
    /// Reduction of the bodies, with a comparison of reduced and full modes.
    Reduction {
        /// Name of the result group.
        #[serde(default)]
        name: Option<String>,
        /// Modes compared for each body (default: as many as it has fixed-interface modes).
        #[serde(default)]
        #[schemars(range(min = 1))]
        compare: Option<usize>,
    },
    /// Periodic response to the harmonic loads with contact and friction, by harmonic balance.
    Response(Response),
    /// Wear over many cycles of the vibration, with jumps.
    Wear(Wear),
    /// Linear frequency response to the harmonic loads.
    Frf(Frf),
    /// Motion in time under forces and moved supports of any course, contacts included.
    History(History),
    /// Periodic response to the harmonic loads in time, contacts included.
    Transient(Transient),
}

impl Analysis {
    /// Name of its group in the results.
    pub fn name(&self) -> &str {
        let (name, kind) = match self {
            Self::Static { name } => (name, "static"),
            Self::Modal { name, .. } => (name, "modal"),
            Self::Reduction { name, .. } => (name, "reduction"),
            Self::Frf(frf) => (&frf.name, "frf"),
            Self::Response(response) => (&response.name, "response"),
            Self::Wear(wear) => (&wear.name, "wear"),
            Self::History(history) => (&history.name, "history"),
            Self::Transient(transient) => (&transient.name, "transient"),
        };
        name.as_deref().unwrap_or(kind)
    }
}

/// State of all contacts in a linear analysis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactState {
    /// The faces do not touch.
    #[default]
    Open,
    /// The faces are bonded.
    Stuck,
}

/// A list of frequencies [Hz].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "spacing", rename_all = "snake_case", deny_unknown_fields)]
pub enum FrequencyGrid {
    /// Equal steps.
    Linear {
        /// First frequency [Hz].
        #[schemars(range(min = 0.0))]
        from: f64,
        /// Last frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0))]
        to: f64,
        /// Number of frequencies.
        #[schemars(range(min = 1, max = 1_000_000))]
        points: usize,
    },
    /// Equal ratios.
    Log {
        /// First frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0))]
        from: f64,
        /// Last frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0))]
        to: f64,
        /// Number of frequencies.
        #[schemars(range(min = 1, max = 1_000_000))]
        points: usize,
    },
    /// The given ones.
    List {
        /// Frequencies [Hz].
        #[schemars(length(min = 1))]
        values: Vec<f64>,
    },
}

impl FrequencyGrid {
    /// The frequencies [Hz].
    pub fn values(&self) -> Vec<f64> {
        let spread = |points: usize, at: &dyn Fn(f64) -> f64| {
            let last = points.saturating_sub(1).max(1) as f64;
            (0..points).map(|i| at(i as f64 / last)).collect()
        };
        match self {
            Self::Linear { from, to, points } => spread(*points, &|s| from + s * (to - from)),
            Self::Log { from, to, points } => spread(*points, &|s| from * (to / from).powf(s)),
            Self::List { values } => values.clone(),
        }
    }
}
