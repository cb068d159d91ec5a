//! Terms nested a million deep, in a thread whose stack would not hold the recursion of a thousand.

#![allow(clippy::unwrap_used)]

use smelt_smtlib::canonical::canonical;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{script_text, term_text};
use smelt_smtlib::read::{Scope, read_script, read_term};
use smelt_smtlib::script::Script;
use smelt_smtlib::share::share;
use smelt_smtlib::substitute::{Substitution, expand_lets, replace_at, substitute};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::{
    Polarity, depth, free_names, occurrences, polarity_at, subterm_at, subterms, tree_size, variables_at,
};

const DEPTH: usize = 1_000_000;

/// Deep enough to overflow a small stack many times; for what takes longer.
const LESS_DEPTH: usize = 200_000;

fn in_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test).unwrap();
    thread.join().unwrap();
}

fn nested(depth: usize, opening: &str, core: &str, closing: &str) -> String {
    format!("{}{core}{}", opening.repeat(depth), closing.repeat(depth))
}

/// Reads a script without problems and prints it back as it is written.
fn round_trip(terms: &mut Terms, source: &str) -> Script {
    let reading = read_script(terms, source);
    assert_eq!(reading.diagnostics, []);
    assert!(script_text(terms, &reading.script) == source);
    reading.script
}

fn only_assertion(script: &Script) -> Term {
    script.assertions().next().unwrap()
}

#[test]
fn a_deep_term_can_be_walked_and_changed() {
    in_small_stack(|| {
        let mut terms = Terms::new();
        let source = format!("(declare-const a Bool)\n(assert {})\n", nested(DEPTH, "(not ", "a", ")"));
        let script = round_trip(&mut terms, &source);
        let root = only_assertion(&script);
        assert_eq!(depth(&terms, root), DEPTH as u64 + 1);
        assert_eq!(tree_size(&terms, root), DEPTH as u64 + 1);
        assert_eq!(subterms(&terms, &[root]).len(), DEPTH + 1);
        assert_eq!(free_names(&terms, root).globals.len(), 1);
        assert_eq!(occurrences(&terms, root, 1000).len(), 1000);
        let path = vec![0; DEPTH];
        let leaf = subterm_at(&terms, root, &path).unwrap();
        assert_eq!(polarity_at(&terms, root, &path), Polarity::Positive);
        assert_eq!(variables_at(&terms, root, &path), []);

        let (a, b) = (terms.symbols.intern("a"), terms.symbols.intern("b"));
        let new = terms.constant(b, terms.sort(leaf));
        let mut substitution = Substitution::new();
        substitution.replace(a, new);
        let substituted = substitute(&mut terms, root, &substitution);
        assert_eq!(replace_at(&mut terms, root, &path, new), Some(substituted));
        assert_eq!(share(&mut terms, root), root);
        assert_eq!(expand_lets(&mut terms, root), root);
        let forms = canonical(&mut terms, &[root, substituted], |_, _| false);
        assert_eq!(terms.sort(forms[0]), terms.sort(root));
    });
}

#[test]
fn deep_quantifiers_can_be_renamed() {
    in_small_stack(|| {
        let mut terms = Terms::new();
        let source = format!(
            "(declare-const y Int)\n(assert {})\n",
            nested(LESS_DEPTH, "(forall ((x Int)) ", "(= x y)", ")")
        );
        let script = round_trip(&mut terms, &source);
        let root = only_assertion(&script);
        let (x, y) = (terms.symbols.intern("x"), terms.symbols.intern("y"));
        let equation = subterm_at(&terms, root, &vec![0; LESS_DEPTH]).unwrap();
        let new = terms.constant(x, terms.sort(terms.args(equation)[1]));
        let mut substitution = Substitution::new();
        substitution.replace(y, new);
        let substituted = substitute(&mut terms, root, &substitution);
        assert!(free_names(&terms, substituted).globals.contains(&x));
        canonical(&mut terms, &[root], |_, _| false);
    });
}

#[test]
fn deep_lets_expand_to_a_graph() {
    in_small_stack(|| {
        let mut terms = Terms::new();
        let lets = nested(LESS_DEPTH, "(let ((x (and x x))) ", "x", ")");
        let source = format!("(declare-const x Bool)\n(assert {lets})\n");
        let script = round_trip(&mut terms, &source);
        let expanded = expand_lets(&mut terms, only_assertion(&script));
        assert_eq!(depth(&terms, expanded), LESS_DEPTH as u64 + 1);
        let text = term_text(&mut terms, expanded);
        assert!(text.len() < 60 * LESS_DEPTH);
    });
}

#[test]
fn deep_annotations_and_unknown_operators_are_carried_along() {
    in_small_stack(|| {
        let mut terms = Terms::new();
        round_trip(&mut terms, &format!("(assert {})\n", nested(LESS_DEPTH, "(! ", "true", " :note x)")));
        let source = format!("(assert {})\n", nested(LESS_DEPTH, "(mystery ", "true", ")"));
        let reading = read_script(&mut terms, &source);
        assert!(script_text(&mut terms, &reading.script) == source);
    });
}

#[test]
fn deep_nonsense_is_refused() {
    in_small_stack(|| {
        let mut terms = Terms::new();
        for (opening, closing) in [
            ("(", ")"),
            ("(as ", " Int)"),
            ("((_ ", " 1) x)"),
            ("(let ((x ", ")) x)"),
            ("(match ", " ((x x)))"),
            ("(_ ", ")"),
        ] {
            let text = nested(LESS_DEPTH, opening, "x", closing);
            let _ = read_term(&mut terms, &mut Scope::new(), &text, Dialect::V26);
        }
        assert!(!read_script(&mut terms, &"(assert ".repeat(LESS_DEPTH)).diagnostics.is_empty());
    });
}

#[test]
fn deep_sorts_are_read_and_printed() {
    in_small_stack(|| {
        let mut terms = Terms::new();
        let sort = nested(LESS_DEPTH, "(Array Int ", "Int", ")");
        let source =
            format!("(declare-const x {sort})\n(declare-fun f ({sort}) Int)\n(assert (= 1 (f x)))\n");
        round_trip(&mut terms, &source);
    });
}
