//! Wear laws of node pairs.
//!
//! ```text
//! Work per area that drives wear, per cycle of the vibration:
//!
//!     Archard   q' = ∮ p |dx_T| [J/m²] ,      energy   q' = ∮ λ_T · dx_T / area              (1)
//!
//! and with the work q of all cycles, its threshold q_0 and shares s_1 + s_2 = 1 of the two faces
//!
//!     w = K max(0, q − q_0) ,     w_i = s_i w .                                             (2)
//! ```
//!
//! The sliding distance is the true length of the path of the slip. Coefficients that were measured by the
//! amplitude of a steady to-and-fro motion, a quarter of its path, say so: K = K_w/4. Under a constant μ,
//! K_w = μ α (Tubita 2023, I.21).

use crate::case::{self, Case, Problem, SlidingDistance};
use crate::model::Model;

/// What drives the wear of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Pressure × path.
    Pressure,
    /// Dissipated energy.
    Friction,
}

/// The law of one pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WearLaw {
    /// What drives it.
    pub driver: Driver,
    /// K of (2) \[m³/J\].
    pub coefficient: f64,
    /// q_0 \[J/m²\].
    pub threshold: f64,
    /// s_1 and s_2.
    pub share: [f64; 2],
}

impl WearLaw {
    /// A pair that does not wear.
    pub const NONE: Self =
        Self { driver: Driver::Pressure, coefficient: 0.0, threshold: 0.0, share: [0.5, 0.5] };

    /// Depth after work per area, (2) \[m\].
    pub fn depth(&self, work: f64) -> f64 {
        self.coefficient * (work - self.threshold).max(0.0)
    }

    /// Depth per work at the moment.
    pub fn slope(&self, work: f64) -> f64 {
        if work >= self.threshold { self.coefficient } else { 0.0 }
    }
}

/// The laws of all pairs of a case, in the order of its contacts.
pub fn laws(case: &Case, model: &Model) -> Result<Vec<WearLaw>, Vec<Problem>> {
    let mut laws = Vec::new();
    let mut problems = Vec::new();
    for (i, (table, interface)) in case.contact.iter().zip(&model.interfaces).enumerate() {
        let n = interface.pairs.len();
        match table.wear.as_ref().map(|law| of_contact(law, n)) {
            None => laws.extend(std::iter::repeat_n(WearLaw::NONE, n)),
            Some(Ok(own)) => laws.extend(own),
            Some(Err(message)) => {
                problems.push(Problem::new(format!("contact[{i}].wear.coefficient"), message));
            }
        }
    }
    if problems.is_empty() { Ok(laws) } else { Err(problems) }
}

fn of_contact(law: &case::WearLaw, n_pairs: usize) -> Result<Vec<WearLaw>, String> {
    let (driver, values, reading, threshold) = match law {
        case::WearLaw::Archard {
            coefficient,
            wear_number,
            hardness,
            sliding_distance,
            threshold,
            ..
        } => {
            let quotient = [wear_number.unwrap_or(0.0) / hardness.unwrap_or(1.0)];
            let values = coefficient.as_ref().map_or(quotient.to_vec(), |k| k.values().to_vec());
            let reading = match sliding_distance {
                SlidingDistance::Path => 1.0,
                SlidingDistance::Amplitude => 0.25,
            };
            (Driver::Pressure, values, reading, *threshold)
        }
        case::WearLaw::Energy { coefficient, threshold, .. } => {
            (Driver::Friction, coefficient.values().to_vec(), 1.0, *threshold)
        }
    };
    if values.len() != 1 && values.len() != n_pairs {
        let count = values.len();
        return Err(format!("has {count} values; must be one, or {n_pairs}: one for each pair"));
    }
    let of = |pair: usize| WearLaw {
        driver,
        coefficient: reading * values[if values.len() == 1 { 0 } else { pair }],
        threshold,
        share: law.share(),
    };
    Ok((0..n_pairs).map(of).collect())
}
