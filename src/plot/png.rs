//! Figures as pixels, with a font of their own: no font of the system is needed.

use std::sync::Arc;

use resvg::{tiny_skia, usvg};

/// A part of DejaVu Sans: Latin, Greek, digits raised and lowered, arrows and signs of mathematics.
const FONT: &[u8] = include_bytes!("sans.ttf");

/// The PNG of an SVG figure, `scale` pixels per unit.
pub fn rasterise(svg: &str, scale: f32) -> Result<Vec<u8>, String> {
    let mut options = usvg::Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_font_data(FONT.to_vec());
    let family = fonts.faces().next().map(|face| face.families[0].0.clone());
    fonts.set_sans_serif_family(family.ok_or("the font has no face")?);
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size().scale_by(scale).ok_or("the figure has no size")?;
    let mut pixels =
        tiny_skia::Pixmap::new(size.width(), size.height()).ok_or("the figure has no size")?;
    let transform = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Chart, Series, palette};

    #[test]
    fn figures_become_pixels_with_text_and_line() {
        let line = Series::line("a", vec![[0.0, 0.0], [1.0, 1.0]], palette(1)[0]);
        let mut chart = Chart::new("Title", Axis::new("x", "m"), Axis::new("y", "N"));
        let dark = |svg: &str| {
            let png = rasterise(svg, 1.0).unwrap();
            let pixels = tiny_skia::Pixmap::decode_png(&png).unwrap();
            assert_eq!(pixels.width(), 500);
            pixels.pixels().iter().filter(|p| p.red() < 80 && p.green() < 80).count()
        };
        let blank = dark(&chart.svg().replace("<text", "<desc").replace("</text", "</desc"));
        assert!(dark(&chart.svg()) > blank + 200, "texts leave dark pixels");
        chart.series.push(line);
        let png = rasterise(&chart.svg(), 1.0).unwrap();
        let pixels = tiny_skia::Pixmap::decode_png(&png).unwrap();
        let blue = pixels.pixels().iter().filter(|p| p.blue() > 140 && p.red() < 60).count();
        assert!(blue > 200, "{blue} pixels of the line");
    }
}
