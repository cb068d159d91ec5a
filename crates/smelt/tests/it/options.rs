//! What solvers are run with: options are in the scripts and command lines that findings keep, and nowhere else.
//!
//! With a shell script as the solver under test; where `SMELT_TEST_CVC5_LIB` names an unpacked cvc5 package, with that.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{LENGTH_SEED, field, findings, smelt, solver_script};

const SAFE: &str = "(set-option :safe-mode safe)\n";

/// A folder with a seed and a solver that does this besides answering `sat`.
fn workplace(arms: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("solver.sh"), solver_script("sat", arms)).unwrap();
    std::fs::write(folder.path().join("seed.smt2"), LENGTH_SEED).unwrap();
    folder
}

/// Hunts with a solver that crashes where a length is asked for; the texts of the cases and reports that come of it.
fn crashes(solver: &str, more: &[&str]) -> (tempfile::TempDir, Vec<[String; 4]>) {
    let folder = workplace("*str.len*) kill -11 $$ ;;");
    let hunt = ["hunt", "seed.smt2", "--cases", "5", "--timeout", "5", "--no-triage", "--solver", solver];
    let output = smelt(folder.path(), &[&hunt[..], more].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let texts = |id: &str, mode: String| {
        let files = folder.path().join("smelt-campaign/findings").join(id);
        let read = |name: &str| std::fs::read_to_string(files.join(name)).unwrap();
        [mode, read("case.smt2"), read("report.md"), read("replay.sh")]
    };
    let found = findings(folder.path());
    assert!(!found.is_empty());
    for finding in &found {
        assert_eq!(smelt(folder.path(), &["replay", &field(finding, "id")]).status.code(), Some(1));
    }
    let texts =
        found.iter().map(|finding| texts(&field(finding, "id"), field(finding, "safe_mode"))).collect();
    (folder, texts)
}

#[test]
fn a_finding_in_cvc5_is_found_inside_safe_mode_and_says_so() {
    for [mode, case, report, _] in crashes("cvc5=/bin/sh solver.sh", &[]).1 {
        assert_eq!(mode, "inside");
        assert!(case.contains(SAFE), "{case}");
        assert!(report.contains("inside safe mode"), "{report}");
    }
}

#[test]
fn safe_mode_is_switched_off_by_an_option_that_stays_in_the_command_line() {
    for [mode, case, report, replay] in crashes("cvc5=/bin/sh solver.sh", &["--plain-options"]).1 {
        assert_eq!(mode, "outside");
        assert!(!case.contains("safe-mode"), "{case}");
        assert!(report.contains("outside safe mode"), "{report}");
        assert!(replay.contains("--safe-mode=unrestricted"), "{replay}");
    }
}

#[test]
fn a_solver_that_is_given_with_options_gets_no_others() {
    for [mode, case, _, replay] in crashes("cvc5=/bin/sh solver.sh --seed=1", &[]).1 {
        assert_eq!(mode, "outside");
        assert!(!case.contains("safe-mode"), "{case}");
        assert!(replay.contains("solver.sh --seed=1 <"), "{replay}");
    }
}

#[test]
fn a_solver_that_refuses_much_is_warned_of_with_its_most_common_message() {
    let folder = workplace("*:produce-models*) echo '(error \"models are not to be had before 2042\")' ;;");
    let hunt =
        ["hunt", "seed.smt2", "--cases", "40", "--timeout", "5", "--solver", "refuser=/bin/sh solver.sh"];
    let output = smelt(folder.path(), &hunt);
    let [results, messages] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let warning = "warning: refuser refuses or fails on ";
    // A short hunt may be over before it is warned of on the way.
    assert!(messages.matches(warning).count() <= 1, "{messages}");
    assert_eq!(results.matches(warning).count(), 1, "{results}");
    assert!(results.contains("is `models are not to be had before #`"), "{results}");
}

/// What cvc5 says of a text, if it is there.
fn cvc5(text: &str) -> Option<(String, Option<i32>)> {
    let Some(library) = std::env::var_os("SMELT_TEST_CVC5_LIB") else {
        eprintln!("skipped: SMELT_TEST_CVC5_LIB is not set");
        return None;
    };
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("../smelt-runner/src/cvc5_driver.py");
    let mut child = Command::new("/usr/bin/env")
        .arg("python3")
        .arg(driver)
        .env("PYTHONPATH", library)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Some((String::from_utf8(output.stdout).unwrap(), output.status.code()))
}

const HEAD: &str = "(set-option :incremental true)\n(set-logic ALL)\n(declare-const p Bool)\n(assert p)\n";

#[test]
fn cvc5_remembers_what_is_not_popped_between_two_scripts() {
    let text = format!(
        "{HEAD}(push 1)\n(declare-const x Int)\n(assert (> x 2))\n(check-sat)\n(echo \"smelt:1\")\n\
         (pop 1)\n(push 1)\n(declare-const x String)\n(assert (not p))\n(check-sat)\n(echo \"smelt:2\")\n\
         (pop 1)\n(push 1)\n(check-sat)\n(echo \"smelt:3\")\n"
    );
    let Some(said) = cvc5(&text) else { return };
    assert_eq!(said, ("sat\nsmelt:1\nunsat\nsmelt:2\nsat\nsmelt:3\n".to_owned(), Some(0)));
}

#[test]
fn cvc5_forgets_everything_at_a_reset() {
    let script =
        |rest: &str, number: u32| format!("(reset)\n{HEAD}{rest}(check-sat)\n(echo \"smelt:{number}\")\n");
    let Some(said) = cvc5(&(script("(assert (not p))\n", 1) + &script("", 2))) else { return };
    assert_eq!(said, ("unsat\nsmelt:1\nsat\nsmelt:2\n".to_owned(), Some(0)));
}

#[test]
fn cvc5_ends_at_an_error_between_push_and_pop_and_answers_nothing_after_it() {
    let text = format!(
        "{HEAD}(push 1)\n(assert (= p 1))\n(check-sat)\n(echo \"smelt:1\")\n(pop 1)\n(check-sat)\n(echo \"smelt:2\")\n"
    );
    let Some((said, status)) = cvc5(&text) else { return };
    assert!(said.starts_with("(error ") && !said.contains("smelt:") && !said.contains("sat\n"), "{said}");
    assert_eq!(status, Some(1));
}

#[test]
fn an_error_of_cvc5_does_not_look_like_a_crash() {
    let Some((said, status)) =
        cvc5("(set-logic ALL)\n(declare-const p Bool)\n(assert (= p 1))\n(check-sat)\n")
    else {
        return;
    };
    assert!(said.starts_with("(error "), "{said}");
    assert_eq!(status, Some(0));
}
