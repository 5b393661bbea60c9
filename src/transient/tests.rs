use std::f64::consts::TAU;

use super::record::{harmonics, largest};
use super::*;
use crate::analytical::{coulomb_oscillator::CoulombOscillator, den_hartog};
use crate::contact::{Joint, Law};
use crate::continuation::{KnownMotion, Ladder, Path, Predictor, Step, sequential};
use crate::harmonic::{
    Balance, Basis, NewtonSettings, Parameter, Parameters, Treatment, solve_point,
};
use crate::reduction::PairRows;
use crate::testing::{self, Setup};

mod exact_normal;
mod laws;
mod schemes;

/// A mass on a spring that rubs on the ground under a prescribed load of 1 N.
const RUBBING: &str = r#"
    points = { mass = { mass = 1.0, freedoms = ["x"] } }
    [[springs]]
    between = ["mass", "ground"]
    direction = "x"
    stiffness = 1.0
    damping = 0.02
    [[contact]]
    between = ["mass", "ground"]
    normal = [0, 1]
    area = 1.0
    friction = 0.5
    preload = 1.0
    [[loads]]
    type = "force"
    on = "mass"
    force = [1, 0]
    variation = "harmonic"
    [[analysis]]
    type = "modal"
"#;

/// A mass on springs above the ground.
const ABOVE: &str = r#"
    points = { mass = { mass = 1.0, freedoms = ["x", "y"] } }
    [[springs]]
    between = ["mass", "ground"]
    direction = "x"
    stiffness = 1.0
    damping = 0.05
    [[springs]]
    between = ["mass", "ground"]
    direction = "y"
    stiffness = 1.0
    damping = 0.05
    [[contact]]
    between = ["mass", "ground"]
    normal = [0, 1]
    area = 1.0
    friction = 0.4
    [[analysis]]
    type = "modal"
"#;

impl Setup {
    fn system(&self) -> System {
        let system = System::new(&self.structure, self.joints.clone()).unwrap();
        system.with_probes(&self.model, &self.structure)
    }

    fn solve(&self, omega: f64, load: f64, method: Method, steps_per_period: usize) -> SteadyState {
        let settings = Settings { method, steps_per_period, ..Default::default() };
        let found = steady_state(&self.system(), Drive { omega, load }, &settings).unwrap();
        assert!(found.has_converged, "{omega} {load} {method:?}: {}", found.change);
        found
    }

    /// u_r in time by harmonic balance.
    fn balance(&self, omega: f64, load: f64, harmonics: &[usize], samples: usize) -> Vec<Vec<f64>> {
        self.balance_near(None, Drive { omega, load }, harmonics, samples)
    }

    /// The same near a known motion, of which every so many instants are used.
    fn balance_near(
        &self,
        near: Option<&SteadyState>,
        drive: Drive,
        harmonics: &[usize],
        samples: usize,
    ) -> Vec<Vec<f64>> {
        let basis = Basis::new(harmonics, samples).unwrap();
        let h = basis.n_coefficients();
        let balance =
            Balance::new(&self.structure, self.joints.clone(), basis, Treatment::default())
                .unwrap();
        let parameters = Parameters::at(drive.omega).with(Parameter::Load, drive.load);
        let coefficients = |row: &Vec<f64>| {
            let every = row.len() / samples;
            let some: Vec<f64> = row.iter().skip(every - 1).step_by(every).copied().collect();
            balance.basis.to_harmonics(&some)
        };
        let start: Option<Vec<f64>> =
            near.map(|near| near.relative.iter().flat_map(coefficients).collect());
        let settings = NewtonSettings::default();
        let point = solve_point(&balance, &parameters, start.as_deref(), &settings).unwrap();
        point.newton.u.chunks(h).map(|u| balance.basis.to_time(u)).collect()
    }
}

fn close(ours: f64, known: f64, tolerance: f64) {
    assert!((ours - known).abs() <= tolerance * known.abs(), "{ours} should be {known}");
}

#[test]
fn academic_case_moves_as_known_by_integration_and_by_shooting() {
    let setup = Setup::new(testing::ACADEMIC);
    let known = [
        (16.0, 0.8, 0.6801, 0.6681),
        (10.0, 1.0, 0.4365, 0.3073),
        (6.0, 1.0, 0.3815, 0.1777),
        (6.0, 1.1, 0.3620, 0.0),
        (10.0, 0.7, 0.2278, 0.1159),
        (16.0, 0.5, 165.54, 165.54),
    ];
    for (load, frequency, u1, relative) in known {
        let solve = |method| setup.solve(TAU * frequency, load, method, 1000);
        let [integrated, shot] = [Method::Integration, Method::Shooting].map(solve);
        for found in [&integrated, &shot] {
            close(found.max_probe(0), u1, 1e-3);
            assert!((found.max_relative(0) - relative).abs() < 1e-3 * u1, "{load} {frequency}");
        }
        close(integrated.max_probe(0), shot.max_probe(0), 1e-3);
        assert!(shot.multipliers[0].norm() < 1.0 + 1e-6, "{:?}", shot.multipliers);
    }
}

#[test]
fn a_contact_that_always_sticks_may_stick_anywhere() {
    // At 6 N, 1.1 Hz u_r = 0 throughout: a multiplier of 1; with slip in every period there is none.
    let setup = Setup::new(testing::ACADEMIC);
    let stuck = setup.solve(TAU * 1.1, 6.0, Method::Shooting, 1000);
    assert!((stuck.multipliers[0] - 1.0).norm() < 1e-6, "{:?}", stuck.multipliers);
    let sliding = setup.solve(TAU, 6.0, Method::Shooting, 1000);
    assert!(sliding.multipliers[0].norm() < 0.9, "{:?}", sliding.multipliers);
}

#[test]
fn harmonic_balance_approaches_integration_as_harmonics_are_added() {
    let setup = Setup::new(testing::ACADEMIC);
    for (load, frequency) in [(16.0, 0.8), (10.0, 1.0)] {
        let exact = setup.solve(TAU * frequency, load, Method::Shooting, 2000).max_relative(0);
        let error = |n: usize| {
            let odd: Vec<usize> = (0..n).map(|k| 2 * k + 1).collect();
            let ours = largest(&setup.balance(TAU * frequency, load, &odd, 1024)[0]);
            (ours / exact - 1.0).abs()
        };
        let (few, some, many) = (error(1), error(4), error(16));
        assert!(few > 1.5 * some && some > 1.5 * many, "{load} {frequency}: {few} {some} {many}");
    }
}

#[test]
fn coulomb_oscillator_follows_den_hartog() {
    // Second order where the mass stops; where it turns at once, a step holds it for a moment: first order.
    let setup = Setup::new(&RUBBING.replace("damping = 0.02\n", ""));
    let ratios = [0.3, 0.4, 0.55, 0.7, 0.85, 1.15, 1.3, 1.6, 2.0];
    for (omega, friction_ratio) in ratios.iter().flat_map(|r| [0.2, 0.5, 0.7].map(|phi| (*r, phi)))
    {
        let oscillator = CoulombOscillator { frequency_ratio: omega, friction_ratio };
        let (stopping, load) = (den_hartog::with_one_stop(oscillator), 0.5 / friction_ratio);
        let (steps, allowed) = if stopping.is_some() { (4000, 5e-6) } else { (16_000, 2.5e-4) };
        let closed = stopping.or_else(|| den_hartog::without_stops(oscillator)).unwrap();
        let settings = Settings { steps_per_period: steps, tolerance: 1e-10, ..Default::default() };
        let found = steady_state(&setup.system(), Drive { omega, load }, &settings).unwrap();
        for (j, x) in found.relative[0].iter().enumerate() {
            let exact = closed.displacement(TAU * (j + 1) as f64 / steps as f64);
            let error = (x / load - exact).abs() / closed.amplitude();
            assert!(error < allowed, "{oscillator:?} {j}: {error:e}");
        }
    }
}

#[test]
fn jenkins_oscillator_agrees_with_many_harmonics() {
    let law = r#"law = { type = "penalty", normal_stiffness = 1.0, tangential_stiffness = 2.0 }"#;
    let setup = Setup::new(&RUBBING.replace("preload = 1.0", &format!("preload = 1.0\n{law}")));
    let odd: Vec<usize> = (0..20).map(|k| 2 * k + 1).collect();
    for (omega, load) in [(1.0, 0.8), (1.5, 0.6), (0.7, 1.2)] {
        let balance = setup.balance(omega, load, &odd, 1024);
        for method in [Method::Integration, Method::Shooting] {
            let found = setup.solve(omega, load, method, 1024);
            close(found.max_relative(0), largest(&balance[0]), 1e-3);
            let (ours, theirs) = (harmonics(&found.relative[0], 3), harmonics(&balance[0], 3));
            assert!((ours[1] - theirs[1]).norm() < 1e-3 * theirs[1].norm());
            assert!((ours[3] - theirs[3]).norm() < 1e-3 * theirs[1].norm());
            let sliding = found.forces[0].iter().filter(|f| (f.abs() - 0.5).abs() < 1e-12).count();
            assert!(sliding > 100, "the slider slides: {sliding}");
        }
    }
}

#[test]
fn duffing_oscillator_agrees_with_many_harmonics() {
    let law = r#"law = { type = "cubic", linear = 0.2, cubic = 0.5 }"#;
    let text = format!("{ABOVE}\n{}", vertical(0.3)).replace("friction = 0.4", law);
    let setup = Setup::new(&text);
    let all: Vec<usize> = (1..12).collect();
    let balance = setup.balance(1.6, 1.0, &all, 256);
    let found = setup.solve(1.6, 1.0, Method::Shooting, 2000);
    close(found.max_relative(0), largest(&balance[0]), 1e-4);
}

fn vertical(force: f64) -> String {
    format!(
        "[[loads]]\ntype = \"force\"\non = \"mass\"\nforce = [0, {force}]\nvariation = \"harmonic\""
    )
}

fn pressed(force: f64) -> String {
    format!("[[loads]]\ntype = \"force\"\non = \"mass\"\nforce = [0, {}]", -force)
}

#[test]
fn a_gap_that_is_not_closed_does_nothing() {
    let omega = 0.8_f64;
    let linear = 0.3 / (1.0 - omega * omega).hypot(0.05 * omega);
    let penalty = r#"law = { type = "penalty", normal_stiffness = 30.0 }"#;
    for law in ["", penalty] {
        let gap = format!("friction = 0.4\ngap = 2.0\n{law}");
        let text = format!("{ABOVE}\n{}", vertical(0.3)).replace("friction = 0.4", &gap);
        let setup = Setup::new(&text);
        for method in [Method::Integration, Method::Shooting] {
            let found = setup.solve(omega, 1.0, method, 1000);
            close(found.max_relative(0), linear, 1e-4);
            assert!(found.forces.iter().flatten().all(|force| *force == 0.0));
        }
    }
}

#[test]
fn a_gap_that_closes_agrees_with_many_harmonics() {
    let gap = "friction = 0.4\ngap = 0.5\nlaw = { type = \"penalty\", normal_stiffness = 5.0 }";
    let text = format!("{ABOVE}\n{}", vertical(0.3)).replace("friction = 0.4", gap);
    let setup = Setup::new(&text);
    let all: Vec<usize> = (1..25).collect();
    let found = setup.solve(1.1, 1.0, Method::Shooting, 2048);
    let balance = setup.balance_near(Some(&found), found.drive, &all, 512);
    assert!(found.forces[0].iter().any(|force| *force < -0.1), "it touches");
    close(found.max_relative(0), largest(&balance[0]), 1e-2);
}

#[test]
fn a_mass_that_jumps_flies_as_thrown() {
    // Pressed by N = 1, pulled by 1.5 cos ωt: it leaves the ground when the pull exceeds N and flies
    // freely until it lands, where it stays.
    let (omega, pull) = (1.0_f64, 1.5_f64);
    let soft = ABOVE.replace("stiffness = 1.0\n    damping = 0.05", "stiffness = 1e-9");
    let setup = Setup::new(&format!("{soft}\n{}\n{}", vertical(pull), pressed(1.0)));
    let found = setup.solve(omega, 1.0, Method::Integration, 4000);
    let leaves = -(1.0 / pull).acos();
    let height = |t: f64| {
        let from = t - leaves;
        -0.5 * from * from - pull * (t.cos() - leaves.cos()) - pull * leaves.sin() * from
    };
    let flight: Vec<f64> =
        (0..4000).map(|j| leaves + TAU * j as f64 / 4000.0).map(height).collect();
    let lands = flight.iter().skip(10).position(|y| *y < 0.0).unwrap();
    close(flight[..lands].iter().fold(0.0, |m, y| f64::max(m, *y)), found.max_relative(0), 2e-3);
    // The ground carries the load in the mean, and only presses.
    let mean = found.forces[0].iter().sum::<f64>() / 4000.0;
    close(mean, -1.0, 1e-6);
    assert!(found.forces[0].iter().all(|force| *force <= 0.0));
}

#[test]
fn friction_under_a_varying_normal_force_agrees_with_many_harmonics() {
    let push =
        "[[loads]]\ntype = \"force\"\non = \"mass\"\nforce = [1.0, 0.5]\nvariation = \"harmonic\"";
    let setup = Setup::new(&format!("{ABOVE}\n{push}\n{}", pressed(1.0)));
    let found = setup.solve(0.8, 1.0, Method::Shooting, 2000);
    let all: Vec<usize> = (1..32).collect();
    let balance = setup.balance(0.8, 1.0, &all, 1024);
    let row = setup.joints[0].rows.tangents[0];
    close(found.max_relative(row), largest(&balance[row]), 2e-2);
    for (normal, tangential) in found.forces[0].iter().zip(&found.forces[row]) {
        assert!(tangential.abs() <= 0.4 * -normal + 1e-12, "{normal} {tangential}");
    }
    assert!(found.forces[0].iter().all(|force| *force < 0.0), "it stays closed");
}

#[test]
fn several_pairs_are_what_harmonic_balance_approaches() {
    let setup = Setup::new(testing::BLOCK);
    assert_eq!(setup.joints.len(), 5);
    let found = setup.solve(2.0, 1.0, Method::Integration, 1024);
    let rows: Vec<usize> = setup.joints.iter().map(|joint| joint.rows.tangents[0]).collect();
    let error = |highest: usize| {
        let all: Vec<usize> = (1..=highest).collect();
        let balance = setup.balance_near(Some(&found), found.drive, &all, 256);
        let ratio = |row: &usize| (largest(&balance[*row]) / found.max_relative(*row) - 1.0).abs();
        rows.iter().map(ratio).fold(0.0, f64::max)
    };
    let (few, many) = (error(3), error(23));
    assert!(few < 0.01 && many < few && many < 0.003, "{few} {many}");
    // Damping of the time stepping changes little of what the steps resolve.
    let settings = Settings {
        method: Method::Integration,
        steps_per_period: 1024,
        dissipation: 0.1,
        ..Default::default()
    };
    let damped = steady_state(&setup.system(), found.drive, &settings).unwrap();
    rows.iter().for_each(|row| close(damped.max_relative(*row), found.max_relative(*row), 1e-2));
}

#[test]
fn friction_in_a_plane_does_not_depend_on_its_axes() {
    let plane = |force: &str| {
        let load = format!(
            "[[loads]]\ntype = \"force\"\non = \"mass\"\nvariation = \"harmonic\"\nforce = {force}"
        );
        let mut setup = Setup::new(&format!("{ABOVE}\n{load}"));
        let joint = &mut setup.joints[0];
        (joint.preload, joint.rows) = (1.0, PairRows { normal: None, tangents: vec![0, 1] });
        setup
    };
    let length = |found: &SteadyState| {
        let pairs = found.relative[0].iter().zip(&found.relative[1]);
        largest(&pairs.map(|(x, y)| x.hypot(*y)).collect::<Vec<f64>>())
    };
    let along = length(&plane("[1.0, 0.0]").solve(0.8, 1.0, Method::Shooting, 1000));
    let across = length(&plane("[0.6, 0.8]").solve(0.8, 1.0, Method::Shooting, 1000));
    close(across, along, 1e-6);
    // A turning force drags the mass along a circle: ((k − mω²)² + c²ω²)R² + 2cωRμN + (μN)² = F².
    let mut turning = plane("[1.0, 0.0]");
    let turned = "[[loads]]\ntype = \"force\"\non = \"mass\"\nvariation = \"harmonic\"\n\
                  force = [0.0, 1.0]\nphase = 90";
    let push = turned.replace("[0.0, 1.0]\nphase = 90", "[1.0, 0.0]");
    turning.structure = Setup::new(&format!("{ABOVE}\n{push}\n{turned}")).structure;
    let found = turning.solve(0.8, 1.0, Method::Shooting, 2000);
    let (spring, drag) = (1.0 - 0.64_f64, 0.05 * 0.8_f64);
    let square = spring * spring + drag * drag;
    let radius = (-drag * 0.4 + ((drag * 0.4).powi(2) - square * (0.16 - 1.0)).sqrt()) / square;
    close(length(&found), radius, 1e-3);
}

#[test]
fn probes_see_loads_and_moved_supports_as_a_linear_response_does() {
    let text = r#"
        points = { base = { freedoms = ["x"] }, mass = { mass = 2.0, freedoms = ["x"] }, tip = { freedoms = ["x"] } }
        damping = { type = "rayleigh", alpha = 0.1, beta = 0.05 }
        springs = [
            { between = ["base", "mass"], direction = "x", stiffness = 5.0, damping = 0.3 },
            { between = ["mass", "tip"], direction = "x", stiffness = 3.0 },
            { between = ["tip", "ground"], direction = "x", stiffness = 2.0 },
        ]
        supports = [{ type = "prescribed", on = "base", x = 0.2, variation = "harmonic" }]
        loads = [
            { type = "force", on = "mass", force = [1.0, 0.0], variation = "harmonic", phase = 30 },
            { type = "force", on = "tip", force = [0.5, 0.0], variation = "harmonic" },
        ]
        analysis = [{ type = "modal" }]
        [probes]
        displacement = { type = "displacement", at = "mass", direction = "x" }
        velocity = { type = "velocity", at = "mass", direction = "x" }
        acceleration = { type = "acceleration", at = "mass", direction = "x" }
        tip = { type = "displacement", at = "tip", direction = "x" }
        tip_velocity = { type = "velocity", at = "tip", direction = "x" }
        reaction = { type = "reaction", at = "base", direction = "x" }
    "#;
    let setup = Setup::new(text);
    let (model, omega) = (&setup.model, 1.3);
    let found = setup.solve(omega, 1.0, Method::Shooting, 4000);
    let symbolic = model.symbolic().unwrap();
    let damping = model.damping();
    let functional = |row| model.functional(row, damping.as_ref(), &model.loads.nodal_harmonic);
    let functionals: Vec<_> = model.probes.values().map(functional).collect();
    let request = crate::linear::FrfRequest {
        model,
        damping: damping.as_ref(),
        functionals: &functionals,
        frequencies: &[omega / TAU],
    };
    let mut exact = vec![];
    let mut receive = |points: &[crate::linear::FrfPoint]| exact.extend_from_slice(points);
    crate::linear::response::Direct::new(&request, &symbolic).unwrap().sweep(&mut receive).unwrap();
    for (probe, exact) in exact[0].values.iter().enumerate() {
        let ours = harmonics(&found.probes[probe], 1)[1];
        assert!((ours - exact).norm() < 1e-5 * exact.norm(), "probe {probe}: {ours} {exact}");
    }
}

#[test]
fn what_cannot_be_integrated_is_refused() {
    let massless = Setup::new(&RUBBING.replace("mass = 1.0, ", ""));
    let refused = System::new(&massless.structure, massless.joints.clone());
    assert!(matches!(refused, Err(TransientError::Massless { row: 0 })));
    let mut mixed = Setup::new(testing::ACADEMIC);
    mixed
        .joints
        .push(Joint { law: Law::Cubic { linear: 1.0, cubic: 1.0 }, ..mixed.joints[0].clone() });
    let refused = System::new(&mixed.structure, mixed.joints.clone());
    assert!(matches!(refused, Err(TransientError::MixedLaws)));
    let still = Drive { omega: 0.0, load: 1.0 };
    let refused = steady_state(&Setup::new(RUBBING).system(), still, &Settings::default());
    assert!(matches!(refused, Err(TransientError::Frequency(_))));
}

#[test]
fn a_mass_that_friction_holds_is_periodic_at_rest() {
    let held = Setup::new(&RUBBING.replace("preload = 1.0", "preload = 10.0"));
    for method in [Method::Integration, Method::Shooting] {
        let found = held.solve(0.7, 0.8, method, 500);
        assert!(largest(&found.relative[0]) < 1e-14, "{method:?}: {}", largest(&found.relative[0]));
    }
}
