//! Built-in generator: mapped quadrilateral blocks and straight lines, merged where they meet.
//!
//! ```text
//! Block with corners c₁…c₄, counter-clockwise, at the parameters 0 ≤ s, t ≤ 1:
//!
//!     x(s, t) = (1−s)(1−t) c₁ + s(1−t) c₂ + s t c₃ + (1−s) t c₄                   (1)
//!
//! n cells with sizes in geometric progression, the last g times the first:
//!
//!     sᵢ = (qⁱ − 1)/(qⁿ − 1) ,  q = g^(1/(n−1))   (sᵢ = i/n for g = 1)            (2)
//! ```

use std::collections::{HashMap, HashSet};

use super::overlap::{self, Overlap};
use super::{Cell, Mesh, Shape, position, sorted};
use crate::case::{Block, Line};

/// Relative size of the default merge tolerance.
const RELATIVE_TOLERANCE: f64 = 1e-6;
/// More cells than this are a slip of the keyboard.
const MAX_CELLS: usize = 20_000_000;

/// Makes the mesh of a part; the error says what is wrong with which block.
pub fn generate(
    blocks: &[Block],
    lines: &[Line],
    merge_tolerance: Option<f64>,
) -> Result<Mesh, String> {
    let n_cells = blocks.iter().map(|b| b.cells[0].0.saturating_mul(b.cells[1].0)).sum::<usize>();
    if n_cells > MAX_CELLS {
        return Err(format!("{n_cells} cells are more than the {MAX_CELLS} that are supported"));
    }
    let corners = blocks.iter().flat_map(|b| b.corners);
    let ends = lines.iter().flat_map(|l| [l.from, l.to]);
    let size = extent(corners.chain(ends));
    let tolerance = merge_tolerance.unwrap_or(RELATIVE_TOLERANCE * size);
    let mut builder = Builder {
        mesh: Mesh::default(),
        merges_all: !lines.is_empty(),
        merger: Merger::new(tolerance),
    };
    for (i, block) in blocks.iter().enumerate() {
        builder.add_block(block).map_err(|message| format!("block {}: {message}", i + 1))?;
    }
    for (i, line) in lines.iter().enumerate() {
        builder.add_line(line).map_err(|message| format!("line {}: {message}", i + 1))?;
    }
    let mut mesh = builder.mesh;
    for set in mesh.sets.values_mut() {
        let mut seen = HashSet::new();
        set.nodes.retain(|node| seen.insert(*node));
    }
    mesh.node_ids = (1..=mesh.nodes.len() as u64).collect();
    check_overlap(&mesh, blocks)?;
    check_conforming(&mesh, tolerance)?;
    Ok(mesh)
}

/// Length of the diagonal of the bounding box.
fn extent(points: impl Iterator<Item = [f64; 2]>) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for point in points {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    (high[0] - low[0]).hypot(high[1] - low[1])
}

/// Parameters of (2).
fn graded(cells: usize, grading: f64) -> Vec<f64> {
    let uniform = || (0..=cells).map(|i| i as f64 / cells as f64).collect();
    if cells == 1 || grading == 1.0 {
        return uniform();
    }
    let ratio = grading.powf(1.0 / (cells - 1) as f64);
    let total = ratio.powi(cells as i32) - 1.0;
    if total.abs() < 1e-9 {
        return uniform();
    }
    let mut parameters: Vec<f64> =
        (0..cells).map(|i| (ratio.powi(i as i32) - 1.0) / total).collect();
    // Exactly at the corner, whatever the rounding.
    parameters.push(1.0);
    parameters
}

struct Builder {
    mesh: Mesh,
    merges_all: bool,
    merger: Merger,
}

impl Builder {
    fn add_block(&mut self, block: &Block) -> Result<(), String> {
        let (columns, rows) = (block.cells[0].0, block.cells[1].0);
        let across = graded(columns, block.grading[0].0);
        let along = graded(rows, block.grading[1].0);
        let mut nodes = Vec::with_capacity((columns + 1) * (rows + 1));
        for (j, &t) in along.iter().enumerate() {
            for (i, &s) in across.iter().enumerate() {
                let position = mapped(&block.corners, s, t);
                // Only nodes on the outline can meet those of another block; a line may meet any.
                let on_outline = self.merges_all || i == 0 || i == columns || j == 0 || j == rows;
                nodes.push(if on_outline {
                    self.node(position)
                } else {
                    self.inner_node(position)
                });
            }
        }
        let at = |i: usize, j: usize| nodes[j * (columns + 1) + i];
        let group = self.group(&block.name);
        for j in 0..rows {
            for i in 0..columns {
                let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                self.add_cell(Shape::Quad(corners), group)?;
            }
        }
        let edges = &block.edges;
        let sides: [(&Option<String>, Vec<usize>); 4] = [
            (&edges.bottom, (0..=columns).map(|i| at(i, 0)).collect()),
            (&edges.right, (0..=rows).map(|j| at(columns, j)).collect()),
            (&edges.top, (0..=columns).rev().map(|i| at(i, rows)).collect()),
            (&edges.left, (0..=rows).rev().map(|j| at(0, j)).collect()),
        ];
        for (name, side) in sides {
            if let Some(name) = name {
                self.add_to_set(name, &side);
            }
        }
        Ok(())
    }

    fn add_line(&mut self, line: &Line) -> Result<(), String> {
        let [[x1, y1], [x2, y2]] = [line.from, line.to];
        let at = |s: f64| [x1 + s * (x2 - x1), y1 + s * (y2 - y1)];
        let parameters = graded(line.cells.0, line.grading);
        let nodes: Vec<usize> = parameters.iter().map(|&s| self.node(at(s))).collect();
        let group = self.group(&line.name);
        for ends in nodes.windows(2) {
            self.add_cell(Shape::Line([ends[0], ends[1]]), group)?;
        }
        let ends = [(&line.start, nodes[0]), (&line.end, nodes[nodes.len() - 1])];
        for (name, node) in ends {
            if let Some(name) = name {
                self.add_to_set(name, &[node]);
            }
        }
        Ok(())
    }

    fn inner_node(&mut self, position: [f64; 2]) -> usize {
        self.mesh.nodes.push(position);
        self.mesh.nodes.len() - 1
    }

    fn node(&mut self, position: [f64; 2]) -> usize {
        self.merger.find_or_add(position, &mut self.mesh.nodes)
    }

    fn group(&mut self, name: &str) -> usize {
        let groups = &mut self.mesh.groups;
        groups.iter().position(|known| known == name).unwrap_or_else(|| {
            groups.push(name.to_string());
            groups.len() - 1
        })
    }

    fn add_cell(&mut self, shape: Shape, group: usize) -> Result<(), String> {
        let corners = shape.nodes();
        if (1..corners.len()).any(|i| corners[..i].contains(&corners[i])) {
            let [x, y] = self.mesh.nodes[corners[0]];
            return Err(format!(
                "a cell near ({x}, {y}) collapses: its corners coincide within the merge tolerance"
            ));
        }
        let id = self.mesh.cells.len() as u64 + 1;
        self.mesh.cells.push(Cell { id, shape, group });
        Ok(())
    }

    fn add_to_set(&mut self, name: &str, path: &[usize]) {
        let set = self.mesh.sets.entry(name.to_string()).or_default();
        set.nodes.extend(path);
        set.edges.extend(path.windows(2).map(|ends| [ends[0], ends[1]]));
    }
}

/// Equation (1).
fn mapped(corners: &[[f64; 2]; 4], s: f64, t: f64) -> [f64; 2] {
    let weights = [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t];
    let axis = |a: usize| (0..4).map(|i| weights[i] * corners[i][a]).sum();
    [axis(0), axis(1)]
}

/// Finds nodes by position on a grid of squares twice the tolerance wide.
struct Merger {
    tolerance: f64,
    squares: HashMap<(i64, i64), Vec<usize>>,
}

impl Merger {
    fn new(tolerance: f64) -> Self {
        Self { tolerance, squares: HashMap::new() }
    }

    fn find_or_add(&mut self, position: [f64; 2], nodes: &mut Vec<[f64; 2]>) -> usize {
        let square = position.map(|c| (c / (2.0 * self.tolerance)).floor() as i64);
        for dx in -1..=1 {
            for dy in -1..=1 {
                let key = (square[0].saturating_add(dx), square[1].saturating_add(dy));
                for &known in self.squares.get(&key).into_iter().flatten() {
                    let [x, y]: [f64; 2] = nodes[known];
                    if (x - position[0]).hypot(y - position[1]) <= self.tolerance {
                        return known;
                    }
                }
            }
        }
        nodes.push(position);
        let node = nodes.len() - 1;
        self.squares.entry((square[0], square[1])).or_default().push(node);
        node
    }
}

/// Blocks or lines must not lie on top of each other.
fn check_overlap(mesh: &Mesh, blocks: &[Block]) -> Result<(), String> {
    let mut lines = HashSet::new();
    for cell in &mesh.cells {
        if let Shape::Line(ends) = cell.shape
            && !lines.insert(sorted(ends))
        {
            return Err(format!("cell {} lies on top of another one", cell.id));
        }
    }
    let Some(Overlap { cells, at }) = overlap::find(mesh) else { return Ok(()) };
    let [first, second] = cells.map(|cell| block_of(blocks, cell));
    let [a, b] = cells.map(|cell| mesh.cells[cell].id);
    let place = position(at);
    Err(match first == second {
        true => {
            format!("block {first} overlaps itself: its cells {a} and {b} share area at {place}")
        }
        false => {
            format!("blocks {first} and {second} overlap: cells {a} and {b} share area at {place}")
        }
    })
}

/// Number of the block, from 1, that a cell belongs to: cells are numbered block after block.
fn block_of(blocks: &[Block], cell: usize) -> usize {
    let ends = blocks.iter().scan(0, |end, block| {
        *end += block.cells[0].0 * block.cells[1].0;
        Some(*end)
    });
    1 + ends.take_while(|end| *end <= cell).count()
}

/// Blocks with different divisions of a common edge would be joined at some nodes and cracked between.
fn check_conforming(mesh: &Mesh, tolerance: f64) -> Result<(), String> {
    let mut edges = mesh.boundary_edges();
    for (i, cell) in mesh.cells.iter().enumerate() {
        if let Shape::Line(ends) = cell.shape {
            edges.push((ends, i));
        }
    }
    let mut nodes: Vec<usize> = edges.iter().flat_map(|(edge, _)| *edge).collect();
    nodes.sort_by(|&a, &b| mesh.nodes[a][0].total_cmp(&mesh.nodes[b][0]));
    nodes.dedup();
    for ([a, b], cell) in edges {
        let (pa, pb) = (mesh.nodes[a], mesh.nodes[b]);
        let (low, high) = (pa[0].min(pb[0]) - tolerance, pa[0].max(pb[0]) + tolerance);
        let start = nodes.partition_point(|&n| mesh.nodes[n][0] < low);
        let near = nodes[start..].iter().take_while(|&&n| mesh.nodes[n][0] <= high);
        for &node in near.filter(|&&n| n != a && n != b) {
            if distance_to_segment(mesh.nodes[node], pa, pb) <= tolerance {
                let [x, y] = mesh.nodes[node];
                let id = mesh.cells[cell].id;
                return Err(format!(
                    "blocks or lines do not match: the node at ({x}, {y}) lies inside an edge of cell {id}; \
                     divide common edges into the same cells and let lines meet at nodes"
                ));
            }
        }
    }
    Ok(())
}

fn distance_to_segment(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let s = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy);
    let s = s.clamp(0.0, 1.0);
    (a[0] + s * dx - p[0]).hypot(a[1] + s * dy - p[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{BlockEdges, Cells, Positive};

    fn block(corners: [[f64; 2]; 4], cells: [usize; 2]) -> Block {
        Block {
            name: "body".into(),
            corners,
            cells: cells.map(Cells),
            grading: [Positive(1.0); 2],
            edges: BlockEdges { bottom: Some("bottom".into()), ..Default::default() },
        }
    }

    const LEFT: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    const RIGHT: [[f64; 2]; 4] = [[1.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0]];

    #[test]
    fn neighbouring_blocks_share_their_nodes_and_sets() {
        let mesh = generate(&[block(LEFT, [2, 3]), block(RIGHT, [4, 3])], &[], None).unwrap();
        assert_eq!(mesh.nodes.len(), 7 * 4);
        assert_eq!(mesh.cells.len(), 6 * 3);
        assert_eq!(mesh.sets["bottom"].nodes.len(), 7);
        assert_eq!(mesh.sets["bottom"].edges.len(), 6);
        assert_eq!(mesh.groups, ["body"]);
    }

    #[test]
    fn blocks_that_do_not_match_are_refused() {
        let error = generate(&[block(LEFT, [2, 3]), block(RIGHT, [4, 2])], &[], None).unwrap_err();
        assert!(error.contains("do not match"), "{error}");
    }

    #[test]
    fn blocks_that_overlap_are_refused_with_both_and_the_place() {
        let shifted = LEFT.map(|[x, y]| [x + 0.55, y + 0.3]);
        let error =
            generate(&[block(LEFT, [2, 2]), block(shifted, [2, 2])], &[], None).unwrap_err();
        let expected = "blocks 1 and 2 overlap: cells 2 and 5 share area at (0.775, 0.4)";
        assert_eq!(error, expected);
        let same = generate(&[block(LEFT, [1, 1]), block(LEFT, [1, 1])], &[], None).unwrap_err();
        assert!(same.starts_with("blocks 1 and 2 overlap: cells 1 and 2"), "{same}");
    }

    #[test]
    fn grading_is_the_ratio_of_last_to_first_cell() {
        let s = graded(10, 5.0);
        let ratio = (s[10] - s[9]) / (s[1] - s[0]);
        assert!((ratio - 5.0).abs() < 1e-10 && s[10] == 1.0, "{ratio} {s:?}");
        assert_eq!(graded(4, 1.0), [0.0, 0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn collapsed_cells_are_refused() {
        let flat = [[0.0, 0.0], [1.0, 0.0], [1.0, 1e-9], [0.0, 1e-9]];
        assert!(generate(&[block(flat, [2, 2])], &[], None).unwrap_err().contains("collapses"));
    }

    #[test]
    fn a_line_has_named_ends() {
        let line = Line {
            name: "line".into(),
            from: [0.0, 0.0],
            to: [0.0, 2.0],
            cells: Cells(4),
            grading: 1.0,
            start: Some("foot".into()),
            end: Some("tip".into()),
        };
        let mesh = generate(&[], &[line], None).unwrap();
        assert_eq!(mesh.sets["foot"].nodes, [0]);
        assert_eq!(mesh.nodes[mesh.sets["tip"].nodes[0]], [0.0, 2.0]);
    }
}
