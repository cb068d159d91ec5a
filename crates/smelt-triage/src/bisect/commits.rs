//! A history of commits: each is checked out to a folder of its own, built, and asked by a command.
//!
//! What was built stays in a folder, by the names of commits, and what was seen in a journal beside it.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_campaign::repository::{Commit, Repository, RepositoryError};
use smelt_oracle::run::Limit;
use smelt_runner::cold::{self, End, Raw};
use smelt_runner::limits::Limits;
use smelt_runner::solver::Invocation;

use super::journal::Journal;
use super::{Laboratory, Localization, Stopped, bisection_steps};

/// What is asked of every commit.
#[derive(Debug, Clone)]
pub struct CommitQuestion {
    /// The shell that runs what follows.
    pub shell: PathBuf,
    /// What builds a commit; the shell runs it in the commit's folder.
    pub build: String,
    /// A program and its arguments, run in the commit's folder; `{}` stands for the trigger, which is the last argument
    /// if there is none.
    pub command: Vec<String>,
    /// What of its behaviour counts.
    pub criterion: Criterion,
    /// Time for each build.
    pub build_time: Duration,
    /// What each run of the command may use.
    pub limits: Limits,
}

/// What of the behaviour of a command counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Criterion {
    /// Bad is every exit status but 0, and to use up the processor time.
    Status,
    /// Bad is to print this; a run that does not end by itself without printing it says nothing.
    Output(String),
    /// The processor time, in milliseconds.
    Time,
}

/// Something that is given to the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitTrigger {
    /// What users call it.
    pub name: String,
    /// The file, by its absolute path, and what is in it; none if the command needs none.
    pub file: Option<(PathBuf, Vec<u8>)>,
}

/// Exit statuses by which a command says that it cannot tell, or the shell that there is no command.
const CANNOT_TELL: [i32; 3] = [125, 126, 127];

/// What happens, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitEvent<'e> {
    /// A commit is being built.
    Building(&'e Commit),
    /// A build failed; what it said is in this file.
    BuildFailed(&'e Commit, &'e Path),
    /// A trigger is being measured.
    Measuring(&'e Commit, &'e str),
}

impl fmt::Display for CommitEvent<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommitEvent::Building(commit) => write!(out, "building {} {}", commit.short(), commit.title),
            CommitEvent::BuildFailed(commit, _) => write!(out, "{} does not build", commit.short()),
            CommitEvent::Measuring(commit, trigger) => write!(out, "{} on {trigger}", commit.short()),
        }
    }
}

/// A file that cannot be given to the command.
#[derive(Debug, thiserror::Error)]
#[error("cannot {} `{path}`: {error}", if *is_found { "read" } else { "find" })]
pub struct TriggerError {
    path: String,
    is_found: bool,
    error: io::Error,
}

impl CommitTrigger {
    /// Triggers by their files, or the command alone if there are none.
    pub fn read(paths: &[String]) -> Result<Vec<CommitTrigger>, TriggerError> {
        if paths.is_empty() {
            return Ok(vec![CommitTrigger { name: "command".to_owned(), file: None }]);
        }
        let read = |path: &String| {
            let failed = |is_found| move |error| TriggerError { path: path.clone(), is_found, error };
            let content = fs::read(path).map_err(failed(true))?;
            let absolute = std::path::absolute(path).map_err(failed(false))?;
            Ok(CommitTrigger { name: path.clone(), file: Some((absolute, content)) })
        };
        paths.iter().map(read).collect()
    }
}

/// How much work a search was.
#[derive(Debug, Clone, Copy)]
pub struct CommitWork<'w> {
    /// Commits that were built now.
    pub builds: usize,
    /// Triggers that were looked for.
    pub triggers: usize,
    /// Commits of the history.
    pub points: usize,
    /// Where builds are kept.
    pub folder: &'w Path,
}

impl CommitWork<'_> {
    /// The work behind a result, in a line or two.
    pub fn text(&self, found: &Localization) -> String {
        let CommitWork { builds, triggers, points, folder } = *self;
        let end = match found.is_finished {
            true => String::new(),
            false => {
                format!("stopped early; the same command continues with what is in `{}`\n", folder.display())
            }
        };
        format!(
            "{end}{} of {points} commits tried, {} of them fail; {builds} built now, {} runs; one bisection for each trigger: {} builds\n",
            found.prepared + found.failed,
            found.failed,
            found.runs,
            triggers * bisection_steps(points) as usize
        )
    }
}

/// The laboratory for commits.
pub struct Commits<'c> {
    repository: &'c Repository,
    commits: &'c [Commit],
    triggers: &'c [CommitTrigger],
    question: &'c CommitQuestion,
    /// Where checkouts, logs and the journal are.
    folder: PathBuf,
    journal: Journal,
    stop: Arc<AtomicBool>,
    listener: &'c mut dyn FnMut(CommitEvent<'_>),
    /// What kept us from going on, if it was not the user.
    problem: Option<RepositoryError>,
    builds: usize,
}

/// Where builds are kept, and what ends them.
#[derive(Debug)]
pub struct Workplace<'w> {
    /// The folder.
    pub folder: &'w Path,
    /// Set when the user wants to stop.
    pub stop: Arc<AtomicBool>,
}

impl<'c> Commits<'c> {
    /// A laboratory that keeps what it does in a folder.
    pub fn new(
        repository: &'c Repository,
        commits: &'c [Commit],
        triggers: &'c [CommitTrigger],
        question: &'c CommitQuestion,
        place: Workplace<'_>,
        listener: &'c mut dyn FnMut(CommitEvent<'_>),
    ) -> Result<Self, RepositoryError> {
        let Workplace { folder, stop } = place;
        fs::create_dir_all(folder).map_err(RepositoryError::io(folder))?;
        let folder = folder.canonicalize().map_err(RepositoryError::io(folder))?;
        for part in ["checkouts", "logs"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).map_err(RepositoryError::io(&part))?;
        }
        let path = folder.join("journal.jsonl");
        let journal = Journal::open(&path).map_err(RepositoryError::io(&path))?;
        let problem = None;
        let builds = 0;
        Ok(Commits {
            repository,
            commits,
            triggers,
            question,
            folder,
            journal,
            stop,
            listener,
            problem,
            builds,
        })
    }

    /// How many builds were started; those of an earlier time do not count.
    pub fn builds(&self) -> usize {
        self.builds
    }

    /// What kept us from going on, if it was not the user.
    pub fn into_problem(self) -> Option<RepositoryError> {
        self.problem
    }

    fn fail(&mut self, problem: RepositoryError) -> Stopped {
        self.problem = Some(problem);
        Stopped
    }

    fn checkout(&self, point: usize) -> PathBuf {
        self.folder.join("checkouts").join(&self.commits[point].id)
    }

    fn build_key(&self, point: usize) -> String {
        format!("{} {}", self.commits[point].id, hash(&[self.question.build.as_bytes()]))
    }

    fn sample_key(&self, point: usize, trigger: usize) -> String {
        let file = &self.triggers[trigger].file;
        let content = file.as_ref().map_or(&[][..], |(_, content)| content.as_slice());
        let question = self.question;
        let asked = format!("{:?} {:?} {:?}", question.command, question.criterion, question.limits.cpu);
        format!("{} {}", self.build_key(point), hash(&[asked.as_bytes(), content]))
    }

    /// Checks a commit out and builds it.
    fn build(&mut self, point: usize) -> Result<bool, Stopped> {
        let commit = &self.commits[point];
        (self.listener)(CommitEvent::Building(commit));
        let checkout = self.checkout(point);
        let clone = self.folder.join("repository");
        self.repository.check_out(&commit.id, &clone, &checkout).map_err(|problem| self.fail(problem))?;
        self.builds += 1;
        let log = self.folder.join("logs").join(&commit.id);
        let words = [self.question.build.clone().into(), log.clone().into_os_string()];
        let time = self.question.build_time;
        // A build has many processes and as much memory as it takes.
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let limits = Limits { wall: time, cpu: time * cores, output: 1 << 20, ..Limits::none() };
        let raw = self.shell("eval \"$1\" >\"$2\" 2>&1", &checkout, &words, &limits)?;
        let is_ready = raw.end == End::Exited(0);
        let key = self.build_key(point);
        self.journal.add_build(&key, is_ready).map_err(|error| self.cannot_write(error))?;
        if !is_ready {
            (self.listener)(CommitEvent::BuildFailed(commit, &log));
        }
        Ok(is_ready)
    }

    fn cannot_write(&mut self, error: io::Error) -> Stopped {
        let path = self.folder.join("journal.jsonl");
        self.fail(RepositoryError::io(&path)(error))
    }

    /// Runs a line of the shell in a folder.
    fn shell(
        &mut self,
        line: &str,
        folder: &Path,
        words: &[OsString],
        limits: &Limits,
    ) -> Result<Raw, Stopped> {
        let line = format!("cd -- \"$1\" || exit 125; shift; {line}");
        let head = ["-c".into(), line.into(), "sh".into(), folder.into()];
        let invocation = Invocation {
            program: self.question.shell.clone(),
            args: head.into_iter().chain(words.iter().cloned()).collect(),
            environment: Vec::new(),
            is_confined: false,
        };
        let raw = cold::run_until(&invocation, "", limits, &self.stop);
        // What was ended because the user wants an end says nothing.
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        raw.map_err(|error| self.fail(RepositoryError::io(&self.question.shell)(error)))
    }

    /// The words of the command for a trigger.
    fn words(&self, trigger: usize) -> Vec<OsString> {
        let file = self.triggers[trigger].file.as_ref().map(|(path, _)| path.as_os_str());
        let command = &self.question.command;
        let mut words: Vec<OsString> = command
            .iter()
            .map(|word| match file {
                Some(file) if word == PLACE => file.to_owned(),
                _ => word.into(),
            })
            .collect();
        if !command.iter().any(|word| word == PLACE) {
            words.extend(file.map(ToOwned::to_owned));
        }
        words
    }
}

/// Stands for the trigger in a command.
const PLACE: &str = "{}";

impl Laboratory for Commits<'_> {
    fn prepare(&mut self, point: usize) -> Result<bool, Stopped> {
        match self.journal.build(&self.build_key(point)) {
            Some(is_ready) => Ok(is_ready),
            None => self.build(point),
        }
    }

    fn measure(&mut self, point: usize, trigger: usize) -> Result<Option<f64>, Stopped> {
        let key = self.sample_key(point, trigger);
        if let Some(sample) = self.journal.take_sample(&key) {
            return Ok(sample);
        }
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        // Built at an earlier time, and thrown away since.
        if !self.checkout(point).exists() && !self.build(point)? {
            return Ok(None);
        }
        (self.listener)(CommitEvent::Measuring(&self.commits[point], &self.triggers[trigger].name));
        let (checkout, words) = (self.checkout(point), self.words(trigger));
        let raw = self.shell("exec \"$@\"", &checkout, &words, &self.question.limits)?;
        let value = value_of(&raw, &self.question.criterion, &self.question.limits);
        self.journal.add_sample(&key, value).map_err(|error| self.cannot_write(error))?;
        Ok(value)
    }
}

/// What a run of the command is measured as; none if it says nothing. A run that the clock has ended before its
/// processor time was used up never does.
fn value_of(raw: &Raw, criterion: &Criterion, limits: &Limits) -> Option<f64> {
    if matches!(raw.end, End::Exited(status) if CANNOT_TELL.contains(&status))
        || raw.end == End::Cut(Limit::Wall)
    {
        return None;
    }
    let claim = |is_bad: bool| Some(f64::from(u8::from(is_bad)));
    match criterion {
        Criterion::Output(text) if String::from_utf8_lossy(&raw.stdout).contains(text.as_str()) => {
            claim(true)
        }
        // It might have printed it later.
        Criterion::Output(_) if !matches!(raw.end, End::Exited(_)) => None,
        Criterion::Output(_) => claim(false),
        Criterion::Status => claim(raw.end != End::Exited(0)),
        Criterion::Time => match raw.end {
            End::Exited(_) => Some(raw.cpu.as_secs_f64() * 1e3),
            End::Cut(Limit::Cpu) => Some(limits.cpu.as_secs_f64() * 1e3),
            // What ends too early was not fast, and what the clock ended says nothing.
            End::Cut(_) | End::Signalled(_) | End::Flooded => None,
        },
    }
}

fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
