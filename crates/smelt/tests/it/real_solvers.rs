//! With real solvers: their models are understood and hold, and `smelt run` reads their answers.
//!
//! Runs where `SMELT_TEST_Z3` names a z3 binary or `SMELT_TEST_CVC5_LIB` an unpacked cvc5 package; says so where neither
//! is set.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::root;

struct RealSolver {
    name: &'static str,
    program: PathBuf,
    args: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
}

fn real_solvers() -> Vec<RealSolver> {
    let mut solvers = Vec::new();
    if let Some(program) = std::env::var_os("SMELT_TEST_Z3") {
        let args = vec!["-in".into()];
        solvers.push(RealSolver { name: "z3", program: program.into(), args, environment: Vec::new() });
    }
    if let Some(library) = std::env::var_os("SMELT_TEST_CVC5_LIB") {
        let driver = root().join("crates/smelt-runner/src/cvc5_driver.py");
        solvers.push(RealSolver {
            name: "cvc5",
            program: "/usr/bin/env".into(),
            args: vec!["python3".into(), driver.into()],
            environment: vec![("PYTHONPATH", library)],
        });
    }
    if solvers.is_empty() {
        eprintln!("skipped: neither SMELT_TEST_Z3 nor SMELT_TEST_CVC5_LIB is set");
    }
    solvers
}

impl RealSolver {
    fn output(&self, script: &str) -> String {
        let mut child = Command::new(&self.program)
            .args(&self.args)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }
}

fn smelt(args: &[&str], solver: &RealSolver) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(args)
        .envs(solver.environment.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Formulas that both solvers take.
const FORMULAS: [&str; 3] = ["mixed", "strings", "bit-vectors"];

fn formula(name: &str) -> PathBuf {
    root().join("testdata/models").join(name).join("formula.smt2")
}

#[test]
fn models_of_real_solvers_hold() {
    for solver in real_solvers() {
        for name in FORMULAS {
            let path = formula(name);
            let script = std::fs::read_to_string(&path).unwrap() + "(get-model)\n";
            let folder = tempfile::tempdir().unwrap();
            let model = folder.path().join("formula.model");
            std::fs::write(&model, solver.output(&script)).unwrap();
            let said = smelt(&["eval", path.to_str().unwrap(), "--model", model.to_str().unwrap()], &solver);
            assert!(said.trim_end().ends_with(": true"), "{} on {name}: {said}", solver.name);
        }
    }
}

/// A solver as an option of smelt names it.
fn named(solver: &RealSolver) -> String {
    let program = solver.program.clone().into_os_string();
    let words: Vec<String> =
        [program].iter().chain(&solver.args).map(|word| format!("'{}'", word.to_string_lossy())).collect();
    format!("{}={}", solver.name, words.join(" "))
}

#[test]
fn real_solvers_prove_most_triples_and_refute_none() {
    for solver in real_solvers() {
        let said = smelt(&["triples", "--solver", &named(&solver), "--timeout", "2"], &solver);
        assert!(!said.contains(&format!("# {}: refuted", solver.name)), "{said}");
        let proved = said.matches(&format!("# {}: proved", solver.name)).count();
        assert!(2 * proved > said.matches("#begin").count(), "{said}");
    }
}

#[test]
fn answers_of_real_solvers_are_read() {
    for solver in real_solvers() {
        let command = named(&solver);
        for name in FORMULAS {
            let said = smelt(&["run", formula(name).to_str().unwrap(), "--solver", &command], &solver);
            assert!(said.contains(&format!("{} sat", solver.name)), "{} on {name}: {said}", solver.name);
        }
    }
}
