//! Tests of the record of a campaign.

use std::collections::BTreeMap;
use std::time::Duration;

use smelt_store::configuration::{Budget, Configuration, Sharing};
use smelt_store::finding::{FORMAT, SafeMode};
use smelt_store::recorder::{CaseRecord, Session, VerdictRecord};
use smelt_store::totals::Totals;

use super::*;

fn recorded(canonical: &str) -> Finding {
    changed(canonical, |_| ())
}

/// A finding that was changed before it got its id.
fn changed(canonical: &str, change: impl FnOnce(&mut Finding)) -> Finding {
    let verdict = Verdict {
        class: Class::Crash,
        culprit: Some("z3".to_owned()),
        evidence: Evidence::Signature("signal 11".to_owned()),
    };
    let lineage = Lineage { technique: "operator".to_owned(), seed: "s".to_owned(), random_seed: 1, step: 1 };
    let script = "(check-sat)\n".to_owned();
    let mut finding = Finding {
        format: FORMAT,
        id: FindingId::new(Class::Crash, &[0; 32]),
        verdict,
        confirmed: true,
        count: 1,
        lineage,
        detail: String::new(),
        operators: vec!["str.len".to_owned()],
        drifting: Vec::new(),
        runs: Vec::new(),
        commands: Vec::new(),
        timeout_secs: Some(1.0),
        bytes: script.len(),
        formula: Some(script.clone()),
        other_words: BTreeMap::new(),
        evaluated: Vec::new(),
        safe_mode: None,
        script,
    };
    change(&mut finding);
    let Finding { verdict, lineage, operators, .. } = &finding;
    finding.id = id_of(verdict, lineage, operators, canonical);
    finding.bytes = finding.script.len();
    finding
}

/// A campaign in a folder, with what works on it.
fn open(folder: &Path) -> (Findings, Recorder) {
    let mut store = Store::open(folder).unwrap();
    let findings = Findings::open(folder, &mut store).unwrap();
    if store.campaign().unwrap().is_none() {
        let configuration = Configuration {
            solvers: Vec::new(),
            techniques: Vec::new(),
            judges: Vec::new(),
            random_seed: 0,
            timeout_secs: 1.0,
            chain_length: 10,
            sharing: Sharing::Fixed,
            triples: None,
            slowdown: None,
        };
        store.begin_campaign(&configuration, &[], &Budget::default()).unwrap();
    }
    let session = Session { smelt: "test", jobs: 1, own_cpu: || Duration::ZERO };
    (findings, Recorder::start(store, Totals::default(), session).unwrap())
}

/// The findings that have folders.
fn folders(campaign: &Path) -> Vec<Finding> {
    list_folders(campaign).unwrap().into_iter().map(Result::unwrap).collect()
}

#[test]
fn the_same_formula_is_one_finding_with_a_counter() {
    let folder = tempfile::tempdir().unwrap();
    let (mut findings, recorder) = open(folder.path());
    let first = findings.add(recorded("a"), 1001, &recorder).unwrap();
    let second = findings.add(recorded("a"), 1001, &recorder).unwrap();
    assert_eq!(first, second);
    findings.flush().unwrap();
    let exported = folders(folder.path());
    assert_eq!((exported.len(), exported[0].count), (1, 2));
}

#[test]
fn a_finding_of_a_campaign_that_was_taken_away_names_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = folder.path().join("campaign");
    fs::create_dir(&campaign).unwrap();
    let (mut findings, recorder) = open(&campaign);
    findings.add(recorded("a"), 1001, &recorder).unwrap();
    findings.add(recorded("a"), 1002, &recorder).unwrap();
    fs::rename(&campaign, folder.path().join("elsewhere")).unwrap();
    let error = findings.flush().unwrap_err().to_string();
    assert!(error.contains("campaign.db` was removed or replaced"), "{error}");
}

#[test]
fn variants_of_one_seed_are_one_finding() {
    let variant =
        |canonical: &str| changed(canonical, |one| one.lineage.technique = variant::NAME.to_owned()).id;
    assert_eq!(variant("a"), variant("b"));
    assert_ne!(variant("a"), recorded("a").id);
}

#[test]
fn only_some_of_many_alike_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (mut findings, recorder) = open(folder.path());
    for number in 1..=10 {
        findings.add(recorded(&number.to_string()), number, &recorder).unwrap();
    }
    assert_eq!(findings.all().len(), MAX_ALIKE);
    assert_eq!(findings.all().iter().map(|finding| finding.count).sum::<u64>(), 10);
    let operators = vec!["and".to_owned(), "str.len".to_owned()];
    let connected = changed("with a connective", |one| one.operators = operators);
    findings.add(connected, 1001, &recorder).unwrap();
    assert_eq!(findings.all().len(), MAX_ALIKE);
}

/// The record of the case at a place that a finding was seen in.
fn case_with(counted: Counted, place: u64) -> CaseRecord {
    let verdict = VerdictRecord {
        verdict: recorded("").verdict,
        finding: counted.id,
        alike: counted.alike,
        cpu: Duration::ZERO,
    };
    CaseRecord { step: place as u32, verdicts: vec![verdict], ..CaseRecord::default() }
}

#[test]
fn a_finding_whose_case_was_not_recorded_keeps_no_more_than_others_when_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (mut findings, recorder) = open(folder.path());
    // The hunt is killed after the finding is recorded and before its case is.
    findings.add(recorded("50"), 50, &recorder).unwrap();
    recorder.finish().unwrap();
    let (mut findings, recorder) = open(folder.path());
    for place in [1, 2, 3, 4, 5, 50] {
        findings.add(recorded(&place.to_string()), place, &recorder).unwrap();
    }
    let kept: BTreeSet<&FindingId> = findings.all().into_iter().map(|finding| &finding.id).collect();
    let first = [1, 2, 3].map(|place| recorded(&place.to_string()).id);
    assert_eq!(kept, first.iter().collect());
    recorder.finish().unwrap();
    assert_eq!(folders(folder.path()).len(), MAX_ALIKE);
}

#[test]
fn which_are_kept_does_not_depend_on_the_order_in_which_they_arrive() {
    let kept = |places: &[u64]| {
        let folder = tempfile::tempdir().unwrap();
        let (mut findings, recorder) = open(folder.path());
        for place in places {
            let counted = findings.add(recorded(&place.to_string()), *place, &recorder).unwrap();
            recorder.case(case_with(counted, *place)).unwrap();
        }
        recorder.finish().unwrap();
        findings.flush().unwrap();
        let counts = |all: Vec<Finding>| -> BTreeMap<String, u64> {
            all.into_iter().map(|one| (one.id.to_string(), one.count)).collect()
        };
        let listed = counts(list(folder.path()).unwrap());
        assert_eq!(counts(folders(folder.path())).len(), listed.len());
        // What a hunt says that goes on is the same.
        let (findings, _) = open(folder.path());
        assert_eq!(findings.len(), listed.len());
        listed
    };
    let in_order = kept(&[1, 2, 3, 4, 5]);
    assert_eq!((in_order.len(), in_order.values().sum::<u64>()), (MAX_ALIKE, 5));
    assert_eq!(kept(&[5, 4, 3, 2, 1]), in_order);
    assert_eq!(kept(&[3, 5, 1, 4, 2]), in_order);
}

#[test]
fn cases_that_count_for_the_first_of_a_group_do_not_keep_it_when_earlier_ones_come() {
    let folder = tempfile::tempdir().unwrap();
    let add = |places: std::ops::Range<u64>| {
        let (mut findings, recorder) = open(folder.path());
        for place in places {
            let counted = findings.add(recorded(&place.to_string()), place, &recorder).unwrap();
            recorder.case(case_with(counted, place)).unwrap();
        }
        recorder.finish().unwrap();
        findings.flush().unwrap();
    };
    // Those after the third are dropped and count for the first; then the campaign is resumed.
    add(31..40);
    add(16..19);
    let mut kept: Vec<String> = list(folder.path()).unwrap().iter().map(|one| one.id.to_string()).collect();
    kept.sort();
    let mut expected: Vec<String> =
        (16..19).map(|place| recorded(&place.to_string()).id.to_string()).collect();
    expected.sort();
    assert_eq!(kept, expected);
}

#[test]
fn a_finding_whose_case_is_to_be_done_again_is_not_taken_for_the_last_of_its_group() {
    let folder = tempfile::tempdir().unwrap();
    let (mut findings, recorder) = open(folder.path());
    for place in 11..=13 {
        let counted = findings.add(recorded(&place.to_string()), place, &recorder).unwrap();
        recorder.case(case_with(counted, place)).unwrap();
    }
    // The hunt is killed after the finding of an earlier case was recorded and before that case was.
    recorder.finding(recorded("first")).unwrap();
    recorder.finish().unwrap();
    let (mut findings, recorder) = open(folder.path());
    assert_eq!(findings.len(), MAX_ALIKE + 1);
    findings.add(recorded("first"), 1, &recorder).unwrap();
    assert_eq!(findings.len(), MAX_ALIKE);
    assert!(findings.get(&recorded("first").id).is_some());
    assert!(findings.get(&recorded("13").id).is_none());
}

/// One crash site that cases with different operators lead to; `place` is the case's place in the order of cases.
fn crash_with(operator: &str, place: u64) -> Finding {
    changed(&place.to_string(), |crash| {
        crash.verdict.evidence = Evidence::Signature("panic | main.rs:3".to_owned());
        crash.operators = vec![operator.to_owned()];
        crash.script = format!("; case {place}\n(check-sat)\n");
    })
}

#[test]
fn a_crash_site_is_one_finding_with_its_first_case_in_whatever_order_its_cases_arrive() {
    let kept = |operators: &[(&str, u64)]| {
        let folder = tempfile::tempdir().unwrap();
        let (mut findings, recorder) = open(folder.path());
        for (operator, place) in operators {
            // Formulas with these operators that are other findings.
            for other in 0..3 {
                let alike = changed(&format!("{operator} {other}"), |one| {
                    one.operators = vec![(*operator).to_owned()];
                });
                findings.add(alike, 10 + other, &recorder).unwrap();
            }
            findings.add(crash_with(operator, *place), *place, &recorder).unwrap();
        }
        recorder.finish().unwrap();
        findings.flush().unwrap();
        let scripts = |all: Vec<Finding>| -> BTreeMap<String, String> {
            all.into_iter().map(|one| (one.id.to_string(), one.script)).collect()
        };
        let listed = scripts(list(folder.path()).unwrap());
        assert_eq!(scripts(folders(folder.path())), listed);
        listed
    };
    let in_order = kept(&[("str.len", 4), ("str.at", 5), ("str.++", 20)]);
    assert_eq!(in_order.values().filter(|script| script.contains("; case 4")).count(), 1);
    assert_eq!(in_order.len(), 10);
    assert_eq!(kept(&[("str.++", 20), ("str.at", 5), ("str.len", 4)]), in_order);
    assert_eq!(kept(&[("str.at", 5), ("str.++", 20), ("str.len", 4)]), in_order);
}

#[test]
fn a_folder_that_was_left_half_done_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let partial = folder.path().join("findings/.crash-1.partial");
    fs::create_dir_all(&partial).unwrap();
    assert!(open(folder.path()).0.is_empty());
    assert!(!partial.exists());
}

#[test]
fn a_folder_that_is_missing_or_damaged_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut findings, recorder) = open(folder.path());
    let ids = ["a", "b"].map(|formula| findings.add(recorded(formula), 1001, &recorder).unwrap().id);
    recorder.finish().unwrap();
    let path = |id: &FindingId| folder_of(folder.path(), id);
    fs::remove_dir_all(path(&ids[0])).unwrap();
    fs::write(path(&ids[1]).join("finding.json"), "{").unwrap();
    let (findings, _) = open(folder.path());
    assert_eq!(findings.len(), 2);
    assert_eq!(folders(folder.path()).len(), 2);
}

#[test]
fn a_folder_without_a_record_is_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let (mut findings, recorder) = open(folder.path());
    let id = findings.add(recorded("a"), 1001, &recorder).unwrap();
    recorder.finish().unwrap();
    for file in ["campaign.db", "campaign.db-wal", "campaign.db-shm"] {
        let _ = fs::remove_file(folder.path().join(file));
    }
    let (mut findings, recorder) = open(folder.path());
    assert_eq!(findings.add(recorded("a"), 1001, &recorder).unwrap(), id);
    assert_eq!(list(folder.path()).unwrap().len(), 1);
}

#[test]
fn findings_of_earlier_hunts_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let (mut findings, recorder) = open(folder.path());
    let id = findings.add(recorded("a"), 1001, &recorder).unwrap();
    recorder.finish().unwrap();
    let (mut findings, recorder) = open(folder.path());
    assert_eq!(findings.add(recorded("a"), 1001, &recorder).unwrap(), id);
    assert_eq!(findings.len(), 1);
}

#[test]
fn findings_inside_safe_mode_come_before_those_outside_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let (mut findings, recorder) = open(folder.path());
    for (formula, safe_mode) in [("a", SafeMode::Outside), ("b", SafeMode::Inside)] {
        let script = formula.repeat(if safe_mode == SafeMode::Inside { 100 } else { 1 });
        let one = changed(formula, |one| {
            one.script = script;
            one.safe_mode = Some(safe_mode);
        });
        findings.add(one, 1001, &recorder).unwrap();
    }
    let all = findings.all();
    assert_eq!(
        all.iter().map(|finding| finding.safe_mode).collect::<Vec<_>>(),
        [Some(SafeMode::Inside), Some(SafeMode::Outside)]
    );
    assert!(report(all[0], &Added::default()).contains("inside safe mode"));
    assert!(report(all[1], &Added::default()).contains("outside safe mode"));
}

#[test]
fn only_the_folder_of_the_same_finding_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let recorded_here = recorded("a");
    let target = folder.path().join("any-name");
    export(&recorded_here, &target).unwrap();
    export(&recorded_here, &target).unwrap();
    let other = recorded("b");
    assert!(export(&other, &target).unwrap_err().to_string().contains("another finding"));
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("thesis.tex"), "years").unwrap();
    assert!(export(&recorded_here, &precious).unwrap_err().to_string().contains("no finding"));
    assert_eq!(fs::read_to_string(precious.join("thesis.tex")).unwrap(), "years");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn links_in_a_campaign_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let campaign = folder.path().join("campaign");
    fs::create_dir(&campaign).unwrap();
    std::os::unix::fs::symlink(&elsewhere, campaign.join("findings")).unwrap();
    assert!(matches!(list(&campaign), Err(StoreError::Link { .. })));
    let mut store = Store::open(&campaign).unwrap();
    assert!(matches!(Findings::open(&campaign, &mut store), Err(StoreError::Link { .. })));
    fs::remove_file(campaign.join("findings")).unwrap();
    let (mut findings, recorder) = open(&campaign);
    let id = findings.add(recorded("a"), 1001, &recorder).unwrap().id;
    recorder.finish().unwrap();
    fs::remove_dir_all(folder_of(&campaign, &id)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder_of(&campaign, &id)).unwrap();
    assert!(matches!(list(&campaign), Err(StoreError::Link { .. })));
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}
