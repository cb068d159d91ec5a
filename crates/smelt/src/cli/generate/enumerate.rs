//! `smelt generate enumerate`: the formulas of a grammar by their numbers.

use std::io::Write;
use std::path::{Path, PathBuf};

use dashu_int::UBig;
use smelt_campaign::enumeration_cache::Counts;
use smelt_campaign::generation::enumerate::{
    FormulaRange, Shard, lineage, parse_index, parse_shard, parse_symmetry, size_counts,
};
use smelt_campaign::inputs::{self, ScriptInput};
use smelt_testgen::enumeration::{Enumeration, Layout, Parameters, Symmetry};

use super::write::{CaseWriter, Origin};
use super::{CommonArgs, CountArg};
use crate::config::solvers::cache_folder;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;
use smelt_campaign::grammars::read_grammar;

/// The formulas of a grammar, by their numbers or drawn
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt generate enumerate --grammar strings --start 10^6 --count 10")]
pub(super) struct Args {
    /// A grammar: a name that `smelt list grammars` shows, or a file
    #[arg(long, value_name = "NAME|FILE")]
    grammar: String,
    /// The index of the first formula, also as 10^1000 [default: 0]
    #[arg(long, value_name = "INDEX", value_parser = parse_index)]
    start: Option<UBig>,
    #[command(flatten)]
    count: CountArg,
    /// Number of declared variables
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    variables: u32,
    /// Number of assertions in a formula
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    asserts: u32,
    /// Only formulas of this size; --start counts from the first of them [default: all sizes]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=MAX_SIZE))]
    size: Option<u32>,
    /// Only formulas up to this size [default: all sizes]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=MAX_SIZE))]
    max_size: Option<u32>,
    /// Sample uniformly among formulas of --size, or up to --max-size, instead of enumerating
    #[arg(long, conflicts_with_all = ["start", "shard"])]
    random: bool,
    /// Only the part I of N equal parts of the range [default: all of it]
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    shard: Option<Shard>,
    /// Leave out equivalent formulas: none, variables (those with other names of variables), arguments (those with
    /// commuted arguments) or all
    #[arg(long, value_name = "KIND", value_parser = parse_symmetry, default_value = "none")]
    symmetry: Symmetry,
    /// One line for each formula, without comments [default: a line for each command]
    #[arg(long)]
    compact: bool,
    /// Print how many formulas there are of each size up to --max-size, and no formulas
    #[arg(long)]
    count_only: bool,
    /// Print the index of the formula in this file, and no formulas
    #[arg(long, value_name = "FILE")]
    index_of: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
}

/// Tables for larger sizes would not fit into memory.
const MAX_SIZE: i64 = 100_000;

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if args.random && args.size.or(args.max_size).is_none() {
        return Err(CliError::usage("--random needs --size or --max-size"));
    }
    let parameters = Parameters {
        variables: args.variables,
        asserts: args.asserts,
        symmetry: args.symmetry,
        layout: if args.compact { Layout::OneLine } else { Layout::Lines },
    };
    let range = FormulaRange {
        start: args.start.clone().unwrap_or_default(),
        count: args.count.count,
        size: args.size,
        max_size: args.max_size,
        shard: args.shard,
    };
    let mut enumeration = read_grammar(&args.grammar, &parameters)?;
    let counts = range.is_far().then(|| Counts::restore(&cache_folder().join("counts"), &mut enumeration));
    let ended = match &args.index_of {
        _ if args.count_only => print_counts(args, &mut enumeration, streams),
        Some(path) => print_index(path, &args.grammar, &mut enumeration, streams),
        None => write_all(args, &range, &parameters, &mut enumeration, streams),
    };
    counts.iter().for_each(|counts| counts.keep(&enumeration));
    ended
}

fn write_all(
    args: &Args,
    range: &FormulaRange,
    parameters: &Parameters,
    enumeration: &mut Enumeration,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let cases = CaseWriter::new(&args.common)?;
    let lineage = lineage(&args.grammar, parameters);
    let is_compact = args.compact && cases.is_stream();
    let mut number = 0;
    let mut write = |index: &[u8], formula: &str| -> Result<(), CliError> {
        number += 1;
        let id = || format!("{TECHNIQUE}-{number:06}");
        let mut origin = Origin { technique: TECHNIQUE, expect: "none", claim: None, lineage: "" };
        if is_compact {
            return cases.write(id, &[formula.as_bytes()], &origin, streams);
        }
        let line;
        if !cases.is_stream() {
            line = format!("{lineage}{}", String::from_utf8_lossy(index));
            origin.lineage = &line;
        }
        let parts = [HEADER.as_bytes(), lineage.as_bytes(), index, b"\n", formula.as_bytes()];
        cases.write(id, &parts, &origin, streams)
    };
    let made = match args.random {
        true => range.drawn(enumeration, args.common.seed, &mut write)?,
        false => range.in_order(enumeration, &mut write)?,
    };
    streams
        .message(&format!("enumerate: {made} cases of grammar {}, all without a claim\n", args.grammar))?;
    if made == 0 && args.shard.is_none() {
        return Err(CliError::usage("the grammar has no formulas in this range"));
    }
    Ok(Exit::Done)
}

const TECHNIQUE: &str = "enumerate";

/// The first comment lines of a case, up to its lineage.
const HEADER: &str = "; expect: none\n; technique: enumerate\n; lineage: ";

fn print_counts(args: &Args, enumeration: &mut Enumeration, streams: &mut Streams) -> Result<Exit, CliError> {
    let counts = size_counts(&args.grammar, enumeration, args.size, args.max_size);
    if args.common.json {
        counts.sizes.iter().try_for_each(|line| streams.json_line(line))?;
    } else {
        counts.sizes.iter().try_for_each(|line| writeln!(streams.results(), "{line}"))?;
        writeln!(streams.results(), "{}", counts.sum)?;
    }
    Ok(Exit::Done)
}

fn print_index(
    path: &Path,
    name: &str,
    enumeration: &mut Enumeration,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let input = if path == Path::new("-") { ScriptInput::Stdin } else { ScriptInput::File(path.to_owned()) };
    let text = inputs::read(&input)?;
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
