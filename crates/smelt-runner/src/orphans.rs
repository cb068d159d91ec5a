//! Processes that outlive the smelt that started them, and how to end them.
//!
//! Every process that the runner starts has the id of our process in its environment, and so have its children. When
//! smelt is killed without a chance to clean up, its [`Guard`], a small process that does nothing but wait for this,
//! finds them by that mark and ends them. No list has to be kept, so there is no moment at which a process is not yet
//! on it.

use std::fs;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::sys;

/// The environment variable that holds the id of the process that started another.
pub(crate) const OWNER: &str = "SMELT_OWNER";

/// Between two looks; a process may be about to start when its owner dies.
const PAUSE: Duration = Duration::from_millis(20);

/// Ends every process that `owner` or one of its descendants has started through the runner; says how many there were.
pub fn end_all_of(owner: u32) -> usize {
    let mark = format!("{OWNER}={owner}");
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let mut ended = 0;
    for process in processes.flatten() {
        let Some(id) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // Held while looking, so that the id cannot become that of another process in between.
        let Ok(handle) = sys::watch(id) else { continue };
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            sys::kill(&handle);
            ended += 1;
        }
    }
    ended
}

/// Waits until standard input ends, which it does when `owner` is gone, and ends what is left of it.
pub fn watch_over(owner: u32) {
    let mut nothing = [0; 64];
    while io::stdin().read(&mut nothing).is_ok_and(|count| count > 0) {}
    let mut quiet_looks = 0;
    while quiet_looks < 2 {
        quiet_looks = if end_all_of(owner) == 0 { quiet_looks + 1 } else { 0 };
        std::thread::sleep(PAUSE);
    }
}

/// A process that ends what this one leaves behind, however it ends.
#[derive(Debug)]
pub struct Guard {
    child: Child,
}

impl Guard {
    /// Starts a program that calls [`watch_over`] with the id that is its last argument.
    pub fn start(program: &Path, args: &[&str]) -> io::Result<Guard> {
        let child = Command::new(program)
            .args(args)
            .arg(std::process::id().to_string())
            .env_remove(OWNER)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Guard { child })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Reaped so that no zombie stays; how it ended is of no interest.
        let _ = self.child.wait();
    }
}
