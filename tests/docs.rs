//! The documentation is true: its links lead somewhere, its case runs, its summary is the current one.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{code, errors, fretwork, repository, text};

fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "cases", "meshes", "validation", "benches", "scripts"];
    let entries = fs::read_dir(repository("validation")).unwrap().map(|e| e.unwrap().path());
    let entries = entries.filter(|path| path.is_dir());
    let folders = folders.map(repository).into_iter().chain(entries);
    folders
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect()
}

#[test]
fn links_lead_to_files_that_exist() {
    let mut dead = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            let place = page.parent().unwrap_or(Path::new("")).join(target);
            if !target.is_empty() && !target.contains("://") && !place.exists() {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn the_case_reference_is_the_current_one() {
    let page = fs::read_to_string(repository("docs/case_reference.md")).unwrap();
    let output = fretwork(&repository(""), &["schema", "--markdown"]);
    let hint = "fretwork schema --markdown > docs/case_reference.md";
    assert!(text(&output) == page, "docs/case_reference.md is old; make it again: {hint}");
    for words in
        ["## Contact", "| `friction` |", "### type = \"penalty\"", "[ContactLaw](#contactlaw)"]
    {
        assert!(page.contains(words), "{words}");
    }
}

/// The first fenced block of a language in the README.
fn block(language: &str) -> String {
    let readme = fs::read_to_string(repository("README.md")).unwrap();
    let (_, rest) = readme.split_once(&format!("```{language}\n")).expect("the block is there");
    rest.split("```").next().unwrap().to_string()
}

#[test]
fn the_case_of_the_readme_runs() {
    let case = block("toml");
    assert!(case.lines().count() <= 10, "a ten-line case");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("6 modes: 93.1"), "{}", text(&output));
}

#[test]
fn the_first_case_of_the_guide_runs() {
    let page = fs::read_to_string(repository("docs/first_case.md")).unwrap();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rub.toml"), rest.split("```").next().unwrap()).unwrap();
    let output = fretwork(folder.path(), &["run", "rub.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("333 of 333 points converged"), "{}", text(&output));
    assert!(folder.path().join("results/rub/report.html").is_file());
}
