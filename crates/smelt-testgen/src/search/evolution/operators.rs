//! The genetic operators: seven ways to change a formula, and one to mix two.
//!
//! They are for formulas that [`crate::random_formula`] makes: constants and assertions without binders, in which the first
//! letter of a name tells its sort, so that what two formulas declare never clashes.

use rustc_hash::FxHashSet;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, replace_at, replace_many, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::free_names;

use crate::mutation::OperatorMutation;
use crate::operators::OperatorSet;
use crate::random::Random;
use crate::random_formula::{Grower, Knobs, declared_constants, is_for_literals};
use crate::term_index::TermIndex;

/// A way to change a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// Declares one more constant and asserts something of it.
    NewVariable,
    /// Puts another constant of its sort in the place of one.
    DeleteVariable,
    /// Asserts one more formula.
    AddAssertion,
    /// Drops an assertion.
    DeleteAssertion,
    /// Changes a literal.
    FuzzLiteral,
    /// Puts another operator of the same sorts in the place of one.
    ReplaceOperator,
    /// Swaps two terms of the same sort.
    Exchange,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 7] = [
        Mutation::NewVariable,
        Mutation::DeleteVariable,
        Mutation::AddAssertion,
        Mutation::DeleteAssertion,
        Mutation::FuzzLiteral,
        Mutation::ReplaceOperator,
        Mutation::Exchange,
    ];
}

/// A formula never has more assertions: without complexity as an objective nothing else would stop it.
pub const MAX_ASSERTIONS: usize = 20;
/// How many terms or places are tried.
const TRIES: usize = 16;
/// Share of the assertions of both parents that are exchanged, in percent.
const EXCHANGED_PERCENT: usize = 20;

/// Changes a formula in one of the seven ways; none if there is nothing to change in this way.
pub fn mutate(
    terms: &mut Terms,
    script: &Script,
    mutation: Mutation,
    knobs: &Knobs,
    random: &mut Random,
) -> Option<Script> {
    match mutation {
        Mutation::NewVariable => new_variable(terms, script, knobs, random),
        Mutation::DeleteVariable => delete_variable(terms, script, random),
        Mutation::AddAssertion => add_assertion(terms, script, knobs, random),
        Mutation::DeleteAssertion => delete_assertion(script, random),
        Mutation::FuzzLiteral => fuzz_literal(terms, script, knobs, random),
        Mutation::ReplaceOperator => replace_operator(terms, script, knobs, random),
        Mutation::Exchange => exchange(terms, script, random),
    }
}

fn new_variable(terms: &mut Terms, script: &Script, knobs: &Knobs, random: &mut Random) -> Option<Script> {
    if script.assertions().count() >= MAX_ASSERTIONS {
        return None;
    }
    let (letter, sort) =
        *random.choose(&[('s', Sort::STRING), ('s', Sort::STRING), ('i', Sort::INT), ('b', Sort::BOOL)])?;
    let names: FxHashSet<Symbol> = declarations(script).map(|(name, _)| name).collect();
    let name = (0..)
        .map(|number| terms.symbols.intern(&format!("{letter}{number}")))
        .find(|name| !names.contains(name))?;
    let constant = terms.constant(name, sort);
    let mut constants = declared_constants(terms, script);
    // Often enough that an assertion is soon found that has it.
    constants.extend(std::iter::repeat_n(constant, 1 + constants.len()));
    for _ in 0..TRIES {
        let formula = Grower { terms, knobs, constants: &constants, random }.assertion();
        if free_names(terms, formula).globals.contains(&name) {
            let mut changed = with_assertion(script, formula);
            insert_at(&mut changed, 0, Command::DeclareConst(name, sort));
            return Some(changed);
        }
    }
    None
}

fn delete_variable(terms: &mut Terms, script: &Script, random: &mut Random) -> Option<Script> {
    let all: Vec<(Symbol, Sort)> = declarations(script).collect();
    let pairs: Vec<((Symbol, Sort), (Symbol, Sort))> = all
        .iter()
        .flat_map(|first| all.iter().map(move |second| (*first, *second)))
        .filter(|(first, second)| first.1 == second.1 && first.0 != second.0)
        .collect();
    let ((gone, sort), (kept, _)) = *random.choose(&pairs)?;
    let new = terms.constant(kept, sort);
    let mut changed = script.emptied();
    let mut substitution = Substitution::new();
    substitution.replace(gone, new);
    for command in &script.commands {
        match command {
            Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) if *name == gone => {}
            Command::Assert(formula) => {
                changed.push(Command::Assert(substitute(terms, *formula, &substitution)));
            }
            other => changed.push(other.clone()),
        }
    }
    Some(changed)
}

fn add_assertion(terms: &mut Terms, script: &Script, knobs: &Knobs, random: &mut Random) -> Option<Script> {
    if script.assertions().count() >= MAX_ASSERTIONS {
        return None;
    }
    let constants = declared_constants(terms, script);
    let formula = Grower { terms, knobs, constants: &constants, random }.assertion();
    Some(with_assertion(script, formula))
}

fn delete_assertion(script: &Script, random: &mut Random) -> Option<Script> {
    let positions = assertions(script);
    let position = *random.choose(&positions).filter(|_| positions.len() > 1)?;
    let mut changed = script.clone();
    changed.commands.remove(position);
    changed.origins.remove(position);
    Some(changed)
}

fn fuzz_literal(terms: &mut Terms, script: &Script, knobs: &Knobs, random: &mut Random) -> Option<Script> {
    let survey = TermIndex::new(terms, script, |term, _| {
        matches!(terms.head(term), Head::Literal(Literal::Str | Literal::Numeral, _))
    });
    for _ in 0..TRIES {
        let place = survey.draw(terms, random)?;
        let mut grower = Grower { terms, knobs, constants: &[], random };
        let new = match grower.terms.sort(place.term) {
            Sort::STRING if place.wants_literal(grower.terms) => grower.letter(),
            Sort::STRING => grower.literal(),
            Sort::INT => grower.number(),
            _ => continue,
        };
        if new != place.term {
            let root = replace_at(terms, place.root, &place.path, new)?;
            let mut changed = script.clone();
            changed.replace(place.command, Command::Assert(root));
            return Some(changed);
        }
    }
    None
}

fn replace_operator(
    terms: &mut Terms,
    script: &Script,
    knobs: &Knobs,
    random: &mut Random,
) -> Option<Script> {
    let operators = OperatorSet::standard().filter(|op| knobs.weights.of(op) > 0);
    let mut changed = script.clone();
    OperatorMutation::default().change(terms, &mut changed, &operators, random).then_some(changed)
}

fn exchange(terms: &mut Terms, script: &Script, random: &mut Random) -> Option<Script> {
    let survey = TermIndex::new(terms, script, |term, _| terms.op(term) != Some(Op::StrToRe));
    for _ in 0..TRIES {
        let (first, second) = (survey.draw(terms, random)?, survey.draw(terms, random)?);
        let is_nested = first.command == second.command
            && (first.path.starts_with(&second.path) || second.path.starts_with(&first.path));
        if is_nested
            || first.term == second.term
            || terms.sort(first.term) != terms.sort(second.term)
            || is_for_literals(terms, &first)
            || is_for_literals(terms, &second)
        {
            continue;
        }
        let mut changed = script.clone();
        if first.command == second.command {
            let swapped = [(first.path, second.term), (second.path, first.term)];
            let root = replace_many(terms, first.root, &swapped)?;
            changed.replace(first.command, Command::Assert(root));
        } else {
            for (place, new) in [(&first, second.term), (&second, first.term)] {
                let root = replace_at(terms, place.root, &place.path, new)?;
                changed.replace(place.command, Command::Assert(root));
            }
        }
        return Some(changed);
    }
    None
}

/// How many assertions two formulas with so many exchange.
pub fn exchanged(first: usize, second: usize) -> usize {
    let wanted = ((first + second) * EXCHANGED_PERCENT / 100).max(1);
    if wanted > first.min(second) { 1 } else { wanted }
}

/// Exchanges assertions of two formulas; each declares what it needs. None if one has no assertion.
pub fn crossover(
    terms: &Terms,
    first: &Script,
    second: &Script,
    random: &mut Random,
) -> Option<(Script, Script)> {
    let (mut left, mut right) = (assertions(first), assertions(second));
    if left.is_empty() || right.is_empty() {
        return None;
    }
    let mut children = (first.clone(), second.clone());
    for _ in 0..exchanged(left.len(), right.len()) {
        let (Some(here), Some(there)) = (random.take(&mut left), random.take(&mut right)) else { break };
        children.0.replace(here, second.commands[there].clone());
        children.1.replace(there, first.commands[here].clone());
    }
    declare_missing(terms, &mut children.0, second);
    declare_missing(terms, &mut children.1, first);
    Some(children)
}

/// Declares what a formula uses and another one declares.
fn declare_missing(terms: &Terms, script: &mut Script, other: &Script) {
    let declared: FxHashSet<Symbol> = declarations(script).map(|(name, _)| name).collect();
    let mut used: FxHashSet<Symbol> = FxHashSet::default();
    for formula in script.assertions() {
        used.extend(free_names(terms, formula).globals.iter().copied());
    }
    for (name, sort) in declarations(other) {
        if used.contains(&name) && !declared.contains(&name) {
            insert_at(script, 0, Command::DeclareConst(name, sort));
        }
    }
}

fn declarations(script: &Script) -> impl Iterator<Item = (Symbol, Sort)> + '_ {
    script.commands.iter().filter_map(|command| match command {
        Command::DeclareConst(name, sort) => Some((*name, *sort)),
        Command::DeclareFun(name, params, sort) if params.is_empty() => Some((*name, *sort)),
        _ => None,
    })
}

/// The positions of the assertions among the commands.
pub(super) fn assertions(script: &Script) -> Vec<usize> {
    let all = script.commands.iter().enumerate();
    all.filter(|(_, command)| matches!(command, Command::Assert(_))).map(|(position, _)| position).collect()
}

/// The script with one more assertion behind the others.
fn with_assertion(script: &Script, formula: Term) -> Script {
    let mut changed = script.clone();
    let check = script.commands.iter().position(|command| matches!(command, Command::CheckSat));
    insert_at(&mut changed, check.unwrap_or(script.commands.len()), Command::Assert(formula));
    changed
}

fn insert_at(script: &mut Script, position: usize, command: Command) {
    script.commands.insert(position, command);
    script.origins.insert(position, smelt_smtlib::script::Origin::Made);
}
