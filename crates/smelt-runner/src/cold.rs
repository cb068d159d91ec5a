//! Cold runs: a process for one formula.
//!
//! The process is started by `posix_spawn` (nothing here forces a fork), in a group of its own; limits are set right
//! after. One loop feeds standard input, reads both outputs, and watches the process and what it uses. Whatever
//! happens, the whole group is killed and the child reaped before the function returns.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smelt_oracle::run::Limit;

use crate::answer::checks_in;
use crate::interruption;
use crate::limits::Limits;
use crate::progress::Progress;
use crate::solver::Invocation;
use crate::sys::spawn::{Child, Stderr, spawn};
use crate::sys::{self, Ended, Interest};

/// What a process printed and used, and how it ended.
#[derive(Debug, Clone)]
pub struct Raw {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub end: End,
    /// Processor time, of the process and the children it waited for.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// Most memory in use, in KiB.
    pub max_rss_kb: u64,
    /// How many checks it was asked for, if there was more than one.
    pub checks: usize,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it that we did not send.
    Signalled(i32),
    /// It used more time than allowed, on the processor or on the clock.
    TimedOut(Limit),
    /// It printed more than allowed.
    Flooded,
}

/// Runs a solver on a script, which it reads from standard input.
pub fn run(invocation: &Invocation, script: &str, limits: &Limits) -> io::Result<Raw> {
    run_until(invocation, script, limits, &AtomicBool::new(false))
}

/// The same, for what may take long: when `stop` is set, the process is ended and the run is an error of kind
/// `Interrupted`.
pub fn run_until(
    invocation: &Invocation,
    script: &str,
    limits: &Limits,
    stop: &AtomicBool,
) -> io::Result<Raw> {
    let started = Instant::now();
    let Child { pid, stdin, stdout, stderr } = spawn(invocation, Stderr::Piped)?;
    sys::limit(pid, limits);
    let mut pipes = Pipes {
        stdin: Some(stdin),
        input: script.as_bytes(),
        stdout: Output::new(Some(stdout)),
        stderr: Output::new(stderr),
    };
    let mut watch = Watch { limits, stop, progress: None };
    let stopped = converse(pid, &mut pipes, &mut watch);
    // Children that the solver left behind may hold the pipes open; nothing survives this.
    sys::kill_group(pid);
    let ended = sys::wait(pid)?;
    let Pipes { stdout, stderr, .. } = pipes;
    stdout.pipe.iter().for_each(sys::end_holders);
    stderr.pipe.iter().for_each(sys::end_holders);
    let stopped = stopped?;
    let wall = started.elapsed();
    Ok(Raw {
        stdout: stdout.bytes,
        stderr: stderr.bytes,
        end: end_of(stopped, ended, limits),
        // Of children that the solver did not wait for, only the watch knows.
        cpu: watch.progress.map_or(ended.cpu, |progress| progress.cpu().max(ended.cpu)),
        wall,
        max_rss_kb: ended.max_rss_kb,
        checks: checks_in(script),
    })
}

/// One output of a process: what was read of it, and the pipe until it ends.
struct Output {
    bytes: Vec<u8>,
    pipe: Option<PipeReader>,
}

impl Output {
    fn new(pipe: Option<PipeReader>) -> Self {
        Output { bytes: Vec::new(), pipe }
    }
}

/// Why the conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopped {
    ProcessEnded,
    Reached(Limit),
    TooMuchOutput,
}

/// What ends a conversation whatever happens.
struct Watch<'d> {
    limits: &'d Limits,
    stop: &'d AtomicBool,
    /// Short runs are over before anything has to be looked at.
    progress: Option<Progress>,
}

impl Watch<'_> {
    /// An error if the result is not wanted any more.
    fn check_wanted(&self) -> io::Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            Err(interruption::error())
        } else {
            self.limits.check_wanted()
        }
    }

    /// How long nothing has to be looked at.
    fn pause(&self) -> Duration {
        let look = self.progress.as_ref().map_or(self.limits.cpu, |progress| progress.next_look(self.limits));
        self.limits.at_most(look)
    }

    /// Looks at what the process has used.
    fn look(&mut self, pid: u32) -> Option<Limit> {
        self.progress.get_or_insert_with(|| Progress::of_new(pid)).look(self.limits)
    }
}

/// The pipes of a process, and what it is still to be sent.
struct Pipes<'s> {
    stdin: Option<PipeWriter>,
    input: &'s [u8],
    stdout: Output,
    stderr: Output,
}

fn converse(pid: u32, pipes: &mut Pipes<'_>, watch: &mut Watch<'_>) -> io::Result<Stopped> {
    let Pipes { stdin, input, stdout, stderr } = pipes;
    let ended = sys::watch(pid)?;
    stdin.as_ref().map_or(Ok(()), sys::set_nonblocking)?;
    stdout.pipe.as_ref().map_or(Ok(()), sys::set_nonblocking)?;
    stderr.pipe.as_ref().map_or(Ok(()), sys::set_nonblocking)?;
    // Being woken for every line that a solver prints costs more than all else here, so its end is waited for, and its
    // outputs are looked at now and then. Only one that prints a lot is read as it prints.
    let mut pause = FIRST_PAUSE;
    let mut is_talkative = false;
    let mut looked_at = Instant::now();
    loop {
        if let Some(pipe) = stdin {
            match pipe.write(input) {
                Ok(count) => *input = &input[count..],
                Err(error) if is_transient(&error) => {}
                // The solver reads no more; what it says will tell why.
                Err(_) => *input = &[],
            }
            if input.is_empty() {
                *stdin = None;
            }
        }
        watch.check_wanted()?;
        let output = |output: &Output| {
            let pipe = output.pipe.as_ref().filter(|_| is_talkative);
            pipe.map(|pipe| (pipe.as_raw_fd(), Interest::Read))
        };
        let watched = [
            Some((ended.as_raw_fd(), Interest::Read)),
            stdin.as_ref().map(|pipe| (pipe.as_raw_fd(), Interest::Write)),
            output(stdout),
            output(stderr),
        ];
        let wait = pause.min(watch.pause());
        let [has_ended, ..] = sys::poll(watched, wait)?;
        pause = (pause * 2).min(LONGEST_PAUSE);
        let before = stdout.bytes.len() + stderr.bytes.len();
        let room = watch.limits.output.saturating_sub(before);
        if !drain(stdout, room)? || !drain(stderr, room)? {
            return Ok(Stopped::TooMuchOutput);
        }
        is_talkative |= stdout.bytes.len() + stderr.bytes.len() > before + TALKATIVE;
        if has_ended {
            return Ok(Stopped::ProcessEnded);
        }
        // One that reads or prints all the time wakes us all the time.
        if looked_at.elapsed() >= wait {
            looked_at = Instant::now();
            if let Some(limit) = watch.look(pid) {
                return Ok(Stopped::Reached(limit));
            }
        }
    }
}

/// How long the outputs of a solver are left alone at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(40);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// So many bytes in one pause are a lot: half of what a pipe holds.
const TALKATIVE: usize = 1 << 15;

/// Reads what is there; false if it is more than there is room for. A pipe that ends becomes none.
fn drain(output: &mut Output, room: usize) -> io::Result<bool> {
    let Some(pipe) = &mut output.pipe else { return Ok(true) };
    let limit = output.bytes.len() + room;
    output.bytes.reserve(room.min(USUAL_OUTPUT));
    let most = room.saturating_add(1).min(MOST_AT_ONCE);
    match pipe.take(most as u64).read_to_end(&mut output.bytes) {
        Ok(_) if output.bytes.len() > limit => {
            output.bytes.truncate(limit);
            return Ok(false);
        }
        // There may be more.
        Ok(count) if count == most => {}
        Err(error) if is_transient(&error) => {}
        Ok(_) | Err(_) => output.pipe = None,
    }
    Ok(true)
}

/// More is not read at once: a solver that never stops printing must not keep us from looking at anything else.
const MOST_AT_ONCE: usize = 1 << 20;

/// Few solvers print more than this for one formula.
const USUAL_OUTPUT: usize = 1 << 12;

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn end_of(stopped: Stopped, ended: Ended, limits: &Limits) -> End {
    match stopped {
        Stopped::Reached(limit) => End::TimedOut(limit),
        Stopped::TooMuchOutput => End::Flooded,
        Stopped::ProcessEnded => match (ended.signal, ended.code) {
            // The kernel kills what we failed to end in time. What a solver does to itself by then is our doing too.
            (Some(_), _) if ended.cpu >= limits.cpu => End::TimedOut(Limit::Cpu),
            (Some(signal), _) => End::Signalled(signal),
            (None, code) => End::Exited(code.unwrap_or(0)),
        },
    }
}
