//! The table of all rewrite rules.
//!
//! Rules of an operator are tried in the order of this table. Every rule has examples in `testdata/rules.txt`, which a
//! test evaluates on all small inputs before and after.

mod arithmetic;
mod boolean;
mod concat;
mod contains;
mod conversion;
mod equality;
mod indexof;
mod membership;
mod order;
mod replace;
mod substr;

use smelt_smtlib::op::Op;
use smelt_smtlib::term::Term;

use super::{Ctx, Rule, fold};

macro_rules! rules {
    ($($id:literal [$($op:ident)*] $apply:path;)*) => {
        /// All rules.
        pub const RULES: &[Rule] = &[$(Rule { id: $id, ops: &[$(Op::$op),*], apply: $apply },)*];
    };
}

rules! {
    "fold-constants" [
        Eq Distinct Neg Sub Add Mul IntDiv Mod Abs Le Lt Ge Gt Char StrConcat StrLen StrLt StrLe StrAt StrSubstr
        StrPrefixof StrSuffixof StrContains StrIndexof StrReplace StrReplaceAll StrReplaceRe StrReplaceReAll StrIsDigit
        StrToCode StrFromCode StrToInt StrFromInt StrInRe StrRev StrToLower StrToUpper StrUpdate StrIndexofRe
    ] fold::fold;
    "char-to-literal" [Char] conversion::char_to_literal;

    "not-constant" [Not] boolean::not_constant;
    "not-not" [Not] boolean::not_not;
    "not-at-most" [Not] boolean::not_at_most;
    "implies-to-or" [Implies ImpliesWord] boolean::implies_to_or;
    "xor-to-equal" [Xor] boolean::xor_to_equal;
    "iff-to-equal" [Iff] boolean::iff_to_equal;
    "distinct-to-unequal" [Distinct] boolean::distinct_to_unequal;
    "chain-to-pairs" [Eq Le Lt Ge Gt StrLt StrLe] boolean::chain_to_pairs;
    "and-flatten" [And] boolean::flatten;
    "or-flatten" [Or] boolean::flatten;
    "and-decide" [And] boolean::decide;
    "or-decide" [Or] boolean::decide;
    "and-absorb" [And] boolean::absorb;
    "or-absorb" [Or] boolean::absorb;
    "ite-constant-condition" [Ite] boolean::ite_constant_condition;
    "ite-same-branches" [Ite] boolean::ite_same_branches;
    "ite-negated-condition" [Ite] boolean::ite_negated_condition;
    "ite-known-condition" [Ite] boolean::ite_known_condition;
    "ite-of-booleans" [Ite] boolean::ite_of_booleans;
    "ite-lift-literals" [
        Eq Le Lt Ge Gt StrLen StrLt StrLe StrSubstr StrAt StrPrefixof StrSuffixof StrContains StrIndexof StrReplace
        StrReplaceAll StrIsDigit StrToCode StrFromCode StrToInt StrFromInt StrInRe
    ] boolean::ite_lift_literals;

    "equal-same" [Eq] equality::same;
    "equal-to-constant" [Eq] equality::boolean_constant;
    "equal-to-negation" [Eq] equality::boolean_negation;
    "equal-ite-literal" [Eq] equality::ite_literal;
    "equal-order" [Eq] equality::order;

    "at-least-to-at-most" [Ge Gt Lt] arithmetic::to_at_most;
    "sum-normal" [Add Sub Neg Mul] arithmetic::sum_normal;
    "at-most-normal" [Le] arithmetic::at_most_normal;
    "at-most-entailed" [Le] arithmetic::at_most_entailed;
    "length-at-most-zero" [Le] arithmetic::length_at_most_zero;
    "equal-length-zero" [Eq] arithmetic::equal_length_zero;
    "equal-integers-normal" [Eq] arithmetic::equal_normal;
    "equal-integers-entailed" [Eq] arithmetic::equal_entailed;
    "divide-by-one" [IntDiv Mod] arithmetic::divide_by_one;
    "abs-to-ite" [Abs] arithmetic::abs_to_ite;

    "concat-flatten" [StrConcat] concat::flatten;
    "concat-drop-empty" [StrConcat] concat::drop_empty;
    "concat-merge-literals" [StrConcat] concat::merge_literals;
    "length-of-concat" [StrLen] concat::length_of_concat;
    "length-of-replace" [StrLen] concat::length_of_replace;
    "length-of-substr" [StrLen] concat::length_of_substr;
    "length-kept" [StrLen] concat::length_kept;
    "length-of-ite" [StrLen] concat::length_of_ite;

    "at-to-substr" [StrAt] substr::at_to_substr;
    "substr-empty" [StrSubstr] substr::empty;
    "substr-whole" [StrSubstr] substr::whole;
    "substr-skip-first" [StrSubstr] substr::skip_first;
    "substr-into-literal" [StrSubstr] substr::into_literal;
    "substr-drop-last" [StrSubstr] substr::drop_last;
    "substr-take-first" [StrSubstr] substr::take_first;
    "substr-to-the-end" [StrSubstr] substr::to_the_end;
    "substr-nested" [StrSubstr] substr::nested;

    "contains-same" [StrContains] contains::same;
    "contains-in-empty" [StrContains] contains::in_empty;
    "contains-too-long" [StrContains] contains::too_long;
    "contains-same-length" [StrContains] contains::same_length;
    "contains-run-of-parts" [StrContains] contains::run_of_parts;
    "contains-impossible" [StrContains] contains::impossible;
    "contains-letter-in-parts" [StrContains] contains::letter_in_parts;
    "contains-strip-ends" [StrContains] contains::strip_ends;
    "prefix-trivial" [StrPrefixof StrSuffixof] contains::prefix_trivial;
    "prefix-strip" [StrPrefixof StrSuffixof] contains::prefix_strip;
    "prefix-same-length" [StrPrefixof StrSuffixof] contains::prefix_same_length;

    "indexof-outside" [StrIndexof] indexof::outside;
    "indexof-empty" [StrIndexof] indexof::empty_needle;
    "indexof-same" [StrIndexof] indexof::same;
    "indexof-impossible" [StrIndexof] indexof::impossible;
    "indexof-in-first" [StrIndexof] indexof::in_first;

    "replace-nothing-changes" [StrReplace StrReplaceAll] replace::nothing_changes;
    "replace-whole" [StrReplace StrReplaceAll] replace::whole;
    "replace-empty-needle" [StrReplace StrReplaceAll] replace::empty_needle;
    "replace-re-of-one" [StrReplaceRe StrReplaceReAll] replace::language_of_one;
    "replace-in-empty" [StrReplace StrReplaceAll] replace::in_empty;
    "replace-impossible" [StrReplace StrReplaceAll] replace::impossible;
    "replace-leading" [StrReplace] replace::leading;
    "replace-in-first" [StrReplace] replace::in_first;
    "replace-all-letter-in-parts" [StrReplaceAll] replace::letter_in_parts;

    "to-int-from-int" [StrToInt] conversion::to_int_from_int;
    "to-int-no-digit" [StrToInt] conversion::to_int_no_digit;
    "from-int-negative" [StrFromInt] conversion::from_int_negative;
    "to-code-from-code" [StrToCode] conversion::to_code_from_code;
    "from-code-to-code" [StrFromCode] conversion::from_code_to_code;
    "to-code-not-one" [StrToCode] conversion::to_code_not_one;
    "is-digit-to-code" [StrIsDigit] conversion::is_digit_to_code;
    "equal-from-int" [Eq] conversion::equal_from_int;
    "equal-from-code" [Eq] conversion::equal_from_code;
    "equal-to-code" [Eq] conversion::equal_to_code;

    "less-to-at-most" [StrLt] order::less_to_at_most;
    "string-order-same" [StrLe] order::same;
    "string-order-empty" [StrLe] order::empty;
    "string-order-strip" [StrLe] order::strip;

    "equal-empty-concat" [Eq] equality::empty_concat;
    "equal-strip" [Eq] equality::strip;
    "equal-lengths-differ" [Eq] equality::lengths_differ;
    "equal-part-of-itself" [Eq] equality::part_of_itself;
    "equal-letters-differ" [Eq] equality::letters_differ;
    "equal-split-lengths" [Eq] equality::split_lengths;
    "equal-literal-impossible" [Eq] equality::literal_impossible;

    "in-re-trivial" [StrInRe] membership::trivial;
    "in-re-literal" [StrInRe] membership::literal;
    "in-re-boolean" [StrInRe] membership::boolean;
    "in-re-optional" [StrInRe] membership::optional;
    "in-re-of-itself" [StrInRe] membership::of_itself;
    "in-re-any-character" [StrInRe] membership::any_character;
    "in-re-around-literal" [StrInRe] membership::around_literal;
}

/// The arguments of a term, those of its arguments with the same operator instead of these; nothing if there are too many.
fn flat_args(ctx: &Ctx<'_>, term: Term) -> Option<Vec<Term>> {
    let (op, args) = (ctx.terms.op(term), ctx.terms.args(term));
    let inner = |arg: &Term| (ctx.terms.op(*arg) == op).then(|| ctx.terms.args(*arg));
    let count: usize = args.iter().map(|arg| inner(arg).map_or(1, <[Term]>::len)).sum();
    if !ctx.has_room(count) {
        return None;
    }
    let mut flat = Vec::with_capacity(count);
    for arg in args {
        match inner(arg) {
            Some(inner) => flat.extend_from_slice(inner),
            None => flat.push(*arg),
        }
    }
    Some(flat)
}

/// The positions of the rules that look at an operator, in order.
pub(super) fn of(op: Op) -> &'static [u16] {
    let [start, end] = [BY_OP.starts[op as usize], BY_OP.starts[op as usize + 1]];
    &BY_OP.positions[usize::from(start)..usize::from(end)]
}

/// Made when this crate is compiled: a small formula is solved in less time than it would take to make it.
static BY_OP: ByOp = ByOp::of_all_rules();

struct ByOp {
    /// The positions of rules, operator after operator.
    positions: [u16; ByOp::LENGTH],
    /// Where those of each operator start, and where the last ones end.
    starts: [u16; Op::COUNT + 1],
}

impl ByOp {
    const LENGTH: usize = {
        let mut length = 0;
        let mut rule = 0;
        while rule < RULES.len() {
            length += RULES[rule].ops.len();
            rule += 1;
        }
        length
    };

    const fn of_all_rules() -> Self {
        let mut by_op = ByOp { positions: [0; Self::LENGTH], starts: [0; Op::COUNT + 1] };
        let mut filled = 0;
        let mut op = 0;
        while op < Op::COUNT {
            by_op.starts[op] = filled as u16;
            let mut rule = 0;
            while rule < RULES.len() {
                let mut position = 0;
                while position < RULES[rule].ops.len() {
                    if RULES[rule].ops[position] as usize == op {
                        by_op.positions[filled] = rule as u16;
                        filled += 1;
                    }
                    position += 1;
                }
                rule += 1;
            }
            op += 1;
        }
        by_op.starts[Op::COUNT] = filled as u16;
        by_op
    }
}

#[cfg(test)]
mod soundness;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_has_the_rules_that_name_it() {
        for op in Op::all() {
            let named = (0..RULES.len()).filter(|position| RULES[*position].ops.contains(&op));
            assert!(named.eq(of(op).iter().map(|position| usize::from(*position))), "{op:?}");
        }
    }
}
