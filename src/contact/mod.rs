//! Contact laws at node pairs, in time.
//!
//! Sign convention: λ acts on the left-hand side, Z u_r + λ = f_r. u_N > 0 opens; λ_N < 0 presses the
//! faces together; λ_T points along the sliding velocity of the first body relative to the second.
//!
//! [`dlft`] finds forces that obey the exact laws of Signorini and Coulomb, [`regularised`] those of
//! springs. Both return the derivative of the force with respect to the harmonics of their input, carried
//! forward through the march over the period.

use faer::Mat;

use crate::case::{Case, ContactLaw};
use crate::model::Model;
use crate::reduction::PairRows;

pub mod dlft;
pub mod regularised;

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
}

/// The joints of a case; `rows` are those of the reduced structure, pair by pair.
pub fn joints(case: &Case, model: &Model, rows: &[PairRows]) -> Vec<Joint> {
    let mut rows = rows.iter();
    let mut joints = Vec::new();
    for (interface, (table, built)) in case.contact.iter().zip(&model.interfaces).enumerate() {
        let total: f64 = built.pairs.iter().map(|pair| pair.area).sum();
        for (pair, rows) in built.pairs.iter().zip(rows.by_ref()) {
            let share = pair.area / total;
            let law = match table.law {
                ContactLaw::Exact => Law::Exact,
                ContactLaw::Penalty { normal_stiffness, tangential_stiffness } => Law::Penalty {
                    normal: normal_stiffness * pair.area,
                    tangential: tangential_stiffness * pair.area,
                },
                ContactLaw::Cubic { linear, cubic } => {
                    Law::Cubic { linear: share * linear, cubic: share * cubic }
                }
            };
            joints.push(Joint {
                rows: rows.clone(),
                interface,
                friction: table.friction,
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

/// Samples of one period: F̄ and F of the transform, as the march needs them.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a> {
    /// Number of samples.
    pub count: usize,
    /// Row j of F̄: values of the harmonics at instant j.
    pub inverse: &'a [Vec<f64>],
    /// Column j of F.
    pub forward: &'a [Vec<f64>],
}

impl Samples<'_> {
    /// Number of harmonic coefficients.
    pub fn n_coefficients(&self) -> usize {
        self.inverse.first().map_or(0, Vec::len)
    }
}

/// Outcome of a march over the period. Directions: the normal first, if there is one.
#[derive(Debug, Clone)]
pub struct March {
    /// The result in time, direction by direction: λ_x of [`dlft`], λ of [`regularised`].
    pub values: Vec<Vec<f64>>,
    /// Status at every instant.
    pub status: Vec<Status>,
    /// Derivative of the result's harmonics with respect to those of the input and, in the last column,
    /// to a factor of μ.
    pub derivative: Option<Mat<f64>>,
}

impl Joint {
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

    /// Number of directions.
    pub fn n_directions(&self) -> usize {
        self.rows.tangents.len() + usize::from(self.rows.normal.is_some())
    }

    /// Rows of its directions among the relative displacements.
    pub fn directions(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.normal.iter().chain(&self.rows.tangents).copied()
    }

    /// Runs its law on the input in time, direction by direction.
    pub fn march(&self, input: &[Vec<f64>], samples: Samples, wants_derivative: bool) -> March {
        match self.law {
            Law::Exact => dlft::march(self, input, samples, wants_derivative),
            Law::Penalty { normal, tangential } => {
                let stiffness = regularised::Stiffness { normal, tangential };
                regularised::slider(self, input, samples, stiffness, wants_derivative)
            }
            Law::Cubic { linear, cubic } => {
                regularised::cubic(self, input, samples, linear, cubic, wants_derivative)
            }
        }
    }
}

/// A value per tangential direction with its derivative: what the march remembers.
#[derive(Debug, Clone)]
struct Memory {
    value: [f64; 2],
    derivative: [Vec<f64>; 2],
}

impl Memory {
    fn new(n_columns: usize) -> Self {
        Self { value: [0.0; 2], derivative: [vec![0.0; n_columns], vec![0.0; n_columns]] }
    }
}

/// Collects F · ∂(result in time).
struct Collector {
    matrix: Mat<f64>,
    n_coefficients: usize,
}

impl Collector {
    fn new(n_directions: usize, n_coefficients: usize) -> Self {
        let n = n_directions * n_coefficients;
        Self { matrix: Mat::zeros(n, n + 1), n_coefficients }
    }

    /// Adds F_j ⊗ row for the result in a direction.
    fn add(&mut self, direction: usize, forward: &[f64], row: &[f64]) {
        let first = direction * self.n_coefficients;
        for (c, value) in row.iter().enumerate() {
            if *value != 0.0 {
                let column = self.matrix.col_mut(c).subrows_mut(first, self.n_coefficients);
                column.iter_mut().zip(forward).for_each(|(out, f)| *out += f * value);
            }
        }
    }

    /// Adds F_j ⊗ (weights · F̄_j in the columns of a direction).
    fn add_harmonics(
        &mut self,
        direction: usize,
        forward: &[f64],
        input: usize,
        inverse: &[f64],
        weight: f64,
    ) {
        let (first, column) = (direction * self.n_coefficients, input * self.n_coefficients);
        for (c, value) in inverse.iter().enumerate() {
            let out = self.matrix.col_mut(column + c).subrows_mut(first, self.n_coefficients);
            out.iter_mut().zip(forward).for_each(|(out, f)| *out += f * value * weight);
        }
    }
}

#[cfg(test)]
mod tests;
