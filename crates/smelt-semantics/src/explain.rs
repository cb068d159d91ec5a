//! Why an assertion is false: the values of its parts, for people.

use smelt_smtlib::op::Op;
use smelt_smtlib::print::term_text;
use smelt_smtlib::term::{Head, Term, Terms};

use crate::environment::Environment;
use crate::eval::Evaluator;
use crate::model::Model;
use crate::print::value_text;
use crate::value::Value;

/// The values of the parts of a false assertion: of the first false conjunct, if it is a conjunction.
pub fn explain(terms: &mut Terms, environment: &Environment, model: &Model, assertion: Term) -> String {
    let mut evaluator = Evaluator::new(terms, environment, model);
    let mut atom = assertion;
    loop {
        let next = match terms.head(atom) {
            Head::Op(Op::And, _) => {
                terms.args(atom).iter().copied().find(|arg| evaluator.eval(*arg) == Ok(Value::Bool(false)))
            }
            Head::Annotated(_) => terms.args(atom).first().copied(),
            _ => None,
        };
        match next {
            Some(next) => atom = next,
            None => break,
        }
    }
    if terms.is_binder(atom) {
        return String::new();
    }
    let parts: Vec<(Term, Value)> =
        terms.args(atom).iter().filter_map(|arg| Some((*arg, evaluator.eval(*arg).ok()?))).collect();
    let mut text = String::new();
    if atom != assertion {
        text.push_str(&format!("    because of {}\n", excerpt(terms, atom)));
    }
    for (part, value) in parts {
        let sort = terms.sort(part);
        if let Some(value) = value_text(terms, environment, &value, sort) {
            let part = excerpt(terms, part);
            if part != value {
                text.push_str(&format!("    {part} is {}\n", shortened(&value)));
            }
        }
    }
    text
}

/// The text of a term, cut so that it fits a line.
pub fn excerpt(terms: &mut Terms, term: Term) -> String {
    shortened(&term_text(terms, term))
}

/// A text cut so that it fits a line.
fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
