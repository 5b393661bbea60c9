use proptest::prelude::*;

use super::*;
use crate::contact::Basis;
use crate::contact::Law;
use crate::reduction::PairRows;

fn joint(has_normal: bool, friction: f64, preload: f64) -> Joint {
    let first = usize::from(has_normal);
    Joint {
        rows: PairRows { normal: has_normal.then_some(0), tangents: vec![first] },
        interface: 0,
        friction,
        preload,
        preload_stiffness: 0.0,
        gap: 0.0,
        area: 1.0,
        law: Law::Exact,
        sharpness: f64::INFINITY,
        force_scale: 0.4,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn closed_forms_equal_the_march_of_columns(
        (inertia, damping, stiffness) in (0.0..30.0_f64, 0.0..3.0_f64, 0.1..2.0_f64),
        is_classic in any::<bool>(),
        has_normal in any::<bool>(),
        friction in 0.0..2.0_f64,
        preload in 0.0..3.0_f64,
        numbers in proptest::collection::vec(-1.0..1.0_f64, 14),
    ) {
        let basis = Basis::new(&[1, 2, 3], 64).unwrap();
        let local = match is_classic {
            true => Local::penalty(stiffness),
            false => Local { normal: 1.0, inertia, damping, stiffness, is_centred: true },
        };
        let joint = joint(has_normal, friction, preload);
        let lambda_u: Vec<Vec<f64>> =
            numbers.chunks(7).take(joint.n_directions()).map(|c| basis.to_time(c)).collect();
        let samples = basis.samples(1.0);
        let ours = line::march(&joint, &local, lambda_u.clone(), samples, true);
        let other = general(&joint, &local, &lambda_u, samples, true);
        prop_assume!(ours.is_periodic && other.is_periodic);
        prop_assert_eq!(&ours.status, &other.status);
        let signals = |march: &March| [march.forces.concat(), march.motion.concat()].concat();
        for (a, b) in signals(&ours).iter().zip(signals(&other)) {
            prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        let (a, b) = (ours.derivative.unwrap(), other.derivative.unwrap());
        let scale = b.norm_max().max(1.0);
        prop_assert!((&a - &b).norm_max() < 1e-9 * scale, "{:e}", (&a - &b).norm_max());
    }
}
