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

use faer::{Mat, MatRef};

use crate::case::{Case, Contact, ContactLaw};
use crate::friction;
use crate::linalg::Complex;
use crate::model::Model;
use crate::reduction::PairRows;

mod corner;
pub mod dlft;
pub mod hereditary;
pub mod local;
pub mod regularised;
mod signorini;
mod sums;

pub use local::Local;
pub use sums::Sums;

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
    if kinetic > 0.0 { (highest / kinetic).max(1.0) } else { 1.0 }
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
    /// Row j of dF̄/dτ, τ = ωt.
    pub slope: &'a [Vec<f64>],
    /// F.
    pub forward: MatRef<'a, f64>,
    /// Products of both over parts of the period.
    pub sums: &'a Sums,
    /// ω \[rad/s\].
    pub omega: f64,
}

impl Samples<'_> {
    /// Number of harmonic coefficients.
    pub fn n_coefficients(&self) -> usize {
        self.inverse.first().map_or(0, Vec::len)
    }

    /// Number of harmonics, the static one included.
    fn n_harmonics(&self) -> usize {
        self.n_coefficients().div_ceil(2)
    }

    /// e^{imτ_j} of the m-th harmonic.
    fn turn(&self, m: usize, j: usize) -> Complex {
        match m {
            0 => Complex::new(1.0, 0.0),
            _ => Complex::new(self.inverse[j][2 * m - 1], self.inverse[j][2 * m]),
        }
    }

    /// Stores cosine and sine sums of the m-th harmonic among coefficients.
    fn put(&self, m: usize, sum: Complex, out: &mut [f64]) {
        match m {
            0 => out[0] = sum.re,
            _ => (out[2 * m - 1], out[2 * m]) = (sum.re, sum.im),
        }
    }
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
    /// Derivative of the result's harmonics, λ_x of [`dlft`] and λ of the other laws, with respect to those of
    /// the input and, in the last column, to a factor of μ. Friction laws have two columns before it: a factor of ω and one of N₀.
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
        input: &[Vec<f64>],
        samples: Samples,
        wants_derivative: bool,
    ) -> March {
        match self.law {
            Law::Exact => dlft::march(self, local, input, samples, wants_derivative),
            Law::Penalty { normal, tangential } => {
                let stiffness = regularised::Stiffness { normal, tangential };
                regularised::slider(self, input, samples, stiffness, wants_derivative)
            }
            Law::Cubic { linear, cubic } => {
                regularised::cubic(self, input, samples, linear, cubic, wants_derivative)
            }
            Law::Friction(law) => {
                hereditary::march(self, &law, local, input, samples, wants_derivative)
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

/// Collects ∂(result in time), instant by instant, and transforms it at the end.
struct Collector {
    /// For each direction the rows of all instants, one after the other; empty while all are zero.
    rows: Vec<Vec<f64>>,
    n_columns: usize,
    n_samples: usize,
}

impl Collector {
    fn new(n_directions: usize, samples: Samples, n_columns: usize) -> Self {
        Self { rows: vec![vec![]; n_directions], n_columns, n_samples: samples.count }
    }

    fn row_mut(&mut self, direction: usize, j: usize) -> &mut [f64] {
        let rows = &mut self.rows[direction];
        rows.resize(self.n_samples * self.n_columns, 0.0);
        &mut rows[j * self.n_columns..(j + 1) * self.n_columns]
    }

    /// Adds weight · row at instant j.
    fn add_row(&mut self, direction: usize, j: usize, row: &[f64], weight: f64) {
        if row.iter().any(|value| *value != 0.0) {
            let out = self.row_mut(direction, j).iter_mut().zip(row);
            out.for_each(|(out, value)| *out += weight * value);
        }
    }

    /// Adds weight · ∂input at instant j.
    fn add_input(
        &mut self,
        direction: usize,
        j: usize,
        input: usize,
        inverse: &[f64],
        weight: f64,
    ) {
        if weight != 0.0 {
            let first = input * inverse.len();
            let out = self.row_mut(direction, j)[first..].iter_mut().zip(inverse);
            out.for_each(|(out, value)| *out += weight * value);
        }
    }

    /// F · ∂(result in time), direction below direction.
    fn finish(&self, samples: Samples) -> Mat<f64> {
        let h = samples.n_coefficients();
        let mut result = Mat::zeros(self.rows.len() * h, self.n_columns);
        for (direction, rows) in self.rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let rows = MatRef::from_row_major_slice(rows, self.n_samples, self.n_columns);
            faer::linalg::matmul::matmul(
                result.as_mut().subrows_mut(direction * h, h),
                faer::Accum::Replace,
                samples.forward,
                rows,
                1.0,
                faer::Par::Seq,
            );
        }
        result
    }
}

#[cfg(test)]
mod tests;
