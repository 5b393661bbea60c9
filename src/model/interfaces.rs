//! Contact interfaces: node pairs with their frames, areas and gaps.
//!
//! ```text
//! Pair of node 1 (first face) and node 2 (second face, or ground):
//!
//!     u_r = u¹ − u² ,   u_N = n·u_r  (> 0 opens) ,   u_T = (t₁·u_r, t₂·u_r) ,      (1)
//!     gap = n·(x¹ − x²) + clearance + crown ,   area = Σ half of the adjacent edges × thickness  (2)
//!     t₁ = n × z / |n × z|  (x if n is along z) ,   t₂ = t₁ × n                    (3)
//!     crown = R − √(R² − s²) ,   s = t₁·(x¹ − middle of the first face)             (4)
//! ```
//!
//! n points from the second body to the first. In the plane t₁ is n turned clockwise, so n = y gives
//! t₁ = x, and t₂ = z matters only where nodes move along z.

use super::elements::Elements;
use super::geometry::Geometry;
use crate::case::{Case, Contact, Freedom, Problem};

/// Components of a unit vector below this are rounding.
const TOL_DIRECTION: f64 = 1e-12;

type Vector = [f64; 3];

/// Two nodes that may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Node of the first face.
    pub first: usize,
    /// Node of the second face; none for ground.
    pub second: Option<usize>,
    /// Unit normal, from the second body to the first.
    pub normal: [f64; 3],
    /// Unit tangents of (3).
    pub tangents: [[f64; 3]; 2],
    /// Contact area \[m²\].
    pub area: f64,
    /// Initial gap \[m\].
    pub gap: f64,
}

/// The pairs of one `[[contact]]` table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interface {
    /// Its pairs, in the order of the first face.
    pub pairs: Vec<Pair>,
}

/// Builds the interfaces of a case.
pub(super) fn build(
    case: &Case,
    geometry: &Geometry,
    elements: &Elements,
    has: &[[bool; 4]],
    problems: &mut Vec<Problem>,
) -> Vec<Interface> {
    let mut interfaces = Vec::new();
    for (i, contact) in case.contact.iter().enumerate() {
        match (Builder { geometry, elements, has }).interface(contact) {
            Ok(interface) => {
                let misfit = coefficients(contact, &interface, geometry);
                problems
                    .extend(misfit.map(|(key, message)| {
                        Problem::new(format!("contact[{i}].{key}"), message)
                    }));
                interfaces.push(interface);
            }
            Err(message) => problems.push(Problem::new(format!("contact[{i}]"), message)),
        }
    }
    interfaces
}

/// What does not fit between the coefficients of a contact and its pairs: the key and why.
fn coefficients(
    contact: &Contact,
    interface: &Interface,
    geometry: &Geometry,
) -> Option<(&'static str, String)> {
    let (kinetic, n) = (&contact.friction, interface.pairs.len());
    if let Some(message) = kinetic.misfit(n) {
        return Some(("friction", message));
    }
    let highest = contact.static_friction.as_ref()?;
    let too_low = || {
        let mut pairs = interface.pairs.iter().enumerate().map(|(number, pair)| {
            let place = geometry.coordinates[pair.first];
            (highest.of(number, place), kinetic.of(number, place))
        });
        let (highest, kinetic) = pairs.find(|(highest, kinetic)| highest < kinetic)?;
        Some(contact.too_low(highest, kinetic))
    };
    let message = highest.misfit(n).or_else(too_low)?;
    Some(("static_friction", message))
}

struct Builder<'a> {
    geometry: &'a Geometry,
    elements: &'a Elements,
    has: &'a [[bool; 4]],
}

impl Builder<'_> {
    fn interface(&self, contact: &Contact) -> Result<Interface, String> {
        let [first, second] = &contact.between;
        let face = self.geometry.nodes(first)?;
        let normals = self.normals(contact, first, &face)?;
        let areas = self.areas(contact, first, &face)?;
        let crowns = self.crowns(contact, &face, &normals)?;
        let others = if second == "ground" { None } else { Some(self.geometry.nodes(second)?) };
        if let Some(others) = &others {
            self.check_overlap(&face, others)?;
        }
        let tolerance = contact.tolerance.unwrap_or_else(|| 1e-6 * self.extent(&face).max(1e-9));
        let mut pairs = Vec::new();
        let mut unmatched = Vec::new();
        for (((&node, normal), area), crown) in face.iter().zip(&normals).zip(&areas).zip(&crowns) {
            let tangents = tangents(*normal);
            let partner = others.as_ref().map(|others| self.partner(node, &tangents, others));
            let distance = match partner {
                Some((_, offset)) if offset > tolerance => {
                    unmatched.push((node, offset));
                    continue;
                }
                Some((partner, _)) => self.along(*normal, node, partner),
                None => 0.0,
            };
            pairs.push(Pair {
                first: node,
                second: partner.map(|(partner, _)| partner),
                normal: *normal,
                tangents,
                area: *area,
                gap: distance + contact.gap + crown,
            });
        }
        if !unmatched.is_empty() {
            return Err(self.describe_unmatched(&unmatched, second, tolerance));
        }
        self.check_distinct(&pairs)?;
        self.check_frames(&pairs)?;
        Ok(Interface { pairs })
    }

    /// The node of the other face nearest to the normal through `node`, and how far off it is.
    fn partner(&self, node: usize, tangents: &[Vector; 2], others: &[usize]) -> (usize, f64) {
        let offset = |other: usize| {
            let [first, second] = tangents.map(|tangent| self.along(tangent, node, other));
            first.hypot(second)
        };
        let nearest = others.iter().copied().min_by(|a, b| offset(*a).total_cmp(&offset(*b)));
        nearest.map_or((node, f64::INFINITY), |other| (other, offset(other)))
    }

    /// direction · (x_a − x_b).
    fn along(&self, direction: Vector, a: usize, b: usize) -> f64 {
        let (a, b) = (self.geometry.position(a), self.geometry.position(b));
        (0..3).map(|axis| direction[axis] * (a[axis] - b[axis])).sum()
    }

    fn extent(&self, nodes: &[usize]) -> f64 {
        let spread = |axis: usize| {
            let values = nodes.iter().map(|node| self.geometry.position(*node)[axis]);
            values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
        };
        spread(0).hypot(spread(1)).hypot(spread(2))
    }

    /// Unit normals of the first face, pointing into its body.
    fn normals(
        &self,
        contact: &Contact,
        target: &str,
        face: &[usize],
    ) -> Result<Vec<Vector>, String> {
        if let Some(normal) = contact.normal {
            let normal = normal.unit().ok_or("the normal must have a length greater than 0")?;
            let normal = without_rounding(normal);
            if let Ok(edges) = self.face_edges(target) {
                self.check_side(normal, target, &edges)?;
            }
            return Ok(vec![normal; face.len()]);
        }
        let edges = self.face_edges(target)?;
        let normal = |node: &usize| {
            let mut sum = [0.0; 2];
            for (edge, _) in edges.iter().filter(|(edge, _)| edge.contains(node)) {
                let [a, b] = edge.map(|node| self.geometry.coordinates[node]);
                // Counter-clockwise edges have their body on the left.
                sum[0] -= b[1] - a[1];
                sum[1] += b[0] - a[0];
            }
            let [x, y] = sum;
            let length = x.hypot(y);
            if length > 0.0 {
                return Ok(without_rounding([x / length, y / length, 0.0]));
            }
            Err(format!("{} has no normal; give `normal`", self.geometry.describe(*node)))
        };
        face.iter().map(normal).collect()
    }

    /// A normal that points out of the body of its face would let the bodies pass through each other.
    fn check_side(
        &self,
        normal: Vector,
        target: &str,
        edges: &[([usize; 2], f64)],
    ) -> Result<(), String> {
        let inward = |(edge, _): &([usize; 2], f64)| {
            let [a, b] = edge.map(|node| self.geometry.coordinates[node]);
            normal[1] * (b[0] - a[0]) - normal[0] * (b[1] - a[1])
        };
        if edges.iter().map(inward).sum::<f64>() > 0.0 {
            return Ok(());
        }
        let [x, y, _] = normal;
        Err(format!(
            "the normal ({x}, {y}) points out of the body of `{target}`, but a normal points from the second face \
             into the first body: give ({}, {}), swap the faces, or leave `normal` out",
            0.0 - x,
            0.0 - y
        ))
    }

    /// Crown (4) of the nodes of the first face.
    fn crowns(
        &self,
        contact: &Contact,
        face: &[usize],
        normals: &[Vector],
    ) -> Result<Vec<f64>, String> {
        let Some(radius) = contact.crown_radius else { return Ok(vec![0.0; face.len()]) };
        let middle = [0, 1, 2].map(|axis| {
            let places = face.iter().map(|node| self.geometry.position(*node)[axis]);
            let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
            0.5 * (low + high)
        });
        let crown = |(node, normal): (&usize, &Vector)| {
            let (position, [along, _]) = (self.geometry.position(*node), tangents(*normal));
            let s: f64 = (0..3).map(|i| along[i] * (position[i] - middle[i])).sum();
            if s.abs() >= radius {
                return Err(format!(
                    "crown_radius = {radius} m, but the face reaches {:.4e} m from its middle: the radius \
                     must be greater; make the face smaller or leave the key out",
                    s.abs()
                ));
            }
            // R − √(R² − s²) without the difference of two large numbers.
            Ok(s * s / (radius + (radius * radius - s * s).sqrt()))
        };
        face.iter().zip(normals).map(crown).collect()
    }

    fn areas(&self, contact: &Contact, target: &str, face: &[usize]) -> Result<Vec<f64>, String> {
        if let Some(area) = contact.area {
            return Ok(vec![area / face.len() as f64; face.len()]);
        }
        let edges = self.face_edges(target)?;
        let area = |node: &usize| {
            let own = edges.iter().filter(|(edge, _)| edge.contains(node));
            let half = |(edge, thickness): &([usize; 2], f64)| {
                let [a, b] = edge.map(|node| self.geometry.coordinates[node]);
                0.5 * thickness * (b[0] - a[0]).hypot(b[1] - a[1])
            };
            own.map(half).sum::<f64>()
        };
        Ok(face.iter().map(area).collect())
    }

    /// Edges of a face, counter-clockwise around their body, with the thickness there.
    fn face_edges(&self, target: &str) -> Result<Vec<([usize; 2], f64)>, String> {
        let nothing = "a point or a face without edges needs `normal` and `area`";
        let (part, set) = self.geometry.set(target).map_err(|_| nothing.to_string())?;
        if set.edges.is_empty() {
            return Err(nothing.into());
        }
        let boundary = self.elements.boundary_edges(part);
        let find = |edge: &[usize; 2]| {
            let edge = edge.map(|node| part.first_node + node);
            boundary.get(&crate::mesh::sorted(edge)).copied().ok_or_else(|| {
                format!("{} is not on the boundary", self.geometry.describe(edge[0]))
            })
        };
        set.edges.iter().map(find).collect()
    }

    fn check_overlap(&self, face: &[usize], others: &[usize]) -> Result<(), String> {
        match face.iter().find(|node| others.contains(node)) {
            Some(node) => Err(format!("{} is on both faces", self.geometry.describe(*node))),
            None => Ok(()),
        }
    }

    fn check_distinct(&self, pairs: &[Pair]) -> Result<(), String> {
        let mut seen = std::collections::HashMap::new();
        for pair in pairs {
            let Some(second) = pair.second else { continue };
            if let Some(other) = seen.insert(second, pair.first) {
                return Err(format!(
                    "{} would be paired with two nodes, {} and {}: the faces need matching meshes",
                    self.geometry.describe(second),
                    self.geometry.describe(other),
                    self.geometry.describe(pair.first)
                ));
            }
        }
        Ok(())
    }

    /// Nodes that cannot move in all directions must have those that they have along the frame.
    fn check_frames(&self, pairs: &[Pair]) -> Result<(), String> {
        for pair in pairs {
            let moves = |freedom: Freedom| {
                let nodes = [Some(pair.first), pair.second].into_iter().flatten();
                nodes.into_iter().any(|node| self.has[node][freedom as usize])
            };
            let moves = Freedom::TRANSLATIONS.map(moves);
            let [t1, t2] = pair.tangents;
            let is_moved = |axis: &Vector| (0..3).any(|i| moves[i] && axis[i] != 0.0);
            let n_moved = [pair.normal, t1, t2].iter().filter(|axis| is_moved(axis)).count();
            if n_moved > moves.iter().filter(|moves| **moves).count() {
                let [x, y, z] = pair.normal;
                return Err(format!(
                    "the normal ({x}, {y}, {z}) is inclined to the directions in which {} can move: \
                     choose a normal along or across them, or give the node all freedoms",
                    self.geometry.describe(pair.first)
                ));
            }
        }
        Ok(())
    }

    fn describe_unmatched(&self, list: &[(usize, f64)], second: &str, tolerance: f64) -> String {
        let first: Vec<String> = list
            .iter()
            .take(3)
            .map(|(node, offset)| {
                format!("{} (off by {offset:.3e} m)", self.geometry.describe(*node))
            })
            .collect();
        format!(
            "{} nodes have no partner on `{second}` within the tolerance of {tolerance:.3e} m: {}; \
             the faces need matching meshes",
            list.len(),
            first.join(", ")
        )
    }
}

fn without_rounding(unit: Vector) -> Vector {
    unit.map(|c| if c.abs() < TOL_DIRECTION { 0.0 } else { c })
}

/// Equation (3).
fn tangents(normal: Vector) -> [Vector; 2] {
    let [nx, ny, nz] = normal;
    let length = nx.hypot(ny);
    let [x, y] = if length > 0.0 { [ny / length, -nx / length] } else { [1.0, 0.0] };
    [[x, y, 0.0], [y * nz, -x * nz, x * ny - y * nx]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::ContactState;
    use crate::testing::{self, BLOCK};

    #[test]
    fn a_given_area_replaces_that_of_the_mesh_in_equal_shares() {
        let areas = |text: &str| -> Vec<f64> {
            let (_, model) = testing::model(text, ContactState::Open);
            model.interfaces[0].pairs.iter().map(|pair| pair.area).collect()
        };
        let meshed = [0.25, 0.5, 0.5, 0.5, 0.25];
        let off = areas(BLOCK).iter().zip(meshed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{off:e}");
        assert_eq!(areas(&BLOCK.replace("friction = 0.3", "friction = 0.3\narea = 5.0")), [1.0; 5]);
    }

    #[test]
    fn frames_are_orthonormal_for_every_normal() {
        let dot = |a: Vector, b: Vector| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
        let s = 0.5_f64.sqrt();
        for normal in [[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [0.6, 0.0, 0.8], [0.5, -0.5, s]] {
            let [t1, t2] = tangents(normal);
            let frame = [normal, t1, t2];
            for (i, a) in frame.iter().enumerate() {
                for (j, b) in frame.iter().enumerate() {
                    let unit = f64::from(u8::from(i == j));
                    assert!((dot(*a, *b) - unit).abs() < 1e-15, "{normal:?}: {i} {j}");
                }
            }
        }
        assert_eq!(tangents([0.0, 1.0, 0.0]), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(tangents([0.0, 0.0, 1.0])[0], [1.0, 0.0, 0.0]);
    }
}
