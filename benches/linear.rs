//! Linear analyses of large plane models, as ratios against what a user would otherwise pick.
//!
//! `cargo bench --bench linear` times Fretwork and, if `scripts/peers/setup.sh` has been run, CHOLMOD
//! and SciPy on the same matrices in the same run, and prints one table per analysis. Arguments: model
//! sizes in thousands of freedoms (default 10 50 100 200 500), `--no-peers`.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use fretwork::case::{CaseFile, CaseSource, ContactState};
use fretwork::linalg::{Cholesky, SymmetricSparse};
use fretwork::linear::{ModeRange, modes};
use fretwork::model::Model;
use fretwork::progress::Silent;
use serde_json::Value;

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const REPEATS: usize = 3;
const N_MODES: usize = 20;

fn main() {
    faer::set_global_parallelism(faer::Par::Seq);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(task) = arguments.iter().position(|a| a == "--memory-of") {
        return run_alone(&arguments[task + 1], arguments[task + 2].parse().expect("a size"));
    }
    let mut sizes: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![10, 50, 100, 200, 500];
    }
    let peers = !arguments.iter().any(|a| a == "--no-peers");
    let folder = std::env::temp_dir().join(format!("fretwork-bench-{}", std::process::id()));
    let rows: Vec<Row> = sizes.iter().map(|size| measure(*size, &folder, peers)).collect();
    let _ = fs::remove_dir_all(&folder);
    print_static(&rows);
    print_modes(&rows);
}

/// A cantilever plate, 2 : 1, with about so many thousand freedoms, made for an analysis.
fn plate(thousands: usize, analysis: &str) -> Model {
    let rows = ((thousands as f64 * 1e3 / 4.0).sqrt().round() as usize).max(1);
    let text = format!(
        r#"
        [materials.steel]
        young = 210e9
        poisson = 0.3
        density = 7800.0
        [parts.plate.mesh]
        type = "structured"
        blocks = [{{ corners = [[0, 0], [2, 0], [2, 1], [0, 1]], cells = [{}, {rows}], edges = {{ left = "root", right = "tip" }} }}]
        [[parts.plate.sections]]
        type = "plane"
        state = "stress"
        material = "steel"
        thickness = 0.01
        [[supports]]
        type = "clamp"
        on = "plate.root"
        [[loads]]
        type = "traction"
        on = "plate.tip"
        traction = [0, 1e6]
        [[analysis]]
        type = "{analysis}"
        "#,
        2 * rows
    );
    let source = CaseSource::from_copies("plate".into(), text, vec![], Default::default());
    let file = CaseFile::load(source).expect("a valid case");
    Model::build(&file, ContactState::Open).expect("a valid model")
}

#[derive(Default)]
struct Row {
    freedoms: usize,
    assembly: f64,
    assembly_one_thread: f64,
    analyse: f64,
    factor: f64,
    solve: f64,
    residual: f64,
    modes: f64,
    frequencies: Vec<f64>,
    static_memory: [f64; 2],
    modal_memory: [f64; 2],
    peers: Value,
}

impl Row {
    fn static_total(&self) -> f64 {
        self.analyse + self.factor + self.solve
    }
}

fn seconds<T>(task: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = task();
    (start.elapsed().as_secs_f64(), value)
}

/// Smallest time of several repetitions.
fn best<T>(mut task: impl FnMut() -> T) -> (f64, T) {
    let (mut least, mut value) = seconds(&mut task);
    for _ in 1..REPEATS {
        let (time, next) = seconds(&mut task);
        least = least.min(time);
        value = next;
    }
    (least, value)
}

fn measure(thousands: usize, folder: &Path, peers: bool) -> Row {
    eprintln!("{thousands} thousand freedoms");
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let (assembly_one_thread, _) = best(|| one_thread.install(|| plate(thousands, "modal")));
    let (assembly, model) = best(|| plate(thousands, "modal"));
    let stiffness = &model.operators.stiffness.free;
    let load = &model.loads.constant[..model.dofs.n_free];
    let (analyse, symbolic) = best(|| model.symbolic().expect("enough memory"));
    let (factor, cholesky) = best(|| Cholesky::new(&symbolic, stiffness).expect("regular"));
    let (solve, solution) = best(|| {
        let mut solution = load.to_vec();
        cholesky.solve_vec_in_place(&mut solution);
        solution
    });
    drop(cholesky);
    let (modes, modal) = seconds(|| {
        let symbolic = model.symbolic().expect("enough memory");
        modes::solve(&model, &symbolic, ModeRange::Count(N_MODES), &mut Silent).expect("modes")
    });
    let peers =
        if peers { run_peers(&model, &folder.join(thousands.to_string())) } else { Value::Null };
    Row {
        freedoms: model.dofs.n_free,
        assembly,
        assembly_one_thread,
        analyse,
        factor,
        solve,
        residual: residual(stiffness, &solution, load),
        modes,
        frequencies: modal.frequencies(),
        static_memory: memory_of("static", thousands),
        modal_memory: memory_of("modal", thousands),
        peers,
    }
}

fn residual(matrix: &SymmetricSparse, solution: &[f64], load: &[f64]) -> f64 {
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let error: Vec<f64> = matrix.mul(solution).iter().zip(load).map(|(a, b)| a - b).collect();
    norm(&error) / norm(load)
}

/// One task in a process of its own: prints its memory before the solution and its peak, in MB.
fn run_alone(task: &str, thousands: usize) {
    let model = plate(thousands, task);
    let loaded = memory("VmRSS:");
    let symbolic = model.symbolic().expect("enough memory");
    if task == "static" {
        fretwork::linear::statics::solve(&model, &symbolic).expect("a solution");
    } else {
        modes::solve(&model, &symbolic, ModeRange::Count(N_MODES), &mut Silent).expect("modes");
    }
    println!("{loaded} {}", memory("VmHWM:"));
}

/// An entry of the process status, in MB.
fn memory(key: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or("");
    let kilobytes = line.split_whitespace().nth(1).and_then(|v| v.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}

/// Memory before the solution and peak of a task in a process of its own, in MB.
fn memory_of(task: &str, thousands: usize) -> [f64; 2] {
    let program = std::env::current_exe().expect("the path of this program");
    let output = Command::new(program).args(["--memory-of", task, &thousands.to_string()]).output();
    let text = String::from_utf8(output.expect("the task runs").stdout).unwrap_or_default();
    let mut numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
    std::array::from_fn(|_| numbers.next().unwrap_or(f64::NAN))
}

fn run_peers(model: &Model, folder: &Path) -> Value {
    fs::create_dir_all(folder).expect("a temporary folder");
    dump_matrix(&folder.join("stiffness.bin"), &model.operators.stiffness.free);
    dump_matrix(&folder.join("mass.bin"), &model.operators.mass.free);
    let load = &model.loads.constant[..model.dofs.n_free];
    let mut file = BufWriter::new(File::create(folder.join("load.bin")).expect("a file"));
    file.write_all(&(load.len() as u64).to_le_bytes()).expect("disk space");
    load.iter().for_each(|v| file.write_all(&v.to_le_bytes()).expect("disk space"));
    drop(file);
    let script: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "scripts", "peers", "run.sh"].iter().collect();
    let output = Command::new(script).arg(folder).output().expect("the peers start");
    if !output.status.success() {
        eprintln!("peers: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

fn dump_matrix(path: &Path, matrix: &SymmetricSparse) {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let mut put = |value: u64| file.write_all(&value.to_le_bytes()).expect("disk space");
    put(matrix.size() as u64);
    put(matrix.values().len() as u64);
    let (pattern, columns) = (matrix.pattern(), 0..matrix.size());
    put(0);
    columns.clone().for_each(|col| put(pattern.range(col).end as u64));
    columns.flat_map(|col| pattern.rows(col)).for_each(|row| put(row as u64));
    matrix.values().iter().for_each(|v| put(v.to_bits()));
}

fn peer(row: &Row, path: &str) -> f64 {
    row.peers.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

/// Peak memory of a peer, and how much of it came after loading the matrices, in MB.
fn peer_memory(row: &Row, task: &str) -> [f64; 2] {
    let [loaded, peak] =
        ["loaded_rss_mb", "peak_rss_mb"].map(|k| peer(row, &format!("{task}/{k}")));
    [peak, peak - loaded]
}

fn print_static(rows: &[Row]) {
    println!(
        "\nStatic solution, seconds; total = symbolic + numeric + solve; residual |Ku - f| / |f|"
    );
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "freedoms", "assembly", "1 thread", "symbolic", "numeric", "solve", "total", "residual"
    );
    for row in rows {
        println!(
            "{:>9} {:>9.3} {:>9.3} {:>9.3} {:>9.3} {:>9.3} {:>9.3} {:>9.1e}",
            row.freedoms,
            row.assembly,
            row.assembly_one_thread,
            row.analyse,
            row.factor,
            row.solve,
            row.static_total(),
            row.residual
        );
    }
    println!(
        "\nStatic solution beside CHOLMOD: seconds, ratio ours / theirs; MB at the peak (of it: solver)"
    );
    println!(
        "{:>9} {:>14} {:>7} {:>14} {:>7} {:>14} {:>14}",
        "freedoms", "as installed", "ratio", "best settings", "ratio", "ours MB", "CHOLMOD MB"
    );
    for row in rows {
        let installed = peer(row, "/cholmod/as_installed/total");
        let best = peer(row, "/cholmod/threads_1/total").min(peer(row, "/cholmod/threads_2/total"));
        let [loaded, peak] = row.static_memory;
        let theirs = peer_memory(row, "/cholmod/threads_1");
        println!(
            "{:>9} {installed:>14.3} {:>7.2} {best:>14.3} {:>7.2} {:>6.0} ({:>5.0}) {:>6.0} ({:>5.0})",
            row.freedoms,
            row.static_total() / installed,
            row.static_total() / best,
            peak,
            peak - loaded,
            theirs[0],
            theirs[1]
        );
    }
}

fn print_modes(rows: &[Row]) {
    println!(
        "\n{N_MODES} lowest modes beside SciPy: seconds, ratio ours / theirs; MB at the peak (of it: solver)"
    );
    println!(
        "{:>9} {:>9} {:>9} {:>7} {:>9} {:>7} {:>14} {:>14} {:>11}",
        "freedoms",
        "ours",
        "eigsh",
        "ratio",
        "careful",
        "ratio",
        "ours MB",
        "eigsh MB",
        "difference"
    );
    for row in rows {
        let (eigsh, careful) =
            (peer(row, "/scipy/eigsh/seconds"), peer(row, "/scipy/eigsh_careful/seconds"));
        let theirs = row.peers.pointer("/scipy/eigsh_careful/frequencies");
        let theirs = theirs.and_then(Value::as_array).cloned().unwrap_or_default();
        let difference = |(ours, theirs): (&f64, &Value)| {
            (ours / theirs.as_f64().unwrap_or(f64::NAN) - 1.0).abs()
        };
        let worst = row.frequencies.iter().zip(&theirs).map(difference).fold(0.0, f64::max);
        let [loaded, peak] = row.modal_memory;
        let their_memory = peer_memory(row, "/scipy/eigsh");
        println!(
            "{:>9} {:>9.3} {eigsh:>9.3} {:>7.3} {careful:>9.3} {:>7.3} {:>6.0} ({:>5.0}) {:>6.0} ({:>5.0}) {worst:>11.1e}",
            row.freedoms,
            row.modes,
            row.modes / eigsh,
            row.modes / careful,
            peak,
            peak - loaded,
            their_memory[0],
            their_memory[1]
        );
    }
}
