//! Judges that ask for more runs, from end to end, with shell scripts as the solvers under test.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A solver that answers `ANSWER` to everything, `ASSUMING` under assumptions, and calls nothing at all a core.
const LIAR: &str = r#"
answer=ANSWER
while read -r line; do
    case "$line" in
        *'(> x 2)'*) answer=sat ;;
        *'(< x 3)'*) answer=unsat ;;
        '(reset)') answer=ANSWER ;;
        '(check-sat)') echo $answer ;;
        '(check-sat-assuming'*) echo ASSUMING ;;
        '(get-model)') echo '()' ;;
        '(get-unsat-core)') echo '()' ;;
        '(echo "'*) line=${line#'(echo "'}; echo "${line%'")'}" ;;
    esac
done
"#;

const SEED: &str = "(declare-const s String)\n(declare-const t String)\n(assert (= (str.len s) 3))\n\
    (assert (str.prefixof t s))\n(assert (str.contains s t))\n(check-sat)\n";

/// Hunts with liars, given as name, answer and answer under assumptions; classes and culprits of what was found.
fn hunt(folder: &Path, liars: &[(&str, &str, &str)]) -> Vec<(String, String)> {
    std::fs::write(folder.join("seed.smt2"), SEED).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_smelt"));
    command.args(["hunt", "seed.smt2", "--cases", "150", "--timeout", "20", "--jobs", "1"]);
    for (name, answer, assuming) in liars {
        let script = LIAR.replace("ANSWER", answer).replace("ASSUMING", assuming);
        std::fs::write(folder.join(format!("{name}.sh")), script).unwrap();
        command.args(["--solver", &format!("{name}=/bin/sh {name}.sh")]);
    }
    command.current_dir(folder).env("SMELT_CACHE", folder.join("cache")).env("PATH", "/usr/bin:/bin");
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let listed = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["findings", "--json"])
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let word = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| (word(&line, "class"), word(&line, "culprit")))
        .collect()
}

fn found(findings: &[(String, String)], class: &str, culprit: &str) -> bool {
    findings.iter().any(|(found_class, found_culprit)| found_class == class && found_culprit == culprit)
}

#[test]
fn an_empty_core_is_refuted_by_any_model() {
    let folder = tempfile::tempdir().unwrap();
    let findings = hunt(folder.path(), &[("refuter", "unsat", "unsat"), ("finder", "sat", "sat")]);
    assert!(found(&findings, "invalid-core", "refuter"), "{findings:?}");
    assert!(!found(&findings, "invalid-core", "finder"), "{findings:?}");
    assert!(!found(&findings, "inconsistency", "refuter"), "{findings:?}");
}

#[test]
fn another_answer_under_assumptions_is_an_inconsistency() {
    let folder = tempfile::tempdir().unwrap();
    let findings = hunt(folder.path(), &[("fickle", "unsat", "sat")]);
    assert!(found(&findings, "inconsistency", "fickle"), "{findings:?}");
    let reports = std::fs::read_dir(folder.path().join("smelt-campaign/findings")).unwrap();
    let report = reports
        .flatten()
        .map(|entry| entry.path().join("report.md"))
        .find(|path| path.to_string_lossy().contains("inconsistency"))
        .unwrap();
    let text = std::fs::read_to_string(report).unwrap();
    assert!(text.contains("check-sat-assuming") && text.contains("`unsat`, then `sat`"), "{text}");
}

#[test]
fn solvers_that_agree_with_themselves_are_not_blamed() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(hunt(folder.path(), &[("constant", "unknown", "unknown")]), []);
}
