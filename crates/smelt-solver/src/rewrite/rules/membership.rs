//! Rules for membership in regular languages.

use rustc_hash::FxHashMap;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Index, Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::rewrite::Ctx;

fn sides(ctx: &Ctx<'_>, term: Term) -> Option<(Term, Term)> {
    let &[text, language] = ctx.terms.args(term) else { return None };
    Some((text, language))
}

/// Whether a regular expression denotes all strings, by its form.
fn is_all(terms: &Terms, language: Term) -> bool {
    match terms.op(language) {
        Some(Op::ReAll) => true,
        Some(Op::ReStar) => {
            matches!(terms.op(terms.args(language)[0]), Some(Op::ReAllChar | Op::ReAll))
        }
        _ => false,
    }
}

/// Nothing is in the empty language, everything in the full one.
pub fn trivial(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (_, language) = sides(ctx, term)?;
    if is_all(ctx.terms, language) {
        return Some(ctx.terms.bool(true));
    }
    (ctx.terms.op(language) == Some(Op::ReNone)).then(|| ctx.terms.bool(false))
}

/// The language of one string.
pub fn literal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (text, language) = sides(ctx, term)?;
    (ctx.terms.op(language) == Some(Op::StrToRe)).then(|| {
        let word = ctx.terms.args(language)[0];
        build::eq(ctx.terms, text, word)
    })
}

/// Boolean operators on languages are those on memberships.
pub fn boolean(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (text, language) = sides(ctx, term)?;
    let op = ctx.terms.op(language)?;
    if !matches!(op, Op::ReUnion | Op::ReInter | Op::ReComp | Op::ReDiff) {
        return None;
    }
    // Unions of known languages are better kept together for an automaton.
    if op == Op::ReUnion && ctx.facts.is_ground(ctx.terms, language) {
        return None;
    }
    let languages = ctx.terms.args(language).to_vec();
    let mut all = Vec::with_capacity(languages.len());
    for (position, language) in languages.iter().enumerate() {
        let is_in = build::apply(ctx.terms, Op::StrInRe, &[text, *language]);
        let is_negative = op == Op::ReComp || (op == Op::ReDiff && position > 0);
        all.push(if is_negative { build::not(ctx.terms, is_in) } else { is_in });
    }
    Some(match op {
        Op::ReUnion => build::or(ctx.terms, &all),
        _ => build::and(ctx.terms, &all),
    })
}

/// Nothing, or something in a language that is not known.
pub fn optional(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (text, language) = sides(ctx, term)?;
    if ctx.terms.op(language) != Some(Op::ReOpt) || ctx.facts.is_ground(ctx.terms, language) {
        return None;
    }
    let inner = ctx.terms.args(language)[0];
    let empty = build::empty(ctx.terms);
    let is_empty = build::eq(ctx.terms, text, empty);
    let is_in = build::apply(ctx.terms, Op::StrInRe, &[text, inner]);
    Some(build::or(ctx.terms, &[is_empty, is_in]))
}

/// What is known about a language by its form.
#[derive(Clone, Copy, Default)]
struct Seen {
    has_empty: bool,
    has_text: bool,
}

/// A string is in a language that is made of it, whatever else is in it.
pub fn of_itself(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (text, language) = sides(ctx, term)?;
    if ctx.facts.is_ground(ctx.terms, language) {
        return None;
    }
    let mut seen: FxHashMap<Term, Seen> = FxHashMap::default();
    for part in subterms(ctx.terms, &[language]) {
        if ctx.terms.sort(part) == Sort::REG_LAN {
            let found = see(ctx.terms, &seen, text, part);
            seen.insert(part, found);
        }
    }
    seen[&language].has_text.then(|| ctx.terms.bool(true))
}

fn see(terms: &Terms, seen: &FxHashMap<Term, Seen>, text: Term, language: Term) -> Seen {
    let Head::Op(op, indices) = terms.head(language) else { return Seen::default() };
    let args = terms.args(language);
    let of = |arg: &Term| seen.get(arg).copied().unwrap_or_default();
    let repeated = |min: u64, max: u64| {
        let Seen { has_empty, has_text } = of(&args[0]);
        Seen {
            has_empty: min <= max && (min == 0 || has_empty),
            has_text: min <= max && max >= 1 && has_text && (min <= 1 || has_empty),
        }
    };
    match op {
        Op::StrToRe => Seen { has_empty: build::is_empty_literal(terms, args[0]), has_text: args[0] == text },
        Op::ReAll => Seen { has_empty: true, has_text: true },
        Op::ReStar => repeated(0, u64::MAX),
        Op::RePlus => repeated(1, u64::MAX),
        Op::ReOpt => repeated(0, 1),
        Op::RePower | Op::ReLoop => match *terms.indices(indices) {
            [Index::Number(count)] => repeated(count, count),
            [Index::Number(min), Index::Number(max)] => repeated(min, max),
            _ => Seen::default(),
        },
        Op::ReUnion => Seen {
            has_empty: args.iter().any(|arg| of(arg).has_empty),
            has_text: args.iter().any(|arg| of(arg).has_text),
        },
        Op::ReInter => Seen {
            has_empty: args.iter().all(|arg| of(arg).has_empty),
            has_text: args.iter().all(|arg| of(arg).has_text),
        },
        Op::ReConcat => {
            let count = args.iter().filter(|arg| !of(arg).has_empty).count();
            let may_stand_alone = |arg: &Term| of(arg).has_text && count <= usize::from(!of(arg).has_empty);
            Seen { has_empty: count == 0, has_text: args.iter().any(may_stand_alone) }
        }
        _ => Seen::default(),
    }
}

/// Any one character.
pub fn any_character(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (text, language) = sides(ctx, term)?;
    (ctx.terms.op(language) == Some(Op::ReAllChar)).then(|| {
        let length = build::len(ctx.terms, text);
        let one = literal::int(ctx.terms, &1.into());
        build::eq(ctx.terms, length, one)
    })
}

/// A string with anything on one side or both: a suffix, a prefix, a part.
pub fn around_literal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (text, language) = sides(ctx, term)?;
    if ctx.terms.op(language) != Some(Op::ReConcat) {
        return None;
    }
    let word = |language: Term| match ctx.terms.op(language) {
        Some(Op::StrToRe) => Some(ctx.terms.args(language)[0]),
        _ => None,
    };
    match *ctx.terms.args(language) {
        [before, middle, after] if is_all(ctx.terms, before) && is_all(ctx.terms, after) => {
            let word = word(middle)?;
            Some(build::apply(ctx.terms, Op::StrContains, &[text, word]))
        }
        [before, after] if is_all(ctx.terms, before) => {
            let word = word(after)?;
            Some(build::apply(ctx.terms, Op::StrSuffixof, &[word, text]))
        }
        [before, after] if is_all(ctx.terms, after) => {
            let word = word(before)?;
            Some(build::apply(ctx.terms, Op::StrPrefixof, &[word, text]))
        }
        _ => None,
    }
}
