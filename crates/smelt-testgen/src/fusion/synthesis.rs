//! Triples found by search: small terms f(x, y) for which small terms find x and y again.
//!
//! For given sorts of x and y all terms over them up to a size are candidates for f, and all terms over y and z, or x
//! and z, for the inversions. Values on a small domain decide: whoever is wrong at the first point is dropped
//! there. What is left is tried on all values of small domains like any other triple, and is treated as unproven.
//!
//! The thesis leaves finding triples by machine to future work (section 3.8).

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::term_text;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Command;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Literal, Term, Terms};
use smelt_smtlib::walk::{free_names, tree_size};

use super::triple::{Triple, parse};
use super::verify::{Verification, verify};
use crate::operators::{OperatorSet, is_portable};
use crate::small_domain::small_domain;

/// The width that stands for all widths during the search.
const WIDTH: u32 = 3;
/// How many values of a sort are tried during the search.
const MAX_VALUES: usize = 8;
/// How many terms of each kind are looked at.
const MAX_TERMS: usize = 30_000;
/// What evaluating all candidates at one point may cost.
const EFFORT: u64 = 1 << 32;

/// Why triples cannot be searched for a sort.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableSort {
    /// It is not a sort.
    #[error("cannot read sort `{sort}`: {problem}")]
    Unreadable {
        /// The text.
        sort: String,
        /// What is wrong with it.
        problem: String,
    },
    /// It is more than a sort.
    #[error("cannot read sort `{0}`")]
    NotOneSort(String),
    /// There is nothing to try.
    #[error("no values are known for sort `{0}`")]
    NoValues(String),
}

/// At most `most` triples for x and y of these sorts, written as in SMT-LIB with W for the width of bit vectors.
pub fn synthesise(x_sort: &str, y_sort: &str, most: usize) -> Result<Vec<Triple>, UnusableSort> {
    let mut terms = Terms::new();
    let (x_sort, y_sort) = (read_sort(&mut terms, x_sort)?, read_sort(&mut terms, y_sort)?);
    let mut search = Search::new(&mut terms, x_sort, y_sort);
    let fusions = search.fusions();
    let mut found: Vec<Triple> = Vec::new();
    for fusion in fusions {
        if found.len() >= most {
            break;
        }
        let Some((find_x, find_y)) = search.inversions(fusion) else { continue };
        let id = format!("found-{}", found.len() + 1);
        let text = search.text(&id, fusion, find_x, find_y);
        let Ok(triples) = parse(&text) else { continue };
        found.extend(triples.into_iter().filter(|triple| matches!(verify(triple), Verification::Inverts(_))));
    }
    Ok(found)
}

fn read_sort(terms: &mut Terms, text: &str) -> Result<Sort, UnusableSort> {
    let script = format!("(declare-const x {})", text.replace('W', &WIDTH.to_string()));
    let reading = read_script_as(terms, &script, Dialect::V26);
    if let Some(problem) = reading.diagnostics.first() {
        return Err(UnusableSort::Unreadable { sort: text.to_owned(), problem: problem.message.to_string() });
    }
    let Some(Command::DeclareConst(_, sort)) = reading.script.commands.first() else {
        return Err(UnusableSort::NotOneSort(text.to_owned()));
    };
    if small_domain(terms, *sort).is_empty() {
        return Err(UnusableSort::NoValues(text.to_owned()));
    }
    Ok(*sort)
}

/// A search for triples over given sorts.
struct Search<'t> {
    terms: &'t mut Terms,
    names: [Symbol; 3],
    x: Term,
    y: Term,
    /// Values for x and y: the points.
    points: Vec<(Term, Term)>,
    /// Candidates for inversions, by what they are built from.
    grown: FxHashMap<Vec<Term>, Vec<Term>>,
}

impl<'t> Search<'t> {
    fn new(terms: &'t mut Terms, x_sort: Sort, y_sort: Sort) -> Self {
        let names = ["x", "y", "z"].map(|name| terms.symbols.intern(name));
        let (x, y) = (terms.constant(names[0], x_sort), terms.constant(names[1], y_sort));
        let mut values = |sort| {
            let mut values = small_domain(terms, sort);
            values.truncate(MAX_VALUES);
            values
        };
        let (x_values, y_values) = (values(x_sort), values(y_sort));
        let pairs = x_values.iter().flat_map(|x| y_values.iter().map(|y| (*x, *y)));
        let points = pairs.collect();
        Search { terms, names, x, y, points, grown: FxHashMap::default() }
    }

    /// Terms over x and y that tell the values of one apart if the other is known, smallest first.
    fn fusions(&mut self) -> Vec<Term> {
        let (x_name, y_name) = (self.names[0], self.names[1]);
        let mut fusions: Vec<Term> = self.grow(&[self.x, self.y], 2);
        fusions.retain(|term| {
            let names = free_names(self.terms, *term).globals;
            names.contains(&x_name) && names.contains(&y_name) && tree_size(self.terms, *term) <= 5
        });
        let values = self.values_at_points(&fusions);
        let mut seen = FxHashSet::default();
        let mut kept = Vec::new();
        for (fusion, values) in fusions.into_iter().zip(values) {
            let Some(values) = values else { continue };
            if self.is_injective(&values) && seen.insert(values) {
                kept.push(fusion);
            }
        }
        kept
    }

    /// Terms that find x and y again, the smallest of each.
    fn inversions(&mut self, fusion: Term) -> Option<(Term, Term)> {
        let z_sort = self.terms.sort(fusion);
        let z = self.terms.constant(self.names[2], z_sort);
        let find_x = self.inversion(fusion, &[self.y, z], self.x)?;
        let find_y = self.inversion(fusion, &[self.x, z], self.y)?;
        Some((find_x, find_y))
    }

    fn inversion(&mut self, fusion: Term, leaves: &[Term], wanted: Term) -> Option<Term> {
        let sort = self.terms.sort(wanted);
        if !self.grown.contains_key(leaves) {
            let mut grown = self.grow(leaves, 2);
            grown.retain(|term| self.terms.sort(*term) == sort);
            self.grown.insert(leaves.to_vec(), grown);
        }
        let mut candidates = self.grown[leaves].clone();
        let environment = Environment::default();
        for (x_value, y_value) in self.points.clone() {
            if candidates.is_empty() {
                return None;
            }
            let mut model = Model::new();
            model.set(self.terms, self.names[0], x_value);
            model.set(self.terms, self.names[1], y_value);
            model.set(self.terms, self.names[2], fusion);
            let mut evaluator = Evaluator::new(self.terms, &environment, &model);
            evaluator.budget = Budget::new(EFFORT);
            let value = evaluator.eval(wanted).ok()?;
            candidates.retain(|candidate| evaluator.eval(*candidate).as_ref() == Ok(&value));
        }
        candidates.into_iter().next()
    }

    /// Terms over some leaves and small values, each operator nested at most so deep, smallest first.
    fn grow(&mut self, leaves: &[Term], depth: u32) -> Vec<Term> {
        let mut small: Vec<Term> = leaves.to_vec();
        small.extend(self.small_literals(leaves));
        let mut all = small.clone();
        let mut last = small.clone();
        let mut seen: FxHashSet<Term> = all.iter().copied().collect();
        for _ in 0..depth {
            let mut new = Vec::new();
            for op in OperatorSet::standard().iter().filter(|op| is_searched(*op)) {
                for inner in &last {
                    new.extend(self.apply(op, &[*inner]));
                    for outer in &small {
                        new.extend(self.apply(op, &[*inner, *outer]));
                        new.extend(self.apply(op, &[*outer, *inner]));
                    }
                }
            }
            new.retain(|term| seen.insert(*term));
            new.truncate(MAX_TERMS);
            all.extend(&new);
            last = new;
        }
        all.sort_by_key(|term| tree_size(self.terms, *term));
        all
    }

    fn apply(&mut self, op: Op, args: &[Term]) -> Option<Term> {
        let sorts: Vec<Sort> = args.iter().map(|arg| self.terms.sort(*arg)).collect();
        let term = self.terms.apply(op, &[], args).ok()?;
        let is_mixed = sorts.contains(&Sort::INT) && sorts.contains(&Sort::REAL);
        (!is_mixed && is_portable(&self.terms.sorts, op, &sorts)).then_some(term)
    }

    /// Literals that may help; none of bit vectors, because they have a width.
    fn small_literals(&mut self, leaves: &[Term]) -> Vec<Term> {
        let has = |sort: Sort, terms: &Terms| leaves.iter().any(|leaf| terms.sort(*leaf) == sort);
        let mut literals = Vec::new();
        if has(Sort::INT, self.terms) || has(Sort::STRING, self.terms) {
            literals.push(self.terms.literal(Literal::Numeral, "2", Sort::INT));
        }
        if has(Sort::REAL, self.terms) {
            literals.push(self.terms.literal(Literal::Decimal, "2.0", Sort::REAL));
        }
        literals
    }

    /// For each term its values at all points; none if it has no value somewhere.
    fn values_at_points(&self, candidates: &[Term]) -> Vec<Option<Vec<Value>>> {
        let environment = Environment::default();
        let mut columns: Vec<Option<Vec<Value>>> = vec![Some(Vec::new()); candidates.len()];
        for (x_value, y_value) in &self.points {
            let mut model = Model::new();
            model.set(self.terms, self.names[0], *x_value);
            model.set(self.terms, self.names[1], *y_value);
            let mut evaluator = Evaluator::new(self.terms, &environment, &model);
            evaluator.budget = Budget::new(EFFORT);
            for (candidate, column) in candidates.iter().zip(&mut columns) {
                let Some(values) = column else { continue };
                match evaluator.eval(*candidate) {
                    Ok(value) if !value.is_opaque_to_equality() => values.push(value),
                    _ => *column = None,
                }
            }
        }
        columns
    }

    /// Whether values at the points tell x apart for each y, and y for each x.
    fn is_injective(&self, values: &[Value]) -> bool {
        let mut by_x: FxHashMap<(Term, &Value), Term> = FxHashMap::default();
        let mut by_y: FxHashMap<(Term, &Value), Term> = FxHashMap::default();
        self.points.iter().zip(values).all(|((x, y), value)| {
            by_x.insert((*x, value), *y).is_none() && by_y.insert((*y, value), *x).is_none()
        })
    }

    /// A block in the form that users write.
    fn text(&mut self, id: &str, fusion: Term, find_x: Term, find_y: Term) -> String {
        let mut text = format!("#begin {id}\n");
        let z_sort = self.terms.sort(fusion);
        let sorts = [self.terms.sort(self.x), self.terms.sort(self.y), z_sort];
        for (name, sort) in ["x", "y", "z"].into_iter().zip(sorts) {
            let mut written = String::new();
            match self.terms.sorts.kind(sort) {
                SortKind::BitVec(width) if *width == WIDTH => written.push_str("(_ BitVec W)"),
                SortKind::BitVec(width) if *width == 2 * WIDTH => written.push_str("(_ BitVec W+W)"),
                _ => self.terms.sorts.write(&self.terms.symbols, sort, &mut written),
            }
            text.push_str(&format!("(declare-const {name} {written})\n"));
        }
        for (name, term) in [("z", fusion), ("x", find_x), ("y", find_y)] {
            text.push_str(&format!("(assert (= {name} {}))\n", term_text(self.terms, term)));
        }
        text.push_str("#end\n");
        text
    }
}

/// Operators without indices that are applied to one or two arguments.
fn is_searched(op: Op) -> bool {
    let info = op.info();
    info.indices.is_empty() && !info.is_ascribed && !matches!(op, Op::Distinct)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(x: &str, y: &str) -> String {
        let triples = synthesise(x, y, 12).unwrap();
        triples.iter().map(Triple::to_text).collect()
    }

    #[test]
    fn the_sum_of_integers_is_found() {
        let text = found("Int", "Int");
        assert!(
            text.contains("(assert (= z (+ x y)))\n(assert (= x (- z y)))\n(assert (= y (- z x)))"),
            "{text}"
        );
        assert!(!text.contains("(assert (= z (* x y)))"), "{text}");
    }

    #[test]
    fn exclusive_or_is_found_for_truth_values_and_bits() {
        assert!(found("Bool", "Bool").contains("(assert (= z (xor x y)))"));
        let text = found("(_ BitVec W)", "(_ BitVec W)");
        assert!(text.contains("(declare-const x (_ BitVec W))"), "{text}");
        assert!(text.contains("(assert (= z (bvxor x y)))"), "{text}");
    }

    #[test]
    fn sorts_without_values_are_refused() {
        assert_eq!(synthesise("RegLan", "Int", 1).unwrap_err(), UnusableSort::NoValues("RegLan".to_owned()));
        assert!(
            synthesise("Nothing", "Int", 1).unwrap_err().to_string().contains("cannot read sort `Nothing`")
        );
    }
}
