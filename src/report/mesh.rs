//! Pictures of the mesh: with supports, loads and contact, and deformed.

use std::collections::HashMap;

use crate::case::{Case, Direction, Freedom, Load, Support, Variation};
use crate::page::Figure;
use crate::plot::{Colour, Picture, Shape, engineering, ramp};
use crate::results::{ResultError, ResultReader};

/// Cells beyond which only outlines are drawn.
const MAX_DRAWN_CELLS: usize = 6000;
/// Colours of a deformed mesh.
const N_COLOURS: usize = 32;
/// Symbols of one support.
const MAX_SYMBOLS: usize = 13;
/// Largest displacement of a drawn shape over the size of the model.
const DRAWN_DISPLACEMENT: f64 = 0.08;

const BODY: Colour = Colour(0xdc, 0xe6, 0xf1);
const EDGE: Colour = Colour(0x9a, 0xab, 0xbf);
const LOAD: Colour = Colour(0xd5, 0x5e, 0x00);
const SHAKE: Colour = Colour(0x00, 0x9e, 0x73);
const CONTACT: Colour = Colour(0xb0, 0x1e, 0x6f);

/// Nodes and cells.
pub struct Mesh {
    pub nodes: Vec<[f64; 2]>,
    pub quads: Vec<[usize; 4]>,
    pub beams: Vec<[usize; 2]>,
    /// Edges of quadrilaterals that belong to one only.
    outline: Vec<[usize; 2]>,
}

impl Mesh {
    pub fn read(results: &ResultReader) -> Result<Self, ResultError> {
        let columns = results.shape("mesh/coordinates")?.get(1).copied().unwrap_or(2).max(2);
        let coordinates = results.values("mesh/coordinates")?;
        let nodes: Vec<[f64; 2]> = coordinates.chunks(columns).map(|c| [c[0], c[1]]).collect();
        let quads = results.node_table("mesh/quads", 4, nodes.len())?;
        let quads: Vec<[usize; 4]> = quads.chunks(4).map(|q| [q[0], q[1], q[2], q[3]]).collect();
        let beams = results.node_table("mesh/beams", 2, nodes.len())?;
        let beams = beams.chunks(2).map(|b| [b[0], b[1]]).collect();
        let outline = outline(&quads);
        Ok(Self { nodes, quads, beams, outline })
    }

    /// Whether there is something to draw.
    pub fn has_cells(&self) -> bool {
        !self.quads.is_empty() || !self.beams.is_empty()
    }

    /// Length of the diagonal of the box around all cells.
    fn size(&self) -> f64 {
        let ends = |axis: usize| {
            let used = self.quads.iter().flatten().chain(self.beams.iter().flatten());
            used.map(|n| self.nodes[*n][axis])
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(v), b.max(v)])
        };
        let ([x0, x1], [y0, y1]) = (ends(0), ends(1));
        (x1 - x0).hypot(y1 - y0)
    }

    fn polygons(&self, nodes: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
        self.quads.iter().map(|quad| quad.map(|n| nodes[n]).to_vec()).collect()
    }

    fn lines(lines: &[[usize; 2]], nodes: &[[f64; 2]], colour: Colour, width: f64) -> Shape {
        Shape::Lines {
            ends: lines.iter().map(|line| line.map(|n| nodes[n])).collect(),
            colour,
            width,
        }
    }

    /// The model as it stands, with what holds it, pushes it and rubs on it.
    pub fn figure(&self, results: &ResultReader, case: &Case) -> Option<Figure> {
        if !self.has_cells() {
            return None;
        }
        let mut shapes = Vec::new();
        if self.quads.len() <= MAX_DRAWN_CELLS {
            let corners = self.polygons(&self.nodes);
            shapes.push(Shape::Polygons { corners, fill: Some(BODY), outline: Some(EDGE) });
        }
        shapes.push(Self::lines(&self.outline, &self.nodes, Colour::INK, 1.0));
        shapes.push(Self::lines(&self.beams, &self.nodes, Colour::INK, 2.2));
        let marks = Marks { mesh: self, results, case };
        marks.contacts(&mut shapes);
        marks.points(&mut shapes);
        marks.supports(&mut shapes);
        marks.loads(&mut shapes);
        let title = "Mesh, supports, loads and contact".to_string();
        let picture =
            Picture { title, shapes, width: 560.0, has_ruler: true, ..Picture::default() };
        let caption = "Grey symbols hold, orange arrows are constant loads, green ones vibrate; contact faces are purple.";
        Some(Figure::new("mesh", picture.svg(), caption))
    }

    /// The mesh moved by a displacement, which is scaled to be seen, over where it was; coloured by
    /// `values` of the cells, or by the length of the displacement.
    pub fn deformed(
        &self,
        title: &str,
        displacement: &[[f64; 2]],
        values: Option<(&str, &[f64])>,
    ) -> String {
        let length = |u: &[f64; 2]| u[0].hypot(u[1]);
        let used = self.quads.iter().flatten().chain(self.beams.iter().flatten());
        let largest = used.map(|n| length(&displacement[*n])).fold(0.0, f64::max);
        let factor = if largest > 0.0 { DRAWN_DISPLACEMENT * self.size() / largest } else { 0.0 };
        let moved: Vec<[f64; 2]> = self
            .nodes
            .iter()
            .zip(displacement)
            .map(|(x, u)| [x[0] + factor * u[0], x[1] + factor * u[1]])
            .collect();
        let mean =
            |quad: &[usize; 4]| 0.25 * quad.iter().map(|n| length(&displacement[*n])).sum::<f64>();
        let magnitudes: Vec<f64> = match values {
            Some((_, values)) => values.to_vec(),
            None => self.quads.iter().map(mean).collect(),
        };
        let top = magnitudes.iter().copied().fold(0.0, f64::max);
        let mut shapes = vec![
            Self::lines(&self.outline, &self.nodes, Colour::PALE, 0.8),
            Self::lines(&self.beams, &self.nodes, Colour::PALE, 1.2),
        ];
        if self.quads.len() <= MAX_DRAWN_CELLS {
            shapes.extend(self.coloured(&moved, &magnitudes, top));
        }
        shapes.push(Self::lines(&self.outline, &moved, Colour::INK, 0.9));
        shapes.push(Self::lines(&self.beams, &moved, ramp(0.35), 2.4));
        let ramp =
            values.filter(|_| !self.quads.is_empty()).map(|(name, _)| (name.to_string(), top));
        Picture { title: title.into(), shapes, ramp, width: 500.0, ..Picture::default() }.svg()
    }

    fn coloured(&self, nodes: &[[f64; 2]], magnitudes: &[f64], top: f64) -> Vec<Shape> {
        let mut groups = vec![Vec::new(); N_COLOURS];
        for (polygon, magnitude) in self.polygons(nodes).into_iter().zip(magnitudes) {
            let share = if top > 0.0 { magnitude / top } else { 0.0 };
            groups[((share * N_COLOURS as f64) as usize).min(N_COLOURS - 1)].push(polygon);
        }
        let shape = |(i, corners): (usize, Vec<Vec<[f64; 2]>>)| {
            let colour = Some(ramp((i as f64 + 0.5) / N_COLOURS as f64));
            Shape::Polygons { corners, fill: colour, outline: colour }
        };
        groups.into_iter().enumerate().filter(|(_, group)| !group.is_empty()).map(shape).collect()
    }
}

fn outline(quads: &[[usize; 4]]) -> Vec<[usize; 2]> {
    let mut seen: HashMap<[usize; 2], ([usize; 2], usize)> = HashMap::new();
    for quad in quads {
        for i in 0..4 {
            let edge = [quad[i], quad[(i + 1) % 4]];
            let key = [edge[0].min(edge[1]), edge[0].max(edge[1])];
            seen.entry(key).or_insert((edge, 0)).1 += 1;
        }
    }
    let mut edges: Vec<[usize; 2]> =
        seen.into_values().filter(|(_, count)| *count == 1).map(|(edge, _)| edge).collect();
    edges.sort_unstable();
    edges
}

/// Some of the places, about equally far from each other.
fn thinned(mut places: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    places.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let apart = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let length = match (places.first(), places.last()) {
        (Some(first), Some(last)) => apart(first, last),
        _ => return places,
    };
    let least = length / MAX_SYMBOLS as f64;
    let mut chosen: Vec<[f64; 2]> = Vec::new();
    for place in places {
        if chosen.iter().all(|other| apart(other, &place) >= least) {
            chosen.push(place);
        }
    }
    chosen
}

/// What is drawn on the mesh.
struct Marks<'a> {
    mesh: &'a Mesh,
    results: &'a ResultReader,
    case: &'a Case,
}

impl Marks<'_> {
    fn places(&self, target: &str) -> Vec<[f64; 2]> {
        let nodes = self.results.nodes_of(target);
        nodes.into_iter().filter_map(|n| self.mesh.nodes.get(n).copied()).collect()
    }

    /// A place for a label or arrow: the node of the set nearest to its middle.
    fn middle(&self, target: &str) -> Option<[f64; 2]> {
        let places = self.places(target);
        let n = places.len() as f64;
        let sum = places.iter().fold([0.0, 0.0], |s, p| [s[0] + p[0], s[1] + p[1]]);
        let far = |p: &[f64; 2]| (p[0] - sum[0] / n).hypot(p[1] - sum[1] / n);
        places.iter().copied().min_by(|a, b| far(a).total_cmp(&far(b)))
    }

    fn supports(&self, shapes: &mut Vec<Shape>) {
        for support in &self.case.supports {
            let holds = match support {
                Support::Clamp { .. } => [true; 2],
                Support::Roller { direction, .. } => match direction {
                    Direction::Named(Freedom::X) => [true, false],
                    Direction::Named(Freedom::Y) => [false, true],
                    Direction::Named(_) => continue,
                    Direction::Vector(v) => [v.x.abs() > v.y.abs(), v.x.abs() <= v.y.abs()],
                },
                Support::Prescribed { x, y, .. } => [x.is_some(), y.is_some()],
            };
            let places = thinned(self.places(support.on()));
            shapes.extend(places.into_iter().map(|at| Shape::Support { at, holds }));
        }
    }

    fn loads(&self, shapes: &mut Vec<Shape>) {
        for load in &self.case.loads {
            let (along, size) = match load {
                Load::Force { force, .. } => ([force.x, force.y], (force.length(), "N")),
                Load::Traction { traction, .. } => {
                    (*traction, (traction[0].hypot(traction[1]), "Pa"))
                }
                Load::Pressure { pressure, .. } => ([0.0, -*pressure], (*pressure, "Pa")),
                Load::Gravity { .. } => continue,
            };
            let Some(at) = load.on().filter(|on| self.is_placed(on)).and_then(|on| self.middle(on))
            else {
                continue;
            };
            let vibrates = load.variation().0 == Variation::Harmonic;
            let colour = if vibrates { SHAKE } else { LOAD };
            shapes.push(Shape::Arrow { at, along, text: engineering(size.0, size.1), colour });
        }
    }

    fn contacts(&self, shapes: &mut Vec<Shape>) {
        for contact in &self.case.contact {
            let face = self.results.nodes_of(&contact.between[0]);
            let on_face = |edge: &&[usize; 2]| edge.iter().all(|n| face.contains(n));
            let edges: Vec<[usize; 2]> =
                self.mesh.outline.iter().chain(&self.mesh.beams).filter(on_face).copied().collect();
            shapes.push(Mesh::lines(&edges, &self.mesh.nodes, CONTACT, 3.0));
        }
    }

    /// A point without a place of its own stands at the origin, which says nothing.
    fn is_placed(&self, target: &str) -> bool {
        let point = self.case.points.get(target);
        point.is_none_or(|p| {
            [p.at.x, p.at.y] != [0.0, 0.0] || self.case.ties.iter().any(|t| t.to == target)
        })
    }

    fn points(&self, shapes: &mut Vec<Shape>) {
        for (name, point) in self.case.points.iter().filter(|(name, _)| self.is_placed(name)) {
            let at = [point.at.x, point.at.y];
            shapes.push(Shape::Dot { at, radius: 4.0, colour: Colour::INK });
            shapes.push(Shape::Text { at, text: name.clone(), colour: Colour::INK });
        }
    }
}
