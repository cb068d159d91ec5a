//! Formulas over variables of infinite sorts, and the elimination of quantifiers from them.
//!
//! Atoms are linear over integers and reals, or say that a variable has some value. An existential variable is replaced
//! by finitely many candidates: for integers as Cooper (1972) does, for reals as Loos and Weispfenning (1993), and where
//! only equality counts by the values that it is compared with and one other. What is not known is an atom of its own, which
//! is taken as false and as true in turn, so that an answer never rests on it.

use std::collections::BTreeMap;
use std::rc::Rc;

use dashu_int::ops::{DivEuclid, Gcd, RemEuclid};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxHashSet;

use crate::value::Value;
use crate::{Budget, cost};

/// What making a part of a formula costs.
const NODE_COST: u64 = 64;
/// Divisors are tried one by one up to here.
const MAX_PERIOD: u64 = 512;

/// A variable.
pub(super) type Var = u32;

/// What is known of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    Int,
    Real,
    /// Of any other sort, with at least so many values; none if there are infinitely many.
    Other(Option<u64>),
}

/// A sum of variables with coefficients, none of which is zero, and a constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Linear {
    terms: BTreeMap<Var, RBig>,
    constant: RBig,
}

/// What a variable may be equal to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Value(Value),
    Var(Var),
}

/// What a sum is compared with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Relation {
    Equal,
    Different,
    Negative,
    AtMost,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    Compare(Relation, Linear),
    /// Whether a positive number divides a sum of integers; or does not.
    Divides(bool, IBig, Linear),
    /// Whether a variable has a value; or has not.
    Same(bool, Var, Key),
}

/// A formula without negations but those in atoms.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Formula {
    True,
    False,
    /// True or false, we do not know which.
    Unknown,
    Atom(Rc<Atom>),
    And(Rc<Vec<Formula>>),
    Or(Rc<Vec<Formula>>),
}

impl Linear {
    pub(super) fn constant(number: RBig) -> Linear {
        Linear { terms: BTreeMap::new(), constant: number }
    }

    pub(super) fn var(var: Var) -> Linear {
        Linear { terms: BTreeMap::from([(var, RBig::ONE)]), constant: RBig::ZERO }
    }

    /// The number, if there is no variable.
    pub(super) fn as_constant(&self) -> Option<&RBig> {
        self.terms.is_empty().then_some(&self.constant)
    }

    pub(super) fn scaled(&self, factor: &RBig) -> Linear {
        if factor.is_zero() {
            return Linear::default();
        }
        let terms = self.terms.iter().map(|(var, number)| (*var, number * factor)).collect();
        Linear { terms, constant: &self.constant * factor }
    }

    pub(super) fn plus(&self, other: &Linear) -> Linear {
        let mut sum = self.clone();
        for (var, number) in &other.terms {
            let entry = sum.terms.entry(*var).or_default();
            *entry += number;
            if entry.is_zero() {
                sum.terms.remove(var);
            }
        }
        sum.constant += &other.constant;
        sum
    }

    pub(super) fn minus(&self, other: &Linear) -> Linear {
        self.plus(&other.scaled(&-RBig::ONE))
    }

    fn coefficient(&self, var: Var) -> RBig {
        self.terms.get(&var).cloned().unwrap_or_default()
    }

    /// The sum with something else for a variable.
    fn substituted(&self, var: Var, by: &Linear) -> Linear {
        let coefficient = self.coefficient(var);
        if coefficient.is_zero() {
            return self.clone();
        }
        let mut rest = self.clone();
        rest.terms.remove(&var);
        rest.plus(&by.scaled(&coefficient))
    }

    fn words(&self) -> u64 {
        self.terms.values().chain([&self.constant]).map(cost::fraction_words).sum()
    }

    /// The least common multiple of all denominators.
    fn denominator(&self) -> IBig {
        self.terms
            .values()
            .chain([&self.constant])
            .fold(IBig::ONE, |all, number| lcm(&all, &IBig::from(number.denominator().clone())))
    }
}

fn lcm(left: &IBig, right: &IBig) -> IBig {
    let divisor = IBig::from(left.gcd(right));
    (left / divisor) * right
}

fn magnitude(number: &IBig) -> IBig {
    if *number < IBig::ZERO { -number } else { number.clone() }
}

/// Makes formulas and eliminates variables, as far as a budget allows. When that is spent, everything is unknown.
pub(super) struct Eliminator {
    pub(super) domains: Vec<Domain>,
    pub(super) budget: Budget,
}

impl Eliminator {
    fn is_int(&self, linear: &Linear) -> bool {
        linear.terms.keys().all(|var| self.domains[*var as usize] == Domain::Int)
    }

    fn spend(&mut self, cost: u64) -> bool {
        self.budget.spend(cost).is_ok()
    }

    /// A comparison of a sum with zero.
    pub(super) fn compare(&mut self, relation: Relation, linear: Linear) -> Formula {
        if !self.spend(NODE_COST + 16 * linear.words()) {
            return Formula::Unknown;
        }
        if let Some(number) = linear.as_constant() {
            return truth(match relation {
                Relation::Equal => number.is_zero(),
                Relation::Different => !number.is_zero(),
                Relation::Negative => *number < RBig::ZERO,
                Relation::AtMost => *number <= RBig::ZERO,
            });
        }
        if !self.is_int(&linear) {
            let first = linear.terms.values().next().cloned().unwrap_or(RBig::ONE);
            let is_positive = first > RBig::ZERO;
            let factor = RBig::ONE / if is_positive { first } else { -first };
            return Formula::Atom(Rc::new(Atom::Compare(relation, linear.scaled(&factor))));
        }
        // Over integers: whole coefficients without a common divisor, and no strict comparisons.
        let linear = linear.scaled(&RBig::from(linear.denominator()));
        let divisor = linear.terms.values().fold(UBig::ZERO, |all, number| match all.is_zero() {
            true => magnitude(number.numerator()).try_into().unwrap_or(UBig::ONE),
            false => all.gcd(UBig::try_from(magnitude(number.numerator())).unwrap_or(UBig::ONE)),
        });
        let mut constant = linear.constant.numerator().clone();
        let divisor = IBig::from(divisor);
        let mut reduced = linear.scaled(&(RBig::ONE / RBig::from(divisor.clone())));
        let is_whole = (&constant).rem_euclid(divisor.clone()).is_zero();
        let relation = match relation {
            Relation::Equal | Relation::Different if !is_whole => {
                return truth(relation == Relation::Different);
            }
            Relation::Equal | Relation::Different => {
                constant = constant.div_euclid(divisor);
                relation
            }
            _ => {
                let bound = if relation == Relation::Negative { constant + IBig::ONE } else { constant };
                // The quotient rounded up.
                constant = -(-bound).div_euclid(divisor);
                Relation::AtMost
            }
        };
        reduced.constant = RBig::from(constant);
        Formula::Atom(Rc::new(Atom::Compare(relation, reduced)))
    }

    /// Whether a number divides a sum, or does not.
    pub(super) fn divides(&mut self, holds: bool, divisor: &IBig, linear: Linear) -> Formula {
        if !self.spend(NODE_COST + 16 * linear.words()) || !self.is_int(&linear) {
            return Formula::Unknown;
        }
        // Where a sum has fractions, what stands around it says that it is a whole number.
        let factor = linear.denominator();
        let divisor = magnitude(divisor) * &factor;
        if divisor.is_zero() {
            return Formula::Unknown;
        }
        let mut reduced = linear.scaled(&RBig::from(factor));
        let modulo = |number: &RBig| RBig::from(IBig::from(number.numerator().rem_euclid(divisor.clone())));
        reduced.terms.values_mut().for_each(|number| *number = modulo(number));
        reduced.terms.retain(|_, number| !number.is_zero());
        reduced.constant = modulo(&reduced.constant);
        match reduced.as_constant() {
            Some(number) => truth(number.is_zero() == holds),
            None => Formula::Atom(Rc::new(Atom::Divides(holds, divisor, reduced))),
        }
    }

    /// Whether a variable has a value.
    pub(super) fn same(&mut self, holds: bool, var: Var, key: Key) -> Formula {
        if !self.spend(NODE_COST) {
            return Formula::Unknown;
        }
        match key {
            Key::Var(other) if other == var => truth(holds),
            Key::Var(other) if other < var => Formula::Atom(Rc::new(Atom::Same(holds, other, Key::Var(var)))),
            key => Formula::Atom(Rc::new(Atom::Same(holds, var, key))),
        }
    }

    pub(super) fn not(&mut self, formula: &Formula) -> Formula {
        match formula {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Unknown => Formula::Unknown,
            Formula::Atom(atom) => match &**atom {
                Atom::Compare(relation, linear) => match relation {
                    Relation::Equal => self.compare(Relation::Different, linear.clone()),
                    Relation::Different => self.compare(Relation::Equal, linear.clone()),
                    Relation::Negative => self.compare(Relation::AtMost, linear.scaled(&-RBig::ONE)),
                    Relation::AtMost => self.compare(Relation::Negative, linear.scaled(&-RBig::ONE)),
                },
                Atom::Divides(holds, divisor, linear) => self.divides(!holds, divisor, linear.clone()),
                Atom::Same(holds, var, key) => self.same(!holds, *var, key.clone()),
            },
            Formula::And(parts) => {
                let parts = parts.iter().map(|part| self.not(part)).collect();
                self.or(parts)
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|part| self.not(part)).collect();
                self.and(parts)
            }
        }
    }

    pub(super) fn and(&mut self, parts: Vec<Formula>) -> Formula {
        self.connect(parts, true)
    }

    pub(super) fn or(&mut self, parts: Vec<Formula>) -> Formula {
        self.connect(parts, false)
    }

    fn connect(&mut self, parts: Vec<Formula>, is_and: bool) -> Formula {
        let (neutral, deciding) =
            if is_and { (Formula::True, Formula::False) } else { (Formula::False, Formula::True) };
        let mut all = Vec::with_capacity(parts.len());
        let mut seen = FxHashSet::default();
        for part in parts {
            let inner = match (&part, is_and) {
                (Formula::And(inner), true) | (Formula::Or(inner), false) => inner.to_vec(),
                _ => vec![part],
            };
            for part in inner {
                if part == deciding {
                    return deciding;
                }
                if !self.spend(NODE_COST) {
                    return Formula::Unknown;
                }
                if part != neutral && seen.insert(part.clone()) {
                    all.push(part);
                }
            }
        }
        match all.len() {
            0 => neutral,
            1 => all.swap_remove(0),
            _ if is_and => Formula::And(Rc::new(all)),
            _ => Formula::Or(Rc::new(all)),
        }
    }

    /// The formula without a variable, of which there is some value that makes it true.
    pub(super) fn exists(&mut self, var: Var, formula: &Formula) -> Formula {
        if !occurs(var, formula) && !has_unknown(formula) {
            return formula.clone();
        }
        if has_unknown(formula) {
            let least = self.with_unknown(formula, &Formula::False);
            let least = self.exists(var, &least);
            if least == Formula::True {
                return least;
            }
            let most = self.with_unknown(formula, &Formula::True);
            let most = self.exists(var, &most);
            let perhaps = self.and(vec![most, Formula::Unknown]);
            return self.or(vec![least, perhaps]);
        }
        match formula {
            Formula::Or(parts) => {
                let parts = parts.iter().map(|part| self.exists(var, part)).collect();
                self.or(parts)
            }
            Formula::And(parts) => {
                let (with, mut without): (Vec<Formula>, Vec<Formula>) =
                    parts.iter().cloned().partition(|part| occurs(var, part));
                let inner = self.and(with.clone());
                let eliminated = match self.at_one_point(var, &with) {
                    Some(point) => point,
                    None => self.by_candidates(var, &inner),
                };
                without.push(eliminated);
                self.and(without)
            }
            _ => self.by_candidates(var, formula),
        }
    }

    /// A conjunction in which an equation says what the variable is.
    fn at_one_point(&mut self, var: Var, parts: &[Formula]) -> Option<Formula> {
        let point = parts.iter().enumerate().find_map(|(place, part)| match part {
            Formula::Atom(atom) => match &**atom {
                Atom::Compare(Relation::Equal, linear) if !linear.coefficient(var).is_zero() => {
                    Some((place, linear.clone()))
                }
                _ => None,
            },
            _ => None,
        });
        let Some((place, equation)) = point else {
            let key = parts.iter().find_map(|part| match part {
                Formula::Atom(atom) => match &**atom {
                    Atom::Same(true, one, key) if *one == var => Some(key.clone()),
                    Atom::Same(true, one, Key::Var(other)) if *other == var => Some(Key::Var(*one)),
                    _ => None,
                },
                _ => None,
            })?;
            let replaced: Vec<Formula> = parts
                .iter()
                .map(|part| self.replaced(part, &|this, atom| this.same_at(atom, var, Some(&key))))
                .collect();
            return Some(self.and(replaced));
        };
        let coefficient = equation.coefficient(var);
        let mut rest = equation.clone();
        rest.terms.remove(&var);
        let value = rest.scaled(&(-RBig::ONE / &coefficient));
        let mut all: Vec<Formula> = Vec::new();
        if self.domains[var as usize] == Domain::Int {
            if !self.is_int(&equation) {
                return None;
            }
            // The value must be a whole number.
            all.push(self.divides(true, &coefficient.numerator().clone(), rest));
        }
        for (other, part) in parts.iter().enumerate() {
            if other != place {
                all.push(self.replaced(part, &|this, atom| this.linear_at(atom, var, &value)));
            }
        }
        Some(self.and(all))
    }

    fn by_candidates(&mut self, var: Var, formula: &Formula) -> Formula {
        if !self.spend(NODE_COST) {
            return Formula::Unknown;
        }
        match self.domains[var as usize] {
            Domain::Int => self.cooper(var, formula),
            Domain::Real => self.loos_weispfenning(var, formula),
            Domain::Other(count) => self.by_values(var, formula, count),
        }
    }

    /// The variable has a value that it is compared with, or another one.
    fn by_values(&mut self, var: Var, formula: &Formula, count: Option<u64>) -> Formula {
        let mut keys: FxHashSet<Key> = FxHashSet::default();
        let mut is_plain = true;
        each_atom(formula, &mut |atom| match atom {
            Atom::Same(_, one, key) if *one == var => {
                keys.insert(key.clone());
            }
            Atom::Same(_, one, Key::Var(other)) if *other == var => {
                keys.insert(Key::Var(*one));
            }
            other => is_plain &= !atom_has(other, var),
        });
        if !is_plain {
            return Formula::Unknown;
        }
        let has_another = count.is_none_or(|count| count > keys.len() as u64);
        let mut parts = vec![if has_another {
            self.replaced(formula, &|this, atom| this.same_at(atom, var, None))
        } else {
            Formula::Unknown
        }];
        for key in keys {
            parts.push(self.replaced(formula, &|this, atom| this.same_at(atom, var, Some(&key))));
        }
        self.or(parts)
    }

    /// Integers: far below all bounds, or shortly above one of them.
    fn cooper(&mut self, var: Var, formula: &Formula) -> Formula {
        let mut scale = IBig::ONE;
        let mut is_plain = true;
        let mut is_mixed = false;
        each_atom(formula, &mut |atom| match atom {
            Atom::Compare(_, linear) | Atom::Divides(_, _, linear) => {
                let coefficient = linear.coefficient(var);
                if !coefficient.is_zero() {
                    scale = lcm(&scale, &magnitude(coefficient.numerator()));
                    is_plain &= coefficient.is_int();
                    is_mixed |= linear.terms.keys().any(|other| self.domains[*other as usize] != Domain::Int);
                }
            }
            other => is_plain &= !atom_has(other, var),
        });
        if !is_plain || is_mixed {
            return Formula::Unknown;
        }
        // With the variable times the scale for the variable, all coefficients become one.
        let unit = Linear::var(var).scaled(&(RBig::ONE / RBig::from(scale.clone())));
        let scaled = self.replaced(formula, &|this, atom| this.scaled_at(atom, var, &unit, &scale));
        let divisible = self.divides(true, &scale, Linear::var(var));
        let formula = self.and(vec![scaled, divisible]);
        let mut period = IBig::ONE;
        let (mut lower, mut upper) = (FxHashSet::default(), FxHashSet::default());
        each_atom(&formula, &mut |atom| match atom {
            Atom::Divides(_, divisor, linear) if !linear.coefficient(var).is_zero() => {
                period = lcm(&period, divisor);
            }
            Atom::Compare(relation, linear) => {
                let coefficient = linear.coefficient(var);
                if coefficient.is_zero() {
                    return;
                }
                let mut rest = linear.clone();
                rest.terms.remove(&var);
                let point = rest.scaled(&(-RBig::ONE / &coefficient));
                let shifted = |by: i32| point.plus(&Linear::constant(RBig::from(IBig::from(by))));
                match relation {
                    Relation::Equal => {
                        lower.insert(shifted(-1));
                        upper.insert(shifted(1));
                    }
                    Relation::Different => {
                        lower.insert(point.clone());
                        upper.insert(point.clone());
                    }
                    _ if coefficient < RBig::ZERO => {
                        lower.insert(shifted(-1));
                    }
                    _ => {
                        upper.insert(shifted(1));
                    }
                }
            }
            _ => {}
        });
        let Some(period) = u64::try_from(&period).ok().filter(|period| *period <= MAX_PERIOD) else {
            return Formula::Unknown;
        };
        let is_below = lower.len() <= upper.len();
        let bounds = if is_below { lower } else { upper };
        let mut parts = Vec::new();
        for step in 1..=period {
            let step =
                Linear::constant(RBig::from(if is_below { IBig::from(step) } else { -IBig::from(step) }));
            parts.push(self.replaced(&formula, &|this, atom| this.far_at(atom, var, &step, is_below)));
            for bound in &bounds {
                let value = bound.plus(&step);
                let part = self.replaced(&formula, &|this, atom| this.linear_at(atom, var, &value));
                if part == Formula::True {
                    return part;
                }
                parts.push(part);
            }
            if !self.spend(NODE_COST) {
                return Formula::Unknown;
            }
        }
        self.or(parts)
    }

    /// Reals: far below all bounds, at one of them, or a little above it.
    fn loos_weispfenning(&mut self, var: Var, formula: &Formula) -> Formula {
        let (mut at, mut above) = (FxHashSet::default(), FxHashSet::default());
        let mut is_plain = true;
        each_atom(formula, &mut |atom| match atom {
            Atom::Compare(relation, linear) => {
                let coefficient = linear.coefficient(var);
                if coefficient.is_zero() {
                    return;
                }
                let mut rest = linear.clone();
                rest.terms.remove(&var);
                let point = rest.scaled(&(-RBig::ONE / &coefficient));
                match relation {
                    Relation::Equal => at.insert(point),
                    Relation::Different => above.insert(point),
                    _ if coefficient > RBig::ZERO => false,
                    Relation::AtMost => at.insert(point),
                    Relation::Negative => above.insert(point),
                };
            }
            other => is_plain &= !atom_has(other, var),
        });
        if !is_plain {
            return Formula::Unknown;
        }
        let zero = Linear::default();
        let mut parts = vec![self.replaced(formula, &|this, atom| this.far_at(atom, var, &zero, true))];
        for point in at {
            parts.push(self.replaced(formula, &|this, atom| this.linear_at(atom, var, &point)));
        }
        for point in above {
            parts.push(self.replaced(formula, &|this, atom| this.just_above(atom, var, &point)));
        }
        self.or(parts)
    }

    /// An atom with a sum for a variable.
    fn linear_at(&mut self, atom: &Atom, var: Var, value: &Linear) -> Formula {
        match atom {
            Atom::Compare(relation, linear) => self.compare(*relation, linear.substituted(var, value)),
            Atom::Divides(holds, divisor, linear) => {
                self.divides(*holds, divisor, linear.substituted(var, value))
            }
            Atom::Same(..) => Formula::Atom(Rc::new(atom.clone())),
        }
    }

    /// An atom in which the variable stands for itself times the scale.
    fn scaled_at(&mut self, atom: &Atom, var: Var, unit: &Linear, scale: &IBig) -> Formula {
        match atom {
            Atom::Compare(relation, linear) if !linear.coefficient(var).is_zero() => {
                // The coefficient becomes one, and no common divisor is taken out again.
                let coefficient = linear.coefficient(var);
                let size = if coefficient < RBig::ZERO { -coefficient } else { coefficient };
                let factor = RBig::from(scale.clone()) / size;
                let scaled = linear.scaled(&factor).substituted(var, unit);
                Formula::Atom(Rc::new(Atom::Compare(*relation, scaled)))
            }
            Atom::Divides(holds, divisor, linear) if !linear.coefficient(var).is_zero() => {
                let coefficient = linear.coefficient(var);
                let factor = RBig::from(scale.clone()) / coefficient;
                let divisor = magnitude((RBig::from(divisor.clone()) * &factor).numerator());
                let scaled = linear.scaled(&factor).substituted(var, unit);
                self.divides(*holds, &divisor, scaled)
            }
            other => Formula::Atom(Rc::new(other.clone())),
        }
    }

    /// An atom where the variable is far below all bounds, or far above, and a number modulo all divisors.
    fn far_at(&mut self, atom: &Atom, var: Var, step: &Linear, is_below: bool) -> Formula {
        match atom {
            Atom::Compare(relation, linear) if !linear.coefficient(var).is_zero() => truth(match relation {
                Relation::Equal => false,
                Relation::Different => true,
                _ => (linear.coefficient(var) > RBig::ZERO) == is_below,
            }),
            other => self.linear_at(other, var, step),
        }
    }

    /// An atom where the variable is a little above a point.
    fn just_above(&mut self, atom: &Atom, var: Var, point: &Linear) -> Formula {
        match atom {
            Atom::Compare(relation, linear) if !linear.coefficient(var).is_zero() => {
                let is_growing = linear.coefficient(var) > RBig::ZERO;
                match relation {
                    Relation::Equal => Formula::False,
                    Relation::Different => Formula::True,
                    _ => {
                        let relation = if is_growing { Relation::Negative } else { Relation::AtMost };
                        self.compare(relation, linear.substituted(var, point))
                    }
                }
            }
            other => Formula::Atom(Rc::new(other.clone())),
        }
    }

    /// An atom with a value for a variable, or with one that it is compared with nowhere.
    fn same_at(&mut self, atom: &Atom, var: Var, value: Option<&Key>) -> Formula {
        let Atom::Same(holds, one, key) = atom else { return Formula::Atom(Rc::new(atom.clone())) };
        let other = match key {
            _ if *one == var => key.clone(),
            Key::Var(other) if *other == var => Key::Var(*one),
            _ => return Formula::Atom(Rc::new(atom.clone())),
        };
        match (value, other) {
            (None, _) => truth(!holds),
            (Some(Key::Value(one)), Key::Value(other)) => truth((*one == other) == *holds),
            (Some(Key::Var(one)), other) => self.same(*holds, *one, other),
            (Some(value), Key::Var(other)) => self.same(*holds, other, value.clone()),
        }
    }

    /// The formula with something else for each atom.
    fn replaced(&mut self, formula: &Formula, replace: &dyn Fn(&mut Self, &Atom) -> Formula) -> Formula {
        if !self.spend(NODE_COST) {
            return Formula::Unknown;
        }
        match formula {
            Formula::Atom(atom) => replace(self, atom),
            Formula::And(parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for part in parts.iter() {
                    let part = self.replaced(part, replace);
                    if part == Formula::False {
                        return part;
                    }
                    all.push(part);
                }
                self.and(all)
            }
            Formula::Or(parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for part in parts.iter() {
                    let part = self.replaced(part, replace);
                    if part == Formula::True {
                        return part;
                    }
                    all.push(part);
                }
                self.or(all)
            }
            other => other.clone(),
        }
    }

    fn with_unknown(&mut self, formula: &Formula, value: &Formula) -> Formula {
        match formula {
            Formula::Unknown => value.clone(),
            Formula::And(parts) => {
                let parts = parts.iter().map(|part| self.with_unknown(part, value)).collect();
                self.and(parts)
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|part| self.with_unknown(part, value)).collect();
                self.or(parts)
            }
            other => other.clone(),
        }
    }
}

fn truth(value: bool) -> Formula {
    if value { Formula::True } else { Formula::False }
}

fn each_atom(formula: &Formula, look: &mut dyn FnMut(&Atom)) {
    match formula {
        Formula::Atom(atom) => look(atom),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| each_atom(part, look)),
        Formula::True | Formula::False | Formula::Unknown => {}
    }
}

fn atom_has(atom: &Atom, var: Var) -> bool {
    match atom {
        Atom::Compare(_, linear) | Atom::Divides(_, _, linear) => linear.terms.contains_key(&var),
        Atom::Same(_, one, key) => *one == var || *key == Key::Var(var),
    }
}

fn occurs(var: Var, formula: &Formula) -> bool {
    match formula {
        Formula::Atom(atom) => atom_has(atom, var),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| occurs(var, part)),
        Formula::True | Formula::False | Formula::Unknown => false,
    }
}

fn has_unknown(formula: &Formula) -> bool {
    match formula {
        Formula::Unknown => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(has_unknown),
        Formula::True | Formula::False | Formula::Atom(_) => false,
    }
}
