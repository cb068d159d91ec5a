//! Warm sessions: one long-lived process for many formulas, with `(reset)` or `(pop 1)` between them.
//!
//! Answers are delimited by `(echo ..)` with a number that counts up. Where they come quickly, several formulas are sent
//! at once: going back and forth costs more than small ones do. If the process ends then, it ended with the first that
//! has no answer, and those after it were not asked. A session that crashed, hung or flooded is over;
//! the next formula starts a new one, and so does every `MAX_CASES`-th, so that leaks do not add up. What a session
//! finds is confirmed cold before anybody believes it.

mod errors;

use std::fmt::Write as _;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use memchr::memmem;
use smelt_oracle::run::{Answer, Limit, Run};

use self::errors::Errors;
use crate::answer::{self, text_before};
use crate::clock;
use crate::cold::End;
use crate::interruption;
use crate::isolation::Isolation;
use crate::limits::Limits;
use crate::process::{self, Process};
use crate::progress::{CPU_STEP, Progress, until_full};
use crate::solver::Solver;
use crate::sys::{self, CpuClock, Interest};

/// After so many formulas a session is replaced.
const MAX_CASES: u32 = 2_000;

/// After so many bytes of formulas too: they are kept so that a session can be replayed.
const MAX_HISTORY: usize = 16 << 20;

/// At least this often a session looks whether its answers are still wanted.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// At most so many formulas are sent at once,
const MAX_AHEAD: u32 = 100;
/// of not much more bytes than this, so that they fit into a pipe,
const MAX_BYTES_AHEAD: usize = 1 << 15;
/// and no more than are answered in this time if they are as quick as those before.
const AHEAD: Duration = Duration::from_secs(1);

/// This share of the time in which all answers but the last are expected is slept through.
const SLEPT: f64 = 0.9;
/// No longer than this at once: meanwhile nobody looks at the limits.
const MAX_SLEPT: Duration = Duration::from_millis(250);

/// What marks the end of an answer, before the number of the formula.
const MARKER: &str = "smelt:";

/// How long a process that closed its output may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// A solver kept running.
#[derive(Debug)]
pub struct Session {
    solver: Solver,
    between: Isolation,
    process: Option<Conversation>,
    limits: Limits,
    /// Whether the formula that the process was asked last lets another follow.
    is_open: bool,
    /// The processor time that the last formulas took each; nothing if the last one was not answered.
    pace: Option<Duration>,
    /// What the process, or the last one, was asked, the newest last.
    history: Vec<String>,
    history_bytes: usize,
}

#[derive(Debug)]
struct Conversation {
    process: Process,
    stdin: PipeWriter,
    stdout: PipeReader,
    errors: Errors,
    clock: CpuClock,
    /// What it is sent.
    message: String,
    /// Where its output is read to.
    buffer: Box<[u8]>,
    cases: u32,
    /// When it was sent what it is at, or had answered what was before.
    asked_at: Instant,
    /// Processor time used by then.
    cpu: Duration,
    /// Of this, the time of the children that it has waited for.
    children_cpu: Duration,
}

/// What came back for some scripts that were sent together.
struct Replies {
    /// The number of the first script, and how many there are.
    first: u32,
    scripts: usize,
    /// For each script that was answered.
    answered: Vec<Answered>,
    /// What was said to the next script.
    rest: Vec<u8>,
    /// The same on standard error.
    rest_errors: Vec<u8>,
    /// How the process ended before it had answered all, if it did.
    end: Option<End>,
    /// The processor time that it was seen to use for the script that it ended with.
    seen_cpu: Duration,
}

/// One answer.
struct Answered {
    said: Vec<u8>,
    /// What was said on standard error before this answer and those that arrived with it.
    errors: Rc<[u8]>,
    cpu: Duration,
    wall: Duration,
}

/// The times that a script took.
struct Times {
    cpu: Duration,
    wall: Duration,
}

impl Session {
    /// A session that starts its process when it is first asked.
    pub fn new(solver: Solver, between: Isolation, limits: Limits) -> Self {
        Session {
            solver,
            between,
            process: None,
            limits,
            is_open: true,
            pace: None,
            history: Vec::new(),
            history_bytes: 0,
        }
    }

    /// From now on a script may use so much processor time.
    pub fn set_cpu_limit(&mut self, cpu: Duration) {
        self.limits.cpu = cpu;
    }

    /// Runs a script. One that exits ends the session.
    pub fn run(&mut self, script: &str) -> io::Result<Run> {
        let mut runs = self.run_some(&[script], Duration::ZERO)?;
        Ok(runs.pop().expect("the first script is run"))
    }

    /// Runs the first of some scripts, and those after it until the process is over or `patience` has passed. Scripts are
    /// sent ahead if the last ones were quick: then neither side waits for the other.
    pub fn run_some(&mut self, scripts: &[&str], patience: Duration) -> io::Result<Vec<Run>> {
        let started = clock::now();
        let mut runs = Vec::with_capacity(scripts.len());
        while runs.is_empty() || self.process.is_some() && clock::since(started) < patience {
            let rest = &scripts[runs.len()..];
            if rest.first().is_none_or(|next| !runs.is_empty() && self.would_forget(next)) {
                break;
            }
            runs.append(&mut self.run_together(rest)?);
        }
        Ok(runs)
    }

    /// Runs the first of some scripts, and as many of the others as can be sent at once and are answered.
    fn run_together(&mut self, scripts: &[&str]) -> io::Result<Vec<Run>> {
        let started = clock::now();
        if self.is_over(scripts[0]) {
            self.stop();
        }
        self.is_open = self.between.can_follow(scripts[0]);
        let mut process = match self.process.take() {
            Some(process) => process,
            None => {
                self.history.clear();
                self.history_bytes = 0;
                self.start()?
            }
        };
        let scripts = &scripts[..self.sent_ahead(process.cases, scripts)];
        process.message.clear();
        for script in scripts {
            process.add_to_message(self.between.message(script, process.cases == 0));
        }
        let replies = match process.ask(scripts.len(), self.pace, &self.limits, started) {
            Ok(replies) => replies,
            Err(error) => {
                process.end();
                return Err(error);
            }
        };
        let Replies { answered, rest, rest_errors, end, seen_cpu, .. } = replies;
        // Not time on the clock, some of which was slept.
        let used: Duration = answered.iter().map(|answered| answered.cpu).sum();
        self.pace = end.is_none().then(|| used / scripts.len() as u32);
        let mut runs = Vec::with_capacity(scripts.len());
        for (Answered { said, errors, cpu, wall }, script) in answered.into_iter().zip(scripts) {
            runs.push(self.read_run(script, [&said, &errors], End::Exited(0), Times { cpu, wall }));
            if runs.last().is_some_and(|run| run.answer == Answer::Memout) {
                // What filled the memory may be what leaked before; the next formula shall not suffer for it.
                process.end();
                return Ok(runs);
            }
        }
        match end {
            None => self.process = Some(process),
            Some(end) => {
                let cpu_before = process.cpu;
                let wall = clock::since(process.asked_at);
                let (end, cpu) = process.bury(end, cpu_before);
                let cpu = cpu.max(seen_cpu);
                runs.push(self.read_run(
                    scripts[runs.len()],
                    [&rest, &rest_errors],
                    end,
                    Times { cpu, wall },
                ));
            }
        }
        Ok(runs)
    }

    /// How many of some scripts are sent at once to a process that was asked so many before.
    fn sent_ahead(&self, cases: u32, scripts: &[&str]) -> usize {
        let Some(pace) = self.pace else { return 1 };
        if !self.is_open || !self.solver.family.answers_at_once() {
            return 1;
        }
        let in_time = AHEAD.div_duration_f64(pace.max(Duration::from_micros(1))) as u32;
        let most = (MAX_CASES - cases).min(in_time.clamp(1, MAX_AHEAD)) as usize;
        let mut bytes = scripts[0].len();
        let can_be_sent = |script: &&&str| {
            bytes += script.len();
            let fits = bytes < MAX_BYTES_AHEAD && self.history_bytes + bytes < MAX_HISTORY;
            fits && self.between.can_follow(script) && self.between.shares_head(scripts[0], script)
        };
        1 + scripts[1..].iter().take(most - 1).take_while(can_be_sent).count()
    }

    /// A script that was run, with both outputs of the solver and the times that it took.
    fn read_run(&mut self, script: &str, outputs: [&[u8]; 2], end: End, times: Times) -> Run {
        self.history.push(script.to_owned());
        self.history_bytes += script.len();
        let [stdout, stderr] = outputs.map(|output| text_before(output, end));
        let said = answer::read_checks(&stdout, &stderr, end, answer::checks_in(script));
        Run {
            solver: self.solver.name.clone(),
            answer: said.answer,
            answers: said.answers,
            output: said.output,
            outputs: said.outputs,
            reason: said.reason,
            crash_signature: said.crash_signature,
            reports: said.reports,
            limit: said.limit,
            cpu_ms: times.cpu.as_secs_f64() * 1e3,
            wall_ms: times.wall.as_secs_f64() * 1e3,
            max_rss_kb: None,
            leaked: 0,
        }
    }

    /// Whether a new process would be asked this, and what the last one was asked forgotten.
    pub fn would_forget(&self, script: &str) -> bool {
        !self.history.is_empty() && (self.process.is_none() || self.is_over(script))
    }

    /// Whether a new process must be asked this formula.
    fn is_over(&self, script: &str) -> bool {
        let is_old = self.process.as_ref().is_some_and(|process| process.cases >= MAX_CASES);
        let can_follow = self.between.can_follow(script)
            && self.history.last().is_none_or(|before| self.between.shares_head(before, script));
        is_old || self.history_bytes > MAX_HISTORY || !self.is_open || !can_follow
    }

    /// Everything that the process was asked, up to the last formula, even if it ended with it.
    pub fn history(&self) -> &[String] {
        &self.history
    }

    fn start(&self) -> io::Result<Conversation> {
        // Processor time adds up over a session; each formula is watched by us.
        let limits = Limits { cpu: Duration::from_secs(1 << 30), ..self.limits };
        let (process, process::Pipes { stdin, stdout, stderr }) =
            Process::start(&self.solver.invocation, &limits)?;
        let clock = CpuClock::of(process.pid()).ok_or(io::ErrorKind::NotFound)?;
        sys::set_nonblocking(&stdin)?;
        sys::set_nonblocking(&stdout)?;
        let buffer = vec![0; 1 << 14].into_boxed_slice();
        Ok(Conversation {
            process,
            stdin,
            stdout,
            errors: Errors::new(stderr)?,
            clock,
            message: String::new(),
            buffer,
            cases: 0,
            asked_at: clock::now(),
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
            process.end();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Replies {
    fn new(first: u32, scripts: usize) -> Self {
        Replies {
            first,
            scripts,
            answered: Vec::with_capacity(scripts),
            rest: Vec::new(),
            rest_errors: Vec::new(),
            end: None,
            seen_cpu: Duration::ZERO,
        }
    }

    fn missing(&self) -> usize {
        self.scripts - self.answered.len()
    }

    /// Adds bytes that arrived, and takes the answers that are complete with them.
    fn take(&mut self, arrived: &[u8]) -> Vec<Vec<u8>> {
        let mut seen = self.rest.len();
        self.rest.extend_from_slice(arrived);
        let mut said = Vec::with_capacity(self.missing());
        let mut start = 0;
        while said.len() < self.missing() {
            let number = self.first + (self.answered.len() + said.len()) as u32;
            let Some(marker) = find_marker(&self.rest[start..], number, seen) else { break };
            said.push(self.rest[start..start + marker.start].to_vec());
            start += marker.end;
            seen = 0;
        }
        self.rest.drain(..start);
        said
    }
}

impl Conversation {
    /// Adds a script, in two parts, to what is sent next.
    fn add_to_message(&mut self, script: [&str; 2]) {
        self.cases += 1;
        self.message.extend(script);
        // Writing to a string does not fail.
        let _ = write!(self.message, "\n(echo \"{MARKER}{}\")\n", self.cases);
    }

    /// Sends the message, which has so many scripts, and reads what comes back. The pace is what scripts took before.
    fn ask(
        &mut self,
        scripts: usize,
        pace: Option<Duration>,
        limits: &Limits,
        started: Instant,
    ) -> io::Result<Replies> {
        self.asked_at = started;
        let mut replies = Replies::new(self.cases + 1 - scripts as u32, scripts);
        let mut sent = 0;
        // Quick answers are there before anything has to be looked at.
        let mut progress: Option<Progress> = None;
        let mut is_ended = false;
        let mut looked_at = started;
        // Whether there were answers since we slept last.
        let mut is_in_time = true;
        while replies.missing() > 0 {
            sent += self.send(sent);
            let is_sending = sent < self.message.len();
            limits.check_wanted()?;
            // To be woken for every answer costs more than to read it, so the first are left to wait for some others.
            let others = replies.missing() as u32 - 1;
            if let (Some(pace), 1.., false, true) = (pace, others, is_sending, is_in_time) {
                thread::sleep((pace * others).mul_f64(SLEPT).min(MAX_SLEPT));
                is_in_time = false;
            }
            match self.stdout.read(&mut self.buffer) {
                Ok(0) => return Ok(self.ended(replies, End::Exited(0))),
                Ok(count) => {
                    let said = replies.take(&self.buffer[..count]);
                    if !said.is_empty() {
                        replies.answered.extend(self.with_times(said));
                        progress = None;
                        is_in_time = true;
                    }
                    if replies.missing() > 0 && replies.rest.len() > limits.output {
                        replies.rest.truncate(limits.output);
                        return Ok(self.ended(replies, End::Flooded));
                    }
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Ok(self.ended(replies, End::Exited(0))),
            }
            self.errors.drain(&mut self.buffer);
            if self.errors.count() > limits.output {
                return Ok(self.ended(replies, End::Flooded));
            }
            // All that it has printed is read; a child that it left behind may keep the pipe open.
            if is_ended {
                return Ok(self.ended(replies, End::Exited(0)));
            }
            let watched = [
                Some((self.process.ended(), Interest::Read)),
                Some((self.stdout.as_raw_fd(), Interest::Read)),
                is_sending.then(|| (self.stdin.as_raw_fd(), Interest::Write)),
                self.errors.source().map(|errors| (errors, Interest::Read)),
            ];
            let first = || limits.cpu.min(until_full(limits, 0));
            let look = progress.as_ref().map_or_else(first, |progress| progress.next_look(limits));
            let pause = look.clamp(CPU_STEP, LONGEST_PAUSE);
            let ready = sys::poll(watched, limits.at_most(pause))?;
            is_ended = ready[0];
            // One that prints a little all the time is looked at too.
            if !ready.contains(&true) || clock::since(looked_at) >= pause {
                looked_at = clock::now();
                let progress = progress.get_or_insert_with(|| self.progress());
                if let Some(limit) = progress.look(limits) {
                    replies.seen_cpu = progress.cpu();
                    return Ok(self.ended(replies, End::Cut(limit)));
                }
            }
        }
        Ok(replies)
    }

    /// What came back from a process that ended, with what it said on standard error.
    fn ended(&mut self, replies: Replies, end: End) -> Replies {
        self.errors.drain(&mut self.buffer);
        Replies { end: Some(end), rest_errors: self.errors.take(), ..replies }
    }

    /// Sends what the process takes of the message, of which so many bytes were sent, and says how many bytes that was.
    /// Nothing is left of it for a process that takes no more.
    fn send(&mut self, sent: usize) -> usize {
        let rest = &self.message.as_bytes()[sent..];
        if rest.is_empty() {
            return 0;
        }
        match self.stdin.write(rest) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(_) => rest.len(),
        }
    }

    /// Answers that arrived at once with their times: nobody knows how they share the time since those before.
    fn with_times(&mut self, said: Vec<Vec<u8>>) -> impl Iterator<Item = Answered> + use<> {
        let cpu_so_far = self.cpu_so_far();
        let count = said.len() as u32;
        let cpu = cpu_so_far.saturating_sub(self.cpu) / count;
        let wall = clock::since(self.asked_at) / count;
        self.cpu = cpu_so_far;
        self.asked_at = clock::now();
        self.errors.drain(&mut self.buffer);
        let errors: Rc<[u8]> = self.errors.take().into();
        said.into_iter().map(move |said| Answered { said, errors: Rc::clone(&errors), cpu, wall })
    }

    /// The processor time of the process and the children that it has waited for.
    fn cpu_so_far(&mut self) -> Duration {
        let elapsed = clock::since(self.asked_at);
        let own = self.clock.time().unwrap_or_default();
        let own_before = self.cpu.saturating_sub(self.children_cpu);
        // The time of children costs more to ask for than most formulas take to send, and few solvers have any. It can
        // matter only if the process was not busy itself.
        if elapsed > CPU_STEP + own.saturating_sub(own_before) * 2 {
            self.children_cpu = sys::children_cpu_time(self.process.pid()).unwrap_or(self.children_cpu);
        }
        (own + self.children_cpu).max(self.cpu)
    }

    /// What it uses from now on, and has used since it had answered what was before.
    fn progress(&self) -> Progress {
        Progress::since(&self.process, self.clock, self.cpu, self.children_cpu)
    }

    /// Ends a process that nothing more is wanted of.
    fn end(self) {
        let cpu = self.cpu;
        self.bury(End::Cut(Limit::Wall), cpu);
    }

    /// Ends the process and its descendants; says how it really ended and what it used since `cpu_before`.
    fn bury(self, end: End, cpu_before: Duration) -> (End, Duration) {
        if end == End::Exited(0) {
            // It closed its output: wait for it to end by its own signal, which on a loaded machine takes a moment.
            let started = clock::now();
            while !interruption::is_requested() && clock::since(started) < GRACE {
                let ended = [Some((self.process.ended(), Interest::Read))];
                if sys::poll(ended, LONGEST_PAUSE).is_ok_and(|[is_ended]| is_ended) {
                    break;
                }
            }
        }
        match self.process.end() {
            Ok(outcome) => {
                let end = match (end, outcome.ended.signal, outcome.ended.code) {
                    (End::Exited(_), Some(_), _) if outcome.reached.is_some() => {
                        End::Cut(outcome.reached.unwrap_or(Limit::Memory))
                    }
                    (End::Exited(_), Some(signal), _) if signal != libc::SIGKILL => End::by_signal(signal),
                    (End::Exited(_), None, Some(code)) => End::Exited(code),
                    _ => end,
                };
                (end, outcome.cpu.saturating_sub(cpu_before))
            }
            Err(_) => (end, Duration::ZERO),
        }
    }
}

/// Where the line is that is the marker with this number, with the end of the line, if it has arrived. The first `seen`
/// bytes were looked at before.
fn find_marker(bytes: &[u8], number: u32, seen: usize) -> Option<Range<usize>> {
    static MARKERS: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(MARKER));
    // The marker may have arrived in pieces.
    let start = seen.saturating_sub(MARKER.len() + 12);
    for found in MARKERS.find_iter(&bytes[start..]) {
        let mut from = start + found;
        let after = &bytes[from + MARKER.len()..];
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut to = from + MARKER.len() + digits;
        // Some solvers echo the quotes too.
        if from > 0 && bytes[from - 1] == b'"' && bytes.get(to) == Some(&b'"') {
            (from, to) = (from - 1, to + 1);
        }
        let is_line = (from == 0 || bytes[from - 1] == b'\n') && bytes.get(to) == Some(&b'\n');
        let value = std::str::from_utf8(&after[..digits]).ok().and_then(|digits| digits.parse().ok());
        if is_line && value == Some(number) {
            return Some(from..to + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_a_line_of_its_own() {
        let find = |text: &str| find_marker(text.as_bytes(), 1, 0);
        assert_eq!(find("sat\nsmelt:1\n"), Some(4..12));
        assert_eq!(find("smelt:1\n"), Some(0..8));
        assert_eq!(find("sat\n\"smelt:1\"\n"), Some(4..14));
        assert_eq!(find("sat\nsmelt:1\nlate\n"), Some(4..12));
        assert_eq!(find("sat\nsmelt:1"), None);
        assert_eq!(find("sat\nsmelt:11\n"), None);
        assert_eq!(find("sat smelt:1\n"), None);
        assert_eq!(find("smelt:1 x\nsmelt:1\n"), Some(10..18));
    }

    #[test]
    fn answers_are_taken_as_soon_as_their_markers_have_arrived() {
        let text = b"sat\nsmelt:7\nunsat\nsmelt:8\nlate\n";
        for cut in 0..=text.len() {
            let mut replies = Replies::new(7, 2);
            let mut said = Vec::new();
            for part in [&text[..cut], &text[cut..]] {
                let taken = replies.take(part);
                let answered = |said: &Vec<u8>| Answered {
                    said: said.clone(),
                    errors: Rc::default(),
                    cpu: Duration::ZERO,
                    wall: Duration::ZERO,
                };
                replies.answered.extend(taken.iter().map(answered));
                said.extend(taken);
            }
            assert_eq!(said, [b"sat\n".to_vec(), b"unsat\n".to_vec()], "after {cut}");
            assert_eq!(
                (replies.missing(), replies.rest.as_slice()),
                (0, b"late\n".as_slice()),
                "after {cut}"
            );
        }
    }

    #[test]
    fn a_marker_may_arrive_in_pieces() {
        let text = b"sat\n\"smelt:1\"\n";
        for seen in 0..text.len() {
            assert_eq!(find_marker(text, 1, seen), Some(4..text.len()), "after {seen}");
        }
    }
}
