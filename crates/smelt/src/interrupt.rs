//! Ctrl-C and its like: the first asks to stop, the second ends the process at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// What a shell says of a process that Ctrl-C ended.
pub(crate) const INTERRUPTED: i32 = 130;

/// A flag that is set when the user or the system wants us to stop.
pub(crate) fn stop_when_asked() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the first signal finds the flag unset and sets it, the second finds it set.
        flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
