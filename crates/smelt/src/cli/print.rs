//! `smelt print`: scripts back as text, in either dialect, with names as they were or short ones.

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use smelt_campaign::inputs::{self, ScriptInput, UnreadableInput};
use smelt_runner::parallel;
use smelt_smtlib::convert::{Conversion, Converted};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::Layout;
use smelt_smtlib::snippet::Severity;

use crate::error::{CliError, Exit};
use crate::render::diagnostics;
use crate::render::streams::Streams;

/// Print SMT-LIB scripts one command a line, converted between dialects and renamed on request
///
/// Comments are dropped. Operators and commands that smelt does not know are printed as they are, with a warning;
/// files with any other error are not printed, and the exit status is 2.
/// With several files, a comment before each names it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt print old.smt2 --dialect 2.6 --out new.smt2")]
pub(crate) struct Args {
    /// Files, folders (all .smt2 files below them) or - for standard input
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Spellings and string escapes to print [default: those of the file]
    #[arg(long, value_name = "VERSION")]
    dialect: Option<DialectName>,
    /// Never introduce a let [default: only where a huge term repeats itself]
    #[arg(long)]
    flat: bool,
    /// Rename declared constants to x0, x1, .. and functions to f0, f1, .. [default: keep names]
    #[arg(long)]
    rename: bool,
    /// Where to write the result [default: standard output]
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object per file: `file` and `text` [default: text]
    #[arg(long)]
    json: bool,
    /// Number of files to read at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// A dialect as users name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// The string operators and escapes of older solvers, such as `str.in.re`
    #[value(name = "2.5")]
    V25,
    /// SMT-LIB 2.6 and 2.7, such as `str.in_re`
    #[value(name = "2.6", alias = "2.7")]
    V26,
}

impl DialectName {
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            DialectName::V25 => Dialect::V25,
            DialectName::V26 => Dialect::V26,
        }
    }
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    file: &'a str,
    text: &'a str,
}

/// One input after printing: its name, its text unless it has errors, and what to tell the user.
struct Printed {
    name: String,
    text: Option<String>,
    messages: String,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let inputs = inputs::collect(&args.paths);
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    let mut exit = Exit::Done;
    let mut buffer = Vec::new();
    parallel::in_order(
        &inputs,
        jobs,
        |input| print(input, args),
        |printed| {
            streams.diagnostics(&printed.messages)?;
            let Some(text) = printed.text else {
                exit = Exit::BadInput;
                return Ok(());
            };
            let piece =
                Piece { name: &printed.name, text: &text, json: args.json, with_name: inputs.len() > 1 };
            if args.output.is_some() { piece.write(&mut buffer) } else { piece.write(streams.scripts()) }
        },
    )?;
    // Half a result would look like a whole one, so errors leave the file as it is.
    if let Some(path) = &args.output {
        if exit == Exit::Done {
            fs::write(path, buffer)
                .map_err(|error| CliError::Output { path: path.display().to_string(), error })?;
        } else {
            streams.error(&format!("`{}` is not written because of the errors above", path.display()))?;
        }
    }
    Ok(exit)
}

/// The text of one input and how to write it.
struct Piece<'a> {
    name: &'a str,
    text: &'a str,
    json: bool,
    with_name: bool,
}

impl Piece<'_> {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        if self.json {
            serde_json::to_writer(&mut *out, &Line { file: self.name, text: self.text })?;
            return out.write_all(b"\n");
        }
        if self.with_name {
            writeln!(out, "; {}", self.name)?;
        }
        out.write_all(self.text.as_bytes())
    }
}

fn print(input: &Result<ScriptInput, UnreadableInput>, args: &Args) -> Printed {
    let (name, source) = match inputs::read_collected(input) {
        Ok((input, source)) => (input.name(), source),
        Err(problem) => {
            let messages = diagnostics::render_unreadable(&problem);
            return Printed { name: problem.name, text: None, messages };
        }
    };
    let conversion = Conversion {
        dialect: args.dialect.map(DialectName::dialect),
        layout: if args.flat { Layout::Flat } else { Layout::Shared },
        is_renamed: args.rename,
    };
    let Converted { text, warnings, is_ambiguous } = match conversion.apply(&source) {
        Ok(converted) => converted,
        Err(errors) => {
            let messages = diagnostics::render(&name, &source, Severity::Error, &errors);
            return Printed { name, text: None, messages };
        }
    };
    let mut messages = diagnostics::render(&name, &source, Severity::Warning, &warnings);
    if is_ambiguous {
        messages.push_str(&diagnostics::render_warning(
            &name,
            "printed with the escapes of 2.5, but no operator in it shows that",
            "readers that guess the dialect, as smelt does, will take the escapes for those of 2.6",
        ));
    }
    Printed { name, text: Some(text), messages }
}
