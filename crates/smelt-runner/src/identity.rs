//! Which program a solver really is: its command line, version and content.

use serde::Serialize;

use crate::cache::Cache;
use crate::probe::version_cached;
use crate::solver::Solver;

/// Digits of a hash that people are shown.
const SHOWN_DIGITS: usize = 12;

/// What tells a solver from another one with the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The program that is started.
    pub program: String,
    /// What it says of itself.
    pub version: Option<String>,
    /// BLAKE3 of its content, in hexadecimal digits.
    pub hash: Option<String>,
}

impl Identity {
    /// Looks at a solver; asks it for its version unless that is known.
    pub fn of(solver: &Solver, cache: &Cache) -> Identity {
        Identity {
            program: solver.invocation.program.display().to_string(),
            version: version_cached(solver, cache).ok().flatten(),
            hash: cache.content_hash(solver).ok(),
        }
    }

    /// One line for people: the name, what is started, version and hash.
    pub fn line(&self, solver: &Solver) -> String {
        let version = self.version.as_deref().unwrap_or("version unknown");
        let hash = self.hash.as_ref().map_or("not readable".to_owned(), |hash| {
            format!("blake3 {}", hash.get(..SHOWN_DIGITS).unwrap_or(hash))
        });
        format!("{}: {} ({version}, {hash})", solver.name, solver.invocation.command_line())
    }
}
