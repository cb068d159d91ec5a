//! Triples: a fusion function z = f(x, y) with the inversions that find x and y again.
//!
//! They are text, the built-in ones as much as those of users: blocks between `#begin ID` and `#end` with declarations of
//! x, y, z and of constants to be drawn, three equations, and conditions. Letters stand for widths and sorts, so that
//! one block serves bit vectors of every width. The form is that of the thesis (section 3.4) with these extensions.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Command;
use smelt_smtlib::sexp::{Kind, Scanner, Tape};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::free_names;
use thiserror::Error;

use crate::operators::draw_value;
use crate::random::Random;

/// A fusion function with its inversions, over sorts that may have parameters.
#[derive(Debug, Clone)]
pub struct Triple {
    /// Its id, which users see.
    pub id: String,
    /// Whether it was shown to invert for all values that satisfy its conditions.
    pub is_proven: bool,
    /// Declarations and assertions.
    text: String,
    x: Shape,
    y: Shape,
}

/// A sort in which letters stand for widths and sorts.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    Named(String),
    BitVec(Width),
    Float(Width, Width),
    Array(Box<Shape>, Box<Shape>),
    Seq(Box<Shape>),
    Param(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Width {
    Param(String),
    Number(u32),
}

/// What letters stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bindings {
    widths: FxHashMap<String, u32>,
    sorts: FxHashMap<String, Sort>,
}

/// Why a text is no list of triples.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot use triple `{id}` in line {line}: {message}")]
pub struct TripleError {
    /// The triple.
    pub id: String,
    /// The line in which it begins, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// The triples that come with smelt. Tests prove each of them on small domains.
pub fn built_in() -> Vec<Triple> {
    let text = include_str!("../../testdata/fusion/triples.txt");
    let mut triples = parse(text).expect("the built-in triples are well-formed");
    triples.iter_mut().for_each(|triple| triple.is_proven = true);
    triples
}

/// Reads triples in the form that users write.
pub fn parse(text: &str) -> Result<Vec<Triple>, TripleError> {
    let mut triples = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("#begin") {
            let id = match name.trim() {
                "" => format!("triple-{}", triples.len() + 1),
                name => name.to_owned(),
            };
            if let Some((line, id, _)) = open.replace((number + 1, id, String::new())) {
                return Err(TripleError { id, line, message: "`#end` is missing".to_owned() });
            }
        } else if line == "#end" {
            let Some((line, id, text)) = open.take() else {
                let message = "`#end` without `#begin`".to_owned();
                return Err(TripleError { id: String::new(), line: number + 1, message });
            };
            triples.push(Triple::read(&id, &text).map_err(|message| TripleError { id, line, message })?);
        } else if let Some((.., text)) = &mut open
            && !line.starts_with('#')
        {
            text.push_str(line);
            text.push('\n');
        }
    }
    match open {
        Some((line, id, _)) => Err(TripleError { id, line, message: "`#end` is missing".to_owned() }),
        None => Ok(triples),
    }
}

impl Triple {
    fn read(id: &str, text: &str) -> Result<Triple, String> {
        let shape = |name: &str| {
            declared_shape(text, name).ok_or_else(|| {
                format!("`{name}` is not declared by `declare-const` with a sort that can be fused")
            })
        };
        shape("z")?;
        let (x, y) = (shape("x")?, shape("y")?);
        let triple = Triple { id: id.to_owned(), is_proven: false, text: text.to_owned(), x, y };
        // With some widths and sorts it must be well-sorted.
        let mut bindings = Bindings::default();
        triple.letters().into_iter().for_each(|(letter, is_width)| {
            if is_width {
                bindings.widths.insert(letter, 5);
            } else {
                bindings.sorts.insert(letter, Sort::INT);
            }
        });
        triple.instantiate(&mut Terms::new(), &bindings)?;
        Ok(triple)
    }

    /// The block as users write it.
    pub fn to_text(&self) -> String {
        format!("#begin {}\n{}#end\n", self.id, self.text)
    }

    /// What its letters stand for if its x and y have these sorts; none if they cannot.
    pub(crate) fn bind(&self, sorts: &Sorts, x: Sort, y: Sort) -> Option<Bindings> {
        let mut bindings = Bindings::default();
        (self.x.bind(sorts, x, &mut bindings) && self.y.bind(sorts, y, &mut bindings)).then_some(bindings)
    }

    /// Its letters, each with whether it stands for a width.
    pub(crate) fn letters(&self) -> Vec<(String, bool)> {
        let mut letters = Vec::new();
        self.x.letters(&mut letters);
        self.y.letters(&mut letters);
        letters.dedup();
        letters
    }

    /// The triple over these widths and sorts; the error says what is wrong with it.
    pub(crate) fn instantiate(&self, terms: &mut Terms, bindings: &Bindings) -> Result<Instance, String> {
        let text = bindings.apply(terms, &self.text);
        let reading = read_script_as(terms, &text, Dialect::V26);
        if let Some(problem) = reading.diagnostics.first() {
            return Err(problem.message.to_string());
        }
        let mut sorts = FxHashMap::default();
        let mut constants = Vec::new();
        let mut assertions = Vec::new();
        for command in reading.script.commands {
            match command {
                Command::DeclareConst(name, sort) => match terms.text(name) {
                    "x" | "y" | "z" => {
                        sorts.insert(terms.text(name).to_owned(), (name, sort));
                    }
                    _ => constants.push((name, sort)),
                },
                Command::Assert(term) => assertions.push(term),
                _ => return Err("only `declare-const` and `assert` are understood".to_owned()),
            }
        }
        if assertions.len() < 3 {
            return Err("there must be equations for `z`, `x` and `y`, in this order".to_owned());
        }
        let conditions = assertions.split_off(3);
        let side = |name: &str, equation: Term| match (terms.op(equation), terms.args(equation)) {
            (Some(Op::Eq), [left, right]) if terms.head(*left) == Head::Global(sorts[name].0) => Ok(*right),
            _ => Err(format!("`{name}` must stand alone on the left of its equation")),
        };
        let fusion = side("z", assertions[0])?;
        let (find_x, find_y) = (side("x", assertions[1])?, side("y", assertions[2])?);
        if free_names(terms, fusion).globals.contains(&sorts["z"].0) {
            return Err("`z` occurs in what defines it".to_owned());
        }
        Ok(Instance {
            names: ["x", "y", "z"].map(|name| sorts[name].0),
            sorts: ["x", "y", "z"].map(|name| sorts[name].1),
            fusion,
            find_x,
            find_y,
            constants,
            conditions,
        })
    }
}

/// A triple over given widths and sorts.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    /// The names x, y and z.
    pub names: [Symbol; 3],
    /// Their sorts.
    pub sorts: [Sort; 3],
    /// f(x, y).
    pub fusion: Term,
    /// What x is, by y and z.
    pub find_x: Term,
    /// What y is, by x and z.
    pub find_y: Term,
    /// What is drawn.
    pub constants: Vec<(Symbol, Sort)>,
    /// When the triple inverts.
    pub conditions: Vec<Term>,
}

impl Instance {
    /// Whether it inverts only for some x and y.
    pub(crate) fn is_conditional(&self, terms: &Terms) -> bool {
        let [x, y, _] = self.names;
        let speaks_of = |condition: &Term| {
            let names = free_names(terms, *condition).globals;
            names.contains(&x) || names.contains(&y)
        };
        self.conditions.iter().any(speaks_of)
    }

    /// The same with values for its constants; none if some sort has no values that can be written down.
    pub(crate) fn draw_constants(&self, terms: &mut Terms, random: &mut Random) -> Option<Instance> {
        let mut values = Substitution::new();
        for (name, sort) in &self.constants {
            values.replace(*name, draw_value(terms, *sort, random)?);
        }
        Some(self.replaced(terms, &values))
    }

    /// The same with terms in the place of names.
    pub(crate) fn replaced(&self, terms: &mut Terms, substitution: &Substitution) -> Instance {
        let mut replaced = |term: Term| substitute(terms, term, substitution);
        Instance {
            fusion: replaced(self.fusion),
            find_x: replaced(self.find_x),
            find_y: replaced(self.find_y),
            conditions: self.conditions.iter().map(|condition| replaced(*condition)).collect(),
            ..self.clone()
        }
    }
}

impl Shape {
    fn bind(&self, sorts: &Sorts, sort: Sort, bindings: &mut Bindings) -> bool {
        match (self, sorts.kind(sort)) {
            (Shape::Named(name), kind) => {
                name == match kind {
                    SortKind::Bool => "Bool",
                    SortKind::Int => "Int",
                    SortKind::Real => "Real",
                    SortKind::String => "String",
                    SortKind::RoundingMode => "RoundingMode",
                    _ => return false,
                }
            }
            (Shape::BitVec(width), SortKind::BitVec(actual)) => width.bind(*actual, bindings),
            (Shape::Float(exponent, significand), SortKind::Float(actual_exponent, actual_significand)) => {
                exponent.bind(*actual_exponent, bindings) && significand.bind(*actual_significand, bindings)
            }
            (Shape::Array(index, element), SortKind::Array(actual_index, actual_element)) => {
                index.bind(sorts, *actual_index, bindings) && element.bind(sorts, *actual_element, bindings)
            }
            (Shape::Seq(element), SortKind::Seq(actual)) => element.bind(sorts, *actual, bindings),
            (Shape::Param(name), _) => {
                // Sorts that a script declares have no meaning in the text of a triple.
                let is_foreign = sorts.any_part(sort, |kind| {
                    matches!(
                        kind,
                        SortKind::Named(..) | SortKind::Param(_) | SortKind::Unknown | SortKind::Arrow(_)
                    )
                });
                !is_foreign && *bindings.sorts.entry(name.clone()).or_insert(sort) == sort
            }
            _ => false,
        }
    }

    fn letters(&self, letters: &mut Vec<(String, bool)>) {
        let mut width = |width: &Width| {
            if let Width::Param(name) = width {
                letters.push((name.clone(), true));
            }
        };
        match self {
            Shape::Named(_) => {}
            Shape::BitVec(bits) => width(bits),
            Shape::Float(exponent, significand) => {
                width(exponent);
                width(significand);
            }
            Shape::Array(index, element) => {
                index.letters(letters);
                element.letters(letters);
            }
            Shape::Seq(element) => element.letters(letters),
            Shape::Param(name) => letters.push((name.clone(), false)),
        }
    }
}

impl Width {
    fn bind(&self, actual: u32, bindings: &mut Bindings) -> bool {
        match self {
            Width::Number(number) => *number == actual,
            Width::Param(name) => *bindings.widths.entry(name.clone()).or_insert(actual) == actual,
        }
    }
}

impl Bindings {
    /// Bindings for letters.
    pub(crate) fn new(widths: &[(&str, u32)], sorts: &[(&str, Sort)]) -> Self {
        Bindings {
            widths: widths.iter().map(|(letter, width)| ((*letter).to_owned(), *width)).collect(),
            sorts: sorts.iter().map(|(letter, sort)| ((*letter).to_owned(), *sort)).collect(),
        }
    }

    /// A text with what letters stand for, and with sums over widths computed.
    fn apply(&self, terms: &Terms, text: &str) -> String {
        if self.widths.is_empty() && self.sorts.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        let mut scanner = Scanner::new(text);
        let mut tape = Tape::new();
        while let Ok(true) = scanner.read(&mut tape) {
            for node in tape.nodes().iter().filter(|node| node.kind == Kind::Symbol) {
                let atom = node.span.text(text);
                let replaced = match self.sorts.get(atom) {
                    Some(sort) => {
                        let mut written = String::new();
                        terms.sorts.write(&terms.symbols, *sort, &mut written);
                        written
                    }
                    None => match self.sum(atom) {
                        Some(sum) => sum.to_string(),
                        None => continue,
                    },
                };
                out.push_str(&text[copied..node.span.start as usize]);
                out.push_str(&replaced);
                copied = node.span.end as usize;
            }
        }
        out.push_str(&text[copied..]);
        out
    }

    /// The value of a sum such as `W+V-1` with at least one letter.
    fn sum(&self, atom: &str) -> Option<i64> {
        let mut sum = 0;
        let mut has_letter = false;
        for (position, part) in atom.split_inclusive(['+', '-']).enumerate() {
            let sign = match atom
                .as_bytes()
                .get((part.as_ptr() as usize - atom.as_ptr() as usize).wrapping_sub(1))
            {
                Some(b'-') if position > 0 => -1,
                _ => 1,
            };
            let part = part.trim_end_matches(['+', '-']);
            let value = match self.widths.get(part) {
                Some(width) => {
                    has_letter = true;
                    i64::from(*width)
                }
                None => part.parse::<i64>().ok()?,
            };
            sum += sign * value;
        }
        has_letter.then_some(sum)
    }
}

/// The shape of the sort with which a text declares a constant.
fn declared_shape(text: &str, name: &str) -> Option<Shape> {
    let mut scanner = Scanner::new(text);
    let mut tape = Tape::new();
    while let Ok(true) = scanner.read(&mut tape) {
        let parts: Vec<u32> = tape.children(0).collect();
        let word = |index: u32| tape.node(index).span.text(text);
        if let [command, declared, sort] = parts[..]
            && word(command) == "declare-const"
            && word(declared) == name
        {
            return shape_at(&tape, text, sort);
        }
    }
    None
}

fn shape_at(tape: &Tape, text: &str, index: u32) -> Option<Shape> {
    let node = tape.node(index);
    let word = |index: u32| tape.node(index).span.text(text);
    if node.kind != Kind::List {
        let word = word(index);
        let is_letter = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        return Some(if is_letter { Shape::Param(word.to_owned()) } else { Shape::Named(word.to_owned()) });
    }
    let width = |index: u32| match word(index).parse() {
        Ok(number) => Width::Number(number),
        Err(_) => Width::Param(word(index).to_owned()),
    };
    let parts: Vec<u32> = tape.children(index).collect();
    match parts[..] {
        [mark, kind, bits] if word(mark) == "_" && word(kind) == "BitVec" => Some(Shape::BitVec(width(bits))),
        [mark, kind, exponent, significand] if word(mark) == "_" && word(kind) == "FloatingPoint" => {
            Some(Shape::Float(width(exponent), width(significand)))
        }
        [kind, of, to] if word(kind) == "Array" => {
            Some(Shape::Array(Box::new(shape_at(tape, text, of)?), Box::new(shape_at(tape, text, to)?)))
        }
        [kind, of] if word(kind) == "Seq" => Some(Shape::Seq(Box::new(shape_at(tape, text, of)?))),
        _ => None,
    }
}
