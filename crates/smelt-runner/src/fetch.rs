//! Releases that commands want: what is installed is used, the rest is installed, with events for people on the way.

use std::fmt;

use crate::family::Family;
use crate::installation::Installation;
use crate::interruption;
use crate::lock_file::LOCK_FILE;
use crate::solver::{Solver, UnknownSolver};
use crate::versions::{Client, InstallError, Installed, is_empty_range};

/// Why releases are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// The user wants them installed.
    Install,
    /// The user wants them installed again.
    Replace,
    /// The user wants to know what would be installed.
    Preview,
    /// A command wants to run them.
    Run,
}

/// What happens while releases are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchEvent {
    /// The latest release is known by the lock.
    Locked {
        /// What was asked for, as in `z3@latest`.
        latest: String,
        /// The release.
        release: String,
    },
    /// The list of releases of a family is asked for.
    LookingUp(&'static str),
    /// A release is fetched.
    Fetching(String),
    /// A release of a range is left out.
    Skipping {
        /// The release.
        release: String,
        /// Why.
        problem: String,
    },
    /// A release is there, and the user wants to know.
    Installed(String),
    /// A release would be installed.
    WouldInstall(String),
    /// The latest release cannot be asked for.
    UsingNewest {
        /// The family.
        family: &'static str,
        /// Why.
        problem: String,
        /// What is used instead.
        release: String,
    },
    /// Releases of a range cannot be asked for.
    OnlyInstalled {
        /// The range.
        range: String,
        /// Why.
        problem: String,
    },
}

impl FetchEvent {
    /// Whether it is what the user asked for, and no message on the way.
    pub fn is_result(&self) -> bool {
        matches!(self, FetchEvent::Installed(_) | FetchEvent::WouldInstall(_))
    }
}

impl fmt::Display for FetchEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FetchEvent::Locked { latest, release } => write!(out, "{latest} is {release} by {LOCK_FILE}"),
            FetchEvent::LookingUp(family) => write!(out, "looking up releases of {family}"),
            FetchEvent::Fetching(release) => write!(out, "fetching {release}"),
            FetchEvent::Skipping { release, problem } => write!(out, "skipping {release}: {problem}"),
            FetchEvent::Installed(release) => write!(out, "{release} is installed"),
            FetchEvent::WouldInstall(release) => write!(out, "would install {release}"),
            FetchEvent::UsingNewest { family, problem, release } => write!(
                out,
                "cannot ask for the latest release of {family} ({problem}); using {release}, the newest that is installed"
            ),
            FetchEvent::OnlyInstalled { range, problem } => {
                write!(out, "only what is installed of `{range}` is used: {problem}")
            }
        }
    }
}

/// Why a solver cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A release cannot be installed.
    #[error("cannot install `{release}`: {}", problem(error))]
    Install {
        /// The release.
        release: String,
        /// Why.
        error: InstallError,
    },
    /// The latest release cannot be installed, and no other is.
    #[error("cannot install `{family}@latest`: {}; no release of {family} is installed", problem(error))]
    NoLatest {
        /// The family.
        family: &'static str,
        /// Why.
        error: InstallError,
    },
    /// The name stands for no solver.
    #[error(transparent)]
    Unknown(UnknownSolver),
    /// The name stands for no solver, but for one that can be installed.
    #[error("{error}; get it with `smelt solvers install {name}@latest`")]
    NotInstalled {
        /// The name.
        name: String,
        /// What is wrong with it.
        error: UnknownSolver,
    },
    /// A range of releases that is none.
    #[error(
        "`{0}` is not a range of releases: write NAME@FROM..TO from old to new with one of {families}, as in \
         `z3@4.8.5..4.12.0`",
        families = Family::installable()
    )]
    NotRange(String),
    /// No release of a range is there.
    #[error("no release of `{range}` is installed, and none can be: {problem}")]
    NoneOfRange {
        /// The range.
        range: String,
        /// Why none can be installed.
        problem: String,
    },
    /// The user wants to stop.
    #[error("stopped")]
    Interrupted,
}

impl FetchError {
    /// Whether the user asked for something that does not exist, so that nothing is wrong with the machine.
    pub fn is_misuse(&self) -> bool {
        match self {
            FetchError::Install { error, .. } | FetchError::NoLatest { error, .. } => error.is_misuse(),
            FetchError::Unknown(error) => !matches!(error, UnknownSolver::Unverified { .. }),
            FetchError::NotInstalled { .. } | FetchError::NotRange(_) => true,
            FetchError::NoneOfRange { .. } | FetchError::Interrupted => false,
        }
    }
}

/// An error of installing, for people: the package client says of a machine without a network that a package does not exist.
pub fn problem(error: &InstallError) -> String {
    match error {
        InstallError::Client(message) if message.contains("No matching distribution") => {
            format!("the package index did not answer, is there a network? ({message})")
        }
        error => error.to_string(),
    }
}

/// Splits `z3@4.8.7`; none if releases of that are not known.
pub fn release_of(name: &str) -> Option<(Family, &str)> {
    let (family, version) = name.split_once('@')?;
    let known = Family::ALL.into_iter().find(|known| known.name() == family && known.package().is_some())?;
    (!version.is_empty()).then_some((known, version))
}

/// Finds and installs releases.
pub struct Fetcher<'f> {
    /// Where solvers are.
    pub place: &'f Installation,
    /// Hears what happens.
    pub listener: &'f mut dyn FnMut(&FetchEvent),
}

impl Fetcher<'_> {
    fn tell(&mut self, event: FetchEvent) {
        (self.listener)(&event);
    }

    /// Says that a release is there to a user who wants to know.
    fn tell_installed(&mut self, release: &str, wish: Wish) {
        if wish != Wish::Run {
            self.tell(FetchEvent::Installed(release.to_owned()));
        }
    }

    /// Installs all releases that a request stands for.
    pub fn install(
        &mut self,
        client: &Client,
        family: Family,
        request: &str,
        wish: Wish,
    ) -> Result<Vec<Installed>, InstallError> {
        let (place, name) = (self.place, family.name());
        // By the lock, the latest is one that is known.
        let locked = place.store().locked(family).filter(|_| request == "latest");
        if let Some(locked) = locked {
            let release = format!("{name}@{locked}");
            self.tell(FetchEvent::Locked { latest: format!("{name}@latest"), release });
        }
        let request = locked.unwrap_or(request);
        // What is there already needs no network.
        if wish != Wish::Replace
            && !request.contains("..")
            && request != "latest"
            && let Some(installed) = place.store().find(family, request)
        {
            self.tell_installed(&installed.name(), wish);
            return Ok(vec![installed]);
        }
        let mut installed = Vec::new();
        for version in place.store().resolve(client, family, request)? {
            let release = format!("{name}@{version}");
            if let Some(found) = place.installed(family, &version).filter(|_| wish != Wish::Replace) {
                self.tell_installed(&release, wish);
                installed.push(found);
                continue;
            }
            if wish == Wish::Preview {
                self.tell(FetchEvent::WouldInstall(release));
                continue;
            }
            self.tell(FetchEvent::Fetching(release.clone()));
            let fetched = match wish {
                Wish::Replace => place.store().install_anew(client, family, &version),
                _ => place.store().install(client, family, &version),
            };
            match fetched {
                Ok(found) => {
                    self.tell_installed(&release, wish);
                    installed.push(found);
                }
                // In a range some versions have no program for this machine; the others are wanted all the same.
                Err(InstallError::Client(problem) | InstallError::NoProgram(problem))
                    if request.contains("..") && !interruption::is_requested() =>
                {
                    self.tell(FetchEvent::Skipping { release, problem });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(installed)
    }

    /// Installs what a command is about to run.
    fn fetch(&mut self, family: Family, version: &str) -> Result<Vec<Installed>, InstallError> {
        let client = self.place.client()?;
        self.install(&client, family, version, Wish::Run)
    }

    /// The newest release of a family, fetched if it is missing. Which one that is was asked today, or is asked now;
    /// without a network the newest that is installed has to do.
    fn newest(&mut self, family: Family) -> Result<Option<Installed>, FetchError> {
        let (place, name) = (self.place, family.name());
        let locked = place.store().locked(family).and_then(|version| place.installed(family, version));
        if let Some(found) = locked {
            self.tell(FetchEvent::Locked { latest: format!("{name}@latest"), release: found.name() });
            return Ok(Some(found));
        }
        let known = place.store().listed(family, "latest").and_then(|versions| versions.into_iter().next());
        if let Some(found) = known.and_then(|version| place.installed(family, &version)) {
            return Ok(Some(found));
        }
        self.tell(FetchEvent::LookingUp(name));
        let latest = self.fetch(family, "latest");
        if interruption::is_requested() {
            return Err(FetchError::Interrupted);
        }
        let error = match latest {
            Ok(installed) => return Ok(installed.into_iter().next()),
            Err(error) => error,
        };
        let Some(newest) = place.store().newest(family) else {
            return Err(FetchError::NoLatest { family: name, error });
        };
        let (problem, release) = (problem(&error), newest.name());
        self.tell(FetchEvent::UsingNewest { family: name, problem, release });
        Ok(Some(newest))
    }

    /// The solver that a name stands for; a release that is missing is fetched.
    pub fn solver(&mut self, name: &str) -> Result<Solver, FetchError> {
        let place = self.place;
        if let Some(family) = name.strip_suffix("@latest").and_then(Family::named)
            && let Some(newest) = self.newest(family)?
        {
            return place.finder().find(&newest.name()).map_err(FetchError::Unknown);
        }
        let missing = match place.finder().find(name) {
            Ok(solver) => return Ok(solver),
            Err(missing) => missing,
        };
        if let UnknownSolver::NotInstalled { name: release } = &missing
            && let Some((family, version)) = release.split_once('@')
        {
            let Some(family) = Family::named(family) else { return Err(FetchError::Unknown(missing)) };
            self.fetch(family, version)
                .map_err(|error| FetchError::Install { release: release.clone(), error })?;
            match place.finder().find(name) {
                Ok(solver) => return Ok(solver),
                Err(error @ UnknownSolver::Unverified { .. }) => return Err(FetchError::Unknown(error)),
                Err(_) => {}
            }
        }
        Err(match &missing {
            UnknownSolver::NotFound { name, is_installable: true } => {
                FetchError::NotInstalled { name: name.clone(), error: missing }
            }
            _ => FetchError::Unknown(missing),
        })
    }

    /// The names of the releases that a range `NAME@FROM..TO` stands for, oldest first; those that are missing are
    /// fetched. Any other name stands for itself.
    pub fn releases(&mut self, name: &str) -> Result<Vec<String>, FetchError> {
        if !name.contains("..") || name.contains('=') {
            return Ok(vec![name.to_owned()]);
        }
        let place = self.place;
        let range = release_of(name).filter(|(_, request)| !is_empty_range(request));
        let Some((family, request)) = range else { return Err(FetchError::NotRange(name.to_owned())) };
        let resolved =
            place.client().and_then(|client| Ok((place.resolve(&client, family, request)?, client)));
        let problem = match resolved {
            Ok((versions, client)) => {
                let mut names = Vec::new();
                for version in versions {
                    let release = format!("{}@{version}", family.name());
                    if place.installed(family, &version).is_none() {
                        self.tell(FetchEvent::Fetching(release.clone()));
                        if let Err(error) = place.store().install(&client, family, &version) {
                            if interruption::is_requested() {
                                return Err(FetchError::Interrupted);
                            }
                            self.tell(FetchEvent::Skipping { release, problem: error.to_string() });
                            continue;
                        }
                    }
                    names.push(release);
                }
                if !names.is_empty() {
                    return Ok(names);
                }
                "none of them could be installed".to_owned()
            }
            Err(error) => error.to_string(),
        };
        // Without a network, what is there has to do.
        let installed: Vec<String> =
            place.store().chosen(family, request).iter().map(Installed::name).collect();
        if installed.is_empty() {
            return Err(FetchError::NoneOfRange { range: name.to_owned(), problem });
        }
        self.tell(FetchEvent::OnlyInstalled { range: name.to_owned(), problem });
        Ok(installed)
    }
}

/// The release in what a configuration calls a solver: `z3@4.8.7` in `old=z3@4.8.7 -v:1`.
pub fn release_in(name: &str) -> Option<&str> {
    let command = name.split_once('=').map_or(name, |(_, command)| command);
    let program = command.split_whitespace().next()?;
    release_of(program).filter(|(_, version)| !version.contains("..")).map(|_| program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_found_in_the_words_of_a_configuration() {
        assert_eq!(release_in("z3@4.8.7"), Some("z3@4.8.7"));
        assert_eq!(release_in("old=cvc5@latest --safe"), Some("cvc5@latest"));
        for other in ["z3", "my-z3", "mine=./z3 -in", "z3@4.8..4.9", "other@1"] {
            assert_eq!(release_in(other), None, "{other}");
        }
    }

    #[test]
    fn a_name_without_a_range_stands_for_itself_and_needs_no_network() {
        let folder = tempfile::tempdir().unwrap();
        let place = Installation::new(folder.path(), Vec::new(), None, Ok(None));
        let mut fetcher = Fetcher { place: &place, listener: &mut |_| panic!("nothing happens") };
        for name in ["z3@4.8.7", "mine=./a..b"] {
            assert_eq!(fetcher.releases(name).unwrap(), [name]);
        }
        let error = fetcher.releases("z3@4.9..4.8").unwrap_err();
        assert!(matches!(error, FetchError::NotRange(_)), "{error}");
    }
}
