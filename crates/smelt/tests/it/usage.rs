//! Help, versions, mistyped options, closed pipes.

use std::io::Read;
use std::process::{Command, Stdio};

use crate::support::smelt_at_root as smelt;

#[test]
fn a_mistyped_option_suggests_the_right_one() {
    let outcome = smelt(&["check", "--jbos", "3", "a.smt2"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("--jobs"), "{}", outcome.stderr);
}

#[test]
fn a_mistyped_command_suggests_the_right_one() {
    let outcome = smelt(&["chekc", "a.smt2"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("'check'"), "{}", outcome.stderr);
}

#[test]
fn wrong_values_of_options_are_bad_usage() {
    assert_eq!(smelt(&["check", "--jobs", "0", "a.smt2"]).status, 2);
    assert_eq!(smelt(&["print", "--dialect", "3.0", "a.smt2"]).status, 2);
    assert_eq!(smelt(&["check"]).status, 2);
    assert_eq!(smelt(&[]).status, 2);
}

#[test]
fn help_and_version_go_to_standard_output() {
    let outcome = smelt(&["--version"]);
    assert_eq!(outcome.status, 0);
    assert_eq!(outcome.stdout, concat!("smelt ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(smelt(&["--help"]).status, 0);
}

#[test]
fn the_help_of_every_command_has_an_example_and_defaults() {
    for command in ["check", "print", "eval", "completions"] {
        let help = smelt(&[command, "-h"]).stdout;
        let example = help.lines().find(|line| line.starts_with("Example: "));
        assert!(example.is_some_and(|line| line.contains(&format!("smelt {command} "))), "{help}");
        // Options, each with the lines that continue it.
        let mut options: Vec<String> = Vec::new();
        for line in help.lines() {
            match line.trim_start() {
                text if text.starts_with('-') => options.push(text.to_owned()),
                text if line.starts_with("          ") => {
                    options.last_mut().into_iter().for_each(|option| option.push_str(&format!(" {text}")));
                }
                _ => {}
            }
        }
        for option in options.iter().filter(|option| !option.contains("--help")) {
            assert!(option.contains("[default: "), "{option}");
        }
    }
}

const COMMANDS: [&str; 22] = [
    "hunt",
    "generate",
    "triples",
    "rules",
    "monitor",
    "evolve",
    "findings",
    "replay",
    "reduce",
    "bisect",
    "scale",
    "list",
    "check",
    "print",
    "eval",
    "run",
    "solve",
    "check-proof",
    "check-steps",
    "bench",
    "solvers",
    "completions",
];

#[test]
fn a_corpus_that_is_not_there_has_no_table() {
    let outcome = smelt(&["bench", "no-such-file.smt2"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("no-such-file.smt2"), "{}", outcome.stderr);
}

#[test]
fn help_is_wrapped_at_the_width_of_the_terminal() {
    for name in COMMANDS {
        for (columns, flag) in [(80, "-h"), (80, "--help"), (200, "--help")] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_smelt"));
            let output = command.args([name, flag]).env("COLUMNS", columns.to_string()).output().unwrap();
            let help = String::from_utf8(output.stdout).unwrap();
            let most = columns.min(100);
            for line in help.lines().filter(|line| line.chars().count() > most) {
                // A single long word cannot be wrapped.
                assert!(line.split_whitespace().count() <= 2, "{name} {flag}: {line}");
            }
        }
    }
}

#[test]
fn completions_name_the_commands() {
    let outcome = smelt(&["completions", "bash"]);
    assert_eq!(outcome.status, 0);
    assert!(outcome.stdout.contains("check"), "{}", outcome.stdout);
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(stderr, "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
