//! A reduction with its limits, its progress, and its result on disk.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use smelt_runner::files;
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

/// How long a reduction may take, and how many questions are asked at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) time: Option<Duration>,
    pub(super) jobs: usize,
}

/// A reduction under way.
pub(super) struct Work<'w> {
    test: &'w mut dyn Test,
    others: Vec<Box<dyn Test + Send>>,
    bounds: Bounds,
    stop: Arc<AtomicBool>,
    started: Instant,
    output: Option<&'w Path>,
    bar: Option<ProgressBar>,
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
        Work { test, others: Vec::new(), bounds, stop, started: Instant::now(), output, bar, problem: None }
    }

    /// Takes the progress away; what went wrong, if something did.
    pub(super) fn finish(self) -> Option<String> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.problem
    }

    fn is_over(&self) -> bool {
        let is_late = self.bounds.time.is_some_and(|most| self.started.elapsed() >= most);
        is_late || self.problem.is_some() || self.stop.load(Ordering::Relaxed)
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
        if self.is_over() {
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
        if scripts.len() == 1 || self.others.len() + 1 < scripts.len() || self.is_over() {
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

    fn progress(&mut self, script: &str, statistics: &Statistics) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{} bytes after {} questions", script.len(), statistics.judged));
            bar.tick();
        }
        if let Some(path) = self.output
            && self.test.is_presentable()
            && let Err(error) = write_whole(path, script)
        {
            self.fail(format!("cannot write `{}`: {error}", path.display()));
        }
    }
}

/// Writes a file that is whole or not there.
pub(super) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let is_device = path.metadata().is_ok_and(|metadata| !metadata.is_file());
    // A device or a pipe that the user names cannot be replaced.
    if is_device { fs::write(path, text) } else { files::write_whole(path, text.as_bytes()) }
}
