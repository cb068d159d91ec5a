//! Makes a script smaller as long as a criterion holds.
//!
//! Passes take turns until none of them finds anything more: commands and declarations are dropped in halves, quarters
//! and so on; subterms are replaced by values, by parts of themselves and by constants, level by level from above, because
//! what is high up is large; then come arguments, literals, binders and names. Every candidate is a typed script that is
//! printed and read again before the criterion sees it, so none is ever ill-sorted.
//!
//! The idea of halves is Zeller and Hildebrandt's, that of levels Misherghi and Su's.

mod changes;
mod commands;
mod measure;
mod names;
mod terms;
mod values;

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};
use smelt_smtlib::diagnostic::Diagnostic;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;

use measure::Measure;

/// What a script must still show.
pub trait Criterion {
    /// Whether a script shows it.
    fn judge(&mut self, script: &str) -> Judgement;

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
}

/// Why nothing can be reduced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CannotReduce {
    /// The script is ill-formed.
    IllFormed(Diagnostic),
    /// The criterion does not hold for the script itself, as we print it.
    NotShown,
    /// There was no time to ask.
    NoTime,
}

/// Makes a script as small as it can.
pub fn reduce(source: &str, criterion: &mut dyn Criterion) -> Result<Reduced, CannotReduce> {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, source);
    if let Some(diagnostic) = reading.diagnostics.into_iter().next() {
        return Err(CannotReduce::IllFormed(diagnostic));
    }
    let dialect = reading.script.dialect;
    let text = text_of(&mut terms, dialect, &reading.script.commands);
    let measure = Measure::of(&terms, &reading.script.commands, &text);
    let mut reducer = Reducer {
        terms,
        dialect,
        commands: reading.script.commands,
        text,
        measure,
        criterion,
        seen: FxHashSet::default(),
        statistics: Statistics::default(),
        is_stopped: false,
    };
    match reducer.criterion.judge(&reducer.text) {
        Judgement::Holds => {}
        Judgement::Fails => return Err(CannotReduce::NotShown),
        Judgement::Stop => return Err(CannotReduce::NoTime),
    }
    reducer.run();
    Ok(Reduced { script: reducer.text, statistics: reducer.statistics, is_finished: !reducer.is_stopped })
}

/// A way to make scripts smaller: whether it found something.
type Pass = fn(&mut Reducer<'_>) -> bool;

/// Makes a script out of the things that are kept; none if there is none.
type Candidate<'c> = dyn FnMut(&mut Terms, &[bool]) -> Option<Vec<Command>> + 'c;

/// In the order in which they take turns.
const PASSES: &[Pass] = &[
    commands::drop_commands,
    commands::drop_declarations,
    commands::split_conjunctions,
    terms::expand_lets,
    terms::replace_levels,
    commands::drop_commands,
    commands::drop_declarations,
    terms::simplify_places,
    commands::drop_declarations,
    names::shorten,
];

/// A reduction under way.
struct Reducer<'c> {
    terms: Terms,
    dialect: Dialect,
    /// The smallest script so far.
    commands: Vec<Command>,
    /// Its text.
    text: String,
    /// How small that is.
    measure: Measure,
    criterion: &'c mut dyn Criterion,
    /// The hashes of all candidates.
    seen: FxHashSet<u64>,
    statistics: Statistics,
    is_stopped: bool,
}

/// How much larger a candidate may be than the best so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// It must be smaller.
    None,
    /// It may be larger by some factor, because it makes room for smaller ones.
    Some,
}

impl Reducer<'_> {
    fn run(&mut self) {
        loop {
            let mut has_changed = false;
            for pass in PASSES {
                has_changed |= pass(self);
                if self.is_stopped {
                    return;
                }
                self.renew();
            }
            if !has_changed {
                return;
            }
        }
    }

    /// Forgets the terms of candidates that led nowhere.
    fn renew(&mut self) {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, &self.text, self.dialect);
        // What the printer shares by `let` is not what passes work on.
        let text = text_of(&mut terms, self.dialect, &reading.script.commands);
        if reading.diagnostics.is_empty() && text == self.text {
            (self.terms, self.commands) = (terms, reading.script.commands);
        }
    }

    /// Whether a candidate shows it and is small enough; then it is the best so far.
    fn attempt(&mut self, commands: Vec<Command>, growth: Growth) -> bool {
        if self.is_stopped {
            return false;
        }
        self.statistics.candidates += 1;
        let text = text_of(&mut self.terms, self.dialect, &commands);
        let measure = Measure::of(&self.terms, &commands, &text);
        let is_small_enough = match growth {
            Growth::None => (&measure, &text) < (&self.measure, &self.text),
            Growth::Some => text.len() <= self.text.len() * 2 + 1000,
        };
        if !is_small_enough || text == self.text || !self.seen.insert(hash_of(&text)) {
            return false;
        }
        if !read_script_as(&mut self.terms, &text, self.dialect).diagnostics.is_empty() {
            return false;
        }
        self.statistics.judged += 1;
        match self.criterion.judge(&text) {
            Judgement::Fails => return false,
            Judgement::Stop => {
                self.is_stopped = true;
                return false;
            }
            Judgement::Holds => {}
        }
        self.statistics.accepted += 1;
        (self.commands, self.text, self.measure) = (commands, text, measure);
        self.criterion.progress(&self.text, &self.statistics);
        true
    }

    /// Leaves out as many of `count` things as it can: all, then halves, quarters and so on. `candidate` is told which
    /// are kept. Whether something was left out.
    fn keep_fewest(&mut self, count: usize, candidate: &mut Candidate<'_>) -> bool {
        let mut kept = vec![true; count];
        let mut has_changed = false;
        let mut size = count;
        while size > 0 && !self.is_stopped {
            let mut start = 0;
            while start < count {
                let end = (start + size).min(count);
                let before = kept[start..end].to_vec();
                if before.contains(&true) {
                    kept[start..end].fill(false);
                    let made = candidate(&mut self.terms, &kept);
                    if made.is_some_and(|commands| self.attempt(commands, Growth::None)) {
                        has_changed = true;
                    } else {
                        kept[start..end].copy_from_slice(&before);
                    }
                }
                start = end;
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        has_changed
    }
}

fn text_of(terms: &mut Terms, dialect: Dialect, commands: &[Command]) -> String {
    let mut script = Script { dialect, ..Script::default() };
    commands.iter().for_each(|command| script.push(command.clone()));
    let mut printer = Printer::new(terms, dialect, Layout::Shared);
    printer.script(&script);
    printer.finish()
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
