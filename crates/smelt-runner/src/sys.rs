//! The system calls that the standard library does not have, behind safe functions.
//!
//! The only unsafe code of the workspace besides the fake solver for tests.

#![allow(unsafe_code)]

pub(crate) mod spawn;

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use crate::limits::Limits;

/// How a process ended and what it used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    /// The exit code, if it exited.
    pub code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    pub cpu: Duration,
    pub max_rss_kb: u64,
}

/// Sets the limits of a process that was just started. One that has ended already needs none.
pub(crate) fn limit(pid: u32, limits: &Limits) {
    // We end it at its limit ourselves: the kernel counts whole seconds, by ticks that may be well ahead of the time that
    // it reports. Should we be gone by then, it ends all the same.
    let cpu_secs = limits.cpu.as_secs().saturating_mul(3) / 2 + 2;
    let set = |resource, most: u64| {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: `limit` outlives the call, and the kernel writes nothing through a null pointer.
        unsafe { libc::prlimit(pid as libc::pid_t, resource, &limit, std::ptr::null_mut()) };
    };
    set(libc::RLIMIT_AS, limits.memory);
    // No warning before the end: the signal lets some solvers corrupt their memory and crash in their handler.
    set(libc::RLIMIT_CPU, cpu_secs);
    set(libc::RLIMIT_CORE, 0);
}

/// Ends all processes of the group that a child leads.
pub(crate) fn kill_group(pid: u32) {
    // SAFETY: sending a signal has no memory effects; the group is that of our own child, which is not reaped yet or
    // whose id nobody else can have while its group lives.
    unsafe { libc::kill(-(pid as libc::pid_t), libc::SIGKILL) };
}

/// Ends the process of a descriptor that [`watch`] gave, if it still lives.
pub(crate) fn kill(process: &OwnedFd) {
    let no_info = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: the descriptor is open, and the kernel takes a null pointer for no more information.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), libc::SIGKILL, no_info, 0) };
}

/// The processor time of this process.
pub(crate) fn own_usage() -> Duration {
    // SAFETY: an all-zero rusage is a valid value, and the pointer is valid for writes during the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    time_of(usage.ru_utime) + time_of(usage.ru_stime)
}

/// Tells the kernel that this thread, and all that it starts, need not run as soon as they can. Where that cannot be told,
/// nothing is lost but some time.
pub(crate) fn be_patient() {
    let no_priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameter outlives the call, which has no other memory effects.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &no_priority) };
}

/// Tells the allocator to give nothing back to the system of what is free, up to a limit.
pub(crate) fn keep_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: these options change what later calls of the allocator do, and no memory that is in use.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
        libc::mallopt(libc::M_TOP_PAD, 1 << 20);
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
    }
}

/// Waits for a child to end, and reaps it.
pub(crate) fn wait(pid: u32) -> io::Result<Ended> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are valid for writes during the call.
        let result = unsafe { libc::wait4(pid as libc::pid_t, &mut status, 0, &mut usage) };
        if result >= 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    let signal = libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status));
    let cpu = time_of(usage.ru_utime) + time_of(usage.ru_stime);
    Ok(Ended { code, signal, cpu, max_rss_kb: usage.ru_maxrss.max(0) as u64 })
}

fn time_of(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec.max(0) as u64, (time.tv_usec.max(0) as u32) * 1000)
}

/// A descriptor that becomes readable when a process ends.
pub(crate) fn watch(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: the call takes no pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given us this descriptor, and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Makes reads and writes on a descriptor return at once.
pub(crate) fn set_nonblocking(fd: &impl AsRawFd) -> io::Result<()> {
    let fd = fd.as_raw_fd();
    // SAFETY: these calls take no pointers.
    let result = unsafe {
        let flags = libc::fcntl(fd, libc::F_GETFL);
        libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK)
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Ends whoever still holds the other end of a pipe that a solver was given, although the solver and its group are gone:
/// a child of it that left the group.
pub(crate) fn end_holders(pipe: &impl AsRawFd) {
    let fd = pipe.as_raw_fd();
    let is_released = |millis: i32| {
        let mut watched = libc::pollfd { fd, events: 0, revents: 0 };
        // SAFETY: the pointer is to one live value. Without events only the end of the pipe is reported.
        unsafe { libc::poll(&mut watched, 1, millis) };
        watched.revents & (libc::POLLHUP | libc::POLLERR) != 0
    };
    // Members of the group that were just killed take a moment to go.
    if is_released(HOLDER_GRACE_MILLIS) {
        return;
    }
    let Ok(name) = std::fs::read_link(format!("/proc/self/fd/{fd}")) else { return };
    for pid in holders(&name) {
        // SAFETY: sending a signal has no memory effects; the process holds a pipe that only our child was given.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

const HOLDER_GRACE_MILLIS: i32 = 100;

/// The processes other than this one that have a pipe open. A child of this one that has it is just being started by
/// another thread and will let go of it.
fn holders(pipe: &std::path::Path) -> Vec<libc::pid_t> {
    let own = std::process::id() as libc::pid_t;
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<libc::pid_t>().ok());
    let holds = |pid: &libc::pid_t| {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files.into_iter().any(|file| std::fs::read_link(file.path()).is_ok_and(|target| target == pipe))
    };
    let is_ours = |pid: &libc::pid_t| *pid == own || parent(*pid) == Some(own);
    pids.filter(holds).filter(|pid| !is_ours(pid)).collect()
}

/// Whether a thread of a process runs or waits for a processor.
pub(crate) fn is_runnable(pid: u32, task: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/task/{task}/stat")).unwrap_or_default();
    // Before the state stands the name of the program in parentheses, which may hold blanks.
    stat.rsplit(')').next().is_some_and(|fields| fields.trim_start().starts_with('R'))
}

fn parent(pid: libc::pid_t) -> Option<libc::pid_t> {
    stat_fields(pid as u32)?.get(1)?.parse().ok()
}

/// What the kernel says of a process, from its state on: before it stands the name of the program in parentheses, which
/// may hold blanks.
fn stat_fields(pid: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(stat.rsplit(')').next()?.split_whitespace().map(str::to_owned).collect())
}

/// What to wait for on a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    Read,
    Write,
}

/// Waits until one of some descriptors is ready, at most for `timeout`; says which are. None is never ready.
pub(crate) fn poll<const N: usize>(
    watched: [Option<(RawFd, Interest)>; N],
    timeout: Duration,
) -> io::Result<[bool; N]> {
    let mut fds = watched.map(|watched| match watched {
        Some((fd, Interest::Read)) => libc::pollfd { fd, events: libc::POLLIN, revents: 0 },
        Some((fd, Interest::Write)) => libc::pollfd { fd, events: libc::POLLOUT, revents: 0 },
        // The kernel passes over these.
        None => libc::pollfd { fd: -1, events: 0, revents: 0 },
    });
    // Rounded up, so that a timeout below a millisecond does not become a busy loop.
    let millis = i32::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(i32::MAX);
    // SAFETY: the pointer and length are those of a live array.
    let result = unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, millis) };
    if result < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
        return Ok([false; N]);
    }
    Ok(fds.map(|fd| fd.revents != 0))
}

/// The processor time of the children that a living process has waited for, known to the hundredth of a second only.
pub(crate) fn children_cpu_time(pid: u32) -> Option<Duration> {
    let fields = stat_fields(pid)?;
    let ticks: u64 = fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// The processor time of the children that a living process has not waited for yet; of none if the system does not say
/// which they are.
pub(crate) fn living_children_cpu_time(pid: u32) -> Duration {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|child| cpu_time(child.parse().ok()?)).sum()
}

/// The processor time that a living process has used so far.
pub(crate) fn cpu_time(pid: u32) -> Option<Duration> {
    CpuClock::of(pid)?.time()
}

/// The clock that counts the processor time of a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuClock(libc::clockid_t);

impl CpuClock {
    /// The clock of a living process.
    pub(crate) fn of(pid: u32) -> Option<CpuClock> {
        let mut clock: libc::clockid_t = 0;
        // SAFETY: the pointer is valid for writes during the call.
        let result = unsafe { libc::clock_getcpuclockid(pid as libc::pid_t, &mut clock) };
        (result == 0).then_some(CpuClock(clock))
    }

    /// What it shows; nothing if the process has ended.
    pub(crate) fn time(self) -> Option<Duration> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is valid for writes during the call.
        let result = unsafe { libc::clock_gettime(self.0, &mut time) };
        (result == 0).then(|| Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u32))
    }
}
