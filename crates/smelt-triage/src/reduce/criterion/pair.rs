//! Findings about two formulas, the second one a step of weakening after the first: both are reduced in step.
//!
//! Both are one script, in which a marked `ite` stands where the rule was used and chooses between what was there before
//! and what the rule made of it. Whatever is changed, the rule must still lead from the one to the other at that place;
//! only then are both formulas asked about. So the answer of the first always tells that of the second.
//!
//! Follows Algorithm 7 of Winterer's thesis.

use smelt_oracle::finding::Evidence;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{expand_lets, replace_in_scope};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::occurrences;
use smelt_store::finding::Finding;
use smelt_testgen::weakening::Direction;
use smelt_testgen::weakening::rule::{Rule, built_in};
use smelt_testgen::weakening::step::{Replaced, is_step, told};

use super::{CriterionError, FindingCriterion, Reproduction};

/// What chooses between the two formulas; no script of ours has such a name.
const MARK: &str = "smelt.before";

/// At most this many places of an assertion are looked at.
const MAX_PLACES: usize = 50_000;

/// Two formulas and the rule that leads from one to the other.
pub struct Pair<'p, 'i> {
    criterion: &'p mut FindingCriterion<'i>,
    step: Step,
    script: String,
}

/// A use of a rule.
struct Step {
    rule: Rule,
    direction: Direction,
}

impl<'p, 'i> Pair<'p, 'i> {
    /// The pair of a finding; none if it does not tell the rule, or the rule is not found to lead from one to the other.
    pub fn new(criterion: &'p mut FindingCriterion<'i>) -> Option<Self> {
        let finding = criterion.finding();
        let step = Step::of(finding)?;
        let Evidence::EarlierLink { formula, .. } = &finding.verdict.evidence else { return None };
        let script = step.together(formula, &criterion.formula())?;
        Some(Pair { criterion, step, script })
    }

    /// Both formulas as one script.
    pub fn script(&self) -> &str {
        &self.script
    }

    /// The formula before, and that after the step; none if the rule does not lead from one to the other.
    pub fn apart(&self, script: &str) -> Option<(String, String)> {
        self.step.apart(script)
    }
}

impl Reproduction for Pair<'_, '_> {
    fn reproduces(&mut self, script: &str) -> Result<bool, CriterionError> {
        match self.step.apart(script) {
            Some((before, case)) => self.criterion.replays_the_same(&case, Some(&before)),
            None => Ok(false),
        }
    }

    fn is_presentable(&self) -> bool {
        false
    }

    fn effort(&self) -> String {
        self.criterion.effort()
    }
}

/// Whether a finding tells the rule that led to it.
pub(super) fn tells_rule(finding: &Finding) -> bool {
    Step::of(finding).is_some()
}

impl Step {
    fn of(finding: &Finding) -> Option<Step> {
        let told = told(&finding.detail)?;
        let rule = built_in().into_iter().find(|rule| rule.id == told.rule)?;
        Some(Step { rule, direction: told.direction })
    }

    /// Two formulas as one script; none if they do not differ by this step alone.
    fn together(&self, before: &str, case: &str) -> Option<String> {
        let mut terms = Terms::new();
        let [first, second] = [before, case].map(|text| {
            let mut script = read_script_as(&mut terms, text, Dialect::V26).script;
            expand_all(&mut terms, &mut script);
            script
        });
        let differing: Vec<usize> = (0..first.commands.len())
            .filter(|place| second.commands.get(*place) != Some(&first.commands[*place]))
            .collect();
        let ([place], true) = (differing.as_slice(), first.commands.len() == second.commands.len()) else {
            return None;
        };
        let (Command::Assert(root), Command::Assert(other)) =
            (&first.commands[*place], &second.commands[*place])
        else {
            return None;
        };
        // The rule may have been used above what differs.
        let (path, old, new) =
            differences(&terms, *root, *other).into_iter().rev().find(|(path, old, new)| {
                is_step(
                    &mut terms,
                    &self.rule,
                    self.direction,
                    Replaced { root: *root, path, old: *old, new: *new },
                )
            })?;
        let name = terms.symbols.intern(MARK);
        let mark = terms.constant(name, Sort::BOOL);
        let choice = terms.apply(Op::Ite, &[], &[mark, old, new]).ok()?;
        let marked = replace_in_scope(&mut terms, *root, &path, choice)?;
        let mut commands = first.commands.clone();
        commands[*place] = Command::Assert(marked);
        commands.insert(*place, Command::DeclareConst(name, Sort::BOOL));
        Some(text_of(&mut terms, &first, commands))
    }

    fn apart(&self, script: &str) -> Option<(String, String)> {
        let mut terms = Terms::new();
        let mut script = read_script_as(&mut terms, script, Dialect::V26).script;
        expand_all(&mut terms, &mut script);
        let name = terms.symbols.get(MARK)?;
        let mark = terms.constant(name, Sort::BOOL);
        let mut choices: Vec<(usize, Vec<u32>)> = Vec::new();
        for (place, command) in script.commands.iter().enumerate() {
            let Command::Assert(root) = command else { continue };
            let marks = occurrences(&terms, *root, MAX_PLACES).into_iter().filter(|found| found.term == mark);
            choices.extend(marks.map(|found| (place, found.path)));
        }
        let [(place, path)] = choices.as_slice() else { return None };
        let Command::Assert(root) = script.commands[*place] else { return None };
        let (last, path) = path.split_last()?;
        let choice = smelt_smtlib::walk::subterm_at(&terms, root, path)?;
        if *last != 0 || terms.op(choice) != Some(Op::Ite) {
            return None;
        }
        let (old, new) = (terms.args(choice)[1], terms.args(choice)[2]);
        if !is_step(&mut terms, &self.rule, self.direction, Replaced { root, path, old, new }) {
            return None;
        }
        let mut with = |chosen: Term| {
            let mut commands = script.commands.clone();
            commands[*place] = Command::Assert(replace_in_scope(&mut terms, root, path, chosen)?);
            commands.retain(|command| !declares(command, name));
            let text = text_of(&mut terms, &script, commands);
            // The mark may have been used elsewhere.
            let is_well_formed =
                read_script_as(&mut Terms::new(), &text, Dialect::V26).diagnostics.is_empty();
            is_well_formed.then_some(text)
        };
        Some((with(old)?, with(new)?))
    }
}

fn declares(command: &Command, wanted: smelt_smtlib::symbol::Symbol) -> bool {
    matches!(command, Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) if *name == wanted)
}

/// Expands the lets of all assertions, so that places are places of the formula and not of how it is printed.
fn expand_all(terms: &mut Terms, script: &mut Script) {
    for command in &mut script.commands {
        if let Command::Assert(root) = command {
            *root = expand_lets(terms, *root);
        }
    }
}

/// The places where two terms differ, the largest first, each inside of the one before.
fn differences(terms: &Terms, first: Term, second: Term) -> Vec<(Vec<u32>, Term, Term)> {
    let mut found = vec![(Vec::new(), first, second)];
    while let Some((path, old, new)) = found.last() {
        let (before, after) = (terms.args(*old), terms.args(*new));
        let differing: Vec<usize> = match before.len() == after.len() && terms.head(*old) == terms.head(*new)
        {
            true => (0..before.len()).filter(|position| before[*position] != after[*position]).collect(),
            false => break,
        };
        let [position] = differing.as_slice() else { break };
        let mut below = path.clone();
        below.push(*position as u32);
        found.push((below, before[*position], after[*position]));
    }
    found
}

fn text_of(terms: &mut Terms, like: &Script, commands: Vec<Command>) -> String {
    let mut script = like.emptied();
    commands.into_iter().for_each(|command| script.push(command));
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(&script);
    printer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str =
        "(declare-const a Int)\n(declare-const b Int)\n(assert (or (> a b) (= a 7)))\n(check-sat)\n";

    fn step(direction: Direction) -> Step {
        let case = BEFORE.replace('>', ">=");
        let leads = |rule: &Rule| {
            let step = Step { rule: rule.clone(), direction };
            step.together(BEFORE, &case).is_some()
        };
        let rule = built_in().into_iter().find(leads);
        Step { rule: rule.expect("a rule leads from > to >="), direction }
    }

    #[test]
    fn two_formulas_are_one_script_and_come_apart_again() {
        let step = step(Direction::Weaken);
        let case = BEFORE.replace('>', ">=");
        let script = step.together(BEFORE, &case).unwrap();
        assert!(script.contains("(ite smelt.before (> a b) (>= a b))"), "{script}");
        assert_eq!(step.apart(&script), Some((BEFORE.to_owned(), case)));
    }

    #[test]
    fn where_the_rule_does_not_apply_any_more_nothing_comes_apart() {
        let step = step(Direction::Weaken);
        let script = step.together(BEFORE, &BEFORE.replace('>', ">=")).unwrap();
        let changed = |from: &str, to: &str| step.apart(&script.replace(from, to));
        assert!(changed("(= a 7)", "(= a 0)").is_some());
        assert!(changed("(>= a b)", "(>= a 0)").is_none());
        assert!(changed("smelt.before (> a b)", "true (> a b)").is_none());
        // Below a negation it would have to be strengthened.
        assert!(changed("(or (ite", "(=> (ite").is_none());
        // In both at once it is the same rule.
        assert!(changed("a b)", "a 0)").is_some());
    }
}
