use std::path::Path;

use smelt_oracle::case::Lineage;
use smelt_oracle::finding::{Class, Evidence};

use super::*;
use crate::configuration::{
    Budget, Configuration, Origin, SeedRecord, Sharing, SolverCommand, SolverConfiguration,
};
use crate::finding::{FORMAT, Finding};
use crate::store::{Unfinished, database};

const SESSION: Session<'_> = Session { smelt: "0.1.0", jobs: 2, own_cpu: || Duration::ZERO };

fn configuration() -> Configuration {
    let command = SolverCommand {
        solver: "z3".to_owned(),
        program: "/bin/z3".to_owned(),
        args: Vec::new(),
        environment: Vec::new(),
        version: None,
        hash: None,
    };
    Configuration {
        solvers: vec![SolverConfiguration {
            command,
            family: "z3".to_owned(),
            dialect: None,
            mode: None,
            options_of: None,
        }],
        techniques: Vec::new(),
        judges: Vec::new(),
        random_seed: 0,
        timeout_secs: 2.0,
        chain_length: 10,
        sharing: Sharing::Yield,
        triples: None,
        slowdown: None,
    }
}

/// A store with a campaign.
fn begun(folder: &Path) -> Store {
    let mut store = Store::open(folder).unwrap();
    let seed = SeedRecord { name: "a".to_owned(), origin: Origin::BuiltIn, hash: "h".to_owned() };
    store.begin_campaign(&configuration(), &[seed], &Budget::default()).unwrap();
    store
}

fn chain(number: u64) -> ChainRecord {
    ChainRecord { number, seed: 0, technique: "operator".to_owned(), random_seed: u64::MAX }
}

fn case(chain: u64, step: u32) -> CaseRecord {
    let run = RunRecord {
        solver: 0,
        answer: Answer::Sat,
        limit: None,
        model: Some(ModelWord::Accepted),
        message: None,
        cpu: Duration::from_millis(3),
        wall: Duration::from_millis(4),
    };
    CaseRecord {
        chain,
        step,
        runs: vec![run],
        found: CaseYield {
            has_claim: step == 1,
            shapes: vec![u64::from(step)],
            findings: vec![u64::MAX],
            ..CaseYield::default()
        },
        ..CaseRecord::default()
    }
}

fn verdict_on(finding: &str) -> VerdictRecord {
    VerdictRecord {
        verdict: verdict(),
        finding: finding.parse().unwrap(),
        alike: u64::MAX,
        cpu: Duration::from_millis(3),
    }
}

fn crash(id: &str) -> Finding {
    Finding {
        format: FORMAT,
        id: id.parse().unwrap(),
        verdict: verdict(),
        confirmed: true,
        count: 1,
        lineage: Lineage { technique: "operator".to_owned(), seed: "a".to_owned(), random_seed: 1, step: 1 },
        detail: String::new(),
        operators: Vec::new(),
        drifting: Vec::new(),
        runs: Vec::new(),
        commands: Vec::new(),
        timeout_secs: Some(2.0),
        other_words: std::collections::BTreeMap::new(),
        bytes: 12,
        formula: None,
        evaluated: Vec::new(),
        safe_mode: None,
        script: "(check-sat)\n".to_owned(),
    }
}

fn verdict() -> Verdict {
    Verdict {
        class: Class::Crash,
        culprit: Some("z3".to_owned()),
        evidence: Evidence::Signature("signal 11".to_owned()),
    }
}

#[test]
fn what_was_recorded_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(begun(folder.path()), Totals::default(), SESSION).unwrap();
    recorder.begin(chain(0)).unwrap();
    recorder.begin(chain(2)).unwrap();
    for step in 1..=3 {
        recorder.case(case(0, step)).unwrap();
    }
    recorder.end(0, ChainEnd::Done).unwrap();
    recorder.case(case(2, 1)).unwrap();
    let (_, totals) = recorder.finish().unwrap();
    assert_eq!((totals.cases, totals.runs, totals.models), (4, 4, [4, 0, 0]));

    let store = Store::open_existing(folder.path()).unwrap().unwrap();
    let campaign = store.campaign().unwrap().unwrap();
    assert_eq!(campaign.totals, totals);
    assert_eq!(campaign.configuration, configuration());
    // Chain 0 is done, chain 1 was never begun, chain 2 has one case.
    assert_eq!(store.unfinished().unwrap(), Unfinished { chains: vec![(1, 0), (2, 1)], next: 3 });
}

#[test]
fn a_second_hunt_goes_on_counting() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(begun(folder.path()), Totals::default(), SESSION).unwrap();
    recorder.begin(chain(0)).unwrap();
    recorder.case(case(0, 1)).unwrap();
    let (store, totals) = recorder.finish().unwrap();
    let recorder = Recorder::start(store, totals, SESSION).unwrap();
    recorder.begin(chain(0)).unwrap();
    recorder.case(case(0, 2)).unwrap();
    recorder.end(0, ChainEnd::Done).unwrap();
    let (store, totals) = recorder.finish().unwrap();
    assert_eq!(totals.cases, 2);
    assert_eq!(store.unfinished().unwrap(), Unfinished { chains: Vec::new(), next: 1 });
}

#[test]
fn a_finding_is_there_at_once_for_everybody() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(begun(folder.path()), Totals::default(), SESSION).unwrap();
    recorder.finding(crash("crash-1a2b3c4d5e")).unwrap();
    // The recorder still has the database open, as it would when the process is killed.
    let reader = Store::open_existing(folder.path()).unwrap().unwrap();
    let findings = reader.findings().unwrap();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].script, "(check-sat)\n");
    assert_eq!(reader.campaign().unwrap().unwrap().totals.findings, [("crash".to_owned(), 1)]);
    recorder.finish().unwrap();
}

#[test]
fn cases_of_a_finding_that_is_dropped_count_for_the_first_of_those_like_it() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(begun(folder.path()), Totals::default(), SESSION).unwrap();
    recorder.begin(chain(0)).unwrap();
    for (step, id) in [(3, "crash-3a2b3c4d5e"), (2, "crash-2a2b3c4d5e"), (1, "crash-1a2b3c4d5e")] {
        recorder.finding(crash(id)).unwrap();
        let mut shown = case(0, step);
        shown.verdicts.push(verdict_on(id));
        recorder.case(shown).unwrap();
    }
    recorder.drop_finding("crash-3a2b3c4d5e", "crash").unwrap();
    let (store, totals) = recorder.finish().unwrap();
    let counts: Vec<(String, u64)> =
        store.findings().unwrap().into_iter().map(|one| (one.id.to_string(), one.count)).collect();
    assert_eq!(counts, [("crash-2a2b3c4d5e".to_owned(), 1), ("crash-1a2b3c4d5e".to_owned(), 2)]);
    assert_eq!(totals.findings, [("crash".to_owned(), 2)]);
    let found = store.yields().unwrap().cases.remove(&0).unwrap();
    assert_eq!((found[0].shapes.as_slice(), found[0].findings.as_slice()), (&[1][..], &[u64::MAX][..]));
}

#[test]
fn what_was_sent_to_no_solver_is_not_a_case_and_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(begun(folder.path()), Totals::default(), SESSION).unwrap();
    recorder.begin(chain(0)).unwrap();
    recorder.case(case(0, 1)).unwrap();
    let reason = Some("str.from_code".to_owned());
    recorder.case(CaseRecord { chain: 0, step: 2, not_sent: reason, ..CaseRecord::default() }).unwrap();
    let (store, totals) = recorder.finish().unwrap();
    assert_eq!((totals.cases, totals.all_not_sent()), (1, 1));
    assert_eq!(store.unfinished().unwrap(), Unfinished { chains: vec![(0, 2)], next: 1 });
    assert_eq!(store.yields().unwrap().cases[&0].len(), 1);
}

#[test]
fn a_record_whose_file_was_replaced_is_not_written_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(begun(folder.path()), Totals::default(), SESSION).unwrap();
    let path = database(folder.path());
    std::fs::rename(&path, folder.path().join("moved.db")).unwrap();
    std::fs::write(&path, "").unwrap();
    assert!(matches!(recorder.finding(crash("crash-1a2b3c4d5e")), Err(StoreError::Stopped)));
    let message = recorder.finish().unwrap_err().to_string();
    assert!(message.contains("was removed or replaced"), "{message}");
}

#[test]
fn a_finding_counts_the_cases_that_show_it_once_each() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(begun(folder.path()), Totals::default(), SESSION).unwrap();
    recorder.begin(chain(0)).unwrap();
    recorder.finding(crash("crash-1a2b3c4d5e")).unwrap();
    let mut shown = case(0, 1);
    shown.verdicts.push(verdict_on("crash-1a2b3c4d5e"));
    // The same case again, as after a hunt that was killed.
    recorder.case(shown.clone()).unwrap();
    recorder.finding(crash("crash-1a2b3c4d5e")).unwrap();
    recorder.case(shown).unwrap();
    let mut unconfirmed = case(0, 2);
    unconfirmed.unconfirmed = 1;
    recorder.case(unconfirmed).unwrap();
    let (store, totals) = recorder.finish().unwrap();
    let findings = store.findings().unwrap();
    assert_eq!((findings.len(), findings[0].count), (1, 1));
    assert_eq!(totals.unconfirmed, 1);
}

#[test]
fn a_finding_that_is_taken_in_keeps_its_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let mut old = crash("crash-1a2b3c4d5e");
    old.count = 7;
    store.take_in(&old).unwrap();
    store.take_in(&old).unwrap();
    assert_eq!(store.findings().unwrap(), [old]);
}

#[test]
fn a_lost_database_stops_the_recorder_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(begun(folder.path()), Totals::default(), SESSION).unwrap();
    let other = Store::open(folder.path()).unwrap();
    other.connection.execute_batch("DROP TABLE runs").unwrap();
    recorder.begin(chain(0)).unwrap();
    recorder.case(case(0, 1)).unwrap();
    assert!(recorder.finding(crash("crash-1a2b3c4d5e")).is_err());
    let message = recorder.finish().unwrap_err().to_string();
    assert!(message.contains("campaign.db") && message.contains("runs"), "{message}");
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("campaign.db"), "not a database at all, but long enough to be one")
        .unwrap();
    let message = Store::open(folder.path()).unwrap_err().to_string();
    assert!(message.contains("not a record of smelt"), "{message}");
}
