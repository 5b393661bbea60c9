//! The lines of a Gmsh file, word by word.

use std::fmt::Display;
use std::str::{FromStr, Lines, SplitWhitespace};

use super::{AGAIN, GmshError, Outcome};

/// The beginning of a text, short enough for a message.
pub(super) fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The lines of a file that are not blank, and the section they are in.
pub(super) struct Rows<'a> {
    lines: Lines<'a>,
    pub(super) line: usize,
    pub(super) section: &'a str,
}

/// One line, taken word by word.
pub(super) struct Row<'a> {
    pub(super) line: usize,
    pub(super) text: &'a str,
    pub(super) words: SplitWhitespace<'a>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Rows { lines: text.lines(), line: 0, section: "" }
    }

    pub(super) fn next_row(&mut self) -> Option<Row<'a>> {
        loop {
            let text = self.lines.next()?.trim();
            self.line += 1;
            if !text.is_empty() {
                let (line, words) = (self.line, text.split_whitespace());
                return Some(Row { line, text, words });
            }
        }
    }

    /// The next line of the current section.
    pub(super) fn require(&mut self) -> Outcome<Row<'a>> {
        let (line, section) = (self.line, self.section);
        self.next_row().ok_or_else(|| {
            let advice = "it was cut short, export it from Gmsh again";
            let problem = format!("the file ends within ${}; {advice}", clip(section));
            GmshError::File(line.max(1), problem)
        })
    }

    /// Reads the line that ends the section, skipping others if allowed.
    pub(super) fn end_section(&mut self, skip: bool) -> Outcome {
        loop {
            let row = self.require()?;
            if row.text.strip_prefix("$End") == Some(self.section) {
                return Ok(());
            }
            if !skip {
                let expected = format!("$End{} after the stated entries", self.section);
                return Err(row.unexpected(expected, row.text));
            }
        }
    }

    /// A line of whole numbers.
    pub(super) fn counts<const N: usize>(&mut self, expected: &str) -> Outcome<[i64; N]> {
        let mut row = self.require()?;
        let mut counts = [0; N];
        for count in &mut counts {
            *count = row.number(expected)?;
        }
        row.end()?;
        Ok(counts)
    }
}

impl<'a> Row<'a> {
    pub(super) fn unexpected(&self, expected: impl Display, found: &str) -> GmshError {
        let found = clip(found);
        let problem = format!("expected {expected}, found `{found}`; {AGAIN}");
        GmshError::File(self.line, problem)
    }

    pub(super) fn word(&mut self, expected: impl Display) -> Outcome<&'a str> {
        let word = self.words.next();
        word.ok_or_else(|| self.unexpected(expected, "end of line"))
    }

    pub(super) fn number<T: FromStr>(&mut self, expected: impl Display) -> Outcome<T> {
        let word = self.word(&expected)?;
        word.parse().map_err(|_| self.unexpected(expected, word))
    }

    /// Surplus words mean that the line is not what it was taken for.
    pub(super) fn end(&mut self) -> Outcome {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(self.unexpected("end of line", word)),
        }
    }
}
