//! The search of MulStringFuzz: a population of formulas that evolves towards slow, new and simple ones.
//!
//! An [`Evolution`] is asked for formulas and told what came of running them. When all of a generation is told, the next
//! one is made: by NSGA-II with up to three objectives, or as StringFuzz does it. The seven searches that the paper
//! compares are the rows of [`VARIANTS`].
//!
//! Follows Ren, Fan, Li, Zhou and Jiang, "Multi-Objective Evolutionary Algorithm for String SMT Solver Testing". A formula
//! is evaluated once, when it is new; the paper's listing evaluates survivors again. A child of which neither crossover nor
//! mutation would change anything is mutated, because running a copy says nothing.

mod nsga2;
mod objectives;
mod operators;
mod trace;
mod variant;

use serde::{Deserialize, Serialize};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

pub use nsga2::{crowding, dominates, fronts};
pub use objectives::{Coverage, Covered, complexity, time_score};
pub use operators::{MAX_ASSERTIONS, Mutation, crossover, exchanged, mutate};
pub use trace::{Trace, crowding as trace_crowding, similarity};
pub use variant::{Crowding, Method, TimeObjective, VARIANTS, Variant};

use crate::random::Random;
use crate::random_formula::{Knobs, random_script};
use crate::stringfuzz::{Transformer, transform};

/// The numbers of the search, as in the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How to search.
    pub variant: Variant,
    /// How many formulas a generation has.
    pub population: usize,
    /// In how many of a hundred pairs parents exchange assertions.
    pub crossover_percent: u64,
    /// How many of a hundred children are mutated.
    pub mutation_percent: u64,
    /// How complex formulas are at the start, and new assertions.
    pub knobs: Knobs,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            variant: Variant::default(),
            population: 40,
            crossover_percent: 75,
            mutation_percent: 25,
            knobs: Knobs { literal_length: 10, variables: 5, assertions: 4, depth: 3, ..Knobs::default() },
        }
    }
}

/// How many formulas StringFuzz keeps, and how often it changes a copy.
const STRINGFUZZ_SURVIVORS: usize = 3;
const STRINGFUZZ_CHANGES: usize = 4;
/// A formula whose text is longer does not survive its birth.
const MAX_BYTES: usize = 20_000;
/// How many mutations are tried until one changes something.
const MUTATION_TRIES: usize = 8;

/// What running a formula has shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Processor time of the target; the limit if it was reached.
    pub target_secs: f64,
    /// Processor time of the reference, or of the fastest of several.
    pub reference_secs: f64,
    /// What the target did.
    pub covered: Covered,
    /// Its trace.
    pub trace: Trace,
}

/// A formula with what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// Its number in the search, from 0 on.
    pub number: u64,
    /// The formula, in SMT-LIB 2.6.
    pub text: String,
    /// Equation 2 without its sign.
    pub complexity: u64,
    /// The time score by the variant, in seconds.
    pub time: f64,
    /// By Algorithm 2.
    pub coverage: u64,
    /// What was measured.
    pub measured: Measured,
}

/// How a generation was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 0 on.
    pub number: u32,
    /// How many formulas were told of when it was complete.
    pub evaluated: u64,
    /// The mean time score of the population.
    pub mean_time: f64,
    /// The largest time score of the population.
    pub best_time: f64,
    /// The mean complexity of the population.
    pub mean_complexity: f64,
    /// How many rows were covered by then.
    pub rows: usize,
}

/// A formula to be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The number by which it is told of.
    pub number: u64,
    /// The formula, in SMT-LIB 2.6.
    pub text: String,
}

/// All that a search knows, from which it continues later.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The parents of what is being evaluated.
    pub population: Vec<Individual>,
    /// The formulas of the generation that is being evaluated, those that are not run yet among them.
    pub waiting: Vec<Candidate>,
    /// Those of them that were run.
    pub told: Vec<Individual>,
    /// The number of the next formula.
    pub next_number: u64,
    /// How many formulas were run.
    pub evaluated: u64,
    /// How the generations were.
    pub history: Vec<Generation>,
    /// What was covered.
    pub covered: Covered,
}

/// The search.
#[derive(Debug)]
pub struct Evolution {
    settings: Settings,
    random_seed: u64,
    /// A new one for each generation, so that a search that is continued makes the same choices.
    random: Random,
    coverage: Coverage,
    /// The parents of what is being evaluated.
    population: Vec<Individual>,
    /// Children that were asked for or not yet, in the order of their numbers.
    waiting: Vec<Candidate>,
    /// How many of them were asked for.
    asked: usize,
    told: Vec<Individual>,
    next_number: u64,
    evaluated: u64,
    history: Vec<Generation>,
}

impl Evolution {
    /// A search that has a first generation of random formulas.
    pub fn new(settings: Settings, random_seed: u64) -> Self {
        let mut evolution = Evolution {
            settings,
            random_seed,
            random: Random::new(random_seed),
            coverage: Coverage::default(),
            population: Vec::new(),
            waiting: Vec::new(),
            asked: 0,
            told: Vec::new(),
            next_number: 0,
            evaluated: 0,
            history: Vec::new(),
        };
        for _ in 0..evolution.settings.population.max(1) {
            let mut terms = Terms::new();
            let script = random_script(&mut terms, &evolution.settings.knobs, &mut evolution.random);
            let text = script_text(&mut terms, &script);
            evolution.push_child(text);
        }
        evolution
    }

    /// Continues a search with the settings that it was begun with.
    pub fn resume(settings: Settings, random_seed: u64, snapshot: Snapshot) -> Self {
        let is_told =
            |candidate: &Candidate| snapshot.told.iter().any(|told| told.number == candidate.number);
        let (mut waiting, open): (Vec<Candidate>, Vec<Candidate>) =
            snapshot.waiting.into_iter().partition(is_told);
        let asked = waiting.len();
        waiting.extend(open);
        Evolution {
            random: generation_random(random_seed, snapshot.history.len()),
            settings,
            random_seed,
            coverage: Coverage::of_known(snapshot.covered),
            population: snapshot.population,
            waiting,
            asked,
            told: snapshot.told,
            next_number: snapshot.next_number,
            evaluated: snapshot.evaluated,
            history: snapshot.history,
        }
    }

    /// All that is known by now. A formula that was asked for and not told of is asked for again by the search that
    /// continues from it.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            population: self.population.clone(),
            waiting: self.waiting.clone(),
            told: self.told.clone(),
            next_number: self.next_number,
            evaluated: self.evaluated,
            history: self.history.clone(),
            covered: self.coverage.known().clone(),
        }
    }

    /// The next formula to be run; none while the rest of a generation is not told.
    pub fn ask(&mut self) -> Option<Candidate> {
        if self.told.len() == self.waiting.len() {
            self.next_generation();
        }
        let candidate = self.waiting.get(self.asked)?.clone();
        self.asked += 1;
        Some(candidate)
    }

    /// Says what came of a formula that was asked for. Telling twice changes nothing.
    pub fn tell(&mut self, number: u64, measured: Measured) {
        let is_told = self.told.iter().any(|individual| individual.number == number);
        let Some(candidate) = self.waiting[..self.asked].iter().find(|candidate| candidate.number == number)
        else {
            return;
        };
        if is_told {
            return;
        }
        let mut terms = Terms::new();
        let script = read(&mut terms, &candidate.text);
        let time = match self.settings.variant.time {
            TimeObjective::Target => measured.target_secs,
            TimeObjective::Difference => measured.target_secs - measured.reference_secs,
            TimeObjective::Score => time_score(measured.target_secs, measured.reference_secs),
        };
        let individual = Individual {
            number,
            text: candidate.text.clone(),
            complexity: complexity(&terms, &script),
            time,
            coverage: self.coverage.score(&measured.covered),
            measured,
        };
        self.told.push(individual);
        self.evaluated += 1;
    }

    /// The formulas that nothing dominates, of the last complete generation and what was told since; the slowest first.
    pub fn front(&self) -> Vec<&Individual> {
        let all: Vec<&Individual> = self.population.iter().chain(&self.told).collect();
        let points: Vec<Vec<f64>> = all.iter().map(|individual| self.objectives(individual)).collect();
        let mut front: Vec<&Individual> = match self.settings.variant.method {
            Method::Nsga2 => {
                fronts(&points).into_iter().next().unwrap_or_default().into_iter().map(|at| all[at]).collect()
            }
            // One objective has a front of one; what StringFuzz gives is its population.
            Method::StringFuzz => all,
        };
        front.sort_by(|first, second| {
            second.time.total_cmp(&first.time).then(first.number.cmp(&second.number))
        });
        front
    }

    /// How the generations were, one after the other.
    pub fn history(&self) -> &[Generation] {
        &self.history
    }

    /// All that was covered.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// How many formulas were told of.
    pub fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// The objectives that the variant has, all to be maximised.
    pub fn objectives(&self, individual: &Individual) -> Vec<f64> {
        let variant = &self.settings.variant;
        let mut objectives = vec![individual.time];
        if variant.counts_coverage {
            objectives.push(individual.coverage as f64);
        }
        if variant.counts_complexity {
            objectives.push(-(individual.complexity as f64));
        }
        objectives
    }

    fn push_child(&mut self, text: String) {
        self.waiting.push(Candidate { number: self.next_number, text });
        self.next_number += 1;
    }

    fn next_generation(&mut self) {
        let mut told = std::mem::take(&mut self.told);
        told.sort_by_key(|individual| individual.number);
        self.waiting.clear();
        self.asked = 0;
        self.random = generation_random(self.random_seed, self.history.len() + 1);
        match self.settings.variant.method {
            Method::StringFuzz => self.next_of_stringfuzz(told),
            Method::Nsga2 => self.next_of_nsga2(told),
        }
    }

    fn note_generation(&mut self) {
        let count = self.population.len().max(1) as f64;
        self.history.push(Generation {
            number: self.history.len() as u32,
            evaluated: self.evaluated,
            mean_time: self.population.iter().map(|individual| individual.time).sum::<f64>() / count,
            best_time: self.population.iter().map(|individual| individual.time).fold(f64::MIN, f64::max),
            mean_complexity: self
                .population
                .iter()
                .map(|individual| individual.complexity as f64)
                .sum::<f64>()
                / count,
            rows: self.coverage.known().rows(),
        });
    }

    /// The children of the slowest formulas replace all others.
    fn next_of_stringfuzz(&mut self, told: Vec<Individual>) {
        self.population = told;
        self.note_generation();
        let mut order: Vec<usize> = (0..self.population.len()).collect();
        order.sort_by(|first, second| self.population[*second].time.total_cmp(&self.population[*first].time));
        order.truncate(STRINGFUZZ_SURVIVORS);
        for _ in 0..self.settings.population {
            let parent = order[self.random.position(order.len())];
            let text = self.population[parent].text.clone();
            let child = self.changed_by_stringfuzz(&text);
            self.push_child(child);
        }
    }

    fn changed_by_stringfuzz(&mut self, text: &str) -> String {
        let mut terms = Terms::new();
        let mut script = read(&mut terms, text);
        for _ in 0..STRINGFUZZ_CHANGES {
            let changed = match self.random.below(4) {
                0 => transformed(
                    &mut terms,
                    &script,
                    Transformer::Fuzz,
                    &self.settings.knobs,
                    &mut self.random,
                ),
                1 => transformed(
                    &mut terms,
                    &script,
                    Transformer::Graft,
                    &self.settings.knobs,
                    &mut self.random,
                ),
                2 => self.mutated(&mut terms, &script, Mutation::DeleteAssertion),
                _ => self.mutated(&mut terms, &script, Mutation::AddAssertion),
            };
            script = changed.unwrap_or(script);
        }
        let child = script_text(&mut terms, &script);
        if child.len() <= MAX_BYTES { child } else { text.to_owned() }
    }

    fn mutated(&mut self, terms: &mut Terms, script: &Script, mutation: Mutation) -> Option<Script> {
        mutate(terms, script, mutation, &self.settings.knobs, &mut self.random)
    }

    /// Parents and children together, the best of them, and their children.
    fn next_of_nsga2(&mut self, told: Vec<Individual>) {
        let is_first = self.population.is_empty();
        let mut all = std::mem::take(&mut self.population);
        all.extend(told);
        let ranked = self.ranked(&all);
        let size = self.settings.population.min(all.len());
        let chosen: Vec<Ranked> = ranked.into_iter().take(size).collect();
        let mut kept: Vec<Option<Individual>> = all.into_iter().map(Some).collect();
        self.population = chosen.iter().filter_map(|ranked| kept[ranked.position].take()).collect();
        self.note_generation();
        let parents: Vec<usize> =
            (0..self.settings.population).map(|_| self.tournament(&chosen, is_first)).collect();
        for pair in parents.chunks(2) {
            let texts: Vec<String> =
                pair.iter().map(|parent| self.population[*parent].text.clone()).collect();
            for child in self.children(&texts) {
                self.push_child(child);
            }
        }
    }

    /// Formulas by front, and within a front by how far they are from the others.
    fn ranked(&self, all: &[Individual]) -> Vec<Ranked> {
        let points: Vec<Vec<f64>> = all.iter().map(|individual| self.objectives(individual)).collect();
        let mut ranked = Vec::new();
        for (number, front) in fronts(&points).into_iter().enumerate() {
            let distances = match self.settings.variant.crowding {
                Crowding::Objectives => crowding(&points, &front),
                Crowding::Traces => {
                    let traces: Vec<&Trace> =
                        front.iter().map(|position| &all[*position].measured.trace).collect();
                    trace_crowding(&traces)
                }
            };
            let mut of_front: Vec<Ranked> = front
                .into_iter()
                .zip(distances)
                .map(|(position, distance)| Ranked { position, front: number, distance })
                .collect();
            of_front.sort_by(|first, second| second.distance.total_cmp(&first.distance));
            ranked.extend(of_front);
        }
        ranked
    }

    /// The better of two, as a position in the population: by front, and later by distance too.
    fn tournament(&mut self, ranked: &[Ranked], is_first: bool) -> usize {
        let (first, second) = (self.random.position(ranked.len()), self.random.position(ranked.len()));
        let (left, right) = (&ranked[first], &ranked[second]);
        let is_farther = !is_first && right.front == left.front && right.distance > left.distance;
        if right.front < left.front || is_farther { second } else { first }
    }

    /// As many children as parents.
    fn children(&mut self, parents: &[String]) -> Vec<String> {
        let mut terms = Terms::new();
        let mut scripts: Vec<Script> = parents.iter().map(|text| read(&mut terms, text)).collect();
        let mut is_changed = false;
        if let [first, second] = scripts.as_slice()
            && self.random.below(100) < self.settings.crossover_percent
            && let Some((left, right)) = crossover(&terms, first, second, &mut self.random)
        {
            is_changed = true;
            scripts = vec![left, right];
        }
        let mut children = Vec::new();
        for (script, parent) in scripts.into_iter().zip(parents) {
            let is_mutated = self.random.below(100) < self.settings.mutation_percent;
            let same = is_changed && script_text(&mut terms, &script) != *parent;
            let script = if is_mutated || !same { self.mutant(&mut terms, script) } else { script };
            let text = script_text(&mut terms, &script);
            children.push(if text.len() <= MAX_BYTES { text } else { parent.clone() });
        }
        children
    }

    /// A formula changed in one of the seven ways.
    fn mutant(&mut self, terms: &mut Terms, script: Script) -> Script {
        for _ in 0..MUTATION_TRIES {
            let mutation = Mutation::ALL[self.random.position(Mutation::ALL.len())];
            if let Some(changed) = self.mutated(terms, &script, mutation) {
                return changed;
            }
        }
        script
    }
}

/// The random choices by which a generation is made.
fn generation_random(random_seed: u64, generation: usize) -> Random {
    Random::new(random_seed.wrapping_add((generation as u64).wrapping_mul(GOLDEN)))
}

/// Spreads the numbers of generations over all numbers: 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A formula with its place among the others.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    position: usize,
    front: usize,
    distance: f64,
}

fn read(terms: &mut Terms, text: &str) -> Script {
    read_script_as(terms, text, Dialect::V26).script
}

/// A script after a transformer, if it then has no operator that the knobs do not have.
fn transformed(
    terms: &mut Terms,
    script: &Script,
    transformer: Transformer,
    knobs: &Knobs,
    random: &mut Random,
) -> Option<Script> {
    let changed = transform(terms, script, transformer, random)?.script;
    let before = operators_of(terms, script);
    let is_known = |op: &smelt_smtlib::op::Op| knobs.weights.of(*op) > 0 || before.contains(op);
    operators_of(terms, &changed).iter().all(is_known).then_some(changed)
}

fn operators_of(terms: &Terms, script: &Script) -> Vec<smelt_smtlib::op::Op> {
    smelt_smtlib::walk::operators(terms, &script.assertions().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
