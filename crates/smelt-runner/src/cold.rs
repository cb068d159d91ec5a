//! Cold runs: a process for one formula.
//!
//! The process is started by `posix_spawn` (nothing here forces a fork), in a group of its own; limits are set right
//! after. One loop feeds standard input, reads both outputs, and watches the clock and the process. Whatever
//! happens, the whole group is killed and the child reaped before the function returns.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::answer::checks_in;
use crate::limits::Limits;
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
    /// It used more time than allowed.
    TimedOut,
    /// It printed more than allowed.
    Flooded,
}

/// Runs a solver on a script, which it reads from standard input.
pub fn run(invocation: &Invocation, script: &str, limits: &Limits) -> io::Result<Raw> {
    run_until(invocation, script, limits, &AtomicBool::new(false))
}

/// The same, for what may take long: when `stop` is set it is ended as if its time were up.
pub fn run_until(
    invocation: &Invocation,
    script: &str,
    limits: &Limits,
    stop: &AtomicBool,
) -> io::Result<Raw> {
    let started = Instant::now();
    let Child { pid, stdin, stdout, stderr } = spawn(invocation, Stderr::Piped)?;
    sys::limit(pid, limits);
    let mut stdout = Output::new(Some(stdout));
    let mut stderr = Output::new(stderr);
    let deadline = Deadline { started, limits, stop };
    let stopped = converse(pid, stdin, script.as_bytes(), &deadline, &mut stdout, &mut stderr);
    // Children that the solver left behind may hold the pipes open; nothing survives this.
    sys::kill_group(pid);
    let ended = sys::wait(pid)?;
    stdout.pipe.iter().for_each(sys::end_holders);
    stderr.pipe.iter().for_each(sys::end_holders);
    let stopped = stopped?;
    let wall = started.elapsed();
    Ok(Raw {
        stdout: stdout.bytes,
        stderr: stderr.bytes,
        end: end_of(stopped, ended, limits),
        cpu: ended.cpu,
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
    Deadline,
    TooMuchOutput,
}

/// When a conversation ends whatever happens.
struct Deadline<'d> {
    started: Instant,
    limits: &'d Limits,
    stop: &'d AtomicBool,
}

impl Deadline<'_> {
    /// The time that is left; none if there is none.
    fn left(&self) -> Option<Duration> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.limits.wall.checked_sub(self.started.elapsed())
    }
}

fn converse(
    pid: u32,
    stdin: PipeWriter,
    mut input: &[u8],
    deadline: &Deadline<'_>,
    stdout: &mut Output,
    stderr: &mut Output,
) -> io::Result<Stopped> {
    let ended = sys::watch(pid)?;
    sys::set_nonblocking(&stdin)?;
    let mut stdin = Some(stdin);
    stdout.pipe.as_ref().map_or(Ok(()), sys::set_nonblocking)?;
    stderr.pipe.as_ref().map_or(Ok(()), sys::set_nonblocking)?;
    // Being woken for every line that a solver prints costs more than all else here, so its end is waited for, and its
    // outputs are looked at now and then. Only one that prints a lot is read as it prints.
    let mut pause = FIRST_PAUSE;
    let mut is_talkative = false;
    loop {
        if let Some(pipe) = &mut stdin {
            match pipe.write(input) {
                Ok(count) => input = &input[count..],
                Err(error) if is_transient(&error) => {}
                // The solver reads no more; what it says will tell why.
                Err(_) => input = &[],
            }
            if input.is_empty() {
                stdin = None;
            }
        }
        let Some(left) = deadline.left() else { return Ok(Stopped::Deadline) };
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
        let [has_ended, ..] = sys::poll(watched, left.min(pause))?;
        pause = (pause * 2).min(LONGEST_PAUSE);
        let before = stdout.bytes.len() + stderr.bytes.len();
        let room = deadline.limits.output.saturating_sub(before);
        if !drain(stdout, room)? || !drain(stderr, room)? {
            return Ok(Stopped::TooMuchOutput);
        }
        is_talkative |= stdout.bytes.len() + stderr.bytes.len() > before + TALKATIVE;
        if has_ended {
            return Ok(Stopped::ProcessEnded);
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
    match pipe.take(room as u64 + 1).read_to_end(&mut output.bytes) {
        Ok(_) if output.bytes.len() > limit => {
            output.bytes.truncate(limit);
            return Ok(false);
        }
        Err(error) if is_transient(&error) => {}
        Ok(_) | Err(_) => output.pipe = None,
    }
    Ok(true)
}

/// Few solvers print more than this for one formula.
const USUAL_OUTPUT: usize = 1 << 12;

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn end_of(stopped: Stopped, ended: Ended, limits: &Limits) -> End {
    match stopped {
        Stopped::Deadline => End::TimedOut,
        Stopped::TooMuchOutput => End::Flooded,
        Stopped::ProcessEnded => match (ended.signal, ended.code) {
            // The limit on processor time kills. What a solver does to itself at that moment is our doing too.
            (Some(_), _) if ended.cpu >= limits.cpu => End::TimedOut,
            // The kernel kills by its ticks, which may be well ahead of the time that it reports.
            (Some(libc::SIGKILL), _) if ended.cpu >= limits.cpu * 3 / 4 => End::TimedOut,
            (Some(signal), _) => End::Signalled(signal),
            (None, code) => End::Exited(code.unwrap_or(0)),
        },
    }
}
