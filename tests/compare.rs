//! Measurements laid over results: known differences are found again, bad files are refused.

mod common;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use common::{OSCILLATOR, code, errors, fretwork, repository, text};
use fretwork::results::ResultReader;
use serde_json::Value;

/// Runs a case file of the repository, or a text, into `folder/out`.
fn run(folder: &Path, case: &str) -> ResultReader {
    let path = repository(case);
    let path = if path.is_file() {
        path
    } else {
        fs::write(folder.join("case.toml"), case).unwrap();
        folder.join("case.toml")
    };
    let output = fretwork(folder, &["run", path.to_str().unwrap(), "-q", "-o", "out"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    ResultReader::open(&folder.join("out")).unwrap()
}

/// The comparison with one measurement, as JSON.
fn compare(folder: &Path, csv: &str) -> Value {
    fs::write(folder.join("m.csv"), csv).unwrap();
    let output = fretwork(folder, &["compare", "out", "m.csv", "--json"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let all: Value = serde_json::from_str(&text(&output)).unwrap();
    all[0].clone()
}

fn measure(comparison: &Value, name: &str, key: &str) -> f64 {
    let list = comparison["measures"].as_array().unwrap();
    let found = list.iter().find(|m| m["name"].as_str().unwrap().starts_with(name));
    found.unwrap_or_else(|| panic!("`{name}` in {comparison:#}"))[key].as_f64().unwrap()
}

/// Numbers between −1 and 1 that look random and are the same every time.
fn noise(n: usize) -> Vec<f64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// The oscillator around its resonance, 31.83 Hz, ζ = 1 %.
fn oscillator(folder: &Path) -> ResultReader {
    let case =
        OSCILLATOR.replace("from = 0, to = 60, points = 121", "from = 25, to = 40, points = 601");
    run(folder, &case)
}

/// A measurement like the prediction with frequencies and amplitudes multiplied and noise added, in kHz, µm
/// and degrees.
fn shifted(results: &ResultReader, frequency: f64, amplitude: f64, noisy: f64) -> String {
    let f = results.values("frf/frequency").unwrap();
    let h = results.complex_values("frf/probes/u").unwrap();
    let random = noise(f.len());
    let mut csv = String::from(
        "# quantity: response\n# probe: u\nfrequency [kHz], amplitude [um], phase [deg]\n",
    );
    for ((f, h), r) in f.iter().zip(&h).zip(&random) {
        let a = 1e6 * h.norm() * amplitude * (1.0 + noisy * r);
        let _ = writeln!(csv, "{}, {a}, {}", 1e-3 * f * frequency, h.arg().to_degrees());
    }
    csv
}

#[test]
fn the_prediction_itself_has_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let results = oscillator(folder.path());
    let same = compare(folder.path(), &shifted(&results, 1.0, 1.0, 0.0));
    for name in ["peak frequency", "peak amplitude", "damping ratio, half", "damping ratio, circle"]
    {
        assert!(measure(&same, name, "difference").abs() < 1e-6, "{name}: {same:#}");
    }
    assert!((measure(&same, "FRAC", "difference") - 1.0).abs() < 1e-9);
    assert!(measure(&same, "normalised RMS", "difference") < 1e-6);
    let zeta = 8.0 / (2.0 * (8e4f64 * 2.0).sqrt());
    assert!((measure(&same, "damping ratio, circle", "measured") / zeta - 1.0).abs() < 0.01);
}

#[test]
fn known_shift_scale_and_noise_are_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let results = oscillator(folder.path());
    let other = compare(folder.path(), &shifted(&results, 1.02, 1.25, 0.0));
    assert!((measure(&other, "peak frequency", "difference") - (1.0 / 1.02 - 1.0)).abs() < 1e-5);
    assert!((measure(&other, "peak amplitude", "difference") - (1.0 / 1.25 - 1.0)).abs() < 1e-5);
    assert!(
        measure(&other, "damping ratio, half", "difference").abs() < 1e-4,
        "a ratio of frequencies"
    );
    assert!(measure(&other, "FRAC", "difference") < 0.7, "peaks beside each other");

    let larger = compare(folder.path(), &shifted(&results, 1.0, 1.25, 0.0));
    assert!((measure(&larger, "FRAC", "difference") - 1.0).abs() < 1e-6, "shape only");
    assert!((measure(&larger, "normalised RMS", "difference") - 0.2).abs() < 1e-6);
    let faac = 2.0 * 1.25 / (1.0 + 1.25f64.powi(2));
    assert!((measure(&larger, "FAAC", "difference") - faac).abs() < 1e-6);

    let noisy = compare(folder.path(), &shifted(&results, 1.0, 1.0, 0.02));
    // Even noise of ±2 % has an RMS of 2 %/√3.
    let rms = measure(&noisy, "normalised RMS", "difference");
    assert!((rms / (0.02 / 3f64.sqrt()) - 1.0).abs() < 0.25, "{rms}");
    assert!(measure(&noisy, "peak frequency", "difference").abs() < 2e-3);
    assert!(measure(&noisy, "damping ratio, circle", "difference").abs() < 0.03);
}

#[test]
fn a_curve_that_still_rises_at_its_end_has_no_peak() {
    let folder = tempfile::tempdir().unwrap();
    let case =
        OSCILLATOR.replace("from = 0, to = 60, points = 121", "from = 25, to = 31, points = 61");
    let results = run(folder.path(), &case);
    let below = compare(folder.path(), &shifted(&results, 1.0, 1.0, 0.0));
    for name in ["peak frequency", "peak amplitude", "damping ratio, half"] {
        let list = below["measures"].as_array().unwrap();
        let found = list.iter().find(|m| m["name"].as_str().unwrap().starts_with(name)).unwrap();
        for key in ["measured", "predicted", "difference"] {
            assert!(found[key].is_null(), "{found:#}");
        }
    }
    let output = fretwork(folder.path(), &["compare", "out", "m.csv"]);
    for curve in ["measurement", "prediction"] {
        let note = format!("no peak in the {curve}: its largest value is at an end of its range");
        assert!(text(&output).contains(&note), "{}", text(&output));
    }
    assert!(text(&output).contains("25 to 31 Hz"), "{}", text(&output));
}

#[test]
fn loops_are_compared_in_size_and_shape() {
    let folder = tempfile::tempdir().unwrap();
    let results = run(folder.path(), "cases/coulomb_oscillator.toml");
    let (name, _) = results.analyses().unwrap().into_iter().find(|(_, k)| k == "response").unwrap();
    let row = 3;
    let at = results.values(&format!("{name}/frequency")).unwrap()[row];
    let load = results.values(&format!("{name}/load_factor")).unwrap()[row];
    let slip = results.row(&format!("{name}/contact/0/slip"), row).unwrap();
    let force = results.row(&format!("{name}/contact/0/tangential_force"), row).unwrap();
    let energy = results.values(&format!("{name}/contact/0/dissipated_energy")).unwrap()[row];
    let mut csv = format!(
        "# quantity: loop\n# analysis: {name}\n# load_factor: {load}\n# frequency: {at} Hz\n\
         displacement [mm], force [N]\n"
    );
    for (x, f) in slip.iter().zip(&force) {
        let _ = writeln!(csv, "{}, {}", 1e3 * 2.0 * x, 0.5 * f);
    }
    let found = compare(folder.path(), &csv);
    let area = measure(&found, "area", "predicted");
    assert!((area / energy.abs() - 1.0).abs() < 0.02, "area {area}, stored energy {energy}");
    assert!(measure(&found, "area", "difference").abs() < 1e-9, "twice as wide, half as high");
    assert!((measure(&found, "half width", "difference") + 0.5).abs() < 1e-9);
    assert!((measure(&found, "half height", "difference") - 1.0).abs() < 1e-9);
    assert!(measure(&found, "distance of shapes", "difference") < 1e-9);
}

#[test]
fn a_measured_shape_finds_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let results = run(folder.path(), "cases/cantilever.toml");
    let nodes = results.values("mesh/coordinates").unwrap();
    let shape = results.row("modal/shape", 1).unwrap();
    let mut csv = String::from("# quantity: mode\n# frequency: 570 Hz\nx [mm], y [mm], dy [1]\n");
    for (i, u) in shape.chunks(2).enumerate().step_by(11) {
        let _ =
            writeln!(csv, "{}, {}, {}", 1e3 * nodes[2 * i], 1e3 * nodes[2 * i + 1], -3.0 * u[1]);
    }
    let found = compare(folder.path(), &csv);
    assert!((measure(&found, "MAC with mode 2", "difference") - 1.0).abs() < 1e-9);
    assert!((measure(&found, "frequency", "difference") - (581.155 / 570.0 - 1.0)).abs() < 1e-4);
    assert!(measure(&found, "largest MAC with another", "difference") < 0.2);
}

#[test]
fn published_values_give_the_differences_of_the_validation_table() {
    let folder = tempfile::tempdir().unwrap();
    // The published values are those of the classic method.
    let case = fs::read_to_string(repository("cases/academic_2dof/response.toml")).unwrap();
    let classic = case.replace("harmonics = 7", "harmonics = 7\nform = \"displacement\"");
    let results = run(folder.path(), &classic);
    let maximum = results.values("response/probes/u1/maximum").unwrap();
    let csv = fs::read_to_string(repository("validation/academic_2dof/dlft_6N.csv")).unwrap();
    let found = compare(folder.path(), &csv);
    let checks = fs::read_to_string(repository("validation/academic_2dof/checks.toml")).unwrap();
    for (frequency, row) in [("0.9", 12), ("1", 14), ("1.1", 16)] {
        let name = format!("at {frequency} Hz");
        let reference = measure(&found, &name, "measured");
        let form = "set = { \"analysis[0].form\" = \"displacement\" }";
        let place = format!("u1/maximum[{row}]\", {form} }}\nreference = {reference}\n");
        assert!(checks.contains(&place), "{place}");
        let difference = maximum[row] / reference - 1.0;
        assert!((measure(&found, &name, "difference") - difference).abs() < 1e-9, "{name}");
    }
}

#[test]
fn several_measurements_make_one_table_and_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let results = oscillator(folder.path());
    fs::write(folder.path().join("a.csv"), shifted(&results, 1.0, 1.0, 0.0)).unwrap();
    fs::write(folder.path().join("b.csv"), shifted(&results, 1.01, 1.0, 0.0)).unwrap();
    let output = fretwork(folder.path(), &["compare", "out", "a.csv", "b.csv", "--figures", "svg"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    for words in
        ["a: u of `frf`", "b: u of `frf`", "peak frequency", "−0.9901 %", "comparison.html"]
    {
        assert!(text(&output).contains(words), "{words} in\n{}", text(&output));
    }
    let page = fs::read_to_string(folder.path().join("out/comparison.html")).unwrap();
    assert_eq!(page.matches("<figure").count(), 2);
    assert!(folder.path().join("out/figures/compare_b_log.svg").is_file());
}

#[test]
fn files_that_do_not_fit_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    oscillator(folder.path());
    let head = "# quantity: response\n# probe: u\n";
    let bad = [
        (String::new(), "bad.csv:1:1", "# quantity"),
        (
            format!("{head}frequency [Hz], amplitude [m/s]\n1, 2\n"),
            "bad.csv:3:17",
            "converted to m",
        ),
        (format!("{head}frequency [Hz]\n1\n"), "bad.csv:3:1", "`amplitude [m]` is missing"),
        (format!("{head}frequency [Hz], amplitude [m]\n1, two\n"), "bad.csv:4:4", "`two`"),
        (
            head.replace(": u", ": v") + "frequency [Hz], amplitude [m]\n1, 2\n",
            "bad.csv:2:1",
            "there are: u",
        ),
        ("# quantity: loop\ndisplacement [m], force [N]\n1, 2\n".into(), "bad.csv:1:1", "response"),
        (
            "# quantity: profile\n# cycles: 9\nposition [m], depth [m]\n1, 2\n".into(),
            "bad.csv:1:1",
            "wear",
        ),
    ];
    for (contents, place, words) in bad {
        fs::write(folder.path().join("bad.csv"), contents).unwrap();
        let output = fretwork(folder.path(), &["compare", "out", "bad.csv"]);
        let message = errors(&output);
        assert_eq!(code(&output), 2, "{message}");
        assert!(message.contains(place) && message.contains(words), "{message}");
    }
}
