//! What users do with a campaign: go on, look, replay, export, and be told what does not fit.

use std::path::Path;
use std::process::{Command, Output};

use smelt_store::configuration::SessionMode;
use smelt_store::store::Store;
use tempfile::TempDir;

use crate::support::{LENGTH_SEED, NO_MODEL, field, findings, recorded_cases, smelt, solver_script};

/// A solver that crashes where a length is asked for, unless there is a file that says that it is repaired.
fn crasher() -> String {
    let arm = r#"*str.len*) test -e "$(dirname "$0")/repaired" || kill -11 $$ ;;"#;
    solver_script("sat", &format!("{NO_MODEL}{arm}"))
}

/// A folder with the solver, a seed and profiles.
fn workplace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let solver = folder.path().join("crasher.sh");
    std::fs::write(&solver, crasher()).unwrap();
    std::fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    let profiles = format!(
        "[solvers.crasher]\ncommand = \"/bin/sh {}\"\nmode = \"cold\"\nenvironment = {{ LANG = \"C\" }}\n\
        [hunts.quick]\nseeds = [\"seed.smt2\"]\nsolver = [\"crasher\"]\ncases = 20\ntimeout = 5\n",
        solver.display()
    );
    std::fs::write(folder.path().join("smelt.toml"), profiles).unwrap();
    folder
}

const HUNT: [&str; 3] = ["hunt", "--profile", "quick"];

fn check(output: &Output, code: i32, part: &str) {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.contains(part), "`{part}` is missing in:\n{text}");
}

fn ids(folder: &Path) -> Vec<String> {
    findings(folder).iter().map(|finding| field(finding, "id")).collect()
}

#[test]
fn a_profile_is_a_hunt_and_the_command_line_comes_first() {
    let folder = workplace();
    let output = smelt(folder.path(), &[&HUNT[..], &["--cases", "30"]].concat());
    check(&output, 1, "crasher");
    assert!(recorded_cases(folder.path()) > 20);
    let store = Store::open_existing(&folder.path().join("smelt-campaign")).unwrap().unwrap();
    let solver = store.campaign().unwrap().unwrap().configuration.solvers[0].clone();
    assert_eq!(solver.mode, Some(SessionMode::Cold));
    assert_eq!(solver.command.environment, [("LANG".to_owned(), "C".to_owned())]);
    check(&smelt(folder.path(), &["hunt", "--profile", "slow"]), 2, "expected one of: quick");
}

#[test]
fn a_campaign_that_is_done_stays_as_it_is_until_more_is_asked_for() {
    let folder = workplace();
    smelt(folder.path(), &HUNT);
    let (done, found) = (recorded_cases(folder.path()), ids(folder.path()));
    check(&smelt(folder.path(), &["hunt", "--resume"]), 1, "budget used up");
    check(&smelt(folder.path(), &HUNT), 1, "budget used up");
    assert_eq!((recorded_cases(folder.path()), ids(folder.path())), (done, found));
    check(&smelt(folder.path(), &["hunt", "--resume", "--cases", "40"]), 1, "resuming");
    assert!(recorded_cases(folder.path()) > done);
}

#[test]
fn a_campaign_goes_on_from_another_folder() {
    let folder = workplace();
    smelt(folder.path(), &HUNT);
    let elsewhere = tempfile::tempdir().unwrap();
    let dir = folder.path().join("smelt-campaign");
    let output =
        smelt(elsewhere.path(), &["hunt", "--resume", "--dir", dir.to_str().unwrap(), "--cases", "40"]);
    check(&output, 1, "resuming");
}

#[test]
fn what_differs_is_named() {
    let folder = workplace();
    smelt(folder.path(), &HUNT);
    let refused = |args: &[&str], part: &str| check(&smelt(folder.path(), args), 2, part);
    refused(&["hunt", "--resume", "--seed", "7"], "random seed: the campaign has 0, not 7");
    refused(&["hunt", "--resume", "--timeout", "9"], "timeout: the campaign has 5 s, not 9 s");
    refused(&["hunt", "--resume", "--technique", "operator=3"], "=1, not operator=3");
    refused(&["hunt", "--resume", "--judge", "crash"], "judges: the campaign has");
    refused(&["hunt", "--resume", "--solver", "other=/bin/sh crasher.sh"], "has crasher, not other");
    refused(&[&HUNT[..], &["--seed", "7"]].concat(), "--resume");
    std::fs::write(folder.path().join("seed.smt2"), "(check-sat)\n").unwrap();
    refused(&["hunt", "--resume"], "`seed.smt2` has changed");
    refused(&HUNT, "`seed.smt2` has changed");
}

#[test]
fn there_must_be_something_to_resume() {
    let folder = workplace();
    check(&smelt(folder.path(), &["hunt", "--resume"]), 2, "there is no campaign in `smelt-campaign`");
    assert!(!folder.path().join("smelt-campaign").exists());
}

#[test]
fn a_record_of_a_newer_smelt_is_refused() {
    let folder = workplace();
    smelt(folder.path(), &HUNT);
    let database = folder.path().join("smelt-campaign/campaign.db");
    rusqlite::Connection::open(&database).unwrap().pragma_update(None, "user_version", 1000).unwrap();
    check(&smelt(folder.path(), &["hunt", "--resume"]), 3, "use a newer smelt");
    check(&smelt(folder.path(), &["findings"]), 3, "use a newer smelt");
}

#[test]
fn a_finding_is_shown_exported_and_replayed() {
    let folder = workplace();
    smelt(folder.path(), &HUNT);
    let id = ids(folder.path())[0].clone();
    check(&smelt(folder.path(), &["findings", "show", &id]), 1, "crasher crashes");
    check(&smelt(folder.path(), &["findings", "show", "none"]), 2, "no finding `none`");
    check(&smelt(folder.path(), &["findings", "--class", "drift"]), 0, "");
    smelt(folder.path(), &["findings", "export", "reports"]);
    for file in ["case.smt2", "finding.json", "report.md", "replay.sh"] {
        assert!(folder.path().join("reports").join(&id).join(file).is_file(), "{file}");
    }
    check(&smelt(folder.path(), &["replay", &id]), 1, "shows again");
    // The script is plain commands: no smelt is needed for it.
    let script = folder.path().join("reports").join(&id).join("replay.sh");
    let replayed = Command::new("/bin/sh").arg(&script).env("PATH", "/usr/bin:/bin").output().unwrap();
    assert_eq!(replayed.status.code(), Some(139), "{replayed:?}");
    let text = std::fs::read_to_string(&script).unwrap();
    assert!(text.contains("LANG=C \"$program\""), "{text}");
    // The solver may be elsewhere on another machine.
    let elsewhere = Command::new("/bin/sh").arg(&script).env("CRASHER", "/bin/cat").output().unwrap();
    assert!(String::from_utf8(elsewhere.stdout).unwrap().contains("(check-sat"));

    std::fs::write(folder.path().join("repaired"), "").unwrap();
    check(&smelt(folder.path(), &["replay", &id]), 4, "does not show again");
}

/// A solver that crashes on the fourth formula of a session.
fn stale() -> String {
    let arm = r#"'(assert '*'"a"'*) count=$((count + 1)); if [ $count -gt 3 ]; then kill -11 $$; fi ;;"#;
    solver_script("unknown", arm)
}

#[test]
fn a_finding_about_a_session_is_replayed_in_a_session() {
    let folder = workplace();
    std::fs::write(folder.path().join("crasher.sh"), stale()).unwrap();
    let profiles = "[solvers.stale]\ncommand = \"/bin/sh crasher.sh\"\nmode = \"warm\"\n";
    std::fs::write(folder.path().join("smelt.toml"), profiles).unwrap();
    let hunt = ["hunt", "seed.smt2", "--solver", "stale", "--cases", "30", "--timeout", "20", "--jobs", "1"];
    check(&smelt(folder.path(), &hunt), 1, "warm-cold");
    let id = ids(folder.path()).into_iter().find(|id| id.starts_with("warm-cold")).unwrap();
    check(&smelt(folder.path(), &["replay", &id]), 1, "shows again");
    // Plain commands show it too, from the folder of the hunt.
    let script = format!("smelt-campaign/findings/{id}/replay.sh");
    let replayed = Command::new("/bin/sh").arg(&script).current_dir(folder.path()).output().unwrap();
    assert_eq!(replayed.status.code(), Some(139), "{replayed:?}");
}

#[test]
fn a_dry_run_shows_solvers_and_first_cases() {
    let folder = workplace();
    let output = smelt(folder.path(), &[&HUNT[..], &["--dry-run"]].concat());
    check(&output, 0, "crasher.sh");
    check(&output, 0, "(check-sat)");
    check(&output, 0, "; chain 0, step 1, technique operator, seed seed.smt2");
    assert!(!folder.path().join("smelt-campaign").exists());
}

#[test]
fn what_there_is_to_choose_from_is_listed() {
    let folder = workplace();
    check(&smelt(folder.path(), &["list", "techniques"]), 0, "operator");
    check(&smelt(folder.path(), &["list", "rules"]), 0, "weaken     (=> (and p q) p)");
    check(&smelt(folder.path(), &["list", "judges"]), 0, "warm-cold");
    check(&smelt(folder.path(), &["list", "classes", "--json"]), 0, "{\"name\":\"soundness-refutation\"");
    check(&smelt(folder.path(), &["list", "solvers"]), 0, "");
}
