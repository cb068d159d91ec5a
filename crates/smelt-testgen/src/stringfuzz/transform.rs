//! Transformers: a script out of another.
//!
//! A term that occurs more than once is changed in the same way everywhere.

use rustc_hash::FxHashMap;
use smelt_semantics::model::Model;
use smelt_semantics::string::Str;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Definition, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::keeps::{Keeps, allows_multiplying, allows_renaming, allows_reversing};
use crate::mutation::OperatorMutation;
use crate::mutation::scope::Spoken;
use crate::operators::{OperatorSet, wants_literals};
use crate::random::Random;

/// A way to change a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transformer {
    /// Changes literals and operators at random.
    Fuzz,
    /// Swaps a leaf and an application of the same sort, for every sort.
    Graft,
    /// Multiplies numbers and repeats each character of literals.
    Multiply,
    /// Changes nothing.
    Nop,
    /// Reverses literals and concatenations, and swaps prefixes and suffixes.
    Reverse,
    /// Moves arguments between nested operators whose arguments are all of one sort.
    Rotate,
    /// Permutes the characters of literals.
    Translate,
    /// Replaces printable characters of literals by others.
    Unprintable,
}

impl Transformer {
    /// All of them.
    pub const ALL: [Transformer; 8] = [
        Transformer::Fuzz,
        Transformer::Graft,
        Transformer::Multiply,
        Transformer::Nop,
        Transformer::Reverse,
        Transformer::Rotate,
        Transformer::Translate,
        Transformer::Unprintable,
    ];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Transformer::Fuzz => "fuzz",
            Transformer::Graft => "graft",
            Transformer::Multiply => "multiply",
            Transformer::Nop => "nop",
            Transformer::Reverse => "reverse",
            Transformer::Rotate => "rotate",
            Transformer::Translate => "translate",
            Transformer::Unprintable => "unprintable",
        }
    }
}

/// A script that a transformer made.
#[derive(Debug, Clone)]
pub struct Transformed {
    /// The new script.
    pub script: Script,
    /// What of the answer of the old one it keeps.
    pub keeps: Keeps,
    /// What happened to words and numbers.
    mapping: Mapping,
}

impl Transformed {
    /// What a model of the old script becomes; a model of the new one if it keeps anything.
    pub fn model(&self, terms: &mut Terms, model: &Model) -> Model {
        let mut image = Model::new();
        let names: Vec<Symbol> = model.symbols().collect();
        for name in names {
            let Some(definition) = model.definition(name).cloned() else { continue };
            let mut images: FxHashMap<Term, Term> = FxHashMap::default();
            for term in subterms(terms, &[definition.body]) {
                let args: Vec<Term> = terms.args(term).iter().map(|arg| images[arg]).collect();
                let moved = terms.with_args(term, &args);
                images.insert(term, mapped(terms, moved, &self.mapping));
            }
            let body = images[&definition.body];
            image.define(Definition { body, ..definition });
        }
        image
    }
}

/// What happens to words and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mapping {
    /// Each character becomes another; those that are not listed stay.
    Rename(FxHashMap<u32, u32>),
    /// Words are reversed.
    Reverse,
    /// Each character is repeated and each number multiplied so often.
    Multiply(u32),
}

impl Mapping {
    fn identity() -> Self {
        Mapping::Rename(FxHashMap::default())
    }

    /// What a word becomes.
    fn word(&self, word: &[u32]) -> Vec<u32> {
        match self {
            Mapping::Rename(table) => word.iter().map(|code| *table.get(code).unwrap_or(code)).collect(),
            Mapping::Reverse => word.iter().rev().copied().collect(),
            Mapping::Multiply(factor) => {
                word.iter().flat_map(|code| std::iter::repeat_n(*code, *factor as usize)).collect()
            }
        }
    }

    /// What a numeral becomes.
    fn numeral(&self, digits: &str) -> String {
        match (self, digits.parse::<dashu_int::UBig>()) {
            (Mapping::Multiply(factor), Ok(number)) => (number * *factor).to_string(),
            _ => digits.to_owned(),
        }
    }
}

/// Numbers and characters are multiplied by 2 up to this.
const MAX_FACTOR: u64 = 5;
/// The printable characters.
const PRINTABLE: std::ops::RangeInclusive<u32> = 0x20..=0x7e;
/// How far above a printable character the unprintable one is that it is swapped with.
const TO_UNPRINTABLE: u32 = 0x60;
/// A character is replaced by at most so many others.
const MAX_REPLACEMENT: u64 = 4;

/// Changes a script; none if it has parts that smelt does not understand, or nothing that could be changed.
pub fn transform(
    terms: &mut Terms,
    script: &Script,
    transformer: Transformer,
    random: &mut Random,
) -> Option<Transformed> {
    let roots: Vec<Term> = script.assertions().collect();
    let all = subterms(terms, &roots);
    if all.iter().any(|term| is_foreign(terms, *term)) {
        return None;
    }
    let ranges = ranges(terms, &all);
    let mut mapping = Mapping::identity();
    let mut keeps = Keeps::Nothing;
    match transformer {
        Transformer::Nop => keeps = Keeps::Answer,
        Transformer::Translate => {
            mapping = Mapping::Rename(permutation(&ranges, random));
            if allows_renaming(terms, script, true) && ranges.is_some() {
                keeps = Keeps::Answer;
            }
        }
        Transformer::Unprintable => {
            mapping = Mapping::Rename(swapped_blocks());
            let is_printable = |ends: &(u32, u32)| PRINTABLE.contains(&ends.0) && PRINTABLE.contains(&ends.1);
            if allows_renaming(terms, script, false)
                && ranges.is_some_and(|ranges| ranges.iter().all(is_printable))
            {
                keeps = Keeps::Answer;
            }
        }
        Transformer::Reverse => {
            mapping = Mapping::Reverse;
            if allows_reversing(terms, script) {
                keeps = Keeps::Answer;
            }
        }
        Transformer::Multiply => {
            mapping = Mapping::Multiply(2 + random.below(MAX_FACTOR - 1) as u32);
            if allows_multiplying(terms, script) {
                keeps = Keeps::Sat;
            }
        }
        Transformer::Fuzz | Transformer::Graft | Transformer::Rotate => {}
    }
    let mut images: FxHashMap<Term, Term> = FxHashMap::default();
    let grafts = if transformer == Transformer::Graft { grafts(terms, &all, random) } else { Vec::new() };
    let spoken = Spoken::by_script(terms, script);
    let operators = OperatorMutation::default();
    // The ends of ranges stay single characters, and those of permuted characters the ends of the same ranges.
    let keeps_letters = transformer != Transformer::Unprintable;
    for term in all {
        let args: Vec<Term> =
            terms
                .args(term)
                .iter()
                .map(|arg| {
                    if keeps_letters && terms.op(term).is_some_and(wants_literals) {
                        *arg
                    } else {
                        images[arg]
                    }
                })
                .collect();
        let moved = terms.with_args(term, &args);
        let image = match transformer {
            Transformer::Nop => moved,
            Transformer::Translate | Transformer::Unprintable | Transformer::Multiply => {
                mapped(terms, moved, &mapping)
            }
            Transformer::Reverse => reversed(terms, moved, &mapping),
            Transformer::Rotate => rotated(terms, moved),
            Transformer::Graft => {
                let swapped = grafts.iter().find_map(|(leaf, tree)| match () {
                    () if term == *leaf => Some(*tree),
                    () if term == *tree => Some(*leaf),
                    () => None,
                });
                swapped.unwrap_or(moved)
            }
            Transformer::Fuzz => fuzzed(terms, moved, &operators, &spoken, random),
        };
        images.insert(term, image);
    }
    let mut changed = script.clone();
    for (position, command) in script.commands.iter().enumerate() {
        if let Command::Assert(root) = command
            && images[root] != *root
        {
            changed.replace(position, Command::Assert(images[root]));
        }
    }
    if transformer != Transformer::Nop && changed.commands == script.commands {
        return None;
    }
    Some(Transformed { script: changed, keeps, mapping })
}

/// Whether a term has a part that smelt does not understand, or a name that stands elsewhere.
fn is_foreign(terms: &Terms, term: Term) -> bool {
    matches!(terms.head(term), Head::Opaque(_) | Head::Annotated(_)) || terms.sort(term) == Sort::UNKNOWN
}

/// The ends of all ranges of characters; none if some are not literals of one character.
fn ranges(terms: &Terms, all: &[Term]) -> Option<Vec<(u32, u32)>> {
    let end = |term: Term| match word_of(terms, term)?.as_slice() {
        [code] => Some(*code),
        _ => None,
    };
    let of_range = |term: &Term| match terms.args(*term) {
        [first, last] => Some((end(*first)?, end(*last)?)),
        _ => None,
    };
    all.iter().filter(|term| terms.op(**term) == Some(Op::ReRange)).map(of_range).collect()
}

/// A random permutation of the printable characters that moves no digit and, if ranges are known, none into or out of one.
fn permutation(ranges: &Option<Vec<(u32, u32)>>, random: &mut Random) -> FxHashMap<u32, u32> {
    let mut borders = vec![u32::from('0'), u32::from('9') + 1];
    for (first, last) in ranges.iter().flatten() {
        borders.extend([*first, *last + 1]);
    }
    let is_moved = |code: &u32| !(u32::from('0')..=u32::from('9')).contains(code);
    let mut free: Vec<u32> = PRINTABLE.filter(is_moved).collect();
    let mut table = FxHashMap::default();
    for code in PRINTABLE.filter(is_moved) {
        let mut candidates: Vec<u32> =
            free.iter().copied().filter(|other| between(&borders, code, *other)).collect();
        let image = random.take(&mut candidates).expect("each cell has as many images as characters");
        free.retain(|other| *other != image);
        table.insert(code, image);
    }
    table
}

/// Whether no border lies between two characters.
fn between(borders: &[u32], first: u32, second: u32) -> bool {
    borders.iter().all(|border| (*border <= first) == (*border <= second))
}

/// Printable characters and others of one byte, swapped.
fn swapped_blocks() -> FxHashMap<u32, u32> {
    PRINTABLE.flat_map(|code| [(code, code + TO_UNPRINTABLE), (code + TO_UNPRINTABLE, code)]).collect()
}

/// The characters of a string literal.
fn word_of(terms: &Terms, term: Term) -> Option<Vec<u32>> {
    match terms.head(term) {
        Head::Literal(Literal::Str, text) => {
            Str::from_literal(terms.text(text)).ok().map(|word| word.chars().to_vec())
        }
        _ => None,
    }
}

/// A string literal with these characters.
pub(super) fn literal(terms: &mut Terms, codes: Vec<u32>) -> Term {
    let word = Str::from_code_points(codes).expect("transformers stay among the characters of the theory");
    let quoted = word.to_literal();
    terms.literal(Literal::Str, &quoted[1..quoted.len() - 1], Sort::STRING)
}

/// A literal after a mapping; other terms as they are.
fn mapped(terms: &mut Terms, term: Term, mapping: &Mapping) -> Term {
    match terms.head(term) {
        Head::Literal(Literal::Str, _) => match word_of(terms, term) {
            Some(word) => literal(terms, mapping.word(&word)),
            None => term,
        },
        Head::Literal(Literal::Numeral, text) if terms.sort(term) == Sort::INT => {
            let digits = mapping.numeral(terms.text(text));
            terms.literal(Literal::Numeral, &digits, Sort::INT)
        }
        _ => term,
    }
}

fn reversed(terms: &mut Terms, term: Term, mapping: &Mapping) -> Term {
    let Head::Op(op, _) = terms.head(term) else { return mapped(terms, term, mapping) };
    let other = match op {
        Op::StrConcat | Op::ReConcat => op,
        Op::StrPrefixof => Op::StrSuffixof,
        Op::StrSuffixof => Op::StrPrefixof,
        _ => return term,
    };
    let mut args = terms.args(term).to_vec();
    if matches!(op, Op::StrConcat | Op::ReConcat) {
        args.reverse();
    }
    terms.apply(other, &[], &args).expect("the sorts of the arguments are the same")
}

/// Gives an argument of a child to its parent, and one of the parent to the child, if all of them have one sort.
fn rotated(terms: &mut Terms, term: Term) -> Term {
    let uniform = |terms: &Terms, term: Term| -> Option<Sort> {
        let args = terms.args(term);
        let sort = terms.sort(*args.first()?);
        let is_uniform = args.iter().all(|arg| terms.sort(*arg) == sort);
        (is_uniform && terms.op(term).is_some_and(|op| !wants_literals(op))).then_some(sort)
    };
    let args = terms.args(term).to_vec();
    let Some(sort) = uniform(terms, term).filter(|_| args.len() > 1) else { return term };
    let Some(child) = args.iter().position(|arg| uniform(terms, *arg) == Some(sort)) else { return term };
    let other = if child + 1 == args.len() { 0 } else { args.len() - 1 };
    let below = terms.args(args[child]).to_vec();
    let mut new_below = below[1..].to_vec();
    new_below.push(args[other]);
    let new_child = terms.with_args(args[child], &new_below);
    let mut new_args = args;
    new_args[other] = below[0];
    new_args[child] = new_child;
    terms.with_args(term, &new_args)
}

/// For each sort a leaf and an application to be swapped.
fn grafts(terms: &Terms, all: &[Term], random: &mut Random) -> Vec<(Term, Term)> {
    let sorts = [Sort::STRING, Sort::INT, Sort::BOOL, Sort::REG_LAN];
    let pair = |sort: Sort| {
        let is_leaf = |term: &Term| {
            terms.args(*term).is_empty() || matches!(terms.op(*term), Some(Op::StrToRe | Op::ReRange))
        };
        let (leaves, trees): (Vec<Term>, Vec<Term>) = all
            .iter()
            .filter(|term| terms.sort(**term) == sort && !terms.has_locals(**term))
            .partition(|term| is_leaf(term));
        Some((*random.choose(&leaves)?, *random.choose(&trees)?))
    };
    sorts.into_iter().filter_map(pair).collect()
}

/// A literal that is like another, or another operator over the same arguments.
fn fuzzed(
    terms: &mut Terms,
    term: Term,
    operators: &OperatorMutation,
    spoken: &Spoken,
    random: &mut Random,
) -> Term {
    match terms.head(term) {
        Head::Literal(Literal::Str, _) => match word_of(terms, term) {
            Some(word) => {
                let codes = word.iter().flat_map(|code| fuzzed_letter(*code, random)).collect();
                literal(terms, codes)
            }
            None => term,
        },
        Head::Literal(Literal::Numeral, text) if terms.sort(term) == Sort::INT => {
            let Ok(number) = terms.text(text).parse::<u32>() else { return term };
            let other = random.below(2 * u64::from(number) + 1).to_string();
            terms.literal(Literal::Numeral, &other, Sort::INT)
        }
        Head::Op(op, _) if !wants_literals(op) && op != Op::StrToRe && random.one_in(2) => {
            operators.mutant(terms, term, spoken, &OperatorSet::standard(), random).unwrap_or(term)
        }
        _ => term,
    }
}

/// What a character becomes: itself, nothing, or some others.
fn fuzzed_letter(code: u32, random: &mut Random) -> Vec<u32> {
    match random.below(3) {
        0 => (0..1 + random.below(MAX_REPLACEMENT))
            .map(|_| PRINTABLE.start() + random.below(u64::from(PRINTABLE.end() - PRINTABLE.start())) as u32)
            .collect(),
        1 => vec![code],
        _ => Vec::new(),
    }
}
