//! Solution of (A + iB) x = b with A and B real, symmetric, sparse, on one pattern.
//!
//! ```text
//! With x = p + iq and b = r + is the system is the real symmetric one
//!
//!     ⎡  A  −B ⎤ ⎡ p ⎤   ⎡  r ⎤
//!     ⎣ −B  −A ⎦ ⎣ q ⎦ = ⎣ −s ⎦                                                  (1)
//! ```
//!
//! Real and imaginary part of one unknown have the same connections, so `ordering` keeps them
//! neighbours in the elimination order, hence in one supernode, where Bunch–Kaufman pivoting may use them
//! as a 2×2 pivot: a resonance (A singular, B not) is harmless. Where B vanishes the real matrix A alone is
//! factorised. One or more steps of
//! iterative refinement bring the backward error to rounding level, and it is checked.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::IntranodeLbltRef;
use faer::{Conj, MatMut, Par, Side};
use thiserror::Error;

use super::Complex;
use super::factor::{FactorError, Symbolic, zeros};
use super::pattern::Pattern;
use super::symmetric::SymmetricSparse;

/// Largest backward error of an accepted solution.
const TOL_BACKWARD_ERROR: f64 = 1e-10;
const MAX_REFINEMENTS: usize = 4;

/// A matrix that is singular to working precision.
#[derive(Debug, Error)]
#[error("the system is singular to working precision (backward error {backward_error:.1e})")]
pub struct Singular {
    /// ‖b − Zx‖∞ / (‖Z‖ ‖x‖∞ + ‖b‖∞).
    pub backward_error: f64,
}

/// The shared analysis of all systems with one pattern.
#[derive(Debug)]
pub struct ComplexSymmetric {
    real: Symbolic,
    doubled: Option<(Pattern, Symbolic)>,
}

impl ComplexSymmetric {
    /// Prepares for a pattern whose analysis is `real`; `is_complex` says whether B ≠ 0 will follow.
    pub fn analyse(
        pattern: &Pattern,
        real: &Symbolic,
        is_complex: bool,
    ) -> Result<Self, FactorError> {
        let doubled = if is_complex {
            let doubled = doubled_pattern(pattern);
            let symbolic = Symbolic::analyse(&doubled)?;
            Some((doubled, symbolic))
        } else {
            None
        };
        Ok(Self { real: real.clone(), doubled })
    }

    /// Factorises A + iB; `b_matrix` = None stands for B = 0.
    ///
    /// # Panics
    /// If B is given but was not announced to [`Self::analyse`].
    pub fn factor<'a>(
        &'a self,
        a_matrix: &'a SymmetricSparse,
        b_matrix: Option<&'a SymmetricSparse>,
    ) -> Result<ComplexFactor<'a>, FactorError> {
        let factor = match b_matrix {
            None => Lblt::new(&self.real, a_matrix.as_faer())?,
            Some(b_matrix) => {
                let (pattern, symbolic) = self.doubled.as_ref().expect("a complex analysis");
                let values = doubled_values(a_matrix, b_matrix);
                let matrix = SparseColMatRef::new(pattern.as_faer(), &values);
                Lblt::new(symbolic, matrix)?
            }
        };
        Ok(ComplexFactor { a_matrix, b_matrix, factor })
    }
}

/// A factorised A + iB.
pub struct ComplexFactor<'a> {
    a_matrix: &'a SymmetricSparse,
    b_matrix: Option<&'a SymmetricSparse>,
    factor: Lblt<'a>,
}

impl ComplexFactor<'_> {
    /// Solves (A + iB) x = b to rounding.
    pub fn solve(&self, rhs: &[Complex]) -> Result<Vec<Complex>, Singular> {
        refine(self.a_matrix, self.b_matrix, rhs, |rhs| self.solve_once(rhs))
    }

    /// How much the right-hand side `change` adds to the solution `x`, relative to it.
    pub fn relative_change(&self, x: &[Complex], change: &[Complex]) -> f64 {
        let (change, size) = (largest(&self.solve_once(change)), largest(x));
        if size > 0.0 { change / size } else { change }
    }

    fn solve_once(&self, rhs: &[Complex]) -> Vec<Complex> {
        match self.b_matrix {
            None => solve_parts(&self.factor, rhs),
            Some(_) => solve_doubled(&self.factor, rhs),
        }
    }
}

/// Iterative refinement of `solve` until the backward error is at rounding level.
fn refine(
    a_matrix: &SymmetricSparse,
    b_matrix: Option<&SymmetricSparse>,
    rhs: &[Complex],
    solve: impl Fn(&[Complex]) -> Vec<Complex>,
) -> Result<Vec<Complex>, Singular> {
    let norm = |values: &[f64]| values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let matrix_norm = norm(a_matrix.values()) + b_matrix.map_or(0.0, |b| norm(b.values()));
    let mut x = solve(rhs);
    let mut backward_error = f64::INFINITY;
    for _ in 0..MAX_REFINEMENTS {
        let residual = residual(a_matrix, b_matrix, &x, rhs);
        let scale = matrix_norm * largest(&x) + largest(rhs);
        let error = if scale == 0.0 { 0.0 } else { largest(&residual) / scale };
        if !error.is_finite() {
            return Err(Singular { backward_error: error });
        }
        let stalled = error > 0.5 * backward_error;
        backward_error = backward_error.min(error);
        if error <= 2.0 * f64::EPSILON || stalled {
            break;
        }
        for (x, correction) in x.iter_mut().zip(solve(&residual)) {
            *x += correction;
        }
    }
    if backward_error > TOL_BACKWARD_ERROR {
        return Err(Singular { backward_error });
    }
    Ok(x)
}

fn largest(x: &[Complex]) -> f64 {
    // Sum of parts instead of the modulus; NaN must not be lost as it would be by f64::max.
    let sizes = x.iter().map(|v| v.re.abs() + v.im.abs());
    sizes.fold(0.0, |m, v| if v > m || v.is_nan() { v } else { m })
}

fn residual(
    a_matrix: &SymmetricSparse,
    b_matrix: Option<&SymmetricSparse>,
    x: &[Complex],
    rhs: &[Complex],
) -> Vec<Complex> {
    let (re, im): (Vec<f64>, Vec<f64>) = x.iter().map(|v| (v.re, v.im)).unzip();
    let (a_re, a_im) = (a_matrix.mul(&re), a_matrix.mul(&im));
    let mut residual: Vec<Complex> =
        (0..x.len()).map(|i| rhs[i] - Complex::new(a_re[i], a_im[i])).collect();
    if let Some(b_matrix) = b_matrix {
        let (b_re, b_im) = (b_matrix.mul(&re), b_matrix.mul(&im));
        for (i, r) in residual.iter_mut().enumerate() {
            *r -= Complex::new(-b_im[i], b_re[i]);
        }
    }
    residual
}

/// Real matrix: real and imaginary part are two right-hand sides.
fn solve_parts(factor: &Lblt, rhs: &[Complex]) -> Vec<Complex> {
    let n = rhs.len();
    let mut parts: Vec<f64> = rhs.iter().map(|v| v.re).chain(rhs.iter().map(|v| v.im)).collect();
    factor.solve_in_place(MatMut::from_column_major_slice_mut(&mut parts, n, 2));
    (0..n).map(|i| Complex::new(parts[i], parts[n + i])).collect()
}

/// Equation (1) with interleaved parts.
fn solve_doubled(factor: &Lblt, rhs: &[Complex]) -> Vec<Complex> {
    let mut parts: Vec<f64> = rhs.iter().flat_map(|v| [v.re, -v.im]).collect();
    let size = parts.len();
    factor.solve_in_place(MatMut::from_column_major_slice_mut(&mut parts, size, 1));
    parts.chunks_exact(2).map(|v| Complex::new(v[0], v[1])).collect()
}

/// Pattern of (1), real and imaginary part of unknown i at 2i and 2i + 1.
fn doubled_pattern(pattern: &Pattern) -> Pattern {
    let mut doubled = Pattern::default();
    for col in 0..pattern.size() {
        let rows = pattern.rows(col).flat_map(|row| [2 * row, 2 * row + 1]);
        doubled.push_column(rows.clone());
        doubled.push_column(rows.filter(|row| *row > 2 * col));
    }
    doubled
}

/// Values of (1) in the order of [`doubled_pattern`].
fn doubled_values(a_matrix: &SymmetricSparse, b_matrix: &SymmetricSparse) -> Vec<f64> {
    let mut values = Vec::with_capacity(4 * a_matrix.values().len());
    for col in 0..a_matrix.size() {
        let entries = a_matrix.column(col).zip(b_matrix.column(col));
        values.extend(entries.clone().flat_map(|((_, a), (_, b))| [a, -b]));
        for ((row, a), (_, b)) in entries {
            if row > col {
                values.push(-b);
            }
            values.push(-a);
        }
    }
    values
}

/// L B Lᵀ with pivoting inside supernodes.
struct Lblt<'a> {
    symbolic: &'a Symbolic,
    values: Vec<f64>,
    subdiagonal: Vec<f64>,
    forward: Vec<u32>,
    inverse: Vec<u32>,
}

impl<'a> Lblt<'a> {
    fn new(
        symbolic: &'a Symbolic,
        matrix: SparseColMatRef<'_, u32, f64>,
    ) -> Result<Self, FactorError> {
        let raw = symbolic.raw();
        let size = matrix.nrows();
        let out_of_memory = || symbolic.out_of_memory();
        let mut factor = Self {
            symbolic,
            values: zeros(raw.len_val()).ok_or_else(out_of_memory)?,
            subdiagonal: vec![0.0; size],
            forward: vec![0; size],
            inverse: vec![0; size],
        };
        let scratch =
            raw.factorize_numeric_intranode_lblt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| out_of_memory())?;
        raw.factorize_numeric_intranode_lblt(
            &mut factor.values,
            &mut factor.subdiagonal,
            &mut factor.forward,
            &mut factor.inverse,
            matrix,
            Side::Lower,
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        Ok(factor)
    }

    fn solve_in_place(&self, rhs: MatMut<'_, f64>) {
        let raw = self.symbolic.raw();
        let permutation = PermRef::new_checked(&self.forward, &self.inverse, self.forward.len());
        let scratch = raw.solve_in_place_scratch::<f64>(rhs.ncols(), Par::Seq);
        IntranodeLbltRef::new(raw, &self.values, &self.subdiagonal, permutation)
            .solve_in_place_with_conj(
                Conj::No,
                rhs,
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(scratch)),
            );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::linalg::pattern::clique_pattern;

    fn grid(width: usize, entry: impl Fn(usize, usize) -> f64) -> SymmetricSparse {
        let index = |i: usize, j: usize| i * width + j;
        let mut groups = Vec::new();
        for i in 1..width {
            for j in 1..width {
                groups.push([index(i - 1, j - 1), index(i - 1, j), index(i, j - 1), index(i, j)]);
            }
        }
        let pattern = clique_pattern(width * width, groups.iter().map(|g| g.as_slice()));
        let mut a = SymmetricSparse::zeros(Arc::new(pattern));
        for col in 0..a.size() {
            for row in a.pattern().clone().rows(col) {
                a.add(row, col, entry(row, col));
            }
        }
        a
    }

    #[test]
    fn indefinite_complex_system_is_solved_to_rounding() {
        let a = grid(12, |i, j| if i == j { 0.3 * ((i * 7 % 5) as f64 - 2.0) } else { -1.0 });
        let mut b = SymmetricSparse::zeros(a.pattern().clone());
        for i in 0..a.size() {
            b.add(i, i, 0.01);
        }
        let x: Vec<Complex> =
            (0..a.size()).map(|i| Complex::new((i as f64).sin(), (i as f64).cos())).collect();
        let zero = vec![Complex::new(0.0, 0.0); a.size()];
        let rhs: Vec<Complex> = residual(&a, Some(&b), &x, &zero).iter().map(|v| -v).collect();
        let solver =
            ComplexSymmetric::analyse(a.pattern(), &Symbolic::analyse(a.pattern()).unwrap(), true)
                .unwrap();
        let y = solver.factor(&a, Some(&b)).unwrap().solve(&rhs).unwrap();
        let error = x.iter().zip(&y).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
        assert!(error < 1e-10, "{error:e}");
    }

    #[test]
    fn a_single_unknown_is_solved_at_and_off_resonance() {
        let pattern = Arc::new(clique_pattern(1, [[0].as_slice()].into_iter()));
        let (mut a, mut b) =
            (SymmetricSparse::zeros(pattern.clone()), SymmetricSparse::zeros(pattern.clone()));
        b.add(0, 0, 0.5);
        let solver =
            ComplexSymmetric::analyse(&pattern, &Symbolic::analyse(&pattern).unwrap(), true)
                .unwrap();
        let rhs = [Complex::new(1.0, 2.0)];
        for stiffness in [0.0, 3.0, -1e-9] {
            a.add(0, 0, stiffness);
            let x = solver.factor(&a, Some(&b)).unwrap().solve(&rhs).unwrap()[0];
            let exact = rhs[0] / Complex::new(a.diagonal()[0], 0.5);
            assert!((x - exact).norm() < 1e-15 * exact.norm(), "{x} {exact}");
        }
        let x = solver.factor(&a, None).unwrap().solve(&rhs).unwrap()[0];
        assert!((x - rhs[0] / a.diagonal()[0]).norm() < 1e-15);
    }

    #[test]
    fn resonance_without_damping_is_singular_and_with_damping_is_not() {
        let zero = grid(2, |_, _| 0.0);
        let solver = ComplexSymmetric::analyse(
            zero.pattern(),
            &Symbolic::analyse(zero.pattern()).unwrap(),
            true,
        )
        .unwrap();
        let rhs = vec![Complex::new(1.0, 0.0); 4];
        assert!(solver.factor(&zero, None).unwrap().solve(&rhs).is_err());
        let mut damping = SymmetricSparse::zeros(zero.pattern().clone());
        for i in 0..4 {
            damping.add(i, i, 2.0);
        }
        let x = solver.factor(&zero, Some(&damping)).unwrap().solve(&rhs).unwrap();
        assert!(x.iter().all(|x| (x - Complex::new(0.0, -0.5)).norm() < 1e-15));
    }
}
