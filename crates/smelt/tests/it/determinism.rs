//! What a campaign is made of does not depend on what solvers say, and what was not tested is not taken for tested.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{NO_MODEL, recorded_cases, smelt, solver_script};

/// Every formula that is made from it keeps the word by which the solvers know it.
const SEED: &str = "(declare-const s String)\n(declare-const t String)\n\
    (assert (and (= (str.++ s \"smelt\") (str.replace t s \"b\")) (str.prefixof t s) (= (str.at s 1) t)))\n(check-sat)\n";

/// How a formula of the hunt begins, as a pattern of the shell.
const FORMULA: &str = r#"'(assert '*'"smelt"'*"#;

fn workplace(solver: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("solver.sh"), solver).unwrap();
    std::fs::write(folder.path().join("seed.smt2"), SEED).unwrap();
    std::fs::write(folder.path().join("other.smt2"), SEED.replace("str.prefixof", "str.contains")).unwrap();
    folder
}

fn hunt(folder: &Path, more: &[&str]) -> Output {
    let args = ["hunt", "seed.smt2", "other.smt2", "--solver", "fake=/bin/sh solver.sh", "--timeout", "20"];
    smelt(folder, &[&args[..], more].concat())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The chains of a campaign, and the ids of its cases.
fn cases(folder: &Path) -> (Vec<String>, Vec<u64>) {
    let database = rusqlite::Connection::open(folder.join("smelt-campaign/campaign.db")).unwrap();
    let chain =
        "SELECT number || ' ' || seed || ' ' || technique || ' ' || cases FROM chains ORDER BY number";
    let mut chains = database.prepare(chain).unwrap();
    let chains = chains.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    let mut ids = database.prepare("SELECT case_id FROM yields ORDER BY case_id").unwrap();
    let ids = ids.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    (chains, ids)
}

#[test]
fn a_campaign_makes_the_same_cases_whatever_solvers_answer_and_however_often_they_time_out() {
    for sharing in ["yield", "fixed"] {
        let made = |answer: &str| {
            let folder = workplace(&solver_script("sat", &format!("{FORMULA}) answer={answer} ;;")));
            // After 32 chains, techniques get turns by what they have made; after ten undecided cases, a chain was left.
            let techniques = ["--technique", "operator,generative", "--steps", "12"];
            hunt(folder.path(), &[&["--cases", "500", "--sharing", sharing], &techniques[..]].concat());
            cases(folder.path())
        };
        let calm = made("sat");
        assert_eq!(calm.1.len(), 500, "{sharing}");
        assert_eq!(made("timeout"), calm, "{sharing}");
        assert_eq!(
            made("$(case \"$line\" in *at*) echo unknown ;; *) echo unsat ;; esac)"),
            calm,
            "{sharing}"
        );
    }
}

#[test]
fn a_campaign_has_exactly_as_many_cases_as_its_budget_says() {
    // Seeds are small, so that chains of some techniques end early.
    let folder = workplace(&solver_script("sat", ""));
    for cases in [1, 37, 203] {
        let output = hunt(folder.path(), &["--cases", &cases.to_string()]);
        assert!(output.status.code().unwrap() < 2, "{output:?}");
        assert_eq!(recorded_cases(folder.path()), cases);
    }
}

#[test]
fn what_no_solver_takes_is_not_a_case_and_a_hunt_of_nothing_fails() {
    let arms = format!("{NO_MODEL}*str.*) echo '(error \"no strings attached\")' ;;");
    let folder = workplace(&solver_script("sat", &arms));
    let output = hunt(folder.path(), &["--cases", "100", "--technique", "operator"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert!(said.contains("0 cases (0/s)") && said.contains("were sent to no solver"), "{said}");
    assert!(told.contains("nothing was tested"), "{told}");
    let output = hunt(folder.path(), &["--resume", "--json"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let result: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(result["cases"], 0);
    assert!(result["not_sent"].as_object().unwrap().values().any(|count| count.as_u64().unwrap() > 10));
    assert!(result["hardly_tested"][0].as_str().unwrap().contains("nothing was tested"));
    // Some techniques make formulas that it takes, among many more that it does not.
    let output = hunt(folder.path(), &["--cases", "10", "--dir", "some"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert!(said.contains("\n10 cases ("), "{said}");
    assert!(told.contains("fake is hardly tested: it was sent 10 of "), "{told}");
}

#[test]
fn a_solver_that_fails_on_most_runs_is_warned_of_with_its_message_and_fails_the_hunt() {
    let arms = format!("{FORMULA}) echo '(error \"out of luck 7\")' ;;");
    let folder = workplace(&solver_script("sat", &arms));
    let output = hunt(folder.path(), &["--cases", "60", "--json"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let told = text(&output.stderr);
    assert!(told.contains("fake is hardly tested: it refuses or fails on"), "{told}");
    let result: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(result["cases"], 60);
    let solver = &result["solvers"][0];
    assert_eq!((&solver["name"], &solver["refuses_often"]), (&Value::from("fake"), &Value::from(true)));
    assert!(solver["message"].as_str().unwrap().contains("out of luck #"), "{solver}");
}
