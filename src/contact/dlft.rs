//! Exact contact and friction by the dynamic Lagrangian frequency-time method (DLFT).
//!
//! ```text
//! λ = λ_u − λ_x with λ_u = f_r − Z u + ε(u + g) known from the iterate and λ_x = ε x built here, so that
//! x and λ obey the laws. At instant j, with p = λ_u,T − λ_x,T of the instant before (stick assumed)
//! and L = μ(N₀ − λ_u,N):
//!
//!     apart   λ_u,N ≥ N₀ :        λ_x,N = λ_u,N − N₀ ,   λ_x,T = λ_u,T                     (1)
//!     stick   ‖p‖ < L :           λ_x,N = 0 ,            λ_x,T as before                   (2)
//!     slip    ‖p‖ ≥ L :           λ_x,N = 0 ,            λ_x,T += p (1 − L/‖p‖)             (3)
//!
//! Their derivatives (Tubita 2023, A.13–A.21, corrected in the project's digest, section 5.5):
//!
//!     slip    dλ_x = dλ_x⁻ + dp (1 − L/‖p‖) − (p/‖p‖) dL + L p (p·dp)/‖p‖³                   (4)
//!
//! As a way to a start (1)–(3) can be rounded to one smooth law with a sharpness n:
//!
//!     λ_x,T += p (1 − w) ,   w = (1 + qⁿ)^(−1/n) ,  q = ‖p‖/L ,                             (5)
//!     N = (P + √(P² + (2s/n)²))/2 ,   P = N₀ − λ_u,N ,   L = μN ,   λ_x,N = N − P           (6)
//!
//! with a force s; the limits for n → ∞ are w = min(1, 1/q) and N = max(0, P).
//! ```
//!
//! The march starts with λ_x,T = 0, the position at which the faces were pressed together, and is repeated
//! from where it ended until a period ends as it began. A pair that never slips keeps its start.
// Instants and directions index several lists at once.
#![allow(clippy::needless_range_loop)]

use super::{Collector, Joint, March, Memory, Samples, Status};

const MAX_PERIODS: usize = 20;
const TOL_PERIODIC: f64 = 1e-13;

/// Marches λ_u over the period; the result is λ_x.
pub(super) fn march(
    joint: &Joint,
    lambda_u: &[Vec<f64>],
    samples: Samples,
    wants_derivative: bool,
) -> March {
    let n_columns = joint.n_directions() * samples.n_coefficients() + 1;
    let has_normal = joint.rows.normal.is_some();
    let scale = lambda_u.iter().flatten().fold(joint.preload, |m, v| m.max(v.abs()));
    let mut memory = Memory::new(n_columns);
    // With one tangential direction the exact law forgets what was before a slip: its derivative at the
    // beginning of a period follows from the statuses of the period before.
    let n_tangents = joint.rows.tangents.len();
    let forgets = n_tangents == 1 && joint.sharpness.is_infinite();
    let mut period = Period {
        joint,
        lambda_u,
        samples,
        normal: has_normal.then_some(0),
        tangent: usize::from(has_normal),
        wants_derivative: wants_derivative && !forgets,
    };
    let mut is_periodic = n_tangents == 0;
    for _ in 0..MAX_PERIODS {
        if is_periodic {
            break;
        }
        let before = memory.value;
        let last = period.run(&mut memory, None);
        if wants_derivative && forgets {
            period.reset_derivative(&mut memory, &last);
        }
        let change = (0..2).map(|t| (memory.value[t] - before[t]).abs()).fold(0.0, f64::max);
        is_periodic = change <= TOL_PERIODIC * scale;
    }
    period.wants_derivative = wants_derivative;
    let mut collector =
        wants_derivative.then(|| Collector::new(joint.n_directions(), samples.n_coefficients()));
    let Marched { values, status } = period.run(&mut memory, collector.as_mut());
    March { values, status, derivative: collector.map(|c| c.matrix) }
}

/// w of (5) and −q w', −q² w'.
struct Corner {
    share: f64,
    fall: f64,
    slide: f64,
}

impl Corner {
    fn new(q: f64, sharpness: f64) -> Self {
        if sharpness.is_infinite() || q.is_infinite() {
            let share = if q > 1.0 { 1.0 / q } else { 1.0 };
            return Self { share, fall: share, slide: 1.0 };
        }
        // The smaller of q and 1/q, so that no power overflows.
        let (small, is_above) = if q > 1.0 { (1.0 / q, true) } else { (q, false) };
        let power = small.powf(sharpness);
        let root = (1.0 + power).powf(-1.0 / sharpness);
        let share = if is_above { small * root } else { root };
        // −q w' = w qⁿ/(1 + qⁿ).
        let fraction = if is_above { 1.0 / (1.0 + power) } else { power / (1.0 + power) };
        let fall = share * fraction;
        Self { share, fall, slide: q * fall }
    }
}

struct Period<'a> {
    joint: &'a Joint,
    lambda_u: &'a [Vec<f64>],
    samples: Samples<'a>,
    normal: Option<usize>,
    /// First tangential direction.
    tangent: usize,
    wants_derivative: bool,
}

/// Normal force with its derivative by P.
struct Pressure {
    raw: f64,
    value: f64,
    slope: f64,
}

struct Marched {
    values: Vec<Vec<f64>>,
    status: Vec<Status>,
}

impl Period<'_> {
    /// Normal force at an instant, (6).
    fn pressure(&self, j: usize) -> Pressure {
        let raw = self.joint.preload - self.normal.map_or(0.0, |n| self.lambda_u[n][j]);
        let rounding = 2.0 * self.joint.force_scale / self.joint.sharpness;
        if rounding == 0.0 || self.normal.is_none() {
            let is_closed = raw > 0.0;
            return Pressure { raw, value: raw.max(0.0), slope: f64::from(u8::from(is_closed)) };
        }
        let root = raw.hypot(rounding);
        Pressure { raw, value: 0.5 * (raw + root), slope: 0.5 * (1.0 + raw / root) }
    }

    fn run(&self, memory: &mut Memory, mut collector: Option<&mut Collector>) -> Marched {
        let n_tangents = self.joint.rows.tangents.len();
        let mut values = vec![vec![0.0; self.samples.count]; self.lambda_u.len()];
        let mut status = Vec::with_capacity(self.samples.count);
        for j in 0..self.samples.count {
            let pressure = self.pressure(j);
            let state = if pressure.value <= 0.0 {
                self.open(j, memory)
            } else {
                self.closed(j, &pressure, memory)
            };
            if let Some(normal) = self.normal {
                values[normal][j] = pressure.value - pressure.raw;
            }
            for t in 0..n_tangents {
                values[self.tangent + t][j] = memory.value[t];
            }
            status.push(state);
            if let Some(collector) = collector.as_deref_mut() {
                self.collect(j, &pressure, memory, collector);
            }
        }
        Marched { values, status }
    }

    fn collect(&self, j: usize, pressure: &Pressure, memory: &Memory, collector: &mut Collector) {
        let (forward, inverse) = (&self.samples.forward[j], &self.samples.inverse[j]);
        if let Some(normal) = self.normal.filter(|_| pressure.slope != 1.0) {
            collector.add_harmonics(normal, forward, normal, inverse, 1.0 - pressure.slope);
        }
        for t in 0..self.joint.rows.tangents.len() {
            collector.add(self.tangent + t, forward, &memory.derivative[t]);
        }
    }

    /// (1)
    fn open(&self, j: usize, memory: &mut Memory) -> Status {
        for t in 0..self.joint.rows.tangents.len() {
            memory.value[t] = self.lambda_u[self.tangent + t][j];
            if self.wants_derivative {
                memory.derivative[t].fill(0.0);
                self.add_input(&mut memory.derivative[t], self.tangent + t, j, 1.0);
            }
        }
        Status::Open
    }

    /// (2) or (3)
    fn closed(&self, j: usize, pressure: &Pressure, memory: &mut Memory) -> Status {
        let n_tangents = self.joint.rows.tangents.len();
        let mut p = [0.0; 2];
        for t in 0..n_tangents {
            p[t] = self.lambda_u[self.tangent + t][j] - memory.value[t];
        }
        let norm = p[0].hypot(p[1]);
        let limit = self.joint.friction * pressure.value;
        let is_exact = self.joint.sharpness.is_infinite();
        if (is_exact && norm < limit) || n_tangents == 0 || norm == 0.0 {
            return Status::Stick;
        }
        let corner = Corner::new(norm / limit, self.joint.sharpness);
        if self.wants_derivative {
            let friction = self.joint.friction * pressure.slope;
            self.differentiate_slip(j, p.map(|p| p / norm), [friction, limit], &corner, memory);
        }
        for t in 0..n_tangents {
            memory.value[t] += p[t] * (1.0 - corner.share);
        }
        match pressure.raw <= 0.0 {
            true => Status::Open,
            false if norm < limit => Status::Stick,
            false => Status::Slip,
        }
    }

    /// (4), or the derivative of (5).
    fn differentiate_slip(
        &self,
        j: usize,
        direction: [f64; 2],
        [friction, limit]: [f64; 2],
        corner: &Corner,
        memory: &mut Memory,
    ) {
        let n_tangents = self.joint.rows.tangents.len();
        // dλ_x = dλ_x⁻ + A dp − slide · direction dL with A = (1 − share) + fall · direction directionᵀ.
        let weight = |t: usize, s: usize| {
            f64::from(u8::from(t == s)) * (1.0 - corner.share)
                + corner.fall * direction[t] * direction[s]
        };
        let old = memory.derivative.clone();
        for t in 0..n_tangents {
            let out = &mut memory.derivative[t];
            for (s, old) in old.iter().enumerate().take(n_tangents) {
                let factor = weight(t, s);
                out.iter_mut().zip(old).for_each(|(out, old)| *out -= factor * old);
                self.add_input(out, self.tangent + s, j, factor);
            }
            if let Some(normal) = self.normal {
                let factor = direction[t] * corner.slide * friction;
                self.add_input(out, normal, j, factor);
            }
            let last = out.len() - 1;
            out[last] -= direction[t] * corner.slide * limit;
        }
    }

    /// Adds weight · ∂λ_u(direction, j).
    fn add_input(&self, out: &mut [f64], direction: usize, j: usize, weight: f64) {
        let inverse = &self.samples.inverse[j];
        let first = direction * inverse.len();
        out[first..].iter_mut().zip(inverse).for_each(|(out, value)| *out += weight * value);
    }

    /// With one tangential direction, slip and separation forget what was before: the derivative at the
    /// end of a period is that of its last such instant.
    fn reset_derivative(&self, memory: &mut Memory, last: &Marched) {
        memory.derivative[0].fill(0.0);
        let Some(j) = last.status.iter().rposition(|status| *status != Status::Stick) else {
            return;
        };
        self.add_input(&mut memory.derivative[0], self.tangent, j, 1.0);
        if last.status[j] == Status::Slip {
            let pressure = self.pressure(j).value;
            let sign = (self.lambda_u[self.tangent][j] - memory.value[0]).signum();
            if let Some(normal) = self.normal {
                let weight = sign * self.joint.friction;
                self.add_input(&mut memory.derivative[0], normal, j, weight);
            }
            let end = memory.derivative[0].len() - 1;
            memory.derivative[0][end] -= sign * self.joint.friction * pressure;
        }
    }
}
