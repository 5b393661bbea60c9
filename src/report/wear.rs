//! Wear: worn profiles, volume and energy over cycles, pressure and rate before and after, and a map over
//! frequency and cycles where histories differ in frequency.

use super::Source;
use crate::page::{Block, Figure, Section, Table};
use crate::plot::{Axis, Cells, Chart, Map, Series, engineering, palette, ramp, short};
use crate::results::ResultError;

/// Profiles drawn over each other.
const PROFILES: usize = 6;
/// Columns of the map over frequency and cycles.
const MAP_COLUMNS: usize = 60;

/// Rows of one history, in the order of cycles.
struct History {
    name: String,
    frequency: f64,
    rows: Vec<usize>,
}

/// A wear analysis.
struct Wear<'a> {
    source: &'a Source<'a>,
    name: &'a str,
    cycles: Vec<f64>,
    histories: Vec<History>,
}

pub fn section(source: &Source, name: &str) -> Result<Section, ResultError> {
    let wear = Wear::read(source, name)?;
    let mut blocks = Vec::new();
    if wear.histories.is_empty() {
        blocks.push(Block::Warning("No increment was computed.".into()));
        return Ok(Section { title: super::heading("Wear", name), blocks });
    }
    blocks.push(Block::Table(wear.table()?));
    for (key, title) in [
        ("volume", "Worn volume"),
        ("max_depth", "Largest depth"),
        ("dissipated_energy", "Energy dissipated by friction"),
        ("normal_force", "Normal force"),
    ] {
        blocks.push(Block::Figure(wear.over_cycles(key, title)?));
    }
    blocks.extend(wear.map()?.map(Block::Figure));
    let history = &wear.histories[0];
    for contact in wear.contacts()? {
        let [a, b] =
            source.case.contact.get(contact).map(|c| c.between.clone()).unwrap_or_default();
        let which =
            if wear.histories.len() > 1 { format!(", {}", history.name) } else { String::new() };
        blocks.push(Block::Heading(format!("Faces {a} and {b}{which}")));
        blocks.push(Block::Figure(wear.profiles(contact, history)?));
        for (key, title) in [
            ("pressure", "Mean pressure before and after"),
            ("rate", "Depth worn per cycle before and after"),
            ("slip", "Path slid per cycle before and after"),
        ] {
            blocks.push(Block::Figure(wear.before_and_after(contact, history, key, title)?));
        }
        blocks.extend(wear.loops(contact, history)?.map(Block::Figure));
    }
    blocks.push(Block::Heading("Increments".into()));
    blocks.push(Block::Figure(wear.over_cycles("jump", "Cycles of each increment")?));
    blocks.push(Block::Figure(wear.over_cycles("error", "Estimated error of each increment")?));
    Ok(Section { title: super::heading("Wear", name), blocks })
}

impl<'a> Wear<'a> {
    fn read(source: &'a Source<'a>, name: &'a str) -> Result<Self, ResultError> {
        let cycles = source.results.values(&format!("{name}/cycles"))?;
        let n = cycles.len();
        let of = |key: &str| source.column(&format!("{name}/{key}"), n);
        let (number, frequency, load) = (of("history")?, of("frequency")?, of("load_factor")?);
        let groups = super::groups(&number);
        let label = |first: usize| {
            let level = if load[first] == 1.0 {
                String::new()
            } else {
                format!(", load {}", short(load[first]))
            };
            format!("{} Hz{level}", short(frequency[first]))
        };
        let history = |rows: Vec<usize>| History {
            name: label(rows[0]),
            frequency: frequency[rows[0]],
            rows,
        };
        Ok(Self { source, name, cycles, histories: groups.into_iter().map(history).collect() })
    }

    fn column(&self, key: &str) -> Result<Vec<f64>, ResultError> {
        self.source.column(&format!("{}/{key}", self.name), self.cycles.len())
    }

    fn unit(&self, key: &str) -> Result<String, ResultError> {
        self.source.results.unit(&format!("{}/{key}", self.name))
    }

    /// The end of every history.
    fn table(&self) -> Result<Table, ResultError> {
        let keys = ["volume", "max_depth", "dissipated_energy", "imbalance", "solves"];
        let mut table = Table::new(&[
            "history",
            "cycles",
            "worn volume",
            "largest depth",
            "energy",
            "energy imbalance",
            "solves",
        ]);
        let mut columns = Vec::new();
        for key in keys {
            columns.push((self.column(key)?, self.unit(key)?));
        }
        for history in &self.histories {
            let end = history.rows[history.rows.len() - 1];
            let mut row = vec![history.name.clone(), short(self.cycles[end])];
            row.extend(columns.iter().map(|(values, unit)| engineering(values[end], unit)));
            table.rows.push(row);
        }
        Ok(table)
    }

    fn over_cycles(&self, key: &str, title: &str) -> Result<Figure, ResultError> {
        let values = self.column(key)?;
        let mut chart =
            Chart::new(title, Axis::new("cycles", "1"), Axis::new(title, &self.unit(key)?));
        for (history, colour) in self.histories.iter().zip(palette(self.histories.len())) {
            let points = history.rows.iter().map(|i| [self.cycles[*i], values[*i]]).collect();
            chart.series.push(Series::line(&history.name, points, colour));
        }
        let linear = chart.svg();
        chart.x = chart.x.clone().log();
        chart.y = chart.y.clone().log();
        let variants = vec![("linear".to_string(), linear), ("log".to_string(), chart.svg())];
        Ok(Figure { id: format!("{}_{key}", self.name), caption: String::new(), variants })
    }

    /// Numbers of the contacts that wear.
    fn contacts(&self) -> Result<Vec<usize>, ResultError> {
        let all = self.source.results.values(&format!("{}/contact", self.name))?;
        let mut contacts: Vec<usize> = all.into_iter().map(|contact| contact as usize).collect();
        contacts.dedup();
        Ok(contacts)
    }

    /// A value per pair in one row, over the place along the face; over the number of the pair where there are
    /// no places.
    fn along_face(
        &self,
        contact: usize,
        key: &str,
        row: usize,
    ) -> Result<(Axis, Vec<[f64; 2]>), ResultError> {
        let of = self.source.results.values(&format!("{}/contact", self.name))?;
        let values = self.source.results.row(&format!("{}/{key}", self.name), row)?;
        let own: Vec<f64> =
            (0..of.len()).filter(|i| of[*i] as usize == contact).map(|i| values[i]).collect();
        let place = self.source.column(&format!("mesh/contact/{contact}/position"), own.len())?;
        let spread = place.len() == own.len() && place.windows(2).any(|w| w[0] != w[1]);
        if spread {
            let mut points: Vec<[f64; 2]> = place.iter().zip(&own).map(|(x, v)| [*x, *v]).collect();
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            return Ok((Axis::new("place along the face", "m"), points));
        }
        let points = own.iter().enumerate().map(|(i, v)| [(i + 1) as f64, *v]).collect();
        Ok((Axis::new("pair", "1"), points))
    }

    fn profiles(&self, contact: usize, history: &History) -> Result<Figure, ResultError> {
        let n = history.rows.len();
        let count = n.min(PROFILES);
        let end = self.cycles[history.rows[n - 1]];
        // Rows nearest to equal shares of the cycles, the last one included.
        let nearest = |k: usize| {
            let wanted = end * (k + 1) as f64 / count as f64;
            let far = |i: &usize| (self.cycles[*i] - wanted).abs();
            history.rows.iter().copied().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
        };
        let mut rows: Vec<usize> = (0..count).map(nearest).collect();
        rows.dedup();
        let mut chart = Chart::new("Worn depth", Axis::default(), Axis::new("depth", "m"));
        chart.legend = "cycles".into();
        for (k, row) in rows.iter().enumerate() {
            let (axis, points) = self.along_face(contact, "depth", *row)?;
            chart.x = axis;
            let colour = ramp(0.9 * (k + 1) as f64 / rows.len() as f64 - 0.05);
            chart.series.push(Series::line(&short(self.cycles[*row]), points, colour));
        }
        Ok(Figure::new(
            &format!("{}_profile{contact}", self.name),
            chart.svg(),
            "Depth of both faces together.",
        ))
    }

    fn before_and_after(
        &self,
        contact: usize,
        history: &History,
        key: &str,
        title: &str,
    ) -> Result<Figure, ResultError> {
        let ends = [history.rows[0], history.rows[history.rows.len() - 1]];
        let mut chart = Chart::new(title, Axis::default(), Axis::new(key, &self.unit(key)?));
        chart.legend = "cycles".into();
        for (row, colour) in ends.iter().zip(palette(2)) {
            let (axis, points) = self.along_face(contact, key, *row)?;
            chart.x = axis;
            chart.series.push(Series::line(&short(self.cycles[*row]), points, colour));
        }
        Ok(Figure::new(&format!("{}_{key}{contact}", self.name), chart.svg(), ""))
    }

    fn loops(&self, contact: usize, history: &History) -> Result<Option<Figure>, ResultError> {
        let place = format!("{}/loop/{contact}", self.name);
        if !self.source.results.has(&place) {
            return Ok(None);
        }
        let ends = [history.rows[0], history.rows[history.rows.len() - 1]];
        let (x, y) = (Axis::new("mean slip", "m"), Axis::new("tangential force", "N"));
        let mut chart = Chart::new("Hysteresis before and after", x, y);
        chart.legend = "cycles".into();
        for (row, colour) in ends.iter().zip(palette(2)) {
            let slip = self.source.results.row(&format!("{place}/slip"), *row)?;
            let force = self.source.results.row(&format!("{place}/force"), *row)?;
            let points = slip.into_iter().zip(force).map(|(x, f)| [x, f]).collect();
            chart.series.push(Series::line(&short(self.cycles[*row]), points, colour).closed());
        }
        Ok(Some(Figure::new(&format!("{}_loop{contact}", self.name), chart.svg(), "")))
    }

    /// Worn volume over frequency and cycles.
    fn map(&self) -> Result<Option<Figure>, ResultError> {
        let mut order: Vec<&History> = self.histories.iter().collect();
        order.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
        if order.len() < 3 || order.windows(2).any(|w| w[0].frequency == w[1].frequency) {
            return Ok(None);
        }
        let volume = self.column("volume")?;
        let end = |h: &&History| self.cycles[h.rows[h.rows.len() - 1]];
        let last = order.iter().map(end).fold(0.0, f64::max);
        let edges: Vec<f64> =
            (0..=MAP_COLUMNS).map(|i| last * i as f64 / MAP_COLUMNS as f64).collect();
        let at = |history: &History, cycles: f64| {
            let next = history.rows.iter().position(|i| self.cycles[*i] >= cycles);
            match next.map(|k| (history.rows[k.max(1) - 1], history.rows[k])) {
                None => f64::NAN,
                Some((a, b)) if a == b => volume[a],
                Some((a, b)) => {
                    let t = (cycles - self.cycles[a]) / (self.cycles[b] - self.cycles[a]);
                    volume[a] + t * (volume[b] - volume[a])
                }
            }
        };
        let middle = |w: &[f64]| 0.5 * (w[0] + w[1]);
        let values: Vec<f64> =
            order.iter().flat_map(|h| edges.windows(2).map(move |w| at(h, middle(w)))).collect();
        let top = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
        if top <= 0.0 {
            return Ok(None);
        }
        let frequencies: Vec<f64> = order.iter().map(|h| h.frequency).collect();
        let map = Map {
            title: "Worn volume over frequency and cycles".into(),
            x: Axis::new("cycles", "1"),
            y: Axis::new("frequency", "Hz"),
            x_edges: edges,
            y_edges: Map::edges(&frequencies),
            row_names: vec![],
            cells: Cells::Magnitudes { values, range: [0.0, top], name: "m³".into() },
        };
        Ok(Some(Figure::new(&format!("{}_map", self.name), map.svg(), "")))
    }
}
