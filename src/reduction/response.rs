//! Linear frequency response of a reduced structure with open or stuck contacts.
//!
//! ```text
//!     stuck:  u_r = 0            open:  Z_r(ω) u_r = f_r(ω)                          (1)
//!
//!     value = scale · Σ_k (iω)^k (row_k·q_f + row_k·q_c) + constant                  (2)
//! ```
//!
//! A probe sees the modes and relative displacements of the condensation through its own few numbers:
//! no field of the model is formed unless it is asked for.

use std::f64::consts::TAU;

use faer::Mat;
use faer::prelude::Solve;

use super::{
    Condensation, Condensed, CondensedLoad, CondensedRow, Motion, ReducedStructure, ReductionError,
};
use crate::case::ContactState;
use crate::linalg::Complex;
use crate::model::Model;
use crate::model::probes::Functional;

/// Pivots of Z_r below this fraction of its largest entry mean resonance without damping.
const TOL_PIVOT: f64 = 1e-13;

/// A reduced structure ready to be excited.
pub struct Response<'a> {
    model: &'a Model,
    structure: ReducedStructure,
    condensation: Condensation,
    load: CondensedLoad,
    contact: ContactState,
    views: Vec<ProbeView>,
}

impl<'a> Response<'a> {
    /// Condenses the structure of a model with open contacts.
    pub fn new(
        model: &'a Model,
        structure: ReducedStructure,
        contact: ContactState,
        functionals: &[Functional],
    ) -> Result<Self, ReductionError> {
        let condensation = Condensation::new(&structure)?;
        let load = condensation.load(&structure.harmonic);
        let held = &model.dofs.harmonic_values;
        let view = |functional| ProbeView::new(&structure, &condensation, functional, held);
        let views = functionals.iter().map(view).collect();
        Ok(Self { model, structure, condensation, load, contact, views })
    }

    /// Values of the probes at a frequency \[Hz\], equation (2).
    pub fn values(&self, frequency: f64) -> Result<Vec<Complex>, ReductionError> {
        let motion = self.motion(frequency)?;
        Ok(self.views.iter().map(|view| view.value(&motion)).collect())
    }

    /// The motion (q_f, q_c) of the whole model at a frequency \[Hz\].
    pub fn field(&self, frequency: f64) -> Result<Vec<Complex>, ReductionError> {
        let coordinates = self.condensation.coordinates(&self.motion(frequency)?);
        let mut q = self.structure.recover(&coordinates);
        q.extend(&self.model.dofs.harmonic_values);
        Ok(q)
    }

    fn motion(&self, frequency: f64) -> Result<Motion, ReductionError> {
        let at = self.condensation.at(TAU * frequency)?;
        let relative = match self.contact {
            ContactState::Stuck => vec![Complex::new(0.0, 0.0); self.condensation.n_relative()],
            ContactState::Open => self.open(&at, frequency)?,
        };
        Ok(self.condensation.motion(&at, Some(&self.load), &relative))
    }

    /// u_r of (1) without contact forces.
    fn open(&self, at: &Condensed, frequency: f64) -> Result<Vec<Complex>, ReductionError> {
        let load = self.condensation.condensed_load(at, &self.load);
        let n = load.len();
        let factor = at.stiffness.partial_piv_lu();
        let pivots = factor.U();
        let smallest = (0..n).map(|i| pivots[(i, i)].norm()).fold(f64::INFINITY, f64::min);
        if smallest <= TOL_PIVOT * at.stiffness.norm_max() {
            return Err(ReductionError::OpenResonance { frequency });
        }
        let solution = factor.solve(Mat::from_fn(n, 1, |i, _| load[i]));
        Ok((0..n).map(|i| solution[(i, 0)]).collect())
    }
}

/// A probe as the condensation sees it.
#[derive(Debug, Clone)]
pub struct ProbeView {
    rows: [Option<CondensedRow>; 3],
    /// row_k·q_c.
    prescribed: [Complex; 3],
    scale: Complex,
    constant: Complex,
}

impl ProbeView {
    /// The view of a functional of (q_f, q_c); `held` are the values of q_c.
    pub fn new(
        structure: &ReducedStructure,
        condensation: &Condensation,
        functional: &Functional,
        held: &[Complex],
    ) -> Self {
        let n_free = structure.n_free();
        let zero = Complex::new(0.0, 0.0);
        let row = |k: usize| {
            let mut row = vec![0.0; n_free];
            let own = functional.row(k).iter().filter(|(index, _)| *index < n_free);
            own.for_each(|(index, weight)| row[*index] += weight);
            let is_used = row.iter().any(|weight| *weight != 0.0);
            is_used.then(|| condensation.row(&structure.project(&row)))
        };
        Self {
            rows: std::array::from_fn(row),
            prescribed: functional.rows(|i| if i < n_free { zero } else { held[i - n_free] }),
            scale: functional.scale,
            constant: functional.constant,
        }
    }

    /// (2).
    pub fn value(&self, motion: &Motion) -> Complex {
        self.free_value(motion) + self.offset(motion.omega())
    }

    /// What q_f adds to (2).
    pub fn free_value(&self, motion: &Motion) -> Complex {
        let term = |k: usize| self.rows[k].as_ref().map_or(0.0.into(), |row| row.value(motion));
        self.scale * weighted(motion.omega(), term)
    }

    /// What q_c and the constant add to (2).
    pub fn offset(&self, omega: f64) -> Complex {
        self.scale * weighted(omega, |k| self.prescribed[k]) + self.constant
    }
}

/// Σ_k (iω)^k term(k).
fn weighted(omega: f64, term: impl Fn(usize) -> Complex) -> Complex {
    term(0) + Complex::new(0.0, omega) * term(1) - term(2) * (omega * omega)
}
