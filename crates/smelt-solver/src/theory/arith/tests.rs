//! Random systems of bounds against enumeration of a small box.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::theory::number::Integer;

const LIMITS: SearchLimits = SearchLimits { max_branches: 2000, max_cut_rounds: 3, effort_limit: u64::MAX };

#[derive(Clone, Debug)]
enum Constraint {
    AtMost(Vec<i64>, i64),
    AtLeast(Vec<i64>, i64),
    Distinct(Vec<i64>, i64),
}

impl Constraint {
    fn holds(&self, point: &[i64]) -> bool {
        let value = |coefficients: &[i64]| coefficients.iter().zip(point).map(|(c, v)| c * v).sum::<i64>();
        match self {
            Constraint::AtMost(coefficients, bound) => value(coefficients) <= *bound,
            Constraint::AtLeast(coefficients, bound) => value(coefficients) >= *bound,
            Constraint::Distinct(coefficients, excluded) => value(coefficients) != *excluded,
        }
    }
}

/// A system over variables in `-range..=range`, scaled so that numbers leave the machine word when `scale` is big.
struct System {
    variables: usize,
    range: i64,
    constraints: Vec<Constraint>,
}

impl System {
    fn random(rng: &mut Xoshiro256PlusPlus) -> System {
        let variables = rng.random_range(1..=4);
        let range = rng.random_range(1..=3);
        let coefficient_range = rng.random_range(1..=5);
        let mut constraints = Vec::new();
        for _ in 0..rng.random_range(1..=6) {
            let coefficients: Vec<i64> = (0..variables)
                .map(|_| {
                    if rng.random_bool(0.4) {
                        0
                    } else {
                        rng.random_range(-coefficient_range..=coefficient_range)
                    }
                })
                .collect();
            if coefficients.iter().all(|c| *c == 0) {
                continue;
            }
            let bound = rng.random_range(-8..=8);
            match rng.random_range(0..5) {
                0 | 1 => constraints.push(Constraint::AtMost(coefficients, bound)),
                2 => constraints.push(Constraint::AtLeast(coefficients, bound)),
                3 => {
                    constraints.push(Constraint::AtMost(coefficients.clone(), bound));
                    constraints.push(Constraint::AtLeast(coefficients, bound));
                }
                _ => constraints.push(Constraint::Distinct(coefficients, bound)),
            }
        }
        for variable in 0..variables {
            let mut unit = vec![0; variables];
            unit[variable] = 1;
            constraints.push(Constraint::AtMost(unit.clone(), range));
            constraints.push(Constraint::AtLeast(unit, -range));
        }
        System { variables, range, constraints }
    }

    fn has_solution(&self, chosen: &[usize]) -> bool {
        let width = usize::try_from(2 * self.range + 1).unwrap();
        (0..width.pow(u32::try_from(self.variables).unwrap())).any(|mut code| {
            let point: Vec<i64> = (0..self.variables)
                .map(|_| {
                    let value = i64::try_from(code % width).unwrap() - self.range;
                    code /= width;
                    value
                })
                .collect();
            chosen.iter().all(|position| self.constraints[*position].holds(&point))
        })
    }

    /// A simplex with the variables, and each constraint ready to be asserted with coefficients times `scale`.
    fn build(&self, scale: &Integer) -> (Simplex, Vec<(IntVar, Integer, Integer)>) {
        let mut simplex = Simplex::new();
        let variables: Vec<IntVar> = (0..self.variables).map(|_| simplex.new_variable()).collect();
        let ready = self
            .constraints
            .iter()
            .map(|constraint| {
                let (Constraint::AtMost(coefficients, bound)
                | Constraint::AtLeast(coefficients, bound)
                | Constraint::Distinct(coefficients, bound)) = constraint;
                let products =
                    variables.iter().copied().zip(coefficients.iter().map(|c| &Integer::from(*c) * scale));
                let linear = Linear::from_terms(products.collect(), Integer::ZERO);
                (simplex.term_variable(&linear), &Integer::from(*bound) * scale, Integer::ZERO)
            })
            .collect();
        (simplex, ready)
    }
}

fn assert_constraint(
    simplex: &mut Simplex,
    constraint: &Constraint,
    variable: IntVar,
    bound: Integer,
    cause: Cause,
) -> Result<(), Vec<Cause>> {
    match constraint {
        Constraint::AtMost(..) => simplex.assert_bound(variable, Side::Upper, bound, cause),
        Constraint::AtLeast(..) => simplex.assert_bound(variable, Side::Lower, bound, cause),
        Constraint::Distinct(..) => simplex.assert_distinct(variable, bound, cause),
    }
}

/// Solves the chosen constraints; the model has been checked and the conflict is as found.
fn solve(
    system: &System,
    simplex: &mut Simplex,
    ready: &[(IntVar, Integer, Integer)],
    chosen: &[usize],
    propagate: bool,
) -> Result<(), Vec<usize>> {
    let positions = |causes: Vec<Cause>| -> Vec<usize> {
        causes
            .into_iter()
            .map(|cause| match cause {
                Cause::Literal(number) => number as usize,
                Cause::Branch(_) => panic!("a branch outlived its search"),
            })
            .collect()
    };
    for position in chosen {
        let (variable, bound, _) = &ready[*position];
        let cause = Cause::Literal(u32::try_from(*position).unwrap());
        assert_constraint(simplex, &system.constraints[*position], *variable, bound.clone(), cause)
            .map_err(positions)?;
        if propagate {
            simplex.propagate(30).map_err(positions)?;
            if let Feasibility::Infeasible(causes) = simplex.check(u64::MAX) {
                return Err(positions(causes));
            }
        }
    }
    match simplex.search_integers(LIMITS) {
        Integrality::Model(values) => {
            let point: Vec<i64> =
                values[..system.variables].iter().map(|value| value.to_i64().unwrap()).collect();
            for position in chosen {
                assert!(system.constraints[*position].holds(&point), "{point:?} {:?}", system.constraints);
            }
            Ok(())
        }
        Integrality::Infeasible(causes) => Err(positions(causes)),
        Integrality::GaveUp => panic!("gave up on {:?}", system.constraints),
    }
}

fn compare_with_enumeration(seed: u64, rounds: usize, scale: &Integer) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    for _ in 0..rounds {
        let system = System::random(&mut rng);
        let (mut simplex, ready) = system.build(scale);
        let all: Vec<usize> = (0..system.constraints.len()).collect();
        // Several times with backtracking, in different orders: the tableau differs, the answer does not.
        for round in 0..3 {
            let mut chosen = all.clone();
            for position in (1..chosen.len()).rev() {
                chosen.swap(position, rng.random_range(0..=position));
            }
            // The box is the last to be taken away, or the search is not bounded.
            if round > 0 {
                let dropped = rng.random_range(0..all.len());
                chosen
                    .retain(|position| *position != dropped || *position + 2 * system.variables >= all.len());
            }
            simplex.push();
            let expected = system.has_solution(&chosen);
            match solve(&system, &mut simplex, &ready, &chosen, round == 2) {
                Ok(()) => {
                    assert!(expected, "{:?}", system.constraints);
                    satisfiable += 1;
                }
                Err(core) => {
                    assert!(!expected, "{:?}", system.constraints);
                    unsatisfiable += 1;
                    check_core(&system, scale, &chosen, &core);
                }
            }
            simplex.pop(1);
        }
    }
    assert!(satisfiable > rounds / 4 && unsatisfiable > rounds / 4, "{satisfiable} {unsatisfiable}");
}

/// The constraints of a conflict are among the chosen ones and contradict each other without the rest.
fn check_core(system: &System, scale: &Integer, chosen: &[usize], core: &[usize]) {
    assert!(core.iter().all(|position| chosen.contains(position)));
    // With the box the core has no solution, which does not depend on our own search.
    let box_start = system.constraints.len() - 2 * system.variables;
    let with_box: Vec<usize> = core.iter().copied().chain(box_start..system.constraints.len()).collect();
    assert!(!system.has_solution(&with_box), "{core:?} of {:?}", system.constraints);
    // Without the box it has none either, which a fresh search of another order must not contradict.
    let (mut simplex, ready) = system.build(scale);
    for position in core.iter().rev() {
        let (variable, bound, _) = &ready[*position];
        let cause = Cause::Literal(u32::try_from(*position).unwrap());
        if assert_constraint(&mut simplex, &system.constraints[*position], *variable, bound.clone(), cause)
            .is_err()
        {
            return;
        }
    }
    let outcome = simplex.search_integers(LIMITS);
    assert!(
        !matches!(outcome, Integrality::Model(_)),
        "{core:?} of {:?} has {outcome:?}",
        system.constraints
    );
}

#[test]
fn random_systems_agree_with_enumeration() {
    compare_with_enumeration(1, 1500, &Integer::ONE);
}

#[test]
fn random_systems_agree_with_enumeration_beyond_machine_words() {
    let scale = Integer::from(i64::MAX) * Integer::from(3);
    compare_with_enumeration(2, 500, &scale);
}

#[test]
fn parity_is_decided_without_bounds() {
    let mut simplex = Simplex::new();
    let [x, y] = [simplex.new_variable(), simplex.new_variable()];
    // 2 x - 2 y = 1.
    let term = simplex.term_variable(&Linear::from_terms(
        vec![(x, Integer::from(2)), (y, Integer::from(-2))],
        Integer::ZERO,
    ));
    for side in [Side::Lower, Side::Upper] {
        simplex.assert_bound(term, side, Integer::ONE, Cause::Literal(7)).unwrap();
    }
    assert_eq!(simplex.search_integers(LIMITS), Integrality::Infeasible(vec![Cause::Literal(7)]));
}

#[test]
fn an_unbounded_search_gives_up() {
    let mut simplex = Simplex::new();
    let [x, y] = [simplex.new_variable(), simplex.new_variable()];
    // 1 <= 3 x - 3 y <= 2 has rational but no integer solutions, and no bounds that would end the branching.
    let term = simplex.term_variable(&Linear::from_terms(
        vec![(x, Integer::from(3)), (y, Integer::from(-3))],
        Integer::ZERO,
    ));
    simplex.assert_bound(term, Side::Lower, Integer::ONE, Cause::Literal(1)).unwrap();
    simplex.assert_bound(term, Side::Upper, Integer::from(2), Cause::Literal(2)).unwrap();
    let limits = SearchLimits { max_branches: 20, max_cut_rounds: 0, effort_limit: u64::MAX };
    assert_eq!(simplex.search_integers(limits), Integrality::GaveUp);
}

#[test]
fn models_are_small() {
    let mut simplex = Simplex::new();
    let [x, y] = [simplex.new_variable(), simplex.new_variable()];
    for variable in [x, y] {
        simplex.assert_bound(variable, Side::Lower, Integer::ZERO, Cause::Literal(0)).unwrap();
    }
    let sum = simplex
        .term_variable(&Linear::from_terms(vec![(x, Integer::ONE), (y, Integer::from(2))], Integer::ZERO));
    simplex.push();
    simplex.assert_bound(sum, Side::Lower, Integer::from(1000), Cause::Literal(1)).unwrap();
    assert!(matches!(simplex.search_integers(LIMITS), Integrality::Model(_)));
    simplex.pop(1);
    simplex.assert_bound(sum, Side::Lower, Integer::from(3), Cause::Literal(2)).unwrap();
    let Integrality::Model(values) = simplex.search_integers(LIMITS) else { panic!("there is a model") };
    assert!(&values[0] + &values[1] <= Integer::from(3), "{values:?}");
}
