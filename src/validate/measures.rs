//! Quantities that no case file can express: patch tests and convergence rates of the elements.
//!
//! All use the unit square, meshed with n × n cells whose inner nodes are moved:
//!
//! ```text
//!     x = ξ + a sin(2πξ) sin(πη) ,   y = η + a sin(πξ) sin(2πη)                   (1)
//! ```
//!
//! Manufactured solution: u = (sin πx cos πy, y² cos πx), with the body force b = −div σ(u) and u
//! itself on the boundary. Its errors are
//!
//! ```text
//!     e_L2² = ∫ |u − u_h|² dA ,   e_E² = ∫ (ε − ε_h)ᵀ D (ε − ε_h) dA ,            (2)
//!     rate = log₂( e(n) / e(2n) ) .
//! ```
//!
//! Modes of the square on frictionless walls: the lowest is the shear mode ω² = 2π² G/ρ.   (3)

use std::f64::consts::PI;

use indexmap::IndexMap;
use nalgebra::{Matrix3, SVector, Vector3};
use serde::Deserialize;

use crate::case::{
    Block, BlockEdges, Case, Cells, ContactState, Direction, ElementKind, Freedom, MaterialTable,
    MeshSource, Part, PlaneStateName, Positive, Section, Support,
};
use crate::element::quad4::{self, StrainField};
use crate::friction::larger;
use crate::linear::{ModeRange, modes, statics};
use crate::mesh::{Mesh, structured};
use crate::model::Model;
use crate::model::elements::Quad;
use crate::progress::Silent;

const YOUNG: f64 = 1.0;
const POISSON: f64 = 0.3;
/// Amplitude a of (1).
const DISTORTION: f64 = 0.08;

/// A measured property of an element.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    measure: Kind,
    element: ElementKind,
    state: PlaneStateName,
    /// Cells along the side, for rates of the coarser mesh.
    #[serde(default = "eight")]
    cells: usize,
}

fn eight() -> usize {
    8
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// Largest relative error of nodal displacement under a linear displacement of the boundary.
    PatchTest,
    /// Number of motions of one distorted element that cost no energy.
    ZeroEnergyModes,
    /// Rate of e_L2.
    DisplacementRate,
    /// Rate of e_E.
    EnergyRate,
    /// Rate of the error of the lowest natural frequency against (3).
    FrequencyRate,
}

impl Measure {
    /// Computes it.
    pub fn value(&self) -> f64 {
        match self.measure {
            Kind::PatchTest => self.patch_test(),
            Kind::ZeroEnergyModes => self.zero_energy_modes(),
            Kind::DisplacementRate => self.rate(|n| self.errors(n).0),
            Kind::EnergyRate => self.rate(|n| self.errors(n).1),
            Kind::FrequencyRate => self.rate(|n| self.frequency_error(n)),
        }
    }

    fn rate(&self, error: impl Fn(usize) -> f64) -> f64 {
        (error(self.cells) / error(2 * self.cells)).log2()
    }

    /// The unit square with the given supports on its four edges.
    fn model(&self, cells: usize, supports: Vec<Support>) -> Model {
        let name = |edge: &str| Some(edge.to_string());
        let block = Block {
            name: "body".into(),
            corners: [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            cells: [Cells(cells); 2],
            grading: [Positive(1.0); 2],
            edges: BlockEdges {
                bottom: name("bottom"),
                right: name("right"),
                top: name("top"),
                left: name("left"),
            },
        };
        let mut mesh =
            structured::generate(std::slice::from_ref(&block), &[], None).expect("a valid block");
        distort(&mut mesh);
        let section = Section::Plane {
            group: None,
            material: "m".into(),
            state: self.state,
            thickness: 1.0,
            element: self.element,
            mass: Default::default(),
        };
        let material = MaterialTable { young: YOUNG, poisson: POISSON, density: 1.0 };
        let source =
            MeshSource::Structured { blocks: vec![block], lines: vec![], merge_tolerance: None };
        let part = Part { mesh: source, sections: vec![section], sets: IndexMap::new() };
        let case = Case {
            materials: IndexMap::from([("m".into(), material)]),
            parts: IndexMap::from([("p".into(), part)]),
            supports,
            ..Case::empty()
        };
        Model::from_meshes(&case, IndexMap::from([("p".into(), mesh)]), ContactState::Open)
            .expect("a valid model")
    }

    /// Clamped all round, to be given boundary values afterwards.
    fn enclosed(&self, cells: usize) -> Model {
        let clamp = |edge: &str| Support::Clamp { on: format!("p.{edge}") };
        self.model(cells, ["bottom", "right", "top", "left"].map(clamp).to_vec())
    }

    fn patch_test(&self) -> f64 {
        let linear = |[x, y]: [f64; 2]| [1e-3 * (2.0 * x - 0.5 * y + 1.0), 1e-3 * (x + 0.7 * y)];
        let mut model = self.enclosed(self.cells);
        prescribe(&mut model, linear);
        let u = displacement(&model);
        let scale = 1e-3;
        let errors = model.geometry.coordinates.iter().zip(&u).map(|(position, u)| {
            let exact = linear(*position);
            (u[0] - exact[0]).abs().max((u[1] - exact[1]).abs())
        });
        errors.fold(0.0, larger) / scale
    }

    fn zero_energy_modes(&self) -> f64 {
        let model = self.enclosed(2);
        let quad = &model.elements.quads[0];
        let plane = &model.elements.planes[quad.property];
        let corners = quad.nodes.map(|node| model.geometry.coordinates[node]);
        let stiffness = quad4::stiffness(&corners, &plane.elasticity, 1.0, plane.formulation);
        let values = stiffness.symmetric_eigenvalues();
        let limit = 1e-12 * values.max();
        values.iter().filter(|value| value.abs() <= limit).count() as f64
    }

    /// e_L2 and e_E of (2).
    fn errors(&self, cells: usize) -> (f64, f64) {
        let mut model = self.enclosed(cells);
        let elasticity = model.elements.planes[0].elasticity;
        add_body_force(&mut model, &elasticity);
        prescribe(&mut model, exact::displacement);
        let u = displacement(&model);
        let (mut l2, mut energy) = (0.0, 0.0);
        for quad in &model.elements.quads {
            let (a, b) = element_errors(&model, quad, &u);
            l2 += a;
            energy += b;
        }
        (l2.sqrt(), energy.sqrt())
    }

    fn frequency_error(&self, cells: usize) -> f64 {
        let wall = |edge: &str, freedom| Support::Roller {
            on: format!("p.{edge}"),
            direction: Direction::Named(freedom),
        };
        let model = self.model(
            cells,
            vec![
                wall("left", Freedom::X),
                wall("right", Freedom::X),
                wall("bottom", Freedom::Y),
                wall("top", Freedom::Y),
            ],
        );
        let symbolic = model.symbolic().expect("a small model");
        let solution = modes::solve(&model, &symbolic, ModeRange::Count(1), &mut Silent)
            .expect("a regular model");
        let exact = PI * (2.0 * model.elements.planes[0].elasticity[(2, 2)]).sqrt();
        (solution.eigenvalues[0].sqrt() - exact).abs() / exact
    }
}

/// Equation (1); the boundary stays where it is.
fn distort(mesh: &mut Mesh) {
    for node in &mut mesh.nodes {
        let [s, t] = *node;
        node[0] += DISTORTION * (2.0 * PI * s).sin() * (PI * t).sin();
        node[1] += DISTORTION * (PI * s).sin() * (2.0 * PI * t).sin();
    }
}

/// Gives the prescribed freedoms the values of a field.
fn prescribe(model: &mut Model, field: impl Fn([f64; 2]) -> [f64; 2]) {
    for (node, position) in model.geometry.coordinates.iter().enumerate() {
        let values = field(*position);
        for (freedom, value) in [Freedom::X, Freedom::Y].into_iter().zip(values) {
            let number = model.dofs.number(node, freedom).expect("plane nodes move in x and y");
            let (index, _) = model.dofs.terms(number)[0];
            if index >= model.dofs.n_free {
                model.dofs.static_values[index - model.dofs.n_free] = value;
            }
        }
    }
}

fn displacement(model: &Model) -> Vec<[f64; 4]> {
    let symbolic = model.symbolic().expect("a small model");
    let solution = statics::solve(model, &symbolic).expect("a regular model");
    model.dofs.expand(&solution.displacement)
}

/// Points and weights of the 3 × 3 Gauss rule: one order above what the element itself uses.
fn fine_gauss() -> Vec<([f64; 2], f64)> {
    let g = 0.6f64.sqrt();
    let line = [(-g, 5.0 / 9.0), (0.0, 8.0 / 9.0), (g, 5.0 / 9.0)];
    line.iter().flat_map(|a| line.iter().map(move |b| ([a.0, b.0], a.1 * b.1))).collect()
}

fn position(corners: &quad4::Corners, point: [f64; 2]) -> [f64; 2] {
    let n = quad4::shape(point);
    let axis = |a: usize| (0..4).map(|i| n[i] * corners[i][a]).sum();
    [axis(0), axis(1)]
}

fn add_body_force(model: &mut Model, elasticity: &Matrix3<f64>) {
    let mut forces = std::mem::take(&mut model.loads.nodal_constant);
    for quad in &model.elements.quads {
        let corners = quad.nodes.map(|node| model.geometry.coordinates[node]);
        for (point, weight) in fine_gauss() {
            let area = weight * quad4::jacobian(&corners, point).determinant();
            let [bx, by] = exact::body_force(elasticity, position(&corners, point));
            for (node, n) in quad.nodes.into_iter().zip(quad4::shape(point)) {
                model.dofs.add(&mut forces, node, Freedom::X, area * n * bx);
                model.dofs.add(&mut forces, node, Freedom::Y, area * n * by);
            }
        }
    }
    model.loads.constant = model.dofs.project(&forces);
    model.loads.nodal_constant = forces;
}

/// Contributions of one element to (2).
fn element_errors(model: &Model, quad: &Quad, u: &[[f64; 4]]) -> (f64, f64) {
    let plane = &model.elements.planes[quad.property];
    let corners = quad.nodes.map(|node| model.geometry.coordinates[node]);
    let values = quad.nodes.iter().flat_map(|node| [u[*node][0], u[*node][1]]);
    let local = SVector::<f64, 8>::from_iterator(values);
    let strain = StrainField::new(&corners, &plane.elasticity, plane.formulation, &local);
    let (mut l2, mut energy) = (0.0, 0.0);
    for (point, weight) in fine_gauss() {
        let area = weight * quad4::jacobian(&corners, point).determinant();
        let place = position(&corners, point);
        let n = quad4::shape(point);
        let exact_u = exact::displacement(place);
        for axis in 0..2 {
            let ours: f64 = (0..4).map(|i| n[i] * local[2 * i + axis]).sum();
            l2 += area * (ours - exact_u[axis]).powi(2);
        }
        let error = strain.at(point) - exact::strain(place);
        energy += area * (error.transpose() * plane.elasticity * error)[0];
    }
    (l2, energy)
}

/// The manufactured solution.
mod exact {
    use super::*;

    pub fn displacement([x, y]: [f64; 2]) -> [f64; 2] {
        [(PI * x).sin() * (PI * y).cos(), y * y * (PI * x).cos()]
    }

    pub fn strain([x, y]: [f64; 2]) -> Vector3<f64> {
        let (sx, cx) = (PI * x).sin_cos();
        let (sy, cy) = (PI * y).sin_cos();
        Vector3::new(PI * cx * cy, 2.0 * y * cx, -PI * sx * sy - PI * y * y * sx)
    }

    /// −div σ with σ = D ε.
    pub fn body_force(d: &Matrix3<f64>, [x, y]: [f64; 2]) -> [f64; 2] {
        let (sx, cx) = (PI * x).sin_cos();
        let (sy, cy) = (PI * y).sin_cos();
        // Second derivatives of u = (sin πx cos πy, y² cos πx).
        let (uxx, uxy, uyy) = (-PI * PI * sx * cy, -PI * PI * cx * sy, -PI * PI * sx * cy);
        let (vxx, vxy, vyy) = (-PI * PI * y * y * cx, -2.0 * PI * y * sx, 2.0 * cx);
        let (d11, d12, d33) = (d[(0, 0)], d[(0, 1)], d[(2, 2)]);
        [-(d11 * uxx + d12 * vxy + d33 * (uyy + vxy)), -(d33 * (uxy + vxx) + d12 * uxy + d11 * vyy)]
    }
}
