//! Random scripts with several checks: scopes, names that come back with another meaning, the same terms asserted again.
//!
//! As in single formulas all names have values from the start, so that it is known of a check whether the plant satisfies
//! everything in force. Definitions and names of terms have the value of their terms; what is popped takes its names with
//! it. For each check the script knows the same formula without scopes, on which models are evaluated.
//!
//! Commands that must be rejected are put in for us alone: other solvers stop at them.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::print::term_text;
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Variable};
use smelt_smtlib::walk::subterms;

use super::formula::{Formula, Generator, Kind, sort_name};

/// Names that are declared, defined and forgotten, some of them such as the solver makes up itself.
const NAMES: &[&str] = &[
    "x",
    "y",
    "n",
    "m",
    "p",
    "q",
    "a",
    "f",
    "abstracted_0",
    "abstracted_1",
    "bound_0",
    "free_0",
    "value_0",
    "word_0",
];
/// Names after all assertions were reset: solvers do not agree on whether the old ones are still taken.
const LATER_NAMES: &[&str] = &["u", "v", "w", "r", "s", "g", "abstracted_2", "free_1", "k"];
/// Scopes are nested at most so deep.
const MAX_LEVELS: usize = 3;
/// Assertions in force are at most so many: longer conjunctions are hardly ever satisfiable.
const MAX_ASSERTIONS: usize = 6;

/// A script, command by command.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub steps: Vec<ScriptStep>,
}

/// One command.
#[derive(Debug, Clone)]
pub enum ScriptStep {
    /// Without an answer.
    Command(String),
    /// One that must be rejected and have no effect, for us alone.
    Rejected(String),
    /// One with an answer.
    Check {
        command: String,
        /// What is in force, without scopes.
        flat: Formula,
        /// Whether the plant satisfies it.
        is_planted: bool,
    },
}

impl Script {
    /// The script for other solvers.
    pub fn text(&self) -> String {
        let commands = self.steps.iter().filter_map(|step| match step {
            ScriptStep::Command(text) | ScriptStep::Check { command: text, .. } => Some(text.as_str()),
            ScriptStep::Rejected(_) => None,
        });
        commands.collect::<Vec<_>>().join("\n") + "\n"
    }

    /// The script up to a step, with all that we are given.
    pub fn up_to(&self, last: usize) -> String {
        let commands = self.steps[..=last].iter().map(|step| match step {
            ScriptStep::Command(text)
            | ScriptStep::Rejected(text)
            | ScriptStep::Check { command: text, .. } => text.as_str(),
        });
        commands.collect::<Vec<_>>().join("\n") + "\n"
    }
}

/// What was there when a scope was opened.
struct Level {
    constants: usize,
    functions: usize,
    lines: usize,
    assertions: usize,
    broken: usize,
    model: Model,
}

/// A function with one argument.
struct Signature {
    name: Symbol,
    from: Sort,
    to: Sort,
}

/// Makes one script.
pub struct ScriptGenerator {
    generator: Generator,
    script: Script,
    names: &'static [&'static str],
    levels: Vec<Level>,
    /// Declarations, definitions and assertions in force.
    lines: Vec<String>,
    assertions: usize,
    /// How many of the assertions in force the plant does not satisfy.
    broken: usize,
    /// Everything that was asserted so far, to be asserted again.
    past: Vec<Term>,
}

impl ScriptGenerator {
    pub fn new(rng: Xoshiro256PlusPlus) -> Self {
        ScriptGenerator {
            generator: Generator::new(Kind::Random, rng).with_few_letters(),
            script: Script::default(),
            names: NAMES,
            levels: Vec::new(),
            lines: Vec::new(),
            assertions: 0,
            broken: 0,
            past: Vec::new(),
        }
    }

    /// The script; what it is depends on the random numbers alone.
    pub fn script(mut self) -> Script {
        if self.chance(0.6) {
            self.push();
        }
        for _ in 0..self.random(1, 3) {
            self.declare_constant();
        }
        self.assert_term();
        let checks = self.random(3, 6);
        let mut made = 0;
        while made < checks {
            match self.random(0, 40) {
                0..=4 if self.levels.len() < MAX_LEVELS => self.push(),
                5..=9 if !self.levels.is_empty() => self.pop(),
                10..=13 => self.declare_constant(),
                14..=16 => self.define_constant(),
                17 => self.any_function(false),
                18..=19 => self.any_function(true),
                20..=24 => self.assert_term(),
                25..=29 => self.assert_again(),
                30 => self.assert_named(),
                31 => self.reject(),
                32 if self.random(0, 3) == 0 => self.reset_assertions(),
                33..=34 => made += usize::from(self.check_assuming()),
                35..=40 => {
                    let is_planted = self.broken == 0;
                    self.check("(check-sat)".to_owned(), &[], is_planted);
                    made += 1;
                }
                _ => {}
            }
        }
        self.script
    }

    fn random(&mut self, least: usize, most: usize) -> usize {
        self.generator.rng.random_range(least..=most)
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.generator.rng.random_bool(probability)
    }

    /// A command that stays in force as long as its scope.
    fn say(&mut self, line: String) {
        self.lines.push(line.clone());
        self.script.steps.push(ScriptStep::Command(line));
    }

    fn push(&mut self) {
        self.script.steps.push(ScriptStep::Command("(push 1)".to_owned()));
        self.levels.push(Level {
            constants: self.generator.constants.len(),
            functions: self.generator.functions.len(),
            lines: self.lines.len(),
            assertions: self.assertions,
            broken: self.broken,
            model: self.generator.model.clone(),
        });
    }

    fn pop(&mut self) {
        let count = self.random(1, self.levels.len());
        let kept = self.levels.len() - count;
        let level = self.levels.drain(kept..).next().expect("at least one scope is closed");
        self.script.steps.push(ScriptStep::Command(format!("(pop {count})")));
        let popped = self.generator.constants.split_off(level.constants);
        let popped_functions = self.generator.functions.split_off(level.functions);
        self.generator.model = level.model;
        self.lines.truncate(level.lines);
        (self.assertions, self.broken) = (level.assertions, level.broken);
        if self.chance(0.6) {
            self.bring_back(&popped, &popped_functions);
        }
    }

    /// Gives names that were just forgotten another meaning, with the same sorts more often than not, and asserts what
    /// was asserted of them before.
    fn bring_back(&mut self, constants: &[Term], functions: &[(Symbol, Sort, Sort)]) {
        for constant in constants {
            let Some(name) = build::constant_name(&self.generator.terms, *constant) else { continue };
            let sort = self.generator.terms.sort(*constant);
            let sort = if self.chance(0.8) { sort } else { self.sort() };
            match self.random(0, 5) {
                0..=1 => self.declare_as(name, sort),
                2..=4 => self.define_as(name, sort),
                _ => {}
            }
        }
        for (name, from, to) in functions {
            let is_defined = self.chance(0.6);
            self.make_function(Signature { name: *name, from: *from, to: *to }, is_defined);
        }
        for _ in 0..self.random(0, 2) {
            self.assert_again();
        }
    }

    fn reset_assertions(&mut self) {
        if self.names == LATER_NAMES {
            return;
        }
        self.script.steps.push(ScriptStep::Command("(reset-assertions)".to_owned()));
        self.names = LATER_NAMES;
        self.levels.clear();
        self.lines.clear();
        self.generator.constants.clear();
        self.generator.functions.clear();
        self.generator.model = Model::new();
        (self.assertions, self.broken) = (0, 0);
    }

    /// A name that means nothing now.
    fn unused_name(&mut self) -> Option<Symbol> {
        let generator = &mut self.generator;
        let names: Vec<Symbol> = self.names.iter().map(|name| generator.terms.symbols.intern(name)).collect();
        let is_used = |name: &Symbol| {
            let is_constant = |term: &Term| build::constant_name(&generator.terms, *term) == Some(*name);
            generator.constants.iter().any(is_constant)
                || generator.functions.iter().any(|(function, ..)| function == name)
        };
        let unused: Vec<Symbol> = names.into_iter().filter(|name| !is_used(name)).collect();
        unused.choose(&mut generator.rng).copied()
    }

    fn sort(&mut self) -> Sort {
        *[Sort::STRING, Sort::STRING, Sort::INT, Sort::BOOL]
            .choose(&mut self.generator.rng)
            .expect("not empty")
    }

    fn text(&mut self, term: Term) -> String {
        term_text(&mut self.generator.terms, term)
    }

    fn name_text(&self, name: Symbol) -> String {
        self.generator.terms.text(name).to_owned()
    }

    /// Gives a constant its value.
    fn set(&mut self, name: Symbol, sort: Sort, value: Term) {
        let Generator { terms, constants, model, .. } = &mut self.generator;
        model.set(terms, name, value);
        constants.push(terms.constant(name, sort));
    }

    fn declare_constant(&mut self) {
        if let Some(name) = self.unused_name() {
            let sort = self.sort();
            self.declare_as(name, sort);
        }
    }

    fn declare_as(&mut self, name: Symbol, sort: Sort) {
        let value = self.generator.literal(sort);
        self.set(name, sort, value);
        let (name, sort) = (self.name_text(name), sort_name(sort));
        let is_function = self.chance(0.3);
        self.say(if is_function {
            format!("(declare-fun {name} () {sort})")
        } else {
            format!("(declare-const {name} {sort})")
        });
    }

    fn define_constant(&mut self) {
        if let Some(name) = self.unused_name() {
            let sort = self.sort();
            self.define_as(name, sort);
        }
    }

    fn define_as(&mut self, name: Symbol, sort: Sort) {
        let body = self.generator.term(sort, 1);
        let Some(value) = self.literal_value(body) else { return };
        self.set(name, sort, value);
        let (name, sort, body) = (self.name_text(name), sort_name(sort), self.text(body));
        let is_function = self.chance(0.7);
        self.say(if is_function {
            format!("(define-fun {name} () {sort} {body})")
        } else {
            format!("(define-const {name} {sort} {body})")
        });
    }

    /// The value of a term in the plant, as a literal.
    fn literal_value(&mut self, term: Term) -> Option<Term> {
        let value = self.generator.value(term)?;
        literal::of_value(&mut self.generator.terms, &value)
    }

    fn any_function(&mut self, is_defined: bool) {
        if let Some(name) = self.unused_name() {
            let (from, to) = (self.sort(), self.sort());
            self.make_function(Signature { name, from, to }, is_defined);
        }
    }

    /// A function with one value for one argument and another for all others.
    fn make_function(&mut self, signature: Signature, is_defined: bool) {
        let Signature { name, from, to } = signature;
        let generator = &mut self.generator;
        let parameter = Variable { name: generator.terms.symbols.intern("argument"), sort: from };
        let local = generator.terms.local(parameter.name, from);
        let written = [from, to, to]
            .map(|sort| if is_defined { generator.leaf(sort) } else { generator.literal(sort) });
        let Some(values) = written.iter().map(|part| self.literal_value(*part)).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let terms = &mut self.generator.terms;
        let [body, planted] = [&written[..], &values].map(|parts| {
            let is_key = apply(terms, Op::Eq, &[local, parts[0]]);
            apply(terms, Op::Ite, &[is_key, parts[1], parts[2]])
        });
        let body = term_text(terms, body);
        self.generator.model.define(Definition { name, params: vec![parameter], sort: to, body: planted });
        self.generator.functions.push((name, from, to));
        let (name, from, to) = (self.name_text(name), sort_name(from), sort_name(to));
        self.say(if is_defined {
            format!("(define-fun {name} ((argument {from})) {to} {body})")
        } else {
            format!("(declare-fun {name} ({from}) {to})")
        });
    }

    /// A term of sort Bool with its value in the plant, true more often than not.
    fn formula(&mut self) -> Option<(Term, bool)> {
        let depth = self.random(1, 2) as u32;
        let term = self.generator.assertion(depth);
        self.mostly_true(term)
    }

    fn mostly_true(&mut self, term: Term) -> Option<(Term, bool)> {
        match self.generator.value(term)? {
            Value::Bool(true) => Some((term, true)),
            Value::Bool(false) if self.chance(0.8) => {
                Some((apply(&mut self.generator.terms, Op::Not, &[term]), true))
            }
            Value::Bool(false) => Some((term, false)),
            _ => None,
        }
    }

    fn assert_term(&mut self) {
        if let Some((term, is_true)) = self.formula() {
            self.assert(term, is_true, None);
        }
    }

    fn assert(&mut self, term: Term, is_true: bool, name: Option<Symbol>) {
        if self.assertions >= MAX_ASSERTIONS {
            return;
        }
        self.past.push(term);
        self.assertions += 1;
        self.broken += usize::from(!is_true);
        let text = self.text(term);
        match name {
            None => self.say(format!("(assert {text})")),
            Some(name) => {
                let value = self.generator.terms.bool(is_true);
                self.set(name, Sort::BOOL, value);
                let name = self.name_text(name);
                self.say(format!("(assert (! {text} :named {name}))"));
            }
        }
    }

    fn assert_named(&mut self) {
        if self.assertions < MAX_ASSERTIONS
            && let Some((term, is_true)) = self.formula()
            && let Some(name) = self.unused_name()
        {
            self.assert(term, is_true, Some(name));
        }
    }

    /// Asserts something that was asserted before, perhaps with other meanings of its names.
    fn assert_again(&mut self) {
        let past: Vec<Term> = self.past.iter().copied().filter(|term| self.is_well_formed(*term)).collect();
        let Some(term) = past.choose(&mut self.generator.rng).copied() else { return };
        let is_as_it_was = self.chance(0.5);
        let found = match self.generator.value(term) {
            Some(Value::Bool(is_true)) if is_as_it_was => Some((term, is_true)),
            _ => self.mostly_true(term),
        };
        if let Some((term, is_true)) = found {
            self.assert(term, is_true, None);
        }
    }

    /// Whether all names of a term are those of constants and functions of the same sorts now.
    fn is_well_formed(&self, term: Term) -> bool {
        let Generator { terms, constants, functions, .. } = &self.generator;
        subterms(terms, &[term]).into_iter().all(|part| match (terms.head(part), terms.args(part)) {
            (Head::Global(_), []) => constants.contains(&part),
            (Head::Global(name), &[arg]) => functions.contains(&(name, terms.sort(arg), terms.sort(part))),
            (Head::Global(_), _) => false,
            _ => true,
        })
    }

    /// A command with a mistake in it.
    fn reject(&mut self) {
        let sort = self.sort();
        let used: Vec<Term> = self.generator.constants.clone();
        let used = used.choose(&mut self.generator.rng).copied();
        let command = match (self.random(0, 4), used) {
            (0, Some(used)) => format!("(declare-const {} {})", self.text(used), sort_name(sort)),
            (1, Some(used)) => format!("(define-fun {} () Int 7)", self.text(used)),
            (2, Some(used)) => format!("(define-fun new_name () Bool (= {} nothing))", self.text(used)),
            (3, Some(used)) => {
                let used = self.text(used);
                format!("(assert (and (! (= {used} {used}) :named new_name) (= nothing {used})))")
            }
            _ => "(assert (= nothing 3))".to_owned(),
        };
        self.script.steps.push(ScriptStep::Rejected(command));
    }

    fn check(&mut self, command: String, assumed: &[String], is_planted: bool) {
        let mut declarations = self.lines.clone();
        declarations.extend(assumed.iter().map(|assumption| format!("(assert {assumption})")));
        let flat = Formula { declarations, assertions: Vec::new(), plant: Vec::new() };
        self.script.steps.push(ScriptStep::Check { command, flat, is_planted });
    }

    /// Assumes some Boolean constants or their negations. Whether there are some.
    fn check_assuming(&mut self) -> bool {
        let bools: Vec<Term> = self.generator.constants.clone();
        let bools: Vec<Term> =
            bools.into_iter().filter(|term| self.generator.terms.sort(*term) == Sort::BOOL).collect();
        if bools.is_empty() {
            return false;
        }
        let mut assumed = Vec::new();
        let mut is_planted = self.broken == 0;
        for _ in 0..self.random(1, 2) {
            let literal = *bools.choose(&mut self.generator.rng).expect("not empty");
            let Some(Value::Bool(value)) = self.generator.value(literal) else { continue };
            let is_positive = if self.chance(0.7) { value } else { !value };
            is_planted &= is_positive == value;
            let name = self.text(literal);
            assumed.push(if is_positive { name } else { format!("(not {name})") });
        }
        self.check(format!("(check-sat-assuming ({}))", assumed.join(" ")), &assumed, is_planted);
        true
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use smelt_smtlib::read::read_script;
    use smelt_smtlib::term::Terms;

    use super::*;

    fn script(seed: u64) -> Script {
        ScriptGenerator::new(Xoshiro256PlusPlus::seed_from_u64(seed)).script()
    }

    #[test]
    fn scripts_are_well_sorted_and_so_are_their_formulas() {
        let mut redefined = 0;
        for seed in 0..300 {
            let script = script(seed);
            let mut texts = vec![script.text()];
            texts.extend(script.steps.iter().filter_map(|step| match step {
                ScriptStep::Check { flat, .. } => Some(flat.text()),
                _ => None,
            }));
            for text in texts {
                let reading = read_script(&mut Terms::new(), &text);
                assert!(reading.diagnostics.is_empty(), "{text}: {:?}", reading.diagnostics);
            }
            let text = script.text();
            redefined += usize::from(NAMES.iter().any(|name| {
                text.contains(&format!("(declare-const {name} "))
                    && text.contains(&format!("(define-fun {name} ("))
            }));
        }
        assert!(redefined > 10, "{redefined}");
    }

    #[test]
    fn commands_to_be_rejected_are() {
        for seed in 0..300 {
            let script = script(seed);
            for (position, step) in script.steps.iter().enumerate() {
                if let ScriptStep::Rejected(command) = step {
                    let before: Vec<&str> = script.steps[..position]
                        .iter()
                        .filter_map(|step| match step {
                            ScriptStep::Command(text) => Some(text.as_str()),
                            _ => None,
                        })
                        .collect();
                    let text = format!("{}{command}", before.join("\n"));
                    assert!(!read_script(&mut Terms::new(), &text).diagnostics.is_empty(), "{text}");
                }
            }
        }
    }
}
