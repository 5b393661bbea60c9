use super::smoothed_coulomb::Rounding;
use super::*;

mod closed_forms;
mod energy;
mod hybrid;

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
            Law::ForceBalance(_) if i == 1 => 0.0,
            Law::SpringDamper(_) if i == 1 => 1e-3,
            Law::SpringDamper(_) if i == 2 => 0.9,
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
                    let is_kink = (wide - narrow).abs() > 1e-4 * (1.0 + wide.abs());
                    if !is_kink {
                        compared += 1;
                        worst = larger(worst, (exact - narrow).abs() / (1.0 + exact.abs()));
                    }
                }
            }
        }
        assert!(worst < 1e-5, "{}: {worst:e}", law.name());
        assert!(10 * compared > 9 * all, "{}: {compared} of {all}", law.name());
    }
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
    let active =
        Law::BoucWen(BoucWen { stiffness: 1.0, slip_stiffness: 0.0, beta: 0.3, exponent: 1.0 });
    assert!(active.faults()[0].message.contains("energy"), "{:?}", active.faults());
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
                    let free = Step { friction: 0.0, pressure: 1.0, ..step };
                    let free = partials.step(&law, &before, &free, &mut after);
                    assert!(
                        !law.has_limit() || matches!(law, Law::BoucWen(_)) || free == 0.0,
                        "{name}"
                    );
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
        let force = |approach, rate| law.force(approach, rate, 98.1).unwrap();
        assert!((force(0.0, 0.0) / 98.1 - 1.0).abs() < 1e-12);
        assert!(force(-1.0, 0.0) == if law == NormalLaw::Constant { 98.1 } else { 0.0 });
        assert!(force(1e-7, -1.0) >= 0.0);
    }
    assert_eq!(NormalLaw::Exact.force(0.0, 0.0, 98.1), None, "a reaction is no function");
    // Table 2 of the Hunt–Crossley beam: 99.3 N at 0.1421 µm, 1.30e9 N/m, and a damping factor of 1.3 at ωδ₀.
    let law = NormalLaw::HuntCrossley { coefficient: 5.41e14, exponent: 1.86, damping: 7.23e3 };
    let approach = Dual::<1>::input(14.21e-8, 0);
    let zero = Dual::<1>::constant(0.0);
    let force = law.force(approach, zero, zero).unwrap();
    assert!((force.value / 99.3 - 1.0).abs() < 1e-2, "{}", force.value);
    assert!((force.slopes[0] / 1.30e9 - 1.0).abs() < 1e-2, "{}", force.slopes[0]);
    let damped = law.force(14.21e-8, 14.21e-8 * 320.0, 0.0).unwrap() / force.value;
    assert!((damped - 1.33).abs() < 0.01, "{damped}");
}
