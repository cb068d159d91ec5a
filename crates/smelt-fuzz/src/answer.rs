//! What solvers print: whatever it is, it is read, and an error before a verdict voids it.

use smelt_oracle::run::{Answer, Limit};
use smelt_runner::answer::{Said, checks_in, read_checks};
use smelt_runner::cold::End;

use crate::SEPARATOR;

/// Reads the two outputs of a solver, after a line that says how it ended, and the script that it was given.
pub fn check(input: &str) {
    let [end, stdout, stderr, script] = crate::parts(input);
    let checks = checks_in(script);
    let said = read_checks(stdout, stderr, end_of(end), checks);
    assert!(stdout.contains(&said.output), "output is what was printed");
    assert_eq!(said.crash_signature.is_some(), said.answer == Answer::Crash, "{said:?}");
    assert!(said.crash_signature.iter().all(|signature| !signature.contains('\n')), "{said:?}");
    assert!(said.limit.is_none() || !said.answer.is_decided(), "{said:?}");
    if said.answer.is_decided() {
        assert!(said.answers.len() >= checks, "every check was answered: {said:?}");
        check_decided(&said, stdout);
    }
    // Reading the same output again gives the same result.
    assert_eq!(said, read_checks(stdout, stderr, end_of(end), checks));
}

/// A verdict that counts stands on a line of its own, and no error comes before it.
fn check_decided(said: &Said, stdout: &str) {
    let before = stdout.strip_suffix(said.output.as_str()).unwrap_or_else(|| {
        let start = stdout.rfind(said.output.as_str()).expect("output is what was printed");
        &stdout[..start]
    });
    let last = before.lines().map(str::trim).rfind(|line| matches!(*line, "sat" | "unsat"));
    assert_eq!(last, Some(said.answer.word()), "{said:?}");
    let verdict = before.rfind(said.answer.word()).expect("the verdict stands there");
    let is_error = |line: &str| line.trim().starts_with("(error");
    assert!(!before[..verdict].lines().any(is_error), "an error before the verdict voids it: {said:?}");
}

/// How a solver ended, as the first line of an input says it.
fn end_of(word: &str) -> End {
    match word {
        "segfault" => End::Signalled(11),
        "abort" => End::Signalled(6),
        "cpu" => End::Cut(Limit::Cpu),
        "wall" => End::Cut(Limit::Wall),
        "memory" => End::Cut(Limit::Memory),
        "flood" => End::Flooded,
        "failed" => End::Exited(1),
        _ => End::Exited(0),
    }
}

/// What solvers print, by how they end.
pub fn seeds() -> Vec<(String, String)> {
    const OUTPUTS: &[(&str, &str)] = &[
        ("sat", "sat\n(\n  (define-fun x () Int 3)\n)\n"),
        ("unsat", "unsat\n(error \"line 4 column 10: model is not available\")\n"),
        ("two-checks", "sat\nunsat\n"),
        ("error", "(error \"line 1 column 11: unknown constant x\")\nsat\n((x 1))\n"),
        ("unknown", "unknown\n(:reason-unknown \"incomplete (theory arithmetic)\")\n"),
        ("cvc5-unknown", "unknown (INCOMPLETE)\n(error \"cannot get model\")\n"),
        ("timeout", "timeout\n"),
        ("cvc4-timeout", "cvc5 interrupted by timeout.\n"),
        ("memory", "(error \"out of memory\")\n"),
        ("nothing", ""),
        ("garbage", "\u{1b}[2J\u{0}\u{7f}sat \nSAT\n unsat\n"),
    ];
    const MESSAGES: &[(&str, &str)] = &[
        ("quiet", ""),
        ("z3", "ASSERTION VIOLATION\nFile: ../src/ast/ast.cpp\nLine: 431\nUNEXPECTED CODE WAS REACHED.\n"),
        (
            "cvc5",
            "Fatal failure within void cvc5::f() at /build/src/expr/node.h:123\nCheck failure\n x != 0x7ffc1234\n",
        ),
        (
            "asan",
            "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010\n    #0 0x4f in f /s/a.cpp:3\n",
        ),
        ("rust", "memory allocation of 64 bytes failed\n"),
        ("glibc", "z3: a.c:7: main: Assertion `x' failed.\nAborted (core dumped)\n"),
    ];
    const SCRIPTS: &[&str] = &["(check-sat)\n", "(check-sat)\n(push 1)\n(check-sat)\n(exit)\n(check-sat)\n"];
    let ends = ["exited", "failed", "segfault", "abort", "cpu", "wall", "memory", "flood"];
    let mut seeds = Vec::new();
    for (number, (output, stdout)) in OUTPUTS.iter().enumerate() {
        for (other, (message, stderr)) in MESSAGES.iter().enumerate() {
            let end = ends[(number + other) % ends.len()];
            let script = SCRIPTS[(number + other) % SCRIPTS.len()];
            let input = [end, stdout, stderr, script].join(SEPARATOR);
            seeds.push((format!("{output}-{message}"), input));
        }
    }
    seeds
}
