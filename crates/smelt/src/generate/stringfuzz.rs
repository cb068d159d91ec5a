//! `smelt generate stringfuzz`: families of formulas over strings that grow, and transformed seeds.

use smelt_campaign::seed_labels::{Source, labelled};
use smelt_oracle::case::Expectation;
use smelt_semantics::model::Model;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;
use smelt_testgen::random::Random;
use smelt_testgen::seed::{MODEL_LINE, Seed};
use smelt_testgen::stringfuzz::{Family, Keeps, Settings, Transformer, generate, transform};
use smelt_testgen::truth::{Truth, holds};

use super::random::{Made, Writer};
use super::{Args, small_seeds};
use crate::error::{CliError, Exit};
use crate::solvers::installation;
use crate::streams::Streams;

/// What belongs to `stringfuzz` only.
#[derive(Debug, clap::Args)]
#[group(id = "stringfuzz")]
#[command(next_help_heading = "Options of stringfuzz")]
pub(super) struct Options {
    /// Only these families: concats-deep, concats-balanced, concats-extracts, overlaps, lengths, lengths-concats, equality,
    /// regex, regex-pair, different-prefix, random-text, random-ast [default: all in turns]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = parse_family)]
    family: Vec<Family>,
    /// Apply these transformers, one after the other: fuzz, graft, multiply, nop, reverse, rotate, translate, unprintable; a
    /// case says what they keep of the answer [default: none to families, one by chance to each seed]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = parse_transformer)]
    transform: Vec<Transformer>,
}

fn parse_family(name: &str) -> Result<Family, String> {
    let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
    let known = Family::ALL.into_iter().find(|family| family.name() == name);
    known.ok_or_else(|| format!("there are {}", names.join(", ")))
}

fn parse_transformer(name: &str) -> Result<Transformer, String> {
    let names: Vec<&str> = Transformer::ALL.iter().map(|transformer| transformer.name()).collect();
    let known = Transformer::ALL.into_iter().find(|transformer| transformer.name() == name);
    known.ok_or_else(|| format!("there are {}", names.join(", ")))
}

impl Options {
    pub(super) fn is_used(&self) -> bool {
        !self.family.is_empty() || !self.transform.is_empty()
    }
}

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if args.seeds.is_empty() { from_families(args, streams) } else { from_seeds(args, streams) }
}

fn from_families(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let options = &args.stringfuzz;
    let families: &[Family] = if options.family.is_empty() { &Family::ALL } else { &options.family };
    let mut writer = Writer::new(args, "stringfuzz")?;
    for number in 0..args.count() {
        let random_seed = args.seed.wrapping_add(number);
        let family = families[(number % families.len() as u64) as usize];
        let round = u32::try_from(number / families.len() as u64).unwrap_or(u32::MAX - 1);
        let size = args.enumerate.size.unwrap_or(round + 1);
        let settings =
            Settings { size, literal_length: args.random.literal_length(), weights: args.random.weights() };
        let mut terms = Terms::new();
        let mut random = Random::new(random_seed);
        let script = generate(&mut terms, family, &settings, &mut random);
        let mut work = Work::new(script, Truth::Unknown);
        work.apply(&mut terms, &options.transform, &mut random);
        let lineage = format!(
            "family {}, size {size}, literal length {}{}, random seed {random_seed}",
            family.name(),
            settings.literal_length,
            work.transformers(),
        );
        let case = work.case(&mut terms, lineage);
        writer.write(&mut terms, case, streams)?;
    }
    writer.finish(streams)
}

fn from_seeds(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let options = &args.stringfuzz;
    if !options.family.is_empty() {
        return Err(CliError::usage("--family makes formulas without seeds; --transform changes seeds"));
    }
    let seeds = small_seeds(args, streams)?;
    let (seeds, _) = labelled(seeds, &Source::built_in(installation().finder().own()));
    let mut writer = Writer::new(args, "stringfuzz")?;
    // Seeds that cannot be changed are passed over; at some time it is clear that none can.
    let (mut made, mut barren) = (0, 0);
    for number in 0.. {
        if seeds.is_empty() || made == args.count() || barren > 20 * seeds.len() {
            break;
        }
        let random_seed = args.seed.wrapping_add(number as u64);
        let (name, text) = &seeds[number % seeds.len()];
        let mut terms = Terms::new();
        let mut random = Random::new(random_seed);
        barren += 1;
        let Ok(seed) = Seed::read(&mut terms, name, text) else { continue };
        let one = [Transformer::ALL[random.position(Transformer::ALL.len())]];
        let transformers = if options.transform.is_empty() { &one[..] } else { &options.transform };
        let mut work = Work::new(seed.script, seed.truth);
        work.apply(&mut terms, transformers, &mut random);
        if work.applied.is_empty() {
            continue;
        }
        let lineage = format!("seed {name}{}, random seed {random_seed}", work.transformers());
        let case = work.case(&mut terms, lineage);
        (made, barren) = (made + 1, 0);
        writer.write(&mut terms, case, streams)?;
    }
    writer.finish(streams)
}

/// A script on its way through transformers.
struct Work {
    script: Script,
    truth: Truth,
    keeps: Keeps,
    applied: Vec<&'static str>,
}

impl Work {
    fn new(script: Script, truth: Truth) -> Self {
        Work { script, truth, keeps: Keeps::Answer, applied: Vec::new() }
    }

    /// Applies transformers one after the other; those that change nothing are left out.
    fn apply(&mut self, terms: &mut Terms, transformers: &[Transformer], random: &mut Random) {
        for transformer in transformers {
            let Some(changed) = transform(terms, &self.script, *transformer, random) else { continue };
            self.keeps = match (self.keeps, changed.keeps) {
                (Keeps::Nothing, _) | (_, Keeps::Nothing) => Keeps::Nothing,
                (Keeps::Sat, _) | (_, Keeps::Sat) => Keeps::Sat,
                (Keeps::Answer, Keeps::Answer) => Keeps::Answer,
            };
            self.truth = match &self.truth {
                Truth::Sat(model) => Truth::Sat(changed.model(terms, model)),
                Truth::Unsat(core) if self.keeps == Keeps::Answer => Truth::Unsat(core.clone()),
                _ => Truth::Unknown,
            };
            self.script = changed.script;
            self.applied.push(transformer.name());
        }
    }

    /// What was done, for a lineage.
    fn transformers(&self) -> String {
        let steps = self.applied.iter().map(|name| format!(", {name}"));
        steps.collect()
    }

    /// The case, with the model if our evaluator accepts it.
    fn case(self, terms: &mut Terms, lineage: String) -> Made {
        let (expectation, model) = match &self.truth {
            Truth::Sat(model) if holds(terms, &self.script, model) => (Expectation::Sat, Some(model)),
            Truth::Unsat(_) => (Expectation::Unsat, None),
            _ => (Expectation::None, None),
        };
        let mut comments = model.map(|model| model_lines(terms, model)).unwrap_or_default();
        if !self.applied.is_empty() {
            comments.push_str(&format!("; keeps: {}\n", self.keeps.word()));
        }
        Made { script: self.script, expectation, comments, lineage }
    }
}

/// The definitions of a model as comments of a seed, which are in the new dialect whatever the seed is in.
fn model_lines(terms: &mut Terms, model: &Model) -> String {
    let mut lines = String::new();
    for name in model.symbols().collect::<Vec<_>>() {
        let Some(definition) = model.definition(name) else { continue };
        let mut printer = Printer::new(terms, Dialect::V26, Layout::Flat);
        printer.command(&Command::DefineFun(definition.clone()));
        lines.push_str(&format!("{MODEL_LINE}{}\n", printer.finish().replace(['\n', '\r'], " ").trim_end()));
    }
    lines
}
