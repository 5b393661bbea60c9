//! Harmonic balance: the periodic response as one algebraic problem.
//!
//! [`basis`] holds harmonics and transforms, [`balance`] the residual and its Jacobian, [`newton`] the
//! iteration, [`point`] the strategies that make a point converge, [`measures`] what a solution says
//! about the joint, and [`sensitivity`] how it follows wear.

pub mod balance;
pub mod basis;
pub mod measures;
pub mod newton;
pub mod point;
pub mod sensitivity;

pub use balance::{Balance, Evaluation, Linear, Parameter, Parameters};
pub use basis::Basis;
pub use measures::{Energy, Loop, LoopCurve, PairHistory, Regime};
pub use newton::{Newton, NewtonSettings};
pub use point::{Attempt, Point, PointError, solve_point, solve_with};
pub use sensitivity::Sensitivity;

#[cfg(test)]
pub(crate) mod tests;
