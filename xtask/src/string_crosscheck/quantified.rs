//! Quantifiers for random formulas: bodies near what our solver can do without, and what they are worth in the plant.
//!
//! While a formula is made, a bound variable is a constant and a quantifier is a Boolean constant beside which it is kept
//! what it stands for; [`Quantifiers::written`] puts the quantifiers in. Their truth is found by trying few values of the
//! variables, first some and then more. If that gives the same, it is taken for true, which it nearly always is: bodies are
//! small and so are the numbers and words in them. Whoever finds a problem has to look at this first.

use rand::RngExt;
use rand::seq::IndexedRandom;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Literal, Term, Terms, Variable};
use smelt_smtlib::walk::{free_names, subterms};

use super::formula::Generator;

/// Quantifiers are nested at most so deep.
const MAX_NESTING: usize = 2;
/// Bodies are evaluated for at most so many values of variables, for one assertion.
const MAX_INSTANCES: u32 = 30_000;
/// Longer words are not tried.
const MAX_LEN: usize = 12;

/// A quantifier of a formula that is being made.
#[derive(Debug, Clone)]
struct Quantifier {
    /// The constant that stands for it.
    name: Symbol,
    is_forall: bool,
    /// The constants that stand for its variables, with the names that these have if nothing is in the way.
    variables: Vec<(Term, &'static str)>,
    body: Term,
    /// The quantifiers in the body, by their positions.
    inside: Vec<usize>,
}

/// The quantifiers of a formula that is being made.
#[derive(Debug, Default)]
pub struct Quantifiers {
    all: Vec<Quantifier>,
    /// How many constants stood for no variables where each of the quantifiers around the current place begins.
    around: Vec<usize>,
}

impl Quantifiers {
    pub fn may_nest(&self) -> bool {
        self.around.len() < MAX_NESTING
    }

    /// The quantifiers of which the constants occur in a term.
    fn of(&self, terms: &Terms, term: Term) -> Vec<usize> {
        let parts = subterms(terms, &[term]);
        let names = parts.into_iter().filter_map(|part| build::constant_name(terms, part));
        names.filter_map(|name| self.all.iter().position(|quantifier| quantifier.name == name)).collect()
    }

    /// The term as it is written.
    pub fn written(&self, terms: &mut Terms, term: Term) -> Term {
        let mut substitution = Substitution::new();
        for position in self.of(terms, term) {
            let quantifier = &self.all[position];
            let mut body = self.written(terms, quantifier.body);
            let mut variables: Vec<Variable> = Vec::new();
            for (constant, wanted) in &quantifier.variables {
                let mut name = terms.symbols.intern(wanted);
                // A variable may hide a constant, but not one that is meant.
                let is_taken = variables.iter().any(|variable| variable.name == name)
                    || free_names(terms, body).globals.contains(&name);
                if is_taken {
                    name = terms.symbols.fresh("w");
                }
                let sort = terms.sort(*constant);
                variables.push(Variable { name, sort });
                let local = terms.local(name, sort);
                let mut rename = Substitution::new();
                rename.replace(build::constant_name(terms, *constant).expect("it is a constant"), local);
                body = substitute(terms, body, &rename);
            }
            let binders = terms.intern_binders(&variables);
            let head = if quantifier.is_forall { Head::Forall(binders) } else { Head::Exists(binders) };
            substitution.replace(quantifier.name, terms.intern(head, &[body], Sort::BOOL));
        }
        substitute(terms, term, &substitution)
    }

    /// The value of a term under a model, if trying few and more values of variables gives the same.
    pub fn value(&self, terms: &mut Terms, model: &Model, term: Term) -> Option<Value> {
        let inside = self.of(terms, term);
        if inside.is_empty() {
            return evaluate(terms, model, term);
        }
        let mut values = [0, 1].map(|size| {
            let mut model = model.clone();
            let mut trial = Trial::new(terms, &mut model, self, term, size);
            trial.value(term, &inside)
        });
        let last = values[1].take()?;
        (values[0].as_ref() == Some(&last)).then_some(last)
    }
}

/// Evaluates quantifiers by trying some values.
struct Trial<'a> {
    terms: &'a Terms,
    model: &'a mut Model,
    quantifiers: &'a Quantifiers,
    words: Vec<Term>,
    numbers: Vec<Term>,
    truth: Vec<Term>,
    /// So many more instances are evaluated.
    instances: u32,
}

impl<'a> Trial<'a> {
    fn new(
        terms: &'a mut Terms,
        model: &'a mut Model,
        quantifiers: &'a Quantifiers,
        term: Term,
        size: usize,
    ) -> Self {
        let mut roots = vec![term];
        let mut open = quantifiers.of(terms, term);
        while let Some(quantifier) = open.pop().map(|position| &quantifiers.all[position]) {
            roots.push(quantifier.body);
            open.extend(&quantifier.inside);
        }
        let parts = subterms(terms, &roots);
        let (max_len, most) = [(2, 6), (3, 30)][size];
        let mut words = words(max_len);
        let mut numbers: Vec<i64> = (-most..=most).collect();
        for part in parts {
            // Terms with variables have no value yet.
            match evaluate(terms, model, part) {
                Some(Value::Str(word)) if word.len() <= MAX_LEN => {
                    let letters = word.chars();
                    words.push(letters.to_vec());
                    for start in 0..letters.len() {
                        let ends = start + 1..=letters.len().min(start + 4);
                        words.extend(ends.map(|end| letters[start..end].to_vec()));
                    }
                }
                Some(Value::Int(number)) => {
                    numbers.extend(i64::try_from(number).ok().into_iter().flat_map(|n| n - 1..=n + 1));
                }
                _ => {}
            }
        }
        if size > 0 {
            words.extend(["c", "ca", "bc", "aaaa", "abab", "aaaaaa", "bbbbbbbb"].map(letters_of));
        }
        let words = distinct(words).into_iter().filter_map(Str::from_code_points);
        let words = words.map(|word| literal::string(terms, &word)).collect();
        let numbers = distinct(numbers).into_iter().map(|n| literal::int(terms, &n.into())).collect();
        let truth = [false, true].map(|value| terms.bool(value)).to_vec();
        Trial { terms, model, quantifiers, words, numbers, truth, instances: MAX_INSTANCES }
    }

    fn value(&mut self, term: Term, inside: &[usize]) -> Option<Value> {
        let quantifiers = self.quantifiers;
        for quantifier in inside.iter().map(|position| &quantifiers.all[*position]) {
            let is_true = self.holds(quantifier)?;
            let literal = self.truth[usize::from(is_true)];
            self.model.set(self.terms, quantifier.name, literal);
        }
        evaluate(self.terms, self.model, term)
    }

    fn holds(&mut self, quantifier: &Quantifier) -> Option<bool> {
        let mut at = vec![0; quantifier.variables.len()];
        let mut is_known = true;
        loop {
            self.instances = self.instances.checked_sub(1)?;
            for ((variable, _), at) in quantifier.variables.iter().zip(&at) {
                let value = self.choices(*variable)[*at];
                let name = build::constant_name(self.terms, *variable).expect("it is a constant");
                self.model.set(self.terms, name, value);
            }
            match self.value(quantifier.body, &quantifier.inside) {
                Some(Value::Bool(value)) if value != quantifier.is_forall => return Some(value),
                Some(_) => {}
                None => is_known = false,
            }
            // The next values, as numbers are counted.
            let mut position = 0;
            loop {
                let Some((variable, _)) = quantifier.variables.get(position) else {
                    return is_known.then_some(quantifier.is_forall);
                };
                at[position] += 1;
                if at[position] < self.choices(*variable).len() {
                    break;
                }
                at[position] = 0;
                position += 1;
            }
        }
    }

    fn choices(&self, variable: Term) -> &[Term] {
        match self.terms.sort(variable) {
            Sort::BOOL => &self.truth,
            Sort::INT => &self.numbers,
            _ => &self.words,
        }
    }
}

fn evaluate(terms: &Terms, model: &Model, term: Term) -> Option<Value> {
    let environment = Environment::default();
    let mut evaluator = Evaluator::new(terms, &environment, model);
    evaluator.budget = Budget::new(1_000_000);
    evaluator.eval(term).ok()
}

/// All words of at most so many letters of two.
fn words(max_len: usize) -> Vec<Vec<u32>> {
    let mut words = vec![Vec::new()];
    let mut layer = words.clone();
    for _ in 0..max_len {
        layer = layer
            .iter()
            .flat_map(|word| ["a", "b"].map(|last| [&word[..], &letters_of(last)].concat()))
            .collect();
        words.extend(layer.iter().cloned());
    }
    words
}

fn letters_of(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

fn distinct<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut found = Vec::with_capacity(values.len());
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

impl Generator {
    /// A quantifier, as the constant that stands for it.
    pub(super) fn quantifier(&mut self) -> Term {
        let count = *[1, 1, 1, 1, 2, 2, 3].choose(&mut self.rng).expect("not empty");
        let start = self.constants.len();
        let mut variables = Vec::with_capacity(count);
        for _ in 0..count {
            let sorts = [Sort::STRING, Sort::STRING, Sort::STRING, Sort::INT, Sort::INT, Sort::BOOL];
            let sort = *sorts.choose(&mut self.rng).expect("not empty");
            // Some are names of free constants.
            let names: &[&str] = match sort {
                Sort::BOOL => &["q", "p"],
                Sort::INT => &["n", "n", "m", "i"],
                _ => &["u", "u", "v", "x"],
            };
            let constant = build::fresh(&mut self.terms, "variable", sort);
            self.constants.push(constant);
            variables.push((constant, *names.choose(&mut self.rng).expect("not empty")));
        }
        self.quantifiers.around.push(start);
        let depth = self.rng.random_range(0..=2);
        let body = self.body(depth);
        self.quantifiers.around.pop();
        self.constants.truncate(start);
        let is_forall = self.rng.random_bool(0.5);
        let stand_in = build::fresh(&mut self.terms, "quantifier", Sort::BOOL);
        let name = build::constant_name(&self.terms, stand_in).expect("it is a constant");
        let inside = self.quantifiers.of(&self.terms, body);
        self.quantifiers.all.push(Quantifier { name, is_forall, variables, body, inside });
        stand_in
    }

    /// A choice between languages.
    pub(super) fn language_choice(&mut self, depth: u32) -> Term {
        let condition = self.term(Sort::BOOL, depth);
        let languages = [self.term(Sort::REG_LAN, depth), self.term(Sort::REG_LAN, depth)];
        apply(&mut self.terms, Op::Ite, &[condition, languages[0], languages[1]])
    }

    fn body(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.body_atom();
        }
        let (op, count) = match self.rng.random_range(0..16) {
            0..=3 => (Op::And, self.rng.random_range(2..=3)),
            4..=6 => (Op::Or, self.rng.random_range(2..=3)),
            7..=8 => (Op::Not, 1),
            9 => (Op::Implies, 2),
            10 => (Op::Implies, 3),
            11 => (Op::Ite, 3),
            12 => (Op::Eq, 2),
            13 => (Op::Xor, 2),
            14 if self.quantifiers.may_nest() => return self.quantifier(),
            _ => return self.body_atom(),
        };
        let args: Vec<Term> = (0..count).map(|_| self.body(depth - 1)).collect();
        apply(&mut self.terms, op, &args)
    }

    fn body_atom(&mut self) -> Term {
        match self.rng.random_range(0..20) {
            0..=2 => {
                let sort = *[Sort::STRING, Sort::INT, Sort::BOOL].choose(&mut self.rng).expect("not empty");
                let (variable, value) = (self.body_leaf(sort), self.term(sort, 1));
                self.equation(variable, value)
            }
            3..=7 => {
                let counts = [self.rng.random_range(1..=4), self.rng.random_range(1..=2)];
                let [left, right] = counts.map(|count| self.body_word(count));
                let equation = self.equation(left, right);
                if self.rng.random_bool(0.25) {
                    apply(&mut self.terms, Op::Not, &[equation])
                } else {
                    equation
                }
            }
            8..=9 => {
                let ops = [Op::StrPrefixof, Op::StrSuffixof, Op::StrContains, Op::Distinct, Op::StrLe];
                let op = *ops.choose(&mut self.rng).expect("not empty");
                let words = [2, 2].map(|count| self.body_word(count));
                apply(&mut self.terms, op, &words)
            }
            10 => {
                let (word, language) = (self.body_word(1), self.term(Sort::REG_LAN, 1));
                apply(&mut self.terms, Op::StrInRe, &[word, language])
            }
            11..=15 => {
                let ops = [Op::Eq, Op::Eq, Op::Eq, Op::Le, Op::Lt, Op::Ge, Op::Gt];
                let op = *ops.choose(&mut self.rng).expect("not empty");
                let sides = [2, 2].map(|count| self.linear(count));
                apply(&mut self.terms, op, &sides)
            }
            16 => {
                let op = if self.rng.random_bool(0.5) { Op::Mod } else { Op::IntDiv };
                let divisor = *[2, 3, 2, 3, -2, -3, 1, 0].choose(&mut self.rng).expect("not empty");
                let divisor = literal::int(&mut self.terms, &divisor.into());
                let dividend = self.linear(2);
                let quotient = apply(&mut self.terms, op, &[dividend, divisor]);
                let value = self.body_leaf(Sort::INT);
                self.equation(quotient, value)
            }
            17 => self.body_leaf(Sort::BOOL),
            18 => self.term(Sort::BOOL, 2),
            _ => self.term(Sort::BOOL, 1),
        }
    }

    fn equation(&mut self, left: Term, right: Term) -> Term {
        let sides = if self.rng.random_bool(0.5) { [left, right] } else { [right, left] };
        apply(&mut self.terms, Op::Eq, &sides)
    }

    /// A leaf that is mostly a variable.
    fn body_leaf(&mut self, sort: Sort) -> Term {
        let inner = self.quantifiers.around.last().copied().unwrap_or(0);
        let bound: Vec<Term> = self.constants[inner..]
            .iter()
            .copied()
            .filter(|constant| self.terms.sort(*constant) == sort)
            .collect();
        match bound.choose(&mut self.rng) {
            Some(variable) if self.rng.random_bool(0.6) => *variable,
            _ => self.leaf(sort),
        }
    }

    /// What consists of so many words at most.
    fn body_word(&mut self, max_count: usize) -> Term {
        let count = self.rng.random_range(1..=max_count);
        let mut parts = Vec::with_capacity(count);
        for _ in 0..count {
            let part = if self.rng.random_bool(0.1) {
                self.terms.literal(Literal::Str, "", Sort::STRING)
            } else {
                self.body_leaf(Sort::STRING)
            };
            parts.push(part);
        }
        // Nested now and then.
        if parts.len() > 2 && self.rng.random_bool(0.3) {
            let inner = build::concat(&mut self.terms, &parts[1..]);
            parts = vec![parts[0], inner];
        }
        build::concat(&mut self.terms, &parts)
    }

    /// A linear combination of so many terms at most.
    fn linear(&mut self, max_count: usize) -> Term {
        let count = self.rng.random_range(1..=max_count);
        let mut summands = Vec::with_capacity(count);
        for _ in 0..count {
            let leaf = if self.rng.random_bool(0.2) {
                let word = self.body_leaf(Sort::STRING);
                build::len(&mut self.terms, word)
            } else {
                self.body_leaf(Sort::INT)
            };
            summands.push(match self.rng.random_range(0..8) {
                0..=2 => {
                    let factor = *[2, 2, 3, -2, 0, -1].choose(&mut self.rng).expect("not empty");
                    let factor = literal::int(&mut self.terms, &factor.into());
                    let factors = if self.rng.random_bool(0.5) { [factor, leaf] } else { [leaf, factor] };
                    apply(&mut self.terms, Op::Mul, &factors)
                }
                3 => apply(&mut self.terms, Op::Neg, &[leaf]),
                _ => leaf,
            });
        }
        match summands[..] {
            [only] => only,
            _ if self.rng.random_bool(0.5) => apply(&mut self.terms, Op::Add, &summands),
            _ => apply(&mut self.terms, Op::Sub, &summands),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use smelt_smtlib::print::term_text;

    use super::*;
    use crate::string_crosscheck::formula::Kind;

    /// For some word, no word is a proper part of it, and it is `x`: with these names for the two words.
    fn check(names: [&'static str; 2], written: &str) {
        let mut generator = Generator::new(Kind::Random, Xoshiro256PlusPlus::seed_from_u64(1)).quantified();
        let terms = &mut generator.terms;
        let [outer, inner] = [(); 2].map(|()| build::fresh(terms, "variable", Sort::STRING));
        let [every, some] = [(); 2].map(|()| build::fresh(terms, "quantifier", Sort::BOOL));
        let free = terms.symbols.intern("x");
        let free_constant = terms.constant(free, Sort::STRING);
        let contains = apply(terms, Op::StrContains, &[outer, inner]);
        let is_same = apply(terms, Op::Eq, &[outer, inner]);
        let inner_body = apply(terms, Op::Implies, &[contains, is_same]);
        let is_free = apply(terms, Op::Eq, &[outer, free_constant]);
        let outer_body = apply(terms, Op::And, &[every, is_free]);
        let name_of = |term| build::constant_name(terms, term).unwrap();
        generator.quantifiers.all = vec![
            Quantifier {
                name: name_of(every),
                is_forall: true,
                variables: vec![(inner, names[1])],
                body: inner_body,
                inside: Vec::new(),
            },
            Quantifier {
                name: name_of(some),
                is_forall: false,
                variables: vec![(outer, names[0])],
                body: outer_body,
                inside: vec![0],
            },
        ];
        let term = generator.quantifiers.written(terms, some);
        assert_eq!(term_text(terms, term), written);
        // Only the empty word has no other part.
        for (value, is_true) in [("", true), ("a", false)] {
            let mut model = Model::new();
            let value = terms.literal(Literal::Str, value, Sort::STRING);
            model.set(terms, free, value);
            let found = generator.quantifiers.value(terms, &model, some);
            assert_eq!(found, Some(Value::Bool(is_true)));
        }
    }

    #[test]
    fn quantifiers_are_written_and_evaluated() {
        check(
            ["u", "v"],
            "(exists ((u String)) (and (forall ((v String)) (=> (str.contains u v) (= u v))) (= u x)))",
        );
    }

    #[test]
    fn a_variable_does_not_hide_what_is_meant() {
        // The outer one may not be called `x`; the inner one is renamed where it has the name of the outer one.
        check(
            ["x", "w_0"],
            "(exists ((w_1 String)) (and (forall ((w_0 String)) (=> (str.contains w_1 w_0) (= w_1 w_0))) (= w_1 x)))",
        );
        check(
            ["u", "u"],
            "(exists ((u String)) (and (forall ((u_0 String)) (=> (str.contains u u_0) (= u u_0))) (= u x)))",
        );
    }
}
