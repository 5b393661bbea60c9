//! Colours: a palette that colour-blind readers can tell apart, and a ramp for magnitudes.

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Axes and text.
    pub const INK: Self = Self(0x22, 0x2b, 0x38);
    /// Grid lines.
    pub const GRID: Self = Self(0xe3, 0xe8, 0xee);
    /// What stands in the background.
    pub const PALE: Self = Self(0xb4, 0xbe, 0xcb);

    /// `#rrggbb`.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// Okabe and Ito's colours, the yellow left out: it is too light for lines.
const PALETTE: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xd5, 0x5e, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x56, 0xb4, 0xe9),
    Colour(0x33, 0x33, 0x33),
];

/// Colours of `n` curves: those of the palette, or steps of the ramp if there are too many.
pub fn palette(n: usize) -> Vec<Colour> {
    if n <= PALETTE.len() {
        return PALETTE[..n].to_vec();
    }
    (0..n).map(|i| ramp(0.92 * i as f64 / (n - 1) as f64)).collect()
}

/// Stops of the map "viridis".
const RAMP: [Colour; 9] = [
    Colour(0x44, 0x01, 0x54),
    Colour(0x47, 0x2d, 0x7b),
    Colour(0x3b, 0x52, 0x8b),
    Colour(0x2c, 0x72, 0x8e),
    Colour(0x21, 0x91, 0x8c),
    Colour(0x28, 0xae, 0x80),
    Colour(0x5e, 0xc9, 0x62),
    Colour(0xad, 0xdc, 0x30),
    Colour(0xfd, 0xe7, 0x25),
];

/// Dark to light for 0 to 1; values outside take the end colours.
pub fn ramp(share: f64) -> Colour {
    let place = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let first = (place as usize).min(RAMP.len() - 2);
    let t = place - first as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + t * (f64::from(b) - f64::from(a))).round() as u8;
    let (a, b) = (RAMP[first], RAMP[first + 1]);
    Colour(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_meets_its_stops_and_stays_inside() {
        assert_eq!(ramp(0.0), RAMP[0]);
        assert_eq!(ramp(1.0), RAMP[8]);
        assert_eq!(ramp(0.5), RAMP[4]);
        assert_eq!(ramp(-3.0), RAMP[0]);
        assert_eq!(ramp(7.0), RAMP[8]);
    }

    #[test]
    fn curves_differ_in_colour() {
        for n in [2, 7, 12] {
            let colours = palette(n);
            assert!((1..n).all(|i| !colours[..i].contains(&colours[i])), "{n}");
        }
    }
}
