//! Harmonic balance: the periodic response as one algebraic problem.
//!
//! [`balance`] has the residual, [`jacobian`] its derivatives, [`interface`] and [`tail`] what stands for the
//! harmonics that are not retained, [`newton`] the iteration, [`step`] its linear systems,
//! [`point`] the strategies that make a point converge, [`resolution`] whether its harmonics are enough for laws
//! that jump, [`measures`] what a solution says about the joint, and [`sensitivity`] how it follows wear.

pub mod balance;
pub mod interface;
pub mod jacobian;
pub mod measures;
pub mod newton;
pub mod point;
pub mod resolution;
pub mod sensitivity;
pub mod step;
pub mod tail;

pub use crate::contact::Basis;
pub use balance::{Balance, Evaluation, Linear, Parameter, Parameters};
pub use interface::{Form, Treatment};
pub use measures::{Energy, Loop, LoopCurve, PairHistory, Regime};
pub use newton::{Newton, NewtonSettings};
pub use point::{Attempt, Point, PointError, solve_point, solve_with};
pub use sensitivity::Sensitivity;
pub use step::Factor;

#[cfg(test)]
pub(crate) mod tests;
