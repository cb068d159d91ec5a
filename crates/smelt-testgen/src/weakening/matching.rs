//! Matching: what the variables of a rule stand for where one of its sides is found.
//!
//! Matching is up to the order of the arguments of commutative operators, and up to the grouping of those of associative
//! ones; which order and which grouping is tried first is left to chance. It does not try everything: a match that is
//! missed is found at another time.
//!
//! A declared function stands for a term with a hole. Below a quantifier of the rule, the hole is the bound variable;
//! elsewhere it is some subterm of our choice.

use smelt_smtlib::op::{Attribute, Op};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, replace_in_scope, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms};
use smelt_smtlib::walk::{free_names, subterm_at, subterms};

use super::pattern::{Declared, Pattern, Quantifier};
use crate::operators::is_portable;
use crate::random::Random;
use crate::shape::{Bindings, Width};
use crate::term_index::open_args;

/// What a rule's variables, functions and letters stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Assignment {
    pub letters: Bindings,
    /// By the position of what is declared.
    pub meanings: Vec<Option<Meaning>>,
}

/// What something that a rule declares stands for.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    Term(Term),
    Function(Function),
}

/// A term with a hole.
#[derive(Debug, Clone)]
pub(super) struct Function {
    /// The name of the local variable that is the hole.
    pub hole: Symbol,
    pub body: Term,
    /// Where the hole is, if it was chosen.
    path: Option<Vec<u32>>,
}

/// The hole of a function that was not found below a quantifier. It never gets into a formula.
pub(super) const HOLE: &str = "(hole)";
/// At most so many subterms are looked at for one to make a hole of.
const MAX_HOLES: usize = 200;

impl Assignment {
    /// Nothing is known yet.
    pub(super) fn new(declared: &[Declared]) -> Self {
        Assignment { letters: Bindings::default(), meanings: vec![None; declared.len()] }
    }
}

impl Function {
    /// An operator or a declared function as a function, by its application to the hole.
    pub(super) fn of_application(hole: Symbol, body: Term) -> Self {
        Function { hole, body, path: Some(vec![0]) }
    }

    /// The function at an argument; none if a binder in it would capture a name of the argument.
    pub(super) fn apply(&self, terms: &mut Terms, argument: Term) -> Option<Term> {
        let names = free_names(terms, argument);
        for term in subterms(terms, &[self.body]) {
            for position in 0..terms.args(term).len() {
                if terms.bound_at(term, position).iter().any(|variable| names.contains(variable.name)) {
                    return None;
                }
            }
        }
        let mut substitution = Substitution::new();
        substitution.replace(self.hole, argument);
        Some(substitute(terms, self.body, &substitution))
    }
}

/// What is needed to match.
pub(super) struct Matcher<'m> {
    pub terms: &'m mut Terms,
    pub declared: &'m [Declared],
    pub random: &'m mut Random,
}

/// The variable of the quantifier that was matched around a place.
#[derive(Debug, Clone, Copy)]
struct Binder {
    name: Symbol,
    sort: Sort,
}

impl Matcher<'_> {
    /// What a pattern means at a term; none if it is not found there.
    pub(super) fn find(&mut self, pattern: &Pattern, term: Term) -> Option<Assignment> {
        let mut assignment = Assignment::new(self.declared);
        self.matches(pattern, term, None, &mut assignment).then_some(assignment)
    }

    /// The same for a pattern whose variables have a meaning already, as far as that is known.
    pub(super) fn find_also(
        &mut self,
        pattern: &Pattern,
        term: Term,
        mut assignment: Assignment,
    ) -> Option<Assignment> {
        self.matches(pattern, term, None, &mut assignment).then_some(assignment)
    }

    fn matches(
        &mut self,
        pattern: &Pattern,
        term: Term,
        binder: Option<Binder>,
        assignment: &mut Assignment,
    ) -> bool {
        match pattern {
            Pattern::Variable(position) => self.variable(*position, term, binder, assignment),
            Pattern::Applied(position, argument) => {
                self.applied(*position, argument, term, binder, assignment)
            }
            Pattern::Bound => binder.is_some_and(|binder| self.terms.head(term) == Head::Local(binder.name)),
            Pattern::Number(width) => match (self.terms.head(term), self.terms.sort(term)) {
                (Head::Literal(Literal::Numeral, text), Sort::INT) => {
                    let number = self.terms.text(text).parse();
                    number.is_ok_and(|number| width.bind(number, &mut assignment.letters))
                }
                _ => false,
            },
            Pattern::Literal(kind, text, shape) => {
                let sort = self.terms.sort(term);
                shape.bind(&self.terms.sorts, sort, &mut assignment.letters)
                    && matches!(self.terms.head(term), Head::Literal(found, symbol)
                        if found == *kind && self.terms.text(symbol) == text)
            }
            Pattern::Application { ops, indices, args } => {
                self.application(ops, indices, args, term, binder, assignment)
            }
            Pattern::Quantified { quantifier, shape, body } => {
                let Some((found, below)) = self.first_binder(*quantifier, term) else { return false };
                shape.bind(&self.terms.sorts, found.sort, &mut assignment.letters)
                    && self.matches(body, below, Some(found), assignment)
            }
        }
    }

    fn variable(
        &mut self,
        position: usize,
        term: Term,
        binder: Option<Binder>,
        assignment: &mut Assignment,
    ) -> bool {
        let sort = self.terms.sort(term);
        if !self.declared[position].shape.bind(&self.terms.sorts, sort, &mut assignment.letters) {
            return false;
        }
        // What is carried out of the scope of the rule's quantifier may not speak of its variable.
        if binder.is_some_and(|binder| free_names(self.terms, term).locals.contains(&binder.name)) {
            return false;
        }
        match &assignment.meanings[position] {
            Some(Meaning::Term(known)) => *known == term,
            Some(Meaning::Function(_)) => false,
            None => {
                assignment.meanings[position] = Some(Meaning::Term(term));
                true
            }
        }
    }

    fn application(
        &mut self,
        ops: &[Op],
        indices: &[Width],
        patterns: &[Pattern],
        term: Term,
        binder: Option<Binder>,
        assignment: &mut Assignment,
    ) -> bool {
        let Head::Op(op, found_indices) = self.terms.head(term) else { return false };
        if !ops.contains(&op) {
            return false;
        }
        let found_indices = self.terms.indices(found_indices).to_vec();
        let Some(args) = self.grouped(op, term, patterns.len()) else { return false };
        if found_indices.len() != indices.len() {
            return false;
        }
        let orders: &[[usize; 2]] = if patterns.len() != 2 || !is_commutative(op) {
            &[[0, 1]]
        } else if self.random.one_in(2) {
            &[[0, 1], [1, 0]]
        } else {
            &[[1, 0], [0, 1]]
        };
        let before = assignment.clone();
        let is_found = orders.iter().any(|order| {
            *assignment = before.clone();
            let arg = |position: usize| args[if patterns.len() == 2 { order[position] } else { position }];
            patterns
                .iter()
                .enumerate()
                .all(|(position, pattern)| self.matches(pattern, arg(position), binder, assignment))
        });
        is_found
            && indices.iter().zip(&found_indices).all(|(width, index)| match index {
                Index::Number(number) => {
                    u32::try_from(*number).is_ok_and(|number| width.bind(number, &mut assignment.letters))
                }
                Index::Text(_) => false,
            })
    }

    /// The arguments of an application as so many: those of an associative operator are grouped.
    fn grouped(&mut self, op: Op, term: Term, wanted: usize) -> Option<Vec<Term>> {
        let args = self.terms.args(term).to_vec();
        if args.len() == wanted {
            return Some(args);
        }
        if wanted != 2 || args.len() < 2 {
            return None;
        }
        let split = match op.info().attribute {
            Attribute::LeftAssoc if is_associative(op) => 1 + self.random.position(args.len() - 1),
            Attribute::LeftAssoc => args.len() - 1,
            Attribute::RightAssoc => 1,
            Attribute::Fixed | Attribute::Chainable | Attribute::Pairwise => return None,
        };
        let mut group = |args: &[Term]| match args {
            [arg] => Some(*arg),
            args => self.terms.apply(op, &[], args).ok(),
        };
        Some(vec![group(&args[..split])?, group(&args[split..])?])
    }

    /// The first variable of a quantifier and what is below it, which may be a quantifier over the others.
    ///
    /// Quantifiers with patterns are left alone: a pattern may not do without its variables.
    fn first_binder(&mut self, quantifier: Quantifier, term: Term) -> Option<(Binder, Term)> {
        let (head, binders) = match (quantifier, self.terms.head(term)) {
            (Quantifier::Forall, Head::Forall(binders)) => (Head::Forall as fn(_) -> Head, binders),
            (Quantifier::Exists, Head::Exists(binders)) => (Head::Exists as fn(_) -> Head, binders),
            _ => return None,
        };
        let body = self.terms.args(term)[0];
        if matches!(self.terms.head(body), Head::Annotated(_)) {
            return None;
        }
        let variables = self.terms.binders(binders).to_vec();
        let (first, rest) = variables.split_first()?;
        let below = if rest.is_empty() {
            body
        } else {
            let rest = self.terms.intern_binders(rest);
            self.terms.intern(head(rest), &[body], Sort::BOOL)
        };
        Some((Binder { name: first.name, sort: first.sort }, below))
    }

    fn applied(
        &mut self,
        position: usize,
        argument: &Pattern,
        term: Term,
        binder: Option<Binder>,
        assignment: &mut Assignment,
    ) -> bool {
        let declared = &self.declared[position];
        let sort = self.terms.sort(term);
        let Some(param) = &declared.param else { return false };
        if !declared.shape.bind(&self.terms.sorts, sort, &mut assignment.letters) {
            return false;
        }
        let known = match &assignment.meanings[position] {
            Some(Meaning::Function(function)) => Some(function.clone()),
            Some(Meaning::Term(_)) => return false,
            None => None,
        };
        match (known, argument, binder) {
            (None, Pattern::Bound, Some(binder)) => {
                let function = Function { hole: binder.name, body: term, path: None };
                assignment.meanings[position] = Some(Meaning::Function(function));
                param.bind(&self.terms.sorts, binder.sort, &mut assignment.letters)
            }
            (Some(function), Pattern::Bound, Some(binder)) => {
                let hole = self.terms.local(binder.name, binder.sort);
                function.apply(self.terms, hole) == Some(term)
            }
            (None, Pattern::Variable(variable), None) => {
                self.make_hole(position, *variable, term, assignment)
            }
            (Some(function), Pattern::Variable(variable), None) => {
                let filled = match &assignment.meanings[*variable] {
                    Some(Meaning::Term(filled)) => Some(*filled),
                    Some(Meaning::Function(_)) => None,
                    None => function.path.as_ref().and_then(|path| subterm_at(self.terms, term, path)),
                };
                let Some(filled) = filled else { return false };
                self.variable(*variable, filled, None, assignment)
                    && function.apply(self.terms, filled) == Some(term)
            }
            _ => false,
        }
    }

    /// Chooses a subterm that a variable may stand for, and takes the rest for a function of it.
    fn make_hole(
        &mut self,
        position: usize,
        variable: usize,
        term: Term,
        assignment: &mut Assignment,
    ) -> bool {
        let mut candidates = holes(self.terms, term);
        while let Some(path) = self.random.take(&mut candidates) {
            let Some(filled) = subterm_at(self.terms, term, &path) else { continue };
            let sort = self.terms.sort(filled);
            let before = assignment.clone();
            let Some(param) = &self.declared[position].param else { return false };
            let fits = param.bind(&self.terms.sorts, sort, &mut assignment.letters)
                && self.variable(variable, filled, None, assignment);
            if !fits {
                *assignment = before;
                continue;
            }
            let hole = self.terms.symbols.intern(HOLE);
            let local = self.terms.local(hole, sort);
            let Some(body) = replace_in_scope(self.terms, term, &path, local) else { return false };
            let function = Function { hole, body, path: Some(path) };
            assignment.meanings[position] = Some(Meaning::Function(function));
            return true;
        }
        false
    }
}

/// The places below a term at which a bound variable could stand: not below binders, and not in regular expressions,
/// for which solvers want literals.
fn holes(terms: &Terms, root: Term) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut pending = vec![(root, Vec::new())];
    while let Some((term, path)) = pending.pop() {
        if found.len() == MAX_HOLES {
            break;
        }
        let is_left_alone = terms.is_binder(term) || matches!(terms.head(term), Head::Annotated(_));
        if !is_left_alone {
            for (position, arg) in open_args(terms, term).iter().enumerate().rev() {
                if terms.sort(*arg) != Sort::REG_LAN {
                    let mut below: Vec<u32> = path.clone();
                    below.push(position as u32);
                    pending.push((*arg, below));
                }
            }
        }
        let sort = terms.sort(term);
        if !path.is_empty() && is_portable(&terms.sorts, Op::Eq, &[sort, sort]) {
            found.push(path);
        }
    }
    found
}

/// Whether arguments may be grouped in any way.
fn is_associative(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        And | Or
            | Xor
            | Add
            | Mul
            | StrConcat
            | ReConcat
            | ReUnion
            | ReInter
            | Concat
            | BvAdd
            | BvMul
            | BvAnd
            | BvOr
            | BvXor
    )
}

/// Whether the two arguments may come in any order.
fn is_commutative(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        And | Or | Xor | Eq | Distinct | Add | Mul | ReUnion | ReInter | BvAdd | BvMul | BvAnd | BvOr | BvXor
    )
}
