//! Axes: from values to pixels, and ticks at round numbers.

use super::number::{digits, prefixed, pretty_unit, superscript};

/// How an axis is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal ratios; only positive values appear.
    Log,
}

/// What an axis shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// Name of the quantity.
    pub label: String,
    /// Unit, as results name it; `1` for pure numbers.
    pub unit: String,
    /// Its division.
    pub scale: Scale,
    /// Ends; left out: those of the data.
    pub range: Option<[f64; 2]>,
    /// Distance of the ticks; left out: a round number.
    pub step: Option<f64>,
}

impl Axis {
    /// A linear axis over the data.
    pub fn new(label: &str, unit: &str) -> Self {
        Self { label: label.into(), unit: unit.into(), ..Self::default() }
    }

    /// The same, logarithmic.
    pub fn log(self) -> Self {
        Self { scale: Scale::Log, ..self }
    }

    /// The same with given ends.
    pub fn from_to(self, range: [f64; 2]) -> Self {
        Self { range: Some(range), ..self }
    }

    /// The same with given distance of ticks.
    pub fn every(self, step: f64) -> Self {
        Self { step: Some(step), ..self }
    }
}

/// An axis with its place on the paper.
#[derive(Debug, Clone)]
pub struct Placed {
    scale: Scale,
    /// First and last value.
    pub values: [f64; 2],
    /// Their pixels.
    pub pixels: [f64; 2],
    /// Values are multiplied by this for reading.
    pub factor: f64,
    /// Unit of the multiplied values.
    pub unit: String,
    label: String,
    step: Option<f64>,
}

/// A tick: where, its text, and whether it is a main one.
pub type Tick = (f64, String);

impl Placed {
    /// Lays an axis over data; `pad` widens a range that the data give.
    pub fn new(axis: &Axis, data: impl Iterator<Item = f64>, pixels: [f64; 2], pad: f64) -> Self {
        let usable = |v: &f64| v.is_finite() && (axis.scale == Scale::Linear || *v > 0.0);
        let ends = data
            .filter(usable)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
        let values = match axis.range {
            Some([low, high]) if low < high && usable(&low) => [low, high],
            _ => widened(ends, axis.scale, pad),
        };
        let largest = values[0].abs().max(values[1].abs());
        let (factor, unit) = match axis.scale {
            Scale::Linear => prefixed(largest, &axis.unit),
            Scale::Log => (1.0, pretty_unit(&axis.unit)),
        };
        let (scale, label, step) = (axis.scale, axis.label.clone(), axis.step);
        Self { scale, values, pixels, factor, unit, label, step }
    }

    /// Pixel of a value; not a number where it cannot be shown.
    pub fn at(&self, value: f64) -> f64 {
        let [a, b] = self.values;
        let share = match self.scale {
            Scale::Linear => (value - a) / (b - a),
            Scale::Log if value > 0.0 => (value / a).ln() / (b / a).ln(),
            Scale::Log => f64::NAN,
        };
        self.pixels[0] + share * (self.pixels[1] - self.pixels[0])
    }

    /// Label with unit.
    pub fn title(&self) -> String {
        if self.unit.is_empty() {
            return self.label.clone();
        }
        format!("{} [{}]", self.label, self.unit)
    }

    /// Equation (1) of the module as attributes: pixels, values for reading, division and names.
    pub fn data(&self, name: &str) -> String {
        let [p, q] = self.pixels;
        let [a, b] = self.values.map(|v| v * self.factor);
        let kind = if self.scale == Scale::Log { "log" } else { "linear" };
        let (label, unit) = (super::escape(&self.label), super::escape(&self.unit));
        format!(
            " data-{name}=\"{p:.2} {q:.2} {a:e} {b:e} {kind}\" data-{name}-label=\"{label}\" \
             data-{name}-unit=\"{unit}\""
        )
    }

    /// Main ticks with texts.
    pub fn ticks(&self) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Log => self.log_ticks(),
        }
    }

    /// Texts need more room beside each other than above each other.
    fn linear_ticks(&self) -> Vec<Tick> {
        let [a, b] = self.values.map(|v| v * self.factor);
        let length = (self.pixels[1] - self.pixels[0]).abs();
        let apart = if self.pixels[1] < self.pixels[0] { 42.0 } else { 64.0 };
        let step = self.step.unwrap_or_else(|| round_step((b - a) * apart / length.max(1.0)));
        let decimals = (-(step * 1.0001).log10().floor()).max(0.0) as usize;
        let first = (a / step - 1e-6).ceil() as i64;
        let last = (b / step + 1e-6).floor() as i64;
        let text = |v: f64| {
            let text = format!("{v:.decimals$}").replace('-', "−");
            if v == 0.0 { "0".to_string() } else { text }
        };
        let last = last.min(first + 40);
        (first..=last).map(|i| i as f64 * step).map(|v| (v / self.factor, text(v))).collect()
    }

    fn log_ticks(&self) -> Vec<Tick> {
        let [a, b] = self.values;
        let (low, high) = (a.log10().floor() as i32, b.log10().ceil() as i32);
        let decades = b.log10() - a.log10();
        let digits_shown: &[i32] = match decades {
            d if d > 2.2 => &[1],
            d if d > 1.0 => &[1, 2, 5],
            _ => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        };
        let every = (decades / 7.0).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for exponent in (low..=high).filter(|e| e.rem_euclid(every) == 0) {
            for digit in digits_shown {
                let value = f64::from(*digit) * 10f64.powi(exponent);
                if (a * (1.0 - 1e-9)..=b * (1.0 + 1e-9)).contains(&value) {
                    ticks.push((value, power_text(*digit, exponent)));
                }
            }
        }
        ticks
    }

    /// Small ticks between the decades.
    pub fn minor_ticks(&self) -> Vec<f64> {
        let [a, b] = self.values;
        if self.scale == Scale::Linear || b / a > 1e8 {
            return vec![];
        }
        let (low, high) = (a.log10().floor() as i32, b.log10().ceil() as i32);
        let all = (low..=high).flat_map(|e| (1..10).map(move |d| f64::from(d) * 10f64.powi(e)));
        all.filter(|v| (a..=b).contains(v)).collect()
    }
}

fn power_text(digit: i32, exponent: i32) -> String {
    if (-2..4).contains(&exponent) {
        return digits(f64::from(digit) * 10f64.powi(exponent), 1);
    }
    let power = format!("10{}", superscript(exponent));
    if digit == 1 { power } else { format!("{digit}·{power}") }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let choice = [1.0, 2.0, 5.0].into_iter().find(|m| m * power >= step * 0.999);
    choice.unwrap_or(10.0) * power
}

/// Ends with a margin; a range without length gets one.
fn widened([low, high]: [f64; 2], scale: Scale, pad: f64) -> [f64; 2] {
    if low > high {
        return if scale == Scale::Log { [0.1, 1.0] } else { [0.0, 1.0] };
    }
    match scale {
        Scale::Linear => {
            let length = high - low;
            if length <= 1e-9 * low.abs().max(high.abs()) {
                let half = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
                return [low - half, high + half];
            }
            let sticks = |end: f64| end == 0.0;
            [
                if sticks(low) { low } else { low - pad * length },
                if sticks(high) { high } else { high + pad * length },
            ]
        }
        Scale::Log => {
            let ratio = (high / low).max(1.0 + 1e-9).powf(pad).max(1.02);
            let low = low.max(high * 1e-14);
            if high / low < 1.001 { [low / 2.0, high * 2.0] } else { [low / ratio, high * ratio] }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(axis: Axis, data: &[f64]) -> Placed {
        Placed::new(&axis, data.iter().copied(), [0.0, 400.0], 0.0)
    }

    #[test]
    fn linear_ticks_are_round_and_inside() {
        let axis = placed(Axis::new("f", "Hz"), &[20.0, 250.0]);
        let texts: Vec<String> = axis.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["50", "100", "150", "200", "250"]);
        assert!((axis.at(20.0), axis.at(250.0)) == (0.0, 400.0));
    }

    #[test]
    fn small_lengths_are_shown_with_a_prefix() {
        let axis = placed(Axis::new("u", "m"), &[0.0, 3.0e-6]);
        assert_eq!(axis.title(), "u [µm]");
        let texts: Vec<String> = axis.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]);
    }

    #[test]
    fn logarithmic_axes_map_ratios_to_lengths() {
        let axis = placed(Axis::new("u", "m").log().from_to([1e-8, 1e-4]), &[]);
        assert!((axis.at(1e-6) - 200.0).abs() < 1e-9);
        let texts: Vec<String> = axis.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴"]);
        assert!(axis.at(0.0).is_nan() && axis.at(-1.0).is_nan());
    }

    #[test]
    fn any_data_gives_a_usable_axis() {
        for data in
            [&[][..], &[f64::NAN], &[0.0], &[5.0, 5.0], &[-1.0, f64::INFINITY], &[1e-300, 1e300]]
        {
            for axis in [Axis::new("x", "1"), Axis::new("x", "m").log()] {
                let axis = placed(axis, data);
                assert!(axis.values[0] < axis.values[1], "{data:?}");
                assert!(axis.ticks().len() < 60, "{data:?}");
            }
        }
    }
}
