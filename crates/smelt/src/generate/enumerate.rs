//! `smelt generate enumerate`: the formulas of a grammar by their numbers.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use dashu_int::UBig;
use serde::Serialize;
use smelt_campaign::enumeration_cache::Counts;
use smelt_testgen::enumeration::{Enumeration, Layout, Parameters, Symmetry};
use smelt_testgen::random::Random;

use super::Args;
use super::write::{About, CaseWriter};
use crate::error::{CliError, Exit};
use crate::grammars::read_grammar;
use crate::solvers::cache_folder;
use crate::streams::Streams;

/// What belongs to `enumerate` only.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of enumerate")]
pub(super) struct Options {
    /// A grammar: a name that `smelt list grammars` shows, or a file
    #[arg(long, value_name = "NAME|FILE")]
    grammar: Option<String>,
    /// The index of the first formula, also as 10^1000 [default: 0]
    #[arg(long, value_name = "INDEX", value_parser = parse_index)]
    start: Option<UBig>,
    /// How many variables are declared, also with `random` [default: 2; with `random` 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) variables: Option<u32>,
    /// How many assertions a formula has, also with `random` [default: 1; with `random` 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) asserts: Option<u32>,
    /// Only formulas of this size; --start counts from the first of them; with `stringfuzz` the number that a family grows
    /// with [default: all sizes; with `stringfuzz` 1, 2, ..]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=MAX_SIZE))]
    pub(super) size: Option<u32>,
    /// Only formulas up to this size [default: all sizes]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=MAX_SIZE))]
    max_size: Option<u32>,
    /// Draw formulas of --size or up to --max-size by chance, each with the same [default: one after the other]
    #[arg(long)]
    random: bool,
    /// Only the part I of N equal parts of the range [default: all of it]
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    shard: Option<Shard>,
    /// Leave out equivalent formulas: `variables` those with other names, `arguments` those with commuted arguments,
    /// or `all` [default: none]
    #[arg(long, value_name = "KIND", value_parser = ["none", "variables", "arguments", "all"])]
    symmetry: Option<String>,
    /// One line for each formula, without comments [default: a line for each command]
    #[arg(long)]
    compact: bool,
    /// Print how many formulas there are of each size up to --max-size, and no formulas
    #[arg(long)]
    count_only: bool,
    /// Print the index of the formula in this file, and no formulas
    #[arg(long, value_name = "FILE")]
    index_of: Option<std::path::PathBuf>,
}

/// Tables for larger sizes would not fit into memory.
const MAX_SIZE: i64 = 100_000;

/// Up to which size formulas are counted if the user does not say.
const DEFAULT_COUNTED: u32 = 16;

impl Options {
    /// Whether an option is given that another technique does not have.
    pub(super) fn is_used(&self, technique: &str) -> bool {
        let has_counts = self.variables.is_some() || self.asserts.is_some();
        self.grammar.is_some()
            || self.start.is_some()
            || (has_counts && technique != "random")
            || (self.size.is_some() && technique != "stringfuzz")
            || self.max_size.is_some()
            || self.shard.is_some()
            || self.index_of.is_some()
            || self.symmetry.is_some()
            || self.random
            || self.compact
            || self.count_only
    }
}

/// One of several equal parts.
#[derive(Debug, Clone, Copy)]
struct Shard {
    /// From 1 on.
    number: u32,
    of: u32,
}

fn parse_index(text: &str) -> Result<UBig, String> {
    let problem = || "an index is a number such as 1200, 10^1000 or 5e20".to_owned();
    let number = |digits: &str| UBig::from_str_radix(digits, 10).map_err(|_| problem());
    let exponent = |digits: &str| match digits.parse::<usize>() {
        Ok(exponent) if exponent <= 20_000 => Ok(exponent),
        Ok(_) => Err("the exponent is too large".to_owned()),
        Err(_) => Err(problem()),
    };
    if let Some((base, power)) = text.split_once('^') {
        return Ok(number(base)?.pow(exponent(power)?));
    }
    match text.split_once(['e', 'E']) {
        Some((factor, power)) => Ok(number(factor)? * UBig::from(10_u8).pow(exponent(power)?)),
        None => number(text),
    }
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let problem = || "a shard is I/N with I from 1 to N, such as 2/8".to_owned();
    let (number, of) = text.split_once('/').ok_or_else(problem)?;
    let (Ok(number), Ok(of)) = (number.parse(), of.parse()) else { return Err(problem()) };
    if number == 0 || number > of { Err(problem()) } else { Ok(Shard { number, of }) }
}

/// One line of `--count-only --json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct CountLine<'n> {
    grammar: &'n str,
    size: u32,
    count: String,
    /// The index of the first formula of this size.
    start: String,
}

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let options = &args.enumerate;
    let Some(name) = &options.grammar else {
        return Err(CliError::usage(
            "enumerate needs --grammar; `smelt list grammars` shows those there are",
        ));
    };
    if !args.seeds.is_empty() {
        return Err(CliError::usage("enumerate takes no seeds"));
    }
    if options.random && options.size.or(options.max_size).is_none() {
        return Err(CliError::usage("--random needs --size or --max-size"));
    }
    if options.random && (options.start.is_some() || options.shard.is_some()) {
        return Err(CliError::usage("--random takes neither --start nor --shard"));
    }
    let parameters = Parameters {
        variables: options.variables.unwrap_or(2),
        asserts: options.asserts.unwrap_or(1),
        symmetry: Symmetry {
            variables: matches!(options.symmetry.as_deref(), Some("variables" | "all")),
            arguments: matches!(options.symmetry.as_deref(), Some("arguments" | "all")),
        },
        layout: if options.compact { Layout::OneLine } else { Layout::Lines },
    };
    let mut enumeration = read_grammar(name, &parameters)?;
    let counts = is_far(options).then(|| Counts::restore(&cache_folder().join("counts"), &mut enumeration));
    let ended = write_all(args, name, &parameters, &mut enumeration, streams);
    counts.iter().for_each(|counts| counts.keep(&enumeration));
    ended
}

/// Whether counting takes so long that it is worth keeping.
fn is_far(options: &Options) -> bool {
    use dashu_int::ops::BitTest;
    options.start.as_ref().is_some_and(|start| start.bit_len() > FAR_BITS)
        || options.size.into_iter().chain(options.max_size).any(|size| size > FAR_SIZE)
}

/// Indices with more bits are far away, and so are larger sizes.
const FAR_BITS: usize = 600;
const FAR_SIZE: u32 = 150;

fn write_all(
    args: &Args,
    name: &str,
    parameters: &Parameters,
    enumeration: &mut Enumeration,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let options = &args.enumerate;
    if options.count_only {
        return print_counts(args, name, enumeration, streams);
    }
    if let Some(path) = &options.index_of {
        return print_index(path, name, enumeration, streams);
    }
    let cases = CaseWriter::new(args)?;
    let lineage = Origin { grammar: name, parameters }.lineage();
    let mut writer = Writer { is_compact: options.compact && cases.is_stream(), cases, lineage, made: 0 };
    if options.random {
        let mut random = Random::new(args.seed);
        while writer.made < args.count() {
            let drawn = match (options.size, options.max_size) {
                (Some(size), _) => enumeration.sample(size, &mut random),
                (None, Some(size)) => enumeration.sample_up_to(size, &mut random),
                (None, None) => None,
            };
            let Some(index) = drawn else { break };
            let formula = enumeration.nth(&index).expect("what is drawn exists");
            writer.write(index.to_string().as_bytes(), &formula, streams)?;
        }
    } else {
        let (start, end) = range(args, enumeration);
        let count = if end > start { u64::try_from(end - &start).unwrap_or(u64::MAX) } else { 0 };
        let mut digits = Digits::new(&start);
        let cursor = if count == 0 { None } else { enumeration.from(&start) };
        if let Some(mut cursor) = cursor {
            loop {
                writer.write(digits.text(), cursor.text(), streams)?;
                if writer.made >= count || !cursor.advance() {
                    break;
                }
                digits.increment();
            }
        }
    }
    let made = writer.made;
    streams.message(&format!("enumerate: {made} cases of grammar {name}, all without a claim\n"))?;
    if made == 0 && options.shard.is_none() {
        return Err(CliError::usage("the grammar has no formulas in this range"));
    }
    Ok(Exit::Done)
}

/// The indices from the first to one behind the last.
fn range(args: &Args, enumeration: &mut Enumeration) -> (UBig, UBig) {
    let options = &args.enumerate;
    let mut start = options.start.clone().unwrap_or_default();
    if let Some(size) = options.size {
        start += enumeration.count_below(size);
    }
    let mut end = &start + UBig::from(args.count());
    if let Some(size) = options.size.into_iter().chain(options.max_size).min() {
        end = end.min(enumeration.count_below(size + 1).clone()).max(start.clone());
    }
    if let Some(Shard { number, of }) = options.shard {
        let length = &end - &start;
        let border = |part: u32| &start + &length * UBig::from(part) / UBig::from(of);
        return (border(number - 1), border(number));
    }
    (start, end)
}

fn print_counts(
    args: &Args,
    name: &str,
    enumeration: &mut Enumeration,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let options = &args.enumerate;
    let (first, last) = match (options.size, options.max_size) {
        (Some(size), _) => (size, size),
        (None, most) => (0, most.unwrap_or(DEFAULT_COUNTED)),
    };
    let last = enumeration.largest_size().map_or(last, |largest| last.min(largest));
    for size in first..=last {
        let start = enumeration.count_below(size).to_string();
        let count = enumeration.count(size);
        if count.is_zero() {
            continue;
        }
        let count = count.to_string();
        if args.json {
            streams.json_line(&CountLine { grammar: name, size, count, start })?;
        } else {
            writeln!(streams.results(), "size {size}: {count} formulas, from index {start} on")?;
        }
    }
    if !args.json {
        writeln!(streams.results(), "up to size {last}: {} formulas", enumeration.count_below(last + 1))?;
    }
    Ok(Exit::Done)
}

fn print_index(
    path: &Path,
    name: &str,
    enumeration: &mut Enumeration,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let read =
        if path == Path::new("-") { io::read_to_string(io::stdin()) } else { fs::read_to_string(path) };
    let text = match read {
        Ok(text) => text,
        Err(error) => return Err(CliError::input(format!("cannot read `{}`: {error}", path.display()))),
    };
    match enumeration.index_of(&text) {
        Some(index) => {
            writeln!(streams.results(), "{index}")?;
            Ok(Exit::Done)
        }
        None => Err(CliError::usage(format!(
            "the grammar {name} does not have the formula of `{}`",
            path.display()
        ))),
    }
}

/// Where a case comes from, but for its index.
struct Origin<'a> {
    grammar: &'a str,
    parameters: &'a Parameters,
}

impl Origin<'_> {
    fn lineage(&self) -> String {
        let Parameters { variables, asserts, symmetry, .. } = self.parameters;
        let without = match (symmetry.variables, symmetry.arguments) {
            (false, false) => "",
            (true, false) => "symmetry variables, ",
            (false, true) => "symmetry arguments, ",
            (true, true) => "symmetry all, ",
        };
        format!("grammar {}, variables {variables}, asserts {asserts}, {without}index ", self.grammar)
    }
}

/// Writes and counts cases.
struct Writer<'a> {
    cases: CaseWriter<'a>,
    /// Whether comments are left out.
    is_compact: bool,
    /// Where a case comes from, up to its index.
    lineage: String,
    made: u64,
}

impl Writer<'_> {
    fn write(&mut self, index: &[u8], formula: &str, streams: &mut Streams) -> Result<(), CliError> {
        self.made += 1;
        let number = self.made;
        let id = || format!("{TECHNIQUE}-{number:06}");
        let mut about = About { technique: TECHNIQUE, expect: "none", lineage: "" };
        if self.is_compact {
            return self.cases.write(id, &[formula.as_bytes()], &about, streams);
        }
        let lineage;
        if !self.cases.is_stream() {
            lineage = format!("{}{}", self.lineage, String::from_utf8_lossy(index));
            about.lineage = &lineage;
        }
        let parts = [HEADER.as_bytes(), self.lineage.as_bytes(), index, b"\n", formula.as_bytes()];
        self.cases.write(id, &parts, &about, streams)
    }
}

const TECHNIQUE: &str = "enumerate";

/// The first comment lines of a case, up to its lineage.
const HEADER: &str = "; expect: none\n; technique: enumerate\n; lineage: ";

/// A number as text that is counted up in place.
struct Digits(Vec<u8>);

impl Digits {
    fn new(number: &UBig) -> Self {
        Digits(number.to_string().into_bytes())
    }

    fn text(&self) -> &[u8] {
        &self.0
    }

    fn increment(&mut self) {
        for digit in self.0.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.0.insert(0, b'1');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_carry() {
        let mut digits = Digits::new(&UBig::from(998_u32));
        digits.increment();
        assert_eq!(digits.text(), b"999");
        digits.increment();
        assert_eq!(digits.text(), b"1000");
    }

    #[test]
    fn indices_have_powers() {
        assert_eq!(parse_index("12"), Ok(UBig::from(12_u32)));
        assert_eq!(parse_index("10^3"), Ok(UBig::from(1000_u32)));
        assert_eq!(parse_index("5e2"), Ok(UBig::from(500_u32)));
        assert!(parse_index("-1").is_err());
        assert!(parse_index("").is_err());
        assert!(parse_index("10^999999999").is_err());
    }
}
