//! Simplification: what a solver makes of a term must have the value of the term.
//!
//! z3 and cvc5 are asked to simplify the subterms of a case, z3 also with options of its rewriter that are drawn, and
//! to apply tactics that keep the meaning of a goal. Input and result are compared by evaluation, as steps of proofs
//! are. Nothing has to be solved, so one run checks hundreds of results.

use smelt_proof::steps::Derivation;
use smelt_smtlib::build;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{Layout, Printer, script_text, term_text};
use smelt_smtlib::read::{Reading, read_script, read_script_as, read_term_tolerantly};
use smelt_smtlib::script::{Role, Script};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::{subterms, tree_size};

use super::claim::{FalseClaim, about, false_claim, judged};
use super::{Judge, JudgeStep, Observed};
use crate::evaluated::EvaluatedRun;
use crate::finding::Class;
use crate::flatten::flatten;
use crate::run::Answer;

/// Results asked for in one run, those of tactics not counted.
const MAX_SUBJECTS: usize = 256;
/// Larger terms are not asked about: their parts are.
const MAX_SIZE: u64 = 300;

/// Options of z3's rewriter that change the form of a result and not its meaning, and that all releases know.
const OPTIONS: &[&str] = &[
    "",
    ":som true",
    ":arith_lhs true",
    ":blast_distinct true",
    ":elim_and true",
    ":eq2ineq true",
    ":expand_power true",
    ":flat false",
    ":gcd_rounding true",
    ":hoist_mul true",
    ":ite_extra_rules true",
    ":local_ctx true",
    ":mul2concat true",
    ":mul_to_power true",
    ":pull_cheap_ite true",
    ":push_ite_arith true",
    ":push_ite_bv true",
    ":push_to_real false",
    ":sort_sums true",
    ":split_concat_eq true",
    ":bv_extract_prop true",
    ":bv_ite2id true",
    ":bv_le_extra true",
    ":bv_not_simpl true",
    ":bv_sort_ac true",
    ":elim_sign_ext false",
    ":expand_select_store true",
    ":expand_store_eq true",
    ":sort_store true",
    ":som true :arith_lhs true :sort_sums true",
];

/// Tactics of z3 whose goals mean what they are applied to; others introduce or eliminate constants.
const TACTICS: &[&str] = &[
    "simplify",
    "ctx-simplify",
    "dom-simplify",
    "propagate-values",
    "elim-and",
    "aig",
    "nnf",
    "der",
    "blast-term-ite",
    "propagate-ineqs",
    "split-clause",
];

/// Blames a solver for a term that does not have the value of what it was made of.
#[derive(Debug)]
pub(super) struct InvalidSimplification;

/// What a solver is asked for.
struct Subject {
    /// What must have the value of the result.
    term: Term,
    /// How it is asked: `simplify` with its options, or `apply` with a tactic.
    how: Transformation,
}

#[derive(Clone, Copy)]
enum Transformation {
    Simplify(&'static str),
    Tactic(&'static str),
}

impl Judge for InvalidSimplification {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn about(&self) -> &'static str {
        "what a solver simplifies a term to has another value"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::InvalidSimplification]
    }

    /// It looks at the rewriter only and costs a run for each case.
    fn is_usual(&self) -> bool {
        false
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let Some(script) = flatten(terms, observed.script) else { return JudgeStep::Done(Vec::new()) };
        let asked: Vec<&EvaluatedRun> = observed.runs.iter().filter(|checked| is_asked(checked)).collect();
        if asked.is_empty() {
            return JudgeStep::Done(Vec::new());
        }
        let plain = script_text(terms, &script);
        if replies.is_empty() {
            let questions = asked.iter().map(|checked| {
                let text = request(&plain, &checked.family, checked.dialect, observed.sample_key);
                observed.ask(checked, read_script_as(terms, &text, Dialect::V26).script)
            });
            return JudgeStep::Ask(questions.collect());
        }
        let (results, opinions) = replies.split_at(asked.len().min(replies.len()));
        let found: Vec<FalseClaim> = results
            .iter()
            .enumerate()
            .filter_map(|(position, reply)| false_result(&plain, reply, position, observed.sample_key))
            .collect();
        if opinions.is_empty() && !found.is_empty() {
            return JudgeStep::Ask(found.iter().flat_map(|claim| about(terms, observed, claim)).collect());
        }
        let opinions = opinions.chunks(observed.runs.len().max(1));
        let verdicts = found.into_iter().zip(opinions).filter_map(|(claim, opinions)| {
            let claimant = &results[claim.position];
            judged(Class::InvalidSimplification, claim, claimant, opinions)
        });
        JudgeStep::Done(verdicts.collect())
    }
}

/// Whether a solver has the command, and took the case.
fn is_asked(checked: &EvaluatedRun) -> bool {
    matches!(checked.family.as_str(), "z3" | "cvc5")
        && !matches!(checked.run.answer, Answer::Rejected | Answer::Error | Answer::Crash)
}

/// What is asked about a plain script that was read into an arena of its own: always the same for the same key.
fn subjects(terms: &mut Terms, script: &Script, family: &str, key: u64) -> Vec<Subject> {
    let assertions: Vec<Term> = script.assertions().collect();
    let has_value = |term: &Term| {
        !terms.args(*term).is_empty()
            && !terms.has_locals(*term)
            && tree_size(terms, *term) <= MAX_SIZE
            && !matches!(terms.sort(*term), Sort::UNKNOWN | Sort::REG_LAN)
    };
    let candidates: Vec<Term> = subterms(terms, &assertions).into_iter().filter(has_value).collect();
    let mut subjects = Vec::new();
    let rounds = if family == "z3" { 4 } else { 1 };
    for round in 0..rounds {
        for (number, term) in candidates.iter().enumerate() {
            let drawn = key.wrapping_add((number as u64) << 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17;
            let option = match round {
                0 => "",
                _ => OPTIONS[(drawn as usize + round) % OPTIONS.len()],
            };
            subjects.push(Subject { term: *term, how: Transformation::Simplify(option) });
        }
    }
    subjects.truncate(MAX_SUBJECTS);
    if family == "z3"
        && assertions.iter().all(|assertion| tree_size(terms, *assertion) <= MAX_SIZE)
        && !assertions.is_empty()
    {
        let whole = build::and(terms, &assertions);
        subjects.extend(
            TACTICS.iter().map(|tactic| Subject { term: whole, how: Transformation::Tactic(tactic) }),
        );
    }
    subjects
}

/// What results are preceded by; their numbers follow.
pub(super) const MARK: &str = "smelt-result-";

/// The declarations of a plain script, a check that costs nothing, and the requests.
fn request(plain: &str, family: &str, dialect: Dialect, key: u64) -> String {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, plain).script;
    let mut declarations = script.emptied();
    for command in script.commands.iter().filter(|command| command.role() == Role::Declaration) {
        declarations.push(command.clone());
    }
    let mut text = script_text(&mut terms, &declarations);
    text.push_str("(check-sat)\n");
    let mut has_assertions = false;
    for (number, subject) in subjects(&mut terms, &script, family, key).iter().enumerate() {
        if matches!(subject.how, Transformation::Tactic(_)) && !std::mem::replace(&mut has_assertions, true) {
            for assertion in script.assertions() {
                text.push_str(&format!("(assert {})\n", term_text(&mut terms, assertion)));
            }
        }
        text.push_str(&format!("(echo \"{MARK}{number}\")\n"));
        text.push_str(&match subject.how {
            Transformation::Simplify(options) => {
                // The reader keeps the command as it is written, so that it is in the dialect of the solver.
                let mut printer = Printer::new(&mut terms, dialect, Layout::Shared);
                printer.term(subject.term);
                format!("(simplify {} {options})\n", printer.finish())
            }
            Transformation::Tactic(tactic) => format!("(apply (try-for {tactic} 200))\n"),
        });
    }
    text
}

/// A result that does not have the value of what was asked about.
fn false_result(plain: &str, reply: &EvaluatedRun, position: usize, key: u64) -> Option<FalseClaim> {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, plain);
    let subjects = subjects(&mut terms, &reading.script, &reply.family, key);
    let mut claims: Vec<(String, Term)> = Vec::new();
    for (number, text) in results(&reply.run.output) {
        let Some(subject) = subjects.get(number) else { continue };
        let (result, rule) = match subject.how {
            Transformation::Simplify(options) => {
                (read(&mut terms, &reading, text, reply.dialect), format!("simplify {options}"))
            }
            Transformation::Tactic(tactic) => {
                (goals(&mut terms, &reading, text, reply.dialect), format!("apply {tactic}"))
            }
        };
        if let Some(result) = result
            && let Ok(claim) = terms.apply(Op::Eq, &[], &[subject.term, result])
        {
            claims.push((rule.trim_end().to_owned(), claim));
        }
    }
    let claims = Derivation::of_claims(claims.iter().map(|(rule, claim)| (rule.as_str(), *claim)));
    false_claim(&mut terms, &reading.script, &claims, position)
}

pub(super) fn read(terms: &mut Terms, reading: &Reading, text: &str, dialect: Dialect) -> Option<Term> {
    read_term_tolerantly(terms, &mut reading.scope.clone(), text, dialect)
}

/// The results in an output with the numbers of their marks; messages of errors are none.
pub(super) fn results(output: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = output;
    while let Some(start) = rest.find(MARK) {
        rest = &rest[start + MARK.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse();
        // Some solvers print the quotes of what they echo.
        let text = rest[digits..].trim_start_matches('"').trim_start();
        let end = text.find(MARK).map_or(text.len(), |end| end);
        let mut tape = Tape::new();
        if let Ok(number) = number
            && !text.starts_with("(error")
            && end > 0
            && matches!(Scanner::new(&text[..end]).read(&mut tape), Ok(true))
        {
            found.push((number, tape.node(0).span.text(text)));
        }
    }
    found
}

/// The disjunction of goals, as z3 prints them: `(goals (goal f g :precision precise :depth 1))`. None if a goal is not
/// precise.
pub(super) fn goals(terms: &mut Terms, reading: &Reading, text: &str, dialect: Dialect) -> Option<Term> {
    let mut tape = Tape::new();
    Scanner::new(text).read(&mut tape).ok()?;
    let mut children = tape.children(0);
    let text_of = |place: u32| tape.node(place).span.text(text);
    if children.next().is_none_or(|head| text_of(head) != "goals") {
        return None;
    }
    let mut disjuncts = Vec::new();
    for goal in children {
        let mut conjuncts = Vec::new();
        let mut parts = tape.children(goal).skip(1);
        while let Some(part) = parts.next() {
            match text_of(part) {
                ":precision" if parts.next().is_none_or(|precision| text_of(precision) != "precise") => {
                    return None;
                }
                ":precision" => {}
                ":depth" => {
                    parts.next();
                }
                formula => conjuncts.push(read(terms, reading, formula, dialect)?),
            }
        }
        disjuncts.push(match conjuncts.as_slice() {
            [] => terms.bool(true),
            [only] => *only,
            _ => terms.apply(Op::And, &[], &conjuncts).ok()?,
        });
    }
    match disjuncts.as_slice() {
        [] => Some(terms.bool(false)),
        [only] => Some(*only),
        _ => terms.apply(Op::Or, &[], &disjuncts).ok(),
    }
}
