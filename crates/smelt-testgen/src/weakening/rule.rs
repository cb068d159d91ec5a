//! Rules: theorems of the form "this implies that" or "this is that", as text.
//!
//! The built-in ones are in `testdata/weakening/rules.txt`, which says how they are written.

use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Command;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};
use thiserror::Error;

use super::pattern::{Declared, Pattern, Reader};
use crate::blocks::{BlockError, Defect, read_blocks};
use crate::shape::{Bindings, shape_at};

/// A theorem that is used to change formulas.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its id, which users see.
    pub id: String,
    /// What it claims.
    pub claim: Claim,
    /// Where it applies.
    pub domain: Domain,
    /// Declarations and assertions.
    text: String,
    pub(super) declared: Vec<Declared>,
    pub(super) left: Pattern,
    pub(super) right: Pattern,
    pub(super) conditions: Vec<Pattern>,
}

/// What a rule claims of its two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The left side implies the right side, or is a part of it.
    Weakens,
    /// Both sides are the same.
    Equal,
}

impl Claim {
    /// How a rule is used, as users see it.
    pub fn word(self) -> &'static str {
        match self {
            Claim::Weakens => "weaken",
            Claim::Equal => "equivalent",
        }
    }
}

/// What the two sides of a rule are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Formulas.
    Formulas,
    /// Regular languages.
    Languages,
}

/// Why a text is no list of rules.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot use rule `{id}` in line {line}: {message}")]
pub struct RuleError {
    /// The rule.
    pub id: String,
    /// The line in which it begins, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// The rules that come with smelt. Tests try each of them on small domains.
pub fn built_in() -> Vec<Rule> {
    let text = include_str!("../../testdata/weakening/rules.txt");
    parse(text).expect("the built-in rules are well-formed")
}

/// Reads rules.
pub fn parse(text: &str) -> Result<Vec<Rule>, RuleError> {
    read_blocks(text, |block| Rule::read(&block.words.join(" "), &block.text()))
        .map_err(|BlockError { id, line, message }| RuleError { id, line, message })
}

/// The name of the constant whose memberships make a theorem a rule on languages.
const WORD: &str = "word";

impl Rule {
    fn read(id: &str, text: &str) -> Result<Rule, Defect> {
        let mut declared = Vec::new();
        let mut theorem = None;
        let mut conditions = Vec::new();
        let mut scanner = Scanner::new(text);
        let mut tape = Tape::new();
        while scanner.read(&mut tape).map_err(|problem| problem.message)? {
            let parts: Vec<u32> = tape.children(0).collect();
            let word = |index: u32| tape.node(index).span.text(text);
            let shape =
                |index| shape_at(&tape, text, index).ok_or_else(|| format!("unknown sort `{}`", word(index)));
            match parts[..] {
                [command, name, sort] if word(command) == "declare-const" => {
                    declared.push(Declared { name: word(name).to_owned(), param: None, shape: shape(sort)? });
                }
                [command, name, params, sort] if word(command) == "declare-fun" => {
                    let params: Vec<u32> = tape.children(params).collect();
                    let [param] = params[..] else {
                        return Err(Defect::from(format!("`{}` must have one parameter", word(name))));
                    };
                    let param = Some(shape(param)?);
                    declared.push(Declared { name: word(name).to_owned(), param, shape: shape(sort)? });
                }
                [command, formula] if word(command) == "assert" => {
                    let reader = Reader { tape: &tape, text, declared: &declared };
                    let pattern = reader.pattern(formula, None)?;
                    match theorem {
                        None => theorem = Some(pattern),
                        Some(_) => conditions.push(pattern),
                    }
                }
                _ => {
                    return Err(Defect::from(
                        "only `declare-const`, `declare-fun` and `assert` are understood",
                    ));
                }
            }
        }
        let theorem = theorem.ok_or_else(|| "a theorem must be asserted".to_owned())?;
        let (claim, left, right) = sides(theorem)?;
        let of_languages = (|| Some((language(&declared, &left)?, language(&declared, &right)?)))();
        let (domain, left, right) = match of_languages {
            Some((left, right)) => (Domain::Languages, left, right),
            None => (Domain::Formulas, left, right),
        };
        Ok(Rule {
            id: id.to_owned(),
            claim,
            domain,
            text: text.to_owned(),
            declared,
            left,
            right,
            conditions,
        })
    }

    /// The block as it is written.
    pub fn to_text(&self) -> String {
        format!("#begin {}\n{}#end\n", self.id, self.text)
    }

    /// The theorem on one line.
    pub fn theorem(&self) -> String {
        let mut scanner = Scanner::new(&self.text);
        let mut tape = Tape::new();
        let mut assertions = Vec::new();
        while let Ok(true) = scanner.read(&mut tape) {
            let parts: Vec<u32> = tape.children(0).collect();
            if let [_, formula] = parts[..] {
                let text = tape.node(formula).span.text(&self.text);
                assertions.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
        let conditions = if assertions.len() > 1 { " if " } else { "" };
        let (theorem, rest) = assertions.split_first().expect("a rule has a theorem");
        format!("{theorem}{conditions}{}", rest.join(" and "))
    }

    /// Its letters, each with whether it stands for a number.
    pub(super) fn letters(&self) -> Vec<(String, bool)> {
        let mut letters = Vec::new();
        for declared in &self.declared {
            declared.param.iter().for_each(|param| param.letters(&mut letters));
            declared.shape.letters(&mut letters);
        }
        let mut numbers = Vec::new();
        let parts = [&self.left, &self.right].into_iter().chain(&self.conditions);
        parts.for_each(|part| part.numbers(&mut numbers));
        letters.extend(numbers.into_iter().map(|letter| (letter, true)));
        let mut seen = Vec::new();
        letters.retain(|(letter, _)| {
            let is_new = !seen.contains(letter);
            seen.push(letter.clone());
            is_new
        });
        letters
    }

    /// Whether a side condition speaks of what is declared at a position.
    pub(super) fn is_conditional(&self, position: usize) -> bool {
        self.conditions.iter().any(|condition| condition.mentions(position))
    }

    /// The theorem over these widths and sorts, as terms; the error says what is wrong with it.
    pub(super) fn instantiate(&self, terms: &mut Terms, bindings: &Bindings) -> Result<Theorem, Defect> {
        let text = bindings.apply(terms, &self.text);
        let reading = read_script_as(terms, &text, Dialect::V26);
        if let Some(problem) = reading.diagnostics.first() {
            return Err(Defect::from(problem.message.to_string()));
        }
        let mut constants = Vec::new();
        let mut functions = Vec::new();
        let mut assertions = Vec::new();
        for command in reading.script.commands {
            match command {
                Command::DeclareConst(name, sort) => constants.push((name, sort)),
                Command::DeclareFun(name, params, sort) => functions.push((name, params[0], sort)),
                Command::Assert(term) => assertions.push(term),
                _ => return Err(Defect::from("only declarations and assertions are understood")),
            }
        }
        let conditions = assertions.split_off(1);
        Ok(Theorem { constants, functions, formula: assertions[0], conditions })
    }
}

/// A rule over given widths and sorts, as a closed claim.
#[derive(Debug)]
pub(super) struct Theorem {
    pub constants: Vec<(Symbol, Sort)>,
    /// With the sorts of their argument and result.
    pub functions: Vec<(Symbol, Sort, Sort)>,
    pub formula: Term,
    pub conditions: Vec<Term>,
}

/// The two sides of a theorem.
fn sides(theorem: Pattern) -> Result<(Claim, Pattern, Pattern), Defect> {
    if let Pattern::Application { ops, args, .. } = theorem
        && let Ok([left, right]) = <[Pattern; 2]>::try_from(args)
    {
        if ops.contains(&Op::Implies) {
            return Ok((Claim::Weakens, left, right));
        }
        if ops.contains(&Op::Eq) {
            return Ok((Claim::Equal, left, right));
        }
    }
    Err(Defect::from("the theorem must be an implication or an equation of two sides"))
}

/// The language that a pattern says `word` is in.
fn language(declared: &[Declared], pattern: &Pattern) -> Option<Pattern> {
    match pattern {
        Pattern::Application { ops, args, .. } if ops.contains(&Op::StrInRe) => match &args[..] {
            [Pattern::Variable(position), language] if declared[*position].name == WORD => {
                Some(language.clone())
            }
            _ => None,
        },
        _ => None,
    }
}
