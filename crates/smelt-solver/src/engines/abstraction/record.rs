//! What the variables of an abstraction stand for, as terms, for a refutation log.
//!
//! Most fresh variables have a meaning that can be written down: the value of the function that they were made for, or
//! what comes before and after the first occurrence. The others become constants of which nothing is known.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::Abstraction;
use super::facts::Shape;
use crate::proof::record::SearchRecord;
use crate::theory::arith::{IntVar, Linear};
use crate::theory::fixed_length::{Constraint, Piece, Text, Var};
use crate::theory::search::{LinearAtom, Literal, TraceStep};

/// The part of a text around another.
#[derive(Clone, Copy)]
enum Around {
    Before,
    After,
}

/// What the parts of a text around another one are.
#[derive(Clone, Copy)]
struct Surroundings {
    whole: Term,
    /// Where the other one begins.
    start: Term,
    part: Term,
}

/// Finds terms for variables.
struct Namer<'a> {
    terms: &'a mut Terms,
    abstraction: &'a Abstraction,
    strings: FxHashMap<Var, Term>,
    integers: FxHashMap<IntVar, Term>,
    occurrences: FxHashMap<Var, (&'a Text, &'a Text, Around)>,
    surroundings: FxHashMap<Var, (Surroundings, Around)>,
}

impl Abstraction {
    /// The search that found nothing, with the meaning of all its variables.
    pub(super) fn record(&self, terms: &mut Terms, assertions: &[Term]) -> SearchRecord {
        let steps = self.search.trace().steps();
        let literals: Vec<(Term, Literal)> = subterms(terms, assertions)
            .into_iter()
            .filter_map(|term| Some((term, *self.literals.get(&term)?)))
            .collect();
        let atoms = Namer::new(terms, self).atoms(&steps);
        SearchRecord { atoms, literals, assertions: assertions.to_vec(), steps }
    }
}

impl<'a> Namer<'a> {
    fn new(terms: &'a mut Terms, abstraction: &'a Abstraction) -> Self {
        let mut strings: FxHashMap<Var, Term> = FxHashMap::default();
        for (term, text) in &abstraction.texts {
            if let [Piece::Var(var)] = text.as_slice() {
                // Of several terms the first is taken, so that nothing depends on the order of a table.
                let known = strings.entry(*var).or_insert(*term);
                *known = (*known).min(*term);
            }
        }
        let mut integers: FxHashMap<IntVar, Term> = FxHashMap::default();
        for (term, linear) in &abstraction.integers {
            if let Some(variable) = linear.as_variable() {
                let known = integers.entry(variable).or_insert(*term);
                *known = (*known).min(*term);
            }
        }
        for ((dividend, divisor), quotient) in &abstraction.quotients {
            let divisor = literal::int(terms, &divisor.to_big());
            integers.insert(*quotient, apply(terms, Op::IntDiv, &[*dividend, divisor]));
        }
        let mut occurrences: FxHashMap<Var, (&Text, &Text, Around)> = FxHashMap::default();
        for ((source, part), occurrence) in &abstraction.occurrences {
            for (text, around) in [(&occurrence.before, Around::Before), (&occurrence.after, Around::After)] {
                if let [Piece::Var(var)] = text.as_slice() {
                    occurrences.insert(*var, (source, part, around));
                }
            }
        }
        let surroundings = surroundings(terms, abstraction);
        Namer { terms, abstraction, strings, integers, occurrences, surroundings }
    }

    /// What each Boolean variable stands for; nothing if it is a gate.
    fn atoms(mut self, steps: &[TraceStep]) -> Vec<Option<Term>> {
        let mut atoms: Vec<Option<Term>> = vec![None; self.abstraction.search.boolean_count()];
        let gates: FxHashSet<usize> = steps
            .iter()
            .filter_map(|step| match step {
                TraceStep::Gate(name, _) => Some(name.variable()),
                _ => None,
            })
            .collect();
        atoms[self.abstraction.search.always().variable()] = Some(self.terms.bool(true));
        let mut linear: Vec<(Literal, LinearAtom)> = self.abstraction.search.linear_atoms().collect();
        linear.sort_unstable_by_key(|(literal, _)| *literal);
        // The variables of lengths are named first: they have the simplest names.
        for (position, length) in self.abstraction.lengths.iter().enumerate() {
            let var = Var::try_from(position).expect("string variables are numbered by 32 bits");
            if !self.integers.contains_key(length) {
                let string = self.string(var);
                let term = build::len(self.terms, string);
                self.integers.insert(*length, term);
            }
        }
        for (literal, atom) in linear {
            atoms[literal.variable()] = Some(self.linear_atom(&atom));
        }
        let found = self.abstraction.occurrences.iter();
        for ((source, part), occurrence) in found {
            let (source, part) = (self.text(source), self.text(part));
            let contains = apply(self.terms, Op::StrContains, &[source, part]);
            atoms[occurrence.found.variable()] = Some(contains);
        }
        for ((left, right), (literal, _)) in &self.abstraction.equations {
            let (left, right) = (self.text(left), self.text(right));
            atoms[literal.variable()] = Some(apply(self.terms, Op::Eq, &[left, right]));
        }
        let mut literals: Vec<(Term, Literal)> =
            self.abstraction.literals.iter().map(|(term, literal)| (*term, *literal)).collect();
        literals.sort_unstable();
        for (term, literal) in literals {
            if literal.is_positive() && atoms[literal.variable()].is_none() {
                atoms[literal.variable()] = Some(term);
            }
        }
        for (variable, atom) in atoms.iter_mut().enumerate() {
            if gates.contains(&variable) {
                *atom = None;
            } else if atom.is_none() {
                *atom = Some(build::fresh(self.terms, "open", Sort::BOOL));
            }
        }
        atoms
    }

    fn linear_atom(&mut self, atom: &LinearAtom) -> Term {
        let sum = self.linear(&atom.sum);
        let constant = literal::int(self.terms, &atom.constant.to_big());
        apply(self.terms, if atom.is_equal { Op::Eq } else { Op::Le }, &[sum, constant])
    }

    fn linear(&mut self, linear: &Linear) -> Term {
        let mut summands = Vec::new();
        for (variable, factor) in linear.terms() {
            let term = self.integer(*variable);
            summands.push(if factor.is_one() {
                term
            } else {
                let factor = literal::int(self.terms, &factor.to_big());
                apply(self.terms, Op::Mul, &[factor, term])
            });
        }
        build::sum(self.terms, &summands)
    }

    fn integer(&mut self, variable: IntVar) -> Term {
        let terms = &mut *self.terms;
        *self.integers.entry(variable).or_insert_with(|| build::fresh(terms, "open", Sort::INT))
    }

    fn string(&mut self, var: Var) -> Term {
        if let Some(term) = self.strings.get(&var) {
            return *term;
        }
        let occurrence = self.occurrences.get(&var).copied();
        let known = match occurrence {
            Some((source, part, around)) => Some((self.first_occurrence(source, part), around)),
            None => self.surroundings.get(&var).copied(),
        };
        let term = match known {
            Some((surroundings, around)) => self.around(surroundings, around),
            None => build::fresh(self.terms, "open", Sort::STRING),
        };
        self.strings.insert(var, term);
        term
    }

    fn first_occurrence(&mut self, source: &Text, part: &Text) -> Surroundings {
        let (whole, part) = (self.text(source), self.text(part));
        let zero = zero(self.terms);
        let start = apply(self.terms, Op::StrIndexof, &[whole, part, zero]);
        Surroundings { whole, start, part }
    }

    /// What comes before or after a part; anything if it is not there.
    fn around(&mut self, surroundings: Surroundings, around: Around) -> Term {
        let Surroundings { whole, start, part } = surroundings;
        match around {
            Around::Before => {
                let zero = zero(self.terms);
                apply(self.terms, Op::StrSubstr, &[whole, zero, start])
            }
            Around::After => {
                let length = build::len(self.terms, part);
                let end = build::sum(self.terms, &[start, length]);
                let all = build::len(self.terms, whole);
                apply(self.terms, Op::StrSubstr, &[whole, end, all])
            }
        }
    }

    fn text(&mut self, text: &Text) -> Term {
        let parts: Vec<Term> = text
            .iter()
            .map(|piece| match piece {
                Piece::Var(var) => self.string(*var),
                Piece::Word(letters) => {
                    let word = Str::from_code_points(letters.to_vec()).expect("words are made of letters");
                    literal::string(self.terms, &word)
                }
            })
            .collect();
        build::concat(self.terms, &parts)
    }
}

/// The fresh variables by which the equations of functions and predicates cut a text.
fn surroundings(terms: &mut Terms, abstraction: &Abstraction) -> FxHashMap<Var, (Surroundings, Around)> {
    let mut found = FxHashMap::default();
    let mut users: Vec<Term> = abstraction.facts_of.keys().copied().collect();
    users.sort_unstable();
    for user in users {
        let args = terms.args(user).to_vec();
        let zero = zero(terms);
        let surroundings = match (terms.op(user), args.as_slice()) {
            (Some(Op::StrSubstr | Op::StrAt), [whole, start, ..]) => {
                Surroundings { whole: *whole, start: *start, part: user }
            }
            (Some(Op::StrIndexof), [whole, part, _]) => {
                Surroundings { whole: *whole, start: user, part: *part }
            }
            (Some(Op::StrPrefixof), &[part, whole]) => Surroundings { whole, start: zero, part },
            (Some(Op::StrSuffixof), &[part, whole]) => {
                let [all, length] = [whole, part].map(|text| build::len(terms, text));
                let start = build::difference(terms, all, length);
                Surroundings { whole, start, part }
            }
            _ => continue,
        };
        for position in abstraction.facts_of(user) {
            let Shape::Plain(Constraint::Equal(_, cut)) = &abstraction.facts[*position].shape else {
                continue;
            };
            let is_prefix = terms.op(user) == Some(Op::StrPrefixof);
            let is_suffix = terms.op(user) == Some(Op::StrSuffixof);
            if let (false, Some(Piece::Var(var))) = (is_prefix, cut.first()) {
                found.entry(*var).or_insert((surroundings, Around::Before));
            }
            if let (false, Some(Piece::Var(var))) = (is_suffix, cut.last()) {
                found.entry(*var).or_insert((surroundings, Around::After));
            }
        }
    }
    found
}

fn zero(terms: &mut Terms) -> Term {
    literal::int(terms, &dashu_int::IBig::ZERO)
}
