//! The example sessions of README.md show what smelt really prints.

use std::fs;

use crate::support::{root, smelt_at_root as smelt};

#[test]
fn the_sessions_in_the_readme_are_real() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut sessions = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for session in block.split("$ smelt ").skip(1) {
            let (command, expected) = session.split_once('\n').unwrap();
            let args: Vec<&str> = command.split_whitespace().collect();
            let outcome = smelt(&args);
            assert_eq!(format!("{}{}", outcome.stderr, outcome.stdout).trim(), expected.trim(), "{command}");
            sessions += 1;
        }
    }
    assert!(sessions > 0, "README.md shows at least one session");
}
