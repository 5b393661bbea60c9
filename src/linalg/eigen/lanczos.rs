//! The block Lanczos iteration (2) of the parent module, with thick restarts.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par, Side};

use crate::linalg::dense::symmetric_eigen;

use super::{EigenError, Eigenpairs, Outcome, ShiftInvert, column};

const MAX_RESTARTS: usize = 30;
/// Residual of a converged Ritz pair relative to its θ.
const TOL_RITZ: f64 = 1e-9;
/// Directions shorter than this after orthogonalisation are in the space already.
const TOL_BREAKDOWN: f64 = 1e-10;

/// State of the block Lanczos iteration (2).
pub(super) struct Lanczos<'a> {
    operator: &'a ShiftInvert<'a>,
    count: usize,
    block: usize,
    basis: Mat<f64>,
    projected: Mat<f64>,
    /// Columns of the basis in use, and the number of those in the newest block.
    filled: usize,
    newest: usize,
    /// First column that the operator couples with the newest block.
    coupled_from: usize,
    /// The coupling R of the newest block with the residual directions.
    coupling: Mat<f64>,
    n_solves: usize,
    random: u64,
}

impl<'a> Lanczos<'a> {
    pub fn new(operator: &'a ShiftInvert<'a>, count: usize, block: usize) -> Self {
        let size = operator.size();
        let capacity = (2 * count + 20 * block).min(size);
        Self {
            operator,
            count,
            block,
            basis: Mat::zeros(size, capacity),
            projected: Mat::zeros(capacity, capacity),
            filled: 0,
            newest: 0,
            coupled_from: 0,
            coupling: Mat::zeros(0, 0),
            n_solves: 0,
            random: 0x9E37_79B9_7F4A_7C15,
        }
    }

    pub fn run(mut self, progress: &mut dyn FnMut(usize, usize)) -> Result<Outcome, EigenError> {
        let start = self.random_block();
        self.append(start, None);
        // Too early for the last mode to have converged; later on, solving (2) has its price as well.
        let mut next_check = 3 * self.count / 2;
        let mut restarts = 0;
        while restarts < MAX_RESTARTS {
            let is_full = self.filled + self.block > self.basis.ncols();
            let next = match self.expand() {
                Some(next) if !is_full && self.filled < next_check => {
                    let coupling = self.coupling_with_newest();
                    self.append(next, Some(coupling));
                    continue;
                }
                next => next,
            };
            let ritz = Ritz::of(&self).ok_or(EigenError::NotFinite)?;
            if let Some(spread) = self.spread(&ritz) {
                return Ok(spread);
            }
            progress(ritz.converged.min(self.count), self.count);
            if ritz.converged >= self.count {
                return self.finish(&ritz);
            }
            next_check = self.filled + self.filled / 10;
            let mut coupling = self.coupling_with_newest();
            if is_full {
                coupling = self.restart(&ritz);
                restarts += 1;
            }
            match next {
                Some(next) => self.append(next, Some(coupling)),
                // An invariant space is spanned: what else there is, is not coupled with it.
                None => {
                    let next = self.random_block();
                    if next.ncols() == 0 {
                        return self.exhausted(&ritz);
                    }
                    self.append(next, None);
                }
            }
        }
        let converged = Ritz::of(&self).map_or(0, |ritz| ritz.converged);
        Err(EigenError::NotConverged { converged, asked: self.count, restarts: MAX_RESTARTS })
    }

    /// Applies the operator to the newest block; returns the directions it leads to, if any are new.
    fn expand(&mut self) -> Option<Mat<f64>> {
        let width = self.newest;
        let first = self.filled - width;
        let mut image = Mat::zeros(self.operator.size(), width);
        self.operator.apply(image.as_mut(), self.basis.subcols(first, width));
        self.n_solves += width;
        let local = self.orthogonalise(&mut image, self.coupled_from);
        let diagonal = local.subrows(first - self.coupled_from, width);
        for c in 0..width {
            for r in 0..width {
                let mean = 0.5 * (diagonal[(r, c)] + diagonal[(c, r)]);
                self.projected[(first + r, first + c)] = mean;
            }
        }
        let (next, coupling) = self.orthonormalise(image, local.norm_max());
        self.coupling = coupling;
        self.coupled_from = first;
        next
    }

    /// The coupling of all columns of the basis with the residual directions.
    fn coupling_with_newest(&self) -> Mat<f64> {
        let mut coupling = Mat::zeros(self.coupling.nrows(), self.filled);
        coupling.subcols_mut(self.filled - self.newest, self.newest).copy_from(&self.coupling);
        coupling
    }

    /// Adds a block that the operator couples with the columns so far by `coupling`.
    fn append(&mut self, block: Mat<f64>, coupling: Option<Mat<f64>>) {
        let (first, width) = (self.filled, block.ncols());
        self.basis.subcols_mut(first, width).copy_from(&block);
        if let Some(coupling) = coupling {
            self.projected.submatrix_mut(first, 0, width, first).copy_from(&coupling);
            self.projected.submatrix_mut(0, first, first, width).copy_from(coupling.transpose());
        }
        self.filled += width;
        self.newest = width;
    }

    /// Removes from `block` its components along the basis; returns those of the columns from
    /// `coupled_from` on.
    ///
    /// In exact arithmetic these are all. The second pass takes all columns, against rounding: what
    /// it finds is the noise of the solves, largest along the softest modes, and must not enter T.
    fn orthogonalise(&self, block: &mut Mat<f64>, coupled_from: usize) -> Mat<f64> {
        let mut local = Mat::zeros(0, 0);
        let mut mass_block = Mat::zeros(block.nrows(), block.ncols());
        for first in [coupled_from, 0] {
            let basis = self.basis.subcols(first, self.filled - first);
            self.operator.mass.mul_block_into(mass_block.as_mut(), block.as_ref());
            let part = basis.transpose() * &mass_block;
            matmul(block.as_mut(), Accum::Add, basis, part.as_ref(), -1.0, Par::rayon(0));
            if local.ncols() == 0 {
                local = part;
            }
        }
        local
    }

    /// M-orthonormal directions of `block` and R with block = directions · R; none if it vanishes.
    ///
    /// Columns shorter than a fraction of `scale` once the others are removed are dropped.
    fn orthonormalise(&self, block: Mat<f64>, scale: f64) -> (Option<Mat<f64>>, Mat<f64>) {
        match self.cholesky_qr(&block, scale) {
            Some((directions, coupling)) => (Some(directions), coupling),
            None => self.gram_schmidt(block, scale),
        }
    }

    /// R from the Cholesky factor of blockᵀ M block, twice; nothing if the columns nearly depend.
    fn cholesky_qr(&self, block: &Mat<f64>, scale: f64) -> Option<(Mat<f64>, Mat<f64>)> {
        let width = block.ncols();
        let mut directions = block.clone();
        let mut coupling = Mat::identity(width, width);
        let mut mass_block = Mat::zeros(block.nrows(), width);
        for pass in 0..2 {
            self.operator.mass.mul_block_into(mass_block.as_mut(), directions.as_ref());
            let gram = directions.transpose() * &mass_block;
            let factor = gram.llt(Side::Lower).ok()?;
            let lower = factor.L();
            let largest = (0..width).map(|i| lower[(i, i)]).fold(0.0, f64::max);
            let smallest = (0..width).map(|i| lower[(i, i)]).fold(f64::INFINITY, f64::min);
            let independent =
                smallest > 1e-6 * largest && (pass > 0 || smallest > TOL_BREAKDOWN * scale);
            if !independent {
                return None;
            }
            let mut inverse = Mat::<f64>::identity(width, width);
            lower.transpose().solve_upper_triangular_in_place(inverse.as_mut());
            directions = &directions * &inverse;
            coupling = lower.transpose() * &coupling;
        }
        Some((directions, coupling))
    }

    /// The same column by column, robust where columns depend on each other.
    fn gram_schmidt(&self, block: Mat<f64>, scale: f64) -> (Option<Mat<f64>>, Mat<f64>) {
        let width = block.ncols();
        let mut directions = Mat::<f64>::zeros(block.nrows(), width);
        let mut coupling = Mat::zeros(width, width);
        let mut rank = 0;
        for c in 0..width {
            let mut vector = column(block.as_ref(), c).to_vec();
            for _ in 0..2 {
                let mass_vector = self.operator.mass.mul(&vector);
                for r in 0..rank {
                    let known = column(directions.as_ref(), r);
                    let part = dot(known, &mass_vector);
                    coupling[(r, c)] += part;
                    axpy(&mut vector, -part, known);
                }
            }
            let norm = self.operator.mass.energy(&vector).max(0.0).sqrt();
            if norm > TOL_BREAKDOWN * scale {
                coupling[(rank, c)] = norm;
                for (r, value) in vector.iter().enumerate() {
                    directions[(r, rank)] = value / norm;
                }
                rank += 1;
            }
        }
        let coupling = coupling.subrows(0, rank).to_owned();
        let directions = (rank > 0).then(|| directions.subcols(0, rank).to_owned());
        (directions, coupling)
    }

    /// Random M-orthonormal directions in the range of A, orthogonal to the basis.
    fn random_block(&mut self) -> Mat<f64> {
        let (size, width) = (self.operator.size(), self.block);
        let mut block = Mat::zeros(size, width);
        for c in 0..width {
            for r in 0..size {
                block[(r, c)] = self.random_number();
            }
        }
        // What is known already would drown the rest in the image.
        self.orthogonalise(&mut block, 0);
        let mut image = Mat::zeros(size, width);
        self.operator.apply(image.as_mut(), block.as_ref());
        self.n_solves += width;
        let norm = |c| self.operator.mass.energy(column(image.as_ref(), c)).max(0.0).sqrt();
        let scale = (0..width).map(norm).fold(0.0, f64::max);
        self.orthogonalise(&mut image, 0);
        self.orthonormalise(image, scale).0.unwrap_or_else(|| Mat::zeros(size, 0))
    }

    /// Uniform in (−1, 1), the same sequence on every machine (xorshift).
    fn random_number(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Keeps the best Ritz vectors only; returns their coupling with the residual directions.
    fn restart(&mut self, ritz: &Ritz) -> Mat<f64> {
        let keep =
            (self.count + 2 * self.block).min(self.filled.saturating_sub(2 * self.block)).max(1);
        let kept = self.basis.subcols(0, self.filled) * ritz.vectors.subcols(0, keep);
        self.basis.subcols_mut(0, keep).copy_from(&kept);
        self.projected.fill(0.0);
        for i in 0..keep {
            self.projected[(i, i)] = ritz.theta[i];
        }
        self.filled = keep;
        self.newest = 0;
        self.coupled_from = 0;
        ritz.residuals.subcols(0, keep).to_owned()
    }

    /// Asks for another shift if the wanted θ lie too far apart.
    fn spread(&self, ritz: &Ritz) -> Option<Outcome> {
        let known = ritz.theta.iter().take(self.count);
        let positive = known.take_while(|theta| **theta > f64::EPSILON * ritz.theta[0]);
        let inverse: Vec<f64> = positive.map(|theta| 1.0 / theta).collect();
        self.operator.spread(&inverse)
    }

    /// The whole space is spanned: every Ritz pair is exact, but there may be too few.
    fn exhausted(self, ritz: &Ritz) -> Result<Outcome, EigenError> {
        let largest = ritz.theta[0].max(0.0);
        let available = ritz.theta.iter().filter(|&&t| t > 1e-12 * largest).count();
        if available < self.count {
            return Err(EigenError::TooMany { asked: self.count, available });
        }
        self.finish(ritz)
    }

    fn finish(self, ritz: &Ritz) -> Result<Outcome, EigenError> {
        let vectors = self.basis.subcols(0, self.filled) * ritz.vectors.subcols(0, self.count);
        let value = |theta: &f64| 1.0 / theta - self.operator.shift;
        let values = ritz.theta[..self.count].iter().map(value).collect();
        let n_solves = self.n_solves;
        Ok(Outcome::Pairs(Eigenpairs { values, vectors, n_solves, is_singular: false }))
    }
}

/// Ritz pairs of the projected operator, largest θ first.
struct Ritz {
    theta: Vec<f64>,
    vectors: Mat<f64>,
    /// Residuals R Eᵀy, one per column, in terms of the residual directions.
    residuals: Mat<f64>,
    /// Number of leading pairs whose residual is small.
    converged: usize,
}

impl Ritz {
    fn of(lanczos: &Lanczos) -> Option<Self> {
        let size = lanczos.filled;
        let (s, u) = symmetric_eigen(lanczos.projected.submatrix(0, 0, size, size))?;
        let theta: Vec<f64> = s.into_iter().rev().collect();
        let vectors = Mat::from_fn(size, size, |r, c| u[(r, size - 1 - c)]);
        let newest = vectors.subrows(size - lanczos.newest, lanczos.newest);
        let residuals = &lanczos.coupling * newest;
        let small = |&i: &usize| residuals.col(i).norm_l2() <= TOL_RITZ * theta[i].abs();
        let converged = (0..size).take_while(small).count();
        Some(Self { theta, vectors, residuals, converged })
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn axpy(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}
