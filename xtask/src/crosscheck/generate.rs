//! Random ground terms over the catalogue.

use std::collections::BTreeSet;

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Case, Head, Indices, Literal, Term, Terms, Variable};
use smelt_smtlib::walk::subterms;

use super::catalogue::{Area, Catalogue, Form, Maker, Production};
use super::{literals, words};

/// A term and how it was made.
#[derive(Debug, Clone)]
pub struct Ground {
    pub term: Term,
    /// The form that was asked for; it stands at the top, or below a membership if it is a regular expression.
    pub top: Form,
    /// All forms inside.
    pub forms: BTreeSet<Form>,
}

/// Makes terms in one arena, a clone of the catalogue's.
pub struct Generator<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub terms: Terms,
    pub(super) rng: Xoshiro256PlusPlus,
    pub(super) forms: BTreeSet<Form>,
    locals: Vec<Variable>,
}

/// Which forms may occur in a term.
pub type Filter<'f> = &'f dyn Fn(Form) -> bool;

impl<'a> Generator<'a> {
    pub fn new(catalogue: &'a Catalogue, rng: Xoshiro256PlusPlus) -> Self {
        let terms = catalogue.terms.clone();
        Generator { catalogue, terms, rng, forms: BTreeSet::new(), locals: Vec::new() }
    }

    /// The random numbers that the terms come from.
    pub fn rng(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.rng
    }

    /// A term with this form at the top and only allowed forms below; arguments are nested `depth` levels deep.
    pub fn ground(&mut self, top: Form, depth: u32, allowed: Filter<'_>) -> Ground {
        self.forms.clear();
        self.locals.clear();
        let term = if top == Form::Let {
            let sort = self.element_sort();
            self.make_let(sort, depth, allowed)
        } else if let Form::Open { op } = top {
            self.compare_open(op, depth, allowed)
        } else {
            let ids = self.catalogue.of_form(top);
            let id = *ids.choose(&mut self.rng).expect("every form has a production");
            self.make(&self.catalogue.productions[id as usize], depth, allowed)
        };
        // A language is judged by whether it has some word.
        let term = if self.terms.sort(term) == Sort::REG_LAN {
            let mut args = [literals::string(&mut self.terms, &mut self.rng), term];
            words::fit(&mut self.terms, Op::StrInRe, &mut args, &mut self.rng);
            literals::apply(&mut self.terms, Op::StrInRe, &args)
        } else {
            term
        };
        Ground { term, top, forms: std::mem::take(&mut self.forms) }
    }

    fn element_sort(&mut self) -> Sort {
        let bv = self.terms.sorts.bit_vec(8);
        *[Sort::BOOL, Sort::INT, Sort::REAL, Sort::STRING, bv].choose(&mut self.rng).expect("not empty")
    }

    /// Recursion is as deep as the terms, which are shallow.
    fn term(&mut self, sort: Sort, depth: u32, parent: Option<&Production>, allowed: Filter<'_>) -> Term {
        if let Some(local) = self.some_local(sort) {
            return local;
        }
        if depth == 0 || self.rng.random_bool(0.2) {
            return self.leaf(sort, parent);
        }
        if self.rng.random_bool(0.02) && allowed(Form::Let) {
            return self.make_let(sort, depth, allowed);
        }
        let is_same_area = self.rng.random_bool(0.5);
        let area = parent.map(|production| production.form.area());
        let candidates: Vec<&(Form, Vec<u32>)> = self
            .catalogue
            .of_sort(sort)
            .iter()
            .filter(|(form, _)| allowed(*form) && (!is_same_area || Some(form.area()) == area))
            .collect();
        let Some((_, ids)) = candidates.choose(&mut self.rng) else { return self.leaf(sort, parent) };
        let id = *ids.choose(&mut self.rng).expect("a form is listed with its productions");
        self.make(&self.catalogue.productions[id as usize], depth - 1, allowed)
    }

    fn some_local(&mut self, sort: Sort) -> Option<Term> {
        let fitting: Vec<Variable> = self.locals.iter().copied().filter(|local| local.sort == sort).collect();
        let local = *fitting.choose(&mut self.rng)?;
        // An inner variable of the same name may have another sort.
        let visible = self.locals.iter().rev().find(|other| other.name == local.name)?;
        (visible.sort == sort && self.rng.random_bool(0.5)).then(|| self.terms.local(local.name, sort))
    }

    pub(super) fn make(&mut self, production: &Production, depth: u32, allowed: Filter<'_>) -> Term {
        self.forms.insert(production.form);
        if production.maker == Maker::Match {
            return self.make_match(production, depth, allowed);
        }
        let mut args: Vec<Term> = Vec::with_capacity(production.args.len());
        for (position, sort) in production.args.iter().enumerate() {
            let twin = args.iter().copied().find(|arg| self.terms.sort(*arg) == *sort);
            let arg = match twin {
                Some(twin) if self.rng.random_bool(0.12) => twin,
                _ => self.argument(production, position, depth, allowed),
            };
            args.push(arg);
        }
        let (head, sort) = match &production.maker {
            Maker::Op(op, indices) => {
                words::fit(&mut self.terms, *op, &mut args, &mut self.rng);
                let ascribed = op.info().is_ascribed.then_some(production.sort);
                let applied = self.terms.apply_ascribed(*op, indices, &args, ascribed);
                return applied.expect("productions are well-sorted");
            }
            Maker::Constructor(name, true) => (Head::Qualified(*name), production.sort),
            Maker::Constructor(name, false) | Maker::Selector(name) => (Head::Global(*name), production.sort),
            Maker::Tester(name) => (Head::Tester(*name), Sort::BOOL),
            Maker::Updater(name) => (Head::Updater(*name), production.sort),
            Maker::Match => unreachable!("a match is made above"),
        };
        self.terms.intern(head, &args, sort)
    }

    fn argument(
        &mut self,
        production: &Production,
        position: usize,
        depth: u32,
        allowed: Filter<'_>,
    ) -> Term {
        let sort = production.args[position];
        let wants_small_number = match &production.maker {
            Maker::Op(Op::Power, _) => position == 1,
            Maker::Op(Op::IntPow2 | Op::ReLoopBetween, _) => sort == Sort::INT,
            _ => false,
        };
        if wants_small_number {
            let number = self.rng.random_range(0..7).to_string();
            return match sort {
                Sort::REAL => self.terms.literal(Literal::Decimal, &format!("{number}.0"), sort),
                _ => self.terms.literal(Literal::Numeral, &number, sort),
            };
        }
        // cvc5 wants a value here, and for it a minus or a fraction is none.
        if matches!(production.maker, Maker::Op(Op::ConstArray, _)) && self.rng.random_bool(0.85) {
            return self.plain_leaf(sort);
        }
        self.term(sort, depth, Some(production), allowed)
    }

    /// A leaf without signs and fractions, in values too.
    fn plain_leaf(&mut self, sort: Sort) -> Term {
        loop {
            let leaf = self.leaf(sort, None);
            let parts = subterms(&self.terms, &[leaf]);
            let is_plain = |part: &Term| match self.terms.head(*part) {
                Head::Op(op, _) => !matches!(op, Op::Neg | Op::RealDiv),
                Head::Literal(Literal::Decimal, text) => self.terms.text(text).ends_with(".0"),
                _ => true,
            };
            if parts.iter().all(is_plain) {
                return leaf;
            }
        }
    }

    fn make_let(&mut self, sort: Sort, depth: u32, allowed: Filter<'_>) -> Term {
        self.forms.insert(Form::Let);
        let count = self.rng.random_range(1..3);
        let mut bound = Vec::new();
        let mut variables = Vec::new();
        for number in 0..count {
            let bound_sort = if number == 0 { sort } else { self.element_sort() };
            bound.push(self.term(bound_sort, depth.saturating_sub(1), None, allowed));
            let name = self.terms.symbols.intern(if number == 0 { "x" } else { "y" });
            variables.push(Variable { name, sort: bound_sort });
        }
        let outer = self.locals.len();
        self.locals.extend(&variables);
        let body = self.term(sort, depth.max(1), None, allowed);
        self.locals.truncate(outer);
        let binders = self.terms.intern_binders(&variables);
        bound.push(body);
        self.terms.intern(Head::Let(binders), &bound, sort)
    }

    /// One case for each constructor, or a last case that takes all others.
    fn make_match(&mut self, production: &Production, depth: u32, allowed: Filter<'_>) -> Term {
        let catalogue = self.catalogue;
        let constructors = &catalogue.datatypes[&production.args[0]];
        let mut args = vec![self.term(production.args[0], depth, Some(production), allowed)];
        let mut cases = Vec::new();
        let last = self.rng.random_range(0..constructors.len() * 2);
        for (number, constructor) in constructors.iter().enumerate() {
            let takes_all = number == last;
            let variables: Vec<Variable> = if takes_all {
                let name = self.terms.symbols.intern("rest");
                vec![Variable { name, sort: production.args[0] }]
            } else {
                let field = |(position, (_, sort)): (usize, &(_, Sort))| Variable {
                    name: self.terms.symbols.intern(&format!("f{position}")),
                    sort: *sort,
                };
                constructor.fields.iter().enumerate().map(field).collect()
            };
            let outer = self.locals.len();
            self.locals.extend(&variables);
            args.push(self.term(production.sort, depth, Some(production), allowed));
            self.locals.truncate(outer);
            cases.push(Case { constructor: (!takes_all).then_some(constructor.name), variables });
            if takes_all {
                break;
            }
        }
        let cases = self.terms.intern_cases(&cases);
        self.terms.intern(Head::Match(cases), &args, production.sort)
    }

    fn leaf(&mut self, sort: Sort, parent: Option<&Production>) -> Term {
        let area = parent.map(|production| production.form.area());
        let wants_positions =
            matches!(area, Some(Area::Theory(Theory::Strings | Theory::Sequences | Theory::Regexes)));
        let (terms, rng) = (&mut self.terms, &mut self.rng);
        match terms.sorts.kind(sort).clone() {
            SortKind::Bool => terms.bool(rng.random_bool(0.5)),
            SortKind::Int => literals::int(terms, wants_positions, rng),
            SortKind::Real => literals::real(terms, rng),
            SortKind::String => match parent.map(|production| &production.maker) {
                Some(Maker::Op(Op::ReRange, _)) if rng.random_bool(0.8) => literals::character(terms, rng),
                _ => literals::string(terms, rng),
            },
            SortKind::BitVec(width) => literals::bits(terms, width, rng),
            SortKind::Float(exponent, significand) => literals::float(terms, exponent, significand, rng),
            SortKind::RoundingMode => {
                let op = *[Op::Rne, Op::Rna, Op::Rtp, Op::Rtn, Op::Rtz].choose(rng).expect("not empty");
                literals::apply(terms, op, &[])
            }
            SortKind::RegLan => self.language_leaf(),
            SortKind::Array(_, element) => {
                let element = self.plain_leaf(element);
                let array = self.terms.apply_ascribed(Op::ConstArray, &[], &[element], Some(sort));
                array.expect("the element has the sort of the array's elements")
            }
            SortKind::Seq(element) => {
                let empty = self.terms.apply_ascribed(Op::SeqEmpty, &[], &[], Some(sort));
                let mut seq = empty.expect("the empty sequence takes every sort");
                for number in 0..self.rng.random_range(0..4) {
                    let element = self.leaf(element, None);
                    let unit = literals::apply(&mut self.terms, Op::SeqUnit, &[element]);
                    seq = if number == 0 {
                        unit
                    } else {
                        literals::apply(&mut self.terms, Op::SeqConcat, &[seq, unit])
                    };
                }
                seq
            }
            SortKind::Named(..) => self.data_leaf(sort),
            kind => unreachable!("no term of sort {kind:?} is made"),
        }
    }

    fn language_leaf(&mut self) -> Term {
        let (terms, rng) = (&mut self.terms, &mut self.rng);
        match rng.random_range(0..10) {
            0 => literals::apply(terms, Op::ReNone, &[]),
            1 => literals::apply(terms, Op::ReAll, &[]),
            2 => literals::apply(terms, Op::ReAllChar, &[]),
            3 => {
                let ends = [literals::character(terms, rng), literals::character(terms, rng)];
                literals::apply(terms, Op::ReRange, &ends)
            }
            _ => {
                let word = literals::string(terms, rng);
                literals::apply(terms, Op::StrToRe, &[word])
            }
        }
    }

    /// Recursion ends because the first constructors of the prelude are not recursive, and are drawn often enough.
    fn data_leaf(&mut self, sort: Sort) -> Term {
        let catalogue = self.catalogue;
        let constructors = &catalogue.datatypes[&sort];
        let is_first = self.rng.random_bool(0.5);
        let some = if is_first { constructors.first() } else { constructors.choose(&mut self.rng) };
        let constructor = some.expect("a datatype has a constructor");
        let args: Vec<Term> = constructor.fields.iter().map(|(_, field)| self.leaf(*field, None)).collect();
        let head = if constructor.is_qualified {
            Head::Qualified(constructor.name)
        } else {
            Head::Global(constructor.name)
        };
        self.terms.intern(head, &args, sort)
    }
}

/// Whether an operator takes no arguments and stands for a value, so that it is no application to be hidden.
pub fn is_literal(terms: &Terms, term: Term) -> bool {
    match terms.head(term) {
        Head::Literal(..) => true,
        Head::Op(Op::True | Op::False, indices) => indices == Indices::NONE,
        _ => false,
    }
}
