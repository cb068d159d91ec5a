//! Bounds that hold for all values: of lengths, of integers, and by them of linear forms.
//!
//! Nothing is solved here. A linear form is at least zero if it is so after each atom is replaced by a bound of it, on
//! the side that its sign asks for; a bound may be a number, or again a linear form (a part is no longer than the whole).
//!
//! The method follows Reynolds et al., CAV 2019 (high-level abstractions for simplifying extended string constraints).

use dashu_int::IBig;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Head, Index, Term, Terms};

use super::linear::Linear;

/// A lower and an upper bound; none where there is no bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bounds {
    /// The least value.
    pub min: Option<IBig>,
    /// The greatest value.
    pub max: Option<IBig>,
}

impl Bounds {
    fn new(min: impl Into<IBig>, max: Option<IBig>) -> Self {
        Bounds { min: Some(min.into()), max }
    }

    fn exactly(value: IBig) -> Self {
        Bounds { min: Some(value.clone()), max: Some(value) }
    }
}

/// What is known of terms, remembered.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    lengths: FxHashMap<Term, Bounds>,
    /// Bounds of the parts of the term that is looked into, by how deep they were looked into: what is shared would be
    /// looked into again and again.
    parts: FxHashMap<(Term, u32), Bounds>,
    ground: FxHashMap<Term, bool>,
}

/// How deep terms are looked into; below, the obvious bounds do.
const MAX_DEPTH: u32 = 12;
/// How often atoms are replaced by linear bounds in a row.
const MAX_REPLACEMENTS: u32 = 3;

impl Facts {
    /// Whether no declared symbol and no variable occurs in a term.
    pub fn is_ground(&mut self, terms: &Terms, root: Term) -> bool {
        if terms.args(root).is_empty() {
            return is_ground_leaf(terms, root);
        }
        if let Some(known) = self.ground.get(&root) {
            return *known;
        }
        // Arguments come first in this order, whatever the depth.
        for term in smelt_smtlib::walk::subterms(terms, &[root]) {
            if self.ground.contains_key(&term) {
                continue;
            }
            let args = terms.args(term);
            let is_ground = if args.is_empty() {
                is_ground_leaf(terms, term)
            } else {
                !matches!(terms.head(term), Head::Global(_))
                    && args.iter().all(|arg| self.ground.get(arg).copied().unwrap_or(false))
            };
            self.ground.insert(term, is_ground);
        }
        self.ground[&root]
    }

    /// Bounds of the length of a string term.
    pub fn length(&mut self, terms: &Terms, text: Term) -> Bounds {
        self.parts.clear();
        self.length_below(terms, text, MAX_DEPTH)
    }

    fn length_below(&mut self, terms: &Terms, text: Term, depth: u32) -> Bounds {
        if let Some(value) = literal::string_value(terms, text) {
            return Bounds::exactly(IBig::from(value.len()));
        }
        if let Some(known) = self.lengths.get(&text) {
            return known.clone();
        }
        let unknown = Bounds::new(0, None);
        if depth == 0 || terms.args(text).is_empty() {
            return unknown;
        }
        if let Some(known) = self.parts.get(&(text, depth)) {
            return known.clone();
        }
        let args: Vec<Term> = terms.args(text).to_vec();
        let bounds = match terms.op(text) {
            Some(Op::StrConcat) => {
                let mut sum = Bounds::exactly(IBig::ZERO);
                for arg in &args {
                    let part = self.length_below(terms, *arg, depth - 1);
                    sum.min = add(sum.min, part.min);
                    sum.max = add(sum.max, part.max);
                }
                sum
            }
            Some(Op::StrAt | Op::StrFromCode) => Bounds::new(0, Some(IBig::ONE)),
            Some(Op::StrSubstr) => {
                let whole = self.length_below(terms, args[0], depth - 1);
                let count = self.integer_below(terms, args[2], depth - 1);
                let start = self.integer_below(terms, args[1], depth - 1);
                let count_max = count.max.clone().map(|max| max.max(IBig::ZERO));
                // From a start that is never negative, the rest is shorter.
                let rest_max = match (&whole.max, &start.min) {
                    (Some(max), Some(min)) if *min > IBig::ZERO => Some((max - min).max(IBig::ZERO)),
                    (max, _) => max.clone(),
                };
                let max = smaller(count_max, rest_max);
                let min = match (&whole.min, start.min, start.max, count.min) {
                    (Some(whole), Some(start_min), Some(start_max), Some(count))
                        if start_min >= IBig::ZERO =>
                    {
                        (whole - start_max).min(count).max(IBig::ZERO)
                    }
                    _ => IBig::ZERO,
                };
                Bounds { min: Some(min), max }
            }
            Some(Op::Ite) => {
                let then = self.length_below(terms, args[1], depth - 1);
                let otherwise = self.length_below(terms, args[2], depth - 1);
                Bounds { min: least(then.min, otherwise.min), max: larger(then.max, otherwise.max) }
            }
            Some(Op::StrReplace) => {
                let whole = self.length_below(terms, args[0], depth - 1);
                let old = self.length_below(terms, args[1], depth - 1);
                let new = self.length_below(terms, args[2], depth - 1);
                // One occurrence goes, one word comes, or nothing happens.
                let shrink = match (&old.max, &new.min) {
                    (Some(old), Some(new)) => Some((old - new).max(IBig::ZERO)),
                    _ => None,
                };
                let min = match (whole.min, shrink) {
                    (Some(whole), Some(shrink)) => (whole - shrink).max(IBig::ZERO),
                    _ => IBig::ZERO,
                };
                let growth = match (&new.max, &old.min) {
                    (Some(new), Some(old)) => Some((new - old).max(IBig::ZERO)),
                    _ => None,
                };
                Bounds { min: Some(min), max: add(whole.max, growth) }
            }
            Some(Op::StrReplaceAll) => {
                let whole = self.length_below(terms, args[0], depth - 1);
                let old = self.length_below(terms, args[1], depth - 1);
                let new = self.length_below(terms, args[2], depth - 1);
                let never_grows = matches!((&new.max, &old.min), (Some(new), Some(old)) if new <= old);
                let never_shrinks = matches!((&old.max, &new.min), (Some(old), Some(new)) if old <= new);
                Bounds {
                    min: if never_shrinks { whole.min } else { Some(IBig::ZERO) },
                    max: if never_grows { whole.max } else { None },
                }
            }
            Some(Op::StrRev | Op::StrToLower | Op::StrToUpper | Op::StrUpdate) => {
                self.length_below(terms, args[0], depth - 1)
            }
            Some(Op::StrFromInt) => {
                let number = self.integer_below(terms, args[0], depth - 1);
                let min = if number.min.is_some_and(|min| min >= IBig::ZERO) { 1 } else { 0 };
                let max = number
                    .max
                    .map(|max| if max < IBig::ZERO { IBig::ZERO } else { IBig::from(max.to_string().len()) });
                Bounds::new(min, max)
            }
            _ => unknown,
        };
        if depth == MAX_DEPTH {
            self.lengths.insert(text, bounds.clone());
        } else {
            self.parts.insert((text, depth), bounds.clone());
        }
        bounds
    }

    /// Bounds of an integer term.
    pub fn integer(&mut self, terms: &Terms, term: Term) -> Bounds {
        self.parts.clear();
        self.integer_below(terms, term, MAX_DEPTH)
    }

    fn integer_below(&mut self, terms: &Terms, term: Term, depth: u32) -> Bounds {
        if let Some(value) = literal::int_value(terms, term) {
            return Bounds::exactly(value);
        }
        if depth == 0 || terms.args(term).is_empty() {
            return Bounds::default();
        }
        if let Some(known) = self.parts.get(&(term, depth)) {
            return known.clone();
        }
        let bounds = self.integer_at(terms, term, depth);
        if depth < MAX_DEPTH {
            self.parts.insert((term, depth), bounds.clone());
        }
        bounds
    }

    fn integer_at(&mut self, terms: &Terms, term: Term, depth: u32) -> Bounds {
        let args: Vec<Term> = terms.args(term).to_vec();
        match terms.op(term) {
            Some(Op::StrLen) => self.length_below(terms, args[0], depth - 1),
            Some(Op::StrIndexof | Op::StrIndexofRe) => {
                let whole = self.length_below(terms, args[0], depth - 1);
                Bounds { min: Some(IBig::NEG_ONE), max: whole.max }
            }
            Some(Op::StrToInt) => {
                let digits = self.length_below(terms, args[0], depth - 1).max;
                let digits = digits.and_then(|max| usize::try_from(&max).ok()).filter(|max| *max <= 64);
                let max = digits.map(|digits| IBig::from(10).pow(digits) - IBig::ONE);
                Bounds { min: Some(IBig::NEG_ONE), max }
            }
            Some(Op::StrToCode) => Bounds { min: Some(IBig::NEG_ONE), max: Some(IBig::from(0x2FFFF)) },
            Some(Op::Mod) => match literal::int_value(terms, args[1]) {
                Some(divisor) if divisor != IBig::ZERO => {
                    let size = if divisor < IBig::ZERO { -divisor } else { divisor };
                    Bounds { min: Some(IBig::ZERO), max: Some(size - IBig::ONE) }
                }
                _ => Bounds::default(),
            },
            Some(Op::Abs) => Bounds::new(0, None),
            Some(Op::Ite) => {
                let then = self.integer_below(terms, args[1], depth - 1);
                let otherwise = self.integer_below(terms, args[2], depth - 1);
                Bounds { min: least(then.min, otherwise.min), max: larger(then.max, otherwise.max) }
            }
            Some(Op::Add | Op::Mul | Op::Neg | Op::Sub) => {
                let form = Linear::of(terms, term);
                if matches!(form.monomials.as_slice(), [(atom, _)] if *atom == term) {
                    return Bounds::default();
                }
                let mut sum = Bounds::exactly(form.constant.clone());
                for (atom, coefficient) in &form.monomials {
                    let bounds = self.integer_below(terms, *atom, depth - 1);
                    let (low, high) = if *coefficient > IBig::ZERO {
                        (bounds.min, bounds.max)
                    } else {
                        (bounds.max, bounds.min)
                    };
                    sum.min = add(sum.min, low.map(|low| low * coefficient));
                    sum.max = add(sum.max, high.map(|high| high * coefficient));
                }
                sum
            }
            _ => Bounds::default(),
        }
    }

    /// Whether a linear form is at least zero for all values of its atoms.
    pub fn is_nonnegative(&mut self, terms: &mut Terms, form: &Linear) -> bool {
        self.is_nonnegative_within(terms, form, MAX_REPLACEMENTS)
    }

    fn is_nonnegative_within(&mut self, terms: &mut Terms, form: &Linear, replacements: u32) -> bool {
        let mut least = Some(form.constant.clone());
        for (atom, coefficient) in &form.monomials {
            let bounds = self.integer(terms, *atom);
            let bound = if *coefficient > IBig::ZERO { bounds.min } else { bounds.max };
            least = add(least, bound.map(|bound| bound * coefficient));
        }
        if least.is_some_and(|least| least >= IBig::ZERO) {
            return true;
        }
        if replacements == 0 {
            return false;
        }
        for (position, (atom, coefficient)) in form.monomials.iter().enumerate() {
            let is_upper = *coefficient < IBig::ZERO;
            for bound in self.linear_bounds(terms, *atom, is_upper) {
                let mut rest = form.clone();
                rest.monomials.remove(position);
                let replaced = rest.plus(&bound, coefficient);
                if self.is_nonnegative_within(terms, &replaced, replacements - 1) {
                    return true;
                }
            }
        }
        false
    }

    /// Linear forms that an atom never exceeds, or never falls below.
    fn linear_bounds(&mut self, terms: &mut Terms, atom: Term, is_upper: bool) -> Vec<Linear> {
        let args: SmallVec<[Term; 3]> = terms.args(atom).into();
        match (terms.op(atom), is_upper) {
            (Some(Op::StrLen), _) => self.linear_length_bounds(terms, args[0], is_upper),
            (Some(Op::StrIndexof), true) => {
                // A match ends within the string.
                let whole = length_form(terms, args[0]);
                let part = length_form(terms, args[1]);
                let rest = whole.plus(&part, &IBig::NEG_ONE);
                if self.is_nonnegative_within(terms, &rest, 0) { vec![rest, whole] } else { vec![whole] }
            }
            _ => Vec::new(),
        }
    }

    fn linear_length_bounds(&mut self, terms: &mut Terms, text: Term, is_upper: bool) -> Vec<Linear> {
        let args: SmallVec<[Term; 3]> = terms.args(text).into();
        match (terms.op(text), is_upper) {
            (Some(Op::StrSubstr), true) => {
                let whole = length_form(terms, args[0]);
                let count = Linear::of(terms, args[2]);
                if self.is_nonnegative_within(terms, &count, 0) { vec![count, whole] } else { vec![whole] }
            }
            (Some(Op::StrReplace), true) => {
                let whole = length_form(terms, args[0]);
                vec![whole.plus(&length_form(terms, args[2]), &IBig::ONE)]
            }
            (Some(Op::StrReplace), false) => {
                let whole = length_form(terms, args[0]);
                vec![whole.plus(&length_form(terms, args[1]), &IBig::NEG_ONE)]
            }
            (Some(Op::StrFromInt), true) => {
                let number = Linear::of(terms, args[0]);
                let positive = number.plus(&Linear::constant(1), &IBig::NEG_ONE);
                if self.is_nonnegative_within(terms, &positive, 0) { vec![number] } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// Whether one string is never shorter than another.
    pub fn is_at_least_as_long(&mut self, terms: &mut Terms, long: Term, short: Term) -> bool {
        let form = length_form(terms, long).plus(&length_form(terms, short), &IBig::NEG_ONE);
        self.is_nonnegative(terms, &form)
    }

    /// Whether one string is always longer than another.
    pub fn is_longer(&mut self, terms: &mut Terms, long: Term, short: Term) -> bool {
        let mut form = length_form(terms, long).plus(&length_form(terms, short), &IBig::NEG_ONE);
        form.constant -= IBig::ONE;
        self.is_nonnegative(terms, &form)
    }

    /// Whether a string is never empty.
    pub fn is_nonempty(&mut self, terms: &mut Terms, text: Term) -> bool {
        self.length(terms, text).min.is_some_and(|min| min > IBig::ZERO)
    }

    /// The length of a string, if it is always the same.
    pub fn fixed_length(&mut self, terms: &mut Terms, text: Term) -> Option<IBig> {
        let bounds = self.length(terms, text);
        (bounds.min == bounds.max).then_some(bounds.min).flatten()
    }
}

/// The length of a string term as a linear form over the lengths of its parts.
pub fn length_form(terms: &mut Terms, text: Term) -> Linear {
    let mut form = Linear::default();
    let mut text = text;
    while let Some(Op::StrRev | Op::StrToLower | Op::StrToUpper | Op::StrUpdate) = terms.op(text) {
        text = terms.args(text)[0];
    }
    for part in build::parts(terms, text) {
        match literal::string_value(terms, part) {
            Some(value) => form.constant += IBig::from(value.len()),
            None => {
                let length = build::len(terms, part);
                form.monomials.push((length, IBig::ONE));
            }
        }
    }
    form.plus(&Linear::default(), &IBig::ZERO)
}

fn is_ground_leaf(terms: &Terms, term: Term) -> bool {
    match terms.head(term) {
        Head::Literal(..) => true,
        Head::Op(_, indices) => terms.indices(indices).iter().all(|index| matches!(index, Index::Number(_))),
        _ => false,
    }
}

fn add(left: Option<IBig>, right: Option<IBig>) -> Option<IBig> {
    Some(left? + right?)
}

fn least(left: Option<IBig>, right: Option<IBig>) -> Option<IBig> {
    Some(left?.min(right?))
}

/// The smaller of two upper bounds.
fn smaller(left: Option<IBig>, right: Option<IBig>) -> Option<IBig> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    }
}

fn larger(left: Option<IBig>, right: Option<IBig>) -> Option<IBig> {
    Some(left?.max(right?))
}
