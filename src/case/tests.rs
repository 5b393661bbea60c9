use super::*;

fn load(text: &str) -> Result<CaseFile, CaseError> {
    load_with(text, &[])
}

fn load_with(text: &str, overrides: &[(&str, &str)]) -> Result<CaseFile, CaseError> {
    let overrides = overrides
        .iter()
        .map(|(path, value)| Override { path: path.to_string(), value: value.to_string() })
        .collect();
    let copies = Default::default();
    CaseFile::load(CaseSource::from_copies("case.toml".into(), text.into(), overrides, copies))
}

fn problems(text: &str) -> Vec<String> {
    match load(text) {
        Ok(_) => vec![],
        Err(error) => error.to_string().lines().skip(1).map(|l| l.trim().to_string()).collect(),
    }
}

const OSCILLATOR: &str = r#"
title = "one mass"
[points.m]
mass = 1.0
freedoms = ["x"]
[[springs]]
between = ["m", "ground"]
direction = "x"
stiffness = 10.0
[[analysis]]
type = "modal"
modes = 1
"#;

#[test]
fn a_small_case_loads_with_its_defaults() {
    let file = load(OSCILLATOR).unwrap();
    assert_eq!(file.case.points["m"].at.components(), [0.0; 3]);
    assert_eq!(file.case.analysis[0].name(), "modal");
}

#[test]
fn all_problems_are_reported_together_with_line_key_and_value() {
    let text = OSCILLATOR
        .replace("stiffness = 10.0", "stifness = 10.0")
        .replace("mass = 1.0", "mass = -1.0")
        .replace("modes = 1", "modes = 1.5");
    let found = problems(&text);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert_eq!(found[0], "case.toml:4: points.m.mass = -1.0: must be a number at least 0.0 [kg]");
    assert!(found[1].starts_with("case.toml:9: springs[0].stifness = 10.0: unknown key"));
    assert!(found[1].ends_with("did you mean `stiffness`?"));
    assert!(found[2].contains("analysis[0].modes = 1.5: must be a whole number"), "{}", found[2]);
}

const BLOCK: &str = r#"
[materials.steel]
young = 210e9
poisson = 0.3
[parts.block]
mesh = { type = "structured", blocks = [{ corners = [[0, 0], [1, 0], [1, 1], [0, 1]], cells = [1, 1], edges = { left = "left" } }] }
sections = [{ type = "plane", state = "stress", material = "steel", thickness = 0.01 }]
sets.tip = { nearest = [1, 1] }
[[supports]]
type = "clamp"
on = "block.left"
[[loads]]
type = "force"
on = "block.tip"
force = [1, 0]
[[analysis]]
type = "static"
"#;

#[test]
fn structure_rules_and_set_names_are_reported_together() {
    let text = BLOCK
        .replace("young =", "colour = \"grey\"\nyoung =")
        .replace("thickness = 0.01", "thickness = -0.01")
        .replace("\"block.left\"", "\"block.lefd\"")
        .replace("force = [1, 0]", "force = [0, 0]");
    let found = problems(&text);
    let expected = [
        "case.toml:3: materials.steel.colour = \"grey\": unknown key; there are: young, poisson, density",
        "case.toml:8: parts.block.sections[0].thickness = -0.01: must be a number greater than 0 [m]",
        "case.toml:12: supports[0].on = \"block.lefd\": part `block` has no set `lefd`; did you mean `left`?",
        "case.toml:13: loads[0]: give a `force` or a `moment`",
    ];
    assert_eq!(found, expected, "{found:#?}");
}

#[test]
fn what_follows_from_a_problem_is_not_reported_beside_it() {
    assert_eq!(problems(BLOCK), [""; 0]);
    let slips = [
        ("[materials.steel]", "[material.steel]"),
        ("poisson = 0.3", ""),
        ("mesh = { type = \"structured\"", "mesh = { type = \"structurd\""),
        ("cells = [1, 1]", "cells = [1, -1]"),
        ("cells = [1, 1]", "cells = 1"),
        ("edges = {", "eges = {"),
        ("edges = {", "sides = {"),
        ("left = \"left\"", "left = 3"),
        ("[parts.block]", "[part.block]"),
        ("material = \"steel\"", "material = 7"),
        ("thickness = 0.01", "thickness = nan"),
        ("on = \"block.tip\"", "on = 1"),
        ("force = [1, 0]", "force = [1]"),
        ("force = [1, 0]", "strength = [1, 0]"),
        ("type = \"static\"", "type = 1"),
        ("sets.tip = { nearest = [1, 1] }", "sets.tip = { neares = [1, 1] }"),
    ];
    for (good, bad) in slips {
        let found = problems(&BLOCK.replacen(good, bad, 1));
        assert_eq!(found.len(), 1, "{bad}: {found:#?}");
    }
}

#[test]
fn unknown_names_get_a_suggestion() {
    let found = problems(&OSCILLATOR.replace("\"modal\"", "\"modl\""));
    assert!(found[0].contains(
        "must be one of: static, modal, reduction, response, wear, frf, history, transient; did you mean `modal`?"
    ));
    let found = problems(&OSCILLATOR.replace("[\"m\", \"ground\"]", "[\"mm\", \"ground\"]"));
    assert!(found[0].contains("springs[0].between[0] = \"mm\""), "{}", found[0]);
    assert!(found[0].contains("did you mean `m`?"));
    let found = problems(&OSCILLATOR.replace("direction = \"x\"", "direction = \"w\""));
    assert!(found[0].contains("must be one of: x, y, rotation, z"), "{}", found[0]);
}

#[test]
fn missing_keys_and_wrong_types_say_what_is_expected() {
    let found = problems("[materials.steel]\nyoung = \"stiff\"\nanalysis = 3\n");
    assert!(
        found.iter().any(|p| p.contains("young = \"stiff\": must be a number greater than 0 [Pa]"))
    );
    assert!(
        found.iter().any(|p| p.contains("materials.steel.poisson: is missing; must be a number"))
    );
    assert!(found.iter().any(|p| p.contains("materials.steel.analysis = 3: unknown key")));
}

#[test]
fn non_finite_numbers_and_dates_are_refused() {
    for bad in ["nan", "inf", "-inf", "1e999", "1e40", "1e-200", "2020-01-01"] {
        let found = problems(&OSCILLATOR.replace("mass = 1.0", &format!("mass = {bad}")));
        assert_eq!(found.len(), 1, "{bad}: {found:?}");
        assert!(found[0].contains("points.m.mass"), "{}", found[0]);
    }
}

#[test]
fn poisson_ratio_is_bounded() {
    for bad in ["0.5", "-1.0", "0.7"] {
        let text = format!("{OSCILLATOR}\n[materials.a]\nyoung = 1\npoisson = {bad}\n");
        assert!(problems(&text)[0].contains("greater than -1 and less than 0.5"));
    }
}

#[test]
fn syntax_errors_name_the_line() {
    let found = problems("title = \"a\"\n[points\n");
    assert!(found[0].starts_with("case.toml:2:"), "{found:?}");
}

#[test]
fn overrides_replace_values_and_are_checked_like_the_file() {
    let file = load_with(OSCILLATOR, &[("points.m.mass", "4"), ("title", "other")]).unwrap();
    assert_eq!(file.case.points["m"].mass, 4.0);
    assert_eq!(file.case.title, "other");
    let error = load_with(OSCILLATOR, &[("points.m.mass", "-4")]).unwrap_err().to_string();
    assert!(error.contains("--set: points.m.mass = -4: must be"), "{error}");
    let error = load_with(OSCILLATOR, &[("points.n.mass", "4")]).unwrap_err().to_string();
    assert!(error.contains("no such key"), "{error}");
}

#[test]
fn rayleigh_fit_meets_both_ratios() {
    let damping = Damping::RayleighFit { ratios: [0.007, 0.007], frequencies: [39.7, 2467.6] };
    let (alpha, beta) = damping.rayleigh();
    assert!((alpha - 3.437).abs() < 1e-3 && (beta - 8.887e-7).abs() < 1e-10, "{alpha} {beta}");
}

#[test]
fn the_schema_describes_every_key() {
    fn walk(value: &serde_json::Value, path: &str) {
        if let Some(properties) = value.get("properties").and_then(|p| p.as_object()) {
            for (key, property) in properties {
                let documented =
                    property.get("description").is_some() || property.get("const").is_some();
                assert!(documented, "{path}.{key} has no description");
            }
        }
        for (key, child) in value.as_object().into_iter().flatten() {
            walk(child, &format!("{path}/{key}"));
        }
        for child in value.as_array().into_iter().flatten() {
            walk(child, path);
        }
    }
    walk(&Case::schema(), "");
}
