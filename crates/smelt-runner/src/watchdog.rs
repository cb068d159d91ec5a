//! Watches a solver in this process: time, memory and Ctrl-C, by a timer that interrupts it.
//!
//! The solver has no clock. It looks at a flag from time to time, which is set here. A solver that does not look in time
//! is cut short: the answer is `unknown`, and the process ends. A thread would do as well, but starting one costs more
//! than a small formula, see `docs/design/startup.md`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::signals::{self, Signal};

/// What one command may use.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandLimits {
    /// Processor time.
    pub cpu_secs: Option<f64>,
    /// Processor time of the whole process, what came before included.
    pub total_cpu_secs: Option<f64>,
}

impl CommandLimits {
    /// The smaller of these limits and others.
    pub fn at_most(self, others: CommandLimits) -> CommandLimits {
        let smaller = |ours: Option<f64>, other: Option<f64>| match (ours, other) {
            (Some(ours), Some(other)) => Some(ours.min(other)),
            (ours, other) => ours.or(other),
        };
        CommandLimits {
            cpu_secs: smaller(self.cpu_secs, others.cpu_secs),
            total_cpu_secs: smaller(self.total_cpu_secs, others.total_cpu_secs),
        }
    }
}

/// The watch, as the solver's side sees it. There is one in a process, since signals have only one handler.
#[derive(Debug, Clone, Copy)]
pub struct Watchdog(&'static State);

/// What the handlers read; moments are in microseconds.
#[derive(Debug)]
struct State {
    started: Instant,
    max_memory: u64,
    /// What the solver looks at.
    must_stop: Arc<AtomicBool>,
    is_busy: AtomicBool,
    is_interrupted: AtomicBool,
    /// Processor time at which the command is late. It computes all the time, so the clock says nothing more.
    cpu_limit: AtomicU64,
    /// Processor time at which the whole process is late.
    total_limit: AtomicU64,
    /// When the solver was told to stop.
    told: AtomicU64,
}

static STATE: OnceLock<State> = OnceLock::new();

/// How often the watch looks.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a solver may take to notice that it is interrupted.
const GRACE: Duration = Duration::from_millis(1500);
/// What a shell says of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;
/// No limit, or no moment.
const NEVER: u64 = u64::MAX;

impl Watchdog {
    /// Begins to watch; the flag is set when a limit is reached.
    pub fn start(must_stop: Arc<AtomicBool>, max_memory: u64) -> Self {
        let state = STATE.get_or_init(|| State {
            started: Instant::now(),
            max_memory,
            must_stop,
            is_busy: AtomicBool::new(false),
            is_interrupted: AtomicBool::new(false),
            cpu_limit: AtomicU64::new(NEVER),
            total_limit: AtomicU64::new(NEVER),
            told: AtomicU64::new(NEVER),
        });
        signals::handle(Signal::Interrupt, note_interrupt);
        signals::handle(Signal::Timer, look);
        Watchdog(state)
    }

    /// A command begins.
    pub fn begin(&self, limits: CommandLimits) {
        let state = self.0;
        let moment = |secs: Option<f64>, start: fn() -> Duration| match secs.map(Duration::try_from_secs_f64)
        {
            Some(Ok(limit)) => micros(start().saturating_add(limit)),
            _ => NEVER,
        };
        state.cpu_limit.store(moment(limits.cpu_secs, signals::cpu), Ordering::Relaxed);
        state.total_limit.store(moment(limits.total_cpu_secs, || Duration::ZERO), Ordering::Relaxed);
        // Once the time of the whole process is over, no command gets more.
        let is_over = self.is_over();
        if !is_over {
            state.told.store(NEVER, Ordering::Relaxed);
        }
        state.must_stop.store(is_over, Ordering::Relaxed);
        state.is_busy.store(true, Ordering::Relaxed);
        signals::set_timer(Some(PERIOD));
    }

    /// The command is done.
    pub fn end(&self) {
        signals::set_timer(None);
        self.0.is_busy.store(false, Ordering::Relaxed);
    }

    /// Whether the process has used all the time that it was given.
    pub fn is_over(&self) -> bool {
        let limit = self.0.total_limit.load(Ordering::Relaxed);
        limit != NEVER && micros(signals::cpu()) >= limit
    }

    /// Whether the user pressed Ctrl-C.
    pub fn is_interrupted_by_user(&self) -> bool {
        self.0.is_interrupted.load(Ordering::Relaxed)
    }
}

impl State {
    /// Microseconds since the watch began.
    fn clock(&self) -> u64 {
        micros(self.started.elapsed())
    }

    fn is_beyond_a_limit(&self, used: signals::Usage) -> bool {
        let limit = self.cpu_limit.load(Ordering::Relaxed).min(self.total_limit.load(Ordering::Relaxed));
        used.memory > self.max_memory || micros(used.cpu) >= limit
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(NEVER)
}

/// A command that is being carried out when Ctrl-C comes is answered, and ends the process.
extern "C" fn note_interrupt(_signal: i32) {
    let Some(state) = STATE.get() else { return };
    if !state.is_busy.load(Ordering::Relaxed) {
        signals::end(b"", INTERRUPTED);
    }
    state.is_interrupted.store(true, Ordering::Relaxed);
    state.must_stop.store(true, Ordering::Relaxed);
}

/// Looks after the solver, whose work this interrupts.
extern "C" fn look(_signal: i32) {
    let Some(state) = STATE.get() else { return };
    if !state.is_busy.load(Ordering::Relaxed) {
        return;
    }
    let used = signals::usage();
    if !state.is_interrupted.load(Ordering::Relaxed) && !state.is_beyond_a_limit(used) {
        return;
    }
    state.must_stop.store(true, Ordering::Relaxed);
    let now = state.clock();
    let told = state.told.load(Ordering::Relaxed).min(now);
    state.told.store(told, Ordering::Relaxed);
    if now - told >= micros(GRACE) || used.memory > state.max_memory + state.max_memory / 4 {
        signals::end(b"unknown\n", 0);
    }
}
