//! Every `unsat` has a log that is accepted, and a damaged log is rejected.

#![allow(clippy::unwrap_used)]

use smelt_proof::{Rejected, Summary, check};
use smelt_solver::{Options, Session, Splitter};

/// Formulas without a model, of different kinds.
const REFUTED: &[(&str, &str)] = &[
    ("false", "(assert false)"),
    (
        "boolean",
        "(declare-const p Bool)(declare-const q Bool)(assert (or p q))(assert (or p (not q)))(assert (or (not p) q))(assert (or (not p) (not q)))",
    ),
    (
        "xor",
        "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(assert (xor p q))(assert (xor q r))(assert (xor p r))",
    ),
    (
        "bounds",
        "(declare-const i Int)(declare-const j Int)(assert (or (< i j) (< (+ i 1) j)))(assert (or (< j i) (= i j)))",
    ),
    (
        "parity",
        "(declare-const i Int)(declare-const j Int)(declare-const k Int)(assert (or (= k (* 2 i)) (= k (+ 4 (* 2 i)))))(assert (or (= k (+ 1 (* 2 j))) (= k (+ 7 (* 2 j)))))",
    ),
    ("division", "(declare-const i Int)(assert (or (= (mod i 3) 4) (< (mod i 3) 0)))"),
    (
        "distinct",
        "(declare-const i Int)(declare-const j Int)(assert (and (<= 0 i 1) (<= 0 j 1)))(assert (distinct i j))(assert (not (= (+ i j) 1)))",
    ),
    (
        "lengths",
        "(declare-const x String)(declare-const y String)(assert (or (= (str.++ x \"ab\") y) (= (str.++ x \"abc\") y)))(assert (< (str.len y) 2))",
    ),
    (
        "letters",
        "(declare-const x String)(declare-const y String)(assert (= (str.++ \"a\" x) (str.++ x \"b\")))",
    ),
    (
        "languages",
        "(declare-const x String)(assert (str.in_re x (re.+ (str.to_re \"ab\"))))(assert (str.in_re x (re.+ (str.to_re \"ba\"))))",
    ),
    (
        "odd-language",
        "(declare-const x String)(declare-const i Int)(assert (str.in_re x (re.* (str.to_re \"ab\"))))(assert (= (str.len x) (+ (* 2 i) 1)))",
    ),
    (
        "contains",
        "(declare-const x String)(declare-const y String)(assert (str.contains x (str.++ y \"b\")))(assert (not (str.contains x y)))",
    ),
    (
        "prefix",
        "(declare-const x String)(declare-const y String)(assert (str.prefixof x y))(assert (str.prefixof y x))(assert (not (= x y)))",
    ),
    ("replace", "(declare-const x String)(assert (= (str.replace x \"a\" \"b\") (str.++ x \"c\")))"),
    ("substr", "(declare-const x String)(declare-const i Int)(assert (> (str.len (str.substr x i 3)) 3))"),
    (
        "indexof",
        "(declare-const x String)(declare-const y String)(assert (> (str.indexof x y 0) (str.len x)))",
    ),
    ("to-int", "(declare-const x String)(assert (= (str.to_int x) 12))(assert (= (str.len x) 1))"),
    ("let", "(declare-const x String)(assert (let ((y (str.++ x \"a\"))) (= y (str.++ y \"b\"))))"),
    (
        "defined",
        "(declare-const x String)(define-fun f ((s String)) Int (+ 1 (str.len s)))(assert (= (f x) 0))",
    ),
    ("named", "(declare-const p Bool)(assert (! p :named a))(assert (! (not p) :named b))"),
    (
        "function",
        "(declare-fun f (Int) Int)(declare-const i Int)(declare-const j Int)(assert (= i j))(assert (not (= (f i) (f j))))",
    ),
    (
        "choice",
        "(declare-const x String)(declare-const p Bool)(assert (= (ite p \"a\" \"bb\") (str.++ x \"c\")))",
    ),
    (
        "fixed-length",
        "(declare-const x String)(declare-const y String)(assert (= (str.len x) 1))(assert (not (= x \"a\")))(assert (str.in_re x (re.range \"a\" \"b\")))(assert (= (str.++ x y) (str.++ \"a\" x)))",
    ),
    (
        "two-letters",
        "(declare-const x String)(declare-const y String)(assert (= (str.++ x \"a\" y) (str.++ y \"b\" x)))(assert (= (str.len x) (str.len y)))",
    ),
];

/// The log of the last check of a script, which is unsat.
fn log_of(script: &str) -> String {
    let mut session = Session::new(Options::default(), None);
    session.solver().record_refutations();
    let mut splitter = Splitter::new();
    let mut pieces = splitter.feed(script);
    pieces.extend(splitter.finish());
    let mut last = String::new();
    for piece in pieces {
        last = session.run(&piece).text;
    }
    assert_eq!(last, "unsat", "{script}");
    session.refutation().unwrap()
}

fn script(name: &str) -> String {
    let (_, assertions) = REFUTED.iter().find(|(known, _)| *known == name).unwrap();
    format!("{assertions}(check-sat)")
}

/// The log with another number of lines at its end.
fn with_right_end(lines: &[&str]) -> String {
    let count = lines.len() - 1;
    format!("{}\nend {count}\n", lines[..count].join("\n"))
}

#[test]
fn every_refutation_is_accepted() {
    let mut problems = Vec::new();
    for (name, assertions) in REFUTED {
        let script = format!("{assertions}(check-sat)");
        let log = log_of(&script);
        match check(&script, &log) {
            Ok(summary) if summary.clauses + summary.formulas > 0 => println!("{name}: {summary}"),
            other => problems.push(format!("{name}: {other:?}\n{log}")),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn boolean_and_integer_refutations_trust_nothing() {
    for name in ["boolean", "xor", "bounds", "distinct", "named", "let", "defined"] {
        let script = script(name);
        let summary = check(&script, &log_of(&script)).unwrap();
        assert_eq!(summary.trusted_count(), 0, "{name}: {summary}");
    }
}

#[test]
fn a_log_without_one_of_its_lines_is_rejected() {
    for name in ["boolean", "bounds", "lengths", "prefix", "defined"] {
        let script = script(name);
        let log = log_of(&script);
        let lines: Vec<&str> = log.lines().collect();
        for dropped in 0..lines.len() {
            let mut shorter = lines.clone();
            let line = shorter.remove(dropped);
            let cut = format!("{}\n", shorter.join("\n"));
            assert!(check(&script, &cut).is_err(), "{name} without `{line}`");
            // Also if the end is made right; what a literal means may be seen without being said.
            if dropped < lines.len() - 1 && !line.starts_with("means ") {
                assert!(
                    check(&script, &with_right_end(&shorter)).is_err(),
                    "{name} without `{line}`:\n{log}"
                );
            }
        }
    }
}

#[test]
fn a_log_with_a_changed_literal_is_rejected() {
    for name in ["boolean", "bounds", "lengths"] {
        let script = script(name);
        let log = log_of(&script);
        let lines: Vec<&str> = log.lines().collect();
        for (position, line) in lines.iter().enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            let first = match words[0] {
                "assert" | "clause" => 2,
                // Another learnt clause may be right, too.
                _ => continue,
            };
            for changed in first..words.len() {
                let mut other = words.clone();
                let negated = match words[changed].strip_prefix('-') {
                    Some(positive) => positive.to_owned(),
                    None => format!("-{}", words[changed]),
                };
                other[changed] = &negated;
                let line = other.join(" ");
                let mut lines = lines.clone();
                lines[position] = &line;
                let result = check(&script, &with_right_end(&lines));
                assert!(result.is_err(), "{name} with `{line}`:\n{log}");
            }
        }
    }
}

#[test]
fn a_learnt_clause_that_does_not_follow_is_rejected() {
    let script = script("boolean");
    let log = log_of(&script);
    let early = log.replacen("\natom 3 ", "\nlearnt 2\natom 3 ", 1);
    let lines: Vec<&str> = early.lines().collect();
    assert_eq!(rejected(&script, &with_right_end(&lines)).message, "unit propagation does not show this");
}

fn rejected(script: &str, log: &str) -> Rejected {
    let summary: Result<Summary, Rejected> = check(script, log);
    summary.unwrap_err()
}

#[test]
fn the_log_of_another_input_is_rejected() {
    let log = log_of(&script("bounds"));
    let other = script("bounds").replace("(< j i)", "(<= j i)");
    let problem = rejected(&other, &log);
    assert_eq!(problem.message, "this is not that assertion of the input");
    assert!(!problem.is_broken && problem.line.is_some());
    assert_eq!(rejected("(assert false)", &log).message, "the input has no check 1");
}

#[test]
fn a_wrong_rewrite_is_rejected() {
    let script = "(declare-const x String)(assert (= (str.len (str.++ x \"ab\")) 1))(check-sat)";
    let log = log_of(script);
    check(script, &log).unwrap();
    let rewrite = log.lines().find(|line| line.starts_with("rewrite ")).unwrap();
    let other = rewrite.replacen("\"ab\"", "\"abc\"", 1);
    assert_ne!(other, rewrite);
    assert!(check(script, &log.replace(rewrite, &other)).is_err());
}

#[test]
fn a_broken_line_is_reported() {
    let script = script("boolean");
    let log = log_of(&script);
    let lines: Vec<&str> = log.lines().collect();
    for broken in ["nonsense", "atom x p", "clause because 1 x", "rewrite equal-same (<= 1 1)", "formula 99"]
    {
        let mut lines = lines.clone();
        lines.insert(2, broken);
        let problem = rejected(&script, &with_right_end(&lines));
        assert!(problem.is_broken && problem.line == Some(3), "{broken}: {problem:?}");
    }
    assert!(rejected(&script, "").is_broken);
    assert!(rejected(&script, "something\nelse\nentirely\n").is_broken);
}

#[test]
fn the_log_is_about_the_check_that_it_names() {
    let script = "(declare-const x String)(assert (= x \"a\"))(check-sat)(push 1)(assert (= (str.len x) 2))(check-sat)";
    let log = log_of(script);
    assert!(log.contains("\ncheck 2\n"));
    check(script, &log).unwrap();
    assert!(check(script, &log.replace("\ncheck 2\n", "\ncheck 1\n")).is_err());
    let assumed = "(declare-const p Bool)(assert (not p))(check-sat-assuming (p))";
    check(assumed, &log_of(assumed)).unwrap();
}

#[test]
fn every_engine_leaves_a_log() {
    for engine in ["length-abstraction", "arrangement", "sequence", "cases"] {
        for name in ["boolean", "letters", "lengths", "prefix"] {
            let options = Options { engine: Some(engine), ..Options::default() };
            let mut session = Session::new(options, None);
            session.solver().record_refutations();
            let script = script(name);
            let mut splitter = Splitter::new();
            let mut answer = String::new();
            for piece in splitter.feed(&script) {
                answer = session.run(&piece).text;
            }
            if answer == "unsat" {
                let log = session.refutation().unwrap();
                check(&script, &log)
                    .unwrap_or_else(|problem| panic!("{engine} on {name}: {problem:?}\n{log}"));
            }
        }
    }
}
