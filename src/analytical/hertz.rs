//! Hertz line contact: a cylinder on a flat, or two cylinders with parallel axes.
//!
//! ```text
//!     1/E* = (1 − ν_1²)/E_1 + (1 − ν_2²)/E_2 ,   1/R = 1/R_1 + 1/R_2                         (1)
//!     a = √(4PR/πE*) ,   p_0 = 2P/πa = E*a/2R                                                (2)
//!     p(x) = p_0 √(1 − x²/a²) ,  |x| ≤ a                                                     (3)
//! ```
//!
//! P is the force per length of the line, E* that of plane strain (Johnson 1985, 4.2c). Both bodies are half
//! planes, a ≪ R. Their approach is not defined: it grows with the logarithm of their size.

use std::f64::consts::PI;

/// E* of (1) for two bodies of one material \[Pa\].
pub fn contact_modulus(young: f64, poisson: f64) -> f64 {
    0.5 * young / (1.0 - poisson * poisson)
}

/// A pressed line contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineContact {
    /// E* of (1) \[Pa\].
    pub modulus: f64,
    /// R of (1) \[m\].
    pub radius: f64,
    /// P \[N/m\].
    pub load: f64,
}

impl LineContact {
    /// Half the width of the contact, a \[m\].
    pub fn half_width(&self) -> f64 {
        (4.0 * self.load * self.radius / (PI * self.modulus)).sqrt()
    }

    /// p_0 \[Pa\].
    pub fn peak_pressure(&self) -> f64 {
        2.0 * self.load / (PI * self.half_width())
    }

    /// p(x) \[Pa\].
    pub fn pressure(&self, x: f64) -> f64 {
        self.peak_pressure() * ellipse(x, self.half_width())
    }
}

/// √(1 − x²/a²), and 0 outside.
pub(super) fn ellipse(x: f64, half_width: f64) -> f64 {
    (1.0 - (x / half_width).powi(2)).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTACT: LineContact = LineContact { modulus: 115e9, radius: 0.1, load: 200e3 };

    #[test]
    fn the_pressure_carries_the_load() {
        let (a, n) = (CONTACT.half_width(), 10_000);
        // x = a sin t removes the root at the edges.
        let sum: f64 = (0..n)
            .map(|i| PI * ((i as f64 + 0.5) / n as f64 - 0.5))
            .map(|t| CONTACT.pressure(a * t.sin()) * a * t.cos() * PI / n as f64)
            .sum();
        assert!((sum / CONTACT.load - 1.0).abs() < 1e-7, "{sum}");
        assert_eq!(CONTACT.pressure(1.01 * a), 0.0);
    }

    #[test]
    fn the_pressure_closes_the_gap() {
        // Slope of the two surfaces (2/πE*) ⨍ p(s)/(x − s) ds against x/R inside the contact (Johnson, 2.25);
        // the principal value by midpoints that lie symmetric about x.
        let (a, n) = (CONTACT.half_width(), 200_000);
        for share in [-0.7, 0.2, 0.5] {
            let (x, step) = (share * a, 2.0 * a / n as f64);
            let slope: f64 = (1..=n)
                .map(|i| (i as f64 - 0.5) * step)
                .map(|d| (CONTACT.pressure(x - d) - CONTACT.pressure(x + d)) / d * step)
                .sum();
            let ours = 2.0 / (PI * CONTACT.modulus) * slope;
            assert!((ours * CONTACT.radius / x - 1.0).abs() < 1e-4, "{share}: {ours}");
        }
    }
}
