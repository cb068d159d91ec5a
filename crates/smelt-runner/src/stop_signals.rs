//! Ctrl-C and its like: the first asks to stop, the second ends the process at once. Ctrl-Z stops solvers and clocks too.
//!
//! A command that is asked to stop ends the solvers that run, says what it has and returns. One that does not return in
//! time is ended, with every process that it has started: whatever it does at that moment, users do not wait.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use crate::orphans::Guard;
use crate::{descendants, interruption, process, usage};

/// What a shell says of a process that a signal ended is the number of the signal and this.
const ENDED_BY: i32 = 128;

/// How long a command may take to return once it is asked to stop. Time in which a thread waits for a processor does not
/// count: on a busy machine, results would be lost that are about to be written.
const GRACE: Duration = Duration::from_millis(1300);

/// The most time on the clock that a command may take to return, however busy the machine is.
const MAX_GRACE: Duration = Duration::from_secs(20);

/// How often a second signal is looked for meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The signal that asked the command to stop.
static SIGNAL: AtomicI32 = AtomicI32::new(SIGINT);

/// The exit status of a command that was asked to stop: what a shell says of a process that this signal ended.
pub fn exit_status() -> i32 {
    ENDED_BY + SIGNAL.load(Ordering::Relaxed)
}

/// From now on signals ask the command to stop, and nothing that it starts outlives it. Called once, before the first
/// process or thread is started.
pub fn watch() -> io::Result<Guard> {
    let guard = Guard::start()?;
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT])?;
    // Commands look at theirs when a run fails, so it is set first.
    let flags = [Arc::clone(&STOP), interruption::flag()];
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        SIGNAL.store(wait_for_request(&mut signals), Ordering::Relaxed);
        flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        let (asked_at, waits) = (Instant::now(), usage::own_waits());
        while !is_overdue(asked_at.elapsed(), &waits) && !signals.pending().any(asks_to_end) {
            thread::sleep(PAUSE);
        }
        end();
    })?;
    Ok(guard)
}

fn asks_to_end(signal: i32) -> bool {
    !matches!(signal, SIGTSTP | SIGCONT)
}

/// Waits until a signal asks to end, and says which. Until then Ctrl-Z stops all solvers and this process, and their clocks with them.
fn wait_for_request(signals: &mut Signals) -> i32 {
    loop {
        let arrived: Vec<i32> = signals.wait().collect();
        if let Some(signal) = arrived.iter().copied().find(|signal| asks_to_end(*signal)) {
            return signal;
        }
        if arrived.contains(&SIGTSTP) {
            let mut must_end = None;
            process::stop_all_while(|| {
                process::stop_this_one();
                // It may not have stopped yet, but it continues with this signal only.
                let mut is_continued = false;
                while !is_continued {
                    for signal in signals.wait() {
                        is_continued |= signal == SIGCONT;
                        must_end = must_end.or(Some(signal).filter(|signal| asks_to_end(*signal)));
                    }
                }
            });
            if let Some(signal) = must_end {
                return signal;
            }
        }
    }
}

/// Whether a command that was asked to stop this long ago has had its time; `waits` are those of its threads then.
fn is_overdue(elapsed: Duration, waits: &BTreeMap<u32, Duration>) -> bool {
    if elapsed < GRACE || elapsed >= MAX_GRACE {
        return elapsed >= GRACE;
    }
    let since = |(task, waited): (u32, Duration)| {
        waited.saturating_sub(waits.get(&task).copied().unwrap_or(Duration::ZERO))
    };
    let waited = usage::own_waits().into_iter().map(since).max().unwrap_or_default();
    elapsed.saturating_sub(waited) >= GRACE
}

/// The flag that is set when the user or the system wants us to stop. A command may set it too, to make all its workers
/// stop; then nothing counts as interrupted.
pub fn stop_when_asked() -> Arc<AtomicBool> {
    Arc::clone(&STOP)
}

/// Ends all processes that we have started, and this one.
fn end() -> ! {
    descendants::end_for_good();
    std::process::exit(exit_status());
}
