//! Spells what proofs write in their own way as SMT-LIB, so that the reader of SMT-LIB reads it.
//!
//! cpc writes indices as arguments (`(extract 3 0 x)`), rational constants as `1/3`, variables as `(@var "x" Int)` and
//! the variables of a quantifier as a list of these; Alethe gives names to shared terms where they first occur. Internal
//! functions of cvc5 are spelled out where their meaning is certain and are left to be opaque elsewhere.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::sexp::{Kind, Scanner, Tape};
use smelt_smtlib::term::Term;

use super::Source;

/// What cpc writes with indices as arguments besides operators, and how many these are.
const INDEXED_WORDS: &[(&str, usize)] = &[("is", 1), ("update", 1), ("BitVec", 1), ("FloatingPoint", 2)];

/// How many of the arguments that cpc gives a name are indices.
fn index_count(name: &str) -> Option<usize> {
    let counts = Op::named(name).iter().map(|op| op.info().indices.len());
    let word = INDEXED_WORDS.iter().find(|(word, _)| *word == name).map(|(_, count)| *count);
    counts.into_iter().find(|count| *count > 0).or(word)
}

/// Whether a name is that of an operator that, applied to one argument, is that argument.
fn is_list_operator(name: &str) -> bool {
    let is_one = |op: &Op| {
        matches!(
            op,
            Op::And
                | Op::Or
                | Op::StrConcat
                | Op::ReConcat
                | Op::Concat
                | Op::Add
                | Op::Mul
                | Op::ReUnion
                | Op::ReInter
        )
    };
    Op::named(name).iter().any(is_one)
}

/// Makes the variable of a binder, given as `(name sort)`, known outside of it.
pub(super) fn alias_variable(source: &mut Source<'_>, name: &str, binder: &str) {
    // The reader knows sorts; a term that has the variable as its body has it as a part.
    if let Some(term) = source.term(&format!("(lambda ({binder}) {name})"))
        && let Some(variable) = source.terms.args(term).first().copied()
    {
        source.alias(name, variable);
    }
}

/// Steps of spelling an expression.
enum Task {
    Node(u32),
    Word(&'static str),
    /// The term spelled since a place of the output has a name.
    Name {
        name: u32,
        start: usize,
    },
    /// Leave the scope of a binder.
    Leave,
}

/// Spells expressions, and knows the lists of variables that cpc has named.
#[derive(Default)]
pub(super) struct Speller {
    lists: FxHashMap<String, String>,
}

impl Speller {
    /// Reads an expression at a place of a tape as a term.
    pub(super) fn term(
        &mut self,
        source: &mut Source<'_>,
        text: &str,
        tape: &Tape,
        place: u32,
    ) -> Option<Term> {
        let spelled = self.spell(source, text, tape, place);
        source.term(&spelled)
    }

    /// Remembers a list of variables under a name; false if the expression is none.
    pub(super) fn define_list(
        &mut self,
        source: &mut Source<'_>,
        name: &str,
        text: &str,
        tape: &Tape,
        place: u32,
    ) -> bool {
        let Some(variables) = self.variables(source, text, tape, place) else { return false };
        self.lists.insert(name.to_owned(), variables);
        true
    }

    /// The variables of a list, as a binder of SMT-LIB has them.
    fn variables(&mut self, source: &mut Source<'_>, text: &str, tape: &Tape, place: u32) -> Option<String> {
        let text_of = |place: u32| tape.node(place).span.text(text);
        if tape.node(place).kind != Kind::List {
            return self.lists.get(text_of(place)).cloned();
        }
        let mut parts = tape.children(place);
        if parts.next().is_none_or(|head| text_of(head) != "@list") {
            return None;
        }
        let mut spelled = String::from("(");
        for part in parts {
            let binder = match tape.node(part).kind {
                Kind::List => self.variable(source, text, tape, part)?,
                _ => self.lists.get(text_of(part))?.clone(),
            };
            spelled.push_str(&binder);
        }
        spelled.push(')');
        Some(spelled)
    }

    /// Makes `(@var "x" Int)` known, and remembers it under a name if it has one.
    pub(super) fn define_variable(
        &mut self,
        source: &mut Source<'_>,
        name: &str,
        text: &str,
        tape: &Tape,
        place: u32,
    ) -> bool {
        let Some(binder) = self.variable(source, text, tape, place) else { return false };
        self.lists.insert(name.to_owned(), binder);
        true
    }

    /// The binder `(name sort)` of `(@var "x" Int)`, whose name is then known. Variables of one name and two sorts differ,
    /// so the sort becomes a part of the name.
    fn variable(&mut self, source: &mut Source<'_>, text: &str, tape: &Tape, place: u32) -> Option<String> {
        let parts: Vec<u32> = tape.children(place).collect();
        let &[head, name, sort] = parts.as_slice() else { return None };
        let text_of = |place: u32| tape.node(place).span.text(text);
        if text_of(head) != "@var" {
            return None;
        }
        let sort = self.spell(source, text, tape, sort);
        let name = format!("|{}:{}|", text_of(name).trim_matches('"'), sort.replace('|', ""));
        let binder = format!("({name} {sort})");
        alias_variable(source, &name, &binder);
        Some(binder)
    }

    fn spell(&mut self, source: &mut Source<'_>, text: &str, tape: &Tape, root: u32) -> String {
        let text_of = |place: u32| tape.node(place).span.text(text);
        let mut out = String::new();
        let mut tasks = vec![Task::Node(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Word(word) => out.push_str(word),
                Task::Leave => {
                    source.scope.pop(1);
                }
                Task::Name { name, start } => {
                    if let Some(term) = source.term(&out[start..]) {
                        source.alias(text_of(name), term);
                        out.truncate(start);
                        out.push_str(text_of(name));
                        out.push(' ');
                    }
                }
                Task::Node(place) if tape.node(place).kind != Kind::List => {
                    spell_atom(text_of(place), &mut out);
                    out.push(' ');
                }
                Task::Node(place) => {
                    let parts: Vec<u32> = tape.children(place).collect();
                    self.list(source, text, tape, &parts, &mut tasks, &mut out);
                }
            }
        }
        out
    }

    fn list(
        &mut self,
        source: &mut Source<'_>,
        text: &str,
        tape: &Tape,
        parts: &[u32],
        tasks: &mut Vec<Task>,
        out: &mut String,
    ) {
        let text_of = |place: u32| tape.node(place).span.text(text);
        let is_numeral = |place: &u32| tape.node(*place).kind == Kind::Numeral;
        let Some(head) = parts.first() else {
            out.push_str("() ");
            return;
        };
        let args = &parts[1..];
        let rest = |tasks: &mut Vec<Task>, parts: &[u32]| {
            tasks.push(Task::Word(") "));
            tasks.extend(parts.iter().rev().map(|part| Task::Node(*part)));
        };
        match (text_of(*head), args) {
            ("@var", _) => {
                // The list stands right before its first part.
                if let Some(binder) = self.variable(source, text, tape, head - 1) {
                    // The name is the text up to the sort; names in bars have no blanks but those of sorts.
                    let end = binder[2..].find('|').map_or(binder.len(), |end| end + 3);
                    out.push_str(&binder[1..end]);
                    out.push(' ');
                }
            }
            ("forall" | "exists" | "lambda" | "choice", &[binders, body]) => {
                if let Some(variables) = self.variables(source, text, tape, binders) {
                    out.push_str(&format!("({} {variables} ", text_of(*head)));
                    rest(tasks, &[body]);
                } else {
                    // Named parts of the body are read before the binder is.
                    source.scope.push(1);
                    for binder in tape.children(binders) {
                        if let Some(name) = tape.children(binder).next() {
                            alias_variable(source, text_of(name), text_of(binder));
                        }
                    }
                    out.push_str(&format!("({} {} ", text_of(*head), text_of(binders)));
                    tasks.push(Task::Leave);
                    rest(tasks, &[body]);
                }
            }
            ("!", &[term, keyword, name, ..]) if text_of(keyword) == ":named" => {
                tasks.push(Task::Name { name, start: out.len() });
                tasks.push(Task::Node(term));
            }
            ("@bv", [value, width]) if is_numeral(value) && is_numeral(width) => {
                out.push_str(&format!("(_ bv{} {}) ", text_of(*value), text_of(*width)));
            }
            // A constant that stands for a term is equal to it.
            ("@purify", [term]) => tasks.push(Task::Node(*term)),
            // A bit as a truth value, and truth values from the lowest bit up as a vector.
            ("@bit", [index, bits]) if is_numeral(index) => {
                let index = text_of(*index);
                out.push_str(&format!("(= #b1 ((_ extract {index} {index}) "));
                tasks.push(Task::Word(")) "));
                tasks.push(Task::Node(*bits));
            }
            ("@from_bools", [bit]) => {
                out.push_str("(ite ");
                tasks.push(Task::Word("#b1 #b0) "));
                tasks.push(Task::Node(*bit));
            }
            ("@from_bools", bits) if !bits.is_empty() => {
                out.push_str("(concat ");
                tasks.push(Task::Word(") "));
                for bit in bits {
                    tasks.push(Task::Word("#b1 #b0) "));
                    tasks.push(Task::Node(*bit));
                    tasks.push(Task::Word("(ite "));
                }
            }
            // What is applied to one argument in lists of arguments is that argument.
            (name, [arg]) if is_list_operator(name) => tasks.push(Task::Node(*arg)),
            (name, args) => match index_count(name) {
                Some(count) if args.len() > count || (args.len() == count && is_sort(name)) => {
                    let indices: Vec<&str> = args[..count].iter().map(|arg| text_of(*arg)).collect();
                    let indexed = format!("(_ {name} {})", indices.join(" "));
                    if is_sort(name) {
                        out.push_str(&indexed);
                        out.push(' ');
                    } else {
                        out.push_str(&format!("({indexed} "));
                        rest(tasks, &args[count..]);
                    }
                }
                _ => {
                    out.push('(');
                    rest(tasks, parts);
                }
            },
        }
    }
}

fn is_sort(name: &str) -> bool {
    matches!(name, "BitVec" | "FloatingPoint")
}

/// Spells `-2`, `1/3` and `-1/3`.
fn spell_atom(atom: &str, out: &mut String) {
    let (is_negative, magnitude) = match atom.strip_prefix('-') {
        Some(rest) if rest.starts_with(|first: char| first.is_ascii_digit()) => (true, rest),
        _ => (false, atom),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let spelled = match magnitude.split_once('/') {
        Some((above, "1")) if is_number(above) => Some(format!("{above}.0")),
        Some((above, below)) if is_number(above) && is_number(below) => {
            Some(format!("(/ {above}.0 {below}.0)"))
        }
        _ => None,
    };
    let magnitude = spelled.as_deref().unwrap_or(magnitude);
    match is_negative {
        true => out.push_str(&format!("(- {magnitude})")),
        false => out.push_str(magnitude),
    }
}

/// The expressions inside of the list that begins at a place of a text, one after the other.
pub(super) struct Expressions<'a> {
    scanner: Scanner<'a>,
    /// The text inside of the list, and where it begins.
    pub(super) inside: &'a str,
    pub(super) offset: usize,
}

impl<'a> Expressions<'a> {
    pub(super) fn new(text: &'a str, start: usize) -> Self {
        let inside = &text[start + 1..];
        Expressions { scanner: Scanner::new(inside), inside, offset: start + 1 }
    }

    /// Reads the next expression; false at the end of the list, none if the text ends before.
    pub(super) fn read(&mut self, tape: &mut Tape) -> Option<bool> {
        match self.scanner.read(tape) {
            Ok(true) => Some(true),
            Ok(false) => None,
            // The list is closed: a parenthesis that was not opened in it.
            Err(_) => {
                let end = self.scanner.offset() as usize;
                self.inside[..end].ends_with(')').then_some(false)
            }
        }
    }
}
