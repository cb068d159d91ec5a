//! `smelt generate`: cases without running anything.
//!
//! Every technique is a subcommand, so that each knows its own options and no others. What is generated is decided in
//! [`smelt_campaign::generation`].

mod construct;
mod enumerate;
mod seeded;
mod strings;
mod write;

use clap::{ArgMatches, Args as _, Command, FromArgMatches, Subcommand};

use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// Make cases without running anything, each with what is expected of it
///
/// Techniques that change seeds take the same options. A seed says what it is in its first line, `; expect: sat` or
/// `; expect: unsat`; lines `; model:` give its model. What a seed does not say, the built-in solver is asked, and the
/// solvers given by --solver: a model that smelt itself evaluates is certain; an `unsat` on which two families agree is
/// used too, and cases say so. Replies are kept, so that seeds are asked about once. Statuses are not believed.
#[derive(Debug, clap::Args)]
#[command(
    subcommand_value_name = "TECHNIQUE",
    subcommand_help_heading = "Techniques",
    disable_help_subcommand = true,
    after_help = "Example: smelt generate fusion seeds/ --count 1000 --out cases"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    technique: Technique,
}

/// What all techniques have in common.
#[derive(Debug, clap::Args)]
struct CommonArgs {
    /// A folder for the cases, or - for standard output
    #[arg(short, long, value_name = "DIR", default_value = "-")]
    out: std::path::PathBuf,
    /// Random seed; the same seed generates the same cases
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Print one JSON object per case; needs --out with a folder [default: the cases, or nothing]
    #[arg(long)]
    json: bool,
}

/// How many cases are generated, but for `construct`.
#[derive(Debug, clap::Args)]
struct CountArg {
    /// Number of cases
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    count: u64,
}

/// A technique with its options.
#[derive(Debug)]
enum Technique {
    Seeded { name: String, args: seeded::Args },
    Construct(construct::Args),
    Enumerate(enumerate::Args),
    Random(strings::RandomArgs),
    Stringfuzz(strings::StringfuzzArgs),
}

/// The techniques that make formulas by options of their own.
const OWN_OPTIONS: [&str; 4] = ["construct", "enumerate", "random", "stringfuzz"];

/// Adds a subcommand for each technique. Techniques are made for that, which takes time: only `smelt generate` does it.
fn with_techniques(command: Command) -> Command {
    let seeded =
        seeded::techniques().into_iter().map(|(name, about)| seeded::command(name).about(sentence(about)));
    command
        .subcommands(seeded)
        .subcommand(construct::Args::augment_args(Command::new("construct")))
        .subcommand(enumerate::Args::augment_args(Command::new("enumerate")))
        .subcommand(strings::RandomArgs::augment_args(Command::new("random")))
        .subcommand(strings::StringfuzzArgs::augment_args(Command::new("stringfuzz")))
}

/// A line that begins with a capital letter.
fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl Subcommand for Technique {
    fn augment_subcommands(command: Command) -> Command {
        command.defer(with_techniques)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        command.defer(with_techniques)
    }

    fn has_subcommand(name: &str) -> bool {
        OWN_OPTIONS.contains(&name) || seeded::techniques().iter().any(|(known, _)| *known == name)
    }
}

impl FromArgMatches for Technique {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let Some((name, matches)) = matches.subcommand() else {
            return Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand));
        };
        Ok(match name {
            "construct" => Technique::Construct(construct::Args::from_arg_matches(matches)?),
            "enumerate" => Technique::Enumerate(enumerate::Args::from_arg_matches(matches)?),
            "random" => Technique::Random(strings::RandomArgs::from_arg_matches(matches)?),
            "stringfuzz" => Technique::Stringfuzz(strings::StringfuzzArgs::from_arg_matches(matches)?),
            name => {
                let args = seeded::Args::from_arg_matches(matches)?;
                Technique::Seeded { name: name.to_owned(), args }
            }
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Technique::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    match &args.technique {
        Technique::Seeded { name, args } => seeded::run(name, args, streams),
        Technique::Construct(args) => construct::run(args, streams),
        Technique::Enumerate(args) => enumerate::run(args, streams),
        Technique::Random(args) => strings::run_random(args, streams),
        Technique::Stringfuzz(args) => strings::run_stringfuzz(args, streams),
    }
}
