//! Finds quadrilaterals of a mesh that cover the same area.
//!
//! A tree of bounding boxes finds the pairs that may; the area of the intersection decides.

use rayon::prelude::*;

use super::{Mesh, Shape};

/// Smaller common areas, relative to the smaller cell, are none: the chords of two curved faces that
/// touch cut into each other.
const TOL_AREA: f64 = 0.02;
/// Cells of a leaf of the tree.
const LEAF: usize = 8;

type Corners = [[f64; 2]; 4];

/// Two cells that overlap.
#[derive(Debug, PartialEq)]
pub(super) struct Overlap {
    /// Indices into [`Mesh::cells`].
    pub cells: [usize; 2],
    /// A place that both cover \[m\].
    pub at: [f64; 2],
}

/// The first two quadrilaterals that overlap; nothing if one is not convex, which is reported elsewhere.
pub(super) fn find(mesh: &Mesh) -> Option<Overlap> {
    let corners = |shape: &Shape| match shape {
        Shape::Quad(nodes) => Some(nodes.map(|node| mesh.nodes[node])),
        Shape::Line(_) => None,
    };
    let quads = mesh.cells.iter().enumerate();
    let (cells, quads): (Vec<usize>, Vec<Corners>) =
        quads.filter_map(|(i, cell)| Some((i, corners(&cell.shape)?))).unzip();
    if !quads.iter().all(is_convex) {
        return None;
    }
    let tree = Tree::new(&quads);
    let found = (0..quads.len()).into_par_iter().find_map_first(|a| tree.first_partner(a));
    found.map(|(a, b, at)| Overlap { cells: [cells[a], cells[b]], at })
}

#[derive(Clone, Copy)]
struct Bounds {
    low: [f64; 2],
    high: [f64; 2],
}

impl Bounds {
    const EMPTY: Self = Self { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] };

    fn of(corners: &Corners) -> Self {
        corners.iter().fold(Self::EMPTY, |all, p| all.joined(&Self { low: *p, high: *p }))
    }

    fn joined(&self, other: &Self) -> Self {
        Self {
            low: [0, 1].map(|axis| self.low[axis].min(other.low[axis])),
            high: [0, 1].map(|axis| self.high[axis].max(other.high[axis])),
        }
    }

    fn meets(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.low[axis] < other.high[axis] && other.low[axis] < self.high[axis])
    }

    fn longer_axis(&self) -> usize {
        usize::from(self.high[1] - self.low[1] > self.high[0] - self.low[0])
    }
}

/// A binary tree over the cells: node i has the children 2i + 1 and 2i + 2, each with half its cells.
struct Tree<'a> {
    quads: &'a [Corners],
    bounds: Vec<Bounds>,
    order: Vec<usize>,
    nodes: Vec<Bounds>,
}

impl<'a> Tree<'a> {
    fn new(quads: &'a [Corners]) -> Self {
        let bounds: Vec<Bounds> = quads.iter().map(Bounds::of).collect();
        let n_leaves = quads.len().div_ceil(LEAF).next_power_of_two();
        let mut order: Vec<usize> = (0..quads.len()).collect();
        let mut nodes = vec![Bounds::EMPTY; 2 * n_leaves - 1];
        split(&mut order, &bounds, &mut nodes, 0);
        Self { quads, bounds, order, nodes }
    }

    /// The first cell after `a` that overlaps it, and where.
    fn first_partner(&self, a: usize) -> Option<(usize, usize, [f64; 2])> {
        let mut first = None;
        let mut open = vec![(0usize, 0usize, self.order.len())];
        while let Some((node, start, end)) = open.pop() {
            if !self.nodes[node].meets(&self.bounds[a]) {
                continue;
            }
            if 2 * node + 1 < self.nodes.len() {
                let middle = start + (end - start) / 2;
                open.extend([(2 * node + 1, start, middle), (2 * node + 2, middle, end)]);
                continue;
            }
            for &b in &self.order[start..end] {
                let is_earlier = first.is_none_or(|(_, known, _)| b < known);
                if b > a && is_earlier && self.bounds[b].meets(&self.bounds[a]) {
                    first = common(&self.quads[a], &self.quads[b]).map(|at| (a, b, at)).or(first);
                }
            }
        }
        first
    }
}

/// Sorts the cells of a node and its descendants, and fills in their bounds.
fn split(order: &mut [usize], bounds: &[Bounds], nodes: &mut [Bounds], node: usize) {
    let all = order.iter().fold(Bounds::EMPTY, |all, &cell| all.joined(&bounds[cell]));
    nodes[node] = all;
    if 2 * node + 1 >= nodes.len() {
        return;
    }
    let axis = all.longer_axis();
    let position = |cell: &usize| bounds[*cell].low[axis] + bounds[*cell].high[axis];
    let middle = order.len() / 2;
    if middle > 0 {
        order.select_nth_unstable_by(middle, |a, b| position(a).total_cmp(&position(b)));
    }
    let (left, right) = order.split_at_mut(middle);
    split(left, bounds, nodes, 2 * node + 1);
    split(right, bounds, nodes, 2 * node + 2);
}

/// The middle of the area that two convex quadrilaterals share, if it counts.
fn common(a: &Corners, b: &Corners) -> Option<[f64; 2]> {
    // Relative to a corner, so that a part far from the origin loses no digits.
    let origin = a[0];
    let local = |p: &[f64; 2]| [p[0] - origin[0], p[1] - origin[1]];
    let (a, b) = (a.each_ref().map(local), b.each_ref().map(local));
    // Neighbours that touch are most of the pairs.
    if has_edge_between(&a, &b) || has_edge_between(&b, &a) {
        return None;
    }
    let mut shared = a.to_vec();
    for i in 0..4 {
        shared = clip(&shared, b[i], b[(i + 1) % 4]);
        if shared.len() < 3 {
            return None;
        }
    }
    let counts = area(&shared) > TOL_AREA * area(&a).min(area(&b));
    let mean = |axis: usize| shared.iter().map(|p| p[axis]).sum::<f64>() / shared.len() as f64;
    counts.then(|| [origin[0] + mean(0), origin[1] + mean(1)])
}

/// Whether an edge of the first has all of the second on its outer side.
fn has_edge_between(a: &Corners, b: &Corners) -> bool {
    (0..4).any(|i| b.iter().all(|p| cross(a[i], a[(i + 1) % 4], *p) <= 0.0))
}

/// The part of a polygon to the left of the line from `p` to `q` (Sutherland and Hodgman).
fn clip(polygon: &[[f64; 2]], p: [f64; 2], q: [f64; 2]) -> Vec<[f64; 2]> {
    let mut inside = Vec::with_capacity(polygon.len() + 1);
    for (i, &end) in polygon.iter().enumerate() {
        let start = polygon[(i + polygon.len() - 1) % polygon.len()];
        let (from, to) = (cross(p, q, start), cross(p, q, end));
        if from * to < 0.0 {
            let s = from / (from - to);
            inside.push([0, 1].map(|axis| start[axis] + s * (end[axis] - start[axis])));
        }
        if to >= 0.0 {
            inside.push(end);
        }
    }
    inside
}

/// Twice the area of the triangle a, b, c; positive if counter-clockwise.
fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn area(polygon: &[[f64; 2]]) -> f64 {
    let triangles = polygon.windows(2).skip(1);
    triangles.map(|edge| 0.5 * cross(polygon[0], edge[0], edge[1])).sum()
}

fn is_convex(corners: &Corners) -> bool {
    (0..4).all(|i| cross(corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4]) > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Cell;

    fn mesh(quads: &[Corners]) -> Mesh {
        let mut mesh = Mesh::default();
        for (i, quad) in quads.iter().enumerate() {
            let shape = Shape::Quad([0, 1, 2, 3].map(|corner| 4 * i + corner));
            mesh.nodes.extend(quad);
            mesh.cells.push(Cell { id: i as u64 + 1, shape, group: 0 });
        }
        mesh
    }

    fn square(x: f64, y: f64, size: f64) -> Corners {
        [[x, y], [x + size, y], [x + size, y + size], [x, y + size]]
    }

    /// Rows and columns of unit cells, turned and far from the origin.
    fn turned(columns: usize, rows: usize) -> Vec<Corners> {
        let turn = |[x, y]: [f64; 2]| [1e3 + 0.8 * x - 0.6 * y, -2e3 + 0.6 * x + 0.8 * y];
        let cells = (0..columns * rows).map(|i| ((i % columns) as f64, (i / columns) as f64));
        cells.map(|(x, y)| square(x, y, 1.0).map(turn)).collect()
    }

    #[test]
    fn neighbours_that_touch_do_not_overlap() {
        assert_eq!(find(&mesh(&turned(40, 30))), None);
        assert_eq!(find(&mesh(&[])), None);
    }

    #[test]
    fn the_first_two_that_overlap_are_found_with_the_place() {
        let mut quads = turned(40, 30);
        let late = quads[1100].map(|[x, y]| [x + 0.3, y + 0.3]);
        quads.push(late);
        let found = find(&mesh(&quads)).unwrap();
        assert_eq!(found.cells[1], 1200);
        assert!((1058..=1141).contains(&found.cells[0]), "{found:?}");
        let found = find(&mesh(&[square(0.0, 0.0, 4.0), square(1.0, 1.0, 1.0)])).unwrap();
        assert_eq!(found, Overlap { cells: [0, 1], at: [1.5, 1.5] });
    }

    #[test]
    fn cells_that_cross_without_a_corner_in_the_other_overlap() {
        let wide = [[0.0, 1.0], [3.0, 1.0], [3.0, 2.0], [0.0, 2.0]];
        let tall = [[1.0, 0.0], [2.0, 0.0], [2.0, 3.0], [1.0, 3.0]];
        assert_eq!(find(&mesh(&[wide, tall])).unwrap().at, [1.5, 1.5]);
    }

    #[test]
    fn chords_of_faces_that_touch_are_no_overlap() {
        assert_eq!(find(&mesh(&[square(0.0, 0.0, 1.0), square(0.99, 0.0, 1.0)])), None);
        assert!(find(&mesh(&[square(0.0, 0.0, 1.0), square(0.97, 0.0, 1.0)])).is_some());
    }

    #[test]
    fn strongly_graded_meshes_are_searched_quickly() {
        let column = |i: i32| 0.97f64.powi(i);
        let quads = (0..400).flat_map(|i| (0..500).map(move |j| (i, j))).map(|(i, j)| {
            let (x, y) = ([column(i + 1), column(i)], [column(j + 1), column(j)]);
            [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]]
        });
        let mesh = mesh(&quads.collect::<Vec<_>>());
        let start = std::time::Instant::now();
        assert_eq!(find(&mesh), None);
        assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
    }
}
