//! Reduction of a large part, step by step, and condensation at one frequency.
//!
//! `cargo bench --bench reduction` prints the time of each step of the reduction of a part with about
//! 200 000 freedoms, 200 of them on its boundary, to 30 modes, with its memory; then the time that the
//! condensation of two bodies takes per frequency, beside a plain dense product of the same size in the
//! same run. `-- 20` reduces a part of 20 000 freedoms instead.

use std::fs;
use std::process::Command;
use std::time::Instant;

use faer::{Accum, Mat, Par};
use fretwork::case::{CaseFile, CaseSource, ContactState};
use fretwork::linalg::EigenRequest;
use fretwork::model::Model;
use fretwork::reduction::craig_bampton::Partition;
use fretwork::reduction::{self, Condensation, ReducedStructure, plan};
use rayon::prelude::*;

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const N_BOUNDARY: usize = 200;
const N_MODES: usize = 30;
/// Frequencies condensed together.
const BATCH: usize = 8;
const REPEATS: usize = 5;

fn main() {
    faer::set_global_parallelism(Par::Seq);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(200);
    if arguments.iter().any(|a| a == "--alone") {
        return reduce_alone(size);
    }
    let program = std::env::current_exe().expect("the path of this program");
    let output = Command::new(program).args(["--alone", &size.to_string()]).output();
    print!("{}", String::from_utf8_lossy(&output.expect("the task runs").stdout));
    println!(
        "\nCondensation, microseconds per frequency; Gflop/s of it and of a dense product of its size"
    );
    println!(
        "{:>8} {:>8} {:>8} {:>10} {:>9} {:>9} {:>6}",
        "relative", "modes", "threads", "time", "rate", "product", "ratio"
    );
    for n_relative in [50, 200, 800] {
        condense(n_relative);
    }
}

fn model(text: String) -> (CaseFile, Model) {
    let source = CaseSource::from_copies("bench".into(), text, vec![], Default::default());
    let file = CaseFile::load(source).expect("a valid case");
    let model = Model::build(&file, ContactState::Open).expect("a valid model");
    (file, model)
}

const MATERIAL: &str = r#"
    materials.steel = { young = 210e9, poisson = 0.3, density = 7800.0 }
    damping = { type = "rayleigh", alpha = 1.0, beta = 1e-7 }
    analysis = [{ type = "modal" }]
"#;

fn part(name: &str, corners: &str, cells: [usize; 2], edges: &str) -> String {
    let [nx, ny] = cells;
    format!(
        r#"
        [parts.{name}]
        mesh = {{ type = "structured", blocks = [{{ corners = {corners}, cells = [{nx}, {ny}], edges = {{ {edges} }} }}] }}
        sections = [{{ type = "plane", state = "stress", material = "steel", thickness = 0.01 }}]
        "#
    )
}

fn seconds<T>(task: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = task();
    (start.elapsed().as_secs_f64(), value)
}

/// The steps of one reduction, in a process of its own for the sake of its memory.
fn reduce_alone(thousands: usize) {
    let rows = ((thousands as f64 * 1e3 / 4.0).sqrt().round() as usize).max(1);
    let corners = "[[0, 0], [2, 0], [2, 1], [0, 1]]";
    let plate = part("plate", corners, [2 * rows, rows], r#"left = "root", right = "face""#);
    let support = "[[supports]]\ntype = \"clamp\"\non = \"plate.root\"\n";
    let (_, model) = model(format!("{MATERIAL}{plate}{support}"));
    let body = &reduction::bodies(&model)[0];
    let face = model.geometry.nodes("plate.face").expect("the face is there");
    let boundary = face.iter().flat_map(|node| {
        [fretwork::case::Freedom::X, fretwork::case::Freedom::Y].map(|freedom| {
            let number = model.dofs.number(*node, freedom).expect("plane nodes move in x and y");
            model.dofs.terms(number)[0].0
        })
    });
    let mut boundary: Vec<usize> = boundary.take(N_BOUNDARY).collect();
    boundary.sort_unstable();
    let loaded = memory("VmRSS:");
    let (divide, partition) = seconds(|| Partition::new(&model, body, &boundary));
    let (analyse, symbolic) = seconds(|| partition.analyse().expect("enough memory"));
    let (numeric, factor) = seconds(|| partition.factor(&symbolic).expect("a held body"));
    let (constraint, constraint_modes) = seconds(|| partition.constraint_modes(&factor));
    drop(factor);
    let count = EigenRequest::Count(N_MODES);
    let (eigen, pairs) =
        seconds(|| partition.fixed_interface_modes(&symbolic, count).expect("modes"));
    let (project, superelement) = seconds(|| partition.superelement(constraint_modes, pairs));
    println!(
        "Reduction of {} freedoms to {} boundary freedoms and {} modes, seconds",
        body.freedoms.len(),
        superelement.boundary.len(),
        superelement.n_modes()
    );
    let steps = [
        ("partition", divide),
        ("symbolic", analyse),
        ("factorisation", numeric),
        ("constraint modes", constraint),
        ("eigenmodes", eigen),
        ("projection", project),
    ];
    for (name, time) in steps {
        println!("{name:>18} {time:>8.3}");
    }
    println!("{:>18} {:>8.3}", "total", steps.iter().map(|step| step.1).sum::<f64>());
    let peak = memory("VmHWM:");
    println!("{peak:.0} MB at the peak, of it {:.0} MB after the model was there", peak - loaded);
}

/// An entry of the process status, in MB.
fn memory(key: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or("");
    let kilobytes = line.split_whitespace().nth(1).and_then(|v| v.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}

/// Two bodies that touch in `n_relative` directions.
fn joint(n_relative: usize) -> Condensation {
    let cells = [n_relative / 2 - 1, 8];
    let low = part(
        "low",
        "[[0, 0], [1, 0], [1, 0.1], [0, 0.1]]",
        cells,
        r#"bottom = "root", top = "face""#,
    );
    let high =
        part("high", "[[0, 0.1], [1, 0.1], [1, 0.2], [0, 0.2]]", cells, r#"bottom = "face""#);
    let joint = format!(
        r#"
        supports = [{{ type = "clamp", on = "low.root" }}]
        contact = [{{ between = ["high.face", "low.face"] }}]
        reduction.low = {{ modes = {N_MODES} }}
        reduction.high = {{ modes = {N_MODES} }}
        "#
    );
    let (file, model) = model(format!("{joint}{MATERIAL}{low}{high}"));
    let plans = plan::plan(&file.case, &model).expect("valid tables");
    let plans = plan::plan_all(&model, plans).expect("two reduced bodies");
    let structure = ReducedStructure::new(&model, &plans).expect("a reduced structure");
    Condensation::new(&structure).expect("a regular joint")
}

fn condense(n_relative: usize) {
    let condensation = joint(n_relative);
    let (n, m) = (condensation.n_relative(), condensation.n_modes());
    // Real and imaginary part, one triangle of each: as many operations as one full real product.
    let operations = 2.0 * m as f64 * (n * n) as f64;
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let omegas: Vec<f64> = (1..=BATCH).map(|k| 100.0 * k as f64).collect();
        let one = |omega: &f64| condensation.at(*omega).expect("damped").stiffness[(0, 0)];
        let batch = || pool.install(|| omegas.par_iter().map(one).collect::<Vec<_>>());
        let time = least(batch) / BATCH as f64;
        let product = pool.install(|| product_rate(n, m, threads));
        let rate = operations / time / 1e9;
        println!(
            "{n:>8} {m:>8} {threads:>8} {:>10.0} {rate:>9.1} {product:>9.1} {:>6.2}",
            1e6 * time,
            rate / product
        );
    }
}

/// Gflop/s of (n × m)(m × n).
fn product_rate(n: usize, m: usize, threads: usize) -> f64 {
    let a = Mat::<f64>::from_fn(m, n, |i, j| ((i + 3 * j) % 17) as f64);
    let mut out = Mat::<f64>::zeros(n, n);
    let par = if threads == 1 { Par::Seq } else { Par::rayon(threads) };
    let time = least(|| {
        faer::linalg::matmul::matmul(
            out.as_mut(),
            Accum::Replace,
            a.transpose(),
            a.as_ref(),
            1.0,
            par,
        )
    });
    2.0 * m as f64 * (n * n) as f64 / time / 1e9
}

fn least<T>(mut task: impl FnMut() -> T) -> f64 {
    (0..REPEATS).map(|_| seconds(&mut task).0).fold(f64::INFINITY, f64::min)
}
