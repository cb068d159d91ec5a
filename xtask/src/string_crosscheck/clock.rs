//! Processor time of this thread: what our solver takes on a machine that is busy with other things.

use std::fs;
use std::time::{Duration, Instant};

/// Counts from the moment when it is made.
pub struct Clock {
    /// Processor time used by then, where the system tells.
    used: Option<Duration>,
    started: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Clock { used: thread_time(), started: Instant::now() }
    }

    /// Processor time since then, or time on the wall where the system does not tell.
    pub fn elapsed(&self) -> Duration {
        match (thread_time(), self.used) {
            (Some(now), Some(before)) => now.saturating_sub(before),
            _ => self.started.elapsed(),
        }
    }
}

/// Linux writes the nanoseconds that a thread was running first into this file.
fn thread_time() -> Option<Duration> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_takes_no_more_than_time_on_the_wall() {
        let clock = Clock::start();
        std::thread::yield_now();
        assert!(clock.elapsed() <= clock.started.elapsed() + Duration::from_secs(1));
    }
}
