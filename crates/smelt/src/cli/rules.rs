//! `smelt rules`: the rules of weakening, tried, and proved by solvers.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use smelt_runner::parallel;
use smelt_runner::provers::{Testimony, is_refuted};
use smelt_testgen::weakening::rule::{Claim, Domain, Rule, built_in, parse};
use smelt_testgen::weakening::verify::{Verification, doubts, verify};

use crate::config::provers::{ProverArgs, read_claims};
use crate::error::{CliError, Exit};
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
    /// Print one JSON object per line instead of text [default: text]
    #[arg(long)]
    json: bool,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line {
    id: String,
    claim: &'static str,
    domain: &'static str,
    theorem: String,
    holds: bool,
    /// How many assignments were tried, or for which it is false.
    tried: String,
    proofs: Vec<Testimony>,
    /// Whether proofs are for some languages only.
    instances: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let rules = wanted(args)?;
    let provers = args.provers.find(streams)?;
    let judged = |rule: &Rule| {
        let doubts = doubts(rule);
        let (holds, tried) = match verify(rule) {
            Verification::Holds(count) => (true, format!("{count} assignments")),
            Verification::Fails(message) => (false, message),
        };
        Line {
            id: rule.id.clone(),
            claim: claim_word(rule.claim),
            domain: domain_word(rule.domain),
            theorem: rule.theorem(),
            holds,
            tried,
            proofs: provers.opinions(&doubts.scripts),
            instances: doubts.are_instances,
        }
    };
    let mut exit = Exit::Done;
    parallel::in_order(&rules, parallel::all_cores(), judged, |line| {
        if !line.holds || is_refuted(&line.proofs) {
            exit = Exit::Findings;
        }
        if args.json { Ok(streams.json_line(&line)?) } else { write_text(&line, streams) }
    })?;
    Ok(exit)
}

fn wanted(args: &Args) -> Result<Vec<Rule>, CliError> {
    let Some(path) = &args.file else { return Ok(built_in()) };
    parse(&read_claims(path)?).map_err(|error| CliError::input(error.to_string()))
}

/// How a rule is used, as users see it.
pub(crate) fn claim_word(claim: Claim) -> &'static str {
    match claim {
        Claim::Weakens => "weaken",
        Claim::Equal => "equivalent",
    }
}

fn domain_word(domain: Domain) -> &'static str {
    match domain {
        Domain::Formulas => "formulas",
        Domain::Languages => "languages",
    }
}

fn write_text(line: &Line, streams: &mut Streams) -> Result<(), CliError> {
    let verdict = if line.holds { "holds for" } else { "fails:" };
    let out = streams.results();
    writeln!(out, "{:<34} {:<10} {verdict} {}", line.id, line.claim, line.tried)?;
    for proof in &line.proofs {
        let instances = if line.instances { " (for some languages)" } else { "" };
        writeln!(out, "  {}: {}{instances}", proof.solver, proof.opinion.word())?;
    }
    writeln!(out, "  {}", line.theorem)?;
    Ok(())
}
