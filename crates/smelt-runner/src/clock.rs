//! The clock without the time in which smelt and its solvers were stopped, as by Ctrl-Z.
//!
//! Limits on the clock and the time of a hunt are counted by it. What is shown to people may be.

use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// For how long all was stopped before, and since when it is: none while it is not.
static STOPS: RwLock<(Duration, Option<Instant>)> = RwLock::new((Duration::ZERO, None));

/// Now. Isolation two calls the time passes in which nothing was stopped.
pub fn now() -> Instant {
    let (before, since) = *STOPS.read().unwrap_or_else(PoisonError::into_inner);
    let now = since.unwrap_or_else(Instant::now);
    now.checked_sub(before).unwrap_or(now)
}

/// The time since a moment that [`now`] gave.
pub fn since(moment: Instant) -> Duration {
    now().saturating_duration_since(moment)
}

/// No time passes until [`resume`].
pub(crate) fn stop() {
    let mut stops = STOPS.write().unwrap_or_else(PoisonError::into_inner);
    stops.1.get_or_insert_with(Instant::now);
}

/// Time passes again.
pub(crate) fn resume() {
    let mut stops = STOPS.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(since) = stops.1.take() {
        stops.0 += since.elapsed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_passes_while_all_is_stopped() {
        let before = now();
        stop();
        let at_stop = now();
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(now(), at_stop);
        resume();
        let behind = now();
        assert!(Instant::now().duration_since(behind) >= Duration::from_millis(30));
        assert!(now() >= at_stop && at_stop >= before);
    }
}
