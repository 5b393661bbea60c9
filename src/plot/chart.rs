//! Curves over a common pair of axes, or bars.

use std::fmt::Write;

use super::colour::Colour;
use super::scale::{Axis, Placed};
use super::svg::{Anchor, Svg, escape, text_width};

const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 46.0;
const TOP: f64 = 30.0;
const LEGEND_ROW: f64 = 17.0;
/// Names in a legend; of more curves every second, third … is named.
const MAX_NAMES: usize = 14;
/// Width of charts and maps: small enough for texts to be read on a phone.
pub(super) const WIDTH: f64 = 500.0;
/// Size of texts.
pub(super) const FONT: f64 = 12.0;

/// How points are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A ring.
    Ring,
    /// A filled dot.
    Dot,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend; none without one.
    pub name: String,
    /// Its points; one that is not a number interrupts the line.
    pub points: Vec<[f64; 2]>,
    /// Its colour.
    pub colour: Colour,
    /// Whether points are joined.
    pub has_line: bool,
    /// Broken line.
    pub is_dashed: bool,
    /// Whether the last point is joined with the first.
    pub is_closed: bool,
    /// How points are marked.
    pub marker: Option<Marker>,
}

impl Series {
    /// A line.
    pub fn line(name: &str, points: Vec<[f64; 2]>, colour: Colour) -> Self {
        Self {
            name: name.into(),
            points,
            colour,
            has_line: true,
            is_dashed: false,
            is_closed: false,
            marker: None,
        }
    }

    /// Marked points without a line.
    pub fn marks(name: &str, points: Vec<[f64; 2]>, colour: Colour) -> Self {
        Self { has_line: false, marker: Some(Marker::Ring), ..Self::line(name, points, colour) }
    }

    /// The same with a broken line.
    pub fn dashed(self) -> Self {
        Self { is_dashed: true, ..self }
    }

    /// The same with its ends joined.
    pub fn closed(self) -> Self {
        Self { is_closed: true, ..self }
    }

    /// The same with marks.
    pub fn with(self, marker: Marker) -> Self {
        Self { marker: Some(marker), ..self }
    }
}

/// A figure of curves, or of bars where `bars` names them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// Says what is seen.
    pub title: String,
    /// Axis to the right.
    pub x: Axis,
    /// Axis upwards.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
    /// Heading of the legend.
    pub legend: String,
    /// Names of bars, whose heights are the points of the series.
    pub bars: Vec<String>,
}

impl Chart {
    /// Without curves yet.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, ..Self::default() }
    }

    /// The figure as SVG.
    pub fn svg(&self) -> String {
        let width = WIDTH;
        let rows = self.legend_rows(width);
        let top = TOP + LEGEND_ROW * rows.len() as f64 + if rows.is_empty() { 0.0 } else { 6.0 };
        let size = [width, top + 250.0 + BOTTOM];
        let mut svg = Svg::new(size);
        let frame = Frame { left: LEFT, right: width - RIGHT, top, bottom: size[1] - BOTTOM };
        let x = self.horizontal(&frame);
        let heights = self.series.iter().flat_map(|s| s.points.iter().map(|p| p[1]));
        let base = if self.bars.is_empty() { None } else { Some(0.0) };
        let y = Placed::new(&self.y, heights.chain(base), [frame.bottom, frame.top], 0.06);
        svg.text([16.0, 19.0], &self.title, Anchor::Start, 13.5);
        self.draw_legend(&mut svg, &rows);
        frame.draw(&mut svg, &x, &y, self.bars.is_empty());
        let clip = format!("c{:x}", fingerprint(&format!("{self:?}")));
        let [w, h] = [frame.right - frame.left, frame.bottom - frame.top];
        svg.raw(&format!(
            "<clipPath id=\"{clip}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"/></clipPath>\
             <g clip-path=\"url(#{clip})\">",
            frame.left, frame.top
        ));
        if self.bars.is_empty() {
            self.series.iter().for_each(|series| draw(&mut svg, series, &x, &y));
        } else {
            self.draw_bars(&mut svg, &x, &y);
        }
        svg.raw("</g>");
        self.name_bars(&mut svg, &x, frame.bottom);
        svg.data(&x.data("x"));
        svg.data(&y.data("y"));
        svg.finish(if self.bars.is_empty() { "chart" } else { "bars" }, &self.title)
    }

    fn horizontal(&self, frame: &Frame) -> Placed {
        let pixels = [frame.left, frame.right];
        if self.bars.is_empty() {
            let places = self.series.iter().flat_map(|s| s.points.iter().map(|p| p[0]));
            return Placed::new(&self.x, places, pixels, 0.02);
        }
        let axis = self.x.clone().from_to([-0.6, self.bars.len() as f64 - 0.4]);
        Placed::new(&axis, std::iter::empty(), pixels, 0.0)
    }

    /// Named series, as many in a row as fit.
    fn legend_rows(&self, width: f64) -> Vec<Vec<&Series>> {
        let named: Vec<&Series> = self.series.iter().filter(|s| !s.name.is_empty()).collect();
        let is_alone = self.series.len() < 2 && self.legend.is_empty();
        if named.is_empty() || is_alone {
            return vec![];
        }
        let every = named.len().div_ceil(MAX_NAMES);
        let mut rows: Vec<Vec<&Series>> = vec![vec![]];
        let mut used = text_width(&self.legend, FONT);
        for series in named.into_iter().step_by(every) {
            let own = 38.0 + text_width(&series.name, FONT);
            if used + own > width - 30.0 && !rows[rows.len() - 1].is_empty() {
                rows.push(vec![]);
                used = 0.0;
            }
            used += own;
            rows.last_mut().expect("there is a row").push(series);
        }
        rows
    }

    fn draw_legend(&self, svg: &mut Svg, rows: &[Vec<&Series>]) {
        for (i, row) in rows.iter().enumerate() {
            let y = TOP + 8.0 + LEGEND_ROW * i as f64;
            let mut x = 16.0;
            if i == 0 && !self.legend.is_empty() {
                svg.text([x, y + 4.0], &self.legend, Anchor::Start, FONT);
                x += text_width(&self.legend, FONT) + 12.0;
            }
            for series in row {
                let style = stroke(series);
                if series.has_line && self.bars.is_empty() {
                    svg.path(&format!("M{x:.1} {y:.1}h20"), &style);
                } else if !self.bars.is_empty() {
                    let fill = format!("fill=\"{}\"", series.colour.hex());
                    svg.rectangle([x + 4.0, y - 5.0], [12.0, 10.0], &fill);
                }
                if let Some(marker) = series.marker {
                    mark(svg, [x + 10.0, y], marker, series.colour, "");
                }
                svg.text([x + 25.0, y + 4.0], &series.name, Anchor::Start, FONT);
                x += 38.0 + text_width(&series.name, FONT);
            }
        }
    }

    fn draw_bars(&self, svg: &mut Svg, x: &Placed, y: &Placed) {
        let n = self.series.len().max(1) as f64;
        let wide = 0.8 / n;
        for (s, series) in self.series.iter().enumerate() {
            for (i, [_, height]) in series.points.iter().enumerate().filter(|p| p.1[1].is_finite())
            {
                let left = x.at(i as f64 - 0.4 + wide * s as f64);
                let right = x.at(i as f64 - 0.4 + wide * (s + 1) as f64);
                let ends = [y.at(*height), y.at(0.0)];
                let (top, bottom) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
                let (name, bar) = (escape(&series.name), escape(&self.bars[i]));
                let attributes = format!(
                    "fill=\"{}\" class=\"c\" data-v=\"{} {bar}: {}\"",
                    series.colour.hex(),
                    name,
                    super::number::short(height * y.factor)
                );
                let size = [(right - left - 1.0).max(1.0), (bottom - top).max(0.5)];
                svg.rectangle([left, top], size, &attributes);
            }
        }
    }

    fn name_bars(&self, svg: &mut Svg, x: &Placed, bottom: f64) {
        let every = self.bars.len().div_ceil(20).max(1);
        for (i, name) in self.bars.iter().enumerate().step_by(every) {
            svg.text([x.at(i as f64), bottom + 16.0], name, Anchor::Middle, 11.0);
        }
    }
}

/// The rectangle that data are drawn in.
pub(super) struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Frame {
    /// Grid, ticks, names of the axes.
    pub fn draw(&self, svg: &mut Svg, x: &Placed, y: &Placed, x_ticks: bool) {
        self.draw_y(svg, y, true);
        for value in y.minor_ticks() {
            let at = y.at(value);
            svg.line([self.left, at], [self.left + 4.0, at], Colour::PALE, 1.0);
        }
        if x_ticks {
            for value in x.minor_ticks() {
                let at = x.at(value);
                svg.line([at, self.bottom], [at, self.bottom - 4.0], Colour::PALE, 1.0);
            }
            self.draw_x(svg, x, true);
        } else {
            let middle = 0.5 * (self.left + self.right);
            svg.text([middle, self.bottom + 38.0], &x.title(), Anchor::Middle, FONT);
        }
        let style = format!("fill=\"none\" stroke=\"{}\"", Colour::PALE.hex());
        let size = [self.right - self.left, self.bottom - self.top];
        svg.rectangle([self.left, self.top], size, &style);
    }

    pub fn draw_x(&self, svg: &mut Svg, x: &Placed, grid: bool) {
        let mut free_from = f64::NEG_INFINITY;
        for (value, text) in x.ticks() {
            let at = x.at(value);
            if grid {
                svg.line([at, self.top], [at, self.bottom], Colour::GRID, 1.0);
            }
            let half = 0.5 * text_width(&text, 11.5);
            if at - half > free_from {
                svg.text([at, self.bottom + 16.0], &text, Anchor::Middle, 11.5);
                free_from = at + half + 3.0;
            }
        }
        let middle = 0.5 * (self.left + self.right);
        svg.text([middle, self.bottom + 36.0], &x.title(), Anchor::Middle, FONT);
    }

    pub fn draw_y(&self, svg: &mut Svg, y: &Placed, grid: bool) {
        for (value, text) in y.ticks() {
            let at = y.at(value);
            if grid {
                svg.line([self.left, at], [self.right, at], Colour::GRID, 1.0);
            }
            svg.text([self.left - 6.0, at + 4.0], &text, Anchor::End, 11.5);
        }
        let middle = 0.5 * (self.top + self.bottom);
        let turned = format!("transform=\"rotate(-90 15 {middle:.1})\"");
        svg.styled_text([15.0, middle], &y.title(), Anchor::Middle, FONT, &turned);
    }
}

/// A number that tells figures on one page apart: names inside an SVG count for the whole page.
pub(super) fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn stroke(series: &Series) -> String {
    let dash = if series.is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    format!(
        "fill=\"none\" stroke=\"{}\" stroke-width=\"1.7\" stroke-linejoin=\"round\"{dash}",
        series.colour.hex()
    )
}

fn mark(svg: &mut Svg, at: [f64; 2], marker: Marker, colour: Colour, attributes: &str) {
    let hex = colour.hex();
    let style = match marker {
        Marker::Ring => format!("fill=\"#fff\" stroke=\"{hex}\" stroke-width=\"1.4\" {attributes}"),
        Marker::Dot => format!("fill=\"{hex}\" {attributes}"),
    };
    svg.circle(at, if marker == Marker::Ring { 3.0 } else { 2.2 }, &style);
}

/// The line of a series as one path with its points as corners, then the marks.
fn draw(svg: &mut Svg, series: &Series, x: &Placed, y: &Placed) {
    let corners: Vec<[f64; 2]> = series.points.iter().map(|p| [x.at(p[0]), y.at(p[1])]).collect();
    let mut d = String::new();
    let mut is_down = false;
    for [px, py] in &corners {
        if !(px.is_finite() && py.is_finite()) {
            is_down = false;
            continue;
        }
        // Far outside the paper numbers become long; the frame clips them anyway.
        let (px, py) = (px.clamp(-9e3, 9e3), py.clamp(-9e3, 9e3));
        let _ = write!(d, "{}{px:.2} {py:.2}", if is_down { 'L' } else { 'M' });
        is_down = true;
    }
    let name = escape(&series.name);
    if series.is_closed && !d.is_empty() {
        d.push('Z');
    }
    let style =
        if series.has_line { stroke(series) } else { "fill=\"none\" stroke=\"none\"".into() };
    svg.path(&d, &format!("class=\"s\" data-name=\"{name}\" {style}"));
    if let Some(marker) = series.marker {
        for at in corners.iter().filter(|p| p[0].is_finite() && p[1].is_finite()) {
            mark(svg, *at, marker, series.colour, "");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::palette;

    fn corners(svg: &str) -> Vec<[f64; 2]> {
        let d = svg.split("class=\"s\"").next().unwrap().rsplit("<path d=\"").next().unwrap();
        let d = d.split('"').next().unwrap().replace(['M', 'L'], " ");
        let numbers: Vec<f64> = d.split_whitespace().map(|n| n.parse().unwrap()).collect();
        numbers.chunks(2).map(|p| [p[0], p[1]]).collect()
    }

    /// Inverts equation (1) of the module with what the figure says about itself.
    fn value(svg: &str, axis: &str, pixel: f64) -> f64 {
        let text =
            svg.split(&format!(" data-{axis}=\"")).nth(1).unwrap().split('"').next().unwrap();
        let parts: Vec<&str> = text.split(' ').collect();
        let number = |i: usize| parts[i].parse::<f64>().unwrap();
        let share = (pixel - number(0)) / (number(1) - number(0));
        match parts[4] {
            "log" => number(2) * (number(3) / number(2)).powf(share),
            _ => number(2) + share * (number(3) - number(2)),
        }
    }

    #[test]
    fn a_reader_can_recover_the_data_from_the_figure() {
        let points = vec![[20.0, 1e-6], [130.0, 3.7e-5], [250.0, 2e-7]];
        let mut chart = Chart::new("t", Axis::new("f", "Hz"), Axis::new("u", "m").log());
        chart.series.push(Series::line("a", points.clone(), palette(1)[0]));
        let svg = chart.svg();
        for (corner, point) in corners(&svg).iter().zip(&points) {
            assert!((value(&svg, "x", corner[0]) / point[0] - 1.0).abs() < 1e-3);
            assert!((value(&svg, "y", corner[1]) / point[1] - 1.0).abs() < 1e-3);
        }
        chart.y = Axis::new("u", "m");
        let svg = chart.svg();
        let top = value(&svg, "y", corners(&svg)[1][1]);
        assert!((top / 37.0 - 1.0).abs() < 1e-3, "micrometres: {top}");
    }

    #[test]
    fn names_cannot_break_the_document() {
        let mut chart = Chart::new("a < b & \"c\"", Axis::new("<x>", "1"), Axis::new("y", "1"));
        chart.series.push(Series::line(
            "</svg><script>",
            vec![[0.0, 0.0], [1.0, f64::NAN]],
            palette(1)[0],
        ));
        chart.series.push(Series::marks("&", vec![], palette(1)[0]));
        let svg = chart.svg();
        assert!(!svg.contains("<script") && !svg.contains("NaN"));
        assert_eq!(svg.matches("</svg>").count(), 1);
    }
}
