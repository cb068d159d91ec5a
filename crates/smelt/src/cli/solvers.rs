//! `smelt solvers`: a version manager for solvers.

mod lock;
mod show;

use std::io::Write;

use smelt_runner::family::Family;
use smelt_runner::fetch::{Wish, release_of};
use smelt_runner::installation::Installation;

use crate::cli::solvers::show::{list, show_map};
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;
use smelt_campaign::find_solvers::with_fetcher;
use smelt_campaign::profiles::Profiles;

/// Install, list, probe and remove releases of solvers
///
/// Releases come from the Python package index and live in a cache folder of the user: SMELT_CACHE, or `smelt` in
/// XDG_CACHE_HOME, or ~/.cache/smelt. A name is NAME@VERSION, NAME@latest or NAME@FROM..TO, where NAME is z3, cvc5,
/// cvc5-gpl (cvc5 with finite fields), cvc4, bitwuzla, boolector or yices.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt solvers install z3@latest z3@4.8.5..4.8.7 cvc5@1.4.2")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Fetch releases; those that are there stay as they are
    Install {
        /// Releases, such as z3@4.8.7, cvc5@latest or 'z3@4.12..5.4'
        #[arg(value_name = "NAME@VERSION", required = true)]
        names: Vec<String>,
        /// Only say what would be fetched [default: fetch it]
        #[arg(long)]
        dry_run: bool,
        /// Fetch what is there again, as when its files have changed [default: leave it]
        #[arg(long, conflicts_with = "dry_run")]
        force: bool,
    },
    /// Write smelt.lock: the versions of releases with the hashes of their archives and files
    ///
    /// With a smelt.lock in the current folder NAME@latest is the release that is locked, and a release whose hashes are
    /// others is neither installed nor run. Without names it locks what smelt.toml names; with names these are added.
    Lock {
        /// Releases, such as z3@latest [default: those that smelt.toml names]
        #[arg(value_name = "NAME@VERSION")]
        names: Vec<String>,
    },
    /// Show the solvers that are installed or on the PATH
    List {
        /// Print one JSON object per solver instead of a table [default: table]
        #[arg(long)]
        json: bool,
    },
    /// Ask solvers what they take: operators, spellings, sorts, commands, and which formulas pay to be run warm
    ///
    /// What they say is kept beside the installed releases, by the content of the program and its options; `list` and
    /// `hunt` use it. This command always asks anew.
    Probe {
        /// Solvers, as in `smelt run --solver` [default: all]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Print one JSON object per solver instead of text [default: text]
        #[arg(long)]
        json: bool,
    },
    /// Delete installed releases
    Remove {
        /// Releases, such as z3@4.8.7
        #[arg(value_name = "NAME@VERSION", required = true)]
        names: Vec<String>,
    },
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let place = installation();
    match &args.action {
        Action::Install { names, dry_run, force } => {
            let wish = match (dry_run, force) {
                (true, _) => Wish::Preview,
                (false, true) => Wish::Replace,
                (false, false) => Wish::Install,
            };
            install(&place, names, wish, streams)
        }
        Action::Lock { names } => lock::run(&place.unlocked(), names, streams),
        Action::List { json } => list(&place, &place.finder().all(), *json, streams),
        Action::Probe { names, json } => {
            let mut solvers = Vec::new();
            let profiles = Profiles::read(None)?;
            profiles.agree_to(names, streams)?;
            for name in names {
                solvers.push(profiles.installed(&place, name)?);
            }
            if names.is_empty() {
                solvers = place.finder().all();
            }
            show_map(&place, &solvers, *json, streams)
        }
        Action::Remove { names } => remove(&place, names, streams),
    }
}

fn install(
    place: &Installation,
    names: &[String],
    wish: Wish,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let client = place.client()?;
    let mut worst = Exit::Done;
    for name in names {
        let Some((family, request)) = release_of(name) else {
            streams.error(&format!(
                "`{name}` is not a release: write NAME@VERSION with one of {}, as in `z3@latest`",
                Family::installable()
            ))?;
            worst = Exit::BadInput;
            continue;
        };
        let installed =
            with_fetcher(place, streams, |fetcher| fetcher.install(&client, family, request, wish));
        if let Err(error) = installed.map_err(CliError::from) {
            worst = error.exit();
            error.context(format_args!("cannot install `{name}`")).report_and_continue(streams)?;
        }
    }
    Ok(worst)
}

fn remove(place: &Installation, names: &[String], streams: &mut Streams) -> Result<Exit, CliError> {
    let mut worst = Exit::Done;
    for name in names {
        let release = release_of(name).and_then(|(family, version)| place.store().find(family, version));
        let Some(release) = release else {
            streams.error(&format!("`{name}` is not installed"))?;
            worst = Exit::BadInput;
            continue;
        };
        match place.store().remove(&release) {
            Ok(()) => writeln!(streams.results(), "{} is removed", release.name())?,
            Err(error) => {
                streams.error(&error.to_string())?;
                worst = Exit::EnvironmentFailed;
            }
        }
    }
    Ok(worst)
}
