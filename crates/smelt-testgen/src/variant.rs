//! `variant`: asks the same in another way, so that the answer must be the same.
//!
//! The seed is renamed, its declarations and assertions are put in another order, parts of it become definitions or are
//! bound by `let`, assertions become assumptions, or it is told in several scopes with checks and other assertions in
//! between; a random seed for the solver is set. At the last check the problem is that of the seed.
//!
//! What is known of the seed is known of the variant, and the model is evaluated on what is in force at the last check.
//! Where nothing is known, the judge of traces asks the same solver the plain form of the case.

mod abstraction;
mod incremental;

use rustc_hash::FxHashSet;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use crate::fresh_names::{FreshNames, Naming, new_name, rename, symbols_of};
use crate::ground_truth::Truth;
use crate::mutant::Mutant;
use crate::mutation::{GenerativeMutation, has_labels};
use crate::random::Random;
use crate::seed::Seed;
use crate::technique::Technique;

/// The name of this technique.
pub const NAME: &str = "variant";

/// Variants on the level of commands.
#[derive(Debug, Clone, Default)]
pub struct Variant {
    generative: GenerativeMutation,
}

/// What may be done, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    FreshNames,
    Order,
    Definitions,
    Bindings,
    Assumptions,
    Scopes,
    RandomSeed,
}

impl Way {
    const ALL: [Way; 7] = [
        Way::FreshNames,
        Way::Order,
        Way::Definitions,
        Way::Bindings,
        Way::Assumptions,
        Way::Scopes,
        Way::RandomSeed,
    ];

    fn words(self) -> &'static str {
        match self {
            Way::FreshNames => "other names",
            Way::Order => "another order",
            Way::Definitions => "definitions",
            Way::Bindings => "let",
            Way::Assumptions => "assumptions",
            Way::Scopes => "scopes",
            Way::RandomSeed => "random seed",
        }
    }
}

/// A way is taken once in so many draws.
const WAY_ONE_IN: u64 = 3;
/// How often ways are drawn before there is no variant.
const TRIES: usize = 16;

impl Technique for Variant {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "ask the same in another way: names, order, definitions, assumptions, scopes, random seeds"
    }

    fn chain_length(&self) -> u32 {
        8
    }

    fn max_bytes(&self, _: usize) -> usize {
        usize::MAX
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        for _ in 0..TRIES {
            let mut draft = Draft::new(mutant.seed);
            let mut done: Vec<&str> = Vec::new();
            for way in Way::ALL {
                if random.one_in(WAY_ONE_IN) && self.go(terms, &mut draft, way, random) {
                    done.push(way.words());
                }
            }
            if draft.script.commands == mutant.seed.script.commands {
                continue;
            }
            mutant.truth = match draft.truth {
                Truth::Unsat(_) => Truth::all_unsat(&draft.script),
                other => other,
            };
            mutant.script = draft.script;
            mutant.detail = done.join(", ");
            return true;
        }
        false
    }
}

/// A variant in the making. Until scopes are opened it is declarations, then assertions, then one check.
struct Draft<'s> {
    seed: &'s Seed,
    script: Script,
    truth: Truth,
    /// FreshNames that nothing new can have.
    taken: FxHashSet<String>,
}

impl<'s> Draft<'s> {
    fn new(seed: &'s Seed) -> Self {
        Draft {
            seed,
            script: seed.script.clone(),
            truth: seed.truth.clone(),
            taken: symbols_of(&seed.source),
        }
    }

    fn new_symbol(&mut self, terms: &mut Terms, stem: &str) -> Symbol {
        terms.symbols.intern(&new_name(stem, &mut self.taken))
    }

    fn assertions(&self) -> Vec<Term> {
        self.script.assertions().collect()
    }

    fn set_commands(&mut self, commands: Vec<Command>) {
        self.script = self.script.emptied();
        commands.into_iter().for_each(|command| self.script.push(command));
    }
}

impl Variant {
    /// Changes a draft in one way; false if there is nothing to change.
    fn go(&self, terms: &mut Terms, draft: &mut Draft<'_>, way: Way, random: &mut Random) -> bool {
        match way {
            Way::FreshNames => rename_all(terms, draft, random),
            Way::Order => reorder(terms, draft, random),
            Way::Definitions => abstraction::define(terms, draft, random),
            Way::Bindings => abstraction::bind(terms, draft, random),
            Way::Assumptions => incremental::assume(terms, draft, random),
            Way::Scopes => incremental::open_scopes(terms, draft, &self.generative, random),
            Way::RandomSeed => set_random_seed(terms, draft, random),
        }
    }
}

/// Gives everything another name.
fn rename_all(terms: &mut Terms, draft: &mut Draft<'_>, random: &mut Random) -> bool {
    // What we do not understand may mean something else under another name.
    let has_labels = |term: Term| has_labels(terms, term);
    if draft.script.terms().any(has_labels) {
        return false;
    }
    // The text as it is printed: a seed may spell names that are derived from others.
    let text = draft.seed.plain_text(terms);
    let Some(names) = FreshNames::of(terms, &draft.seed.script, &text) else { return false };
    let naming = Naming::ALL[random.position(Naming::ALL.len())];
    let renamed = rename(&text, &names.renamed(naming));
    match Seed::read_as(terms, "", &renamed, Dialect::V26) {
        Ok(renamed) => {
            draft.taken = symbols_of(&renamed.source);
            draft.script = renamed.script;
            draft.truth = renamed.truth;
            true
        }
        Err(_) => false,
    }
}

/// Shuffles assertions and declarations.
fn reorder(terms: &Terms, draft: &mut Draft<'_>, random: &mut Random) -> bool {
    // A label is known only after the assertion that gives it.
    if draft.assertions().iter().any(|assertion| has_labels(terms, *assertion)) {
        return false;
    }
    let mut shuffled: Vec<Command> = Vec::new();
    for run in draft.script.commands.chunk_by(are_independent) {
        let mut run = run.to_vec();
        while let Some(command) = random.take(&mut run) {
            shuffled.push(other_declaration(command, random));
        }
    }
    draft.set_commands(shuffled);
    true
}

/// Whether two neighbours may change places.
fn are_independent(left: &Command, right: &Command) -> bool {
    let is_declaration =
        |command: &Command| matches!(command, Command::DeclareConst(..) | Command::DeclareFun(..));
    let is_assertion = |command: &Command| matches!(command, Command::Assert(_));
    (is_declaration(left) && is_declaration(right)) || (is_assertion(left) && is_assertion(right))
}

/// A constant may also be declared as a function without parameters.
fn other_declaration(command: Command, random: &mut Random) -> Command {
    match command {
        Command::DeclareConst(name, sort) if random.one_in(2) => Command::DeclareFun(name, Vec::new(), sort),
        Command::DeclareFun(name, params, sort) if params.is_empty() && random.one_in(2) => {
            Command::DeclareConst(name, sort)
        }
        other => other,
    }
}

fn set_random_seed(terms: &mut Terms, draft: &mut Draft<'_>, random: &mut Random) -> bool {
    const MOST: u64 = 1_000_000;
    let keyword = terms.symbols.intern(":random-seed");
    let value = terms.symbols.intern(&(1 + random.below(MOST)).to_string());
    let mut commands = vec![Command::SetOption(keyword, Some(value))];
    commands.append(&mut draft.script.commands);
    draft.set_commands(commands);
    true
}

/// Whether values of a sort can be handed to a definition.
fn is_first_class(terms: &Terms, sort: Sort) -> bool {
    !terms
        .sorts
        .any_part(sort, |kind| matches!(kind, SortKind::Unknown | SortKind::Arrow(_) | SortKind::Param(_)))
}

#[cfg(test)]
mod tests;
