//! Stability: does a solver still solve a query whose meaning is the same, and whose text is not?
//!
//! Each query is asked as it is and as mutants with the same meaning, every time in a fresh process with a limit of
//! processor time, until the class of each solver on it is known. Mutants are the same for all solvers. A run that the
//! clock ended does not count.
//!
//! | to find | look in |
//! |---|---|
//! | classes, and when one is known | [`classify`] |
//! | which part of an unstable query splits its mutants | [`explain`] |
//! | the result as text, CSV and lines of JSON | [`summary`] |
//! | the mutants | [`smelt_testgen::query_mutant`] |
//! | what was measured before | [`crate::query_journal`] |

pub mod classify;
pub mod explain;
pub mod summary;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use smelt_oracle::run::{Answer, Limit};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::installation::Installation;
use smelt_runner::interruption;
use smelt_runner::limits::Limits;
use smelt_runner::options::random_seed;
use smelt_runner::parallel;
use smelt_runner::solver::Solver;
use smelt_runner::timing::Timing;
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;
use smelt_testgen::query_mutant::{MutableQuery, QueryMutation};
use smelt_testgen::random::Random;
use smelt_trial::SolverFailure;

use crate::bench::{MeasureError, overall, statuses};
use crate::dialogue::{CannotWrite, Dialogue};
use crate::find_solvers::{find_or_install, introduce};
use crate::inputs::{self, ScriptInput};
use crate::query_journal::{JournalError, MeasuredQuery, QueryJournal, solver_in_heading};
use classify::{MAX_RUNS, Protocol, Stability};
use explain::{Explanation, Search};

/// One run of a solver on a mutant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MutantRun {
    /// What the mutant changes; none for the query as it is.
    pub mutation: Option<String>,
    /// The number of the mutant.
    pub number: usize,
    /// The answer to the last check if all are decided, else the first that is not.
    pub answer: Answer,
    /// The answers to all checks.
    pub answers: Vec<Answer>,
    /// The limit that ended it without an answer.
    pub limit: Option<Limit>,
    /// Processor time in milliseconds.
    pub cpu_ms: f64,
}

impl MutantRun {
    /// Whether all checks are decided.
    pub fn is_solved(&self) -> bool {
        self.answer.is_decided()
    }
}

/// What one solver does on a query and its mutants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolverStability {
    /// The name of the solver.
    pub solver: String,
    /// The class; none if too many runs were ended by the clock.
    pub class: Option<Stability>,
    /// The runs that count, the query itself first.
    pub runs: Vec<MutantRun>,
}

impl SolverStability {
    /// The runs of mutants that change this; of the query itself for none.
    pub fn runs_of(&self, mutation: Option<QueryMutation>) -> impl Iterator<Item = &MutantRun> {
        let word = mutation.map(QueryMutation::word);
        self.runs.iter().filter(move |run| run.mutation.as_deref() == word)
    }

    /// How many runs solved their mutant.
    pub fn solved(&self) -> usize {
        self.runs.iter().filter(|run| run.is_solved()).count()
    }

    /// Two answers to a check that contradict each other, although the meaning is the same: one of them is wrong.
    pub fn contradiction(&self) -> Option<(&MutantRun, &MutantRun)> {
        let pairs = self.runs.iter().enumerate();
        let mut pairs =
            pairs.flat_map(|(place, one)| self.runs[place + 1..].iter().map(move |two| (one, two)));
        pairs.find(|(one, two)| {
            let both = one.answers.iter().zip(&two.answers);
            both.into_iter().any(|(a, b)| a.is_decided() && b.is_decided() && a != b)
        })
    }
}

/// All that is known of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StabilityRecord {
    /// The path of its file, as it was named.
    pub file: String,
    /// BLAKE3 of its content.
    pub hash: String,
    /// What mutants of it change.
    pub mutations: Vec<String>,
    /// One for each solver, in the order in which they were named.
    pub solvers: Vec<SolverStability>,
}

impl MeasuredQuery for StabilityRecord {
    fn file(&self) -> &str {
        &self.file
    }
}

/// The form of the journal.
const FORMAT: u32 = 1;

/// What is measured, as the first line of the journal says.
#[derive(Serialize)]
struct StabilityHeading {
    format: u32,
    /// Command lines with the hashes of programs.
    stability_of: Vec<String>,
    timeout: f64,
    memory: Option<u64>,
    protocol: Protocol,
    random_seed: u64,
}

/// What is to be measured.
#[derive(Debug)]
pub struct StabilityRequest<'r> {
    /// The files with the queries.
    pub files: &'r [PathBuf],
    /// The names of the solvers.
    pub solvers: &'r [String],
    /// Processor time allowed for each run, in seconds.
    pub timeout: f64,
    /// Which mutants are asked.
    pub protocol: Protocol,
    /// The random seed of the mutants.
    pub random_seed: u64,
    /// How many queries are run at once.
    pub jobs: NonZeroUsize,
    /// Where it is kept what was measured.
    pub folder: &'r Path,
}

/// What was measured, and why some queries could not be.
#[derive(Debug)]
pub struct MeasuredStability {
    /// The solvers.
    pub solvers: Vec<Solver>,
    /// The queries.
    pub records: Vec<StabilityRecord>,
    /// What went wrong.
    pub failures: Vec<String>,
}

/// One unstable query of one solver, explained.
#[derive(Debug)]
pub struct ExplainedQuery {
    /// The file of the query.
    pub file: String,
    /// The name of the solver.
    pub solver: String,
    /// What was found out.
    pub explanation: Explanation,
}

/// How often the user hears how far it is: after this many queries.
const NEWS: usize = 10;

impl StabilityRequest<'_> {
    /// Finds the solvers and measures all queries that were not measured before. Stops early if the user wants an end.
    pub fn measure<D: Dialogue>(
        &self,
        place: &Installation,
        dialogue: &mut D,
    ) -> Result<MeasuredStability, D::Failure>
    where
        D::Failure: From<JournalError>,
    {
        let solvers = find_or_install(place, self.solvers, dialogue)?;
        let identities = introduce(place, &solvers, dialogue)?;
        let known_as = solvers.iter().zip(&identities);
        let heading = StabilityHeading {
            format: FORMAT,
            stability_of: known_as
                .map(|(solver, identity)| solver_in_heading(&solver.invocation.command_line(), identity))
                .collect(),
            timeout: self.timeout,
            memory: Limits::for_seconds(self.timeout).memory,
            protocol: self.protocol,
            random_seed: self.random_seed,
        };
        let mut journal: QueryJournal<StabilityRecord> = QueryJournal::open(self.folder, &heading)?;
        let known = journal.take_known();
        let timing = Timing::begin(self.jobs.get());
        let asking = self.asking(self.protocol);
        let work = |path: &PathBuf| {
            let source = inputs::read(&ScriptInput::File(path.clone())).map_err(MeasureError::Unreadable)?;
            let hash = blake3::hash(source.as_bytes()).to_hex().to_string();
            if let Some(record) = known.get(&path.display().to_string()).filter(|known| known.hash == hash) {
                return Ok((record.clone(), false));
            }
            let _core = timing.pin();
            let (mutations, solvers) = asking.all(&source, &solvers)?;
            let file = path.display().to_string();
            Ok((StabilityRecord { file, hash, mutations, solvers }, true))
        };
        let (mut records, mut failures) = (Vec::new(), Vec::new());
        parallel::in_order(
            self.files,
            self.jobs,
            work,
            |result: Result<(StabilityRecord, bool), MeasureError>| {
                match result {
                    Ok((record, is_new)) => {
                        if is_new {
                            journal.add(&record)?;
                        }
                        records.push(record);
                    }
                    Err(error) => failures.push(error.to_string()),
                }
                let done = records.len() + failures.len();
                if done.is_multiple_of(NEWS) {
                    dialogue.message(&format!("{done} of {} queries\n", self.files.len()))?;
                }
                Ok::<(), D::Failure>(())
            },
        )?;
        if let Some(warning) = timing.conditions().warning() {
            dialogue.message(&format!("{warning}\n"))?;
        }
        Ok(MeasuredStability { solvers, records, failures })
    }

    fn asking(&self, protocol: Protocol) -> Asking {
        Asking { timeout: self.timeout, protocol, random_seed: self.random_seed }
    }

    /// Explains unstable queries, each with at most this many runs, until the user wants an end. The smallest query of
    /// each is written to the folder.
    pub fn explain<D: Dialogue>(
        &self,
        measured: &MeasuredStability,
        max_runs: usize,
        dialogue: &mut D,
    ) -> Result<Vec<ExplainedQuery>, D::Failure>
    where
        D::Failure: From<SolverFailure>,
    {
        let mut explained = Vec::new();
        for record in &measured.records {
            for (place, result) in record.solvers.iter().enumerate() {
                if result.class != Some(Stability::Unstable) || interruption::is_requested() {
                    continue;
                }
                dialogue.message(&format!("explaining {} on {}\n", record.file, result.solver))?;
                let Ok(source) = inputs::read(&ScriptInput::File(PathBuf::from(&record.file))) else {
                    continue;
                };
                let asking = self.asking(Protocol::Sequential);
                let search = Search::new(asking, &measured.solvers[place], max_runs);
                let explanation = search.explain(&source, result)?;
                let name = format!("unstable-{}-{}.smt2", &record.hash[..10], visible(&result.solver));
                let path = self.folder.join(name);
                fs::write(&path, &explanation.reduced).map_err(CannotWrite::to(&path))?;
                let (file, solver) = (record.file.clone(), result.solver.clone());
                explained.push(ExplainedQuery { file, solver, explanation });
            }
        }
        Ok(explained)
    }
}

/// The name of a solver as a part of that of a file.
fn visible(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "@.-".contains(letter);
    name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect()
}

/// A mutant and the solver that is asked it, with its options.
struct AskedMutant {
    solver: Solver,
    text: String,
}

/// How mutants of a query are asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking {
    timeout: f64,
    protocol: Protocol,
    random_seed: u64,
}

impl Asking {
    /// How all solvers do on a query and its mutants, and what these change.
    fn all(
        &self,
        source: &str,
        solvers: &[Solver],
    ) -> Result<(Vec<String>, Vec<SolverStability>), SolverFailure> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        let query = MutableQuery::new(&terms, &reading, source);
        let checks = statuses(&terms, &reading).len();
        let mut mutations = Vec::new();
        let mut results = Vec::new();
        for solver in solvers {
            let can = |mutation: &QueryMutation| match mutation {
                QueryMutation::Reseed => random_seed(solver.family, 0).is_some(),
                other => query.can(*other),
            };
            let possible: Vec<QueryMutation> = QueryMutation::ALL.into_iter().filter(can).collect();
            mutations.extend(possible.iter().map(|mutation| mutation.word().to_owned()));
            results.push(self.one(&query, source, checks, solver, &possible)?);
        }
        mutations.sort_unstable();
        mutations.dedup();
        Ok((mutations, results))
    }

    /// How a solver does on a query and its mutants.
    fn one(
        &self,
        query: &MutableQuery<'_>,
        source: &str,
        checks: usize,
        solver: &Solver,
        mutations: &[QueryMutation],
    ) -> Result<SolverStability, SolverFailure> {
        let mut runs = Vec::new();
        let mut class = None;
        // A run that the clock ended is repeated by a later mutant, within reason.
        for number in 0..2 * MAX_RUNS {
            let mutation = match number.checked_sub(1) {
                Some(place) if !mutations.is_empty() => Some(mutations[place % mutations.len()]),
                _ => None,
            };
            let mutant = self.mutant(query, source, solver, mutation, number);
            let run = self.run(&mutant, checks, mutation, number)?;
            if run.limit == Some(Limit::Wall) {
                continue;
            }
            runs.push(run);
            let solved: Vec<bool> = runs.iter().map(MutantRun::is_solved).collect();
            class = self.protocol.class(&solved);
            if class.is_some() {
                break;
            }
        }
        Ok(SolverStability { solver: solver.name.clone(), class, runs })
    }

    /// The mutant with this number: the same for all solvers, but for the option with the random seed.
    fn mutant(
        &self,
        query: &MutableQuery<'_>,
        source: &str,
        solver: &Solver,
        mutation: Option<QueryMutation>,
        number: usize,
    ) -> AskedMutant {
        let mut random = Random::new(self.random_seed ^ (number as u64) << 32);
        let mut solver = solver.clone();
        let text = match mutation {
            None => source.to_owned(),
            Some(QueryMutation::Reseed) => {
                let seed = random.below(u64::from(u32::MAX)) as u32;
                let options = random_seed(solver.family, seed).unwrap_or_default();
                solver.invocation.args.extend(options.into_iter().map(Into::into));
                source.to_owned()
            }
            Some(mutation) => query.mutant(mutation, &mut random),
        };
        AskedMutant { solver, text }
    }

    fn run(
        &self,
        mutant: &AskedMutant,
        checks: usize,
        mutation: Option<QueryMutation>,
        number: usize,
    ) -> Result<MutantRun, SolverFailure> {
        let AskedMutant { solver, text } = mutant;
        let raw = cold::run(&solver.invocation, text, &Limits::for_seconds(self.timeout))
            .map_err(|error| SolverFailure { solver: solver.name.clone(), error })?;
        let run = read_run(&solver.name, &raw);
        let (mut answer, mut limit) = (overall(&run, checks), run.limit);
        if answer.is_decided() && run.cpu_ms > self.timeout * 1e3 {
            (answer, limit) = (Answer::Timeout, Some(Limit::Cpu));
        }
        Ok(MutantRun {
            mutation: mutation.map(|mutation| mutation.word().to_owned()),
            number,
            answer,
            answers: run.answers,
            limit,
            cpu_ms: run.cpu_ms,
        })
    }
}
