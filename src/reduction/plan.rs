//! Which bodies are reduced, and which freedoms they keep.
//!
//! A body keeps its contact nodes, the interface sets and retained sets of its `[reduction]` table, and
//! the ends of its dashpots, whose damping no modal coordinate could carry.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use super::{Body, ReductionError, bodies};
use crate::case::{Case, Freedom, Problem, Reduction};
use crate::linalg::EigenRequest;
use crate::model::Model;

/// A body to be reduced.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The body.
    pub body: Body,
    /// Freedoms it keeps, ascending.
    pub boundary: Vec<usize>,
    /// Fixed-interface modes it keeps.
    pub modes: EigenRequest,
    /// Limit of the modes \[Hz\], where the case gives one.
    pub up_to: Option<f64>,
}

/// The plan of every `[reduction]` table of a case.
pub fn plan(case: &Case, model: &Model) -> Result<Vec<Plan>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut plans: Vec<Plan> = Vec::new();
    let bodies = bodies(model);
    for (name, table) in &case.reduction {
        let path = format!("reduction.{name}");
        let Some(body) = bodies.iter().find(|body| body.names.contains(name)) else {
            problems.push(Problem::new(path, "is held completely: it has no freedoms to reduce"));
            continue;
        };
        if let Some(other) = plans.iter().find(|plan| plan.body.freedoms == body.freedoms) {
            let other = other.body.names.join(", ");
            let message = format!("is one body with {other}, which is reduced already");
            problems.push(Problem::new(path, message));
            continue;
        }
        let boundary = boundary(model, body, table, &path, &mut problems);
        let n_internal = body.freedoms.len() - boundary.len();
        if let Some(modes) = table.modes.filter(|modes| *modes > n_internal) {
            let message = format!(
                "{modes} modes are more than the {n_internal} internal freedoms of the body"
            );
            problems.push(Problem::new(format!("{path}.modes"), message));
            continue;
        }
        let below = |frequency: f64| EigenRequest::Below((TAU * frequency).powi(2));
        let modes = match (table.modes, table.up_to) {
            (_, Some(up_to)) => below(up_to),
            (modes, None) => EigenRequest::Count(modes.unwrap_or(0)),
        };
        plans.push(Plan { body: body.clone(), boundary, modes, up_to: table.up_to });
    }
    if problems.is_empty() { Ok(plans) } else { Err(problems) }
}

/// Bodies without a `[reduction]` table are kept whole up to this many freedoms.
const MAX_WHOLE: usize = 600;

/// Plans of all bodies: those of the tables, the others kept whole.
pub fn plan_all(model: &Model, mut plans: Vec<Plan>) -> Result<Vec<Plan>, ReductionError> {
    for body in bodies(model) {
        if plans.iter().any(|plan| plan.body.freedoms == body.freedoms) {
            continue;
        }
        let size = body.freedoms.len();
        if size > MAX_WHOLE {
            return Err(ReductionError::NotReduced { body: body.name().into(), size });
        }
        let boundary = body.freedoms.clone();
        plans.push(Plan { body, boundary, modes: EigenRequest::Count(0), up_to: None });
    }
    Ok(plans)
}

fn boundary(
    model: &Model,
    body: &Body,
    table: &Reduction,
    path: &str,
    problems: &mut Vec<Problem>,
) -> Vec<usize> {
    let mut kept = BTreeSet::new();
    let pairs = model.interfaces.iter().flat_map(|interface| &interface.pairs);
    let contact = pairs.flat_map(|pair| [Some(pair.first), pair.second]).flatten();
    let dashpots = model.elements.springs.iter().filter(|spring| spring.damping > 0.0);
    let dashpots = dashpots.flat_map(|spring| spring.nodes.clone());
    for node in contact.chain(dashpots) {
        keep(model, body, node, &mut kept);
    }
    for (key, targets) in [("interface", &table.interface), ("retain", &table.retain)] {
        for (i, target) in targets.iter().enumerate() {
            let path = format!("{path}.{key}[{i}]");
            let nodes = match model.geometry.nodes(target) {
                Ok(nodes) => nodes,
                Err(message) => {
                    problems.push(Problem::new(path, message));
                    continue;
                }
            };
            let before = kept.len();
            for &node in &nodes {
                if let Some(freedom) = prescribed(model, node).filter(|_| key == "interface") {
                    let node = model.geometry.describe(node);
                    let message =
                        format!("{node} is an interface node and held in {freedom} as well");
                    problems.push(Problem::new(path.clone(), message));
                    break;
                }
                keep(model, body, node, &mut kept);
            }
            if kept.len() == before && problems.is_empty() {
                let message = format!("adds no freedom to those kept of body `{}`", body.name());
                problems.push(Problem::new(path, message));
            }
        }
    }
    kept.into_iter().collect()
}

/// Keeps the freedoms that a node's motion depends on, where they belong to the body.
fn keep(model: &Model, body: &Body, node: usize, kept: &mut BTreeSet<usize>) {
    let own = Freedom::ALL.into_iter().filter_map(|freedom| model.dofs.number(node, freedom));
    for number in own {
        let terms = model.dofs.terms(number).iter().map(|(index, _)| *index);
        kept.extend(terms.filter(|index| body.freedoms.binary_search(index).is_ok()));
    }
}

/// A freedom of the node that a support prescribes.
fn prescribed(model: &Model, node: usize) -> Option<&'static str> {
    Freedom::ALL.into_iter().find_map(|freedom| {
        let terms = model.dofs.terms(model.dofs.number(node, freedom)?);
        terms.iter().any(|(index, _)| *index >= model.dofs.n_free).then(|| freedom.name())
    })
}
