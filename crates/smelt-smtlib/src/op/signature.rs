//! The little language in which the operator table writes signatures.
//!
//! ```text
//! String Int Int -> String                       fixed sorts
//! A A -> Bool :chainable                         sort variables are single capitals
//! (BitVec m) (BitVec n) -> (BitVec m+n)          number variables are small letters; results may compute
//! (BitVec m) -> (BitVec i-j+1) :where j<=i i<m   conditions; i and j are indices of the spelling
//! Int -> Int | Real -> Real                      overloads, tried in order
//! ```
//! Attributes (`:left-assoc`, `:right-assoc`, `:chainable`, `:pairwise`) hold for all overloads of a row.

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
    /// An array of these index and element sorts.
    Array(Box<SortPattern>, Box<SortPattern>),
    /// A sequence of this element sort.
    Seq(Box<SortPattern>),
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
    pub fn matches(&mut self, sorts: &Sorts, pattern: &SortPattern, sort: Sort) -> bool {
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
    fn matches_part(&mut self, sorts: &Sorts, pattern: &SortPattern, sort: Sort) -> bool {
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
            SortPattern::Array(index, element) => match *sorts.kind(sort) {
                SortKind::Array(actual_index, actual_element) => {
                    self.matches_part(sorts, index, actual_index)
                        && self.matches_part(sorts, element, actual_element)
                }
                _ => false,
            },
            SortPattern::Seq(element) => match *sorts.kind(sort) {
                SortKind::Seq(actual) => self.matches_part(sorts, element, actual),
                _ => false,
            },
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
            SortPattern::Array(index, element) => {
                let (index, element) = (self.build(sorts, index)?, self.build(sorts, element)?);
                sorts.array(index, element)
            }
            SortPattern::Seq(element) => {
                let element = self.build(sorts, element)?;
                sorts.intern(SortKind::Seq(element))
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
        SortPattern::Array(index, element) => {
            sort_vars(index, vars);
            sort_vars(element, vars);
        }
        SortPattern::Seq(element) => sort_vars(element, vars),
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
                ":where" => {}
                condition => conditions.push(condition),
            }
        }
        &row[..start]
    });
    let mut signatures = Vec::new();
    for text in overloads.split('|').map(str::trim_ascii) {
        let words = words(text);
        let arrow = words.iter().position(|word| *word == "->").expect("every signature has an arrow");
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
        let letter = words[0].as_bytes()[0];
        assert!(words[0].len() == 1 && (b'A'..=b'D').contains(&letter), "not a sort: {}", words[0]);
        return (SortPattern::Var(usize::from(letter - b'A')), &words[1..]);
    }
    let (pattern, rest) = match words[1] {
        "BitVec" => (SortPattern::BitVec(number(words[2], numbers)), &words[3..]),
        "Float" => {
            let (exponent, significand) = (number(words[2], numbers), number(words[3], numbers));
            (SortPattern::Float(exponent, significand), &words[4..])
        }
        "Array" => {
            let (index, rest) = pattern(&words[2..], numbers);
            let (element, rest) = pattern(rest, numbers);
            (SortPattern::Array(Box::new(index), Box::new(element)), rest)
        }
        "Seq" => {
            let (element, rest) = pattern(&words[2..], numbers);
            (SortPattern::Seq(Box::new(element)), rest)
        }
        other => unreachable!("the table uses an unknown sort constructor {other}"),
    };
    assert_eq!(rest[0], ")", "sort constructors of the table are closed");
    (pattern, &rest[1..])
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
