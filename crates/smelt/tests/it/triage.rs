//! `smelt triage` and the reports of findings from end to end, with shell scripts as the solvers that misbehave.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{
    LENGTH_SEED, command, field, findings, install_z3, smelt, solver_script, write_program,
};

/// Three assertions, of which the middle one asks for a prefix.
const SEED: &str = "(set-logic QF_SLIA)\n(declare-const s String)\n(declare-const t String)\n\
    (assert (= (str.len t) 2))\n(assert (str.prefixof \"a\" s))\n(assert (= (str.len s) 3))\n(check-sat)\n";

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Triages `seed.smt2` with a solver that is the script `bad.sh`, compared with smelt.
fn triage(folder: &Path, more: &[&str]) -> Output {
    let args = ["triage", "seed.smt2", "--timeout", "20", "--solver", "bad=/bin/sh bad.sh", "-r", "smelt"];
    smelt(folder, &[&args[..], more].concat())
}

/// A file of the report.
fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("seed.smt2.triage").join(name)).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The formula of a report: its first block of code.
fn formula_of(report: &str) -> &str {
    report.split("```smt2\n").nth(1).unwrap().split("```").next().unwrap()
}

/// The values in the table of evaluated assertions.
fn values_of(shown: &Value) -> Vec<String> {
    shown["evaluated"].as_array().unwrap().iter().map(|line| field(line, "value")).collect()
}

#[test]
fn a_wrong_unsat_is_reported_with_a_model_of_the_formula_shown() {
    let bad = solver_script("sat", "*str.prefixof*) answer=unsat ;;");
    let folder = folder_with(&[("seed.smt2", SEED), ("bad.sh", &bad)]);
    let output = triage(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (report, reduced) = (read(folder.path(), "report.md"), read(folder.path(), "reduced.smt2"));
    assert!(report.starts_with("# Refutation soundness bug in QF_S: str.prefixof\n"), "{report}");
    assert_eq!(formula_of(&report), reduced);
    // The case has three assertions, the formula shown has one, and the evidence is about that one.
    assert_eq!(reduced.matches("(assert").count(), 1, "{reduced}");
    let shown = json(&read(folder.path(), "shown.json"));
    assert_eq!(values_of(&shown), ["true"]);
    assert!(report.contains("| 1 | `(str.prefixof"), "{report}");
    assert!(!report.contains("| 2 |"), "{report}");
    // What every solver does with this very formula, and what the culprit says of the model that refutes it.
    assert!(report.contains("$ sh bad.sh < reduced.smt2\nunsat\n[exit status 0]"), "{report}");
    assert!(report.contains("## The solver against itself"), "{report}");
    assert!(report.contains("<details>"), "{report}");
}

#[test]
fn a_wrong_model_is_reported_with_the_assertion_of_the_formula_shown() {
    let bad = solver_script("sat", "'(get-model)') echo '((define-fun s () String \"a\"))' ;;");
    let folder = folder_with(&[("seed.smt2", SEED), ("bad.sh", &bad)]);
    let output = triage(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // Of the case it is another assertion.
    let found = json(&read(folder.path(), "finding.json"));
    assert_eq!(found["evidence"]["false-assertions"]["assertions"], json("[3]"));
    let (report, reduced) = (read(folder.path(), "report.md"), read(folder.path(), "reduced.smt2"));
    assert_eq!(reduced.matches("(assert").count(), 1, "{reduced}");
    assert!(reduced.contains(":produce-models") && reduced.contains("(get-model)"), "{reduced}");
    assert!(report.contains("makes assertion 1 false"), "{report}");
    assert_eq!(values_of(&json(&read(folder.path(), "shown.json"))), ["false"]);
}

const UNSAT_SEED: &str = "(declare-const s String)\n(assert (= (str.len s) 3))\n(assert (= s \"ab\"))\n\
    (assert (str.contains s \"a\"))\n(check-sat)\n";

#[test]
fn a_wrong_core_is_printed_by_the_formula_shown() {
    let bad = solver_script("unsat", "'(get-unsat-core)') echo '(smelt-core-0)' ;;");
    let folder = folder_with(&[("seed.smt2", UNSAT_SEED), ("bad.sh", &bad)]);
    let output = triage(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (report, reduced) = (read(folder.path(), "report.md"), read(folder.path(), "reduced.smt2"));
    for part in [":produce-unsat-cores", ":named", "(get-unsat-core)"] {
        assert!(reduced.contains(part) && formula_of(&report).contains(part), "{part}: {reduced}");
    }
    assert!(report.contains("The core is assertion 1 alone."), "{report}");
    assert!(report.contains("unsat\n(smelt-core-0)\n"), "{report}");
}

#[test]
fn an_empty_core_has_a_sentence_of_its_own() {
    let bad = solver_script("unsat", "'(get-unsat-core)') echo '()' ;;");
    let folder = folder_with(&[("seed.smt2", UNSAT_SEED), ("bad.sh", &bad)]);
    let output = triage(folder.path(), &["--no-reduce"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report = read(folder.path(), "report.md");
    assert!(report.contains("The core is empty"), "{report}");
    assert!(report.contains("The formula is as it was found, not reduced."), "{report}");
}

#[test]
fn a_crash_is_shown_in_the_words_of_the_culprit() {
    // It knows the old names only, and crashes on one of them.
    let old = "*str.from_int*|*str.to_int*|*str.in_re*|*str.to_re*) echo '(error \"unknown constant\")' ;;\n\
        *int.to.str*' n)'*) kill -11 $$ ;;";
    let seed = "(declare-const n Int)\n(declare-const m Int)\n(assert (= (str.from_int n) \"\"))\n\
        (assert (> m 7))\n(check-sat)\n";
    let folder = folder_with(&[("seed.smt2", seed), ("bad.sh", &solver_script("sat", old))]);
    let output = triage(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (report, reduced) = (read(folder.path(), "report.md"), read(folder.path(), "reduced.smt2"));
    assert!(reduced.contains("int.to.str") && !reduced.contains("(get-model)"), "{reduced}");
    assert!(read(folder.path(), "reduced-2.6.smt2").contains("str.from_int"));
    assert!(report.contains("[ended by signal 11, SIGSEGV]"), "{report}");
    assert!(report.starts_with("# Crash (SIGSEGV) in QF_SLIA: int.to.str\n"), "{report}");
    // The script runs the formula of the report, which crashes.
    let script = folder.path().join("seed.smt2.triage/replay.sh");
    let replayed = Command::new("/bin/sh").arg(&script).current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8(replayed.stdout).unwrap();
    assert!(said.starts_with("bad (answered crash):\n"), "{said}");
    assert!(fs::read_to_string(script).unwrap().contains("< \"$folder/reduced.smt2\""));
}

#[test]
fn releases_tell_when_a_bug_began_and_a_timeout_is_not_a_fix() {
    let folder = folder_with(&[("seed.smt2", LENGTH_SEED)]);
    let [calm, crash, slow] = [
        solver_script("sat", ""),
        solver_script("sat", "*str.len*s*) kill -11 $$ ;;"),
        solver_script("sat", "*str.len*s*) while :; do :; done ;;"),
    ];
    for (version, script) in [("4.0", &calm), ("4.1", &crash), ("4.2", &crash), ("4.3", &slow)] {
        install_z3(folder.path(), version, script);
    }
    let args = ["triage", "seed.smt2", "--solver", "z3@4.1", "--timeout", "1", "-r", "smelt", "--json"];
    let output = smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let line = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(field(&line, "class"), "crash");
    assert_eq!((field(&line, "first_bad"), field(&line, "last_good")), ("z3@4.1".into(), "z3@4.0".into()));
    assert_eq!(line["fixed"], Value::Null, "{line}");
    assert_eq!(line["undecided"][0][0], "z3@4.3", "{line}");
    assert_eq!(
        (field(&line["newest"], "release"), &line["newest"]["shows"]),
        ("z3@4.3".into(), &Value::Null)
    );
    let report = read(folder.path(), "report.md");
    assert!(report.contains("First bad release tested: z3@4.1; z3@4.0 does not show it."), "{report}");
    assert!(report.contains("Undecided: z3@4.3"), "{report}");
    assert!(!report.contains("Fixed in"), "{report}");
}

#[test]
fn a_formula_on_which_nothing_is_wrong_has_no_report() {
    let folder = folder_with(&[("seed.smt2", SEED), ("bad.sh", &solver_script("unknown", ""))]);
    let output = triage(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("nothing wrong with bad on seed.smt2"));
    assert!(!folder.path().join("seed.smt2.triage").exists());
}

#[test]
fn a_folder_that_is_not_a_report_is_not_overwritten() {
    let bad = solver_script("sat", "*str.prefixof*) answer=unsat ;;");
    let folder = folder_with(&[("seed.smt2", SEED), ("bad.sh", &bad)]);
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/notes"), "").unwrap();
    let output = triage(folder.path(), &["-o", "mine"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(folder.path().join("mine/notes").is_file());
}

#[test]
fn a_bug_that_is_known_is_called_a_duplicate() {
    let bad = solver_script("sat", "*str.prefixof*) kill -11 $$ ;;");
    let known = "; status: fixed in 9.9\n; kind: crash generic bad.sh\n(assert (str.prefixof \"\" \"\"))\n(check-sat)\n";
    let folder = folder_with(&[("seed.smt2", SEED), ("bad.sh", &bad)]);
    fs::create_dir(folder.path().join("known")).unwrap();
    fs::write(folder.path().join("known/prefix.smt2"), known).unwrap();
    let output = triage(folder.path(), &["--known", "known", "--json"]);
    let line = json(&String::from_utf8(output.stdout).unwrap());
    let searched = read(folder.path(), "report.md");
    assert!(field(&line, "same_as").contains("prefix (fixed in 9.9)"), "{line} {searched}");
}

#[test]
fn names_of_solvers_run_no_commands() {
    let bad = solver_script("sat", "*str.prefixof*) kill -11 $$ ;;");
    let folder = folder_with(&[("seed.smt2", SEED), ("bad.sh", &bad)]);
    let name = "odd\ntouch pwned\n'; touch pwned; \"$(touch pwned)`touch pwned`=/bin/sh bad.sh";
    let args = ["triage", "seed.smt2", "--timeout", "20", "--solver", name, "-r", "smelt", "--no-reduce"];
    let output = smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let script = folder.path().join("seed.smt2.triage/replay.sh");
    Command::new("/bin/sh").arg(&script).current_dir(folder.path()).output().unwrap();
    assert!(!folder.path().join("pwned").exists(), "{}", fs::read_to_string(script).unwrap());
    assert!(read(folder.path(), "report.md").lines().nth(2).unwrap().contains("`` odd touch pwned"));
}

#[test]
fn one_bug_is_counted_once() {
    let crasher = solver_script("sat", "*str.len*) kill -11 $$ ;;");
    let folder = folder_with(&[("crasher.sh", &crasher), ("seed.smt2", LENGTH_SEED)]);
    let hunt = ["hunt", "seed.smt2", "--timeout", "5", "--solver", "crasher=/bin/sh crasher.sh"];
    let output = smelt(folder.path(), &[&hunt[..], &["--cases", "60", "--triage", "10m"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found = findings(folder.path());
    let table = String::from_utf8(output.stdout).unwrap();
    let forms: std::collections::BTreeSet<Option<&str>> =
        found.iter().map(|one| one["same_as"].as_str().or(one["id"].as_str())).collect();
    assert!(forms.len() < found.len(), "{found:?}");
    let said = format!("{} findings, {} bugs", found.len(), forms.len());
    assert!(table.contains(&said), "{said}: {table}");
    let lines = |args: &[&str]| {
        let output = smelt(folder.path(), &[&["findings"], args].concat());
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    assert_eq!(lines(&[]), forms.len());
    assert_eq!(lines(&["--all"]), found.len());
    assert_eq!(lines(&["--top", "100"]), forms.len());
    // Sizes and operators are those of the formula that the report shows.
    for one in &found {
        let place = folder.path().join("smelt-campaign/findings").join(field(one, "id"));
        assert_eq!(one["reduced"], Value::Bool(true), "{one}");
        assert_eq!(one["bytes"], fs::read_to_string(place.join("reduced.smt2")).unwrap().len());
        assert!(one["case_bytes"].as_u64() > one["bytes"].as_u64(), "{one}");
    }
}

#[test]
fn a_class_that_there_is_not_is_an_error_that_lists_the_classes() {
    let folder = folder_with(&[]);
    let output = smelt(folder.path(), &["findings", "--class", "foo"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("invalid value 'foo' for '--class") && said.contains("soundness-refutation"),
        "{said}"
    );
}

#[test]
fn reports_of_hunts_begin_with_the_formula_and_no_comments() {
    let crasher = solver_script("sat", "*str.len*) kill -11 $$ ;;");
    let folder = folder_with(&[("crasher.sh", &crasher), ("seed.smt2", LENGTH_SEED)]);
    let hunt = ["hunt", "seed.smt2", "--timeout", "5", "--solver", "crasher=/bin/sh crasher.sh"];
    smelt(folder.path(), &[&hunt[..], &["--cases", "5"]].concat());
    for one in findings(folder.path()) {
        let place = folder.path().join("smelt-campaign/findings").join(field(&one, "id"));
        let report = fs::read_to_string(place.join("report.md")).unwrap();
        assert!(!formula_of(&report).contains("; expect"), "{report}");
        assert!(!formula_of(&report).contains("; technique"), "{report}");
    }
}

#[test]
fn crashes_without_a_word_are_one_cluster_where_gdb_names_one_place() {
    const STACK: &str = "#!/bin/sh\ncat > /dev/null\nprintf 'smelt-crash \\n11\\n0x0\\n0x7ffd0000\\n'\n\
        echo '#0  theory::explode(int) (n=...) at theory.cpp:3'\necho '#1  main ()'\n";
    let crasher = solver_script("sat", "*'(> a 7)'*|*'(str.len s) 8'*) kill -11 $$ ;;");
    let number = "(declare-const a Int)\n(assert (> a 7))\n(check-sat)\n";
    let string = "(declare-const s String)\n(assert (= (str.len s) 8))\n(check-sat)\n";
    let folder = folder_with(&[("crasher.sh", &crasher)]);
    fs::create_dir(folder.path().join("seeds")).unwrap();
    fs::write(folder.path().join("seeds/a.smt2"), number).unwrap();
    fs::write(folder.path().join("seeds/b.smt2"), string).unwrap();
    write_program(&folder.path().join("bin/gdb"), STACK);
    let hunt =
        ["hunt", "seeds", "--technique", "unchanged", "--judge", "crash", "--cases", "4", "--jobs", "1"];
    let hunted = smelt(folder.path(), &[&hunt[..], &["--solver", "crasher=/bin/sh crasher.sh"]].concat());
    assert_eq!(hunted.status.code(), Some(1), "{hunted:?}");
    let found = findings(folder.path());
    assert_eq!(found.len(), 2, "{found:?}");
    let clusters = |path: String| {
        let output = command(folder.path(), &["findings", "clusters"]).env("PATH", path).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let without = clusters(folder.path().join("seeds").display().to_string());
    assert!(without.contains("2 findings in 2 clusters"), "{without}");
    let with = clusters(format!("{}:/usr/bin:/bin", folder.path().join("bin").display()));
    assert!(with.contains("2 findings in 1 clusters"), "{with}");
    let place = folder.path().join("smelt-campaign/findings").join(field(&found[0], "id"));
    let report = fs::read_to_string(place.join("report.md")).unwrap();
    assert!(report.contains("Crashes with signal 11 in `theory::explode`, `main`"), "{report}");
}
