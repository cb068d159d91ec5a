//! Warm sessions: one long-lived process for many formulas, with `(reset)` between them.
//!
//! Answers are delimited by `(echo ..)` with a number that counts up. A session that crashed, hung or flooded is over;
//! the next formula starts a new one, and so does every `MAX_CASES`-th, so that leaks do not add up. What a session
//! finds is confirmed cold before anybody believes it.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use smelt_oracle::run::Run;

use crate::answer::{self, text_of};
use crate::cold::{End, spawn};
use crate::limits::Limits;
use crate::solver::Solver;
use crate::sys::{self, Interest};

/// After so many formulas a session is replaced.
const MAX_CASES: u32 = 2_000;

/// After so many bytes of formulas too: they are kept so that a session can be replayed.
const MAX_HISTORY: usize = 16 << 20;

/// How long a process that closed its output may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// A solver kept running.
#[derive(Debug)]
pub struct Session {
    solver: Solver,
    process: Option<Process>,
    limits: Limits,
    /// What the process, or the last one, was asked, the newest last.
    history: Vec<String>,
    history_bytes: usize,
}

#[derive(Debug)]
struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    cases: u32,
}

/// What came back for one script.
struct Reply {
    bytes: Vec<u8>,
    /// How the process ended, if it did.
    end: Option<End>,
}

impl Session {
    /// A session that starts its process when it is first asked.
    pub fn new(solver: Solver, limits: Limits) -> Self {
        Session { solver, process: None, limits, history: Vec::new(), history_bytes: 0 }
    }

    /// Runs a script. One that exits ends the session.
    pub fn run(&mut self, script: &str) -> io::Result<Run> {
        let started = Instant::now();
        let is_old = self.process.as_ref().is_some_and(|process| process.cases >= MAX_CASES);
        if is_old || self.history_bytes > MAX_HISTORY {
            self.stop();
        }
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
        let cpu_before = sys::cpu_time(process.child.id()).unwrap_or_default();
        let reply = process.ask(script, &self.limits, started)?;
        let cpu_after = sys::cpu_time(process.child.id()).unwrap_or(cpu_before);
        let mut cpu = cpu_after.saturating_sub(cpu_before);
        let end = match reply.end {
            None => {
                self.process = Some(process);
                End::Exited(0)
            }
            Some(end) => {
                let (end, used) = process.bury(end, cpu_before);
                cpu = cpu.max(used);
                end
            }
        };
        let said = answer::read(&text_of(&reply.bytes), "", end);
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

    /// Everything that the process was asked, up to the last formula, even if it ended with it.
    pub fn history(&self) -> &[String] {
        &self.history
    }

    fn start(&self) -> io::Result<Process> {
        // Nobody reads standard error of a session: a full pipe would stop the solver, a closed one kill it.
        let mut child = spawn(&self.solver.invocation, Stdio::piped(), Stdio::null())?;
        // Processor time adds up over a session; the deadline of each formula bounds it.
        sys::limit(child.id(), &Limits { cpu: Duration::from_secs(1 << 30), ..self.limits });
        let stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        sys::set_nonblocking(&stdin)?;
        sys::set_nonblocking(&stdout)?;
        Ok(Process { child, stdin, stdout, cases: 0 })
    }

    /// Whether the process is there and will be asked the next formula too.
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Ends the process, if there is one.
    pub fn stop(&mut self) {
        if let Some(process) = self.process.take() {
            sys::kill_group(process.child.id());
            // Reaped so that no zombie stays; how it ended is of no interest.
            let _ = sys::wait(process.child.id());
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Process {
    fn ask(&mut self, script: &str, limits: &Limits, started: Instant) -> io::Result<Reply> {
        self.cases += 1;
        let marker = format!("smelt:{}", self.cases);
        let message = format!("(reset)\n{script}\n(echo \"{marker}\")\n");
        let mut input = message.as_bytes();
        let mut bytes = Vec::new();
        let mut buffer = [0; 1 << 16];
        loop {
            let Some(left) = limits.wall.checked_sub(started.elapsed()) else {
                return Ok(Reply { bytes, end: Some(End::TimedOut) });
            };
            let mut watched = vec![(self.stdout.as_raw_fd(), Interest::Read)];
            if !input.is_empty() {
                watched.push((self.stdin.as_raw_fd(), Interest::Write));
            }
            let ready = sys::poll(&watched, left)?;
            if ready.get(1) == Some(&true) {
                match self.stdin.write(input) {
                    Ok(count) => input = &input[count..],
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => input = &[],
                }
            }
            if !ready[0] {
                continue;
            }
            match self.stdout.read(&mut buffer) {
                Ok(0) => return Ok(Reply { bytes, end: Some(End::Exited(0)) }),
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Ok(Reply { bytes, end: Some(End::Exited(0)) }),
            }
            if bytes.len() > limits.output {
                return Ok(Reply { bytes, end: Some(End::Flooded) });
            }
            if let Some(length) = length_before(&bytes, &marker) {
                bytes.truncate(length);
                return Ok(Reply { bytes, end: None });
            }
        }
    }

    /// Ends the process group and reaps; says how it really ended and what it used since `cpu_before`.
    fn bury(self, end: End, cpu_before: Duration) -> (End, Duration) {
        let pid = self.child.id();
        if end == End::Exited(0) {
            // It closed its output: wait for it to end by its own signal, which on a loaded machine takes a moment.
            let _ = sys::watch(pid).and_then(|fd| sys::poll(&[(fd.as_raw_fd(), Interest::Read)], GRACE));
        }
        sys::kill_group(pid);
        match sys::wait(pid) {
            Ok(ended) => {
                let end = match (end, ended.signal) {
                    (End::Exited(_), Some(signal)) if signal != libc::SIGKILL => End::Signalled(signal),
                    _ => end,
                };
                (end, ended.cpu.saturating_sub(cpu_before))
            }
            Err(_) => (end, Duration::ZERO),
        }
    }
}

/// The length of what stands before the line that is the marker, if it has arrived.
fn length_before(bytes: &[u8], marker: &str) -> Option<usize> {
    let text = bytes.strip_suffix(b"\n")?;
    // Some solvers echo the quotes too.
    for line in [marker.to_owned(), format!("\"{marker}\"")] {
        if let Some(before) = text.strip_suffix(line.as_bytes())
            && (before.is_empty() || before.ends_with(b"\n"))
        {
            return Some(before.len());
        }
    }
    None
}
