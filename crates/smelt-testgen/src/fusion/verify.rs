//! Whether a triple inverts: tried on all values of small domains, by evaluation.
//!
//! For finite sorts that are small enough the domain is the whole sort, and then this is a proof for that width. For
//! others it is a set of values on which operators behave differently.

use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{script_text, term_text};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use super::triple::{Instance, Triple};
use crate::blocks::Defect;
use crate::shape::Bindings;
use crate::small_domain::small_domain;

/// What came of trying a triple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// It inverts for all values that were tried, so many assignments.
    Inverts(u64),
    /// It does not invert here, or we cannot tell.
    Fails(String),
}

/// The most assignments for one triple over given widths and sorts.
const MAX_ASSIGNMENTS: u64 = 40_000;

/// Tries a triple over small widths and some sorts.
pub fn verify(triple: &Triple) -> Verification {
    let mut terms = Terms::new();
    let mut tried = 0;
    for bindings in small_bindings(&mut terms, triple) {
        let instance = match triple.instantiate(&mut terms, &bindings) {
            Ok(instance) => instance,
            Err(defect) => return Verification::Fails(defect.to_string()),
        };
        match verify_instance(&mut terms, &instance) {
            Ok(count) => tried += count,
            Err(defect) => return Verification::Fails(defect.to_string()),
        }
    }
    Verification::Inverts(tried)
}

/// Scripts that are satisfiable only if a triple does not invert, over usual widths and sorts: for solvers to refute.
pub fn doubts(triple: &Triple) -> Vec<String> {
    let mut terms = Terms::new();
    let is_float = triple.to_text().contains("FloatingPoint");
    let widths = if is_float { [("W", 5), ("V", 11)] } else { [("W", 8), ("V", 4)] };
    let usual = [Sort::INT, Sort::BOOL, Sort::STRING];
    let has_sorts = triple.letters().iter().any(|(_, is_width)| !is_width);
    let sorts = if has_sorts { &usual[..] } else { &usual[..1] };
    let mut scripts = Vec::new();
    for sort in sorts {
        let bindings = Bindings::new(&widths, &[("E", *sort), ("I", Sort::INT)]);
        let Ok(instance) = triple.instantiate(&mut terms, &bindings) else { continue };
        scripts.extend(doubt(&mut terms, &instance));
    }
    scripts
}

/// The script that asks for values for which an instance does not invert.
fn doubt(terms: &mut Terms, instance: &Instance) -> Option<String> {
    let mut script = Script { dialect: Dialect::V26, ..Script::default() };
    let variables = instance.names.iter().copied().zip(instance.sorts);
    variables.chain(instance.constants.iter().copied()).for_each(|(name, sort)| {
        script.push(Command::DeclareConst(name, sort));
    });
    instance.conditions.iter().for_each(|condition| script.push(Command::Assert(*condition)));
    let found = [instance.find_x, instance.find_y, instance.fusion];
    let mut equations = Vec::new();
    for ((name, sort), found) in instance.names.iter().zip(instance.sorts).zip(found) {
        let constant = terms.constant(*name, sort);
        equations.push(terms.apply(Op::Eq, &[], &[constant, found]).ok()?);
    }
    script.push(Command::Assert(equations[2]));
    let both = terms.apply(Op::And, &[], &equations[..2]).ok()?;
    script.push(Command::Assert(terms.apply(Op::Not, &[], &[both]).ok()?));
    script.push(Command::CheckSat);
    Some(script_text(terms, &script))
}

/// Widths and sorts for the letters of a triple.
fn small_bindings(terms: &mut Terms, triple: &Triple) -> Vec<Bindings> {
    let letters = triple.letters();
    let is_float = letters.len() >= 2 && triple.to_text().contains("FloatingPoint");
    let widths: &[u32] = if is_float { &[2, 3] } else { &[1, 2, 3] };
    let bit = terms.sorts.bit_vec(1);
    Bindings::all(&letters, widths, &[Sort::BOOL, bit, Sort::INT])
}

fn verify_instance(terms: &mut Terms, instance: &Instance) -> Result<u64, Defect> {
    let [x, y, z] = instance.names;
    let [x_sort, y_sort, z_sort] = instance.sorts;
    let mut variables: Vec<(Symbol, Sort)> = vec![(x, x_sort), (y, y_sort)];
    variables.extend(&instance.constants);
    let mut domains = Vec::new();
    for (name, sort) in &variables {
        let domain = small_domain(terms, *sort);
        if domain.is_empty() {
            return Err(Defect::from(format!("no values are known for the sort of `{}`", terms.text(*name))));
        }
        domains.push(domain);
    }
    // With many constants, fewer values each.
    while domains.iter().map(|domain| domain.len() as u64).product::<u64>() > MAX_ASSIGNMENTS {
        let longest = domains.iter_mut().max_by_key(|domain| domain.len()).expect("x and y have domains");
        longest.pop();
    }
    let mut claim = |name: Symbol, sort: Sort, found: Term| {
        let constant = terms.constant(name, sort);
        terms
            .apply(Op::Eq, &[], &[constant, found])
            .map_err(|_| Defect::from("an inversion has another sort"))
    };
    let claims = [claim(x, x_sort, instance.find_x)?, claim(y, y_sort, instance.find_y)?];
    if terms.sort(instance.fusion) != z_sort {
        return Err(Defect::from("the fusion function has another sort than `z`"));
    }
    let environment = Environment::default();
    let mut chosen = vec![0; domains.len()];
    let mut count = 0;
    loop {
        let mut model = Model::new();
        for (((name, _), domain), position) in variables.iter().zip(&domains).zip(&chosen) {
            model.set(terms, *name, domain[*position]);
        }
        model.set(terms, z, instance.fusion);
        let mut evaluator = Evaluator::new(terms, &environment, &model);
        let mut is_true = |term: Term| evaluator.eval(term) == Ok(Value::Bool(true));
        if instance.conditions.iter().all(|condition| is_true(*condition)) {
            count += 1;
            if !claims.iter().all(|claim| is_true(*claim)) {
                let value = |position: usize| domains[position][chosen[position]];
                let (first, second) = (value(0), value(1));
                let mut text = |term: Term| term_text(terms, term);
                return Err(Defect::from(format!(
                    "it does not invert for x = {}, y = {}",
                    text(first),
                    text(second)
                )));
            }
        }
        // The next assignment, as an odometer counts.
        let Some(place) = (0..chosen.len()).find(|place| chosen[*place] + 1 < domains[*place].len()) else {
            return if count > 0 {
                Ok(count)
            } else {
                Err(Defect::from("no assignment satisfies its conditions"))
            };
        };
        chosen[..place].fill(0);
        chosen[place] += 1;
    }
}
