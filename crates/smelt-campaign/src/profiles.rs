//! The solvers and hunts of `smelt.toml`, with what needs the user: agreement and installation.
//!
//! What a file may say is in [`crate::configure::profiles`]. A file of the current folder that starts programs
//! must be agreed to once before anything of it is used, see [`crate::consent`]; a file that the user names is agreed to.

use std::fs;
use std::path::Path;
use std::slice;

use smelt_runner::installation::Installation;
use smelt_runner::solver::{Solver, UnknownSolver};

use crate::campaign::command_of;
use crate::configure::NamedProfile;
use crate::configure::profiles::{Chosen, DEFAULT_FILE, ProfileError, ProfileFile, ProfiledRelease};
use crate::consent::ConsentItem;
use crate::dialogue::Dialogue;
use crate::find_solvers::find_or_install_one;
use crate::sources;

/// All that a file says.
#[derive(Debug, Default)]
pub struct Profiles {
    file: ProfileFile,
    /// What the user must agree to before anything of it is used.
    item: Option<ConsentItem>,
}

impl Profiles {
    /// Reads a file, or the default one if it exists.
    pub fn read(file: Option<&Path>) -> Result<Profiles, ProfileError> {
        let path = file.unwrap_or(Path::new(DEFAULT_FILE));
        if file.is_none() && !path.exists() {
            return Ok(Profiles::default());
        }
        let name = path.display().to_string();
        let text = fs::read_to_string(path)
            .map_err(|error| ProfileError::Unreadable { path: name.clone(), error })?;
        let parsed = ProfileFile::parse(&text)
            .map_err(|error| ProfileError::File { path: name, error: Box::new(error) })?;
        let must_agree = file.is_none() && parsed.starts_programs();
        let item = must_agree.then(|| ConsentItem::configuration(path, &text).starting(&parsed.programs()));
        Ok(Profiles { file: parsed, item })
    }

    /// Asks the user to agree to what the file of the current folder starts, if that was not done before.
    pub fn agree<D: Dialogue>(&self, dialogue: &mut D) -> Result<(), D::Failure> {
        match &self.item {
            Some(item) => dialogue.agree(&format!("`{DEFAULT_FILE}` of this folder"), slice::from_ref(item)),
            None => Ok(()),
        }
    }

    /// The same, if one of these names is a solver of the file.
    pub fn agree_to<'n, D: Dialogue>(
        &self,
        names: impl IntoIterator<Item = &'n String>,
        dialogue: &mut D,
    ) -> Result<(), D::Failure> {
        match names.into_iter().any(|name| self.has(name)) {
            true => self.agree(dialogue),
            false => Ok(()),
        }
    }

    /// Whether a name is one of the file.
    fn has(&self, name: &str) -> bool {
        self.file.solver(name).is_some()
    }

    /// All solvers that it names, as they would be written on the command line.
    pub fn named(&self) -> impl Iterator<Item = &String> {
        self.file.named()
    }

    /// The hunt with this name.
    pub fn hunt(&self, name: &str) -> Result<NamedProfile, ProfileError> {
        self.file.hunt(name)
    }

    /// What a name would stand for, in words; nothing is installed.
    pub fn describe(&self, place: &Installation, name: &str, dialogue: &impl Dialogue) -> String {
        let is_open = self.item.as_ref().is_some_and(|item| !dialogue.is_agreed(item));
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
    pub fn installed(&self, place: &Installation, name: &str) -> Result<Solver, UnknownSolver> {
        match self.file.solver(name) {
            None => place.finder().find(name),
            Some(profile) => {
                let described = match profile.sources() {
                    None => profile.described(name),
                    Some(sources) => sources::built(place, &sources, name)
                        .ok_or_else(|| UnknownSolver::NotInstalled { name: name.to_owned() })?,
                };
                let found = place.finder().find(&described)?;
                Ok(profile.applied(name, found).solver)
            }
        }
    }

    /// The solver that a name stands for, by a profile or as it is; a release that is missing is installed.
    pub fn find<D: Dialogue>(
        &self,
        place: &Installation,
        name: &str,
        dialogue: &mut D,
    ) -> Result<Chosen, D::Failure> {
        let Some(profile) = self.file.solver(name) else {
            return Ok(Chosen::plain(find_or_install_one(place, name, dialogue)?));
        };
        self.agree(dialogue)?;
        let described = match profile.sources() {
            None => profile.described(name),
            Some(sources) => sources::build(place, &sources, name, dialogue)?,
        };
        dialogue.message(&format!("solver {name} of {DEFAULT_FILE}: {described}\n"))?;
        Ok(profile.applied(name, find_or_install_one(place, &described, dialogue)?))
    }

    /// The release that a name of the file stands for; none if there is no such name.
    pub fn release_of(&self, name: &str) -> Result<Option<ProfiledRelease>, ProfileError> {
        self.file.release_of(name)
    }
}
