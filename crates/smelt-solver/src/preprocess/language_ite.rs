//! Choices between languages, taken out of memberships.

use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::replace::Replacement;

/// Languages with more conditions than this are left as they are: each doubles what is built.
const MAX_CONDITIONS: u32 = 6;

/// Whether a term chooses between languages.
pub(super) fn is_choice(terms: &Terms, term: Term) -> bool {
    terms.op(term) == Some(Op::Ite) && terms.sort(term) == Sort::REG_LAN
}

/// `(str.in_re word language)` as a choice between memberships in languages without language_ite; nothing if there are too
/// many.
pub(super) fn membership(terms: &mut Terms, word: Term, language: Term) -> Option<Term> {
    membership_within(terms, word, language, MAX_CONDITIONS)
}

fn membership_within(terms: &mut Terms, word: Term, language: Term, conditions: u32) -> Option<Term> {
    let choices: Vec<Term> =
        subterms(terms, &[language]).into_iter().filter(|part| is_choice(terms, *part)).collect();
    let Some(first) = choices.first() else {
        return Some(build::apply(terms, Op::StrInRe, &[word, language]));
    };
    let conditions = conditions.checked_sub(1)?;
    let condition = terms.args(*first)[0];
    let mut under = |chosen: usize| {
        let mut replacement = Replacement::new();
        for choice in choices.iter().filter(|choice| terms.args(**choice)[0] == condition) {
            replacement.insert(*choice, terms.args(*choice)[chosen]);
        }
        let language = replacement.apply(terms, language);
        membership_within(terms, word, language, conditions)
    };
    let (then, otherwise) = (under(1)?, under(2)?);
    Some(build::ite(terms, condition, then, otherwise))
}
