//! `smelt findings clusters`: findings with one cause, put together.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_campaign::dating::Added;
use smelt_campaign::record::folder_of;
use smelt_campaign::releases::{behaviour, options_of};
use smelt_oracle::finding::{Class, Evidence};
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::signature::Signature;
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_store::finding::{Finding, Recorded};
use smelt_triage::dedup::form::form;
use smelt_triage::dedup::{Fingerprint, Trigger, cluster};
use smelt_trial::target::Target;

use super::known::{self, Known};
use crate::exit::{Exit, Failure};
use crate::parallel;
use crate::releases::{Releases, Selection};
use crate::replay::family_of;
use crate::solvers::Place;
use crate::streams::Streams;
use crate::trust::{self, Item};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder of known bugs, by which clusters are labelled [default: none]
    #[arg(long, value_name = "FOLDER")]
    known: Option<PathBuf>,
    /// Write the representative of each cluster that is not known to this folder, as a known bug [default: nothing]
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    /// Ask only releases of this range, such as 4.8.5..5.4 [default: all that are installed]
    #[arg(long, value_name = "RANGE")]
    versions: Option<String>,
    /// Ask no releases [default: ask]
    #[arg(long, conflicts_with = "versions")]
    offline: bool,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", default_value_t = 5.0)]
    timeout: f64,
    /// How many runs at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// What the arguments before the action say.
pub(super) struct Context<'c> {
    pub dir: &'c Path,
    pub json: bool,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'c> {
    representative: &'c str,
    class: &'static str,
    solver: Option<&'c str>,
    findings: Vec<&'c str>,
    count: u64,
    bytes: usize,
    lines: usize,
    operators: &'c [String],
    releases: Option<&'c Fingerprint>,
    known: Option<&'c str>,
    status: Option<&'c str>,
}

pub(super) fn run(
    args: &Args,
    context: &Context<'_>,
    findings: &[Recorded],
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    if !args.timeout.is_finite() || args.timeout <= 0.0 {
        streams.error("the timeout must be a positive number of seconds")?;
        return Ok(Exit::BadInput);
    }
    let known = match args.known.as_deref().map(known::read).transpose() {
        Ok(known) => known.unwrap_or_default(),
        Err(message) => {
            streams.error(&message)?;
            return Ok(Exit::BadInput);
        }
    };
    let texts: Vec<String> = findings
        .iter()
        .map(|recorded| text_of(context.dir, recorded))
        .chain(known.iter().map(|known| known.text.clone()))
        .collect();
    let kinds: Vec<Kind> = findings
        .iter()
        .map(|recorded| Kind::of(&recorded.finding))
        .chain(known.iter().map(|known| known.kind.clone()))
        .collect();
    let signatures = findings
        .iter()
        .map(|recorded| signature_of(&recorded.finding))
        .chain(known.iter().map(|known| known.signature.clone()));
    let mut triggers: Vec<Trigger> = texts
        .iter()
        .zip(&kinds)
        .zip(signatures)
        .map(|((text, kind), signature)| trigger(text, kind, signature))
        .collect();
    // Releases are run with the options of the culprits and of known bugs.
    let commands = findings.iter().flat_map(|recorded| &recorded.finding.commands).map(Item::command);
    let options = known.iter().map(|known| &known.kind).filter(|kind| !kind.options.is_empty());
    let options = options.map(|kind| Item::options(kind.family.unwrap_or("-"), &kind.options));
    let items: Vec<Item> = commands.chain(options).collect();
    if !args.offline
        && let Err(exit) =
            trust::ask(&format!("the campaign in `{}`", context.dir.display()), &items, streams)?
    {
        return Ok(exit);
    }
    if !args.offline
        && let Err(exit) = ask_releases(args, &texts, &kinds, &mut triggers, streams)?
    {
        return Ok(exit);
    }
    let clusters = cluster(&triggers);
    let mut shown = 0;
    for numbers in &clusters {
        // A known bug may be the smallest of its cluster, but is no finding.
        let members: Vec<usize> = numbers.iter().copied().filter(|number| *number < findings.len()).collect();
        let Some(&representative) = members.first() else { continue };
        shown += 1;
        let label = numbers.iter().find_map(|number| known.get(number.checked_sub(findings.len())?));
        // One that releases were asked about speaks for those that are the same formula.
        let fingerprint = numbers.iter().find_map(|number| triggers[*number].fingerprint.as_ref());
        let finding = &findings[representative].finding;
        let line = Line {
            representative: finding.id.as_str(),
            class: finding.verdict.class.word(),
            solver: finding.verdict.culprit.as_deref(),
            findings: members.iter().map(|number| findings[*number].finding.id.as_str()).collect(),
            count: members.iter().map(|number| findings[*number].finding.count).sum(),
            bytes: texts[representative].len(),
            lines: texts[representative].lines().count(),
            operators: &triggers[representative].operators,
            releases: fingerprint,
            known: label.map(|known| known.name.as_str()),
            status: label.map(|known| known.status.as_str()),
        };
        print(&line, context.json, streams)?;
        if let (Some(folder), None) = (&args.write, label) {
            let bug = Known {
                name: finding.id.to_string(),
                status: "open".to_owned(),
                kind: kinds[representative].clone(),
                signature: triggers[representative].signature.clone(),
                text: texts[representative].clone(),
            };
            known::write(&bug, folder)
                .map_err(|error| Failure::Output { path: folder.display().to_string(), error })?;
        }
    }
    streams.message(&format!("{} findings in {shown} clusters\n", findings.len()))?;
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Findings })
}

/// For each finding, the one that stands for all of its cause, if it is another one; releases are not asked.
pub(crate) fn same_causes(dir: &Path, findings: &[Recorded]) -> Vec<Option<FindingId>> {
    let mut same = vec![None; findings.len()];
    for numbers in bugs(dir, findings) {
        for number in &numbers[1..] {
            same[*number] = Some(findings[numbers[0]].finding.id.clone());
        }
    }
    same
}

/// Findings that seem to be one bug, by their numbers: each bug with its worst and smallest finding first, in the order
/// of these. Releases are not asked.
pub(crate) fn bugs(dir: &Path, findings: &[Recorded]) -> Vec<Vec<usize>> {
    let triggers: Vec<Trigger> = findings.iter().map(|recorded| trigger_of(dir, recorded)).collect();
    let mut bugs = cluster(&triggers);
    for numbers in &mut bugs {
        numbers.sort_by_key(|number| {
            (findings[*number].finding.verdict.class, triggers[*number].bytes, *number)
        });
    }
    bugs.sort_by_key(|numbers| numbers[0]);
    bugs
}

fn trigger_of(dir: &Path, recorded: &Recorded) -> Trigger {
    let text = text_of(dir, recorded);
    trigger(&text, &Kind::of(&recorded.finding), signature_of(&recorded.finding))
}

/// Where a bug may be known already.
pub(crate) struct Search<'s> {
    /// The folder of a campaign.
    pub dir: Option<&'s Path>,
    /// A folder of known bugs.
    pub known: Option<&'s Path>,
}

/// What a search for duplicates came to.
pub(crate) struct Duplicates {
    /// The first finding or known bug that seems to have the same cause, in words.
    pub first: Option<String>,
    /// Where it was looked for, in words; none if nowhere.
    pub searched: Option<String>,
}

impl Search<'_> {
    /// Looks for a finding with this formula; what keeps us from that, in words.
    pub(crate) fn duplicates(&self, finding: &Finding, formula: &str) -> Result<Duplicates, String> {
        let findings = match self.dir {
            Some(dir) => smelt_campaign::record::list(dir).map_err(|error| error.to_string())?,
            None => Vec::new(),
        };
        let known = self.known.map(known::read).transpose()?.unwrap_or_default();
        let own = trigger(formula, &Kind::of(finding), signature_of(finding));
        let mut triggers = vec![own];
        let mut names = vec![String::new()];
        for recorded in &findings {
            triggers.push(trigger_of(self.dir.unwrap_or(Path::new("")), recorded));
            names.push(format!("finding {}", recorded.finding.id));
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
pub(super) struct Kind {
    /// The class.
    pub class: String,
    /// The family of the culprit; none if nobody is blamed.
    pub family: Option<&'static str>,
    /// The options of the culprit.
    pub options: Vec<String>,
}

impl Kind {
    fn of(finding: &Finding) -> Kind {
        let culprit = finding.verdict.culprit.as_ref();
        let command = finding.commands.iter().find(|command| Some(&command.solver) == culprit);
        let family = command.map(|command| Family::of_name(family_of(command)));
        let options = command.zip(family).map(|(command, family)| options_of(command, family));
        Kind {
            class: finding.verdict.class.word().to_owned(),
            family: family.map(Family::name),
            options: options.unwrap_or_default(),
        }
    }

    /// `crash z3 smt.string_solver=z3str3`.
    pub(super) fn text(&self) -> String {
        let words = [self.class.as_str(), self.family.unwrap_or("-")];
        words.into_iter().chain(self.options.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    /// The same of all kinds that may have one cause: a solver that says `sat` where it is wrong prints a model that is
    /// wrong too, and which of the two is found first is chance.
    fn cause(&self) -> String {
        let is_model = self.class == Class::InvalidModel.word();
        let class = if is_model { Class::SoundnessSolution.word() } else { self.class.as_str() };
        Kind { class: class.to_owned(), ..self.clone() }.text()
    }

    /// Reads what [`Kind::text`] gives.
    pub(super) fn read(text: &str) -> Kind {
        let mut words = text.split_whitespace();
        let class = words.next().unwrap_or_default().to_owned();
        let name = words.next().unwrap_or_default();
        let family = Family::ALL.into_iter().map(Family::name).find(|family| *family == name);
        Kind { class, family, options: words.map(str::to_owned).collect() }
    }
}

/// The smallest formula that shows a finding, as far as it is known.
fn text_of(dir: &Path, recorded: &Recorded) -> String {
    let finding = &recorded.finding;
    let added = Added::read(&folder_of(dir, &finding.id));
    let formula = added.reduced.or_else(|| finding.formula.clone());
    formula.unwrap_or_else(|| recorded.script.clone())
}

/// Where a finding crashes, if it says more than which signal ended the process.
fn signature_of(finding: &Finding) -> Option<String> {
    match &finding.verdict.evidence {
        Evidence::Signature(signature) if Signature::parse(signature).names_a_place() => {
            Some(signature.clone())
        }
        _ => None,
    }
}

/// Asks releases about one trigger of each formula.
fn ask_releases(
    args: &Args,
    texts: &[String],
    kinds: &[Kind],
    triggers: &mut [Trigger],
    streams: &mut Streams,
) -> Result<Result<(), Exit>, Failure> {
    let place = Place::of_user();
    let limits = Limits::for_seconds(args.timeout);
    let mut wanted: BTreeMap<&Kind, Vec<usize>> = BTreeMap::new();
    for numbers in cluster(triggers) {
        let first = numbers[0];
        if triggers[first].signature.is_none() {
            wanted.entry(&kinds[first]).or_default().push(first);
        }
    }
    for (kind, numbers) in wanted {
        let family = kind.family.map(Family::of_name).filter(|family| family.package().is_some());
        let Some(family) = family else { continue };
        let request = args.versions.clone();
        let selection = Selection { family, request, options: kind.options.clone() };
        // With a single release there is nothing to compare.
        let Ok(mut releases) = Releases::new(&place, selection, false) else { continue };
        streams.message(&format!(
            "asking {} releases of {} about {} formulas\n",
            releases.len(),
            family.name(),
            numbers.len()
        ))?;
        let names: Vec<String> = (0..releases.len()).map(|point| releases.name(point)).collect();
        let targets: Vec<(String, Target)> = names
            .into_iter()
            .enumerate()
            .filter_map(|(point, name)| Some((name, releases.target(point)?.clone())))
            .collect();
        let ask = |number: &usize| {
            let behave = |(name, target): &(String, Target)| {
                Ok((name.clone(), behaviour(&texts[*number], target, &limits)?))
            };
            let asked: Result<Fingerprint, smelt_campaign::replay::ReplayError> =
                targets.iter().map(behave).collect();
            (*number, asked)
        };
        let mut problem = None;
        let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
        let asked = parallel::in_order(&numbers, jobs, ask, |(number, asked)| match asked {
            Ok(fingerprint) => {
                triggers[number].fingerprint = Some(fingerprint);
                Ok(())
            }
            Err(error) => {
                problem = Some(error.to_string());
                Err(())
            }
        });
        if let (Err(()), Some(problem)) = (asked, problem) {
            streams.error(&problem)?;
            return Ok(Err(Exit::EnvironmentFailed));
        }
    }
    Ok(Ok(()))
}

fn print(line: &Line<'_>, json: bool, streams: &mut Streams) -> Result<(), Failure> {
    if json {
        streams.json_line(line)?;
        return Ok(());
    }
    let out = streams.results();
    writeln!(
        out,
        "{} {}: {} finding{}, seen {} times{}",
        line.class,
        line.solver.unwrap_or("-"),
        line.findings.len(),
        if line.findings.len() == 1 { "" } else { "s" },
        line.count,
        line.known
            .zip(line.status)
            .map_or_else(String::new, |(known, status)| format!("; known as {known}, {status}"))
    )?;
    writeln!(out, "  {} ({} bytes, {} lines)", line.representative, line.bytes, line.lines)?;
    writeln!(out, "  {}", line.operators.join(" "))?;
    if let Some(releases) = line.releases {
        writeln!(out, "  {}", in_rows(releases))?;
    }
    Ok(())
}

/// What releases do, those in a row that do the same together.
fn in_rows(releases: &Fingerprint) -> String {
    let mut names: Vec<&String> = releases.keys().collect();
    names.sort_by_key(|name| {
        smelt_runner::versions::version_key(name.split_once('@').map_or("", |(_, version)| version))
    });
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
