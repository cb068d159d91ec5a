//! One process and all that descend from it: started under limits, looked at, ended.
//!
//! The only place that starts processes. What is started is the leader of a group, has its limits before its program
//! runs, and carries a [`Mark`] that its descendants inherit. When it is ended or dropped, no descendant is left,
//! whatever group, session or environment it has; those that the solver had abandoned are counted as leaked.

use std::collections::BTreeMap;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use smelt_oracle::run::Limit;

use crate::cgroup::{Group, Hierarchy};
use crate::limits::Limits;
use crate::mark::{Mark, Registration};
use crate::sandbox::Confinement;
use crate::solver::Invocation;
use crate::sys::rlimit::Resource;
use crate::sys::spawn::{Child, Setup, spawn};
use crate::sys::{self, Ended};
use crate::{clock, descendants};

/// A process that runs, or has ended and was not reaped.
#[derive(Debug)]
pub(crate) struct Process {
    pid: u32,
    ended: OwnedFd,
    /// None once it is reaped.
    registration: Option<Registration>,
    /// Where control groups can be made.
    group: Option<Group>,
    program: PathBuf,
}

/// The ends of its pipes that are ours.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub stdin: PipeWriter,
    pub stdout: PipeReader,
    pub stderr: PipeReader,
}

/// How a process and its descendants ended, and what they used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessResult {
    /// Of the process itself.
    pub ended: Ended,
    /// Of all together.
    pub cpu: Duration,
    /// Processes that it had abandoned and that still ran.
    pub leaked: usize,
    /// The limit at which the kernel has ended or refused something.
    pub reached: Option<Limit>,
}

impl Process {
    /// Starts a process.
    pub(crate) fn start(invocation: &Invocation, limits: &Limits) -> io::Result<(Process, Pipes)> {
        descendants::adopt();
        let group = Hierarchy::own().map(|hierarchy| hierarchy.group(limits)).transpose()?;
        let registration = Registration::new();
        let kernel_limits = [
            // We end it at its limit ourselves: the kernel counts whole seconds, by ticks that may be well ahead of the
            // time that it reports. Should we be gone by then, it ends all the same. No warning before the end: the
            // signal lets some solvers corrupt their memory and crash in their handler.
            at_most(Resource::Cpu, limits.cpu.as_secs().saturating_mul(3) / 2 + 2),
            at_most(Resource::File, limits.file),
            (Resource::Core, 0),
            registration.mark().limit(),
        ];
        let confinement = Confinement::of(invocation)?;
        let namespaces =
            if let Confinement::Namespaces(entered) = &confinement { Some(*entered) } else { None };
        let setup = Setup {
            limits: &kernel_limits,
            group: group.as_ref().map(Group::processes),
            namespaces,
            environment: confinement.environment(),
        };
        let started = if let Confinement::Wrapped(wrapped) = &confinement { wrapped } else { invocation };
        let Child { pid, ended, stdin, stdout, stderr } = retry_while_full(limits, || {
            let _not_stopping = STARTING.read().unwrap_or_else(PoisonError::into_inner);
            let child = spawn(started, &setup)?;
            registration.started(child.pid);
            Ok(child)
        })?;
        let registration = Some(registration);
        let process = Process { pid, ended, registration, group, program: invocation.program.clone() };
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// Its id.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// What its descendants inherit.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.registration.as_ref().map(Registration::mark)
    }

    /// A descriptor that becomes readable when it ends.
    pub(crate) fn ended(&self) -> RawFd {
        self.ended.as_raw_fd()
    }

    /// Ends it and all its descendants, and reaps them.
    pub(crate) fn end(mut self) -> io::Result<ProcessResult> {
        match self.registration.take() {
            Some(registration) => self.end_marked(&registration),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn end_marked(&mut self, registration: &Registration) -> io::Result<ProcessResult> {
        let mark = registration.mark();
        // Its children are ours by the moment that its end can be seen, so one that is gone and has left none is done.
        let abandoned = descendants::adopted(mark, self.pid);
        let leaked = descendants::living(&abandoned);
        if leaked > 0 {
            note_leak(&self.program, leaked);
        }
        let is_alone = abandoned.is_empty() && sys::has_ended(&self.ended);
        if !is_alone {
            if let Some(group) = &self.group {
                // If that fails, they are killed one by one.
                let _ = group.kill();
            }
            sys::kill_group(self.pid);
            sys::kill(&self.ended);
        }
        let ended = sys::wait(self.pid);
        let rest = if is_alone { Duration::ZERO } else { descendants::end_rest(mark, self.pid) };
        let group = self.group.take();
        let counted = group.as_ref().and_then(Group::cpu).unwrap_or_default();
        let reached = group.as_ref().and_then(Group::reached);
        group.into_iter().for_each(Group::remove);
        let ended = ended?;
        Ok(ProcessResult { ended, cpu: counted.max(ended.cpu + rest), leaked, reached })
    }
}

/// How long a process is waited for that the system has no room for.
const FULL_TIME: Duration = Duration::from_secs(60);

/// How long nothing is tried while there is no room.
const FULL_PAUSE: Duration = Duration::from_millis(50);

/// Retries what fails because there are too many processes (`EAGAIN`): other programs, or a solver that is being ended,
/// may have filled the system for a moment.
fn retry_while_full<T>(limits: &Limits, mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let began = clock::now();
    loop {
        match start() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && clock::since(began) < FULL_TIME => {
                limits.check_wanted()?;
                thread::sleep(limits.at_most(FULL_PAUSE));
            }
            result => return result,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take() {
            // Nobody is left who wants to know what came of it.
            let _ = self.end_marked(&registration);
        }
    }
}

/// No process is started while all are stopped.
static STARTING: RwLock<()> = RwLock::new(());

/// Stops all processes and calls `wait`, which returns when they shall go on. The time until then is left out of limits.
pub fn stop_all_while(wait: impl FnOnce()) {
    let _no_others = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    clock::stop();
    descendants::signal_all(libc::SIGSTOP);
    wait();
    descendants::signal_all(libc::SIGCONT);
    clock::resume();
}

/// Stops this process itself, until it is told to continue.
pub fn stop_this_one() {
    sys::stop_this_process();
}

/// A limit, or the one that we are under ourselves if that is lower.
fn at_most(resource: Resource, most: u64) -> (Resource, u64) {
    (resource, most.min(resource.most_of(0).unwrap_or(u64::MAX)))
}

static LEAKS: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

fn note_leak(program: &Path, count: usize) {
    let mut leaks = LEAKS.lock().unwrap_or_else(PoisonError::into_inner);
    *leaks.entry(program.to_owned()).or_default() += count;
}

/// How many processes each program has left behind so far; all of them were ended.
pub fn leaks() -> BTreeMap<PathBuf, usize> {
    LEAKS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The same in a line for each program.
pub fn leak_notices() -> Vec<String> {
    leaks().iter().map(|(program, count)| leak_notice(&program.display().to_string(), *count)).collect()
}

fn leak_notice(program: &str, count: usize) -> String {
    let processes = if count == 1 { "1 process" } else { &format!("{count} processes") };
    format!("note: `{program}` left {processes} running; smelt ended what was left\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_is_not_plural() {
        let notice = leak_notice("z3", 1);
        assert_eq!(notice, "note: `z3` left 1 process running; smelt ended what was left\n");
        let notice = leak_notice("z3", 12);
        assert_eq!(notice, "note: `z3` left 12 processes running; smelt ended what was left\n");
    }

    #[test]
    fn a_process_that_the_system_has_no_room_for_is_started_later() {
        let mut tries = 0;
        let started = retry_while_full(&Limits::default(), || {
            tries += 1;
            if tries < 3 { Err(io::Error::from_raw_os_error(libc::EAGAIN)) } else { Ok(tries) }
        });
        assert_eq!(started.unwrap(), 3);
    }

    #[test]
    fn other_errors_and_runs_that_are_no_longer_wanted_are_not_retried() {
        let missing = retry_while_full(&Limits::default(), || Err::<(), _>(io::ErrorKind::NotFound.into()));
        assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
        let over = Limits { until: Some(clock::now()), ..Limits::default() };
        let full = retry_while_full(&over, || Err::<(), _>(io::Error::from_raw_os_error(libc::EAGAIN)));
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
