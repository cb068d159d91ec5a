//! Terms without abbreviations: `let`, annotations, definitions, and other spellings of characters.

use rustc_hash::FxHashMap;
use smelt_semantics::environment::Environment;
use smelt_semantics::literal;
use smelt_smtlib::substitute::{Substitution, expand_lets, substitute};
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::subterms;

/// More calls of defined functions than this are not expanded.
pub(crate) const MAX_CALLS: usize = 300;

/// The term without abbreviations; none if it takes more calls than these.
pub(crate) fn expand(
    terms: &mut Terms,
    environment: &Environment,
    root: Term,
    calls: &mut usize,
) -> Option<Term> {
    let root = expand_lets(terms, root);
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for part in subterms(terms, &[root]) {
        let args: Vec<Term> = terms.args(part).iter().map(|arg| done[arg]).collect();
        let definition = match terms.head(part) {
            Head::Global(name) | Head::Qualified(name) => environment.definition(name),
            _ => None,
        };
        let result = match (terms.head(part), definition) {
            (_, Some(definition)) if definition.params.len() == args.len() => {
                *calls = calls.checked_sub(1)?;
                let mut substitution = Substitution::new();
                for (param, arg) in definition.params.iter().zip(&args) {
                    substitution.replace(param.name, *arg);
                }
                let body = substitute(terms, definition.body, &substitution);
                expand(terms, environment, body, calls)?
            }
            (Head::Annotated(_), _) => args[0],
            (Head::Literal(Literal::Str, _), _) => match literal::string_value(terms, part) {
                Some(word) => literal::string(terms, &word),
                None => part,
            },
            _ => terms.with_args(part, &args),
        };
        done.insert(part, result);
    }
    done.get(&root).copied()
}
