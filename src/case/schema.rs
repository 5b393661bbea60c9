//! Reads the part of JSON Schema that the case types produce: references, objects, arrays, numbers with
//! bounds, constants, and alternatives told apart by a tag key or by type.

use serde_json::{Map, Value};

pub type Schema = Map<String, Value>;

/// Follows `$ref`; `root` holds the definitions.
pub fn resolve<'a>(root: &'a Schema, schema: &'a Schema) -> &'a Schema {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|r| r.strip_prefix("#/$defs/"))
        .and_then(|name| root.get("$defs")?.get(name)?.as_object());
    target.map_or(schema, |target| resolve(root, target))
}

/// The alternatives of a schema, without the one for a key that is left out.
pub fn options<'a>(root: &'a Schema, schema: &'a Schema) -> Option<Vec<&'a Schema>> {
    let options = alternatives(schema)?.into_iter().map(|option| resolve(root, option));
    Some(options.filter(|option| !is_null(option)).collect())
}

/// What a schema allows, in words.
pub fn describe(schema: &Schema) -> String {
    if let Some(names) = allowed_names(schema) {
        return format!("one of: {}", names.join(", "));
    }
    let noun = match type_names(schema).first().copied().unwrap_or("value") {
        "number" => "a number".to_string(),
        "integer" => "a whole number".to_string(),
        "string" => "a text".to_string(),
        "boolean" => "true or false".to_string(),
        "array" => describe_array(schema),
        "object" => "a table".to_string(),
        _ => "a value".to_string(),
    };
    let bounds = [
        ("minimum", "at least"),
        ("exclusiveMinimum", "greater than"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "less than"),
    ];
    let limits: Vec<String> = bounds
        .iter()
        .filter_map(|(key, words)| Some(format!("{words} {}", schema.get(*key)?)))
        .collect();
    let unit = schema.get("description").and_then(Value::as_str).and_then(unit);
    let unit = unit.map(|u| format!(" {u}")).unwrap_or_default();
    if limits.is_empty() { noun + &unit } else { format!("{noun} {}{unit}", limits.join(" and ")) }
}

fn describe_array(schema: &Schema) -> String {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    match (bound("minItems"), bound("maxItems")) {
        (Some(min), Some(max)) if min == max => format!("a list of {min} entries"),
        (Some(min), Some(max)) => format!("a list of {min} to {max} entries"),
        (Some(min), None) => format!("a list of at least {min} entry"),
        _ => "a list".to_string(),
    }
}

/// The unit in brackets at the end of a description.
fn unit(description: &str) -> Option<&str> {
    let start = description.find('[')?;
    let end = description[start..].find(']')?;
    Some(&description[start..=start + end])
}

/// Smallest and largest number of entries of a list.
pub fn lengths(schema: &Schema) -> (usize, usize) {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64).map(|n| n as usize);
    (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX))
}

pub fn required(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn alternatives(schema: &Schema) -> Option<Vec<&Schema>> {
    if allowed_names(schema).is_some() {
        return None;
    }
    let list = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    Some(list.iter().filter_map(Value::as_object).collect())
}

/// The names of an enumeration: `enum`, `const`, or alternatives that are all constants.
pub fn allowed_names(schema: &Schema) -> Option<Vec<&str>> {
    if let Some(name) = schema.get("const") {
        return Some(vec![name.as_str()?]);
    }
    if let Some(names) = schema.get("enum") {
        return names.as_array()?.iter().map(Value::as_str).collect();
    }
    let options = schema.get("oneOf")?.as_array()?;
    options.iter().map(|option| option.get("const")?.as_str()).collect()
}

pub fn tag_key(schema: &Schema) -> Option<&str> {
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find(|(_, s)| s.get("const").is_some()).map(|(key, _)| key.as_str())
}

pub fn tag_value<'s>(schema: &'s Schema, tag: &str) -> Option<&'s str> {
    schema.get("properties")?.get(tag)?.get("const")?.as_str()
}

fn is_null(schema: &Schema) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

pub fn type_names(schema: &Schema) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
        }
        _ if schema.contains_key("properties") => vec!["object"],
        _ if allowed_names(schema).is_some() => vec!["string"],
        _ => vec![],
    }
}

pub fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}
