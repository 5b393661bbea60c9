//! All bodies of a model in reduced coordinates, and the relative displacements of its contact pairs.
//!
//! ```text
//! The coordinates y = (η, u_b of every body) have the matrices K, M, C = αM + βK + Σ_d c_d b_d b_dᵀ,
//! loads f = Σ_k (iω)^k f_k and the relative displacements
//!
//!     u_r = B y .                                                                 (1)
//! ```
//!
//! A pair has one row of B for its normal and one for each tangential direction in which its nodes can
//! move; a direction without freedoms has none.

use std::collections::BTreeMap;

use faer::Mat;

use super::{Plan, ReductionError, Superelement, reduce};
use crate::case::Freedom;
use crate::linalg::dense::symmetric_eigen;
use crate::model::{LoadParts, Model, Pair};

/// Eigenvalues of a damping matrix below this fraction of the largest are rounding.
const TOL_RANK: f64 = 1e-14;

/// Sparse row or column: index and value.
pub type SparseVector = BTreeMap<usize, f64>;

/// Where the directions of a pair are among the relative displacements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PairRows {
    /// Row of the normal direction.
    pub normal: Option<usize>,
    /// Rows of the tangential directions.
    pub tangents: Vec<usize>,
}

/// The bodies of a model, reduced.
#[derive(Debug, Clone)]
pub struct ReducedStructure {
    /// K over y.
    pub stiffness: Mat<f64>,
    /// M over y.
    pub mass: Mat<f64>,
    /// α \[1/s\] and β \[s\].
    pub rayleigh: (f64, f64),
    /// Dashpots: c \[N s/m\] and b over y.
    pub dashpots: Vec<(f64, Vec<f64>)>,
    /// Rows of B.
    pub relative: Vec<SparseVector>,
    /// Rows of each pair.
    pub pairs: Vec<PairRows>,
    /// Constant load over y.
    pub constant: Vec<f64>,
    /// Vibrating load over y.
    pub harmonic: LoadParts,
    superelements: Vec<Superelement>,
    n_free: usize,
}

impl ReducedStructure {
    /// Reduces every body by its plan and puts them side by side.
    pub fn new(model: &Model, plans: &[Plan]) -> Result<Self, ReductionError> {
        let reduced =
            plans.iter().map(|plan| reduce(model, &plan.body, &plan.boundary, plan.modes));
        Self::of_superelements(model, reduced.collect::<Result<Vec<_>, _>>()?)
    }

    /// Puts superelements side by side; together they hold every free freedom of the model.
    pub fn of_superelements(
        model: &Model,
        superelements: Vec<Superelement>,
    ) -> Result<Self, ReductionError> {
        let size = superelements.iter().map(Superelement::size).sum();
        let (mut stiffness, mut mass) = (Mat::zeros(size, size), Mat::zeros(size, size));
        let mut place = BTreeMap::new();
        let mut first = 0;
        for body in &superelements {
            let n = body.size();
            let block = |matrix: &mut Mat<f64>, values: Mat<f64>| {
                matrix.submatrix_mut(first, first, n, n).copy_from(&values);
            };
            block(&mut stiffness, body.stiffness_matrix());
            block(&mut mass, body.mass_matrix());
            let boundary = body.boundary.iter().enumerate();
            place.extend(boundary.map(|(i, freedom)| (*freedom, first + body.n_modes() + i)));
            first += n;
        }
        let (relative, pairs) = relative_rows(model, &place)?;
        let mut structure = Self {
            stiffness,
            mass,
            rayleigh: model.rayleigh,
            dashpots: vec![],
            relative,
            pairs,
            constant: vec![],
            harmonic: LoadParts([vec![], vec![], vec![]]),
            superelements,
            n_free: model.dofs.n_free,
        };
        structure.dashpots = match dashpots(model, &place, size) {
            Some(dashpots) => dashpots,
            None => structure.projected_dashpots(model)?,
        };
        structure.constant = structure.project(&static_load(model));
        structure.harmonic = LoadParts(
            model.vibrating_load(model.damping().as_ref()).0.map(|part| structure.project(&part)),
        );
        Ok(structure)
    }

    /// Dyads of TᵀCT for damping that acts on reduced freedoms too.
    fn projected_dashpots(&self, model: &Model) -> Result<Vec<(f64, Vec<f64>)>, ReductionError> {
        let Some(operator) = &model.operators.dashpots else { return Ok(vec![]) };
        let size = self.size();
        let mut matrix = Mat::<f64>::zeros(size, size);
        let mut first = 0;
        for body in &self.superelements {
            let n = body.size();
            matrix.submatrix_mut(first, first, n, n).copy_from(&body.reduced(&operator.free));
            first += n;
        }
        let (values, vectors) =
            symmetric_eigen(matrix.as_ref()).ok_or(ReductionError::DampingNotFinite)?;
        let largest = values.last().copied().unwrap_or(0.0);
        let used = values.iter().enumerate().filter(|(_, value)| **value > TOL_RANK * largest);
        Ok(used.map(|(k, value)| (*value, vectors.col(k).iter().copied().collect())).collect())
    }

    /// Number of coordinates y.
    pub fn size(&self) -> usize {
        self.stiffness.nrows()
    }

    /// Number of free freedoms of the model.
    pub fn n_free(&self) -> usize {
        self.n_free
    }

    /// The superelements.
    pub fn superelements(&self) -> &[Superelement] {
        &self.superelements
    }

    /// Forces on y of forces on q_f, or a functional of q_f as one of y.
    pub fn project<T>(&self, q: &[T]) -> Vec<T>
    where
        T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        self.superelements.iter().flat_map(|body| body.project(q)).collect()
    }

    /// Displacement q_f of the model for coordinates y.
    pub fn recover<T>(&self, y: &[T]) -> Vec<T>
    where
        T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        let mut q = vec![T::default(); self.n_free];
        let mut first = 0;
        for body in &self.superelements {
            body.recover_into(&mut q, &y[first..first + body.size()]);
            first += body.size();
        }
        q
    }
}

/// Static loads and the forces of prescribed displacements on the free freedoms.
fn static_load(model: &Model) -> Vec<f64> {
    let mut load = model.loads.constant[..model.dofs.n_free].to_vec();
    let held = &model.dofs.static_values;
    model.operators.stiffness.add_prescribed_force(&mut load, held, -1.0);
    load
}

/// The dashpot matrix as a sum of dyads c b bᵀ: as few as its rank.
///
/// Nothing if it acts on freedoms that are not kept, as damping that comes as a matrix does.
fn dashpots(
    model: &Model,
    place: &BTreeMap<usize, usize>,
    size: usize,
) -> Option<Vec<(f64, Vec<f64>)>> {
    let Some(operator) = &model.operators.dashpots else { return Some(vec![]) };
    let mut entries = Vec::new();
    for col in 0..model.dofs.n_free {
        entries.extend(operator.free.column(col).filter(|e| e.1 != 0.0).map(|e| (e.0, col, e.1)));
    }
    let mut touched: Vec<usize> = entries.iter().flat_map(|e| [e.0, e.1]).collect();
    touched.sort_unstable();
    touched.dedup();
    if touched.iter().any(|freedom| !place.contains_key(freedom)) {
        return None;
    }
    let index = |freedom: usize| touched.binary_search(&freedom).unwrap_or(0);
    let mut matrix = Mat::<f64>::zeros(touched.len(), touched.len());
    for (row, col, value) in entries {
        matrix[(index(row), index(col))] = value;
        matrix[(index(col), index(row))] = value;
    }
    let (values, vectors) = symmetric_eigen(matrix.as_ref())?;
    let largest = values.last().copied().unwrap_or(0.0);
    let dyad = |(k, value): (usize, &f64)| {
        let mut row = vec![0.0; size];
        for (i, freedom) in touched.iter().enumerate() {
            row[place[freedom]] = vectors[(i, k)];
        }
        (*value, row)
    };
    let used = values.iter().enumerate().filter(|(_, value)| **value > TOL_RANK * largest);
    Some(used.map(dyad).collect())
}

fn relative_rows(
    model: &Model,
    place: &BTreeMap<usize, usize>,
) -> Result<(Vec<SparseVector>, Vec<PairRows>), ReductionError> {
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for pair in model.interfaces.iter().flat_map(|interface| &interface.pairs) {
        let mut own = PairRows::default();
        if let Some(row) = relative_row(model, place, pair, pair.normal)? {
            own.normal = Some(rows.len());
            rows.push(row);
        }
        for tangent in pair.tangents {
            if let Some(row) = relative_row(model, place, pair, tangent)? {
                own.tangents.push(rows.len());
                rows.push(row);
            }
        }
        all.push(own);
    }
    Ok((rows, all))
}

/// direction · (u¹ − u²) over y; nothing if neither node has a freedom in the direction.
fn relative_row(
    model: &Model,
    place: &BTreeMap<usize, usize>,
    pair: &Pair,
    direction: [f64; 3],
) -> Result<Option<SparseVector>, ReductionError> {
    let mut row = SparseVector::new();
    let mut is_movable = false;
    for (node, sign) in [(Some(pair.first), 1.0), (pair.second, -1.0)] {
        let Some(node) = node else { continue };
        for (freedom, weight) in Freedom::TRANSLATIONS.into_iter().zip(direction) {
            let number = model.dofs.number(node, freedom).filter(|_| weight != 0.0);
            let Some(number) = number else { continue };
            is_movable = true;
            for &(index, factor) in model.dofs.terms(number) {
                if let Some(column) = place.get(&index) {
                    *row.entry(*column).or_insert(0.0) += sign * weight * factor;
                } else if is_moved(model, index) {
                    let node = model.geometry.describe(node);
                    return Err(ReductionError::MovedContactNode { node });
                }
            }
        }
    }
    row.retain(|_, value| *value != 0.0);
    if is_movable && row.is_empty() {
        let node = model.geometry.describe(pair.first);
        return Err(ReductionError::HeldPair { node });
    }
    Ok(is_movable.then_some(row))
}

/// Whether a support moves the independent freedom.
fn is_moved(model: &Model, index: usize) -> bool {
    let Some(held) = index.checked_sub(model.dofs.n_free) else { return false };
    model.dofs.static_values[held] != 0.0 || model.dofs.harmonic_values[held].norm() != 0.0
}
