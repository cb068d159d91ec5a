//! A reduction with limits of time and memory, whose smallest script so far is on disk.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use smelt_runner::{files, signals};

use super::criterion::{CriterionError, Reproduction};
use super::{Criterion, Judgement, Statistics};

/// How long a reduction may take, how much memory, and how many questions are asked at once.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Time by the clock; none for no limit.
    pub time: Option<Duration>,
    /// In bytes, of this process; the programs that are run have other limits.
    pub memory: u64,
    /// Questions at once.
    pub jobs: usize,
}

/// How far a reduction has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The bytes of the smallest script so far, and the number of questions by then.
    pub smallest: Option<(usize, u64)>,
    /// How long it has taken.
    pub elapsed: Duration,
}

impl fmt::Display for Progress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.smallest {
            Some((bytes, judged)) => write!(out, "{bytes} bytes after {judged} questions")?,
            None => out.write_str("nothing smaller yet")?,
        }
        write!(out, ", {} s", self.elapsed.as_secs())
    }
}

/// A criterion with limits.
pub struct BoundedReduction<'w> {
    reproduction: &'w mut dyn Reproduction,
    others: Vec<Box<dyn Reproduction + Send>>,
    bounds: Bounds,
    stop: Arc<AtomicBool>,
    started: Instant,
    output: Option<&'w Path>,
    listener: &'w mut dyn FnMut(&Progress),
    smallest: Option<(usize, u64)>,
    is_out_of_memory: bool,
    problem: Option<CriterionError>,
}

impl<'w> BoundedReduction<'w> {
    /// Asks within bounds, writes the smallest script to the output, and calls the listener with the progress.
    pub fn new(
        reproduction: &'w mut dyn Reproduction,
        bounds: Bounds,
        stop: Arc<AtomicBool>,
        output: Option<&'w Path>,
        listener: &'w mut dyn FnMut(&Progress),
    ) -> Self {
        BoundedReduction {
            reproduction,
            others: Vec::new(),
            bounds,
            stop,
            started: Instant::now(),
            output,
            listener,
            smallest: None,
            is_out_of_memory: false,
            problem: None,
        }
    }

    /// What went wrong, if something did, and whether there was no memory left.
    pub fn finish(self) -> (Option<CriterionError>, bool) {
        (self.problem, self.is_out_of_memory)
    }

    fn is_late(&self) -> bool {
        let is_late = self.bounds.time.is_some_and(|most| self.started.elapsed() >= most);
        is_late || self.problem.is_some() || self.is_out_of_memory || self.stop.load(Ordering::Relaxed)
    }

    fn report(&mut self) {
        (self.listener)(&Progress { smallest: self.smallest, elapsed: self.started.elapsed() });
    }

    fn fail(&mut self, problem: CriterionError) -> Judgement {
        self.problem = Some(problem);
        Judgement::Stop
    }

    fn judgement(&mut self, is_reproduced: Result<bool, CriterionError>) -> Judgement {
        // A run that we were told to end says nothing.
        if self.stop.load(Ordering::Relaxed) {
            return Judgement::Stop;
        }
        match is_reproduced {
            Ok(true) => Judgement::Holds,
            Ok(false) => Judgement::Fails,
            Err(problem) => self.fail(problem),
        }
    }
}

impl Criterion for BoundedReduction<'_> {
    fn judge(&mut self, script: &str) -> Judgement {
        if self.is_late() {
            return Judgement::Stop;
        }
        let is_reproduced = self.reproduction.reproduces(script);
        self.judgement(is_reproduced)
    }

    fn width(&self) -> usize {
        self.bounds.jobs
    }

    fn judge_all(&mut self, scripts: &[&str]) -> Vec<Judgement> {
        while self.others.len() + 1 < scripts.len() {
            match self.reproduction.another() {
                Some(other) => self.others.push(other),
                None => break,
            }
        }
        if scripts.len() == 1 || self.others.len() + 1 < scripts.len() || self.is_late() {
            let mut judgements = Vec::new();
            for script in scripts {
                judgements.push(self.judge(script));
                if judgements.last() != Some(&Judgement::Fails) {
                    break;
                }
            }
            return judgements;
        }
        let (first, others) = (&mut self.reproduction, &mut self.others);
        let said: Vec<Result<bool, CriterionError>> = thread::scope(|scope| {
            let asked: Vec<_> = others
                .iter_mut()
                .zip(&scripts[1..])
                .map(|(other, script)| scope.spawn(move || other.reproduces(script)))
                .collect();
            let first = first.reproduces(scripts[0]);
            let rest = asked.into_iter().map(|thread| thread.join().unwrap_or(Err(CriterionError::Panicked)));
            std::iter::once(first).chain(rest).collect()
        });
        said.into_iter().map(|is_reproduced| self.judgement(is_reproduced)).collect()
    }

    fn is_over(&mut self) -> bool {
        self.is_out_of_memory |= signals::usage().memory > self.bounds.memory;
        self.report();
        self.is_late()
    }

    fn progress(&mut self, script: &str, statistics: &Statistics) {
        self.smallest = Some((script.len(), statistics.judged));
        self.report();
        if let Some(path) = self.output
            && self.reproduction.is_presentable()
            && let Err(error) = write_whole(path, script)
        {
            self.fail(CriterionError::Write { path: path.display().to_string(), error });
        }
    }
}

/// Writes a file that is whole or not there, or to the device or pipe that the path names.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let is_device = path.metadata().is_ok_and(|metadata| !metadata.is_file());
    if is_device { fs::write(path, text) } else { files::write_whole(path, text.as_bytes()) }
}
