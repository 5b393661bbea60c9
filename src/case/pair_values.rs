//! A number for every pair of a contact: one for all, one each, or a table over the position.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One number for all pairs, a list with one per pair, or a table over the position along the face.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PairValues {
    /// The same for all pairs.
    Uniform(NotNegative),
    /// One per pair, in the order of the first face, which is that of the results.
    Each(Vec<NotNegative>),
    /// Over the position of the pair.
    Profile(Profile),
}

/// A number that is zero or more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct NotNegative(#[schemars(range(min = 0.0))] pub f64);

/// Values at positions; straight lines between them, and constant beyond the first and the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The coordinate that the positions are measured in.
    pub along: Axis,
    /// Positions, ascending [m]; a position given twice makes a jump.
    #[schemars(length(min = 1))]
    pub at: Vec<f64>,
    /// The value at each position.
    #[schemars(length(min = 1))]
    pub values: Vec<NotNegative>,
}

/// A coordinate of the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// x.
    X,
    /// y.
    Y,
}

impl Default for PairValues {
    fn default() -> Self {
        Self::Uniform(NotNegative(0.0))
    }
}

impl PairValues {
    /// The value of a pair, by its number and the position of its first node.
    pub fn of(&self, pair: usize, position: [f64; 2]) -> f64 {
        match self {
            Self::Uniform(value) => value.0,
            Self::Each(values) => values.get(pair).map_or(0.0, |value| value.0),
            Self::Profile(profile) => profile.value(position),
        }
    }

    /// Whether some pair has a value above 0.
    pub fn is_used(&self) -> bool {
        match self {
            Self::Uniform(value) => value.0 > 0.0,
            Self::Each(values) | Self::Profile(Profile { values, .. }) => {
                values.iter().any(|value| value.0 > 0.0)
            }
        }
    }

    /// The first of these values that is below the other one of its pair; tables are compared at the positions
    /// of both, and what only the pairs can tell when these are known.
    pub(super) fn first_below(&self, other: &Self) -> Option<(f64, f64)> {
        let below = |(a, b): &(f64, f64)| a < b;
        match (self, other) {
            (Self::Uniform(a), _) => other.values().map(|b| (a.0, b)).find(below),
            (_, Self::Uniform(b)) => self.values().map(|a| (a, b.0)).find(below),
            (Self::Each(_), Self::Each(_)) => self.values().zip(other.values()).find(below),
            (Self::Profile(a), Self::Profile(b)) if a.along == b.along => {
                let places = a.at.iter().chain(&b.at).map(|at| [*at; 2]);
                places.map(|place| (a.value(place), b.value(place))).find(below)
            }
            _ => None,
        }
    }

    fn values(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Self::Uniform(value) => Box::new(std::iter::once(value.0)),
            Self::Each(values) | Self::Profile(Profile { values, .. }) => {
                Box::new(values.iter().map(|value| value.0))
            }
        }
    }

    /// What does not fit a contact of so many pairs.
    pub fn misfit(&self, n_pairs: usize) -> Option<String> {
        match self {
            Self::Each(values) if values.len() != n_pairs => Some(format!(
                "lists {} values, but the contact has {n_pairs} pairs: give one per pair, a single \
                 number, or a table {{ along, at, values }} over the position",
                values.len()
            )),
            _ => None,
        }
    }

    /// What does not fit together in itself: the key and why.
    pub(super) fn problem(&self) -> Option<(&'static str, String)> {
        let Self::Profile(Profile { at, values, .. }) = self else { return None };
        if at.len() != values.len() {
            let message = format!("has {} values for {} positions", values.len(), at.len());
            return Some(("values", message));
        }
        let falls = at.windows(2).find(|pair| pair[0] > pair[1])?;
        Some(("at", format!("must ascend, but {} m comes before {} m", falls[0], falls[1])))
    }
}

impl Profile {
    fn value(&self, [x, y]: [f64; 2]) -> f64 {
        let place = match self.along {
            Axis::X => x,
            Axis::Y => y,
        };
        let value = |i: usize| self.values[i].0;
        // The first position beyond the place.
        match self.at.partition_point(|at| *at <= place) {
            0 => value(0),
            i if i == self.at.len() => value(i - 1),
            i => {
                let share = (place - self.at[i - 1]) / (self.at[i] - self.at[i - 1]);
                value(i - 1) + share * (value(i) - value(i - 1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_linear_between_positions_constant_outside_and_may_jump() {
        let numbers = |values: &[f64]| values.iter().map(|v| NotNegative(*v)).collect();
        let at = vec![1.0, 2.0, 2.0, 4.0];
        let profile = Profile { along: Axis::Y, at, values: numbers(&[0.2, 0.4, 0.8, 0.6]) };
        let values = PairValues::Profile(profile);
        let known =
            [(0.0, 0.2), (1.0, 0.2), (1.5, 0.3), (2.0, 0.8), (3.0, 0.7), (4.0, 0.6), (9.0, 0.6)];
        for (y, value) in known {
            assert!((values.of(0, [7.0, y]) - value).abs() < 1e-15, "{y}");
        }
        assert_eq!(PairValues::Each(numbers(&[0.1, 0.3])).of(1, [0.0, 0.0]), 0.3);
    }
}
