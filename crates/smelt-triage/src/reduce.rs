//! Makes a script smaller as long as a criterion holds.
//!
//! Asking the criterion is what costs, so what promises most is asked first. Passes take turns, at first only with
//! candidates that lose a large part of the script, then with smaller and smaller ones, in the end with any that are
//! simpler at all: whole commands in halves, quarters and so on; subterms of a depth together; then places one by
//! one, large ones first; symbols and repeated terms everywhere at once; then definitions, equations, sorts, names. What
//! failed is not asked again until the script is clearly smaller than it was. Every candidate is a typed script that is
//! printed and read again before the criterion sees it, so none is ever ill-sorted.
//!
//! The idea of halves is Zeller and Hildebrandt's, that of levels Misherghi and Su's. What ddSMT's mutators do and where
//! it is done here is listed in `docs/design/reduce.md`.

pub mod bounded;
mod changes;
mod commands;
pub mod criterion;
mod definitions;
mod depth;
mod everywhere;
pub mod finding;
pub mod folder;
mod literals;
mod measure;
mod names;
mod places;
mod search;
mod sorts;
mod terms;
mod tokens;
mod values;

use smelt_smtlib::diagnostic::Diagnostic;

use search::Reducer;

/// What a script must still show.
pub trait Criterion {
    /// Whether a script shows it.
    fn judge(&mut self, script: &str) -> Judgement;

    /// How many scripts are judged at once, where it is not known which of them will do.
    fn width(&self) -> usize {
        1
    }

    /// Judges some scripts. What comes after the first that shows it need not be judged.
    fn judge_all(&mut self, scripts: &[&str]) -> Vec<Judgement> {
        let mut judgements = Vec::new();
        for script in scripts {
            judgements.push(self.judge(script));
            if judgements.last() != Some(&Judgement::Fails) {
                break;
            }
        }
        judgements
    }

    /// Whether there is no time or no memory left. Asked before each candidate is made: making one out of a large script
    /// takes longer than a question about a small one.
    fn is_over(&mut self) -> bool {
        false
    }

    /// Is told of every script that shows it and is smaller than all before.
    fn progress(&mut self, script: &str, statistics: &Statistics);
}

/// What a criterion says of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// The script shows it.
    Holds,
    /// It does not.
    Fails,
    /// There is no time left to find out; the best so far is the result.
    Stop,
}

/// What a reduction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Candidates that were made.
    pub candidates: u64,
    /// Of these, those that the criterion was asked about.
    pub judged: u64,
    /// Of these, those that it accepted.
    pub accepted: u64,
}

/// What came of a reduction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// The smallest script that was found.
    pub script: String,
    /// What was done.
    pub statistics: Statistics,
    /// Whether nothing more can be done, or else there was no time left.
    pub is_finished: bool,
    /// Whether the criterion did not hold again for what it had held for; the script is the smallest that it held for
    /// again.
    pub is_flaky: bool,
}

/// Why nothing can be reduced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CannotReduce {
    /// The script is ill-formed.
    IllFormed(Diagnostic),
    /// The criterion does not hold for the script itself, as we print it.
    NotShown,
    /// The criterion holds for the script itself now and then.
    Flaky,
    /// There was no time to ask.
    NoTime,
}

impl CannotReduce {
    /// The same of a script that users know by this name.
    pub fn about(&self, name: &str) -> String {
        match self {
            CannotReduce::IllFormed(diagnostic) => {
                format!("cannot reduce `{name}`: {}; `smelt check` tells where", diagnostic.message)
            }
            CannotReduce::NotShown => format!("`{name}` does not trigger the bug as smelt prints it"),
            CannotReduce::Flaky => format!("`{name}` triggers the bug only in some runs"),
            CannotReduce::NoTime => "there was no time for a single run".to_owned(),
        }
    }
}

/// So often the criterion must hold for the script itself.
const FIRST_QUESTIONS: usize = 2;

/// Makes a script as small as it can.
pub fn reduce(source: &str, criterion: &mut dyn Criterion) -> Result<Reduced, CannotReduce> {
    let mut reducer = Reducer::new(source, criterion).map_err(CannotReduce::IllFormed)?;
    for question in 0..FIRST_QUESTIONS {
        match reducer.judge_again() {
            Judgement::Holds => {}
            Judgement::Fails if question == 0 => return Err(CannotReduce::NotShown),
            Judgement::Fails => return Err(CannotReduce::Flaky),
            Judgement::Stop => return Err(CannotReduce::NoTime),
        }
    }
    run(&mut reducer);
    Ok(reducer.conclude())
}

/// A way to make scripts smaller: whether it found something.
type Pass = fn(&mut Reducer<'_>) -> bool;

/// What makes room for others, at the beginning and whenever all else is done.
const OPENING: &[Pass] = &[
    commands::drop_most_commands,
    commands::drop_unused,
    terms::expand_lets,
    depth::leave_out_levels,
    definitions::inline,
    commands::split_conjunctions,
    commands::split_atoms,
];

/// In the order in which they take turns.
const PASSES: &[Pass] = &[
    commands::drop_commands,
    commands::drop_unused,
    depth::leave_out_levels,
    everywhere::replace_symbols,
    terms::replace_levels,
    terms::tidy,
    places::simplify,
    everywhere::replace_repeated,
    commands::drop_unused,
];

/// What makes scripts simpler rather than smaller, when nothing else helps.
const POLISH: &[Pass] = &[
    commands::simplify_commands,
    definitions::inline_each,
    definitions::solve_equations,
    sorts::simplify_datatypes,
    sorts::simplify_sorts,
    commands::drop_declarations,
];

/// What changes how a script looks and nothing else, so that all the rest need not be asked again after it.
const COSMETICS: &[Pass] = &[commands::declare_constants, names::shorten];

/// From round to round, the least loss of words that is asked for becomes so many times smaller.
const STEP: usize = 4;

/// In the beginning a question must promise one of so many parts of the script: what is small is cheaper to ask about
/// when the rest is gone.
const OPENING_PARTS: usize = 8;

fn run(reducer: &mut Reducer<'_>) {
    // Whether a script has become smaller; literals that are smaller open no new ways.
    let takes_turns = |reducer: &mut Reducer<'_>, passes: &[Pass]| {
        let before = reducer.size();
        for pass in passes {
            pass(reducer);
            if reducer.is_stopped {
                return false;
            }
        }
        reducer.renew();
        reducer.size() < before
    };
    reducer.least_loss = reducer.words() / OPENING_PARTS;
    takes_turns(reducer, OPENING);
    let mut least_loss = reducer.words() / STEP;
    while !reducer.is_stopped {
        reducer.least_loss = least_loss;
        let has_changed = takes_turns(reducer, PASSES);
        if has_changed && least_loss > 0 {
            // The same once more, relative to what is left.
            least_loss = least_loss.min(reducer.words() / STEP);
        } else if least_loss > 0 {
            least_loss /= STEP;
        } else if !has_changed && !takes_turns(reducer, POLISH) {
            takes_turns(reducer, COSMETICS);
            return;
        }
    }
}

#[cfg(test)]
mod tests;
