//! What a refutation at fixed lengths says about other lengths.
//!
//! A clash of letters along a chain of equal cells happens again whenever the same cells exist and meet at the same places; both are
//! linear conditions on lengths. A cell is counted from the left or from the right end of its variable (the same for all cells of
//! a variable), and a place from the left or from the right end of its equation; whichever needs the fewest variables is taken.
//! Constraints that are no equations count for their exact lengths only.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cells::Reason;
use super::{Constraint, Piece, Problem, Text, Var};

/// How a sum compares with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// It is zero.
    Zero,
    /// It is zero or more.
    AtLeastZero,
}

/// A condition on lengths: the sum of `factor * |var|` and `constant` stands in `relation` to zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LengthCondition {
    /// Variables, sorted, each once, with factors that are not zero.
    pub terms: Vec<(Var, i64)>,
    /// The constant.
    pub constant: i64,
    /// How the sum compares with zero.
    pub relation: Relation,
}

impl LengthCondition {
    /// Whether the condition holds for these lengths.
    pub fn holds(&self, lengths: &[u64]) -> bool {
        let terms =
            self.terms.iter().map(|&(var, factor)| i128::from(factor) * i128::from(lengths[var as usize]));
        let sum = terms.sum::<i128>() + i128::from(self.constant);
        match self.relation {
            Relation::Zero => sum == 0,
            Relation::AtLeastZero => sum >= 0,
        }
    }
}

/// A proof that some constraints have no common solution, for all lengths that meet some conditions.
///
/// Only complete reasoning makes one. The lengths of the problem meet the conditions. The integers of constraints other than
/// equations, disequalities and predicates count as fixed: the caller adds them to the conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Refutation {
    constraints: Vec<usize>,
    conditions: Vec<LengthCondition>,
    is_general: bool,
}

impl Refutation {
    /// The constraints that have no common solution, as indices, ascending.
    pub fn constraints(&self) -> &[usize] {
        &self.constraints
    }

    /// The refutation holds for all lengths that meet all of these.
    pub fn conditions(&self) -> &[LengthCondition] {
        &self.conditions
    }

    /// Whether it rests on alignments alone, and not on exact lengths.
    pub fn is_general(&self) -> bool {
        self.is_general
    }

    /// The same for a problem whose constraint `numbers[i]` is constraint i here.
    pub(super) fn renumbered(mut self, numbers: &[usize]) -> Self {
        self.constraints.iter_mut().for_each(|index| *index = numbers[*index]);
        self
    }

    /// From the reasons of a clash of letters, or of a difference that cannot be.
    pub(super) fn from_reasons(problem: &Problem, reasons: &[Reason]) -> Self {
        let mut constraints: Vec<usize> = reasons.iter().map(|reason| reason.constraint as usize).collect();
        constraints.sort_unstable();
        constraints.dedup();
        let (equations, others): (Vec<usize>, Vec<usize>) = constraints
            .iter()
            .partition(|&&constraint| matches!(problem.constraints[constraint], Constraint::Equal(..)));
        let meetings: Vec<Meeting<'_>> = reasons
            .iter()
            .filter_map(|reason| match &problem.constraints[reason.constraint as usize] {
                Constraint::Equal(left, right) => {
                    let at = u64::from(reason.position);
                    Some(Meeting {
                        left: TextCell::of(problem, left, at),
                        right: TextCell::of(problem, right, at),
                    })
                }
                _ => None,
            })
            .collect();
        let mut conditions = best_conditions(problem, &meetings);
        conditions.extend(exact_lengths(problem, &others));
        conditions.sort();
        conditions.dedup();
        let is_general = !equations.is_empty() && others.is_empty();
        Refutation { constraints, conditions, is_general }
    }

    /// For the exact lengths of all variables of these constraints.
    pub(super) fn at_exact_lengths(problem: &Problem, mut constraints: Vec<usize>) -> Self {
        constraints.sort_unstable();
        constraints.dedup();
        let conditions = exact_lengths(problem, &constraints);
        Refutation { constraints, conditions, is_general: false }
    }

    /// An equation whose sides have different lengths.
    pub(super) fn of_unequal_lengths(
        problem: &Problem,
        constraint: usize,
        left: &Text,
        right: &Text,
    ) -> Self {
        let mut difference = Sum::default();
        difference.add_text(left, 1);
        difference.add_text(right, -1);
        // Unequal is less or greater; the one that holds now is the condition.
        if text_len(problem, left) < text_len(problem, right) {
            difference.scale(-1);
        }
        difference.constant -= 1;
        let condition = difference.condition(Relation::AtLeastZero);
        Refutation {
            constraints: vec![constraint],
            conditions: condition.into_iter().collect(),
            is_general: true,
        }
    }
}

/// The length of a text.
pub(super) fn text_len(problem: &Problem, text: &Text) -> u64 {
    text.iter().map(|piece| piece_len(problem, piece)).sum()
}

fn piece_len(problem: &Problem, piece: &Piece) -> u64 {
    match piece {
        Piece::Var(var) => problem.lengths[*var as usize],
        Piece::Word(letters) => letters.len() as u64,
    }
}

/// The condition that each variable of the constraints has the length it has.
fn exact_lengths(problem: &Problem, constraints: &[usize]) -> Vec<LengthCondition> {
    let vars: FxHashSet<Var> =
        constraints.iter().flat_map(|&constraint| problem.constraints[constraint].vars()).collect();
    let mut vars: Vec<Var> = vars.into_iter().collect();
    vars.sort_unstable();
    let exact = |&var: &Var| LengthCondition {
        terms: vec![(var, 1)],
        constant: -(problem.lengths[var as usize] as i64),
        relation: Relation::Zero,
    };
    vars.iter().map(exact).collect()
}

/// A linear sum over lengths.
#[derive(Default, Clone)]
struct Sum {
    factors: FxHashMap<Var, i64>,
    constant: i64,
}

impl Sum {
    fn add_var(&mut self, var: Var, factor: i64) {
        *self.factors.entry(var).or_insert(0) += factor;
    }

    fn add_text(&mut self, text: &[Piece], sign: i64) {
        for piece in text {
            match piece {
                Piece::Var(var) => self.add_var(*var, sign),
                Piece::Word(letters) => self.constant += sign * letters.len() as i64,
            }
        }
    }

    fn scale(&mut self, factor: i64) {
        self.factors.values_mut().for_each(|value| *value *= factor);
        self.constant *= factor;
    }

    /// The condition, unless it holds for all lengths.
    fn condition(self, relation: Relation) -> Option<LengthCondition> {
        let mut terms: Vec<(Var, i64)> =
            self.factors.into_iter().filter(|&(_, factor)| factor != 0).collect();
        terms.sort_unstable();
        if terms.is_empty() {
            return None;
        }
        if relation == Relation::Zero && terms[0].1 < 0 {
            terms.iter_mut().for_each(|term| term.1 = -term.1);
            return Some(LengthCondition { terms, constant: -self.constant, relation });
        }
        Some(LengthCondition { terms, constant: self.constant, relation })
    }
}

/// A place of a text: a cell of one of its pieces.
struct TextCell<'a> {
    text: &'a Text,
    piece: usize,
    offset: u64,
    piece_len: u64,
}

/// Two places of an equation that are opposite of each other.
struct Meeting<'a> {
    left: TextCell<'a>,
    right: TextCell<'a>,
}

impl<'a> TextCell<'a> {
    fn of(problem: &Problem, text: &'a Text, position: u64) -> Self {
        let mut rest = position;
        for (piece, part) in text.iter().enumerate() {
            let len = piece_len(problem, part);
            if rest < len {
                return TextCell { text, piece, offset: rest, piece_len: len };
            }
            rest -= len;
        }
        unreachable!("positions are below the length of the text")
    }

    fn var(&self) -> Option<Var> {
        match self.text[self.piece] {
            Piece::Var(var) => Some(var),
            Piece::Word(_) => None,
        }
    }

    /// The distance of the cell from the left end of the text.
    fn distance_from_left(&self, from_right: &FxHashSet<Var>) -> Sum {
        let mut sum = Sum::default();
        sum.add_text(&self.text[..self.piece], 1);
        match self.var() {
            Some(var) if from_right.contains(&var) => {
                sum.add_var(var, 1);
                sum.constant += self.offset as i64 - self.piece_len as i64;
            }
            _ => sum.constant += self.offset as i64,
        }
        sum
    }

    /// The distance of the cell from the right end of the text.
    fn distance_from_right(&self, from_right: &FxHashSet<Var>) -> Sum {
        let mut sum = Sum::default();
        sum.add_text(&self.text[self.piece + 1..], 1);
        match self.var() {
            Some(var) if !from_right.contains(&var) => {
                sum.add_var(var, 1);
                sum.constant -= self.offset as i64 + 1;
            }
            _ => sum.constant += self.piece_len as i64 - self.offset as i64 - 1,
        }
        sum
    }
}

/// The conditions with the fewest variables, by changing the direction of one variable after the other.
fn best_conditions(problem: &Problem, meetings: &[Meeting<'_>]) -> Vec<LengthCondition> {
    let mut vars: Vec<Var> =
        meetings.iter().flat_map(|meeting| [meeting.left.var(), meeting.right.var()]).flatten().collect();
    vars.sort_unstable();
    vars.dedup();
    let cost = |conditions: &[LengthCondition]| -> usize {
        conditions.iter().map(|condition| 1 + condition.terms.len()).sum()
    };
    let mut from_right: FxHashSet<Var> = FxHashSet::default();
    let mut best = conditions_of(problem, meetings, &from_right);
    for var in vars {
        from_right.insert(var);
        let conditions = conditions_of(problem, meetings, &from_right);
        if cost(&conditions) < cost(&best) {
            best = conditions;
        } else {
            from_right.remove(&var);
        }
    }
    best
}

/// That all cells exist, and that they meet.
fn conditions_of(
    problem: &Problem,
    meetings: &[Meeting<'_>],
    from_right: &FxHashSet<Var>,
) -> Vec<LengthCondition> {
    let mut needed: FxHashMap<Var, u64> = FxHashMap::default();
    let mut conditions = Vec::new();
    for meeting in meetings {
        for place in [&meeting.left, &meeting.right] {
            if let Some(var) = place.var() {
                let depth =
                    if from_right.contains(&var) { place.piece_len - place.offset } else { place.offset + 1 };
                let most = needed.entry(var).or_insert(0);
                *most = depth.max(*most);
            }
        }
        let difference = |left: Sum, right: Sum| {
            let mut sum = right;
            sum.scale(-1);
            left.factors.iter().for_each(|(&var, &factor)| sum.add_var(var, factor));
            sum.constant += left.constant;
            sum.condition(Relation::Zero)
        };
        let by_left = difference(
            meeting.left.distance_from_left(from_right),
            meeting.right.distance_from_left(from_right),
        );
        let by_right = difference(
            meeting.left.distance_from_right(from_right),
            meeting.right.distance_from_right(from_right),
        );
        // The sides of the equation have the same length, so each of them says the same.
        if let (Some(by_left), Some(by_right)) = (by_left, by_right) {
            let shorter = if by_left.terms.len() <= by_right.terms.len() { by_left } else { by_right };
            conditions.push(shorter);
        }
    }
    let mut needed: Vec<(Var, u64)> = needed.into_iter().collect();
    needed.sort_unstable();
    conditions.extend(needed.into_iter().map(|(var, depth)| LengthCondition {
        terms: vec![(var, 1)],
        constant: -(depth as i64),
        relation: Relation::AtLeastZero,
    }));
    debug_assert!(conditions.iter().all(|condition| condition.holds(&problem.lengths)));
    conditions.sort();
    conditions.dedup();
    conditions
}
