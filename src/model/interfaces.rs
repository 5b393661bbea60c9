//! Contact interfaces: node pairs with their frames, areas and gaps.
//!
//! ```text
//! Pair of node 1 (first face) and node 2 (second face, or ground):
//!
//!     u_r = u¹ − u² ,   u_N = n·u_r  (> 0 opens) ,   u_T = t·u_r ,                 (1)
//!     gap = n·(x¹ − x²) + clearance + crown ,   area = Σ half of the adjacent edges × thickness  (2)
//!     crown = R − √(R² − s²) ,   s = t·(x¹ − middle of the first face)             (3)
//! ```
//!
//! n points from the second body to the first; t is n turned clockwise, so n = y gives t = x. Nodes that
//! move out of the plane, as those of matrices may, have z as their second tangent.

use super::elements::Elements;
use super::geometry::Geometry;
use crate::case::{Case, Contact, Problem};

/// Two nodes that may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Node of the first face.
    pub first: usize,
    /// Node of the second face; none for ground.
    pub second: Option<usize>,
    /// Unit normal, from the second body to the first.
    pub normal: [f64; 2],
    /// Unit tangent.
    pub tangent: [f64; 2],
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
    problems: &mut Vec<Problem>,
) -> Vec<Interface> {
    let mut interfaces = Vec::new();
    for (i, contact) in case.contact.iter().enumerate() {
        match (Builder { geometry, elements }).interface(contact) {
            Ok(interface) => {
                let misfit = contact.friction.misfit(interface.pairs.len());
                let path = format!("contact[{i}].friction");
                problems.extend(misfit.map(|message| Problem::new(path, message)));
                interfaces.push(interface);
            }
            Err(message) => problems.push(Problem::new(format!("contact[{i}]"), message)),
        }
    }
    interfaces
}

struct Builder<'a> {
    geometry: &'a Geometry,
    elements: &'a Elements,
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
            let [nx, ny] = *normal;
            let tangent = [ny, -nx];
            let partner = others.as_ref().map(|others| self.partner(node, tangent, others));
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
                tangent,
                area: *area,
                gap: distance + contact.gap + crown,
            });
        }
        if !unmatched.is_empty() {
            return Err(self.describe_unmatched(&unmatched, second, tolerance));
        }
        self.check_distinct(&pairs)?;
        Ok(Interface { pairs })
    }

    /// The node of the other face nearest to the normal through `node`, and how far off it is.
    fn partner(&self, node: usize, tangent: [f64; 2], others: &[usize]) -> (usize, f64) {
        let depth = &self.geometry.depth;
        let offset =
            |other: usize| self.along(tangent, node, other).hypot(depth[node] - depth[other]);
        let nearest = others.iter().copied().min_by(|a, b| offset(*a).total_cmp(&offset(*b)));
        nearest.map_or((node, f64::INFINITY), |other| (other, offset(other)))
    }

    /// direction · (x_a − x_b).
    fn along(&self, direction: [f64; 2], a: usize, b: usize) -> f64 {
        let (a, b) = (self.geometry.coordinates[a], self.geometry.coordinates[b]);
        direction[0] * (a[0] - b[0]) + direction[1] * (a[1] - b[1])
    }

    fn extent(&self, nodes: &[usize]) -> f64 {
        let spread = |of: &dyn Fn(usize) -> f64| {
            let values = nodes.iter().map(|node| of(*node));
            values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
        };
        let Geometry { coordinates, depth, .. } = self.geometry;
        let plane =
            spread(&|node| coordinates[node][0]).hypot(spread(&|node| coordinates[node][1]));
        plane.hypot(spread(&|node| depth[node]))
    }

    /// Unit normals of the first face, pointing into its body.
    fn normals(
        &self,
        contact: &Contact,
        target: &str,
        face: &[usize],
    ) -> Result<Vec<[f64; 2]>, String> {
        let unit = |[x, y]: [f64; 2]| {
            let length = x.hypot(y);
            (length > 0.0).then(|| [x / length, y / length])
        };
        if let Some(normal) = contact.normal {
            let normal = unit(normal).ok_or("the normal must have a length greater than 0")?;
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
            unit(sum).ok_or_else(|| {
                format!("{} has no normal; give `normal`", self.geometry.describe(*node))
            })
        };
        face.iter().map(normal).collect()
    }

    /// Crown (3) of the nodes of the first face.
    fn crowns(
        &self,
        contact: &Contact,
        face: &[usize],
        normals: &[[f64; 2]],
    ) -> Result<Vec<f64>, String> {
        let Some(radius) = contact.crown_radius else { return Ok(vec![0.0; face.len()]) };
        let middle = [0, 1].map(|axis| {
            let places = face.iter().map(|node| self.geometry.coordinates[*node][axis]);
            let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
            0.5 * (low + high)
        });
        let crown = |(node, [nx, ny]): (&usize, &[f64; 2])| {
            let [x, y] = self.geometry.coordinates[*node];
            let s = ny * (x - middle[0]) - nx * (y - middle[1]);
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
