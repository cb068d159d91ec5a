//! Seeds for hunts and for generation: files below paths, or the built-in ones; and why some cannot be used.

use std::path::{Path, PathBuf};

use smelt_campaign::campaign::record_seed;
use smelt_smtlib::source::{Place, place_of};
use smelt_smtlib::term::Terms;
use smelt_store::configuration::{Origin, SeedRecord};
use smelt_testgen::built_in::SEEDS;
use smelt_testgen::seed::{Seed, SeedError};

use crate::error::CliError;
use crate::inputs::{self, Input};
use crate::report;
use crate::streams::Streams;

/// Seeds with their texts, and as they are recorded.
pub(crate) type FoundSeeds = (Vec<(String, String)>, Vec<SeedRecord>);

/// The seeds below paths, or the built-in ones. It is an error if none can be read; if others can, there is a warning.
pub(crate) fn find_seeds(paths: &[PathBuf], streams: &mut Streams) -> Result<FoundSeeds, CliError> {
    let (mut texts, mut records) = (Vec::new(), Vec::new());
    if paths.is_empty() {
        for seed in SEEDS {
            records.push(record_seed(seed.name, Origin::BuiltIn, seed.source));
            texts.push((seed.name.to_owned(), seed.source.to_owned()));
        }
    }
    let mut problems = Vec::new();
    for input in inputs::collect(paths) {
        match input.and_then(|input| Ok((inputs::read(&input)?, input))) {
            Ok((text, input)) => {
                let name = input.name();
                let origin = match &input {
                    Input::File(path) => Origin::File(absolute(path)),
                    Input::Stdin => Origin::Text(text.clone()),
                };
                records.push(record_seed(&name, origin, &text));
                texts.push((name, text));
            }
            Err(problem) => problems.push(problem),
        }
    }
    if texts.is_empty() {
        return Err(CliError::Diagnostics(problems.iter().map(report::render_unreadable).collect()));
    }
    for problem in problems.iter().take(MAX_REPORTED) {
        streams.diagnostics(&report::render_skipped(problem))?;
    }
    if problems.len() > MAX_REPORTED {
        streams
            .message(&format!("warning: {} more seeds cannot be read\n", problems.len() - MAX_REPORTED))?;
    }
    Ok((texts, records))
}

/// So much of a command is shown.
const EXCERPT_CHARS: usize = 60;

/// Report at most this many seeds that cannot be used one by one.
const MAX_REPORTED: usize = 5;

/// Why seeds cannot be used, a line for each of the first ones; empty if all can.
pub(crate) fn why_unusable<'s>(seeds: impl Iterator<Item = &'s (String, String)>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut more = 0;
    for (name, text) in seeds {
        let Err(error) = Seed::read(&mut Terms::new(), name, text) else { continue };
        if lines.len() == MAX_REPORTED {
            more += 1;
            continue;
        }
        lines.push(match error {
            SeedError::Problem { problem, .. } => {
                let Place { line, column } = place_of(text, problem.span.start);
                format!("`{name}:{line}:{column}`: {}", problem.message)
            }
            SeedError::NoCheck { .. } => format!("`{name}`: it has no `check-sat`"),
            SeedError::UnknownCommand { command, .. } => {
                let words: Vec<&str> = command.split_whitespace().collect();
                let excerpt: String = words.join(" ").chars().take(EXCERPT_CHARS).collect();
                format!("`{name}`: unknown command `{excerpt}`")
            }
            SeedError::Entangled { .. } => {
                format!("`{name}`: its declarations depend on its assertions")
            }
        });
    }
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n  ")
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
