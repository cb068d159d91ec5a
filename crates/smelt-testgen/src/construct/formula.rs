//! An unsatisfiable formula in parts: a denied conclusion and its premises, and ways to replace what the premises speak of.
//!
//! Every replacement keeps what makes the formula unsatisfiable: the premises speak of something else, and further
//! premises say that it is the same.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::script_text;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Attribute, AttributeValue, Head, Term, Terms, Variable};
use smelt_smtlib::walk::{free_names, subterms};

use super::row::Row;

/// A conclusion that is denied, and premises that entail it.
#[derive(Debug, Clone)]
pub(super) struct Formula {
    /// The rows that it is made of, in one line.
    pub detail: String,
    pub variables: Vec<(Symbol, Sort)>,
    pub conclusion: Term,
    pub premises: Vec<Premise>,
    /// How many rows have been used: part of the names that they bring.
    used: u32,
}

/// An assertion of the formula.
#[derive(Debug, Clone)]
pub(super) struct Premise {
    pub name: String,
    pub term: Term,
    /// Whether it is needed for the formula to be unsatisfiable, as far as we know.
    pub is_needed: bool,
}

/// A row as it is used in a formula: its own variables have names that the formula does not have.
struct Use {
    variables: Vec<(Symbol, Sort)>,
    left: Term,
    premises: Vec<Term>,
}

impl Formula {
    /// The formula of an equivalence.
    pub(super) fn of(row: &Row) -> Formula {
        let premises = row.premises.iter().enumerate().map(|(position, term)| Premise {
            name: format!("{}-{}", row.id, position + 1),
            term: *term,
            is_needed: true,
        });
        Formula {
            detail: row.id.clone(),
            variables: row.variables.clone(),
            conclusion: row.conclusion,
            premises: premises.collect(),
            used: 0,
        }
    }

    /// The variables that occur in both the conclusion and the premises, or in the premises only.
    pub(super) fn variables_of_premises(&self, terms: &Terms, is_in_conclusion: bool) -> Vec<Variable> {
        let concluded = free_names(terms, self.conclusion);
        let occurs =
            |name: Symbol| self.premises.iter().any(|premise| free_names(terms, premise.term).contains(name));
        let is_wanted =
            |(name, _): &(Symbol, Sort)| concluded.contains(*name) == is_in_conclusion && occurs(*name);
        let variable = |(name, sort)| Variable { name, sort };
        self.variables.iter().copied().filter(is_wanted).map(variable).collect()
    }

    /// The premises speak of a new variable in place of this one, and a row says that both are the same.
    pub(super) fn replace_variable(
        &self,
        terms: &mut Terms,
        variable: Variable,
        row: &Row,
        is_needed: bool,
    ) -> Option<Formula> {
        let Variable { name, sort } = variable;
        let (_, right) = row.equation(terms)?;
        let (of_row, row_sort) = row.variable(terms, right)?;
        if row_sort != sort {
            return None;
        }
        let mut changed = self.clone();
        changed.detail = format!("{}, {} for {}", self.detail, row.id, terms.text(name));
        changed.used += 1;
        let old = terms.constant(name, sort);
        let fresh = changed.fresh(terms, name, "fresh");
        let new = terms.constant(fresh, sort);
        let mut renaming = Substitution::new();
        renaming.replace(name, new);
        for premise in &mut changed.premises {
            premise.term = substitute(terms, premise.term, &renaming);
        }
        changed.variables.push((fresh, sort));
        let row_use = changed.instantiate(terms, row, Some((of_row, old)), Terms::constant);
        changed.assert_use(terms, row, row_use, new, is_needed)?;
        Some(changed)
    }

    /// The premises have a new variable in place of a constant, and a row says that this is its value.
    pub(super) fn replace_constant(&self, terms: &mut Terms, row: &Row) -> Option<Formula> {
        let (_, constant) = row.equation(terms)?;
        let mut changed = self.clone();
        changed.used += 1;
        let stem = terms.symbols.intern("constant");
        let fresh = changed.fresh(terms, stem, "fresh");
        let new = terms.constant(fresh, terms.sort(constant));
        for premise in &mut changed.premises {
            premise.term = replace_term(terms, premise.term, constant, new);
        }
        let same = |(old, new): (&Premise, &Premise)| old.term == new.term;
        if self.premises.iter().zip(&changed.premises).all(same) {
            return None;
        }
        changed.detail = format!("{}, {}", self.detail, row.id);
        changed.variables.push((fresh, terms.sort(constant)));
        let row_use = changed.instantiate(terms, row, None, Terms::constant);
        changed.assert_use(terms, row, row_use, new, true)?;
        Some(changed)
    }

    /// The variables that quantifiers of the premises bind.
    pub(super) fn bound_variables(&self, terms: &Terms) -> Vec<Variable> {
        let mut variables = Vec::new();
        let roots: Vec<Term> = self.premises.iter().map(|premise| premise.term).collect();
        for term in subterms(terms, &roots) {
            if let Head::Forall(binders) = terms.head(term) {
                for variable in terms.binders(binders) {
                    if !variables.contains(variable) {
                        variables.push(*variable);
                    }
                }
            }
        }
        variables
    }

    /// Whether every quantifier that binds a variable speaks of its values from zero on only.
    pub(super) fn is_guarded(&self, terms: &mut Terms, variable: Variable) -> bool {
        let local = terms.local(variable.name, variable.sort);
        let roots: Vec<Term> = self.premises.iter().map(|premise| premise.term).collect();
        subterms(terms, &roots).into_iter().filter(|term| binds(terms, *term, variable)).all(|term| {
            let (body, _) = body_and_patterns(terms, term);
            let is_guard = |guard: &Term| {
                terms.op(*guard) == Some(Op::Ge)
                    && terms.args(*guard)[0] == local
                    && matches!(terms.head(terms.args(*guard)[1]), Head::Literal(_, zero) if terms.text(zero) == "0")
            };
            terms.op(body) == Some(Op::Implies)
                && terms.op(terms.args(body)[0]) == Some(Op::And)
                && terms.args(terms.args(body)[0]).iter().any(is_guard)
        })
    }

    /// The quantifiers that bind a variable bind a new one in its place, and speak of its values only that a row says
    /// are those of the old one.
    pub(super) fn replace_bound(&self, terms: &mut Terms, variable: Variable, row: &Row) -> Option<Formula> {
        let (_, right) = row.equation(terms)?;
        let (of_row, row_sort) = row.variable(terms, right)?;
        if row_sort != variable.sort {
            return None;
        }
        let mut changed = self.clone();
        changed.detail = format!("{}, {} for bound {}", self.detail, row.id, terms.text(variable.name));
        changed.used += 1;
        let old = terms.local(variable.name, variable.sort);
        let fresh = changed.fresh(terms, variable.name, "fresh");
        let new = terms.local(fresh, variable.sort);
        let row_use = changed.instantiate(terms, row, Some((of_row, old)), Terms::local);
        let equation = terms.apply(Op::Eq, &[], &[row_use.left, new]).ok()?;
        let mut conditions = vec![equation];
        conditions.extend(&row_use.premises);
        let condition = conjunction(terms, &conditions)?;
        let mut renaming = Substitution::new();
        renaming.replace(variable.name, new);
        let mut more = vec![Variable { name: fresh, sort: variable.sort }];
        more.extend(row_use.variables.iter().map(|(name, sort)| Variable { name: *name, sort: *sort }));
        for premise in &mut changed.premises {
            premise.term = rebuild(terms, premise.term, &mut |terms, _, term| {
                if !binds(terms, term, variable) {
                    return term;
                }
                let (body, patterns) = body_and_patterns(terms, term);
                let body = substitute(terms, body, &renaming);
                let mut patterns: Vec<Term> =
                    patterns.iter().map(|pattern| substitute(terms, *pattern, &renaming)).collect();
                // The further terms mention all of the variables that the quantifier has now.
                if !patterns.is_empty() {
                    patterns.push(row_use.left);
                }
                let Ok(body) = terms.apply(Op::Implies, &[], &[condition, body]) else { return term };
                let mut binders = match terms.head(term) {
                    Head::Forall(binders) => terms.binders(binders).to_vec(),
                    _ => return term,
                };
                binders.extend(&more);
                quantify(terms, &binders, body, &patterns)
            });
        }
        Some(changed)
    }

    /// The formula without the patterns of its quantifiers.
    pub(super) fn without_patterns(&self, terms: &mut Terms) -> Formula {
        let mut changed = self.clone();
        for premise in &mut changed.premises {
            premise.term = rebuild(terms, premise.term, &mut |terms, _, term| match terms.head(term) {
                Head::Forall(binders) => {
                    let binders = terms.binders(binders).to_vec();
                    let (body, _) = body_and_patterns(terms, term);
                    quantify(terms, &binders, body, &[])
                }
                _ => term,
            });
        }
        changed
    }

    /// All assertions: the denied conclusion first.
    pub(super) fn assertions(&self, terms: &mut Terms) -> Vec<Term> {
        let denied = terms.apply(Op::Not, &[], &[self.conclusion]).expect("a conclusion is a formula");
        let premises = self.premises.iter().map(|premise| premise.term);
        [denied].into_iter().chain(premises).collect()
    }

    /// The script, each of its assertions with a name.
    pub(super) fn script(&self, terms: &mut Terms) -> String {
        let mut script = Script { dialect: Dialect::V26, ..Script::default() };
        for (name, sort) in &self.variables {
            script.push(Command::DeclareConst(*name, *sort));
        }
        let names = ["claim"].into_iter().chain(self.premises.iter().map(|premise| premise.name.as_str()));
        for (name, assertion) in names.zip(self.assertions(terms)) {
            let attribute = Attribute {
                keyword: terms.symbols.intern(":named"),
                value: AttributeValue::Name(terms.symbols.intern(name)),
            };
            let attributes = terms.intern_attributes(&[attribute]);
            let named = terms.intern(Head::Annotated(attributes), &[assertion], Sort::BOOL);
            script.push(Command::Assert(named));
        }
        script.push(Command::CheckSat);
        script_text(terms, &script)
    }

    /// The numbers of the assertions that are needed.
    pub(super) fn core(&self) -> Vec<usize> {
        let needed = self.premises.iter().enumerate().filter(|(_, premise)| premise.is_needed);
        [1].into_iter().chain(needed.map(|(position, _)| position + 2)).collect()
    }

    /// A name that only the row used last has.
    fn fresh(&self, terms: &mut Terms, stem: Symbol, purpose: &str) -> Symbol {
        let number = if self.used == 1 { String::new() } else { format!("_{}", self.used) };
        let name = format!("{}_{purpose}{number}", terms.text(stem));
        terms.symbols.intern(&name)
    }

    /// A row with new variables, but for one that is given.
    fn instantiate(
        &self,
        terms: &mut Terms,
        row: &Row,
        given: Option<(Symbol, Term)>,
        variable: impl Fn(&mut Terms, Symbol, Sort) -> Term,
    ) -> Use {
        let mut substitution = Substitution::new();
        let mut variables = Vec::new();
        for (name, sort) in &row.variables {
            let term = match given {
                Some((known, term)) if known == *name => term,
                _ => {
                    let fresh = self.fresh(terms, *name, &row.id);
                    variables.push((fresh, *sort));
                    variable(terms, fresh, *sort)
                }
            };
            substitution.replace(*name, term);
        }
        let (left, _) = row.equation(terms).expect("rows conclude equations");
        let left = substitute(terms, left, &substitution);
        let premises =
            row.premises.iter().map(|premise| substitute(terms, *premise, &substitution)).collect();
        Use { variables, left, premises }
    }

    /// Asserts that the left side of a row is this term, and the premises of the row.
    fn assert_use(
        &mut self,
        terms: &mut Terms,
        row: &Row,
        row_use: Use,
        right: Term,
        is_needed: bool,
    ) -> Option<()> {
        self.variables.extend(row_use.variables);
        let equation = terms.apply(Op::Eq, &[], &[row_use.left, right]).ok()?;
        let number = if self.used == 1 { String::new() } else { format!("-{}", self.used) };
        self.premises.push(Premise { name: format!("{}{number}", row.id), term: equation, is_needed });
        for (position, term) in row_use.premises.into_iter().enumerate() {
            let name = format!("{}{number}-if-{}", row.id, position + 1);
            self.premises.push(Premise { name, term, is_needed });
        }
        Some(())
    }
}

/// Whether a term is a quantifier that binds a variable.
fn binds(terms: &Terms, term: Term, variable: Variable) -> bool {
    match terms.head(term) {
        Head::Forall(binders) => terms.binders(binders).contains(&variable),
        _ => false,
    }
}

/// What a quantifier says, and the terms of its pattern.
pub(super) fn body_and_patterns(terms: &Terms, quantifier: Term) -> (Term, Vec<Term>) {
    let body = terms.args(quantifier)[0];
    match terms.head(body) {
        Head::Annotated(_) => (terms.args(body)[0], terms.args(body)[1..].to_vec()),
        _ => (body, Vec::new()),
    }
}

/// A quantifier with one pattern, or without if that has no terms.
fn quantify(terms: &mut Terms, binders: &[Variable], body: Term, patterns: &[Term]) -> Term {
    let body = if patterns.is_empty() {
        body
    } else {
        let keyword = terms.symbols.intern(":pattern");
        let value = AttributeValue::Terms(patterns.len() as u32);
        let attributes = terms.intern_attributes(&[Attribute { keyword, value }]);
        let args: Vec<Term> = [body].into_iter().chain(patterns.iter().copied()).collect();
        terms.intern(Head::Annotated(attributes), &args, Sort::BOOL)
    };
    let binders = terms.intern_binders(binders);
    terms.intern(Head::Forall(binders), &[body], Sort::BOOL)
}

/// The conjunction of some formulas, at least one.
pub(super) fn conjunction(terms: &mut Terms, formulas: &[Term]) -> Option<Term> {
    match formulas {
        [formula] => Some(*formula),
        _ => terms.apply(Op::And, &[], formulas).ok(),
    }
}

/// Builds a term anew from its leaves on; `change` is given each part as it was and as it has become.
pub(super) fn rebuild(
    terms: &mut Terms,
    root: Term,
    change: &mut dyn FnMut(&mut Terms, Term, Term) -> Term,
) -> Term {
    let mut parts = subterms(terms, &[root]);
    // Arguments come before the terms that use them.
    parts.sort_unstable_by_key(|part| part.index());
    let mut built: FxHashMap<Term, Term> = FxHashMap::default();
    for part in parts {
        let args: Vec<Term> = terms.args(part).iter().map(|arg| built[arg]).collect();
        let new = if args.is_empty() { part } else { terms.with_args(part, &args) };
        let new = change(terms, part, new);
        built.insert(part, new);
    }
    built[&root]
}

/// A term with another in place of a constant. A negative number is one constant, not a sign and a number.
fn replace_term(terms: &mut Terms, root: Term, constant: Term, new: Term) -> Term {
    rebuild(terms, root, &mut |terms, was, is| {
        let is_negative =
            terms.op(was) == Some(Op::Neg) && matches!(terms.head(terms.args(was)[0]), Head::Literal(..));
        if was == constant {
            new
        } else if is_negative {
            was
        } else {
            is
        }
    })
}
