//! `smelt bench`: solvers over a corpus, compared.
//!
//! Every run is a process of its own with limits, on a core of its own. Solvers take turns on each file, so that noise of
//! the machine hits all alike. Answers are checked against each other, against what the files say of themselves, and models by the evaluator.

mod baseline;
mod table;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_oracle::evaluated::{Formula, ModelCheck};
use smelt_oracle::foreign_text::csv_cell;
use smelt_oracle::run::{Answer, Limit, Run};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::identity::Identity;
use smelt_runner::interruption;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_runner::solver::Solver;
use smelt_runner::timing::{Conditions, Timing};
use smelt_semantics::Budget;
use smelt_semantics::model::Model;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script, read_script_as};
use smelt_smtlib::script::{Command, Origin};
use smelt_smtlib::term::Terms;

use crate::error::{CliError, Exit};
use crate::inputs::{self, Input};
use crate::memory::MemoryArg;
use crate::solvers::{find_or_install, installation, introduce};
use crate::streams::Streams;
use table::Comparison;

/// Compare solvers on a corpus: what they solve, how fast, and whether they are right
///
/// A folder with files is a suite. A file with several checks counts as solved if all of them are decided. PAR-2 is the
/// mean time in seconds, where a file that is not solved counts twice the limit.
/// Exit status 1 if some solver is wrong.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt bench benchmarks/ --solver smelt --solver z3 --timeout 5 --csv results.csv"
)]
pub(crate) struct Args {
    /// Files or folders (all .smt2 files below them)
    #[arg(value_name = "CORPUS", required = true)]
    paths: Vec<PathBuf>,
    /// A solver: smelt, a path, NAME, NAME@VERSION, or NAME=COMMAND LINE that reads standard input; repeatable
    #[arg(short, long = "solver", value_name = "SOLVER", default_values_t = ["smelt".to_owned()])]
    solvers: Vec<String>,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", default_value_t = 5.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Take only so many files, spread evenly over the corpus [default: all]
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// Results of other solvers: a CSV file with the columns suite, file, expected, and NAME and NAME_ms for each;
    /// files that it does not list are left out [default: none]
    #[arg(long, value_name = "CSV")]
    baseline: Option<PathBuf>,
    /// Write one line per run to this file [default: none]
    #[arg(long, value_name = "CSV")]
    csv: Option<PathBuf>,
    /// How often each solver is run on each file, in turn with the others; the run with the median time counts
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    repeats: NonZeroUsize,
    /// Print one JSON object per solver and file, and one of the machine, instead of a table [default: a table]
    #[arg(long)]
    json: bool,
    /// How many files at once, each on a core of its own; more than there are cores makes times less certain
    #[arg(short, long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    jobs: NonZeroUsize,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'r> {
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

/// The last line of `--json`.
#[derive(Debug, Serialize)]
struct MachineLine {
    machine: Conditions,
}

/// One solver on one file.
#[derive(Debug, Clone)]
struct Measured {
    solver: String,
    answer: Answer,
    /// The limit that ended it without an answer.
    limit: Option<Limit>,
    cpu_ms: f64,
    wall_ms: f64,
    /// Processor times of all runs, in the order in which they were made.
    all_cpu_ms: Vec<f64>,
    /// What the evaluator says of the model; none if there is no model to check.
    model_ok: Option<bool>,
    /// Whether the file says otherwise of one of several checks.
    is_contradicted: bool,
}

impl Measured {
    /// Whether the clock ended it, which says nothing of the solver.
    fn is_cut_by_the_clock(&self) -> bool {
        self.limit == Some(Limit::Wall)
    }
}

/// All that is known of one file.
#[derive(Debug, Clone)]
struct FileResults {
    suite: String,
    file: String,
    /// The answer that the file or the baseline says is right.
    expected: Option<Answer>,
    results: Vec<Measured>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if !args.timeout.is_finite() || args.timeout <= 0.0 {
        return Err(CliError::usage("the timeout must be a positive number of seconds"));
    }
    let place = installation();
    let solvers = find_or_install(&place, &args.solvers, streams)?;
    let identities = introduce(&place, &solvers, streams)?;
    let identities: BTreeMap<String, Identity> =
        solvers.iter().map(|solver| solver.name.clone()).zip(identities).collect();
    let baseline = args.baseline.as_deref().map(baseline::read).transpose()?.unwrap_or_default();
    let mut failures = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    for input in inputs::collect(&args.paths) {
        match input {
            Ok(Input::File(path)) => files.push(path),
            Ok(Input::Stdin) => {
                failures.push("standard input is not a corpus; name files or folders".to_owned());
            }
            Err(problem) => failures.push(format!("cannot read `{}`: {}", problem.name, problem.message)),
        }
    }
    let inputs: Vec<PathBuf> = files
        .into_iter()
        .filter(|path| {
            let (suite, file) = names_of(path);
            args.baseline.is_none() || baseline.lists(&suite, &file)
        })
        .collect();
    let inputs = sample(inputs, args.sample);
    if inputs.is_empty() {
        for failure in &failures {
            streams.error(failure)?;
        }
        return Err(CliError::usage("there are no files to run"));
    }
    let limits = Limits::for_seconds(args.timeout);
    let mut all: Vec<FileResults> = Vec::with_capacity(inputs.len());
    let timing = Timing::begin(args.jobs.get());
    let plan = Plan { solvers: &solvers, limits, timeout: args.timeout, repeats: args.repeats.get() };
    parallel::in_order(
        &inputs,
        args.jobs,
        |path| {
            let _core = timing.pin();
            plan.measure(path)
        },
        |measured| {
            match measured {
                Ok(mut results) => {
                    baseline.add_to(&mut results, args.timeout);
                    all.push(results);
                }
                Err(error) => failures.push(error.to_string()),
            }
            if (all.len() + failures.len()).is_multiple_of(50) {
                streams.message(&format!("{} of {} files\n", all.len() + failures.len(), inputs.len()))?;
            }
            Ok::<(), CliError>(())
        },
    )?;
    if all.is_empty() {
        // A table without rows says nothing.
        for failure in &failures {
            streams.error(failure)?;
        }
        return Ok(Exit::BadInput);
    }
    if let Some(path) = &args.csv {
        let written =
            File::create(path).and_then(|mut file| file.write_all(csv(&all, &identities).as_bytes()));
        written.map_err(|error| CliError::Output { path: path.display().to_string(), error })?;
    }
    let comparison = Comparison::of(&all, args.timeout);
    let machine = timing.conditions();
    let warning = machine.warning();
    if args.json {
        print_json(&all, machine, streams)?;
    } else {
        streams.results().write_all(comparison.render().as_bytes())?;
    }
    if let Some(warning) = warning {
        streams.message(&format!("{warning}\n"))?;
    }
    for failure in &failures {
        streams.error(failure)?;
    }
    let cut = all.iter().flat_map(|file| &file.results).filter(|result| result.is_cut_by_the_clock()).count();
    if cut > 0 {
        streams.message(&format!(
            "{cut} runs slept or waited instead of computing until the clock ended them; they are not counted\n"
        ))?;
    }
    if interruption::is_requested() {
        streams.message(&format!("stopped after {} of {} files\n", all.len(), inputs.len()))?;
        return Ok(Exit::Interrupted);
    }
    Ok(if comparison.has_wrong() {
        Exit::Findings
    } else if failures.is_empty() {
        Exit::Done
    } else {
        Exit::BadInput
    })
}

/// The folder of a file, which is its suite, and its own name.
fn names_of(path: &Path) -> (String, String) {
    let name = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    (name(path.parent().and_then(Path::file_name)), name(path.file_name()))
}

/// So many of the files, at even distances.
fn sample(files: Vec<PathBuf>, count: Option<NonZeroUsize>) -> Vec<PathBuf> {
    match count {
        Some(count) if count.get() < files.len() => {
            (0..count.get()).map(|number| files[number * files.len() / count.get()].clone()).collect()
        }
        _ => files,
    }
}

/// How files are measured.
struct Plan<'p> {
    solvers: &'p [Solver],
    limits: Limits,
    timeout: f64,
    repeats: usize,
}

/// A file as solvers are asked about it.
struct Question<'q> {
    source: &'q str,
    dialect: Dialect,
    script: String,
    statuses: Vec<Option<Answer>>,
}

impl Plan<'_> {
    fn measure(&self, path: &Path) -> Result<FileResults, CliError> {
        let source = inputs::read(&Input::File(path.to_owned())).map_err(|problem| {
            CliError::Input(format!("cannot read `{}`: {}", problem.name, problem.message))
        })?;
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, &source);
        let question = Question {
            source: &source,
            dialect: reading.script.dialect,
            script: with_model(&reading, &source),
            statuses: statuses(&terms, &reading),
        };
        let mut turns: Vec<Vec<Measured>> = vec![Vec::with_capacity(self.repeats); self.solvers.len()];
        for _ in 0..self.repeats {
            for (solver, runs) in self.solvers.iter().zip(&mut turns) {
                runs.push(self.run(solver, &question)?);
            }
        }
        let results = turns.into_iter().filter_map(median).collect();
        let (suite, file) = names_of(path);
        Ok(FileResults { suite, file, expected: question.statuses.last().copied().flatten(), results })
    }

    fn run(&self, solver: &Solver, question: &Question<'_>) -> Result<Measured, CliError> {
        let raw = cold::run(&solver.invocation, &question.script, &self.limits)
            .map_err(|error| CliError::Environment(format!("cannot run `{}`: {error}", solver.name)))?;
        let run = read_run(&solver.name, &raw);
        let mut answer = overall(&run, question.statuses.len());
        let mut limit = run.limit;
        if answer.is_decided() && run.cpu_ms > self.timeout * 1e3 {
            (answer, limit) = (Answer::Timeout, Some(Limit::Cpu));
        }
        let is_sat = answer == Answer::Sat;
        Ok(Measured {
            solver: solver.name.clone(),
            answer,
            limit,
            cpu_ms: run.cpu_ms,
            wall_ms: run.wall_ms,
            all_cpu_ms: vec![run.cpu_ms],
            model_ok: is_sat.then(|| check_model(question.source, question.dialect, &run)).flatten(),
            is_contradicted: contradicts(&run, &question.statuses),
        })
    }
}

/// Of several runs of one solver on one file the one with the median time, with whatever was wrong in any of them. Of two
/// in the middle it is the slower one.
fn median(runs: Vec<Measured>) -> Option<Measured> {
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

fn print_json(all: &[FileResults], machine: Conditions, streams: &mut Streams) -> Result<(), CliError> {
    for file in all {
        for result in &file.results {
            streams.json_line(&Line {
                suite: &file.suite,
                file: &file.file,
                solver: &result.solver,
                expected: file.expected,
                answer: result.answer,
                limit: result.limit,
                cpu_ms: result.cpu_ms,
                wall_ms: result.wall_ms,
                all_cpu_ms: &result.all_cpu_ms,
                model_ok: result.model_ok,
            })?;
        }
    }
    streams.json_line(&MachineLine { machine })?;
    Ok(())
}

/// The answer to the last check if all checks are decided, else the first that is not.
fn overall(run: &Run, checks: usize) -> Answer {
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
fn statuses(terms: &Terms, reading: &Reading) -> Vec<Option<Answer>> {
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
    let pairs = run.answers.iter().zip(statuses);
    statuses.len() > 1
        && pairs
            .into_iter()
            .any(|(answer, status)| answer.is_decided() && status.is_some_and(|status| status != *answer))
}

/// The script with a request for a model behind its last check, unless it has one.
fn with_model(reading: &Reading, source: &str) -> String {
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

/// Whether the model that a solver printed satisfies the formula; none if the evaluator cannot tell. Files are run as they
/// are, and new releases read the literals of files in the old dialect as new ones: a model is wrong if it is in both.
fn check_model(source: &str, dialect: Dialect, run: &Run) -> Option<bool> {
    let is_model = check_model_as(source, dialect, run);
    if dialect == Dialect::V25 && is_model == Some(false) {
        return check_model_as(source, Dialect::V26, run);
    }
    is_model
}

fn check_model_as(source: &str, dialect: Dialect, run: &Run) -> Option<bool> {
    let mut terms = Terms::new();
    let reading = read_script_as(&mut terms, source, dialect);
    let dialect = Model::dialect_of(&run.output, dialect);
    let formula = Formula::new(&terms, &reading);
    match formula.check_model(&mut terms, &run.output, dialect, Budget::default()) {
        ModelCheck::Accepted => Some(true),
        ModelCheck::Refuted(_) => Some(false),
        ModelCheck::Missing | ModelCheck::Undecided => None,
    }
}

/// One line per run. The names of the columns never change.
fn csv(all: &[FileResults], identities: &BTreeMap<String, Identity>) -> String {
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

    fn run(answers: &[Answer], output: &str) -> Run {
        Run {
            solver: "s".to_owned(),
            answer: answers[answers.len() - 1],
            answers: answers.to_vec(),
            output: output.to_owned(),
            reason: None,
            crash_signature: None,
            reports: Vec::new(),
            limit: None,
            cpu_ms: 1.0,
            wall_ms: 1.0,
            max_rss_kb: None,
            leaked: 0,
        }
    }

    #[test]
    fn a_model_may_be_one_of_the_file_as_new_releases_read_it() {
        let source =
            r#"(declare-const x String)(assert (= x "\x41"))(assert (str.in.re x re.all))(check-sat)"#;
        let is_model = |value: &str| {
            let output = format!("((define-fun x () String \"{value}\"))");
            check_model(source, Dialect::V25, &run(&[Answer::Sat], &output))
        };
        assert_eq!(is_model("A"), Some(true));
        assert_eq!(is_model(r"\u{5c}x41"), Some(true));
        assert_eq!(is_model("B"), Some(false));
    }

    #[test]
    fn a_run_that_ended_between_two_checks_is_not_solved() {
        let run = |answers: &[Answer]| run(answers, "");
        assert_eq!(overall(&run(&[Answer::Sat]), 2), Answer::Timeout);
        assert_eq!(overall(&run(&[Answer::Sat, Answer::Unsat]), 2), Answer::Unsat);
        assert_eq!(overall(&run(&[Answer::Unknown, Answer::Unsat]), 2), Answer::Unknown);
        let statuses = [Some(Answer::Unsat), None];
        assert!(contradicts(&run(&[Answer::Sat, Answer::Unsat]), &statuses));
        assert!(!contradicts(&run(&[Answer::Unsat, Answer::Unsat]), &statuses));
    }

    fn measured(answer: Answer, cpu_ms: f64, model_ok: Option<bool>) -> Measured {
        Measured {
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
