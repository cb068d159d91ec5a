//! Identities of substrings.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

use super::symbols::{Symbol, pieces, symbols, text};
use super::{never, never_less};
use crate::linear::Form;

/// `str.at` is a substring of length one; substrings start and end as far inside of a concatenation as is known.
pub(super) fn substring(terms: &mut Terms, term: Term) -> Option<Term> {
    if terms.op(term) == Some(Op::StrAt) {
        let &[whole, position] = terms.args(term) else { return None };
        let one = literal::int(terms, &IBig::ONE);
        return Some(apply(terms, Op::StrSubstr, &[whole, position, one]));
    }
    let &[whole, start, count] = terms.args(term) else { return None };
    let substring = Substring { whole, start, count };
    substring.known(terms).or_else(|| substring.shorter(terms)).or_else(|| substring.nested(terms))
}

struct Substring {
    whole: Term,
    start: Term,
    count: Term,
}

impl Substring {
    /// Nothing, everything, or everything from the start on.
    fn known(&self, terms: &mut Terms) -> Option<Term> {
        let Substring { whole, start, count } = *self;
        let [zero, one] = [IBig::ZERO, IBig::ONE].map(|value| literal::int(terms, &value));
        let length = build::len(terms, whole);
        let is_inside = [
            build::at_most(terms, zero, start),
            apply(terms, Op::Lt, &[start, length]),
            build::at_most(terms, one, count),
        ];
        if never(terms, &is_inside) {
            return Some(build::empty(terms));
        }
        let rest = build::difference(terms, length, start);
        if !never_less(terms, count, rest) || !never_less(terms, start, zero) {
            return None;
        }
        if start == zero {
            return Some(whole);
        }
        // Of all counts that are large enough the rest is the canonical one.
        let rest = Form::of(terms, rest);
        (Form::of(terms, count) != rest).then(|| {
            let rest = rest.to_term(terms);
            apply(terms, Op::StrSubstr, &[whole, start, rest])
        })
    }

    /// Pieces before the start and behind the end do not matter; pieces that are taken as a whole come out.
    fn shorter(&self, terms: &mut Terms) -> Option<Term> {
        let Substring { whole, start, count } = *self;
        let all = symbols(terms, whole);
        if let Some(skipped) = literal::int_value(terms, start).and_then(|start| usize::try_from(&start).ok())
        {
            let is_character = |symbol: &&Symbol| matches!(symbol, Symbol::Char(_));
            let skipped = all.iter().take(skipped).take_while(is_character).count();
            if skipped > 0 {
                let rest = text(terms, &all[skipped..]);
                let skipped = literal::int(terms, &IBig::from(skipped));
                let start = build::difference(terms, start, skipped);
                return Some(apply(terms, Op::StrSubstr, &[rest, start, count]));
            }
        }
        let parts = pieces(terms, &all);
        let ([first, others @ ..], [front @ .., _]) = (parts.as_slice(), parts.as_slice()) else {
            return None;
        };
        if others.is_empty() {
            return None;
        }
        let first_length = build::len(terms, *first);
        if never_less(terms, start, first_length) {
            let rest = build::concat(terms, others);
            let start = build::difference(terms, start, first_length);
            return Some(apply(terms, Op::StrSubstr, &[rest, start, count]));
        }
        let front = build::concat(terms, front);
        let front_length = build::len(terms, front);
        let end = build::sum(terms, &[start, count]);
        if never_less(terms, front_length, end) {
            return Some(apply(terms, Op::StrSubstr, &[front, start, count]));
        }
        let zero = literal::int(terms, &IBig::ZERO);
        (start == zero && never_less(terms, count, first_length)).then(|| {
            let rest = build::concat(terms, others);
            let count = build::difference(terms, count, first_length);
            let rest = apply(terms, Op::StrSubstr, &[rest, zero, count]);
            build::concat(terms, &[*first, rest])
        })
    }

    /// A substring of a substring is one of the whole, if it is known which of them ends first.
    fn nested(&self, terms: &mut Terms) -> Option<Term> {
        let (Some(Op::StrSubstr), &[whole, inner_start, inner_count]) =
            (terms.op(self.whole), terms.args(self.whole))
        else {
            return None;
        };
        let zero = literal::int(terms, &IBig::ZERO);
        if !never_less(terms, self.start, zero) || !never_less(terms, inner_start, zero) {
            return None;
        }
        let left = build::difference(terms, inner_count, self.start);
        let count = if never_less(terms, left, self.count) {
            self.count
        } else if never_less(terms, self.count, left) {
            left
        } else {
            return None;
        };
        let start = build::sum(terms, &[inner_start, self.start]);
        Some(apply(terms, Op::StrSubstr, &[whole, start, count]))
    }
}
