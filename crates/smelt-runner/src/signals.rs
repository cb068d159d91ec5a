//! Signals, and the little that may be done in their handlers.
//!
//! A handler runs in the middle of whatever the process was doing, so it may touch atomics and call what is here, and
//! nothing that allocates or takes a lock.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

/// A signal that can be handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// The timer of [`set_timer`].
    Timer,
}

/// What this process has used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Processor time, of all threads.
    pub cpu: Duration,
    /// Memory that is really there, in bytes; zero if the system does not say.
    pub memory: u64,
}

/// From now on the signal calls this function instead of ending the process. Interrupted reads and writes go on.
pub fn handle(signal: Signal, handler: extern "C" fn(libc::c_int)) {
    let number = match signal {
        Signal::Interrupt => libc::SIGINT,
        Signal::Timer => libc::SIGALRM,
    };
    // SAFETY: the structure is valid when zeroed, and the handler keeps to the rule of this module.
    #[allow(unsafe_code)]
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(number, &action, ptr::null_mut());
    }
}

/// Lets the timer go off again and again with this time between; none stops it.
pub fn set_timer(period: Option<Duration>) {
    let period = period.unwrap_or_default();
    let time = libc::timeval {
        tv_sec: period.as_secs() as libc::time_t,
        tv_usec: period.subsec_micros() as libc::suseconds_t,
    };
    let timer = libc::itimerval { it_interval: time, it_value: time };
    // SAFETY: the structure is valid for the call and is only read.
    #[allow(unsafe_code)]
    unsafe {
        libc::setitimer(libc::ITIMER_REAL, &timer, ptr::null_mut());
    }
}

/// What this process has used; may be called in a handler.
pub fn usage() -> Usage {
    Usage { cpu: cpu(), memory: memory() }
}

/// Processor time of this process; may be called in a handler.
pub fn cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for the call, which is allowed in a handler.
    #[allow(unsafe_code)]
    unsafe {
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time);
    }
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The second number of `/proc/self/statm` is the resident memory in pages.
fn memory() -> u64 {
    const PATH: &CStr = c"/proc/self/statm";
    let mut text = [0u8; 128];
    // SAFETY: the path ends with a zero byte, the buffer is as long as stated, and all calls are allowed in a handler.
    #[allow(unsafe_code)]
    let (count, page) = unsafe {
        let file = libc::open(PATH.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return 0;
        }
        let count = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        (count, libc::sysconf(libc::_SC_PAGESIZE))
    };
    let text = &text[..usize::try_from(count).unwrap_or(0)];
    let second = text.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    let pages = second.iter().fold(0, |pages, digit| pages * 10 + u64::from(digit.wrapping_sub(b'0')));
    pages * u64::try_from(page).unwrap_or(0)
}

/// Writes to standard output and ends the process, whatever it was doing; may be called in a handler.
pub fn end(last_words: &[u8], status: i32) -> ! {
    // SAFETY: the buffer is as long as stated, and both calls are allowed in a handler.
    #[allow(unsafe_code)]
    unsafe {
        libc::write(libc::STDOUT_FILENO, last_words.as_ptr().cast(), last_words.len());
        libc::_exit(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_plausible_and_grows() {
        let before = usage();
        assert!(before.memory > 1 << 18, "a test has more than a quarter of a MiB: {before:?}");
        assert!(before.memory < 1 << 40, "{before:?}");
        let filled = std::hint::black_box(vec![1u8; 64 << 20]);
        let after = usage();
        assert!(after.memory >= before.memory + (48 << 20), "{before:?} {after:?} {}", filled.len());
        assert!(after.cpu > before.cpu, "{before:?} {after:?}");
    }
}
