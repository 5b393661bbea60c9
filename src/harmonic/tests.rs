use super::*;
use crate::contact::{self, Friction, Law};
use crate::friction::{self, Lugre, NormalLaw};
use crate::testing::Setup;

/// Two blocks pressed together, shaken sideways.
const BLOCKS: &str = r#"
    [materials.soft]
    young = 100.0
    poisson = 0.3
    density = 1.0
    [damping]
    type = "rayleigh"
    alpha = 0.1
    beta = 0.001
    [parts.lower.mesh]
    type = "structured"
    blocks = [{ corners = [[0, 0], [2, 0], [2, 1], [0, 1]], cells = [2, 1], edges = { bottom = "base", top = "face" } }]
    [[parts.lower.sections]]
    type = "plane"
    state = "stress"
    material = "soft"
    thickness = 1.0
    [parts.upper.mesh]
    type = "structured"
    blocks = [{ corners = [[0, 1], [2, 1], [2, 2], [0, 2]], cells = [2, 1], edges = { bottom = "face", top = "lid" } }]
    [[parts.upper.sections]]
    type = "plane"
    state = "stress"
    material = "soft"
    thickness = 1.0
    [[supports]]
    type = "clamp"
    on = "lower.base"
    [parts.upper.sets]
    corner = { nearest = [0, 2] }
    [[springs]]
    between = ["upper.corner", "ground"]
    direction = "x"
    stiffness = 5.0
    [[contact]]
    between = ["upper.face", "lower.face"]
    friction = 0.5
    [[loads]]
    type = "pressure"
    on = "upper.lid"
    pressure = 1.0
    [[loads]]
    type = "traction"
    on = "upper.lid"
    traction = [0.6, 0.3]
    variation = "harmonic"
    [probes.lid]
    type = "displacement"
    at = "upper.lid"
    direction = "x"
    [[analysis]]
    type = "modal"
"#;

/// Balance of a case, bodies without table kept whole.
pub(crate) fn balance(text: &str, harmonics: &[usize], samples: usize) -> Balance {
    treated(text, harmonics, samples, Treatment::default())
}

fn treated(text: &str, harmonics: &[usize], samples: usize, treatment: Treatment) -> Balance {
    let Setup { structure, joints, .. } = Setup::new(text);
    Balance::new(&structure, joints, Basis::new(harmonics, samples).unwrap(), treatment).unwrap()
}

fn statuses(evaluation: &Evaluation) -> Vec<contact::Status> {
    evaluation.marches.iter().flat_map(|march| march.status.clone()).collect()
}

/// A friction law under exact normal contact.
fn rubbing() -> Law {
    let tangential = friction::Law::Lugre(Lugre {
        stiffness: 60.0,
        damping: 0.5,
        viscous: 0.1,
        stribeck_velocity: 0.2,
        stribeck_exponent: 2.0,
        per_normal_force: false,
    });
    Law::Friction(Friction { normal: NormalLaw::Exact, tangential, static_ratio: 1.2 })
}

#[test]
fn jacobian_and_parameter_derivatives_equal_differences() {
    let mut balance = balance(BLOCKS, &[1, 2, 3], 64);
    balance.joints[1].law = Law::Penalty { normal: 80.0, tangential: 60.0 };
    balance.joints[0].preload = 0.2;
    check_derivatives(&balance);
    balance.joints[2].law = rubbing();
    balance.joints[2].preload = 0.1;
    check_derivatives(&balance);
}

fn check_derivatives(balance: &Balance) {
    let parameters = Parameters::at(3.0);
    let linear = balance.linear(parameters.omega).unwrap();
    let size = balance.size();
    let u: Vec<f64> = (0..size).map(|i| 0.02 * (2.3 * i as f64 + 0.7).sin()).collect();
    let base = balance.evaluate(&linear, &parameters, &u, true);
    let jacobian = balance.jacobian(&linear, &base);
    let scale = jacobian.norm_max();
    let mut compared = 0;
    for c in 0..size {
        let step = 1e-7;
        let moved = |sign: f64| {
            let mut u = u.clone();
            u[c] += sign * step;
            balance.evaluate(&linear, &parameters, &u, false)
        };
        let (above, below) = (moved(1.0), moved(-1.0));
        if statuses(&above) != statuses(&base) || statuses(&below) != statuses(&base) {
            continue;
        }
        compared += 1;
        for r in 0..size {
            let difference = (above.residual[r] - below.residual[r]) / (2.0 * step);
            assert!((difference - jacobian[(r, c)]).abs() < 1e-6 * scale, "{r} {c}");
        }
    }
    assert!(compared > size / 2, "{compared} of {size}");
    for parameter in
        [Parameter::Frequency, Parameter::Load, Parameter::Preload, Parameter::Friction]
    {
        let derivative =
            balance.parameter_derivative(&linear, &parameters, &u, &base, parameter).unwrap();
        let step = 1e-5;
        let at = |sign: f64| {
            let value = parameters.get(parameter) + sign * step;
            let parameters = parameters.with(parameter, value);
            let mut linear = balance.linear(parameters.omega).unwrap();
            linear.locals = balance.linear(3.0).unwrap().locals;
            balance.evaluate(&linear, &parameters, &u, false)
        };
        let (above, below) = (at(1.0), at(-1.0));
        assert_eq!(statuses(&above), statuses(&below), "{parameter:?} meets a kink");
        let scale = derivative.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
        for (r, value) in derivative.iter().enumerate() {
            let difference = (above.residual[r] - below.residual[r]) / (2.0 * step);
            assert!(
                (difference - value).abs() < 1e-5 * scale,
                "{parameter:?} {r} {difference} {value}"
            );
        }
    }
}

#[test]
fn energy_is_balanced_and_contact_laws_hold_at_a_solution() {
    let classic = Treatment::classic(1.0);
    let velocity = Treatment { form: Form::Velocity, ..classic };
    for treatment in [classic, velocity, Treatment::default()] {
        let balance = treated(BLOCKS, &[1, 2, 3, 4, 5], 128, treatment);
        check_solutions(&balance);
    }
}

fn check_solutions(balance: &Balance) {
    for omega in [0.5, 1.25, 5.5] {
        let parameters = Parameters::at(omega);
        let point = solve_point(balance, &parameters, None, &NewtonSettings::default()).unwrap();
        let (motions, histories) = (balance.motions(&point), balance.histories(&point));
        let energy = balance.energy(&point, &motions, &histories);
        assert!(energy.imbalance() < 1e-8, "{omega}: {energy:?}");
        assert!(energy.friction > 0.0 && energy.damping > 0.0);
        if balance.treatment.form == Form::Displacement {
            assert!(energy.truncation() < 0.1, "{energy:?}");
        }
        for history in &histories {
            for j in 0..128 {
                let limit = 0.5 * history.normal[j];
                assert!(history.normal[j] >= -1e-9 && history.opening[j] >= -1e-12);
                assert!(history.tangential[0][j].abs() <= limit + 1e-9);
            }
        }
        // The constant load is carried: the mean of the normal forces is the pressure on the lid.
        let total: f64 = histories.iter().map(|h| h.normal.iter().sum::<f64>() / 128.0).sum();
        assert!((total - 2.0).abs() < 1e-8, "{total}");
    }
}

/// The estimate of the truncation error beside the change to many harmonics, for laws with and without tail.
#[test]
fn the_truncation_error_is_estimated_for_every_law() {
    let elastic = Law::Penalty { normal: 80.0, tangential: 60.0 };
    let solved = |law: Law, highest: usize, samples: usize| {
        let harmonics: Vec<usize> = (1..=highest).collect();
        // Pressed so that nothing lifts off: where it does, more harmonics are no small change.
        let text = BLOCKS
            .replace("pressure = 1.0", "pressure = 4.0")
            .replace("friction = 0.5", "friction = 0.12");
        let mut balance = balance(&text, &harmonics, samples);
        balance.joints.iter_mut().for_each(|joint| joint.law = law);
        let settings = NewtonSettings::default();
        let point = solve_point(&balance, &Parameters::at(1.25), None, &settings).unwrap();
        let reached = Basis::new(&(1..=24).collect::<Vec<_>>(), 128).unwrap();
        (balance.basis.carried_over(&point.newton.u, &reached), point.truncation)
    };
    for law in [elastic, rubbing()] {
        let (exact, _) = solved(law, 24, 128);
        for highest in [1, 3, 6] {
            let (u, estimate) = solved(law, highest, 128);
            let vibrating = |u: &[f64]| -> Vec<f64> {
                u.chunks(49).flat_map(|row| row[1..].to_vec()).collect()
            };
            let (u, exact) = (vibrating(&u), vibrating(&exact));
            let difference: Vec<f64> = u.iter().zip(&exact).map(|(a, b)| a - b).collect();
            let error = newton::norm(&difference) / newton::norm(&exact);
            assert!(estimate > 0.3 * error && estimate < 3.0 * error, "{estimate} {error}");
        }
        assert!(solved(law, 6, 14).1.is_nan(), "no more harmonics than 14 samples resolve");
    }
    // One order beyond the seventh is resolved, and no force is in it: the estimate does not rest on it.
    let (_, estimate) = solved(Law::Exact, 7, 64);
    assert!(estimate > 0.0, "{estimate}");
}

#[test]
fn without_slip_the_response_is_that_of_the_bonded_structure() {
    let text =
        BLOCKS.replace("friction = 0.5", "friction = 50.0").replace("0.6, 0.3", "0.06, 0.03");
    let balance = balance(&text, &[1, 2], 32);
    let parameters = Parameters::at(3.0);
    let point = solve_point(&balance, &parameters, None, &NewtonSettings::default()).unwrap();
    assert!(point.newton.u.iter().all(|u| u.abs() < 1e-12));
    assert_eq!(point.attempts[0].strategy, "stuck state");
}

/// The factor without held rows solves the same systems as the whole Jacobian.
#[test]
fn systems_without_what_holds_still_have_the_same_solution() {
    // At a small load some pairs stick through the period; a spring is never held.
    let text = BLOCKS.replace("[0.6, 0.3]", "[0.45, 0.1]");
    let mut balance = balance(&text, &[1, 2, 3], 64);
    let mut held = Vec::new();
    for law in [Law::Exact, Law::Penalty { normal: 80.0, tangential: 60.0 }, rubbing()] {
        balance.joints[0].law = law;
        let parameters = Parameters::at(1.25);
        let point = solve_point(&balance, &parameters, None, &NewtonSettings::default()).unwrap();
        let evaluation = &point.newton.evaluation;
        let right: Vec<f64> = (0..balance.size()).map(|i| (1.7 * i as f64).sin()).collect();
        let whole = newton::solve(&balance.jacobian(&point.linear, evaluation), &right);
        let factor = balance.factor(&point.linear, evaluation);
        held.push(balance.size() - factor.n_free());
        let found = factor.solve(&right);
        let scale = newton::norm(&whole);
        for (a, b) in found.iter().zip(&whole) {
            assert!((a + b).abs() < 1e-10 * scale, "{a} {b}");
        }
    }
    assert!(held[0] > held[1] && held[1] > 0 && held[0] < balance.size(), "{held:?}");
    // Of a friction law under exact normal contact the normal direction is held.
    assert!(held[2] > held[1] && held[2] <= held[0], "{held:?}");
}

/// ∂ũ/∂w beside solutions with other gaps.
#[test]
fn solutions_follow_the_wear_of_a_pair_under_exact_normal_contact() {
    let mut balance = treated(BLOCKS, &[1, 2, 3], 64, Treatment::classic(1.0));
    balance.joints.iter_mut().for_each(|joint| joint.law = rubbing());
    let settings = NewtonSettings { tolerance: 1e-12, ..NewtonSettings::default() };
    let parameters = Parameters::at(1.25);
    let point = solve_point(&balance, &parameters, None, &settings).unwrap();
    let sensitivity = balance.sensitivity(&point);
    let largest = sensitivity.displacements.norm_max();
    let step = 1e-5;
    for pair in 0..balance.joints.len() {
        let moved = |depth: f64| {
            let mut balance = balance.clone();
            balance.joints[pair].gap += depth;
            let start = Some(&point.newton.u[..]);
            solve_point(&balance, &parameters, start, &settings).unwrap().newton.u
        };
        let (above, below) = (moved(step), moved(-step));
        for r in 0..balance.size() {
            let difference = (above[r] - below[r]) / (2.0 * step);
            let error = (difference - sensitivity.displacements[(r, pair)]).abs();
            assert!(error < 1e-3 * largest, "{r} {pair}: {error} of {largest}");
        }
    }
}

/// A mass of a tenth, on a spring ten times as stiff, that slips at 0.9 rad/s: 3/(0.9 · 0.1) = 33.3 harmonics.
#[test]
fn harmonics_that_do_not_follow_a_drop_of_friction_are_told() {
    let case = include_str!("../../validation/friction_laws/foot.toml");
    let unresolved = |text: &str, highest: usize| {
        let balance = balance(text, &(1..=highest).collect::<Vec<_>>(), 256);
        let parameters = Parameters::at(0.9);
        let point = solve_point(&balance, &parameters, None, &NewtonSettings::default()).unwrap();
        balance.unresolved(&point)
    };
    let error = unresolved(case, 7).expect("the foot slips");
    assert!(matches!(error, PointError::Unresolved { wanted: 34.0, retained: 7, .. }), "{error}");
    assert!(error.to_string().contains("`spring_damper` of contact[0]"), "{error}");
    assert!(unresolved(case, 35).is_none());
    let rough = case.replace("friction = 0.5", "friction = 50.0");
    assert!(unresolved(&rough, 7).is_none(), "nothing drops where nothing slips");
    let jenkins =
        case.replace("\"spring_damper\"", "\"jenkins\"").replace(", damping = 2.0 } }", " } }");
    assert!(unresolved(&jenkins, 7).is_none());
}
