//! Judges that ask for more runs, from end to end, with shell scripts as the solvers under test.

use std::path::Path;

use crate::support::{field, findings, smelt, solver_script};

/// A solver with one answer to everything and one under assumptions, which calls nothing at all a core.
fn liar(answer: &str, assuming: &str) -> String {
    let arms = format!("'(check-sat-assuming'*) echo {assuming} ;;\n'(get-unsat-core)') echo '()' ;;");
    solver_script(answer, &arms)
}

const SEED: &str = "(declare-const s String)\n(declare-const t String)\n(assert (= (str.len s) 3))\n\
    (assert (str.prefixof t s))\n(assert (str.contains s t))\n(check-sat)\n";

/// The same, and no string can be that long.
const UNSAT_SEED: &str = "(declare-const s String)\n(declare-const t String)\n(assert (= (str.len s) 3))\n\
    (assert (str.prefixof t s))\n(assert (= (str.len t) 9))\n(check-sat)\n";

const HUNT: [&str; 8] = ["hunt", "seed.smt2", "--cases", "150", "--timeout", "20", "--jobs", "1"];

/// Hunts with liars, given as name, answer and answer under assumptions; classes and culprits of what was found.
fn hunt(folder: &Path, liars: &[(&str, &str, &str)]) -> Vec<(String, String)> {
    hunt_from(SEED, folder, liars)
}

fn hunt_from(seed: &str, folder: &Path, liars: &[(&str, &str, &str)]) -> Vec<(String, String)> {
    std::fs::write(folder.join("seed.smt2"), seed).unwrap();
    let mut args: Vec<String> = Vec::from(HUNT.map(str::to_owned));
    for (name, answer, assuming) in liars {
        std::fs::write(folder.join(format!("{name}.sh")), liar(answer, assuming)).unwrap();
        args.extend(["--solver".to_owned(), format!("{name}=/bin/sh {name}.sh")]);
    }
    let output = smelt(folder, &args);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    findings(folder).iter().map(|finding| (field(finding, "class"), field(finding, "culprit"))).collect()
}

fn found(findings: &[(String, String)], class: &str, culprit: &str) -> bool {
    findings.iter().any(|(found_class, found_culprit)| found_class == class && found_culprit == culprit)
}

#[test]
fn an_empty_core_is_refuted_by_any_model() {
    let folder = tempfile::tempdir().unwrap();
    let liars = [("refuter", "unsat", "unsat"), ("finder", "sat", "sat")];
    let findings = hunt_from(UNSAT_SEED, folder.path(), &liars);
    assert!(found(&findings, "invalid-core", "refuter"), "{findings:?}");
    assert!(!found(&findings, "invalid-core", "finder"), "{findings:?}");
    assert!(!found(&findings, "inconsistency", "refuter"), "{findings:?}");
}

#[test]
fn a_report_shows_the_run_that_printed_the_core() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("seed.smt2"), UNSAT_SEED).unwrap();
    for (name, answer) in [("refuter.sh", "unsat"), ("finder.sh", "sat")] {
        std::fs::write(folder.path().join(name), liar(answer, answer)).unwrap();
    }
    let solvers =
        ["--no-triage", "--solver", "refuter=/bin/sh refuter.sh", "--solver", "finder=/bin/sh finder.sh"];
    let output = smelt(folder.path(), &[&HUNT[..], &solvers].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let findings = findings(folder.path());
    let core = findings.iter().find(|finding| field(finding, "class") == "invalid-core").unwrap();
    let folder = folder.path().join("smelt-campaign/findings").join(field(core, "id"));
    let report = std::fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(report.contains("(get-unsat-core)\n```"), "{report}");
    assert!(report.contains("unsat\n()\n"), "{report}");
    // It was not asked for a core, so nothing is shown of it.
    assert!(!report.contains("finder: `sat`"), "{report}");
}

#[test]
fn a_core_of_a_satisfiable_case_is_not_a_second_finding() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("seed.smt2"), SEED).unwrap();
    std::fs::write(folder.path().join("refuter.sh"), liar("unsat", "unsat")).unwrap();
    let solvers = ["--technique", "unchanged", "--solver", "refuter=/bin/sh refuter.sh", "--solver", "smelt"];
    let output = smelt(folder.path(), &[&HUNT[..], &solvers].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let findings = findings(folder.path());
    let classes: Vec<String> = findings.iter().map(|finding| field(finding, "class")).collect();
    assert!(classes.contains(&"soundness-refutation".to_owned()), "{classes:?}");
    assert!(!classes.contains(&"invalid-core".to_owned()), "{classes:?}");
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

#[test]
fn giving_up_on_what_follows_names_rule_and_position() {
    let folder = tempfile::tempdir().unwrap();
    let seed = "(declare-const a Int)\n(declare-const b Int)\n(assert (> a b))\n(check-sat)\n";
    std::fs::write(folder.path().join("seed.smt2"), seed).unwrap();
    let shy = solver_script("sat", "*'>='*) answer=unknown ;;");
    std::fs::write(folder.path().join("shy.sh"), shy).unwrap();
    let hunt = [&HUNT[..], &["--technique", "weakening", "--solver", "shy=/bin/sh shy.sh"]].concat();
    assert_eq!(smelt(folder.path(), &hunt).status.code(), Some(1));
    let findings = findings(folder.path());
    let finding = findings.iter().find(|one| field(one, "class") == "incompleteness-implication").unwrap();
    assert_eq!(field(finding, "culprit"), "shy");
    let id = field(finding, "id");
    let read = |name: &str| {
        let path = folder.path().join("smelt-campaign/findings").join(&id).join(name);
        std::fs::read_to_string(path).unwrap()
    };
    assert!(read("case.smt2").contains(">=") && !read("before.smt2").contains(">="));
    for name in ["case.smt2", "finding.json", "report.md"] {
        assert!(read(name).contains("assertion 1 ") && read(name).contains(" by rule "), "{}", read(name));
    }
    assert_eq!(smelt(folder.path(), &["replay", &id]).status.code(), Some(1));
    // Both formulas are reduced in step.
    let reduced = smelt(folder.path(), &["reduce", &id]);
    assert_eq!(reduced.status.code(), Some(0), "{reduced:?}");
    assert!(read("reduced.smt2").contains(">=") && !read("reduced-before.smt2").contains(">="));
    assert!(read("report.md").contains(read("reduced-before.smt2").trim_end()), "{}", read("report.md"));
}

#[test]
fn our_own_solver_settles_a_dispute() {
    let folder = tempfile::tempdir().unwrap();
    // Nobody is asked what so large a seed is before the hunt.
    let comment = "; a long story\n".repeat(2_000);
    let seed = "(declare-const s String)\n(assert (= s (str.++ s \"a\")))\n(check-sat)\n";
    std::fs::write(folder.path().join("seed.smt2"), comment + seed).unwrap();
    let mut args = vec![
        "hunt",
        "seed.smt2",
        "--technique",
        "unchanged",
        "--cases",
        "1",
        "--timeout",
        "20",
        "--mode",
        "cold",
    ];
    let model = "'(get-model)') echo '((define-fun s () String \"b\"))' ;;";
    std::fs::write(folder.path().join("z3-liar.sh"), solver_script("sat", model)).unwrap();
    std::fs::write(folder.path().join("cvc5-like.sh"), solver_script("unsat", "")).unwrap();
    args.extend(["--solver", "z3-liar=/bin/sh z3-liar.sh", "--solver", "cvc5-like=/bin/sh cvc5-like.sh"]);
    let output = smelt(folder.path(), &args);
    let found = findings(folder.path());
    let mut blamed: Vec<(String, String)> =
        found.iter().map(|finding| (field(finding, "class"), field(finding, "culprit"))).collect();
    blamed.sort();
    let expected =
        ["invalid-model", "soundness-solution"].map(|class| (class.to_owned(), "z3-liar".to_owned()));
    assert_eq!(blamed, expected, "{output:?}");
    let report = std::fs::read_dir(folder.path().join("smelt-campaign/findings")).unwrap();
    let report = report
        .flatten()
        .map(|entry| entry.path().join("report.md"))
        .find(|path| path.to_string_lossy().contains("soundness"))
        .unwrap();
    let text = std::fs::read_to_string(report).unwrap();
    assert!(text.contains("cvc5-like, smelt"), "{text}");
}

#[test]
fn a_sat_of_what_is_false_under_every_model_is_wrong_whatever_model_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let seed = "(declare-const n Int)\n(assert (> n 3))\n(assert (= (str.len \"ab\") 3))\n(check-sat)\n";
    std::fs::write(folder.path().join("seed.smt2"), seed).unwrap();
    // It knows better when it is asked about that assertion alone.
    let liar = solver_script("unsat", "*'(> n 3)'*) answer=sat ;;");
    std::fs::write(folder.path().join("liar.sh"), liar).unwrap();
    let solvers = ["--technique", "unchanged", "--judge", "model", "--solver", "liar=/bin/sh liar.sh"];
    let output = smelt(folder.path(), &[&HUNT[..], &solvers].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let findings = findings(folder.path());
    let classes: Vec<String> = findings.iter().map(|finding| field(finding, "class")).collect();
    assert_eq!(classes, ["soundness-solution"]);
    let id = field(&findings[0], "id");
    let place = folder.path().join("smelt-campaign/findings").join(&id).join("report.md");
    let report = || std::fs::read_to_string(&place).unwrap();
    assert!(report().contains("No model satisfies the formula: assertion 2 is false"), "{}", report());
    assert!(report().contains("Severity: critical"), "{}", report());
    assert_eq!(smelt(folder.path(), &["replay", &id]).status.code(), Some(1));
    let reduced = smelt(folder.path(), &["reduce", &id]);
    assert_eq!(reduced.status.code(), Some(0), "{reduced:?}");
    assert!(
        report().contains("about what is false under every model alone, liar says `unsat`"),
        "{}",
        report()
    );
    assert!(report().contains("it contradicts itself"), "{}", report());
}
