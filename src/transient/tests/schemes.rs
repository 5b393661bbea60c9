//! The schemes with numerical damping, and friction in a plane under a normal force that is solved for,
//! against independent solutions.

use super::*;

/// A mass above the ground on a spring k_s = 1 with a spring `law` in the contact, shaken along the normal.
fn sprung(law: &str) -> Setup {
    let text = format!("{ABOVE}\n{}", vertical(0.3)).replace("friction = 0.4", law);
    Setup::new(&text)
}

fn settings(steps_per_period: usize, dissipation: f64) -> Settings {
    let method = Method::Shooting;
    Settings { method, steps_per_period, dissipation, tolerance: 1e-11, ..Default::default() }
}

/// x in x_k = Re(x e^{iωkh}) from the three equations of Hilber, Hughes and Taylor for m = 1, c and k.
fn stepped(alpha: f64, omega: f64, steps: usize, (c, k): (f64, f64), force: f64) -> Complex {
    let h = TAU / omega / steps as f64;
    let (gamma, beta) = (0.5 + alpha, 0.25 * (1.0 + alpha) * (1.0 + alpha));
    let z = Complex::from_polar(1.0, omega * h);
    // x(z − 1) = h v + h²[½ − β + βz] a ,  v(z − 1) = h[1 − γ + γz] a.
    let v = (1.0 - gamma + gamma * z) * h / (z - 1.0);
    let x = (v * h + (0.5 - beta + beta * z) * h * h) / (z - 1.0);
    let now = (1.0 - alpha) * z + alpha;
    // z a + now (c v + k x) = now f.
    x * now * force / (z + now * (v * c + x * k))
}

#[test]
fn hht_with_numerical_damping_is_the_recurrence_of_its_equations() {
    // A linear spring of 0.44 in the contact: the force of the law is weighted as all others are.
    let setup = sprung("law = { type = \"cubic\", linear = 0.44, cubic = 0.0 }");
    let (omega, steps) = (1.1, 60);
    for alpha in [0.0, 0.05, 0.2, 1.0 / 3.0] {
        let drive = Drive { omega, load: 1.0 };
        // Integration: shooting begins every period with balanced accelerations, those of HHT are not.
        let settings = Settings { method: Method::Integration, ..settings(steps, alpha) };
        let found = steady_state(&setup.system(), drive, &settings).unwrap();
        assert!(found.has_converged);
        let ours = harmonics(&found.relative[0], 1)[1];
        let known = stepped(alpha, omega, steps, (0.05, 1.44), 0.3);
        assert!((ours - known).norm() < 1e-8 * known.norm(), "{alpha}: {ours} {known}");
    }
}

#[test]
fn hht_with_numerical_damping_is_of_second_order() {
    // Against 31 harmonics, which are exact here to nine digits.
    let setup = sprung("law = { type = \"cubic\", linear = 0.2, cubic = 0.5 }");
    let drive = Drive { omega: 1.6, load: 1.0 };
    let all: Vec<usize> = (1..32).collect();
    let samples = 256;
    let exact = setup.balance(drive.omega, drive.load, &all, samples);
    let error = |every: usize| {
        let found = steady_state(&setup.system(), drive, &settings(every * samples, 0.2)).unwrap();
        let ours = found.relative[0].iter().skip(every - 1).step_by(every);
        let differences = ours.zip(&exact[0]).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max) / largest(&exact[0])
    };
    let (coarse, fine) = (error(1), error(2));
    assert!((3.6..4.4).contains(&(coarse / fine)), "{coarse} {fine}");
    assert!(fine < 1e-4, "{fine}");
}

#[test]
fn hht_ends_the_ringing_of_modes_that_a_step_does_not_see() {
    // A mode of 200 rad/s under 50 steps in a period of 6.28 s; what α is for. The high-frequency limit of the
    // amplification is (1 − α)/(1 + α) in each step.
    let stiff = "law = { type = \"cubic\", linear = 4e4, cubic = 0.0 }";
    let setup = sprung(stiff);
    let system = setup.system();
    let largest_multiplier = |alpha: f64| {
        let drive = Drive { omega: 1.0, load: 1.0 };
        steady_state(&system, drive, &settings(50, alpha)).unwrap()
    };
    let ringing = largest_multiplier(0.0);
    let quiet = largest_multiplier(0.2);
    // The other mode, along x, is slow: the two multipliers of the fast one are the smallest.
    let fast = |found: &SteadyState| found.multipliers[found.multipliers.len() - 1].norm();
    assert!(fast(&ringing) > 0.8, "{:?}", ringing.multipliers);
    assert!(fast(&quiet) < 1e-4, "{:?}", quiet.multipliers);
}

/// A mass that moves along x, y and z, pressed on the ground along y: its motion along z is that of a
/// second point of the same mass, and one pair has both tangents.
fn in_space(loads: &str) -> Setup {
    let text = format!(
        r#"
        points = {{ mass = {{ mass = 1.0, freedoms = ["x", "y"] }}, depth = {{ mass = 1.0, freedoms = ["x"] }} }}
        springs = [
            {{ between = ["mass", "ground"], direction = "x", stiffness = 1.0, damping = 0.05 }},
            {{ between = ["mass", "ground"], direction = "y", stiffness = 1.0, damping = 0.05 }},
            {{ between = ["depth", "ground"], direction = "x", stiffness = 1.0, damping = 0.05 }},
        ]
        analysis = [{{ type = "modal" }}]
        contact = [
            {{ between = ["mass", "ground"], normal = [0, 1], area = 1.0, friction = 0.4 }},
            {{ between = ["depth", "ground"], normal = [0, 1], area = 1.0, friction = 0.4, preload = 1.0 }},
        ]
        loads = [
            {{ type = "force", on = "mass", force = [0, -1] }},
            {loads}
        ]
        "#
    );
    let mut setup = Setup::new(&text);
    let other = setup.joints.pop().unwrap();
    setup.joints[0].rows.tangents.extend(other.rows.tangents);
    assert_eq!(setup.joints[0].n_directions(), 3);
    setup
}

fn push(on: &str, force: [f64; 2], phase: f64) -> String {
    let [x, y] = force;
    format!(
        "{{ type = \"force\", on = \"{on}\", force = [{x}, {y}], variation = \"harmonic\", phase = {phase} }},"
    )
}

/// Largest √(x² + z²).
fn sweep(setup: &Setup, found: &SteadyState) -> f64 {
    let [x, z] = [0, 1].map(|t| &found.relative[setup.joints[0].rows.tangents[t]]);
    largest(&x.iter().zip(z).map(|(x, z)| x.hypot(*z)).collect::<Vec<f64>>())
}

#[test]
fn two_tangents_under_a_solved_normal_force_follow_a_circle() {
    // ((k − mω²)² + c²ω²)R² + 2cωRμN + (μN)² = F², as under a prescribed load; N = 1 is what the ground gives.
    let setup = in_space(&(push("mass", [1.0, 0.0], 0.0) + &push("depth", [1.0, 0.0], 90.0)));
    let found = setup.solve(0.8, 1.0, Method::Shooting, 2000);
    let (spring, drag) = (1.0 - 0.64_f64, 0.05 * 0.8_f64);
    let square = spring * spring + drag * drag;
    let radius = (-drag * 0.4 + ((drag * 0.4).powi(2) - square * (0.16 - 1.0)).sqrt()) / square;
    close(sweep(&setup, &found), radius, 1e-3);
    let normal = setup.joints[0].rows.normal.unwrap();
    for (j, force) in found.forces[normal].iter().enumerate() {
        // A pair that presses keeps the depth that it begins with, of which the search knows 1e-6.
        assert!((force + 1.0).abs() < 1e-5, "{j} {force}");
        let [x, z] = [0, 1].map(|t| found.forces[setup.joints[0].rows.tangents[t]][j]);
        assert!((x.hypot(z) + 0.4 * force).abs() < 1e-9, "it slides all the time");
    }
}

#[test]
fn two_tangents_under_a_varying_normal_force_know_no_axes() {
    // Along any line of the plane the motion is that of one tangent, which harmonic balance confirms.
    let varying = push("mass", [0.0, 0.5], 40.0);
    let along = in_space(&(push("mass", [1.0, 0.0], 0.0) + &varying));
    let across =
        in_space(&(push("mass", [0.6, 0.0], 0.0) + &push("depth", [0.8, 0.0], 0.0) + &varying));
    let [one, two] = [&along, &across].map(|setup| setup.solve(0.8, 1.0, Method::Shooting, 2000));
    close(sweep(&across, &two), sweep(&along, &one), 1e-6);
    let normal = across.joints[0].rows.normal.unwrap();
    let pressures: Vec<f64> = two.forces[normal].iter().map(|force| -force).collect();
    let least = pressures.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((least - 0.5).abs() < 1e-3 && largest(&pressures) > 1.499, "{least}");
    for (j, pressure) in pressures.iter().enumerate() {
        let [x, z] = [0, 1].map(|t| two.forces[across.joints[0].rows.tangents[t]][j]);
        assert!(x.hypot(z) <= 0.4 * pressure + 1e-9, "{j}");
    }
    let mut alone = along;
    alone.joints[0].rows.tangents.truncate(1);
    let all: Vec<usize> = (1..32).collect();
    let free = alone.joints[0].clone();
    // The row along z, which nothing moves, gets a frictionless pair of its own.
    let depth = PairRows { normal: None, tangents: vec![2] };
    alone.joints.push(Joint { rows: depth, friction: 0.0, preload: 1.0, ..free });
    let balance = alone.balance(0.8, 1.0, &all, 1024);
    let row = alone.joints[0].rows.tangents[0];
    close(largest(&balance[row]), sweep(&across, &two), 2e-2);
}

#[test]
fn a_motion_that_has_not_settled_is_not_called_periodic() {
    let setup = Setup::new(testing::ACADEMIC);
    let drive = Drive { omega: TAU * 0.5, load: 16.0 };
    let settings = Settings {
        method: Method::Integration,
        max_periods: 20,
        steps_per_period: 200,
        ..Default::default()
    };
    let found = steady_state(&setup.system(), drive, &settings).unwrap();
    assert!(!found.has_converged && found.periods == 20 && found.change > settings.tolerance);
}
