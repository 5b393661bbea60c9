//! Friction laws of the library under exact normal contact: in time, in harmonics, and in their limits.

use super::*;

/// The mass above the ground with a friction law under exact normal contact, pressed by 1 N, pushed along the face
/// and pulled off it.
fn pushed(tangential: &str, along: f64, across: f64) -> Setup {
    let law = format!(
        "friction = 0.4\nlaw = {{ type = \"friction\", normal = {{ type = \"exact\" }}, tangential = {{ {tangential} }} }}"
    );
    Setup::new(&text(along, across).replace("friction = 0.4", &law))
}

fn text(along: f64, across: f64) -> String {
    let push = format!(
        "[[loads]]\ntype = \"force\"\non = \"mass\"\nforce = [{along}, {across}]\nvariation = \"harmonic\""
    );
    format!("{ABOVE}\n{push}\n{}", pressed(1.0))
}

const LAWS: [&str; 5] = [
    r#"type = "jenkins", stiffness = 4.0"#,
    r#"type = "dahl", stiffness = 4.0"#,
    r#"type = "lugre", stiffness = 4.0, damping = 0.3, stribeck_velocity = 0.5"#,
    r#"type = "valanis", stiffness = 4.0, slip_stiffness = 0.1, transition = 0.5"#,
    r#"type = "smoothed_coulomb", velocity = 0.1"#,
];

#[test]
fn a_closed_contact_rubs_in_time_as_in_harmonics() {
    for law in LAWS {
        let setup = pushed(law, 1.0, 0.5);
        let found = setup.solve(0.8, 1.0, Method::Integration, 2048);
        assert!(found.forces[0].iter().all(|force| *force < 0.0), "{law}: it stays closed");
        let all: Vec<usize> = (1..=15).collect();
        let balance = setup.balance_near(Some(&found), found.drive, &all, 1024);
        let row = setup.joints[0].rows.tangents[0];
        close(largest(&balance[row]), found.max_relative(row), 0.01);
    }
}

#[test]
fn a_stiff_slider_moves_as_coulomb_friction_does() {
    let exact = Setup::new(&text(1.0, 0.5));
    let row = exact.joints[0].rows.tangents[0];
    let known = exact.solve(0.8, 1.0, Method::Integration, 4096).max_relative(row);
    let all: Vec<usize> = (1..32).collect();
    let harmonics = largest(&exact.balance(0.8, 1.0, &all, 1024)[row]);
    let motion = |stiffness: f64| {
        let jenkins = pushed(&format!("type = \"jenkins\", stiffness = {stiffness}"), 1.0, 0.5);
        let found = jenkins.solve(0.8, 1.0, Method::Integration, 4096);
        let near = jenkins.balance_near(Some(&found), found.drive, &all, 1024);
        [found.max_relative(row) / known, largest(&near[row]) / harmonics]
    };
    let [soft, stiff] = [50.0, 500.0].map(motion);
    for (soft, stiff) in soft.into_iter().zip(stiff) {
        assert!((stiff - 1.0).abs() < 0.02 && (soft - 1.0).abs() > 0.04, "{soft} {stiff}");
        // A reversal takes the time of the way 2μN/k, which falls with the root of the stiffness; so does the error.
        let limit = stiff + (stiff - soft) / (10.0_f64.sqrt() - 1.0);
        assert!((limit - 1.0).abs() < 3e-3, "{limit}");
    }
}

#[test]
fn laws_that_hold_by_the_force_do_so_under_a_normal_force_that_is_solved_for() {
    let exact = Setup::new(&text(1.0, 0.5));
    let row = exact.joints[0].rows.tangents[0];
    let known = exact.solve(0.8, 1.0, Method::Integration, 4000).max_relative(row);
    for law in [r#"type = "karnopp", velocity = 1e-3"#, r#"type = "force_balance""#] {
        let found = pushed(law, 1.0, 0.5).solve(0.8, 1.0, Method::Integration, 4000);
        close(found.max_relative(row), known, 3e-3);
    }
}

#[test]
fn shooting_finds_the_same_motion() {
    let setup = pushed(LAWS[1], 1.0, 0.5);
    let row = setup.joints[0].rows.tangents[0];
    let integrated = setup.solve(0.8, 1.0, Method::Integration, 1024);
    let shot = setup.solve(0.8, 1.0, Method::Shooting, 1024);
    close(shot.max_relative(row), integrated.max_relative(row), 1e-4);
    assert!(shot.multipliers[0].norm() < 1.0, "{:?}", shot.multipliers);
}

/// The elastic block with a friction law under exact normal contact, shaken by a traction.
fn block(tangential: &str, traction: &str) -> Setup {
    let law = format!(
        "friction = 0.3\nlaw = {{ type = \"friction\", normal = {{ type = \"exact\" }}, tangential = {{ {tangential} }} }}"
    );
    Setup::new(&testing::BLOCK.replace("friction = 0.3", &law).replace("[0.4, 0.0]", traction))
}

/// Largest error of the slip of all pairs by harmonic balance.
fn worst_slip(setup: &Setup, found: &SteadyState, highest: usize) -> f64 {
    let all: Vec<usize> = (1..=highest).collect();
    let balance = setup.balance_near(Some(found), found.drive, &all, 512);
    let rows = setup.joints.iter().map(|joint| joint.rows.tangents[0]);
    let error = |row: usize| (largest(&balance[row]) / found.max_relative(row) - 1.0).abs();
    rows.map(error).fold(0.0, f64::max)
}

#[test]
fn several_pairs_are_what_harmonic_balance_approaches() {
    let setup = block(r#"type = "dahl", stiffness = 200.0"#, "[0.4, 0.0]");
    let found = setup.solve(2.0, 1.0, Method::Integration, 1024);
    let [few, more, many] = [5, 11, 21].map(|highest| worst_slip(&setup, &found, highest));
    assert!(few < 0.1 && more < 0.01 && many < 0.005, "{few} {more} {many}");
}

/// A mass of its own lands with a shock, which no number of harmonics resolves; an elastic edge does not.
#[test]
fn an_edge_that_lifts_rubs_in_time_as_in_harmonics() {
    let lugre = r#"type = "lugre", stiffness = 200.0, damping = 2.0, stribeck_velocity = 0.05"#;
    for law in [r#"type = "dahl", stiffness = 200.0"#, lugre] {
        let setup = block(law, "[0.4, 0.8]");
        let settings = Settings {
            method: Method::Integration,
            steps_per_period: 2048,
            dissipation: 0.1,
            ..Default::default()
        };
        let drive = Drive { omega: 2.0, load: 1.0 };
        let found = steady_state(&setup.system(), drive, &settings).unwrap();
        assert!(found.has_converged);
        let edge = setup.joints[0].rows.normal.unwrap();
        let opened = found.forces[edge].iter().filter(|force| **force >= 0.0).count();
        assert!((300..600).contains(&opened), "{law}: {opened}");
        let worst = worst_slip(&setup, &found, 23);
        assert!(worst < 0.01, "{law}: {worst}");
    }
}
