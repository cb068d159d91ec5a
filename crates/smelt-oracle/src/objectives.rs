//! The objectives of a script: what its last check is to make as large or as small as it can.
//!
//! Objectives come from `minimize`, `maximize` and `assert-soft`, as z3 and OptiMathSAT have them. They say nothing about
//! which models there are, so solvers that do not know the commands get the script without them.

use dashu_ratio::RBig;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::print::term_text;
use smelt_smtlib::script::{Command, Extension, ExtensionPart, Role, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Literal, Term, Terms};

/// The option that says how several objectives are weighed against each other.
pub const PRIORITY: &str = ":opt.priority";
/// What the options begin with that only optimization knows.
const OPTIONS: &str = ":opt.";

/// How several objectives are weighed against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// The first counts most; each other one counts where all before it have their best values.
    Lexicographic,
    /// Each is optimized as if it were alone.
    Box,
    /// No model is better in one and as good in all others.
    Pareto,
}

impl Priority {
    /// All of them.
    pub const ALL: [Priority; 3] = [Priority::Lexicographic, Priority::Box, Priority::Pareto];

    /// The value of the option.
    pub fn word(self) -> &'static str {
        match self {
            Priority::Lexicographic => "lex",
            Priority::Box => "box",
            Priority::Pareto => "pareto",
        }
    }
}

/// Something to be made as large or as small as it can be.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// A number or a bit-vector, which counts as unsigned. Of soft constraints it is the sum of the weights of those
    /// that are false.
    pub term: Term,
    /// Whether large values are good.
    pub is_maximized: bool,
    /// The objective for people: `(maximize x)`, `soft constraints of group g`.
    pub text: String,
}

/// The objectives in force at the last check of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Objectives {
    /// How they are weighed; none if the script does not say.
    pub priority: Option<Priority>,
    /// In the order in which they are reported.
    pub list: Vec<Objective>,
}

/// What a command adds.
enum Addition<'c> {
    Term { term: Term, is_maximized: bool, command: &'c Extension },
    Soft(Soft),
}

/// A soft constraint.
struct Soft {
    formula: Term,
    weight: RBig,
    group: String,
}

/// The objectives in force at the last check of a script; none if it has no check, or something that is not understood.
pub fn objectives(terms: &mut Terms, script: &Script) -> Option<Objectives> {
    let last = script.commands.iter().rposition(|command| command.role() == Role::Check)?;
    let mut priority = None;
    let mut additions: Vec<Addition<'_>> = Vec::new();
    let mut levels: Vec<usize> = Vec::new();
    for command in &script.commands[..last] {
        match command {
            Command::SetOption(name, value) if terms.text(*name) == PRIORITY => {
                let word = terms.text((*value)?);
                priority = Some(Priority::ALL.into_iter().find(|known| known.word() == word)?);
            }
            Command::Push(count) => levels.extend((0..*count).map(|_| additions.len())),
            Command::Pop(count) => {
                let open = levels.len().checked_sub(*count as usize)?;
                additions.truncate(levels.get(open).copied().unwrap_or(additions.len()));
                levels.truncate(open);
            }
            Command::Extension(extension) if is_objective(extension) => {
                additions.push(addition(terms, extension)?);
            }
            _ if matches!(command.role(), Role::Scope | Role::Unknown) => return None,
            _ => {}
        }
    }
    Some(Objectives { priority, list: objectives_of(terms, &additions)? })
}

/// The script without objectives, without questions about them and without options for them: what a solver gets that does
/// not know them. The answers to its checks are the same.
pub fn without_objectives(terms: &Terms, script: &Script) -> Script {
    let mut plain = script.emptied();
    for command in &script.commands {
        let is_about_objectives = match command {
            Command::Extension(extension) => is_objective(extension) || extension.word == "get-objectives",
            Command::SetOption(name, _) => terms.text(*name).starts_with(OPTIONS),
            _ => false,
        };
        if !is_about_objectives {
            plain.push(command.clone());
        }
    }
    plain
}

/// Whether a script has objectives, in whatever scope.
pub fn has_objectives(script: &Script) -> bool {
    script.commands.iter().any(|command| matches!(command, Command::Extension(one) if is_objective(one)))
}

fn is_objective(extension: &Extension) -> bool {
    matches!(extension.word, "minimize" | "maximize" | "assert-soft")
}

fn addition<'c>(terms: &Terms, extension: &'c Extension) -> Option<Addition<'c>> {
    let (ExtensionPart::Term(term), rest) = extension.parts.split_first()? else { return None };
    let (term, is_maximized) = (*term, extension.word == "maximize");
    if extension.word != "assert-soft" {
        let is_number = matches!(
            terms.sorts.kind(terms.sort(term)),
            SortKind::Int | SortKind::Real | SortKind::BitVec(_)
        );
        return (rest.is_empty() && is_number).then_some(Addition::Term {
            term,
            is_maximized,
            command: extension,
        });
    }
    let mut soft = Soft { formula: term, weight: RBig::ONE, group: String::new() };
    for attribute in rest.chunks(2) {
        let [ExtensionPart::Text(name), ExtensionPart::Text(value)] = attribute else { return None };
        match terms.text(*name) {
            ":weight" => soft.weight = decimal(terms.text(*value))?,
            ":id" => soft.group = terms.text(*value).to_owned(),
            _ => return None,
        }
    }
    (terms.sort(term) == Sort::BOOL).then_some(Addition::Soft(soft))
}

/// A group of soft constraints stands where its first one does.
fn objectives_of(terms: &mut Terms, additions: &[Addition<'_>]) -> Option<Vec<Objective>> {
    let mut list = Vec::new();
    let mut groups: Vec<&str> = Vec::new();
    for addition in additions {
        match addition {
            Addition::Term { term, is_maximized, command } => {
                let text = format!("({} {})", command.word, term_text(terms, *term));
                list.push(Objective { term: *term, is_maximized: *is_maximized, text });
            }
            Addition::Soft(soft) if groups.contains(&soft.group.as_str()) => {}
            Addition::Soft(Soft { group, .. }) => {
                groups.push(group);
                let of_group = |addition: &&Addition<'_>| matches!(addition, Addition::Soft(other) if other.group == *group);
                let mut costs = Vec::new();
                for addition in additions.iter().filter(of_group) {
                    let Addition::Soft(soft) = addition else { continue };
                    let (none, weight) = (real(terms, &RBig::ZERO), real(terms, &soft.weight));
                    costs.push(terms.apply(Op::Ite, &[], &[soft.formula, none, weight]).ok()?);
                }
                let text = match group.as_str() {
                    "" => "the sum of the weights of the soft constraints that are false".to_owned(),
                    group => {
                        format!("the sum of the weights of the soft constraints of `{group}` that are false")
                    }
                };
                list.push(Objective { term: build::sum(terms, &costs), is_maximized: false, text });
            }
        }
    }
    Some(list)
}

/// A number as it is written: `3`, `-0.25`, `(- 2)`.
fn decimal(text: &str) -> Option<RBig> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('(') {
        let inner = inner.strip_suffix(')')?.trim_start();
        return Some(-decimal(inner.strip_prefix('-')?)?);
    }
    if let Some(rest) = text.strip_prefix('-') {
        return Some(-decimal(rest)?);
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(part) {
        return None;
    }
    let digits: RBig = format!("{whole}{part}").parse().ok()?;
    let scale: RBig = format!("1{}", "0".repeat(part.len())).parse().ok()?;
    Some(digits / scale)
}

/// A literal of sort `Real`.
pub(crate) fn real(terms: &mut Terms, value: &RBig) -> Term {
    let is_negative = *value < RBig::ZERO;
    let value = if is_negative { -value.clone() } else { value.clone() };
    let mut literal = |number: String| terms.literal(Literal::Decimal, &format!("{number}.0"), Sort::REAL);
    let numerator = literal(value.numerator().to_string());
    let denominator = literal(value.denominator().to_string());
    let magnitude = match value.is_int() {
        true => numerator,
        false => build::apply(terms, Op::RealDiv, &[numerator, denominator]),
    };
    if is_negative { build::apply(terms, Op::Neg, &[magnitude]) } else { magnitude }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::script_text;
    use smelt_smtlib::read::read_script;

    use super::*;

    /// The objectives of a script with what they are about, one a line.
    fn listed(source: &str) -> Option<Vec<String>> {
        let mut terms = Terms::new();
        let reading =
            read_script(&mut terms, &format!("(declare-const x Int)(declare-const p Bool){source}"));
        assert_eq!(reading.diagnostics, []);
        let found = objectives(&mut terms, &reading.script)?;
        let priority = found.priority.map_or("", Priority::word);
        let shown = |one: &Objective| {
            let word = if one.is_maximized { "max" } else { "min" };
            format!("{priority} {word} {}", term_text(&mut terms, one.term))
        };
        Some(found.list.iter().map(shown).collect())
    }

    #[test]
    fn objectives_are_those_in_force_at_the_last_check() {
        let source = "(set-option :opt.priority box)(maximize x)(push 1)(minimize (- x))(check-sat)(pop 1)\
            (minimize (+ x 1))(check-sat)(maximize 3)";
        assert_eq!(listed(source).unwrap(), ["box max x", "box min (+ x 1)"]);
    }

    #[test]
    fn soft_constraints_of_a_group_are_one_objective_where_the_first_of_them_stands() {
        let source = "(assert-soft p :id a :weight 0.25)(assert-soft p)(maximize x)(assert-soft (not p) :id a :weight -3)\
            (check-sat)";
        let expected =
            [" min (+ (ite p 0.0 (/ 1.0 4.0)) (ite (not p) 0.0 (- 3.0)))", " min (ite p 0.0 1.0)", " max x"];
        assert_eq!(listed(source).unwrap(), expected);
    }

    #[test]
    fn what_is_not_understood_has_no_objectives() {
        for source in [
            "(maximize x)",
            "(maximize x :id a)(check-sat)",
            "(assert-soft p :weight many)(check-sat)",
            "(assert-soft p :dweight 2)(check-sat)",
            "(set-option :opt.priority other)(maximize x)(check-sat)",
            "(maximize x)(reset-assertions)(check-sat)",
            "(maximize p)(check-sat)",
        ] {
            assert_eq!(listed(source), None, "{source}");
        }
        assert_eq!(listed("(assert p)(check-sat)").unwrap(), [""; 0]);
    }

    #[test]
    fn a_solver_without_objectives_gets_the_rest() {
        let mut terms = Terms::new();
        let source = "(set-option :opt.priority box)(set-option :random-seed 1)(declare-const x Int)(maximize x)\
            (assert-soft (> x 1))(check-sat)(get-objectives)(get-model)";
        let script = read_script(&mut terms, source).script;
        assert!(has_objectives(&script));
        let plain = without_objectives(&terms, &script);
        assert!(!has_objectives(&plain));
        let expected = "(set-option :random-seed 1)(declare-const x Int)(check-sat)(get-model)";
        assert_eq!(script_text(&mut terms, &plain).replace('\n', ""), expected);
    }
}
