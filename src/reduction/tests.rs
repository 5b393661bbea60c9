use super::*;
use crate::case::ContactState;
use crate::linalg::{EigenRequest, lowest_modes};
use crate::testing;

/// A clamped block on which a second one hangs by a tie, and a separate free block.
const CASE: &str = r#"
    [materials.steel]
    young = 2.0
    poisson = 0.3
    density = 1.0
    [parts.base.mesh]
    type = "structured"
    blocks = [{ corners = [[0, 0], [2, 0], [2, 1], [0, 1]], cells = [6, 3], edges = { left = "root", right = "face", top = "top" } }]
    [[parts.base.sections]]
    type = "plane"
    state = "stress"
    material = "steel"
    thickness = 1.0
    [parts.loose.mesh]
    type = "structured"
    blocks = [{ corners = [[2, 0], [3, 0], [3, 1], [2, 1]], cells = [3, 3], edges = { left = "face", right = "end" } }]
    [[parts.loose.sections]]
    type = "plane"
    state = "stress"
    material = "steel"
    thickness = 0.5
    [points.knob]
    at = [3.5, 0.5]
    mass = 0.3
    [[ties]]
    nodes = "loose.end"
    to = "knob"
    [[supports]]
    type = "clamp"
    on = "base.root"
    [[contact]]
    between = ["base.face", "loose.face"]
    [[analysis]]
    type = "modal"
"#;

fn model(contact: ContactState) -> Model {
    testing::model(CASE, contact).1
}

fn contact_freedoms(model: &Model, body: &Body) -> Vec<usize> {
    let pairs = model.interfaces.iter().flat_map(|interface| &interface.pairs);
    let nodes = pairs.flat_map(|pair| [pair.first, pair.second.unwrap()]);
    let freedoms = nodes.flat_map(|node| {
        [Freedom::X, Freedom::Y].map(|f| model.dofs.terms(model.dofs.number(node, f).unwrap())[0].0)
    });
    let mut list: Vec<usize> = freedoms.filter(|f| body.freedoms.contains(f)).collect();
    list.sort_unstable();
    list
}

#[test]
fn bodies_are_what_hangs_together() {
    let model = model(ContactState::Open);
    let bodies = bodies(&model);
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0].names, ["base"]);
    assert_eq!(bodies[1].names, ["loose", "knob"]);
    let total: usize = bodies.iter().map(|body| body.freedoms.len()).sum();
    assert_eq!(total, model.dofs.n_free);
    assert_eq!(super::bodies(&self::model(ContactState::Stuck)).len(), 1);
}

#[test]
fn pairs_have_frames_areas_and_gaps() {
    let model = model(ContactState::Open);
    let pairs = &model.interfaces[0].pairs;
    assert_eq!(pairs.len(), 4);
    for pair in pairs {
        // The first face looks along x; it opens by moving back, against x.
        assert!((pair.normal[0] + 1.0).abs() < 1e-12 && pair.normal[1].abs() < 1e-12);
        assert!((pair.tangents[0][1] - 1.0).abs() < 1e-12);
        assert!(pair.gap.abs() < 1e-12);
    }
    let area: f64 = pairs.iter().map(|pair| pair.area).sum();
    assert!((area - 1.0).abs() < 1e-12);
}

#[test]
fn all_internal_modes_reproduce_the_full_body() {
    let model = model(ContactState::Open);
    for body in bodies(&model) {
        let boundary = contact_freedoms(&model, &body);
        let n_internal = body.freedoms.len() - boundary.len();
        let superelement =
            reduce(&model, &body, &boundary, EigenRequest::Count(n_internal)).unwrap();
        let quality = Quality::of(&model, &body, &superelement, 20).unwrap();
        // Frequencies are square roots of eigenvalues: rigid-body modes are at √rounding.
        let scale = quality.full[19];
        for (reduced, pair) in quality.reduced.iter().zip(&quality.pairs) {
            let difference = (reduced - quality.full[*pair]).abs();
            let is_rigid = *reduced < 1e-5 * scale;
            assert!(is_rigid || difference < 1e-9 * reduced, "{body:?} {reduced} {difference:e}");
        }
    }
}

#[test]
fn errors_fall_as_modes_are_added_and_are_never_negative() {
    let model = model(ContactState::Open);
    let body = &bodies(&model)[0];
    let boundary = contact_freedoms(&model, body);
    let worst = |modes: usize| {
        let superelement = reduce(&model, body, &boundary, EigenRequest::Count(modes)).unwrap();
        let quality = Quality::of(&model, body, &superelement, 4).unwrap();
        let errors = quality.frequency_error();
        // The reduced body is a constrained one: its frequencies cannot be lower.
        assert!(errors.iter().all(|error| *error > -1e-10), "{errors:?}");
        errors.into_iter().fold(0.0, f64::max)
    };
    let (few, some, many) = (worst(2), worst(8), worst(20));
    assert!(few > some && some > many && many < 1e-3, "{few} {some} {many}");
}

#[test]
fn projection_and_recovery_are_transposes() {
    let model = model(ContactState::Open);
    let body = &bodies(&model)[1];
    let boundary = contact_freedoms(&model, body);
    let superelement = reduce(&model, body, &boundary, EigenRequest::Count(5)).unwrap();
    let f: Vec<f64> = (0..model.dofs.n_free).map(|i| (i as f64).sin()).collect();
    let y: Vec<f64> = (0..superelement.size()).map(|i| (i as f64).cos()).collect();
    let mut q = vec![0.0; model.dofs.n_free];
    superelement.recover_into(&mut q, &y);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (left, right) = (dot(&f, &q), dot(&superelement.project(&f), &y));
    assert!((left - right).abs() < 1e-10 * left.abs(), "{left} {right}");
    // Energy of the recovered motion is that of the reduced matrices.
    let stiffness = superelement.stiffness_matrix();
    let reduced: f64 = (0..y.len())
        .map(|i| y[i] * (0..y.len()).map(|j| stiffness[(i, j)] * y[j]).sum::<f64>())
        .sum();
    let full = model.operators.stiffness.free.energy(&q);
    assert!((reduced / full - 1.0).abs() < 1e-10, "{reduced} {full}");
}

#[test]
fn stuck_model_has_the_modes_of_one_piece() {
    let model = model(ContactState::Stuck);
    let (k, m) = (&model.operators.stiffness.free, &model.operators.mass.free);
    let symbolic = model.symbolic().unwrap();
    let pairs = lowest_modes(k, m, &symbolic, EigenRequest::Count(1), &mut |_, _| {}).unwrap();
    assert!(pairs.values[0] > 1e-4, "the loose part is held by the contact");
}
