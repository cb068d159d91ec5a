//! From a term and its value to the text that a judge is asked.

use rustc_hash::FxHashMap;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::print::value_text;
use smelt_semantics::unknown::Unknown;
use smelt_smtlib::op::Op;
use smelt_smtlib::print::term_text;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::generate::is_literal;
use super::judge::{Mode, Solver};
use super::literals::apply;

/// Effort for one term: enough for every value that a solver can still be asked about.
const BUDGET: u64 = 1 << 21;
/// Longer values and terms are left out; solvers need seconds for them.
const MAX_TEXT: usize = 6_000;

/// A term with the value that we give it.
#[derive(Debug, Clone)]
pub struct Valued {
    pub term: Term,
    pub text: String,
    pub value: String,
}

/// Why a term is not asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// It has no value, or none that we know.
    Unknown(Unknown),
    /// It is a regular language, or too long.
    NoText,
}

/// Evaluates terms; what has a value becomes text.
pub fn evaluate(terms: &mut Terms, environment: &Environment, ground: &[Term]) -> Vec<Result<Valued, Skip>> {
    let model = Model::new();
    let outcomes: Vec<_> = {
        let mut evaluator = Evaluator::new(terms, environment, &model);
        ground
            .iter()
            .map(|term| {
                evaluator.budget = Budget::new(BUDGET);
                evaluator.eval(*term)
            })
            .collect()
    };
    ground
        .iter()
        .zip(outcomes)
        .map(|(term, outcome)| {
            let value = outcome.map_err(Skip::Unknown)?;
            let value = value_text(terms, environment, &value, terms.sort(*term)).ok_or(Skip::NoText)?;
            let text = term_text(terms, *term);
            if text.len() + value.len() > MAX_TEXT {
                return Err(Skip::NoText);
            }
            Ok(Valued { term: *term, text, value })
        })
        .collect()
}

/// The text of the question whether a term has its value.
pub fn question(terms: &mut Terms, valued: &Valued, mode: Mode, solver: Solver) -> String {
    let text = match mode {
        Mode::Fold => format!("(= {} {})", valued.text, valued.value),
        Mode::Prove | Mode::ProveWithin => hidden(terms, valued),
    };
    spelled_for(solver, text)
}

/// Z3's updater of a field has another name.
pub fn spelled_for(solver: Solver, text: String) -> String {
    match solver {
        Solver::Z3 => text.replace("(_ update ", "(_ update-field "),
        Solver::Cvc5 => text,
    }
}

/// Declarations and assertions that say that a term has another value, with its literals hidden behind constants.
///
/// Numbers and bit-vectors are pinned from above and below, so that no preprocessing puts the literals back in.
fn hidden(terms: &mut Terms, valued: &Valued) -> String {
    let mut pins: FxHashMap<Term, Term> = FxHashMap::default();
    let mut order = Vec::new();
    let mut new: FxHashMap<Term, Term> = FxHashMap::default();
    for term in subterms(terms, &[valued.term]) {
        // Regular expressions must stay constant for the solvers, and so must the elements of constant arrays.
        let stays = terms.sort(term) == Sort::REG_LAN || terms.op(term) == Some(Op::ConstArray);
        let args: Vec<Term> = terms
            .args(term)
            .to_vec()
            .into_iter()
            .map(|arg| {
                if stays || !is_literal(terms, arg) {
                    return new[&arg];
                }
                *pins.entry(arg).or_insert_with(|| {
                    order.push(arg);
                    let name = terms.symbols.intern(&format!("c{}", order.len()));
                    terms.constant(name, terms.sort(arg))
                })
            })
            .collect();
        let rebuilt = terms.with_args(term, &args);
        new.insert(term, rebuilt);
    }
    let mut out = String::new();
    for literal in order {
        let constant = pins[&literal];
        let mut sort = String::new();
        terms.sorts.write(&terms.symbols, terms.sort(literal), &mut sort);
        let name = term_text(terms, constant);
        out.push_str(&format!("(declare-const {name} {sort}) "));
        let bounds: &[Op] = match terms.sorts.kind(terms.sort(literal)) {
            SortKind::Int | SortKind::Real => &[Op::Le, Op::Ge],
            SortKind::BitVec(_) => &[Op::BvUle, Op::BvUge],
            _ => &[Op::Eq],
        };
        for bound in bounds {
            let pin = apply(terms, *bound, &[constant, literal]);
            out.push_str(&format!("(assert {}) ", term_text(terms, pin)));
        }
    }
    let root = term_text(terms, new[&valued.term]);
    out.push_str(&format!("(assert (not (= {root} {})))", valued.value));
    out
}
