//! `smelt generate random` and `smelt generate stringfuzz`: random formulas over strings, families that grow, and
//! transformed seeds.

use smelt_campaign::configure::values::one_of;
use smelt_campaign::generation::strings::{
    CaseCount, GrowingFamilies, OperatorWeight, random, transformed, weights,
};
use smelt_oracle::case::Expectation;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::term::Terms;
use smelt_testgen::made_case::MadeCase;
use smelt_testgen::random_formula::{Knobs, MAX_DEPTH, Weights};
use smelt_testgen::stringfuzz::{Family, Transformer};

use super::seeded::SeedArgs;
use super::write::{CaseWriter, Origin};
use super::{CommonArgs, CountArg};
use crate::cli::print::DialectName;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// How random terms over strings look.
#[derive(Debug, clap::Args)]
struct TermArgs {
    /// The most characters of a literal
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=100_000))]
    literal_length: u32,
    /// How often operators are chosen, by their names, such as str.contains=10,str.len=0; 0 is never [default: 4 for those on
    /// strings and =, 1 for others, 0 for *, div and mod]
    #[arg(long, value_name = "OP=N,..", value_delimiter = ',')]
    weight: Vec<OperatorWeight>,
    /// Spellings and string escapes; 2.5 leaves out the operators that it does not have
    #[arg(long, value_name = "VERSION", default_value = "2.6")]
    dialect: DialectName,
}

impl TermArgs {
    fn weights(&self) -> Weights {
        weights(self.dialect.dialect(), &self.weight)
    }
}

/// Random formulas over strings
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt generate random --count 10 --depth 4")]
pub(super) struct RandomArgs {
    #[command(flatten)]
    count: CountArg,
    /// Number of declared variables
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    variables: u32,
    /// Number of assertions in a formula
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    asserts: u32,
    /// Number of levels of an assertion
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(2..=i64::from(MAX_DEPTH)))]
    depth: u32,
    #[command(flatten)]
    terms: TermArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) fn run_random(args: &RandomArgs, streams: &mut Streams) -> Result<Exit, CliError> {
    let knobs = Knobs {
        literal_length: args.terms.literal_length,
        variables: args.variables,
        assertions: args.asserts,
        depth: args.depth,
        weights: args.terms.weights(),
    };
    let cases = CaseCount { count: args.count.count, random_seed: args.common.seed };
    let mut writer = Writer::new("random", &args.common, args.terms.dialect.dialect())?;
    random(&knobs, cases, &mut |terms, case| writer.write(terms, case, streams))?;
    writer.finish(cases, streams)
}

/// Families of formulas over strings that grow, or transformed seeds
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt generate stringfuzz --family regex --size 20 --count 5
         smelt generate stringfuzz seeds/ --transform reverse")]
pub(super) struct StringfuzzArgs {
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    count: CountArg,
    /// Only these families [default: all in turns]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = one_of::<Family>(), conflicts_with = "paths")]
    family: Vec<Family>,
    /// The number that a family grows with [default: 1, 2, ..]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=100_000), conflicts_with = "paths")]
    size: Option<u32>,
    /// Apply these transformers, one after the other; a case says what they keep of the answer [default: none to families,
    /// a random one to each seed]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = one_of::<Transformer>())]
    transform: Vec<Transformer>,
    #[command(flatten)]
    terms: TermArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) fn run_stringfuzz(args: &StringfuzzArgs, streams: &mut Streams) -> Result<Exit, CliError> {
    let cases = CaseCount { count: args.count.count, random_seed: args.common.seed };
    let mut writer = Writer::new("stringfuzz", &args.common, args.terms.dialect.dialect())?;
    if args.seeds.paths.is_empty() {
        let families = GrowingFamilies {
            families: args.family.clone(),
            size: args.size,
            literal_length: args.terms.literal_length,
            weights: args.terms.weights(),
            transformers: args.transform.clone(),
        };
        families.make(cases, &mut |terms, case| writer.write(terms, case, streams))?;
    } else {
        let targets = args.seeds.targets(streams)?;
        let seeds = args.seeds.labelled(&targets, streams)?;
        transformed(&seeds, &args.transform, cases, &mut |terms, case| writer.write(terms, case, streams))?;
    }
    writer.finish(cases, streams)
}

/// Writes and counts cases.
struct Writer<'a> {
    cases: CaseWriter<'a>,
    technique: &'static str,
    dialect: Dialect,
    made: u64,
    claimed: u64,
}

impl<'a> Writer<'a> {
    /// Makes the folder, if the cases go to one.
    fn new(technique: &'static str, common: &'a CommonArgs, dialect: Dialect) -> Result<Self, CliError> {
        Ok(Writer { cases: CaseWriter::new(common)?, technique, dialect, made: 0, claimed: 0 })
    }

    /// Writes a case in the dialect that is asked for.
    fn write(&mut self, terms: &mut Terms, case: MadeCase, streams: &mut Streams) -> Result<(), CliError> {
        self.made += 1;
        self.claimed += u64::from(case.expectation != Expectation::None);
        let mut case = case;
        case.script.dialect = self.dialect;
        let (technique, number) = (self.technique, self.made);
        let lineage = case.one_line_lineage();
        let text = case.text(terms, technique);
        let origin = Origin { technique, expect: case.expectation.word(), claim: None, lineage: &lineage };
        self.cases.write(|| format!("{technique}-{number:06}"), &[text.as_bytes()], &origin, streams)
    }

    /// Prints how many cases there are.
    fn finish(self, cases: CaseCount, streams: &mut Streams) -> Result<Exit, CliError> {
        let Writer { technique, made, claimed, .. } = self;
        streams.message(&format!("{technique}: {made} cases, {claimed} of them with a claim\n"))?;
        if made == 0 && cases.count > 0 {
            return Err(CliError::usage("there are no such cases"));
        }
        Ok(Exit::Done)
    }
}
