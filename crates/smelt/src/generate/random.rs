//! `smelt generate random`: random formulas over strings.

use smelt_oracle::case::Expectation;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::script_text;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_testgen::random::Random;
use smelt_testgen::random_formula::{Knobs, MAX_DEPTH, Weights, random_script};

use super::Args;
use super::write::{About, CaseWriter};
use crate::error::{CliError, Exit};
use crate::print::DialectName;
use crate::streams::Streams;

/// What belongs to `random` and `stringfuzz` only.
#[derive(Debug, clap::Args)]
#[group(id = "random-formulas")]
#[command(next_help_heading = "Options of random and stringfuzz")]
pub(super) struct Options {
    /// The most characters of a literal [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100_000))]
    literal_length: Option<u32>,
    /// How many levels an assertion has [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=i64::from(MAX_DEPTH)))]
    depth: Option<u32>,
    /// How often operators are chosen, by their names, such as str.contains=10,str.len=0; 0 is never [default: 4 for those on
    /// strings and =, 1 for others, 0 for *, div and mod]
    #[arg(long, value_name = "OP=N,..", value_delimiter = ',', value_parser = parse_weight)]
    weight: Vec<(String, u32)>,
    /// Spellings and string escapes; 2.5 leaves out the operators that it does not have [default: 2.6]
    #[arg(long, value_name = "VERSION")]
    dialect: Option<DialectName>,
}

fn parse_weight(text: &str) -> Result<(String, u32), String> {
    let problem = || "a weight is an operator and a number, such as str.len=2".to_owned();
    let (name, weight) = text.rsplit_once('=').ok_or_else(problem)?;
    if Op::named(name).is_empty() {
        return Err(format!("there is no operator `{name}`"));
    }
    Ok((name.to_owned(), weight.parse().map_err(|_| problem())?))
}

impl Options {
    pub(super) fn is_used(&self) -> bool {
        self.literal_length.is_some()
            || self.depth.is_some()
            || self.dialect.is_some()
            || !self.weight.is_empty()
    }

    pub(super) fn literal_length(&self) -> u32 {
        self.literal_length.unwrap_or(Knobs::default().literal_length)
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect.map_or(Dialect::V26, DialectName::dialect)
    }

    pub(super) fn weights(&self) -> Weights {
        let standard = Weights::default();
        let mut weights = if self.dialect() == Dialect::V25 { standard.older() } else { standard };
        for (name, weight) in &self.weight {
            Op::named(name).iter().for_each(|op| weights.set(*op, *weight));
        }
        weights
    }
}

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if !args.seeds.is_empty() {
        return Err(CliError::usage("random takes no seeds"));
    }
    let standard = Knobs::default();
    let knobs = Knobs {
        literal_length: args.random.literal_length(),
        variables: args.enumerate.variables.unwrap_or(standard.variables),
        assertions: args.enumerate.asserts.unwrap_or(standard.assertions),
        depth: args.random.depth.unwrap_or(standard.depth),
        weights: args.random.weights(),
    };
    let Knobs { literal_length, variables, assertions, depth, .. } = knobs;
    let mut writer = Writer::new(args, "random")?;
    for number in 0..args.count() {
        let random_seed = args.seed.wrapping_add(number);
        let mut terms = Terms::new();
        let script = random_script(&mut terms, &knobs, &mut Random::new(random_seed));
        let lineage = format!(
            "literal length {literal_length}, variables {variables}, assertions {assertions}, depth {depth}, \
             random seed {random_seed}"
        );
        let case = Made { script, expectation: Expectation::None, comments: String::new(), lineage };
        writer.write(&mut terms, case, streams)?;
    }
    writer.finish(streams)
}

/// A case that was made without a chain.
pub(super) struct Made {
    pub script: Script,
    pub expectation: Expectation,
    /// Lines of comments besides the usual ones, each with its end.
    pub comments: String,
    /// Where it comes from, in one line.
    pub lineage: String,
}

/// Writes and counts cases.
pub(super) struct Writer<'a> {
    args: &'a Args,
    cases: CaseWriter<'a>,
    technique: &'static str,
    made: u64,
    claimed: u64,
}

impl<'a> Writer<'a> {
    /// Makes the folder, if the cases go to one.
    pub(super) fn new(args: &'a Args, technique: &'static str) -> Result<Self, CliError> {
        Ok(Writer { args, cases: CaseWriter::new(args)?, technique, made: 0, claimed: 0 })
    }

    /// Writes a case in the dialect that is asked for.
    pub(super) fn write(
        &mut self,
        terms: &mut Terms,
        mut case: Made,
        streams: &mut Streams,
    ) -> Result<(), CliError> {
        self.made += 1;
        self.claimed += u64::from(case.expectation != Expectation::None);
        case.script.dialect = self.args.random.dialect();
        let (technique, number) = (self.technique, self.made);
        let expect = case.expectation.word();
        let lineage = case.lineage.replace(['\n', '\r'], " ");
        let text = format!(
            "; expect: {expect}\n; technique: {technique}\n; lineage: {lineage}\n{}{}",
            case.comments,
            script_text(terms, &case.script)
        );
        let about = About { technique, expect, lineage: &lineage };
        self.cases.write(|| format!("{technique}-{number:06}"), &[text.as_bytes()], &about, streams)
    }

    /// Prints how many cases there are.
    pub(super) fn finish(self, streams: &mut Streams) -> Result<Exit, CliError> {
        let Writer { technique, made, claimed, .. } = self;
        streams.message(&format!("{technique}: {made} cases, {claimed} of them with a claim\n"))?;
        if made == 0 && self.args.count() > 0 {
            return Err(CliError::usage("there are no such cases"));
        }
        Ok(Exit::Done)
    }
}
