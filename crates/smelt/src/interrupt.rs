//! Ctrl-C and its like: the first asks to stop, the second ends the process at once.
//!
//! A command that is asked to stop ends the solvers that run, says what it has and returns. One that does not return in
//! time is ended, with every process that it has started: whatever it does at that moment, users do not wait.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use smelt_runner::{interruption, orphans};

/// What a shell says of a process that Ctrl-C ended.
pub(crate) const INTERRUPTED: i32 = 130;

/// How long a command may take to return once it is asked to stop.
const GRACE: Duration = Duration::from_millis(1300);

/// How often a second signal is looked for meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on signals ask the command to stop. Called once, before the first process is started.
pub(crate) fn watch() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let flags = [interruption::flag(), Arc::clone(&STOP)];
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if signals.forever().next().is_none() {
            return;
        }
        flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        let asked_at = Instant::now();
        while asked_at.elapsed() < GRACE && signals.pending().next().is_none() {
            thread::sleep(PAUSE);
        }
        end();
    })?;
    Ok(())
}

/// The flag that is set when the user or the system wants us to stop. A command may set it too, to make all its workers
/// stop; then nothing counts as interrupted.
pub(crate) fn stop_when_asked() -> Arc<AtomicBool> {
    Arc::clone(&STOP)
}

/// Ends all processes that we have started, and this one.
fn end() -> ! {
    let own = std::process::id();
    // One may be just about to start.
    while orphans::end_all_of(own) > 0 {
        thread::sleep(PAUSE);
    }
    std::process::exit(INTERRUPTED);
}
