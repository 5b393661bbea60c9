//! How fast a bristle bends at the end of a step.
//!
//! ```text
//!     ż = κ ż(v, z⁺, N) + (1 − κ) ż(v̄, z⁺, N̄) ,   v̄ = Δ/h ,   κ = e^{−(|Δ| + h|v − v̄|)/z_m}           (1)
//! ```
//!
//! z⁺ was found with the mean velocity v̄ and the mean limit N̄ of the step; z_m is the distance on which it settles. In short steps,
//! κ → 1, (1) is the rate of the equation at the end. In long ones it is the rate that z⁺ has come with. Under constant
//! velocity and normal force both are the same; between them (1) is of second order. As x e^{−x} is no more than 1/e, the first part is
//! no more than about z_m/h, and the second no more than |z⁺ − z|/h:
//! a dashpot on ż gives no larger impulse than bending by z_m accounts for, however long the step. The rate of the equation alone reaches 2v
//! in steps that turn, whose z⁺ belongs to the direction of v̄, and belongs to another limit than z⁺ where the normal force changes:
//! steps longer than the time of the dashpot then feed the motion.

use super::real::Real;
use super::step::Step;

/// (1) of z_m and of ż as a function of a velocity and the limit to go with it.
pub(super) fn rate<T: Real>(
    step: &Step<T>,
    scale: T,
    at_end: impl Fn(T) -> T,
    of_step: impl Fn(T) -> T,
) -> T {
    let (v, mean) = (step.velocity, step.mean_velocity());
    let way = (step.moved().abs() + (v - mean).abs() * step.duration) / scale;
    let share = (-way).exp();
    share * at_end(v) + (-share + 1.0) * of_step(mean)
}
