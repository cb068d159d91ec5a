//! The sorts of applications that no pattern describes: of tuples and relations of any width, of functions as arguments.

use super::{Cause, SortError, Typed, count};
use crate::op::{Op, Theory};
use crate::reserved::RESERVED;
use crate::sort::{Sort, SortKind, Sorts};
use crate::term::Index;

/// The sorts of an application of an operator whose row says `:computed`.
pub(super) fn result_sort(
    sorts: &mut Sorts,
    op: Op,
    indices: &[Index],
    args: &[Sort],
) -> Result<Typed, SortError> {
    let rule = Rule { sorts, op, args };
    match op {
        Op::Apply | Op::ApplyTerm => rule.application(),
        Op::SelectFunction => rule.select(),
        Op::StoreFunction => rule.store(),
        Op::MakeBv => rule.make_bits(),
        Op::AtMost | Op::AtLeast => rule.counted(),
        Op::PbLe | Op::PbGe | Op::PbEq => rule.weighted(indices),
        Op::AsArray => rule.array_of(),
        Op::ArrayMap => rule.map_function(),
        Op::ArrayMapOp => rule.map_operator(indices),
        Op::Tuple => rule.tuple(),
        Op::TupleSelect => rule.tuple_select(indices),
        Op::TupleUpdate => rule.tuple_update(indices),
        Op::TupleProject => rule.tuple_project(indices),
        Op::SetInsert => rule.insert(),
        Op::RelJoin => rule.join(),
        Op::RelProduct | Op::TableProduct => rule.product(),
        Op::RelTranspose => rule.transpose(),
        Op::RelTableJoin | Op::TableJoin => rule.table_join(indices),
        Op::RelProject | Op::TableProject => rule.project(indices),
        Op::RelGroup | Op::TableGroup => rule.group(indices),
        Op::RelAggregate | Op::TableAggregate => rule.aggregate(indices),
        Op::FfBitsum => rule.bitsum(),
        Op::NullableLift => rule.lift_function(),
        Op::NullableLiftOp => rule.lift_operator(indices),
        other => unreachable!("the row of {other:?} gives its sorts"),
    }
}

/// One application.
struct Rule<'a> {
    sorts: &'a mut Sorts,
    op: Op,
    args: &'a [Sort],
}

/// The index sorts that some arrays share, and their element sorts.
struct Arrays {
    indices: Vec<Sort>,
    elements: Vec<Sort>,
}

impl Rule<'_> {
    fn typed(&self, params: Vec<Sort>, result: Sort) -> Result<Typed, SortError> {
        Ok(Typed { params, result })
    }

    /// The application of something unknown.
    fn unknown(&self) -> Result<Typed, SortError> {
        Ok(Typed { params: vec![Sort::UNKNOWN; self.args.len()], result: Sort::UNKNOWN })
    }

    fn wrong(&self, argument: Option<usize>, wanted: &str) -> SortError {
        let message = format!("`{}` takes {wanted}", self.op.info().name);
        SortError { message, argument, cause: Cause::Sorts }
    }

    fn wrong_indices(&self, message: String) -> SortError {
        SortError { message, argument: None, cause: Cause::Indices }
    }

    fn arity(&self, wanted: usize) -> Result<(), SortError> {
        if self.args.len() == wanted { Ok(()) } else { Err(super::wrong_arity(self.op, self.args.len())) }
    }

    fn at_least(&self, wanted: usize) -> Result<(), SortError> {
        if self.args.len() >= wanted {
            return Ok(());
        }
        let name = self.op.info().name;
        let wanted = count(wanted, "argument", "arguments");
        let message = format!("`{name}` takes at least {wanted}, but {} given", self.args.len());
        Err(SortError { message, argument: None, cause: Cause::Arity })
    }

    /// The argument sorts and, last, the result sort of the function that an argument is.
    fn function(&self, position: usize) -> Result<Vec<Sort>, SortError> {
        let parts = self.sorts.as_function(self.args[position]);
        if parts.len() >= 2 { Ok(parts) } else { Err(self.wrong(Some(position), "a function")) }
    }

    fn expect(&self, position: usize, wanted: Sort) -> Result<(), SortError> {
        if self.sorts.fits(wanted, self.args[position]) {
            return Ok(());
        }
        Err(self.wrong(Some(position), "arguments of the sorts that its first ones ask for"))
    }

    /// Expects arguments of these sorts from a position on, and no others.
    fn expect_all(&self, from: usize, wanted: &[Sort]) -> Result<(), SortError> {
        if self.args.len() != from + wanted.len() {
            let message = format!(
                "`{}` with this function takes {}, but {} given",
                self.op.info().name,
                count(from + wanted.len(), "argument", "arguments"),
                self.args.len()
            );
            return Err(SortError { message, argument: None, cause: Cause::Arity });
        }
        wanted.iter().enumerate().try_for_each(|(offset, sort)| self.expect(from + offset, *sort))
    }

    /// A function from some sorts to a result: an array where one index is enough, as Z3 has it.
    fn array(&mut self, indices: &[Sort], result: Sort) -> Sort {
        match indices {
            [index] => self.sorts.array(*index, result),
            _ => {
                let parts: Vec<Sort> = indices.iter().copied().chain([result]).collect();
                self.sorts.arrow(&parts)
            }
        }
    }

    fn application(self) -> Result<Typed, SortError> {
        self.at_least(2)?;
        if self.args[0] == Sort::UNKNOWN {
            return self.unknown();
        }
        let parts = self.function(0)?;
        let given = self.args.len() - 1;
        if given >= parts.len() {
            let message = format!(
                "`{}` is given {}, but the function takes {}",
                self.op.info().name,
                count(given, "argument", "arguments"),
                parts.len() - 1
            );
            return Err(SortError { message, argument: None, cause: Cause::Arity });
        }
        self.expect_all(1, &parts[..given])?;
        let result = self.sorts.arrow(&parts[given..]);
        let params = [self.args[0]].iter().chain(&parts[..given]).copied().collect();
        self.typed(params, result)
    }

    fn select(self) -> Result<Typed, SortError> {
        self.at_least(3)?;
        if self.args[0] == Sort::UNKNOWN {
            return self.unknown();
        }
        let parts = self.function(0)?;
        let (result, indices) = parts.split_last().ok_or_else(|| self.wrong(Some(0), "a function"))?;
        self.expect_all(1, indices)?;
        let params = [self.args[0]].iter().chain(indices).copied().collect();
        self.typed(params, *result)
    }

    fn store(self) -> Result<Typed, SortError> {
        self.at_least(4)?;
        if self.args[0] == Sort::UNKNOWN {
            return self.unknown();
        }
        let parts = self.function(0)?;
        self.expect_all(1, &parts)?;
        let params = [self.args[0]].iter().chain(&parts).copied().collect();
        self.typed(params, self.args[0])
    }

    fn make_bits(self) -> Result<Typed, SortError> {
        self.at_least(1)?;
        (0..self.args.len()).try_for_each(|position| self.expect(position, Sort::BOOL))?;
        let width = u32::try_from(self.args.len()).map_err(|_| self.wrong(None, "fewer bits"))?;
        let result = self.sorts.bit_vec(width);
        self.typed(vec![Sort::BOOL; self.args.len()], result)
    }

    fn counted(self) -> Result<Typed, SortError> {
        self.at_least(1)?;
        (0..self.args.len()).try_for_each(|position| self.expect(position, Sort::BOOL))?;
        self.typed(vec![Sort::BOOL; self.args.len()], Sort::BOOL)
    }

    fn weighted(self, indices: &[Index]) -> Result<Typed, SortError> {
        if indices.len() != self.args.len() + 1 {
            let name = self.op.info().name;
            let message = format!("`{name}` takes a bound and a coefficient for each argument as indices");
            return Err(self.wrong_indices(message));
        }
        self.counted()
    }

    fn array_of(mut self) -> Result<Typed, SortError> {
        self.arity(1)?;
        if self.args[0] == Sort::UNKNOWN {
            return self.unknown();
        }
        let parts = self.function(0)?;
        let (result, indices) = parts.split_last().ok_or_else(|| self.wrong(Some(0), "a function"))?;
        let result = self.array(indices, *result);
        self.typed(self.args.to_vec(), result)
    }

    /// The index sorts that the arrays from a position on share, and their element sorts.
    fn arrays(&self, from: usize) -> Result<Option<Arrays>, SortError> {
        let mut shared: Option<Vec<Sort>> = None;
        let mut elements = Vec::new();
        for (position, arg) in self.args.iter().enumerate().skip(from) {
            if *arg == Sort::UNKNOWN {
                return Ok(None);
            }
            let mut indices = match *self.sorts.kind(*arg) {
                SortKind::Array(index, element) => vec![index, element],
                _ => self.function(position)?,
            };
            elements.extend(indices.pop());
            match &shared {
                None => shared = Some(indices),
                Some(known) => {
                    let agrees = known.len() == indices.len()
                        && known.iter().zip(&indices).all(|(one, other)| self.sorts.agree(*one, *other));
                    if !agrees {
                        return Err(self.wrong(Some(position), "arrays of one index sort"));
                    }
                }
            }
        }
        Ok(shared.map(|indices| Arrays { indices, elements }))
    }

    fn map_function(mut self) -> Result<Typed, SortError> {
        self.at_least(2)?;
        if self.args[0] == Sort::UNKNOWN {
            return self.unknown();
        }
        let parts = self.function(0)?;
        let Some(Arrays { indices, elements }) = self.arrays(1)? else { return self.unknown() };
        let Some((result, params)) = parts.split_last() else { return self.unknown() };
        let agrees = params.len() == elements.len()
            && params.iter().zip(&elements).all(|(param, element)| self.sorts.agree(*param, *element));
        if !agrees {
            return Err(self.wrong(None, "arrays of the elements that the function takes"));
        }
        let result = self.array(&indices, *result);
        self.typed(self.args.to_vec(), result)
    }

    fn map_operator(mut self, indices: &[Index]) -> Result<Typed, SortError> {
        self.at_least(1)?;
        let Some(Arrays { indices: array_indices, elements }) = self.arrays(0)? else {
            return self.unknown();
        };
        let result = self.result_of_operator(indices, &elements)?;
        let result = self.array(&array_indices, result);
        self.typed(self.args.to_vec(), result)
    }

    /// The sort of what the operator that an index names gives for arguments of some sorts.
    fn result_of_operator(&mut self, indices: &[Index], args: &[Sort]) -> Result<Sort, SortError> {
        let [Index::Text(name)] = indices else {
            return Err(self.wrong_indices(format!("`{}` takes an operator as index", self.op.info().name)));
        };
        let mut problem = None;
        for op in RESERVED.ops(*name) {
            match super::result_sort(self.sorts, *op, &[], args, None) {
                Ok(typed) => return Ok(typed.result),
                Err(error) => problem = Some(error),
            }
        }
        Err(problem.unwrap_or_else(|| self.wrong(None, "an operator as index")))
    }

    fn tuple(self) -> Result<Typed, SortError> {
        self.at_least(1)?;
        let result = self.sorts.tuple(self.args);
        self.typed(self.args.to_vec(), result)
    }

    /// The components of the tuple that an argument is; none if it is unknown.
    fn components(&self, position: usize) -> Result<Option<Vec<Sort>>, SortError> {
        match self.sorts.kind(self.args[position]) {
            SortKind::Tuple(parts) => Ok(Some(parts.to_vec())),
            SortKind::Unknown => Ok(None),
            _ => Err(self.wrong(Some(position), "a tuple")),
        }
    }

    /// The components at some indices.
    fn chosen(&self, components: &[Sort], indices: &[Index]) -> Result<Vec<Sort>, SortError> {
        let chosen = |index: &Index| match index {
            Index::Number(number) => usize::try_from(*number).ok().and_then(|at| components.get(at)).copied(),
            Index::Text(_) => None,
        };
        indices.iter().map(chosen).collect::<Option<_>>().ok_or_else(|| {
            let name = self.op.info().name;
            let size = count(components.len(), "component", "components");
            self.wrong_indices(format!(
                "an index of `{name}` is out of range: the tuple has {size}, counted from 0"
            ))
        })
    }

    fn tuple_select(self, indices: &[Index]) -> Result<Typed, SortError> {
        self.arity(1)?;
        let Some(components) = self.components(0)? else { return self.unknown() };
        let chosen = self.chosen(&components, indices)?;
        self.typed(self.args.to_vec(), chosen[0])
    }

    fn tuple_update(self, indices: &[Index]) -> Result<Typed, SortError> {
        self.arity(2)?;
        let Some(components) = self.components(0)? else { return self.unknown() };
        let chosen = self.chosen(&components, indices)?;
        self.expect(1, chosen[0])?;
        self.typed(vec![self.args[0], chosen[0]], self.args[0])
    }

    fn tuple_project(self, indices: &[Index]) -> Result<Typed, SortError> {
        self.arity(1)?;
        let Some(components) = self.components(0)? else { return self.unknown() };
        let chosen = self.chosen(&components, indices)?;
        let result = self.sorts.tuple(&chosen);
        self.typed(self.args.to_vec(), result)
    }

    fn insert(self) -> Result<Typed, SortError> {
        self.at_least(2)?;
        let last = self.args.len() - 1;
        let element = match *self.sorts.kind(self.args[last]) {
            SortKind::Set(element) => element,
            SortKind::Unknown => return self.unknown(),
            _ => return Err(self.wrong(Some(last), "elements and, last, a set of them")),
        };
        (0..last).try_for_each(|position| self.expect(position, element))?;
        let mut params = vec![element; last];
        params.push(self.args[last]);
        self.typed(params, self.args[last])
    }

    /// Whether it is an operator on tables rather than relations.
    fn is_on_tables(&self) -> bool {
        self.op.info().theory == Theory::Bags
    }

    /// The columns of the relation or table that an argument is; none if it is unknown.
    fn columns(&self, position: usize) -> Result<Option<Vec<Sort>>, SortError> {
        let wanted = if self.is_on_tables() { "a table" } else { "a relation" };
        let row = match *self.sorts.kind(self.args[position]) {
            SortKind::Set(row) if !self.is_on_tables() => row,
            SortKind::Bag(row) if self.is_on_tables() => row,
            SortKind::Unknown => return Ok(None),
            _ => return Err(self.wrong(Some(position), wanted)),
        };
        match self.sorts.kind(row) {
            SortKind::Tuple(columns) => Ok(Some(columns.to_vec())),
            SortKind::Unknown => Ok(None),
            _ => Err(self.wrong(Some(position), wanted)),
        }
    }

    /// A relation or table of these columns.
    fn with_columns(&mut self, columns: &[Sort]) -> Sort {
        let row = self.sorts.tuple(columns);
        self.collection(row)
    }

    fn collection(&mut self, element: Sort) -> Sort {
        if self.is_on_tables() { self.sorts.bag(element) } else { self.sorts.set(element) }
    }

    fn join(mut self) -> Result<Typed, SortError> {
        self.arity(2)?;
        let (Some(mut left), Some(right)) = (self.columns(0)?, self.columns(1)?) else {
            return self.unknown();
        };
        let agrees = left.len() + right.len() > 2
            && left.last().zip(right.first()).is_some_and(|(last, first)| self.sorts.agree(*last, *first));
        if !agrees {
            let wanted = "relations where the last column of one has the sort of the first of the other, \
                not both of one column";
            return Err(self.wrong(Some(1), wanted));
        }
        left.pop();
        left.extend(&right[1..]);
        let result = self.with_columns(&left);
        self.typed(self.args.to_vec(), result)
    }

    fn product(mut self) -> Result<Typed, SortError> {
        self.arity(2)?;
        let (Some(mut left), Some(right)) = (self.columns(0)?, self.columns(1)?) else {
            return self.unknown();
        };
        left.extend(right);
        let result = self.with_columns(&left);
        self.typed(self.args.to_vec(), result)
    }

    fn transpose(mut self) -> Result<Typed, SortError> {
        self.arity(1)?;
        let Some(mut columns) = self.columns(0)? else { return self.unknown() };
        columns.reverse();
        let result = self.with_columns(&columns);
        self.typed(self.args.to_vec(), result)
    }

    fn table_join(mut self, indices: &[Index]) -> Result<Typed, SortError> {
        self.arity(2)?;
        let (Some(mut left), Some(right)) = (self.columns(0)?, self.columns(1)?) else {
            return self.unknown();
        };
        if !indices.len().is_multiple_of(2) {
            let message = format!("`{}` takes pairs of columns as indices", self.op.info().name);
            return Err(self.wrong_indices(message));
        }
        for pair in indices.chunks(2) {
            let (one, other) = (self.chosen(&left, &pair[..1])?, self.chosen(&right, &pair[1..])?);
            if !self.sorts.agree(one[0], other[0]) {
                return Err(self.wrong(None, "columns of the same sort to join"));
            }
        }
        left.extend(right);
        let result = self.with_columns(&left);
        self.typed(self.args.to_vec(), result)
    }

    fn project(mut self, indices: &[Index]) -> Result<Typed, SortError> {
        self.arity(1)?;
        let Some(columns) = self.columns(0)? else { return self.unknown() };
        let chosen = self.chosen(&columns, indices)?;
        let result = self.with_columns(&chosen);
        self.typed(self.args.to_vec(), result)
    }

    fn group(mut self, indices: &[Index]) -> Result<Typed, SortError> {
        self.arity(1)?;
        let Some(columns) = self.columns(0)? else { return self.unknown() };
        self.chosen(&columns, indices)?;
        let result = self.collection(self.args[0]);
        self.typed(self.args.to_vec(), result)
    }

    fn aggregate(mut self, indices: &[Index]) -> Result<Typed, SortError> {
        self.arity(3)?;
        if self.args[0] == Sort::UNKNOWN {
            return self.unknown();
        }
        let Some(columns) = self.columns(2)? else { return self.unknown() };
        self.chosen(&columns, indices)?;
        let row = self.sorts.tuple(&columns);
        let result = match *self.function(0)? {
            [first, second, result] if self.sorts.agree(first, row) && self.sorts.agree(second, result) => {
                result
            }
            _ => return Err(self.wrong(Some(0), "a function of a row and a value to such a value")),
        };
        self.expect(1, result)?;
        let params = vec![self.args[0], result, self.args[2]];
        let result = self.collection(result);
        self.typed(params, result)
    }

    fn bitsum(self) -> Result<Typed, SortError> {
        self.at_least(2)?;
        let known = self.args.iter().copied().find(|sort| *sort != Sort::UNKNOWN);
        let Some(field) = known else { return self.unknown() };
        for (position, arg) in self.args.iter().enumerate() {
            let fits = *arg == Sort::UNKNOWN
                || *arg == field && matches!(self.sorts.kind(field), SortKind::FiniteField(_));
            if !fits {
                return Err(self.wrong(Some(position), "elements of one finite field"));
            }
        }
        self.typed(vec![field; self.args.len()], field)
    }

    /// The elements of the nullables from a position on; none if some are unknown.
    fn nullables(&self, from: usize) -> Result<Option<Vec<Sort>>, SortError> {
        let mut elements = Vec::new();
        for (position, arg) in self.args.iter().enumerate().skip(from) {
            match *self.sorts.kind(*arg) {
                SortKind::Nullable(element) => elements.push(element),
                SortKind::Unknown => return Ok(None),
                _ => return Err(self.wrong(Some(position), "nullables")),
            }
        }
        Ok(Some(elements))
    }

    fn lift_function(self) -> Result<Typed, SortError> {
        self.at_least(2)?;
        if self.args[0] == Sort::UNKNOWN {
            return self.unknown();
        }
        let parts = self.function(0)?;
        let Some(elements) = self.nullables(1)? else { return self.unknown() };
        let Some((result, params)) = parts.split_last() else { return self.unknown() };
        let agrees = params.len() == elements.len()
            && params.iter().zip(&elements).all(|(param, element)| self.sorts.agree(*param, *element));
        if !agrees {
            return Err(self.wrong(None, "nullables of what the function takes"));
        }
        let result = self.sorts.intern(SortKind::Nullable(*result));
        self.typed(self.args.to_vec(), result)
    }

    fn lift_operator(mut self, indices: &[Index]) -> Result<Typed, SortError> {
        self.at_least(1)?;
        let Some(elements) = self.nullables(0)? else { return self.unknown() };
        let element = self.result_of_operator(indices, &elements)?;
        let result = self.sorts.intern(SortKind::Nullable(element));
        self.typed(self.args.to_vec(), result)
    }
}
