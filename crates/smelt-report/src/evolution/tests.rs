//! Studies of invented runs, counted.

use std::time::Duration;

use smelt_oracle::evaluated::ModelWord;

use super::*;

/// A record of two releases of Z3 and one reference, on three formulas.
fn store(folder: &std::path::Path, rows: &[RunRow]) -> StudyStore {
    let mut store = StudyStore::open(folder).unwrap();
    let configuration = StudyConfiguration {
        formulas: 3,
        random_seed: 0,
        max_size: 9,
        variables: 2,
        asserts: 1,
        timeout_secs: 0.03125,
        reference_timeout_secs: 1.0,
        mode: "cold".to_owned(),
        references: vec!["cvc5@1.4.2".to_owned()],
    };
    store.begin(&configuration).unwrap();
    let formula = |index: u32| FormulaRecord {
        grammar_index: index.to_string(),
        size: 3,
        script: "(assert p)\n".to_owned(),
    };
    store.add_theory("ints", &[formula(0), formula(1), formula(2)]).unwrap();
    for (name, family, is_release) in
        [("z3@4.12.0.0", "z3", true), ("z3@4.8.7.0", "z3", true), ("cvc5@1.4.2", "cvc5", false)]
    {
        let solver = SolverRecord {
            id: 0,
            name: name.to_owned(),
            given: name.to_owned(),
            family: family.to_owned(),
            version: None,
            fingerprint: String::new(),
            is_release,
            is_reference: !is_release,
        };
        store.add_solver(&solver).unwrap();
    }
    store.record(rows).unwrap();
    store
}

fn row(role: Role, solver: u32, formula: u32, answer: Answer, cpu_ms: u64) -> RunRow {
    RunRow {
        theory: 1,
        role,
        solver,
        formula,
        answer,
        limit: None,
        model: None,
        cpu: Duration::from_millis(cpu_ms),
        wall: Duration::ZERO,
        output: None,
        class: None,
        note: None,
    }
}

fn study(rows: &[RunRow]) -> Study {
    let folder = tempfile::tempdir().unwrap();
    Study::read(&store(folder.path(), rows)).unwrap().unwrap()
}

const NEW: u32 = 1;
const OLD: u32 = 2;
const REFERENCE: u32 = 3;

#[test]
fn releases_are_ordered_by_version_and_labelled_shortly() {
    let study = study(&[]);
    let labels: Vec<&str> = study.groups[0].releases.iter().map(|release| release.label.as_str()).collect();
    assert_eq!(labels, ["4.8.7", "4.12.0"]);
    assert_eq!((study.groups.len(), study.groups[0].name.as_str()), (1, "Z3"));
    assert_eq!(label("cvc5@1.4.2", true), "cvc5 1.4.2");
    assert_eq!(label("mine", false), "mine");
    assert_eq!(label("z3@4.5.1.0.post2", false), "4.5.1.0.post2");
}

#[test]
fn smaller_timeouts_follow_from_processor_time() {
    let rows: Vec<RunRow> = [10, 20, 40]
        .into_iter()
        .enumerate()
        .map(|(formula, cpu_ms)| row(Role::Release, NEW, formula as u32, Answer::Sat, cpu_ms))
        .collect();
    let study = study(&rows);
    assert_eq!(study.timeouts, [1.0 / 64.0, 1.0 / 32.0]);
    assert_eq!(study.theories[0].results[0][1].solved, [1, 2]);
}

#[test]
fn joint_time_counts_what_all_releases_of_a_lineage_solve() {
    let study = study(&[
        row(Role::Release, NEW, 0, Answer::Sat, 10),
        row(Role::Release, OLD, 0, Answer::Sat, 4),
        row(Role::Release, NEW, 1, Answer::Unsat, 10),
        row(Role::Release, OLD, 1, Answer::Unknown, 4),
        row(Role::Release, NEW, 2, Answer::Unsat, 10),
    ]);
    let theory = &study.theories[0];
    assert_eq!(theory.jointly_solved, [1]);
    let joint: Vec<f64> = theory.results[0].iter().map(|results| results.joint_secs).collect();
    assert_eq!(joint, [0.004, 0.01]);
}

#[test]
fn only_what_a_fresh_process_shows_again_is_a_bug() {
    let confirmed =
        RunRow { class: Some(Class::SoundnessRefutation), ..row(Role::Again, OLD, 0, Answer::Unsat, 5) };
    let study = study(&[
        RunRow { model: Some(ModelWord::Accepted), ..row(Role::Reference, REFERENCE, 0, Answer::Sat, 5) },
        row(Role::Release, OLD, 0, Answer::Unsat, 5),
        confirmed,
        row(Role::Release, OLD, 1, Answer::Crash, 5),
        row(Role::Again, OLD, 1, Answer::Sat, 5),
        row(Role::Release, OLD, 2, Answer::Rejected, 0),
    ]);
    let results = &study.theories[0].results[0][0];
    assert_eq!((results.unsound(), results.bugs(), results.crash, results.rejected), (1, 1, 0, 1));
    // The wrong answer is not a solved formula, the one that crashed only once is.
    assert_eq!(results.solved_at_last(), 1);
    assert_eq!(study.bugs(), 1);
    assert_eq!(study.triggers.len(), 1);
    assert!(study.theories[0].known.contains(&(Status::CertifiedSat, 1)));
    assert!(study.theories[0].known.contains(&(Status::Open, 2)));
}

#[test]
fn a_reference_that_contradicts_a_model_is_named() {
    let study = study(&[
        row(Role::Reference, REFERENCE, 1, Answer::Unsat, 5),
        RunRow { model: Some(ModelWord::Accepted), ..row(Role::Release, NEW, 1, Answer::Sat, 5) },
    ]);
    assert_eq!(study.theories[0].wrong_references, [("cvc5@1.4.2".to_owned(), 1)]);
}

#[test]
fn files_and_the_page_are_written_from_any_state_of_a_study() {
    for rows in [vec![], vec![row(Role::Release, NEW, 0, Answer::Sat, 10)]] {
        let study = study(&rows);
        let figures = figures::figures(&study);
        let page = page::page(&study, &figures);
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("the study is not complete"), "{page}");
        assert!(!page.contains("NaN") && !page.contains("http://") || page.contains("www.w3.org"), "{page}");
        assert_eq!(page.matches("<svg").count(), figures.len());
        for (name, text) in tables::csv(&study) {
            assert!(text.ends_with('\n') && text.contains(','), "{name}: {text}");
        }
    }
}

#[test]
fn cells_of_csv_are_quoted_where_they_must() {
    let wrong = RunRow {
        class: Some(Class::Crash),
        note: Some("signal 6, at \"x\"".to_owned()),
        ..row(Role::Again, OLD, 0, Answer::Crash, 5)
    };
    let study = study(&[row(Role::Release, OLD, 0, Answer::Crash, 5), wrong]);
    let files = tables::csv(&study);
    let (_, triggers) = files.iter().find(|(name, _)| *name == "triggers.csv").unwrap();
    assert!(
        triggers.contains("crash,ints,z3@4.8.7.0,0,0,3,\"signal 6, at \"\"x\"\"\",(assert p)\n"),
        "{triggers}"
    );
}
