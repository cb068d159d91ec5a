//! What a check of a log found, counted.

use std::collections::BTreeMap;
use std::fmt;

/// How many steps were shown, and how many were trusted by which rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Clauses shown by unit propagation, and assertions.
    pub clauses: usize,
    /// Clauses shown by arithmetic.
    pub arithmetic: usize,
    /// Clauses shown by trying all words of known lengths.
    pub words: usize,
    /// Boolean terms shown to be what their literals stand for.
    pub meanings: usize,
    /// Formulas shown to follow from others.
    pub formulas: usize,
    /// Rewrite steps done again.
    pub rewrites: usize,
    /// Steps that are not shown, by the name of their rule.
    pub trusted: BTreeMap<String, usize>,
}

impl Summary {
    /// Counts a step that is not shown.
    pub(crate) fn trust(&mut self, rule: &str) {
        *self.trusted.entry(rule.to_owned()).or_default() += 1;
    }

    /// How many steps are not shown.
    pub fn trusted_count(&self) -> usize {
        self.trusted.values().sum()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checked = [
            (self.clauses, "clauses"),
            (self.arithmetic, "arithmetic"),
            (self.words, "fixed-length"),
            (self.meanings, "meanings"),
            (self.formulas, "formulas"),
            (self.rewrites, "rewrites"),
        ];
        let checked: Vec<String> = checked
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let checked = if checked.is_empty() { "nothing".to_owned() } else { checked.join(", ") };
        write!(formatter, "checked: {checked}; trusted: {}", self.trusted_count())?;
        if !self.trusted.is_empty() {
            let rules: Vec<String> =
                self.trusted.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
            write!(formatter, " ({})", rules.join(", "))?;
        }
        Ok(())
    }
}
