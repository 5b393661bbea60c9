//! The numbers that laws are written in: plain ones, and ones that carry derivatives.
//!
//! ```text
//!     (x, x')·(y, y') = (xy, x'y + xy') ,   f(x, x') = (f(x), f'(x) x')                          (1)
//! ```
//!
//! A law is written once over [`Real`]. With [`Dual`] it yields, beside its force, the derivatives by all
//! inputs, exact and of the very branch that the force came from. Comparisons look at values only.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Below this φ₁ is summed as a series.
const SMALL: f64 = 0.02;

/// A number that the laws can work with.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// A number without derivative.
    fn constant(value: f64) -> Self;

    /// Its value.
    fn value(self) -> f64;

    /// A function of it, from value and slope of the function.
    fn mapped(self, value: f64, slope: f64) -> Self;

    /// eˣ.
    fn exp(self) -> Self {
        let value = self.value().exp();
        self.mapped(value, value)
    }

    /// tanh x.
    fn tanh(self) -> Self {
        let value = self.value().tanh();
        self.mapped(value, 1.0 - value * value)
    }

    /// arctan x.
    fn atan(self) -> Self {
        let x = self.value();
        self.mapped(x.atan(), 1.0 / (1.0 + x * x))
    }

    /// √x of x > 0.
    fn sqrt(self) -> Self {
        let value = self.value().sqrt();
        self.mapped(value, 0.5 / value)
    }

    /// sin x.
    fn sin(self) -> Self {
        let (sin, cos) = self.value().sin_cos();
        self.mapped(sin, cos)
    }

    /// cos x.
    fn cos(self) -> Self {
        let (sin, cos) = self.value().sin_cos();
        self.mapped(cos, -sin)
    }

    /// xᵖ of x ≥ 0; where the slope is infinite, at 0 with p < 1, it is left out.
    fn powf(self, power: f64) -> Self {
        let x = self.value();
        let slope = if x == 0.0 && power < 1.0 { 0.0 } else { power * x.powf(power - 1.0) };
        self.mapped(x.powf(power), slope)
    }

    /// |x|.
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }

    /// φ₁(x) = (eˣ − 1)/x.
    fn phi1(self) -> Self {
        let (value, slope) = phi1(self.value());
        self.mapped(value, slope)
    }

    /// The smaller one.
    fn min(self, other: Self) -> Self {
        if other.value() < self.value() { other } else { self }
    }

    /// The larger one.
    fn max(self, other: Self) -> Self {
        if other.value() > self.value() { other } else { self }
    }

    /// Brought into −bound … bound.
    fn clamped(self, bound: Self) -> Self {
        if self.value().abs() <= bound.value() { self } else { bound * sign(self.value()) }
    }
}

/// The larger one of two numbers, or NaN where one is: a comparison must not pass because a number is missing.
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// −1, 0 or 1.
pub(super) fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// φ₁ and its derivative (eˣ − φ₁)/x.
fn phi1(x: f64) -> (f64, f64) {
    if x.abs() < SMALL {
        let value =
            1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0))));
        let slope =
            0.5 + x / 3.0 + x * x / 8.0 + x.powi(3) / 30.0 + x.powi(4) / 144.0 + x.powi(5) / 840.0;
        return (value, slope);
    }
    let value = x.exp_m1() / x;
    (value, (x.exp() - value) / x)
}

impl Real for f64 {
    fn constant(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn mapped(self, value: f64, _slope: f64) -> Self {
        value
    }
}

/// A number with its derivatives by N inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<const N: usize> {
    /// Value.
    pub value: f64,
    /// Derivatives.
    pub slopes: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// The input of the given number.
    pub fn input(value: f64, number: usize) -> Self {
        let mut slopes = [0.0; N];
        slopes[number] = 1.0;
        Self { value, slopes }
    }

    fn combined(self, other: Self, value: f64, a: f64, b: f64) -> Self {
        let slopes = std::array::from_fn(|i| a * self.slopes[i] + b * other.slopes[i]);
        Self { value, slopes }
    }
}

impl<const N: usize> Real for Dual<N> {
    fn constant(value: f64) -> Self {
        Self { value, slopes: [0.0; N] }
    }

    fn value(self) -> f64 {
        self.value
    }

    fn mapped(self, value: f64, slope: f64) -> Self {
        Self { value, slopes: self.slopes.map(|s| slope * s) }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.combined(other, self.value + other.value, 1.0, 1.0)
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.combined(other, self.value - other.value, 1.0, -1.0)
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.combined(other, self.value * other.value, other.value, self.value)
    }
}

impl<const N: usize> Div for Dual<N> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        self.combined(other, value, 1.0 / other.value, -value / other.value)
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    fn neg(self) -> Self {
        self.mapped(-self.value, -1.0)
    }
}

impl<const N: usize> Add<f64> for Dual<N> {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        self.mapped(self.value + other, 1.0)
    }
}

impl<const N: usize> Sub<f64> for Dual<N> {
    type Output = Self;
    fn sub(self, other: f64) -> Self {
        self.mapped(self.value - other, 1.0)
    }
}

impl<const N: usize> Mul<f64> for Dual<N> {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        self.mapped(self.value * other, other)
    }
}

impl<const N: usize> Div<f64> for Dual<N> {
    type Output = Self;
    fn div(self, other: f64) -> Self {
        self.mapped(self.value / other, 1.0 / other)
    }
}
