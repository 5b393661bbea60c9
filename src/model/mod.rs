//! The model: mass, damping, stiffness, loads and probes of a case.
//!
//! ```text
//!     M ü + C u̇ + K u = f(t) ,   C = αM + βK + dashpots                          (1)
//! ```
//!
//! [`geometry`] puts all nodes into one list, [`elements`] gives cells their properties, [`dofs`]
//! numbers freedoms and eliminates ties and supports, [`assembly`] makes the matrices, [`loads`] and
//! [`probes`] the vectors. [`mechanism`] explains why a model cannot carry a static load, [`doubts`]
//! what the user should know about a case before its results.

use indexmap::IndexMap;

use crate::case::{
    Case, CaseError, CaseFile, CaseSource, ContactState, Freedom, MeshSource, Named, Problem,
};
use crate::linalg::{FactorError, Symbolic};
use crate::memory;
use crate::mesh::{Matrices, Mesh};

pub mod assembly;
pub mod dofs;
mod doubts;
pub mod drives;
pub mod elements;
pub mod geometry;
pub mod interfaces;
pub mod loads;
mod matrices;
pub mod mechanism;
mod names;
pub mod probes;

pub use assembly::{Operator, Operators};
pub use dofs::DofMap;
pub use doubts::doubts;
pub use drives::UnitDrive;
pub use elements::Elements;
pub use geometry::Geometry;
pub use interfaces::{Interface, Pair};
pub use loads::{LoadParts, LoadVectors};
pub use names::load_case;
pub use probes::{ProbeKind, ProbeRow};

/// Everything the analyses work on.
#[derive(Debug)]
pub struct Model {
    /// Nodes, parts and points.
    pub geometry: Geometry,
    /// Elements and their properties.
    pub elements: Elements,
    /// Freedoms.
    pub dofs: DofMap,
    /// M, K and dashpots.
    pub operators: Operators,
    /// Contact interfaces.
    pub interfaces: Vec<Interface>,
    /// Load vectors.
    pub loads: LoadVectors,
    /// Probes by name.
    pub probes: Named<ProbeRow>,
    /// α \[1/s\] and β \[s\] of the Rayleigh damping.
    pub rayleigh: (f64, f64),
}

impl Model {
    /// Builds the model of a case; every problem found on the way is reported.
    pub fn build(file: &CaseFile, contact: ContactState) -> Result<Self, CaseError> {
        let (meshes, problems) = read_meshes(&file.case, &file.source, |_| true);
        if !problems.is_empty() {
            return Err(file.refuse(problems));
        }
        Self::from_meshes(&file.case, meshes, contact).map_err(|problems| file.refuse(problems))
    }

    /// Builds the model on given meshes.
    pub fn from_meshes(
        case: &Case,
        meshes: IndexMap<String, Mesh>,
        contact: ContactState,
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let geometry = Geometry::new(case, meshes);
        names::check_targets(case, &geometry, &mut problems);
        matrices::check(&geometry, &mut problems);
        let mut elements = Elements::new(case, &geometry, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        let has = elements.freedoms(case, &geometry);
        elements.add_lumped(case, &geometry, &has, &mut problems);
        let interfaces = interfaces::build(case, &geometry, &elements, &has, &mut problems);
        let bonded = match contact {
            ContactState::Open => &[][..],
            ContactState::Stuck => &interfaces,
        };
        let dofs = dofs::number_freedoms(case, &geometry, &has, bonded, &mut problems);
        let Some(dofs) = dofs.filter(|_| problems.is_empty()) else { return Err(problems) };
        if dofs.n_free == 0 {
            return Err(vec![Problem::new("supports", "hold every freedom: nothing can move")]);
        }
        let loads =
            loads::LoadBuilder { case, geometry: &geometry, elements: &elements, dofs: &dofs }
                .build(&mut problems);
        let probes =
            probes::ProbeBuilder { geometry: &geometry, dofs: &dofs }.build(case, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        let operators =
            assembly::Assembler { geometry: &geometry, elements: &elements, dofs: &dofs }
                .assemble(!case.is_static());
        let rayleigh = case.damping.as_ref().map_or((0.0, 0.0), |damping| damping.rayleigh());
        Ok(Self { geometry, elements, dofs, operators, interfaces, loads, probes, rayleigh })
    }

    /// Ordering and structure of the factor of K, M and their combinations.
    pub fn symbolic(&self) -> Result<Symbolic, FactorError> {
        let symbolic = Symbolic::analyse(self.operators.stiffness.free.pattern());
        memory::give_back();
        symbolic
    }

    /// C of (1) without modal damping, or nothing if it vanishes.
    pub fn damping(&self) -> Option<Operator> {
        let (alpha, beta) = self.rayleigh;
        let Operators { stiffness, mass, dashpots } = &self.operators;
        let proportional =
            (alpha != 0.0 || beta != 0.0).then(|| mass.combine(alpha, stiffness, beta));
        match (proportional, dashpots) {
            (Some(proportional), Some(dashpots)) => Some(proportional.combine(1.0, dashpots, 1.0)),
            (proportional, dashpots) => proportional.or_else(|| dashpots.clone()),
        }
    }

    /// Mean stress σx, σy, τxy and its von Mises equivalent in every quadrilateral \[Pa\].
    pub fn stress(&self, displacement: &[[f64; 4]]) -> Vec<[f64; 4]> {
        let of = |quad: &elements::Quad| {
            let plane = &self.elements.planes[quad.property];
            let s = self.elements.stress(quad, &self.geometry, displacement);
            [s[0], s[1], s[2], plane.material.von_mises(plane.state, &s)]
        };
        self.elements.quads.iter().map(of).collect()
    }

    /// Weighted forces of K, C (if `is_damped`) and M at freedoms of u, as rows over q.
    fn nodal_force_rows(&self, wanted: &[(usize, f64)], is_damped: bool) -> [Vec<(usize, f64)>; 3] {
        let Self { geometry, elements, dofs, .. } = self;
        let [k, c, m] =
            assembly::Assembler { geometry, elements, dofs }.force_rows(wanted, self.rayleigh);
        [k, if is_damped { c } else { vec![] }, m]
    }

    /// Number of free freedoms with mass: no model has more modes.
    pub fn n_massive(&self) -> usize {
        self.operators.mass.free.diagonal().iter().filter(|mass| **mass > 0.0).count()
    }

    /// Mass of the whole model in translation along x, y or z, whichever is largest \[kg\].
    pub fn total_mass(&self) -> f64 {
        let along = |freedom: Freedom| {
            let own = self.elements.masses.iter().filter(|mass| mass.freedom == freedom);
            own.map(|mass| mass.mass).sum::<f64>()
        };
        let lumped = Freedom::TRANSLATIONS.map(along).into_iter().fold(0.0, f64::max);
        let quads = self.elements.quads.iter().map(|quad| {
            let plane = &self.elements.planes[quad.property];
            let [a, b, c, d] = quad.nodes.map(|node| self.geometry.coordinates[node]);
            let area = 0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (d[0] - b[0]) * (c[1] - a[1]));
            plane.material.density * plane.thickness * area
        });
        let beams = self.elements.beams.iter().map(|beam| {
            let ends = beam.nodes.map(|node| self.geometry.coordinates[node]);
            let section = &self.elements.beam_sections[beam.property];
            section.mass_per_length * crate::element::beam2::length(&ends)
        });
        let matrices = self.geometry.parts.values().filter_map(|part| part.mesh.matrices.as_ref());
        let matrices = matrices.map(Matrices::mass_along_x).sum::<f64>();
        quads.sum::<f64>() + beams.sum::<f64>() + lumped + matrices
    }
}

/// Meshes of the parts whose source is wanted, and the problems of those that cannot be read.
fn read_meshes(
    case: &Case,
    source: &CaseSource,
    is_wanted: impl Fn(&MeshSource) -> bool,
) -> (IndexMap<String, Mesh>, Vec<Problem>) {
    let mut meshes = IndexMap::new();
    let mut problems = Vec::new();
    for (name, part) in case.parts.iter().filter(|(_, part)| is_wanted(&part.mesh)) {
        match Mesh::of_part(name, part, source) {
            Ok(mesh) => {
                meshes.insert(name.clone(), mesh);
            }
            Err(found) => problems.extend(found),
        }
    }
    (meshes, problems)
}
