//! A command that tells whether a script shows it: by its exit status and what it prints.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_runner::cold::{self, Raw};
use smelt_runner::limits::Limits;
use smelt_runner::solver::Invocation;
use tempfile::TempDir;

use super::Args;
use super::work::Test;
use crate::error::cannot_write;

/// A command and how it behaved at first.
pub(super) struct Command {
    program: PathBuf,
    /// Its arguments; none where the file stands.
    words: Vec<Option<String>>,
    file: Scratch,
    limits: Limits,
    /// Whether the limit is to follow from the first run.
    is_limit_open: bool,
    /// What the slowest run took that showed it.
    slowest: Duration,
    wanted: Wanted,
    first: Option<Raw>,
}

/// What counts.
#[derive(Clone)]
struct Wanted {
    out: Option<String>,
    err: Option<String>,
    is_output_ignored: bool,
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

/// So many times what the slowest run took so far that showed it a run may take, and at least so long.
const LATER_FACTOR: u32 = 4;
const LATER_LEAST: Duration = Duration::from_millis(500);

impl Command {
    /// The command of the arguments; what is wrong with it, in words.
    pub(super) fn new(args: &Args) -> Result<Self, String> {
        let (program, rest) = args.command.split_first().ok_or("there is no command")?;
        let found = find_program(program).ok_or_else(|| format!("there is no program `{program}`"))?;
        let is_case = |word: &String| *word == args.case;
        let mut words: Vec<Option<String>> =
            rest.iter().map(|word| if is_case(word) { None } else { Some(word.clone()) }).collect();
        if !rest.iter().any(is_case) {
            words.push(None);
        }
        Ok(Command {
            program: found,
            words,
            file: Scratch::new().map_err(|error| format!("cannot make a temporary folder: {error}"))?,
            limits: Limits::for_seconds(args.timeout.unwrap_or(FIRST_SECS)),
            is_limit_open: args.timeout.is_none(),
            slowest: Duration::ZERO,
            wanted: Wanted {
                out: args.match_out.clone(),
                err: args.match_err.clone(),
                is_output_ignored: args.ignore_output,
            },
            first: None,
        })
    }
}

impl Command {
    fn invocation(&self) -> Invocation {
        let file = self.file.path.as_os_str();
        let args: Vec<OsString> =
            self.words.iter().map(|word| word.as_ref().map_or(file.to_owned(), Into::into)).collect();
        Invocation { program: self.program.clone(), args, environment: Vec::new(), is_confined: false }
    }
}

impl Test for Command {
    fn shows(&mut self, script: &str) -> Result<bool, String> {
        fs::write(&self.file.path, script).map_err(|error| cannot_write(self.file.path.display(), &error))?;
        let raw = cold::run(&self.invocation(), "", &self.limits)
            .map_err(|error| format!("cannot run `{}`: {error}", self.program.display()))?;
        // What is wanted must be there from the beginning.
        let is_shown = self.wanted.is_shown(self.first.as_ref().unwrap_or(&raw), &raw);
        if is_shown && self.is_limit_open {
            self.slowest = self.slowest.max(raw.wall);
            // On a busy machine all runs are slow, so the clock will do; processor time is counted in whole seconds.
            let wall = (self.slowest * LATER_FACTOR).max(LATER_LEAST);
            self.limits = Limits { wall, ..Limits::for_seconds(wall.as_secs_f64()) };
        }
        self.first.get_or_insert(raw);
        Ok(is_shown)
    }

    fn another(&self) -> Option<Box<dyn Test + Send>> {
        Some(Box::new(Command {
            program: self.program.clone(),
            words: self.words.clone(),
            file: Scratch::new().ok()?,
            limits: self.limits,
            is_limit_open: self.is_limit_open,
            slowest: self.slowest,
            wanted: self.wanted.clone(),
            first: self.first.clone(),
        }))
    }
}

impl Wanted {
    /// Whether a run behaves as the first one.
    fn is_shown(&self, first: &Raw, raw: &Raw) -> bool {
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
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
