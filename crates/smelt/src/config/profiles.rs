//! The solvers and hunts of `smelt.toml`, with what needs the user: agreement and installation.
//!
//! What a file may say is in [`smelt_campaign::configure::profiles`]. A file of the current folder that starts programs
//! must be agreed to once before anything of it is used, see [`crate::config::trust`]; a file that the user names is agreed to.

mod sources;

use std::fs;
use std::path::Path;

use smelt_campaign::campaign::command_of;
use smelt_campaign::configure::NamedProfile;
pub(crate) use smelt_campaign::configure::profiles::Chosen;
use smelt_campaign::configure::profiles::{DEFAULT_FILE, ProfileError, ProfileFile};
use smelt_runner::installation::Installation;
use smelt_runner::solver::{Solver, UnknownSolver};
use smelt_triage::bisect::releases::Selection;

use crate::config::solvers::find_or_install_one;
use crate::config::trust::{self, ConsentItem};
use crate::error::CliError;
use crate::render::streams::Streams;

/// All that a file says.
#[derive(Debug, Default)]
pub(crate) struct Profiles {
    file: ProfileFile,
    /// What the user must agree to before anything of it is used.
    item: Option<ConsentItem>,
}

impl From<ProfileError> for CliError {
    fn from(error: ProfileError) -> Self {
        match error {
            ProfileError::Unknown { .. } | ProfileError::NoRelease { .. } => {
                CliError::usage(error.to_string())
            }
            _ => CliError::input(error.to_string()),
        }
    }
}

impl Profiles {
    /// Reads a file, or the default one if it exists.
    pub(crate) fn read(file: Option<&Path>) -> Result<Profiles, CliError> {
        let path = file.unwrap_or(Path::new(DEFAULT_FILE));
        if file.is_none() && !path.exists() {
            return Ok(Profiles::default());
        }
        let text = fs::read_to_string(path).map_err(|error| CliError::unreadable(path.display(), &error))?;
        let parsed = ProfileFile::parse(&text).map_err(|error| {
            CliError::from(error).context(format_args!("cannot use `{}`", path.display()))
        })?;
        let must_agree = file.is_none() && parsed.starts_programs();
        let item = must_agree.then(|| ConsentItem::configuration(path, &text).starting(&parsed.programs()));
        Ok(Profiles { file: parsed, item })
    }

    /// Asks the user to agree to what the file of the current folder starts, if that was not done before.
    pub(crate) fn agree(&self, streams: &mut Streams) -> Result<(), CliError> {
        match &self.item {
            Some(item) => {
                trust::ask(&format!("`{DEFAULT_FILE}` of this folder"), std::slice::from_ref(item), streams)
            }
            None => Ok(()),
        }
    }

    /// Whether a name is one of the file.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.file.solver(name).is_some()
    }

    /// All solvers that it names, as they would be written on the command line.
    pub(crate) fn named(&self) -> impl Iterator<Item = &String> {
        self.file.named()
    }

    /// The hunt with this name.
    pub(crate) fn hunt(&self, name: &str) -> Result<NamedProfile, CliError> {
        Ok(self.file.hunt(name)?)
    }

    /// What a name would stand for, in words; nothing is installed.
    pub(crate) fn describe(&self, place: &Installation, name: &str) -> String {
        let is_open = self.item.as_ref().is_some_and(|item| !trust::is_trusted(item));
        if let Some(profile) = self.file.solver(name).filter(|_| is_open) {
            return profile.described(name);
        }
        match self.installed(place, name) {
            Ok(solver) => {
                let command = command_of(&solver);
                [vec![command.program], command.args].concat().join(" ")
            }
            Err(error) => error.to_string(),
        }
    }

    /// The solver that a name stands for, by a profile or as it is; nothing is installed.
    pub(crate) fn installed(&self, place: &Installation, name: &str) -> Result<Solver, UnknownSolver> {
        match self.file.solver(name) {
            None => place.finder().find(name),
            Some(profile) => {
                let described = match profile.sources() {
                    None => profile.described(name),
                    Some(sources) => sources::built(&sources, name)
                        .ok_or_else(|| UnknownSolver::NotInstalled { name: name.to_owned() })?,
                };
                let found = place.finder().find(&described)?;
                Ok(profile.applied(name, found).solver)
            }
        }
    }

    /// The solver that a name stands for, by a profile or as it is; a release that is missing is installed.
    pub(crate) fn find(
        &self,
        place: &Installation,
        name: &str,
        streams: &mut Streams,
    ) -> Result<Chosen, CliError> {
        let Some(profile) = self.file.solver(name) else {
            return Ok(Chosen::plain(find_or_install_one(place, name, streams)?));
        };
        self.agree(streams)?;
        let described = match profile.sources() {
            None => profile.described(name),
            Some(sources) => sources::build(&sources, name, streams)?,
        };
        streams.message(&format!("solver {name} of {DEFAULT_FILE}: {described}\n"))?;
        Ok(profile.applied(name, find_or_install_one(place, &described, streams)?))
    }

    /// Releases to ask: such as `z3@4.8.5..5.4`, or a solver of the file that is a release with options.
    pub(crate) fn selection(&self, text: &str) -> Result<Selection, CliError> {
        let Some(release) = self.file.release_of(text)? else { return Ok(Selection::read(text)?) };
        let mut selection = Selection::read(&release.solver)?;
        // The profile names one release; which ones are asked is another matter.
        selection.request = None;
        selection.options.extend(release.options);
        Ok(selection)
    }
}
