//! The case file: everything a user writes, checked and ready to build from.
//!
//! A case is read in three steps: `document` parses the TOML text and remembers where every key
//! stands; `structure` walks it along the JSON Schema that the types below generate and collects
//! every unknown key, wrong type and number out of range; `check` looks up names and rules that a
//! schema cannot express, on what `repair` can make of a case with problems. All problems of a file
//! are reported together.
//!
//! The types mirror the file: field names are keys, doc comments become the schema's descriptions.
//! Units are SI throughout.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod analysis;
mod check;
mod contact;
mod course;
mod direction;
mod document;
mod frf;
mod history;
mod mesh;
mod model;
mod pair_values;
mod problem;
mod reference;
mod repair;
mod response;
mod schema;
mod source;
mod structure;
mod target;
#[cfg(test)]
mod tests;
mod transient;
mod wear;

pub use analysis::{Analysis, ContactState, FrequencyGrid};
pub use contact::{Contact, ContactLaw, Reduction};
pub use course::Course;
pub use direction::{Direction, Freedom, Vector};
pub use frf::{Frf, FrfMethod, FrfQuantity};
pub use history::{History, HistoryDrive, SlipCriterion};
pub use mesh::{Block, BlockEdges, Cells, Line, MeshSource, Positive, Selection};
pub use model::{
    Damping, ElementKind, Load, LumpedMass, MassMatrix, MaterialTable, Part, PlaneStateName, Point,
    Probe, Section, Spring, Support, Tie, Variation,
};
pub use pair_values::{Axis, NotNegative, PairValues, Profile};
pub use problem::{CaseError, Problem, suggestion};
pub use response::{
    Continuation, FormName, Harmonics, PredictorName, Response, StabilityMethod, Vary,
};
pub use source::{CaseSource, Override};
pub use target::{SlipMeasure, TargetSlip};
pub use transient::{SweepStart, Transient, TransientMethod};
pub use wear::{Block as WearBlock, Coefficient, FollowUp, Scheme, SlidingDistance, Wear, WearLaw};

/// Tables by name, in the order of the file.
pub type Named<T> = IndexMap<String, T>;

/// A whole case file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// One line that says what the case is about.
    #[serde(default)]
    pub title: String,
    /// Elastic materials by name.
    #[serde(default)]
    pub materials: Named<MaterialTable>,
    /// Meshed parts by name.
    #[serde(default)]
    pub parts: Named<Part>,
    /// Points by name: lumped bodies and reference points of rigid ties.
    #[serde(default)]
    pub points: Named<Point>,
    /// Lumped masses added to nodes of parts.
    #[serde(default)]
    pub masses: Vec<LumpedMass>,
    /// Springs and dashpots.
    #[serde(default)]
    pub springs: Vec<Spring>,
    /// Rigid ties of node sets to points.
    #[serde(default)]
    pub ties: Vec<Tie>,
    /// Supports.
    #[serde(default)]
    pub supports: Vec<Support>,
    /// Loads.
    #[serde(default)]
    pub loads: Vec<Load>,
    /// Faces that touch.
    #[serde(default)]
    pub contact: Vec<Contact>,
    /// Reduction of bodies, each by the name of one of its parts or points.
    #[serde(default)]
    pub reduction: Named<Reduction>,
    /// Damping of the whole model, beside discrete dashpots.
    #[serde(default)]
    pub damping: Option<Damping>,
    /// Named outputs, used by every analysis.
    #[serde(default)]
    pub probes: Named<Probe>,
    /// What to compute, in order.
    pub analysis: Vec<Analysis>,
}

impl Case {
    /// A case with nothing in it, to build cases in code.
    pub fn empty() -> Self {
        Self {
            title: String::new(),
            materials: Named::new(),
            parts: Named::new(),
            points: Named::new(),
            masses: vec![],
            springs: vec![],
            ties: vec![],
            supports: vec![],
            loads: vec![],
            contact: vec![],
            reduction: Named::new(),
            damping: None,
            probes: Named::new(),
            analysis: vec![],
        }
    }

    /// Whether mass matrix and vibrating loads are of no use: gravity acts without them.
    ///
    /// A case made in code lists no analyses: anything may be done with its model.
    pub fn is_static(&self) -> bool {
        let is_static = |analysis: &Analysis| matches!(analysis, Analysis::Static { .. });
        !self.analysis.is_empty() && self.analysis.iter().all(is_static)
    }

    /// The JSON Schema (draft 2020-12) of the case format.
    pub fn schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Case);
        schema.insert("title".into(), "Fretwork case file".into());
        schema.to_value()
    }

    /// The reference of the case format, Markdown.
    pub fn reference() -> String {
        reference::markdown(&Self::schema())
    }
}

impl Damping {
    /// α \[1/s\] and β \[s\] of C = αM + βK; zero for modal damping.
    pub fn rayleigh(&self) -> (f64, f64) {
        match *self {
            Self::Rayleigh { alpha, beta } => (alpha, beta),
            Self::RayleighFit { ratios, frequencies } => check::rayleigh_fit(ratios, frequencies),
            Self::Modal { .. } => (0.0, 0.0),
        }
    }
}

/// A checked case together with its source, so that later problems can be located too.
#[derive(Debug)]
pub struct CaseFile {
    /// What the user asks for.
    pub case: Case,
    /// Where it came from.
    pub source: CaseSource,
    document: document::Document,
}

impl CaseFile {
    /// Reads and checks a case; on failure every problem found is reported.
    pub fn load(source: CaseSource) -> Result<Self, CaseError> {
        Self::load_with(source, |_, _| vec![])
    }

    /// As [`Self::load`]; what `further` finds in a case that has problems is reported with them.
    pub fn load_with(
        source: CaseSource,
        further: impl Fn(&Case, &CaseSource) -> Vec<Problem>,
    ) -> Result<Self, CaseError> {
        let document = document::Document::parse(&source)?;
        match examine(&document, |case| further(case, &source)) {
            Ok(case) => Ok(Self { case, source, document }),
            Err(problems) => Err(CaseError::Problems(document.locate(problems))),
        }
    }

    /// Turns problems found later, while building from the case, into an error with places.
    pub fn refuse(&self, problems: Vec<Problem>) -> CaseError {
        CaseError::Problems(self.document.locate(problems))
    }
}

/// The case of a document, or all its problems.
fn examine(
    document: &document::Document,
    further: impl Fn(&Case) -> Vec<Problem>,
) -> Result<Case, Vec<Problem>> {
    let schema = Case::schema();
    let mut problems = document.problems();
    structure::check(&schema, document.value(), &mut problems);
    if problems.is_empty() {
        let case: Case = serde_json::from_value(document.value().clone())
            .map_err(|error| vec![Problem::new("", error.to_string())])?;
        check::check(&case, &[], &mut problems);
        if problems.is_empty() {
            return Ok(case);
        }
        add_new(&mut problems, further(&case));
        return Err(problems);
    }
    let (value, guesses) = repair::repair(&schema, document.value());
    if let Ok(case) = serde_json::from_value(value) {
        let mut broken_rules = Vec::new();
        check::check(&case, &guesses, &mut broken_rules);
        add_new(&mut problems, broken_rules);
        let further = further(&case).into_iter();
        add_new(&mut problems, further.filter(|p| !check::is_guess(&p.path, &guesses)).collect());
    }
    Err(problems)
}

/// Adds problems at paths that have none yet.
fn add_new(problems: &mut Vec<Problem>, found: Vec<Problem>) {
    let is_new = |p: &Problem| !problems.iter().any(|known| known.path == p.path);
    let found: Vec<Problem> = found.into_iter().filter(is_new).collect();
    problems.extend(found);
}
