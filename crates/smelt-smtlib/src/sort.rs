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
    /// `(Set element)` of cvc5: finite sets. Z3 reads the same text as arrays of `Bool`.
    Set(Sort),
    /// `(Bag element)`: finite multisets.
    Bag(Sort),
    /// `(Tuple components..)`; without components `UnitTuple`. A relation is a set of tuples, a table a bag of them.
    Tuple(Box<[Sort]>),
    /// `(_ FiniteField order)`; the order is a numeral without leading zeros.
    FiniteField(Symbol),
    /// `(Nullable element)`: the values of a sort, and null.
    Nullable(Sort),
    /// `(FiniteSet element)` of Z3.
    FiniteSet(Sort),
    /// A declared sort, a datatype or a sort of a solver extension, with its arguments.
    Named(Symbol, Box<[Sort]>),
    /// A sort parameter of a polymorphic declaration.
    Param(Symbol),
    /// `(-> arguments.. result)`, nested as it is written; see [`Sorts::flat_arrow`].
    Arrow(Box<[Sort]>),
}

impl SortKind {
    /// The same constructor over other sorts.
    pub(crate) fn map_components(&self, mut map: impl FnMut(Sort) -> Sort) -> SortKind {
        match self {
            SortKind::Array(index, element) => SortKind::Array(map(*index), map(*element)),
            SortKind::Seq(element) => SortKind::Seq(map(*element)),
            SortKind::Set(element) => SortKind::Set(map(*element)),
            SortKind::Bag(element) => SortKind::Bag(map(*element)),
            SortKind::Nullable(element) => SortKind::Nullable(map(*element)),
            SortKind::FiniteSet(element) => SortKind::FiniteSet(map(*element)),
            SortKind::Tuple(parts) => SortKind::Tuple(parts.iter().copied().map(map).collect()),
            SortKind::Named(name, parts) => SortKind::Named(*name, parts.iter().copied().map(map).collect()),
            SortKind::Arrow(parts) => SortKind::Arrow(parts.iter().copied().map(map).collect()),
            SortKind::Bool
            | SortKind::Int
            | SortKind::Real
            | SortKind::String
            | SortKind::RegLan
            | SortKind::RoundingMode
            | SortKind::Unknown
            | SortKind::BitVec(_)
            | SortKind::Float(..)
            | SortKind::FiniteField(_)
            | SortKind::Param(_) => self.clone(),
        }
    }
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
    Set,
    Bag,
    Tuple,
    FiniteField,
    Nullable,
    FiniteSet,
    Function,
    /// Declared sorts, datatypes and what we do not know.
    Other,
}

impl SortClass {
    /// All but the last.
    pub const ALL: [SortClass; 17] = [
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
        SortClass::Set,
        SortClass::Bag,
        SortClass::Tuple,
        SortClass::FiniteField,
        SortClass::Nullable,
        SortClass::FiniteSet,
        SortClass::Function,
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
            SortKind::Set(_) => SortClass::Set,
            SortKind::Bag(_) => SortClass::Bag,
            SortKind::Tuple(_) => SortClass::Tuple,
            SortKind::FiniteField(_) => SortClass::FiniteField,
            SortKind::Nullable(_) => SortClass::Nullable,
            SortKind::FiniteSet(_) => SortClass::FiniteSet,
            SortKind::Arrow(_) => SortClass::Function,
            SortKind::Unknown | SortKind::Named(..) | SortKind::Param(_) => SortClass::Other,
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

    /// The sort with this structure, if there is one already.
    pub(crate) fn get(&self, kind: &SortKind) -> Option<Sort> {
        self.ids.get(kind).copied()
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
            SortKind::Seq(element)
            | SortKind::Set(element)
            | SortKind::Bag(element)
            | SortKind::Nullable(element)
            | SortKind::FiniteSet(element) => vec![*element],
            SortKind::Named(_, parts) | SortKind::Tuple(parts) | SortKind::Arrow(parts) => parts.to_vec(),
            SortKind::Bool
            | SortKind::Int
            | SortKind::Real
            | SortKind::String
            | SortKind::RegLan
            | SortKind::RoundingMode
            | SortKind::Unknown
            | SortKind::BitVec(_)
            | SortKind::Float(..)
            | SortKind::FiniteField(_)
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
                kind => {
                    let rebuilt = kind.map_components(|part| done[&part]);
                    self.intern(rebuilt)
                }
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
                (SortKind::Arrow(parts), SortKind::Arrow(others)) if parts.len() != others.len() => {
                    self.aligned(pattern, actual)
                }
                (kind, other) if std::mem::discriminant(kind) == std::mem::discriminant(other) => {
                    (self.components(pattern), self.components(actual))
                }
                // To Z3 a function is an array and a set is one of `Bool`, and all solvers write some arrays of a model as
                // functions.
                (
                    SortKind::Array(..) | SortKind::Arrow(_) | SortKind::Set(_),
                    SortKind::Array(..) | SortKind::Arrow(_) | SortKind::Set(_),
                ) => self.aligned(pattern, actual),
                _ => return false,
            };
            // Different sorts without parts are not the same.
            if parts.len() != other_parts.len() || parts.is_empty() {
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

    /// The parts of two function sorts, one to one, as far as that can be: `(-> A (-> B C))` is `(-> A B C)`.
    fn aligned(&self, left: Sort, right: Sort) -> (Vec<Sort>, Vec<Sort>) {
        let own_parts = |sort: Sort| match self.kind(sort) {
            SortKind::Set(element) => vec![*element, Sort::BOOL],
            _ => self.components(sort),
        };
        let (parts, others) = (own_parts(left), own_parts(right));
        if parts.len() == others.len() {
            return (parts, others);
        }
        let (mut parts, mut others) = (self.flat_function(left), self.flat_function(right));
        let length = parts.len().min(others.len());
        for longer in [&mut parts, &mut others] {
            if longer.len() > length {
                // The result of one is a parameter, and a function in the other.
                let rest = SortKind::Arrow(longer.split_off(length - 1).into());
                longer.extend(self.ids.get(&rest));
            }
        }
        (parts, others)
    }

    /// As [`Sorts::flat_arrow`], through arrays too.
    fn flat_function(&self, sort: Sort) -> Vec<Sort> {
        let mut parts = vec![sort];
        while let Some(&last) = parts.last() {
            match self.kind(last) {
                SortKind::Arrow(inner) => {
                    parts.pop();
                    parts.extend(inner);
                }
                SortKind::Array(index, element) => {
                    parts.pop();
                    parts.extend([*index, *element]);
                }
                _ => break,
            }
        }
        parts
    }

    /// The sorts of the arguments and, last, of the result of a function sort: `(-> A (-> B C))` gives A, B and C. Any
    /// other sort is its own result.
    pub fn flat_arrow(&self, sort: Sort) -> Vec<Sort> {
        let mut parts = vec![sort];
        while let Some(&last) = parts.last()
            && let SortKind::Arrow(inner) = self.kind(last)
        {
            parts.pop();
            parts.extend(inner);
        }
        parts
    }

    /// As [`Sorts::flat_arrow`], an array being a function and a set one to `Bool`, as they are to Z3.
    pub fn as_function(&self, sort: Sort) -> Vec<Sort> {
        match self.kind(sort) {
            SortKind::Set(element) => vec![*element, Sort::BOOL],
            SortKind::Array(..) => self.flat_function(sort),
            _ => self.flat_arrow(sort),
        }
    }

    /// The sort of functions from the sorts before the last to the last; that sort itself if it is the only one.
    pub fn arrow(&mut self, parts: &[Sort]) -> Sort {
        match parts {
            [result] => *result,
            _ => self.intern(SortKind::Arrow(parts.into())),
        }
    }

    /// `(Set element)`.
    pub fn set(&mut self, element: Sort) -> Sort {
        self.intern(SortKind::Set(element))
    }

    /// `(Bag element)`.
    pub fn bag(&mut self, element: Sort) -> Sort {
        self.intern(SortKind::Bag(element))
    }

    /// `(Tuple components..)`.
    pub fn tuple(&mut self, components: &[Sort]) -> Sort {
        self.intern(SortKind::Tuple(components.into()))
    }

    /// Whether a term of sort `actual` may stand where `expected` is wanted.
    pub fn fits(&self, expected: Sort, actual: Sort) -> bool {
        expected == actual || self.unify(expected, actual, &mut Vec::new())
    }

    /// Appends the SMT-LIB text of a sort.
    pub fn write(&self, symbols: &Symbols, sort: Sort, out: &mut String) {
        enum Pending {
            Sort(Sort),
            Text(&'static str),
        }
        let mut pending = vec![Pending::Sort(sort)];
        while let Some(step) = pending.pop() {
            let sort = match step {
                Pending::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Pending::Sort(sort) => sort,
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
                SortKind::FiniteField(order) => {
                    out.push_str(&format!("(_ FiniteField {})", symbols.text(*order)));
                }
                SortKind::Tuple(parts) if parts.is_empty() => out.push_str("UnitTuple"),
                SortKind::Array(..)
                | SortKind::Seq(_)
                | SortKind::Set(_)
                | SortKind::Bag(_)
                | SortKind::Tuple(_)
                | SortKind::Nullable(_)
                | SortKind::FiniteSet(_)
                | SortKind::Named(..)
                | SortKind::Arrow(_) => {
                    out.push('(');
                    match self.kind(sort) {
                        SortKind::Array(..) => out.push_str("Array"),
                        SortKind::Seq(_) => out.push_str("Seq"),
                        SortKind::Set(_) => out.push_str("Set"),
                        SortKind::Bag(_) => out.push_str("Bag"),
                        SortKind::Tuple(_) => out.push_str("Tuple"),
                        SortKind::Nullable(_) => out.push_str("Nullable"),
                        SortKind::FiniteSet(_) => out.push_str("FiniteSet"),
                        SortKind::Named(name, _) => crate::print::write_symbol(symbols.text(*name), out),
                        _ => out.push_str("->"),
                    }
                    pending.push(Pending::Text(")"));
                    for part in self.components(sort).into_iter().rev() {
                        pending.push(Pending::Sort(part));
                        pending.push(Pending::Text(" "));
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
