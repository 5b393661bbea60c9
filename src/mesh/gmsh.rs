//! Reads Gmsh `.msh` files: ASCII, versions 4.1 and 2.2, two-dimensional, first-order quadrilaterals.
//!
//! * Points, two-node lines and four-node quads are read; any other element is an error.
//! * A physical surface becomes a cell group and a node set; a physical curve becomes a group of line
//!   cells and a set with edges; a physical point becomes a node set. Groups without a name are called
//!   `physical_<tag>`; one name used in several dimensions is one set.
//! * Of several physical groups on one entity the first decides the cell group; all become sets.
//!   Version 2.2 writes such an element once per group, under new numbers, so elements on the same
//!   nodes are one cell.
//! * Quads outside all physical groups go to the group `ungrouped`; such lines and points are dropped.
//! * Clockwise quads are reversed, because Gmsh surfaces may be oriented either way.
//! * Every node must belong to a cell and lie in the plane z = 0.
//! * Sections not needed here ($Periodic, $Comments, …) are skipped.
//!
//! Coordinates are returned as they stand in the file. Counts stated in the file are checked but never
//! trusted: memory grows only with the lines that are really there.

mod reader;
mod rows;

use thiserror::Error;

use super::Mesh;
use reader::Reader;
use rows::{Rows, clip};

/// The header must be within so many bytes.
const HEADER_BYTES: usize = 256;
/// What to do about a file that contradicts itself.
const AGAIN: &str = "the file is damaged, export it from Gmsh again";

/// Why a Gmsh file was refused: the line (from 1), the number of the node or element, and what is wrong
/// together with what to do about it.
#[derive(Debug, Error)]
pub enum GmshError {
    /// The file as a whole, or this line of it, is not as it should be.
    #[error("line {0}: {1}")]
    File(usize, String),
    /// A node cannot be used.
    #[error("line {0}: node {1} {2}")]
    Node(usize, u64, String),
    /// An element cannot be used.
    #[error("line {0}: element {1} {2}")]
    Element(usize, u64, String),
}

type Outcome<T = ()> = Result<T, GmshError>;

/// Reads a mesh from the bytes of a `.msh` file; coordinates stay as they are in the file.
///
/// # Errors
/// See [`GmshError`]; messages name the line, not the file.
pub fn read(bytes: &[u8]) -> Result<Mesh, GmshError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // The header first: a large file of another kind is refused without looking at the rest.
    let version = read_header(bytes)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.iter().take(error.valid_up_to());
        let line = 1 + valid.filter(|byte| **byte == b'\n').count();
        GmshError::File(line, format!("the text is not UTF-8; {AGAIN}"))
    })?;
    let mut rows = Rows::new(text);
    let mut reader = Reader::new(version);
    while let Some(row) = rows.next_row() {
        rows.section = match row.text.strip_prefix('$') {
            Some(name) if !name.starts_with("End") => name,
            _ => return Err(row.unexpected("the start of a section", row.text)),
        };
        reader.read_section(&mut rows)?;
    }
    reader.finish(rows.line)
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Version {
    #[default]
    Two,
    Four,
}

fn read_header(bytes: &[u8]) -> Outcome<Version> {
    let prefix = String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES)]);
    let mut rows = Rows::new(&prefix);
    rows.section = "MeshFormat";
    let first = rows.next_row().map_or("an empty file", |row| row.text);
    if first != "$MeshFormat" {
        let advice = "this is no Gmsh mesh, export one as .msh, version 4.1 ASCII";
        let problem = format!("expected $MeshFormat, found `{}`; {advice}", clip(first));
        return Err(GmshError::File(rows.line.max(1), problem));
    }
    let mut row = rows.require()?;
    let version = match row.word("a format version")? {
        "2.2" => Version::Two,
        "4.1" => Version::Four,
        other => {
            let advice = "export as version 4.1 or 2.2 (Mesh.MshFileVersion = 4.1)";
            let problem = format!("format version {} is not read; {advice}", clip(other));
            return Err(GmshError::File(row.line, problem));
        }
    };
    let binary = "the file is binary; export it as ASCII (Mesh.Binary = 0)".to_string();
    match row.word("a file type")? {
        "0" => Ok(version),
        "1" => Err(GmshError::File(row.line, binary)),
        other => Err(row.unexpected("the file type 0 for ASCII", other)),
    }
}

#[cfg(test)]
mod tests;
