//! Sequence: a procedure on words by inferences, each of which becomes a clause.
//!
//! The search owns all case splits: an assignment says which equations hold and how long every variable is. A list of
//! checks looks at it, cheap ones first; the first that has something to say ends the round. Equal variables form
//! classes, equations between their parts give normal forms, and functions are simplified in the context of these.
//! Where two forms of a word differ, the lengths of the assignment say which inference applies, so nothing is split
//! here. Words of exactly the lengths of the assignment are looked for before the expensive checks; if there are none, their
//! lesson is learned in any case.
//!
//! Every clause follows from the facts whose guards it negates and from the definitions of fresh variables.
//!
//! Follows Liang, Reynolds, Tinelli, Barrett and Deters, «A DPLL(T) theory solver for a theory of strings and regular
//! expressions», 2014, and the difficulty estimation of Mora et al., «Z3str4: a multi-armed string solver», 2021.

mod classes;
mod compare;
mod context;
mod forms;
mod lemmas;
mod memberships;
mod numbers;
mod order;
mod premises;
mod reductions;
#[cfg(test)]
mod tests;

use super::abstraction::equations::Equations;
use super::abstraction::facts::Shape;
use super::abstraction::languages::{Languages, Taught};
use super::abstraction::rounds::{self, Checked, Round, Rounds};
use super::{Context, Engine, EngineOutcome, Problem};
use crate::Reason;
use crate::ablation::Part;
use crate::effort::Stopped;
use crate::theory::fixed_length::Constraint;

use classes::{Classes, Form, NoClasses, equations, premises_of, text_of};
use compare::{Direction, first_difference};
use context::{InContext, Names};
use forms::Forms;
use lemmas::Lemmas;
use memberships::Membership;
use reductions::Reductions;

/// The engine `sequence`.
pub struct Sequence;

impl Engine for Sequence {
    fn name(&self) -> &'static str {
        "sequence"
    }

    fn solve(&self, ctx: &mut Context<'_>, problem: &Problem) -> EngineOutcome {
        let mut procedure = Procedure::default();
        rounds::decide(self.name(), ctx, problem, |rounds, ctx, round| procedure.check(rounds, ctx, round))
    }
}

/// Rounds in which no check but the last one had anything to say, before the engine gives up.
const MAX_SILENT_ROUNDS: usize = 400;

/// What the checks remember from round to round.
#[derive(Default)]
struct Procedure {
    lemmas: Lemmas,
    names: Names,
    reductions: Reductions,
    languages: Languages,
    equations: Equations,
    /// Products that were made linear.
    products: usize,
    /// Rounds that ended without an inference.
    silent: usize,
}

/// What a check works with besides what it remembers.
struct View<'v> {
    round: &'v Round,
    classes: &'v Classes,
}

/// What a check brought.
enum Found {
    /// Nothing; the next check has its turn.
    Nothing,
    /// Something that ends the round.
    Done(Checked),
    /// The assignment is excluded, but more may follow from it.
    Excluded,
}

impl From<bool> for Found {
    fn from(is_new: bool) -> Found {
        if is_new { Found::Done(Checked::Lesson) } else { Found::Nothing }
    }
}

type Check = fn(&mut Procedure, &mut Rounds<'_>, &mut Context<'_>, &View<'_>) -> Result<Found, Stopped>;

/// The checks in their order, behind the classes, which all of them build on.
static STRATEGY: &[(&str, Check)] = &[
    ("products", multiply),
    ("evaluation", evaluate),
    ("flat-forms", compare_flat_forms),
    ("order", check_order),
    ("languages", check_languages),
    ("words", find_words),
    ("normal-forms", compare_normal_forms),
    ("simplification", simplify),
    ("congruence", check_congruence),
    ("equations", check_equations),
    ("memberships", cut_memberships),
    ("reductions", reduce),
    ("numbers", write_numbers),
];

impl Procedure {
    fn check(&mut self, rounds: &mut Rounds<'_>, ctx: &mut Context<'_>, round: &Round) -> Checked {
        match self.run(rounds, ctx, round) {
            Ok(checked) => checked,
            Err(stopped) => Checked::GiveUp(stopped.into()),
        }
    }

    fn run(
        &mut self,
        rounds: &mut Rounds<'_>,
        ctx: &mut Context<'_>,
        round: &Round,
    ) -> Result<Checked, Stopped> {
        let classes = match Classes::of(ctx.effort, &mut rounds.abstraction, round) {
            Ok(classes) => classes,
            Err(NoClasses::Stopped(stopped)) => return Err(stopped),
            Err(NoClasses::Contradiction(premises)) => {
                self.lemmas.send(&mut rounds.abstraction, &round.assignment, &premises, &[]);
                rounds.count(ctx, "classes");
                rounds.say(ctx, || "classes: two words cannot be equal".to_owned());
                return Ok(Checked::Lesson);
            }
        };
        let view = View { round, classes: &classes };
        let mut is_excluded = false;
        for (name, check) in STRATEGY {
            match check(self, rounds, ctx, &view)? {
                Found::Nothing => {}
                Found::Excluded => is_excluded = true,
                Found::Done(checked) => {
                    rounds.count(ctx, name);
                    rounds.say(ctx, || format!("{name} ended the round of {} facts", round.facts.len()));
                    return Ok(checked);
                }
            }
        }
        rounds.count(ctx, "silent");
        if !is_excluded {
            rounds.leave_aside(round);
            return Ok(Checked::Undecided);
        }
        self.silent += 1;
        if ctx.parts.has(Part::Difficulty) && self.silent > MAX_SILENT_ROUNDS {
            let reason = Reason::Incomplete("no inference applies any more".to_owned());
            return Ok(Checked::GiveUp(reason));
        }
        Ok(Checked::Lesson)
    }

    /// Compares two forms of one word from both ends.
    fn compare(
        &mut self,
        rounds: &mut Rounds<'_>,
        view: &View<'_>,
        guard: crate::theory::search::Literal,
        forms: [&Form; 2],
    ) -> bool {
        let [left, right] = forms;
        let mut is_new = false;
        for direction in [Direction::Forward, Direction::Backward] {
            let mut difference = first_difference(left, right, direction);
            difference.premises_mut().push(guard);
            is_new |=
                self.lemmas.unify(&mut rounds.abstraction, &view.round.assignment, difference, direction);
        }
        is_new
    }
}

/// A product is linear as soon as one factor has a value.
fn multiply(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    ctx.effort.spend(rounds.abstraction.products.len() as u64)?;
    let Procedure { lemmas, products, .. } = procedure;
    Ok(numbers::multiply(&mut rounds.abstraction, &view.round.assignment, lemmas, products).into())
}

/// Numbers determine words.
fn write_numbers(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    ctx.effort.spend(1 + view.round.facts.len() as u64 / 10)?;
    Ok(numbers::write_numbers(&mut rounds.abstraction, &mut procedure.lemmas, view).into())
}

/// Functions whose arguments have values have one.
fn evaluate(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    // Without equations every form is flat.
    let forms = Forms::new(view.classes, &rounds.abstraction, &[]);
    simplify_with(procedure, rounds, ctx, view, forms)
}

/// Functions become simpler when their arguments are replaced by normal forms.
fn simplify(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    let forms = Forms::new(view.classes, &rounds.abstraction, &view.round.facts);
    simplify_with(procedure, rounds, ctx, view, forms)
}

fn simplify_with(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
    mut forms: Forms<'_>,
) -> Result<Found, Stopped> {
    let mut is_new = false;
    let Procedure { lemmas, names, .. } = procedure;
    let mut context = InContext { assignment: &view.round.assignment, forms: &mut forms, lemmas, names };
    for &position in &view.round.facts {
        is_new |= context.simplify(ctx, &mut rounds.abstraction, position)?;
    }
    Ok(is_new.into())
}

/// Both sides of an equation are the same word, piece by piece.
fn compare_flat_forms(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    let mut is_new = false;
    for (position, left, right) in equations(&rounds.abstraction, &view.round.facts) {
        ctx.effort.spend(1)?;
        if left.len() == 1 || right.len() == 1 {
            continue;
        }
        let guard = rounds.abstraction.facts[position].guard;
        let [left, right] = [left, right].map(|side| view.classes.flat(&side));
        is_new |= procedure.compare(rounds, view, guard, [&left, &right]);
    }
    Ok(is_new.into())
}

/// All equations for a class give the same normal form.
fn compare_normal_forms(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    let mut is_new = false;
    let mut forms = Forms::new(view.classes, &rounds.abstraction, &view.round.facts);
    for (position, left, right) in equations(&rounds.abstraction, &view.round.facts) {
        let guard = rounds.abstraction.facts[position].guard;
        let (left, right) = (forms.of(ctx.effort, &left)?, forms.of(ctx.effort, &right)?);
        ctx.effort.spend((left.len() + right.len()) as u64 / 4)?;
        is_new |= procedure.compare(rounds, view, guard, [&left, &right]);
    }
    Ok(is_new.into())
}

/// Letters with the same code are equal; the order of words has no cycles.
fn check_order(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    let Round { assignment, facts } = view.round;
    let (abstraction, lemmas) = (&mut rounds.abstraction, &mut procedure.lemmas);
    let has_same_codes = order::codes(abstraction, assignment, lemmas, facts);
    let has_cycle = order::chains(ctx.effort, abstraction, lemmas, view)?;
    Ok((has_same_codes || has_cycle).into())
}

/// The languages of a variable have words in common, of the length of the assignment.
fn check_languages(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    if !ctx.parts.has(Part::Languages) {
        return Ok(Found::Nothing);
    }
    let Round { assignment, facts } = view.round;
    let taught = procedure.languages.check(&mut rounds.abstraction, assignment, facts);
    Ok(matches!(taught, Taught::Lesson).into())
}

/// Words of the lengths of the assignment are a model; if there are none, the lesson excludes these lengths.
fn find_words(
    _: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    Ok(match rounds.find_words(ctx, view.round) {
        Checked::Lesson => Found::Excluded,
        checked => Found::Done(checked),
    })
}

/// The same function of the same arguments has one value.
fn check_congruence(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    let Round { assignment, facts } = view.round;
    let mut forms = Forms::new(view.classes, &rounds.abstraction, facts);
    let Procedure { lemmas, names, .. } = procedure;
    let mut context = InContext { assignment, forms: &mut forms, lemmas, names };
    Ok(context.congruence(ctx, &mut rounds.abstraction, facts)?.into())
}

/// Equations are refuted at all lengths at once, or say how often letters occur.
fn check_equations(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    if !ctx.parts.has(Part::WordEquations) {
        return Ok(Found::Nothing);
    }
    let Round { assignment, facts } = view.round;
    let taught = procedure.equations.check(ctx.effort, &mut rounds.abstraction, assignment, facts);
    Ok(matches!(taught, Taught::Lesson).into())
}

/// A membership of a concatenation is one of memberships of its parts.
fn cut_memberships(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    let Round { assignment, facts } = view.round;
    let mut forms = Forms::new(view.classes, &rounds.abstraction, facts);
    let mut is_new = false;
    for &position in facts {
        let fact = &rounds.abstraction.facts[position];
        let Shape::Plain(Constraint::Member(text, re)) = &fact.shape else { continue };
        let (guard, re) = (fact.guard, *re);
        let form = forms.of(ctx.effort, &text.clone())?;
        ctx.effort.spend(50)?;
        if form.iter().filter(|part| !part.is_empty()).count() < 2 {
            continue;
        }
        let (abstraction, lemmas) = (&mut rounds.abstraction, &mut procedure.lemmas);
        let mut premises = premises_of(&form);
        premises.push(guard);
        let membership = Membership { text: text_of(&form), re };
        is_new |= memberships::cut(abstraction, assignment, lemmas, &premises, membership);
    }
    Ok(is_new.into())
}

/// Functions that nothing else helps with are replaced by their meaning.
fn reduce(
    procedure: &mut Procedure,
    rounds: &mut Rounds<'_>,
    ctx: &mut Context<'_>,
    view: &View<'_>,
) -> Result<Found, Stopped> {
    let Round { assignment, facts } = view.round;
    ctx.effort.spend(10)?;
    Ok(procedure.reductions.apply(&mut rounds.abstraction, assignment, facts).into())
}
