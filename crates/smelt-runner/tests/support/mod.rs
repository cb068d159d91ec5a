//! What the tests of solver processes share: a solver that is any program, and looking for what is left running.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use smelt_runner::family::Family;
use smelt_runner::solver::{Invocation, Solver};

/// A program as a solver of no known family.
pub fn fake_solver(program: &str, args: Vec<OsString>) -> Solver {
    let invocation =
        Invocation { program: PathBuf::from(program), args, environment: Vec::new(), is_confined: false };
    Solver { name: "fake".to_owned(), family: Family::Generic, invocation }
}

/// Fails unless every process with this word on its command line is gone: killed processes take a moment to go.
pub fn assert_gone(word: &str) {
    let started = Instant::now();
    while is_running(word) {
        assert!(started.elapsed() < Duration::from_secs(60), "{word} is still running");
        std::thread::yield_now();
    }
}

/// Whether a process with this word on its command line is alive.
fn is_running(word: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(word))
    })
}
