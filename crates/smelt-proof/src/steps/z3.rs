//! Reads the proofs of z3: one expression in which each rule is a function of its premises and, last, its conclusion.
//!
//! Shared parts are bound by `let`, whose names say what they are: `@x1` a proof, `?x1` a term, `$x1` a formula. Proofs
//! nest as deep as they are long, so the walk keeps its own stack. Rules are not a fixed list: every head of an
//! argument that is not the last is one.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use smelt_smtlib::read::read_command;
use smelt_smtlib::sexp::{Kind, Scanner, Tape};

use super::extent::Lines;
use super::{Derivation, NewStep, ProofFormat, Source, StepRole, UnreadableProof};

/// A part of the expression that is being walked over.
enum Task {
    /// Read the proof at this place; its number goes onto the stack of results.
    Proof(u32),
    /// Bind what was read last.
    Bind(u32),
    /// Go on to the body of the `let` at this place, whose bindings come from here on.
    Bindings { next: u32, end: u32, body: u32 },
    /// All premises of the application at this place are read.
    Apply { place: u32, conclusion: Option<u32>, base: usize },
    /// Leave the scope of a `lambda`.
    Leave,
}

pub(super) fn read(source: &mut Source<'_>, start: usize) -> Result<Derivation, UnreadableProof> {
    let text = source.text;
    let mut tape = Tape::new();
    let characters = with_characters(&text[start..]);
    let whole: &str = &characters;
    match Scanner::new(whole).read(&mut tape) {
        Ok(true) => {}
        _ => return Err(source.error(text.len(), "the proof ends too early")),
    }
    let mut walk = Walk {
        tape: &tape,
        whole,
        lines: Lines::new(whole),
        lines_before: source.lines.at(start) - 1,
        proofs: FxHashMap::default(),
        lambdas: FxHashMap::default(),
        derivation: Derivation::new(ProofFormat::Z3),
    };
    let root = walk.prepare(source)?;
    walk.run(source, root)?;
    Ok(walk.derivation)
}

struct Walk<'a> {
    tape: &'a Tape,
    /// The text that places on the tape refer to.
    whole: &'a str,
    lines: Lines<'a>,
    /// How many lines stand before it.
    lines_before: u32,
    /// The steps that names stand for.
    proofs: FxHashMap<&'a str, u32>,
    /// The places of the functions that names stand for: `proof-bind` has one of proofs, which is named like a term.
    lambdas: FxHashMap<&'a str, u32>,
    derivation: Derivation,
}

impl<'a> Walk<'a> {
    fn text(&self, place: u32) -> &'a str {
        self.tape.node(place).span.text(self.whole)
    }

    fn line(&mut self, place: u32) -> u32 {
        self.lines_before + self.lines.at(self.tape.node(place).span.start as usize)
    }

    fn error(&mut self, place: u32, message: impl Into<String>) -> UnreadableProof {
        UnreadableProof { message: message.into(), line: self.line(place) }
    }

    /// Declares what the list around the proof declares, and finds the place of the proof.
    fn prepare(&mut self, source: &mut Source<'_>) -> Result<u32, UnreadableProof> {
        let mut found = None;
        for child in std::iter::once(0).chain(self.tape.children(0)) {
            let mut parts = self.tape.children(child);
            let Some(head) = parts.next() else { continue };
            match self.text(head) {
                "proof" => found = parts.next(),
                // Functions that z3 has introduced: only their sorts are of use.
                "declare-fun" | "declare-const" | "declare-sort" => {
                    let declaration = self.text(child);
                    let mut tape = Tape::new();
                    if let Ok(true) = Scanner::new(declaration).read(&mut tape) {
                        // One that is not understood leaves its name unknown.
                        let dialect = source.dialect;
                        let _ = read_command(source.terms, &mut source.scope, declaration, &tape, dialect);
                    }
                }
                _ => {}
            }
        }
        found.ok_or_else(|| self.error(0, "expected `(proof ..)`"))
    }

    fn run(&mut self, source: &mut Source<'_>, root: u32) -> Result<(), UnreadableProof> {
        let mut tasks = vec![Task::Proof(root)];
        let mut results: Vec<u32> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Proof(place) => self.proof(source, place, &mut tasks, &mut results)?,
                Task::Bind(name) => {
                    let result = results.pop().expect("the bound proof was read");
                    self.proofs.insert(self.text(name), result);
                }
                Task::Bindings { next, end, body } if next < end => {
                    let mut parts = self.tape.children(next);
                    let (Some(name), Some(value)) = (parts.next(), parts.next()) else {
                        return Err(self.error(next, "expected `(name value)`"));
                    };
                    tasks.push(Task::Bindings { next: self.tape.node(next).next, end, body });
                    if self.text(name).starts_with('@') {
                        tasks.push(Task::Bind(name));
                        tasks.push(Task::Proof(value));
                    } else {
                        if self.text(value).starts_with("(lambda") {
                            self.lambdas.insert(self.text(name), value);
                        }
                        if let Some(term) = source.term(self.text(value)) {
                            source.alias(self.text(name), term);
                        }
                    }
                }
                Task::Bindings { body, .. } => tasks.push(Task::Proof(body)),
                Task::Apply { place, conclusion, base } => {
                    let step = self.step(source, place, conclusion, &results[base..]);
                    results.truncate(base);
                    results.push(step);
                }
                Task::Leave => {
                    source.scope.pop(1);
                }
            }
        }
        Ok(())
    }

    fn proof(
        &mut self,
        source: &mut Source<'_>,
        place: u32,
        tasks: &mut Vec<Task>,
        results: &mut Vec<u32>,
    ) -> Result<(), UnreadableProof> {
        if self.tape.node(place).kind != Kind::List {
            let name = self.text(place);
            match (self.proofs.get(name), self.lambdas.get(name)) {
                (Some(step), _) => results.push(*step),
                (None, Some(lambda)) => tasks.push(Task::Proof(*lambda)),
                _ => return Err(self.error(place, format!("`{name}` is not a proof"))),
            }
            return Ok(());
        }
        let parts: Vec<u32> = self.tape.children(place).collect();
        let &[head, ref args @ ..] = parts.as_slice() else {
            return Err(self.error(place, "expected a proof, found `()`"));
        };
        match (self.text(head), args) {
            ("let", &[bindings, body]) => {
                let end = self.tape.node(bindings).next;
                tasks.push(Task::Bindings { next: bindings + 1, end, body });
            }
            ("lambda", &[binders, body]) => {
                source.scope.push(1);
                self.bind_variables(source, binders);
                tasks.push(Task::Leave);
                tasks.push(Task::Proof(body));
            }
            // A proof for all values of variables has no conclusion of its own.
            ("proof-bind", &[body]) => {
                tasks.push(Task::Apply { place, conclusion: None, base: results.len() });
                tasks.push(Task::Proof(body));
            }
            (_, &[ref premises @ .., conclusion]) => {
                tasks.push(Task::Apply { place, conclusion: Some(conclusion), base: results.len() });
                tasks.extend(premises.iter().rev().map(|premise| Task::Proof(*premise)));
            }
            _ => return Err(self.error(place, "expected a rule with a conclusion")),
        }
        Ok(())
    }

    /// Makes the variables of a `lambda` known.
    fn bind_variables(&self, source: &mut Source<'_>, binders: u32) {
        for binder in self.tape.children(binders) {
            let mut parts = self.tape.children(binder);
            let (Some(name), Some(_)) = (parts.next(), parts.next()) else { continue };
            super::spell::alias_variable(source, self.text(name), self.text(binder));
        }
    }

    fn step(
        &mut self,
        source: &mut Source<'_>,
        place: u32,
        conclusion: Option<u32>,
        premises: &[u32],
    ) -> u32 {
        let head = self.tape.children(place).next().expect("an application has a head");
        let rule = rule_name(self.text(head));
        let role = match rule.as_str() {
            "asserted" | "goal" => StepRole::Assertion,
            "hypothesis" => StepRole::Hypothesis,
            _ => StepRole::Derived,
        };
        let term = conclusion.and_then(|conclusion| source.term(self.text(conclusion)));
        let line = self.line(conclusion.unwrap_or(place));
        self.derivation.add(&NewStep { rule: &rule, role, premises, conclusion: term, line })
    }
}

/// The text with `(seq.unit (_ Char 97))` as a string: the reader knows no characters outside of strings.
fn with_characters(text: &str) -> Cow<'_, str> {
    const UNIT: &str = "(seq.unit (_ Char ";
    if !text.contains(UNIT) {
        return text.into();
    }
    let mut spelled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find(UNIT) {
        let after = &rest[position + UNIT.len()..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        spelled.push_str(&rest[..position]);
        match (after[..digits].parse::<u32>(), after[digits..].strip_prefix("))")) {
            (Ok(code), Some(tail)) => {
                spelled.push_str(&format!("\"\\u{{{code:x}}}\""));
                rest = tail;
            }
            _ => {
                spelled.push_str(UNIT);
                rest = after;
            }
        }
    }
    spelled.push_str(rest);
    spelled.into()
}

/// `(_ th-lemma arith farkas 1 1)` is the rule `th-lemma arith`; parameters after the name of the theory are dropped, and
/// all of `quant-inst`.
fn rule_name(head: &str) -> String {
    let Some(indexed) = head.strip_prefix("(_") else { return head.to_owned() };
    let mut words = indexed.trim_end_matches(')').split_whitespace();
    let (name, theory) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if name == "th-lemma" { format!("{name} {theory}") } else { name.to_owned() }
}
