//! Freedoms of the nodes and the relations that constraints put between them.
//!
//! ```text
//! Every freedom of a node is a combination of independent freedoms q,
//!
//!     u = T q ,   q = (q_f, q_c) ,                                                (1)
//!
//! of which q_f are free and q_c are prescribed by supports. A node i tied to a point P follows it
//! as a rigid body,
//!
//!     u_x = X − θ (y_i − y_P) ,   u_y = Y + θ (x_i − x_P) ,   u_z = Z ,   θ_i = θ ,  (2)
//!
//! and an inclined roller with normal n leaves u_a = −Σ_b (n_b/n_a) u_b.            (3)
//! ```
//!
//! Rotations are about z only: what is tied does not turn about x and y.

use std::collections::BTreeMap;

use num_complex::Complex;

use super::geometry::Geometry;
use super::interfaces::Interface;
use crate::case::{Case, Direction, Freedom, Problem, Support, Tie, Variation};

const NONE: u32 = u32::MAX;
/// A chain of ties longer than this is a circle, or as good as one.
const MAX_CHAIN: usize = 1000;

/// Freedoms of the model and their expansion (1).
#[derive(Debug)]
pub struct DofMap {
    /// Number of each node's x, y, rotation and z in u, or NONE.
    numbers: Vec<[u32; 4]>,
    /// Numbers in u of the rows of each part that comes as matrices, by the part's first node.
    matrix_rows: BTreeMap<usize, Vec<usize>>,
    /// Rows of T: offsets into `terms`.
    offsets: Vec<usize>,
    terms: Vec<(usize, f64)>,
    /// Rigid ties as (leader, follower, factor), over u.
    ties: Vec<(usize, usize, f64)>,
    /// The freedom of u that is each independent freedom.
    owner: Vec<usize>,
    /// Number of free freedoms q_f.
    pub n_free: usize,
    /// Prescribed values of q_c for static analyses \[m or rad\].
    pub static_values: Vec<f64>,
    /// Prescribed amplitudes of q_c for harmonic analyses \[m or rad\].
    pub harmonic_values: Vec<Complex<f64>>,
}

impl DofMap {
    /// Number of freedoms of all nodes, dependent ones included.
    pub fn n_all(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of prescribed freedoms q_c.
    pub fn n_prescribed(&self) -> usize {
        self.static_values.len()
    }

    /// Number of a node's freedom in u, if the node has it.
    pub fn number(&self, node: usize, freedom: Freedom) -> Option<usize> {
        let number = self.numbers[node][freedom as usize];
        (number != NONE).then_some(number as usize)
    }

    /// Numbers in u of the rows of a part that comes as matrices.
    pub fn matrix_rows(&self, first_node: usize) -> &[usize] {
        self.matrix_rows.get(&first_node).map_or(&[], Vec::as_slice)
    }

    /// A row of T: the independent freedoms that freedom `number` follows, with factors.
    pub fn terms(&self, number: usize) -> &[(usize, f64)] {
        &self.terms[self.offsets[number]..self.offsets[number + 1]]
    }

    /// Displacement of every node (x, y, rotation, z) for independent freedoms q.
    pub fn expand<T>(&self, q: &[T]) -> Vec<[T; 4]>
    where
        T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        let value = |number: u32| {
            if number == NONE {
                return T::default();
            }
            let terms = self.terms(number as usize).iter();
            terms.fold(T::default(), |sum, &(index, factor)| sum + q[index] * factor)
        };
        self.numbers.iter().map(|numbers| numbers.map(value)).collect()
    }

    /// Whether any node has the freedom.
    pub fn has(&self, freedom: Freedom) -> bool {
        self.numbers.iter().any(|numbers| numbers[freedom as usize] != NONE)
    }

    /// Adds a force on a node's freedom to a vector over u; false if the node lacks the freedom.
    pub fn add(&self, u: &mut [f64], node: usize, freedom: Freedom, force: f64) -> bool {
        let number = self.number(node, freedom);
        if let Some(number) = number {
            u[number] += force;
        }
        number.is_some()
    }

    /// Tᵀ times a vector over u.
    pub fn project<T>(&self, u: &[T]) -> Vec<T>
    where
        T: Copy + Default + std::ops::AddAssign + std::ops::Mul<f64, Output = T>,
    {
        let mut q = vec![T::default(); self.n_free + self.n_prescribed()];
        for (number, value) in u.iter().enumerate() {
            for &(index, factor) in self.terms(number) {
                q[index] += *value * factor;
            }
        }
        q
    }

    /// Freedoms of u that are tied to freedom `number` of a point, with their factors.
    pub fn followers(&self, number: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let own = self.ties.iter().filter(move |(leader, _, _)| *leader == number);
        own.map(|(_, follower, factor)| (*follower, *factor))
    }

    /// Whether a support or tie decides freedom `number`.
    pub fn is_constrained(&self, number: usize) -> bool {
        !matches!(*self.terms(number), [(index, 1.0)] if self.owner[index] == number)
            || self.terms(number)[0].0 >= self.n_free
    }

    /// Whether freedom `other` is decided by freedom `number`: an inclined roller acts on both.
    pub fn decides(&self, number: usize, other: usize) -> bool {
        number != other && self.terms(other).iter().any(|(index, _)| self.owner[*index] == number)
    }
}

/// What decides a freedom.
#[derive(Debug, Clone, PartialEq)]
enum Relation {
    Free,
    Prescribed {
        value: f64,
        amplitude: Complex<f64>,
    },
    /// Follows other freedoms of u.
    Follows(Vec<(usize, f64)>),
}

/// Builds the map; `has` tells which freedoms the elements and points give each node, `bonded` which
/// interfaces are stuck.
pub(super) fn number_freedoms(
    case: &Case,
    geometry: &Geometry,
    has: &[[bool; 4]],
    bonded: &[Interface],
    problems: &mut Vec<Problem>,
) -> Option<DofMap> {
    let mut numbers = vec![[NONE; 4]; has.len()];
    let mut owners = Vec::new();
    for (node, has) in has.iter().enumerate() {
        for freedom in Freedom::ALL {
            if has[freedom as usize] {
                numbers[node][freedom as usize] = owners.len() as u32;
                owners.push((node, freedom));
            }
        }
    }
    let matrix_rows = number_matrices(geometry, &numbers, &mut owners);
    let relations = vec![Relation::Free; owners.len()];
    let ties = Vec::new();
    let mut builder = Builder { geometry, numbers, matrix_rows, owners, relations, ties, problems };
    for (i, tie) in case.ties.iter().enumerate() {
        builder.tie(&format!("ties[{i}]"), tie);
    }
    for (i, support) in case.supports.iter().enumerate() {
        builder.support(&format!("supports[{i}]"), support);
    }
    for (i, interface) in bonded.iter().enumerate() {
        if let Err(message) = builder.bond(interface) {
            builder.refuse(&format!("contact[{i}]"), message);
        }
    }
    builder.finish()
}

/// Numbers the rows of matrices: those of nodes have numbers, internal coordinates get new ones, owned by
/// the first node of the part.
fn number_matrices(
    geometry: &Geometry,
    numbers: &[[u32; 4]],
    owners: &mut Vec<(usize, Freedom)>,
) -> BTreeMap<usize, Vec<usize>> {
    let mut all = BTreeMap::new();
    for part in geometry.parts.values() {
        let Some(matrices) = &part.mesh.matrices else { continue };
        let mut own = vec![NONE as usize; matrices.size];
        for (rows, numbers) in matrices.rows.iter().zip(&numbers[part.first_node..]) {
            for (row, number) in rows.iter().zip(numbers) {
                row.iter().for_each(|row| own[*row] = *number as usize);
            }
        }
        for row in matrices.internal_rows() {
            own[row] = owners.len();
            owners.push((part.first_node, Freedom::X));
        }
        all.insert(part.first_node, own);
    }
    all
}

struct Builder<'a> {
    geometry: &'a Geometry,
    numbers: Vec<[u32; 4]>,
    matrix_rows: BTreeMap<usize, Vec<usize>>,
    owners: Vec<(usize, Freedom)>,
    relations: Vec<Relation>,
    ties: Vec<(usize, usize, f64)>,
    problems: &'a mut Vec<Problem>,
}

impl Builder<'_> {
    fn number(&self, node: usize, freedom: Freedom) -> Option<usize> {
        let number = self.numbers[node][freedom as usize];
        (number != NONE).then_some(number as usize)
    }

    fn refuse(&mut self, path: &str, message: String) {
        self.problems.push(Problem::new(path, message));
    }

    fn tie(&mut self, path: &str, tie: &Tie) {
        let nodes = match self.geometry.nodes(&tie.nodes) {
            Ok(nodes) => nodes,
            Err(message) => return self.refuse(&format!("{path}.nodes"), message),
        };
        let point = self.geometry.points[&tie.to];
        for node in nodes.into_iter().filter(|node| *node != point) {
            for &freedom in &tie.freedoms {
                let Some(number) = self.number(node, freedom) else { continue };
                if self.relations[number] != Relation::Free {
                    let node = self.geometry.describe(node);
                    let message = format!("{node} is tied twice in {}", freedom.name());
                    return self.refuse(path, message);
                }
                let terms = self.rigid_terms(node, point, freedom);
                self.ties.extend(terms.iter().map(|&(leader, factor)| (leader, number, factor)));
                self.relations[number] = Relation::Follows(terms);
            }
        }
    }

    /// Equation (2); freedoms that the point does not have are zero.
    fn rigid_terms(&self, node: usize, point: usize, freedom: Freedom) -> Vec<(usize, f64)> {
        let ([x, y], [px, py]) =
            (self.geometry.coordinates[node], self.geometry.coordinates[point]);
        let arm = match freedom {
            Freedom::X => -(y - py),
            Freedom::Y => x - px,
            Freedom::Rotation | Freedom::Z => 0.0,
        };
        let own = self.number(point, freedom).map(|number| (number, 1.0));
        let turned = self.number(point, Freedom::Rotation).map(|number| (number, arm));
        own.into_iter().chain(turned.filter(|(_, arm)| *arm != 0.0)).collect()
    }

    fn support(&mut self, path: &str, support: &Support) {
        let nodes = match self.geometry.nodes(support.on()) {
            Ok(nodes) => nodes,
            Err(message) => return self.refuse(&format!("{path}.on"), message),
        };
        for node in nodes {
            if let Err(message) = self.support_node(node, support) {
                return self.refuse(path, message);
            }
        }
    }

    fn support_node(&mut self, node: usize, support: &Support) -> Result<(), String> {
        let zero = Complex::new(0.0, 0.0);
        match support {
            Support::Clamp { .. } => {
                for freedom in Freedom::ALL {
                    if let Some(number) = self.number(node, freedom) {
                        self.prescribe(number, 0.0, zero)?;
                    }
                }
                Ok(())
            }
            Support::Roller { direction, .. } => self.roller(node, *direction),
            Support::Prescribed { x, y, z, rotation, variation, phase, .. } => {
                for (freedom, value) in Freedom::ALL.into_iter().zip([x, y, rotation, z]) {
                    let Some(value) = *value else { continue };
                    let number = self.require(node, freedom)?;
                    match variation {
                        Variation::Static => self.prescribe(number, value, zero)?,
                        Variation::Harmonic => {
                            let amplitude = Complex::from_polar(value, phase.to_radians());
                            self.prescribe(number, 0.0, amplitude)?;
                        }
                    }
                }
                Ok(())
            }
        }
    }

    fn require(&self, node: usize, freedom: Freedom) -> Result<usize, String> {
        self.number(node, freedom).ok_or_else(|| {
            format!("{} has no freedom `{}`", self.geometry.describe(node), freedom.name())
        })
    }

    fn prescribe(
        &mut self,
        number: usize,
        value: f64,
        amplitude: Complex<f64>,
    ) -> Result<(), String> {
        let new = Relation::Prescribed { value, amplitude };
        let (node, freedom) = self.owners[number];
        let place = || format!("{} in {}", self.geometry.describe(node), freedom.name());
        match &self.relations[number] {
            Relation::Free => self.relations[number] = new,
            Relation::Prescribed { .. } if self.relations[number] == new => {}
            Relation::Prescribed { .. } => {
                return Err(format!("{} is prescribed twice with different values", place()));
            }
            Relation::Follows(_) => {
                return Err(format!(
                    "{} is tied or on an inclined roller already; support the point it is tied to, or name the \
                     inclined roller last",
                    place()
                ));
            }
        }
        Ok(())
    }

    fn roller(&mut self, node: usize, direction: Direction) -> Result<(), String> {
        let mut held: Vec<(usize, f64)> = direction
            .freedoms()
            .map(|(freedom, weight)| Ok((self.require(node, freedom)?, weight)))
            .collect::<Result<_, String>>()?;
        if let [(number, _)] = held[..] {
            return self.prescribe(number, 0.0, Complex::new(0.0, 0.0));
        }
        // Equation (3): the component with the largest share follows the others, if it can.
        held.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
        let relation = |follower: usize, share: f64| {
            let others = held.iter().filter(|(number, _)| *number != follower);
            Relation::Follows(others.map(|(number, weight)| (*number, -weight / share)).collect())
        };
        let is_held_already = held.iter().any(|&(n, w)| self.relations[n] == relation(n, w));
        if is_held_already {
            return Ok(()); // The same roller again, at a corner of two sets.
        }
        let can_lead = |number: usize| !matches!(self.relations[number], Relation::Follows(_));
        let follower = held.iter().copied().find(|&(follower, _)| {
            self.relations[follower] == Relation::Free
                && held.iter().all(|(number, _)| *number == follower || can_lead(*number))
        });
        let (follower, share) = follower.ok_or_else(|| {
            format!(
                "{} is tied, on another inclined roller, or held in those directions already",
                self.geometry.describe(node)
            )
        })?;
        self.relations[follower] = relation(follower, share);
        Ok(())
    }

    /// Sets u¹ = u² (or 0 on ground) for every pair.
    fn bond(&mut self, interface: &Interface) -> Result<(), String> {
        for pair in &interface.pairs {
            for freedom in Freedom::TRANSLATIONS {
                let number = |node: usize| self.number(node, freedom);
                let Some(first) = number(pair.first) else { continue };
                let partner = pair.second.and_then(number);
                match (partner, &self.relations[first]) {
                    (Some(partner), Relation::Free) => {
                        self.relations[first] = Relation::Follows(vec![(partner, 1.0)]);
                    }
                    (None, Relation::Free) => self.prescribe(first, 0.0, Complex::new(0.0, 0.0))?,
                    _ => {
                        return Err(format!(
                            "{} is a contact node and supported or tied as well in {}",
                            self.geometry.describe(pair.first),
                            freedom.name()
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Option<DofMap> {
        let n_free = self.relations.iter().filter(|r| **r == Relation::Free).count();
        let mut map = DofMap {
            numbers: Vec::new(),
            matrix_rows: BTreeMap::new(),
            offsets: vec![0],
            terms: Vec::new(),
            ties: Vec::new(),
            owner: Vec::new(),
            n_free,
            static_values: Vec::new(),
            harmonic_values: Vec::new(),
        };
        let mut free = 0;
        let mut independent = vec![usize::MAX; self.relations.len()];
        for (number, relation) in self.relations.iter().enumerate() {
            match relation {
                Relation::Free => {
                    independent[number] = free;
                    free += 1;
                }
                Relation::Prescribed { value, amplitude } => {
                    independent[number] = n_free + map.static_values.len();
                    map.static_values.push(*value);
                    map.harmonic_values.push(*amplitude);
                }
                Relation::Follows(_) => {}
            }
        }
        for number in 0..self.relations.len() {
            if !self.resolve(number, 1.0, 0, &independent, &mut map.terms) {
                let (node, _) = self.owners[number];
                let message =
                    format!("ties go round in a circle through {}", self.geometry.describe(node));
                self.problems.push(Problem::new("ties", message));
                return None;
            }
            map.offsets.push(map.terms.len());
        }
        map.owner = vec![0; n_free + map.static_values.len()];
        for (number, index) in independent.iter().enumerate().filter(|(_, i)| **i != usize::MAX) {
            map.owner[*index] = number;
        }
        map.ties = self.ties;
        map.numbers = self.numbers;
        map.matrix_rows = self.matrix_rows;
        Some(map)
    }

    /// Appends `factor` times freedom `number` in independent freedoms; false if ties form a circle.
    fn resolve(
        &self,
        number: usize,
        factor: f64,
        depth: usize,
        independent: &[usize],
        terms: &mut Vec<(usize, f64)>,
    ) -> bool {
        match &self.relations[number] {
            Relation::Follows(_) if depth > self.relations.len().min(MAX_CHAIN) => false,
            Relation::Follows(leaders) => leaders.iter().all(|&(leader, f)| {
                self.resolve(leader, factor * f, depth + 1, independent, terms)
            }),
            _ => {
                terms.push((independent[number], factor));
                true
            }
        }
    }
}
