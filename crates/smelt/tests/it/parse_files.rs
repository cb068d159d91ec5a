//! The scripts under `testdata/parse`: `ok` is accepted and survives printing, `bad` is rejected with the message that its
//! first line expects. A test is added by adding a file.

use std::fs;
use std::path::PathBuf;

use smelt_smtlib::print::script_text;
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::term::Terms;

use crate::support::{root, smelt_at_root as smelt};

fn scripts(folder: &str) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn good_scripts_are_accepted() {
    let outcome = smelt(&["check", "testdata/parse/ok"]);
    assert_eq!((outcome.stderr.as_str(), outcome.status), ("", 0));
    assert!(scripts("testdata/parse/ok").len() >= 60);
}

#[test]
fn good_scripts_survive_printing_and_reading() {
    for (path, source) in scripts("testdata/parse/ok") {
        let mut terms = Terms::new();
        let first = read_script(&mut terms, &source).script;
        let text = script_text(&mut terms, &first);
        let second = read_script_as(&mut terms, &text, first.dialect);
        assert_eq!(second.diagnostics, [], "{} printed as\n{text}", path.display());
        assert_eq!(second.script.commands, first.commands, "{} printed as\n{text}", path.display());
    }
}

#[test]
fn bad_scripts_are_rejected_with_the_expected_message() {
    let outcome = smelt(&["check", "--json", "testdata/parse/bad"]);
    assert_eq!(outcome.status, 2);
    let scripts = scripts("testdata/parse/bad");
    assert!(scripts.len() >= 60);
    let mut lines = outcome.stdout.lines();
    for (path, source) in scripts {
        let expected = source.lines().next().and_then(|line| line.strip_prefix("; expect: "));
        let expected = expected.unwrap_or_else(|| panic!("{} starts with `; expect:`", path.display()));
        let line: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        assert!(line["file"].as_str().unwrap().ends_with(path.file_name().unwrap().to_str().unwrap()));
        let messages: Vec<&str> = line["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| error["message"].as_str().unwrap())
            .collect();
        assert!(
            messages.iter().any(|message| message.contains(expected)),
            "{}: expected `{expected}`, found {messages:?}",
            path.display()
        );
    }
}
