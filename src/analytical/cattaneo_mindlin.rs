//! Cattaneo–Mindlin: a pressed line contact under a tangential load that makes its edges slip.
//!
//! For bodies of one material pressure and shear do not affect each other. A load Q < μP per length, applied
//! after P, leaves |x| < c stuck (Cattaneo 1938; Mindlin 1949; Johnson 1985, 7.2):
//!
//! ```text
//!     c = a √(1 − Q/μP)                                                                      (1)
//!     q(x) = μ p_0 [ √(1 − x²/a²) − (c/a) √(1 − x²/c²) ] ,  each root 0 where it is not real  (2)
//! ```
//!
//! When the load comes back from Q to Q′, slip begins again at the edges, in the other direction and with
//! twice the friction (Mindlin & Deresiewicz 1953; Hills & Nowell 1994, 4.3): with q(x; Q) from (2),
//!
//! ```text
//!     q_back(x) = q(x; Q) − 2 q(x; (Q − Q′)/2)                                               (3)
//! ```
//!
//! Slip. The shear (2) bends the surfaces by g′(x) = −(2/πE*) ⨍ q(s)/(x − s) ds, which is 0 for |x| < c and
//! −(μ/R) √(x² − c²) sgn x in the slip zones: the surfaces slip by
//!
//! ```text
//!     s(x) = (μ/2R) [ |x| √(x² − c²) − c² arcosh(|x|/c) ] ,  c < |x| < a                     (4)
//! ```
//!
//! Loop. Between +Q and −Q the slip changes by 2s under the friction μp, twice per cycle:
//!
//! ```text
//!     W = 8 ∫_c^a μ p s dx = (4μ²P²/πE*) [ τ − τ²/2 + (1 − τ) ln(1 − τ) ] ,   τ = Q/μP       (5)
//! ```
//!
//! The displacement of distant points is not defined in the plane, yet only by a term proportional to Q, which
//! adds nothing to the area of the loop. The closed form of (5) is the loop that Masing's rule makes of the
//! tangential compliance dδ/dQ = Δ′(P − Q/μ) (Jäger 1998; Ciavarella 1998), where Δ′ = (C − ln P)/πE* is the
//! normal compliance of the line contact and C the undefined constant.

use std::f64::consts::PI;

use super::hertz::{LineContact, ellipse};

/// A pressed contact under a tangential load between +Q and −Q.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartialSlip {
    /// The pressed contact.
    pub contact: LineContact,
    /// μ \[-\].
    pub friction: f64,
    /// Q, 0 < Q < μP \[N/m\].
    pub tangential_load: f64,
}

impl PartialSlip {
    /// τ = Q/μP \[-\].
    pub fn load_ratio(&self) -> f64 {
        self.tangential_load / (self.friction * self.contact.load)
    }

    /// Half the width of the part that sticks, c \[m\].
    pub fn stick_half_width(&self) -> f64 {
        self.contact.half_width() * (1.0 - self.load_ratio()).sqrt()
    }

    /// q(x) of (2), under +Q \[Pa\].
    pub fn shear(&self, x: f64) -> f64 {
        let (a, c) = (self.contact.half_width(), self.stick_half_width());
        self.friction * self.contact.peak_pressure() * (ellipse(x, a) - c / a * ellipse(x, c))
    }

    /// q(x) of (3): back from +Q to a load between +Q and −Q \[Pa\].
    pub fn shear_on_return(&self, x: f64, load: f64) -> f64 {
        let back = Self { tangential_load: 0.5 * (self.tangential_load - load), ..*self };
        self.shear(x) - 2.0 * back.shear(x)
    }

    /// s(x) of (4), under +Q when it was applied first; between −Q and +Q it changes by 2s \[m\].
    pub fn slip(&self, x: f64) -> f64 {
        let (x, c) = (x.abs().min(self.contact.half_width()), self.stick_half_width());
        if x <= c {
            return 0.0;
        }
        let bend = x * (x * x - c * c).sqrt() - c * c * (x / c).acosh();
        0.5 * self.friction / self.contact.radius * bend
    }

    /// W of (5), per cycle and length \[J/m\].
    pub fn loop_energy(&self) -> f64 {
        let tau = self.load_ratio();
        let shape = tau - 0.5 * tau * tau + (1.0 - tau) * (-tau).ln_1p();
        4.0 * (self.friction * self.contact.load).powi(2) / (PI * self.contact.modulus) * shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(load_ratio: f64) -> PartialSlip {
        let contact = LineContact { modulus: 115e9, radius: 0.1, load: 200e3 };
        PartialSlip { contact, friction: 0.5, tangential_load: load_ratio * 0.5 * 200e3 }
    }

    /// ∫ f dx over (from, to) with x = middle + half sin t.
    fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
        let (middle, half, n) = (0.5 * (from + to), 0.5 * (to - from), 20_000);
        let angles = (0..n).map(|i| PI * ((i as f64 + 0.5) / n as f64 - 0.5));
        angles.map(|t| f(middle + half * t.sin()) * half * t.cos()).sum::<f64>() * PI / n as f64
    }

    #[test]
    fn shear_carries_the_load_and_obeys_friction() {
        for tau in [0.1, 0.65, 0.95] {
            let slip = at(tau);
            let (a, c) = (slip.contact.half_width(), slip.stick_half_width());
            let limit = |x: f64| slip.friction * slip.contact.pressure(x);
            let load = 2.0 * integral(0.0, c, |x| slip.shear(x));
            let load = load + 2.0 * integral(c, a, |x| slip.shear(x));
            assert!((load / slip.tangential_load - 1.0).abs() < 1e-6, "{tau}: {load}");
            for i in 0..50 {
                let x = a * i as f64 / 50.0;
                let (q, bound) = (slip.shear(x), limit(x));
                assert!(q <= bound * (1.0 + 1e-12) && (x < c || (q - bound).abs() < 1e-9 * bound));
            }
        }
    }

    #[test]
    fn the_way_back_ends_with_everything_reversed() {
        let slip = at(0.65);
        let a = slip.contact.half_width();
        for x in [0.0, 0.3 * a, 0.7 * a, 0.95 * a] {
            let (q, back) = (slip.shear(x), slip.shear_on_return(x, -slip.tangential_load));
            assert!((q + back).abs() < 1e-9 * q.abs(), "{x}: {q} {back}");
        }
        let half = |x: f64| slip.shear_on_return(x, 0.0);
        let c = slip.contact.half_width() * (1.0 - 0.5 * 0.65f64).sqrt();
        let cuts = [0.0, slip.stick_half_width(), c, a];
        let load: f64 = cuts.windows(2).map(|w| integral(w[0], w[1], half)).sum();
        assert!(load.abs() < 1e-6 * slip.tangential_load, "unloaded: {load}");
        assert!((half(0.99 * a) + slip.friction * slip.contact.pressure(0.99 * a)).abs() < 1.0);
    }

    #[test]
    fn slip_is_what_the_shear_bends() {
        // g(0) − g(x) = (2/πE*) ∫ q(s) ln|(x − s)/s| ds, against (4) and against 0 where it sticks.
        let slip = at(0.65);
        let (a, c) = (slip.contact.half_width(), slip.stick_half_width());
        for share in [0.2, 0.5, 0.7, 0.9, 0.99] {
            let x = share * a;
            let kernel = |s: f64| slip.shear(s) * ((x - s) / s).abs().ln();
            let mut cuts = [-a, -c, 0.0, c, a, x];
            cuts.sort_by(f64::total_cmp);
            let sum: f64 = cuts.windows(2).map(|w| integral(w[0], w[1], kernel)).sum();
            let bent = 2.0 / (PI * slip.contact.modulus) * sum;
            let miss = (bent - slip.slip(x)).abs();
            assert!(miss < 1e-5 * slip.slip(a), "{share}: {bent} {}", slip.slip(x));
        }
    }

    #[test]
    fn loop_energy_is_friction_times_slip() {
        for tau in [0.05, 0.3, 0.65, 0.99] {
            let slip = at(tau);
            let (a, c) = (slip.contact.half_width(), slip.stick_half_width());
            let power = |x: f64| slip.friction * slip.contact.pressure(x) * slip.slip(x);
            let work = 8.0 * integral(c, a, power);
            assert!((slip.loop_energy() / work - 1.0).abs() < 1e-6, "{tau}: {work}");
        }
    }
}
