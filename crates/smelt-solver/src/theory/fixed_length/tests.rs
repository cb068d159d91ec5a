//! The decision at fixed lengths against trying all words, and the lessons of refutations against all small lengths.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;
use smelt_semantics::letters::LetterSet;

const A: u32 = 'a' as u32;
/// Letters that occur in constraints, and others around them.
const LETTERS: [u32; 7] = ['0' as u32, 'A' as u32, A, A + 1, A + 2, A + 3, A + 4];
const MAX_CELLS: u64 = 4;

fn budget() -> Budget {
    Budget::new(1 << 34)
}

fn word(text: &str) -> Piece {
    Piece::Word(text.chars().map(u32::from).collect())
}

/// Calls `visit` with all words of the given lengths until it says stop; whether it did.
fn any_words(lengths: &[u64], visit: &mut impl FnMut(&[Vec<u32>]) -> bool) -> bool {
    let cell_count: u64 = lengths.iter().sum();
    for number in 0..(LETTERS.len() as u64).pow(cell_count as u32) {
        let mut rest = number;
        let words: Vec<Vec<u32>> = lengths
            .iter()
            .map(|&len| {
                (0..len)
                    .map(|_| {
                        let letter = LETTERS[(rest % LETTERS.len() as u64) as usize];
                        rest /= LETTERS.len() as u64;
                        letter
                    })
                    .collect()
            })
            .collect();
        if visit(&words) {
            return true;
        }
    }
    false
}

fn has_solution(regexes: &mut Regexes, lengths: &[u64], constraints: &[&Constraint]) -> bool {
    any_words(lengths, &mut |words| {
        constraints.iter().all(|constraint| holds(constraint, words, regexes, &mut budget()).unwrap())
    })
}

struct Generator {
    rng: Xoshiro256PlusPlus,
}

impl Generator {
    fn below(&mut self, bound: u64) -> u64 {
        self.rng.next_u64() % bound
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    fn text(&mut self) -> Text {
        let count = self.below(3);
        (0..=count)
            .map(|_| match self.below(4) {
                0 => {
                    let len = 1 + self.below(2);
                    Piece::Word((0..len).map(|_| A + self.below(2) as u32).collect())
                }
                _ => Piece::Var(self.below(3) as Var),
            })
            .collect()
    }

    fn regex(&mut self, regexes: &mut Regexes) -> Re {
        let classes = [LetterSet::range(A, A + 1), LetterSet::single(A), LetterSet::range(A + 1, A + 9)];
        let parts: Vec<Re> = (0..1 + self.below(3))
            .map(|_| {
                let part = regexes.letters(classes[self.below(3) as usize].clone());
                let min = self.below(2);
                regexes.repeat(part, min, if self.below(2) == 0 { None } else { Some(min + 1) })
            })
            .collect();
        let re = regexes.concat(&parts);
        if self.below(3) == 0 { regexes.complement(re) } else { re }
    }

    fn int(&mut self) -> i64 {
        self.below(5) as i64 - 1
    }

    fn constraint(&mut self, regexes: &mut Regexes) -> Constraint {
        match self.below(24) {
            0..=6 => Constraint::Equal(self.text(), self.text()),
            7 | 8 => Constraint::Different(self.text(), self.text()),
            9 | 10 => {
                let re = self.regex(regexes);
                Constraint::Member(self.text(), re)
            }
            11 => Constraint::Prefix { part: self.text(), whole: self.text(), holds: self.flip() },
            12 => Constraint::Suffix { part: self.text(), whole: self.text(), holds: self.flip() },
            13 => Constraint::Contains { whole: self.text(), part: self.text(), holds: self.flip() },
            14 => Constraint::Less { left: self.text(), right: self.text(), or_equal: self.flip() },
            15 => Constraint::Substr {
                result: self.text(),
                source: self.text(),
                start: self.int(),
                count: self.int(),
            },
            16 => Constraint::IndexOf {
                result: self.int(),
                source: self.text(),
                part: self.text(),
                start: self.int(),
            },
            17 => Constraint::Replace {
                result: self.text(),
                source: self.text(),
                part: self.text(),
                new: self.text(),
            },
            18 => Constraint::ReplaceAll {
                result: self.text(),
                source: self.text(),
                part: self.text(),
                new: self.text(),
            },
            22 | 23 => Constraint::ReplaceRegex {
                result: self.text(),
                source: self.text(),
                matching: Matching {
                    language: self.regex(regexes),
                    occurrences: if self.flip() { Occurrences::First } else { Occurrences::All },
                },
                new: self.text(),
            },
            19 => {
                let code = [-1, i64::from(A), i64::from(A) + 1, 0x30000][self.below(4) as usize];
                if self.flip() {
                    Constraint::ToCode { code, text: self.text() }
                } else {
                    Constraint::FromCode { result: self.text(), code }
                }
            }
            _ => {
                let value = IBig::from([-2, -1, 0][self.below(3) as usize]);
                if self.flip() {
                    Constraint::ToInt { value, text: self.text() }
                } else {
                    Constraint::FromInt { result: self.text(), value }
                }
            }
        }
    }
}

/// All ways to give three variables at most this many cells in total.
fn small_lengths(max_cells: u64) -> Vec<Vec<u64>> {
    let mut found = Vec::new();
    for x in 0..=max_cells {
        for y in 0..=max_cells - x {
            for z in 0..=max_cells - x - y {
                found.push(vec![x, y, z]);
            }
        }
    }
    found
}

#[test]
fn answers_agree_with_trying_all_words() {
    let mut generator = Generator { rng: Xoshiro256PlusPlus::seed_from_u64(7) };
    let mut regexes = Regexes::new();
    let all_lengths = small_lengths(MAX_CELLS);
    let (mut sat_count, mut unsat_count) = (0, 0);
    for _ in 0..2000 {
        let lengths = all_lengths[generator.below(all_lengths.len() as u64) as usize].clone();
        let constraints = (0..1 + generator.below(4)).map(|_| generator.constraint(&mut regexes)).collect();
        let problem = Problem { lengths, constraints };
        match solve(&mut regexes, &problem, &mut budget()) {
            Answer::Unknown => panic!("out of budget: {problem:?}"),
            Answer::Sat(words) => {
                sat_count += 1;
                for (word, len) in words.iter().zip(&problem.lengths) {
                    assert_eq!(word.len() as u64, *len);
                }
                for constraint in &problem.constraints {
                    assert!(
                        holds(constraint, &words, &mut regexes, &mut budget()).unwrap(),
                        "{constraint:?} {words:?}"
                    );
                }
            }
            Answer::Unsat(refutation) => {
                unsat_count += 1;
                let core: Vec<&Constraint> =
                    refutation.constraints().iter().map(|&index| &problem.constraints[index]).collect();
                let is_wrong = has_solution(&mut regexes, &problem.lengths, &core);
                assert!(!is_wrong, "{problem:?} {refutation:?}");
                assert!(refutation.conditions().iter().all(|condition| condition.holds(&problem.lengths)));
            }
        }
    }
    assert!(sat_count > 200 && unsat_count > 200, "{sat_count} sat, {unsat_count} unsat");
}

#[test]
fn lessons_hold_for_all_small_lengths() {
    let mut generator = Generator { rng: Xoshiro256PlusPlus::seed_from_u64(8) };
    let mut regexes = Regexes::new();
    let all_lengths = small_lengths(3);
    let (mut lesson_count, mut use_count) = (0, 0);
    for _ in 0..2000 {
        let lengths = all_lengths[generator.below(all_lengths.len() as u64) as usize].clone();
        let constraints = (0..1 + generator.below(3))
            .map(|_| Constraint::Equal(generator.text(), generator.text()))
            .collect();
        let problem = Problem { lengths, constraints };
        let Answer::Unsat(refutation) = solve(&mut regexes, &problem, &mut budget()) else { continue };
        lesson_count += 1;
        let core: Vec<&Constraint> =
            refutation.constraints().iter().map(|&index| &problem.constraints[index]).collect();
        for lengths in &all_lengths {
            if refutation.conditions().iter().all(|condition| condition.holds(lengths)) {
                use_count += 1;
                assert!(
                    !has_solution(&mut regexes, lengths, &core),
                    "{problem:?} {refutation:?} {lengths:?}"
                );
            }
        }
    }
    assert!(lesson_count > 500 && use_count > 4 * lesson_count, "{lesson_count} lessons, {use_count} uses");
}

#[test]
fn a_lesson_requires_that_its_cells_exist() {
    // U X T X = V a S b is solvable with empty X at lengths where it is not with X of length one.
    let [u, x, t, v, s] = [0, 1, 2, 3, 4].map(Piece::Var);
    let left = vec![u, x.clone(), t, x];
    let right = vec![v, word("a"), s, word("b")];
    let problem = Problem {
        lengths: vec![1, 1, 1, 1, 1],
        constraints: vec![Constraint::Equal(left.clone(), right.clone())],
    };
    let mut regexes = Regexes::new();
    let Answer::Unsat(refutation) = solve(&mut regexes, &problem, &mut budget()) else {
        panic!("both letters are cells of X")
    };
    let empty_x = Problem { lengths: vec![2, 0, 2, 1, 1], constraints: vec![Constraint::Equal(left, right)] };
    assert!(matches!(solve(&mut regexes, &empty_x, &mut budget()), Answer::Sat(_)));
    assert!(!refutation.conditions().iter().all(|condition| condition.holds(&empty_x.lengths)));
}

#[test]
fn long_words_are_no_problem() {
    let len = 50_000;
    let x = || Piece::Var(0);
    let equation = |letter: &str| {
        // x y = y x with |x| and |y| coprime makes all letters the same.
        vec![
            Constraint::Equal(vec![x(), Piece::Var(1)], vec![Piece::Var(1), x()]),
            Constraint::Prefix { part: vec![word("a")], whole: vec![x()], holds: true },
            Constraint::Suffix { part: vec![word(letter)], whole: vec![Piece::Var(1)], holds: true },
        ]
    };
    let mut regexes = Regexes::new();
    let lengths = vec![len, len - 1];
    let same = Problem { lengths: lengths.clone(), constraints: equation("a") };
    let mut budget = Budget::new(1 << 26);
    assert_eq!(
        solve(&mut regexes, &same, &mut budget),
        Answer::Sat(vec![vec![A; len as usize], vec![A; len as usize - 1]])
    );
    let different = Problem { lengths, constraints: equation("b") };
    assert!(matches!(solve(&mut regexes, &different, &mut budget), Answer::Unsat(_)));
}

#[test]
fn as_many_letters_are_kept_as_can_be_told_apart() {
    let mut regexes = Regexes::new();
    // Not the first letters that come to mind, so that guessing does not help.
    let class = regexes.letters(LetterSet::range(A + 12, A + 14));
    let mut check = |count: Var, is_sat: bool| {
        let mut constraints = Vec::new();
        for one in 0..count {
            constraints.push(Constraint::Member(vec![Piece::Var(one)], class));
            for two in 0..one {
                constraints.push(Constraint::Different(vec![Piece::Var(one)], vec![Piece::Var(two)]));
            }
        }
        let problem = Problem { lengths: vec![1; count as usize], constraints };
        let answer = solve(&mut regexes, &problem, &mut budget());
        assert_eq!(matches!(answer, Answer::Sat(_)), is_sat, "{answer:?}");
        assert_eq!(matches!(answer, Answer::Unsat(_)), !is_sat, "{answer:?}");
    };
    check(3, true);
    check(4, false);
}

#[test]
fn letters_in_between_are_found() {
    let mut regexes = Regexes::new();
    let less = |left: Piece, right: Piece| Constraint::Less {
        left: vec![left],
        right: vec![right],
        or_equal: false,
    };
    let mut check = |upper: &str, is_sat: bool| {
        let constraints = vec![
            less(word("a"), Piece::Var(0)),
            less(Piece::Var(0), Piece::Var(1)),
            less(Piece::Var(1), word(upper)),
        ];
        let problem = Problem { lengths: vec![1, 1], constraints };
        let answer = solve(&mut regexes, &problem, &mut budget());
        assert_eq!(matches!(answer, Answer::Sat(_)), is_sat, "{answer:?}");
    };
    check("d", true);
    check("c", false);
}

#[test]
fn a_clash_at_the_ends_needs_no_lengths() {
    let problem = Problem {
        lengths: vec![3, 3],
        constraints: vec![Constraint::Equal(vec![Piece::Var(0), word("a")], vec![Piece::Var(1), word("b")])],
    };
    let Answer::Unsat(refutation) = solve(&mut Regexes::new(), &problem, &mut budget()) else {
        panic!("the last letters differ")
    };
    assert_eq!(refutation.conditions(), []);
    assert!(refutation.is_general());
}

#[test]
fn without_budget_nothing_is_claimed() {
    let mut regexes = Regexes::new();
    let problem = Problem {
        lengths: vec![1000, 1000],
        constraints: vec![Constraint::Equal(vec![Piece::Var(0)], vec![Piece::Var(1)])],
    };
    assert_eq!(solve(&mut regexes, &problem, &mut Budget::new(100)), Answer::Unknown);
}

#[test]
fn matches_are_replaced_as_the_theory_says() {
    use smelt_semantics::string::Str;

    let mut regexes = Regexes::new();
    let mut meant = smelt_semantics::regex::Regexes::new();
    let letters = |text: &str| text.chars().map(u32::from).collect::<Vec<u32>>();
    let str = |text: &str| Str::from_code_points(letters(text)).unwrap();
    let mut count = 0;
    // The longer alternative begins further left and wins, whichever ends first.
    for alternatives in [["abc", "b"], ["a", "ab"], ["", "b"], ["bb", "b"], ["ca", "aa"]] {
        let ours = alternatives.map(|word| regexes.word(&letters(word)));
        let language = regexes.union(&ours);
        let theirs = alternatives.map(|word| meant.to_re(&str(word), &mut budget()).unwrap());
        let their_language = meant.union(&theirs, &mut budget()).unwrap();
        for source in ["", "b", "abc", "xabcb", "bbb", "caab", "aabab"] {
            for (occurrences, expected) in [
                (
                    Occurrences::First,
                    meant.replace_re(&str(source), their_language, &str("-"), &mut budget()),
                ),
                (
                    Occurrences::All,
                    meant.replace_re_all(&str(source), their_language, &str("-"), &mut budget()),
                ),
            ] {
                let expected = expected.unwrap();
                let matching = Matching { language, occurrences };
                let constraint = Constraint::ReplaceRegex {
                    result: vec![Piece::Var(0)],
                    source: vec![Piece::Var(1)],
                    matching,
                    new: vec![word("-")],
                };
                let words = [expected.chars().to_vec(), letters(source)];
                assert!(holds(&constraint, &words, &mut regexes, &mut budget()).unwrap(), "{constraint:?}");
                let fixed = Constraint::Equal(vec![Piece::Var(1)], vec![word(source)]);
                let lengths = vec![expected.len() as u64, source.len() as u64];
                let problem = Problem { lengths, constraints: vec![fixed, constraint] };
                assert_eq!(solve(&mut regexes, &problem, &mut budget()), Answer::Sat(words.to_vec()));
                count += 1;
            }
        }
    }
    assert_eq!(count, 70);
}

#[test]
fn constraints_that_are_not_needed_are_not_blamed() {
    let mut regexes = Regexes::new();
    let letters = regexes.letters(LetterSet::range(A, A + 1));
    let letters = regexes.star(letters);
    let member = |var: Var| Constraint::Member(vec![Piece::Var(var)], letters);
    let problem = Problem {
        lengths: vec![2, 2, 2],
        constraints: vec![
            // These shape the same cells and have nothing to do with the conflict.
            Constraint::Equal(vec![Piece::Var(0)], vec![Piece::Var(1)]),
            member(1),
            Constraint::Different(vec![Piece::Var(1)], vec![word("aa")]),
            member(0),
            Constraint::Contains {
                whole: vec![Piece::Var(0), Piece::Var(2)],
                part: vec![word("c")],
                holds: true,
            },
            member(2),
        ],
    };
    let Answer::Unsat(refutation) = solve(&mut regexes, &problem, &mut budget()) else {
        panic!("there is no c in any of them")
    };
    assert!(
        refutation.constraints() == [3, 4, 5] || refutation.constraints() == [0, 1, 4, 5],
        "{refutation:?}"
    );
    let vars: Vec<Var> = refutation
        .conditions()
        .iter()
        .flat_map(|condition| condition.terms.iter().map(|term| term.0))
        .collect();
    assert_eq!(vars.contains(&1), refutation.constraints().contains(&0), "{refutation:?}");
}
