//! Friction laws of the library in time beside harmonic balance, on one mass.

use super::*;
use crate::transient::history::CourseOf;

/// Laws with a force–history form, on the scale of a mass of 1 kg that slides by about 1 m at 1 rad/s.
const LAWS: [(&str, &str); 17] = [
    (r#"type = "jenkins", stiffness = 4.0"#, ""),
    (r#"type = "jenkins", elastic_slip = 0.1"#, ""),
    (r#"type = "iwan", stiffness = 4.0, elements = 10"#, ""),
    (r#"type = "smoothed_coulomb", velocity = 0.1"#, ""),
    (r#"type = "smoothed_coulomb", velocity = 0.1, rounding = "arctan""#, ""),
    (r#"type = "velocity_limited", velocity = 0.1, stribeck_velocity = 1.0"#, "0.6"),
    (r#"type = "spring_damper", stiffness = 6.0, damping = 0.2"#, ""),
    (r#"type = "stribeck", elastic_slip = 0.1, stribeck_velocity = 0.5"#, "0.6"),
    (r#"type = "exponential_decay", stiffness = 4.0, decay = 2.0"#, "0.6"),
    (r#"type = "viscous", damping = 0.3, damping_per_force = 0.1"#, ""),
    (r#"type = "dahl", stiffness = 4.0"#, ""),
    (
        r#"type = "lugre", stiffness = 4.0, damping = 0.3, viscous = 0.05, stribeck_velocity = 0.5"#,
        "0.6",
    ),
    (
        r#"type = "lugre", stiffness = 4.0, damping = 0.3, stribeck_velocity = 0.5, per_normal_force = true"#,
        "0.6",
    ),
    (
        r#"type = "elasto_plastic", stiffness = 4.0, damping = 0.3, elastic_range = 0.6, stribeck_velocity = 0.5"#,
        "0.6",
    ),
    (r#"type = "bouc_wen", stiffness = 4.0, slip_stiffness = 0.1, beta = 0.6, exponent = 2.0"#, ""),
    (r#"type = "valanis", stiffness = 4.0, slip_stiffness = 0.1, transition = 0.5"#, ""),
    (r#"type = "ozaki_hashiguchi", stiffness = 4.0, softening = 2.0, recovery = 0.2"#, "0.6"),
];
const HYBRID: (&str, &str) = (
    r#"type = "hybrid", elastic_stiffness = 12, plastic_stiffness = 10, slip_stiffness = 15, plastic_damping = 0.4, slip_damping = 0.2, stribeck_velocity = 0.5"#,
    "0.6",
);

fn setup((law, highest): (&str, &str)) -> Setup {
    let highest = match highest {
        "" => String::new(),
        value => format!("static_friction = {value}\n"),
    };
    let law = format!("law = {{ type = \"friction\", tangential = {{ {law} }} }}\n{highest}");
    Setup::new(&RUBBING.replace("preload = 1.0", &format!("preload = 1.0\n{law}")))
}

/// Velocity laws come near to Coulomb's jump at the velocity of the mass itself, and need more harmonics.
fn n_harmonics(law: &str) -> usize {
    if law.contains("velocity_limited") || law.contains("spring_damper") { 21 } else { 7 }
}

#[test]
fn every_law_moves_alike_in_time_and_in_seven_harmonics() {
    for law in LAWS.iter().chain([&HYBRID]) {
        let setup = setup(*law);
        let all: Vec<usize> = (1..=n_harmonics(law.0)).collect();
        for (omega, load) in [(0.8, 0.8), (1.1, 0.7), (1.6, 0.9), (0.5, 0.3)] {
            // Without symmetry in time: the symmetric solution is unstable, with a multiplier of 1.18.
            if law.0.contains("exponential_decay") && omega == 0.8 {
                continue;
            }
            let balance = setup.balance(omega, load, &all, 512);
            let found = setup.solve(omega, load, Method::Integration, 1024);
            let (ours, theirs) = (largest(&balance[0]), found.max_relative(0));
            let error = (ours / theirs - 1.0).abs();
            assert!(error < 0.02, "{} at {omega}, {load}: {ours} {theirs}", law.0);
        }
    }
}

/// The symmetric solution, which harmonic balance finds from rest, is unstable.
#[test]
fn harmonic_balance_begun_at_a_motion_without_symmetry_finds_it() {
    let setup = setup((LAWS[7].0, "0.6"));
    let found = setup.solve(0.6, 0.8, Method::Integration, 2048);
    let amplitudes = found.relative.iter().map(|row| harmonics(row, 20)).collect();
    let known = [KnownMotion { omega: 0.6, amplitudes }];
    let basis = Basis::new(&[1, 2, 3, 4, 5, 6, 7], 512).unwrap();
    let joints = setup.joints.clone();
    let balance = Balance::new(&setup.structure, joints, basis, Treatment::default()).unwrap();
    let path = Path {
        parameter: Parameter::Frequency,
        held: Parameters::at(0.6).with(Parameter::Load, 0.8),
        newton: NewtonSettings::default(),
    };
    let errors = |motions: &[KnownMotion], values: &[f64]| {
        let mut errors = Vec::new();
        let ladder = Ladder { motions, ..Ladder::from(&balance) };
        sequential(ladder, &path, values, Predictor::Previous, &mut |step| {
            let Step::Solved(point) = step else { panic!("no solution") };
            let motion = balance.basis.to_time(&point.newton.u);
            errors.push(largest(&motion) / found.max_relative(0) - 1.0);
            true
        });
        errors
    };
    assert!(errors(&[], &[0.6])[0] < -0.1);
    assert!(errors(&known, &[0.6])[0].abs() < 0.01);
    // Only at its own frequency.
    let near = 0.6 * (1.0 + 1e-6);
    assert!((errors(&known, &[near])[0] - errors(&[], &[near])[0]).abs() < 1e-6);
}

#[test]
fn shooting_finds_the_motion_of_laws_with_states() {
    for law in [LAWS[10], LAWS[11], LAWS[15], HYBRID] {
        let setup = setup(law);
        let integrated = setup.solve(1.1, 0.7, Method::Integration, 512);
        let shot = setup.solve(1.1, 0.7, Method::Shooting, 512);
        close(shot.max_relative(0), integrated.max_relative(0), 1e-4);
        assert!(shot.multipliers[0].norm() < 1.0, "{}: {:?}", law.0, shot.multipliers);
        assert!(shot.periods < integrated.periods, "{}", law.0);
    }
}

/// Stiff bristles with a strong dashpot, σ₁/σ₀ = 3 ms, in steps of 0.25 s.
#[test]
fn steps_far_longer_than_the_time_of_a_bristle_do_not_feed_the_motion() {
    for law in [
        r#"type = "lugre", stiffness = 1e5, damping = 316, stribeck_velocity = 0.5"#,
        r#"type = "elasto_plastic", stiffness = 1e5, damping = 316, elastic_range = 0.5, stribeck_velocity = 0.5"#,
    ] {
        let (setup, drive) = (setup((law, "")), Drive { omega: 0.94, load: 0.8 });
        let largest = |steps_per_period| {
            let settings = Settings {
                method: Method::Integration,
                steps_per_period,
                max_periods: 60,
                ..Default::default()
            };
            steady_state(&setup.system(), drive, &settings).unwrap().max_relative(0)
        };
        let (coarse, fine) = (largest(27), largest(2048));
        assert!((coarse / fine - 1.0).abs() < 0.1, "{law}: {coarse} {fine}");
    }
}

#[test]
fn laws_that_hold_by_the_force_move_as_coulomb_does() {
    let exact = Setup::new(RUBBING);
    for law in [(r#"type = "karnopp", velocity = 1e-3"#, ""), (r#"type = "force_balance""#, "")] {
        let setup = setup(law);
        for (omega, load) in [(0.5, 0.9), (0.8, 0.8), (1.6, 0.9)] {
            let known = exact.solve(omega, load, Method::Integration, 4000).max_relative(0);
            let found = setup.solve(omega, load, Method::Integration, 4000);
            let error = (found.max_relative(0) - known).abs();
            assert!(error < 2e-3 * known + 1e-6, "{}: {} {known}", law.0, found.max_relative(0));
        }
    }
}

#[test]
fn a_step_in_which_karnopp_leaps_over_his_window_is_refused() {
    let system = setup((r#"type = "karnopp", velocity = 1e-2"#, "")).system();
    let method = Method::Integration;
    let drive = Drive { omega: 0.94, load: 0.8 };
    let settings = Settings { method, steps_per_period: 10, ..Default::default() };
    let message = steady_state(&system, drive, &settings).unwrap_err().to_string();
    assert!(message.contains("karnopp") && message.contains("steps_per_period"), "{message}");
    // The step that is offered does.
    let error = steady_state(&system, drive, &settings).unwrap_err();
    let TransientError::ExplicitStep { step, largest, .. } = error else { panic!("{error}") };
    assert!(largest < step);
    let mass = &system.matrices.mass;
    let load = vec![1.0; mass.nrows()];
    let none = vec![0.0; mass.nrows()];
    let direct = vec![[0.0; 3]; system.probes.len()];
    let excitations = [Excitation { load: [load, none.clone(), none], direct }];
    let run = |interval: f64, tolerance: Option<f64>| {
        let course: CourseOf = Box::new(|t: f64| [0.8 * (0.94 * t).sin(), 0.0, 0.0]);
        let courses = [course];
        let count = (30.0 / interval) as usize;
        let settings = HistorySettings { interval, count, tolerance, dissipation: 0.0 };
        let record = Record::new(&system, &excitations, &courses, settings);
        record.integrate(|_| Ok::<(), TransientError>(()))
    };
    let message = run(2.0, None).unwrap_err().to_string();
    assert!(message.contains("karnopp") && message.contains("time_step"), "{message}");
    assert!(run(1e-2, None).is_ok());
    // Steps that may be cut are.
    assert!(run(2.0, Some(1e-3)).unwrap().halvings > 0);
}

#[test]
fn hunt_crossley_and_power_laws_press_in_time_as_in_harmonics() {
    for normal in [
        r#"type = "power", coefficient = 2.0, exponent = 1.5"#,
        r#"type = "hunt_crossley", coefficient = 2.0, exponent = 1.5, damping = 0.2"#,
        r#"type = "penalty", stiffness = 3.0"#,
    ] {
        let law = format!(
            "friction = 0.4\npreload = 1.0\nlaw = {{ type = \"friction\", normal = {{ {normal} }}, tangential = \
             {{ type = \"dahl\", stiffness = 4.0 }} }}"
        );
        let sideways = "[[loads]]\ntype = \"force\"\non = \"mass\"\nforce = [0.5, 0]\nvariation = \"harmonic\"\n\
                        phase = 40";
        let text =
            format!("{ABOVE}\n{}\n{sideways}", vertical(0.4)).replace("friction = 0.4", &law);
        let setup = Setup::new(&text);
        let all: Vec<usize> = (1..=7).collect();
        let balance = setup.balance(0.7, 1.0, &all, 512);
        let found = setup.solve(0.7, 1.0, Method::Integration, 1024);
        for (row, motion) in balance.iter().enumerate() {
            close(largest(motion), found.max_relative(row), 0.02);
        }
    }
}
