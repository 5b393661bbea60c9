//! Cases of tests, as text and as structures with joints.

use crate::case::{CaseFile, CaseSource, ContactState};
use crate::contact::{self, Joint};
use crate::model::Model;
use crate::reduction::{ReducedStructure, plan};

/// Two masses that rub on each other.
pub const ACADEMIC: &str =
    concat!(include_str!("../tests/fixtures/academic.toml"), "[[analysis]]\ntype = \"modal\"\n");

/// An elastic block pressed on the ground by its top, and shaken there.
pub const BLOCK: &str =
    concat!(include_str!("../tests/fixtures/block.toml"), "[[analysis]]\ntype = \"modal\"\n");

/// The model of a case.
pub fn model(text: &str, contact: ContactState) -> (CaseFile, Model) {
    let source = CaseSource::from_copies("case".into(), text.into(), vec![], Default::default());
    let file = CaseFile::load(source).unwrap_or_else(|error| panic!("{error}"));
    let model = Model::build(&file, contact).unwrap_or_else(|error| panic!("{error}"));
    (file, model)
}

/// A model, its reduced bodies and their joints; bodies without table are kept whole.
pub struct Setup {
    pub model: Model,
    pub structure: ReducedStructure,
    pub joints: Vec<Joint>,
}

impl Setup {
    pub fn new(text: &str) -> Self {
        let (file, model) = model(text, ContactState::Open);
        let plans = plan::plan_all(&model, plan::plan(&file.case, &model).unwrap()).unwrap();
        let structure = ReducedStructure::new(&model, &plans).unwrap();
        let joints = contact::joints(&file.case, &model, &structure.pairs);
        Self { model, structure, joints }
    }
}
