//! What tests of the program share: solvers that are shell scripts, running smelt in a folder, reading its record.
//!
//! [`smelt`] has a cache of its own and no solver installed, and suits commands that start solvers; [`smelt_at_root`] and
//! [`smelt_in`] suit those that read and print.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use smelt_runner::family::Family;
use smelt_runner::versions::Store as Releases;
use smelt_store::store::Store;

/// A formula that asks for a length.
pub const LENGTH_SEED: &str =
    "(declare-const s String)\n(assert (= (str.len s) 3))\n(assert (str.prefixof \"a\" s))\n(check-sat)\n";

/// A solver that is a shell script: right about the formulas by which smelt probes solvers, and with one answer to
/// everything else. What it does besides stands in `arms`, the first branches of a `case` over the lines it is sent.
pub fn solver_script(answer: &str, arms: &str) -> String {
    SOLVER.replace("ANSWER", answer).replace("ARMS", arms)
}

/// The arm of a solver without models: the empty model is wrong where a formula is false whatever its constants are.
pub const NO_MODEL: &str = r#"'(get-model)') echo '(error "there is no model")' ;; "#;

const SOLVER: &str = r#"#!/bin/sh
answer=ANSWER
while read -r line; do
    case "$line" in
        ARMS
        '(reset)') answer=ANSWER ;;
        *'(> x 2)'*) answer=sat ;;
        *'(< x 3)'*) answer=unsat ;;
        '(check-sat'*) echo $answer ;;
        '(get-model)') echo '()' ;;
        '(echo "'*) line=${line#'(echo "'}; echo "${line%'")'}" ;;
    esac
done
"#;

/// Writes a program that is a script, with the folder that it is in.
pub fn write_program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, script).unwrap();
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Installs a release of z3 that is a script into the cache of a folder.
pub fn install_z3(folder: &Path, version: &str, script: &str) {
    let solvers = folder.join("cache/solvers");
    write_program(&solvers.join("z3").join(version).join("bin/z3"), script);
    Releases::new(solvers).record(Family::Z3, version).unwrap();
}

/// smelt with these arguments in a folder, with a cache of its own and no solver installed, for a user who agrees to all
/// that files of the folder start.
pub fn command(folder: &Path, args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_smelt"));
    command
        .args(args)
        .current_dir(folder)
        .env("SMELT_CACHE", folder.join("cache"))
        // Solvers of tests write what they were asked to files.
        .env("SMELT_SANDBOX", "off")
        .env("SMELT_STATE", folder.join("state"))
        .env("SMELT_TRUST", "1")
        .env("PATH", "/usr/bin:/bin");
    command
}

/// Runs smelt in a folder.
pub fn smelt(folder: &Path, args: &[impl AsRef<OsStr>]) -> Output {
    command(folder, args).output().unwrap()
}

/// The findings of the campaign in a folder, as `smelt findings --json` lists them.
pub fn findings(folder: &Path) -> Vec<Value> {
    let output = smelt(folder, &["findings", "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A field of a finding that is a text; empty if it is not.
pub fn field(finding: &Value, name: &str) -> String {
    finding[name].as_str().unwrap_or_default().to_owned()
}

/// How many cases the campaign in a folder has recorded.
pub fn recorded_cases(folder: &Path) -> u64 {
    let store = Store::open_existing(&folder.join("smelt-campaign")).unwrap().unwrap();
    store.campaign().unwrap().unwrap().totals.cases
}

/// What a run of smelt gave.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs smelt in a folder with some arguments and standard input.
pub fn smelt_in(folder: &Path, args: &[&str], input: &[u8]) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A command that does not read its input closes it, which is no failure of the test.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Outcome {
        status: output.status.code().expect("smelt is not killed by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs smelt in the root of the repository, as a user with solvers and a cache would.
pub fn smelt_at_root(args: &[&str]) -> Outcome {
    smelt_in(&root(), args, b"")
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A new folder with these files, named after its test.
pub fn folder(test: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}
