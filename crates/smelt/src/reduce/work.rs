//! A reduction with its limits, its progress, and its result on disk.

use crate::error::cannot_write;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use smelt_runner::{files, signals};
use smelt_triage::reduce::{Criterion, Judgement, Statistics};

/// What tells whether a script shows it.
pub(super) trait Test {
    /// Whether it does; an error ends the reduction.
    fn shows(&mut self, script: &str) -> Result<bool, String>;

    /// Another one that says the same and can be asked at the same time; none if there is only one.
    fn another(&self) -> Option<Box<dyn Test + Send>> {
        None
    }

    /// Whether a script can be shown to people while the reduction is under way.
    fn is_presentable(&self) -> bool {
        true
    }

    /// What it did, in words.
    fn effort(&self) -> String {
        String::new()
    }
}

/// How long a reduction may take, how much memory, and how many questions are asked at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) time: Option<Duration>,
    /// In bytes, of this process; what is run has limits of its own.
    pub(super) memory: u64,
    pub(super) jobs: usize,
}

/// Where there is no terminal, a line of progress is printed so often.
const REPORT_EVERY: Duration = Duration::from_secs(30);

/// A reduction under way.
pub(super) struct Work<'w> {
    test: &'w mut dyn Test,
    others: Vec<Box<dyn Test + Send>>,
    bounds: Bounds,
    stop: Arc<AtomicBool>,
    started: Instant,
    output: Option<&'w Path>,
    bar: Option<ProgressBar>,
    /// The bytes of the smallest script so far, and the questions by then.
    smallest: Option<(usize, u64)>,
    reported: Instant,
    is_out_of_memory: bool,
    problem: Option<String>,
}

impl<'w> Work<'w> {
    pub(super) fn new(
        test: &'w mut dyn Test,
        bounds: Bounds,
        stop: Arc<AtomicBool>,
        output: Option<&'w Path>,
    ) -> Self {
        let bar = io::stderr().is_terminal().then(ProgressBar::new_spinner);
        let started = Instant::now();
        Work {
            test,
            others: Vec::new(),
            bounds,
            stop,
            started,
            output,
            bar,
            smallest: None,
            reported: started,
            is_out_of_memory: false,
            problem: None,
        }
    }

    /// Takes the progress away; what went wrong, if something did, and what the work did, in words.
    pub(super) fn finish(self) -> (Option<String>, String) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let memory = if self.is_out_of_memory { ", out of memory (raise --own-memory)" } else { "" };
        (self.problem, format!("{}{memory}", self.test.effort()))
    }

    fn is_late(&self) -> bool {
        let is_late = self.bounds.time.is_some_and(|most| self.started.elapsed() >= most);
        is_late || self.problem.is_some() || self.is_out_of_memory || self.stop.load(Ordering::Relaxed)
    }

    /// Tells now and then that the work goes on.
    fn report(&mut self) {
        let size = match self.smallest {
            Some((bytes, judged)) => format!("{bytes} bytes after {judged} questions"),
            None => "nothing smaller yet".to_owned(),
        };
        let seconds = self.started.elapsed().as_secs();
        match &self.bar {
            Some(bar) => {
                bar.set_message(format!("{size}, {seconds} s"));
                bar.tick();
            }
            None if self.reported.elapsed() >= REPORT_EVERY => {
                self.reported = Instant::now();
                // Whoever does not read this misses nothing that matters.
                let _ = writeln!(io::stderr(), "reducing: {size}, {seconds} s");
            }
            None => {}
        }
    }

    fn fail(&mut self, problem: String) -> Judgement {
        self.problem = Some(problem);
        Judgement::Stop
    }

    fn judgement(&mut self, shows: Result<bool, String>) -> Judgement {
        // A run that we were told to end says nothing.
        if self.stop.load(Ordering::Relaxed) {
            return Judgement::Stop;
        }
        match shows {
            Ok(true) => Judgement::Holds,
            Ok(false) => Judgement::Fails,
            Err(problem) => self.fail(problem),
        }
    }
}

impl Criterion for Work<'_> {
    fn judge(&mut self, script: &str) -> Judgement {
        if self.is_late() {
            return Judgement::Stop;
        }
        let shows = self.test.shows(script);
        self.judgement(shows)
    }

    fn width(&self) -> usize {
        self.bounds.jobs
    }

    fn judge_all(&mut self, scripts: &[&str]) -> Vec<Judgement> {
        while self.others.len() + 1 < scripts.len() {
            match self.test.another() {
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
        let (test, others) = (&mut self.test, &mut self.others);
        let said: Vec<Result<bool, String>> = thread::scope(|scope| {
            let asked: Vec<_> = others
                .iter_mut()
                .zip(&scripts[1..])
                .map(|(other, script)| scope.spawn(move || other.shows(script)))
                .collect();
            let first = test.shows(scripts[0]);
            let rest = asked
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err("a run has panicked".to_owned())));
            std::iter::once(first).chain(rest).collect()
        });
        said.into_iter().map(|shows| self.judgement(shows)).collect()
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
            && self.test.is_presentable()
            && let Err(error) = write_whole(path, script)
        {
            self.fail(cannot_write(path.display(), &error));
        }
    }
}

/// Writes a file that is whole or not there.
pub(super) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let is_device = path.metadata().is_ok_and(|metadata| !metadata.is_file());
    // A device or a pipe that the user names cannot be replaced.
    if is_device { fs::write(path, text) } else { files::write_whole(path, text.as_bytes()) }
}
