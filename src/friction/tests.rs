use super::hybrid::Power;
use super::smoothed_coulomb::Rounding;
use super::*;

const HYBRID: Hybrid = Hybrid {
    elastic_stiffness: 3e5,
    plastic_stiffness: 2e5,
    slip_stiffness: 4e5,
    plastic_damping: 160.0,
    slip_damping: 120.0,
    stribeck_velocity: 2e-3,
    stribeck_exponent: 2.0,
};

const LUGRE: Lugre = Lugre {
    stiffness: 1e5,
    damping: 50.0,
    viscous: 0.4,
    stribeck_velocity: 1e-3,
    stribeck_exponent: 2.0,
    per_normal_force: false,
};

const ELASTO_PLASTIC: ElastoPlastic = ElastoPlastic {
    stiffness: 1e5,
    damping: 50.0,
    viscous: 0.4,
    elastic_range: 0.6,
    stribeck_velocity: 1e-3,
    stribeck_exponent: 2.0,
};

const STRIBECK: Stribeck = Stribeck {
    stiffness: None,
    elastic_slip: Some(1e-5),
    stribeck_velocity: 1e-3,
    stribeck_exponent: 2.0,
};

/// One of each, on a scale of 10 µm, 1 mm/s and 1 N.
fn laws() -> Vec<Law> {
    let dahl = |exponent| Law::Dahl(Dahl { stiffness: 1e5, exponent });
    let bouc_wen = |exponent, beta| {
        Law::BoucWen(BoucWen { stiffness: 1e5, slip_stiffness: 1e3, beta, exponent })
    };
    let valanis = |transition, yield_force| {
        Law::Valanis(Valanis { stiffness: 1e5, slip_stiffness: 1e3, transition, yield_force })
    };
    vec![
        Law::Jenkins(Jenkins { stiffness: Some(1e5), elastic_slip: None }),
        Law::Jenkins(Jenkins { stiffness: None, elastic_slip: Some(1e-5) }),
        Law::Iwan(Iwan { stiffness: Some(1e5), elastic_slip: None, elements: 13, spread: 0.9 }),
        Law::SmoothedCoulomb(SmoothedCoulomb { velocity: 1e-3, rounding: Rounding::Tanh }),
        Law::SmoothedCoulomb(SmoothedCoulomb { velocity: 1e-3, rounding: Rounding::Arctan }),
        Law::VelocityLimited(VelocityLimited {
            velocity: 5e-4,
            stribeck_velocity: Some(1e-3),
            stribeck_exponent: 2.0,
        }),
        Law::Karnopp(Karnopp { velocity: 1e-4, stribeck_velocity: None }),
        Law::ForceBalance(ForceBalance { stribeck_velocity: None }),
        Law::SpringDamper(SpringDamper { stiffness: 1e5, damping: 10.0 }),
        Law::Stribeck(STRIBECK),
        Law::ExponentialDecay(ExponentialDecay {
            stiffness: Some(1e5),
            elastic_slip: None,
            decay: 1e3,
        }),
        Law::Viscous(Viscous { damping: 100.0, damping_per_force: 50.0 }),
        dahl(1.0),
        dahl(0.5),
        dahl(2.0),
        Law::Lugre(LUGRE),
        Law::Lugre(Lugre { per_normal_force: true, ..LUGRE }),
        Law::ElastoPlastic(ELASTO_PLASTIC),
        bouc_wen(1.0, 0.5),
        bouc_wen(2.0, 0.7),
        valanis(0.0, None),
        valanis(0.5, Some(1.2)),
        valanis(0.9, None),
        Law::OzakiHashiguchi(OzakiHashiguchi { stiffness: 1e5, softening: 1e4, recovery: 5.0 }),
        Law::Hybrid(HYBRID),
    ]
}

/// Numbers in −1 … 1 that look random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn step(&mut self) -> Step<f64> {
        Step {
            duration: 4e-3 * (1.2 + self.next()),
            slip_before: 2e-5 * self.next(),
            slip: 2e-5 * self.next(),
            velocity: 3e-3 * self.next(),
            pressure_before: 1.5 + self.next(),
            pressure: 1.5 + self.next(),
            friction: 0.8 + 0.3 * self.next(),
            static_ratio: 1.4,
            hold: self.next(),
        }
    }

    fn states(&mut self, law: &Law) -> Vec<f64> {
        let scale = |i: usize| match law {
            Law::OzakiHashiguchi(_) if i == 1 => 0.2,
            Law::Karnopp(_) => 1e-3,
            Law::ForceBalance(_) | Law::SpringDamper(_) if i == 1 => 0.0,
            _ => 1e-5,
        };
        (0..law.n_states()).map(|i| scale(i) * self.next()).collect()
    }
}

/// Force and states as one list.
fn outcome(law: &Law, before: &[f64], step: &Step<f64>) -> Vec<f64> {
    let mut after = vec![0.0; before.len()];
    let force = law.step(before, step, &mut after);
    std::iter::once(force).chain(after).collect()
}

/// Size by which an input is measured, and the same with the input moved.
fn moved(step: &Step<f64>, before: &[f64], input: usize, by: f64) -> (f64, Step<f64>, Vec<f64>) {
    let (mut step, mut before) = (*step, before.to_vec());
    let size = match input {
        0 => 4e-3,
        1 | 2 => 1e-5,
        3 => 1e-3,
        4..=6 => 1.0,
        i => before[i - Input::COUNT].abs().max(1e-6),
    };
    let change = by * size;
    match input {
        0 => step.duration += change,
        1 => step.slip_before += change,
        2 => step.slip += change,
        3 => step.velocity += change,
        4 => step.pressure_before += change,
        5 => step.pressure += change,
        6 => step.friction += change,
        i => before[i - Input::COUNT] += change,
    }
    (size, step, before)
}

#[test]
fn derivatives_equal_differences() {
    let mut numbers = Numbers(7);
    for law in laws() {
        let (mut worst, mut compared, mut all): (f64, usize, usize) = (0.0, 0, 0);
        for _ in 0..200 {
            let (step, before) = (numbers.step(), numbers.states(&law));
            let mut after = vec![0.0; before.len()];
            let mut partials = Partials::default();
            let force = partials.step(&law, &before, &step, &mut after);
            assert_eq!(outcome(&law, &before, &step)[0], force, "{}", law.name());
            let inputs = [Input::Slip, Input::Velocity, Input::Pressure];
            let few = inputs.map(|input| partials.force()[input as usize]);
            assert_eq!(partials.slopes(&law, &before, &step, &mut after), (force, few));
            for input in 0..Input::COUNT + before.len() {
                let by = |by: f64| {
                    let (_, step, before) = moved(&step, &before, input, by);
                    outcome(&law, &before, &step)
                };
                let h = 1e-5;
                let (one, two) = (by(h), by(-h));
                let (half, other) = (by(0.5 * h), by(-0.5 * h));
                let (size, ..) = moved(&step, &before, input, 0.0);
                let rows = std::iter::once(partials.force())
                    .chain((0..before.len()).map(|i| partials.state(i)));
                for (r, row) in rows.enumerate() {
                    // Forces in N, deflections on the scale of 10 µm.
                    let unit = if r == 0 { 1.0 } else { 1e-5 };
                    let wide = (one[r] - two[r]) / (2.0 * h) / unit;
                    let narrow = (half[r] - other[r]) / h / unit;
                    let exact = row[input] * size / unit;
                    all += 1;
                    // Kinks are told by differences that disagree among themselves.
                    if (wide - narrow).abs() <= 1e-4 * (1.0 + wide.abs()) {
                        compared += 1;
                        worst = worst.max((exact - narrow).abs() / (1.0 + exact.abs()));
                    }
                }
            }
        }
        assert!(worst < 1e-5, "{}: {worst:e}", law.name());
        assert!(10 * compared > 9 * all, "{}: {compared} of {all}", law.name());
    }
}

/// Forces while the slip goes through the given places at equal times.
fn drive(law: &Law, places: &[f64], h: f64, static_ratio: f64, pressure: f64) -> Vec<f64> {
    let mut states = vec![0.0; law.n_states()];
    let mut after = states.clone();
    let n = places.len();
    let force = |j: usize| {
        let step = Step {
            duration: h,
            slip_before: places[j - 1],
            slip: places[j],
            velocity: (places[(j + 1).min(n - 1)] - places[j - 1])
                / (h * ((j + 1).min(n - 1) + 1 - j) as f64),
            pressure_before: pressure,
            pressure,
            friction: 1.0,
            static_ratio,
            hold: 0.0,
        };
        let force = law.step(&states, &step, &mut after);
        std::mem::swap(&mut states, &mut after);
        force
    };
    (1..n).map(force).collect()
}

fn line(from: f64, to: f64, n: usize) -> Vec<f64> {
    (0..=n).map(|i| from + (to - from) * i as f64 / n as f64).collect()
}

#[test]
fn steady_sliding_reaches_the_limit() {
    for law in laws().iter().filter(|law| !law.is_time_only()) {
        // 1 mm at 20 mm/s: far beyond every deflection and every Stribeck velocity.
        let forces = drive(law, &line(0.0, 1e-3, 4000), 1e-3 / 0.02 / 4000.0, 1.4, 2.0);
        let last = forces[forces.len() - 1];
        let expected = match law {
            Law::Viscous(law) => (law.damping + 2.0 * law.damping_per_force) * 0.02,
            // An algebraic approach: w = 1/(1 + s).
            Law::Dahl(Dahl { exponent: 2.0, stiffness }) => {
                2.0 - 2.0 / (1.0 + stiffness * 1e-3 / 2.0)
            }
            Law::Lugre(law) if law.per_normal_force => 2.0 * (1.0 + law.viscous * 0.02),
            Law::Lugre(_) | Law::ElastoPlastic(_) => 2.0 + 0.4 * 0.02,
            Law::BoucWen(_) => 2.0 + 1e3 * 1e-3,
            Law::Valanis(law) => law.yield_force.unwrap_or(2.0) * (1.0 - 0.01) + 1e3 * 1e-3,
            Law::OzakiHashiguchi(law) => {
                let v = 0.02;
                2.0 * (law.softening * v + law.recovery) / (law.softening * v + law.recovery / 1.4)
            }
            Law::SmoothedCoulomb(SmoothedCoulomb { rounding: Rounding::Arctan, .. }) => {
                2.0 * std::f64::consts::FRAC_2_PI * 20.0_f64.atan()
            }
            _ => 2.0,
        };
        assert!((last / expected - 1.0).abs() < 1e-4, "{}: {last} {expected}", law.name());
    }
}

#[test]
fn stiffness_at_the_origin_is_that_of_the_law() {
    for law in laws().iter().filter(|law| law.n_states() > 0 && !law.is_time_only()) {
        // A slow nanometre: no damping, no slip.
        let forces = drive(law, &line(0.0, 1e-9, 10), 1e3, 1.4, 2.0);
        let stiffness = forces[forces.len() - 1] / 1e-9;
        let expected = match law {
            Law::Jenkins(Jenkins { elastic_slip: Some(slip), .. }) => 2.0 / slip,
            Law::Stribeck(_) => 1.4 * 2.0 / 1e-5,
            Law::BoucWen(law) => law.stiffness + law.slip_stiffness,
            Law::Lugre(law) if law.per_normal_force => 2.0 * law.stiffness,
            Law::Hybrid(law) => {
                let (a, b, c) = (law.elastic_stiffness, law.plastic_stiffness, law.slip_stiffness);
                1.0 / (1.0 / a + 1.0 / b + 1.0 / c)
            }
            _ => 1e5,
        };
        assert!(
            (stiffness / expected - 1.0).abs() < 1e-3,
            "{}: {stiffness} {expected}",
            law.name()
        );
    }
}

/// ∮ F dx over the second period of x = X sin τ, made of n steps.
fn loop_area(law: &Law, amplitude: f64, n: usize, period: f64, static_ratio: f64) -> f64 {
    let place = |i: usize| amplitude * (std::f64::consts::TAU * i as f64 / n as f64).sin();
    let places: Vec<f64> = (0..=3 * n).map(place).collect();
    let forces = drive(law, &places, period / n as f64, static_ratio, 1.0);
    (n + 1..=2 * n)
        .map(|j| 0.5 * (forces[j - 1] + forces[j - 2]) * (places[j] - places[j - 1]))
        .sum()
}

#[test]
fn loops_enclose_what_they_should() {
    let (x, k) = (1e-4, 1e5);
    for law in laws() {
        let expected = match law {
            Law::Jenkins(_) => 4.0 * (x - 1.0 / k),
            // The mean of those of its elements.
            Law::Iwan(_) => 4.0 * (x - (1.0 + 0.81 * (1.0 - 1.0 / 169.0) / 3.0) / k),
            Law::SpringDamper(_) => 4.0 * (x - 0.25 / k),
            // Every κ encloses the same.
            Law::Valanis(law) => {
                let force = law.yield_force.unwrap_or(1.0);
                4.0 * force * 0.99 * (x - force / k)
            }
            Law::Dahl(Dahl { exponent: 1.0, .. }) => {
                // Of a steady loop between saturated ends: 4F_c(X − F_c/σ₀).
                4.0 * (x - 1.0 / k)
            }
            _ => continue,
        };
        // Slow: a dashpot counts for nothing.
        let area = loop_area(&law, x, 40_000, 1e4, 1.0);
        assert!((area / expected - 1.0).abs() < 1e-3, "{}: {area:e} {expected:e}", law.name());
    }
}

#[test]
fn valanis_has_its_slopes_and_its_closed_form() {
    for kappa in [0.0, 0.5, 0.9, 0.99] {
        let law = Valanis {
            stiffness: 6.37e6,
            slip_stiffness: 8.4e3,
            transition: kappa,
            yield_force: Some(39.35),
        };
        let (e0, alpha) = (6.37e6, 39.35);
        let there = line(0.0, 120e-6, 120_000);
        let forces = drive(&Law::Valanis(law), &there, 1.0, 1.0, 1.0);
        // The asymptote S = e_t x + α₀(1 − e_t/e₀).
        let last = forces[forces.len() - 1] - 8.4e3 * 120e-6;
        assert!((last / 39.298 - 1.0).abs() < 2e-5, "{kappa}: {last}");
        // Just after the reversal 2e₀/(1 + κ), not e₀.
        let mut back = there.clone();
        back.extend(line(120e-6, 119.99e-6, 10).into_iter().skip(1));
        let forces = drive(&Law::Valanis(law), &back, 1.0, 1.0, 1.0);
        let n = forces.len();
        let slope = (forces[n - 11] - forces[n - 1]) / 0.01e-6;
        let expected = 2.0 * e0 / (1.0 + kappa);
        assert!((slope / expected - 1.0).abs() < 6e-3, "{kappa}: {slope:e} {expected:e}");
        // Virgin loading with e_t = 0: x = [κy − (1 − κ) ln(1 − y)]/λ, S = α₀ y.
        let law = Law::Valanis(Valanis { slip_stiffness: 0.0, ..law });
        let lambda = e0 / alpha;
        for y in [0.3, 0.633, 0.9] {
            let x: f64 = (kappa * y - (1.0 - kappa) * (1.0_f64 - y).ln()) / lambda;
            for steps in [1, 7, 1000] {
                let forces = drive(&law, &line(0.0, x, steps), 1.0, 1.0, 1.0);
                let ratio = forces[forces.len() - 1] / (alpha * y);
                assert!((ratio - 1.0).abs() < 3e-3, "{kappa} {y} {steps}: {ratio}");
            }
        }
    }
}

#[test]
fn iwan_follows_the_parabola_of_the_uniform_density() {
    let law =
        Law::Iwan(Iwan { stiffness: Some(1e5), elastic_slip: None, elements: 100, spread: 1.0 });
    for kx in [0.2, 0.7, 1.3, 1.9] {
        let forces = drive(&law, &line(0.0, kx / 1e5, 50), 1.0, 1.0, 1.0);
        let expected = kx - kx * kx / 4.0;
        assert!((forces[49] - expected).abs() < 1e-4, "{kx}: {}", forces[49]);
    }
}

#[test]
fn laws_become_each_other_in_their_limits() {
    let dahl = Law::Dahl(Dahl { stiffness: 1e5, exponent: 1.0 });
    let lugre = Law::Lugre(Lugre { damping: 0.0, viscous: 0.0, ..LUGRE });
    let bouc_wen =
        Law::BoucWen(BoucWen { stiffness: 1e5, slip_stiffness: 0.0, beta: 1.0, exponent: 1.0 });
    let valanis = Law::Valanis(Valanis {
        stiffness: 1e5,
        slip_stiffness: 0.0,
        transition: 0.0,
        yield_force: None,
    });
    let n = 4000;
    let place = |i: usize| 3e-5 * (0.01 * i as f64).sin() * (0.0023 * i as f64).cos();
    let places: Vec<f64> = (0..n).map(place).collect();
    let expected = drive(&dahl, &places, 1e-3, 1.0, 1.0);
    for law in [lugre, bouc_wen, valanis] {
        let forces = drive(&law, &places, 1e-3, 1.0, 1.0);
        let worst = forces.iter().zip(&expected).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        // The kink of Bouc–Wen at z = 0 is met within a piece.
        assert!(worst < 2e-3, "{}: {worst:e}", law.name());
    }
}

#[test]
fn steps_of_any_length_arrive_at_the_same_place() {
    // Constant velocity: exact or exponential updates do not depend on the step.
    for law in laws().iter().filter(|law| law.n_states() > 0 && !law.is_time_only()) {
        let fine = drive(law, &line(0.0, 3e-5, 30_000), 3e-2 / 30_000.0, 1.4, 1.0);
        for n in [1, 3, 10, 100] {
            let coarse = drive(law, &line(0.0, 3e-5, n), 3e-2 / n as f64, 1.4, 1.0);
            let (a, b) = (coarse[n - 1], fine[fine.len() - 1]);
            let tol = if matches!(law, Law::OzakiHashiguchi(_)) && n < 100 { 0.3 } else { 6e-3 };
            assert!((a - b).abs() < tol, "{} in {n} steps: {a} {b}", law.name());
        }
    }
}

#[test]
fn lugre_breaks_away_the_later_the_slower() {
    // The peak on the way from rest falls with the rate (Canudas de Wit et al.).
    let law = Law::Lugre(Lugre { damping: 316.2, ..LUGRE });
    let peak = |velocity: f64| {
        let forces = drive(&law, &line(0.0, 1e-4, 20_000), 1e-4 / velocity / 20_000.0, 1.5, 1.0);
        forces.iter().copied().fold(0.0, f64::max)
    };
    assert!((peak(1e-6) - 1.5).abs() < 2e-3, "{}", peak(1e-6));
    assert!(peak(1e-6) > peak(3e-4) && peak(3e-4) > peak(1e-3));
}

/// Mean slip per cycle of a small oscillation of the force about a bias, found from the force.
fn drift(law: &Law) -> f64 {
    let mut states = vec![0.0; law.n_states()];
    let (mut after, mut x, n) = (states.clone(), 0.0, 200);
    let mut places = Vec::new();
    for i in 0..20 * n {
        let target = 0.5 + 0.1 * (std::f64::consts::TAU * i as f64 / n as f64).sin();
        // The slip at which the force is the target, by Newton.
        let before = x;
        for _ in 0..30 {
            let step = Step {
                duration: 1.0,
                slip_before: before,
                slip: x,
                velocity: 0.0,
                pressure_before: 1.0,
                pressure: 1.0,
                friction: 1.0,
                static_ratio: 1.0,
                hold: 0.0,
            };
            let mut partials = Partials::default();
            let force = partials.step(law, &states, &step, &mut after);
            let change = (target - force) / partials.force()[Input::Slip as usize];
            x += change;
            if change.abs() < 1e-16 {
                break;
            }
        }
        std::mem::swap(&mut states, &mut after);
        places.push(x);
    }
    (places[20 * n - 1] - places[10 * n - 1]) / 10.0
}

#[test]
fn lugre_drifts_and_the_elasto_plastic_law_does_not() {
    let lugre = drift(&Law::Lugre(LUGRE));
    let elastic =
        drift(&Law::ElastoPlastic(ElastoPlastic { elastic_range: 0.7, ..ELASTO_PLASTIC }));
    // Small amplitudes: dz = dx(1 ∓ z/z_m), per cycle ∮ |dx| z/z_m ≈ 4A z/z_m.
    assert!(lugre > 0.5 * 4.0 * 0.1 * 0.5 * 1e-5, "{lugre:e}");
    assert!(elastic.abs() < 1e-15, "{elastic:e}");
}

#[test]
fn normalised_lugre_saturates() {
    // Without σ₀ in the rate z would grow to the slip: 8 N set of the beam, 4 µm at 49.25 Hz.
    let law = Law::Lugre(Lugre {
        stiffness: 1.22e5,
        damping: 27.75,
        viscous: 0.0,
        stribeck_velocity: 4.728e-4,
        stribeck_exponent: 2.0,
        per_normal_force: true,
    });
    let n = 4000;
    let place = |i: usize| 4e-6 * (std::f64::consts::TAU * i as f64 / n as f64).sin();
    let places: Vec<f64> = (0..=3 * n).map(place).collect();
    let mut states = vec![0.0];
    let mut after = vec![0.0];
    let mut largest = 0.0_f64;
    for j in 1..3 * n {
        let h = 1.0 / (49.25 * n as f64);
        let step = Step {
            duration: h,
            slip_before: places[j - 1],
            slip: places[j],
            velocity: (places[j + 1] - places[j - 1]) / (2.0 * h),
            pressure_before: 83.4,
            pressure: 83.4,
            friction: 0.197,
            static_ratio: 0.463 / 0.197,
            hold: 0.0,
        };
        let force = law.step(&states, &step, &mut after);
        std::mem::swap(&mut states, &mut after);
        if j > 2 * n {
            largest = largest.max(force);
        }
    }
    // 18.6 N in the reference's own recomputation, 41 N with the misprint.
    assert!((largest / 18.6 - 1.0).abs() < 0.01, "{largest}");
}

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
        law.step(&states, &step, &mut after);
        std::mem::swap(&mut states, &mut after);
        let power = HYBRID.power([states[0], states[1]], velocity, 1.0, 1.5);
        let now = (power.input, power.plastic + power.partial_slip + power.gross_slip);
        if let Some(past) = before {
            work += 0.5 * h * (past.0 + now.0);
            lost += 0.5 * h * (past.1 + now.1);
        } else {
            work += 0.5 * h * now.0;
            lost += 0.5 * h * now.1;
        }
        before = Some(now);
    }
    let stored = HYBRID.stored(&states);
    let rest = (work - lost - stored) / work;
    assert!(rest.abs() < 1e-8, "{rest:e}");
}

#[test]
fn bad_parameters_are_named_with_their_law() {
    for law in laws() {
        assert_eq!(law.faults(), vec![], "{}", law.name());
    }
    let faults = Law::Lugre(Lugre { stiffness: -1.0, stribeck_velocity: 0.0, ..LUGRE }).faults();
    let keys: Vec<&str> = faults.iter().map(|fault| fault.key).collect();
    assert_eq!(keys, ["stiffness", "stribeck_velocity"]);
    assert!(faults.iter().all(|fault| fault.message.starts_with("lugre: ")));
    let both = Law::Jenkins(Jenkins { stiffness: Some(1.0), elastic_slip: Some(1.0) });
    assert_eq!(both.faults().len(), 1);
    let nan = Law::Dahl(Dahl { stiffness: f64::NAN, exponent: 1.0 });
    assert_eq!(nan.faults()[0].key, "stiffness");
}

#[test]
fn an_open_contact_has_no_friction_and_nothing_is_undefined() {
    let mut numbers = Numbers(11);
    for law in laws() {
        for _ in 0..100 {
            let before = numbers.states(&law);
            for (pressure_before, pressure) in [(1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (1e-300, 1e-90)]
            {
                for moved in [0.0, 1.0] {
                    let mut step = numbers.step();
                    step = Step { pressure_before, pressure, hold: 0.0, ..step };
                    step.slip = step.slip_before + moved * (step.slip - step.slip_before);
                    let mut after = vec![0.0; before.len()];
                    let mut partials = Partials::default();
                    let force = partials.step(&law, &before, &step, &mut after);
                    let name = law.name();
                    let is_dashpot = matches!(law, Law::Viscous(_));
                    assert!(pressure > 0.0 || is_dashpot || force == 0.0, "{name}: {force}");
                    let rows =
                        (0..before.len()).flat_map(|i| partials.state(i)).chain(partials.force());
                    assert!(force.is_finite(), "{name}");
                    assert!(rows.copied().all(f64::is_finite), "{name} {step:?} {before:?}");
                }
            }
        }
    }
}

#[test]
fn normal_laws_carry_the_preload_at_rest_and_never_pull() {
    let laws = [
        NormalLaw::Constant,
        NormalLaw::Penalty { stiffness: 1e9 },
        NormalLaw::Power { coefficient: 1e12, exponent: 1.5 },
        NormalLaw::HuntCrossley { coefficient: 5.41e14, exponent: 1.86, damping: 7.23e3 },
    ];
    for law in laws {
        assert!((law.force(0.0, 0.0, 98.1) / 98.1 - 1.0).abs() < 1e-12);
        assert!(law.force(-1.0, 0.0, 98.1) == if law == NormalLaw::Constant { 98.1 } else { 0.0 });
        assert!(law.force(1e-7, -1.0, 98.1) >= 0.0);
    }
    // Table 2 of the Hunt–Crossley beam: 99.3 N at 0.1421 µm, 1.30e9 N/m, and a damping factor of 1.3 at ωδ₀.
    let law = NormalLaw::HuntCrossley { coefficient: 5.41e14, exponent: 1.86, damping: 7.23e3 };
    let approach = Dual::<1>::input(14.21e-8, 0);
    let zero = Dual::<1>::constant(0.0);
    let force = law.force(approach, zero, zero);
    assert!((force.value / 99.3 - 1.0).abs() < 1e-2, "{}", force.value);
    assert!((force.slopes[0] / 1.30e9 - 1.0).abs() < 1e-2, "{}", force.slopes[0]);
    let damped = law.force(14.21e-8, 14.21e-8 * 320.0, 0.0) / force.value;
    assert!((damped - 1.33).abs() < 0.01, "{damped}");
}
