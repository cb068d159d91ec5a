//! Lists of findings: the worst bugs first, with those that are the same bug.

use std::path::Path;

use smelt_campaign::record::folder_of;
use smelt_oracle::finding_id::FindingId;
use smelt_report::finding::listing::{AlikeFindings, ShownSize, list_row};
use smelt_report::finding::triage_files::Added;
use smelt_store::finding::Finding;

use super::findings::{bugs, same_causes};

/// What triage has added to a finding.
pub fn added(dir: &Path, finding: &Finding) -> Added {
    Added::read(&folder_of(dir, &finding.id))
}

/// The finding that stands for each of the worst bugs.
pub fn worst_bugs(dir: &Path, findings: Vec<Finding>, count: usize) -> Vec<Finding> {
    let mut first: Vec<Finding> =
        bugs(dir, &findings).iter().map(|numbers| findings[numbers[0]].clone()).collect();
    first.sort_by_cached_key(|finding| {
        let added = added(dir, finding);
        let is_fixed = added.dating.as_ref().is_some_and(|dating| dating.fixed.is_some());
        (
            finding.verdict.class,
            finding.is_outside_safe_mode(),
            is_fixed,
            ShownSize::of(finding, &added).bytes,
        )
    });
    first.truncate(count);
    first
}

/// The rows of a list of findings.
#[derive(Debug)]
pub struct FindingRows {
    /// The rows, each with its end.
    pub text: String,
    /// How many there are.
    pub count: usize,
}

/// Findings in lines: one for each bug, or one for each finding if `is_all`.
pub fn rows(dir: &Path, findings: &[Finding], is_all: bool) -> FindingRows {
    let same = same_causes(dir, findings);
    let mut rows = FindingRows { text: String::new(), count: 0 };
    for (finding, same_as) in findings.iter().zip(&same) {
        if same_as.is_some() && !is_all {
            continue;
        }
        rows.count += 1;
        let id = &finding.id;
        let is_alike = |(_, same_as): &(&Finding, &Option<FindingId>)| same_as.as_ref() == Some(id);
        let alike: Vec<&Finding> =
            findings.iter().zip(&same).filter(is_alike).map(|(finding, _)| finding).collect();
        let note = match (same_as, alike.len()) {
            (Some(other), _) => format!("same as {other}  "),
            (None, 0) => String::new(),
            (None, count) => format!("+{count} alike  "),
        };
        let more = if is_all { 0 } else { alike.iter().map(|finding| finding.count).sum() };
        let added = added(dir, finding);
        rows.text += &list_row(finding, &added, &AlikeFindings { more, note });
        rows.text.push('\n');
    }
    rows
}
