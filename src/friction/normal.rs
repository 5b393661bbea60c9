//! Normal laws of contacts with friction laws.
//!
//! ```text
//!     constant        N = N₀                                                                     (1)
//!     penalty         N = max(0, N₀ + k δ)                                                       (2)
//!     power           N = c (δ + δ_0)₊ⁿ ,   c δ_0ⁿ = N₀                                            (3)
//!     Hunt–Crossley   N = c (δ + δ_0)₊ⁿ (1 + χ δ̇)₊                                                 (4)
//!     exact           0 ≤ N ⊥ −δ ≥ 0                                                             (5)
//! ```
//!
//! δ is the approach of the faces, N₀ the prescribed load, which they carry at δ = 0. (3) with n = 3/2 is Hertz,
//! n = 1 is (2). (5) is no function of δ: its N is a reaction, beside N₀, which the solver finds. χ has the unit s/m (Hunt and Crossley, 1975: χ = 3/2 of their α); a published unit
//! N s m^{−(n+1)} would make the damping 10¹⁵ times smaller than its own loops show.
#![allow(rustdoc::broken_intra_doc_links)] // Units stand in plain brackets: descriptions of the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::real::Real;

/// What presses the faces together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum NormalLaw {
    /// The prescribed preload, whatever the motion along the normal.
    #[default]
    Constant,
    /// A spring that only presses.
    Penalty {
        /// Stiffness of the whole contact, > 0 [N/m].
        stiffness: f64,
    },
    /// A power of the approach; the preload is carried at rest.
    Power {
        /// c of the whole contact, > 0 [N/m^n].
        coefficient: f64,
        /// n, 1 to 5 [-].
        exponent: f64,
    },
    /// A power of the approach with damping; the preload is carried at rest.
    HuntCrossley {
        /// c of the whole contact, > 0 [N/m^n].
        coefficient: f64,
        /// n, 1 to 5 [-].
        exponent: f64,
        /// Damping chi, >= 0 [s/m].
        damping: f64,
    },
    /// Signorini, exactly: closed faces do not overlap, and press with whatever force that takes.
    Exact,
}

impl NormalLaw {
    /// Parameters that the law cannot work with.
    pub fn faults(&self) -> Vec<Fault> {
        let power = |law, coefficient, exponent| {
            Faults::of(law)
                .positive("coefficient", coefficient, "N/m^n")
                .between("exponent", exponent, 1.0, 5.0)
        };
        match *self {
            Self::Constant | Self::Exact => vec![],
            Self::Penalty { stiffness } => {
                Faults::of("penalty").positive("stiffness", stiffness, "N/m").list()
            }
            Self::Power { coefficient, exponent } => power("power", coefficient, exponent).list(),
            Self::HuntCrossley { coefficient, exponent, damping } => {
                power("hunt_crossley", coefficient, exponent)
                    .not_negative("damping", damping, "s/m")
                    .list()
            }
        }
    }

    /// The law of a pair that is this share of the contact.
    pub fn shared(self, share: f64) -> Self {
        match self {
            Self::Constant | Self::Exact => self,
            Self::Penalty { stiffness } => Self::Penalty { stiffness: share * stiffness },
            Self::Power { coefficient, exponent } => {
                Self::Power { coefficient: share * coefficient, exponent }
            }
            Self::HuntCrossley { coefficient, exponent, damping } => {
                Self::HuntCrossley { coefficient: share * coefficient, exponent, damping }
            }
        }
    }

    /// N ≥ 0 at an approach, its rate and the prescribed load \[N\]; none where it is a reaction, (5).
    pub fn force<T: Real>(&self, approach: T, rate: T, preload: T) -> Option<T> {
        Some(match *self {
            Self::Exact => return None,
            Self::Constant => preload,
            Self::Penalty { stiffness } => (approach * stiffness + preload).max(T::constant(0.0)),
            Self::Power { coefficient, exponent } => {
                power(approach, preload, coefficient, exponent)
            }
            Self::HuntCrossley { coefficient, exponent, damping } => {
                let factor = (rate * damping + 1.0).max(T::constant(0.0));
                power(approach, preload, coefficient, exponent) * factor
            }
        })
    }
}

/// (3)
fn power<T: Real>(approach: T, preload: T, coefficient: f64, exponent: f64) -> T {
    let first = (preload / coefficient).powf(1.0 / exponent);
    let whole = approach + first;
    if whole.value() <= 0.0 { T::constant(0.0) } else { whole.powf(exponent) * coefficient }
}
