//! Marks: by which all processes of a run are known, whatever they do.
//!
//! A mark is a number that the first process of a run is given as a limit on file locks, which the kernel hands down
//! from parent to child and does nothing else with. Unlike a group, a session or a variable of the environment it is not
//! lost by `setsid`, `env -i` or by forking twice, and to read it costs one system call. Only a process that changes this
//! very limit loses it, and then it has one that is no mark of a living run, by which it is known too.
//!
//! | bits | what they say |
//! |---|---|
//! | 56 to 62 | how many smelts are around each other: an inner one can only lower what it has |
//! | 32 to 55 | which smelt, by a random number |
//! | 0 to 31 | which run |

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::sys::rlimit::Resource;

/// The mark of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(u64);

/// What the marks of all runs of one smelt have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner(u64);

/// A mark in use.
#[derive(Debug)]
pub(crate) struct Registration(Mark);

/// The level of a smelt that was not started by another one.
const OUTERMOST: u64 = 127;
const LEVEL_SHIFT: u32 = 56;
const OWNER_SHIFT: u32 = 32;

/// What this process itself has, and so has whoever is no process of a run.
static OWN: LazyLock<Option<u64>> = LazyLock::new(|| Resource::Locks.most_of(0));

static OWNER: LazyLock<Owner> = LazyLock::new(|| {
    let level = match OWN.unwrap_or(u64::MAX) >> LEVEL_SHIFT {
        outer @ 1..=OUTERMOST => outer - 1,
        _ => OUTERMOST,
    };
    let random = RandomState::new().hash_one(std::process::id()) & 0xff_ffff;
    Owner(level << (LEVEL_SHIFT - OWNER_SHIFT) | random)
});

/// The marks in use, each with the first process of its run once that is known.
static LIVING: Mutex<BTreeMap<u64, Option<u32>>> = Mutex::new(BTreeMap::new());

impl Registration {
    /// A mark that no other run has.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let run = NEXT.fetch_add(1, Ordering::Relaxed);
        let mark = OWNER.0 << OWNER_SHIFT | u64::from(run);
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).insert(mark, None);
        Registration(Mark(mark))
    }

    /// Tells the first process of the run, which belongs to it whatever it does to its mark.
    pub(crate) fn started(&self, pid: u32) {
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).insert(self.0.0, Some(pid));
    }

    /// The mark.
    pub(crate) fn mark(&self) -> Mark {
        self.0
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0.0);
    }
}

impl Mark {
    /// The limit on file locks that is the mark.
    pub(crate) fn limit(self) -> (Resource, u64) {
        (Resource::Locks, self.0)
    }

    /// Whether a descendant of ours belongs to this run, or did so to some run and has lost its mark.
    pub(crate) fn is_on(self, pid: u32) -> bool {
        match Resource::Locks.most_of(pid) {
            Some(most) if most == self.0 => true,
            // It is just being started, or no process of a run.
            own if own == *OWN => false,
            Some(most) => {
                let living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
                !living.contains_key(&most) && !living.values().any(|first| *first == Some(pid))
            }
            None => false,
        }
    }
}

impl Owner {
    /// This process.
    pub(crate) fn own() -> Self {
        *OWNER
    }

    /// Whether a process belongs to one of its runs.
    pub(crate) fn owns(self, pid: u32) -> bool {
        Resource::Locks.most_of(pid).is_some_and(|most| most >> OWNER_SHIFT == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_lower_than_what_a_process_has_and_belongs_to_its_owner() {
        let registration = Registration::new();
        let (_, limit) = registration.mark().limit();
        assert!(limit < OWN.unwrap());
        assert_eq!(limit >> OWNER_SHIFT, Owner::own().0);
        assert_ne!(Registration::new().mark(), registration.mark());
    }

    #[test]
    fn a_process_without_a_mark_belongs_to_no_run() {
        let registration = Registration::new();
        assert!(!registration.mark().is_on(std::process::id()));
        assert!(!Owner::own().owns(std::process::id()));
    }
}
