//! The `[[analysis]]` tables: what is computed.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::history::History;
use super::response::Response;
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
    Frf {
        /// Name of the result group.
        #[serde(default)]
        name: Option<String>,
        /// Direct solution, modal superposition or reduced bodies.
        #[serde(default)]
        method: FrfMethod,
        /// Whether the contacts are open or stuck.
        #[serde(default)]
        contact: ContactState,
        /// Number of modes of the superposition (method = "modal" only; default 20).
        #[serde(default)]
        #[schemars(range(min = 1))]
        modes: Option<usize>,
        /// What is stored for the probes.
        #[serde(default)]
        quantity: FrfQuantity,
        /// The frequencies [Hz].
        frequencies: FrequencyGrid,
        /// Frequencies at which displacement and stress of the whole model are stored [Hz]
        /// (method = "direct" or "reduced").
        #[serde(default)]
        fields: Vec<f64>,
    },
    /// Motion in time under forces and moved supports of any course, contacts included.
    History(History),
    /// Periodic response to the harmonic loads in time, contacts included.
    Transient {
        /// Name of the result group.
        #[serde(default)]
        name: Option<String>,
        /// Integration until the motion repeats itself, or shooting.
        #[serde(default)]
        method: TransientMethod,
        /// Where the search at a frequency begins.
        #[serde(default)]
        start: SweepStart,
        /// The frequencies of the loads [Hz].
        frequencies: FrequencyGrid,
        /// Factor of the harmonic loads [-].
        #[serde(default = "one")]
        load_factor: f64,
        /// Time steps of a period.
        #[serde(default = "default_steps")]
        #[schemars(range(min = 20, max = 1_000_000))]
        steps_per_period: usize,
        /// Periods after which a frequency is given up.
        #[serde(default = "default_periods")]
        #[schemars(range(min = 1))]
        max_periods: usize,
        /// Change of the state over a period, relative to its size, at which the motion is periodic [-].
        #[serde(default = "default_tolerance")]
        #[schemars(extend("exclusiveMinimum" = 0))]
        tolerance: f64,
        /// Damping of the time stepping itself, which acts on high frequencies: 0 to 1/3 [-]. Meshed
        /// parts in contact need some, such as 0.1, or their highest modes ring for ever.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 0.3334))]
        numerical_damping: f64,
        /// Highest harmonic that is stored of the probes.
        #[serde(default = "default_harmonics")]
        #[schemars(range(min = 1))]
        harmonics: usize,
    },
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

impl Analysis {
    /// Name of its group in the results.
    pub fn name(&self) -> &str {
        let (name, kind) = match self {
            Self::Static { name } => (name, "static"),
            Self::Modal { name, .. } => (name, "modal"),
            Self::Reduction { name, .. } => (name, "reduction"),
            Self::Frf { name, .. } => (name, "frf"),
            Self::Response(response) => (&response.name, "response"),
            Self::Wear(wear) => (&wear.name, "wear"),
            Self::History(history) => (&history.name, "history"),
            Self::Transient { name, .. } => (name, "transient"),
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
