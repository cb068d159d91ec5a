//! What a running solver has used, and for how long it did nothing.
//!
//! Limits are about processor time, which does not depend on what else the machine does. The clock only ends a solver
//! that sleeps or waits: time in which it computes, or would compute if it were given a processor, does not count
//! against the limit on the clock. The kernel tells how long a process waited for a processor (`schedstat`); where it
//! does not, a process that makes no progress counts as asleep until it makes some.
//!
//! The solver is the process that was started and all its living descendants, so a script around a solver, or a solver
//! that forks, is counted too.

use std::fs;
use std::time::{Duration, Instant};

use smelt_oracle::run::Limit;

use crate::limits::Limits;
use crate::sys::{self, CpuClock};

/// Limits on processor time are looked at no more often than this.
pub(crate) const CPU_STEP: Duration = Duration::from_millis(10);

/// Where waiting for a processor cannot be seen, a process that uses less than this share of a processor is asleep.
const SLEEPING_SHARE: u32 = 500;

/// The time that a process and its descendants have used since some moment.
#[derive(Debug)]
pub(crate) struct Progress {
    pid: u32,
    clock: Option<CpuClock>,
    /// Processor time that the process had used before the moment that limits count from.
    before: Duration,
    /// Processor time up to the last look, all that was used before left out.
    cpu: Duration,
    looked_at: Instant,
    /// What the process itself had used at the last look.
    own: Duration,
    /// What all had used and waited at the last look, if that was asked for.
    tree: Option<Tree>,
    slept: Duration,
}

/// What a process and its descendants have used so far.
#[derive(Debug, Clone, Copy, Default)]
struct Tree {
    cpu: Duration,
    /// Time in which they waited for a processor; none if the kernel does not tell.
    waited: Option<Duration>,
}

impl Progress {
    /// The progress of a process that was just started.
    pub(crate) fn of_new(pid: u32) -> Self {
        Progress::since(pid, CpuClock::of(pid), Duration::ZERO, Duration::ZERO)
    }

    /// The progress of a process from the moment on at which it had used `before`. By now the children that it has waited
    /// for have used `children`.
    pub(crate) fn since(pid: u32, clock: Option<CpuClock>, before: Duration, children: Duration) -> Self {
        let own = clock.and_then(CpuClock::time).unwrap_or_default();
        Progress {
            pid,
            clock,
            before,
            cpu: (own + children).saturating_sub(before),
            looked_at: Instant::now(),
            own,
            tree: None,
            slept: Duration::ZERO,
        }
    }

    /// Looks at the process; says which limit it has reached, if it has.
    pub(crate) fn look(&mut self, limits: &Limits) -> Option<Limit> {
        let now = Instant::now();
        let elapsed = now.duration_since(self.looked_at);
        self.looked_at = now;
        let own = self.clock.and_then(CpuClock::time).unwrap_or(self.own).max(self.own);
        let own_step = own.saturating_sub(self.own);
        self.own = own;
        // To ask for children and waiting costs more than to ask for the time, and they can matter only if the process
        // itself was not busy.
        if elapsed <= CPU_STEP + own_step * 2 {
            self.tree = None;
            self.cpu += own_step;
        } else {
            let tree = Tree::of(self.pid, own);
            self.cpu = self.cpu.max(tree.cpu.saturating_sub(self.before));
            self.slept = self.slept_by_now(elapsed, self.tree, tree);
            self.tree = Some(tree);
        }
        if self.cpu >= limits.cpu {
            return Some(Limit::Cpu);
        }
        (self.slept >= limits.wall).then_some(Limit::Wall)
    }

    /// The time for which it has slept, if there were `earlier` and `later` with so much time in between.
    fn slept_by_now(&self, elapsed: Duration, earlier: Option<Tree>, later: Tree) -> Duration {
        let Some(earlier) = earlier else { return self.slept };
        let used = later.cpu.saturating_sub(earlier.cpu);
        match (earlier.waited, later.waited) {
            (Some(before), Some(waited)) => {
                self.slept + elapsed.saturating_sub(used + waited.saturating_sub(before))
            }
            _ if used * SLEEPING_SHARE < elapsed => self.slept + elapsed,
            _ => Duration::ZERO,
        }
    }

    /// Processor time up to the last look.
    pub(crate) fn cpu(&self) -> Duration {
        self.cpu
    }

    /// How long the process can be left alone: processor time does not run faster than the clock, nor does sleep.
    pub(crate) fn next_look(&self, limits: &Limits) -> Duration {
        let cpu = limits.cpu.saturating_sub(self.cpu);
        let sleep = limits.wall.saturating_sub(self.slept);
        cpu.min(sleep).max(CPU_STEP)
    }
}

impl Tree {
    /// What a process that itself has used so much and its descendants have used.
    fn of(pid: u32, own: Duration) -> Tree {
        let mut tree = Tree { cpu: own, waited: Some(Duration::ZERO) };
        let mut pending = vec![pid];
        let mut seen = 0;
        while let Some(pid) = pending.pop() {
            seen += 1;
            tree.cpu += sys::children_cpu_time(pid).unwrap_or_default();
            for task in tasks(pid) {
                let waited = waited_for_processor(pid, task);
                tree.waited = tree.waited.zip(waited).map(|(sum, waited)| sum + waited);
                // A solver that forks without end is not followed without end.
                if seen < MAX_DESCENDANTS {
                    for child in children(pid, task) {
                        tree.cpu += sys::cpu_time(child).unwrap_or_default();
                        pending.push(child);
                    }
                }
            }
        }
        tree
    }
}

/// Descendants of a solver that are looked at.
const MAX_DESCENDANTS: usize = 256;

/// The threads of a process.
fn tasks(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The children that a thread of a process has started.
fn children(pid: u32, task: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{task}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// How long a thread could have run but was not given a processor; none if the kernel does not tell.
fn waited_for_processor(pid: u32, task: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{task}/schedstat"));
    match text {
        Ok(text) => text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos),
        // It has ended since it was listed.
        Err(_) if !fs::exists(format!("/proc/{pid}/task/{task}")).unwrap_or(false) => Some(Duration::ZERO),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress() -> Progress {
        Progress::since(std::process::id(), None, Duration::ZERO, Duration::ZERO)
    }

    fn tree(cpu_ms: u64, waited_ms: Option<u64>) -> Tree {
        Tree { cpu: Duration::from_millis(cpu_ms), waited: waited_ms.map(Duration::from_millis) }
    }

    #[test]
    fn time_in_which_a_solver_waits_for_a_processor_is_not_sleep() {
        let slept = |earlier, later| {
            progress().slept_by_now(Duration::from_millis(1000), Some(earlier), later).as_millis()
        };
        assert_eq!(slept(tree(0, Some(0)), tree(60, Some(940))), 0);
        assert_eq!(slept(tree(0, Some(0)), tree(0, Some(0))), 1000);
        assert_eq!(slept(tree(50, Some(10)), tree(60, Some(20))), 980);
    }

    #[test]
    fn without_knowing_who_waits_any_progress_is_being_awake() {
        let second = Duration::from_millis(1000);
        let sleepy = Progress { slept: second, ..progress() };
        let slept = |later| sleepy.slept_by_now(second, Some(tree(0, None)), later).as_millis();
        assert_eq!(slept(tree(60, None)), 0);
        assert_eq!(slept(tree(1, None)), 2000);
    }

    #[test]
    fn a_process_that_computes_has_used_what_it_used() {
        let mut progress = Progress::of_new(std::process::id());
        let limits = Limits { cpu: Duration::from_secs(1 << 20), ..Limits::default() };
        let started = crate::usage::own_cpu();
        while crate::usage::own_cpu() < started + Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        assert_eq!(progress.look(&limits), None);
        assert!(progress.cpu() >= Duration::from_millis(20), "{progress:?}");
        let spent = Limits { cpu: Duration::from_millis(20), ..limits };
        assert_eq!(progress.look(&spent), Some(Limit::Cpu));
    }
}
