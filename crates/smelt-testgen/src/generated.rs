//! Techniques that make formulas from nothing: every step of a chain is a new formula, whatever the seed of the chain is.
//!
//! They let hunts draw from what `smelt generate` writes, and share a hunt with the techniques that change seeds. A
//! formula claims what its generator knows of it: those of [`Construct`] are sat or unsat by how they are made, the
//! others claim nothing.

use std::sync::{Mutex, OnceLock, PoisonError};

use smelt_oracle::case::Basis;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::construct::{self, Category, Test, Theory};
use crate::enumeration::built_in::BuiltIn;
use crate::enumeration::{Enumeration, Parameters};
use crate::ground_truth::Truth;
use crate::mutant::Mutant;
use crate::random::Random;
use crate::random_formula::{Knobs, random_script};
use crate::seed::Seed;
use crate::stringfuzz::{self, Family};
use crate::technique::Technique;
use crate::term_index::TermIndex;

/// How many formulas a chain has.
const CHAIN_LENGTH: u32 = 20;

/// No formula of these techniques is larger.
const MAX_BYTES: usize = 1 << 20;

/// The formula of a mutant becomes another, of which nothing is known.
fn replace(mutant: &mut Mutant<'_>, script: Script) {
    mutant.script = script;
    mutant.truth = Truth::Unknown;
    mutant.basis = Basis::Certain;
    mutant.complaints = Vec::new();
    mutant.survey = TermIndex::default();
}

/// The same with a formula that is given as the text of a seed; false if it cannot be read.
fn replace_by_text(terms: &mut Terms, mutant: &mut Mutant<'_>, text: &str) -> bool {
    let Ok(seed) = Seed::read(terms, "", text) else { return false };
    replace(mutant, seed.script);
    mutant.truth = seed.truth;
    mutant.complaints = seed.complaints;
    true
}

/// What differs between these techniques.
pub trait Generator: Send + Sync {
    /// See [`Technique::name`].
    fn name(&self) -> &'static str;

    /// See [`Technique::summary`].
    fn summary(&self) -> &'static str;

    /// Replaces the formula of a mutant by a new one; false if there is none.
    fn generate(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool;
}

impl<G: Generator> Technique for G {
    fn name(&self) -> &'static str {
        Generator::name(self)
    }

    fn summary(&self) -> &'static str {
        Generator::summary(self)
    }

    fn uses_truth(&self) -> bool {
        false
    }

    fn chain_length(&self) -> u32 {
        CHAIN_LENGTH
    }

    fn max_bytes(&self, _: usize) -> usize {
        MAX_BYTES
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        self.generate(terms, mutant, random)
    }
}

/// Formulas that are sat or unsat by how they are made; see [`construct`].
#[derive(Debug, Default)]
pub struct Construct {
    tests: OnceLock<Vec<Test>>,
}

impl Construct {
    /// From each category of each theory at most this many formulas are drawn.
    const PER_CATEGORY: usize = 300;

    fn tests(&self) -> &[Test] {
        self.tests.get_or_init(|| {
            let mut tests = Vec::new();
            for theory in Theory::ALL {
                let settings =
                    construct::Settings { theory, bound: 1, is_paper: false, rounds: 1, random_seed: 0 };
                for category in Category::ALL {
                    let end = tests.len() + Construct::PER_CATEGORY;
                    construct::generate(&settings, category, &mut |test| {
                        tests.push(test);
                        tests.len() < end
                    });
                }
            }
            tests
        })
    }
}

impl Generator for Construct {
    fn name(&self) -> &'static str {
        "construct"
    }

    fn summary(&self) -> &'static str {
        "formulas that are sat or unsat by how they are made"
    }

    fn generate(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let Some(test) = random.choose(self.tests()) else { return false };
        if !replace_by_text(terms, mutant, &test.text("")) {
            return false;
        }
        mutant.detail = format!("{}: {}", test.category.name(), test.detail);
        true
    }
}

/// Formulas of grammars, each formula up to a size with the same probability; see [`crate::enumeration`].
#[derive(Debug, Default)]
pub struct Enumerate {
    /// For each grammar its formulas, counted when it is first drawn from.
    enumerations: Mutex<Vec<Option<Enumeration>>>,
}

impl Enumerate {
    /// The grammars, with the largest size of a formula.
    const GRAMMARS: [(&'static str, u32); 7] = [
        ("core", 10),
        ("ints", 10),
        ("reals", 10),
        ("realints", 10),
        ("bitvectors", 10),
        ("arrays", 10),
        ("strings", 10),
    ];

    /// A formula and the name of its grammar.
    fn draw(&self, random: &mut Random) -> Option<(&'static str, String)> {
        let position = random.position(Enumerate::GRAMMARS.len());
        let (name, size) = Enumerate::GRAMMARS[position];
        let mut enumerations = self.enumerations.lock().unwrap_or_else(PoisonError::into_inner);
        enumerations.resize_with(Enumerate::GRAMMARS.len(), || None);
        if enumerations[position].is_none() {
            let grammar = BuiltIn::named(name)?.grammar();
            enumerations[position] = Enumeration::new(&grammar, &Parameters::default()).ok();
        }
        let enumeration = enumerations[position].as_mut()?;
        let index = enumeration.sample_up_to(size, random)?;
        Some((name, enumeration.nth(&index)?))
    }
}

impl Generator for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn summary(&self) -> &'static str {
        "small formulas of grammars, each with the same probability"
    }

    fn generate(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let Some((grammar, text)) = self.draw(random) else { return false };
        if !replace_by_text(terms, mutant, &text) {
            return false;
        }
        mutant.detail = format!("of the grammar {grammar}");
        true
    }
}

/// Random formulas over strings; see [`crate::random_formula`].
#[derive(Debug, Default)]
pub struct RandomFormulas;

impl Generator for RandomFormulas {
    fn name(&self) -> &'static str {
        "random"
    }

    fn summary(&self) -> &'static str {
        "random formulas over strings"
    }

    fn generate(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let script = random_script(terms, &Knobs::default(), random);
        replace(mutant, script);
        true
    }
}

/// StringFuzz's families of formulas that grow; see [`stringfuzz`].
#[derive(Debug, Default)]
pub struct StringFuzz;

impl StringFuzz {
    /// The largest size of a formula.
    const MAX_SIZE: u64 = 12;
}

impl Generator for StringFuzz {
    fn name(&self) -> &'static str {
        "stringfuzz"
    }

    fn summary(&self) -> &'static str {
        "families of formulas over strings that grow"
    }

    fn generate(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let family = Family::ALL[random.position(Family::ALL.len())];
        let Knobs { literal_length, weights, .. } = Knobs::default();
        let size = 1 + random.below(StringFuzz::MAX_SIZE) as u32;
        let settings = stringfuzz::Settings { size, literal_length, weights };
        let script = stringfuzz::generate(terms, family, &settings, random);
        replace(mutant, script);
        mutant.detail = format!("{} of size {size}", family.name());
        true
    }
}

#[cfg(test)]
mod tests {
    use smelt_oracle::case::{Case, Expectation};

    use super::*;
    use crate::chain::Chain;
    use crate::library::Library;
    use crate::technique::generators;

    fn cases(technique: &dyn Technique, random_seed: u64) -> Vec<Case> {
        let mut terms = Terms::new();
        let source = "(declare-const p Bool)(assert p)(check-sat)";
        let seed = Seed::read(&mut terms, "s", source).unwrap();
        let library = Library::new(vec![("s".to_owned(), source.to_owned())]);
        let mut chain = Chain::start(&mut terms, &seed, technique, &library, random_seed);
        std::iter::from_fn(|| chain.next(&mut terms)).collect()
    }

    #[test]
    fn every_generator_makes_whole_chains_that_its_random_seed_determines() {
        for technique in generators() {
            let first = cases(&*technique, 1);
            assert_eq!(first.len(), CHAIN_LENGTH as usize, "{}", technique.name());
            let scripts = |cases: &[Case]| cases.iter().map(|case| case.script.clone()).collect::<Vec<_>>();
            assert_eq!(scripts(&first), scripts(&cases(&*technique, 1)), "{}", technique.name());
            assert_ne!(scripts(&first), scripts(&cases(&*technique, 2)), "{}", technique.name());
        }
    }

    #[test]
    fn construct_claims_something_of_every_formula_and_the_others_claim_nothing() {
        for technique in generators() {
            let claims = cases(&*technique, 3).iter().all(|case| case.expectation != Expectation::None);
            assert_eq!(claims, technique.name() == "construct", "{}", technique.name());
        }
    }
}
