//! Files and programs that others made, and that want more than to be read: campaigns, configurations, packages, messages.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use support::{LENGTH_SEED, smelt, solver_script, write_program};
use tempfile::TempDir;

mod support;

/// A folder with a campaign that has found a crash.
fn campaign() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_program(&folder.path().join("solver"), &solver_script("sat", "*str.len*) kill -11 $$ ;;"));
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    let args = ["hunt", "seed.smt2", "--solver", "mine=./solver", "--cases", "10", "--no-reduce"];
    let output = smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    folder
}

/// The folder of the first finding of the campaign in a folder.
fn finding(folder: &Path) -> PathBuf {
    fs::read_dir(folder.join("smelt-campaign/findings")).unwrap().next().unwrap().unwrap().path()
}

/// Changes what the campaign in a folder says of all its findings, in its record or, without one, in their folders.
fn tamper(folder: &Path, has_record: bool, change: impl Fn(&mut Value)) {
    let changed = |text: &str| {
        let mut finding: Value = serde_json::from_str(text).unwrap();
        change(&mut finding);
        finding.to_string()
    };
    let campaign = folder.join("smelt-campaign");
    if has_record {
        let database = rusqlite::Connection::open(campaign.join("campaign.db")).unwrap();
        let mut rows = database.prepare("SELECT number, finding FROM findings").unwrap();
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        for (number, finding) in rows.unwrap().collect::<Result<Vec<(i64, String)>, _>>().unwrap() {
            let set = "UPDATE findings SET finding = ?1 WHERE number = ?2";
            database.execute(set, (changed(&finding), number)).unwrap();
        }
        return;
    }
    for file in ["campaign.db", "campaign.db-wal", "campaign.db-shm"] {
        let _ = fs::remove_file(campaign.join(file));
    }
    for entry in fs::read_dir(campaign.join("findings")).unwrap() {
        let file = entry.unwrap().path().join("finding.json");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(file, changed(&text)).unwrap();
    }
}

fn all_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn an_id_cannot_lead_out_of_the_folder_of_an_export() {
    for has_record in [true, false] {
        let folder = campaign();
        let victim = folder.path().join("victim");
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join("thesis.tex"), "years").unwrap();
        for id in ["../../victim", victim.to_str().unwrap(), "..", "crash-0123456789/../../../victim"] {
            tamper(folder.path(), has_record, |finding| finding["id"] = id.into());
            let output = smelt(folder.path(), &["findings", "export", "reports/x"]);
            assert_eq!(output.status.code(), Some(3), "{id}: {output:?}");
            assert!(all_of(&output).contains("is not the id of a finding"), "{id}: {output:?}");
            assert_eq!(fs::read_to_string(victim.join("thesis.tex")).unwrap(), "years", "{id}");
            assert_eq!(fs::read_dir(&victim).unwrap().count(), 1, "{id}");
        }
    }
}

#[test]
fn an_export_replaces_nothing_but_the_same_finding() {
    let folder = campaign();
    let id = finding(folder.path()).file_name().unwrap().to_owned();
    let taken = folder.path().join("reports").join(&id);
    fs::create_dir_all(&taken).unwrap();
    fs::write(taken.join("notes.txt"), "mine").unwrap();
    let output = smelt(folder.path(), &["findings", "export", "reports"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(all_of(&output).contains("no finding"), "{output:?}");
    assert_eq!(fs::read_to_string(taken.join("notes.txt")).unwrap(), "mine");
    fs::remove_file(taken.join("notes.txt")).unwrap();
    for _ in 0..2 {
        let output = smelt(folder.path(), &["findings", "export", "reports"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    assert!(taken.join("report.md").is_file());
}

#[test]
fn links_in_a_campaign_lead_nowhere() {
    let folder = campaign();
    let campaign = folder.path().join("smelt-campaign");
    let precious = folder.path().join("precious");
    fs::write(&precious, "years").unwrap();
    let refused = |args: &[&str]| {
        let output = smelt(folder.path(), args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {output:?}");
        assert!(all_of(&output).contains("is a link"), "{args:?}: {output:?}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "years");
    };
    fs::remove_file(campaign.join("lock")).unwrap();
    symlink(&precious, campaign.join("lock")).unwrap();
    refused(&["hunt", "--resume", "--cases", "20"]);
    fs::remove_file(campaign.join("lock")).unwrap();
    // A file of a finding that is a link is replaced when it is written.
    let found = finding(folder.path());
    for name in ["reduced-2.6.smt2", "reduced.smt2", "triage.json", "report.md"] {
        let _ = fs::remove_file(found.join(name));
        symlink(&precious, found.join(name)).unwrap();
    }
    let id = found.file_name().unwrap().to_str().unwrap();
    let output = smelt(folder.path(), &["reduce", id, "--time", "5s"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "years");
    assert!(!found.join("reduced-2.6.smt2").is_symlink());
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&found, &elsewhere).unwrap();
    symlink(&elsewhere, &found).unwrap();
    refused(&["reduce", id]);
    refused(&["findings"]);
    fs::rename(campaign.join("campaign.db"), folder.path().join("other.db")).unwrap();
    symlink(folder.path().join("other.db"), campaign.join("campaign.db")).unwrap();
    refused(&["findings"]);
}
