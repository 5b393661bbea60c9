//! Wear as a user meets it: kills and resumption, spectra, follow-ups, refusals.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use common::{code, errors, fretwork, repository, text};
use fretwork::results::ResultReader;
use serde_json::Value;

fn case(name: &str) -> String {
    fs::read_to_string(repository(&format!("cases/{name}"))).unwrap()
}

fn with_case(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), text).unwrap();
    folder
}

fn summary(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("out/summary.json")).unwrap()).unwrap()
}

/// Many short increments, then modes and a response of the worn state.
fn long_case() -> String {
    case("wear/flat_on_flat.toml").replace(
        "tolerance = 0.01, first_jump = 1000",
        "tolerance = 0.01, first_jump = 1000, max_jump = 20000",
    ) + r#"
[[analysis.follow_up]]
name = "after"
at = [0, 1e6]
modes = 3
response = { harmonics = 3, samples = 64, levels = [0.2], frequencies = { spacing = "list", values = [60, 80] } }
"#
}

#[test]
fn a_run_killed_anywhere_goes_on_to_the_same_file() {
    let folder = with_case(&long_case());
    let start = Instant::now();
    let whole = fretwork(folder.path(), &["run", "case.toml", "-o", "out"]);
    let duration = start.elapsed();
    assert_eq!(code(&whole), 0, "{}", errors(&whole));
    let expected = fs::read(folder.path().join("out/results.h5")).unwrap();
    let expected_summary = fs::read(folder.path().join("out/summary.json")).unwrap();
    let mut kept = 0;
    for kill in 0..20_u32 {
        let output = format!("killed_{kill}");
        // Moments spread over the run by a golden-section sequence.
        let share = (f64::from(kill) * 0.618_034).fract();
        let mut child = Command::new(env!("CARGO_BIN_EXE_fretwork"))
            .args(["run", "case.toml", "-o", &output])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(duration.mul_f64(share));
        child.kill().unwrap();
        child.wait().unwrap();
        let file = folder.path().join(&output).join("results.h5");
        if file.exists() {
            let results = ResultReader::open(&file).unwrap();
            let cycles = results.values("wear/cycles").unwrap().len();
            assert_eq!(results.shape("wear/depth").unwrap()[0], cycles);
            kept += usize::from(cycles > 1);
        }
        let resumed = fretwork(folder.path(), &["run", "case.toml", "-o", &output, "--resume"]);
        assert_eq!(code(&resumed), 0, "{}", errors(&resumed));
        assert!(fs::read(&file).unwrap() == expected, "kill {kill}: another file");
        let summary = fs::read(folder.path().join(&output).join("summary.json")).unwrap();
        assert!(summary == expected_summary, "kill {kill}: another summary");
    }
    assert!(kept >= 10, "only {kept} of 20 runs were killed among their increments");
}

#[test]
fn another_case_is_not_resumed() {
    let folder = with_case(&case("wear/rigid.toml"));
    assert_eq!(code(&fretwork(folder.path(), &["run", "case.toml", "-o", "out"])), 0);
    let changed = ["run", "case.toml", "-o", "out", "--resume", "--set", "contact[0].friction=0.2"];
    let output = fretwork(folder.path(), &changed);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("another case"), "{}", errors(&output));
}

#[test]
fn blocks_follow_each_other_and_an_idle_block_wears_nothing() {
    let folder = with_case(&case("wear/rigid.toml"));
    let output = fretwork(folder.path(), &["run", "case.toml", "-o", "out"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let results = ResultReader::open(&folder.path().join("out")).unwrap();
    let values = |name: &str| results.values(&format!("spectrum/{name}")).unwrap();
    let (block, cycles, depth, rate) =
        (values("block"), values("cycles"), values("depth"), values("rate"));
    assert_eq!(cycles.last(), Some(&1.2e6));
    let starts: Vec<usize> =
        (0..6).map(|b| block.iter().position(|value| *value == f64::from(b)).unwrap()).collect();
    let expected: f64 = starts
        .iter()
        .zip([1e5, 2e5, 3e5, 1e5, 2e5, 3e5])
        .map(|(row, cycles)| rate[*row] * cycles)
        .sum();
    let last = depth[depth.len() - 1];
    assert!((last / expected - 1.0).abs() < 1e-10, "{last} {expected}");
    assert_eq!((rate[starts[2]], rate[starts[5]]), (0.0, 0.0));
    assert!(rate[starts[0]] > 0.0 && rate[starts[1]] > 0.0);
}

#[test]
fn without_slip_nothing_wears_and_the_run_says_so() {
    let folder = with_case(&case("wear/rigid.toml"));
    let still = ["run", "case.toml", "-o", "out", "--set", "loads[0].force=[1, 0]"];
    let output = fretwork(folder.path(), &still);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("nothing wears"), "{}", text(&output));
    let results = ResultReader::open(&folder.path().join("out")).unwrap();
    assert_eq!(results.values("wear/cycles").unwrap(), [0.0, 1e6]);
}

/// An elastic slider below its limit moves, but its friction does no work.
#[test]
fn an_elastic_contact_that_never_slips_does_not_wear() {
    let folder = with_case(&case("wear/rigid.toml"));
    let law = "contact[0].law={type=\"friction\",tangential={type=\"jenkins\",stiffness=1e5}}";
    let wear = "contact[0].wear={type=\"energy\",coefficient=1e-12}";
    let mut arguments = vec!["run", "case.toml", "-o", "out"];
    for set in [law, wear, "loads[0].force=[4,0]", "analysis[0].samples=64"] {
        arguments.extend(["--set", set]);
    }
    let output = fretwork(folder.path(), &arguments);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let end = &summary(folder.path())["analyses"]["wear"]["histories"][0];
    assert!(end["volume"].as_f64().unwrap() < 1e-24, "{end}");
}

/// Its elastic motion is part of the path, but not of the energy that it wears by.
#[test]
fn an_elastic_contact_that_slips_wears_by_its_energy() {
    let folder = with_case(&case("wear/rigid.toml"));
    let law = "contact[0].law={type=\"friction\",tangential={type=\"jenkins\",stiffness=1e5}}";
    let wear = "contact[0].wear={type=\"energy\",coefficient=1e-15}";
    let mut arguments = vec!["run", "case.toml", "-o", "out"];
    for set in [law, wear, "analysis[0].samples=64"] {
        arguments.extend(["--set", set]);
    }
    let output = fretwork(folder.path(), &arguments);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let end = &summary(folder.path())["analyses"]["wear"]["histories"][0];
    let [volume, energy, imbalance] =
        ["volume", "dissipated_energy", "max_imbalance"].map(|key| end[key].as_f64().unwrap());
    assert!(volume > 0.0 && (volume / (1e-15 * energy) - 1.0).abs() < 1e-6, "{end}");
    assert!(imbalance < 1e-6, "{end}");
}

#[test]
fn wear_deeper_than_allowed_stops_with_code_1_and_everything_before() {
    let folder = with_case(&case("wear/flat_on_flat.toml"));
    let deep = ["run", "case.toml", "-o", "out", "--set", "analysis[0].max_depth_fraction=1e-4"];
    let output = fretwork(folder.path(), &deep);
    assert_eq!(code(&output), 1, "{}", errors(&output));
    assert!(text(&output).contains("deeper than allowed"), "{}", text(&output));
    let results = ResultReader::open(&folder.path().join("out")).unwrap();
    assert!(results.values("wear/cycles").unwrap().len() > 2);
    assert_eq!(results.values("wear/histories/finished").unwrap(), [0.0]);
}

#[test]
fn a_slip_out_of_reach_is_reported_and_the_other_histories_go_on() {
    let folder = with_case(&case("wear/rigid.toml"));
    let target = "analysis[0].target_slip={amplitude=1e-3, max_level=1.5}";
    // At resonance, 15.9 Hz, little load is needed; far above it more than may be tried.
    let grid = "analysis[0].frequencies={spacing=\"list\", values=[16, 200]}";
    let arguments = ["run", "case.toml", "-o", "out", "--set", target, "--set", grid];
    let output = fretwork(folder.path(), &arguments);
    assert_eq!(code(&output), 1, "{}", errors(&output));
    assert!(text(&output).contains("raise `target_slip.max_level`"), "{}", text(&output));
    let results = ResultReader::open(&folder.path().join("out")).unwrap();
    let slips = results.values("wear/target/slip").unwrap();
    assert!((slips[0] / 1e-3 - 1.0).abs() < 1e-6, "{slips:?}");
    assert!(results.values("wear/target/load_factor").unwrap()[1].is_nan());
    assert_eq!(results.values("wear/histories/finished").unwrap(), [1.0]);
}

#[test]
fn a_response_that_stops_converging_keeps_what_was_computed() {
    // An undamped mass at resonance: friction bounds its motion while 4 μN/π > F, until wear takes the load.
    let text_of = |factor: &str| {
        case("wear/rigid.toml")
            .replace("damping = 10.0                  # N s/m", "damping = 0.0")
            .replace("preload = 20.0", &format!("preload_stiffness = {factor}\npreload = 120.0"))
            .replace("values = [20]", "values = [15.915494309189533]")
    };
    let folder = with_case(&text_of("2e8"));
    let output = fretwork(folder.path(), &["run", "case.toml", "-o", "out"]);
    let summary = summary(folder.path());
    let warnings = summary["warnings"].to_string();
    assert_eq!(code(&output), 1, "{warnings}");
    assert!(warnings.contains("stopped after"), "{warnings}");
}

#[test]
fn profiles_are_exported_as_a_table() {
    let folder = with_case(&case("wear/rigid.toml"));
    assert_eq!(code(&fretwork(folder.path(), &["run", "case.toml", "-o", "out"])), 0);
    let output = fretwork(folder.path(), &["export", "out", "--csv"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let table = fs::read_to_string(folder.path().join("out/wear.csv")).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("history,cycles,pair,x [m],y [m],depth [m]"), "{}", rows[0]);
    let last: Vec<f64> =
        rows[rows.len() - 1].split(',').map(|cell| cell.parse().unwrap()).collect();
    // The whole depth is lost by the first face.
    assert_eq!((last[9], last[10]), (last[5], 0.0));
}

#[test]
fn the_two_readings_of_the_sliding_distance_differ_by_the_factor_they_say() {
    let volume = |law: &str| {
        let folder = with_case(&case("wear/rigid.toml"));
        let set = format!("contact[0].wear={law}");
        let output = fretwork(folder.path(), &["run", "case.toml", "-o", "out", "--set", &set]);
        assert_eq!(code(&output), 0, "{}", errors(&output));
        ResultReader::open(&folder.path().join("out")).unwrap().scalar("/wear/volume[-1]").unwrap()
    };
    let path = volume(r#"{type="archard", coefficient=1e-15}"#);
    let amplitude = volume(r#"{type="archard", coefficient=4e-15, sliding_distance="amplitude"}"#);
    let incubated = volume(r#"{type="archard", coefficient=1e-15, threshold=1e9}"#);
    assert!((amplitude / path - 1.0).abs() < 1e-12);
    assert!(incubated > 0.0 && incubated < path);
    assert!((path - incubated - 1e-15 * 1e9 * 1e-4).abs() < 1e-9 * path);
}

#[test]
fn mistakes_are_named_with_their_line() {
    let cases = [
        ("contact[0].wear={type=\"archard\", coefficient=-1e-15}", "0 or greater"),
        ("contact[0].wear={type=\"archard\"}", "give `coefficient`"),
        ("contact[0].wear={type=\"archard\", coefficient=[1e-15, 1e-15]}", "one for each pair"),
        ("contact[0].wear={type=\"energy\", coefficient=1e-15, share=[1, 1]}", "sum is 1"),
        (
            "analysis[0].scheme={type=\"explicit\", max_increment=1e-8, first_jump=2e6}",
            "more than the",
        ),
        (
            "analysis[0].scheme={type=\"explicit\", max_increment=-1e-8, first_jump=2}",
            "greater than 0",
        ),
        ("analysis[0].cycles=-5", "greater than 0"),
        ("analysis[0].at=[2e6]", "between 0 and"),
        ("analysis[0].blocks=[{frequency=1, cycles=1}]", "not both"),
        ("contact[0].preload_stiffness=-1", "at least 0"),
        ("analysis[0].target_slip={amplitude=0}", "greater than 0"),
        ("analysis[0].target_slip={amplitude=1e-3, contact=1}", "must be less than 1"),
        ("analysis[1].target_slip={amplitude=1e-3}", "leave out `blocks`"),
    ];
    let folder = with_case(&case("wear/rigid.toml"));
    for (set, expected) in cases {
        let output = fretwork(folder.path(), &["run", "case.toml", "-o", "out", "--set", set]);
        assert_eq!(code(&output), 2, "{set}: {}", errors(&output));
        assert!(errors(&output).contains(expected), "{set}: {}", errors(&output));
    }
    let without = case("wear/rigid.toml");
    let line = without.lines().find(|line| line.starts_with("wear = ")).unwrap().to_string();
    let folder = with_case(&without.replace(&line, ""));
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("nothing can wear"), "{}", errors(&output));
}
