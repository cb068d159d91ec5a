//! The clock without the time in which smelt and its solvers were stopped, as by Ctrl-Z.
//!
//! Limits on the clock and the time of a hunt are counted by it. What is shown to people may be.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static STOPPED_NANOS: AtomicU64 = AtomicU64::new(0);

/// Now. Between two calls the time passes in which nothing was stopped.
pub fn now() -> Instant {
    let now = Instant::now();
    now.checked_sub(stopped()).unwrap_or(now)
}

/// The time since a moment that [`now`] gave.
pub fn since(moment: Instant) -> Duration {
    now().saturating_duration_since(moment)
}

/// The time in which all was stopped so far.
pub fn stopped() -> Duration {
    Duration::from_nanos(STOPPED_NANOS.load(Ordering::Relaxed))
}

/// Everything was stopped for so long.
pub(crate) fn leave_out(time: Duration) {
    STOPPED_NANOS.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_left_out_does_not_pass() {
        let started = now();
        std::thread::sleep(Duration::from_millis(30));
        leave_out(Duration::from_millis(20));
        let passed = since(started);
        assert!(passed >= Duration::from_millis(10), "{passed:?}");
        let behind = now();
        assert!(Instant::now().duration_since(behind) >= Duration::from_millis(20));
    }
}
