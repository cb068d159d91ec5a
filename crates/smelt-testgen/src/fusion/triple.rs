//! Triples: a fusion function z = f(x, y) with the inversions that find x and y again.
//!
//! They are text, the built-in ones as much as those of users: blocks between `#begin ID` and `#end` with declarations of
//! x, y, z and of constants to be drawn, three equations, and conditions. Letters stand for widths and sorts, so that
//! one block serves bit vectors of every width. The form is that of the thesis (section 3.4) with these extensions.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Command;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::transfer::Transfer;
use smelt_smtlib::walk::free_names;
use thiserror::Error;

use crate::blocks::{Block, BlockError, Defect, read_blocks};
use crate::operators::draw_value;
use crate::random::Random;
use crate::shape::{Bindings, Shape, shape_at};

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
    /// Instances that were read before. Each use would read the text again otherwise, which costs more than the rest of
    /// a fusion.
    read: Arc<RwLock<Readings>>,
}

/// Instances with terms of their own, by their texts.
type Readings = FxHashMap<String, Arc<(Terms, Instance)>>;

/// So many instances of a triple are kept.
const MAX_KEPT: usize = 256;

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
    let mut number = 0;
    let read = |block: &Block<'_>| {
        number += 1;
        let id = match block.words[..] {
            [] => format!("triple-{number}"),
            _ => block.words.join(" "),
        };
        Triple::read(&id, &block.text())
    };
    read_blocks(text, read).map_err(|BlockError { id, line, message }| TripleError { id, line, message })
}

impl Triple {
    fn read(id: &str, text: &str) -> Result<Triple, Defect> {
        let shape = |name: &str| {
            declared_shape(text, name).ok_or_else(|| {
                format!("`{name}` is not declared by `declare-const` with a sort that can be fused")
            })
        };
        shape("z")?;
        let (x, y) = (shape("x")?, shape("y")?);
        let (id, text, read) = (id.to_owned(), text.to_owned(), Arc::default());
        let triple = Triple { id, is_proven: false, text, x, y, read };
        // With some widths and sorts it must be well-sorted.
        let mut bindings = Bindings::default();
        triple.letters().into_iter().for_each(|(letter, is_width)| {
            if is_width {
                bindings.widths.insert(letter, 5);
            } else {
                bindings.sorts.insert(letter, Sort::INT);
            }
        });
        let mut terms = Terms::new();
        let text = bindings.apply(&terms, &triple.text);
        let instance = Instance::read(&mut terms, &text)?;
        if free_names(&terms, instance.fusion).globals.contains(&instance.names[2]) {
            return Err(Defect::from("`z` occurs in what defines it"));
        }
        Ok(triple)
    }

    /// The block as users write it.
    pub fn to_text(&self) -> String {
        format!("#begin {}\n{}#end\n", self.id, self.text)
    }

    /// What its letters stand for if its x and y have these sorts; none if they cannot.
    pub(crate) fn bind(&self, sorts: &Sorts, x: Sort, y: Sort) -> Option<Bindings> {
        let mut bindings = Bindings::default();
        // Sorts that a script declares have no meaning in the text of a triple.
        let is_foreign = |sort: Sort| sorts.any_part(sort, |kind| matches!(kind, SortKind::Named(..)));
        let is_bound = self.x.bind(sorts, x, &mut bindings) && self.y.bind(sorts, y, &mut bindings);
        (is_bound && !is_foreign(x) && !is_foreign(y)).then_some(bindings)
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
    pub(crate) fn instantiate(&self, terms: &mut Terms, bindings: &Bindings) -> Result<Instance, Defect> {
        let text = bindings.apply(terms, &self.text);
        let kept = self.read.read().unwrap_or_else(PoisonError::into_inner).get(&text).cloned();
        if let Some(kept) = kept {
            return Ok(kept.1.transferred(&kept.0, terms));
        }
        let mut own = Terms::new();
        let instance = Instance::read(&mut own, &text)?;
        let copy = instance.transferred(&own, terms);
        let mut read = self.read.write().unwrap_or_else(PoisonError::into_inner);
        if read.len() < MAX_KEPT {
            read.insert(text, Arc::new((own, instance)));
        }
        Ok(copy)
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
    fn read(terms: &mut Terms, text: &str) -> Result<Instance, Defect> {
        let reading = read_script_as(terms, text, Dialect::V26);
        if let Some(problem) = reading.diagnostics.first() {
            return Err(Defect::from(problem.message.to_string()));
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
                _ => return Err(Defect::from("only `declare-const` and `assert` are understood")),
            }
        }
        if assertions.len() < 3 {
            return Err(Defect::from("there must be equations for `z`, `x` and `y`, in this order"));
        }
        let conditions = assertions.split_off(3);
        let side = |name: &str, equation: Term| match (terms.op(equation), terms.args(equation)) {
            (Some(Op::Eq), [left, right]) if terms.head(*left) == Head::Global(sorts[name].0) => Ok(*right),
            _ => Err(Defect::from(format!("`{name}` must stand alone on the left of its equation"))),
        };
        let fusion = side("z", assertions[0])?;
        let (find_x, find_y) = (side("x", assertions[1])?, side("y", assertions[2])?);
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

    /// The same in another arena.
    fn transferred(&self, from: &Terms, into: &mut Terms) -> Instance {
        let mut transfer = Transfer::new(from);
        Instance {
            names: self.names.map(|name| transfer.symbol(into, name)),
            sorts: self.sorts.map(|sort| transfer.sort(into, sort)),
            fusion: transfer.term(into, self.fusion),
            find_x: transfer.term(into, self.find_x),
            find_y: transfer.term(into, self.find_y),
            constants: self
                .constants
                .iter()
                .map(|(name, sort)| (transfer.symbol(into, *name), transfer.sort(into, *sort)))
                .collect(),
            conditions: self.conditions.iter().map(|condition| transfer.term(into, *condition)).collect(),
        }
    }

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
        if self.constants.is_empty() {
            return Some(self.clone());
        }
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
