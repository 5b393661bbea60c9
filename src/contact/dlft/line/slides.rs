//! Places at which slips end, and their derivatives: what sticks remember.
//!
//! ```text
//! The place Y at which a slip ended, and its last step V, which only the first instant of a stick knows, follow
//! from where the slip of ℓ instants began, Y₋, and from what happened on the way:
//!
//!     (dY, dV) = A^ℓ (dY₋, 0) + Σ_i c_i ρ_i ,   c_i = A^(ℓ−i) (κ, ι) ,                              (1)
//!     A (y, v) = (y + κ(v − y), ι(v − y))
//!
//! Over the instants a < i ≤ b of one sign harmonic m of the input adds a geometric series, with q = e^{−imθ}
//! and the angle θ of a sample:
//!
//!     Σ c_i e^{imτ_i} = (1 − A q)⁻¹ (c_b e^{imτ_b} − c_a e^{imτ_a})                                (2)
//! ```

use std::ops::Range;

use faer::MatMut;

use super::super::super::Status;
use super::{Line, Track};
use crate::linalg::Complex;

/// What is left of an input of 1 when it no longer counts.
const FORGOTTEN: f64 = 1e-20;

/// A slip, counted on beyond the end of the period, and the stick that follows it.
struct Slide {
    slip: Range<usize>,
    stick: Range<usize>,
}

/// (1): factors of dY₋, and what the input adds to dY and dV.
struct Passage {
    factors: [f64; 2],
    place: Vec<f64>,
    step: Vec<f64>,
}

/// What stands in the brackets of (2) in one harmonic.
#[derive(Clone, Copy, Default)]
struct Ends {
    /// For λ_u,T.
    own: [Complex; 2],
    /// For λ_u,N, through the limit of friction.
    pull: [Complex; 2],
}

impl Line<'_> {
    /// dY − dV at every stick, with places that are periodic.
    pub(super) fn add_sticks(&self, track: &Track, mut out: MatMut<f64>) {
        let slides = slides(&track.status);
        let passages: Vec<Passage> =
            slides.iter().map(|slide| self.passage(&slide.slip, track)).collect();
        let mut place = vec![0.0; out.ncols()];
        let mut gain = 1.0;
        for passage in &passages {
            passage.follow(&mut place);
            gain *= passage.factors[0];
        }
        place.iter_mut().for_each(|place| *place /= 1.0 - gain);
        for (slide, passage) in slides.iter().zip(&passages) {
            let step = passage.step_after(&place);
            passage.follow(&mut place);
            let held = self.held(&slide.stick);
            let first = self.samples.basis.forward.col(self.instant(slide.stick.start));
            for (c, (place, step)) in place.iter().zip(&step).enumerate() {
                let column = out.as_mut().col_mut(c);
                let terms = column.iter_mut().zip(&held).zip(first.iter());
                terms.for_each(|((out, held), first)| *out += held * place - first * step);
            }
        }
    }

    /// Σ_j F over a stick.
    fn held(&self, stick: &Range<usize>) -> Vec<f64> {
        let n = self.samples.basis.n_samples();
        let start = self.instant(stick.start);
        let end = start + stick.len();
        let mut held = self.samples.basis.sums.weighted();
        held.add(&(start..end.min(n)), 1.0);
        held.add(&(0..end.saturating_sub(n)), 1.0);
        held.coefficients().collect()
    }

    /// The instant that an index means which may be up to one period too large; a remainder takes as long as the
    /// rest of an instant.
    fn instant(&self, j: usize) -> usize {
        if j < self.samples.basis.n_samples() { j } else { j - self.samples.basis.n_samples() }
    }

    /// (1) and (2), from the last instant of a slip to its first one.
    fn passage(&self, slip: &Range<usize>, track: &Track) -> Passage {
        let (h, n) = (self.samples.basis.n_coefficients(), self.samples.basis.n_samples());
        let n_columns = self.lambda_u.len() * h + 1;
        let (mut place, mut step) = (vec![0.0; n_columns], vec![0.0; n_columns]);
        let mut ends = vec![Ends::default(); self.samples.basis.n_harmonics()];
        let mut leave = |j: usize, impulse: [f64; 2], own: f64, pull: f64| {
            for (m, ends) in ends.iter_mut().enumerate() {
                let turn = self.samples.basis.turn(m, j);
                for c in 0..2 {
                    ends.own[c] += turn * (own * impulse[c]);
                    ends.pull[c] += turn * (pull * impulse[c]);
                }
            }
        };
        let (mut impulse, mut factors, mut pull) = ([self.kappa, self.iota], [1.0, 0.0], 0.0);
        leave(self.instant(slip.end - 1), impulse, 1.0, 0.0);
        for j in slip.clone().rev().map(|j| self.instant(j)) {
            let is_closed = track.status[j] == Status::Slip;
            let force = if is_closed { track.forces[j] } else { 0.0 };
            let own = if is_closed { self.joint.friction.copysign(force) } else { 0.0 };
            if own != pull {
                leave(j, impulse, 0.0, own - pull);
                pull = own;
            }
            place[n_columns - 1] -= impulse[0] * force;
            step[n_columns - 1] -= impulse[1] * force;
            impulse = self.free(impulse);
            factors = self.free(factors);
            if [impulse, factors].as_flattened().iter().all(|value| value.abs() < FORGOTTEN) {
                break;
            }
        }
        leave(self.instant(slip.start.checked_sub(1).unwrap_or(n - 1)), impulse, -1.0, -pull);
        let tangent = n_columns - 1 - h;
        for (m, ends) in ends.iter().enumerate() {
            let [by_own, by_normal] = [ends.own, ends.pull].map(|end| self.series(m, end));
            self.samples.basis.put(m, by_own[0], &mut place[tangent..]);
            self.samples.basis.put(m, by_own[1], &mut step[tangent..]);
            if self.has_normal {
                self.samples.basis.put(m, by_normal[0], &mut place);
                self.samples.basis.put(m, by_normal[1], &mut step);
            }
        }
        Passage { factors, place, step }
    }

    /// (1 − A q)⁻¹ of (2).
    fn series(&self, m: usize, [y, v]: [Complex; 2]) -> [Complex; 2] {
        let q = self.samples.basis.turn(m, 0).conj();
        let (kappa, iota) = (q * self.kappa, q * self.iota);
        let determinant = 1.0 - q + kappa - iota + iota * q;
        let image = [(1.0 - iota) * y + kappa * v, (1.0 - q + kappa) * v - iota * y];
        image.map(|value| value / determinant)
    }

    /// A of (1).
    fn free(&self, [y, v]: [f64; 2]) -> [f64; 2] {
        [y + self.kappa * (v - y), self.iota * (v - y)]
    }
}

impl Passage {
    /// dY of dY₋.
    fn follow(&self, place: &mut [f64]) {
        let terms = place.iter_mut().zip(&self.place);
        terms.for_each(|(place, own)| *place = self.factors[0] * *place + own);
    }

    /// dV of dY₋.
    fn step_after(&self, place: &[f64]) -> Vec<f64> {
        let terms = place.iter().zip(&self.step);
        terms.map(|(place, own)| self.factors[1] * place + own).collect()
    }
}

/// Slips and sticks in turn around the period; none if there is no stick or no slip.
fn slides(status: &[Status]) -> Vec<Slide> {
    let n = status.len();
    let sticks = |j: usize| status[if j < n { j } else { j - n }] == Status::Stick;
    let Some(origin) = (0..n).find(|j| !sticks(*j) && sticks(j + n - 1)) else { return vec![] };
    let (mut slides, mut start) = (vec![], origin);
    while start < origin + n {
        let slip = start..(start..).find(|j| sticks(*j)).unwrap_or(origin + n);
        let stick = slip.end..(slip.end..origin + n).find(|j| !sticks(*j)).unwrap_or(origin + n);
        start = stick.end;
        slides.push(Slide { slip, stick });
    }
    slides
}
