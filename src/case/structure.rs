//! Walks a value along the JSON Schema of the case format and collects every deviation.
//!
//! Only the part of JSON Schema that the case types produce is understood: references, objects,
//! arrays, numbers with bounds, constants, and alternatives told apart by a tag key or by type. A
//! general validator would report a wrong key inside a tagged table as "matches none of the
//! alternatives"; this one reads the tag first and says what is wrong in the table that was meant.

use serde_json::{Map, Value};

use super::problem::{Problem, suggestion};

type Schema = Map<String, Value>;

/// Appends everything in `value` that `schema` does not allow.
pub(super) fn check(schema: &Value, value: &Value, problems: &mut Vec<Problem>) {
    let Some(root) = schema.as_object() else { return };
    Walker { root }.check(root, "", value, problems);
}

struct Walker<'a> {
    root: &'a Schema,
}

impl<'a> Walker<'a> {
    /// Follows `$ref`.
    fn resolve(&self, schema: &'a Schema) -> &'a Schema {
        let target = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|r| r.strip_prefix("#/$defs/"))
            .and_then(|name| self.root.get("$defs")?.get(name)?.as_object());
        target.map_or(schema, |target| self.resolve(target))
    }

    fn check(&self, schema: &'a Schema, path: &str, value: &Value, out: &mut Vec<Problem>) {
        let schema = self.resolve(schema);
        if value.is_null() {
            return; // Refused when the document was read.
        }
        if let Some(options) = alternatives(schema) {
            return self.check_alternatives(&options, path, value, out);
        }
        if let Some(names) = allowed_names(schema) {
            return check_name(&names, path, value, out);
        }
        if !type_names(schema).iter().any(|name| has_type(value, name)) {
            out.push(Problem::new(path, format!("must be {}", describe(schema))));
            return;
        }
        match value {
            Value::Object(map) => self.check_table(schema, path, map, None, out),
            Value::Array(items) => self.check_array(schema, path, items, out),
            Value::Number(number) => {
                check_bounds(schema, path, number.as_f64().unwrap_or(f64::NAN), out)
            }
            _ => {}
        }
    }

    fn check_table(
        &self,
        schema: &'a Schema,
        path: &str,
        map: &Schema,
        tag: Option<&str>,
        out: &mut Vec<Problem>,
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let known = |key: &str| properties.and_then(|p| p.get(key)?.as_object());
        let others = schema.get("additionalProperties").and_then(Value::as_object);
        for (key, value) in map {
            let path = join(path, key);
            match known(key).or(others) {
                Some(_) if Some(key.as_str()) == tag => {}
                Some(schema) => self.check(schema, &path, value, out),
                None => {
                    let keys: Vec<&str> =
                        properties.into_iter().flat_map(|p| p.keys()).map(String::as_str).collect();
                    let hint = suggestion(key, keys.iter().copied());
                    out.push(Problem::new(path, format!("unknown key{hint}")));
                }
            }
        }
        for key in required(schema) {
            if !map.contains_key(key) {
                let what = known(key).map(|s| describe(self.resolve(s))).unwrap_or_default();
                let message = format!("is missing; must be {what}");
                out.push(Problem::new(join(path, key), message));
            }
        }
    }

    fn check_array(&self, schema: &'a Schema, path: &str, items: &[Value], out: &mut Vec<Problem>) {
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64).map(|n| n as usize);
        let (min, max) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
        if items.len() < min || items.len() > max {
            let what = describe(schema);
            let message = format!("must be {what}, but has {} entries", items.len());
            out.push(Problem::new(path, message));
        }
        if let Some(schema) = schema.get("items").and_then(Value::as_object) {
            for (i, item) in items.iter().enumerate() {
                self.check(schema, &format!("{path}[{i}]"), item, out);
            }
        }
    }

    fn check_alternatives(
        &self,
        options: &[&'a Schema],
        path: &str,
        value: &Value,
        out: &mut Vec<Problem>,
    ) {
        let options: Vec<&Schema> =
            options.iter().map(|o| self.resolve(o)).filter(|o| !is_null(o)).collect();
        if let [only] = options[..] {
            return self.check(only, path, value, out);
        }
        if let Some(tag) = options.first().and_then(|o| tag_key(o)) {
            return self.check_tagged(&options, tag, path, value, out);
        }
        let attempts = options.iter().map(|option| {
            let mut problems = Vec::new();
            self.check(option, path, value, &mut problems);
            problems
        });
        let attempts: Vec<Vec<Problem>> = attempts.collect();
        if attempts.iter().any(Vec::is_empty) {
            return;
        }
        // The alternative of the same type as the value is the one that was meant.
        let matching = |o: &&Schema| type_names(o).iter().any(|name| has_type(value, name));
        match options.iter().position(matching) {
            Some(meant) => out.extend(attempts[meant].iter().cloned()),
            None => {
                let all: Vec<String> = options.iter().map(|o| describe(o)).collect();
                out.push(Problem::new(path, format!("must be {}", all.join(", or "))));
            }
        }
    }

    fn check_tagged(
        &self,
        options: &[&'a Schema],
        tag: &str,
        path: &str,
        value: &Value,
        out: &mut Vec<Problem>,
    ) {
        let Some(map) = value.as_object() else {
            out.push(Problem::new(path, format!("must be a table with a key `{tag}`")));
            return;
        };
        let names: Vec<&str> = options.iter().filter_map(|o| tag_value(o, tag)).collect();
        let tag_path = join(path, tag);
        match map.get(tag) {
            None => {
                let message = format!("is missing; must be one of: {}", names.join(", "));
                out.push(Problem::new(tag_path, message));
            }
            Some(name) => match options.iter().find(|o| name.as_str() == tag_value(o, tag)) {
                Some(option) => self.check_table(option, path, map, Some(tag), out),
                None => check_name(&names, &tag_path, name, out),
            },
        }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

fn check_name(names: &[&str], path: &str, value: &Value, out: &mut Vec<Problem>) {
    let Some(name) = value.as_str() else {
        out.push(Problem::new(path, format!("must be one of: {}", names.join(", "))));
        return;
    };
    if !names.contains(&name) {
        let hint = super::problem::closest(name, names.iter().copied())
            .map(|best| format!("; did you mean `{best}`?"))
            .unwrap_or_default();
        out.push(Problem::new(path, format!("must be one of: {}{hint}", names.join(", "))));
    }
}

fn check_bounds(schema: &Schema, path: &str, number: f64, out: &mut Vec<Problem>) {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let inside = bound("minimum").is_none_or(|b| number >= b)
        && bound("maximum").is_none_or(|b| number <= b)
        && bound("exclusiveMinimum").is_none_or(|b| number > b)
        && bound("exclusiveMaximum").is_none_or(|b| number < b);
    if !inside {
        out.push(Problem::new(path, format!("must be {}", describe(schema))));
    }
}

/// What a schema allows, in words.
fn describe(schema: &Schema) -> String {
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
        (Some(min), _) => format!("a list of at least {min} entry"),
        _ => "a list".to_string(),
    }
}

/// The unit in brackets at the end of a description.
fn unit(description: &str) -> Option<&str> {
    let start = description.find('[')?;
    let end = description[start..].find(']')?;
    Some(&description[start..=start + end])
}

fn required(schema: &Schema) -> impl Iterator<Item = &str> {
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
fn allowed_names(schema: &Schema) -> Option<Vec<&str>> {
    if let Some(name) = schema.get("const") {
        return Some(vec![name.as_str()?]);
    }
    if let Some(names) = schema.get("enum") {
        return names.as_array()?.iter().map(Value::as_str).collect();
    }
    let options = schema.get("oneOf")?.as_array()?;
    options.iter().map(|option| option.get("const")?.as_str()).collect()
}

fn tag_key(schema: &Schema) -> Option<&str> {
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find(|(_, s)| s.get("const").is_some()).map(|(key, _)| key.as_str())
}

fn tag_value<'s>(schema: &'s Schema, tag: &str) -> Option<&'s str> {
    schema.get("properties")?.get(tag)?.get("const")?.as_str()
}

fn is_null(schema: &Schema) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn type_names(schema: &Schema) -> Vec<&str> {
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

fn has_type(value: &Value, name: &str) -> bool {
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
