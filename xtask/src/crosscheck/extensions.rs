//! Random ground terms of the extension theories: sets, relations, bags, tuples, fields, functions and their like.
//!
//! Which terms there are is in `extensions.txt`, one form a line. Their sorts have parameters and their arguments are
//! functions, so they are drawn as text from these forms and then read, unlike those of the operator table. As there, we
//! evaluate each and ask solvers whether it has that value; a difference is shrunk to the smallest part that shows it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_semantics::environment::Environment;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Scope, read_term};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::judge::{Answer, Judge, Mode, Solver};
use super::question::{Skip, Valued, evaluate};
use super::{Options, command_line, judges};
use crate::task;

const FORMS: &str = include_str!("extensions.txt");
/// Elements that sorts are drawn from where a form leaves them open, the usual ones several times.
const ELEMENTS: &[&str] = &[
    "Int",
    "Int",
    "Int",
    "Int",
    "Bool",
    "Bool",
    "String",
    "(_ BitVec 2)",
    "(_ FiniteField 5)",
    "(Tuple Int Bool)",
    "(Set Int)",
    "(Bag Int)",
    "(Nullable Int)",
    "(Seq Int)",
];
/// The same for terms that Z3 is asked about.
const PLAIN_ELEMENTS: &[&str] = &["Int", "Int", "Int", "Bool", "String", "(_ BitVec 2)"];
const ORDERS: &[&str] = &["2", "3", "5", "11", "18446744069414584321"];
/// Longer terms are left out.
const MAX_TEXT: usize = 3_000;

/// A sort, or the pattern of one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Atom(String),
    List(Vec<Pattern>),
}

/// A part of the text of a form.
#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    /// A term of a sort.
    Hole(Pattern),
    /// A function of variables; its body is the next piece, or the text up to the end of a list.
    Lambda(Vec<(String, Pattern)>),
}

#[derive(Debug)]
struct Form {
    area: &'static str,
    solvers: &'static str,
    result: Pattern,
    pieces: Vec<Piece>,
    text: &'static str,
}

fn parse_pattern(text: &str) -> Pattern {
    let mut stack: Vec<Vec<Pattern>> = vec![Vec::new()];
    for token in text.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
        match token {
            "(" => stack.push(Vec::new()),
            ")" => {
                let list = stack.pop().expect("parentheses of the table are balanced");
                stack.last_mut().expect("parentheses of the table are balanced").push(Pattern::List(list));
            }
            atom => stack.last_mut().expect("the stack has a bottom").push(Pattern::Atom(atom.to_owned())),
        }
    }
    stack.pop().and_then(|mut list| list.pop()).expect("the table has no empty sort")
}

fn parse_forms() -> Vec<Form> {
    let lines = FORMS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.splitn(4, " | ");
            let mut next = || parts.next().expect("each form has four parts");
            let (area, solvers, result, text) = (next(), next(), next(), next());
            Form { area, solvers, result: parse_pattern(result), pieces: parse_pieces(text), text }
        })
        .collect()
}

fn parse_pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['{', '[']) {
        pieces.push(Piece::Text(rest[..start].to_owned()));
        let close = if rest[start..].starts_with('{') { '}' } else { ']' };
        let end = start + rest[start..].find(close).expect("holes of the table are closed");
        let content = &rest[start + 1..end];
        pieces.push(match close {
            '}' => Piece::Hole(parse_pattern(content)),
            _ => Piece::Lambda(parse_variables(content)),
        });
        rest = &rest[end + 1..];
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

/// `x:sort y:sort`, where sorts may have spaces.
fn parse_variables(text: &str) -> Vec<(String, Pattern)> {
    let mut variables = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once(':') {
        // The sort ends before the last word in front of the next colon.
        let end = match after.find(':') {
            Some(colon) => after[..colon].rfind(' ').expect("a name follows a sort"),
            None => after.len(),
        };
        variables.push((name.trim().to_owned(), parse_pattern(&after[..end])));
        rest = &after[end..];
    }
    variables
}

impl Pattern {
    fn is_variable(atom: &str) -> bool {
        atom.len() == 1 && atom.chars().all(char::is_uppercase)
    }

    fn text(&self) -> String {
        match self {
            // The sort of the empty tuple has a name of its own.
            Pattern::Atom(atom) => atom.clone(),
            Pattern::List(parts) => {
                let parts: Vec<String> = parts.iter().map(Pattern::text).collect();
                format!("({})", parts.join(" "))
            }
        }
    }

    fn matches(&self, sort: &Pattern, bound: &mut BTreeMap<String, Pattern>) -> bool {
        match (self, sort) {
            (Pattern::Atom(name), _) if Pattern::is_variable(name) => {
                bound.entry(name.clone()).or_insert_with(|| sort.clone()) == sort
            }
            (Pattern::Atom(one), Pattern::Atom(other)) => one == other,
            (Pattern::List(parts), Pattern::List(others)) => {
                parts.len() == others.len()
                    && parts.iter().zip(others).all(|(part, other)| part.matches(other, bound))
            }
            _ => false,
        }
    }
}

/// Draws terms for some solver.
struct Drawing<'a> {
    forms: &'a [Form],
    rng: Xoshiro256PlusPlus,
    solver: char,
    /// Variables of the functions around.
    variables: Vec<(String, Pattern)>,
    names: u32,
}

impl Drawing<'_> {
    /// The sort that a pattern is, with sorts drawn for what is not bound yet.
    fn bind(&mut self, pattern: &Pattern, bound: &mut BTreeMap<String, Pattern>) -> Pattern {
        match pattern {
            Pattern::Atom(name) if Pattern::is_variable(name) => {
                if let Some(sort) = bound.get(name) {
                    return sort.clone();
                }
                let pool = match (name.as_str(), self.solver) {
                    ("P", _) => ORDERS,
                    (_, 'z') => PLAIN_ELEMENTS,
                    _ => ELEMENTS,
                };
                let sort = parse_pattern(pool.choose(&mut self.rng).expect("pools are not empty"));
                bound.insert(name.clone(), sort.clone());
                sort
            }
            Pattern::Atom(_) => pattern.clone(),
            Pattern::List(parts) => Pattern::List(parts.iter().map(|part| self.bind(part, bound)).collect()),
        }
    }

    fn term(&mut self, sort: &Pattern, depth: u32) -> String {
        let fitting: Vec<String> =
            self.variables.iter().filter(|(_, known)| known == sort).map(|(name, _)| name.clone()).collect();
        if !fitting.is_empty() && self.rng.random_bool(0.5) {
            return fitting.choose(&mut self.rng).expect("looked at above").clone();
        }
        if depth == 0 || self.rng.random_bool(0.25) {
            return self.leaf(sort);
        }
        if *sort == Pattern::Atom("Int".to_owned()) && self.rng.random_bool(0.3) {
            let (one, other) = (self.term(sort, depth - 1), self.term(sort, depth - 1));
            return format!("({} {one} {other})", ["+", "-", "*"].choose(&mut self.rng).expect("not empty"));
        }
        if *sort == Pattern::Atom("Bool".to_owned()) && self.rng.random_bool(0.3) {
            let inner = parse_pattern(["Int", "Bool"].choose(&mut self.rng).expect("not empty"));
            let (one, other) = (self.term(&inner, depth - 1), self.term(&inner, depth - 1));
            let op = if inner == *sort { "or" } else { "<=" };
            return format!("({op} {one} {other})");
        }
        let forms = self.forms;
        let making: Vec<&Form> = forms
            .iter()
            .filter(|form| {
                form.solvers.contains(self.solver) && form.result.matches(sort, &mut BTreeMap::new())
            })
            .collect();
        match making.choose(&mut self.rng) {
            Some(form) => self.of_form(form, sort, depth - 1),
            None => self.leaf(sort),
        }
    }

    fn of_form(&mut self, form: &Form, sort: &Pattern, depth: u32) -> String {
        let mut bound = BTreeMap::new();
        form.result.matches(sort, &mut bound);
        let mut text = String::new();
        let mut opened: Vec<(usize, Vec<(String, String)>)> = Vec::new();
        for piece in &form.pieces {
            match piece {
                Piece::Text(part) => {
                    for word in split_words(part) {
                        let renamed = opened.iter().rev().find_map(|(_, names)| {
                            names.iter().find(|(short, _)| short == word).map(|(_, name)| name.clone())
                        });
                        let number = (word == "N").then(|| self.rng.random_range(1..4u32).to_string());
                        text.push_str(renamed.or(number).as_deref().unwrap_or(word));
                        // A function whose body is a list ends with it.
                        if word == ")" && opened.last().is_some_and(|(level, _)| nesting(&text) == *level) {
                            text.push(')');
                            self.close(&mut opened);
                        }
                    }
                }
                Piece::Hole(pattern) => {
                    let sort = self.bind(pattern, &mut bound);
                    text.push_str(&self.term(&sort, depth));
                    if opened.last().is_some_and(|(level, _)| nesting(&text) == *level) {
                        text.push(')');
                        self.close(&mut opened);
                    }
                }
                Piece::Lambda(variables) => {
                    let mut names = Vec::new();
                    text.push_str("(lambda (");
                    for (short, pattern) in variables {
                        self.names += 1;
                        let (name, sort) = (format!("{short}{}", self.names), self.bind(pattern, &mut bound));
                        text.push_str(&format!("({name} {})", sort.text()));
                        names.push((short.clone(), name.clone()));
                        self.variables.push((name, sort));
                    }
                    text.push_str(") ");
                    opened.push((nesting(&text), names));
                }
            }
        }
        text
    }

    /// Ends the scope of the innermost function.
    fn close(&mut self, opened: &mut Vec<(usize, Vec<(String, String)>)>) {
        if let Some((_, names)) = opened.pop() {
            self.variables.truncate(self.variables.len() - names.len());
        }
    }

    /// A term without operators that take anything apart.
    fn leaf(&mut self, sort: &Pattern) -> String {
        let text = sort.text();
        match sort {
            Pattern::Atom(atom) => match atom.as_str() {
                "Bool" => self.rng.random_bool(0.5).to_string(),
                "String" => format!("\"{}\"", ["", "a", "b", "ab"].choose(&mut self.rng).expect("not empty")),
                _ => match self.rng.random_range(-2..6i32) {
                    number if number < 0 => format!("(- {})", -number),
                    number => number.to_string(),
                },
            },
            Pattern::List(parts) => {
                let inner: Vec<Pattern> = parts[1..].to_vec();
                match parts[0].text().as_str() {
                    "_" if text.starts_with("(_ BitVec") => {
                        ["#b00", "#b01", "#b10", "#b11"].choose(&mut self.rng).expect("not empty").to_string()
                    }
                    "_" => {
                        let order = inner[1].text();
                        let number = self.rng.random_range(0..order.parse::<u64>().unwrap_or(2).min(40));
                        format!("#f{number}m{order}")
                    }
                    "Tuple" => {
                        let parts: Vec<String> = inner.iter().map(|part| self.leaf(part)).collect();
                        format!("(tuple {})", parts.join(" "))
                    }
                    "Set" | "FiniteSet" => self.union("set.empty", "set.singleton", "set.union", sort),
                    "Seq" => self.union("seq.empty", "seq.unit", "seq.++", sort),
                    "Bag" => self.union("bag.empty", "bag", "bag.union_disjoint", sort),
                    "Nullable" if self.rng.random_bool(0.3) => format!("(as nullable.null {text})"),
                    "Nullable" => format!("(nullable.some {})", self.leaf(&inner[0])),
                    _ => {
                        let mut array = format!("((as const {text}) {})", self.rng.random_bool(0.5));
                        for _ in 0..self.rng.random_range(0..4) {
                            let index = self.leaf(&inner[0]);
                            array = format!("(store {array} {index} {})", self.rng.random_bool(0.5));
                        }
                        array
                    }
                }
            }
        }
    }

    /// Some elements, put together.
    fn union(&mut self, empty: &str, single: &str, union: &str, sort: &Pattern) -> String {
        let Pattern::List(parts) = sort else { unreachable!("the sort has elements") };
        let count = self.rng.random_range(0..4);
        let singles: Vec<String> = (0..count)
            .map(|_| match single {
                "bag" => format!("(bag {} {})", self.leaf(&parts[1]), self.rng.random_range(1..4)),
                _ => format!("({single} {})", self.leaf(&parts[1])),
            })
            .collect();
        match singles.as_slice() {
            [] => format!("(as {empty} {})", sort.text()),
            [only] => only.clone(),
            // Z3 takes unions of two.
            [first, others @ ..] => {
                others.iter().fold(first.clone(), |all, single| format!("({union} {all} {single})"))
            }
        }
    }
}

fn split_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices() {
        if matches!(character, '(' | ')' | ' ') {
            words.push(&text[start..at]);
            words.push(&text[at..=at]);
            start = at + 1;
        }
    }
    words.push(&text[start..]);
    words.retain(|word| !word.is_empty());
    words
}

/// How many lists are open at the end of a text. Strings that are drawn have no parentheses.
fn nesting(text: &str) -> usize {
    text.matches('(').count().saturating_sub(text.matches(')').count())
}

/// What was counted for one form.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    terms: u64,
    agreed: u64,
    differed: u64,
    unanswered: u64,
    skipped: u64,
}

/// A term that a solver gives another value.
struct Difference {
    solver: Solver,
    term: String,
    ours: String,
    theirs: String,
}

/// Compares so many terms; gives the number of differences.
pub fn run(options: &Options) -> Result<usize> {
    let forms = parse_forms();
    let chosen: Vec<usize> = (0..forms.len())
        .filter(|number| {
            options.theory.is_empty() || options.theory.iter().any(|name| name == forms[*number].area)
        })
        .collect();
    anyhow::ensure!(!chosen.is_empty(), "no form is of these theories");
    let start = Instant::now();
    let total = Mutex::new((vec![[Counts::default(); 2]; forms.len()], Vec::<Difference>::new()));
    let batches = options.terms.div_ceil(options.batch);
    let report = |total: &(Vec<[Counts; 2]>, Vec<Difference>)| -> Result<()> {
        let text = report_text(&command_line(options), &forms, &total.0, &total.1);
        match &options.out {
            Some(path) => {
                std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
            }
            None => {
                print!("{text}");
                Ok(())
            }
        }
    };
    task::share_out(options.jobs, batches, |numbers| {
        let mut judges = judges(options);
        for judge in &mut judges {
            judge.use_higher_order();
        }
        while let Some(number) = numbers.take() {
            for judge in &mut judges {
                let (counts, found) = batch(options, &forms, &chosen, number, judge)?;
                let mut total = total.lock().expect("no worker panics while it holds the lock");
                let place = usize::from(judge.solver == Solver::Cvc5);
                for (form, counted) in counts {
                    let sum = &mut total.0[form][place];
                    sum.terms += counted.terms;
                    sum.agreed += counted.agreed;
                    sum.differed += counted.differed;
                    sum.unanswered += counted.unanswered;
                    sum.skipped += counted.skipped;
                }
                for difference in &found {
                    eprintln!(
                        "differs: {} {}\n  ours   {}\n  theirs {}",
                        difference.solver.name(),
                        difference.term,
                        difference.ours,
                        difference.theirs
                    );
                }
                total.1.extend(found);
            }
            if number % 20 == 19 && options.out.is_some() {
                report(&total.lock().expect("no worker panics while it holds the lock"))?;
            }
        }
        Ok(())
    })?;
    let total = total.into_inner().expect("no worker panicked while it held the lock");
    report(&total)?;
    let sum: u64 = total.0.iter().flatten().map(|counts| counts.terms).sum();
    eprintln!("{sum} terms in {:.0} s; {} differences", start.elapsed().as_secs_f64(), total.1.len());
    Ok(total.1.len())
}

/// What came of the terms of a batch, by their forms, and what differs.
type BatchResult = (Vec<(usize, Counts)>, Vec<Difference>);

/// One batch of terms for one solver; what it draws depends on the seed and its number alone.
fn batch(
    options: &Options,
    forms: &[Form],
    chosen: &[usize],
    number: u64,
    judge: &mut Judge,
) -> Result<BatchResult> {
    let solver = if judge.solver == Solver::Z3 { 'z' } else { 'c' };
    let seed = task::seed_of(options.seed, number);
    let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawing = Drawing { forms, rng, solver, variables: Vec::new(), names: 0 };
    let (mut terms, mut scope, environment) = (Terms::new(), Scope::new(), Environment::default());
    if judge.solver == Solver::Z3 {
        // Operators on sets are those of Z3 once its sort of finite sets is mentioned.
        let _ = read_term(&mut terms, &mut scope, "(as set.empty (FiniteSet Int))", Dialect::V26);
    }
    let for_solver: Vec<usize> =
        chosen.iter().copied().filter(|number| forms[*number].solvers.contains(solver)).collect();
    let mut counts: BTreeMap<usize, Counts> = BTreeMap::new();
    let mut asked: Vec<(usize, Valued)> = Vec::new();
    for _ in 0..options.batch {
        let Some(form) = for_solver.choose(&mut drawing.rng).copied() else { break };
        let sort = drawing.bind(&forms[form].result, &mut BTreeMap::new());
        let depth = [0, 1, 1, 2, 2][drawing.rng.random_range(0..5)];
        let text = drawing.of_form(&forms[form], &sort, depth);
        drawing.variables.clear();
        if text.len() > MAX_TEXT {
            continue;
        }
        let term = read_term(&mut terms, &mut scope, &text, Dialect::V26)
            .map_err(|problems| anyhow::anyhow!("cannot read `{text}`: {}", problems[0].message))?;
        match evaluate(&mut terms, &environment, &[term]).remove(0) {
            Ok(valued) => asked.push((form, Valued { text, ..valued })),
            Err(Skip::Unknown(_) | Skip::NoText) => counts.entry(form).or_default().skipped += 1,
        }
    }
    let questions: Vec<String> = asked.iter().map(|(_, valued)| equation(valued)).collect();
    let answers = judge.ask(Mode::Fold, &questions)?;
    let mut found = Vec::new();
    for ((form, valued), answer) in asked.iter().zip(answers) {
        let counted = counts.entry(*form).or_default();
        counted.terms += 1;
        match answer {
            Answer::Agrees => counted.agreed += 1,
            Answer::Differs => {
                counted.differed += 1;
                found.push(shrink(&mut terms, &environment, judge, valued)?);
            }
            Answer::Unknown | Answer::Rejected(_) | Answer::Failed(_) => counted.unanswered += 1,
        }
    }
    Ok((counts.into_iter().collect(), found))
}

fn equation(valued: &Valued) -> String {
    format!("(= {} {})", valued.text, valued.value)
}

/// The smallest closed part of a term that the judge gives another value.
fn shrink(
    terms: &mut Terms,
    environment: &Environment,
    judge: &mut Judge,
    valued: &Valued,
) -> Result<Difference> {
    let parts: Vec<Term> =
        subterms(terms, &[valued.term]).into_iter().filter(|part| !terms.has_locals(*part)).collect();
    let mut candidates: Vec<Valued> =
        evaluate(terms, environment, &parts).into_iter().filter_map(Result::ok).collect();
    candidates.push(valued.clone());
    candidates.sort_by_key(|candidate| candidate.text.len());
    let answers = judge.ask(Mode::Fold, &candidates.iter().map(equation).collect::<Vec<_>>())?;
    let smallest = answers.iter().position(|answer| *answer == Answer::Differs);
    let found = smallest.map_or(valued, |position| &candidates[position]);
    let theirs = judge.value(&found.text)?;
    Ok(Difference { solver: judge.solver, term: found.text.clone(), ours: found.value.clone(), theirs })
}

fn report_text(command: &str, forms: &[Form], counts: &[[Counts; 2]], found: &[Difference]) -> String {
    let mut out = String::new();
    let sum = |read: fn(&Counts) -> u64| counts.iter().flatten().map(read).sum::<u64>();
    let _ = writeln!(
        out,
        "# Random terms of the extension theories against z3 and cvc5\n\nWritten by `{command} --extensions`.\n"
    );
    let _ = writeln!(
        out,
        "{} terms with a value: {} judged the same, {} judged otherwise, {} without an answer. \
         {} more terms have no value that we know.\n",
        sum(|counts| counts.terms),
        sum(|counts| counts.agreed),
        sum(|counts| counts.differed),
        sum(|counts| counts.unanswered),
        sum(|counts| counts.skipped)
    );
    let _ = writeln!(
        out,
        "| area | form | solver | terms | same | other | no answer |\n|---|---|---|---|---|---|---|"
    );
    for (form, counts) in forms.iter().zip(counts) {
        for (solver, counted) in [Solver::Z3, Solver::Cvc5].into_iter().zip(counts) {
            if counted.terms > 0 {
                let _ = writeln!(
                    out,
                    "| {} | `{}` | {} | {} | {} | {} | {} |",
                    form.area,
                    form.text,
                    solver.name(),
                    counted.terms,
                    counted.agreed,
                    counted.differed,
                    counted.unanswered
                );
            }
        }
    }
    let _ = writeln!(out, "\n## Differences, each shrunk to its smallest part\n");
    if found.is_empty() {
        let _ = writeln!(out, "None.");
    }
    for difference in found {
        let _ = writeln!(
            out,
            "- {} `{}`\n  - ours: `{}`\n  - theirs: `{}`",
            difference.solver.name(),
            difference.term,
            difference.ours,
            difference.theirs
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::term_text;

    use super::*;

    #[test]
    fn every_form_is_well_sorted_and_most_have_values() {
        let forms = parse_forms();
        assert!(forms.len() > 100);
        for form in &forms {
            for solver in form.solvers.chars() {
                let rng = Xoshiro256PlusPlus::seed_from_u64(7);
                let mut drawing = Drawing { forms: &forms, rng, solver, variables: Vec::new(), names: 0 };
                let (mut terms, mut scope, environment) =
                    (Terms::new(), Scope::new(), Environment::default());
                if solver == 'z' {
                    let _ = read_term(&mut terms, &mut scope, "(as set.empty (FiniteSet Int))", Dialect::V26);
                }
                let mut values = 0;
                for _ in 0..20 {
                    let sort = drawing.bind(&form.result, &mut BTreeMap::new());
                    let text = drawing.of_form(form, &sort, 1);
                    assert_eq!(drawing.variables.len(), 0, "{text}");
                    let term = read_term(&mut terms, &mut scope, &text, Dialect::V26);
                    let term = term.unwrap_or_else(|problems| panic!("{text}: {}", problems[0].message));
                    values += usize::from(evaluate(&mut terms, &environment, &[term])[0].is_ok());
                    assert!(!term_text(&mut terms, term).is_empty());
                }
                assert!(values >= 5, "{values} of 20 terms of `{}` have a value", form.text);
            }
        }
    }
}
