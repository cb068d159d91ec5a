//! `smelt findings clusters`: findings with one cause, put together.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use smelt_campaign::configure::values::parse_seconds;
use smelt_campaign::consent::ConsentItem;
use smelt_campaign::dialogue::CannotWrite;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_store::finding::Finding;
use smelt_triage::cluster::findings::Collection;
use smelt_triage::cluster::known;
use smelt_triage::cluster::summary::ClusterLine;

use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

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
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 5.0)]
    timeout: f64,
    /// Number of runs at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// What the arguments before the action say.
pub(super) struct Context<'c> {
    pub dir: &'c Path,
    pub json: bool,
}

pub(super) fn run(
    args: &Args,
    context: &Context<'_>,
    findings: &[Finding],
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let known = args.known.as_deref().map(known::read).transpose()?.unwrap_or_default();
    let mut collection = Collection::new(context.dir, findings, &known);
    if !args.offline {
        // Releases are run with the options of the culprits and of known bugs.
        let commands = findings.iter().flat_map(|finding| &finding.commands).map(ConsentItem::command);
        let options = known.iter().map(|known| &known.kind).filter(|kind| !kind.options.is_empty());
        let options = options.map(|kind| ConsentItem::options(kind.family.unwrap_or("-"), &kind.options));
        let items: Vec<ConsentItem> = commands.chain(options).collect();
        trust::ask(&format!("the campaign in `{}`", context.dir.display()), &items, streams)?;
        collection.find_stacks(&installation(), context.dir, findings)?;
        ask_releases(args, &mut collection, streams)?;
    }
    let clusters = collection.clusters();
    for cluster in &clusters {
        let label = cluster.known.map(|number| &known[number]);
        let line = ClusterLine::of(cluster, &collection, findings, label);
        match context.json {
            true => streams.json_line(&line)?,
            false => write!(streams.results(), "{}", line.text())?,
        }
        if let (Some(folder), None) = (&args.write, label) {
            let representative = cluster.findings[0];
            let bug = collection.bug(representative, findings[representative].id.to_string());
            known::write(&bug, folder).map_err(CannotWrite::to(folder))?;
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
