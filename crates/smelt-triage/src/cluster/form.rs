//! What a formula is, whatever its names and the order of arguments that can be exchanged: a number.
//!
//! Symbols are told apart by where they stand. At first only their sorts are known; then, several times over, each symbol
//! takes in all its places as they look with what is known of the other symbols. Two formulas that differ in names or
//! order have the same number. Two others have different ones, up to chance and up to symbols that stand in places which
//! look the same from everywhere: to call those the same is no loss where similar formulas are grouped.
//!
//! The idea is that of Weisfeiler and Leman for graphs.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use smelt_smtlib::canonical::canonical;
use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::read::read_script;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Index, Term, Terms};
use smelt_smtlib::walk::{operators, subterms};
use smelt_testgen::enumeration::symmetry::{COMMUTATIVE, ROUNDED};

/// Rounds in which symbols take in their places: they see as far as this through other symbols.
const ROUNDS: usize = 4;

/// The number of what a script asserts, assumes and defines, and the names of its operators in order, only those that
/// tell most.
pub fn form(source: &str) -> (u64, Vec<String>) {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, source).script;
    let roots: Vec<Term> = script.terms().collect();
    // This gives bound variables names by their places; the names of the others do not matter here.
    let roots = canonical(&mut terms, &roots, |_, _| false);
    let all = subterms(&terms, &roots);
    let mut colours: FxHashMap<Symbol, u64> = FxHashMap::default();
    let mut number = 0;
    for _ in 0..=ROUNDS {
        let below = look_below(&terms, &all, &colours);
        number = unordered(roots.iter().map(|root| below[root]));
        colours = look_above(&terms, &all, &roots, &below, &colours);
    }
    let found = operators(&terms, &roots);
    let most = found.iter().map(|op| telling(*op)).max();
    let told = found.iter().filter(|op| Some(telling(**op)) == most);
    let mut names: Vec<String> = told.map(|op| op.info().name.to_owned()).collect();
    names.sort();
    names.dedup();
    (number, names)
}

/// How much an operator tells of a bug. What connects the operators of a theory, or compares and adds up what they give,
/// tells bugs in it apart no more than names do.
fn telling(op: Op) -> u8 {
    match op {
        Op::Neg | Op::Sub | Op::Add | Op::Le | Op::Lt | Op::Ge | Op::Gt => 1,
        op if op.info().theory == Theory::Core => 0,
        _ => 2,
    }
}

/// What terms look like from above.
fn look_below(terms: &Terms, all: &[Term], colours: &FxHashMap<Symbol, u64>) -> FxHashMap<Term, u64> {
    let mut below: FxHashMap<Term, u64> = FxHashMap::default();
    for &term in all {
        let args: Vec<u64> = terms.args(term).iter().map(|arg| below[arg]).collect();
        let exchanged = exchangeable(terms.op(term), args.len());
        let (first, last) = (&args[..exchanged.start], &args[exchanged.end..]);
        let middle = unordered(args[exchanged.clone()].iter().copied());
        below.insert(term, hash((look(terms, term, colours), first, middle, last)));
    }
    below
}

/// The symbols as they look with all their places taken in.
fn look_above(
    terms: &Terms,
    all: &[Term],
    roots: &[Term],
    below: &FxHashMap<Term, u64>,
    colours: &FxHashMap<Symbol, u64>,
) -> FxHashMap<Symbol, u64> {
    let mut above: FxHashMap<Term, u64> = FxHashMap::default();
    roots.iter().for_each(|root| *above.entry(*root).or_default() += 1);
    let mut places: FxHashMap<Symbol, u64> = FxHashMap::default();
    // Terms come after their arguments, so from behind every term comes after all that it stands in.
    for &term in all.iter().rev() {
        let here = above.get(&term).copied().unwrap_or_default();
        if let Some(symbol) = declared(terms, term) {
            let place = places.entry(symbol).or_default();
            *place = place.wrapping_add(hash((here, below[&term])));
        }
        let args = terms.args(term);
        let exchanged = exchangeable(terms.op(term), args.len());
        for (number, arg) in args.iter().enumerate() {
            // From an argument that can be exchanged it does not show which one it is.
            let place = if exchanged.contains(&number) { exchanged.start } else { number };
            let seen = hash((here, look(terms, term, colours), place, below[&term]));
            let entry = above.entry(*arg).or_default();
            *entry = entry.wrapping_add(seen);
        }
    }
    let old = |symbol: &Symbol| colours.get(symbol).copied().unwrap_or_default();
    places.into_iter().map(|(symbol, place)| (symbol, hash((old(&symbol), place)))).collect()
}

/// The arguments of an operator that can be exchanged.
fn exchangeable(op: Option<Op>, count: usize) -> std::ops::Range<usize> {
    let Some(op) = op.filter(|op| COMMUTATIVE.contains(op)) else { return 0..0 };
    let start = usize::from(ROUNDED.contains(&op)).min(count);
    // What is added last does not take part in the product.
    let end = if op == Op::FpFma { count.saturating_sub(1) } else { count };
    start..end.max(start)
}

/// A term without its arguments.
fn look(terms: &Terms, term: Term, colours: &FxHashMap<Symbol, u64>) -> u64 {
    let mut sort = String::new();
    terms.sorts.write(&terms.symbols, terms.sort(term), &mut sort);
    match terms.head(term) {
        Head::Op(op, indices) => {
            let index = |index: &Index| match index {
                Index::Number(number) => number.to_string(),
                Index::Text(text) => terms.text(*text).to_owned(),
            };
            let indices: Vec<String> = terms.indices(indices).iter().map(index).collect();
            hash((0, op, indices, sort))
        }
        Head::Literal(literal, text) => hash((1, literal, terms.text(text), sort)),
        Head::Local(name) => hash((2, terms.text(name), sort)),
        Head::Opaque(name) => hash((3, terms.text(name), sort)),
        head => {
            let colour = declared(terms, term).and_then(|symbol| colours.get(&symbol)).copied();
            hash((4, std::mem::discriminant(&head), colour, sort))
        }
    }
}

/// The declared symbol in the head of a term.
fn declared(terms: &Terms, term: Term) -> Option<Symbol> {
    match terms.head(term) {
        Head::Global(name) | Head::Qualified(name) | Head::Tester(name) | Head::Updater(name) => Some(name),
        _ => None,
    }
}

fn unordered(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, |sum: u64, number| sum.wrapping_add(hash(number)))
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "(declare-const x Int)(declare-const y Int)(declare-const z Int)";

    fn check(left: &str, right: &str, is_same: bool) {
        let number = |body: &str| form(&format!("{HEAD}{body}")).0;
        assert_eq!(number(left) == number(right), is_same, "{left} and {right}");
    }

    #[test]
    fn names_and_order_do_not_matter() {
        check("(assert (< x (+ y z)))", "(assert (< z (+ x y)))", true);
        check("(assert (< x y))(assert (= y 3))", "(assert (= 3 z))(assert (< x z))", true);
        check("(assert (and (< x y) (< y z)))", "(assert (and (< z x) (< y z)))", true);
        check("(assert (forall ((a Int)) (< a x)))", "(assert (forall ((b Int)) (< b y)))", true);
    }

    #[test]
    fn what_is_not_the_same_is_told_apart() {
        check("(assert (< x y))(assert (= y 3))", "(assert (< x y))(assert (= x 3))", false);
        check("(assert (- x y 1))", "(assert (- x 1 y))", false);
        check("(assert (< x x))", "(assert (< x y))", false);
        check("(assert (= x 3))", "(assert (= x 4))", false);
        let defined = |body: &str| format!("(define-fun d () Bool {body})(assert d)");
        check(&defined("(< x y)"), &defined("(= x 3)"), false);
        check("(assert (and (< x y) (< y z)))", "(assert (and (< x y) (< x z)))", false);
        check("(assert (= x 3))(assert (= y 4))", "(assert (= x 3))(assert (= x 4))", false);
    }

    #[test]
    fn a_rounding_mode_stays_in_its_place() {
        let number = |body: &str| {
            let head = "(declare-const a Float32)(declare-const b Float32)(declare-const c Float32)";
            form(&format!("{head}(assert (= a {body}))")).0
        };
        assert_eq!(number("(fp.fma RNE a b c)"), number("(fp.fma RNE b a c)"));
        assert_ne!(number("(fp.fma RNE a b c)"), number("(fp.fma RNE c b a)"));
    }

    #[test]
    fn operators_that_tell_most_are_listed_once() {
        assert_eq!(form(&format!("{HEAD}(assert (= (+ x y) (+ y (* 2 z))))")).1, ["*"]);
        assert_eq!(form(&format!("{HEAD}(assert (= (+ x y) (+ y (- z))))")).1, ["+", "-"]);
        assert_eq!(form(&format!("{HEAD}(assert (= x y))")).1, ["="]);
    }
}
