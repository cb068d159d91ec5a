//! Whether rows are theorems, and formulas unsatisfiable: tried on all values of small domains, by evaluation.
//!
//! The search assigns one variable after the other, and evaluates an assertion as soon as all of its variables have
//! values. A universal quantifier is evaluated over the small domain. Where it stands positively this makes it weaker,
//! so that a theorem that is found to hold does hold for the values tried. The only ones that stand negatively are those
//! of E6, over positions of a string, of which the domain has all that matter.

use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::op::Op;
use smelt_smtlib::print::term_text;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::{free_names, subterms};

use super::formula::{Formula, body_and_patterns, conjunction, rebuild};
use super::row::{Kind, Reach, Row};

/// What came of trying a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// It holds for all values that were tried, so many assignments.
    Holds(u64),
    /// It does not hold here, or we cannot tell.
    Fails(String),
}

/// The most assignments of a search.
const MAX_ASSIGNMENTS: u128 = 400_000;
/// The most instances of a quantifier.
const MAX_INSTANCES: u128 = 1_000;

/// Words without digits, every part of one before it.
const WORDS: &[&str] = &["", "a", "b", "ab", "ba", "aa", "bb", "aab", "aba"];
/// Words for conversions from and to numbers, every part of one before it.
const DIGITS: &[&str] = &["", "0", "1", "a", "10", "01", "a0", "9", "12"];
/// All positions in words, what is before and behind them, and numbers with more digits.
const NUMBERS: &[i64] = &[0, 1, -1, 2, 3, 9, 10, 12];

/// Tries whether the premises of a row entail its conclusion, and whether its variable takes the values that it says.
pub fn verify(terms: &mut Terms, row: &Row) -> Verification {
    let Ok(denied) = terms.apply(Op::Not, &[], &[row.conclusion]) else {
        return Verification::Fails("the conclusion is no formula".to_owned());
    };
    let assertions: Vec<Term> = [denied].into_iter().chain(row.premises.iter().copied()).collect();
    let search = Search::new(terms, &row.variables, &assertions);
    let tried = match search.find(terms) {
        SearchEnd::Found(values) => return Verification::Fails(format!("it is false for {values}")),
        SearchEnd::Unclear(assertion) => {
            return Verification::Fails(format!("this has no value that we know: {assertion}"));
        }
        SearchEnd::Exhausted(tried) => tried,
    };
    // Without a model of the premises the row would say nothing.
    let search = Search::new(terms, &row.variables, &row.premises);
    if !matches!(search.find(terms), SearchEnd::Found(_)) {
        return Verification::Fails("no assignment satisfies its premises".to_owned());
    }
    match unreached(terms, row) {
        Some(value) => Verification::Fails(format!("its premises exclude {value}")),
        None => Verification::Holds(tried),
    }
}

/// A value that the variable of a row should take and cannot, whatever its other variables are.
fn unreached(terms: &mut Terms, row: &Row) -> Option<String> {
    let Kind::Variable(reach) = row.kind else { return None };
    let (_, right) = row.equation(terms)?;
    let (name, sort) = row.variable(terms, right)?;
    let is_wanted = |number: &&i64| reach == Reach::All || **number >= 0;
    let values: Vec<Term> = match (reach, sort) {
        (Reach::Some, _) => Vec::new(),
        (_, Sort::INT) => NUMBERS[..5].iter().filter(is_wanted).map(|number| int(terms, *number)).collect(),
        _ => WORDS.iter().map(|word| terms.literal(Literal::Str, word, Sort::STRING)).collect(),
    };
    for value in values {
        let mut given = Substitution::new();
        given.replace(name, value);
        let premises: Vec<Term> =
            row.premises.iter().map(|premise| substitute(terms, *premise, &given)).collect();
        let others: Vec<(Symbol, Sort)> =
            row.variables.iter().copied().filter(|(other, _)| *other != name).collect();
        if !matches!(Search::new(terms, &others, &premises).find(terms), SearchEnd::Found(_)) {
            return Some(term_text(terms, value));
        }
    }
    None
}

/// Whether a formula has a model in small domains as soon as one of its assertions is left out.
///
/// Not known where there are quantifiers: over small domains they do not mean what they say.
pub(super) fn is_minimal(terms: &mut Terms, formula: &Formula) -> bool {
    let assertions = formula.assertions(terms);
    let is_quantifier = |part: &Term| matches!(terms.head(*part), Head::Forall(_));
    if subterms(terms, &assertions).iter().any(is_quantifier) {
        return false;
    }
    (0..assertions.len()).all(|left_out| {
        let mut others = assertions.clone();
        others.remove(left_out);
        let search = Search::with_constants_of(terms, &formula.variables, &others, &assertions);
        matches!(search.find(terms), SearchEnd::Found(_))
    })
}

/// How a search for values that satisfy assertions ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SearchEnd {
    /// These satisfy all of them.
    Found(String),
    /// No values of the domain do; this is the number of evaluations.
    Exhausted(u64),
    /// This assertion could not be evaluated.
    Unclear(String),
}

/// A search for values in small domains.
pub(super) struct Search {
    variables: Vec<(Symbol, Sort)>,
    domains: Vec<Vec<Term>>,
    /// For each number of variables with values the assertions that can be evaluated then and not before.
    due: Vec<Vec<Term>>,
}

impl Search {
    /// The search for values of these variables such that all assertions hold.
    pub(super) fn new(terms: &mut Terms, variables: &[(Symbol, Sort)], assertions: &[Term]) -> Search {
        Search::with_constants_of(terms, variables, assertions, assertions)
    }

    /// The same search, among the values of which are the constants of other formulas.
    fn with_constants_of(
        terms: &mut Terms,
        variables: &[(Symbol, Sort)],
        assertions: &[Term],
        others: &[Term],
    ) -> Search {
        let mut domains: Vec<Vec<Term>> =
            variables.iter().map(|(_, sort)| domain(terms, *sort, others)).collect();
        cut(&mut domains, MAX_ASSIGNMENTS);
        let assertions: Vec<Term> = assertions.iter().map(|term| bounded(terms, *term, others)).collect();
        let mut due = vec![Vec::new(); variables.len() + 1];
        for assertion in assertions {
            let names = free_names(terms, assertion);
            let last = variables.iter().rposition(|(name, _)| names.contains(*name));
            due[last.map_or(0, |last| last + 1)].push(assertion);
        }
        Search { variables: variables.to_vec(), domains, due }
    }

    /// Goes through all assignments.
    pub(super) fn find(&self, terms: &mut Terms) -> SearchEnd {
        let environment = Environment::default();
        let mut model = Model::new();
        let mut tried = 0;
        // The choice of each variable that has a value.
        let mut chosen: Vec<usize> = Vec::new();
        loop {
            let mut is_possible = true;
            for assertion in &self.due[chosen.len()] {
                tried += 1;
                match Evaluator::new(terms, &environment, &model).eval(*assertion) {
                    Ok(Value::Bool(true)) => {}
                    Ok(_) => {
                        is_possible = false;
                        break;
                    }
                    Err(_) => return SearchEnd::Unclear(term_text(terms, *assertion)),
                }
            }
            if is_possible && chosen.len() == self.variables.len() {
                return SearchEnd::Found(self.describe(terms, &chosen));
            }
            if is_possible {
                chosen.push(0);
            } else {
                // The next value of the last variable that has one left.
                loop {
                    let Some(last) = chosen.pop() else { return SearchEnd::Exhausted(tried) };
                    if last + 1 < self.domains[chosen.len()].len() {
                        chosen.push(last + 1);
                        break;
                    }
                }
            }
            let position = chosen.len() - 1;
            model.set(terms, self.variables[position].0, self.domains[position][chosen[position]]);
        }
    }

    fn describe(&self, terms: &mut Terms, chosen: &[usize]) -> String {
        let values = self.variables.iter().zip(&self.domains).zip(chosen);
        let values = values.map(|(((name, _), domain), at)| {
            let value = term_text(terms, domain[*at]);
            format!("{} = {value}", terms.text(*name))
        });
        values.collect::<Vec<String>>().join(", ")
    }
}

/// Values of a sort, with all constants that occur in some formulas.
fn domain(terms: &mut Terms, sort: Sort, formulas: &[Term]) -> Vec<Term> {
    let parts = subterms(terms, formulas);
    let converts = |part: &Term| matches!(terms.op(*part), Some(Op::StrToInt | Op::StrFromInt));
    let words = if parts.iter().any(converts) { DIGITS } else { WORDS };
    let mut values = match sort {
        Sort::INT => NUMBERS.iter().map(|number| int(terms, *number)).collect(),
        Sort::STRING => words.iter().map(|word| terms.literal(Literal::Str, word, sort)).collect(),
        Sort::BOOL => vec![terms.bool(false), terms.bool(true)],
        _ => Vec::new(),
    };
    // Before the last ones, which are cut off first.
    for part in parts {
        let is_literal = matches!(terms.head(part), Head::Literal(..)) && terms.sort(part) == sort;
        if is_literal && !values.contains(&part) {
            values.insert(values.len() / 2, part);
        }
    }
    values
}

/// Cuts domains off at their ends until there are few ways to choose from them.
fn cut(domains: &mut [Vec<Term>], most: u128) {
    while domains.iter().map(|domain| domain.len() as u128).fold(1, u128::saturating_mul) > most {
        let longest = domains.iter_mut().max_by_key(|domain| domain.len());
        longest.expect("no variables make one assignment").pop();
    }
}

/// A formula whose quantifiers speak of small domains only.
fn bounded(terms: &mut Terms, formula: Term, context: &[Term]) -> Term {
    rebuild(terms, formula, &mut |terms, _, term| {
        let Head::Forall(binders) = terms.head(term) else { return term };
        let binders = terms.binders(binders).to_vec();
        let (body, _) = body_and_patterns(terms, term);
        let mut domains: Vec<Vec<Term>> =
            binders.iter().map(|variable| domain(terms, variable.sort, context)).collect();
        cut(&mut domains, MAX_INSTANCES);
        let mut instances = vec![body];
        for (variable, domain) in binders.iter().zip(&domains) {
            let mut more = Vec::new();
            for instance in instances {
                for value in domain {
                    let mut given = Substitution::new();
                    given.replace(variable.name, *value);
                    more.push(substitute(terms, instance, &given));
                }
            }
            instances = more;
        }
        conjunction(terms, &instances).unwrap_or(term)
    })
}

/// A number as a term.
fn int(terms: &mut Terms, number: i64) -> Term {
    let positive = terms.literal(Literal::Numeral, &number.unsigned_abs().to_string(), Sort::INT);
    if number < 0 {
        terms.apply(Op::Neg, &[], &[positive]).expect("numbers can be negated")
    } else {
        positive
    }
}
