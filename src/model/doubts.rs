//! What a case can mean but rarely does: it is computed as it stands, and the user is told.
//!
//! ```text
//! The node nearest to a place is far if, with l the longest side of the cells around it and L the size of the
//! part,
//!
//!     distance > 2 l (without cells: L/10)   or   the place lies more than L/10 outside of the part's box.   (1)
//! ```

use super::geometry::{Geometry, PartGeometry};
use crate::case::{Case, Load, Part, Problem, Section, Vector};

/// Sides of cells and part of the size in (1).
const MAX_SIDES: f64 = 2.0;
const MAX_SHARE: f64 = 0.1;

/// What is doubtful about a case, each with its key.
pub fn doubts(case: &Case, geometry: &Geometry) -> Vec<Problem> {
    let mut found = far_nodes(case, geometry);
    found.extend(weightless(case, geometry));
    found
}

/// Selectors `nearest` whose node is far from the wanted place.
fn far_nodes(case: &Case, geometry: &Geometry) -> Vec<Problem> {
    let mut found = Vec::new();
    for (name, part) in &geometry.parts {
        for (set, selection) in &case.parts[name].sets {
            let Some(wanted) = selection.nearest else { continue };
            let node = part.mesh.sets[set].nodes[0];
            if is_far(part, wanted, node) {
                let path = format!("parts.{name}.sets.{set}.nearest");
                found.push(Problem::new(path, describe(geometry, part, wanted, node)));
            }
        }
    }
    found
}

/// Condition (1).
fn is_far(part: &PartGeometry, wanted: Vector, node: usize) -> bool {
    let share = MAX_SHARE * part.mesh.size();
    let reach = part.mesh.longest_side(node).map_or(share, |side| MAX_SIDES * side);
    // A part of one node has no size: rounding must not make its place a far one.
    let rounding = 1e-9 * wanted.length();
    part.mesh.distance(node, wanted) > reach + rounding
        || part.mesh.distance_outside(wanted) > share + rounding
}

fn describe(geometry: &Geometry, part: &PartGeometry, wanted: Vector, node: usize) -> String {
    let place: Vec<String> = Vec::from(wanted).iter().map(f64::to_string).collect();
    format!(
        "the place ({}) is far from every node: the nearest, {}, is {:.3e} m away and is taken; correct the place \
         (in metres, after the `scale` of a mesh file), or give that of the node if it is meant",
        place.join(", "),
        geometry.describe(part.first_node + node),
        part.mesh.distance(node, wanted)
    )
}

/// Parts without mass in a case with gravity.
fn weightless(case: &Case, geometry: &Geometry) -> Vec<Problem> {
    let acts =
        |load: &Load| matches!(load, Load::Gravity { acceleration } if acceleration.length() > 0.0);
    let mut found = Vec::new();
    for (i, _) in case.loads.iter().enumerate().filter(|(_, load)| acts(load)) {
        for (name, part) in &case.parts {
            let massless = massless(case, part, &geometry.parts[name]);
            found.extend(massless.into_iter().map(|why| {
                let message = format!("gravity does not act on part `{name}`: {why}");
                Problem::new(format!("loads[{i}]"), message)
            }));
        }
    }
    found
}

/// Why a part, or what of it is made of a material, has no mass.
fn massless(case: &Case, part: &Part, geometry: &PartGeometry) -> Vec<String> {
    if let Some(matrices) = &geometry.mesh.matrices {
        let is_zero = matrices.mass.iter().all(|(_, _, mass)| *mass == 0.0);
        return if is_zero { vec!["its mass matrix is zero".into()] } else { vec![] };
    }
    let materials = part.sections.iter().map(Section::material);
    let mut massless: Vec<&str> =
        materials.filter(|name| case.materials[*name].density == 0.0).collect();
    massless.sort_unstable();
    massless.dedup();
    let why = |name: &str| {
        format!(
            "its material `{name}` has no density; give `materials.{name}.density` [kg/m3] if it has weight"
        )
    };
    massless.into_iter().map(why).collect()
}
