//! Sorts as guards: are all formulas of a grammar well-sorted?
//!
//! Every alternative of a rule with a sort is read as a term in which the other rules with sorts stand as constants of
//! theirs, and as functions of the names that are bound around them. If each alternative has the sort of its rule, then
//! every formula is well-sorted, of whatever size. Rules without a sort, such as those for operators, are written out;
//! repetitions are tried with up to three copies, because a signature that takes three takes more.
//!
//! A grammar without sorts is not checked.

use std::ops::Range;

use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::source::Span;
use smelt_smtlib::term::Terms;

use super::grammar::{Alternative, Element, Grammar, Guard, Item, Repetition, Rule};

/// An alternative may be written out in at most so many ways.
const MAX_WAYS: usize = 5000;

/// What is not well-sorted in a grammar.
pub(super) fn sort_problems(grammar: &Grammar) -> Vec<Diagnostic> {
    if grammar.rules.iter().all(|rule| rule.guard.is_none()) {
        return Vec::new();
    }
    let checker = Checker { grammar, prelude: prelude(grammar) };
    let mut problems = Vec::new();
    for rule in &grammar.rules {
        let (before, after) = match &rule.guard {
            None if rule.name == "start" => (String::new(), String::new()),
            None => continue,
            Some(guard) => (checker.opening(guard), ")".to_owned()),
        };
        for alternative in &rule.alternatives {
            let ways = match checker.sequence(&alternative.items, &mut vec![rule.name.as_str()]) {
                Ok(ways) => ways,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            let problem =
                ways.iter().find_map(|way| checker.problem(rule, alternative, &before, way, &after));
            problems.extend(problem);
        }
    }
    problems
}

/// The name by which the terms of a rule are called.
fn stand_in(name: &str) -> String {
    format!("any!{name}")
}

/// The declarations of the grammar, and one for each rule with a sort.
fn prelude(grammar: &Grammar) -> String {
    let mut prelude = String::new();
    let mut declare = |name: &str, bound: &[(String, String)], sort: &str| {
        let sorts: Vec<&str> = bound.iter().map(|(_, sort)| sort.as_str()).collect();
        prelude.push_str(&format!("(declare-fun {} ({}) {sort})\n", stand_in(name), sorts.join(" ")));
    };
    for group in grammar.declarations.iter().flat_map(|declarations| &declarations.groups) {
        declare(&group.name, &[], &group.sort);
    }
    for rule in &grammar.rules {
        if let Some(guard) = &rule.guard {
            declare(&rule.name, &guard.bound, &guard.sort);
        }
    }
    let commands = grammar.declarations.iter().flat_map(|declarations| &declarations.commands);
    commands.map(|command| format!("{command}\n")).collect::<String>() + &prelude
}

/// A text that an alternative stands for, and where its pieces come from.
#[derive(Debug, Clone, Default)]
struct Way {
    text: String,
    pieces: Vec<(Range<usize>, Span)>,
}

impl Way {
    fn of(text: String, span: Span) -> Way {
        let pieces = vec![(0..text.len(), span)];
        Way { text, pieces }
    }

    fn then(&self, next: &Way) -> Way {
        let mut whole = self.clone();
        if !whole.text.is_empty() && !next.text.is_empty() {
            whole.text.push(' ');
        }
        let shift = whole.text.len();
        whole.text.push_str(&next.text);
        whole
            .pieces
            .extend(next.pieces.iter().map(|(range, span)| (range.start + shift..range.end + shift, *span)));
        whole
    }
}

fn too_many(span: Span) -> Diagnostic {
    Diagnostic::new(Problem::Form, span, "there are too many ways to write out this alternative")
        .with_help("give some of the rules in it a sort, as in `term [Int]: ..`")
}

struct Checker<'g> {
    grammar: &'g Grammar,
    prelude: String,
}

impl<'g> Checker<'g> {
    /// What stands before a term of this sort, so that it is read as one.
    fn opening(&self, guard: &Guard) -> String {
        let bound: Vec<String> = guard.bound.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
        format!("(define-fun this! ({}) {} ", bound.join(" "), guard.sort)
    }

    fn problem(
        &self,
        rule: &Rule,
        alternative: &Alternative,
        before: &str,
        way: &Way,
        after: &str,
    ) -> Option<Diagnostic> {
        let script = format!("{}{before}{}{after}\n", self.prelude, way.text);
        let reading = read_script_as(&mut Terms::new(), &script, Dialect::V26);
        let problem = reading.diagnostics.into_iter().next()?;
        let offset = self.prelude.len() + before.len();
        let (start, end) = (problem.span.start as usize, problem.span.end as usize);
        let piece =
            way.pieces.iter().find(|(range, _)| start >= range.start + offset && end <= range.end + offset);
        let what = match &rule.guard {
            Some(guard) => format!("this is no term of sort {}", guard.sort),
            None => "this is no sequence of commands".to_owned(),
        };
        let message = format!("{what}: {}", problem.message);
        let span = piece.map_or(alternative.span, |(_, span)| *span);
        Some(
            Diagnostic::new(problem.problem, span, message)
                .with_help(format!("it stands in `{}`", way.text.replace("any!", ""))),
        )
    }

    /// The ways to write out items one after the other. `open` are the rules that are being written out.
    fn sequence(&self, items: &'g [Item], open: &mut Vec<&'g str>) -> Result<Vec<Way>, Diagnostic> {
        let mut ways = vec![Way::default()];
        for item in items {
            let one = self.element(item, open)?;
            let counts: &[usize] = match item.repetition {
                Repetition::Once => &[1],
                Repetition::Optional => &[0, 1],
                Repetition::Any => &[0, 1, 2, 3],
                Repetition::Some | Repetition::Asserts | Repetition::Variables => &[1, 2, 3],
                Repetition::Exactly(count) => &[count as usize],
            };
            let mut longer = Vec::new();
            for count in counts {
                let mut copied = ways.clone();
                for _ in 0..*count {
                    if copied.len() * one.len() > MAX_WAYS {
                        return Err(too_many(item.span));
                    }
                    copied = copied.iter().flat_map(|way| one.iter().map(|next| way.then(next))).collect();
                }
                longer.extend(copied);
            }
            ways = longer;
        }
        Ok(ways)
    }

    fn element(&self, item: &'g Item, open: &mut Vec<&'g str>) -> Result<Vec<Way>, Diagnostic> {
        match &item.element {
            Element::Text(text) => Ok(vec![Way::of(text.clone(), item.span)]),
            Element::Group(alternatives) => self.all(alternatives, open),
            Element::Name(name) => {
                if name == "declarations" && self.grammar.declarations.is_some() {
                    return Ok(vec![Way::default()]);
                }
                let Some(rule) = self.grammar.rules.iter().find(|rule| rule.name == *name) else {
                    // A group of variables, because all names are known.
                    return Ok(vec![Way::of(stand_in(name), item.span)]);
                };
                match &rule.guard {
                    Some(guard) if guard.bound.is_empty() => Ok(vec![Way::of(stand_in(name), item.span)]),
                    Some(guard) => {
                        let bound: Vec<&str> = guard.bound.iter().map(|(name, _)| name.as_str()).collect();
                        Ok(vec![Way::of(format!("({} {})", stand_in(name), bound.join(" ")), item.span)])
                    }
                    None if open.contains(&name.as_str()) => {
                        let message = format!("the rule `{name}` needs a sort, because it contains itself");
                        Err(Diagnostic::new(Problem::Form, rule.span, message)
                            .with_help(format!("write `{name} [Int]: ..`, or a repetition with `+`")))
                    }
                    None => {
                        open.push(name);
                        let ways = self.all(&rule.alternatives, open);
                        open.pop();
                        ways
                    }
                }
            }
        }
    }

    fn all(&self, alternatives: &'g [Alternative], open: &mut Vec<&'g str>) -> Result<Vec<Way>, Diagnostic> {
        let mut ways = Vec::new();
        for alternative in alternatives {
            ways.extend(self.sequence(&alternative.items, open)?);
        }
        Ok(ways)
    }
}
