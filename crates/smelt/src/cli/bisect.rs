//! `smelt bisect`: since which release, since which commit.

mod commits;
mod releases;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use smelt_campaign::configure::DEFAULT_DIR;
use smelt_campaign::configure::values::{parse_seconds, parse_time};
use smelt_oracle::run::Answer;
use smelt_triage::bisect::asking::parse_answer;
use smelt_triage::bisect::summary::{self, BisectLine, SearchedHistory};
use smelt_triage::bisect::{Located, SearchDepth};

use crate::config::memory::MemoryArg;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// Find the release or the commit since which a solver misbehaves
///
/// Without --repo, releases of a solver are asked: for a finding whether they show it, for a file what they answer, whether
/// that is a certain answer (--answer), or how long they take (--measure-time). Only installed releases are asked, unless
/// --install says otherwise; the others are listed as not tested. A release that rejects the formula is not tested
/// either, and one that runs out of time or memory is undecided: neither is a fix.
///
/// With --repo, commits of a git repository are checked out elsewhere, built and asked by a command, all triggers together
/// and as few commits as possible; the repository itself is left untouched. The command runs in the checkout and gets the
/// trigger in the place of {}, or as its last argument. Status 0 is good, 125 cannot tell, all else is bad. What was built
/// and seen stays in the folder that --save names, and the same command again continues where it was stopped.
///
/// Exit status 1 if changes are found, 4 if there is nothing to find.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt bisect crash-1a2b3c4d5e
         smelt bisect slow.smt2 --solver z3@4.8.5..4.8.12 --measure-time --install
         smelt bisect a.smt2 b.smt2 --repo z3 --build 'make -C build' --good z3-4.8.6 --bad z3-4.8.7 \\
             --match-out unknown -- build/z3")]
pub(crate) struct Args {
    /// Files, or ids of findings
    #[arg(value_name = "TRIGGER")]
    triggers: Vec<String>,
    /// The folder of the campaign that has the findings
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DIR)]
    dir: PathBuf,
    /// Releases to ask, such as z3, z3@4.8.5..5.4 or "z3str3=z3 smt.string_solver=z3str3" [default: those of the culprit]
    #[arg(short, long, value_name = "SOLVER", conflicts_with = "repo")]
    solver: Option<String>,
    /// Fetch releases that are to be asked and are not installed [default: leave them out]
    #[arg(long, conflicts_with = "repo")]
    install: bool,
    /// The answer of a release that is bad, such as unknown [default: every change of the answer counts]
    #[arg(long, value_name = "ANSWER", value_parser = parse_answer, conflicts_with_all = ["repo", "measure_time"])]
    answer: Option<Answer>,
    /// Measure processor time [default: only for findings of class slowdown]
    #[arg(long)]
    measure_time: bool,
    /// The git repository
    #[arg(long, value_name = "DIR", requires_all = ["build", "good", "command"])]
    repo: Option<PathBuf>,
    /// What builds a commit, for the shell in its checkout
    #[arg(long, value_name = "COMMAND", requires = "repo")]
    build: Option<String>,
    /// A commit from before the change
    #[arg(long, value_name = "REVISION", requires = "repo")]
    good: Option<String>,
    /// A commit from after the change, of which the other one is an ancestor
    #[arg(long, value_name = "REVISION", default_value = "HEAD", requires = "repo")]
    bad: String,
    /// The command is bad if it prints this on standard output [default: if its status is not 0]
    #[arg(long, value_name = "TEXT", requires = "repo", conflicts_with = "measure_time")]
    match_out: Option<String>,
    /// Where builds and what was seen are kept
    #[arg(long, value_name = "FOLDER", default_value = "smelt-localize", requires = "repo")]
    save: PathBuf,
    /// Time for each build, such as 90m
    #[arg(long, value_name = "TIME", default_value = "2h", value_parser = parse_time, requires = "repo")]
    build_time: Duration,
    /// Measure each trigger N times at a point [default: once, and 5 times where time is measured]
    #[arg(long, value_name = "N")]
    repeats: Option<NonZeroUsize>,
    /// Points all over the history that are looked at first, so that changes which were undone are seen
    #[arg(long, value_name = "N", default_value_t = smelt_triage::bisect::DEFAULT_PROBES)]
    probes: usize,
    /// Look at every release or commit instead of as few as possible, so that no change stays unseen [default: search]
    #[arg(long, conflicts_with = "probes")]
    all: bool,
    /// Ignore differences of fewer milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    least: f64,
    /// Processor time allowed for each run, in seconds [default: as in the finding, or 10]
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds)]
    timeout: Option<f64>,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Print one JSON object per trigger instead of text [default: text]
    #[arg(long)]
    json: bool,
    /// The command, after --
    #[arg(last = true, value_name = "COMMAND", requires = "repo")]
    command: Vec<String>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    match &args.repo {
        Some(repo) => commits::run(args, repo, streams),
        None if args.triggers.is_empty() => Err(CliError::usage(
            "there is nothing to bisect: name a finding or a file, or a repository with --repo",
        )),
        None => releases::run(args, streams),
    }
}

impl Args {
    /// How closely a history is looked at.
    fn depth(&self) -> SearchDepth {
        SearchDepth {
            probes: self.probes,
            repeats: self.repeats.map(NonZeroUsize::get),
            is_exhaustive: self.all,
            floor_ms: self.least,
        }
    }
}

/// Prints what was found for a trigger; the exit status if it is all there is.
fn print(
    line: &BisectLine,
    located: &Located,
    history: &SearchedHistory,
    is_json: bool,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    match is_json {
        true => streams.json_line(line)?,
        false => write!(streams.results(), "{}", summary::text(line, located, history))?,
    }
    Ok(if line.is_found() { Exit::Findings } else { Exit::NotReproducible })
}

/// The exit status of several triggers.
fn worst(exits: &[Exit]) -> Exit {
    let is_found = exits.contains(&Exit::Findings);
    if is_found { Exit::Findings } else { exits.first().copied().unwrap_or(Exit::Done) }
}
