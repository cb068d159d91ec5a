//! Formulas that solvers derive from others: interpolants, results of the elimination of quantifiers, abducts.
//!
//! A question is made from the assertions of a case: they are split in two, or a constant of one becomes a variable. What
//! the answer must imply, and must be implied by, are formulas without quantifiers that are evaluated as steps of proofs
//! are; which symbols it may have is looked at. What only a solver can tell counts if two lineages say it and none denies
//! it. See `docs/design/derived-formulas.md`.

use smelt_proof::steps::Derivation;
use smelt_smtlib::build;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{Layout, Printer, script_text, term_text};
use smelt_smtlib::read::{Reading, read_script, read_script_as};
use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms, Variable};
use smelt_smtlib::walk::{free_names, subterms, tree_size};

use super::claim::{FalseClaim, about, false_claim, judged};
use super::simplify::{MARK, goals, read, results};
use super::weigh::lineages;
use super::{Judge, JudgeStep, Observed, Question};
use crate::evaluated::EvaluatedRun;
use crate::finding::{ABDUCT_AGREES, Class};
use crate::flatten::flatten;
use crate::run::Answer;

/// Larger cases are not asked about.
const MAX_SIZE: u64 = 400;
/// A variable with at most so many values is eliminated by trying them.
const MAX_VALUES: u32 = 4;

/// A way to derive a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Interpolant,
    Elimination,
    Abduct,
}

/// Blames a solver for a formula that it derives.
#[derive(Debug)]
pub(super) struct InvalidDerived(Kind);

pub(super) static INTERPOLANT: InvalidDerived = InvalidDerived(Kind::Interpolant);
pub(super) static ELIMINATION: InvalidDerived = InvalidDerived(Kind::Elimination);
pub(super) static ABDUCT: InvalidDerived = InvalidDerived(Kind::Abduct);

impl Judge for InvalidDerived {
    fn name(&self) -> &'static str {
        match self.0 {
            Kind::Interpolant => "interpolant",
            Kind::Elimination => "elimination",
            Kind::Abduct => "abduct",
        }
    }

    fn about(&self) -> &'static str {
        match self.0 {
            Kind::Interpolant => "an interpolant does not separate the parts of an `unsat` formula",
            Kind::Elimination => "a formula without a quantifier means something else than the one with it",
            Kind::Abduct => "an abduct does not imply the goal, or contradicts the assertions",
        }
    }

    fn classes(&self) -> &'static [Class] {
        match self.0 {
            Kind::Interpolant => &[Class::InvalidInterpolant],
            Kind::Elimination => &[Class::InvalidElimination],
            Kind::Abduct => &[Class::InvalidAbduct],
        }
    }

    /// Each costs a run of its own, and only some solvers derive such formulas.
    fn is_usual(&self) -> bool {
        false
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let Some(script) = flatten(terms, observed.script) else { return JudgeStep::Done(Vec::new()) };
        let plain = script_text(terms, &script);
        let asked: Vec<(&EvaluatedRun, String)> = observed
            .runs
            .iter()
            .filter(|checked| self.0.is_asked(checked))
            .filter_map(|checked| Some((checked, self.request(&plain, checked, observed.sample_key)?)))
            .collect();
        if asked.is_empty() {
            return JudgeStep::Done(Vec::new());
        }
        if replies.is_empty() {
            let questions = asked.iter().map(|(checked, text)| {
                observed.ask(checked, read_script_as(terms, text, Dialect::V26).script)
            });
            return JudgeStep::Ask(questions.collect());
        }
        let (answers, opinions) = replies.split_at(asked.len().min(replies.len()));
        let problems: Vec<Problem> = answers
            .iter()
            .enumerate()
            .flat_map(|(position, reply)| self.problems(&plain, reply, position, observed.sample_key))
            .collect();
        if opinions.is_empty() && problems.iter().any(Problem::is_asked_about) {
            let questions = problems
                .iter()
                .filter(|problem| problem.is_asked_about())
                .flat_map(|problem| about(terms, observed, &problem.claim));
            return JudgeStep::Ask(questions.collect::<Vec<Question>>());
        }
        let mut opinions = opinions.chunks(observed.runs.len().max(1));
        let mut verdicts = Vec::new();
        for problem in problems {
            let said: &[EvaluatedRun] = match problem.is_asked_about() {
                true => opinions.next().unwrap_or(&[]),
                false => &[],
            };
            if problem.holds(said) {
                let claimant = &answers[problem.claim.position];
                let kept = problem.kept(said);
                verdicts.extend(judged(self.classes()[0], problem.claim, claimant, &kept));
            }
        }
        JudgeStep::Done(verdicts)
    }
}

/// What is wrong with a derived formula.
struct Problem {
    claim: FalseClaim,
    proof: Proof,
}

/// What shows a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Our evaluator, unless a solver denies it.
    Evaluation,
    /// The look of the formula.
    Symbols,
    /// Two lineages that give this answer to the script of the claim, while none gives the other.
    Agreement(Answer),
}

impl Problem {
    fn is_asked_about(&self) -> bool {
        self.proof != Proof::Symbols
    }

    fn holds(&self, opinions: &[EvaluatedRun]) -> bool {
        let Proof::Agreement(wanted) = self.proof else { return true };
        let saying = opinions.iter().filter(|reply| reply.run.answer == wanted);
        let is_denied =
            opinions.iter().any(|reply| reply.run.answer.is_decided() && reply.run.answer != wanted);
        !is_denied && lineages(saying.map(|reply| reply.family.as_str())).len() >= 2
    }

    /// The opinions as those about a claim that is false: whoever says what was wanted agrees.
    fn kept(&self, opinions: &[EvaluatedRun]) -> Vec<EvaluatedRun> {
        let Proof::Agreement(wanted) = self.proof else { return opinions.to_vec() };
        let mut kept: Vec<EvaluatedRun> =
            opinions.iter().filter(|reply| reply.run.answer == wanted).cloned().collect();
        kept.iter_mut().for_each(|reply| reply.run.answer = Answer::Sat);
        kept
    }
}

impl Kind {
    /// Whether a solver has the command, and took the case.
    fn is_asked(self, checked: &EvaluatedRun) -> bool {
        let family = checked.family.as_str();
        match self {
            Kind::Interpolant => family == "cvc5" && checked.run.answer == Answer::Unsat,
            Kind::Abduct => family == "cvc5" && checked.run.answer == Answer::Sat,
            Kind::Elimination => {
                matches!(family, "z3" | "cvc5")
                    && matches!(checked.run.answer, Answer::Sat | Answer::Unsat | Answer::Unknown)
            }
        }
    }
}

/// A question over an arena of its own: always the same for the same key.
struct Query {
    /// What is asserted: the first part, or for an elimination the formula whose quantifier is to go.
    given: Vec<Term>,
    /// The second part or the goal; for an elimination the formula without its quantifier.
    other: Term,
    /// The constant that becomes a variable.
    variable: Option<(Symbol, Sort)>,
}

impl InvalidDerived {
    fn query(&self, terms: &mut Terms, script: &Script, key: u64) -> Option<Query> {
        let assertions: Vec<Term> = script.assertions().collect();
        let is_readable = |assertion: &Term| {
            tree_size(terms, *assertion) <= MAX_SIZE
                && !subterms(terms, &[*assertion])
                    .iter()
                    .any(|part| matches!(terms.head(*part), Head::Opaque(_)))
        };
        if assertions.is_empty() || !assertions.iter().all(is_readable) {
            return None;
        }
        let drawn = |bound: usize, salt: u64| {
            (key.wrapping_add(salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize % bound
        };
        match self.0 {
            Kind::Interpolant => {
                let cut = 1 + drawn(assertions.len().checked_sub(1).filter(|count| *count > 0)?, 1);
                let other = build::and(terms, &assertions[cut..]);
                Some(Query { given: assertions[..cut].to_vec(), other, variable: None })
            }
            Kind::Abduct => {
                let mut given = assertions;
                let other = given.remove(drawn(given.len(), 2));
                Some(Query { given, other, variable: None })
            }
            Kind::Elimination => {
                let mut choices: Vec<(Term, Symbol, Sort)> = Vec::new();
                for assertion in &assertions {
                    if subterms(terms, &[*assertion]).iter().any(|part| terms.is_binder(*part)) {
                        continue;
                    }
                    let free = free_names(terms, *assertion).globals;
                    choices.extend(
                        constants(terms, script)
                            .filter(|(name, _)| free.contains(name))
                            .map(|(name, sort)| (*assertion, name, sort)),
                    );
                }
                if choices.is_empty() {
                    return None;
                }
                let (formula, name, sort) = choices[drawn(choices.len(), 3)];
                let bound = terms.symbols.intern(BOUND);
                let local = terms.local(bound, sort);
                let mut substitution = Substitution::new();
                substitution.replace(name, local);
                let body = substitute(terms, formula, &substitution);
                let binders = terms.intern_binders(&[Variable { name: bound, sort }]);
                let quantified = terms.intern(Head::Exists(binders), &[body], Sort::BOOL);
                Some(Query { given: vec![quantified], other: formula, variable: Some((name, sort)) })
            }
        }
    }

    /// The text that asks the solver of a run; none if the case is not asked about.
    fn request(&self, plain: &str, checked: &EvaluatedRun, key: u64) -> Option<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, plain).script;
        let query = self.query(&mut terms, &script, key)?;
        let mut declarations = script.emptied();
        for command in script.commands.iter().filter(|command| command.role() == Role::Declaration) {
            declarations.push(command.clone());
        }
        let mut text = match (self.0, checked.family.as_str()) {
            (Kind::Interpolant, _) => "(set-option :produce-interpolants true)\n".to_owned(),
            (Kind::Abduct, _) => {
                "(set-option :produce-abducts true)\n(set-option :incremental true)\n".to_owned()
            }
            (Kind::Elimination, "cvc5") => "(set-option :incremental true)\n".to_owned(),
            (Kind::Elimination, _) => String::new(),
        };
        text.push_str(&script_text(&mut terms, &declarations));
        text.push_str("(check-sat)\n");
        let mut written = |term: Term| {
            // The reader keeps the command as it is written, so that it is in the dialect of the solver.
            let mut printer = Printer::new(&mut terms, checked.dialect, Layout::Shared);
            printer.term(term);
            printer.finish()
        };
        let is_tactic = self.0 == Kind::Elimination && checked.family == "z3";
        if self.0 != Kind::Elimination || is_tactic {
            for formula in &query.given {
                text.push_str(&format!("(assert {})\n", written(*formula)));
            }
        }
        text.push_str(&format!("(echo \"{MARK}0\")\n"));
        text.push_str(&match self.0 {
            Kind::Interpolant => format!("(get-interpolant {RESULT} (not {}))\n", written(query.other)),
            Kind::Abduct => format!("(get-abduct {RESULT} {})\n", written(query.other)),
            Kind::Elimination if is_tactic => "(apply (try-for qe 1000))\n".to_owned(),
            Kind::Elimination => format!("(get-qe {})\n", written(query.given[0])),
        });
        Some(text)
    }

    /// What is wrong with the formula in a reply.
    fn problems(&self, plain: &str, reply: &EvaluatedRun, position: usize, key: u64) -> Vec<Problem> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, plain);
        let Some(query) = self.query(&mut terms, &reading.script, key) else { return Vec::new() };
        let Some(result) = self.result(&mut terms, &reading, reply) else { return Vec::new() };
        if terms.sort(result) != Sort::BOOL {
            return Vec::new();
        }
        if let Some(foreign) = self.foreign_symbol(&terms, &reading.script, &query, result) {
            let rule = format!("no symbol but those of both parts: {}", terms.text(foreign));
            let claim = FalseClaim::unasked(position, rule, term_text(&mut terms, result));
            return vec![Problem { claim, proof: Proof::Symbols }];
        }
        let claims = self.claims(&mut terms, &query, result);
        let claims = Derivation::of_claims(claims.iter().map(|(rule, claim)| (*rule, *claim)));
        if let Some(claim) = false_claim(&mut terms, &reading.script, &claims, position) {
            return vec![Problem { claim, proof: Proof::Evaluation }];
        }
        self.open_problem(&mut terms, &reading.script, &query, result, position).into_iter().collect()
    }

    /// The formula that was printed.
    fn result(&self, terms: &mut Terms, reading: &Reading, reply: &EvaluatedRun) -> Option<Term> {
        let (_, text) = results(&reply.run.output).into_iter().next()?;
        match (self.0, reply.family.as_str()) {
            (Kind::Elimination, "z3") => goals(terms, reading, text, reply.dialect),
            (Kind::Elimination, _) => read(terms, reading, text, reply.dialect),
            _ => {
                let mut tape = Tape::new();
                Scanner::new(text).read(&mut tape).ok()?;
                let parts: Vec<&str> = tape.children(0).map(|part| tape.node(part).span.text(text)).collect();
                match parts.as_slice() {
                    ["define-fun", RESULT, "()", "Bool", body] => read(terms, reading, body, reply.dialect),
                    _ => None,
                }
            }
        }
    }

    /// What must be true under every assignment.
    fn claims(&self, terms: &mut Terms, query: &Query, result: Term) -> Vec<(&'static str, Term)> {
        let given = build::and(terms, &query.given);
        let mut claims = Vec::new();
        match self.0 {
            Kind::Interpolant => {
                let not_other = build::not(terms, query.other);
                claims.push((
                    "the first part implies the interpolant",
                    terms.apply(Op::Implies, &[], &[given, result]),
                ));
                let claim = terms.apply(Op::Implies, &[], &[result, not_other]);
                claims.push(("the interpolant contradicts the second part", claim));
            }
            Kind::Abduct => {
                let both = build::and(terms, &[given, result]);
                let claim = terms.apply(Op::Implies, &[], &[both, query.other]);
                claims.push(("the assertions and the abduct imply the goal", claim));
            }
            Kind::Elimination => {
                let claim = terms.apply(Op::Implies, &[], &[query.other, result]);
                claims.push(("what the variable satisfies satisfies the result", claim));
                if let Some(values) = query.variable.and_then(|(_, sort)| all_values(terms, sort)) {
                    let cases: Vec<Term> = values.iter().map(|value| query.with(terms, *value)).collect();
                    let any = build::or(terms, &cases);
                    let claim = terms.apply(Op::Implies, &[], &[result, any]);
                    claims.push(("the result has a value for the variable", claim));
                }
            }
        }
        claims.into_iter().filter_map(|(rule, claim)| Some((rule, claim.ok()?))).collect()
    }

    /// A symbol that the result must not have.
    fn foreign_symbol(&self, terms: &Terms, script: &Script, query: &Query, result: Term) -> Option<Symbol> {
        // Definitions may bring others.
        if script.commands.iter().any(|command| !command.definitions().is_empty()) {
            return None;
        }
        let names = free_names(terms, result).globals;
        let mut foreign: Vec<Symbol> = match self.0 {
            Kind::Abduct => return None,
            Kind::Elimination => {
                names.into_iter().filter(|name| Some(*name) == query.variable.map(|(name, _)| name)).collect()
            }
            Kind::Interpolant => {
                let mut first = smelt_smtlib::walk::FreeNames::default();
                for formula in &query.given {
                    first.globals.extend(free_names(terms, *formula).globals);
                }
                let second = free_names(terms, query.other);
                let is_declared = |name: &Symbol| declared(script).any(|known| known == *name);
                let is_shared = |name: &Symbol| first.globals.contains(name) && second.globals.contains(name);
                names.into_iter().filter(|name| is_declared(name) && !is_shared(name)).collect()
            }
        };
        foreign.sort_unstable();
        foreign.first().copied()
    }

    /// What only solvers can tell.
    fn open_problem(
        &self,
        terms: &mut Terms,
        script: &Script,
        query: &Query,
        result: Term,
        position: usize,
    ) -> Option<Problem> {
        let (rule, formulas, wanted) = match self.0 {
            Kind::Interpolant => return None,
            Kind::Abduct => {
                let formulas = [&query.given[..], &[result]].concat();
                (ABDUCT_AGREES, formulas, Answer::Unsat)
            }
            Kind::Elimination => {
                let none = build::not(terms, query.given[0]);
                ("the result has a value for the variable", vec![result, none], Answer::Sat)
            }
        };
        let has_quantifier = subterms(terms, &[result]).iter().any(|part| terms.is_binder(*part));
        let is_small = query.variable.is_some_and(|(_, sort)| value_count(terms, sort).is_some());
        if (self.0 == Kind::Elimination && has_quantifier) || is_small {
            return None;
        }
        let mut asking = script.emptied();
        for command in script.commands.iter().filter(|command| command.role() == Role::Declaration) {
            asking.push(command.clone());
        }
        formulas.iter().for_each(|formula| asking.push(Command::Assert(*formula)));
        asking.push(Command::CheckSat);
        let text = script_text(terms, &asking);
        let claim = FalseClaim::asked(position, rule.to_owned(), term_text(terms, result), text);
        Some(Problem { claim, proof: Proof::Agreement(wanted) })
    }
}

impl Query {
    /// The formula without its quantifier, with a value for the variable.
    fn with(&self, terms: &mut Terms, value: Term) -> Term {
        let mut substitution = Substitution::new();
        if let Some((name, _)) = self.variable {
            substitution.replace(name, value);
        }
        substitute(terms, self.other, &substitution)
    }
}

/// The name of the result.
const RESULT: &str = "smelt-derived";
/// The name of the variable.
const BOUND: &str = "smelt-variable";

/// Constants that may become variables.
fn constants<'s>(terms: &'s Terms, script: &'s Script) -> impl Iterator<Item = (Symbol, Sort)> + 's {
    let eliminable = |sort: &Sort| {
        matches!(
            terms.sorts.kind(*sort),
            SortKind::Bool | SortKind::Int | SortKind::Real | SortKind::BitVec(_)
        )
    };
    let constant = |command: &Command| match command {
        Command::DeclareConst(name, sort) => Some((*name, *sort)),
        Command::DeclareFun(name, params, sort) if params.is_empty() => Some((*name, *sort)),
        _ => None,
    };
    script.commands.iter().filter_map(constant).filter(move |(_, sort)| eliminable(sort))
}

/// The names of all constants and functions.
fn declared(script: &Script) -> impl Iterator<Item = Symbol> + '_ {
    script.commands.iter().filter_map(|command| match command {
        Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => Some(*name),
        _ => None,
    })
}

/// How many bits tell the values of a sort apart, if they are few.
fn value_count(terms: &Terms, sort: Sort) -> Option<u32> {
    match terms.sorts.kind(sort) {
        SortKind::Bool => Some(1),
        SortKind::BitVec(width) if *width <= MAX_VALUES => Some(*width),
        _ => None,
    }
}

/// All values of a sort that has few.
fn all_values(terms: &mut Terms, sort: Sort) -> Option<Vec<Term>> {
    let width = value_count(terms, sort)?;
    if sort == Sort::BOOL {
        return Some(vec![terms.bool(false), terms.bool(true)]);
    }
    let digits = |value: u32| format!("{value:0width$b}", width = width as usize);
    let literal = smelt_smtlib::term::Literal::Binary;
    Some((0..1 << width).map(|value| terms.literal(literal, &digits(value), sort)).collect())
}
