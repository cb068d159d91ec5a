//! What holds of all random formulas and of all inserted operators.

use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::walk::{depth, operators};

use super::*;

fn all_operators(terms: &Terms, script: &Script) -> Vec<Op> {
    operators(terms, &script.assertions().collect::<Vec<_>>())
}

/// Panics unless the text of a script reads back as the same script.
fn assert_reads_back(terms: &mut Terms, script: &Script) {
    let text = script_text(terms, script);
    let reading = read_script_as(terms, &text, script.dialect);
    assert_eq!(reading.diagnostics, [], "{text}");
    assert_eq!(reading.script.commands, script.commands, "{text}");
}

fn knobs(literal_length: u32, variables: u32, assertions: u32, depth: u32) -> Knobs {
    Knobs { literal_length, variables, assertions, depth, weights: Weights::default() }
}

#[test]
fn every_formula_reads_back_as_the_same_script_in_both_dialects() {
    for random_seed in 0..300 {
        let mut terms = Terms::new();
        let mut random = Random::new(random_seed);
        let knobs = knobs(
            random.below(40) as u32,
            random.below(20) as u32,
            1 + random.below(6) as u32,
            random.below(7) as u32,
        );
        let mut script = random_script(&mut terms, &knobs, &mut random);
        assert_reads_back(&mut terms, &script);
        script.dialect = Dialect::V25;
        assert_reads_back(&mut terms, &script);
    }
}

#[test]
fn knobs_say_how_much_there_is() {
    for random_seed in 0..100 {
        let mut terms = Terms::new();
        let mut random = Random::new(random_seed);
        let knobs = knobs(8, 5, 4, 2 + random_seed as u32 % 5);
        let script = random_script(&mut terms, &knobs, &mut random);
        let declared =
            script.commands.iter().filter(|command| matches!(command, Command::DeclareConst(..))).count();
        assert_eq!(declared, 5);
        assert_eq!(script.assertions().count(), 4);
        assert_eq!(script.commands.last(), Some(&Command::CheckSat));
        for formula in script.assertions() {
            let levels = depth(&terms, formula);
            // The innermost level of a regular expression is a word with the operator around it.
            assert!((2..=u64::from(knobs.depth) + 1).contains(&levels), "{levels} of {}", knobs.depth);
        }
        for term in smelt_smtlib::walk::subterms(&terms, &script.assertions().collect::<Vec<_>>()) {
            if let Head::Literal(smelt_smtlib::term::Literal::Str, text) = terms.head(term) {
                assert!(terms.text(text).len() <= 8);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_formula_whatever_the_arena_holds() {
    let text_in = |mut terms: Terms| {
        let script = random_script(&mut terms, &Knobs::default(), &mut Random::new(3));
        script_text(&mut terms, &script)
    };
    let mut used = Terms::new();
    random_script(&mut used, &knobs(10, 7, 9, 6), &mut Random::new(8));
    assert_eq!(text_in(Terms::new()), text_in(used));
}

#[test]
fn every_operator_with_a_weight_occurs_and_no_other() {
    let weights = Weights::default().filter(|op| op != Op::StrContains && op != Op::ReComp);
    let knobs = Knobs { weights, depth: 5, ..Knobs::default() };
    let mut seen = Vec::new();
    for random_seed in 0..300 {
        let mut terms = Terms::new();
        let script = random_script(&mut terms, &knobs, &mut Random::new(random_seed));
        seen.extend(all_operators(&terms, &script));
    }
    seen.sort_unstable();
    seen.dedup();
    // Truth values are leaves, not operators to choose.
    seen.retain(|op| !matches!(op, Op::True | Op::False));
    let missing: Vec<Op> = knobs.weights.ops().filter(|op| !seen.contains(op)).collect();
    // A character by its code is a leaf that nothing but a search asks for.
    assert_eq!(missing, [Op::Char]);
    assert!(seen.iter().all(|op| knobs.weights.of(*op) > 0), "{seen:?}");
}

#[test]
fn all_string_operators_of_the_standard_are_actions() {
    let actions = actions();
    for op in crate::operators::OperatorSet::standard().iter() {
        if matches!(op.info().theory, smelt_smtlib::op::Theory::Strings | smelt_smtlib::op::Theory::Regexes) {
            assert!(actions.contains(&op), "{op:?}");
        }
    }
    assert!(actions.contains(&Op::Ite) && actions.contains(&Op::Add) && actions.contains(&Op::And));
    assert!(!actions.contains(&Op::Mul) && !actions.contains(&Op::BvAdd));
}

#[test]
fn a_weight_can_be_given_only_to_operators_on_strings_and_what_is_around_them() {
    let mut weights = Weights::default();
    weights.set(Op::Mul, 3);
    weights.set(Op::BvAdd, 3);
    weights.set(Op::StrLen, 0);
    weights.set(Op::StrRev, 2);
    assert_eq!([Op::Mul, Op::BvAdd, Op::StrLen, Op::StrRev].map(|op| weights.of(op)), [3, 0, 0, 2]);
}

#[test]
fn an_inserted_operator_is_there_and_the_rest_is_well_sorted() {
    for (random_seed, action) in (0..).zip(actions().into_iter().cycle().take(600)) {
        let mut terms = Terms::new();
        let mut random = Random::new(random_seed);
        let knobs = knobs(6, 4, 3, 4);
        let script = random_script(&mut terms, &knobs, &mut random);
        let Some(mutant) = insert(&mut terms, &script, action, &knobs, &mut random) else { continue };
        assert!(all_operators(&terms, &mutant).contains(&action), "{action:?}");
        assert_ne!(mutant.commands, script.commands);
        assert_reads_back(&mut terms, &mutant);
    }
}

#[test]
fn every_action_finds_a_place_in_a_formula_with_all_sorts() {
    let source = "(declare-const x String) (declare-const i Int) \
        (assert (and (str.in_re x (re.* (re.opt re.allchar))) (< i (str.len x))))";
    for action in actions() {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, source).script;
        let found = insert(&mut terms, &script, action, &Knobs::default(), &mut Random::new(1));
        assert!(found.is_some(), "{action:?}");
    }
}

#[test]
fn there_is_no_place_for_a_regular_expression_where_none_is() {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, "(declare-const x String) (assert (= x \"a\"))").script;
    assert_eq!(insert(&mut terms, &script, Op::ReStar, &Knobs::default(), &mut Random::new(1)), None);
}

#[test]
fn a_name_that_a_script_gives_another_meaning_is_not_inserted() {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, "(declare-fun abs (Int) Int) (assert (= 1 (abs 2)))").script;
    assert_eq!(insert(&mut terms, &script, Op::Abs, &Knobs::default(), &mut Random::new(1)), None);
}

#[test]
fn inserting_again_and_again_does_not_grow_without_end() {
    let mut terms = Terms::new();
    let mut random = Random::new(5);
    let knobs = knobs(6, 4, 3, 4);
    let mut script = random_script(&mut terms, &knobs, &mut random);
    let actions = actions();
    for _ in 0..500 {
        let action = *random.choose(&actions).expect("there are actions");
        if let Some(mutant) = insert(&mut terms, &script, action, &knobs, &mut random) {
            script = mutant;
        }
        for formula in script.assertions() {
            assert!(depth(&terms, formula) <= u64::from(knobs.depth) + 2);
        }
    }
}

#[test]
fn nothing_is_put_where_a_literal_is_wanted() {
    let mut terms = Terms::new();
    let source = "(declare-const x String) (assert (str.in_re x (re.range \"a\" \"c\")))";
    let script = read_script(&mut terms, source).script;
    for random_seed in 0..200 {
        let mut random = Random::new(random_seed);
        let Some(mutant) = insert(&mut terms, &script, Op::StrAt, &Knobs::default(), &mut random) else {
            continue;
        };
        let text = script_text(&mut terms, &mutant);
        assert!(text.contains("(re.range \"a\" \"c\")"), "{text}");
    }
}
