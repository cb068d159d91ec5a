//! Sorts, interned: equal sorts are equal ids.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::symbol::{Symbol, Symbols};

/// A sort in a [`Sorts`] table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sort(u32);

impl Sort {
    /// `Bool`.
    pub const BOOL: Sort = Sort(0);
    /// `Int`.
    pub const INT: Sort = Sort(1);
    /// `Real`.
    pub const REAL: Sort = Sort(2);
    /// `String`.
    pub const STRING: Sort = Sort(3);
    /// `RegLan`.
    pub const REG_LAN: Sort = Sort(4);
    /// `RoundingMode`.
    pub const ROUNDING_MODE: Sort = Sort(5);
    /// The sort of a term that we cannot type. It agrees with every sort.
    pub const UNKNOWN: Sort = Sort(6);

    /// Whether it is one of these, which have the same ids in every table.
    pub fn is_fixed(self) -> bool {
        self <= Sort::UNKNOWN
    }
}

/// The structure of a sort.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SortKind {
    /// `Bool`.
    Bool,
    /// `Int`.
    Int,
    /// `Real`.
    Real,
    /// `String`.
    String,
    /// `RegLan`.
    RegLan,
    /// `RoundingMode`.
    RoundingMode,
    /// Not known; see [`Sort::UNKNOWN`].
    Unknown,
    /// `(_ BitVec width)`.
    BitVec(u32),
    /// `(_ FloatingPoint exponent_bits significand_bits)`; the hidden bit counts.
    Float(u32, u32),
    /// `(Array index element)`.
    Array(Sort, Sort),
    /// `(Seq element)`.
    Seq(Sort),
    /// A declared sort, a datatype or a sort of a solver extension, with its arguments.
    Named(Symbol, Box<[Sort]>),
    /// A sort parameter of a polymorphic declaration.
    Param(Symbol),
    /// `(-> arguments.. result)`.
    Arrow(Box<[Sort]>),
}

/// Sorts, as far as operators care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum SortClass {
    Bool,
    Int,
    Real,
    String,
    RegLan,
    RoundingMode,
    BitVec,
    Float,
    Array,
    Seq,
    /// Declared sorts, datatypes and what we do not know.
    Other,
}

impl SortClass {
    /// All but the last.
    pub const ALL: [SortClass; 10] = [
        SortClass::Bool,
        SortClass::Int,
        SortClass::Real,
        SortClass::String,
        SortClass::RegLan,
        SortClass::RoundingMode,
        SortClass::BitVec,
        SortClass::Float,
        SortClass::Array,
        SortClass::Seq,
    ];

    /// The class of a sort of this kind.
    pub fn of(kind: &SortKind) -> SortClass {
        match kind {
            SortKind::Bool => SortClass::Bool,
            SortKind::Int => SortClass::Int,
            SortKind::Real => SortClass::Real,
            SortKind::String => SortClass::String,
            SortKind::RegLan => SortClass::RegLan,
            SortKind::RoundingMode => SortClass::RoundingMode,
            SortKind::BitVec(_) => SortClass::BitVec,
            SortKind::Float(..) => SortClass::Float,
            SortKind::Array(..) => SortClass::Array,
            SortKind::Seq(_) => SortClass::Seq,
            SortKind::Unknown | SortKind::Named(..) | SortKind::Param(_) | SortKind::Arrow(_) => {
                SortClass::Other
            }
        }
    }
}

/// Whether the parameters of a pattern may still be bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Parameters {
    Open,
    Fixed,
}

/// The table of all sorts.
#[derive(Debug, Clone)]
pub struct Sorts {
    kinds: Vec<SortKind>,
    /// For each sort how many parts it has when written out.
    sizes: Vec<u64>,
    ids: FxHashMap<SortKind, Sort>,
}

impl Sorts {
    pub(crate) fn new() -> Self {
        // Room for those of a small script.
        let mut sorts = Sorts {
            kinds: Vec::with_capacity(16),
            sizes: Vec::with_capacity(16),
            ids: FxHashMap::with_capacity_and_hasher(14, Default::default()),
        };
        for (kind, sort) in [
            (SortKind::Bool, Sort::BOOL),
            (SortKind::Int, Sort::INT),
            (SortKind::Real, Sort::REAL),
            (SortKind::String, Sort::STRING),
            (SortKind::RegLan, Sort::REG_LAN),
            (SortKind::RoundingMode, Sort::ROUNDING_MODE),
            (SortKind::Unknown, Sort::UNKNOWN),
        ] {
            assert_eq!(sorts.intern(kind), sort, "the constants of Sort name the first entries");
        }
        sorts
    }

    /// The sort with this structure.
    pub fn intern(&mut self, kind: SortKind) -> Sort {
        if let Some(&sort) = self.ids.get(&kind) {
            return sort;
        }
        let sort = Sort(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.ids.insert(kind, sort);
        let size =
            self.components(sort).iter().fold(1, |sum: u64, part| sum.saturating_add(self.tree_size(*part)));
        self.sizes.push(size);
        sort
    }

    /// The structure of a sort.
    pub fn kind(&self, sort: Sort) -> &SortKind {
        &self.kinds[sort.0 as usize]
    }

    /// `(_ BitVec width)`.
    pub fn bit_vec(&mut self, width: u32) -> Sort {
        self.intern(SortKind::BitVec(width))
    }

    /// `(_ FloatingPoint exponent_bits significand_bits)`.
    pub fn float(&mut self, exponent_bits: u32, significand_bits: u32) -> Sort {
        self.intern(SortKind::Float(exponent_bits, significand_bits))
    }

    /// `(Array index element)`.
    pub fn array(&mut self, index: Sort, element: Sort) -> Sort {
        self.intern(SortKind::Array(index, element))
    }

    /// How many parts a sort has when written out; saturates at `u64::MAX`, because parts may be shared.
    pub fn tree_size(&self, sort: Sort) -> u64 {
        self.sizes[sort.0 as usize]
    }

    /// The direct components of a sort.
    pub fn components(&self, sort: Sort) -> Vec<Sort> {
        match self.kind(sort) {
            SortKind::Array(index, element) => vec![*index, *element],
            SortKind::Seq(element) => vec![*element],
            SortKind::Named(_, arguments) => arguments.to_vec(),
            SortKind::Arrow(parts) => parts.to_vec(),
            SortKind::Bool
            | SortKind::Int
            | SortKind::Real
            | SortKind::String
            | SortKind::RegLan
            | SortKind::RoundingMode
            | SortKind::Unknown
            | SortKind::BitVec(_)
            | SortKind::Float(..)
            | SortKind::Param(_) => Vec::new(),
        }
    }

    /// Whether `wanted` holds for this sort or any part of it.
    pub fn any_part(&self, sort: Sort, wanted: impl Fn(&SortKind) -> bool) -> bool {
        if self.tree_size(sort) == 1 {
            return wanted(self.kind(sort));
        }
        // A shared part is entered once, or the walk would be exponential in the depth.
        let mut seen = FxHashSet::default();
        let mut pending = vec![sort];
        while let Some(sort) = pending.pop() {
            if wanted(self.kind(sort)) {
                return true;
            }
            pending.extend(self.components(sort).into_iter().filter(|part| seen.insert(*part)));
        }
        false
    }

    /// Rebuilds a sort with its parameters replaced; parameters without a binding stay.
    pub fn instantiate(&mut self, sort: Sort, bindings: &[(Symbol, Sort)]) -> Sort {
        if bindings.is_empty() || !self.any_part(sort, |kind| matches!(kind, SortKind::Param(_))) {
            return sort;
        }
        let mut done: FxHashMap<Sort, Sort> = FxHashMap::default();
        let mut pending = vec![sort];
        while let Some(&current) = pending.last() {
            if done.contains_key(&current) {
                pending.pop();
                continue;
            }
            let missing: Vec<Sort> =
                self.components(current).into_iter().filter(|part| !done.contains_key(part)).collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            pending.pop();
            let rebuilt = match self.kind(current).clone() {
                SortKind::Param(name) => {
                    bindings.iter().find(|(bound, _)| *bound == name).map_or(current, |(_, sort)| *sort)
                }
                SortKind::Array(index, element) => self.array(done[&index], done[&element]),
                SortKind::Seq(element) => self.intern(SortKind::Seq(done[&element])),
                SortKind::Named(name, arguments) => {
                    self.intern(SortKind::Named(name, arguments.iter().map(|part| done[part]).collect()))
                }
                SortKind::Arrow(parts) => {
                    self.intern(SortKind::Arrow(parts.iter().map(|part| done[part]).collect()))
                }
                _ => current,
            };
            done.insert(current, rebuilt);
        }
        done[&sort]
    }

    /// Finds what the parameters of `pattern` must be so that it becomes `actual`.
    ///
    /// Adds to `bindings` and reports whether that is possible. Unknown sorts agree with everything,
    /// and an `Int` may stand for a `Real`.
    pub fn unify(&self, pattern: Sort, actual: Sort, bindings: &mut Vec<(Symbol, Sort)>) -> bool {
        pattern == Sort::REAL && actual == Sort::INT || self.unify_exactly(pattern, actual, bindings)
    }

    /// Whether two sorts are the same as far as they are known.
    pub(crate) fn agree(&self, left: Sort, right: Sort) -> bool {
        left == right || self.unify_exactly(left, right, &mut Vec::new())
    }

    /// As [`Sorts::unify`], without coercion.
    fn unify_exactly(&self, pattern: Sort, actual: Sort, bindings: &mut Vec<(Symbol, Sort)>) -> bool {
        // Parameters in what a parameter is bound to are those of the place, not of the pattern: they stay.
        let mut pending = vec![(pattern, actual, Parameters::Open)];
        // Pairs of shared parts are entered once, or the walk would be exponential in the depth.
        let mut seen = FxHashSet::default();
        while let Some((pattern, actual, parameters)) = pending.pop() {
            if pattern == actual || actual == Sort::UNKNOWN || pattern == Sort::UNKNOWN {
                continue;
            }
            let (parts, other_parts) = match (self.kind(pattern), self.kind(actual)) {
                (SortKind::Param(name), _) if parameters == Parameters::Open => {
                    match bindings.iter_mut().find(|(bound, _)| bound == name) {
                        None => bindings.push((*name, actual)),
                        Some((_, bound)) if *bound == Sort::UNKNOWN => *bound = actual,
                        Some((_, bound)) => pending.push((*bound, actual, Parameters::Fixed)),
                    }
                    continue;
                }
                (SortKind::Named(name, _), SortKind::Named(other, _)) if name != other => return false,
                (SortKind::Array(..), SortKind::Array(..))
                | (SortKind::Seq(_), SortKind::Seq(_))
                | (SortKind::Named(..), SortKind::Named(..))
                // Solvers write arrays as functions in models.
                | (SortKind::Array(..), SortKind::Arrow(_))
                | (SortKind::Arrow(_), SortKind::Arrow(_)) => (self.components(pattern), self.components(actual)),
                _ => return false,
            };
            if parts.len() != other_parts.len() {
                return false;
            }
            if seen.insert((pattern, actual, parameters)) {
                pending.extend(
                    parts.into_iter().zip(other_parts).map(|(part, other)| (part, other, parameters)),
                );
            }
        }
        true
    }

    /// Whether a term of sort `actual` may stand where `expected` is wanted.
    pub fn fits(&self, expected: Sort, actual: Sort) -> bool {
        expected == actual || self.unify(expected, actual, &mut Vec::new())
    }

    /// Appends the SMT-LIB text of a sort.
    pub fn write(&self, symbols: &Symbols, sort: Sort, out: &mut String) {
        enum Step {
            Sort(Sort),
            Text(&'static str),
        }
        let mut pending = vec![Step::Sort(sort)];
        while let Some(step) = pending.pop() {
            let sort = match step {
                Step::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Step::Sort(sort) => sort,
            };
            match self.kind(sort) {
                SortKind::Bool => out.push_str("Bool"),
                SortKind::Int => out.push_str("Int"),
                SortKind::Real => out.push_str("Real"),
                SortKind::String => out.push_str("String"),
                SortKind::RegLan => out.push_str("RegLan"),
                SortKind::RoundingMode => out.push_str("RoundingMode"),
                SortKind::Unknown => out.push('?'),
                SortKind::BitVec(width) => out.push_str(&format!("(_ BitVec {width})")),
                SortKind::Float(exponent, significand) => {
                    out.push_str(&format!("(_ FloatingPoint {exponent} {significand})"));
                }
                SortKind::Param(name) => crate::print::write_symbol(symbols.text(*name), out),
                SortKind::Named(name, parts) if parts.is_empty() => match symbols.text(*name) {
                    // An indexed sort of a solver extension, as it is written.
                    text if text.starts_with("(_ ") => out.push_str(text),
                    text => crate::print::write_symbol(text, out),
                },
                SortKind::Array(..) | SortKind::Seq(_) | SortKind::Named(..) | SortKind::Arrow(_) => {
                    out.push('(');
                    match self.kind(sort) {
                        SortKind::Array(..) => out.push_str("Array"),
                        SortKind::Seq(_) => out.push_str("Seq"),
                        SortKind::Named(name, _) => crate::print::write_symbol(symbols.text(*name), out),
                        _ => out.push_str("->"),
                    }
                    pending.push(Step::Text(")"));
                    for part in self.components(sort).into_iter().rev() {
                        pending.push(Step::Sort(part));
                        pending.push(Step::Text(" "));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::FixedSymbols;

    /// An array of arrays of .. of the leaf, in which every part occurs twice.
    fn doubled(sorts: &mut Sorts, leaf: Sort, depth: usize) -> Sort {
        (0..depth).fold(leaf, |sort, _| sorts.array(sort, sort))
    }

    #[test]
    fn shared_parts_are_walked_once() {
        let mut sorts = Sorts::new();
        let (ints, unknowns) = (doubled(&mut sorts, Sort::INT, 200), doubled(&mut sorts, Sort::UNKNOWN, 200));
        assert_eq!(sorts.tree_size(ints), u64::MAX);
        assert!(!sorts.any_part(ints, |kind| *kind == SortKind::Bool));
        assert!(sorts.unify(ints, unknowns, &mut Vec::new()));
    }

    #[test]
    fn parameters_of_the_place_are_not_those_of_the_pattern() {
        static NONE: FixedSymbols = FixedSymbols::new();
        let mut symbols = Symbols::starting_with(&NONE);
        let mut sorts = Sorts::new();
        let [a, b] = ["A", "B"].map(|name| sorts.intern(SortKind::Param(symbols.intern(name))));
        let mut bindings = Vec::new();
        assert!(sorts.unify(a, b, &mut bindings));
        assert!(sorts.unify(b, a, &mut bindings));
        assert!(!sorts.unify(a, Sort::INT, &mut bindings));
        assert!(sorts.unify(a, b, &mut bindings));
    }
}
