//! The program as a user meets it: files in, files and messages out.

mod common;

use std::fs;
use std::path::Path;

use common::{BLOCK, OSCILLATOR, code, errors, fretwork, repository, text};
use fretwork::results::ResultReader;
use serde_json::Value;

fn with_case(contents: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), contents).unwrap();
    folder
}

/// Exit code and standard error of `run case.toml`.
fn refused(contents: &str) -> (i32, String) {
    let folder = with_case(contents);
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    (code(&output), errors(&output))
}

fn expect_refusal(contents: &str, expected: &[&str]) {
    let (code, message) = refused(contents);
    assert_eq!(code, 2, "{message}");
    for part in expected {
        assert!(message.contains(part), "expected `{part}` in:\n{message}");
    }
}

#[test]
fn run_writes_results_summary_and_vtu() {
    let folder = with_case(BLOCK);
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let results = folder.path().join("results/case");
    for file in ["results.h5", "summary.json", "static.vtu"] {
        assert!(results.join(file).is_file(), "{file}");
    }
    let summary = fs::read_to_string(results.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["model"]["free_freedoms"], 24);
    assert!(text(&output).contains("results in results/case"));
}

#[test]
fn a_rerun_removes_the_vtu_files_of_analyses_that_are_gone() {
    let folder = with_case(&format!("{BLOCK}[[analysis]]\ntype = \"modal\"\nmodes = 2\n"));
    let results = folder.path().join("results/case");
    let run = || assert_eq!(code(&fretwork(folder.path(), &["run", "case.toml"])), 0);
    run();
    assert!(results.join("modal.vtu").is_file());
    fs::write(results.join("mine.vtu"), "not from a run").unwrap();
    fs::write(folder.path().join("case.toml"), BLOCK).unwrap();
    run();
    assert!(!results.join("modal.vtu").exists(), "there is no modal analysis any more");
    assert!(results.join("static.vtu").is_file() && results.join("mine.vtu").is_file());
}

#[test]
fn quiet_prints_nothing_and_output_goes_where_asked() {
    let folder = with_case(OSCILLATOR);
    let output = fretwork(folder.path(), &["run", "case.toml", "--quiet", "-o", "a/b"]);
    assert_eq!(code(&output), 0);
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    assert!(folder.path().join("a/b/results.h5").is_file());
}

#[test]
fn cases_in_subfolders_get_results_in_subfolders() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("cases/rig")).unwrap();
    fs::write(folder.path().join("cases/rig/modes.toml"), OSCILLATOR).unwrap();
    assert_eq!(code(&fretwork(folder.path(), &["run", "cases/rig/modes.toml"])), 0);
    assert!(folder.path().join("results/rig/modes/results.h5").is_file());
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let case = repository("cases/cantilever.toml");
    let folder = tempfile::tempdir().unwrap();
    let read = |threads: &str| {
        let arguments = ["run", case.to_str().unwrap(), "-o", threads, "--threads", threads];
        assert_eq!(code(&fretwork(folder.path(), &arguments)), 0);
        let results = ResultReader::open(&folder.path().join(threads)).unwrap();
        (results.values("modal/shape").unwrap(), results.complex_values("frf/probes/tip").unwrap())
    };
    assert_eq!(read("1"), read("2"));
}

#[test]
fn a_result_can_be_run_again_from_its_own_file_without_its_mesh_file() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let case = fs::read_to_string(repository("cases/tuning_fork.toml")).unwrap();
    fs::write(place.join("case.toml"), case.replace("../meshes/", "")).unwrap();
    fs::copy(repository("meshes/tuning_fork.msh"), place.join("tuning_fork.msh")).unwrap();
    let set = "materials.steel.young=200e9";
    assert_eq!(code(&fretwork(place, &["run", "case.toml", "-o", "first", "--set", set])), 0);
    fs::remove_file(place.join("tuning_fork.msh")).unwrap();
    let output = fretwork(place, &["run", "first/results.h5", "-o", "again"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let frequencies = |name: &str| {
        ResultReader::open(&place.join(name)).unwrap().values("modal/frequency").unwrap()
    };
    assert_eq!(frequencies("first"), frequencies("again"));
}

#[test]
fn check_prints_sizes_and_solves_nothing() {
    let folder = with_case(BLOCK);
    let output = fretwork(folder.path(), &["check", "case.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let printed = text(&output);
    for line in ["nodes                 15", "elements              8", "contact pairs", "memory"] {
        assert!(printed.contains(line), "{line} in\n{printed}");
    }
    assert!(!folder.path().join("results").exists());
}

#[test]
fn schema_is_json_and_completions_are_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let schema = fretwork(folder.path(), &["schema"]);
    let schema: Value = serde_json::from_str(&text(&schema)).unwrap();
    assert!(schema["properties"]["parts"]["description"].is_string());
    for shell in ["bash", "zsh", "fish"] {
        let output = fretwork(folder.path(), &["completions", shell]);
        assert!(code(&output) == 0 && text(&output).contains("validate"));
    }
    assert!(text(&fretwork(folder.path(), &["run", "--help"])).contains("Examples:"));
}

#[test]
fn export_writes_csv_with_units() {
    let folder = with_case(OSCILLATOR);
    assert_eq!(code(&fretwork(folder.path(), &["run", "case.toml"])), 0);
    let output = fretwork(folder.path(), &["export", "results/case", "--csv", "-o", "tables"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let table = fs::read_to_string(folder.path().join("tables/frf.csv")).unwrap();
    assert!(table.starts_with("frequency [Hz],u.re [m],u.im [m]\n"));
    assert_eq!(table.lines().count(), 122);
    let output = fretwork(folder.path(), &["export", "case.toml", "--csv"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("not an HDF5 file"));
}

#[test]
fn all_problems_of_a_case_are_reported_together() {
    let case = BLOCK
        .replace("thickness = 0.01", "thickness = -0.01\nthicknes = 1")
        .replace("poisson = 0.3", "poisson = 0.5")
        .replace("type = \"static\"", "type = \"statics\"");
    expect_refusal(
        &case,
        &[
            "4 problems in the case file",
            "case.toml:4: materials.steel.poisson = 0.5: must be a number greater than -1 and less than 0.5",
            "case.toml:15: parts.block.sections[0].thickness = -0.01: must be a number greater than 0 [m]",
            "did you mean `thickness`?",
            "did you mean `static`?",
        ],
    );
}

#[test]
fn names_that_do_not_exist_are_refused_with_what_there_is() {
    let case = BLOCK.replace("on = \"block.left\"", "on = \"block.lefft\"");
    expect_refusal(&case, &["supports[0].on = \"block.lefft\"", "did you mean `left`?"]);
    let case = BLOCK.replace("material = \"steel\"", "material = \"stel\"");
    expect_refusal(&case, &["no such material; did you mean `steel`?"]);
    let case = BLOCK.replace("state = \"stress\"", "state = \"stress\"\ngroup = \"core\"");
    expect_refusal(&case, &["no such cell group"]);
}

#[test]
fn mesh_problems_name_the_cell_or_node() {
    let clockwise = BLOCK.replace(
        "[[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]]",
        "[[0, 0], [0, 0.1], [0.2, 0.1], [0.2, 0]]",
    );
    expect_refusal(&clockwise, &["cell 1", "corner Jacobian", "counter-clockwise"]);
    let twisted = BLOCK.replace("[0.2, 0.1], [0, 0.1]]", "[0, 0.1], [0.2, 0.1]]");
    expect_refusal(&twisted, &["corner Jacobian"]);
}

#[test]
fn mechanisms_are_named_not_called_singular() {
    let roller = "type = \"roller\"\ndirection = \"x\"";
    let sliding = BLOCK.replace("type = \"clamp\"", roller);
    let (code, message) = refused(&sliding);
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("part `block` can move along y"), "{message}");
    let turning = BLOCK.replace(
        "type = \"clamp\"\non = \"block.left\"",
        "type = \"clamp\"\non = \"block.corner\"",
    ) + "\n[parts.block.sets]\ncorner = { nearest = [0, 0] }\n";
    let (code, message) = refused(&turning);
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("part `block` can rotate about (0.0000e0, 0.0000e0)"), "{message}");
    let loose = BLOCK.to_string() + "\n[points.bolt]\nmass = 1.0\n";
    let (code, message) = refused(&loose);
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("point `bolt` can move along"), "{message}");
}

#[test]
fn pieces_of_a_part_that_hang_on_a_node_or_on_nothing_are_mechanisms() {
    let with_block = |corners: &str| {
        let more = format!("blocks = [{{ corners = {corners}, cells = [2, 2] }}, ");
        refused(&BLOCK.replace("blocks = [", &more))
    };
    for (corners, motion) in [
        (
            "[[0.2, 0.1], [0.3, 0.1], [0.3, 0.2], [0.2, 0.2]]",
            "rotate about (2.0000e-1, 1.0000e-1) m",
        ),
        ("[[0.4, 0.1], [0.5, 0.1], [0.5, 0.2], [0.4, 0.2]]", "around (4.5000e-1, 1.5000e-1) m"),
    ] {
        let (code, message) = with_block(corners);
        assert_eq!(code, 1, "{message}");
        assert!(message.contains("2 pieces of part `block`"), "{message}");
        assert!(message.contains(motion), "{message}");
    }
    // An edge joins them.
    let (code, message) = with_block("[[0, 0.1], [0.2, 0.1], [0.2, 0.2], [0, 0.2]]");
    assert_eq!(code, 2, "blocks that share an edge need the same cells: {message}");
    let (code, message) = with_block("[[0, 0.1], [0.1, 0.1], [0.1, 0.2], [0, 0.2]]");
    assert_eq!(code, 0, "{message}");
}

#[test]
fn a_normal_out_of_the_body_is_refused() {
    let contact = |normal: &str| {
        let table = "[[contact]]\nbetween = [\"block.right\", \"ground\"]\nfriction = 0.3\n";
        format!("{BLOCK}\n{table}normal = {normal}\n")
    };
    expect_refusal(&contact("[1, 0]"), &["contact[0]", "points out of the body", "(-1, 0)"]);
    let (code, message) = refused(&contact("[-1, 0]"));
    assert_eq!(code, 0, "{message}");
}

#[test]
fn modes_up_to_a_frequency_below_the_first_are_none() {
    let case = BLOCK.replace("type = \"static\"", "type = \"modal\"\nup_to = 1.0");
    let (code, message) = refused(&case);
    assert_eq!(code, 0, "{message}");
}

#[test]
fn an_endless_number_of_harmonics_is_refused() {
    let case = format!(
        "{OSCILLATOR}\n[[contact]]\nbetween = [\"mass\", \"ground\"]\nnormal = [0, 1]\narea = 1e-4\nfriction \
         = 0.1\npreload = 1.0\n[[analysis]]\ntype = \"response\"\nharmonics = 9223372036854775807\nfrequencies \
         = {{ spacing = \"list\", values = [1] }}\n"
    );
    expect_refusal(&case, &["harmonics", "at most 1000"]);
}

#[test]
fn a_mechanism_held_by_a_weak_spring_is_no_mechanism() {
    let case = BLOCK.replace("type = \"clamp\"", "type = \"roller\"\ndirection = \"x\"")
        + "\n[parts.block.sets]\ncorner = { nearest = [0, 0] }\n[[springs]]\nbetween = [\"block.corner\", \"ground\"]\ndirection = \"y\"\nstiffness = 1.0\n";
    let (code, message) = refused(&case);
    assert_eq!(code, 0, "{message}");
}

#[test]
fn rigid_body_modes_are_at_zero_and_announced() {
    let case = BLOCK
        .replace("[[supports]]\ntype = \"clamp\"\non = \"block.left\"", "")
        .replace("cells = [4, 2]", "cells = [40, 20]")
        .replace("type = \"static\"", "type = \"modal\"\nmodes = 5");
    let folder = with_case(&case);
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("3 rigid-body modes at 0 Hz"), "{}", text(&output));
    let results = ResultReader::open(&folder.path().join("results/case")).unwrap();
    let frequencies = results.values("modal/frequency").unwrap();
    assert_eq!(frequencies[..3], [0.0; 3]);
    assert!(frequencies[3] > 1e3);
}

#[test]
fn modal_analysis_needs_mass() {
    let case = BLOCK.replace("density = 7800.0", "").replace("\"static\"", "\"modal\"");
    expect_refusal(
        &case,
        &["materials.steel.density", "greater than 0 [kg/m3] for a modal analysis"],
    );
    let case = OSCILLATOR.replace("mass = 2.0", "").replace("[[analysis]]\ntype = \"frf\"\nfrequencies = { spacing = \"linear\", from = 0, to = 60, points = 121 }", "[[analysis]]\ntype = \"modal\"\nmodes = 1");
    let (code, message) = refused(&case);
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("no mass"), "{message}");
}

#[test]
fn more_modes_than_freedoms_are_refused_with_the_number_there_is() {
    let case = BLOCK.replace("type = \"static\"", "type = \"modal\"\nmodes = 25");
    let (code, message) = refused(&case);
    assert_eq!(code, 1);
    assert!(message.contains("25 modes were asked for, but the model has only 24"), "{message}");
}

#[test]
fn both_methods_name_an_undamped_resonance_and_keep_the_points_before_it() {
    // ω = 200 rad/s up to rounding; a millionth beside it the response is large, but known.
    let frequency = 200.0 / std::f64::consts::TAU;
    let beside = frequency * (1.0 + 1e-6);
    let case = OSCILLATOR.replace("damping = 8.0", "").replace(
        "{ spacing = \"linear\", from = 0, to = 60, points = 121 }",
        &format!("{{ spacing = \"list\", values = [1, {beside}, {frequency}, 40] }}"),
    );
    for method in ["direct", "modal"] {
        let folder = with_case(&format!("{case}method = \"{method}\"\n"));
        let output = fretwork(folder.path(), &["run", "case.toml"]);
        assert_eq!(code(&output), 1, "{method}: {}", errors(&output));
        assert!(errors(&output).contains("undamped resonance"), "{}", errors(&output));
        let results = ResultReader::open(&folder.path().join("results/case")).unwrap();
        assert_eq!(results.values("frf/frequency").unwrap(), [1.0, beside], "{method}");
    }
}

#[test]
fn a_tuned_absorber_is_no_resonance() {
    let absorber = r#"
[points.absorber]
mass = 0.1
freedoms = ["x"]
[[springs]]
between = ["mass", "absorber"]
direction = "x"
stiffness = 4e3
"#;
    // The absorber alone has ω = 200 rad/s: the mass stands still there, undamped.
    let frequency = 200.0 / std::f64::consts::TAU;
    let case = OSCILLATOR.replace("damping = 8.0", "").replace(
        "{ spacing = \"linear\", from = 0, to = 60, points = 121 }",
        &format!("{{ spacing = \"list\", values = [{frequency}] }}"),
    );
    for method in ["direct", "modal"] {
        let folder = with_case(&format!("{case}method = \"{method}\"\n{absorber}"));
        let output = fretwork(folder.path(), &["run", "case.toml"]);
        assert_eq!(code(&output), 0, "{method}: {}", errors(&output));
        let results = ResultReader::open(&folder.path().join("results/case")).unwrap();
        let still = results.complex_values("frf/probes/u").unwrap()[0].norm();
        assert!(still < 1e-12, "{method}: {still:e}");
    }
}

#[test]
fn files_that_are_no_cases_are_refused_without_a_panic() {
    let garbage: Vec<u8> =
        (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let contents: [(&str, Vec<u8>); 5] = [
        ("empty.toml", vec![]),
        ("binary.toml", garbage.clone()),
        ("zeros.toml", vec![0; 1000]),
        ("half.toml", BLOCK.as_bytes()[..300].to_vec()),
        ("text.toml", b"dear reader,\nthis is no case\n".to_vec()),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in contents {
        fs::write(folder.path().join(name), bytes).unwrap();
        let output = fretwork(folder.path(), &["run", name]);
        assert_eq!(code(&output), 2, "{name}: {}", errors(&output));
        assert!(errors(&output).contains(name), "{name}: {}", errors(&output));
        assert!(!errors(&output).contains("panicked"), "{name}");
    }
    let large = folder.path().join("large.toml");
    fs::File::create(&large).unwrap().set_len(100 << 20).unwrap();
    let output = fretwork(folder.path(), &["run", "large.toml"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("100 MB"), "{}", errors(&output));
    for missing in ["nowhere.toml", "."] {
        assert_eq!(code(&fretwork(folder.path(), &["run", missing])), 2);
    }
}

#[test]
fn every_prefix_of_a_case_is_refused_or_runs_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.toml");
    for end in (0..BLOCK.len()).step_by(37) {
        fs::write(&path, &BLOCK[..end]).unwrap();
        let output = fretwork(folder.path(), &["check", "case.toml"]);
        assert!([0, 2].contains(&code(&output)), "{end}: {}", errors(&output));
    }
}

#[test]
fn mesh_files_that_are_no_meshes_are_refused_with_the_key() {
    let case = BLOCK.replace("type = \"structured\"", "type = \"gmsh\"\nfile = \"part.msh\"");
    let case: String =
        case.lines().filter(|line| !line.starts_with("blocks")).collect::<Vec<_>>().join("\n");
    let folder = with_case(&case);
    let mesh = folder.path().join("part.msh");
    let message = || {
        let output = fretwork(folder.path(), &["run", "case.toml"]);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        errors(&output)
    };
    assert!(message().contains("parts.block.mesh.file"), "{}", message());
    fs::File::create(&mesh).unwrap().set_len(100 << 20).unwrap();
    assert!(message().contains("no Gmsh mesh"), "{}", message());
    let fork = fs::read(repository("meshes/tuning_fork.msh")).unwrap();
    fs::write(&mesh, &fork[..fork.len() / 2]).unwrap();
    assert!(message().contains("part.msh"), "{}", message());
    fs::write(&mesh, &fork).unwrap();
    assert!(message().contains("has no set `left`"), "{}", message());
}

#[test]
fn a_results_directory_that_cannot_be_written_is_an_error_before_the_solution() {
    let folder = with_case(OSCILLATOR);
    fs::write(folder.path().join("taken"), "a file").unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml", "-o", "taken"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("cannot write taken"), "{}", errors(&output));
    let output = fretwork(folder.path(), &["run", "case.toml", "-o", "/proc/nowhere"]);
    assert_eq!(code(&output), 2);
}

#[test]
fn a_killed_run_leaves_a_readable_file_with_complete_points() {
    let case = fs::read_to_string(repository("cases/cantilever.toml")).unwrap();
    let case = case
        .replace("points = 300", "points = 100000")
        .replace("cells = [60, 4]", "cells = [30, 2]");
    let folder = with_case(&case);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_fretwork"))
        .args(["run", "case.toml", "--quiet"])
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    let file = folder.path().join("results/case/results.h5");
    let grown = |path: &Path| fs::metadata(path).map(|m| m.len() > 200_000).unwrap_or(false);
    while !grown(&file) {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let results = ResultReader::open(&file).unwrap();
    let points = results.values("frf/frequency").unwrap().len();
    assert!(points > 0);
    assert!(results.complex_values("frf/probes/tip").unwrap().len() >= points);
    assert_eq!(results.values("modal/frequency").unwrap().len(), 6);
}

#[test]
fn results_open_in_h5py_without_any_code_of_ours() {
    let python = repository(".tools/bin/python");
    let folder = with_case(OSCILLATOR);
    assert_eq!(code(&fretwork(folder.path(), &["run", "case.toml"])), 0);
    let script = r#"
import h5py
f = h5py.File("results/case/results.h5")
u = f["frf/probes/u"]
assert u.dtype.kind == "c" and u.shape == (121,), u.dtype
assert u.attrs["unit"] == "m" and f["frf/frequency"].attrs["unit"] == "Hz"
assert abs(u[0] - 3 / 8e4) < 1e-15
assert "one mass" in f["meta/case"][()].decode()
def unit(name, item):
    if isinstance(item, h5py.Dataset) and not name.startswith("meta"):
        assert "unit" in item.attrs, name
f.visititems(unit)
"#;
    let output = std::process::Command::new(&python)
        .args(["-c", script])
        .current_dir(folder.path())
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}; run `make setup` first", python.display()));
    assert!(output.status.success(), "{}", errors(&output));
}

/// Two quadrilaterals in Gmsh's format 2.2, the second half over the first.
const OVERLAPPING: &str = r#"$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
8
1 0 0 0
2 2 0 0
3 2 1 0
4 0 1 0
5 1 0 0
6 3 0 0
7 3 1 0
8 1 1 0
$EndNodes
$Elements
2
11 3 2 1 1 1 2 3 4
12 3 2 1 1 5 6 7 8
$EndElements
"#;

#[test]
fn cells_that_overlap_are_refused_with_their_numbers_and_the_place() {
    let second =
        ", { corners = [[0.1, 0.02], [0.3, 0.02], [0.3, 0.12], [0.1, 0.12]], cells = [3, 3] }]";
    let blocks =
        BLOCK.replace("bottom = \"bottom\" } }]", &format!("bottom = \"bottom\" }} }}{second}"));
    let expected =
        "parts.block.mesh: blocks 1 and 2 overlap: cells 3 and 9 share area at (0.125, 0.035)";
    expect_refusal(&blocks, &["case.toml:7", expected]);

    let start = BLOCK.find("type = \"structured\"").unwrap();
    let end = BLOCK.find("[[parts.block.sections]]").unwrap();
    let gmsh = BLOCK.replace(&BLOCK[start..end], "type = \"gmsh\"\nfile = \"part.msh\"\n\n");
    let folder = with_case(&gmsh);
    fs::write(folder.path().join("part.msh"), OVERLAPPING).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 2);
    let message = errors(&output);
    let expected = "elements 11 and 12 overlap: they share area at (1.5, 0.5)";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn names_that_a_mesh_file_lacks_are_reported_with_all_other_problems() {
    let start = BLOCK.find("type = \"structured\"").unwrap();
    let end = BLOCK.find("[[parts.block.sections]]").unwrap();
    let gmsh = BLOCK.replace(&BLOCK[start..end], "type = \"gmsh\"\nfile = \"part.msh\"\n\n");
    let sections = "state = \"stress\"\ngroup = \"coar\"";
    let case =
        gmsh.replace("state = \"stress\"", sections).replace("poisson = 0.3", "poisson = 0.7");
    assert_ne!(case, gmsh, "the case has two problems at least");
    let names = "$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"core\"\n$EndPhysicalNames";
    let apart = OVERLAPPING.replace("5 1 0 0", "5 2.5 0 0").replace("8 1 1 0", "8 2.5 1 0");
    let mesh = apart.replace("$EndMeshFormat", names);
    let folder = with_case(&case);
    fs::write(folder.path().join("part.msh"), mesh).unwrap();
    let message = errors(&fretwork(folder.path(), &["run", "case.toml"]));
    let expected = ["poisson = 0.7", "no such cell group; did you mean `core`?", "has no set `"];
    for part in expected {
        assert!(message.contains(part), "expected `{part}` in:\n{message}");
    }
}
