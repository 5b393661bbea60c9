//! Numbers of a line contact, from the forces of its pairs at the first point of a response.
//!
//! ```text
//!     half-width      a = 2 √( Σ N x² / Σ N ) ,  as for the pressure of Hertz            (1)
//!     stick           c = ½ Σ h  over the pairs that never slip or open                  (2)
//!     error of q      e² = Σ A (T/A − q̄)² / Σ A q̄²                                       (3)
//! ```
//!
//! x is the place of a pair along the face, from its middle, h the length of face that belongs to it, q̄ the mean
//! over h of the shear of Cattaneo and Mindlin. (1) sees changes far below the size of a cell, which a count of
//! closed pairs does not.

use serde::Deserialize;

use crate::analytical::cattaneo_mindlin::PartialSlip;
use crate::analytical::hertz::{LineContact, contact_modulus};
use crate::friction::larger;
use crate::results::{ResultError, ResultReader};

/// Points at which the mean over the length of a pair is taken.
const MEAN_POINTS: usize = 64;

/// A quantity of a line contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// (1) \[m\].
    HalfWidth,
    /// Largest N/A \[Pa\].
    PeakPressure,
    /// (2) \[m\].
    StickHalfWidth,
    /// (3) of the pressure.
    PressureError,
    /// (3) at the largest load.
    ShearError,
    /// (3) halfway back, where the load passes zero.
    ReturnShearError,
}

/// What the closed forms are computed from.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theory {
    young: f64,
    poisson: f64,
    radius: f64,
    load: f64,
    friction: f64,
    tangential_load: f64,
}

impl Theory {
    fn partial_slip(&self) -> PartialSlip {
        let Self { young, poisson, radius, load, friction, tangential_load } = *self;
        let contact = LineContact { modulus: contact_modulus(young, poisson), radius, load };
        PartialSlip { contact, friction, tangential_load }
    }
}

/// The pairs of the first contact in the first response.
struct Face {
    /// Place along x, from the middle \[m\].
    places: Vec<f64>,
    /// Length of face \[m\].
    lengths: Vec<f64>,
    areas: Vec<f64>,
    n_samples: usize,
    normal: Vec<f64>,
    tangential: Vec<f64>,
    status: Vec<f64>,
}

/// Computes a quantity; `face` is the first face of the contact, "part.set".
pub fn value(
    results: &ResultReader,
    face: &str,
    quantity: Quantity,
    theory: &Theory,
) -> Result<f64, ResultError> {
    let face = Face::read(results, face)?;
    let slip = theory.partial_slip();
    let last = face.n_samples - 1;
    Ok(match quantity {
        Quantity::HalfWidth => face.half_width(),
        Quantity::PeakPressure => face.pressures().fold(0.0, larger),
        Quantity::StickHalfWidth => face.stick_half_width(),
        Quantity::PressureError => {
            face.error(face.pressures().collect(), |x| slip.contact.pressure(x))
        }
        Quantity::ShearError => face.error(face.shear(last), |x| slip.shear(x)),
        Quantity::ReturnShearError => {
            let halfway = face.shear((face.n_samples / 4).saturating_sub(1));
            face.error(halfway, |x| slip.shear_on_return(x, 0.0))
        }
    })
}

impl Face {
    fn read(results: &ResultReader, face: &str) -> Result<Self, ResultError> {
        let (part, set) = face.split_once('.').unwrap_or((face, ""));
        let coordinates = results.values("mesh/coordinates")?;
        let nodes = results.values(&format!("mesh/parts/{part}/sets/{set}"))?;
        let mut places: Vec<f64> =
            nodes.iter().map(|node| coordinates[2 * *node as usize]).collect();
        let mean = places.iter().sum::<f64>() / places.len() as f64;
        places.iter_mut().for_each(|x| *x -= mean);
        let group = "response/contact/0";
        let shape = results.shape(&format!("{group}/status"))?;
        let first = |name: &str| -> Result<Vec<f64>, ResultError> {
            let mut values = results.table(&format!("{group}/{name}"), &[0, places.len(), 0])?;
            values.truncate(shape[1] * shape[2]);
            Ok(values)
        };
        Ok(Self {
            areas: results.table(&format!("{group}/area"), &[places.len()])?,
            n_samples: shape[2],
            normal: first("normal_force")?,
            tangential: first("tangential_force")?,
            status: first("status")?,
            lengths: lengths(&places),
            places,
        })
    }

    /// Normal force of each pair at the largest load.
    fn forces(&self) -> impl Iterator<Item = f64> + '_ {
        self.normal.chunks(self.n_samples).map(|history| history[self.n_samples - 1])
    }

    fn pressures(&self) -> impl Iterator<Item = f64> + '_ {
        self.forces().zip(&self.areas).map(|(force, area)| force / area)
    }

    fn shear(&self, sample: usize) -> Vec<f64> {
        let histories = self.tangential.chunks(self.n_samples);
        histories.zip(&self.areas).map(|(history, area)| history[sample] / area).collect()
    }

    fn half_width(&self) -> f64 {
        let second: f64 = self.forces().zip(&self.places).map(|(n, x)| n * x * x).sum();
        2.0 * (second / self.forces().sum::<f64>()).sqrt()
    }

    fn stick_half_width(&self) -> f64 {
        let stuck = self.status.chunks(self.n_samples).zip(&self.lengths);
        let stuck = stuck.filter(|(history, _)| history.iter().all(|status| *status == 0.0));
        0.5 * stuck.map(|(_, length)| length).sum::<f64>()
    }

    fn error(&self, ours: Vec<f64>, exact: impl Fn(f64) -> f64) -> f64 {
        let (mut miss, mut size) = (0.0, 0.0);
        for (((ours, x), h), area) in
            ours.iter().zip(&self.places).zip(&self.lengths).zip(&self.areas)
        {
            let at = |i: usize| exact(x + h * ((i as f64 + 0.5) / MEAN_POINTS as f64 - 0.5));
            let mean = (0..MEAN_POINTS).map(at).sum::<f64>() / MEAN_POINTS as f64;
            miss += area * (ours - mean).powi(2);
            size += area * mean.powi(2);
        }
        (miss / size).sqrt()
    }
}

/// Half the way from the neighbour on one side to that on the other.
fn lengths(places: &[f64]) -> Vec<f64> {
    let mut sorted = places.to_vec();
    sorted.sort_by(f64::total_cmp);
    let length = |x: &f64| {
        let i = sorted.partition_point(|y| y < x);
        0.5 * (sorted[(i + 1).min(sorted.len() - 1)] - sorted[i.saturating_sub(1)])
    };
    places.iter().map(length).collect()
}
