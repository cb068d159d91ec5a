//! Cold runs: a process for one formula.
//!
//! One loop feeds standard input, reads both outputs, and watches the process and what it uses. Whatever happens, the
//! process and all its descendants are gone before the function returns.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_oracle::run::Limit;

use crate::answer::checks_in;
use crate::clock;
use crate::interruption;
use crate::limits::Limits;
use crate::process::{self, Process, ProcessResult};
use crate::progress::{CPU_STEP, Progress, until_full};
use crate::solver::Invocation;
use crate::sys::{self, Interest, MaxMemory};

/// What a process printed and used, and how it ended.
#[derive(Debug, Clone)]
pub struct Raw {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub end: End,
    /// Processor time, of the process and all its descendants.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// Most memory in use, in KiB.
    pub max_rss_kb: u64,
    /// Processes that the solver had abandoned and that still ran at its end. They were ended.
    pub leaked: usize,
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
    /// It was ended at this limit.
    Cut(Limit),
    /// It printed more than allowed.
    Flooded,
}

impl End {
    /// The end of a process that a signal ended.
    pub(crate) fn by_signal(signal: i32) -> End {
        // A file of it became too large.
        if signal == libc::SIGXFSZ { End::Flooded } else { End::Signalled(signal) }
    }
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
    let started = clock::now();
    let (process, process::Pipes { stdin, stdout, stderr }) = Process::start(invocation, limits)?;
    let mut pipes = Pipes {
        stdin: Some(stdin),
        input: script.as_bytes(),
        stdout: Output::new(Some(stdout)),
        stderr: Output::new(Some(stderr)),
    };
    let mut watch = Watch { limits, stop, progress: None };
    let stopped = converse(&process, &mut pipes, &mut watch);
    let outcome = process.end()?;
    let stopped = stopped?;
    let wall = clock::since(started);
    let Pipes { stdout, stderr, .. } = pipes;
    let (seen_cpu, seen_memory) =
        watch.progress.map_or_else(Default::default, |progress| (progress.cpu(), progress.max_memory()));
    let used = Used {
        // Of processes that nobody has waited for, only the watch may know.
        cpu: outcome.cpu.max(seen_cpu),
        memory: outcome.ended.max_memory(seen_memory),
    };
    Ok(Raw {
        stdout: stdout.bytes,
        stderr: stderr.bytes,
        end: end_of(stopped, &outcome, used, limits),
        cpu: used.cpu,
        wall,
        max_rss_kb: used.memory.bytes() >> 10,
        leaked: outcome.leaked,
        checks: checks_in(script),
    })
}

/// What a process and all its descendants have used.
#[derive(Debug, Clone, Copy)]
struct Used {
    cpu: Duration,
    memory: MaxMemory,
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
        let first = || self.limits.cpu.min(until_full(self.limits, 0)).max(CPU_STEP);
        let look = self.progress.as_ref().map_or_else(first, |progress| progress.next_look(self.limits));
        self.limits.at_most(look)
    }

    /// Looks at what the process has used.
    fn look(&mut self, process: &Process) -> Option<Limit> {
        self.progress.get_or_insert_with(|| Progress::of_new(process)).look(self.limits)
    }
}

/// The pipes of a process, and what it is still to be sent.
struct Pipes<'s> {
    stdin: Option<PipeWriter>,
    input: &'s [u8],
    stdout: Output,
    stderr: Output,
}

fn converse(process: &Process, pipes: &mut Pipes<'_>, watch: &mut Watch<'_>) -> io::Result<Stopped> {
    let Pipes { stdin, input, stdout, stderr } = pipes;
    stdin.as_ref().map_or(Ok(()), sys::set_nonblocking)?;
    stdout.pipe.as_ref().map_or(Ok(()), sys::set_nonblocking)?;
    stderr.pipe.as_ref().map_or(Ok(()), sys::set_nonblocking)?;
    // Being woken for every line that a solver prints costs more than all else here, so its end is waited for, and its
    // outputs are looked at now and then. Only one that prints a lot is read as it prints.
    let mut pause = FIRST_PAUSE;
    let mut is_talkative = false;
    let mut looked_at = clock::now();
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
            Some((process.ended(), Interest::Read)),
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
        if clock::since(looked_at) >= wait {
            looked_at = clock::now();
            if let Some(limit) = watch.look(process) {
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
    let most = room.saturating_add(1).min(MAX_AT_ONCE);
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
const MAX_AT_ONCE: usize = 1 << 20;

/// Few solvers print more than this for one formula.
const USUAL_OUTPUT: usize = 1 << 12;

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn end_of(stopped: Stopped, outcome: &ProcessResult, used: Used, limits: &Limits) -> End {
    match stopped {
        Stopped::Reached(limit) => End::Cut(limit),
        Stopped::TooMuchOutput => End::Flooded,
        // It was faster than we looked.
        Stopped::ProcessEnded if limits.memory.is_some_and(|most| used.memory.is_surely_more_than(most)) => {
            End::Cut(Limit::Memory)
        }
        Stopped::ProcessEnded if outcome.ended.signal.is_some() && outcome.reached.is_some() => {
            End::Cut(outcome.reached.unwrap_or(Limit::Memory))
        }
        Stopped::ProcessEnded => match (outcome.ended.signal, outcome.ended.code) {
            // The kernel kills what we failed to end in time. What a solver does to itself by then is our doing too.
            (Some(_), _) if used.cpu >= limits.cpu => End::Cut(Limit::Cpu),
            (Some(signal), _) => End::by_signal(signal),
            (None, code) => End::Exited(code.unwrap_or(0)),
        },
    }
}
