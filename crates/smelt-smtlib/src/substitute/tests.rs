//! Substitution is compared with de Bruijn terms, where nothing can be captured.

use proptest::prelude::*;

use super::*;
use crate::canonical::canonical;
use crate::op::Dialect;
use crate::op::Op;
use crate::print::term_text;
use crate::read::{Scope, read_script, read_term};
use crate::sort::Sort;
use crate::walk::occurrences;

/// Reads declarations and one assertion.
fn assertion(terms: &mut Terms, source: &str) -> (Term, Scope) {
    let reading = read_script(terms, source);
    assert_eq!(reading.diagnostics, []);
    (reading.script.assertions().next().unwrap(), reading.scope)
}

const NAMES: &str =
    "(declare-const x Int)(declare-const y Int)(declare-const z Int)(declare-fun f (Int) Int)";

/// Replaces `name` by `new` in an assertion over [`NAMES`].
fn check(term: &str, name: &str, new: &str, expected: &str) {
    let mut terms = Terms::new();
    let (term, mut scope) = assertion(&mut terms, &format!("{NAMES}(assert {term})"));
    let new = read_term(&mut terms, &mut scope, new, Dialect::V26).unwrap();
    let mut substitution = Substitution::new();
    substitution.replace(terms.symbols.get(name).unwrap(), new);
    let result = substitute(&mut terms, term, &substitution);
    assert_eq!(term_text(&mut terms, result), expected);
}

#[test]
fn free_names_are_replaced_everywhere() {
    check("(= x (+ x y))", "x", "(f z)", "(= (f z) (+ (f z) y))");
}

#[test]
fn bound_names_are_not_replaced() {
    check("(and (= x 1) (forall ((x Int)) (= x y)))", "x", "z", "(and (= z 1) (forall ((x Int)) (= x y)))");
    check("(let ((x (+ x 1))) (= x 2))", "x", "z", "(let ((x (+ z 1))) (= x 2))");
}

#[test]
fn binders_that_would_capture_are_renamed() {
    check("(forall ((x Int)) (= x y))", "y", "x", "(forall ((x_0 Int)) (= x_0 x))");
    check("(let ((x 1)) (= x y))", "y", "(f x)", "(let ((x_0 1)) (= x_0 (f x)))");
    check("(exists ((x Int) (z Int)) (= x y z))", "y", "z", "(exists ((x Int) (z_0 Int)) (= x z z_0))");
}

#[test]
fn patterns_of_a_match_that_would_capture_are_renamed() {
    let mut terms = Terms::new();
    let source =
        "(declare-datatype D ((c (s Int)) (d)))(declare-const v D)(declare-const x Int)(declare-const y Int)
        (assert (match v (((c x) (= x y)) (d (= x y)))))";
    let (term, _) = assertion(&mut terms, source);
    let (x, y) = (terms.symbols.intern("x"), terms.symbols.intern("y"));
    let new = terms.constant(x, Sort::INT);
    let mut substitution = Substitution::new();
    substitution.replace(y, new);
    let result = substitute(&mut terms, term, &substitution);
    assert_eq!(term_text(&mut terms, result), "(match v (((c x_0) (= x_0 x)) (d (= x x))))");
}

#[test]
fn renaming_reaches_every_use_of_a_name() {
    let mut terms = Terms::new();
    let source = "(declare-datatype D ((c (s Int)) (d)))(declare-const v D)
        (assert (and ((_ is c) v) (match v (((c n) (= n (s v))) (d true))) (= v (c 1) ((_ update s) v 2))))";
    let (term, _) = assertion(&mut terms, source);
    let mut substitution = Substitution::new();
    for (old, new) in [("c", "k"), ("s", "t"), ("v", "w")] {
        let (old, new) = (terms.symbols.intern(old), terms.symbols.intern(new));
        substitution.rename(old, new);
    }
    let result = substitute(&mut terms, term, &substitution);
    assert_eq!(
        term_text(&mut terms, result),
        "(and ((_ is k) w) (match w (((k n) (= n (t w))) (d true))) (= w (k 1) ((_ update t) w 2)))"
    );
}

#[test]
fn renaming_a_named_term_renames_its_annotation() {
    let mut terms = Terms::new();
    let (term, _) = assertion(&mut terms, "(assert (and (! true :named n) n))");
    let mut substitution = Substitution::new();
    let (old, new) = (terms.symbols.intern("n"), terms.symbols.intern("m"));
    substitution.rename(old, new);
    let result = substitute(&mut terms, term, &substitution);
    assert_eq!(term_text(&mut terms, result), "(and (! true :named m) m)");
}

#[test]
fn one_occurrence_is_replaced() {
    let mut terms = Terms::new();
    let (term, mut scope) =
        assertion(&mut terms, &format!("{NAMES}(assert (forall ((x Int)) (= (f y) (f y) x)))"));
    let new = read_term(&mut terms, &mut scope, "x", Dialect::V26).unwrap();
    let result = replace_at(&mut terms, term, &[0, 1, 0], new).unwrap();
    assert_eq!(term_text(&mut terms, result), "(forall ((x_0 Int)) (= (f y) (f x) x_0))");
    let (x, sort) = (terms.symbols.intern("x"), Sort::INT);
    let local = terms.local(x, sort);
    let result = replace_in_scope(&mut terms, term, &[0, 1, 0], local).unwrap();
    assert_eq!(term_text(&mut terms, result), "(forall ((x Int)) (= (f y) (f x) x))");
    assert_eq!(replace_at(&mut terms, term, &[0, 5], new), None);
}

#[test]
fn several_occurrences_are_replaced() {
    let mut terms = Terms::new();
    let (term, mut scope) = assertion(&mut terms, &format!("{NAMES}(assert (= x x x))"));
    let mut read = |terms: &mut Terms, text: &str| read_term(terms, &mut scope, text, Dialect::V26).unwrap();
    let (one, y) = (read(&mut terms, "1"), read(&mut terms, "y"));
    let result = replace_many(&mut terms, term, &[(vec![0], one), (vec![2], y)]).unwrap();
    assert_eq!(term_text(&mut terms, result), "(= 1 x y)");
    assert_eq!(replace_many(&mut terms, term, &[(vec![0], one), (vec![3], y)]), None);
}

#[test]
fn lets_are_expanded_from_the_outside() {
    let mut terms = Terms::new();
    let source = format!("{NAMES}(assert (let ((x y) (y x)) (let ((x (+ x y))) (= x y))))");
    let (term, _) = assertion(&mut terms, &source);
    let result = expand_lets(&mut terms, term);
    assert_eq!(term_text(&mut terms, result), "(= (+ y x) x)");
}

#[test]
fn nested_lets_expand_to_a_graph() {
    let mut terms = Terms::new();
    let mut source = "(declare-const v0 Int)(assert ".to_owned();
    for number in 1..2000 {
        source += &format!("(let ((v{number} (+ v{0} v{0}))) ", number - 1);
    }
    source += &format!("(= v1999 0){}", ")".repeat(2000));
    let (term, _) = assertion(&mut terms, &source);
    let result = expand_lets(&mut terms, term);
    assert_eq!(crate::walk::graph_size(&terms, result), 2002);
}

#[test]
fn fresh_names_cost_the_same_however_many_there_are() {
    let mut terms = Terms::new();
    for _ in 0..100_000 {
        terms.symbols.fresh("x");
    }
    assert_eq!(
        terms.symbols.get("x_99999").map(|symbol| terms.text(symbol).to_owned()).as_deref(),
        Some("x_99999")
    );
}

#[test]
fn names_in_use_are_told_apart() {
    let mut terms = Terms::new();
    let (a, b) = (terms.symbols.intern("a"), terms.symbols.intern("b"));
    let taken: FxHashSet<Symbol> = [b].into_iter().collect();
    let renamed = names_apart(&mut terms, [a, b], &taken);
    assert_eq!(renamed.len(), 1);
    assert_eq!((renamed[0].0, terms.text(renamed[0].1)), (b, "b_0"));
}

/// A Boolean term with binders; names are few, so that they clash.
#[derive(Debug, Clone)]
enum Tree {
    Name(u8),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Forall(u8, Box<Tree>),
    Let(u8, Box<Tree>, Box<Tree>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = (0..4u8).prop_map(Tree::Name);
    leaf.prop_recursive(7, 40, 2, |tree| {
        let boxed = tree.prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(Tree::Not),
            (boxed.clone(), boxed.clone()).prop_map(|(left, right)| Tree::And(left, right)),
            (0..4u8, boxed.clone()).prop_map(|(name, body)| Tree::Forall(name, body)),
            (0..4u8, boxed.clone(), boxed).prop_map(|(name, value, body)| Tree::Let(name, value, body)),
        ]
    })
}

fn name(terms: &mut Terms, number: u8) -> Symbol {
    terms.symbols.intern(&format!("n{number}"))
}

fn build_tree(terms: &mut Terms, tree: &Tree, bound: &mut Vec<u8>) -> Term {
    match tree {
        Tree::Name(number) => {
            let name = name(terms, *number);
            if bound.contains(number) {
                terms.local(name, Sort::BOOL)
            } else {
                terms.constant(name, Sort::BOOL)
            }
        }
        Tree::Not(inner) => {
            let inner = build_tree(terms, inner, bound);
            terms.apply(Op::Not, &[], &[inner]).unwrap()
        }
        Tree::And(left, right) => {
            let args = [build_tree(terms, left, bound), build_tree(terms, right, bound)];
            terms.apply(Op::And, &[], &args).unwrap()
        }
        Tree::Forall(number, body) => {
            bound.push(*number);
            let body = build_tree(terms, body, bound);
            bound.pop();
            let variable = Variable { name: name(terms, *number), sort: Sort::BOOL };
            let binders = terms.intern_binders(&[variable]);
            terms.intern(Head::Forall(binders), &[body], Sort::BOOL)
        }
        Tree::Let(number, value, body) => {
            let value = build_tree(terms, value, bound);
            bound.push(*number);
            let body = build_tree(terms, body, bound);
            bound.pop();
            let variable = Variable { name: name(terms, *number), sort: Sort::BOOL };
            let binders = terms.intern_binders(&[variable]);
            terms.intern(Head::Let(binders), &[value, body], Sort::BOOL)
        }
    }
}

/// The same with bound variables as numbers of binders in between.
#[derive(Debug, Clone, PartialEq)]
enum Nameless {
    Free(Symbol),
    Bound(usize),
    Node(&'static str, Vec<Nameless>),
}

fn nameless(terms: &Terms, term: Term, around: &mut Vec<Symbol>) -> Nameless {
    let tag = match terms.head(term) {
        Head::Global(name) => return Nameless::Free(name),
        Head::Local(name) => {
            let distance = around.iter().rev().position(|bound| *bound == name);
            return distance.map_or(Nameless::Free(name), Nameless::Bound);
        }
        Head::Op(op, _) => op.info().name,
        Head::Forall(_) => "forall",
        Head::Let(_) => "let",
        head => unreachable!("the trees have no {head:?}"),
    };
    let parts = (0..terms.args(term).len())
        .map(|position| {
            let bound = terms.bound_at(term, position);
            around.extend(bound.iter().map(|variable| variable.name));
            let part = nameless(terms, terms.args(term)[position], around);
            around.truncate(around.len() - bound.len());
            part
        })
        .collect();
    Nameless::Node(tag, parts)
}

/// How many variables a node binds in its last part.
fn binds(tag: &str) -> usize {
    usize::from(matches!(tag, "forall" | "let"))
}

fn replace_free(term: &Nameless, name: Symbol, new: &Nameless) -> Nameless {
    match term {
        Nameless::Free(free) if *free == name => new.clone(),
        Nameless::Node(tag, parts) => {
            Nameless::Node(tag, parts.iter().map(|part| replace_free(part, name, new)).collect())
        }
        other => other.clone(),
    }
}

/// Adds to the variables that are bound `depth` or more binders away; with a value, puts it in place of those bound
/// exactly there and takes that binder away.
fn shift(term: &Nameless, by: usize, depth: usize, value: Option<&Nameless>) -> Nameless {
    match (term, value) {
        (Nameless::Bound(distance), None) if *distance >= depth => Nameless::Bound(distance + by),
        (Nameless::Bound(distance), Some(value)) if *distance == depth => shift(value, depth, 0, None),
        (Nameless::Bound(distance), Some(_)) if *distance > depth => Nameless::Bound(distance - 1),
        (Nameless::Node(tag, parts), _) => {
            let last = parts.len() - 1;
            let parts = parts.iter().enumerate().map(|(position, part)| {
                let inner = if position == last { depth + binds(tag) } else { depth };
                shift(part, by, inner, value)
            });
            Nameless::Node(tag, parts.collect())
        }
        (other, _) => other.clone(),
    }
}

fn expand(term: &Nameless) -> Nameless {
    match term {
        Nameless::Node("let", parts) => shift(&expand(&parts[1]), 0, 0, Some(&expand(&parts[0]))),
        Nameless::Node(tag, parts) => Nameless::Node(tag, parts.iter().map(expand).collect()),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn substitution_never_captures(tree in trees(), new in trees(), number in 0..4u8) {
        let mut terms = Terms::new();
        let term = build_tree(&mut terms, &tree, &mut Vec::new());
        let new = build_tree(&mut terms, &new, &mut Vec::new());
        let name = name(&mut terms, number);
        let mut substitution = Substitution::new();
        substitution.replace(name, new);
        let result = substitute(&mut terms, term, &substitution);
        let expected = replace_free(
            &nameless(&terms, term, &mut Vec::new()), name, &nameless(&terms, new, &mut Vec::new()));
        prop_assert_eq!(nameless(&terms, result, &mut Vec::new()), expected);
    }

    #[test]
    fn replacing_an_occurrence_never_captures(tree in trees(), new in trees(), choice in any::<prop::sample::Index>()) {
        let mut terms = Terms::new();
        let term = build_tree(&mut terms, &tree, &mut Vec::new());
        let new = build_tree(&mut terms, &new, &mut Vec::new());
        let places = occurrences(&terms, term, 1000);
        let path = &places[choice.index(places.len())].path;
        let result = replace_at(&mut terms, term, path, new).unwrap();
        let mut expected = nameless(&terms, term, &mut Vec::new());
        let mut at = &mut expected;
        for position in path {
            let Nameless::Node(_, parts) = at else { unreachable!("the path exists") };
            at = &mut parts[*position as usize];
        }
        *at = nameless(&terms, new, &mut Vec::new());
        prop_assert_eq!(nameless(&terms, result, &mut Vec::new()), expected);
    }

    #[test]
    fn lets_expand_without_capture(tree in trees()) {
        let mut terms = Terms::new();
        let term = build_tree(&mut terms, &tree, &mut Vec::new());
        let result = expand_lets(&mut terms, term);
        let expected = expand(&nameless(&terms, term, &mut Vec::new()));
        prop_assert_eq!(nameless(&terms, result, &mut Vec::new()), expected);
    }

    #[test]
    fn sharing_changes_nothing_but_lets(tree in trees()) {
        let mut terms = Terms::new();
        let term = build_tree(&mut terms, &tree, &mut Vec::new());
        let shared = crate::share::share(&mut terms, term);
        let expected = expand(&nameless(&terms, term, &mut Vec::new()));
        prop_assert_eq!(expand(&nameless(&terms, shared, &mut Vec::new())), expected);
    }

    #[test]
    fn canonical_forms_are_equal_for_equal_terms_up_to_bound_names(left in trees(), right in trees()) {
        let mut terms = Terms::new();
        let keep_all = |_: &Terms, _: Symbol| true;
        let left = build_tree(&mut terms, &left, &mut Vec::new());
        let right = build_tree(&mut terms, &right, &mut Vec::new());
        let forms = canonical(&mut terms, &[left, right], keep_all);
        let of = |term| nameless(&terms, term, &mut Vec::new());
        prop_assert_eq!(forms[0] == forms[1], of(left) == of(right));
        prop_assert_eq!(of(forms[0]), of(left));
    }
}
