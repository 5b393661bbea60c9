//! Loads as vectors over the freedoms of all nodes, and Tᵀ times them over the independent ones.
//!
//! ```text
//! Edge with ends 1, 2, length l and thickness t under the traction τ: each end gets τ l t / 2.
//! Pressure p is the traction −p n with n the outward normal. Gravity g gives M_e (g_x, g_y, 0) for every element
//! and M (g_x, g_y, 0, g_z) for matrices.
//! ```

use nalgebra::SMatrix;
use num_complex::Complex;

use super::dofs::DofMap;
use super::elements::Elements;
use super::geometry::Geometry;
use super::{Model, Operator};
use crate::case::{Case, Freedom, Load, Problem, Variation};
use crate::element::{beam2, quad4};
use crate::mesh::sorted;

/// Static and harmonic load vectors over (q_f, q_c) \[N or N·m\].
#[derive(Debug, Clone)]
pub struct LoadVectors {
    /// Constant loads.
    pub constant: Vec<f64>,
    /// Complex amplitudes of vibrating loads; empty if all analyses are static.
    pub harmonic: Vec<Complex<f64>>,
    /// The same constant loads on the nodes, over u.
    pub nodal_constant: Vec<f64>,
    /// The same vibrating loads on the nodes, over u; empty likewise.
    pub nodal_harmonic: Vec<Complex<f64>>,
    /// Complex amplitude of the only harmonic force, for responses per force \[N\].
    pub reference_force: Option<Complex<f64>>,
}

/// A load Σ_k (iω)^k f_k.
#[derive(Debug, Clone)]
pub struct LoadParts(pub [Vec<Complex<f64>>; 3]);

impl LoadParts {
    /// A load that does not vary with frequency.
    pub fn constant(load: &[f64]) -> Self {
        let zero = vec![Complex::new(0.0, 0.0); load.len()];
        Self([load.iter().map(|f| (*f).into()).collect(), zero.clone(), zero])
    }

    /// Σ_k (iω)^k f_k.
    pub fn at(&self, omega: f64) -> Vec<Complex<f64>> {
        let [f0, f1, f2] = &self.0;
        let (i1, i2) = (Complex::new(0.0, omega), -omega * omega);
        (0..f0.len()).map(|i| f0[i] + i1 * f1[i] + f2[i] * i2).collect()
    }
}

impl Model {
    /// The vibrating load on the free freedoms, f_k with the forces of moved supports
    /// −(K, C, M)_fc q_c; none in models of static cases.
    pub fn vibrating_load(&self, damping: Option<&Operator>) -> LoadParts {
        let n_free = self.dofs.n_free;
        let zero = vec![Complex::new(0.0, 0.0); n_free];
        let own = self.loads.harmonic.get(..n_free).map_or(zero.clone(), <[_]>::to_vec);
        let mut parts = [own, zero.clone(), zero];
        let operators = [Some(&self.operators.stiffness), damping, Some(&self.operators.mass)];
        for (part, operator) in parts.iter_mut().zip(operators) {
            if let Some(operator) = operator {
                let minus = Complex::new(-1.0, 0.0);
                operator.add_prescribed_force(part, &self.dofs.harmonic_values, minus);
            }
        }
        LoadParts(parts)
    }
}

pub(super) struct LoadBuilder<'a> {
    pub case: &'a Case,
    pub geometry: &'a Geometry,
    pub elements: &'a Elements,
    pub dofs: &'a DofMap,
}

impl LoadBuilder<'_> {
    pub fn build(&self, problems: &mut Vec<Problem>) -> LoadVectors {
        let mut nodal_constant = vec![0.0; self.dofs.n_all()];
        let is_static = self.case.is_static();
        let n_harmonic = if is_static { 0 } else { self.dofs.n_all() };
        let mut nodal_harmonic = vec![Complex::new(0.0, 0.0); n_harmonic];
        let mut reference_force = None;
        for (i, load) in self.case.loads.iter().enumerate() {
            let vector = match self.vector(load) {
                Ok(vector) => vector,
                Err(message) => {
                    problems.push(Problem::new(format!("loads[{i}]"), message));
                    continue;
                }
            };
            match load.variation() {
                (Variation::Static, _) => {
                    nodal_constant.iter_mut().zip(vector).for_each(|(sum, v)| *sum += v);
                }
                (Variation::Harmonic, phase) => {
                    let turn = Complex::from_polar(1.0, phase.to_radians());
                    nodal_harmonic.iter_mut().zip(vector).for_each(|(sum, v)| *sum += turn * v);
                    if let Load::Force { force, .. } = load {
                        reference_force = Some(turn * force.length());
                    }
                }
            }
        }
        LoadVectors {
            constant: self.dofs.project(&nodal_constant),
            harmonic: if is_static { vec![] } else { self.dofs.project(&nodal_harmonic) },
            nodal_constant,
            nodal_harmonic,
            reference_force,
        }
    }

    /// Forces of a load over u.
    fn vector(&self, load: &Load) -> Result<Vec<f64>, String> {
        let mut u = vec![0.0; self.dofs.n_all()];
        match load {
            Load::Force { on, force, moment, .. } => {
                let [x, y, z] = force.components();
                let nodes = self.geometry.nodes(on)?;
                let share = 1.0 / nodes.len() as f64;
                for node in nodes {
                    for (freedom, force) in Freedom::ALL.into_iter().zip([x, y, *moment, z]) {
                        let applied = self.dofs.add(&mut u, node, freedom, share * force);
                        if !applied && force != 0.0 {
                            let node = self.geometry.describe(node);
                            return Err(format!("{node} has no freedom `{}`", freedom.name()));
                        }
                    }
                }
            }
            Load::Traction { on, traction, .. } => {
                self.add_edges(&mut u, on, |_| *traction)?;
            }
            Load::Pressure { on, pressure, .. } => {
                self.add_edges(&mut u, on, |[nx, ny]| [-pressure * nx, -pressure * ny])?;
            }
            Load::Gravity { acceleration } => {
                self.add_gravity(&mut u, acceleration.components());
                self.add_gravity_of_matrices(&mut u, acceleration.components())?;
            }
        }
        Ok(u)
    }

    /// Adds a traction, given the outward normal, on the edges of a set.
    fn add_edges(
        &self,
        u: &mut [f64],
        on: &str,
        traction: impl Fn([f64; 2]) -> [f64; 2],
    ) -> Result<(), String> {
        let (part, set) = self.geometry.set(on)?;
        if part.mesh.matrices.is_some() {
            return Err(
                "a part that comes as matrices has no edges; give the load as a `force`".into()
            );
        }
        if set.edges.is_empty() {
            return Err(format!("the set `{on}` holds no boundary edge of a quadrilateral"));
        }
        let owners = self.elements.boundary_edges(part);
        for edge in &set.edges {
            let edge = edge.map(|node| part.first_node + node);
            let Some(&([a, b], thickness)) = owners.get(&sorted(edge)) else {
                return Err(format!(
                    "the edge between {} and {} is not on the boundary of the part",
                    self.geometry.describe(edge[0]),
                    self.geometry.describe(edge[1])
                ));
            };
            let ([ax, ay], [bx, by]) = (self.geometry.coordinates[a], self.geometry.coordinates[b]);
            let length = (bx - ax).hypot(by - ay);
            // Counter-clockwise edges have the outside on their right.
            let normal = [(by - ay) / length, -(bx - ax) / length];
            let [tx, ty] = traction(normal);
            let half = 0.5 * length * thickness;
            for node in [a, b] {
                self.dofs.add(u, node, Freedom::X, half * tx);
                self.dofs.add(u, node, Freedom::Y, half * ty);
            }
        }
        Ok(())
    }

    fn add_gravity(&self, u: &mut [f64], [gx, gy, gz]: [f64; 3]) {
        for quad in &self.elements.quads {
            let plane = &self.elements.planes[quad.property];
            let corners = quad.nodes.map(|node| self.geometry.coordinates[node]);
            let density = plane.material.density * plane.thickness;
            let force = quad4::mass(&corners, density, plane.mass)
                * SMatrix::<f64, 8, 1>::from_fn(|i, _| if i % 2 == 0 { gx } else { gy });
            for i in 0..8 {
                self.dofs.add(u, quad.nodes[i / 2], Freedom::ALL[i % 2], force[i]);
            }
        }
        for beam in &self.elements.beams {
            let section = &self.elements.beam_sections[beam.property];
            let ends = beam.nodes.map(|node| self.geometry.coordinates[node]);
            let force = beam2::mass(&ends, section.mass_per_length, section.mass)
                * SMatrix::<f64, 6, 1>::from([gx, gy, 0.0, gx, gy, 0.0]);
            for i in 0..6 {
                self.dofs.add(u, beam.nodes[i / 3], Freedom::ALL[i % 3], force[i]);
            }
        }
        let acceleration = [gx, gy, 0.0, gz];
        for mass in &self.elements.masses {
            let force = mass.mass * acceleration[mass.freedom as usize];
            self.dofs.add(u, mass.node, mass.freedom, force);
        }
    }

    /// M r with the acceleration in the rows r of translations: exact if every row belongs to a node.
    fn add_gravity_of_matrices(&self, u: &mut [f64], [gx, gy, gz]: [f64; 3]) -> Result<(), String> {
        for (name, part) in &self.geometry.parts {
            let Some(matrices) = &part.mesh.matrices else { continue };
            let n_internal = matrices.internal_rows().count();
            if n_internal > 0 {
                return Err(format!(
                    "part `{name}` has {n_internal} internal coordinates whose motion is not known, \
                     so neither is its weight; give it as forces"
                ));
            }
            let mut acceleration = vec![0.0; matrices.size];
            for rows in &matrices.rows {
                for (row, value) in rows.iter().zip([gx, gy, 0.0, gz]) {
                    row.iter().for_each(|row| acceleration[*row] = value);
                }
            }
            let numbers = self.dofs.matrix_rows(part.first_node);
            for &(i, j, mass) in &matrices.mass {
                u[numbers[i]] += mass * acceleration[j];
                if i != j {
                    u[numbers[j]] += mass * acceleration[i];
                }
            }
        }
        Ok(())
    }
}
