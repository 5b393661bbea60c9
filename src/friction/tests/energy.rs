//! Energy: what laws take in, store and lose, in steps of any length and under a changing normal force.

use super::*;
use std::f64::consts::TAU;

/// Work of a law by the mean force of every step, and what it stores at the end.
struct Account {
    work: f64,
    stored: f64,
}

/// Drives a law through places and pressures at equal times, with the velocities of the trapezoidal rule.
fn account(law: &Law, places: &[f64], pressures: &[f64], h: f64, start: f64) -> Account {
    let (mut states, mut after) = (vec![0.0; law.n_states()], vec![0.0; law.n_states()]);
    let (mut velocity, mut force, mut work, mut stored) = (start, 0.0, 0.0, 0.0);
    for j in 1..places.len() {
        let moved = places[j] - places[j - 1];
        velocity = 2.0 * moved / h - velocity;
        let step = Step {
            duration: h,
            slip_before: places[j - 1],
            slip: places[j],
            velocity,
            pressure_before: pressures[j - 1],
            pressure: pressures[j],
            friction: 1.0,
            static_ratio: 1.0,
            hold: 0.0,
        };
        let next = law.step(&states, &step, &mut after);
        work += 0.5 * (force + next) * moved;
        force = next;
        std::mem::swap(&mut states, &mut after);
        stored = law.stored(&states, &step);
    }
    Account { work, stored }
}

fn bristles() -> [Law; 2] {
    let lugre = Lugre { damping: 316.0, viscous: 0.0, ..LUGRE };
    let elastic = ElastoPlastic { damping: 316.0, viscous: 0.0, ..ELASTO_PLASTIC };
    [Law::Lugre(lugre), Law::ElastoPlastic(elastic)]
}

#[test]
fn bristles_dissipate_in_steps_of_any_length() {
    // σ₁/σ₀ = 3 ms and z_m = 10 µm: from steps far below both to steps far beyond.
    for law in bristles() {
        for h in [1e-4, 1e-2, 1.0] {
            for way in [1e-7, 1e-5, 1e-3, 1e-1] {
                let mut numbers = Numbers(17);
                let mut place = 0.0;
                let mut next = |_| {
                    place += way * numbers.next();
                    place
                };
                let places: Vec<f64> =
                    std::iter::once(0.0).chain((0..2000).map(&mut next)).collect();
                let Account { work, stored } = account(&law, &places, &[1.0; 2001], h, 0.0);
                assert!(work >= stored, "{} {h} {way}: {work:e} {stored:e}", law.name());
            }
        }
    }
}

#[test]
fn the_dashpot_of_a_bristle_gives_no_more_than_its_bending() {
    let mut numbers = Numbers(23);
    for law in bristles() {
        for h in [1e-4, 1e-2, 1.0] {
            for _ in 0..500 {
                let places = [0.0, 1e-4 * numbers.next()];
                let step = Step {
                    duration: h,
                    slip_before: places[0],
                    slip: places[1],
                    // As after many reversals: far faster than the way of the step.
                    velocity: 1e3 * numbers.next(),
                    pressure_before: 1.5 + numbers.next(),
                    pressure: 1.5 + numbers.next(),
                    friction: 1.0,
                    static_ratio: 1.0,
                    hold: 0.0,
                };
                let (before, mut after) = ([1e-5 * numbers.next()], [0.0]);
                let force = law.step(&before, &step, &mut after);
                let dashpot = (force - 1e5 * after[0]).abs() * h / 316.0;
                // z_m is at most 25 µm, and the slope at the end at most 1 + 2.5/0.5.
                assert!(
                    dashpot <= 2.0 * (after[0] - before[0]).abs() + 6.0 * 2.5e-5,
                    "{}",
                    law.name()
                );
            }
        }
    }
}

/// Work of a period of x = X sin τ under N = 1 + 0.9 sin 2τ, the third one, in n steps a period.
fn work_of_period(law: &Law, amplitude: f64, n: usize, period: f64) -> f64 {
    let angle = |j: usize| TAU * j as f64 / n as f64;
    let upto = |periods: usize| {
        let list = |f: &dyn Fn(f64) -> f64| (0..=periods * n).map(|j| f(angle(j))).collect();
        let places: Vec<f64> = list(&|a| amplitude * a.sin());
        let pressures: Vec<f64> = list(&|a| 1.0 + 0.9 * (2.0 * a).sin());
        account(law, &places, &pressures, period / n as f64, TAU * amplitude / period).work
    };
    upto(3) - upto(2)
}

#[test]
fn bristles_converge_under_a_changing_normal_force() {
    // In full slip, X = 1e4 z_m: ∮ N |dx| = X ∫ (1 + 0.9 sin 2τ) |cos τ| dτ = 4X.
    for law in bristles() {
        for (n, tol) in [(256, 1e-2), (1024, 2.5e-3), (4096, 1e-3)] {
            let ratio = work_of_period(&law, 0.1, n, 1.0) / 0.4;
            assert!((ratio - 1.0).abs() < tol, "{} in {n} steps: {ratio}", law.name());
        }
        // In partial slip, X = 3 z_m.
        let [coarse, fine, finest] =
            [256, 4096, 65_536].map(|n| work_of_period(&law, 3e-5, n, 0.1));
        let (first, second) = ((coarse / finest - 1.0).abs(), (fine / finest - 1.0).abs());
        assert!(first < 5e-3 && second < 5e-4, "{}: {first:e} {second:e}", law.name());
    }
}
