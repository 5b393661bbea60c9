//! Friction laws over a period: derivatives, periodic states, agreement with the elastic slider.

use super::*;
use crate::friction::{
    BoucWen, Dahl, ElastoPlastic, ExponentialDecay, Hybrid, Iwan, Jenkins, Law as FrictionLaw,
    Lugre, NormalLaw, OzakiHashiguchi, SmoothedCoulomb, SpringDamper, Stribeck, Valanis,
    VelocityLimited, Viscous,
};

/// One of each with a force–history form, on a scale of 1.
fn friction_laws() -> Vec<FrictionLaw> {
    let (stiffness, damping, viscous) = (1.0, 0.2, 0.05);
    let (stribeck_velocity, stribeck_exponent) = (0.8, 2.0);
    let lugre = Lugre {
        stiffness,
        damping,
        viscous,
        stribeck_velocity,
        stribeck_exponent,
        per_normal_force: false,
    };
    vec![
        FrictionLaw::Jenkins(Jenkins { stiffness: Some(0.9), elastic_slip: None }),
        FrictionLaw::Jenkins(Jenkins { stiffness: None, elastic_slip: Some(0.3) }),
        FrictionLaw::Iwan(Iwan {
            stiffness: Some(1.0),
            elastic_slip: None,
            elements: 5,
            spread: 0.8,
        }),
        FrictionLaw::SmoothedCoulomb(SmoothedCoulomb {
            velocity: 0.5,
            rounding: Default::default(),
        }),
        FrictionLaw::VelocityLimited(VelocityLimited {
            velocity: 0.4,
            stribeck_velocity: Some(0.8),
            stribeck_exponent,
        }),
        FrictionLaw::SpringDamper(SpringDamper { stiffness, damping }),
        FrictionLaw::Stribeck(Stribeck {
            stiffness: None,
            elastic_slip: Some(0.3),
            stribeck_velocity,
            stribeck_exponent,
        }),
        FrictionLaw::ExponentialDecay(ExponentialDecay {
            stiffness: Some(1.0),
            elastic_slip: None,
            decay: 1.2,
        }),
        FrictionLaw::Viscous(Viscous { damping: 0.3, damping_per_force: 0.2 }),
        FrictionLaw::Dahl(Dahl { stiffness, exponent: 1.0 }),
        FrictionLaw::Lugre(lugre),
        FrictionLaw::Lugre(Lugre { per_normal_force: true, ..lugre }),
        FrictionLaw::ElastoPlastic(ElastoPlastic {
            stiffness,
            damping,
            viscous,
            elastic_range: 0.6,
            stribeck_velocity,
            stribeck_exponent,
        }),
        FrictionLaw::BoucWen(BoucWen { stiffness, slip_stiffness: 0.1, beta: 0.6, exponent: 2.0 }),
        FrictionLaw::Valanis(Valanis {
            stiffness,
            slip_stiffness: 0.1,
            transition: 0.5,
            yield_force: None,
        }),
        FrictionLaw::OzakiHashiguchi(OzakiHashiguchi { stiffness, softening: 2.0, recovery: 0.5 }),
        FrictionLaw::Hybrid(Hybrid {
            elastic_stiffness: 3.0,
            plastic_stiffness: 2.0,
            slip_stiffness: 4.0,
            plastic_damping: 0.4,
            slip_damping: 0.2,
            stribeck_velocity,
            stribeck_exponent,
        }),
    ]
}

fn law(tangential: FrictionLaw, normal: NormalLaw) -> Law {
    let static_ratio = if tangential.has_static_friction() { 1.5 } else { 1.0 };
    Law::Friction(Friction { normal, tangential, static_ratio })
}

fn normals() -> [NormalLaw; 4] {
    [
        NormalLaw::Constant,
        NormalLaw::Penalty { stiffness: 0.3 },
        NormalLaw::HuntCrossley { coefficient: 0.4, exponent: 1.5, damping: 0.2 },
        NormalLaw::Exact,
    ]
}

fn march_at(joint: &Joint, basis: &Basis, omega: f64, input: &[f64], wants: bool) -> March {
    let h = basis.n_coefficients();
    let time: Vec<Vec<f64>> = input.chunks(h).map(|c| basis.to_time(c)).collect();
    joint.march(&LOCALS[0], time, basis.samples(omega), wants)
}

fn harmonics_of(march: &March, basis: &Basis) -> Vec<f64> {
    march.forces.iter().flat_map(|values| basis.to_harmonics(values)).collect()
}

/// Largest difference of the derivatives and central differences, over their size; the second largest
/// column, as one may meet a kink.
fn worst(joint: &Joint, basis: &Basis, input: &[f64]) -> f64 {
    let (omega, step) = (1.3, 1e-6);
    let derivative = march_at(joint, basis, omega, input, true).derivative.unwrap();
    let last = derivative.ncols() - 1;
    let column = |c: usize| -> Vec<f64> {
        let moved = |sign: f64| {
            let (mut input, mut joint, mut omega) = (input.to_vec(), joint.clone(), omega);
            match c {
                _ if c < input.len() => input[c] += sign * step,
                _ if c == last => joint.friction *= 1.0 + sign * step,
                _ if c == last - 1 => joint.preload *= 1.0 + sign * step,
                _ => omega *= 1.0 + sign * step,
            }
            results(&joint, basis, &input, &march_at(&joint, basis, omega, &input, false))
        };
        moved(1.0).iter().zip(moved(-1.0)).map(|(a, b)| (a - b) / (2.0 * step)).collect()
    };
    let difference = |c: usize| {
        let column = column(c);
        (0..column.len()).fold(0.0, |m: f64, r| m.max((column[r] - derivative[(r, c)]).abs()))
    };
    let mut differences: Vec<f64> = (0..=last).map(difference).collect();
    differences.sort_by(f64::total_cmp);
    differences[last - 1]
}

#[test]
fn friction_laws_have_exact_derivatives_through_their_periodic_states() {
    let basis = Basis::new(&[1, 2, 3], 64).unwrap();
    for tangential in friction_laws() {
        for normal in normals() {
            for seed in 0..4 {
                let mut joint = joint(1, true, law(tangential, normal));
                joint.preload = 0.9;
                let input: Vec<f64> =
                    (0..14).map(|i| 0.5 * (1.7 * i as f64 + 0.3 + seed as f64).sin()).collect();
                let worst = worst(&joint, &basis, &input);
                assert!(worst < 2e-6, "{} {normal:?} {seed}: {worst:e}", tangential.name());
            }
        }
    }
}

#[test]
fn periods_end_as_they_began_from_small_to_large_motion() {
    let basis = Basis::new(&[1, 3], 128).unwrap();
    for tangential in friction_laws() {
        for amplitude in [1e-6, 1e-3, 0.03, 0.1, 0.3, 1.0, 30.0] {
            let joint = joint(1, false, law(tangential, NormalLaw::Constant));
            // With a bias, which creeping laws forget.
            let input = [0.4 * amplitude, amplitude, 0.0, 0.1 * amplitude, 0.2 * amplitude];
            let march = march_at(&joint, &basis, 1.0, &input, true);
            let name = tangential.name();
            assert!(march.is_periodic, "{name} {amplitude}");
            assert!(march.forces[0].iter().all(|f| f.is_finite()), "{name} {amplitude}");
        }
    }
}

#[test]
fn jenkins_is_the_elastic_slider() {
    let basis = Basis::new(&[1, 2, 3], 64).unwrap();
    let jenkins = FrictionLaw::Jenkins(Jenkins { stiffness: Some(0.9), elastic_slip: None });
    let input: Vec<f64> = (0..14).map(|i| 0.4 * (1.7 * i as f64 + 0.3).sin()).collect();
    let one = joint(1, true, law(jenkins, NormalLaw::Penalty { stiffness: 1.3 }));
    let two = joint(1, true, Law::Penalty { normal: 1.3, tangential: 0.9 });
    let (one, two) =
        (march_at(&one, &basis, 1.0, &input, true), march_at(&two, &basis, 1.0, &input, true));
    let (a, b) = (harmonics_of(&one, &basis), harmonics_of(&two, &basis));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
    let (a, b) = (one.derivative.unwrap(), two.derivative.unwrap());
    for r in 0..14 {
        assert!((0..14).all(|c| (a[(r, c)] - b[(r, c)]).abs() < 1e-10), "{r}");
        assert!((a[(r, 16)] - b[(r, 14)]).abs() < 1e-10);
    }
}

#[test]
fn under_the_exact_normal_law_pressure_and_opening_exclude_each_other() {
    let basis = Basis::new(&[1, 2, 3], 64).unwrap();
    let jenkins = FrictionLaw::Jenkins(Jenkins { stiffness: Some(0.9), elastic_slip: None });
    let joint = joint(1, true, law(jenkins, NormalLaw::Exact));
    let input: Vec<f64> = (0..14).map(|i| 0.5 * (1.7 * i as f64 + 0.3).sin()).collect();
    let march = march_at(&joint, &basis, 1.0, &input, false);
    let lambda_u = basis.to_time(&input[..7]);
    let mut opened = 0;
    for j in 0..64 {
        let (force, opening) = (march.forces[0][j], march.motion[0][j]);
        let pressure = joint.preload - force;
        assert!(pressure >= 0.0 && opening >= 0.0 && pressure * opening == 0.0, "{j}");
        assert!((lambda_u[j] - LOCALS[0].normal * opening - force).abs() < 1e-15);
        assert_eq!(march.status[j] == Status::Open, pressure == 0.0);
        assert!(march.forces[1][j].abs() <= joint.friction * pressure + 1e-12);
        opened += usize::from(opening > 0.0);
    }
    assert!((10..54).contains(&opened), "{opened}");
}

#[test]
fn the_two_directions_of_space_rub_each_on_their_own() {
    let basis = Basis::new(&[1], 64).unwrap();
    let dahl = FrictionLaw::Dahl(Dahl { stiffness: 1.0, exponent: 1.0 });
    let both = joint(2, false, law(dahl, NormalLaw::Constant));
    let one = joint(1, false, law(dahl, NormalLaw::Constant));
    let input = [0.1, 0.7, 0.2, -0.2, 0.1, 0.6];
    let whole = march_at(&both, &basis, 1.0, &input, false);
    for t in 0..2 {
        let own = march_at(&one, &basis, 1.0, &input[3 * t..3 * t + 3], false);
        assert_eq!(own.forces[0], whole.forces[t]);
    }
}
