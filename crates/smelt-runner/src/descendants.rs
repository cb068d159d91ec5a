//! The processes that descend from this one, found and ended.
//!
//! This process adopts the descendants whose parents are gone, so none can get away: those of a run are below its first
//! process, or are children of ours with the [`Mark`] of the run.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Once};
use std::time::{Duration, Instant};

use crate::mark::Mark;
use crate::sys;

/// Descendants of a run that are looked at: a solver that forks without end is not followed without end.
pub(crate) const MAX_FOLLOWED: usize = 4096;

/// How long processes that were killed may take to go; the kernel may have to give back a lot of memory.
const PATIENCE: Duration = Duration::from_secs(10);

/// Isolation two looks at processes that are about to go.
const PAUSE: Duration = Duration::from_millis(5);

/// A child of ours that must not be ended with the others; zero if there is none.
static SPARED: AtomicU32 = AtomicU32::new(0);

/// From now on descendants whose parents are gone become children of this process.
pub fn adopt() {
    static ONCE: Once = Once::new();
    ONCE.call_once(sys::adopt_descendants);
}

/// A child that is not ended by [`end_all`].
pub(crate) fn spare(pid: u32) {
    SPARED.store(pid, Ordering::Relaxed);
}

/// The processes of a run that we have adopted, the dead ones among them, without the first one, which we have started.
pub(crate) fn adopted(mark: Mark, first: u32) -> Vec<u32> {
    // The kernel gives them to the first thread of a process.
    let own = std::process::id();
    let mut adopted = children(own, own);
    adopted.retain(|pid| *pid != first && mark.is_on(*pid));
    adopted
}

/// How many of some processes have not ended.
pub(crate) fn living(pids: &[u32]) -> usize {
    pids.iter().filter(|pid| sys::state(**pid).is_some_and(|state| state != 'Z')).count()
}

/// Ends and reaps what is left of a run whose first process is gone; says what these processes have used.
pub(crate) fn end_rest(mark: Mark, first: u32) -> Duration {
    let mut cpu = Duration::ZERO;
    let started = Instant::now();
    loop {
        let adopted = adopted(mark, first);
        // At once: one that forks and ends all the time is another one soon.
        adopted.iter().for_each(|pid| sys::kill_child(*pid));
        if adopted.is_empty() || started.elapsed() > PATIENCE {
            return cpu;
        }
        for pid in below(&adopted) {
            kill_if(pid, |pid| mark.is_on(pid));
        }
        // Reaped one after the other; their children become ours meanwhile and are next.
        for pid in adopted {
            while started.elapsed() <= PATIENCE {
                match sys::reap(pid) {
                    Some(Some(ended)) => cpu += ended.cpu,
                    Some(None) => {
                        sys::sleep_until_ended(pid, PAUSE);
                        continue;
                    }
                    // Somebody else has reaped it.
                    None => {}
                }
                break;
            }
        }
    }
}

/// Reaps the processes of a run that we have adopted and that have ended; says what they have used.
pub(crate) fn reap_ended(adopted: &[u32]) -> Duration {
    adopted.iter().filter_map(|pid| sys::reap(*pid).flatten()).map(|ended| ended.cpu).sum()
}

/// Kills all processes that descend from this one; says how many there were. They are reaped by those who started them.
pub fn end_all() -> usize {
    all().into_iter().filter(|pid| kill_if(*pid, |_| true)).count()
}

/// The living processes that descend from this one.
pub fn all() -> Vec<u32> {
    let own = std::process::id();
    let spared = SPARED.load(Ordering::Relaxed);
    let roots: Vec<u32> =
        tasks(own).into_iter().flat_map(|task| children(own, task)).filter(|pid| *pid != spared).collect();
    let mut all = below(&roots);
    all.retain(|pid| sys::state(*pid).is_some_and(|state| state != 'Z'));
    all
}

/// Sends a signal to all processes that descend from this one, until no others have come.
pub(crate) fn signal_all(signal: i32) {
    let mut known = BTreeSet::new();
    loop {
        let others: Vec<u32> = all().into_iter().filter(|pid| known.insert(*pid)).collect();
        if others.is_empty() {
            return;
        }
        for process in others.into_iter().filter_map(|pid| sys::watch(pid).ok()) {
            sys::signal(&process, signal);
        }
    }
}

/// Kills all processes that descend from this one until none is left, also those that are just about to start.
pub fn end_for_good() {
    let started = Instant::now();
    while end_all() > 0 && started.elapsed() < PATIENCE {
        std::thread::sleep(PAUSE);
    }
}

/// Kills a process if, once its id cannot become that of another, a condition holds.
pub(crate) fn kill_if(pid: u32, condition: impl FnOnce(u32) -> bool) -> bool {
    let Ok(process) = sys::watch(pid) else { return false };
    let is_meant = condition(pid);
    if is_meant {
        sys::kill(&process);
    }
    is_meant
}

/// Some processes and all below them, the first ones first.
pub(crate) fn below(roots: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = roots.to_vec();
    let mut seen: BTreeSet<u32> = all.iter().copied().collect();
    let mut next = 0;
    while next < all.len() && all.len() < MAX_FOLLOWED {
        let pid = all[next];
        next += 1;
        let children = tasks(pid).into_iter().flat_map(|task| children(pid, task));
        all.extend(children.filter(|child| seen.insert(*child)));
    }
    all
}

/// The threads of a process.
pub(crate) fn tasks(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The children that a thread of a process has started or adopted.
pub(crate) fn children(pid: u32, task: u32) -> Vec<u32> {
    static HAS_LISTS: LazyLock<bool> =
        LazyLock::new(|| fs::exists("/proc/thread-self/children").unwrap_or(false));
    if !*HAS_LISTS {
        return if pid == task { children_by_parent(pid) } else { Vec::new() };
    }
    let list = fs::read_to_string(format!("/proc/{pid}/task/{task}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// The children of all threads of a process, for kernels that keep no lists.
fn children_by_parent(pid: u32) -> Vec<u32> {
    processes().into_iter().filter(|child| sys::parent(*child) == Some(pid)).collect()
}

/// All processes of the machine.
pub fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
