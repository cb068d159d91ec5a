//! `smelt findings`: what a campaign has found.

mod clusters;

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_campaign::campaign::Campaign;
use smelt_campaign::record::{export_with, folder_of, list};
use smelt_oracle::finding::{Class, Evidence};
use smelt_oracle::finding_id::FindingId;
use smelt_report::finding::report;
use smelt_report::finding::triage_files::Added;
use smelt_store::finding::{Finding, Recorded, SafeMode};
use smelt_triage::cluster::findings::{bugs, same_causes};

use crate::error::{CliError, Exit};
use crate::hints::{DEFAULT_DIR, in_campaign};
use crate::streams::Streams;

/// List, show and export the findings of a campaign, the worst first
///
/// Each has a folder below DIR/findings with the case, a report for an issue tracker and a script that runs it again.
/// Findings whose formulas are the same up to names, or that crash in the same place, are one bug and have one line; sizes
/// and operators are those of the reduced formula where there is one. A hunt may be running meanwhile. Exit status 1 if
/// there are findings.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt findings --json\n         smelt findings show crash-1a2b3c4d5e\n         \
        smelt findings export reports/ --class crash"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// The campaign's folder
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DIR, global = true)]
    dir: PathBuf,
    /// Only findings of this class, such as crash [default: all]
    #[arg(long, value_name = "CLASS", global = true, value_parser = parse_class)]
    class: Option<Class>,
    /// Only findings that blame this solver [default: all]
    #[arg(long, value_name = "SOLVER", global = true)]
    solver: Option<String>,
    /// Only N bugs: the worst, and of these first those that no release has fixed [default: all]
    #[arg(long, value_name = "N", global = true)]
    top: Option<usize>,
    /// List every finding, also those that are one bug [default: one line a bug; JSON has every finding unless --top]
    #[arg(long)]
    all: bool,
    /// Print one JSON object per finding instead of text [default: text]
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print the report of a finding
    Show {
        /// The id of a finding, or how it begins
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Put findings with one cause together, by crash, formula, operators and what releases do with them
    ///
    /// Findings should be reduced first. Every installed release of the culprit's family is asked, with the culprit's
    /// options. Known bugs are files with a formula and lines such as `; status: fixed in 4.8.8` before it.
    Clusters(clusters::Args),
    /// Write findings to a folder, each to one of its own
    Export {
        /// Where to write them
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'f> {
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

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let mut findings = read(&args.dir)?;
    findings.retain(|recorded| {
        let verdict = &recorded.finding.verdict;
        args.class.is_none_or(|class| class == verdict.class)
            && args.solver.as_ref().is_none_or(|solver| Some(solver) == verdict.culprit.as_ref())
    });
    if let Some(top) = args.top {
        findings = worst_bugs(&args.dir, findings, top);
    }
    match &args.action {
        None => print_list(args, &findings, streams)?,
        Some(Action::Clusters(action)) => {
            let context = clusters::Context { dir: &args.dir, json: args.json };
            return clusters::run(action, &context, &findings, streams);
        }
        Some(Action::Show { id }) => {
            let recorded = find_one(&findings, id, &args.dir)?;
            if args.json {
                print_json(&args.dir, &recorded.finding, None, streams)?;
            } else {
                let added = added(&args.dir, &recorded.finding);
                let text = report(&recorded.finding, &recorded.script, &added);
                // A report is for people who have its folder; here we know the campaign too.
                let replay = format!("smelt replay {}", recorded.finding.id);
                write!(streams.results(), "{}", text.replace(&replay, &in_campaign(&replay, &args.dir)))?;
            }
        }
        Some(Action::Export { folder }) => {
            for recorded in &findings {
                let target = folder.join(&recorded.finding.id);
                std::fs::create_dir_all(folder)
                    .and_then(|()| Added::load(&folder_of(&args.dir, &recorded.finding.id)))
                    .and_then(|added| export_with(recorded, &added, &target))
                    .map_err(|error| CliError::Output { path: target.display().to_string(), error })?;
            }
            writeln!(streams.results(), "{} findings to {}", findings.len(), folder.display())?;
        }
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The findings of a campaign.
pub(crate) fn read(dir: &Path) -> Result<Vec<Recorded>, CliError> {
    if !Campaign::exists(dir) && !dir.join("findings").is_dir() {
        return Err(CliError::usage(format!(
            "there is no campaign in `{}`; name its folder with --dir, or start one with `smelt hunt`",
            dir.display()
        )));
    }
    list(dir).map_err(|error| CliError::environment(error.to_string()))
}

/// The finding whose id is this or begins with it.
pub(crate) fn find_one<'f>(findings: &'f [Recorded], id: &str, dir: &Path) -> Result<&'f Recorded, CliError> {
    if let Some(exact) = findings.iter().find(|recorded| recorded.finding.id == *id) {
        return Ok(exact);
    }
    let alike: Vec<&Recorded> =
        findings.iter().filter(|recorded| recorded.finding.id.as_str().starts_with(id)).collect();
    match alike.as_slice() {
        [one] => Ok(one),
        [] => Err(CliError::Usage(format!(
            "there is no finding `{id}`; `{}` lists those there are",
            in_campaign("smelt findings", dir)
        ))),
        more => {
            Err(CliError::Usage(format!("{} findings begin with `{id}`; give more of the id", more.len())))
        }
    }
}

/// What triage has added to a finding.
fn added(dir: &Path, finding: &Finding) -> Added {
    Added::read(&folder_of(dir, &finding.id))
}

/// The class with this name.
fn parse_class(word: &str) -> Result<Class, String> {
    Class::ALL.into_iter().find(|class| class.word() == word).ok_or_else(|| {
        let known: Vec<&str> = Class::ALL.iter().map(|class| class.word()).collect();
        format!("unknown class `{word}` (expected one of: {})", known.join(", "))
    })
}

/// The finding that stands for each of the worst bugs.
fn worst_bugs(dir: &Path, findings: Vec<Recorded>, count: usize) -> Vec<Recorded> {
    let mut first: Vec<Recorded> =
        bugs(dir, &findings).iter().map(|numbers| findings[numbers[0]].clone()).collect();
    first.sort_by_cached_key(|recorded| {
        let added = added(dir, &recorded.finding);
        let is_fixed = added.dating.as_ref().is_some_and(|dating| dating.fixed.is_some());
        let finding = &recorded.finding;
        (finding.verdict.class, finding.is_outside_safe_mode(), is_fixed, Size::of(finding, &added).bytes)
    });
    first.truncate(count);
    first
}

/// The formula that the report of a finding shows, in numbers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub bytes: usize,
    pub is_reduced: bool,
}

impl Size {
    pub(crate) fn of(finding: &Finding, added: &Added) -> Size {
        match &added.shown {
            Some(shown) => Size { bytes: shown.script.len(), is_reduced: added.is_reduced(finding) },
            None => Size { bytes: finding.bytes, is_reduced: false },
        }
    }
}

fn print_list(args: &Args, findings: &[Recorded], streams: &mut Streams) -> Result<(), CliError> {
    let same = same_causes(&args.dir, findings);
    if args.json {
        for (recorded, same_as) in findings.iter().zip(&same) {
            print_json(&args.dir, &recorded.finding, same_as.as_ref(), streams)?;
        }
        return Ok(());
    }
    let mut shown = 0;
    for (recorded, same_as) in findings.iter().zip(&same) {
        if same_as.is_some() && !args.all {
            continue;
        }
        shown += 1;
        let id = &recorded.finding.id;
        let is_alike = |(_, same_as): &(&Recorded, &Option<FindingId>)| same_as.as_ref() == Some(id);
        let alike: Vec<&Recorded> =
            findings.iter().zip(&same).filter(is_alike).map(|(recorded, _)| recorded).collect();
        let note = match (same_as, alike.len()) {
            (Some(other), _) => format!("same as {other}  "),
            (None, 0) => String::new(),
            (None, count) => format!("+{count} alike  "),
        };
        let more = if args.all { 0 } else { alike.iter().map(|recorded| recorded.finding.count).sum() };
        print_line(&args.dir, &recorded.finding, &Alike { more, note }, streams)?;
    }
    if shown < findings.len() {
        streams.message(&format!(
            "{} findings, {shown} bugs as far as formulas and crashes tell; --all lists every finding\n",
            findings.len()
        ))?;
    }
    Ok(())
}

fn print_json(
    dir: &Path,
    finding: &Finding,
    same_as: Option<&FindingId>,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let added = added(dir, finding);
    let size = Size::of(finding, &added);
    let shown = added.shown.as_ref();
    let culprit = finding.verdict.culprit.as_deref();
    streams.json_line(&Line {
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
    })?;
    Ok(())
}

/// Findings that are the same bug as one that is listed.
struct Alike {
    /// How often they were seen.
    more: u64,
    /// In words.
    note: String,
}

fn print_line(dir: &Path, finding: &Finding, alike: &Alike, streams: &mut Streams) -> Result<(), CliError> {
    let added = added(dir, finding);
    let size = Size::of(finding, &added);
    let first_bad = added.dating.as_ref().and_then(|dating| dating.first_bad.as_deref());
    let operators = added.shown.as_ref().map_or(&finding.operators, |shown| &shown.operators);
    writeln!(
        streams.results(),
        "{:<34} {:<24} {:>5}x {:>6} bytes {:<11} {}{}{}",
        finding.id,
        finding.verdict.culprit.as_deref().unwrap_or("-"),
        finding.count + alike.more,
        size.bytes,
        if size.is_reduced { "reduced" } else { "not reduced" },
        first_bad.map_or_else(String::new, |first_bad| format!("since {first_bad}  ")),
        alike.note,
        operators.join(" ")
    )?;
    Ok(())
}
