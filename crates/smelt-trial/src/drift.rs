//! Drift: operators for which an old release follows an older definition.
//!
//! Before a release is blamed, it is asked the ground facts of `testdata/facts` about strings and regular expressions.
//! Where it denies one about a single operator, it means something else by that operator, and findings that involve it
//! are no soundness bugs, unless it contradicts itself. Where it grants both a fact and its negation, the operator has no
//! meaning to it, and formulas with it are not sent at all. A solver that denies facts about most operators is not old
//! but wrong.

use std::collections::BTreeSet;
use std::io;
use std::time::Instant;

use smelt_oracle::contradictions::parts_of;
use smelt_oracle::evaluated::Formula;
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::flatten::{flatten, only};
use smelt_oracle::run::Answer;
use smelt_runner::answer::text_of;
use smelt_runner::cache::Cache;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_semantics::environment::Environment;
use smelt_smtlib::op::{Dialect, Op, Theory};
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::{Reading, Scope, read_term};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::operators;

use crate::SolverFailure;
use crate::target::Target;
use crate::worker::Worker;

const FACTS: [&str; 2] = [
    include_str!("../../../testdata/facts/strings.txt"),
    include_str!("../../../testdata/facts/regexes.txt"),
];

const MAX_DIGITS: usize = 9;

/// What a solver means by operators, where that is not what the standard says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meanings {
    /// Operators that it gives an older definition.
    pub older: Vec<Op>,
    /// Operators that have no meaning to it.
    pub none: Vec<Op>,
}

/// What a solver means by operators; it is asked unless the cache knows.
pub fn find_cached(target: &Target, cache: &Cache, until: Instant) -> io::Result<Meanings> {
    let asked = format!("{REVISION} {:?} {}", target.dialect(), target.question_preamble());
    let named = |names: &[String]| Op::all().filter(|op| names.contains(&format!("{op:?}"))).collect();
    if let Some((older, none)) = cache.get::<(Vec<String>, Vec<String>)>(ENTRY, &target.solver, &asked) {
        return Ok(Meanings { older: named(&older), none: named(&none) });
    }
    let mut terms = Terms::new();
    let facts = facts(&mut terms, target.dialect());
    let questions = questions(&mut terms, &facts, target.dialect());
    let found = meanings(&facts, &answers_to(&facts, &questions, target, until)?);
    let names = |ops: &[Op]| -> Vec<String> { ops.iter().map(|op| format!("{op:?}")).collect() };
    cache.put(ENTRY, &target.solver, &asked, &(names(&found.older), names(&found.none)));
    Ok(found)
}

const ENTRY: &str = "meanings-by-operator";

/// Stands for all questions, so that answers to others are not taken for answers to these. A test says what it must be.
const REVISION: &str = "01ebb6fac8c9f879";

/// What a solver prints for all questions. One on which it hangs or crashes is left out, and a new process gets the rest:
/// old releases hang on some facts, and must not get away with those behind them.
fn answers_to(facts: &[Fact], questions: &[String], target: &Target, until: Instant) -> io::Result<String> {
    let limits = Limits { until: Some(until), ..Limits::for_seconds(PROCESS_SECS) };
    let mut output = String::new();
    let mut open: Vec<usize> = (0..questions.len()).collect();
    let mut stops: Vec<Op> = Vec::new();
    while !open.is_empty() && stops.len() < MAX_STOPS {
        let asked: String = open.iter().map(|position| questions[*position].as_str()).collect();
        let script = format!("{}{asked}", target.question_preamble());
        let raw = cold::run(&target.solver.invocation, &script, &limits)?;
        let text = text_of(&raw.stdout);
        let is_mark = |line: &&str| line.contains(DENIAL) || line.contains(GRANT);
        let answered = text.lines().filter(is_mark).count().min(open.len());
        output.push_str(&text);
        // What it said of the question that is left out ends here.
        output.push_str(&format!("\n{DENIAL} -\n"));
        open.drain(..answered);
        leave_out(facts, &mut open, &mut stops);
    }
    Ok(output)
}

/// Leaves out the first question, and with it all about its operator if that has stopped the solver often.
fn leave_out(facts: &[Fact], open: &mut Vec<usize>, stops: &mut Vec<Op>) {
    let op_of = |question: usize| facts[question / QUESTIONS_PER_FACT].op;
    let Some(op) = open.first().map(|question| op_of(*question)) else { return };
    stops.push(op);
    open.remove(0);
    if stops.iter().filter(|other| **other == op).count() == MAX_STOPS_PER_OPERATOR {
        open.retain(|question| op_of(*question) != op);
    }
}

/// So many questions may be left out for each operator: a solver that crashes on an operator does so again and again, and
/// must not use up what is there for the others.
const MAX_STOPS_PER_OPERATOR: usize = 3;
/// So many questions may be left out in all.
const MAX_STOPS: usize = 100;

/// Whether a fact is denied, and whether it is granted.
const QUESTIONS_PER_FACT: usize = 2;

/// Processor time for one process that is asked, in seconds.
const PROCESS_SECS: f64 = 4.0;

/// For every fact whether its negation and whether the fact itself is satisfiable, each check with a number after it.
fn questions(terms: &mut Terms, facts: &[Fact], dialect: Dialect) -> Vec<String> {
    let mut questions = Vec::new();
    for (number, fact) in facts.iter().enumerate() {
        for (word, claim) in [(DENIAL, fact.negation), (GRANT, fact.claim)] {
            let mut printer = Printer::new(terms, dialect, Layout::Flat);
            printer.command(&Command::Assert(claim));
            let assertion = printer.finish();
            questions
                .push(format!("(push 1)\n{assertion}\n(check-sat)\n(pop 1)\n(echo \"{word} {number}\")\n"));
        }
    }
    questions
}

const DENIAL: &str = "denies fact";
const GRANT: &str = "grants fact";

/// What the answers to the questions say.
fn meanings(facts: &[Fact], output: &str) -> Meanings {
    let mut denied = Vec::new();
    let mut granted = Vec::new();
    let mut answer = Vec::new();
    for line in output.lines() {
        let line = line.trim().trim_matches('"');
        let number_after = |word: &str| line.strip_prefix(word)?.trim().parse::<usize>().ok();
        let (list, number) = match (number_after(DENIAL), number_after(GRANT)) {
            (Some(number), _) => (&mut denied, number),
            (_, Some(number)) => (&mut granted, number),
            (None, None) if line.starts_with(DENIAL) => {
                answer.clear();
                continue;
            }
            (None, None) => {
                answer.push(line);
                continue;
            }
        };
        // Exactly `sat`: an error before it means that the fact was not understood.
        if answer == ["sat"] && number < facts.len() {
            list.push(number);
        }
        answer.clear();
    }
    let mut found = Meanings::default();
    for number in denied {
        let list = if granted.contains(&number) { &mut found.none } else { &mut found.older };
        if !list.contains(&facts[number].op) {
            list.push(facts[number].op);
        }
    }
    // Whoever denies one fact and means nothing by another has a definition, if a strange one.
    found.none.retain(|op| !found.older.contains(op));
    let asked: BTreeSet<Op> = facts.iter().map(|fact| fact.op).collect();
    if (found.older.len() + found.none.len()) * 2 > asked.len() { Meanings::default() } else { found }
}

/// A ground fact about a single operator.
struct Fact {
    op: Op,
    claim: Term,
    negation: Term,
}

/// Facts about a single operator. Facts about escapes say nothing in the old dialect, and one
/// that is denied for its huge numbers shows a bug and no other definition.
fn facts(terms: &mut Terms, dialect: Dialect) -> Vec<Fact> {
    let mut scope = Scope::new();
    let mut found = Vec::new();
    for line in FACTS.iter().flat_map(|text| text.lines()) {
        if line.is_empty() || line.starts_with([';', '!']) || (dialect == Dialect::V25 && line.contains('\\'))
        {
            continue;
        }
        if line.split(|character: char| !character.is_ascii_digit()).any(|digits| digits.len() > MAX_DIGITS) {
            continue;
        }
        let Ok(fact) = read_term(terms, &mut scope, line, Dialect::V26) else { continue };
        if let Some(op) = only_operator(terms, fact)
            && let Ok(negation) = terms.apply(Op::Not, &[], &[fact])
        {
            found.push(Fact { op, claim: fact, negation });
        }
    }
    found
}

/// The one operator on strings that a fact is about. Literals as languages and membership are how facts about
/// languages are told, so they count only alone.
fn only_operator(terms: &Terms, fact: Term) -> Option<Op> {
    let mut ops = operators(terms, &[fact]);
    ops.retain(|op| matches!(op.info().theory, Theory::Strings | Theory::Regexes));
    if ops.len() > 1 {
        ops.retain(|op| !matches!(op, Op::StrInRe | Op::StrToRe | Op::Char));
    }
    match ops.as_slice() {
        [op] => Some(*op),
        _ => None,
    }
}

/// What older definitions have to do with a verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// The operators for which the culprit, or any target where there is no culprit, follows an older definition.
    pub operators: Vec<String>,
    /// Whether these explain the verdict.
    pub is_explanation: bool,
}

impl Drift {
    /// A verdict, which is drift if an older definition explains it.
    pub fn explain(&self, verdict: Verdict) -> Verdict {
        Verdict { class: if self.is_explanation { Class::Drift } else { verdict.class }, ..verdict }
    }
}

/// What older definitions have to do with a verdict on the targets of a worker.
pub fn find(
    terms: &mut Terms,
    reading: &Reading,
    worker: &Worker<'_>,
    verdict: &Verdict,
) -> Result<Drift, SolverFailure> {
    let suspects = Suspects { targets: worker.targets().iter().collect(), limits: worker.limits() };
    suspects.drift(terms, reading, verdict)
}

/// Solvers that a verdict is about.
#[derive(Debug)]
pub struct Suspects<'s> {
    /// The solvers.
    pub targets: Vec<&'s Target>,
    /// The limits of a run.
    pub limits: &'s Limits,
}

impl Suspects<'_> {
    /// What older definitions have to do with a verdict. They explain it unless the culprit convicts itself: by its own
    /// definitions, whatever they are, the model that it excludes is one, or the model that it prints is none.
    pub fn drift(
        &self,
        terms: &mut Terms,
        reading: &Reading,
        verdict: &Verdict,
    ) -> Result<Drift, SolverFailure> {
        let is_suspect =
            |target: &&Target| verdict.culprit.as_ref().is_none_or(|culprit| *culprit == target.solver.name);
        let suspects: Vec<&Target> = self.targets.iter().copied().filter(is_suspect).collect();
        // What shows it without an older operator is not explained by one.
        let older =
            grounds(terms, reading, &verdict.evidence).into_iter().map(|ground| ground.older(&suspects));
        let operators = older.min_by_key(Vec::len).unwrap_or_default();
        if operators.is_empty() || !verdict.class.is_about_meaning() {
            return Ok(Drift { operators, is_explanation: false });
        }
        let is_explanation = !self.convicts_itself(terms, reading, verdict, suspects.first().copied())?;
        Ok(Drift { operators, is_explanation })
    }

    /// Whether the culprit contradicts its own model or answer when it is asked about the model.
    fn convicts_itself(
        &self,
        terms: &mut Terms,
        reading: &Reading,
        verdict: &Verdict,
        culprit: Option<&Target>,
    ) -> Result<bool, SolverFailure> {
        if let (Evidence::FalseUnderEveryModel { assertions }, Some(culprit)) = (&verdict.evidence, culprit) {
            let Some(script) = flatten(terms, &reading.script) else { return Ok(false) };
            return self.says(terms, culprit, &only(&script, assertions), Answer::Unsat);
        }
        let (model, printer, own_answer) = match (verdict.class, &verdict.evidence) {
            (Class::SoundnessRefutation, Evidence::Model { solver, model }) => (model, solver, Answer::Sat),
            (Class::InvalidModel, Evidence::FalseAssertions { model, .. }) => {
                let culprit = verdict.culprit.as_ref().expect("an invalid model has a culprit");
                (model, culprit, Answer::Unsat)
            }
            _ => return Ok(false),
        };
        let printer = self.targets.iter().find(|target| target.solver.name == *printer);
        let dialect = printer.map(|target| target.dialect()).unwrap_or_default();
        let formula = Formula::new(terms, reading);
        let pinned =
            flatten(terms, &reading.script).and_then(|script| formula.pinned(terms, &script, model, dialect));
        let (Some(script), Some(culprit)) = (&pinned, culprit) else { return Ok(false) };
        self.says(terms, culprit, script, own_answer)
    }

    /// Whether the culprit answers this to a script.
    fn says(
        &self,
        terms: &mut Terms,
        culprit: &Target,
        script: &Script,
        answer: Answer,
    ) -> Result<bool, SolverFailure> {
        let text = culprit.text(terms, script);
        let run = culprit.run_cold(&text, self.limits).map_err(|error| SolverFailure::of(culprit, error))?;
        Ok(run.answer == answer)
    }
}

/// What findings say instead of an operator where the old alphabet of 256 letters explains them.
const ALPHABET: &str = "the alphabet";

/// Whether a model has letters that the alphabet of SMT-LIB 2.5 does not have.
fn has_large_characters(model: &str) -> bool {
    let is_large = |digits: &str| u32::from_str_radix(digits, 16).is_ok_and(|code| code > 0xFF);
    let mut escapes = model.split("\\u").skip(1);
    model.chars().any(|letter| letter > '\u{FF}')
        || escapes.any(|rest| match rest.strip_prefix('{') {
            Some(rest) => rest.split_once('}').is_some_and(|(digits, _)| is_large(digits)),
            None => rest.get(..4).is_some_and(is_large),
        })
}

/// What of a script suffices for a verdict.
struct Ground {
    operators: Vec<Op>,
    /// Whether it needs letters that the alphabet of SMT-LIB 2.5 does not have.
    has_large_characters: bool,
}

/// What suffices for a verdict: any one of the assertions that are false under every model, or else the whole script.
fn grounds(terms: &mut Terms, reading: &Reading, evidence: &Evidence) -> Vec<Ground> {
    let Evidence::FalseUnderEveryModel { assertions } = evidence else {
        let roots: Vec<Term> = reading.script.terms().collect();
        let has_large_characters =
            matches!(evidence, Evidence::Model { model, .. } if has_large_characters(model));
        return vec![Ground { operators: operators(terms, &roots), has_large_characters }];
    };
    let environment = Environment::at_last_check(terms, &reading.script);
    let of_assertion = |number: &usize| {
        let assertion = *environment.assertions.get(number.checked_sub(1)?)?;
        let parts = parts_of(terms, &environment, assertion);
        let is_large = |part: &Term| matches!(terms.head(*part), Head::Literal(Literal::Str, text) if has_large_characters(terms.text(text)));
        let has_large_characters = parts.iter().any(is_large);
        Some(Ground { operators: operators(terms, &parts), has_large_characters })
    };
    assertions.iter().filter_map(of_assertion).collect()
}

impl Ground {
    /// The operators for which one of some targets follows an older definition, by name.
    fn older(&self, targets: &[&Target]) -> Vec<String> {
        let is_older = |op: &&Op, target: &Target| target.meanings.older.contains(op);
        let mut names: Vec<String> = targets
            .iter()
            .flat_map(|target| self.operators.iter().filter(|op| is_older(op, target)))
            .map(|op| op.info().name.to_owned())
            .collect();
        if self.has_large_characters && targets.iter().any(|target| target.dialect() == Dialect::V25) {
            names.push(ALPHABET.to_owned());
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_facts_about_single_operators_in_both_dialects() {
        let mut terms = Terms::new();
        assert!(facts(&mut terms, Dialect::V26).len() > 400);
        assert!(facts(&mut terms, Dialect::V25).len() > 300);
    }

    #[test]
    fn the_revision_is_that_of_the_questions() {
        let mut asked = String::new();
        for dialect in [Dialect::V25, Dialect::V26] {
            let mut terms = Terms::new();
            let facts = facts(&mut terms, dialect);
            asked.extend(questions(&mut terms, &facts, dialect));
        }
        assert_eq!(&blake3::hash(asked.as_bytes()).to_hex()[..16], REVISION);
    }

    /// A solver whose checks of the denials and of the facts themselves of an operator give these answers.
    fn answers(facts: &[Fact], answer: impl Fn(Op) -> (&'static str, &'static str)) -> String {
        let mut output = String::new();
        for (number, fact) in facts.iter().enumerate() {
            let (denial, grant) = answer(fact.op);
            output.push_str(&format!("{denial}\n{DENIAL} {number}\n{grant}\n{GRANT} {number}\n"));
        }
        output
    }

    #[test]
    fn a_fact_that_is_denied_shows_an_older_definition_and_one_that_is_open_none() {
        let facts = facts(&mut Terms::new(), Dialect::V26);
        let output = answers(&facts, |op| match op {
            Op::StrReplace => ("sat", "unsat"),
            Op::StrLt => ("sat", "sat"),
            Op::StrAt => ("(error \"no\")\nsat", "unsat"),
            _ => ("unsat", "sat"),
        });
        let expected = Meanings { older: vec![Op::StrReplace], none: vec![Op::StrLt] };
        assert_eq!(meanings(&facts, &output), expected);
    }

    #[test]
    fn an_operator_that_stops_a_solver_often_is_not_asked_about_any_more() {
        let facts = facts(&mut Terms::new(), Dialect::V26);
        let count = facts.iter().filter(|fact| fact.op == Op::ReRange).count();
        assert!(count > MAX_STOPS_PER_OPERATOR);
        let mut open: Vec<usize> = (0..QUESTIONS_PER_FACT * facts.len()).collect();
        open.sort_by_key(|question| facts[question / QUESTIONS_PER_FACT].op != Op::ReRange);
        let mut stops = Vec::new();
        for stop in 1..=MAX_STOPS_PER_OPERATOR {
            leave_out(&facts, &mut open, &mut stops);
            let is_last = stop == MAX_STOPS_PER_OPERATOR;
            let asked = |question: &usize| facts[question / QUESTIONS_PER_FACT].op == Op::ReRange;
            assert_eq!(open.iter().any(asked), !is_last);
        }
        assert_eq!(open.len(), QUESTIONS_PER_FACT * (facts.len() - count));
    }

    #[test]
    fn a_solver_that_denies_everything_is_wrong_and_not_old() {
        let facts = facts(&mut Terms::new(), Dialect::V26);
        assert_eq!(meanings(&facts, &answers(&facts, |_| ("sat", "sat"))), Meanings::default());
        assert_eq!(meanings(&facts, &answers(&facts, |_| ("sat", "unsat"))), Meanings::default());
    }

    #[test]
    fn large_characters_are_seen() {
        assert!(has_large_characters("((define-fun s () String \"a\\u{100}\"))"));
        assert!(has_large_characters("((define-fun s () String \"a\\u0100\"))"));
        assert!(has_large_characters("((define-fun s () String \"\u{100}\"))"));
        assert!(!has_large_characters("((define-fun s () String \"a\\u{ff}\\u00ff\\u\u{ff}\"))"));
    }

    #[test]
    fn a_fact_about_a_language_is_about_its_operator() {
        let mut terms = Terms::new();
        let mut scope = Scope::new();
        let mut op = |fact: &str| {
            let term = read_term(&mut terms, &mut scope, fact, Dialect::V26).unwrap();
            only_operator(&terms, term)
        };
        assert_eq!(op("(str.in_re \"\" (re.* (str.to_re \"a\")))"), Some(Op::ReStar));
        assert_eq!(op("(= (str.replace \"a\" \"\" \"b\") \"ba\")"), Some(Op::StrReplace));
        assert_eq!(op("(= (str.len (str.++ \"a\" \"b\")) 2)"), None);
    }
}
