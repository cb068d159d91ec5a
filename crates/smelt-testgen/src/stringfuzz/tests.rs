//! What holds of all families and transformers.

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{Evaluation, Model, check};
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Literal, Terms};

use super::*;
use crate::built_in::SEEDS;
use crate::random::Random;
use crate::random_formula::{Knobs, Weights, random_script};

fn assert_reads_back(terms: &mut Terms, script: &Script) {
    for dialect in [Dialect::V26, Dialect::V25] {
        let script = Script { dialect, ..script.clone() };
        let text = script_text(terms, &script);
        let reading = read_script_as(terms, &text, dialect);
        assert_eq!(reading.diagnostics, [], "{text}");
        assert_eq!(reading.script.commands, script.commands, "{text}");
    }
}

fn family_text(family: Family, size: u32, random_seed: u64) -> String {
    let mut terms = Terms::new();
    let settings = Settings { size, literal_length: 3, weights: Weights::default() };
    let script = generate(&mut terms, family, &settings, &mut Random::new(random_seed));
    script_text(&mut terms, &script)
}

#[test]
fn every_family_reads_back_as_the_same_script_in_both_dialects() {
    for family in Family::ALL {
        for size in [0, 1, 2, 5, 9] {
            for literal_length in [0, 1, 7] {
                let mut terms = Terms::new();
                let settings = Settings { size, literal_length, weights: Weights::default() };
                let script = generate(&mut terms, family, &settings, &mut Random::new(u64::from(size)));
                assert_reads_back(&mut terms, &script);
                assert_eq!(script.commands.last(), Some(&Command::CheckSat));
            }
        }
    }
}

#[test]
fn every_family_grows_with_its_size() {
    for family in Family::ALL {
        assert!(family_text(family, 8, 1).len() > family_text(family, 2, 1).len(), "{}", family.name());
    }
}

#[test]
fn deep_concatenations_may_be_very_deep() {
    let text = family_text(Family::ConcatsDeep, 20_000, 1);
    assert_eq!(text.matches("(str.++ ").count(), 20_000);
}

#[test]
fn families_are_what_the_paper_says() {
    let deep = family_text(Family::ConcatsDeep, 2, 1);
    assert!(deep.contains("(assert (= x0 (str.++ x1 (str.++ x2 x3))))"), "{deep}");
    let balanced = family_text(Family::ConcatsBalanced, 2, 1);
    assert!(balanced.contains("(assert (= x0 (str.++ (str.++ x1 x2) (str.++ x3 x4))))"), "{balanced}");
    let overlaps = family_text(Family::Overlaps, 1, 1);
    assert!(overlaps.contains(" x0) (str.++ x0 \""), "{overlaps}");
    let different = family_text(Family::DifferentPrefix, 1, 1);
    assert!(
        different.contains("(assert (= (str.++ \"a\" (str.++ x0 x1)) (str.++ \"b\" (str.++ x2 x3))))"),
        "{different}"
    );
}

/// The assertions after a transformer, with the first random seed that changes something.
fn check_transform(transformer: Transformer, formula: &str, expected: &str) {
    let mut terms = Terms::new();
    let source = format!("(declare-const x String) (declare-const y String) (assert {formula})");
    let script = read_script(&mut terms, &source).script;
    let changed = transform(&mut terms, &script, transformer, &mut Random::new(0));
    let text = match changed {
        None => "nothing".to_owned(),
        Some(changed) => {
            let text = script_text(&mut terms, &changed.script);
            let asserted = text.lines().filter(|line| line.starts_with("(assert")).collect::<String>();
            format!("{asserted} keeps {}", changed.keeps.word())
        }
    };
    assert_eq!(text, expected);
}

#[test]
fn nop() {
    check_transform(Transformer::Nop, "(= x \"a\")", "(assert (= x \"a\")) keeps the answer");
}

#[test]
fn reverse() {
    let expected = "(assert (= (str.++ \"ba\" y x) \"dc\")) keeps the answer";
    check_transform(Transformer::Reverse, "(= (str.++ x y \"ab\") \"cd\")", expected);
    let expected = "(assert (str.suffixof \"ba\" x)) keeps the answer";
    check_transform(Transformer::Reverse, "(str.prefixof \"ab\" x)", expected);
    let expected = "(assert (= (str.substr x 0 1) \"ba\")) keeps nothing";
    check_transform(Transformer::Reverse, "(= (str.substr x 0 1) \"ab\")", expected);
    check_transform(Transformer::Reverse, "(= x \"a\")", "nothing");
}

#[test]
fn multiply() {
    let mut terms = Terms::new();
    let source = "(declare-const x String) (assert (= x \"ab\")) (assert (< (str.len x) 3))";
    let script = read_script(&mut terms, source).script;
    let changed = transform(&mut terms, &script, Transformer::Multiply, &mut Random::new(3)).unwrap();
    let text = script_text(&mut terms, &changed.script);
    assert_eq!(changed.keeps, Keeps::Sat);
    let matches = (2..=5).any(|factor| {
        let word = "a".repeat(factor) + &"b".repeat(factor);
        text.contains(&format!("(= x \"{word}\")"))
            && text.contains(&format!("(< (str.len x) {})", 3 * factor))
    });
    assert!(matches, "{text}");
    // The position -1 would become another one.
    let source = "(declare-const x String) (assert (= (str.indexof x \"a\" 0) 2))";
    let script = read_script(&mut terms, source).script;
    let changed = transform(&mut terms, &script, Transformer::Multiply, &mut Random::new(3)).unwrap();
    assert_eq!(changed.keeps, Keeps::Nothing);
}

#[test]
fn rotate() {
    let expected = "(assert (< (str.len (str.++ (str.++ y \"a\") x)) 3)) keeps nothing";
    check_transform(Transformer::Rotate, "(< (str.len (str.++ (str.++ x y) \"a\")) 3)", expected);
    check_transform(Transformer::Rotate, "(= (str.len x) 1)", "nothing");
}

#[test]
fn graft() {
    let formula = "(= (str.++ x y) \"a\")";
    let mut found = Vec::new();
    for random_seed in 0..100 {
        let mut terms = Terms::new();
        let source = format!("(declare-const x String) (declare-const y String) (assert {formula})");
        let script = read_script(&mut terms, &source).script;
        if let Some(changed) =
            transform(&mut terms, &script, Transformer::Graft, &mut Random::new(random_seed))
        {
            found.push(script_text(&mut terms, &changed.script));
        }
    }
    assert!(found.iter().any(|text| text.contains("(assert (= \"a\" (str.++ x y)))")), "{found:?}");
}

#[test]
fn unprintable() {
    let expected = "(assert (= x \"\\u{c1}\\u{91}\")) keeps the answer";
    check_transform(Transformer::Unprintable, "(= x \"a1\")", expected);
    let expected = "(assert (str.in_re x (re.range \"\\u{c1}\" \"\\u{c3}\"))) keeps the answer";
    check_transform(Transformer::Unprintable, "(str.in_re x (re.range \"a\" \"c\"))", expected);
    let expected = "(assert (= (str.to_int x) (str.to_int \"\\u{91}\"))) keeps nothing";
    check_transform(Transformer::Unprintable, "(= (str.to_int x) (str.to_int \"1\"))", expected);
}

#[test]
fn translate() {
    for random_seed in 0..50 {
        let mut terms = Terms::new();
        let source = "(declare-const x String) (assert (str.in_re x (re.range \"a\" \"c\"))) \
            (assert (= (str.to_int x) 1)) (assert (not (= x \"bzyx19\")))";
        let script = read_script(&mut terms, source).script;
        let mut random = Random::new(random_seed);
        let changed = transform(&mut terms, &script, Transformer::Translate, &mut random).unwrap();
        assert_eq!(changed.keeps, Keeps::Answer);
        let text = script_text(&mut terms, &changed.script);
        // Digits and ranges are themselves; a letter of the range stays within it.
        assert!(text.contains("19\")"), "{text}");
        let word = text.split("(= x \"").nth(1).unwrap();
        assert!(matches!(word.as_bytes()[0], b'a'..=b'c'), "{text}");
        assert!(!matches!(word.as_bytes()[1], b'a'..=b'c' | b'0'..=b'9'), "{text}");
    }
}

#[test]
fn fuzz() {
    let source = "(declare-const x String) (assert (str.in_re x (re.* (str.to_re \"abc\"))))";
    let mut found = Vec::new();
    for random_seed in 0..60 {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, source).script;
        if let Some(changed) =
            transform(&mut terms, &script, Transformer::Fuzz, &mut Random::new(random_seed))
        {
            assert_eq!(changed.keeps, Keeps::Nothing);
            found.push(script_text(&mut terms, &changed.script));
        }
    }
    assert!(found.iter().any(|text| text.contains("re.+")), "an operator becomes another: {found:?}");
    assert!(found.iter().any(|text| !text.contains("\"abc\"")), "a literal becomes another: {found:?}");
}

#[test]
fn every_transformer_gives_scripts_that_read_back() {
    let mut changed_by = [0_usize; Transformer::ALL.len()];
    for built_in in SEEDS.iter().step_by(3) {
        for (position, transformer) in Transformer::ALL.into_iter().enumerate() {
            let mut terms = Terms::new();
            let script = read_script(&mut terms, built_in.source).script;
            let mut random = Random::new(position as u64);
            let Some(changed) = transform(&mut terms, &script, transformer, &mut random) else { continue };
            changed_by[position] += 1;
            let text = script_text(&mut terms, &changed.script);
            let reading = read_script_as(&mut terms, &text, Dialect::V26);
            assert_eq!(reading.diagnostics, [], "{} of {}: {text}", transformer.name(), built_in.name);
            assert_eq!(reading.script.commands, changed.script.commands, "{text}");
        }
    }
    assert!(changed_by.iter().all(|count| *count > 5), "{changed_by:?}");
}

/// Words of few letters, and numbers, for all constants of a script.
fn random_model(terms: &mut Terms, script: &Script, random: &mut Random) -> Model {
    let mut model = Model::new();
    for command in &script.commands {
        let Command::DeclareConst(name, sort) = command else { continue };
        let value = match *sort {
            Sort::STRING => {
                let letters = ['a', 'b', '0', '1', '-'];
                let word: String =
                    (0..random.below(6)).map(|_| letters[random.position(letters.len())]).collect();
                terms.literal(Literal::Str, &word, Sort::STRING)
            }
            Sort::INT => {
                let number = random.below(8).to_string();
                let number = terms.literal(Literal::Numeral, &number, Sort::INT);
                if random.one_in(3) { terms.apply(Op::Neg, &[], &[number]).unwrap() } else { number }
            }
            _ => terms.bool(random.one_in(2)),
        };
        model.set(terms, *name, value);
    }
    model
}

/// What is kept is kept model by model: an assertion and its image have the same value under a model and its image.
#[test]
fn what_a_transformer_keeps_our_evaluator_confirms() {
    let mut compared = [0_usize; Transformer::ALL.len()];
    let mut trues = 0;
    for random_seed in 0..4000 {
        let mut terms = Terms::new();
        let mut random = Random::new(random_seed);
        let all = Weights::default();
        // A few operators at a time, so that all of them are often among those that a transformer allows.
        let chosen: Vec<Op> = all.ops().filter(|_| random.one_in(5)).collect();
        let weights = all.filter(|op| chosen.contains(&op));
        let knobs = Knobs { literal_length: 4, variables: 4, assertions: 2, depth: 3, weights };
        let script = random_script(&mut terms, &knobs, &mut random);
        for (position, transformer) in Transformer::ALL.into_iter().enumerate() {
            let Some(changed) = transform(&mut terms, &script, transformer, &mut random) else { continue };
            if changed.keeps == Keeps::Nothing {
                continue;
            }
            for _ in 0..3 {
                let model = random_model(&mut terms, &script, &mut random);
                let image = changed.model(&mut terms, &model);
                let values = |script: &Script, model: &Model| {
                    let environment = Environment::at_last_check(&terms, script);
                    check(&terms, &environment, model, Budget::new(1 << 22))
                };
                let (before, after) = (values(&script, &model), values(&changed.script, &image));
                trues += before.iter().filter(|verdict| **verdict == Evaluation::True).count();
                compared[position] += 1;
                if before != after {
                    let texts = [&script, &changed.script].map(|script| script_text(&mut terms, script));
                    panic!("{}: {before:?} became {after:?}\n{}\n{}", transformer.name(), texts[0], texts[1]);
                }
            }
        }
    }
    let claiming = |transformer: Transformer| compared[transformer as usize];
    for transformer in [
        Transformer::Nop,
        Transformer::Reverse,
        Transformer::Translate,
        Transformer::Unprintable,
        Transformer::Multiply,
    ] {
        assert!(claiming(transformer) > 100, "{}: {}", transformer.name(), claiming(transformer));
    }
    assert!(trues > 1000, "{trues}");
    for transformer in [Transformer::Fuzz, Transformer::Graft, Transformer::Rotate] {
        assert_eq!(claiming(transformer), 0);
    }
}
