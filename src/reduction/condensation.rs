//! Exact condensation of the dynamic stiffness to the relative displacements of the contact pairs.
//!
//! ```text
//! One coordinate of y per row of u_r = B y is expressed by u_r and the others, z:
//!
//!     y = N z + E u_r ,   B N = 0 ,  B E = I .                                       (1)
//!
//! z with u_r = 0 is the structure with all contacts bonded, so it needs neither supported single
//! bodies nor auxiliary springs. Its modes (K_zz + sM_zz)φ = λ M_zz φ diagonalise it,
//!
//!     z = Φ ζ + Ψ u_r ,   Ψ = −(K_zz + sM_zz)⁻¹(K_zr + sM_zr) ,                       (2)
//!
//! with s = 0 unless K_zz is singular. With a = 1 + iωβ, b = iωα − ω² − s a and d_j = a λ_j + b
//!
//!     Z_r = a K_r + b M_r − b² M_qrᵀ diag(1/d) M_qr ,                                 (3)
//!     f_r = f_R − b M_qrᵀ diag(1/d) Φᵀf_z ,   f_R = Eᵀf + ΨᵀNᵀf ,                      (4)
//!     ζ   = diag(1/d) (Φᵀf_z − b M_qr u_r) ,                                          (5)
//!
//! where K_r, M_r, M_qr are the blocks of K + sM and M over (ζ, u_r). Dashpots add Σ iωc bbᵀ. Their
//! forces s, and the ζ of modes that only they damp at resonance (d ≈ 0), are held back as unknowns h,
//!
//!     ⎡ Z_r  C_hᵀ ⎤ ⎡u_r⎤   ⎡ f_r ⎤
//!     ⎣ C_h  S    ⎦ ⎣ h ⎦ = ⎣ f_h ⎦ ,                                                  (6)
//!
//! and eliminated last.
//! ```
//!
//! A frequency costs O(m n²) for m modes and n relative displacements and no factorisation.

use faer::prelude::Solve;
use faer::{Mat, Side};

use super::structure::ReducedStructure;
use super::{LoadParts, ReductionError};
use crate::linalg::Complex;
use crate::linalg::dense::{self, symmetric};
use weighted::relative_stiffness;

mod asymptote;
mod coordinates;
mod energy;
mod weighted;

mod time_domain;

pub use time_domain::TimeMatrices;

/// Denominators below this fraction of their terms mean resonance without damping.
const TOL_RESONANCE: f64 = 1e-13;
/// Modes nearer to resonance than this are held back where dashpots damp them.
const TOL_HELD: f64 = 1e-6;

/// The structure in the coordinates (ζ, u_r).
#[derive(Debug, Clone)]
pub struct Condensation {
    /// λ of the bonded structure, shifted by s.
    eigenvalues: Vec<f64>,
    shift: f64,
    rayleigh: (f64, f64),
    /// K_r + s M_r, M_r and M_qr.
    stiffness: Mat<f64>,
    mass: Mat<f64>,
    /// M_qr, and behind it a column Φᵀb per dashpot.
    coupling: Mat<f64>,
    /// c of each dashpot and its b in terms of u_r.
    dashpots: Vec<(f64, Vec<f64>)>,
    /// Columns of N and E.
    to_y: Mat<f64>,
    modes: Mat<f64>,
    constraint_modes: Mat<f64>,
    /// (K_zz + sM_zz)⁻¹ − Φ Λ⁻¹ Φᵀ where massless coordinates exist.
    residual: Option<Mat<f64>>,
}

/// A load in the coordinates (ζ, u_r).
#[derive(Debug, Clone)]
pub struct CondensedLoad {
    modal: LoadParts,
    relative: LoadParts,
    /// Motion of massless coordinates.
    residual: Option<LoadParts>,
}

/// A functional of y in the coordinates (ζ, u_r).
#[derive(Debug, Clone)]
pub struct CondensedRow {
    modal: Vec<f64>,
    relative: Vec<f64>,
    z: Vec<f64>,
}

/// The condensed problem Z_r u_r + λ = f_r at one frequency.
#[derive(Debug, Clone)]
pub struct Condensed {
    /// ω \[rad/s\].
    pub omega: f64,
    /// Z_r.
    pub stiffness: Mat<Complex>,
    /// b.
    inertia: Complex,
    /// 1/d.
    flexibility: Vec<Complex>,
    /// Modes held back.
    held: Vec<usize>,
    /// C_h and S⁻¹ of (6), the dashpots first.
    held_rows: Mat<Complex>,
    held_inverse: Mat<Complex>,
}

/// Motion of the structure at one frequency.
#[derive(Debug, Clone)]
pub struct Motion {
    omega: f64,
    relative: Vec<Complex>,
    modal: Vec<Complex>,
    /// Motion of massless coordinates of z.
    residual: Option<Vec<Complex>>,
}

impl Condensation {
    /// Transforms the structure; what does not depend on frequency is done here.
    pub fn new(structure: &ReducedStructure) -> Result<Self, ReductionError> {
        let to_y = coordinates::coordinate_change(structure)?;
        let n = structure.relative.len();
        let m = structure.size() - n;
        let congruent = |matrix: &Mat<f64>| to_y.transpose() * (matrix * &to_y);
        let (stiffness, mass) = (congruent(&structure.stiffness), congruent(&structure.mass));
        let block = |a: &Mat<f64>, r: usize, c: usize, nr: usize, nc: usize| {
            a.submatrix(r, c, nr, nc).to_owned()
        };
        let k_zz = block(&stiffness, 0, 0, m, m);
        let m_zz = block(&mass, 0, 0, m, m);
        let shift = regular_shift(&k_zz, &m_zz);
        let shifted = |k: Mat<f64>, m: &Mat<f64>| {
            Mat::from_fn(k.nrows(), k.ncols(), |i, j| k[(i, j)] + shift * m[(i, j)])
        };
        let k_zz = shifted(k_zz, &m_zz);
        let (m_zr, m_rr) = (block(&mass, 0, m, m, n), block(&mass, m, m, n, n));
        let k_zr = shifted(block(&stiffness, 0, m, m, n), &m_zr);
        let k_rr = shifted(block(&stiffness, m, m, n, n), &m_rr);
        let (eigenvalues, modes) =
            dense::modes(&k_zz, &m_zz, 0.0).ok_or(ReductionError::LooseCoordinates)?;
        let factor = k_zz.llt(Side::Lower).map_err(|_| ReductionError::LooseCoordinates)?;
        let constraint_modes = -factor.solve(&k_zr);
        let inertia = &m_zr + &m_zz * &constraint_modes;
        let m_qr = modes.transpose() * &inertia;
        let k_r = &k_rr + k_zr.transpose() * &constraint_modes;
        let m_r =
            &m_rr + m_zr.transpose() * &constraint_modes + constraint_modes.transpose() * &inertia;
        let residual = (eigenvalues.len() < m)
            .then(|| residual(&factor.solve(Mat::identity(m, m)), &eigenvalues, &modes));
        let mut condensation = Self {
            eigenvalues,
            shift,
            rayleigh: structure.rayleigh,
            stiffness: symmetric(&k_r),
            mass: symmetric(&m_r),
            coupling: m_qr,
            dashpots: vec![],
            to_y,
            modes,
            constraint_modes,
            residual,
        };
        condensation.add_dashpots(structure);
        Ok(condensation)
    }

    fn add_dashpots(&mut self, structure: &ReducedStructure) {
        let (m, n) = (self.n_modes(), self.n_relative());
        let rows: Vec<(f64, CondensedRow)> =
            structure.dashpots.iter().map(|(c, row)| (*c, self.row(row))).collect();
        let coupling = &self.coupling;
        self.coupling = Mat::from_fn(m, n + rows.len(), |i, j| match j.checked_sub(n) {
            None => coupling[(i, j)],
            Some(d) => rows[d].1.modal[i],
        });
        self.dashpots = rows.into_iter().map(|(c, row)| (c, row.relative)).collect();
    }

    /// Number of modes of the bonded structure.
    pub fn n_modes(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Number of relative displacements.
    pub fn n_relative(&self) -> usize {
        self.stiffness.nrows()
    }

    /// ω² of the modes with all contacts bonded \[rad²/s²\].
    pub fn bonded_eigenvalues(&self) -> impl Iterator<Item = f64> + '_ {
        self.eigenvalues.iter().map(|value| value - self.shift)
    }

    /// A load over y in the coordinates (ζ, u_r).
    pub fn load(&self, load: &LoadParts) -> CondensedLoad {
        let transformed = load.0.each_ref().map(|part| self.split(part));
        let modal = transformed.each_ref().map(|(z, _)| transposed_product(&self.modes, z));
        let relative = transformed.each_ref().map(|(z, r)| {
            let through = transposed_product(&self.constraint_modes, z);
            r.iter().zip(through).map(|(r, z)| r + z).collect()
        });
        let residual = self.residual.as_ref().map(|residual| {
            LoadParts(transformed.each_ref().map(|(z, _)| transposed_product(residual, z)))
        });
        CondensedLoad { modal: LoadParts(modal), relative: LoadParts(relative), residual }
    }

    /// A functional of y in the coordinates (ζ, u_r).
    pub fn row(&self, row: &[f64]) -> CondensedRow {
        let (z, r) = self.split(row);
        let through = transposed_product(&self.constraint_modes, &z);
        let relative = r.iter().zip(through).map(|(r, z)| r + z).collect();
        CondensedRow { modal: transposed_product(&self.modes, &z), relative, z }
    }

    /// Nᵀ and Eᵀ times a vector over y.
    fn split<T: Scalar>(&self, y: &[T]) -> (Vec<T>, Vec<T>) {
        let mut z = transposed_product(&self.to_y, y);
        let r = z.split_off(z.len() - self.n_relative());
        (z, r)
    }

    /// Condenses at ω \[rad/s\], equations (3) and (6).
    pub fn at(&self, omega: f64) -> Result<Condensed, ReductionError> {
        let (alpha, beta) = self.rayleigh;
        let a = Complex::new(1.0, omega * beta);
        let b = Complex::new(-omega * omega, omega * alpha) - a * self.shift;
        let denominators: Vec<Complex> =
            self.eigenvalues.iter().map(|value| a * *value + b).collect();
        let held = self.near_resonance(omega, &denominators)?;
        let inverse = |(j, d): (usize, &Complex)| {
            if held.contains(&j) { Complex::new(0.0, 0.0) } else { d.inv() }
        };
        let flexibility: Vec<Complex> = denominators.iter().enumerate().map(inverse).collect();
        let n = self.n_relative();
        let (stiffness, small) =
            relative_stiffness(&self.coupling, &flexibility, (a, &self.stiffness), (b, &self.mass));
        let mut condensed = Condensed {
            omega,
            stiffness,
            inertia: b,
            flexibility,
            held,
            held_rows: Mat::zeros(0, n),
            held_inverse: Mat::zeros(0, 0),
        };
        if omega > 0.0 && !self.dashpots.is_empty() {
            self.hold_back(&mut condensed, &small, &denominators);
        }
        Ok(condensed)
    }

    /// Modes whose d vanishes; an error where no dashpot could bound them.
    fn near_resonance(
        &self,
        omega: f64,
        denominators: &[Complex],
    ) -> Result<Vec<usize>, ReductionError> {
        let is_damped = omega > 0.0 && !self.dashpots.is_empty();
        let tolerance = if is_damped { TOL_HELD } else { TOL_RESONANCE };
        let scale = |j: usize| self.eigenvalues[j] + self.shift + omega * omega;
        let near = |j: &usize| denominators[*j].norm() <= tolerance * scale(*j);
        let held: Vec<usize> = (0..denominators.len()).filter(near).collect();
        match held.first() {
            Some(&j) if !is_damped => {
                let value = self.eigenvalues[j] - self.shift;
                let frequency = value.max(0.0).sqrt() / std::f64::consts::TAU;
                Err(ReductionError::BondedResonance { frequency })
            }
            _ => Ok(held),
        }
    }

    /// C_h and S of (6), and what their elimination adds to Z_r.
    fn hold_back(&self, at: &mut Condensed, small: &Mat<Complex>, denominators: &[Complex]) {
        let (n, count) = (self.n_relative(), self.dashpots.len());
        let size = count + at.held.len();
        at.held_rows = Mat::from_fn(size, n, |h, j| match h.checked_sub(count) {
            None => Complex::from(self.dashpots[h].1[j]) - at.inertia * small[(h, j)],
            Some(h) => at.inertia * self.coupling[(at.held[h], j)],
        });
        let entry = |i: usize, j: usize| match (i.checked_sub(count), j.checked_sub(count)) {
            (None, None) => {
                let impedance = Complex::new(0.0, at.omega * self.dashpots[i].0);
                -small[(i.max(j), n + i.min(j))] - if i == j { impedance.inv() } else { 0.0.into() }
            }
            (None, Some(j)) => self.coupling[(at.held[j], n + i)].into(),
            (Some(i), None) => self.coupling[(at.held[i], n + j)].into(),
            (Some(i), Some(j)) if i == j => denominators[at.held[i]],
            _ => 0.0.into(),
        };
        let matrix = Mat::from_fn(size, size, entry);
        at.held_inverse = matrix.partial_piv_lu().solve(Mat::<Complex>::identity(size, size));
        let eliminated = &at.held_inverse * &at.held_rows;
        at.stiffness -= at.held_rows.transpose() * eliminated;
    }

    /// f_h of (6) for the modal load.
    fn held_load(&self, at: &Condensed, modal: &[Complex]) -> Vec<Complex> {
        if at.held_rows.nrows() == 0 {
            return vec![];
        }
        let n = self.n_relative();
        let dashpot = |d: usize| -> Complex {
            let moved = modal.iter().zip(&at.flexibility).enumerate();
            -moved.map(|(i, (f, g))| f * g * self.coupling[(i, n + d)]).sum::<Complex>()
        };
        let held = at.held.iter().map(|j| modal[*j]);
        (0..self.dashpots.len()).map(dashpot).chain(held).collect()
    }

    /// f_r of (4).
    pub fn condensed_load(&self, at: &Condensed, load: &CondensedLoad) -> Vec<Complex> {
        let modal = load.modal.at(at.omega);
        let moved: Vec<Complex> = modal.iter().zip(&at.flexibility).map(|(f, g)| f * g).collect();
        let through = transposed_product(&self.coupling, &moved);
        let mut relative = load.relative.at(at.omega);
        for (value, part) in relative.iter_mut().zip(&through) {
            *value -= at.inertia * part;
        }
        let held = at.held_motion(&self.held_load(at, &modal));
        for (j, value) in relative.iter_mut().enumerate() {
            *value -= (0..held.len()).map(|h| at.held_rows[(h, j)] * held[h]).sum::<Complex>();
        }
        relative
    }

    /// Motion of the whole structure for given relative displacements, equation (5).
    pub fn motion(
        &self,
        at: &Condensed,
        load: Option<&CondensedLoad>,
        relative: &[Complex],
    ) -> Motion {
        let n = self.n_relative();
        let zero = Complex::new(0.0, 0.0);
        let mut force = load.map_or(vec![zero; self.n_modes()], |load| load.modal.at(at.omega));
        let mut right = self.held_load(at, &force);
        for (h, value) in right.iter_mut().enumerate() {
            *value -= (0..n).map(|j| at.held_rows[(h, j)] * relative[j]).sum::<Complex>();
        }
        let held = at.held_motion(&right);
        for (i, value) in force.iter_mut().enumerate() {
            let inertia = (0..n).map(|j| relative[j] * self.coupling[(i, j)]).sum::<Complex>();
            let damping = held.iter().take(self.dashpots.len()).enumerate();
            let damping = damping.map(|(d, s)| s * self.coupling[(i, n + d)]).sum::<Complex>();
            *value -= at.inertia * inertia + damping;
        }
        let mut modal: Vec<Complex> =
            force.iter().zip(&at.flexibility).map(|(f, g)| f * g).collect();
        for (j, value) in at.held.iter().zip(held.iter().skip(self.dashpots.len())) {
            modal[*j] = *value;
        }
        let softness = Complex::new(1.0, at.omega * self.rayleigh.1).inv();
        let residual = load.and_then(|load| load.residual.as_ref()).map(|residual| {
            residual.at(at.omega).into_iter().map(|value| value * softness).collect()
        });
        Motion { omega: at.omega, relative: relative.to_vec(), modal, residual }
    }

    /// Coordinates y of a motion.
    pub fn coordinates(&self, motion: &Motion) -> Vec<Complex> {
        let mut coordinates = product(&self.modes, &motion.modal);
        let through = product(&self.constraint_modes, &motion.relative);
        coordinates.iter_mut().zip(through).for_each(|(z, part)| *z += part);
        if let Some(residual) = &motion.residual {
            coordinates.iter_mut().zip(residual).for_each(|(z, part)| *z += part);
        }
        coordinates.extend_from_slice(&motion.relative);
        product(&self.to_y, &coordinates)
    }
}

impl CondensedLoad {
    /// The load times a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        let scaled = |load: &LoadParts| {
            LoadParts(load.0.each_ref().map(|f| f.iter().map(|f| f * factor).collect()))
        };
        Self {
            modal: scaled(&self.modal),
            relative: scaled(&self.relative),
            residual: self.residual.as_ref().map(scaled),
        }
    }
}

impl Condensed {
    /// S⁻¹ times a vector.
    fn held_motion(&self, right: &[Complex]) -> Vec<Complex> {
        let sum = |i: usize| (0..right.len()).map(|j| self.held_inverse[(i, j)] * right[j]).sum();
        (0..right.len()).map(sum).collect()
    }
}

impl CondensedRow {
    /// Its value for a motion, without derivatives in time.
    pub fn value(&self, motion: &Motion) -> Complex {
        let sum = |x: &[Complex], w: &[f64]| x.iter().zip(w).map(|(x, w)| x * w).sum::<Complex>();
        let residual = motion.residual.as_ref().map_or(0.0.into(), |x| sum(x, &self.z));
        sum(&motion.modal, &self.modal) + sum(&motion.relative, &self.relative) + residual
    }
}

impl Motion {
    /// ω \[rad/s\].
    pub fn omega(&self) -> f64 {
        self.omega
    }
}

trait Scalar:
    Copy + Default + std::ops::Add<Output = Self> + std::ops::Mul<f64, Output = Self>
{
}
impl Scalar for f64 {}
impl Scalar for Complex {}

fn product<T: Scalar>(matrix: &Mat<f64>, x: &[T]) -> Vec<T> {
    let mut y = vec![T::default(); matrix.nrows()];
    for (j, x) in x.iter().enumerate() {
        y.iter_mut().zip(matrix.col(j).iter()).for_each(|(y, a)| *y = *y + *x * *a);
    }
    y
}

fn transposed_product<T: Scalar>(matrix: &Mat<f64>, x: &[T]) -> Vec<T> {
    let dot =
        |j: usize| matrix.col(j).iter().zip(x).fold(T::default(), |sum, (a, x)| sum + *x * *a);
    (0..matrix.ncols()).map(dot).collect()
}

/// A shift that makes K_zz + sM_zz positive definite: none if K_zz is.
fn regular_shift(stiffness: &Mat<f64>, mass: &Mat<f64>) -> f64 {
    let size = stiffness.nrows();
    let is_regular = stiffness.llt(Side::Lower).is_ok_and(|factor| {
        let lower = factor.L();
        (0..size).all(|i| lower[(i, i)].powi(2) > 1e-12 * stiffness[(i, i)])
    });
    if is_regular {
        return 0.0;
    }
    let ratio = |i: usize| {
        if mass[(i, i)] > 0.0 { stiffness[(i, i)] / mass[(i, i)] } else { 0.0 }
    };
    let highest = (0..size).map(ratio).fold(0.0, f64::max);
    if highest > 0.0 { 1e-3 * highest } else { 1.0 }
}

/// K⁻¹ − Φ Λ⁻¹ Φᵀ.
fn residual(flexibility: &Mat<f64>, eigenvalues: &[f64], modes: &Mat<f64>) -> Mat<f64> {
    let scaled = Mat::from_fn(modes.nrows(), modes.ncols(), |i, j| modes[(i, j)] / eigenvalues[j]);
    flexibility - scaled * modes.transpose()
}

#[cfg(test)]
mod tests;
