//! The points of a response and the curves they belong to.

use super::Source;
use crate::case::Vary;
use crate::plot::{Colour, Series, palette, short};
use crate::results::ResultError;

/// Columns of a response that every figure needs, cut to the rows that are complete.
pub struct Points {
    pub n: usize,
    /// What varies along a curve.
    pub parameter: Vec<f64>,
    pub frequency: Vec<f64>,
    pub load: Vec<f64>,
    pub converged: Vec<bool>,
    /// Where stability was found out: whether the motion is stable.
    pub stable: Option<Vec<bool>>,
    pub curves: Vec<Curve>,
}

/// A curve: its points in the order in which they were found.
pub struct Curve {
    pub name: String,
    pub colour: Colour,
    pub points: Vec<usize>,
}

impl Points {
    pub fn read(source: &Source, name: &str, vary: Vary) -> Result<Self, ResultError> {
        let of = |key: &str| source.results.values(&format!("{name}/{key}"));
        let (frequency, converged) = (of("frequency")?, of("converged")?);
        let (curve, load) = (of("curve")?, of("load_factor")?);
        let lengths = [frequency.len(), converged.len(), curve.len(), load.len()];
        let n = lengths.into_iter().min().unwrap_or(0);
        let parameter = match vary {
            Vary::Frequency => frequency.clone(),
            Vary::Load => load.clone(),
            Vary::Preload => source.column(&format!("{name}/preload_factor"), n)?,
            Vary::Friction => source.column(&format!("{name}/friction_factor"), n)?,
        };
        let stable = match source.results.has(&format!("{name}/stability/unstable")) {
            // Multipliers outside the unit circle; where they are not known nothing is said against a point.
            true => {
                let outside = of("stability/unstable")?;
                Some(outside.into_iter().map(|count| count.is_nan() || count == 0.0).collect())
            }
            false => None,
        };
        let stable = stable.filter(|stable: &Vec<bool>| stable.len() >= n);
        let mut points = Self {
            n,
            parameter,
            frequency,
            load,
            converged: converged.into_iter().map(|value| value == 1.0).collect(),
            stable,
            curves: vec![],
        };
        points.curves = points.group(&curve[..n], vary);
        Ok(points)
    }

    fn group(&self, curve: &[f64], vary: Vary) -> Vec<Curve> {
        let groups = super::groups(curve);
        let differ = |values: &[f64]| groups.iter().any(|g| values[g[0]] != values[groups[0][0]]);
        let names_load = vary != Vary::Load && differ(&self.load);
        let names_frequency = vary != Vary::Frequency && differ(&self.frequency);
        let name = |first: usize| {
            let load = names_load.then(|| short(self.load[first]));
            let frequency = names_frequency.then(|| format!("{} Hz", short(self.frequency[first])));
            [load, frequency].into_iter().flatten().collect::<Vec<_>>().join(", ")
        };
        let colours = palette(groups.len());
        let curve = |(points, colour): (Vec<usize>, Colour)| Curve {
            name: name(points[0]),
            colour,
            points,
        };
        groups.into_iter().zip(colours).map(curve).collect()
    }

    /// Heading of the legend of the curves.
    pub fn legend(&self) -> String {
        let is_level = self.curves.len() > 1 && self.curves.iter().all(|c| !c.name.contains("Hz"));
        if is_level { "load factor".into() } else { String::new() }
    }

    /// Lines of one quantity, stable parts whole and others dashed.
    pub fn lines(&self, value: &dyn Fn(usize) -> f64) -> Vec<Series> {
        let mut series = Vec::new();
        for curve in &self.curves {
            let visible = |i: usize, wanted: bool| {
                let is_stable = self.stable.as_ref().is_none_or(|stable| stable[i]);
                if self.converged[i] && is_stable == wanted { value(i) } else { f64::NAN }
            };
            let points = |wanted: bool| -> Vec<[f64; 2]> {
                curve.points.iter().map(|i| [self.parameter[*i], visible(*i, wanted)]).collect()
            };
            series.push(Series::line(&curve.name, points(true), curve.colour));
            if self.stable.as_ref().is_some_and(|s| curve.points.iter().any(|i| !s[*i])) {
                series.push(Series::line("", self.bridged(curve, value), curve.colour).dashed());
            }
        }
        series
    }

    /// Unstable parts with the stable points next to them, so that no gap is seen.
    fn bridged(&self, curve: &Curve, value: &dyn Fn(usize) -> f64) -> Vec<[f64; 2]> {
        let is_unstable = |k: usize| {
            let i = curve.points.get(k).copied();
            i.is_some_and(|i| self.stable.as_ref().is_some_and(|stable| !stable[i]))
        };
        let shown = |k: usize| is_unstable(k) || is_unstable(k + 1) || k > 0 && is_unstable(k - 1);
        let point = |(k, i): (usize, &usize)| {
            let y = if shown(k) && self.converged[*i] { value(*i) } else { f64::NAN };
            [self.parameter[*i], y]
        };
        curve.points.iter().enumerate().map(point).collect()
    }

    /// The converged point of a curve with the largest value.
    pub fn peak(&self, curve: &Curve, values: &[f64]) -> Option<usize> {
        let solved = curve.points.iter().filter(|i| self.converged[**i]);
        solved.max_by(|a, b| values[**a].total_cmp(&values[**b])).copied()
    }

    /// The peaks of all curves that have one.
    pub fn peaks(&self, values: &[f64]) -> Vec<usize> {
        self.curves.iter().filter_map(|curve| self.peak(curve, values)).collect()
    }

    /// The curve that a point belongs to.
    pub fn curve_of(&self, point: usize) -> &Curve {
        let own = self.curves.iter().find(|curve| curve.points.contains(&point));
        own.unwrap_or(&self.curves[0])
    }
}
