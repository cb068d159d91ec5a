//! Solvers that users name, or all that there are: found, fetched, probed and introduced, with messages on the way.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use smelt_runner::cache::Cache;
use smelt_runner::fetch::{FetchEvent, Fetcher};
use smelt_runner::identity::Identity;
use smelt_runner::installation::Installation;
use smelt_runner::probe::{PROBE_TIME, is_cached};
use smelt_runner::solver::Solver;
use smelt_runner::versions::InstallError;
use smelt_runner::{clock, interruption};
use smelt_store::store::Campaign;
use smelt_trial::target::Target;

use crate::campaign::command_of_target;
use crate::checkout::BuildError;
use crate::configure::profiles::Chosen;
use crate::dialogue::Dialogue;
use crate::options;
use crate::prepare::ReadySolver;
use crate::profiles::Profiles;
use crate::solvers::{NotReady, working};

/// Why there are no solvers to run.
#[derive(Debug, thiserror::Error)]
pub enum SolverSearchError {
    /// None is named, installed or on the PATH.
    #[error("no solvers found; get one with `smelt solvers install z3@latest`")]
    NoneFound,
    /// All of those that were found are broken.
    #[error("none of the solvers works")]
    NoneWorks,
    /// An installed release is not what was installed.
    #[error(transparent)]
    Changed(#[from] InstallError),
    /// A solver cannot be built from its sources.
    #[error("cannot build `{name}` from `{}`: {error}", git.display())]
    Build {
        /// Its name.
        name: String,
        /// The repository with the sources.
        git: PathBuf,
        /// Why not.
        error: Box<BuildError>,
    },
    /// A solver that is named cannot be run.
    #[error("cannot run `{name}`: {problem}")]
    Needed {
        /// Its name.
        name: String,
        /// Why not.
        problem: NotReady,
    },
    /// A solver of a campaign cannot be run any more.
    #[error("cannot run `{name}` of the campaign: {problem}")]
    OfCampaign {
        /// Its name.
        name: String,
        /// Why not.
        problem: NotReady,
    },
    /// The user wants an end.
    #[error("stopped")]
    Interrupted,
}

/// Does something with releases; what happens on the way is reported.
pub fn with_fetcher<Value>(
    place: &Installation,
    dialogue: &mut impl Dialogue,
    fetch: impl FnOnce(&mut Fetcher<'_>) -> Value,
) -> Value {
    let mut listener = |event: &FetchEvent| dialogue.fetching(event);
    fetch(&mut Fetcher { place, listener: &mut listener })
}

/// The solver that a name stands for without `smelt.toml`; a release that is missing is fetched.
pub fn find_or_install_one<D: Dialogue>(
    place: &Installation,
    name: &str,
    dialogue: &mut D,
) -> Result<Solver, D::Failure> {
    Ok(with_fetcher(place, dialogue, |fetcher| fetcher.solver(name))?)
}

/// The solvers that names stand for, those of `smelt.toml` among them, with what it demands of their use; releases that are
/// missing are fetched.
pub fn find_or_install_chosen<D: Dialogue>(
    place: &Installation,
    names: &[String],
    dialogue: &mut D,
) -> Result<Vec<Chosen>, D::Failure> {
    let profiles = Profiles::read(None)?;
    names.iter().map(|name| profiles.find(place, name, dialogue)).collect()
}

/// The same without the demands.
pub fn find_or_install<D: Dialogue>(
    place: &Installation,
    names: &[String],
    dialogue: &mut D,
) -> Result<Vec<Solver>, D::Failure> {
    let found = find_or_install_chosen(place, names, dialogue)?;
    Ok(found.into_iter().map(|chosen| chosen.solver).collect())
}

/// The names of the releases that ranges `NAME@FROM..TO` stand for, oldest first; those that are missing are fetched. Any
/// other name stands for itself.
pub fn releases_named<D: Dialogue>(
    place: &Installation,
    names: &[String],
    dialogue: &mut D,
) -> Result<Vec<String>, D::Failure> {
    let mut releases = Vec::new();
    for name in names {
        releases.extend(with_fetcher(place, dialogue, |fetcher| fetcher.releases(name))?);
    }
    Ok(releases)
}

/// Says which programs solvers really are, one line for each.
pub fn introduce<D: Dialogue>(
    place: &Installation,
    solvers: &[Solver],
    dialogue: &mut D,
) -> Result<Vec<Identity>, D::Failure> {
    let cache = place.cache();
    let mut identities = Vec::with_capacity(solvers.len());
    for solver in solvers {
        let identity = Identity::of(solver, &cache);
        dialogue.message(&format!("{}\n", identity.line(solver)))?;
        identities.push(identity);
    }
    Ok(identities)
}

/// Probing one solver may take at least this long, however short the command is to run.
const MIN_TIME: Duration = Duration::from_secs(10);

/// How solvers are probed.
#[derive(Debug, Clone, Copy)]
pub struct Probing {
    /// Whether they are those of a campaign.
    pub is_resumed: bool,
    /// The moment at which that ends.
    pub until: Instant,
}

impl Probing {
    /// Beginning now, by a command that is to run for this many seconds.
    pub fn begin(is_resumed: bool, time_secs: Option<f64>) -> Probing {
        let asked = |secs| Duration::try_from_secs_f64(secs).unwrap_or(PROBE_TIME);
        let time = time_secs.map_or(PROBE_TIME, |secs| asked(secs).clamp(MIN_TIME, PROBE_TIME));
        Probing { is_resumed, until: clock::now() + time }
    }
}

/// The solvers that names stand for, probed; all of them must work.
pub fn find_ready<D: Dialogue>(
    place: &Installation,
    names: &[String],
    dialogue: &mut D,
) -> Result<Vec<ReadySolver>, D::Failure> {
    let mut found = Vec::new();
    for chosen in find_or_install_chosen(place, names, dialogue)? {
        announce(&chosen.solver, &place.cache(), dialogue)?;
        let ready = ready(chosen.solver.clone(), &place.cache(), &Probing::begin(false, None));
        let name = chosen.solver.name.clone();
        let target = ready.map_err(|problem| SolverSearchError::Needed { name, problem })?;
        dialogue.message(&introduction(&target))?;
        found.push(ReadySolver { chosen, target });
    }
    Ok(found)
}

/// The solvers with these names, or all that there are.
pub fn find_solvers<D: Dialogue>(
    names: &[String],
    profiles: &Profiles,
    place: &Installation,
    dialogue: &mut D,
) -> Result<Vec<Chosen>, D::Failure> {
    let mut found = Vec::new();
    for name in names {
        found.push(profiles.find(place, name, dialogue)?);
    }
    if names.is_empty() {
        let finder = place.finder();
        for solver in finder.all() {
            place.verify(&solver).map_err(SolverSearchError::Changed)?;
            found.push(Chosen::plain(solver));
        }
        // Alone, the built-in solver has no other to differ from.
        if !found.is_empty() {
            found.extend(finder.own().map(Chosen::plain));
        }
    }
    if found.is_empty() {
        return Err(SolverSearchError::NoneFound.into());
    }
    Ok(found)
}

/// The solvers of a campaign, as they were installed.
pub fn recorded_solvers(recorded: &Campaign, place: &Installation) -> Result<Vec<Chosen>, SolverSearchError> {
    let before: Vec<Chosen> = recorded.configuration.solvers.iter().map(Chosen::recorded).collect();
    before.iter().try_for_each(|chosen| place.verify(&chosen.solver))?;
    Ok(before)
}

/// Asks the solvers what they can do. One that does not work is left out, but not from a campaign that has it.
pub fn probe<D: Dialogue>(
    chosen: &[Chosen],
    probing: &Probing,
    cache: &Cache,
    dialogue: &mut D,
) -> Result<Vec<ReadySolver>, D::Failure> {
    let mut found: Vec<ReadySolver> = Vec::new();
    for chosen in chosen {
        let name = &chosen.solver.name;
        let base = found.iter().find(|base| chosen.options_of.as_ref() == Some(&base.target.solver.name));
        let is_alone = base.is_none();
        let target = match base {
            Some(base) => options::configured(&base.target, chosen.solver.clone(), cache)
                .map_err(NotReady::Probing)
                .and_then(working),
            None => {
                announce(&chosen.solver, cache, dialogue)?;
                ready(chosen.solver.clone(), cache, probing)
            }
        };
        if let Some(target) = target.as_ref().ok().filter(|_| is_alone) {
            dialogue.message(&introduction(target))?;
        }
        if interruption::is_requested() {
            dialogue.message("stopped while solvers were probed\n")?;
            return Err(SolverSearchError::Interrupted.into());
        }
        match target {
            Ok(mut target) => {
                chosen.demand_of(&mut target);
                found.push(ReadySolver { chosen: chosen.clone(), target });
            }
            Err(problem) if probing.is_resumed => {
                return Err(SolverSearchError::OfCampaign { name: name.clone(), problem }.into());
            }
            Err(problem) => dialogue.message(&format!("leaving out {name}: {problem}\n"))?,
        }
    }
    if found.is_empty() {
        return Err(SolverSearchError::NoneWorks.into());
    }
    Ok(found)
}

/// Says that a solver is probed, if it was not before.
fn announce<D: Dialogue>(solver: &Solver, cache: &Cache, dialogue: &mut D) -> Result<(), D::Failure> {
    if !interruption::is_requested() && !is_cached(solver, cache) {
        dialogue.message(&format!("probing {}\n", solver.name))?;
        dialogue.flush()?;
    }
    Ok(())
}

/// A solver that was probed and works.
fn ready(solver: Solver, cache: &Cache, probing: &Probing) -> Result<Target, NotReady> {
    working(Target::cached_until(solver, cache, probing.until).map_err(NotReady::Probing)?)
}

/// Which program a target is, in a line.
fn introduction(target: &Target) -> String {
    let command = command_of_target(target);
    let identity = Identity { program: command.program, version: command.version, hash: command.hash };
    format!("{}\n", identity.line(&target.solver))
}
