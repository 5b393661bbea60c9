//! Signorini's law for the force that would keep a pair closed, sharp or rounded.
//!
//! ```text
//! With P = N₀ − λ_u,N of `dlft`, in the normal direction
//!
//!     N = max(0, P) ,   λ_x,N = N − P ,                                                      (1)
//!
//! or rounded, with a force s and a sharpness n,
//!
//!     N = (P + √(P² + (2s/n)²))/2 .                                                          (2)
//! ```

use super::Joint;

/// N with its derivative by P.
pub(super) struct Pressure {
    /// P.
    pub raw: f64,
    /// N.
    pub value: f64,
    /// dN/dP.
    pub slope: f64,
}

impl Pressure {
    /// (1) or (2); without λ_u,N the pair cannot open, and N = N₀.
    pub fn new(joint: &Joint, lambda_u: Option<f64>) -> Self {
        let raw = joint.preload - lambda_u.unwrap_or(0.0);
        let rounding = 2.0 * joint.force_scale / joint.sharpness;
        if rounding == 0.0 || lambda_u.is_none() {
            let is_closed = raw > 0.0;
            return Self { raw, value: raw.max(0.0), slope: f64::from(u8::from(is_closed)) };
        }
        let root = raw.hypot(rounding);
        Self { raw, value: 0.5 * (raw + root), slope: 0.5 * (1.0 + raw / root) }
    }
}
