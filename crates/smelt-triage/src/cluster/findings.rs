//! Findings and known bugs with one cause, by their smallest formulas, where they crash, and what releases do with them.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use smelt_campaign::dialogue::CannotWrite;
use smelt_campaign::record::{folder_of, list};
use smelt_campaign::releases::{behaviour, options_of};
use smelt_campaign::replay::ReplayError;
use smelt_campaign::solvers::{culprit_of, family_of};
use smelt_oracle::finding::Class;
use smelt_oracle::finding_id::FindingId;
use smelt_report::finding::triage_files::Added;
use smelt_runner::family::Family;
use smelt_runner::installation::Installation;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_store::error::StoreError;
use smelt_store::finding::Finding;
use smelt_trial::target::Target;

use super::form::form;
use super::known::{self, Known, KnownError};
use super::{Fingerprint, Trigger, cluster};
use crate::bisect::releases::{Releases, Selection};
use crate::crash_stacks::{find_stack, signature_of};

/// Why duplicates cannot be looked for.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The findings of the campaign cannot be read.
    #[error(transparent)]
    Record(#[from] StoreError),
    /// The known bugs cannot be read.
    #[error(transparent)]
    Known(#[from] KnownError),
}

/// Findings and known bugs that are to be put together, numbered in this order.
pub struct Collection {
    findings: usize,
    texts: Vec<String>,
    kinds: Vec<Kind>,
    triggers: Vec<Trigger>,
}

/// Findings with one cause.
#[derive(Debug)]
pub struct Cluster<'c> {
    /// The numbers of the findings, the one that represents them first.
    pub findings: Vec<usize>,
    /// The number of a known bug with that cause, among the known bugs.
    pub known: Option<usize>,
    /// What releases do with them, if they were asked.
    pub releases: Option<&'c Fingerprint>,
}

/// Releases to be asked about formulas.
pub struct Question<'i> {
    /// The releases.
    pub releases: Releases<'i>,
    /// The numbers of the formulas.
    pub numbers: Vec<usize>,
}

impl Collection {
    /// The findings of a campaign, and known bugs.
    pub fn new(dir: &Path, findings: &[Finding], known: &[Known]) -> Self {
        let texts: Vec<String> = findings
            .iter()
            .map(|finding| text_of(dir, finding))
            .chain(known.iter().map(|known| known.text.clone()))
            .collect();
        let kinds: Vec<Kind> =
            findings.iter().map(Kind::of).chain(known.iter().map(|known| known.kind.clone())).collect();
        let signature = |finding: &Finding| signature_of(finding, &added_to(dir, finding));
        let signatures =
            findings.iter().map(signature).chain(known.iter().map(|known| known.signature.clone()));
        let triggers = texts
            .iter()
            .zip(&kinds)
            .zip(signatures)
            .map(|((text, kind), signature)| trigger(text, kind, signature))
            .collect();
        Collection { findings: findings.len(), texts, kinds, triggers }
    }

    /// Asks a debugger where those of the findings crash that do not say it. The user has agreed to their programs.
    pub fn find_stacks(
        &mut self,
        place: &Installation,
        dir: &Path,
        findings: &[Finding],
    ) -> Result<(), CannotWrite> {
        let own = self.triggers.iter_mut().zip(findings);
        for (trigger, finding) in own.filter(|(trigger, _)| trigger.signature.is_none()) {
            let folder = folder_of(dir, &finding.id);
            find_stack(place, finding, &folder).map_err(CannotWrite::to(&folder))?;
            trigger.signature = signature_of(finding, &added_to(dir, finding));
        }
        Ok(())
    }

    /// The smallest formula of a finding.
    pub fn text(&self, number: usize) -> &str {
        &self.texts[number]
    }

    /// The operators of that formula.
    pub fn operators(&self, number: usize) -> &[String] {
        &self.triggers[number].operators
    }

    /// A finding as a known bug.
    pub fn bug(&self, number: usize, name: String) -> Known {
        Known {
            name,
            status: "open".to_owned(),
            kind: self.kinds[number].clone(),
            signature: self.triggers[number].signature.clone(),
            text: self.texts[number].clone(),
        }
    }

    /// The installed releases that can tell formulas apart, each with one formula of those that are the same.
    pub fn questions<'i>(&self, installation: &'i Installation, versions: Option<&str>) -> Vec<Question<'i>> {
        let mut wanted: BTreeMap<&Kind, Vec<usize>> = BTreeMap::new();
        for numbers in cluster(&self.triggers) {
            let first = numbers[0];
            if self.triggers[first].signature.is_none() {
                wanted.entry(&self.kinds[first]).or_default().push(first);
            }
        }
        let mut questions = Vec::new();
        for (kind, numbers) in wanted {
            let family = kind.family.map(Family::of_name).filter(|family| family.package().is_some());
            let Some(family) = family else { continue };
            let request = versions.map(str::to_owned);
            let selection = Selection { family, request, options: kind.options.clone() };
            // With a single release there is nothing to compare.
            let Ok(releases) = Releases::new(installation, selection, false) else { continue };
            questions.push(Question { releases, numbers });
        }
        questions
    }

    /// Asks releases about formulas.
    pub fn ask(
        &mut self,
        question: &mut Question<'_>,
        limits: &Limits,
        jobs: NonZeroUsize,
    ) -> Result<(), ReplayError> {
        let Question { releases, numbers } = question;
        let names: Vec<String> = (0..releases.count()).map(|point| releases.name(point)).collect();
        let targets: Vec<(String, Target)> = names
            .into_iter()
            .enumerate()
            .filter_map(|(point, name)| Some((name, releases.target(point)?.clone())))
            .collect();
        let Collection { texts, triggers, .. } = self;
        let ask = |number: &usize| {
            let behave = |(name, target): &(String, Target)| {
                Ok((name.clone(), behaviour(&texts[*number], target, limits)?))
            };
            let asked: Result<Fingerprint, ReplayError> = targets.iter().map(behave).collect();
            (*number, asked)
        };
        parallel::in_order(numbers, jobs, ask, |(number, asked)| {
            triggers[number].fingerprint = Some(asked?);
            Ok(())
        })
    }

    /// The findings with one cause each; known bugs alone make no cluster.
    pub fn clusters(&self) -> Vec<Cluster<'_>> {
        let of = |numbers: &Vec<usize>| Cluster {
            findings: numbers.iter().copied().filter(|number| *number < self.findings).collect(),
            known: numbers.iter().find_map(|number| number.checked_sub(self.findings)),
            // One that releases were asked about speaks for those that are the same formula.
            releases: numbers.iter().find_map(|number| self.triggers[*number].fingerprint.as_ref()),
        };
        let clusters = cluster(&self.triggers);
        clusters.iter().map(of).filter(|cluster| !cluster.findings.is_empty()).collect()
    }
}

/// For each finding, the one that stands for all of its cause, if it is another one; releases are not asked.
pub fn same_causes(dir: &Path, findings: &[Finding]) -> Vec<Option<FindingId>> {
    let mut same = vec![None; findings.len()];
    for numbers in bugs(dir, findings) {
        for number in &numbers[1..] {
            same[*number] = Some(findings[numbers[0]].id.clone());
        }
    }
    same
}

/// Findings that seem to be one bug, by their numbers: each bug with its worst and smallest finding first, in the order
/// of these. Releases are not asked.
pub fn bugs(dir: &Path, findings: &[Finding]) -> Vec<Vec<usize>> {
    let triggers: Vec<Trigger> = findings.iter().map(|finding| trigger_of(dir, finding)).collect();
    let mut bugs = cluster(&triggers);
    for numbers in &mut bugs {
        numbers.sort_by_key(|number| (findings[*number].verdict.class, triggers[*number].bytes, *number));
    }
    bugs.sort_by_key(|numbers| numbers[0]);
    bugs
}

fn trigger_of(dir: &Path, finding: &Finding) -> Trigger {
    let text = text_of(dir, finding);
    trigger(&text, &Kind::of(finding), signature_of(finding, &added_to(dir, finding)))
}

/// Where a bug may be known already.
pub struct Search<'s> {
    /// The folder of a campaign.
    pub dir: Option<&'s Path>,
    /// A folder of known bugs.
    pub known: Option<&'s Path>,
}

/// The result of a search for duplicates.
pub struct Duplicates {
    /// The first finding or known bug that seems to have the same cause, in words.
    pub first: Option<String>,
    /// Where it was looked for, in words; none if nowhere.
    pub searched: Option<String>,
}

impl Search<'_> {
    /// Looks for a finding or known bug with the cause of this finding, whose smallest formula is given.
    pub fn duplicates(
        &self,
        finding: &Finding,
        added: &Added,
        formula: &str,
    ) -> Result<Duplicates, SearchError> {
        let findings = match self.dir {
            Some(dir) => list(dir)?,
            None => Vec::new(),
        };
        let known = self.known.map(known::read).transpose()?.unwrap_or_default();
        let own = trigger(formula, &Kind::of(finding), signature_of(finding, added));
        let mut triggers = vec![own];
        let mut names = vec![String::new()];
        for finding in &findings {
            triggers.push(trigger_of(self.dir.unwrap_or(Path::new("")), finding));
            names.push(format!("finding {}", finding.id));
        }
        for bug in &known {
            triggers.push(trigger(&bug.text, &bug.kind, bug.signature.clone()));
            names.push(format!("the known bug {} ({})", bug.name, bug.status));
        }
        let alike = cluster(&triggers).into_iter().find(|numbers| numbers.contains(&0)).unwrap_or_default();
        let first = alike.into_iter().find(|number| *number != 0).map(|number| names[number].clone());
        let campaign = self.dir.map(|dir| format!("{} findings of {}", findings.len(), dir.display()));
        let bugs = self.known.map(|folder| format!("{} known bugs of {}", known.len(), folder.display()));
        let searched: Vec<String> = campaign.into_iter().chain(bugs).collect();
        Ok(Duplicates { first, searched: (!searched.is_empty()).then(|| searched.join(" and ")) })
    }
}

fn trigger(text: &str, kind: &Kind, signature: Option<String>) -> Trigger {
    let (form, operators) = form(text);
    Trigger { kind: kind.cause(), signature, form, operators, fingerprint: None, bytes: text.len() }
}

/// What must be the same for two findings to have one cause.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// The class.
    pub class: String,
    /// The family of the culprit; none if no solver is blamed.
    pub family: Option<&'static str>,
    /// The options of the culprit.
    pub options: Vec<String>,
}

impl Kind {
    /// That of a finding.
    pub fn of(finding: &Finding) -> Kind {
        let command = culprit_of(finding);
        let family = command.map(|command| Family::of_name(family_of(command)));
        let options = command.zip(family).map(|(command, family)| options_of(command, family));
        Kind {
            class: finding.verdict.class.word().to_owned(),
            family: family.map(Family::name),
            options: options.unwrap_or_default(),
        }
    }

    /// `crash z3 smt.string_solver=z3str3`.
    pub fn text(&self) -> String {
        let words = [self.class.as_str(), self.family.unwrap_or("-")];
        words.into_iter().chain(self.options.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    /// The same of all kinds that may have one cause: a solver that says `sat` where it is wrong prints a model that is
    /// wrong too, and which of the two is found first is random.
    fn cause(&self) -> String {
        let is_model = self.class == Class::InvalidModel.word();
        let class = if is_model { Class::SoundnessSolution.word() } else { self.class.as_str() };
        Kind { class: class.to_owned(), ..self.clone() }.text()
    }

    /// Reads what [`Kind::text`] gives.
    pub fn read(text: &str) -> Kind {
        let mut words = text.split_whitespace();
        let class = words.next().unwrap_or_default().to_owned();
        let name = words.next().unwrap_or_default();
        let family = Family::ALL.into_iter().map(Family::name).find(|family| *family == name);
        Kind { class, family, options: words.map(str::to_owned).collect() }
    }
}

/// What triage has added to a finding of a campaign.
fn added_to(dir: &Path, finding: &Finding) -> Added {
    Added::read(&folder_of(dir, &finding.id))
}

/// The smallest formula that shows a finding, as far as it is known.
fn text_of(dir: &Path, finding: &Finding) -> String {
    let formula = added_to(dir, finding).reduced.or_else(|| finding.formula.clone());
    formula.unwrap_or_else(|| finding.script.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_they_are_written() {
        for text in ["crash z3 smt.string_solver=z3str3", "disputed -", "hang cvc5"] {
            assert_eq!(Kind::read(text).text(), text);
        }
    }

    #[test]
    fn a_wrong_sat_and_its_wrong_model_may_have_one_cause() {
        let cause = |text: &str| Kind::read(text).cause();
        assert_eq!(cause("invalid-model z3"), cause("soundness-solution z3"));
        assert_ne!(cause("invalid-model z3"), cause("soundness-refutation z3"));
        assert_ne!(cause("invalid-model z3"), cause("invalid-model cvc5"));
    }
}
