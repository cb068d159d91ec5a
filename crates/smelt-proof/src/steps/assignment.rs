//! Assignments under which steps are evaluated: values for the constants, functions and free variables of a proof.
//!
//! All steps of a proof are evaluated under the same assignments, so that a part that they share is evaluated once for
//! each. Values are small ones, corner cases of their sort, and those that occur in the proof with their neighbours;
//! an assignment draws from few of them or from all, because a wrong step may need coincidences or variety.

use std::rc::Rc;
use std::sync::Arc;

use dashu_int::{IBig, Sign};
use dashu_ratio::RBig;
use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::bitvec::BitVec;
use smelt_semantics::domain::cardinality;
use smelt_semantics::environment::Environment;
use smelt_semantics::float::{Float, Format, RoundingMode};
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_semantics::value::{Array, IndexCount, Value};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms};

/// Longer strings of a proof are not drawn.
const MAX_STRING: usize = 200;
/// Values of one sort that are kept.
const MAX_VALUES: usize = 64;
/// Of a literal that occurs, so many are taken over.
const MAX_LITERALS: usize = 24;
/// Sorts nested deeper than this have no values here.
const MAX_DEPTH: u32 = 4;

/// Marsaglia's xorshift: the same numbers every time.
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 8) % limit as u64) as usize
    }
}

/// The values that are drawn from, by sort; the simplest first.
pub(super) struct ValuePools {
    pools: FxHashMap<Sort, Rc<[Value]>>,
    integers: Vec<IBig>,
    strings: Vec<Vec<u32>>,
    vectors: Vec<BitVec>,
    fractions: Vec<RBig>,
    /// Names of elements of uninterpreted sorts.
    elements: [Symbol; 3],
}

impl ValuePools {
    /// Pools with the literals among some terms.
    pub(super) fn of(terms: &Terms, parts: &[Term], elements: [Symbol; 3]) -> Self {
        let mut pools = ValuePools {
            pools: FxHashMap::default(),
            integers: Vec::new(),
            strings: Vec::new(),
            vectors: Vec::new(),
            fractions: Vec::new(),
            elements,
        };
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        for part in parts {
            let Head::Literal(kind, text) = terms.head(*part) else { continue };
            if !seen.insert(*part) {
                continue;
            }
            let text = terms.text(text);
            match kind {
                Literal::Numeral if text.len() <= MAX_STRING => pools.integers.extend(text.parse::<IBig>()),
                Literal::Decimal if text.len() <= MAX_STRING => {
                    let digits = text.replace('.', "").parse::<IBig>();
                    let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
                    if let Ok(digits) = digits {
                        let below = dashu_int::UBig::from(10u8).pow(places);
                        pools.fractions.push(RBig::from_parts(digits, below));
                    }
                }
                Literal::Hex => pools.vectors.extend(BitVec::parse_hex(text)),
                Literal::Binary => pools.vectors.extend(BitVec::parse_binary(text)),
                Literal::BvDecimal => {
                    if let (SortKind::BitVec(width), Ok(value)) =
                        (terms.sorts.kind(terms.sort(*part)), text.parse::<dashu_int::UBig>())
                    {
                        pools.vectors.push(BitVec::from_ubig(*width, value));
                    }
                }
                Literal::Str => {
                    if let Some(text) = literal::string_value(terms, *part)
                        && text.len() <= MAX_STRING
                    {
                        pools.strings.push(text.chars().to_vec());
                    }
                }
                _ => {}
            }
        }
        pools.add_words(terms, parts);
        pools.integers.truncate(MAX_LITERALS);
        pools.strings.truncate(MAX_LITERALS);
        pools.vectors.truncate(MAX_LITERALS);
        pools.fractions.truncate(MAX_LITERALS);
        pools
    }

    /// The values of a sort; none if the sort has none here.
    pub(super) fn values(&mut self, terms: &Terms, environment: &Environment, sort: Sort) -> Rc<[Value]> {
        self.nested(terms, environment, sort, 0)
    }

    fn nested(&mut self, terms: &Terms, environment: &Environment, sort: Sort, depth: u32) -> Rc<[Value]> {
        if let Some(values) = self.pools.get(&sort) {
            return values.clone();
        }
        let mut values = self.make(terms, environment, sort, depth);
        let mut seen = FxHashSet::default();
        values.retain(|value| seen.insert(value.clone()));
        values.truncate(MAX_VALUES);
        let values: Rc<[Value]> = values.into();
        // What was cut short by the depth is not all there is.
        if depth == 0 {
            self.pools.insert(sort, values.clone());
        }
        values
    }

    fn make(&mut self, terms: &Terms, environment: &Environment, sort: Sort, depth: u32) -> Vec<Value> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        match terms.sorts.kind(sort) {
            SortKind::Bool => vec![Value::Bool(false), Value::Bool(true)],
            SortKind::Int => self.integers().into_iter().map(Value::Int).collect(),
            SortKind::Real => self.fractions().into_iter().map(Value::Real).collect(),
            SortKind::String => self.strings().into_iter().map(Value::Str).collect(),
            SortKind::BitVec(width) => self.vectors(*width).into_iter().map(Value::BitVec).collect(),
            SortKind::Float(exponent, significand) => {
                Format::new(*exponent, *significand).map_or_else(Vec::new, floats)
            }
            SortKind::RoundingMode => RoundingMode::ALL.into_iter().map(Value::RoundingMode).collect(),
            SortKind::Seq(element) => {
                let elements = self.nested(terms, environment, *element, depth + 1);
                let mut lists = vec![Vec::new()];
                lists.extend(elements.iter().take(4).map(|element| vec![element.clone()]));
                for first in elements.iter().take(2) {
                    lists.extend(elements.iter().take(2).map(|second| vec![first.clone(), second.clone()]));
                }
                lists.into_iter().filter_map(Value::seq).collect()
            }
            SortKind::Array(index, element) => {
                let (index, element) = (*index, *element);
                let indices = self.nested(terms, environment, index, depth + 1);
                let elements = self.nested(terms, environment, element, depth + 1);
                arrays(&indices, &elements, index_count(terms, environment, index))
            }
            SortKind::Named(name, arguments) => match environment.datatype(*name) {
                None => self.elements.iter().map(|element| Value::Abstract(sort, *element)).collect(),
                Some(_) if !arguments.is_empty() => Vec::new(),
                Some(datatype) => {
                    // Constructors without fields first: others are made of them.
                    let mut values = Vec::new();
                    let mut constructors: Vec<_> = datatype.constructors.iter().collect();
                    constructors.sort_by_key(|constructor| constructor.selectors.len());
                    for round in 0..3u32 {
                        for constructor in &constructors {
                            let mut rows = vec![Vec::new()];
                            for (_, field) in &constructor.selectors {
                                let choices: Vec<Value> = match *field == sort {
                                    true => values.iter().take(3 + round as usize).cloned().collect(),
                                    false => {
                                        let nested = self.nested(terms, environment, *field, depth + 1);
                                        nested.iter().take(3).cloned().collect()
                                    }
                                };
                                rows = crossed(&rows, &choices);
                            }
                            let made = rows.into_iter().filter_map(|row| Value::data(constructor.name, row));
                            values.extend(made.collect::<Vec<_>>());
                        }
                    }
                    values
                }
            },
            // No values are made of these, so steps with free constants of such sorts are not checked.
            SortKind::Set(_)
            | SortKind::Bag(_)
            | SortKind::Tuple(_)
            | SortKind::Nullable(_)
            | SortKind::FiniteSet(_)
            | SortKind::FiniteField(_)
            | SortKind::RegLan
            | SortKind::Param(_)
            | SortKind::Arrow(_)
            | SortKind::Unknown => Vec::new(),
        }
    }

    /// Adds a word of each language among some terms, and strings that are as long as some number.
    fn add_words(&mut self, terms: &Terms, parts: &[Term]) {
        let mut words: FxHashMap<Term, Vec<u32>> = FxHashMap::default();
        for part in parts {
            if terms.sort(*part) == Sort::REG_LAN
                && let Some(word) = word_of(terms, *part, &words)
            {
                words.insert(*part, word);
            }
            // A string is told from others by whole languages, not by their parts.
            if terms.op(*part) == Some(Op::StrInRe)
                && let Some(word) = terms.args(*part).get(1).and_then(|language| words.get(language))
            {
                self.strings.push(word.clone());
            }
        }
        let lengths = self.integers.iter().filter_map(|number| usize::try_from(number).ok());
        let lengths: Vec<usize> = lengths.filter(|length| (2..=64).contains(length)).take(4).collect();
        for length in lengths {
            self.strings.extend([length - 1, length, length + 1].map(|length| vec![u32::from('a'); length]));
        }
    }

    fn integers(&self) -> Vec<IBig> {
        // An assignment that draws from few values draws from those that the literals make interesting.
        let mut values = vec![IBig::ZERO, IBig::ONE];
        for literal in &self.integers {
            let near = [literal.clone(), literal + IBig::ONE, literal - IBig::ONE, -literal.clone()];
            values.extend(near);
        }
        values.extend([-1, 2, -2, 3, 5, -7, 10, 64, 97, 255, 256].into_iter().map(IBig::from));
        values
    }

    fn fractions(&self) -> Vec<RBig> {
        let mut values: Vec<RBig> =
            [0, 1, -1, 2, -2, 3].into_iter().map(|n| RBig::from(IBig::from(n))).collect();
        for (above, below) in [(1, 2u8), (-1, 2), (1, 3), (7, 4), (-5, 3)] {
            values.push(RBig::from_parts(IBig::from(above), below.into()));
        }
        for literal in &self.fractions {
            values.extend([literal.clone(), literal + RBig::ONE, -literal.clone()]);
        }
        values.extend(self.integers.iter().take(8).map(|literal| RBig::from(literal.clone())));
        values
    }

    fn strings(&self) -> Vec<Str> {
        let chars = |text: &str| text.chars().map(u32::from).collect::<Vec<u32>>();
        let mut texts: Vec<Vec<u32>> = vec![Vec::new(), chars("a")];
        for text in &self.strings {
            texts.push(text.clone());
            if let [first, .., last] = text.as_slice() {
                texts.extend([
                    vec![*first],
                    vec![*last],
                    text[1..].to_vec(),
                    text[..text.len() - 1].to_vec(),
                ]);
            }
        }
        texts.extend(["b", "ab", "0", "ba", "aa", "1", "10", "A", "aab", "-1", "09"].map(chars));
        for pair in self.strings.windows(2).take(8) {
            texts.push([pair[0].as_slice(), pair[1].as_slice()].concat());
        }
        texts.push(vec![0x2_ffff]);
        texts.into_iter().filter_map(Str::from_code_points).collect()
    }

    fn vectors(&self, width: u32) -> Vec<BitVec> {
        if width == 0 {
            return Vec::new();
        }
        let ones = BitVec::ones(width);
        let one = BitVec::from_u64(width, 1);
        let lowest = one.shl(&BitVec::from_ubig(width, (width - 1).into()));
        let mut values = vec![
            BitVec::zero(width),
            one.clone(),
            ones.clone(),
            BitVec::from_u64(width, 2),
            lowest.sub(&one),
            lowest,
            BitVec::from_u64(width, 3),
            ones.sub(&one),
            BitVec::from_u64(width, 0xa5c3_96f0_1234_5678),
            BitVec::from_u64(width, 0x5a),
        ];
        for literal in self.vectors.iter().filter(|literal| literal.width() == width) {
            values.extend([literal.clone(), literal.add(&one), literal.sub(&one), literal.not()]);
        }
        values
    }
}

/// A word of a language whose parts have the given words. Complements and intersections have none here.
fn word_of(terms: &Terms, language: Term, words: &FxHashMap<Term, Vec<u32>>) -> Option<Vec<u32>> {
    let Head::Op(op, indices) = terms.head(language) else { return None };
    let args = terms.args(language);
    let first_word = || words.get(args.first()?).cloned();
    let word = match op {
        Op::StrToRe => literal::string_value(terms, *args.first()?)?.chars().to_vec(),
        Op::ReRange => literal::string_value(terms, *args.first()?)?.chars().to_vec(),
        Op::ReAllChar => vec![u32::from('a')],
        Op::ReAll => Vec::new(),
        Op::ReConcat => args.iter().map(|arg| words.get(arg).cloned()).collect::<Option<Vec<_>>>()?.concat(),
        Op::ReUnion => args.iter().rev().find_map(|arg| words.get(arg)).cloned()?,
        Op::ReStar | Op::RePlus | Op::ReOpt => first_word()?,
        Op::ReLoop | Op::RePower | Op::ReLoopFrom => {
            let count = match terms.indices(indices).first() {
                Some(Index::Number(count)) if *count <= 64 => *count as usize,
                _ => return None,
            };
            first_word()?.repeat(count)
        }
        _ => return None,
    };
    (word.len() <= MAX_STRING).then_some(word)
}

/// Rows with each of some values at their end.
fn crossed(rows: &[Vec<Value>], choices: &[Value]) -> Vec<Vec<Value>> {
    let longer = |row: &Vec<Value>| {
        let row = row.clone();
        choices.iter().map(move |choice| row.iter().cloned().chain([choice.clone()]).collect::<Vec<_>>())
    };
    rows.iter().take(16).flat_map(longer).collect()
}

fn floats(format: Format) -> Vec<Value> {
    use Sign::{Negative, Positive};
    // One, and one and a half, by their bits.
    let width = format.width();
    let one = BitVec::ones(format.exponent_bits() - 1).zero_extend(width - format.exponent_bits() + 1);
    let one = one.shl(&BitVec::from_ubig(width, (format.significand_bits() - 1).into()));
    let half =
        BitVec::from_u64(width, 1).shl(&BitVec::from_ubig(width, (format.significand_bits() - 2).into()));
    let (more, minus) =
        (one.or(&half), BitVec::from_u64(width, 1).shl(&BitVec::from_ubig(width, (width - 1).into())));
    let from = |bits: &BitVec| Float::from_ieee_bv(format, bits);
    let floats = [
        Float::zero(format, Positive),
        from(&one),
        Float::zero(format, Negative),
        Float::nan(format),
        Float::infinity(format, Positive),
        Float::infinity(format, Negative),
        from(&more),
        from(&one.or(&minus)),
        Float::min_subnormal(format, Positive),
        Float::min_normal(format, Negative),
        Float::max_finite(format, Positive),
    ];
    floats.into_iter().map(Value::Float).collect()
}

fn index_count(terms: &Terms, environment: &Environment, sort: Sort) -> IndexCount {
    match (cardinality(terms, environment, sort), terms.sorts.kind(sort)) {
        (Some(count), _) => IndexCount::Exactly(count),
        (
            None,
            SortKind::Int | SortKind::Real | SortKind::String | SortKind::Seq(_) | SortKind::BitVec(_),
        ) => IndexCount::Many,
        _ => IndexCount::Unknown,
    }
}

fn arrays(indices: &[Value], elements: &[Value], index_count: IndexCount) -> Vec<Value> {
    let constants =
        elements.iter().take(3).filter_map(|element| Array::constant(element.clone(), index_count));
    let mut arrays: Vec<Array> = constants.collect();
    for (position, index) in indices.iter().take(4).enumerate() {
        for element in elements.iter().skip(position % 2).take(2) {
            let longer: Vec<Array> = arrays
                .iter()
                .take(6)
                .filter_map(|array| array.store(index.clone(), element.clone()))
                .collect();
            arrays.extend(longer);
        }
    }
    arrays.into_iter().map(|array| Value::Array(Arc::new(array))).collect()
}

/// Draws one of some values for an assignment: the first for the first assignment, one of few or of all for others.
pub(super) fn draw(values: &[Value], number: usize, random: &mut Draw) -> Value {
    let limit = match number % 4 {
        _ if number == 0 => 1,
        1 => values.len().min(2),
        2 => values.len().min(6),
        _ => values.len(),
    };
    values[random.below(limit)].clone()
}
