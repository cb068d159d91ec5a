//! `smelt triples`: the triples of fusion, tried, proved by solvers, and found by search.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use smelt_runner::provers::Opinion;
use smelt_testgen::fusion::Fusion;
use smelt_testgen::fusion::synthesis::synthesise;
use smelt_testgen::fusion::triple::{Triple, built_in, parse};
use smelt_testgen::fusion::verify::{Verification, doubts, verify};
use smelt_testgen::technique::Technique;

use crate::error::{CliError, Exit};
use crate::solvers::find_provers;
use crate::streams::Streams;

/// Show fusion triples, and whether they invert: tried on small domains, and proved by solvers
///
/// A triple is z = f(x, y) with the terms that find x and y again. Shown are the built-in ones, those of a file, or
/// those that a search finds for two sorts, in the form that --triples of `smelt generate` and `smelt hunt` reads.
/// Exit status 1 if one does not invert.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt triples --find '(_ BitVec W)' '(_ BitVec W)' --solver z3 > mine.txt")]
pub(crate) struct Args {
    /// A file with triples between #begin and #end [default: the built-in ones]
    #[arg(value_name = "FILE", conflicts_with = "find")]
    file: Option<PathBuf>,
    /// Search for triples with x and y of these sorts, with W for the width of bit vectors [default: no search]
    #[arg(long, value_names = ["SORT", "SORT"], num_args = 2)]
    find: Option<Vec<String>>,
    /// How many triples a search looks for
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// A solver to ask for a proof: NAME, NAME@VERSION, or NAME=COMMAND LINE; repeatable [default: none]
    #[arg(short, long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Processor time allowed for each proof, in seconds
    #[arg(short, long, value_name = "SECS", default_value_t = 5.0)]
    timeout: f64,
}

/// Reads a file with triples.
pub(crate) fn read_triples(path: &Path) -> Result<String, CliError> {
    fs::read_to_string(path).map_err(|error| CliError::unreadable(path.display(), &error))
}

/// Gives the technique `fusion`, which must be among some, more triples.
pub(crate) fn add_triples(techniques: &mut [Box<dyn Technique>], text: &str) -> Result<(), CliError> {
    let more = parse_triples(text)?;
    let mut triples = built_in();
    triples.extend(more);
    let fusion = Fusion::new(triples);
    let Some(place) = techniques.iter_mut().find(|technique| technique.name() == fusion.name()) else {
        return Err(CliError::usage("--triples is for the technique `fusion`"));
    };
    *place = Box::new(fusion);
    Ok(())
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let triples = wanted(args)?;
    let provers = find_provers(&args.solvers, args.timeout, streams)?;
    let mut exit = Exit::Done;
    for triple in &triples {
        match verify(triple) {
            Verification::Inverts(count) => writeln!(streams.results(), "# inverts for {count} assignments")?,
            Verification::Fails(message) => {
                writeln!(streams.results(), "# fails: {message}")?;
                exit = Exit::Findings;
            }
        }
        for (solver, opinion) in provers.opinions(&doubts(triple)) {
            writeln!(streams.results(), "# {solver}: {}", opinion.word())?;
            if opinion == Opinion::Refuted {
                exit = Exit::Findings;
            }
        }
        writeln!(streams.results(), "{}", triple.to_text())?;
    }
    Ok(exit)
}

fn wanted(args: &Args) -> Result<Vec<Triple>, CliError> {
    match (&args.find, &args.file) {
        (Some(sorts), _) => {
            synthesise(&sorts[0], &sorts[1], args.most).map_err(|error| CliError::usage(error.to_string()))
        }
        (None, Some(path)) => parse_triples(&read_triples(path)?),
        (None, None) => Ok(built_in()),
    }
}

fn parse_triples(text: &str) -> Result<Vec<Triple>, CliError> {
    parse(text).map_err(|error| CliError::input(error.to_string()))
}
