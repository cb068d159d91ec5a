//! Watches a solver at work: time, memory and Ctrl-C, from a thread beside it.
//!
//! The solver has no clock. It looks at a flag from time to time, which is set here. A solver that does not look in time
//! is cut short: the answer is `unknown`, and the process ends.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use smelt_runner::signals;

use crate::solve::usage;

/// What one command may use.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// Processor time.
    pub cpu_secs: Option<f64>,
}

/// The watching thread, as the solver's side sees it.
pub(crate) struct Watch {
    flag: Arc<AtomicBool>,
    by_user: Arc<AtomicBool>,
    watched: Arc<Mutex<Option<Watched>>>,
}

/// A command that is being carried out.
#[derive(Debug, Clone, Copy)]
struct Watched {
    limits: Limits,
    started: Instant,
    cpu_at_start: f64,
    interrupted: Option<Instant>,
}

/// How often the watch looks.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a solver may take to notice that it is interrupted.
const GRACE: Duration = Duration::from_millis(1500);

impl Watch {
    /// Begins to watch; the flag is set when a limit is reached.
    pub(crate) fn start(flag: Arc<AtomicBool>, max_memory: u64) -> Self {
        let watch = Watch {
            flag: flag.clone(),
            by_user: Arc::new(AtomicBool::new(false)),
            watched: Arc::new(Mutex::new(None)),
        };
        let (watched, by_user) = (watch.watched.clone(), watch.by_user.clone());
        let interrupt = signals::catch_interrupt();
        thread::spawn(move || {
            loop {
                thread::sleep(PERIOD);
                // Whoever carries out a command when Ctrl-C comes answers it and ends the process.
                let is_new = interrupt.load(Ordering::Relaxed) && !by_user.swap(true, Ordering::Relaxed);
                look(&watched, &flag, &by_user, is_new, max_memory);
            }
        });
        watch
    }

    /// A command begins.
    pub(crate) fn begin(&self, limits: Limits) {
        let cpu_at_start = if limits.cpu_secs.is_some() { usage().map_or(0.0, |(cpu, _)| cpu) } else { 0.0 };
        self.flag.store(false, Ordering::Relaxed);
        let watched = Watched { limits, started: Instant::now(), cpu_at_start, interrupted: None };
        if let Ok(mut slot) = self.watched.lock() {
            *slot = Some(watched);
        }
    }

    /// The command is done.
    pub(crate) fn end(&self) {
        if let Ok(mut slot) = self.watched.lock() {
            *slot = None;
        }
    }

    /// Whether the user pressed Ctrl-C.
    pub(crate) fn is_interrupted_by_user(&self) -> bool {
        self.by_user.load(Ordering::Relaxed)
    }
}

fn look(
    watched: &Mutex<Option<Watched>>,
    flag: &AtomicBool,
    by_user: &AtomicBool,
    is_new: bool,
    max_memory: u64,
) {
    let Ok(mut slot) = watched.lock() else { return };
    let Some(current) = slot.as_mut() else {
        if is_new {
            // Nothing is under way that could be answered.
            std::process::exit(130);
        }
        return;
    };
    let (cpu_secs, memory) = usage().unwrap_or((0.0, 0));
    let is_late = current.limits.cpu_secs.is_some_and(|limit| {
        // On a loaded machine the clock runs ahead; far ahead, it counts.
        cpu_secs - current.cpu_at_start >= limit
            || current.started.elapsed().as_secs_f64() >= 2.0 * limit + 1.0
    });
    let must_stop = is_late || memory > max_memory || by_user.load(Ordering::Relaxed);
    if !must_stop {
        return;
    }
    flag.store(true, Ordering::Relaxed);
    let since = *current.interrupted.get_or_insert_with(Instant::now);
    if since.elapsed() >= GRACE || memory > max_memory + max_memory / 4 {
        // The other thread holds the lock of standard output, so the file is opened anew.
        if let Ok(mut out) = std::fs::OpenOptions::new().append(true).open("/dev/stdout") {
            let _ = out.write_all(b"unknown\n");
        }
        std::process::exit(0);
    }
}
