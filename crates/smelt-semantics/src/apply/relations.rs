//! Relations, which are sets of tuples, and tables, which are bags of tuples, as in cvc5.
//!
//! A relation is handled as the table in which every row occurs once, and what comes out is made a set again.

use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::op::{Op, Theory};

use super::Application;
use super::args::Args;
use super::context::{Context, index_number};
use crate::eval::EvalResult;
use crate::unknown::Unknown;
use crate::value::{Multiset, Value};

/// What looking at a pair of rows costs.
const PAIR_COST: u64 = 64;

/// A row and how often it occurs.
type Entry = (Value, IBig);

/// Applies an operator on relations or tables.
pub(super) fn apply(ctx: &mut Context<'_>, application: &Application<'_>) -> EvalResult {
    let args = Args(application.args);
    for arg in application.args {
        ctx.spend_collection(arg)?;
    }
    let is_table = application.op.info().theory == Theory::Bags;
    let entries = match application.op {
        Op::RelJoin => join(ctx, args.set(0)?, args.set(1)?)?,
        Op::RelProduct | Op::TableProduct => {
            table_join(ctx, collection(args.get(0)?)?, collection(args.get(1)?)?, &[])?
        }
        Op::RelTableJoin | Op::TableJoin => {
            let places = application.places()?;
            table_join(ctx, collection(args.get(0)?)?, collection(args.get(1)?)?, &places)?
        }
        Op::RelTranspose => {
            let rows = rows(args.set(0)?)?;
            rows.into_iter().map(|row| ctx.row(row.iter().rev())).collect::<Result<_, _>>()?
        }
        Op::RelIden => {
            let rows = rows(args.set(0)?)?;
            rows.into_iter().map(|row| ctx.row(row.iter().chain(row))).collect::<Result<_, _>>()?
        }
        Op::RelTclosure => transitive_closure(ctx, args.set(0)?)?,
        Op::RelJoinImage => join_image(ctx, args.set(0)?, args.int(1)?)?,
        Op::RelProject | Op::TableProject => {
            let places = application.places()?;
            let mut projected = Vec::new();
            for (row, count) in collection(args.get(0)?)?.entries() {
                let (row, _) = ctx.row(chosen(content(row)?, &places)?)?;
                projected.push((row, count.clone()));
            }
            projected
        }
        Op::RelGroup | Op::TableGroup => {
            let places = application.places()?;
            let mut made = Vec::new();
            for group in groups(collection(args.get(0)?)?, &places)? {
                made.push((ctx.collected(is_table, group)?, IBig::ONE));
            }
            made
        }
        other => unreachable!("{other:?} is not an operator on relations"),
    };
    ctx.collected(is_table, entries)
}

impl Application<'_> {
    /// The indices as places in tuples.
    pub(crate) fn places(&self) -> Result<Vec<usize>, Unknown> {
        let place =
            |position| usize::try_from(index_number(self.indices, position)?).map_err(|_| Unknown::IllSorted);
        (0..self.indices.len()).map(place).collect()
    }
}

impl Context<'_> {
    /// A tuple of some components, once.
    fn row<'v>(&mut self, components: impl IntoIterator<Item = &'v Value>) -> Result<Entry, Unknown> {
        let mut parts = Vec::new();
        for component in components {
            parts.push(self.part(component)?);
        }
        Ok((Value::tuple(parts).ok_or(Unknown::Limit)?, IBig::ONE))
    }

    /// The table of some rows, or the relation.
    pub(crate) fn collected(&mut self, is_table: bool, entries: Vec<Entry>) -> EvalResult {
        match is_table {
            true => self.bag(entries),
            false => self.set(entries.into_iter().map(|(row, _)| row)),
        }
    }
}

/// The content of a set or bag.
pub(crate) fn collection(value: &Value) -> Result<&Multiset, Unknown> {
    match value {
        Value::Set(collection) | Value::Bag(collection) => Ok(collection),
        _ => Err(Unknown::IllSorted),
    }
}

fn content(row: &Value) -> Result<&[Value], Unknown> {
    Ok(&row.tuple_content()?.elements)
}

fn rows(relation: &Multiset) -> Result<Vec<&[Value]>, Unknown> {
    relation.elements().map(content).collect()
}

/// The components at some places.
pub(super) fn chosen<'v>(components: &'v [Value], places: &[usize]) -> Result<Vec<&'v Value>, Unknown> {
    places.iter().map(|place| components.get(*place).ok_or(Unknown::IllSorted)).collect()
}

/// Rows of two relations, where the last component of one is the first of the other, without that component.
fn join(ctx: &mut Context<'_>, left: &Multiset, right: &Multiset) -> Result<Vec<Entry>, Unknown> {
    let mut by_first: FxHashMap<&Value, Vec<&[Value]>> = FxHashMap::default();
    for row in rows(right)? {
        let (first, rest) = row.split_first().ok_or(Unknown::IllSorted)?;
        by_first.entry(first).or_default().push(rest);
    }
    let mut joined = Vec::new();
    for row in rows(left)? {
        let (last, start) = row.split_last().ok_or(Unknown::IllSorted)?;
        for rest in by_first.get(last).into_iter().flatten() {
            ctx.budget.spend(PAIR_COST)?;
            joined.push(ctx.row(start.iter().chain(rest.iter()))?);
        }
    }
    Ok(joined)
}

/// Rows of two tables one after the other, where components agree: places in the left row and in the right one in turn.
fn table_join(
    ctx: &mut Context<'_>,
    left: &Multiset,
    right: &Multiset,
    places: &[usize],
) -> Result<Vec<Entry>, Unknown> {
    let places_of = |side: usize| places.iter().copied().skip(side).step_by(2).collect::<Vec<usize>>();
    let (left_places, right_places) = (places_of(0), places_of(1));
    let mut by_key: FxHashMap<Vec<&Value>, Vec<(&[Value], &IBig)>> = FxHashMap::default();
    for (row, count) in right.entries() {
        let row = content(row)?;
        by_key.entry(chosen(row, &right_places)?).or_default().push((row, count));
    }
    let mut joined = Vec::new();
    for (row, count) in left.entries() {
        let row = content(row)?;
        for (other, other_count) in by_key.get(&chosen(row, &left_places)?).into_iter().flatten() {
            ctx.budget.spend(PAIR_COST)?;
            let (row, _) = ctx.row(row.iter().chain(other.iter()))?;
            joined.push((row, count * *other_count));
        }
    }
    Ok(joined)
}

fn transitive_closure(ctx: &mut Context<'_>, relation: &Multiset) -> Result<Vec<Entry>, Unknown> {
    let mut next: FxHashMap<&Value, Vec<&Value>> = FxHashMap::default();
    for row in rows(relation)? {
        let [from, to] = row else { return Err(Unknown::IllSorted) };
        next.entry(from).or_default().push(to);
    }
    let mut closure = Vec::new();
    for start in next.keys() {
        let mut reached: FxHashSet<&Value> = FxHashSet::default();
        let mut pending = vec![*start];
        while let Some(at) = pending.pop() {
            for to in next.get(at).into_iter().flatten() {
                ctx.budget.spend(PAIR_COST + to.weight())?;
                if reached.insert(to) {
                    pending.push(to);
                    closure.push(ctx.row([*start, *to])?);
                }
            }
        }
    }
    Ok(closure)
}

/// The first components of at least so many pairs. Solvers do not agree what that is for no pairs.
fn join_image(ctx: &mut Context<'_>, relation: &Multiset, least: &IBig) -> Result<Vec<Entry>, Unknown> {
    if *least <= IBig::ZERO {
        return Err(Unknown::Open(Op::RelJoinImage));
    }
    let mut counts: FxHashMap<&Value, u64> = FxHashMap::default();
    for row in rows(relation)? {
        *counts.entry(row.first().ok_or(Unknown::IllSorted)?).or_default() += 1;
    }
    let many = counts.into_iter().filter(|(_, count)| IBig::from(*count) >= *least);
    many.map(|(first, _)| ctx.row([first])).collect()
}

/// The rows that agree in some components, in groups; one empty group if there are no rows.
pub(crate) fn groups(table: &Multiset, places: &[usize]) -> Result<Vec<Vec<Entry>>, Unknown> {
    if table.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    let mut by_key: FxHashMap<Vec<&Value>, Vec<Entry>> = FxHashMap::default();
    for (row, count) in table.entries() {
        by_key.entry(chosen(content(row)?, places)?).or_default().push((row.clone(), count.clone()));
    }
    Ok(by_key.into_values().collect())
}
