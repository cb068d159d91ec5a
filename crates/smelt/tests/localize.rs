//! `smelt localize` from end to end: a git repository made here, with a shell script as solver whose behaviour changes at
//! planted commits, and releases that are shell scripts.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::slice;

use serde_json::Value;
use support::{LENGTH_SEED, command, field, findings, smelt, solver_script};

mod support;

/// A bug, and the commits that have it.
struct Planted {
    pattern: &'static str,
    commits: Vec<std::ops::Range<usize>>,
}

fn planted(pattern: &'static str, commits: &[std::ops::Range<usize>]) -> Planted {
    Planted { pattern, commits: commits.to_vec() }
}

/// Counts a build and makes the solver, unless the commit is broken.
const BUILD: &str =
    "echo built >> ../../../builds; test ! -f broken && cp solver.sh solver && chmod +x solver";

/// A folder with a repository of so many commits, `commit 0` being the first. The solver says `unknown` to files with the
/// pattern of a bug that its commit has.
fn repository(count: usize, bugs: &[Planted], broken: &[usize]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = String::new();
    for number in 0..count {
        let mut solver = "#!/bin/sh\ncase \"$(cat \"$1\")\" in\n".to_owned();
        for bug in bugs.iter().filter(|bug| bug.commits.iter().any(|range| range.contains(&number))) {
            writeln!(solver, "  *{}*) echo unknown; exit 1 ;;", bug.pattern).unwrap();
        }
        solver.push_str("esac\necho sat\n");
        let message = format!("commit {number}");
        writeln!(stream, "commit refs/heads/main\ncommitter A <a@example.org> {number} +0000").unwrap();
        writeln!(stream, "data {}\n{message}", message.len()).unwrap();
        writeln!(stream, "M 644 inline solver.sh\ndata {}\n{solver}", solver.len()).unwrap();
        writeln!(stream, "M 644 inline number\ndata {}\n{message}", message.len()).unwrap();
        stream.push_str(match broken.contains(&number) {
            true => "M 644 inline broken\ndata 1\nx\n",
            false => "D broken\n",
        });
    }
    git(folder.path(), &["init", "--quiet", "repo"]);
    let repo = folder.path().join("repo");
    let mut import = Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(&repo)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    import.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    git(&repo, &["symbolic-ref", "HEAD", "refs/heads/main"]);
    git(&repo, &["reset", "--quiet", "--hard"]);
    folder
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Localizes files between the first commit and the last.
fn localize(folder: &Path, count: usize, files: &[String], build: &str) -> Output {
    let good = format!("main~{}", count - 1);
    let mut args = vec!["localize", "--repo", "repo", "--good", &good, "--bad", "main", "--json"];
    args.extend(["--build", build, "--match-out", "unknown"]);
    args.extend(files.iter().map(String::as_str));
    args.extend(["--", "./solver"]);
    smelt_with_git(folder, &args)
}

/// smelt with the git that the tests use.
fn smelt_with_git(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).env("PATH", std::env::var_os("PATH").unwrap()).output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The titles of the commits that are found for a trigger, and whether each is certain.
fn culprits(line: &Value) -> Vec<(String, bool)> {
    let changes = line["changes"].as_array().unwrap();
    changes.iter().map(|change| (field(change, "title"), change["doubt"].is_null())).collect()
}

fn write_triggers(folder: &Path, patterns: &[&str]) -> Vec<String> {
    let write = |(number, pattern): (usize, &&str)| {
        let name = format!("trigger-{number}");
        fs::write(folder.join(&name), format!("{pattern} number {number}\n")).unwrap();
        name
    };
    patterns.iter().enumerate().map(write).collect()
}

fn builds(folder: &Path) -> usize {
    fs::read_to_string(folder.join("builds")).map_or(0, |text| text.lines().count())
}

#[test]
fn what_was_seen_is_kept_when_one_is_interrupted_and_is_not_done_again() {
    let folder = repository(65, &[planted("alpha", slice::from_ref(&(41..65)))], &[]);
    let files = write_triggers(folder.path(), &["alpha"]);
    // The seventh build interrupts smelt, which started its shell.
    let interrupting = format!("{BUILD}; test $(wc -l < ../../../builds) != 7 || kill -INT $PPID; true");
    let output = localize(folder.path(), 65, &files, &interrupting);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let partial = &lines(&output)[0];
    assert_eq!(partial["changes"][0]["doubt"], "unfinished");
    assert!(String::from_utf8_lossy(&output.stderr).contains("goes on"));
    let output = localize(folder.path(), 65, &files, &interrupting);
    assert_eq!(culprits(&lines(&output)[0]), [("commit 41".to_owned(), true)]);
    // What was built is built no more.
    let count = builds(folder.path());
    let output = localize(folder.path(), 65, &files, &interrupting);
    assert_eq!(culprits(&lines(&output)[0]), [("commit 41".to_owned(), true)]);
    assert_eq!(builds(folder.path()), count);
}

#[test]
fn bad_input_is_told() {
    let folder = repository(10, &[planted("alpha", slice::from_ref(&(5..10)))], &[]);
    let files = write_triggers(folder.path(), &["alpha", "nothing"]);
    let check = |output: Output, status: i32, message: &str| {
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        let told = [output.stderr, output.stdout].concat();
        assert!(String::from_utf8_lossy(&told).contains(message), "{}", String::from_utf8_lossy(&told));
    };
    check(
        localize(folder.path(), 10, &files, "echo no compiler; false"),
        2,
        "the build fails at every commit",
    );
    let log = fs::read_dir(folder.path().join("smelt-localize/logs")).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(log.path()).unwrap(), "no compiler\n");
    // A criterion that holds nowhere.
    check(localize(folder.path(), 10, &files[1..], BUILD), 4, "flat");
    let run = |arguments: &[&str]| {
        smelt_with_git(folder.path(), &[&["localize", "--build", "true"][..], arguments].concat())
    };
    let solver = ["--", "./solver"];
    check(run(&[&["--repo", "repo", "--good", "nowhere"][..], &solver].concat()), 2, "no commit `nowhere`");
    let backwards = ["--repo", "repo", "--good", "main", "--bad", "main~3"];
    check(run(&[&backwards[..], &solver].concat()), 2, "does not come after");
    check(run(&[&["--repo", ".", "--good", "main"][..], &solver].concat()), 2, "cannot use `.`");
    check(run(&["--repo", "repo", "--good", "main"]), 2, "required");
    check(smelt(folder.path(), &["localize"]), 2, "nothing to localize");
}

#[test]
fn an_exit_status_is_a_criterion_and_a_status_that_comes_and_goes_is_none() {
    let folder = repository(10, &[planted("alpha", slice::from_ref(&(5..10)))], &[]);
    let files = write_triggers(folder.path(), &["alpha"]);
    let arguments =
        ["localize", &files[0], "--repo", "repo", "--good", "main~9", "--build", BUILD, "--repeats", "4"];
    let output = smelt_with_git(folder.path(), &[&arguments[..], &["--", "./solver"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("commit 5: good -> bad"), "{text}");
    let toggle = "if test -f on; then rm on; exit 1; else touch on; fi";
    let output = smelt_with_git(folder.path(), &[&arguments[..], &["--", "/bin/sh", "-c", toggle]].concat());
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}

/// Installs a release that is a shell script.
fn install(folder: &Path, version: &str, script: &str) {
    let release = folder.join("cache/solvers/z3").join(version);
    fs::create_dir_all(release.join("bin")).unwrap();
    fs::write(release.join("release.json"), "{}").unwrap();
    let program = release.join("bin/z3");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn releases_are_asked_for_their_answers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    for (number, answer) in ["sat", "sat", "unknown", "unknown", "sat"].into_iter().enumerate() {
        install(
            folder.path(),
            &format!("4.{number}.0"),
            &solver_script("sat", &format!("*str.len*) answer={answer} ;;")),
        );
    }
    let output = smelt(folder.path(), &["localize", "seed.smt2", "--solver", "z3", "--json"]);
    let line = &lines(&output)[0];
    let changes: Vec<[String; 4]> = line["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| ["before", "after", "from", "to"].map(|name| field(change, name)))
        .collect();
    assert_eq!(changes[0], ["z3@4.1.0", "z3@4.2.0", "sat", "unknown"]);
    assert_eq!(changes[1], ["z3@4.3.0", "z3@4.4.0", "unknown", "sat"]);
    let arguments = ["localize", "seed.smt2", "--solver", "z3@4.0..4.3", "--answer", "unknown", "--json"];
    let line = &lines(&smelt(folder.path(), &arguments))[0];
    assert_eq!(
        (field(line, "first_bad"), field(line, "last_good")),
        ("z3@4.2.0".to_owned(), "z3@4.1.0".to_owned())
    );
    let no_answer = smelt(folder.path(), &["localize", "seed.smt2", "--solver", "z3", "--answer", "maybe"]);
    assert_eq!(no_answer.status.code(), Some(2));
}

#[test]
fn findings_are_dated_by_releases() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    let crash = solver_script("sat", "*str.len*) kill -11 $$ ;;");
    let calm = solver_script("sat", "");
    for (version, script) in
        [("4.0", &calm), ("4.1", &calm), ("4.2", &crash), ("4.3", &crash), ("4.4", &calm)]
    {
        install(folder.path(), version, script);
    }
    let hunt = ["hunt", "seed.smt2", "--technique", "unchanged", "--cases", "1", "--solver", "z3@4.3"];
    assert_eq!(smelt(folder.path(), &hunt).status.code(), Some(1));
    let id = field(&findings(folder.path())[0], "id");
    let output = smelt(folder.path(), &["localize", &id]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(field(&findings(folder.path())[0], "first_bad"), "z3@4.2");
    let report = folder.path().join("smelt-campaign/findings").join(&id).join("report.md");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("First bad release: z3@4.2; z3@4.1 does not show it."), "{report}");
    assert!(
        report.contains("Fixed in z3@4.4; z3@4.3 is the last tested release before it that shows it."),
        "{report}"
    );
    assert!(report.contains("Severity: high (crash)."), "{report}");
}
