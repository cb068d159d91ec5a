//! Chains: what comes of a seed when one technique is applied again and again.
//!
//! Every case is read back before it is given to anybody. One whose text is not the script that was made, or has
//! problems that its seeds do not have, is a mistake of the technique: it is dropped and counted, and the chain goes on
//! from its seed.

use smelt_oracle::case::{Basis, Case, Lineage, Relation};
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::ground_truth::{Seen, Truth};
use crate::library::Library;
use crate::mutant::Mutant;
use crate::print_cache::PrintCache;
use crate::random::Random;
use crate::seed::Seed;
use crate::technique::Technique;

/// A chain of cases. The seed, the technique and the random seed determine every byte of them.
pub struct Chain<'t> {
    technique: &'t dyn Technique,
    random_seed: u64,
    /// After how many steps it ends.
    length: u32,
    mutant: Mutant<'t>,
    random: Random,
    step: u32,
    printed: PrintCache,
    seen: Seen,
    /// The text of the last case, or of the seed, has so many bytes.
    bytes: usize,
    max_bytes: usize,
    /// The last case, read back, until it is taken.
    reading: Option<Reading>,
    dropped: Dropped,
}

/// Cases that were dropped because they do not read back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dropped {
    /// How many.
    pub cases: u64,
    /// Where the first of them comes from and what is wrong with it; empty if there is none.
    pub first: String,
}

impl Dropped {
    /// Adds the cases of another chain.
    pub fn add(&mut self, other: &Dropped) {
        if self.cases == 0 {
            self.first.clone_from(&other.first);
        }
        self.cases += other.cases;
    }

    /// The warning about the dropped cases of a technique.
    pub fn warning(&self, technique: &str) -> String {
        let Dropped { cases, first } = self;
        let cases = if *cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") };
        format!(
            "{cases} of {technique} did not read back and were dropped; this is a bug in smelt (first: {first})"
        )
    }
}

impl<'t> Chain<'t> {
    /// The chain from a seed, before its first step. The library has the seeds that techniques may use besides.
    pub fn start(
        terms: &mut Terms,
        seed: &'t Seed,
        technique: &'t dyn Technique,
        library: &'t Library,
        random_seed: u64,
    ) -> Self {
        let mut printed = seed.printed.clone();
        let bytes = printed.text(terms, &seed.script).len();
        Chain {
            technique,
            random_seed,
            length: technique.chain_length(),
            mutant: Mutant::new(seed, library),
            random: Random::new(random_seed),
            step: 0,
            printed,
            seen: seed.seen.clone(),
            bytes,
            max_bytes: technique.max_bytes(bytes),
            reading: None,
            dropped: Dropped::default(),
        }
    }

    /// The same chain with another length than its technique has.
    pub fn with_length(self, length: u32) -> Self {
        Chain { length, ..self }
    }

    /// Makes one step; none if nothing can be changed any more, or if the chain has become so long or its script so
    /// large that it had better start from its seed again.
    ///
    /// A case is expected to be satisfiable only if a model that we have makes its assertions true.
    pub fn next(&mut self, terms: &mut Terms) -> Option<Case> {
        for _ in 0..TRIES {
            if !self.may_go_on() || !self.try_step(terms) {
                return None;
            }
            if let Some(case) = self.case(terms) {
                return Some(case);
            }
        }
        None
    }

    /// As [`Chain::next`], but prefers a step to a script that somebody likes: others are taken back a few times.
    pub fn next_liked(
        &mut self,
        terms: &mut Terms,
        mut is_liked: impl FnMut(&Terms, &Script) -> bool,
    ) -> Option<Case> {
        if !self.may_go_on() {
            return None;
        }
        for _ in 0..TRIES {
            let before = self.mutant.clone();
            for tries_left in (0..TRIES).rev() {
                if !self.try_step(terms) {
                    return None;
                }
                if is_liked(terms, &self.mutant.script) || tries_left == 0 {
                    break;
                }
                self.mutant.clone_from(&before);
            }
            if let Some(case) = self.case(terms) {
                return Some(case);
            }
        }
        None
    }

    /// Whether it is neither as long nor its script as large as it may become.
    pub(crate) fn may_go_on(&self) -> bool {
        self.step < self.length && self.bytes <= self.max_bytes
    }

    fn try_step(&mut self, terms: &mut Terms) -> bool {
        self.mutant.detail.clear();
        self.mutant.relation = None;
        self.technique.step(terms, &mut self.mutant, &mut self.random)
    }

    /// The script after one more step, as a case; none if it does not read back, and then the chain is at its seed again.
    fn case(&mut self, terms: &mut Terms) -> Option<Case> {
        let script = self.printed.text(terms, &self.mutant.script).to_owned();
        let reading = read_script_as(terms, &script, Dialect::V26);
        if let Some(problem) = self.problem_of(&reading) {
            let (seed, random_seed) = (&self.mutant.seed.name, self.random_seed);
            let first = format!("seed {seed}, random seed {random_seed}: {problem}");
            self.dropped.add(&Dropped { cases: 1, first });
            self.mutant = Mutant::new(self.mutant.seed, self.mutant.library);
            return None;
        }
        self.reading = Some(reading);
        self.step += 1;
        self.bytes = script.len();
        Some(Case {
            script,
            basis: match self.mutant.truth {
                Truth::Unsat(_) => self.mutant.basis.clone(),
                Truth::Sat(_) | Truth::Unknown => Basis::Certain,
            },
            expectation: self.mutant.truth.expectation(terms, &self.mutant.script, &mut self.seen),
            lineage: Lineage {
                technique: self.technique.name().to_owned(),
                seed: self.mutant.seed.name.clone(),
                random_seed: self.random_seed,
                step: self.step,
            },
        })
    }

    /// Why reading the text of the script did not give it back, or a problem of the text that its seeds do not have.
    fn problem_of(&self, reading: &Reading) -> Option<String> {
        let Mutant { script, complaints, .. } = &self.mutant;
        let is_known = |diagnostic: &Diagnostic| {
            diagnostic.problem == Problem::UnknownName && complaints.contains(&diagnostic.message)
        };
        if let Some(diagnostic) = reading.diagnostics.iter().find(|diagnostic| !is_known(diagnostic)) {
            return Some(diagnostic.message.clone());
        }
        (reading.script.commands != script.commands).then(|| "its text is another script".to_owned())
    }

    /// What reading the last case gave; none if it was taken before.
    pub fn take_reading(&mut self) -> Option<Reading> {
        self.reading.take()
    }

    /// The cases that were dropped so far because they do not read back.
    pub fn dropped(&self) -> &Dropped {
        &self.dropped
    }

    /// What was done in the last step, for people; empty if there is nothing to say.
    pub fn detail(&self) -> &str {
        &self.mutant.detail
    }

    /// How the last step changed what satisfies the script, if that is known.
    pub fn relation(&self) -> Option<Relation> {
        self.mutant.relation
    }

    /// How many steps were made.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// The script after the last step.
    pub fn script(&self) -> &Script {
        &self.mutant.script
    }
}

/// How often a step is tried before one is taken that nobody likes, or before a chain ends whose cases do not read back.
const TRIES: u32 = 8;
