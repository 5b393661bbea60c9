//! Numbers that say how far two curves, loops or shapes are from each other.
//!
//! ```text
//! Measured m, predicted p at the same places:
//!
//!     FRAC = |Σ m* p|² / (Σ|m|² Σ|p|²) ,                shape only                            (1)
//!     FAAC = 2 |Σ m* p| / (Σ|m|² + Σ|p|²) ,             shape and size                        (2)
//!     NRMSE = √( Σ|p − m|² / Σ|m|² )                                                          (3)
//!     MAC  = |φ_mᵀ φ_p|² / (φ_mᵀφ_m φ_pᵀφ_p)                                                  (4)
//!
//! Damping of a peak: half-power points f₁, f₂ with |H| = |H|_max/√2 give ζ = (f₂ − f₁)/(2 f_r). Circle fit
//! (Kennedy and Pancu 1947; Ewins 2000): near a resonance H = B + A/(ω_r² − ω² + iηω_r²) is a circle, on which
//! the angle around its centre runs as
//!
//!     γ(ω) = γ_r + s 2 arctan((ω² − ω_r²)/(ηω_r²)) ,    ζ = η/2 ,                             (5)
//!
//! fitted for γ_r, ω_r, η; s is the sense in which the circle is run through.
//!
//! Loops: area by the shoelace rule; shape distance: both loops centred and divided by their own half
//! widths, mean distance of the points of each to the other.
//! ```

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use num_complex::Complex64;

/// A resonance peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Where.
    pub frequency: f64,
    /// How high.
    pub amplitude: f64,
}

/// The highest point.
fn top(amplitude: &[f64]) -> Option<usize> {
    (0..amplitude.len()).max_by(|a, b| amplitude[*a].total_cmp(&amplitude[*b]))
}

/// The highest point, refined by the parabola through it and its neighbours; none if it is an end of the
/// curve, beyond which amplitudes may still grow.
pub fn peak(frequency: &[f64], amplitude: &[f64]) -> Option<Peak> {
    let top = top(amplitude).filter(|top| *top > 0 && top + 1 < amplitude.len())?;
    let plain = Peak { frequency: frequency[top], amplitude: amplitude[top] };
    let [x, y] = [frequency, amplitude].map(|v| [v[top - 1] - v[top], v[top + 1] - v[top]]);
    let curvature = (y[1] / x[1] - y[0] / x[0]) / (x[1] - x[0]);
    let slope = y[0] / x[0] - curvature * x[0];
    if curvature.is_nan() || curvature >= 0.0 || x[0] * x[1] >= 0.0 {
        return Some(plain);
    }
    let shift = (-slope / (2.0 * curvature)).clamp(x[0].min(x[1]), x[0].max(x[1]));
    let amplitude = plain.amplitude + shift * (slope + curvature * shift);
    Some(Peak { frequency: plain.frequency + shift, amplitude })
}

/// Damping ratio from the half-power points around the highest point; none if the curve does not fall to
/// them on both sides.
pub fn half_power(frequency: &[f64], amplitude: &[f64]) -> Option<f64> {
    let found = peak(frequency, amplitude)?;
    let level = found.amplitude / 2f64.sqrt();
    let top = top(amplitude)?;
    let crossing = |i: usize, j: usize| {
        let t = (level - amplitude[i]) / (amplitude[j] - amplitude[i]);
        frequency[i] + t * (frequency[j] - frequency[i])
    };
    let before = (0..top).rev().find(|i| amplitude[*i] < level)?;
    let after = (top + 1..amplitude.len()).find(|i| amplitude[*i] < level)?;
    Some((crossing(after - 1, after) - crossing(before, before + 1)) / (2.0 * found.frequency))
}

/// Damping ratio from the circle that displacement over force describes near its peak, (5).
pub fn circle_fit(frequency: &[f64], response: &[Complex64]) -> Option<f64> {
    let amplitude: Vec<f64> = response.iter().map(|v| v.norm()).collect();
    let top = top(&amplitude)?;
    let level = 0.4 * amplitude[top];
    let first = (0..top).rev().find(|i| amplitude[*i] < level).map_or(0, |i| i + 1);
    let last = (top..amplitude.len()).find(|i| amplitude[*i] < level).unwrap_or(amplitude.len());
    let near: Vec<usize> = (first..last).collect();
    if near.len() < 5 {
        return None;
    }
    let centre =
        circle_centre(&near.iter().map(|i| response[*i] / amplitude[top]).collect::<Vec<_>>())?;
    let mut angles: Vec<f64> =
        near.iter().map(|i| (response[*i] / amplitude[top] - centre).arg()).collect();
    for i in 1..angles.len() {
        let turns = ((angles[i] - angles[i - 1]) / std::f64::consts::TAU).round();
        angles[i] -= turns * std::f64::consts::TAU;
    }
    let squares: Vec<f64> = near.iter().map(|i| (frequency[*i] / frequency[top]).powi(2)).collect();
    fit_angles(&squares, &angles).map(|loss| 0.5 * loss)
}

/// Centre of the circle through points, by algebraic least squares (Kåsa 1976).
fn circle_centre(points: &[Complex64]) -> Option<Complex64> {
    let rows = DMatrix::from_fn(points.len(), 3, |i, j| [points[i].re, points[i].im, 1.0][j]);
    let right = DVector::from_fn(points.len(), |i, _| points[i].norm_sqr());
    let solution = rows.svd(true, true).solve(&right, 1e-12).ok()?;
    Some(Complex64::new(0.5 * solution[0], 0.5 * solution[1]))
}

/// η of (5) by Gauss–Newton with step control, from squares of frequency relative to about ω_r².
fn fit_angles(squares: &[f64], angles: &[f64]) -> Option<f64> {
    let n = squares.len();
    let sense = (angles[n - 1] - angles[0]).signum();
    let middle = 0.5 * (angles[0] + angles[n - 1]);
    let nearest = (0..n)
        .min_by(|a, b| (angles[*a] - middle).abs().total_cmp(&(angles[*b] - middle).abs()))?;
    let spread = (squares[n - 1] - squares[0]) / 4.0;
    let mut x = Vector3::new(angles[nearest], squares[nearest], spread);
    let residual = |x: &Vector3<f64>, i: usize| {
        x[0] + sense * 2.0 * ((squares[i] - x[1]) / (x[2] * x[1])).atan() - angles[i]
    };
    let cost = |x: &Vector3<f64>| (0..n).map(|i| residual(x, i).powi(2)).sum::<f64>();
    for _ in 0..100 {
        let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
        for (i, square) in squares.iter().enumerate() {
            let q = (square - x[1]) / (x[2] * x[1]);
            let d = sense * 2.0 / (1.0 + q * q);
            let row = Vector3::new(1.0, -d * square / (x[2] * x[1] * x[1]), -d * q / x[2]);
            normal += row * row.transpose();
            right -= row * residual(&x, i);
        }
        let step = normal.lu().solve(&right)?;
        let mut scale = 1.0;
        while scale > 1e-6 {
            let next = x + step * scale;
            if next[2] > 0.0 && next[1] > 0.0 && cost(&next) <= cost(&x) {
                break;
            }
            scale *= 0.5;
        }
        x += step * scale;
        if (step * scale).norm() < 1e-12 * x.norm() {
            break;
        }
    }
    (x[2].is_finite() && x[2] > 0.0).then_some(x[2])
}

/// (1).
pub fn frac(measured: &[Complex64], predicted: &[Complex64]) -> f64 {
    let (cross, m, p) = products(measured, predicted);
    cross.norm_sqr() / (m * p)
}

/// (2).
pub fn faac(measured: &[Complex64], predicted: &[Complex64]) -> f64 {
    let (cross, m, p) = products(measured, predicted);
    2.0 * cross.norm() / (m + p)
}

/// (3).
pub fn nrmse(measured: &[Complex64], predicted: &[Complex64]) -> f64 {
    let difference: f64 = measured.iter().zip(predicted).map(|(m, p)| (p - m).norm_sqr()).sum();
    let size: f64 = measured.iter().map(|m| m.norm_sqr()).sum();
    (difference / size).sqrt()
}

fn products(measured: &[Complex64], predicted: &[Complex64]) -> (Complex64, f64, f64) {
    let cross = measured.iter().zip(predicted).map(|(m, p)| m.conj() * p).sum();
    let size = |values: &[Complex64]| values.iter().map(|v| v.norm_sqr()).sum();
    (cross, size(measured), size(predicted))
}

/// (4).
pub fn mac(measured: &[f64], predicted: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(measured, predicted).powi(2) / (dot(measured, measured) * dot(predicted, predicted))
}

/// Area inside a closed loop, positive if it is run through clockwise, as work that friction takes up.
pub fn loop_area(points: &[[f64; 2]]) -> f64 {
    let n = points.len();
    let cross = |i: usize| {
        let (a, b) = (points[i], points[(i + 1) % n]);
        a[0] * b[1] - b[0] * a[1]
    };
    -0.5 * (0..n).map(cross).sum::<f64>()
}

/// Half widths of a loop along both axes.
pub fn half_widths(points: &[[f64; 2]]) -> [f64; 2] {
    let (low, high) = bounds(points);
    [0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1])]
}

fn bounds(points: &[[f64; 2]]) -> ([f64; 2], [f64; 2]) {
    let ends = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    points.iter().fold(ends, |(low, high), p| {
        ([low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])])
    })
}

/// Mean distance of two loops after each is centred and scaled to half widths of 1.
pub fn loop_distance(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let (a, b) = (unit_loop(a), unit_loop(b));
    0.5 * (mean_distance(&a, &b) + mean_distance(&b, &a))
}

fn unit_loop(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let (low, high) = bounds(points);
    let scaled = |p: &[f64; 2], axis: usize| {
        let half = 0.5 * (high[axis] - low[axis]);
        let from_middle = p[axis] - 0.5 * (high[axis] + low[axis]);
        if half > 0.0 { from_middle / half } else { 0.0 }
    };
    points.iter().map(|p| [scaled(p, 0), scaled(p, 1)]).collect()
}

/// Mean distance of points to a closed polygon.
fn mean_distance(points: &[[f64; 2]], polygon: &[[f64; 2]]) -> f64 {
    let to_side = |p: &[f64; 2], i: usize| {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        let (d, r) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
        let length = d[0] * d[0] + d[1] * d[1];
        let t =
            if length > 0.0 { ((r[0] * d[0] + r[1] * d[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
        (r[0] - t * d[0]).hypot(r[1] - t * d[1])
    };
    let nearest =
        |p: &[f64; 2]| (0..polygon.len()).map(|i| to_side(p, i)).fold(f64::INFINITY, f64::min);
    points.iter().map(nearest).sum::<f64>() / points.len().max(1) as f64
}

/// Straight lines between points that ascend; none outside.
pub fn interpolate(x: &[f64], y: &[Complex64], at: f64) -> Option<Complex64> {
    let next = x.partition_point(|v| *v < at);
    if next < x.len() && x[next] == at {
        return Some(y[next]);
    }
    if next == 0 || next == x.len() {
        return None;
    }
    let t = (at - x[next - 1]) / (x[next] - x[next - 1]);
    Some(y[next - 1] * (1.0 - t) + y[next] * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One mass: 1/(k − mω² + icω) with f_r = 50 Hz.
    fn oscillator(zeta: f64, frequencies: &[f64]) -> Vec<Complex64> {
        let at = |f: &f64| {
            let r = f / 50.0;
            1e-6 / Complex64::new(1.0 - r * r, 2.0 * zeta * r)
        };
        frequencies.iter().map(at).collect()
    }

    fn grid(from: f64, to: f64, n: usize) -> Vec<f64> {
        (0..n).map(|i| from + (to - from) * i as f64 / (n - 1) as f64).collect()
    }

    #[test]
    fn damping_of_an_oscillator_is_recovered() {
        for zeta in [0.002, 0.01, 0.05] {
            let f = grid(50.0 * (1.0 - 6.0 * zeta), 50.0 * (1.0 + 6.0 * zeta), 201);
            let h = oscillator(zeta, &f);
            let amplitude: Vec<f64> = h.iter().map(|v| v.norm()).collect();
            let half = half_power(&f, &amplitude).unwrap();
            assert!((half / zeta - 1.0).abs() < 0.02, "half power {half} of {zeta}");
            let circle = circle_fit(&f, &h).unwrap();
            assert!((circle / zeta - 1.0).abs() < 0.01, "circle {circle} of {zeta}");
            let background: Vec<Complex64> =
                h.iter().map(|v| v + Complex64::new(4e-6, 2e-6)).collect();
            let circle = circle_fit(&f, &background).unwrap();
            assert!((circle / zeta - 1.0).abs() < 0.02, "with other modes {circle} of {zeta}");
        }
    }

    #[test]
    fn a_coarse_peak_is_refined() {
        let f = [48.0, 49.3, 50.9, 52.0];
        let a = f.map(|f| 3.0 - (f - 50.0f64).powi(2));
        let found = peak(&f, &a).unwrap();
        assert!((found.frequency - 50.0).abs() < 1e-9 && (found.amplitude - 3.0).abs() < 1e-9);
    }

    #[test]
    fn an_end_of_the_curve_is_no_peak() {
        let f = grid(20.0, 49.0, 30);
        let rising: Vec<f64> = oscillator(0.02, &f).iter().map(|v| v.norm()).collect();
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        for curve in [&rising, &falling] {
            assert_eq!(peak(&f, curve), None);
            assert_eq!(half_power(&f, curve), None);
        }
    }

    #[test]
    fn assurance_tells_size_from_shape() {
        let f = grid(40.0, 60.0, 50);
        let h = oscillator(0.02, &f);
        let twice: Vec<Complex64> = h.iter().map(|v| v * 2.0).collect();
        assert!((frac(&h, &twice) - 1.0).abs() < 1e-12);
        assert!((faac(&h, &twice) - 0.8).abs() < 1e-12);
        assert!((nrmse(&h, &twice) - 1.0).abs() < 1e-12);
        assert!((mac(&[1.0, 2.0], &[-2.0, -4.0]) - 1.0).abs() < 1e-12);
        assert!(mac(&[1.0, 0.0], &[0.0, 3.0]) == 0.0);
    }

    #[test]
    fn loops_are_measured() {
        // Force against the motion: up on the left, clockwise.
        let square = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
        assert!((loop_area(&square) - 4.0).abs() < 1e-12);
        let large = square.map(|p| [3.0 * p[0] + 1.0, 7.0 * p[1]]);
        assert!(loop_distance(&square, &large) < 1e-12, "size and place do not count");
        let rhombus = [[-1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, -1.0]];
        // Corners of the square are √2/2 from the rhombus, whose corners touch the square.
        assert!((loop_distance(&square, &rhombus) - 0.25 * 2f64.sqrt()).abs() < 1e-12);
    }
}
