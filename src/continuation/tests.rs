use std::f64::consts::PI;

use super::*;
use crate::harmonic::{self, Balance};

fn balance(contact: &str, damping: f64, harmonics: &[usize], samples: usize) -> Balance {
    let text = format!(
        r#"
        [points.m]
        mass = 1.0
        freedoms = ["x"]
        [[springs]]
        between = ["m", "ground"]
        direction = "x"
        stiffness = 1.0
        damping = {damping}
        [[loads]]
        type = "force"
        on = "m"
        force = [1, 0]
        variation = "harmonic"
        [[contact]]
        between = ["m", "ground"]
        area = 1.0
        {contact}
        [[analysis]]
        type = "modal"
        "#
    );
    harmonic::tests::balance(&text, harmonics, samples)
}

fn path(load: f64) -> Path {
    let held = Parameters::at(1.0).with(Parameter::Load, load);
    Path { parameter: Parameter::Frequency, held, newton: NewtonSettings::default() }
}

/// (ω, first harmonic) of every point of a branch; panics at a failed one.
fn follow(
    balance: &Balance,
    path: &Path,
    range: [f64; 2],
    settings: &ArcSettings,
) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    arc_length(balance, path, range, settings, &mut |step| {
        match step {
            Step::Solved(point) => {
                assert!(
                    point.newton.evaluation.is_periodic(&balance.joints),
                    "{:?}",
                    point.parameters
                );
                let amplitude = balance.basis.amplitude(&point.newton.u, 1).norm();
                points.push((point.parameters.omega, amplitude));
            }
            Step::Failed { parameters, error } => panic!("{parameters:?}: {error}"),
        }
        true
    });
    points
}

fn turning_points(points: &[(f64, f64)]) -> usize {
    let steps: Vec<f64> = points.windows(2).map(|p| p[1].0 - p[0].0).collect();
    steps.windows(2).filter(|s| s[0] * s[1] < 0.0).count()
}

#[test]
fn duffing_branches_with_one_harmonic_are_those_of_the_closed_form() {
    // (1 − ω² + ¾ k₃ A²)² A² + (c ω A)² = F².
    let (damping, cubic, force) = (0.05, 0.1, 0.2);
    let contact = format!("normal = [1, 0]\nlaw = {{ type = \"cubic\", cubic = {cubic} }}");
    let balance = balance(&contact, damping, &[1], 16);
    for corrector in [Corrector::PseudoArcLength, Corrector::ArcLength] {
        let settings = ArcSettings { corrector, max_step: 0.03, ..ArcSettings::default() };
        let points = follow(&balance, &path(force), [0.5, 2.0], &settings);
        assert_eq!(turning_points(&points), 2, "{corrector:?}: {} points", points.len());
        assert!((points[points.len() - 1].0 - 2.0).abs() < 1e-12);
        for (omega, a) in points {
            let stiffness = 1.0 - omega * omega + 0.75 * cubic * a * a;
            let left = (stiffness * a).hypot(damping * omega * a);
            assert!((left / force - 1.0).abs() < 1e-7, "{omega} {a} {left}");
        }
    }
}

#[test]
fn a_sweep_goes_around_a_turning_point_to_the_branch_beyond() {
    let contact = "normal = [1, 0]\nlaw = { type = \"cubic\", cubic = 0.1 }";
    let balance = balance(contact, 0.05, &[1], 16);
    let path = path(0.2);
    let amplitude = |point: &Point| balance.basis.amplitude(&point.newton.u, 1).norm();
    // Up along the large motions, which end near 1.29, to the small ones.
    let mut large = None;
    let values: Vec<f64> = (0..=20).map(|i| 1.0 + 0.0125 * f64::from(i)).collect();
    sequential(&balance, &path, &values, Predictor::Previous, &mut |step| {
        let Step::Solved(point) = step else { panic!("{step:?}") };
        large = Some(*point);
        true
    });
    let large = large.unwrap();
    assert!(amplitude(&large) > 2.5, "{}", amplitude(&large));
    let start = (large.parameters.omega, large.newton.u.as_slice());
    let beyond = arc_length::around(&balance, &path, start, 1.6).unwrap();
    let at = path.held.with(Parameter::Frequency, 1.6);
    let small = harmonic::solve_point(&balance, &at, None, &path.newton).unwrap();
    assert_eq!(beyond.parameters, at);
    assert!((amplitude(&beyond) / amplitude(&small) - 1.0).abs() < 1e-8);
    assert!(amplitude(&beyond) < 0.2, "{}", amplitude(&beyond));
}

#[test]
fn a_stop_bends_the_resonance_and_all_branches_are_found() {
    // A stiff one-sided spring behind a gap; every point satisfies the balance of a fine time series.
    let contact =
        "normal = [1, 0]\ngap = 1.0\nlaw = { type = \"penalty\", normal_stiffness = 3.0 }";
    let balance = balance(contact, 0.06, &[1, 2, 3, 4, 5, 6, 7], 256);
    let settings = ArcSettings { max_step: 0.02, ..ArcSettings::default() };
    let points = follow(&balance, &path(0.2), [0.6, 1.8], &settings);
    assert_eq!(turning_points(&points), 2, "{} points", points.len());
    // Where the mass does not reach the stop the response is linear.
    let free = |omega: f64| 0.2 / (1.0 - omega * omega).hypot(0.06 * omega);
    let mut touching = 0;
    for (omega, a) in points {
        if a < 0.999 {
            assert!((a / free(omega) - 1.0).abs() < 1e-6, "{omega} {a} {}", free(omega));
        } else {
            touching += 1;
        }
    }
    assert!(touching > 10);
}

/// First harmonic of the force of an elastic slider at amplitude a: (in phase, against velocity).
fn jenkins(stiffness: f64, limit: f64, a: f64) -> (f64, f64) {
    let slip = limit / stiffness;
    if a <= slip {
        return (stiffness * a, 0.0);
    }
    let angle = (1.0 - 2.0 * slip / a).acos();
    let in_phase = stiffness * a / PI * (angle - 0.5 * (2.0 * angle).sin());
    (in_phase, 4.0 * limit / PI * (1.0 - slip / a))
}

#[test]
fn jenkins_oscillator_with_one_harmonic_is_the_closed_form() {
    let (k, limit, damping, force) = (2.0, 0.3, 0.02, 0.5);
    let contact = "normal = [0, 1]\nfriction = 0.3\npreload = 1.0\n\
         law = { type = \"penalty\", normal_stiffness = 1.0, tangential_stiffness = 2.0 }";
    let balance = balance(contact, damping, &[1], 20_000);
    let mut errors = Vec::new();
    let values: Vec<f64> = (0..12).map(|i| 0.8 + 0.1 * i as f64).collect();
    sequential(&balance, &path(force), &values, Predictor::Secant, &mut |step| {
        let Step::Solved(point) = step else { panic!("not converged") };
        let (omega, a) =
            (point.parameters.omega, balance.basis.amplitude(&point.newton.u, 1).norm());
        let (stiff, loss) = jenkins(k, limit, a);
        let left = ((1.0 - omega * omega) * a + stiff).hypot(damping * omega * a + loss);
        errors.push((left / force - 1.0).abs());
        true
    });
    assert_eq!(errors.len(), 12);
    assert!(errors.iter().all(|error| *error < 1e-6), "{errors:?}");
}

#[test]
fn load_preload_and_friction_can_be_varied_and_predictors_agree() {
    let contact = "normal = [0, 1]\nfriction = 0.3\npreload = 1.0";
    let balance = balance(contact, 0.02, &[1, 3, 5], 128);
    let held = Parameters::at(1.3);
    for parameter in [Parameter::Load, Parameter::Preload, Parameter::Friction] {
        let path = Path { parameter, held, newton: NewtonSettings::default() };
        let values: Vec<f64> = (0..10).map(|i| 0.6 + 0.1 * i as f64).collect();
        let run = |predictor: Predictor| {
            let mut amplitudes = Vec::new();
            sequential(&balance, &path, &values, predictor, &mut |step| {
                let Step::Solved(point) = step else { panic!("not converged") };
                amplitudes.push(balance.basis.amplitude(&point.newton.u, 1).norm());
                true
            });
            amplitudes
        };
        let known = run(Predictor::Previous);
        for predictor in [Predictor::Secant, Predictor::Tangent] {
            for (a, b) in known.iter().zip(run(predictor)) {
                assert!((a - b).abs() < 1e-7 * a.max(1e-3), "{parameter:?} {predictor:?} {a} {b}");
            }
        }
        let settings = ArcSettings { max_step: 0.1, ..ArcSettings::default() };
        let along = follow(&balance, &path, [0.6, 1.5], &settings);
        assert!((along[along.len() - 1].1 - known[9]).abs() < 1e-7 * known[9], "{parameter:?}");
    }
}

#[test]
fn an_unsolvable_point_is_reported_and_the_others_are_found() {
    // Undamped and unbounded at its resonance: the mass slides at ω = 1 under less than F π/4.
    let contact = "normal = [0, 1]\nfriction = 0.1\npreload = 1.0";
    let balance = balance(contact, 0.0, &[1, 3], 64);
    let values = [0.8, 0.9, 1.0, 1.1, 1.2];
    let mut outcome = Vec::new();
    sequential(&balance, &path(1.0), &values, Predictor::Previous, &mut |step| {
        outcome.push(matches!(step, Step::Solved(_)));
        true
    });
    assert_eq!(outcome, [true, true, false, true, true]);
}

/// With harmonics = "auto" points climb until their estimate is small enough, and the answer is closer to the
/// closed form than that of the fewest harmonics.
#[test]
fn harmonics_are_added_until_the_truncation_is_small_enough() {
    use crate::analytical::coulomb_oscillator::CoulombOscillator;
    let contact = "normal = [0, 1]\nfriction = 0.5\npreload = 1.0";
    let rungs: Vec<Balance> = [3, 7, 15]
        .map(|highest| balance(contact, 0.0, &(1..=highest).collect::<Vec<_>>(), 1024))
        .into();
    // Slow motion with stops needs harmonics, fast motion without stops does not.
    let run = |rungs: &[Balance], tolerance: f64, omega: f64| {
        let mut found = Vec::new();
        let ladder = Ladder { rungs, tolerance, motions: &[] };
        sequential(ladder, &path(1.0), &[omega], Predictor::Previous, &mut |step| {
            let Step::Solved(point) = step else { panic!("no solution") };
            let own = rungs.iter().find(|b| b.size() == point.newton.u.len()).unwrap();
            // The march holds the corrected harmonics too.
            let slip = &point.newton.evaluation.marches[0].motion[0];
            let amplitude = slip.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
            found.push((own.basis.harmonics().len(), amplitude, point.truncation));
            true
        });
        found[0]
    };
    for (omega, most) in [(0.3, 7), (2.0, 3)] {
        let exact = CoulombOscillator { frequency_ratio: omega, friction_ratio: 0.5 }
            .steady_motion(1000)
            .unwrap()
            .amplitude();
        let few = run(&rungs[..1], f64::INFINITY, omega);
        let enough = run(&rungs, 1e-2, omega);
        assert_eq!(enough.0, most, "{omega}: {enough:?}, {few:?}");
        assert!(enough.2 <= 1e-2, "{enough:?}");
        let error = |found: (usize, f64, f64)| (found.1 / exact - 1.0).abs();
        assert!(error(enough) < 0.01 && error(enough) <= error(few), "{enough:?} {few:?} {exact}");
    }
}

/// At ω = 1 the upper rung, undamped, has no bounded motion: the next point tries it again.
#[test]
fn a_rung_that_fails_at_one_point_serves_the_next() {
    let contact = "normal = [0, 1]\nfriction = 0.1\npreload = 1.0";
    let rungs = [balance(contact, 0.5, &[1], 64), balance(contact, 0.0, &[1, 3], 64)];
    // No point is ever good enough.
    let ladder = Ladder { rungs: &rungs, tolerance: -1.0, motions: &[] };
    let mut sizes = Vec::new();
    sequential(ladder, &path(1.0), &[1.0, 1.5], Predictor::Previous, &mut |step| {
        let Step::Solved(point) = step else { panic!("{step:?}") };
        sizes.push(point.newton.u.len());
        true
    });
    assert_eq!(sizes, [rungs[0].size(), rungs[1].size()]);
}

#[test]
fn a_branch_tells_why_it_ends() {
    let cubic = "normal = [1, 0]\nlaw = { type = \"cubic\", cubic = 0.1 }";
    let duffing = balance(cubic, 0.05, &[1], 16);
    let end = |balance: &Balance, path: &Path, max_points: usize, stop_after: usize| {
        let settings = ArcSettings { max_points, ..ArcSettings::default() };
        let mut n = 0;
        let end = arc_length(balance, path, [0.8, 1.2], &settings, &mut |_| {
            n += 1;
            n < stop_after
        });
        (end, n)
    };
    let whole = end(&duffing, &path(0.01), 2000, usize::MAX);
    assert_eq!(whole.0, End::Range);
    assert_eq!(end(&duffing, &path(0.01), 5, usize::MAX), (End::Full, 5));
    assert_eq!(end(&duffing, &path(0.01), 2000, 3), (End::Unwanted, 3));
    // Undamped, its amplitude grows without bound towards ω = 1.
    let rubbing = balance("normal = [0, 1]\nfriction = 0.1\npreload = 1.0", 0.0, &[1], 64);
    let lost = end(&rubbing, &path(1.0), 2000, usize::MAX).0;
    assert!(matches!(lost, End::Lost | End::Full), "{lost:?}");
}

/// A slip of the friction oscillator, held over the frequency and met at each.
#[test]
fn a_load_is_found_for_a_slip_and_gives_that_slip() {
    let balance = balance("normal = [0, 1]\npreload = 1.0\nfriction = 0.3", 0.02, &[1, 3, 5], 256);
    let target = Target {
        contact: 0,
        measure: Measure::HalfOpening,
        amplitude: 2.5,
        tolerance: 1e-8,
        max_load: 100.0,
    };
    let mut loads = Vec::new();
    constant_slip(&balance, &path(0.05), &target, &[0.5, 0.8, 1.1], &mut |step| {
        let Step::Solved(point) = step else { panic!("no load found") };
        let histories = balance.histories(&point);
        let slip = balance.hysteresis(0, &histories).half_opening;
        assert!((slip / 2.5 - 1.0).abs() < 1e-8, "{slip}");
        loads.push(point.parameters.load);
        true
    });
    // Far from the resonance of the sliding mass more load is needed than near it.
    assert!(loads[0] > loads[1] && loads[1] > 4.0 / PI * 0.3 * 0.5, "{loads:?}");
}

#[test]
fn a_slip_that_no_allowed_load_gives_is_refused_with_the_slip_that_was_reached() {
    let balance = balance("normal = [0, 1]\npreload = 1.0\nfriction = 0.3", 0.02, &[1], 64);
    let target = Target {
        contact: 0,
        measure: Measure::MaxSlip,
        amplitude: 1e6,
        tolerance: 1e-6,
        max_load: 8.0,
    };
    let start = path(1.0).held;
    let error = find_load(&balance, &target, &start, None, &NewtonSettings::default());
    let message = error.map(|found| found.slip).unwrap_err().to_string();
    assert!(
        message.contains("max_level") && message.contains("factor that may be tried, 8"),
        "{message}"
    );
}
