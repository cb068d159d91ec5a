//! Reading what solvers print: verdicts, errors, crashes.
//!
//! The one rule above all: an `(error ..)` before a verdict voids it. Z3 drops an assertion that it cannot read, and
//! answers the rest as if nothing had happened.

use std::borrow::Cow;

use smelt_oracle::run::{Answer, Limit, Run};
use smelt_oracle::signature::Signature;
use smelt_smtlib::sexp::{Scanner, Tape};

use crate::cold::{End, Raw};
use crate::signature::{self, Failures};

/// What the output of a solver says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The answer to the last check.
    pub answer: Answer,
    /// The answers to all checks.
    pub answers: Vec<Answer>,
    /// What stands after the last verdict.
    pub output: String,
    /// What stands after each verdict, if there are several.
    pub outputs: Vec<String>,
    /// The reason of an unknown or the first error message.
    pub reason: Option<String>,
    /// What tells one crash from another.
    pub crash_signature: Option<String>,
    /// Signatures of what sanitizers reported although the solver went on.
    pub reports: Vec<String>,
    /// The limit that ended the solver before it had an answer.
    pub limit: Option<Limit>,
}

/// The run of a solver that ended by itself or was ended.
pub fn read_run(solver: &str, raw: &Raw) -> Run {
    let [stdout, stderr] = [&raw.stdout, &raw.stderr].map(|output| text_before(output, raw.end));
    let said = read_checks(&stdout, &stderr, raw.end, raw.checks);
    Run {
        solver: solver.to_owned(),
        answer: said.answer,
        answers: said.answers,
        output: said.output,
        outputs: said.outputs,
        reason: said.reason,
        crash_signature: said.crash_signature,
        reports: said.reports,
        limit: said.limit,
        cpu_ms: raw.cpu.as_secs_f64() * 1e3,
        wall_ms: raw.wall.as_secs_f64() * 1e3,
        max_rss_kb: Some(raw.max_rss_kb),
        leaked: raw.leaked,
    }
}

/// Output as text. Old solvers print characters above 127 as single bytes, which is Latin-1.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// What is read of a flood, which is the same all over: to read all of it takes longer than most runs.
const READ_OF_A_FLOOD: usize = 1 << 16;

/// The output of a process that ended like this as text, as far as it is worth reading.
pub(crate) fn text_before(output: &[u8], end: End) -> Cow<'_, str> {
    let most = if end == End::Flooded { READ_OF_A_FLOOD } else { usize::MAX };
    text_of(&output[..output.len().min(most)])
}

/// How many checks a script asks for, if it asks for more than one; else a number that is no larger.
pub fn checks_in(script: &str) -> usize {
    if memchr::memmem::find_iter(script.as_bytes(), "(check-sat").take(2).count() < 2 {
        return 0;
    }
    let mut scanner = Scanner::new(script);
    let mut tape = Tape::new();
    let mut checks = 0;
    while let Ok(true) = scanner.read(&mut tape) {
        let Some(word) = tape.children(0).next() else { continue };
        match tape.node(word).span.text(script) {
            "check-sat" | "check-sat-assuming" => checks += 1,
            "exit" => break,
            _ => {}
        }
    }
    checks
}

/// Understands what a solver printed before it ended like this.
pub fn read(stdout: &str, stderr: &str, end: End) -> Said {
    read_checks(stdout, stderr, end, 0)
}

/// The same of a script with so many checks: the answer to the last one counts, and there is none if fewer were
/// answered.
pub fn read_checks(stdout: &str, stderr: &str, end: End, checks: usize) -> Said {
    let mut answers = Vec::new();
    // Where what stands after each verdict begins, and where that verdict does.
    let mut starts: Vec<Place> = Vec::new();
    let mut error: Option<String> = None;
    let mut position = 0;
    for line in stdout.split_inclusive('\n') {
        let verdict_start = position;
        position += line.len();
        let line = line.trim();
        match verdict(line) {
            Some(answer) => {
                // What could not be read is not part of what was decided.
                answers.push(if error.is_some() && answer.is_decided() { Answer::Rejected } else { answer });
                starts.push(Place { verdict: verdict_start, output: position });
            }
            None if error.is_none() => error = error_message(line),
            None => {}
        }
    }
    let output = stdout[starts.last().map_or(0, |place| place.output)..].trim().to_owned();
    let outputs = outputs(stdout, &starts);
    let mut answer = answers.last().copied().filter(|_| answers.len() >= checks);
    let mut reason = error.clone();
    if let Some(message) = &error {
        answer = Some(match answer {
            // A complaint about a model that is asked for after `unsat` concerns nobody.
            Some(decided @ (Answer::Sat | Answer::Unsat | Answer::Unknown)) => decided,
            _ => class_of_error(message),
        });
    }
    match end {
        End::Cut(Limit::Memory | Limit::Processes) => answer = Some(keep_decided(answer, Answer::Memout)),
        End::Cut(Limit::Cpu | Limit::Wall) => answer = Some(keep_decided(answer, Answer::Timeout)),
        End::Flooded => answer = Some(Answer::Flood),
        End::Signalled(_) | End::Exited(_) => {}
    }
    let (mut crash, reports) = crash_of(signature::read(stdout, stderr), answer, end);
    if let Some(crash) = &crash {
        answer = Some(Answer::Crash);
        let is_told = crash.names_a_place() || !matches!(end, End::Signalled(_));
        reason = if is_told { Some(crash.headline()) } else { reason.or_else(|| first_line(stderr)) };
    }
    if !answer.is_some_and(Answer::is_decided) && is_out_of_memory(&format!("{stdout}\n{stderr}")) {
        answer = Some(Answer::Memout);
        crash = None;
    }
    if answer == Some(Answer::Unknown) {
        // An error after the answer is about a model that is not there, not about why there is no answer.
        reason = unknown_reason(&output).or(reason.filter(|error| !output.contains(error.as_str())));
    }
    let answer = answer.unwrap_or(Answer::Error);
    if answer.is_decided() {
        // What goes wrong after the verdict, such as asking for a model of nothing, explains nothing.
        reason = None;
    }
    if answer == Answer::Error && reason.is_none() {
        reason = first_line(stderr).or_else(|| first_line(stdout)).or_else(|| Some("no output".to_owned()));
    }
    let limit = match (answer, end) {
        (Answer::Timeout | Answer::Memout, End::Cut(limit)) => Some(limit),
        (Answer::Memout, _) => Some(Limit::Memory),
        _ => None,
    };
    let crash_signature = crash.map(|crash| crash.to_string());
    let reports = reports.iter().map(Signature::to_string).collect();
    Said { answer, answers, output, outputs, reason, crash_signature, reports, limit }
}

/// Where a verdict stands in an output, and where what follows it does.
struct Place {
    verdict: usize,
    output: usize,
}

/// What stands after each of several verdicts.
fn outputs(stdout: &str, starts: &[Place]) -> Vec<String> {
    if starts.len() < 2 {
        return Vec::new();
    }
    let ends = starts[1..].iter().map(|next| next.verdict).chain([stdout.len()]);
    starts.iter().zip(ends).map(|(place, end)| stdout[place.output..end].trim().to_owned()).collect()
}

/// Whether a solver that ended like this with this answer crashed, and what sanitizers reported besides.
///
/// A signal is a crash, and so is what a sanitizer ends a program with, whatever was answered before. What else a solver
/// says of itself counts only without a verdict: the same words may stand in a model.
fn crash_of(failures: Failures, answer: Option<Answer>, end: End) -> (Option<Signature>, Vec<Signature>) {
    let Failures { fatal, is_from_sanitizer, mut reports } = failures;
    let is_signalled = matches!(end, End::Signalled(_));
    let is_failed_exit = matches!(end, End::Exited(status) if status != 0);
    let went_on = is_answered(answer) && !is_signalled && !is_failed_exit;
    match (fatal, end) {
        // A sanitizer that was told to let the program go on.
        (Some(fatal), _) if is_from_sanitizer && went_on => {
            reports.insert(0, fatal);
            (None, reports)
        }
        (Some(fatal), _) if is_signalled || is_from_sanitizer || !answer.is_some_and(Answer::is_decided) => {
            (Some(fatal), Vec::new())
        }
        (_, End::Signalled(signal)) => (Some(Signature::of_kind(format!("signal {signal}"))), reports),
        // A sanitizer that lets no program go on after undefined behaviour ends it without another word.
        _ if is_failed_exit && answer.is_none() && !reports.is_empty() => {
            (Some(reports.remove(0)), Vec::new())
        }
        _ => (None, reports),
    }
}

/// Whether the solver came to an end with a check.
fn is_answered(answer: Option<Answer>) -> bool {
    matches!(answer, Some(Answer::Sat | Answer::Unsat | Answer::Unknown))
}

fn keep_decided(answer: Option<Answer>, otherwise: Answer) -> Answer {
    answer.filter(|answer| answer.is_decided()).unwrap_or(otherwise)
}

/// The verdict that a line is.
fn verdict(line: &str) -> Option<Answer> {
    match line {
        "sat" => Some(Answer::Sat),
        "unsat" => Some(Answer::Unsat),
        "unknown" => Some(Answer::Unknown),
        "timeout" => Some(Answer::Timeout),
        // cvc5's programming interface adds the reason: `unknown (INCOMPLETE)`.
        _ if line.starts_with("unknown (") => {
            Some(if line.contains("TIMEOUT") { Answer::Timeout } else { Answer::Unknown })
        }
        _ if line.contains("interrupted by timeout") => Some(Answer::Timeout),
        _ => None,
    }
}

/// The message of an `(error "..")`, or of a line that starts like one.
fn error_message(line: &str) -> Option<String> {
    let rest = line.strip_prefix("(error")?.trim_start();
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    let message = rest.trim_end().trim_end_matches(')').trim_end_matches('"');
    Some(message.to_owned())
}

/// Words in messages that mean: this solver does not take this input.
const REJECTIONS: &[&str] = &[
    "unknown constant",
    "unknown function",
    "unknown sort",
    "unknown symbol",
    "not declared",
    "Parse Error",
    "parse error",
    "parsing",
    "syntax error",
    "unsupported",
    "Unsupported",
    "not supported",
    "invalid function application",
    "invalid declaration",
    "invalid command",
    "unexpected token",
    "undefined",
    "Sorts",
    "sort mismatch",
    "does not match declaration",
    "expecting",
    "expected",
    "Expected",
    "Cannot overload",
    "type checking",
    "Subexpressions must",
    "logic",
    "invalid",
    "not a function",
    "too many arguments",
    "not enough arguments",
    "wrong number of arguments",
    "ill-formed",
    "ill-typed",
    "unknown indexed",
    "Unknown indexed",
    "cannot be mixed",
    "Undefined",
];

fn class_of_error(message: &str) -> Answer {
    if is_out_of_memory(message) {
        Answer::Memout
    } else if message.contains("timeout") || message.contains("canceled") {
        Answer::Timeout
    } else if REJECTIONS.iter().any(|words| message.contains(words)) {
        Answer::Rejected
    } else {
        Answer::Error
    }
}

fn is_out_of_memory(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "out of memory",
        "bad_alloc",
        "MemoryError",
        "Memory exhausted",
        "cannot allocate memory",
        // What programs in Rust say.
        "memory allocation of",
        // What sanitizers say.
        "Sanitizer failed to allocate",
        "rss limit exhausted",
    ];
    WORDS.iter().any(|words| text.contains(words))
}

fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// The reason in `(:reason-unknown "..")`.
fn unknown_reason(output: &str) -> Option<String> {
    let rest = output.split(":reason-unknown").nth(1)?.trim_start();
    let reason = rest.split(')').next()?.trim().trim_matches('"');
    Some(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(stdout: &str, stderr: &str, end: End) -> Answer {
        read(stdout, stderr, end).answer
    }

    #[test]
    fn the_error_of_a_missing_model_is_not_the_reason_of_an_unknown() {
        let reason = |stdout: &str| {
            let said = read(stdout, "", End::Exited(1));
            assert_eq!(said.answer, Answer::Unknown);
            said.reason
        };
        assert_eq!(reason("unknown\n(error \"line 3 column 10: model is not available\")\n"), None);
        let earlier = reason("(error \"unsupported option\")\nunknown\n(error \"no model\")\n");
        assert_eq!(earlier.as_deref(), Some("unsupported option"));
        let given = reason("unknown\n(:reason-unknown \"incomplete\")\n(error \"no model\")\n");
        assert_eq!(given.as_deref(), Some("incomplete"));
    }

    #[test]
    fn verdicts_are_read() {
        assert_eq!(answer("sat\n", "", End::Exited(0)), Answer::Sat);
        assert_eq!(answer("unsat\n", "", End::Exited(0)), Answer::Unsat);
        assert_eq!(answer("unknown\n", "", End::Exited(0)), Answer::Unknown);
        assert_eq!(answer("unknown (INCOMPLETE)\n", "", End::Exited(0)), Answer::Unknown);
        assert_eq!(answer("timeout\n", "", End::Exited(0)), Answer::Timeout);
    }

    #[test]
    fn an_error_before_a_verdict_voids_it() {
        let said = read(
            "(error \"line 3 column 20: unknown constant str.foo (String) \")\nsat\n",
            "",
            End::Exited(1),
        );
        assert_eq!(said.answer, Answer::Rejected);
        assert_eq!(said.reason.as_deref(), Some("line 3 column 20: unknown constant str.foo (String) "));
    }

    #[test]
    fn an_error_after_a_verdict_does_not() {
        let said = read("unsat\n(error \"line 9 column 10: model is not available\")\n", "", End::Exited(1));
        assert_eq!((said.answer, said.reason), (Answer::Unsat, None));
    }

    #[test]
    fn what_follows_the_verdict_is_the_output() {
        let said = read("sat\n((define-fun x () Int 1))\n", "", End::Exited(0));
        assert_eq!(said.output, "((define-fun x () Int 1))");
    }

    #[test]
    fn several_checks_have_several_answers() {
        let said = read("sat\nunsat\n", "", End::Exited(0));
        assert_eq!(said.answers, [Answer::Sat, Answer::Unsat]);
        assert_eq!(said.answer, Answer::Unsat);
        assert_eq!(said.outputs, ["", ""]);
    }

    #[test]
    fn each_of_several_verdicts_has_its_own_output() {
        let said = read("sat\n(\n(define-fun x () Int 1)\n)\nunsat\n(a b)\nsat\n", "", End::Exited(0));
        assert_eq!(said.outputs, ["(\n(define-fun x () Int 1)\n)", "(a b)", ""]);
        assert_eq!(said.output, "");
        assert!(read("sat\n((x 1))\n", "", End::Exited(0)).outputs.is_empty());
    }

    #[test]
    fn the_answer_to_an_earlier_check_is_none_to_the_last() {
        let answer = |stdout: &str, end| read_checks(stdout, "", end, 2).answer;
        assert_eq!(answer("sat\n", End::Cut(Limit::Cpu)), Answer::Timeout);
        assert_eq!(answer("sat\n", End::Exited(0)), Answer::Error);
        assert_eq!(answer("sat\n(error \"Cannot make multiple queries\")\n", End::Exited(1)), Answer::Error);
        assert_eq!(answer("sat\nunsat\n", End::Cut(Limit::Cpu)), Answer::Unsat);
    }

    #[test]
    fn checks_are_counted_up_to_the_end_of_the_script() {
        assert_eq!(checks_in("(check-sat)(push 1)(check-sat-assuming (a))(pop 1)(check-sat)"), 3);
        assert_eq!(checks_in("(check-sat)(exit)(check-sat)"), 1);
        assert_eq!(checks_in("(echo \"(check-sat)\")(check-sat)"), 1);
        assert_eq!(checks_in("(check-sat)"), 0);
    }

    #[test]
    fn signals_and_failed_assertions_are_crashes_with_a_signature() {
        let said = read("", "", End::Signalled(11));
        assert_eq!(said.answer, Answer::Crash);
        assert_eq!(said.crash_signature.as_deref(), Some("signal 11"));
        let said = read(
            "ASSERTION VIOLATION\nFile: ../src/smt/theory_seq.cpp\nLine: 123\nm_owner == 0x7ffe\n",
            "",
            End::Exited(114),
        );
        assert_eq!(said.answer, Answer::Crash);
        assert_eq!(
            said.crash_signature.as_deref(),
            Some("assertion failed | theory_seq.cpp:123 | m_owner == #")
        );
    }

    const OVERFLOW: &str = "a.c:10:59: runtime error: signed integer overflow: 2 + 2147483647 cannot be represented in \
        type 'int'\n";
    const HEAP: &str = "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55 bp 0x7f\n\
        READ of size 1 at 0x602000000010 thread T0\n    #0 0x55e6b07abcc1 in simplify /src/a.c:15\n";

    #[test]
    fn what_a_sanitizer_ends_a_program_with_is_a_crash_even_after_a_verdict() {
        for (stdout, exit) in [("", 1), ("sat\n", 1), ("", 0)] {
            let said = read(stdout, HEAP, End::Exited(exit));
            assert_eq!(said.answer, Answer::Crash, "{stdout:?}");
            assert_eq!(
                said.crash_signature.as_deref(),
                Some("AddressSanitizer: heap-use-after-free | simplify")
            );
            assert_eq!(said.reason.as_deref(), Some("AddressSanitizer: heap-use-after-free in simplify"));
        }
    }

    #[test]
    fn a_report_after_which_the_program_goes_on_leaves_the_answer_and_is_kept() {
        for stdout in ["sat\n", "unsat\n", "unknown\n"] {
            let said = read(stdout, OVERFLOW, End::Exited(0));
            assert_eq!((said.answer.word(), said.crash_signature), (stdout.trim(), None));
            assert_eq!(said.reports, ["UndefinedBehaviorSanitizer: signed integer overflow | a.c:10"]);
        }
        let said = read("sat\n", HEAP, End::Exited(0));
        assert_eq!((said.answer, said.reports.len()), (Answer::Sat, 1));
        let said = read("", OVERFLOW, End::Cut(Limit::Cpu));
        assert_eq!((said.answer, said.reports.len()), (Answer::Timeout, 1));
    }

    #[test]
    fn undefined_behaviour_that_ends_the_program_is_a_crash() {
        let said = read("", OVERFLOW, End::Exited(1));
        assert_eq!((said.answer, said.reports.len()), (Answer::Crash, 0));
        assert_eq!(
            said.crash_signature.as_deref(),
            Some("UndefinedBehaviorSanitizer: signed integer overflow | a.c:10")
        );
    }

    #[test]
    fn words_of_a_failure_in_a_model_are_no_crash() {
        let model = "sat\n((define-fun s () String \"Assertion `x' failed. internal error\"))\n";
        assert_eq!(answer(model, "", End::Exited(0)), Answer::Sat);
    }

    #[test]
    fn a_sanitizer_that_lacks_memory_is_no_crash() {
        let stderr = "==1==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 (15392894357504) bytes at address \
            2008fff7000 (errno: 12)\n==1==ReserveShadowMemoryRange failed. Perhaps you're using ulimit -v\n";
        assert_eq!(answer("", stderr, End::Signalled(6)), Answer::Memout);
    }

    #[test]
    fn running_out_of_memory_is_no_crash() {
        assert_eq!(answer("(error \"out of memory\")\n", "", End::Exited(101)), Answer::Memout);
        assert_eq!(
            answer("", "terminate called after throwing an instance of 'std::bad_alloc'", End::Signalled(6)),
            Answer::Memout
        );
    }

    #[test]
    fn a_verdict_printed_before_the_deadline_counts() {
        assert_eq!(answer("sat\n", "", End::Cut(Limit::Cpu)), Answer::Sat);
        assert_eq!(answer("", "", End::Cut(Limit::Cpu)), Answer::Timeout);
    }

    #[test]
    fn silence_and_garbage_are_errors() {
        assert_eq!(answer("", "", End::Exited(0)), Answer::Error);
        assert_eq!(answer("hello\n", "", End::Exited(0)), Answer::Error);
        assert_eq!(answer("sat sat\n", "", End::Flooded), Answer::Flood);
    }

    #[test]
    fn bytes_that_are_no_text_are_read_as_latin_1() {
        assert_eq!(text_of(b"q\xe9"), "q\u{e9}");
    }
}
