//! `smelt hunt` from end to end, with a shell script as the solver under test.

use serde_json::Value;

use crate::support::{LENGTH_SEED, NO_MODEL, command, field, findings, smelt, solver_script};

/// A folder with a solver that crashes where a length is asked for, and a seed.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let crasher = solver_script("sat", &format!("{NO_MODEL}*str.len*) kill -11 $$ ;;"));
    std::fs::write(folder.path().join("crasher.sh"), crasher).unwrap();
    std::fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    folder
}

const HUNT: [&str; 8] =
    ["hunt", "seed.smt2", "--cases", "20", "--timeout", "5", "--solver", "crasher=/bin/sh crasher.sh"];

#[test]
fn a_crash_is_found_confirmed_and_reported_once() {
    let folder = workplace();
    let output = smelt(folder.path(), &HUNT);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("crash") && text.contains("crasher"), "{text}");

    let found = findings(folder.path());
    assert!(!found.is_empty());
    for finding in &found {
        assert_eq!((field(finding, "class"), field(finding, "culprit")), ("crash".into(), "crasher".into()));
        assert_eq!(finding["confirmed"], Value::Bool(true));
        let files = folder.path().join("smelt-campaign/findings").join(field(finding, "id"));
        assert!(std::fs::read_to_string(files.join("case.smt2")).unwrap().contains("str.len"));
        assert!(std::fs::read_to_string(files.join("report.md")).unwrap().contains("crashes"));
        assert!(files.join("replay.sh").is_file());
    }

    // The same hunt again makes the same cases, and all of them are known.
    let again = String::from_utf8(smelt(folder.path(), &HUNT).stdout).unwrap();
    assert_eq!(findings(folder.path()).len(), found.len(), "{text}\n{again}");
}

#[test]
fn an_incremental_hunt_keeps_the_push_in_what_it_finds() {
    let folder = workplace();
    let output = smelt(folder.path(), &[&HUNT[..], &["--mode", "incremental"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found = findings(folder.path());
    assert!(!found.is_empty());
    for finding in &found {
        let id = field(finding, "id");
        let case = folder.path().join("smelt-campaign/findings").join(&id).join("case.smt2");
        assert!(std::fs::read_to_string(case).unwrap().contains("(push 1)\n"));
        assert_eq!(smelt(folder.path(), &["replay", &id]).status.code(), Some(1));
    }
}

#[test]
fn a_dry_run_does_nothing() {
    let folder = workplace();
    let output = smelt(folder.path(), &[&HUNT[..], &["--dry-run"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!folder.path().join("smelt-campaign").exists());
}

#[test]
fn a_dry_run_with_any_technique_and_goal_does_nothing() {
    let folder = workplace();
    let techniques = "operator=1,fusion=1,construct=1,enumerate=1,random=1,stringfuzz=1";
    let plans: [&[&str]; 6] = [
        &["--technique", techniques],
        &["--technique", "construct"],
        &["--goal", "bugs", "--technique", "random"],
        &["--goal", "slowdown"],
        &["--technique", "bandit"],
        &["--technique", "genetic"],
    ];
    for plan in plans {
        let solvers = ["--solver", "crasher=/bin/sh crasher.sh", "--solver", "other=/bin/sh crasher.sh"];
        let output = smelt(folder.path(), &[&["hunt", "--dry-run"], plan, &solvers].concat());
        assert_eq!(output.status.code(), Some(0), "{plan:?}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("(check-sat)"), "{plan:?}: {output:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "{plan:?}");
    }
}

#[test]
fn formulas_made_from_nothing_share_a_hunt_and_their_findings_are_replayed() {
    let folder = workplace();
    let techniques = ["--technique", "construct=1,enumerate=1,random=1,stringfuzz=1"];
    let hunt = ["hunt", "--cases", "80", "--solver", "crasher=/bin/sh crasher.sh", "--no-triage"];
    let output = smelt(folder.path(), &[&hunt[..], &techniques].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    for technique in ["construct", "enumerate", "random", "stringfuzz"] {
        assert!(text.lines().any(|line| line.starts_with(technique)), "{text}");
    }
    let found = findings(folder.path());
    let id = field(&found[0], "id");
    assert_eq!(smelt(folder.path(), &["replay", &id]).status.code(), Some(1), "{text}");
}

#[test]
fn without_solvers_it_says_how_to_get_one() {
    let folder = workplace();
    let output = command(folder.path(), &["hunt"]).env("PATH", folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("smelt solvers install"));
}

#[test]
fn an_unknown_technique_lists_the_known_ones() {
    let folder = workplace();
    let output = smelt(folder.path(), &[&HUNT[..], &["--technique", "magic"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("operator"));
}

#[test]
fn a_folder_without_a_campaign_is_explained() {
    let folder = workplace();
    let output = smelt(folder.path(), &["findings"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("smelt hunt"));
}

#[test]
fn options_of_another_kind_of_hunt_are_errors_that_name_them() {
    let folder = workplace();
    for (args, option) in [
        (&["--coverage", "gcov=build"][..], "--coverage"),
        (&["--variant", "stringfuzz"], "--variant"),
        (&["--population", "3"], "--population"),
        (&["--traces", "statistics"], "--traces"),
        (&["--confirm", "3"], "--confirm"),
        (&["--alpha", "2x"], "--alpha"),
        (&["--random-seeds", "3"], "--random-seeds"),
        (&["--best", "3"], "--best"),
        (&["--calibrate", "3"], "--calibrate"),
        (&["--goal", "slowdown", "--judge", "crash"], "SEEDS"),
        (&["--dry-run", "--resume"], "--dry-run"),
    ] {
        let output = smelt(folder.path(), &[&HUNT[..], args].concat());
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && messages.contains(option), "{args:?}: {messages}");
        assert!(!folder.path().join("smelt-campaign").exists());
    }
    let slowdown = ["hunt", "--goal", "slowdown", "--solver", "a=/bin/sh crasher.sh", "--solver", "smelt"];
    for option in ["--judge=crash", "--options=2", "--sharing=fixed", "--triage=3s", "--confirm=1"] {
        let output = smelt(folder.path(), &[&slowdown[..], &[option]].concat());
        let messages = String::from_utf8(output.stderr).unwrap();
        let name = option.split('=').next().unwrap();
        assert!(output.status.code() == Some(2) && messages.contains(name), "{option}: {messages}");
    }
}

#[test]
fn a_search_for_slowdowns_that_is_named_as_a_technique_is_not_a_hunt_for_bugs() {
    let folder = workplace();
    let output = smelt(folder.path(), &[&HUNT[..], &["--technique", "bandit"]].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("SEEDS has no effect in a search for slowdowns")
    );
}
