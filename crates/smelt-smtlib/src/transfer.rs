//! Copying terms from one arena to another.
//!
//! What is used again and again in many arenas is read once and copied from there, which is far cheaper than reading its
//! text each time. Names stay what they are, so what is copied means in the other arena what its text would mean there.

use rustc_hash::FxHashMap;

use crate::sort::{Sort, SortKind};
use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Binders, Case, Head, Index, Indices, Term, Terms, Variable};

/// Copies terms out of one arena into one other.
#[derive(Debug)]
pub struct Transfer<'f> {
    from: &'f Terms,
    terms: FxHashMap<Term, Term>,
    sorts: FxHashMap<Sort, Sort>,
}

impl<'f> Transfer<'f> {
    /// Before anything is copied.
    pub fn new(from: &'f Terms) -> Self {
        Transfer { from, terms: FxHashMap::default(), sorts: FxHashMap::default() }
    }

    /// Lets a term of the other arena stand for one of this, wherever it occurs. Nothing is renamed: no binder around it
    /// may bind a name that the new term uses.
    pub fn replace(&mut self, old: Term, new: Term) -> &mut Self {
        self.terms.insert(old, new);
        self
    }

    /// The copy of a symbol.
    pub fn symbol(&self, into: &mut Terms, symbol: Symbol) -> Symbol {
        into.symbols.intern(self.from.text(symbol))
    }

    /// The copy of a sort.
    pub fn sort(&mut self, into: &mut Terms, sort: Sort) -> Sort {
        let mut pending = vec![sort];
        while let Some(&current) = pending.last() {
            let kind = self.from.sorts.kind(current);
            if current.is_fixed() || self.sorts.contains_key(&current) {
                pending.pop();
                continue;
            }
            let below = pending.len();
            let parts = self.from.sorts.components(current);
            pending.extend(parts.into_iter().filter(|part| self.known_sort(*part).is_none()));
            if pending.len() > below {
                continue;
            }
            pending.pop();
            let copy = kind.map_components(|part| self.known_sort(part).expect("parts are copied first"));
            let copy = match copy {
                SortKind::Named(name, parts) => SortKind::Named(self.symbol(into, name), parts),
                SortKind::Param(name) => SortKind::Param(self.symbol(into, name)),
                SortKind::FiniteField(order) => SortKind::FiniteField(self.symbol(into, order)),
                other => other,
            };
            let copy = into.sorts.intern(copy);
            self.sorts.insert(current, copy);
        }
        self.known_sort(sort).expect("the sort was just copied")
    }

    fn known_sort(&self, sort: Sort) -> Option<Sort> {
        if sort.is_fixed() { Some(sort) } else { self.sorts.get(&sort).copied() }
    }

    /// The copy of a term.
    pub fn term(&mut self, into: &mut Terms, root: Term) -> Term {
        let mut pending = vec![(root, 0)];
        let mut args = Vec::new();
        while let Some((term, position)) = pending.pop() {
            if self.terms.contains_key(&term) {
                continue;
            }
            let old_args = self.from.args(term);
            let is_new = |arg: &Term| !self.terms.contains_key(arg);
            if let Some(next) = old_args[position..].iter().position(is_new) {
                let next = position + next;
                pending.extend([(term, next + 1), (old_args[next], 0)]);
                continue;
            }
            args.clear();
            args.extend(old_args.iter().map(|arg| self.terms[arg]));
            let head = self.head(into, self.from.head(term));
            let sort = self.sort(into, self.from.sort(term));
            let copy = into.intern(head, &args, sort);
            self.terms.insert(term, copy);
        }
        self.terms[&root]
    }

    fn head(&mut self, into: &mut Terms, head: Head) -> Head {
        match head {
            Head::Op(op, Indices::NONE) => Head::Op(op, Indices::NONE),
            Head::Op(op, indices) => {
                let index = |index: &Index| match index {
                    Index::Number(number) => Index::Number(*number),
                    Index::Text(text) => Index::Text(self.symbol(into, *text)),
                };
                let indices: Vec<Index> = self.from.indices(indices).iter().map(index).collect();
                Head::Op(op, into.intern_indices(&indices))
            }
            Head::Literal(literal, text) => Head::Literal(literal, self.symbol(into, text)),
            Head::Global(name) => Head::Global(self.symbol(into, name)),
            Head::Qualified(name) => Head::Qualified(self.symbol(into, name)),
            Head::Local(name) => Head::Local(self.symbol(into, name)),
            Head::Tester(name) => Head::Tester(self.symbol(into, name)),
            Head::Updater(name) => Head::Updater(self.symbol(into, name)),
            Head::Opaque(text) => Head::Opaque(self.symbol(into, text)),
            Head::Let(binders) => Head::Let(self.binders(into, binders)),
            Head::Forall(binders) => Head::Forall(self.binders(into, binders)),
            Head::Exists(binders) => Head::Exists(self.binders(into, binders)),
            Head::Closure(closure, binders) => Head::Closure(closure, self.binders(into, binders)),
            Head::Lambda(binders) => Head::Lambda(self.binders(into, binders)),
            Head::Match(cases) => {
                let from = self.from;
                let mut case = |case: &Case| Case {
                    constructor: case.constructor.map(|name| self.symbol(into, name)),
                    variables: self.variables(into, &case.variables),
                };
                let cases: Vec<Case> = from.cases(cases).iter().map(&mut case).collect();
                Head::Match(into.intern_cases(&cases))
            }
            Head::Annotated(attributes) => {
                let mut attribute = |attribute: &Attribute| Attribute {
                    keyword: self.symbol(into, attribute.keyword),
                    value: match attribute.value {
                        AttributeValue::Name(name) => AttributeValue::Name(self.symbol(into, name)),
                        AttributeValue::Text(text) => AttributeValue::Text(self.symbol(into, text)),
                        value => value,
                    },
                };
                let attributes: Vec<Attribute> =
                    self.from.attributes(attributes).iter().map(&mut attribute).collect();
                Head::Annotated(into.intern_attributes(&attributes))
            }
        }
    }

    fn binders(&mut self, into: &mut Terms, binders: Binders) -> Binders {
        let variables = self.variables(into, self.from.binders(binders));
        into.intern_binders(&variables)
    }

    fn variables(&mut self, into: &mut Terms, variables: &[Variable]) -> Vec<Variable> {
        let variable = |variable: &Variable| Variable {
            name: self.symbol(into, variable.name),
            sort: self.sort(into, variable.sort),
        };
        variables.iter().map(variable).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Dialect;
    use crate::print::term_text;
    use crate::read::read_script_as;

    /// The assertions of a script read in one arena and copied to one that holds something else already.
    fn check(source: &str) {
        let mut from = Terms::new();
        let reading = read_script_as(&mut from, source, Dialect::V26);
        assert_eq!(reading.diagnostics, []);
        let roots: Vec<Term> = reading.script.assertions().collect();
        let mut into = Terms::new();
        read_script_as(&mut into, "(declare-sort B 1) (declare-const b (B (_ BitVec 3)))", Dialect::V26);
        let copies: Vec<Term> = {
            let mut transfer = Transfer::new(&from);
            roots.iter().map(|root| transfer.term(&mut into, *root)).collect()
        };
        let again = read_script_as(&mut into, source, Dialect::V26);
        assert_eq!(again.script.assertions().collect::<Vec<_>>(), copies, "a copy is what reading gives");
        for (root, copy) in roots.iter().zip(copies) {
            assert_eq!(term_text(&mut into, copy), term_text(&mut from, *root));
        }
    }

    #[test]
    fn a_copy_is_the_term_that_its_text_would_be() {
        check(
            r#"(declare-sort A 0) (declare-const a A) (declare-const |a b| (Array Int (Array A (_ BitVec 8))))
            (declare-fun f (Int A) Real) (declare-const s (Seq (Seq Int))) (declare-const x Float32)
            (assert (= (f 1 a) 2.50)) (assert (= ((_ extract 3 0) (select (select |a b| 7) a)) #b0101 #x0 (_ bv2 4)))
            (assert (= (str.++ "a\u{41}" (_ char #x42)) "")) (assert (distinct s (as seq.empty (Seq (Seq Int)))))
            (assert (fp.leq x (fp.neg x) ((_ to_fp 8 24) RNE 1.0)))"#,
        );
    }

    #[test]
    fn binders_patterns_and_names_are_copied() {
        check(
            "(declare-datatypes ((P 0)) (((pair (left Int) (right P)) (nil)))) (declare-const p P)
            (declare-fun q (Int) Bool)
            (assert (forall ((x Int) (y P)) (! (or (q x) (= y p)) :pattern ((q x)) :weight 3)))
            (assert (! (let ((x 1) (y p)) (exists ((z Int)) (= z x (left y)))) :named n))
            (assert (match p (((pair l r) (and n (> l 0) ((_ is nil) r))) (nil true))))",
        );
    }

    #[test]
    fn other_terms_stand_where_they_are_wanted() {
        let mut from = Terms::new();
        let source = "(declare-const x Int) (declare-const y Int) (assert (< x (+ y x)))";
        let reading = read_script_as(&mut from, source, Dialect::V26);
        let x = from.symbols.intern("x");
        let x = from.constant(x, Sort::INT);
        let root = reading.script.assertions().next().unwrap();
        let mut into = Terms::new();
        let y = into.symbols.intern("y");
        let y = into.constant(y, Sort::INT);
        let copy = Transfer::new(&from).replace(x, y).term(&mut into, root);
        assert_eq!(term_text(&mut into, copy), "(< y (+ y y))");
    }
}
