//! What became of the steps of proofs, counted by rule.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// Why a step was not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unchecked {
    /// It is an assertion or a hypothesis, which claims nothing.
    Given,
    /// Its rule introduces symbols, or keeps satisfiability only.
    Introduction,
    /// A premise holds for all values of variables, the conclusion binds them.
    Binder,
    /// The solver says that it trusts the step, and not what it is.
    Trusted,
    /// Its conclusion is not printed, or not a formula that was read.
    NotRead,
    /// Its value depends on symbols that only the solver knows.
    Opaque,
    /// Its value depends on a quantifier over too many values.
    Quantifier,
    /// Its value depends on one that the standard leaves open.
    Open,
    /// Its value depends on constants of a sort of which no values are made.
    Sort,
    /// Evaluation takes too long.
    Effort,
}

impl Unchecked {
    /// The words that users see.
    pub fn word(self) -> &'static str {
        match self {
            Unchecked::Given => "given",
            Unchecked::Introduction => "introduction",
            Unchecked::Binder => "binder",
            Unchecked::Trusted => "trusted",
            Unchecked::NotRead => "not-read",
            Unchecked::Opaque => "opaque",
            Unchecked::Quantifier => "quantifier",
            Unchecked::Open => "open-value",
            Unchecked::Sort => "sort",
            Unchecked::Effort => "effort",
        }
    }
}

/// The steps by one rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleTally {
    /// How many there are.
    pub seen: u64,
    /// How many of them were true under all assignments, or over the whole domain of their constants.
    pub checked: u64,
    /// How many are false.
    pub false_steps: u64,
    /// The others, by reason.
    pub unchecked: BTreeMap<Unchecked, u64>,
}

impl RuleTally {
    fn add(&mut self, other: &RuleTally) {
        self.seen += other.seen;
        self.checked += other.checked;
        self.false_steps += other.false_steps;
        for (reason, count) in &other.unchecked {
            *self.unchecked.entry(*reason).or_default() += count;
        }
    }
}

/// What became of the steps of one or more proofs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepTable {
    /// Steps without premises, by rule.
    pub alone: BTreeMap<String, RuleTally>,
    /// Steps with premises, by rule.
    pub inferred: BTreeMap<String, RuleTally>,
}

impl StepTable {
    /// The tally of a rule.
    pub(super) fn tally(&mut self, rule: &str, has_premises: bool) -> &mut RuleTally {
        let tallies = if has_premises { &mut self.inferred } else { &mut self.alone };
        if !tallies.contains_key(rule) {
            tallies.insert(rule.to_owned(), RuleTally::default());
        }
        tallies.get_mut(rule).expect("the tally was just made")
    }

    /// Adds the counts of another table.
    pub fn add(&mut self, other: &StepTable) {
        for (mine, others) in [(&mut self.alone, &other.alone), (&mut self.inferred, &other.inferred)] {
            for (rule, tally) in others {
                mine.entry(rule.clone()).or_default().add(tally);
            }
        }
    }

    /// The sums over all rules of steps that claim something: without premises, and with premises.
    pub fn sums(&self) -> [RuleTally; 2] {
        [&self.alone, &self.inferred].map(|tallies| {
            let mut sum = RuleTally::default();
            tallies.values().for_each(|tally| sum.add(tally));
            sum.seen -= sum.unchecked.remove(&Unchecked::Given).unwrap_or(0);
            sum
        })
    }
}

impl fmt::Display for StepTable {
    /// The rules, the most frequent first, with a line for all of them.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sums = self.sums();
        let parts = [("without premises", &self.alone), ("with premises", &self.inferred)];
        for ((title, tallies), sum) in parts.into_iter().zip(&sums) {
            let mut rules: Vec<(&String, &RuleTally)> = tallies.iter().collect();
            rules.sort_by_key(|(name, tally)| (Reverse(tally.seen), *name));
            writeln!(out, "{title:<40} {:>9} {:>9} {:>7}  not checked", "seen", "checked", "false")?;
            rules.into_iter().try_for_each(|(name, tally)| write_row(out, name, tally))?;
            let share = if sum.seen == 0 { 0.0 } else { 100.0 * sum.checked as f64 / sum.seen as f64 };
            write_row(out, &format!("all claims, {share:.1} % checked"), sum)?;
        }
        Ok(())
    }
}

fn write_row(out: &mut fmt::Formatter<'_>, name: &str, tally: &RuleTally) -> fmt::Result {
    let reasons = tally.unchecked.iter().map(|(reason, count)| format!("{} {count}", reason.word()));
    let reasons = reasons.collect::<Vec<_>>().join(", ");
    let RuleTally { seen, checked, false_steps, .. } = tally;
    let line = format!("{name:<40} {seen:>9} {checked:>9} {false_steps:>7}  {reasons}");
    writeln!(out, "{}", line.trim_end())
}
