//! Benchmarks of smelt, side by side with its peers.
//!
//! `bench frontend` measures reading and printing SMT-LIB. Every figure is CPU time of the measuring thread, the best
//! of several rounds, and all readers take turns in the same run, each in processes of its own: the ratios count, not
//! the absolute figures.

mod frontend;
mod limits;
mod readers;
mod sample;

use std::process::ExitCode;

const USAGE: &str = "\
Measure smelt's SMT-LIB front end

Usage: bench frontend [OPTIONS]

      --real DIR        Read the .smt2 files below DIR instead of a generated text
      --megabytes N     Size of the generated text [default: 10]
      --rounds N        Rounds, of which the best counts [default: 7]
      --only READER     One reader alone: smelt, smtlib-lowlevel, smt2parser, yaspar-ir
      --deep            A term nested 1,000,000 deep in a thread with a stack of 256 KiB
      --large           A text of 100 MB in a thread with a stack of 256 KiB
      --write FILE      Write the generated text and stop
";

/// What to measure.
#[derive(Debug, Clone)]
pub struct Options {
    real: Option<String>,
    megabytes: usize,
    rounds: usize,
    only: Option<String>,
    write: Option<String>,
    mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Speed,
    Deep,
    Large,
    /// The peak memory of one reader, for a child process.
    Memory,
    /// The speed of one reader, for a child process.
    Measure,
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() != Some("frontend") {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    }
    match options(args) {
        Ok(options) => {
            run(&options);
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) {
    match (options.mode, &options.write, &options.real) {
        (Mode::Memory, _, _) => frontend::print_peak_memory(options),
        (Mode::Measure, _, _) => frontend::print_measurement(options),
        (_, Some(path), _) => {
            std::fs::write(path, sample::text(options.megabytes << 20)).expect("the file can be written");
        }
        (Mode::Deep, _, _) => limits::deep(),
        (Mode::Large, _, _) => limits::large(),
        (Mode::Speed, None, None) => frontend::generated(options),
        (Mode::Speed, None, Some(folder)) => frontend::real(options, folder),
    }
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options =
        Options { real: None, megabytes: 10, rounds: 7, only: None, write: None, mode: Mode::Speed };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--real" => options.real = Some(value()?),
            "--megabytes" => options.megabytes = number(&value()?)?,
            "--rounds" => options.rounds = number(&value()?)?,
            "--only" => options.only = Some(value()?),
            "--write" => options.write = Some(value()?),
            "--deep" => options.mode = Mode::Deep,
            "--large" => options.mode = Mode::Large,
            "--memory" => options.mode = Mode::Memory,
            "--measure" => options.mode = Mode::Measure,
            _ => return Err(format!("unknown option `{arg}`")),
        }
    }
    Ok(options)
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or(format!("`{text}` is not a positive number"))
}
