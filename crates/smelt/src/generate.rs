//! `smelt generate`: cases without running anything.

mod construct;
mod enumerate;
mod random;
mod stringfuzz;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use smelt_campaign::schedule::{ChainPlan, Schedule, Share};
use smelt_campaign::seed_labels::{Source, labelled};
use smelt_oracle::case::{Case, Expectation};
use smelt_runner::usage;
use smelt_testgen::chain::{Chain, Dropped};
use smelt_testgen::library::Library;
use smelt_testgen::technique::{Technique, technique, techniques};

use crate::error::{CliError, Exit};
use crate::seeds::{find_seeds, why_unusable};
use crate::solvers::installation;
use crate::streams::Streams;
use crate::triples::{add_triples, read_triples};

use write::{About, CaseWriter};

/// Make cases from seeds without running anything, each with what is expected of it
///
/// A seed says what it is in its first line, `; expect: sat` or `; expect: unsat`; lines `; model:` give its model. What a
/// seed does not say, the built-in solver is asked; statuses are not believed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt generate fusion seeds/ --count 1000 --out cases")]
pub(crate) struct Args {
    /// A technique, or `all` for all of them in turns, or, without seeds, `construct` for formulas whose answer is known
    /// by how they are made, `enumerate` for the formulas of a grammar, `random` for random formulas over strings, or
    /// `stringfuzz` for families of formulas over strings that grow, or transformed seeds; `smelt list techniques` shows them
    #[arg(value_name = "TECHNIQUE")]
    technique: String,
    /// Seed files, folders (all .smt2 files below them) or - for standard input [default: the built-in seeds]
    #[arg(value_name = "SEEDS")]
    seeds: Vec<PathBuf>,
    /// How many cases; of each category with `construct` [default: 100; with `construct` 2000, or all with --paper]
    #[arg(short = 'n', long, value_name = "N")]
    count: Option<u64>,
    /// A folder for the cases, or - for standard output
    #[arg(short, long, value_name = "DIR", default_value = "-")]
    out: PathBuf,
    /// Where chance starts: the same seed makes the same cases
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// How many steps lead away from a seed at most [default: 10, and now and then as many as are good for the technique]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=999))]
    steps: Option<u32>,
    /// Seeds with more bytes are left out [default: no limit]
    #[arg(long, value_name = "BYTES")]
    max_seed_bytes: Option<usize>,
    /// Fusion triples besides the built-in ones, between #begin and #end [default: none]
    #[arg(long, value_name = "FILE")]
    triples: Option<PathBuf>,
    /// Print one JSON object per case; needs --out with a folder [default: the cases, or nothing]
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    enumerate: enumerate::Options,
    #[command(flatten)]
    construct: construct::Options,
    #[command(flatten)]
    random: random::Options,
    #[command(flatten)]
    stringfuzz: stringfuzz::Options,
}

/// How many cases are made from seeds or of a grammar if the user does not say.
const DEFAULT_COUNT: u64 = 100;

impl Args {
    /// How many cases to make from seeds or of a grammar.
    fn count(&self) -> u64 {
        self.count.unwrap_or(DEFAULT_COUNT)
    }
}

/// What there is to make cases with.
struct Plan {
    techniques: Vec<Box<dyn Technique>>,
    library: Library,
    random_seed: u64,
    steps: Option<u32>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if args.technique != "construct" && args.construct.is_used() {
        return Err(CliError::usage("--theory and what belongs to it is for the technique `construct`"));
    }
    if !matches!(args.technique.as_str(), "random" | "stringfuzz") && args.random.is_used() {
        return Err(CliError::usage(
            "--literal-length and what belongs to it is for the techniques `random` and `stringfuzz`",
        ));
    }
    if args.technique != "stringfuzz" && args.stringfuzz.is_used() {
        return Err(CliError::usage("--family and --transform are for the technique `stringfuzz`"));
    }
    if args.technique == "enumerate" {
        return enumerate::run(args, streams);
    }
    if args.json && args.out == Path::new("-") {
        return Err(CliError::usage("--json needs a folder for the cases, given by --out"));
    }
    if args.enumerate.is_used(&args.technique) {
        return Err(CliError::usage("--grammar and what belongs to it is for the technique `enumerate`"));
    }
    if args.technique == "construct" {
        return construct::run(args, streams);
    }
    if args.technique == "random" {
        return random::run(args, streams);
    }
    if args.technique == "stringfuzz" {
        return stringfuzz::run(args, streams);
    }
    let techniques = chosen_techniques(args)?;
    let seeds = small_seeds(args, streams)?;
    if seeds.is_empty() {
        return Err(CliError::usage("no seed is small enough"));
    }
    let (seeds, _) = labelled(seeds, &Source::built_in(installation().finder().own()));
    usage::keep_memory();
    let plan = Plan { techniques, library: Library::new(seeds), random_seed: args.seed, steps: args.steps };
    let writer = CaseWriter::new(args)?;
    let mut shares = Shares::default();
    let mut header = String::new();
    let mut lineage = String::new();
    let Left { dropped, unusable } = plan.make(args.count(), &mut |number, case, detail| {
        shares.count(case.expectation);
        header.clear();
        case.push_header(detail, &mut header);
        if args.json {
            lineage.clear();
            case.lineage.push_line(detail, &mut lineage);
        }
        let technique = case.lineage.technique.as_str();
        let about = About { technique, expect: case.expectation.word(), lineage: &lineage };
        let id = || format!("{technique}-{number:06}");
        writer.write(id, &[header.as_bytes(), case.script.as_bytes()], &about, streams)
    })?;
    streams.message(&format!("{}\n", shares.text(&args.technique)))?;
    for (technique, dropped) in dropped {
        streams.message(&format!("{}\n", dropped.warning(technique)))?;
    }
    let unusable = why_unusable(unusable.iter().map(|seed| &plan.library.all()[*seed]));
    if shares.all() == 0 {
        let reasons = if unusable.is_empty() { String::new() } else { format!(":\n  {unusable}") };
        return Err(CliError::usage(format!("none of the seeds can be used with this technique{reasons}")));
    }
    if !unusable.is_empty() {
        streams.message(&format!("warning: some seeds cannot be used:\n  {unusable}\n"))?;
    }
    Ok(Exit::Done)
}

/// The seeds that the user names and that are small enough, with their names.
fn small_seeds(args: &Args, streams: &mut Streams) -> Result<Vec<(String, String)>, CliError> {
    let (mut seeds, _) = match find_seeds(&args.seeds, streams) {
        Ok(found) => found,
        Err(error) => {
            error.report_and_continue(streams)?;
            return Err(CliError::usage("no seeds found"));
        }
    };
    seeds.retain(|(_, text)| args.max_seed_bytes.is_none_or(|most| text.len() <= most));
    Ok(seeds)
}

fn chosen_techniques(args: &Args) -> Result<Vec<Box<dyn Technique>>, CliError> {
    let mut chosen = match args.technique.as_str() {
        "all" => techniques().into_iter().filter(|technique| technique.is_usual()).collect(),
        name => match technique(name) {
            Some(technique) => vec![technique],
            None => {
                let known: Vec<&str> = techniques().iter().map(|technique| technique.name()).collect();
                return Err(CliError::Usage(format!(
                    "unknown technique `{name}`; there are all, {}, construct, enumerate, random, stringfuzz",
                    known.join(", ")
                )));
            }
        },
    };
    if let Some(path) = &args.triples {
        add_triples(&mut chosen, &read_triples(path)?)?;
    }
    Ok(chosen)
}

/// What was left out.
#[derive(Debug, Default)]
struct Left {
    /// By technique the cases that do not read back.
    dropped: BTreeMap<&'static str, Dropped>,
    /// The positions of seeds that cannot be used.
    unusable: BTreeSet<usize>,
}

impl Plan {
    /// Makes this many cases and gives each to `take`, with its number from 1 on. The result is what was left out.
    fn make(
        &self,
        count: u64,
        take: &mut dyn FnMut(u64, &Case, &str) -> Result<(), CliError>,
    ) -> Result<Left, CliError> {
        let shares: Vec<Share> =
            self.techniques.iter().map(|technique| Share::of(technique.as_ref(), 1, self.steps)).collect();
        let mut left = Left::default();
        let schedule = Schedule::new(&self.library, &shares, self.random_seed);
        // Seeds that give nothing are drawn again and again; at some time it is clear that none gives anything.
        let most_barren = 100 + 20 * self.library.len() as u64;
        let (mut made, mut barren) = (0, 0);
        for number in 0.. {
            if made == count || barren == most_barren {
                return Ok(left);
            }
            barren += 1;
            let ChainPlan { seed, technique, random_seed, length } = schedule.chain(number);
            let Some((mut terms, seed)) = self.library.copy(seed) else {
                left.unusable.insert(seed);
                continue;
            };
            let technique = self.techniques[technique].as_ref();
            let chain = Chain::start(&mut terms, &seed, technique, &self.library, random_seed);
            let mut chain = chain.with_length(length);
            while made < count {
                let Some(case) = chain.next(&mut terms) else { break };
                made += 1;
                barren = 0;
                take(made, &case, chain.detail())?;
            }
            if chain.dropped().cases > 0 {
                left.dropped.entry(technique.name()).or_default().add(chain.dropped());
            }
        }
        Ok(left)
    }
}

/// How many cases claim what.
#[derive(Debug, Default)]
struct Shares {
    sat: u64,
    unsat: u64,
    none: u64,
}

impl Shares {
    fn count(&mut self, expectation: Expectation) {
        match expectation {
            Expectation::Sat => self.sat += 1,
            Expectation::Unsat => self.unsat += 1,
            Expectation::None => self.none += 1,
        }
    }

    fn all(&self) -> u64 {
        self.sat + self.unsat + self.none
    }

    fn text(&self, technique: &str) -> String {
        let share = 100.0 * (self.sat + self.unsat) as f64 / self.all().max(1) as f64;
        format!(
            "{technique}: {} cases, {} expected sat, {} expected unsat, {} without a claim; {share:.1} % have one",
            self.all(),
            self.sat,
            self.unsat,
            self.none
        )
    }
}
