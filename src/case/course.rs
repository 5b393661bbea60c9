//! How a drive goes in time.
//!
//! ```text
//!     s(t) with its derivatives ṡ and s̈; where s has a corner, those of the time after it.          (1)
//!     chirp   s = A cos(2π(f₀t + ½(f₁ − f₀)t²/T)) for t ≤ T, then at f₁                             (2)
//! ```
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use std::f64::consts::TAU;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The course of a force [N] or a displacement [m] in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Course {
    /// The same at all times.
    Constant {
        /// Its value [N or m].
        value: f64,
    },
    /// Linear from 0 to a value, then constant.
    Ramp {
        /// Last value [N or m].
        to: f64,
        /// How long it rises [s].
        #[schemars(extend("exclusiveMinimum" = 0))]
        over: f64,
    },
    /// Constant velocity, from 0; with an acceleration the velocity itself grows.
    Pull {
        /// Velocity at the beginning [m/s, or N/s].
        #[serde(default)]
        velocity: f64,
        /// Its growth [m/s2, or N/s2].
        #[serde(default)]
        acceleration: f64,
    },
    /// mean + amplitude decaying as exp(-decay t), times the cosine of an angle.
    Sine {
        /// Amplitude [N or m].
        amplitude: f64,
        /// Frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0))]
        frequency: f64,
        /// Phase lead: -90 is a sine that begins at 0 [deg].
        #[serde(default)]
        phase: f64,
        /// Mean value [N or m].
        #[serde(default)]
        mean: f64,
        /// Rate at which the amplitude decays [1/s].
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        decay: f64,
    },
    /// A cosine whose frequency changes linearly, then stays.
    Chirp {
        /// Amplitude [N or m].
        amplitude: f64,
        /// First frequency [Hz].
        #[schemars(range(min = 0.0))]
        from: f64,
        /// Last frequency [Hz].
        #[schemars(range(min = 0.0))]
        to: f64,
        /// How long the frequency changes [s].
        #[schemars(extend("exclusiveMinimum" = 0))]
        over: f64,
        /// Phase lead at the beginning: -90 begins at 0 [deg].
        #[serde(default)]
        phase: f64,
    },
    /// Straight lines between given values; the first and the last one hold before and after them.
    Table {
        /// Times, each greater than the one before [s].
        times: Vec<f64>,
        /// Values at the times [N or m].
        values: Vec<f64>,
    },
    /// The sum of several.
    Sum {
        /// What is added.
        of: Vec<Course>,
    },
}

impl Course {
    /// s, ṡ and s̈ of (1) at a time [s].
    pub fn at(&self, t: f64) -> [f64; 3] {
        match self {
            Self::Constant { value } => [*value, 0.0, 0.0],
            Self::Ramp { to, over } if t < *over => [to * t / over, to / over, 0.0],
            Self::Ramp { to, .. } => [*to, 0.0, 0.0],
            Self::Pull { velocity: v, acceleration: a } => [v * t + 0.5 * a * t * t, v + a * t, *a],
            Self::Sine { amplitude, frequency, phase, mean, decay } => {
                let omega = TAU * frequency;
                let (sin, cos) = (omega * t + phase.to_radians()).sin_cos();
                let a = amplitude * (-decay * t).exp();
                let second = (decay * decay - omega * omega) * cos + 2.0 * decay * omega * sin;
                [mean + a * cos, -a * (decay * cos + omega * sin), a * second]
            }
            Self::Chirp { amplitude, from, to, over, phase } => {
                let within = t.min(*over);
                let rate = if t < *over { TAU * (to - from) / over } else { 0.0 };
                let omega = TAU * (from + (to - from) * within / over);
                let turns = from * within + 0.5 * (to - from) * within * within / over;
                let angle = TAU * (turns + to * (t - within)) + phase.to_radians();
                let (sin, cos) = angle.sin_cos();
                let second = omega * omega * cos + rate * sin;
                [amplitude * cos, -amplitude * omega * sin, -amplitude * second]
            }
            Self::Table { times, values } => interpolate(times, values, t),
            Self::Sum { of } => of.iter().fold([0.0; 3], |sum, part| {
                let value = part.at(t);
                std::array::from_fn(|k| sum[k] + value[k])
            }),
        }
    }
}

fn interpolate(times: &[f64], values: &[f64], t: f64) -> [f64; 3] {
    let after = times.partition_point(|time| *time <= t);
    match (after.checked_sub(1), values.get(after)) {
        (Some(k), Some(next)) => {
            let slope = (next - values[k]) / (times[after] - times[k]);
            [values[k] + slope * (t - times[k]), slope, 0.0]
        }
        (None, Some(first)) => [*first, 0.0, 0.0],
        (_, None) => [values.last().copied().unwrap_or(0.0), 0.0, 0.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Course> {
        vec![
            Course::Constant { value: 2.0 },
            Course::Ramp { to: 3.0, over: 2.0 },
            Course::Pull { velocity: 0.3, acceleration: 0.2 },
            Course::Sine { amplitude: 2.0, frequency: 0.7, phase: 20.0, mean: 1.0, decay: 0.3 },
            Course::Chirp { amplitude: 0.2, from: 1.0, to: 5.0, over: 1.5, phase: -90.0 },
            Course::Table { times: vec![0.0, 1.0, 3.0], values: vec![1.0, 2.0, -1.0] },
        ]
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let h = 1e-5;
        for course in all().into_iter().chain([Course::Sum { of: all() }]) {
            for t in [0.31, 1.13, 1.71, 2.6] {
                let ([a, va, _], [s, v, acceleration], [b, vb, _]) =
                    (course.at(t - h), course.at(t), course.at(t + h));
                assert!((0.5 * (b - a) / h - v).abs() < 1e-5 * (1.0 + s.abs()), "{course:?} {t}");
                let difference = 0.5 * (vb - va) / h;
                assert!(
                    (difference - acceleration).abs() < 1e-4 * (1.0 + v.abs()),
                    "{course:?} {t}"
                );
            }
        }
    }

    #[test]
    fn a_table_holds_its_ends() {
        let table = Course::Table { times: vec![1.0, 2.0], values: vec![3.0, 5.0] };
        assert_eq!(table.at(0.0), [3.0, 0.0, 0.0]);
        assert_eq!(table.at(1.5), [4.0, 2.0, 0.0]);
        assert_eq!(table.at(2.0), [5.0, 0.0, 0.0]);
        assert_eq!(table.at(9.0), [5.0, 0.0, 0.0]);
    }
}
