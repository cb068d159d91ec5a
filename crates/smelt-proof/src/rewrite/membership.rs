//! Identities of membership in regular languages.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

pub(super) fn membership(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[text, language] = terms.args(term) else { return None };
    let args = terms.args(language).to_vec();
    let is_in = |terms: &mut Terms, language: Term| apply(terms, Op::StrInRe, &[text, language]);
    match (terms.op(language)?, args.as_slice()) {
        (Op::ReNone, _) => Some(terms.bool(false)),
        (Op::ReAll | Op::ReStar, _) if is_all(terms, language) => Some(terms.bool(true)),
        (Op::ReAllChar, _) => {
            let length = build::len(terms, text);
            let one = literal::int(terms, &IBig::ONE);
            Some(build::eq(terms, length, one))
        }
        (Op::StrToRe, &[word]) => Some(build::eq(terms, text, word)),
        (Op::ReUnion, _) => {
            let cases: Vec<Term> = args.iter().map(|language| is_in(terms, *language)).collect();
            Some(build::or(terms, &cases))
        }
        (Op::ReInter, _) => {
            let cases: Vec<Term> = args.iter().map(|language| is_in(terms, *language)).collect();
            Some(build::and(terms, &cases))
        }
        (Op::ReComp, &[language]) => {
            let is_in = is_in(terms, language);
            Some(build::not(terms, is_in))
        }
        (Op::ReDiff, [first, others @ ..]) => {
            let mut cases = vec![is_in(terms, *first)];
            for language in others {
                let is_in = is_in(terms, *language);
                cases.push(build::not(terms, is_in));
            }
            Some(build::and(terms, &cases))
        }
        (Op::ReOpt, &[language]) => {
            let empty = build::empty(terms);
            let cases = [build::eq(terms, text, empty), is_in(terms, language)];
            Some(build::or(terms, &cases))
        }
        (Op::ReConcat, _) => around_string(terms, text, &args),
        _ => None,
    }
}

/// A string with anything on one side or both: a suffix, a prefix, a part.
fn around_string(terms: &mut Terms, text: Term, languages: &[Term]) -> Option<Term> {
    let word = |language: Term| match (terms.op(language), terms.args(language)) {
        (Some(Op::StrToRe), &[word]) => Some(word),
        _ => None,
    };
    let (op, args) = match *languages {
        [before, middle, after] if is_all(terms, before) && is_all(terms, after) => {
            (Op::StrContains, [text, word(middle)?])
        }
        [before, after] if is_all(terms, before) => (Op::StrSuffixof, [word(after)?, text]),
        [before, after] if is_all(terms, after) => (Op::StrPrefixof, [word(before)?, text]),
        _ => return None,
    };
    Some(apply(terms, op, &args))
}

/// Whether a regular expression is one of those that denote all strings.
fn is_all(terms: &Terms, language: Term) -> bool {
    match terms.op(language) {
        Some(Op::ReAll) => true,
        Some(Op::ReStar) => matches!(terms.op(terms.args(language)[0]), Some(Op::ReAllChar | Op::ReAll)),
        _ => false,
    }
}
