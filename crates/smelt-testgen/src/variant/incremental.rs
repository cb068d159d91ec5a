//! The same problem in conversation: assumptions, scopes, checks on the way, and assertions that are taken back.

use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Literal, Term, Terms};

use super::Draft;
use crate::ground_truth::Truth;
use crate::mutation::{GenerativeMutation, has_labels};
use crate::operators::OperatorSet;
use crate::random::Random;
use crate::readers::Readers;

/// Once in so many draws something is done between two assertions.
const BETWEEN_ONE_IN: u64 = 3;
/// Once in so many draws a name is first given to something else.
const OTHER_MEANING_ONE_IN: u64 = 4;
/// What is taken back has so many assertions at most.
const MAX_TAKEN_BACK: u64 = 2;

/// Makes some assertions hold under assumptions that the check makes; false if there are none.
pub(super) fn assume(terms: &mut Terms, draft: &mut Draft<'_>, random: &mut Random) -> bool {
    let count = draft.assertions().len();
    if count == 0 {
        return false;
    }
    let certain = random.position(count);
    let mut commands = Vec::new();
    let mut assumptions = Vec::new();
    let mut number = 0;
    for command in draft.script.commands.clone() {
        match command {
            Command::Assert(term) => {
                number += 1;
                if number - 1 != certain && !random.one_in(2) {
                    commands.push(command);
                    continue;
                }
                let name = draft.new_symbol(terms, "a");
                let constant = terms.constant(name, Sort::BOOL);
                let is_positive = random.one_in(2);
                let (assumption, assertion) = match is_positive {
                    true => (Ok(constant), terms.apply(Op::Implies, &[], &[constant, term])),
                    false => {
                        (terms.apply(Op::Not, &[], &[constant]), terms.apply(Op::Or, &[], &[constant, term]))
                    }
                };
                let (Ok(assumption), Ok(assertion)) = (assumption, assertion) else { return false };
                assumptions.push(assumption);
                commands.push(Command::DeclareConst(name, Sort::BOOL));
                commands.push(Command::Assert(assertion));
                if let Truth::Sat(model) = &mut draft.truth {
                    let value = terms.bool(is_positive);
                    model.set(terms, name, value);
                }
            }
            Command::CheckSat => commands.push(Command::CheckSatAssuming(assumptions.clone())),
            other => commands.push(other),
        }
    }
    draft.set_commands(commands);
    true
}

/// Tells the problem in several scopes, with checks and other assertions in between.
pub(super) fn open_scopes(
    terms: &mut Terms,
    draft: &mut Draft<'_>,
    generative: &GenerativeMutation,
    random: &mut Random,
) -> bool {
    // What can be said again: everything that it speaks of is declared.
    let mut told: Vec<Term> = Vec::new();
    let script = draft.script.clone();
    let mut commands = Vec::new();
    let mut is_changed = false;
    for command in script.commands.clone() {
        if let Command::Assert(term) = command
            && !has_labels(terms, term)
        {
            told.push(term);
        }
        match &command {
            Command::DeclareConst(name, _) if random.one_in(OTHER_MEANING_ONE_IN) => {
                commands.extend(with_other_meaning(terms, *name, random));
                is_changed = true;
            }
            // The last of them is the check that counts.
            Command::Assert(_) | Command::CheckSat | Command::CheckSatAssuming(_)
                if random.one_in(BETWEEN_ONE_IN) || (!is_changed && is_check(&command)) =>
            {
                commands.extend(between(terms, &script, &told, generative, random));
                is_changed = true;
            }
            _ => {}
        }
        commands.push(command);
    }
    draft.set_commands(commands);
    is_changed
}

fn is_check(command: &Command) -> bool {
    matches!(command, Command::CheckSat | Command::CheckSatAssuming(_))
}

/// A scope in which a name means something else.
fn with_other_meaning(terms: &mut Terms, name: Symbol, random: &mut Random) -> Vec<Command> {
    let mut commands = vec![Command::Push(1)];
    if random.one_in(2) {
        commands.push(Command::DeclareConst(name, Sort::BOOL));
        commands.push(Command::Assert(terms.constant(name, Sort::BOOL)));
    } else {
        commands.push(Command::DeclareConst(name, Sort::INT));
        let constant = terms.constant(name, Sort::INT);
        let one = terms.literal(Literal::Numeral, "1", Sort::INT);
        let claim = terms.apply(Op::Eq, &[], &[constant, one]).expect("two integers can be compared");
        commands.push(Command::Assert(claim));
    }
    if random.one_in(2) {
        commands.push(Command::CheckSat);
    }
    commands.push(Command::Pop(1));
    commands
}

/// What may be said between two assertions without changing what follows.
fn between(
    terms: &mut Terms,
    script: &Script,
    told: &[Term],
    generative: &GenerativeMutation,
    random: &mut Random,
) -> Vec<Command> {
    match random.below(4) {
        0 => vec![Command::CheckSat],
        1 => vec![Command::Push(1 + random.below(2) as u32)],
        _ => {
            let levels = 1 + random.below(2) as u32;
            let mut commands = vec![Command::Push(levels)];
            for _ in 0..1 + random.below(MAX_TAKEN_BACK) {
                commands.extend(taken_back(terms, script, told, generative, random).map(Command::Assert));
            }
            if !random.one_in(3) {
                commands.push(Command::CheckSat);
            }
            commands.push(Command::Pop(levels));
            commands
        }
    }
}

/// An assertion that will be taken back: the negation of one of the problem, or a mutant of it.
fn taken_back(
    terms: &mut Terms,
    script: &Script,
    told: &[Term],
    generative: &GenerativeMutation,
    random: &mut Random,
) -> Option<Term> {
    let assertion = *random.choose(told)?;
    if random.one_in(2) {
        return terms.apply(Op::Not, &[], &[assertion]).ok();
    }
    let mut alone = script.emptied();
    let is_declaration = |command: &&Command| !matches!(command, Command::Assert(_)) && !is_check(command);
    script.commands.iter().filter(is_declaration).for_each(|command| alone.push(command.clone()));
    alone.push(Command::Assert(assertion));
    generative.change(terms, &mut alone, OperatorSet::read_by(Readers::BOTH), random);
    alone.assertions().last()
}
