//! `smelt generate` with a technique that changes seeds, or with all of them in turns.

use std::path::PathBuf;

use clap::{Args as _, Command};
use smelt_campaign::find_solvers::find_ready;
use smelt_campaign::generation::stats::GenerationStats;
use smelt_campaign::generation::{ClaimShares, LeftOut, Made, SeededGeneration};
use smelt_campaign::labels::StatusTrust;
use smelt_campaign::prepare::{ReadySolver, add_triples};
use smelt_campaign::seed_labels::{Source, labelled, why_unusable};
use smelt_runner::{interruption, usage};
use smelt_testgen::library::Library;
use smelt_testgen::technique::{self, Technique, technique};
use smelt_trial::target::Target;

use super::write::{CaseWriter, Origin};
use super::{CommonArgs, CountArg};
use crate::config::seeds::{find_seeds, replies};
use crate::config::solvers::installation;
use crate::error::{CliError, Exit, read_named};
use crate::render::progress::Progress;
use crate::render::streams::Streams;

// Without a comment for users: each technique has its own summary.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    count: CountArg,
    #[command(flatten)]
    common: CommonArgs,
    /// At most N steps from a seed [default: 10, and now and then as many as are good for the technique]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=999))]
    steps: Option<u32>,
    /// Fusion triples besides the built-in ones, between #begin and #end [default: none]
    #[arg(long, value_name = "FILE")]
    triples: Option<PathBuf>,
    /// Report by folder of seeds how many are used and how many cases have a claim, and which operators never occur; with
    /// --solver those that never occur in a case that one of the solvers reads
    #[arg(long)]
    stats: bool,
}

/// Which seeds are changed.
#[derive(Debug, clap::Args)]
pub(super) struct SeedArgs {
    /// Seed files, folders (all .smt2 files below them) or - for standard input [default: the built-in seeds]
    #[arg(value_name = "SEEDS")]
    pub paths: Vec<PathBuf>,
    /// Leave out seeds with more bytes [default: no limit]
    #[arg(long, value_name = "BYTES")]
    max_seed_bytes: Option<usize>,
    /// Solver that is asked what seeds are: a path, NAME, NAME@VERSION, or NAME=COMMAND LINE; repeatable [default: the
    /// built-in solver alone]
    #[arg(short, long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Count what files say of themselves, by `:status` or `; EXPECT:`, as one more vote
    #[arg(long)]
    trust_status: bool,
}

impl SeedArgs {
    /// The solvers that are asked what seeds are, probed.
    pub(super) fn targets(&self, streams: &mut Streams) -> Result<Vec<Target>, CliError> {
        if self.solvers.is_empty() {
            return Ok(Vec::new());
        }
        let demanding = |ReadySolver { chosen, mut target }| {
            chosen.demand_of(&mut target);
            target
        };
        Ok(find_ready(&installation(), &self.solvers, streams)?.into_iter().map(demanding).collect())
    }

    /// The seeds that are small enough, with their names and what is known of them.
    pub(super) fn labelled(
        &self,
        targets: &[Target],
        streams: &mut Streams,
    ) -> Result<Vec<(String, String)>, CliError> {
        let mut seeds = match find_seeds(&self.paths, streams) {
            Ok(found) => found.texts,
            Err(error) => {
                error.report_and_continue(streams)?;
                return Err(CliError::usage("no seeds found"));
            }
        };
        seeds.retain(|(_, text)| self.max_seed_bytes.is_none_or(|most| text.len() <= most));
        let own = installation().finder().own();
        let source = match targets {
            [] => Source::built_in(own),
            _ => Source::patient(own, targets, replies()),
        };
        let (count, progress) = (seeds.len(), Progress::lines());
        let mut labelling =
            |done| progress.show(None, String::new, || format!("labelling seeds: {done} of {count}"));
        let trust = StatusTrust::of(self.trust_status);
        let (seeds, labelling) = labelled(seeds, &source.trusting(trust), &mut labelling);
        if interruption::is_requested() {
            return Err(CliError::Interrupted);
        }
        streams.message(&labelling.text())?;
        Ok(seeds)
    }
}

/// The name that stands for all techniques.
const ALL: &str = "all";

/// The techniques that change seeds, with a line about each.
pub(super) fn techniques() -> Vec<(&'static str, &'static str)> {
    let all = (ALL, "all techniques that hunts use by default, in turns");
    let lines = technique::techniques().into_iter().map(|technique| (technique.name(), technique.summary()));
    [all].into_iter().chain(lines).collect()
}

/// The command of a technique, without its line. Triples belong to fusion only.
pub(super) fn command(name: &'static str) -> Command {
    let is_fusion = [ALL, "fusion"].contains(&name);
    Args::augment_args(Command::new(name)).mut_arg("triples", |triples| triples.hide(!is_fusion))
}

pub(super) fn run(name: &str, args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let techniques = chosen(name, args)?;
    let writer = CaseWriter::new(&args.common)?;
    let targets = args.seeds.targets(streams)?;
    let seeds = args.seeds.labelled(&targets, streams)?;
    if seeds.is_empty() {
        return Err(CliError::usage("no seed is small enough"));
    }
    usage::keep_freed_memory();
    let generation = SeededGeneration {
        techniques,
        library: Library::new(seeds),
        random_seed: args.common.seed,
        steps: args.steps,
    };
    let mut shares = ClaimShares::default();
    let mut stats = args.stats.then(|| GenerationStats::new(&targets));
    let mut header = String::new();
    let mut lineage = String::new();
    let LeftOut { dropped, unusable } = generation.make(args.count.count, &mut |number, mut made| {
        if let Some(stats) = &mut stats {
            stats.count(&mut made);
        }
        let Made { case, detail, .. } = made;
        shares.count(case.expectation);
        header.clear();
        case.push_header(detail, &mut header);
        if args.common.json {
            lineage.clear();
            case.lineage.push_line(detail, &mut lineage);
        }
        let technique = case.lineage.technique.as_str();
        let ground = case.label().ground();
        let expect = case.expectation.word();
        let origin = Origin { technique, expect, claim: ground.as_deref(), lineage: &lineage };
        let id = || format!("{technique}-{number:06}");
        writer.write(id, &[header.as_bytes(), case.script.as_bytes()], &origin, streams)
    })?;
    streams.message(&format!("{}\n", shares.text(name)))?;
    if let Some(stats) = &mut stats {
        stats.try_all(&generation);
        streams.message(&stats.text())?;
    }
    for (technique, dropped) in dropped {
        streams.message(&format!("{}\n", dropped.warning(technique)))?;
    }
    let unusable = why_unusable(unusable.iter().map(|seed| &generation.library.all()[*seed]));
    if shares.all() == 0 {
        let reasons = if unusable.is_empty() { String::new() } else { format!(":\n  {unusable}") };
        return Err(CliError::usage(format!("none of the seeds can be used with this technique{reasons}")));
    }
    if !unusable.is_empty() {
        streams.message(&format!("warning: some seeds cannot be used:\n  {unusable}\n"))?;
    }
    Ok(Exit::Done)
}

fn chosen(name: &str, args: &Args) -> Result<Vec<Box<dyn Technique>>, CliError> {
    let mut chosen = match name {
        ALL => technique::techniques().into_iter().filter(|technique| technique.is_usual()).collect(),
        name => vec![technique(name).expect("there is a subcommand for each technique")],
    };
    if let Some(path) = &args.triples {
        add_triples(&mut chosen, &read_named(path)?)?;
    }
    Ok(chosen)
}
