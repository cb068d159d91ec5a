//! Scripts that pass several transformers, with what stays known of them.

use smelt_oracle::case::Expectation;
use smelt_semantics::model::Model;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;

use super::{Keeps, Transformer, transform};
use crate::ground_truth::{Truth, holds};
use crate::made_case::MadeCase;
use crate::random::Random;
use crate::seed::MODEL_LINE;

/// A script on its way through transformers.
#[derive(Debug)]
pub struct TransformChain {
    script: Script,
    truth: Truth,
    keeps: Keeps,
    applied: Vec<&'static str>,
}

impl TransformChain {
    /// A script of which this is known.
    pub fn new(script: Script, truth: Truth) -> Self {
        TransformChain { script, truth, keeps: Keeps::Answer, applied: Vec::new() }
    }

    /// Applies transformers one after the other; those that change nothing are left out.
    pub fn apply(&mut self, terms: &mut Terms, transformers: &[Transformer], random: &mut Random) {
        for transformer in transformers {
            let Some(changed) = transform(terms, &self.script, *transformer, random) else { continue };
            self.keeps = match (self.keeps, changed.keeps) {
                (Keeps::Nothing, _) | (_, Keeps::Nothing) => Keeps::Nothing,
                (Keeps::Sat, _) | (_, Keeps::Sat) => Keeps::Sat,
                (Keeps::Answer, Keeps::Answer) => Keeps::Answer,
            };
            self.truth = match &self.truth {
                Truth::Sat(model) => Truth::Sat(changed.model(terms, model)),
                Truth::Unsat(core) if self.keeps == Keeps::Answer => Truth::Unsat(core.clone()),
                _ => Truth::Unknown,
            };
            self.script = changed.script;
            self.applied.push(transformer.name());
        }
    }

    /// Whether no transformer has changed it.
    pub fn is_unchanged(&self) -> bool {
        self.applied.is_empty()
    }

    /// What was done, for a lineage.
    pub fn transformers(&self) -> String {
        let steps = self.applied.iter().map(|name| format!(", {name}"));
        steps.collect()
    }

    /// The case, with the model if our evaluator accepts it.
    pub fn case(self, terms: &mut Terms, lineage: String) -> MadeCase {
        let (expectation, model) = match &self.truth {
            Truth::Sat(model) if holds(terms, &self.script, model) => (Expectation::Sat, Some(model)),
            Truth::Unsat(_) => (Expectation::Unsat, None),
            _ => (Expectation::None, None),
        };
        let mut comments = model.map(|model| model_lines(terms, model)).unwrap_or_default();
        if !self.applied.is_empty() {
            comments.push_str(&format!("; keeps: {}\n", self.keeps.word()));
        }
        MadeCase { script: self.script, expectation, comments, lineage }
    }
}

/// The definitions of a model as comments of a seed, which are in the new dialect whatever the seed is in.
fn model_lines(terms: &mut Terms, model: &Model) -> String {
    let mut lines = String::new();
    for name in model.symbols().collect::<Vec<_>>() {
        let Some(definition) = model.definition(name) else { continue };
        let mut printer = Printer::new(terms, Dialect::V26, Layout::Flat);
        printer.command(&Command::DefineFun(definition.clone()));
        lines.push_str(&format!("{MODEL_LINE}{}\n", printer.finish().replace(['\n', '\r'], " ").trim_end()));
    }
    lines
}
