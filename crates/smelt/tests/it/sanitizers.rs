//! `smelt hunt` on a program that is built with sanitizers: crashes are told apart by the stack, not by the formula.

use std::path::Path;
use std::process::Command;

use crate::support::{command, field, findings};

/// Builds the solver with bugs; false if the C compiler is missing or has no sanitizers.
fn build(program: &Path) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sanitizers/solver.c");
    let options = ["-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-o"];
    let built = Command::new("cc").args(options).arg(program).arg(source).output();
    built.is_ok_and(|output| output.status.success())
        && Command::new(program)
            .stdin(std::process::Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
}

/// Two formulas for the first bug, two for the second, one for the third, and one for none.
fn seeds() -> [(&'static str, String); 6] {
    let constant = |name: &str, assertion: &str| {
        format!("(declare-const {name} Int)\n(assert {assertion})\n(check-sat)\n")
    };
    let long = ["a_name_that_is_too_long_for_it", "another_name_that_is_too_long_for_it"];
    let deep = format!("{}(= y 2){}", "(not ".repeat(16), ")".repeat(16));
    [
        ("name1", constant(long[0], &format!("(= {} 1)", long[0]))),
        ("name2", constant(long[1], &format!("(> (+ {} 5) 7)", long[1]))),
        ("number1", constant("x", "(= x 1234567)")),
        ("number2", constant("z", "(> (* z 3) 7654321)")),
        ("deep", constant("y", &deep)),
        ("none", constant("x", "(= x 5)")),
    ]
}

#[test]
fn bugs_of_a_sanitizer_build_are_told_apart_by_their_stacks() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("solver");
    if !build(&program) {
        eprintln!("skipped: the C compiler cannot build programs with sanitizers");
        return;
    }
    std::fs::create_dir(folder.path().join("seeds")).unwrap();
    for (name, text) in seeds() {
        std::fs::write(folder.path().join(format!("seeds/{name}.smt2")), text).unwrap();
    }
    let solver = format!("mine={}", program.display());
    let hunt = ["hunt", "seeds", "--technique", "unchanged", "--judge", "crash", "--cases", "12"];
    let hunt = [&hunt[..], &["--timeout", "20", "--jobs", "1", "--solver", &solver]].concat();
    let output = command(folder.path(), &hunt).env("SMELT_SANDBOX", "auto").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found = findings(folder.path());
    let signatures: Vec<String> = found
        .iter()
        .map(|finding| {
            assert_eq!(field(finding, "class"), "crash");
            let id = field(finding, "id");
            let report = folder.path().join("smelt-campaign/findings").join(id).join("report.md");
            let report = std::fs::read_to_string(report).unwrap();
            report.split_once("Signature: `").unwrap().1.split('`').next().unwrap().to_owned()
        })
        .collect();
    let has = |start: &str| signatures.iter().any(|signature| signature.starts_with(start));
    assert_eq!(signatures.len(), 3, "{signatures:?}\n{output:?}");
    assert!(has("AddressSanitizer: heap-buffer-overflow | copy_name | declare"), "{signatures:?}");
    assert!(has("UndefinedBehaviorSanitizer: signed integer overflow | square"), "{signatures:?}");
    assert!(has("assertion failed | solver.c:"), "{signatures:?}");
}
