//! Functions and predicates in the context of what is known about their arguments.
//!
//! The arguments of a fact are replaced by their normal forms, and the rewriter simplifies the term that comes out.
//! A value decides the fact; a simpler term says something new about fewer variables. Two applications of a function to the
//! same arguments have the same value.
//!
//! Follows the context-dependent simplification of Reynolds et al., «Scaling up DPLL(T) string solvers using
//! context-dependent simplification», 2017.

use rustc_hash::FxHashMap;
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::classes::{Form, premises_of, text_of};
use super::forms::Forms;
use super::lemmas::Lemmas;
use super::premises::Premises;
use crate::effort::Stopped;
use crate::engines::Context;
use crate::engines::abstraction::Abstraction;
use crate::engines::abstraction::facts::Shape;
use crate::theory::arith::{IntVar, Linear};
use crate::theory::fixed_length::{Constraint, Piece, Text, Var};
use crate::theory::number::Integer;
use crate::theory::search::{Assignment, Literal};

/// Effort for one term.
const TERM_UNITS: u64 = 20;
/// Terms without a value that are made in one run: each brings its own facts.
const MAX_TERMS: usize = 200;
/// Texts with more parts are not made into terms.
const MAX_PARTS: usize = 60;

/// Constants of the arena that stand for variables of the abstraction.
#[derive(Default)]
pub(super) struct Names {
    strings: FxHashMap<Var, Term>,
    integers: FxHashMap<IntVar, Term>,
    /// Terms without a value that were made.
    made: usize,
}

/// What a fact says about a term.
enum Claim {
    /// Its truth value.
    Truth(bool),
    /// The text that it is equal to.
    Text(Text),
    /// The number that it is equal to.
    Number(Linear),
}

/// A function application as a fact has it: what it is equal to, and what it is applied to.
struct Application<'f> {
    op: Op,
    texts: Vec<&'f Text>,
    numbers: Vec<&'f Linear>,
    claim: Claim,
}

/// What the arguments of functions are under an assignment, and where conclusions go.
pub(super) struct InContext<'a, 'c> {
    pub(super) assignment: &'a Assignment,
    pub(super) forms: &'a mut Forms<'c>,
    pub(super) lemmas: &'a mut Lemmas,
    pub(super) names: &'a mut Names,
}

/// A fact about a term that was simplified.
struct Simplified<'f> {
    claim: &'f Claim,
    term: Term,
}

impl InContext<'_, '_> {
    /// Simplifies the term of a fact in its context and says what follows. Whether that is new.
    pub(super) fn simplify(
        &mut self,
        ctx: &mut Context<'_>,
        abstraction: &mut Abstraction,
        position: usize,
    ) -> Result<bool, Stopped> {
        let fact = abstraction.facts[position].clone();
        let Some(application) = application(&fact.shape) else { return Ok(false) };
        ctx.effort.spend(TERM_UNITS)?;
        let mut premises = Premises::default();
        let mut args = Vec::new();
        for text in &application.texts {
            let form = self.forms.of(ctx.effort, text)?;
            if form.len() > MAX_PARTS {
                return Ok(false);
            }
            premises.add(&premises_of(&form));
            args.push(self.names.text(ctx.terms, abstraction, &text_of(&form)));
        }
        for number in &application.numbers {
            args.push(self.names.number(ctx, abstraction, self.forms, number, &mut premises)?);
        }
        let has_context = premises != Premises::default();
        let term = build::apply(ctx.terms, application.op, &args);
        let simpler = ctx.rewriter.rewrite(ctx.terms, term);
        premises.push(fact.guard);
        let is_value = build::is_value(ctx.terms, simpler);
        if !is_value {
            let is_simpler = simpler != term || finds_word(ctx.terms, &application, &args);
            let is_worth = has_context && is_simpler && is_simple(ctx.terms, simpler);
            if !is_worth || self.names.made == MAX_TERMS {
                return Ok(false);
            }
        }
        let simplified = Simplified { claim: &application.claim, term: simpler };
        let sent = self.conclude(ctx.terms, abstraction, &premises, simplified);
        if sent && !is_value {
            self.names.made += 1;
        }
        Ok(sent)
    }

    /// Says that the claim about a term holds for what it was simplified to.
    fn conclude(
        &mut self,
        terms: &Terms,
        abstraction: &mut Abstraction,
        premises: &Premises,
        simplified: Simplified<'_>,
    ) -> bool {
        let Simplified { claim, term: simpler } = simplified;
        let literal: Literal = match claim {
            Claim::Truth(holds) => match build::bool_value(terms, simpler) {
                Some(value) if value == *holds => return false,
                Some(_) => return self.lemmas.send(abstraction, self.assignment, premises, &[]),
                None => {
                    abstraction.extend(terms, simpler);
                    let literal = abstraction.literal(simpler);
                    if *holds { literal } else { !literal }
                }
            },
            Claim::Text(text) => {
                abstraction.extend(terms, simpler);
                let simpler = abstraction.text(simpler).clone();
                abstraction.derived_equation(text.clone(), simpler)
            }
            Claim::Number(number) => {
                abstraction.extend(terms, simpler);
                let simpler = abstraction.linear(simpler).clone();
                abstraction.search.equals(number, &simpler)
            }
        };
        self.lemmas.send(abstraction, self.assignment, premises, &[literal])
    }

    /// Says that functions with the same arguments have the same value. Whether that is new.
    pub(super) fn congruence(
        &mut self,
        ctx: &mut Context<'_>,
        abstraction: &mut Abstraction,
        facts: &[usize],
    ) -> Result<bool, Stopped> {
        type Key = (Op, Vec<Text>, Vec<Integer>);
        let mut known: FxHashMap<Key, (usize, Premises)> = FxHashMap::default();
        let mut is_new = false;
        for &position in facts {
            let fact = abstraction.facts[position].clone();
            let Some(one) = application(&fact.shape) else { continue };
            if matches!(one.claim, Claim::Truth(_)) {
                continue;
            }
            let found: Vec<Form> =
                one.texts.iter().map(|text| self.forms.of(ctx.effort, text)).collect::<Result<_, _>>()?;
            let mut premises = Premises::of(fact.guard);
            for form in &found {
                premises.add(&premises_of(form));
            }
            let numbers = one.numbers.iter().map(|number| self.assignment.value(number)).collect();
            let key = (one.op, found.iter().map(text_of).collect(), numbers);
            let Some((other_position, other_premises)) = known.get(&key).cloned() else {
                known.insert(key, (position, premises));
                continue;
            };
            premises.add(&other_premises);
            let other_fact = abstraction.facts[other_position].clone();
            let Some(other) = application(&other_fact.shape) else { continue };
            for (number, other_number) in one.numbers.iter().zip(&other.numbers) {
                premises.push(abstraction.search.equals(number, other_number));
            }
            let equal = match (one.claim, other.claim) {
                (Claim::Text(one), Claim::Text(other)) => abstraction.derived_equation(one, other),
                (Claim::Number(one), Claim::Number(other)) => abstraction.search.equals(&one, &other),
                _ => continue,
            };
            is_new |= self.lemmas.send(abstraction, self.assignment, &premises, &[equal]);
        }
        Ok(is_new)
    }
}

/// Whether what is looked for is a word now: languages and searches know more about words than about variables.
fn finds_word(terms: &Terms, application: &Application<'_>, args: &[Term]) -> bool {
    let part = match application.op {
        Op::StrPrefixof | Op::StrSuffixof => 0,
        Op::StrContains | Op::StrReplace | Op::StrReplaceAll | Op::StrIndexof => 1,
        _ => return false,
    };
    let was_word = application.texts[part].iter().all(|piece| matches!(piece, Piece::Word(_)));
    !was_word && build::is_string_literal(terms, args[part])
}

/// Whether a term has at most one function of strings in it.
fn is_simple(terms: &Terms, term: Term) -> bool {
    const MAX_SUBTERMS: usize = 40;
    let all = subterms(terms, &[term]);
    let is_function = |term: &&Term| {
        terms.op(**term).is_some_and(|op| {
            matches!(
                op,
                Op::StrReplace
                    | Op::StrReplaceAll
                    | Op::StrIndexof
                    | Op::StrSubstr
                    | Op::StrAt
                    | Op::StrContains
                    | Op::StrPrefixof
                    | Op::StrSuffixof
                    | Op::StrToInt
                    | Op::StrFromInt
                    | Op::StrToCode
                    | Op::StrFromCode
                    | Op::StrLt
                    | Op::StrLe
            )
        })
    };
    all.len() <= MAX_SUBTERMS && all.iter().filter(is_function).count() <= 1
}

/// The function application that a fact speaks of. Equations and memberships have none.
fn application(shape: &Shape) -> Option<Application<'_>> {
    let truth = |op, texts: [_; 2], holds| Application {
        op,
        texts: texts.to_vec(),
        numbers: Vec::new(),
        claim: Claim::Truth(holds),
    };
    Some(match shape {
        Shape::Plain(constraint) => match constraint {
            Constraint::Different(left, right) => truth(Op::Eq, [left, right], false),
            Constraint::Prefix { part, whole, holds } => truth(Op::StrPrefixof, [part, whole], *holds),
            Constraint::Suffix { part, whole, holds } => truth(Op::StrSuffixof, [part, whole], *holds),
            Constraint::Contains { whole, part, holds } => truth(Op::StrContains, [whole, part], *holds),
            Constraint::Less { left, right, or_equal: true } => truth(Op::StrLe, [left, right], true),
            Constraint::Less { left, right, or_equal: false } => truth(Op::StrLt, [left, right], true),
            Constraint::Replace { result, source, part, new } => Application {
                op: Op::StrReplace,
                texts: vec![source, part, new],
                numbers: Vec::new(),
                claim: Claim::Text(result.clone()),
            },
            Constraint::ReplaceAll { result, source, part, new } => Application {
                op: Op::StrReplaceAll,
                texts: vec![source, part, new],
                numbers: Vec::new(),
                claim: Claim::Text(result.clone()),
            },
            _ => return None,
        },
        Shape::IndexOf { result, source, part, start } => Application {
            op: Op::StrIndexof,
            texts: vec![source, part],
            numbers: vec![start],
            claim: Claim::Number(result.clone()),
        },
        Shape::ToCode { code, text } => Application {
            op: Op::StrToCode,
            texts: vec![text],
            numbers: Vec::new(),
            claim: Claim::Number(code.clone()),
        },
        Shape::FromCode { result, code } => Application {
            op: Op::StrFromCode,
            texts: Vec::new(),
            numbers: vec![code],
            claim: Claim::Text(result.clone()),
        },
        Shape::ToInt { value, text } => Application {
            op: Op::StrToInt,
            texts: vec![text],
            numbers: Vec::new(),
            claim: Claim::Number(value.clone()),
        },
        Shape::FromInt { result, value } => Application {
            op: Op::StrFromInt,
            texts: Vec::new(),
            numbers: vec![value],
            claim: Claim::Text(result.clone()),
        },
    })
}

impl Names {
    /// The term of a text.
    fn text(&mut self, terms: &mut Terms, abstraction: &mut Abstraction, text: &Text) -> Term {
        let parts: Vec<Term> = text
            .iter()
            .map(|piece| match piece {
                Piece::Var(var) => self.string(terms, abstraction, *var),
                Piece::Word(word) => {
                    let word = Str::from_code_points(word.to_vec()).expect("letters of words are characters");
                    literal::string(terms, &word)
                }
            })
            .collect();
        build::concat(terms, &parts)
    }

    fn string(&mut self, terms: &mut Terms, abstraction: &mut Abstraction, var: Var) -> Term {
        *self.strings.entry(var).or_insert_with(|| {
            let term = build::fresh(terms, "part", Sort::STRING);
            abstraction.name_string(term, var);
            term
        })
    }

    /// The term of a number; lengths are those of the normal forms.
    fn number(
        &mut self,
        ctx: &mut Context<'_>,
        abstraction: &mut Abstraction,
        forms: &mut Forms<'_>,
        number: &Linear,
        premises: &mut Premises,
    ) -> Result<Term, Stopped> {
        let constant = literal::int(ctx.terms, &number.constant_part().to_big());
        let mut summands = vec![constant];
        for (variable, factor) in number.terms() {
            let measured = abstraction.lengths.iter().position(|length| length == variable);
            let term = match measured.and_then(|var| Var::try_from(var).ok()) {
                Some(var) => {
                    let form = forms.of(ctx.effort, &vec![Piece::Var(var)])?;
                    premises.add(&premises_of(&form));
                    let text = self.text(ctx.terms, abstraction, &text_of(&form));
                    build::len(ctx.terms, text)
                }
                None => *self.integers.entry(*variable).or_insert_with(|| {
                    let term = build::fresh(ctx.terms, "number", Sort::INT);
                    abstraction.name_integer(term, *variable);
                    term
                }),
            };
            let factor = literal::int(ctx.terms, &factor.to_big());
            summands.push(build::apply(ctx.terms, Op::Mul, &[factor, term]));
        }
        Ok(build::sum(ctx.terms, &summands))
    }
}
