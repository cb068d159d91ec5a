//! `smelt bisect` from end to end: a git repository made here, with a shell script as solver whose behaviour changes at
//! planted commits, and releases that are shell scripts.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::slice;

use serde_json::Value;

use crate::support::{LENGTH_SEED, command, field, findings, install_z3, smelt, solver_script};

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
fn bisect(folder: &Path, count: usize, files: &[String], build: &str) -> Output {
    let good = format!("main~{}", count - 1);
    let mut args = vec!["bisect", "--repo", "repo", "--good", &good, "--bad", "main", "--json"];
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
    let output = bisect(folder.path(), 65, &files, &interrupting);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let partial = &lines(&output)[0];
    assert_eq!(partial["changes"][0]["doubt"], "unfinished");
    assert!(String::from_utf8_lossy(&output.stderr).contains("continues"));
    let output = bisect(folder.path(), 65, &files, &interrupting);
    assert_eq!(culprits(&lines(&output)[0]), [("commit 41".to_owned(), true)]);
    // What was built is built no more.
    let count = builds(folder.path());
    let output = bisect(folder.path(), 65, &files, &interrupting);
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
    check(bisect(folder.path(), 10, &files, "echo no compiler; false"), 2, "the build fails at every commit");
    let log = fs::read_dir(folder.path().join("smelt-localize/logs")).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(log.path()).unwrap(), "no compiler\n");
    // A criterion that holds nowhere.
    check(bisect(folder.path(), 10, &files[1..], BUILD), 4, "\"history\":\"unchanged\"");
    let run = |arguments: &[&str]| {
        smelt_with_git(folder.path(), &[&["bisect", "--build", "true"][..], arguments].concat())
    };
    let solver = ["--", "./solver"];
    check(run(&[&["--repo", "repo", "--good", "nowhere"][..], &solver].concat()), 2, "no commit `nowhere`");
    let backwards = ["--repo", "repo", "--good", "main", "--bad", "main~3"];
    check(run(&[&backwards[..], &solver].concat()), 2, "does not come after");
    check(run(&[&["--repo", ".", "--good", "main"][..], &solver].concat()), 2, "cannot use `.`");
    check(run(&["--repo", "repo", "--good", "main"]), 2, "required");
    check(smelt(folder.path(), &["bisect"]), 2, "nothing to bisect");
}

#[test]
fn an_exit_status_is_a_criterion_and_a_status_that_comes_and_goes_is_none() {
    let folder = repository(10, &[planted("alpha", slice::from_ref(&(5..10)))], &[]);
    let files = write_triggers(folder.path(), &["alpha"]);
    let arguments =
        ["bisect", &files[0], "--repo", "repo", "--good", "main~9", "--build", BUILD, "--repeats", "4"];
    let output = smelt_with_git(folder.path(), &[&arguments[..], &["--", "./solver"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(": introduced in ") && text.contains(" commit 5\n"), "{text}");
    let toggle = "if test -f on; then rm on; exit 1; else touch on; fi";
    let output = smelt_with_git(folder.path(), &[&arguments[..], &["--", "/bin/sh", "-c", toggle]].concat());
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}

#[test]
fn what_was_not_looked_at_is_not_called_good() {
    let folder = repository(24, &[planted("alpha", slice::from_ref(&(17..20)))], &[3]);
    let files = write_triggers(folder.path(), &["alpha"]);
    let arguments = ["bisect", &files[0], "--repo", "repo", "--good", "main~23", "--build", BUILD];
    let run = |more: &[&str]| {
        let output = smelt_with_git(folder.path(), &[&arguments[..], more, &["--", "./solver"]].concat());
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, text) = run(&["--probes", "0"]);
    assert_eq!(status, Some(4), "{text}");
    assert!(text.contains(": good at the 2 commits looked at (of 24)\n"), "{text}");
    assert!(text.contains("--all looks at every commit"), "{text}");
    let (status, text) = run(&["--all"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("commit 17\n") && text.contains("commit 20\n"), "{text}");
    assert!(text.contains("introduced in ") && text.contains(", fixed in "), "{text}");
    assert!(text.contains("not tested: ") && text.contains("(does not build)"), "{text}");
}

#[test]
fn a_command_that_runs_out_of_time_does_not_say_that_a_commit_is_good() {
    let folder = repository(6, &[], &[]);
    let files = write_triggers(folder.path(), &["alpha"]);
    let arguments = ["bisect", &files[0], "--repo", "repo", "--good", "main~5", "--build", BUILD, "--json"];
    // Bad in the first three commits; then it does not end any more.
    let command = "case $(cat number) in *[012]) echo wrong ;; *) while :; do :; done ;; esac";
    let criterion = ["--match-out", "wrong", "--timeout", "0.3", "--", "/bin/sh", "-c", command];
    let output = smelt_with_git(folder.path(), &[&arguments[..], &criterion].concat());
    let line = &lines(&output)[0];
    assert_eq!((field(line, "history"), field(line, "first_bad")), ("unchanged".to_owned(), id_of(line, 0)));
    assert!(line["fixed"].is_null() && line["fixed_in"].is_null(), "{line}");
    assert!(!line["undecided"].as_array().unwrap().is_empty(), "{line}");
}

/// The name of a point that was seen.
fn id_of(line: &Value, position: usize) -> String {
    line["seen"][position][0].as_str().unwrap().to_owned()
}

/// Makes the package index list these versions, the newest first. It is asked by a Python of our own.
fn write_index(folder: &Path, versions: &str) {
    let script = format!("#!/bin/sh\necho 'Available versions: {versions}'\n");
    fs::create_dir_all(folder.join("bin")).unwrap();
    let program = folder.join("bin/python3");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

/// smelt with the package index that is written in its folder.
fn smelt_with_index(folder: &Path, args: &[&str]) -> Output {
    let path = format!("{}:/usr/bin:/bin", folder.join("bin").display());
    command(folder, args).env("PATH", path).output().unwrap()
}

/// The names of releases in a list of those that were not tested or are undecided, each with its reason.
fn gaps(line: &Value, list: &str) -> Vec<(String, String)> {
    line[list].as_array().unwrap().iter().map(|gap| (field(gap, "name"), field(gap, "reason"))).collect()
}

#[test]
fn releases_of_the_range_that_are_not_installed_are_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    write_index(folder.path(), "4.9, 4.4, 4.3.post2, 4.3, 4.2, 4.1, 4.0, 3.9");
    for (version, answer) in [("4.0", "sat"), ("4.2", "unknown"), ("4.3.post2", "sat")] {
        install_z3(folder.path(), version, &solver_script("sat", &format!("*str.len*) answer={answer} ;;")));
    }
    let arguments = ["bisect", "seed.smt2", "-s", "z3@4.0..4.4", "--answer", "unknown"];
    let output = smelt_with_index(folder.path(), &[&arguments[..], &["--json"]].concat());
    let line = &lines(&output)[0];
    let missing: Vec<String> = gaps(line, "not_tested").into_iter().map(|(name, _)| name).collect();
    // 4.3 is another release than the one that was made after it.
    assert_eq!(missing, ["z3@4.1", "z3@4.3", "z3@4.4"]);
    // 4.1 may have it already.
    assert!(line["introduced_in"].is_null(), "{line}");
    assert_eq!((field(line, "first_bad"), field(line, "last_good")), ("z3@4.2".into(), "z3@4.0".into()));
    assert!(line["fixed_in"].is_null(), "{line}");
    assert_eq!(field(line, "fixed"), "z3@4.3.post2");
    let text = String::from_utf8(smelt_with_index(folder.path(), &arguments).stdout).unwrap();
    assert!(
        text.contains(
            "not tested: 3 releases are not installed: z3@4.1, z3@4.3, z3@4.4; --install fetches them"
        ),
        "{text}"
    );
    assert!(
        text.contains("introduced after z3@4.0, in z3@4.2 or before, fixed in z3@4.3.post2 or before\n"),
        "{text}"
    );
    for word in ["monotonic", "everywhere", "->", "above the noise"] {
        assert!(!text.contains(word), "{text}");
    }
}

#[test]
fn a_release_that_runs_out_of_time_or_rejects_the_formula_has_not_fixed_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    write_index(folder.path(), "4.3, 4.2, 4.1, 4.0");
    let rejecting = "*'\"a\" s'*) echo '(error \"unknown constant str.prefixof\")' ;;";
    let endless = "*'\"a\" s'*) while :; do :; done ;;";
    for (version, arms) in
        [("4.0", rejecting), ("4.1", "*str.len*) kill -11 $$ ;;"), ("4.2", endless), ("4.3", rejecting)]
    {
        install_z3(folder.path(), version, &solver_script("sat", arms));
    }
    let hunt = ["hunt", "seed.smt2", "--technique", "unchanged", "--cases", "1", "--solver", "z3@4.1"];
    assert_eq!(smelt(folder.path(), &hunt).status.code(), Some(1));
    let id = field(&findings(folder.path())[0], "id");
    let output = smelt_with_index(folder.path(), &["bisect", &id, "--timeout", "0.5", "--json"]);
    let line = &lines(&output)[0];
    assert!(line["fixed"].is_null() && line["last_good"].is_null(), "{line}");
    assert_eq!(field(line, "first_bad"), "z3@4.1");
    // On a busy machine it is the clock that ends it.
    let undecided: Vec<String> = gaps(line, "undecided").into_iter().map(|(name, _)| name).collect();
    assert_eq!(undecided, ["z3@4.2"]);
    let rejected = gaps(line, "not_tested");
    assert_eq!(rejected.len(), 2, "{line}");
    assert!(rejected[0].1.contains("rejects the formula"), "{line}");
    let report = folder.path().join("smelt-campaign/findings").join(&id).join("report.md");
    assert!(!fs::read_to_string(report).unwrap().contains("Not shown any more"));
}

#[test]
fn a_dry_run_does_not_offer_to_install_what_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    write_index(folder.path(), "4.2, 4.1, 4.0");
    install_z3(folder.path(), "4.1", &solver_script("sat", ""));
    let output = smelt_with_index(folder.path(), &["solvers", "install", "--dry-run", "z3@4.0..4.2"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "would install z3@4.0\nz3@4.1 is installed\nwould install z3@4.2\n");
}

#[test]
fn without_a_network_the_latest_release_is_the_newest_that_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    write_index(folder.path(), "");
    let program = folder.path().join("bin/python3");
    fs::write(&program, "#!/bin/sh\necho 'ERROR: No matching distribution found for cvc5' >&2\nexit 1\n")
        .unwrap();
    let output = smelt_with_index(folder.path(), &["run", "seed.smt2", "-s", "cvc5@latest"]);
    assert!(!output.status.success());
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("is there a network?"), "{messages}");
    install_z3(folder.path(), "4.1", &solver_script("sat", ""));
    let output = smelt_with_index(folder.path(), &["run", "seed.smt2", "-s", "z3@latest"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("using z3@4.1, the newest that is installed"), "{messages}");
}

#[test]
fn releases_are_asked_for_their_answers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    for (number, answer) in ["sat", "sat", "unknown", "unknown", "sat"].into_iter().enumerate() {
        install_z3(
            folder.path(),
            &format!("4.{number}.0"),
            &solver_script("sat", &format!("*str.len*) answer={answer} ;;")),
        );
    }
    write_index(folder.path(), "4.4.0, 4.3.0, 4.2.0, 4.1.0, 4.0.0");
    let output = smelt_with_index(folder.path(), &["bisect", "seed.smt2", "--solver", "z3", "--json"]);
    let line = &lines(&output)[0];
    let changes: Vec<[String; 4]> = line["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| ["before", "after", "from", "to"].map(|name| field(change, name)))
        .collect();
    assert_eq!(changes[0], ["z3@4.1.0", "z3@4.2.0", "sat", "unknown"]);
    assert_eq!(changes[1], ["z3@4.3.0", "z3@4.4.0", "unknown", "sat"]);
    let arguments = ["bisect", "seed.smt2", "--solver", "z3@4.0..4.3", "--answer", "unknown", "--json"];
    let line = &lines(&smelt_with_index(folder.path(), &arguments))[0];
    assert_eq!(
        (field(line, "first_bad"), field(line, "last_good")),
        ("z3@4.2.0".to_owned(), "z3@4.1.0".to_owned())
    );
    let no_answer =
        smelt_with_index(folder.path(), &["bisect", "seed.smt2", "--solver", "z3", "--answer", "maybe"]);
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
        install_z3(folder.path(), version, script);
    }
    let hunt = ["hunt", "seed.smt2", "--technique", "unchanged", "--cases", "1", "--solver", "z3@4.3"];
    assert_eq!(smelt(folder.path(), &hunt).status.code(), Some(1));
    let id = field(&findings(folder.path())[0], "id");
    write_index(folder.path(), "4.4, 4.3, 4.2, 4.1, 4.0");
    let output = smelt_with_index(folder.path(), &["bisect", &id]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(": introduced in z3@4.2, fixed in z3@4.4\n"), "{text}");
    assert_eq!(field(&findings(folder.path())[0], "first_bad"), "z3@4.2");
    let report = folder.path().join("smelt-campaign/findings").join(&id).join("report.md");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("First bad release tested: z3@4.2; z3@4.1 does not show it."), "{report}");
    assert!(
        report.contains("Fixed in z3@4.4; z3@4.3 is the last tested release that reproduces it."),
        "{report}"
    );
    assert!(report.contains("Severity: high (crash)."), "{report}");
}

#[test]
fn a_solver_of_smelt_toml_is_built_from_a_commit_once() {
    let folder = repository(2, &[planted("check", slice::from_ref(&(1..2)))], &[]);
    let profile = |revision: &str| {
        let build = "echo built >> ../count; cp solver.sh solver && chmod +x solver";
        format!(
            "[solvers.nightly]\ngit = 'repo'\nrevision = '{revision}'\nbuild = '{build}'\ncommand = 'solver /dev/stdin'\n"
        )
    };
    fs::write(folder.path().join("a.smt2"), "(assert true)(check-sat)").unwrap();
    for (revision, answer) in [("main", "unknown"), ("main", "unknown"), ("main~1", "sat")] {
        fs::write(folder.path().join("smelt.toml"), profile(revision)).unwrap();
        let output = smelt_with_git(folder.path(), &["run", "a.smt2", "--solver", "nightly"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(answer), "{revision}: {output:?}");
    }
    let builds = fs::read_dir(folder.path().join("cache/builds")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::read_to_string(builds.join("count")).unwrap(), "built\nbuilt\n");
    assert_eq!(git(&folder.path().join("repo"), &["status", "--porcelain"]), "");
    fs::write(folder.path().join("smelt.toml"), profile("main").replace("build =", "options = [] #"))
        .unwrap();
    let output = smelt_with_git(folder.path(), &["run", "a.smt2", "--solver", "nightly"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("`git`, `build` and `command` together"), "{message}");
}
