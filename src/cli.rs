//! The command line: arguments only, no work.
//!
//! Doc comments are the help texts, verbatim.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Finite-element contact and wear solver for vibrating joints.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "Examples:
  fretwork run cases/cantilever.toml            run a case; results in results/cantilever/
  fretwork run results/cantilever/results.h5 -o again   run a case again from its own results
  fretwork check cases/cantilever.toml          look for mistakes, print sizes
  fretwork validate                             compare with the literature
  fretwork schema > case.schema.json            JSON Schema, for editors that complete keys";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a case and write results.h5, report.html, summary.json and VTU files.
    #[command(after_help = "Examples:
  fretwork run cases/cantilever.toml
  fretwork run cases/cantilever.toml -o /tmp/out --threads 1
  fretwork run cases/cantilever.toml --set 'parts.beam.sections[0].thickness=0.02'")]
    Run(RunArgs),
    /// Check a case without solving it and print its sizes.
    #[command(after_help = "Example:
  fretwork check cases/cantilever.toml")]
    Check(CheckArgs),
    /// Print the JSON Schema of the case format, or its reference for people.
    #[command(after_help = "Examples:
  fretwork schema > case.schema.json
  fretwork schema --markdown > docs/case_reference.md")]
    Schema {
        /// Print Markdown instead of JSON Schema.
        #[arg(long)]
        markdown: bool,
    },
    /// Export results to other formats.
    #[command(after_help = "Examples:
  fretwork export results/cantilever --csv
  fretwork export results/cantilever/results.h5 --vtu -o /tmp/vtu")]
    Export(ExportArgs),
    /// Make report.html again from stored results.
    #[command(after_help = "Examples:
  fretwork report results/imperial_rig/response
  fretwork report results/cantilever/results.h5 --figures png -o /tmp/paper")]
    Report(ReportArgs),
    /// Lay measurements over results: numbers, and figures in comparison.html.
    #[command(after_help = "Examples:
  fretwork compare results/imperial_rig/response hammer_test.csv
  fretwork compare results/imperial_rig/response/results.h5 level_*.csv loop.csv --json

A measurement is a CSV file that begins with lines such as

  # quantity: response
  # probe: arm
  # load_factor: 50
  frequency [Hz], amplitude [um], phase [deg]

Quantities: response, loop, profile, history, mode; see docs/compare.md.")]
    Compare(CompareArgs),
    /// Compare with the literature: run the entries of validation/.
    #[command(after_help = "Examples:
  fretwork validate
  fretwork validate beam_modes --json")]
    Validate(ValidateArgs),
    /// Print a completion script for a shell.
    #[command(after_help = "Example:
  fretwork completions bash > ~/.local/share/bash-completion/completions/fretwork")]
    Completions {
        /// Which shell.
        shell: Shell,
    },
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Case file (TOML), or a results.h5 to run again.
    pub case: PathBuf,
    /// Results directory [default: results/<case>].
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Number of threads [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Go on where a killed run of the same case has left its wear; all else is computed again.
    #[arg(long)]
    pub resume: bool,
    /// Print errors only.
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the summary as JSON instead of text.
    #[arg(long)]
    pub json: bool,
    /// Write every figure of the report as a file of its own too, into figures/.
    #[arg(long, value_name = "FORMAT")]
    pub figures: Option<Format>,
    /// Replace a value of the case, such as 'loads[0].force=[0, 10]'.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Format of figures as files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Vectors.
    Svg,
    /// Pixels.
    Png,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A results.h5 or the directory it is in.
    pub results: PathBuf,
    /// Directory to write to [default: beside the results].
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Write every figure as a file of its own too, into figures/.
    #[arg(long, value_name = "FORMAT")]
    pub figures: Option<Format>,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A results.h5 or the directory it is in.
    pub results: PathBuf,
    /// Measurements (CSV).
    #[arg(required = true)]
    pub experiments: Vec<PathBuf>,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Directory to write comparison.html to [default: beside the results].
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Write every figure as a file of its own too, into figures/.
    #[arg(long, value_name = "FORMAT")]
    pub figures: Option<Format>,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Case file (TOML).
    pub case: PathBuf,
    /// Replace a value of the case.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("format").required(true).multiple(true).args(["vtu", "csv"])))]
pub struct ExportArgs {
    /// A results.h5 or the directory it is in.
    pub results: PathBuf,
    /// Fields for ParaView.
    #[arg(long)]
    pub vtu: bool,
    /// Tables.
    #[arg(long)]
    pub csv: bool,
    /// Directory to write to [default: beside the results].
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Only this entry.
    pub name: Option<String>,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Leave out entries that take minutes.
    #[arg(long)]
    pub fast: bool,
    /// Where the entries are.
    #[arg(long, default_value = "validation", value_name = "DIR")]
    pub folder: PathBuf,
    /// Results of the cases go below this.
    #[arg(short, long, default_value = "results/validation", value_name = "DIR")]
    pub output: PathBuf,
}
