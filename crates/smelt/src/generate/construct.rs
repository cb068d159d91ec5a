//! `smelt generate construct`: formulas that are satisfiable or unsatisfiable by how they are made.

use smelt_oracle::case::Expectation;
use smelt_testgen::construct::{Category, MAX_BOUND, Settings, Test, Theory, generate};

use super::Args;
use super::write::{About, CaseWriter};
use crate::error::{CliError, Exit};
use crate::streams::Streams;

/// What belongs to `construct` only.
#[derive(Debug, clap::Args)]
#[group(id = "construct")]
#[command(next_help_heading = "Options of construct")]
pub(super) struct Options {
    /// The theory: strings, ints, reals, bitvectors or floats; only strings have unsatisfiable cases [default: strings]
    #[arg(long, value_name = "THEORY", value_parser = parse_theory)]
    theory: Option<Theory>,
    /// How deep arguments and results are in term synthesis [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BOUND)))]
    bound: Option<u32>,
    /// Only these categories: operation, constant-assignment, term-synthesis, equivalence, variable-replacement,
    /// constant-replacement, noise [default: all]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = parse_category)]
    category: Vec<Category>,
    /// The twelve operations of the paper by Bugariu and Mueller, and constants that give about as many cases as theirs
    /// [default: all operations]
    #[arg(long)]
    paper: bool,
    /// How often something is replaced in an unsatisfiable case [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10))]
    rounds: Option<u32>,
}

/// How many cases of a category are made if the user does not say.
const DEFAULT_COUNT: u64 = 2_000;

impl Options {
    pub(super) fn is_used(&self) -> bool {
        self.theory.is_some()
            || self.bound.is_some()
            || self.rounds.is_some()
            || self.paper
            || !self.category.is_empty()
    }
}

fn parse_theory(name: &str) -> Result<Theory, String> {
    let names: Vec<&str> = Theory::ALL.iter().map(|theory| theory.name()).collect();
    let known = Theory::ALL.into_iter().find(|theory| theory.name() == name);
    known.ok_or_else(|| format!("there are {}", names.join(", ")))
}

fn parse_category(name: &str) -> Result<Category, String> {
    let names: Vec<&str> = Category::ALL.iter().map(|category| category.name()).collect();
    let known = Category::ALL.into_iter().find(|category| category.name() == name);
    known.ok_or_else(|| format!("there are {}", names.join(", ")))
}

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let options = &args.construct;
    if !args.seeds.is_empty() {
        return Err(CliError::usage("construct takes no seeds"));
    }
    let settings = Settings {
        theory: options.theory.unwrap_or(Theory::Strings),
        bound: options.bound.unwrap_or(1),
        is_paper: options.paper,
        rounds: options.rounds.unwrap_or(1),
        random_seed: args.seed,
    };
    if settings.is_paper && settings.theory != Theory::Strings {
        return Err(CliError::usage("--paper is for the theory `strings`"));
    }
    let writer = CaseWriter::new(args)?;
    let most = args.count.unwrap_or(if settings.is_paper { u64::MAX } else { DEFAULT_COUNT });
    let categories: Vec<Category> =
        if options.category.is_empty() { Category::ALL.to_vec() } else { options.category.clone() };
    let mut counts = Vec::new();
    for category in categories {
        let mut count = Count { category, all: 0, with_patterns: 0 };
        let mut written = Ok(());
        if most > 0 {
            generate(&settings, category, &mut |test| {
                count.add(&test);
                written = write(&writer, &settings, count.all, &test, streams);
                written.is_ok() && count.all < most
            });
        }
        written?;
        counts.push(count);
    }
    summarise(&counts, streams)?;
    if counts.iter().all(|count| count.all == 0) {
        return Err(CliError::usage("there are no such cases"));
    }
    Ok(Exit::Done)
}

/// How many cases a category has given.
struct Count {
    category: Category,
    all: u64,
    with_patterns: u64,
}

impl Count {
    fn add(&mut self, test: &Test) {
        self.all += 1;
        self.with_patterns += u64::from(test.has_patterns);
    }
}

fn write(
    writer: &CaseWriter<'_>,
    settings: &Settings,
    number: u64,
    test: &Test,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let lineage = lineage(settings, test);
    let text = test.text(&lineage);
    let expect = test.category.expectation().word();
    let id = || format!("construct-{}-{number:06}", test.category.name());
    writer.write(
        id,
        &[text.as_bytes()],
        &About { technique: "construct", expect, lineage: &lineage },
        streams,
    )
}

/// Where a case comes from, in one line.
fn lineage(settings: &Settings, test: &Test) -> String {
    let theory = if settings.is_paper { "paper" } else { settings.theory.name() };
    let Settings { bound, rounds, random_seed, .. } = settings;
    let parameter = match test.category.expectation() {
        Expectation::Sat => format!("bound {bound}"),
        _ => format!("rounds {rounds}"),
    };
    let category = test.category.name();
    format!("theory {theory}, category {category}, {parameter}, random seed {random_seed}, {}", test.detail)
}

fn summarise(counts: &[Count], streams: &mut Streams) -> Result<(), CliError> {
    for Count { category, all, with_patterns } in counts {
        let patterns = if *with_patterns > 0 {
            format!(", {with_patterns} of them with patterns")
        } else {
            String::new()
        };
        let expectation = category.expectation().word();
        streams.message(&format!("construct: {:<22}{all:>6} {expectation}{patterns}\n", category.name()))?;
    }
    let sum = |wanted: Expectation| -> u64 {
        counts.iter().filter(|count| count.category.expectation() == wanted).map(|count| count.all).sum()
    };
    let (sat, unsat) = (sum(Expectation::Sat), sum(Expectation::Unsat));
    streams.message(&format!(
        "construct: {} cases, {sat} expected sat, {unsat} expected unsat; all have a claim\n",
        sat + unsat
    ))?;
    Ok(())
}
