//! The laws of springs at one instant, with their slopes.
//!
//! ```text
//!     penalty     N = max(0, N₀ − k_N(u_N + g)) ,   λ_N = N₀ − N                             (1)
//!     slider      λ* = λ_T⁻ + k_T(u_T − u_T⁻) ,   λ_T = λ* min(1, μN/‖λ*‖)                    (2)
//!     cubic       λ = k u + k₃ u³                                                            (3)
//!
//!     sliding     dλ_T = (μN/‖λ*‖)(1 − d dᵀ) dλ* + d d(μN) ,   d = λ*/‖λ*‖                    (4)
//! ```
//!
//! λ_T⁻ and u_T⁻ are those of the instant before. A slider without pressure moves freely, λ_T = 0.

use super::Joint;

/// N of (1) at u_N; N₀ where the joint has no normal direction.
pub fn pressure(joint: &Joint, stiffness: f64, normal: Option<f64>) -> f64 {
    match normal {
        Some(u) => (joint.preload - stiffness * (u + joint.gap)).max(0.0),
        None => joint.preload,
    }
}

/// λ of (3) and its slope.
pub fn cubic(linear: f64, third: f64, u: f64) -> (f64, f64) {
    (linear * u + third * u.powi(3), linear + 3.0 * third * u.powi(2))
}

/// (2) under pressure, from λ*.
#[derive(Debug, Clone, Copy)]
pub struct Slider {
    /// λ_T \[N\].
    pub force: [f64; 2],
    /// μN \[N\].
    pub limit: f64,
    /// Whether it slides; otherwise λ_T = λ*.
    pub is_sliding: bool,
    /// d while it slides.
    direction: [f64; 2],
    /// μN/‖λ*‖ while it slides, else 1.
    ratio: f64,
}

impl Slider {
    /// The slider with the trial force λ*, under N > 0.
    pub fn new(joint: &Joint, trial: [f64; 2], pressure: f64) -> Self {
        let (length, limit) = (trial[0].hypot(trial[1]), joint.friction * pressure);
        if length <= limit {
            return Self {
                force: trial,
                limit,
                is_sliding: false,
                direction: [0.0; 2],
                ratio: 1.0,
            };
        }
        let direction = trial.map(|value| value / length);
        let force = direction.map(|d| d * limit);
        Self { force, limit, is_sliding: true, direction, ratio: limit / length }
    }

    /// ∂λ_T,t/∂λ*_s of (4).
    pub fn by_trial(&self, t: usize, s: usize) -> f64 {
        let own = f64::from(u8::from(t == s));
        self.ratio * (own - self.direction[t] * self.direction[s])
    }

    /// ∂λ_T,t/∂(μN) of (4).
    pub fn by_limit(&self, t: usize) -> f64 {
        self.direction[t]
    }
}
