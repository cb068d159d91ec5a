//! What a running solver has used, and for how long it did nothing.
//!
//! Limits are about processor time, which does not depend on what else the machine does. The clock only ends a solver
//! that sleeps or waits: time in which it computes, or would compute if it were given a processor, does not count
//! against the limit on the clock. The kernel tells how long a process waited for a processor (`schedstat`); where it
//! does not, a process that makes no progress counts as asleep until it makes some.
//!
//! The solver is the process that was started and all its descendants, those that it has abandoned too, so a script
//! around a solver, or a solver that forks, is counted with all its time and memory.

use std::fs;
use std::time::{Duration, Instant};

use smelt_oracle::run::Limit;

use crate::clock;
use crate::descendants::{self, tasks};
use crate::limits::Limits;
use crate::mark::Mark;
use crate::process::Process;
use crate::sys::{self, CpuClock};
use crate::usage;

/// Limits on processor time are looked at no more often than this.
pub(crate) const CPU_STEP: Duration = Duration::from_millis(10);

/// All descendants are looked at no less often than this if anything is, also if the process itself is busy.
const TREE_STEP: Duration = Duration::from_millis(200);

/// Where waiting for a processor cannot be seen, a process that uses less than this share of a processor is asleep.
const SLEEPING_SHARE: u32 = 500;

/// No solver takes more memory than this in a second, in bytes; by this it is known when to look next.
const MAX_BYTES_PER_SECOND: u64 = 4 << 30;

/// The time that a process and its descendants have used since some moment.
#[derive(Debug)]
pub(crate) struct Progress {
    pid: u32,
    mark: Option<Mark>,
    clock: Option<CpuClock>,
    /// Processor time that the process had used before the moment that limits count from.
    before: Duration,
    /// Processor time up to the last look, all that was used before left out.
    cpu: Duration,
    looked_at: Instant,
    /// When all descendants were looked at.
    tree_looked_at: Instant,
    /// What the process itself had used at the last look.
    own: Duration,
    /// Processor time of adopted processes that have ended and were reaped.
    reaped: Duration,
    /// Resident memory at the last look, and the most that was seen, in bytes.
    memory: u64,
    max_memory: u64,
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
    /// How many they are.
    processes: usize,
    /// Resident memory in bytes. What several of them share counts more than once.
    memory: u64,
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
        if let (Some(before), Some(waited)) = (self.tree.waited, tree.waited) {
            usage::note_wait(used, waited.saturating_sub(before));
        }
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
    pub(crate) fn of_new(process: &Process) -> Self {
        let clock = CpuClock::of(process.pid());
        Progress::new(process.pid(), process.mark(), clock)
    }

    fn new(pid: u32, mark: Option<Mark>, clock: Option<CpuClock>) -> Self {
        let own = clock.and_then(CpuClock::time).unwrap_or_default();
        let now = clock::now();
        Progress {
            pid,
            mark,
            clock,
            before: Duration::ZERO,
            cpu: own,
            looked_at: now,
            tree_looked_at: now,
            own,
            reaped: Duration::ZERO,
            memory: 0,
            max_memory: 0,
            sleep: None,
            slept: Duration::ZERO,
        }
    }

    /// The progress of a process from the moment on at which it had used `before`. By now the children that it has waited
    /// for have used `children`.
    pub(crate) fn since(process: &Process, clock: CpuClock, before: Duration, children: Duration) -> Self {
        let new = Progress::new(process.pid(), process.mark(), Some(clock));
        Progress { before, cpu: (new.own + children).saturating_sub(before), ..new }
    }

    /// Looks at the process; says which limit it has reached, if it has.
    pub(crate) fn look(&mut self, limits: &Limits) -> Option<Limit> {
        let now = clock::now();
        let elapsed = now.duration_since(self.looked_at);
        self.looked_at = now;
        let own = self.clock.and_then(CpuClock::time).unwrap_or(self.own).max(self.own);
        let own_step = own.saturating_sub(self.own);
        self.own = own;
        // To ask for children and waiting costs more than to ask for the time, and they can hardly matter if the process
        // itself was busy.
        let is_busy = elapsed <= CPU_STEP + own_step * 2;
        let mut is_runnable = is_busy;
        let mut processes = 1;
        if is_busy && now.duration_since(self.tree_looked_at) < TREE_STEP {
            self.cpu += own_step;
            self.memory = sys::resident_memory(self.pid).unwrap_or(0);
        } else {
            self.tree_looked_at = now;
            let tree = self.tree(limits);
            (is_runnable, processes) = (is_busy || tree.is_runnable, tree.processes);
            self.cpu = self.cpu.max(tree.cpu.saturating_sub(self.before));
            self.memory = tree.memory;
            self.slept = match &mut self.sleep {
                Some(sleep) => sleep.look(now, tree),
                none => {
                    *none = Some(Sleep::new(now, tree));
                    Duration::ZERO
                }
            };
        }
        self.max_memory = self.max_memory.max(self.memory);
        if self.cpu >= limits.cpu {
            return Some(Limit::Cpu);
        }
        if limits.memory.is_some_and(|most| self.memory > most) {
            return Some(Limit::Memory);
        }
        if processes > limits.processes {
            return Some(Limit::Processes);
        }
        // What is not yet counted of a long wait shows in the state of the process.
        (self.slept >= limits.wall && !is_runnable).then_some(Limit::Wall)
    }

    /// What the process and all its descendants, the adopted ones too, have used.
    fn tree(&mut self, limits: &Limits) -> Tree {
        let adopted = self.mark.map(|mark| descendants::adopted(mark, self.pid)).unwrap_or_default();
        // Those that have ended would stay for as long as the run, and nobody but us can let them go.
        self.reaped += descendants::reap_ended(&adopted);
        let mut roots = adopted;
        roots.insert(0, self.pid);
        let pids = descendants::below(&roots);
        let mut tree = Tree::of(&pids, self.own);
        tree.cpu += self.reaped;
        if pids.len() > 1 && limits.memory.is_some_and(|most| tree.memory > most) {
            // Forked processes share most of their memory; to find out how much costs more than all else here.
            tree.memory = pids.iter().filter_map(|pid| sys::proportional_memory(*pid)).sum();
        }
        tree
    }

    /// Processor time up to the last look.
    pub(crate) fn cpu(&self) -> Duration {
        self.cpu
    }

    /// The most resident memory that was seen, in bytes.
    pub(crate) fn max_memory(&self) -> u64 {
        self.max_memory
    }

    /// How long the process can be left alone: processor time does not run faster than the clock, nor does sleep, and
    /// memory is not filled at any speed.
    pub(crate) fn next_look(&self, limits: &Limits) -> Duration {
        let cpu = limits.cpu.saturating_sub(self.cpu);
        let sleep = limits.wall.saturating_sub(self.slept);
        cpu.min(sleep).min(until_full(limits, self.memory)).max(CPU_STEP)
    }
}

/// The time in which no process fills the memory that it may use if it has so many bytes.
pub(crate) fn until_full(limits: &Limits, memory: u64) -> Duration {
    let free = limits.memory.map_or(u64::MAX, |most| most.saturating_sub(memory));
    Duration::from_millis(free / (MAX_BYTES_PER_SECOND / 1000))
}

impl Tree {
    /// What some processes have used, of which the first has itself used so much.
    fn of(pids: &[u32], own: Duration) -> Tree {
        let mut tree =
            Tree { cpu: own, waited: Some(Duration::ZERO), processes: pids.len(), ..Tree::default() };
        for (number, &pid) in pids.iter().enumerate() {
            if number > 0 {
                tree.cpu += sys::cpu_time(pid).unwrap_or_default();
            }
            tree.cpu += sys::children_cpu_time(pid).unwrap_or_default();
            tree.memory += sys::resident_memory(pid).unwrap_or(0);
            for task in tasks(pid) {
                let waited = waited_for_processor(pid, task);
                tree.waited = tree.waited.zip(waited).map(|(sum, waited)| sum + waited);
                tree.is_runnable |= sys::is_runnable(pid, task);
            }
        }
        tree
    }
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
        Tree { cpu: Duration::from_millis(cpu_ms), waited, ..Tree::default() }
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
        let own = std::process::id();
        let mut progress = Progress::new(own, None, CpuClock::of(own));
        let limits = Limits { cpu: Duration::from_secs(1 << 20), ..Limits::default() };
        let started = usage::own_cpu();
        while usage::own_cpu() < started + Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        assert_eq!(progress.look(&limits), None);
        assert!(progress.cpu() >= Duration::from_millis(20), "{progress:?}");
        let spent = Limits { cpu: Duration::from_millis(20), ..limits };
        assert_eq!(progress.look(&spent), Some(Limit::Cpu));
    }
}
