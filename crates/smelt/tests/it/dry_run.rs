//! `smelt hunt --dry-run` prints a plan and starts nothing, whatever the technique and the goal.

use std::fs;
use std::path::Path;

use crate::support::smelt;

/// A solver that leaves a file behind when it is started.
const LEAVES_TRACE: &str = "#!/bin/sh\ntouch \"$(dirname \"$0\")/started\"\necho sat\n";

const SOLVERS: [&str; 6] =
    ["--solver", "a=/bin/sh ./solver.sh", "--solver", "b=/bin/sh ./solver.sh", "--sandbox", "off"];

fn was_started(folder: &Path) -> bool {
    folder.join("started").exists()
}

fn hunt(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = smelt(folder, &[&["hunt"][..], &SOLVERS, args].concat());
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text)
}

fn check(folder: &Path, args: &[&str]) {
    let (code, text) = hunt(folder, &[args, &["--dry-run"]].concat());
    assert_eq!(code, Some(0), "{args:?}: {text}");
    assert!(text.contains("(check-sat)"), "{args:?}: {text}");
    assert!(!was_started(folder), "{args:?}");
    let entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["solver.sh"], "{args:?}");
}

fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("solver.sh"), LEAVES_TRACE).unwrap();
    folder
}

#[test]
fn a_dry_run_starts_nothing_with_any_technique() {
    let folder = workplace();
    let listed = smelt(folder.path(), &["list", "techniques"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    let techniques: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for generator in ["construct", "enumerate", "random", "stringfuzz"] {
        assert!(techniques.contains(&generator), "{listed}");
    }
    assert!(techniques.len() > 10, "{listed}");
    // Those that are also searches for slowdowns or nothing else are tried below.
    let searches = ["bandit", "no-dtw", "banditfuzz", "genetic"];
    for technique in techniques.iter().filter(|technique| !searches.contains(technique)) {
        check(folder.path(), &["--goal", "bugs", "--technique", technique]);
    }
}

#[test]
fn a_dry_run_starts_nothing_with_any_search_for_slowdowns() {
    let folder = workplace();
    check(folder.path(), &["--goal", "slowdown"]);
    for search in ["bandit", "no-dtw", "banditfuzz", "random", "genetic", "evolution"] {
        check(folder.path(), &["--goal", "slowdown", "--technique", search]);
        check(folder.path(), &["--technique", search]);
    }
}

#[test]
fn a_hunt_would_have_started_the_solver() {
    let folder = workplace();
    hunt(folder.path(), &["--cases", "1", "--no-triage"]);
    assert!(was_started(folder.path()));
}
