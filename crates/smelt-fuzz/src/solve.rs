//! Our own solver as a session: any commands are answered, every model that it prints satisfies what was asserted, and
//! another choice of engines does not contradict it.

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{self, Evaluation, Model};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script;
use smelt_smtlib::script::Command;
use smelt_smtlib::term::Terms;
use smelt_solver::{Options, Session, Splitter};

/// Enough for small problems; some milliseconds.
const EFFORT: u64 = 4_000;

/// Checks that are looked at in a script.
const MAX_CHECKS: usize = 3;

/// Runs a script.
pub fn check(source: &str) {
    let first = answers(source, Options { effort: EFFORT, core_effort: EFFORT, ..Options::default() });
    let other =
        Options { effort: EFFORT, core_effort: EFFORT, engine: Some("sequence"), ..Options::default() };
    for (one, other) in first.iter().zip(&answers(source, other)) {
        let contradicts = |one: &str, other: &str| one == "sat" && other == "unsat";
        assert!(!contradicts(one, other) && !contradicts(other, one), "{one} and {other}");
    }
    check_model(&crate::well_formed_part(source));
}

/// The answers to the checks of a script.
fn answers(source: &str, options: Options) -> Vec<String> {
    let mut session = Session::new(options, None);
    let mut answers = replies(&mut session, source);
    answers.retain(|reply| matches!(reply.as_str(), "sat" | "unsat" | "unknown"));
    assert!(!session.has_failed_model_check(), "a model satisfies what it was made for");
    answers
}

/// What a session says to a text, up to a few checks.
fn replies(session: &mut Session, source: &str) -> Vec<String> {
    let mut splitter = Splitter::new();
    let mut pieces = splitter.feed(source);
    pieces.extend(splitter.finish());
    let mut checks = 0;
    let mut replies = Vec::new();
    for piece in pieces {
        checks += usize::from(piece.text.contains("check-sat"));
        if checks > MAX_CHECKS {
            break;
        }
        let reply = session.run(&piece);
        replies.push(reply.text);
        if reply.is_exit {
            break;
        }
    }
    replies
}

/// The model of the last check of a script, read as if another solver had printed it.
fn check_model(source: &str) {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, source);
    let asks_once = |command: &Command| matches!(command, Command::CheckSat);
    let is_plain = |command: &Command| {
        matches!(
            command,
            Command::Assert(_) | Command::CheckSat | Command::DeclareFun(..) | Command::DeclareConst(..)
        )
    };
    let commands = &reading.script.commands;
    if commands.iter().filter(|command| asks_once(command)).count() != 1
        || !commands.last().is_some_and(asks_once)
        || !commands.iter().all(is_plain)
    {
        return;
    }
    let options = Options { effort: EFFORT, core_effort: EFFORT, ..Options::default() };
    let mut session = Session::new(options, Some(reading.script.dialect));
    let asked = format!("{source}\n(get-model)\n");
    let replies = replies(&mut session, &asked);
    if !replies.iter().any(|reply| reply == "sat") {
        return;
    }
    let text = replies.last().expect("there was an answer");
    let model = Model::parse(&mut terms, &reading.scope, text, Dialect::V26);
    let model = model.unwrap_or_else(|problems| panic!("our own model does not read: {problems:?}\n{text}"));
    let environment = Environment::at_last_check(&terms, &reading.script);
    let evaluations = model::check(&terms, &environment, &model, Budget::new(1 << 20));
    assert!(!evaluations.contains(&Evaluation::False), "{evaluations:?} of\n{text}");
}
