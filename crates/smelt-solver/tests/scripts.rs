//! Scripts under `testdata/solve`: the first line of each says what the checks in it answer.

use std::fs;
use std::path::{Path, PathBuf};

use smelt_solver::{Options, Session, Splitter};

fn scripts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            scripts(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "smt2") {
            found.push(path);
        }
    }
}

/// The words that the checks of a script answer.
fn answers(source: &str) -> Vec<String> {
    let mut session = Session::new(Options::default(), None);
    let mut splitter = Splitter::new();
    let mut pieces = splitter.feed(source);
    pieces.extend(splitter.finish());
    let mut answers = Vec::new();
    for piece in pieces {
        let reply = session.run(&piece);
        assert!(!reply.text.starts_with("(error"), "{}: {}", piece.text, reply.text);
        if matches!(reply.text.as_str(), "sat" | "unsat" | "unknown") {
            answers.push(reply.text);
        }
        assert!(!session.has_failed_model_check(), "a model does not satisfy its formula");
    }
    answers
}

#[test]
fn scripts_answer_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/solve");
    let mut paths = Vec::new();
    scripts(&root, &mut paths);
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = Vec::new();
    for path in paths {
        let source = fs::read_to_string(&path).unwrap();
        let expected = source
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("; expect: "))
            .unwrap_or_else(|| panic!("{} does not say what it expects", path.display()));
        let found = answers(&source).join(" ");
        if found != expected {
            wrong.push(format!("{}: expected {expected}, found {found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
