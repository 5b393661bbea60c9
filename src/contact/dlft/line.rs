//! The march of a pair with at most one tangential direction, where most of it is known in closed form.
//!
//! ```text
//! Displacements are scaled to forces: y = kx is the force of the spring at place x, v = IΔ the force of inertia of
//! the last step; κ = k/D, ι = I/D.
//!
//! Rest. Under slow loading y stays within λ_u ± L at all instants, if that is possible at all:
//!
//!     lo = max_j (λ_u − L) ≤ hi = min_j (λ_u + L) :   y = clamp(0, lo, hi)                        (1)
//!
//! Otherwise the pair slips in every period. Let e be the excess of the force that would hold it over the limit,
//!
//!     e = λ_u + v − y ∓ L ,   slip   λ = ±L ,   y ← y + κe ,   v ← ιe                               (2)
//!                             stick  λ = λ_u + v − y ,  v ← 0
//!
//! so that λ_x = λ_u − λ has the derivatives, with s the sign of the slip,
//!
//!     slip, open     dλ_x = ρ = dλ_u − s dL                                                      (3)
//!     stick          dλ_x = dY − dV                                                            (4)
//!
//! with the place Y at which the last slip ended, and its last step V (`slides`).
//! ```
//!
//! So the derivative needs a scalar recursion for every slip that ends, and products
//! of transforms over runs of instants (`sums`): nothing is carried column by column through the period.
//! With no stick there is no (4), and the places drop out altogether.

mod slides;

use std::ops::Range;

use faer::{ColMut, Mat};

use super::super::{Joint, Local, MAX_DIRECTIONS, March, Samples, Status};
use super::{CYCLE, MAX_PERIODS, NEWTON_PERIODS, TOL_PERIODIC};

/// Signals are searched so many instants at a time.
const LANES: usize = 8;

/// Marches λ_u over the period; the result is λ_x.
pub(super) fn march(
    joint: &Joint,
    local: &Local,
    lambda_u: Vec<Vec<f64>>,
    samples: Samples,
    wants_derivative: bool,
) -> March {
    let line = Line::new(joint, local, &lambda_u, samples);
    let opens = line.opens;
    let (track, derivative) = match line.rest() {
        Some(rest) => (line.stay(&rest), wants_derivative.then(|| line.rest_derivative(&rest))),
        None => {
            let track = line.periodic();
            let derivative = wants_derivative.then(|| line.derivative(&track));
            (track, derivative)
        }
    };
    finish(joint, local, lambda_u, opens, track, derivative)
}

struct Line<'a> {
    joint: &'a Joint,
    lambda_u: &'a [Vec<f64>],
    samples: Samples<'a>,
    has_normal: bool,
    /// L at every instant.
    limits: Vec<f64>,
    opens: bool,
    kappa: f64,
    iota: f64,
}

/// λ, y and status of every instant.
struct Track {
    forces: Vec<f64>,
    places: Vec<f64>,
    status: Vec<Status>,
    is_periodic: bool,
    /// y of a pair that stays.
    rest: Option<f64>,
}

/// y of a pair that stays; and, unless it stays at zero, the instant and the sign of the friction that have
/// brought it there.
struct Rest {
    force: f64,
    moved: Option<(usize, f64)>,
}

/// y and v at the ends of a period.
#[derive(Clone, Copy, Default)]
struct State {
    y: f64,
    v: f64,
}

/// End of a period with its derivatives by (y, v) of the start.
struct Lap {
    end: State,
    dy: [f64; 2],
    dv: [f64; 2],
}

impl<'a> Line<'a> {
    fn new(
        joint: &'a Joint,
        local: &Local,
        lambda_u: &'a [Vec<f64>],
        samples: Samples<'a>,
    ) -> Self {
        let has_normal = joint.rows.normal.is_some();
        let (limits, opens) = match has_normal {
            true => {
                let normal = &lambda_u[0];
                let pressure = normal.iter().map(|l| (joint.preload - l).max(0.0));
                let highest = largest(normal, normal, |l, _| l);
                (pressure.map(|n| joint.friction * n).collect(), joint.preload <= highest)
            }
            false => {
                let n = samples.basis.n_samples();
                (vec![joint.friction * joint.preload; n], joint.preload <= 0.0)
            }
        };
        let [kappa, iota] = [local.stiffness, local.inertia].map(|f| f / local.step_stiffness());
        Self { joint, lambda_u, samples, has_normal, limits, opens, kappa, iota }
    }

    /// λ_u along the face.
    fn tangential(&self) -> Option<&'a [f64]> {
        self.lambda_u.get(usize::from(self.has_normal)).map(Vec::as_slice)
    }

    /// (1)
    fn rest(&self) -> Option<Rest> {
        let Some(lambda_u) = self.tangential() else {
            return Some(Rest { force: 0.0, moved: None });
        };
        if self.opens {
            return None;
        }
        let low = largest(lambda_u, &self.limits, |lambda, limit| lambda - limit);
        let high = -largest(lambda_u, &self.limits, |lambda, limit| -lambda - limit);
        let at = |force: f64, sign: f64| {
            let mut instants = lambda_u.iter().zip(&self.limits);
            instants.position(|(l, limit)| l - sign * limit == force).map(|j| (j, sign))
        };
        match low <= high {
            false => None,
            _ if low > 0.0 => Some(Rest { force: low, moved: at(low, 1.0) }),
            _ if high < 0.0 => Some(Rest { force: high, moved: at(high, -1.0) }),
            true => Some(Rest { force: 0.0, moved: None }),
        }
    }

    fn stay(&self, rest: &Rest) -> Track {
        let n = self.samples.basis.n_samples();
        let lambda_u = self.tangential().unwrap_or_default();
        let mut track = Track {
            forces: lambda_u.iter().map(|lambda| lambda - rest.force).collect(),
            places: vec![rest.force; n],
            status: vec![Status::Stick; n],
            is_periodic: true,
            rest: Some(rest.force),
        };
        self.mark_open(&mut track.status);
        track
    }

    /// Only the mean of λ_x depends on the input; and the normal force where the pair opens.
    fn rest_derivative(&self, rest: &Rest) -> Mat<f64> {
        let h = self.samples.basis.n_coefficients();
        let mut result = self.empty_derivative();
        let tangent = if self.has_normal { h } else { 0 };
        if let Some((j, sign)) = rest.moved {
            let by_pressure = sign * self.joint.friction;
            for (c, value) in self.samples.basis.inverse[j].iter().enumerate() {
                result[(tangent, tangent + c)] = *value;
                if self.has_normal {
                    result[(tangent, c)] = by_pressure * value;
                }
            }
            let last = result.ncols() - 1;
            result[(tangent, last)] = -sign * self.limits[j];
        }
        self.add_opening(&mut result);
        result
    }

    fn empty_derivative(&self) -> Mat<f64> {
        let n = self.lambda_u.len() * self.samples.basis.n_coefficients();
        Mat::zeros(n, n + 1)
    }

    /// λ_x,N = −P where the pair is open, so that dλ_x,N = dλ_u,N there.
    fn add_opening(&self, result: &mut Mat<f64>) {
        if !(self.opens && self.has_normal) {
            return;
        }
        let h = self.samples.basis.n_coefficients();
        let mut open = self.samples.basis.sums.weighted();
        for run in runs(self.samples.basis.n_samples(), |j| self.is_open(j)) {
            if self.is_open(run.start) {
                open.add(&run, 1.0);
            }
        }
        open.add_product(result.as_mut().submatrix_mut(0, 0, h, h));
    }

    /// The period that ends as it began.
    fn periodic(&self) -> Track {
        let n = self.samples.basis.n_samples();
        let lambda_u = self.tangential().unwrap_or_default();
        let scale =
            largest(lambda_u, &self.limits, |lambda, _| lambda.abs()).max(self.joint.preload);
        let mut track = Track {
            forces: vec![0.0; n],
            places: vec![0.0; n],
            status: vec![Status::Stick; n],
            is_periodic: false,
            rest: None,
        };
        let mut start = State::default();
        let mut before = None;
        for i in 0..MAX_PERIODS {
            let lap = self.lap(lambda_u, start, before, &mut track);
            let mismatch = (lap.end.y - start.y).abs().max((lap.end.v - start.v).abs());
            track.is_periodic = mismatch <= TOL_PERIODIC * scale;
            if track.is_periodic {
                break;
            }
            start = match i % CYCLE < NEWTON_PERIODS {
                true => lap.newton(start),
                false => lap.end,
            };
            before = Some(lap.end);
        }
        self.mark_open(&mut track.status);
        track
    }

    /// One period of (2). It goes on as the period before, which `track` holds, from where it has met it: both are
    /// in the same place at two instants in turn, so that the steps between them are equal too.
    fn lap(&self, lambda_u: &[f64], start: State, before: Option<State>, track: &mut Track) -> Lap {
        let (kappa, iota) = (self.kappa, self.iota);
        let (mut y, mut dy, mut dv) = (start.y, [1.0, 0.0], [0.0, 1.0]);
        // v − y: the longest chain of operations of an instant leads from here to here.
        let mut reach = start.v - start.y;
        let mut meets = 0;
        let Track { forces, places, status, .. } = track;
        let inputs = lambda_u.iter().zip(&self.limits);
        let outputs = forces.iter_mut().zip(places).zip(status);
        for ((lambda, limit), ((force, place), status)) in inputs.zip(outputs) {
            let (above, below) = (reach + (lambda - limit), reach + (lambda + limit));
            if above < 0.0 && below > 0.0 {
                (*force, *status) = (reach + lambda, Status::Stick);
                reach = -y;
                dv = [0.0; 2];
            } else {
                let is_forward = above >= 0.0;
                let excess = if is_forward { above } else { below };
                (*force, *status) = (if is_forward { *limit } else { -limit }, Status::Slip);
                reach = (iota - kappa) * excess - y;
                y += kappa * excess;
                for (dy, dv) in dy.iter_mut().zip(&mut dv) {
                    let excess = *dv - *dy;
                    *dy += kappa * excess;
                    *dv = iota * excess;
                }
            }
            meets = if *place == y { meets + 1 } else { 0 };
            *place = y;
            if let (2, Some(end)) = (meets, before) {
                return Lap { end, dy: [0.0; 2], dv: [0.0; 2] };
            }
        }
        Lap { end: State { y, v: reach + y }, dy, dv }
    }

    /// (3) and (4).
    fn derivative(&self, track: &Track) -> Mat<f64> {
        let h = self.samples.basis.n_coefficients();
        let mut result = self.empty_derivative();
        self.add_opening(&mut result);
        let tangent = if self.has_normal { h } else { 0 };
        let (mut moving, mut pulled) =
            (self.samples.basis.sums.weighted(), self.samples.basis.sums.weighted());
        for run in
            runs(self.samples.basis.n_samples(), |j| (track.status[j], track.forces[j].signum()))
        {
            let status = track.status[run.start];
            if status != Status::Stick {
                moving.add(&run, 1.0);
            }
            if status == Status::Slip {
                pulled.add(&run, self.joint.friction.copysign(track.forces[run.start]));
            }
        }
        moving.add_product(result.as_mut().submatrix_mut(tangent, tangent, h, h));
        if self.has_normal {
            pulled.add_product(result.as_mut().submatrix_mut(tangent, 0, h, h));
        }
        let mut rows = result.as_mut().subrows_mut(tangent, h);
        let last = rows.ncols() - 1;
        self.add_friction(track, rows.as_mut().col_mut(last));
        self.add_sticks(track, rows);
        result
    }

    /// The column of a factor of μ where the pair slips: −sL.
    fn add_friction(&self, track: &Track, out: ColMut<f64>) {
        let of = |(force, status): (&f64, &Status)| match status {
            Status::Slip => -force,
            Status::Stick | Status::Open => 0.0,
        };
        let pulls: Vec<f64> = track.forces.iter().zip(&track.status).map(of).collect();
        let terms = out.iter_mut().zip(self.samples.basis.to_harmonics(&pulls));
        terms.for_each(|(out, term)| *out += term);
    }

    fn mark_open(&self, status: &mut [Status]) {
        if self.opens {
            let open = status.iter_mut().enumerate().filter(|(j, _)| self.is_open(*j));
            open.for_each(|(_, status)| *status = Status::Open);
        }
    }

    /// Whether P ≤ 0 at an instant.
    fn is_open(&self, j: usize) -> bool {
        self.joint.preload <= if self.has_normal { self.lambda_u[0][j] } else { 0.0 }
    }
}

/// λ, opening and slip of both directions.
fn finish(
    joint: &Joint,
    local: &Local,
    lambda_u: Vec<Vec<f64>>,
    opens: bool,
    track: Track,
    derivative: Option<Mat<f64>>,
) -> March {
    let Track { forces: friction, places: mut slip, status, is_periodic, rest } = track;
    let (mut forces, mut motion, mut steady) = (lambda_u, vec![], [None; MAX_DIRECTIONS]);
    if joint.rows.normal.is_some() {
        let mut opening = vec![0.0; status.len()];
        if opens {
            let (preload, give) = (joint.preload, 1.0 / local.normal);
            for (opening, force) in opening.iter_mut().zip(&mut forces[0]) {
                *opening = give * (*force - preload).max(0.0);
                *force = force.min(preload);
            }
        } else {
            steady[0] = Some(0.0);
        }
        motion.push(opening);
    }
    if let Some(force) = forces.get_mut(motion.len()) {
        *force = friction;
        steady[motion.len()] = rest;
        slip.iter_mut().for_each(|place| *place /= local.stiffness);
        motion.push(slip);
    }
    March { forces, motion, status, is_periodic, steady, derivative }
}

impl Lap {
    /// The start from which it would have ended as it began.
    fn newton(&self, start: State) -> State {
        let (a, b, c, d) = (1.0 - self.dy[0], -self.dy[1], -self.dv[0], 1.0 - self.dv[1]);
        let (y, v) = (self.end.y - start.y, self.end.v - start.v);
        let determinant = a * d - b * c;
        let y_next = start.y + (d * y - b * v) / determinant;
        let v_next = start.v + (a * v - c * y) / determinant;
        let is_finite = y_next.is_finite() && v_next.is_finite();
        if is_finite { State { y: y_next, v: v_next } } else { self.end }
    }
}

/// Largest value of a function of two signals, several instants at once.
fn largest(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    let mut found = [f64::NEG_INFINITY; LANES];
    let ((a, a_last), (b, b_last)) = (a.as_chunks(), b.as_chunks());
    let mut raise = |lane: usize, value: f64| {
        if value > found[lane] {
            found[lane] = value;
        }
    };
    for (a, b) in a.iter().zip(b) {
        let (a, b): (&[f64; LANES], &[f64; LANES]) = (a, b);
        (0..LANES).for_each(|lane| raise(lane, of(a[lane], b[lane])));
    }
    a_last.iter().zip(b_last).for_each(|(a, b)| raise(0, of(*a, *b)));
    found.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Maximal runs of instants of one kind.
fn runs<K: PartialEq>(
    count: usize,
    kind: impl Fn(usize) -> K,
) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let first = (start < count).then(|| kind(start))?;
        let end = (start..count).find(|j| kind(*j) != first).unwrap_or(count);
        let run = start..end;
        start = end;
        Some(run)
    })
}
