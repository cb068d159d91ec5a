//! `smelt findings`: what a campaign has found.

mod clusters;
mod known;

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_campaign::campaign::Campaign;
use smelt_campaign::dating::Added;
use smelt_campaign::record::{export, list, report};
use smelt_oracle::finding::{Class, Evidence};
use smelt_store::finding::{Finding, Recorded, SafeMode};

use crate::exit::{Exit, Failure};
use crate::streams::Streams;

pub(crate) use clusters::same_causes;

/// List, show and export the findings of a campaign, the worst first
///
/// Each has a folder below DIR/findings with the case, a report for an issue tracker and a script that runs it again.
/// A hunt may be running meanwhile. Exit status 1 if there are findings.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt findings --json\n         smelt findings show crash-1a2b3c4d5e\n         \
        smelt findings export reports/ --class crash"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// The campaign's folder
    #[arg(long, value_name = "DIR", default_value = "smelt-campaign", global = true)]
    dir: PathBuf,
    /// Only findings of this class, such as crash [default: all]
    #[arg(long, value_name = "CLASS", global = true)]
    class: Option<String>,
    /// Only findings that blame this solver [default: all]
    #[arg(long, value_name = "SOLVER", global = true)]
    solver: Option<String>,
    /// Only so many findings: the worst, and of these first those that no release has fixed [default: all]
    #[arg(long, value_name = "N", global = true)]
    top: Option<usize>,
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
    id: &'f str,
    class: Class,
    solver: Option<&'f str>,
    culprit: Option<&'f str>,
    evidence: &'f Evidence,
    confirmed: bool,
    count: u64,
    technique: &'f str,
    bytes: usize,
    /// The first release that shows it; nothing until it is looked for.
    first_bad: Option<&'f str>,
    operators: &'f [String],
    /// Whether it shows in safe mode; nothing if its solver has no such mode.
    safe_mode: Option<SafeMode>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let mut findings = match read(&args.dir, streams)? {
        Ok(findings) => findings,
        Err(exit) => return Ok(exit),
    };
    findings.retain(|recorded| {
        let verdict = &recorded.finding.verdict;
        args.class.as_ref().is_none_or(|class| class == verdict.class.word())
            && args.solver.as_ref().is_none_or(|solver| Some(solver) == verdict.culprit.as_ref())
    });
    if let Some(top) = args.top {
        let rank = |recorded: &Recorded| {
            let added = added(&args.dir, &recorded.finding);
            let is_fixed = added.dating.is_some_and(|dating| dating.fixed.is_some());
            let bytes = added.reduced.map_or(recorded.finding.bytes, |reduced| reduced.len());
            (recorded.finding.verdict.class, recorded.finding.is_outside_safe_mode(), is_fixed, bytes)
        };
        findings.sort_by_cached_key(rank);
        findings.truncate(top);
    }
    match &args.action {
        None => {
            for recorded in &findings {
                print_line(&args.dir, &recorded.finding, args.json, streams)?;
            }
        }
        Some(Action::Clusters(action)) => {
            let context = clusters::Context { dir: &args.dir, json: args.json };
            return clusters::run(action, &context, &findings, streams);
        }
        Some(Action::Show { id }) => {
            let Some(recorded) = find_one(&findings, id, streams)? else { return Ok(Exit::BadInput) };
            if args.json {
                print_line(&args.dir, &recorded.finding, true, streams)?;
            } else {
                let added = added(&args.dir, &recorded.finding);
                write!(streams.results(), "{}", report(&recorded.finding, &recorded.script, &added))?;
            }
        }
        Some(Action::Export { folder }) => {
            for recorded in &findings {
                let target = folder.join(&recorded.finding.id);
                std::fs::create_dir_all(&target)
                    .and_then(|()| added(&args.dir, &recorded.finding).write(&target))
                    .and_then(|()| export(recorded, &target))
                    .map_err(|error| Failure::Output { path: target.display().to_string(), error })?;
            }
            writeln!(streams.results(), "{} findings to {}", findings.len(), folder.display())?;
        }
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The findings of a campaign; what keeps them from being read is told to the user.
pub(crate) fn read(dir: &Path, streams: &mut Streams) -> Result<Result<Vec<Recorded>, Exit>, Failure> {
    if !Campaign::exists(dir) && !dir.join("findings").is_dir() {
        streams.error(&format!(
            "there is no campaign in `{}`; name its folder with --dir, or start one with `smelt hunt`",
            dir.display()
        ))?;
        return Ok(Err(Exit::BadInput));
    }
    match list(dir) {
        Ok(findings) => Ok(Ok(findings)),
        Err(error) => {
            streams.error(&error.to_string())?;
            Ok(Err(Exit::EnvironmentFailed))
        }
    }
}

/// The finding whose id is this or begins with it; what keeps it from being found is told to the user.
pub(crate) fn find_one<'f>(
    findings: &'f [Recorded],
    id: &str,
    streams: &mut Streams,
) -> Result<Option<&'f Recorded>, Failure> {
    if let Some(exact) = findings.iter().find(|recorded| recorded.finding.id == id) {
        return Ok(Some(exact));
    }
    let alike: Vec<&Recorded> =
        findings.iter().filter(|recorded| recorded.finding.id.starts_with(id)).collect();
    let message = match alike.as_slice() {
        [one] => return Ok(Some(one)),
        [] => format!("there is no finding `{id}`; `smelt findings` lists those there are"),
        more => format!("{} findings begin with `{id}`; give more of the id", more.len()),
    };
    streams.error(&message)?;
    Ok(None)
}

/// What triage has added to a finding.
fn added(dir: &Path, finding: &Finding) -> Added {
    Added::read(&dir.join("findings").join(&finding.id))
}

fn print_line(dir: &Path, finding: &Finding, json: bool, streams: &mut Streams) -> Result<(), Failure> {
    let culprit = finding.verdict.culprit.as_deref();
    let dating = added(dir, finding).dating;
    let first_bad = dating.as_ref().and_then(|dating| dating.first_bad.as_deref());
    if json {
        streams.json_line(&Line {
            id: &finding.id,
            class: finding.verdict.class,
            solver: culprit,
            culprit,
            evidence: &finding.verdict.evidence,
            confirmed: finding.confirmed,
            count: finding.count,
            technique: &finding.lineage.technique,
            bytes: finding.bytes,
            first_bad,
            operators: &finding.operators,
            safe_mode: finding.safe_mode,
        })?;
        return Ok(());
    }
    writeln!(
        streams.results(),
        "{:<34} {:<24} {:>5}x {:>6} bytes  {}{}",
        finding.id,
        culprit.unwrap_or("-"),
        finding.count,
        finding.bytes,
        first_bad.map_or_else(String::new, |first_bad| format!("since {first_bad}  ")),
        finding.operators.join(" ")
    )?;
    Ok(())
}
