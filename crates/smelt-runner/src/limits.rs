//! How much a run may use.

use std::time::Duration;

/// Limits of one run. A run that reaches one is ended and says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock.
    pub wall: Duration,
    /// Processor time, rounded up to whole seconds.
    pub cpu: Duration,
    /// Address space in bytes.
    pub memory: u64,
    /// Bytes of standard output and standard error together.
    pub output: usize,
}

impl Limits {
    /// Limits for a time limit in seconds: processor time as given, some more on the clock for a loaded machine.
    pub fn for_seconds(seconds: f64) -> Self {
        let cpu = Duration::from_secs_f64(seconds.max(0.001));
        Limits { wall: cpu * 2 + Duration::from_secs(1), cpu, ..Limits::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            wall: Duration::from_secs(21),
            cpu: Duration::from_secs(10),
            memory: 4 << 30,
            output: 64 << 20,
        }
    }
}
