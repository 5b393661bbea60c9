//! The `[[analysis]]` of type `response`: harmonic balance and continuation.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::FrequencyGrid;
use super::target::TargetSlip;

/// Periodic response with contact and friction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// Name of the result group.
    #[serde(default)]
    pub name: Option<String>,
    /// The frequencies [Hz]; the range with continuation = "arc_length".
    pub frequencies: FrequencyGrid,
    /// Highest harmonic (default 7), the list of harmonics, or "auto": as many as truncation_tolerance
    /// needs, up to 31. The static one is always there.
    #[serde(default)]
    pub harmonics: Harmonics,
    /// Leave out even harmonics.
    #[serde(default)]
    pub odd: bool,
    /// Time samples per period (default: 16 per harmonic, and at least 128).
    #[serde(default)]
    #[schemars(range(min = 3, max = 1_048_576))]
    pub samples: Option<usize>,
    /// Factors of the harmonic loads, one curve each (default 1).
    #[serde(default = "unit_level")]
    #[schemars(length(min = 1))]
    pub levels: Vec<f64>,
    /// The slip that the factor of the harmonic loads is found for at every frequency.
    #[serde(default)]
    pub target_slip: Option<TargetSlip>,
    /// What is varied along a curve.
    #[serde(default)]
    pub vary: Vary,
    /// Values of the factor that is varied, where it is not the frequency.
    #[serde(default)]
    pub factors: Option<FrequencyGrid>,
    /// How curves are followed.
    #[serde(default)]
    pub continuation: Continuation,
    /// How the start at the next point is guessed (sequential continuation).
    #[serde(default)]
    pub predictor: PredictorName,
    /// Sequential curves run from the highest frequency down.
    #[serde(default)]
    pub downward: bool,
    /// Name of an earlier analysis of type "transient": at its frequencies the search begins at its last period,
    /// elsewhere as usual. For solutions beside the one that is found otherwise (vary = "frequency", sequential).
    #[serde(default)]
    pub start: Option<String>,
    /// Whether each point is stable, and how that is found.
    #[serde(default)]
    pub stability: StabilityMethod,
    /// Residual over load at which a point is accepted [-].
    #[serde(default = "tolerance")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// Iterations of one attempt at a point.
    #[serde(default = "max_iterations")]
    #[schemars(range(min = 1))]
    pub max_iterations: usize,
    /// How exact contacts are carried beyond the retained harmonics.
    #[serde(default)]
    pub form: FormName,
    /// Factor of the pseudo-penalty of exact contacts [-].
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub penalty: f64,
    /// Largest number of corrections of the harmonics that are not retained (default 4; 0 with form =
    /// "displacement" or "velocity").
    #[serde(default)]
    pub corrections: Option<usize>,
    /// Estimated truncation error up to which harmonics = "auto" adds harmonics [-].
    #[serde(default = "truncation_tolerance")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub truncation_tolerance: f64,
    /// Relative change of the motion at which these corrections end [-].
    #[serde(default = "tail_tolerance")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tail_tolerance: f64,
    /// Largest step along a curve over its range (arc-length continuation) [-].
    #[serde(default = "max_step")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_step: f64,
    /// Largest number of points of a curve (arc-length continuation).
    #[serde(default = "max_points")]
    #[schemars(range(min = 2))]
    pub max_points: usize,
}

/// Harmonics of a response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Harmonics {
    /// All up to this one.
    Highest(usize),
    /// These.
    List(Vec<usize>),
    /// As many as needed.
    Auto(AutoName),
}

/// The word "auto".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutoName {
    /// As many as needed.
    Auto,
}

/// Highest harmonics that "auto" goes through.
const AUTOMATIC: [usize; 7] = [3, 5, 7, 11, 15, 21, 31];

impl Default for Harmonics {
    fn default() -> Self {
        Self::Highest(7)
    }
}

/// Operator of exact contacts in the harmonics that are not retained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormName {
    /// Stiffness and inertia of the structure at the contact.
    #[default]
    Interface,
    /// A dashpot.
    Velocity,
    /// A spring: the classic method.
    Displacement,
}

/// What varies along a curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Vary {
    /// The frequency.
    #[default]
    Frequency,
    /// The factor of the harmonic loads.
    Load,
    /// The factor of the static loads and prescribed normal loads.
    Preload,
    /// The factor of every friction coefficient.
    Friction,
}

/// How a curve is followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Continuation {
    /// Point after point, at the given values.
    #[default]
    Sequential,
    /// Along the curve, through turning points; steps end on a sphere.
    ArcLength,
    /// Along the curve, through turning points; steps end on a plane.
    PseudoArcLength,
}

/// How the stability of a point is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StabilityMethod {
    /// Not at all.
    #[default]
    None,
    /// By what a period in time makes of small changes. Of exact contacts many periods are integrated:
    /// for small models.
    Monodromy,
    /// By Hill's method: harmonics of small changes; for springs without sliders.
    Hill,
}

/// Guess of the next point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PredictorName {
    /// The point before.
    #[default]
    Previous,
    /// The line through the two points before.
    Secant,
    /// The tangent at the point before.
    Tangent,
}

impl Response {
    /// A response with every setting at its default.
    pub fn at(frequencies: FrequencyGrid) -> Self {
        Self {
            name: None,
            frequencies,
            harmonics: Harmonics::default(),
            odd: false,
            samples: None,
            levels: unit_level(),
            target_slip: None,
            vary: Vary::default(),
            factors: None,
            continuation: Continuation::default(),
            predictor: PredictorName::default(),
            downward: false,
            start: None,
            tolerance: tolerance(),
            max_iterations: max_iterations(),
            form: FormName::default(),
            penalty: one(),
            corrections: None,
            truncation_tolerance: truncation_tolerance(),
            tail_tolerance: tail_tolerance(),
            stability: StabilityMethod::default(),
            max_step: max_step(),
            max_points: max_points(),
        }
    }

    /// Harmonics beside the static one, ascending; the most there may be.
    pub fn harmonic_orders(&self) -> Vec<usize> {
        self.harmonic_choices().pop().unwrap_or_default()
    }

    /// The harmonics to try, from few to many.
    pub fn harmonic_choices(&self) -> Vec<Vec<usize>> {
        match &self.harmonics {
            Harmonics::Auto(_) => {
                AUTOMATIC.map(|highest| self.orders((1..=highest).collect())).into()
            }
            // A check refuses what is cut off here, and must live to see it.
            Harmonics::Highest(highest) => {
                vec![self.orders((1..=(*highest).min(MAX_HARMONIC + 1)).collect())]
            }
            Harmonics::List(list) => {
                vec![self.orders(list.iter().copied().filter(|order| *order > 0).collect())]
            }
        }
    }

    fn orders(&self, mut orders: Vec<usize>) -> Vec<usize> {
        orders.retain(|order| !self.odd || order % 2 == 1);
        orders.sort_unstable();
        orders.dedup();
        orders
    }

    /// Largest number of corrections of the harmonics that are not retained.
    pub fn n_corrections(&self) -> usize {
        self.corrections.unwrap_or(if self.form == FormName::Interface { 4 } else { 0 })
    }

    /// Time samples per period.
    pub fn n_samples(&self) -> usize {
        let highest = self.harmonic_orders().last().copied().unwrap_or(1);
        self.samples.unwrap_or(highest.saturating_mul(16).max(128))
    }
}

/// Highest harmonic that can be asked for.
pub(super) const MAX_HARMONIC: usize = 1000;

pub(super) fn unit_level() -> Vec<f64> {
    vec![1.0]
}

pub(super) fn one() -> f64 {
    1.0
}

fn truncation_tolerance() -> f64 {
    1e-2
}

fn tail_tolerance() -> f64 {
    1e-3
}

pub(super) fn tolerance() -> f64 {
    1e-9
}

pub(super) fn max_iterations() -> usize {
    40
}

pub(super) fn max_step() -> f64 {
    0.05
}

pub(super) fn max_points() -> usize {
    2000
}
