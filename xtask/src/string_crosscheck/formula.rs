//! Random formulas over strings, regular expressions, integers, Booleans and functions, around a model.
//!
//! Constants have values from the start. A *planted* formula asserts only what is true under them, so it is
//! satisfiable; a *random* one asserts some of its parts whether true or not, so it may be anything. Random equations
//! are hardly ever true, so some are made to be: the other side is put together from what has the right value.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::print::term_text;
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms, Variable};

use super::quantified::Quantifiers;

/// What is known of a formula before anybody solves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It holds in the model that it was made around.
    Planted,
    /// It may be anything.
    Random,
}

/// A formula as text.
#[derive(Debug, Clone)]
pub struct Formula {
    pub declarations: Vec<String>,
    pub assertions: Vec<String>,
    /// The model that it was made around, one definition a line.
    pub plant: Vec<String>,
}

impl Formula {
    /// Declarations and assertions, one a line.
    pub fn text(&self) -> String {
        let asserted = self.assertions.iter().map(|assertion| format!("(assert {assertion})"));
        let lines: Vec<String> = self.declarations.iter().cloned().chain(asserted).collect();
        lines.join("\n") + "\n"
    }

    /// The same with fewer assertions.
    pub fn with(&self, assertions: Vec<String>) -> Formula {
        Formula { assertions, ..self.clone() }
    }
}

/// Pieces of string literals, as they are written between the quotes; the first ones are drawn most.
const PIECES: &[&str] =
    &["a", "b", "ab", "ba", "aa", "0", "1", "9", "10", "c", "A", "-", "z", "\\u{0}", "\\u{e9}", "\\u{2ffff}"];
/// Integers at which something happens.
const INTS: &[i64] = &[0, 0, 1, 1, 2, 2, 3, -1, -2, 4, 5, 9, 10, 47, 48, 57, 58, 97, 98, 196_607, 196_608];
/// Integers near which those are that a quantifier is about.
const SMALL_INTS: &[i64] = &[0, 0, 1, 1, 2, 2, 3, 4, 5, -1, -2, -3];

/// Makes one formula.
pub struct Generator {
    pub(super) terms: Terms,
    pub(super) rng: Xoshiro256PlusPlus,
    kind: Kind,
    /// Whether there are quantifiers and choices between languages.
    is_quantified: bool,
    /// Whether numbers may be huge.
    is_huge: bool,
    pub(super) quantifiers: Quantifiers,
    /// How many of the pieces of literals are used.
    pieces: usize,
    pub(super) constants: Vec<Term>,
    pub(super) functions: Vec<(Symbol, Sort, Sort)>,
    pub(super) model: Model,
}

impl Generator {
    pub fn new(kind: Kind, rng: Xoshiro256PlusPlus) -> Self {
        Generator {
            terms: Terms::new(),
            rng,
            kind,
            is_quantified: false,
            is_huge: false,
            quantifiers: Quantifiers::default(),
            pieces: 0,
            constants: Vec::new(),
            functions: Vec::new(),
            model: Model::new(),
        }
    }

    /// The same, with quantifiers and choices between languages.
    pub fn quantified(self) -> Self {
        Generator { is_quantified: true, ..self }
    }

    /// The same, with huge numbers.
    pub fn huge(self) -> Self {
        Generator { is_huge: true, ..self }
    }

    /// The same, with words of few letters: the first of the pieces of literals.
    pub fn with_few_letters(self) -> Self {
        Generator { pieces: 5, ..self }
    }

    /// The formula; what it is depends on the random numbers alone.
    pub fn formula(mut self) -> Formula {
        if self.is_huge && self.kind == Kind::Planted && self.rng.random_bool(0.4) {
            return self.long_words();
        }
        let pieces = if self.is_quantified { [2, 2, 5, 8] } else { [2, 5, 8, PIECES.len()] };
        self.pieces = *pieces.choose(&mut self.rng).expect("not empty");
        let mut formula = Formula { declarations: Vec::new(), assertions: Vec::new(), plant: Vec::new() };
        self.declare(&mut formula);
        let max_assertions = if self.kind == Kind::Planted { 7 } else { 5 };
        let count = self.rng.random_range(1..=max_assertions);
        let depth = self.rng.random_range(1..=3);
        for _ in 0..count {
            let term = self.assertion(depth);
            let is_kept_as_it_is = self.kind == Kind::Random && self.rng.random_bool(0.4);
            let term = match self.value(term) {
                _ if is_kept_as_it_is => term,
                Some(Value::Bool(true)) => term,
                Some(Value::Bool(false)) => apply(&mut self.terms, Op::Not, &[term]),
                // The evaluator leaves it open: division by zero, or too much work.
                _ if self.kind == Kind::Random => term,
                _ => continue,
            };
            let term = self.quantifiers.written(&mut self.terms, term);
            formula.assertions.push(term_text(&mut self.terms, term));
        }
        if self.is_quantified && self.rng.random_bool(0.6) {
            self.fix_constants(&mut formula);
        }
        formula
    }

    /// Says what the constants are, so that it matters what every part of the formula is worth.
    fn fix_constants(&mut self, formula: &mut Formula) {
        for constant in self.constants.clone() {
            let definition =
                build::constant_name(&self.terms, constant).and_then(|name| self.model.definition(name));
            let value = definition.expect("constants have values from the start").body;
            let equation = apply(&mut self.terms, Op::Eq, &[constant, value]);
            formula.assertions.push(term_text(&mut self.terms, equation));
        }
    }

    fn declare(&mut self, formula: &mut Formula) {
        let strings = self.rng.random_range(1..=3);
        let ints = self.rng.random_range(0..=2);
        let bools = usize::from(self.rng.random_bool(0.3));
        let names = [("x", Sort::STRING), ("y", Sort::STRING), ("z", Sort::STRING)].into_iter().take(strings);
        let names = names.chain([("i", Sort::INT), ("j", Sort::INT)].into_iter().take(ints));
        let names: Vec<(&str, Sort)> = names.chain([("p", Sort::BOOL)].into_iter().take(bools)).collect();
        for (name, sort) in names {
            let symbol = self.terms.symbols.intern(name);
            let value = match sort {
                Sort::STRING if self.is_huge && self.rng.random_bool(0.03) => self.long_word(),
                _ => self.literal(sort),
            };
            self.model.set(&self.terms, symbol, value);
            self.constants.push(self.terms.constant(symbol, sort));
            let sort = sort_name(sort);
            formula.declarations.push(format!("(declare-const {name} {sort})"));
            formula.plant.push(format!("{name} = {}", term_text(&mut self.terms, value)));
        }
        if self.rng.random_bool(0.1) {
            self.declare_function("f", Sort::STRING, Sort::INT, formula);
        }
        if self.rng.random_bool(0.05) {
            self.declare_function("g", Sort::INT, Sort::STRING, formula);
        }
    }

    /// A function with one value for one argument and another for all others.
    fn declare_function(&mut self, name: &str, from: Sort, to: Sort, formula: &mut Formula) {
        let symbol = self.terms.symbols.intern(name);
        let parameter = Variable { name: self.terms.symbols.intern("argument"), sort: from };
        let local = self.terms.local(parameter.name, from);
        let (key, value, other) = (self.literal(from), self.literal(to), self.literal(to));
        let is_key = apply(&mut self.terms, Op::Eq, &[local, key]);
        let body = apply(&mut self.terms, Op::Ite, &[is_key, value, other]);
        self.model.define(Definition { name: symbol, params: vec![parameter], sort: to, body });
        self.functions.push((symbol, from, to));
        let (from, to) = (sort_name(from), sort_name(to));
        formula.declarations.push(format!("(declare-fun {name} ({from}) {to})"));
        formula.plant.push(format!("{name}(argument) = {}", term_text(&mut self.terms, body)));
    }

    pub(super) fn value(&mut self, term: Term) -> Option<Value> {
        if self.is_quantified {
            return self.quantifiers.value(&mut self.terms, &self.model, term);
        }
        let environment = Environment::default();
        let mut evaluator = Evaluator::new(&self.terms, &environment, &self.model);
        evaluator.budget = Budget::new(1_000_000);
        evaluator.eval(term).ok()
    }

    fn string_value(&mut self, term: Term) -> Option<Str> {
        match self.value(term)? {
            Value::Str(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn assertion(&mut self, depth: u32) -> Term {
        if self.is_quantified && self.rng.random_bool(0.7) {
            return self.quantifier();
        }
        match self.rng.random_range(0..10) {
            0..=2 => self.true_equation(depth),
            3 => self.true_membership(depth),
            _ => self.bool(depth),
        }
    }

    /// An equation that holds in the model, with a right side made of constants and letters.
    fn true_equation(&mut self, depth: u32) -> Term {
        let left = self.term(Sort::STRING, depth);
        let Some(value) = self.string_value(left).filter(|value| value.len() <= 12) else {
            return self.bool(depth);
        };
        let mut rest = value.chars();
        let mut parts = Vec::new();
        // Constants with an empty value are put in now and then.
        while !rest.is_empty() || (parts.len() < 2 && self.rng.random_bool(0.5)) {
            let strings: Vec<Term> = self.leaves(Sort::STRING);
            let fitting: Vec<(Term, Str)> = strings
                .into_iter()
                .filter_map(|constant| Some((constant, self.string_value(constant)?)))
                .filter(|(_, value)| rest.starts_with(value.chars()))
                .collect();
            let is_constant = self.rng.random_bool(0.7);
            match fitting.choose(&mut self.rng).filter(|_| is_constant) {
                Some((constant, value)) => {
                    parts.push(*constant);
                    rest = &rest[value.len()..];
                }
                None if rest.is_empty() => break,
                None => {
                    let length = self.rng.random_range(1..=rest.len());
                    parts.push(self.word(&rest[..length]));
                    rest = &rest[length..];
                }
            }
            if parts.len() > 12 {
                parts.push(self.word(rest));
                break;
            }
        }
        let right = build::concat(&mut self.terms, &parts);
        apply(&mut self.terms, Op::Eq, &[left, right])
    }

    /// A membership that holds in the model.
    fn true_membership(&mut self, depth: u32) -> Term {
        let text = self.term(Sort::STRING, depth.min(1));
        let Some(value) = self.string_value(text).filter(|value| value.len() <= 12) else {
            return self.bool(depth);
        };
        let mut rest = value.chars();
        let mut factors = Vec::new();
        while !rest.is_empty() {
            let length = self.rng.random_range(1..=rest.len().min(3));
            let word = self.word(&rest[..length]);
            rest = &rest[length..];
            let language = apply(&mut self.terms, Op::StrToRe, &[word]);
            let other = self.term(Sort::REG_LAN, 1);
            factors.push(match self.rng.random_range(0..6) {
                0 => apply(&mut self.terms, Op::ReUnion, &[language, other]),
                1 => apply(&mut self.terms, Op::ReStar, &[language]),
                2 => apply(&mut self.terms, Op::RePlus, &[language]),
                3 if length == 1 => apply(&mut self.terms, Op::ReAllChar, &[]),
                4 => apply(&mut self.terms, Op::ReAll, &[]),
                5 if self.is_huge => {
                    let counts = [self.rng.random_range(0..=1).into(), self.huge_number()];
                    self.repeated(Op::ReLoop, &counts, language)
                }
                _ => language,
            });
            if self.rng.random_bool(0.2) {
                factors.push(apply(&mut self.terms, Op::ReStar, &[other]));
            }
        }
        let language = match factors.as_slice() {
            [] => {
                let other = self.term(Sort::REG_LAN, 1);
                apply(&mut self.terms, Op::ReOpt, &[other])
            }
            [only] => *only,
            _ => apply(&mut self.terms, Op::ReConcat, &factors),
        };
        apply(&mut self.terms, Op::StrInRe, &[text, language])
    }

    /// A word of one letter whose length does not fit one byte, or two.
    fn long_word(&mut self) -> Term {
        let len = [255, 256, 257, 65_535, 65_536, 65_537].choose(&mut self.rng).copied().expect("not empty");
        self.word(&vec![u32::from('a'); len])
    }

    fn word(&mut self, letters: &[u32]) -> Term {
        let word = Str::from_code_points(letters.to_vec()).expect("letters come from strings");
        literal::string(&mut self.terms, &word)
    }

    fn bool(&mut self, depth: u32) -> Term {
        self.term(Sort::BOOL, depth)
    }

    /// A term; recursion is as deep as the terms, which are shallow.
    pub(super) fn term(&mut self, sort: Sort, depth: u32) -> Term {
        // A formula of sort Bool is an atom at least.
        let is_leaf = depth == 0 || (sort != Sort::BOOL && self.rng.random_bool(0.25));
        if is_leaf {
            return self.leaf(sort);
        }
        if self.is_quantified {
            if sort == Sort::BOOL && self.quantifiers.may_nest() && self.rng.random_bool(0.15) {
                return self.quantifier();
            }
            if sort == Sort::REG_LAN && self.rng.random_bool(0.15) {
                return self.language_choice(depth - 1);
            }
        }
        if self.rng.random_bool(0.05) && sort != Sort::REG_LAN {
            let condition = self.bool(depth - 1);
            let branches = [self.term(sort, depth - 1), self.term(sort, depth - 1)];
            return apply(&mut self.terms, Op::Ite, &[condition, branches[0], branches[1]]);
        }
        if let Some((name, from, to)) = self.functions.choose(&mut self.rng).copied()
            && to == sort
            && self.rng.random_bool(0.4)
        {
            let argument = self.term(from, depth - 1);
            return self.terms.intern(Head::Global(name), &[argument], to);
        }
        let forms: Vec<&Form> = FORMS
            .iter()
            .filter(|form| form.result == sort && (!form.is_extension || self.kind == Kind::Planted))
            .collect();
        let is_huge = self.is_huge;
        let weight = |form: &Form| match form.op {
            Op::RePower | Op::ReLoop if is_huge => 6,
            _ => form.weight,
        };
        let mut ticket = self.rng.random_range(0..forms.iter().map(|form| weight(form)).sum());
        let drawn = forms.into_iter().find(|form| {
            let is_drawn = ticket < weight(form);
            ticket = ticket.saturating_sub(weight(form));
            is_drawn
        });
        self.make(drawn.expect("a ticket is smaller than the sum of all weights"), depth - 1)
    }

    fn make(&mut self, form: &Form, depth: u32) -> Term {
        match form.op {
            Op::RePower if self.is_huge => {
                let (count, language) = (self.loop_count(), self.term(Sort::REG_LAN, depth));
                return self.repeated(Op::RePower, &[count], language);
            }
            Op::ReLoop if self.is_huge => {
                let counts = [self.loop_count(), self.loop_count()];
                let language = self.term(Sort::REG_LAN, depth);
                return self.repeated(Op::ReLoop, &counts, language);
            }
            Op::RePower => {
                let count = self.rng.random_range(0..4);
                return self.indexed(Op::RePower, &[count], depth);
            }
            Op::ReLoop => {
                let (least, most) = (self.rng.random_range(0..3), self.rng.random_range(0..5));
                return self.indexed(Op::ReLoop, &[least, most], depth);
            }
            // Linear, and by a constant that is not zero, unless it is to be something that solvers leave open.
            Op::Mul | Op::IntDiv | Op::Mod if self.rng.random_bool(0.97) => {
                let number = if self.is_huge && self.rng.random_bool(0.4) {
                    self.huge_number()
                } else {
                    self.rng.random_range(1..6).into()
                };
                let number = literal::int(&mut self.terms, &number);
                let other = self.term(Sort::INT, depth);
                return apply(&mut self.terms, form.op, &[other, number]);
            }
            _ => {}
        }
        let args: Vec<Term> = form.args.iter().map(|sort| self.term(*sort, depth)).collect();
        apply(&mut self.terms, form.op, &args)
    }

    fn indexed(&mut self, op: Op, indices: &[u32], depth: u32) -> Term {
        let language = self.term(Sort::REG_LAN, depth);
        let indices: Vec<Index> = indices.iter().map(|index| Index::Number(u64::from(*index))).collect();
        self.terms.apply(op, &indices, &[language]).expect("a loop takes a language")
    }

    pub(super) fn leaf(&mut self, sort: Sort) -> Term {
        if sort == Sort::REG_LAN {
            return self.language();
        }
        match self.leaves(sort).choose(&mut self.rng) {
            Some(constant) if self.rng.random_bool(0.7) => *constant,
            _ => self.literal(sort),
        }
    }

    fn leaves(&self, sort: Sort) -> Vec<Term> {
        self.constants.iter().copied().filter(|constant| self.terms.sort(*constant) == sort).collect()
    }

    fn language(&mut self) -> Term {
        match self.rng.random_range(0..12) {
            0 => apply(&mut self.terms, Op::ReNone, &[]),
            1 => apply(&mut self.terms, Op::ReAll, &[]),
            2 => apply(&mut self.terms, Op::ReAllChar, &[]),
            3..=4 => {
                let ends = ["a", "b", "c", "0", "9", "z", "ab", ""];
                let mut end = || *ends.choose(&mut self.rng).expect("not empty");
                let ends = [end(), end()].map(|end| self.terms.literal(Literal::Str, end, Sort::STRING));
                apply(&mut self.terms, Op::ReRange, &ends)
            }
            5 if self.rng.random_bool(0.1) => {
                let word = self.leaf(Sort::STRING);
                apply(&mut self.terms, Op::StrToRe, &[word])
            }
            _ => {
                let word = self.literal(Sort::STRING);
                apply(&mut self.terms, Op::StrToRe, &[word])
            }
        }
    }

    pub(super) fn literal(&mut self, sort: Sort) -> Term {
        match sort {
            Sort::BOOL => {
                let value = self.rng.random_bool(0.5);
                self.terms.bool(value)
            }
            Sort::INT if self.is_huge && self.rng.random_bool(0.6) => {
                let number = self.huge_number();
                let number = if self.rng.random_bool(0.2) { -number } else { number };
                literal::int(&mut self.terms, &number)
            }
            Sort::INT => {
                let numbers = if self.is_quantified { SMALL_INTS } else { INTS };
                let number = *numbers.choose(&mut self.rng).expect("not empty");
                literal::int(&mut self.terms, &number.into())
            }
            _ => {
                let count = self.rng.random_range(0..=if self.is_quantified { 2 } else { 3 });
                let mut text = String::new();
                for _ in 0..count {
                    text.push_str(PIECES[self.rng.random_range(0..self.pieces)]);
                }
                self.terms.literal(Literal::Str, &text, Sort::STRING)
            }
        }
    }
}

pub(super) fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::BOOL => "Bool",
        Sort::INT => "Int",
        _ => "String",
    }
}

/// An operator that formulas are made of.
struct Form {
    op: Op,
    args: &'static [Sort],
    result: Sort,
    /// How often it is drawn.
    weight: u32,
    /// Whether it is outside of the standard, so that not all solvers know it.
    is_extension: bool,
}

const fn form(op: Op, args: &'static [Sort], result: Sort, weight: u32) -> Form {
    Form { op, args, result, weight, is_extension: false }
}

const fn extension(op: Op, args: &'static [Sort], result: Sort) -> Form {
    Form { op, args, result, weight: 1, is_extension: true }
}

const B: Sort = Sort::BOOL;
const I: Sort = Sort::INT;
const S: Sort = Sort::STRING;
const R: Sort = Sort::REG_LAN;

/// All of the strings theory, and what of integers and Booleans goes with it.
const FORMS: &[Form] = &[
    form(Op::StrConcat, &[S, S], S, 8),
    form(Op::StrConcat, &[S, S, S], S, 3),
    form(Op::StrAt, &[S, I], S, 3),
    form(Op::StrSubstr, &[S, I, I], S, 4),
    form(Op::StrReplace, &[S, S, S], S, 4),
    form(Op::StrReplaceAll, &[S, S, S], S, 2),
    form(Op::StrReplaceRe, &[S, R, S], S, 2),
    form(Op::StrReplaceReAll, &[S, R, S], S, 1),
    form(Op::StrFromInt, &[I], S, 2),
    form(Op::StrFromCode, &[I], S, 2),
    extension(Op::StrRev, &[S], S),
    extension(Op::StrToLower, &[S], S),
    extension(Op::StrToUpper, &[S], S),
    extension(Op::StrUpdate, &[S, I, S], S),
    form(Op::StrLen, &[S], I, 8),
    form(Op::StrIndexof, &[S, S, I], I, 4),
    form(Op::StrToInt, &[S], I, 3),
    form(Op::StrToCode, &[S], I, 3),
    extension(Op::StrIndexofRe, &[S, R, I], I),
    form(Op::Add, &[I, I], I, 3),
    form(Op::Sub, &[I, I], I, 2),
    form(Op::Mul, &[I, I], I, 1),
    form(Op::IntDiv, &[I, I], I, 1),
    form(Op::Mod, &[I, I], I, 1),
    form(Op::Abs, &[I], I, 1),
    form(Op::Neg, &[I], I, 1),
    form(Op::Eq, &[S, S], B, 8),
    form(Op::Eq, &[I, I], B, 5),
    form(Op::Eq, &[B, B], B, 1),
    form(Op::Distinct, &[S, S, S], B, 1),
    form(Op::Distinct, &[S, S], B, 2),
    form(Op::Le, &[I, I], B, 3),
    form(Op::Lt, &[I, I], B, 2),
    form(Op::Ge, &[I, I], B, 1),
    form(Op::Gt, &[I, I], B, 1),
    form(Op::StrPrefixof, &[S, S], B, 3),
    form(Op::StrSuffixof, &[S, S], B, 3),
    form(Op::StrContains, &[S, S], B, 4),
    form(Op::StrIsDigit, &[S], B, 1),
    form(Op::StrLt, &[S, S], B, 2),
    form(Op::StrLe, &[S, S], B, 2),
    form(Op::StrInRe, &[S, R], B, 8),
    form(Op::And, &[B, B], B, 2),
    form(Op::Or, &[B, B], B, 4),
    form(Op::Not, &[B], B, 3),
    form(Op::Implies, &[B, B], B, 1),
    form(Op::Xor, &[B, B], B, 1),
    form(Op::ReConcat, &[R, R], R, 6),
    form(Op::ReUnion, &[R, R], R, 4),
    form(Op::ReInter, &[R, R], R, 2),
    form(Op::ReDiff, &[R, R], R, 1),
    form(Op::ReComp, &[R], R, 2),
    form(Op::ReStar, &[R], R, 4),
    form(Op::RePlus, &[R], R, 2),
    form(Op::ReOpt, &[R], R, 1),
    form(Op::RePower, &[R], R, 1),
    form(Op::ReLoop, &[R], R, 1),
];

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use smelt_smtlib::op::Theory;
    use smelt_smtlib::read::read_script;

    use super::*;

    fn formula(kind: Kind, seed: u64) -> Formula {
        Generator::new(kind, Xoshiro256PlusPlus::seed_from_u64(seed)).formula()
    }

    #[test]
    fn formulas_are_well_sorted_and_read_back() {
        for seed in 0..200 {
            for kind in [Kind::Planted, Kind::Random] {
                let generator = || Generator::new(kind, Xoshiro256PlusPlus::seed_from_u64(seed));
                let generators = [generator(), generator().quantified(), generator().huge()];
                for text in generators.map(|generator| generator.formula().text()) {
                    let reading = read_script(&mut Terms::new(), &text);
                    assert!(reading.diagnostics.is_empty(), "{text}: {:?}", reading.diagnostics);
                }
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_formula() {
        assert_eq!(formula(Kind::Random, 5).text(), formula(Kind::Random, 5).text());
        assert_ne!(formula(Kind::Random, 5).text(), formula(Kind::Random, 6).text());
    }

    #[test]
    fn every_operator_of_the_strings_theory_is_drawn() {
        // Literals, spellings that one solver has for itself, and conversions from bit-vectors are left out.
        let left_out = [
            Op::Char,
            Op::StrIndexofFromStart,
            Op::StrFromUbv,
            Op::StrFromSbv,
            Op::ReLoopBetween,
            Op::ReLoopFrom,
        ];
        let leaves = [Op::StrToRe, Op::ReNone, Op::ReAll, Op::ReAllChar, Op::ReRange];
        for op in Op::all() {
            if matches!(op.info().theory, Theory::Strings | Theory::Regexes) && !left_out.contains(&op) {
                let is_drawn = leaves.contains(&op) || FORMS.iter().any(|form| form.op == op);
                assert!(is_drawn, "{op:?}");
            }
        }
    }
}
