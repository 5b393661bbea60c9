use super::*;
use crate::case::ContactState;
use crate::linalg::EigenRequest;
use crate::reduction::plan;
use crate::testing::model;

/// A clamped block and what touches it.
const BASE: &str = r#"
    [materials.steel]
    young = 2.0
    poisson = 0.3
    density = 1.0
    [damping]
    type = "rayleigh"
    alpha = 0.02
    beta = 0.003
    [parts.base.mesh]
    type = "structured"
    blocks = [{ corners = [[0, 0], [2, 0], [2, 1], [0, 1]], cells = [4, 2], edges = { left = "root", right = "face", top = "top" } }]
    [[parts.base.sections]]
    type = "plane"
    state = "stress"
    material = "steel"
    thickness = 1.0
    [[supports]]
    type = "clamp"
    on = "base.root"
    [[loads]]
    type = "force"
    on = "base.top"
    force = [0.1, 0.3]
    variation = "harmonic"
    [[analysis]]
    type = "modal"
"#;

/// A free block that would fly away, with a massless knob tied to it.
const LOOSE: &str = r#"
    [parts.loose.mesh]
    type = "structured"
    blocks = [{ corners = [[2, 0], [3, 0], [3, 1], [2, 1]], cells = [2, 2], edges = { left = "face", right = "end" } }]
    [[parts.loose.sections]]
    type = "plane"
    state = "stress"
    material = "steel"
    thickness = 0.5
    [points.knob]
    at = [3.5, 0.5]
    [[ties]]
    nodes = "loose.end"
    to = "knob"
    [[contact]]
    between = ["base.face", "loose.face"]
    [[loads]]
    type = "force"
    on = "knob"
    force = [0.2, -0.4]
    variation = "harmonic"
    phase = 40
"#;

const DASHPOTS: &str = r#"
    [[springs]]
    between = ["knob", "ground"]
    direction = "y"
    damping = 0.3
    stiffness = 0.0
    [[springs]]
    between = ["knob", "ground"]
    direction = "x"
    damping = 0.7
    stiffness = 0.05
"#;

/// The faces belong to one connected structure.
const CONNECTION: &str = r#"
    [parts.base.sets]
    corner = { nearest = [2, 1] }
    [points.post]
    at = [2, 3]
    mass = 0.1
    freedoms = ["x", "y"]
    [[springs]]
    between = ["post", "knob"]
    direction = "x"
    stiffness = 0.8
    [[springs]]
    between = ["post", "ground"]
    direction = "x"
    stiffness = 0.3
    [[springs]]
    between = ["post", "ground"]
    direction = "y"
    stiffness = 0.3
    [[springs]]
    between = ["post", "base.corner"]
    direction = "y"
    stiffness = 0.6
"#;

const GROUND: &str = r#"
    [[contact]]
    between = ["base.face", "ground"]
    normal = [-0.8, 0.6]
"#;

/// Displacement of every node by one dense solution of the full problem.
fn full_response(text: &str, contact: ContactState, omega: f64) -> Vec<[Complex; 4]> {
    let (_, model) = model(text, contact);
    let n = model.dofs.n_free;
    let mut z = Mat::<Complex>::zeros(n, n);
    let damping = model.damping();
    let operators = [
        (Some(&model.operators.stiffness), Complex::new(1.0, 0.0)),
        (damping.as_ref(), Complex::new(0.0, omega)),
        (Some(&model.operators.mass), Complex::new(-omega * omega, 0.0)),
    ];
    for (operator, factor) in operators {
        let Some(operator) = operator else { continue };
        for col in 0..n {
            for (row, value) in operator.free.column(col) {
                z[(row, col)] += factor * value;
                if row != col {
                    z[(col, row)] += factor * value;
                }
            }
        }
    }
    let load = Mat::from_fn(n, 1, |i, _| model.loads.harmonic[i]);
    let solution = z.partial_piv_lu().solve(load);
    let mut q: Vec<Complex> = (0..n).map(|i| solution[(i, 0)]).collect();
    q.extend(&model.dofs.harmonic_values);
    model.dofs.expand(&q)
}

/// The same through reduction with all modes, condensation and recovery.
fn condensed_response(
    text: &str,
    contact: ContactState,
    omega: f64,
    modes: Option<usize>,
) -> Vec<[Complex; 4]> {
    let (file, model) = model(text, ContactState::Open);
    let mut plans = plan::plan(&file.case, &model).unwrap();
    for plan in &mut plans {
        let all = plan.body.freedoms.len() - plan.boundary.len();
        plan.modes = EigenRequest::Count(modes.unwrap_or(all).min(all));
    }
    let plans = plan::plan_all(&model, plans).unwrap();
    let structure = ReducedStructure::new(&model, &plans).unwrap();
    let condensation = Condensation::new(&structure).unwrap();
    let load = condensation.load(&structure.harmonic);
    let at = condensation.at(omega).unwrap();
    let n = condensation.n_relative();
    let relative: Vec<Complex> = match contact {
        ContactState::Stuck => vec![Complex::new(0.0, 0.0); n],
        ContactState::Open => {
            let f = condensation.condensed_load(&at, &load);
            let f = Mat::from_fn(n, 1, |i, _| f[i]);
            let u = at.stiffness.partial_piv_lu().solve(f);
            (0..n).map(|i| u[(i, 0)]).collect()
        }
    };
    let motion = condensation.motion(&at, Some(&load), &relative);
    let mut q = structure.recover(&condensation.coordinates(&motion));
    // A probe row sees the same as the recovered field.
    let mut row = vec![0.0; model.dofs.n_free];
    row[model.dofs.n_free / 2] = 1.0;
    let seen = condensation.row(&structure.project(&row)).value(&motion);
    assert!((seen - q[model.dofs.n_free / 2]).norm() < 1e-9 * seen.norm().max(1e-3));
    q.extend(&model.dofs.harmonic_values);
    model.dofs.expand(&q)
}

fn difference(a: &[[Complex; 4]], b: &[[Complex; 4]]) -> f64 {
    let pairs = || a.iter().flatten().zip(b.iter().flatten());
    let error = pairs().map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    error / pairs().map(|(_, b)| b.norm()).fold(0.0, f64::max)
}

const REDUCED: &str = "\n[reduction.base]\nmodes = 1\n[reduction.loose]\nmodes = 1\n";

#[test]
fn condensed_and_full_responses_agree_for_every_kind_of_joint() {
    let reduced_base = "\n[reduction.base]\nmodes = 1\n";
    let structures = [
        ("two bodies", format!("{BASE}{LOOSE}{REDUCED}")),
        ("two bodies with dashpots", format!("{BASE}{LOOSE}{DASHPOTS}{REDUCED}")),
        ("one body", format!("{BASE}{LOOSE}{DASHPOTS}{CONNECTION}{reduced_base}")),
        ("kept whole", format!("{BASE}{LOOSE}{DASHPOTS}")),
        ("on ground", format!("{BASE}{GROUND}{reduced_base}")),
    ];
    for (name, text) in structures {
        for contact in [ContactState::Open, ContactState::Stuck] {
            for omega in [0.05, 0.5, 1.3] {
                let full = full_response(&text, contact, omega);
                let condensed = condensed_response(&text, contact, omega, None);
                let error = difference(&condensed, &full);
                assert!(error < 1e-10, "{name}, {contact:?}, {omega} rad/s: {error:e}");
            }
        }
    }
}

#[test]
fn the_response_converges_as_modes_are_added() {
    let text = format!("{BASE}{LOOSE}{REDUCED}");
    let full = full_response(&text, ContactState::Stuck, 0.5);
    let error = |modes| {
        difference(&condensed_response(&text, ContactState::Stuck, 0.5, Some(modes)), &full)
    };
    let (few, some, many) = (error(0), error(4), error(12));
    assert!(few > 3.0 * some && some > 3.0 * many && many < 1e-2, "{few} {some} {many}");
}

#[test]
fn a_free_structure_has_no_static_answer_but_a_dynamic_one() {
    let text = format!("{BASE}{LOOSE}{REDUCED}")
        .replace("\"clamp\"", "\"roller\"")
        .replace("on = \"base.root\"", "on = \"base.root\"\ndirection = \"x\"");
    let (file, model) = model(&text, ContactState::Open);
    let plans = plan::plan_all(&model, plan::plan(&file.case, &model).unwrap()).unwrap();
    let structure = ReducedStructure::new(&model, &plans).unwrap();
    let condensation = Condensation::new(&structure).unwrap();
    assert!(matches!(condensation.at(0.0), Err(ReductionError::BondedResonance { .. })));
    assert!(condensation.at(0.3).is_ok());
    let full = full_response(&text, ContactState::Stuck, 0.7);
    let condensed = condensed_response(&text, ContactState::Stuck, 0.7, None);
    assert!(difference(&condensed, &full) < 1e-9);
}

#[test]
fn a_mode_damped_by_dashpots_alone_has_a_finite_response_at_its_resonance() {
    let text = format!("{BASE}{LOOSE}{DASHPOTS}{REDUCED}")
        .replace("alpha = 0.02", "alpha = 0.0")
        .replace("beta = 0.003", "beta = 0.0");
    let (file, model) = model(&text, ContactState::Open);
    let mut plans = plan::plan(&file.case, &model).unwrap();
    for plan in &mut plans {
        plan.modes = EigenRequest::Count(plan.body.freedoms.len() - plan.boundary.len());
    }
    let structure = ReducedStructure::new(&model, &plans).unwrap();
    let condensation = Condensation::new(&structure).unwrap();
    let resonance = condensation.bonded_eigenvalues().next().unwrap().sqrt();
    for contact in [ContactState::Open, ContactState::Stuck] {
        let full = full_response(&text, contact, resonance);
        let condensed = condensed_response(&text, contact, resonance, None);
        assert!(difference(&condensed, &full) < 1e-9, "{contact:?}");
    }
}
