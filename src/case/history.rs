//! The analysis `history`: motion in time under drives.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::course::Course;
use super::direction::{Direction, Freedom};

/// Motion in time under drives, from rest: the static loads act throughout, vibrating ones do not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// Name of the result group.
    #[serde(default)]
    pub name: Option<String>,
    /// Length of the record [s].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// Time step [s]; with `tolerance` the largest one.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub time_step: f64,
    /// Error of a step, over the largest displacement so far, above which the step is halved [-]. Left out:
    /// steps are halved only where the contact forces are not found otherwise. Not for exact contacts.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Every how many time steps values are stored.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub store_every: usize,
    /// Damping of the time stepping itself, which acts on high frequencies: 0 to 1/3 [-].
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 0.3334))]
    pub numerical_damping: f64,
    /// What drives the motion.
    #[serde(default)]
    pub drives: Vec<HistoryDrive>,
    /// What counts as slip.
    #[serde(default)]
    pub slip: SlipCriterion,
    /// Shortest time between two slips that counts as stick [s].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub shortest_stick: f64,
    /// Part of the record that the measures of slip leave out at its beginning [s].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub measure_from: f64,
}

fn one() -> usize {
    1
}

/// A force or a moved support.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum HistoryDrive {
    /// A force, shared equally by the nodes; about "rotation" a moment.
    Force {
        /// "part.set" or a point.
        on: String,
        /// Where the force points.
        direction: Direction,
        /// Its course [N], or [N m].
        course: Course,
    },
    /// Moves nodes that a support holds: a driven base, or the far end of a pulling spring.
    Displacement {
        /// "part.set" or a point.
        on: String,
        /// The freedom that is moved.
        direction: Freedom,
        /// Its course [m], or [rad], beside what the support itself prescribes.
        course: Course,
    },
}

impl HistoryDrive {
    /// The set or point it acts on.
    pub fn on(&self) -> &str {
        match self {
            Self::Force { on, .. } | Self::Displacement { on, .. } => on,
        }
    }

    /// How it goes in time.
    pub fn course(&self) -> &Course {
        match self {
            Self::Force { course, .. } | Self::Displacement { course, .. } => course,
        }
    }
}

/// When a pair counts as slipping.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "criterion", rename_all = "snake_case", deny_unknown_fields)]
pub enum SlipCriterion {
    /// By its own law. Laws with a deflection: the deflection takes up less than a tenth of the motion.
    /// Laws without: the force has reached nine tenths of friction times normal force. Exact contacts: all of it.
    #[default]
    Law,
    /// Its sliding velocity exceeds a threshold.
    Velocity {
        /// Threshold [m/s].
        #[schemars(range(min = 0.0))]
        above: f64,
    },
    /// The deflection of its friction law has settled: |dz/dt| of its first state is below a threshold. For laws
    /// that have a deflection.
    SettledState {
        /// Threshold [m/s], or unit of the state per second.
        #[schemars(extend("exclusiveMinimum" = 0))]
        below: f64,
    },
}
