//! `fusion`: joins two seeds of known answers into one formula, and entangles their variables.
//!
//! A fresh z stands for f(x, y), where x is a constant of one seed and y one of the other, and some occurrences of x
//! and y are replaced by what finds them again from z. Whether the two are conjoined or disjoined decides what is known
//! of the result:
//!
//! - A conjunction is satisfiable if both are, and unsatisfiable if one is.
//! - A disjunction is satisfiable if one is, and unsatisfiable if both are.
//!
//! That a fusion is satisfiable is never concluded: the models of the seeds together, with f(x, y) for z, are evaluated
//! on it. A fusion is unsatisfiable because z = f(x, y) is asserted, and with it the inversions themselves unless the
//! triple inverts for all values: then a replaced occurrence equals what it replaces, whatever the triple is.
//!
//! Where no triple fits, and now and then besides, terms of any sort are linked to formulas: `fusion/choice.rs`. A seed of
//! which nothing is known is preferably joined to one of which something is.
//!
//! Follows Winterer, Zhang and Su, "Validating SMT Solvers via Semantic Fusion" (PLDI 2020), and chapter 3 of Winterer's
//! thesis. Products with a factor of zero do not invert; the thesis overlooks that.

mod choice;
pub mod synthesis;
pub mod triple;
pub mod verify;

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_oracle::case::Basis;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, replace_many};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};

use crate::fresh_names::{new_name, sort_classes, symbols_of};
use crate::ground_truth::{Truth, union};
use crate::library::Wish;
use crate::mutant::Mutant;
use crate::random::Random;
use crate::seed::Seed;
use crate::shape::Bindings;
use crate::technique::Technique;
use crate::term_index::open_args;
use choice::choice_link;
use triple::{Instance, Triple};

/// Semantic fusion.
#[derive(Debug)]
pub struct Fusion {
    triples: Triples,
}

/// Joining without entangling: ConcatFuzz, which shows what fusion adds to it.
#[derive(Debug, Clone, Default)]
pub struct Concatenation;

/// How many other seeds are tried in a step.
const PARTNER_TRIES: usize = 16;
/// How many pairs of variables are fused at most.
const MAX_PAIRS: u64 = 3;
/// How often constants are drawn for a triple with conditions on them.
const CONSTANT_TRIES: usize = 16;
/// An assertion in which there are more occurrences of variables is entangled at some of them only.
const MAX_OCCURRENCES: usize = 400;
/// A choice is added to other links once in so many times.
const CHOICE_ONE_IN: u64 = 8;
/// Once in so many times the less usual thing is done.
const SELDOM: u64 = 4;

impl Default for Fusion {
    fn default() -> Self {
        Fusion::new(triple::built_in())
    }
}

impl Fusion {
    /// The fusion that may use these triples.
    pub fn new(triples: Vec<Triple>) -> Self {
        Fusion { triples: Triples { all: triples, choices: true, fits: RwLock::default() } }
    }
}

/// Triples, and which of them can be used on which sorts.
#[derive(Debug, Default)]
struct Triples {
    all: Vec<Triple>,
    /// Whether terms of any sort may be linked to formulas.
    choices: bool,
    /// For pairs of sorts that are the same everywhere. There are few, and each fusion asks for some of them.
    fits: RwLock<Fitting>,
}

/// For pairs of sorts the triples that can be used on constants of them.
type Fitting = FxHashMap<(Sort, Sort), Arc<[Fit]>>;

/// A triple that can be used on two sorts.
#[derive(Debug)]
struct Fit {
    /// Its position among all.
    triple: usize,
    /// Whether its x is of the second sort.
    is_turned: bool,
    bindings: Bindings,
}

impl Triples {
    /// The triples that can be used on constants of two sorts.
    fn fits(&self, terms: &Terms, our: Sort, their: Sort) -> Arc<[Fit]> {
        const EVERYWHERE: [Sort; 6] =
            [Sort::BOOL, Sort::INT, Sort::REAL, Sort::STRING, Sort::REG_LAN, Sort::ROUNDING_MODE];
        if !EVERYWHERE.contains(&our) || !EVERYWHERE.contains(&their) {
            return self.find(terms, our, their).into();
        }
        let known = self.fits.read().unwrap_or_else(PoisonError::into_inner).get(&(our, their)).cloned();
        known.unwrap_or_else(|| {
            let found: Arc<[Fit]> = self.find(terms, our, their).into();
            self.fits.write().unwrap_or_else(PoisonError::into_inner).insert((our, their), found.clone());
            found
        })
    }

    fn find(&self, terms: &Terms, our: Sort, their: Sort) -> Vec<Fit> {
        let mut fits = Vec::new();
        for (number, triple) in self.all.iter().enumerate() {
            for (x, y, is_turned) in [(our, their, false), (their, our, true)] {
                if let Some(bindings) = triple.bind(&terms.sorts, x, y) {
                    fits.push(Fit { triple: number, is_turned, bindings });
                }
            }
        }
        fits
    }
}

impl Technique for Fusion {
    fn name(&self) -> &'static str {
        "fusion"
    }

    fn summary(&self) -> &'static str {
        "join two seeds of known answers and express variables of each by those of the other"
    }

    fn chain_length(&self) -> u32 {
        40
    }

    fn max_bytes(&self, _: usize) -> usize {
        usize::MAX
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        join_with_some(terms, mutant, &self.triples, random)
    }
}

impl Technique for Concatenation {
    fn name(&self) -> &'static str {
        "concat"
    }

    fn summary(&self) -> &'static str {
        "join two seeds of known answers, and no more: what fusion is compared with"
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn chain_length(&self) -> u32 {
        40
    }

    fn max_bytes(&self, _: usize) -> usize {
        usize::MAX
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        join_with_some(terms, mutant, &Triples::default(), random)
    }
}

/// How two seeds are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Conjunction,
    Disjunction,
}

/// One use of a triple: over a constant of each seed, with values for what it draws.
struct Link {
    x: Term,
    y: Term,
    z: Symbol,
    z_sort: Sort,
    instance: Instance,
    /// Whether asserting z = f(x, y) is enough for the inversions to hold.
    inverts: bool,
}

/// Joins the seed with one of some others; false if none of them is of use.
fn join_with_some(
    terms: &mut Terms,
    mutant: &mut Mutant<'_>,
    triples: &Triples,
    random: &mut Random,
) -> bool {
    let classes = sort_classes(terms, &mutant.seed.script);
    let library = mutant.library;
    let is_unknown = |truth: &Truth| matches!(truth, Truth::Unknown);
    (0..PARTNER_TRIES).any(|number| {
        let mut taken = mutant.symbols.get_or_init(|| symbols_of(&mutant.seed.source)).clone();
        let wish = Wish { classes: &classes, readers: mutant.seed.readers(terms) };
        let other = library.draw_apart_from(terms, &mut taken, wish, random);
        other.is_some_and(|other| {
            let says_nothing = is_unknown(&mutant.seed.truth) && is_unknown(&other.truth);
            (!says_nothing || number >= PARTNER_TRIES / 2)
                && join(terms, mutant, &other, triples, taken, random)
        })
    })
}

/// Joins the seed with another one; false if that one is of no use. Without triples nothing is entangled.
fn join(
    terms: &mut Terms,
    mutant: &mut Mutant<'_>,
    other: &Seed,
    triples: &Triples,
    mut taken: FxHashSet<String>,
    random: &mut Random,
) -> bool {
    let first = mutant.seed;
    let (form, truth) = choose_form(&first.truth, &other.truth, random);
    let basis = basis_of(form, first, other);
    let mut detail = format!("with seed {}", other.name);
    let mut links = choose_links(terms, first, other, triples, &mut taken, random);
    if triples.choices && (links.is_empty() || random.one_in(CHOICE_ONE_IN)) {
        let (ours, theirs) = if random.one_in(2) { (first, other) } else { (other, first) };
        let link = choice_link(terms, ours, theirs, &mut taken, random);
        links.extend(link.map(|link| (choice::ID, link)));
    }
    if links.is_empty() && !triples.all.is_empty() {
        return false;
    }
    for (number, (id, link)) in links.iter().enumerate() {
        detail.push_str(if number == 0 { " by " } else { ", " });
        detail.push_str(id);
        if *id != choice::ID {
            detail.push_str(&format!(" of {} and {}", name_of(terms, link.x), name_of(terms, link.y)));
        }
    }
    let links: Vec<Link> = links.into_iter().map(|(_, link)| link).collect();
    let replacements = replacements(&links);
    let mut sides = Vec::new();
    for seed in [first, other] {
        let assertions: Vec<Term> = seed.script.assertions().collect();
        sides.push(entangle(terms, &assertions, &replacements, random));
    }
    let is_unsat = matches!(truth, Truth::Unsat(_));
    let constraints = constraints(terms, &links, is_unsat, random);
    let mut script = Script { dialect: Dialect::V26, ..Script::default() };
    let is_declaration = |command: &&Command| {
        !matches!(command, Command::Assert(_) | Command::CheckSat | Command::SetLogic(_))
    };
    let logics = [first.script.logic(), other.script.logic()];
    let is_higher_order = |logic: &Symbol| terms.text(*logic).starts_with("HO_");
    let logic =
        logics.iter().flatten().find(|logic| is_higher_order(logic)).or(logics.iter().flatten().next());
    let logic = logic.copied();
    logic.into_iter().for_each(|logic| script.push(Command::SetLogic(logic)));
    for seed in [first, other] {
        seed.script.commands.iter().filter(is_declaration).for_each(|command| script.push(command.clone()));
    }
    links.iter().for_each(|link| script.push(Command::DeclareConst(link.z, link.z_sort)));
    match form {
        Form::Conjunction => sides.concat().into_iter().for_each(|term| script.push(Command::Assert(term))),
        Form::Disjunction => {
            let sides: Vec<Term> = sides.iter().map(|side| conjunction(terms, side)).collect();
            let either = terms.apply(Op::Or, &[], &sides).expect("two formulas can be disjoined");
            script.push(Command::Assert(either));
        }
    }
    constraints.into_iter().for_each(|term| script.push(Command::Assert(term)));
    script.push(Command::CheckSat);
    mutant.truth = match truth {
        Truth::Unsat(_) => Truth::all_unsat(&script),
        Truth::Sat(mut model) => {
            links.iter().for_each(|link| model.set(terms, link.z, link.instance.fusion));
            Truth::Sat(model)
        }
        Truth::Unknown => Truth::Unknown,
    };
    mutant.basis = basis;
    mutant.complaints.clone_from(&first.complaints);
    mutant.complaints.extend_from_slice(&other.complaints);
    mutant.detail = detail;
    mutant.script = script;
    true
}

/// How to put two seeds together, preferably such that something is known of the result, and what that is.
fn choose_form(first: &Truth, second: &Truth, random: &mut Random) -> (Form, Truth) {
    let unsat = || Truth::Unsat(Vec::new());
    let both = |first: &Model, second: &Model| Truth::Sat(union(first, second));
    match (first, second) {
        (Truth::Sat(first), Truth::Sat(second)) => {
            let form = if random.one_in(SELDOM) { Form::Disjunction } else { Form::Conjunction };
            (form, both(first, second))
        }
        (Truth::Unsat(_), Truth::Unsat(_)) => {
            (if random.one_in(SELDOM) { Form::Conjunction } else { Form::Disjunction }, unsat())
        }
        (Truth::Sat(model), Truth::Unsat(_)) | (Truth::Unsat(_), Truth::Sat(model)) => {
            if random.one_in(2) {
                (Form::Disjunction, Truth::Sat(model.clone()))
            } else {
                (Form::Conjunction, unsat())
            }
        }
        (Truth::Unsat(_), Truth::Unknown) | (Truth::Unknown, Truth::Unsat(_)) => (Form::Conjunction, unsat()),
        (Truth::Sat(model), Truth::Unknown) | (Truth::Unknown, Truth::Sat(model)) => {
            (Form::Disjunction, Truth::Sat(model.clone()))
        }
        (Truth::Unknown, Truth::Unknown) => (Form::Conjunction, Truth::Unknown),
    }
}

/// What it rests on that two seeds together are unsatisfiable, if they are thought to be.
fn basis_of(form: Form, first: &Seed, second: &Seed) -> Basis {
    let is_unsat = |seed: &Seed| matches!(seed.truth, Truth::Unsat(_));
    match (is_unsat(first), is_unsat(second)) {
        // Of a conjunction one part is enough, the better one.
        (true, true) if form == Form::Conjunction && first.basis.is_certain() => Basis::Certain,
        (true, true) if form == Form::Conjunction && second.basis.is_certain() => Basis::Certain,
        (true, false) => first.basis.clone(),
        (false, true) => second.basis.clone(),
        _ => first.basis.clone().and(second.basis.clone()),
    }
}

/// Chooses pairs of constants and triples for them, no constant twice.
fn choose_links<'t>(
    terms: &mut Terms,
    first: &Seed,
    second: &Seed,
    triples: &'t Triples,
    taken: &mut FxHashSet<String>,
    random: &mut Random,
) -> Vec<(&'t str, Link)> {
    let (mut ours, mut theirs) = (used_constants(terms, first), used_constants(terms, second));
    let wanted = 1 + random.below(MAX_PAIRS);
    let mut fitting = Fitting::default();
    let mut links = Vec::new();
    while links.len() < wanted as usize {
        let mut candidates = Vec::new();
        for (our_place, &(_, our)) in ours.iter().enumerate() {
            for (their_place, &(_, their)) in theirs.iter().enumerate() {
                let fits = fitting.entry((our, their)).or_insert_with(|| triples.fits(terms, our, their));
                candidates.extend((0..fits.len()).map(|number| (our_place, their_place, number)));
            }
        }
        let Some((our_place, their_place, number)) = random.take(&mut candidates) else { break };
        let Fit { triple, is_turned, bindings } =
            &fitting[&(ours[our_place].1, theirs[their_place].1)][number];
        let triple = &triples.all[*triple];
        let (our, their) = (ours.remove(our_place), theirs.remove(their_place));
        let (x, y) = if *is_turned { (their, our) } else { (our, their) };
        let (x, y) = (terms.constant(x.0, x.1), terms.constant(y.0, y.1));
        if let Some(link) = link(terms, triple, bindings, x, y, taken, random) {
            links.push((triple.id.as_str(), link));
        }
    }
    links
}

/// The constants of a seed that occur in its assertions where they can be replaced, in the order of declaration.
fn used_constants(terms: &mut Terms, seed: &Seed) -> Vec<(Symbol, Sort)> {
    let mut used: FxHashSet<Term> = FxHashSet::default();
    let mut pending: Vec<Term> = seed.script.assertions().collect();
    while let Some(term) = pending.pop() {
        if used.insert(term) {
            pending.extend(open_args(terms, term));
        }
    }
    let mut constants = Vec::new();
    for command in &seed.script.commands {
        let (name, sort) = match command {
            Command::DeclareConst(name, sort) => (*name, *sort),
            Command::DeclareFun(name, params, sort) if params.is_empty() => (*name, *sort),
            _ => continue,
        };
        if used.contains(&terms.constant(name, sort)) {
            constants.push((name, sort));
        }
    }
    constants
}

/// Applies a triple to two constants.
fn link(
    terms: &mut Terms,
    triple: &Triple,
    bindings: &Bindings,
    x: Term,
    y: Term,
    taken: &mut FxHashSet<String>,
    random: &mut Random,
) -> Option<Link> {
    let general = triple.instantiate(terms, bindings).ok()?;
    let is_conditional = general.is_conditional(terms);
    let drawn = (0..CONSTANT_TRIES).find_map(|_| {
        let drawn = general.draw_constants(terms, random)?;
        (is_conditional || are_true(terms, &drawn.conditions)).then_some(drawn)
    })?;
    let [x_name, y_name, z_name] = general.names;
    let z_text = new_name("z", taken);
    let z = terms.symbols.intern(&z_text);
    let z_sort = general.sorts[2];
    let z_constant = terms.constant(z, z_sort);
    let mut actual = Substitution::new();
    actual.replace(x_name, x).replace(y_name, y).replace(z_name, z_constant);
    let instance = drawn.replaced(terms, &actual);
    Some(Link { x, y, z, z_sort, instance, inverts: triple.is_proven && !is_conditional })
}

/// Whether terms without symbols are all true.
fn are_true(terms: &Terms, conditions: &[Term]) -> bool {
    let (environment, model) = (Environment::default(), Model::new());
    let mut evaluator = Evaluator::new(terms, &environment, &model);
    conditions.iter().all(|condition| evaluator.eval(*condition) == Ok(Value::Bool(true)))
}

/// What occurrences of constants may be replaced by.
fn replacements(links: &[Link]) -> FxHashMap<Term, Term> {
    let pairs =
        links.iter().flat_map(|link| [(link.x, link.instance.find_x), (link.y, link.instance.find_y)]);
    // What is found again as itself is not replaced, and hides nothing that is.
    pairs.filter(|(term, found)| term != found).collect()
}

/// Replaces some occurrences of constants in assertions, at least one if there is one. Occurrences are chosen before
/// anything is replaced, so that nothing is replaced in what is put in.
fn entangle(
    terms: &mut Terms,
    assertions: &[Term],
    replacements: &FxHashMap<Term, Term>,
    random: &mut Random,
) -> Vec<Term> {
    let places: Vec<Vec<(Vec<u32>, Term)>> =
        assertions.iter().map(|root| occurrences(terms, *root, replacements)).collect();
    let count: usize = places.iter().map(Vec::len).sum();
    if count == 0 {
        return assertions.to_vec();
    }
    let certain = random.position(count);
    let mut number = 0;
    let mut entangled = Vec::with_capacity(assertions.len());
    for (root, places) in assertions.iter().zip(places) {
        let mut chosen = Vec::new();
        for (path, new) in places {
            if random.one_in(2) || number == certain {
                chosen.push((path, new));
            }
            number += 1;
        }
        let term = replace_many(terms, *root, &chosen).expect("an occurrence is a place of its assertion");
        entangled.push(term);
    }
    entangled
}

/// The places of an assertion at which something can be replaced, in reading order, and by what.
fn occurrences(terms: &Terms, root: Term, replacements: &FxHashMap<Term, Term>) -> Vec<(Vec<u32>, Term)> {
    let holding = holding(terms, root, replacements);
    let mut found = Vec::new();
    let mut pending = vec![(root, Vec::new())];
    while let Some((term, path)) = pending.pop() {
        if found.len() == MAX_OCCURRENCES {
            break;
        }
        if let Some(new) = replacements.get(&term) {
            found.push((path, *new));
            continue;
        }
        for (position, arg) in open_args(terms, term).iter().enumerate().rev() {
            if holding.contains(arg) {
                let mut below: Vec<u32> = path.clone();
                below.push(position as u32);
                pending.push((*arg, below));
            }
        }
    }
    found
}

/// The subterms in which something can be replaced.
fn holding(terms: &Terms, root: Term, replacements: &FxHashMap<Term, Term>) -> FxHashSet<Term> {
    let mut holding = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut pending = vec![(root, false)];
    while let Some((term, is_below_done)) = pending.pop() {
        if is_below_done {
            let is_here = replacements.contains_key(&term);
            if is_here || open_args(terms, term).iter().any(|arg| holding.contains(arg)) {
                holding.insert(term);
            }
        } else if seen.insert(term) {
            pending.push((term, true));
            pending.extend(open_args(terms, term).iter().map(|arg| (*arg, false)));
        }
    }
    holding
}

/// What is asserted of z. An unsatisfiable fusion needs it, a satisfiable one may have it.
fn constraints(terms: &mut Terms, links: &[Link], is_unsat: bool, random: &mut Random) -> Vec<Term> {
    let mut constraints = Vec::new();
    for link in links {
        if !is_unsat && !random.one_in(SELDOM) {
            continue;
        }
        let z = terms.constant(link.z, link.z_sort);
        let mut equations = vec![(z, link.instance.fusion)];
        if !link.inverts {
            equations.extend([(link.x, link.instance.find_x), (link.y, link.instance.find_y)]);
        }
        for (left, right) in equations {
            let equation =
                terms.apply(Op::Eq, &[], &[left, right]).expect("both sides have the sort of a variable");
            constraints.push(equation);
        }
    }
    constraints
}

/// The name of a constant.
fn name_of(terms: &Terms, constant: Term) -> &str {
    match terms.head(constant) {
        Head::Global(name) => terms.text(name),
        _ => "",
    }
}

fn conjunction(terms: &mut Terms, assertions: &[Term]) -> Term {
    match assertions {
        [] => terms.bool(true),
        [only] => *only,
        _ => terms.apply(Op::And, &[], assertions).expect("assertions can be conjoined"),
    }
}

#[cfg(test)]
mod tests;
