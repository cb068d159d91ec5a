//! What the word equations of an assignment say without fixing lengths.
//!
//! Three ways to learn from equations as words: how often letters occur (linear equations for the search), Nielsen's
//! transformation (a refutation of the equations alone), and alignment: where two sides have parts that begin at the
//! same place and are equally long in the assignment, these parts are equal whenever that is so.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Abstraction;
use super::facts::Shape;
use super::languages::Taught;
use crate::effort::Effort;
use crate::theory::arith::{IntVar, Linear};
use crate::theory::fixed_length::{Constraint, Piece, Text, Var};
use crate::theory::number::Integer;
use crate::theory::search::{Assignment, Literal};
use crate::theory::word::counts::{Count, count_equations};
use crate::theory::word::{self, System};

/// Effort for one search by Nielsen's transformation.
const NIELSEN_UNITS: u64 = 200_000;
/// Systems with more equations between counts are not counted: the arithmetic would get slow.
const MAX_COUNTS: usize = 300;
/// Pairs of equations that are put together in one run.
const MAX_COMBINED: usize = 500;
/// Lemmas about parts that are aligned, for one assignment.
const MAX_ALIGNED: usize = 12;

/// Remembers what was tried.
#[derive(Default)]
pub(crate) struct Equations {
    /// Sets of equations that Nielsen's transformation was tried on.
    tried: FxHashSet<Vec<usize>>,
    /// Equations whose counts of a letter are known to the search; without a letter for all letters together.
    counted: FxHashSet<(usize, Option<u32>)>,
    /// How often a letter occurs in a variable.
    counts: FxHashMap<(Var, u32), IntVar>,
    /// Pairs of equations with a common side that were put together.
    combined: FxHashSet<(usize, usize)>,
    /// Alignments that are known to the search: the fact and the positions of the pieces.
    aligned: FxHashSet<(usize, usize, usize)>,
}

impl Equations {
    /// Learns from the equations among the facts, if there is something new.
    pub(crate) fn check(
        &mut self,
        effort: &mut Effort,
        abstraction: &mut Abstraction,
        assignment: &Assignment,
        facts: &[usize],
    ) -> Taught {
        let before = abstraction.search.because("equations");
        let taught = self.learn(effort, abstraction, assignment, facts);
        abstraction.search.because(before);
        taught
    }

    fn learn(
        &mut self,
        effort: &mut Effort,
        abstraction: &mut Abstraction,
        assignment: &Assignment,
        facts: &[usize],
    ) -> Taught {
        let equations: Vec<usize> =
            facts.iter().copied().filter(|position| sides(abstraction, *position).is_some()).collect();
        if equations.is_empty() {
            return Taught::Nothing;
        }
        let mut is_new = false;
        if self.tried.insert(equations.clone()) {
            is_new = self.refute_words(effort, abstraction, &equations)
                || self.add_counts(abstraction, &equations);
        }
        is_new |= self.combine(abstraction, &equations);
        is_new |= self.align(abstraction, assignment, &equations);
        if is_new { Taught::Lesson } else { Taught::Nothing }
    }

    /// Says that every letter occurs equally often on both sides. Whether there was something new to say.
    fn add_counts(&mut self, abstraction: &mut Abstraction, positions: &[usize]) -> bool {
        let mut is_new = false;
        let equations = count_equations(&system(abstraction, positions));
        if equations.len() > MAX_COUNTS {
            return false;
        }
        for equation in equations {
            let position = positions[equation.equation];
            let mut products = Vec::new();
            let mut letter = None;
            for (count, factor) in &equation.terms {
                let variable = match count {
                    // The search knows about lengths.
                    Count::Length(var) => abstraction.lengths[*var as usize],
                    Count::Letter(var, counted) => {
                        letter = Some(*counted);
                        self.count(abstraction, *var, *counted)
                    }
                };
                products.push((variable, Integer::from(*factor)));
            }
            if !self.counted.insert((position, letter)) {
                continue;
            }
            let sum = Linear::from_terms(products, Integer::from(equation.constant));
            let literal = abstraction.search.is_zero(&sum);
            let guard = abstraction.facts[position].guard;
            abstraction.search.add_clause(&[!guard, literal]);
            is_new = true;
        }
        is_new
    }

    /// The number of times that a letter occurs in a variable: between zero and its length, all letters together, too.
    fn count(&mut self, abstraction: &mut Abstraction, var: Var, letter: u32) -> IntVar {
        if let Some(count) = self.counts.get(&(var, letter)) {
            return *count;
        }
        let count = abstraction.search.new_int();
        let not_negative = abstraction.search.at_least(&Linear::variable(count), &Linear::constant(0));
        abstraction.search.add_clause(&[not_negative]);
        self.counts.insert((var, letter), count);
        let mut all: Vec<IntVar> =
            self.counts.iter().filter(|((other, _), _)| *other == var).map(|(_, count)| *count).collect();
        all.sort_unstable();
        let sum =
            Linear::from_terms(all.into_iter().map(|count| (count, Integer::ONE)).collect(), Integer::ZERO);
        let length = Linear::variable(abstraction.lengths[var as usize]);
        let within = abstraction.search.at_most(&sum, &length);
        abstraction.search.add_clause(&[within]);
        count
    }

    /// Tries to refute the equations at all lengths at once.
    fn refute_words(
        &mut self,
        effort: &mut Effort,
        abstraction: &mut Abstraction,
        positions: &[usize],
    ) -> bool {
        let system = system(abstraction, positions);
        match effort.budgeted(NIELSEN_UNITS, |budget| word::solve(&system, budget)) {
            word::Answer::Unsat(refuted) => {
                let facts: Vec<usize> = refuted.equations().iter().map(|index| positions[*index]).collect();
                abstraction.refute(&facts);
                true
            }
            word::Answer::Sat(_) | word::Answer::Unknown => false,
        }
    }

    /// Derives from two equations with a common side that their other sides are equal.
    fn combine(&mut self, abstraction: &mut Abstraction, equations: &[usize]) -> bool {
        let mut is_new = false;
        for (number, &first) in equations.iter().enumerate() {
            // An equation under another guard is the same equation.
            if self.combined.insert((first, first))
                && let Some((left, right)) = sides(abstraction, first)
                && let Some(literal) = abstraction.known_equation(&left, &right)
                && literal != abstraction.facts[first].guard
            {
                abstraction.search.add_clause(&[!abstraction.facts[first].guard, literal]);
                is_new = true;
            }
            for &second in &equations[number + 1..] {
                if self.combined.len() >= MAX_COMBINED {
                    return is_new;
                }
                let (Some(one), Some(two)) = (sides(abstraction, first), sides(abstraction, second)) else {
                    continue;
                };
                let Some((left, right)) = other_sides(one, two) else { continue };
                if !self.combined.insert((first, second)) {
                    continue;
                }
                let guards = [first, second].map(|position| abstraction.facts[position].guard);
                let equal = abstraction.derived_equation(left, right);
                abstraction.search.add_clause(&[!guards[0], !guards[1], equal]);
                is_new = true;
            }
        }
        is_new
    }

    /// Adds lemmas for parts of an equation that are aligned under the assignment but not known to be equal.
    fn align(&mut self, abstraction: &mut Abstraction, assignment: &Assignment, equations: &[usize]) -> bool {
        let mut added = 0;
        for &position in equations {
            let Some((left, right)) = sides(abstraction, position) else { continue };
            let starts = |text: &Text| -> Vec<Integer> {
                let mut place = Integer::ZERO;
                text.iter()
                    .map(|piece| {
                        let start = place.clone();
                        place += &piece_length(abstraction, assignment, piece);
                        start
                    })
                    .collect()
            };
            let (left_starts, right_starts) = (starts(&left), starts(&right));
            for (i, left_start) in left_starts.iter().enumerate() {
                for (j, right_start) in right_starts.iter().enumerate() {
                    let same_length = piece_length(abstraction, assignment, &left[i])
                        == piece_length(abstraction, assignment, &right[j]);
                    if added == MAX_ALIGNED
                        || left_start != right_start
                        || !same_length
                        || left[i] == right[j]
                    {
                        continue;
                    }
                    if piece_length(abstraction, assignment, &left[i]).is_zero()
                        || (left.len() == 1 && right.len() == 1)
                        || !self.aligned.insert((position, i, j))
                    {
                        continue;
                    }
                    let guard = abstraction.facts[position].guard;
                    let pieces = [(&left, i), (&right, j)].map(|(text, piece)| PieceOf { text, piece });
                    add_aligned(abstraction, guard, pieces);
                    added += 1;
                }
            }
        }
        added > 0
    }
}

/// A piece of a text, by its position.
#[derive(Clone, Copy)]
struct PieceOf<'t> {
    text: &'t Text,
    piece: usize,
}

impl PieceOf<'_> {
    fn before(self) -> Text {
        self.text[..self.piece].to_vec()
    }

    fn alone(self) -> Text {
        vec![self.text[self.piece].clone()]
    }
}

/// If the texts before two pieces of an equation are equally long, and the pieces are, then the pieces are equal.
fn add_aligned(abstraction: &mut Abstraction, guard: Literal, pieces: [PieceOf<'_>; 2]) {
    let [left_start, right_start] = pieces.map(|piece| abstraction.length(&piece.before()));
    let [left_piece, right_piece] = pieces.map(PieceOf::alone);
    let [left_length, right_length] = [&left_piece, &right_piece].map(|piece| abstraction.length(piece));
    let same_start = abstraction.search.equals(&left_start, &right_start);
    let same_length = abstraction.search.equals(&left_length, &right_length);
    let equal: Literal = abstraction.derived_equation(left_piece, right_piece);
    abstraction.search.add_clause(&[!guard, !same_start, !same_length, equal]);
}

/// The other sides of two equations that have one side in common.
fn other_sides(one: (Text, Text), two: (Text, Text)) -> Option<(Text, Text)> {
    let ((a, b), (c, d)) = (one, two);
    if a == c {
        Some((b, d))
    } else if a == d {
        Some((b, c))
    } else if b == c {
        Some((a, d))
    } else if b == d {
        Some((a, c))
    } else {
        None
    }
}

fn system(abstraction: &Abstraction, positions: &[usize]) -> System {
    let var_count = u32::try_from(abstraction.lengths.len()).expect("fewer than 2^32 string variables");
    let equations = positions.iter().filter_map(|position| sides(abstraction, *position)).collect();
    System { var_count, equations }
}

fn piece_length(abstraction: &Abstraction, assignment: &Assignment, piece: &Piece) -> Integer {
    match piece {
        Piece::Var(var) => assignment.integer(abstraction.lengths[*var as usize]).clone(),
        Piece::Word(letters) => Integer::from(letters.len()),
    }
}

/// The sides of a fact that is an equation.
fn sides(abstraction: &Abstraction, position: usize) -> Option<(Text, Text)> {
    match &abstraction.facts[position].shape {
        Shape::Plain(Constraint::Equal(left, right)) => Some((left.clone(), right.clone())),
        _ => None,
    }
}
