//! Nested quantifiers before and after lowering, in all small models.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::substitute::{Substitution, substitute};

use super::*;
use crate::{Answer, Solver};

/// `u`, `n` and `p` may be bound by the outer quantifier, `v`, `m` and `q` by the inner one.
const ATOMS: &[&str] = &[
    "p",
    "q",
    "(= q p)",
    "(= p (= x u))",
    "(= v u)",
    "(= u x)",
    "(= v (str.++ u u))",
    "(= (str.++ u v) x)",
    "(= (str.++ v \"a\") u)",
    "(not (= (str.++ v x) u))",
    "(= n i)",
    "(= m n)",
    "(= (* 2 m) n)",
    "(= (+ m n) i)",
    "(= (+ (* 2 m) n) (* 3 i))",
    "(< m n)",
    "(<= n (str.len u))",
    "(not (= m (* 2 n)))",
];

const CONTEXTS: &[&str] =
    &["A", "(not A)", "(and A B)", "(or A B)", "(=> A B)", "(= A B)", "(xor A B)", "(ite A B p)"];

/// Constants with the values that they have if they are not bound.
const CONSTANTS: &[(&str, &str, &[&str])] = &[
    ("x", "String", &["\"\"", "\"a\""]),
    ("i", "Int", &["0", "1"]),
    ("u", "String", &["\"a\""]),
    ("v", "String", &["\"b\""]),
    ("n", "Int", &["1"]),
    ("m", "Int", &["0"]),
    ("p", "Bool", &["true"]),
    ("q", "Bool", &["false"]),
];

/// The values that a variable of a quantifier is tried on; more inside of another, which may need larger ones.
fn values(terms: &mut Terms, sort: Sort, level: usize) -> Vec<Term> {
    let (max_len, most) = [(2u32, 4), (4, 14)][level];
    match sort {
        Sort::BOOL => [false, true].map(|value| terms.bool(value)).to_vec(),
        Sort::INT => (-most..=most).map(|number| literal::int(terms, &number.into())).collect(),
        _ => (0..=max_len)
            .flat_map(|len| (0..1u32 << len).map(move |bits| (len, bits)))
            .map(|(len, bits)| {
                let word: String = (0..len).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect();
                terms.literal(Literal::Str, &word, Sort::STRING)
            })
            .collect(),
    }
}

fn evaluate(terms: &Terms, term: Term) -> bool {
    let (environment, model) = (Environment::default(), Model::new());
    Evaluator::new(terms, &environment, &model).eval(term).unwrap() == Value::Bool(true)
}

/// Whether a term without free constants is true, where each quantifier binds one variable.
fn truth(terms: &mut Terms, term: Term, level: usize) -> bool {
    let args = terms.args(term).to_vec();
    match terms.head(term) {
        Head::Exists(binders) | Head::Forall(binders) => {
            let is_forall = matches!(terms.head(term), Head::Forall(_));
            let variable = terms.binders(binders)[0];
            let values = values(terms, variable.sort, level);
            let mut is_instance = |value: Term| {
                let mut substitution = Substitution::new();
                substitution.replace(variable.name, value);
                let instance = substitute(terms, args[0], &substitution);
                truth(terms, instance, level + 1)
            };
            values.into_iter().any(|value| is_instance(value) != is_forall) != is_forall
        }
        Head::Op(op @ (Op::And | Op::Or | Op::Not | Op::Implies | Op::Xor | Op::Ite | Op::Eq), _)
            if terms.sort(args[0]) == Sort::BOOL =>
        {
            let args: Vec<Term> = args
                .into_iter()
                .map(|arg| {
                    let value = truth(terms, arg, level);
                    terms.bool(value)
                })
                .collect();
            let folded = build::apply(terms, op, &args);
            evaluate(terms, folded)
        }
        _ => evaluate(terms, term),
    }
}

#[test]
fn nested_quantifiers_say_the_same_when_they_are_lowered() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut solver = Solver::new();
    let mut assignments = vec![Substitution::new()];
    for (name, sort, values) in CONSTANTS {
        let constant = solver.declare(name, sort).unwrap();
        let name = build::constant_name(solver.terms(), constant).unwrap();
        let values: Vec<Term> = values.iter().map(|value| solver.term(value).unwrap()).collect();
        let with = |assignment: &Substitution, value: Term| {
            let mut assignment = assignment.clone();
            assignment.replace(name, value);
            assignment
        };
        assignments = assignments
            .iter()
            .flat_map(|assignment| values.iter().map(move |value| with(assignment, *value)))
            .collect();
    }
    let mut compared = 0;
    for _ in 0..150 {
        let mut of = |choices: &[&str]| choices.choose(&mut rng).unwrap().to_string();
        let (kinds, outer_kinds) = (["exists", "forall"], ["(u String)", "(n Int)", "(p Bool)"]);
        let inner_body = of(CONTEXTS).replace('B', &of(ATOMS)).replace('A', &of(ATOMS));
        let inner = format!("({} ({}) {inner_body})", of(&kinds), of(&["(v String)", "(m Int)", "(q Bool)"]));
        let outer_body = of(CONTEXTS).replace('B', &of(ATOMS)).replace('A', &inner);
        let text = format!("({} ({}) {outer_body})", of(&kinds), of(&outer_kinds));
        let term = solver.term(&text).unwrap();
        let mut lowering = Lowering::default();
        let terms = solver.terms();
        let lowered = lowering.lower(terms, term, &mut Effort::of(u64::MAX)).unwrap();
        if !lowering.reasons.is_empty() {
            continue;
        }
        compared += 1;
        for assignment in &assignments {
            let [before, after] = [term, lowered].map(|term| substitute(terms, term, assignment));
            assert_eq!(truth(terms, before, 0), evaluate(terms, after), "{text}");
        }
    }
    assert!(compared > 75, "{compared}");
}

/// Lowering makes nothing up that is false: what has a model is not refuted.
fn check_not_refuted(commands: &[&str]) {
    let mut solver = Solver::new();
    for command in commands {
        match command.split_once(": ") {
            Some((name, sort)) => {
                solver.declare(name, sort).unwrap();
            }
            None => solver.assert_text(command).unwrap(),
        }
    }
    assert_ne!(solver.check(), Answer::Unsat, "{commands:?}");
}

#[test]
fn what_is_unknown_depends_on_all_variables_around() {
    // All of this says that `y` is `x`, and is not understood.
    let is_aa = "(exists ((y String)) (and (str.in_re y (str.to_re \"aa\")) (str.prefixof y x) (= (str.len y) (str.len x))))";
    for same in [
        format!("(= r (ite {is_aa} 1.0 2.0))"),
        format!("(= (ite {is_aa} r 2.0) r)"),
        format!("(let ((c {is_aa})) (= 1.0 (ite c r 0.0)))"),
        format!("(= (^ 2 (ite {is_aa} 1 0)) 2)"),
        format!(
            "(str.in_re x ((_ re.^ 1) (ite (exists ((z Bool)) (= z {is_aa})) (str.to_re \"aa\") re.none)))"
        ),
    ] {
        check_not_refuted(&[
            "r: Real",
            "(= r 1.0)",
            &format!("(forall ((x String)) (= {same} (= x \"aa\")))"),
        ]);
    }
}

#[test]
fn a_constant_is_not_what_stands_for_something_else() {
    let exists = "(exists ((u String)) (= (str.++ u u) x))";
    check_not_refuted(&["x: String", exists, "abstracted_0: Bool", "(not abstracted_0)"]);
    check_not_refuted(&["x: String", exists, "abstracted_0: Bool", "(not (and true abstracted_0))"]);
}
