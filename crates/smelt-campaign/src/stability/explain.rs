//! Why a query is unstable: what of a mutant splits them, the fewest assertions with which they still do, which of these
//! make the query stable when they are left out, and the quantifiers that z3 instantiates differently.
//!
//! All of it is found by asking more mutants, so it ends when as many runs were made as the user allows.

use std::collections::BTreeMap;

use smelt_runner::cold;
use smelt_runner::family::Family;
use smelt_runner::interruption;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;
use smelt_testgen::query_mutant::{MutableQuery, QueryMutation};
use smelt_trial::SolverFailure;

use super::classify::Stability;
use super::{Asking, SolverStability};
use crate::bench::statuses;

/// How many mutants that change the same were solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutationShare {
    /// What they change.
    pub mutation: QueryMutation,
    /// How many were asked.
    pub asked: usize,
    /// How many were solved.
    pub solved: usize,
}

impl MutationShare {
    /// The shares of all mutations of which mutants were asked.
    pub fn all(measured: &SolverStability) -> Vec<MutationShare> {
        let share = |mutation: QueryMutation| {
            let runs: Vec<bool> = measured.runs_of(Some(mutation)).map(super::MutantRun::is_solved).collect();
            let solved = runs.iter().filter(|is_solved| **is_solved).count();
            MutationShare { mutation, asked: runs.len(), solved }
        };
        QueryMutation::ALL.into_iter().map(share).filter(|share| share.asked > 0).collect()
    }

    fn is_split(&self) -> bool {
        self.solved > 0 && self.solved < self.asked
    }
}

/// How often a quantifier was instantiated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantifierCount {
    /// The name of the quantifier, its `:qid`.
    pub name: String,
    /// In the mutant that was solved.
    pub solved: u64,
    /// In the one that was not.
    pub unsolved: u64,
}

/// What was found out about an unstable query.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// What the mutants change, and how many were solved.
    pub shares: Vec<MutationShare>,
    /// The query with the fewest assertions that were found with which its mutants still split.
    pub reduced: String,
    /// How many assertions the query has, and how many that one has.
    pub assertions: (usize, usize),
    /// Those without which the reduced query is stable.
    pub needed: Vec<String>,
    /// The quantifiers whose instances differ most, the worst first; z3 only.
    pub quantifiers: Vec<QuantifierCount>,
    /// How many runs that took.
    pub runs: usize,
    /// Whether there were no runs left.
    pub is_cut: bool,
}

/// How many quantifiers are shown.
const MAX_QUANTIFIERS: usize = 3;

/// The search for an explanation of one query and solver.
pub(super) struct Search<'s> {
    pub asking: Asking,
    pub solver: &'s Solver,
    /// How many runs may be made.
    pub max_runs: usize,
    runs: usize,
}

impl<'s> Search<'s> {
    pub(super) fn new(asking: Asking, solver: &'s Solver, max_runs: usize) -> Self {
        Search { asking, solver, max_runs, runs: 0 }
    }

    /// Explains why the mutants of a query split.
    pub(super) fn explain(
        mut self,
        source: &str,
        measured: &SolverStability,
    ) -> Result<Explanation, SolverFailure> {
        let shares = MutationShare::all(measured);
        let split: Vec<QueryMutation> =
            shares.iter().filter(|share| share.is_split()).map(|share| share.mutation).collect();
        // Where no mutation splits by itself, one of them solves and another does not.
        let mutations = match split.is_empty() {
            true => shares.iter().map(|share| share.mutation).collect(),
            false => split,
        };
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        let query = MutableQuery::new(&terms, &reading, source);
        let count = query.assertions().count();
        let kept = self.fewest(&query, count, &mutations)?;
        let reduced = query.with_assertions(|position| kept.contains(&position));
        let mut needed = Vec::new();
        for position in kept.iter().copied() {
            let without = query.with_assertions(|other| other != position && kept.contains(&other));
            if self.class(&without, &mutations)? == Some(Stability::Stable) {
                needed.extend(query.assertions().nth(position).map(str::to_owned));
            }
        }
        let quantifiers = self.quantifiers(&query, source, measured)?;
        Ok(Explanation {
            shares,
            reduced,
            assertions: (count, kept.len()),
            needed,
            quantifiers,
            runs: self.runs,
            is_cut: self.is_over(),
        })
    }

    /// Leaves assertions out, many at a time at first, as long as mutants still split.
    fn fewest(
        &mut self,
        query: &MutableQuery<'_>,
        count: usize,
        mutations: &[QueryMutation],
    ) -> Result<Vec<usize>, SolverFailure> {
        let mut kept: Vec<usize> = (0..count).collect();
        let mut size = kept.len().div_ceil(2);
        while size > 0 {
            let mut start = 0;
            let mut has_changed = false;
            while start < kept.len() && kept.len() > 1 {
                let end = (start + size).min(kept.len());
                let rest: Vec<usize> = [&kept[..start], &kept[end..]].concat();
                let text = query.with_assertions(|position| rest.contains(&position));
                if self.class(&text, mutations)? == Some(Stability::Unstable) {
                    kept = rest;
                    has_changed = true;
                } else {
                    start = end;
                }
            }
            if size == 1 && !has_changed {
                break;
            }
            size = if size > 1 { size / 2 } else { 1 };
        }
        Ok(kept)
    }

    fn is_over(&self) -> bool {
        self.runs >= self.max_runs || interruption::is_requested()
    }

    /// The class of a text; none if no more runs may be made.
    fn class(&mut self, text: &str, mutations: &[QueryMutation]) -> Result<Option<Stability>, SolverFailure> {
        if self.is_over() {
            return Ok(None);
        }
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, text);
        let query = MutableQuery::new(&terms, &reading, text);
        let can = |mutation: &QueryMutation| query.can(*mutation);
        let mutations: Vec<QueryMutation> = mutations.iter().copied().filter(can).collect();
        // A query of which there are no mutants is asked again and again.
        let checks = statuses(&terms, &reading).len();
        let measured = self.asking.one(&query, text, checks, self.solver, &mutations)?;
        self.runs += measured.runs.len();
        Ok(measured.class)
    }

    /// The quantifiers that are instantiated most differently in a mutant that was solved and one that was not.
    fn quantifiers(
        &mut self,
        query: &MutableQuery<'_>,
        source: &str,
        measured: &SolverStability,
    ) -> Result<Vec<QuantifierCount>, SolverFailure> {
        let solved = measured.runs.iter().find(|run| run.is_solved());
        let unsolved = measured.runs.iter().find(|run| !run.is_solved());
        let (Some(solved), Some(unsolved)) = (solved, unsolved) else { return Ok(Vec::new()) };
        if self.solver.family != Family::Z3 || self.is_over() {
            return Ok(Vec::new());
        }
        let mut profiles = Vec::new();
        for run in [solved, unsolved] {
            let mutation = QueryMutation::ALL
                .into_iter()
                .find(|mutation| run.mutation.as_deref() == Some(mutation.word()));
            let mutant = self.asking.mutant(query, source, self.solver, mutation, run.number);
            let mut asked = mutant.solver;
            asked.invocation.args.extend(PROFILE.map(Into::into));
            let raw = cold::run(&asked.invocation, &mutant.text, &Limits::for_seconds(self.asking.timeout))
                .map_err(|error| SolverFailure { solver: self.solver.name.clone(), error })?;
            self.runs += 1;
            profiles.push(instances(
                &String::from_utf8_lossy(&raw.stdout),
                &String::from_utf8_lossy(&raw.stderr),
            ));
        }
        let [solved, unsolved] = profiles.as_slice() else { return Ok(Vec::new()) };
        Ok(most_different(solved, unsolved))
    }
}

/// Options of z3 that make it count instances of quantifiers, also while it is at it.
const PROFILE: [&str; 2] = ["smt.qi.profile=true", "smt.qi.profile_freq=1000"];

/// The counts in z3's lines `[quantifier_instances] name : count : ..`, the last of each name.
fn instances(output: &str, more: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in output.lines().chain(more.lines()) {
        let Some(rest) = line.trim().strip_prefix("[quantifier_instances]") else { continue };
        let mut fields = rest.split(" : ").map(str::trim);
        if let (Some(name), Some(Ok(count))) = (fields.next(), fields.next().map(str::parse::<u64>)) {
            let known = counts.entry(name.to_owned()).or_insert(0);
            *known = count.max(*known);
        }
    }
    counts
}

fn most_different(solved: &BTreeMap<String, u64>, unsolved: &BTreeMap<String, u64>) -> Vec<QuantifierCount> {
    let names: std::collections::BTreeSet<&String> = solved.keys().chain(unsolved.keys()).collect();
    let count = |counts: &BTreeMap<String, u64>, name: &String| counts.get(name).copied().unwrap_or(0);
    let mut all: Vec<QuantifierCount> = names
        .into_iter()
        .map(|name| QuantifierCount {
            name: name.clone(),
            solved: count(solved, name),
            unsolved: count(unsolved, name),
        })
        .filter(|quantifier| quantifier.solved != quantifier.unsolved)
        .collect();
    all.sort_by_key(|quantifier| std::cmp::Reverse(quantifier.solved.abs_diff(quantifier.unsolved)));
    all.truncate(MAX_QUANTIFIERS);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_count_of_each_quantifier_is_read() {
        let output = "[quantifier_instances] q1 :      7 :   1 : 2\n[quantifier_instances] k!3 : 2 : 0 : 1\n\
            unsat\n[quantifier_instances] q1 :  10 :   1 : 2\n";
        let counts = instances(output, "");
        assert_eq!((counts["q1"], counts["k!3"]), (10, 2));
        let other = BTreeMap::from([("q1".to_owned(), 4000), ("k!3".to_owned(), 2)]);
        let different = most_different(&counts, &other);
        assert_eq!(different, [QuantifierCount { name: "q1".to_owned(), solved: 10, unsolved: 4000 }]);
    }
}
