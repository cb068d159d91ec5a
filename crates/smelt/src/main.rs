//! The command line of smelt: arguments in, text and an exit status out.
//!
//! This crate alone prints, reads the environment and chooses exit codes; what commands do is in the libraries.
//!
//! | to find | look in |
//! |---|---|
//! | a command: its arguments, and what it does with them | `cli/`, one file a command |
//! | consent before programs of others are started | `config/trust.rs` (`docs/design/trust.md`) |
//! | where solvers are on this machine; seeds that users name; options that several commands have | `config/` |
//! | standard output and standard error; diagnostics; the help page | `render/streams.rs`; `diagnostics.rs`; `help.rs` |
//! | how work goes that takes long | `render/progress.rs` |
//! | the error of every command, exit statuses, and panics as bugs | `error.rs` |

mod cli;
mod config;
mod error;
mod render;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use smelt_runner::sandbox::{self, Mode};
use smelt_runner::{load, process, stop_signals};

use cli::{
    bench, bisect, check, check_proof, check_steps, compare, completions, eval, findings, generate, hunt,
    list, monitor, print, reduce, replay, rules, run, scale, solve, solvers, stability, study, triage,
    triples,
};
use config::memory::MemoryArg;
use config::trust;
use error::{CliError, Exit};
use render::help;
use render::streams::Streams;

/// Find bugs in SMT solvers, and read, check and convert the formulas that show them
#[derive(Debug, Parser)]
#[command(
    name = "smelt",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "Exit status: 0 done, nothing found; 1 done, findings; 2 bad usage or input; \
        3 the environment failed; 4 not reproducible; 70 a bug in smelt; \
        129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM.\n\n\
        Example: smelt check benchmarks/"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Run solvers without network, on a read-only file system, with a private temporary folder and a clean environment:
    /// auto (where the kernel allows it), on or off [default: SMELT_SANDBOX, or auto]
    #[arg(long, global = true, value_name = "MODE", value_parser = ["auto", "on", "off"])]
    sandbox: Option<String>,
    /// Agree to start the programs that smelt.toml or a campaign of others names [default: ask once]
    #[arg(long, global = true)]
    trust: bool,
}

/// Each command with its module, which has its arguments as `Args` and its `run`.
macro_rules! commands {
    ($($(#[$attribute:meta])* $command:ident $module:ident)*) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$attribute])* $command($module::Args),)*
        }

        /// Runs the command that the user asks for.
        fn run(cli: Cli, streams: &mut Streams) -> Result<Exit, CliError> {
            if cli.command.starts_processes() {
                choose_sandbox(cli.sandbox.as_deref())?;
            }
            match cli.command {
                $(Command::$command(args) => $module::run(&args, streams),)*
            }
        }
    };
}

commands! {
    Hunt hunt
    Generate generate
    Triples triples
    Rules rules
    Monitor monitor
    #[command(alias = "evolve")]
    Study study
    Findings findings
    Replay replay
    Reduce reduce
    Triage triage
    #[command(alias = "localize")]
    Bisect bisect
    Scale scale
    List list
    Check check
    Print print
    Eval eval
    Run run
    Solve solve
    #[command(alias = "check-refutation")]
    CheckProof check_proof
    CheckSteps check_steps
    Bench bench
    Compare compare
    Stability stability
    Solvers solvers
    Completions completions
}

impl Command {
    /// What its runs may take of memory.
    fn memory(&self) -> Option<MemoryArg> {
        match self {
            Command::Monitor(args) => Some(args.memory),
            Command::Study(args) => Some(args.memory),
            Command::CheckSteps(args) => Some(args.memory),
            Command::Replay(args) => Some(args.memory),
            Command::Triage(args) => Some(args.memory),
            Command::Bisect(args) => Some(args.memory),
            Command::Scale(args) => Some(args.memory),
            Command::Run(args) => Some(args.memory),
            Command::Bench(args) => Some(args.memory),
            Command::Compare(args) => Some(args.queries.memory),
            Command::Stability(args) => Some(args.queries.memory),
            _ => None,
        }
    }

    /// Whether it may run solvers or other programs.
    fn starts_processes(&self) -> bool {
        !matches!(
            self,
            Command::Generate(_)
                | Command::List(_)
                | Command::Check(_)
                | Command::Print(_)
                | Command::Eval(_)
                | Command::Solve(_)
                | Command::CheckProof(_)
                | Command::Completions(_)
        )
    }
}

/// `smelt solve` as the only command.
#[derive(Debug, Parser)]
#[command(name = "smelt")]
struct SolveCli {
    #[command(subcommand)]
    command: SolveCommand,
}

#[derive(Debug, Subcommand)]
enum SolveCommand {
    Solve(solve::Args),
}

/// The arguments of this process.
///
/// Clients start `smelt solve` by the thousand, so a file alone is not parsed, and the arguments of all other commands
/// are not set up for it. What it does not understand is complained of, or explained, by the whole.
fn parse() -> Result<Cli, clap::Error> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let is_solve = words.first().is_some_and(|word| word == "solve");
    if is_solve
        && let [_, file] = words.as_slice()
        && !file.as_encoded_bytes().starts_with(b"-")
    {
        return Ok(solve_only(solve::Args::of_file(file.into())));
    }
    if is_solve && let Ok(SolveCli { command: SolveCommand::Solve(args) }) = SolveCli::try_parse() {
        return Ok(solve_only(args));
    }
    let mut matches = help::grouped(Cli::command()).try_get_matches()?;
    Cli::from_arg_matches_mut(&mut matches)
}

fn solve_only(args: solve::Args) -> Cli {
    Cli { command: Command::Solve(args), sandbox: None, trust: false }
}

/// Decides whether solvers are confined; it is an error if they must be and cannot.
fn choose_sandbox(given: Option<&str>) -> Result<(), CliError> {
    let inherited = std::env::var("SMELT_SANDBOX").ok();
    let Some(word) = given.or(inherited.as_deref()) else { return Ok(()) };
    let mode = Mode::named(word).ok_or_else(|| {
        CliError::Environment(format!("SMELT_SANDBOX is `{word}` (expected one of: auto, on, off)"))
    })?;
    sandbox::choose(mode);
    match sandbox::obstacle().filter(|_| mode == Mode::On) {
        Some(obstacle) => Err(CliError::Environment(format!(
            "cannot run solvers in a sandbox: {obstacle}; try --sandbox off"
        ))),
        None => Ok(()),
    }
}

fn main() -> ExitCode {
    error::report_panics_as_bugs();
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => {
            // There is nowhere to report that this cannot be written.
            let _ = error.print();
            return if error.use_stderr() { Exit::BadInput } else { Exit::Done }.into();
        }
    };
    trust::set_given(cli.trust);
    let mut streams = Streams::new();
    // What starts no process is ended by signals as any program is.
    let _guard = match cli.command.starts_processes().then(stop_signals::watch).transpose() {
        Ok(guard) => guard,
        Err(error) => {
            let _ = streams.error(&format!("cannot watch for signals: {error}"));
            return Exit::EnvironmentFailed.into();
        }
    };
    if cli.command.starts_processes() {
        // Without this line no result is lost.
        load::watch(|warning| _ = writeln!(io::stderr(), "{warning}"));
    }
    if let Some(memory) = cli.command.memory() {
        memory.apply();
    }
    let result = run(cli, &mut streams).and_then(|exit| streams.flush().map(|()| exit));
    for notice in process::leak_notices() {
        // Without this line no result is lost.
        let _ = streams.message(&notice);
    }
    error::conclude(result, &mut streams).into()
}
