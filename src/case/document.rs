//! TOML text as a JSON value, with the line of every key.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{CaseError, Problem, join};
use super::source::{CaseSource, Override};

/// Sizes of numbers that no product of a few of them takes out of range.
const MIN_SIZE: f64 = 1e-30;
const MAX_SIZE: f64 = 1e30;

/// A parsed case file.
#[derive(Debug)]
pub(super) struct Document {
    value: Value,
    /// For each key path: the line (None for overrides) and the value as written.
    places: HashMap<String, (Option<usize>, String)>,
    problems: Vec<Problem>,
    label: String,
}

impl Document {
    pub fn parse(source: &CaseSource) -> Result<Self, CaseError> {
        let lines = LineIndex::new(&source.text);
        let table = DeTable::parse(&source.text).map_err(|error| {
            let line = error.span().map_or(1, |span| lines.line(span.start));
            let mut problem = Problem::new("", error.message().trim());
            problem.place = Some(format!("{}:{line}", source.label));
            CaseError::Problems(vec![problem])
        })?;
        let mut reader = Reader {
            text: &source.text,
            lines,
            places: HashMap::new(),
            problems: Vec::new(),
            is_override: false,
        };
        let mut value = reader.table("", table.get_ref());
        for change in &source.overrides {
            reader.apply(&mut value, change);
        }
        let Reader { places, problems, .. } = reader;
        Ok(Self { value, places, problems, label: source.label.clone() })
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Problems found while parsing (non-finite numbers, dates, bad overrides).
    pub fn problems(&self) -> Vec<Problem> {
        self.problems.clone()
    }

    /// Adds file, line, value and the name of a law to the problems and sorts them by line.
    pub fn locate(&self, problems: Vec<Problem>) -> Vec<Problem> {
        let mut located: Vec<(usize, Problem)> =
            problems.into_iter().map(|problem| self.locate_one(problem)).collect();
        located.sort_by_key(|(line, _)| *line);
        located.into_iter().map(|(_, problem)| problem).collect()
    }

    /// A key that is not in the file is placed at the nearest table that is.
    fn locate_one(&self, mut problem: Problem) -> (usize, Problem) {
        let mut path = problem.path.as_str();
        if let Some((_, text)) = self.places.get(path).filter(|(_, text)| !text.is_empty()) {
            problem.value.get_or_insert_with(|| text.clone()).truncate_to(60);
        }
        if let Some(law) = self.law(path).map(|law| format!("{law}: "))
            && !problem.message.starts_with(&law)
        {
            problem.message.insert_str(0, &law);
        }
        let line = loop {
            match self.places.get(path) {
                Some((Some(line), _)) => break Some(*line),
                Some((None, _)) => break None,
                None if path.is_empty() => break Some(1),
                None => path = path.rfind(['.', '[']).map_or("", |end| &path[..end]),
            }
        };
        problem.place.get_or_insert_with(|| match line {
            Some(line) => format!("{}:{line}", self.label),
            None => "--set".to_string(),
        });
        (line.unwrap_or(usize::MAX), problem)
    }

    /// The type of the law whose table a key is in: that of a contact, of its directions, or of wear.
    fn law(&self, path: &str) -> Option<&str> {
        let (table, key) = path.rsplit_once('.')?;
        let mut keys = table.split('.');
        let is_law =
            keys.next()?.starts_with("contact[") && ["law", "wear"].contains(&keys.next()?);
        let (_, written) = self.places.get(&join(table, "type"))?;
        (is_law && key != "type").then(|| written.trim_matches(['"', '\'']))
    }
}

trait Truncate {
    fn truncate_to(&mut self, max: usize);
}

impl Truncate for String {
    fn truncate_to(&mut self, max: usize) {
        if self.chars().count() > max {
            *self = self.chars().take(max).collect::<String>() + "…";
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    lines: LineIndex,
    places: HashMap<String, (Option<usize>, String)>,
    problems: Vec<Problem>,
    is_override: bool,
}

impl Reader<'_> {
    fn table(&mut self, path: &str, table: &DeTable<'_>) -> Value {
        let mut map = Map::new();
        for (key, value) in table {
            let path = join(path, key.get_ref());
            let line = self.lines.line(key.span().start);
            let value = self.value(&path, value, line);
            map.insert(key.get_ref().to_string(), value);
        }
        Value::Object(map)
    }

    fn value(&mut self, path: &str, value: &Spanned<DeValue<'_>>, line: usize) -> Value {
        let written = match value.get_ref() {
            DeValue::Table(_) => String::new(),
            // An array of tables spans only its first header.
            DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()) => {
                String::new()
            }
            _ => self.text.get(value.span()).unwrap_or_default().to_string(),
        };
        let line = (!self.is_override).then_some(line);
        self.places.insert(path.to_string(), (line, written.clone()));
        match value.get_ref() {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Integer(_) | DeValue::Float(_) => self.number(path, &written),
            DeValue::Datetime(_) => self.refuse(path, "dates are not used in case files"),
            DeValue::Table(table) => self.table(path, table),
            DeValue::Array(items) => {
                let items = items.iter().enumerate();
                let read = |(i, item): (usize, &Spanned<DeValue<'_>>)| {
                    let line = self.lines.line(item.span().start);
                    self.value(&format!("{path}[{i}]"), item, line)
                };
                Value::Array(items.map(read).collect())
            }
        }
    }

    fn number(&mut self, path: &str, written: &str) -> Value {
        let plain = written.replace('_', "");
        let number = match plain.trim_start_matches('+').parse::<i64>() {
            Ok(integer) => Some(Number::from(integer)),
            Err(_) => plain.parse::<f64>().ok().and_then(Number::from_f64),
        };
        let size = number.as_ref().and_then(Number::as_f64).unwrap_or(f64::NAN).abs();
        match number {
            Some(number) if size == 0.0 || (MIN_SIZE..=MAX_SIZE).contains(&size) => {
                Value::Number(number)
            }
            Some(_) => self.refuse(path, "must be 0 or of a size between 1e-30 and 1e30"),
            None => self.refuse(path, "must be a finite decimal number"),
        }
    }

    fn refuse(&mut self, path: &str, message: &str) -> Value {
        self.problems.push(Problem::new(path, message));
        Value::Null
    }

    /// Puts the value of `--set` into the tree.
    fn apply(&mut self, root: &mut Value, change: &Override) {
        let Override { path, value: text } = change;
        // A bare word is a string: `--set parts.a.sections[0].element=quad4`.
        let quoted = format!("\"{text}\"");
        let parsed = DeValue::parse(text).map(|value| (value, text.as_str()));
        let parsed =
            parsed.or_else(|_| DeValue::parse(&quoted).map(|value| (value, quoted.as_str())));
        let Ok((parsed, text)) = parsed else {
            self.refuse(path, &format!("`{text}` is not a TOML value"));
            return;
        };
        let mut reader = Reader {
            text,
            lines: LineIndex::new(text),
            places: HashMap::new(),
            problems: Vec::new(),
            is_override: true,
        };
        let value = reader.value(path, &parsed, 0);
        self.places.extend(reader.places);
        self.problems.extend(reader.problems);
        match find(root, path) {
            Some(target) => *target = value,
            None => {
                self.places.insert(path.clone(), (None, String::new()));
                self.refuse(path, "there is no such key or list entry in the case");
            }
        }
    }
}

/// The entry at a key path; a missing last key of a table is created.
fn find<'a>(root: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    let mut target = root;
    let steps: Vec<&str> = path.split('.').collect();
    for (i, step) in steps.iter().enumerate() {
        let (key, indices) = step.split_once('[').map_or((*step, ""), |(k, rest)| (k, rest));
        let table = target.as_object_mut()?;
        if i + 1 == steps.len() && indices.is_empty() {
            return Some(table.entry(key).or_insert(Value::Null));
        }
        target = table.get_mut(key)?;
        for index in indices.split('[').filter(|text| !text.is_empty()) {
            let index: usize = index.strip_suffix(']')?.parse().ok()?;
            target = target.as_array_mut()?.get_mut(index)?;
        }
    }
    Some(target)
}

/// Line numbers of byte offsets.
struct LineIndex(Vec<usize>);

impl LineIndex {
    fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect())
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.0.partition_point(|&newline| newline < offset)
    }
}
