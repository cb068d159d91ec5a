//! `smelt check-steps`: are the steps of the proofs that solvers print true?

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use smelt_campaign::configure::values::parse_seconds;
use smelt_campaign::inputs;
use smelt_oracle::proof_steps::{ProofOrigin, ProofReport, ProofTotals, StepOptions};
use smelt_proof::steps::ProofFormat;
use smelt_runner::{parallel, signals};
use smelt_trial::proof_steps::ProofAsking;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit, read_named};
use crate::render::diagnostics::render_unreadable;
use crate::render::streams::Streams;
use smelt_campaign::find_solvers::find_or_install;

/// Test the steps of proofs that z3 and cvc5 print
///
/// Each step of the proof of an `unsat` is evaluated on small values: a step without premises must be true under every
/// assignment, others wherever their premises are. The table counts the steps of each rule; a step that is false is
/// printed as a script of its own, whose assertions any solver should find satisfiable.
/// Exit status 1 if a step is false.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt check-steps benchmarks/ --solver z3@5.4.0")]
pub(crate) struct Args {
    /// Files, folders (all .smt2 files below them) or - for standard input
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// A solver to ask for proofs: z3 or cvc5 as a path, NAME, NAME@VERSION, or NAME=COMMAND LINE; repeatable [default: none]
    #[arg(short, long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// A file with the proof of the only FILE [default: ask the solvers]
    #[arg(long, value_name = "PROOF", conflicts_with = "solvers")]
    proof: Option<PathBuf>,
    /// The format to ask cvc5 for: cpc or alethe
    #[arg(long, value_name = "FORMAT", default_value = "cpc")]
    format: ProofFormat,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 10.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Assignments that each step is evaluated under
    #[arg(long, value_name = "N", default_value_t = 64)]
    assignments: usize,
    /// Seed of the assignments
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per proof instead of the table [default: text]
    #[arg(long)]
    json: bool,
    /// Also write the proof of each file to this folder [default: no]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many files at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if args.proof.is_none() && args.solvers.is_empty() {
        return Err(CliError::usage("name a solver with --solver, or a proof with --proof"));
    }
    let proof = args.proof.as_deref().map(read_named).transpose()?;
    let solvers = match args.solvers.as_slice() {
        [] => Vec::new(),
        names => find_or_install(&installation(), names, streams)?,
    };
    let options = StepOptions { format: args.format, assignments: args.assignments, seed: args.seed };
    let asking = ProofAsking { options, timeout_secs: args.timeout, folder: args.out.clone() };
    let inputs = inputs::collect(&args.paths);
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    let before = signals::cpu();
    let (mut totals, mut worst) = (ProofTotals::default(), Exit::Done);
    parallel::in_order(
        &inputs,
        jobs,
        |input| {
            let (input, text) = inputs::read_collected(input)?;
            let file = &input.name();
            Ok(match &proof {
                Some(proof) => {
                    let origin = ProofOrigin { file, solver: "proof" };
                    vec![ProofReport::of(origin, &text, proof, &asking.options)]
                }
                None => solvers.iter().map(|solver| asking.ask(file, &text, solver)).collect(),
            })
        },
        |found| {
            let found: Vec<ProofReport> = match found {
                Ok(found) => found,
                Err(problem) => {
                    worst = Exit::BadInput;
                    return streams.diagnostics(&render_unreadable(&problem));
                }
            };
            for report in found {
                totals.add(&report);
                if report.has_false_steps() && worst == Exit::Done {
                    worst = Exit::Findings;
                }
                if args.json {
                    streams.json_line(&report)?;
                } else {
                    streams.message(&report.problem_line().unwrap_or_default())?;
                    streams.results().write_all(report.text().as_bytes())?;
                }
            }
            Ok::<(), io::Error>(())
        },
    )?;
    if !args.json {
        let checking_ms = (signals::cpu() - before).as_secs_f64() * 1e3;
        write!(streams.results(), "{}", totals.text(checking_ms))?;
    }
    Ok(worst)
}
