//! Warm sessions: one long-lived process for many formulas, with `(reset)` or `(pop 1)` between them.
//!
//! Answers are delimited by `(echo ..)` with a number that counts up. A session that crashed, hung or flooded is over;
//! the next formula starts a new one, and so does every `MAX_CASES`-th, so that leaks do not add up. What a session
//! finds is confirmed cold before anybody believes it.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use memchr::memmem;
use smelt_oracle::run::{Answer, Run};

use crate::answer::{self, text_of};
use crate::between::Between;
use crate::cold::End;
use crate::limits::Limits;
use crate::solver::Solver;
use crate::sys::spawn::{Child, Stderr, spawn};
use crate::sys::{self, CpuClock, Interest};

/// After so many formulas a session is replaced.
const MAX_CASES: u32 = 2_000;

/// After so many bytes of formulas too: they are kept so that a session can be replayed.
const MAX_HISTORY: usize = 16 << 20;

/// Processor time is not looked at more often than this.
const CPU_STEP: Duration = Duration::from_millis(10);

/// How long a process that closed its output may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// A solver kept running.
#[derive(Debug)]
pub struct Session {
    solver: Solver,
    between: Between,
    process: Option<Process>,
    limits: Limits,
    /// Whether the formula that the process was asked last lets another follow.
    is_open: bool,
    /// What the process, or the last one, was asked, the newest last.
    history: Vec<String>,
    history_bytes: usize,
}

#[derive(Debug)]
struct Process {
    pid: u32,
    /// Becomes readable when the process ends.
    ended: OwnedFd,
    stdin: PipeWriter,
    stdout: PipeReader,
    clock: CpuClock,
    /// What it is sent.
    message: String,
    /// Where its output is read to.
    buffer: Box<[u8]>,
    cases: u32,
    /// Processor time used so far; between two formulas it uses none.
    cpu: Duration,
    /// Of this, the time of the children that it has waited for.
    children_cpu: Duration,
}

/// What came back for one script.
struct Reply {
    bytes: Vec<u8>,
    /// How the process ended, if it did.
    end: Option<End>,
}

impl Session {
    /// A session that starts its process when it is first asked.
    pub fn new(solver: Solver, between: Between, limits: Limits) -> Self {
        Session {
            solver,
            between,
            process: None,
            limits,
            is_open: true,
            history: Vec::new(),
            history_bytes: 0,
        }
    }

    /// Runs a script. One that exits ends the session.
    pub fn run(&mut self, script: &str) -> io::Result<Run> {
        let started = Instant::now();
        let can_follow = self.between.can_follow(script);
        if self.is_over(can_follow) {
            self.stop();
        }
        self.is_open = can_follow;
        let mut process = match self.process.take() {
            Some(process) => process,
            None => {
                self.history.clear();
                self.history_bytes = 0;
                self.start()?
            }
        };
        self.history.push(script.to_owned());
        self.history_bytes += script.len();
        let cpu_before = process.cpu;
        let message = self.between.message(script, process.cases == 0);
        let reply = match process.ask(message, &self.limits, started) {
            Ok(reply) => reply,
            Err(error) => {
                process.bury(End::TimedOut, cpu_before);
                return Err(error);
            }
        };
        let (end, cpu) = match reply.end {
            None => {
                let cpu = process.cpu.saturating_sub(cpu_before);
                self.process = Some(process);
                (End::Exited(0), cpu)
            }
            Some(end) => process.bury(end, cpu_before),
        };
        let said = answer::read_checks(&text_of(&reply.bytes), "", end, answer::checks_in(script));
        if said.answer == Answer::Memout {
            // What filled the memory may be what leaked before; the next formula shall not suffer for it.
            self.stop();
        }
        Ok(Run {
            solver: self.solver.name.clone(),
            answer: said.answer,
            answers: said.answers,
            output: said.output,
            reason: said.reason,
            crash_signature: said.crash_signature,
            cpu_ms: cpu.as_secs_f64() * 1e3,
            wall_ms: started.elapsed().as_secs_f64() * 1e3,
            max_rss_kb: None,
        })
    }

    /// Whether a new process would be asked this, and what the last one was asked forgotten.
    pub fn would_forget(&self, script: &str) -> bool {
        !self.history.is_empty() && (self.process.is_none() || self.is_over(self.between.can_follow(script)))
    }

    /// Whether a new process must be asked the next formula, which can follow others or cannot.
    fn is_over(&self, can_follow: bool) -> bool {
        let is_old = self.process.as_ref().is_some_and(|process| process.cases >= MAX_CASES);
        is_old || self.history_bytes > MAX_HISTORY || !self.is_open || !can_follow
    }

    /// Everything that the process was asked, up to the last formula, even if it ended with it.
    pub fn history(&self) -> &[String] {
        &self.history
    }

    fn start(&self) -> io::Result<Process> {
        // Nobody reads standard error of a session: a full pipe would stop the solver, a closed one kill it.
        let Child { pid, stdin, stdout, .. } = spawn(&self.solver.invocation, Stderr::Discarded)?;
        let watch = || {
            let clock = CpuClock::of(pid).ok_or(io::ErrorKind::NotFound)?;
            Ok((sys::watch(pid)?, clock))
        };
        let (ended, clock) = watch().inspect_err(|_: &io::Error| {
            sys::kill_group(pid);
            let _ = sys::wait(pid);
        })?;
        // Processor time adds up over a session; each formula is watched by us.
        sys::limit(pid, &Limits { cpu: Duration::from_secs(1 << 30), ..self.limits });
        sys::set_nonblocking(&stdin)?;
        sys::set_nonblocking(&stdout)?;
        let buffer = vec![0; 1 << 14].into_boxed_slice();
        Ok(Process {
            pid,
            ended,
            stdin,
            stdout,
            clock,
            message: String::new(),
            buffer,
            cases: 0,
            cpu: Duration::ZERO,
            children_cpu: Duration::ZERO,
        })
    }

    /// Whether the process is there and will be asked the next formula too.
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Ends the process, if there is one.
    pub fn stop(&mut self) {
        if let Some(process) = self.process.take() {
            let cpu = process.cpu;
            process.bury(End::TimedOut, cpu);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Process {
    fn ask(&mut self, message: [&str; 2], limits: &Limits, started: Instant) -> io::Result<Reply> {
        self.cases += 1;
        let marker = format!("smelt:{}", self.cases);
        let finder = memmem::Finder::new(&marker);
        self.message.clear();
        self.message.extend(message);
        self.message.extend(["\n(echo \"", &marker, "\")\n"]);
        let mut sent = 0;
        let mut bytes = Vec::new();
        let mut cpu_left = limits.cpu;
        loop {
            if sent < self.message.len() {
                match self.stdin.write(&self.message.as_bytes()[sent..]) {
                    Ok(count) => sent += count,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => sent = self.message.len(),
                }
            }
            let Some(left) = limits.wall.checked_sub(started.elapsed()) else {
                return Ok(Reply { bytes, end: Some(End::TimedOut) });
            };
            let is_sending = sent < self.message.len();
            let watched = [
                Some((self.ended.as_raw_fd(), Interest::Read)),
                Some((self.stdout.as_raw_fd(), Interest::Read)),
                is_sending.then(|| (self.stdin.as_raw_fd(), Interest::Write)),
            ];
            // Processor time does not run faster than the clock, so nothing has to be asked before it is due.
            let ready = sys::poll(watched, left.min(cpu_left.max(CPU_STEP)))?;
            if !ready.contains(&true) {
                let used = self.cpu_so_far(started.elapsed()).saturating_sub(self.cpu)
                    + sys::living_children_cpu_time(self.pid);
                match limits.cpu.checked_sub(used) {
                    Some(cpu) => cpu_left = cpu,
                    None => return Ok(Reply { bytes, end: Some(End::TimedOut) }),
                }
                continue;
            }
            if ready[1] {
                match self.stdout.read(&mut self.buffer) {
                    Ok(0) => return Ok(Reply { bytes, end: Some(End::Exited(0)) }),
                    Ok(count) => {
                        let seen = bytes.len();
                        bytes.extend_from_slice(&self.buffer[..count]);
                        if bytes.len() > limits.output {
                            bytes.truncate(limits.output);
                            return Ok(Reply { bytes, end: Some(End::Flooded) });
                        }
                        if let Some(length) = length_before(&bytes, &finder, seen) {
                            bytes.truncate(length);
                            self.cpu = self.cpu_so_far(started.elapsed());
                            return Ok(Reply { bytes, end: None });
                        }
                        continue;
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => return Ok(Reply { bytes, end: Some(End::Exited(0)) }),
                }
            }
            // Its output is read to the end; a child that it left behind may keep the pipe open.
            if ready[0] {
                return Ok(Reply { bytes, end: Some(End::Exited(0)) });
            }
        }
    }

    /// The processor time of the process and the children that it has waited for.
    fn cpu_so_far(&mut self, elapsed: Duration) -> Duration {
        let own = self.clock.time().unwrap_or_default();
        let own_before = self.cpu.saturating_sub(self.children_cpu);
        // The time of children costs more to ask for than most formulas take to send, and few solvers have any. It can
        // matter only if the process was not busy itself.
        if elapsed > CPU_STEP + own.saturating_sub(own_before) * 2 {
            self.children_cpu = sys::children_cpu_time(self.pid).unwrap_or(self.children_cpu);
        }
        (own + self.children_cpu).max(self.cpu)
    }

    /// Ends the process group and reaps; says how it really ended and what it used since `cpu_before`.
    fn bury(self, end: End, cpu_before: Duration) -> (End, Duration) {
        let pid = self.pid;
        if end == End::Exited(0) {
            // It closed its output: wait for it to end by its own signal, which on a loaded machine takes a moment.
            let _ = sys::poll([Some((self.ended.as_raw_fd(), Interest::Read))], GRACE);
        }
        let orphaned_cpu = sys::living_children_cpu_time(pid);
        sys::kill_group(pid);
        let ended = sys::wait(pid);
        sys::end_holders(&self.stdout);
        match ended {
            Ok(ended) => {
                let end = match (end, ended.signal) {
                    (End::Exited(_), Some(signal)) if signal != libc::SIGKILL => End::Signalled(signal),
                    _ => end,
                };
                (end, (ended.cpu + orphaned_cpu).saturating_sub(cpu_before))
            }
            Err(_) => (end, Duration::ZERO),
        }
    }
}

/// The length of what stands before the line that is the marker, if it has arrived. The first `seen` bytes were looked
/// at before.
fn length_before(bytes: &[u8], marker: &memmem::Finder<'_>, seen: usize) -> Option<usize> {
    let marker_length = marker.needle().len();
    // The marker may have arrived in pieces.
    let start = seen.saturating_sub(marker_length + 3);
    for found in marker.find_iter(&bytes[start..]) {
        // Some solvers echo the quotes too.
        let (mut from, mut to) = (start + found, start + found + marker_length);
        if from > 0 && bytes[from - 1] == b'"' && bytes.get(to) == Some(&b'"') {
            (from, to) = (from - 1, to + 1);
        }
        if (from == 0 || bytes[from - 1] == b'\n') && bytes.get(to) == Some(&b'\n') {
            return Some(from);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_a_line_of_its_own() {
        let marker = memmem::Finder::new("smelt:1");
        let length = |text: &str| length_before(text.as_bytes(), &marker, 0);
        assert_eq!(length("sat\nsmelt:1\n"), Some(4));
        assert_eq!(length("smelt:1\n"), Some(0));
        assert_eq!(length("sat\n\"smelt:1\"\n"), Some(4));
        assert_eq!(length("sat\nsmelt:1\nlate\n"), Some(4));
        assert_eq!(length("sat\nsmelt:1"), None);
        assert_eq!(length("sat\nsmelt:11\n"), None);
        assert_eq!(length("sat smelt:1\n"), None);
        assert_eq!(length("smelt:1 x\nsmelt:1\n"), Some(10));
    }

    #[test]
    fn a_marker_may_arrive_in_pieces() {
        let text = b"sat\n\"smelt:1\"\n";
        for seen in 0..text.len() {
            assert_eq!(length_before(text, &memmem::Finder::new("smelt:1"), seen), Some(4), "after {seen}");
        }
    }
}
