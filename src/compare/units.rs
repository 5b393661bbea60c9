//! Units of measurements: any product of the usual symbols with prefixes, turned into SI.
//!
//! `um/s`, `mm^2`, `m/s²`, `kN`; `g` is the standard gravity, the unit of accelerometers.

/// Exponents of metre, kilogram and second.
pub type Dimension = [i32; 3];

/// A unit: its size in SI and its dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Factor to SI.
    pub factor: f64,
    /// Its dimension.
    pub dimension: Dimension,
}

/// Symbols that take prefixes.
const SYMBOLS: [(&str, f64, Dimension); 9] = [
    ("Hz", 1.0, [0, 0, -1]),
    ("Pa", 1.0, [-1, 1, -2]),
    ("rad", 1.0, [0, 0, 0]),
    ("m", 1.0, [1, 0, 0]),
    ("N", 1.0, [1, 1, -2]),
    ("J", 1.0, [2, 1, -2]),
    ("W", 1.0, [2, 1, -3]),
    ("s", 1.0, [0, 0, 1]),
    ("kg", 1.0, [0, 1, 0]),
];

/// Symbols that take none.
const WHOLE: [(&str, f64, Dimension); 9] = [
    ("1", 1.0, [0, 0, 0]),
    ("-", 1.0, [0, 0, 0]),
    ("%", 0.01, [0, 0, 0]),
    ("deg", std::f64::consts::PI / 180.0, [0, 0, 0]),
    ("°", std::f64::consts::PI / 180.0, [0, 0, 0]),
    ("g", 9.80665, [1, 0, -2]),
    ("in", 0.0254, [1, 0, 0]),
    ("cycles", 1.0, [0, 0, 0]),
    ("rpm", 1.0 / 60.0, [0, 0, -1]),
];

const PREFIXES: [(&str, f64); 9] = [
    ("p", 1e-12),
    ("n", 1e-9),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("k", 1e3),
    ("M", 1e6),
];

impl Unit {
    /// Reads a unit.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut unit = Self { factor: 1.0, dimension: [0; 3] };
        let plain = text.replace('²', "^2").replace('³', "^3").replace("**", "^");
        for (i, part) in plain.split('/').enumerate() {
            let sign = if i == 0 { 1 } else { -1 };
            let part = part.trim().trim_start_matches('(').trim_end_matches(')');
            for factor in part.split([' ', '*', '·']).filter(|f| !f.is_empty()) {
                unit = unit.times(power(factor).ok_or_else(|| {
                    format!("the unit `{text}` is not known; write it with m, kg, s, N, Pa, J, W, Hz, rad, deg, g, 1 and prefixes")
                })?, sign);
            }
        }
        Ok(unit)
    }

    fn times(self, (other, exponent): (Unit, i32), sign: i32) -> Self {
        let e = sign * exponent;
        let mut dimension = self.dimension;
        for (own, more) in dimension.iter_mut().zip(other.dimension) {
            *own += e * more;
        }
        Self { factor: self.factor * other.factor.powi(e), dimension }
    }

    /// Factor from this unit to another of the same dimension.
    pub fn to(&self, other: &Unit) -> Option<f64> {
        (self.dimension == other.dimension).then(|| self.factor / other.factor)
    }
}

/// A symbol with its exponent: `mm^2`, `s-1`, `m2`.
fn power(text: &str) -> Option<(Unit, i32)> {
    if let Some(unit) = symbol(text) {
        return Some((unit, 1));
    }
    let start = text.find(|c: char| c.is_ascii_digit() || c == '-' || c == '^')?;
    let exponent = text[start..].trim_start_matches('^').parse().ok()?;
    Some((symbol(&text[..start])?, exponent))
}

fn symbol(text: &str) -> Option<Unit> {
    let whole = WHOLE.iter().chain(&SYMBOLS).find(|(name, ..)| *name == text);
    if let Some((_, factor, dimension)) = whole {
        return Some(Unit { factor: *factor, dimension: *dimension });
    }
    PREFIXES.iter().find_map(|(prefix, scale)| {
        let rest = text.strip_prefix(prefix)?;
        let (_, factor, dimension) =
            SYMBOLS.iter().find(|(name, ..)| *name == rest && rest != "kg")?;
        Some(Unit { factor: scale * factor, dimension: *dimension })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(from: &str, to: &str) -> Option<f64> {
        Unit::parse(from).unwrap().to(&Unit::parse(to).unwrap())
    }

    #[test]
    fn units_become_si() {
        let pairs = [
            ("um", "m", 1e-6),
            ("µm/N", "m/N", 1e-6),
            ("mm^2", "m^2", 1e-6),
            ("kHz", "Hz", 1e3),
            ("g", "m/s^2", 9.80665),
            ("N/um", "N/m", 1e6),
            ("mm/s²", "m/s^2", 1e-3),
            ("MPa", "N/m2", 1e6),
            ("deg", "rad", std::f64::consts::PI / 180.0),
            ("kg m/s^2", "N", 1.0),
            ("%", "1", 0.01),
        ];
        for (from, to, expected) in pairs {
            let found = factor(from, to).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-12, "{from} → {to}: {found}");
        }
        assert_eq!(factor("kg", "m"), None);
        assert!(Unit::parse("furlong").unwrap_err().contains("`furlong`"));
    }
}
