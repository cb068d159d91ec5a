//! Runs with what our evaluator says of them: is the model that was printed a model, do values agree with it?

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::{Evaluation as Truth, Model, check};
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::{Reading, Scope, read_script_as, read_term_tolerantly};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::source::Span;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use crate::contradictions::contradictions;
use crate::run::{Answer, Run};

/// A formula that was read, ready for models to be checked against it.
#[derive(Debug)]
pub struct Formula {
    environment: Environment,
    scope: Scope,
}

/// A value that the model printed before it contradicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FalseValue {
    /// The term with its value, as they were printed.
    pub text: String,
    /// That they are equal.
    pub claim: Term,
}

/// What our evaluator says of a model that a solver printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelCheck {
    /// There is no model, or none that could be read.
    Missing,
    /// It satisfies every assertion.
    Accepted,
    /// It makes these assertions false, counted from 1.
    Refuted(Vec<usize>),
    /// These assertions are false under every model, counted from 1: no model could be one, so that `sat` is wrong.
    Impossible(Vec<usize>),
    /// Some assertion has no value that we know.
    Undecided,
}

impl ModelCheck {
    /// Whether the formula is known not to have this model.
    pub fn is_refuted(&self) -> bool {
        matches!(self, ModelCheck::Refuted(_) | ModelCheck::Impossible(_))
    }
}

/// The same in one word, for records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelWord {
    /// It satisfies the formula.
    Accepted,
    /// It does not.
    Refuted,
    /// Nobody knows.
    Undecided,
}

impl ModelWord {
    /// All of them.
    pub const ALL: [ModelWord; 3] = [ModelWord::Accepted, ModelWord::Refuted, ModelWord::Undecided];

    /// The word for what our evaluator says; none if there is no model.
    pub fn of(check: &ModelCheck) -> Option<ModelWord> {
        match check {
            ModelCheck::Accepted => Some(ModelWord::Accepted),
            ModelCheck::Refuted(_) | ModelCheck::Impossible(_) => Some(ModelWord::Refuted),
            ModelCheck::Undecided => Some(ModelWord::Undecided),
            ModelCheck::Missing => None,
        }
    }

    /// The word in the record.
    pub fn word(self) -> &'static str {
        match self {
            ModelWord::Accepted => "accepted",
            ModelWord::Refuted => "refuted",
            ModelWord::Undecided => "undecided",
        }
    }
}

/// What our evaluator says of the model that a solver printed for a file, which is run as it is: new releases read the
/// literals of files in the old dialect as new ones, so a model is refuted if it is in both.
pub fn model_of_file(source: &str, dialect: Dialect, run: &Run) -> ModelCheck {
    let check_as = |dialect: Dialect| {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, source, dialect);
        Formula::new(&terms, &reading).model_of(&mut terms, run, Model::dialect_of(&run.output, dialect))
    };
    let checked = check_as(dialect);
    if !checked.is_refuted() || dialect != Dialect::V25 {
        return checked;
    }
    match (checked, check_as(Dialect::V26)) {
        (own @ ModelCheck::Refuted(_), ModelCheck::Impossible(_)) => own,
        (_, as_new) => as_new,
    }
}

/// One run with what is known of its solver and what became of its model.
#[derive(Debug, Clone)]
pub struct EvaluatedRun {
    /// The run.
    pub run: Run,
    /// The family of the solver.
    pub family: String,
    /// The release, where it is known.
    pub version: Option<Version>,
    /// The dialect that the solver was spoken to in.
    pub dialect: Dialect,
    /// Whether it ran in a session that had answered other formulas before.
    pub is_warm: bool,
    /// The verdict on its model.
    pub model: ModelCheck,
}

impl EvaluatedRun {
    /// A run in a fresh process of a solver of this family, without a model.
    pub fn without_model(family: &str, run: Run) -> EvaluatedRun {
        EvaluatedRun {
            run,
            family: family.to_owned(),
            version: None,
            dialect: Dialect::V26,
            is_warm: false,
            model: ModelCheck::Missing,
        }
    }

    /// Whether its solver is an earlier release of another one.
    pub fn is_earlier_release_of(&self, other: &EvaluatedRun) -> bool {
        self.family == other.family && self.version.is_some() && self.version < other.version
    }
}

/// A release: the numbers in its name. Later releases are greater.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// The numbers that a version starts with, such as 4.8.7 in `4.8.7 - build hashcode`; nothing if there are none.
    pub fn parse(text: &str) -> Option<Version> {
        let start = text.find(|character: char| character.is_ascii_digit())?;
        let numbers = text[start..].split(|character: char| !character.is_ascii_alphanumeric());
        let mut numbers: Vec<u64> =
            numbers.map_while(|number| number.trim_start_matches("post").parse().ok()).collect();
        // 5.4 and 5.4.0 are the same.
        while numbers.len() > 1 && numbers.last() == Some(&0) {
            numbers.pop();
        }
        (!numbers.is_empty()).then_some(Version(numbers))
    }
}

impl Formula {
    /// What the models of a script that was read must satisfy.
    pub fn new(terms: &Terms, reading: &Reading) -> Self {
        let environment = Environment::at_last_check(terms, &reading.script);
        Formula { environment, scope: reading.scope.clone() }
    }

    /// The same for a script that stands nowhere, printed and read with the names that it declares itself; none if it does
    /// not read back.
    pub fn of_script(terms: &mut Terms, script: &Script) -> Option<Self> {
        let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
        printer.script(script);
        let text = printer.finish();
        let reading = read_script_as(terms, &text, Dialect::V26);
        reading.diagnostics.is_empty().then(|| Formula::new(terms, &reading))
    }

    /// What our evaluator says of the model of a run, if it says `sat`; also whether there can be one.
    pub fn model_of(&self, terms: &mut Terms, run: &Run, dialect: Dialect) -> ModelCheck {
        if run.answer != Answer::Sat {
            return ModelCheck::Missing;
        }
        let checked = self.check_model(terms, &run.output, dialect, Budget::default());
        if checked == ModelCheck::Accepted {
            return checked;
        }
        match self.contradictions(terms) {
            impossible if impossible.is_empty() => checked,
            impossible => ModelCheck::Impossible(impossible),
        }
    }

    /// The assertions that are false under every model, counted from 1.
    pub fn contradictions(&self, terms: &Terms) -> Vec<usize> {
        contradictions(terms, &self.environment)
    }

    /// Evaluates the formula under the model that a solver printed after `sat`.
    pub fn check_model(
        &self,
        terms: &mut Terms,
        output: &str,
        dialect: Dialect,
        budget: Budget,
    ) -> ModelCheck {
        if !output.contains('(') || output.contains("(error") {
            return ModelCheck::Missing;
        }
        if !is_legible(output, dialect) {
            return ModelCheck::Undecided;
        }
        let Ok(model) = Model::parse(terms, &self.scope, output, dialect) else { return ModelCheck::Missing };
        let truths = check(terms, &self.environment, &model, budget);
        let refuted: Vec<usize> = (1..)
            .zip(&truths)
            .filter(|(_, truth)| **truth == Truth::False)
            .map(|(number, _)| number)
            .collect();
        if !refuted.is_empty() {
            ModelCheck::Refuted(refuted)
        } else if truths.iter().all(|truth| *truth == Truth::True) {
            ModelCheck::Accepted
        } else {
            ModelCheck::Undecided
        }
    }

    /// The values of terms under the model that a solver printed, where they are known.
    pub fn values(
        &self,
        terms: &mut Terms,
        output: &str,
        dialect: Dialect,
        wanted: &[Term],
    ) -> Vec<Option<Value>> {
        let model = match is_legible(output, dialect) {
            true => Model::parse(terms, &self.scope, output, dialect).ok(),
            false => None,
        };
        let Some(model) = model else { return vec![None; wanted.len()] };
        let mut evaluator = Evaluator::new(terms, &self.environment, &model);
        wanted.iter().map(|term| evaluator.eval(*term).ok()).collect()
    }

    /// The script with the values of a model asserted before its check. Constants that the model leaves out stay free;
    /// nothing if the model cannot be read, or the script declares functions or sorts.
    pub fn pinned(
        &self,
        terms: &mut Terms,
        script: &Script,
        model: &str,
        dialect: Dialect,
    ) -> Option<Script> {
        if !is_legible(model, dialect) {
            return None;
        }
        let model = Model::parse(terms, &self.scope, model, dialect).ok()?;
        let mut pinned = script.emptied();
        for command in &script.commands {
            if *command == Command::CheckSat {
                for (name, sort) in constants(script)? {
                    let Some(definition) = model.definition(name) else { continue };
                    let constant = terms.constant(name, sort);
                    let value = terms.apply(Op::Eq, &[], &[constant, definition.body]).ok()?;
                    pinned.push(Command::Assert(value));
                }
            }
            pinned.push(command.clone());
        }
        Some(pinned)
    }

    /// A term over what is declared, as a solver printed it.
    pub fn read_term(&self, terms: &mut Terms, text: &str, dialect: Dialect) -> Option<Term> {
        read_term_tolerantly(terms, &mut self.scope.clone(), text, dialect)
    }

    /// Of a model and, after it, pairs of terms and values, the pairs that the model contradicts.
    pub fn contradicted_values(&self, terms: &mut Terms, output: &str, dialect: Dialect) -> Vec<FalseValue> {
        let Some(list) = expressions(output).pop().filter(|_| is_legible(output, dialect)) else {
            return Vec::new();
        };
        let Ok(model) = Model::parse(terms, &self.scope, &output[..list.start as usize], dialect) else {
            return Vec::new();
        };
        let mut scope = self.scope.clone();
        let mut read = |terms: &mut Terms, text| read_term_tolerantly(terms, &mut scope, text, dialect);
        let mut claims: Vec<FalseValue> = Vec::new();
        for (term, value) in pairs(list.text(output)) {
            if let Some(left) = read(terms, term)
                && let Some(right) = read(terms, value)
                && let Ok(claim) = terms.apply(Op::Eq, &[], &[left, right])
            {
                claims.push(FalseValue { text: format!("({term} {value})"), claim });
            }
        }
        let mut evaluator = Evaluator::new(terms, &self.environment, &model);
        claims.retain(|value| matches!(evaluator.eval(value.claim), Ok(Value::Bool(false))));
        claims
    }
}

/// The declared constants of a script; nothing if it declares functions or sorts.
fn constants(script: &Script) -> Option<Vec<(Symbol, Sort)>> {
    let mut constants = Vec::new();
    for command in &script.commands {
        match command {
            Command::DeclareConst(name, sort) => constants.push((*name, *sort)),
            Command::DeclareFun(name, params, sort) if params.is_empty() => constants.push((*name, *sort)),
            Command::DeclareFun(..) | Command::DeclareSort(..) | Command::DeclareDatatypes(_) => return None,
            _ => {}
        }
    }
    Some(constants)
}

/// The places of the expressions of a text, up to the first that is none.
fn expressions(text: &str) -> Vec<Span> {
    let mut scanner = Scanner::new(text);
    let mut tape = Tape::new();
    let mut spans = Vec::new();
    while let Ok(true) = scanner.read(&mut tape) {
        spans.push(tape.node(0).span);
    }
    spans
}

/// The pairs in `((term value) ..)`, as text.
fn pairs(list: &str) -> Vec<(&str, &str)> {
    let Some(list) = inside(list) else { return Vec::new() };
    let pair = |span: Span| {
        let text = inside(span.text(list))?;
        match expressions(text)[..] {
            [term, value] => Some((term.text(text), value.text(text))),
            _ => None,
        }
    };
    expressions(list).into_iter().filter_map(pair).collect()
}

/// What stands between the parentheses of a list.
fn inside(list: &str) -> Option<&str> {
    list.strip_prefix('(')?.strip_suffix(')')
}

/// Whether it is certain which letters a solver meant. To solvers of the old dialect a letter is a byte, and they print it
/// as it is; three of them may look like one letter of ours.
fn is_legible(output: &str, dialect: Dialect) -> bool {
    dialect != Dialect::V25 || output.is_ascii()
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::script_text;
    use smelt_smtlib::read::read_script;

    use super::*;

    const TWO_LETTERS: &str = "(declare-const s String)(assert (= (str.len s) 2))(check-sat)";

    #[test]
    fn models_are_checked_by_evaluation() {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, TWO_LETTERS);
        let formula = Formula::new(&terms, &reading);
        let mut check = |model: &str| formula.check_model(&mut terms, model, Dialect::V26, Budget::default());
        assert_eq!(check("((define-fun s () String \"ab\"))"), ModelCheck::Accepted);
        assert_eq!(check("((define-fun s () String \"a\"))"), ModelCheck::Refuted(vec![1]));
        assert_eq!(check("(error \"no model\")"), ModelCheck::Missing);
        assert_eq!(check(""), ModelCheck::Missing);
    }

    #[test]
    fn no_model_is_one_of_a_contradiction_whether_it_is_printed_or_not() {
        let mut terms = Terms::new();
        let reading =
            read_script(&mut terms, "(declare-const x Int)(assert (> x 1))(assert (< 2 1))(check-sat)");
        let formula = Formula::new(&terms, &reading);
        let mut check = |answer, output: &str| {
            let run = Run { output: output.to_owned(), ..Run::saying("s", answer) };
            formula.model_of(&mut terms, &run, Dialect::V26)
        };
        for output in ["", "((define-fun x () Int 2))", "((define-fun x () Int 0))"] {
            assert_eq!(check(Answer::Sat, output), ModelCheck::Impossible(vec![2]), "{output}");
        }
        assert_eq!(check(Answer::Unsat, ""), ModelCheck::Missing);
    }

    #[test]
    fn bytes_of_old_solvers_are_not_taken_for_letters() {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, TWO_LETTERS);
        let formula = Formula::new(&terms, &reading);
        let mut check =
            |model: &str, dialect| formula.check_model(&mut terms, model, dialect, Budget::default());
        // Two bytes that happen to be one letter in UTF-8.
        let model = "((define-fun s () String \"\u{e9}\"))";
        assert_eq!(check(model, Dialect::V25), ModelCheck::Undecided);
        assert_eq!(check(model, Dialect::V26), ModelCheck::Refuted(vec![1]));
        assert_eq!(check("((define-fun s () String \"\\xc3\\xa9\"))", Dialect::V25), ModelCheck::Accepted);
    }

    #[test]
    fn a_choice_for_division_by_zero_says_nothing_about_chains() {
        let mut terms = Terms::new();
        let source = "(declare-const x Real)(assert (>= x (/ 0.0 4.5 x)))(check-sat)";
        let reading = read_script(&mut terms, source);
        let formula = Formula::new(&terms, &reading);
        let model = "((define-fun x () Real 0.0)(define-fun /0 ((a Real) (b Real)) Real (ite (= b 0.0) (- 1.0) 1.0)))";
        let check = formula.check_model(&mut terms, model, Dialect::V26, Budget::default());
        assert_eq!(check, ModelCheck::Undecided);
    }

    #[test]
    fn values_must_agree_with_the_model() {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, TWO_LETTERS);
        let formula = Formula::new(&terms, &reading);
        let mut contradicted = |values: &str| {
            let output = format!("(\n(define-fun s () String \"ab\")\n)\n{values}");
            let values = formula.contradicted_values(&mut terms, &output, Dialect::V26);
            values.into_iter().map(|value| value.text).collect::<Vec<_>>()
        };
        assert_eq!(contradicted("((s \"ab\") ((str.len s) 2))"), [] as [&str; 0]);
        assert_eq!(contradicted("((s \"ab\")\n ((str.len s) 3))"), ["((str.len s) 3)"]);
        assert_eq!(contradicted("((s (error \"none\")))"), [] as [&str; 0]);
        assert_eq!(contradicted("(error \"none\")"), [] as [&str; 0]);
        assert_eq!(contradicted(""), [] as [&str; 0]);
    }

    #[test]
    fn a_model_is_asserted_before_the_check() {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, TWO_LETTERS);
        let formula = Formula::new(&terms, &reading);
        let mut pinned = |model: &str| {
            let script = formula.pinned(&mut terms, &reading.script, model, Dialect::V26)?;
            Some(script_text(&mut terms, &script).replace('\n', ""))
        };
        assert_eq!(
            pinned("((define-fun s () String \"ab\"))").as_deref(),
            Some("(declare-const s String)(assert (= (str.len s) 2))(assert (= s \"ab\"))(check-sat)")
        );
        assert_eq!(
            pinned("()").as_deref(),
            Some("(declare-const s String)(assert (= (str.len s) 2))(check-sat)")
        );
        let reading = read_script(&mut terms, "(declare-fun f (Int) Int)(assert (= (f 1) 2))(check-sat)");
        let formula = Formula::new(&terms, &reading);
        assert_eq!(formula.pinned(&mut terms, &reading.script, "()", Dialect::V26), None);
    }

    #[test]
    fn releases_are_ordered_by_their_numbers() {
        let version = |text: &str| Version::parse(text).unwrap();
        assert!(version("4.8.7") < version("4.12.0"));
        assert!(version("4.5.1.0.post2") > version("4.5.1.0"));
        assert_eq!(version("4.8.7 - build hashcode"), version("4.8.7"));
        assert_eq!(version("5.4"), version("5.4.0.0"));
        assert_eq!(Version::parse("main"), None);
    }

    #[test]
    fn a_model_may_be_one_of_the_file_as_new_releases_read_it() {
        let source =
            r#"(declare-const x String)(assert (= x "\x41"))(assert (str.in.re x re.all))(check-sat)"#;
        let check = |value: &str| {
            let output = format!("((define-fun x () String \"{value}\"))");
            model_of_file(source, Dialect::V25, &Run { output, ..Run::saying("s", Answer::Sat) })
        };
        assert_eq!(check("A"), ModelCheck::Accepted);
        assert_eq!(check(r"\u{5c}x41"), ModelCheck::Accepted);
        assert_eq!(check("B"), ModelCheck::Refuted(vec![1]));
    }
}
