//! Cost of wear: the whole of the rig's test 1, 1.9 million cycles, by both schemes.
//!
//! `cargo bench --bench wear`. 20 contact elements, 3 harmonics, 128 samples. Beside the total stands what as
//! many cold solves would take: a cold solve starts without an earlier solution.

use std::f64::consts::TAU;
use std::path::Path;
use std::time::Instant;

use fretwork::case::{CaseFile, CaseSource, ContactState};
use fretwork::contact;
use fretwork::harmonic::{Balance, Basis, NewtonSettings, Parameters, Treatment, solve_point};
use fretwork::model::Model;
use fretwork::reduction::{ReducedStructure, plan};
use fretwork::wear::{self, Block, End, History, Scheme, State, Wear};

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CYCLES: f64 = 1.9e6;

fn main() {
    faer::set_global_parallelism(faer::Par::Seq);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/imperial_rig/test1.toml");
    let source = CaseSource::from_file(&path, vec![]).expect("the case is there");
    let file = CaseFile::load(source).expect("the case is valid");
    let model = Model::build(&file, ContactState::Open).expect("the model can be built");
    let plans = plan::plan(&file.case, &model).expect("valid reductions");
    let plans = plan::plan_all(&model, plans).expect("plans of all bodies");
    let structure = ReducedStructure::new(&model, &plans).expect("the bodies can be reduced");
    let joints = contact::joints(&file.case, &model, &structure.pairs);
    let basis = Basis::new(&[1, 2, 3], 128).expect("enough samples");
    let balance =
        Balance::new(&structure, joints, basis, Treatment::default()).expect("a regular structure");
    let laws = wear::laws(&file.case, &model).expect("valid laws");
    let newton = NewtonSettings::default();
    let parameters = Parameters::at(TAU * 100.0);

    let start = Instant::now();
    let cold = solve_point(&balance, &parameters, None, &newton).expect("a solution");
    let cold_time = start.elapsed().as_secs_f64();
    println!("cold solve: {:.1} ms, {} iterations", 1e3 * cold_time, cold.iterations());

    let adaptive =
        |tolerance: f64| Scheme::Adaptive { tolerance, depth_scale: 0.0, max_jump: f64::INFINITY };
    let runs = [
        ("adaptive, tolerance 1e-2", adaptive(1e-2), 1e3),
        ("adaptive, tolerance 1e-3", adaptive(1e-3), 1e3),
        ("explicit, 0.05 µm", Scheme::Explicit { max_increment: 5e-8 }, 6e4),
    ];
    for (name, scheme, first_jump) in runs {
        let mut wear = Wear::new(balance.clone(), laws.clone(), scheme, newton);
        let history = History {
            blocks: vec![Block { parameters, cycles: CYCLES }],
            stops: vec![],
            first_jump,
        };
        let start = Instant::now();
        let mut last: Option<(State, f64)> = None;
        let mut increments = 0;
        let end = history.follow(&mut wear, None, &mut |wear, state, solved| {
            increments += usize::from(state.jump > 0.0);
            last = Some((state.clone(), wear.volume(&solved.depth)));
            true
        });
        let time = start.elapsed().as_secs_f64();
        assert!(matches!(end, Ok(End::Finished)), "{end:?}");
        let (state, volume) = last.expect("a history has a beginning");
        println!(
            "{name}: {time:.3} s, {increments} increments, {} rejected, {} solves, {:.1} iterations per solve; \
             increments × cold solve {:.3} s; volume {volume:.4e} m³, {:.1} J",
            state.rejected,
            state.solves,
            state.iterations as f64 / state.solves as f64,
            increments as f64 * cold_time,
            state.energy[0]
        );
    }
}
