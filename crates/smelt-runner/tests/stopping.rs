//! Ctrl-Z: solvers stop with smelt, and so do their clocks.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use smelt_oracle::run::Limit;
use smelt_runner::answer::read_run;
use smelt_runner::limits::Limits;
use smelt_runner::{cold, descendants, process};
use support::{assert_gone, fake_solver};

mod support;

const STOPPED: Duration = Duration::from_millis(1500);

#[test]
fn time_in_which_all_is_stopped_counts_for_no_limit() {
    let limits = Limits { wall: Duration::from_millis(1000), ..Limits::default() };
    let solver = fake_solver("/bin/sh", vec!["-c".into(), "sleep 1000.9".into()]);
    let started = Instant::now();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| cold::run(&solver.invocation, "", &limits).unwrap());
        while descendants::all().is_empty() {
            std::thread::yield_now();
        }
        process::stop_all_while(|| std::thread::sleep(STOPPED));
        let raw = running.join().unwrap();
        assert_eq!(read_run("fake", &raw).limit, Some(Limit::Wall));
        // Without the time in which it was stopped it would have been over before it had slept for a second.
        assert!(started.elapsed() >= raw.wall + STOPPED, "{:?}", raw.wall);
        assert!(raw.wall >= Duration::from_millis(1000), "{:?}", raw.wall);
    });
    assert_gone("1000.9");
}
