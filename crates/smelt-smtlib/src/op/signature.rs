//! The little language in which the operator table writes signatures.
//!
//! ```text
//! String Int Int -> String                       fixed sorts
//! A A -> Bool :chainable                         sort variables are single capitals
//! (BitVec m) (BitVec n) -> (BitVec m+n)          number variables are small letters; results may compute
//! (BitVec m) -> (BitVec i-j+1) :where j<=i i<m   conditions; i and j are indices of the spelling
//! Int -> Int | Real -> Real                      overloads, tried in order
//! (Set A) (-> A Bool) (Tuple A B) (Field A)      the other sort constructors; A is then a finite field
//! A (Set A) -> (Set A) :computed                 an example: `typing/computed.rs` says what it takes
//! ```
//! Attributes (`:left-assoc`, `:right-assoc`, `:chainable`, `:pairwise`, `:computed`) hold for all overloads of a row.

use crate::sort::{Sort, SortKind, Sorts};

/// How an operator takes a number of arguments other than that of its signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attribute {
    /// It does not.
    Fixed,
    /// `(f a b c)` is `(f (f a b) c)`.
    LeftAssoc,
    /// `(f a b c)` is `(f a (f b c))`.
    RightAssoc,
    /// `(f a b c)` is `(and (f a b) (f b c))`.
    Chainable,
    /// `(f a b c)` is `(and (f a b) (f a c) (f b c))`.
    Pairwise,
}

/// One overload of an operator.
#[derive(Debug, Clone)]
pub struct Signature {
    /// What the arguments must be.
    pub params: Vec<SortPattern>,
    /// What the result is.
    pub result: SortPattern,
    /// Pairs `small <= large` that must hold.
    pub conditions: Vec<(NumExpr, NumExpr)>,
    /// The sorts of parameters and result if no variable occurs.
    pub fixed: Option<(Vec<Sort>, Sort)>,
    /// As the table writes it.
    pub text: &'static str,
}

/// A sort with variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortPattern {
    /// Exactly this sort.
    Fixed(Sort),
    /// The sort variable with this number.
    Var(usize),
    /// A bit-vector of this width.
    BitVec(NumExpr),
    /// A floating-point number of this format.
    Float(NumExpr, NumExpr),
    /// The sort variable with this number, which is a finite field.
    Field(usize),
    /// A sort made of other sorts.
    Applied(Constructor, Vec<SortPattern>),
}

/// What makes sorts of sorts, datatypes and declared sorts aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Constructor {
    Array,
    Seq,
    Set,
    Bag,
    Tuple,
    Nullable,
    FiniteSet,
    Arrow,
}

impl Constructor {
    /// The constructor of a sort.
    pub fn of(kind: &SortKind) -> Option<Constructor> {
        Some(match kind {
            SortKind::Array(..) => Constructor::Array,
            SortKind::Seq(_) => Constructor::Seq,
            SortKind::Set(_) => Constructor::Set,
            SortKind::Bag(_) => Constructor::Bag,
            SortKind::Tuple(_) => Constructor::Tuple,
            SortKind::Nullable(_) => Constructor::Nullable,
            SortKind::FiniteSet(_) => Constructor::FiniteSet,
            SortKind::Arrow(_) => Constructor::Arrow,
            _ => return None,
        })
    }

    /// The sort that it makes of these; none if their number is wrong.
    pub fn apply(self, parts: &[Sort]) -> Option<SortKind> {
        Some(match (self, parts) {
            (Constructor::Array, [index, element]) => SortKind::Array(*index, *element),
            (Constructor::Seq, [element]) => SortKind::Seq(*element),
            (Constructor::Set, [element]) => SortKind::Set(*element),
            (Constructor::Bag, [element]) => SortKind::Bag(*element),
            (Constructor::Tuple, parts) => SortKind::Tuple(parts.into()),
            (Constructor::Nullable, [element]) => SortKind::Nullable(*element),
            (Constructor::FiniteSet, [element]) => SortKind::FiniteSet(*element),
            (Constructor::Arrow, parts @ [_, _, ..]) => SortKind::Arrow(parts.into()),
            _ => return None,
        })
    }

    /// The constructor with this name.
    pub(crate) fn named(name: &str) -> Option<Constructor> {
        Some(match name {
            "Array" => Constructor::Array,
            "Seq" => Constructor::Seq,
            "Set" => Constructor::Set,
            "Bag" => Constructor::Bag,
            "Tuple" => Constructor::Tuple,
            "Nullable" => Constructor::Nullable,
            "FiniteSet" => Constructor::FiniteSet,
            // Z3 has two names for functions.
            "->" | "=>" => Constructor::Arrow,
            _ => return None,
        })
    }
}

/// A polynomial over number variables: the sum of coefficient times product of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumExpr {
    summands: Vec<(i128, Vec<usize>)>,
}

impl NumExpr {
    /// The variable, if the expression is just one.
    fn as_var(&self) -> Option<usize> {
        match self.summands.as_slice() {
            [(1, vars)] if vars.len() == 1 => Some(vars[0]),
            _ => None,
        }
    }

    fn eval(&self, numbers: &[Option<u64>]) -> Option<i128> {
        self.summands.iter().try_fold(0i128, |sum, (coefficient, vars)| {
            let product = vars.iter().try_fold(*coefficient, |product, var| {
                product.checked_mul(i128::from((*numbers.get(*var)?)?))
            })?;
            sum.checked_add(product)
        })
    }
}

/// What the variables of a signature stand for.
#[derive(Debug, Clone, Default)]
pub struct Bindings {
    sorts: [Option<Sort>; 4],
    /// Whether the variable stands for a part of a sort, so that it cannot become `Real` where it was `Int`.
    is_part: [bool; 4],
    /// The indices of the operator come first.
    numbers: [Option<u64>; 8],
}

impl Bindings {
    /// Bindings in which the indices have these values.
    pub fn with_indices(indices: &[Option<u64>]) -> Self {
        let mut bindings = Bindings::default();
        bindings.numbers[..indices.len()].copy_from_slice(indices);
        bindings
    }

    /// Makes `pattern` agree with `sort`, or reports that it cannot. An `Int` may stand for a `Real`.
    pub fn matches(&mut self, sorts: &mut Sorts, pattern: &SortPattern, sort: Sort) -> bool {
        match pattern {
            SortPattern::Fixed(Sort::REAL) if sort == Sort::INT => true,
            SortPattern::Var(var) if !self.is_part[*var] && self.sorts[*var] == Some(Sort::INT) => {
                if sort == Sort::REAL {
                    self.sorts[*var] = Some(Sort::REAL);
                }
                matches!(sort, Sort::INT | Sort::REAL | Sort::UNKNOWN)
            }
            SortPattern::Var(var) if self.sorts[*var] == Some(Sort::REAL) && sort == Sort::INT => true,
            SortPattern::Var(var) if self.sorts[*var].is_none() && sort != Sort::UNKNOWN => {
                self.sorts[*var] = Some(sort);
                true
            }
            _ => self.matches_part(sorts, pattern, sort),
        }
    }

    /// Makes `pattern` agree with `sort`, which stands inside of another sort, where nothing is coerced.
    fn matches_part(&mut self, sorts: &mut Sorts, pattern: &SortPattern, sort: Sort) -> bool {
        if sort == Sort::UNKNOWN {
            return true;
        }
        match pattern {
            SortPattern::Fixed(expected) => *expected == sort,
            SortPattern::Var(var) => {
                let bound = *self.sorts[*var].get_or_insert(sort);
                self.is_part[*var] = true;
                sorts.agree(bound, sort)
            }
            SortPattern::BitVec(width) => match sorts.kind(sort) {
                SortKind::BitVec(actual) => self.matches_number(width, *actual),
                _ => false,
            },
            SortPattern::Float(exponent, significand) => match sorts.kind(sort) {
                SortKind::Float(actual_exponent, actual_significand) => {
                    self.matches_number(exponent, *actual_exponent)
                        && self.matches_number(significand, *actual_significand)
                }
                _ => false,
            },
            SortPattern::Field(var) => {
                let bound = *self.sorts[*var].get_or_insert(sort);
                matches!(sorts.kind(sort), SortKind::FiniteField(_)) && bound == sort
            }
            SortPattern::Applied(constructor, parts) => {
                match parts_as(sorts, sort, *constructor, parts.len()) {
                    Some(actual) => {
                        parts.iter().zip(actual).all(|(part, actual)| self.matches_part(sorts, part, actual))
                    }
                    None => false,
                }
            }
        }
    }

    fn matches_number(&mut self, pattern: &NumExpr, number: u32) -> bool {
        match pattern.as_var() {
            Some(var) if self.numbers[var].is_none() => {
                self.numbers[var] = Some(u64::from(number));
                true
            }
            _ => match pattern.eval(&self.numbers) {
                Some(expected) => expected == i128::from(number),
                None => true,
            },
        }
    }

    /// The sort that a pattern stands for under these bindings; unknown where a variable is not bound.
    ///
    /// `None` if a number is out of range, such as the width of `((_ extract 0 1) x)`.
    pub fn build(&self, sorts: &mut Sorts, pattern: &SortPattern) -> Option<Sort> {
        let number = |expr: &NumExpr, least: i128| match expr.eval(&self.numbers) {
            None => Some(None),
            Some(value) if value >= least => u32::try_from(value).ok().map(Some),
            Some(_) => None,
        };
        Some(match pattern {
            SortPattern::Fixed(sort) => *sort,
            SortPattern::Var(var) => self.sorts[*var].unwrap_or(Sort::UNKNOWN),
            SortPattern::BitVec(width) => match number(width, 1)? {
                Some(width) => sorts.bit_vec(width),
                None => Sort::UNKNOWN,
            },
            SortPattern::Float(exponent, significand) => {
                match (number(exponent, 2)?, number(significand, 2)?) {
                    (Some(exponent), Some(significand)) => sorts.float(exponent, significand),
                    _ => Sort::UNKNOWN,
                }
            }
            SortPattern::Field(var) => self.sorts[*var].unwrap_or(Sort::UNKNOWN),
            SortPattern::Applied(constructor, parts) => {
                let parts: Vec<Sort> =
                    parts.iter().map(|part| self.build(sorts, part)).collect::<Option<_>>()?;
                sorts.intern(constructor.apply(&parts)?)
            }
        })
    }

    /// Whether the conditions hold, as far as their variables are bound.
    pub fn satisfy(&self, conditions: &[(NumExpr, NumExpr)]) -> bool {
        conditions.iter().all(|(small, large)| match (small.eval(&self.numbers), large.eval(&self.numbers)) {
            (Some(small), Some(large)) => small <= large,
            _ => true,
        })
    }
}

/// The parts of a sort as one of a constructor with so many parts; none if it is not one.
fn parts_as(sorts: &mut Sorts, sort: Sort, constructor: Constructor, count: usize) -> Option<Vec<Sort>> {
    let actual = Constructor::of(sorts.kind(sort))?;
    let parts = sorts.components(sort);
    if actual == constructor && parts.len() == count {
        return Some(parts);
    }
    // To Z3 a function is an array and a set is one of `Bool`; an array is no set of cvc5.
    let is_function =
        |constructor| matches!(constructor, Constructor::Array | Constructor::Set | Constructor::Arrow);
    if !is_function(actual) || !is_function(constructor) || constructor == Constructor::Set {
        return None;
    }
    let mut parts = match actual {
        Constructor::Arrow if parts.len() == count => parts,
        _ => sorts.as_function(sort),
    };
    if parts.len() > count && constructor == Constructor::Arrow {
        let rest = parts.split_off(count - 1);
        parts.push(sorts.arrow(&rest));
    }
    (parts.len() == count).then_some(parts)
}

impl Signature {
    /// Whether some variable of the result occurs neither in the parameters nor among the indices.
    pub(super) fn leaves_result_open(&self) -> bool {
        let mut in_params = Vec::new();
        self.params.iter().for_each(|param| sort_vars(param, &mut in_params));
        let mut in_result = Vec::new();
        sort_vars(&self.result, &mut in_result);
        in_result.iter().any(|var| !in_params.contains(var))
    }
}

fn sort_vars(pattern: &SortPattern, vars: &mut Vec<usize>) {
    match pattern {
        SortPattern::Var(var) => vars.push(*var),
        SortPattern::Field(var) => vars.push(*var),
        SortPattern::Applied(_, parts) => parts.iter().for_each(|part| sort_vars(part, vars)),
        SortPattern::Fixed(_) | SortPattern::BitVec(_) | SortPattern::Float(..) => {}
    }
}

/// Parses a signature of the table. The table is part of the program, so a mistake in it is a bug and panics.
pub(super) fn parse(row: &'static str, indices: &[&'static str]) -> (Vec<Signature>, Attribute) {
    let mut attribute = Attribute::Fixed;
    let mut numbers = indices.to_vec();
    let mut conditions = Vec::new();
    let overloads = row.find(':').map_or(row, |start| {
        for word in row[start..].split(' ') {
            match word {
                ":left-assoc" => attribute = Attribute::LeftAssoc,
                ":right-assoc" => attribute = Attribute::RightAssoc,
                ":chainable" => attribute = Attribute::Chainable,
                ":pairwise" => attribute = Attribute::Pairwise,
                // The example has a fixed number of arguments.
                ":computed" => {}
                ":where" => {}
                condition => conditions.push(condition),
            }
        }
        &row[..start]
    });
    let mut signatures = Vec::new();
    for text in overloads.split('|').map(str::trim_ascii) {
        let words = words(text);
        let is_arrow = |at: &usize| words[*at] == "->" && (*at == 0 || words[*at - 1] != "(");
        let arrow = (0..words.len()).find(is_arrow).expect("every signature has an arrow");
        let params = patterns(&words[..arrow], &mut numbers);
        let (result, rest) = pattern(&words[arrow + 1..], &mut numbers);
        assert!(rest.is_empty(), "every signature has one result: {text}");
        let fixed = fixed_sorts(&params, &result);
        signatures.push(Signature { params, result, conditions: Vec::new(), fixed, text });
    }
    for condition in conditions {
        let (small, large) = condition.split_once("<=").expect("conditions have the form a<=b");
        let condition = (number(small, &mut numbers), number(large, &mut numbers));
        signatures.iter_mut().for_each(|signature| signature.conditions.push(condition.clone()));
    }
    (signatures, attribute)
}

/// Words between blanks, parentheses on their own.
fn words(text: &'static str) -> Vec<&'static str> {
    let mut words = Vec::with_capacity(8);
    for mut word in text.split(' ') {
        while let Some(rest) = word.strip_prefix('(') {
            words.push("(");
            word = rest;
        }
        let stem = word.trim_end_matches(')');
        words.push(stem);
        words.extend(word[stem.len()..].bytes().map(|_| ")"));
    }
    words
}

fn fixed_sorts(params: &[SortPattern], result: &SortPattern) -> Option<(Vec<Sort>, Sort)> {
    let sort = |pattern: &SortPattern| match pattern {
        SortPattern::Fixed(sort) => Some(*sort),
        _ => None,
    };
    Some((params.iter().map(sort).collect::<Option<_>>()?, sort(result)?))
}

fn patterns(words: &[&'static str], numbers: &mut Vec<&'static str>) -> Vec<SortPattern> {
    let mut result = Vec::new();
    let mut rest = words;
    while !rest.is_empty() {
        let (pattern, after) = pattern(rest, numbers);
        result.push(pattern);
        rest = after;
    }
    result
}

/// Recursion here is as deep as the signatures of the table.
fn pattern<'w>(
    words: &'w [&'static str],
    numbers: &mut Vec<&'static str>,
) -> (SortPattern, &'w [&'static str]) {
    let fixed = match words[0] {
        "Bool" => Some(Sort::BOOL),
        "Int" => Some(Sort::INT),
        "Real" => Some(Sort::REAL),
        "String" => Some(Sort::STRING),
        "RegLan" => Some(Sort::REG_LAN),
        "RoundingMode" => Some(Sort::ROUNDING_MODE),
        _ => None,
    };
    if let Some(sort) = fixed {
        return (SortPattern::Fixed(sort), &words[1..]);
    }
    if words[0] != "(" {
        return (SortPattern::Var(variable(words[0])), &words[1..]);
    }
    let (pattern, rest) = match words[1] {
        "BitVec" => (SortPattern::BitVec(number(words[2], numbers)), &words[3..]),
        "Float" => {
            let (exponent, significand) = (number(words[2], numbers), number(words[3], numbers));
            (SortPattern::Float(exponent, significand), &words[4..])
        }
        "Field" => (SortPattern::Field(variable(words[2])), &words[3..]),
        name => {
            let constructor = Constructor::named(name).expect("the table uses known sort constructors");
            let mut parts = Vec::new();
            let mut rest = &words[2..];
            while rest[0] != ")" {
                let (part, after) = pattern(rest, numbers);
                parts.push(part);
                rest = after;
            }
            (SortPattern::Applied(constructor, parts), rest)
        }
    };
    assert_eq!(rest[0], ")", "sort constructors of the table are closed");
    (pattern, &rest[1..])
}

fn variable(text: &str) -> usize {
    let letter = text.as_bytes()[0];
    assert!(text.len() == 1 && (b'A'..=b'D').contains(&letter), "not a sort: {text}");
    usize::from(letter - b'A')
}

fn number(text: &'static str, numbers: &mut Vec<&'static str>) -> NumExpr {
    let mut summands = Vec::new();
    for sum in text.split('+') {
        for (position, product) in sum.split('-').enumerate() {
            let mut coefficient = if position == 0 { 1 } else { -1 };
            let mut vars = Vec::new();
            for factor in product.split('*') {
                if let Ok(constant) = factor.parse::<i128>() {
                    coefficient *= constant;
                    continue;
                }
                let var = numbers.iter().position(|name| *name == factor).unwrap_or_else(|| {
                    numbers.push(factor);
                    numbers.len() - 1
                });
                vars.push(var);
            }
            summands.push((coefficient, vars));
        }
    }
    NumExpr { summands }
}
