//! The few SVG elements that figures are made of.

use std::fmt::Write;

use super::colour::Colour;

/// Text with the characters that XML reserves replaced.
pub fn escape(text: &str) -> String {
    let allowed = |c: &char| *c >= ' ' || *c == '\n' || *c == '\t';
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(allowed) {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}

/// Where a text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG document that grows.
#[derive(Debug)]
pub struct Svg {
    size: [f64; 2],
    body: String,
    data: String,
}

/// Width of a text in the font of the figures, roughly.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.56 * size * text.chars().count() as f64
}

impl Svg {
    pub fn new(size: [f64; 2]) -> Self {
        Self { size, body: String::new(), data: String::new() }
    }

    pub fn width(&self) -> f64 {
        self.size[0]
    }

    /// Adds attributes of the whole figure.
    pub fn data(&mut self, attributes: &str) {
        self.data += attributes;
    }

    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], colour: Colour, width: f64) {
        let _ = write!(
            self.body,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{}\" stroke-width=\"{width}\" fill=\"none\"/>",
            from[0],
            from[1],
            to[0],
            to[1],
            colour.hex()
        );
    }

    pub fn rectangle(&mut self, corner: [f64; 2], size: [f64; 2], attributes: &str) {
        let _ = write!(
            self.body,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" {attributes}/>",
            corner[0],
            corner[1],
            size[0].max(0.0),
            size[1].max(0.0)
        );
    }

    pub fn path(&mut self, d: &str, attributes: &str) {
        let _ = write!(self.body, "<path d=\"{d}\" {attributes}/>");
    }

    pub fn circle(&mut self, centre: [f64; 2], radius: f64, attributes: &str) {
        let [x, y] = centre;
        let _ =
            write!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" {attributes}/>");
    }

    pub fn text(&mut self, at: [f64; 2], text: &str, anchor: Anchor, size: f64) {
        self.styled_text(at, text, anchor, size, "");
    }

    pub fn styled_text(
        &mut self,
        [x, y]: [f64; 2],
        text: &str,
        anchor: Anchor,
        size: f64,
        attributes: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = write!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" {attributes}>{}</text>",
            escape(text)
        );
    }

    pub fn raw(&mut self, text: &str) {
        self.body += text;
    }

    /// The document; `title` is what a screen reader says.
    pub fn finish(self, kind: &str, title: &str) -> String {
        let [w, h] = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{kind}\" viewBox=\"0 0 {w:.0} {h:.0}\" \
             width=\"{w:.0}\" height=\"{h:.0}\" role=\"img\" aria-label=\"{}\" font-family=\"sans-serif\" \
             fill=\"{}\"{}><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>{}</svg>",
            escape(title),
            Colour::INK.hex(),
            self.data,
            self.body
        )
    }
}
