//! From terms to clauses over linear atoms, opaque literals and guarded string constraints.
//!
//! Every Boolean term gets a literal, every integer term a linear form, every string term a concatenation of variables
//! and words. Functions get a fresh variable for their value and a constraint that defines it. What is not understood
//! gets a fresh variable and no constraint: that forgets something, so a refutation stays one, and a model is
//! evaluated by the caller anyway.

mod axioms;
pub(crate) mod candidate;
pub(crate) mod definitions;
pub(crate) mod equations;
mod extend;
pub(crate) mod facts;
pub(crate) mod languages;
mod record;
mod relevant;
pub(crate) mod rounds;
mod share;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::Budget;
use smelt_semantics::letters::LetterSet;
use smelt_semantics::literal;
use smelt_semantics::string::{MAX_CHAR, Str};
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::effort::{Effort, Stopped};
use crate::proof::record::ASSERTION;
use crate::theory::arith::{IntVar, Linear};
use crate::theory::fixed_length::{Constraint, Matching, Piece, Text, Var};
use crate::theory::number::Integer;
use crate::theory::regex::lengths::LengthSet;
use crate::theory::regex::{Occurrences, Re, Regexes};
use crate::theory::search::{Gate, Literal, Search, Trace};

use definitions::{Anchor, Occurrence, concatenate};
use facts::{Fact, Shape};

/// Budget for reading one regular expression.
const REGEX_BUDGET: u64 = 50_000_000;

/// The formula as the search sees it, and what the search does not see.
pub(crate) struct Abstraction {
    pub(crate) search: Search,
    pub(crate) regexes: Regexes,
    /// The lengths of languages, once they were asked for.
    language_lengths: FxHashMap<Re, Arc<LengthSet>>,
    literals: FxHashMap<Term, Literal>,
    integers: FxHashMap<Term, Linear>,
    texts: FxHashMap<Term, Text>,
    /// The length of each string variable.
    pub(crate) lengths: Vec<IntVar>,
    /// String constraints, each true when its guard is.
    pub(crate) facts: Vec<Fact>,
    /// The facts that give a term its meaning.
    facts_of: FxHashMap<Term, Vec<usize>>,
    quotients: FxHashMap<(Term, Integer), IntVar>,
    /// Products that are not linear; the search knows nothing about them.
    pub(crate) products: Vec<Product>,
    /// Equations between texts with their literals and the positions of their facts.
    equations: FxHashMap<(Text, Text), (Literal, [usize; 2])>,
    /// Searches for one text in another.
    pub(crate) occurrences: FxHashMap<(Text, Text), Occurrence>,
    /// The positions of equations that were derived from others and that count whenever they are true.
    pub(crate) derived: Vec<usize>,
    /// Facts that were found not to hold together, by their positions.
    pub(crate) refuted: Vec<Vec<usize>>,
    /// Memberships in languages that are not constant.
    pub(crate) open_memberships: FxHashSet<Term>,
    /// The declared constants with what stands for them.
    pub(crate) bool_constants: Vec<(Symbol, Literal)>,
    pub(crate) int_constants: Vec<(Symbol, IntVar)>,
    pub(crate) string_constants: Vec<(Symbol, Var)>,
}

/// A product of two integers that are not constant.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) value: Linear,
    pub(crate) factors: [Linear; 2],
}

impl Abstraction {
    /// The abstraction of a conjunction.
    pub(crate) fn of(
        terms: &Terms,
        assertions: &[Term],
        trace: Trace,
        effort: &mut Effort,
    ) -> Result<Abstraction, Stopped> {
        let mut abstraction = Abstraction {
            search: Search::traced(trace),
            regexes: Regexes::new(),
            language_lengths: FxHashMap::default(),
            literals: FxHashMap::default(),
            integers: FxHashMap::default(),
            texts: FxHashMap::default(),
            lengths: Vec::new(),
            facts: Vec::new(),
            facts_of: FxHashMap::default(),
            quotients: FxHashMap::default(),
            products: Vec::new(),
            equations: FxHashMap::default(),
            occurrences: FxHashMap::default(),
            derived: Vec::new(),
            refuted: Vec::new(),
            open_memberships: FxHashSet::default(),
            bool_constants: Vec::new(),
            int_constants: Vec::new(),
            string_constants: Vec::new(),
        };
        // Arguments come before what uses them.
        for term in subterms(terms, assertions) {
            abstraction.add_term(terms, term);
            // What is shared in the formula is written out here.
            let pieces = abstraction.texts.get(&term).map_or(0, |text| text_len(text));
            let monomials = abstraction.integers.get(&term).map_or(0, |linear| linear.terms().len());
            effort.spend(1 + (pieces + monomials + terms.args(term).len()) as u64 / PIECES_PER_UNIT)?;
        }
        abstraction.search.because(ASSERTION);
        for assertion in assertions {
            let literal = abstraction.literals[assertion];
            abstraction.search.add_clause(&[literal]);
        }
        abstraction.search.because("definition");
        Ok(abstraction)
    }

    /// The literal of a Boolean term.
    pub(crate) fn literal(&self, term: Term) -> Literal {
        self.literals[&term]
    }

    /// The facts that give a term its meaning, by their positions.
    pub(crate) fn facts_of(&self, term: Term) -> &[usize] {
        self.facts_of.get(&term).map_or(&[], Vec::as_slice)
    }

    /// The length of a text.
    pub(crate) fn length(&self, text: &Text) -> Linear {
        let mut constant = Integer::ZERO;
        let mut products = Vec::new();
        for piece in text {
            match piece {
                Piece::Var(var) => products.push((self.lengths[*var as usize], Integer::ONE)),
                Piece::Word(letters) => constant += &Integer::from(letters.len()),
            }
        }
        Linear::from_terms(products, constant)
    }

    /// A new string variable; its length is a new integer variable that is not negative.
    pub(crate) fn new_string(&mut self) -> Var {
        let length = self.search.new_int();
        self.lengths.push(length);
        let not_negative = self.search.at_least(&Linear::variable(length), &Linear::constant(0));
        self.search.add_clause(&[not_negative]);
        Var::try_from(self.lengths.len() - 1).expect("fewer than 2^32 string variables")
    }

    fn add_term(&mut self, terms: &Terms, term: Term) {
        match terms.sort(term) {
            Sort::BOOL => {
                let literal = self.bool_term(terms, term);
                self.literals.insert(term, literal);
            }
            Sort::INT => {
                let linear = self.int_term(terms, term);
                self.integers.insert(term, linear);
            }
            Sort::STRING => {
                let text = self.string_term(terms, term);
                self.texts.insert(term, text);
            }
            _ => {}
        }
    }

    fn bool_term(&mut self, terms: &Terms, term: Term) -> Literal {
        if let Some(value) = build::bool_value(terms, term) {
            return self.truth(value);
        }
        let args = terms.args(term);
        let Head::Op(op, _) = terms.head(term) else {
            let literal = self.search.new_bool();
            if let Some(name) = build::constant_name(terms, term) {
                self.bool_constants.push((name, literal));
            }
            return literal;
        };
        let literals = |this: &Self| -> Vec<Literal> { args.iter().map(|arg| this.literals[arg]).collect() };
        let pairs: Vec<(Term, Term)> = args.windows(2).map(|pair| (pair[0], pair[1])).collect();
        match op {
            Op::Not => !self.literals[&args[0]],
            Op::And => {
                let negated: Vec<Literal> = literals(self).into_iter().map(|literal| !literal).collect();
                !self.disjunction(negated)
            }
            Op::Or => {
                let literals = literals(self);
                self.disjunction(literals)
            }
            Op::Implies | Op::ImpliesWord => {
                let mut literals = literals(self);
                let last = literals.len() - 1;
                for literal in &mut literals[..last] {
                    *literal = !*literal;
                }
                self.disjunction(literals)
            }
            Op::Xor => {
                let mut literals = literals(self).into_iter();
                let first = literals.next().expect("an exclusive or has arguments");
                literals.fold(first, |left, right| !self.equivalence(left, right))
            }
            Op::Ite => {
                let [condition, then, otherwise] = [0, 1, 2].map(|position| self.literals[&args[position]]);
                self.choice(condition, then, otherwise)
            }
            Op::Eq | Op::Iff => {
                let equal: Vec<Literal> =
                    pairs.iter().map(|(left, right)| !self.equation(terms, term, *left, *right)).collect();
                !self.disjunction(equal)
            }
            // Too many pairs: nothing is known about them.
            Op::Distinct if args.len() > MAX_DISTINCT => self.search.new_bool(),
            Op::Distinct => {
                let mut equal = Vec::new();
                for (position, left) in args.iter().enumerate() {
                    for right in &args[position + 1..] {
                        equal.push(self.equation(terms, term, *left, *right));
                    }
                }
                !self.disjunction(equal)
            }
            Op::Le | Op::Lt | Op::Ge | Op::Gt if terms.sort(args[0]) == Sort::INT => {
                let fails: Vec<Literal> = pairs
                    .iter()
                    .map(|(left, right)| {
                        let (left, right) = match op {
                            Op::Le | Op::Lt => (&self.integers[left], &self.integers[right]),
                            _ => (&self.integers[right], &self.integers[left]),
                        };
                        let slack = if matches!(op, Op::Lt | Op::Gt) { 1 } else { 0 };
                        !self.search.at_most(&(left + &Linear::constant(slack)), right)
                    })
                    .collect();
                !self.disjunction(fails)
            }
            Op::StrLt | Op::StrLe => {
                let or_equal = op == Op::StrLe;
                let fails: Vec<Literal> = pairs
                    .iter()
                    .map(|(left, right)| {
                        let (left, right) = (self.texts[left].clone(), self.texts[right].clone());
                        let less =
                            |left: Text, right: Text, or_equal| Constraint::Less { left, right, or_equal };
                        !self.string_atom(
                            term,
                            less(left.clone(), right.clone(), or_equal),
                            less(right, left, !or_equal),
                        )
                    })
                    .collect();
                !self.disjunction(fails)
            }
            Op::StrPrefixof | Op::StrSuffixof => {
                let [part, whole] = [0, 1].map(|position| self.texts[&args[position]].clone());
                let anchor = if op == Op::StrPrefixof { Anchor::Start } else { Anchor::End };
                self.part_atom(term, whole, part, anchor)
            }
            Op::StrContains => {
                let [whole, part] = [0, 1].map(|position| self.texts[&args[position]].clone());
                self.part_atom(term, whole, part, Anchor::Anywhere)
            }
            Op::StrIsDigit => {
                let digits = self.regexes.letters(LetterSet::range(u32::from('0'), u32::from('9')));
                self.membership(term, args[0], digits)
            }
            Op::StrInRe => match self.regexes.from_term(terms, args[1], &mut Budget::new(REGEX_BUDGET)) {
                Ok(re) => self.membership(term, args[0], re),
                Err(_) => self.open_membership(terms, term),
            },
            _ => self.search.new_bool(),
        }
    }

    fn truth(&self, value: bool) -> Literal {
        if value { self.search.always() } else { !self.search.always() }
    }

    /// The literal that is true if and only if one of the literals is.
    fn disjunction(&mut self, mut literals: Vec<Literal>) -> Literal {
        literals.sort_unstable();
        literals.dedup();
        let always = self.search.always();
        literals.retain(|literal| *literal != !always);
        if literals.contains(&always) || literals.iter().any(|literal| literals.contains(&!*literal)) {
            return always;
        }
        match literals.as_slice() {
            [] => !always,
            [only] => *only,
            _ => self.search.gate(Gate::Or(literals)),
        }
    }

    fn equivalence(&mut self, left: Literal, right: Literal) -> Literal {
        let always = self.search.always();
        if left == right {
            return always;
        }
        if left == !right {
            return !always;
        }
        for (constant, other) in [(left, right), (right, left)] {
            if constant == always {
                return other;
            }
            if constant == !always {
                return !other;
            }
        }
        self.search.gate(Gate::Iff(left, right))
    }

    fn choice(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        self.search.gate(Gate::Ite(condition, then, otherwise))
    }

    /// The literal of an equation between two arguments of `term`.
    fn equation(&mut self, terms: &Terms, term: Term, left: Term, right: Term) -> Literal {
        match terms.sort(left) {
            Sort::BOOL => self.equivalence(self.literals[&left], self.literals[&right]),
            Sort::INT => self.search.equals(&self.integers[&left], &self.integers[&right]),
            Sort::STRING => {
                let (left, right) = (self.texts[&left].clone(), self.texts[&right].clone());
                self.string_equation(term, left, right)
            }
            _ => self.search.new_bool(),
        }
    }

    fn string_equation(&mut self, term: Term, left: Text, right: Text) -> Literal {
        if left == right {
            return self.search.always();
        }
        for key in [(left.clone(), right.clone()), (right.clone(), left.clone())] {
            if let Some((literal, facts)) = self.equations.get(&key) {
                self.facts_of.entry(term).or_default().extend(facts);
                return *literal;
            }
        }
        let first = self.facts.len();
        let equal = Constraint::Equal(left.clone(), right.clone());
        let different = Constraint::Different(left.clone(), right.clone());
        let literal = self.string_atom(term, equal, different);
        self.equations.insert((left, right), (literal, [first, first + 1]));
        literal
    }

    /// The literal of an equation, if there is one.
    pub(crate) fn known_equation(&self, left: &Text, right: &Text) -> Option<Literal> {
        [(left, right), (right, left)]
            .into_iter()
            .find_map(|(left, right)| self.equations.get(&(left.clone(), right.clone())))
            .map(|(literal, _)| *literal)
    }

    /// The literal of an equation that follows from others. Its truth is a fact like those of the formula.
    pub(crate) fn derived_equation(&mut self, left: Text, right: Text) -> Literal {
        if left == right {
            return self.search.always();
        }
        if let ([Piece::Word(_)], [Piece::Word(_)]) = (left.as_slice(), right.as_slice()) {
            return !self.search.always();
        }
        for key in [(left.clone(), right.clone()), (right.clone(), left.clone())] {
            if let Some((literal, facts)) = self.equations.get(&key) {
                self.derived.push(facts[0]);
                return *literal;
            }
        }
        let literal = self.search.new_bool();
        let equal = self.push_fact(literal, Shape::Plain(Constraint::Equal(left.clone(), right.clone())));
        let different =
            self.push_fact(!literal, Shape::Plain(Constraint::Different(left.clone(), right.clone())));
        self.derived.push(equal);
        self.equations.insert((left, right), (literal, [equal, different]));
        literal
    }

    fn membership(&mut self, term: Term, text: Term, re: Re) -> Literal {
        let text = self.texts[&text].clone();
        self.text_membership(term, text, re)
    }

    /// Membership in a concatenation with texts that are not known: the word has parts, in order, in the factors.
    ///
    /// What the negation says is forgotten, and so is everything about factors of other kinds.
    fn open_membership(&mut self, terms: &Terms, term: Term) -> Literal {
        self.open_memberships.insert(term);
        let literal = self.search.new_bool();
        let [text, language] = [terms.args(term)[0], terms.args(term)[1]];
        let mut factors = vec![language];
        let mut parts: Vec<Text> = Vec::new();
        while let Some(factor) = factors.pop() {
            match terms.op(factor) {
                Some(Op::ReConcat) => factors.extend(terms.args(factor).iter().rev()),
                Some(Op::StrToRe) => parts.push(self.texts[&terms.args(factor)[0]].clone()),
                _ => {
                    let part = vec![Piece::Var(self.new_string())];
                    if let Ok(re) = self.regexes.from_term(terms, factor, &mut Budget::new(REGEX_BUDGET)) {
                        self.add_fact(term, literal, Shape::Plain(Constraint::Member(part.clone(), re)));
                    }
                    parts.push(part);
                }
            }
            if factors.len() + parts.len() > MAX_PIECES {
                return literal;
            }
        }
        let text = self.texts[&text].clone();
        self.add_fact(term, literal, Shape::Plain(Constraint::Equal(text, concatenate(parts))));
        literal
    }

    /// The literal of a membership.
    pub(crate) fn text_membership(&mut self, term: Term, text: Text, re: Re) -> Literal {
        let complement = self.regexes.complement(re);
        self.string_atom(term, Constraint::Member(text.clone(), re), Constraint::Member(text, complement))
    }

    /// A new literal for a string predicate, given by what it says and by what its negation says.
    fn string_atom(&mut self, term: Term, positive: Constraint, negative: Constraint) -> Literal {
        let literal = self.search.new_bool();
        self.add_fact(term, literal, Shape::Plain(positive));
        self.add_fact(term, !literal, Shape::Plain(negative));
        literal
    }

    /// Adds a fact that gives a term its meaning.
    pub(crate) fn add_fact(&mut self, term: Term, guard: Literal, shape: Shape) {
        let position = self.push_fact(guard, shape);
        self.facts_of.entry(term).or_default().push(position);
    }

    /// Adds a fact that belongs to no term yet.
    pub(crate) fn push_fact(&mut self, guard: Literal, shape: Shape) -> usize {
        let before = self.search.because("lengths");
        self.add_length_axioms(guard, &shape);
        self.search.because(before);
        self.facts.push(Fact { guard, shape });
        self.facts.len() - 1
    }

    /// Adds the clause that some facts cannot hold together.
    pub(crate) fn refute(&mut self, facts: &[usize]) {
        let clause: Vec<Literal> = facts.iter().map(|position| !self.facts[*position].guard).collect();
        self.search.add_clause(&clause);
        self.refuted.push(facts.to_vec());
    }

    /// Lets facts that exist already give a term its meaning, too.
    pub(crate) fn use_facts(&mut self, term: Term, facts: &[usize]) {
        self.facts_of.entry(term).or_default().extend_from_slice(facts);
    }

    /// The literal that is true if and only if all of the literals are.
    pub(crate) fn conjunction(&mut self, literals: &[Literal]) -> Literal {
        let negated = literals.iter().map(|literal| !*literal).collect();
        !self.disjunction(negated)
    }

    fn int_term(&mut self, terms: &Terms, term: Term) -> Linear {
        if let Some(value) = literal::int_value(terms, term) {
            return Linear::constant(Integer::from(value));
        }
        let args = terms.args(term);
        let Head::Op(op, _) = terms.head(term) else {
            let variable = self.search.new_int();
            if let Some(name) = build::constant_name(terms, term) {
                self.int_constants.push((name, variable));
            }
            return Linear::variable(variable);
        };
        match op {
            Op::Neg => -&self.integers[&args[0]],
            Op::Add => args.iter().fold(Linear::constant(0), |sum, arg| &sum + &self.integers[arg]),
            Op::Sub => {
                let first = self.integers[&args[0]].clone();
                args[1..].iter().fold(first, |rest, arg| &rest - &self.integers[arg])
            }
            Op::Mul => self.product(args),
            Op::IntDiv | Op::Mod => self.division(op, args),
            Op::Abs => {
                let inner = self.integers[&args[0]].clone();
                let value = Linear::variable(self.search.new_int());
                let negated = -&inner;
                let is_same = self.search.equals(&value, &inner);
                let is_negated = self.search.equals(&value, &negated);
                let not_negative = self.search.at_least(&inner, &Linear::constant(0));
                self.search.add_clause(&[!not_negative, is_same]);
                self.search.add_clause(&[not_negative, is_negated]);
                value
            }
            Op::Ite => {
                let condition = self.literals[&args[0]];
                let value = Linear::variable(self.search.new_int());
                for (guard, branch) in [(condition, args[1]), (!condition, args[2])] {
                    let branch = self.integers[&branch].clone();
                    let is_branch = self.search.equals(&value, &branch);
                    self.search.add_clause(&[!guard, is_branch]);
                }
                value
            }
            Op::StrLen => self.length(&self.texts[&args[0]]),
            Op::StrIndexof => {
                let [source, part] = [0, 1].map(|position| self.texts[&args[position]].clone());
                let start = self.integers[&args[2]].clone();
                self.define_indexof(term, source, part, &start)
            }
            Op::StrToCode => {
                let text = self.texts[&args[0]].clone();
                self.define_integer(term, |code| Shape::ToCode { code, text })
            }
            Op::StrToInt => {
                let text = self.texts[&args[0]].clone();
                self.define_integer(term, |value| Shape::ToInt { value, text })
            }
            _ => Linear::variable(self.search.new_int()),
        }
    }

    fn define_integer(&mut self, term: Term, shape: impl FnOnce(Linear) -> Shape) -> Linear {
        let result = Linear::variable(self.search.new_int());
        let shape = shape(result.clone());
        self.add_fact(term, self.search.always(), shape);
        result
    }

    fn product(&mut self, args: &[Term]) -> Linear {
        let mut product = Linear::constant(1);
        for arg in args {
            let factor = &self.integers[arg];
            product = match (product.as_constant(), factor.as_constant()) {
                (Some(number), _) => factor.scaled(number),
                (_, Some(number)) => product.scaled(number),
                (None, None) => {
                    let value = Linear::variable(self.search.new_int());
                    self.products.push(Product { value: value.clone(), factors: [product, factor.clone()] });
                    value
                }
            };
        }
        product
    }

    /// Quotient or remainder by a constant that is not zero; everything else is open.
    fn division(&mut self, op: Op, args: &[Term]) -> Linear {
        let &[dividend, divisor] = args else { return Linear::variable(self.search.new_int()) };
        let number = match self.integers[&divisor].as_constant() {
            Some(number) if !number.is_zero() => number.clone(),
            _ => return Linear::variable(self.search.new_int()),
        };
        let dividend_form = self.integers[&dividend].clone();
        let quotient = match self.quotients.get(&(dividend, number.clone())) {
            Some(quotient) => *quotient,
            None => {
                let quotient = self.search.new_int();
                self.quotients.insert((dividend, number.clone()), quotient);
                let remainder = &dividend_form - &Linear::variable(quotient).scaled(&number);
                let at_least_zero = self.search.at_least(&remainder, &Linear::constant(0));
                let below = Linear::constant(number.abs() - Integer::ONE);
                let below_divisor = self.search.at_most(&remainder, &below);
                self.search.add_clause(&[at_least_zero]);
                self.search.add_clause(&[below_divisor]);
                quotient
            }
        };
        let quotient = Linear::variable(quotient);
        if op == Op::IntDiv { quotient } else { &dividend_form - &quotient.scaled(&number) }
    }

    fn string_term(&mut self, terms: &Terms, term: Term) -> Text {
        if let Some(word) = literal::string_value(terms, term) {
            return word_text(&word);
        }
        let args = terms.args(term);
        let Head::Op(op, _) = terms.head(term) else {
            let var = self.new_string();
            if let Some(name) = build::constant_name(terms, term) {
                self.string_constants.push((name, var));
            }
            return vec![Piece::Var(var)];
        };
        let texts = |this: &Self| -> Vec<Text> {
            args.iter().filter_map(|arg| this.texts.get(arg)).cloned().collect()
        };
        match op {
            Op::StrConcat => {
                let texts = texts(self);
                if texts.iter().map(|text| text_len(text)).sum::<usize>() <= MAX_PIECES {
                    return concatenate(texts);
                }
                // Too long to be written out: only its length is known.
                let length = texts.iter().fold(Linear::constant(0), |sum, text| &sum + &self.length(text));
                let result = vec![Piece::Var(self.new_string())];
                let is_as_long = self.search.equals(&self.length(&result), &length);
                self.search.add_clause(&[is_as_long]);
                result
            }
            Op::Ite => {
                let condition = self.literals[&args[0]];
                let result = vec![Piece::Var(self.new_string())];
                for (guard, branch) in [(condition, args[1]), (!condition, args[2])] {
                    let branch = self.texts[&branch].clone();
                    self.add_fact(term, guard, Shape::Plain(Constraint::Equal(result.clone(), branch)));
                }
                result
            }
            Op::StrAt | Op::StrSubstr => {
                let source = self.texts[&args[0]].clone();
                let start = self.integers[&args[1]].clone();
                let count = match args.get(2) {
                    Some(count) => self.integers[count].clone(),
                    None => Linear::constant(1),
                };
                self.define_substr(term, source, &start, &count)
            }
            Op::StrReplace => {
                let [source, part, new] = [0, 1, 2].map(|position| self.texts[&args[position]].clone());
                self.define_replace(term, source, part, new)
            }
            Op::StrReplaceAll => {
                let [source, part, new] = [0, 1, 2].map(|position| self.texts[&args[position]].clone());
                self.define_string(term, |result| {
                    Shape::Plain(Constraint::ReplaceAll { result, source, part, new })
                })
            }
            Op::StrReplaceRe | Op::StrReplaceReAll => {
                match self.regexes.from_term(terms, args[1], &mut Budget::new(REGEX_BUDGET)) {
                    Ok(language) => {
                        let [source, new] = [0, 2].map(|position| self.texts[&args[position]].clone());
                        let occurrences =
                            if op == Op::StrReplaceRe { Occurrences::First } else { Occurrences::All };
                        self.define_replace_regex(term, source, Matching { language, occurrences }, new)
                    }
                    Err(_) => vec![Piece::Var(self.new_string())],
                }
            }
            Op::StrFromCode => {
                let code = self.integers[&args[0]].clone();
                self.define_string(term, |result| Shape::FromCode { result, code })
            }
            Op::StrFromInt => {
                let value = self.integers[&args[0]].clone();
                self.define_string(term, |result| Shape::FromInt { result, value })
            }
            _ => vec![Piece::Var(self.new_string())],
        }
    }

    fn define_string(&mut self, term: Term, shape: impl FnOnce(Text) -> Shape) -> Text {
        let result = vec![Piece::Var(self.new_string())];
        let shape = shape(result.clone());
        self.add_fact(term, self.search.always(), shape);
        result
    }
}

/// Longer texts are not made out of smaller ones.
const MAX_PIECES: usize = 1 << 14;
/// At most this many arguments are compared with each other.
const MAX_DISTINCT: usize = 1_500;
/// Pieces of texts that are made for a unit of effort.
const PIECES_PER_UNIT: u64 = 32;
/// Letters of words that take as much memory as a piece.
const LETTERS_PER_PIECE: usize = 64;

/// How long a text is, written out.
fn text_len(text: &[Piece]) -> usize {
    let letters = text.iter().map(|piece| match piece {
        Piece::Var(_) => 0,
        Piece::Word(letters) => letters.len(),
    });
    text.len() + letters.sum::<usize>() / LETTERS_PER_PIECE
}

fn word_text(word: &Str) -> Text {
    debug_assert!(word.chars().iter().all(|letter| *letter <= MAX_CHAR));
    if word.is_empty() { Vec::new() } else { vec![Piece::word(word.chars())] }
}
