//! Construct: formulas that are satisfiable or unsatisfiable by how they are made, without a seed.
//!
//! Satisfiable ones come from running operations: their arguments and results are fixed to the values, or become
//! variables. Each carries its model, and is given out only if our evaluator accepts it. Unsatisfiable ones come from
//! theorems: the negation of a conclusion together with its premises, in which variables and constants are then replaced
//! by others that equal them. The theorems are the rows of `testdata/construct/rows.txt`, which tests try on small domains.
//!
//! Everything is streamed: [`generate`] gives one test after the other to a function, until that is false.
//!
//! Follows Bugariu and Mueller, "Automatically testing string solvers" (ICSE 2020); `docs/design/construct.md` says where
//! we differ.

mod assignment;
mod formula;
pub mod row;
mod satisfiable;
mod synthesis;
mod theory;
mod turns;
mod unsatisfiable;
pub mod verify;

#[cfg(test)]
mod tests;

use smelt_oracle::case::Expectation;

pub use theory::Theory;

use crate::seed::{CORE_LINE, EXPECT_LINE, MODEL_LINE};

/// How a test is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// One operation, all of its arguments and its result free.
    Operation,
    /// One operation, some of its arguments and its result fixed to values.
    ConstantAssignment,
    /// Two terms of the same value, in which constants became variables.
    TermSynthesis,
    /// The negation of a conclusion, and its premises.
    Equivalence,
    /// The same with a variable of the conclusion replaced by one that equals it.
    VariableReplacement,
    /// The same with a constant replaced by a variable that equals it.
    ConstantReplacement,
    /// The same with a variable that the conclusion does not have replaced.
    Noise,
}

impl Category {
    /// All of them, the satisfiable ones first.
    pub const ALL: [Category; 7] = [
        Category::Operation,
        Category::ConstantAssignment,
        Category::TermSynthesis,
        Category::Equivalence,
        Category::VariableReplacement,
        Category::ConstantReplacement,
        Category::Noise,
    ];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Category::Operation => "operation",
            Category::ConstantAssignment => "constant-assignment",
            Category::TermSynthesis => "term-synthesis",
            Category::Equivalence => "equivalence",
            Category::VariableReplacement => "variable-replacement",
            Category::ConstantReplacement => "constant-replacement",
            Category::Noise => "noise",
        }
    }

    /// What its tests are.
    pub fn expectation(self) -> Expectation {
        match self {
            Category::Operation | Category::ConstantAssignment | Category::TermSynthesis => Expectation::Sat,
            _ => Expectation::Unsat,
        }
    }
}

/// What tests are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The theory.
    pub theory: Theory,
    /// How deep arguments and results are in term synthesis.
    pub bound: u32,
    /// Only the operations of the paper, and a set of constants that gives about as many tests as it had.
    pub is_paper: bool,
    /// How often variables and constants are replaced in an unsatisfiable formula; at least once.
    pub rounds: u32,
    /// Where chance starts.
    pub random_seed: u64,
}

/// The largest bound of term synthesis.
pub const MAX_BOUND: u32 = 4;

/// A formula with what it is and how that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// How it was made.
    pub category: Category,
    /// The operation or the rows that it was made of, in one line.
    pub detail: String,
    /// The formula as SMT-LIB 2.6 text.
    pub script: String,
    /// The definitions of its model, if it is satisfiable.
    pub model: Vec<String>,
    /// Whether its quantifiers have patterns.
    pub has_patterns: bool,
    /// The numbers, from 1 on, of the assertions that have no model together, if it is unsatisfiable.
    pub core: Vec<usize>,
    /// Whether models are known for every part of the core that has one assertion less.
    pub is_minimal: bool,
}

impl Test {
    /// Where it comes from, in one line.
    pub fn lineage(&self, settings: &Settings) -> String {
        let theory = if settings.is_paper { "paper" } else { settings.theory.name() };
        let Settings { bound, rounds, random_seed, .. } = settings;
        let parameter = match self.category.expectation() {
            Expectation::Sat => format!("bound {bound}"),
            _ => format!("rounds {rounds}"),
        };
        let category = self.category.name();
        let detail = &self.detail;
        format!("theory {theory}, category {category}, {parameter}, random seed {random_seed}, {detail}")
    }

    /// The test as the text of a seed, with a line about where it comes from.
    pub fn text(&self, lineage: &str) -> String {
        let expectation = self.category.expectation().word();
        let mut text = format!("{EXPECT_LINE}{expectation}\n; technique: construct\n; lineage: {lineage}\n");
        for definition in &self.model {
            text.push_str(&format!("{MODEL_LINE}{definition}\n"));
        }
        if !self.core.is_empty() {
            let numbers: Vec<String> = self.core.iter().map(usize::to_string).collect();
            text.push_str(&format!("{CORE_LINE}{}\n", numbers.join(" ")));
        }
        if self.is_minimal {
            text.push_str("; no part of the core is unsatisfiable\n");
        }
        text.push_str(&self.script);
        text
    }
}

/// Makes all tests of a category and gives each to `take`, until that is false.
///
/// The unsatisfiable categories are there for strings only; for other theories they are empty.
pub fn generate(settings: &Settings, category: Category, take: &mut dyn FnMut(Test) -> bool) {
    match category {
        Category::Operation => assignment::operations(settings, take),
        Category::ConstantAssignment => assignment::assignments(settings, take),
        Category::TermSynthesis => synthesis::generate(settings, take),
        Category::Equivalence
        | Category::VariableReplacement
        | Category::ConstantReplacement
        | Category::Noise => unsatisfiable::generate(settings, category, take),
    }
}
