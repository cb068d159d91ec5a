//! Finite bags, as in cvc5. What takes a function is in `eval/iterate.rs`, tables are in `relations.rs`.

use dashu_int::IBig;
use smelt_smtlib::op::Op;

use super::Application;
use super::args::{Args, IntoOutcome};
use super::context::Context;
use super::sets::{is_member, only_element};
use crate::cost::int_words;
use crate::eval::EvalResult;
use crate::value::{Multiset, Value};

/// Applies an operator on bags.
pub(super) fn apply(ctx: &mut Context<'_>, application: &Application<'_>) -> EvalResult {
    let args = Args(application.args);
    for arg in application.args {
        ctx.spend_collection(arg)?;
    }
    match application.op {
        Op::BagEmpty => ctx.bag([]),
        Op::BagMake => ctx.bag([(args.get(0)?.clone(), args.int(1)?.clone())]),
        Op::BagUnionDisjoint => {
            let bags = (0..args.0.len()).map(|position| args.bag(position)).collect::<Result<Vec<_>, _>>()?;
            let entries = bags.iter().flat_map(|bag| bag.entries());
            ctx.bag(entries.map(|(element, count)| (element.clone(), count.clone())))
        }
        Op::BagUnionMax => ctx.pointwise(args, |left, right| left.max(right)),
        Op::BagInterMin => ctx.pointwise(args, |left, right| left.min(right)),
        Op::BagDifferenceSubtract => ctx.pointwise(args, |left, right| left - right),
        Op::BagDifferenceRemove => {
            ctx.pointwise(args, |left, right| if right.is_zero() { left } else { IBig::ZERO })
        }
        Op::BagSubbag => {
            let (part, whole) = (args.bag(0)?, args.bag(1)?);
            part.entries().all(|(element, count)| *count <= whole.count(element)).ok()
        }
        Op::BagCount => match is_member(ctx, args.get(0)?, args.bag(1)?)? {
            Value::Bool(true) => args.bag(1)?.count(args.get(0)?).ok(),
            _ => IBig::ZERO.ok(),
        },
        Op::BagMember => is_member(ctx, args.get(0)?, args.bag(1)?),
        Op::BagSetof => {
            let elements: Vec<Value> = args.bag(0)?.elements().cloned().collect();
            ctx.bag(elements.into_iter().map(|element| (element, IBig::ONE)))
        }
        Op::BagCard => args.bag(0)?.entries().fold(IBig::ZERO, |sum, (_, count)| sum + count).ok(),
        Op::BagChoose => only_element(ctx, args.bag(0)?, Op::BagChoose),
        other => unreachable!("{other:?} is not an operator on bags"),
    }
}

impl Context<'_> {
    /// Folds bags by what a function makes of how often each element occurs in two.
    fn pointwise(&mut self, args: Args<'_>, combine: fn(IBig, IBig) -> IBig) -> EvalResult {
        let mut result = args.get(0)?.clone();
        for position in 1..args.0.len() {
            let (left, right): (&Multiset, &Multiset) = (result.bag()?, args.bag(position)?);
            let mut entries = Vec::new();
            let all = left.elements().chain(right.elements().filter(|element| !left.contains(element)));
            for element in all {
                let (left, right) = (left.count(element), right.count(element));
                self.budget.spend_words(int_words(&left) + int_words(&right))?;
                entries.push((element.clone(), combine(left, right)));
            }
            result = self.bag(entries)?;
        }
        Ok(result)
    }
}
