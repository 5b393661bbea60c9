//! The report of a run: what it shows, and that it can be made again.

mod common;

use std::fs;
use std::path::Path;

use common::{BLOCK, OSCILLATOR, code, errors, fretwork, repository, text};
use fretwork::plot::short;
use serde_json::Value;

fn run(folder: &Path, case: &str, more: &[&str]) -> String {
    let case = repository(case);
    let mut arguments = vec!["run", case.to_str().unwrap(), "-o", "out"];
    arguments.extend(more);
    let output = fretwork(folder, &arguments);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    text(&output)
}

fn report(folder: &Path) -> String {
    fs::read_to_string(folder.join("out/report.html")).unwrap()
}

/// Names of the figures of a page.
fn figures(page: &str) -> Vec<&str> {
    page.split("<figure id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn a_friction_case_shows_everything_about_its_joint() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "cases/academic_2dof/response.toml", &["-q"]);
    let page = report(folder.path());
    for figure in [
        "response_u1",
        "response_u1_phase",
        "response_slip",
        "response_contact0_loops",
        "response_contact0_energy",
        "response_contact0_regime",
        "response_contact0_status",
        "response_iterations",
        "response_residual",
    ] {
        assert!(figures(&page).contains(&figure), "{figure}: {:?}", figures(&page));
    }
    for words in ["μ = 1", "pressed together with 10 N", "78 of 78 points converged", "gross slip"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.len() < 5_000_000);
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let share = |key: &str| short(100.0 * summary["analyses"]["response"][key].as_f64().unwrap());
    assert_ne!(share("max_work_truncation"), share("max_truncation"));
    let words = format!("carry up to {} % of the friction work", share("max_work_truncation"));
    assert!(page.contains(&words), "{words}");
}

#[test]
fn meshes_modes_and_reductions_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "cases/imperial_rig/modes.toml", &["-q"]);
    let page = report(folder.path());
    for figure in ["mesh", "open_1", "stuck_1", "top_frequency_error", "top_mac", "bottom_mac"] {
        assert!(figures(&page).contains(&figure), "{figure}: {:?}", figures(&page));
    }
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
}

#[test]
fn a_page_is_complete_in_itself() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "cases/cantilever.toml", &["-q"]);
    // The name of the SVG language is an address that nothing is fetched from.
    let page = report(folder.path()).replace("http://www.w3.org/2000/svg", "");
    for forbidden in
        ["http:", "https:", "src=", "<link rel=\"stylesheet", "@import", "fetch(", "NaN"]
    {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn values_given_on_the_command_line_stand_with_the_case() {
    let folder = tempfile::tempdir().unwrap();
    let set = ["-q", "--set", "points.mass.mass=2.5", "--set", "title = \"<heavier>\""];
    run(folder.path(), "cases/oscillator.toml", &set);
    let page = report(folder.path());
    let at = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words} in the report"));
    let place = at("given by --set");
    assert!(at("<h2>The case</h2>") < place && place < at("Point mass: 2.5 kg"));
    assert!(at("points.mass.mass") > place && at("without the values of --set") > place);
    assert!(page.contains("&lt;heavier&gt;"));
    run(folder.path(), "cases/oscillator.toml", &["-q"]);
    assert!(!report(folder.path()).contains("--set"));
}

#[test]
fn folds_are_told_and_marked_on_the_curves() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "cases/duffing.toml", &["-q"]);
    let page = report(folder.path());
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let stability = &summary["analyses"]["response"]["stability"];
    let folds = stability["bifurcations"].as_array().unwrap();
    assert!(page.contains(&format!("Stability: {} of", stability["unstable"])));
    assert!(page.contains(&format!("found along the curves: {}.", folds.len())));
    for fold in folds {
        assert_eq!(fold["type"], "fold");
        for end in fold["frequency"].as_array().unwrap() {
            let rounded: f64 = format!("{:.5e}", end.as_f64().unwrap()).parse().unwrap();
            let cell = format!("{rounded} Hz</td>");
            assert!(page.contains(&cell), "{cell}");
        }
    }
    // Cells of the table, and the legend of the figure.
    assert!(page.matches("fold or branch point").count() > folds.len());
}

#[test]
fn stored_results_give_the_same_report() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "cases/duffing.toml", &["-q"]);
    let first = report(folder.path());
    let output = fretwork(folder.path(), &["report", "out", "-o", "again", "--figures", "png"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    // Only the summary, which stays beside the results, is read from there.
    assert_eq!(fs::read_to_string(folder.path().join("again/report.html")).unwrap(), first);
    let picture = fs::read(folder.path().join("again/figures/response_u_linear.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 10_000);
}

#[test]
fn results_without_a_summary_are_reported_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "cases/oscillator.toml", &["-q"]);
    fs::remove_file(folder.path().join("out/summary.json")).unwrap();
    assert_eq!(code(&fretwork(folder.path(), &["report", "out"])), 0);
    assert!(report(folder.path()).contains("summary.json is missing"));
}

#[test]
fn warnings_come_before_everything_else_even_if_the_run_fails() {
    let folder = tempfile::tempdir().unwrap();
    // Held along x only: the static analysis fails after the results were begun.
    let case = BLOCK.replace("type = \"clamp\"", "type = \"roller\"\ndirection = \"x\"");
    fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml", "-o", "out"]);
    assert_eq!(code(&output), 1, "{}", errors(&output));
    let page = report(folder.path());
    let warning = page.find("class=\"warning\"").expect("the failure is told");
    assert!(warning < page.find("<h2>").unwrap(), "before the first heading");
}

#[test]
fn machines_get_json_and_papers_get_figures() {
    let folder = tempfile::tempdir().unwrap();
    let printed = run(folder.path(), "cases/oscillator.toml", &["--json", "--figures", "svg"]);
    let summary: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(summary["model"]["nodes"], 1);
    let files = fs::read_dir(folder.path().join("out/figures")).unwrap();
    assert!(files.map(|f| f.unwrap().path()).all(|f| f.extension().unwrap() == "svg"));
    let svg =
        fs::read_to_string(folder.path().join("out/figures/frf_displacement_log.svg")).unwrap();
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>"));
}

#[test]
fn a_name_cannot_inject_anything() {
    let folder = tempfile::tempdir().unwrap();
    let case = OSCILLATOR.replace("one mass", "<script>alert('x')</script>");
    fs::write(folder.path().join("case.toml"), case).unwrap();
    assert_eq!(code(&fretwork(folder.path(), &["run", "case.toml", "-o", "out"])), 0);
    let page = report(folder.path());
    assert_eq!(page.matches("<script>").count(), 1, "only the page's own");
}
