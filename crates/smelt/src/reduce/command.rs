//! A command that tells whether a script shows it: by its exit status and what it prints.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use smelt_runner::cold::{self, End, Raw};
use smelt_runner::limits::Limits;
use smelt_runner::solver::Invocation;

use super::{Args, Test};

/// A command and how it behaved at first.
pub(super) struct Command {
    invocation: Invocation,
    file: Scratch,
    limits: Limits,
    /// Whether the limit is to follow from the first run.
    is_limit_open: bool,
    wanted: Wanted,
    first: Option<Raw>,
}

/// What counts.
struct Wanted {
    out: Option<String>,
    err: Option<String>,
    is_output_ignored: bool,
}

/// A file for scripts, gone in the end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Processor time for the first run of a command, in seconds.
const FIRST_SECS: f64 = 120.0;

impl Command {
    /// The command of the arguments; what is wrong with it, in words.
    pub(super) fn new(args: &Args) -> Result<Self, String> {
        let (program, rest) = args.command.split_first().ok_or("there is no command")?;
        let found = find_program(program).ok_or_else(|| format!("there is no program `{program}`"))?;
        let name = format!("smelt-reduce-{}.smt2", std::process::id());
        let file = Scratch(std::env::temp_dir().join(name));
        let path = file.0.as_os_str();
        let is_case = |word: &String| *word == args.case;
        let mut words: Vec<OsString> =
            rest.iter().map(|word| if is_case(word) { path.to_owned() } else { word.into() }).collect();
        if !rest.iter().any(is_case) {
            words.push(path.to_owned());
        }
        Ok(Command {
            invocation: Invocation { program: found, args: words, environment: Vec::new() },
            file,
            limits: Limits::for_seconds(args.timeout.unwrap_or(FIRST_SECS)),
            is_limit_open: args.timeout.is_none(),
            wanted: Wanted {
                out: args.match_out.clone(),
                err: args.match_err.clone(),
                is_output_ignored: args.ignore_output,
            },
            first: None,
        })
    }
}

impl Test for Command {
    fn shows(&mut self, script: &str) -> Result<bool, String> {
        fs::write(&self.file.0, script)
            .map_err(|error| format!("cannot write `{}`: {error}", self.file.0.display()))?;
        let raw = cold::run(&self.invocation, "", &self.limits)
            .map_err(|error| format!("cannot run `{}`: {error}", self.invocation.program.display()))?;
        let Some(first) = &self.first else {
            if self.is_limit_open {
                self.limits = Limits::for_seconds(2.0 * raw.cpu.as_secs_f64() + 1.0);
            }
            // What is wanted must be there from the beginning.
            let is_shown = self.wanted.is_shown(&raw, &raw);
            self.first = Some(raw);
            return Ok(is_shown);
        };
        Ok(self.wanted.is_shown(first, &raw))
    }
}

impl Wanted {
    /// Whether a run behaves as the first one.
    fn is_shown(&self, first: &Raw, raw: &Raw) -> bool {
        let same_end = match (first.end, raw.end) {
            (End::TimedOut, End::TimedOut) => true,
            (one, other) => one == other,
        };
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
