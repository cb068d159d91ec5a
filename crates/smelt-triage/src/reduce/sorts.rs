//! Sorts: smaller bit-vectors and floats, simple sorts for declared ones, datatypes with fewer constructors.
//!
//! A sort is changed everywhere at once, in the text; what is ill-sorted then is no candidate.

use rustc_hash::FxHashSet;
use smelt_smtlib::script::{Command, Datatype};

use super::commands::retain;
use super::search::{Portions, Reducer};
use super::tokens::words;

/// So many widths of a script are made smaller.
const MAX_WIDTHS: usize = 8;

/// Leaves out constructors, selectors and datatypes.
pub(super) fn simplify_datatypes(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    for place in 0..reducer.commands.len() {
        let Command::DeclareDatatypes(datatypes) = &reducer.commands[place] else { continue };
        let counts: Vec<usize> = datatypes.iter().map(|datatype| datatype.constructors.len()).collect();
        has_changed |=
            change_datatypes(reducer, place, counts.len(), &|datatypes, kept| retain(datatypes, kept));
        for (number, count) in counts.into_iter().enumerate() {
            has_changed |= change_datatypes(reducer, place, count, &|datatypes, kept| {
                if let Some(datatype) = datatypes.get_mut(number) {
                    retain(&mut datatype.constructors, kept);
                }
            });
        }
        has_changed |= drop_selectors(reducer, place);
    }
    has_changed
}

/// Leaves out selectors of constructors.
fn drop_selectors(reducer: &mut Reducer<'_>, place: usize) -> bool {
    let Command::DeclareDatatypes(datatypes) = &reducer.commands[place] else { return false };
    let fields = datatypes
        .iter()
        .flat_map(|datatype| datatype.constructors.iter().map(|constructor| constructor.selectors.len()));
    let count = fields.sum();
    change_datatypes(reducer, place, count, &|datatypes, kept| {
        let mut flags = kept.iter();
        for constructor in datatypes.iter_mut().flat_map(|datatype| &mut datatype.constructors) {
            constructor.selectors.retain(|_| flags.next().is_some_and(|is_kept| *is_kept));
        }
    })
}

/// Leaves out some of `count` parts of a declaration of datatypes; none of them is left with nothing.
fn change_datatypes(
    reducer: &mut Reducer<'_>,
    place: usize,
    count: usize,
    change: &dyn Fn(&mut Vec<Datatype>, &[bool]),
) -> bool {
    let commands = reducer.commands.clone();
    let left = reducer.keep_fewest(Portions::Halving, &vec![1; count], &mut |_, kept| {
        let mut changed = commands.clone();
        let Command::DeclareDatatypes(datatypes) = &mut changed[place] else { return None };
        change(datatypes, kept);
        let is_empty = datatypes.is_empty() || datatypes.iter().any(|one| one.constructors.is_empty());
        (!is_empty).then_some(changed)
    });
    left.has_changed
}

/// Makes sorts simpler, one after the other, everywhere at once.
pub(super) fn simplify_sorts(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    for candidate in [smaller_floats, smaller_widths, plain_sorts] {
        loop {
            let texts = candidate(reducer);
            let is_found = texts.iter().any(|text| reducer.attempt_text(text));
            has_changed |= is_found;
            if !is_found || reducer.is_stopped {
                break;
            }
        }
    }
    has_changed
}

/// The script with the bit-vectors of one width made narrower.
fn smaller_widths(reducer: &Reducer<'_>) -> Vec<String> {
    let all = words(&reducer.text);
    let mut widths: Vec<u32> = Vec::new();
    for at in 0..all.len() {
        if all[at] == "BitVec"
            && let Some(Ok(width)) = all.get(at + 2).map(|word| word.parse())
        {
            widths.push(width);
        }
    }
    widths.sort_unstable();
    widths.dedup();
    widths.truncate(MAX_WIDTHS);
    let mut found = Vec::new();
    for width in widths.into_iter().rev() {
        for narrower in [1, 2, width / 2, width.saturating_sub(1)] {
            if 0 < narrower && narrower < width {
                found.push(with_width(&all, width, narrower));
            }
        }
    }
    found
}

/// A text with all bit-vectors of a width cut off to their last bits.
fn with_width(all: &[&str], width: u32, narrower: u32) -> String {
    let (width_word, narrower_word) = (width.to_string(), narrower.to_string());
    let mut changed = String::new();
    for (at, word) in all.iter().enumerate() {
        let before = at.checked_sub(2).map_or("", |before| all[before]);
        let is_width_of = before == "BitVec" || before.strip_prefix("bv").is_some_and(is_number);
        let digits = word.len().saturating_sub(2);
        if is_width_of && *word == width_word {
            changed.push_str(&narrower_word);
        } else if word.starts_with("#b") && digits == width as usize {
            changed.push_str("#b");
            changed.push_str(&word[word.len() - narrower as usize..]);
        } else if word.starts_with("#x") && digits * 4 == width as usize {
            let bits: String = word[2..].chars().map(bits_of).collect();
            changed.push_str("#b");
            changed.push_str(&bits[bits.len() - narrower as usize..]);
        } else if let Some(value) = word.strip_prefix("bv").and_then(|value| value.parse::<u128>().ok())
            && all.get(at + 2) == Some(&width_word.as_str())
        {
            let kept = if narrower < 128 { value % (1 << narrower) } else { value };
            changed.push_str(&format!("bv{kept}"));
        } else {
            changed.push_str(word);
        }
    }
    changed
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn bits_of(digit: char) -> String {
    format!("{:04b}", digit.to_digit(16).unwrap_or(0))
}

/// The usual formats of floats, large ones first, as they stand in sorts and in indices.
const FLOATS: &[&str] = &["15 113)", "11 53)", "8 24)", "5 11)"];

/// The script with floats of one format in a smaller one.
fn smaller_floats(reducer: &Reducer<'_>) -> Vec<String> {
    let text = &reducer.text;
    let mut found = Vec::new();
    for (number, format) in FLOATS.iter().enumerate() {
        let smaller = FLOATS[number + 1..].iter().rev();
        found.extend(smaller.map(|smaller| text.replace(&format!(" {format}"), &format!(" {smaller}"))));
    }
    found.retain(|changed| changed != text);
    found
}

/// The script with a simple sort in place of one that is declared, and integers in place of reals.
fn plain_sorts(reducer: &Reducer<'_>) -> Vec<String> {
    let declared = reducer.commands.iter().filter_map(|command| match command {
        Command::DeclareSort(name, 0) => Some(reducer.terms.text(*name)),
        _ => None,
    });
    let all = words(&reducer.text);
    let used: FxHashSet<&str> = all.iter().copied().collect();
    let mut found = Vec::new();
    for name in declared {
        for plain in ["Bool", "Int"] {
            let renamed = with_word(&all, name, plain);
            found.push(renamed.replace(&format!("(declare-sort {plain} 0)\n"), ""));
        }
    }
    if used.contains("Real") {
        let whole = with_word(&all, "Real", "Int");
        let is_decimal =
            |word: &str| word.split_once('.').is_some_and(|(one, other)| is_number(one) && is_number(other));
        let numerals: String = words(&whole)
            .into_iter()
            .map(|word| if is_decimal(word) { word.split('.').next().unwrap_or(word) } else { word })
            .collect();
        found.push(numerals);
    }
    found
}

fn with_word(all: &[&str], old: &str, new: &str) -> String {
    all.iter().map(|word| if *word == old { new } else { word }).collect()
}
