//! `smelt list`: what there is to choose from.

use std::io::Write;

use serde::Serialize;
use smelt_campaign::campaign::command_of;
use smelt_oracle::finding::Class;
use smelt_oracle::judge::judges;
use smelt_testgen::enumeration::built_in::BUILT_IN;
use smelt_testgen::search::bandit::Variant;
use smelt_testgen::technique::{generators, techniques};
use smelt_testgen::weakening::rule::built_in;

use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// List techniques, rules, grammars, judges, solvers or classes of findings, with what they are
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt list judges")]
pub(crate) struct Args {
    /// What to list
    #[arg(value_name = "KIND", value_enum)]
    kind: Kind,
    /// Print one JSON object per line instead of text [default: text]
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// Ways to make cases
    Techniques,
    /// Rules of the technique `weakening`
    Rules,
    /// Grammars whose formulas can be enumerated
    Grammars,
    /// Ways to form verdicts
    Judges,
    /// Solvers that are installed or on the PATH
    Solvers,
    /// Kinds of findings, the worst first
    Classes,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line {
    name: String,
    about: String,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let line = |name: &str, about: &str| Line { name: name.to_owned(), about: about.to_owned() };
    let lines: Vec<Line> = match args.kind {
        Kind::Techniques => {
            let techniques = techniques().into_iter().chain(generators());
            let lines = techniques.map(|technique| line(technique.name(), technique.summary()));
            let genetic = line("genetic", "a genetic search; `hunt --goal slowdown` only");
            let searches = Variant::ALL.into_iter().filter(|variant| *variant != Variant::Random);
            let searches = searches.map(|variant| line(variant.name(), variant.about()));
            lines.chain(searches).chain([genetic]).collect()
        }
        Kind::Rules => built_in()
            .iter()
            .map(|rule| line(&rule.id, &format!("{:<10} {}", rule.claim.word(), rule.theorem())))
            .collect(),
        Kind::Grammars => BUILT_IN.iter().map(|grammar| line(grammar.name, grammar.about)).collect(),
        Kind::Judges => judges().iter().map(|judge| line(judge.name(), judge.about())).collect(),
        Kind::Solvers => installation()
            .finder()
            .all()
            .iter()
            .map(|solver| {
                let command = command_of(solver);
                line(&solver.name, &[vec![command.program], command.args].concat().join(" "))
            })
            .collect(),
        Kind::Classes => Class::ALL.iter().map(|class| line(class.word(), class.about())).collect(),
    };
    for line in &lines {
        if args.json {
            streams.json_line(line)?;
        } else {
            writeln!(streams.results(), "{:<34} {}", line.name, line.about)?;
        }
    }
    Ok(Exit::Done)
}
