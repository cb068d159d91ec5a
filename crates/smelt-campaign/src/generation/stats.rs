//! What generation made of its seeds: used seeds and claims by folder, and operators that never occur.
//!
//! A seed is used if the technique makes a case of it. Those that no chain started from are tried at the end, one step
//! each, so that the share does not depend on how many cases were asked for.
//!
//! Whether solvers read cases is found out on as few as it takes: a case is run only if it has an operator that was not
//! read yet, and for each operator only so many times.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use smelt_oracle::case::Expectation;
use smelt_oracle::run::Answer;
use smelt_runner::limits::Limits;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::operators;
use smelt_testgen::chain::Chain;
use smelt_testgen::ground_truth::Truth;
use smelt_testgen::operators::why_never_introduced;
use smelt_trial::target::Target;

use super::{Made, SeededGeneration};

/// For one operator this many cases are run to see whether a solver reads it.
const MAX_RUNS: u32 = 24;
/// Processor time for each such run, in seconds. One that is ended by it may have been ended while it was reading.
const TIMEOUT_SECS: f64 = 1.0;
/// A seed that was not drawn is tried with this many random seeds.
const SEED_TRIES: u64 = 3;

/// What is counted.
pub struct GenerationStats<'t> {
    targets: &'t [Target],
    /// Cases by seed.
    cases: BTreeMap<usize, Counts>,
    operators: BTreeMap<Op, Occurrences>,
    folders: BTreeMap<String, FolderCounts>,
}

/// The cases of a seed.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    all: u64,
    claimed: u64,
}

/// The cases with an operator.
#[derive(Debug, Clone, Copy, Default)]
struct Occurrences {
    cases: u64,
    runs: u32,
    is_read: bool,
}

/// The seeds of a folder and what came of them.
#[derive(Debug, Clone, Copy, Default)]
struct FolderCounts {
    seeds: u64,
    readable: u64,
    labelled: u64,
    used: u64,
    cases: u64,
    claimed: u64,
}

impl<'t> GenerationStats<'t> {
    /// Nothing counted yet. Whether cases are read is asked of these solvers.
    pub fn new(targets: &'t [Target]) -> Self {
        GenerationStats {
            targets,
            cases: BTreeMap::new(),
            operators: BTreeMap::new(),
            folders: BTreeMap::new(),
        }
    }

    /// Counts a case.
    pub fn count(&mut self, made: &mut Made<'_>) {
        let counts = self.cases.entry(made.seed).or_default();
        counts.all += 1;
        counts.claimed += u64::from(made.case.expectation != Expectation::None);
        let roots: Vec<Term> = made.script.terms().collect();
        let ops = operators(made.terms, &roots);
        for op in &ops {
            self.operators.entry(*op).or_default().cases += 1;
        }
        let is_open = |op: &&Op| {
            let seen = self.operators.get(*op).copied().unwrap_or_default();
            !seen.is_read && seen.runs < MAX_RUNS
        };
        let open: Vec<Op> = ops.iter().filter(is_open).copied().collect();
        if self.targets.is_empty() || open.is_empty() {
            return;
        }
        let is_read = self.targets.iter().any(|target| reads(target, made.terms, made.script));
        for op in if is_read { ops.iter() } else { open.iter() } {
            let occurrences = self.operators.entry(*op).or_default();
            occurrences.runs += 1;
            occurrences.is_read |= is_read;
        }
    }

    /// Tries the seeds that no chain started from, and sums up by folder.
    pub fn try_all(&mut self, generation: &SeededGeneration) {
        for (position, (name, _)) in generation.library.all().iter().enumerate() {
            let folder = self.folders.entry(folder_of(name)).or_default();
            folder.seeds += 1;
            let Some((mut terms, seed)) = generation.library.copy(position) else { continue };
            folder.readable += 1;
            folder.labelled += u64::from(!matches!(seed.truth, Truth::Unknown));
            let counts = self.cases.get(&position).copied().unwrap_or_default();
            folder.cases += counts.all;
            folder.claimed += counts.claimed;
            let gives_case = |random_seed: u64| {
                generation.techniques.iter().any(|technique| {
                    let technique = technique.as_ref();
                    let mut chain = Chain::start(
                        &mut terms,
                        &seed,
                        technique,
                        &generation.library,
                        generation.random_seed ^ random_seed,
                    );
                    chain.next(&mut terms).is_some()
                })
            };
            folder.used += u64::from(counts.all > 0 || (0..SEED_TRIES).any(gives_case));
        }
    }

    /// The tables, in lines.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "folder                           seeds  readable  labelled  used        cases  with a claim\n",
        );
        let mut sum = FolderCounts::default();
        for (name, folder) in &self.folders {
            sum.add(folder);
            folder.push_line(name, &mut text);
        }
        sum.push_line("all", &mut text);
        self.push_operators(&mut text);
        text
    }

    fn push_operators(&self, text: &mut String) {
        let is_counted = |op: Op| {
            let occurrences = self.operators.get(&op).copied().unwrap_or_default();
            if self.targets.is_empty() { occurrences.cases > 0 } else { occurrences.is_read }
        };
        let missing: Vec<Op> = Op::all().filter(|op| !is_counted(*op)).collect();
        let where_to = if self.targets.is_empty() { "a case" } else { "a case that a solver reads" };
        let _ = writeln!(
            text,
            "operators: {} of {} occur in {where_to}",
            Op::all().count() - missing.len(),
            Op::all().count()
        );
        let mut by_reason: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for op in missing {
            let occurrences = self.operators.get(&op).copied().unwrap_or_default();
            let reason = match (occurrences.cases, why_never_introduced(op)) {
                (0, Some(reason)) => reason.to_owned(),
                (0, None) => "not drawn".to_owned(),
                (_, _) => "no case with it is read".to_owned(),
            };
            by_reason.entry(reason).or_default().insert(op.info().name);
        }
        for (reason, names) in by_reason {
            let names: Vec<&str> = names.into_iter().collect();
            let _ = writeln!(text, "  never ({reason}): {}", names.join(" "));
        }
    }
}

impl FolderCounts {
    fn add(&mut self, other: &FolderCounts) {
        self.seeds += other.seeds;
        self.readable += other.readable;
        self.labelled += other.labelled;
        self.used += other.used;
        self.cases += other.cases;
        self.claimed += other.claimed;
    }

    fn push_line(&self, name: &str, text: &mut String) {
        let FolderCounts { seeds, readable, labelled, used, cases, claimed } = *self;
        let _ = writeln!(
            text,
            "{name:<32} {seeds:>5}  {readable:>8}  {labelled:>8}  {used:>4} {:>5}  {cases:>7}  {claimed:>5} {:>5}",
            share(used, readable),
            share(claimed, cases)
        );
    }
}

/// A share in percent.
fn share(part: u64, all: u64) -> String {
    match all {
        0 => "-".to_owned(),
        _ => format!("{:.0} %", 100.0 * part as f64 / all as f64),
    }
}

/// The name of the folder that a seed lies in; the seeds that come with smelt lie in none.
fn folder_of(name: &str) -> String {
    let folder = Path::new(name).parent().and_then(Path::file_name);
    folder.map_or_else(|| "-".to_owned(), |folder| folder.to_string_lossy().into_owned())
}

/// Whether a solver reads a script, whatever it answers.
fn reads(target: &Target, terms: &mut Terms, script: &Script) -> bool {
    if target.takes(terms, script).is_none() {
        return false;
    }
    let text = target.text(terms, script);
    let run = target.run_cold(&text, &Limits::for_seconds(TIMEOUT_SECS));
    run.is_ok_and(|run| matches!(run.answer, Answer::Sat | Answer::Unsat | Answer::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_counted_by_the_folder_that_they_lie_in() {
        assert_eq!(folder_of("benchmarks/sets/a.smt2"), "sets");
        assert_eq!(folder_of("contains-transitive"), "-");
    }

    #[test]
    fn shares_are_in_percent() {
        assert_eq!((share(1, 3), share(0, 0)), ("33 %".to_owned(), "-".to_owned()));
    }
}
