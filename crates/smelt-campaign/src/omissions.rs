//! Cases that solvers were not asked about, with the reason, and cases that were not sent to any because they do not read
//! back.
//!
//! This is counted in one hunt and not recorded: it follows from the cases and from what solvers can do.

use std::collections::BTreeMap;

use smelt_runner::capability::Lacking;
use smelt_testgen::chain::Dropped;

/// Why a solver was not asked about a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The case has something that it does not know.
    Unknown(String),
    /// The case has an operator of which it follows an older definition, and is not in the sample that it gets.
    Older(String),
    /// It did not end on a case before in the chain.
    Spared,
    /// It has drawn options, and the chain is run with others.
    OtherOptions,
}

impl Reason {
    /// That a solver lacks something.
    pub(crate) fn lacking(lacking: Lacking) -> Self {
        Reason::Unknown(match lacking {
            Lacking::Operator(op) => op.info().name.to_owned(),
            Lacking::Sort(sort) => format!("{sort:?}"),
            Lacking::Feature(feature) => feature.name().to_owned(),
        })
    }

    /// What it is about, in a word or two.
    pub(crate) fn brief(&self) -> String {
        match self {
            Reason::Unknown(what) => what.clone(),
            Reason::Older(what) => format!("{what} in an older sense"),
            Reason::Spared | Reason::OtherOptions => self.words().to_owned(),
        }
    }

    /// What it is about, if it is about something in the case.
    fn subject(&self) -> Option<&str> {
        match self {
            Reason::Unknown(what) | Reason::Older(what) => Some(what),
            Reason::Spared | Reason::OtherOptions => None,
        }
    }

    fn words(&self) -> &'static str {
        match self {
            Reason::Unknown(_) => "have something that it does not know",
            Reason::Older(_) => "have operators that it defines in an older way",
            Reason::Spared => "follow one on which it did not end",
            Reason::OtherOptions => "belong to chains with other options",
        }
    }
}

/// What solvers were not asked in a hunt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omissions {
    /// By solver and reason the number of cases.
    not_asked: BTreeMap<String, BTreeMap<Reason, u64>>,
    /// By technique the cases that do not read back.
    dropped: BTreeMap<String, Dropped>,
}

/// At most so many operators are named.
const MAX_NAMED: usize = 3;

impl Omissions {
    /// Counts a case that a solver was not asked about.
    pub(crate) fn count(&mut self, solver: &str, reason: Reason) {
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
fn groups(reasons: &BTreeMap<Reason, u64>) -> Vec<String> {
    let reasons: Vec<(&Reason, u64)> = reasons.iter().map(|(reason, cases)| (reason, *cases)).collect();
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
        let unknown = |what: &str| Reason::Unknown(what.to_owned());
        for what in ["str.from_code", "str.from_code", "str.<", "re.comp", "re.diff"] {
            omissions.count("z3", unknown(what));
        }
        omissions.count("z3", Reason::Older("str.at".to_owned()));
        omissions.count("z3", Reason::Spared);
        omissions.count("cvc5", Reason::OtherOptions);
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
