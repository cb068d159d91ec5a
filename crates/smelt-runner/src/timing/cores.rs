//! The cores of the machine, one for each worker that measures.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::sys::affinity;

/// Cores that nobody measures on right now, by one processor each.
#[derive(Debug)]
pub struct Cores {
    free: Mutex<Vec<usize>>,
    count: usize,
}

/// A thread that has a core for itself until this is dropped.
#[derive(Debug)]
pub struct Pinned<'c> {
    cores: &'c Cores,
    processor: usize,
    /// Where the thread ran before.
    before: Vec<usize>,
}

impl Cores {
    /// The cores of some processors, as `devices/system/cpu` below a folder describes them. Of hyper-threads that share a
    /// core the first is used, and the others are left idle.
    pub(super) fn read(sys: &Path, allowed: &[usize]) -> Cores {
        let mut cores: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for processor in allowed {
            let topology = sys.join(format!("devices/system/cpu/cpu{processor}/topology"));
            let list = ["core_cpus_list", "thread_siblings_list"]
                .iter()
                .find_map(|name| fs::read_to_string(topology.join(name)).ok());
            let siblings = list.map(|list| numbers_in(&list)).filter(|siblings| siblings.contains(processor));
            cores.entry(siblings.unwrap_or_else(|| vec![*processor])).or_insert(*processor);
        }
        // The first is taken last: interrupts and everything else that happens at all happen there.
        let mut free: Vec<usize> = cores.into_values().collect();
        free.sort_unstable();
        Cores { count: free.len(), free: Mutex::new(free) }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Gives the calling thread a core that nobody else has; none if there is none, or if the system does not let us.
    pub fn pin(&self) -> Option<Pinned<'_>> {
        let before = affinity::allowed().ok()?;
        let processor = self.take()?;
        let pinned = Pinned { cores: self, processor, before };
        affinity::restrict_to(&[processor]).ok()?;
        Some(pinned)
    }

    fn take(&self) -> Option<usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn give_back(&self, processor: usize) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(processor);
    }
}

impl Pinned<'_> {
    /// The processor that it runs on.
    pub fn processor(&self) -> usize {
        self.processor
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        // What cannot be undone leaves the thread where it is, which is no worse.
        let _ = affinity::restrict_to(&self.before);
        self.cores.give_back(self.processor);
    }
}

/// The numbers of a list such as `0-2,8`.
fn numbers_in(list: &str) -> Vec<usize> {
    let range = |range: &str| -> Option<std::ops::RangeInclusive<usize>> {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine whose processors share cores as the lists say.
    fn machine(siblings: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (number, list) in siblings.iter().enumerate() {
            let topology = folder.path().join(format!("devices/system/cpu/cpu{number}/topology"));
            fs::create_dir_all(&topology).unwrap();
            fs::write(topology.join("core_cpus_list"), format!("{list}\n")).unwrap();
        }
        folder
    }

    fn taken(cores: &Cores) -> Vec<usize> {
        std::iter::from_fn(|| cores.take()).collect()
    }

    #[test]
    fn hyper_threads_of_one_core_are_used_once() {
        let four_threads = machine(&["0,2", "1,3", "0,2", "1,3"]);
        let cores = Cores::read(four_threads.path(), &[0, 1, 2, 3]);
        assert_eq!((cores.count(), taken(&cores)), (2, vec![1, 0]));
        let ranges = machine(&["0-1", "0-1", "2-3", "2-3"]);
        assert_eq!(taken(&Cores::read(ranges.path(), &[0, 1, 2, 3])), [2, 0]);
    }

    #[test]
    fn only_processors_that_we_may_use_are_taken() {
        let four_threads = machine(&["0,2", "1,3", "0,2", "1,3"]);
        assert_eq!(taken(&Cores::read(four_threads.path(), &[2, 3])), [3, 2]);
        assert_eq!(taken(&Cores::read(four_threads.path(), &[2])), [2]);
    }

    #[test]
    fn without_a_topology_every_processor_is_a_core() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Cores::read(folder.path(), &[0, 1, 5]).count(), 3);
    }

    #[test]
    fn a_core_is_free_again_when_its_thread_is_done_with_it() {
        let allowed = affinity::allowed().unwrap();
        let cores = Cores::read(Path::new("/sys"), &allowed[..1]);
        let first = cores.pin().unwrap();
        assert_eq!(affinity::allowed().unwrap(), [first.processor()]);
        assert!(cores.pin().is_none());
        drop(first);
        assert_eq!(affinity::allowed().unwrap(), allowed);
        assert!(cores.pin().is_some());
    }
}
