//! Solvers end when smelt ends, also when it is killed with a signal that it cannot catch.
//!
//! A small process beside smelt knows the groups of all running solvers, and ends them when the pipe to smelt closes.
//! There is one for the whole process, because it stands for the process as the kernel knows it; it starts with the
//! first solver. Without it (no process may be started any more) solvers run all the same.

use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

use crate::sys;

static GUARD: OnceLock<Option<File>> = OnceLock::new();

/// A group of processes under guard, for as long as this value lives.
#[derive(Debug)]
pub(crate) struct Guarded {
    group: i32,
}

impl Guarded {
    /// Puts the group that a child leads under guard.
    pub(crate) fn new(pid: u32) -> Guarded {
        let group = pid as i32;
        tell(group);
        Guarded { group }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        tell(-self.group);
    }
}

fn tell(number: i32) {
    let guard = GUARD.get_or_init(|| sys::start_guard().ok().map(File::from));
    if let Some(mut pipe) = guard.as_ref() {
        // Four bytes are written whole or not at all; a guard that is gone cannot be told anything.
        let _ = pipe.write_all(&number.to_ne_bytes());
    }
}
