//! Names the loose part of an under-supported model.
//!
//! ```text
//! A motion x is a mechanism if it costs no energy beyond rounding,
//!
//!     xᵀKx  ≤  tol · |x|ᵀ|K||x| .                                                 (1)
//! ```
//!
//! Candidates come from a few steps of subspace iteration with K + s·diag K, which is positive
//! definite for every model whose freedoms all have some stiffness. The ratio (1) is quadratic in the
//! error of x, so the test is sharp although x is only approximate.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::Model;
use super::geometry::PartGeometry;
use crate::case::Freedom;
use crate::linalg::dense::symmetric_eigen;
use crate::linalg::{Cholesky, Symbolic, SymmetricSparse};
use crate::mesh::{Cell, Shape};

/// Bound of (1).
const TOL_ENERGY: f64 = 1e-13;
/// Deformation of a rigid motion, relative to it.
const TOL_RIGID: f64 = 1e-4;
const SHIFT: f64 = 1e-9;
const CANDIDATES: usize = 6;
const STEPS: usize = 12;

/// A description of one mechanism of the model, if there is one.
pub fn find(model: &Model, symbolic: &Symbolic) -> Option<String> {
    let stiffness = &model.operators.stiffness.free;
    let diagonal = stiffness.diagonal();
    if let Some(loose) = diagonal.iter().position(|d| *d <= 0.0) {
        let mut x = vec![0.0; stiffness.size()];
        x[loose] = 1.0;
        return Some(describe(model, &x));
    }
    let shifted = stiffness.clone().with_diagonal_added(&diagonal, SHIFT);
    let factor = Cholesky::new(symbolic, &shifted).ok()?;
    softest(stiffness, &diagonal, &factor)
        .into_iter()
        .find(|x| is_free(model, x))
        .map(|x| describe(model, &x))
}

/// Whether a motion costs no energy beyond rounding, by (1), and leaves every piece undeformed.
///
/// Bending of a very slender part costs as little as rounding, but deforms it.
pub fn is_free(model: &Model, x: &[f64]) -> bool {
    let stiffness = &model.operators.stiffness.free;
    if stiffness.energy(x) > TOL_ENERGY * stiffness.energy_scale(x) {
        return false;
    }
    let motion = nodal_motion(model, x);
    let largest = motion.iter().map(|u| u.norm()).fold(0.0, f64::max);
    model.geometry.parts.values().flat_map(pieces).all(|nodes| {
        let rigid = RigidFit::new(model, &motion, &nodes);
        nodes.iter().all(|&node| {
            (motion[node] - rigid.at(position(model, node))).norm() <= TOL_RIGID * largest
        })
    })
}

/// Nodes of the pieces of a part that can only move as a whole unless they deform: cells that share an edge, beams
/// that share a node. A node alone is a hinge.
fn pieces(part: &PartGeometry) -> Vec<Vec<usize>> {
    let mesh = &part.mesh;
    if mesh.cells.is_empty() {
        return vec![(part.first_node..part.first_node + mesh.nodes.len()).collect()];
    }
    let mut owner: Vec<usize> = (0..mesh.cells.len()).collect();
    let mut joined = HashMap::new();
    for (cell, joint) in (0..).zip(&mesh.cells).flat_map(|(i, cell)| joints_of(i, cell)) {
        let other = *joined.entry(joint).or_insert(cell);
        let (a, b) = (root(&mut owner, cell), root(&mut owner, other));
        owner[a.max(b)] = a.min(b);
    }
    let mut pieces = BTreeMap::<usize, BTreeSet<usize>>::new();
    for (i, cell) in mesh.cells.iter().enumerate() {
        let nodes = cell.shape.nodes().iter().map(|node| part.first_node + node);
        pieces.entry(root(&mut owner, i)).or_default().extend(nodes);
    }
    pieces.into_values().map(|nodes| nodes.into_iter().collect()).collect()
}

/// What a cell is joined to others by.
fn joints_of(number: usize, cell: &Cell) -> Vec<(usize, [usize; 2])> {
    match cell.shape {
        Shape::Quad(corners) => {
            let edge = |i: usize| crate::mesh::sorted([corners[i], corners[(i + 1) % 4]]);
            (0..4).map(|i| (number, edge(i))).collect()
        }
        Shape::Line(ends) => ends.iter().map(|end| (number, [*end, *end])).collect(),
    }
}

/// The first cell of a piece; ways there are halved for those who come later.
fn root(owner: &mut [usize], mut cell: usize) -> usize {
    while owner[cell] != cell {
        owner[cell] = owner[owner[cell]];
        cell = owner[cell];
    }
    cell
}

/// Translations of all nodes.
fn nodal_motion(model: &Model, x: &[f64]) -> Vec<Vector3<f64>> {
    expand(model, x).into_iter().map(|[x, y, _, z]| Vector3::new(x, y, z)).collect()
}

fn expand(model: &Model, x: &[f64]) -> Vec<[f64; 4]> {
    let mut q = x.to_vec();
    q.resize(x.len() + model.dofs.n_prescribed(), 0.0);
    model.dofs.expand(&q)
}

fn position(model: &Model, node: usize) -> Vector3<f64> {
    model.geometry.position(node).into()
}

/// The rigid motion v + ω × (x − c) nearest to that of a range of nodes around their centre c.
struct RigidFit {
    centre: Vector3<f64>,
    /// v.
    shift: Vector3<f64>,
    /// ω.
    spin: Vector3<f64>,
    /// Mean distance of the nodes from their centre \[m\].
    size: f64,
}

impl RigidFit {
    /// Least squares: J ω = Σ r × u with the inertia J = Σ (r·r − r rᵀ) of the nodes.
    fn new(model: &Model, motion: &[Vector3<f64>], nodes: &[usize]) -> Self {
        let count = nodes.len() as f64;
        let shift = nodes.iter().map(|&i| motion[i]).sum::<Vector3<f64>>() / count;
        let centre = nodes.iter().map(|&i| position(model, i)).sum::<Vector3<f64>>() / count;
        let (mut turning, mut inertia, mut spread) = (Vector3::zeros(), Matrix3::zeros(), 0.0);
        for &i in nodes {
            let arm = position(model, i) - centre;
            turning += arm.cross(&motion[i]);
            inertia += Matrix3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose();
            spread += arm.norm_squared();
        }
        // Nodes on a line have no inertia about it.
        let inverse = inertia.pseudo_inverse(1e-9 * spread.max(f64::MIN_POSITIVE));
        let spin = inverse.map_or(Vector3::zeros(), |inverse| inverse * turning);
        Self { centre, shift, spin, size: (spread / count).sqrt() }
    }

    fn at(&self, position: Vector3<f64>) -> Vector3<f64> {
        self.shift + self.spin.cross(&(position - self.centre))
    }

    /// "move along …" or "rotate about …".
    fn words(&self) -> String {
        let Self { centre, shift, spin, size } = self;
        if spin.norm() * size > 1e-3 * shift.norm() {
            let axis = centre + spin.cross(shift) / spin.norm_squared();
            let round = |v: f64| if v.abs() < 1e-6 * (size + v.abs() + 1e-300) { 0.0 } else { v };
            let [x, y, z]: [f64; 3] = axis.map(round).into();
            let along = match direction(*spin).as_str() {
                "z" if z == 0.0 => {
                    return format!("rotate about ({x:.4e}, {y:.4e}) m without resistance");
                }
                along => along.to_string(),
            };
            return format!(
                "rotate about the axis along {along} through ({x:.4e}, {y:.4e}, {z:.4e}) m without \
                 resistance"
            );
        }
        format!("move along {} without resistance", direction(*shift))
    }
}

/// The name of the axis along a vector, or its components.
fn direction(vector: Vector3<f64>) -> String {
    let length = vector.norm();
    let share = |c: f64| if c.abs() < 1e-6 * length { 0.0 } else { c / length };
    let shares: [f64; 3] = vector.map(share).into();
    match shares {
        [_, 0.0, 0.0] => "x".into(),
        [0.0, _, 0.0] => "y".into(),
        [0.0, 0.0, _] => "z".into(),
        [x, y, 0.0] => format!("({x:.3}, {y:.3})"),
        [x, y, z] => format!("({x:.3}, {y:.3}, {z:.3})"),
    }
}

/// Approximations of the motions with the least energy, by subspace iteration.
fn softest(stiffness: &SymmetricSparse, diagonal: &[f64], factor: &Cholesky) -> Vec<Vec<f64>> {
    let size = stiffness.size();
    let width = CANDIDATES.min(size);
    let mut block = Mat::from_fn(size, width, |i, j| {
        // Any start that is not orthogonal to a mechanism will do.
        ((i * (2 * j + 3) + 7 * j) % 17) as f64 - 8.0 + (i as f64 * 0.37 + j as f64).sin()
    });
    for _ in 0..STEPS {
        for j in 0..width {
            for i in 0..size {
                block[(i, j)] *= diagonal[i];
            }
        }
        factor.solve_in_place(block.as_mut());
        block = block.qr().compute_thin_Q();
    }
    let column = |j: usize| (0..size).map(|i| block[(i, j)]).collect::<Vec<f64>>();
    let columns: Vec<Vec<f64>> = (0..width).map(column).collect();
    // Rayleigh–Ritz: mechanisms may come out mixed with soft elastic motions.
    let images: Vec<Vec<f64>> = columns.iter().map(|x| stiffness.mul(x)).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
    let projected = Mat::from_fn(width, width, |i, j| dot(&columns[i], &images[j]));
    let Some((_, u)) = symmetric_eigen(projected.as_ref()) else { return columns };
    let combine = |k: usize| {
        let entry = |i: usize| (0..width).map(|j| u[(j, k)] * columns[j][i]).sum();
        (0..size).map(entry).collect()
    };
    (0..width).map(combine).collect()
}

/// The motion in words: which part or point moves, and how.
fn describe(model: &Model, x: &[f64]) -> String {
    let motion = nodal_motion(model, x);
    let amount = |node: usize| motion[node].norm();
    let loudest = (0..motion.len())
        .max_by(|&a, &b| amount(a).total_cmp(&amount(b)))
        .filter(|&node| amount(node) > 0.0);
    let Some(node) = loudest else {
        let motion = expand(model, x);
        let angle = |node: usize| motion[node][Freedom::Rotation as usize].abs();
        let turning = (0..motion.len()).max_by(|&a, &b| angle(a).total_cmp(&angle(b)));
        let node = turning.map(|node| model.geometry.describe(node)).unwrap_or_default();
        return format!("{node} can rotate freely");
    };
    let (owner, is_part) = model.geometry.owner(node);
    let pieces = match model.geometry.parts.get(owner) {
        Some(part) if is_part => pieces(part),
        _ => vec![vec![node]],
    };
    let own = pieces.iter().find(|piece| piece.contains(&node));
    let fit = RigidFit::new(model, &motion, own.unwrap_or(&vec![node]));
    let what = match (is_part, pieces.len()) {
        (false, _) => format!("point `{owner}`"),
        (true, 1) => format!("part `{owner}`"),
        (true, count) => {
            let [x, y, _]: [f64; 3] = fit.centre.into();
            format!(
                "one of the {count} pieces of part `{owner}` that no edge joins, that around ({x:.4e}, {y:.4e}) m,"
            )
        }
    };
    format!("{what} can {}", fit.words())
}

/// Advice that fits every mechanism.
pub const ADVICE: &str = "add a support, a spring or a tie that holds it";

/// The free freedom with neither stiffness nor mass, in words.
pub fn massless(model: &Model) -> Option<String> {
    let (k, m) = (&model.operators.stiffness.free, &model.operators.mass.free);
    let (k, m) = (k.diagonal(), m.diagonal());
    let loose = (0..k.len()).find(|&i| k[i] <= 0.0 && m[i] <= 0.0)?;
    let nodes = 0..model.geometry.coordinates.len();
    for node in nodes {
        for freedom in Freedom::ALL {
            let Some(number) = model.dofs.number(node, freedom) else { continue };
            if model.dofs.terms(number).first() == Some(&(loose, 1.0)) {
                let node = model.geometry.describe(node);
                return Some(format!(
                    "{node} has neither mass nor stiffness in {}",
                    freedom.name()
                ));
            }
        }
    }
    None
}
