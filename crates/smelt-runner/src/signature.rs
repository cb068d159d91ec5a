//! Crash signatures, read from what a program prints when it fails: reports of sanitizers, failed assertions, uncaught
//! exceptions, panics, messages of glibc.
//!
//! Only the texts are read here; whether the run counts as a crash is decided in `answer.rs`. Stack traces are read in
//! `stack.rs`. A signature holds nothing that changes from run to run or from formula to formula: no addresses,
//! numbers of processes, sizes or operands.

pub(crate) mod stack;

use std::borrow::Cow;

use smelt_oracle::signature::Signature;

use self::stack::Stack;

/// What a program printed of its own failures.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    /// The first failure after which a program does not go on, unless it was told to.
    pub fatal: Option<Signature>,
    /// Whether that was said by a sanitizer. All other texts may stand in a model too.
    pub is_from_sanitizer: bool,
    /// Reports of sanitizers after which programs go on: undefined behaviour, data races, leaks.
    pub reports: Vec<Signature>,
}

/// One failure.
struct Failure {
    signature: Signature,
    source: Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A sanitizer, which ended the program.
    Sanitizer,
    /// A sanitizer, which let the program go on.
    Report,
    /// The program or its libraries.
    Program,
}

/// Longer texts are read at their beginning and their end only.
const MAX_TEXT: usize = 1 << 20;

/// More reports of one run tell nothing new.
const MAX_REPORTS: usize = 16;

/// Reads both outputs of a program.
pub(crate) fn read(stdout: &str, stderr: &str) -> Failures {
    let mut failures = Failures::default();
    let mut reported_lines: Vec<String> = Vec::new();
    for text in [stderr, stdout] {
        if !may_fail(text) {
            continue;
        }
        let text = ends_of(text);
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let Some(Failure { signature, source }) = failure(line, &lines[number + 1..]) else { continue };
            match source {
                Source::Report => {
                    // One mistake may break several rules, each of which is reported.
                    let place = reported_line(line);
                    let is_new = !failures.reports.contains(&signature)
                        && !place.is_some_and(|place| reported_lines.contains(&place));
                    if is_new && failures.reports.len() < MAX_REPORTS {
                        failures.reports.push(signature);
                        reported_lines.extend(reported_line(line));
                    }
                }
                _ if failures.fatal.is_none() => {
                    failures.fatal = Some(signature);
                    failures.is_from_sanitizer = source == Source::Sanitizer;
                }
                _ => {}
            }
        }
    }
    failures
}

/// Whether a text is worth reading line by line. Most are not.
fn may_fail(text: &str) -> bool {
    !text.is_empty()
        && MARKS.iter().any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
}

/// Every failure that is known has one of these in its first line.
const MARKS: &[&str] = &[
    "Sanitizer: ",
    "runtime error: ",
    "ASSERTION VIOLATION",
    "Fatal failure",
    "Assertion ",
    "terminate called",
    "pure virtual method called",
    "panicked at",
    "*** ",
    "free()",
    "malloc",
    "realloc()",
    "munmap_chunk()",
    "corrupted ",
    "double free or corruption",
    "Fatal glibc error",
    "CODE WAS REACHED",
    "Failed to verify",
    "nternal error",
    "Unhandled exception",
    "Unimplemented code",
    "Unreachable code reached",
    "egmentation fault",
    "suffered a segfault",
    "core dumped",
    "overflow encountered when expanding vector",
];

/// The beginning and the end of a long text.
fn ends_of(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return text.into();
    }
    let half = MAX_TEXT / 2;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half);
    format!("{}\n{}", &text[..head], &text[tail..]).into()
}

/// The failure that starts with a line.
fn failure(line: &str, rest: &[&str]) -> Option<Failure> {
    let of_program = |signature| Failure { signature, source: Source::Program };
    sanitizer(line, rest)
        .or_else(|| undefined_behaviour(line, rest))
        .or_else(|| z3(line, rest).or_else(|| cvc5(line, rest)).map(of_program))
        .or_else(|| assertion(line).or_else(|| panic(line, rest)).map(of_program))
        .or_else(|| terminate(line, rest).or_else(|| glibc(line)).map(of_program))
        .or_else(|| other(line).map(of_program))
}

/// `==1==ERROR: AddressSanitizer: heap-buffer-overflow on address ..`, and the same of the others.
fn sanitizer(line: &str, rest: &[&str]) -> Option<Failure> {
    let (before, message) = line.split_once("Sanitizer: ")?;
    let (level, name) = before.rsplit_once(": ")?;
    let is_error = level.ends_with("ERROR") || level.ends_with("FATAL");
    if !is_error && !level.ends_with("WARNING") || !name.chars().all(char::is_alphabetic) {
        return None;
    }
    let (source, kind, places) = match name {
        "Leak" => {
            // Anything else that it says is about why it cannot look for leaks.
            message.contains("detected memory leaks").then_some(())?;
            (Source::Report, "memory leak".to_owned(), Stack::read(rest).innermost())
        }
        "Thread" if !is_error => {
            let kind = message.split(" (pid=").next().unwrap_or(message).trim();
            (Source::Report, kind.to_owned(), stack::of_accesses(rest))
        }
        _ => {
            let kind = summary_kind(rest).unwrap_or_else(|| headline_kind(message));
            let stack = Stack::read(rest);
            let places = if kind == "stack-overflow" { stack.recursion() } else { stack.innermost() };
            (Source::Sanitizer, kind, places)
        }
    };
    Some(Failure { signature: Signature { kind: format!("{name}Sanitizer: {kind}"), places }, source })
}

/// The kind in `SUMMARY: AddressSanitizer: bad-free FILE:LINE in FUNCTION`, which the first line may describe in words.
fn summary_kind(rest: &[&str]) -> Option<String> {
    let line = rest.iter().find(|line| line.starts_with("SUMMARY: ") || line.contains("ERROR: "))?;
    let (_, summary) = line.strip_prefix("SUMMARY: ")?.split_once("Sanitizer: ")?;
    let kind = summary.split_whitespace().next()?;
    (!kind.starts_with(|first: char| first.is_ascii_digit())).then(|| kind.to_owned())
}

/// The kind that a first line says; without a summary, as when the output was cut.
fn headline_kind(message: &str) -> String {
    let words = [
        ("attempting double-free", "double-free"),
        ("attempting free on address which was not malloc()-ed", "bad-free"),
        ("requested allocation size", "allocation-size-too-big"),
        ("CHECK failed", "CHECK failed"),
    ];
    let said = words.into_iter().find(|(words, _)| message.starts_with(words)).map(|(_, kind)| kind);
    let first = message.split([' ', ':', ',']).next().unwrap_or(message);
    said.unwrap_or(first).to_owned()
}

/// `FILE:LINE:COLUMN: runtime error: signed integer overflow: 2 + 2147483647 cannot be ..`.
fn undefined_behaviour(line: &str, rest: &[&str]) -> Option<Failure> {
    let place = reported_line(line)?;
    let (_, message) = line.split_once(": runtime error: ")?;
    let kind = without_operands(message.split(": ").next().unwrap_or(message));
    // Stacks are printed on demand only; the lines between show the memory.
    let is_next = |line: &&str| reported_line(line).is_some() || line.contains("Sanitizer");
    let next = rest.iter().position(is_next).unwrap_or(rest.len());
    let mut places = Stack::read(&rest[..next]).innermost();
    if places.is_empty() {
        places.push(place);
    }
    let signature = Signature { kind: format!("UndefinedBehaviorSanitizer: {kind}"), places };
    Some(Failure { signature, source: Source::Report })
}

/// The place that a report of undefined behaviour begins with, without its folder and column.
fn reported_line(line: &str) -> Option<String> {
    let (place, _) = line.split_once(": runtime error: ")?;
    let mut parts = place.rsplitn(3, ':');
    let (_column, number, path) = (parts.next()?, parts.next()?, parts.next()?);
    number.parse::<u32>().ok()?;
    Some(format!("{}:{number}", base_name(path)))
}

/// `ASSERTION VIOLATION`, `File: ../src/smt/theory_seq.cpp`, `Line: 123`, and what was violated.
fn z3(line: &str, rest: &[&str]) -> Option<Signature> {
    line.trim_end().ends_with("ASSERTION VIOLATION").then_some(())?;
    let mut rest = rest.iter().map(|line| line.trim());
    let file = rest.next()?.strip_prefix("File: ")?;
    let number = rest.next()?.strip_prefix("Line: ")?;
    let place = format!("{}:{number}", base_name(file));
    let condition = rest.next().unwrap_or_default();
    if condition.contains("CODE WAS REACHED") {
        return Some(Signature { kind: "unreachable code reached".to_owned(), places: vec![place] });
    }
    Some(assertion_failed(place, condition))
}

/// `Fatal failure within FUNCTION at FILE:LINE`, `Check failure`, an empty line, and what failed.
fn cvc5(line: &str, rest: &[&str]) -> Option<Signature> {
    let (_, message) = line.split_once("Fatal failure within ")?;
    let (function, place) = message.rsplit_once(" at ")?;
    let place = base_name(place.trim()).to_owned();
    let mut rest = rest.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let said = rest.next().unwrap_or_default();
    if said == "Check failure" {
        return Some(assertion_failed(place, rest.next().unwrap_or_default()));
    }
    let kind = match said {
        _ if said.starts_with("Unreachable code reached") => "unreachable code reached",
        _ if said.starts_with("Unimplemented code") => "unimplemented code reached",
        _ => "internal error",
    };
    Some(Signature { kind: kind.to_owned(), places: vec![place, stack::function_name(function)] })
}

/// `prog: FILE:LINE: FUNCTION: Assertion `x > 0' failed.`, with or without the program and the function.
fn assertion(line: &str) -> Option<Signature> {
    let (before, after) = line.split_once("Assertion ")?;
    let condition = after
        .trim_end()
        .strip_suffix("failed.")
        .or_else(|| after.split_once("failed").map(|(text, _)| text))?;
    let condition = condition.trim();
    let condition =
        condition.strip_prefix(['`', '\'']).and_then(|text| text.strip_suffix('\'')).unwrap_or(condition);
    let words: Vec<&str> = before.split(": ").collect();
    let is_place =
        |word: &&str| word.rsplit_once(':').is_some_and(|(_, number)| number.parse::<u32>().is_ok());
    let place = words.iter().map(|word| word.trim().trim_end_matches(':')).find(is_place)?;
    Some(assertion_failed(base_name(place).to_owned(), condition))
}

fn assertion_failed(place: String, condition: &str) -> Signature {
    let condition = without_addresses(condition);
    let places = [place, condition].into_iter().filter(|part| !part.is_empty()).collect();
    Signature { kind: "assertion failed".to_owned(), places }
}

/// `thread 'main' panicked at src/main.rs:4:5:`, or with the message in between as before Rust 1.73.
fn panic(line: &str, rest: &[&str]) -> Option<Signature> {
    let (_, place) = line.split_once("panicked at ")?;
    let place = place.rsplit_once("', ").map_or(place, |(_, place)| place).trim_end_matches(':');
    let kind = "panic".to_owned();
    let mut parts = place.rsplitn(3, ':');
    let (Some(_), Some(number), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
        return Some(Signature::of_kind(kind));
    };
    let mut places = vec![format!("{}:{number}", base_name(path))];
    if path.starts_with("/rustc/") || path.starts_with("library/") {
        // Something in the standard library, which all of the program may have called.
        places.extend(rest.first().map(|message| without_operands(message)));
    }
    Some(Signature { kind, places })
}

/// `terminate called after throwing an instance of 'std::out_of_range'`, and on the next line what it says. Where it was
/// thrown is not said.
fn terminate(line: &str, rest: &[&str]) -> Option<Signature> {
    if line.contains("terminate called without an active exception") {
        return Some(Signature::of_kind("terminated without an active exception"));
    }
    if line.contains("pure virtual method called") {
        return Some(Signature::of_kind("pure virtual method called"));
    }
    let (_, thrown) = line.split_once("terminate called after throwing an instance of ")?;
    let what = rest.first().and_then(|line| line.trim().strip_prefix("what():"));
    let what = what.map_or_else(String::new, |what| format!(" ({})", without_operands(what.trim())));
    Some(Signature::of_kind(format!("uncaught {}{what}", thrown.trim().trim_matches('\''))))
}

/// What glibc says before it aborts a program. Where its memory was damaged is not said.
fn glibc(line: &str) -> Option<Signature> {
    const STARTS: [&str; 9] = [
        "free(): ",
        "malloc(): ",
        "malloc_consolidate(): ",
        "realloc(): ",
        "munmap_chunk(): ",
        "corrupted size",
        "corrupted double-linked",
        "double free or corruption",
        "Fatal glibc error: ",
    ];
    let line = line.trim();
    if let Some(smashed) = line.strip_prefix("*** ").and_then(|rest| rest.split_once(" ***")) {
        return smashed.0.ends_with(" detected").then(|| Signature::of_kind(smashed.0));
    }
    let is_whole = STARTS.iter().any(|start| line.starts_with(start)) && line.len() < 120;
    is_whole.then(|| Signature::of_kind(without_addresses(line)))
}

/// Words that only a bug in a solver makes it print, and whether the line tells one bug from another.
const OTHERS: &[(&str, bool)] = &[
    ("ASSERTION VIOLATION", false),
    ("UNEXPECTED CODE WAS REACHED", false),
    ("UNREACHABLE CODE WAS REACHED", false),
    ("Failed to verify", true),
    ("Fatal failure", true),
    ("Internal error", true),
    ("internal error", true),
    ("Unhandled exception", true),
    ("Unimplemented code", true),
    ("Unreachable code reached", true),
    ("suffered a segfault", false),
    ("Segmentation fault", false),
    ("Assertion `", true),
    ("core dumped", false),
    ("overflow encountered when expanding vector", false),
];

fn other(line: &str) -> Option<Signature> {
    let (_, is_telling) = OTHERS.iter().find(|(words, _)| line.contains(words))?;
    let line = without_addresses(line);
    Some(match is_telling {
        true => Signature { kind: "internal error".to_owned(), places: vec![line] },
        false => Signature::of_kind(line),
    })
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A line without addresses, numbers of processes and paths of builds.
fn without_addresses(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        // Long numbers are addresses and process ids; short ones are lines of code.
        let is_number = word.len() > 5 && word.chars().all(|character| character.is_ascii_digit());
        if word.starts_with("0x") || is_number {
            return "#";
        }
        match word.rfind('/') {
            Some(slash) if slash > 0 && word.len() > slash + 1 => &word[slash + 1..],
            _ => word,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A message without any numbers.
fn without_operands(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message.trim();
    while let Some(first) = rest.chars().next() {
        let follows_word = text.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        if !follows_word && unsigned.starts_with(|digit: char| digit.is_ascii_digit()) {
            text.push('N');
            let is_part = |character: char| character.is_ascii_alphanumeric() || character == '.';
            rest = unsigned.trim_start_matches(is_part);
        } else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    text
}

#[cfg(test)]
mod tests;
