//! Carrying out commands.

use std::collections::BTreeMap;

use smelt_semantics::literal;
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::{Scope, read_command};
use smelt_smtlib::script::{Command, Extension, ExtensionPart};
use smelt_smtlib::sexp::{Kind, Scanner, Tape};
use smelt_smtlib::source::line_column;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Term;

use super::reply;
use super::splitter::Piece;
use crate::solver::Options;
use crate::{Answer, Reason, Solver};

/// What became of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// What to print, without a final line break; nothing if empty.
    pub text: String,
    /// Whether the client wants to end the session.
    pub is_exit: bool,
}

/// A conversation with one client.
pub struct Session {
    solver: Solver,
    options: Options,
    settings: BTreeMap<String, String>,
    /// The dialect that the spellings so far show.
    dialect: Spellings,
    /// What was read while the dialect may still turn out to be another.
    earlier: Vec<Piece>,
    /// For each assertion in force that could not be read, the number of scopes that were open. A model of the
    /// other assertions says nothing.
    rejected: Vec<usize>,
    /// Checks so far.
    checks: usize,
    /// Whether a model check failed: a bug, which the caller reports.
    has_failed_model_check: bool,
}

/// Which names for operators were seen.
#[derive(Debug, Clone, Copy, Default)]
struct Spellings {
    fixed: Option<Dialect>,
    has_old: bool,
    has_new: bool,
}

impl Spellings {
    fn dialect(self) -> Dialect {
        match self.fixed {
            Some(dialect) => dialect,
            None if self.has_old && !self.has_new => Dialect::V25,
            None => Dialect::V26,
        }
    }

    /// Whether another command may show that the dialect is another.
    fn may_change(self) -> bool {
        self.fixed.is_none() && !self.has_new
    }

    /// Takes the names of a command into account.
    fn see(&mut self, tape: &Tape, source: &str) {
        if !self.may_change() {
            return;
        }
        for node in tape.nodes().iter().filter(|node| node.kind == Kind::Symbol) {
            let name = node.span.text(source);
            let Some(op) = Op::named(name).first() else { continue };
            let old_names = &op.info().old_names;
            self.has_old |= old_names.contains(&name);
            self.has_new |= !old_names.is_empty() && op.info().name == name;
        }
    }
}

impl Session {
    /// A new conversation; the dialect follows from the spellings unless it is given.
    pub fn new(options: Options, dialect: Option<Dialect>) -> Self {
        let solver = Solver::with_options(options.clone());
        Session {
            solver,
            options,
            settings: BTreeMap::new(),
            dialect: Spellings { fixed: dialect, ..Spellings::default() },
            earlier: Vec::new(),
            rejected: Vec::new(),
            checks: 0,
            has_failed_model_check: false,
        }
    }

    /// The solver that does the work.
    pub fn solver(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// The value that the client gave an option.
    fn setting(&self, keyword: &str) -> Option<&str> {
        self.settings.get(keyword).map(String::as_str)
    }

    /// The limit in seconds that the client set by one of these options, which are in milliseconds; 0 and the largest
    /// number of 32 bits stand for none.
    pub fn asked_seconds(&self, keywords: &[&str]) -> Option<f64> {
        keywords.iter().find_map(|keyword| {
            let millis: f64 = self.setting(keyword)?.parse().ok()?;
            (millis > 0.0 && millis < 4e9).then_some(millis / 1e3)
        })
    }

    /// How the last check came to say `unsat`, if that is recorded, as a refutation log for all commands so far.
    pub fn refutation(&mut self) -> Option<String> {
        self.solver.refutation(self.checks)
    }

    /// Whether a model did not satisfy the assertions it was made for.
    pub fn has_failed_model_check(&self) -> bool {
        self.has_failed_model_check
    }

    /// Carries out the command of a piece of text.
    pub fn run(&mut self, piece: &Piece) -> Reply {
        let mut tape = Tape::new();
        match Scanner::new(&piece.text).read(&mut tape) {
            Ok(true) => {}
            Ok(false) => return Reply::default(),
            Err(diagnostic) => {
                if self.dialect.may_change() {
                    self.earlier.push(piece.clone());
                }
                self.reject(first_word(&piece.text));
                return self.complain(piece, &[diagnostic]);
            }
        }
        let dialect_before = self.dialect.dialect();
        self.dialect.see(&tape, &piece.text);
        if self.dialect.dialect() != dialect_before {
            self.read_again();
        }
        if self.dialect.may_change() {
            self.earlier.push(piece.clone());
        } else {
            self.earlier.clear();
        }
        let (terms, scope) = (&mut self.solver.terms, &mut self.solver.scope);
        match read_command(terms, scope, &piece.text, &tape, self.dialect.dialect()) {
            Ok(command) => self.execute(command),
            Err(diagnostics) => {
                let word = tape.children(0).next().map(|head| tape.node(head).span.text(&piece.text));
                // The logic decides nothing here, so an unknown one is not an error.
                if word == Some("set-logic") && diagnostics.iter().all(|d| d.problem == Problem::UnknownName)
                {
                    return Reply { text: "unsupported".to_owned(), is_exit: false };
                }
                self.reject(word.unwrap_or_default());
                self.complain(piece, &diagnostics)
            }
        }
    }

    /// Reads what came before once more, because its literals mean something else in the dialect that shows now.
    fn read_again(&mut self) {
        if !self.earlier.iter().any(|piece| piece.text.contains('\\')) {
            return;
        }
        self.renew_solver();
        self.rejected.clear();
        for piece in std::mem::take(&mut self.earlier) {
            let mut tape = Tape::new();
            if let Ok(true) = Scanner::new(&piece.text).read(&mut tape) {
                let (terms, scope) = (&mut self.solver.terms, &mut self.solver.scope);
                match read_command(terms, scope, &piece.text, &tape, self.dialect.dialect()) {
                    Ok(Command::Push(levels)) => self.solver.push(levels),
                    Ok(Command::Pop(levels)) => {
                        self.pop(levels);
                    }
                    Ok(Command::ResetAssertions) => self.reset_assertions(),
                    Ok(command) => self.solver.add(command),
                    Err(_) => self.reject(first_word(&piece.text)),
                }
            } else {
                self.reject(first_word(&piece.text));
            }
            // What cannot be read was complained of before.
            self.earlier.push(piece);
        }
    }

    /// Takes note of a command that is not carried out, by its first word. It has no effect, but the models of an
    /// assertion are not those of its scope without it. Nothing else that is rejected can make a formula weaker: a name
    /// that is not declared or defined cannot be used in an assertion.
    fn reject(&mut self, word: &str) {
        if word == "assert" || UNSUPPORTED_ASSERTIONS.contains(&word) {
            self.rejected.push(self.solver.depth());
        }
    }

    /// Closes scopes; false if fewer are open.
    fn pop(&mut self, levels: u32) -> bool {
        let is_done = if self.is_set(":global-declarations") {
            self.solver.pop_assertions(levels)
        } else {
            self.solver.pop(levels)
        };
        let depth = self.solver.depth();
        self.rejected.retain(|rejected| *rejected <= depth);
        is_done
    }

    fn reset_assertions(&mut self) {
        self.solver.reset_assertions(self.is_set(":global-declarations"));
        self.rejected.clear();
    }

    fn complain(&mut self, piece: &Piece, diagnostics: &[Diagnostic]) -> Reply {
        let mut text = String::new();
        if let Some(diagnostic) = diagnostics.first() {
            let place = line_column(&piece.text, diagnostic.span.start);
            let line = piece.line + place.line as usize - 1;
            let before = if place.line == 1 { piece.column - 1 } else { 0 };
            let column = before + place.column as usize;
            text = reply::error(&format!("line {line} column {column}: {}", diagnostic.message));
        }
        Reply { text, is_exit: false }
    }

    /// Carries out a command that was read.
    pub fn execute(&mut self, command: Command) -> Reply {
        let is_exit = command == Command::Exit;
        let text = self.answer(command).unwrap_or_else(|| {
            if self.is_set(":print-success") { "success".to_owned() } else { String::new() }
        });
        Reply { text, is_exit }
    }

    fn is_set(&self, keyword: &str) -> bool {
        self.setting(keyword) == Some("true")
    }

    /// The text that answers a command; none if the command has nothing to say but that it was carried out.
    fn answer(&mut self, command: Command) -> Option<String> {
        match command {
            Command::Assert(_)
            | Command::DeclareConst(..)
            | Command::DeclareFun(..)
            | Command::DeclareDatatypes(_)
            | Command::DefineConst(_)
            | Command::DefineFun(_)
            | Command::DefineFunRec(_)
            | Command::DefineFunsRec(_) => {
                self.solver.add(command);
                None
            }
            Command::DeclareSort(..)
            | Command::DeclareSortParameter(_)
            | Command::DefineSort(..)
            | Command::SetLogic(_)
            | Command::SetInfo(..)
            | Command::Exit => None,
            Command::Push(levels) => {
                self.solver.push(levels);
                None
            }
            Command::Pop(levels) => {
                let is_done = self.pop(levels);
                (!is_done).then(|| reply::error("pop of more levels than are pushed"))
            }
            Command::Reset => {
                self.reset();
                None
            }
            Command::ResetAssertions => {
                self.reset_assertions();
                None
            }
            Command::CheckSat => Some(self.check(&[])),
            Command::CheckSatAssuming(assumptions) => Some(self.check(&assumptions)),
            Command::Echo(text) => {
                let text = self.solver.terms.text(text);
                Some(text.trim_matches('"').replace("\"\"", "\""))
            }
            Command::GetModel => Some(self.get_model()),
            Command::GetValue(terms) => Some(self.get_value(&terms)),
            Command::GetAssignment => Some(self.get_assignment()),
            Command::GetAssertions => Some(self.get_assertions()),
            Command::GetUnsatCore => Some(self.get_unsat_core()),
            Command::GetUnsatAssumptions => Some(self.get_unsat_assumptions()),
            Command::GetProof => Some(reply::error("proofs are not produced")),
            Command::GetInfo(keyword) => Some(self.get_info(keyword)),
            Command::GetOption(keyword) => Some(self.get_option(keyword)),
            Command::SetOption(keyword, value) => {
                let keyword = self.solver.terms.text(keyword).to_owned();
                let value = value.map_or(String::new(), |value| self.solver.terms.text(value).to_owned());
                self.settings.insert(keyword, value);
                self.limit_effort();
                None
            }
            Command::Extension(extension) => Some(self.extension(&extension)),
            Command::Opaque(text) => {
                let inner = self.solver.terms.text(text).trim_start_matches('(').trim_start();
                let word: String = inner.chars().take_while(|character| !character.is_whitespace()).collect();
                self.reject(&word);
                Some("unsupported".to_owned())
            }
        }
    }

    /// Limits the effort of each check as the client wants it; 0 stands for no limit.
    fn limit_effort(&mut self) {
        let asked = self.setting(":reproducible-resource-limit").and_then(|units| units.parse::<u64>().ok());
        let effort = self.options.effort;
        self.solver.set_effort(asked.filter(|units| *units > 0).map_or(effort, |units| units.min(effort)));
    }

    fn reset(&mut self) {
        self.settings.clear();
        self.renew_solver();
        self.earlier.clear();
        self.rejected.clear();
        self.dialect = Spellings { fixed: self.dialect.fixed, ..Spellings::default() };
    }

    /// A solver that knows nothing but what the old one counted.
    fn renew_solver(&mut self) {
        let flag = self.solver.interrupt_flag();
        let statistics = self.solver.statistics().clone();
        let log = self.solver.take_log();
        let records = self.solver.records_refutations();
        // The arena is kept: making a new one for every small formula of a warm session would cost more.
        let terms = std::mem::take(&mut self.solver.terms);
        self.solver = Solver::with_options(self.options.clone());
        if terms.len() < MAX_KEPT_TERMS {
            self.solver.terms = terms;
        }
        self.solver.scope = Scope::new();
        self.solver.set_interrupt_flag(flag);
        self.solver.set_log(log);
        if records {
            self.solver.record_refutations();
        }
        self.solver.add_statistics(&statistics);
        self.limit_effort();
    }

    /// A term in the dialect of the client.
    fn text_of(&mut self, term: Term) -> String {
        reply::term(&mut self.solver.terms, term, self.dialect.dialect())
    }

    /// The value of a term in the dialect of the client.
    fn value_text_of(&mut self, term: Term) -> Option<String> {
        let value = self.solver.value(term)?.ok()?;
        match literal::of_value(&mut self.solver.terms, &value) {
            Some(literal) => Some(self.text_of(literal)),
            None => self.solver.value_text_of(term),
        }
    }

    fn check(&mut self, assumptions: &[Term]) -> String {
        self.checks += 1;
        let mut answer = self.solver.check_assuming(assumptions);
        if answer == Answer::Sat && !self.rejected.is_empty() {
            answer = Answer::Unknown(Reason::Incomplete("an assertion could not be read".to_owned()));
            self.solver.forget_answer(answer.clone());
        }
        if let Answer::Unknown(Reason::FailedModelCheck(_)) = &answer {
            self.has_failed_model_check = true;
        }
        answer.word().to_owned()
    }

    fn get_model(&mut self) -> String {
        if self.solver.model().is_none() {
            return reply::error("model is not available");
        }
        let definitions = self.solver.definitions();
        reply::model(&mut self.solver.terms, definitions, self.dialect.dialect())
    }

    fn get_value(&mut self, terms: &[Term]) -> String {
        if self.solver.model().is_none() {
            return reply::error("model is not available");
        }
        let mut pairs = Vec::with_capacity(terms.len());
        for term in terms {
            let written = self.text_of(*term);
            match self.value_text_of(*term) {
                Some(value) => pairs.push(format!("({written} {value})")),
                None => return reply::error(&format!("the value of {written} cannot be written")),
            }
        }
        format!("({})", pairs.join("\n "))
    }

    fn get_assignment(&mut self) -> String {
        if self.solver.model().is_none() {
            return reply::error("model is not available");
        }
        let mut pairs = Vec::new();
        for (name, term) in self.solver.named_terms() {
            if let Some(value) = self.value_text_of(term) {
                let mut written = String::from("(");
                smelt_smtlib::print::write_symbol(self.solver.terms.text(name), &mut written);
                pairs.push(format!("{written} {value})"));
            }
        }
        format!("({})", pairs.join(" "))
    }

    fn get_assertions(&mut self) -> String {
        let assertions: Vec<Term> = self.solver.assertions().collect();
        let texts: Vec<String> = assertions.into_iter().map(|assertion| self.text_of(assertion)).collect();
        format!("({})", texts.join("\n "))
    }

    fn get_unsat_core(&mut self) -> String {
        if self.solver.last_answer() != Some(&Answer::Unsat) {
            return reply::error("unsat core is not available");
        }
        let core = self.solver.unsat_core();
        reply::names(&self.solver.terms, &core)
    }

    fn get_unsat_assumptions(&mut self) -> String {
        if self.solver.last_answer() != Some(&Answer::Unsat) {
            return reply::error("unsat assumptions are not available");
        }
        let assumptions = self.solver.unsat_assumptions();
        let texts: Vec<String> = assumptions.into_iter().map(|term| self.text_of(term)).collect();
        format!("({})", texts.join(" "))
    }

    fn get_info(&mut self, keyword: Symbol) -> String {
        let keyword = self.solver.terms.text(keyword).to_owned();
        match keyword.as_str() {
            ":name" => "(:name \"smelt\")".to_owned(),
            ":version" => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            ":authors" => "(:authors \"the authors of smelt\")".to_owned(),
            ":error-behavior" => "(:error-behavior continued-execution)".to_owned(),
            ":assertion-stack-levels" => format!("(:assertion-stack-levels {})", self.solver.depth()),
            ":all-statistics" => reply::statistics(self.solver.statistics()),
            ":reason-unknown" => match self.solver.last_answer() {
                Some(Answer::Unknown(reason)) => {
                    format!("(:reason-unknown \"{}\")", reason.to_string().replace('"', "\"\""))
                }
                _ => "(:reason-unknown \"\")".to_owned(),
            },
            _ => "unsupported".to_owned(),
        }
    }

    fn get_option(&mut self, keyword: Symbol) -> String {
        let keyword = self.solver.terms.text(keyword);
        match (self.settings.get(keyword), keyword) {
            (Some(value), _) => value.clone(),
            (None, ":print-success" | ":global-declarations" | ":produce-proofs") => "false".to_owned(),
            (None, ":produce-models" | ":produce-unsat-cores" | ":produce-unsat-assumptions") => {
                "true".to_owned()
            }
            (None, ":produce-assignments") => "true".to_owned(),
            (None, ":verbosity" | ":random-seed") => "0".to_owned(),
            (None, ":regular-output-channel") => "\"stdout\"".to_owned(),
            (None, ":diagnostic-output-channel") => "\"stderr\"".to_owned(),
            _ => "unsupported".to_owned(),
        }
    }

    /// Commands that Z3 adds and that we can answer.
    fn extension(&mut self, extension: &Extension) -> String {
        match (extension.word, extension.parts.as_slice()) {
            ("check-sat-using", _) => self.check(&[]),
            // Attributes may follow the term.
            ("eval", [ExtensionPart::Term(term), ..]) => match self.value_text_of(*term) {
                Some(value) => value,
                None => reply::error("model is not available"),
            },
            (word, _) => {
                self.reject(word);
                "unsupported".to_owned()
            }
        }
    }
}

/// The first word of a command, also of one that cannot be read.
fn first_word(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix(';') {
        rest = comment.split_once('\n').map_or("", |(_, after)| after).trim_start();
    }
    let rest = rest.strip_prefix('(').unwrap_or(rest).trim_start();
    let end = rest.find(|character: char| character.is_whitespace() || matches!(character, '(' | ')' | ';'));
    &rest[..end.unwrap_or(rest.len())]
}

/// Commands of other solvers that assert something, or read a file that may.
const UNSUPPORTED_ASSERTIONS: &[&str] = &[
    "assert-not",
    "block-model",
    "block-model-values",
    "constraint",
    "include",
    "inv-constraint",
    "load",
    "rule",
];

/// An arena with more terms is not worth keeping.
const MAX_KEPT_TERMS: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::super::Splitter;
    use super::*;

    fn replies(source: &str) -> Vec<String> {
        let mut session = Session::new(Options::default(), None);
        let replies =
            Splitter::new().feed(source).iter().map(|piece| session.run(piece).text).collect::<Vec<_>>();
        replies.into_iter().filter(|reply| !reply.is_empty()).collect()
    }

    #[test]
    fn a_client_of_the_old_dialect_gets_its_escapes_back() {
        let source = r#"(declare-const x String)(assert (str.in.re x (str.to.re "\x5cn")))(check-sat)(get-model)(get-value (x))"#;
        let replies = replies(source);
        assert_eq!(replies[0], "sat");
        assert!(replies[1].contains(r#"(define-fun x () String "\x5cn")"#), "{}", replies[1]);
        assert_eq!(replies[2], r#"((x "\x5cn"))"#);
    }

    #[test]
    fn literals_are_read_again_when_the_dialect_shows() {
        let source = r#"(declare-const x String)(assert (= x "\x61"))(push)(assert (str.in.re x (str.to.re "a")))(check-sat)(pop)(check-sat)(get-value ((str.len x)))"#;
        assert_eq!(replies(source), ["sat", "sat", "(((str.len x) 1))"]);
    }

    #[test]
    fn names_of_both_dialects_mean_the_new_one() {
        let source = r#"(declare-const x String)(assert (= x "\x61"))(assert (str.in.re x (str.to.re "a")))(assert (str.in_re x (str.to_re "a")))(check-sat)"#;
        assert_eq!(replies(source), ["unsat"]);
    }

    #[test]
    fn a_rejected_assertion_counts_as_long_as_its_scope_is_open() {
        let source = r#"(set-option :print-success false)(declare-const x String)
            (push 1)(assert (= x 1))(check-sat)(push 1)(check-sat)(pop 1)(check-sat)
            (push 1)(assert false)(check-sat)(pop 1)(pop 1)
            (assert (= x "a"))(check-sat)(get-value (x))"#;
        let answers: Vec<String> = replies(source).into_iter().filter(|reply| !is_error(reply)).collect();
        assert_eq!(answers, ["unknown", "unknown", "unknown", "unsat", "sat", "((x \"a\"))"]);
    }

    #[test]
    fn a_rejected_assertion_outside_of_scopes_counts_until_all_assertions_are_reset() {
        let source = r#"(declare-const x String)(assert (= x 1))(push 1)(check-sat)(pop 1)(check-sat)
            (reset-assertions)(declare-const x String)(check-sat)
            (assert (= x "\q\u{}" 'broken))(check-sat)(reset)(check-sat)"#;
        let answers: Vec<String> = replies(source).into_iter().filter(|reply| !is_error(reply)).collect();
        assert_eq!(answers, ["unknown", "unknown", "sat", "unknown", "sat"]);
    }

    #[test]
    fn an_assertion_that_is_no_text_of_smtlib_counts_as_rejected() {
        let source = "(declare-const x Int)(push 1)(assert (= x \u{1}))(check-sat)(pop 1)(check-sat)";
        assert!(is_error(&replies(source)[0]), "{:?}", replies(source));
        assert_eq!(replies(source)[1..], ["unknown", "sat"]);
    }

    #[test]
    fn commands_of_other_solvers_that_assert_something_count_as_rejected() {
        let source = "(push 1)(include \"more.smt2\")(check-sat)(pop 1)(minimize 1)(check-sat)";
        assert_eq!(replies(source), ["unsupported", "unknown", "unsupported", "sat"]);
    }

    #[test]
    fn a_rejected_declaration_has_no_effect() {
        let source = r#"(declare-const x Int)(declare-const x String)(assert (= x 3))
            (define-fun y () Int "a")(define-fun y () Int 4)(assert (< x y))
            (assert (and (! (< x 9) :named a) (= x "a")))(check-sat)"#;
        let found = replies(source);
        assert_eq!(found.iter().filter(|reply| is_error(reply)).count(), 3, "{found:?}");
        assert_eq!(found.last().unwrap(), "unknown");
        let source = r#"(declare-const x Int)(push 1)(assert (and (! (< x 9) :named a) (= x "a")))(pop 1)
            (declare-const x String)(define-sort S () Nothing)(define-sort S () Int)(declare-const s S)
            (declare-const a S)(assert (< a x s))(check-sat)"#;
        let found = replies(source);
        assert_eq!(found.iter().filter(|reply| is_error(reply)).count(), 3, "{found:?}");
        assert_eq!(found.last().unwrap(), "sat");
    }

    #[test]
    fn what_is_rejected_is_found_again_when_the_dialect_shows() {
        let source = r#"(declare-const x String)(assert (= x "\x61"))(push 1)(assert (= x 1))
            (assert (str.in.re x (str.to.re "a")))(check-sat)(pop 1)(check-sat)"#;
        assert_eq!(replies(source)[1..], ["unknown", "sat"]);
    }

    #[test]
    fn names_of_terms_stay_where_declarations_are_global() {
        let source = r#"(set-option :global-declarations true)(declare-const x String)
            (push 1)(assert (! (= x "a") :named a))(check-sat)(pop 1)(assert (not a))(check-sat)
            (assert (= x "a"))(check-sat)(reset-assertions)(assert a)(check-sat)(get-value (x a))"#;
        assert_eq!(replies(source), ["sat", "sat", "unsat", "sat", "((x \"a\")\n (a true))"]);
    }

    #[test]
    fn errors_on_one_line_have_different_columns() {
        let errors = replies("))(assert x)\n (check)");
        let places: Vec<&str> = errors.iter().filter_map(|error| error.split(':').next()).collect();
        let expected = ["line 1 column 1", "line 1 column 2", "line 1 column 11", "line 2 column 3"];
        assert_eq!(places, expected.map(|place| format!("(error \"{place}")));
    }

    fn is_error(reply: &str) -> bool {
        reply.starts_with("(error")
    }
}
