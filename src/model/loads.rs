//! Loads as vectors over the independent freedoms.
//!
//! ```text
//! Edge with ends 1, 2, length l and thickness t under the traction τ: each end gets τ l t / 2.
//! Pressure p is the traction −p n with n the outward normal. Gravity g gives M (g_x, g_y, 0).
//! ```

use std::collections::HashMap;

use num_complex::Complex;

use super::dofs::DofMap;
use super::elements::Elements;
use super::geometry::Geometry;
use crate::case::{Case, Freedom, Load, Problem, Variation};
use crate::element::{MassKind, beam2, quad4};
use crate::mesh::sorted;

/// Static and harmonic load vectors over (q_f, q_c) \[N or N·m\].
#[derive(Debug, Clone)]
pub struct LoadVectors {
    /// Constant loads.
    pub constant: Vec<f64>,
    /// Complex amplitudes of vibrating loads.
    pub harmonic: Vec<Complex<f64>>,
    /// Complex amplitude of the only harmonic force, for responses per force \[N\].
    pub reference_force: Option<Complex<f64>>,
}

pub(super) struct LoadBuilder<'a> {
    pub case: &'a Case,
    pub geometry: &'a Geometry,
    pub elements: &'a Elements,
    pub dofs: &'a DofMap,
}

impl LoadBuilder<'_> {
    pub fn build(&self, problems: &mut Vec<Problem>) -> LoadVectors {
        let size = self.dofs.n_free + self.dofs.n_prescribed();
        let mut loads = LoadVectors {
            constant: vec![0.0; size],
            harmonic: vec![Complex::new(0.0, 0.0); size],
            reference_force: None,
        };
        for (i, load) in self.case.loads.iter().enumerate() {
            let vector = match self.vector(load, size) {
                Ok(vector) => vector,
                Err(message) => {
                    problems.push(Problem::new(format!("loads[{i}]"), message));
                    continue;
                }
            };
            match load.variation() {
                (Variation::Static, _) => {
                    loads.constant.iter_mut().zip(vector).for_each(|(sum, v)| *sum += v);
                }
                (Variation::Harmonic, phase) => {
                    let turn = Complex::from_polar(1.0, phase.to_radians());
                    loads.harmonic.iter_mut().zip(vector).for_each(|(sum, v)| *sum += turn * v);
                    if let Load::Force { force: [x, y], .. } = load {
                        loads.reference_force = Some(turn * x.hypot(*y));
                    }
                }
            }
        }
        loads
    }

    fn vector(&self, load: &Load, size: usize) -> Result<Vec<f64>, String> {
        let mut q = vec![0.0; size];
        match load {
            Load::Force { on, force: [x, y], moment, .. } => {
                let nodes = self.geometry.nodes(on)?;
                let share = 1.0 / nodes.len() as f64;
                for node in nodes {
                    for (freedom, force) in Freedom::ALL.into_iter().zip([x, y, moment]) {
                        let applied = self.dofs.scatter(&mut q, node, freedom, share * force);
                        if !applied && *force != 0.0 {
                            let node = self.geometry.describe(node);
                            return Err(format!("{node} has no freedom `{}`", freedom.name()));
                        }
                    }
                }
            }
            Load::Traction { on, traction, .. } => {
                self.add_edges(&mut q, on, |_| *traction)?;
            }
            Load::Pressure { on, pressure, .. } => {
                self.add_edges(&mut q, on, |[nx, ny]| [-pressure * nx, -pressure * ny])?;
            }
            Load::Gravity { acceleration } => self.add_gravity(&mut q, *acceleration),
        }
        Ok(q)
    }

    /// Adds a traction, given the outward normal, on the edges of a set.
    fn add_edges(
        &self,
        q: &mut [f64],
        on: &str,
        traction: impl Fn([f64; 2]) -> [f64; 2],
    ) -> Result<(), String> {
        let (part, set) = self.geometry.set(on)?;
        if set.edges.is_empty() {
            return Err(format!("the set `{on}` holds no boundary edge of a quadrilateral"));
        }
        let owners: HashMap<[usize; 2], ([usize; 2], f64)> =
            self.boundary_thickness(part.first_node, part);
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
                self.dofs.scatter(q, node, Freedom::X, half * tx);
                self.dofs.scatter(q, node, Freedom::Y, half * ty);
            }
        }
        Ok(())
    }

    /// Boundary edges of a part by their sorted nodes: direction and thickness.
    fn boundary_thickness(
        &self,
        first_node: usize,
        part: &super::geometry::PartGeometry,
    ) -> HashMap<[usize; 2], ([usize; 2], f64)> {
        let range = first_node..first_node + part.mesh.nodes.len();
        let mut edges: HashMap<[usize; 2], ([usize; 2], f64, usize)> = HashMap::new();
        for quad in self.elements.quads.iter().filter(|quad| range.contains(&quad.nodes[0])) {
            let thickness = self.elements.planes[quad.property].thickness;
            let [a, b, c, d] = quad.nodes;
            for edge in [[a, b], [b, c], [c, d], [d, a]] {
                let entry = edges.entry(sorted(edge)).or_insert((edge, thickness, 0));
                entry.2 += 1;
            }
        }
        let boundary = edges.into_iter().filter(|(_, (_, _, count))| *count == 1);
        boundary.map(|(key, (edge, thickness, _))| (key, (edge, thickness))).collect()
    }

    fn add_gravity(&self, q: &mut [f64], [gx, gy]: [f64; 2]) {
        let mut add = |node: usize, mass: f64| {
            self.dofs.scatter(q, node, Freedom::X, mass * gx);
            self.dofs.scatter(q, node, Freedom::Y, mass * gy);
        };
        for quad in &self.elements.quads {
            let plane = &self.elements.planes[quad.property];
            let corners = quad.nodes.map(|node| self.geometry.coordinates[node]);
            let density = plane.material.density * plane.thickness;
            let mass = quad4::mass(&corners, density, MassKind::Lumped);
            (0..4).for_each(|i| add(quad.nodes[i], mass[(2 * i, 2 * i)]));
        }
        for beam in &self.elements.beams {
            let section = &self.elements.beam_sections[beam.property];
            let ends = beam.nodes.map(|node| self.geometry.coordinates[node]);
            let half = 0.5 * section.mass_per_length * beam2::length(&ends);
            beam.nodes.into_iter().for_each(|node| add(node, half));
        }
        for mass in self.elements.masses.iter().filter(|mass| mass.freedom == Freedom::X) {
            self.dofs.scatter(q, mass.node, Freedom::X, mass.mass * gx);
        }
        for mass in self.elements.masses.iter().filter(|mass| mass.freedom == Freedom::Y) {
            self.dofs.scatter(q, mass.node, Freedom::Y, mass.mass * gy);
        }
    }
}
