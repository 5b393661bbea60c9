//! Elements of the model: cells with their properties, masses, springs.

use std::collections::HashMap;

use nalgebra::{Matrix3, SVector, Vector3};

use super::geometry::{Geometry, PartGeometry};
use super::names::check_group;
use crate::case::{Case, ElementKind, Freedom, MassMatrix, Part, PlaneStateName, Problem, Section};
use crate::element::MassKind;
use crate::element::beam2;
use crate::element::quad4::{self, Formulation};
use crate::material::{Material, PlaneState};
use crate::mesh::{Shape, sorted};

/// A quadrilateral with its nodes in the model.
#[derive(Debug, Clone, Copy)]
pub struct Quad {
    /// Corners, counter-clockwise.
    pub nodes: [usize; 4],
    /// Index into [`Elements::planes`].
    pub property: usize,
}

/// A beam with its nodes in the model.
#[derive(Debug, Clone, Copy)]
pub struct Beam {
    /// Ends.
    pub nodes: [usize; 2],
    /// Index into [`Elements::beam_sections`].
    pub property: usize,
}

/// Property of quadrilaterals.
#[derive(Debug, Clone, Copy)]
pub struct Plane {
    /// Material.
    pub material: Material,
    /// Plane stress or strain.
    pub state: PlaneState,
    /// Elasticity matrix \[Pa\].
    pub elasticity: Matrix3<f64>,
    /// Thickness \[m\].
    pub thickness: f64,
    /// Plain or incompatible modes.
    pub formulation: Formulation,
    /// Consistent or lumped.
    pub mass: MassKind,
}

/// Property of beams.
#[derive(Debug, Clone, Copy)]
pub struct BeamSection {
    /// Axial stiffness EA \[N\].
    pub axial: f64,
    /// Bending stiffness EI \[N·m²\].
    pub bending: f64,
    /// Mass per length ρA \[kg/m\].
    pub mass_per_length: f64,
    /// Consistent or lumped.
    pub mass: MassKind,
}

/// A mass on one freedom of a node.
#[derive(Debug, Clone, Copy)]
pub struct PointMass {
    /// The node.
    pub node: usize,
    /// The freedom.
    pub freedom: Freedom,
    /// Mass \[kg\] or rotary inertia \[kg·m²\].
    pub mass: f64,
}

/// A spring and dashpot between two nodes, or one node and the ground.
#[derive(Debug, Clone)]
pub struct SpringElement {
    /// Its ends; one for a spring to ground.
    pub nodes: Vec<usize>,
    /// Its freedoms at each end, with their weights.
    pub direction: Vec<(Freedom, f64)>,
    /// Stiffness \[N/m\] or \[N·m/rad\].
    pub stiffness: f64,
    /// Damping \[N·s/m\] or \[N·m·s/rad\].
    pub damping: f64,
}

/// All elements.
#[derive(Debug, Default)]
pub struct Elements {
    /// Quadrilaterals.
    pub quads: Vec<Quad>,
    /// Properties of the quadrilaterals.
    pub planes: Vec<Plane>,
    /// Beams.
    pub beams: Vec<Beam>,
    /// Properties of the beams.
    pub beam_sections: Vec<BeamSection>,
    /// Point masses.
    pub masses: Vec<PointMass>,
    /// Springs and dashpots.
    pub springs: Vec<SpringElement>,
}

impl Elements {
    /// Collects the elements of a case.
    pub(super) fn new(case: &Case, geometry: &Geometry, problems: &mut Vec<Problem>) -> Self {
        let mut elements = Self::default();
        for (name, part) in &case.parts {
            elements.add_part(case, name, part, &geometry.parts[name], problems);
        }
        elements
    }

    /// Which freedoms each node has.
    pub(super) fn freedoms(&self, case: &Case, geometry: &Geometry) -> Vec<[bool; 4]> {
        let mut has = vec![[false; 4]; geometry.coordinates.len()];
        for node in self.quads.iter().flat_map(|quad| quad.nodes) {
            has[node][0] = true;
            has[node][1] = true;
        }
        for node in self.beams.iter().flat_map(|beam| beam.nodes) {
            Freedom::PLANE.iter().for_each(|freedom| has[node][*freedom as usize] = true);
        }
        for part in geometry.parts.values() {
            let rows = part.mesh.matrices.iter().flat_map(|matrices| &matrices.rows);
            for (node, rows) in has[part.first_node..].iter_mut().zip(rows) {
                *node = std::array::from_fn(|freedom| rows[freedom].is_some());
            }
        }
        for (name, point) in &case.points {
            for freedom in &point.freedoms {
                has[geometry.points[name]][*freedom as usize] = true;
            }
        }
        has
    }

    fn add_part(
        &mut self,
        case: &Case,
        name: &str,
        part: &Part,
        geometry: &PartGeometry,
        problems: &mut Vec<Problem>,
    ) {
        let path = format!("parts.{name}");
        let sections = self.add_sections(case, &path, part, geometry, problems);
        let mut unassigned: HashMap<&str, usize> = HashMap::new();
        let mut used = vec![geometry.mesh.matrices.is_some(); geometry.mesh.nodes.len()];
        for cell in &geometry.mesh.cells {
            let is_line = matches!(cell.shape, Shape::Line(_));
            let Some(property) = sections[cell.group][is_line as usize] else {
                // Lines without a section are the named edges of a Gmsh mesh.
                if !is_line {
                    let group = geometry.mesh.groups[cell.group].as_str();
                    *unassigned.entry(group).or_default() += 1;
                }
                continue;
            };
            cell.shape.nodes().iter().for_each(|node| used[*node] = true);
            if let Err(message) = self.add_cell(cell.shape, property, geometry) {
                let message = format!("cell {} {message}", cell.id);
                problems.push(Problem::new(format!("{path}.mesh"), message));
            }
        }
        for (group, count) in unassigned {
            let message =
                format!("no plane section covers the {count} quadrilaterals of group `{group}`");
            problems.push(Problem::new(format!("{path}.sections"), message));
        }
        if let Some(node) = used.iter().position(|used| !used)
            && problems.is_empty()
        {
            let count = used.iter().filter(|used| !**used).count();
            let id = geometry.mesh.node_ids[node];
            let message =
                format!("node {id} (one of {count}) belongs to no element with a section");
            problems.push(Problem::new(format!("{path}.mesh"), message));
        }
    }

    /// Stores the sections of a part; for each cell group, the property of its quads and lines.
    fn add_sections(
        &mut self,
        case: &Case,
        path: &str,
        part: &Part,
        geometry: &PartGeometry,
        problems: &mut Vec<Problem>,
    ) -> Vec<[Option<usize>; 2]> {
        let mut named: HashMap<(&str, bool), usize> = HashMap::new();
        let mut general = [None; 2];
        for (i, section) in part.sections.iter().enumerate() {
            if let Some(message) = check_group(section, &geometry.mesh.groups) {
                problems.push(Problem::new(format!("{path}.sections[{i}].group"), message));
            }
            let table = &case.materials[section.material()];
            let material =
                Material { young: table.young, poisson: table.poisson, density: table.density };
            let (is_line, property) = match section {
                Section::Plane { state, thickness, element, mass, .. } => {
                    self.planes.push(plane(material, *state, *thickness, *element, *mass));
                    (false, self.planes.len() - 1)
                }
                Section::Beam { height, width, area, second_moment, mass, .. } => {
                    let rectangle = height.zip(*width).map(|(h, w)| (h * w, w * h.powi(3) / 12.0));
                    let Some((area, moment)) = rectangle.or(area.zip(*second_moment)) else {
                        continue; // Refused when the case was checked.
                    };
                    self.beam_sections.push(BeamSection {
                        axial: material.young * area,
                        bending: material.young * moment,
                        mass_per_length: material.density * area,
                        mass: mass_kind(*mass),
                    });
                    (true, self.beam_sections.len() - 1)
                }
            };
            match section.group() {
                Some(group) => named.insert((group, is_line), property),
                None => general[is_line as usize].replace(property),
            };
        }
        let lookup = |group: &String| {
            [false, true].map(|is_line| {
                let own = named.get(&(group.as_str(), is_line)).copied();
                own.or(general[is_line as usize])
            })
        };
        geometry.mesh.groups.iter().map(lookup).collect()
    }

    fn add_cell(
        &mut self,
        shape: Shape,
        property: usize,
        geometry: &PartGeometry,
    ) -> Result<(), String> {
        let first = geometry.first_node;
        let nodes = &geometry.mesh.nodes;
        match shape {
            Shape::Quad(corners) => {
                let jacobian = quad4::smallest_corner_jacobian(&corners.map(|i| nodes[i]));
                if jacobian.is_nan() || jacobian <= 0.0 {
                    let [x, y] = nodes[corners[0]];
                    return Err(format!(
                        "near ({x}, {y}) has a corner Jacobian of {jacobian:.3e} m²: corners must be \
                         counter-clockwise and convex"
                    ));
                }
                self.quads.push(Quad { nodes: corners.map(|i| first + i), property });
            }
            Shape::Line(ends) => {
                let length = beam2::length(&ends.map(|i| nodes[i]));
                if length.is_nan() || length <= 0.0 {
                    return Err("has no length".into());
                }
                self.beams.push(Beam { nodes: ends.map(|i| first + i), property });
            }
        }
        Ok(())
    }

    /// Adds the masses and springs of the case, once the freedoms of the nodes are known.
    pub(super) fn add_lumped(
        &mut self,
        case: &Case,
        geometry: &Geometry,
        has: &[[bool; 4]],
        problems: &mut Vec<Problem>,
    ) {
        for (name, point) in &case.points {
            self.add_mass(geometry.points[name], point.mass, point.inertia, has);
        }
        for (i, mass) in case.masses.iter().enumerate() {
            let path = format!("masses[{i}]");
            match geometry.nodes(&mass.on) {
                Err(message) => problems.push(Problem::new(format!("{path}.on"), message)),
                Ok(nodes) => {
                    if mass.inertia > 0.0 && nodes.iter().any(|node| !has[*node][2]) {
                        let message = "the nodes have no rotation to carry it";
                        problems.push(Problem::new(format!("{path}.inertia"), message));
                    }
                    let share = nodes.len() as f64;
                    for node in nodes {
                        self.add_mass(node, mass.mass / share, mass.inertia / share, has);
                    }
                }
            }
        }
        for (i, spring) in case.springs.iter().enumerate() {
            let path = format!("springs[{i}]");
            let mut nodes = Vec::new();
            let direction: Vec<(Freedom, f64)> = spring.direction.freedoms().collect();
            for (end, target) in spring.between.iter().enumerate() {
                if target == "ground" {
                    continue;
                }
                match geometry.node(target) {
                    Ok(node) => nodes.push(node),
                    Err(message) => {
                        problems.push(Problem::new(format!("{path}.between[{end}]"), message))
                    }
                }
            }
            for &node in &nodes {
                let lacks = |(freedom, _): &&(Freedom, f64)| !has[node][*freedom as usize];
                if let Some((freedom, _)) = direction.iter().find(lacks) {
                    let node = geometry.describe(node);
                    let message = format!("{node} has no freedom `{}`", freedom.name());
                    problems.push(Problem::new(format!("{path}.direction"), message));
                }
            }
            let (stiffness, damping) = (spring.stiffness, spring.damping);
            self.springs.push(SpringElement { nodes, direction, stiffness, damping });
        }
    }

    fn add_mass(&mut self, node: usize, mass: f64, inertia: f64, has: &[[bool; 4]]) {
        for (freedom, mass) in Freedom::ALL.into_iter().zip([mass, mass, inertia, mass]) {
            if mass > 0.0 && has[node][freedom as usize] {
                self.masses.push(PointMass { node, freedom, mass });
            }
        }
    }

    /// Boundary edges of a part by their sorted nodes: counter-clockwise, with the thickness there.
    pub fn boundary_edges(&self, part: &PartGeometry) -> HashMap<[usize; 2], ([usize; 2], f64)> {
        let range = part.first_node..part.first_node + part.mesh.nodes.len();
        let mut edges: HashMap<[usize; 2], ([usize; 2], f64, usize)> = HashMap::new();
        for quad in self.quads.iter().filter(|quad| range.contains(&quad.nodes[0])) {
            let thickness = self.planes[quad.property].thickness;
            let [a, b, c, d] = quad.nodes;
            for edge in [[a, b], [b, c], [c, d], [d, a]] {
                let entry = edges.entry(sorted(edge)).or_insert((edge, thickness, 0));
                entry.2 += 1;
            }
        }
        let boundary = edges.into_iter().filter(|(_, (_, _, count))| *count == 1);
        boundary.map(|(key, (edge, thickness, _))| (key, (edge, thickness))).collect()
    }

    /// Mean stress (σx, σy, τxy) of a quadrilateral \[Pa\], for displacements of all nodes.
    pub fn stress(&self, quad: &Quad, geometry: &Geometry, u: &[[f64; 4]]) -> Vector3<f64> {
        let plane = &self.planes[quad.property];
        let corners = quad.nodes.map(|node| geometry.coordinates[node]);
        let values = quad.nodes.iter().flat_map(|node| [u[*node][0], u[*node][1]]);
        let local = SVector::<f64, 8>::from_iterator(values);
        quad4::mean_stress(&corners, &plane.elasticity, plane.formulation, &local)
    }
}

fn plane(
    material: Material,
    state: PlaneStateName,
    thickness: f64,
    element: ElementKind,
    mass: MassMatrix,
) -> Plane {
    let state = match state {
        PlaneStateName::Stress => PlaneState::Stress,
        PlaneStateName::Strain => PlaneState::Strain,
    };
    let formulation = match element {
        ElementKind::Quad4 => Formulation::Plain,
        ElementKind::Quad4Incompatible => Formulation::Incompatible,
    };
    let elasticity = material.elasticity(state);
    Plane { material, state, elasticity, thickness, formulation, mass: mass_kind(mass) }
}

fn mass_kind(mass: MassMatrix) -> MassKind {
    match mass {
        MassMatrix::Consistent => MassKind::Consistent,
        MassMatrix::Lumped => MassKind::Lumped,
    }
}
