//! What is wrong with a case file, and where.

use std::fmt;

use thiserror::Error;

/// One problem of a case file.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Key path, such as `parts.beam.sections[0].thickness`.
    pub path: String,
    /// The offending value as the user wrote it, if there is one.
    pub value: Option<String>,
    /// What is wrong and what is allowed.
    pub message: String,
    /// File and line, once located.
    pub place: Option<String>,
}

impl Problem {
    /// A problem at a key path, not yet located.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), value: None, message: message.into(), place: None }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}", self.path)?;
            if let Some(value) = &self.value {
                write!(f, " = {value}")?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.message)
    }
}

/// A case file that cannot be used.
#[derive(Debug, Error)]
pub enum CaseError {
    /// The file cannot be read at all.
    #[error("{file}: {message}")]
    Unreadable {
        /// File name.
        file: String,
        /// Why.
        message: String,
    },
    /// Problems in its contents, all of them.
    #[error("{}", list(.0))]
    Problems(Vec<Problem>),
}

fn list(problems: &[Problem]) -> String {
    let count = match problems.len() {
        1 => "1 problem".to_string(),
        n => format!("{n} problems"),
    };
    let lines: Vec<String> = problems.iter().map(|p| format!("  {p}")).collect();
    format!("{count} in the case file\n{}", lines.join("\n"))
}

/// The path of a key in the table at `path`.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

/// The candidate closest to `name`, if it is close enough to be what was meant.
pub(super) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let distance = |candidate: &&str| strsim::osa_distance(name, candidate);
    let best = candidates.into_iter().min_by_key(distance)?;
    (distance(&best) <= 1 + name.chars().count() / 3).then_some(best)
}

/// "; did you mean `x`?" or a list of what there is.
pub fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(best) = closest(name, candidates.clone()) {
        return format!("; did you mean `{best}`?");
    }
    let all: Vec<&str> = candidates.into_iter().take(12).collect();
    if all.is_empty() {
        "; there are none".into()
    } else {
        format!("; there are: {}", all.join(", "))
    }
}
