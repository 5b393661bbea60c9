//! Numbers and units as people write them.

/// Powers of a thousand with their SI prefixes.
const PREFIXES: [(i32, &str); 9] =
    [(-12, "p"), (-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G"), (12, "T")];

/// Four significant digits without trailing zeros; powers of ten beyond 10⁵ and 10⁻³.
pub fn short(value: f64) -> String {
    digits(value, 4)
}

/// A number with the given significant digits.
pub fn digits(value: f64, significant: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return if value.is_nan() {
            "–".into()
        } else {
            format!("{value}").replace("inf", "∞")
        };
    }
    let text = format!("{value:.*e}", significant - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-3..5).contains(&exponent) {
        let decimals = (significant as i32 - 1 - exponent).max(0) as usize;
        return minus(&trim(&format!("{value:.decimals$}")));
    }
    let mantissa = trim(mantissa);
    let power = format!("10{}", superscript(exponent));
    minus(&match mantissa.as_str() {
        "1" => power,
        "-1" => format!("-{power}"),
        _ => format!("{mantissa}·{power}"),
    })
}

fn trim(text: &str) -> String {
    if !text.contains('.') {
        return text.to_string();
    }
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// An exponent raised.
pub fn superscript(exponent: i32) -> String {
    let raise = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    exponent.to_string().chars().map(raise).collect()
}

/// `m/s^2` as m/s², nothing for pure numbers.
pub fn pretty_unit(unit: &str) -> String {
    if unit == "1" {
        return String::new();
    }
    let mut out = String::new();
    let mut parts = unit.split('^');
    out += parts.next().unwrap_or_default();
    for part in parts {
        let end = part.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(part.len());
        match part[..end].parse() {
            Ok(exponent) if !part[end..].starts_with('.') => out += &superscript(exponent),
            _ => out += &format!("^{}", &part[..end]),
        }
        out += &part[end..];
    }
    out.replace(' ', "·")
}

/// Whether a prefix before the unit scales it linearly: not so for m² or kg^-0.5.
fn takes_prefix(unit: &str) -> bool {
    let first: String = unit.chars().take_while(|c| c.is_alphabetic()).collect();
    let then = unit[first.len()..].chars().next();
    ["m", "N", "s", "J", "Pa", "W", "Hz", "rad"].contains(&first.as_str()) && then != Some('^')
}

/// The factor by which values of this size are multiplied for reading, and the unit that they then have.
pub fn prefixed(largest: f64, unit: &str) -> (f64, String) {
    if !(largest.is_finite() && largest > 0.0) || (0.1..1e4).contains(&largest) {
        return (1.0, pretty_unit(unit));
    }
    let power = 3 * (largest.log10() / 3.0 + 1e-9).floor() as i32;
    if takes_prefix(unit)
        && let Some((power, prefix)) = PREFIXES.iter().find(|(known, _)| *known == power)
    {
        return (10f64.powi(-power), format!("{prefix}{}", pretty_unit(unit)));
    }
    let power = largest.log10().floor() as i32;
    let factor = format!("10{}", superscript(power));
    (10f64.powi(-power), format!("{factor} {}", pretty_unit(unit)).trim_end().to_string())
}

/// A value with its unit and a prefix: 12.3 µm.
pub fn engineering(value: f64, unit: &str) -> String {
    let (factor, unit) = prefixed(value.abs(), unit);
    if unit.starts_with("10") || !value.is_finite() {
        let plain = pretty_unit(unit.split_once(' ').map_or("", |(_, unit)| unit));
        return format!("{} {plain}", short(value)).trim_end().to_string();
    }
    format!("{} {unit}", short(value * factor)).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let pairs = [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "−2.5"),
            (189.595959, "189.6"),
            (0.00123456, "0.001235"),
            (1e-6, "10⁻⁶"),
            (2.5e7, "2.5·10⁷"),
            (7.61e-4, "7.61·10⁻⁴"),
            (-1e-12, "−10⁻¹²"),
            (99999.0, "10⁵"),
            (f64::NAN, "–"),
        ];
        for (value, text) in pairs {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn units_take_prefixes_where_that_is_right() {
        assert_eq!(engineering(1.867e-6, "m"), "1.867 µm");
        assert_eq!(engineering(2.4e6, "N/m"), "2.4 MN/m");
        assert_eq!(engineering(9.81, "m/s^2"), "9.81 m/s²");
        assert_eq!(engineering(2e-8, "m^2"), "2·10⁻⁸ m²");
        assert_eq!(engineering(3e-7, "1"), "3·10⁻⁷");
        assert_eq!(pretty_unit("kg^-0.5"), "kg^-0.5");
        assert_eq!(pretty_unit("kg m2/s^2"), "kg·m2/s²");
        assert_eq!(prefixed(0.03, "m"), (1e3, "mm".to_string()));
    }
}
