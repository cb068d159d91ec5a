//! Parts of assertions become definitions, or are bound by `let`.

use rustc_hash::FxHashSet;
use smelt_smtlib::script::{Command, Definition};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, replace_in_scope, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms, Variable};
use smelt_smtlib::walk::{free_names, subterm_at, subterms, variables_at};

use super::{Draft, is_first_class};
use crate::mutation::scope::annotated_names;
use crate::random::Random;
use crate::term_index::{TermIndex, TermSite};
use crate::term_pool::constants_of;

/// How many places are tried.
const PLACE_TRIES: usize = 8;
/// So many parts are abstracted at most.
const MAX_PARTS: u64 = 3;

/// Makes parts of assertions the bodies of functions; false if there is no such part.
///
/// What is bound around a part becomes a parameter, and so do some of its constants.
pub(super) fn define(terms: &mut Terms, draft: &mut Draft<'_>, random: &mut Random) -> bool {
    let mut is_changed = false;
    for _ in 0..1 + random.below(MAX_PARTS) {
        let Some(place) = draw_part(terms, draft, random) else { continue };
        let bound = free_names(terms, place.term).locals;
        let mut params: Vec<Variable> = Vec::new();
        let mut args: Vec<Term> = Vec::new();
        // Innermost first, because an inner variable hides an outer one of its name.
        for variable in variables_at(terms, place.root, &place.path).into_iter().rev() {
            if bound.contains(&variable.name) && params.iter().all(|param| param.name != variable.name) {
                args.push(terms.local(variable.name, variable.sort));
                params.push(variable);
            }
        }
        if params.len() != bound.len() || !params.iter().all(|param| is_first_class(terms, param.sort)) {
            continue;
        }
        let mut substitution = Substitution::new();
        for (name, sort) in used_constants(terms, draft, place.term) {
            if random.one_in(2) {
                let param = Variable { name: draft.new_symbol(terms, "p"), sort };
                let local = terms.local(param.name, sort);
                substitution.replace(name, local);
                args.push(terms.constant(name, sort));
                params.push(param);
            }
        }
        let body = substitute(terms, place.term, &substitution);
        let sort = terms.sort(place.term);
        let name = draft.new_symbol(terms, "d");
        let call = terms.intern(Head::Global(name), &args, sort);
        put(terms, draft, &place, call);
        insert_before_assertions(draft, Command::DefineFun(Definition { name, params, sort, body }));
        is_changed = true;
    }
    is_changed
}

/// Binds parts of assertions by `let`; false if there is no such part.
pub(super) fn bind(terms: &mut Terms, draft: &mut Draft<'_>, random: &mut Random) -> bool {
    let mut is_changed = false;
    for _ in 0..1 + random.below(MAX_PARTS) {
        let Some(place) = draw_part(terms, draft, random) else { continue };
        let locals = free_names(terms, place.term).locals;
        // The binding may stand anywhere above the part, but below what binds its variables.
        let binds = |depth: &usize| {
            let above = subterm_at(terms, place.root, &place.path[..*depth]).unwrap_or(place.root);
            let bound = terms.bound_at(above, place.path[*depth] as usize);
            bound.iter().any(|variable| locals.contains(&variable.name))
        };
        let highest = (0..place.path.len()).rev().find(binds).map_or(0, |depth| depth + 1);
        let depth = highest + random.position(place.path.len() + 1 - highest);
        let Some(scope) = subterm_at(terms, place.root, &place.path[..depth]) else { continue };
        if matches!(terms.head(scope), Head::Annotated(_)) {
            continue;
        }
        let variable = Variable { name: draft.new_symbol(terms, "l"), sort: terms.sort(place.term) };
        let local = terms.local(variable.name, variable.sort);
        let Some(body) = replace_in_scope(terms, scope, &place.path[depth..], local) else { continue };
        let binders = terms.intern_binders(&[variable]);
        let sort = terms.sort(scope);
        let binding = terms.intern(Head::Let(binders), &[place.term, body], sort);
        let outer = TermSite { path: place.path[..depth].to_vec(), ..place };
        put(terms, draft, &outer, binding);
        is_changed = true;
    }
    is_changed
}

/// A part that can be taken out of its assertion.
fn draw_part(terms: &Terms, draft: &Draft<'_>, random: &mut Random) -> Option<TermSite> {
    let survey = TermIndex::new(terms, &draft.script, |term, facts| {
        facts.nodes >= 2
            && !facts.has_names
            && !facts.has_opaque
            && !matches!(terms.head(term), Head::Annotated(_))
            && is_first_class(terms, terms.sort(term))
    });
    let labels = annotated_names(terms, &survey.terms);
    (0..PLACE_TRIES).find_map(|_| {
        let place = survey.draw(terms, random)?;
        // A label is not known before the term that it names.
        let uses_label = !labels.is_empty() && !free_names(terms, place.term).globals.is_disjoint(&labels);
        // Below an annotation stands what its patterns speak of.
        let is_annotated = (0..place.path.len()).any(|depth| {
            let above = subterm_at(terms, place.root, &place.path[..depth]);
            above.is_some_and(|above| matches!(terms.head(above), Head::Annotated(_)))
        });
        (!is_annotated && !uses_label && !place.wants_literal(terms)).then_some(place)
    })
}

/// The declared constants of a term, of sorts that a parameter can have.
fn used_constants(terms: &Terms, draft: &Draft<'_>, root: Term) -> Vec<(Symbol, Sort)> {
    let used: FxHashSet<Symbol> = subterms(terms, &[root])
        .into_iter()
        .filter_map(|term| match terms.head(term) {
            Head::Global(name) if terms.args(term).is_empty() => Some(name),
            _ => None,
        })
        .collect();
    let mut constants = constants_of(&draft.script);
    constants.retain(|(name, sort)| used.contains(name) && is_first_class(terms, *sort));
    constants
}

fn put(terms: &mut Terms, draft: &mut Draft<'_>, place: &TermSite, new: Term) {
    let root = replace_in_scope(terms, place.root, &place.path, new)
        .expect("a place leads to a term of its assertion");
    draft.script.replace(place.command, Command::Assert(root));
}

fn insert_before_assertions(draft: &mut Draft<'_>, command: Command) {
    let mut commands = std::mem::take(&mut draft.script.commands);
    let is_assertion = |command: &Command| matches!(command, Command::Assert(_));
    let place = commands.iter().position(is_assertion).unwrap_or(commands.len());
    commands.insert(place, command);
    draft.set_commands(commands);
}
