//! Linear frequency response, direct or by modal superposition.
//!
//! ```text
//! Direct:         Z(ω) q_f = f(ω) ,  Z = K + iωC − ω²M ,  f(ω) = f_f − Z_fc(ω) q_c        (1)
//!
//! Superposition:  (Λ − ω²I + iω Φᵀ C Φ) η = Φᵀ f(ω) ,   f(ω) = Σ_k (iω)^k f_k ,             (2)
//!                 q_f = Φ η + Σ_k (iω)^k r_k / (1 + iωβ) ,   r_k = (K⁻¹ − Φ Λ⁻¹ Φᵀ) f_k      (3)
//! ```
//!
//! f₀ = f_f − K_fc q_c, f₁ = −C_fc q_c, f₂ = −M_fc q_c. The residual in (3) is the answer of the modes
//! that are left out, far below their frequencies, where only their stiffness K(1 + iωβ) counts; it
//! needs a regular K and is dropped for models with rigid-body modes.

use std::f64::consts::TAU;

use faer::Mat;
use faer::prelude::Solve;
use rayon::prelude::*;

use super::modes::ModalSolution;
use super::{LinearError, resonance, statics};
use crate::linalg::{Complex, ComplexSymmetric, Symbolic};
use crate::model::probes::Functional;
use crate::model::{LoadParts, Model, Operator};

/// One frequency of a response: a value per probe.
#[derive(Debug, Clone, PartialEq)]
pub struct FrfPoint {
    /// Frequency \[Hz\].
    pub frequency: f64,
    /// Complex amplitudes, in the order of the functionals.
    pub values: Vec<Complex>,
}

/// What both methods need.
pub struct FrfRequest<'a> {
    /// The model.
    pub model: &'a Model,
    /// C, if there is damping other than modal.
    pub damping: Option<&'a Operator>,
    /// What to evaluate.
    pub functionals: &'a [Functional],
    /// Frequencies \[Hz\].
    pub frequencies: &'a [f64],
}

/// Receives points as they are finished, in order.
pub type Receiver<'a> = dyn FnMut(&[FrfPoint]) + 'a;

/// The direct method: the structure of its matrices is analysed once.
pub struct Direct<'a> {
    request: &'a FrfRequest<'a>,
    symbolic: &'a Symbolic,
    solver: ComplexSymmetric,
    load: LoadParts,
}

impl<'a> Direct<'a> {
    /// Prepares the solution of (1).
    pub fn new(request: &'a FrfRequest<'a>, symbolic: &'a Symbolic) -> Result<Self, LinearError> {
        let pattern = request.model.operators.stiffness.free.pattern();
        let solver = ComplexSymmetric::analyse(pattern, symbolic, request.damping.is_some())?;
        Ok(Self { request, symbolic, solver, load: request.model.vibrating_load(request.damping) })
    }

    /// The motion (q_f, q_c) of (1) at a frequency \[Hz\].
    pub fn motion(&self, frequency: f64) -> Result<Vec<Complex>, LinearError> {
        let model = self.request.model;
        let (stiffness, mass) = (&model.operators.stiffness.free, &model.operators.mass.free);
        let omega = TAU * frequency;
        let real = stiffness.combine(1.0, mass, -omega * omega);
        // At rest the damping matrix vanishes and the doubled system decouples.
        let damping = self.request.damping.filter(|_| omega > 0.0);
        let imaginary = damping.map(|damping| damping.free.scaled(omega));
        let unbounded = || resonance::explain(model, self.symbolic, frequency);
        let factor = self.solver.factor(&real, imaginary.as_ref())?;
        let mut q = factor.solve(&self.load.at(omega)).map_err(|_| unbounded())?;
        let change = factor.relative_change(&q, &resonance::rounding(model, omega, &q));
        if change.is_nan() || change > resonance::MAX_CHANGE {
            return Err(unbounded());
        }
        q.extend(&model.dofs.harmonic_values);
        Ok(q)
    }

    fn point(&self, frequency: f64) -> Result<FrfPoint, LinearError> {
        let q = self.motion(frequency)?;
        let values = self.request.functionals.iter().map(|f| f.value(TAU * frequency, &q));
        FrfPoint { frequency, values: values.collect() }.finite()
    }

    /// Solves (1) at every frequency, in parallel; `receive` gets the points in order.
    pub fn sweep(&self, receive: &mut Receiver) -> Result<(), LinearError> {
        for batch in self.request.frequencies.chunks(2 * rayon::current_num_threads()) {
            let points = batch.par_iter().map(|f| self.point(*f)).collect::<Vec<_>>();
            for point in points {
                receive(&[point?]);
            }
        }
        Ok(())
    }
}

impl FrfPoint {
    /// The point, unless rounding or overflow has spoilt it.
    pub fn finite(self) -> Result<Self, LinearError> {
        match self.values.iter().all(|value| value.is_finite()) {
            true => Ok(self),
            false => Err(LinearError::NotFinite { frequency: self.frequency }),
        }
    }
}

/// Solves (2) at every frequency; `ratios` are modal damping ratios, the last one for all further modes.
pub fn superposition(
    request: &FrfRequest,
    symbolic: &Symbolic,
    modes: &ModalSolution,
    ratios: &[f64],
    receive: &mut Receiver,
) -> Result<(), LinearError> {
    let basis = ModalBasis::new(request, symbolic, modes, ratios);
    for batch in request.frequencies.chunks(64) {
        let found: Vec<_> = batch.par_iter().map(|f| basis.at(*f)).collect();
        let (mut points, mut outcome) = (Vec::new(), Ok(()));
        for point in found {
            match point {
                Ok(point) if outcome.is_ok() => points.push(point),
                Ok(_) => {}
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        receive(&points);
        outcome?;
    }
    Ok(())
}

/// Everything of (2) and (3) that does not depend on frequency, seen by the functionals.
struct ModalBasis<'a> {
    request: &'a FrfRequest<'a>,
    symbolic: &'a Symbolic,
    eigenvalues: &'a [f64],
    /// Φᵀ f_k.
    modal_load: [Vec<Complex>; 3],
    /// Damping of each mode: 2 ζ ω, or the diagonal of ΦᵀCΦ.
    diagonal_damping: Vec<f64>,
    /// ΦᵀCΦ when dashpots couple the modes.
    full_damping: Option<Mat<f64>>,
    /// For each functional: its value for each mode, for each residual r_k, and for q_c.
    views: Vec<View>,
    /// How far rounding of K and M moves each eigenvalue.
    rounding: Vec<[f64; 2]>,
}

struct View {
    modes: Vec<[f64; 3]>,
    residual: [[Complex; 3]; 3],
    prescribed: [Complex; 3],
}

impl<'a> ModalBasis<'a> {
    fn new(
        request: &'a FrfRequest<'a>,
        symbolic: &'a Symbolic,
        modes: &'a ModalSolution,
        ratios: &[f64],
    ) -> Self {
        let count = modes.eigenvalues.len();
        let load = request.model.vibrating_load(request.damping);
        let project = |vector: &Vec<Complex>| -> Vec<Complex> {
            let entry = |m| (0..vector.len()).map(|i| vector[i] * modes.shapes[(i, m)]).sum();
            (0..count).map(entry).collect()
        };
        let modal_load = [project(&load.0[0]), project(&load.0[1]), project(&load.0[2])];
        let (diagonal_damping, full_damping) = modal_damping(request, modes, ratios);
        let residual = residuals(request.model, symbolic, modes, &load, &modal_load);
        let views = request.functionals.iter().map(|f| View::new(f, request, modes, &residual));
        Self {
            request,
            symbolic,
            eigenvalues: &modes.eigenvalues,
            diagonal_damping,
            full_damping,
            views: views.collect(),
            modal_load,
            rounding: (0..count)
                .map(|m| resonance::modal_rounding(request.model, &modes.shape(m)))
                .collect(),
        }
    }

    fn at(&self, frequency: f64) -> Result<FrfPoint, LinearError> {
        let omega = TAU * frequency;
        if (0..self.eigenvalues.len()).any(|mode| self.is_resonant(mode, omega)) {
            return Err(resonance::explain(self.request.model, self.symbolic, frequency));
        }
        let powers = [Complex::new(1.0, 0.0), Complex::new(0.0, omega), (-omega * omega).into()];
        let (_, beta) = self.request.model.rayleigh;
        let softness = Complex::new(1.0, omega * beta).inv();
        let eta = self.modal_amplitudes(omega, &powers);
        let values = self.request.functionals.iter().zip(&self.views);
        let values =
            values.map(|(f, view)| f.constant + view.value(&eta, &powers, softness) * f.scale);
        FrfPoint { frequency, values: values.collect() }.finite()
    }

    /// Whether rounding decides the answer of a mode.
    fn is_resonant(&self, mode: usize, omega: f64) -> bool {
        let damping = match &self.full_damping {
            Some(damping) => damping[(mode, mode)],
            None => self.diagonal_damping[mode],
        };
        let [stiffness, mass] = self.rounding[mode];
        let moved = stiffness + omega * omega * mass;
        let distance = Complex::new(self.eigenvalues[mode] - omega * omega, omega * damping).norm();
        moved > resonance::MAX_CHANGE * distance
    }

    /// η of (2).
    fn modal_amplitudes(&self, omega: f64, powers: &[Complex; 3]) -> Vec<Complex> {
        let count = self.eigenvalues.len();
        let load = |m: usize| (0..3).map(|k| powers[k] * self.modal_load[k][m]).sum::<Complex>();
        let stiffness = |m: usize| self.eigenvalues[m] - omega * omega;
        match &self.full_damping {
            None => (0..count)
                .map(|m| load(m) / Complex::new(stiffness(m), omega * self.diagonal_damping[m]))
                .collect(),
            Some(damping) => {
                let matrix = Mat::from_fn(count, count, |i, j| {
                    let real = if i == j { stiffness(i) } else { 0.0 };
                    Complex::new(real, omega * damping[(i, j)])
                });
                let rhs = Mat::from_fn(count, 1, |i, _| load(i));
                let solution = matrix.partial_piv_lu().solve(&rhs);
                (0..count).map(|i| solution[(i, 0)]).collect()
            }
        }
    }
}

/// Diagonal of the modal damping matrix, and the whole of it if dashpots make it full.
fn modal_damping(
    request: &FrfRequest,
    modes: &ModalSolution,
    ratios: &[f64],
) -> (Vec<f64>, Option<Mat<f64>>) {
    let count = modes.eigenvalues.len();
    let (alpha, beta) = request.model.rayleigh;
    let ratio = |m: usize| ratios.get(m).or(ratios.last()).copied().unwrap_or(0.0);
    let diagonal = |m: usize| {
        let value = modes.eigenvalues[m].max(0.0);
        2.0 * ratio(m) * value.sqrt() + alpha + beta * value
    };
    let diagonal: Vec<f64> = (0..count).map(diagonal).collect();
    let full = request.model.operators.dashpots.as_ref().map(|dashpots| {
        let images: Vec<Vec<f64>> =
            (0..count).map(|m| dashpots.free.mul(&modes.shape(m))).collect();
        Mat::from_fn(count, count, |i, j| {
            let coupling: f64 =
                (0..images[j].len()).map(|r| modes.shapes[(r, i)] * images[j][r]).sum();
            coupling + if i == j { diagonal[i] } else { 0.0 }
        })
    });
    (diagonal, full)
}

/// r_k of (3); zero if K is singular.
fn residuals(
    model: &Model,
    symbolic: &Symbolic,
    modes: &ModalSolution,
    load: &LoadParts,
    modal_load: &[Vec<Complex>; 3],
) -> [Vec<Complex>; 3] {
    let n_free = model.dofs.n_free;
    let zero = || vec![Complex::new(0.0, 0.0); n_free];
    let Ok(factor) = statics::stiffness_factor(model, symbolic) else {
        return [zero(), zero(), zero()];
    };
    std::array::from_fn(|k| {
        if load.0[k].iter().all(|v| v.norm_sqr() == 0.0) {
            return zero();
        }
        let mut parts =
            Mat::from_fn(n_free, 2, |i, j| if j == 0 { load.0[k][i].re } else { load.0[k][i].im });
        factor.solve_in_place(parts.as_mut());
        let mut residual: Vec<Complex> =
            (0..n_free).map(|i| Complex::new(parts[(i, 0)], parts[(i, 1)])).collect();
        for (m, value) in modes.eigenvalues.iter().enumerate() {
            let amplitude = modal_load[k][m] / value;
            for (i, r) in residual.iter_mut().enumerate() {
                *r -= amplitude * modes.shapes[(i, m)];
            }
        }
        residual
    })
}

impl View {
    fn new(
        functional: &Functional,
        request: &FrfRequest,
        modes: &ModalSolution,
        residual: &[Vec<Complex>; 3],
    ) -> Self {
        let n_free = request.model.dofs.n_free;
        let prescribed = &request.model.dofs.harmonic_values;
        let on_mode =
            |m: usize| functional.rows(|i| if i < n_free { modes.shapes[(i, m)] } else { 0.0 });
        let zero = Complex::new(0.0, 0.0);
        Self {
            modes: (0..modes.eigenvalues.len()).map(on_mode).collect(),
            residual: std::array::from_fn(|k| {
                functional.rows(|i| if i < n_free { residual[k][i] } else { zero })
            }),
            prescribed: functional.rows(|i| if i < n_free { zero } else { prescribed[i - n_free] }),
        }
    }

    /// Σ_j (iω)^j (row_j Φ η + Σ_k (iω)^k row_j r_k / (1 + iωβ) + row_j q_c).
    fn value(&self, eta: &[Complex], powers: &[Complex; 3], softness: Complex) -> Complex {
        (0..3)
            .map(|j| {
                let modal: Complex = self.modes.iter().zip(eta).map(|(row, e)| e * row[j]).sum();
                let residual: Complex = (0..3).map(|k| powers[k] * self.residual[k][j]).sum();
                powers[j] * (modal + residual * softness + self.prescribed[j])
            })
            .sum()
    }
}
