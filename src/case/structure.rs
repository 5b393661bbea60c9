//! Walks a value along the JSON Schema of the case format and collects every deviation.
//!
//! A general validator would report a wrong key inside a tagged table as "matches none of the
//! alternatives"; this one reads the tag first and says what is wrong in the table that was meant.

use serde_json::Value;

use super::problem::{Problem, join, suggestion};
use super::schema::{
    Schema, allowed_names, describe, has_type, lengths, options, required, resolve, tag_key,
    tag_value, type_names,
};

/// Appends everything in `value` that `schema` does not allow.
pub(super) fn check(schema: &Value, value: &Value, problems: &mut Vec<Problem>) {
    let Some(root) = schema.as_object() else { return };
    Walker { root }.check(root, "", value, problems);
}

struct Walker<'a> {
    root: &'a Schema,
}

impl<'a> Walker<'a> {
    fn check(&self, schema: &'a Schema, path: &str, value: &Value, out: &mut Vec<Problem>) {
        let schema = resolve(self.root, schema);
        if value.is_null() {
            return; // Refused when the document was read.
        }
        if let Some(options) = options(self.root, schema) {
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
                let what = known(key).map(|s| describe(resolve(self.root, s))).unwrap_or_default();
                let message = format!("is missing; must be {what}");
                out.push(Problem::new(join(path, key), message));
            }
        }
    }

    fn check_array(&self, schema: &'a Schema, path: &str, items: &[Value], out: &mut Vec<Problem>) {
        let (min, max) = lengths(schema);
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
        if let [only] = options {
            return self.check(only, path, value, out);
        }
        if let Some(tag) = options.first().and_then(|o| tag_key(o)) {
            return self.check_tagged(options, tag, path, value, out);
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
