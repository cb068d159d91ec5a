//! Simplification by rules, to a fixpoint.
//!
//! A [`Rule`] looks at a term whose arguments are in normal form and gives an equal one, or nothing. Terms are rewritten
//! from the leaves up with a memo; what a rule gives is rewritten again until no rule applies. Rules are listed in
//! [`rules::RULES`]; each has an id by which it can be switched off, and a counter.
//!
//! Every rule preserves the value of its term for all values of the constants in it. Nothing here recurses on the
//! depth of a term.
//!
//! Terms share their parts, so that one of a few nodes may be very long when it is written out. What rules make is
//! charged by its size: once the arena has grown by the [`Room`] of a check, terms stay as they are. A rule whose
//! result may be longer than its arguments together asks [`Ctx::has_room`] before it makes it.

pub mod entail;
pub mod fold;
pub mod linear;
pub mod rules;

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::{Rebuild, Rebuilt, rebuild};

use crate::effort::Interrupt;
use crate::statistics::Statistics;
use entail::Facts;
use rules::RULES;

/// What rules work with.
pub struct Ctx<'r> {
    /// The arena of all terms.
    pub terms: &'r mut Terms,
    /// Bounds of lengths and integers.
    pub facts: &'r mut Facts,
    /// How much may be made.
    pub room: Room,
}

impl Ctx<'_> {
    /// Whether a term with this number of arguments may be made.
    pub fn has_room(&self, args: usize) -> bool {
        args <= self.room.max_args && self.has_room_for_text(args)
    }

    /// Whether a literal with this number of bytes may be made.
    pub fn has_room_for_text(&self, bytes: usize) -> bool {
        bytes <= MAX_TEXT && self.terms.words().saturating_add(bytes as u64) <= self.room.end
    }
}

/// How much rewriting may make.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// How large the arena may become, in machine words.
    pub end: u64,
    /// How many arguments a term may get by rules that take the arguments of its arguments.
    pub max_args: usize,
}

impl Default for Room {
    fn default() -> Self {
        Room { end: u64::MAX, max_args: MAX_ARGS }
    }
}

impl Room {
    /// What a check with this number of units of effort may make in an arena.
    pub fn of_effort(terms: &Terms, units: u64) -> Self {
        Room { end: terms.words() + units.saturating_mul(WORDS_PER_UNIT).min(MAX_WORDS), ..Room::default() }
    }
}

/// Machine words that may be made for a unit of effort; making them takes less time than that.
const WORDS_PER_UNIT: u64 = 64;
/// Machine words that may be made with any effort: half a gigabyte.
const MAX_WORDS: u64 = 1 << 26;
/// A string of more parts, or a conjunction of more conjuncts, is not made out of smaller ones.
const MAX_ARGS: usize = 1 << 14;
/// A longer literal is not made out of smaller ones.
const MAX_TEXT: usize = 1 << 16;
/// A longer number is not made as a product of smaller ones: squares of squares have twice as many digits each time.
const MAX_DIGITS: usize = 1 << 16;

/// A way to simplify terms.
pub struct Rule {
    /// Its name, never reused.
    pub id: &'static str,
    /// The operators that it looks at.
    pub ops: &'static [Op],
    /// An equal term, if the rule applies; never the same term.
    pub apply: fn(&mut Ctx<'_>, Term) -> Option<Term>,
}

/// Rewrites terms of one arena.
#[derive(Clone)]
pub struct Rewriter {
    memo: FxHashMap<Term, Term>,
    facts: Facts,
    /// Positions of rules that are switched off.
    disabled: Vec<u16>,
    counts: Vec<u64>,
    steps_left: u64,
    room: Room,
    interrupt: Interrupt,
    /// What rules made of terms, if steps are recorded.
    steps: Option<FxHashMap<Term, Applied>>,
}

/// What became of a term by one rule.
#[derive(Debug, Clone, Copy)]
pub struct Applied {
    /// The id of the rule.
    pub rule: &'static str,
    /// What it gave.
    pub result: Term,
}

/// A term may be rewritten so often; then it stays as it is, which is always right.
const MAX_STEPS: u64 = 20_000_000;

impl Default for Rewriter {
    fn default() -> Self {
        Rewriter::new()
    }
}

impl Rewriter {
    /// With all rules.
    pub fn new() -> Self {
        Rewriter::without(&[])
    }

    /// Without the rules of these ids.
    pub fn without(disabled: &[String]) -> Self {
        let position = |id: &String| RULES.iter().position(|rule| rule.id == id);
        Rewriter {
            memo: FxHashMap::default(),
            facts: Facts::default(),
            disabled: disabled.iter().filter_map(position).map(|position| position as u16).collect(),
            counts: vec![0; RULES.len()],
            steps_left: MAX_STEPS,
            room: Room::default(),
            interrupt: Interrupt::default(),
            steps: None,
        }
    }

    /// Keeps from now on what rules do.
    pub fn record_steps(&mut self) {
        self.steps.get_or_insert_default();
    }

    /// What a rule made of a term, if one did since steps are kept.
    pub fn step(&self, term: Term) -> Option<Applied> {
        self.steps.as_ref()?.get(&term).copied()
    }

    /// Makes this flag stop rewriting: terms stay as they are then.
    pub fn set_interrupt_flag(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    /// Limits what is made from now on.
    pub fn set_room(&mut self, room: Room) {
        self.room = room;
    }

    /// Whether nothing may be made any more.
    pub fn is_full(&self, terms: &Terms) -> bool {
        terms.words() > self.room.end
    }

    /// Whether there is a rule of this id.
    pub fn has_rule(id: &str) -> bool {
        RULES.iter().any(|rule| rule.id == id)
    }

    /// Bounds of lengths and integers, for reasoning beyond the rules.
    pub fn facts(&mut self) -> &mut Facts {
        &mut self.facts
    }

    /// How often each rule was applied since the last call.
    pub fn take_counts(&mut self, statistics: &mut Statistics) {
        for (rule, count) in RULES.iter().zip(&mut self.counts) {
            statistics.add(&format!("rewrite.{}", rule.id), std::mem::take(count));
        }
    }

    /// How often a rule was applied.
    pub fn count(&self, id: &str) -> u64 {
        RULES.iter().zip(&self.counts).filter(|(rule, _)| rule.id == id).map(|(_, count)| *count).sum()
    }

    /// An equal term in normal form.
    pub fn rewrite(&mut self, terms: &mut Terms, root: Term) -> Term {
        self.steps_left = MAX_STEPS;
        rebuild(terms, root, self)
    }

    /// What the first rule that applies to a term with rewritten arguments makes of it.
    fn apply_rules(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        let op = terms.op(term)?;
        let rules = rules::of(op);
        if rules.is_empty() || self.steps_left == 0 || self.is_full(terms) {
            return None;
        }
        self.steps_left -= 1;
        if self.steps_left.is_multiple_of(64) && self.interrupt.is_set() {
            self.steps_left = 0;
            return None;
        }
        let mut ctx = Ctx { terms, facts: &mut self.facts, room: self.room };
        for &position in rules {
            if !self.disabled.contains(&position)
                && let Some(simpler) = (RULES[position as usize].apply)(&mut ctx, term)
                && simpler != term
            {
                debug_assert_eq!(
                    ctx.terms.sort(term),
                    ctx.terms.sort(simpler),
                    "rule {} keeps the sort",
                    RULES[position as usize].id
                );
                self.counts[position as usize] += 1;
                if let Some(steps) = &mut self.steps {
                    let rule = RULES[position as usize].id;
                    steps.insert(term, Applied { rule, result: simpler });
                }
                return Some(simpler);
            }
        }
        None
    }
}

impl Rebuild for Rewriter {
    fn recall(&self, term: Term) -> Option<Term> {
        self.memo.get(&term).copied()
    }

    fn remember(&mut self, term: Term, result: Term) {
        self.memo.insert(term, result);
    }

    fn leave(&mut self, terms: &mut Terms, rebuilt: Term) -> Rebuilt {
        if let Some(result) = self.recall(rebuilt) {
            Rebuilt::Done(result)
        } else if let Some(simpler) = self.apply_rules(terms, rebuilt) {
            Rebuilt::Again(simpler)
        } else {
            self.remember(rebuilt, rebuilt);
            Rebuilt::Done(rebuilt)
        }
    }
}
