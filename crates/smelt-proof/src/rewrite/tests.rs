use smelt_smtlib::print::term_text;
use smelt_smtlib::script::Command;

use super::*;
use crate::counterexample;
use crate::testing::{CONSTANTS, read};

fn check(one: &str, other: &str, expected: bool) {
    let mut terms = Terms::new();
    let read = read(&mut terms, &[one, other]);
    let found = Identities::default().are_equal(&mut terms, read[0], read[1]);
    assert_eq!(found, expected, "{one} and {other}");
}

/// Pairs of equal terms, at least one for each identity.
const EQUAL: &[(&str, &str)] = &[
    ("(not (not p))", "p"),
    ("(and p (and q p) true)", "(and q p)"),
    ("(and p (or (not p) q))", "(and p q)"),
    ("(and p (or p q))", "p"),
    ("(or p (and (not p) q))", "(or q p)"),
    ("(=> p q)", "(or (not p) q)"),
    ("(xor p q)", "(not (= q p))"),
    ("(distinct x y \"a\")", "(and (not (= y x)) (not (= \"a\" x)) (not (= y \"a\")))"),
    ("(= x y \"a\")", "(and (= x y) (= \"a\" y))"),
    ("(< i j 2)", "(and (< i j) (< j 2))"),
    ("(= (not p) q)", "(not (= p q))"),
    ("(ite p q false)", "(and p q)"),
    ("(ite (not p) x y)", "(ite p y x)"),
    ("(ite p (ite p x y) y)", "(ite p x y)"),
    ("(<= (ite p 1 0) 0)", "(not p)"),
    ("(= (ite p 1 i) 2)", "(and (not p) (= i 2))"),
    ("(+ i (- j i) (* 2 i) 3)", "(+ (* 2 i) j 3)"),
    ("(abs i)", "(ite (<= 0 i) i (- i))"),
    ("(mod i 1)", "0"),
    ("(not (<= i j))", "(<= (+ j 1) i)"),
    ("(<= (* 2 i) 3)", "(<= i 1)"),
    ("(= (* 2 i) 3)", "false"),
    ("(>= (str.len x) 0)", "true"),
    ("(= (str.len x) 0)", "(= \"\" x)"),
    ("(<= (str.indexof x y i) (str.len x))", "true"),
    ("(str.++ (str.++ x \"a\") \"\" (str.++ \"b\" y))", "(str.++ x \"ab\" y)"),
    ("(str.len (str.++ x \"ab\"))", "(+ 2 (str.len x))"),
    ("(str.len (str.replace x \"a\" \"b\"))", "(str.len x)"),
    ("(str.len (str.substr (str.++ \"ab\" x) 1 1))", "1"),
    ("(= (str.++ x \"a\") (str.++ x y))", "(= y \"a\")"),
    ("(= (str.++ \"a\" x) (str.++ \"b\" y))", "false"),
    ("(= (str.++ x y) \"\")", "(and (= x \"\") (= y \"\"))"),
    ("(= x (str.++ y x))", "(= y \"\")"),
    ("(= (str.++ x \"a\" y) (str.++ y \"b\" x))", "false"),
    ("(= (str.++ x \"c\" y) \"ab\")", "false"),
    ("(str.< x y)", "(not (str.<= y x))"),
    ("(str.<= (str.++ x \"a\") (str.++ x \"b\"))", "true"),
    ("(str.prefixof (str.++ \"a\" x) (str.++ \"ab\" y))", "(str.prefixof x (str.++ \"b\" y))"),
    ("(str.suffixof x (str.++ y x))", "true"),
    ("(str.at x i)", "(str.substr x i 1)"),
    ("(str.substr x i 0)", "\"\""),
    ("(str.substr x 0 (str.len x))", "x"),
    ("(str.substr (str.++ \"abc\" x) 2 i)", "(str.substr (str.++ \"c\" x) 0 i)"),
    ("(str.substr (str.++ \"abc\" x) 1 2)", "\"bc\""),
    ("(str.substr (str.++ x y) 0 (+ 1 (str.len x)))", "(str.++ x (str.substr y 0 1))"),
    ("(str.substr (str.substr x 1 3) 1 1)", "(str.substr x 2 1)"),
    ("(str.contains (str.++ x \"ab\" y) (str.++ \"b\" y))", "true"),
    ("(str.contains \"abc\" (str.++ \"c\" x \"a\"))", "false"),
    ("(str.contains (str.++ x y) \"a\")", "(or (str.contains y \"a\") (str.contains x \"a\"))"),
    ("(str.contains (str.++ \"ba\" x) \"ab\")", "(str.contains (str.++ \"a\" x) \"ab\")"),
    ("(str.indexof x \"\" i)", "(ite (and (<= 0 i) (<= i (str.len x))) i (- 1))"),
    ("(str.indexof (str.++ \"abc\" x) \"c\" 1)", "2"),
    ("(str.indexof (str.++ x \"a\" y) \"a\" 0)", "(str.indexof (str.++ x \"a\") \"a\" 0)"),
    ("(str.indexof x y (- 1))", "(- 1)"),
    ("(str.replace x \"\" y)", "(str.++ y x)"),
    ("(str.replace \"\" x y)", "(ite (= x \"\") y \"\")"),
    ("(str.replace (str.++ x \"b\") x y)", "(str.++ y \"b\")"),
    ("(str.replace_all (str.++ x \"aba\") \"a\" y)", "(str.++ (str.replace_all x \"a\" y) y \"b\" y)"),
    ("(str.replace_all x x y)", "(ite (= x \"\") \"\" y)"),
    ("(str.replace_re x (str.to_re \"a\") y)", "(str.replace x \"a\" y)"),
    ("(str.to_int (str.from_int i))", "(ite (>= i 0) i (- 1))"),
    ("(str.to_int (str.++ x \"a\"))", "(- 1)"),
    ("(= (str.from_int i) \"12\")", "(= i 12)"),
    ("(= (str.from_int i) \"012\")", "false"),
    ("(= (str.to_code x) 97)", "(= x \"a\")"),
    ("(str.from_code (str.to_code x))", "(ite (= (str.len x) 1) x \"\")"),
    ("(str.is_digit x)", "(and (<= 48 (str.to_code x)) (<= (str.to_code x) 57))"),
    ("(str.in_re x (re.union (str.to_re \"a\") re.none))", "(= x \"a\")"),
    ("(str.in_re x (re.comp re.allchar))", "(not (= 1 (str.len x)))"),
    ("(str.in_re x (re.++ re.all (str.to_re \"a\") re.all))", "(str.contains x \"a\")"),
    ("(str.in_re x (re.opt (re.* (str.to_re y))))", "(or (= \"\" x) (str.in_re x (re.* (str.to_re y))))"),
];

/// Pairs of terms that differ for some values.
const UNEQUAL: &[(&str, &str)] = &[
    ("(and p q)", "(or p q)"),
    ("(<= i j)", "(< i j)"),
    ("(str.++ x y)", "(str.++ y x)"),
    ("(str.len (str.++ x \"ab\"))", "(+ 1 (str.len x))"),
    ("(= (str.++ x y) (str.++ y x))", "true"),
    ("(str.substr x 0 (- (str.len x) 1))", "x"),
    ("(str.substr x i (str.len x))", "x"),
    ("(str.replace_all x \"\" y)", "(str.++ y x)"),
    ("(str.contains (str.++ x y) \"ab\")", "(or (str.contains x \"ab\") (str.contains y \"ab\"))"),
    ("(str.indexof x x i)", "0"),
    ("(str.prefixof x (str.++ y x))", "true"),
    ("(str.<= x y)", "(str.< x y)"),
    ("(str.in_re x (re.* re.allchar))", "false"),
];

#[test]
fn identities_show_equal_terms() {
    for (one, other) in EQUAL {
        check(one, other, true);
    }
}

#[test]
fn nothing_shows_terms_equal_that_differ() {
    for (one, other) in UNEQUAL {
        check(one, other, false);
    }
}

#[test]
fn normal_forms_have_the_same_value_as_their_terms() {
    let mut terms = Terms::new();
    let texts: Vec<&str> = EQUAL.iter().chain(UNEQUAL).flat_map(|(one, other)| [*one, *other]).collect();
    let read = read(&mut terms, &texts);
    let declared = CONSTANTS.iter().map(|(name, sort)| {
        let name = terms.symbols.get(name).expect("the constants were read");
        Command::DeclareConst(name, *sort)
    });
    let environment = Environment::of(&terms, &declared.collect::<Vec<Command>>());
    for (term, text) in read.into_iter().zip(texts) {
        let normal = Identities::default().normal(&mut terms, term);
        let equal = build::apply(&mut terms, Op::Eq, &[term, normal]);
        let found = counterexample::find(&mut terms, &environment, &Default::default(), equal);
        assert_eq!(found, None, "{text} is not {}", term_text(&mut terms, normal));
    }
}
