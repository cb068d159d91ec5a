//! What smelt itself uses, to be compared with what the solvers use, and how it uses it.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::sys;

/// The processor time of this process up to now, all threads together.
pub fn own_cpu() -> Duration {
    sys::own_usage()
}

/// The processor time of this process and of all processes that it has started and that have ended.
pub fn all_cpu() -> Duration {
    sys::own_usage() + sys::ended_usage()
}

/// How long each thread of this process could have run but was not given a processor; empty if the kernel does not tell.
pub fn own_waits() -> BTreeMap<u32, Duration> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let waited = |task: u32| {
        let text = fs::read_to_string(format!("/proc/self/task/{task}/schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
    };
    tasks
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|task| Some((task, waited(task)?)))
        .collect()
}

static COMPUTED_NANOS: AtomicU64 = AtomicU64::new(0);
static WAITED_NANOS: AtomicU64 = AtomicU64::new(0);

/// What solvers were seen to do: how long they computed and how long they waited for a processor, all together.
pub fn solver_waits() -> (Duration, Duration) {
    let read = |nanos: &AtomicU64| Duration::from_nanos(nanos.load(Ordering::Relaxed));
    (read(&COMPUTED_NANOS), read(&WAITED_NANOS))
}

/// A solver has computed and waited for a processor for so long.
pub(crate) fn note_wait(computed: Duration, waited: Duration) {
    for (nanos, time) in [(&COMPUTED_NANOS, computed), (&WAITED_NANOS, waited)] {
        nanos.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// Makes this process one that waits for its turn, and those that it starts from now on too.
///
/// A solver prints its answer, its model and our mark one after the other. We are woken by the first, but when we get
/// our turn, all three are there more often than not.
pub fn use_batch_scheduling() {
    sys::use_batch_scheduling();
}

/// Keeps free memory for what comes next. What is made for a case and dropped after it would go back to the system each
/// time, and come back as pages that have to be cleared.
pub fn keep_freed_memory() {
    sys::keep_freed_memory();
}
