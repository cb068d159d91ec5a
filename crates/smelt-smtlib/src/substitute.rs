//! Replacing: names by terms without capture, single occurrences, renaming apart, expanding lets.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Case, Head, Term, Terms, Variable};
use crate::walk::{FreeNames, Scopes, free_names, subterm_at, subterms};

/// What to put in place of names: terms for free constants and variables, names for applied functions.
#[derive(Debug, Clone, Default)]
pub struct Substitution {
    terms: FxHashMap<Symbol, Term>,
    functions: FxHashMap<Symbol, Symbol>,
}

impl Substitution {
    /// Replaces nothing.
    pub fn new() -> Self {
        Substitution::default()
    }

    /// Replaces the free constant or variable `name` by `term`.
    pub fn replace(&mut self, name: Symbol, term: Term) -> &mut Self {
        self.terms.insert(name, term);
        self
    }

    /// The names that binders must not capture.
    fn free_names(&self, terms: &Terms) -> FreeNames {
        let mut free = FreeNames::default();
        for term in self.terms.values() {
            let names = free_names(terms, *term);
            free.globals.extend(names.globals);
            free.locals.extend(names.locals);
        }
        free.globals.extend(self.functions.values());
        free
    }

    /// Renames the declared symbol `name`, whether it is applied or not.
    pub fn rename(&mut self, name: Symbol, new_name: Symbol) -> &mut Self {
        self.functions.insert(name, new_name);
        self
    }
}

/// Puts terms in place of all free occurrences of names. Binders are renamed where they would capture.
pub fn substitute(terms: &mut Terms, root: Term, substitution: &Substitution) -> Term {
    rebuild(terms, root, Replace { substitution, captured: OnceCell::new() })
}

/// Puts the bound terms in place of the variables of every `let`.
pub fn expand_lets(terms: &mut Terms, root: Term) -> Term {
    // A quantified variable keeps its name if nothing else in the term has it: then nothing can be captured.
    let mut names = free_names(terms, root);
    let mut bound_once = FxHashSet::default();
    for term in subterms(terms, &[root]) {
        for position in 0..terms.args(term).len() {
            for variable in terms.bound_at(term, position) {
                if !bound_once.insert(variable.name) {
                    names.locals.insert(variable.name);
                }
            }
        }
    }
    rebuild(terms, root, ExpandLets { ambiguous: names })
}

/// Renames every bound variable to `stem` and its nesting depth, so that terms that differ in the names of bound
/// variables only become equal. No declared symbol may look like that.
pub(crate) fn normalize_binders(terms: &mut Terms, root: Term, stem: &str) -> Term {
    rebuild(terms, root, Normalize { stem: stem.to_owned() })
}

/// Puts `new` in place of the one occurrence at `path`. Binders around it are renamed where they would capture.
///
/// None if there is no such path.
pub fn replace_at(terms: &mut Terms, root: Term, path: &[u32], new: Term) -> Option<Term> {
    let names = free_names(terms, new);
    replace_below(terms, root, path, new, &names)
}

/// Puts `new` in place of the occurrence at `path`, where names that are bound there stay bound.
///
/// None if there is no such path.
pub fn replace_in_scope(terms: &mut Terms, root: Term, path: &[u32], new: Term) -> Option<Term> {
    replace_below(terms, root, path, new, &FreeNames::default())
}

fn replace_below(terms: &mut Terms, root: Term, path: &[u32], new: Term, names: &FreeNames) -> Option<Term> {
    // Down: rename binders that would capture, remember the way.
    let mut way = Vec::with_capacity(path.len());
    let mut term = root;
    for position in path {
        let position = *position as usize;
        term = rename_captors(terms, term, position, names);
        way.push(term);
        term = *terms.args(term).get(position)?;
    }
    // Up: rebuild.
    let mut result = new;
    let mut args = Vec::new();
    for (term, position) in way.into_iter().zip(path).rev() {
        args.clear();
        args.extend_from_slice(terms.args(term));
        args[*position as usize] = result;
        result = terms.with_args(term, &args);
    }
    Some(result)
}

/// Renames the variables that a binder binds for its argument at `position`, if their names are among `names`.
fn rename_captors(terms: &mut Terms, term: Term, position: usize, names: &FreeNames) -> Term {
    let bound = terms.bound_at(term, position).iter().copied();
    let captors: Vec<Variable> = bound.filter(|variable| names.contains(variable.name)).collect();
    if captors.is_empty() {
        return term;
    }
    let mut substitution = Substitution::new();
    let mut new_names = FxHashMap::default();
    for captor in captors {
        let stem = terms.text(captor.name).to_owned();
        let fresh = terms.symbols.fresh(&stem);
        let local = terms.local(fresh, captor.sort);
        substitution.replace(captor.name, local);
        new_names.insert(captor.name, fresh);
    }
    let mut args = terms.args(term).to_vec();
    // The variables of a closure are those of all its arguments.
    let is_shared = matches!(terms.head(term), Head::Closure(..));
    for (at, arg) in args.iter_mut().enumerate() {
        if is_shared || at == position {
            *arg = substitute(terms, *arg, &substitution);
        }
    }
    let head = renamed_head(terms, term, position, &|name| new_names.get(&name).copied());
    terms.intern(head, &args, terms.sort(term))
}

/// Puts terms in place of chosen occurrences. No path may lead through another.
///
/// None if some path does not exist.
pub fn replace_many(terms: &mut Terms, root: Term, replacements: &[(Vec<u32>, Term)]) -> Option<Term> {
    replacements.iter().try_fold(root, |root, (path, new)| {
        subterm_at(terms, root, path)?;
        replace_at(terms, root, path, *new)
    })
}

/// New names for the symbols of `names` that are in `taken`.
pub fn names_apart(
    terms: &mut Terms,
    names: impl IntoIterator<Item = Symbol>,
    taken: &FxHashSet<Symbol>,
) -> Vec<(Symbol, Symbol)> {
    names
        .into_iter()
        .filter(|name| taken.contains(name))
        .map(|name| {
            let stem = terms.text(name).to_owned();
            (name, terms.symbols.fresh(&stem))
        })
        .collect()
}

/// The head of a binder with the variables of one argument renamed.
fn renamed_head(
    terms: &mut Terms,
    term: Term,
    position: usize,
    new_name: &dyn Fn(Symbol) -> Option<Symbol>,
) -> Head {
    let rename = |variable: &Variable| Variable {
        name: new_name(variable.name).unwrap_or(variable.name),
        sort: variable.sort,
    };
    let head = terms.head(term);
    match head {
        Head::Let(binders)
        | Head::Forall(binders)
        | Head::Exists(binders)
        | Head::Lambda(binders)
        | Head::Closure(_, binders) => {
            let variables: Vec<Variable> = terms.binders(binders).iter().map(rename).collect();
            let binders = terms.intern_binders(&variables);
            match head {
                Head::Let(_) => Head::Let(binders),
                Head::Forall(_) => Head::Forall(binders),
                Head::Exists(_) => Head::Exists(binders),
                Head::Closure(closure, _) => Head::Closure(closure, binders),
                _ => Head::Lambda(binders),
            }
        }
        Head::Match(cases) => {
            let mut cases: Vec<Case> = terms.cases(cases).to_vec();
            let case = &mut cases[position - 1];
            case.variables = case.variables.iter().map(rename).collect();
            Head::Match(terms.intern_cases(&cases))
        }
        other => other,
    }
}

/// What a rebuild does where it has a choice.
trait Policy {
    /// What to put in place of a term whose head uses names that no binder of the whole binds.
    fn name(&self, _terms: &mut Terms, _term: Term, _args: &[Term]) -> Option<Term> {
        None
    }

    /// What the variables of a binder become inside of its scope; `depth` counts the variables around it.
    fn bind(&self, terms: &mut Terms, variable: Variable, depth: usize) -> Bound;

    /// Whether a `let` disappears, its variables being replaced by the terms they stand for.
    fn expands_lets(&self) -> bool {
        false
    }
}

/// What becomes of a bound variable.
enum Bound {
    /// It stays, and hides what is outside.
    Kept,
    /// It is renamed.
    Renamed(Symbol),
}

struct Replace<'s> {
    substitution: &'s Substitution,
    /// Found at the first binder; most terms have none.
    captured: OnceCell<FreeNames>,
}

impl Policy for Replace<'_> {
    fn name(&self, terms: &mut Terms, term: Term, args: &[Term]) -> Option<Term> {
        let (Head::Global(name) | Head::Local(name) | Head::Qualified(name)) = terms.head(term) else {
            let head = self.head(terms, term)?;
            return Some(terms.intern(head, args, terms.sort(term)));
        };
        if args.is_empty()
            && let Some(new) = self.substitution.terms.get(&name)
        {
            return Some(*new);
        }
        let new_name = *self.substitution.functions.get(&name)?;
        let head = match terms.head(term) {
            Head::Qualified(_) => Head::Qualified(new_name),
            Head::Local(_) => return None,
            _ => Head::Global(new_name),
        };
        Some(terms.intern(head, args, terms.sort(term)))
    }

    fn bind(&self, terms: &mut Terms, variable: Variable, _depth: usize) -> Bound {
        let captured = self.captured.get_or_init(|| self.substitution.free_names(terms));
        keep_unless(captured.contains(variable.name), terms, variable)
    }
}

fn keep_unless(captures: bool, terms: &mut Terms, variable: Variable) -> Bound {
    if !captures {
        return Bound::Kept;
    }
    let stem = terms.text(variable.name).to_owned();
    Bound::Renamed(terms.symbols.fresh(&stem))
}

impl Replace<'_> {
    /// The head of a term with the declared names in it renamed; none if it has no such names.
    fn head(&self, terms: &mut Terms, term: Term) -> Option<Head> {
        let new_name = |name: Symbol| self.substitution.functions.get(&name).copied();
        Some(match terms.head(term) {
            Head::Tester(name) => Head::Tester(new_name(name)?),
            Head::Updater(name) => Head::Updater(new_name(name)?),
            Head::Match(cases) => {
                let mut cases: Vec<Case> = terms.cases(cases).to_vec();
                for case in &mut cases {
                    case.constructor = case.constructor.map(|name| new_name(name).unwrap_or(name));
                }
                Head::Match(terms.intern_cases(&cases))
            }
            Head::Annotated(attributes) => {
                let mut attributes: Vec<Attribute> = terms.attributes(attributes).to_vec();
                for attribute in &mut attributes {
                    if let AttributeValue::Name(name) = &mut attribute.value {
                        *name = new_name(*name).unwrap_or(*name);
                    }
                }
                Head::Annotated(terms.intern_attributes(&attributes))
            }
            _ => return None,
        })
    }
}

struct ExpandLets {
    ambiguous: FreeNames,
}

impl Policy for ExpandLets {
    fn bind(&self, terms: &mut Terms, variable: Variable, _depth: usize) -> Bound {
        keep_unless(self.ambiguous.contains(variable.name), terms, variable)
    }

    fn expands_lets(&self) -> bool {
        true
    }
}

struct Normalize {
    stem: String,
}

impl Policy for Normalize {
    fn bind(&self, terms: &mut Terms, _: Variable, depth: usize) -> Bound {
        Bound::Renamed(terms.symbols.intern(&format!("{}{depth}", self.stem)))
    }
}

enum Walk {
    Visit(Term),
    Enter(Term, usize),
    Leave(Term, usize),
    Build(Term),
}

/// What a name means inside of the binders passed so far.
#[derive(Clone, Copy)]
enum Meaning {
    /// The variable itself.
    Itself,
    /// The variable under another name.
    Renamed(Symbol),
    /// A term.
    Replaced(Term),
}

/// Rebuilds a term from the leaves up, by a policy.
fn rebuild(terms: &mut Terms, root: Term, policy: impl Policy) -> Term {
    let mut meanings: FxHashMap<Symbol, Vec<Meaning>> = FxHashMap::default();
    let mut depth = 0;
    let mut scopes = Scopes::default();
    let mut done: FxHashMap<(Term, u32), Term> = FxHashMap::default();
    let mut built: Vec<Term> = Vec::new();
    // For each scope left whose binder is not built yet: the argument and the new names of its variables.
    let mut renamed: Vec<(usize, FxHashMap<Symbol, Symbol>)> = Vec::new();
    let mut pending = vec![Walk::Visit(root)];
    while let Some(step) = pending.pop() {
        match step {
            Walk::Visit(term) => {
                if let Some(result) = done.get(&(term, scope_of(terms, term, &scopes))) {
                    built.push(*result);
                    continue;
                }
                pending.push(Walk::Build(term));
                for position in (0..terms.args(term).len()).rev() {
                    let is_scope = !terms.bound_at(term, position).is_empty();
                    let arg = terms.args(term)[position];
                    pending.push(if is_scope { Walk::Enter(term, position) } else { Walk::Visit(arg) });
                }
            }
            Walk::Enter(term, position) => {
                let variables = terms.bound_at(term, position).to_vec();
                let is_expanded = policy.expands_lets() && matches!(terms.head(term), Head::Let(_));
                // The names that the argument before it gave to the variables of the same closure.
                let is_shared = position > 0 && matches!(terms.head(term), Head::Closure(..));
                let shared = if is_shared { renamed.last().map(|(_, names)| names.clone()) } else { None };
                let first_bound = built.len().saturating_sub(variables.len());
                for (number, variable) in variables.iter().enumerate() {
                    let meaning = if is_expanded {
                        Meaning::Replaced(built[first_bound + number])
                    } else if let Some(names) = &shared {
                        names.get(&variable.name).map_or(Meaning::Itself, |name| Meaning::Renamed(*name))
                    } else {
                        match policy.bind(terms, *variable, depth) {
                            Bound::Kept => Meaning::Itself,
                            Bound::Renamed(name) => Meaning::Renamed(name),
                        }
                    };
                    meanings.entry(variable.name).or_default().push(meaning);
                    depth += 1;
                }
                scopes.enter(term, position);
                pending.push(Walk::Leave(term, position));
                pending.push(Walk::Visit(terms.args(term)[position]));
            }
            Walk::Leave(term, position) => {
                let mut new_names = FxHashMap::default();
                for variable in terms.bound_at(term, position) {
                    depth -= 1;
                    if let Some(Meaning::Renamed(new_name)) =
                        meanings.get_mut(&variable.name).and_then(Vec::pop)
                    {
                        new_names.insert(variable.name, new_name);
                    }
                }
                scopes.leave();
                renamed.push((position, new_names));
            }
            Walk::Build(term) => {
                let args = built.split_off(built.len() - terms.args(term).len());
                let scope_count =
                    (0..args.len()).filter(|position| !terms.bound_at(term, *position).is_empty()).count();
                let new_names = renamed.split_off(renamed.len() - scope_count);
                let result = if policy.expands_lets() && matches!(terms.head(term), Head::Let(_)) {
                    args[args.len() - 1]
                } else {
                    build(terms, term, &args, &new_names, &meanings, &policy)
                };
                done.insert((term, scope_of(terms, term, &scopes)), result);
                built.push(result);
            }
        }
    }
    built.pop().expect("one term was rebuilt")
}

/// The scope that the meaning of a term depends on.
fn scope_of(terms: &Terms, term: Term, scopes: &Scopes) -> u32 {
    if terms.has_locals(term) { scopes.current() } else { 0 }
}

fn build(
    terms: &mut Terms,
    term: Term,
    args: &[Term],
    new_names: &[(usize, FxHashMap<Symbol, Symbol>)],
    meanings: &FxHashMap<Symbol, Vec<Meaning>>,
    policy: &impl Policy,
) -> Term {
    if let Head::Local(name) = terms.head(term) {
        match meanings.get(&name).and_then(|meanings| meanings.last()) {
            None => {}
            Some(Meaning::Itself) => return terms.with_args(term, args),
            Some(Meaning::Renamed(new_name)) => {
                return terms.intern(Head::Local(*new_name), args, terms.sort(term));
            }
            Some(Meaning::Replaced(new)) => return *new,
        }
    }
    let mut binder = term;
    let scopes = match terms.head(term) {
        Head::Closure(..) => &new_names[..1],
        _ => new_names,
    };
    for (position, new_names) in scopes {
        if !new_names.is_empty() {
            let head = renamed_head(terms, binder, *position, &|name| new_names.get(&name).copied());
            let old_args = terms.args(binder).to_vec();
            binder = terms.intern(head, &old_args, terms.sort(binder));
        }
    }
    policy.name(terms, binder, args).unwrap_or_else(|| terms.with_args(binder, args))
}

#[cfg(test)]
mod tests;
