//! Which processors a thread, and all that it starts, may run on.

use std::io;
use std::mem::MaybeUninit;

/// The processors that this thread may run on, in order.
pub(crate) fn allowed() -> io::Result<Vec<usize>> {
    let mut set = empty();
    // SAFETY: the pointer is to a live set of this size; zero stands for this thread.
    let result = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the number is below the size of the set.
    Ok((0..libc::CPU_SETSIZE as usize).filter(|number| unsafe { libc::CPU_ISSET(*number, &set) }).collect())
}

/// Lets this thread, and all that it starts from now on, run on these processors only.
pub(crate) fn restrict_to(processors: &[usize]) -> io::Result<()> {
    let mut set = empty();
    for number in processors.iter().filter(|number| **number < libc::CPU_SETSIZE as usize) {
        // SAFETY: the number is below the size of the set.
        unsafe { libc::CPU_SET(*number, &mut set) };
    }
    // SAFETY: the pointer is to a live set of this size; zero stands for this thread.
    let result = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn empty() -> libc::cpu_set_t {
    // SAFETY: a set of zeros is an empty set.
    unsafe { MaybeUninit::<libc::cpu_set_t>::zeroed().assume_init() }
}
