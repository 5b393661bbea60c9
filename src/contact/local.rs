//! What a pair does in harmonics that the balance does not retain.
//!
//! The march of [`super::dlft`] runs over all instants of a period, so it moves in more harmonics than the
//! unknowns. There the structure is replaced by an operator of the pair alone. Tangentially, with the step
//! Δ_j = x_j − x_{j−1},
//!
//! ```text
//!     (z x)_j = I (Δ_j − Δ_{j−1}) + C Δ_j + k x_j ,    I = m/h² ,  C = d/h ,  h = T/n             (1)
//!
//!     z_θ = [I (1 − e^{−iθ})² + C (1 − e^{−iθ}) + k] e^{iθ/2} ,    θ = 2πκ/n                      (2)
//! ```
//!
//! in harmonic κ. The factor e^{iθ/2} says that the force of instant j belongs to the middle of step j, as
//! friction opposes the step: without it friction would lag by half a sample. The classic DLFT is I = C = 0
//! without this factor. In the normal direction the operator is a stiffness, without shift.

use crate::linalg::Complex;

/// The operator of one pair \[N/m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Local {
    /// Stiffness in the normal direction.
    pub normal: f64,
    /// I of (1).
    pub inertia: f64,
    /// C of (1).
    pub damping: f64,
    /// k of (1).
    pub stiffness: f64,
    /// Whether the forces belong to the middle of the steps.
    pub is_centred: bool,
}

impl Local {
    /// The same stiffness in every direction: the classic pseudo-penalty ε.
    pub fn penalty(epsilon: f64) -> Self {
        Self { normal: epsilon, inertia: 0.0, damping: 0.0, stiffness: epsilon, is_centred: false }
    }

    /// The same, larger by a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            normal: factor * self.normal,
            inertia: factor * self.inertia,
            damping: factor * self.damping,
            stiffness: factor * self.stiffness,
            is_centred: self.is_centred,
        }
    }

    /// Force of a step from rest over the step.
    pub(super) fn step_stiffness(&self) -> f64 {
        self.inertia + self.damping + self.stiffness
    }

    /// z of a direction in the harmonic that turns by e^{iθ/2} in half a sample: (2), or the normal stiffness.
    pub fn symbol(&self, is_normal: bool, half_turn: Complex) -> Complex {
        if is_normal { self.normal.into() } else { self.tangential_symbol(half_turn) }
    }

    fn tangential_symbol(&self, half_turn: Complex) -> Complex {
        let back = 1.0 - (half_turn * half_turn).conj();
        let sum = back * back * self.inertia + back * self.damping + self.stiffness;
        if self.is_centred { sum * half_turn } else { sum }
    }
}
