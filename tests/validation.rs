//! Every entry of `validation/` passes, and what is asked of the entries is in them.

mod common;

use common::{code, errors, fretwork, repository, text};
use serde_json::Value;

fn rows() -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let entries = repository("validation");
    let arguments = ["validate", "--json", "--folder", entries.to_str().unwrap()];
    let output = fretwork(folder.path(), &arguments);
    let rows: Value = serde_json::from_str(&text(&output)).expect("JSON on standard output");
    assert_eq!(code(&output), 0, "{}", text(&output));
    rows.as_array().unwrap().clone()
}

#[test]
fn all_entries_pass_and_have_the_promised_keys() {
    let rows = rows();
    let keys = [
        "validation",
        "quantity",
        "source",
        "reference",
        "ours",
        "difference",
        "tolerance",
        "verdict",
    ];
    for row in &rows {
        for key in keys {
            assert!(row.get(key).is_some(), "{row} lacks {key}");
        }
        assert_ne!(row["verdict"], "fail", "{row:#}");
        let judged = row["verdict"] == "pass";
        assert!(!judged || row["source"].as_str().is_some_and(|s| !s.is_empty()), "{row}");
    }
    for entry in ["elements", "beam_modes", "rig_lumped"] {
        let passed = |row: &&Value| row["validation"] == entry && row["verdict"] == "pass";
        assert!(rows.iter().filter(passed).count() > 0, "{entry}");
    }
}

#[test]
fn a_wrong_reference_fails_with_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let entry = folder.path().join("validation/wrong");
    std::fs::create_dir_all(&entry).unwrap();
    std::fs::write(entry.join("case.toml"), common::OSCILLATOR).unwrap();
    let checks = r#"
        [[check]]
        quantity = "static displacement"
        source = "F / k, doubled on purpose"
        value = { case = "case.toml", result = "/frf/probes/u[0].re" }
        reference = 7.5e-5
        tolerance = 0.01
        unit = "m"
    "#;
    std::fs::write(entry.join("checks.toml"), checks).unwrap();
    let output = fretwork(folder.path(), &["validate"]);
    assert_eq!(code(&output), 1);
    assert!(text(&output).contains("FAIL") && text(&output).contains("1 fail"));
}

#[test]
fn an_unknown_entry_is_refused_with_the_list_of_entries() {
    let output = fretwork(&repository(""), &["validate", "beam_mode"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("beam_modes"), "{}", errors(&output));
}
