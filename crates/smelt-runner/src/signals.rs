//! Being told of Ctrl-C without dying of it.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
}

/// From now on Ctrl-C (SIGINT) sets a flag instead of ending the process; the flag is given back.
pub fn catch_interrupt() -> &'static AtomicBool {
    let handler = note as extern "C" fn(libc::c_int);
    // SAFETY: the handler does nothing but store to an atomic, which is allowed in a signal handler.
    #[allow(unsafe_code)]
    unsafe {
        libc::signal(libc::SIGINT, handler as libc::sighandler_t);
    }
    &IS_INTERRUPTED
}
