//! Contact laws at node pairs, in time.
//!
//! Sign convention: λ acts on the left-hand side, Z u_r + λ = f_r. u_N > 0 opens; λ_N < 0 presses the
//! faces together; λ_T points along the sliding velocity of the first body relative to the second.
//!
//! [`dlft`] finds forces that obey the exact laws of Signorini and Coulomb, [`regularised`] those of
//! springs, [`hereditary`] those of the library of friction laws. A direction whose law is exact
//! ([`Joint::is_exact`]) has λ_u of [`dlft`] as its input and λ_x as its result; the others have u and λ. All return
//! the derivative of the result with respect to the harmonics of their input, carried forward through the march over
//! the period.

use faer::Mat;

use crate::case::{Case, Contact, ContactLaw};
use crate::friction;
use crate::model::Model;
use crate::reduction::PairRows;

pub mod basis;
mod collector;
mod corner;
pub mod dlft;
pub mod hereditary;
pub mod local;
pub mod regularised;
mod signorini;
pub mod springs;
mod sums;

pub use basis::{Basis, Samples};
pub use local::Local;

/// A node pair with its law.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Where its directions are among the relative displacements.
    pub rows: PairRows,
    /// Number of its `[[contact]]` table.
    pub interface: usize,
    /// μ \[-\].
    pub friction: f64,
    /// Prescribed normal load N₀, beside what λ_N carries \[N\].
    pub preload: f64,
    /// How much N₀ falls per depth of wear \[N/m\].
    pub preload_stiffness: f64,
    /// Distance at which the faces stand when u_N = 0 \[m\].
    pub gap: f64,
    /// Contact area \[m²\].
    pub area: f64,
    /// Its law.
    pub law: Law,
    /// Sharpness of the corners of the exact law; infinite unless a start is sought.
    pub sharpness: f64,
    /// Force that rounded corners are measured by \[N\].
    pub force_scale: f64,
}

/// How a joint is modified on the way to a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modification {
    /// Factor of μ.
    pub friction: f64,
    /// Factor of N₀.
    pub preload: f64,
    /// Sharpness of the corners.
    pub sharpness: f64,
    /// Force that rounded corners are measured by \[N\].
    pub force_scale: f64,
}

impl Default for Modification {
    /// The joint as it is.
    fn default() -> Self {
        Self { friction: 1.0, preload: 1.0, sharpness: f64::INFINITY, force_scale: 0.0 }
    }
}

/// What a joint does with relative motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Signorini and Coulomb, exactly.
    Exact,
    /// A spring that only presses, and an elastic slider under its force.
    Penalty {
        /// k_N \[N/m\].
        normal: f64,
        /// k_T \[N/m\].
        tangential: f64,
    },
    /// λ_N = k u + k₃ u³, in both directions.
    Cubic {
        /// k \[N/m\].
        linear: f64,
        /// k₃ \[N/m³\].
        cubic: f64,
    },
    /// A friction law with states.
    Friction(Friction),
}

/// Laws along and across the face of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    /// N of the approach.
    pub normal: friction::NormalLaw,
    /// F of the slip, in each tangential direction on its own.
    pub tangential: friction::Law,
    /// μ_s/μ.
    pub static_ratio: f64,
}

/// The joints of a case; `rows` are those of the reduced structure, pair by pair.
pub fn joints(case: &Case, model: &Model, rows: &[PairRows]) -> Vec<Joint> {
    let mut rows = rows.iter();
    let mut joints = Vec::new();
    for (interface, (table, built)) in case.contact.iter().zip(&model.interfaces).enumerate() {
        let total: f64 = built.pairs.iter().map(|pair| pair.area).sum();
        for (number, (pair, rows)) in built.pairs.iter().zip(rows.by_ref()).enumerate() {
            let share = pair.area / total;
            let place = model.geometry.coordinates[pair.first];
            let law = match table.law {
                ContactLaw::Exact => Law::Exact,
                ContactLaw::Penalty { normal_stiffness, tangential_stiffness } => Law::Penalty {
                    normal: normal_stiffness * pair.area,
                    tangential: tangential_stiffness * pair.area,
                },
                ContactLaw::Cubic { linear, cubic } => {
                    Law::Cubic { linear: share * linear, cubic: share * cubic }
                }
                ContactLaw::Friction { normal, tangential } => Law::Friction(Friction {
                    normal: normal.shared(share),
                    tangential: tangential.shared(share),
                    static_ratio: static_ratio(table, number, place),
                }),
            };
            joints.push(Joint {
                rows: rows.clone(),
                interface,
                friction: table.friction.of(number, place),
                preload: share * table.preload,
                preload_stiffness: share * table.preload_stiffness,
                gap: pair.gap,
                area: pair.area,
                law,
                sharpness: f64::INFINITY,
                force_scale: 0.0,
            });
        }
    }
    joints
}

/// μ_s/μ of a pair.
fn static_ratio(table: &Contact, number: usize, place: [f64; 2]) -> f64 {
    let kinetic = table.friction.of(number, place);
    let highest = table.static_friction.as_ref().map_or(kinetic, |values| values.of(number, place));
    if kinetic > 0.0 { highest / kinetic } else { 1.0 }
}

/// Directions of a pair: one across the face, two along it.
pub const MAX_DIRECTIONS: usize = 3;

/// State of a pair at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Closed, without sliding.
    Stick = 0,
    /// Closed and sliding.
    Slip = 1,
    /// Apart.
    Open = 2,
}

/// Outcome of a march over the period. Directions: the normal first, if there is one.
#[derive(Debug, Clone)]
pub struct March {
    /// λ in time, direction by direction \[N\].
    pub forces: Vec<Vec<f64>>,
    /// Opening and slip that belong to them \[m\].
    pub motion: Vec<Vec<f64>>,
    /// Status at every instant.
    pub status: Vec<Status>,
    /// Whether the period ends as it began.
    pub is_periodic: bool,
    /// λ_x of directions in which it is the same at all instants: none of closed pairs, the place of stuck ones \[N\].
    pub steady: [Option<f64>; MAX_DIRECTIONS],
    /// Derivative of the result's harmonics, λ_x of [`dlft`] and λ of the other laws:
    ///
    /// | columns | with respect to |
    /// |---|---|
    /// | the first, direction by direction | harmonics of the input |
    /// | two more, of friction laws only | a factor of ω, a factor of N₀ |
    /// | the last | a factor of μ |
    pub derivative: Option<Mat<f64>>,
}

impl Joint {
    /// N at contact forces λ of all relative displacements \[N\].
    pub fn pressure(&self, force: &[f64]) -> f64 {
        self.preload - self.rows.normal.map_or(0.0, |row| force[row])
    }

    /// Whether its law is the hybrid one, whose zones are told apart.
    pub fn has_zones(&self) -> bool {
        matches!(self.law, Law::Friction(Friction { tangential: friction::Law::Hybrid(_), .. }))
    }

    /// Whether its friction drops at once where the velocity turns.
    pub fn drops(&self) -> bool {
        matches!(self.law, Law::Friction(law) if law.tangential.drops())
    }

    /// The same with other loads or rounded corners.
    pub fn modified(&self, by: &Modification) -> Self {
        Self {
            friction: by.friction * self.friction,
            preload: by.preload * self.preload,
            sharpness: by.sharpness,
            force_scale: by.force_scale,
            ..self.clone()
        }
    }

    /// The same after wear of a depth: the gap opens, and what presses the faces together relaxes.
    pub fn worn(&self, depth: f64) -> Self {
        Self {
            gap: self.gap + depth,
            preload: (self.preload - self.preload_stiffness * depth).max(0.0),
            ..self.clone()
        }
    }

    /// Name of its law in case files.
    pub fn law_name(&self) -> &'static str {
        match self.law {
            Law::Exact => "exact",
            Law::Penalty { .. } => "penalty",
            Law::Cubic { .. } => "cubic",
            Law::Friction(law) => law.tangential.name(),
        }
    }

    /// Whether the law of a direction is exact: its input is λ_u and its result λ_x, not u and λ.
    pub fn is_exact(&self, row: usize) -> bool {
        match self.law {
            Law::Exact => true,
            Law::Friction(_) => self.presses_exactly() && self.rows.normal == Some(row),
            Law::Penalty { .. } | Law::Cubic { .. } => false,
        }
    }

    /// Whether its normal law is that of Signorini.
    pub fn presses_exactly(&self) -> bool {
        match self.law {
            Law::Exact => true,
            Law::Friction(law) => law.normal == friction::NormalLaw::Exact,
            Law::Penalty { .. } | Law::Cubic { .. } => false,
        }
    }

    /// Number of directions.
    pub fn n_directions(&self) -> usize {
        self.rows.tangents.len() + usize::from(self.rows.normal.is_some())
    }

    /// Rows of its directions among the relative displacements.
    pub fn directions(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.normal.iter().chain(&self.rows.tangents).copied()
    }

    /// Runs its law on the input in time, direction by direction.
    pub fn march(
        &self,
        local: &Local,
        input: Vec<Vec<f64>>,
        samples: Samples,
        wants_derivative: bool,
    ) -> March {
        match self.law {
            Law::Exact => dlft::march(self, local, input, samples, wants_derivative),
            Law::Penalty { normal, tangential } => {
                let stiffness = regularised::Stiffness { normal, tangential };
                regularised::slider(self, &input, samples, stiffness, wants_derivative)
            }
            Law::Cubic { linear, cubic } => {
                regularised::cubic(self, &input, samples, linear, cubic, wants_derivative)
            }
            Law::Friction(law) => {
                hereditary::march(self, &law, local, &input, samples, wants_derivative)
            }
        }
    }
}

#[cfg(test)]
mod tests;
