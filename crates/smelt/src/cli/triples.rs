//! `smelt triples`: the triples of fusion, tried, proved by solvers, and found by search.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use smelt_runner::provers::{Testimony, is_refuted};
use smelt_testgen::fusion::synthesis::synthesise;
use smelt_testgen::fusion::triple::{Triple, built_in, parse};
use smelt_testgen::fusion::verify::{Verification, doubts, verify};

use crate::config::provers::{ProverArgs, read_claims};
use crate::error::{CliError, Exit};
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
    /// Print one JSON object per line instead of text [default: text]
    #[arg(long)]
    json: bool,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line {
    triple: String,
    inverts: bool,
    /// How many assignments were tried, or for which it fails.
    tried: String,
    proofs: Vec<Testimony>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let triples = wanted(args)?;
    let provers = args.provers.find(streams)?;
    let mut exit = Exit::Done;
    for triple in &triples {
        let (inverts, tried) = match verify(triple) {
            Verification::Inverts(count) => (true, format!("{count} assignments")),
            Verification::Fails(message) => (false, message),
        };
        let proofs = provers.opinions(&doubts(triple));
        let line = Line { triple: triple.to_text(), inverts, tried, proofs };
        if !line.inverts || is_refuted(&line.proofs) {
            exit = Exit::Findings;
        }
        match args.json {
            true => streams.json_line(&line)?,
            false => write_text(&line, streams)?,
        }
    }
    Ok(exit)
}

fn wanted(args: &Args) -> Result<Vec<Triple>, CliError> {
    match (&args.find, &args.file) {
        (Some(sorts), _) => {
            synthesise(&sorts[0], &sorts[1], args.most).map_err(|error| CliError::usage(error.to_string()))
        }
        (None, Some(path)) => parse_triples(&read_claims(path)?),
        (None, None) => Ok(built_in()),
    }
}

fn parse_triples(text: &str) -> Result<Vec<Triple>, CliError> {
    parse(text).map_err(|error| CliError::input(error.to_string()))
}

fn write_text(line: &Line, streams: &mut Streams) -> Result<(), CliError> {
    let verdict = if line.inverts { "inverts for" } else { "fails:" };
    let out = streams.results();
    writeln!(out, "# {verdict} {}", line.tried)?;
    for Testimony { solver, opinion } in &line.proofs {
        writeln!(out, "# {solver}: {}", opinion.word())?;
    }
    writeln!(out, "{}", line.triple)?;
    Ok(())
}
