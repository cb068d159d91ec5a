//! What smelt itself uses, to be compared with what the solvers use.

use std::time::Duration;

use crate::sys;

/// The processor time of this process up to now, all threads together.
pub fn own_cpu() -> Duration {
    sys::own_usage()
}
