//! What holds of every technique, and helpers for the tests of single ones.

use smelt_oracle::case::Expectation;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::built_in::{BuiltInSeed, SEEDS};
use crate::chain::{Chain, Dropped};
use crate::ground_truth::Truth;
use crate::library::Library;
use crate::mutant::Mutant;
use crate::random::Random;
use crate::readers::Readers;
use crate::seed::Seed;
use crate::technique::{Technique, technique, techniques};

/// The assertions after each step of some chains from a seed; `(check-sat)` may be left out.
pub(crate) fn mutants(technique: &dyn Technique, source: &str, steps: u32) -> Vec<String> {
    (0..20).flat_map(|random_seed| chain(technique, source, random_seed, steps)).collect()
}

/// The distinct assertions that one step leads to, sorted.
pub(crate) fn reachable(technique: &dyn Technique, source: &str) -> Vec<String> {
    let mut found: Vec<String> =
        (0..3000).flat_map(|random_seed| chain(technique, source, random_seed, 1)).collect();
    found.sort();
    found.dedup();
    found
}

fn chain(technique: &dyn Technique, source: &str, random_seed: u64, steps: u32) -> Vec<String> {
    let mut terms = Terms::new();
    let library = Library::default();
    let seed = seed(&mut terms, source);
    let mut mutant = Mutant::new(&seed, &library);
    let mut random = Random::new(random_seed);
    let mut found = Vec::new();
    while found.len() < steps as usize && technique.step(&mut terms, &mut mutant, &mut random) {
        found.push(assertions(&mut terms, &mutant.script));
    }
    found
}

fn assertions(terms: &mut Terms, script: &Script) -> String {
    let text = script_text(terms, script);
    text.lines().filter(|line| line.starts_with("(assert")).collect::<Vec<_>>().join(" ")
}

fn seed(terms: &mut Terms, source: &str) -> Seed {
    let source =
        if source.contains("(check-sat)") { source.to_owned() } else { format!("{source}(check-sat)") };
    Seed::read(terms, "a", &source).expect("tests use seeds that can be read")
}

/// Some of the built-in seeds, of all theories.
fn some_seeds() -> impl DoubleEndedIterator<Item = &'static BuiltInSeed> {
    SEEDS.iter().rev().step_by(9)
}

fn built_in_library() -> Library {
    Library::new(SEEDS.iter().map(|seed| (seed.name.to_owned(), seed.source.to_owned())).collect())
}

/// Calls `check` for every case of chains from all built-in seeds.
fn for_each_case(steps: u32, mut check: impl FnMut(&mut Terms, &Script, &str)) {
    let library = built_in_library();
    for technique in techniques() {
        for built_in in some_seeds() {
            let mut terms = Terms::new();
            let seed = seed(&mut terms, built_in.source);
            for random_seed in 0..4 {
                let mut chain = Chain::start(&mut terms, &seed, &*technique, &library, random_seed);
                for _ in 0..steps {
                    let Some(case) = chain.next(&mut terms) else { break };
                    check(&mut terms, &chain.script().clone(), &case.script);
                }
            }
        }
    }
}

/// Seeds that have models which the evaluator does not see: those with a heap, and one that needs too many functions.
const NOT_EVALUATED: &[&str] = &["ho-bool-functions-four", "sep-"];

#[test]
fn every_built_in_seed_is_read_without_complaint_and_is_what_it_says() {
    assert!(SEEDS.len() >= 300);
    for built_in in SEEDS {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, built_in.source, Dialect::V26);
        assert_eq!(reading.diagnostics, [], "{}", built_in.name);
        let seed = seed(&mut terms, built_in.source);
        let known = match seed.truth {
            Truth::Sat(_) => Expectation::Sat,
            Truth::Unsat(_) => Expectation::Unsat,
            Truth::Unknown => Expectation::None,
        };
        // No evaluation shows that these have a model; solvers were asked.
        let is_beyond_evaluation = NOT_EVALUATED.iter().any(|start| built_in.name.starts_with(start));
        if seed.expectation == Expectation::Sat && is_beyond_evaluation {
            continue;
        }
        assert_ne!(known, Expectation::None, "{}", built_in.name);
        assert_eq!(seed.expectation, known, "{}", built_in.name);
    }
}

#[test]
fn there_are_seeds_of_single_and_double_precision_both_sat_and_unsat() {
    // Solvers with default options may take no other formats.
    for format in ["Float32", "Float64"] {
        for label in ["; expect: sat", "; expect: unsat"] {
            let is_wanted = |seed: &&BuiltInSeed| {
                seed.source.contains(format) && seed.source.lines().next() == Some(label)
            };
            assert!(SEEDS.iter().filter(is_wanted).count() >= 2, "{format} {label}");
        }
    }
}

#[test]
fn every_case_reads_back_without_complaint_as_the_same_script() {
    for_each_case(40, |terms, script, text| {
        let reading = read_script_as(terms, text, Dialect::V26);
        assert_eq!(reading.diagnostics, [], "{text}");
        assert_eq!(reading.script.commands, script.commands, "{text}");
    });
}

#[test]
fn a_chain_keeps_to_operators_that_one_family_of_solvers_reads() {
    let library = built_in_library();
    for technique in techniques() {
        for built_in in some_seeds() {
            let mut terms = Terms::new();
            let seed = seed(&mut terms, built_in.source);
            if seed.readers(&terms) == Readers::NONE {
                continue;
            }
            let mut chain = Chain::start(&mut terms, &seed, &*technique, &library, 1);
            while chain.next(&mut terms).is_some() {}
            let readers = Readers::of_script(&terms, chain.script());
            assert_ne!(readers, Readers::NONE, "{} of {}", technique.name(), built_in.name);
        }
    }
}

#[test]
fn every_step_changes_the_script() {
    let library = built_in_library();
    for technique in techniques().into_iter().filter(|technique| technique.name() != "unchanged") {
        let mut early = 0;
        for built_in in some_seeds() {
            let mut terms = Terms::new();
            let seed = seed(&mut terms, built_in.source);
            // Of what the evaluator does not know nothing is known.
            if matches!(seed.truth, Truth::Unknown) {
                continue;
            }
            let mut chain = Chain::start(&mut terms, &seed, &*technique, &library, 5);
            let mut before = seed.script.commands.clone();
            while chain.step() < 30 && chain.next(&mut terms).is_some() {
                assert_ne!(chain.script().commands, before, "{} of {}", technique.name(), built_in.name);
                // What joins seeds starts from its seed at every step.
                if !matches!(technique.name(), "fusion" | "concat" | "variant") {
                    before = chain.script().commands.clone();
                }
            }
            // One that has grown to its bound has found enough to change: steps with functions and floats are long.
            early += u32::from(chain.step() < 5 && chain.may_go_on());
        }
        // Not every seed has something that the technique can change.
        let count = some_seeds().count() as u32;
        assert!(early * 6 <= count, "{} ends early for {early} of {count} seeds", technique.name());
    }
}

#[test]
fn cases_depend_on_seed_technique_and_random_seed_alone() {
    let library = built_in_library();
    let texts = |terms: &mut Terms, technique: &dyn Technique, source: &str| -> Vec<String> {
        let seed = seed(terms, source);
        let mut chain = Chain::start(terms, &seed, technique, &library, 3);
        (0..30).map_while(|_| chain.next(terms)).map(|case| case.script).collect()
    };
    // An arena in which everything has other ids.
    let mut used = Terms::new();
    for built_in in some_seeds().rev() {
        for technique in techniques() {
            texts(&mut used, &*technique, built_in.source);
        }
    }
    for technique in techniques() {
        for built_in in some_seeds() {
            let fresh = texts(&mut Terms::new(), &*technique, built_in.source);
            assert_eq!(fresh, texts(&mut Terms::new(), &*technique, built_in.source));
            assert_eq!(fresh, texts(&mut used, &*technique, built_in.source), "{}", built_in.name);
        }
    }
}

#[test]
fn what_the_table_does_not_know_is_carried_along() {
    let source = "(declare-const x Int) (assert (and (> x 0) (mystery (+ x 1))))(check-sat)";
    for technique in techniques() {
        for text in mutants(&*technique, source, 12) {
            assert!(text.contains("(mystery (+ x 1))"), "{text}");
        }
    }
}

#[test]
fn lineage_leads_to_the_case() {
    let library = built_in_library();
    let mut terms = Terms::new();
    let seed = seed(&mut terms, SEEDS[1].source);
    let technique = technique("operator").expect("it is in the list");
    let mut chain = Chain::start(&mut terms, &seed, &*technique, &library, 9);
    let case = (0..7).filter_map(|_| chain.next(&mut terms)).last().expect("seven steps can be made");
    assert_eq!((case.lineage.step, case.lineage.random_seed), (7, 9));
    let mut again = Chain::start(&mut terms, &seed, &*technique, &library, case.lineage.random_seed);
    let repeated = (0..case.lineage.step).filter_map(|_| again.next(&mut terms)).last();
    assert_eq!(repeated, Some(case));
}

#[test]
fn names_of_techniques_are_unique_and_lead_to_them() {
    for known in techniques() {
        assert_eq!(technique(known.name()).map(|found| found.name()), Some(known.name()));
    }
    assert!(technique("none").is_none());
}

/// A technique that makes scripts which do not read back, every second time.
struct Broken;

impl Technique for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn summary(&self) -> &'static str {
        ""
    }

    fn chain_length(&self) -> u32 {
        20
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let name = if random.one_in(4) { "undeclared" } else { "x" };
        let symbol = terms.symbols.intern(name);
        let constant = terms.constant(symbol, smelt_smtlib::sort::Sort::BOOL);
        mutant.script.replace(1, smelt_smtlib::script::Command::Assert(constant));
        true
    }
}

#[test]
fn a_case_that_does_not_read_back_is_dropped_and_counted() {
    let library = Library::default();
    let mut terms = Terms::new();
    let seed = seed(&mut terms, "(declare-const x Bool)(assert (not x))");
    let mut chain = Chain::start(&mut terms, &seed, &Broken, &library, 1);
    let mut made = 0;
    while let Some(case) = chain.next(&mut terms) {
        made += 1;
        assert_eq!(case.lineage.step, made);
        let reading = read_script_as(&mut terms, &case.script, Dialect::V26);
        assert_eq!(reading.diagnostics, [], "{}", case.script);
    }
    assert_eq!(made, 20);
    assert!(chain.dropped().cases > 0);
    let warning = chain.dropped().warning("broken");
    assert!(warning.ends_with("(first: seed a, random seed 1: unknown symbol `undeclared`)"), "{warning}");
}

#[test]
fn no_built_in_technique_makes_cases_of_built_in_seeds_that_do_not_read_back() {
    let library = built_in_library();
    for technique in techniques() {
        for built_in in some_seeds() {
            let mut terms = Terms::new();
            let seed = seed(&mut terms, built_in.source);
            let mut chain = Chain::start(&mut terms, &seed, &*technique, &library, 2);
            while chain.step() < 20 && chain.next(&mut terms).is_some() {}
            assert_eq!(*chain.dropped(), Dropped::default(), "{} of {}", technique.name(), built_in.name);
        }
    }
}
