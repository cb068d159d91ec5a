//! Elimination of constants that occur once, in an atom that they can make true or false at will.
//!
//! If `x` occurs nowhere else, `(str.prefixof x t)` is true for an empty `x` and false for `t` with a letter behind it,
//! whatever `t` is. The atom becomes a fresh Boolean constant `b`, and `x` is `(ite b "" (str.++ t "a"))`. A disjunction
//! with such a constant is true. What is left may have other constants that occur once, so the caller goes on until
//! nothing changes.
//!
//! Every step keeps satisfiability, and its converter turns each model of what is left into one of what was there.
//! Terms are graphs: a constant occurs once if one argument of one term is it, however often that term is used.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::literal;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::replace::Replacement;
use crate::model::Converter;

/// Eliminates what can be eliminated now; the last of the converters runs first.
pub fn eliminate(terms: &mut Terms, assertions: &mut Vec<Term>) -> Vec<Converter> {
    let once = what_occurs_once(terms, assertions);
    let mut converters = drop_disjunctions(terms, assertions, &once);
    if !converters.is_empty() {
        return converters;
    }
    let mut replacement = Replacement::new();
    for term in subterms(terms, assertions) {
        if let Some((constant, choice)) = choice(terms, term, &once)
            && let Some(name) = build::constant_name(terms, constant)
        {
            let free = build::fresh(terms, "free", Sort::BOOL);
            let value = apply(terms, Op::Ite, &[free, choice.if_true, choice.if_false]);
            replacement.insert(term, free);
            converters.push(Converter::Define(name, value));
        }
    }
    if !converters.is_empty() {
        for assertion in assertions.iter_mut() {
            *assertion = replacement.apply(terms, *assertion);
        }
        // A value may speak of constants in terms that are gone, or that are free now; those around it come later.
        converters.reverse();
    }
    converters
}

/// For each constant and each negated one, whether it is one argument of one term, or one assertion.
fn what_occurs_once(terms: &Terms, assertions: &[Term]) -> FxHashMap<Term, bool> {
    let mut once: FxHashMap<Term, bool> = FxHashMap::default();
    let mut see = |term: Term| {
        let positive = if terms.op(term) == Some(Op::Not) { terms.args(term)[0] } else { term };
        if is_constant(terms, positive) {
            once.entry(term).and_modify(|is_once| *is_once = false).or_insert(true);
        }
    };
    for term in subterms(terms, assertions) {
        terms.args(term).iter().copied().for_each(&mut see);
    }
    assertions.iter().copied().for_each(&mut see);
    once
}

fn is_constant(terms: &Terms, term: Term) -> bool {
    matches!(terms.head(term), Head::Global(_)) && terms.args(term).is_empty()
}

/// Drops assertions that are disjunctions with a Boolean constant that occurs nowhere else.
fn drop_disjunctions(
    terms: &mut Terms,
    assertions: &mut Vec<Term>,
    once: &FxHashMap<Term, bool>,
) -> Vec<Converter> {
    let mut converters = Vec::new();
    // A disjunction that is part of another term says something there, too.
    let inner: FxHashSet<Term> = subterms(terms, assertions)
        .into_iter()
        .flat_map(|term| terms.args(term).iter().copied())
        .filter(|term| terms.op(*term) == Some(Op::Or))
        .collect();
    assertions.retain(|assertion| {
        if terms.op(*assertion) != Some(Op::Or) || inner.contains(assertion) {
            return true;
        }
        let free = terms.args(*assertion).iter().find_map(|disjunct| {
            match terms.op(*disjunct) {
                Some(Op::Not) => Some((terms.args(*disjunct)[0], false)),
                None => Some((*disjunct, true)),
                _ => None,
            }
            // Of a negation there must be one as well: it is a term that others may use, too.
            .filter(|(constant, _)| [constant, disjunct].iter().all(|term| once.get(term) == Some(&true)))
        });
        let Some((constant, value)) = free else { return true };
        let Some(name) = build::constant_name(terms, constant) else { return true };
        let value = terms.bool(value);
        converters.push(Converter::Define(name, value));
        false
    });
    converters
}

/// The values of a constant that make an atom true and false.
struct Choice {
    if_true: Term,
    if_false: Term,
}

/// The constant that decides an atom at will, with its values.
fn choice(terms: &mut Terms, atom: Term, once: &FxHashMap<Term, bool>) -> Option<(Term, Choice)> {
    let op = terms.op(atom)?;
    let &[left, right] = terms.args(atom) else { return None };
    let is_free = |terms: &Terms, term: Term| is_constant(terms, term) && once.get(&term) == Some(&true);
    if is_free(terms, left)
        && let Some(choice) = choice_of_left(terms, op, right)
    {
        return Some((left, choice));
    }
    if is_free(terms, right)
        && let Some(choice) = choice_of_right(terms, op, left)
    {
        return Some((right, choice));
    }
    None
}

/// What the left argument must be, given the right one.
fn choice_of_left(terms: &mut Terms, op: Op, right: Term) -> Option<Choice> {
    match op {
        Op::Eq => Some(Choice { if_true: right, if_false: another(terms, right)? }),
        Op::Le => Some(Choice { if_true: right, if_false: plus_one(terms, right) }),
        Op::StrPrefixof | Op::StrLe => {
            let if_true = build::empty(terms);
            Some(Choice { if_true, if_false: with_letter(terms, right) })
        }
        Op::StrSuffixof => {
            let (letter, if_true) = (letter(terms), build::empty(terms));
            Some(Choice { if_true, if_false: apply(terms, Op::StrConcat, &[letter, right]) })
        }
        Op::StrContains if is_nonempty_literal(terms, right) => {
            let if_false = build::empty(terms);
            Some(Choice { if_true: right, if_false })
        }
        _ => None,
    }
}

/// What the right argument must be, given the left one.
fn choice_of_right(terms: &mut Terms, op: Op, left: Term) -> Option<Choice> {
    match op {
        Op::Eq => Some(Choice { if_true: left, if_false: another(terms, left)? }),
        Op::Le => {
            let one = literal::int(terms, &1.into());
            Some(Choice { if_true: left, if_false: apply(terms, Op::Sub, &[left, one]) })
        }
        Op::StrContains => {
            let if_true = build::empty(terms);
            Some(Choice { if_true, if_false: with_letter(terms, left) })
        }
        Op::StrLt => {
            let if_false = build::empty(terms);
            Some(Choice { if_true: with_letter(terms, left), if_false })
        }
        Op::StrPrefixof | Op::StrSuffixof | Op::StrLe if is_nonempty_literal(terms, left) => {
            let if_false = build::empty(terms);
            Some(Choice { if_true: left, if_false })
        }
        _ => None,
    }
}

/// A value that differs from that of a term.
fn another(terms: &mut Terms, term: Term) -> Option<Term> {
    match terms.sort(term) {
        Sort::BOOL => Some(build::not(terms, term)),
        Sort::INT => Some(plus_one(terms, term)),
        Sort::STRING => Some(with_letter(terms, term)),
        _ => None,
    }
}

fn plus_one(terms: &mut Terms, term: Term) -> Term {
    let one = literal::int(terms, &1.into());
    apply(terms, Op::Add, &[term, one])
}

fn letter(terms: &mut Terms) -> Term {
    terms.literal(Literal::Str, "a", Sort::STRING)
}

fn with_letter(terms: &mut Terms, term: Term) -> Term {
    let letter = letter(terms);
    apply(terms, Op::StrConcat, &[term, letter])
}

fn is_nonempty_literal(terms: &Terms, term: Term) -> bool {
    build::is_string_literal(terms, term) && !build::is_empty_literal(terms, term)
}

#[cfg(test)]
mod tests {
    use smelt_semantics::environment::Environment;
    use smelt_semantics::eval::Evaluator;
    use smelt_semantics::model::Model;
    use smelt_semantics::value::Value;
    use smelt_smtlib::walk::free_names;

    use super::*;
    use crate::Solver;
    use crate::model::{self, Assignment};

    /// Atoms in which `x`, `i` or `p` may be free.
    const ATOMS: &[&str] = &[
        "(= x TEXT)",
        "(= TEXT x)",
        "(= x y)",
        "(= i (str.len y))",
        "(<= i (str.len y))",
        "(<= (str.len y) i)",
        "(= p (= y \"a\"))",
        "(str.prefixof x TEXT)",
        "(str.prefixof TEXT x)",
        "(str.prefixof \"ab\" x)",
        "(str.suffixof x TEXT)",
        "(str.suffixof TEXT x)",
        "(str.suffixof \"ab\" x)",
        "(str.contains x TEXT)",
        "(str.contains x \"b\")",
        "(str.contains x \"\")",
        "(str.contains TEXT x)",
        "(str.<= x TEXT)",
        "(str.<= TEXT x)",
        "(str.<= \"a\" x)",
        "(str.< x TEXT)",
        "(str.< TEXT x)",
    ];
    /// What `TEXT` may be.
    const TEXTS: &[&str] = &["y", "\"\"", "\"a\"", "(str.++ y \"b\")", "(ite (= i 0) y \"a\")"];
    /// Where an atom may stand.
    const CONTEXTS: &[&[&str]] = &[
        &["ATOM"],
        &["(not ATOM)"],
        &["(or ATOM q)"],
        &["(or ATOM (= y \"a\"))", "(not (= y \"a\"))"],
        &["(= ATOM (str.prefixof y \"a\"))"],
        &["(or (not ATOM) (= y \"b\"))", "(or ATOM (= y \"\"))"],
        &["(or ATOM (= y \"\"))", "(= x \"a\")", "(= i 1)"],
        &["(= (ite ATOM \"a\" \"\") y)"],
    ];

    struct Formula {
        solver: Solver,
        original: Vec<Term>,
    }

    fn formula(assertions: &[String]) -> Formula {
        let mut solver = Solver::new();
        for name in ["x", "y"] {
            solver.declare(name, "String").unwrap();
        }
        solver.declare("i", "Int").unwrap();
        for name in ["p", "q"] {
            solver.declare(name, "Bool").unwrap();
        }
        let original = assertions.iter().map(|text| solver.term(text).unwrap()).collect();
        Formula { solver, original }
    }

    /// All assignments of small values to the constants of some terms.
    fn assignments(terms: &mut Terms, of: &[Term]) -> Vec<Assignment> {
        let mut names: Vec<_> = of.iter().flat_map(|term| free_names(terms, *term).globals).collect();
        names.sort_unstable();
        names.dedup();
        let mut all = vec![Assignment::new()];
        for name in names {
            let sort = subterms(terms, of)
                .into_iter()
                .find(|term| build::constant_name(terms, *term) == Some(name))
                .map(|term| terms.sort(term))
                .unwrap();
            let values: Vec<&str> = match sort {
                Sort::BOOL => vec!["true", "false"],
                Sort::INT => vec!["0", "1", "2"],
                _ => vec!["\"\"", "\"a\"", "\"b\"", "\"ab\""],
            };
            let mut scope = smelt_smtlib::read::Scope::new();
            let read = |text: &&str| {
                let dialect = smelt_smtlib::op::Dialect::V26;
                let literal = smelt_smtlib::read::read_term(terms, &mut scope, text, dialect).unwrap();
                literal::value_of(terms, literal).unwrap()
            };
            let values: Vec<Value> = values.iter().map(read).collect();
            let extended = all.iter().flat_map(|assignment| {
                values.iter().map(|value| {
                    let mut assignment = assignment.clone();
                    assignment.set(name, value.clone());
                    assignment
                })
            });
            all = extended.collect();
        }
        all
    }

    fn holds(terms: &mut Terms, assertions: &[Term], assignment: &Assignment) -> bool {
        let mut model = Model::new();
        for name in assignment.symbols().collect::<Vec<_>>() {
            let literal = literal::of_value(terms, assignment.get(name).unwrap()).unwrap();
            model.set(terms, name, literal);
        }
        let (environment, model) = (Environment::default(), model.completed());
        let mut evaluator = Evaluator::new(terms, &environment, &model);
        assertions.iter().all(|assertion| evaluator.eval(*assertion) == Ok(Value::Bool(true)))
    }

    /// Eliminates to the end; gives the number of constants that are gone.
    fn check(assertions: &[String]) -> usize {
        let Formula { mut solver, original } = formula(assertions);
        let terms = solver.terms();
        let mut left = original.clone();
        let mut converters = Vec::new();
        loop {
            let eliminated = eliminate(terms, &mut left);
            if eliminated.is_empty() {
                break;
            }
            converters.extend(eliminated);
        }
        let before: Vec<Assignment> = assignments(terms, &original);
        let after: Vec<Assignment> = assignments(terms, &left);
        let models: Vec<&Assignment> = after.iter().filter(|values| holds(terms, &left, values)).collect();
        for values in &models {
            let extended =
                model::extend(terms, (*values).clone(), &converters).expect("all values are known");
            assert!(holds(terms, &original, &extended), "{assertions:?}: a model is extended wrongly");
        }
        let was_satisfiable = before.iter().any(|values| holds(terms, &original, values));
        assert!(!was_satisfiable || !models.is_empty(), "{assertions:?}: models are lost");
        converters.len()
    }

    #[test]
    fn satisfiability_is_kept_and_models_are_extended() {
        let mut eliminated = 0;
        for atom in ATOMS {
            for text in TEXTS {
                for context in CONTEXTS {
                    let atom = atom.replace("TEXT", text);
                    let assertions: Vec<String> =
                        context.iter().map(|assertion| assertion.replace("ATOM", &atom)).collect();
                    eliminated += check(&assertions);
                }
            }
        }
        assert!(eliminated > 500, "{eliminated}");
    }

    fn eliminated(assertions: &[&str]) -> usize {
        check(&assertions.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_constant_that_occurs_twice_stays() {
        assert_eq!(eliminated(&["(or (= x y) q)", "(or (= x y) (not q))"]), 1);
        assert_eq!(eliminated(&["(str.prefixof x (str.++ x y))", "(= y \"a\")", "(= x \"\")"]), 0);
    }

    #[test]
    fn a_negation_that_occurs_twice_stays() {
        assert_eq!(eliminated(&["(not (and (not p) (= y \"\")))", "(or (= y \"a\") (not p))"]), 0);
        assert_eq!(eliminated(&["(or (= y \"a\") (= y \"b\"))", "(or (= y \"a\") (not p))"]), 1);
    }

    #[test]
    fn a_disjunction_that_is_used_elsewhere_stays() {
        let disjunction = "(or p (= y \"a\"))";
        let others = ["(str.prefixof y \"b\")", "(str.suffixof y \"b\")"];
        let choice = format!("(ite {disjunction} (= i 1) (= i 2))");
        assert_eq!(eliminated(&[disjunction, others[0], others[1]]), 1);
        assert_eq!(eliminated(&[disjunction, others[0], others[1], &choice]), 0);
    }

    #[test]
    fn an_atom_that_cannot_be_made_false_stays() {
        assert_eq!(eliminated(&["(= (str.contains x \"\") (= y \"a\"))", "(= y \"b\")"]), 0);
        assert_eq!(
            eliminated(&["(= (str.prefixof y x) q)", "(= y \"b\")", "(or q p)", "(not p)", "(not q)"]),
            0
        );
    }

    #[test]
    fn what_becomes_free_is_eliminated_too() {
        // First both atoms, then the disjunction of what stands for them.
        assert_eq!(eliminated(&["(or (str.prefixof x (str.++ y \"a\")) (= i 0))"]), 3);
    }
}
