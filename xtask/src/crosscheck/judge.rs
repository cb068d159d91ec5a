//! Solvers as judges: long-lived processes that are asked about ground terms.
//!
//! A judge *folds* an equation (constant folding, and the solver itself where folding does not end in `true` or
//! `false`) or *proves* it from a script in which the literals are hidden behind pinned constants. A judge that dies or
//! hangs is started again; what it was asked then has no answer.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::catalogue::PRELUDE;

const CVC5_DRIVER: &str = include_str!("cvc5_driver.py");
/// A request that takes longer has no answer.
const PATIENCE: Duration = Duration::from_secs(5);
const CHECK_TIMEOUT_MS: u32 = 500;
/// Z3 keeps symbols and terms, so it is replaced after this many requests.
const REQUESTS_PER_PROCESS: usize = 50_000;

/// The solver died or hung before it replied.
#[derive(Debug, Clone, Copy)]
struct NoReply;

impl fmt::Display for NoReply {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("no answer: the solver died or hung")
    }
}

/// The text that answers one request.
type Reply = std::result::Result<String, NoReply>;

/// A solver that we ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Solver {
    Z3,
    Cvc5,
}

impl Solver {
    /// Its name for a person.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Z3 => "z3",
            Solver::Cvc5 => "cvc5",
        }
    }
}

/// What a judge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The equation holds.
    Agrees,
    /// The equation does not hold.
    Differs,
    /// It does not know.
    Unknown,
    /// It does not take the term.
    Rejected(String),
    /// It died or hung.
    Failed(String),
}

/// A question: how a request is written for each solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// The text is a Boolean term.
    Fold,
    /// The text is a list of declarations and assertions that must be unsatisfiable.
    Prove,
    /// As above, between push and pop, which selects another solver inside of Z3.
    ProveWithin,
}

impl Mode {
    pub const ALL: [Mode; 3] = [Mode::Fold, Mode::Prove, Mode::ProveWithin];

    /// Its name for a person.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Fold => "fold",
            Mode::Prove => "prove",
            Mode::ProveWithin => "prove-incremental",
        }
    }
}

/// A running solver.
pub struct Judge {
    pub solver: Solver,
    path: PathBuf,
    /// The logic that cvc5 is told.
    logic: &'static str,
    process: Option<Process>,
}

impl Judge {
    /// A judge that starts its process when it is first asked.
    pub fn new(solver: Solver, path: PathBuf) -> Self {
        Judge { solver, path, logic: "ALL", process: None }
    }

    /// Lets terms have functions as arguments, which cvc5 takes only if it is told.
    pub fn use_higher_order(&mut self) {
        self.logic = "HO_ALL";
        self.process = None;
    }

    /// Answers one question for each text.
    pub fn ask(&mut self, mode: Mode, texts: &[String]) -> Result<Vec<Answer>> {
        let mut answers = Vec::with_capacity(texts.len());
        if texts.is_empty() {
            return Ok(answers);
        }
        match (self.solver, mode) {
            (Solver::Cvc5, Mode::Fold) => {
                for reply in self.replies(texts.iter().map(|text| format!("fold {text}\n")).collect())? {
                    answers.push(truth(reply));
                }
            }
            (Solver::Cvc5, Mode::Prove | Mode::ProveWithin) => {
                let requests = texts.iter().map(|text| format!("prove {text} (check-sat)\n")).collect();
                answers.extend(self.replies(requests)?.into_iter().map(refutation));
            }
            (Solver::Z3, Mode::Fold) => {
                let requests = texts.iter().map(|text| marked(&format!("(simplify {text})"))).collect();
                answers.extend(self.replies(requests)?.into_iter().map(truth));
                self.settle(texts, &mut answers)?;
            }
            (Solver::Z3, Mode::Prove) => {
                // Each in a process of its own: `(reset)` is no fresh start for Z3, see docs/findings.
                for text in texts {
                    self.process = None;
                    let replies = self.replies(vec![marked(&format!("{text}\n(check-sat)"))])?;
                    answers.extend(replies.into_iter().map(refutation));
                }
                self.process = None;
            }
            (Solver::Z3, Mode::ProveWithin) => {
                let request = |text: &String| marked(&format!("(push)\n{text}\n(check-sat)\n(pop)"));
                answers
                    .extend(self.replies(texts.iter().map(request).collect())?.into_iter().map(refutation));
            }
        }
        Ok(answers)
    }

    /// What the solver makes of a ground term, as it prints it.
    pub fn value(&mut self, text: &str) -> Result<String> {
        let request = match self.solver {
            Solver::Z3 => marked(&format!("(simplify {text})")),
            Solver::Cvc5 => format!("value {text}\n"),
        };
        let replies = self.replies(vec![request])?;
        Ok(match &replies[0] {
            Ok(text) => text.clone(),
            Err(failure) => failure.to_string(),
        })
    }

    /// Asks Z3's solver where its simplifier did not come to an end.
    fn settle(&mut self, texts: &[String], answers: &mut [Answer]) -> Result<()> {
        let open: Vec<usize> =
            (0..texts.len()).filter(|position| answers[*position] == Answer::Unknown).collect();
        let requests = open
            .iter()
            .map(|position| {
                marked(&format!("(push)\n(assert (not {}))\n(check-sat)\n(pop)", texts[*position]))
            })
            .collect();
        for (position, reply) in open.iter().zip(self.replies(requests)?) {
            answers[*position] = refutation(reply);
        }
        Ok(())
    }

    /// The reply to each request.
    fn replies(&mut self, requests: Vec<String>) -> Result<Vec<Reply>> {
        let mut replies = Vec::with_capacity(requests.len());
        // In portions that fit into a pipe, so that neither side waits for the other with a full one.
        for portion in requests.chunks(100) {
            let answered = self.converse(portion, &mut replies)?;
            if answered == portion.len() {
                continue;
            }
            // One request of this portion is to blame: ask the rest one by one.
            for request in &portion[answered..] {
                if self.converse(std::slice::from_ref(request), &mut replies)? == 0 {
                    replies.push(Err(NoReply));
                }
            }
        }
        Ok(replies)
    }

    /// Sends requests and appends the replies as long as they come; gives back how many came.
    fn converse(&mut self, requests: &[String], replies: &mut Vec<Reply>) -> Result<usize> {
        if requests.is_empty() {
            return Ok(0);
        }
        if self.process.as_ref().is_some_and(|process| process.served > REQUESTS_PER_PROCESS) {
            self.process = None;
        }
        if self.process.is_none() {
            self.process = Some(Process::start(self.solver, &self.path, self.logic)?);
        }
        let solver = self.solver;
        let process = self.process.as_mut().expect("the process was just started");
        let mut answered = 0;
        if process.send(&requests.concat()) {
            while answered < requests.len() {
                let Some(reply) = process.receive(solver) else { break };
                replies.push(Ok(reply));
                answered += 1;
            }
        }
        process.served += answered;
        if answered < requests.len() {
            self.process = None;
        }
        Ok(answered)
    }
}

fn truth(reply: Reply) -> Answer {
    match reply {
        Err(failure) => Answer::Failed(failure.to_string()),
        Ok(text) if text.contains("(error") => Answer::Rejected(text),
        Ok(text) => match text.as_str() {
            "true" => Answer::Agrees,
            "false" => Answer::Differs,
            _ => Answer::Unknown,
        },
    }
}

fn refutation(reply: Reply) -> Answer {
    match reply {
        Err(failure) => Answer::Failed(failure.to_string()),
        Ok(text) if text.contains("(error") => Answer::Rejected(text),
        Ok(text) => match text.split_whitespace().last() {
            Some("unsat") => Answer::Agrees,
            Some("sat") => Answer::Differs,
            _ => Answer::Unknown,
        },
    }
}

const MARK: &str = "@@end-of-answer";

/// A request to Z3 after whose answer a mark is printed.
fn marked(request: &str) -> String {
    format!("{request}\n(echo \"{MARK}\")\n")
}

struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    served: usize,
}

impl Process {
    fn start(solver: Solver, path: &PathBuf, logic: &str) -> Result<Process> {
        let mut command = match solver {
            Solver::Z3 => {
                let mut command = Command::new(path);
                command.args(["-in", "-memory:3000"]);
                command
            }
            Solver::Cvc5 => {
                let mut command = Command::new("python3");
                command.args(["-c", CVC5_DRIVER, logic]).env("PYTHONPATH", path);
                command
            }
        };
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {} from `{}`", solver.name(), path.display()))?;
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut process = Process { child, stdin, lines, served: 0 };
        let greeting = match solver {
            Solver::Z3 => marked(&format!("(set-option :timeout {CHECK_TIMEOUT_MS})\n{PRELUDE}")),
            Solver::Cvc5 => format!("prelude {}\n", PRELUDE.replace('\n', " ")),
        };
        let is_up = process.send(&greeting) && process.receive(solver).is_some();
        anyhow::ensure!(is_up, "{} from `{}` does not answer", solver.name(), path.display());
        Ok(process)
    }

    fn send(&mut self, text: &str) -> bool {
        self.stdin.write_all(text.as_bytes()).and_then(|()| self.stdin.flush()).is_ok()
    }

    fn receive(&mut self, solver: Solver) -> Option<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut reply = String::new();
        loop {
            let line = match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            };
            if solver == Solver::Cvc5 {
                return Some(line);
            }
            if line == MARK {
                return Some(reply);
            }
            if !reply.is_empty() {
                reply.push(' ');
            }
            reply.push_str(&line);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may be gone already; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
