//! Two solvers on the same queries: what changes for a user who replaces one by the other.
//!
//! Both run on each query in turn, every time in a fresh process with a limit of processor time. Where their first runs
//! differ they are repeated, still in turn, and a change counts only if all runs show it. What only some runs show, or what
//! depends on a few percent of the limit, is listed apart: the next run of the same command may say otherwise.
//!
//! | to find | look in |
//! |---|---|
//! | what the runs of a query amount to, and who is wrong where answers contradict each other | [`change`] |
//! | what was measured before, so that a comparison can be resumed | [`crate::query_journal`] |
//! | the comparison as text, CSV and JUnit, and what makes it fail | [`summary`] |

pub mod change;
pub mod summary;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use smelt_oracle::evaluated::{ModelCheck, model_of_file};
use smelt_oracle::run::{Answer, Limit, Run};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::installation::Installation;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_runner::solver::Solver;
use smelt_runner::timing::Timing;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;
use smelt_trial::SolverFailure;

use crate::bench::{MeasureError, overall, statuses, with_model};
use crate::dialogue::Dialogue;
use crate::find_solvers::{find_or_install, introduce};
use crate::inputs::{self, ScriptInput};
use crate::query_journal::{JournalError, MeasuredQuery, QueryJournal, solver_in_heading};

/// Times that differ by less than this factor are not looked at again.
const LOOK_AGAIN: f64 = 1.2;
/// Nor are times that differ by fewer milliseconds.
const LOOK_AGAIN_MS: f64 = 20.0;
/// A side that runs out of time on what the other one solves gets this much of the limit, once.
const PATIENCE: f64 = 1.5;

/// One run of a solver on a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryRun {
    /// The answer to the last check if all are decided, else the first that is not.
    pub answer: Answer,
    /// The answers to all checks.
    pub answers: Vec<Answer>,
    /// The limit that ended it without an answer.
    pub limit: Option<Limit>,
    /// Processor time in milliseconds.
    pub cpu_ms: f64,
    /// Time on the clock in milliseconds.
    pub wall_ms: f64,
    /// Most memory in use in KiB.
    pub memory_kb: Option<u64>,
    /// What z3 counts instead of time: the same on every machine.
    pub resources: Option<u64>,
    /// Whether the evaluator accepts the model; none if there is no model or its value is unknown.
    pub model_ok: Option<bool>,
    /// What the solver said instead of an answer.
    pub reason: Option<String>,
}

impl QueryRun {
    /// Whether all checks are decided.
    pub fn is_solved(&self) -> bool {
        self.answer.is_decided()
    }
}

/// The two sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The solver in use.
    From,
    /// The one that may replace it.
    To,
}

/// Something of each side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sides<Value> {
    /// Of the solver in use.
    pub from: Value,
    /// Of the one that may replace it.
    pub to: Value,
}

impl<Value> Sides<Value> {
    /// That of a side.
    pub fn of(&self, side: Side) -> &Value {
        match side {
            Side::From => &self.from,
            Side::To => &self.to,
        }
    }

    fn of_mut(&mut self, side: Side) -> &mut Value {
        match side {
            Side::From => &mut self.from,
            Side::To => &mut self.to,
        }
    }
}

/// All that is known of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryRecord {
    /// The path of its file, as it was named.
    pub file: String,
    /// BLAKE3 of its content.
    pub hash: String,
    /// What the file says of its last check.
    pub status: Option<Answer>,
    /// The runs, in the order in which they were made.
    pub runs: Sides<Vec<QueryRun>>,
    /// A run with a higher limit, of a side that ran out of time where the other one did not.
    pub patient: Sides<Option<QueryRun>>,
    /// What smelt says where the two contradict each other.
    pub opinion: Option<QueryRun>,
}

impl MeasuredQuery for QueryRecord {
    fn file(&self) -> &str {
        &self.file
    }
}

/// The form of the journal.
const FORMAT: u32 = 1;

/// What is compared, as the first line of the journal says.
#[derive(Serialize)]
struct CompareHeading {
    format: u32,
    /// Command lines with the hashes of programs.
    solvers: Sides<String>,
    timeout: f64,
    memory: Option<u64>,
    runs: usize,
}

/// What is to be compared.
#[derive(Debug)]
pub struct CompareRequest<'r> {
    /// The files with the queries.
    pub files: &'r [PathBuf],
    /// The names of the solvers.
    pub solvers: Sides<&'r str>,
    /// Processor time allowed for each run, in seconds.
    pub timeout: f64,
    /// How often each solver runs where it matters.
    pub runs: usize,
    /// How many queries are run at once.
    pub jobs: NonZeroUsize,
    /// Where it is kept what was measured.
    pub folder: &'r Path,
}

/// The queries of a corpus that could be measured, and why others could not.
#[derive(Debug)]
pub struct ComparedQueries {
    /// The names of the solvers.
    pub names: Sides<String>,
    /// The queries.
    pub records: Vec<QueryRecord>,
    /// What went wrong.
    pub failures: Vec<String>,
}

impl CompareRequest<'_> {
    /// Finds the solvers and runs both on all queries that were not measured before. Stops early if the user wants an end.
    pub fn measure<D: Dialogue>(
        &self,
        place: &Installation,
        dialogue: &mut D,
    ) -> Result<ComparedQueries, D::Failure>
    where
        D::Failure: From<JournalError>,
    {
        let named = [self.solvers.from, self.solvers.to, ARBITER].map(str::to_owned);
        let solvers = find_or_install(place, &named, dialogue)?;
        let [from, to, arbiter] = solvers.as_slice() else { unreachable!("three names, three solvers") };
        let identities = introduce(place, &solvers[..2], dialogue)?;
        let known_as =
            |solver: &Solver, identity| solver_in_heading(&solver.invocation.command_line(), identity);
        let heading = CompareHeading {
            format: FORMAT,
            solvers: Sides { from: known_as(from, &identities[0]), to: known_as(to, &identities[1]) },
            timeout: self.timeout,
            memory: Limits::for_seconds(self.timeout).memory,
            runs: self.runs,
        };
        let mut journal = QueryJournal::open(self.folder, &heading)?;
        let comparer =
            Comparer { solvers: Sides { from, to }, arbiter, timeout: self.timeout, runs: self.runs };
        comparer.measure_all(self.files, &mut journal, self.jobs, dialogue)
    }
}

/// Who is asked where the two contradict each other.
const ARBITER: &str = "smelt";

/// How often the user hears how far it is: after this many queries.
const NEWS: usize = 50;

/// How queries are measured.
struct Comparer<'s> {
    solvers: Sides<&'s Solver>,
    arbiter: &'s Solver,
    /// Processor time allowed for each run, in seconds.
    timeout: f64,
    runs: usize,
}

/// A query as solvers are asked it.
struct Query<'q> {
    source: &'q str,
    script: String,
    dialect: Dialect,
    checks: usize,
}

impl Comparer<'_> {
    /// Runs both solvers on all queries that the journal does not have, and adds them to it. Stops early if the user
    /// asks for that.
    fn measure_all<D: Dialogue>(
        &self,
        files: &[PathBuf],
        journal: &mut QueryJournal<QueryRecord>,
        jobs: NonZeroUsize,
        dialogue: &mut D,
    ) -> Result<ComparedQueries, D::Failure>
    where
        D::Failure: From<JournalError>,
    {
        let timing = Timing::begin(jobs.get());
        let names = Sides { from: self.solvers.from.name.clone(), to: self.solvers.to.name.clone() };
        let mut measured = ComparedQueries { names, records: Vec::new(), failures: Vec::new() };
        let known = journal.take_known();
        let work = |path: &PathBuf| {
            let source = inputs::read(&ScriptInput::File(path.clone())).map_err(MeasureError::Unreadable)?;
            let is_known = |record: &&QueryRecord| record.hash == content_hash(&source);
            if let Some(record) = known.get(&path.display().to_string()).filter(is_known) {
                return Ok((record.clone(), false));
            }
            let _core = timing.pin();
            self.measure(path, &source).map(|record| (record, true))
        };
        parallel::in_order(files, jobs, work, |result: Result<(QueryRecord, bool), MeasureError>| {
            match result {
                Ok((record, is_new)) => {
                    if is_new {
                        journal.add(&record)?;
                    }
                    measured.records.push(record);
                }
                Err(error) => measured.failures.push(error.to_string()),
            }
            let done = measured.records.len() + measured.failures.len();
            if done.is_multiple_of(NEWS) {
                dialogue.message(&format!("{done} of {} queries\n", files.len()))?;
            }
            Ok::<(), D::Failure>(())
        })?;
        if let Some(warning) = timing.conditions().warning() {
            dialogue.message(&format!("{warning}\n"))?;
        }
        Ok(measured)
    }

    /// Runs both solvers on a query.
    fn measure(&self, path: &Path, source: &str) -> Result<QueryRecord, MeasureError> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        let statuses = statuses(&terms, &reading);
        let query = Query {
            source,
            script: with_model(&reading, source),
            dialect: reading.script.dialect,
            checks: statuses.len(),
        };
        let mut runs: Sides<Vec<QueryRun>> = Sides::default();
        self.take_turns(&query, &mut runs)?;
        if is_worth_repeating(&runs) {
            for _ in 1..self.runs {
                self.take_turns(&query, &mut runs)?;
            }
        }
        let mut patient: Sides<Option<QueryRun>> = Sides::default();
        for (side, other) in [(Side::From, Side::To), (Side::To, Side::From)] {
            let ran_out = |run: &QueryRun| run.limit == Some(Limit::Cpu);
            if runs.of(side).iter().all(ran_out) && runs.of(other).iter().any(QueryRun::is_solved) {
                let run = self.run(self.solvers.of(side), &query, self.timeout * PATIENCE)?;
                *patient.of_mut(side) = Some(run);
            }
        }
        let is_contradiction = change::contradiction(&runs).is_some();
        let opinion = match is_contradiction && query.checks == 1 {
            true => Some(self.run(self.arbiter, &query, self.timeout)?),
            false => None,
        };
        Ok(QueryRecord {
            file: path.display().to_string(),
            hash: content_hash(source),
            status: statuses.last().copied().flatten(),
            runs,
            patient,
            opinion,
        })
    }

    /// One more run of each; which of them begins changes each time.
    fn take_turns(&self, query: &Query<'_>, runs: &mut Sides<Vec<QueryRun>>) -> Result<(), SolverFailure> {
        let order = match runs.from.len() % 2 {
            0 => [Side::From, Side::To],
            _ => [Side::To, Side::From],
        };
        for side in order {
            let run = self.run(self.solvers.of(side), query, self.timeout)?;
            runs.of_mut(side).push(run);
        }
        Ok(())
    }

    fn run(&self, solver: &Solver, query: &Query<'_>, timeout: f64) -> Result<QueryRun, SolverFailure> {
        let counts = solver.family.name() == "z3";
        let script = match counts {
            true => format!("{}{COUNT}", query.script),
            false => query.script.clone(),
        };
        let raw = cold::run(&solver.invocation, &script, &Limits::for_seconds(timeout))
            .map_err(|error| SolverFailure { solver: solver.name.clone(), error })?;
        let mut run = read_run(&solver.name, &raw);
        let resources = if counts { take_count(&mut run) } else { None };
        let mut answer = overall(&run, query.checks);
        let mut limit = run.limit;
        if answer.is_decided() && run.cpu_ms > timeout * 1e3 {
            (answer, limit) = (Answer::Timeout, Some(Limit::Cpu));
        }
        let model_ok = match answer {
            Answer::Sat => match model_of_file(query.source, query.dialect, &run) {
                ModelCheck::Accepted => Some(true),
                ModelCheck::Refuted(_) | ModelCheck::Impossible(_) => Some(false),
                ModelCheck::Undecided | ModelCheck::Missing => None,
            },
            _ => None,
        };
        Ok(QueryRun {
            answer,
            answers: run.answers,
            limit,
            cpu_ms: run.cpu_ms,
            wall_ms: run.wall_ms,
            memory_kb: run.max_rss_kb,
            resources,
            model_ok,
            reason: run.reason.or(run.crash_signature).filter(|_| !answer.is_decided()),
        })
    }
}

/// Asks z3 for its count, behind all else.
const COUNT: &str = "(get-info :rlimit)\n";
const COUNT_REPLY: &str = "(:rlimit ";

/// The count of z3, taken out of what it printed after its last answer.
fn take_count(run: &mut Run) -> Option<u64> {
    let line = run.output.lines().rev().find(|line| line.starts_with(COUNT_REPLY))?.to_owned();
    run.output = run.output.replacen(&line, "", 1);
    line[COUNT_REPLY.len()..].trim_end_matches(')').trim().parse().ok()
}

/// Whether the first runs of both differ in a way that noise may have caused.
fn is_worth_repeating(runs: &Sides<Vec<QueryRun>>) -> bool {
    let (Some(from), Some(to)) = (runs.from.first(), runs.to.first()) else { return false };
    if from.answers != to.answers || from.answer != to.answer {
        return true;
    }
    let (less, more) = (from.cpu_ms.min(to.cpu_ms), from.cpu_ms.max(to.cpu_ms));
    from.is_solved() && more > less * LOOK_AGAIN && more - less > LOOK_AGAIN_MS
}

/// BLAKE3 of a text, in hexadecimal digits.
fn content_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_z3_is_not_part_of_its_model() {
        let mut run = Run { output: "(\n)\n(:rlimit 123)\n".to_owned(), ..Run::saying("z3", Answer::Sat) };
        assert_eq!(take_count(&mut run), Some(123));
        assert_eq!(run.output.trim(), "(\n)");
        assert_eq!(take_count(&mut run), None);
    }
}
