//! The grammar language: what a grammar file says, before anything is made of it.
//!
//! The form is that of the thesis: rules `name: alternative | alternative;` of names and texts in single quotes (`''` is
//! a quote). Beyond it there are repetitions `*`, `+`, `?` and `{2}`, groups in parentheses, a block of declarations,
//! sorts as guards, and comments from `//` to the end of the line:
//!
//! ```text
//! grammar Ints;
//! declarations { '(declare-fun f (Int) Int)'; var [Int]; }
//! term [Int]: '0' | var | '(f' term ')' | '(+' term term+ ')';
//! atom [Bool]: '(<' term term ')';
//! start: declarations ('(assert' atom ')'){asserts} '(check-sat)';
//! ```
//!
//! A command of the declarations is written as it is; `var [Int];` names as many constants as the parameter `variables`
//! says, in turns with the other groups of variables, and is a rule with their names as alternatives. A guard `[Int]`
//! says that all alternatives have this sort, and `[Bool, k Int]` that they stand where `k` is bound.
//!
//! Follows the thesis "Solidifying Modern SMT Solvers", section 7.3.

use smelt_smtlib::diagnostic::{Diagnostic, Diagnostics, Problem};
use smelt_smtlib::source::Span;

/// A grammar as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    /// Its name; empty if it has none.
    pub name: String,
    /// The block of declarations.
    pub(super) declarations: Option<Declarations>,
    pub(super) rules: Vec<Rule>,
}

/// What stands before the assertions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declarations {
    pub span: Span,
    /// Commands to be written as they are.
    pub commands: Vec<String>,
    /// Rules for variables, each with a sort.
    pub groups: Vec<VariableGroup>,
}

/// Variables of one sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VariableGroup {
    pub name: String,
    pub span: Span,
    pub sort: String,
}

/// A name with what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub name: String,
    pub span: Span,
    pub guard: Option<Guard>,
    pub alternatives: Vec<Alternative>,
}

/// What the alternatives of a rule must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guard {
    pub sort: String,
    /// FreshNames that are bound around it, with their sorts.
    pub bound: Vec<(String, String)>,
}

/// A sequence of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alternative {
    pub span: Span,
    pub items: Vec<Item>,
}

/// An element of an alternative and how often it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub span: Span,
    pub element: Element,
    pub repetition: Repetition,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Element {
    Text(String),
    Name(String),
    Group(Vec<Alternative>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    Once,
    /// `?`
    Optional,
    /// `*`
    Any,
    /// `+`
    Some,
    /// `{3}`
    Exactly(u32),
    /// `{asserts}`
    Asserts,
    /// `{variables}`
    Variables,
}

impl Grammar {
    /// Reads a grammar; what is wrong with it points at the place.
    pub fn parse(source: &str) -> Result<Grammar, Diagnostics> {
        let tokens = tokens(source)?;
        let end = Span::new(source.len() as u32, source.len() as u32);
        Ok(Parser { tokens: &tokens, next: 0, depth: 0, end }.grammar()?)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenKind {
    Word(String),
    Text(String),
    /// What stands between square brackets.
    Guard(String),
    Number(u32),
    Sign(char),
}

#[derive(Debug, Clone)]
struct Token {
    kind: TokenKind,
    span: Span,
}

fn syntax(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Problem::Syntax, span, message)
}

fn tokens(source: &str) -> Result<Vec<Token>, Diagnostic> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        let span = |end: usize| Span::new(start as u32, end as u32);
        let while_byte = |from: usize, wanted: fn(u8) -> bool| {
            from + bytes[from..].iter().take_while(|byte| wanted(**byte)).count()
        };
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = while_byte(at, |byte| byte != b'\n');
                continue;
            }
            b'\'' => {
                let (text, end) =
                    quoted(source, at).ok_or_else(|| syntax(span(at + 1), "this quote is not closed"))?;
                at = end;
                if text.trim().is_empty() {
                    return Err(syntax(span(end), "a text cannot be empty")
                        .with_help("what may be left out is written with `?`"));
                }
                TokenKind::Text(text)
            }
            b'[' => {
                let length = bytes[at..].iter().position(|byte| *byte == b']');
                let length =
                    length.ok_or_else(|| syntax(span(at + 1), "this square bracket is not closed"))?;
                at += length + 1;
                TokenKind::Guard(source[start + 1..at - 1].trim().to_owned())
            }
            b'0'..=b'9' => {
                at = while_byte(at, |byte| byte.is_ascii_digit());
                let number = source[start..at].parse();
                TokenKind::Number(number.map_err(|_| syntax(span(at), "this number is too large"))?)
            }
            byte if byte.is_ascii_alphabetic() || *byte == b'_' => {
                at = while_byte(at, |byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
                TokenKind::Word(source[start..at].to_owned())
            }
            b':' | b'|' | b';' | b'(' | b')' | b'{' | b'}' | b'*' | b'+' | b'?' => {
                at += 1;
                TokenKind::Sign(char::from(*byte))
            }
            _ => {
                let character = source[at..].chars().next().unwrap_or_default();
                let end = at + character.len_utf8();
                return Err(syntax(span(end), format!("`{character}` has no meaning in a grammar"))
                    .with_help("what a formula contains is written in single quotes"));
            }
        };
        tokens.push(Token { kind, span: span(at) });
    }
    Ok(tokens)
}

/// The text of a quoted string that begins here, and where it ends.
fn quoted(source: &str, start: usize) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut at = start + 1;
    loop {
        let length = source[at..].find(['\'', '\n'])?;
        text.push_str(&source[at..at + length]);
        at += length + 1;
        if source.as_bytes()[at - 1] == b'\n' {
            return None;
        }
        if source.as_bytes().get(at) != Some(&b'\'') {
            return Some((text, at));
        }
        text.push('\'');
        at += 1;
    }
}

/// Groups may be nested so deep.
const MAX_DEPTH: u32 = 50;

/// An item may be repeated so often by `{n}`.
const MAX_COPIES: u32 = 1000;

struct Parser<'t> {
    tokens: &'t [Token],
    next: usize,
    depth: u32,
    end: Span,
}

impl Parser<'_> {
    fn grammar(&mut self) -> Result<Grammar, Diagnostic> {
        let mut grammar = Grammar { name: String::new(), declarations: None, rules: Vec::new() };
        if self.peek() == Some(&TokenKind::Word("grammar".to_owned()))
            && self.peek_after() != Some(&TokenKind::Sign(':'))
        {
            self.next += 1;
            grammar.name = self.word("the name of the grammar")?.0;
            self.sign(';')?;
        }
        while self.peek().is_some() {
            let (name, span) = self.word("the name of a rule")?;
            if name == "declarations" && self.peek() == Some(&TokenKind::Sign('{')) {
                if grammar.declarations.is_some() {
                    return Err(syntax(span, "there is a block of declarations already"));
                }
                grammar.declarations = Some(self.declarations(span)?);
                continue;
            }
            let guard = self.guard()?;
            self.sign(':')?;
            let alternatives = self.alternatives()?;
            self.sign(';')?;
            grammar.rules.push(Rule { name, span, guard, alternatives });
        }
        Ok(grammar)
    }

    fn declarations(&mut self, span: Span) -> Result<Declarations, Diagnostic> {
        self.sign('{')?;
        let mut declarations = Declarations { span, commands: Vec::new(), groups: Vec::new() };
        while !self.take_sign('}') {
            if let Some(TokenKind::Text(text)) = self.peek() {
                declarations.commands.push(text.clone());
                self.next += 1;
            } else {
                let (name, span) = self.word("a command in quotes, or the name of a group of variables")?;
                let Some(guard) = self.guard()? else {
                    return Err(syntax(self.place(), "the sort of these variables is missing")
                        .with_help(format!("write `{name} [Int];`")));
                };
                declarations.groups.push(VariableGroup { name, span, sort: guard.sort });
            }
            self.sign(';')?;
        }
        Ok(declarations)
    }

    fn guard(&mut self) -> Result<Option<Guard>, Diagnostic> {
        let Some(TokenKind::Guard(text)) = self.peek() else { return Ok(None) };
        let span = self.place();
        let mut parts = text.split(',').map(str::trim);
        let sort = parts.next().unwrap_or_default().to_owned();
        if sort.is_empty() {
            return Err(syntax(span, "the sort is missing"));
        }
        let mut bound = Vec::new();
        for part in parts {
            let Some((name, sort)) = part.split_once(char::is_whitespace) else {
                return Err(syntax(span, format!("`{part}` must be a name and its sort"))
                    .with_help("write `[Bool, k Int]` for a rule that stands where `k` is bound"));
            };
            bound.push((name.to_owned(), sort.trim().to_owned()));
        }
        self.next += 1;
        Ok(Some(Guard { sort, bound }))
    }

    fn alternatives(&mut self) -> Result<Vec<Alternative>, Diagnostic> {
        let mut alternatives = vec![self.alternative()?];
        while self.take_sign('|') {
            alternatives.push(self.alternative()?);
        }
        Ok(alternatives)
    }

    fn alternative(&mut self) -> Result<Alternative, Diagnostic> {
        let start = self.place();
        let mut items = Vec::new();
        while let Some(item) = self.item()? {
            items.push(item);
        }
        let Some(last) = items.last() else {
            return Err(syntax(start, "an alternative cannot be empty")
                .with_help("what may be left out is written with `?`"));
        };
        Ok(Alternative { span: Span::new(start.start, last.span.end), items })
    }

    fn item(&mut self) -> Result<Option<Item>, Diagnostic> {
        let start = self.place();
        let element = match self.peek() {
            Some(TokenKind::Text(text)) => Element::Text(text.clone()),
            Some(TokenKind::Word(word)) => {
                if self.peek_after() == Some(&TokenKind::Sign(':')) {
                    return Err(syntax(start, "the rule before this one does not end")
                        .with_help("a rule ends with `;`"));
                }
                Element::Name(word.clone())
            }
            Some(TokenKind::Sign('(')) => {
                if self.depth == MAX_DEPTH {
                    return Err(syntax(start, "groups are nested too deep"));
                }
                self.next += 1;
                self.depth += 1;
                let alternatives = self.alternatives()?;
                self.depth -= 1;
                if self.peek() != Some(&TokenKind::Sign(')')) {
                    return Err(syntax(self.place(), "`)` is missing, which closes a group"));
                }
                Element::Group(alternatives)
            }
            _ => return Ok(None),
        };
        self.next += 1;
        let repetition = self.repetition()?;
        let end = self.tokens[self.next - 1].span.end;
        Ok(Some(Item { span: Span::new(start.start, end), element, repetition }))
    }

    fn repetition(&mut self) -> Result<Repetition, Diagnostic> {
        let repetition = match self.peek() {
            Some(TokenKind::Sign('?')) => Repetition::Optional,
            Some(TokenKind::Sign('*')) => Repetition::Any,
            Some(TokenKind::Sign('+')) => Repetition::Some,
            Some(TokenKind::Sign('{')) => {
                self.next += 1;
                let repetition = match self.peek() {
                    Some(TokenKind::Number(number)) if *number <= MAX_COPIES => Repetition::Exactly(*number),
                    Some(TokenKind::Number(_)) => {
                        return Err(syntax(
                            self.place(),
                            format!("at most {MAX_COPIES} copies are possible"),
                        ));
                    }
                    Some(TokenKind::Word(word)) if word == "asserts" => Repetition::Asserts,
                    Some(TokenKind::Word(word)) if word == "variables" => Repetition::Variables,
                    _ => {
                        let message = "in braces stands a number, `asserts` or `variables`";
                        return Err(syntax(self.place(), message));
                    }
                };
                self.next += 1;
                if self.peek() != Some(&TokenKind::Sign('}')) {
                    return Err(syntax(self.place(), "`}` is missing"));
                }
                repetition
            }
            _ => return Ok(Repetition::Once),
        };
        self.next += 1;
        Ok(repetition)
    }

    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    fn peek_after(&self) -> Option<&TokenKind> {
        self.tokens.get(self.next + 1).map(|token| &token.kind)
    }

    /// Where the next token is.
    fn place(&self) -> Span {
        self.tokens.get(self.next).map_or(self.end, |token| token.span)
    }

    fn word(&mut self, what: &str) -> Result<(String, Span), Diagnostic> {
        let span = self.place();
        let Some(TokenKind::Word(word)) = self.peek() else {
            return Err(syntax(span, format!("here must stand {what}")));
        };
        let word = word.clone();
        self.next += 1;
        Ok((word, span))
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let is_there = self.peek() == Some(&TokenKind::Sign(sign));
        self.next += usize::from(is_there);
        is_there
    }

    fn sign(&mut self, sign: char) -> Result<(), Diagnostic> {
        if self.take_sign(sign) {
            return Ok(());
        }
        Err(syntax(self.place(), format!("`{sign}` is missing")))
    }
}
