//! Commits of a git repository made here, with a shell script as solver whose behaviour changes at planted commits.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smelt_campaign::repository::{Commit, Repository, RepositoryError};
use smelt_runner::limits::Limits;
use smelt_triage::bisect::commits::{CommitQuestion, CommitTrigger, Commits, Criterion, Workplace};
use smelt_triage::bisect::{
    BisectSettings, ChangeShape, Doubt, Localization, Located, bisection_steps, localize,
};

/// A bug, and the commits that have it.
type Planted = (&'static str, Vec<Range<usize>>);

/// Counts a build and makes the solver, unless the commit is broken.
const BUILD: &str =
    "echo built >> ../../../builds; test ! -f broken && cp solver.sh solver && chmod +x solver";

/// A folder with a repository and what is done with it.
struct Laboratory {
    folder: tempfile::TempDir,
    git: PathBuf,
    build: String,
    stop: Arc<AtomicBool>,
}

impl Laboratory {
    /// So many commits, `commit 0` being the first. The solver says `unknown` to files with the pattern of a bug that its
    /// commit has.
    fn new(count: usize, bugs: &[Planted], broken: &[usize]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stream: String =
            (0..count).map(|number| commit(number, bugs, broken.contains(&number))).collect();
        let path = std::env::var_os("PATH").unwrap();
        let git =
            std::env::split_paths(&path).map(|place| place.join("git")).find(|git| git.is_file()).unwrap();
        let laboratory = Laboratory { folder, git, build: BUILD.to_owned(), stop: Arc::default() };
        laboratory.git(&["init", "--quiet", "."]);
        let mut import = Command::new(&laboratory.git)
            .args(["fast-import", "--quiet"])
            .current_dir(laboratory.repository())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        import.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
        assert!(import.wait().unwrap().success());
        laboratory.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
        laboratory.git(&["reset", "--quiet", "--hard"]);
        laboratory
    }

    fn repository(&self) -> PathBuf {
        let folder = self.folder.path().join("repo");
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new(&self.git).args(args).current_dir(self.repository()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn history(&self, good: &str) -> Result<Vec<Commit>, RepositoryError> {
        Repository::open(&self.git, &self.repository())?.history(good, "main")
    }

    fn builds(&self) -> usize {
        fs::read_to_string(self.folder.path().join("builds")).map_or(0, |text| text.lines().count())
    }

    /// Localizes files with these patterns between the first commit and the last.
    fn localize(&self, patterns: &[&str]) -> Localization {
        let trigger = |(number, pattern): (usize, &&str)| {
            let path = self.folder.path().join(format!("trigger-{number}"));
            let content = format!("{pattern} number {number}\n").into_bytes();
            fs::write(&path, &content).unwrap();
            CommitTrigger { name: number.to_string(), file: Some((path, content)) }
        };
        let triggers: Vec<CommitTrigger> = patterns.iter().enumerate().map(trigger).collect();
        let repository = Repository::open(&self.git, &self.repository()).unwrap();
        let root = self.git(&["rev-list", "--max-parents=0", "main"]);
        let history = repository.history(root.trim(), "main").unwrap();
        let question = CommitQuestion {
            shell: PathBuf::from("/bin/sh"),
            build: self.build.clone(),
            command: vec!["./solver".to_owned()],
            criterion: Criterion::Output("unknown".to_owned()),
            build_time: Duration::from_secs(600),
            limits: Limits::default(),
        };
        let save = self.folder.path().join("save");
        let place = Workplace { folder: &save, stop: Arc::clone(&self.stop) };
        let mut listener = |_: smelt_triage::bisect::commits::CommitEvent<'_>| {};
        let mut commits =
            Commits::new(&repository, &history, &triggers, &question, place, &mut listener).unwrap();
        let found = localize(&mut commits, &BisectSettings::of_claims(history.len(), triggers.len()));
        assert!(commits.into_problem().is_none());
        found
    }
}

/// A commit for `git fast-import`.
fn commit(number: usize, bugs: &[Planted], is_broken: bool) -> String {
    let mut solver = "#!/bin/sh\ncase \"$(cat \"$1\")\" in\n".to_owned();
    for (pattern, _) in bugs.iter().filter(|(_, commits)| commits.iter().any(|range| range.contains(&number)))
    {
        writeln!(solver, "  *{pattern}*) echo unknown; exit 1 ;;").unwrap();
    }
    solver.push_str("esac\necho sat\n");
    let message = format!("commit {number}");
    let mut stream = format!("commit refs/heads/main\ncommitter A <a@example.org> {number} +0000\n");
    writeln!(stream, "data {}\n{message}", message.len()).unwrap();
    writeln!(stream, "M 644 inline solver.sh\ndata {}\n{solver}", solver.len()).unwrap();
    writeln!(stream, "M 644 inline number\ndata {}\n{message}", message.len()).unwrap();
    stream.push_str(if is_broken { "M 644 inline broken\ndata 1\nx\n" } else { "D broken\n" });
    stream
}

/// Commits in a row, where others have several rows.
fn one(row: Range<usize>) -> Vec<Range<usize>> {
    std::iter::once(row).collect()
}

/// The points of changes without doubt.
fn culprits(located: &Located) -> Vec<usize> {
    located.changes.iter().filter(|change| change.doubt.is_none()).map(|change| change.after).collect()
}

#[test]
fn thirty_triggers_of_five_commits_need_a_quarter_of_the_builds_and_leave_the_repository_alone() {
    let commits = [19, 77, 111, 180, 243];
    let patterns = ["alpha", "beta", "gamma", "delta", "epsilon"];
    let bugs: Vec<Planted> =
        patterns.iter().zip(commits).map(|(pattern, from)| (*pattern, one(from..257))).collect();
    let laboratory = Laboratory::new(257, &bugs, &[]);
    let repository = laboratory.repository();
    fs::write(repository.join("solver.sh"), "local change").unwrap();
    fs::write(repository.join("untracked"), "x").unwrap();
    let state = || (laboratory.git(&["status", "--porcelain"]), laboratory.git(&["for-each-ref"]));
    let before = state();
    let wanted: Vec<&str> = (0..30).map(|number| patterns[number % 5]).collect();
    let found = laboratory.localize(&wanted);
    for (number, located) in found.triggers.iter().enumerate() {
        assert_eq!(culprits(located), [commits[number % 5]]);
        assert_eq!((located.shape, located.more_may_exist()), (ChangeShape::Monotonic, false));
    }
    let one_bisection_each = 30 * bisection_steps(257) as usize;
    assert!(laboratory.builds() * 4 <= one_bisection_each, "{} builds", laboratory.builds());
    assert_eq!(laboratory.builds(), found.prepared);
    assert_eq!(state(), before);
    assert!(!repository.join(".git/worktrees").exists());
    // What was built is not built again.
    let again = laboratory.localize(&wanted);
    assert_eq!((again.triggers, laboratory.builds()), (found.triggers, found.prepared));
}

#[test]
fn histories_that_are_not_monotonic_and_commits_that_do_not_build_are_told() {
    let bugs = [("alpha", vec![10..30, 45..65]), ("beta", one(21..65))];
    let found = Laboratory::new(65, &bugs, &[20, 21, 22, 32]).localize(&["alpha", "beta", "neither"]);
    assert_eq!(culprits(&found.triggers[0]), [10, 30, 45]);
    assert_eq!(
        (found.triggers[0].shape, found.triggers[0].more_may_exist()),
        (ChangeShape::NonMonotonic, true)
    );
    let change = &found.triggers[1].changes[0];
    assert_eq!((change.before, change.after, change.doubt), (19, 23, Some(Doubt::Failures)));
    assert_eq!(found.triggers[2].shape, ChangeShape::Flat);
}

#[test]
fn a_build_that_fails_everywhere_says_why_in_its_log() {
    let mut laboratory = Laboratory::new(65, &[("alpha", one(10..65))], &[]);
    laboratory.build = "echo no compiler; false".to_owned();
    let found = laboratory.localize(&["alpha"]);
    assert_eq!((found.prepared, found.failed, found.is_finished), (0, 4, false));
    let log = fs::read_dir(laboratory.folder.path().join("save/logs")).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(log.path()).unwrap(), "no compiler\n");
}

#[test]
fn what_was_seen_before_an_end_is_not_done_again() {
    let mut laboratory = Laboratory::new(65, &[("alpha", one(41..65))], &[]);
    laboratory.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(!laboratory.localize(&["alpha"]).is_finished);
    laboratory.stop = Arc::default();
    assert_eq!(culprits(&laboratory.localize(&["alpha"]).triggers[0]), [41]);
    let count = laboratory.builds();
    // Checkouts that were thrown away are made again only for what was not seen yet.
    fs::remove_dir_all(laboratory.folder.path().join("save/checkouts")).unwrap();
    fs::create_dir(laboratory.folder.path().join("save/checkouts")).unwrap();
    assert_eq!(culprits(&laboratory.localize(&["alpha"]).triggers[0]), [41]);
    assert_eq!(laboratory.builds(), count);
    assert_eq!(culprits(&laboratory.localize(&["alpha", "alpha again"]).triggers[1]), [41]);
    assert!(laboratory.builds() > count);
}

#[test]
fn names_that_stand_for_nothing_are_told() {
    let laboratory = Laboratory::new(10, &[], &[]);
    let told = |good: &str| laboratory.history(good).unwrap_err().to_string();
    assert_eq!(told("nowhere"), "there is no commit `nowhere`");
    assert_eq!(told("main"), "`main` does not come after `main`");
    assert_eq!(laboratory.history("main~3").unwrap().len(), 4);
    assert_eq!(laboratory.history("main~3").unwrap()[0].title, "commit 6");
    let elsewhere = Repository::open(&laboratory.git, Path::new("/")).unwrap_err().to_string();
    assert!(elsewhere.contains("not a git repository"), "{elsewhere}");
}
