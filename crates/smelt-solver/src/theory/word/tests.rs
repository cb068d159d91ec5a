//! Nielsen's transformation and letter counts against trying all short words.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use smelt_semantics::Budget;

use super::*;
use crate::theory::fixed_length::Piece;

const A: u32 = 'a' as u32;

/// Letters are lower case, variables X, Y, Z.
fn text(source: &str) -> Text {
    source
        .chars()
        .map(|symbol| match symbol {
            'X'..='Z' => Piece::Var(symbol as u32 - 'X' as u32),
            letter => Piece::word(&[letter as u32]),
        })
        .collect()
}

fn system(equations: &[&str]) -> System {
    let sides = equations.iter().map(|equation| {
        let (left, right) = equation.split_once('=').unwrap();
        (text(left), text(right))
    });
    System { var_count: 3, equations: sides.collect() }
}

fn value(text: &Text, words: &[Vec<u32>]) -> Vec<u32> {
    text.iter()
        .flat_map(|piece| match piece {
            Piece::Var(var) => words[*var as usize].clone(),
            Piece::Word(letters) => letters.to_vec(),
        })
        .collect()
}

fn is_solution(equations: &[&(Text, Text)], words: &[Vec<u32>]) -> bool {
    equations.iter().all(|(left, right)| value(left, words) == value(right, words))
}

/// All words over a and b up to a length.
fn short_words(max_len: usize) -> Vec<Vec<u32>> {
    let mut words = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..max_len {
        let to = words.len();
        for index in from..to {
            for letter in [A, A + 1] {
                let mut longer: Vec<u32> = words[index].clone();
                longer.push(letter);
                words.push(longer);
            }
        }
        from = to;
    }
    words
}

fn check(equations: &[&str], is_sat: bool) {
    let system = system(equations);
    match solve(&system, &mut Budget::new(1 << 28)) {
        Answer::Sat(words) => {
            assert!(is_sat, "{equations:?}: {words:?}");
            assert!(
                is_solution(&system.equations.iter().collect::<Vec<_>>(), &words),
                "{equations:?}: {words:?}"
            );
        }
        Answer::Unsat(_) => assert!(!is_sat, "{equations:?}"),
        Answer::Unknown => panic!("{equations:?}: out of budget"),
    }
}

#[test]
fn textbook_equations_are_decided() {
    check(&["Xa=aX"], true);
    check(&["Xa=bX"], false);
    check(&["XabY=YbaX"], true);
    check(&["XabX=XbaX"], false);
    check(&["XaY=YbX"], false);
    check(&["XaYb=YbXa"], false);
    check(&["XaY=YaX"], true);
    check(&["aXb=XbY"], false);
    check(&["aXb=YXb"], true);
    check(&["XY=YX", "X=aZ", "Y=bZ"], false);
    check(&["XY=YX", "Z=Z"], true);
    check(&["a=b"], false);
    check(&[""].map(|_| "="), true);
    check(&["X="], true);
    check(&["Xb="], false);
}

#[test]
fn the_equation_with_two_words_in_front_is_solvable() {
    // E aa E ab E = a E E aabaa has the solution E = aa.
    let system = system(&["XaaXabX=aXXaabaa"]);
    match solve(&system, &mut Budget::new(1 << 30)) {
        Answer::Sat(words) => assert_eq!(words[0], vec![A, A]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn answers_agree_with_trying_all_short_words() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut below = |bound: u64| rng.next_u64() % bound;
    let candidates = short_words(3);
    let (mut sat_count, mut unsat_count, mut unknown_count) = (0, 0, 0);
    for _ in 0..600 {
        let equations = (0..1 + below(2))
            .map(|_| {
                let mut side = || -> Text {
                    (0..below(5))
                        .map(|_| match below(5) {
                            number @ 0..=2 => Piece::Var(number as Var),
                            number => Piece::word(&[A + number as u32 - 3]),
                        })
                        .collect()
                };
                (side(), side())
            })
            .collect();
        let system = System { var_count: 3, equations };
        let all: Vec<&(Text, Text)> = system.equations.iter().collect();
        let has_short_solution = |equations: &[&(Text, Text)]| {
            candidates.iter().any(|x| {
                candidates.iter().any(|y| {
                    candidates.iter().any(|z| is_solution(equations, &[x.clone(), y.clone(), z.clone()]))
                })
            })
        };
        if let Some(refuted) = counts::refute(&system) {
            let core: Vec<&(Text, Text)> =
                refuted.equations().iter().map(|&index| &system.equations[index]).collect();
            assert!(!has_short_solution(&core), "{system:?}");
        }
        match solve(&system, &mut Budget::new(1 << 22)) {
            Answer::Sat(words) => {
                sat_count += 1;
                assert!(is_solution(&all, &words), "{system:?} {words:?}");
                assert!(counts::refute(&system).is_none(), "{system:?}");
            }
            Answer::Unsat(refuted) => {
                unsat_count += 1;
                let core: Vec<&(Text, Text)> =
                    refuted.equations().iter().map(|&index| &system.equations[index]).collect();
                assert!(!has_short_solution(&core), "{system:?}");
            }
            Answer::Unknown => {
                unknown_count += 1;
                assert!(!is_quadratic(&system), "{system:?}");
            }
        }
    }
    assert!(
        sat_count > 120 && unsat_count > 120 && unknown_count < 30,
        "{sat_count} {unsat_count} {unknown_count}"
    );
}

#[test]
fn letter_counts_refute_what_lengths_do_not() {
    assert!(counts::refute(&system(&["XabY=YbcX"])).is_some());
    assert!(counts::refute(&system(&["XaXb=YYa"])).is_some());
    assert!(counts::refute(&system(&["XYaa=b"])).is_some());
    assert!(counts::refute(&system(&["XabY=YbaX"])).is_none());
}

#[test]
fn count_equations_hold_for_every_solution() {
    let system = system(&["XaY=abX"]);
    let words = [vec![], vec![A + 1], vec![]];
    assert!(is_solution(&[&system.equations[0]], &words));
    let equations = counts::count_equations(&system);
    assert_eq!(equations.len(), 3);
    for equation in equations {
        let sum: i64 = equation
            .terms
            .iter()
            .map(|&(count, factor)| {
                factor
                    * match count {
                        counts::Count::Length(var) => words[var as usize].len() as i64,
                        counts::Count::Letter(var, letter) => {
                            words[var as usize].iter().filter(|&&other| other == letter).count() as i64
                        }
                    }
            })
            .sum();
        assert_eq!(sum + equation.constant, 0, "{equation:?}");
    }
}

#[test]
fn a_refutation_names_only_equations_that_belong_together() {
    let mut system = system(&["X=aX", "Y=ab"]);
    system.equations.reverse();
    match solve(&system, &mut Budget::new(1 << 24)) {
        Answer::Unsat(refuted) => assert_eq!(refuted.equations(), [1]),
        other => panic!("{other:?}"),
    }
}
