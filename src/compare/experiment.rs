//! Measurements as CSV: lines `# key: value`, a line of columns with units, then numbers.
//!
//! ```text
//! # quantity: response
//! # probe: arm
//! # load_factor: 50
//! frequency [Hz], amplitude [um], phase [deg]
//! 20.0, 0.131, -0.4
//! ```
//!
//! A file that cannot be read is refused with line and column (in characters, both from 1).

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::CompareError;
use super::units::Unit;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Amplitude over frequency.
    Response,
    /// Force over displacement.
    Loop,
    /// Worn depth over position.
    Profile,
    /// A number over cycles.
    History,
    /// Displacements of points in a mode.
    Mode,
}

const QUANTITIES: [(&str, Quantity); 5] = [
    ("response", Quantity::Response),
    ("loop", Quantity::Loop),
    ("profile", Quantity::Profile),
    ("history", Quantity::History),
    ("mode", Quantity::Mode),
];

/// A value of the header and its line.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    text: String,
    line: usize,
}

/// A column in SI.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its unit as written.
    pub unit: Unit,
    /// Its values in SI.
    pub values: Vec<f64>,
    /// Where its name stands: line and character.
    place: (usize, usize),
}

/// A measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Its file.
    pub path: PathBuf,
    /// What was measured.
    pub quantity: Quantity,
    /// What the reader should know.
    pub notes: Vec<String>,
    header: IndexMap<String, Entry>,
    columns: IndexMap<String, Column>,
    first_row: usize,
}

impl Experiment {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, CompareError> {
        let bytes = std::fs::read(path)
            .map_err(|e| CompareError::new(path, None, format!("cannot be read: {e}")))?;
        Self::parse(path, &bytes)
    }

    /// Reads the contents of a file.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, CompareError> {
        Reader { path }.experiment(bytes)
    }

    /// Name for tables and legends: that of the file, or the key `name`.
    pub fn name(&self) -> String {
        let stem = self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self.text("name").map(String::from).or(stem).unwrap_or_default()
    }

    /// A text of the header.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.header.get(key).map(|entry| entry.text.as_str())
    }

    /// A number of the header, with a unit if it has one.
    pub fn number(&self, key: &str) -> Result<Option<f64>, CompareError> {
        let Some(entry) = self.header.get(key) else { return Ok(None) };
        let (value, unit) = match entry.text.split_once(' ') {
            Some((value, unit)) => (value, unit.trim()),
            None => (entry.text.as_str(), "1"),
        };
        let refuse =
            |message: String| CompareError::new(&self.path, Some((entry.line, 1)), message);
        let value: f64 = value
            .parse()
            .map_err(|_| refuse(format!("`{key}` is `{}`: not a number", entry.text)))?;
        let unit = Unit::parse(unit).map_err(refuse)?;
        Ok(Some(value * unit.factor))
    }

    /// A column that may be left out; its unit must be convertible to `unit`.
    pub fn optional(&self, name: &str, unit: &str) -> Result<Option<&[f64]>, CompareError> {
        let Some(column) = self.columns.get(name) else { return Ok(None) };
        let wanted = Unit::parse(unit).map_err(|m| CompareError::new(&self.path, None, m))?;
        if column.unit.to(&wanted).is_none() {
            let message = format!(
                "the unit of `{name}` cannot be converted to {unit}, the unit of the results"
            );
            return Err(CompareError::new(&self.path, Some(column.place), message));
        }
        Ok(Some(&column.values))
    }

    /// A column that must be there.
    pub fn column(&self, name: &str, unit: &str) -> Result<&[f64], CompareError> {
        self.optional(name, unit)?.ok_or_else(|| {
            let there: Vec<&str> = self.columns.keys().map(String::as_str).collect();
            let message =
                format!("the column `{name} [{unit}]` is missing; there are: {}", there.join(", "));
            CompareError::new(
                &self.path,
                Some((self.first_row.saturating_sub(1).max(1), 1)),
                message,
            )
        })
    }

    /// Names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// An error about the header.
    pub fn refuse(&self, key: &str, message: String) -> CompareError {
        let line = self.header.get(key).map_or(1, |entry| entry.line);
        CompareError::new(&self.path, Some((line, 1)), message)
    }

    /// Refuses a column that does not ascend.
    fn check_ascending(&self, name: &str) -> Result<(), CompareError> {
        let Some(column) = self.columns.get(name) else { return Ok(()) };
        match column.values.windows(2).position(|w| w[1] <= w[0]) {
            None => Ok(()),
            Some(i) => {
                let message =
                    format!("`{name}` does not ascend here; sort the rows by it, each value once");
                Err(CompareError::new(&self.path, Some((self.first_row + i + 1, 1)), message))
            }
        }
    }
}

struct Reader<'a> {
    path: &'a Path,
}

impl Reader<'_> {
    fn refuse<T>(
        &self,
        place: (usize, usize),
        message: impl Into<String>,
    ) -> Result<T, CompareError> {
        Err(CompareError::new(self.path, Some(place), message.into()))
    }

    fn experiment(&self, bytes: &[u8]) -> Result<Experiment, CompareError> {
        let mut notes = Vec::new();
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return self.refuse((1, 1), "a UTF-16 file; save it as UTF-8");
        }
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => {
                notes.push("line 1, column 1: a byte-order mark, left out".to_string());
                rest
            }
            None => bytes,
        };
        let Ok(text) = std::str::from_utf8(bytes) else {
            let valid = std::str::from_utf8(bytes).err().map_or(0, |e| e.valid_up_to());
            let line = 1 + bytes[..valid].iter().filter(|b| **b == b'\n').count();
            return self.refuse((line, 1), "not UTF-8 text; save the file as UTF-8");
        };
        let lines: Vec<&str> = text.lines().collect();
        let (header, at) = self.header(&lines)?;
        let quantity = self.quantity(&header)?;
        let Some(titles) = lines.get(at) else {
            return self.refuse(
                (lines.len().max(1), 1),
                "the file has no line of columns, such as `frequency [Hz], amplitude [m]`",
            );
        };
        let mut columns = self.titles(titles, at + 1)?;
        self.rows(&lines[at + 1..], at + 2, &mut columns)?;
        let experiment = Experiment {
            path: self.path.into(),
            quantity,
            notes,
            header,
            columns,
            first_row: at + 2,
        };
        for name in match quantity {
            Quantity::Response => &["frequency"][..],
            Quantity::Profile => &["position"],
            Quantity::History => &["cycles"],
            Quantity::Loop | Quantity::Mode => &[],
        } {
            experiment.check_ascending(name)?;
        }
        Ok(experiment)
    }

    /// Lines `# key: value` up to the first other one.
    fn header(&self, lines: &[&str]) -> Result<(IndexMap<String, Entry>, usize), CompareError> {
        let mut header = IndexMap::new();
        for (i, line) in lines.iter().enumerate() {
            let line = line.trim();
            let Some(entry) = line.strip_prefix('#') else {
                if line.is_empty() {
                    continue;
                }
                return Ok((header, i));
            };
            if let Some((key, value)) = entry.split_once(':') {
                let entry = Entry { text: value.trim().to_string(), line: i + 1 };
                header.insert(key.trim().to_lowercase().replace(' ', "_"), entry);
            }
        }
        Ok((header, lines.len()))
    }

    fn quantity(&self, header: &IndexMap<String, Entry>) -> Result<Quantity, CompareError> {
        let names: Vec<&str> = QUANTITIES.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        let Some(entry) = header.get("quantity") else {
            return self.refuse(
                (1, 1),
                format!("the first line must be `# quantity: NAME`, one of: {names}"),
            );
        };
        match QUANTITIES.iter().find(|(name, _)| *name == entry.text.to_lowercase()) {
            Some((_, quantity)) => Ok(*quantity),
            None => self.refuse(
                (entry.line, 1),
                format!("the quantity `{}` is none of: {names}", entry.text),
            ),
        }
    }

    /// `name [unit]`, separated by commas.
    fn titles(&self, line: &str, number: usize) -> Result<IndexMap<String, Column>, CompareError> {
        if !line.contains(',')
            && let Some(at) = line.find([';', '\t'])
        {
            let place = (number, 1 + line[..at].chars().count());
            return self.refuse(
                place,
                "columns must be separated by commas, and numbers written with points",
            );
        }
        let mut columns = IndexMap::new();
        for (at, title) in fields(line) {
            let place = (number, at);
            let Some((name, unit)) = title.strip_suffix(']').and_then(|t| t.split_once('[')) else {
                return self.refuse(place, format!("the column `{title}` has no unit: write `{title} [m]`, or [1] for a pure number"));
            };
            let unit = Unit::parse(unit.trim())
                .map_err(|message| CompareError::new(self.path, Some(place), message))?;
            let name = name.trim().to_lowercase();
            if columns.insert(name.clone(), Column { unit, values: vec![], place }).is_some() {
                return self.refuse(place, format!("the column `{name}` is there twice"));
            }
        }
        Ok(columns)
    }

    fn rows(
        &self,
        lines: &[&str],
        first: usize,
        columns: &mut IndexMap<String, Column>,
    ) -> Result<(), CompareError> {
        for (i, line) in lines.iter().enumerate() {
            if line.trim().is_empty() {
                if lines[i..].iter().any(|line| !line.trim().is_empty()) {
                    return self.refuse((first + i, 1), "an empty line between the rows");
                }
                break;
            }
            self.row(line, first + i, columns)?;
        }
        if columns.values().all(|column| column.values.is_empty()) {
            return self.refuse((first - 1, 1), "no row of numbers follows the line of columns");
        }
        Ok(())
    }

    fn row(
        &self,
        line: &str,
        number: usize,
        columns: &mut IndexMap<String, Column>,
    ) -> Result<(), CompareError> {
        let cells = fields(line);
        if cells.len() != columns.len() {
            let end = line.chars().count() + 1;
            let at = cells.get(columns.len()).map_or(end, |(at, _)| *at);
            let hint = if cells.len() > columns.len() {
                "; are there decimal commas? numbers are written with points"
            } else if line.contains(';') {
                "; columns must be separated by commas"
            } else {
                ""
            };
            let message = format!("{} values for {} columns{hint}", cells.len(), columns.len());
            return self.refuse((number, at), message);
        }
        for ((at, cell), (name, column)) in cells.into_iter().zip(columns.iter_mut()) {
            match cell.parse::<f64>() {
                Ok(value) if value.is_finite() => column.values.push(value * column.unit.factor),
                _ => {
                    return self.refuse(
                        (number, at),
                        format!("`{cell}` in the column `{name}` is not a number"),
                    );
                }
            }
        }
        Ok(())
    }
}

/// The cells of a line with the characters at which they begin.
fn fields(line: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut at = 1;
    for cell in line.split(',') {
        let blank = cell.chars().take_while(|c| c.is_whitespace()).count();
        out.push((at + blank, cell.trim()));
        at += cell.chars().count() + 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# quantity: response\n# probe: arm\n";

    fn message(text: impl AsRef<[u8]>) -> String {
        Experiment::parse(Path::new("e.csv"), text.as_ref()).unwrap_err().to_string()
    }

    #[test]
    fn a_good_file_becomes_si() {
        let text =
            format!("{HEAD}# frequency: 2 kHz\nfrequency [kHz], amplitude [um]\n1, 2.5\n2, 3e1\n");
        let e = Experiment::parse(Path::new("e.csv"), text.as_bytes()).unwrap();
        assert_eq!(e.column("frequency", "Hz").unwrap(), [1e3, 2e3]);
        assert!((e.column("amplitude", "m").unwrap()[1] - 30e-6).abs() < 1e-18);
        assert_eq!((e.text("probe"), e.number("frequency").unwrap()), (Some("arm"), Some(2e3)));
        let wrong = e.column("amplitude", "m/s^2").unwrap_err().to_string();
        assert!(wrong.contains("e.csv:4:18") && wrong.contains("m/s^2"), "{wrong}");
        let missing = e.column("phase", "rad").unwrap_err().to_string();
        assert!(
            missing.contains("`phase [rad]` is missing; there are: frequency, amplitude"),
            "{missing}"
        );
    }

    #[test]
    fn bad_files_are_refused_with_line_and_column() {
        let with = |rows: &str| message(format!("{HEAD}frequency [Hz], amplitude [m]\n{rows}"));
        let expected = [
            (message(""), "e.csv:1:1", "# quantity"),
            (message("# quantity: sound\n"), "e.csv:1:1", "`sound`"),
            (message(HEAD), "e.csv:2:1", "no line of columns"),
            (with(""), "e.csv:3:1", "no row of numbers"),
            (with("1, 2\n3, x4\n"), "e.csv:5:4", "`x4` in the column `amplitude`"),
            (with("1, 2\n3\n"), "e.csv:5:2", "1 values for 2 columns"),
            (with("1,5, 2,5\n"), "e.csv:4:6", "decimal commas"),
            (with("2, 1\n1, 1\n"), "e.csv:5:1", "does not ascend"),
            (with("1, nan\n"), "e.csv:4:4", "not a number"),
            (
                message(format!("{HEAD}frequency [Hz]; amplitude [m]\n1;2\n")),
                "e.csv:3:15",
                "commas",
            ),
            (message(format!("{HEAD}frequency, amplitude [m]\n1,2\n")), "e.csv:3:1", "has no unit"),
            (message(format!("{HEAD}frequency [Hz], amplitude [ell]\n")), "e.csv:3:17", "`ell`"),
            (message(b"\xff\xfe#\0"), "e.csv:1:1", "UTF-16"),
            (message(b"# quantity: response\n\xe9\n"), "e.csv:2:1", "UTF-8"),
        ];
        for (message, place, words) in expected {
            assert!(message.contains(place) && message.contains(words), "{message}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_left_out_and_told() {
        let text = format!("\u{feff}{HEAD}frequency [Hz], amplitude [m]\n1, 2\n");
        let e = Experiment::parse(Path::new("e.csv"), text.as_bytes()).unwrap();
        assert!(e.notes[0].contains("byte-order mark"));
    }
}
