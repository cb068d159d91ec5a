//! Whether a triple inverts: tried on all values of small domains, by evaluation.
//!
//! For finite sorts that are small enough the domain is the whole sort, and then this is a proof for that width. For
//! others it is a set of values on which operators behave differently.

use smelt_semantics::Budget;
use smelt_semantics::domain::values;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::print::value_text;
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{script_text, term_text};
use smelt_smtlib::read::{Scope, read_term};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Index, Literal, Term, Terms};

use super::triple::{Bindings, Instance, Triple};

/// What came of trying a triple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// It inverts for all values that were tried, so many assignments.
    Inverts(u64),
    /// It does not invert here, or we cannot tell.
    Fails(String),
}

/// Sorts with so many values or fewer are tried with all of them.
const WHOLE_SORT: u64 = 16;
/// The most assignments for one triple over given widths and sorts.
const MOST_ASSIGNMENTS: u64 = 40_000;

/// Tries a triple over small widths and some sorts.
pub fn verify(triple: &Triple) -> Verification {
    let mut terms = Terms::new();
    let mut tried = 0;
    for bindings in small_bindings(&mut terms, triple) {
        let instance = match triple.instantiate(&mut terms, &bindings) {
            Ok(instance) => instance,
            Err(message) => return Verification::Fails(message),
        };
        match verify_instance(&mut terms, &instance) {
            Ok(count) => tried += count,
            Err(message) => return Verification::Fails(message),
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
    let sorts = [Sort::BOOL, bit, Sort::INT];
    let mut all = vec![(Vec::<(String, u32)>::new(), Vec::<(String, Sort)>::new())];
    for (letter, is_width) in letters {
        let mut more = Vec::new();
        for (known_widths, known_sorts) in all {
            if known_widths.iter().any(|(known, _)| *known == letter)
                || known_sorts.iter().any(|(known, _)| *known == letter)
            {
                more.push((known_widths, known_sorts));
                continue;
            }
            if is_width {
                more.extend(widths.iter().map(|width| {
                    let mut known_widths = known_widths.clone();
                    known_widths.push((letter.clone(), *width));
                    (known_widths, known_sorts.clone())
                }));
            } else {
                more.extend(sorts.iter().map(|sort| {
                    let mut known_sorts = known_sorts.clone();
                    known_sorts.push((letter.clone(), *sort));
                    (known_widths.clone(), known_sorts)
                }));
            }
        }
        all = more;
    }
    let bindings = all.iter().map(|(widths, sorts)| {
        let widths: Vec<(&str, u32)> =
            widths.iter().map(|(letter, width)| (letter.as_str(), *width)).collect();
        let sorts: Vec<(&str, Sort)> = sorts.iter().map(|(letter, sort)| (letter.as_str(), *sort)).collect();
        Bindings::new(&widths, &sorts)
    });
    bindings.collect()
}

fn verify_instance(terms: &mut Terms, instance: &Instance) -> Result<u64, String> {
    let [x, y, z] = instance.names;
    let [x_sort, y_sort, z_sort] = instance.sorts;
    let mut variables: Vec<(Symbol, Sort)> = vec![(x, x_sort), (y, y_sort)];
    variables.extend(&instance.constants);
    let mut domains = Vec::new();
    for (name, sort) in &variables {
        let domain = small_domain(terms, *sort);
        if domain.is_empty() {
            return Err(format!("no values are known for the sort of `{}`", terms.text(*name)));
        }
        domains.push(domain);
    }
    // With many constants, fewer values each.
    while domains.iter().map(|domain| domain.len() as u64).product::<u64>() > MOST_ASSIGNMENTS {
        let longest = domains.iter_mut().max_by_key(|domain| domain.len()).expect("x and y have domains");
        longest.pop();
    }
    let mut claim = |name: Symbol, sort: Sort, found: Term| {
        let constant = terms.constant(name, sort);
        terms.apply(Op::Eq, &[], &[constant, found]).map_err(|_| "an inversion has another sort".to_owned())
    };
    let claims = [claim(x, x_sort, instance.find_x)?, claim(y, y_sort, instance.find_y)?];
    if terms.sort(instance.fusion) != z_sort {
        return Err("the fusion function has another sort than `z`".to_owned());
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
                return Err(format!("it does not invert for x = {}, y = {}", text(first), text(second)));
            }
        }
        // The next assignment, as an odometer counts.
        let Some(place) = (0..chosen.len()).find(|place| chosen[*place] + 1 < domains[*place].len()) else {
            return if count > 0 {
                Ok(count)
            } else {
                Err("no assignment satisfies its conditions".to_owned())
            };
        };
        chosen[..place].fill(0);
        chosen[place] += 1;
    }
}

/// Values of a sort on which operators behave differently; all of them if they are few.
pub(super) fn small_domain(terms: &mut Terms, sort: Sort) -> Vec<Term> {
    let environment = Environment::default();
    let all = values(terms, &environment, sort, WHOLE_SORT, &mut Budget::default()).ok().flatten();
    let Some(all) = all else { return some_values(terms, sort) };
    let texts: Vec<String> =
        all.iter().filter_map(|value| value_text(terms, &environment, value, sort)).collect();
    let mut scope = Scope::new();
    texts.iter().filter_map(|text| read_term(terms, &mut scope, text, Dialect::V26).ok()).collect()
}

/// Some values of a sort, the telling ones first.
fn some_values(terms: &mut Terms, sort: Sort) -> Vec<Term> {
    const WORDS: &[&str] = &["", "a", "b", "ab", "aa", "ba", ":", "12", "aab", "aba", "\\u{2ffff}"];
    match *terms.sorts.kind(sort) {
        SortKind::Int => signed(terms, Literal::Numeral, &["0", "1", "2", "3", "7", "100"], sort),
        SortKind::Real => signed(terms, Literal::Decimal, &["0.0", "1.0", "2.5", "0.125", "7.0"], sort),
        SortKind::String => WORDS.iter().map(|word| terms.literal(Literal::Str, word, sort)).collect(),
        SortKind::BitVec(width) => {
            let digits = width as usize;
            let zeros = "0".repeat(digits - 1);
            let mixed: String = "011".chars().cycle().take(digits).collect();
            let texts =
                [format!("0{zeros}"), format!("{zeros}1"), "1".repeat(digits), format!("1{zeros}"), mixed];
            texts.iter().map(|text| terms.literal(Literal::Binary, text, sort)).collect()
        }
        SortKind::Float(exponent, significand) => {
            let format = [exponent, significand].map(|bits| Index::Number(u64::from(bits)));
            let ops = [Op::FpPlusZero, Op::FpMinusZero, Op::FpPlusInfinity, Op::FpMinusInfinity, Op::FpNan];
            ops.iter().filter_map(|op| terms.apply(*op, &format, &[]).ok()).collect()
        }
        SortKind::Array(index, element) => {
            let (indices, elements) = (few_values(terms, index), few_values(terms, element));
            let mut arrays: Vec<Term> = elements
                .iter()
                .filter_map(|value| terms.apply_ascribed(Op::ConstArray, &[], &[*value], Some(sort)).ok())
                .collect();
            for (position, index) in indices.iter().enumerate() {
                let base = arrays.get(position % elements.len().max(1)).copied();
                let value = elements.get((position + 1) % elements.len().max(1)).copied();
                if let (Some(base), Some(value)) = (base, value) {
                    arrays.extend(terms.apply(Op::Store, &[], &[base, *index, value]));
                }
            }
            arrays
        }
        SortKind::Seq(element) => {
            let elements = few_values(terms, element);
            let mut all: Vec<Term> = Vec::new();
            all.extend(terms.apply_ascribed(Op::SeqEmpty, &[], &[], Some(sort)));
            let units: Vec<Term> =
                elements.iter().filter_map(|value| terms.apply(Op::SeqUnit, &[], &[*value]).ok()).collect();
            all.extend(&units);
            for unit in &units {
                all.extend(terms.apply(Op::SeqConcat, &[], &[*unit, units[0]]));
            }
            all
        }
        _ => Vec::new(),
    }
}

/// Numbers and what is left of zero.
fn signed(terms: &mut Terms, literal: Literal, texts: &[&str], sort: Sort) -> Vec<Term> {
    let mut numbers = Vec::new();
    for text in texts {
        let number = terms.literal(literal, text, sort);
        numbers.push(number);
        // The first is zero.
        if numbers.len() > 1 {
            numbers.extend(terms.apply(Op::Neg, &[], &[number]));
        }
    }
    numbers
}

/// A few values of a sort.
fn few_values(terms: &mut Terms, sort: Sort) -> Vec<Term> {
    small_domain(terms, sort).into_iter().take(3).collect()
}
