#![allow(clippy::needless_range_loop)] // Instants index several lists at once.

use proptest::prelude::*;

use super::*;
use crate::contact::Basis;
use crate::friction::larger;

fn joint(n_tangents: usize, has_normal: bool, law: Law) -> Joint {
    let first = usize::from(has_normal);
    Joint {
        rows: PairRows {
            normal: has_normal.then_some(0),
            tangents: (first..first + n_tangents).collect(),
        },
        interface: 0,
        friction: 0.4,
        preload: 0.3,
        preload_stiffness: 0.0,
        gap: 0.05,
        area: 1.0,
        law,
        sharpness: f64::INFINITY,
        force_scale: 0.4,
    }
}

mod hereditary;

const LOCALS: [Local; 3] = [
    Local { normal: 1.0, inertia: 0.0, damping: 0.0, stiffness: 1.0, is_centred: false },
    Local { normal: 1.0, inertia: 30.0, damping: 0.4, stiffness: 0.3, is_centred: true },
    Local { normal: 2.0, inertia: 0.0, damping: 3.0, stiffness: 0.1, is_centred: true },
];

/// Harmonics of the result for harmonics of the input, with the statuses passed through.
fn respond(joint: &Joint, local: &Local, basis: &Basis, input: &[f64]) -> (Vec<f64>, Vec<Status>) {
    let h = basis.n_coefficients();
    let time: Vec<Vec<f64>> = input.chunks(h).map(|c| basis.to_time(c)).collect();
    let march = joint.march(local, time, basis.samples(1.0), false);
    (results(joint, basis, input, &march), march.status)
}

/// Harmonics of what the derivative is of: λ_x of exact directions, λ of the others.
fn results(joint: &Joint, basis: &Basis, input: &[f64], march: &March) -> Vec<f64> {
    let h = basis.n_coefficients();
    let of = |((row, forces), input): ((usize, &Vec<f64>), &[f64])| -> Vec<f64> {
        let forces = basis.to_harmonics(forces);
        match joint.is_exact(row) {
            true => input.iter().zip(forces).map(|(u, f)| u - f).collect(),
            false => forces,
        }
    };
    joint.directions().zip(&march.forces).zip(input.chunks(h)).flat_map(of).collect()
}

/// Largest difference of the derivative and central differences, over columns without a change of
/// status; and how many columns that were.
fn worst_column(
    joint: &Joint,
    local: &Local,
    basis: &Basis,
    input: &[f64],
    step: f64,
) -> (f64, usize) {
    let h = basis.n_coefficients();
    let time: Vec<Vec<f64>> = input.chunks(h).map(|c| basis.to_time(c)).collect();
    let derivative = joint.march(local, time, basis.samples(1.0), true).derivative.unwrap();
    let (_, status) = respond(joint, local, basis, input);
    let (mut worst, mut compared): (f64, usize) = (0.0, 0);
    for c in 0..input.len() {
        let moved = |sign: f64| {
            let mut input = input.to_vec();
            input[c] += sign * step;
            respond(joint, local, basis, &input)
        };
        let ((above, s1), (below, s2)) = (moved(1.0), moved(-1.0));
        if s1 != status || s2 != status {
            continue;
        }
        compared += 1;
        for (r, (a, b)) in above.iter().zip(&below).enumerate() {
            worst = larger(worst, ((a - b) / (2.0 * step) - derivative[(r, c)]).abs());
        }
    }
    (worst, compared)
}

fn friction_column(joint: &Joint, local: &Local, basis: &Basis, input: &[f64]) -> Option<f64> {
    let h = basis.n_coefficients();
    let time: Vec<Vec<f64>> = input.chunks(h).map(|c| basis.to_time(c)).collect();
    let derivative = joint.march(local, time, basis.samples(1.0), true).derivative.unwrap();
    let at = |factor: f64| {
        let joint = Joint { friction: factor * joint.friction, ..joint.clone() };
        respond(&joint, local, basis, input)
    };
    let step = 1e-6;
    let ((above, s1), (below, s2)) = (at(1.0 + step), at(1.0 - step));
    let last = derivative.ncols() - 1;
    let differences = above
        .iter()
        .zip(&below)
        .enumerate()
        .map(|(r, (a, b))| ((a - b) / (2.0 * step) - derivative[(r, last)]).abs());
    (s1 == s2).then(|| differences.fold(0.0, larger))
}

fn laws() -> impl Strategy<Value = Law> {
    prop_oneof![
        Just(Law::Exact),
        Just(Law::Penalty { normal: 1.3, tangential: 0.9 }),
        Just(Law::Cubic { linear: 0.5, cubic: 2.0 }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn derivatives_equal_differences(
        local in 0_usize..3,
        law in laws(),
        n_tangents in 1_usize..=2,
        has_normal in any::<bool>(),
        numbers in proptest::collection::vec(-1.0..1.0_f64, 21),
    ) {
        let basis = Basis::new(&[1, 2, 3], 64).unwrap();
        let local = &LOCALS[local];
        let joint = joint(n_tangents, has_normal, law);
        let input = &numbers[..7 * joint.n_directions()];
        let (worst, compared) = worst_column(&joint, local, &basis, input, 1e-6);
        prop_assert!(worst < 1e-6, "{worst:e}");
        prop_assert!(2 * compared >= input.len(), "{compared} of {}", input.len());
        if !matches!(law, Law::Cubic { .. }) && let Some(worst) = friction_column(&joint, local, &basis, input) {
            prop_assert!(worst < 1e-6, "friction: {worst:e}");
        }
    }

    #[test]
    fn rounded_corners_have_exact_derivatives_too(
        local in 0_usize..3,
        sharpness in 1.0..40.0_f64,
        n_tangents in 1_usize..=2,
        numbers in proptest::collection::vec(-1.0..1.0_f64, 21),
    ) {
        let basis = Basis::new(&[1, 2, 3], 64).unwrap();
        let local = &LOCALS[local];
        let mut joint = joint(n_tangents, true, Law::Exact);
        joint.sharpness = sharpness;
        let input = &numbers[..7 * joint.n_directions()];
        // A corner of a small limit is round over a length of limit over sharpness, which the differences must resolve.
        let (worst, compared) = worst_column(&joint, local, &basis, input, 1e-7);
        prop_assert!(worst < 1e-5, "{worst:e}");
        prop_assert!(2 * compared >= input.len(), "{compared} of {}", input.len());
    }

    #[test]
    fn exact_forces_obey_signorini_and_coulomb(
        local in 0_usize..3,
        n_tangents in 1_usize..=2,
        numbers in proptest::collection::vec(-1.0..1.0_f64, 21),
    ) {
        let basis = Basis::new(&[1, 2, 3], 64).unwrap();
        let local = &LOCALS[local];
        let joint = joint(n_tangents, true, Law::Exact);
        let input: Vec<Vec<f64>> =
            numbers[..7 * joint.n_directions()].chunks(7).map(|c| basis.to_time(c)).collect();
        let march = joint.march(local, input, basis.samples(1.0), false);
        // A march that has not become periodic says so, and no solution rests on it.
        prop_assume!(march.is_periodic);
        for j in 0..64 {
            let before = (j + 63) % 64;
            let force = |d: usize| march.forces[d][j];
            let pressure = joint.preload - force(0);
            let (opening, is_open) = (march.motion[0][j], march.status[j] == Status::Open);
            prop_assert!(pressure >= -1e-12 && opening >= 0.0 && pressure * opening < 1e-12);
            let tangential = (1..=n_tangents).map(|t| force(t).powi(2)).sum::<f64>().sqrt();
            prop_assert!(tangential <= joint.friction * pressure + 1e-12);
            // Slip is along the force, and full friction goes with it.
            let slip: Vec<f64> = (1..=n_tangents)
                .map(|t| march.motion[t][j] - march.motion[t][before])
                .collect();
            let along: f64 = slip.iter().enumerate().map(|(t, s)| s * force(t + 1)).sum();
            let length = slip.iter().map(|s| s * s).sum::<f64>().sqrt();
            // A period ends as it began to the tolerance of the march, which the first step of the next one shows.
            let rounding = if j == 0 { 1e-11 } else { 1e-12 };
            let aside = (along - length * tangential).abs();
            prop_assert!(is_open || aside < rounding, "{aside:e} at {j}");
            let is_full = (tangential - joint.friction * pressure).abs() < 1e-12;
            prop_assert!(is_open || length < rounding || is_full);
        }
    }
}

#[test]
fn random_states_pass_through_all_statuses_and_most_columns_are_smooth() {
    let basis = Basis::new(&[1, 2, 3], 64).unwrap();
    let local = &LOCALS[0];
    let joint = joint(1, true, Law::Exact);
    let input: Vec<f64> = (0..14).map(|i| (1.7 * i as f64 + 0.3).sin()).collect();
    let (_, status) = respond(&joint, local, &basis, &input);
    for wanted in [Status::Stick, Status::Slip, Status::Open] {
        assert!(status.contains(&wanted), "{wanted:?}");
    }
    assert!(worst_column(&joint, local, &basis, &input, 1e-6).1 >= 12);
}
