//! A genetic search on disk: all that is needed to continue it, in one file that is replaced as a whole.
//!
//! It is written after every generation, so that a search that is stopped or killed loses at most the formulas that were
//! run since.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use smelt_oracle::run::Answer;
use smelt_runner::files::write_whole;
use smelt_store::configuration::SolverConfiguration;
use smelt_testgen::search::evolution::Snapshot;

use crate::configure::values::TraceSource;

/// The name of the file in the folder of a genetic search.
pub const FILE: &str = "state.json";

/// The version of the file.
pub const FORMAT: u32 = 1;

/// A genetic search as it is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The version of this format.
    pub format: u32,
    /// What it was begun with.
    pub about: GeneticRecord,
    /// The population and all else that the search knows.
    pub search: Snapshot,
    /// What came of running formulas of the front at the larger limit.
    pub reruns: Vec<Rerun>,
    /// Formulas on which the target crashed.
    pub crashes: Vec<String>,
    /// Formulas that the target and a reference decided differently.
    pub disagreements: Vec<String>,
    /// How long it has taken, in seconds.
    pub elapsed_secs: f64,
}

/// What a genetic search is begun with; it is continued with the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GeneticRecord {
    /// The solvers as the user named them, the target last.
    pub given: Vec<String>,
    /// How they are started.
    pub solvers: Vec<SolverConfiguration>,
    /// The name of the variant.
    pub variant: String,
    /// How many formulas a generation has.
    pub population: usize,
    /// The random seed.
    pub random_seed: u64,
    /// Processor time for each run of the search, in seconds.
    pub timeout_secs: f64,
    /// Processor time for each run of looking again, in seconds.
    pub confirm_secs: f64,
    /// The provider of coverage, as on the command line.
    pub coverage: String,
    /// Where traces come from.
    pub traces: TraceSource,
}

/// What came of running a formula of the front at the larger limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rerun {
    /// The number of the formula in the search.
    pub number: u64,
    /// What the target said, and its processor time in seconds.
    pub target: (Answer, f64),
    /// The same of the fastest reference that decided it, with its name.
    pub reference: Option<(String, Answer, f64)>,
}

impl Rerun {
    /// Whether the target reached the larger limit while a reference decided the formula.
    pub fn is_timeout(&self) -> bool {
        self.target.0 == Answer::Timeout && self.reference.is_some()
    }
}

/// Why there is no genetic search to continue.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// There is nothing to resume.
    #[error("there is no genetic search in `{}`; start one without --resume", .0.display())]
    Missing(PathBuf),
    /// There is something that is not to be resumed.
    #[error(
        "there is a genetic search in `{}`; continue it with --resume, or choose another folder with --dir",
        .0.display()
    )]
    Begun(PathBuf),
    /// The file cannot be read.
    #[error("cannot read `{file}`: {error}")]
    Read {
        /// Its path.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// The file is not what it should be.
    #[error("cannot use `{file}`: {problem}")]
    Content {
        /// Its path.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl State {
    /// The state of a search that is resumed; none of one that begins.
    pub fn open(folder: &Path, is_resumed: bool) -> Result<Option<State>, StateError> {
        match (is_resumed, State::exists(folder)) {
            (true, true) => State::read(folder).map(Some),
            (false, false) => Ok(None),
            (true, false) => Err(StateError::Missing(folder.to_owned())),
            (false, true) => Err(StateError::Begun(folder.to_owned())),
        }
    }

    /// Whether there is a genetic search in a folder.
    pub fn exists(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// The genetic search in a folder.
    pub(super) fn read(folder: &Path) -> Result<State, StateError> {
        let path = folder.join(FILE);
        let file = path.display().to_string();
        let text =
            fs::read_to_string(&path).map_err(|error| StateError::Read { file: file.clone(), error })?;
        let state: State = serde_json::from_str(&text)
            .map_err(|error| StateError::Content { file: file.clone(), problem: error.to_string() })?;
        if state.format != FORMAT {
            let problem = format!("it has format {}, this release reads {FORMAT}", state.format);
            return Err(StateError::Content { file, problem });
        }
        Ok(state)
    }

    /// Replaces the file in a folder as a whole.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        write_whole(&folder.join(FILE), (serde_json::to_string(self)? + "\n").as_bytes())
    }
}
