//! Separation logic: formulas over the heap that a model prints.
//!
//! A formula outside of `sep` and `wand` is about the whole heap, so that evaluation as ever reaches the operators of
//! separation logic with that. Below them a formula is about other heaps and is followed here, as deep as it says
//! something of the heap; the rest is evaluated as ever. The meaning is that of cvc5: `pto` describes a heap of just one
//! cell, and no cell lies at `sep.nil`.

use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term};
use smelt_smtlib::walk::{free_names, subterms};

use super::open::{Absent, Part};
use super::{EvalResult, Evaluator, bind, decides, unbind};
use crate::unknown::Unknown;
use crate::value::Value;

/// Formulas nested deeper are not followed.
const MAX_DEPTH: u32 = 64;
/// Parts of the heap that are about the heap are followed so far: they may be about themselves.
const MAX_NESTING: u32 = 4;
/// Heaps of more cells are not split in all ways.
const MAX_SPLIT: usize = 12;
/// At most so many heaps are listed that a formula describes.
const MAX_HEAPS: usize = 64;
/// What looking at a formula under a heap costs.
const LOOK_COST: u64 = 256;

/// What is on the heap: places and what lies there.
pub(super) type Heap = Vec<(Value, Value)>;

/// True, false, or why neither is known.
type Truth = Result<bool, Unknown>;

impl Evaluator<'_> {
    /// Whether a term is an operator of separation logic.
    pub(super) fn is_of_separation(&self, term: Term) -> bool {
        self.terms.op(term).is_some_and(|op| op.info().theory == Theory::Separation)
    }

    /// The value of an operator of separation logic applied to arguments, under the heap of the model.
    pub(super) fn spatial(&mut self, term: Term) -> Part {
        if self.heap_depth == MAX_NESTING {
            return Err(Absent::from(Unknown::Limit));
        }
        self.heap_depth += 1;
        let value = match self.terms.op(term) {
            Some(Op::SepNil) => self.nil(term),
            // A variable may stand for what holds of the whole heap, and is used for another one here.
            Some(Op::SepStar | Op::SepWand) if self.has_free_locals(term) => Err(Unknown::Quantifier),
            _ => self.heap_of_model().and_then(|heap| self.holds(term, &heap, 0)).map(Value::Bool),
        };
        self.heap_depth -= 1;
        value.map_err(Absent::from)
    }

    fn has_free_locals(&self, term: Term) -> bool {
        self.terms.has_locals(term) && !free_names(self.terms, term).locals.is_empty()
    }

    fn nil(&mut self, term: Term) -> EvalResult {
        match self.model.heap().and_then(|heap| heap.nil) {
            Some(nil) if self.terms.sort(nil) == self.terms.sort(term) => self.eval(nil),
            _ => Err(Unknown::NoMeaning(Op::SepNil)),
        }
    }

    fn heap_of_model(&mut self) -> Result<Heap, Unknown> {
        if let Some(heap) = &self.heap {
            return Ok(heap.clone());
        }
        let printed = self.model.heap().ok_or(Unknown::NoMeaning(Op::SepPto))?;
        let mut heap = Heap::new();
        for cell in &printed.cells {
            let (place, content) = (self.eval(cell.place)?, self.eval(cell.content)?);
            if self.find(&heap, &place)?.is_some() {
                return Err(Unknown::NoMeaning(Op::SepStar));
            }
            heap.push((place, content));
        }
        if let Some(nil) = printed.nil {
            let nil = self.eval(nil)?;
            if self.find(&heap, &nil)?.is_some() {
                return Err(Unknown::NoMeaning(Op::SepNil));
            }
        }
        self.heap = Some(heap.clone());
        Ok(heap)
    }

    /// Where on a heap a place is.
    fn find(&mut self, heap: &Heap, place: &Value) -> Result<Option<usize>, Unknown> {
        for (position, (other, _)) in heap.iter().enumerate() {
            if self.context().equal(other, place)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Whether something about the heap occurs in a term, or in what it calls.
    fn says_something_of_the_heap(&mut self, root: Term) -> Result<bool, Unknown> {
        let mut pending = vec![root];
        let mut called: Vec<Symbol> = Vec::new();
        while let Some(root) = pending.pop() {
            let parts = subterms(self.terms, &[root]);
            self.budget.spend(16 * parts.len() as u64)?;
            for part in parts {
                match self.terms.head(part) {
                    Head::Op(op, _) if op.info().theory == Theory::Separation && op != Op::SepNil => {
                        return Ok(true);
                    }
                    Head::Global(name) if !called.contains(&name) => {
                        called.push(name);
                        pending.extend(self.environment.definition(name).map(|definition| definition.body));
                    }
                    _ => {}
                }
            }
        }
        Ok(false)
    }

    /// Whether a formula holds of a heap.
    fn holds(&mut self, term: Term, heap: &Heap, depth: u32) -> Truth {
        self.budget.spend(LOOK_COST)?;
        if depth >= MAX_DEPTH {
            return Err(Unknown::Limit);
        }
        let terms = self.terms;
        let args = terms.args(term);
        match terms.head(term) {
            Head::Op(Op::SepEmp, _) => Ok(heap.is_empty()),
            Head::Op(Op::SepPto, _) => match (self.cell(term)?, heap.as_slice()) {
                (Some((place, content)), [(only, there)]) => {
                    Ok(self.context().equal(&place, only)? && self.context().equal(&content, there)?)
                }
                _ => Ok(false),
            },
            Head::Op(Op::SepStar, _) => {
                let parts = self.parts_of_star(term);
                self.star(&parts, heap, depth)
            }
            Head::Op(Op::SepWand, _) => self.wand(args[0], args[1], heap, depth),
            _ if !self.says_something_of_the_heap(term)? => truth(self.eval(term)),
            Head::Op(op @ (Op::And | Op::Or | Op::Implies | Op::ImpliesWord), _) => {
                let mut unknown = None;
                for (position, arg) in args.iter().enumerate() {
                    match self.holds(*arg, heap, depth + 1) {
                        Ok(value) => {
                            if let Some(outcome) = decides(Some(op), value, position + 1 == args.len()) {
                                return Ok(outcome);
                            }
                        }
                        Err(reason) => unknown = Some(reason),
                    }
                }
                unknown.map_or(Ok(op == Op::And), Err)
            }
            Head::Op(Op::Not, _) => Ok(!self.holds(args[0], heap, depth + 1)?),
            Head::Op(op @ (Op::Eq | Op::Iff | Op::Xor), _) if terms.sort(args[0]) == Sort::BOOL => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.holds(*arg, heap, depth + 1)?);
                }
                Ok(match op {
                    Op::Xor => values.iter().filter(|value| **value).count() % 2 == 1,
                    _ => values.windows(2).all(|pair| pair[0] == pair[1]),
                })
            }
            Head::Op(Op::Ite, _) => match self.holds(args[0], heap, depth + 1)? {
                true => self.holds(args[1], heap, depth + 1),
                false => self.holds(args[2], heap, depth + 1),
            },
            Head::Annotated(_) => self.holds(args[0], heap, depth + 1),
            Head::Global(name) => {
                let definition = self.environment.definition(name).ok_or(Unknown::NoValue(name))?;
                self.holds_of_definition(definition, args, heap, depth)
            }
            _ => Err(Unknown::Quantifier),
        }
    }

    fn holds_of_definition(
        &mut self,
        definition: &Definition,
        args: &[Term],
        heap: &Heap,
        depth: u32,
    ) -> Truth {
        if definition.params.len() != args.len() {
            return Err(Unknown::IllSorted);
        }
        let mut values = Vec::new();
        for (arg, param) in args.iter().zip(&definition.params) {
            if self.says_something_of_the_heap(*arg)? {
                return Err(Unknown::Quantifier);
            }
            values.push(super::coerce(self.eval(*arg)?, param.sort));
        }
        let names = || definition.params.iter().map(|param| param.name);
        bind(&mut self.locals, names().zip(values.into_iter().map(Ok)));
        self.scopes.push(Default::default());
        let outcome = self.holds(definition.body, heap, depth + 1);
        // An evaluation that was given up has left all scopes.
        if self.scopes.len() > 1 {
            self.scopes.pop();
            unbind(&mut self.locals, names());
        }
        outcome
    }

    /// The only cell that a `pto` describes; none if it lies at `sep.nil`.
    fn cell(&mut self, pto: Term) -> Result<Option<(Value, Value)>, Unknown> {
        let args = self.terms.args(pto);
        let (place, content) = (self.eval(args[0])?, self.eval(args[1])?);
        if let Some(nil) = self.model.heap().and_then(|heap| heap.nil) {
            let nil = self.eval(nil)?;
            if self.context().equal(&nil, &place)? {
                return Ok(None);
            }
        }
        Ok(Some((place, content)))
    }

    /// The parts of a separating conjunction, those with one cell first.
    fn parts_of_star(&self, star: Term) -> Vec<Term> {
        let mut parts = Vec::new();
        let mut pending = vec![star];
        while let Some(term) = pending.pop() {
            match self.terms.op(term) {
                Some(Op::SepStar) => pending.extend(self.terms.args(term)),
                _ => parts.push(term),
            }
        }
        parts.sort_by_key(|part| self.terms.op(*part) != Some(Op::SepPto));
        parts
    }

    /// Whether a heap can be split into heaps of which the parts hold.
    fn star(&mut self, parts: &[Term], heap: &Heap, depth: u32) -> Truth {
        self.budget.spend(LOOK_COST)?;
        if depth >= MAX_DEPTH {
            return Err(Unknown::Limit);
        }
        let Some((first, rest)) = parts.split_first() else { return Ok(heap.is_empty()) };
        if rest.is_empty() {
            return self.holds(*first, heap, depth + 1);
        }
        if self.terms.op(*first) == Some(Op::SepPto) {
            let Some((place, content)) = self.cell(*first)? else { return Ok(false) };
            let Some(position) = self.find(heap, &place)? else { return Ok(false) };
            if !self.context().equal(&content, &heap[position].1)? {
                return Ok(false);
            }
            let mut others = heap.clone();
            others.remove(position);
            return self.star(rest, &others, depth + 1);
        }
        if heap.len() > MAX_SPLIT {
            return Err(Unknown::Limit);
        }
        let mut unknown = None;
        for chosen in 0..1u32 << heap.len() {
            let side = |is_chosen: bool| -> Heap {
                let cells = heap.iter().enumerate();
                cells
                    .filter(|(position, _)| (chosen >> position & 1 == 1) == is_chosen)
                    .map(|(_, cell)| cell.clone())
                    .collect()
            };
            let here = self.holds(*first, &side(true), depth + 1);
            if here == Ok(false) {
                continue;
            }
            match (here, self.star(rest, &side(false), depth + 1)) {
                (Ok(true), Ok(true)) => return Ok(true),
                (_, Ok(false)) => {}
                (Err(reason), _) | (_, Err(reason)) => unknown = Some(reason),
                (Ok(false), _) => {}
            }
        }
        unknown.map_or(Ok(false), Err)
    }

    /// Whether every heap that a formula describes and that has no place in common with this one makes, together with
    /// it, another formula true.
    fn wand(&mut self, added: Term, wanted: Term, heap: &Heap, depth: u32) -> Truth {
        let (described, are_all) = match self.described(added, depth + 1)? {
            Some(heaps) => (heaps, true),
            // Some heaps may still show that it does not hold.
            None => (vec![Heap::new(), heap.clone()], false),
        };
        let mut unknown = (!are_all).then_some(Unknown::Quantifier);
        for other in described {
            if !are_all && self.holds(added, &other, depth + 1) != Ok(true) {
                continue;
            }
            let Some(both) = self.disjoint_union(&other, heap)? else { continue };
            match self.holds(wanted, &both, depth + 1) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(reason) => unknown = Some(reason),
            }
        }
        unknown.map_or(Ok(true), Err)
    }

    /// Two heaps as one; none if they have a place in common.
    fn disjoint_union(&mut self, one: &Heap, other: &Heap) -> Result<Option<Heap>, Unknown> {
        let mut both = one.clone();
        for (place, content) in other {
            if self.find(one, place)?.is_some() {
                return Ok(None);
            }
            both.push((place.clone(), content.clone()));
        }
        Ok(Some(both))
    }

    /// All heaps of which a formula holds, if they can be listed.
    fn described(&mut self, term: Term, depth: u32) -> Result<Option<Vec<Heap>>, Unknown> {
        self.budget.spend(LOOK_COST)?;
        if depth >= MAX_DEPTH {
            return Ok(None);
        }
        let args = self.terms.args(term);
        Ok(match self.terms.op(term) {
            Some(Op::SepEmp) => Some(vec![Heap::new()]),
            Some(Op::SepPto) => Some(self.cell(term)?.map(|cell| vec![cell]).into_iter().collect()),
            Some(Op::SepStar) => {
                let mut all = vec![Heap::new()];
                for part in self.parts_of_star(term) {
                    let Some(heaps) = self.described(part, depth + 1)? else { return Ok(None) };
                    if all.len() * heaps.len() > MAX_HEAPS {
                        return Ok(None);
                    }
                    let mut longer = Vec::new();
                    for one in &all {
                        for other in &heaps {
                            longer.extend(self.disjoint_union(one, other)?);
                        }
                    }
                    all = longer;
                }
                Some(all)
            }
            Some(Op::And) => {
                for arg in args {
                    let Some(heaps) = self.described(*arg, depth + 1)? else { continue };
                    let mut kept = Vec::new();
                    for heap in heaps {
                        if self.holds(term, &heap, depth + 1)? {
                            kept.push(heap);
                        }
                    }
                    return Ok(Some(kept));
                }
                None
            }
            Some(Op::Or) => {
                let mut all = Vec::new();
                for arg in args {
                    let Some(heaps) = self.described(*arg, depth + 1)? else { return Ok(None) };
                    all.extend(heaps);
                }
                (all.len() <= MAX_HEAPS).then_some(all)
            }
            Some(op) if op.info().theory == Theory::Separation => None,
            _ if self.says_something_of_the_heap(term)? => None,
            // What says nothing of the heap holds of all of them or of none.
            _ => (!truth(self.eval(term))?).then(Vec::new),
        })
    }
}

fn truth(outcome: EvalResult) -> Truth {
    match outcome {
        Ok(Value::Bool(value)) => Ok(value),
        Ok(_) => Err(Unknown::IllSorted),
        Err(unknown) => Err(unknown),
    }
}
