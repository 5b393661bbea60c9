//! Where the power of the hybrid law goes.

use super::*;
use crate::friction::hybrid::Power;

#[test]
fn hybrid_power_is_balanced_and_its_printed_sign_is_not_used() {
    let mut numbers = Numbers(3);
    for _ in 0..200 {
        let states = [1e-5 * numbers.next(), 1e-5 * numbers.next()];
        let Power { input, stored, plastic, partial_slip, gross_slip } =
            HYBRID.power(states, 3e-3 * numbers.next(), 1.0, 1.5);
        let rest = input - stored - plastic - partial_slip - gross_slip;
        let size = input.abs() + stored.abs() + plastic + partial_slip + gross_slip;
        assert!(rest.abs() < 1e-12 * size, "{rest:e} {size:e}");
    }
    // At rest everything relaxes; with the printed sign it would grow.
    let law = Law::Hybrid(HYBRID);
    let step = Step {
        duration: 0.1,
        slip_before: 0.0,
        slip: 0.0,
        velocity: 0.0,
        pressure_before: 1.0,
        pressure: 1.0,
        friction: 1.0,
        static_ratio: 1.0,
        hold: 0.0,
    };
    let (before, mut after) = ([4e-6, 9e-6], [0.0; 2]);
    law.step(&before, &step, &mut after);
    assert!(law.stored(&after, &step) < law.stored(&before, &step));
}

/// Σ of F v h and of what (6) says, over a sine in fine steps.
#[test]
fn hybrid_work_is_stored_or_dissipated_over_time() {
    let law = Law::Hybrid(HYBRID);
    let n = 200_000;
    let (mut states, mut after) = (vec![0.0; 2], vec![0.0; 2]);
    let (mut work, mut lost) = (0.0, 0.0);
    let mut before: Option<(f64, f64)> = None;
    let h = 0.02 / n as f64;
    let mut stored = 0.0;
    for i in 0..n {
        let at = |i: f64| (std::f64::consts::TAU * i / n as f64).sin_cos();
        let (s0, _) = at(i as f64);
        let (s1, c1) = at(i as f64 + 1.0);
        let velocity = 2e-5 * std::f64::consts::TAU / 0.02 * c1;
        let step = Step {
            duration: h,
            slip_before: 2e-5 * s0,
            slip: 2e-5 * s1,
            velocity,
            pressure_before: 1.0,
            pressure: 1.0,
            friction: 1.0,
            static_ratio: 1.5,
            hold: 0.0,
        };
        let force = law.step(&states, &step, &mut after);
        std::mem::swap(&mut states, &mut after);
        let power = HYBRID.power([states[0], states[1]], velocity, 1.0, 1.5);
        assert!((force * velocity - power.input).abs() <= 1e-12 * power.input.abs());
        let now = (force * velocity, power.plastic + power.partial_slip + power.gross_slip);
        if let Some(past) = before {
            work += 0.5 * h * (past.0 + now.0);
            lost += 0.5 * h * (past.1 + now.1);
        } else {
            work += 0.5 * h * now.0;
            lost += 0.5 * h * now.1;
        }
        before = Some(now);
        stored = HYBRID.stored(&states, &step);
    }
    let rest = (work - lost - stored) / work;
    assert!(rest.abs() < 1e-8, "{rest:e}");
}
