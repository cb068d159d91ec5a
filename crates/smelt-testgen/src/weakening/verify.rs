//! Whether a rule is a theorem: tried on all values of small domains, by evaluation, and asked of solvers.
//!
//! Variables over regular languages stand for some languages of our choice, and functions for all functions between small
//! sorts. Rules with quantifiers are tried over sorts of a few values, where quantifiers can be evaluated.

use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{script_text, term_text};
use smelt_smtlib::script::{Command, Definition, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Literal, Term, Terms, Variable};

use super::pattern::Pattern;
use super::rule::{Rule, Theorem};
use crate::blocks::Defect;
use crate::shape::{Bindings, Shape};
use crate::small_domain::small_domain;

/// What came of trying a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// It holds for all values that were tried, so many assignments.
    Holds(u64),
    /// It does not hold here, or we cannot tell.
    Fails(String),
}

/// Scripts that are satisfiable only if a rule is false: for solvers to refute.
#[derive(Debug, Clone)]
pub struct Doubts {
    /// The scripts.
    pub scripts: Vec<String>,
    /// Whether they are about some languages only, not about all.
    pub are_instances: bool,
}

/// The most assignments for one rule over given widths and sorts.
const MAX_ASSIGNMENTS: usize = 10_000;

/// Tries a rule over small widths, small indices and some sorts.
pub fn verify(rule: &Rule) -> Verification {
    let mut terms = Terms::new();
    let bits = [1, 2].map(|width| terms.sorts.bit_vec(width));
    let letters = rule.letters();
    let sorts: &[Sort] = if is_quantified(rule) {
        &[Sort::BOOL, bits[0], bits[1]]
    } else {
        &[Sort::BOOL, bits[0], Sort::INT, Sort::STRING]
    };
    let (widths, indices): (Vec<_>, Vec<_>) =
        letters.into_iter().partition(|(letter, is_width)| !is_width || is_width_letter(rule, letter));
    let mut tried = 0;
    for known in Bindings::all(&widths, &[1, 2, 3], sorts) {
        for more in Bindings::all(&indices, &[0, 1, 2, 3], &[]) {
            let mut bindings = known.clone();
            bindings.widths.extend(more.widths);
            let theorem = match rule.instantiate(&mut terms, &bindings) {
                Ok(theorem) => theorem,
                Err(defect) => return Verification::Fails(defect.to_string()),
            };
            match try_all(&mut terms, &theorem) {
                Ok(count) => tried += count,
                Err(defect) => return Verification::Fails(defect.to_string()),
            }
        }
    }
    match tried {
        0 => Verification::Fails("no assignment satisfies its conditions".to_owned()),
        tried => Verification::Holds(tried),
    }
}

/// What to ask solvers about a rule, over usual widths and sorts.
pub fn doubts(rule: &Rule) -> Doubts {
    let mut terms = Terms::new();
    let numbers = [("W", 8), ("V", 4), ("N", 2), ("M", 3), ("K", 1), ("L", 5)];
    let usual = [Sort::INT, Sort::BOOL, Sort::STRING];
    let has_sorts = rule.letters().iter().any(|(_, is_number)| !is_number);
    let sorts = if has_sorts { &usual[..] } else { &usual[..1] };
    let are_instances =
        rule.declared.iter().any(|declared| declared.shape == Shape::Named("RegLan".to_owned()));
    let mut scripts = Vec::new();
    for sort in sorts {
        let letters = [("E", *sort), ("F", Sort::INT), ("I", Sort::INT)];
        let Ok(theorem) = rule.instantiate(&mut terms, &Bindings::new(&numbers, &letters)) else { continue };
        let instances = if are_instances { languages(&mut terms).len() } else { 1 };
        for instance in 0..instances {
            scripts.extend(doubt(&mut terms, &theorem, instance));
        }
    }
    Doubts { scripts, are_instances }
}

/// The script that asks for values for which a theorem is false. Languages are chosen by a number.
fn doubt(terms: &mut Terms, theorem: &Theorem, instance: usize) -> Option<String> {
    let mut script = Script { dialect: Dialect::V26, ..Script::default() };
    let mut chosen = Substitution::new();
    let languages = languages(terms);
    for (number, (name, sort)) in theorem.constants.iter().enumerate() {
        if *sort == Sort::REG_LAN {
            chosen.replace(*name, languages[(instance + 3 * number) % languages.len()]);
        } else {
            script.push(Command::DeclareConst(*name, *sort));
        }
    }
    for (name, param, sort) in &theorem.functions {
        script.push(Command::DeclareFun(*name, vec![*param], *sort));
    }
    for condition in &theorem.conditions {
        script.push(Command::Assert(*condition));
    }
    let formula = substitute(terms, theorem.formula, &chosen);
    script.push(Command::Assert(terms.apply(Op::Not, &[], &[formula]).ok()?));
    script.push(Command::CheckSat);
    Some(script_text(terms, &script))
}

/// Whether quantifiers or functions occur in a rule.
fn is_quantified(rule: &Rule) -> bool {
    let is_quantified = |part: &Pattern| matches!(part, Pattern::Quantified { .. } | Pattern::Applied(..));
    rule.left.any(&is_quantified) || rule.right.any(&is_quantified)
}

/// Whether a letter is the width of something that a rule declares.
fn is_width_letter(rule: &Rule, letter: &str) -> bool {
    let mut letters = Vec::new();
    rule.declared.iter().for_each(|declared| declared.shape.letters(&mut letters));
    letters.iter().any(|(known, _)| known == letter)
}

/// Evaluates a theorem for all values of small domains that satisfy its conditions.
fn try_all(terms: &mut Terms, theorem: &Theorem) -> Result<u64, Defect> {
    let mut domains: Vec<Vec<Definition>> = Vec::new();
    for (name, sort) in &theorem.constants {
        let values = if *sort == Sort::REG_LAN { languages(terms) } else { small_domain(terms, *sort) };
        let constant = |body: Term| Definition { name: *name, params: Vec::new(), sort: *sort, body };
        domains.push(values.into_iter().map(constant).collect());
    }
    for (name, param, sort) in &theorem.functions {
        domains.push(functions(terms, *name, *param, *sort));
    }
    if domains.iter().any(Vec::is_empty) {
        return Err(Defect::from("no values are known for some sort"));
    }
    // With many variables, fewer values each.
    while domains.iter().map(Vec::len).fold(1, usize::saturating_mul) > MAX_ASSIGNMENTS {
        let longest = domains.iter_mut().max_by_key(|domain| domain.len()).expect("there are variables");
        longest.pop();
    }
    let environment = Environment::default();
    let mut chosen = vec![0; domains.len()];
    let mut count = 0;
    loop {
        let mut model = Model::new();
        for (domain, position) in domains.iter().zip(&chosen) {
            model.define(domain[*position].clone());
        }
        let mut evaluator = Evaluator::new(terms, &environment, &model);
        let mut is_true = |term: Term| evaluator.eval(term) == Ok(Value::Bool(true));
        if theorem.conditions.iter().all(|condition| is_true(*condition)) {
            count += 1;
            if !is_true(theorem.formula) {
                let values = domains.iter().zip(&chosen).map(|(domain, position)| {
                    let definition = &domain[*position];
                    format!(
                        "{} = {}",
                        terms.text(definition.name).to_owned(),
                        term_text(terms, definition.body)
                    )
                });
                let values: Vec<String> = values.collect();
                return Err(Defect::from(format!(
                    "it is false, or has no value that we know, for {}",
                    values.join(", ")
                )));
            }
        }
        // The next assignment, as an odometer counts.
        let Some(place) = (0..chosen.len()).find(|place| chosen[*place] + 1 < domains[*place].len()) else {
            return Ok(count);
        };
        chosen[..place].fill(0);
        chosen[place] += 1;
    }
}

/// All functions between two small sorts.
fn functions(terms: &mut Terms, name: Symbol, param: Sort, sort: Sort) -> Vec<Definition> {
    let (arguments, results) = (small_domain(terms, param), small_domain(terms, sort));
    let variable = Variable { name: terms.symbols.intern("argument"), sort: param };
    let local = terms.local(variable.name, param);
    let mut bodies: Vec<Term> = results.clone();
    for argument in arguments.iter().skip(1) {
        let mut more = Vec::new();
        for rest in bodies {
            for result in &results {
                let is_here = terms.apply(Op::Eq, &[], &[local, *argument]);
                let body = is_here.and_then(|is_here| terms.apply(Op::Ite, &[], &[is_here, *result, rest]));
                more.extend(body);
            }
        }
        bodies = more;
    }
    bodies.into_iter().map(|body| Definition { name, params: vec![variable], sort, body }).collect()
}

/// Some languages, the telling ones first.
fn languages(terms: &mut Terms) -> Vec<Term> {
    let words = ["", "a", "b", "ab"].map(|word| {
        let word = terms.literal(Literal::Str, word, Sort::STRING);
        terms.apply(Op::StrToRe, &[], &[word]).expect("a word is a language")
    });
    let [empty, a, b, ab] = words;
    let mut apply = |op: Op, args: &[Term]| terms.apply(op, &[], args).expect("these are well-sorted");
    let [none, all, letter] = [Op::ReNone, Op::ReAll, Op::ReAllChar].map(|op| apply(op, &[]));
    let star = apply(Op::ReStar, &[a]);
    let either = apply(Op::ReUnion, &[a, ab]);
    let not_a = apply(Op::ReComp, &[a]);
    let stars = apply(Op::ReConcat, &[star, b]);
    vec![a, star, empty, either, not_a, ab, none, letter, all, stars]
}
