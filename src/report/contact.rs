//! What the joint does: loops of force over slip with their measures, and who sticks, slips or is apart where
//! and when.

use super::Source;
use super::points::Points;
use crate::page::{Block, Figure, Table};
use crate::plot::{Axis, Cells, Chart, Colour, Map, Series, engineering, pretty_unit, short};
use crate::results::ResultError;

/// Curves whose status is drawn.
const MAX_MAPS: usize = 8;

const REGIMES: [(&str, Colour); 4] = [
    ("stick", Colour(0x2c, 0x5f, 0x8a)),
    ("partial slip", Colour(0xf2, 0xc1, 0x4e)),
    ("gross slip", Colour(0xd9, 0x5f, 0x43)),
    ("apart", Colour(0xee, 0xf0, 0xf3)),
];
const STATES: [(&str, Colour); 3] =
    [("stick", REGIMES[0].1), ("slip", REGIMES[2].1), ("apart", REGIMES[3].1)];

const MEASURES: [(&str, &str); 6] = [
    ("max_force", "largest force"),
    ("max_slip", "largest slip"),
    ("half_opening", "half opening"),
    ("stiffness", "stiffness"),
    ("dissipated_energy", "energy per cycle"),
    ("sliding_ratio", "sliding ratio"),
];

fn named<const N: usize>(list: [(&str, Colour); N]) -> Vec<(String, Colour)> {
    list.map(|(name, colour)| (name.to_string(), colour)).to_vec()
}

pub fn blocks(
    source: &Source,
    name: &str,
    points: &Points,
    probes: &[String],
    x: &Axis,
) -> Result<Vec<Block>, ResultError> {
    let mut blocks = Vec::new();
    for contact in source.results.members(&format!("{name}/contact")) {
        let joint = Joint {
            source,
            place: format!("{name}/contact/{contact}"),
            points,
            id: format!("{name}_contact{contact}"),
        };
        let Some(table) = source.case.contact.get(contact.parse::<usize>().unwrap_or(usize::MAX))
        else {
            continue;
        };
        if matches!(table.law, crate::case::ContactLaw::Cubic { .. }) {
            continue;
        }
        let shown = joint.shown(name, probes)?;
        if shown.is_empty() {
            continue;
        }
        let [a, b] = &table.between;
        blocks.push(Block::Heading(format!("Contact of {a} and {b}")));
        blocks.extend(joint.loops(&shown)?.map(Block::Figure));
        blocks.push(Block::Figure(joint.energy(x)?));
        blocks.extend(joint.regimes(x)?.map(Block::Figure));
        blocks.extend(joint.maps(&contact, &shown)?.into_iter().map(Block::Figure));
        blocks.push(Block::Table(joint.measures(&shown)?));
    }
    Ok(blocks)
}

/// Loops over each other: slip and force over their own largest values.
fn normalised(mut chart: Chart) -> String {
    for series in &mut chart.series {
        let largest =
            |axis: usize| series.points.iter().fold(0.0, |m: f64, p| m.max(p[axis].abs()));
        let size = [largest(0), largest(1)].map(|l| if l > 0.0 { l } else { 1.0 });
        series.points.iter_mut().for_each(|p| *p = [p[0] / size[0], p[1] / size[1]]);
    }
    chart.x = Axis::new("mean slip over its largest", "1");
    chart.y = Axis::new("tangential force over its largest", "1");
    chart.svg()
}

/// One interface of a response.
struct Joint<'a> {
    source: &'a Source<'a>,
    place: String,
    points: &'a Points,
    id: String,
}

impl Joint<'_> {
    fn column(&self, key: &str) -> Result<Vec<f64>, ResultError> {
        self.source.column(&format!("{}/{key}", self.place), self.points.n)
    }

    /// The points that stand for their curves: each where the first probe is largest, and has contact data.
    fn shown(&self, name: &str, probes: &[String]) -> Result<Vec<usize>, ResultError> {
        let values = match probes.first() {
            Some(probe) => {
                self.source.column(&format!("{name}/probes/{probe}/maximum"), self.points.n)?
            }
            None => self.column("max_slip")?,
        };
        let rows = self.source.results.shape(&format!("{}/status", self.place))?;
        let complete = rows.first().copied().unwrap_or(0);
        Ok(self.points.peaks(&values).into_iter().filter(|i| *i < complete).collect())
    }

    fn label(&self, point: usize) -> String {
        let (load, frequency) = (self.points.load[point], self.points.frequency[point]);
        let at = format!("{} Hz", short(frequency));
        if self.points.curves.len() > 1 { format!("{} × load, {at}", short(load)) } else { at }
    }

    /// Sum of the tangential forces over the mean slip, weighted by area.
    fn history(&self, point: usize) -> Result<Vec<[f64; 2]>, ResultError> {
        let areas = self.source.results.values(&format!("{}/area", self.place))?;
        let force = self.source.results.row(&format!("{}/tangential_force", self.place), point)?;
        let slip = self.source.results.row(&format!("{}/slip", self.place), point)?;
        let samples = force.len() / areas.len().max(1);
        let total: f64 = areas.iter().sum();
        let at = |j: usize| {
            let pairs = 0..areas.len();
            let mean: f64 = pairs.clone().map(|p| areas[p] * slip[p * samples + j]).sum();
            [mean / total, pairs.map(|p| force[p * samples + j]).sum()]
        };
        Ok((0..samples).map(at).collect())
    }

    fn loops(&self, shown: &[usize]) -> Result<Option<Figure>, ResultError> {
        let mut chart = Chart::new(
            "Hysteresis at the peak of each curve",
            Axis::new("mean slip", "m"),
            Axis::new("tangential force", "N"),
        );
        for point in shown {
            let history = self.history(*point)?;
            if history.iter().any(|p| p[1] != 0.0) {
                let colour = self.points.curve_of(*point).colour;
                chart.series.push(Series::line(&self.label(*point), history, colour).closed());
            }
        }
        if chart.series.is_empty() {
            return Ok(None);
        }
        let caption = "Sum of the forces of all pairs over their mean slip; the area is the energy per cycle.";
        let mut figure = Figure::new(&format!("{}_loops", self.id), chart.svg(), caption);
        if chart.series.len() > 1 {
            figure.variants[0].0 = "as they are".into();
            figure.variants.insert(0, ("each to its size".into(), normalised(chart)));
        }
        Ok(Some(figure))
    }

    fn energy(&self, x: &Axis) -> Result<Figure, ResultError> {
        let values = self.column("dissipated_energy")?;
        let mut chart =
            Chart::new("Energy dissipated per cycle", x.clone(), Axis::new("energy", "J"));
        chart.legend = self.points.legend();
        chart.series = self.points.lines(&|i| values[i]);
        let variants = super::both_scales(&mut chart, self.points.curves.len() > 1);
        Ok(Figure { id: format!("{}_energy", self.id), caption: String::new(), variants })
    }

    /// Regime along every curve, a row each; none where a curve turns back.
    fn regimes(&self, x: &Axis) -> Result<Option<Figure>, ResultError> {
        let regime = self.column("regime")?;
        let first = &self.points.curves[0].points;
        let mut places: Vec<f64> = first.iter().map(|i| self.points.parameter[*i]).collect();
        places.sort_by(f64::total_cmp);
        let mut values = Vec::new();
        for curve in &self.points.curves {
            let mut own = curve.points.clone();
            own.sort_by(|a, b| self.points.parameter[*a].total_cmp(&self.points.parameter[*b]));
            let same = own.len() == places.len()
                && own.iter().zip(&places).all(|(i, place)| self.points.parameter[*i] == *place);
            if !same || places.windows(2).any(|w| w[0] >= w[1]) || places.len() < 2 {
                return Ok(None);
            }
            let state =
                |i: &usize| if self.points.converged[*i] { regime[*i] as u8 } else { u8::MAX };
            values.extend(own.iter().map(state));
        }
        let map = Map {
            title: "Regime of the joint".into(),
            x: x.clone(),
            y: Axis::new("load factor", "1"),
            x_edges: Map::edges(&places),
            y_edges: (0..=self.points.curves.len()).map(|i| i as f64).collect(),
            row_names: self.points.curves.iter().map(|c| c.name.clone()).collect(),
            cells: Cells::States { values, names: named(REGIMES) },
        };
        let caption = "Gross slip: all closed pairs slide at some instant. White: no solution.";
        Ok(Some(Figure::new(&format!("{}_regime", self.id), map.svg(), caption)))
    }

    fn status(&self, point: usize) -> Result<Vec<u8>, ResultError> {
        let values = self.source.results.row(&format!("{}/status", self.place), point)?;
        Ok(values.into_iter().map(|v| v as u8).collect())
    }

    /// Status over place and time at the peak of each curve; a single pair: over curve and time.
    fn maps(&self, contact: &str, shown: &[usize]) -> Result<Vec<Figure>, ResultError> {
        let shape = self.source.results.shape(&format!("{}/status", self.place))?;
        let [_, pairs, samples] = shape[..] else { return Ok(vec![]) };
        let instants: Vec<f64> = (0..=samples).map(|j| (j as f64 + 0.5) / samples as f64).collect();
        let time = Axis::new("time over period", "1");
        let figure = |id: String, map: Map| Figure::new(&id, map.svg(), "");
        if pairs == 1 {
            let mut values = Vec::new();
            for point in shown {
                values.extend(self.status(*point)?);
            }
            let map = Map {
                title: "Stick and slip over the period".into(),
                x: time,
                y: Axis::new("curve", "1"),
                x_edges: instants,
                y_edges: (0..=shown.len()).map(|i| i as f64).collect(),
                row_names: shown.iter().map(|i| self.label(*i)).collect(),
                cells: Cells::States { values, names: named(STATES) },
            };
            return Ok(vec![figure(format!("{}_status", self.id), map)]);
        }
        let (order, places) = self.places(contact, pairs);
        let mut figures = Vec::new();
        for point in shown.iter().take(MAX_MAPS) {
            let status = self.status(*point)?;
            let values = order.iter().flat_map(|p| &status[p * samples..(p + 1) * samples]);
            let map = Map {
                title: format!("Stick, slip, separation: {}", self.label(*point)),
                x: time.clone(),
                y: places.0.clone(),
                x_edges: instants.clone(),
                y_edges: Map::edges(&places.1),
                row_names: vec![],
                cells: Cells::States { values: values.copied().collect(), names: named(STATES) },
            };
            figures.push(figure(format!("{}_status_{}", self.id, figures.len() + 1), map));
        }
        Ok(figures)
    }

    /// Pairs in the order of their places along the face, with the axis; by number where places coincide.
    fn places(&self, contact: &str, pairs: usize) -> (Vec<usize>, (Axis, Vec<f64>)) {
        let position = self.source.results.values(&format!("mesh/contact/{contact}/position"));
        let position = position.unwrap_or_default();
        let mut order: Vec<usize> = (0..pairs).collect();
        if position.len() == pairs {
            order.sort_by(|a, b| position[*a].total_cmp(&position[*b]));
            let sorted: Vec<f64> = order.iter().map(|p| position[*p]).collect();
            if sorted.windows(2).all(|w| w[0] < w[1]) {
                return (order, (Axis::new("place along the face", "m"), sorted));
            }
        }
        let numbers = (1..=pairs).map(|p| p as f64).collect();
        ((0..pairs).collect(), (Axis::new("pair", "1"), numbers))
    }

    fn measures(&self, shown: &[usize]) -> Result<Table, ResultError> {
        let mut table = Table::new(&["curve"]);
        let mut columns = Vec::new();
        for (key, title) in MEASURES {
            table.head.push(title.into());
            let unit = self.source.results.unit(&format!("{}/{key}", self.place))?;
            columns.push((self.column(key)?, pretty_unit(&unit), unit));
        }
        table.head.push("regime".into());
        let regime = self.column("regime")?;
        for point in shown {
            let mut row = vec![self.label(*point)];
            row.extend(columns.iter().map(|(values, _, unit)| engineering(values[*point], unit)));
            let name = REGIMES.get(regime[*point] as usize).map_or("–", |(name, _)| name);
            row.push(name.into());
            table.rows.push(row);
        }
        Ok(table)
    }
}
