//! Writes what is known of the stability of a response's points.

use hdf5::{Dataset, Group};

use super::ResultError;
use super::response::{growing, put};
use super::writer::{subgroup, text_attribute};
use crate::linalg::Complex;
use crate::stability::{Bifurcation, Floquet};

/// The values of the dataset `bifurcation` in words, from 1.
pub const BIFURCATIONS: [&str; 3] = ["fold or branch point", "period doubling", "Neimark-Sacker"];

/// Stability of a point; undefined numbers where it is not known.
#[derive(Debug, Clone, Default)]
pub struct StabilityRecord {
    /// Its multipliers, if they were found.
    pub floquet: Option<Floquet>,
    /// What lies between the point before and this one.
    pub bifurcation: Option<Bifurcation>,
}

/// The datasets of the group `stability`.
#[derive(Debug)]
pub(super) struct StabilityWriter {
    unstable: Dataset,
    largest: Dataset,
    distance: Dataset,
    bifurcation: Dataset,
    multipliers: Dataset,
    n_multipliers: usize,
}

impl StabilityWriter {
    pub fn new(response: &Group, n_multipliers: usize) -> Result<Self, ResultError> {
        let group = subgroup(response, "stability")?;
        let column = |name: &str| growing::<f64>(&group, name, &[], "1");
        let bifurcation = column("bifurcation")?;
        let [fold, doubling, torus] = BIFURCATIONS;
        let values = format!("0 none, 1 {fold}, 2 {doubling}, 3 {torus}");
        text_attribute(&bifurcation, "values", &values)?;
        Ok(Self {
            unstable: column("unstable")?,
            largest: column("largest")?,
            distance: column("distance")?,
            bifurcation,
            multipliers: growing::<Complex>(&group, "multipliers", &[n_multipliers], "1")?,
            n_multipliers,
        })
    }

    pub fn write(&self, at: usize, record: &StabilityRecord) -> Result<(), ResultError> {
        let floquet = record.floquet.as_ref();
        let number = |of: fn(&Floquet) -> f64| floquet.map_or(f64::NAN, of);
        put(&self.unstable, at, &[number(|floquet| floquet.n_unstable() as f64)])?;
        put(&self.largest, at, &[number(Floquet::largest)])?;
        put(&self.distance, at, &[number(|floquet| floquet.distance)])?;
        let kind = record.bifurcation.map_or(0, |bifurcation| bifurcation as u8);
        put(&self.bifurcation, at, &[f64::from(kind)])?;
        let mut multipliers = floquet.map_or(vec![], |floquet| floquet.multipliers.clone());
        multipliers.resize(self.n_multipliers, Complex::new(f64::NAN, f64::NAN));
        put(&self.multipliers, at, &multipliers)
    }
}
