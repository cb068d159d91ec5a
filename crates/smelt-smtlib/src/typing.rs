//! The sort of an application, by the signatures of the operator table.

use crate::op::{Attribute, Bindings, Op, Signature};
use crate::reserved::RESERVED;
use crate::sort::{Sort, SortKind, Sorts};
use crate::symbol::Symbol;
use crate::term::{Head, Index, Indices, Term, Terms};

mod computed;

/// Why an operator does not take some arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortError {
    /// What is wrong, for a person.
    pub message: String,
    /// The argument that does not fit, if one alone is to blame.
    pub argument: Option<usize>,
    cause: Cause,
}

impl SortError {
    /// How far a reading of a name agreed with its use before it failed.
    pub(crate) fn rank(&self) -> u8 {
        match self.cause {
            Cause::Indices => 0,
            Cause::Arity => 1,
            Cause::Sorts => 2,
        }
    }
}

/// What an operator and its use disagree in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Indices,
    Arity,
    Sorts,
}

impl Terms {
    /// Applies an operator, checking sorts.
    ///
    /// Arguments that are opaque and of unknown sort get the sort that the operator wants of them.
    pub fn apply(&mut self, op: Op, indices: &[Index], args: &[Term]) -> Result<Term, SortError> {
        self.apply_ascribed(op, indices, args, None)
    }

    /// Applies an operator whose result is ascribed a sort, as in `((as const (Array Int Int)) 0)`.
    pub fn apply_ascribed(
        &mut self,
        op: Op,
        indices: &[Index],
        args: &[Term],
        ascribed: Option<Sort>,
    ) -> Result<Term, SortError> {
        let indices = self.intern_indices(indices);
        self.apply_interned(op, indices, args, ascribed)
    }

    /// As [`Terms::apply_ascribed`], with indices that are interned already.
    pub(crate) fn apply_interned(
        &mut self,
        op: Op,
        indices: Indices,
        args: &[Term],
        ascribed: Option<Sort>,
    ) -> Result<Term, SortError> {
        if ascribed.is_none()
            && let Some(term) = self.apply_plainly(op, indices, args)
        {
            return Ok(term);
        }
        let head = Head::Op(op, indices);
        let sorts: Vec<Sort> = args.iter().map(|arg| self.sort(*arg)).collect();
        let mut list = self.indices(indices).to_vec();
        self.check_indices(op, &list)?;
        self.resolve_operator_index(op, &mut list);
        let typed = result_sort(&mut self.sorts, op, &list, &sorts, ascribed)?;
        // A function with a name is applied by its name.
        if op == Op::ApplyTerm
            && self.args(args[0]).is_empty()
            && let function @ (Head::Global(_) | Head::Local(_)) = self.head(args[0])
        {
            return Ok(self.intern(function, &args[1..], typed.result));
        }
        if !sorts.contains(&Sort::UNKNOWN) {
            return Ok(self.intern(head, args, typed.result));
        }
        let args: Vec<Term> = args.to_vec();
        let args: Vec<Term> = args
            .into_iter()
            .enumerate()
            .map(|(position, arg)| self.give_sort(arg, typed.params[position]))
            .collect();
        Ok(self.intern(head, &args, typed.result))
    }

    /// Applies an operator to arguments of exactly the sorts that one of its signatures says, the common case.
    #[inline]
    pub(crate) fn apply_plainly(&mut self, op: Op, indices: Indices, args: &[Term]) -> Option<Term> {
        let sort = self.plain_sort(op, indices, args)?;
        Some(self.intern(Head::Op(op, indices), args, sort))
    }

    /// The common cases, without matching patterns: arguments that are exactly what a signature says.
    fn plain_sort(&self, op: Op, indices: Indices, args: &[Term]) -> Option<Sort> {
        let info = op.info();
        if info.is_computed {
            return None;
        }
        let list = self.indices(indices);
        let is_numeral = |index: &Index| matches!(index, Index::Number(_));
        if info.indices.len() != list.len() || !list.iter().all(is_numeral) {
            return None;
        }
        let first = self.sort(*args.first()?);
        match (op, args) {
            (Op::Eq | Op::Distinct, _) => {
                let is_plain = args.len() >= 2
                    && first != Sort::UNKNOWN
                    && args.iter().all(|arg| self.sort(*arg) == first);
                return is_plain.then_some(Sort::BOOL);
            }
            (Op::Ite, [_, left, right]) => {
                let sort = self.sort(*left);
                let is_plain = first == Sort::BOOL && sort != Sort::UNKNOWN && sort == self.sort(*right);
                return is_plain.then_some(sort);
            }
            _ => {}
        }
        info.signatures.iter().find_map(|signature| {
            let (params, result) = signature.fixed.as_ref()?;
            if !signature.conditions.is_empty() || op == Op::Char {
                return None;
            }
            let fits = match info.attribute {
                Attribute::Fixed => {
                    params.len() == args.len()
                        && params.iter().zip(args).all(|(param, arg)| *param == self.sort(*arg))
                }
                _ => args.len() >= 2 && args.iter().all(|arg| self.sort(*arg) == params[0]),
            };
            fits.then_some(*result)
        })
    }

    /// Whether indices that are not small numerals are what the operator takes.
    fn check_indices(&self, op: Op, indices: &[Index]) -> Result<(), SortError> {
        for index in indices {
            let text = match index {
                Index::Number(number) if op == Op::Char => return Err(wrong_index(op, &number.to_string())),
                Index::Number(_) => continue,
                Index::Text(text) => self.text(*text),
            };
            let is_fixed = op.info().signatures.iter().all(|signature| signature.fixed.is_some());
            let is_taken = match op {
                Op::Char => is_character(text),
                Op::ArrayMapOp | Op::NullableLiftOp => operator_named_by(text).is_some(),
                // The sort is the reader's to look at.
                Op::FmfCard => true,
                // A numeral of any size, as long as no sort depends on it.
                _ => is_fixed && text.bytes().all(|byte| byte.is_ascii_digit()),
            };
            if !is_taken {
                return Err(wrong_index(op, text));
            }
        }
        Ok(())
    }

    /// Puts the name of an operator in the place of an index that writes it with its sorts, as in `(+ (Int Int) Int)`.
    fn resolve_operator_index(&self, op: Op, indices: &mut [Index]) {
        if matches!(op, Op::ArrayMapOp | Op::NullableLiftOp)
            && let [Index::Text(text)] = indices
            && let Some(name) = operator_named_by(self.text(*text))
        {
            *text = name;
        }
    }

    /// Gives an opaque term of unknown sort the sort that its context wants, and a name such as `set.empty` its own.
    pub(crate) fn give_sort(&mut self, term: Term, wanted: Sort) -> Term {
        if self.sort(term) != Sort::UNKNOWN || wanted == Sort::UNKNOWN {
            return term;
        }
        let is_known = !self.sorts.any_part(wanted, |kind| matches!(kind, SortKind::Unknown));
        match self.head(term) {
            Head::Opaque(text) if self.ops_named(text).iter().any(|op| op.info().is_ascribed) => {
                let ops: &[Op] = if is_known { self.ops_named(text) } else { &[] };
                let ascribed = |op: &Op| self.apply_interned(*op, Indices::NONE, &[], Some(wanted)).ok();
                ops.iter().find_map(ascribed).unwrap_or(term)
            }
            Head::Opaque(_) => {
                let args = self.args(term).to_vec();
                self.intern(self.head(term), &args, wanted)
            }
            head @ Head::Qualified(_) if is_known => self.intern(head, &[], wanted),
            _ => term,
        }
    }
}

/// The operator that an index names: `and`, or `(+ (Int Int) Int)` as Z3 has it.
pub(crate) fn operator_named_by(index: &str) -> Option<Symbol> {
    let name = index.trim_start_matches('(').split_ascii_whitespace().next()?;
    RESERVED.get(name).filter(|name| !RESERVED.ops(*name).is_empty())
}

/// The sorts of a well-sorted application.
struct Typed {
    /// What the operator wants of each argument.
    params: Vec<Sort>,
    result: Sort,
}

/// The result sort of an operator, as the generators need it: arguments given by their sorts only.
pub fn sort_of_application(
    sorts: &mut Sorts,
    op: Op,
    indices: &[Index],
    args: &[Sort],
) -> Result<Sort, SortError> {
    result_sort(sorts, op, indices, args, None).map(|typed| typed.result)
}

fn result_sort(
    sorts: &mut Sorts,
    op: Op,
    indices: &[Index],
    args: &[Sort],
    ascribed: Option<Sort>,
) -> Result<Typed, SortError> {
    let info = op.info();
    if indices.len() != info.indices.len() && !info.takes_any_indices {
        return Err(wrong_indices(op, indices.len()));
    }
    if info.is_computed {
        return computed::result_sort(sorts, op, indices, args);
    }
    let arity_fits = |signature: &Signature| match info.attribute {
        Attribute::Fixed => args.len() == signature.params.len(),
        // Z3 takes one argument too, of some operators; a minus of one argument is another operator.
        Attribute::LeftAssoc => match op {
            Op::And | Op::Or => true,
            Op::Sub => args.len() >= 2,
            _ => !args.is_empty(),
        },
        Attribute::RightAssoc => args.len() >= 2,
        Attribute::Chainable | Attribute::Pairwise => {
            let takes_one = matches!(op, Op::Le | Op::Lt | Op::Ge | Op::Gt | Op::Distinct);
            args.len() >= if takes_one { 1 } else { 2 }
        }
    };
    let mut best_position = None;
    let mut some_arity_fits = false;
    for signature in &info.signatures {
        if !arity_fits(signature) {
            continue;
        }
        some_arity_fits = true;
        match flexible_match(sorts, signature, info.attribute, indices, args, ascribed) {
            Ok(typed) => return Ok(typed),
            Err(position) => best_position = best_position.max(position),
        }
    }
    if !some_arity_fits {
        return Err(wrong_arity(op, args.len()));
    }
    Err(wrong_sorts(op, best_position))
}

/// The indices that are machine numbers.
fn index_numbers(indices: &[Index]) -> Vec<Option<u64>> {
    let number = |index: &Index| match index {
        Index::Number(number) => Some(*number),
        Index::Text(_) => None,
    };
    indices.iter().map(number).collect()
}

/// On failure gives the position of the argument that does not fit, if it is an argument's fault.
fn flexible_match(
    sorts: &mut Sorts,
    signature: &Signature,
    attribute: Attribute,
    indices: &[Index],
    args: &[Sort],
    ascribed: Option<Sort>,
) -> Result<Typed, Option<usize>> {
    let fresh = Bindings::with_indices(&index_numbers(indices));
    let mut bindings = fresh.clone();
    if let Some(sort) = ascribed
        && !bindings.matches(sorts, &signature.result, sort)
    {
        return Err(None);
    }
    match attribute {
        Attribute::LeftAssoc if args.len() > 2 && signature.fixed.is_none() => {
            // The result of one step is an argument of the next: concat adds widths.
            let mut left = args[0];
            let mut params = Vec::with_capacity(args.len());
            for (position, right) in args.iter().enumerate().skip(1) {
                let mut step = fresh.clone();
                if !step.matches(sorts, &signature.params[0], left)
                    || !step.matches(sorts, &signature.params[1], *right)
                {
                    return Err(Some(position));
                }
                if position == 1 {
                    params.push(step.build(sorts, &signature.params[0]).ok_or(None)?);
                }
                params.push(step.build(sorts, &signature.params[1]).ok_or(None)?);
                left = step.build(sorts, &signature.result).ok_or(None)?;
            }
            return Ok(Typed { params, result: left });
        }
        Attribute::Fixed => {
            for (position, (param, arg)) in signature.params.iter().zip(args).enumerate() {
                if !bindings.matches(sorts, param, *arg) {
                    return Err(Some(position));
                }
            }
        }
        _ => {
            for (position, arg) in args.iter().enumerate() {
                if !bindings.matches(sorts, &signature.params[position.min(1)], *arg) {
                    return Err(Some(position));
                }
            }
        }
    }
    if !bindings.satisfy(&signature.conditions) {
        return Err(None);
    }
    let last_param = signature.params.len().saturating_sub(1);
    let params = (0..args.len())
        .map(|position| bindings.build(sorts, &signature.params[position.min(last_param)]))
        .collect::<Option<_>>()
        .ok_or(None)?;
    let result = match ascribed {
        Some(sort) => sort,
        // A single argument of an associative operator is the result, coerced as several are.
        None if args.len() == 1 && attribute == Attribute::LeftAssoc && signature.fixed.is_none() => args[0],
        None => bindings.build(sorts, &signature.result).ok_or(None)?,
    };
    Ok(Typed { params, result })
}

/// Whether a text is the index of `(_ char #x41)`: one to five hexadecimal digits, at most 2FFFF.
fn is_character(text: &str) -> bool {
    text.strip_prefix("#x").is_some_and(|digits| {
        digits.len() <= 5 && u32::from_str_radix(digits, 16).is_ok_and(|code| code <= 0x2FFFF)
    })
}

fn wrong_index(op: Op, text: &str) -> SortError {
    let name = op.info().name;
    let message = match op {
        Op::Char => format!("`{name}` takes a hexadecimal from #x0 to #x2FFFF, not `{text}`"),
        _ => format!("`{text}` is not an index that `{name}` takes"),
    };
    SortError { message, argument: None, cause: Cause::Indices }
}

fn wrong_indices(op: Op, given: usize) -> SortError {
    let info = op.info();
    let message = if info.indices.is_empty() {
        format!("`{}` takes no indices", info.name)
    } else {
        format!(
            "`{}` takes {} as in `(_ {} {})`, found {given}",
            info.name,
            count(info.indices.len(), "index", "indices"),
            info.name,
            info.indices.join(" ")
        )
    };
    SortError { message, argument: None, cause: Cause::Indices }
}

fn wrong_arity(op: Op, given: usize) -> SortError {
    let info = op.info();
    let wanted = match info.attribute {
        Attribute::Fixed => {
            let mut arities: Vec<usize> =
                info.signatures.iter().map(|signature| signature.params.len()).collect();
            arities.sort_unstable();
            arities.dedup();
            arities.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
        }
        _ => "at least 2".to_owned(),
    };
    let noun = if wanted == "1" { "argument" } else { "arguments" };
    let verb = if given == 1 { "is" } else { "are" };
    SortError {
        message: format!("`{}` takes {wanted} {noun}, but {given} {verb} given", info.name),
        argument: None,
        cause: Cause::Arity,
    }
}

fn wrong_sorts(op: Op, argument: Option<usize>) -> SortError {
    let info = op.info();
    let signatures: Vec<String> =
        info.signatures.iter().map(|signature| format!("`{}`", signature.text)).collect();
    let message = format!("`{}` has signature {}", info.name, signatures.join(" or "));
    SortError { message, argument, cause: Cause::Sorts }
}

fn count(number: usize, singular: &str, plural: &str) -> String {
    format!("{number} {}", if number == 1 { singular } else { plural })
}

#[cfg(test)]
mod tests;
