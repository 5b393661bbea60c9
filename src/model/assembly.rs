//! Assembly of mass, damping and stiffness over the independent freedoms.
//!
//! ```text
//! With u = T q (see `dofs`) and the element matrices A_e,
//!
//!     A = Tᵀ (Σ A_e) T = ⎡ A_ff  A_fc ⎤                                           (1)
//!                        ⎣ A_cf  A_cc ⎦
//!
//! for free (f) and prescribed (c) freedoms. A_ff is stored as a lower triangle; the rows A_cf give the
//! forces of prescribed motion.
//! ```
//!
//! The sparsity pattern is made once, from the freedoms of the elements, and shared by K, M and C.
//! Element matrices are computed in parallel and added in element order, so the sums do not depend
//! on the number of threads.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use nalgebra_sparse::{CooMatrix, CsrMatrix};
use rayon::prelude::*;

use super::dofs::DofMap;
use super::elements::{Beam, Elements, Quad, SpringElement};
use super::geometry::Geometry;
use crate::case::Freedom;
use crate::element::{beam2, quad4};
use crate::linalg::pattern::{clique_pattern, dedup_from};
use crate::linalg::{Pattern, SymmetricSparse};

mod matrices;

/// Elements computed together before they are added: enough to feed the threads, little memory.
const BATCH: usize = 4096;

/// A symmetric operator partitioned as in (1).
#[derive(Debug, Clone)]
pub struct Operator {
    /// A_ff.
    pub free: SymmetricSparse,
    /// A_cf, one row per prescribed freedom.
    pub coupling: CsrMatrix<f64>,
}

impl Operator {
    /// An operator without entries.
    fn empty(dofs: &DofMap) -> Self {
        let pattern = Pattern::empty(dofs.n_free);
        Partial::new(&Arc::new(pattern), dofs.n_prescribed()).finish()
    }

    /// a·self + b·other.
    pub fn combine(&self, a: f64, other: &Self, b: f64) -> Self {
        let sum = |x: &CsrMatrix<f64>, y: &CsrMatrix<f64>| x * a + y * b;
        Self {
            free: self.free.combine(a, &other.free, b),
            coupling: sum(&self.coupling, &other.coupling),
        }
    }

    /// Adds `factor` · A_fc q_c to a vector over the free freedoms.
    pub fn add_prescribed_force<T>(&self, out: &mut [T], prescribed: &[T], factor: T)
    where
        T: Copy + std::ops::AddAssign + std::ops::Mul<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        for (row, value) in self.coupling.row_iter().zip(prescribed) {
            for (&col, &entry) in row.col_indices().iter().zip(row.values()) {
                out[col] += factor * (*value * entry);
            }
        }
    }
}

/// K, M and the dashpots of a model.
#[derive(Debug)]
pub struct Operators {
    /// Stiffness K \[N/m\].
    pub stiffness: Operator,
    /// Mass M \[kg\]; without any entries if no analysis of the case needs it.
    pub mass: Operator,
    /// Discrete dashpots \[N·s/m\], if there are any.
    pub dashpots: Option<Operator>,
}

/// Matrices of one element over freedoms of u.
struct ElementMatrices {
    numbers: [usize; 8],
    size: usize,
    stiffness: [f64; 64],
    mass: [f64; 64],
    damping: Option<[f64; 64]>,
}

impl ElementMatrices {
    fn new(numbers: &[usize]) -> Self {
        let mut padded = [0; 8];
        padded[..numbers.len()].copy_from_slice(numbers);
        let size = numbers.len();
        Self { numbers: padded, size, stiffness: [0.0; 64], mass: [0.0; 64], damping: None }
    }

    fn numbers(&self) -> &[usize] {
        &self.numbers[..self.size]
    }
}

/// Element matrices of a model, one after the other.
pub(super) struct Assembler<'a> {
    pub geometry: &'a Geometry,
    pub elements: &'a Elements,
    pub dofs: &'a DofMap,
}

impl Assembler<'_> {
    /// Assembles all operators; a mass that is not needed would be a third of their memory.
    pub fn assemble(&self, needs_mass: bool) -> Operators {
        let has_dashpots = self.elements.springs.iter().any(|spring| spring.damping > 0.0)
            || self.matrices().any(|(_, matrices)| !matrices.damping.is_empty());
        let mut sums = Sums::new(self.dofs, self.pattern(), needs_mass, has_dashpots);
        let (quads, beams) = (&self.elements.quads, &self.elements.beams);
        for batch in quads.chunks(BATCH) {
            sums.add_all(batch.par_iter().map(|quad| self.quad(quad)).collect());
        }
        for batch in beams.chunks(BATCH) {
            sums.add_all(batch.par_iter().map(|beam| self.beam(beam)).collect());
        }
        sums.add_all(self.elements.springs.iter().map(|spring| self.spring(spring)).collect());
        sums.add_all(self.masses().collect());
        self.matrix_entries().for_each(|entry| sums.add(&entry));
        sums.finish()
    }

    /// Weighted sums of rows of K, C and M over u, times T: what forces at those freedoms are made of.
    ///
    /// C is `alpha` M + `beta` K + dashpots.
    pub fn force_rows(
        &self,
        wanted: &[(usize, f64)],
        (alpha, beta): (f64, f64),
    ) -> [Vec<(usize, f64)>; 3] {
        let mut weights: HashMap<usize, f64> = HashMap::new();
        wanted.iter().for_each(|(number, weight)| *weights.entry(*number).or_default() += weight);
        let mut rows: [BTreeMap<usize, f64>; 3] = Default::default();
        let mut add = |element: ElementMatrices| {
            for (i, number) in element.numbers().iter().enumerate() {
                let Some(weight) = weights.get(number) else { continue };
                for (j, column) in element.numbers().iter().enumerate() {
                    let at = i + j * element.size;
                    let (k, m) = (element.stiffness[at], element.mass[at]);
                    let c = alpha * m + beta * k + element.damping.map_or(0.0, |c| c[at]);
                    for &(index, factor) in self.dofs.terms(*column) {
                        for (row, entry) in rows.iter_mut().zip([k, c, m]) {
                            *row.entry(index).or_default() += weight * factor * entry;
                        }
                    }
                }
            }
        };
        let touches = |numbers: &[usize]| numbers.iter().any(|number| weights.contains_key(number));
        let quads = self.elements.quads.iter().filter(|quad| touches(&self.quad_numbers(quad)));
        quads.for_each(|quad| add(self.quad(quad)));
        let beams = self.elements.beams.iter().filter(|beam| touches(&self.beam_numbers(beam)));
        beams.for_each(|beam| add(self.beam(beam)));
        self.elements.springs.iter().for_each(|spring| add(self.spring(spring)));
        self.masses().for_each(&mut add);
        self.matrix_entries().for_each(&mut add);
        rows.map(|row| row.into_iter().filter(|(_, value)| *value != 0.0).collect())
    }

    /// Free freedoms that each element connects, flat, with offsets.
    fn pattern(&self) -> Arc<Pattern> {
        let mut flat = Vec::new();
        let mut offsets = vec![0];
        let mut add = |numbers: &[usize]| {
            let terms = numbers.iter().flat_map(|number| self.dofs.terms(*number));
            flat.extend(terms.map(|(index, _)| *index).filter(|index| *index < self.dofs.n_free));
            let start = offsets[offsets.len() - 1];
            flat[start..].sort_unstable();
            dedup_from(&mut flat, start);
            offsets.push(flat.len());
        };
        self.elements.quads.iter().for_each(|quad| add(&self.quad_numbers(quad)));
        self.elements.beams.iter().for_each(|beam| add(&self.beam_numbers(beam)));
        self.elements.springs.iter().for_each(|spring| add(self.spring(spring).numbers()));
        self.masses().for_each(|mass| add(mass.numbers()));
        self.matrix_entries().for_each(|entry| add(entry.numbers()));
        let groups = offsets.windows(2).map(|range| &flat[range[0]..range[1]]);
        Arc::new(clique_pattern(self.dofs.n_free, groups))
    }

    fn number(&self, node: usize, freedom: Freedom) -> usize {
        self.dofs.number(node, freedom).expect("elements give their nodes the freedoms they need")
    }

    fn quad_numbers(&self, quad: &Quad) -> [usize; 8] {
        let axis = [Freedom::X, Freedom::Y];
        std::array::from_fn(|i| self.number(quad.nodes[i / 2], axis[i % 2]))
    }

    fn beam_numbers(&self, beam: &Beam) -> [usize; 6] {
        std::array::from_fn(|i| self.number(beam.nodes[i / 3], Freedom::PLANE[i % 3]))
    }

    fn quad(&self, quad: &Quad) -> ElementMatrices {
        let plane = &self.elements.planes[quad.property];
        let corners = quad.nodes.map(|node| self.geometry.coordinates[node]);
        let mut out = ElementMatrices::new(&self.quad_numbers(quad));
        let stiffness =
            quad4::stiffness(&corners, &plane.elasticity, plane.thickness, plane.formulation);
        let surface_density = plane.material.density * plane.thickness;
        let mass = quad4::mass(&corners, surface_density, plane.mass);
        out.stiffness.copy_from_slice(stiffness.as_slice());
        out.mass.copy_from_slice(mass.as_slice());
        out
    }

    fn beam(&self, beam: &Beam) -> ElementMatrices {
        let section = &self.elements.beam_sections[beam.property];
        let ends = beam.nodes.map(|node| self.geometry.coordinates[node]);
        let mut out = ElementMatrices::new(&self.beam_numbers(beam));
        let stiffness = beam2::stiffness(&ends, section.axial, section.bending);
        let mass = beam2::mass(&ends, section.mass_per_length, section.mass);
        out.stiffness[..36].copy_from_slice(stiffness.as_slice());
        out.mass[..36].copy_from_slice(mass.as_slice());
        out
    }

    /// k g gᵀ with g the gradient of the elongation.
    fn spring(&self, spring: &SpringElement) -> ElementMatrices {
        let mut numbers = Vec::new();
        let mut gradient = Vec::new();
        for (&node, sign) in spring.nodes.iter().zip([1.0, -1.0]) {
            for &(freedom, weight) in &spring.direction {
                numbers.push(self.number(node, freedom));
                gradient.push(sign * weight);
            }
        }
        let mut out = ElementMatrices::new(&numbers);
        let mut damping = [0.0; 64];
        for (i, a) in gradient.iter().enumerate() {
            for (j, b) in gradient.iter().enumerate() {
                out.stiffness[i + j * out.size] = spring.stiffness * a * b;
                damping[i + j * out.size] = spring.damping * a * b;
            }
        }
        out.damping = (spring.damping > 0.0).then_some(damping);
        out
    }

    fn masses(&self) -> impl Iterator<Item = ElementMatrices> + '_ {
        self.elements.masses.iter().map(|mass| {
            let mut out = ElementMatrices::new(&[self.number(mass.node, mass.freedom)]);
            out.mass[0] = mass.mass;
            out
        })
    }
}

/// Operators under construction.
struct Sums<'a> {
    dofs: &'a DofMap,
    stiffness: Partial,
    mass: Option<Partial>,
    dashpots: Option<Partial>,
}

struct Partial {
    free: SymmetricSparse,
    coupling: CooMatrix<f64>,
}

impl Partial {
    fn new(pattern: &Arc<Pattern>, n_prescribed: usize) -> Self {
        Self {
            free: SymmetricSparse::zeros(pattern.clone()),
            coupling: CooMatrix::new(n_prescribed, pattern.size()),
        }
    }

    fn finish(self) -> Operator {
        Operator { free: self.free, coupling: CsrMatrix::from(&self.coupling) }
    }
}

impl<'a> Sums<'a> {
    fn new(dofs: &'a DofMap, pattern: Arc<Pattern>, needs_mass: bool, has_dashpots: bool) -> Self {
        let partial = || Partial::new(&pattern, dofs.n_prescribed());
        let (mass, dashpots) = (needs_mass.then(partial), has_dashpots.then(partial));
        Self { dofs, stiffness: partial(), mass, dashpots }
    }

    fn add_all(&mut self, batch: Vec<ElementMatrices>) {
        batch.iter().for_each(|element| self.add(element));
    }

    fn add(&mut self, element: &ElementMatrices) {
        for (i, &row) in element.numbers().iter().enumerate() {
            for (j, &col) in element.numbers().iter().enumerate() {
                let entry = i + j * element.size;
                for &(p, a) in self.dofs.terms(row) {
                    for &(q, b) in self.dofs.terms(col) {
                        self.add_entry(p, q, a * b, element, entry);
                    }
                }
            }
        }
    }

    fn add_entry(&mut self, p: usize, q: usize, factor: f64, element: &ElementMatrices, at: usize) {
        let n_free = self.dofs.n_free;
        let dashpots = self.dashpots.as_mut().zip(element.damping.as_ref());
        let targets = [
            Some((&mut self.stiffness, element.stiffness[at])),
            self.mass.as_mut().map(|sum| (sum, element.mass[at])),
            dashpots.map(|(sum, values)| (sum, values[at])),
        ];
        if p < n_free && q < n_free {
            if p < q {
                return; // The mirror image is stored.
            }
            let position = shared_position(&targets, p, q);
            for (sum, value) in targets.into_iter().flatten() {
                sum.free.add_at(position, factor * value);
            }
        } else if p >= n_free && q < n_free {
            for (sum, value) in targets.into_iter().flatten() {
                sum.coupling.push(p - n_free, q, factor * value);
            }
        }
    }

    fn finish(self) -> Operators {
        Operators {
            mass: self.mass.map_or_else(|| Operator::empty(self.dofs), Partial::finish),
            stiffness: self.stiffness.finish(),
            dashpots: self.dashpots.map(Partial::finish),
        }
    }
}

/// All operators share the pattern: one search serves them.
fn shared_position(targets: &[Option<(&mut Partial, f64)>; 3], p: usize, q: usize) -> usize {
    let (first, _) = targets[0].as_ref().expect("the stiffness is always there");
    first.free.position(p, q)
}
