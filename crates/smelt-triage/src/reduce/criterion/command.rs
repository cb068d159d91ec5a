//! A command that tells whether a script reproduces the behaviour: by its exit status and what it prints.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_runner::cold::{self, Raw};
use smelt_runner::limits::Limits;
use smelt_runner::solver::{Invocation, program_on_path};
use tempfile::TempDir;

use super::{CriterionError, Reproduction};

/// A command and how it behaved at first.
pub struct Command {
    program: PathBuf,
    /// Its arguments; none where the file stands.
    words: Vec<Option<String>>,
    file: Scratch,
    limits: Limits,
    /// Whether the limit is to follow from the first run.
    is_limit_open: bool,
    /// What the slowest run took that showed it.
    slowest: Duration,
    behaviour: Behaviour,
    first: Option<Raw>,
}

/// What counts of the behaviour of a command besides its exit status.
#[derive(Debug, Clone, Default)]
pub struct Behaviour {
    /// It must print this on standard output; none if it must print what it printed at first.
    pub out: Option<String>,
    /// The same for standard error.
    pub err: Option<String>,
    /// Whether what it prints does not count at all.
    pub is_output_ignored: bool,
}

/// A file for scripts, gone in the end. It is alone in a folder that only this user can enter and whose name cannot be
/// guessed, so that no other user of the machine can put a link in its place.
struct Scratch {
    path: PathBuf,
    _folder: TempDir,
}

impl Scratch {
    fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("smelt-reduce-").tempdir()?;
        Ok(Scratch { path: folder.path().join("case.smt2"), _folder: folder })
    }
}

/// Processor time for the first run of a command, in seconds.
const FIRST_SECS: f64 = 120.0;

/// A later run may take this many times as long as the slowest run so far that reproduced the behaviour, and at least
/// [`MIN_LATER`].
const LATER_FACTOR: u32 = 4;
const MIN_LATER: Duration = Duration::from_millis(500);

impl Command {
    /// A command line. Where it names the case it gets the file to try, otherwise as its last argument. Without a timeout
    /// the limit of each run follows from the runs before it.
    pub fn new(
        line: &[String],
        case: &str,
        behaviour: Behaviour,
        timeout_secs: Option<f64>,
    ) -> Result<Self, CriterionError> {
        let (program, rest) = line.split_first().ok_or(CriterionError::NoCommand)?;
        let found = find_program(program).ok_or_else(|| CriterionError::NoProgram(program.clone()))?;
        let is_case = |word: &String| *word == case;
        let mut words: Vec<Option<String>> =
            rest.iter().map(|word| if is_case(word) { None } else { Some(word.clone()) }).collect();
        if !rest.iter().any(is_case) {
            words.push(None);
        }
        Ok(Command {
            program: found,
            words,
            file: Scratch::new().map_err(CriterionError::TemporaryFolder)?,
            limits: Limits::for_seconds(timeout_secs.unwrap_or(FIRST_SECS)),
            is_limit_open: timeout_secs.is_none(),
            slowest: Duration::ZERO,
            behaviour,
            first: None,
        })
    }

    fn invocation(&self) -> Invocation {
        let file = self.file.path.as_os_str();
        let args: Vec<OsString> =
            self.words.iter().map(|word| word.as_ref().map_or(file.to_owned(), Into::into)).collect();
        Invocation { program: self.program.clone(), args, environment: Vec::new(), is_confined: false }
    }
}

impl Reproduction for Command {
    fn reproduces(&mut self, script: &str) -> Result<bool, CriterionError> {
        fs::write(&self.file.path, script)
            .map_err(|error| CriterionError::Write { path: self.file.path.display().to_string(), error })?;
        let raw = cold::run(&self.invocation(), "", &self.limits)
            .map_err(|error| CriterionError::Run { program: self.program.display().to_string(), error })?;
        // What is wanted must be there from the beginning.
        let is_same = self.behaviour.is_same(self.first.as_ref().unwrap_or(&raw), &raw);
        if is_same && self.is_limit_open {
            self.slowest = self.slowest.max(raw.wall);
            // On a busy machine all runs are slow, so the clock will do; processor time is counted in whole seconds.
            let wall = (self.slowest * LATER_FACTOR).max(MIN_LATER);
            self.limits = Limits { wall, ..Limits::for_seconds(wall.as_secs_f64()) };
        }
        self.first.get_or_insert(raw);
        Ok(is_same)
    }

    fn another(&self) -> Option<Box<dyn Reproduction + Send>> {
        Some(Box::new(Command {
            program: self.program.clone(),
            words: self.words.clone(),
            file: Scratch::new().ok()?,
            limits: self.limits,
            is_limit_open: self.is_limit_open,
            slowest: self.slowest,
            behaviour: self.behaviour.clone(),
            first: self.first.clone(),
        }))
    }
}

impl Behaviour {
    /// Whether a run behaves as the first one.
    fn is_same(&self, first: &Raw, raw: &Raw) -> bool {
        let same_end = first.end == raw.end;
        let matches = |wanted: &Option<String>, first: &[u8], printed: &[u8]| match wanted {
            Some(text) => String::from_utf8_lossy(printed).contains(text.as_str()),
            // Where one output is chosen, the other does not count.
            None => self.out.is_some() || self.err.is_some() || first == printed,
        };
        same_end
            && (self.is_output_ignored
                || matches(&self.out, &first.stdout, &raw.stdout)
                    && matches(&self.err, &first.stderr, &raw.stderr))
    }
}

/// A program by its path, or on the PATH.
fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Path::new(name).canonicalize().ok();
    }
    program_on_path(name)
}
