//! A reduction under way: the smallest script so far, and asking the criterion about others.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smelt_smtlib::diagnostic::Diagnostic;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::{Term, Terms};

use super::measure::Measure;
use super::{Criterion, Judgement, Reduced, Statistics};

/// Makes the candidate of a number; none if there is none.
pub(super) type Candidates<'c> = dyn FnMut(&mut Terms, usize) -> Option<Vec<Command>> + 'c;

/// Makes a script out of the things that are kept; none if there is none.
pub(super) type Kept<'c> = dyn FnMut(&mut Terms, &[bool]) -> Option<Vec<Command>> + 'c;

/// How much larger a candidate may be than the best so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// It must be smaller, by as much as is asked for.
    None,
    /// It may be larger by some factor, because it makes room for smaller ones.
    Some,
}

/// What came of leaving out things.
pub(super) struct Left {
    /// Whether some were left out.
    pub(super) has_changed: bool,
    /// Those without which, and only without which, the criterion did not hold.
    pub(super) needed: Vec<usize>,
}

/// How many things are left out at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Portions {
    /// All, then halves, quarters and so on, down to single ones: most of them will go.
    Halving,
    /// Quarters, sixteenths and so on, down to single ones: most of them will stay.
    Quartering,
    /// As with halves, but never single ones, because others ask about those.
    Several,
}

impl Portions {
    /// How many of `count` things go at first.
    fn first(self, count: usize) -> usize {
        match self {
            Portions::Halving => count,
            Portions::Quartering => count.div_ceil(4),
            Portions::Several if count < MIN_SEVERAL => 0,
            Portions::Several => count,
        }
    }

    /// How many go after `size` of them; none if that was all.
    fn next(self, size: usize) -> usize {
        match self {
            Portions::Halving | Portions::Quartering if size == 1 => 0,
            Portions::Several if size <= 2 => 0,
            Portions::Halving | Portions::Several => size.div_ceil(2),
            Portions::Quartering => size.div_ceil(4),
        }
    }
}

/// Fewer things than these are not worth asking about together.
pub(super) const MIN_SEVERAL: usize = 4;

/// An arena of more machine words is not filled with the terms of candidates.
const LARGE_WORDS: u64 = 1 << 21;

/// So many bytes of scripts are kept, in case that the last ones do not show it any more.
const MAX_HISTORY: usize = 64 << 20;

/// A reduction under way.
pub(super) struct Reducer<'c> {
    pub(super) terms: Terms,
    dialect: Dialect,
    /// The smallest script so far.
    pub(super) commands: Vec<Command>,
    /// Its text.
    pub(super) text: String,
    /// How small that is.
    measure: Measure,
    /// So many words a candidate must lose; with none, being simpler will do.
    pub(super) least_loss: usize,
    pub(super) is_stopped: bool,
    criterion: &'c mut dyn Criterion,
    /// The hashes of all candidates that were asked about.
    seen: FxHashSet<u64>,
    /// The words of the script, and the loss that was asked for, when replacing levels was in vain.
    pub(super) vain_levels: Option<(usize, usize)>,
    /// The numbers of the latest candidates for which the criterion did not hold.
    refused: Vec<usize>,
    /// For changes of places that failed, how many words the script had then.
    failed: FxHashMap<u64, usize>,
    /// The latest scripts that were the smallest, the last one excepted.
    history: VecDeque<String>,
    statistics: Statistics,
}

/// A candidate that is worth a question.
struct Prepared {
    number: usize,
    commands: Vec<Command>,
    text: String,
    measure: Measure,
}

impl<'c> Reducer<'c> {
    /// A reduction that begins with a text; what is wrong with the text.
    pub(super) fn new(source: &str, criterion: &'c mut dyn Criterion) -> Result<Self, Diagnostic> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        if let Some(diagnostic) = reading.diagnostics.into_iter().next() {
            return Err(diagnostic);
        }
        let dialect = reading.script.dialect;
        let commands = reading.script.commands;
        let text = text_of(&mut terms, dialect, &commands);
        let measure = Measure::of(&terms, &commands, &text);
        Ok(Reducer {
            terms,
            dialect,
            commands,
            text,
            measure,
            least_loss: 0,
            is_stopped: false,
            criterion,
            seen: FxHashSet::default(),
            vain_levels: None,
            refused: Vec::new(),
            failed: FxHashMap::default(),
            history: VecDeque::new(),
            statistics: Statistics::default(),
        })
    }

    /// How scripts are printed.
    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// How many words the smallest script has.
    pub(super) fn words(&self) -> usize {
        self.measure.words()
    }

    /// A number that changes whenever another script is the smallest.
    pub(super) fn version(&self) -> u64 {
        self.statistics.accepted
    }

    /// How small the smallest script is, its letters left aside.
    pub(super) fn size(&self) -> (usize, usize) {
        self.measure.size()
    }

    /// What the criterion says of the smallest script, asked again.
    pub(super) fn judge_again(&mut self) -> Judgement {
        self.criterion.judge(&self.text)
    }

    /// The result. A criterion that no longer holds for it is asked about the larger ones before it.
    pub(super) fn conclude(mut self) -> Reduced {
        let mut is_flaky = false;
        while self.statistics.accepted > 0 && !self.is_stopped && self.judge_again() == Judgement::Fails {
            is_flaky = true;
            match self.history.pop_back() {
                Some(before) => self.text = before,
                None => break,
            }
        }
        if is_flaky {
            self.criterion.progress(&self.text, &self.statistics);
        }
        Reduced { script: self.text, statistics: self.statistics, is_finished: !self.is_stopped, is_flaky }
    }

    /// Forgets the terms of candidates that led nowhere.
    pub(super) fn renew(&mut self) {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, &self.text, self.dialect);
        // What the printer shares by `let` is not what passes work on.
        let text = text_of(&mut terms, self.dialect, &reading.script.commands);
        if reading.diagnostics.is_empty() && text == self.text {
            (self.terms, self.commands) = (terms, reading.script.commands);
        }
    }

    /// Whether a candidate shows it and is small enough; then it is the best so far.
    pub(super) fn attempt(&mut self, commands: Vec<Command>, growth: Growth) -> bool {
        let mut commands = Some(commands);
        self.attempt_first(1, growth, &mut |_, _| commands.take()).is_some()
    }

    /// The same for a candidate that is given as a text; what is ill-formed does not show it.
    pub(super) fn attempt_text(&mut self, text: &str) -> bool {
        commands_of(&mut self.terms, text, self.dialect)
            .is_some_and(|commands| self.attempt(commands, Growth::None))
    }

    /// The first of `count` candidates that shows it and is small enough; then it is the best so far.
    pub(super) fn attempt_first(
        &mut self,
        count: usize,
        growth: Growth,
        candidates: &mut Candidates<'_>,
    ) -> Option<usize> {
        let width = self.criterion.width().max(1);
        self.refused.clear();
        let mut next = 0;
        while next < count && !self.is_stopped {
            // Terms of candidates that fail would fill the memory: what the arena was is kept where that is much.
            let before = (self.terms.words() > LARGE_WORDS).then(|| self.terms.clone());
            let mut prepared = Vec::with_capacity(width);
            while next < count && prepared.len() < width {
                if self.criterion.is_over() {
                    self.is_stopped = true;
                    return None;
                }
                let made = candidates(&mut self.terms, next);
                prepared.extend(made.and_then(|commands| self.prepare(next, commands, growth)));
                next += 1;
            }
            if let Some(number) = self.judge(prepared) {
                return Some(number);
            }
            if let Some(before) = before {
                self.terms = before;
            }
        }
        None
    }

    /// A candidate that is small enough, new and well-formed.
    fn prepare(&mut self, number: usize, commands: Vec<Command>, growth: Growth) -> Option<Prepared> {
        self.statistics.candidates += 1;
        let text = text_of(&mut self.terms, self.dialect, &commands);
        let measure = Measure::of(&self.terms, &commands, &text);
        let is_small_enough = match growth {
            Growth::None if self.least_loss > 0 => measure.words() + self.least_loss <= self.words(),
            Growth::None => (&measure, &text) < (&self.measure, &self.text),
            Growth::Some => text.len() <= self.text.len() * 2 + 1000,
        };
        if !is_small_enough || text == self.text || !self.seen.insert(hash_of(&text)) {
            return None;
        }
        let is_well_formed = read_script_as(&mut self.terms, &text, self.dialect).diagnostics.is_empty();
        is_well_formed.then_some(Prepared { number, commands, text, measure })
    }

    /// The number of the first candidate that shows it, which becomes the best so far.
    fn judge(&mut self, prepared: Vec<Prepared>) -> Option<usize> {
        let texts: Vec<&str> = prepared.iter().map(|candidate| candidate.text.as_str()).collect();
        let judgements = if texts.is_empty() { Vec::new() } else { self.criterion.judge_all(&texts) };
        self.statistics.judged += judgements.len() as u64;
        self.is_stopped |= judgements.contains(&Judgement::Stop);
        let holds = judgements.iter().position(|judgement| *judgement == Judgement::Holds);
        let asked = prepared.iter().zip(&judgements).take(holds.unwrap_or(judgements.len()));
        let refused = asked.filter(|(_, judgement)| **judgement == Judgement::Fails);
        self.refused.extend(refused.map(|(candidate, _)| candidate.number));
        let holds = holds?;
        // Whoever was not the first may be asked about again.
        for candidate in &prepared[holds + 1..] {
            self.seen.remove(&hash_of(&candidate.text));
        }
        let best = prepared.into_iter().nth(holds)?;
        self.statistics.accepted += 1;
        self.commands = best.commands;
        self.history.push_back(std::mem::replace(&mut self.text, best.text));
        while self.history.iter().map(String::len).sum::<usize>() > MAX_HISTORY && self.history.len() > 1 {
            self.history.pop_front();
        }
        self.measure = best.measure;
        self.criterion.progress(&self.text, &self.statistics);
        Some(best.number)
    }

    /// Leaves out as many things as it can, portions left aside that weigh less than what is asked for. `candidate` is
    /// told which are kept.
    pub(super) fn keep_fewest(
        &mut self,
        portions: Portions,
        weights: &[usize],
        candidate: &mut Kept<'_>,
    ) -> Left {
        let count = weights.len();
        let mut kept = vec![true; count];
        let mut needed = Vec::new();
        let mut size = portions.first(count);
        while size > 0 && !self.is_stopped {
            let mut start = 0;
            while start < count {
                let chunks: Vec<usize> = (start..count).step_by(size).collect();
                let least_loss = self.least_loss;
                let found = self.attempt_first(chunks.len(), Growth::None, &mut |terms, number| {
                    let chunk = chunks[number]..(chunks[number] + size).min(count);
                    let weight: usize =
                        chunk.clone().filter(|thing| kept[*thing]).map(|thing| weights[thing]).sum();
                    if weight == 0 || weight < least_loss {
                        return None;
                    }
                    let mut fewer = kept.clone();
                    fewer[chunk].fill(false);
                    candidate(terms, &fewer)
                });
                if size == 1 {
                    needed.extend(self.refused.iter().map(|number| chunks[*number]));
                }
                let Some(number) = found else { break };
                let end = (chunks[number] + size).min(count);
                kept[chunks[number]..end].fill(false);
                start = end;
            }
            size = portions.next(size);
        }
        Left { has_changed: kept.contains(&false), needed }
    }

    /// Those of some changes of a term that have not failed lately, with their names.
    pub(super) fn untried(&mut self, from: Term, changes: Vec<Term>) -> Vec<(Term, u64)> {
        let mut found = Vec::with_capacity(changes.len());
        for change in changes {
            let name = self.name_of_change(from, change);
            if !self.has_failed(name) {
                found.push((change, name));
            }
        }
        found
    }

    /// Whether a change of a place failed when the script was not much larger than now.
    pub(super) fn has_failed(&self, change: u64) -> bool {
        self.failed.get(&change).is_some_and(|words| self.words() * 2 > *words)
    }

    /// Remembers that a change of a place failed.
    pub(super) fn remember_failure(&mut self, change: u64) {
        let words = self.words();
        self.failed.insert(change, words);
    }

    /// The same of those changes that the criterion has just refused.
    pub(super) fn remember_refused(&mut self, changes: &[(Term, u64)]) {
        for number in std::mem::take(&mut self.refused) {
            self.remember_failure(changes[number].1);
        }
    }

    /// What names the loss of a command, also when ids are given anew.
    pub(super) fn name_of_loss(&mut self, command: &Command) -> u64 {
        hash_of(&text_of(&mut self.terms, self.dialect, std::slice::from_ref(command)))
    }

    /// What names the change of a term into another, also when ids are given anew.
    pub(super) fn name_of_change(&mut self, from: Term, to: Term) -> u64 {
        let mut hasher = FxHasher::default();
        for term in [from, to] {
            let mut printer = Printer::new(&mut self.terms, self.dialect, Layout::Shared);
            printer.term(term);
            printer.finish().hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// The commands of a text; none if it is ill-formed.
pub(super) fn commands_of(terms: &mut Terms, text: &str, dialect: Dialect) -> Option<Vec<Command>> {
    let reading = read_script_as(terms, text, dialect);
    reading.diagnostics.is_empty().then_some(reading.script.commands)
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
