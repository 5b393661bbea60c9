//! Maps: a colour for every cell of a grid, states by name or magnitudes by a ramp.

use std::fmt::Write;

use super::chart::{Frame, WIDTH};
use super::colour::{Colour, ramp};
use super::number::short;
use super::scale::{Axis, Placed};
use super::svg::{Anchor, Svg, escape, text_width};

/// What the cells hold, row after row from the bottom.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Indices of named states; others stay white.
    States {
        /// Index of every cell.
        values: Vec<u8>,
        /// Name and colour of each state.
        names: Vec<(String, Colour)>,
    },
    /// Magnitudes between two ends.
    Magnitudes {
        /// Value of every cell; one that is not a number stays white.
        values: Vec<f64>,
        /// Values of the darkest and of the lightest colour.
        range: [f64; 2],
        /// Name of the magnitude.
        name: String,
    },
}

/// A map over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Says what is seen.
    pub title: String,
    /// Axis to the right.
    pub x: Axis,
    /// Axis upwards.
    pub y: Axis,
    /// Boundaries of the columns, one more than there are columns.
    pub x_edges: Vec<f64>,
    /// Boundaries of the rows.
    pub y_edges: Vec<f64>,
    /// Names of the rows, which then lie between whole numbers, instead of values along the axis.
    pub row_names: Vec<String>,
    /// The cells.
    pub cells: Cells,
}

impl Map {
    /// Boundaries halfway between the given centres.
    pub fn edges(centres: &[f64]) -> Vec<f64> {
        match centres {
            [] => vec![0.0, 1.0],
            [only] => vec![only - 0.5, only + 0.5],
            _ => {
                let n = centres.len();
                let mut edges = vec![1.5 * centres[0] - 0.5 * centres[1]];
                edges.extend(centres.windows(2).map(|w| 0.5 * (w[0] + w[1])));
                edges.push(1.5 * centres[n - 1] - 0.5 * centres[n - 2]);
                edges
            }
        }
    }

    /// The figure as SVG.
    pub fn svg(&self) -> String {
        let rows = self.y_edges.len().saturating_sub(1);
        let named_height = 24.0 * rows as f64;
        let height =
            if self.row_names.is_empty() { 220.0 } else { named_height.clamp(48.0, 300.0) };
        let longest = self.row_names.iter().map(|n| text_width(n, 11.5)).fold(0.0, f64::max);
        let left = if self.row_names.is_empty() { 62.0 } else { 34.0 + longest };
        let frame = Frame { left, right: WIDTH - 14.0, top: 56.0, bottom: 56.0 + height };
        let mut svg = Svg::new([WIDTH, frame.bottom + 46.0]);
        svg.text([16.0, 19.0], &self.title, Anchor::Start, 13.5);
        let ends = |edges: &[f64]| [edges[0], edges[edges.len() - 1]];
        let no_data = std::iter::empty;
        let x = self.x.clone().from_to(ends(&self.x_edges));
        let x = Placed::new(&x, no_data(), [frame.left, frame.right], 0.0);
        let y = self.y.clone().from_to(ends(&self.y_edges));
        let y = Placed::new(&y, no_data(), [frame.bottom, frame.top], 0.0);
        match &self.cells {
            Cells::States { values, names } => {
                self.draw_states(&mut svg, values, names, &x, &y);
                draw_names(&mut svg, names);
            }
            Cells::Magnitudes { values, range, name } => {
                self.draw_magnitudes(&mut svg, values, *range, &x, &y);
                draw_bar(&mut svg, *range, name);
            }
        }
        let outline = format!("fill=\"none\" stroke=\"{}\"", Colour::PALE.hex());
        svg.rectangle([frame.left, frame.top], [frame.right - frame.left, height], &outline);
        frame.draw_x(&mut svg, &x, false);
        self.name_rows(&mut svg, &frame, &y);
        svg.data(&x.data("x"));
        svg.data(&y.data("y"));
        if !self.row_names.is_empty() {
            svg.data(&format!(" data-rows=\"{}\"", escape(&format!("{:?}", self.row_names))));
        }
        svg.finish("map", &self.title)
    }

    fn name_rows(&self, svg: &mut Svg, frame: &Frame, y: &Placed) {
        if self.row_names.is_empty() {
            return frame.draw_y(svg, y, false);
        }
        for (name, edges) in self.row_names.iter().zip(self.y_edges.windows(2)) {
            let at = y.at(0.5 * (edges[0] + edges[1])) + 4.0;
            svg.text([frame.left - 6.0, at], name, Anchor::End, 11.5);
        }
        let middle = 0.5 * (frame.top + frame.bottom);
        let turned = format!("transform=\"rotate(-90 14 {middle:.1})\"");
        svg.styled_text([14.0, middle], &y.title(), Anchor::Middle, 12.0, &turned);
    }

    /// One path per state: neighbours in a row that share it are one rectangle.
    fn draw_states(
        &self,
        svg: &mut Svg,
        values: &[u8],
        names: &[(String, Colour)],
        x: &Placed,
        y: &Placed,
    ) {
        let columns = self.x_edges.len() - 1;
        for (state, (name, colour)) in names.iter().enumerate() {
            let mut d = String::new();
            for (row, cells) in values.chunks(columns.max(1)).enumerate() {
                let Some(edges) = self.y_edges.get(row..row + 2) else { break };
                let (top, bottom) = (y.at(edges[1]), y.at(edges[0]));
                let mut i = 0;
                while i < cells.len() {
                    let run = cells[i..].iter().take_while(|c| usize::from(**c) == state).count();
                    if run > 0 {
                        let (from, to) = (x.at(self.x_edges[i]), x.at(self.x_edges[i + run]));
                        let (w, h) = (to - from + 0.2, bottom - top + 0.2);
                        let _ = write!(d, "M{from:.1} {top:.1}h{w:.1}v{h:.1}h{:.1}z", -w);
                    }
                    i += run.max(1);
                }
            }
            let name = escape(name);
            svg.path(&d, &format!("fill=\"{}\" class=\"c\" data-v=\"{name}\"", colour.hex()));
        }
    }

    fn draw_magnitudes(
        &self,
        svg: &mut Svg,
        values: &[f64],
        range: [f64; 2],
        x: &Placed,
        y: &Placed,
    ) {
        let columns = self.x_edges.len() - 1;
        for (i, value) in values.iter().enumerate().filter(|(_, v)| v.is_finite()) {
            let (row, column) = (i / columns, i % columns);
            let Some(edges) = self.y_edges.get(row..row + 2) else { break };
            let (left, right) = (x.at(self.x_edges[column]), x.at(self.x_edges[column + 1]));
            let (top, bottom) = (y.at(edges[1]), y.at(edges[0]));
            let colour = ramp((value - range[0]) / (range[1] - range[0]));
            let attributes =
                format!("fill=\"{}\" class=\"c\" data-v=\"{}\"", colour.hex(), short(*value));
            svg.rectangle([left, top], [right - left + 0.2, bottom - top + 0.2], &attributes);
        }
    }
}

fn draw_names(svg: &mut Svg, names: &[(String, Colour)]) {
    let mut at = 16.0;
    for (name, colour) in names {
        let style = format!("fill=\"{}\" stroke=\"{}\"", colour.hex(), Colour::PALE.hex());
        svg.rectangle([at, 32.0], [14.0, 12.0], &style);
        svg.text([at + 20.0, 42.0], name, Anchor::Start, 12.0);
        at += 36.0 + text_width(name, 12.0);
    }
}

fn draw_bar(svg: &mut Svg, [low, high]: [f64; 2], name: &str) {
    let first = short(low);
    svg.text([16.0, 42.0], &first, Anchor::Start, 12.0);
    let left = 24.0 + text_width(&first, 12.0);
    for i in 0..40 {
        let fill = format!("fill=\"{}\"", ramp(f64::from(i) / 39.0).hex());
        svg.rectangle([left + 4.0 * f64::from(i), 32.0], [4.2, 12.0], &fill);
    }
    let label = format!("{}   {name}", short(high));
    svg.text([left + 168.0, 42.0], &label, Anchor::Start, 12.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lie_between_centres() {
        assert_eq!(Map::edges(&[1.0, 2.0, 4.0]), [0.5, 1.5, 3.0, 5.0]);
        assert_eq!(Map::edges(&[3.0]), [2.5, 3.5]);
    }

    #[test]
    fn equal_neighbours_become_one_rectangle() {
        let names = ["stick", "slip"].map(|n| (n.to_string(), Colour::INK)).to_vec();
        let map = Map {
            title: "t".into(),
            x: Axis::new("t", "1"),
            y: Axis::new("p", "m"),
            x_edges: vec![0.0, 1.0, 2.0, 3.0, 4.0],
            y_edges: vec![0.0, 1.0],
            row_names: vec![],
            cells: Cells::States { values: vec![0, 0, 1, 0], names },
        };
        let svg = map.svg();
        let paths: Vec<&str> = svg.split("<path d=\"").skip(1).collect();
        assert_eq!(
            paths[0].split('"').next().unwrap().matches('M').count(),
            2,
            "two runs of stick"
        );
        assert_eq!(paths[1].split('"').next().unwrap().matches('M').count(), 1);
    }
}
