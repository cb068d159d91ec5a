//! `smelt generate construct`: formulas that are satisfiable or unsatisfiable by how they are made.

use smelt_campaign::configure::values::one_of;
use smelt_campaign::generation::construct::{CategoryCount, category_counts};
use smelt_testgen::construct::{Category, MAX_BOUND, Settings, Test, Theory, generate};

use super::CommonArgs;
use super::write::{CaseWriter, Origin};
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// Formulas that are satisfiable or unsatisfiable by how they are made
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt generate construct --theory strings --count 100 --out cases")]
pub(super) struct Args {
    /// The theory; only strings have unsatisfiable cases
    #[arg(long, value_name = "THEORY", value_parser = one_of::<Theory>(), default_value = "strings")]
    theory: Theory,
    /// Number of cases of each category [default: 2000, or all with --paper]
    #[arg(short = 'n', long, value_name = "N")]
    count: Option<u64>,
    /// How deep arguments and results are in term synthesis
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BOUND)))]
    bound: u32,
    /// Only these categories [default: all]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = one_of::<Category>())]
    category: Vec<Category>,
    /// The twelve operations of the paper by Bugariu and Mueller, and constants that give about as many cases as theirs
    /// [default: all operations]
    #[arg(long)]
    paper: bool,
    /// How often something is replaced in an unsatisfiable case
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    rounds: u32,
    #[command(flatten)]
    common: CommonArgs,
}

/// How many cases of a category are made if the user does not say.
const DEFAULT_COUNT: u64 = 2_000;

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let settings = Settings {
        theory: args.theory,
        bound: args.bound,
        is_paper: args.paper,
        rounds: args.rounds,
        random_seed: args.common.seed,
    };
    if settings.is_paper && settings.theory != Theory::Strings {
        return Err(CliError::usage("--paper is for the theory `strings`"));
    }
    let writer = CaseWriter::new(&args.common)?;
    let most = args.count.unwrap_or(if settings.is_paper { u64::MAX } else { DEFAULT_COUNT });
    let categories: Vec<Category> =
        if args.category.is_empty() { Category::ALL.to_vec() } else { args.category.clone() };
    let mut counts = Vec::new();
    for category in categories {
        let mut count = CategoryCount::of(category);
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
    streams.message(&category_counts(&counts))?;
    if counts.iter().all(|count| count.all == 0) {
        return Err(CliError::usage("there are no such cases"));
    }
    Ok(Exit::Done)
}

fn write(
    writer: &CaseWriter<'_>,
    settings: &Settings,
    number: u64,
    test: &Test,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let lineage = test.lineage(settings);
    let text = test.text(&lineage);
    let expect = test.category.expectation().word();
    let id = || format!("construct-{}-{number:06}", test.category.name());
    writer.write(
        id,
        &[text.as_bytes()],
        &Origin { technique: "construct", expect, claim: Some("certain by construction"), lineage: &lineage },
        streams,
    )
}
