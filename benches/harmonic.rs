//! Harmonic balance: transforms beside products with tables, an iteration beside the factorisation of its
//! Jacobian, and the whole response of the rig.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use faer::prelude::Solve;
use fretwork::case::{CaseFile, CaseSource, ContactState};
use fretwork::contact;
use fretwork::harmonic::{
    Balance, Basis, NewtonSettings, Parameter, Parameters, Treatment, solve_point,
};
use fretwork::model::Model;
use fretwork::reduction::{ReducedStructure, plan};

/// Smallest mean time of `repeats` calls, over five rounds \[µs\].
fn time(repeats: usize, mut work: impl FnMut()) -> f64 {
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..repeats).for_each(|_| work());
        1e6 * start.elapsed().as_secs_f64() / repeats as f64
    };
    (0..5).map(|_| round(&mut work)).fold(f64::INFINITY, f64::min)
}

fn transforms() {
    println!("Transforms of one signal, microseconds: fast, by table, ratio");
    println!("{:>10} {:>9} {:>9} {:>9} {:>7}", "harmonics", "samples", "fast", "table", "ratio");
    for (highest, samples) in [(1, 64), (3, 128), (7, 128), (7, 512), (15, 512), (31, 1024)] {
        let basis = Basis::new(&(1..=highest).collect::<Vec<_>>(), samples).unwrap();
        let coefficients: Vec<f64> =
            (0..basis.n_coefficients()).map(|i| (i as f64).sin()).collect();
        let fast = time(2000, || {
            black_box(basis.to_harmonics(&basis.to_time(black_box(&coefficients))));
        });
        let tables = basis.samples(1.0);
        let table = time(2000, || {
            let at =
                |row: &Vec<f64>| row.iter().zip(&coefficients).map(|(w, c)| w * c).sum::<f64>();
            let values: Vec<f64> = tables.inverse.iter().map(at).collect();
            let mut out = vec![0.0; coefficients.len()];
            for (column, value) in tables.forward.col_iter().zip(&values) {
                out.iter_mut().zip(column.iter()).for_each(|(out, w)| *out += w * value);
            }
            black_box(out);
        });
        println!("{highest:>10} {samples:>9} {fast:>9.3} {table:>9.3} {:>7.2}", fast / table);
    }
}

fn rig() -> (ReducedStructure, Vec<contact::Joint>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/imperial_rig/response.toml");
    let file = CaseFile::load(CaseSource::from_file(&path, vec![]).unwrap()).unwrap();
    let model = Model::build(&file, ContactState::Open).unwrap();
    let plans = plan::plan_all(&model, plan::plan(&file.case, &model).unwrap()).unwrap();
    let structure = ReducedStructure::new(&model, &plans).unwrap();
    let joints = contact::joints(&file.case, &model, &structure.pairs);
    (structure, joints)
}

fn iterations(structure: &ReducedStructure, joints: &[contact::Joint]) {
    println!(
        "\nRig, 50 N at 100 Hz: one Newton iteration beside the LU factorisation of its Jacobian, microseconds"
    );
    println!(
        "{:>10} {:>9} {:>10} {:>10} {:>10} {:>7}",
        "harmonics", "unknowns", "residual", "Jacobian", "LU", "ratio"
    );
    for (highest, samples) in [(1, 128), (3, 128), (7, 256), (15, 512)] {
        let basis = Basis::new(&(1..=highest).collect::<Vec<_>>(), samples).unwrap();
        let balance =
            Balance::new(structure, joints.to_vec(), basis, Treatment::default()).unwrap();
        let parameters = Parameters::at(628.3).with(Parameter::Load, 50.0);
        let point = solve_point(&balance, &parameters, None, &NewtonSettings::default()).unwrap();
        let u = &point.newton.u;
        let residual = time(3, || {
            black_box(balance.evaluate(&point.linear, &parameters, u, true));
        });
        let evaluation = balance.evaluate(&point.linear, &parameters, u, true);
        let jacobian = time(3, || {
            black_box(balance.jacobian(&point.linear, &evaluation));
        });
        let matrix = balance.jacobian(&point.linear, &evaluation);
        let right = faer::Mat::<f64>::from_fn(balance.size(), 1, |i, _| i as f64);
        let lu = time(3, || {
            black_box(matrix.partial_piv_lu().solve(&right));
        });
        println!(
            "{highest:>10} {:>9} {residual:>10.0} {jacobian:>10.0} {lu:>10.0} {:>7.2}",
            balance.size(),
            (residual + jacobian + lu) / lu
        );
    }
}

fn responses(structure: &ReducedStructure, joints: &[contact::Joint]) {
    let basis = Basis::new(&[1, 2, 3], 128).unwrap();
    let balance = Balance::new(structure, joints.to_vec(), basis, Treatment::default()).unwrap();
    println!(
        "\nRig, 3 harmonics, 128 samples, 100 points from 250 Hz down: seconds, iterations a point"
    );
    for level in [1.0, 10.0, 30.0, 50.0, 70.0, 90.0] {
        let start = Instant::now();
        let (mut previous, mut count): (Option<Vec<f64>>, usize) = (None, 0);
        for i in 0..100 {
            let omega = std::f64::consts::TAU * (250.0 - 2.3 * f64::from(i));
            let parameters = Parameters::at(omega).with(Parameter::Load, level);
            let settings = NewtonSettings::default();
            let point = solve_point(&balance, &parameters, previous.as_deref(), &settings).unwrap();
            count += point.iterations();
            previous = Some(point.newton.u);
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("{level:>6} N {seconds:>8.3} {:>6.2}", count as f64 / 100.0);
    }
}

fn main() {
    transforms();
    let (structure, joints) = rig();
    iterations(&structure, &joints);
    responses(&structure, &joints);
}
