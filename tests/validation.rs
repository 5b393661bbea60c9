//! Every entry of `validation/` passes, and what is asked of the entries is in them.

mod common;

use std::path::Path;

use common::{code, errors, fretwork, repository, text};
use fretwork::analytical::cattaneo_mindlin::PartialSlip;
use fretwork::analytical::hertz::{LineContact, contact_modulus};
use serde_json::Value;

/// The rows of the fast entries; what belongs to them stays in `target/tmp/validation`, for a look at it.
fn rows() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let entries = repository("validation");
    let entries = entries.to_str().unwrap();
    let arguments = ["validate", "--fast", "--json", "--folder", entries, "--output", "validation"];
    let output = fretwork(folder, &arguments);
    let rows: Value = serde_json::from_str(&text(&output)).expect("JSON on standard output");
    assert_eq!(code(&output), 0, "{}", text(&output));
    rows.as_array().unwrap().clone()
}

#[test]
fn fast_entries_pass_with_the_promised_keys_and_the_readme_says_so() {
    let rows = rows();
    let readme = std::fs::read_to_string(repository("README.md")).unwrap();
    let count = |verdict: &str| rows.iter().filter(|row| row["verdict"] == verdict).count();
    let summary = format!(
        "{} checks: {} pass, {} fail, {} info",
        rows.len(),
        count("pass"),
        count("fail"),
        count("info")
    );
    assert!(readme.contains(&summary), "README.md should say: {summary}");
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
    for entry in ["elements", "beam_modes", "rig_lumped", "hertz_fretting", "imperial_rig"] {
        let passed = |row: &&Value| row["validation"] == entry && row["verdict"] == "pass";
        assert!(rows.iter().filter(passed).count() > 0, "{entry}");
    }
}

#[test]
fn references_of_the_line_contact_are_the_closed_forms() {
    let text =
        std::fs::read_to_string(repository("validation/hertz_fretting/checks.toml")).unwrap();
    let checks: toml::Table = text.parse().unwrap();
    let contact = LineContact { modulus: contact_modulus(210e9, 0.3), radius: 0.1, load: 250e3 };
    let slip = PartialSlip { contact, friction: 0.5, tangential_load: 81.25e3 };
    let known = [
        ("half-width a", contact.half_width()),
        ("peak pressure p0", contact.peak_pressure()),
        ("stick half-width c", slip.stick_half_width()),
        ("loop energy", 1e-3 * slip.loop_energy()),
    ];
    for (name, value) in known {
        let rows = checks["check"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["quantity"].as_str().unwrap().starts_with(name));
        let references: Vec<f64> = rows.map(|row| row["reference"].as_float().unwrap()).collect();
        assert!(!references.is_empty(), "{name}");
        for reference in references {
            assert!((reference / value - 1.0).abs() < 1e-8, "{name}: {reference} {value}");
        }
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
fn entries_show_experiments_draw_figures_and_leave_slow_checks_out() {
    let folder = tempfile::tempdir().unwrap();
    let entry = folder.path().join("validation/shown");
    std::fs::create_dir_all(&entry).unwrap();
    std::fs::write(entry.join("case.toml"), common::OSCILLATOR).unwrap();
    let check = |name: &str, rest: &str| {
        format!(
            "[[check]]\nquantity = \"{name}\"\nsource = \"none\"\nrelation = \"info\"\n{rest}\n\
             value = {{ case = \"case.toml\", result = \"/frf/probes/u[0].re\" }}\n"
        )
    };
    let figure = r#"
        [[figure]]
        id = "own"
        title = "Heights of a check"
        x = { label = "test", unit = "1" }
        y = { label = "displacement", unit = "m" }
        bars = ["1"]
        curve = [
            { name = "ours", checks = ["quick"] },
            { name = "measured", points = [[0.0, 5e-5]] },
        ]
    "#;
    let checks = check("quick", "experiment = 5e-5") + &check("long", "slow = true") + figure;
    std::fs::write(entry.join("checks.toml"), checks).unwrap();
    let whole = text(&fretwork(folder.path(), &["validate", "-o", "out"]));
    assert!(whole.contains("experiment") && whole.contains("2 info"), "{whole}");
    assert!(!whole.contains("published"), "{whole}");
    let page = std::fs::read_to_string(folder.path().join("out/validation.html")).unwrap();
    assert!(page.contains("Heights of a check"));
    let fast = text(&fretwork(folder.path(), &["validate", "--fast", "-o", "out"]));
    assert!(fast.contains("1 info"), "{fast}");
}

#[test]
fn an_unknown_entry_is_refused_with_the_list_of_entries() {
    let output = fretwork(&repository(""), &["validate", "beam_mode"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("beam_modes"), "{}", errors(&output));
}
