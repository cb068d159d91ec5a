//! Hunts that are killed, interrupted, locked out or out of room: nothing hangs, nothing is left running, no finding is
//! lost, and what was not done is done when the hunt goes on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{command, field, findings, recorded_cases, smelt, solver_script};

/// A solver that notes every formula in a file beside it, and crashes on some.
fn crasher() -> String {
    let arms = format!(
        "{FORMULA}str.replace*) {NOTE}; kill -11 $$ ;;\n\
         {FORMULA}str.at*) {NOTE}; kill -6 $$ ;;\n\
         {FORMULA}) {NOTE} ;;"
    );
    solver_script("sat", &arms)
}

/// A solver that works until it is asked a formula of the hunt, and then never ends.
fn hanger() -> String {
    let hang = r#"sh -c 'while :; do sleep 1000; done' "$0""#;
    solver_script("sat", &format!("{FORMULA}) {NOTE}; {hang} ;;"))
}

/// How a formula of the hunt begins, as a pattern of the shell.
const FORMULA: &str = r#"'(assert '*'"smelt"'*"#;

/// A command of the shell that notes a formula.
const NOTE: &str = r#"echo "$line" >> "$(dirname "$0")/log""#;

/// Every formula that is made from it keeps the word by which the solvers know it.
const SEED: &str = "(declare-const s String)\n(declare-const t String)\n\
    (assert (and (= (str.++ s \"smelt\") (str.replace t s \"b\")) (str.prefixof t s) (= (str.at s 1) t)))\n(check-sat)\n";

/// A folder with a solver and a seed. Its path stands on the command lines of the processes that belong to it.
struct Workplace {
    folder: TempDir,
}

impl Workplace {
    fn new(solver: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("solver.sh"), solver).unwrap();
        std::fs::write(folder.path().join("seed.smt2"), SEED).unwrap();
        Workplace { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The arguments of a hunt.
    fn hunt(&self, more: &[&str]) -> Vec<String> {
        let solver = format!("fake=/bin/sh {}", self.path("solver.sh").display());
        let mut args = vec!["hunt".to_owned(), "seed.smt2".to_owned(), "--solver".to_owned(), solver];
        args.extend(more.iter().map(|arg| (*arg).to_owned()));
        args
    }

    fn run(&self, args: &[String]) -> Output {
        smelt(self.folder.path(), args)
    }

    fn start(&self, args: &[String]) -> Child {
        command(self.folder.path(), args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The formulas that the solver was asked.
    fn asked(&self) -> Vec<String> {
        std::fs::read_to_string(self.path("log")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// The ids of the findings in the record.
    fn findings(&self) -> BTreeSet<String> {
        findings(self.folder.path()).iter().map(|finding| field(finding, "id")).collect()
    }

    /// How many cases are recorded. How many runs depends on what judges ask, and that on the load of the machine.
    fn recorded(&self) -> u64 {
        recorded_cases(self.folder.path())
    }

    /// Fails unless every process of this workplace goes away.
    fn assert_nothing_runs(&self) {
        let folder = self.folder.path().to_str().unwrap().to_owned();
        wait_until("every process is gone", || {
            !std::fs::read_dir("/proc").unwrap().flatten().any(|process| {
                std::fs::read(process.path().join("cmdline"))
                    .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&folder))
            })
        });
    }
}

/// Waits for something to become true; that it does, is what is tested, not how fast.
fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(120), "waited in vain until {what}");
        std::thread::yield_now();
    }
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The names of the findings' folders, which must all be complete; what is hidden was never finished.
fn complete_folders(campaign: &Path) -> BTreeSet<String> {
    let files = ["case.smt2", "finding.json", "report.md", "replay.sh"];
    std::fs::read_dir(campaign.join("findings"))
        .unwrap()
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| {
            assert!(files.iter().all(|file| entry.path().join(file).is_file()), "{entry:?} is not complete");
            entry.file_name().into_string().unwrap()
        })
        .collect()
}

#[test]
fn a_hunt_that_is_killed_ten_times_loses_no_finding() {
    let budget = ["--cases", "300", "--timeout", "5", "--jobs", "2"];
    let calm = Workplace::new(&crasher());
    calm.run(&calm.hunt(&budget));
    let expected = calm.findings();
    let workplace = Workplace::new(&crasher());
    let mut known = BTreeSet::new();
    for round in 0..10 {
        let resume = if round == 0 { vec![] } else { vec!["--resume"] };
        let mut hunt = workplace.start(&workplace.hunt(&[&budget[..], &resume[..]].concat()));
        // The moment is another in every round, and somewhere else in the work of the hunt.
        let enough = workplace.asked().len() + 5 + (round * 7) % 23;
        wait_until("the hunt has come further", || {
            workplace.asked().len() >= enough || hunt.try_wait().unwrap().is_some()
        });
        assert!(hunt.try_wait().unwrap().is_none(), "{:?}", hunt.wait_with_output());
        hunt.kill().unwrap();
        hunt.wait().unwrap();
        workplace.assert_nothing_runs();
        let now = workplace.findings();
        // One of many that are alike may be dropped for others that come before it.
        let lost: BTreeSet<&String> = known.difference(&now).filter(|id| expected.contains(*id)).collect();
        assert!(lost.is_empty(), "round {round}: {known:?} has become {now:?}");
        // What people can see is recorded.
        let folders = complete_folders(&workplace.path("smelt-campaign"));
        assert!(now.is_superset(&folders), "round {round}: {folders:?} are not all in {now:?}");
        known = now;
    }
    let output = workplace.run(&workplace.hunt(&[&budget[..], &["--resume"]].concat()));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let last = workplace.findings();
    assert_eq!(last, expected);
    assert_eq!(complete_folders(&workplace.path("smelt-campaign")), last);

    // Nothing was left out and nothing counted twice.
    assert_eq!((workplace.recorded(), calm.recorded()), (300, 300));
    let cases = |workplace: &Workplace| workplace.asked().into_iter().collect::<BTreeSet<_>>();
    assert_eq!(cases(&workplace), cases(&calm));
}

#[test]
fn cases_depend_neither_on_jobs_nor_on_resuming() {
    let cases = |hunts: &[&[&str]]| {
        let workplace = Workplace::new(&crasher());
        for more in hunts {
            let output = workplace.run(&workplace.hunt(&[&["--timeout", "5"], *more].concat()));
            assert_eq!(output.status.code(), Some(1), "{output:?}");
        }
        (workplace.asked().into_iter().collect::<BTreeSet<_>>(), workplace.recorded())
    };
    let one_worker = cases(&[&["--cases", "80", "--jobs", "1"]]);
    assert!(one_worker.0.len() > 20);
    assert_eq!(one_worker, cases(&[&["--cases", "80", "--jobs", "3"]]));
    // Stopped in the middle of a chain by the first finding, and then by the number of cases.
    let resumed = cases(&[
        &["--findings", "1", "--cases", "80", "--jobs", "1"],
        &["--resume", "--cases", "40", "--jobs", "2"],
        &["--resume", "--cases", "80"],
    ]);
    assert_eq!(one_worker, resumed);
}

#[test]
fn a_killed_hunt_leaves_no_solver_running() {
    let workplace = Workplace::new(&hanger());
    let mut hunt = workplace.start(&workplace.hunt(&["--timeout", "100000", "--jobs", "2"]));
    wait_until("solvers hang", || workplace.asked().len() >= 2);
    hunt.kill().unwrap();
    hunt.wait().unwrap();
    workplace.assert_nothing_runs();
}

#[test]
fn ctrl_c_ends_solvers_and_keeps_what_was_done() {
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let workplace = Workplace::new(&hanger());
        let hunt = workplace.start(&workplace.hunt(&["--timeout", "100000", "--jobs", "2"]));
        wait_until("solvers hang", || workplace.asked().len() >= 2);
        signal(&hunt, name);
        let output = hunt.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(text(&output.stdout).contains("no findings"), "{output:?}");
        assert!(text(&output.stderr).contains("--resume"), "{output:?}");
        workplace.assert_nothing_runs();
        // The hunt has ended the solvers itself; that is no crash of theirs.
        assert_eq!(workplace.recorded(), 0);
    }
}

#[test]
fn hints_name_the_folder_of_the_campaign() {
    let workplace = Workplace::new(&hanger());
    let dir = ["--dir", "kill/it now"];
    let hunt = workplace.start(&workplace.hunt(&[&["--timeout", "100000"], &dir[..]].concat()));
    wait_until("solvers hang", || !workplace.asked().is_empty());
    signal(&hunt, "-INT");
    let output = hunt.wait_with_output().unwrap();
    let message = text(&output.stderr);
    assert!(message.contains("`smelt hunt --resume --dir 'kill/it now'`"), "{message}");
    let nothing = workplace.run(&["replay", "crash-1", dir[0], dir[1]].map(str::to_owned));
    assert!(text(&nothing.stderr).contains("`smelt findings --dir 'kill/it now'`"), "{nothing:?}");
}

#[test]
fn a_campaign_whose_folder_is_removed_stops_at_once() {
    let workplace = Workplace::new(&crasher());
    let hunt = workplace.start(&workplace.hunt(&["--time", "1h", "--timeout", "5"]));
    let campaign = workplace.path("smelt-campaign");
    wait_until("a finding is complete", || {
        campaign.join("findings").is_dir() && !complete_folders(&campaign).is_empty()
    });
    std::fs::rename(&campaign, workplace.path("taken-away")).unwrap();
    let output = hunt.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(text(&output.stderr).contains("was removed or replaced"), "{output:?}");
    assert!(!campaign.exists(), "nothing is written where the campaign was");
    // What was recorded until then is there where the folder is now.
    assert!(!complete_folders(&workplace.path("taken-away")).is_empty());
}

#[test]
fn a_record_that_is_empty_or_damaged_beside_findings_names_the_way_out() {
    let workplace = Workplace::new(&crasher());
    let hunt = workplace.hunt(&["--cases", "40", "--timeout", "5"]);
    assert_eq!(workplace.run(&hunt).status.code(), Some(1));
    let known = workplace.findings();
    let record = workplace.path("smelt-campaign/campaign.db");
    for content in [&b""[..], &[b'x'; 4096]] {
        std::fs::write(&record, content).unwrap();
        for args in [&["findings".to_owned()][..], &hunt] {
            let output = workplace.run(args);
            assert_eq!(output.status.code(), Some(3), "{output:?}");
            let message = text(&output.stderr);
            let way_out = "mv smelt-campaign/campaign.db smelt-campaign/campaign.db.bad";
            assert!(message.contains(way_out), "{message}");
            let is_counted = message.contains(&format!("{} findings beside it", known.len()));
            assert_eq!(is_counted, content.is_empty(), "{message}");
        }
    }
    std::fs::rename(&record, workplace.path("smelt-campaign/campaign.db.bad")).unwrap();
    assert_eq!(workplace.findings(), known, "the folders tell all of them");
    workplace.run(&hunt);
    assert!(workplace.findings().is_superset(&known), "and the next hunt takes them in");
}

#[test]
fn a_second_hunt_in_the_same_folder_is_refused_at_once() {
    let workplace = Workplace::new(&hanger());
    let mut first = workplace.start(&workplace.hunt(&["--timeout", "100000"]));
    wait_until("solvers hang", || !workplace.asked().is_empty());
    for more in [&["--time", "1s"][..], &["--resume"]] {
        let second = workplace.run(&workplace.hunt(more));
        assert_eq!(second.status.code(), Some(3), "{second:?}");
        let message = text(&second.stderr);
        assert!(message.contains("in use by another smelt"), "{message}");
        assert!(message.contains(&first.id().to_string()), "{message}");
    }
    // Looking is allowed.
    let looking = workplace.run(&["findings".to_owned()]);
    assert_eq!(looking.status.code(), Some(0), "{looking:?}");
    first.kill().unwrap();
    first.wait().unwrap();
    workplace.assert_nothing_runs();
}

#[test]
fn a_record_that_another_program_keeps_locked_is_explained() {
    let workplace = Workplace::new(&crasher());
    let hunt = workplace.hunt(&["--cases", "10", "--timeout", "5"]);
    workplace.run(&hunt);
    let other = rusqlite::Connection::open(workplace.path("smelt-campaign/campaign.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let output = workplace.run(&workplace.hunt(&["--resume", "--cases", "20"]));
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(text(&output.stderr).contains("another program keeps it locked"), "{output:?}");
    other.execute_batch("ROLLBACK").unwrap();
    let output = workplace.run(&workplace.hunt(&["--resume", "--cases", "20"]));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn a_hunt_out_of_room_says_so_and_goes_on_when_there_is_some() {
    let workplace = Workplace::new(&crasher());
    let hunt = workplace.hunt(&["--cases", "200", "--timeout", "5", "--jobs", "2"]);
    // No file may grow beyond this; a write that would fails as on a full disk.
    for blocks in [32, 160, 320] {
        let limited = Command::new("/bin/sh")
            .args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""), "sh"])
            .arg(env!("CARGO_BIN_EXE_smelt"))
            .args(&hunt)
            .current_dir(workplace.folder.path())
            .env("SMELT_CACHE", workplace.path("cache"))
            .env("SMELT_SANDBOX", "off")
            .env("SMELT_STATE", workplace.path("state"))
            .output()
            .unwrap();
        assert_eq!(limited.status.code(), Some(3), "{blocks}: {limited:?}");
        let message = text(&limited.stderr);
        assert!(message.contains("cannot"), "{message}");
        workplace.assert_nothing_runs();
    }
    let known = workplace.findings();
    let output = workplace.run(&hunt);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(workplace.findings().is_superset(&known));
    assert_eq!(complete_folders(&workplace.path("smelt-campaign")), workplace.findings());
}
