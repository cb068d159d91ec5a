//! `smelt monitor` from end to end, with shell scripts as solvers and smelt's own solver as the reference.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::{smelt, solver_script};

/// A folder with a solver that always gives the same answer.
fn workplace(answer: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("stubborn.sh"), solver_script(answer, "")).unwrap();
    folder
}

fn monitor(folder: &Path, args: &[&str]) -> Output {
    let usual = ["monitor", "--grammar", "core", "--max-size", "4", "--timeout", "5", "--reference", "smelt"];
    smelt(folder, &[&usual[..], args].concat())
}

const STUBBORN: [&str; 2] = ["--solver", "stubborn=/bin/sh stubborn.sh"];

fn results(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_solver_that_agrees_gets_its_guarantee() {
    let folder = workplace("sat");
    let output = monitor(folder.path(), &["--solver", "smelt"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = results(&output);
    assert!(
        text.starts_with(
            "all 4 formulas of grammar core up to size 4 (2 variables, 1 asserts): smelt agreed with smelt on 4, \
             unknown on 0, timed out on 0, wrong or disputed 0; 3 models checked"
        ),
        "{text}"
    );
}

#[test]
fn a_wrong_unsat_is_found_and_shown_by_a_model() {
    let folder = workplace("unsat");
    let output = monitor(folder.path(), &[&STUBBORN[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let tally: Value = serde_json::from_str(results(&output).trim()).unwrap();
    assert_eq!(
        (&tally["formulas"], &tally["agreed"], &tally["differences"]),
        (&4.into(), &1.into(), &3.into())
    );
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("soundness-refutation: stubborn says unsat, smelt says sat"), "{messages}");
    assert!(messages.contains("smelt generate enumerate --grammar core"), "{messages}");
}

#[test]
fn a_wrong_reference_is_no_fault_of_the_solver() {
    let folder = workplace("unsat");
    let args = ["monitor", "--grammar", "core", "--max-size", "4", "--solver", "smelt", "--timeout", "5"];
    let reference = ["--reference", "stubborn=/bin/sh stubborn.sh"];
    let output = smelt(folder.path(), &[&args[..], &reference].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(results(&output).contains("reference wrong on 3"), "{output:?}");
}

#[test]
fn what_the_baseline_knows_does_not_count() {
    let folder = workplace("unsat");
    let baseline = ["--baseline", "known.txt"];
    let output = monitor(folder.path(), &[&STUBBORN[..], &baseline, &["--update-baseline"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let known = std::fs::read_to_string(folder.path().join("known.txt")).unwrap();
    assert!(known.contains("\tsoundness-refutation\tstubborn\t(declare-const "), "{known}");
    let again = monitor(folder.path(), &[&STUBBORN[..], &baseline].concat());
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    // The same formulas have other indices with more variables, and there are others.
    let more = monitor(folder.path(), &[&STUBBORN[..], &baseline, &["--variables", "3"]].concat());
    let messages = String::from_utf8(more.stderr).unwrap();
    assert!(messages.contains("soundness-refutation (known)"), "{messages}");
    // Another solver is not excused by what is known of this one.
    let other = ["--solver", "other=/bin/sh stubborn.sh"];
    let other = monitor(folder.path(), &[&other[..], &baseline].concat());
    assert_eq!(other.status.code(), Some(1), "{other:?}");
}

#[test]
fn a_baseline_that_is_not_there_or_of_an_older_form_is_an_error() {
    let folder = workplace("unsat");
    let missing = monitor(folder.path(), &[&STUBBORN[..], &["--baseline", "known.txt"]].concat());
    assert_eq!(missing.status.code(), Some(2), "{missing:?}");
    let messages = String::from_utf8(missing.stderr).unwrap();
    assert!(messages.contains("no baseline `known.txt`; create it with --update-baseline"), "{messages}");
    std::fs::write(folder.path().join("known.txt"), "strings 2 1 124 drift\n").unwrap();
    let old = monitor(folder.path(), &[&STUBBORN[..], &["--baseline", "known.txt"]].concat());
    assert_eq!(old.status.code(), Some(2), "{old:?}");
    assert!(String::from_utf8(old.stderr).unwrap().contains("by its index in a grammar"));
}

#[test]
fn solvers_of_smelt_toml_are_known_to_every_command() {
    let folder = workplace("sat");
    std::fs::write(
        folder.path().join("smelt.toml"),
        "[solvers.mine]\ncommand = \"/bin/sh stubborn.sh\"\nenvironment = { LANG = \"C\" }\n",
    )
    .unwrap();
    let seed = "(declare-const s String)\n(assert (= s \"ab\"))\n(check-sat)\n";
    std::fs::write(folder.path().join("a.smt2"), seed).unwrap();
    let commands: [&[&str]; 6] = [
        &["run", "a.smt2", "-s", "mine"],
        &["bench", "a.smt2", "-s", "mine"],
        &["scale", "a.smt2", "-s", "mine", "--most", "2", "--repeats", "1"],
        &["solvers", "probe", "mine", "--json"],
        &["evolve", "--solver", "mine", "--reference", "smelt", "--theory", "core", "-n", "2"],
        &["monitor", "-g", "core", "--max-size", "4", "-s", "smelt", "--reference", "mine"],
    ];
    for args in commands {
        let output = smelt(folder.path(), args);
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {messages}");
        assert!(!messages.contains("neither installed"), "{args:?}: {messages}");
    }
    std::fs::write(folder.path().join("smelt.toml"), "[solvers.\"z3@5.4.0\"]\ncommand = \"./other\"\n")
        .unwrap();
    let shadowed = smelt(folder.path(), &["run", "a.smt2", "-s", "z3@5.4.0"]);
    assert_eq!(shadowed.status.code(), Some(2), "{shadowed:?}");
    assert!(String::from_utf8(shadowed.stderr).unwrap().contains("choose another"));
}

#[test]
fn another_definition_of_an_operator_is_not_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    // Has `str.prefixof` the other way round, and is right about other facts.
    let arms = "*'(assert (not '*'str.prefixof '*) answer=sat ;;\n\
        *'(assert '*'str.prefixof '*) answer=unsat ;;\n\
        *'(assert (not '*) answer=unsat ;;";
    std::fs::write(folder.path().join("stubborn.sh"), solver_script("sat", arms)).unwrap();
    let usual = ["monitor", "--grammar", "strings", "-n", "300", "--timeout", "5", "--reference", "smelt"];
    let files = ["--sarif", "out.sarif", "--junit", "out.xml", "--baseline", "known.txt"];
    let more = ["--update-baseline", "--json"];
    let output = smelt(folder.path(), &[&usual[..], &STUBBORN, &files, &more].concat());
    let tally: Value = serde_json::from_str(results(&output).trim()).unwrap();
    assert!(tally["drift"].as_u64().unwrap() > 0, "{tally}");
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("drift (not a failure of the solver)"), "{messages}");
    for file in ["out.xml", "known.txt"] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(!text.contains("str.prefixof ") && !text.contains("\tdrift\t"), "{file}: {text}");
    }
    let sarif = std::fs::read_to_string(folder.path().join("out.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    check_sarif(&sarif, folder.path());
    let found = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(found.iter().all(|result| result["ruleId"] != "drift"), "{sarif}");
}

#[test]
fn results_are_written_for_machines() {
    let folder = workplace("unsat");
    let files = ["--junit", "out.xml", "--sarif", "out.sarif"];
    monitor(folder.path(), &[&STUBBORN[..], &files].concat());
    let junit = std::fs::read_to_string(folder.path().join("out.xml")).unwrap();
    assert!(junit.contains("<testsuite name=\"core\" tests=\"4\" failures=\"3\">"), "{junit}");
    let sarif: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("out.sarif")).unwrap()).unwrap();
    check_sarif(&sarif, folder.path());
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["ruleId"], "soundness-refutation");
    let fingerprint = |result: &Value| result["partialFingerprints"]["smeltFormula/v1"].clone();
    assert!(fingerprint(&results[0]) != fingerprint(&results[1]));
}

/// What SARIF 2.1.0 requires, and what code scanning needs to show a result.
fn check_sarif(log: &Value, folder: &Path) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    for run in log["runs"].as_array().unwrap() {
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "smelt");
        assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
        let rules = driver["rules"].as_array().unwrap();
        let ids: std::collections::BTreeSet<&str> =
            rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), rules.len());
        for rule in rules {
            for text in ["shortDescription", "fullDescription", "help"] {
                assert!(!rule[text]["text"].as_str().unwrap().is_empty(), "{rule}");
            }
            let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
            assert!(["none", "note", "warning", "error"].contains(&level), "{rule}");
        }
        assert!(
            run["invocations"].as_array().unwrap().iter().all(|one| one["executionSuccessful"].is_boolean())
        );
        for result in run["results"].as_array().unwrap() {
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert!(result["partialFingerprints"].as_object().unwrap().values().all(Value::is_string));
            let place = &result["locations"][0]["physicalLocation"];
            let file = folder.join(place["artifactLocation"]["uri"].as_str().unwrap());
            let formula = std::fs::read_to_string(file).unwrap();
            let line = |name: &str| usize::try_from(place["region"][name].as_u64().unwrap()).unwrap();
            assert!(1 <= line("startLine") && line("startLine") <= line("endLine"));
            assert!(line("endLine") <= formula.lines().count());
            assert!(formula.lines().nth(line("startLine") - 1).unwrap().starts_with("(assert"));
        }
    }
}
