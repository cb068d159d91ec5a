//! Whether linear constraints over the integers contradict each other, by elimination.
//!
//! Equations with a factor of one are solved, all others and the inequalities are combined until no term is left
//! (Fourier and Motzkin), with constants rounded as integers allow. Where that finds no contradiction, values are looked
//! for in the opposite order, splitting cases where only fractions fit.

use std::collections::BTreeMap;

use dashu_int::IBig;
use smelt_smtlib::build;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use crate::integer::{abs, div_ceil, div_floor, divides, is_negative, is_positive};
use crate::linear::{Constraint, Form, Relation, always, constraints};

/// More inequalities than this are too many.
const MAX_INEQUALITIES: usize = 3_000;
/// Splits of cases in one question.
const MAX_SPLITS: usize = 200;

/// What elimination says about some constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They contradict each other.
    Refuted,
    /// Some integers satisfy them.
    Model,
    /// That is too much work.
    Open,
}

/// Whether Boolean terms contradict each other by what they say about integers and lengths.
pub(crate) fn refute(terms: &mut Terms, facts: &[Term]) -> Verdict {
    let mut known: Vec<Constraint> = Vec::new();
    for fact in facts {
        known.extend(constraints(terms, *fact));
    }
    if known.is_empty() {
        return Verdict::Open;
    }
    // What holds of one term may speak of another.
    let mut seen: Vec<Term> = Vec::new();
    let mut position = 0;
    while position < known.len() {
        let new: Vec<Term> =
            known[position].0.factors.keys().copied().filter(|t| !seen.contains(t)).collect();
        for term in new {
            seen.push(term);
            known.extend(always(terms, term));
        }
        position += 1;
    }
    let mut splits = MAX_SPLITS;
    decide(known, &mut splits)
}

/// Whether two terms are equal by arithmetic: integers, or Boolean terms about integers.
pub(crate) fn are_equal(terms: &mut Terms, one: Term, other: Term) -> bool {
    if terms.sort(one) == Sort::INT {
        let equal = build::eq(terms, one, other);
        let unequal = build::not(terms, equal);
        return refute(terms, &[unequal]) == Verdict::Refuted;
    }
    let [not_one, not_other] = [one, other].map(|term| build::not(terms, term));
    [[one, not_other], [not_one, other]].iter().all(|pair| refute(terms, pair) == Verdict::Refuted)
}

fn decide(mut known: Vec<Constraint>, splits: &mut usize) -> Verdict {
    let values = match eliminate(&known) {
        Elimination::Refuted => return Verdict::Refuted,
        Elimination::Open => return Verdict::Open,
        Elimination::Values(values) => values,
        Elimination::Fraction(term, below) => {
            // The term is at most this integer, or at least the next.
            let most = Form { factors: BTreeMap::from([(term, IBig::ONE)]), constant: -&below };
            return split(known, most, splits);
        }
    };
    let is_broken =
        |(form, relation): &Constraint| *relation == Relation::NotZero && value(form, &values).is_zero();
    let Some(broken) = known.iter().position(is_broken) else { return Verdict::Model };
    // Not zero is less than zero or more.
    let (mut form, _) = known.swap_remove(broken);
    form.constant += &IBig::ONE;
    let negative = form.clone();
    form.constant -= &IBig::from(2);
    let positive = negated(&form);
    either(known, [negative, positive], splits)
}

/// The form is at most zero, or at least one.
fn split(known: Vec<Constraint>, at_most_zero: Form, splits: &mut usize) -> Verdict {
    let mut more = negated(&at_most_zero);
    more.constant += &IBig::ONE;
    either(known, [at_most_zero, more], splits)
}

/// One of two forms is at most zero.
fn either(known: Vec<Constraint>, cases: [Form; 2], splits: &mut usize) -> Verdict {
    if *splits == 0 {
        return Verdict::Open;
    }
    *splits -= 1;
    let mut verdict = Verdict::Refuted;
    for case in cases {
        let mut known = known.clone();
        known.push((case, Relation::AtMostZero));
        match decide(known, splits) {
            Verdict::Model => return Verdict::Model,
            Verdict::Open => verdict = Verdict::Open,
            Verdict::Refuted => {}
        }
    }
    verdict
}

/// The result of eliminating all terms from a system of constraints.
enum Elimination {
    Refuted,
    Values(BTreeMap<Term, IBig>),
    /// No integer fits for a term, only fractions above this one.
    Fraction(Term, IBig),
    Open,
}

/// How a term was got rid of.
enum Eliminated {
    /// It is the value of a form.
    Solved(Term, Form),
    /// These forms, which are at most zero, are all that speaks of it.
    Combined(Term, Vec<Form>),
}

/// Gets rid of one term after the other. Forms that are only not zero do not count.
fn eliminate(known: &[Constraint]) -> Elimination {
    let mut equations: Vec<Form> = Vec::new();
    let mut inequalities: Vec<Form> = Vec::new();
    for (form, relation) in known {
        match relation {
            Relation::Zero => equations.push(form.clone()),
            Relation::AtMostZero => inequalities.push(form.clone()),
            Relation::NotZero if form.factors.is_empty() && form.constant.is_zero() => {
                return Elimination::Refuted;
            }
            Relation::NotZero => {}
        }
    }
    let mut eliminated = Vec::new();
    while let Some(equation) = equations.pop() {
        let Some(equation) = divided(&equation) else { return Elimination::Refuted };
        let unit = equation.factors.iter().find(|(_, factor)| abs(factor).is_one());
        let Some((&term, factor)) = unit else {
            if equation.factors.is_empty() {
                continue;
            }
            inequalities.push(negated(&equation));
            inequalities.push(equation);
            continue;
        };
        // The sum is zero, so the term is the rest of it, with the opposite sign if it has the factor one.
        let mut solution = if is_negative(factor) { equation.clone() } else { negated(&equation) };
        solution.factors.remove(&term);
        for form in equations.iter_mut().chain(&mut inequalities) {
            substitute(form, term, &solution);
        }
        eliminated.push(Eliminated::Solved(term, solution));
    }
    loop {
        let Some(tightened) = tightened(inequalities) else { return Elimination::Refuted };
        inequalities = tightened;
        if inequalities.len() > MAX_INEQUALITIES {
            return Elimination::Open;
        }
        let Some(term) = cheapest(&inequalities) else { break };
        let (speaking, silent): (Vec<Form>, Vec<Form>) =
            inequalities.into_iter().partition(|form| form.factors.contains_key(&term));
        inequalities = silent;
        inequalities.extend(combined(term, &speaking));
        eliminated.push(Eliminated::Combined(term, speaking));
    }
    values(eliminated)
}

/// Values for all terms, those that were eliminated last first.
fn values(eliminated: Vec<Eliminated>) -> Elimination {
    let mut values = BTreeMap::new();
    for step in eliminated.into_iter().rev() {
        match step {
            Eliminated::Solved(term, solution) => {
                let found = value(&solution, &values);
                values.insert(term, found);
            }
            Eliminated::Combined(term, forms) => {
                let (mut least, mut most, mut below): (Option<IBig>, Option<IBig>, Option<IBig>) =
                    (None, None, None);
                for mut form in forms {
                    let factor = form.factors.remove(&term).expect("the forms speak of the term");
                    let rest = -value(&form, &values);
                    if is_positive(&factor) {
                        let bound = div_floor(&rest, &factor);
                        most = Some(most.map_or(bound.clone(), |most| most.min(bound)));
                    } else {
                        let bound = div_ceil(&rest, &factor);
                        let under = div_floor(&rest, &factor);
                        least = Some(least.map_or(bound.clone(), |least| least.max(bound)));
                        below = Some(below.map_or(under.clone(), |below| below.max(under)));
                    }
                }
                let chosen = match (least, most) {
                    (Some(least), Some(most)) if least > most => {
                        return Elimination::Fraction(term, below.expect("there is a lower bound"));
                    }
                    (Some(least), _) if is_positive(&least) => least,
                    (_, Some(most)) if is_negative(&most) => most,
                    _ => IBig::ZERO,
                };
                values.insert(term, chosen);
            }
        }
    }
    Elimination::Values(values)
}

/// The value of a form; terms without one are zero.
fn value(form: &Form, values: &BTreeMap<Term, IBig>) -> IBig {
    let products =
        form.factors.iter().filter_map(|(term, factor)| values.get(term).map(|value| factor * value));
    products.fold(form.constant.clone(), |sum, product| sum + product)
}

/// An equation divided by the common divisor of its factors; none if no integers satisfy it.
fn divided(form: &Form) -> Option<Form> {
    let divisor = form.divisor();
    if divisor.is_zero() {
        return form.constant.is_zero().then(|| form.clone());
    }
    if !divides(&divisor, &form.constant) {
        return None;
    }
    let factors = form.factors.iter().map(|(term, factor)| (*term, div_floor(factor, &divisor)));
    Some(Form { factors: factors.collect(), constant: div_floor(&form.constant, &divisor) })
}

/// Inequalities divided and rounded, the strongest of those with equal factors; none if one never holds.
fn tightened(inequalities: Vec<Form>) -> Option<Vec<Form>> {
    let mut strongest: BTreeMap<Vec<(Term, IBig)>, IBig> = BTreeMap::new();
    for form in inequalities {
        let divisor = form.divisor();
        if divisor.is_zero() {
            if is_positive(&form.constant) {
                return None;
            }
            continue;
        }
        let factors = form.factors.into_iter().map(|(term, factor)| (term, div_floor(&factor, &divisor)));
        let constant = div_ceil(&form.constant, &divisor);
        let known = strongest.entry(factors.collect()).or_insert_with(|| constant.clone());
        if *known < constant {
            *known = constant;
        }
    }
    let forms = strongest.into_iter();
    Some(forms.map(|(factors, constant)| Form { factors: factors.into_iter().collect(), constant }).collect())
}

/// The term whose elimination makes the fewest inequalities.
fn cheapest(inequalities: &[Form]) -> Option<Term> {
    let mut counts: BTreeMap<Term, [usize; 2]> = BTreeMap::new();
    for (term, factor) in inequalities.iter().flat_map(|form| &form.factors) {
        counts.entry(*term).or_default()[usize::from(is_positive(factor))] += 1;
    }
    counts.into_iter().min_by_key(|(_, [negative, positive])| negative * positive).map(|(term, _)| term)
}

/// What follows from inequalities about a term without it.
fn combined(term: Term, forms: &[Form]) -> Vec<Form> {
    let (uppers, lowers): (Vec<&Form>, Vec<&Form>) =
        forms.iter().partition(|form| is_positive(&form.factors[&term]));
    let mut found = Vec::new();
    for upper in &uppers {
        for lower in &lowers {
            let mut form = scaled(upper, &abs(&lower.factors[&term]));
            add(&mut form, &scaled(lower, &upper.factors[&term]));
            found.push(form);
        }
    }
    found
}

/// Puts a form in the place of a term.
fn substitute(form: &mut Form, term: Term, solution: &Form) {
    if let Some(factor) = form.factors.remove(&term) {
        add(form, &scaled(solution, &factor));
    }
}

pub(crate) fn negated(form: &Form) -> Form {
    scaled(form, &IBig::NEG_ONE)
}

fn scaled(form: &Form, by: &IBig) -> Form {
    let factors = form.factors.iter().map(|(term, factor)| (*term, factor * by));
    Form { factors: factors.collect(), constant: &form.constant * by }
}

fn add(form: &mut Form, other: &Form) {
    form.constant += &other.constant;
    for (term, factor) in &other.factors {
        let sum = form.factors.entry(*term).or_insert(IBig::ZERO);
        *sum += factor;
        if sum.is_zero() {
            form.factors.remove(term);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    fn check(facts: &[&str], expected: Verdict) {
        let mut terms = Terms::new();
        let terms_of_facts = read(&mut terms, facts);
        assert_eq!(refute(&mut terms, &terms_of_facts), expected, "{facts:?}");
    }

    #[test]
    fn bounds_that_cross_are_refuted() {
        check(&["(<= i 3)", "(>= i 4)"], Verdict::Refuted);
        check(&["(<= i j)", "(< j k)", "(<= k i)"], Verdict::Refuted);
        check(&["(<= i j)", "(<= j k)", "(<= k i)"], Verdict::Model);
    }

    #[test]
    fn what_has_only_fractions_is_refuted() {
        check(&["(= (* 2 i) (+ (* 2 j) 1))"], Verdict::Refuted);
        check(&["(= j (* 2 i))", "(= j (+ 1 (* 2 k)))"], Verdict::Refuted);
        check(&["(< (* 3 i) 3)", "(> (* 3 i) 0)"], Verdict::Refuted);
        check(&["(<= 1 (- (* 3 i) (* 2 j)))", "(<= (- (* 3 i) (* 2 j)) 1)", "(= i 4)"], Verdict::Refuted);
    }

    #[test]
    fn differences_are_split() {
        check(&["(<= 0 i)", "(<= i 1)", "(not (= i 0))", "(not (= i 1))"], Verdict::Refuted);
        check(&["(<= 0 i)", "(<= i 2)", "(not (= i 0))", "(not (= i 1))"], Verdict::Model);
    }

    #[test]
    fn lengths_are_not_negative_and_follow_strings() {
        check(&["(< (str.len x) 0)"], Verdict::Refuted);
        check(&["(= (str.++ x \"ab\") y)", "(<= (str.len y) 1)"], Verdict::Refuted);
        check(&["(str.prefixof x y)", "(< (str.len y) (str.len x))"], Verdict::Refuted);
        check(&["(not (str.contains x y))", "(= (str.len y) 0)"], Verdict::Refuted);
        check(&["(= (str.++ x \"ab\") y)", "(<= (str.len y) 2)"], Verdict::Model);
    }

    #[test]
    fn remainders_are_between_zero_and_the_divisor() {
        check(&["(< (mod i 3) 0)"], Verdict::Refuted);
        check(&["(= (mod i 3) 3)"], Verdict::Refuted);
        check(&["(= (mod i 3) 2)", "(= i 4)"], Verdict::Refuted);
        check(&["(= (mod i 3) 1)", "(= i 4)"], Verdict::Model);
    }

    #[test]
    fn what_says_nothing_about_integers_stays_open() {
        check(&["p"], Verdict::Open);
    }
}
