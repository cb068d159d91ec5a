//! Case splitting: takes a problem apart by what its Boolean structure and its functions allow, and simplifies each
//! case.
//!
//! A branch is a conjunction. Simplification is an equivalence and the cases of a split cover everything, so a problem
//! all of whose branches are false has no model. A branch that can be split no further is given to length abstraction
//! with a small budget. Functions are replaced by what they are in each case: a replacement finds nothing, or it cuts
//! the string around the first occurrence. Once it is known which, rewriting goes on, which is why this refutes what is
//! hard for engines that reason about the function itself.

mod split;

use rustc_hash::FxHashMap;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::guess::guess;
use super::length_abstraction::LengthAbstraction;
use super::{Context, Engine, EngineOutcome, Problem, Refutation};
use crate::Reason;
use crate::ablation::Part;
use crate::model::{self, Assignment, Converter};
use crate::preprocess::replace::Replacement;
use crate::preprocess::simplify::simplify;

/// The engine that splits cases.
pub struct Cases;

/// Branches that are looked at before giving up.
const MAX_BRANCHES: usize = 4_000;
/// Splits on the way to a branch.
const MAX_DEPTH: u32 = 60;
/// Splits of word equations on the way to a branch: these may go on for ever.
const MAX_EQUATION_SPLITS: u32 = 8;
/// Distinct terms of a problem that is worth splitting.
const MAX_TERMS: usize = 4_000;
/// Effort for a branch that can be split no further.
const LEAF_EFFORT: u64 = 60_000;
/// Nodes that a guess in a branch may evaluate in each of its rounds.
const GUESS_NODES: u64 = 1_500;

/// A conjunction that is left to be decided.
#[derive(Debug, Clone)]
struct Branch {
    assertions: Vec<Term>,
    converters: Vec<Converter>,
    depth: u32,
    equation_splits: u32,
}

/// One case of a split: what is assumed, and what a term is then.
#[derive(Debug, Clone, Default)]
struct Case {
    assumed: Vec<Term>,
    replaced: Option<(Term, Term)>,
}

/// The cases of a split, which cover everything.
#[derive(Debug, Clone)]
struct Split {
    cases: Vec<Case>,
    /// An assertion that the cases make up for.
    instead_of: Option<Term>,
    is_of_equation: bool,
}

/// Fresh constants by what they mean, so that the same split of another branch uses the same ones.
#[derive(Debug, Default)]
struct Skolems {
    known: FxHashMap<(Term, &'static str), Term>,
}

impl Skolems {
    /// The part of a term that the role names.
    fn string(&mut self, terms: &mut Terms, of: Term, role: &'static str) -> Term {
        *self
            .known
            .entry((of, role))
            .or_insert_with(|| build::fresh(terms, role, smelt_smtlib::sort::Sort::STRING))
    }
}

/// What became of a branch.
enum Visited {
    Closed,
    Model(Assignment),
    Split(Vec<Branch>),
    /// Unknown.
    Open,
}

impl Engine for Cases {
    fn name(&self) -> &'static str {
        "cases"
    }

    fn takes_clauses(&self) -> bool {
        // A clause is one more thing to split.
        false
    }

    fn solve(&self, ctx: &mut Context<'_>, problem: &Problem) -> EngineOutcome {
        // What holds in one case does not hold in the others.
        let was_paused = ctx.recorder.pause();
        let outcome = split_and_decide(ctx, problem);
        ctx.recorder.resume(was_paused);
        outcome
    }
}

fn split_and_decide(ctx: &mut Context<'_>, problem: &Problem) -> EngineOutcome {
    if subterms(ctx.terms, &problem.assertions).len() > MAX_TERMS {
        return EngineOutcome::Unknown(Reason::Incomplete("too large for case splitting".to_owned()));
    }
    let mut skolems = Skolems::default();
    let first = Branch {
        assertions: problem.assertions.clone(),
        converters: Vec::new(),
        depth: 0,
        equation_splits: 0,
    };
    let mut branches = vec![first];
    let mut is_open = false;
    let mut visited = 0;
    while let Some(branch) = branches.pop() {
        visited += 1;
        if visited > MAX_BRANCHES {
            return EngineOutcome::Unknown(Reason::Incomplete("too many cases".to_owned()));
        }
        match visit(ctx, &mut skolems, branch) {
            Ok(Visited::Closed) => ctx.statistics.add("cases.closed", 1),
            Ok(Visited::Model(assignment)) => return EngineOutcome::Sat(assignment),
            Ok(Visited::Split(cases)) => {
                ctx.statistics.add("cases.splits", 1);
                branches.extend(cases.into_iter().rev());
            }
            Ok(Visited::Open) => {
                ctx.statistics.add("cases.open", 1);
                is_open = true;
            }
            Err(reason) => return EngineOutcome::Unknown(reason),
        }
    }
    if is_open {
        EngineOutcome::Unknown(Reason::Incomplete("a case stays open".to_owned()))
    } else {
        EngineOutcome::Unsat(Refutation::by_complete("case-splitting"))
    }
}

fn visit(ctx: &mut Context<'_>, skolems: &mut Skolems, branch: Branch) -> Result<Visited, Reason> {
    ctx.effort.spend(20)?;
    let Branch { assertions, mut converters, depth, equation_splits } = branch;
    let simplified = simplify(ctx, &assertions)?;
    let assertions = simplified.assertions;
    converters.extend(simplified.converters);
    if assertions.iter().any(|assertion| ctx.terms.op(*assertion) == Some(Op::False)) {
        ctx.log.say(|| format!("cases: depth {depth}, closed by simplification"));
        return Ok(Visited::Closed);
    }
    if ctx.parts.has(Part::Guess)
        && let Some(values) = guess(ctx, &assertions, GUESS_NODES)?
    {
        return Ok(model_of(ctx, values, &converters));
    }
    let may_split_equations = equation_splits < MAX_EQUATION_SPLITS;
    let split = if depth < MAX_DEPTH {
        split::choose(ctx.terms, ctx.rewriter, skolems, &assertions, may_split_equations)
    } else {
        None
    };
    if let Some(split) = split {
        let equation_splits = equation_splits + u32::from(split.is_of_equation);
        let branches = split.cases.iter().map(|case| Branch {
            assertions: assume(ctx.terms, &assertions, &split, case),
            converters: converters.clone(),
            depth: depth + 1,
            equation_splits,
        });
        let branches: Vec<Branch> = branches.collect();
        ctx.log.say(|| {
            format!(
                "cases: depth {depth}, {} assertions split into {} cases",
                assertions.len(),
                branches.len()
            )
        });
        return Ok(Visited::Split(branches));
    }
    leaf(ctx, assertions, &converters)
}

/// The assertions of a branch in one of the cases of a split.
fn assume(terms: &mut Terms, assertions: &[Term], split: &Split, case: &Case) -> Vec<Term> {
    let kept = assertions.iter().copied().filter(|assertion| Some(*assertion) != split.instead_of);
    let all: Vec<Term> = kept.chain(case.assumed.iter().copied()).collect();
    let Some((from, to)) = case.replaced else { return all };
    let mut replacement = Replacement::new();
    replacement.insert(from, to);
    all.into_iter().map(|assertion| replacement.apply(terms, assertion)).collect()
}

/// Lets length abstraction decide a branch that cannot be split.
fn leaf(ctx: &mut Context<'_>, assertions: Vec<Term>, converters: &[Converter]) -> Result<Visited, Reason> {
    let problem = Problem { assertions };
    if !ctx.parts.has(Part::LengthAbstraction) {
        return Ok(Visited::Open);
    }
    let outcome = ctx.slice(LEAF_EFFORT, |ctx| LengthAbstraction.solve(ctx, &problem));
    match outcome {
        EngineOutcome::Unsat(_) => Ok(Visited::Closed),
        EngineOutcome::Sat(values) => Ok(model_of(ctx, values, converters)),
        EngineOutcome::Unknown(Reason::Interrupted) => Err(Reason::Interrupted),
        EngineOutcome::Unknown(_) => Ok(Visited::Open),
    }
}

fn model_of(ctx: &mut Context<'_>, values: Assignment, converters: &[Converter]) -> Visited {
    model::extend(ctx.terms, values, converters).map_or(Visited::Open, Visited::Model)
}
