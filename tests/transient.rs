//! Responses in time by the program: what is on disk, and what is refused.

mod common;

use std::fs;

use common::{code, errors, fretwork, text};
use fretwork::results::ResultReader;

/// Two masses that rub on each other.
const ACADEMIC: &str = concat!(
    include_str!("fixtures/academic.toml"),
    r#"
[[analysis]]
type = "transient"
method = "shooting"
load_factor = 16.0
steps_per_period = 2000
frequencies = { spacing = "list", values = [0.6, 0.8, 1.0] }
"#
);

fn run(case: &str) -> (std::process::Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case).unwrap();
    (fretwork(folder.path(), &["run", "case.toml", "-o", "out"]), folder)
}

fn results(folder: &tempfile::TempDir) -> ResultReader {
    ResultReader::open(&folder.path().join("out")).unwrap()
}

#[test]
fn the_last_period_of_every_frequency_is_on_disk() {
    let (output, folder) = run(ACADEMIC);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let results = results(&folder);
    assert_eq!(results.values("transient/frequency").unwrap(), [0.6, 0.8, 1.0]);
    let close =
        |ours: f64, known: f64| assert!((ours / known - 1.0).abs() < 1e-3, "{ours} {known}");
    for (i, known) in [1.711, 0.6801, 0.5938].into_iter().enumerate() {
        close(results.scalar(&format!("transient/probes/u1/maximum[{i}]")).unwrap(), known);
        assert_eq!(results.scalar(&format!("transient/periodic[{i}]")).unwrap(), 1.0);
    }
    assert_eq!(results.shape("transient/probes/u1/history").unwrap(), [3, 2000]);
    assert_eq!(results.shape("transient/probes/u1/harmonics").unwrap(), [3, 16]);
    assert_eq!(results.shape("transient/multipliers").unwrap(), [3, 4]);
    // Sliding friction is μN; the work of force and slip is what it dissipates.
    let force = results.values("transient/contact/0_tangential/force").unwrap();
    assert!(force.iter().all(|force| force.abs() <= 10.0 + 1e-9));
    assert!(force.iter().filter(|force| force.abs() > 10.0 - 1e-9).count() > 3000);
    let slip = results.values("transient/contact/0_tangential/relative_displacement").unwrap();
    let largest = slip[2000..4000].iter().fold(0.0, |m: f64, u| m.max(u.abs()));
    close(largest, 0.6681);
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    assert!(summary.contains("\"periodic\": 3"), "{summary}");
    // Harmonics add up to the history.
    let amplitudes = results.complex_values("transient/probes/u1/harmonics").unwrap();
    let history = results.values("transient/probes/u1/history").unwrap();
    let at_end: f64 = amplitudes[16..32].iter().map(|u| u.re).sum();
    assert!((at_end - history[3999]).abs() < 1e-2 * 0.68, "{at_end} {}", history[3999]);
}

#[test]
fn frequencies_that_do_not_settle_are_marked_and_the_others_stay() {
    let case = ACADEMIC
        .replace("method = \"shooting\"", "method = \"integration\"\nmax_periods = 100")
        .replace("[0.6, 0.8, 1.0]", "[0.5, 1.0]");
    let (output, folder) = run(&format!("{case}\n[[analysis]]\ntype = \"modal\"\nmodes = 2\n"));
    assert_eq!(code(&output), 1, "{}", errors(&output));
    assert!(text(&output).contains("1 of 2 frequencies periodic"), "{}", text(&output));
    let results = results(&folder);
    assert_eq!(results.scalar("transient/periodic[0]").unwrap(), 0.0);
    assert_eq!(results.scalar("transient/periodic[1]").unwrap(), 1.0);
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    assert!(summary.contains("0.5 Hz: not periodic after 100 periods"), "{summary}");
    assert!(summary.contains("\"failed_points\": 1"), "{summary}");
    // The analyses after it are done all the same.
    assert_eq!(results.values("modal/frequency").unwrap().len(), 2);
}

#[test]
fn what_makes_no_sense_is_refused_with_its_key() {
    let refuse = |from: &str, to: &str, expected: &str| {
        let (output, _folder) = run(&ACADEMIC.replace(from, to));
        assert_eq!(code(&output), 2, "{to}");
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    };
    refuse("0.6, 0.8", "0.0, 0.8", "frequencies greater than 0 Hz");
    refuse("steps_per_period = 2000", "steps_per_period = 25", "15 harmonics need more than 30");
    refuse("variation = \"harmonic\"", "", "nothing vibrates");
    refuse("load_factor = 16.0", "load_factor = 16.0\ntolerance = 0.0", "analysis[0].tolerance");
    let spring = "[[contact]]\nbetween = [\"m1\", \"ground\"]\nnormal = [0, 1]\narea = 1.0\n\
                  law = { type = \"cubic\", cubic = 1.0 }\n[[loads]]";
    refuse("[[loads]]", spring, "contact[1].law");
}

#[test]
fn contacts_without_mass_are_named() {
    let (output, _folder) = run(&ACADEMIC.replace("mass = 1.0, ", ""));
    assert_eq!(code(&output), 1);
    assert!(errors(&output).contains("moves no mass"), "{}", errors(&output));
}
