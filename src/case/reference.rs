//! The case-file reference as Markdown, out of the schema: it cannot disagree with what the program reads.

use std::fmt::Write;

use serde_json::Value;

use super::schema::{
    Schema, allowed_names, describe, options, required, resolve, tag_key, tag_value,
};

/// All tables and keys.
pub fn markdown(schema: &Value) -> String {
    let Some(root) = schema.as_object() else { return String::new() };
    let mut out = String::from(
        "# Case-file reference\n\nMade by `fretwork schema --markdown`. A case is a TOML file; all units are SI. \
         Keys without a default must be given.\n\n## Whole file\n\n",
    );
    push_keys(&mut out, root, root);
    let definitions = root.get("$defs").and_then(Value::as_object);
    for (name, definition) in definitions.into_iter().flatten() {
        if let Some(definition) = definition.as_object() {
            push_definition(&mut out, root, name, definition);
        }
    }
    out
}

fn push_definition(out: &mut String, root: &Schema, name: &str, definition: &Schema) {
    let _ = write!(out, "\n## {name}\n\n{}\n\n", description(definition));
    if allowed_names(definition).is_some() {
        return push_names(out, definition);
    }
    let Some(options) = options(root, definition) else {
        if definition.contains_key("properties") {
            return push_keys(out, root, definition);
        }
        let _ = writeln!(out, "{}.", describe(definition));
        return;
    };
    for option in options {
        match tag_key(option).and_then(|tag| Some((tag, tag_value(option, tag)?))) {
            Some((tag, value)) => {
                let _ = write!(out, "### {tag} = \"{value}\"\n\n{}\n\n", description(option));
                push_keys(out, root, option);
                out.push('\n');
            }
            None => {
                let _ = writeln!(out, "* {}: {}", describe(option), description(option));
            }
        }
    }
    while out.ends_with("\n\n") {
        out.pop();
    }
}

/// Names of an enumeration with their meanings.
fn push_names(out: &mut String, definition: &Schema) {
    let options = definition.get("oneOf").and_then(Value::as_array);
    for option in options.into_iter().flatten().filter_map(Value::as_object) {
        let name = option.get("const").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(out, "* `\"{name}\"`: {}", description(option));
    }
    if options.is_none() {
        let _ = writeln!(out, "{}.", describe(definition));
    }
}

fn push_keys(out: &mut String, root: &Schema, table: &Schema) {
    let tag = tag_key(table);
    let keys = table.get("properties").and_then(Value::as_object);
    let keys = keys.into_iter().flatten().filter(|(key, _)| Some(key.as_str()) != tag);
    let mandatory: Vec<&str> = required(table).collect();
    let mut rows = String::new();
    for (key, schema) in keys {
        let Some(schema) = schema.as_object() else { continue };
        let default = match schema.get("default") {
            _ if mandatory.contains(&key.as_str()) => "must be given".into(),
            None | Some(Value::Null) => "none".into(),
            Some(value) => format!("`{value}`"),
        };
        let _ = writeln!(
            rows,
            "| `{key}` | {} | {default} | {} |",
            kind(root, schema),
            description(schema).replace('|', "\\|")
        );
    }
    if rows.is_empty() {
        out.push_str("No further keys.\n");
        return;
    }
    let _ = write!(out, "| key | value | default | meaning |\n|---|---|---|---|\n{rows}");
}

/// What a value may be, with links to the tables it refers to.
fn kind(root: &Schema, schema: &Schema) -> String {
    if let Some(name) = reference(schema) {
        return link(name);
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        let names = options.iter().filter_map(Value::as_object).filter_map(|o| reference(o));
        let names: Vec<String> = names.map(link).collect();
        if !names.is_empty() {
            return names.join(" or ");
        }
    }
    let inner = |key: &str| schema.get(key).and_then(Value::as_object);
    let many = |items: &Schema| reference(items).map(link);
    if let Some(link) = inner("additionalProperties").and_then(many) {
        return format!("tables by name: {link}");
    }
    if let Some(link) = inner("items").and_then(many) {
        return format!("{} of {link}", describe(resolve(root, schema)));
    }
    // The unit is part of the meaning already.
    let mut plain = schema.clone();
    plain.remove("description");
    describe(&plain)
}

fn reference(schema: &Schema) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

fn description(schema: &Schema) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ")
}
