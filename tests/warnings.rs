//! What is computed as it was asked for, with a warning that it is rarely meant.

mod common;

use std::fs;

use common::{BLOCK, code, errors, fretwork, repository, text};
use serde_json::Value;

/// The warnings of a run, which are those of `fretwork check` and of the report as well.
fn warnings(case: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml", "-o", "out"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let list = summary["warnings"].as_array().unwrap();
    list.iter().map(|warning| warning.as_str().unwrap().to_string()).collect()
}

/// Words that the one warning of a case must have.
fn warns(case: &str, expected: &[&str]) {
    let found = warnings(case);
    assert_eq!(found.len(), 1, "{found:#?}");
    for words in expected {
        assert!(found[0].contains(words), "`{words}` is missing in: {}", found[0]);
    }
}

/// The block of 0.2 m × 0.1 m in cells of 0.05 m, with a set that is the node nearest to a place.
fn with_nearest(place: &str) -> String {
    format!("{BLOCK}\n[parts.block.sets]\ncorner = {{ nearest = {place} }}\n")
}

#[test]
fn a_nearest_node_that_is_far_away_is_named() {
    // Millimetres in place of metres, and a place beside the part.
    warns(
        &with_nearest("[200, 100]"),
        &[
            "parts.block.sets.corner.nearest",
            "the place (200, 100)",
            "node 15 of part `block` at (0.2, 0.1)",
            "2.234e2 m away",
        ],
    );
    warns(&with_nearest("[0.1, -0.03]"), &["node 3 of part `block` at (0.1, 0)", "3.000e-2 m"]);
}

#[test]
fn a_nearest_node_of_the_cell_around_the_place_is_no_surprise() {
    for place in ["[0.2, 0.1]", "[0.075, 0.025]", "[0.1, -0.02]"] {
        assert_eq!(warnings(&with_nearest(place)), [""; 0], "{place}");
    }
}

#[test]
fn a_check_shows_the_warnings() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), with_nearest("[200, 100]")).unwrap();
    let output = fretwork(folder.path(), &["check", "case.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(
        text(&output).contains("warning: parts.block.sets.corner.nearest"),
        "{}",
        text(&output)
    );
}

/// The block with a beam of another material on it, and gravity.
fn with_gravity(density: &str) -> String {
    format!(
        "{BLOCK}\n[materials.foam]\nyoung = 1e6\npoisson = 0.3\n{density}\n\
         [parts.foam]\nmesh = {{ type = \"structured\", blocks = [{{ corners = [[0, 0.2], [0.1, 0.2], [0.1, 0.3], \
         [0, 0.3]], cells = [1, 1], edges = {{ bottom = \"foot\" }} }}] }}\n\
         sections = [{{ type = \"plane\", state = \"stress\", material = \"foam\", thickness = 0.01 }}]\n\
         [[supports]]\ntype = \"clamp\"\non = \"foam.foot\"\n\
         [[loads]]\ntype = \"gravity\"\nacceleration = [0, -9.81]\n"
    )
}

#[test]
fn a_part_without_density_under_gravity_is_named() {
    for density in ["", "density = 0.0"] {
        let words = ["loads[1]: gravity does not act on part `foam`", "`materials.foam.density`"];
        warns(&with_gravity(density), &words);
    }
    assert_eq!(warnings(&with_gravity("density = 30.0")), [""; 0]);
}

#[test]
fn gravity_in_a_case_without_any_mass_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let case = with_gravity("").replace("density = 7800.0\n", "");
    fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 2, "{}", errors(&output));
    let words = "loads[1]: gravity acts on mass, and nothing in the case has any";
    assert!(errors(&output).contains(words), "{}", errors(&output));
}

/// A mass that rubs on the ground and wears, without a spectrum.
fn rubbing() -> String {
    let case = fs::read_to_string(repository("cases/wear/rigid.toml")).unwrap();
    case.split("[[analysis]]                    # a load spectrum").next().unwrap().to_string()
}

#[test]
fn wear_that_nothing_limits_is_named() {
    let limited = rubbing();
    let line = limited.lines().find(|line| line.starts_with("max_depth")).unwrap();
    let endless = limited.replace(line, "");
    let words = ["analysis `wear`", "contact[0] (m, ground)", "no height", "`max_depth` [m]"];
    warns(&endless, &words);
    assert_eq!(warnings(&limited), [""; 0]);
    // A load that wear takes away ends it.
    let falling = endless.replace("preload = 20.0", "preload_stiffness = 1e6\npreload = 20.0");
    assert_eq!(warnings(&falling), [""; 0]);
}

#[test]
fn elastic_motion_that_counts_as_slip_is_named() {
    let law = |law: &str| {
        let wear = "wear = { type = \"energy\", coefficient = 1e-15 }";
        let rubbing = rubbing();
        let line = rubbing.lines().find(|line| line.starts_with("wear = ")).unwrap();
        rubbing
            .replace(line, &format!("{wear}\nlaw = {{ type = \"friction\", tangential = {law} }}"))
    };
    let words = ["analysis `wear`", "contact[0]", "elastic motion of the law `jenkins` as slip"];
    warns(&law("{ type = \"jenkins\", stiffness = 1e5 }"), &words);
    let rigid = law("{ type = \"smoothed_coulomb\", velocity = 0.05 }");
    assert_eq!(warnings(&rigid), [""; 0]);
}
