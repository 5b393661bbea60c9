//! What joints and reductions that make no sense are answered with.

mod common;

use std::fs;

use common::{code, errors, fretwork};

/// Two blocks, one above the other, with matching faces.
const BLOCKS: &str = r#"
[materials.steel]
young = 210e9
poisson = 0.3
density = 7800.0

[parts.low.mesh]
type = "structured"
blocks = [{ corners = [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], cells = [4, 2], edges = { bottom = "bottom", top = "face", right = "side" } }]

[[parts.low.sections]]
type = "plane"
state = "stress"
material = "steel"
thickness = 0.01

[parts.high.mesh]
type = "structured"
blocks = [{ corners = [[0, 0.1], [0.2, 0.1], [0.2, 0.2], [0, 0.2]], cells = [4, 2], edges = { bottom = "face", top = "top", left = "side" } }]

[[parts.high.sections]]
type = "plane"
state = "stress"
material = "steel"
thickness = 0.01

[[supports]]
type = "clamp"
on = "low.bottom"

[[contact]]
between = ["high.face", "low.face"]

[reduction.low]
modes = 3

[reduction.high]
modes = 3

[[analysis]]
type = "reduction"
"#;

fn refused(case: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 2, "{}", errors(&output));
    for words in expected {
        assert!(errors(&output).contains(words), "`{words}` is missing in:\n{}", errors(&output));
    }
}

fn changed(from: &str, to: &str) -> String {
    assert!(BLOCKS.contains(from), "{from}");
    BLOCKS.replacen(from, to, 1)
}

#[test]
fn the_blocks_themselves_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), BLOCKS).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
}

#[test]
fn unmatched_pairs_are_listed_with_distance_and_tolerance() {
    // Five nodes 50 mm apart against six 40 mm apart: three have no partner, 10 or 20 mm off.
    let finer = changed(
        "cells = [4, 2], edges = { bottom = \"bottom\"",
        "cells = [5, 2], edges = { bottom = \"bottom\"",
    );
    let first = "node 2 of part `high` at (0.05, 0.1) (off by 1.000e-2 m)";
    refused(&finer, &["contact[0]", "3 nodes have no partner on `low.face`", "2.000e-7 m", first]);
    let coarse = finer.replace("[[contact]]", "[[contact]]\ntolerance = 0.015");
    refused(&coarse, &["1 nodes have no partner", "1.500e-2 m", "off by 2.000e-2 m"]);
}

#[test]
fn faces_that_share_nodes_are_refused() {
    let overlap = changed("[\"high.face\", \"low.face\"]", "[\"high.face\", \"high.side\"]");
    refused(&overlap, &["contact[0]", "of part `high` at (0, 0.1) is on both faces"]);
    let same = changed("[\"high.face\", \"low.face\"]", "[\"high.face\", \"high.face\"]");
    refused(&same, &["contact[0].between", "a face cannot touch itself"]);
}

#[test]
fn a_node_in_two_pairs_is_refused() {
    // Both faces on the ground as well: what they do to each other follows.
    let on_ground = |face: &str, normal: i32| {
        format!("\n[[contact]]\nbetween = [\"{face}\", \"ground\"]\nnormal = [0, {normal}]\n")
    };
    let twice = BLOCKS.to_string() + &on_ground("high.face", 1) + &on_ground("low.face", -1);
    let twice = twice.replace("type = \"reduction\"", "type = \"frf\"\nmethod = \"reduced\"\nfrequencies = { spacing = \"list\", values = [1] }\n[probes.p]\ntype = \"displacement\"\nat = \"high.top\"\ndirection = \"x\"\n[[loads]]\ntype = \"force\"\non = \"high.top\"\nforce = [1, 0]\nvariation = \"harmonic\"");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), twice).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 1, "{}", errors(&output));
    assert!(errors(&output).contains("a node is in too many pairs"), "{}", errors(&output));
}

#[test]
fn a_contact_given_twice_is_refused_at_the_second_table() {
    for between in ["[\"high.face\", \"low.face\"]", "[\"low.face\", \"high.face\"]"] {
        let twice = format!("{BLOCKS}\n[[contact]]\nbetween = {between}\n");
        refused(&twice, &["contact[1].between", between, "contact[0] pairs the same two faces"]);
    }
}

#[test]
fn an_interface_node_that_is_clamped_is_refused() {
    let held = changed("[reduction.low]", "[reduction.low]\ninterface = [\"low.bottom\"]");
    let words = ["reduction.low.interface[0]", "node 1 of part `low`", "held in x as well"];
    refused(&held, &words);
}

#[test]
fn a_contact_node_that_is_clamped_cannot_be_bonded() {
    let held = format!("{BLOCKS}\n[[supports]]\ntype = \"clamp\"\non = \"high.face\"\n");
    let stuck = held.replace("type = \"reduction\"", "type = \"modal\"\ncontact = \"stuck\"");
    refused(&stuck, &["contact[0]", "of part `high`", "supported or tied as well in x"]);
}

#[test]
fn more_modes_than_freedoms_are_refused_with_the_number_there_is() {
    // 15 nodes, of which 5 are clamped and 5 touch: 10 internal freedoms.
    let many = changed("[reduction.low]\nmodes = 3", "[reduction.low]\nmodes = 11");
    refused(&many, &["reduction.low.modes", "11 modes are more than the 10 internal freedoms"]);
}

#[test]
fn a_body_reduced_twice_and_an_unknown_body_are_refused() {
    let tied = changed(
        "[reduction.low]\nmodes = 3",
        "[points.knob]\nat = [0.1, 0.3]\n[[ties]]\nnodes = \"high.top\"\nto = \"knob\"\n[reduction.knob]\nmodes = 3",
    );
    refused(&tied, &["reduction.high", "is one body with"]);
    let unknown = changed("[reduction.low]", "[reduction.lou]");
    refused(&unknown, &["reduction.lou", "no such part or point", "low"]);
}

#[test]
fn a_crown_smaller_than_its_face_is_refused() {
    let crowned = |radius: &str| {
        let face = "between = [\"high.face\", \"low.face\"]";
        BLOCKS.replace(face, &format!("{face}\ncrown_radius = {radius}"))
    };
    refused(&crowned("0.05"), &["contact[0]", "crown_radius = 0.05 m", "1.0000e-1 m"]);
    refused(&crowned("-1.0"), &["contact[0].crown_radius", "-1"]);
}

#[test]
fn friction_that_does_not_fit_the_face_is_refused() {
    let friction =
        |value: &str| changed("[[contact]]", &format!("[[contact]]\nfriction = {value}"));
    let words = ["contact[0].friction", "lists 3 values, but the contact has 5 pairs"];
    refused(&friction("[0.1, 0.2, 0.3]"), &words);
    refused(&friction("[0.1, 0.2, -0.3, 0.1, 0.1]"), &["contact[0].friction[2]", "at least 0"]);
    refused(&friction("\"high\""), &["contact[0].friction", "must be a number"]);
    let table = |at: &str, values: &str| {
        friction(&format!("{{ along = \"x\", at = {at}, values = {values} }}"))
    };
    let uneven = ["contact[0].friction.values", "has 1 values for 2 positions"];
    refused(&table("[0.0, 0.2]", "[0.3]"), &uneven);
    let falling = ["contact[0].friction.at", "must ascend, but 0.2 m comes before 0.1 m"];
    refused(&table("[0.2, 0.1]", "[0.3, 0.3]"), &falling);
    refused(&table("[0.2]", "[-0.3]"), &["contact[0].friction.values[0]", "at least 0"]);
    refused(&friction("{ along = \"u\", at = [0], values = [0] }"), &["must be one of: x, y"]);
}

#[test]
fn static_friction_below_the_kinetic_one_of_its_pair_is_refused_whichever_way_it_is_written() {
    // Five pairs at x = 0, 0.05 … 0.2: only the last has less than 0.45.
    let case = |static_friction: &str| {
        let law = "law = { type = \"friction\", tangential = { type = \"lugre\", stiffness = 1e9, stribeck_velocity = 1e-3 } }";
        let table = "friction = { along = \"x\", at = [0.0, 0.2], values = [0.25, 0.45] }";
        let keys = format!(
            "[[contact]]\npreload = 1.0\n{table}\nstatic_friction = {static_friction}\n{law}"
        );
        changed("[[contact]]", &keys)
    };
    let words = [
        "contact[0].static_friction",
        "lugre: the static coefficient",
        "0.44 is less than friction = 0.45",
    ];
    refused(&case("[0.6, 0.6, 0.6, 0.6, 0.44]"), &words);
    refused(&case("{ along = \"y\", at = [0.1], values = [0.44] }"), &words);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case("[0.6, 0.6, 0.6, 0.6, 0.45]")).unwrap();
    let output = fretwork(folder.path(), &["check", "case.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
}
