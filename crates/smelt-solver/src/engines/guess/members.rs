//! Members of languages that their expressions show without a search.
//!
//! A language may have too many derivatives to find a word step by step, such as that of `.*a.{100}`, and still be easy to
//! read. Intersections and complements show nothing here.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smelt_semantics::letters::{MAX_LETTER, readable_letter};
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Head, Index, Term, Terms};
use smelt_smtlib::walk::subterms;

/// Longer members are not written out.
const MAX_LETTERS: usize = 1_000;

/// A member of a language that its expression shows, if there is one.
pub(super) fn visible_member(terms: &Terms, language: Term) -> Option<Str> {
    let mut members: FxHashMap<Term, Arc<[u32]>> = FxHashMap::default();
    for term in subterms(terms, &[language]) {
        if let Some(member) = member_of(terms, term, &members)
            && member.len() <= MAX_LETTERS
        {
            members.insert(term, member.into());
        }
    }
    Str::from_code_points(members.get(&language)?.to_vec())
}

/// A member of a language from members of its parts.
fn member_of(terms: &Terms, term: Term, members: &FxHashMap<Term, Arc<[u32]>>) -> Option<Vec<u32>> {
    let Head::Op(op, indices) = terms.head(term) else { return None };
    let args = terms.args(term);
    let letters = |position: usize| Some(literal::string_value(terms, args[position])?.chars().to_vec());
    let repeated = |count: usize| {
        let body = members.get(&args[0])?;
        (body.len().checked_mul(count)? <= MAX_LETTERS).then(|| body.repeat(count))
    };
    match op {
        Op::StrToRe => letters(0),
        Op::ReAllChar => Some(vec![readable_letter(0, MAX_LETTER)]),
        Op::ReRange => match (letters(0)?.as_slice(), letters(1)?.as_slice()) {
            (&[low], &[high]) if low <= high => Some(vec![readable_letter(low, high)]),
            _ => None,
        },
        Op::ReAll | Op::ReStar | Op::ReOpt => Some(Vec::new()),
        Op::RePlus => repeated(1),
        Op::RePower | Op::ReLoopFrom => match terms.indices(indices) {
            [Index::Number(count)] => repeated(usize::try_from(*count).ok()?),
            _ => None,
        },
        Op::ReLoop => match terms.indices(indices) {
            [Index::Number(min), Index::Number(max)] if min <= max => repeated(usize::try_from(*min).ok()?),
            _ => None,
        },
        Op::ReConcat => {
            let mut whole = Vec::new();
            for arg in args {
                whole.extend_from_slice(members.get(arg)?);
                if whole.len() > MAX_LETTERS {
                    return None;
                }
            }
            Some(whole)
        }
        Op::ReUnion => {
            let shortest = args.iter().filter_map(|arg| members.get(arg)).min_by_key(|member| member.len());
            Some(shortest?.to_vec())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::op::Dialect;
    use smelt_smtlib::read::{Scope, read_term};

    use super::*;

    fn check(language: &str, expected: Option<&str>) {
        let mut terms = Terms::new();
        let language = read_term(&mut terms, &mut Scope::new(), language, Dialect::V26).unwrap();
        let expected = expected.map(|text| Str::from_literal(text).unwrap());
        assert_eq!(visible_member(&terms, language), expected);
    }

    #[test]
    fn members_are_put_together_from_those_of_the_parts() {
        check(r#"(re.+ (re.++ re.all (str.to_re "b") ((_ re.^ 3) re.allchar)))"#, Some("baaa"));
        check(r#"(re.++ ((_ re.loop 2 4) (re.range "0" "9")) (re.opt (str.to_re "x")))"#, Some("00"));
        check(r#"(re.union (str.to_re "abc") (re.inter re.all re.all) (str.to_re "d"))"#, Some("d"));
    }

    #[test]
    fn languages_without_words_and_intersections_show_no_member() {
        check(r#"(re.++ (str.to_re "a") re.none)"#, None);
        check(r#"((_ re.loop 4 2) (str.to_re "a"))"#, None);
        check(r#"(re.range "z" "a")"#, None);
        check(r#"(re.inter (str.to_re "a") re.all)"#, None);
        check("((_ re.^ 1001) re.allchar)", None);
    }
}
