use super::*;
use crate::harmonic::tests::balance;
use crate::harmonic::{Parameter, solve_point};
use law::Driver;
use rate::slope;

const FLAT: &str = include_str!("../../cases/wear/flat_on_flat.toml");
const MASSES: &str = include_str!("../../cases/academic_2dof/wear.toml");

fn law(coefficient: f64) -> WearLaw {
    WearLaw { coefficient, ..WearLaw::NONE }
}

fn flat(scheme: Scheme) -> Wear {
    let balance = balance(FLAT, &[1, 2, 3], 128);
    let laws = vec![law(1e-15); balance.joints.len()];
    let newton = NewtonSettings { tolerance: 1e-12, max_iterations: 60 };
    Wear::new(balance, laws, scheme, newton)
}

fn masses() -> Wear {
    let balance = balance(MASSES, &[1, 2, 3, 4, 5, 6, 7], 512);
    let newton = NewtonSettings { tolerance: 1e-10, max_iterations: 60 };
    Wear::new(balance, vec![law(1e-11)], adaptive(1e-2), newton)
}

fn adaptive(tolerance: f64) -> Scheme {
    Scheme::Adaptive { tolerance, depth_scale: 0.0, max_jump: f64::INFINITY }
}

fn at(hertz: f64, level: f64) -> Parameters {
    Parameters::at(std::f64::consts::TAU * hertz).with(Parameter::Load, level)
}

/// Largest difference of two columns over the largest entry.
fn compare(analytic: &[f64], difference: &[f64]) -> f64 {
    let scale = analytic.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let worst = analytic.iter().zip(difference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    worst / scale
}

/// Errors of sensitivity and rate slope against central differences, for a depth of one pair.
fn slopes(wear: &mut Wear, parameters: Parameters, depth: &[f64], pair: usize) -> (f64, f64) {
    let step = 1e-11;
    wear.balance = wear.worn(depth);
    let base = solve_point(&wear.balance, &parameters, None, &wear.newton).unwrap();
    let sensitivity = wear.balance.sensitivity(&base);
    let histories = wear.balance.histories(&base);
    let by_depth = slope(&wear.balance, &wear.laws, &base, &histories, &sensitivity);
    let moved = |sign: f64| {
        let mut depth = depth.to_vec();
        depth[pair] += sign * step;
        let balance = wear.worn(&depth);
        let start = Some(&base.newton.u[..]);
        let point = solve_point(&balance, &parameters, start, &wear.newton).unwrap();
        let histories = balance.histories(&point);
        (point.newton.u.clone(), Rates::new(&balance, &wear.laws, &histories).work)
    };
    let (above, below) = (moved(1.0), moved(-1.0));
    let quotient = |a: &[f64], b: &[f64]| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * step)).collect()
    };
    let column = |m: &faer::Mat<f64>| m.col(pair).iter().copied().collect::<Vec<f64>>();
    (
        compare(&column(&sensitivity.displacements), &quotient(&above.0, &below.0)),
        compare(&column(&by_depth), &quotient(&above.1, &below.1)),
    )
}

#[test]
fn sensitivities_equal_differences_and_rate_slopes_nearly() {
    let mut wear = flat(adaptive(1e-2));
    let depth: Vec<f64> = (0..11).map(|i| 1e-8 * (1.0 + (1.7 * i as f64).sin())).collect();
    for pair in [0, 3, 5] {
        let (u, rate) = slopes(&mut wear, at(100.0, 1.0), &depth, pair);
        assert!(u < 1e-3, "pair {pair}: {u}");
        // The slope of the rate leaves out what the truncated harmonics carry.
        assert!(rate < 0.05, "pair {pair}: {rate}");
    }
}

#[test]
fn a_prescribed_load_that_wear_relieves_has_the_right_sensitivity() {
    let mut wear = masses();
    for (hertz, level) in [(1.0, 6.0), (0.9, 10.0), (0.5, 16.0)] {
        let (u, rate) = slopes(&mut wear, at(hertz, level), &[2e-7], 0);
        assert!(u < 1e-3, "{hertz} Hz: {u}");
        assert!(rate < 0.3, "{hertz} Hz: {rate}");
    }
}

fn follow(wear: &mut Wear, cycles: f64, first_jump: f64) -> (State, Vec<f64>) {
    let blocks = vec![Block { parameters: at(100.0, 1.0), cycles }];
    let history = History { blocks, stops: vec![], first_jump };
    let mut last = None;
    let end = history
        .follow(wear, None, &mut |wear, state, solved| {
            let lost = solved.rates.pressure.iter().any(|p| *p <= 0.0);
            assert!(!lost, "{} cycles: a pair has lost contact", state.cycles);
            let imbalance = wear.imbalance(state, &solved.depth);
            assert!(imbalance < 1e-8, "{} cycles: {imbalance}", state.cycles);
            last = Some((state.clone(), solved.depth.clone()));
            true
        })
        .unwrap();
    assert!(matches!(end, End::Finished), "{end:?}");
    last.unwrap()
}

#[test]
fn the_adaptive_scheme_meets_small_explicit_steps_and_keeps_contact() {
    let cycles = 3e5;
    let mut fine = flat(Scheme::Explicit { max_increment: 2e-9 });
    let (reference, exact) = follow(&mut fine, cycles, 50.0);
    for (tolerance, most) in [(1e-2, 2e-2), (1e-3, 2e-3)] {
        let (state, depth) = follow(&mut flat(adaptive(tolerance)), cycles, 100.0);
        let error = compare(&exact, &depth);
        assert!(error < most, "tolerance {tolerance}: {error}");
        assert!(10 * state.solves < reference.solves, "{} solves", state.solves);
    }
}

#[test]
fn energy_and_archard_laws_wear_alike_under_constant_friction() {
    // Explicit steps do not depend on the last digits of an error estimate.
    let mut archard = flat(Scheme::Explicit { max_increment: 5e-9 });
    let mut energy = archard.clone();
    let friction = energy.balance.joints[0].friction;
    for law in &mut energy.laws {
        (law.driver, law.coefficient) = (Driver::Friction, law.coefficient / friction);
    }
    let (a, b) = (follow(&mut archard, 2e4, 100.0), follow(&mut energy, 2e4, 100.0));
    let difference = compare(&a.1, &b.1);
    assert!(difference < 1e-8, "{difference}");
    assert!((a.0.energy[0] / b.0.energy[0] - 1.0).abs() < 1e-8);
}

#[test]
fn wear_begins_beyond_its_threshold() {
    let law = WearLaw { threshold: 10.0, ..law(2.0) };
    assert_eq!([9.0, 10.0, 13.0].map(|work| law.depth(work)), [0.0, 0.0, 6.0]);
    assert_eq!([9.0, 11.0].map(|work| law.slope(work)), [0.0, 2.0]);
}

#[test]
fn springs_in_the_contact_wear_by_the_path_of_their_sliders() {
    let mut wear = flat(adaptive(1e-2));
    for joint in &mut wear.unworn {
        let stiffness = 1e14 * joint.area;
        // Pressed by 60 MPa before any motion, so that the start is closed.
        joint.gap = -60e6 / 1e14;
        joint.law = crate::contact::Law::Penalty { normal: stiffness, tangential: stiffness };
    }
    let (state, _) = follow(&mut wear, 1e5, 100.0);
    let (exact, _) = follow(&mut flat(adaptive(1e-2)), 1e5, 100.0);
    let ratio = state.force_path[0] / exact.force_path[0];
    assert!((0.8..1.2).contains(&ratio), "{ratio}");
}
