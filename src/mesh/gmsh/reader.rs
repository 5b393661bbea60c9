//! Builds the mesh section by section.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};

use super::rows::{Row, Rows, clip};
use super::{AGAIN, GmshError, Outcome, Version};
use crate::mesh::{Cell, Mesh, Set, Shape};

/// The cell group of quads that are in no physical group.
const UNGROUPED: &str = "ungrouped";
/// More physical groups than this on one entity are refused: the sets would dwarf the file.
pub(super) const MAX_GROUPS: usize = 64;
/// A node is out of plane if |z| exceeds this fraction of the largest extent.
const PLANE_TOLERANCE: f64 = 1e-9;

/// The dimension of an element of a type that is read; it has 1, 2 or 4 nodes.
fn element_dimension(code: i64, line: usize, element: u64) -> Outcome<u8> {
    let order = "mesh with linear elements: Mesh.ElementOrder = 1";
    let recombine = "recombine the surface: Mesh.RecombineAll = 1";
    let flat = "mesh and export surfaces only (dimension 2)";
    let (words, advice) = match code {
        15 => return Ok(0),
        1 => return Ok(1),
        3 => return Ok(2),
        2 => ("three-node triangle", recombine),
        4 => ("tetrahedron", flat),
        5 => ("hexahedron", flat),
        6 => ("prism", flat),
        7 => ("pyramid", flat),
        8 => ("quadratic (three-node) line", order),
        9 => ("quadratic (six-node) triangle", order),
        10 => ("quadratic (nine-node) quad", order),
        16 => ("quadratic (eight-node) quad", order),
        11..=14 | 17..=19 => ("quadratic volume element", flat),
        20..=28 => ("line or triangle of order three or more", order),
        _ => ("cell of another kind", "mesh with four-node quads only"),
    };
    let problem = format!("is a {words} (type {code}), which is not read; {advice}");
    Err(GmshError::Element(line, element, problem))
}

/// A set while it grows.
#[derive(Default)]
struct Members {
    nodes: IndexSet<usize>,
    /// Edges as in the file by their sorted ends: an edge must carry a traction once.
    edges: IndexMap<[usize; 2], [usize; 2]>,
}

/// What the mesh does not keep of a node.
struct NodeDetail {
    line: usize,
    z: f64,
    used: bool,
}

/// The mesh while it is read.
#[derive(Default)]
pub(super) struct Reader {
    version: Version,
    mesh: Mesh,
    /// Names of physical groups by dimension and tag.
    names: HashMap<(u8, u64), String>,
    /// Physical tags by dimension and entity (version 4.1).
    entities: Option<HashMap<(i64, i64), Vec<i64>>>,
    /// Index of each node by its number.
    node_index: HashMap<u64, usize>,
    /// One for each node of the mesh.
    details: Vec<NodeDetail>,
    /// Line in the file and sorted corners of each element by its number.
    elements: HashMap<u64, (usize, Vec<usize>)>,
    /// Sorted corners of the cells.
    placed: HashSet<Vec<usize>>,
    groups: IndexSet<String>,
    sets: IndexMap<String, Members>,
    /// Index into the sets by dimension and physical tag.
    set_index: HashMap<(u8, u64), usize>,
}

impl Reader {
    pub(super) fn new(version: Version) -> Self {
        Reader { version, ..Reader::default() }
    }

    pub(super) fn read_section(&mut self, rows: &mut Rows) -> Outcome {
        let groups = matches!(rows.section, "PhysicalNames" | "Entities");
        if groups && !self.elements.is_empty() {
            let problem = format!("${} comes after $Elements; {AGAIN}", rows.section);
            return Err(GmshError::File(rows.line, problem));
        }
        match (rows.section, self.version) {
            ("PhysicalNames", _) => self.read_names(rows)?,
            ("Entities", Version::Four) => self.read_entities(rows)?,
            ("Nodes", Version::Four) => self.read_node_blocks(rows)?,
            ("Elements", Version::Four) => self.read_element_blocks(rows)?,
            ("Nodes" | "ParametricNodes", Version::Two) => self.read_nodes(rows)?,
            ("Elements", Version::Two) => self.read_elements(rows)?,
            _ => return rows.end_section(true),
        }
        rows.end_section(false)
    }

    fn read_names(&mut self, rows: &mut Rows) -> Outcome {
        let [count] = rows.counts("the count of physical names")?;
        for _ in 0..count {
            let mut row = rows.require()?;
            let dimension = row.number("the dimension of a physical group")?;
            let tag: u64 = row.number("the tag of a physical group")?;
            let (_, rest) = row.text.split_once('"').unwrap_or_default();
            let Some(name) = rest.strip_suffix('"') else {
                return Err(row.unexpected("a name in quotes", row.text));
            };
            if !name.is_empty() {
                self.names.insert((dimension, tag), name.to_string());
            }
        }
        Ok(())
    }

    fn read_entities(&mut self, rows: &mut Rows) -> Outcome {
        let counts: [i64; 4] = rows.counts("a count of entities")?;
        let entities = self.entities.get_or_insert_default();
        for (dimension, count) in (0..).zip(counts) {
            for _ in 0..count {
                let mut row = rows.require()?;
                let entity: i64 = row.number("an entity")?;
                // The position of a point, the bounding box of anything else.
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    row.word(format_args!("a coordinate of entity {entity}"))?;
                }
                entities.insert((dimension, entity), physical_tags(&mut row, entity)?);
            }
        }
        Ok(())
    }

    fn read_nodes(&mut self, rows: &mut Rows) -> Outcome {
        let [count] = rows.counts("the count of nodes")?;
        for _ in 0..count {
            let mut row = rows.require()?;
            let id = row.number("a node number")?;
            self.add_node(row, id, rows.section == "ParametricNodes")?;
        }
        Ok(())
    }

    fn read_node_blocks(&mut self, rows: &mut Rows) -> Outcome {
        let [blocks, stated, _, _] = rows.counts("counts and range of nodes")?;
        let (line, mut held) = (rows.line, 0_i64);
        for _ in 0..blocks {
            let [_, _, parametric, count] = rows.counts("the head of a block of nodes")?;
            let mut ids = Vec::new();
            for _ in 0..count {
                let mut row = rows.require()?;
                ids.push(row.number("a node number")?);
                row.end()?;
            }
            for id in ids {
                self.add_node(rows.require()?, id, parametric != 0)?;
                held += 1;
            }
        }
        check_count(line, stated, held)
    }

    fn add_node(&mut self, mut row: Row, id: u64, parametric: bool) -> Outcome {
        let error = |problem: String| Err(GmshError::Node(row.line, id, problem));
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            let word = row.words.next().unwrap_or("end of line");
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() => *coordinate = value,
                _ => {
                    let found = clip(word);
                    return error(format!("needs finite x, y and z, found `{found}`; {AGAIN}"));
                }
            }
        }
        if let Some(first) = self.node_index.insert(id, self.details.len()) {
            let first_line = self.details[first].line;
            return error(format!("is already defined on line {first_line}; {AGAIN}"));
        }
        let [x, y, z] = position;
        self.mesh.nodes.push([x, y]);
        self.mesh.node_ids.push(id);
        let (line, used) = (row.line, false);
        self.details.push(NodeDetail { line, z, used });
        if parametric { Ok(()) } else { row.end() }
    }

    fn read_elements(&mut self, rows: &mut Rows) -> Outcome {
        let [count] = rows.counts("the count of elements")?;
        for _ in 0..count {
            let mut row = rows.require()?;
            let id = row.number("an element number")?;
            let code = row.number(format_args!("the type of element {id}"))?;
            let dimension = element_dimension(code, row.line, id)?;
            let mut physical = None;
            for _ in 0..row.number::<u64>(format_args!("the tag count of element {id}"))? {
                let tag: i64 = row.number(format_args!("a tag of element {id}"))?;
                physical.get_or_insert(tag);
            }
            let tags = physical.filter(|tag| *tag != 0);
            self.add_element(row, id, dimension, tags.as_slice())?;
        }
        Ok(())
    }

    fn read_element_blocks(&mut self, rows: &mut Rows) -> Outcome {
        let [blocks, stated, _, _] = rows.counts("counts and range of elements")?;
        let (line, mut held) = (rows.line, 0_i64);
        for _ in 0..blocks {
            let [dimension, entity, code, count] =
                rows.counts("the head of a block of elements")?;
            let tags = self.entity_tags(rows.line, dimension, entity)?;
            for _ in 0..count {
                let mut row = rows.require()?;
                let id = row.number("an element number")?;
                let dimension = element_dimension(code, row.line, id)?;
                self.add_element(row, id, dimension, &tags)?;
                held += 1;
            }
        }
        check_count(line, stated, held)
    }

    /// The physical groups of an entity; a file without `$Entities` has none.
    fn entity_tags(&self, line: usize, dimension: i64, entity: i64) -> Outcome<Vec<i64>> {
        let Some(entities) = &self.entities else {
            return Ok(Vec::new());
        };
        let tags = entities.get(&(dimension, entity)).cloned();
        tags.ok_or_else(|| {
            let advice = "export the mesh again, unpartitioned";
            let problem = format!("entity {entity} is not in $Entities; {advice}");
            GmshError::File(line, problem)
        })
    }

    fn add_element(&mut self, mut row: Row, id: u64, dimension: u8, tags: &[i64]) -> Outcome {
        let corners = self.read_corners(&mut row, id, dimension)?;
        let mut sorted = corners.clone();
        sorted.sort_unstable();
        self.check_number(row.line, id, &sorted)?;
        let mut group = None;
        for tag in tags {
            // Gmsh marks reversed entities by a negative tag.
            let set = self.find_set(dimension, tag.unsigned_abs());
            self.extend_set(set, &corners);
            group.get_or_insert(set);
        }
        let shape = match (corners.as_slice(), group) {
            (&[a, b, c, d], _) => self.oriented([a, b, c, d]),
            (&[a, b], Some(_)) => Shape::Line([a, b]),
            _ => return Ok(()),
        };
        if self.placed.insert(sorted) {
            self.add_cell(id, shape, group);
            for index in corners {
                self.details[index].used = true;
            }
        }
        Ok(())
    }

    fn read_corners(&self, row: &mut Row, id: u64, dimension: u8) -> Outcome<Vec<usize>> {
        let line = row.line;
        let error = |problem: String| Err(GmshError::Element(line, id, problem));
        let mut corners = Vec::with_capacity(4);
        for _ in 0..1 << dimension {
            let node: u64 = row.number(format_args!("a node of element {id}"))?;
            let Some(&index) = self.node_index.get(&node) else {
                return error(format!("refers to node {node}, not in $Nodes; {AGAIN}"));
            };
            if corners.contains(&index) {
                return error(format!("uses node {node} twice; mesh the surface again"));
            }
            corners.push(index);
        }
        row.end()?;
        Ok(corners)
    }

    /// A number may come twice only in version 2.2, for the same nodes in another physical group.
    fn check_number(&mut self, line: usize, id: u64, sorted: &[usize]) -> Outcome {
        let (first_line, first) = match self.elements.entry(id) {
            Entry::Vacant(entry) => {
                entry.insert((line, sorted.to_vec()));
                return Ok(());
            }
            Entry::Occupied(entry) => entry.into_mut(),
        };
        if self.version == Version::Two && first.as_slice() == sorted {
            return Ok(());
        }
        let problem = format!("is already defined on line {first_line}; {AGAIN}");
        Err(GmshError::Element(line, id, problem))
    }

    /// The set of a physical group, made when it is first met.
    fn find_set(&mut self, dimension: u8, tag: u64) -> usize {
        let key = (dimension, tag);
        *self.set_index.entry(key).or_insert_with(|| {
            let name = self.names.get(&key).cloned();
            let name = name.unwrap_or_else(|| format!("physical_{tag}"));
            let entry = self.sets.entry(name);
            let index = entry.index();
            entry.or_default();
            index
        })
    }

    fn extend_set(&mut self, set: usize, corners: &[usize]) {
        let members = &mut self.sets[set];
        members.nodes.extend(corners);
        if let &[a, b] = corners {
            members.edges.entry([a.min(b), a.max(b)]).or_insert([a, b]);
        }
    }

    /// The quad counter-clockwise.
    fn oriented(&self, [a, b, c, d]: [usize; 4]) -> Shape {
        let [p, q, r, s] = [a, b, c, d].map(|index| self.mesh.nodes[index]);
        // Twice the signed area is the cross product of the diagonals.
        let area = (r[0] - p[0]) * (s[1] - q[1]) - (r[1] - p[1]) * (s[0] - q[0]);
        let (b, d) = if area < 0.0 { (d, b) } else { (b, d) };
        Shape::Quad([a, b, c, d])
    }

    fn add_cell(&mut self, id: u64, shape: Shape, set: Option<usize>) {
        let entry = set.and_then(|index| self.sets.get_index(index));
        let name = entry.map_or(UNGROUPED, |(name, _)| name.as_str());
        let known = self.groups.get_index_of(name);
        let group = known.unwrap_or_else(|| self.groups.insert_full(name.to_string()).0);
        self.mesh.cells.push(Cell { id, shape, group });
    }

    pub(super) fn finish(mut self, last_line: usize) -> Outcome<Mesh> {
        self.check_plane()?;
        if self.mesh.cells.is_empty() {
            let advice = "mesh the surface (dimension 2), put it in a physical group, export again";
            let problem = format!("the file ends without quads or grouped lines; {advice}");
            return Err(GmshError::File(last_line, problem));
        }
        self.check_used()?;
        let sets = self.sets.into_iter().map(|(name, members)| {
            let nodes = members.nodes.into_iter().collect();
            let edges = members.edges.into_values().collect();
            (name, Set { nodes, edges })
        });
        self.mesh.sets = sets.collect();
        self.mesh.groups = self.groups.into_iter().collect();
        Ok(self.mesh)
    }

    fn check_plane(&self) -> Outcome {
        let extent = |axis: usize| {
            let values = || self.mesh.nodes.iter().map(|node| node[axis]);
            values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
        };
        let limit = PLANE_TOLERANCE * extent(0).max(extent(1));
        for (node, &id) in self.details.iter().zip(&self.mesh.node_ids) {
            if node.z.abs() > limit {
                let problem = format!("has z = {}; draw the part in the plane z = 0", node.z);
                return Err(GmshError::Node(node.line, id, problem));
            }
        }
        Ok(())
    }

    fn check_used(&self) -> Outcome {
        let nodes = self.details.iter().zip(&self.mesh.node_ids);
        let unused: Vec<_> = nodes.filter(|(node, _)| !node.used).collect();
        let Some(&(node, &id)) = unused.first() else {
            return Ok(());
        };
        let first: Vec<u64> = unused.iter().take(5).map(|(_, id)| **id).collect();
        let problem = format!(
            "belongs to no quad and no grouped line, {} such nodes in all, first {first:?}; \
             remove them or export only physical groups (Mesh.SaveAll = 0)",
            unused.len()
        );
        Err(GmshError::Node(node.line, id, problem))
    }
}

/// The physical tags in the rest of an entity's line.
fn physical_tags(row: &mut Row, entity: i64) -> Outcome<Vec<i64>> {
    let count: usize = row.number(format_args!("the group count of entity {entity}"))?;
    if count > MAX_GROUPS {
        let advice = format!("put it in at most {MAX_GROUPS}");
        let problem = format!("entity {entity} is in {count} physical groups; {advice}");
        return Err(GmshError::File(row.line, problem));
    }
    let tag = |_| row.number(format_args!("a physical tag of entity {entity}"));
    (0..count).map(tag).collect()
}

fn check_count(line: usize, stated: i64, held: i64) -> Outcome {
    if stated == held {
        return Ok(());
    }
    let problem = format!("{stated} entries are stated, but the blocks hold {held}; {AGAIN}");
    Err(GmshError::File(line, problem))
}
