//! The import rules of ARCHITECTURE.md, and size limits that keep files readable.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module and the modules it may import; the order is the order of the chain.
const ALLOWED: &[(&str, &[&str])] = &[
    ("progress", &[]),
    ("memory", &[]),
    ("analytical", &[]),
    ("linalg", &[]),
    ("material", &[]),
    ("element", &["material"]),
    ("friction", &[]),
    ("case", &["friction"]),
    ("mesh", &["case"]),
    ("model", &["memory", "case", "mesh", "element", "material", "linalg"]),
    ("linear", &["model", "linalg", "progress"]),
    ("reduction", &["case", "model", "linalg"]),
    ("contact", &["friction", "case", "linalg", "model", "reduction"]),
    ("harmonic", &["contact", "linalg", "reduction"]),
    ("continuation", &["harmonic", "linalg"]),
    ("transient", &["friction", "contact", "linalg", "model", "reduction"]),
    ("stability", &["contact", "harmonic", "linalg", "reduction", "transient"]),
    ("wear", &["case", "model", "linalg", "reduction", "contact", "harmonic"]),
    (
        "results",
        &[
            "case",
            "model",
            "linear",
            "linalg",
            "reduction",
            "harmonic",
            "transient",
            "stability",
            "wear",
        ],
    ),
    ("plot", &[]),
    ("page", &["plot"]),
    ("report", &["case", "results", "plot", "page"]),
    ("compare", &["results", "plot", "page"]),
    ("error", &["case", "compare", "linalg", "linear", "reduction", "results", "transient"]),
    (
        "run",
        &[
            "case",
            "model",
            "linear",
            "linalg",
            "reduction",
            "contact",
            "harmonic",
            "continuation",
            "transient",
            "stability",
            "wear",
            "results",
            "report",
            "error",
            "progress",
        ],
    ),
    (
        "validate",
        &[
            "analytical",
            "friction",
            "case",
            "mesh",
            "element",
            "model",
            "linear",
            "results",
            "plot",
            "page",
            "report",
            "run",
            "error",
            "progress",
        ],
    ),
    ("terminal", &["progress", "results"]),
    ("cli", &[]),
];
const MAX_FILE_LINES: usize = 500;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The top-level module a file belongs to.
fn module(path: &Path) -> String {
    let relative = path.strip_prefix(source_folder()).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy().to_string();
    first.trim_end_matches(".rs").to_string()
}

/// The text without its tests, which may import anything.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap()
}

/// Whether a file holds tests or what they share: `tests.rs`, `testing.rs`, or anything in a folder `tests`.
fn is_test(path: &Path) -> bool {
    let relative = path.strip_prefix(source_folder()).unwrap();
    relative.components().any(|part| {
        ["tests", "tests.rs", "testing.rs"].iter().any(|name| part.as_os_str() == *name)
    })
}

#[test]
fn imports_point_one_way() {
    let mut violations = Vec::new();
    for path in sources(&source_folder()) {
        let name = module(&path);
        if ["lib", "main"].contains(&name.as_str()) || is_test(&path) {
            continue;
        }
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(module, _)| *module == name)
            .unwrap_or_else(|| panic!("module `{name}` is missing from the import rules"));
        let text = fs::read_to_string(&path).unwrap();
        for used in without_tests(&text).split("crate::").skip(1) {
            let used: String =
                used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if used != name && !allowed.contains(&used.as_str()) {
                violations.push(format!("{}: {name} imports {used}", path.display()));
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn the_rules_have_no_cycle() {
    for (i, (module, allowed)) in ALLOWED.iter().enumerate() {
        for used in *allowed {
            let position = ALLOWED.iter().position(|(name, _)| name == used);
            assert!(
                position.is_some_and(|p| p < i),
                "{module} may import {used}, which is above it"
            );
        }
    }
}

#[test]
fn architecture_page_names_every_module() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let page = fs::read_to_string(page).unwrap();
    for (module, allowed) in ALLOWED {
        let imports = if allowed.is_empty() { "nothing".to_string() } else { allowed.join(", ") };
        let row = page.lines().find(|line| line.starts_with(&format!("| `{module}` |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{module}`"));
        assert!(row.ends_with(&format!("| {imports} |")), "{row}\nshould end with: {imports}");
    }
}

#[test]
fn the_first_page_of_the_library_names_every_module() {
    let page = fs::read_to_string(source_folder().join("lib.rs")).unwrap();
    let table = page.lines().filter(|line| line.starts_with("//! | [")).collect::<String>();
    let missing: Vec<&str> = ALLOWED
        .iter()
        .map(|(module, _)| *module)
        .filter(|module| !table.contains(&format!("[`{module}`]")))
        .collect();
    assert!(missing.is_empty(), "missing in the table of lib.rs: {missing:?}");
}

#[test]
fn only_the_program_prints() {
    for path in sources(&source_folder()) {
        if path.ends_with("main.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for forbidden in ["println!", "eprintln!", "todo!", "unimplemented!", "dbg!"] {
            assert!(!text.contains(forbidden), "{}: {forbidden}", path.display());
        }
    }
}

#[test]
fn files_stay_short() {
    for path in sources(&source_folder()) {
        let text = fs::read_to_string(&path).unwrap();
        let lines = without_tests(&text).lines().count();
        assert!(lines <= MAX_FILE_LINES, "{}: {lines} lines", path.display());
    }
}
