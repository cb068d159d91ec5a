//! How much a run may use.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::clock;
use crate::interruption;

/// Limits of one run. A run that reaches one is ended and says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock in which the solver does nothing: neither computes nor waits for a processor. A solver that
    /// sleeps is ended by this, one that computes never, however busy the machine is.
    pub wall: Duration,
    /// Processor time.
    pub cpu: Duration,
    /// Resident memory of the solver and all its descendants in bytes; none is no limit. Not address space, of which
    /// programs that are built with a sanitizer reserve terabytes.
    pub memory: Option<u64>,
    /// Processes at once.
    pub processes: usize,
    /// Bytes of a file that the solver writes.
    pub file: u64,
    /// Bytes of standard output and standard error together.
    pub output: usize,
    /// The moment at which the result is not wanted any more: then the run is an error of kind `TimedOut`.
    pub until: Option<Instant>,
}

/// The longest time limit, some thirty years: what a finding of others says may be any number.
const MAX_SECS: f64 = 1e9;

impl Limits {
    /// Limits for a time limit in seconds of processor time.
    pub fn for_seconds(seconds: f64) -> Self {
        let cpu = Duration::from_secs_f64(seconds.clamp(0.001, MAX_SECS));
        Limits { wall: cpu * 2 + MIN_WALL, cpu, ..Limits::default() }
    }

    /// No limits on memory, processes and files, for what builds programs.
    pub fn none() -> Self {
        Limits { memory: None, processes: usize::MAX, file: u64::MAX, ..Limits::default() }
    }

    /// An error if nobody wants the result of a run any more.
    pub(crate) fn check_wanted(&self) -> io::Result<()> {
        if interruption::is_requested() {
            return Err(interruption::error());
        }
        match self.until {
            Some(until) if clock::now() >= until => Err(io::ErrorKind::TimedOut.into()),
            _ => Ok(()),
        }
    }

    /// A pause, or less if the result will not be wanted any more by then.
    pub(crate) fn at_most(&self, pause: Duration) -> Duration {
        self.until.map_or(pause, |until| pause.min(until.saturating_duration_since(clock::now())))
    }
}

/// A solver may sleep for so long, whatever its limit on processor time: files may have to be read from a slow disk.
const MIN_WALL: Duration = Duration::from_secs(5);

/// Solvers that start processes start a few for each processor.
pub const MAX_PROCESSES: usize = 1000;

/// Solvers write no files but logs and proofs.
pub const MAX_FILE: u64 = 1 << 30;

/// The memory of a run where nothing else is said; the largest number is no limit.
static DEFAULT_MEMORY: AtomicU64 = AtomicU64::new(4 << 30);

/// From now on runs have this limit on resident memory where nothing else is said; none is no limit.
pub fn set_default_memory(bytes: Option<u64>) {
    DEFAULT_MEMORY.store(bytes.unwrap_or(u64::MAX), Ordering::Relaxed);
}

fn default_memory() -> Option<u64> {
    Some(DEFAULT_MEMORY.load(Ordering::Relaxed)).filter(|bytes| *bytes < u64::MAX)
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            wall: Duration::from_secs(25),
            cpu: Duration::from_secs(10),
            memory: default_memory(),
            processes: MAX_PROCESSES,
            file: MAX_FILE,
            output: 64 << 20,
            until: None,
        }
    }
}
