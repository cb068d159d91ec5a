//! Building: the term that a pattern means, once it is known what everything in it stands for.

use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms, Variable};

use super::matching::{Assignment, Meaning};
use super::pattern::{Pattern, Quantifier};
use crate::operators::is_portable;
use crate::shape::Width;

/// What is needed to build.
pub(super) struct Builder<'b> {
    pub terms: &'b mut Terms,
    pub assignment: &'b Assignment,
    /// A name for bound variables that nothing else has.
    pub bound_name: Symbol,
}

impl Builder<'_> {
    /// The term that a pattern means; none if something in it is not known or solvers would not accept it.
    pub(super) fn build(&mut self, pattern: &Pattern) -> Option<Term> {
        self.part(pattern, None)
    }

    /// As [`Builder::build`], below a quantifier over a variable of this sort.
    fn part(&mut self, pattern: &Pattern, bound: Option<Sort>) -> Option<Term> {
        match pattern {
            Pattern::Variable(position) => match &self.assignment.meanings[*position] {
                Some(Meaning::Term(term)) => Some(*term),
                _ => None,
            },
            Pattern::Applied(position, argument) => {
                let argument = self.part(argument, bound)?;
                match &self.assignment.meanings[*position] {
                    Some(Meaning::Function(function)) => function.apply(self.terms, argument),
                    _ => None,
                }
            }
            Pattern::Bound => Some(self.terms.local(self.bound_name, bound?)),
            Pattern::Number(width) => {
                let number = width.value(&self.assignment.letters)?;
                Some(self.terms.literal(Literal::Numeral, &number.to_string(), Sort::INT))
            }
            Pattern::Literal(kind, text, shape) => {
                let sort = shape.sort(&mut self.terms.sorts, &self.assignment.letters)?;
                Some(self.terms.literal(*kind, text, sort))
            }
            Pattern::Application { ops, indices, args } => {
                let args: Vec<Term> = args.iter().map(|arg| self.part(arg, bound)).collect::<Option<_>>()?;
                let index =
                    |width: &Width| Some(Index::Number(u64::from(width.value(&self.assignment.letters)?)));
                let indices: Vec<Index> = indices.iter().map(index).collect::<Option<_>>()?;
                let sorts: Vec<Sort> = args.iter().map(|arg| self.terms.sort(*arg)).collect();
                ops.iter()
                    .filter(|op| args.is_empty() || is_portable(&self.terms.sorts, **op, &sorts))
                    .copied()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .find_map(|op| self.terms.apply(op, &indices, &args).ok())
            }
            Pattern::Quantified { quantifier, shape, body } => {
                let sort = shape.sort(&mut self.terms.sorts, &self.assignment.letters)?;
                let body = self.part(body, Some(sort))?;
                let variable = Variable { name: self.bound_name, sort };
                let binders = self.terms.intern_binders(&[variable]);
                let head = match quantifier {
                    Quantifier::Forall => Head::Forall(binders),
                    Quantifier::Exists => Head::Exists(binders),
                };
                Some(self.terms.intern(head, &[body], Sort::BOOL))
            }
        }
    }
}
