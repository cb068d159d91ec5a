//! `smelt rules`: the rules of weakening, tried, and proved by solvers.

use std::io::Write;
use std::path::PathBuf;

use smelt_campaign::claims::RuleLine;
use smelt_runner::parallel;
use smelt_testgen::weakening::rule::{Rule, built_in, parse};

use crate::config::provers::ProverArgs;
use crate::error::{CliError, Exit, read_named};
use crate::render::streams::Streams;

/// Show the rules of weakening, and whether they hold: tried on small domains, and proved by solvers
///
/// A rule is a theorem, used to weaken or strengthen a formula. Shown are the built-in ones or those of a file. Rules over
/// regular languages are asked of solvers for some languages only. Exit status 1 if a rule does not hold.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt rules --solver z3 --solver cvc5 --timeout 5")]
pub(crate) struct Args {
    /// A file with rules between #begin and #end [default: the built-in ones]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    provers: ProverArgs,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let rules = wanted(args)?;
    let provers = args.provers.find(streams)?;
    let mut exit = Exit::Done;
    parallel::in_order(
        &rules,
        parallel::all_cores(),
        |rule| RuleLine::of(rule, &provers),
        |line| {
            if line.is_false() {
                exit = Exit::Findings;
            }
            match args.provers.json {
                true => streams.json_line(&line),
                false => streams.results().write_all(line.text().as_bytes()),
            }
        },
    )?;
    Ok(exit)
}

fn wanted(args: &Args) -> Result<Vec<Rule>, CliError> {
    let Some(path) = &args.file else { return Ok(built_in()) };
    parse(&read_named(path)?).map_err(|error| CliError::Input(error.to_string()))
}
