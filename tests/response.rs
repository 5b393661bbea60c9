//! Nonlinear responses as a user meets them: failed points, kills, refusals.

mod common;

use std::fs;

use common::{code, errors, fretwork};
use fretwork::results::ResultReader;
use serde_json::Value;

/// An undamped mass with little friction: at its natural frequency, 1 Hz, it has no bounded response.
const RUBBING: &str = r#"
[points.m]
mass = 1.0
freedoms = ["x"]
[[springs]]
between = ["m", "ground"]
direction = "x"
stiffness = 39.47841760435743
[[contact]]
between = ["m", "ground"]
normal = [0, 1]
area = 1.0
friction = 0.1
preload = 1.0
[[loads]]
type = "force"
on = "m"
force = [1, 0]
variation = "harmonic"
[probes.u]
type = "displacement"
at = "m"
direction = "x"
[[analysis]]
type = "response"
harmonics = 3
samples = 64
frequencies = { spacing = "linear", from = 0.5, to = 1.49, points = 100 }
"#;

fn run(text: &str) -> (tempfile::TempDir, i32, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), text).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml", "-o", "out"]);
    let (code, message) = (code(&output), errors(&output));
    (folder, code, message)
}

#[test]
fn a_point_without_solution_is_marked_and_the_other_99_are_there() {
    let (folder, code, message) = run(RUBBING);
    assert_eq!(code, 1, "{message}");
    let results = ResultReader::open(&folder.path().join("out")).unwrap();
    let converged = results.values("response/converged").unwrap();
    let failed: Vec<usize> = (0..100).filter(|i| converged[*i] == 0.0).collect();
    assert_eq!(failed, [50]);
    let maximum = results.values("response/probes/u/maximum").unwrap();
    for (i, value) in maximum.iter().enumerate() {
        assert_eq!(value.is_nan(), i == 50, "{i}");
    }
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["failed_points"], 1);
    assert_eq!(summary["analyses"]["response"]["converged"], 99);
    let attempts = &summary["analyses"]["response"]["failed_points"][0]["attempts"];
    let attempts = attempts.as_array().unwrap();
    let has_history = |a: &Value| a["residuals"].as_array().is_some_and(|r| !r.is_empty());
    assert!(attempts.len() > 2 && attempts.iter().all(has_history), "{attempts:?}");
    let warning = summary["warnings"][0].as_str().unwrap();
    assert!(warning.contains("1.000000 Hz") && warning.contains("residual"), "{warning}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let text = RUBBING.replace("points = 100", "points = 10").replace("to = 1.49", "to = 0.9");
    fs::write(folder.path().join("case.toml"), text).unwrap();
    let values = |threads: &str| {
        let arguments = ["run", "case.toml", "-o", threads, "--threads", threads];
        assert_eq!(code(&fretwork(folder.path(), &arguments)), 0);
        let results = ResultReader::open(&folder.path().join(threads)).unwrap();
        results.complex_values("response/probes/u/harmonics").unwrap()
    };
    assert_eq!(values("1"), values("2"));
}

#[test]
fn bad_responses_are_refused_with_the_reason() {
    let refusals = [
        ("samples = 64", "samples = 6", "6 samples cannot resolve harmonic 3"),
        ("friction = 0.1", "friction = -0.1", "contact[0].friction"),
        ("preload = 1.0", "preload = 0.0", "nothing presses the faces together"),
        ("harmonics = 3", "harmonics = [2, 3]", "must contain the first harmonic"),
        ("harmonics = 3", "harmonics = [1, 1]", "each once"),
        (
            "{ spacing = \"linear\", from = 0.5, to = 1.49, points = 100 }",
            "{ spacing = \"list\", values = [1.0, 0.5] }",
            "must ascend",
        ),
        (
            "{ spacing = \"linear\", from = 0.5, to = 1.49, points = 100 }",
            "{ spacing = \"list\", values = [] }",
            "analysis[0].frequencies.values",
        ),
        ("from = 0.5", "from = 0.0", "needs a frequency above 0"),
        ("samples = 64", "vary = \"load\"", "analysis[0].factors"),
        ("samples = 64", "levels = [-1.0]", "level -1 is negative"),
        ("variation = \"harmonic\"", "", "nothing vibrates"),
    ];
    for (from, to, expected) in refusals {
        let (_folder, code, message) = run(&RUBBING.replacen(from, to, 1));
        assert_eq!(code, 2, "{to}: {message}");
        assert!(message.contains(expected), "`{to}` should say `{expected}`:\n{message}");
    }
}

#[test]
fn a_body_that_nothing_holds_is_named_as_a_rigid_body_motion() {
    // Free along the normal: pressed by a force, but held by nothing when the contact is bonded to
    // another free mass.
    let text = RUBBING
        .replace("between = [\"m\", \"ground\"]\nnormal", "between = [\"m\", \"n\"]\nnormal")
        + "\n[points.n]\nmass = 1.0\nfreedoms = [\"x\", \"y\"]\n";
    let text = text.replace("freedoms = [\"x\"]", "freedoms = [\"x\", \"y\"]");
    let (_folder, code, message) = run(&text);
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("weak spring") && message.contains("along y"), "{message}");
}
