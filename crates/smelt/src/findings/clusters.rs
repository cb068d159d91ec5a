//! `smelt findings clusters`: findings with one cause, put together.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_store::finding::Recorded;
use smelt_triage::cluster::Fingerprint;
use smelt_triage::cluster::findings::Collection;
use smelt_triage::cluster::known;

use crate::error::{CliError, Exit};
use crate::solvers::installation;
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
) -> Result<Exit, CliError> {
    if !args.timeout.is_finite() || args.timeout <= 0.0 {
        return Err(CliError::usage("the timeout must be a positive number of seconds"));
    }
    let known = args.known.as_deref().map(known::read).transpose()?.unwrap_or_default();
    let mut collection = Collection::new(context.dir, findings, &known);
    if !args.offline {
        // Releases are run with the options of the culprits and of known bugs.
        let commands = findings.iter().flat_map(|recorded| &recorded.finding.commands).map(Item::command);
        let options = known.iter().map(|known| &known.kind).filter(|kind| !kind.options.is_empty());
        let options = options.map(|kind| Item::options(kind.family.unwrap_or("-"), &kind.options));
        let items: Vec<Item> = commands.chain(options).collect();
        trust::ask(&format!("the campaign in `{}`", context.dir.display()), &items, streams)?;
        ask_releases(args, &mut collection, streams)?;
    }
    let clusters = collection.clusters();
    for cluster in &clusters {
        let representative = cluster.findings[0];
        let label = cluster.known.map(|number| &known[number]);
        let finding = &findings[representative].finding;
        let text = collection.text(representative);
        let line = Line {
            representative: finding.id.as_str(),
            class: finding.verdict.class.word(),
            solver: finding.verdict.culprit.as_deref(),
            findings: cluster.findings.iter().map(|number| findings[*number].finding.id.as_str()).collect(),
            count: cluster.findings.iter().map(|number| findings[*number].finding.count).sum(),
            bytes: text.len(),
            lines: text.lines().count(),
            operators: collection.operators(representative),
            releases: cluster.releases,
            known: label.map(|known| known.name.as_str()),
            status: label.map(|known| known.status.as_str()),
        };
        print(&line, context.json, streams)?;
        if let (Some(folder), None) = (&args.write, label) {
            let bug = collection.bug(representative, finding.id.to_string());
            known::write(&bug, folder).map_err(CliError::output(folder))?;
        }
    }
    streams.message(&format!("{} findings in {} clusters\n", findings.len(), clusters.len()))?;
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Findings })
}

/// Asks releases about one formula of those that are the same.
fn ask_releases(args: &Args, collection: &mut Collection, streams: &mut Streams) -> Result<(), CliError> {
    let limits = Limits::for_seconds(args.timeout);
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    for mut question in collection.questions(&installation(), args.versions.as_deref()) {
        streams.message(&format!(
            "asking {} releases of {} about {} formulas\n",
            question.releases.count(),
            question.releases.selection.family.name(),
            question.numbers.len()
        ))?;
        collection
            .ask(&mut question, &limits, jobs)
            .map_err(|error| CliError::environment(error.to_string()))?;
    }
    Ok(())
}

fn print(line: &Line<'_>, json: bool, streams: &mut Streams) -> Result<(), CliError> {
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
}
