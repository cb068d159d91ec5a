//! A finding in a list: one line of text, or of JSON.

use serde::Serialize;
use smelt_oracle::finding::{Class, Evidence};
use smelt_oracle::finding_id::FindingId;
use smelt_store::finding::{Finding, SafeMode};

use super::triage_files::Added;

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct FindingLine<'f> {
    id: &'f FindingId,
    class: Class,
    solver: Option<&'f str>,
    culprit: Option<&'f str>,
    evidence: &'f Evidence,
    confirmed: bool,
    count: u64,
    technique: &'f str,
    /// The size of the formula that the report shows.
    bytes: usize,
    /// Whether that formula is reduced.
    reduced: bool,
    /// The size of the case as it was found.
    case_bytes: usize,
    /// The finding that stands for this one and others with the same cause, if it is another one.
    same_as: Option<&'f FindingId>,
    /// The first release that shows it; nothing until it is looked for.
    first_bad: Option<&'f str>,
    operators: &'f [String],
    /// Whether it shows in safe mode; nothing if its solver has no such mode.
    safe_mode: Option<SafeMode>,
}

impl<'f> FindingLine<'f> {
    /// What is known of a finding, with what triage has added to it.
    pub fn new(finding: &'f Finding, added: &'f Added, same_as: Option<&'f FindingId>) -> Self {
        let size = ShownSize::of(finding, added);
        let shown = added.shown.as_ref();
        let culprit = finding.verdict.culprit.as_deref();
        FindingLine {
            id: &finding.id,
            class: finding.verdict.class,
            solver: culprit,
            culprit,
            evidence: shown.map_or(&finding.verdict.evidence, |shown| &shown.verdict.evidence),
            confirmed: finding.confirmed,
            count: finding.count,
            technique: &finding.lineage.technique,
            bytes: size.bytes,
            reduced: size.is_reduced,
            case_bytes: finding.bytes,
            same_as,
            first_bad: added.dating.as_ref().and_then(|dating| dating.first_bad.as_deref()),
            operators: shown.map_or(&finding.operators, |shown| &shown.operators),
            safe_mode: finding.safe_mode,
        }
    }
}

/// The formula that the report of a finding shows, in numbers.
#[derive(Debug, PartialEq, Eq)]
pub struct ShownSize {
    /// Its bytes.
    pub bytes: usize,
    /// Whether it is smaller than the case as it was found.
    pub is_reduced: bool,
}

impl ShownSize {
    /// The size of what triage shows of a finding.
    pub fn of(finding: &Finding, added: &Added) -> ShownSize {
        match &added.shown {
            Some(shown) => ShownSize { bytes: shown.script.len(), is_reduced: added.is_reduced(finding) },
            None => ShownSize { bytes: finding.bytes, is_reduced: false },
        }
    }
}

/// Findings that are the same bug as one that is listed.
#[derive(Debug, Default)]
pub struct AlikeFindings {
    /// How often they were seen.
    pub more: u64,
    /// In words.
    pub note: String,
}

/// A finding in a line of text, with those that are the same bug.
pub fn list_row(finding: &Finding, added: &Added, alike: &AlikeFindings) -> String {
    let size = ShownSize::of(finding, added);
    let first_bad = added.dating.as_ref().and_then(|dating| dating.first_bad.as_deref());
    let operators = added.shown.as_ref().map_or(&finding.operators, |shown| &shown.operators);
    format!(
        "{:<34} {:<24} {:>5}x {:>6} bytes {:<11} {}{}{}",
        finding.id,
        finding.verdict.culprit.as_deref().unwrap_or("-"),
        finding.count + alike.more,
        size.bytes,
        if size.is_reduced { "reduced" } else { "not reduced" },
        first_bad.map_or_else(String::new, |first_bad| format!("since {first_bad}  ")),
        alike.note,
        operators.join(" ")
    )
}
