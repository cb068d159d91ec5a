//! `smelt stability`: whether solvers still solve queries whose meaning is the same.
//!
//! Mutants, classes and explanations are in [`smelt_campaign::stability`].

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use smelt_campaign::dialogue::CannotWrite;
use smelt_campaign::stability::StabilityRequest;
use smelt_campaign::stability::classify::Protocol;
use smelt_campaign::stability::summary::{StabilitySummary, render_explanation};

use crate::config::queries::QueryArgs;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// Tell on which of your queries a solver is unstable: solved in one form, not solved in another of the same meaning
///
/// Each query is run as it is and as mutants: assertions and declarations in another order, other names, other random
/// seeds. A query is stable if 95 % of its mutants are solved, unsolvable if 5 % are, unstable in between. Mutants are
/// asked until that is known with an error of 1 %, at most 61 runs. With several solvers the changes from each to the next
/// are listed. What was measured is in DIR; the same command resumes it.
/// Exit status 1 if a query is unstable.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt stability queries/ -s z3@4.12.2 -s z3@5.4.0 --explain")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) queries: QueryArgs,
    /// Solvers, oldest first: NAME@VERSION, a path, NAME=COMMAND LINE, or one of smelt.toml
    #[arg(short, long = "solver", value_name = "SOLVER", required = true)]
    solvers: Vec<String>,
    /// Which mutants are run, and what follows from their answers: sequential (one after the other until the class is
    /// known) or mariposa (the query and 60 mutants, z-tests)
    #[arg(long, value_name = "NAME", default_value = "sequential")]
    protocol: Protocol,
    /// Random seed of the mutants; the same seed makes the same mutants
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The folder with what was measured
    #[arg(long, value_name = "DIR", default_value = "smelt-stability")]
    dir: PathBuf,
    /// Explain unstable queries: what splits their mutants, the fewest assertions that still do, those without which the
    /// query is stable, and quantifiers that z3 instantiates differently
    #[arg(long)]
    explain: bool,
    /// At most this many runs to explain one query
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "explain")]
    explain_runs: usize,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let queries = args.queries.files(streams)?;
    let request = StabilityRequest {
        files: &queries.files,
        solvers: &args.solvers,
        timeout: args.queries.timeout,
        protocol: args.protocol,
        random_seed: args.seed,
        jobs: args.queries.jobs,
        folder: &args.dir,
    };
    let measured = request.measure(&installation(), streams)?;
    let summary = StabilitySummary::of(&measured.records);
    if let Some(path) = &args.queries.csv {
        fs::write(path, summary.csv()).map_err(CannotWrite::to(path))?;
    }
    match args.queries.json {
        true => summary.lines().try_for_each(|line| streams.json_line(&line))?,
        false => streams.results().write_all(summary.render(args.queries.all).as_bytes())?,
    }
    if args.explain {
        for explained in request.explain(&measured, args.explain_runs, streams)? {
            streams.results().write_all(render_explanation(&explained).as_bytes())?;
        }
    }
    let has_findings = summary.is_unstable();
    queries.conclude(measured.records.len(), &measured.failures, has_findings, streams)
}
