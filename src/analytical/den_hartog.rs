//! Periodic motion of the Coulomb oscillator in closed form (Den Hartog 1931, Trans. ASME 53, APM-53-9).
//!
//! In the units of [`super::coulomb_oscillator`], a motion whose second half cycle mirrors the first,
//! x(τ + π/r) = −x(τ), is one slide down from x_0 to −x_0 that begins at phase ψ, its equation (4), and
//! perhaps a rest:
//!
//! ```text
//! no stop    x′(π/r) = 0, x(π/r) = −x_0:   with  V = 1/(1 − r²) ,  U = tan(π/2r)/r
//!
//!     x_0² = V² − φ²U² ,   V cos ψ = x_0 ,   V sin ψ = −φU                                   (1)
//!
//! one stop   x′(τ_1) = 0, x(τ_1) = −x_0, τ_1 < π/r, and the slide begins when the force allows it:
//!
//!     x_0 = cos ψ + φ                                                                        (2)
//!     tan ψ = (r sin τ_1 − sin rτ_1) / (cos rτ_1 − cos τ_1) ,   0 < ψ < π                    (3)
//!     x(τ_1; ψ) + x_0 = 0 ,   one equation for τ_1                                           (4)
//! ```
//!
//! (1) holds where the slide does not end before π/r and the mass does not rest when it turns (Den Hartog
//! writes this as x_0 ≥ φS/r²), (2)–(4) where the slide ends at τ_1 and the rest outlasts the half cycle. Both
//! are tested on the motion itself; elsewhere the functions return none: the mass stops or turns more often
//! in a half cycle. [`CoulombOscillator::steady_motion`] has these motions too. At r = 1, (1) has no solution:
//! for φ < π/4 the motion grows without bound.

use std::f64::consts::PI;

use super::coulomb_oscillator::{CoulombOscillator, Direction, Motion, Piece, bisect};

/// Relative accuracy to which a slide must end where the closed form says.
const SAME: f64 = 1e-9;
/// Intervals of τ_1 searched for roots of (4).
const INTERVALS: usize = 2000;

/// The motion without stops (1), where it exists.
pub fn without_stops(oscillator: CoulombOscillator) -> Option<Motion> {
    let CoulombOscillator { frequency_ratio: r, friction_ratio: phi } = oscillator;
    let (v, u) = (1.0 / (1.0 - r * r), (0.5 * PI / r).tan() / r);
    let square = v * v - (phi * u).powi(2);
    if !square.is_finite() || square <= 0.0 {
        return None;
    }
    let amplitude = square.sqrt();
    let phase = (-phi * u / v).atan2(amplitude / v);
    // At the turning point the force must exceed friction: otherwise the mass rests.
    if phase.cos() - amplitude > -phi {
        return None;
    }
    let slide = oscillator.slide(Direction::Down, phase, amplitude);
    let half = oscillator.half_period();
    is_same(slide.duration, half).then(|| mirrored(vec![Piece { duration: half, ..slide }]))
}

/// The motion with one stop in each half cycle (2)–(4), where it exists.
pub fn with_one_stop(oscillator: CoulombOscillator) -> Option<Motion> {
    let half = oscillator.half_period();
    let at = |i: usize| half * i as f64 / INTERVALS as f64;
    (1..INTERVALS).rev().find_map(|i| {
        let (low, high) = (at(i), at(i + 1));
        let [miss_low, miss_high] = [low, high].map(|tau| miss(oscillator, tau));
        if miss_low * miss_high > 0.0 || !(miss_low + miss_high).is_finite() {
            return None;
        }
        let end = bisect(low, high, |tau| miss(oscillator, tau) * miss_low > 0.0);
        one_stop_motion(oscillator, end)
    })
}

/// ψ of (3); sin ψ > 0, for the force falls when it starts the slide down.
fn breakaway_phase(oscillator: CoulombOscillator, end: f64) -> f64 {
    let [c, e, _] = oscillator.forced(end);
    e.atan2(c).rem_euclid(PI)
}

/// The slide of (2), (3) that ends at τ_1.
fn slide_until(oscillator: CoulombOscillator, end: f64) -> Piece {
    let phase = breakaway_phase(oscillator, end);
    let position = phase.cos() + oscillator.friction_ratio;
    let direction = Direction::Down;
    Piece { oscillator, direction, phase, position, velocity: 0.0, duration: end }
}

/// Left side of (4).
fn miss(oscillator: CoulombOscillator, end: f64) -> f64 {
    let slide = slide_until(oscillator, end);
    slide.displacement(end) + slide.position
}

/// The motion whose slides last τ_1, if it obeys friction throughout.
///
/// A jump of ψ, which is only known up to π, changes the sign of [`miss`] without a root.
fn one_stop_motion(oscillator: CoulombOscillator, end: f64) -> Option<Motion> {
    let slide = slide_until(oscillator, end);
    let phi = oscillator.friction_ratio;
    let first_stop = oscillator.slide(Direction::Down, slide.phase, slide.position).duration;
    let is_root = (slide.displacement(end) + slide.position).abs() < SAME * slide.position.abs();
    let rest_phase = slide.phase + oscillator.frequency_ratio * end;
    let drive = rest_phase.cos() + slide.position;
    let lowest = if rest_phase < PI { slide.position - 1.0 } else { drive };
    let rests = drive <= phi && lowest >= -phi;
    (is_root && is_same(first_stop, end) && rests).then(|| {
        let rest = Piece {
            direction: Direction::Rest,
            phase: rest_phase,
            position: -slide.position,
            duration: oscillator.half_period() - end,
            ..slide
        };
        mirrored(vec![slide, rest])
    })
}

fn is_same(duration: f64, expected: f64) -> bool {
    (duration - expected).abs() <= SAME * expected
}

/// A half cycle and its mirror image.
fn mirrored(mut pieces: Vec<Piece>) -> Motion {
    let opposite = |piece: &Piece| Piece {
        direction: match piece.direction {
            Direction::Down => Direction::Up,
            Direction::Rest => Direction::Rest,
            Direction::Up => Direction::Down,
        },
        phase: piece.phase + PI,
        position: -piece.position,
        velocity: -piece.velocity,
        ..*piece
    };
    let second: Vec<Piece> = pieces.iter().map(opposite).collect();
    pieces.extend(second);
    Motion { pieces }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oscillator(frequency_ratio: f64, friction_ratio: f64) -> CoulombOscillator {
        CoulombOscillator { frequency_ratio, friction_ratio }
    }

    /// Points of the plane that lie on both sides of every boundary between kinds of motion.
    fn plane() -> Vec<CoulombOscillator> {
        let ratios = [0.2, 0.3, 0.5, 0.7, 0.9];
        let along = |phi: f64| (0..95).map(move |i| oscillator(0.1083 + 0.02 * i as f64, phi));
        ratios.into_iter().flat_map(along).collect()
    }

    #[test]
    fn at_most_one_of_the_closed_forms_holds_and_it_is_the_motion_from_rest() {
        let mut kinds = [0; 3];
        for oscillator in plane() {
            let closed = [without_stops(oscillator), with_one_stop(oscillator)];
            let known: Vec<&Motion> = closed.iter().flatten().collect();
            kinds[closed.iter().position(Option::is_some).unwrap_or(2)] += 1;
            assert!(known.len() <= 1, "{oscillator:?}");
            let Some(exact) = oscillator.steady_motion(20_000) else {
                panic!("{oscillator:?} does not settle");
            };
            let stops = exact.stops();
            let slides = exact.slides();
            match known.first() {
                None => assert!(slides > 2, "{oscillator:?}: {slides} slides, {stops} stops"),
                Some(motion) => {
                    assert_eq!((slides, stops), (2, motion.stops()), "{oscillator:?}");
                    let size = exact.amplitude();
                    for i in 0..100 {
                        let phase = 0.063 * i as f64;
                        let [a, b] = [&exact, motion].map(|m| m.displacement(phase));
                        assert!((a - b).abs() < 1e-8 * size, "{oscillator:?} {phase}: {a} {b}");
                    }
                }
            }
        }
        assert!(kinds.iter().all(|count| *count > 5), "{kinds:?}");
    }

    #[test]
    fn without_friction_the_motion_is_linear() {
        let motion = without_stops(oscillator(1.25, 0.0)).unwrap();
        assert!((motion.amplitude() - 1.0 / 0.5625).abs() < 1e-12);
        assert!((motion.displacement(0.3) + 0.3f64.cos() / 0.5625).abs() < 1e-12);
    }

    #[test]
    fn friction_takes_the_work_of_the_force() {
        // Work of the force over a period ∮ cos θ dx against 4 φ x_0.
        for oscillator in plane() {
            for motion in [without_stops(oscillator), with_one_stop(oscillator)].iter().flatten() {
                let n = 20_000;
                let x = |i: usize| motion.displacement(2.0 * PI * i as f64 / n as f64);
                let work: f64 = (0..n)
                    .map(|i| (2.0 * PI * (i as f64 + 0.5) / n as f64).cos() * (x(i + 1) - x(i)))
                    .sum();
                let dissipated = 4.0 * oscillator.friction_ratio * motion.amplitude();
                assert!((work - dissipated).abs() < 1e-6 * dissipated, "{oscillator:?}");
            }
        }
    }

    #[test]
    fn resonance_grows_without_bound_below_a_friction_ratio_of_a_quarter_of_pi() {
        assert_eq!(without_stops(oscillator(1.0, 0.5)), None);
        assert_eq!(with_one_stop(oscillator(1.0, 0.5)), None);
        assert!(with_one_stop(oscillator(1.0, 0.9)).is_some());
        assert!(with_one_stop(oscillator(0.5, 1.0)).is_none());
    }
}
