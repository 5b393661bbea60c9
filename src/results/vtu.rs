//! VTU files (ParaView and others) from a results file.
//!
//! One file per static and modal analysis and per response with fields: nodes as points, elements as
//! cells, displacements as three-component vectors, complex fields as real and imaginary parts. Numbers are
//! inline base64, little endian, with a 64-bit length.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::reader::ResultReader;
use super::{FILE_NAME, ResultError};
use crate::linalg::Complex;

/// VTK's numbers for the cell types in use.
const VERTEX: u8 = 1;
const LINE: u8 = 3;
const QUAD: u8 = 9;

/// Writes a VTU file for every analysis with fields; returns the files.
pub fn export(results: &ResultReader, directory: &Path) -> Result<Vec<PathBuf>, ResultError> {
    let grid = Grid::read(results)?;
    let mut files = Vec::new();
    for (name, kind) in results.analyses()? {
        let (points, cells) = match kind.as_str() {
            "static" => static_fields(results, &name, &grid)?,
            "modal" => (modal_fields(results, &name, &grid)?, vec![]),
            "frf" if results.has(&format!("{name}/fields")) => {
                harmonic_fields(results, &name, &grid)?
            }
            _ => continue,
        };
        let path = directory.join(format!("{name}.vtu"));
        fs::write(&path, grid.document(&points, &cells))
            .map_err(|error| ResultError::write(&path, error))?;
        files.push(path);
    }
    Ok(files)
}

/// Removes the files that were made of the results in `directory`, which new ones will replace.
///
/// Other VTU files may be the user's own.
pub fn remove_earlier(directory: &Path) -> Result<(), ResultError> {
    let path = directory.join(FILE_NAME);
    let analyses = ResultReader::open(&path).and_then(|earlier| earlier.analyses());
    for (name, _) in analyses.unwrap_or_default() {
        let path = directory.join(format!("{name}.vtu"));
        if path.is_file() {
            fs::remove_file(&path).map_err(|error| ResultError::write(path, error))?;
        }
    }
    Ok(())
}

/// A named array with a number of components.
struct Field {
    name: String,
    components: usize,
    values: Vec<f64>,
}

fn static_fields(
    results: &ResultReader,
    name: &str,
    grid: &Grid,
) -> Result<(Vec<Field>, Vec<Field>), ResultError> {
    let components = results.components(&format!("{name}/displacement"))?;
    let shape = [grid.n_points(), components.len()];
    let values = results.table(&format!("{name}/displacement"), &shape)?;
    let points = nodal_fields("displacement", &values, &components);
    let mut cells = Vec::new();
    if grid.n_quads > 0 {
        // Beams and points carry no stress: their cells follow the quadrilaterals.
        let rest = grid.n_cells() - grid.n_quads;
        let mut stress = results.table(&format!("{name}/stress"), &[grid.n_quads, 3])?;
        stress.extend(vec![0.0; 3 * rest]);
        cells.push(Field { name: "stress_xx_yy_xy [Pa]".into(), components: 3, values: stress });
        let mut equivalent = results.table(&format!("{name}/von_mises"), &[grid.n_quads])?;
        equivalent.extend(vec![0.0; rest]);
        cells.push(Field { name: "von_mises [Pa]".into(), components: 1, values: equivalent });
    }
    Ok((points, cells))
}

fn modal_fields(
    results: &ResultReader,
    name: &str,
    grid: &Grid,
) -> Result<Vec<Field>, ResultError> {
    let frequencies = results.values(&format!("{name}/frequency"))?;
    let components = results.components(&format!("{name}/shape"))?;
    let shape = [frequencies.len(), grid.n_points(), components.len()];
    let values = results.table(&format!("{name}/shape"), &shape)?;
    let per_mode = grid.n_points() * components.len();
    let mut fields = Vec::new();
    for (i, frequency) in frequencies.iter().enumerate() {
        let title = format!("mode_{:03} {frequency:.4} Hz", i + 1);
        fields.extend(nodal_fields(&title, &values[i * per_mode..(i + 1) * per_mode], &components));
    }
    Ok(fields)
}

/// Displacement and stress at every stored frequency of a response.
fn harmonic_fields(
    results: &ResultReader,
    name: &str,
    grid: &Grid,
) -> Result<(Vec<Field>, Vec<Field>), ResultError> {
    let frequencies = results.values(&format!("{name}/fields/frequency"))?;
    let place = format!("{name}/fields/displacement");
    let components = results.components(&place)?;
    let displacement = results.complex_table(&place, &[0, grid.n_points(), components.len()])?;
    let stress = match grid.n_quads {
        0 => vec![],
        n_quads => results.complex_table(&format!("{name}/fields/stress"), &[0, n_quads, 3])?,
    };
    let (mut points, mut cells) = (Vec::new(), Vec::new());
    for (i, frequency) in frequencies.iter().enumerate() {
        for (part, of) in PARTS {
            let own = step(&displacement, i, grid.n_points() * components.len());
            let values: Vec<f64> = own.iter().map(of).collect();
            let title = format!("displacement_{part} {frequency} Hz");
            points.extend(nodal_fields(&title, &values, &components));
            let mut values: Vec<f64> = step(&stress, i, 3 * grid.n_quads).iter().map(of).collect();
            if !values.is_empty() {
                values.resize(3 * grid.n_cells(), 0.0);
                let name = format!("stress_xx_yy_xy_{part} {frequency} Hz [Pa]");
                cells.push(Field { name, components: 3, values });
            }
        }
    }
    Ok((points, cells))
}

/// A part of a complex number, by the ending of its name.
type Part = (&'static str, fn(&Complex) -> f64);
const PARTS: [Part; 2] = [("re", |z| z.re), ("im", |z| z.im)];

/// Row `i` of a table; a run that was killed may have left the last one out.
fn step(values: &[Complex], i: usize, size: usize) -> &[Complex] {
    values.get(i * size..(i + 1) * size).unwrap_or_default()
}

/// Translations as a vector, and the rotation as a scalar if there is one.
fn nodal_fields(name: &str, values: &[f64], components: &[String]) -> Vec<Field> {
    let place = |component: &str| components.iter().position(|known| known == component);
    let nodes = || values.chunks_exact(components.len());
    let depth = place("z");
    let vectors = nodes().flat_map(|v| [v[0], v[1], depth.map_or(0.0, |z| v[z])]).collect();
    let mut fields = vec![Field { name: name.into(), components: 3, values: vectors }];
    if let Some(rotation) = place("rotation") {
        let rotation = nodes().map(|v| v[rotation]).collect();
        let name = format!("{name} rotation");
        fields.push(Field { name, components: 1, values: rotation });
    }
    fields
}

struct Grid {
    points: Vec<f64>,
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
    types: Vec<u8>,
    n_quads: usize,
}

impl Grid {
    fn read(results: &ResultReader) -> Result<Self, ResultError> {
        let axes = if results.shape("mesh/coordinates")?.last() == Some(&3) { 3 } else { 2 };
        let coordinates = results.table("mesh/coordinates", &[0, axes])?;
        let in_space = |c: &[f64]| [c[0], c[1], c.get(2).copied().unwrap_or(0.0)];
        let points: Vec<f64> = coordinates.chunks_exact(axes).flat_map(in_space).collect();
        let n_nodes = coordinates.len() / axes;
        let quads = results.node_table("mesh/quads", 4, n_nodes)?;
        let beams = results.node_table("mesh/beams", 2, n_nodes)?;
        let mut grid = Self {
            points,
            connectivity: vec![],
            offsets: vec![],
            types: vec![],
            n_quads: quads.len() / 4,
        };
        grid.add(&quads, 4, QUAD);
        grid.add(&beams, 2, LINE);
        grid.add(&results.points()?, 1, VERTEX);
        Ok(grid)
    }

    fn add(&mut self, nodes: &[usize], per_cell: usize, kind: u8) {
        for cell in nodes.chunks_exact(per_cell) {
            self.connectivity.extend(cell.iter().map(|node| *node as i64));
            self.offsets.push(self.connectivity.len() as i64);
            self.types.push(kind);
        }
    }

    fn n_points(&self) -> usize {
        self.points.len() / 3
    }

    fn n_cells(&self) -> usize {
        self.types.len()
    }

    fn document(&self, point_fields: &[Field], cell_fields: &[Field]) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
        );
        let (n_points, n_cells) = (self.n_points(), self.n_cells());
        let _ = writeln!(
            out,
            "<Piece NumberOfPoints=\"{n_points}\" NumberOfCells=\"{n_cells}\">\n<Points>"
        );
        push_floats(&mut out, "points", 3, &self.points);
        out.push_str("</Points>\n<Cells>\n");
        push_integers(&mut out, "connectivity", &self.connectivity);
        push_integers(&mut out, "offsets", &self.offsets);
        push_array(&mut out, "UInt8", "types", 1, &self.types);
        out.push_str("</Cells>\n<PointData>\n");
        point_fields.iter().for_each(|f| push_floats(&mut out, &f.name, f.components, &f.values));
        out.push_str("</PointData>\n<CellData>\n");
        cell_fields.iter().for_each(|f| push_floats(&mut out, &f.name, f.components, &f.values));
        out.push_str("</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
        out
    }
}

fn push_floats(out: &mut String, name: &str, components: usize, values: &[f64]) {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    push_array(out, "Float64", name, components, &bytes);
}

fn push_integers(out: &mut String, name: &str, values: &[i64]) {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    push_array(out, "Int64", name, 1, &bytes);
}

fn push_array(out: &mut String, kind: &str, name: &str, components: usize, bytes: &[u8]) {
    let mut data = (bytes.len() as u64).to_le_bytes().to_vec();
    data.extend_from_slice(bytes);
    let _ = writeln!(
        out,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" \
         format=\"binary\">{}</DataArray>",
        STANDARD.encode(data)
    );
}
