use super::*;
use crate::print::term_text;
use crate::read::read_script;

/// Reads a script of declarations and one assertion.
fn assertion(terms: &mut Terms, source: &str) -> Term {
    let reading = read_script(terms, source);
    assert_eq!(reading.diagnostics, []);
    reading.script.assertions().next().unwrap()
}

const BOOLS: &str =
    "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)(declare-const s String)";

/// Each occurrence of a constant as `path name polarity`.
fn leaves(source: &str) -> Vec<String> {
    let mut terms = Terms::new();
    let root = assertion(&mut terms, &format!("{BOOLS}{source}"));
    let mut found = Vec::new();
    for occurrence in occurrences(&terms, root, 1000) {
        assert_eq!(subterm_at(&terms, root, &occurrence.path), Some(occurrence.term));
        assert_eq!(polarity_at(&terms, root, &occurrence.path), occurrence.polarity);
        if terms.args(occurrence.term).is_empty() {
            let path: Vec<String> = occurrence.path.iter().map(u32::to_string).collect();
            let text = term_text(&mut terms, occurrence.term);
            found.push(format!("{} {text} {:?}", path.join("."), occurrence.polarity));
        }
    }
    found
}

#[test]
fn sizes_count_shared_terms_once_or_every_time() {
    let mut terms = Terms::new();
    let root = assertion(&mut terms, "(declare-const x Int)(assert (= (+ x 1) (+ x 1)))");
    assert_eq!((graph_size(&terms, root), tree_size(&terms, root), depth(&terms, root)), (4, 7, 3));
}

#[test]
fn huge_trees_have_huge_sizes() {
    let mut terms = Terms::new();
    let mut term = terms.bool(true);
    for _ in 0..40 {
        term = terms.apply(Op::And, &[], &[term, term]).unwrap();
    }
    assert_eq!(tree_size(&terms, term), (1 << 41) - 1);
    for _ in 0..40 {
        term = terms.apply(Op::And, &[], &[term, term]).unwrap();
    }
    assert_eq!(tree_size(&terms, term), u64::MAX);
    assert_eq!(depth(&terms, term), 81);
}

#[test]
fn subterms_come_after_their_arguments() {
    let mut terms = Terms::new();
    let root = assertion(&mut terms, &format!("{BOOLS}(assert (and (or a b) (not (or a b))))"));
    let all = subterms(&terms, &[root]);
    assert_eq!(all.len(), 5);
    for (position, term) in all.iter().enumerate() {
        assert!(terms.args(*term).iter().all(|arg| all[..position].contains(arg)));
    }
}

#[test]
fn negations_and_left_sides_of_implications_flip_polarity() {
    assert_eq!(leaves("(assert (=> a (not b) c))"), ["0 a Negative", "1.0 b Positive", "2 c Positive"]);
    assert_eq!(
        leaves("(assert (not (and a (ite b c (xor a b)))))"),
        ["0.0 a Negative", "0.1.0 b Mixed", "0.1.1 c Negative", "0.1.2.0 a Mixed", "0.1.2.1 b Mixed"]
    );
}

#[test]
fn binders_and_annotations_keep_polarity() {
    assert_eq!(
        leaves("(assert (not (forall ((x Int)) (! (let ((y a)) (or y b)) :pattern (c)))))"),
        ["0.0.0.0 a Mixed", "0.0.0.1.0 y Negative", "0.0.0.1.1 b Negative", "0.0.1 c Mixed"]
    );
}

#[test]
fn regular_expressions_have_polarity() {
    assert_eq!(
        leaves("(assert (str.in_re s (re.++ (re.comp re.all) (re.diff re.allchar re.none))))"),
        ["0 s Mixed", "1.0.0 re.all Negative", "1.1.0 re.allchar Positive", "1.1.1 re.none Negative"]
    );
}

#[test]
fn occurrences_are_limited() {
    let mut terms = Terms::new();
    let mut term = terms.bool(true);
    for _ in 0..100 {
        term = terms.apply(Op::And, &[], &[term, term]).unwrap();
    }
    assert_eq!(occurrences(&terms, term, 500).len(), 500);
}

#[test]
fn paths_that_lead_nowhere_find_nothing() {
    let mut terms = Terms::new();
    let root = assertion(&mut terms, &format!("{BOOLS}(assert (and a b))"));
    assert_eq!(subterm_at(&terms, root, &[2]), None);
    assert_eq!(subterm_at(&terms, root, &[0, 0]), None);
}

#[test]
fn variables_in_scope_are_listed_from_the_outside() {
    let mut terms = Terms::new();
    let root = assertion(&mut terms, "(assert (forall ((x Int)) (let ((y x) (z 1)) (exists ((x Bool)) x))))");
    let names = |path: &[u32]| -> Vec<&str> {
        variables_at(&terms, root, path).iter().map(|variable| terms.text(variable.name)).collect()
    };
    assert_eq!(names(&[0, 2, 0]), ["x", "y", "z", "x"]);
    assert_eq!(names(&[0, 0]), ["x"]);
    assert_eq!(names(&[]), [""; 0]);
}

/// Free names of the subterm at a path: globals, then locals.
fn free(source: &str, path: &[u32]) -> (Vec<String>, Vec<String>) {
    let mut terms = Terms::new();
    let root = assertion(&mut terms, source);
    let names = free_names(&terms, subterm_at(&terms, root, path).unwrap());
    let texts = |names: &FxHashSet<Symbol>| {
        let mut texts: Vec<String> = names.iter().map(|name| terms.text(*name).to_owned()).collect();
        texts.sort();
        texts
    };
    (texts(&names.globals), texts(&names.locals))
}

#[test]
fn bound_variables_are_not_free_and_hidden_names_are_not_used() {
    let source =
        "(declare-const x Int)(declare-fun f (Int) Int)(assert (forall ((y Int)) (let ((x y)) (= (f x) y))))";
    assert_eq!(free(source, &[]), (vec!["f".into()], vec![]));
    assert_eq!(free(source, &[0]), (vec!["f".into()], vec!["y".into()]));
    assert_eq!(free(source, &[0, 1]), (vec!["f".into()], vec!["x".into(), "y".into()]));
}

#[test]
fn what_a_let_binds_is_outside_of_its_scope() {
    let source = "(assert (forall ((x Int)) (let ((x (+ x 1))) (= x 2))))";
    assert_eq!(free(source, &[0]), (vec![], vec!["x".into()]));
}

#[test]
fn a_variable_may_be_free_beside_a_binder_of_the_same_name() {
    let source = "(assert (forall ((x Bool)) (and (exists ((x Bool)) x) x)))";
    assert_eq!(free(source, &[0]), (vec![], vec!["x".into()]));
    assert_eq!(free(source, &[0, 0]), (vec![], vec![]));
}

#[test]
fn constructors_of_patterns_and_testers_are_used() {
    let source = "(declare-datatype D ((c (f Int)) (d)))(declare-const x D)
        (assert (and ((_ is d) x) (match x (((c n) (= n 0)) (other true))) (= x ((_ update f) x 1))))";
    assert_eq!(free(source, &[]), (vec!["c".into(), "d".into(), "f".into(), "x".into()], vec![]));
}

/// Takes double negations off, and puts constants in the place of others.
#[derive(Default)]
struct Simplify {
    memo: FxHashMap<Term, Term>,
    map: FxHashMap<Term, Term>,
    visits: usize,
}

impl Rebuild for Simplify {
    fn recall(&self, term: Term) -> Option<Term> {
        self.memo.get(&term).copied()
    }

    fn remember(&mut self, term: Term, result: Term) {
        self.memo.insert(term, result);
    }

    fn enter(&mut self, term: Term) -> Option<Term> {
        self.map.get(&term).copied()
    }

    fn leave(&mut self, terms: &mut Terms, rebuilt: Term) -> Rebuilt {
        self.visits += 1;
        let arg = terms.args(rebuilt).first().copied();
        match (terms.op(rebuilt), arg) {
            (Some(Op::Not), Some(arg)) if terms.op(arg) == Some(Op::Not) => {
                Rebuilt::Again(terms.args(arg)[0])
            }
            _ => Rebuilt::Done(rebuilt),
        }
    }
}

#[test]
fn rebuilding_replaces_terms_also_in_what_replaces_them() {
    let mut terms = Terms::new();
    let root = assertion(&mut terms, &format!("{BOOLS}(assert (and (or b a) (not (not (or b a)))))"));
    let [a, b, c] = ["a", "b", "c"].map(|name| {
        let name = terms.symbols.get(name).unwrap();
        terms.constant(name, crate::sort::Sort::BOOL)
    });
    let mut simplify = Simplify { map: FxHashMap::from_iter([(a, b), (b, c)]), ..Simplify::default() };
    let rebuilt = rebuild(&mut terms, root, &mut simplify);
    assert_eq!(term_text(&mut terms, rebuilt), "(and (or c c) (or c c))");
    // The constant, the disjunction, both negations, the result of the outer one, and the conjunction.
    assert_eq!(simplify.visits, 6);
}
