//! Quantifiers that say no more than terms without them.
//!
//! That some values of variables make a body true is brought into a form without the variables, where that is easy:
//! a variable that an equation gives is replaced by what it is, disjunctions are taken apart, and a variable that occurs
//! once, in an equation or a comparison, says only which values of the rest leave one for it.

use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

/// Larger bodies are not looked into.
const MAX_SUBTERMS: usize = 500;

/// A body is taken apart into at most this many cases.
const MAX_CASES: u32 = 64;

/// Words are taken apart in at most this many steps; shared parts may make them long.
const MAX_WORD_STEPS: usize = 500;

/// What a quantifier says, without its variables.
pub(super) struct Meaning {
    /// What it says.
    pub term: Term,
    /// Fresh constants in it that stand for parts that are not understood.
    pub unknown: Vec<Term>,
}

/// What it says that the body is true for some values of the variables, which are constants that occur nowhere else.
pub(super) fn some(terms: &mut Terms, variables: &[Term], body: Term) -> Meaning {
    let mut elimination = Elimination { terms, variables, cases: MAX_CASES, unknown: Vec::new() };
    let term = if elimination.variables_in(body).is_empty() {
        body
    } else if subterms(elimination.terms, &[body]).len() <= MAX_SUBTERMS {
        elimination.without_variables(vec![body])
    } else {
        elimination.not_understood()
    };
    Meaning { term, unknown: elimination.unknown }
}

/// The same for all values of the variables.
pub(super) fn all(terms: &mut Terms, variables: &[Term], body: Term) -> Meaning {
    let opposite = build::not(terms, body);
    let Meaning { term, unknown } = some(terms, variables, opposite);
    Meaning { term: build::not(terms, term), unknown }
}

struct Elimination<'t> {
    terms: &'t mut Terms,
    variables: &'t [Term],
    /// Cases that are still examined.
    cases: u32,
    unknown: Vec<Term>,
}

impl Elimination<'_> {
    /// What says without the variables that all conjuncts are true for some values of them.
    fn without_variables(&mut self, conjuncts: Vec<Term>) -> Term {
        let Some(cases) = self.cases.checked_sub(1) else { return self.not_understood() };
        self.cases = cases;
        let mut conjuncts = self.flat(conjuncts);
        loop {
            if conjuncts.iter().any(|conjunct| self.terms.op(*conjunct) == Some(Op::False)) {
                return self.terms.bool(false);
            }
            let occurring: Vec<Vec<Term>> =
                conjuncts.iter().map(|conjunct| self.variables_in(*conjunct)).collect();
            let with: Vec<usize> = (0..conjuncts.len()).filter(|at| !occurring[*at].is_empty()).collect();
            if with.is_empty() {
                return build::and(self.terms, &conjuncts);
            }
            if let Some((at, (variable, value))) =
                with.iter().find_map(|at| Some((*at, self.given(conjuncts[*at])?)))
            {
                conjuncts.remove(at);
                conjuncts = self.substituted(&conjuncts, variable, value);
                conjuncts = self.flat(conjuncts);
                continue;
            }
            let own = own_variables(&occurring);
            if let Some((at, rest)) =
                with.iter().find_map(|at| Some((*at, self.rest(conjuncts[*at], &own[*at])?)))
            {
                conjuncts[at] = rest;
                continue;
            }
            return self.by_cases(&conjuncts).unwrap_or_else(|| {
                let (_, mut known): (Vec<Term>, Vec<Term>) =
                    conjuncts.iter().partition(|conjunct| self.has_variables(**conjunct));
                known.push(self.not_understood());
                build::and(self.terms, &known)
            });
        }
    }

    /// A constant that stands for something that is not understood.
    fn not_understood(&mut self) -> Term {
        let constant = build::fresh(self.terms, "abstracted", Sort::BOOL);
        self.unknown.push(constant);
        constant
    }

    /// The conjuncts of which these consist, negations pushed inside.
    fn flat(&mut self, conjuncts: Vec<Term>) -> Vec<Term> {
        let mut open: Vec<(Term, bool)> = conjuncts.into_iter().rev().map(|term| (term, true)).collect();
        let mut flat = Vec::new();
        let mut seen = FxHashSet::default();
        while let Some((term, is_positive)) = open.pop() {
            if !seen.insert((term, is_positive)) {
                continue;
            }
            let args = self.terms.args(term);
            match (self.terms.op(term), is_positive) {
                (Some(Op::Not), _) => open.push((args[0], !is_positive)),
                (Some(Op::And), true) | (Some(Op::Or), false) => {
                    open.extend(args.iter().rev().map(|arg| (*arg, is_positive)));
                }
                (Some(Op::Implies), false) => {
                    let last = args.len() - 1;
                    open.push((args[last], false));
                    open.extend(args[..last].iter().rev().map(|arg| (*arg, true)));
                }
                (Some(Op::True), true) | (Some(Op::False), false) => {}
                _ => match self.compared_with_literal(term) {
                    Some((other, literal)) => open.push((other, literal == is_positive)),
                    None if is_positive => flat.push(term),
                    None => flat.push(build::not(self.terms, term)),
                },
            }
        }
        flat
    }

    /// The truth value that an equation says that another term has.
    fn compared_with_literal(&self, term: Term) -> Option<(Term, bool)> {
        let &[left, right] = self.terms.args(term) else { return None };
        if self.terms.op(term) != Some(Op::Eq) {
            return None;
        }
        let literal = |side| build::bool_value(self.terms, side);
        literal(left).map(|value| (right, value)).or_else(|| literal(right).map(|value| (left, value)))
    }

    fn is_variable(&self, term: Term) -> bool {
        self.variables.contains(&term)
    }

    fn variables_in(&self, term: Term) -> Vec<Term> {
        subterms(self.terms, &[term]).into_iter().filter(|part| self.is_variable(*part)).collect()
    }

    fn has_variables(&self, term: Term) -> bool {
        !self.variables_in(term).is_empty()
    }

    fn occurs(&self, variable: Term, term: Term) -> bool {
        subterms(self.terms, &[term]).contains(&variable)
    }

    /// The variable that a conjunct gives a value to, and the value.
    fn given(&mut self, conjunct: Term) -> Option<(Term, Term)> {
        let is_negated = self.terms.op(conjunct) == Some(Op::Not);
        let atom = if is_negated { self.terms.args(conjunct)[0] } else { conjunct };
        if self.is_variable(atom) {
            return Some((atom, self.terms.bool(!is_negated)));
        }
        let &[left, right] = self.terms.args(atom) else { return None };
        if self.terms.op(atom) != Some(Op::Eq) || is_negated {
            return None;
        }
        let [left, right] = [left, right].map(|side| match flat_parts(self.terms, side)[..] {
            [only] => only,
            _ => side,
        });
        let gives = |side, value| self.is_variable(side) && !self.occurs(side, value);
        if gives(left, right) {
            return Some((left, right));
        }
        gives(right, left).then_some((right, left))
    }

    fn substituted(&mut self, conjuncts: &[Term], variable: Term, value: Term) -> Vec<Term> {
        let name = build::constant_name(self.terms, variable).expect("variables are constants");
        let mut substitution = Substitution::new();
        substitution.replace(name, value);
        conjuncts.iter().map(|conjunct| substitute(self.terms, *conjunct, &substitution)).collect()
    }

    /// What is left of a conjunct without some of the variables that occur only there, which are its own.
    fn rest(&mut self, conjunct: Term, own: &[Term]) -> Option<Term> {
        let is_negated = self.terms.op(conjunct) == Some(Op::Not);
        let atom = if is_negated { self.terms.args(conjunct)[0] } else { conjunct };
        let &[left, right] = self.terms.args(atom) else { return None };
        let op = self.terms.op(atom)?;
        match (op, self.terms.sort(left)) {
            (Op::Eq, Sort::STRING) if is_negated => {
                // Whatever the rest is, some length of the variable makes the sides differ.
                let is_free = |variable: &Term| {
                    self.is_one_part(*variable, left, right) || self.is_one_part(*variable, right, left)
                };
                own.iter().any(is_free).then(|| self.terms.bool(true))
            }
            (Op::Eq, Sort::STRING) => self.around(own, left, right).or_else(|| self.around(own, right, left)),
            (Op::Eq | Op::Le | Op::Lt | Op::Ge | Op::Gt, Sort::INT) => own.iter().find_map(|variable| {
                let coefficient =
                    coefficient(self.terms, left, *variable)? - coefficient(self.terms, right, *variable)?;
                if coefficient == IBig::ZERO {
                    return None;
                }
                if op == Op::Eq && !is_negated {
                    Some(self.divisible(left, right, *variable, coefficient))
                } else {
                    Some(self.terms.bool(true))
                }
            }),
            _ => None,
        }
    }

    /// Whether a variable is one of the parts of a word, once, and does not occur in another.
    fn is_one_part(&self, variable: Term, word: Term, other: Term) -> bool {
        let parts = flat_parts(self.terms, word);
        let (this, others): (Vec<Term>, Vec<Term>) = parts.into_iter().partition(|part| *part == variable);
        this.len() == 1 && !others.iter().chain([&other]).any(|part| self.occurs(variable, *part))
    }

    /// What it says about a word without variables that it is what is built of at most two words without variables and,
    /// before, between or behind them, of variables that occur once.
    fn around(&mut self, own: &[Term], built: Term, word: Term) -> Option<Term> {
        if self.has_variables(word) {
            return None;
        }
        let parts = flat_parts(self.terms, built);
        let is_gap = |part: &Term| own.contains(part);
        let is_mixed = |part: &Term| !is_gap(part) && self.has_variables(*part);
        let is_repeated =
            |part: &Term| is_gap(part) && parts.iter().filter(|other| *other == part).count() > 1;
        if parts.iter().any(|part| is_mixed(part) || is_repeated(part)) {
            return None;
        }
        let is_first_gap = parts.first().is_some_and(is_gap);
        let is_last_gap = parts.last().is_some_and(is_gap);
        let solid: Vec<Vec<Term>> =
            parts.split(is_gap).filter(|parts| !parts.is_empty()).map(<[Term]>::to_vec).collect();
        let solid: Vec<Term> = solid.iter().map(|parts| build::concat(self.terms, parts)).collect();
        let terms = &mut *self.terms;
        match (is_first_gap, &solid[..], is_last_gap) {
            (true, [], _) => Some(terms.bool(true)),
            (true, &[part], true) => Some(build::apply(terms, Op::StrContains, &[word, part])),
            (true, &[part], false) => Some(build::apply(terms, Op::StrSuffixof, &[part, word])),
            (false, &[part], true) => Some(build::apply(terms, Op::StrPrefixof, &[part, word])),
            (false, &[start, end], false) => {
                let starts = build::apply(terms, Op::StrPrefixof, &[start, word]);
                let ends = build::apply(terms, Op::StrSuffixof, &[end, word]);
                let [start, end, all] = [start, end, word].map(|part| build::len(terms, part));
                let both = build::sum(terms, &[start, end]);
                let fits = build::at_most(terms, both, all);
                Some(build::and(terms, &[starts, ends, fits]))
            }
            _ => None,
        }
    }

    /// Says that what an equation between integers leaves for a variable is a multiple of its coefficient.
    fn divisible(&mut self, left: Term, right: Term, variable: Term, coefficient: IBig) -> Term {
        let divisor = IBig::from(coefficient.into_parts().1);
        if divisor == IBig::ONE {
            return self.terms.bool(true);
        }
        let zero = literal::int(self.terms, &IBig::ZERO);
        let sides = self.substituted(&[left, right], variable, zero);
        let rest = build::difference(self.terms, sides[0], sides[1]);
        let divisor = literal::int(self.terms, &divisor);
        let remainder = build::apply(self.terms, Op::Mod, &[rest, divisor]);
        build::eq(self.terms, remainder, zero)
    }

    /// Takes a disjunction apart, or the two values of a Boolean variable.
    fn by_cases(&mut self, conjuncts: &[Term]) -> Option<Term> {
        for (position, conjunct) in conjuncts.iter().enumerate() {
            if !self.has_variables(*conjunct) {
                continue;
            }
            let Some(disjuncts) = self.disjuncts(*conjunct) else { continue };
            let mut cases = Vec::with_capacity(disjuncts.len());
            for disjunct in disjuncts {
                let mut conjuncts = conjuncts.to_vec();
                conjuncts[position] = disjunct;
                cases.push(self.without_variables(conjuncts));
            }
            return Some(build::or(self.terms, &cases));
        }
        let occurring = subterms(self.terms, conjuncts);
        let is_boolean = |part: &Term| self.is_variable(*part) && self.terms.sort(*part) == Sort::BOOL;
        let variable = occurring.into_iter().find(is_boolean)?;
        let mut cases = Vec::with_capacity(2);
        for value in [false, true] {
            let value = self.terms.bool(value);
            let instance = self.substituted(conjuncts, variable, value);
            cases.push(self.without_variables(instance));
        }
        Some(build::or(self.terms, &cases))
    }

    /// What a conjunct is a disjunction of.
    fn disjuncts(&mut self, conjunct: Term) -> Option<Vec<Term>> {
        let args = self.terms.args(conjunct).to_vec();
        match self.terms.op(conjunct)? {
            Op::Or => Some(args),
            Op::Implies => {
                let (conclusion, premises) = args.split_last()?;
                let mut disjuncts: Vec<Term> =
                    premises.iter().map(|premise| build::not(self.terms, *premise)).collect();
                disjuncts.push(*conclusion);
                Some(disjuncts)
            }
            Op::Ite => {
                let &[condition, then, otherwise] = &args[..] else { return None };
                let opposite = build::not(self.terms, condition);
                let cases = [[condition, then], [opposite, otherwise]];
                Some(cases.map(|case| build::and(self.terms, &case)).to_vec())
            }
            Op::Eq | Op::Xor => self.equal_or_not(conjunct, true),
            Op::Not if self.terms.op(args[0]) == Some(Op::And) => {
                let conjuncts = self.terms.args(args[0]).to_vec();
                Some(conjuncts.into_iter().map(|part| build::not(self.terms, part)).collect())
            }
            Op::Not => self.equal_or_not(args[0], false),
            _ => None,
        }
    }

    /// The two ways in which an equation or `xor` of truth values is true or, if that is asked for, false.
    fn equal_or_not(&mut self, term: Term, is_true: bool) -> Option<Vec<Term>> {
        let &[left, right] = self.terms.args(term) else { return None };
        let is_equation = match self.terms.op(term)? {
            Op::Eq if self.terms.sort(left) == Sort::BOOL => true,
            Op::Xor => false,
            _ => return None,
        };
        let [not_left, not_right] = [left, right].map(|side| build::not(self.terms, side));
        let ways = if is_equation == is_true {
            [[left, right], [not_left, not_right]]
        } else {
            [[left, not_right], [not_left, right]]
        };
        Some(ways.map(|way| build::and(self.terms, &way)).to_vec())
    }
}

/// For each conjunct the variables that occur in no other.
fn own_variables(occurring: &[Vec<Term>]) -> Vec<Vec<Term>> {
    let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
    for variable in occurring.iter().flatten() {
        *counts.entry(*variable).or_default() += 1;
    }
    let own = |here: &Vec<Term>| here.iter().copied().filter(|variable| counts[variable] == 1).collect();
    occurring.iter().map(own).collect()
}

/// The parts of a string term of which none is a concatenation or the empty word; the term itself if they are too many.
fn flat_parts(terms: &Terms, word: Term) -> Vec<Term> {
    let mut open = vec![word];
    let mut parts = Vec::new();
    for _ in 0..MAX_WORD_STEPS {
        let Some(part) = open.pop() else { return parts };
        match terms.op(part) {
            Some(Op::StrConcat) => open.extend(terms.args(part).iter().rev()),
            _ if build::is_empty_literal(terms, part) => {}
            _ => parts.push(part),
        }
    }
    vec![word]
}

/// The factor of a variable in a term that is linear in it.
fn coefficient(terms: &Terms, term: Term, variable: Term) -> Option<IBig> {
    // Nothing for a part that is not linear.
    let mut factors: FxHashMap<Term, Option<IBig>> = FxHashMap::default();
    for part in subterms(terms, &[term]) {
        let args = terms.args(part);
        let mut of_args = args.iter().map(|arg| factors[arg].clone());
        let factor = if part == variable {
            Some(IBig::ONE)
        } else if of_args.clone().all(|factor| factor == Some(IBig::ZERO)) {
            Some(IBig::ZERO)
        } else {
            match (terms.op(part), args) {
                (Some(Op::Add), _) => of_args.sum(),
                (Some(Op::Neg), _) => of_args.next().flatten().map(|factor| -factor),
                (Some(Op::Sub), _) => {
                    let first = of_args.next().flatten();
                    let others: Option<IBig> = of_args.sum();
                    first.zip(others).map(|(first, others)| first - others)
                }
                (Some(Op::Mul), &[number, other] | &[other, number])
                    if literal::int_value(terms, number).is_some() =>
                {
                    literal::int_value(terms, number).zip(factors[&other].clone()).map(|(a, b)| a * b)
                }
                _ => None,
            }
        };
        factors.insert(part, factor);
    }
    factors.remove(&term).flatten()
}

#[cfg(test)]
mod tests {
    use smelt_semantics::environment::Environment;
    use smelt_semantics::eval::Evaluator;
    use smelt_semantics::model::Model;
    use smelt_semantics::value::Value;
    use smelt_smtlib::substitute::expand_lets;

    use super::*;
    use crate::Solver;

    /// What bodies are made of. `u`, `v`, `n` and `p` are bound, `x` and `i` are not.
    const ATOMS: &[&str] = &[
        "p",
        "(= p (= x \"a\"))",
        "(= u \"a\")",
        "(= (str.++ x \"a\") u)",
        "(= u v)",
        "(= u x)",
        "(= (str.++ u v) x)",
        "(= x (str.++ (str.++ u \"a\") v))",
        "(= x (str.++ u \"a\" \"b\"))",
        "(= (str.++ \"a\" u) x)",
        "(= (str.++ \"a\" u \"a\") x)",
        "(= (str.++ u \"\") x)",
        "(= (str.++ u u) x)",
        "(= (str.++ u \"a\") (str.++ \"a\" u))",
        "(not (= (str.++ u \"a\") x))",
        "(not (= (str.++ u x) (str.++ \"a\" u)))",
        "(str.prefixof u x)",
        "(= n i)",
        "(= (* 2 n) i)",
        "(= (+ n n) i)",
        "(= (- (* 3 n) 1) (+ i n))",
        "(= (- n) (+ n i (str.len x)))",
        "(< n i)",
        "(>= (* 2 n) (str.len u))",
        "(not (= n (* 2 i)))",
        "(= (* n n) i)",
        "(= n (str.len u))",
        "(and (= u (str.++ v \"\")) (= (str.++ \"a\" u) x))",
        "(and (= (str.++ \"\" v) u) (= (str.++ v \"b\") x) (= u \"\"))",
        "(= x \"a\")",
    ];

    /// What is near to what is understood, and combined with less.
    const EDGES: &[&str] = &[
        "(= (* (- 2) n) i)",
        "(= (* n 0) i)",
        "(= (- n n) i)",
        "(= (- n n n) i)",
        "(= (- 3 n) i)",
        "(= (+ n (* 2 n) (- n)) i)",
        "(= (* 2 (+ n 1)) i)",
        "(= (* n 3) (* i 2))",
        "(> i (* 3 n))",
        "(not (>= (* 0 n) i))",
        "(= (mod n 2) i)",
        "(= (div n (- 2)) i)",
        "(= (abs n) i)",
        "(< i n 2)",
        "(= (ite p 1 n) i)",
        "(distinct u x)",
        "(= u x v)",
        "(= (str.++ u \"a\" v \"b\") x)",
        "(= (str.++ \"a\" u \"b\" v) x)",
        "(= (str.++ u v u) x)",
        "(= (str.++ u x) x)",
        "(= (str.++ x u \"a\") (str.++ \"b\" x))",
        "(not (= (str.++ u v) (str.++ v u)))",
        "(not (= u (str.++ u x)))",
        "(= (str.++ (ite p u \"a\") v) x)",
        "(str.contains x u)",
        "(= (str.at u 0) x)",
        "(xor p (= u x) (= n i))",
        "(=> p (= u x) (= n i))",
        "(ite p (= u x) (= n i))",
        "(= (= u x) (= n i))",
        "(let ((c (= u x))) (and c (or c p) (not (and p c))))",
    ];

    /// Pairs of atoms in all contexts.
    fn bodies() -> Vec<String> {
        let pairs =
            ATOMS.iter().enumerate().flat_map(|(at, first)| ATOMS[at..].iter().map(move |b| (first, b)));
        let near = ["p", "(= u x)", "(< n i)", "(not (= (str.++ u v) x))"];
        let edges: Vec<_> = EDGES.iter().flat_map(|edge| near.map(|atom| (*edge, atom))).collect();
        let pairs = pairs.map(|(first, second)| (*first, *second)).chain(edges);
        pairs
            .flat_map(|(first, second)| {
                CONTEXTS.map(|context| context.replace('A', first).replace('B', second))
            })
            .collect()
    }

    const CONTEXTS: [&str; 6] =
        ["(and A B)", "(or A (not B))", "(=> A (= B false))", "(ite A B p)", "(not (or A B))", "(xor A B)"];

    fn words(max_len: usize) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut layer = words.clone();
        for _ in 0..max_len {
            layer = layer.iter().flat_map(|word| [format!("{word}a"), format!("{word}b")]).collect();
            words.extend(layer.iter().cloned());
        }
        words.into_iter().map(|word| format!("\"{word}\"")).collect()
    }

    fn numbers(most: i32) -> Vec<String> {
        (-most..=most)
            .map(|value| if value < 0 { format!("(- {})", -value) } else { value.to_string() })
            .collect()
    }

    /// All ways to give values to those of some constants that occur in a term.
    fn assignments(terms: &Terms, term: Term, constants: &[(Term, Vec<Term>)]) -> Vec<Vec<(Term, Term)>> {
        let occurring = subterms(terms, &[term]);
        let mut all = vec![Vec::new()];
        for (constant, values) in constants.iter().filter(|(constant, _)| occurring.contains(constant)) {
            let with =
                |value: &Term, given: &Vec<(Term, Term)>| [&given[..], &[(*constant, *value)]].concat();
            all = all.iter().flat_map(|given| values.iter().map(move |value| with(value, given))).collect();
        }
        all
    }

    fn holds(terms: &mut Terms, term: Term, values: &[(Term, Term)]) -> bool {
        let mut model = Model::new();
        for (constant, value) in values {
            model.set(terms, build::constant_name(terms, *constant).unwrap(), *value);
        }
        let (environment, model) = (Environment::default(), model.completed());
        let value = Evaluator::new(terms, &environment, &model).eval(term).unwrap();
        value == Value::Bool(true)
    }

    #[test]
    fn what_is_left_says_the_same() {
        let mut solver = Solver::new();
        let mut constants = |names: &[(&str, &str)], words: &[String], numbers: &[String]| {
            let mut constants = Vec::new();
            for (name, sort) in names {
                solver.declare(name, sort).unwrap();
                let constant = solver.term(name).unwrap();
                let truth = ["false".to_owned(), "true".to_owned()];
                let values = match *sort {
                    "String" => words,
                    "Int" => numbers,
                    _ => &truth,
                };
                constants.push((constant, values.iter().map(|value| solver.term(value).unwrap()).collect()));
            }
            constants
        };
        let free: Vec<(Term, Vec<Term>)> =
            constants(&[("x", "String"), ("i", "Int")], &words(2), &numbers(2));
        let bound: Vec<(Term, Vec<Term>)> = constants(
            &[("u", "String"), ("v", "String"), ("n", "Int"), ("p", "Bool")],
            &words(3),
            &numbers(6),
        );
        let variables: Vec<Term> = bound.iter().map(|(constant, _)| *constant).collect();
        let mut eliminated = 0;
        for text in bodies() {
            // A `let` is not for this file.
            let body = solver.term(&text).unwrap();
            let terms = solver.terms();
            let body = expand_lets(terms, body);
            let Meaning { term: left, unknown } = some(terms, &variables, body);
            if !unknown.is_empty() {
                continue;
            }
            eliminated += 1;
            for given in assignments(terms, body, &free) {
                let instances = assignments(terms, body, &bound);
                let is_witness =
                    |values: &Vec<(Term, Term)>| holds(terms, body, &[&given[..], values].concat());
                let is_possible = instances.iter().any(is_witness);
                assert_eq!(holds(terms, left, &given), is_possible, "{text} for {given:?}");
            }
            let not_body = build::not(terms, body);
            let opposite = build::not(terms, left);
            assert_eq!(all(terms, &variables, not_body).term, opposite, "{text}");
        }
        assert!(eliminated > 1_000, "{eliminated}");
    }

    #[test]
    fn what_is_understood_beside_the_rest_is_kept() {
        let mut solver = Solver::new();
        for (name, sort) in [("x", "String"), ("u", "String"), ("p", "Bool")] {
            solver.declare(name, sort).unwrap();
        }
        let variable = solver.term("u").unwrap();
        let body = solver.term("(and p (or (= u x) (= (str.++ u u) x)))").unwrap();
        let Meaning { term, unknown } = some(solver.terms(), &[variable], body);
        let [unknown] = unknown[..] else { panic!("one part is not understood") };
        let p = solver.term("p").unwrap();
        let terms = solver.terms();
        let rest = build::and(terms, &[p, unknown]);
        assert_eq!(term, build::or(terms, &[p, rest]));
    }

    #[test]
    fn what_is_not_understood_stays() {
        let mut solver = Solver::new();
        solver.declare("x", "String").unwrap();
        solver.declare("u", "String").unwrap();
        for body in ["(str.in_re u (str.to_re x))", "(= (str.++ u u) x)", "(= (str.++ u x u) \"a\")"] {
            let (variable, body) = (solver.term("u").unwrap(), solver.term(body).unwrap());
            let Meaning { term, unknown } = some(solver.terms(), &[variable], body);
            assert_eq!(unknown, [term]);
        }
    }

    /// `(op x x)`, and so on with the result for as many times as this.
    fn doubled(op: &str, leaf: &str, times: usize) -> String {
        let lets: String = (1..=times).map(|n| format!("(let ((d{n} ({op} d{0} d{0}))) ", n - 1)).collect();
        format!("(let ((d0 {leaf})) {lets}{}{}", format_args!("d{times}"), ")".repeat(times + 1))
    }

    #[test]
    fn shared_parts_are_looked_at_once() {
        let mut solver = Solver::new();
        for (name, sort) in [("x", "String"), ("i", "Int"), ("u", "String"), ("n", "Int")] {
            solver.declare(name, sort).unwrap();
        }
        let variables = ["u", "n"].map(|name| solver.term(name).unwrap());
        let words = format!("(= x {})", doubled("str.++", "u", 60));
        let sums = format!("(= i {})", doubled("+", "n", 60));
        let conjunctions = doubled("and", "(= u x)", 60);
        for (body, is_understood) in [(words, false), (sums, true), (conjunctions, true)] {
            let body = solver.term(&body).unwrap();
            let body = expand_lets(solver.terms(), body);
            assert_eq!(some(solver.terms(), &variables, body).unknown.is_empty(), is_understood);
        }
    }

    #[test]
    fn what_is_large_stays_unless_no_variable_occurs() {
        let mut solver = Solver::new();
        for (name, sort) in [("x", "String"), ("u", "String")] {
            solver.declare(name, sort).unwrap();
        }
        let variable = solver.term("u").unwrap();
        let words: String = (0..MAX_SUBTERMS).map(|n| format!("(= x \"{n}\")")).collect();
        for (atom, is_understood) in [("(= u x)", false), ("(= x x)", true)] {
            let body = solver.term(&format!("(or {atom} {words})")).unwrap();
            let Meaning { term, unknown } = some(solver.terms(), &[variable], body);
            assert_eq!((unknown.is_empty(), term == body), (is_understood, is_understood));
        }
    }
}
