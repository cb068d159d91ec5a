//! Formulas that are satisfiable or unsatisfiable by how they are made, counted by category.

use std::fmt::Write as _;

use smelt_oracle::case::Expectation;
use smelt_testgen::construct::{Category, Test};

/// How many cases a category has given.
#[derive(Debug, Clone, Copy)]
pub struct CategoryCount {
    category: Category,
    /// All cases.
    pub all: u64,
    with_patterns: u64,
}

impl CategoryCount {
    /// None yet.
    pub fn of(category: Category) -> CategoryCount {
        CategoryCount { category, all: 0, with_patterns: 0 }
    }

    /// Counts one more.
    pub fn add(&mut self, test: &Test) {
        self.all += 1;
        self.with_patterns += u64::from(test.has_patterns);
    }
}

/// A line for each category, and one for all.
pub fn category_counts(counts: &[CategoryCount]) -> String {
    let mut text = String::new();
    for CategoryCount { category, all, with_patterns } in counts {
        let patterns = match with_patterns {
            0 => String::new(),
            some => format!(", {some} of them with patterns"),
        };
        let expectation = category.expectation().word();
        let _ = writeln!(text, "construct: {:<22}{all:>6} {expectation}{patterns}", category.name());
    }
    let sum = |wanted: Expectation| -> u64 {
        counts.iter().filter(|count| count.category.expectation() == wanted).map(|count| count.all).sum()
    };
    let (sat, unsat) = (sum(Expectation::Sat), sum(Expectation::Unsat));
    let all = sat + unsat;
    let _ = writeln!(
        text,
        "construct: {all} cases, {sat} expected sat, {unsat} expected unsat; all have a claim"
    );
    text
}
