//! Times that are fit for publication: no two runs share a core, and whatever disturbs the machine meanwhile is noticed.
//!
//! A worker that measures takes a core for itself; what it starts runs there and nowhere else. Hyper-threads of one core
//! count as one. How often something is measured and in which order is up to those who measure.

mod conditions;
mod cores;

use std::path::Path;
use std::time::Instant;

pub use self::conditions::Conditions;
pub use self::cores::{Cores, Pinned};

use self::conditions::Counters;
use crate::sys::affinity;

/// A measurement that is under way.
#[derive(Debug)]
pub struct Timing {
    cores: Cores,
    jobs: usize,
    began: Instant,
    before: Counters,
}

impl Timing {
    /// Begins to watch the machine. So many runs are made at once.
    pub fn begin(jobs: usize) -> Timing {
        let allowed = affinity::allowed().unwrap_or_default();
        let cores = Cores::read(Path::new(SYS), &allowed);
        let before = Counters::read(Path::new(SYS), Path::new(PROC));
        Timing { cores, jobs, began: Instant::now(), before }
    }

    /// How many runs can have a core each.
    pub fn cores(&self) -> usize {
        self.cores.count()
    }

    /// Gives the calling thread a core of its own for as long as the result lives; none if there are fewer cores than
    /// jobs.
    pub fn pin(&self) -> Option<Pinned<'_>> {
        if self.jobs > self.cores.count() { None } else { self.cores.pin() }
    }

    /// What the machine was like since the beginning.
    pub fn conditions(&self) -> Conditions {
        let after = Counters::read(Path::new(SYS), Path::new(PROC));
        Conditions::between(&self.before, &after, self.began.elapsed())
            .with_jobs(self.jobs, self.cores.count())
    }
}

const SYS: &str = "/sys";
const PROC: &str = "/proc";
