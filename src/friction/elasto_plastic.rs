//! The elasto-plastic law (Dupont et al., 2002): LuGre with a range without slip.
//!
//! ```text
//!     ż = v − α(z, v) |v| z/z_m ,   F = σ_0 z + σ_1 ż + σ_2 v ,   z_m = μN s(v)/σ_0                (1)
//!
//!     α = 0 where z v ≤ 0 or |z| ≤ z_b ,   1 where |z| ≥ z_m ,  and between, with z_b = b z_m ,
//!     α = ½ + ½ sin(π (|z| − (z_m + z_b)/2)/(z_m − z_b))                                           (2)
//! ```
//!
//! Below z_b nothing slips, so that small oscillations about a bias do not drift as they do with LuGre. Over a step v is Δ/h in
//! the rate, and ż of F that of `bristle`.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use std::f64::consts::PI;

use super::bristle;
use super::curve::Curve;
use super::fault::{Fault, Faults};
use super::path::Path;
use super::real::{Real, sign};
use super::rule::Rule;
use super::step::{Step, is_none};

/// LuGre with an elastic range (Dupont).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElastoPlastic {
    /// Stiffness sigma_0 of the whole contact, > 0 [N/m].
    pub stiffness: f64,
    /// Damping sigma_1 of the whole contact, >= 0 [N s/m].
    #[serde(default)]
    pub damping: f64,
    /// Viscous friction sigma_2 of the whole contact, >= 0 [N s/m].
    #[serde(default)]
    pub viscous: f64,
    /// Deflection at which slip begins over that of full sliding, at least 0 and less than 1 [-].
    pub elastic_range: f64,
    /// Stribeck velocity v_s, > 0 [m/s].
    pub stribeck_velocity: f64,
    /// Exponent of the Stribeck curve, at least 1 (default 2).
    #[serde(default = "super::two")]
    pub stribeck_exponent: f64,
}

impl Rule for ElastoPlastic {
    const NAME: &'static str = "elasto_plastic";

    fn has_static_friction(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .positive("stiffness", self.stiffness, "N/m")
            .not_negative("damping", self.damping, "N s/m")
            .not_negative("viscous", self.viscous, "N s/m")
            .below("elastic_range", self.elastic_range, 0.0, 1.0)
            .positive("stribeck_velocity", self.stribeck_velocity, "m/s")
            .between("stribeck_exponent", self.stribeck_exponent, 1.0, 100.0)
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self {
            stiffness: share * self.stiffness,
            damping: share * self.damping,
            viscous: share * self.viscous,
            ..self
        }
    }

    /// (1); the state is z.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let curve = Curve { velocity: self.stribeck_velocity, exponent: self.stribeck_exponent };
        let (mean, end) = (step.mean_limit(), step.limit());
        after[0] = T::constant(0.0);
        if step.is_open() || is_none(mean) || is_none(end) {
            return after[0];
        }
        let full = |limit: T, velocity: T| {
            limit * curve.level(velocity, step.static_ratio) / self.stiffness
        };
        let (scale, direction) = (full(mean, step.mean_velocity()), step.direction());
        let path = Path { length: step.moved().abs(), scale };
        let along = path.follow(before[0] * direction, None, |w| self.rate(w, scale));
        after[0] = along * direction;
        let z = after[0];
        let rate = |v: T, full: T| self.rate(z * sign(v.value()), full).0 * v;
        let end = full(end, step.velocity);
        let bend = bristle::rate(step, scale, |v| rate(v, end), |v| rate(v, scale));
        after[0] * self.stiffness + bend * self.damping + step.velocity * self.viscous
    }

    fn stored(&self, states: &[f64], _: &Step<f64>) -> f64 {
        let deflection = states[0];
        0.5 * self.stiffness * deflection * deflection
    }
}

impl ElastoPlastic {
    /// dz/dx of a deflection along the motion, and its slope.
    fn rate<T: Real>(&self, along: T, full: T) -> (T, T) {
        let (alpha, slope) = self.slip_share(along, full);
        (-alpha * along / full + 1.0, -(alpha + slope * along) / full)
    }

    /// α of a deflection along the motion, and its slope.
    fn slip_share<T: Real>(&self, along: T, full: T) -> (T, T) {
        let zero = T::constant(0.0);
        let first = full * self.elastic_range;
        if along.value() <= first.value() {
            return (zero, zero);
        }
        if along.value() >= full.value() {
            return (T::constant(1.0), zero);
        }
        let width = full - first;
        let angle = (along - (full + first) * 0.5) / width * PI;
        (angle.sin() * 0.5 + 0.5, angle.cos() * (0.5 * PI) / width)
    }
}
