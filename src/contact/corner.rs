//! The share of a tangential force that friction takes, sharp or rounded.
//!
//! ```text
//!     w = (1 + qⁿ)^(−1/n) ,   q = ‖p‖/L ,   w → min(1, 1/q) for n → ∞                        (1)
//! ```

/// w of (1) and its derivatives.
pub(super) struct Corner {
    /// w.
    pub share: f64,
    /// −q w'.
    pub fall: f64,
    /// −q² w'.
    pub slide: f64,
}

impl Corner {
    /// At a force ‖p‖ under the limit L.
    pub fn new(norm: f64, limit: f64, sharpness: f64) -> Self {
        if norm == 0.0 && limit > 0.0 {
            return Self { share: 1.0, fall: 0.0, slide: 0.0 };
        }
        let q = norm / limit;
        if sharpness.is_infinite() || !q.is_finite() {
            return match norm < limit {
                true => Self { share: 1.0, fall: 0.0, slide: 0.0 },
                false if norm > 0.0 => {
                    let share = limit / norm;
                    Self { share, fall: share, slide: 1.0 }
                }
                false => Self { share: 0.0, fall: 0.0, slide: 0.0 },
            };
        }
        // The smaller of q and 1/q, so that no power overflows.
        let (small, is_above) = if q > 1.0 { (1.0 / q, true) } else { (q, false) };
        let power = small.powf(sharpness);
        let root = (1.0 + power).powf(-1.0 / sharpness);
        let share = if is_above { small * root } else { root };
        // −q w' = w qⁿ/(1 + qⁿ).
        let fraction = if is_above { 1.0 / (1.0 + power) } else { power / (1.0 + power) };
        let fall = share * fraction;
        Self { share, fall, slide: q * fall }
    }
}
