//! Sorts in which letters stand for widths and sorts, as the texts of triples and rules have them.
//!
//! One text then serves bit vectors of every width and arrays of every sort. Letters may also stand for other indices of
//! operators, such as how often a language is repeated.

use rustc_hash::FxHashMap;
use smelt_smtlib::sexp::{Kind, Scanner, Tape};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::term::Terms;

/// A sort in which letters stand for widths and sorts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A sort without parameters, by its name.
    Named(String),
    BitVec(Width),
    Float(Width, Width),
    Array(Box<Shape>, Box<Shape>),
    Seq(Box<Shape>),
    /// A letter for a sort.
    Param(String),
}

/// A width, or another index of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Width {
    /// A letter, or a sum over letters and numbers.
    Param(String),
    Number(u32),
}

/// What letters stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bindings {
    pub widths: FxHashMap<String, u32>,
    pub sorts: FxHashMap<String, Sort>,
}

impl Shape {
    /// Whether this is the shape of a sort, given what letters stand for; letters that are new are bound.
    pub(crate) fn bind(&self, sorts: &Sorts, sort: Sort, bindings: &mut Bindings) -> bool {
        match (self, sorts.kind(sort)) {
            (Shape::Named(name), kind) => {
                name == match kind {
                    SortKind::Bool => "Bool",
                    SortKind::Int => "Int",
                    SortKind::Real => "Real",
                    SortKind::String => "String",
                    SortKind::RegLan => "RegLan",
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
                let is_unusual = sorts.any_part(sort, |kind| {
                    matches!(
                        kind,
                        SortKind::RegLan | SortKind::Param(_) | SortKind::Unknown | SortKind::Arrow(_)
                    )
                });
                !is_unusual && *bindings.sorts.entry(name.clone()).or_insert(sort) == sort
            }
            _ => false,
        }
    }

    /// The sort of this shape, if all of its letters are bound.
    pub(crate) fn sort(&self, sorts: &mut Sorts, bindings: &Bindings) -> Option<Sort> {
        Some(match self {
            Shape::Named(name) => match name.as_str() {
                "Bool" => Sort::BOOL,
                "Int" => Sort::INT,
                "Real" => Sort::REAL,
                "String" => Sort::STRING,
                "RegLan" => Sort::REG_LAN,
                "RoundingMode" => Sort::ROUNDING_MODE,
                _ => return None,
            },
            Shape::BitVec(width) => sorts.bit_vec(width.value(bindings)?),
            Shape::Float(exponent, significand) => {
                sorts.float(exponent.value(bindings)?, significand.value(bindings)?)
            }
            Shape::Array(index, element) => {
                let (index, element) = (index.sort(sorts, bindings)?, element.sort(sorts, bindings)?);
                sorts.array(index, element)
            }
            Shape::Seq(element) => {
                let element = element.sort(sorts, bindings)?;
                sorts.intern(SortKind::Seq(element))
            }
            Shape::Param(name) => *bindings.sorts.get(name)?,
        })
    }

    /// Adds its letters to a list, each with whether it stands for a width.
    pub(crate) fn letters(&self, letters: &mut Vec<(String, bool)>) {
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
    /// The width that a word of a text means.
    pub(crate) fn of(word: &str) -> Width {
        match word.parse() {
            Ok(number) => Width::Number(number),
            Err(_) => Width::Param(word.to_owned()),
        }
    }

    /// Whether this is the width, given what letters stand for; a letter that is new is bound, but not one in a sum.
    pub(crate) fn bind(&self, actual: u32, bindings: &mut Bindings) -> bool {
        match self {
            Width::Param(letter) if is_letter(letter) => {
                *bindings.widths.entry(letter.clone()).or_insert(actual) == actual
            }
            _ => self.value(bindings) == Some(actual),
        }
    }

    /// Its value, if all of its letters are bound.
    pub(crate) fn value(&self, bindings: &Bindings) -> Option<u32> {
        match self {
            Width::Number(number) => Some(*number),
            Width::Param(sum) => bindings.sum(sum).and_then(|sum| u32::try_from(sum).ok()),
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

    /// All ways to bind letters, each given with whether it stands for a width, to some widths and sorts.
    pub(crate) fn all(letters: &[(String, bool)], widths: &[u32], sorts: &[Sort]) -> Vec<Bindings> {
        let mut all = vec![Bindings::default()];
        for (letter, is_width) in letters {
            let mut more = Vec::new();
            for known in all {
                if known.widths.contains_key(letter) || known.sorts.contains_key(letter) {
                    more.push(known);
                    continue;
                }
                if *is_width {
                    more.extend(widths.iter().map(|width| {
                        let mut known = known.clone();
                        known.widths.insert(letter.clone(), *width);
                        known
                    }));
                } else {
                    more.extend(sorts.iter().map(|sort| {
                        let mut known = known.clone();
                        known.sorts.insert(letter.clone(), *sort);
                        known
                    }));
                }
            }
            all = more;
        }
        all
    }

    /// A text with what letters stand for, and with sums over widths computed.
    pub(crate) fn apply(&self, terms: &Terms, text: &str) -> String {
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

/// The shape that a sort has in a text.
pub(crate) fn shape_at(tape: &Tape, text: &str, index: u32) -> Option<Shape> {
    let node = tape.node(index);
    let word = |index: u32| tape.node(index).span.text(text);
    if node.kind != Kind::List {
        let word = word(index);
        return Some(if is_letter(word) {
            Shape::Param(word.to_owned())
        } else {
            Shape::Named(word.to_owned())
        });
    }
    let width = |index: u32| Width::of(word(index));
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

/// Whether a word of a text stands for a sort or a width.
pub(crate) fn is_letter(word: &str) -> bool {
    word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}
