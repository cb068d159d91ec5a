//! Whether the user wants this process to end.
//!
//! Signals are handled once for the whole process, and a solver may be running in any of its threads at that moment, so
//! there is one flag for all. Everything that runs a process looks at it: the process is ended and the run is an error
//! of kind `Interrupted`, never an answer.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag, which handlers of signals set.
pub fn flag() -> Arc<AtomicBool> {
    Arc::clone(REQUESTED.get_or_init(Arc::default))
}

/// Whether the process is to end.
pub fn is_requested() -> bool {
    REQUESTED.get().is_some_and(|requested| requested.load(Ordering::Relaxed))
}

/// What running a process gives once the user wants an end.
pub fn error() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "interrupted")
}

/// Whether an error is because the user wants an end.
pub fn is_interruption(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Interrupted
}
