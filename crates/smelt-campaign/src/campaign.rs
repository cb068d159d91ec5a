//! A campaign's folder: the lock, the record, and the seeds and solvers as the record has them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use smelt_runner::family::Family;
use smelt_runner::solver::{Invocation, Solver};
use smelt_store::configuration::{
    Budget, Configuration, Origin, SeedRecord, SolverCommand, SolverConfiguration,
};
use smelt_store::error::StoreError;
use smelt_store::lock::Lock;
use smelt_store::store::{Campaign as Recorded, Store, database};
use smelt_testgen::built_in::SEEDS;
use smelt_trial::target::Target;

/// The right to work on a campaign, and its record.
#[derive(Debug)]
pub struct Campaign {
    pub(crate) folder: PathBuf,
    pub(crate) store: Store,
    pub(crate) _lock: Lock,
}

impl Campaign {
    /// Whether a folder has the record of a campaign.
    pub fn exists(folder: &Path) -> bool {
        database(folder).exists()
    }

    /// Opens the campaign in a folder for one hunt, and makes folder and record if there are none.
    pub fn open(folder: &Path) -> Result<Campaign, StoreError> {
        fs::create_dir_all(folder).map_err(|error| StoreError::of_files(folder, error))?;
        let lock = Lock::take(folder)?;
        let store = Store::open(folder)?;
        Ok(Campaign { folder: folder.to_owned(), store, _lock: lock })
    }

    /// What is recorded; none if the campaign has not begun.
    pub fn recorded(&self) -> Result<Option<Recorded>, StoreError> {
        self.store.campaign()
    }

    /// Records what the campaign is about.
    pub fn begin(
        &mut self,
        configuration: &Configuration,
        seeds: &[SeedRecord],
        budget: &Budget,
    ) -> Result<(), StoreError> {
        self.store.begin_campaign(configuration, seeds, budget)
    }

    /// Records when it is done.
    pub fn set_budget(&mut self, budget: &Budget) -> Result<(), StoreError> {
        self.store.set_budget(budget)
    }
}

/// Why a recorded seed cannot be had again.
#[derive(Debug, thiserror::Error)]
pub enum SeedGone {
    /// Its file cannot be read.
    #[error("cannot read seed `{name}` of the campaign: {error}")]
    Unreadable {
        /// The seed.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// Its text is another.
    #[error("seed `{name}` has changed since the campaign began")]
    Changed {
        /// The seed.
        name: String,
    },
}

/// A seed as it is recorded.
pub fn record_seed(name: &str, origin: Origin, text: &str) -> SeedRecord {
    SeedRecord { name: name.to_owned(), origin, hash: hash(text) }
}

/// The texts of recorded seeds, which must be what they were.
pub fn read_seeds(seeds: &[SeedRecord]) -> Result<Vec<(String, String)>, SeedGone> {
    seeds
        .iter()
        .map(|seed| {
            let name = seed.name.clone();
            let text = match &seed.origin {
                Origin::Text(text) => text.clone(),
                Origin::File(path) => fs::read_to_string(path)
                    .map_err(|error| SeedGone::Unreadable { name: name.clone(), error })?,
                Origin::BuiltIn => SEEDS
                    .iter()
                    .find(|known| known.name == name)
                    .map(|known| known.source.to_owned())
                    .unwrap_or_default(),
            };
            if hash(&text) == seed.hash { Ok((name, text)) } else { Err(SeedGone::Changed { name }) }
        })
        .collect()
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// How a solver is started, as it is recorded.
pub fn command_of(solver: &Solver) -> SolverCommand {
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    let invocation = &solver.invocation;
    SolverCommand {
        solver: solver.name.clone(),
        program: invocation.program.to_string_lossy().into_owned(),
        args: invocation.args.iter().map(text).collect(),
        environment: invocation.environment.iter().map(|(name, value)| (text(name), text(value))).collect(),
        version: None,
        hash: None,
    }
}

/// How a target is started, with its version and the hash of its content, as it is recorded.
pub fn command_of_target(target: &Target) -> SolverCommand {
    let (version, hash) = (target.probe.version.clone(), target.hash.clone());
    SolverCommand { version, hash, ..command_of(&target.solver) }
}

/// The solver that is started in a recorded way.
pub fn solver_of(command: &SolverCommand, family: &str) -> Solver {
    Solver {
        name: command.solver.clone(),
        family: Family::of_name(family),
        invocation: Invocation {
            program: PathBuf::from(&command.program),
            args: command.args.iter().map(OsString::from).collect(),
            environment: command
                .environment
                .iter()
                .map(|(name, value)| (OsString::from(name), OsString::from(value)))
                .collect(),
            is_confined: true,
        },
    }
}

/// A recorded solver, ready to be run.
pub fn recorded_solver(recorded: &SolverConfiguration) -> Solver {
    solver_of(&recorded.command, &recorded.family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read_again_if_they_are_what_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.smt2");
        fs::write(&path, "(check-sat)").unwrap();
        let origin = Origin::File(path.display().to_string());
        let seeds = [
            record_seed("a.smt2", origin, "(check-sat)"),
            record_seed("-", Origin::Text("(exit)".to_owned()), "(exit)"),
            record_seed(SEEDS[0].name, Origin::BuiltIn, SEEDS[0].source),
        ];
        assert_eq!(read_seeds(&seeds).unwrap().len(), 3);
        fs::write(&path, "(check-sat) ").unwrap();
        assert!(read_seeds(&seeds).unwrap_err().to_string().contains("has changed"));
        fs::remove_file(&path).unwrap();
        assert!(read_seeds(&seeds).unwrap_err().to_string().contains("cannot read"));
    }

    #[test]
    fn solvers_survive_recording() {
        let solver = Solver {
            name: "mine".to_owned(),
            family: Family::Generic,
            invocation: Invocation {
                program: PathBuf::from("/bin/cat"),
                args: vec!["-u".into()],
                environment: vec![("A".into(), "b".into())],
                is_confined: true,
            },
        };
        assert_eq!(solver_of(&command_of(&solver), "generic"), solver);
    }
}
