//! What a subterm may become: something of the same sort that is simpler.

use smelt_smtlib::op::Attribute;
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms, Variable};

use super::values::values;

/// Parts of a subterm that it may become, at most.
const MOST_PARTS: usize = 12;

/// What a subterm may become, what promises most first. `constants` are declared constants of its sort.
pub(super) fn changes(terms: &mut Terms, term: Term, constants: &[Term]) -> Vec<Term> {
    let mut found = Vec::new();
    if let Head::Literal(kind, text) = terms.head(term) {
        let text = terms.text(text).to_owned();
        found.extend(simpler_literals(terms, term, kind, &text));
        return found;
    }
    let sort = terms.sort(term);
    if terms.args(term).is_empty() && constants.first() == Some(&term) {
        return values(terms, sort);
    }
    found.extend(values(terms, sort));
    found.extend(parts(terms, term));
    found.extend(fewer_arguments(terms, term));
    found.extend(without_binder(terms, term));
    found.extend(smaller_indices(terms, term));
    if !terms.args(term).is_empty() {
        found.extend(constants);
    }
    found.retain(|change| *change != term && terms.sort(*change) == sort);
    found
}

/// Subterms of the same sort, near ones first, none of them below a binder.
fn parts(terms: &Terms, term: Term) -> Vec<Term> {
    let sort = terms.sort(term);
    let mut found = Vec::new();
    let mut level = vec![term];
    while !level.is_empty() && found.len() < MOST_PARTS {
        let inside: Vec<Term> = level
            .iter()
            .filter(|term| !terms.is_binder(**term))
            .flat_map(|term| match terms.head(*term) {
                // The terms of patterns are no parts.
                Head::Annotated(_) => &terms.args(*term)[..1],
                _ => terms.args(*term),
            })
            .copied()
            .collect();
        found.extend(inside.iter().filter(|part| terms.sort(**part) == sort));
        level = inside;
        level.truncate(64);
    }
    found.truncate(MOST_PARTS);
    found
}

/// The same operator with fewer arguments: one half, the other half, and all but one.
fn fewer_arguments(terms: &mut Terms, term: Term) -> Vec<Term> {
    let Head::Op(op, indices) = terms.head(term) else { return Vec::new() };
    let args = terms.args(term).to_vec();
    if op.info().attribute == Attribute::Fixed || args.len() < 3 {
        return Vec::new();
    }
    let indices = terms.indices(indices).to_vec();
    let half = args.len() / 2;
    let mut shorter: Vec<Vec<Term>> =
        vec![args[..half.max(2)].to_vec(), args[half.min(args.len() - 2)..].to_vec()];
    for left_out in 0..args.len() {
        let mut rest = args.clone();
        rest.remove(left_out);
        shorter.push(rest);
    }
    shorter.iter().filter_map(|args| terms.apply(op, &indices, args).ok()).collect()
}

/// A quantified formula with one variable less, which becomes a value; the body if it was the last.
fn without_binder(terms: &mut Terms, term: Term) -> Vec<Term> {
    let (Head::Forall(binders) | Head::Exists(binders)) = terms.head(term) else { return Vec::new() };
    let variables: Vec<Variable> = terms.binders(binders).to_vec();
    let body = terms.args(term)[0];
    let mut found = Vec::new();
    for (number, variable) in variables.iter().enumerate() {
        let mut rest = variables.clone();
        rest.remove(number);
        for value in values(terms, variable.sort) {
            let mut substitution = Substitution::new();
            substitution.replace(variable.name, value);
            let body = substitute(terms, body, &substitution);
            if rest.is_empty() {
                found.push(body);
                continue;
            }
            let binders = terms.intern_binders(&rest);
            let head = match terms.head(term) {
                Head::Forall(_) => Head::Forall(binders),
                _ => Head::Exists(binders),
            };
            let sort = terms.sort(term);
            found.push(terms.intern(head, &[body], sort));
        }
    }
    found
}

/// The same operator with smaller numbers, where the sort does not depend on them.
fn smaller_indices(terms: &mut Terms, term: Term) -> Vec<Term> {
    let Head::Op(op, indices) = terms.head(term) else { return Vec::new() };
    let indices = terms.indices(indices).to_vec();
    let args = terms.args(term).to_vec();
    let mut found = Vec::new();
    for (place, index) in indices.iter().enumerate() {
        let Index::Number(number) = index else { continue };
        for smaller in [0, 1, number / 2, number.saturating_sub(1)] {
            if smaller < *number {
                let mut changed = indices.clone();
                changed[place] = Index::Number(smaller);
                found.extend(terms.apply(op, &changed, &args));
            }
        }
    }
    found
}

fn simpler_literals(terms: &mut Terms, term: Term, kind: Literal, text: &str) -> Vec<Term> {
    let sort = terms.sort(term);
    let texts: Vec<String> = match kind {
        Literal::Str => shorter_strings(text),
        Literal::Numeral => smaller_numerals(text),
        Literal::Decimal => {
            let whole = text.split('.').next().unwrap_or(text);
            let mut texts = vec!["0.0".to_owned(), "1.0".to_owned()];
            texts.extend(smaller_numerals(whole).iter().map(|number| format!("{number}.0")));
            texts.push(format!("{whole}.0"));
            texts
        }
        Literal::Hex | Literal::Binary | Literal::BvDecimal => return values(terms, sort),
    };
    let simpler = |other: &String| (other.len(), other.as_str()) < (text.len(), text);
    texts.iter().filter(|other| simpler(other)).map(|other| terms.literal(kind, other, sort)).collect()
}

/// Halves of a string, and the string without one letter.
fn shorter_strings(text: &str) -> Vec<String> {
    // An escape is one letter.
    let letters = letters_of(text);
    let half = letters.len() / 2;
    let mut shorter = vec![String::new(), letters[..half].concat(), letters[half..].concat()];
    for left_out in 0..letters.len().min(MOST_LETTERS) {
        shorter.push([&letters[..left_out], &letters[left_out + 1..]].concat().concat());
    }
    if letters.len() == 1 {
        shorter.push("a".to_owned());
    }
    shorter
}

/// So many letters of a string are left out one by one.
const MOST_LETTERS: usize = 16;

fn letters_of(text: &str) -> Vec<&str> {
    let mut letters = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match rest.strip_prefix("\\u{").and_then(|inside| inside.find('}')) {
            Some(end) => end + 4,
            None if rest.starts_with("\\u") && rest.len() >= 6 && rest.is_char_boundary(6) => 6,
            None => first.len_utf8(),
        };
        let (letter, after) = rest.split_at(length);
        letters.push(letter);
        rest = after;
    }
    letters
}

fn smaller_numerals(text: &str) -> Vec<String> {
    let mut smaller = vec!["0".to_owned(), "1".to_owned()];
    if let Ok(number) = text.parse::<u64>() {
        smaller.extend([number / 2, number.saturating_sub(1)].map(|number| number.to_string()));
    } else {
        // The first digits of a long number.
        smaller.push(text[..text.len() / 2].to_owned());
    }
    smaller
}
