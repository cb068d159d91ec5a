//! A case that was made without a chain, and its text.

use smelt_oracle::case::Expectation;
use smelt_smtlib::print::script_text;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

/// A case that was made without a chain.
#[derive(Debug)]
pub struct MadeCase {
    /// The formula.
    pub script: Script,
    /// What must hold of it.
    pub expectation: Expectation,
    /// Lines of comments besides the usual ones, each with its end.
    pub comments: String,
    /// Where it comes from.
    pub lineage: String,
}

impl MadeCase {
    /// Where it comes from, in one line.
    pub fn one_line_lineage(&self) -> String {
        self.lineage.replace(['\n', '\r'], " ")
    }

    /// The case as a file, in the dialect of its script.
    pub fn text(&self, terms: &mut Terms, technique: &str) -> String {
        format!(
            "; expect: {}\n; technique: {technique}\n; lineage: {}\n{}{}",
            self.expectation.word(),
            self.one_line_lineage(),
            self.comments,
            script_text(terms, &self.script)
        )
    }
}
