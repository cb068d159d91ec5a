//! What cases are made of seeds, what is believed of seeds, and what solvers are not asked.

use std::path::Path;
use std::process::Output;

use crate::support::{LENGTH_SEED, field, findings, smelt, solver_script};

/// A folder with these files.
fn folder_with(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// Says `sat` to everything and prints no model.
fn sayer() -> String {
    solver_script("sat", "")
}

/// What a hunt with some solvers and options prints and writes.
fn hunt(folder: &Path, args: &[&str]) -> Output {
    smelt(folder, &[&["hunt", "--timeout", "5", "--jobs", "1", "--no-triage"][..], args].concat())
}

fn messages(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a query says of the record of the campaign in a folder.
fn recorded(folder: &Path, query: &str) -> i64 {
    let database = rusqlite::Connection::open(folder.join("smelt-campaign/campaign.db")).unwrap();
    database.query_row(query, [], |row| row.get(0)).unwrap()
}

/// Satisfiable, and nobody here can show it.
const WRONG_LABEL: &str = "; expect: unsat\n(declare-fun f (Int) Int)(declare-const a Int)\n\
    (assert (forall ((x Int)) (exists ((y Int)) (> (f y) (+ (f x) a)))))(assert (> a 3))\n(check-sat)\n";

#[test]
fn a_label_that_two_families_contradict_is_dropped_with_a_notice_and_blames_nobody() {
    let sayer = sayer();
    let folder = folder_with(&[("wrong.smt2", WRONG_LABEL.as_bytes()), ("sayer.sh", sayer.as_bytes())]);
    let solvers = ["--solver", "z3=/bin/sh sayer.sh", "--solver", "cvc5=/bin/sh sayer.sh"];
    let args = [&["wrong.smt2", "--cases", "20", "--technique", "variant,weakening,unchanged"], &solvers[..]];
    let output = hunt(folder.path(), &args.concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = messages(&output);
    assert!(
        text.contains("label of seed `wrong.smt2` is not used") && text.contains("z3 and cvc5"),
        "{text}"
    );
}

#[test]
fn a_label_that_no_solver_confirms_blames_nobody() {
    let sayer = sayer();
    let folder = folder_with(&[("wrong.smt2", WRONG_LABEL.as_bytes()), ("sayer.sh", sayer.as_bytes())]);
    let args = ["wrong.smt2", "--cases", "4", "--technique", "unchanged,variant"];
    let output = hunt(folder.path(), &[&args[..], &["--solver", "z3=/bin/sh sayer.sh"]].concat());
    assert!(messages(&output).contains("labels `unsat` of 1 seeds are not confirmed"), "{output:?}");
    let found = findings(folder.path());
    assert!(!found.is_empty());
    for finding in &found {
        assert_eq!(field(finding, "class"), "disputed");
        assert!(finding["culprit"].is_null(), "{finding}");
        let id = field(finding, "id");
        let report = folder.path().join("smelt-campaign/findings").join(&id).join("report.md");
        assert!(std::fs::read_to_string(report).unwrap().contains("No solver is blamed"), "{id}");
    }
}

#[test]
fn every_seed_is_run_unchanged_once_before_any_is_run_again() {
    let sayer = sayer();
    let large = format!("(declare-const p Bool)(assert (or p {}))(check-sat)", "true ".repeat(2000));
    let files = [
        ("a.smt2", LENGTH_SEED.as_bytes()),
        ("b.smt2", large.as_bytes()),
        ("c.smt2", b"(assert true)(check-sat)"),
        ("d.smt2", b"(declare-const x Int)(assert (> x 1))(check-sat)"),
        ("sayer.sh", sayer.as_bytes()),
    ];
    let folder = folder_with(&files);
    let args = [".", "--technique", "unchanged", "--cases", "4", "--solver", "a=/bin/sh sayer.sh"];
    let output = hunt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(recorded(folder.path(), "SELECT COUNT(DISTINCT seed) FROM chains"), 4);
}

#[test]
fn a_case_that_is_not_sent_to_a_solver_is_reported_with_the_reason() {
    let refuser = solver_script("sat", "*seq.*|*Seq*) echo '(error \"unknown\")' ;;");
    let seed = "(declare-const s (Seq Int))(assert (= (seq.len s) 2))(check-sat)";
    let sayer = sayer();
    let files =
        [("a.smt2", seed.as_bytes()), ("refuser.sh", refuser.as_bytes()), ("sayer.sh", sayer.as_bytes())];
    let folder = folder_with(&files);
    let solvers = ["--solver", "r=/bin/sh refuser.sh", "--solver", "a=/bin/sh sayer.sh"];
    let args = ["a.smt2", "--technique", "unchanged", "--cases", "1"];
    let output = hunt(folder.path(), &[&args[..], &solvers[..]].concat());
    let text = messages(&output);
    assert!(text.contains("r: not asked about 1 case: 1 have something that it does not know ("), "{text}");
}

#[test]
fn a_seed_that_cannot_be_used_is_explained() {
    let sayer = sayer();
    let broken = ("broken.smt2", &b"(declare-const x Int)\n(assert (not x))(check-sat)"[..]);
    let files = [broken, ("binary.smt2", &[0xff, 0xfe][..]), ("sayer.sh", sayer.as_bytes())];
    let folder = folder_with(&files);
    let solver = ["--solver", "a=/bin/sh sayer.sh", "--cases", "4", "--technique", "unchanged"];
    let output = hunt(folder.path(), &[&["broken.smt2"], &solver[..]].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = messages(&output);
    assert!(text.contains("none of the seeds can be used") && text.contains("broken.smt2:2:14"), "{text}");

    std::fs::write(folder.path().join("good.smt2"), LENGTH_SEED).unwrap();
    let output = hunt(folder.path(), &[&[".", "--dir", "other"], &solver[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = messages(&output);
    assert!(!text.contains("error") && text.contains("cannot read `./binary.smt2"), "{text}");
    assert!(text.contains("1 of 2 seeds cannot be used") && text.contains("broken.smt2:2:14"), "{text}");
}

#[test]
fn chains_have_the_length_of_their_technique_or_as_many_steps_as_are_wanted() {
    let folder = folder_with(&[("a.smt2", LENGTH_SEED.as_bytes())]);
    let longest = |args: &[&str]| {
        let output =
            smelt(folder.path(), &[&["generate", "operator", "a.smt2", "-n", "2000"], args].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let steps =
            text.lines().filter_map(|line| line.split_once(", step ")?.1.split(',').next()?.parse().ok());
        steps.max().unwrap_or(0u32)
    };
    assert_eq!(longest(&[]), 300);
    assert_eq!(longest(&["--steps", "17"]), 17);
}

#[test]
fn steps_are_part_of_a_campaign() {
    let sayer = sayer();
    let folder = folder_with(&[("a.smt2", LENGTH_SEED.as_bytes()), ("sayer.sh", sayer.as_bytes())]);
    let technique = ["--technique", "operator", "--solver", "a=/bin/sh sayer.sh"];
    let args = [&["a.smt2", "--cases", "15", "--steps", "15"], &technique[..]].concat();
    hunt(folder.path(), &args);
    assert_eq!(recorded(folder.path(), "SELECT MAX(step) FROM cases"), 15);
    hunt(folder.path(), &["--resume", "--cases", "30"]);
    assert_eq!(recorded(folder.path(), "SELECT COUNT(*) FROM chains"), 2);
    let other = [&["a.smt2", "--cases", "15", "--steps", "20"], &technique[..]].concat();
    let output = hunt(folder.path(), &other);
    assert_eq!(output.status.code(), Some(2));
    assert!(messages(&output).contains("length of chains: the campaign has 15, not 20"), "{output:?}");
}

#[test]
fn a_long_chain_that_the_budget_cuts_is_resumed_with_more() {
    let sayer = sayer();
    let files = [("a.smt2", LENGTH_SEED.as_bytes()), ("sayer.sh", sayer.as_bytes())];
    let (whole, cut) = (folder_with(&files), folder_with(&files));
    let args = ["a.smt2", "--technique", "operator=1,generative=1", "--judge", "crash"];
    let args = [&args[..], &["--solver", "a=/bin/sh sayer.sh", "--cases"]].concat();
    hunt(whole.path(), &[&args[..], &["420"]].concat());
    for cases in ["120", "290", "295", "350", "420"] {
        hunt(cut.path(), &[&args[..], &[cases]].concat());
    }
    let all = "SELECT SUM(number * 1000 + cases + 7 * seed) FROM chains";
    assert_eq!(recorded(whole.path(), all), recorded(cut.path(), all));
    assert!(recorded(whole.path(), "SELECT MAX(cases) FROM chains") > 10);
}

#[test]
fn a_chain_ends_where_no_solver_decides_any_more() {
    let unsure = solver_script("unknown", "");
    let folder = folder_with(&[("a.smt2", LENGTH_SEED.as_bytes()), ("unsure.sh", unsure.as_bytes())]);
    let technique = ["--technique", "operator", "--judge", "crash", "--solver", "a=/bin/sh unsure.sh"];
    // A number of cases is made whatever solvers say; a hunt for some time leaves such a chain.
    hunt(folder.path(), &[&["a.smt2", "--time", "2s", "--steps", "60"], &technique[..]].concat());
    let longest = recorded(folder.path(), "SELECT MAX(step) FROM cases");
    assert!((1..=10).contains(&longest), "{longest}");
}

/// Satisfiable, and no solver here can show it.
const OPEN: &str = "(declare-fun f (Int) Int)(declare-const a Int)\n\
    (assert (forall ((x Int)) (exists ((y Int)) (> (f y) (+ (f x) a)))))(assert (> a 3))\n(check-sat)\n";

/// Says `unsat` to everything and notes how often it was asked about [`OPEN`].
fn refuser() -> String {
    solver_script("unsat", "*'(> a 3)'*) echo asked >> asked.txt ;;")
}

fn asked(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("asked.txt")).map_or(0, |text| text.lines().count())
}

#[test]
fn what_two_families_agree_on_is_a_claim_that_says_so_and_is_asked_about_once() {
    let refuser = refuser();
    let folder = folder_with(&[("open.smt2", OPEN.as_bytes()), ("refuser.sh", refuser.as_bytes())]);
    let generate = |options: &[&str]| {
        let out = ["generate", "model-preserving", "open.smt2", "--count", "5", "--json", "--out", "cases"];
        smelt(folder.path(), &[&out, options].concat())
    };
    let both = ["--solver", "z3=/bin/sh refuser.sh", "--solver", "cvc5=/bin/sh refuser.sh", "--stats"];
    let output = generate(&both);
    let text = messages(&output);
    assert!(text.contains("labelled 1 of 1 seeds, 1 of them as solvers agree"), "{text}");
    assert!(text.contains("5 expected unsat"), "{text}");
    assert!(
        text.contains("all                                  1         1         1     1 100 %        5"),
        "{text}"
    );
    let line = String::from_utf8(output.stdout).unwrap();
    assert!(line.contains("\"claim\":\"agreed by cvc5 and z3\""), "{line}");
    let case = std::fs::read_to_string(folder.path().join("cases/model-preserving-000001.smt2")).unwrap();
    assert!(case.starts_with("; expect: unsat agreed by cvc5 and z3\n"), "{case}");
    let count = asked(folder.path());
    assert!(messages(&generate(&both)).contains("5 expected unsat"));
    assert_eq!(asked(folder.path()), count);
    let alone = generate(&["--solver", "z3=/bin/sh refuser.sh"]);
    assert!(messages(&alone).contains("none of the seeds can be used"), "{alone:?}");
}

#[test]
fn a_status_is_a_vote_only_if_the_user_trusts_it() {
    let refuser = refuser();
    let said = format!("(set-info :status unsat)\n{OPEN}");
    let folder = folder_with(&[("open.smt2", said.as_bytes()), ("refuser.sh", refuser.as_bytes())]);
    let generate = |options: &[&str]| {
        let solver = ["generate", "weakening", "open.smt2", "-n", "4", "--solver", "z3=/bin/sh refuser.sh"];
        smelt(folder.path(), &[&solver, options].concat())
    };
    assert!(messages(&generate(&[])).contains("4 without a claim"));
    let trusting = generate(&["--trust-status"]);
    assert!(messages(&trusting).contains("4 expected unsat"), "{trusting:?}");
    let text = String::from_utf8(trusting.stdout).unwrap();
    assert!(text.starts_with("; expect: unsat agreed by status and z3\n"), "{text}");
}

#[test]
fn an_agreed_claim_that_is_contradicted_blames_nobody_and_the_report_says_what_it_rests_on() {
    // Both agree on the seed; one of them contradicts what is made of it.
    let (refuser, turncoat) = (refuser(), solver_script("sat", "*'(> (f y) (+ (f x) a))'*) answer=unsat ;;"));
    let label = format!("; expect: unsat agreed by cvc5 and z3\n{OPEN}");
    let files = [
        ("open.smt2", label.as_bytes()),
        ("refuser.sh", refuser.as_bytes()),
        ("turncoat.sh", turncoat.as_bytes()),
    ];
    let folder = folder_with(&files);
    let solvers = ["--solver", "z3=/bin/sh refuser.sh", "--solver", "cvc5=/bin/sh turncoat.sh"];
    // The judge of consistency would blame the one that contradicts itself, with reason.
    let solvers = [&solvers[..], &["--judge", "ground-truth,differential"]].concat();
    let output = hunt(
        folder.path(),
        &[&["open.smt2", "--cases", "12", "--technique", "variant"], &solvers[..]].concat(),
    );
    let found = findings(folder.path());
    assert!(!found.is_empty(), "{output:?}");
    for finding in &found {
        assert_eq!(field(finding, "class"), "disputed", "{finding}");
        assert!(finding["culprit"].is_null(), "{finding}");
        let report =
            folder.path().join("smelt-campaign/findings").join(field(finding, "id")).join("report.md");
        let text = std::fs::read_to_string(report).unwrap();
        assert!(text.contains("Label about the case: `unsat`, agreed by cvc5 and z3."), "{text}");
    }
}
