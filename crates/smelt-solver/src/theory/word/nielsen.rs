//! Nielsen's transformation: a breadth-first search over systems of equations.
//!
//! Where the sides of an equation begin with a variable x and with another symbol, x is empty or begins with that symbol (or, if
//! that is a variable, the other way round). Each choice is a substitution, hence an edge to another normal system. A system
//! without equations is solved. For quadratic systems substitutions never make the system longer, so that there are finitely many
//! systems, and a search that remembers them ends: without a way to a solved system there is no solution.
//!
//! After Lothaire, «Algebraic combinatorics on words», chapter 12, with both ends stripped at every step.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::{Budget, LimitReached};

use super::equation::{Equations, Symbol, normalise, substitute, symbols};
use super::{Answer, Refuted, System, vars_of};
use crate::theory::fixed_length::Var;

/// Cost of one symbol of a system that is looked at.
const SYMBOL_COST: u64 = 100;
/// Words of solutions that get longer than this are not written out.
const MAX_WORD_LEN: usize = 1 << 22;

/// Whether every variable occurs at most twice.
pub fn is_quadratic(system: &System) -> bool {
    let mut occurrences: FxHashMap<Var, u32> = FxHashMap::default();
    for (left, right) in &system.equations {
        for var in vars_of(left).chain(vars_of(right)) {
            *occurrences.entry(var).or_insert(0) += 1;
        }
    }
    occurrences.values().all(|&count| count <= 2)
}

/// Decides the system, if the budget lasts. For quadratic systems a large enough budget always exists.
pub fn solve(system: &System, budget: &mut Budget) -> Answer {
    let mut words = vec![Vec::new(); system.var_count as usize];
    for component in components(system) {
        match solve_component(system, &component, budget) {
            Ok(Some(values)) => {
                for (var, word) in values {
                    words[var as usize] = word;
                }
            }
            Ok(None) => return Answer::Unsat(Refuted { equations: component }),
            Err(LimitReached) => return Answer::Unknown,
        }
    }
    Answer::Sat(words)
}

/// The equations in groups that share no variables.
pub(super) fn components(system: &System) -> Vec<Vec<usize>> {
    let mut groups: Vec<(FxHashSet<Var>, Vec<usize>)> = Vec::new();
    for (index, (left, right)) in system.equations.iter().enumerate() {
        let mut vars: FxHashSet<Var> = vars_of(left).chain(vars_of(right)).collect();
        let mut members = vec![index];
        let (connected, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(other, _)| !vars.is_disjoint(other));
        for (other, indices) in connected {
            vars.extend(other);
            members.extend(indices);
        }
        members.sort_unstable();
        groups = apart;
        groups.push((vars, members));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// How a system came about: from another one by a substitution, after which some variables turned out to be empty.
struct Node {
    parent: usize,
    /// The variable and what stands in front of it; `None` if it is empty.
    step: Option<(Var, Option<Symbol>, End)>,
    empty_vars: Vec<Var>,
    equations: Equations,
}

/// The end of an equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Front,
    Back,
}

/// A solution of the equations of one component, or `None` if there is none.
fn solve_component(
    system: &System,
    component: &[usize],
    budget: &mut Budget,
) -> Result<Option<FxHashMap<Var, Vec<u32>>>, LimitReached> {
    let equations = component.iter().map(|&index| {
        let (left, right) = &system.equations[index];
        (symbols(left), symbols(right))
    });
    let equations: Equations = equations.collect();
    budget.spend(SYMBOL_COST * symbol_count(&equations))?;
    let Some(normal) = normalise(equations) else { return Ok(None) };
    let root = Node { parent: 0, step: None, empty_vars: normal.empty_vars, equations: normal.equations };
    let mut visited = FxHashSet::from_iter([root.equations.clone()]);
    let mut nodes = vec![root];
    let mut next = 0;
    while next < nodes.len() {
        if nodes[next].equations.is_empty() {
            return solution(&nodes, next, budget).map(Some);
        }
        for (var, prefix, end) in choices(&nodes[next].equations) {
            let equations = &nodes[next].equations;
            budget.spend(SYMBOL_COST * (4 + symbol_count(equations)))?;
            let by: Vec<Symbol> = match (prefix, end) {
                (None, _) => Vec::new(),
                (Some(symbol), End::Front) => vec![symbol, Symbol::Var(var)],
                (Some(symbol), End::Back) => vec![Symbol::Var(var), symbol],
            };
            let Some(normal) = normalise(substitute(equations, var, &by)) else { continue };
            if visited.insert(normal.equations.clone()) {
                nodes.push(Node {
                    parent: next,
                    step: Some((var, prefix, end)),
                    empty_vars: normal.empty_vars,
                    equations: normal.equations,
                });
            }
        }
        next += 1;
    }
    Ok(None)
}

pub(super) fn symbol_count(equations: &Equations) -> u64 {
    equations.iter().map(|(left, right)| (left.len() + right.len()) as u64).sum()
}

/// The substitutions of which one must hold, by the ends of the first equation.
fn choices(equations: &Equations) -> Vec<(Var, Option<Symbol>, End)> {
    let (left, right) = &equations[0];
    let front = (left[0], right[0], End::Front);
    let back = (left[left.len() - 1], right[right.len() - 1], End::Back);
    let is_two_vars =
        |(one, two, _): (Symbol, Symbol, End)| matches!((one, two), (Symbol::Var(_), Symbol::Var(_)));
    let (one, two, end) = if is_two_vars(front) { back } else { front };
    match (one, two) {
        (Symbol::Var(var), other @ Symbol::Letter(_)) | (other @ Symbol::Letter(_), Symbol::Var(var)) => {
            vec![(var, None, end), (var, Some(other), end)]
        }
        (Symbol::Var(one), Symbol::Var(two)) => vec![
            (one, None, end),
            (two, None, end),
            (one, Some(Symbol::Var(two)), end),
            (two, Some(Symbol::Var(one)), end),
        ],
        (Symbol::Letter(_), Symbol::Letter(_)) => {
            unreachable!("equal letters are stripped, different ones clash")
        }
    }
}

/// The words of the variables, from the solved system back to the first one.
fn solution(
    nodes: &[Node],
    solved: usize,
    budget: &mut Budget,
) -> Result<FxHashMap<Var, Vec<u32>>, LimitReached> {
    let mut words: FxHashMap<Var, Vec<u32>> = FxHashMap::default();
    let mut current = solved;
    loop {
        let node = &nodes[current];
        for &var in &node.empty_vars {
            words.insert(var, Vec::new());
        }
        let Some((var, prefix, end)) = node.step else { return Ok(words) };
        let rest = words.remove(&var).unwrap_or_default();
        let added = match prefix {
            None => {
                words.insert(var, Vec::new());
                current = node.parent;
                continue;
            }
            Some(Symbol::Letter(letter)) => vec![letter],
            Some(Symbol::Var(other)) => words.get(&other).cloned().unwrap_or_default(),
        };
        let len = added.len() + rest.len();
        if len > MAX_WORD_LEN {
            return Err(LimitReached);
        }
        budget.spend(len as u64)?;
        let word = match end {
            End::Front => [added, rest].concat(),
            End::Back => [rest, added].concat(),
        };
        words.insert(var, word);
        current = node.parent;
    }
}
