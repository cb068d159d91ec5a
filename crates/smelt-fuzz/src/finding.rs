//! `finding.json` and the files beside it: what is read is written in the same way, a report can be made of it, and all of
//! it stays in one folder.

use std::fs;

use smelt_campaign::record::{export, list};
use smelt_report::finding::exhibit::Exhibit;
use smelt_report::finding::report;
use smelt_report::finding::triage_files::{Added, Dating, Triage};
use smelt_store::finding::Finding;

use crate::SEPARATOR;

/// Reads a finding, its case, and what triage may have added to it.
pub fn check(input: &str) {
    let [finding, script, triage, dating, shown] = crate::parts(input);
    let Ok(finding) = serde_json::from_str::<Finding>(finding) else { return };
    let again = serde_json::to_string(&finding).expect("a finding is written as JSON");
    let again: Finding = serde_json::from_str(&again).expect("what was written is read");
    assert_eq!(format!("{finding:?}"), format!("{again:?}"), "what was written is the same");
    let added = Added {
        triage: serde_json::from_str::<Triage>(triage).ok(),
        dating: serde_json::from_str::<Dating>(dating).ok(),
        shown: serde_json::from_str::<Exhibit>(shown).ok(),
        ..Added::default()
    };
    let finding = Finding { script: script.to_owned(), ..finding };
    assert!(!report(&finding, &added).is_empty());
    check_export(&finding);
}

/// A folder that is written is the only one that is there, and reads as the finding.
fn check_export(finding: &Finding) {
    let campaign = tempfile::tempdir().expect("there is room for temporary files");
    let findings = campaign.path().join("findings");
    fs::create_dir(&findings).expect("an empty folder can be filled");
    if export(finding, &findings.join(&finding.id)).is_err() {
        // Names of solvers may be too long for files.
        return;
    }
    let entries = |folder| fs::read_dir(folder).into_iter().flatten().flatten().count();
    assert_eq!((entries(campaign.path()), entries(&findings)), (1, 1), "all is in one folder");
    let listed = list(campaign.path()).expect("folders are read if there is no record");
    assert_eq!(listed.len(), 1, "what was written is found");
    assert_eq!(listed[0].script, finding.script);
}

/// Findings with every kind of evidence.
pub fn seeds() -> Vec<(String, String)> {
    const EVIDENCE: &[(&str, &str, &str)] = &[
        ("crash", "crash", r#"{"signature":"signal 11 | ASSERTION VIOLATION | File: ast.cpp"}"#),
        (
            "model",
            "soundness-refutation",
            r#"{"model":{"solver":"cvc5","model":"((define-fun s () String \"a\"))"}}"#,
        ),
        (
            "false",
            "invalid-model",
            r#"{"false-assertions":{"model":"((define-fun s () String \"```\"))","assertions":[1]}}"#,
        ),
        ("impossible", "soundness-solution", r#"{"false-under-every-model":{"assertions":[1]}}"#),
        ("construction", "soundness-solution", r#""construction""#),
        ("suspect", "disputed", r#"{"suspect-claim":{"solvers":["z3"],"refuted_by":null}}"#),
        ("agreement", "soundness-solution", r#"{"agreement":{"solvers":["cvc5","yices"]}}"#),
        ("disagreement", "disputed", r#"{"disagreement":{"sat":["z3"],"unsat":["cvc5"]}}"#),
        ("core", "invalid-core", r#"{"core":{"assertions":[1],"solver":"cvc5","model":"()"}}"#),
        (
            "proof",
            "invalid-proof-step",
            r#"{"false-claim":{"rule":"rewrite","line":1,"conclusion":"false","values":["x = 1"],"script":"","confirmed_by":[]}}"#,
        ),
        (
            "contradiction",
            "inconsistency",
            r#"{"contradiction":{"change":"push","contradiction":"sat","output":""}}"#,
        ),
        ("times", "hang", r#"{"times":{"reference":"cvc5","culprit_ms":[1e3,2e3],"reference_ms":[1.5]}}"#),
        (
            "earlier",
            "incompleteness-regression",
            r#"{"earlier-answer":{"solver":"z3@4.8.7","answer":"sat","reason":"x"}}"#,
        ),
        (
            "link",
            "incompleteness-implication",
            r#"{"earlier-link":{"formula":"(check-sat)","answer":"unsat","change":"and","reason":"implied"}}"#,
        ),
        ("warm-cold", "warm-cold", r#"{"warm-cold":{"warm":"sat","cold":"unsat","signature":null}}"#),
    ];
    const TRIAGE: &str = r#"{"format":1,"is_finished":true,"options":["a=1"],"same_as":null}"#;
    const DATING: &str = r#"{"format":1,"first_bad":"z3@4.8.7.0","last_good":null,"fixed":null,"more_may_exist":false,"seen":[["z3@4.8.7.0","bad"]]}"#;
    let seed = |(name, class, evidence): &(&str, &str, &str)| {
        let finding = FINDING.replace("CLASS", class).replace("EVIDENCE", evidence);
        ((*name).to_owned(), [finding.as_str(), "(check-sat)\n", TRIAGE, DATING, "{}"].join(SEPARATOR))
    };
    EVIDENCE.iter().map(seed).collect()
}

/// A finding of which the class and the evidence are left out.
const FINDING: &str = r#"{
  "format": 1,
  "id": "CLASS-e096a5d675",
  "class": "CLASS",
  "culprit": "z3@4.8.7",
  "evidence": EVIDENCE,
  "confirmed": true,
  "count": 2,
  "lineage": {"technique": "operator", "seed": "a.smt2", "random_seed": 16294208416658607535, "step": 3},
  "detail": "replaced `=`",
  "operators": ["=", "or"],
  "drifting": [],
  "runs": [
    {"solver": "z3@4.8.7", "answer": "crash", "answers": ["sat"], "output": "(model)", "reason": "line 1 | x",
     "crash_signature": "signal 11", "limit": "cpu", "cpu_ms": 1.424, "wall_ms": 2.788, "max_rss_kb": 12172}
  ],
  "commands": [
    {"solver": "z3@4.8.7", "program": "/usr/bin/z3", "args": ["-in", "smt.x=a b"], "environment": [["A", "b'c"]],
     "version": null, "hash": null}
  ],
  "timeout_secs": 5.0,
  "bytes": 12,
  "formula": "(declare-const s String)\n(assert (= s \"a\"))\n(check-sat)\n",
  "other_words": {"cvc5": "(check-sat)\n"},
  "evaluated": [{"number": 1, "assertion": "(= s \"a\")", "value": "false", "parts": [["s", "\"b\""]]}],
  "safe_mode": "outside"
}"#;
