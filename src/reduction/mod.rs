//! Reduction of bodies to their boundary freedoms and a few fixed-interface modes.
//!
//! A *body* is what hangs together through stiffness, mass or damping: a part, or several parts and
//! points joined by ties and springs. [`craig_bampton`] turns each into a [`Superelement`];
//! [`quality`] compares the superelement with the body it stands for.

use std::collections::HashMap;
use std::f64::consts::TAU;

use faer::Mat;
use thiserror::Error;

use crate::case::Freedom;
use crate::linalg::{EigenError, FactorError, SymmetricSparse};
use crate::model::Model;

pub mod condensation;
pub mod craig_bampton;
pub mod plan;
pub mod quality;
pub mod response;
pub mod structure;

pub use condensation::{
    Condensation, Condensed, CondensedLoad, CondensedRow, Motion, TimeMatrices,
};
pub use craig_bampton::reduce;
pub use plan::Plan;
pub use quality::Quality;
pub use response::{ProbeView, Response};
pub use structure::{PairRows, ReducedStructure};

pub use crate::model::LoadParts;

/// A connected set of free freedoms.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Names of the parts and points in it, parts first.
    pub names: Vec<String>,
    /// Its freedoms, ascending, as indices into q_f of the model.
    pub freedoms: Vec<usize>,
}

impl Body {
    /// The name it is called by: its first part, or its first point.
    pub fn name(&self) -> &str {
        self.names.first().map_or("?", String::as_str)
    }
}

/// A body reduced to boundary freedoms u_b and modal coordinates η:
///
/// ```text
///     K = ⎡ Λ  0   ⎤      M = ⎡ I     M_qb ⎤      over (η, u_b)
///         ⎣ 0  K_b ⎦          ⎣ M_bq  M_b  ⎦
/// ```
#[derive(Debug, Clone)]
pub struct Superelement {
    /// Name of the body.
    pub name: String,
    /// Boundary freedoms, as indices into q_f of the model.
    pub boundary: Vec<usize>,
    /// The other freedoms of the body.
    pub internal: Vec<usize>,
    /// Λ: ω² of the fixed-interface modes \[rad²/s²\].
    pub eigenvalues: Vec<f64>,
    /// K_b \[N/m\].
    pub stiffness: Mat<f64>,
    /// M_b \[kg\].
    pub mass: Mat<f64>,
    /// M_qb \[kg^½\].
    pub coupling: Mat<f64>,
    /// Fixed-interface modes Φ over the internal freedoms \[kg^-½\].
    pub modes: Mat<f64>,
    /// Constraint modes Ψ over the internal freedoms \[-\].
    pub constraint_modes: Mat<f64>,
}

/// Why a body cannot be reduced.
#[derive(Debug, Error)]
pub enum ReductionError {
    /// The body moves although its boundary is held.
    #[error("body `{body}`: holding its boundary freedoms does not hold the rest: {error}")]
    Internal {
        /// Name of the body.
        body: String,
        /// The failed factorisation.
        error: FactorError,
    },
    /// A support moves a contact node.
    #[error("{node} is a contact node that a support moves: move the rest of its body instead")]
    MovedContactNode {
        /// The node.
        node: String,
    },
    /// Both nodes of a pair are held.
    #[error("the contact pair at {node} cannot move: both of its nodes are held")]
    HeldPair {
        /// The node.
        node: String,
    },
    /// Relative displacements depend on each other.
    #[error(
        "relative displacement {row} of the contact pairs depends on the others: a node is in too many \
         pairs, or its motion is tied"
    )]
    DependentPairs {
        /// Row of u_r.
        row: usize,
    },
    /// Something is held by nothing.
    #[error(
        "even with its contacts bonded the structure is a mechanism: {motion}; hold it, for example by a \
         weak spring"
    )]
    Loose {
        /// What can move, in words.
        motion: String,
    },
    /// The damping matrix cannot be decomposed.
    #[error("the damping matrix of the reduced structure has entries that are too large")]
    DampingNotFinite,
    /// A coordinate has neither stiffness nor mass.
    #[error("with its contacts bonded the structure has a motion with neither stiffness nor mass")]
    LooseCoordinates,
    /// Excitation at a resonance of the bonded structure without damping.
    #[error(
        "the structure with bonded contacts has an undamped mode at {frequency:.6e} Hz, just where it \
         is excited: add damping, or a weak spring if it is a rigid-body motion"
    )]
    BondedResonance {
        /// Its frequency \[Hz\].
        frequency: f64,
    },
    /// Excitation at a resonance of the structure with open contacts, without damping.
    #[error(
        "the response at {frequency} Hz is unbounded: with open contacts there is an undamped resonance \
         or a free motion; add damping or leave this frequency out"
    )]
    OpenResonance {
        /// Frequency \[Hz\].
        frequency: f64,
    },
    /// A body is too large to be kept whole.
    #[error("body `{body}` has {size} freedoms, too many to keep: add a table [reduction.{body}]")]
    NotReduced {
        /// Name of the body.
        body: String,
        /// Number of its freedoms.
        size: usize,
    },
    /// The fixed-interface modes could not be found.
    #[error("body `{body}`, fixed-interface modes: {error}")]
    Modes {
        /// Name of the body.
        body: String,
        /// Why.
        error: EigenError,
    },
}

impl Superelement {
    /// Number of modal coordinates.
    pub fn n_modes(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Frequencies of the fixed-interface modes \[Hz\].
    pub fn fixed_interface_frequencies(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|value| value.max(0.0).sqrt() / TAU).collect()
    }

    /// Number of coordinates (η, u_b).
    pub fn size(&self) -> usize {
        self.n_modes() + self.boundary.len()
    }

    /// K over (η, u_b).
    pub fn stiffness_matrix(&self) -> Mat<f64> {
        let m = self.n_modes();
        Mat::from_fn(self.size(), self.size(), |i, j| match (i < m, j < m) {
            (true, true) if i == j => self.eigenvalues[i],
            (false, false) => self.stiffness[(i - m, j - m)],
            _ => 0.0,
        })
    }

    /// M over (η, u_b).
    pub fn mass_matrix(&self) -> Mat<f64> {
        let m = self.n_modes();
        Mat::from_fn(self.size(), self.size(), |i, j| match (i < m, j < m) {
            (true, true) if i == j => 1.0,
            (true, true) => 0.0,
            (true, false) => self.coupling[(i, j - m)],
            (false, true) => self.coupling[(j, i - m)],
            (false, false) => self.mass[(i - m, j - m)],
        })
    }

    /// Displacement of the body's freedoms for coordinates (η, u_b), written into q_f of the model.
    pub fn recover_into<T>(&self, q: &mut [T], coordinates: &[T])
    where
        T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        let (eta, boundary) = coordinates.split_at(self.n_modes());
        let product = |matrix: &Mat<f64>, row: usize, x: &[T]| {
            let terms = x.iter().enumerate();
            terms.fold(T::default(), |sum, (j, value)| sum + *value * matrix[(row, j)])
        };
        for (row, &freedom) in self.internal.iter().enumerate() {
            q[freedom] =
                product(&self.modes, row, eta) + product(&self.constraint_modes, row, boundary);
        }
        for (&freedom, value) in self.boundary.iter().zip(boundary) {
            q[freedom] = *value;
        }
    }

    /// TᵀAT over (η, u_b) of a matrix over q_f of the model.
    pub fn reduced(&self, operator: &SymmetricSparse) -> Mat<f64> {
        let size = self.size();
        let mut matrix = Mat::zeros(size, size);
        for j in 0..size {
            let mut unit = vec![0.0; size];
            unit[j] = 1.0;
            let mut q = vec![0.0; operator.size()];
            self.recover_into(&mut q, &unit);
            let column = self.project(&operator.mul(&q));
            column.iter().enumerate().for_each(|(i, value)| matrix[(i, j)] = *value);
        }
        matrix
    }

    /// Forces on (η, u_b) of forces on q_f of the model: Tᵀ f.
    pub fn project<T>(&self, f: &[T]) -> Vec<T>
    where
        T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        let onto = |matrix: &Mat<f64>, column: usize| {
            let terms = self.internal.iter().enumerate();
            terms.fold(T::default(), |sum, (row, i)| sum + f[*i] * matrix[(row, column)])
        };
        let modal = (0..self.n_modes()).map(|m| onto(&self.modes, m));
        let boundary = self.boundary.iter().enumerate();
        let boundary = boundary.map(|(j, b)| f[*b] + onto(&self.constraint_modes, j));
        modal.chain(boundary).collect()
    }
}

/// The bodies of a model, in the order of their first freedom.
pub fn bodies(model: &Model) -> Vec<Body> {
    let pattern = model.operators.stiffness.free.pattern();
    let mut groups = UnionFind::new(model.dofs.n_free);
    for col in 0..model.dofs.n_free {
        pattern.rows(col).for_each(|row| groups.join(col, row));
    }
    let mut bodies: Vec<Body> = Vec::new();
    let mut number: HashMap<usize, usize> = HashMap::new();
    for freedom in 0..model.dofs.n_free {
        let root = groups.root(freedom);
        let body = *number.entry(root).or_insert_with(|| {
            bodies.push(Body { names: vec![], freedoms: vec![] });
            bodies.len() - 1
        });
        bodies[body].freedoms.push(freedom);
    }
    name_bodies(model, &mut groups, &number, &mut bodies);
    bodies
}

fn name_bodies(
    model: &Model,
    groups: &mut UnionFind,
    number: &HashMap<usize, usize>,
    bodies: &mut [Body],
) {
    let parts = model
        .geometry
        .parts
        .iter()
        .map(|(name, part)| (name, part.first_node..part.first_node + part.mesh.nodes.len()));
    let points = model.geometry.points.iter().map(|(name, node)| (name, *node..*node + 1));
    for (name, nodes) in parts.chain(points) {
        for node in nodes {
            for freedom in Freedom::ALL {
                let Some(dof) = model.dofs.number(node, freedom) else { continue };
                for &(index, _) in model.dofs.terms(dof) {
                    if index < model.dofs.n_free {
                        let names = &mut bodies[number[&groups.root(index)]].names;
                        if !names.contains(name) {
                            names.push(name.clone());
                        }
                    }
                }
            }
        }
    }
}

/// Disjoint sets with path halving.
struct UnionFind(Vec<usize>);

impl UnionFind {
    fn new(size: usize) -> Self {
        Self((0..size).collect())
    }

    fn root(&mut self, mut item: usize) -> usize {
        while self.0[item] != item {
            self.0[item] = self.0[self.0[item]];
            item = self.0[item];
        }
        item
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests;
