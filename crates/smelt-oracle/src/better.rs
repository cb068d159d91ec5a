//! What it means that values of objectives are better than those that a solver reports: as a comparison, and as a formula
//! for solvers that know nothing of objectives.

use std::cmp::Ordering;

use dashu_ratio::RBig;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::SortKind;
use smelt_smtlib::term::{Literal, Term, Terms};

use crate::objective_value::{Extended, Reported};
use crate::objectives::{Objective, Priority, real};

/// What is to be asked about reported values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// Must have no model together with the hard assertions.
    pub better: Option<Term>,
    /// Each of these must have one: it says that a value can be had, or be come close to.
    pub attained: Vec<Term>,
}

impl Claims {
    /// How many formulas there are.
    pub fn count(&self) -> usize {
        self.attained.len() + usize::from(self.better.is_some())
    }
}

/// Models come at least so close to a value that is not attained: a thousandth.
const CLOSE: (&str, &str) = ("1", "1000");
/// Values exceed this number where there is no bound.
const FAR_DIGITS: usize = 30;

/// The claims that follow from the values that are reported of objectives. After a value that is not a number nothing is
/// claimed of the objectives that count less.
pub fn claims(
    terms: &mut Terms,
    list: &[Objective],
    reported: &[Option<Reported>],
    priority: Priority,
) -> Claims {
    let mut found = Claims { better: None, attained: Vec::new() };
    let mut alternatives: Vec<Term> = Vec::new();
    match priority {
        Priority::Lexicographic => {
            let mut before: Vec<Term> = Vec::new();
            for (objective, reported) in list.iter().zip(reported) {
                let Some(reported) = reported else { break };
                let better = better_than(terms, objective, &best_end(objective, reported));
                alternatives.extend(better.map(|better| all_of(terms, &before, better)));
                let Reported::Best(value) = reported else { break };
                match value.as_number() {
                    Some(number) => {
                        let Some(same) = compare(terms, objective.term, Comparison::Equal, number) else {
                            break;
                        };
                        before.push(same);
                    }
                    None => {
                        let near = near(terms, objective, value);
                        found.attained.extend(near.map(|near| all_of(terms, &before, near)));
                        break;
                    }
                }
            }
        }
        Priority::Box => {
            for (objective, reported) in list.iter().zip(reported) {
                let Some(reported) = reported else { continue };
                alternatives.extend(better_than(terms, objective, &best_end(objective, reported)));
                if let Reported::Best(value) = reported {
                    found.attained.extend(near(terms, objective, value));
                }
            }
        }
        Priority::Pareto => {
            let mut no_worse = Vec::new();
            for (objective, reported) in list.iter().zip(reported) {
                let Some(Reported::Best(value)) = reported else { return found };
                let (Some(_), Some(same)) = (value.as_number(), near(terms, objective, value)) else {
                    return found;
                };
                no_worse.push(same);
                alternatives.extend(better_than(terms, objective, value));
            }
            if !alternatives.is_empty() {
                let better = build::or(terms, &alternatives);
                alternatives = vec![all_of(terms, &no_worse, better)];
            }
        }
    }
    alternatives.dedup();
    found.better = (!alternatives.is_empty()).then(|| build::or(terms, &alternatives));
    found
}

/// Whether the values of objectives under a model are better than those that are reported. A value that is not known is
/// not better.
pub fn beats(
    list: &[Objective],
    reported: &[Option<Reported>],
    values: &[Option<RBig>],
    priority: Priority,
) -> bool {
    let rows = || list.iter().zip(reported).zip(values);
    let order = |((objective, reported), value): ((&Objective, &Option<Reported>), &Option<RBig>)| {
        let (Some(reported), Some(value)) = (reported, value) else { return None };
        let end = best_end(objective, reported);
        let number = Extended { infinite: RBig::ZERO, finite: value.clone(), infinitesimal: RBig::ZERO };
        let order = ordering(&number, &end);
        let is_number = matches!(reported, Reported::Best(value) if value.as_number().is_some());
        Some((if objective.is_maximized { order } else { order.reverse() }, is_number))
    };
    match priority {
        Priority::Lexicographic => {
            for row in rows() {
                match order(row) {
                    Some((Ordering::Greater, _)) => return true,
                    Some((Ordering::Equal, true)) => {}
                    _ => return false,
                }
            }
            false
        }
        Priority::Box => rows().any(|row| matches!(order(row), Some((Ordering::Greater, _)))),
        Priority::Pareto => {
            let orders: Vec<Option<(Ordering, bool)>> = rows().map(order).collect();
            orders.iter().all(|order| matches!(order, Some((Ordering::Greater | Ordering::Equal, true))))
                && orders.iter().any(|order| matches!(order, Some((Ordering::Greater, _))))
        }
    }
}

/// The best value that what is reported allows.
fn best_end(objective: &Objective, reported: &Reported) -> Extended {
    match reported {
        Reported::Best(value) => value.clone(),
        Reported::Between(from, to) => {
            let is_from = (ordering(from, to) == Ordering::Greater) == objective.is_maximized;
            if is_from { from.clone() } else { to.clone() }
        }
    }
}

fn ordering(left: &Extended, right: &Extended) -> Ordering {
    let sign = |number: &RBig| number.cmp(&RBig::ZERO);
    let (left_infinite, right_infinite) = (sign(&left.infinite), sign(&right.infinite));
    if left_infinite != right_infinite || left_infinite != Ordering::Equal {
        return left_infinite.cmp(&right_infinite);
    }
    left.finite.cmp(&right.finite).then_with(|| sign(&left.infinitesimal).cmp(&sign(&right.infinitesimal)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    /// Greater or less: in the direction of better values.
    Beyond {
        is_greater: bool,
    },
    /// The same or beyond.
    NotBefore {
        is_greater: bool,
    },
}

/// The formula that an objective is better than a value; none if nothing can be.
fn better_than(terms: &mut Terms, objective: &Objective, value: &Extended) -> Option<Term> {
    let is_greater = objective.is_maximized;
    let zero = RBig::ZERO;
    if value.infinite != zero {
        // Any number is better than the worst infinity.
        return ((value.infinite < zero) == is_greater).then(|| terms.bool(true));
    }
    // A value that is only come close to is itself better.
    let is_open = value.infinitesimal != zero && (value.infinitesimal < zero) == is_greater;
    let comparison =
        if is_open { Comparison::NotBefore { is_greater } } else { Comparison::Beyond { is_greater } };
    compare(terms, objective.term, comparison, &value.finite)
}

/// The formula that an objective has a value, a better one, or one that is close to it; none if that is not said so.
fn near(terms: &mut Terms, objective: &Objective, value: &Extended) -> Option<Term> {
    let is_greater = objective.is_maximized;
    let zero = RBig::ZERO;
    if value.infinite != zero {
        if (value.infinite > zero) != is_greater {
            return None;
        }
        let far: RBig = format!("1{}", "0".repeat(FAR_DIGITS)).parse().ok()?;
        let far = if is_greater { far } else { -far };
        return match terms.sorts.kind(terms.sort(objective.term)) {
            SortKind::BitVec(_) => None,
            _ => compare(terms, objective.term, Comparison::Beyond { is_greater }, &far),
        };
    }
    if value.infinitesimal == zero {
        return compare(terms, objective.term, Comparison::NotBefore { is_greater }, &value.finite);
    }
    let (one, many): (RBig, RBig) = (CLOSE.0.parse().ok()?, CLOSE.1.parse().ok()?);
    let close = one / many;
    let bound = if is_greater { value.finite.clone() - close } else { value.finite.clone() + close };
    compare(terms, objective.term, Comparison::Beyond { is_greater }, &bound)
}

/// A comparison of a term with a number; bit-vectors are unsigned.
fn compare(terms: &mut Terms, term: Term, comparison: Comparison, number: &RBig) -> Option<Term> {
    let kind = terms.sorts.kind(terms.sort(term)).clone();
    let (left, right, is_bits) = match kind {
        SortKind::Int if number.is_int() => (term, literal::int(terms, number.numerator()), false),
        SortKind::Int => (terms.apply(Op::ToReal, &[], &[term]).ok()?, real(terms, number), false),
        SortKind::Real => (term, real(terms, number), false),
        SortKind::BitVec(width) => match bits(number, width) {
            Some(digits) => (term, terms.literal(Literal::Binary, &digits, terms.sort(term)), true),
            None => return beyond_all_bits(terms, comparison, number),
        },
        _ => return None,
    };
    let op = match (comparison, is_bits) {
        (Comparison::Equal, _) => Op::Eq,
        (Comparison::Beyond { is_greater: true }, false) => Op::Gt,
        (Comparison::Beyond { is_greater: false }, false) => Op::Lt,
        (Comparison::NotBefore { is_greater: true }, false) => Op::Ge,
        (Comparison::NotBefore { is_greater: false }, false) => Op::Le,
        (Comparison::Beyond { is_greater: true }, true) => Op::BvUgt,
        (Comparison::Beyond { is_greater: false }, true) => Op::BvUlt,
        (Comparison::NotBefore { is_greater: true }, true) => Op::BvUge,
        (Comparison::NotBefore { is_greater: false }, true) => Op::BvUle,
    };
    terms.apply(op, &[], &[left, right]).ok()
}

/// The literal of a number as a bit-vector; none if it does not fit.
fn bits(number: &RBig, width: u32) -> Option<String> {
    if !number.is_int() || *number < RBig::ZERO {
        return None;
    }
    let digits = number.numerator().in_radix(2).to_string();
    let width = width as usize;
    (digits.len() <= width).then(|| format!("{}{digits}", "0".repeat(width - digits.len())))
}

/// A comparison of bits with a number that no bits have.
fn beyond_all_bits(terms: &mut Terms, comparison: Comparison, number: &RBig) -> Option<Term> {
    if !number.is_int() {
        return None;
    }
    let is_below = *number < RBig::ZERO;
    Some(match comparison {
        Comparison::Equal => terms.bool(false),
        Comparison::Beyond { is_greater } | Comparison::NotBefore { is_greater } => {
            terms.bool(is_below == is_greater)
        }
    })
}

fn all_of(terms: &mut Terms, before: &[Term], last: Term) -> Term {
    let mut parts = before.to_vec();
    parts.push(last);
    build::and(terms, &parts)
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::term_text;
    use smelt_smtlib::read::read_script;

    use super::*;
    use crate::objective_value::reported_objectives;
    use crate::objectives::objectives;

    const HEAD: &str = "(declare-const x Int)(declare-const r Real)(declare-const b (_ BitVec 3))";

    /// The claims about objectives of which these values are printed, the better one first.
    fn claimed(priority: Priority, commands: &str, values: &[&str]) -> Vec<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, &format!("{HEAD}{commands}(check-sat)")).script;
        let list = objectives(&mut terms, &script).unwrap().list;
        let printed: String = values.iter().map(|value| format!("(name {value})")).collect();
        let lines = reported_objectives(&format!("(objectives {printed})")).unwrap();
        let reported: Vec<Option<Reported>> = lines.into_iter().map(|line| line.reported).collect();
        let found = claims(&mut terms, &list, &reported, priority);
        let better = found.better.map_or("nothing".to_owned(), |better| term_text(&mut terms, better));
        let attained = found.attained.iter().map(|one| term_text(&mut terms, *one));
        let attained: Vec<String> = attained.collect();
        [vec![better], attained].concat()
    }

    fn lex(commands: &str, values: &[&str]) -> Vec<String> {
        claimed(Priority::Lexicographic, commands, values)
    }

    #[test]
    fn a_later_objective_counts_where_all_before_it_are_the_same() {
        let two = lex("(maximize x)(minimize r)", &["4", "(/ 1.0 2.0)"]);
        assert_eq!(two, ["(or (> x 4) (and (= x 4) (< r (/ 1.0 2.0))))"]);
    }

    #[test]
    fn a_bound_that_is_not_attained_is_itself_better() {
        let open = lex("(maximize r)(minimize x)", &["(+ 2.0 (* (- 1.0) epsilon))", "7"]);
        assert_eq!(open, ["(>= r 2.0)", "(> r (/ 1999.0 1000.0))"]);
        let open = lex("(minimize r)", &["(+ 2.0 epsilon)"]);
        assert_eq!(open, ["(<= r 2.0)", "(< r (/ 2001.0 1000.0))"]);
    }

    #[test]
    fn nothing_is_better_than_infinity_and_all_is_better_than_the_other_one() {
        let far = format!("(> x 1{})", "0".repeat(30));
        assert_eq!(lex("(maximize x)(minimize r)", &["oo", "3"]), ["nothing", far.as_str()]);
        assert_eq!(lex("(maximize x)", &["(* (- 1) oo)"]), ["true"]);
        assert_eq!(lex("(minimize x)", &["oo"]), ["true"]);
    }

    #[test]
    fn of_an_interval_the_better_end_counts() {
        assert_eq!(lex("(maximize x)(minimize x)", &["(interval 2 5)", "1"]), ["(> x 5)"]);
        assert_eq!(lex("(minimize x)", &["(interval 5 2)"]), ["(< x 2)"]);
        assert_eq!(lex("(maximize x)", &["(interval 2 oo)"]), ["nothing"]);
    }

    #[test]
    fn bits_are_unsigned() {
        assert_eq!(lex("(maximize b)", &["5"]), ["(bvugt b #b101)"]);
        assert_eq!(lex("(minimize b)", &["5"]), ["(bvult b #b101)"]);
        assert_eq!(lex("(maximize b)", &["9"]), ["false"]);
        assert_eq!(lex("(maximize b)", &["(- 1)"]), ["true"]);
    }

    #[test]
    fn each_objective_of_a_box_stands_alone() {
        let both = claimed(Priority::Box, "(maximize x)(minimize b)", &["4", "1"]);
        assert_eq!(both, ["(or (> x 4) (bvult b #b001))", "(>= x 4)", "(bvule b #b001)"]);
        let one = claimed(Priority::Box, "(maximize x)(minimize b)", &["oops", "1"]);
        assert_eq!(one, ["(bvult b #b001)", "(bvule b #b001)"]);
    }

    #[test]
    fn nothing_dominates_a_point_of_the_front() {
        let both = claimed(Priority::Pareto, "(maximize x)(minimize r)", &["4", "1.0"]);
        assert_eq!(both, ["(and (>= x 4) (<= r 1.0) (or (> x 4) (< r 1.0)))"]);
        let open = claimed(Priority::Pareto, "(maximize x)(minimize r)", &["4", "epsilon"]);
        assert_eq!(open, ["nothing"]);
    }

    #[test]
    fn an_integer_is_no_fraction() {
        assert_eq!(lex("(maximize x)", &["(/ 7.0 2.0)"]), ["(> (to_real x) (/ 7.0 2.0))"]);
    }

    #[test]
    fn values_are_compared_as_formulas_are() {
        let check = |priority, commands: &str, printed: [&str; 2], values: [i32; 2]| {
            let mut terms = Terms::new();
            let script = read_script(&mut terms, &format!("{HEAD}{commands}(check-sat)")).script;
            let list = objectives(&mut terms, &script).unwrap().list;
            let text = format!("(objectives (a {}) (b {}))", printed[0], printed[1]);
            let lines = reported_objectives(&text).unwrap();
            let reported: Vec<Option<Reported>> = lines.into_iter().map(|line| line.reported).collect();
            let values = values.map(|value| Some(RBig::from(value)));
            beats(&list, &reported, &values, priority)
        };
        let both = "(maximize x)(minimize r)";
        use Priority::{Box, Lexicographic, Pareto};
        assert!(check(Lexicographic, both, ["4", "1"], [5, 9]));
        assert!(check(Lexicographic, both, ["4", "1"], [4, 0]));
        assert!(!check(Lexicographic, both, ["4", "1"], [3, 0]));
        assert!(!check(Lexicographic, both, ["oo", "1"], [3, 0]));
        assert!(check(Lexicographic, "(maximize r)(minimize x)", ["(+ 4 (* (- 1) epsilon))", "1"], [4, 9]));
        assert!(check(Box, both, ["4", "1"], [3, 0]));
        assert!(!check(Box, both, ["4", "1"], [4, 1]));
        assert!(check(Pareto, both, ["4", "1"], [4, 0]));
        assert!(!check(Pareto, both, ["4", "1"], [5, 2]));
        assert!(!check(Pareto, both, ["4", "1"], [4, 1]));
    }
}
