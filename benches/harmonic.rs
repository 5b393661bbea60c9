//! Harmonic balance: transforms beside products with tables, an iteration beside the factorisation of its
//! Jacobian, and the whole response of the rig.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use fretwork::case::{CaseFile, CaseSource, ContactState, Override};
use fretwork::contact::{self, Status};
use fretwork::harmonic::{
    Balance, Basis, NewtonSettings, Parameter, Parameters, Treatment, solve_point,
};
use fretwork::model::Model;
use fretwork::reduction::{ReducedStructure, plan};

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RIG: &str = "cases/imperial_rig/response.toml";
/// A factor of friction with which a pair does not slip under 90 N.
const ROUGH: f64 = 100.0;
/// A load at which most pairs of the rig stick through the period \[N\].
const SMALL: f64 = 30.0;

/// Smallest mean time of `repeats` calls, over five rounds, or as many as begin within ten seconds \[µs\].
fn time(repeats: usize, mut work: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..repeats).for_each(|_| work());
        1e6 * start.elapsed().as_secs_f64() / repeats as f64
    };
    let rounds = (0..5).take_while(|i| *i == 0 || begin.elapsed().as_secs() < 10);
    rounds.map(|_| round(&mut work)).fold(f64::INFINITY, f64::min)
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
        let table = time(2000, || {
            let at =
                |row: &Vec<f64>| row.iter().zip(&coefficients).map(|(w, c)| w * c).sum::<f64>();
            let values: Vec<f64> = basis.inverse.iter().map(at).collect();
            let mut out = vec![0.0; coefficients.len()];
            for (column, value) in basis.forward.col_iter().zip(&values) {
                out.iter_mut().zip(column.iter()).for_each(|(out, w)| *out += w * value);
            }
            black_box(out);
        });
        println!("{highest:>10} {samples:>9} {fast:>9.3} {table:>9.3} {:>7.2}", fast / table);
    }
}

/// The rig with so many contact elements.
fn rig(elements: usize) -> (ReducedStructure, Vec<contact::Joint>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(RIG);
    let blocks = ["top", "bottom"].map(|part| format!("parts.{part}.mesh.blocks[0].cells"));
    let cells = |path: String| Override { path, value: format!("[{elements}, 16]") };
    let source = CaseSource::from_file(&path, blocks.map(cells).to_vec()).unwrap();
    let file = CaseFile::load(source).unwrap();
    let model = Model::build(&file, ContactState::Open).unwrap();
    let plans = plan::plan_all(&model, plan::plan(&file.case, &model).unwrap()).unwrap();
    let structure = ReducedStructure::new(&model, &plans).unwrap();
    let joints = contact::joints(&file.case, &model, &structure.pairs);
    (structure, joints)
}

/// The same motion with more harmonics.
fn padded(u: &[f64], from: usize, to: usize) -> Vec<f64> {
    u.chunks(from).flat_map(|row| [row, &vec![0.0; to - from]].concat()).collect()
}

/// Times of an iteration at a state that three harmonics have: residual with derivatives, solution of the
/// linear system, and the factorisation of the whole Jacobian.
fn iteration(
    (structure, joints): (&ReducedStructure, &[contact::Joint]),
    (highest, samples): (usize, usize),
    load: f64,
) {
    let balance = |highest: usize| {
        let basis = Basis::new(&(1..=highest).collect::<Vec<_>>(), samples).unwrap();
        let treatment = Treatment { corrections: 0, wants_estimate: false, ..Treatment::default() };
        Balance::new(structure, joints.to_vec(), basis, treatment).unwrap()
    };
    let (few, balance) = (balance(highest.min(3)), balance(highest));
    let parameters = Parameters::at(628.3).with(Parameter::Load, load);
    let point = solve_point(&few, &parameters, None, &NewtonSettings::default()).unwrap();
    let u = padded(&point.newton.u, few.basis.n_coefficients(), balance.basis.n_coefficients());
    let linear = balance.linear(parameters.omega).unwrap();
    let repeats = (20_000 / balance.size()).clamp(1, 50);
    let residual = time(repeats, || {
        black_box(balance.evaluate(&linear, &parameters, &u, true));
    });
    let evaluation = balance.evaluate(&linear, &parameters, &u, true);
    let factor = balance.factor(&linear, &evaluation);
    let free = factor.n_free();
    let is_held = |march: &&contact::March| march.status.iter().all(|s| *s == Status::Stick);
    let stuck = evaluation.marches.iter().filter(is_held).count();
    drop(factor);
    let solution = time(repeats, || {
        black_box(balance.factor(&linear, &evaluation).solve(&evaluation.residual));
    });
    let matrix = balance.jacobian(&linear, &evaluation);
    let lu = time(repeats, || {
        black_box(matrix.partial_piv_lu());
    });
    println!(
        "{:>9} {stuck:>6} {highest:>9} {samples:>8} {:>9} {free:>9} {residual:>10.0} {solution:>10.0} {lu:>11.0} {:>7.2}",
        structure.pairs.len() * 2,
        balance.size(),
        (residual + solution) / lu
    );
}

fn iterations() {
    let head = || {
        println!(
            "{:>9} {:>6} {:>9} {:>8} {:>9} {:>9} {:>10} {:>10} {:>11} {:>7}",
            "freedoms",
            "stuck",
            "harmonics",
            "samples",
            "unknowns",
            "not held",
            "residual",
            "solution",
            "whole LU",
            "ratio"
        );
    };
    println!(
        "\nRig at 100 Hz: a Newton iteration (residual with derivatives, solution of its linear system) beside \
         the LU factorisation of its whole Jacobian, microseconds"
    );
    let states = [
        (90.0, 1.0, "90 N, all pairs slip"),
        (90.0, ROUGH, "90 N, every other pair too rough to slip"),
        (SMALL, 1.0, "30 N, most pairs stick"),
    ];
    for (load, factor, what) in states {
        println!("{what}");
        head();
        for elements in [4, 9, 20, 49, 99, 199] {
            let (structure, mut joints) = rig(elements);
            joints.iter_mut().step_by(2).for_each(|joint| joint.friction *= factor);
            for (highest, samples) in [(3, 128), (7, 128), (15, 256)] {
                iteration((&structure, &joints), (highest, samples), load);
            }
        }
    }
    let (structure, joints) = rig(20);
    println!("Growth with harmonics, and with samples: 90 N");
    head();
    for highest in [1, 3, 7, 15, 31] {
        iteration((&structure, &joints), (highest, 512), 90.0);
    }
    for samples in [64, 128, 256, 512, 1024] {
        iteration((&structure, &joints), (3, samples), 90.0);
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

/// Six levels of 100 points through the program, results on disk: one thread, then two.
fn threads() {
    let folder = std::env::temp_dir().join("fretwork_bench_threads");
    let run = |n: &str| {
        let start = Instant::now();
        let status = Command::new(env!("CARGO_BIN_EXE_fretwork"))
            .args(["run", RIG, "--quiet", "--threads", n, "-o"])
            .arg(folder.join(n))
            .args(["--set", "analysis[0].harmonics=3", "--set", "analysis[0].samples=128"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        assert!(status.success());
        start.elapsed().as_secs_f64()
    };
    let times: Vec<[f64; 2]> = (0..3).map(|_| [run("1"), run("2")]).collect();
    let best = |i: usize| times.iter().map(|pair| pair[i]).fold(f64::INFINITY, f64::min);
    let (one, two) = (best(0), best(1));
    println!(
        "\nRig, six levels of 100 points, 3 harmonics, 128 samples, whole program with files and report: \
         {one:.2} s on one thread, {two:.2} s on two, ratio {:.2}",
        one / two
    );
}

fn main() {
    transforms();
    // As in the program, where every curve has a thread of its own.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(iterations);
    let (structure, joints) = rig(20);
    responses(&structure, &joints);
    threads();
}
