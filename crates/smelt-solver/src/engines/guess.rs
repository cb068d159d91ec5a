//! Guess and evaluate: tries likely values for the constants, one after the other, and backs off where an assertion is
//! false.
//!
//! It finds models of problems whose difficulty is all in refutation, in microseconds per try, and never refutes.
//! The number of values per constant grows from round to round, so that one constant with many candidates does not keep
//! the others from being tried.

mod members;
mod plan;
mod pool;

use dashu_int::IBig;
use rustc_hash::FxHashSet;
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_smtlib::build;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::{Context, Engine, EngineOutcome, Problem};
use crate::Reason;
use crate::effort::{Effort, Stopped};
use crate::model::Assignment;
use crate::model_cache::Earlier;
use plan::Plan;

/// The engine that guesses.
pub struct Guess;

/// Values per constant in each round.
const WIDTHS: &[usize] = &[2, 5, 12, 40, 400];
/// Nodes that one round may evaluate.
const NODES_PER_ROUND: u64 = 150_000;
/// Problems with more constants are not guessed, except that the values of earlier checks are tried.
const MAX_CONSTANTS: usize = 400;
/// Evaluated nodes per unit of effort.
const NODES_PER_UNIT: u64 = 5;

impl Engine for Guess {
    fn name(&self) -> &'static str {
        "guess"
    }

    fn takes_clauses(&self) -> bool {
        // A clause is one more thing to evaluate.
        false
    }

    fn solve(&self, ctx: &mut Context<'_>, problem: &Problem) -> EngineOutcome {
        match guess(ctx, &problem.assertions, NODES_PER_ROUND) {
            Ok(Some(assignment)) => EngineOutcome::Sat(assignment),
            Ok(None) => EngineOutcome::Unknown(Reason::Incomplete("no guess is a model".to_owned())),
            Err(stopped) => EngineOutcome::Unknown(stopped.into()),
        }
    }
}

/// A model of the assertions, if one is found within this number of evaluated nodes in each round.
pub fn guess(
    ctx: &mut Context<'_>,
    assertions: &[Term],
    nodes_per_round: u64,
) -> Result<Option<Assignment>, Stopped> {
    let Context { terms, effort, earlier, .. } = ctx;
    let constants = ordered_constants(terms, assertions);
    effort.spend(10)?;
    let Some(mut plan) = Plan::new(terms, assertions, &constants) else { return Ok(None) };
    if !plan.holds(0) {
        return Ok(None);
    }
    if hold_still(terms, &mut plan, &constants, earlier) {
        return Ok(Some(assignment(terms, &plan, &constants)));
    }
    if constants.len() > MAX_CONSTANTS {
        return Ok(None);
    }
    let pools = pool::pools(terms, assertions, &constants, earlier);
    let widest = pools.iter().map(Vec::len).max().unwrap_or(0);
    let mut last_width = 0;
    for width in WIDTHS {
        if last_width >= widest && last_width > 0 {
            break;
        }
        last_width = *width;
        let mut search = Search { plan: &mut plan, pools: &pools, width: *width, nodes: nodes_per_round };
        if search.run(effort)? {
            return Ok(Some(assignment(terms, &plan, &constants)));
        }
    }
    Ok(None)
}

/// Whether the values of an earlier check, or the simplest where there are none, are a model; then the plan has them.
fn hold_still(terms: &Terms, plan: &mut Plan, constants: &[Term], earlier: &Earlier) -> bool {
    constants.iter().enumerate().all(|(position, constant)| {
        let value = pool::last_value(terms, *constant, earlier).or_else(|| match terms.sort(*constant) {
            Sort::BOOL => Some(Value::Bool(false)),
            Sort::INT => Some(Value::Int(IBig::ZERO)),
            Sort::STRING => Some(Value::Str(Str::empty())),
            _ => None,
        });
        let Some(value) = value else { return false };
        plan.set(position, value);
        plan.holds(position + 1)
    })
}

/// The values that the constants have now.
fn assignment(terms: &Terms, plan: &Plan, constants: &[Term]) -> Assignment {
    let mut assignment = Assignment::new();
    for (position, constant) in constants.iter().enumerate() {
        if let (Some(name), Some(value)) = (build::constant_name(terms, *constant), plan.get(position)) {
            assignment.set(name, value.clone());
        }
    }
    assignment
}

/// Whether an assertion over one constant can be evaluated and is true for all these values.
pub(crate) fn holds_for_all(
    terms: &Terms,
    assertion: Term,
    constant: Term,
    mut values: impl Iterator<Item = Value>,
) -> bool {
    let Some(mut plan) = Plan::new(terms, &[assertion], &[constant]) else { return false };
    plan.holds(0)
        && values.all(|value| {
            plan.set(0, value);
            plan.holds(1)
        })
}

/// Constants in an order in which assertions can be judged early: those of small assertions first.
fn ordered_constants(terms: &Terms, assertions: &[Term]) -> Vec<Term> {
    let mut of_assertions: Vec<Vec<Term>> = assertions
        .iter()
        .map(|assertion| {
            let all = subterms(terms, &[*assertion]);
            all.into_iter().filter(|term| build::constant_name(terms, *term).is_some()).collect()
        })
        .collect();
    let mut ordered = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    // The assertion with the fewest new constants comes next.
    of_assertions.sort_by_key(Vec::len);
    while !of_assertions.is_empty() {
        let fewest = (0..of_assertions.len().min(64)).min_by_key(|index| {
            of_assertions[*index].iter().filter(|constant| !seen.contains(constant)).count()
        });
        let Some(index) = fewest else { break };
        for constant in of_assertions.remove(index) {
            if seen.insert(constant) {
                ordered.push(constant);
            }
        }
    }
    ordered
}

/// A search through some of the values of each constant.
struct Search<'p> {
    plan: &'p mut Plan,
    pools: &'p [Vec<Value>],
    width: usize,
    /// Nodes that may still be evaluated.
    nodes: u64,
}

impl Search<'_> {
    /// Whether there is a model; then the plan has its values.
    fn run(&mut self, effort: &mut Effort) -> Result<bool, Stopped> {
        let count = self.pools.len();
        if count == 0 {
            return Ok(true);
        }
        // The next value to try for each constant on the way.
        let mut next = vec![0usize];
        let mut pending = 0;
        while let Some(choice) = next.last().copied() {
            let position = next.len() - 1;
            next[position] += 1;
            let pool = &self.pools[position];
            if choice >= pool.len().min(self.width) {
                next.pop();
                continue;
            }
            self.plan.set(position, pool[choice].clone());
            let cost = self.plan.level_cost(position + 1);
            pending += cost;
            if pending >= 64 * NODES_PER_UNIT {
                effort.spend(pending / NODES_PER_UNIT)?;
                pending = 0;
            }
            match self.nodes.checked_sub(cost) {
                Some(rest) => self.nodes = rest,
                None => return Ok(false),
            }
            if self.plan.holds(position + 1) {
                if position + 1 == count {
                    return Ok(true);
                }
                next.push(0);
            }
        }
        Ok(false)
    }
}
