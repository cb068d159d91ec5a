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
    /// From the first look on at which it was not busy.
    sleep: Option<Sleep>,
    slept: Duration,
}

/// What a process and its descendants have used so far.
#[derive(Debug, Clone, Copy, Default)]
struct Tree {
    cpu: Duration,
    /// Time in which they waited for a processor; none if the kernel does not tell.
    waited: Option<Duration>,
    /// Whether one of them runs or waits for a processor.
    is_runnable: bool,
}

/// For how long nothing was done.
#[derive(Debug, Clone, Copy)]
struct Sleep {
    since: Instant,
    /// Time since then in which something was done, or could have been done with a processor.
    active: Duration,
    looked_at: Instant,
    tree: Tree,
}

impl Sleep {
    fn new(now: Instant, tree: Tree) -> Self {
        Sleep { since: now, active: Duration::ZERO, looked_at: now, tree }
    }

    /// The time that was slept by now.
    fn look(&mut self, now: Instant, tree: Tree) -> Duration {
        let used = tree.cpu.saturating_sub(self.tree.cpu);
        match (self.tree.waited, tree.waited) {
            // A wait is counted when it ends, so it may have been taken for sleep until now.
            (Some(before), Some(waited)) => self.active += used + waited.saturating_sub(before),
            _ if used * SLEEPING_SHARE < now.duration_since(self.looked_at) => {}
            _ => (self.since, self.active) = (now, Duration::ZERO),
        }
        let elapsed = now.duration_since(self.since);
        // Several that compute at once do not make up for sleep to come.
        self.active = self.active.min(elapsed);
        (self.looked_at, self.tree) = (now, tree);
        elapsed - self.active
    }
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
            sleep: None,
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
        let is_busy = elapsed <= CPU_STEP + own_step * 2;
        let mut is_runnable = is_busy;
        if is_busy {
            self.cpu += own_step;
        } else {
            let tree = Tree::of(self.pid, own);
            is_runnable = tree.is_runnable;
            self.cpu = self.cpu.max(tree.cpu.saturating_sub(self.before));
            self.slept = match &mut self.sleep {
                Some(sleep) => sleep.look(now, tree),
                none => {
                    *none = Some(Sleep::new(now, tree));
                    Duration::ZERO
                }
            };
        }
        if self.cpu >= limits.cpu {
            return Some(Limit::Cpu);
        }
        // What is not yet counted of a long wait shows in the state of the process.
        (self.slept >= limits.wall && !is_runnable).then_some(Limit::Wall)
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
        let mut tree = Tree { cpu: own, waited: Some(Duration::ZERO), is_runnable: false };
        let mut pending = vec![pid];
        let mut seen = 0;
        while let Some(pid) = pending.pop() {
            seen += 1;
            tree.cpu += sys::children_cpu_time(pid).unwrap_or_default();
            for task in tasks(pid) {
                let waited = waited_for_processor(pid, task);
                tree.waited = tree.waited.zip(waited).map(|(sum, waited)| sum + waited);
                tree.is_runnable |= sys::is_runnable(pid, task);
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

    fn tree(cpu_ms: u64, waited_ms: Option<u64>) -> Tree {
        let waited = waited_ms.map(Duration::from_millis);
        Tree { cpu: Duration::from_millis(cpu_ms), waited, is_runnable: false }
    }

    /// The milliseconds that were slept when all looks, a second apart, have seen this.
    fn slept(trees: &[Tree]) -> u128 {
        let start = Instant::now();
        let mut sleep = Sleep::new(start, trees[0]);
        let looks = (1..).zip(&trees[1..]);
        looks
            .map(|(second, tree)| sleep.look(start + Duration::from_secs(second), *tree).as_millis())
            .last()
            .unwrap()
    }

    #[test]
    fn time_in_which_a_solver_waits_for_a_processor_is_not_sleep() {
        assert_eq!(slept(&[tree(0, Some(0)), tree(60, Some(940))]), 0);
        assert_eq!(slept(&[tree(0, Some(0)), tree(0, Some(0))]), 1000);
        assert_eq!(slept(&[tree(50, Some(10)), tree(60, Some(20))]), 980);
    }

    #[test]
    fn a_wait_that_is_counted_late_is_not_sleep_either() {
        assert_eq!(slept(&[tree(0, Some(0)), tree(0, Some(0)), tree(10, Some(1990))]), 0);
        assert_eq!(slept(&[tree(0, Some(0)), tree(4000, Some(0)), tree(4000, Some(0))]), 1000);
    }

    #[test]
    fn without_knowing_who_waits_any_progress_is_being_awake() {
        assert_eq!(slept(&[tree(0, None), tree(0, None), tree(60, None)]), 0);
        assert_eq!(slept(&[tree(0, None), tree(0, None), tree(1, None)]), 2000);
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
