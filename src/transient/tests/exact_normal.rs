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

/// Largest motions along and across the face by harmonic balance over those in time, less 1.
fn errors(setup: &Setup, found: &SteadyState, highest: usize) -> [f64; 2] {
    let all: Vec<usize> = (1..=highest).collect();
    let balance = setup.balance_near(Some(found), found.drive, &all, 1024);
    let rows = &setup.joints[0].rows;
    let error = |row: usize| largest(&balance[row]) / found.max_relative(row) - 1.0;
    [error(rows.tangents[0]), if found.max_relative(0) > 0.0 { error(0) } else { 0.0 }]
}

#[test]
fn a_closed_contact_rubs_in_time_as_in_harmonics() {
    for law in LAWS {
        let setup = pushed(law, 1.0, 0.5);
        let found = setup.solve(0.8, 1.0, Method::Integration, 2048);
        assert!(found.forces[0].iter().all(|force| *force < 0.0), "{law}: it stays closed");
        let [along, _] = errors(&setup, &found, 15);
        assert!(along.abs() < 0.01, "{law}: {along}");
    }
}

#[test]
fn a_contact_that_lifts_rubs_in_time_as_in_harmonics() {
    for law in LAWS {
        let setup = pushed(law, 0.6, 1.5);
        let found = setup.solve(0.7, 1.0, Method::Integration, 4096);
        assert!(found.relative[0].iter().any(|gap| *gap > 0.1), "{law}: it lifts");
        assert!(found.forces[0].iter().any(|force| *force < -0.1), "{law}: it presses");
        let [along, across] = errors(&setup, &found, 31);
        assert!(along.abs() < 0.02 && across.abs() < 0.02, "{law}: {along} {across}");
    }
}

#[test]
fn a_stiff_slider_moves_as_coulomb_friction_does() {
    let exact = Setup::new(&text(1.0, 0.5));
    let row = exact.joints[0].rows.tangents[0];
    let known = exact.solve(0.8, 1.0, Method::Integration, 4096).max_relative(row);
    let all: Vec<usize> = (1..32).collect();
    let harmonics = largest(&exact.balance(0.8, 1.0, &all, 1024)[row]);
    let mut before = [f64::INFINITY; 2];
    for stiffness in [5.0, 50.0, 500.0] {
        let jenkins = pushed(&format!("type = \"jenkins\", stiffness = {stiffness}"), 1.0, 0.5);
        let found = jenkins.solve(0.8, 1.0, Method::Integration, 4096);
        let near = jenkins.balance_near(Some(&found), found.drive, &all, 1024);
        let ours = [found.max_relative(row) / known, largest(&near[row]) / harmonics];
        let error = ours.map(|ratio| (ratio - 1.0).abs());
        assert!(error[0] < before[0] && error[1] < before[1], "{stiffness}: {error:?} {before:?}");
        before = error;
    }
    assert!(before[0] < 3e-3 && before[1] < 1e-2, "{before:?}");
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

#[test]
fn several_pairs_rub_in_time_as_in_harmonics() {
    let law = "friction = 0.3\nlaw = { type = \"friction\", normal = { type = \"exact\" }, tangential = { type = \
               \"jenkins\", stiffness = 200.0 } }";
    let setup = Setup::new(&BLOCK.replace("friction = 0.3", law));
    let found = setup.solve(2.0, 1.0, Method::Integration, 1024);
    let all: Vec<usize> = (1..=11).collect();
    let balance = setup.balance_near(Some(&found), found.drive, &all, 256);
    for joint in &setup.joints {
        let row = joint.rows.tangents[0];
        close(largest(&balance[row]), found.max_relative(row), 0.01);
    }
}
