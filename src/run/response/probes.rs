//! The probes of a response, from the condensed motion.

use crate::harmonic::{Balance, Point};
use crate::linalg::Complex;
use crate::model::Model;
use crate::model::probes::Functional;
use crate::reduction::{Motion, ProbeView, ReducedStructure};

/// The probes as the condensation sees them, under vibrating and under constant loads.
pub(super) struct Probes {
    pub names: Vec<String>,
    harmonic: Vec<(ProbeView, Functional)>,
    constant: Vec<(ProbeView, Functional)>,
}

impl Probes {
    pub fn new(model: &Model, structure: &ReducedStructure, balance: &Balance) -> Self {
        let damping = model.damping();
        let views = |load: &[Complex], held: &[Complex]| -> Vec<(ProbeView, Functional)> {
            let of = |row| {
                let functional = model.functional(row, damping.as_ref(), load);
                let view = ProbeView::new(structure, &balance.condensation, &functional, held);
                (view, functional)
            };
            model.probes.values().map(of).collect()
        };
        let complex = |values: &[f64]| values.iter().map(|v| Complex::from(*v)).collect::<Vec<_>>();
        Self {
            names: model.probes.keys().cloned().collect(),
            harmonic: views(&model.loads.nodal_harmonic, &model.dofs.harmonic_values),
            constant: views(
                &complex(&model.loads.nodal_constant),
                &complex(&model.dofs.static_values),
            ),
        }
    }

    pub fn units(&self) -> Vec<(String, String)> {
        let units = self.harmonic.iter().map(|(_, functional)| functional.unit.clone());
        self.names.iter().cloned().zip(units).collect()
    }

    /// Amplitudes of a probe in the orders of the tail.
    pub fn tail_values<'a>(
        &'a self,
        probe: usize,
        tail: &'a [(usize, Motion)],
    ) -> impl Iterator<Item = (usize, Complex)> + 'a {
        tail.iter().map(move |(order, motion)| (*order, self.harmonic[probe].0.free_value(motion)))
    }

    /// Complex amplitude of every probe in every harmonic.
    pub fn values(
        &self,
        balance: &Balance,
        point: &Point,
        motions: &[Motion],
    ) -> Vec<Vec<Complex>> {
        let value = |probe: usize, i: usize| {
            let motion = &motions[i];
            let free = self.harmonic[probe].0.free_value(motion);
            match balance.basis.order(i) {
                0 => free + self.constant[probe].0.offset(0.0) * point.parameters.preload,
                1 => free + self.harmonic[probe].0.offset(motion.omega()) * point.parameters.load,
                _ => free,
            }
        };
        let n = balance.basis.n_harmonics();
        (0..self.names.len()).map(|p| (0..n).map(|i| value(p, i)).collect()).collect()
    }
}
