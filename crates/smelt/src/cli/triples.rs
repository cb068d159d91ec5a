//! `smelt triples`: the triples of fusion, tried, proved by solvers, and found by search.

use std::io::Write;
use std::path::PathBuf;

use smelt_campaign::claims::TripleLine;
use smelt_testgen::fusion::synthesis::synthesise;
use smelt_testgen::fusion::triple::{Triple, built_in, parse};

use crate::config::provers::ProverArgs;
use crate::error::{CliError, Exit, read_named};
use crate::render::streams::Streams;

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
    /// Stop a search after N triples
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    #[command(flatten)]
    provers: ProverArgs,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let triples = wanted(args)?;
    let provers = args.provers.find(streams)?;
    let mut exit = Exit::Done;
    for triple in &triples {
        let line = TripleLine::of(triple, &provers);
        if line.is_false() {
            exit = Exit::Findings;
        }
        match args.provers.json {
            true => streams.json_line(&line)?,
            false => streams.results().write_all(line.text().as_bytes())?,
        }
    }
    Ok(exit)
}

fn wanted(args: &Args) -> Result<Vec<Triple>, CliError> {
    match (&args.find, &args.file) {
        (Some(sorts), _) => {
            synthesise(&sorts[0], &sorts[1], args.most).map_err(|error| CliError::usage(error.to_string()))
        }
        (None, Some(path)) => parse(&read_named(path)?).map_err(|error| CliError::Input(error.to_string())),
        (None, None) => Ok(built_in()),
    }
}
