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

/// A mass on a cubic spring, whose resonance folds over.
const FOLDING: &str = r#"
[points.m]
mass = 1.0
freedoms = ["x"]
[[springs]]
between = ["m", "ground"]
direction = "x"
stiffness = 1.0
damping = 0.05
[[contact]]
between = ["m", "ground"]
normal = [1, 0]
area = 1.0
law = { type = "cubic", cubic = 0.1 }
[[loads]]
type = "force"
on = "m"
force = [0.2, 0]
variation = "harmonic"
[probes.u]
type = "displacement"
at = "m"
direction = "x"
[[analysis]]
type = "response"
harmonics = 7
odd = true
continuation = "pseudo_arc_length"
stability = "monodromy"
frequencies = { spacing = "linear", from = 0.08, to = 0.32, points = 2 }
"#;

#[test]
fn the_stability_of_every_point_is_on_disk_and_folds_are_flagged() {
    let runs = ["monodromy", "hill"].map(|method| {
        let (folder, code, message) = run(&FOLDING.replace("monodromy", method));
        assert_eq!(code, 0, "{message}");
        let results = ResultReader::open(&folder.path().join("out")).unwrap();
        let frequency = results.values("response/frequency").unwrap();
        let unstable = results.values("response/stability/unstable").unwrap();
        assert_eq!(unstable.len(), frequency.len());
        // Between the folds the curve runs to lower frequencies.
        let n = (1..frequency.len() - 1)
            .filter(|i| frequency[i - 1] > frequency[*i] && frequency[*i] > frequency[i + 1])
            .inspect(|i| assert_eq!(unstable[*i], 1.0, "{}", frequency[*i]))
            .count();
        let total = unstable.iter().filter(|n| **n > 0.0).count();
        assert!(n > 5 && total >= n && total <= n + 2, "{n} {total}");
        let kinds = results.values("response/stability/bifurcation").unwrap();
        assert_eq!(kinds.iter().filter(|kind| **kind == 1.0).count(), 2);
        assert_eq!(kinds.iter().filter(|kind| **kind > 1.0).count(), 0);
        let shape = results.shape("response/stability/multipliers").unwrap();
        assert_eq!(shape, [frequency.len(), 2]);
        let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let stability = &summary["analyses"]["response"]["stability"];
        assert_eq!(stability["unstable"], total);
        assert_eq!(stability["unknown"], 0);
        assert_eq!(stability["bifurcations"][1]["type"], "fold");
        unstable
    });
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn stability_that_cannot_be_found_is_refused_with_the_reason() {
    let friction = "friction = 0.1\npreload = 1.0";
    let slider = "friction = 0.1\npreload = 1.0\n\
                  law = { type = \"penalty\", normal_stiffness = 1.0, tangential_stiffness = 1.0 }";
    for contact in [friction, slider] {
        let text = RUBBING.replace("friction = 0.1\npreload = 1.0", contact);
        let text = text.replace("samples = 64", "samples = 64\nstability = \"hill\"");
        let (_folder, code, message) = run(&text);
        assert_eq!(code, 2, "{message}");
        assert!(message.contains("analysis[0].stability"), "{message}");
        assert!(message.contains("use \"monodromy\""), "{message}");
    }
    let (_folder, code, message) = run(&FOLDING.replace("mass = 1.0\n", ""));
    assert_ne!(code, 0, "{message}");
    assert!(message.contains("mass"), "{message}");
    let other =
        "[[contact]]\nbetween = [\"m\", \"ground\"]\nnormal = [0, 1]\narea = 1.0\n[[loads]]";
    let (_folder, code, message) = run(&FOLDING.replace("[[loads]]", other));
    assert_eq!(code, 2, "{message}");
    assert!(message.contains("contact[1].law"), "{message}");
}

/// A block pressed on the ground and shaken along it.
const BLOCK: &str = concat!(
    include_str!("fixtures/block.toml"),
    r#"
[[analysis]]
type = "response"
harmonics = 5
frequencies = { spacing = "list", values = [0.3, 0.35] }
"#
);

#[test]
fn every_pair_slides_at_its_own_friction() {
    let profile = "{ along = \"x\", at = [0.5, 1.5], values = [0.1, 0.3] }";
    let values = |text: &str| {
        let (folder, code, message) = run(text);
        assert_eq!(code, 0, "{message}");
        let results = ResultReader::open(&folder.path().join("out")).unwrap();
        let of = |name: &str| results.values(&format!("response/contact/0/{name}")).unwrap();
        ["x", "friction", "status", "normal_force", "tangential_force"].map(of)
    };
    let case = |friction: &str| BLOCK.replace("friction = 0.3", &format!("friction = {friction}"));
    let [x, friction, status, normal, tangential] = values(&case(profile));
    assert_eq!(x.len(), 5);
    for (x, friction) in x.iter().zip(&friction) {
        let known = (0.1 + 0.2 * (x - 0.5)).clamp(0.1, 0.3);
        assert!((friction - known).abs() < 1e-12, "{x} {friction}");
    }
    let samples = status.len() / 10;
    let mut sliding = [0; 5];
    for i in (0..status.len()).filter(|i| status[*i] == 1.0) {
        let pair = i / samples % 5;
        let ratio = tangential[i].abs() / normal[i];
        assert!((ratio - friction[pair]).abs() < 1e-6, "pair {pair}: {ratio}");
        sliding[pair] += 1;
    }
    assert!(sliding.iter().all(|n| *n > 0), "{sliding:?}");
    // The same as a list, in the order that the results tell.
    let list: Vec<String> = friction.iter().map(f64::to_string).collect();
    let [.., listed] = values(&case(&format!("[{}]", list.join(", "))));
    let largest = tangential.iter().fold(0.0, |m: f64, force| m.max(force.abs()));
    for (a, b) in tangential.iter().zip(&listed) {
        assert!((a - b).abs() < 1e-9 * largest);
    }
}

#[test]
fn a_branch_that_ends_at_max_points_says_so() {
    let case = RUBBING
        .replace("stiffness = 39.47841760435743", "stiffness = 39.47841760435743\ndamping = 1.0")
        .replace(
            "type = \"response\"",
            "type = \"response\"\ncontinuation = \"arc_length\"\nmax_points = 6",
        );
    let (folder, code, message) = run(&case);
    assert_eq!(code, 0, "{message}");
    let results = ResultReader::open(&folder.path().join("out")).unwrap();
    assert_eq!(results.values("response/curves/ended").unwrap(), [2.0]);
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["analyses"]["response"]["curves"][0]["ended"], "max_points");
    let warning = summary["warnings"][0].as_str().unwrap();
    assert!(warning.contains("curve 1 ends early, at max_points = 6"), "{warning}");
    let report = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(report.contains("Curve 1 ends at max_points"));
    let (folder, code, message) = run(&case.replace("max_points = 6", "max_points = 2000"));
    assert_eq!(code, 0, "{message}");
    let results = ResultReader::open(&folder.path().join("out")).unwrap();
    assert_eq!(results.values("response/curves/ended").unwrap(), [0.0]);
}
