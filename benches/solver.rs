//! The solution alone of the first response of a case: no results file, no report.
//!
//! ```sh
//! cargo bench --bench solver -- cases/academic_2dof/response.toml "analysis[0].harmonics=3"
//! ```
//!
//! Prints seconds a point and how many points converged. One thread.

use std::f64::consts::TAU;
use std::path::Path;
use std::time::{Duration, Instant};

use fretwork::case::{Analysis, CaseFile, CaseSource, ContactState, FormName, Override, Response};
use fretwork::contact;
use fretwork::continuation::{self, Predictor, Step, sequential};
use fretwork::harmonic::{Balance, Basis, Form, NewtonSettings, Parameter, Parameters, Treatment};
use fretwork::model::Model;
use fretwork::reduction::{ReducedStructure, plan};

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const DEFAULT: &str = "cases/academic_2dof/response.toml";
/// Sweeps are repeated for so long.
const ENOUGH: Duration = Duration::from_secs(2);

/// The balance of a case and what its response asks for.
fn prepare(path: &Path, overrides: Vec<Override>) -> (Balance, Response) {
    let file = CaseFile::load(CaseSource::from_file(path, overrides).unwrap()).unwrap();
    let response = |analysis: &Analysis| match analysis {
        Analysis::Response(wanted) => Some(wanted.clone()),
        _ => None,
    };
    let wanted = file.case.analysis.iter().find_map(response).expect("a response in the case");
    let model = Model::build(&file, ContactState::Open).unwrap();
    let plans = plan::plan_all(&model, plan::plan(&file.case, &model).unwrap()).unwrap();
    let structure = ReducedStructure::new(&model, &plans).unwrap();
    let joints = contact::joints(&file.case, &model, &structure.pairs);
    let treatment = Treatment {
        form: match wanted.form {
            FormName::Interface => Form::Interface,
            FormName::Velocity => Form::Velocity,
            FormName::Displacement => Form::Displacement,
        },
        penalty: wanted.penalty,
        corrections: wanted.n_corrections(),
        tolerance: wanted.tail_tolerance,
        wants_estimate: true,
    };
    let basis = Basis::new(&wanted.harmonic_choices()[0], wanted.n_samples()).unwrap();
    (Balance::new(&structure, joints, basis, treatment).unwrap(), wanted)
}

/// Numbers of points and of those that converged, over all levels.
fn sweep(balance: &Balance, wanted: &Response) -> (usize, usize) {
    let values: Vec<f64> = wanted.frequencies.values().iter().map(|f| TAU * f).collect();
    let newton =
        NewtonSettings { tolerance: wanted.tolerance, max_iterations: wanted.max_iterations };
    let (mut points, mut converged) = (0, 0);
    for level in &wanted.levels {
        let held = Parameters::at(values[0]).with(Parameter::Load, *level);
        let path = continuation::Path { parameter: Parameter::Frequency, held, newton };
        sequential(balance, &path, &values, Predictor::Previous, &mut |step| {
            points += 1;
            converged += usize::from(matches!(step, Step::Solved(_)));
            true
        });
    }
    (points, converged)
}

fn measure(path: &Path, overrides: Vec<Override>) {
    let (balance, wanted) = prepare(path, overrides);
    let (points, converged) = sweep(&balance, &wanted);
    let (start, mut sweeps) = (Instant::now(), 0);
    while sweeps == 0 || start.elapsed() < ENOUGH {
        sweep(&balance, &wanted);
        sweeps += 1;
    }
    let seconds = start.elapsed().as_secs_f64() / f64::from(sweeps) / points as f64;
    println!("{seconds:.4e} s a point, {converged} of {points} converged");
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let case = arguments.first().map_or(DEFAULT, String::as_str);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(case);
    let setting = |argument: &String| {
        let (path, value) = argument.split_once('=').expect("KEY=VALUE");
        Override { path: path.into(), value: value.into() }
    };
    let overrides = arguments.iter().skip(1).map(setting).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| measure(&path, overrides));
}
