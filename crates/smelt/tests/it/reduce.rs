//! `smelt reduce` from end to end, with shell scripts as commands and solvers.

use crate::support::{LENGTH_SEED, NO_MODEL, field, findings, smelt, solver_script};

const BIG: &str = "(set-logic ALL)\n(declare-const x Int)\n(declare-const y Int)\n(assert (> x 3))\n\
    (assert (= (mod (+ x 7) 3) y))\n(check-sat)\n(get-model)\n";

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_file_is_reduced_as_long_as_a_command_behaves_the_same() {
    let folder = folder_with(&[("big.smt2", BIG)]);
    let args = ["reduce", "big.smt2", "-o", "small.smt2", "--", "/usr/bin/env", "grep", "-q", "(mod"];
    let output = smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let small = std::fs::read_to_string(folder.path().join("small.smt2")).unwrap();
    assert_eq!(small, "(assert (= (mod 0 0) 0))\n");
}

#[test]
fn the_command_gets_the_file_where_it_names_the_case() {
    let folder = folder_with(&[("big.smt2", BIG)]);
    let script = "grep -q check-sat \"$1\" && echo seen";
    let args = ["reduce", "big.smt2", "--match-out", "seen", "--", "/bin/sh", "-c", script, "sh", "big.smt2"];
    let output = smelt(folder.path(), &args);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "(check-sat)\n");
}

#[test]
fn a_criterion_that_is_false_at_the_start_is_told() {
    let folder = folder_with(&[("big.smt2", BIG)]);
    let never = ["reduce", "big.smt2", "--match-out", "boo", "--", "/usr/bin/env", "echo"];
    let output = smelt(folder.path(), &never);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("does not trigger the bug"));
    let missing = smelt(folder.path(), &["reduce", "big.smt2", "--", "/no/such/program"]);
    assert_eq!(missing.status.code(), Some(2), "{missing:?}");
    let no_command = smelt(folder.path(), &["reduce", "big.smt2"]);
    assert_eq!(no_command.status.code(), Some(2), "{no_command:?}");
}

#[test]
fn a_finding_is_reduced_to_what_still_shows_it() {
    let crasher = solver_script("sat", &format!("{NO_MODEL}*str.len*) kill -11 $$ ;;"));
    let folder = folder_with(&[("crasher.sh", &crasher), ("seed.smt2", LENGTH_SEED)]);
    let hunt =
        ["hunt", "seed.smt2", "--cases", "20", "--timeout", "5", "--solver", "crasher=/bin/sh crasher.sh"];
    assert_eq!(smelt(folder.path(), &hunt).status.code(), Some(1));
    let id = field(&findings(folder.path())[0], "id");
    let output = smelt(folder.path(), &["reduce", &id]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let reduced = folder.path().join("smelt-campaign/findings").join(&id).join("reduced.smt2");
    let text = std::fs::read_to_string(reduced).unwrap();
    assert!(text.contains("str.len") && text.lines().count() <= 3, "{text}");
}

const UNSAT_SEED: &str = "; expect: unsat\n(declare-const s String)\n(assert (= (str.len s) 3))\n\
    (assert (= s \"ab\"))\n(check-sat)\n";

/// The reduced formula of a wrong `sat`, known to be wrong by the seed, if these say something else; and what was printed.
fn reduced_wrong_sat(others: &[&str]) -> (Option<String>, String) {
    let liar = solver_script("sat", "'(get-model)') echo '((define-fun s () String \"ab\"))' ;;");
    let honest = solver_script("unsat", "");
    let folder = folder_with(&[("liar.sh", &liar), ("honest.sh", &honest), ("seed.smt2", UNSAT_SEED)]);
    let hunt = ["hunt", "seed.smt2", "--technique", "unchanged", "--cases", "1", "--timeout", "5"];
    let solvers = ["--solver", "liar=/bin/sh liar.sh"];
    let output = smelt(folder.path(), &[&hunt[..], &solvers, others].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found = findings(folder.path());
    let wrong = found.iter().find(|finding| field(finding, "class") == "soundness-solution");
    let id = field(wrong.unwrap_or_else(|| panic!("{found:?}")), "id");
    let output = smelt(folder.path(), &["reduce", &id]);
    let reduced = folder.path().join("smelt-campaign/findings").join(&id).join("reduced.smt2");
    (std::fs::read_to_string(reduced).ok(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_sat_known_to_be_wrong_is_reduced_as_long_as_two_others_contradict_it() {
    // The second one is smelt's own solver, which need not be in the hunt.
    let (reduced, said) = reduced_wrong_sat(&["--solver", "honest=/bin/sh honest.sh"]);
    let reduced = reduced.expect(&said);
    assert!(reduced.matches("(assert").count() <= 1, "{reduced}");
}

#[test]
fn a_sat_that_nobody_else_contradicts_is_not_reduced() {
    let (reduced, said) = reduced_wrong_sat(&[]);
    assert_eq!(reduced, None);
    assert!(said.contains("how the formula was made"), "{said}");
}

/// A command that counts its runs in a file and then does something that depends on the number.
fn counting(then: &str) -> String {
    format!("printf . >> runs\nn=$(wc -c < runs)\n{then}\n")
}

#[test]
fn a_criterion_that_holds_now_and_then_is_told() {
    let folder = folder_with(&[("big.smt2", BIG), ("odd.sh", &counting("[ $((n % 2)) = 1 ]"))]);
    let output = smelt(folder.path(), &["reduce", "big.smt2", "-o", "small.smt2", "--", "/bin/sh", "odd.sh"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("only in some runs"));
    assert!(!folder.path().join("small.smt2").exists());
}

#[test]
fn ctrl_c_leaves_the_best_so_far_and_resume_goes_on_with_it() {
    let stopping =
        counting("grep -q '(mod' \"$1\" || exit 1\n[ $n -lt 6 ] || [ -e go-on ] || kill -INT $PPID");
    let folder = folder_with(&[("big.smt2", BIG), ("stop.sh", &stopping)]);
    let args = ["reduce", "big.smt2", "-o", "small.smt2", "--resume", "--", "/bin/sh", "stop.sh"];
    let output = smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("stopped early"));
    let half = std::fs::read_to_string(folder.path().join("small.smt2")).unwrap();
    assert!(half.len() < BIG.len() && half.contains("(mod"), "{half}");
    std::fs::write(folder.path().join("go-on"), "").unwrap();
    let output = smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let small = std::fs::read_to_string(folder.path().join("small.smt2")).unwrap();
    assert_eq!(small, "(assert (= (mod 0 0) 0))\n");
}

#[test]
fn several_runs_at_once_come_to_the_same() {
    let folder = folder_with(&[("big.smt2", BIG)]);
    let args = ["reduce", "big.smt2", "--jobs", "3", "--", "/usr/bin/env", "grep", "-q", "(mod"];
    let output = smelt(folder.path(), &args);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "(assert (= (mod 0 0) 0))\n");
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let folder = folder_with(&[]);
    let output = smelt(folder.path(), &["reduce", "nofile.smt2"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("there is no file `nofile.smt2`"));
}

#[test]
fn a_hunt_reduces_its_findings_and_does_so_once() {
    let crasher = solver_script("sat", &format!("{NO_MODEL}*str.len*) kill -11 $$ ;;"));
    let folder = folder_with(&[("crasher.sh", &crasher), ("seed.smt2", LENGTH_SEED)]);
    let hunt = |more: &[&str]| {
        let args = ["hunt", "seed.smt2", "--timeout", "5", "--solver", "crasher=/bin/sh crasher.sh"];
        let output = smelt(folder.path(), &[&args[..], more].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(!hunt(&["--cases", "20"]).contains("reducing"));
    let said = hunt(&["--cases", "20", "--triage", "10m"]);
    assert!(said.contains("reducing"), "{said}");
    for finding in findings(folder.path()) {
        let place = folder.path().join("smelt-campaign/findings").join(field(&finding, "id"));
        let read = |name: &str| std::fs::read_to_string(place.join(name)).unwrap();
        assert!(read("triage.json").contains("\"is_finished\": true"), "{}", read("triage.json"));
        assert!(read("reduced.smt2").contains("str.len"));
        assert!(read("report.md").contains(read("reduced.smt2").trim_end()), "{}", read("report.md"));
    }
    assert!(!hunt(&["--cases", "20", "--triage", "10m"]).contains("reducing"));
}
