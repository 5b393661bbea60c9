//! Forces of supports and ties against equilibrium and closed forms.

mod common;

use std::fs;

use common::{BLOCK, code, errors, fretwork};
use fretwork::results::ResultReader;

/// Static probes of a case, by name.
fn probes(case: &str) -> impl Fn(&str) -> f64 + use<> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml", "-o", "out"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let results = ResultReader::open(&folder.path().join("out")).unwrap();
    move |name| {
        let _keep = &folder;
        results.scalar(&format!("static/probes/{name}")).unwrap()
    }
}

fn reaction(name: &str, at: &str, direction: &str) -> String {
    format!("[probes.{name}]\ntype = \"reaction\"\nat = \"{at}\"\ndirection = {direction}\n")
}

fn close(ours: f64, expected: f64, scale: f64) {
    assert!((ours - expected).abs() < 1e-9 * scale, "{ours} should be {expected}");
}

/// An Euler–Bernoulli beam of 2 m, 20 mm × 10 mm, under its own weight, clamped at its left end.
const BEAM: &str = r#"
[materials.steel]
young = 210e9
poisson = 0.3
density = 7800.0

[parts.beam.mesh]
type = "structured"
lines = [{ from = [0, 0], to = [2, 0], cells = 7, start = "root", end = "tip" }]

[[parts.beam.sections]]
type = "beam"
material = "steel"
height = 0.02
width = 0.01

[[supports]]
type = "clamp"
on = "beam.root"

[[loads]]
type = "gravity"
acceleration = [0, -9.81]

[[analysis]]
type = "static"
"#;
const WEIGHT: f64 = 7800.0 * 0.02 * 0.01 * 2.0 * 9.81;

#[test]
fn a_beam_under_its_weight_is_held_by_its_root() {
    let names = [("along", "\"x\""), ("across", "\"y\""), ("moment", "\"rotation\"")];
    let wanted: String = names.map(|(name, d)| reaction(name, "beam.root", d)).concat();
    let probe = probes(&format!("{BEAM}{wanted}"));
    close(probe("along"), 0.0, WEIGHT);
    close(probe("across"), WEIGHT, WEIGHT);
    // The weight acts at half the length and turns clockwise; the root holds against it.
    close(probe("moment"), WEIGHT * 1.0, WEIGHT);
}

#[test]
fn a_roller_takes_its_share_beside_a_clamp() {
    let wanted = reaction("root", "beam.root", "\"y\"")
        + &reaction("tip", "beam.tip", "\"y\"")
        + &reaction("moment", "beam.root", "\"rotation\"");
    let roller = "[[supports]]\ntype = \"roller\"\non = \"beam.tip\"\ndirection = \"y\"\n";
    let probe = probes(&format!("{BEAM}{roller}{wanted}"));
    // Propped cantilever under a uniform load.
    close(probe("root"), 0.625 * WEIGHT, WEIGHT);
    close(probe("tip"), 0.375 * WEIGHT, WEIGHT);
    close(probe("moment"), WEIGHT * 2.0 / 8.0, WEIGHT);
}

#[test]
fn an_inclined_roller_pushes_along_its_direction_only() {
    let roller = "[[supports]]\ntype = \"roller\"\non = \"block.foot\"\ndirection = [1, 2]\n";
    let foot = "[parts.block.sets]\nfoot = { box = [[0.04, 0], [0.2, 0]] }\n";
    let wanted = reaction("left_x", "block.left", "\"x\"")
        + &reaction("left_y", "block.left", "\"y\"")
        + &reaction("foot_x", "block.foot", "\"x\"")
        + &reaction("foot_y", "block.foot", "\"y\"")
        + &reaction("foot", "block.foot", "[1, 2]");
    let probe = probes(&format!("{BLOCK}{roller}{foot}{wanted}"));
    // Traction of 1 MPa on 0.1 m × 10 mm.
    let load = 1e3;
    close(probe("left_x") + probe("foot_x"), 0.0, load);
    close(probe("left_y") + probe("foot_y"), -load, load);
    close(2.0 * probe("foot_x"), probe("foot_y"), load);
    close(probe("foot"), 5f64.sqrt() * probe("foot_x"), load);
    assert!(probe("foot").abs() > 100.0, "the roller carries a part of the load");
}

#[test]
fn a_tied_set_feels_the_tie_and_the_point_also_its_own_load() {
    let tied = BLOCK.replace("on = \"block.left\"", "on = \"root\"");
    let tie = r#"
[points.root]
at = [-0.3, 0.05]
freedoms = ["x", "y", "rotation"]
[[ties]]
nodes = "block.left"
to = "root"
[[loads]]
type = "force"
on = "root"
force = [20, 300]
"#;
    let wanted = reaction("set_x", "block.left", "\"x\"")
        + &reaction("set_y", "block.left", "\"y\"")
        + &reaction("point_x", "root", "\"x\"")
        + &reaction("point_y", "root", "\"y\"")
        + &reaction("moment", "root", "\"rotation\"");
    let probe = probes(&format!("{tied}{tie}{wanted}"));
    let load = 1e3;
    close(probe("set_x"), 0.0, load);
    close(probe("set_y"), -load, load);
    close(probe("point_x"), -20.0, load);
    close(probe("point_y"), -load - 300.0, load);
    // The traction acts at x = 0.2, 0.5 m from the point.
    close(probe("moment"), -load * 0.5, load);
}
