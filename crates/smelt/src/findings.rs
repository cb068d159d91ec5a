//! `smelt findings`: what a campaign has found.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use smelt_campaign::record::{Finding, list};
use smelt_oracle::finding::{Class, Evidence};

use crate::exit::{Exit, Failure};
use crate::streams::Streams;

/// List the findings of a campaign, the worst first
///
/// Each has a folder below DIR/findings with the case, a report for an issue tracker and a script that runs it again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt findings --dir smelt-campaign --json")]
pub(crate) struct Args {
    /// The campaign's folder
    #[arg(long, value_name = "DIR", default_value = "smelt-campaign")]
    dir: PathBuf,
    /// Print one JSON object per finding instead of a table [default: table]
    #[arg(long)]
    json: bool,
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
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let findings: Vec<Finding> = match list(&args.dir) {
        Ok(findings) => findings,
        Err(error) => {
            streams.error(&format!(
                "cannot read a campaign in `{}`: {error}; name its folder with --dir, or start one with `smelt hunt`",
                args.dir.display()
            ))?;
            return Ok(Exit::BadInput);
        }
    };
    for finding in &findings {
        let culprit = finding.verdict.culprit.as_deref();
        if args.json {
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
                first_bad: None,
            })?;
        } else {
            writeln!(
                streams.results(),
                "{:<34} {:<24} {:>5}x {:>6} bytes  {}",
                finding.id,
                culprit.unwrap_or("-"),
                finding.count,
                finding.bytes,
                finding.operators.join(" ")
            )?;
        }
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Findings })
}
