//! Processes that outlive the smelt that started them, and how to end them.
//!
//! While smelt lives it finds all its processes itself ([`descendants`]). When it is killed without a chance to clean up,
//! its [`Guard`], a small process that does nothing but wait for this, finds them by their marks and ends them. No list
//! has to be kept, so there is no moment at which a process is not yet on it.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::time::Duration;

use crate::descendants::{self, kill_if, processes};
use crate::mark::Owner;
use crate::sys;

/// Between two looks of a guard, and how many must find nothing: a process may be about to start when its owner dies.
const PAUSE: Duration = Duration::from_millis(20);
const QUIET_LOOKS: usize = 3;

/// What a guard is sent by a smelt that ends in order.
const ALL_IS_DONE: u8 = b'd';

/// A process that ends what this one leaves behind, however it ends.
#[derive(Debug)]
pub struct Guard {
    pid: u32,
    pipe: PipeWriter,
}

impl Guard {
    /// Starts a guard. This process must have one thread only, and none of its runs may have begun.
    pub fn start() -> io::Result<Guard> {
        let owner = Owner::own();
        let (theirs, pipe) = io::pipe()?;
        match sys::fork_alone()? {
            Some(pid) => {
                descendants::spare(pid);
                Ok(Guard { pid, pipe })
            }
            None => {
                drop(pipe);
                watch_over(owner, theirs);
                sys::exit_at_once()
            }
        }
    }
}

impl Drop for Guard {
    /// Ends what is left, so that the guard need not look for it.
    fn drop(&mut self) {
        descendants::end_for_good();
        // A guard that is gone needs to be told nothing.
        let _ = self.pipe.write_all(&[ALL_IS_DONE]);
        let _ = sys::wait(self.pid);
    }
}

/// Waits until the pipe ends, which it does when its owner is gone, and ends what is left of it.
fn watch_over(owner: Owner, mut pipe: PipeReader) {
    let mut said = [0; 1];
    loop {
        match pipe.read(&mut said) {
            Ok(0) => break,
            Ok(_) if said[0] == ALL_IS_DONE => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let mut quiet_looks = 0;
    while quiet_looks < QUIET_LOOKS {
        let left = processes().into_iter().filter(|pid| is_left(owner, *pid));
        let ended = left.filter(|pid| kill_if(*pid, |pid| is_left(owner, pid))).count();
        quiet_looks = if ended == 0 { quiet_looks + 1 } else { 0 };
        std::thread::sleep(PAUSE);
    }
}

/// Whether a process belongs to a run of an owner and has not ended yet. One that has ended keeps its mark until whoever
/// adopted it reaps it, which may be never: the first process of a container often does not.
fn is_left(owner: Owner, pid: u32) -> bool {
    owner.owns(pid) && sys::state(pid).is_some_and(|state| state != 'Z')
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::mark::Registration;

    #[test]
    fn what_has_ended_and_was_not_reaped_is_not_left() {
        // Shells set the limit that is the mark with `ulimit -x`; where there is none that can, nothing can be tried.
        let (_, mark) = Registration::new().mark().limit();
        let script = format!("ulimit -x {mark} && echo marked && exec cat");
        let shell =
            Command::new("bash").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut process) = shell else { return };
        let mut said = [0; 6];
        process.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        assert!(is_left(Owner::own(), process.id()));
        drop(process.stdin.take());
        while sys::state(process.id()) != Some('Z') {
            std::thread::sleep(PAUSE);
        }
        assert!(Owner::own().owns(process.id()));
        assert!(!is_left(Owner::own(), process.id()));
        process.wait().unwrap();
    }
}
