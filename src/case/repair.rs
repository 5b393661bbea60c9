//! Makes a readable case of one with problems, so that the rules between keys can be checked as well.
//!
//! A misspelt key or name is read as the one it resembles; other unknown keys are left out and other
//! unreadable values replaced by some value of the right kind. The paths of these guesses are returned:
//! what seems wrong because of them is no further problem of the file.

use serde_json::{Map, Value};

use super::problem::{closest, join};
use super::schema::{
    Schema, allowed_names, has_type, lengths, options, required, resolve, tag_key, tag_value,
    type_names,
};

/// A value of the kinds that `schema` asks for, and the paths at which it is a guess.
///
/// Numbers out of bounds stay as they are.
pub(super) fn repair(schema: &Value, value: &Value) -> (Value, Vec<String>) {
    let Some(root) = schema.as_object() else { return (value.clone(), vec![]) };
    let mut repairer = Repairer { root, guesses: vec![] };
    let value = repairer.value(root, "", value);
    (value, repairer.guesses)
}

struct Repairer<'a> {
    root: &'a Schema,
    guesses: Vec<String>,
}

impl<'a> Repairer<'a> {
    fn value(&mut self, schema: &'a Schema, path: &str, value: &Value) -> Value {
        let schema = resolve(self.root, schema);
        if let Some(options) = options(self.root, schema) {
            return self.alternative(&options, path, value);
        }
        if let Some(names) = allowed_names(schema) {
            return self.name(&names, path, value);
        }
        match value {
            _ if !is_readable(schema, value) => self.guess(schema, path),
            Value::Object(map) => self.table(schema, path, map, None),
            Value::Array(items) => self.list(schema, path, items),
            _ => value.clone(),
        }
    }

    /// Some value that can be read.
    fn guess(&mut self, schema: &'a Schema, path: &str) -> Value {
        self.guesses.push(path.to_string());
        placeholder(self.root, schema)
    }

    fn name(&mut self, names: &[&str], path: &str, value: &Value) -> Value {
        let written = value.as_str().unwrap_or_default();
        if !names.contains(&written) {
            self.guesses.push(path.to_string());
        }
        closest(written, names.iter().copied()).unwrap_or(names[0]).into()
    }

    fn table(
        &mut self,
        schema: &'a Schema,
        path: &str,
        map: &Schema,
        tag: Option<(&str, &str)>,
    ) -> Value {
        let properties = schema.get("properties").and_then(Value::as_object);
        let known = |key: &str| properties.and_then(|p| p.get(key)?.as_object());
        let others = schema.get("additionalProperties").and_then(Value::as_object);
        let mut table: Schema =
            tag.map(|(key, name)| (key.to_string(), name.into())).into_iter().collect();
        for (key, value) in map.iter().filter(|(key, _)| Some(key.as_str()) != tag.map(|t| t.0)) {
            if let Some(schema) = known(key).or(others) {
                table.insert(key.clone(), self.value(schema, &join(path, key), value));
                continue;
            }
            let free = properties.into_iter().flat_map(|p| p.keys()).map(String::as_str);
            let meant = closest(key, free.filter(|key| !map.contains_key(*key)));
            self.guesses.push(join(path, meant.unwrap_or(key)));
            if let Some((key, schema)) = meant.and_then(|key| Some((key, known(key)?))) {
                table.insert(key.to_string(), self.value(schema, &join(path, key), value));
            }
        }
        for key in required(schema) {
            if let Some(schema) = known(key).filter(|_| !table.contains_key(key)) {
                table.insert(key.to_string(), self.guess(schema, &join(path, key)));
            }
        }
        Value::Object(table)
    }

    fn list(&mut self, schema: &'a Schema, path: &str, items: &[Value]) -> Value {
        let Some(entry) = schema.get("items").and_then(Value::as_object) else {
            return Value::Array(items.to_vec());
        };
        let (min, max) = lengths(schema);
        let numbered = items.iter().enumerate().take(max);
        let mut list: Vec<Value> =
            numbered.map(|(i, item)| self.value(entry, &format!("{path}[{i}]"), item)).collect();
        if items.len() < min || items.len() > max {
            self.guesses.push(path.to_string());
            list.resize(list.len().max(min), placeholder(self.root, entry));
        }
        Value::Array(list)
    }

    fn alternative(&mut self, options: &[&'a Schema], path: &str, value: &Value) -> Value {
        if let Some(tag) = options.first().filter(|_| options.len() > 1).and_then(|o| tag_key(o)) {
            return self.tagged(options, tag, path, value);
        }
        match options.iter().find(|option| is_readable(option, value)) {
            Some(meant) => self.value(meant, path, value),
            None => self.guess(options[0], path),
        }
    }

    fn tagged(&mut self, options: &[&'a Schema], tag: &str, path: &str, value: &Value) -> Value {
        let Some(map) = value.as_object() else { return self.guess(options[0], path) };
        let names: Vec<&str> = options.iter().filter_map(|option| tag_value(option, tag)).collect();
        let name = self.name(&names, &join(path, tag), map.get(tag).unwrap_or(&Value::Null));
        let name = name.as_str().unwrap_or_default();
        let meant = options.iter().find(|option| tag_value(option, tag) == Some(name));
        self.table(meant.unwrap_or(&options[0]), path, map, Some((tag, name)))
    }
}

/// Whether a value is of a kind that the schema allows.
fn is_readable(schema: &Schema, value: &Value) -> bool {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    let fits = !format.starts_with("uint") || value.is_u64();
    fits && type_names(schema).iter().any(|name| has_type(value, name))
}

/// The simplest value that a schema allows, bounds of numbers aside.
fn placeholder(root: &Schema, schema: &Schema) -> Value {
    let schema = resolve(root, schema);
    if let Some(first) = options(root, schema).and_then(|options| options.first().copied()) {
        return placeholder(root, first);
    }
    if let Some(names) = allowed_names(schema) {
        return names[0].into();
    }
    match type_names(schema).first().copied().unwrap_or_default() {
        "number" | "integer" => 1.into(),
        "boolean" => false.into(),
        "array" => {
            let entry = schema.get("items").and_then(Value::as_object);
            let entry = entry.map_or(Value::Null, |entry| placeholder(root, entry));
            vec![entry; lengths(schema).0].into()
        }
        "object" => {
            let property = |key: &str| schema.get("properties")?.get(key)?.as_object();
            let filled = required(schema).filter_map(|key| Some((key, property(key)?)));
            let filled = filled.map(|(key, schema)| (key.to_string(), placeholder(root, schema)));
            Value::Object(filled.collect::<Map<_, _>>())
        }
        _ => "".into(),
    }
}
