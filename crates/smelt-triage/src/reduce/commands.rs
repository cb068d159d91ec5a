//! Commands: leaving them out, and making several out of one.

use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Role};
use smelt_smtlib::term::{Term, Terms};

use super::{Growth, Reducer};

/// Leaves out commands that declare nothing.
pub(super) fn drop_commands(reducer: &mut Reducer<'_>) -> bool {
    drop_where(reducer, |command| command.role() != Role::Declaration)
}

/// Leaves out declarations.
pub(super) fn drop_declarations(reducer: &mut Reducer<'_>) -> bool {
    drop_where(reducer, |command| command.role() == Role::Declaration)
}

fn drop_where(reducer: &mut Reducer<'_>, may_go: impl Fn(&Command) -> bool) -> bool {
    let commands = reducer.commands.clone();
    let places: Vec<usize> = (0..commands.len()).filter(|place| may_go(&commands[*place])).collect();
    reducer.keep_fewest(places.len(), &mut |_, kept| {
        let is_dropped = |place: &usize| places.binary_search(place).is_ok_and(|number| !kept[number]);
        let left = (0..commands.len()).filter(|place| !is_dropped(place));
        Some(left.map(|place| commands[place].clone()).collect())
    })
}

/// Asserts the parts of conjunctions one by one, so that they can be left out.
pub(super) fn split_conjunctions(reducer: &mut Reducer<'_>) -> bool {
    let mut split = Vec::new();
    for command in &reducer.commands {
        match command {
            Command::Assert(term) => {
                split.extend(conjuncts(&reducer.terms, *term).into_iter().map(Command::Assert));
            }
            _ => split.push(command.clone()),
        }
    }
    split.len() > reducer.commands.len() && reducer.attempt(split, Growth::Some)
}

fn conjuncts(terms: &Terms, root: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut pending = vec![root];
    while let Some(term) = pending.pop() {
        match terms.op(term) {
            Some(Op::And) => pending.extend(terms.args(term).iter().rev()),
            _ => found.push(term),
        }
    }
    found
}
