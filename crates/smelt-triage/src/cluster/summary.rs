//! A cluster of findings, as text and as JSON.

use serde::Serialize;
use smelt_runner::versions::version_key;
use smelt_store::finding::Finding;

use super::Fingerprint;
use super::findings::{Cluster, Collection};
use super::known::Known;

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct ClusterLine<'c> {
    /// The finding that stands for all.
    representative: &'c str,
    /// Its class.
    class: &'static str,
    /// The solver that is blamed.
    solver: Option<&'c str>,
    /// All findings.
    findings: Vec<&'c str>,
    /// How often they were seen.
    count: u64,
    /// The size of the formula that is shown.
    bytes: usize,
    /// Its lines.
    lines: usize,
    /// Its operators.
    operators: &'c [String],
    /// What releases do with it, if they were asked.
    releases: Option<&'c Fingerprint>,
    /// The known bug that it is.
    known: Option<&'c str>,
    /// What is known of that.
    status: Option<&'c str>,
}

impl<'c> ClusterLine<'c> {
    /// A cluster of some findings, with the known bug that it is.
    pub fn of(
        cluster: &Cluster<'c>,
        collection: &'c Collection,
        findings: &'c [Finding],
        known: Option<&'c Known>,
    ) -> ClusterLine<'c> {
        let representative = cluster.findings[0];
        let members = || cluster.findings.iter().map(|number| &findings[*number]);
        let finding = &findings[representative];
        let text = collection.text(representative);
        ClusterLine {
            representative: finding.id.as_str(),
            class: finding.verdict.class.word(),
            solver: finding.verdict.culprit.as_deref(),
            findings: members().map(|finding| finding.id.as_str()).collect(),
            count: members().map(|finding| finding.count).sum(),
            bytes: text.len(),
            lines: text.lines().count(),
            operators: collection.operators(representative),
            releases: cluster.releases,
            known: known.map(|known| known.name.as_str()),
            status: known.map(|known| known.status.as_str()),
        }
    }

    /// The same in a few lines of text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{} {}: {} finding{}, seen {} times{}\n",
            self.class,
            self.solver.unwrap_or("-"),
            self.findings.len(),
            if self.findings.len() == 1 { "" } else { "s" },
            self.count,
            self.known
                .zip(self.status)
                .map_or_else(String::new, |(known, status)| format!("; known as {known}, {status}"))
        );
        text.push_str(&format!("  {} ({} bytes, {} lines)\n", self.representative, self.bytes, self.lines));
        text.push_str(&format!("  {}\n", self.operators.join(" ")));
        if let Some(releases) = self.releases {
            text.push_str(&format!("  {}\n", in_rows(releases)));
        }
        text
    }
}

/// What releases do, those in a row that do the same together.
fn in_rows(releases: &Fingerprint) -> String {
    let mut names: Vec<&String> = releases.keys().collect();
    names.sort_by_key(|name| version_key(name.split_once('@').map_or("", |(_, version)| version)));
    let mut rows: Vec<(&str, &str, &str)> = Vec::new();
    for name in names {
        let version = name.split_once('@').map_or(name.as_str(), |(_, version)| version);
        match rows.last_mut().filter(|(word, _, _)| *word == releases[name]) {
            Some(row) => row.2 = version,
            None => rows.push((&releases[name], version, version)),
        }
    }
    let row = |(word, first, last): &(&str, &str, &str)| match first == last {
        true => format!("{first} {word}"),
        false => format!("{first}..{last} {word}"),
    };
    rows.iter().map(row).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_that_do_the_same_are_shown_together() {
        let words = [("z3@4.8.10", "sat"), ("z3@4.8.9", "crash"), ("z3@4.8.8", "crash"), ("z3@5.0", "sat")];
        let releases = words.map(|(name, word)| (name.to_owned(), word.to_owned())).into();
        assert_eq!(in_rows(&releases), "4.8.8..4.8.9 crash, 4.8.10..5.0 sat");
    }
}
