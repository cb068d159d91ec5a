//! Reading sorts.

use super::scope::SortMeaning;
use super::{Reader, excerpt, prime};
use crate::diagnostic::{Problem, nearest};
use crate::op::Constructor;
use crate::sexp::Kind;
use crate::sort::{Sort, SortKind};
use crate::symbol::Symbol;

/// Sorts that solvers add and of which nothing is known.
const EXTENSION_SORTS: &[&str] = &["Char", "Unicode"];

/// A sort written with abbreviations has at most this many parts when they are expanded.
pub(super) const MAX_SORT_SIZE: u64 = 1_000;

/// A list whose parts are being read.
struct Open {
    /// Where the list stands, for messages.
    index: u32,
    name: Symbol,
    /// How many finished sorts lie below the parts of this list.
    base: usize,
    end: u32,
}

impl Reader<'_> {
    /// Reads the sort at `index`.
    pub(super) fn sort(&mut self, index: u32) -> Sort {
        let mut open: Vec<Open> = Vec::new();
        let mut done: Vec<Sort> = Vec::new();
        let mut at = index;
        loop {
            if self.is_list(at) {
                match self.open_sort(at, done.len()) {
                    Ok(list) => {
                        at += 2;
                        open.push(list);
                    }
                    Err(sort) => {
                        done.push(sort);
                        at = self.tape.node(at).next;
                    }
                }
            } else {
                let sort = self.atomic_sort(at);
                done.push(sort);
                at += 1;
            }
            while let Some(list) = open.pop_if(|list| at >= list.end) {
                let parts = done.split_off(list.base);
                let sort = self.applied_sort(list.index, list.name, parts);
                done.push(sort);
            }
            if open.is_empty() {
                let sort = done.pop().expect("one sort was read");
                return self.limited_sort(index, sort);
            }
        }
    }

    /// The sort, unless abbreviations make it far larger than its text: such a sort cannot be printed.
    fn limited_sort(&mut self, index: u32, sort: Sort) -> Sort {
        let text_size = u64::from(self.tape.node(index).next - index);
        if self.terms.sorts.tree_size(sort) <= text_size.max(MAX_SORT_SIZE) {
            return sort;
        }
        self.report(Problem::Sort, index, format!("this sort has more than {MAX_SORT_SIZE} parts"));
        Sort::UNKNOWN
    }

    /// Starts a parenthesised sort, or reads it at once if it has no sorts inside.
    fn open_sort(&mut self, index: u32, base: usize) -> Result<Open, Sort> {
        let end = self.tape.node(index).next;
        let Some(head) = self.first_child(index) else {
            self.report(Problem::Form, index, "expected a sort, found `()`");
            return Err(Sort::UNKNOWN);
        };
        let Some(name) = self.as_symbol(head) else {
            self.report(Problem::Form, head, "expected the name of a sort");
            return Err(Sort::UNKNOWN);
        };
        if self.terms.text(name) == "_" {
            return Err(self.indexed_sort(index));
        }
        if end == head + 1 {
            // `(Int)` is not SMT-LIB, but `(List)` for a sort without arguments is written by some tools.
            return Err(self.applied_sort(index, name, Vec::new()));
        }
        Ok(Open { index, name, base, end })
    }

    fn indexed_sort(&mut self, index: u32) -> Sort {
        let children: Vec<u32> = self.tape.children(index).skip(1).collect();
        let texts: Vec<&str> = children.iter().map(|child| self.text(*child)).collect();
        let number = |text: &str, least: u32| {
            let is_numeral = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|number| is_numeral && *number >= least)
        };
        match texts.as_slice() {
            ["BitVec", width] => match number(width, 1) {
                Some(width) => return self.terms.sorts.bit_vec(width),
                None => {
                    let message =
                        format!("a bit-vector has a width from 1 to {}, not `{}`", u32::MAX, excerpt(width));
                    self.report(Problem::Sort, index, message);
                }
            },
            ["FloatingPoint", exponent, significand] => match (number(exponent, 2), number(significand, 2)) {
                (Some(exponent), Some(significand)) => return self.terms.sorts.float(exponent, significand),
                _ => self.report(
                    Problem::Sort,
                    index,
                    "a floating-point format has at least 2 exponent and 2 significand bits",
                ),
            },
            ["FiniteField", order] => {
                if let Some(sort) = self.finite_field(index, order) {
                    return sort;
                }
            }
            _ => {
                let message = format!("unknown sort `{}`", excerpt(self.text(index)));
                self.report(Problem::UnknownName, index, message);
                return self.opaque_sort(index);
            }
        }
        Sort::UNKNOWN
    }

    /// The finite field of an order, reported if there is none.
    pub(super) fn finite_field(&mut self, index: u32, order: &str) -> Option<Sort> {
        if order.is_empty() || !order.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("a finite field has a prime order, not `{}`", excerpt(order));
            self.report(Problem::Sort, index, message);
            return None;
        }
        let digits = order.trim_start_matches('0');
        // An order that was taken before is not tested again.
        let known = self.terms.symbols.get(digits).map(SortKind::FiniteField);
        if let Some(sort) = known.and_then(|kind| self.terms.sorts.get(&kind)) {
            return Some(sort);
        }
        if prime::is_composite(digits) {
            let message = format!("a finite field has a prime order, not `{}`", excerpt(order));
            let help = "take a prime such as 2, 3, 5, 7 or 11".to_owned();
            self.report_with_help(Problem::Sort, index, message, Some(help));
            return None;
        }
        let order = self.terms.symbols.intern(digits);
        Some(self.terms.sorts.intern(SortKind::FiniteField(order)))
    }

    fn atomic_sort(&mut self, index: u32) -> Sort {
        let node = self.tape.node(index);
        if !matches!(node.kind, Kind::Symbol | Kind::QuotedSymbol) {
            let message = format!("expected a sort, found `{}`", excerpt(self.text(index)));
            self.report(Problem::Form, index, message);
            return Sort::UNKNOWN;
        }
        let name = self.symbol(index, "a sort");
        self.applied_sort(index, name, Vec::new())
    }

    fn applied_sort(&mut self, index: u32, name: Symbol, parts: Vec<Sort>) -> Sort {
        match self.scope.sort_meaning(name) {
            Some(SortMeaning::Parameter) if parts.is_empty() => {
                return self.terms.sorts.intern(SortKind::Param(name));
            }
            Some(SortMeaning::Parameter) => return self.wrong_sort_arity(index, name, 0, parts.len()),
            Some(SortMeaning::Declared(arity)) => {
                let arity = *arity as usize;
                return self.named_sort(index, name, arity, parts);
            }
            Some(SortMeaning::Datatype(datatype)) => {
                let arity = datatype.params.len();
                return self.named_sort(index, name, arity, parts);
            }
            Some(SortMeaning::Defined(params, body)) => {
                let (params, body) = (params.clone(), *body);
                if params.len() != parts.len() {
                    return self.wrong_sort_arity(index, name, params.len(), parts.len());
                }
                let bindings: Vec<(Symbol, Sort)> = params.into_iter().zip(parts).collect();
                return self.terms.sorts.instantiate(body, &bindings);
            }
            None => {}
        }
        let sorts = &mut self.terms.sorts;
        let simple = match self.terms.symbols.text(name) {
            "Bool" => Sort::BOOL,
            "Int" => Sort::INT,
            "Real" => Sort::REAL,
            "String" => Sort::STRING,
            "RegLan" => Sort::REG_LAN,
            "RoundingMode" => Sort::ROUNDING_MODE,
            "Float16" => sorts.float(5, 11),
            "Float32" => sorts.float(8, 24),
            "Float64" => sorts.float(11, 53),
            "Float128" => sorts.float(15, 113),
            "UnitTuple" => sorts.tuple(&[]),
            "Relation" => {
                let row = sorts.tuple(&parts);
                return sorts.set(row);
            }
            "Table" => {
                let row = sorts.tuple(&parts);
                return sorts.bag(row);
            }
            // Z3's arrays with several indices are its functions.
            "Array" if parts.len() > 2 => return sorts.arrow(&parts),
            // Z3's name for a regular language over sequences of some sort.
            "RegEx" if parts == [Sort::STRING] => return Sort::REG_LAN,
            text if EXTENSION_SORTS.contains(&text) => {
                let sort = sorts.intern(SortKind::Named(name, Box::new([])));
                return if parts.is_empty() {
                    sort
                } else {
                    self.wrong_sort_arity(index, name, 0, parts.len())
                };
            }
            text => return self.constructed_sort(index, name, Constructor::named(text), parts),
        };
        if parts.is_empty() { simple } else { self.wrong_sort_arity(index, name, 0, parts.len()) }
    }

    /// A sort made by a constructor of the language.
    fn constructed_sort(
        &mut self,
        index: u32,
        name: Symbol,
        constructor: Option<Constructor>,
        parts: Vec<Sort>,
    ) -> Sort {
        let Some(constructor) = constructor else { return self.unknown_sort(index, name, parts) };
        self.scope.uses_finite_sets |= constructor == Constructor::FiniteSet;
        match constructor.apply(&parts) {
            Some(kind) => self.terms.sorts.intern(kind),
            None => {
                let wanted =
                    if matches!(constructor, Constructor::Array | Constructor::Arrow) { 2 } else { 1 };
                self.wrong_sort_arity(index, name, wanted, parts.len())
            }
        }
    }

    fn named_sort(&mut self, index: u32, name: Symbol, arity: usize, parts: Vec<Sort>) -> Sort {
        if arity == parts.len() {
            self.terms.sorts.intern(SortKind::Named(name, parts.into()))
        } else {
            self.wrong_sort_arity(index, name, arity, parts.len())
        }
    }

    fn wrong_sort_arity(&mut self, index: u32, name: Symbol, wanted: usize, given: usize) -> Sort {
        let message = format!(
            "sort `{}` takes {wanted} argument{}, but {given} given",
            self.terms.text(name),
            if wanted == 1 { "" } else { "s" },
        );
        self.report(Problem::Sort, index, message);
        Sort::UNKNOWN
    }

    /// An indexed sort of a solver extension, as it is written.
    fn opaque_sort(&mut self, index: u32) -> Sort {
        let text = self.verbatim(index);
        self.terms.sorts.intern(SortKind::Named(text, Box::new([])))
    }

    /// Reports a sort that nobody declared; it is carried along under its name.
    fn unknown_sort(&mut self, index: u32, name: Symbol, parts: Vec<Sort>) -> Sort {
        const BUILT_IN: [&str; 16] = [
            "Bool",
            "Int",
            "Real",
            "String",
            "RegLan",
            "RoundingMode",
            "Array",
            "Seq",
            "Float32",
            "Set",
            "Bag",
            "Tuple",
            "Relation",
            "Table",
            "Nullable",
            "FiniteSet",
        ];
        let may_suggest = self.may_suggest();
        let text = self.terms.text(name);
        let declared = self.scope.sort_names().map(|symbol| self.terms.text(symbol));
        let candidates = BUILT_IN.into_iter().chain(declared);
        let help = may_suggest.then(|| nearest(text, candidates)).flatten();
        let help = match help {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("declare it before, as in `(declare-sort {} {})`", excerpt(text), parts.len()),
        };
        let help = may_suggest.then_some(help);
        let message = format!("unknown sort `{}`", excerpt(text));
        self.report_with_help(Problem::UnknownName, index, message, help);
        self.terms.sorts.intern(SortKind::Named(name, parts.into()))
    }
}
