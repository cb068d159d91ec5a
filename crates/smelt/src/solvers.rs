//! `smelt solvers`: a version manager for solvers.

mod lock;
mod ready;
mod show;

use std::io::Write;
use std::path::{Path, PathBuf};

use smelt_runner::family::Family;
use smelt_runner::identity::Identity;
use smelt_runner::installation::Installation;
use smelt_runner::interruption;
use smelt_runner::limits::Limits;
use smelt_runner::lock_file::{LOCK_FILE, LockFile};
use smelt_runner::provers::Provers;
use smelt_runner::solver::{Solver, UnknownSolver};
use smelt_runner::versions::{Client, InstallError, Installed, is_empty_range};

use crate::error::{CliError, Exit};
use crate::profiles::{Chosen, Profiles};
use crate::solvers::show::{list, show_map};
use crate::streams::Streams;

/// Install, list, probe and remove releases of solvers
///
/// Releases come from the Python package index and live in a cache folder of the user: SMELT_CACHE, or `smelt` in
/// XDG_CACHE_HOME, or ~/.cache/smelt. A name is NAME@VERSION, NAME@latest or NAME@FROM..TO, where NAME is z3, cvc5,
/// cvc4 or yices.
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
            if names.iter().any(|name| profiles.has(name)) {
                profiles.agree(streams)?;
            }
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

pub(crate) use ready::{NotReady, make_ready, probing_ends, working};

/// The folder where releases, and what was learned about solvers, are kept for the user.
pub(crate) fn cache_folder() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("SMELT_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("smelt")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/smelt")))
        .unwrap_or_else(|| PathBuf::from(".smelt-cache"))
}

/// The solvers of this machine, by the environment of the user.
pub(crate) fn installation() -> Installation {
    let path =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let lock = LockFile::read(Path::new(LOCK_FILE));
    Installation::new(&cache_folder(), path, std::env::current_exe().ok(), lock)
}

/// Splits `z3@4.8.7`.
fn release_of(name: &str) -> Option<(Family, &str)> {
    let (family, version) = name.split_once('@')?;
    let known = Family::ALL.into_iter().find(|known| known.name() == family && known.package().is_some())?;
    (!version.is_empty()).then_some((known, version))
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
                "`{name}` is no release: write NAME@VERSION with one of z3, cvc5, cvc4, yices, as in `z3@latest`"
            ))?;
            worst = Exit::BadInput;
            continue;
        };
        if let Err(error) = install_one(place, &client, family, request, wish, streams) {
            worst = error.exit();
            error.context(format_args!("cannot install `{name}`")).report_and_continue(streams)?;
        }
    }
    Ok(worst)
}

/// Why releases are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// The user wants them installed.
    Install,
    /// The user wants them installed again.
    Replace,
    /// The user wants to know what would be installed.
    Preview,
    /// A command wants to run them.
    Run,
}

/// Installs all releases that a request stands for.
fn install_one(
    place: &Installation,
    client: &Client,
    family: Family,
    request: &str,
    wish: Wish,
    streams: &mut Streams,
) -> Result<Vec<Installed>, CliError> {
    // By the lock, the latest is one that is known.
    let locked = place.store().locked(family).filter(|_| request == "latest");
    if let Some(locked) = locked {
        let name = family.name();
        streams.message(&format!("{name}@latest is {name}@{locked} by {LOCK_FILE}\n"))?;
    }
    let request = locked.unwrap_or(request);
    // What is there already needs no network.
    if wish != Wish::Replace
        && !request.contains("..")
        && request != "latest"
        && let Some(installed) = place.store().find(family, request)
    {
        tell_installed(&installed.name(), wish, streams)?;
        return Ok(vec![installed]);
    }
    let mut installed = Vec::new();
    for version in place.store().resolve(client, family, request)? {
        let name = format!("{}@{version}", family.name());
        if let Some(release) = place.installed(family, &version).filter(|_| wish != Wish::Replace) {
            tell_installed(&name, wish, streams)?;
            installed.push(release);
            continue;
        }
        if wish == Wish::Preview {
            writeln!(streams.results(), "would install {name}")?;
            continue;
        }
        streams.message(&format!("fetching {name}\n"))?;
        streams.flush()?;
        let fetched = match wish {
            Wish::Replace => place.store().install_anew(client, family, &version),
            _ => place.store().install(client, family, &version),
        };
        match fetched {
            Ok(release) => {
                tell_installed(&name, wish, streams)?;
                installed.push(release);
            }
            // In a range some versions have no program for this machine; the others are wanted all the same.
            Err(InstallError::Client(message) | InstallError::NoProgram(message))
                if request.contains("..") && !interruption::is_requested() =>
            {
                streams.message(&format!("skipping {name}: {message}\n"))?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(installed)
}

/// Says that a release is there to a user who wants to know.
fn tell_installed(name: &str, wish: Wish, streams: &mut Streams) -> Result<(), CliError> {
    match wish {
        Wish::Install | Wish::Replace | Wish::Preview => writeln!(streams.results(), "{name} is installed")?,
        Wish::Run => {}
    }
    Ok(())
}

/// Says which programs solvers really are, one line for each.
pub(crate) fn introduce(
    place: &Installation,
    solvers: &[Solver],
    streams: &mut Streams,
) -> Result<Vec<Identity>, CliError> {
    let cache = place.cache();
    let mut identities = Vec::with_capacity(solvers.len());
    for solver in solvers {
        let identity = Identity::of(solver, &cache);
        streams.message(&format!("{}\n", identity.line(solver)))?;
        identities.push(identity);
    }
    Ok(identities)
}

/// The solvers that names stand for, those of `smelt.toml` among them; releases that are missing are fetched.
pub(crate) fn find_or_install(
    place: &Installation,
    names: &[String],
    streams: &mut Streams,
) -> Result<Vec<Solver>, CliError> {
    let found = find_or_install_chosen(place, names, streams)?;
    Ok(found.into_iter().map(|chosen| chosen.solver).collect())
}

/// The solvers with these names, given this many seconds for each proof.
pub(crate) fn find_provers(
    names: &[String],
    timeout_secs: f64,
    streams: &mut Streams,
) -> Result<Provers, CliError> {
    if !timeout_secs.is_finite() || timeout_secs <= 0.0 {
        return Err(CliError::usage("the timeout must be a positive number of seconds"));
    }
    let limits = Limits::for_seconds(timeout_secs);
    // Without names, not even `smelt.toml` is read.
    let solvers = match names {
        [] => Vec::new(),
        names => find_or_install(&installation(), names, streams)?,
    };
    Ok(Provers::new(solvers, limits))
}

/// The same with what `smelt.toml` demands of their use.
pub(crate) fn find_or_install_chosen(
    place: &Installation,
    names: &[String],
    streams: &mut Streams,
) -> Result<Vec<Chosen>, CliError> {
    let profiles = Profiles::read(None)?;
    names.iter().map(|name| profiles.find(place, name, streams)).collect()
}

/// The names of the releases that a range `NAME@FROM..TO` stands for, oldest first; those that are missing are fetched.
/// Any other name stands for itself.
pub(crate) fn releases_named(
    place: &Installation,
    name: &str,
    streams: &mut Streams,
) -> Result<Vec<String>, CliError> {
    if !name.contains("..") || name.contains('=') {
        return Ok(vec![name.to_owned()]);
    }
    let Some((family, request)) = release_of(name).filter(|(_, request)| !is_empty_range(request)) else {
        return Err(CliError::usage(format!(
            "`{name}` is no range of releases: write NAME@FROM..TO from old to new with one of z3, cvc5, cvc4, yices, \
             as in `z3@4.8.5..4.12.0`"
        )));
    };
    let resolved = place.client().and_then(|client| Ok((place.resolve(&client, family, request)?, client)));
    let problem = match resolved {
        Ok((versions, client)) => {
            let mut names = Vec::new();
            for version in versions {
                let name = format!("{}@{version}", family.name());
                if place.installed(family, &version).is_none() {
                    streams.message(&format!("fetching {name}\n"))?;
                    streams.flush()?;
                    if let Err(error) = place.store().install(&client, family, &version) {
                        if interruption::is_requested() {
                            return Err(CliError::Interrupted);
                        }
                        streams.message(&format!("skipping {name}: {error}\n"))?;
                        continue;
                    }
                }
                names.push(name);
            }
            if !names.is_empty() {
                return Ok(names);
            }
            "none of them could be installed".to_owned()
        }
        Err(error) => error.to_string(),
    };
    // Without a network, what is there has to do.
    let installed: Vec<String> = place.store().chosen(family, request).iter().map(Installed::name).collect();
    if installed.is_empty() {
        return Err(CliError::environment(format!(
            "no release of `{name}` is installed, and none can be: {problem}"
        )));
    }
    streams.message(&format!("only what is installed of `{name}` is used: {problem}\n"))?;
    Ok(installed)
}

/// The newest release of a family, fetched if it is missing. Which one that is was asked today, or is asked now; without
/// a network the newest that is installed has to do.
fn newest(
    place: &Installation,
    family: Family,
    streams: &mut Streams,
) -> Result<Option<Installed>, CliError> {
    if let Some(release) = place.store().locked(family).and_then(|version| place.installed(family, version)) {
        streams.message(&format!("{}@latest is {} by {LOCK_FILE}\n", family.name(), release.name()))?;
        return Ok(Some(release));
    }
    let known = place.store().listed(family, "latest").and_then(|versions| versions.into_iter().next());
    if let Some(release) = known.and_then(|version| place.installed(family, &version)) {
        return Ok(Some(release));
    }
    streams.message(&format!("looking up releases of {}\n", family.name()))?;
    streams.flush()?;
    let latest = fetch(place, family, "latest", streams);
    if interruption::is_requested() {
        return Err(CliError::Interrupted);
    }
    let problem = match latest {
        Ok(installed) => return Ok(installed.into_iter().next()),
        Err(error) if error.is_fatal() => return Err(error),
        Err(error) => error,
    };
    let family_name = family.name();
    let Some(newest) = place.store().newest(family) else {
        let doing = format!("cannot install `{family_name}@latest`");
        return Err(problem.context(doing).advice(format_args!("no release of {family_name} is installed")));
    };
    streams.message(&format!(
        "cannot ask for the latest release of {family_name} ({problem}); using {}, the newest that is installed\n",
        newest.name()
    ))?;
    Ok(Some(newest))
}

/// The solver that a name stands for without `smelt.toml`; a release that is missing is fetched.
pub(crate) fn find_or_install_one(
    place: &Installation,
    name: &str,
    streams: &mut Streams,
) -> Result<Solver, CliError> {
    if let Some(family) = name.strip_suffix("@latest").and_then(Family::named) {
        let newest = newest(place, family, streams)?;
        if let Some(release) = newest {
            return Ok(place.finder().find(&release.name())?);
        }
    }
    let missing = match place.finder().find(name) {
        Ok(solver) => return Ok(solver),
        Err(missing) => missing,
    };
    if let UnknownSolver::NotInstalled { name: release } = &missing
        && let Some((family, version)) = release.split_once('@')
    {
        let Some(family) = Family::named(family) else {
            return Err(missing.into());
        };
        fetch(place, family, version, streams)
            .map_err(|error| error.context(format_args!("cannot install `{release}`")))?;
        match place.finder().find(name) {
            Ok(solver) => return Ok(solver),
            Err(error @ UnknownSolver::Unverified { .. }) => return Err(error.into()),
            Err(_) => {}
        }
    }
    Err(match &missing {
        UnknownSolver::NotFound { name, is_installable: true } => {
            let advice = format!("get it with `smelt solvers install {name}@latest`");
            CliError::from(missing).advice(advice)
        }
        _ => missing.into(),
    })
}

/// Installs what a command is about to run.
fn fetch(
    place: &Installation,
    family: Family,
    version: &str,
    streams: &mut Streams,
) -> Result<Vec<Installed>, CliError> {
    install_one(place, &place.client()?, family, version, Wish::Run, streams)
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
