//! Reads proofs in the format Alethe, as cvc5 prints them.
//!
//! A list of commands: `assume`, `step` with a clause `(cl ..)`, a rule and premises, and `anchor`, which opens a
//! subproof whose steps have names that begin with that of the step that closes it. A clause is read as a disjunction.
//! Rules that cvc5 could not translate are called `hole`; their first arguments say what they are.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::sexp::Tape;
use smelt_smtlib::term::Term;

use super::spell::{Expressions, Speller, alias_variable};
use super::{Derivation, NewStep, ProofFormat, Source, StepRole, UnreadableProof};

pub(super) fn read(source: &mut Source<'_>, start: usize) -> Result<Derivation, UnreadableProof> {
    let mut reader = Reader {
        speller: Speller::default(),
        steps: FxHashMap::default(),
        last: None,
        derivation: Derivation::new(ProofFormat::Alethe),
    };
    let mut expressions = Expressions::new(source.text, start);
    let mut tape = Tape::new();
    loop {
        match expressions.read(&mut tape) {
            Some(true) => {
                let offset = expressions.offset + tape.node(0).span.start as usize;
                reader.command(source, expressions.inside, &tape, offset)?;
            }
            Some(false) => return Ok(reader.derivation),
            None => return Err(source.error(source.text.len(), "the proof ends too early")),
        }
    }
}

struct Reader<'a> {
    speller: Speller,
    /// The steps that names stand for.
    steps: FxHashMap<&'a str, u32>,
    /// The step read last: the premise of one that closes a subproof.
    last: Option<u32>,
    derivation: Derivation,
}

impl<'a> Reader<'a> {
    fn command(
        &mut self,
        source: &mut Source<'_>,
        text: &'a str,
        tape: &Tape,
        offset: usize,
    ) -> Result<(), UnreadableProof> {
        let text_of = |place: u32| tape.node(place).span.text(text);
        let parts: Vec<u32> = tape.children(0).collect();
        let attribute = |name: &str| {
            let position = parts.iter().position(|part| text_of(*part) == name)?;
            parts.get(position + 1).copied()
        };
        match (parts.first().map_or("", |head| text_of(*head)), parts.as_slice()) {
            ("assume", &[_, name, formula]) => {
                let conclusion = self.speller.term(source, text, tape, formula);
                // Hypotheses of subproofs have the name of the subproof before their own.
                let is_inner = text_of(name).contains('.');
                let role = if is_inner { StepRole::Hypothesis } else { StepRole::Assertion };
                let line = source.lines.at(offset);
                let step = NewStep { rule: "assume", role, premises: &[], conclusion, line };
                self.add(text_of(name), &step);
            }
            ("anchor", _) => {
                let Some(args) = attribute(":args") else { return Ok(()) };
                for binder in tape.children(args) {
                    let mut children = tape.children(binder);
                    if let (Some(name), Some(_), None) = (children.next(), children.next(), children.next()) {
                        alias_variable(source, text_of(name), text_of(binder));
                    }
                }
            }
            ("step", &[_, name, clause, ..]) => {
                let rule = attribute(":rule").map_or("", text_of);
                let mut premises = Vec::new();
                for premise in attribute(":premises").into_iter().flat_map(|list| tape.children(list)) {
                    let Some(step) = self.steps.get(text_of(premise)) else {
                        let message = format!("`{}` is not a step", text_of(premise));
                        return Err(source.error(offset, message));
                    };
                    premises.push(*step);
                }
                if matches!(rule, "subproof" | "bind") {
                    premises.extend(self.last);
                }
                let conclusion = self.clause(source, text, tape, clause);
                let reason = attribute(":args").filter(|_| rule == "hole");
                let reason = reason.and_then(|args| tape.children(args).next());
                let rule = match reason {
                    Some(reason) => format!("{rule} {}", text_of(reason).trim_matches('"')),
                    None => rule.to_owned(),
                };
                let (role, line) = (StepRole::Derived, source.lines.at(offset));
                let step = NewStep { rule: &rule, role, premises: &premises, conclusion, line };
                self.add(text_of(name), &step);
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, name: &'a str, step: &NewStep<'_>) {
        let number = self.derivation.add(step);
        self.steps.insert(name, number);
        self.last = Some(number);
    }

    /// The clause as a disjunction.
    fn clause(&mut self, source: &mut Source<'_>, text: &str, tape: &Tape, place: u32) -> Option<Term> {
        let mut literals = Vec::new();
        for literal in tape.children(place).skip(1) {
            let term = self.speller.term(source, text, tape, literal)?;
            literals.push(term);
        }
        match literals.as_slice() {
            [] => Some(source.terms.bool(false)),
            [literal] => Some(*literal),
            _ => source.terms.apply(Op::Or, &[], &literals).ok(),
        }
    }
}
