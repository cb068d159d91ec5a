//! Findings on disk: one folder each, complete or not there at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smelt_oracle::case::Lineage;
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::run::Run;

/// What is known of a finding, as in `finding.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Finding {
    /// The version of this format.
    pub format: u32,
    /// The name of its folder.
    pub id: String,
    /// What is wrong, who is to blame, and why.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Whether fresh processes showed it again.
    pub confirmed: bool,
    /// How many cases showed it.
    pub count: u64,
    /// Where the first case comes from.
    pub lineage: Lineage,
    /// The operators of the formula.
    pub operators: Vec<String>,
    /// Operators on which the culprit follows an older definition.
    pub drifting: Vec<String>,
    /// The confirming runs.
    pub runs: Vec<Run>,
    /// The size of the case.
    pub bytes: usize,
}

const FORMAT: u32 = 1;

/// A confirmed observation, on its way to becoming a finding or one more count of one.
#[derive(Debug, Clone)]
pub struct Observation {
    /// What is wrong.
    pub verdict: Verdict,
    /// The case, as it was given to the culprit.
    pub script: String,
    /// The formula modulo names, for telling findings apart.
    pub canonical: String,
    /// The operators of the formula.
    pub operators: Vec<String>,
    /// Operators on which the culprit follows an older definition.
    pub drifting: Vec<String>,
    /// Where the case comes from.
    pub lineage: Lineage,
    /// The confirming runs.
    pub runs: Vec<Run>,
}

/// Of observations with the same class, culprit and operators only so many are kept as findings of their own.
const MOST_ALIKE: usize = 3;

/// The findings of a campaign.
#[derive(Debug)]
pub struct Findings {
    folder: PathBuf,
    by_key: FxHashMap<String, String>,
    alike: FxHashMap<String, Vec<String>>,
    findings: FxHashMap<String, Finding>,
}

impl Findings {
    /// The findings below a campaign's folder, those of earlier hunts included.
    pub fn open(campaign: &Path) -> io::Result<Findings> {
        let folder = campaign.join("findings");
        fs::create_dir_all(&folder)?;
        let mut findings = Findings {
            folder,
            by_key: FxHashMap::default(),
            alike: FxHashMap::default(),
            findings: FxHashMap::default(),
        };
        for finding in list(campaign)? {
            findings.alike.entry(group_of(&finding)).or_default().push(finding.id.clone());
            findings.by_key.insert(finding.id.clone(), finding.id.clone());
            findings.findings.insert(finding.id.clone(), finding);
        }
        Ok(findings)
    }

    /// Takes an observation; true if it is a new finding.
    pub fn add(&mut self, observation: Observation) -> io::Result<bool> {
        let id = id_of(&observation);
        let finding = Finding {
            format: FORMAT,
            id: id.clone(),
            verdict: observation.verdict,
            confirmed: true,
            count: 1,
            lineage: observation.lineage,
            operators: observation.operators,
            drifting: observation.drifting,
            bytes: observation.script.len(),
            runs: observation.runs,
        };
        let group = group_of(&finding);
        let alike = self.alike.entry(group).or_default();
        let known = match self.by_key.get(&id) {
            Some(known) => Some(known.clone()),
            None if alike.len() >= MOST_ALIKE => alike.first().cloned(),
            None => None,
        };
        if let Some(known) = known {
            if let Some(finding) = self.findings.get_mut(&known) {
                finding.count += 1;
            }
            return Ok(false);
        }
        alike.push(id.clone());
        self.by_key.insert(id.clone(), id.clone());
        self.write(&finding, &observation.script)?;
        self.findings.insert(id, finding);
        Ok(true)
    }

    /// Writes a folder under another name and renames it, so that it is never seen half done.
    fn write(&self, finding: &Finding, script: &str) -> io::Result<()> {
        let partial = self.folder.join(format!(".{}.partial", finding.id));
        let _ = fs::remove_dir_all(&partial);
        fs::create_dir_all(&partial)?;
        fs::write(partial.join("case.smt2"), script)?;
        fs::write(partial.join("finding.json"), json(finding)?)?;
        fs::write(partial.join("report.md"), report(finding, script))?;
        fs::write(partial.join("replay.sh"), replay(finding))?;
        fs::rename(&partial, self.folder.join(&finding.id))
    }

    /// Writes the counts of all findings.
    pub fn flush(&self) -> io::Result<()> {
        for finding in self.findings.values() {
            let path = self.folder.join(&finding.id).join("finding.json");
            let partial = path.with_extension("json.partial");
            fs::write(&partial, json(finding)?)?;
            fs::rename(&partial, &path)?;
        }
        Ok(())
    }

    /// All findings, the worst first.
    pub fn all(&self) -> Vec<&Finding> {
        let mut findings: Vec<&Finding> = self.findings.values().collect();
        findings.sort_by(|left, right| {
            (left.verdict.class, &left.verdict.culprit, left.bytes, &left.id).cmp(&(
                right.verdict.class,
                &right.verdict.culprit,
                right.bytes,
                &right.id,
            ))
        });
        findings
    }
}

/// Reads the findings below a campaign's folder.
pub fn list(campaign: &Path) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for entry in fs::read_dir(campaign.join("findings"))?.flatten() {
        let path = entry.path().join("finding.json");
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if is_hidden || !path.is_file() {
            continue;
        }
        let finding: Finding = serde_json::from_str(&fs::read_to_string(&path)?).map_err(io::Error::from)?;
        findings.push(finding);
    }
    findings.sort_by(|left, right| (left.verdict.class, &left.id).cmp(&(right.verdict.class, &right.id)));
    Ok(findings)
}

fn json(finding: &Finding) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(finding)? + "\n")
}

fn culprit(verdict: &Verdict) -> &str {
    verdict.culprit.as_deref().unwrap_or("-")
}

fn group_of(finding: &Finding) -> String {
    format!("{} {} {}", finding.verdict.class.word(), culprit(&finding.verdict), finding.operators.join(" "))
}

/// The same crash, or the same formula with the same fault, is the same finding.
fn id_of(observation: &Observation) -> String {
    let cause = match &observation.verdict.evidence {
        Evidence::Signature(signature) if signature.contains('|') => signature.as_str(),
        _ => observation.canonical.as_str(),
    };
    let verdict = &observation.verdict;
    let key = format!("{} {} {cause}", verdict.class.word(), culprit(verdict));
    let hash = blake3::hash(key.as_bytes()).to_hex();
    format!("{}-{}", verdict.class.word(), &hash.as_str()[..10])
}

fn replay(finding: &Finding) -> String {
    let solvers: Vec<String> = finding.runs.iter().map(|run| format!("--solver '{}'", run.solver)).collect();
    format!("#!/bin/sh\ncd \"$(dirname \"$0\")\" && smelt run case.smt2 {}\n", solvers.join(" "))
}

fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn rounded(times: &[f64]) -> String {
    times.iter().map(|time| format!("{time:.0}")).collect::<Vec<_>>().join(" ")
}

/// A text ready for an issue tracker.
fn report(finding: &Finding, script: &str) -> String {
    let verdict = &finding.verdict;
    let solver = culprit(verdict);
    let headline = match verdict.class {
        Class::Disputed => "solvers disagree".to_owned(),
        Class::Drift => format!("{solver} follows an older definition of {}", finding.drifting.join(", ")),
        class => format!("{solver} {}", class.about()),
    };
    let mut text = format!("# {headline}\n\n```smt2\n{}\n```\n\n", script.trim_end());
    text.push_str(&match &verdict.evidence {
        Evidence::Model { solver, model } => format!(
            "This model, printed by {solver}, satisfies every assertion (evaluated by smelt, independently of any solver):\n\n```\n{model}\n```\n"
        ),
        Evidence::FalseAssertions { model, assertions } => {
            format!(
                "The model makes assertion {} false (evaluated by smelt, independently of any solver):\n\n```\n{model}\n```\n",
                listed(assertions)
            )
        }
        Evidence::Construction => "The formula was made to have the other answer.\n".to_owned(),
        Evidence::Agreement { solvers } => {
            format!("{} say `unsat`, and the model that was printed fails.\n", solvers.join(", "))
        }
        Evidence::Signature(signature) => format!("Signature: `{signature}`\n"),
        Evidence::Disagreement { sat, unsat } => {
            format!("`sat` by {}; `unsat` by {}.\n", sat.join(", "), unsat.join(", "))
        }
        Evidence::Core { assertions, solver, model } => format!(
            "The core has assertion {}. This model, printed by {solver}, satisfies them all (evaluated by smelt, independently of any solver):\n\n```\n{model}\n```\n",
            listed(assertions)
        ),
        Evidence::Contradiction { change, contradiction, output } => {
            format!("Asked with {change}: {contradiction}.\n\n```\n{output}\n```\n")
        }
        Evidence::Times { reference, culprit_ms, reference_ms } => format!(
            "Processor time in ms, measured in turn: {} against {} of {reference}.\n",
            rounded(culprit_ms),
            rounded(reference_ms)
        ),
        Evidence::EarlierAnswer { solver, answer, reason } => {
            format!("{solver} says `{}`, which is right; the reason given is `{reason}`.\n", answer.word())
        }
        Evidence::WarmCold { warm, cold, signature } => format!(
            "`{}` at the end of this session, twice, and `{}` in a process of its own.{}\n",
            warm.word(),
            cold.word(),
            signature.as_ref().map_or_else(String::new, |signature| format!(" Signature: `{signature}`"))
        ),
    });
    text.push_str("\n| solver | answer | reason |\n|---|---|---|\n");
    for run in &finding.runs {
        let reason = run.reason.as_deref().unwrap_or("").replace('|', "\\|");
        text.push_str(&format!("| {} | {} | {} |\n", run.solver, run.answer.word(), reason.trim()));
    }
    let lineage = &finding.lineage;
    text.push_str(&format!(
        "\nFound by technique `{}` from seed `{}` (random seed {}, step {}). Seen {} time{}.\n",
        lineage.technique,
        lineage.seed,
        lineage.random_seed,
        lineage.step,
        finding.count,
        if finding.count == 1 { "" } else { "s" }
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(canonical: &str) -> Observation {
        Observation {
            verdict: Verdict {
                class: Class::Crash,
                culprit: Some("z3".to_owned()),
                evidence: Evidence::Signature("signal 11".to_owned()),
            },
            script: "(check-sat)\n".to_owned(),
            canonical: canonical.to_owned(),
            operators: vec!["str.len".to_owned()],
            drifting: Vec::new(),
            lineage: Lineage {
                technique: "operator".to_owned(),
                seed: "s".to_owned(),
                random_seed: 1,
                step: 1,
            },
            runs: Vec::new(),
        }
    }

    #[test]
    fn the_same_formula_is_one_finding_with_a_counter() {
        let folder = tempfile::tempdir().unwrap();
        let mut findings = Findings::open(folder.path()).unwrap();
        assert!(findings.add(observation("a")).unwrap());
        assert!(!findings.add(observation("a")).unwrap());
        findings.flush().unwrap();
        let found = list(folder.path()).unwrap();
        assert_eq!((found.len(), found[0].count), (1, 2));
    }

    #[test]
    fn only_some_of_many_alike_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut findings = Findings::open(folder.path()).unwrap();
        for number in 0..10 {
            findings.add(observation(&number.to_string())).unwrap();
        }
        assert_eq!(findings.all().len(), MOST_ALIKE);
        assert_eq!(findings.all().iter().map(|finding| finding.count).sum::<u64>(), 10);
    }

    #[test]
    fn a_folder_that_was_left_half_done_is_not_a_finding() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("findings/.crash-1.partial")).unwrap();
        assert_eq!(list(folder.path()).unwrap().len(), 0);
    }

    #[test]
    fn findings_of_earlier_hunts_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let mut findings = Findings::open(folder.path()).unwrap();
        findings.add(observation("a")).unwrap();
        drop(findings);
        let mut findings = Findings::open(folder.path()).unwrap();
        assert!(!findings.add(observation("a")).unwrap());
    }
}
