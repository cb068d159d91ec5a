//! `smelt solve`: the string solver on a script or in conversation with a client.

use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use smelt_campaign::configure::error::RequestError;
use smelt_campaign::configure::values::parse_seconds;
use smelt_campaign::inputs::{self, ScriptInput};
use smelt_runner::watchdog::{CommandLimits, Watchdog};
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;
use smelt_solver::{Event, Options, Part, Parts, Piece, Policy, Session, Splitter};

use crate::error::{CliError, Exit};
use crate::render::diagnostics;
use crate::render::streams::Streams;

/// Solve formulas over strings, regular expressions and integers
///
/// Reads SMT-LIB commands and answers each before it reads the next, so that any SMT-LIB client can talk to it.
/// Every `sat` was evaluated on the assertions before it is printed.
/// Scripts may set limits too: `:timeout` and `:tlimit-per` for each check and `:tlimit` for the whole run, all in
/// milliseconds, and `:reproducible-resource-limit` for each check, in units of about a microsecond.
#[derive(Debug, clap::Args)]
#[command(after_help = "Engines: ground, guess, length-abstraction, cases, arrangement, sequence\n\
        Arms: learned, paper, lengths-and-cases, all-engines, rounds, lengths-first, arrangement-first, sequence-first, cases-first\n\
        Parts: solve-equations, propagate-literals, cut-memberships, unconstrained, components, guess, \
        length-abstraction, cases, arrangement, sequence, arrangement-words, difficulty, sharing, languages, \
        word-equations\n\n\
        Example: smelt solve bug.smt2 --timeout 5 --stats")]
pub(crate) struct Args {
    /// A file, or - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// Processor time allowed for each check, in seconds [default: none]
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds)]
    timeout: Option<f64>,
    /// Processor time allowed for the whole run, in seconds; further checks are unknown [default: none]
    #[arg(long, value_name = "SECS", value_parser = parse_seconds)]
    total_timeout: Option<f64>,
    /// Memory allowed, in MiB; beyond it the answer is unknown
    #[arg(short, long, value_name = "MIB", default_value_t = MEMORY_MIB)]
    memory: u64,
    /// Run only this engine [default: those of an arm, one after the other]
    #[arg(long, value_name = "ENGINE", conflicts_with_all = ["arm", "jobs"])]
    engine: Option<String>,
    /// Engine schedule: a name from the list below, `paper` (Z3str4's choice) or `learned` [default: learned]
    #[arg(long, value_name = "ARM")]
    arm: Option<String>,
    /// Print to standard error which arm is used and why [default: no]
    #[arg(long)]
    explain_arm: bool,
    /// With 2, run another arm at the same time; the first to decide ends the other
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    jobs: u8,
    /// Switch off a rewrite rule; repeatable [default: all are on]
    #[arg(long = "no-rewrite", value_name = "RULE")]
    no_rewrite: Vec<String>,
    /// Switch off a part; repeatable [default: all are on]
    #[arg(long, value_name = "PART")]
    without: Vec<String>,
    /// Write a proof log of the last `unsat`, for `smelt check-proof` [default: no]
    #[arg(long, alias = "refutation", value_name = "LOG", conflicts_with = "jobs")]
    proof: Option<PathBuf>,
    /// Print to standard error what the solver does, step by step [default: no]
    #[arg(short, long)]
    verbose: bool,
    /// Print counters to standard error at the end [default: no]
    #[arg(long)]
    stats: bool,
}

/// The usual limit of memory.
const MEMORY_MIB: u64 = 3072;

impl Args {
    /// What `smelt solve FILE` means, without the time that it takes to set up and parse arguments.
    pub(crate) fn of_file(file: PathBuf) -> Self {
        Args {
            file,
            timeout: None,
            total_timeout: None,
            memory: MEMORY_MIB,
            engine: None,
            arm: None,
            explain_arm: false,
            jobs: 1,
            no_rewrite: Vec::new(),
            without: Vec::new(),
            proof: None,
            verbose: false,
            stats: false,
        }
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let engine = args.engine.as_deref().map(engine_named).transpose()?;
    let policy = args.arm.as_deref().map(policy_named).transpose()?.unwrap_or_default();
    if let Some(rule) = args.no_rewrite.iter().find(|rule| !Options::has_rule(rule)) {
        return Err(CliError::usage(format!("unknown rewrite rule `{rule}`")));
    }
    let parts = args
        .without
        .iter()
        .try_fold(Parts::all(), |parts, name| Ok::<Parts, RequestError>(parts.without(part_named(name)?)))?;
    let options = Options {
        engine,
        policy,
        races: args.jobs > 1,
        disabled_rules: args.no_rewrite.clone(),
        parts,
        ..Options::default()
    };
    let must_stop = Arc::new(AtomicBool::new(false));
    let watch = Watchdog::start(must_stop.clone(), args.memory << 20);
    let start = |dialect| {
        let mut session = Session::new(options, dialect);
        session.solver().set_interrupt_flag(must_stop);
        Conversation::new(args, session, watch)
    };
    if args.file.as_os_str() == "-" {
        return converse(start(None), streams);
    }
    // Reading takes a part of the time, too.
    if args.total_timeout.is_some() {
        watch.begin(CommandLimits { cpu_secs: None, total_cpu_secs: args.total_timeout });
    }
    match inputs::read(&ScriptInput::File(args.file.clone())) {
        Ok(source) => {
            // Only a literal with a backslash reads differently in another dialect.
            let dialect =
                source.contains('\\').then(|| read_script(&mut Terms::new(), &source).script.dialect);
            solve_text(start(dialect), &source, streams)
        }
        Err(problem) => {
            streams.diagnostics(&diagnostics::render_unreadable(&problem))?;
            Ok(Exit::BadInput)
        }
    }
}

fn engine_named(name: &str) -> Result<&'static str, RequestError> {
    let found = Options::engines().find(|engine| *engine == name);
    found.ok_or_else(|| RequestError::unknown_word("engine", name, Options::engines()))
}

fn part_named(name: &str) -> Result<Part, RequestError> {
    let found = Part::ALL.into_iter().find(|part| part.name() == name);
    found.ok_or_else(|| RequestError::unknown_word("part", name, Part::ALL.iter().map(|part| part.name())))
}

fn policy_named(name: &str) -> Result<Policy, RequestError> {
    Policy::named(name).ok_or_else(|| RequestError::unknown_word("arm", name, Policy::names()))
}

/// One conversation: its session, its limits, and whether something was wrong with the input.
struct Conversation<'a> {
    args: &'a Args,
    session: Session,
    watch: Watchdog,
    errors: u64,
    /// How many errors are printed. A client that waits for answers gets them all.
    max_errors: u64,
    has_proof: bool,
}

impl<'a> Conversation<'a> {
    fn new(args: &'a Args, mut session: Session, watch: Watchdog) -> Self {
        let (says_all, says_arms) = (args.verbose, args.explain_arm);
        if says_all || says_arms {
            session.solver().set_listener(move |event| {
                if says_all || matches!(event, Event::Arm { .. } | Event::Probe(_)) {
                    // A closed standard error is not a reason to stop solving.
                    let _ = writeln!(io::stderr(), "; {event}");
                }
            });
        }
        if args.proof.is_some() {
            session.solver().record_refutations();
        }
        Conversation { args, session, watch, errors: 0, max_errors: u64::MAX, has_proof: false }
    }

    /// Answers one command; true if the client wants to end.
    fn answer(&mut self, piece: &Piece, streams: &mut Streams) -> Result<bool, CliError> {
        self.watch.begin(self.limits());
        let reply = self.session.run(piece);
        self.watch.end();
        let is_error = reply.text.starts_with("(error");
        self.errors += u64::from(is_error);
        let is_printed = !is_error || self.errors <= self.max_errors;
        if is_printed && !reply.text.is_empty() {
            streams.scripts().write_all(reply.text.as_bytes())?;
            streams.scripts().write_all(b"\n")?;
            streams.flush()?;
        }
        if let Some(path) = &self.args.proof
            && reply.text == "unsat"
            && let Some(log) = self.session.refutation()
        {
            let failure = |error| CliError::Output { path: path.display().to_string(), error };
            fs::write(path, log).map_err(failure)?;
            self.has_proof = true;
        }
        if self.session.has_failed_model_check() {
            streams.error(
                "a model does not satisfy its formula: this is a bug in smelt, please report the input",
            )?;
        }
        Ok(reply.is_exit || self.watch.is_interrupted_by_user())
    }

    /// The smaller of our own limits and the client's.
    fn limits(&self) -> CommandLimits {
        CommandLimits { cpu_secs: self.args.timeout, total_cpu_secs: self.args.total_timeout }.at_most(
            CommandLimits {
                cpu_secs: self.session.asked_seconds(&[":timeout", ":tlimit-per"]),
                total_cpu_secs: self.session.asked_seconds(&[":tlimit"]),
            },
        )
    }

    fn conclude(mut self, streams: &mut Streams) -> Result<Exit, CliError> {
        let unprinted = self.errors.saturating_sub(self.max_errors);
        if unprinted > 0 {
            let plural = if unprinted == 1 { " is" } else { "s are" };
            writeln!(streams.results(), "(error \"{unprinted} more error{plural} not printed\")")?;
        }
        if self.watch.is_over() {
            streams.message("warning: the time limit of the whole run is reached\n")?;
        }
        let mut has_errors = self.errors > 0;
        if self.args.stats {
            for (name, count) in self.session.solver().statistics().iter() {
                streams.message(&format!("{name} {count}\n"))?;
            }
        }
        if let Some(path) = &self.args.proof
            && !self.has_proof
        {
            streams.error(&format!("no check says unsat, so `{}` is not written", path.display()))?;
            has_errors = true;
        }
        let exit = if self.session.has_failed_model_check() {
            Exit::Bug
        } else if has_errors {
            Exit::BadInput
        } else {
            Exit::Done
        };
        // The process ends, and the system takes all memory back at once.
        std::mem::forget(self.session);
        Ok(exit)
    }
}

/// More errors of a file are counted and not printed.
const MAX_ERRORS: u64 = 1_000;

fn solve_text(
    mut conversation: Conversation<'_>,
    source: &str,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    conversation.max_errors = MAX_ERRORS;
    let mut splitter = Splitter::new();
    let mut pieces = splitter.feed(source);
    pieces.extend(splitter.finish());
    for piece in &pieces {
        if conversation.answer(piece, streams)? {
            break;
        }
    }
    conversation.conclude(streams)
}

/// Talks to the client at the other end of the standard streams.
fn converse(mut conversation: Conversation<'_>, streams: &mut Streams) -> Result<Exit, CliError> {
    let mut splitter = Splitter::new();
    let mut stdin = io::stdin().lock();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = match stdin.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        if count == 0 {
            break;
        }
        for piece in splitter.feed_bytes(&buffer[..count]) {
            if conversation.answer(&piece, streams)? {
                return conversation.conclude(streams);
            }
        }
    }
    if let Some(piece) = splitter.finish() {
        conversation.answer(&piece, streams)?;
    }
    conversation.conclude(streams)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn a_file_alone_means_what_parsing_says() {
        let parsed = crate::SolveCli::parse_from(["smelt", "solve", "a.smt2"]);
        let crate::SolveCommand::Solve(args) = parsed.command;
        assert_eq!(format!("{args:?}"), format!("{:?}", Args::of_file("a.smt2".into())));
    }
}
