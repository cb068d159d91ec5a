//! Files and programs that others made, and that want more than to be read: campaigns, configurations, packages, messages.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{LENGTH_SEED, command, smelt, solver_script, write_program};

/// A folder with a campaign that has found a crash.
fn campaign() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_program(&folder.path().join("solver"), &solver_script("sat", "*str.len*) kill -11 $$ ;;"));
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    let args = ["hunt", "seed.smt2", "--solver", "mine=./solver", "--cases", "10", "--no-triage"];
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

/// Runs smelt for a user who has agreed to nothing but what another run with the same state has made.
fn careful(folder: &Path, state: &str, args: &[&str]) -> Output {
    command(folder, args).env_remove("SMELT_TRUST").env("SMELT_STATE", folder.join(state)).output().unwrap()
}

/// A program that leaves a file behind when it is started, whatever it is asked.
fn write_evil(folder: &Path) -> PathBuf {
    let (program, mark) = (folder.join("evil.sh"), folder.join("PWNED"));
    write_program(&program, &format!("#!/bin/sh\ntouch '{}'\n", mark.display()));
    program
}

fn is_pwned(folder: &Path) -> bool {
    folder.join("PWNED").exists()
}

#[test]
fn a_campaign_of_others_starts_nothing_without_agreement() {
    let folder = campaign();
    let found = finding(folder.path());
    let id = found.file_name().unwrap().to_str().unwrap();
    // One's own is never asked about.
    let output = careful(folder.path(), "state", &["replay", id]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let evil = write_evil(folder.path());
    tamper(folder.path(), true, |finding| {
        finding["commands"][0]["program"] = "/bin/sh".into();
        finding["commands"][0]["args"] = json!([evil.to_str().unwrap()]);
    });
    let commands: [&[&str]; 4] =
        [&["replay", id], &["reduce", id], &["bisect", id], &["findings", "clusters"]];
    for args in commands {
        let output = careful(folder.path(), "state", args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {output:?}");
        assert!(all_of(&output).contains("evil.sh"), "{args:?}: {output:?}");
        assert!(all_of(&output).contains("--trust"), "{args:?}: {output:?}");
        assert!(!is_pwned(folder.path()), "{args:?}");
    }
    // What only reads starts nothing and needs no agreement.
    assert_eq!(careful(folder.path(), "state", &["findings", "show", id]).status.code(), Some(1));
    assert!(!is_pwned(folder.path()));
    careful(folder.path(), "state", &["replay", id, "--trust"]);
    assert!(is_pwned(folder.path()));
    fs::remove_file(folder.path().join("PWNED")).unwrap();
    careful(folder.path(), "state", &["replay", id]);
    assert!(is_pwned(folder.path()), "agreeing once is enough");
}

#[test]
fn a_campaign_of_others_is_resumed_only_with_agreement() {
    let folder = campaign();
    let args = ["hunt", "--resume", "--cases", "20", "--no-triage"];
    let output = careful(folder.path(), "elsewhere", &args);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(all_of(&output).contains("the campaign in `smelt-campaign` starts programs"), "{output:?}");
    assert_eq!(careful(folder.path(), "state", &args).status.code(), Some(1));
}

#[test]
fn a_configuration_of_the_folder_starts_nothing_without_agreement() {
    let folder = tempfile::tempdir().unwrap();
    let evil = write_evil(folder.path());
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    let configuration = format!(
        "[solvers.mine]\ncommand = \"{0}\"\n[hunts.quick]\nsolver = [\"x={0}\"]\ncases = 5\n",
        evil.display()
    );
    fs::write(folder.path().join("smelt.toml"), &configuration).unwrap();
    let commands: [&[&str]; 5] = [
        &["run", "-s", "mine", "seed.smt2"],
        &["bench", "-s", "mine", "seed.smt2"],
        &["hunt", "-s", "mine", "seed.smt2", "--cases", "5"],
        &["hunt", "--profile", "quick"],
        &["solvers", "probe", "mine"],
    ];
    for args in commands {
        let output = careful(folder.path(), "state", args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {output:?}");
        assert!(all_of(&output).contains("`smelt.toml` of this folder"), "{args:?}: {output:?}");
        assert!(!is_pwned(folder.path()), "{args:?}");
    }
    careful(folder.path(), "state", &["hunt", "-s", "mine", "seed.smt2", "--dry-run"]);
    assert!(!is_pwned(folder.path()), "a preview starts nothing");
    careful(folder.path(), "state", &["run", "-s", "mine", "seed.smt2", "--trust"]);
    assert!(is_pwned(folder.path()));
    fs::remove_file(folder.path().join("PWNED")).unwrap();
    careful(folder.path(), "state", &["run", "-s", "mine", "seed.smt2"]);
    assert!(is_pwned(folder.path()), "agreeing once is enough");
    fs::remove_file(folder.path().join("PWNED")).unwrap();
    fs::write(folder.path().join("smelt.toml"), configuration + "# changed\n").unwrap();
    careful(folder.path(), "state", &["run", "-s", "mine", "seed.smt2"]);
    assert!(!is_pwned(folder.path()), "another text is agreed to anew");
}

#[test]
fn a_replay_script_runs_only_what_it_says() {
    let folder = campaign();
    tamper(folder.path(), true, |finding| {
        finding["culprit"] = "z3\ntouch PWNED\n".into();
        finding["detail"] = "\n`touch PWNED`\n$(touch PWNED)".into();
        finding["commands"] = json!([
            { "solver": "a'$(touch PWNED)\ntouch PWNED", "program": "/nonexistent/$(touch PWNED)\n",
              "args": ["';touch PWNED;'", "`touch PWNED`\n"],
              "environment": [["A;touch PWNED;B", "1"], ["-Stouch PWNED", "$(touch PWNED)"]] },
            { "solver": "cvc5", "program": "/nonexistent/python3", "args": ["/x$(touch PWNED).py", "--a\ntouch PWNED"],
              "environment": [["PYTHONPATH", "'\ntouch PWNED\n'"]] },
        ]);
    });
    let output = smelt(folder.path(), &["findings", "export", "reports"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for entry in fs::read_dir(folder.path().join("reports")).unwrap() {
        let exported = entry.unwrap().path();
        let ran = Command::new("sh").arg("replay.sh").current_dir(&exported).output().unwrap();
        assert!(!exported.join("PWNED").exists(), "{ran:?}");
    }
}

/// Names and messages with all that a terminal, Markdown and HTML would obey.
const HOSTILE: &str =
    "a\u{1b}]0;pwned\u{7}\u{202e}<script>alert(1)</script>`b`|[c](javascript:d)\n# e\n```\n@user";

#[test]
fn a_report_shows_hostile_text_as_code() {
    let folder = campaign();
    tamper(folder.path(), true, |finding| {
        finding["culprit"] = HOSTILE.into();
        finding["detail"] = HOSTILE.into();
        finding["lineage"]["seed"] = HOSTILE.into();
        finding["evidence"] = json!({ "signature": format!("signal 11 | {HOSTILE}") });
        finding["runs"][0]["solver"] = HOSTILE.into();
        finding["runs"][0]["output"] = format!("{HOSTILE}\n````\n<script>").into();
        finding["commands"][0]["solver"] = HOSTILE.into();
        finding["commands"][0]["args"] = json!([HOSTILE]);
    });
    let id = finding(folder.path());
    let output = smelt(folder.path(), &["findings", "show", id.file_name().unwrap().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(!report.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{report}");
    let mut fence = None;
    for line in report.lines() {
        let backticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(length) if backticks >= length && line.len() == backticks => fence = None,
            Some(_) => {}
            None if backticks >= 3 && !line[backticks..].contains('`') => fence = Some(backticks),
            None => {
                let outside = without_code(line);
                for active in ["<script", "](", "@user"] {
                    assert!(!outside.contains(active), "{line}\n{report}");
                }
                assert!(!line.starts_with("# e"), "{report}");
            }
        }
    }
    assert_eq!(fence, None, "{report}");
}

/// A line of Markdown without its code, which is between runs of backticks of the same length.
fn without_code(line: &str) -> String {
    let mut outside = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        outside.push_str(&rest[..start]);
        let length = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let (fence, mut inside) = rest[start..].split_at(length);
        loop {
            let Some(end) = inside.find(fence) else { return outside + inside };
            let run = inside[end..].len() - inside[end..].trim_start_matches('`').len();
            inside = &inside[end + run..];
            if run == length {
                break;
            }
        }
        rest = inside;
    }
    outside + rest
}

#[test]
fn a_terminal_obeys_nothing_that_a_solver_prints() {
    let folder = tempfile::tempdir().unwrap();
    let message = "(error \"\\033]0;pwned\\007 \\033[2J <script> \\302\\233\")";
    write_program(
        &folder.path().join("solver"),
        &solver_script("sat", &format!("*str.len*) printf '{message}\\n' ;;")),
    );
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    let commands: [&[&str]; 3] = [
        &["run", "-s", "mine=./solver", "seed.smt2"],
        &["hunt", "-s", "mine=./solver", "seed.smt2", "--cases", "20"],
        &["bench", "-s", "mine=./solver", "seed.smt2"],
    ];
    for args in commands {
        let output = smelt(folder.path(), args);
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        let is_active = |character: char| character.is_control() && !"\n\t".contains(character);
        assert!(!text.contains(is_active), "{args:?}: {text:?}");
    }
    let output = smelt(folder.path(), commands[0]);
    assert!(all_of(&output).contains("\\u{1b}]0;pwned"), "{output:?}");
}

#[test]
fn modules_of_the_current_folder_are_not_run_by_installing() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("PWNED");
    let module = format!("open({:?}, 'w').close()\n", mark.display().to_string());
    for name in
        ["pip/__init__.py", "pip/__main__.py", "zipfile.py", "runpy.py", "site.py", "sitecustomize.py"]
    {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &module).unwrap();
    }
    for args in [["solvers", "install", "z3@latest"], ["run", "-s", "z3@1.2.3"]] {
        let mut command = command(folder.path(), &args);
        command.env("PIP_NO_INDEX", "1").env("PYTHONPATH", folder.path());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        let output = command.output().unwrap();
        assert!(!mark.exists(), "{args:?}: {output:?}");
    }
}

/// A Python whose package client has two versions of z3, both of them the program beside it.
const PACKAGES: &str = r#"#!/bin/sh
[ "$1 $2" = "-I -c" ] && cd "$4" || exit 9
shift 4
case "$1 $2" in
    'pip index') echo 'Available versions: '$(cat "$(dirname "$0")/versions") ;;
    'pip download')
        while [ "$1" != --dest ]; do shift; done
        cp "$(dirname "$0")/program" "$2/$4.whl" ;;
    'pip hash') printf '%s:
--hash=sha256:%s
' "$4" "$(cksum < "$4" | tr ' ' -)" ;;
    'zipfile -e') mkdir -p "$4/data/bin" && cp "$3" "$4/data/bin/z3" ;;
    *) exit 9 ;;
esac
"#;

/// Runs smelt where packages come from a folder.
fn with_packages(folder: &Path, args: &[&str]) -> Output {
    let path = format!("{}:/usr/bin:/bin", folder.join("packages").display());
    command(folder, args).env("PATH", path).output().unwrap()
}

/// A folder with packages and a formula.
fn packages() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_program(&folder.path().join("packages/python3"), PACKAGES);
    fs::write(folder.path().join("packages/versions"), "1.1.0.0, 1.0.0.0, ../../evil").unwrap();
    fs::write(folder.path().join("packages/program"), solver_script("sat", "")).unwrap();
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    folder
}

const RUN_LATEST: [&str; 4] = ["run", "-s", "z3@latest", "seed.smt2"];

#[test]
fn an_installed_solver_that_has_changed_is_not_run() {
    let folder = packages();
    let output = with_packages(folder.path(), &RUN_LATEST);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let program = folder.path().join("cache/solvers/z3/1.1.0.0/bin/z3");
    write_evil(folder.path());
    fs::copy(folder.path().join("evil.sh"), &program).unwrap();
    let hunt = ["hunt", "-s", "z3@1.1.0", "seed.smt2", "--cases", "5"];
    let with_options = ["run", "-s", "mine=z3@1.1.0 -v:1", "seed.smt2"];
    let commands: [&[&str]; 5] =
        [&RUN_LATEST, &["run", "-s", "z3", "seed.smt2"], &hunt, &with_options, &["hunt", "--cases", "5"]];
    for args in commands {
        let output = with_packages(folder.path(), args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {output:?}");
        assert!(all_of(&output).contains("smelt solvers install --force z3@1.1.0.0"), "{args:?}: {output:?}");
        assert!(!is_pwned(folder.path()), "{args:?}");
    }
    let output = with_packages(folder.path(), &["solvers", "install", "--force", "z3@1.1.0.0"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(with_packages(folder.path(), &RUN_LATEST).status.code(), Some(0));
}

#[test]
fn an_installed_solver_of_a_campaign_that_has_changed_is_not_run() {
    let folder = packages();
    fs::write(folder.path().join("packages/program"), solver_script("sat", "*str.len*) kill -11 $$ ;;"))
        .unwrap();
    let hunt = ["hunt", "-s", "z3@latest", "seed.smt2", "--cases", "10", "--no-triage"];
    assert_eq!(with_packages(folder.path(), &hunt).status.code(), Some(1));
    write_evil(folder.path());
    let program = folder.path().join("cache/solvers/z3/1.1.0.0/bin/z3");
    fs::copy(folder.path().join("evil.sh"), program).unwrap();
    let found = finding(folder.path());
    let id = found.file_name().unwrap().to_str().unwrap();
    for args in [&["replay", id][..], &["reduce", id], &["hunt", "--resume", "--cases", "20"]] {
        let output = with_packages(folder.path(), args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {output:?}");
        assert!(!is_pwned(folder.path()), "{args:?}");
    }
}

#[test]
fn a_lock_pins_versions_and_hashes() {
    let folder = packages();
    let output = with_packages(folder.path(), &["solvers", "lock", "z3@latest"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lock = fs::read_to_string(folder.path().join("smelt.lock")).unwrap();
    let locked: Value = serde_json::from_str(&lock).unwrap();
    assert_eq!(locked["solvers"][0]["version"], "1.1.0.0");
    // What is newer is not taken.
    fs::write(folder.path().join("packages/versions"), "1.2.0.0, 1.1.0.0").unwrap();
    fs::remove_dir_all(folder.path().join("cache")).unwrap();
    let output = with_packages(folder.path(), &RUN_LATEST);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(all_of(&output).contains("z3@1.1.0.0 by smelt.lock"), "{output:?}");
    assert!(!folder.path().join("cache/solvers/z3/1.2.0.0").exists());
    // Another archive under the same name is not installed, and what is installed from one is not run.
    fs::write(folder.path().join("packages/program"), solver_script("unsat", "")).unwrap();
    let is_refused = || {
        let output = with_packages(folder.path(), &RUN_LATEST);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(all_of(&output).contains("not the one in `smelt.lock`"), "{output:?}");
    };
    fs::remove_dir_all(folder.path().join("cache")).unwrap();
    is_refused();
    fs::rename(folder.path().join("smelt.lock"), folder.path().join("aside")).unwrap();
    assert_eq!(with_packages(folder.path(), &["solvers", "install", "z3@1.1.0.0"]).status.code(), Some(0));
    fs::rename(folder.path().join("aside"), folder.path().join("smelt.lock")).unwrap();
    is_refused();
    fs::write(folder.path().join("smelt.lock"), "{").unwrap();
    assert_eq!(with_packages(folder.path(), &RUN_LATEST).status.code(), Some(3));
}

#[test]
fn versions_cannot_lead_out_of_the_folder_of_releases() {
    let folder = packages();
    for name in ["z3@../../evil", "z3@..", "z3@/etc", "z3@1.0/../../../evil"] {
        let output = with_packages(folder.path(), &["solvers", "install", name]);
        assert_ne!(output.status.code(), Some(0), "{name}: {output:?}");
        assert!(!folder.path().join("evil").exists() && !folder.path().join("cache/evil").exists(), "{name}");
    }
}

#[test]
fn a_reduction_writes_to_a_file_that_nobody_can_guess() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let judge =
        format!("ls -d {0}/* >> {1}/names; grep -q str.len", temporary.display(), folder.path().display());
    let script = folder.path().join("judge.sh");
    write_program(&script, &format!("#!/bin/sh\n{judge} \"$1\"\n"));
    let args = ["reduce", "seed.smt2", "-o", "out.smt2", "--", "./judge.sh"];
    for _ in 0..2 {
        let output = command(folder.path(), &args).env("TMPDIR", &temporary).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let names = fs::read_to_string(folder.path().join("names")).unwrap();
    let mut names: Vec<&str> = names.lines().collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() >= 2, "{names:?}");
    for name in names {
        let name = Path::new(name).file_name().unwrap().to_str().unwrap();
        let random = name.strip_prefix("smelt-reduce-").unwrap();
        assert!(random.len() >= 6 && random.parse::<u64>().is_err(), "{name}");
    }
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}
