//! Whether the machine has so much else to do that solvers wait for a processor.

use std::thread;
use std::time::Duration;

use crate::usage;

/// Between two looks.
const PAUSE: Duration = Duration::from_secs(2);

/// It says nothing before solvers have waited this long.
const MIN_WAITED: Duration = Duration::from_secs(10);

/// Watches how long solvers wait for a processor, and warns once if that is longer than they compute. Without the thread
/// nothing is lost but the warning.
pub fn watch(warn: impl FnOnce(&str) + Send + 'static) {
    let mut warn = Some(warn);
    let look = move || {
        loop {
            thread::sleep(PAUSE);
            let (computed, waited) = usage::solver_waits();
            if let Some(warning) = warning(computed, waited) {
                return warn.take().map_or((), |warn| warn(&warning));
            }
        }
    };
    let _ = thread::Builder::new().name("load".to_owned()).spawn(look);
}

/// What to say of solvers that have computed and waited for so long.
fn warning(computed: Duration, waited: Duration) -> Option<String> {
    if waited < MIN_WAITED || waited <= computed {
        return None;
    }
    let share = waited.div_duration_f64(waited + computed) * 100.0;
    Some(format!("warning: the machine is busy: solvers wait for a processor {share:.0} % of the time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_that_wait_longer_than_they_compute_are_warned_about() {
        let seconds = Duration::from_secs;
        assert_eq!(warning(seconds(20), seconds(19)), None);
        assert_eq!(warning(seconds(1), seconds(9)), None, "too little to tell");
        assert_eq!(
            warning(seconds(10), seconds(30)).as_deref(),
            Some("warning: the machine is busy: solvers wait for a processor 75 % of the time")
        );
    }
}
