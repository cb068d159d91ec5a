//! Choosing what to split a conjunction on.
//!
//! Boolean structure comes first, then conditions inside of terms, then functions from the inside out, and word equations
//! last. The cases of every split cover all values of the constants.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::{Case, Skolems, Split};
use crate::rewrite::Rewriter;

/// The next split of a conjunction in normal form, if there is anything to split.
pub(super) fn choose(
    terms: &mut Terms,
    rewriter: &mut Rewriter,
    skolems: &mut Skolems,
    assertions: &[Term],
    may_split_equations: bool,
) -> Option<Split> {
    if let Some(split) = positive_predicate(terms, skolems, assertions) {
        return Some(split);
    }
    if let Some(split) = boolean(terms, assertions) {
        return Some(split);
    }
    let all = subterms(terms, assertions);
    if let Some(split) = condition(terms, &all) {
        return Some(split);
    }
    if let Some(split) = all.iter().find_map(|term| function(terms, rewriter, skolems, *term)) {
        return Some(split);
    }
    if may_split_equations {
        return assertions.iter().find_map(|assertion| equation(terms, *assertion));
    }
    None
}

fn instead(assertion: Term, cases: Vec<Case>) -> Split {
    Split { cases, instead_of: Some(assertion), is_of_equation: false }
}

fn assuming(assumed: Vec<Term>) -> Case {
    Case { assumed, replaced: None }
}

/// What is contained, or stands at an end, cuts the string in parts.
fn positive_predicate(terms: &mut Terms, skolems: &mut Skolems, assertions: &[Term]) -> Option<Split> {
    for assertion in assertions {
        let op = terms.op(*assertion);
        if !matches!(op, Some(Op::StrContains | Op::StrPrefixof | Op::StrSuffixof)) {
            continue;
        }
        let &[first, second] = terms.args(*assertion) else { continue };
        let before = skolems.string(terms, *assertion, "before");
        let after = skolems.string(terms, *assertion, "after");
        let (whole, parts) = match op {
            Some(Op::StrContains) => (first, vec![before, second, after]),
            Some(Op::StrPrefixof) => (second, vec![first, after]),
            _ => (second, vec![before, first]),
        };
        let cut = build::concat(terms, &parts);
        let equation = build::eq(terms, whole, cut);
        return Some(instead(*assertion, vec![assuming(vec![equation])]));
    }
    None
}

/// The assertion with the fewest cases.
fn boolean(terms: &mut Terms, assertions: &[Term]) -> Option<Split> {
    let mut best: Option<Split> = None;
    for assertion in assertions {
        let (inner, is_negated) = match terms.op(*assertion) {
            Some(Op::Not) => (terms.args(*assertion)[0], true),
            _ => (*assertion, false),
        };
        let args = terms.args(inner).to_vec();
        let disjuncts: Vec<Term> = match (terms.op(inner), is_negated) {
            (Some(Op::Or), false) => args,
            (Some(Op::And), true) => args.into_iter().map(|arg| build::not(terms, arg)).collect(),
            (Some(Op::Ite), _) => {
                let negated = build::not(terms, args[0]);
                let (mut then, mut otherwise) = (args[1], args[2]);
                if is_negated {
                    then = build::not(terms, then);
                    otherwise = build::not(terms, otherwise);
                }
                let cases = vec![assuming(vec![args[0], then]), assuming(vec![negated, otherwise])];
                return Some(instead(*assertion, cases));
            }
            (Some(Op::Eq), _) if terms.sort(args[0]) == Sort::BOOL => {
                let (not_left, not_right) = (build::not(terms, args[0]), build::not(terms, args[1]));
                let (same, other) = if is_negated { (not_right, args[1]) } else { (args[1], not_right) };
                let cases = vec![assuming(vec![args[0], same]), assuming(vec![not_left, other])];
                return Some(instead(*assertion, cases));
            }
            _ => continue,
        };
        if best.as_ref().is_some_and(|best| best.cases.len() <= disjuncts.len()) {
            continue;
        }
        // Each case excludes those before it.
        let mut excluded: Vec<Term> = Vec::new();
        let mut cases = Vec::with_capacity(disjuncts.len());
        for disjunct in disjuncts {
            let mut assumed = excluded.clone();
            assumed.push(disjunct);
            cases.push(assuming(assumed));
            excluded.push(build::not(terms, disjunct));
        }
        best = Some(instead(*assertion, cases));
    }
    best
}

/// The innermost condition of an `ite`.
fn condition(terms: &mut Terms, all: &[Term]) -> Option<Split> {
    let choice = all.iter().copied().find(|term| terms.op(*term) == Some(Op::Ite))?;
    let &[condition, then, otherwise] = terms.args(choice) else { return None };
    let negated = build::not(terms, condition);
    let cases = vec![
        Case { assumed: vec![condition], replaced: Some((choice, then)) },
        Case { assumed: vec![negated], replaced: Some((choice, otherwise)) },
    ];
    Some(Split { cases, instead_of: None, is_of_equation: false })
}

/// What a function is in each case. Its arguments have no functions of this kind in them.
fn function(terms: &mut Terms, rewriter: &mut Rewriter, skolems: &mut Skolems, term: Term) -> Option<Split> {
    let args = terms.args(term).to_vec();
    let cases = match terms.op(term)? {
        Op::StrSubstr => substr(terms, skolems, term, &args),
        Op::StrReplace => replace(terms, skolems, term, &args),
        Op::StrIndexof => indexof(terms, skolems, term, &args),
        Op::StrReplaceAll => return replace_all(terms, rewriter, term, &args),
        _ => return None,
    };
    Some(Split { cases, instead_of: None, is_of_equation: false })
}

fn zero(terms: &mut Terms) -> Term {
    literal::int(terms, &IBig::ZERO)
}

fn less(terms: &mut Terms, left: Term, right: Term) -> Term {
    build::apply(terms, Op::Lt, &[left, right])
}

fn substr(terms: &mut Terms, skolems: &mut Skolems, term: Term, args: &[Term]) -> Vec<Case> {
    let (whole, start, count) = (args[0], args[1], args[2]);
    let (zero, empty) = (zero(terms), build::empty(terms));
    let length = build::len(terms, whole);
    let before = less(terms, start, zero);
    let is_after = build::at_most(terms, zero, start);
    let none = build::at_most(terms, count, zero);
    let some = less(terms, zero, count);
    let behind = build::at_most(terms, length, start);
    let inside = less(terms, start, length);
    let front = skolems.string(terms, term, "front");
    let part = skolems.string(terms, term, "part");
    let back = skolems.string(terms, term, "back");
    let whole_cut = build::concat(terms, &[front, part, back]);
    let cut = build::eq(terms, whole, whole_cut);
    let (front_length, part_length) = (build::len(terms, front), build::len(terms, part));
    let starts = build::eq(terms, front_length, start);
    let ends = build::eq(terms, part_length, count);
    let short_cut = build::concat(terms, &[front, part]);
    let cut_short = build::eq(terms, whole, short_cut);
    let is_short = less(terms, part_length, count);
    vec![
        Case { assumed: vec![is_after, some, inside, cut, starts, ends], replaced: Some((term, part)) },
        Case {
            assumed: vec![is_after, some, inside, cut_short, starts, is_short],
            replaced: Some((term, part)),
        },
        Case { assumed: vec![is_after, some, behind], replaced: Some((term, empty)) },
        Case { assumed: vec![is_after, none], replaced: Some((term, empty)) },
        Case { assumed: vec![before], replaced: Some((term, empty)) },
    ]
}

/// The parts of a string around the first occurrence of another, which is not empty, and what says so.
struct Occurrence {
    before: Term,
    after: Term,
    assumed: Vec<Term>,
}

/// Skolems are named after the two strings, so that all functions that look for the same share them.
fn first_occurrence(terms: &mut Terms, skolems: &mut Skolems, whole: Term, part: Term) -> Occurrence {
    let contains = build::apply(terms, Op::StrContains, &[whole, part]);
    let before = skolems.string(terms, contains, "first_before");
    let after = skolems.string(terms, contains, "first_after");
    let parts = build::concat(terms, &[before, part, after]);
    let cut = build::eq(terms, whole, parts);
    // All but the last character of the occurrence, and what is before it, contain none.
    let early = match literal::string_value(terms, part) {
        Some(word) => {
            let shorter = Str::from_code_points(word.chars()[..word.len().saturating_sub(1)].to_vec());
            let shorter = shorter.unwrap_or_else(Str::empty);
            let shorter = literal::string(terms, &shorter);
            build::concat(terms, &[before, shorter])
        }
        None => {
            let both = build::concat(terms, &[before, part]);
            let zero = zero(terms);
            let one = literal::int(terms, &IBig::ONE);
            let length = build::len(terms, both);
            let count = build::difference(terms, length, one);
            build::apply(terms, Op::StrSubstr, &[both, zero, count])
        }
    };
    let occurs_early = build::apply(terms, Op::StrContains, &[early, part]);
    let is_first = build::not(terms, occurs_early);
    let empty = build::empty(terms);
    let is_empty = build::eq(terms, part, empty);
    let is_some = build::not(terms, is_empty);
    Occurrence { before, after, assumed: vec![is_some, cut, is_first] }
}

/// What says that a string, which is not empty, does not occur.
fn no_occurrence(terms: &mut Terms, whole: Term, part: Term) -> Vec<Term> {
    let contains = build::apply(terms, Op::StrContains, &[whole, part]);
    // The empty string occurs everywhere.
    vec![build::not(terms, contains)]
}

fn replace(terms: &mut Terms, skolems: &mut Skolems, term: Term, args: &[Term]) -> Vec<Case> {
    let (whole, old, new) = (args[0], args[1], args[2]);
    let empty = build::empty(terms);
    let is_empty = build::eq(terms, old, empty);
    let in_front = build::concat(terms, &[new, whole]);
    let occurrence = first_occurrence(terms, skolems, whole, old);
    let replaced = build::concat(terms, &[occurrence.before, new, occurrence.after]);
    let nowhere = no_occurrence(terms, whole, old);
    vec![
        Case { assumed: nowhere, replaced: Some((term, whole)) },
        Case { assumed: vec![is_empty], replaced: Some((term, in_front)) },
        Case { assumed: occurrence.assumed, replaced: Some((term, replaced)) },
    ]
}

fn indexof(terms: &mut Terms, skolems: &mut Skolems, term: Term, args: &[Term]) -> Vec<Case> {
    let (whole, part, start) = (args[0], args[1], args[2]);
    let (zero, empty) = (zero(terms), build::empty(terms));
    let nothing = literal::int(terms, &IBig::NEG_ONE);
    let is_from_start = literal::int_value(terms, start) == Some(IBig::ZERO);
    let length = build::len(terms, whole);
    let before = less(terms, start, zero);
    let behind = less(terms, length, start);
    let mut inside: Vec<Term> = Vec::new();
    let mut rest = whole;
    if !is_from_start {
        // The search is in what remains behind the start.
        let skipped = skolems.string(terms, term, "skipped");
        rest = skolems.string(terms, term, "rest");
        let parts = build::concat(terms, &[skipped, rest]);
        let skipped_length = build::len(terms, skipped);
        inside = vec![build::eq(terms, whole, parts), build::eq(terms, skipped_length, start)];
    }
    let with = |assumed: Vec<Term>| inside.iter().copied().chain(assumed).collect::<Vec<Term>>();
    let is_empty = build::eq(terms, part, empty);
    let occurrence = first_occurrence(terms, skolems, rest, part);
    let offset = build::len(terms, occurrence.before);
    let position = build::sum(terms, &[start, offset]);
    let nowhere = no_occurrence(terms, rest, part);
    let mut cases = vec![
        Case { assumed: with(nowhere), replaced: Some((term, nothing)) },
        Case { assumed: with(vec![is_empty]), replaced: Some((term, start)) },
        Case { assumed: with(occurrence.assumed), replaced: Some((term, position)) },
    ];
    if !is_from_start {
        cases.push(Case { assumed: vec![before], replaced: Some((term, nothing)) });
        cases.push(Case { assumed: vec![behind], replaced: Some((term, nothing)) });
    }
    cases
}

/// Whether anything is replaced at all, unless that is known; the rest stays as it is.
fn replace_all(terms: &mut Terms, rewriter: &mut Rewriter, term: Term, args: &[Term]) -> Option<Split> {
    let (whole, old) = (args[0], args[1]);
    // With a literal for a needle, engines know the function better than its cases; anything else may never end.
    build::constant_name(terms, old)?;
    let empty = build::empty(terms);
    let is_empty = build::eq(terms, old, empty);
    let is_empty = rewriter.rewrite(terms, is_empty);
    if build::bool_value(terms, is_empty).is_some() {
        return None;
    }
    // The first character of the needle is cut off, so that it is known not to be empty.
    let letter = build::fresh(terms, "letter", Sort::STRING);
    let tail = build::fresh(terms, "tail", Sort::STRING);
    let parts = build::concat(terms, &[letter, tail]);
    let cut = build::eq(terms, old, parts);
    let length = build::len(terms, letter);
    let one = literal::int(terms, &IBig::ONE);
    let is_letter = build::eq(terms, length, one);
    let cases =
        vec![Case { assumed: vec![is_empty], replaced: Some((term, whole)) }, assuming(vec![cut, is_letter])];
    Some(Split { cases, instead_of: None, is_of_equation: true })
}

/// Levi's lemma at the front of a word equation between variables and literals.
fn equation(terms: &mut Terms, assertion: Term) -> Option<Split> {
    let (Some(Op::Eq), &[left, right]) = (terms.op(assertion), terms.args(assertion)) else { return None };
    if terms.sort(left) != Sort::STRING {
        return None;
    }
    let left = *build::parts(terms, left).first()?;
    let right = *build::parts(terms, right).first()?;
    let is_variable = |term: Term| build::constant_name(terms, term).is_some();
    let cases = match (is_variable(left), is_variable(right)) {
        (true, true) => variables(terms, left, right),
        (true, false) => prefixes(terms, left, right)?,
        (false, true) => prefixes(terms, right, left)?,
        (false, false) => return None,
    };
    Some(Split { cases, instead_of: None, is_of_equation: true })
}

/// One of two variables is a prefix of the other.
fn variables(terms: &mut Terms, left: Term, right: Term) -> Vec<Case> {
    let equal = build::eq(terms, left, right);
    let rest = build::fresh(terms, "overhang", Sort::STRING);
    let empty = build::empty(terms);
    let is_empty = build::eq(terms, rest, empty);
    let is_some = build::not(terms, is_empty);
    let longer_left = build::concat(terms, &[right, rest]);
    let longer_right = build::concat(terms, &[left, rest]);
    let left_is_longer = build::eq(terms, left, longer_left);
    let right_is_longer = build::eq(terms, right, longer_right);
    vec![
        assuming(vec![equal]),
        assuming(vec![left_is_longer, is_some]),
        assuming(vec![right_is_longer, is_some]),
    ]
}

/// A variable is a proper prefix of a short literal, or begins with it.
fn prefixes(terms: &mut Terms, variable: Term, literal: Term) -> Option<Vec<Case>> {
    const MAX_LENGTH: usize = 12;
    let word = literal::string_value(terms, literal)?;
    if word.is_empty() || word.len() > MAX_LENGTH {
        return None;
    }
    let mut cases = Vec::with_capacity(word.len() + 1);
    for length in 0..word.len() {
        let prefix = Str::from_code_points(word.chars()[..length].to_vec())?;
        let prefix = literal::string(terms, &prefix);
        cases.push(assuming(vec![build::eq(terms, variable, prefix)]));
    }
    let rest = build::fresh(terms, "overhang", Sort::STRING);
    let longer = build::concat(terms, &[literal, rest]);
    cases.push(assuming(vec![build::eq(terms, variable, longer)]));
    Some(cases)
}
