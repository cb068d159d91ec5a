//! Solvers over a corpus, compared: what they solve, how fast, and whether they are right.
//!
//! Every run is a process of its own with limits. Solvers take turns on each file, so that noise of the machine hits all
//! alike. Answers are judged against what files say of themselves, and models are evaluated.
//!
//! | to find | look in |
//! |---|---|
//! | results of other solvers that were measured before | [`baseline`] |
//! | results counted by suite and solver; which of them are wrong | [`table`] |

pub mod baseline;
pub mod table;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_oracle::evaluated::{EvaluatedRun, ModelWord, model_of_file};
use smelt_oracle::foreign_text::csv_cell;
use smelt_oracle::references::Known;
use smelt_oracle::run::{Answer, Limit, Run};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::identity::Identity;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_runner::timing::Conditions;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script};
use smelt_smtlib::script::{Command, Origin};
use smelt_smtlib::term::Terms;
use smelt_trial::SolverFailure;
use smelt_trial::judge::Referee;

use crate::inputs::{self, ScriptInput, UnreadableInput};

/// One solver on one file.
#[derive(Debug, Clone)]
pub struct BenchRun {
    /// The solver.
    pub solver: String,
    /// The answer to the last check if all are decided, else the first that is not.
    pub answer: Answer,
    /// The limit that ended it without an answer.
    pub limit: Option<Limit>,
    /// Processor time in milliseconds.
    pub cpu_ms: f64,
    /// Time on the clock in milliseconds.
    pub wall_ms: f64,
    /// Processor times of all runs, in the order in which they were made.
    pub all_cpu_ms: Vec<f64>,
    /// What the evaluator says of the model; none if there is no model to check.
    pub model_ok: Option<bool>,
    /// Whether the file says otherwise of one of several checks.
    pub is_contradicted: bool,
}

impl BenchRun {
    /// Whether the clock ended it, which says nothing of the solver.
    pub fn is_cut_by_the_clock(&self) -> bool {
        self.limit == Some(Limit::Wall)
    }
}

/// All that is known of one file.
#[derive(Debug, Clone)]
pub struct FileResults {
    /// The folder of the file.
    pub suite: String,
    /// The name of the file in it.
    pub file: String,
    /// The answer that the file or the baseline says is right.
    pub expected: Option<Answer>,
    /// One for each solver.
    pub results: Vec<BenchRun>,
}

/// One run as JSON. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct BenchLine<'r> {
    suite: &'r str,
    file: &'r str,
    solver: &'r str,
    expected: Option<Answer>,
    answer: Answer,
    limit: Option<Limit>,
    cpu_ms: f64,
    wall_ms: f64,
    /// Of all runs, in the order in which they were made.
    all_cpu_ms: &'r [f64],
    model_ok: Option<bool>,
}

impl FileResults {
    /// All runs, for programs.
    pub fn lines(&self) -> impl Iterator<Item = BenchLine<'_>> {
        self.results.iter().map(|run| BenchLine {
            suite: &self.suite,
            file: &self.file,
            solver: &run.solver,
            expected: self.expected,
            answer: run.answer,
            limit: run.limit,
            cpu_ms: run.cpu_ms,
            wall_ms: run.wall_ms,
            all_cpu_ms: &run.all_cpu_ms,
            model_ok: run.model_ok,
        })
    }
}

/// The last line of JSON: the machine that all was run on.
#[derive(Debug, Serialize)]
pub struct MachineLine {
    /// What disturbed it.
    pub machine: Conditions,
}

/// A note on runs that say nothing of their solver; none if there are none.
pub fn cut_runs(all: &[FileResults]) -> Option<String> {
    let cut = all.iter().flat_map(|file| &file.results).filter(|run| run.is_cut_by_the_clock()).count();
    (cut > 0).then(|| {
        format!(
            "{cut} runs slept or waited instead of computing until the clock ended them; they are not counted\n"
        )
    })
}

/// The files of a corpus, and why there are not more.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The files.
    pub files: Vec<PathBuf>,
    /// What cannot be used of the paths that were named.
    pub failures: Vec<String>,
}

impl Corpus {
    /// The files below paths.
    pub fn below(paths: &[PathBuf]) -> Corpus {
        let mut corpus = Corpus::default();
        for input in inputs::collect(paths) {
            match input {
                Ok(ScriptInput::File(path)) => corpus.files.push(path),
                Ok(ScriptInput::Stdin) => {
                    corpus.failures.push("standard input is not a corpus; name files or folders".to_owned());
                }
                Err(problem) => corpus.failures.push(unreadable(&problem)),
            }
        }
        corpus
    }
}

fn unreadable(problem: &UnreadableInput) -> String {
    format!("cannot read `{}`: {}", problem.name, problem.message)
}

/// Why a file was not measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// It cannot be read.
    #[error("{}", unreadable(.0))]
    Unreadable(UnreadableInput),
    /// A solver cannot be run.
    #[error(transparent)]
    Solver(#[from] SolverFailure),
}

/// The folder of a file, which is its suite, and its own name.
pub fn names_of(path: &Path) -> (String, String) {
    let name = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    (name(path.parent().and_then(Path::file_name)), name(path.file_name()))
}

/// At most this many of the files, at even distances.
pub fn sample(files: Vec<PathBuf>, count: Option<NonZeroUsize>) -> Vec<PathBuf> {
    match count {
        Some(count) if count.get() < files.len() => {
            (0..count.get()).map(|number| files[number * files.len() / count.get()].clone()).collect()
        }
        _ => files,
    }
}

/// How files are measured.
#[derive(Debug)]
pub struct Benchmark<'p> {
    /// The solvers, which take turns.
    pub solvers: &'p [Solver],
    /// The limits of each run.
    pub limits: Limits,
    /// Processor time allowed for each run, in seconds; what takes longer is not solved.
    pub timeout: f64,
    /// How often each solver is run on each file.
    pub repeats: usize,
}

/// A file as solvers are asked about it.
struct BenchFile<'q> {
    source: &'q str,
    dialect: Dialect,
    script: String,
    statuses: Vec<Option<Answer>>,
}

impl Benchmark<'_> {
    /// Runs all solvers on a file.
    pub fn measure_file(&self, path: &Path) -> Result<FileResults, MeasureError> {
        let source = inputs::read(&ScriptInput::File(path.to_owned())).map_err(MeasureError::Unreadable)?;
        Ok(self.measure(path, &source)?)
    }

    /// Runs all solvers on a file with this text.
    fn measure(&self, path: &Path, source: &str) -> Result<FileResults, SolverFailure> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        let question = BenchFile {
            source,
            dialect: reading.script.dialect,
            script: with_model(&reading, source),
            statuses: statuses(&terms, &reading),
        };
        let mut turns: Vec<Vec<BenchRun>> = vec![Vec::with_capacity(self.repeats); self.solvers.len()];
        for _ in 0..self.repeats {
            for (solver, runs) in self.solvers.iter().zip(&mut turns) {
                runs.push(self.run(solver, &question)?);
            }
        }
        let results = turns.into_iter().filter_map(median).collect();
        let (suite, file) = names_of(path);
        Ok(FileResults { suite, file, expected: question.statuses.last().copied().flatten(), results })
    }

    fn run(&self, solver: &Solver, question: &BenchFile<'_>) -> Result<BenchRun, SolverFailure> {
        let raw = cold::run(&solver.invocation, &question.script, &self.limits)
            .map_err(|error| SolverFailure { solver: solver.name.clone(), error })?;
        let run = read_run(&solver.name, &raw);
        let mut answer = overall(&run, question.statuses.len());
        let mut limit = run.limit;
        if answer.is_decided() && run.cpu_ms > self.timeout * 1e3 {
            (answer, limit) = (Answer::Timeout, Some(Limit::Cpu));
        }
        let is_sat = answer == Answer::Sat;
        Ok(BenchRun {
            solver: solver.name.clone(),
            answer,
            limit,
            cpu_ms: run.cpu_ms,
            wall_ms: run.wall_ms,
            all_cpu_ms: vec![run.cpu_ms],
            model_ok: is_sat.then(|| is_model(question.source, question.dialect, &run)).flatten(),
            is_contradicted: contradicts(&run, &question.statuses),
        })
    }
}

/// Of several runs of one solver on one file the one with the median time, with whatever was wrong in any of them. Of two
/// in the middle it is the slower one.
fn median(runs: Vec<BenchRun>) -> Option<BenchRun> {
    let all_cpu_ms: Vec<f64> = runs.iter().map(|run| run.cpu_ms).collect();
    let decided: Vec<Answer> =
        runs.iter().map(|run| run.answer).filter(|answer| answer.is_decided()).collect();
    let is_contradicted =
        runs.iter().any(|run| run.is_contradicted) || decided.windows(2).any(|pair| pair[0] != pair[1]);
    let has_wrong_model = runs.iter().any(|run| run.model_ok == Some(false));
    let mut runs = runs;
    runs.sort_by(|left, right| left.cpu_ms.total_cmp(&right.cpu_ms));
    let middle = runs.len() / 2;
    let mut median = (!runs.is_empty()).then(|| runs.swap_remove(middle))?;
    median.all_cpu_ms = all_cpu_ms;
    median.is_contradicted = is_contradicted;
    if has_wrong_model {
        median.model_ok = Some(false);
    }
    Some(median)
}

/// The answer to the last check if all checks are decided, else the first that is not.
pub(crate) fn overall(run: &Run, checks: usize) -> Answer {
    if !run.answer.is_decided() {
        return run.answer;
    }
    match run.answers.iter().copied().find(|answer| !answer.is_decided()) {
        Some(undecided) => undecided,
        // A run that was ended between two checks has answers, but not all.
        None if run.answers.len() < checks => Answer::Timeout,
        None => run.answer,
    }
}

/// What the file says of each of its checks.
pub(crate) fn statuses(terms: &Terms, reading: &Reading) -> Vec<Option<Answer>> {
    let mut statuses = Vec::new();
    let mut status = None;
    for command in &reading.script.commands {
        match command {
            Command::SetInfo(keyword, Some(value)) if terms.text(*keyword) == ":status" => {
                status = match terms.text(*value) {
                    "sat" => Some(Answer::Sat),
                    "unsat" => Some(Answer::Unsat),
                    _ => None,
                };
            }
            Command::CheckSat | Command::CheckSatAssuming(_) => statuses.push(status.take()),
            _ => {}
        }
    }
    statuses
}

/// Whether a check of several is answered otherwise than the file says.
fn contradicts(run: &Run, statuses: &[Option<Answer>]) -> bool {
    if statuses.len() < 2 {
        return false;
    }
    let mut referee = Referee::default();
    run.answers.iter().zip(statuses).any(|(answer, status)| {
        let run = EvaluatedRun::without_model("", Run::saying(&run.solver, *answer));
        answer.is_decided() && referee.verdict(&run, claim(*status).opinions()).is_some()
    })
}

/// What is known of a check by what its file says of it.
fn claim(status: Option<Answer>) -> Known {
    let mut known = Known::default();
    if let Some(status) = status {
        known.add_reference("status", status, None);
    }
    known
}

/// The script with a request for a model behind its last check, unless it has one.
pub(crate) fn with_model(reading: &Reading, source: &str) -> String {
    let commands = &reading.script.commands;
    let is_check = |command: &Command| matches!(command, Command::CheckSat | Command::CheckSatAssuming(_));
    let last = commands.iter().rposition(is_check);
    let end = last.and_then(|last| match reading.script.origins.get(last) {
        Some(Origin::Read(span)) => Some(span.end as usize),
        _ => None,
    });
    let Some(end) = end else { return source.to_owned() };
    // What follows the last check may ask for more than a model gives, or exit.
    format!("(set-option :produce-models true)\n{}\n(get-model)\n", &source[..end])
}

/// Whether the model that a solver printed satisfies the formula; none if the evaluator cannot tell.
fn is_model(source: &str, dialect: Dialect, run: &Run) -> Option<bool> {
    match ModelWord::of(&model_of_file(source, dialect, run))? {
        ModelWord::Accepted => Some(true),
        ModelWord::Refuted => Some(false),
        ModelWord::Undecided => None,
    }
}

/// One line per run. The names of the columns never change.
pub fn csv(all: &[FileResults], identities: &BTreeMap<String, Identity>) -> String {
    let mut text = String::from(
        "suite,file,solver,answer,cpu_ms,wall_ms,model_ok,limit,program,version,hash,all_cpu_ms\n",
    );
    for file in all {
        for result in &file.results {
            let model_ok = result.model_ok.map_or("", |is_ok| if is_ok { "true" } else { "false" });
            // Results of the baseline are of solvers that we do not have.
            let identity = identities.get(&result.solver);
            let field = |field: Option<&str>| csv_cell(field.unwrap_or_default());
            text.push_str(&format!(
                "{},{},{},{},{:.1},{:.1},{model_ok},{},{},{},{},{}\n",
                csv_cell(&file.suite),
                csv_cell(&file.file),
                csv_cell(&result.solver),
                result.answer.word(),
                result.cpu_ms,
                result.wall_ms,
                result.limit.map_or("", Limit::word),
                field(identity.map(|identity| identity.program.as_str())),
                field(identity.and_then(|identity| identity.version.as_deref())),
                field(identity.and_then(|identity| identity.hash.as_deref())),
                times(&result.all_cpu_ms),
            ));
        }
    }
    text
}

/// The times of several runs, in one field.
fn times(all_cpu_ms: &[f64]) -> String {
    all_cpu_ms.iter().map(|millis| format!("{millis:.1}")).collect::<Vec<_>>().join(" ")
}

/// Results by suite, in the order of their names.
fn by_suite(all: &[FileResults]) -> BTreeMap<&str, Vec<&FileResults>> {
    let mut suites: BTreeMap<&str, Vec<&FileResults>> = BTreeMap::new();
    for file in all {
        suites.entry(&file.suite).or_default().push(file);
    }
    suites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_the_corpus() {
        let files: Vec<PathBuf> = (0..10).map(|number| PathBuf::from(number.to_string())).collect();
        let taken = sample(files.clone(), NonZeroUsize::new(3));
        assert_eq!(taken, [files[0].clone(), files[3].clone(), files[6].clone()]);
        assert_eq!(sample(files.clone(), NonZeroUsize::new(20)), files);
    }

    #[test]
    fn the_model_is_asked_for_behind_the_last_check() {
        let source = "(declare-const x Int)(check-sat)(assert (= x 1))(check-sat)(exit)";
        let reading = read_script(&mut Terms::new(), source);
        assert!(with_model(&reading, source).ends_with("(assert (= x 1))(check-sat)\n(get-model)\n"));
    }

    #[test]
    fn a_run_that_ended_between_two_checks_is_not_solved() {
        let run = |answers: &[Answer]| Run {
            answers: answers.to_vec(),
            ..Run::saying("s", answers[answers.len() - 1])
        };
        assert_eq!(overall(&run(&[Answer::Sat]), 2), Answer::Timeout);
        assert_eq!(overall(&run(&[Answer::Sat, Answer::Unsat]), 2), Answer::Unsat);
        assert_eq!(overall(&run(&[Answer::Unknown, Answer::Unsat]), 2), Answer::Unknown);
        let statuses = [Some(Answer::Unsat), None];
        assert!(contradicts(&run(&[Answer::Sat, Answer::Unsat]), &statuses));
        assert!(!contradicts(&run(&[Answer::Unsat, Answer::Unsat]), &statuses));
    }

    fn measured(answer: Answer, cpu_ms: f64, model_ok: Option<bool>) -> BenchRun {
        BenchRun {
            solver: "s".to_owned(),
            answer,
            limit: None,
            cpu_ms,
            wall_ms: cpu_ms,
            all_cpu_ms: vec![cpu_ms],
            model_ok,
            is_contradicted: false,
        }
    }

    #[test]
    fn the_run_with_the_median_time_counts_and_all_times_are_kept() {
        let runs = [5.0, 1.0, 3.0].map(|millis| measured(Answer::Sat, millis, None));
        let median = median(runs.to_vec()).unwrap();
        assert_eq!((median.cpu_ms, median.all_cpu_ms), (3.0, vec![5.0, 1.0, 3.0]));
        assert!(!median.is_contradicted);
    }

    #[test]
    fn what_is_wrong_in_one_of_several_runs_is_wrong() {
        let runs = vec![measured(Answer::Sat, 1.0, None), measured(Answer::Unsat, 2.0, None)];
        assert!(median(runs).unwrap().is_contradicted);
        let runs = vec![measured(Answer::Sat, 1.0, Some(false)), measured(Answer::Sat, 2.0, Some(true))];
        assert_eq!(median(runs).unwrap().model_ok, Some(false));
    }

    #[test]
    fn fields_with_commas_are_quoted() {
        assert_eq!(csv_cell("a,b"), "\"a,b\"");
        assert_eq!(csv_cell("a\"b"), "\"a\"\"b\"");
        assert_eq!(csv_cell("ab"), "ab");
    }
}
