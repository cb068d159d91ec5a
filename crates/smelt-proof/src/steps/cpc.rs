//! Reads proofs of cvc5 in the format `cpc`, printed with `--proof-print-conclusion`.
//!
//! A list of commands: `define` names a term, `assume` an assertion, `assume-push` a hypothesis that the matching
//! `step-pop` discharges, `step` has a conclusion, a rule and premises. Arguments of rules are not read. Commands are read
//! one by one, so that the memory needed is that of the terms.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::sexp::{Kind, Tape};
use smelt_smtlib::term::Term;

use super::spell::{Expressions, Speller};
use super::{Derivation, NewStep, ProofFormat, Source, StepRole, UnreadableProof};

pub(super) fn read(source: &mut Source<'_>, start: usize) -> Result<Derivation, UnreadableProof> {
    let mut reader = Reader {
        speller: Speller::default(),
        steps: FxHashMap::default(),
        hypotheses: Vec::new(),
        derivation: Derivation::new(ProofFormat::Cpc),
    };
    let mut expressions = Expressions::new(source.text, start);
    let mut tape = Tape::new();
    loop {
        match expressions.read(&mut tape) {
            Some(true) => {
                let offset = expressions.offset + tape.node(0).span.start as usize;
                let command = CommandText { text: expressions.inside, tape: &tape, offset };
                reader.command(source, &command)?;
            }
            Some(false) => return Ok(reader.derivation),
            None => return Err(source.error(source.text.len(), "the proof ends too early")),
        }
    }
}

/// A command of a proof as it was written.
struct CommandText<'a, 't> {
    text: &'a str,
    tape: &'t Tape,
    offset: usize,
}

impl<'a> CommandText<'a, '_> {
    fn text(&self, place: u32) -> &'a str {
        self.tape.node(place).span.text(self.text)
    }

    /// The value of an attribute among some parts.
    fn attribute(&self, parts: &[u32], name: &str) -> Option<u32> {
        let position = parts.iter().position(|part| self.text(*part) == name)?;
        parts.get(position + 1).copied()
    }
}

struct Reader<'a> {
    speller: Speller,
    /// The steps that names stand for.
    steps: FxHashMap<&'a str, u32>,
    /// The hypotheses that are open, innermost last.
    hypotheses: Vec<Option<Term>>,
    derivation: Derivation,
}

impl<'a> Reader<'a> {
    fn command(
        &mut self,
        source: &mut Source<'_>,
        command: &CommandText<'a, '_>,
    ) -> Result<(), UnreadableProof> {
        let parts: Vec<u32> = command.tape.children(0).collect();
        let word = parts.first().map_or("", |head| command.text(*head));
        match (word, parts.as_slice()) {
            ("define", &[_, name, _, value]) => self.define(source, command, name, value),
            ("assume" | "assume-push", &[_, name, formula]) => {
                let term = self.speller.term(source, command.text, command.tape, formula);
                let role = if word == "assume" { StepRole::Assertion } else { StepRole::Hypothesis };
                if role == StepRole::Hypothesis {
                    self.hypotheses.push(term);
                }
                let step = NewStep {
                    rule: word,
                    role,
                    premises: &[],
                    conclusion: term,
                    line: source.lines.at(command.offset),
                };
                self.steps.insert(command.text(name), self.derivation.add(&step));
            }
            ("step" | "step-pop", &[_, name, ref attributes @ ..]) => {
                let step = self.step(source, command, attributes, word == "step-pop")?;
                self.steps.insert(command.text(name), step);
            }
            // Declarations repeat those of the input; names that only cvc5 knows stay unknown.
            _ => {}
        }
        Ok(())
    }

    fn define(&mut self, source: &mut Source<'_>, command: &CommandText<'a, '_>, name: u32, value: u32) {
        let (text, tape, name) = (command.text, command.tape, command.text(name));
        let head = tape.children(value).next().map_or("", |head| command.text(head));
        match head {
            "@list" if self.speller.define_list(source, name, text, tape, value) => {}
            "@var" => {
                self.speller.define_variable(source, name, text, tape, value);
                if let Some(term) = self.speller.term(source, text, tape, value) {
                    source.alias(name, term);
                }
            }
            _ => {
                if let Some(term) = self.speller.term(source, text, tape, value) {
                    source.alias(name, term);
                }
            }
        }
    }

    fn step(
        &mut self,
        source: &mut Source<'_>,
        command: &CommandText<'a, '_>,
        attributes: &[u32],
        discharges: bool,
    ) -> Result<u32, UnreadableProof> {
        let rule = command.attribute(attributes, ":rule").map_or("", |rule| command.text(rule));
        let mut premises = Vec::new();
        if let Some(list) = command.attribute(attributes, ":premises") {
            for premise in command.tape.children(list) {
                let name = command.text(premise);
                let Some(step) = self.steps.get(name) else {
                    return Err(source.error(command.offset, format!("`{name}` is not a step")));
                };
                premises.push(*step);
            }
        }
        let first = attributes.first().filter(|first| command.tape.node(**first).kind != Kind::Keyword);
        let conclusion = match first {
            Some(formula) => self.speller.term(source, command.text, command.tape, *formula),
            None if discharges => {
                let hypothesis = self.hypotheses.pop().flatten();
                let premise = premises.first().map(|premise| self.derivation.steps[*premise as usize]);
                let claim = premise.and_then(|premise| premise.conclusion);
                match (hypothesis, claim) {
                    (Some(hypothesis), Some(claim)) => {
                        source.terms.apply(Op::Implies, &[], &[hypothesis, claim]).ok()
                    }
                    _ => None,
                }
            }
            None => {
                let message = "the step has no conclusion (print it with `--proof-print-conclusion`)";
                return Err(source.error(command.offset, message));
            }
        };
        let line = source.lines.at(command.offset);
        let step = NewStep { rule, role: StepRole::Derived, premises: &premises, conclusion, line };
        Ok(self.derivation.add(&step))
    }
}
