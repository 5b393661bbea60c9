//! The hybrid spring-damper law (Azizian and Mureithi, 2013): elastic, plastic, partial slip, gross slip.
//!
//! ```text
//! ground ─k_e─ e ─k_ep─ p ─k_ps─ s ─c_z─ moving face ,  c_p from p and c_s from s to the ground:
//!
//!     k_e z_e + k_ep(z_e − z_p) = 0                                                              (1)
//!     k_ep(z_p − z_e) + k_ps(z_p − z_s) + c_p ż_p = 0                                            (2)
//!     k_ps(z_s − z_p) + c_z(ż_s − v) + c_s ż_s = 0 ,   c_z = g(v)/|v| ,  g = μN s(v)              (3)
//!     F = k_ps(z_s − z_p) + c_s ż_s = c_z(v − ż_s)                                               (4)
//! ```
//!
//! The source prints k_ps(z_p − z_s) in (3), a spring of negative stiffness that lets the motion grow without
//! bound, and c_z without the modulus. With (3) multiplied by |v| nothing is singular at rest,
//!
//! ```text
//!     ż_s = [g v − |v| k_ps(z_s − z_p)]/(g + c_s|v|)                                             (5)
//! ```
//!
//! Over a step v is Δ/h, so that (2) and (5) are ż = A z + b, solved exactly by
//! z⁺ = z + h φ₁(hA)(A z + b); A has two different real eigenvalues. Each moment
//!
//! ```text
//!     F v = d/dt[½k_e z_e² + ½k_ep(z_p − z_e)² + ½k_ps(z_s − z_p)²] + c_p ż_p² + c_s ż_s² + c_z(v − ż_s)²   (6)
//! ```
//!
//! which [`Hybrid::power`] tells apart. Steady sliding is F = g sgn v, and the stiffness of stick is that of
//! the three springs in series.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::fault::{Fault, Faults};
use super::real::Real;
use super::rule::Rule;
use super::step::{Step, is_none};

/// Springs and dampers for elastic, plastic, partially and fully slipping zones (hybrid).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hybrid {
    /// Stiffness k_e of the elastic zone, of the whole contact, > 0 [N/m].
    pub elastic_stiffness: f64,
    /// Stiffness k_ep between elastic and plastic zone, of the whole contact, > 0 [N/m].
    pub plastic_stiffness: f64,
    /// Stiffness k_ps between plastic and slipping zone, of the whole contact, > 0 [N/m].
    pub slip_stiffness: f64,
    /// Damping c_p of the plastic zone, of the whole contact, > 0 [N s/m].
    pub plastic_damping: f64,
    /// Damping c_s of partial slip, of the whole contact, >= 0 [N s/m].
    pub slip_damping: f64,
    /// Stribeck velocity v_s, > 0 [m/s].
    pub stribeck_velocity: f64,
    /// Exponent of the Stribeck curve, at least 1 (default 2).
    #[serde(default = "super::two")]
    pub stribeck_exponent: f64,
}

/// Where the power of friction goes, (6) \[W\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// F v.
    pub input: f64,
    /// Into the springs.
    pub stored: f64,
    /// Into the plastic zone, c_p.
    pub plastic: f64,
    /// Into partial slip, c_s.
    pub partial_slip: f64,
    /// Into gross slip, c_z.
    pub gross_slip: f64,
}

impl Rule for Hybrid {
    const NAME: &'static str = "hybrid";

    fn n_states(&self) -> usize {
        2
    }

    fn has_static_friction(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        Faults::of(Self::NAME)
            .positive("elastic_stiffness", self.elastic_stiffness, "N/m")
            .positive("plastic_stiffness", self.plastic_stiffness, "N/m")
            .positive("slip_stiffness", self.slip_stiffness, "N/m")
            .positive("plastic_damping", self.plastic_damping, "N s/m")
            .not_negative("slip_damping", self.slip_damping, "N s/m")
            .positive("stribeck_velocity", self.stribeck_velocity, "m/s")
            .between("stribeck_exponent", self.stribeck_exponent, 1.0, 100.0)
            .list()
    }

    fn shared(self, share: f64) -> Self {
        Self {
            elastic_stiffness: share * self.elastic_stiffness,
            plastic_stiffness: share * self.plastic_stiffness,
            slip_stiffness: share * self.slip_stiffness,
            plastic_damping: share * self.plastic_damping,
            slip_damping: share * self.slip_damping,
            ..self
        }
    }

    /// (2), (4) and (5); the states are z_p and z_s.
    fn step<T: Real>(&self, before: &[T], step: &Step<T>, after: &mut [T]) -> T {
        let mean = step.mean_limit();
        if step.is_open() || is_none(mean) {
            after.fill(T::constant(0.0));
            return after[0];
        }
        let v = step.mean_velocity();
        let limit = mean * self.level(v, step.static_ratio);
        [after[0], after[1]] = self.advanced([before[0], before[1]], v, limit, step.duration);
        let limit = step.limit() * self.level(step.velocity, step.static_ratio);
        let rate = self.slip_rate([after[0], after[1]], step.velocity, limit);
        (after[1] - after[0]) * self.slip_stiffness + rate * self.slip_damping
    }

    fn stored(&self, states: &[f64], _: &Step<f64>) -> f64 {
        let inner = self.inner_stiffness() * states[0] * states[0];
        0.5 * (inner + self.slip_stiffness * (states[1] - states[0]).powi(2))
    }
}

impl Hybrid {
    /// z_e/z_p of (1).
    pub fn elastic_share(&self) -> f64 {
        self.plastic_stiffness / (self.elastic_stiffness + self.plastic_stiffness)
    }

    /// k_e and k_ep in series.
    fn inner_stiffness(&self) -> f64 {
        let (ke, kep) = (self.elastic_stiffness, self.plastic_stiffness);
        ke * kep / (ke + kep)
    }

    fn level<T: Real>(&self, velocity: T, static_ratio: f64) -> T {
        let curve = Curve { velocity: self.stribeck_velocity, exponent: self.stribeck_exponent };
        curve.level(velocity, static_ratio)
    }

    /// z a time h later under a constant velocity.
    fn advanced<T: Real>(&self, [zp, zs]: [T; 2], v: T, limit: T, h: T) -> [T; 2] {
        let (k, cp) = (self.slip_stiffness, self.plastic_damping);
        let below = limit + v.abs() * self.slip_damping;
        let (a11, a12) = (h * (-(self.inner_stiffness() + k) / cp), h * (k / cp));
        let a21 = h * v.abs() * k / below;
        let a22 = -a21;
        let rate = [a11 * zp + a12 * zs, a21 * zp + a22 * zs + h * limit * v / below];
        let half = (a11 - a22) * 0.5;
        let root = (half * half + a12 * a21).sqrt();
        let middle = (a11 + a22) * 0.5;
        let (m1, m2) = (middle + root, middle - root);
        let (f1, f2) = (m1.phi1(), m2.phi1());
        let slope = (f1 - f2) / (root * 2.0);
        // φ₁(A) = φ₁(m₂) + slope (A − m₂).
        let phi = |own: T, other: T, diagonal: T, across: T| {
            f2 * own + slope * ((diagonal - m2) * own + across * other)
        };
        [zp + phi(rate[0], rate[1], a11, a12), zs + phi(rate[1], rate[0], a22, a21)]
    }

    /// ż_s of (5).
    fn slip_rate<T: Real>(&self, [zp, zs]: [T; 2], v: T, limit: T) -> T {
        let spring = v.abs() * (zs - zp) * self.slip_stiffness;
        (limit * v - spring) / (limit + v.abs() * self.slip_damping)
    }

    /// (6) at states (z_p, z_s), a velocity and the limit μN.
    pub fn power(&self, [zp, zs]: [f64; 2], velocity: f64, limit: f64, static_ratio: f64) -> Power {
        let g = limit * self.level(velocity, static_ratio);
        let (ke, kep, kps) = (self.elastic_stiffness, self.plastic_stiffness, self.slip_stiffness);
        let elastic = kep / (ke + kep);
        let ze = elastic * zp;
        let slip = self.slip_rate([zp, zs], velocity, g);
        let plastic = -(kep * (zp - ze) + kps * (zp - zs)) / self.plastic_damping;
        let force = kps * (zs - zp) + self.slip_damping * slip;
        let springs = ke * ze * elastic * plastic
            + kep * (zp - ze) * (1.0 - elastic) * plastic
            + kps * (zs - zp) * (slip - plastic);
        let speed = velocity.abs();
        Power {
            input: force * velocity,
            stored: springs,
            plastic: self.plastic_damping * plastic * plastic,
            partial_slip: self.slip_damping * slip * slip,
            gross_slip: if speed > 0.0 { g / speed * (velocity - slip).powi(2) } else { 0.0 },
        }
    }
}
