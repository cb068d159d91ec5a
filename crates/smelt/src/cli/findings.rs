//! `smelt findings`: what a campaign has found.

mod clusters;

use std::io::Write;
use std::path::PathBuf;

use smelt_campaign::configure::DEFAULT_DIR;
use smelt_campaign::configure::hint::in_campaign;
use smelt_campaign::configure::values::one_of;
use smelt_campaign::dialogue::CannotWrite;
use smelt_campaign::lookup::{findings_of, one_of as find_one};
use smelt_campaign::record::{export_with, folder_of};
use smelt_oracle::finding::Class;
use smelt_report::finding::listing::FindingLine;
use smelt_report::finding::report;
use smelt_report::finding::triage_files::Added;
use smelt_store::finding::Finding;
use smelt_triage::cluster::findings::same_causes;
use smelt_triage::cluster::listing::{added, rows, worst_bugs};

use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

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
    /// Only findings of this class [default: all]
    #[arg(long, value_name = "CLASS", global = true, value_parser = one_of::<Class>())]
    class: Option<Class>,
    /// Only findings that blame this solver [default: all]
    #[arg(short, long, value_name = "SOLVER", global = true)]
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
    /// Write findings to a folder, each to a separate one below it
    Export {
        /// Where to write them
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let mut findings = findings_of(&args.dir)?;
    findings.retain(|finding| {
        let verdict = &finding.verdict;
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
            let finding = find_one(findings, id, &args.dir)?;
            let added = added(&args.dir, &finding);
            if args.json {
                streams.json_line(&FindingLine::new(&finding, &added, None))?;
            } else {
                let text = report(&finding, &added);
                // A report is for people who have its folder; here we know the campaign too.
                let replay = format!("smelt replay {}", finding.id);
                write!(streams.results(), "{}", text.replace(&replay, &in_campaign(&replay, &args.dir)))?;
            }
            return Ok(Exit::Findings);
        }
        Some(Action::Export { folder }) => {
            for finding in &findings {
                let target = folder.join(&finding.id);
                std::fs::create_dir_all(folder)
                    .and_then(|()| Added::load(&folder_of(&args.dir, &finding.id)))
                    .and_then(|added| export_with(finding, &added, &target))
                    .map_err(CannotWrite::to(&target))?;
            }
            writeln!(streams.results(), "{} findings to {}", findings.len(), folder.display())?;
        }
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Findings })
}

fn print_list(args: &Args, findings: &[Finding], streams: &mut Streams) -> Result<(), CliError> {
    if args.json {
        for (finding, same_as) in findings.iter().zip(&same_causes(&args.dir, findings)) {
            let added = added(&args.dir, finding);
            streams.json_line(&FindingLine::new(finding, &added, same_as.as_ref()))?;
        }
        return Ok(());
    }
    let rows = rows(&args.dir, findings, args.all);
    write!(streams.results(), "{}", rows.text)?;
    if rows.count < findings.len() {
        streams.message(&format!(
            "{} findings, {} bugs as far as formulas and crashes tell; --all lists every finding\n",
            findings.len(),
            rows.count
        ))?;
    }
    Ok(())
}
