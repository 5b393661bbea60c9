//! Parts that come as matrices: Matrix Market files with a table of nodes, or one HDF5 file.
//!
//! The table is a CSV file with a header. `id,x,y` must be there; `z,row_x,row_y,row_z,row_rotation` may
//! be. Rows of the matrices count from 1, as in Matrix Market; an empty cell means that the node does not
//! have the freedom. Rows that no node names are internal coordinates, such as those of modes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Mesh, Set};

/// Row, column (counted from 0, row ≥ column) and value.
pub type Entry = (usize, usize, f64);

/// Differences of mirrored entries up to this fraction of the largest entry are rounding.
const TOL_SYMMETRY: f64 = 1e-9;
/// Directions of a node: plane ones as everywhere, then the one out of the plane.
pub const DIRECTIONS: [&str; 4] = ["x", "y", "rotation", "z"];

/// Matrices of a part, lower triangles.
#[derive(Debug, Clone, Default)]
pub struct Matrices {
    /// Number of rows.
    pub size: usize,
    /// For each node the rows of x, y, rotation and z.
    pub rows: Vec<[Option<usize>; 4]>,
    /// z of each node \[m\].
    pub depth: Vec<f64>,
    /// K \[N/m\].
    pub stiffness: Vec<Entry>,
    /// M \[kg\].
    pub mass: Vec<Entry>,
    /// C \[N s/m\], without Rayleigh damping of the case.
    pub damping: Vec<Entry>,
}

impl Matrices {
    /// Rows that no node names.
    pub fn internal_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let named: HashSet<usize> = self.rows.iter().flatten().flatten().copied().collect();
        (0..self.size).filter(move |row| !named.contains(row))
    }

    /// Mass of the part, moved along x \[kg\].
    pub fn mass_along_x(&self) -> f64 {
        let rows: HashSet<usize> = self.rows.iter().filter_map(|rows| rows[0]).collect();
        let moved = self.mass.iter().filter(|(i, j, _)| rows.contains(i) && rows.contains(j));
        moved.map(|(i, j, value)| if i == j { *value } else { 2.0 * value }).sum()
    }

    /// K, M and C.
    pub fn all(&self) -> [&[Entry]; 3] {
        [&self.stiffness, &self.mass, &self.damping]
    }
}

/// A square matrix as read: all entries of both triangles.
#[derive(Debug, Clone, Default)]
pub struct Square {
    /// Number of rows.
    pub size: usize,
    /// Entries, of which repeated ones add up.
    pub entries: Vec<Entry>,
}

impl Square {
    /// Reads a Matrix Market file, coordinate or array.
    pub fn from_matrix_market(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "is not a text file")?;
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let header = lines.next().map(|(_, line)| line.to_lowercase()).unwrap_or_default();
        let words: Vec<&str> = header.split_whitespace().collect();
        let ["%%matrixmarket", "matrix", layout, "real" | "integer", symmetry] = words[..] else {
            return Err(
                "must begin with `%%MatrixMarket matrix coordinate|array real general|symmetric`"
                    .into(),
            );
        };
        let is_symmetric = match symmetry {
            "symmetric" => true,
            "general" => false,
            other => return Err(format!("`{other}` is neither `general` nor `symmetric`")),
        };
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));
        let (number, line) = lines.next().ok_or("ends before the line of its size")?;
        let sizes = numbers::<usize>(number, line)?;
        let (size, count) = match (layout, &sizes[..]) {
            ("coordinate", &[rows, columns, count]) if rows == columns => (rows, count),
            ("array", &[rows, columns]) if rows == columns && is_symmetric => {
                (rows, rows * (rows + 1) / 2)
            }
            ("array", &[rows, columns]) if rows == columns => (rows, rows * rows),
            _ => return Err(format!("line {number}: `{line}` is not the size of a square matrix")),
        };
        let places =
            (0..size).flat_map(|j| (if is_symmetric { j } else { 0 }..size).map(move |i| (i, j)));
        let mut places = places.filter(|_| layout == "array");
        let mut entries = Vec::new();
        for (number, line) in lines {
            let place = places.next();
            let (i, j, value) = match place {
                Some((i, j)) => (i, j, numbers::<f64>(number, line)?.first().copied()),
                None => coordinate(number, line, size)?,
            };
            let value = value.filter(|value| value.is_finite());
            let value =
                value.ok_or_else(|| format!("line {number}: `{line}` holds no finite number"))?;
            entries.push((i, j, value));
            if is_symmetric && i != j {
                entries.push((j, i, value));
            }
        }
        let diagonal = entries.iter().filter(|entry| entry.0 == entry.1).count();
        let stored = if is_symmetric { (entries.len() + diagonal) / 2 } else { entries.len() };
        if stored != count {
            return Err(format!("announces {count} entries but holds {stored}"));
        }
        Ok(Self { size, entries })
    }

    /// The lower triangle, if the matrix is symmetric.
    pub fn lower(&self) -> Result<Vec<Entry>, String> {
        let mut sums: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for &(i, j, value) in &self.entries {
            *sums.entry((i, j)).or_default() += value;
        }
        let largest = sums.values().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let mut lower = Vec::new();
        for (&(i, j), &value) in &sums {
            let mirrored = sums.get(&(j, i)).copied().unwrap_or(0.0);
            if (value - mirrored).abs() > TOL_SYMMETRY * largest {
                return Err(format!(
                    "is not symmetric: entry ({}, {}) is {value:e}, but ({}, {}) is {mirrored:e}",
                    i + 1,
                    j + 1,
                    j + 1,
                    i + 1
                ));
            }
            if i >= j {
                lower.push((i, j, 0.5 * (value + mirrored)));
            }
        }
        Ok(lower)
    }
}

fn numbers<T: std::str::FromStr>(number: usize, line: &str) -> Result<Vec<T>, String> {
    let words = line.split_whitespace().map(str::parse);
    words.collect::<Result<_, _>>().map_err(|_| format!("line {number}: `{line}` holds no numbers"))
}

/// `row column value` of a coordinate file.
fn coordinate(
    number: usize,
    line: &str,
    size: usize,
) -> Result<(usize, usize, Option<f64>), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [row, column, value] = words[..] else {
        return Err(format!("line {number}: `{line}` is not `row column value`"));
    };
    let index = |word: &str| {
        let index = word.parse::<usize>().ok().filter(|index| (1..=size).contains(index));
        index.map(|index| index - 1).ok_or_else(|| {
            format!("line {number}: `{word}` is no row of a matrix with {size} rows")
        })
    };
    Ok((index(row)?, index(column)?, value.parse().ok()))
}

/// Reads the node table for matrices with `size` rows.
pub fn read_nodes(bytes: &[u8], size: usize) -> Result<Mesh, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not a text file")?;
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, header) = lines.next().ok_or("is empty")?;
    let names: Vec<&str> = header.split(',').map(str::trim).collect();
    let known = ["id", "x", "y", "z", "row_x", "row_y", "row_rotation", "row_z"];
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        return Err(format!("has an unknown column `{name}`; known are: {}", known.join(", ")));
    }
    let place = |name: &str| names.iter().position(|known| *known == name);
    for name in ["id", "x", "y"] {
        place(name).ok_or(format!("has no column `{name}`"))?;
    }
    let mut nodes = Nodes::default();
    for (i, line) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let cell = |name: &str| {
            place(name).and_then(|at| cells.get(at)).copied().filter(|cell| !cell.is_empty())
        };
        let bad = |name: &str| format!("line {}: `{name}` is missing or no number", i + 1);
        let id = cell("id").and_then(|cell| cell.parse().ok()).ok_or_else(|| bad("id"))?;
        let length = |name: &str| match cell(name) {
            None if name == "z" => Ok(0.0),
            cell => cell
                .and_then(|cell| cell.parse::<f64>().ok())
                .filter(|value| value.is_finite())
                .ok_or_else(|| bad(name)),
        };
        let mut rows = [None; 4];
        for (row, direction) in rows.iter_mut().zip(DIRECTIONS) {
            let name = format!("row_{direction}");
            if let Some(cell) = cell(&name) {
                let number: usize = cell.parse().map_err(|_| bad(&name))?;
                *row = Some(number.checked_sub(1).ok_or("rows count from 1")?);
            }
        }
        nodes.push(id, [length("x")?, length("y")?, length("z")?], rows);
    }
    nodes.mesh(size)
}

/// Nodes of a part that comes as matrices.
#[derive(Default)]
pub struct Nodes {
    mesh: Mesh,
    depth: Vec<f64>,
    rows: Vec<[Option<usize>; 4]>,
}

impl Nodes {
    /// Adds a node.
    pub fn push(&mut self, id: u64, [x, y, z]: [f64; 3], rows: [Option<usize>; 4]) {
        self.mesh.node_ids.push(id);
        self.mesh.nodes.push([x, y]);
        self.depth.push(z);
        self.rows.push(rows);
    }

    /// The mesh, once every row is known to be one of `size` and used once.
    pub fn mesh(self, size: usize) -> Result<Mesh, String> {
        let Self { mut mesh, depth, rows } = self;
        let mut users: HashMap<usize, u64> = HashMap::new();
        let mut ids = HashSet::new();
        if mesh.nodes.is_empty() {
            return Err("holds no node".into());
        }
        for (id, rows) in mesh.node_ids.iter().zip(&rows) {
            if !ids.insert(id) {
                return Err(format!("holds node {id} twice"));
            }
            for (&row, direction) in rows.iter().zip(DIRECTIONS) {
                let Some(row) = row else { continue };
                if row >= size {
                    return Err(format!(
                        "node {id} has its {direction} in row {}, but the matrices have {size} rows",
                        row + 1
                    ));
                }
                if let Some(other) = users.insert(row, *id) {
                    return Err(format!(
                        "row {} belongs to node {other} and to node {id}",
                        row + 1
                    ));
                }
            }
        }
        mesh.matrices = Some(Matrices { size, rows, depth, ..Default::default() });
        Ok(mesh)
    }
}

impl Mesh {
    /// Adds a set of nodes given by their ids.
    pub fn add_set(&mut self, name: &str, ids: &[u64]) -> Result<(), String> {
        let find = |id: &u64| self.node_ids.iter().position(|known| known == id);
        let nodes = ids.iter().map(|id| find(id).ok_or(format!("set `{name}`: no node {id}")));
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        self.sets.insert(name.into(), Set { nodes, edges: vec![] });
        Ok(())
    }
}
