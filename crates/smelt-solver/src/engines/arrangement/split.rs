//! Splits word equations by the order of the lengths of their ends, as an assignment gives it.
//!
//! Where the sides begin with A and X and A is not longer than X, X is A followed by a fresh variable; where one begins
//! with a word, the other variable begins with as much of it as it is long. Every such choice is a premise, so that the
//! search owns the cases: [`arrange`] follows the one case of the assignment. Steps without a premise come first, then
//! those whose premise covers many lengths. An equation that comes back to a shape that it had before, or that seems to, is left
//! as it is: that is no contradiction.
//!
//! Follows Zheng et al., «Z3str2», 2017, and Mora et al., «Z3str4», 2021, with two cases instead of three: a fresh variable
//! may be empty, and only a step that needs it to be empty rests on that.

use super::equation::{End, Equation, Side, Stripped};
use super::premises::{Premise, Premises};
use super::segments::Segments;
use crate::effort::{Effort, Stopped};
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Piece, Text, Var};
use crate::theory::number::Integer;

/// Steps with premises in one arrangement.
const MAX_STEPS: usize = 2_000;

/// Steps of one equation that may lead back to where they began.
const MAX_OVERLAPS: usize = 8;

/// What came of the equations of an assignment.
pub(super) enum Arranged {
    /// They contradict these premises.
    Refuted(Premises),
    /// Variables are defined as far as possible; these equations are left.
    Open(Vec<Equation>),
}

/// How much a step assumes, less first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    /// Nothing but the equation.
    Free,
    /// A variable is at least as long as a word.
    LongEnough,
    /// A variable is empty.
    Empty,
    /// A variable is at least as long as another one.
    Order,
    /// A variable has a length that is less than that of a word.
    Exact,
    /// The variable also occurs on the other side: the step may lead back to where it began.
    Overlap,
}

const COSTS: [Cost; 6] = [Cost::Free, Cost::LongEnough, Cost::Empty, Cost::Order, Cost::Exact, Cost::Overlap];

/// What became of an equation.
enum Advance {
    /// Nothing to do at this cost.
    None,
    /// A step was made.
    Made,
    /// There is nothing left of it.
    Done,
    /// Its premises contradict each other.
    Refuted,
}

/// Follows the lengths of the assignment until nothing is left to do. Ties go to the given end.
pub(super) fn arrange(
    segments: &mut Segments<'_>,
    effort: &mut Effort,
    mut equations: Vec<Equation>,
    preferred: End,
) -> Result<Arranged, Stopped> {
    let has_word = |equation: &Equation| {
        [&equation.left, &equation.right]
            .iter()
            .any(|side| side.pieces().any(|piece| matches!(piece, Piece::Word(_))))
    };
    equations.sort_by_key(|equation| (!has_word(equation), equation.left.len() + equation.right.len()));
    let mut steps = 0;
    let mut level = 0;
    while level < COSTS.len() && steps < MAX_STEPS {
        let cost = COSTS[level];
        let mut has_progress = false;
        let mut position = 0;
        while position < equations.len() {
            match advance(segments, effort, &mut equations[position], cost, preferred)? {
                Advance::Refuted => return Ok(Arranged::Refuted(equations.swap_remove(position).premises)),
                Advance::Done => {
                    equations.remove(position);
                    has_progress = true;
                }
                Advance::Made => {
                    steps += 1;
                    has_progress = true;
                    if cost > Cost::LongEnough {
                        break;
                    }
                }
                Advance::None => position += 1,
            }
        }
        level = if has_progress { 0 } else { level + 1 };
    }
    Ok(Arranged::Open(equations))
}

/// Makes one step of at most this cost, after all that are free.
fn advance(
    segments: &mut Segments<'_>,
    effort: &mut Effort,
    equation: &mut Equation,
    cost: Cost,
    preferred: End,
) -> Result<Advance, Stopped> {
    match equation.strip(segments, effort)? {
        Stripped::Clash => return Ok(Advance::Refuted),
        Stripped::Nothing => return Ok(Advance::Done),
        Stripped::Open => {}
    }
    if let Some(step) = solve_for_one_side(segments, effort, equation)? {
        return Ok(step);
    }
    let other = if preferred == End::Front { End::Back } else { End::Front };
    let ends = [preferred, other];
    let mut cheapest: Option<(Cost, End)> = None;
    for end in ends {
        if let Some(cost) = cost_of(segments, effort, equation, end)?
            && cheapest.is_none_or(|(least, _)| cost < least)
        {
            cheapest = Some((cost, end));
        }
    }
    match cheapest {
        Some((needed, end)) if needed <= cost && !(equation.is_loop && needed == Cost::Overlap) => {
            if needed == Cost::Overlap {
                equation.overlaps += 1;
                if equation.overlaps > MAX_OVERLAPS || equation.was_here(effort)? {
                    equation.is_loop = true;
                    return Ok(Advance::None);
                }
                segments.has_overlaps = true;
            }
            if needed == Cost::Empty {
                equation.drop_empty(segments, end);
            } else {
                split(segments, equation, end);
            }
            Ok(Advance::Made)
        }
        _ => Ok(Advance::None),
    }
}

/// Uses up an equation that says what a variable is, or that variables are empty.
fn solve_for_one_side(
    segments: &mut Segments<'_>,
    effort: &mut Effort,
    equation: &Equation,
) -> Result<Option<Advance>, Stopped> {
    for (side, other) in [(&equation.left, &equation.right), (&equation.right, &equation.left)] {
        if side.is_empty() {
            let mut is_open = false;
            for piece in other.pieces() {
                match piece {
                    Piece::Word(_) => return Ok(Some(Advance::Refuted)),
                    Piece::Var(var) if segments.definition(*var).is_none() => {
                        segments.define(*var, Vec::new(), equation.premises.clone());
                    }
                    Piece::Var(var) => {
                        let definition = segments.definition(*var).expect("checked before");
                        is_open |= !definition.text.is_empty();
                    }
                }
            }
            // What has a definition stays for what that says.
            return Ok(if is_open { None } else { Some(Advance::Done) });
        }
    }
    // Of two variables the fresh one is defined.
    let sides = if equation.left.single_var() > equation.right.single_var() {
        [(&equation.left, &equation.right), (&equation.right, &equation.left)]
    } else {
        [(&equation.right, &equation.left), (&equation.left, &equation.right)]
    };
    for (side, other) in sides {
        if let Some(var) = side.single_var()
            && segments.definition(var).is_none()
            && !segments.leads_to(effort, other.pieces(), var)?
        {
            segments.define(var, other.text(), equation.premises.clone());
            return Ok(Some(Advance::Done));
        }
    }
    Ok(None)
}

/// What a step at an end of a stripped equation assumes; none if there is no step.
fn cost_of(
    segments: &Segments<'_>,
    effort: &mut Effort,
    equation: &Equation,
    end: End,
) -> Result<Option<Cost>, Stopped> {
    let Some((var, side, cost)) = step_at(segments, equation, end) else { return Ok(None) };
    if cost != Cost::Empty && segments.leads_to(effort, side.pieces(), var)? {
        return Ok(Some(Cost::Overlap));
    }
    Ok(Some(cost))
}

/// The variable that a step at an end defines, the side that it is not on, and what the step assumes.
fn step_at<'e>(segments: &Segments<'_>, equation: &'e Equation, end: End) -> Option<(Var, &'e Side, Cost)> {
    let (left, right) = (&equation.left, &equation.right);
    let (one, two) = (left.outer(end)?, right.outer(end)?);
    for (piece, other) in [(one, right), (two, left)] {
        if let Piece::Var(var) = piece
            && segments.value(*var)? == 0
        {
            return Some((*var, other, Cost::Empty));
        }
    }
    Some(match (one, two) {
        (Piece::Var(var), Piece::Word(word)) => (*var, right, cost_of_word(segments, *var, word)?),
        (Piece::Word(word), Piece::Var(var)) => (*var, left, cost_of_word(segments, *var, word)?),
        (Piece::Var(one), Piece::Var(two)) if longer_is_first(segments, *one, *two)? => {
            (*one, right, Cost::Order)
        }
        (Piece::Var(_), Piece::Var(two)) => (*two, left, Cost::Order),
        (Piece::Word(_), Piece::Word(_)) => return None,
    })
}

fn cost_of_word(segments: &Segments<'_>, var: Var, word: &[u32]) -> Option<Cost> {
    Some(if segments.value(var)? >= length_of(word) { Cost::LongEnough } else { Cost::Exact })
}

/// Whether the first of two variables is the longer one, or, of two equally long ones, the fresh one.
fn longer_is_first(segments: &Segments<'_>, one: Var, two: Var) -> Option<bool> {
    Some((segments.value(one)?, one) > (segments.value(two)?, two))
}

fn length_of(word: &[u32]) -> i64 {
    i64::try_from(word.len()).expect("words fit into memory")
}

/// Defines the longer one of the pieces at an end by the shorter one.
fn split(segments: &mut Segments<'_>, equation: &Equation, end: End) {
    let [one, two] = [&equation.left, &equation.right]
        .map(|side| side.outer(end).expect("a step has a piece on both sides").clone());
    match (one, two) {
        (Piece::Var(var), Piece::Word(word)) | (Piece::Word(word), Piece::Var(var)) => {
            split_at_word(segments, equation, var, &word, end);
        }
        (Piece::Var(one), Piece::Var(two)) => {
            let is_first = longer_is_first(segments, one, two).expect("the cost was known");
            let (long, short) = if is_first { (one, two) } else { (two, one) };
            let length = segments.length(short);
            let value = segments.value(short).expect("the cost was known");
            cut_off(segments, equation, long, MeasuredPiece { piece: Piece::Var(short), length, value }, end);
        }
        (Piece::Word(_), Piece::Word(_)) => unreachable!("words at the same end are stripped"),
    }
}

/// Defines a variable by a word at an end of the other side.
fn split_at_word(segments: &mut Segments<'_>, equation: &Equation, var: Var, word: &[u32], end: End) {
    let value = segments.value(var).expect("the cost was known");
    let count = length_of(word);
    if value >= count {
        let length = Linear::constant(Integer::from(count));
        cut_off(
            segments,
            equation,
            var,
            MeasuredPiece { piece: Piece::word(word), length, value: count },
            end,
        );
        return;
    }
    let taken = usize::try_from(value).expect("lengths are not negative");
    let part = match end {
        End::Front => &word[..taken],
        End::Back => &word[word.len() - taken..],
    };
    let mut premises = equation.premises.clone();
    let difference = &segments.length(var) - &Linear::constant(Integer::from(value));
    segments.table.add(&mut premises, Premise::IsZero(difference));
    segments.define(var, vec![Piece::word(part)], premises);
}

/// A piece with its length, and the value of that under the assignment.
struct MeasuredPiece {
    piece: Piece,
    length: Linear,
    value: i64,
}

/// Defines a variable as a piece that is not longer, at an end, and a fresh variable.
fn cut_off(segments: &mut Segments<'_>, equation: &Equation, var: Var, cut: MeasuredPiece, end: End) {
    let MeasuredPiece { piece, length, value } = cut;
    let whole = segments.length(var);
    let whole_value = segments.value(var).expect("the cost was known");
    let mut premises = equation.premises.clone();
    segments.table.add(&mut premises, Premise::AtMostZero(&length - &whole));
    let rest = segments.fresh(&whole - &length, whole_value - value);
    let text: Text = match end {
        End::Front => vec![piece, Piece::Var(rest)],
        End::Back => vec![Piece::Var(rest), piece],
    };
    segments.define(var, text, premises);
}
