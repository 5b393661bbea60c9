//! Figures as SVG text: curves, maps and drawings, each one self-contained.
//!
//! A figure carries its styles as attributes, so it looks the same inside a page, as a file and as PNG. What a
//! reader needs to tell values under a pointer stands in `data-` attributes: the axes say how pixels become
//! values,
//!
//! ```text
//!     value = a + (b − a) (p − p_a)/(p_b − p_a) ,   log: value = a (b/a)^((p − p_a)/(p_b − p_a)) ,   (1)
//! ```
//!
//! and curves are paths whose corners are the data points.

mod chart;
mod colour;
mod map;
mod number;
mod picture;
mod png;
mod scale;
mod svg;

pub use chart::{Chart, Marker, Series};
pub use colour::{Colour, palette, ramp};
pub use map::{Cells, Map};
pub use number::{engineering, pretty_unit, short};
pub use picture::{Picture, Shape};
pub use png::rasterise;
pub use scale::{Axis, Scale};
pub use svg::escape;
