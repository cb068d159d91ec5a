//! The genetic search for slow formulas, from end to end, with shell scripts as the solvers.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{command, smelt, solver_script};

/// Two solvers that agree on everything; the slow one never ends on random formulas, which declare `s0`.
fn write_solvers(folder: &Path) {
    fs::write(folder.join("fast.sh"), solver_script("unsat", "")).unwrap();
    let endless = "*'s0 String'*) while :; do :; done ;;";
    fs::write(folder.join("slow.sh"), solver_script("unsat", endless)).unwrap();
}

const FAST: &str = "fast=/bin/sh fast.sh";
const SLOW: &str = "slow=/bin/sh slow.sh";

fn search(folder: &Path, solvers: [&str; 2], args: &[&str]) -> Output {
    let goal = ["hunt", "--goal", "slowdown", "--technique", "genetic"];
    let usual = ["--timeout", "1", "--confirm", "1", "--time", "1s"];
    let solvers = ["--solver", solvers[0], "--solver", solvers[1]];
    smelt(folder, &[&goal[..], &usual, &solvers, args].concat())
}

#[test]
fn a_solver_that_does_not_end_is_found_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let output = search(folder.path(), [FAST, SLOW], &["--population", "2"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("front/01.smt2: complexity ") && text.contains("fast says unsat"), "{text}");
    let written = folder.path().join("smelt-genetic");
    for file in ["report.md", "front.csv", "generations.csv", "front.svg"] {
        assert!(written.join(file).is_file(), "{file}");
    }
    let front = fs::read_to_string(written.join("front.csv")).unwrap();
    assert!(front.lines().nth(1).unwrap().ends_with(",true"), "{front}");
    let formula = fs::read_to_string(written.join("front/01.smt2")).unwrap();
    assert!(formula.contains("(check-sat)"), "{formula}");
    let again = search(folder.path(), [FAST, SLOW], &[]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
}

#[test]
fn a_solver_that_is_fast_is_not_accused() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let args = ["--population", "2", "--variant", "stringfuzz", "--dir", "other"];
    let output = search(folder.path(), [SLOW, FAST], &args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(folder.path().join("other/report.md").is_file());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    for (args, part) in [
        (&["--variant", "other"][..], "possible values: stringfuzz"),
        (&["--coverage", "gcov"], "gcov=FOLDER"),
        (&["--cases", "3"], "--cases has no effect in a genetic search"),
        (&["--findings", "3"], "--findings has no effect"),
        (&["--judge", "crash"], "--judge has no effect"),
        (&["--alpha", "1"], "--alpha has no effect"),
        (&["--triage", "1s"], "--triage has no effect"),
        (&["--jobs", "4"], "--jobs must be 1"),
        (&["--mode", "warm"], "--mode must be cold"),
        (&["--resume"], "there is no genetic search"),
        (&["seed.smt2"], "SEEDS has no effect"),
    ] {
        let output = search(folder.path(), [FAST, SLOW], args);
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && messages.contains(part), "{args:?}: {messages}");
    }
}

/// A search without end that was started; both solvers answer at once, so generations follow each other quickly.
fn start_endless(folder: &Path) -> Child {
    write_solvers(folder);
    let args = ["hunt", "--technique", "genetic", "--population", "2", "--time", "1h", "--confirm", "1"];
    let solvers = ["--solver", "other=/bin/sh fast.sh", "--solver", FAST];
    let mut command = command(folder, &[&args[..], &solvers].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn state(folder: &Path) -> Option<Value> {
    let text = fs::read_to_string(folder.join("smelt-genetic/state.json")).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

fn generations(folder: &Path) -> usize {
    state(folder).map_or(0, |state| state["search"]["history"].as_array().unwrap().len())
}

/// Waits until a running search has written some generations, then sends it a signal.
fn signal_after_generations(folder: &Path, child: &mut Child, signal: &str) {
    let started = Instant::now();
    while generations(folder) < 3 {
        assert!(started.elapsed() < Duration::from_secs(120), "no generation is written");
        assert!(child.try_wait().unwrap().is_none(), "the search has ended by itself");
        thread::sleep(Duration::from_millis(50));
    }
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_genetic_search_that_is_interrupted_keeps_its_front_and_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start_endless(folder.path());
    signal_after_generations(folder.path(), &mut child, "-INT");
    let output = child.wait_with_output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{messages}");
    assert!(messages.contains("are not confirmed or refuted yet; continue with `smelt hunt"), "{messages}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("were not run at 1 s yet") && !text.contains("-0.0"), "{text}");
    let written = folder.path().join("smelt-genetic");
    assert!(fs::read_to_string(written.join("front/01.smt2")).unwrap().contains("(check-sat)"));
    let front = fs::read_to_string(written.join("front.csv")).unwrap();
    assert!(front.lines().nth(1).unwrap().ends_with(",,,,,"), "{front}");
    // Each axis says its own unit.
    let figure = fs::read_to_string(written.join("convergence.svg")).unwrap();
    assert!(figure.contains("time score, s<") && !figure.contains("complexity, behaviours"), "{figure}");
    // The same command again must not throw away what is there.
    let again = search(folder.path(), ["other=/bin/sh fast.sh", FAST], &[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8(again.stderr).unwrap().contains("continue it with --resume"));
    let before = generations(folder.path());
    let resume = ["hunt", "--technique", "genetic", "--resume", "--time", "1s"];
    let resumed = smelt(folder.path(), &resume);
    assert_eq!(resumed.status.code(), Some(0), "{resumed:?}");
    let messages = String::from_utf8(resumed.stderr).unwrap();
    assert!(messages.contains(&format!("continuing after {before} generations")), "{messages}");
    assert!(generations(folder.path()) > before);
    let front = fs::read_to_string(written.join("front.csv")).unwrap();
    assert!(front.lines().nth(1).unwrap().ends_with(",false"), "{front}");
    let other = smelt(folder.path(), &[&resume[..], &["--population", "7"]].concat());
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8(other.stderr).unwrap().contains("begun with --population 2"));
}

#[test]
fn a_genetic_search_that_is_killed_continues_from_its_last_generation() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start_endless(folder.path());
    signal_after_generations(folder.path(), &mut child, "-KILL");
    child.wait().unwrap();
    let before = state(folder.path()).unwrap();
    // The folder says what it is.
    let resumed = smelt(folder.path(), &["hunt", "--resume", "--dir", "smelt-genetic", "--time", "1s"]);
    assert_eq!(resumed.status.code(), Some(0), "{resumed:?}");
    let after = state(folder.path()).unwrap();
    let kept = before["search"]["history"].as_array().unwrap();
    assert_eq!(&after["search"]["history"].as_array().unwrap()[..kept.len()], &kept[..]);
}

#[test]
fn a_dry_run_of_a_genetic_search_shows_formulas_and_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let output = search(folder.path(), [FAST, SLOW], &["--dry-run", "--population", "5"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("target      slow=") && text.contains("5 formulas a generation"), "{text}");
    assert!(text.contains("; formula 0\n") && text.contains("(check-sat)"), "{text}");
    assert!(!folder.path().join("smelt-genetic").exists());
}

#[test]
fn a_genetic_search_does_not_look_for_other_bugs() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let args = ["hunt", "--goal", "bugs", "--technique", "genetic", "--solver", FAST, "--solver", SLOW];
    let output = smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("--goal bugs"));
}

#[test]
fn a_profile_may_ask_for_a_genetic_search_by_its_old_name() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let profile =
        "[hunts.slow]\ntechnique = \"evolution\"\nsolver = [\"a=/bin/sh fast.sh\", \"b=/bin/sh slow.sh\"]\n";
    fs::write(folder.path().join("smelt.toml"), profile).unwrap();
    let output = smelt(folder.path(), &["hunt", "--profile", "slow", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("target      b="));
}

#[test]
fn a_search_in_the_folder_of_earlier_releases_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let solvers = [FAST, "b=/bin/sh fast.sh"];
    let begun = search(folder.path(), solvers, &["--population", "2", "--dir", "smelt-evolution"]);
    assert_eq!(begun.status.code(), Some(0), "{begun:?}");
    let resume = ["hunt", "--technique", "evolution", "--resume", "--time", "1s"];
    let resumed = smelt(folder.path(), &resume);
    assert_eq!(resumed.status.code(), Some(0), "{resumed:?}");
    assert!(String::from_utf8(resumed.stderr).unwrap().contains("continuing after"));
}
