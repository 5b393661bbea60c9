//! How well a superelement stands for its body.
//!
//! ```text
//!     Δf = (f_red − f_full) / f_red ,   MAC_ij = (φ_iᵀ φ_j)² / (φ_iᵀφ_i  φ_jᵀφ_j)   (1)
//! ```
//!
//! for the modes of the free body: i of the reduced, j of the full one. Neighbours may swap places, so
//! modes are paired by their MAC before frequencies are compared.

use std::f64::consts::TAU;

use faer::Mat;

use super::{Body, ReductionError, Superelement};
use crate::linalg::{EigenRequest, Symbolic, dense, lowest_modes};
use crate::model::Model;

/// Comparison of the lowest modes of a superelement and its body.
#[derive(Debug, Clone)]
pub struct Quality {
    /// Name of the body.
    pub body: String,
    /// Frequencies of the superelement \[Hz\].
    pub reduced: Vec<f64>,
    /// Frequencies of the body \[Hz\], some more than reduced ones.
    pub full: Vec<f64>,
    /// MAC of (1), reduced × full.
    pub mac: Mat<f64>,
    /// For each reduced mode, the full mode paired with it.
    pub pairs: Vec<usize>,
}

impl Quality {
    /// Compares the lowest `count` modes.
    pub fn of(
        model: &Model,
        body: &Body,
        superelement: &Superelement,
        count: usize,
    ) -> Result<Self, ReductionError> {
        let failed = |error| ReductionError::Modes { body: body.name().to_string(), error };
        let stiffness = model.operators.stiffness.free.principal(&body.freedoms);
        let mass = model.operators.mass.free.principal(&body.freedoms);
        let mass = mass.sharing_pattern_of(&stiffness);
        let symbolic = Symbolic::analyse(stiffness.pattern())
            .map_err(|error| ReductionError::Internal { body: body.name().into(), error })?;
        let count = count.min(superelement.size());
        // Some more of the full ones: the highest reduced mode may stand for a later full one.
        let n_full = (count + count / 2 + 5).min(body.freedoms.len());
        let request = EigenRequest::Count(n_full);
        let full =
            lowest_modes(&stiffness, &mass, &symbolic, request, &mut |_, _| {}).map_err(failed)?;
        let (values, shapes) = reduced_modes(model, body, superelement, count);
        let mac = mac(&shapes, &full.vectors);
        let hertz =
            |values: &[f64]| values.iter().map(|v| v.max(0.0).sqrt() / TAU).collect::<Vec<f64>>();
        let pairs = pair(&mac);
        let (reduced, full) = (hertz(&values), hertz(&full.values));
        Ok(Self { body: body.name().to_string(), reduced, full, mac, pairs })
    }

    /// Δf of (1) for each reduced mode and the full mode paired with it; 0 for rigid-body modes.
    pub fn frequency_error(&self) -> Vec<f64> {
        let error = |(reduced, pair): (&f64, &usize)| {
            if *reduced > 0.0 { (reduced - self.full[*pair]) / reduced } else { 0.0 }
        };
        self.reduced.iter().zip(&self.pairs).map(error).collect()
    }

    /// MAC of each reduced mode and the full mode paired with it.
    pub fn paired_mac(&self) -> Vec<f64> {
        self.pairs.iter().enumerate().map(|(i, j)| self.mac[(i, *j)]).collect()
    }
}

/// Lowest modes of the superelement, with shapes over the freedoms of the body.
fn reduced_modes(
    model: &Model,
    body: &Body,
    superelement: &Superelement,
    count: usize,
) -> (Vec<f64>, Mat<f64>) {
    let shift = superelement.eigenvalues.first().copied().unwrap_or(1.0);
    let (stiffness, mass) = (superelement.stiffness_matrix(), superelement.mass_matrix());
    let Some((mut values, vectors)) = dense::modes(&stiffness, &mass, shift) else {
        return (vec![], Mat::zeros(body.freedoms.len(), 0));
    };
    values.truncate(count);
    // φᵀKφ: its error is quadratic in that of φ.
    let image = &stiffness * &vectors;
    for (mode, value) in values.iter_mut().enumerate() {
        *value = (0..vectors.nrows()).map(|i| vectors[(i, mode)] * image[(i, mode)]).sum();
    }
    let mut shapes = Mat::zeros(body.freedoms.len(), values.len());
    let mut q = vec![0.0; model.dofs.n_free];
    for mode in 0..values.len() {
        let coordinates: Vec<f64> = (0..vectors.nrows()).map(|i| vectors[(i, mode)]).collect();
        superelement.recover_into(&mut q, &coordinates);
        for (row, &freedom) in body.freedoms.iter().enumerate() {
            shapes[(row, mode)] = q[freedom];
        }
    }
    (values, shapes)
}

fn mac(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let products = a.transpose() * b;
    let square = |m: &Mat<f64>, i: usize| m.col(i).squared_norm_l2();
    Mat::from_fn(a.ncols(), b.ncols(), |i, j| {
        products[(i, j)].powi(2) / (square(a, i) * square(b, j))
    })
}

/// Pairs rows with columns, the largest entries first.
fn pair(mac: &Mat<f64>) -> Vec<usize> {
    let (rows, columns) = (mac.nrows(), mac.ncols());
    let mut entries: Vec<(usize, usize)> =
        (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).collect();
    entries.sort_by(|a, b| mac[*b].total_cmp(&mac[*a]));
    let mut pairs = vec![usize::MAX; rows];
    let mut taken = vec![false; columns];
    for (i, j) in entries {
        if pairs[i] == usize::MAX && !taken[j] {
            pairs[i] = j;
            taken[j] = true;
        }
    }
    pairs
}
