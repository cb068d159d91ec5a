//! The genetic operators on given formulas, and whole searches with invented times.

use smelt_smtlib::op::Op;
use smelt_smtlib::read::read_script;
use smelt_smtlib::script::Command;
use smelt_smtlib::walk::{operators, subterms};

use super::*;

fn assert_well_sorted(text: &str) {
    let mut terms = Terms::new();
    let reading = read_script_as(&mut terms, text, Dialect::V26);
    assert_eq!(reading.diagnostics, [], "{text}");
    let opaque = reading.script.commands.iter().any(|command| matches!(command, Command::Opaque(_)));
    assert!(!opaque, "{text}");
}

/// The assertions after some seeds of a mutation, sorted and without repetitions.
fn mutants(mutation: Mutation, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for random_seed in 0..200 {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, source).script;
        let knobs = Knobs { literal_length: 2, depth: 2, ..Knobs::default() };
        let mut random = Random::new(random_seed);
        if let Some(changed) = mutate(&mut terms, &script, mutation, &knobs, &mut random) {
            let text = script_text(&mut terms, &changed);
            assert_well_sorted(&text);
            assert_ne!(changed.commands, script.commands);
            found.push(text.replace('\n', " ").trim_end().to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

const SOURCE: &str = "(declare-const s0 String) (declare-const s1 String) \
    (assert (= s0 \"ab\")) (assert (< (str.len s1) 3)) (check-sat)";

#[test]
fn a_new_variable_is_declared_and_used() {
    for text in mutants(Mutation::NewVariable, SOURCE) {
        let name = text.split(' ').nth(1).unwrap().to_owned();
        assert!(["s2", "i0", "b0"].contains(&name.as_str()), "{text}");
        assert!(text.matches(&name).count() >= 2, "{text}");
        assert_eq!(text.matches("(assert").count(), 3);
    }
}

#[test]
fn a_deleted_variable_is_replaced_by_another_of_its_sort() {
    let expected = [
        "(declare-const s0 String) (assert (= s0 \"ab\")) (assert (< (str.len s0) 3)) (check-sat)",
        "(declare-const s1 String) (assert (= s1 \"ab\")) (assert (< (str.len s1) 3)) (check-sat)",
    ];
    assert_eq!(mutants(Mutation::DeleteVariable, SOURCE), expected);
    let alone = "(declare-const s0 String) (declare-const i0 Int) (assert (= s0 \"a\")) (check-sat)";
    assert!(mutants(Mutation::DeleteVariable, alone).is_empty());
}

#[test]
fn assertions_are_added_and_deleted() {
    assert!(mutants(Mutation::AddAssertion, SOURCE).iter().all(|text| text.matches("(assert").count() == 3));
    let fewer = mutants(Mutation::DeleteAssertion, SOURCE);
    assert_eq!(fewer.len(), 2);
    assert!(fewer.iter().all(|text| text.matches("(assert").count() == 1));
    assert!(mutants(Mutation::DeleteAssertion, "(assert true) (check-sat)").is_empty());
}

#[test]
fn a_literal_is_changed_and_nothing_else() {
    for text in mutants(Mutation::FuzzLiteral, SOURCE) {
        let (word, number) = (text.contains("(= s0 \"ab\")"), text.contains("(< (str.len s1) 3)"));
        assert!(word != number, "{text}");
    }
}

#[test]
fn an_operator_is_replaced_over_the_same_arguments() {
    let found = mutants(Mutation::ReplaceOperator, SOURCE);
    assert!(found.iter().any(|text| text.contains("(str.contains s0 \"ab\")")), "{found:#?}");
    assert!(found.iter().any(|text| text.contains("(>= (str.len s1) 3)")), "{found:#?}");
}

#[test]
fn two_terms_of_one_sort_are_exchanged() {
    let found = mutants(Mutation::Exchange, SOURCE);
    assert!(
        found.iter().any(|text| text.contains("(= s1 \"ab\")") && text.contains("(str.len s0)")),
        "{found:#?}"
    );
    assert!(found.iter().any(|text| text.contains("(= \"ab\" s0)")), "{found:#?}");
}

#[test]
fn a_fifth_of_the_assertions_of_both_parents_is_exchanged() {
    assert_eq!(exchanged(5, 5), 2);
    assert_eq!(exchanged(8, 8), 3);
    assert_eq!(exchanged(1, 1), 1);
    assert_eq!(exchanged(2, 2), 1);
    // Three of fifteen, but one parent has only two.
    assert_eq!(exchanged(13, 2), 1);
}

#[test]
fn crossover_swaps_assertions_and_declares_what_they_need() {
    let mut terms = Terms::new();
    let first = read_script(&mut terms, "(declare-const s0 String) (assert (= s0 \"a\")) (check-sat)").script;
    let second = read_script(&mut terms, "(declare-const i0 Int) (assert (= i0 1)) (check-sat)").script;
    let (left, right) = crossover(&terms, &first, &second, &mut Random::new(0)).unwrap();
    let texts = [left, right].map(|script| script_text(&mut terms, &script));
    texts.iter().for_each(|text| assert_well_sorted(text));
    assert!(
        texts[0].contains("(assert (= i0 1))") && texts[0].contains("(declare-const i0 Int)"),
        "{texts:?}"
    );
    assert!(texts[1].contains("(assert (= s0 \"a\"))") && texts[1].contains("(declare-const s0 String)"));
}

/// A target that takes a second for each `str.replace` of a formula, and a reference that takes half a second for all.
fn run(text: &str) -> Measured {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, text).script;
    let roots: Vec<_> = script.assertions().collect();
    let is_slow = |term: &smelt_smtlib::term::Term| {
        terms
            .op(*term)
            .is_some_and(|op| op.info().theory == smelt_smtlib::op::Theory::Strings && op == Op::StrReplace)
    };
    let slow = subterms(&terms, &roots).iter().filter(|term| is_slow(term)).count();
    let mut covered = Covered::default();
    for op in operators(&terms, &roots) {
        covered.files.entry(op.info().name.to_owned()).or_default().insert(1, 1);
    }
    let trace = Trace::of_lines(text.split(' ').map(str::as_bytes));
    Measured { target_secs: slow as f64, reference_secs: 0.5, covered, trace }
}

fn search(variant: Variant, generations: usize) -> Evolution {
    let settings = Settings { variant, population: 12, ..Settings::default() };
    let mut evolution = Evolution::new(settings, 1);
    while evolution.history().len() <= generations {
        let candidate = evolution.ask().expect("everything that was asked for is told");
        assert_well_sorted(&candidate.text);
        let measured = run(&candidate.text);
        evolution.tell(candidate.number, measured);
    }
    evolution
}

#[test]
fn every_variant_finds_slower_formulas() {
    for variant in VARIANTS {
        let evolution = search(variant, 40);
        let history = evolution.history();
        let (first, last) = (&history[0], &history[history.len() - 1]);
        // Traces tell formulas of one front apart, so the slowest need not stay until the end.
        let best = history.iter().map(|generation| generation.best_time).fold(0.0, f64::max);
        assert!(best > first.best_time, "{}: {first:?} {best}", variant.name);
        assert!(last.rows >= first.rows, "{}", variant.name);
    }
}

#[test]
fn complexity_as_an_objective_keeps_formulas_simple() {
    let mean = |name: &str| {
        let evolution = search(Variant::named(name).unwrap(), 25);
        evolution.history().last().unwrap().mean_complexity
    };
    assert!(mean("default") < mean("no-complexity"));
}

#[test]
fn nothing_in_the_front_dominates_anything_in_it_and_the_slowest_is_first() {
    let evolution = search(Variant::default(), 10);
    let front = evolution.front();
    assert!(!front.is_empty());
    for first in &front {
        for second in &front {
            assert!(!dominates(&evolution.objectives(first), &evolution.objectives(second)));
        }
    }
    assert!(front.windows(2).all(|pair| pair[0].time >= pair[1].time));
}

#[test]
fn a_generation_is_made_when_all_of_the_one_before_is_told() {
    let settings = Settings { population: 3, ..Settings::default() };
    let mut evolution = Evolution::new(settings, 7);
    let first: Vec<Candidate> = (0..3).map(|_| evolution.ask().unwrap()).collect();
    assert_eq!(evolution.ask(), None);
    for candidate in first.iter().rev() {
        evolution.tell(candidate.number, run(&candidate.text));
        evolution.tell(candidate.number, Measured { target_secs: 99.0, ..Measured::default() });
    }
    evolution.tell(1000, Measured::default());
    assert_eq!(evolution.evaluated(), 3);
    let next = evolution.ask().unwrap();
    assert!(next.number >= 3);
    assert_eq!(evolution.history().len(), 1);
    assert!(evolution.history()[0].best_time < 99.0);
}

#[test]
fn the_same_seed_and_the_same_answers_give_the_same_search() {
    let texts = || {
        let evolution = search(Variant::default(), 4);
        evolution.front().iter().map(|individual| individual.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(texts(), texts());
}
