//! Normal forms: texts with every variable replaced by the parts that equations say it is made of, as far as they go.
//!
//! A variable with the parts `y z` is replaced by the normal forms of `y` and `z`. Of several equations for a class the
//! first one counts that does not lead back to the class; the others are compared with it elsewhere.

use rustc_hash::{FxHashMap, FxHashSet};

use super::classes::{Classes, Form, Part, equations};
use super::premises::Premises;
use crate::effort::{Effort, Stopped};
use crate::engines::abstraction::Abstraction;
use crate::theory::fixed_length::{Piece, Text, Var};

/// Equations inside of each other that are looked through.
const MAX_DEPTH: usize = 48;
/// Longer forms are not built; their variables stay as they are.
const MAX_PARTS: usize = 400;

/// The normal forms of one assignment.
pub(super) struct Forms<'c> {
    classes: &'c Classes,
    /// For the variable that stands for a class: what equations say about a member, with the positions of their facts.
    definitions: FxHashMap<Var, Vec<(Premises, Text)>>,
    known: FxHashMap<Var, Form>,
    in_progress: FxHashSet<Var>,
}

impl<'c> Forms<'c> {
    pub(super) fn new(classes: &'c Classes, abstraction: &Abstraction, facts: &[usize]) -> Forms<'c> {
        let mut definitions: FxHashMap<Var, Vec<(Premises, Text)>> = FxHashMap::default();
        for (position, left, right) in equations(abstraction, facts) {
            for (side, other) in [(&left, &right), (&right, &left)] {
                let [Piece::Var(var)] = side.as_slice() else { continue };
                let Part { piece: Piece::Var(first), mut because } = classes.value(*var) else { continue };
                if other.len() > 1 {
                    because.push(abstraction.facts[position].guard);
                    definitions.entry(first).or_default().push((because, other.clone()));
                }
            }
        }
        Forms { classes, definitions, known: FxHashMap::default(), in_progress: FxHashSet::default() }
    }

    /// The normal form of a text.
    pub(super) fn of(&mut self, effort: &mut Effort, text: &Text) -> Result<Form, Stopped> {
        self.text(effort, text, 0).map(|form| form.unwrap_or_else(|| self.classes.flat(text)))
    }

    /// The normal form of a text; none if it leads back to a class that is being replaced, or too far.
    fn text(&mut self, effort: &mut Effort, text: &Text, depth: usize) -> Result<Option<Form>, Stopped> {
        effort.spend(1)?;
        let mut form: Form = Vec::new();
        for part in self.classes.flat(text) {
            let Piece::Var(var) = part.piece else {
                form.push(part);
                continue;
            };
            let Some(mut parts) = self.class(effort, var, depth)? else { return Ok(None) };
            if form.len() + parts.len() > MAX_PARTS {
                return Ok(None);
            }
            rest_on(&mut parts, &part.because);
            form.extend(parts);
        }
        Ok(Some(form))
    }

    /// The normal form of the class that a variable stands for.
    fn class(&mut self, effort: &mut Effort, first: Var, depth: usize) -> Result<Option<Form>, Stopped> {
        if let Some(form) = self.known.get(&first) {
            return Ok(Some(form.clone()));
        }
        if depth == MAX_DEPTH || !self.in_progress.insert(first) {
            return Ok(None);
        }
        let mut form = None;
        for (because, text) in self.definitions.get(&first).cloned().unwrap_or_default() {
            if let Some(mut parts) = self.text(effort, &text, depth + 1)? {
                rest_on(&mut parts, &because);
                form = Some(parts);
                break;
            }
        }
        self.in_progress.remove(&first);
        let form =
            form.unwrap_or_else(|| vec![Part { piece: Piece::Var(first), because: Premises::default() }]);
        self.known.insert(first, form.clone());
        Ok(Some(form))
    }
}

/// Lets every part rest on the premises, so that a beginning or an end alone does, too.
fn rest_on(parts: &mut Form, because: &Premises) {
    for part in parts {
        part.because.add(because);
    }
}
