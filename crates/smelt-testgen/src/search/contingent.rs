//! Random formulas of which every assertion matters: each is true for some values of the constants and false for others.
//!
//! Most random assertions are true or false whatever the constants are, and one that is false makes the whole formula
//! trivial, and all that a search makes of it. Here an assertion is drawn again unless our evaluator has seen it both true
//! and false for a few random values. The formula as a whole may still have any answer.

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{Evaluation, Model, check};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::random::Random;
use crate::random_formula::{Knobs, random_script};

/// How often an assertion is drawn; the last one is taken as it is.
const DRAWS: u32 = 12;

/// How many values of the constants an assertion is evaluated for, at most.
const SAMPLES: u32 = 16;

/// What evaluating an assertion once may cost.
const EFFORT: u64 = 1 << 16;

/// Makes a formula: declarations, assertions that matter, and one check.
pub fn contingent_script(terms: &mut Terms, knobs: &Knobs, random: &mut Random) -> Script {
    let single = Knobs { assertions: 1, ..knobs.clone() };
    // Declarations depend on the number of constants alone.
    let mut script = random_script(terms, &Knobs { assertions: 0, ..knobs.clone() }, random);
    let end = script.commands.iter().position(|command| *command == Command::CheckSat);
    let rest = script.commands.split_off(end.unwrap_or(script.commands.len()));
    for _ in 0..knobs.assertions {
        let mut drawn = random_script(terms, &single, random);
        for _ in 1..DRAWS {
            if is_contingent(terms, &drawn, random) {
                break;
            }
            drawn = random_script(terms, &single, random);
        }
        script
            .commands
            .extend(drawn.commands.into_iter().filter(|command| matches!(command, Command::Assert(_))));
    }
    script.commands.extend(rest);
    script
}

/// Whether the assertions of a script are seen to hold together for some values of the constants, and not for others.
fn is_contingent(terms: &mut Terms, script: &Script, random: &mut Random) -> bool {
    let environment = Environment::at_last_check(terms, script);
    let words = words_of(terms, script);
    let constants: Vec<(Symbol, Sort)> = script
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::DeclareConst(name, sort) => Some((*name, *sort)),
            _ => None,
        })
        .collect();
    let (mut is_true, mut is_false) = (false, false);
    for _ in 0..SAMPLES {
        let mut model = Model::new();
        for (name, sort) in &constants {
            let value = draw_value(terms, *sort, &words, random);
            model.set(terms, *name, value);
        }
        let evaluations = check(terms, &environment, &model, Budget::new(EFFORT));
        is_true |= evaluations.iter().all(|verdict| *verdict == Evaluation::True);
        is_false |= evaluations.contains(&Evaluation::False);
        if is_true && is_false {
            return true;
        }
    }
    false
}

/// The texts of the string literals in a script.
fn words_of(terms: &Terms, script: &Script) -> Vec<String> {
    let roots: Vec<Term> = script.terms().collect();
    let word = |term: Term| match terms.head(term) {
        Head::Literal(Literal::Str, text) => Some(terms.text(text).to_owned()),
        _ => None,
    };
    subterms(terms, &roots).into_iter().filter_map(word).collect()
}

/// A value for a constant: a word of the formula, two of them, a letter, or nothing; a small number; true or false.
fn draw_value(terms: &mut Terms, sort: Sort, words: &[String], random: &mut Random) -> Term {
    match sort {
        Sort::STRING => {
            let mut word = || random.choose(words).cloned().unwrap_or_else(|| "a".to_owned());
            let (one, other) = (word(), word());
            let text = match random.below(5) {
                0 | 1 => one,
                2 => one + &other,
                3 => ["a", "b", "0", "1", "9"][random.position(5)].to_owned(),
                _ => String::new(),
            };
            terms.literal(Literal::Str, &text, sort)
        }
        Sort::INT => {
            let number = random.below(8).to_string();
            terms.literal(Literal::Numeral, &number, sort)
        }
        _ => terms.bool(random.one_in(2)),
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::script_text;
    use smelt_smtlib::read::read_script;

    use super::*;

    #[test]
    fn formulas_are_what_the_knobs_say() {
        let mut random = Random::new(1);
        for variables in [1, 4, 9] {
            let mut terms = Terms::new();
            let knobs = Knobs { variables, assertions: 5, ..Knobs::default() };
            let script = contingent_script(&mut terms, &knobs, &mut random);
            let count = |is_it: fn(&Command) -> bool| script.commands.iter().filter(|one| is_it(one)).count();
            assert_eq!(count(|one| matches!(one, Command::DeclareConst(..))), variables as usize);
            assert_eq!(count(|one| matches!(one, Command::Assert(_))), 5);
            assert_eq!(script.commands.last(), Some(&Command::CheckSat));
            let text = script_text(&mut terms, &script);
            let again = read_script(&mut terms, &text);
            assert!(again.diagnostics.is_empty(), "{text}\n{:?}", again.diagnostics);
        }
    }

    #[test]
    fn more_assertions_matter_than_by_chance_alone() {
        let mut random = Random::new(2);
        let single = Knobs { assertions: 1, ..Knobs::default() };
        let mut count = |make: fn(&mut Terms, &Knobs, &mut Random) -> Script| {
            (0..200)
                .filter(|_| {
                    let mut terms = Terms::new();
                    let script = make(&mut terms, &single, &mut random);
                    is_contingent(&mut terms, &script, &mut random)
                })
                .count()
        };
        let (drawn, chosen) = (count(random_script), count(contingent_script));
        assert!(chosen > 150 && chosen > drawn + 50, "{drawn} by chance, {chosen} chosen");
    }

    #[test]
    fn what_is_always_true_or_false_does_not_matter() {
        let check = |assertion: &str| {
            let mut terms = Terms::new();
            let text = format!("(declare-const s0 String)(assert {assertion})(check-sat)");
            let script = read_script(&mut terms, &text).script;
            is_contingent(&mut terms, &script, &mut Random::new(3))
        };
        assert!(check(r#"(= s0 "abc")"#));
        assert!(check(r#"(str.contains s0 "ab")"#));
        assert!(!check(r#"(= s0 s0)"#));
        assert!(!check(r#"(str.prefixof "ab" "b")"#));
    }

    #[test]
    fn the_same_seed_makes_the_same_formula() {
        let make = |seed| {
            let mut terms = Terms::new();
            let script = contingent_script(&mut terms, &Knobs::default(), &mut Random::new(seed));
            script_text(&mut terms, &script)
        };
        assert_eq!(make(5), make(5));
        assert_ne!(make(5), make(6));
    }
}
