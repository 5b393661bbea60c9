//! Drawings in the plane of the model, with equal scales along both axes.

use std::fmt::Write;

use super::colour::{Colour, ramp};
use super::number::engineering;
use super::svg::{Anchor, Svg, escape, text_width};

/// What can be drawn; positions in metres.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Filled polygons with outlines, all alike.
    Polygons {
        /// Corners of each.
        corners: Vec<Vec<[f64; 2]>>,
        /// Filling.
        fill: Option<Colour>,
        /// Outline.
        outline: Option<Colour>,
    },
    /// Lines of one colour, each of two points.
    Lines {
        /// Their ends.
        ends: Vec<[[f64; 2]; 2]>,
        /// Colour.
        colour: Colour,
        /// Width in pixels.
        width: f64,
    },
    /// A dot.
    Dot {
        /// Where.
        at: [f64; 2],
        /// Radius in pixels.
        radius: f64,
        /// Colour.
        colour: Colour,
    },
    /// A triangle that stands below a node, against a direction.
    Support {
        /// Where its tip is.
        at: [f64; 2],
        /// The directions that are held; both: clamped.
        holds: [bool; 2],
    },
    /// An arrow that begins at a node.
    Arrow {
        /// Where.
        at: [f64; 2],
        /// Its direction.
        along: [f64; 2],
        /// Text beside its head.
        text: String,
        /// Colour.
        colour: Colour,
    },
    /// A text beside a node.
    Text {
        /// Where.
        at: [f64; 2],
        /// What.
        text: String,
        /// Colour.
        colour: Colour,
    },
}

/// A drawing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picture {
    /// Says what is seen.
    pub title: String,
    /// What is drawn, first things below.
    pub shapes: Vec<Shape>,
    /// Corners that must be inside beside the polygons and lines.
    pub corners: Vec<[f64; 2]>,
    /// Magnitudes behind the colours of the ramp: name and largest value.
    pub ramp: Option<(String, f64)>,
    /// Width in pixels.
    pub width: f64,
    /// Whether a bar tells lengths.
    pub has_ruler: bool,
}

/// From metres to pixels.
struct View {
    origin: [f64; 2],
    scale: f64,
    offset: [f64; 2],
}

impl View {
    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let dx = self.scale * (x - self.origin[0]);
        let dy = self.scale * (y - self.origin[1]);
        [self.offset[0] + dx, self.offset[1] - dy]
    }
}

impl Picture {
    /// The drawing as SVG.
    pub fn svg(&self) -> String {
        let (low, high) = self.extent();
        let size = [(high[0] - low[0]).max(1e-300), (high[1] - low[1]).max(1e-300)];
        let (margin, top) = (46.0, if self.ramp.is_some() { 62.0 } else { 44.0 });
        let (wide, tall) = (self.width - 2.0 * margin, 0.62 * self.width);
        let scale = (wide / size[0]).min(tall / size[1]);
        let height = (scale * size[1]).max(24.0);
        let bottom = if self.has_ruler { 64.0 } else { 30.0 };
        let view = View {
            origin: low,
            scale,
            offset: [
                margin + 0.5 * (wide - scale * size[0]),
                top + 0.5 * (height + scale * size[1]),
            ],
        };
        let mut svg = Svg::new([self.width, top + height + bottom]);
        for shape in &self.shapes {
            draw(&mut svg, shape, &view);
        }
        svg.text([16.0, 19.0], &self.title, Anchor::Start, 13.5);
        if let Some((name, largest)) = &self.ramp {
            draw_ramp(&mut svg, name, *largest);
        }
        if self.has_ruler {
            self.draw_ruler(&mut svg, &view, size[0], top + height + bottom - 16.0);
        }
        svg.finish("picture", &self.title)
    }

    fn extent(&self) -> ([f64; 2], [f64; 2]) {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        let mut include = |point: &[f64; 2]| {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        };
        self.corners.iter().for_each(&mut include);
        for shape in &self.shapes {
            match shape {
                Shape::Polygons { corners, .. } => corners.iter().flatten().for_each(&mut include),
                Shape::Lines { ends, .. } => ends.iter().flatten().for_each(&mut include),
                Shape::Dot { at, .. } => include(at),
                _ => {}
            }
        }
        if low[0] > high[0] { ([0.0; 2], [1.0; 2]) } else { (low, high) }
    }

    fn draw_ruler(&self, svg: &mut Svg, view: &View, size: f64, y: f64) {
        let power = 10f64.powf((0.3 * size).log10().floor());
        let choices = [1.0, 2.0, 5.0].map(|m| m * power);
        let length = choices.into_iter().rev().find(|l| *l <= 0.3 * size).unwrap_or(power);
        let right = self.width - 20.0;
        let left = right - view.scale * length;
        let d = format!("M{left:.1} {:.1}v6h{:.1}v-6", y - 6.0, right - left);
        svg.path(&d, &format!("fill=\"none\" stroke=\"{}\"", Colour::INK.hex()));
        let text = engineering(length, "m");
        svg.text([0.5 * (left + right), y - 6.0], &text, Anchor::Middle, 11.5);
    }
}

fn draw(svg: &mut Svg, shape: &Shape, view: &View) {
    match shape {
        Shape::Polygons { corners, fill, outline } => {
            let d: String = corners.iter().map(|corners| join(corners, view) + "z").collect();
            let fill = fill.map_or("none".into(), Colour::hex);
            let outline = outline
                .map_or(String::new(), |c| format!("stroke=\"{}\" stroke-width=\"0.5\"", c.hex()));
            svg.path(&d, &format!("fill=\"{fill}\" {outline}"));
        }
        Shape::Lines { ends, colour, width } => {
            let d: String = ends.iter().map(|line| join(line, view)).collect();
            let hex = colour.hex();
            svg.path(
                &d,
                &format!(
                    "fill=\"none\" stroke=\"{hex}\" stroke-width=\"{width}\" stroke-linecap=\"round\""
                ),
            );
        }
        Shape::Dot { at, radius, colour } => {
            svg.circle(view.at(*at), *radius, &format!("fill=\"{}\"", colour.hex()));
        }
        Shape::Support { at, holds } => draw_support(svg, view.at(*at), *holds),
        Shape::Arrow { at, along, text, colour } => {
            draw_arrow(svg, view.at(*at), *along, (text, *colour));
        }
        Shape::Text { at, text, colour } => {
            let [x, y] = view.at(*at);
            let style = format!(
                "fill=\"{0}\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"",
                colour.hex()
            );
            svg.styled_text([x + 8.0, y - 8.0], text, Anchor::Start, 12.0, &style);
        }
    }
}

fn join(corners: &[[f64; 2]], view: &View) -> String {
    let mut d = String::new();
    for (i, corner) in corners.iter().enumerate() {
        let [x, y] = view.at(*corner);
        let _ = write!(d, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    d
}

fn draw_support(svg: &mut Svg, [x, y]: [f64; 2], holds: [bool; 2]) {
    let style = "fill=\"#5b6b7f\"";
    match holds {
        [true, false] => svg.path(&format!("M{x:.1} {y:.1}l-8 -4.5v9z"), style),
        [false, true] => svg.path(&format!("M{x:.1} {y:.1}l-4.5 8h9z"), style),
        _ => svg.rectangle([x - 3.0, y - 3.0], [6.0, 6.0], style),
    }
}

/// An arrow that leaves the node, whatever side it pushes on.
fn draw_arrow(svg: &mut Svg, [x, y]: [f64; 2], along: [f64; 2], (text, colour): (&str, Colour)) {
    let length = along[0].hypot(along[1]);
    if length == 0.0 {
        return;
    }
    let [ux, uy] = [along[0] / length, -along[1] / length];
    let (l, head, half) = (34.0, 8.0, 3.6);
    let tip = [x + l * ux, y + l * uy];
    let back = [tip[0] - head * ux, tip[1] - head * uy];
    let hex = colour.hex();
    svg.line([x, y], back, colour, 2.0);
    let d = format!(
        "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}z",
        tip[0],
        tip[1],
        back[0] - half * uy,
        back[1] + half * ux,
        back[0] + half * uy,
        back[1] - half * ux
    );
    svg.path(&d, &format!("fill=\"{hex}\""));
    let is_left = ux < -0.3 || tip[0] + 5.0 + text_width(text, 12.0) > svg.width();
    let (anchor, shift) = if is_left { (Anchor::End, -5.0) } else { (Anchor::Start, 5.0) };
    let style = format!("fill=\"{hex}\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"");
    svg.styled_text([tip[0] + shift, tip[1] + 4.0], text, anchor, 12.0, &style);
}

fn draw_ramp(svg: &mut Svg, name: &str, largest: f64) {
    svg.text([16.0, 42.0], "0", Anchor::Start, 11.5);
    for i in 0..40 {
        let fill = format!("fill=\"{}\"", ramp(f64::from(i) / 39.0).hex());
        svg.rectangle([28.0 + 3.0 * f64::from(i), 33.0], [3.2, 11.0], &fill);
    }
    let text = format!("{} {}", super::number::short(largest), escape(name));
    svg.text([154.0, 42.0], text.trim(), Anchor::Start, 11.5);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_axes_have_one_scale() {
        let corners = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
        let polygon =
            Shape::Polygons { corners: vec![corners], fill: None, outline: Some(Colour::INK) };
        let picture = Picture { shapes: vec![polygon], width: 500.0, ..Picture::default() };
        let svg = picture.svg();
        let d =
            svg.split("<path d=\"M").nth(1).unwrap().split('z').next().unwrap().replace('L', " ");
        let n: Vec<f64> = d.split_whitespace().map(|n| n.parse().unwrap()).collect();
        assert!((n[2] - n[0] - 2.0 * (n[3] - n[5])).abs() < 0.2, "{n:?}");
        assert!(n[5] < n[3], "upwards is upwards");
    }
}
