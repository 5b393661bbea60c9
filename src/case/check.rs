//! Rules between keys that the schema cannot express.

use super::problem::{Problem, suggestion};
use super::{Case, Direction, Named};

mod actions;
mod analyses;
mod friction;
mod history;
mod lumped;
mod matrices;
mod parts;
mod response;
mod transient;
mod wear;

pub(super) use actions::rayleigh_fit;

/// The name that no point can have.
const GROUND: &str = "ground";
const NAME_RULE: &str = "a name is made of letters, digits, `_` and `-` only";

/// Appends everything that does not fit together.
///
/// `guesses` are the paths of values that stand in for unreadable ones: what follows from them is no
/// problem of its own.
pub(super) fn check(case: &Case, guesses: &[String], problems: &mut Vec<Problem>) {
    let mut checker = Checker { case, guesses, problems };
    checker.names();
    checker.parts();
    checker.lumped();
    checker.supports_and_loads();
    checker.contact_and_reduction();
    checker.damping();
    checker.probes();
    checker.analyses();
}

struct Checker<'a> {
    case: &'a Case,
    guesses: &'a [String],
    problems: &'a mut Vec<Problem>,
}

impl Checker<'_> {
    fn refuse(&mut self, path: impl Into<String>, message: impl Into<String>) {
        let path = path.into();
        if !is_guess(&path, self.guesses) {
            self.problems.push(Problem::new(path, message));
        }
    }

    /// Refuses a name that is not in `table`, unless the table could not be read.
    fn refuse_name(&mut self, path: impl Into<String>, table: &str, message: String) {
        if !self.is_in_guess(table) {
            self.refuse(path, message);
        }
    }

    /// Whether `path` is or lies in a value that is a guess.
    fn is_in_guess(&self, path: &str) -> bool {
        self.guesses.iter().any(|guess| is_at_or_below(path, guess))
    }

    fn names(&mut self) {
        let case = self.case;
        self.table_names("materials", &case.materials);
        self.table_names("parts", &case.parts);
        self.table_names("points", &case.points);
        self.table_names("probes", &case.probes);
        if case.parts.is_empty() && case.points.is_empty() {
            self.refuse("parts", "the case has neither parts nor points: nothing to analyse");
        }
        for name in case.points.keys() {
            let path = format!("points.{name}");
            if case.parts.contains_key(name) {
                self.refuse(&path, "a part has the same name");
            }
            if name == GROUND {
                self.refuse(&path, "`ground` is the fixed ground and cannot be a point");
            }
        }
    }

    fn table_names<T>(&mut self, table: &str, entries: &Named<T>) {
        for name in entries.keys().filter(|name| !is_name(name)) {
            self.refuse(format!("{table}.{name}"), NAME_RULE);
        }
    }

    fn direction(&mut self, path: &str, direction: Direction) {
        if let Direction::Vector(vector) = direction
            && vector.unit().is_none()
        {
            self.refuse(path, "the direction must have a length greater than 0");
        }
    }

    /// "part.set" or a point must exist; sets of mesh files are looked up when the mesh is read.
    fn target(&mut self, path: &str, target: &str) {
        let (parts, points) = (&self.case.parts, &self.case.points);
        match target.split_once('.') {
            Some((name, set)) => match parts.get(name) {
                Some(part) => self.set(path, name, part, set),
                None => {
                    let hint = suggestion(name, parts.keys().map(String::as_str));
                    self.refuse_name(path, "parts", format!("no such part{hint}"));
                }
            },
            None if points.contains_key(target) => {}
            None if parts.contains_key(target) => {
                let message = format!("is a whole part; name one of its sets as \"{target}.SET\"");
                self.refuse(path, message);
            }
            None => {
                let hint = suggestion(target, points.keys().map(String::as_str));
                let message = format!("no such point (sets are written \"part.set\"){hint}");
                self.refuse_name(path, "points", message);
            }
        }
    }
}

/// Whether the value at `path` is, holds, or lies in one of the guesses.
pub(super) fn is_guess(path: &str, guesses: &[String]) -> bool {
    guesses.iter().any(|guess| is_at_or_below(path, guess) || is_at_or_below(guess, path))
}

fn is_at_or_below(path: &str, top: &str) -> bool {
    path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
