//! Cases that solvers were not asked about, with the reason, and cases that were not sent to any because they do not read
//! back.
//!
//! This is counted in one hunt and not recorded: it follows from the cases and from what solvers can do.

use std::collections::BTreeMap;

use smelt_testgen::chain::Dropped;
use smelt_trial::omission::Omission;

/// What solvers were not asked in a hunt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omissions {
    /// By solver and reason the number of cases.
    not_asked: BTreeMap<String, BTreeMap<Omission, u64>>,
    /// By technique the cases that do not read back.
    dropped: BTreeMap<String, Dropped>,
}

/// At most so many operators are named.
const MAX_NAMED: usize = 3;

impl Omissions {
    /// Counts a case that a solver was not asked about.
    pub(crate) fn count(&mut self, solver: &str, reason: Omission) {
        *self.not_asked.entry(solver.to_owned()).or_default().entry(reason).or_default() += 1;
    }

    /// Counts cases of a technique that do not read back.
    pub(crate) fn count_dropped(&mut self, technique: &str, dropped: &Dropped) {
        if dropped.cases > 0 {
            self.dropped.entry(technique.to_owned()).or_default().add(dropped);
        }
    }

    /// How many cases a solver was not asked about.
    pub fn not_asked(&self, solver: &str) -> u64 {
        self.not_asked.get(solver).map_or(0, |reasons| reasons.values().sum())
    }

    /// How many cases of all techniques did not read back.
    pub fn dropped(&self) -> u64 {
        self.dropped.values().map(|dropped| dropped.cases).sum()
    }

    /// What there is to say, one line for each solver and each technique.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (solver, reasons) in &self.not_asked {
            let cases: u64 = reasons.values().sum();
            lines.push(format!(
                "{solver}: not asked about {}: {}",
                counted(cases),
                groups(reasons).join(", ")
            ));
        }
        lines.extend(self.dropped.iter().map(|(technique, dropped)| dropped.warning(technique)));
        lines
    }
}

/// The reasons of one solver, those of one kind together.
fn groups(reasons: &BTreeMap<Omission, u64>) -> Vec<String> {
    let reasons: Vec<(&Omission, u64)> = reasons.iter().map(|(reason, cases)| (reason, *cases)).collect();
    let groups = reasons.chunk_by(|(one, _), (other, _)| one.words() == other.words());
    let mut found: Vec<(u64, String)> = groups
        .map(|group| {
            let cases: u64 = group.iter().map(|(_, cases)| cases).sum();
            let mut subjects: Vec<(u64, &str)> =
                group.iter().filter_map(|(reason, cases)| Some((*cases, reason.subject()?))).collect();
            subjects.sort_by_key(|(cases, _)| std::cmp::Reverse(*cases));
            let mut named: Vec<&str> = subjects.iter().map(|(_, subject)| *subject).take(MAX_NAMED).collect();
            if subjects.len() > MAX_NAMED {
                named.push("..");
            }
            let words = group.first().map_or("", |(reason, _)| reason.words());
            let named = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
            (cases, format!("{cases} {words}{named}"))
        })
        .collect();
    found.sort_by_key(|(cases, _)| std::cmp::Reverse(*cases));
    found.into_iter().map(|(_, text)| text).collect()
}

fn counted(cases: u64) -> String {
    format!("{cases} {}", if cases == 1 { "case" } else { "cases" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_solver_was_not_asked_is_told_with_the_reasons() {
        let mut omissions = Omissions::default();
        let unknown = |what: &str| Omission::Unknown(what.to_owned());
        for what in ["str.from_code", "str.from_code", "str.<", "re.comp", "re.diff"] {
            omissions.count("z3", unknown(what));
        }
        omissions.count("z3", Omission::Older("str.at".to_owned()));
        omissions.count("z3", Omission::Spared);
        omissions.count("cvc5", Omission::OtherOptions);
        omissions.count_dropped("variant", &Dropped::default());
        omissions.count_dropped("variant", &Dropped { cases: 2, first: "seed a".to_owned() });
        assert_eq!(
            omissions.lines(),
            [
                "cvc5: not asked about 1 case: 1 belong to chains with other options",
                "z3: not asked about 7 cases: 5 have something that it does not know (str.from_code, re.comp, re.diff, ..), \
                 1 have operators that it defines in an older way (str.at), 1 follow one on which it did not end",
                "2 cases of variant did not read back and were dropped; this is a bug in smelt (first: seed a)",
            ]
        );
        assert_eq!((omissions.not_asked("z3"), omissions.dropped()), (7, 2));
    }
}
