//! The `fretwork` program: parses arguments, calls the library, prints, sets the exit code.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{CommandFactory, Parser};
use fretwork::case::{Case, CaseSource, ContactState, Override};
use fretwork::cli::{
    CheckArgs, Cli, Command, CompareArgs, ExportArgs, Format, ReportArgs, RunArgs, ValidateArgs,
};
use fretwork::compare::{self, Experiment};
use fretwork::error::Error;
use fretwork::model::{self, Model};
use fretwork::page::{FigureFormat, Page};
use fretwork::progress::{Progress, Silent};
use fretwork::report;
use fretwork::results::{ResultError, ResultReader, csv, vtu};
use fretwork::run;
use fretwork::terminal::{self, Bars, Colours};
use fretwork::validate::{self, Row, Verdict, table};
use serde::Serialize;

/// An iteration asks for many short signals, of which the system's allocator keeps too few at hand.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Sparse factorisations of plane models are slower with inner threads; we parallelise outside.
    faer::set_global_parallelism(faer::Par::Seq);
    match execute(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn execute(command: Command) -> Result<ExitCode, Error> {
    match command {
        Command::Run(args) => run_case(args),
        Command::Check(args) => check(args),
        Command::Schema { markdown: true } => {
            print(Case::reference().trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Command::Schema { markdown: false } => {
            print_json(&Case::schema())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Export(args) => export(args),
        Command::Report(args) => make_report(args),
        Command::Compare(args) => compare_all(args),
        Command::Validate(args) => validate_all(args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "fretwork", &mut script);
            print(&String::from_utf8_lossy(&script));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Standard output may be closed early (`fretwork schema | head`): that is no failure.
fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn print_json(value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::Usage(format!("cannot print as JSON: {error}")))?;
    print(&text);
    Ok(())
}

fn source(path: &Path, set: &[String]) -> Result<CaseSource, Error> {
    let mut overrides = Vec::new();
    for text in set {
        let (path, value) = text
            .split_once('=')
            .ok_or_else(|| Error::Usage(format!("--set {text}: must be KEY=VALUE")))?;
        overrides.push(Override { path: path.trim().into(), value: value.trim().into() });
    }
    if is_results(path) {
        let mut source = ResultReader::open(path)?.case()?;
        source.overrides.extend(overrides);
        return Ok(source);
    }
    Ok(CaseSource::from_file(path, overrides)?)
}

fn is_results(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "h5")
}

fn run_case(args: RunArgs) -> Result<ExitCode, Error> {
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().map_err(|e| Error::Usage(format!("--threads: {e}")))?;
    }
    let start = Instant::now();
    let source = source(&args.case, &args.set)?;
    if args.output.is_none() && is_results(&args.case) {
        let message = "running results again needs -o DIR, so that they are not overwritten";
        return Err(Error::Usage(message.into()));
    }
    let directory = args.output.unwrap_or_else(|| run::default_directory(&args.case));
    let mut progress: Box<dyn Progress> =
        if args.quiet { Box::new(Silent) } else { Box::new(Bars::default()) };
    let start_of = if args.resume { run::resume } else { run::run };
    let summary = start_of(source, &directory, progress.as_mut())?;
    if args.figures.is_some() {
        let page = report::page(&ResultReader::open(&directory)?)?;
        write_figures(&page, &directory, args.figures)?;
    }
    if args.json {
        print_json(&summary)?;
    } else if !args.quiet {
        let colours = if std::io::stdout().is_terminal() { Colours::On } else { Colours::Off };
        print(&terminal::summary(&summary, &directory, start.elapsed().as_secs_f64(), colours));
    }
    Ok(if summary.failed_points > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn check(args: CheckArgs) -> Result<ExitCode, Error> {
    let file = model::load_case(source(&args.case, &args.set)?)?;
    let model = Model::build(&file, ContactState::Open)?;
    let sizes = run::sizes(&model, &model.symbolic()?);
    print(&format!("{}: no problems found\n{}", file.source.label, terminal::sizes(&sizes)));
    run::warnings(&file, &model).iter().for_each(|warning| print(&format!("warning: {warning}")));
    Ok(ExitCode::SUCCESS)
}

fn export(args: ExportArgs) -> Result<ExitCode, Error> {
    let results = ResultReader::open(&args.results)?;
    let directory = output_directory(&results, args.output)?;
    let mut files = Vec::new();
    if args.vtu {
        files.extend(vtu::export(&results, &directory)?);
    }
    if args.csv {
        files.extend(csv::export(&results, &directory)?);
    }
    files.iter().for_each(|file| print(&file.display().to_string()));
    Ok(ExitCode::SUCCESS)
}

/// The directory that was asked for, or the one of the results.
fn output_directory(results: &ResultReader, wanted: Option<PathBuf>) -> Result<PathBuf, Error> {
    let beside = || results.path().parent().unwrap_or(Path::new("")).to_path_buf();
    let directory = wanted.unwrap_or_else(beside);
    make_directory(&directory)?;
    Ok(directory)
}

fn make_directory(directory: &Path) -> Result<(), Error> {
    if directory.as_os_str().is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(directory)
        .map_err(|e| Error::Usage(format!("cannot make {}: {e}", directory.display())))
}

fn compare_all(args: CompareArgs) -> Result<ExitCode, Error> {
    let results = ResultReader::open(&args.results)?;
    let mut comparisons = Vec::new();
    for path in &args.experiments {
        comparisons.push(compare::compare(&results, &Experiment::read(path)?)?);
    }
    let directory = output_directory(&results, args.output)?;
    let page = compare::page(&results.settings()?.title, &comparisons);
    let path = directory.join("comparison.html");
    page.write(&path).map_err(|error| ResultError::write(&path, error))?;
    write_figures(&page, &directory, args.figures)?;
    if args.json {
        print_json(&comparisons)?;
    } else {
        print(&format!("{}\n\nfigures in {}", compare::table(&comparisons), path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn make_report(args: ReportArgs) -> Result<ExitCode, Error> {
    let results = ResultReader::open(&args.results)?;
    let directory = output_directory(&results, args.output)?;
    let page = report::write(&results, &directory)?;
    print(&directory.join(report::FILE_NAME).display().to_string());
    write_figures(&page, &directory, args.figures)?;
    Ok(ExitCode::SUCCESS)
}

fn write_figures(page: &Page, directory: &Path, format: Option<Format>) -> Result<(), Error> {
    let format = match format {
        None => return Ok(()),
        Some(Format::Svg) => FigureFormat::Svg,
        Some(Format::Png) => FigureFormat::Png,
    };
    let path = directory.join("figures");
    page.write_figures(&path, format).map_err(|error| ResultError::write(path, error))?;
    Ok(())
}

fn validate_all(args: ValidateArgs) -> Result<ExitCode, Error> {
    let request = validate::Request {
        folder: &args.folder,
        name: args.name.as_deref(),
        fast: args.fast,
        output: &args.output,
    };
    let entries = validate::validate(&request, &mut Bars::default())?;
    let path = args.output.join(validate::page::FILE_NAME);
    make_directory(&args.output)?;
    validate::page::page(&entries)?
        .write(&path)
        .map_err(|error| ResultError::write(&path, error))?;
    let times = entries.iter().map(|entry| format!("{} {:.1} s", entry.name, entry.seconds));
    let times = times.collect::<Vec<_>>().join(", ");
    let rows: Vec<Row> = entries.into_iter().flat_map(|entry| entry.rows).collect();
    if args.json {
        print_json(&rows)?;
    } else {
        print(&format!("{}{times}\nfigures in {}", table::format(&rows), path.display()));
    }
    let failed = rows.iter().any(|row| row.verdict == Verdict::Fail);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
