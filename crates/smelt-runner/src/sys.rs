//! The system calls that the standard library does not have, behind safe functions.
//!
//! The only unsafe code of the workspace besides the fake solver for tests.

#![allow(unsafe_code)]

pub(crate) mod affinity;
pub(crate) mod namespaces;
pub(crate) mod rlimit;
pub(crate) mod spawn;

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// How a process ended and what it used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    /// The exit code, if it exited.
    pub code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    pub cpu: Duration,
    max_rss_kb: u64,
}

/// The most memory that a process has had in use, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaxMemory {
    Known(u64),
    /// It has used no more than this.
    AtMost(u64),
}

impl Ended {
    /// The most memory that it has had in use, of which so much was seen. What the kernel says counts from before it
    /// became its program: it then had our memory.
    pub(crate) fn max_memory(&self, seen: u64) -> MaxMemory {
        let said = self.max_rss_kb << 10;
        match () {
            () if said > own_max_memory() => MaxMemory::Known(said.max(seen)),
            () if seen > 0 => MaxMemory::Known(seen),
            () => MaxMemory::AtMost(said),
        }
    }
}

impl MaxMemory {
    /// The number, for people.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            MaxMemory::Known(bytes) | MaxMemory::AtMost(bytes) => bytes,
        }
    }

    /// Whether it was more than so much, as far as is known.
    pub(crate) fn is_surely_more_than(self, bytes: u64) -> bool {
        matches!(self, MaxMemory::Known(known) if known > bytes)
    }
}

/// Ends all processes of the group that a child leads.
pub(crate) fn kill_group(pid: u32) {
    // SAFETY: sending a signal has no memory effects; the group is that of our own child, which is not reaped yet or
    // whose id nobody else can have while its group lives.
    unsafe { libc::kill(-(pid as libc::pid_t), libc::SIGKILL) };
}

/// Ends a child of ours that was not reaped.
pub(crate) fn kill_child(pid: u32) {
    // SAFETY: sending a signal has no memory effects; no other process can have the id of a child that is not reaped.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
}

/// Ends the process of a descriptor that [`watch`] gave, if it still lives.
pub(crate) fn kill(process: &OwnedFd) {
    signal(process, libc::SIGKILL);
}

/// Sends a signal to the process of a descriptor that [`watch`] gave, if it still lives.
pub(crate) fn signal(process: &OwnedFd, signal: i32) {
    let no_info = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: the descriptor is open, and the kernel takes a null pointer for no more information.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), signal, no_info, 0) };
}

/// Stops this process as Ctrl-Z does, until it is told to continue.
pub(crate) fn stop_this_process() {
    // SAFETY: sending a signal has no memory effects.
    unsafe { libc::kill(libc::getpid(), libc::SIGSTOP) };
}

/// The processor time of this process.
pub(crate) fn own_usage() -> Duration {
    usage_of(libc::RUSAGE_SELF)
}

/// The processor time of the children of this process that have ended, and of theirs.
pub(crate) fn ended_usage() -> Duration {
    usage_of(libc::RUSAGE_CHILDREN)
}

fn usage_of(who: libc::c_int) -> Duration {
    // SAFETY: an all-zero rusage is a valid value, and the pointer is valid for writes during the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &mut usage);
        usage
    };
    time_of(usage.ru_utime) + time_of(usage.ru_stime)
}

/// Tells the kernel that this thread, and all that it starts, need not run as soon as they can. Where that cannot be told,
/// nothing is lost but some time.
pub(crate) fn use_batch_scheduling() {
    let no_priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameter outlives the call, which has no other memory effects.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &no_priority) };
}

/// Tells the allocator to give nothing back to the system of what is free, up to a limit.
pub(crate) fn keep_freed_memory() {
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
    loop {
        match wait4(pid, 0) {
            Ok(Some(ended)) => return Ok(ended),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reaps a child if it has ended; none if it is no child of ours, or not any more.
pub(crate) fn reap(pid: u32) -> Option<Option<Ended>> {
    wait4(pid, libc::WNOHANG).ok()
}

fn wait4(pid: u32, options: libc::c_int) -> io::Result<Option<Ended>> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are valid for writes during the call.
    let result = unsafe { libc::wait4(pid as libc::pid_t, &mut status, options, &mut usage) };
    match result {
        0 => Ok(None),
        ..0 => Err(io::Error::last_os_error()),
        _ => Ok(Some(Ended {
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            cpu: time_of(usage.ru_utime) + time_of(usage.ru_stime),
            max_rss_kb: usage.ru_maxrss.max(0) as u64,
        })),
    }
}

/// Makes this process the parent of all its descendants whose parents are gone. A kernel that cannot do that is older
/// than those that can tell us when a process ends.
pub(crate) fn adopt_descendants() {
    // SAFETY: the call takes no pointers.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Makes a copy of this process, which must have one thread only, and says its id; none in the copy, which is in a
/// session of its own and has nothing at its standard streams.
pub(crate) fn fork_alone() -> io::Result<Option<u32>> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads != 1 {
        return Err(io::Error::other(format!("there are {threads} threads")));
    }
    // SAFETY: there is no other thread that could hold a lock in the copy.
    match unsafe { libc::fork() } {
        ..0 => Err(io::Error::last_os_error()),
        0 => {
            // SAFETY: the paths and names end with a zero byte; nothing in the copy uses the standard streams.
            unsafe {
                libc::setsid();
                libc::prctl(libc::PR_SET_NAME, c"smelt-guard".as_ptr());
                let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
                for stream in 0..3 {
                    libc::dup2(nothing, stream);
                }
            }
            Ok(None)
        }
        pid => Ok(Some(pid as u32)),
    }
}

/// Ends this process, and nothing that it has to do at its end is done.
pub(crate) fn exit_at_once() -> ! {
    // SAFETY: the call takes no pointers and does not return.
    unsafe { libc::_exit(0) }
}

/// Whether the process of a descriptor that [`watch`] gave has ended.
pub(crate) fn has_ended(process: &OwnedFd) -> bool {
    poll([Some((process.as_raw_fd(), Interest::Read))], Duration::ZERO).is_ok_and(|[is_ended]| is_ended)
}

/// Waits until a process ends, at most for `pause`.
pub(crate) fn sleep_until_ended(pid: u32, pause: Duration) {
    if let Ok(process) = watch(pid) {
        // Woken too early, the caller looks again.
        let _ = poll([Some((process.as_raw_fd(), Interest::Read))], pause);
    }
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

/// Exchanges what two paths name, in one step.
pub(crate) fn exchange(left: &Path, right: &Path) -> io::Result<()> {
    let [left, right] = [left, right].map(|path| CString::new(path.as_os_str().as_bytes()));
    let (left, right) = (left?, right?);
    let here = libc::AT_FDCWD;
    // SAFETY: both pointers are to texts that end with a zero and live until the call returns.
    let result = unsafe { libc::renameat2(here, left.as_ptr(), here, right.as_ptr(), libc::RENAME_EXCHANGE) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes reads and writes on a descriptor return at once.
pub(crate) fn set_nonblocking(fd: &impl AsRawFd) -> io::Result<()> {
    let fd = fd.as_raw_fd();
    // SAFETY: these calls take no pointers.
    let result = unsafe {
        match libc::fcntl(fd, libc::F_GETFL) {
            flags @ 0.. => libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK),
            failed => failed,
        }
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Whether a thread of a process runs or waits for a processor.
pub(crate) fn is_runnable(pid: u32, task: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/task/{task}/stat")).unwrap_or_default();
    // Before the state stands the name of the program in parentheses, which may hold blanks.
    stat.rsplit(')').next().is_some_and(|fields| fields.trim_start().starts_with('R'))
}

/// The parent of a process.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    stat_fields(pid)?.get(1)?.parse().ok()
}

/// The state of a process as a letter: `Z` if it has ended and was not reaped.
pub(crate) fn state(pid: u32) -> Option<char> {
    stat_fields(pid)?.first()?.chars().next()
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

/// The resident memory of a living process in bytes.
pub(crate) fn resident_memory(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * page_size())
}

/// The same, of memory that several processes share only a part.
pub(crate) fn proportional_memory(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}

/// The most memory that this process has had in use so far, in bytes.
pub(crate) fn own_max_memory() -> u64 {
    // SAFETY: an all-zero rusage is a valid value, and the pointer is valid for writes during the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    (usage.ru_maxrss.max(0) as u64) << 10
}

fn page_size() -> u64 {
    // SAFETY: the call takes no pointers.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
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
