use std::f64::consts::TAU;

use faer::Mat;

use super::*;
use crate::continuation::{ArcSettings, Path, Step, arc_length};
use crate::harmonic::{NewtonSettings, Parameter, Treatment, solve_point};
use crate::testing;

/// A structure, its joints and the harmonics of its solutions.
struct Setup {
    structure: ReducedStructure,
    balance: Balance,
}

impl Setup {
    fn new(text: &str, harmonics: &[usize], samples: usize) -> Self {
        let testing::Setup { structure, joints, .. } = testing::Setup::new(text);
        let basis = Basis::new(harmonics, samples).unwrap();
        let balance = Balance::new(&structure, joints, basis, Treatment::default()).unwrap();
        Self { structure, balance }
    }

    fn stability(&self, method: Method) -> Stability {
        Stability::new(&self.structure, &self.balance, method).unwrap()
    }

    fn system(&self) -> System {
        System::new(&self.structure, self.balance.joints.clone()).unwrap()
    }

    fn solve(&self, omega: f64, load: f64) -> Point {
        let parameters = Parameters::at(omega).with(Parameter::Load, load);
        solve_point(&self.balance, &parameters, None, &NewtonSettings::default()).unwrap()
    }

    /// All points of the branch over a range of ω.
    fn follow(&self, load: f64, range: [f64; 2], max_step: f64) -> Vec<Point> {
        let held = Parameters::at(range[0]).with(Parameter::Load, load);
        let newton = NewtonSettings::default();
        let path = Path { parameter: Parameter::Frequency, held, newton };
        let settings = ArcSettings { max_step, ..ArcSettings::default() };
        let mut points = Vec::new();
        arc_length(&self.balance, &path, range, &settings, &mut |step| {
            match step {
                Step::Solved(point) => points.push(*point),
                Step::Failed { parameters, error } => panic!("{parameters:?}: {error}"),
            }
            true
        });
        points
    }

    fn floquet(&self, method: Method, points: &[Point]) -> Vec<Floquet> {
        let stability = self.stability(method);
        let of = |point| stability.of(&self.balance, point).unwrap().unwrap();
        points.iter().map(of).collect()
    }
}

fn mass(damping: f64, contact: &str) -> String {
    format!(
        r#"
        points = {{ m = {{ mass = 1.0, freedoms = ["x"] }} }}
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
    )
}

fn duffing(harmonics: &[usize]) -> Setup {
    Setup::new(
        &mass(0.05, "normal = [1, 0]\nlaw = { type = \"cubic\", cubic = 0.1 }"),
        harmonics,
        128,
    )
}

/// Two masses in a row, the second on a cubic spring.
const CHAIN: &str = r#"
    points = { a = { mass = 1.0, freedoms = ["x"] }, b = { mass = 0.5, freedoms = ["x"] } }
    springs = [
        { between = ["a", "ground"], direction = "x", stiffness = 1.0, damping = 0.04 },
        { between = ["a", "b"], direction = "x", stiffness = 0.8, damping = 0.02 },
    ]
    loads = [{ type = "force", on = "a", force = [1, 0], variation = "harmonic" }]
    analysis = [{ type = "modal" }]
    [[contact]]
    between = ["b", "ground"]
    normal = [1, 0]
    area = 1.0
    law = { type = "cubic", linear = 0.1, cubic = 0.5 }
"#;

/// Largest distance of a multiplier from the nearest of another list.
fn mismatch(ours: &Floquet, theirs: &Floquet) -> f64 {
    assert_eq!(ours.multipliers.len(), theirs.multipliers.len());
    let nearest = |rho: &Complex| {
        theirs.multipliers.iter().map(|other| (other - rho).norm()).fold(f64::INFINITY, f64::min)
    };
    ours.multipliers.iter().map(nearest).fold(0.0, f64::max)
}

#[test]
fn multipliers_of_a_linear_system_are_those_of_its_modes() {
    // λ² + c λ + k = 0 ,  ρ = e^{λT}.
    let law = "normal = [1, 0]\nlaw = { type = \"cubic\", linear = 0.44, cubic = 0.0 }";
    let setup = Setup::new(&mass(0.1, law), &[1, 2, 3], 64);
    let omega = 0.7;
    let point = setup.solve(omega, 1.0);
    let root = Complex::new(-0.05, (1.44_f64 - 0.0025).sqrt());
    let period = TAU / omega;
    let exact = (root * period).exp();
    // What the trapezoidal rule makes of a mode, step by step.
    let step = root * (period / MIN_STEPS as f64) * 0.5;
    let stepped = ((1.0 + step) / (1.0 - step)).powi(MIN_STEPS as i32);
    assert!((stepped - exact).norm() < 5e-4 * exact.norm());
    for (method, known) in [(Method::Monodromy, stepped), (Method::Hill, exact)] {
        let found = &setup.floquet(method, std::slice::from_ref(&point))[0];
        assert_eq!(found.multipliers.len(), 2);
        for rho in &found.multipliers {
            let error = (rho - known).norm().min((rho - known.conj()).norm());
            assert!(error < 1e-9 * known.norm(), "{method:?} {rho} {known}");
        }
    }
}

#[test]
fn the_determinant_of_the_monodromy_is_what_damping_leaves() {
    // Liouville: det Φ = exp(−T tr(M⁻¹C)), whatever the tangent does.
    for (setup, loss) in [
        (duffing(&[1, 3, 5]), 0.05),
        (Setup::new(CHAIN, &[1, 3, 5, 7], 128), 0.04 + 0.02 + 0.02 / 0.5),
    ] {
        let point = setup.solve(1.3, 0.3);
        let found = &setup.floquet(Method::Monodromy, &[point])[0];
        let product: Complex = found.multipliers.iter().product();
        let exact = (-loss * TAU / 1.3).exp();
        assert!((product - exact).norm() < 1e-4 * exact, "{product} {exact}");
    }
}

#[test]
fn hill_and_monodromy_agree() {
    let odd: Vec<usize> = (0..8).map(|k| 2 * k + 1).collect();
    for (setup, range) in [(duffing(&odd), [0.5, 2.0]), (Setup::new(CHAIN, &odd, 256), [0.4, 2.0])]
    {
        let points = setup.follow(0.2, range, 0.1);
        assert!(points.len() > 15);
        let in_time = setup.floquet(Method::Monodromy, &points);
        let in_harmonics = setup.floquet(Method::Hill, &points);
        for ((time, hill), point) in in_time.iter().zip(&in_harmonics).zip(&points) {
            let error = mismatch(time, hill).max(mismatch(hill, time));
            assert!(error < 2e-3, "{} {error}: {time:?} {hill:?}", point.parameters.omega);
            assert_eq!(time.n_unstable(), hill.n_unstable(), "{}", point.parameters.omega);
        }
    }
}

#[test]
fn duffing_loses_stability_at_the_folds_of_the_closed_form() {
    // One harmonic, P = A²: f = [(1 − ω² + ¾k₃P)² + c²ω²] P − F² = 0 folds where ∂f/∂P = 0. Small changes
    // with more than one harmonic, as here, move the crossing by what these harmonics are worth.
    // This is why the cubic term is small.
    let (damping, cubic, force) = (0.02, 0.03, 0.05);
    let law = format!("normal = [1, 0]\nlaw = {{ type = \"cubic\", cubic = {cubic} }}");
    let setup = Setup::new(&mass(damping, &law), &[1], 64);
    let points = setup.follow(force, [0.9, 1.2], 0.02);
    let slope = |point: &Point| {
        let omega = point.parameters.omega;
        let p = setup.balance.basis.amplitude(&point.newton.u, 1).norm_sqr();
        let s = 1.0 - omega * omega + 0.75 * cubic * p;
        s * s + (damping * omega).powi(2) + 1.5 * cubic * p * s
    };
    let crossings = |is_unstable: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let between = (1..points.len()).filter(|i| is_unstable(*i) != is_unstable(i - 1));
        between.map(|i| points[i].parameters.omega).collect()
    };
    let known = crossings(&|i| slope(&points[i]) < 0.0);
    assert_eq!(known.len(), 2);
    for method in [Method::Monodromy, Method::Hill] {
        let found = setup.floquet(method, &points);
        let ours = crossings(&|i| found[i].n_unstable() > 0);
        assert_eq!(ours.len(), 2, "{method:?} {ours:?} {known:?}");
        for (ours, known) in ours.iter().zip(&known) {
            assert!((ours / known - 1.0).abs() < 1e-3, "{method:?} {ours} {known}");
        }
        let turns: Vec<_> = found.windows(2).map(|w| w[0].bifurcation_before(&w[1])).collect();
        assert_eq!(turns.iter().flatten().collect::<Vec<_>>(), [&Bifurcation::Fold; 2]);
    }
}

#[test]
fn duffing_with_many_harmonics_is_unstable_between_its_folds() {
    let setup = duffing(&[1, 3, 5, 7]);
    let points = setup.follow(0.2, [0.5, 2.0], 0.01);
    // Between the folds the curve runs to lower frequencies.
    let omega: Vec<f64> = points.iter().map(|point| point.parameters.omega).collect();
    let found = setup.floquet(Method::Monodromy, &points);
    let mut n_unstable = 0;
    for i in 1..points.len() - 1 {
        let (before, after) = (omega[i] - omega[i - 1], omega[i + 1] - omega[i]);
        if before * after > 0.0 {
            assert_eq!(found[i].n_unstable() == 1, before < 0.0, "{}: {:?}", omega[i], found[i]);
            n_unstable += found[i].n_unstable();
        }
    }
    assert!(n_unstable > 10, "{n_unstable}");
}

#[test]
fn integration_leaves_unstable_solutions_and_stays_at_stable_ones() {
    let setup = duffing(&[1, 3, 5, 7]);
    let (system, points) = (setup.system(), setup.follow(0.2, [0.5, 2.0], 0.1));
    let found = setup.floquet(Method::Monodromy, &points);
    let mut counts = [0, 0];
    for (point, floquet) in points.iter().zip(&found) {
        let start = start(&setup.balance, point);
        let Parameters { omega, load, .. } = point.parameters;
        let mut pushed = start.clone();
        pushed.position[0] *= 1.01;
        let settings = Settings {
            method: Search::Integration,
            steps_per_period: 400,
            tolerance: 1e-7,
            ..Settings::default()
        };
        let end = steady_state_from(&system, Drive { omega, load }, &pushed, &settings).unwrap();
        let distance = start.distance(&end.start, &system, omega);
        let is_stable = floquet.n_unstable() == 0;
        // Near a fold the nearest solutions merge; none of the points is that near.
        assert_eq!(distance < 2e-2, is_stable, "{omega} {distance} {floquet:?}");
        counts[usize::from(is_stable)] += 1;
    }
    assert!(counts[0] > 2 && counts[1] > 5, "{counts:?}");
}

#[test]
fn sliders_have_the_multipliers_of_shooting() {
    let law = "normal = [0, 1]\nfriction = 0.5\npreload = 1.0\n\
               law = { type = \"penalty\", normal_stiffness = 1.0, tangential_stiffness = 2.0 }";
    let harmonics: Vec<usize> = (0..20).map(|k| 2 * k + 1).collect();
    let setup = Setup::new(&mass(0.02, law), &harmonics, 1024);
    let system = setup.system();
    for (omega, load) in [(1.0, 0.8), (1.5, 0.2), (0.7, 1.2)] {
        let point = setup.solve(omega, load);
        let ours = &setup.floquet(Method::Monodromy, std::slice::from_ref(&point))[0];
        let settings = Settings { method: Search::Shooting, ..Settings::default() };
        let start = start(&setup.balance, &point);
        let shot = steady_state_from(&system, Drive { omega, load }, &start, &settings).unwrap();
        assert!(shot.has_converged);
        let theirs = Floquet::new(shot.multipliers, MARGIN, 0.0);
        let error = mismatch(ours, &theirs).max(mismatch(&theirs, ours));
        assert!(error < 2e-2, "{omega} {load}: {error} {ours:?} {theirs:?}");
    }
}

#[test]
fn a_spring_that_breathes_doubles_the_period() {
    // Mathieu: ẍ + 2ζẋ + (1 + q cos ωt) x = 0 near ω = 2 is unstable for q > 4ζ at ω = 2 (first order in q),
    // with a multiplier near −1.
    let law = "normal = [1, 0]\nlaw = { type = \"cubic\", linear = 0.0, cubic = 1.0 }";
    let setup = Setup::new(&mass(0.02, law), &[1, 2, 3, 4], 64);
    let system = setup.system();
    let tangents = |q: f64| -> Vec<Mat<f64>> {
        let at = |j: usize| q * (TAU * (j + 1) as f64 / 1000.0).cos();
        (0..1000).map(|j| Mat::from_fn(1, 1, |_, _| at(j))).collect()
    };
    let floquet = |q: f64| {
        let values = variational::multipliers(&system, 2.0, &tangents(q)).unwrap();
        Floquet::new(values, MARGIN, 0.0)
    };
    let (below, above) = (floquet(0.038), floquet(0.042));
    assert_eq!((below.n_unstable(), above.n_unstable()), (0, 1), "{below:?} {above:?}");
    assert_eq!(below.bifurcation_before(&above), Some(Bifurcation::PeriodDoubling));
    assert_eq!(above.bifurcation_before(&below), Some(Bifurcation::PeriodDoubling));
    let hill = hill::multipliers(&system, 2.0, &tangents(0.042), 4).unwrap();
    let hill = Floquet::new(hill, MARGIN, 0.0);
    assert!((hill.multipliers[0] - above.multipliers[0]).norm() < 1e-4, "{hill:?} {above:?}");
}

#[test]
fn crossings_of_the_circle_are_told_apart() {
    let of = |values: &[(f64, f64)]| {
        let values = values.iter().map(|(re, im)| Complex::new(*re, *im)).collect();
        Floquet::new(values, MARGIN, 0.0)
    };
    let inside = of(&[(0.5, 0.0), (0.3, 0.2), (0.3, -0.2)]);
    let cases = [
        (of(&[(1.1, 0.0), (0.3, 0.2), (0.3, -0.2)]), Some(Bifurcation::Fold)),
        (of(&[(-1.1, 0.0), (0.3, 0.2), (0.3, -0.2)]), Some(Bifurcation::PeriodDoubling)),
        (of(&[(0.5, 0.0), (0.3, 1.2), (0.3, -1.2)]), Some(Bifurcation::NeimarkSacker)),
        (inside.clone(), None),
    ];
    for (outside, expected) in &cases {
        assert_eq!(inside.bifurcation_before(outside), *expected);
        assert_eq!(outside.bifurcation_before(&inside), *expected);
    }
    // A pair that meets outside crosses nothing.
    let (pair, two) = (of(&[(1.2, 0.1), (1.2, -0.1)]), of(&[(1.3, 0.0), (1.1, 0.0)]));
    assert_eq!(pair.bifurcation_before(&two), None);
}

#[test]
fn exact_friction_is_stable_where_integration_converges_to_it() {
    let odd: Vec<usize> = (0..16).map(|k| 2 * k + 1).collect();
    let setup = Setup::new(testing::ACADEMIC, &odd, 1024);
    let (system, stability) = (setup.system(), setup.stability(Method::Monodromy));
    for (load, frequency) in
        [(16.0, 0.6), (16.0, 0.8), (10.0, 1.0), (6.0, 1.0), (6.0, 1.1), (10.0, 0.7)]
    {
        let point = setup.solve(TAU * frequency, load);
        let floquet = stability.of(&setup.balance, &point).unwrap().unwrap();
        let drive = Drive { omega: TAU * frequency, load };
        let settings = Settings { method: Search::Integration, ..Settings::default() };
        let found = crate::transient::steady_state(&system, drive, &settings).unwrap();
        assert!(found.has_converged);
        assert_eq!(floquet.n_unstable(), 0, "{load} {frequency} {floquet:?}");
        assert!(floquet.distance < 0.1, "{load} {frequency} {floquet:?}");
        assert_eq!(floquet.multipliers.len(), stability.n_multipliers());
    }
}

#[test]
fn sliding_that_turns_round_has_the_multipliers_of_saltation() {
    // Den Hartog's motion without stops: between reversals the mass is a free undamped oscillator, and at
    // each reversal a velocity shrinks to a⁺/a⁻ of itself, accelerations after and before. So det Φ is the
    // square of that.
    let setup =
        Setup::new(&mass(0.0, "normal = [0, 1]\nfriction = 0.5\npreload = 1.0"), &[1, 3, 5], 256);
    let (omega, load): (f64, f64) = (1.3, 3.0);
    let drive = Drive { omega, load };
    let settings =
        Settings { method: Search::Shooting, steps_per_period: 4000, ..Settings::default() };
    let found = crate::transient::steady_state(&setup.system(), drive, &settings).unwrap();
    // At the largest displacement, u̇ = 0: ü = F cos ωt − u ± 0.5.
    let at =
        (0..4000).max_by(|a, b| found.relative[0][*a].total_cmp(&found.relative[0][*b])).unwrap();
    let push = load * (TAU * (at + 1) as f64 / 4000.0).cos() - found.relative[0][at];
    let ratio = (push.abs() - 0.5) / (push.abs() + 0.5);
    let product: Complex = found.multipliers.iter().product();
    assert!((product.re - ratio * ratio).abs() < 0.1, "{product} {}", ratio * ratio);
    assert!(found.multipliers[0].norm() < 1.0);
}

#[test]
fn every_branch_of_a_stop_is_a_motion_in_time() {
    // A one-sided spring behind a gap bends the resonance: the branches with impacts, stable and not, point
    // by point from the state of harmonic balance. 15 harmonics leave about 1e-4 of the amplitude, and more
    // where a multiplier is near 1: errors grow by 1/(1 − ρ) there, and a fold that moves by 1e-4 of its
    // frequency leaves points with |1 − ρ| < 0.01 without a partner in time.
    let law = "normal = [1, 0]\ngap = 1.0\nlaw = { type = \"penalty\", normal_stiffness = 3.0 }";
    let harmonics: Vec<usize> = (1..16).collect();
    let setup = Setup::new(&mass(0.06, law), &harmonics, 512);
    let (system, points) = (setup.system(), setup.follow(0.2, [0.6, 1.8], 0.05));
    let found = setup.floquet(Method::Monodromy, &points);
    let (mut counts, mut n_at_fold) = ([0, 0], 0);
    for (point, floquet) in points.iter().zip(&found) {
        let u = setup.balance.basis.to_time(&point.newton.u);
        let lowest = u.iter().copied().fold(f64::INFINITY, f64::min);
        let is_at_fold = floquet.multipliers.iter().any(|rho| (rho - 1.0).norm() < 0.03);
        n_at_fold += usize::from(is_at_fold);
        if lowest > -1.0 || is_at_fold {
            continue;
        }
        let Parameters { omega, load, .. } = point.parameters;
        let (drive, start) = (Drive { omega, load }, start(&setup.balance, point));
        let is_stable = floquet.n_unstable() == 0;
        let method = if is_stable { Search::Integration } else { Search::Shooting };
        let settings = Settings { method, ..Settings::default() };
        let found = steady_state_from(&system, drive, &start, &settings).unwrap();
        assert!(found.has_converged, "{omega} {floquet:?}");
        let error = start.distance(&found.start, &system, omega);
        assert!(error < 2e-3, "{omega}: off by {error}, {floquet:?}");
        let ours = found.relative[0].iter().copied().fold(f64::INFINITY, f64::min);
        assert!((ours / lowest - 1.0).abs() < 1e-3, "{omega}: {ours} {lowest}");
        if !is_stable {
            // Shooting knows as well that it is not.
            assert!(found.multipliers[0].norm() > 1.0, "{omega} {:?}", found.multipliers);
        }
        counts[usize::from(is_stable)] += 1;
    }
    assert!(counts[0] > 5 && counts[1] > 10 && n_at_fold <= 4, "{counts:?} {n_at_fold}");
}
