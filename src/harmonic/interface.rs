//! The pairs beyond the retained harmonics: forms of DLFT.
//!
//! ```text
//! The time march moves in all harmonics κ that the samples resolve, with z_κ of `contact::local` beyond
//! the retained ones where the structure has Z_κ. The answer depends on z as far as the two differ:
//!
//!     displacement   z = ε ,  ε = penalty · max_k ‖Z_k‖                          (classic)          (1)
//!     velocity       z = iκω d + ε_0 ,  d = ε/(ω N_h)                                              (2)
//!     interface      z = k − (κω)² m + iκω d ,  k and m of the structure at the pair                (3)
//! ```
//!
//! With masses at the contact Z grows like the square of κ: (1) falls short of it, (2) grows with κ, (3) is
//! right to the order κ⁰. Where the interface is elastic, (3) has its stiffness.

use super::balance::Balance;
use crate::contact::{Joint, Local};

/// How a pair is carried beyond the retained harmonics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// By stiffness and inertia of the structure at the pair, (3).
    #[default]
    Interface,
    /// By a dashpot, (2).
    Velocity,
    /// By a spring, (1).
    Displacement,
}

/// Treatment of the harmonics that are not retained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Treatment {
    /// Operator of the pairs.
    pub form: Form,
    /// Factor of the operator's stiffness.
    pub penalty: f64,
    /// Largest number of corrections of the tail at a point.
    pub corrections: usize,
    /// Relative change of the motion at which corrections end.
    pub tolerance: f64,
    /// Whether the effect of truncation is estimated where it is not corrected.
    pub wants_estimate: bool,
}

impl Default for Treatment {
    fn default() -> Self {
        Self {
            form: Form::Interface,
            penalty: 1.0,
            corrections: 4,
            tolerance: 1e-3,
            wants_estimate: true,
        }
    }
}

impl Treatment {
    /// The classic DLFT.
    pub fn classic(penalty: f64) -> Self {
        Self { form: Form::Displacement, penalty, corrections: 0, ..Self::default() }
    }
}

/// Damping ratio of (3): enough to settle, little enough not to matter.
const DAMPING: f64 = 0.05;
/// Static stiffness of (2) over ε.
const STATIC_SHARE: f64 = 1e-3;

impl Balance {
    /// The operator of every pair at ω; `largest` is max_k ‖Z_k‖.
    pub(super) fn locals(&self, omega: f64, largest: f64) -> Vec<Local> {
        let epsilon = self.treatment.penalty * largest;
        let step = self.basis.angle() / omega;
        match self.treatment.form {
            Form::Displacement => vec![Local::penalty(epsilon); self.joints.len()],
            Form::Velocity => {
                let highest = self.basis.harmonics().last().copied().unwrap_or(1);
                let damping = epsilon / (omega * highest as f64) / step;
                let stiffness = STATIC_SHARE * epsilon;
                let local =
                    Local { normal: epsilon, inertia: 0.0, damping, stiffness, is_centred: true };
                vec![local; self.joints.len()]
            }
            Form::Interface => {
                self.joints.iter().map(|joint| self.local(joint, omega, step, epsilon)).collect()
            }
        }
    }

    /// (3), with modes told apart in the middle of the orders that are corrected.
    fn local(&self, joint: &Joint, omega: f64, step: f64, epsilon: f64) -> Local {
        let rows = &joint.rows.tangents;
        let first = self.basis.harmonics().last().copied().unwrap_or(1) + 1;
        let last = self.highest_order().max(first);
        let middle = omega * ((first * last) as f64).sqrt();
        let asymptotes: Vec<(f64, f64)> =
            rows.iter().map(|row| self.condensation.asymptote(*row, middle)).collect();
        let n = rows.len().max(1) as f64;
        let mass = asymptotes.iter().map(|(_, m)| m).sum::<f64>() / n;
        let stiffness = asymptotes.iter().map(|(k, _)| k).sum::<f64>() / n;
        let stiffness = if stiffness > 0.0 { self.treatment.penalty * stiffness } else { epsilon };
        let damping = 2.0 * DAMPING * (stiffness * mass).sqrt();
        Local {
            normal: epsilon,
            inertia: mass / (step * step),
            damping: damping / step,
            stiffness,
            is_centred: true,
        }
    }
}
